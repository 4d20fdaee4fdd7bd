// SPDX-License-Identifier: Apache-2.0
// Which waits came to their end, and what model of forward progress that fits.
#include "report/progress.h"

#include <stdlib.h>
#include <string.h>

enum wait {
    WAIT_BEGUN,
    WAIT_LOWER,
    WAIT_HIGHER,
    WAIT_LOCK_WORKGROUPS,
    WAIT_SUBGROUP_LOW,
    WAIT_SUBGROUP_HIGH,
    WAIT_LOCK_SUBGROUPS,
    WAIT_TAKEN,
    WAIT_NOT_TAKEN,
    WAIT_LOCK_INSIDE,
    WAIT_LOCK_BEHIND,
    WAIT_LIST,
    WAIT_COUNT,
};
_Static_assert((int)WAIT_COUNT == REPORT_WAITS, "one wait for each place");

// The results that belong to each kind: of this test, with all of these choices.
static const struct {
    const char *who, *says, *test, *choices[2];
} kinds[WAIT_COUNT] = {
    [WAIT_BEGUN] = {"a workgroup that has begun",
                    "chain, order=ticket",
                    "progress.chain",
                    {"order=ticket"}},
    [WAIT_LOWER] = {"the workgroup of the number below",
                    "chain, order=launch",
                    "progress.chain",
                    {"order=launch"}},
    [WAIT_HIGHER] = {"the workgroup of the number above",
                     "chain, order=against",
                     "progress.chain",
                     {"order=against"}},
    [WAIT_LOCK_WORKGROUPS] = {"a workgroup that holds a lock",
                              "spin-lock, contenders=workgroups",
                              "progress.spin-lock",
                              {"contenders=workgroups"}},
    [WAIT_SUBGROUP_LOW] = {"a subgroup further down",
                           "handover, between=subgroups, waiter=high",
                           "progress.handover",
                           {"between=subgroups", "waiter=high"}},
    [WAIT_SUBGROUP_HIGH] = {"a subgroup further up",
                            "handover, between=subgroups, waiter=low",
                            "progress.handover",
                            {"between=subgroups", "waiter=low"}},
    [WAIT_LOCK_SUBGROUPS] = {"a subgroup that holds a lock",
                             "spin-lock, contenders=subgroups",
                             "progress.spin-lock",
                             {"contenders=subgroups"}},
    [WAIT_TAKEN] = {"the other side, by the side that is taken",
                    "handover, between=lanes, waits=taken",
                    "progress.handover",
                    {"between=lanes", "waits=taken"}},
    [WAIT_NOT_TAKEN] = {"the other side, by the side that is not",
                        "handover, between=lanes, waits=not-taken",
                        "progress.handover",
                        {"between=lanes", "waits=not-taken"}},
    [WAIT_LOCK_INSIDE] = {"a lane that holds a lock, in the loop",
                          "spin-lock, contenders=lanes, form=in-loop",
                          "progress.spin-lock",
                          {"contenders=lanes", "form=in-loop"}},
    [WAIT_LOCK_BEHIND] = {"a lane that holds a lock, behind the loop",
                          "spin-lock, contenders=lanes, form=after-loop",
                          "progress.spin-lock",
                          {"contenders=lanes", "form=after-loop"}},
    [WAIT_LIST] = {"a lane that holds one lock of two",
                   "linked-list, form=spin",
                   "progress.linked-list",
                   {"form=spin"}},
};

// Whether a result has a choice, "order=ticket".
static bool has_choice(const struct report_result *result, const char *choice)
{
    if (!choice)
        return true;
    const size_t length = strcspn(choice, "=");
    for (size_t i = 0; i < result->variant_count; i++)
        if (strlen(result->variant[i].key) == length &&
            !strncmp(result->variant[i].key, choice, length) &&
            !strcmp(result->variant[i].value, choice + length + 1))
            return true;
    return false;
}

static bool is_kind(const struct report_result *result, int kind)
{
    return !strcmp(result->test, kinds[kind].test) && has_choice(result, kinds[kind].choices[0]) &&
           has_choice(result, kinds[kind].choices[1]);
}

static bool ended_early(const struct report_result *result)
{
    return result->result == ENG_HANG || result->result == ENG_CRASH ||
           result->result == ENG_DEVICE_LOST;
}

static void add_occupancy(const struct report_result *result, struct report_progress *progress)
{
    uint64_t workgroups = 0;
    for (size_t i = 0; i < result->param_count; i++)
        if (!strcmp(result->params[i].key, "workgroups"))
            workgroups = strtoull(result->params[i].value, NULL, 10);
    if (workgroups == 0 || result->runs == 0)
        return;
    if (result->no_progress_runs || ended_early(result)) {
        if (!progress->apart || workgroups < progress->apart)
            progress->apart = workgroups;
    } else if (workgroups > progress->together) {
        progress->together = workgroups;
    }
}

// Every run of it came to its end, and there were some.
static bool ends(const struct report_wait *wait)
{
    return wait->runs > 0 && wait->stuck == 0 && wait->ended_by == 0;
}

static bool was_run(const struct report_wait *wait)
{
    return wait->runs > 0 || wait->ended_by > 0;
}

static const char *say_workgroups(const struct report_wait *waits)
{
    if (!was_run(&waits[WAIT_BEGUN]))
        return NULL;
    if (!ends(&waits[WAIT_BEGUN]))
        return "none: even workgroups that have begun need not go on";
    if (!was_run(&waits[WAIT_LOWER]) || !ends(&waits[WAIT_LOWER]))
        return "occupancy-bound: workgroups that have begun go on";
    if (!was_run(&waits[WAIT_HIGHER]) || !ends(&waits[WAIT_HIGHER]))
        return "linear occupancy-bound: workgroups that have begun go on, and lower numbers get to "
               "run";
    return "fair among as many workgroups as were tried: all get to run";
}

static const char *say_subgroups(const struct report_wait *waits)
{
    const struct report_wait *low = &waits[WAIT_SUBGROUP_LOW], *high = &waits[WAIT_SUBGROUP_HIGH];
    if (!was_run(low) || !was_run(high))
        return NULL;
    if (ends(low) && ends(high))
        return "subgroups of a workgroup go on side by side";
    if (ends(low))
        return "a subgroup goes on until it is done or at a barrier: lower numbers first";
    if (ends(high))
        return "a subgroup goes on until it is done or at a barrier: higher numbers first";
    return "none: a subgroup that is waited for need not get to run";
}

static const char *say_lanes(const struct report_wait *waits)
{
    const struct report_wait *taken = &waits[WAIT_TAKEN], *other = &waits[WAIT_NOT_TAKEN];
    if (!was_run(taken) || !was_run(other))
        return NULL;
    if (ends(taken) && ends(other))
        return ends(&waits[WAIT_LOCK_BEHIND])
                   ? "independent: lanes go on whatever the others of their subgroup wait for"
                   : "both sides of a branch go on in turns, but who has left a loop waits for "
                     "those "
                     "in it";
    if (ends(other))
        return "one side of a branch after the other: the taken side first";
    if (ends(taken))
        return "one side of a branch after the other: the side that is not taken first";
    return "none: the other side of a branch need not get to run";
}

void report_progress(const struct report_model *model, size_t device,
                     struct report_progress *progress)
{
    struct report_wait waits[WAIT_COUNT] = {0};
    *progress = (struct report_progress){0};
    for (size_t i = 0; i < model->result_count; i++) {
        const struct report_result *result = &model->results[i];
        if (result->device != device || strcmp(result->family, "progress") != 0)
            continue;
        if (!strcmp(result->test, "progress.occupancy"))
            add_occupancy(result, progress);
        for (int kind = 0; kind < WAIT_COUNT; kind++)
            if (is_kind(result, kind)) {
                waits[kind].runs += result->runs;
                waits[kind].stuck += result->no_progress_runs;
                waits[kind].ended_by += ended_early(result);
            }
    }
    for (int kind = 0; kind < WAIT_COUNT; kind++) {
        struct report_wait *wait = &waits[kind];
        if (!was_run(wait))
            continue;
        wait->who = kinds[kind].who;
        wait->test = kinds[kind].says;
        wait->interval = stat_clopper_pearson(wait->stuck, wait->runs, REPORT_CONFIDENCE);
        progress->waits[progress->count++] = *wait;
    }
    progress->between_workgroups = say_workgroups(waits);
    progress->between_subgroups = say_subgroups(waits);
    progress->between_lanes = say_lanes(waits);
}
