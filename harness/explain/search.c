// SPDX-License-Identifier: Apache-2.0
// Finds a failing run and shortens it.

#include "explain/explain.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_DEPTHS 3
#define DEPTH_MAX    12
#define ROUND_MAX    6   // later rounds are no larger
#define SHORTENING   200 // limit on runs
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

struct searcher {
    const struct exp_search *search;
    struct exp_found *found;
    struct eng_watch watch;
    struct eng_device device; // manifest only
    struct eng_client client;
    double deadline;
    bool *unusable;    // [search->count]
    size_t usable;     // number of usable configurations
    char printed[256]; // the driver's last line
};

static void note(const char *line, void *user)
{
    struct searcher *s = user;
    snprintf(s->printed, sizeof s->printed, "%s", line);
}

static bool try_once(struct searcher *s, const struct cat_case *which, const char *settings,
                     struct eng_outcome *outcome, struct lit_error *error)
{
    s->printed[0] = '\0';
    s->found->tries++;
    const enum eng_end end =
        eng_submit(&s->client, &(struct eng_work){.which = which, .settings = settings},
                   &(struct eng_request){.kind = ENG_TRY, .seed = s->search->seed}, outcome);
    if (end != ENG_END_RAN)
        return eng_end_stops(end) ? lit_fail(error, LIT_EXIT_USAGE, "%s", outcome->reason)
                                  : lit_fail(error, LIT_EXIT_TIME, "interrupted");
    if (outcome->code)
        return lit_fail(error, outcome->code, "the SIMT simulator cannot be used: %s%s%s",
                        outcome->reason, s->printed[0] ? "; it said: " : "", s->printed);
    if (s->printed[0] && outcome->result == ENG_DEVICE_LOST)
        snprintf(outcome->reason, sizeof outcome->reason, "%s", s->printed);
    return true;
}

static bool has_failed(const struct eng_outcome *outcome)
{
    return outcome->result == ENG_FAIL || outcome->result == ENG_CRASH ||
           outcome->result == ENG_DEVICE_LOST || outcome->result == ENG_NO_PROGRESS;
}

// Repeats the run with a trace. A run that crashed may leave none.
static bool trace_once(struct searcher *s, const struct cat_case *which, const char *settings,
                       struct eng_outcome *outcome, struct exp_trace *trace,
                       struct lit_error *error)
{
    char traced[sizeof((struct eng_request *)0)->settings];
    *trace = (struct exp_trace){0};
    snprintf(traced, sizeof traced, "%s,trace=%s", settings, s->search->file);
    unlink(s->search->file);
    s->watch.policy.idle = PATIENCE * s->search->watch->policy.idle;
    bool good = try_once(s, which, traced, outcome, error);
    if (!s->search->run)
        s->watch.policy.idle = s->search->watch->policy.idle;
    s->found->tries--;
    if (good && !exp_trace_load(s->search->file, 1, trace, error)) {
        exp_trace_clear(trace);
        good = has_failed(outcome) && !outcome->count.failed_runs;
    }
    unlink(s->search->file);
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
static bool keep(struct searcher *s, const struct cat_case *which, const char *run,
                 const char *settings, struct lit_error *error)
{
    struct exp_found *found = s->found;
    struct eng_outcome outcome;
    struct exp_trace trace;
    if (!trace_once(s, which, settings, &outcome, &trace, error)) {
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
    return !s->search->run || has_failed(&outcome) ||
           lit_fail(error, LIT_EXIT_UNDECIDED,
                    "the run failed, but not with a trace (%s: %s); a longer --timeout may help",
                    eng_result_name(outcome.result), outcome.reason);
}

static bool try_run(struct searcher *s, const char *run, size_t index, const struct cat_case *which,
                    struct lit_error *error)
{
    char settings[512];
    struct eng_outcome outcome;
    snprintf(settings, sizeof settings, "%.300s,%.100s", s->search->settings, run);
    if (!try_once(s, which, settings, &outcome, error))
        return false;
    // Drop configurations that take too long for repeated runs.
    if ((outcome.result == ENG_SKIP || outcome.result == ENG_HARNESS_ERROR ||
         outcome.result == ENG_HANG) &&
        !s->unusable[index]) {
        s->unusable[index] = true;
        s->usable--;
        s->found->tries--;
        snprintf(s->found->reason, sizeof s->found->reason, "%s", outcome.reason);
        return true;
    }
    if (!has_failed(&outcome))
        return true;
    s->found->failed_tries++;
    return keep(s, which, run, settings, error);
}

static bool try_point(struct searcher *s, const struct exp_point *point,
                      const struct cat_case *which, struct lit_error *error)
{
    char run[EXP_RUN_MAX];
    name_run(point, run);
    return try_run(s, run, point->which, which, error);
}

// The given run, in the first configuration where it fails.
static bool find_given(struct searcher *s, struct lit_error *error)
{
    bool good = true;
    s->found->given = true;
    for (size_t i = 0; i < s->search->count && good && !s->found->found; i++)
        good = try_run(s, s->search->run, i, &s->search->cases[i], error);
    return good;
}

static bool find_failure(struct searcher *s, struct lit_error *error)
{
    struct exp_plan plan = {.count = s->search->count, .seed = s->search->seed};
    while (!s->found->found && s->usable > 0 && clock_now() < s->deadline) {
        const struct exp_point point = exp_plan_next(&plan);
        if (!s->unusable[point.which] &&
            !try_point(s, &point, &s->search->cases[point.which], error))
            return false;
    }
    return true;
}

static bool shorten(struct searcher *s, struct lit_error *error)
{
    struct exp_plan plan = {.count = 1, .seed = s->search->seed + 1000000};
    const struct cat_case which = s->found->which;
    const double now = clock_now(), end = now + (s->deadline - now) / 2;
    for (unsigned n = 0; n < SHORTENING && clock_now() < end; n++) {
        const struct exp_point point = exp_plan_next(&plan);
        // The configuration is known to be usable: index 0 is only marked if that changes.
        if (!try_point(s, &point, &which, error))
            return false;
    }
    return true;
}

// Repeats the run under lockstep with two seeds.
static void add_references(struct searcher *s)
{
    struct exp_found *found = s->found;
    const char *rest = strchr(s->search->settings, ',');
    bool good = true;
    for (int i = 0; i < 2 && good; i++) {
        char settings[512];
        struct eng_outcome outcome;
        struct lit_error ignored;
        snprintf(settings, sizeof settings, "model=lockstep%.300s,threads=1,seed=%d",
                 rest ? rest : "", i + 1);
        good = trace_once(s, &found->which, settings, &outcome, &found->reference[i], &ignored) &&
               outcome.result == ENG_PASS;
    }
    found->has_reference = good;
}

bool exp_search(const struct exp_search *search, struct exp_found *found, struct lit_error *error)
{
    *found = (struct exp_found){0};
    struct searcher s = {.search = search,
                         .found = found,
                         .watch = *search->watch,
                         .device.manifest = (char *)search->manifest,
                         .client = {.watch = &s.watch, .device = &s.device},
                         .deadline = clock_now() + search->seconds,
                         .unusable = lit_alloc(search->count + 1, sizeof *s.unusable),
                         .usable = search->count};
    s.watch.say = note;
    s.watch.user = &s;
    s.watch.verbose = true;
    if (search->run)
        s.watch.policy.idle *= PATIENCE;
    bool good = search->run ? find_given(&s, error)
                            : find_failure(&s, error) && (!found->found || shorten(&s, error));
    if (good && found->found)
        add_references(&s);
    if (search->count > 0 && s.usable == 0)
        found->unusable = found->reason;
    eng_client_end(&s.client);
    free(s.unusable);
    return good;
}

void exp_found_clear(struct exp_found *found)
{
    exp_trace_clear(&found->failing);
    exp_trace_clear(&found->reference[0]);
    exp_trace_clear(&found->reference[1]);
    *found = (struct exp_found){0};
}
