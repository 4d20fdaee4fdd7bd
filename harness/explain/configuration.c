// SPDX-License-Identifier: Apache-2.0
// Which interleaving broke a run: finds a failing run of the configurations that patterns select on
// the SIMT simulator, and shortens it.
#include "base/clock.h"
#include "base/file.h"
#include "engine/drivers.h"
#include "explain/explain.h"
#include "report/format.h"
#include "session/device.h"

#include <errno.h>
#include <unistd.h>

#define FIRST_DEPTHS 3
#define DEPTH_MAX    12
#define ROUND_MAX    6   // later rounds are no larger
#define SHORTENING   200 // limit on runs
#define SETTINGS_MAX 300 // of "model=snooping,subgroup=4": no schedule, no trace
#define FILE_MAX     512 // limit of the simulator
#define PATIENCE     12  // time limit of an explained run, relative to others

// The order

struct exp_point exp_plan_next(struct exp_plan *plan)
{
    const unsigned round = plan->round < ROUND_MAX ? plan->round : ROUND_MAX;
    const unsigned depths =
        FIRST_DEPTHS + round < DEPTH_MAX ? FIRST_DEPTHS + round : (unsigned)DEPTH_MAX;
    // After the deepest, one without priorities.
    const struct exp_point point = {plan->which, plan->depth < depths ? plan->depth + 1 : 0,
                                    plan->seed++};
    if (++plan->depth > depths) {
        plan->depth = 0;
        if (++plan->nth == 1u << round) {
            plan->nth = 0;
            if (++plan->which == plan->count) {
                plan->which = 0;
                plan->round++;
            }
        }
    }
    return point;
}

static void measure_case(const struct cat_case *which, uint64_t *workgroup, uint64_t *rest)
{
    *workgroup = *rest = 0;
    for (size_t i = 0; i < which->test->head.sweep_count; i++) {
        const bool is_workgroup = which->test->head.sweeps[i].role == CFG_WORKGROUP;
        *(is_workgroup ? workgroup : rest) += cat_case_sweep(which, i);
    }
}

static bool is_larger(const struct cat_case *a, const struct cat_case *b)
{
    uint64_t workgroup[2], rest[2];
    measure_case(a, &workgroup[0], &rest[0]);
    measure_case(b, &workgroup[1], &rest[1]);
    return workgroup[0] != workgroup[1] ? workgroup[0] > workgroup[1] : rest[0] > rest[1];
}

void exp_sort_cases(struct cat_case *cases, size_t count)
{
    // Insertion sort, because it is stable.
    for (size_t i = 1; i < count; i++)
        for (size_t at = i; at > 0 && is_larger(&cases[at - 1], &cases[at]); at--) {
            const struct cat_case swap = cases[at];
            cases[at] = cases[at - 1];
            cases[at - 1] = swap;
        }
}

// One run

struct explaining {
    const struct exp_options *chosen;
    struct lit_list patterns;
    struct text given, settings; // as --simt has them, and as the driver reads them
    struct text run;             // of them those that name one run; "": it is to be searched
    struct ses_devices devices;
    struct text folder, file; // for the trace; empty while there is none
    struct exp_found found;
    struct eng_plan plan; // configurations, in the order of the search
    // While searching:
    double idle; // the time limit of a run that is not explained
    struct eng_client client;
    double deadline;
    bool *unusable;    // [plan.count]
    size_t usable;     // number of usable configurations
    char printed[256]; // the driver's last line
};

static void note(const char *line, void *user)
{
    struct explaining *e = user;
    snprintf(e->printed, sizeof e->printed, "%s", line);
}

static bool try_once(struct explaining *e, const struct cat_case *which, const char *settings,
                     struct eng_outcome *outcome, struct lit_error *error)
{
    e->printed[0] = '\0';
    e->found.tries++;
    const enum eng_end end =
        eng_submit(&e->client, &(struct eng_work){.which = which, .settings = settings},
                   &(struct eng_request){.kind = ENG_TRY, .seed = e->chosen->seed.value}, outcome);
    if (end != ENG_END_RAN)
        return eng_end_stops(end) ? lit_fail(error, LIT_EXIT_USAGE, "%s", outcome->reason)
                                  : lit_fail(error, LIT_EXIT_TIME, "interrupted");
    if (outcome->code)
        return lit_fail(error, outcome->code, "the SIMT simulator cannot be used: %s%s%s",
                        outcome->reason, e->printed[0] ? "; it said: " : "", e->printed);
    if (e->printed[0] && outcome->result == ENG_DEVICE_LOST)
        snprintf(outcome->reason, sizeof outcome->reason, "%s", e->printed);
    return true;
}

static bool has_failed(const struct eng_outcome *outcome)
{
    return outcome->result == ENG_FAIL || outcome->result == ENG_CRASH ||
           outcome->result == ENG_DEVICE_LOST || outcome->result == ENG_NO_PROGRESS;
}

// Repeats the run with a trace. A run that crashed may leave none.
static bool trace_once(struct explaining *e, const struct cat_case *which, const char *settings,
                       struct eng_outcome *outcome, struct exp_trace *trace,
                       struct lit_error *error)
{
    char traced[sizeof((struct eng_request *)0)->settings];
    *trace = (struct exp_trace){0};
    snprintf(traced, sizeof traced, "%s,trace=%s", settings, e->file.data);
    unlink(e->file.data);
    e->devices.watch.policy.idle = PATIENCE * e->idle;
    bool good = try_once(e, which, traced, outcome, error);
    if (!e->run.data)
        e->devices.watch.policy.idle = e->idle;
    e->found.tries--;
    if (good && !exp_trace_load(e->file.data, 1, trace, error)) {
        exp_trace_clear(trace);
        good = has_failed(outcome) && !outcome->count.failed_runs;
    }
    unlink(e->file.data);
    return good;
}

// The search

static void name_run(const struct exp_point *point, char run[EXP_RUN_MAX])
{
    char schedule[64] = "random";
    if (point->depth)
        snprintf(schedule, sizeof schedule, "priority,depth=%u", point->depth);
    snprintf(run, EXP_RUN_MAX, "schedule=%s,threads=1,seed=%" PRIu64, schedule, point->seed);
}

static bool is_shorter(const struct exp_trace *a, const struct exp_trace *b)
{
    return a->switches != b->switches ? a->switches < b->switches : a->step_count < b->step_count;
}

// Traces a failed run, and keeps it if it is the shortest so far.
static bool keep(struct explaining *e, const struct cat_case *which, const char *run,
                 const char *settings, struct lit_error *error)
{
    struct exp_found *found = &e->found;
    struct eng_outcome outcome;
    struct exp_trace trace;
    if (!trace_once(e, which, settings, &outcome, &trace, error)) {
        exp_trace_clear(&trace);
        return false;
    }
    if (has_failed(&outcome) && (!found->found || is_shorter(&trace, &found->failing))) {
        exp_trace_clear(&found->failing);
        found->failing = trace;
        found->found = true;
        found->which = *which;
        found->outcome = outcome;
        snprintf(found->settings, sizeof found->settings, "%s", settings);
        snprintf(found->run, sizeof found->run, "%s", run);
        return true;
    }
    exp_trace_clear(&trace);
    return !e->run.data || has_failed(&outcome) ||
           lit_fail(error, LIT_EXIT_UNDECIDED,
                    "the run failed, but not with a trace (%s: %s); a longer --timeout may help",
                    eng_result_name(outcome.result), outcome.reason);
}

static bool try_run(struct explaining *e, const char *run, size_t index,
                    const struct cat_case *which, struct lit_error *error)
{
    char settings[512];
    struct eng_outcome outcome;
    snprintf(settings, sizeof settings, "%.300s,%.100s", e->settings.data, run);
    if (!try_once(e, which, settings, &outcome, error))
        return false;
    // Drop configurations that take too long for repeated runs.
    if ((outcome.result == ENG_SKIP || outcome.result == ENG_HARNESS_ERROR ||
         outcome.result == ENG_HANG) &&
        !e->unusable[index]) {
        e->unusable[index] = true;
        e->usable--;
        e->found.tries--;
        snprintf(e->found.reason, sizeof e->found.reason, "%s", outcome.reason);
        return true;
    }
    if (!has_failed(&outcome))
        return true;
    e->found.failed_tries++;
    return keep(e, which, run, settings, error);
}

static bool try_point(struct explaining *e, const struct exp_point *point,
                      const struct cat_case *which, struct lit_error *error)
{
    char run[EXP_RUN_MAX];
    name_run(point, run);
    return try_run(e, run, point->which, which, error);
}

// The given run, in the first configuration where it fails.
static bool find_given(struct explaining *e, struct lit_error *error)
{
    bool good = true;
    e->found.given = true;
    for (size_t i = 0; i < e->plan.count && good && !e->found.found; i++)
        good = try_run(e, e->run.data, i, &e->plan.cases[i], error);
    return good;
}

static bool find_failure(struct explaining *e, struct lit_error *error)
{
    struct exp_plan plan = {.count = e->plan.count, .seed = e->chosen->seed.value};
    while (!e->found.found && e->usable > 0 && clock_now() < e->deadline) {
        const struct exp_point point = exp_plan_next(&plan);
        if (!e->unusable[point.which] && !try_point(e, &point, &e->plan.cases[point.which], error))
            return false;
    }
    return true;
}

static bool shorten(struct explaining *e, struct lit_error *error)
{
    struct exp_plan plan = {.count = 1, .seed = e->chosen->seed.value + 1000000};
    const struct cat_case which = e->found.which;
    const double now = clock_now(), end = now + (e->deadline - now) / 2;
    for (unsigned n = 0; n < SHORTENING && clock_now() < end; n++) {
        const struct exp_point point = exp_plan_next(&plan);
        // The configuration is known to be usable: index 0 is only marked if that changes.
        if (!try_point(e, &point, &which, error))
            return false;
    }
    return true;
}

// Repeats the run under lockstep with two seeds.
static void add_references(struct explaining *e)
{
    struct exp_found *found = &e->found;
    const char *rest = strchr(e->settings.data, ',');
    bool good = true;
    for (int i = 0; i < 2 && good; i++) {
        char settings[512];
        struct eng_outcome outcome;
        struct lit_error ignored;
        snprintf(settings, sizeof settings, "model=lockstep%.300s,threads=1,seed=%d",
                 rest ? rest : "", i + 1);
        good = trace_once(e, &found->which, settings, &outcome, &found->reference[i], &ignored) &&
               outcome.result == ENG_PASS;
    }
    found->has_reference = good;
}

static bool search(struct explaining *e, struct lit_error *error)
{
    struct cat_selection selection = {.patterns = e->patterns.items, .count = e->patterns.count};
    const struct eng_device *found = &e->devices.inventory.devices[0];
    const struct eng_device device = {.manifest = found->manifest};
    e->plan = eng_plan_make(&selection, &found->facts, false, 0);
    if (e->plan.count == 0)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "none of these configurations exists for these settings");
    exp_sort_cases(e->plan.cases, e->plan.count);
    e->client = (struct eng_client){.watch = &e->devices.watch, .device = &device};
    e->deadline = clock_now() + e->chosen->time;
    e->unusable = lit_alloc(e->plan.count, sizeof *e->unusable);
    e->usable = e->plan.count;
    e->idle = e->devices.watch.policy.idle;
    e->devices.watch.say = note;
    e->devices.watch.user = e;
    e->devices.watch.verbose = true;
    if (e->run.data)
        e->devices.watch.policy.idle *= PATIENCE;
    const bool good = e->run.data
                          ? find_given(e, error)
                          : find_failure(e, error) && (!e->found.found || shorten(e, error));
    if (good && e->found.found)
        add_references(e);
    if (e->usable == 0)
        e->found.unusable = e->found.reason;
    eng_client_end(&e->client);
    return good;
}

// --- The command

// Before anything runs

// Puts the settings that name one run apart from the others, which stay in order.
static void part_settings(const char *given, struct explaining *e)
{
    static const char *const of_run[] = {"schedule=", "depth=", "threads=", "seed="};
    for (size_t length; *given; given += length + (given[length] == ',')) {
        struct text *to = &e->given;
        length = strcspn(given, ",");
        for (size_t i = 0; i < sizeof of_run / sizeof *of_run; i++)
            if (strncmp(given, of_run[i], strlen(of_run[i])) == 0)
                to = &e->run;
        text_printf(to, "%s%.*s", to->length ? "," : "", (int)length, given);
    }
}

static bool read_settings(struct explaining *e, struct lit_error *error)
{
    static const char *const own[] = {"devices", "trace"};
    const char *given = NULL;
    OWNED(text_free) struct text valid = {0};
    if (!ses_simt_take(&e->chosen->simt, &given, error))
        return false;
    if (!given)
        return lit_fail(error, LIT_EXIT_USAGE, "missing --simt MODEL");
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (eng_simt_has(given, own[i]))
            return lit_fail(error, LIT_EXIT_USAGE,
                            "--simt '%.80s': '%s' is set by explain; leave it out", given, own[i]);
    const bool good = eng_simt_settings(given, &valid, error);
    if (!good)
        return false;
    if (strcmp(eng_simt_model(valid.data), "miscompiling") == 0)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--simt '%.80s': what fails happens before the run; 'litmus isa' prints "
                        "the changed program",
                        given);
    part_settings(given, e);
    if (e->run.length && !(eng_simt_has(e->run.data, "schedule") && eng_simt_has(given, "seed") &&
                           strstr(e->run.data, ",threads=1,")))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--simt '%.80s': explain chooses schedule, depth, threads and seed itself; "
                        "to explain a run again, give all of them as it printed them",
                        given);
    if (!eng_simt_has(e->given.data, "subgroup"))
        text_puts(&e->given, ",subgroup=4");
    if (!eng_simt_settings(e->given.data, &e->settings, error))
        return false;
    return (e->settings.length < SETTINGS_MAX && e->run.length < EXP_RUN_MAX) ||
           lit_fail(error, LIT_EXIT_USAGE, "--simt '%.80s': too long", given);
}

static bool check_usage(struct explaining *e, struct lit_error *error)
{
    struct cat_selection selection = {.patterns = e->patterns.items, .count = e->patterns.count};
    if (e->patterns.count == 0)
        return lit_fail(error, LIT_EXIT_USAGE, "missing test: 'litmus list' prints their names");
    return cat_selection_check(&selection, error) && read_settings(e, error);
}

static bool find_driver(struct explaining *e, struct lit_error *error)
{
    if (!eng_simt_use(e->given.data, error) || !ses_devices_take(&e->devices, error))
        return false;
    if (e->devices.inventory.count == 0)
        return lit_fail(error, LIT_EXIT_USAGE, "the SIMT simulator cannot be used: %s",
                        e->devices.inventory.remark_count ? e->devices.inventory.remarks[0].text
                                                          : "no device");
    return true;
}

static bool make_folder(struct explaining *e, struct lit_error *error)
{
    const char *base = lit_path_temporary();
    if (strchr(base, ','))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%.200s: the folder for temporary files must not contain a comma, which "
                        "separates settings of the simulator: set TMPDIR",
                        base);
    text_printf(&e->folder, "%s/litmus-explain-XXXXXX", base);
    const bool fits = e->folder.length + strlen("/trace") < FILE_MAX;
    if (fits && mkdtemp(e->folder.data)) {
        text_printf(&e->file, "%s/trace", e->folder.data);
        return true;
    }
    errno = fits ? errno : ENAMETOOLONG;
    lit_fail(error, LIT_EXIT_USAGE, "%.200s: %s", e->folder.data, strerror(errno));
    text_free(&e->folder);
    return false;
}

// After the search

static void put_again(const struct explaining *e, const char *name, struct text *text)
{
    OWNED(text_free) struct text simt = text_format("%s,%s", e->given.data, e->found.run);
    char id[CFG_ID_SIZE];
    cfg_id(name, id);
    format_call(text, name);
    text_printf(text, " explain %s", id);
    text_puts(text, " --simt ");
    text_quote(text, simt.data);
    text_printf(text, " --seed 0x%" PRIx64, e->chosen->seed.value);
}

static bool describe(const struct explaining *e, struct text *out, struct lit_error *error)
{
    const struct exp_found *found = &e->found;
    const struct exp_trace *references = found->has_reference ? found->reference : NULL;
    struct exp_fault fault;
    OWNED(exp_window_clear) struct exp_window window = {0};
    OWNED(text_free) struct text name = {0}, again = {0}, sentence = {0}, picture = {0};
    exp_fault_find(&found->failing, references, references ? references + 1 : NULL, &fault);
    exp_window_make(&found->failing, &fault, &window);
    cat_case_name(&found->which, &name);
    put_again(e, name.data, &again);
    exp_print(found, &fault, &window, again.data, out);
    bool good = true;
    if (e->chosen->svg) {
        exp_sentence(&found->failing, &fault, &sentence);
        exp_picture(&found->failing, &fault, &window, name.data, eng_simt_model(found->settings),
                    sentence.data, &picture);
        good = lit_file_write(e->chosen->svg, picture.data, picture.length, error);
        text_printf(out, "picture    %s\n", e->chosen->svg);
    }
    return good;
}

static int explain(struct explaining *e, struct lit_error *error)
{
    OWNED(text_free) struct text out = {0};
    if (!check_usage(e, error) || !find_driver(e, error) || !make_folder(e, error) ||
        !search(e, error))
        return term_fail(error);
    if (e->found.unusable) {
        lit_fail(error, LIT_EXIT_NOTHING, "nothing can run: %s", e->found.unusable);
        return term_fail(error);
    }
    if (!e->found.found && e->run.length) {
        text_printf(&out, "this run did not fail under model %s\n",
                    eng_simt_model(e->settings.data));
    } else if (!e->found.found) {
        text_printf(&out, "nothing failed in %s %s of %g seconds under model %s\n",
                    COUNT(e->found.tries), e->found.tries == 1 ? "run" : "runs", e->chosen->time,
                    eng_simt_model(e->settings.data));
    }
    if (!e->found.found) {
        const int code = term_print(&out);
        return code == LIT_EXIT_OK ? LIT_EXIT_UNDECIDED : code;
    }
    if (!describe(e, &out, error))
        return term_fail(error);
    return term_print(&out);
}

int exp_configuration(const struct exp_options *chosen, const struct lit_list *patterns,
                      struct lit_error *error)
{
    struct explaining e = {.chosen = chosen, .patterns = *patterns};
    ses_devices_watch(&e.devices, chosen->timeout, 0, 0);
    const int code = explain(&e, error);
    if (e.folder.length)
        rmdir(e.folder.data);
    text_free(&e.folder);
    exp_trace_clear(&e.found.failing);
    exp_trace_clear(&e.found.reference[0]);
    exp_trace_clear(&e.found.reference[1]);
    eng_plan_clear(&e.plan);
    free(e.unusable);
    text_free(&e.file);
    text_free(&e.given);
    text_free(&e.settings);
    text_free(&e.run);
    return ses_devices_end(&e.devices, code);
}
