// SPDX-License-Identifier: Apache-2.0
// Which waits came to their end, and what model of forward progress that fits.
#include "report/sections.h"

#include "report/format.h"

#include <stdio.h>
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
    WAIT_LOW_TAKEN,
    WAIT_LOW_NOT_TAKEN,
    WAIT_HIGH_TAKEN,
    WAIT_HIGH_NOT_TAKEN,
    WAIT_LOCK_INSIDE,
    WAIT_LOCK_BEHIND,
    WAIT_LIST,
    WAIT_COUNT,
};
_Static_assert((int)WAIT_COUNT == REPORT_WAITS, "one wait for each place");

// What a kind of wait is for, and the results that belong to it: of a test of the family, with all
// of these values.
static const struct {
    const char *who, *test;
} kinds[WAIT_COUNT] = {
    [WAIT_BEGUN] = {"a workgroup that has started", "chain, order=ticket"},
    [WAIT_LOWER] = {"the workgroup with the next lower number", "chain, order=launch"},
    [WAIT_HIGHER] = {"the workgroup with the next higher number", "chain, order=against"},
    [WAIT_LOCK_WORKGROUPS] = {"a workgroup that holds a lock", "spin-lock, contenders=workgroups"},
    [WAIT_SUBGROUP_LOW] = {"a lower subgroup", "handover, between=subgroups, waiter=high"},
    [WAIT_SUBGROUP_HIGH] = {"a higher subgroup", "handover, between=subgroups, waiter=low"},
    [WAIT_LOCK_SUBGROUPS] = {"a subgroup that holds a lock", "spin-lock, contenders=subgroups"},
    [WAIT_LOW_TAKEN] = {"the upper lanes, on the branch taken",
                        "handover, between=lanes, waiter=low, waits=taken"},
    [WAIT_LOW_NOT_TAKEN] = {"the upper lanes, on the branch not taken",
                            "handover, between=lanes, waiter=low, waits=not-taken"},
    [WAIT_HIGH_TAKEN] = {"the lower lanes, on the branch taken",
                         "handover, between=lanes, waiter=high, waits=taken"},
    [WAIT_HIGH_NOT_TAKEN] = {"the lower lanes, on the branch not taken",
                             "handover, between=lanes, waiter=high, waits=not-taken"},
    [WAIT_LOCK_INSIDE] = {"a lane that holds a lock, in the loop",
                          "spin-lock, contenders=lanes, form=in-loop"},
    [WAIT_LOCK_BEHIND] = {"a lane that holds a lock, after the loop",
                          "spin-lock, contenders=lanes, form=after-loop"},
    [WAIT_LIST] = {"a lane that holds one of two locks", "linked-list, form=spin"},
};

// Whether a result has the value that "key=value" at the beginning of a text says.
static bool has_value(const struct report_result *result, const char *text)
{
    const size_t key = strcspn(text, "="), length = strcspn(text, ",");
    char name[24];
    snprintf(name, sizeof name, "%.*s", (int)key, text);
    const char *value = report_value(result, name);
    return strlen(value) == length - key - 1 && !strncmp(value, text + key + 1, strlen(value));
}

static bool is_kind(const struct report_result *result, int kind)
{
    const char *at = kinds[kind].test, *test = result->test + strlen("progress.");
    const size_t length = strcspn(at, ",");
    bool is = strlen(test) == length && !strncmp(test, at, length);
    for (at += length; is && *at; at += strcspn(at, ",")) {
        at += strlen(", ");
        is = has_value(result, at);
    }
    return is;
}

static bool ended_early(const struct report_result *result)
{
    return result->result == ENG_HANG || result->result == ENG_CRASH ||
           result->result == ENG_DEVICE_LOST;
}

static void add_occupancy(const struct report_result *result, struct report_progress *progress)
{
    const uint64_t workgroups = strtoull(report_value(result, "workgroups"), NULL, 10);
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
        return "no progress guarantee observed, even for workgroups that have started";
    if (!was_run(&waits[WAIT_LOWER]) || !ends(&waits[WAIT_LOWER]))
        return "occupancy-bound: workgroups that have started make progress";
    if (!was_run(&waits[WAIT_HIGHER]) || !ends(&waits[WAIT_HIGHER]))
        return "linear occupancy-bound: workgroups that have started, and those with lower "
               "numbers, make progress";
    return "fair for the tested number of workgroups: all make progress";
}

static const char *say_subgroups(const struct report_wait *waits)
{
    const struct report_wait *low = &waits[WAIT_SUBGROUP_LOW], *high = &waits[WAIT_SUBGROUP_HIGH];
    if (!was_run(low) || !was_run(high))
        return NULL;
    if (ends(low) && ends(high))
        return "all subgroups of a workgroup make progress";
    if (ends(low))
        return "one subgroup runs until it ends or reaches a barrier: lower numbers first";
    if (ends(high))
        return "one subgroup runs until it ends or reaches a barrier: higher numbers first";
    return "no progress guarantee observed for subgroups";
}

// Which of the four waits of one half of the lanes for the other come to their end says which half
// is executed first, if one is: the wait of the half that runs first expires.
static const char *say_lanes(const struct report_wait *waits)
{
    enum { LOW_TAKEN = 1, LOW_NOT = 2, HIGH_TAKEN = 4, HIGH_NOT = 8 };
    unsigned end = 0;
    for (int i = 0; i < 4; i++) {
        if (!was_run(&waits[WAIT_LOW_TAKEN + i]))
            return NULL;
        end |= (unsigned)ends(&waits[WAIT_LOW_TAKEN + i]) << i;
    }
    switch (end) {
    case LOW_TAKEN | LOW_NOT | HIGH_TAKEN | HIGH_NOT:
        return ends(&waits[WAIT_LOCK_BEHIND])
                   ? "independent: each lane makes progress while other lanes of its subgroup wait"
                   : "both sides of a branch make progress, but lanes that left a loop wait for "
                     "those in it";
    case LOW_NOT | HIGH_NOT:
        return "one side of a branch after the other: taken side first";
    case LOW_TAKEN | HIGH_TAKEN:
        return "one side of a branch after the other: not-taken side first";
    case HIGH_TAKEN | HIGH_NOT:
        return "one side of a branch after the other: side of the lower lanes first";
    case LOW_TAKEN | LOW_NOT:
        return "one side of a branch after the other: side of the upper lanes first";
    case 0:
        return "no progress guarantee observed for the other side of a branch";
    default:
        return "one side of a branch after the other, in an order that was not tested";
    }
}

void report_progress(const struct report_model *model, size_t device,
                     struct report_progress *progress)
{
    struct report_wait waits[WAIT_COUNT] = {0};
    *progress = (struct report_progress){.under = report_under(model, device, "progress")};
    for (size_t i = 0; i < model->result_count; i++) {
        const struct report_result *result = &model->results[i];
        if (result->device != device || strcmp(result->family, "progress") != 0 ||
            !report_is_under(result, &progress->under))
            continue;
        if (!strcmp(result->test, "progress.occupancy"))
            add_occupancy(result, progress);
        for (int kind = 0; kind < WAIT_COUNT; kind++)
            if (is_kind(result, kind)) {
                waits[kind].runs += result->runs;
                if (!waits[kind].rule || report_wait_rule(result)[0])
                    waits[kind].rule = report_wait_rule(result);
                waits[kind].stuck += result->no_progress_runs;
                waits[kind].ended_by += ended_early(result) || result->failed_runs > 0;
            }
    }
    for (int kind = 0; kind < WAIT_COUNT; kind++) {
        struct report_wait *wait = &waits[kind];
        if (!was_run(wait))
            continue;
        wait->who = kinds[kind].who;
        wait->test = kinds[kind].test;
        wait->interval = report_interval(wait->stuck, wait->runs, wait->rule);
        progress->waits[progress->count++] = *wait;
    }
    progress->between_workgroups = say_workgroups(waits);
    progress->between_subgroups = say_subgroups(waits);
    progress->between_lanes = say_lanes(waits);
}

static void put_residency(const struct report_progress *progress, struct table *table)
{
    const char *most = COUNT(progress->together), *fewest = COUNT(progress->apart);
    if (progress->together && progress->apart)
        table_note(table, "%s workgroups were co-resident in every run, %s were not in some runs",
                   most, fewest);
    else if (progress->together)
        table_note(table, "%s workgroups were co-resident in every run", most);
    else if (progress->apart)
        table_note(table, "%s workgroups were not co-resident in some runs", fewest);
}

void report_waits(const struct report_model *model, size_t device, bool all, struct table *table)
{
    static const struct table_column heads[] = {
        {.title = "waits for"},
        {.title = "test", .without = TABLE_NOT_TERMINAL},
        {.title = "runs", .kind = TABLE_NUMBER},
        {.title = "expired", .kind = TABLE_NUMBER},
        {.title = "share, 95 % interval", .kind = TABLE_RATE},
    };
    static const struct table shape = {
        .title = "Forward progress",
        .about = "How often a bounded wait expired. Never is not a guarantee.",
        TABLE_OF(heads)};
    struct report_progress progress;
    (void)all;
    table_begin(table, &shape, device);
    report_progress(model, device, &progress);
    if (progress.count == 0 && !progress.together && !progress.apart)
        return;
    for (size_t i = 0; i < progress.count; i++) {
        const struct report_wait *wait = &progress.waits[i];
        table_row(table);
        table_put(table, TONE_PLAIN, "%s", wait->who);
        table_put(table, TONE_PLAIN, "%s", wait->test);
        table_count(table, TONE_PLAIN, wait->runs);
        table_count(table, TONE_PLAIN, wait->stuck);
        table_rate(table, TONE_PLAIN, wait->stuck, wait->runs, wait->interval)->group =
            CAT_CONTROL + 1;
    }
    const char *const between[][2] = {{"workgroups", progress.between_workgroups},
                                      {"subgroups", progress.between_subgroups},
                                      {"lanes", progress.between_lanes}};
    for (size_t i = 0; i < 3; i++)
        if (between[i][1])
            table_note(table, "Between %s: %s", between[i][0], between[i][1]);
    put_residency(&progress, table);
    report_under_note(&progress.under, table);
}
