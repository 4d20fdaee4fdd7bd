// SPDX-License-Identifier: Apache-2.0
// Formats numbers, times, commands and columns.
#include "report/format.h"

#include "model/emulated.h"
#include "report/known.h"

#include <math.h>
#include <stdarg.h>

// Takes an almost whole number as whole: undoes floating-point noise.
static double rounded(double digits, int direction)
{
    const double nearest = round(digits);
    if (fabs(digits - nearest) <= 1e-9 * digits || direction == 0)
        return nearest;
    return direction < 0 ? floor(digits) : ceil(digits);
}

// A number in (0, 1) as d.de-x.
static void format_small(char target[24], double rate, int direction)
{
    int exponent = (int)floor(log10(rate));
    double nearest = rounded(rate * pow(10, 1 - exponent), direction);
    if (nearest >= 100) {
        nearest /= 10;
        exponent++;
    }
    snprintf(target, 24, "%.1fe%d", nearest / 10, exponent);
}

char *format_rate(char target[24], double rate, int direction)
{
    if (rate <= 0 || rate >= 1) {
        snprintf(target, 24, "%s", rate <= 0 ? "0" : "1");
    } else if (rate < 0.01) {
        format_small(target, rate, direction);
    } else if (rate > 0.99) {
        char rest[24];
        format_small(rest, 1 - rate, -direction);
        snprintf(target, 24, "1-%.20s", rest);
    } else {
        double scale = rate < 0.1 ? 1000 : 100;
        snprintf(target, 24, "%.*f", rate < 0.1 ? 3 : 2, rounded(rate * scale, direction) / scale);
    }
    return target;
}

char *format_interval(char target[80], uint64_t failed, uint64_t judged,
                      struct stat_interval interval)
{
    const char *low = RATE(interval.low, -1), *high = RATE(interval.high, 1);
    if (judged == 0)
        snprintf(target, 80, "unknown");
    else if (failed == 0)
        snprintf(target, 80, "< %s", high);
    else if (failed == judged)
        snprintf(target, 80, "> %s", low);
    else
        snprintf(target, 80, "%s [%s, %s]", RATE((double)failed / (double)judged, 0), low, high);
    return target;
}

char *format_seconds(char target[32], double seconds)
{
    unsigned long long whole = seconds < 1e15 ? (unsigned long long)(seconds + 0.5) : 0;
    if (seconds < 10)
        snprintf(target, 32, "%.1f s", seconds);
    else if (whole < 60)
        snprintf(target, 32, "%llu s", whole);
    else if (whole < 3600)
        snprintf(target, 32, "%llu min %02llu s", whole / 60, whole % 60);
    else
        snprintf(target, 32, "%llu h %02llu min", whole / 3600, whole / 60 % 60);
    return target;
}

char *format_api(char target[32], uint32_t version)
{
    snprintf(target, 32, "%u.%u.%u", version >> 22 & 0x7f, version >> 12 & 0x3ff, version & 0xfff);
    return target;
}

char *format_subgroup(char target[48], const struct dev_facts *facts)
{
    snprintf(target, 48, "%u (%u to %u%s)", facts->subgroup, facts->subgroup_min,
             facts->subgroup_max, facts->subgroup_control ? ", can be chosen" : "");
    return target;
}

char *format_uuid(char target[37], const uint8_t uuid[16])
{
    size_t at = 0;
    for (size_t i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            target[at++] = '-';
        snprintf(target + at, 3, "%02x", uuid[i]);
        at += 2;
    }
    return target;
}

// How many runs a repeat needs: the same number if a rule chose it. A result that broke got no
// further than the rule's next look, which comes after twice as many.
static uint64_t runs_again(const struct report_model *model, const struct result *result)
{
    const uint64_t asked = model->session.runs;
    if (!result->rule[0]) // if it got more runs than the others, all of them
        return result->first == 0 && result->runs > asked ? result->runs : asked;
    if (report_ruling(result) != ENG_RULING_NONE)
        return result->runs;
    return result->runs * 2 > asked ? result->runs * 2 : asked;
}

const struct report_known *report_known;

const char *format_called = "./litmus", *format_kernel;

static bool is_kernel(const char *test)
{
    return strncmp(test, "kernel.", strlen("kernel.")) == 0;
}

void format_call(struct text *out, const char *test)
{
    text_quote(out, format_called);
    if (format_kernel && is_kernel(test))
        text_puts(out, format_kernel);
}

// The beginning of a device's UUID that -d can find: long enough to tell the session's devices
// apart; the device's identity if they share a UUID.
static void put_device(struct text *out, const struct report_model *model, size_t device)
{
    enum { WHOLE = 36 };
    static const int ends[] = {8, 13, 18, 23, WHOLE}; // ends of the groups of digits
    const uint8_t *uuid = model->devices[device].facts.device_uuid;
    const char *text = UUID(uuid);
    // Mesa's software devices all begin with "mesa", then their version; digits alone are a number.
    bool is_text = true;
    for (size_t i = 0; i < 4; i++)
        is_text = is_text && uuid[i] >= 0x20 && uuid[i] < 0x7f;
    size_t end = is_text ? 3 : strspn(text, "0123456789") >= 8 ? 1 : 0;
    for (size_t i = 0; i < model->device_count; i++) {
        const char *other = UUID(model->devices[i].facts.device_uuid);
        while (i != device && ends[end] < WHOLE && strncmp(other, text, (size_t)ends[end]) == 0)
            end++;
        if (i != device && strcmp(other, text) == 0) {
            text_puts(out, model->devices[device].id);
            return;
        }
    }
    text_append(out, text, (size_t)ends[end]);
}

#define MOST_NAMED 32 // configurations to name in one command, if a shorter one exists

// A test's default run: the configurations that a command is for, and the ids of the others.
struct named {
    const struct result *const *results;
    size_t count, among; // among: how many of them are in the default run
    struct text others;
    size_t other_count;
};

static void name_case(const char *name, void *user)
{
    struct named *named = user;
    size_t at = 0;
    while (at < named->count && strcmp(named->results[at]->name, name) != 0)
        at++;
    if (at < named->count) {
        named->among++;
        return;
    }
    char id[CFG_ID_SIZE];
    cfg_id(name, id);
    text_printf(&named->others, " '!%s'", id);
    named->other_count++;
}

// Names exactly these configurations of one test: by their ids, or, if they are many and that is
// shorter, as the test without the rest of its default run.
static void put_named(struct text *out, const struct report_model *model,
                      const struct result *const *results, size_t count)
{
    const struct dev_facts *facts = &model->devices[results[0]->device].facts;
    struct named named = {.results = results, .count = count};
    if (count > MOST_NAMED)
        report_known->each(results[0]->test, facts->subgroup, name_case, &named);
    OWNED(text_free) struct text others = named.others;
    if (named.among == count && named.other_count < count) {
        text_puts(out, " ");
        text_quote(out, results[0]->test);
        text_puts(out, others.data ? others.data : "");
        return;
    }
    for (size_t i = 0; i < count; i++)
        text_printf(out, " %s", results[i]->id);
}

// The option that sets a part of the name of a configuration with generated programs.
static const char *option_of(const char *key)
{
    static const char *const names[][2] = {{"reconvergence", "--rule"}, {"steps", "--steps"},
                                           {"depth", "--depth"},        {"pressure", "--pressure"},
                                           {"shape", "--shape"},        {"dispatches", "-n"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], key) == 0)
            return names[i][1];
    return NULL;
}

// The option that chose what executes the tests, if it is the simulator or an emulated GPU.
static void put_interpreter(struct text *out, const struct report_model *model,
                            const struct dev_facts *facts)
{
    if (!model->simt)
        return;
    text_puts(out, dev_facts_emulated(facts) ? " --emulate " : " --simt ");
    text_quote(out, model->simt);
}

// Commands that run a generated program again and make it smaller.
static void put_drawn(struct text *out, const struct report_model *model,
                      const struct result *result, const char *generator)
{
    const struct dev_facts *facts = &model->devices[result->device].facts;
    const uint32_t size = (uint32_t)strtoul(report_value(result, "subgroup"), NULL, 10);
    const uint64_t run = result->failure_count ? result->failures[0].at.run : 0;
    format_call(out, result->test);
    text_printf(out, " fuzz %s", generator);
    put_interpreter(out, model, facts);
    text_puts(out, " -d ");
    put_device(out, model, result->device);
    const uint64_t index = dev_facts_program(facts, size, run);
    text_printf(out, " --seed 0x%jx --index %ju --count 1", (uintmax_t)result->seed,
                (uintmax_t)index);
    report_known->drawn(result, facts, index, out);
    for (size_t i = 0; i < result->variant_count + result->param_count; i++) {
        const struct cfg_pair *pair = &result->variant[i]; // the parameters follow
        if (!option_of(pair->key))
            continue;
        if (strcmp(pair->key, "dispatches") == 0 && strcmp(pair->value, "0") == 0) {
            text_puts(out, " --compile-only");
            continue;
        }
        text_printf(out, " %s ", option_of(pair->key));
        text_quote(out, pair->value);
    }
}

void format_again(struct text *out, const struct report_model *model, const struct result *result)
{
    format_again_all(out, model, &result, 1);
}

void format_again_all(struct text *out, const struct report_model *model,
                      const struct result *const *results, size_t count)
{
    const struct result *result = results[0];
    const char *generator = report_known->generator(result->test);
    uint64_t runs = 0;
    if (generator) {
        put_drawn(out, model, result, generator);
        return;
    }
    // In such a session the seed gave each configuration its own stress.
    const bool random = strcmp(model->stress, "random") == 0;
    for (size_t i = 1; i < count && !random; i++)
        count = strcmp(results[i]->stress, result->stress) == 0 ? count : 1;
    format_call(out, result->test);
    text_puts(out, " run");
    for (size_t i = 0; i < count; i++) {
        const uint64_t its = runs_again(model, results[i]);
        runs = its > runs ? its : runs;
    }
    put_named(out, model, results, count);
    // If the kernel is not on the command line, it is in the store.
    const char *db = model->store ? store_path(model->store) : "litmus.db";
    if (is_kernel(result->test) && !format_kernel && strcmp(db, "litmus.db") != 0) {
        text_puts(out, " --db ");
        text_quote(out, db);
    }
    put_interpreter(out, model, &model->devices[result->device].facts);
    if (result->stress[0]) {
        text_puts(out, " --stress ");
        text_quote(out, count > 1 && random ? model->stress : result->stress);
    }
    text_puts(out, " -d ");
    put_device(out, model, result->device);
    text_printf(out, " --seed 0x%jx -n %ju", (uintmax_t)result->seed, (uintmax_t)runs);
}

void format_outcomes(struct text *out, const struct result *result)
{
    bool listed[CAT_OUTCOMES] = {false};
    bool first = true;
    for (;;) {
        uint32_t most = CAT_OUTCOMES;
        for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++) {
            if (listed[outcome] || result->outcomes[outcome] == 0 ||
                !cat_mode_fails(result->mode, outcome))
                continue;
            if (most == CAT_OUTCOMES || result->outcomes[outcome] > result->outcomes[most])
                most = outcome;
        }
        if (most == CAT_OUTCOMES)
            return;
        listed[most] = true;
        text_printf(out, "%s%s (%s%s)", first ? "" : ", ", OUTCOME(result, most),
                    COUNT(result->outcomes[most]),
                    !first                        ? ""
                    : result->outcomes[most] == 1 ? " unit"
                                                  : " units");
        first = false;
    }
}

void format_failed(struct text *out, const struct result *result)
{
    text_printf(out, "%s of %s runs failed, rate %s (95 %%)", COUNT(result->failed_runs),
                COUNT(result->runs), INTERVAL(result));
}

void format_end(struct text *out, const struct result *result)
{
    const char *runs = COUNT(result->runs);
    text_puts(out, eng_result_name(result->result));
    if (result->no_progress_runs > 0)
        text_printf(out, " in %s of %s runs", COUNT(result->no_progress_runs), runs);
    else if (result->runs > 0)
        text_printf(out, " after %s runs", runs);
    text_printf(out, "%s%s", result->reason[0] ? ": " : "", result->reason);
}

void format_first(struct text *out, const struct result *result)
{
    const struct eng_failure *first = &result->failures[0];
    text_printf(out, "run %s, unit %s%s%s: %s, got 0x%08x, want 0x%08x", COUNT(first->at.run + 1),
                COUNT(first->at.instance), first->where[0] ? ", " : "", first->where,
                OUTCOME(result, first->at.outcome), first->at.got, first->at.want);
}

void format_story(struct text *out, const struct result *result, const char *before)
{
    const bool ended = result->result == ENG_PASS || result->result == ENG_FAIL;
    report_check(out, before, result, "\n");
    text_printf(out, "%s%s: ", before, cat_expectation_name(result->expectation));
    if (result->runs > 0 || ended)
        format_failed(out, result);
    else
        format_end(out, result);
    text_puts(out, result->first_run_failed ? "; the first run failed\n" : "\n");
    if (result->failed_runs > 0) {
        text_printf(out, "%soutcomes: ", before);
        format_outcomes(out, result);
        text_puts(out, "\n");
    }
    if (result->failure_count > 0) {
        text_printf(out, "%sfirst in ", before);
        format_first(out, result);
        text_puts(out, "\n");
    }
    if (!ended && result->runs > 0) {
        text_printf(out, "%sended with ", before);
        format_end(out, result);
        text_puts(out, "\n");
    } else if (result->no_progress_runs > 0) {
        text_printf(out, "%sa bounded wait expired in %s runs\n", before,
                    COUNT(result->no_progress_runs));
    }
    if (result->stress[0])
        text_printf(out, "%sunder stress: %s\n", before, result->stress);
    if (result->rule[0])
        text_printf(out, "%sstopping rule: %s; the interval allows for it\n", before, result->rule);
    if (report_is_overdispersed(result))
        text_printf(out,
                    "%sfailures are overdispersed: the interval is too narrow, by a factor of "
                    "about %.1f\n",
                    before, sqrt(result->spread.factor));
}

// ---- escaped text

// Appends one argument that is no string. `specification` runs from "%" to the conversion.
static void put_number(struct text *out, const char *specification, va_list *arguments)
{
    const size_t length = strlen(specification);
    const char conversion = specification[length - 1], size = specification[length - 2];
    if (strchr("eEfgG", conversion))
        text_printf(out, specification, va_arg(*arguments, double));
    else if (strchr("di", conversion))
        text_printf(out, specification, va_arg(*arguments, int));
    else if (size == 'j')
        text_printf(out, specification, va_arg(*arguments, uintmax_t));
    else if (size == 'z')
        text_printf(out, specification, va_arg(*arguments, size_t));
    else
        text_printf(out, specification, va_arg(*arguments, unsigned));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
void format_escaped(struct text *out, void (*escape)(struct text *out, const char *string),
                    const char *format, va_list *arguments)
{
    while (*format) {
        const size_t plain = strcspn(format, "%");
        text_append(out, format, plain);
        format += plain;
        if (!*format)
            break;
        char specification[16];
        const size_t length = strcspn(format + 1, "scdiuxXfgeEG%") + 2;
        snprintf(specification, sizeof specification, "%.*s", (int)length, format);
        format += length;
        const char conversion = specification[strlen(specification) - 1];
        if (conversion == '%') {
            text_puts(out, "%");
        } else if (conversion == 's') {
            escape(out, va_arg(*arguments, const char *));
        } else if (conversion == 'c') {
            const char one[2] = {(char)va_arg(*arguments, int), '\0'};
            escape(out, one);
        } else {
            put_number(out, specification, arguments);
        }
    }
}
#pragma GCC diagnostic pop

// ---- evidence

const char *report_evidence_title(enum eng_evidence kind)
{
    static const char *const titles[ENG_EVIDENCES] = {
        [ENG_EVIDENCE_CHECK] = "What the check says of the kernel",
        [ENG_EVIDENCE_WORDS] = "The last lines that the driver or the worker printed",
        [ENG_EVIDENCE_KERNEL] = "Kernel log of graphics devices and crashes since the run started",
        [ENG_EVIDENCE_BACKTRACE] = "Backtrace of the worker when it crashed or was killed",
        [ENG_EVIDENCE_CORE] = "Its memory",
    };
    return titles[kind];
}

void report_check(struct text *out, const char *before, const struct result *result,
                  const char *after)
{
    const char *says = result->evidence[ENG_EVIDENCE_CHECK];
    if (strcmp(result->family, "kernel") != 0 || (says && eng_check_is_clean(says)))
        return;
    says = says ? says : "not checked";
    text_puts(out, before);
    text_append(out, says, strcspn(says, "\n"));
    text_puts(out, after);
}

static const char *last_lines(const char *text, size_t most)
{
    const char *at = text + strlen(text);
    while (at > text && most > 0 && (at = memrchr(text, '\n', (size_t)(at - text - 1))))
        most--;
    return at && at > text ? at + 1 : text;
}

void report_evidence_lines(struct text *out, const struct result *result, enum eng_evidence kind,
                           size_t most, const char *before)
{
    const char *at = result->evidence[kind] ? last_lines(result->evidence[kind], most) : "";
    while (*at) {
        const size_t length = strcspn(at, "\n");
        text_puts(out, before);
        text_append(out, at, length);
        text_puts(out, "\n");
        at += length + (at[length] != '\0');
    }
}

bool report_evidence_any(const struct result *result)
{
    for (size_t kind = 0; kind < ENG_EVIDENCES; kind++)
        if (result->evidence[kind])
            return true;
    return false;
}
