// SPDX-License-Identifier: Apache-2.0
// Groups a failing program, shrinks it, finds its cause, and stores it as a test.
#include "base/clock.h"
#include "base/file.h"
#include "base/folder.h"
#include "catalogue/package.h"
#include "explain/explain.h"
#include "fuzz/campaign.h"
#include "generate/module.h"
#include "report/code.h"
#include "report/known.h"

#include <math.h>

#define SHRINK_SECONDS 60.0
#define REPEATS        5 // times the usual runs, to estimate how often a program fails
#define PATIENCE_MIN   4
#define PATIENCE_MAX   512
#define HARD_TRIES     200 // for a program that ends its worker: each run costs a new worker

uint64_t fuzz_patience(uint64_t failed, uint64_t runs)
{
    const double half = runs ? (double)failed / (double)runs / 2 : 0;
    if (half <= 0)
        return PATIENCE_MAX;
    const double needed = ceil(log(0.01) / log(1 - half));
    return needed < PATIENCE_MIN   ? PATIENCE_MIN
           : needed > PATIENCE_MAX ? PATIENCE_MAX
                                   : (uint64_t)needed;
}

enum cat_check fuzz_check(const struct gen_program *program)
{
    return program->numbers ? CAT_CHECK_EQUAL : CAT_CHECK_MASK;
}

bool fuzz_failed(const struct eng_outcome *outcome)
{
    return outcome->result == ENG_FAIL || eng_is_broken(outcome->result);
}

enum eng_end fuzz_try(struct fuzz_lane *lane, const struct gen_program *program, uint64_t runs,
                      struct eng_outcome *outcome)
{
    const struct fuzz_campaign *c = lane->campaign;
    return eng_submit(&lane->client,
                      &(struct eng_work){.name = lane->name,
                                         .program = program,
                                         .rule = lane->found->arm->limits.rule,
                                         .subgroup = lane->found->small_subgroup},
                      &(struct eng_request){.kind = ENG_GENERATED,
                                            .runs = c->asked->compile ? 0 : runs,
                                            .seed = c->asked->run.seed.value},
                      outcome);
}

static bool is_alike(const struct eng_outcome *outcome, const struct eng_outcome *first)
{
    char how[320], was[320];
    eng_outcome_how(outcome, how);
    eng_outcome_how(first, was);
    return outcome->result == first->result && strcmp(how, was) == 0;
}

// Whether shrinking must stop early.
static bool is_over(const struct fuzz_lane *lane)
{
    return clock_now() > lane->deadline ||
           (eng_is_broken(lane->found->first.result) && lane->found->tries >= HARD_TRIES);
}

// A candidate fails if it ends like the program.
static enum gen_answer ask(const struct gen_program *candidate, void *user)
{
    struct fuzz_lane *lane = user;
    struct fuzz_found *found = lane->found;
    struct eng_outcome outcome;
    char doing[64];
    if (is_over(lane))
        return GEN_STOP;
    snprintf(doing, sizeof doing, "shrinking, %u of %u steps, %u tries", found->small.count,
             found->drawn.count, found->tries);
    fuzz_show_progress(lane->campaign, doing);
    lane->end = fuzz_try(lane, candidate, found->patience, &outcome);
    if (lane->end != ENG_END_RAN)
        return GEN_STOP;
    found->tries++;
    if (!is_alike(&outcome, &found->first))
        return GEN_PASSES;
    found->small = *candidate;
    found->worst = eng_outcome_worst(fuzz_check(candidate), &outcome.count);
    return GEN_FAILS;
}

// Finds the smallest subgroup in which the small program still fails.
static void take_lanes(struct fuzz_lane *lane)
{
    const struct fuzz_campaign *c = lane->campaign;
    struct fuzz_found *found = lane->found;
    const uint32_t own = found->small_subgroup;
    for (uint32_t size = gen_least(&found->small); size < own; size *= 2)
        for (size_t i = 0; i < c->size_count; i++) {
            if (c->sizes[i] != size)
                continue;
            found->small_subgroup = size;
            const struct gen_program program = found->small;
            const enum gen_answer answer = ask(&program, lane);
            if (answer == GEN_FAILS)
                return;
            found->small_subgroup = own;
            if (answer == GEN_STOP)
                return;
        }
}

// Runs a program again to estimate how often it fails, and adds up the counts. False if it did not
// run.
static bool repeat(struct fuzz_lane *lane, const struct gen_program *program, uint64_t times,
                   uint64_t *runs, uint64_t *failed)
{
    struct eng_outcome outcome;
    if (fuzz_try(lane, program, lane->campaign->asked->run.runs * times, &outcome) != ENG_END_RAN)
        return false;
    // The run that did not return counts, too.
    const bool lost = outcome.result != ENG_FAIL && fuzz_failed(&outcome);
    *runs += outcome.count.runs + lost;
    *failed += outcome.count.failed_runs + lost;
    if (outcome.count.failure_count)
        lane->found->failure = outcome.first;
    return true;
}

static uint64_t repeats_of(const struct fuzz_found *found)
{
    return eng_is_broken(found->first.result) ? 1 : REPEATS;
}

// Estimates how often a program fails, and from that how often to run candidates.
static bool estimate(struct fuzz_lane *lane)
{
    const uint64_t each = lane->campaign->asked->run.runs;
    struct fuzz_found *found = lane->found;
    uint64_t *runs = &found->runs, *failed = &found->failed;
    bool ran = repeat(lane, &found->drawn, repeats_of(found), runs, failed);
    // Run it often enough to show a failure as rare as these runs and the first suggest.
    if (ran && !eng_is_broken(found->first.result) && !found->failed)
        ran = repeat(lane, &found->drawn, fuzz_patience(1, *runs + each) / each + 1, runs, failed);
    found->patience = fuzz_patience(*failed, *runs);
    lane->deadline = clock_now() + SHRINK_SECONDS;
    lane->end = ENG_END_RAN;
    return ran;
}

void fuzz_name_group(struct fuzz_found *found)
{
    const char *outcome = cat_outcome_name(fuzz_check(&found->small), found->worst);
    OWNED(text_free) struct text kinds = {0};
    char how[320];
    const bool wrong = found->first.result == ENG_FAIL;
    eng_outcome_how(&found->first, how);
    gen_kinds(&found->small, &kinds);
    const char *name = !wrong                   ? eng_result_name(found->first.result)
                       : found->first.reason[0] ? found->first.reason
                       : outcome                ? outcome
                                                : "wrong";
    const char *what = !wrong ? how : kinds.data ? kinds.data : "";
    snprintf(found->group, sizeof found->group, "%.200s%s%.190s", name, *what ? ": " : "", what);
}

// Brings a failing program nearer to its kernel, and keeps the campaign's nearest one.
static void note_near(struct fuzz_lane *lane, const struct gen_limits *limits,
                      struct gen_program *program)
{
    struct fuzz_tally *tally = lane->campaign->tally;
    const struct fuzz_found *found = lane->found;
    gen_near(program, limits, ask, lane);
    const uint32_t changed = gen_kernel_distance(program, limits, NULL);
    if (tally->near.arm && (changed > tally->changed ||
                            (changed == tally->changed && found->order > tally->near.order)))
        return;
    tally->changed = changed;
    tally->near = (struct fuzz_number){found->order, found->index, found->arm};
    tally->nearest = *program;
}

void fuzz_strip(struct fuzz_lane *lane)
{
    struct fuzz_found *found = lane->found;
    if (found->first.result == ENG_FAIL && estimate(lane) && found->failed) {
        struct gen_program program = found->drawn;
        struct gen_limits limits = found->arm->limits;
        limits.subgroup = found->subgroup;
        if (limits.focus >= GEN_NABLA)
            note_near(lane, &limits, &program);
        gen_strip(&program, found->arm->limits.rule, ask, lane);
    }
}

void fuzz_shrink(struct fuzz_lane *lane)
{
    struct fuzz_found *found = lane->found;
    // Earlier runs may have damaged the device before a worker ended, and a device may change a
    // word now and then: shrink only a failure that repeats with a new pipeline.
    if ((eng_is_broken(found->first.result) && !estimate(lane)) || !found->failed)
        return;
    lane->deadline = clock_now() + SHRINK_SECONDS;
    lane->end = ENG_END_RAN;
    found->shrunk = true;
    struct gen_program program = found->small;
    gen_shrink(&program, &found->arm->limits, ask, lane);
    if (lane->end == ENG_END_RAN)
        take_lanes(lane);
    found->cut_short = lane->end != ENG_END_RAN || is_over(lane);
    if (lane->end == ENG_END_RAN)
        repeat(lane, &found->small, repeats_of(found), &found->small_runs, &found->small_failed);
}

// --- The cause: what the machine code of a failing program has, and what executing it shows

#define CAUSE_SECONDS 60.0 // for the causes of programs that fail before a campaign's time is up

struct seen {
    struct isa_study study;
    bool answered; // the driver made the pipeline
};

static bool take(const struct cat_case *which, enum eng_result result, const char *reason,
                 struct isa_code *code, void *user)
{
    struct seen *seen = user;
    OWNED(text_free) struct text name = {0};
    (void)reason;
    cat_case_name(which, &name);
    seen->answered = result == ENG_PASS;
    if (seen->answered && !isa_is_empty(code))
        isa_study_add(&seen->study, name.data, code, NULL, NULL);
    return true;
}

// Adds the small program to the catalogue, or the drawn one before it is shrunk.
static bool add_small(const struct fuzz_lane *lane, struct cat_case *which)
{
    const struct fuzz_found *found = lane->found;
    const struct gen_title title = {
        .name = lane->name, .origin = "litmus fuzz", .rule = found->arm->limits.rule};
    OWNED(cat_package_clear) struct cat_package package = {0};
    OWNED(text_free) struct text packed = {0}, name = {0};
    struct lit_error error = {0};
    const struct cat_test *test = NULL;
    OWNED(gen_module_clear) struct gen_module module = {0};
    gen_module_make(&found->small, title.rule, &module);
    text_puts(&package.origin, "litmus fuzz");
    gen_assembly(&title, &found->small, &package.page);
    package.words = module.words;
    package.word_count = module.count;
    module.words = NULL;
    cat_package_write(&package, &packed);
    if (!cat_test_add(packed.data, packed.length, &test, &error))
        return false;
    text_printf(&name, "%s/*@workgroup=%u*", test->head.name,
                eng_draw_workgroup(&found->small, found->small_subgroup));
    if (!cat_case_first(name.data, which, &error)) {
        cat_test_drop();
        return false;
    }
    which->subgroup = found->small_subgroup;
    return true;
}

// What the lint finds in the code or, if that is nothing, what executing the code shows. NULL:
// neither; else the kind of cause.
static const char *read_code(const struct fuzz_campaign *c, const struct cat_case *which,
                             const struct isa_entry *entry, struct text *words)
{
    const char *kind = NULL;
    // The lint refuses code that is too long.
    const size_t at = entry->linted ? isa_cause(entry) : 0;
    if (entry->linted && at < entry->lint.count) {
        lint_word(&entry->listing.sass, &entry->lint, &entry->lint.findings[at], words);
        kind = lint_kind_name(entry->lint.findings[at].kind);
    } else {
        exp_cause(which, &c->device->facts, &entry->code, c->asked->run.seed.value, &kind, words);
    }
    return kind;
}

void fuzz_find_cause(struct fuzz_lane *lane)
{
    struct fuzz_campaign *c = lane->campaign;
    struct fuzz_found *found = lane->found;
    struct seen seen = {.study.module = report_known->words};
    struct isa_study *const study = &seen.study;
    OWNED(text_free) struct text words = {0};
    // A campaign that is out of time still names its last failures.
    struct eng_watch watch = c->pool.watch;
    watch.stop = NULL;
    watch.policy.total += watch.policy.total > 0 ? CAUSE_SECONDS : 0;
    const struct eng_capture capture = {
        .watch = &watch, .device = c->device, .take = take, .user = &seen};
    struct cat_case which;
    char reason[512];
    const struct report_signature *by_group = NULL;
    if (found->shrunk && !found->cut_short) {
        fuzz_name_group(found);
        by_group = report_finding_by(&c->device->facts, found->group);
    }
    // Where there is no code to read, what the failure needs is all that is known.
    if (!found->cause[0])
        found->finding = by_group;
    // The catalogue has the program of one lane at a time.
    while (c->reading)
        pthread_cond_wait(&c->pool.changed, &c->pool.lock);
    if (found->first.result == ENG_CRASH || c->codeless || c->pool.end == ENG_END_SIGNAL ||
        !add_small(lane, &which))
        return;
    c->reading = true;
    // Other lanes go on while the driver compiles.
    pthread_mutex_unlock(&c->pool.lock);
    eng_capture(&capture, &which, 1, reason);
    const struct isa_entry *entry = study->count ? study->entries : NULL;
    const char *kind = entry ? read_code(c, &which, entry, &words) : NULL;
    pthread_mutex_lock(&c->pool.lock);
    cat_test_drop();
    c->reading = false;
    pthread_cond_broadcast(&c->pool.changed);
    found->cause[0] = '\0';
    found->finding = by_group;
    c->codeless = seen.answered && (!entry || !entry->listing.sass.count);
    if (kind) {
        snprintf(found->cause, sizeof found->cause, "%s", words.data);
        found->finding = report_finding_by(&c->device->facts, kind);
    }
    isa_study_clear(study);
}

// --- As a test

// Writes the observations as prose after the head.
static void put_remark(const struct fuzz_found *found, const struct dev_facts *facts,
                       struct text *text)
{
    text_printf(text, "; Observed on %s, driver %s, in subgroups of %u: ", facts->name,
                facts->driver_version, found->small_subgroup);
    if (eng_is_broken(found->first.result))
        text_printf(text, "%s, %s%s.\n", eng_result_name(found->first.result), found->first.reason,
                    found->shrunk ? "" : "; not again, alone");
    else
        text_printf(text,
                    "failed in %" PRIu64 " of %" PRIu64
                    " runs%s.\n; First: %s, got 0x%x, want 0x%x.\n",
                    found->small_runs ? found->small_failed : found->failed,
                    found->small_runs ? found->small_runs : found->runs,
                    found->failed ? "" : ", when it was run again", found->failure.where,
                    found->failure.at.got, found->failure.at.want);
    text_printf(text, "; Reproduce: litmus fuzz %s --replay FILE\n", gen_family(&found->small));
}

bool fuzz_store(const struct fuzz_lane *lane)
{
    struct fuzz_campaign *c = lane->campaign;
    struct fuzz_found *found = lane->found;
    const struct gen_limits *limits = &found->arm->limits;
    const char *rule = gen_rule_name(limits->rule), *folder = c->asked->out;
    const uint64_t seed = c->asked->run.seed.value;
    OWNED(text_free) struct text origin = {0}, remark = {0}, text = {0}, arm = {0};
    if (!lit_folder_make(folder, c->error))
        return false;
    eng_draw_options(limits, &arm);
    text_printf(&origin,
                "litmus fuzz %s --rule %s%s --seed 0x%" PRIx64 ", program %" PRIu64
                ",\n;              %u of its %u steps%s",
                c->family, rule, arm.data ? arm.data : "", seed, found->index, found->small.count,
                found->drawn.count, found->cut_short ? " (shrinking was incomplete)" : "");
    put_remark(found, &c->device->facts, &remark);
    gen_assembly(
        &(struct gen_title){
            .name = lane->name, .origin = origin.data, .remark = remark.data, .rule = limits->rule},
        &found->small, &text);
    snprintf(found->path, sizeof found->path, "%.400s/%s-%" PRIx64 "-%" PRIu64 ".spvasm", folder,
             found->arm->name, seed, found->index);
    const bool good = lit_file_write(found->path, text.data, text.length, c->error);
    c->tally->stored += good;
    return good;
}
