// SPDX-License-Identifier: Apache-2.0
// Decides one candidate: whether it is valid and sound, its right output, and whether it fails.
#include "reduce/reduce.h"

#include "base/clock.h"
#include "base/program.h"
#include "explain/race.h"
#include "stats/stats.h"

#include <unistd.h>

#define TANGLED   2    // agreeing runs required under tangled
#define LOOSE     9    // likewise if results may be left open; two are under lockstep
#define ENOUGH    10   // failures that determine a rate
#define HARD      3    // likewise for failures that end the worker
#define ERROR     0.05 // of the sequential test
#define SURE      0.98 // assumed failure rate of a kernel that never passed
#define MOST_RUNS 1024 // per request

enum { DEVICE, SIMULATOR };

void red_lane_begin(struct red_lane *lane, const struct red_target *target)
{
    *lane = (struct red_lane){.target = target, .end = ENG_END_RAN};
    lane->device =
        (struct eng_client){.watch = target->watch, .device = target->device, .unchecked = true};
    lane->simulator = (struct eng_client){.watch = target->reference, .device = target->simulator};
}

void red_lane_end(struct red_lane *lane)
{
    eng_client_end(&lane->device);
    eng_client_end(&lane->simulator);
    text_free(&lane->taught[DEVICE]);
    text_free(&lane->taught[SIMULATOR]);
}

// --- Requests

static void teach(struct red_lane *lane, int whom, const struct cat_package *package)
{
    struct text *taught = &lane->taught[whom];
    taught->length = 0;
    cat_package_write(package, taught);
    eng_client_teach(whom == DEVICE ? &lane->device : &lane->simulator, taught);
}

// False if there is no answer.
static bool ask(struct red_lane *lane, struct eng_client *client, const char *settings,
                const struct eng_request *how, const struct cat_package *package,
                struct eng_outcome *outcome)
{
    OWNED(text_free) struct text name = {0};
    cat_package_configuration(package, &name);
    // Repeated failures are expected here.
    client->losses = client->hangs = 0;
    lane->end = eng_submit(client, &(struct eng_work){.name = name.data, .settings = settings}, how,
                           outcome);
    snprintf(lane->reason, sizeof lane->reason, "%s", outcome->reason);
    return lane->end == ENG_END_RAN;
}

// --- Right output

static void forget_names(struct cat_package *package)
{
    OWNED(red_module_clear) struct red_module module = {0};
    if (red_module_read(&module, package->words, package->word_count)) {
        for (size_t i = 0; i < module.count; i++)
            module.lines[i].gone = red_op(&module.lines[i]) == SpvOpName;
        free(package->words);
        package->words = red_module_write(&module, &package->word_count);
    }
}

// One run on the simulator; stores its output in `words` unless NULL. RED_FAILS: it ran.
static enum red_answer simulate(struct red_lane *lane, const struct cat_package *package,
                                const char *settings, uint64_t seed, uint32_t *words)
{
    struct eng_outcome outcome;
    const struct eng_request how = {.kind = words ? ENG_OUTPUT : ENG_TRY, .seed = seed};
    const size_t size = package->expected_words * sizeof *words;
    if (!ask(lane, &lane->simulator, settings, &how, package, &outcome))
        return RED_STOP;
    if (outcome.result != ENG_PASS && outcome.result != ENG_FAIL)
        return RED_REFUSED;
    if (words && lane->simulator.code.length != size)
        return RED_REFUSED;
    if (words)
        memcpy(words, lane->simulator.code.data, size);
    return RED_FAILS;
}

// Repeats the run under `model`, with its output in `words`.
static enum red_answer repeat(struct red_lane *lane, const struct cat_package *package,
                              const char *model, uint64_t seed, uint32_t *words)
{
    char settings[64];
    snprintf(settings, sizeof settings, "model=%s,seed=%" PRIu64, model, seed);
    const enum red_answer answer = simulate(lane, package, settings, seed, words);
    // A kernel that does not end there relies on unspecified behaviour.
    return answer == RED_REFUSED ? RED_UNDEFINED : answer;
}

// Ignores bits in which runs differ. RED_UNDEFINED: no bits remain.
static enum red_answer take_counts(struct red_lane *lane, struct cat_package *package)
{
    const size_t count = package->expected_words;
    struct cat_interface *interface = &package->interface;
    OWNED(lit_free) uint32_t *words = lit_alloc(count + 1, sizeof *words);
    enum red_answer answer = RED_FAILS;
    uint32_t any = 0;
    interface->counts = lit_realloc(interface->counts, count, sizeof *interface->counts);
    interface->count_words = count;
    for (size_t i = 0; i < count; i++)
        interface->counts[i] = UINT32_MAX;
    for (uint64_t seed = 2; seed < 2 + LOOSE && answer == RED_FAILS; seed++) {
        answer = repeat(lane, package, seed % 4 ? "tangled" : "lockstep", seed, words);
        for (size_t i = 0; i < count && answer == RED_FAILS; i++)
            interface->counts[i] &= ~(words[i] ^ package->expected[i]);
    }
    for (size_t i = 0; i < count; i++)
        any |= interface->counts[i];
    return answer == RED_FAILS && !any ? RED_UNDEFINED : answer;
}

// The output of one run under lockstep is right.
static enum red_answer take_reference(struct red_lane *lane, struct cat_package *package)
{
    OWNED(cat_package_clear) struct cat_package nameless = {0};
    red_package_copy(package, &nameless);
    forget_names(&nameless);
    for (size_t i = 0; i < nameless.expected_words; i++)
        nameless.expected[i] = CAT_POISON;
    teach(lane, SIMULATOR, &nameless);
    enum red_answer answer = simulate(lane, package, "model=lockstep,seed=1", 1, package->expected);
    if (answer == RED_FAILS && lane->target->loose)
        answer = take_counts(lane, package);
    if (answer == RED_FAILS)
        cat_settle(&package->interface, package->expected, package->expected);
    return answer;
}

static enum red_answer agree(struct red_lane *lane, const struct cat_package *package)
{
    OWNED(lit_free) uint32_t *words = lit_alloc(package->expected_words + 1, sizeof *words);
    enum red_answer answer = RED_FAILS;
    for (uint64_t seed = 2; seed < 2 + TANGLED && answer == RED_FAILS; seed++) {
        answer = repeat(lane, package, "tangled", seed, words);
        if (answer != RED_FAILS)
            break;
        cat_settle(&package->interface, words, package->expected);
        if (memcmp(words, package->expected, package->expected_words * sizeof *words) != 0)
            answer = RED_UNDEFINED;
    }
    return answer;
}

// --- Errors of the kernel

// Merges the values of one dispatch with those of others.
static void take_values(const struct exp_trace *trace, struct red_values *values)
{
    OWNED(lit_free) uint32_t *ids = lit_alloc(trace->code_count + 1, sizeof *ids);
    // "%12 = OpLoad ...": names were stripped.
    for (size_t i = 0; i < trace->code_count; i++)
        if (sscanf(trace->codes[i].text, "%%%" SCNu32 " =", &ids[i]) != 1 ||
            ids[i] >= values->bound)
            ids[i] = 0;
    for (size_t i = 0; i < trace->step_count; i++) {
        const struct exp_step *step = &trace->steps[i];
        const uint32_t id = ids[step->code];
        if (!id || !step->has_value)
            continue;
        if (!values->state[id])
            values->value[id] = (uint32_t)step->value;
        values->state[id] =
            values->state[id] != 2 && values->value[id] == (uint32_t)step->value ? 1 : 2;
    }
}

// *misuse: one bit per kind of error. *large: too large to check.
static enum red_answer check(struct red_lane *lane, const struct cat_package *package,
                             struct red_values *values, unsigned *misuse, bool *large)
{
    OWNED(text_free) struct text file = {0}, settings = {0};
    const size_t dispatches = exp_dispatches(package);
    OWNED(lit_free) struct exp_trace *traces = lit_alloc(dispatches, sizeof *traces);
    OWNED(exp_findings_clear) struct exp_findings findings = {0};
    *misuse = 0;
    if (!lit_file_temporary("", 0, &file, NULL))
        return RED_REFUSED;
    unlink(file.data);
    text_printf(&settings, "model=lockstep,seed=1,threads=1,bounds=check,trace=%s", file.data);
    const enum red_answer answer = simulate(lane, package, settings.data, 1, NULL);
    *large = answer == RED_FAILS && !(exp_trace_load(file.data, dispatches, traces, NULL) &&
                                      exp_check(traces, package, &findings, NULL));
    unlink(file.data);
    for (size_t i = 0; i < findings.count; i++)
        *misuse |= 1u << findings.items[i].what;
    if (answer == RED_FAILS && !*large && package->word_count > SPIRV_BOUND) {
        red_values_clear(values);
        values->bound = package->words[SPIRV_BOUND];
        values->state = lit_alloc(values->bound + 1, 1);
        values->value = lit_alloc(values->bound + 1, sizeof *values->value);
        for (size_t i = 0; i < dispatches; i++)
            take_values(&traces[i], values);
    }
    for (size_t i = 0; i < dispatches; i++)
        exp_trace_clear(&traces[i]);
    return answer;
}

// --- Failure rate

static bool is_failure(enum eng_result result)
{
    return result == ENG_FAIL || eng_is_broken(result);
}

static bool is_alike(const struct red_target *target, const struct eng_outcome *outcome)
{
    char how[sizeof target->how];
    eng_outcome_how(outcome, how);
    return outcome->result == target->result && strcmp(how, target->how) == 0 &&
           (target->result != ENG_FAIL || outcome->count.outcomes[target->outcome]);
}

// Runs it `runs` times, from run `first` on.
static bool run(struct red_lane *lane, const struct cat_package *package, uint64_t first,
                uint64_t runs, struct eng_outcome *outcome)
{
    const struct eng_request how = {.kind = ENG_RUN, .seed = 1, .first = first, .runs = runs};
    return ask(lane, &lane->device, NULL, &how, package, outcome);
}

// Runs until it is decided whether it fails often enough.
static enum red_answer try_often(struct red_lane *lane, const struct cat_package *package)
{
    const struct red_target *target = lane->target;
    const bool hard = eng_is_broken(target->result);
    const double rate = (double)target->failed / (double)target->tries;
    const double high = rate < SURE ? rate : SURE, low = target->part * high;
    uint64_t tries = 0, failed = 0, runs = 2;
    enum stat_decision decision = STAT_UNDECIDED;
    teach(lane, DEVICE, package);
    for (; decision == STAT_UNDECIDED; runs = runs < MOST_RUNS ? runs * 2 : MOST_RUNS) {
        struct eng_outcome outcome;
        if (!run(lane, package, hard ? 0 : tries, hard ? target->runs : runs, &outcome))
            return RED_STOP;
        // A different failure.
        if (outcome.result != ENG_PASS && !is_alike(target, &outcome))
            return RED_OTHER;
        tries += hard ? 1 : outcome.count.runs;
        failed += hard ? outcome.result != ENG_PASS : outcome.count.failed_runs;
        decision = stat_sprt(failed, tries, low, high, ERROR);
    }
    return decision == STAT_ABOVE ? RED_FAILS : RED_OTHER;
}

enum red_answer red_decide(struct red_lane *lane, struct cat_package *package, bool same,
                           struct red_values *values)
{
    const struct red_target *target = lane->target;
    unsigned misuse = 0;
    bool large = false;
    if (!same && !lit_spirv_validate(package->words, package->word_count * 4, NULL))
        return RED_INVALID;
    enum red_answer answer = take_reference(lane, package);
    if (answer == RED_FAILS)
        answer = try_often(lane, package);
    if (answer == RED_FAILS)
        answer = check(lane, package, values, &misuse, &large);
    if (answer == RED_FAILS && ((misuse & ~target->misuse) || (large && target->checked)))
        answer = RED_UNDEFINED;
    if (answer == RED_FAILS && target->result == ENG_FAIL && !target->loose)
        answer = agree(lane, package);
    return answer;
}

// --- The original kernel

// Runs it until it has failed often enough. False if there is no answer.
static bool count_failures(struct red_lane *lane, struct red_target *target,
                           const struct cat_package *package)
{
    uint64_t runs = 1;
    target->tries = target->failed = 0;
    target->result = ENG_PASS;
    teach(lane, DEVICE, package);
    for (bool enough = false; !enough; runs = runs < MOST_RUNS ? runs * 4 : MOST_RUNS) {
        struct eng_outcome outcome;
        const bool hard = eng_is_broken(target->result);
        const uint64_t left = target->runs > target->tries ? target->runs - target->tries : 1;
        if (!run(lane, package, hard ? 0 : target->tries,
                 hard          ? target->runs
                 : runs < left ? runs
                               : left,
                 &outcome))
            return false;
        if (target->result == ENG_PASS && is_failure(outcome.result)) {
            target->result = outcome.result;
            target->outcome = eng_outcome_worst(CAT_CHECK_EQUAL, &outcome.count);
            eng_outcome_how(&outcome, target->how);
            // From here on a try is a whole request.
            if (eng_is_broken(outcome.result))
                target->tries = 0;
        }
        if (outcome.result == ENG_SKIP || outcome.result == ENG_HARNESS_ERROR)
            return lane->end = ENG_END_UNFIT, false;
        const bool broken = eng_is_broken(target->result);
        target->tries += broken ? 1 : outcome.count.runs;
        target->failed += broken ? is_alike(target, &outcome) : outcome.count.failed_runs;
        enough = target->failed >= (broken ? HARD : ENOUGH) ||
                 target->tries >= (broken ? 3u * HARD : target->runs);
    }
    return true;
}

enum red_answer red_measure(struct red_lane *lane, struct red_target *target,
                            struct cat_package *package, struct red_values *values)
{
    bool large = false;
    struct lit_error error = {0};
    if (!lit_spirv_validate(package->words, package->word_count * 4, &error)) {
        snprintf(lane->reason, sizeof lane->reason, "%s", error.message);
        return RED_INVALID;
    }
    const double began = clock_now();
    enum red_answer answer = take_reference(lane, package);
    target->simulated = clock_now() - began;
    if (answer != RED_FAILS)
        return answer;
    if (!count_failures(lane, target, package))
        return RED_STOP;
    if (!target->failed)
        return RED_OTHER;
    answer = check(lane, package, values, &target->misuse, &large);
    target->checked = !large;
    if (answer == RED_FAILS && target->result == ENG_FAIL && !target->loose)
        answer = agree(lane, package);
    return answer;
}
