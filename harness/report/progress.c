// SPDX-License-Identifier: Apache-2.0
// Which waits came to their end, and what model of forward progress that fits.
#include "report/progress.h"

#include <stdlib.h>
#include <string.h>

#define MOST_CHOICES 3 // that tell a kind of wait from the others

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

// The results that belong to each kind: of this test, with all of these choices.
static const struct {
    const char *who, *says, *test;
    struct cfg_pair choices[MOST_CHOICES];
} kinds[WAIT_COUNT] = {
    [WAIT_BEGUN] = {"a workgroup that has begun",
                    "chain, order=ticket",
                    "progress.chain",
                    {{"order", "ticket"}}},
    [WAIT_LOWER] = {"the workgroup of the number below",
                    "chain, order=launch",
                    "progress.chain",
                    {{"order", "launch"}}},
    [WAIT_HIGHER] = {"the workgroup of the number above",
                     "chain, order=against",
                     "progress.chain",
                     {{"order", "against"}}},
    [WAIT_LOCK_WORKGROUPS] = {"a workgroup that holds a lock",
                              "spin-lock, contenders=workgroups",
                              "progress.spin-lock",
                              {{"contenders", "workgroups"}}},
    [WAIT_SUBGROUP_LOW] = {"a subgroup further down",
                           "handover, between=subgroups, waiter=high",
                           "progress.handover",
                           {{"between", "subgroups"}, {"waiter", "high"}}},
    [WAIT_SUBGROUP_HIGH] = {"a subgroup further up",
                            "handover, between=subgroups, waiter=low",
                            "progress.handover",
                            {{"between", "subgroups"}, {"waiter", "low"}}},
    [WAIT_LOCK_SUBGROUPS] = {"a subgroup that holds a lock",
                             "spin-lock, contenders=subgroups",
                             "progress.spin-lock",
                             {{"contenders", "subgroups"}}},
    [WAIT_LOW_TAKEN] = {"the upper lanes, on the branch taken",
                        "handover, between=lanes, waiter=low, waits=taken",
                        "progress.handover",
                        {{"between", "lanes"}, {"waiter", "low"}, {"waits", "taken"}}},
    [WAIT_LOW_NOT_TAKEN] = {"the upper lanes, on the branch not taken",
                            "handover, between=lanes, waiter=low, waits=not-taken",
                            "progress.handover",
                            {{"between", "lanes"}, {"waiter", "low"}, {"waits", "not-taken"}}},
    [WAIT_HIGH_TAKEN] = {"the lower lanes, on the branch taken",
                         "handover, between=lanes, waiter=high, waits=taken",
                         "progress.handover",
                         {{"between", "lanes"}, {"waiter", "high"}, {"waits", "taken"}}},
    [WAIT_HIGH_NOT_TAKEN] = {"the lower lanes, on the branch not taken",
                             "handover, between=lanes, waiter=high, waits=not-taken",
                             "progress.handover",
                             {{"between", "lanes"}, {"waiter", "high"}, {"waits", "not-taken"}}},
    [WAIT_LOCK_INSIDE] = {"a lane that holds a lock, in the loop",
                          "spin-lock, contenders=lanes, form=in-loop",
                          "progress.spin-lock",
                          {{"contenders", "lanes"}, {"form", "in-loop"}}},
    [WAIT_LOCK_BEHIND] = {"a lane that holds a lock, behind the loop",
                          "spin-lock, contenders=lanes, form=after-loop",
                          "progress.spin-lock",
                          {{"contenders", "lanes"}, {"form", "after-loop"}}},
    [WAIT_LIST] = {"a lane that holds one lock of two",
                   "linked-list, form=spin",
                   "progress.linked-list",
                   {{"form", "spin"}}},
};

static bool is_kind(const struct report_result *result, int kind)
{
    const struct cfg_pair *choices = kinds[kind].choices;
    bool is = !strcmp(result->test, kinds[kind].test);
    for (size_t i = 0; is && i < MOST_CHOICES && choices[i].key; i++)
        is = !strcmp(report_value(result, choices[i].key), choices[i].value);
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

// Which of the four waits of one half of the lanes for the other come to their end says which half
// is executed first, if one is: who waits first waits in vain.
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
                   ? "independent: lanes go on whatever the others of their subgroup wait for"
                   : "both sides of a branch go on in turns, but who has left a loop waits for "
                     "those "
                     "in it";
    case LOW_NOT | HIGH_NOT:
        return "one side of a branch after the other: the side that is taken first";
    case LOW_TAKEN | HIGH_TAKEN:
        return "one side of a branch after the other: the side that is not taken first";
    case HIGH_TAKEN | HIGH_NOT:
        return "one side of a branch after the other: the side of the lower lanes first";
    case LOW_TAKEN | LOW_NOT:
        return "one side of a branch after the other: the side of the upper lanes first";
    case 0:
        return "none: the other side of a branch need not get to run";
    default:
        return "one side of a branch after the other, in no order that was asked for";
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
                if (!waits[kind].rule || result->rule[0])
                    waits[kind].rule = result->rule;
                waits[kind].stuck += result->no_progress_runs;
                waits[kind].ended_by += ended_early(result) || result->failed_runs > 0;
            }
    }
    for (int kind = 0; kind < WAIT_COUNT; kind++) {
        struct report_wait *wait = &waits[kind];
        if (!was_run(wait))
            continue;
        wait->who = kinds[kind].who;
        wait->test = kinds[kind].says;
        wait->interval = report_interval(wait->stuck, wait->runs, wait->rule);
        progress->waits[progress->count++] = *wait;
    }
    progress->between_workgroups = say_workgroups(waits);
    progress->between_subgroups = say_subgroups(waits);
    progress->between_lanes = say_lanes(waits);
}

static void put_together(const struct report_progress *progress, struct text *text)
{
    char most[32], fewest[32];
    if (progress->together)
        text_printf(text, "%s workgroups were there at once in every run",
                    text_count(most, progress->together));
    if (progress->apart)
        text_printf(text, "%s%s were not in some", progress->together ? ", " : "workgroups: ",
                    text_count(fewest, progress->apart));
}

// The four sentences, each with its subject; calls `put` for those that there are.
static void each_sentence(const struct report_progress *progress,
                          void (*put)(const char *subject, const char *says, struct text *out),
                          struct text *out)
{
    struct text together = {0};
    put_together(progress, &together);
    if (progress->between_workgroups)
        put("workgroups", progress->between_workgroups, out);
    if (progress->between_subgroups)
        put("subgroups", progress->between_subgroups, out);
    if (progress->between_lanes)
        put("lanes", progress->between_lanes, out);
    if (together.length)
        put("resident", together.data, out);
    text_free(&together);
}

static void put_line(const char *subject, const char *says, struct text *out)
{
    text_printf(out, "  %-10s  %s\n", subject, says);
}

static void put_item(const char *subject, const char *says, struct text *out)
{
    text_printf(out, "- %s: %s\n", subject, says);
}

void report_progress_terminal(const struct report_model *model, size_t device, bool color,
                              struct text *out)
{
    struct report_progress progress;
    report_progress(model, device, &progress);
    if (progress.count == 0 && !progress.together && !progress.apart)
        return;
    struct format_table table = {.columns = 4, .right = {[1] = true, [2] = true}};
    static const char *const words[] = {"who is waited for", "runs", "in vain",
                                        "share, 95 % interval"};
    format_title(&table, words);
    for (size_t i = 0; i < progress.count; i++) {
        const struct report_wait *wait = &progress.waits[i];
        char number[32], share[80];
        struct format_row *row = format_row(&table);
        format_cell(row, 0, FORMAT_PLAIN, wait->who);
        format_cell(row, 1, FORMAT_PLAIN, text_count(number, wait->runs));
        format_cell(row, 2, FORMAT_PLAIN, text_count(number, wait->stuck));
        format_interval(share, wait->stuck, wait->runs, wait->interval);
        format_cell(row, 3, FORMAT_PLAIN, share);
    }
    text_puts(out, "\n");
    format_table_print(&table, 44, color, out);
    text_puts(out, "  consistent with\n");
    each_sentence(&progress, put_line, out);
    report_under_terminal(out, &progress.under);
}

void report_progress_markdown(const struct report_model *model, size_t device, struct text *out)
{
    struct report_progress progress;
    report_progress(model, device, &progress);
    if (progress.count == 0 && !progress.together && !progress.apart)
        return;
    text_puts(out, "<details><summary>Progress: who gets to run while others wait</summary>\n\n"
                   "| who is waited for | test | runs | in vain | share, 95 % interval |\n"
                   "| --- | --- | ---: | ---: | --- |\n");
    for (size_t i = 0; i < progress.count; i++) {
        const struct report_wait *wait = &progress.waits[i];
        char runs[32], stuck[32], share[80];
        format_interval(share, wait->stuck, wait->runs, wait->interval);
        text_printf(out, "| %s | %s | %s | %s | %s |\n", wait->who, wait->test,
                    text_count(runs, wait->runs), text_count(stuck, wait->stuck), share);
    }
    text_puts(out, "\nConsistent with:\n\n");
    each_sentence(&progress, put_item, out);
    report_under_markdown(out, &progress.under);
    text_puts(out, "\n</details>\n\n");
}

static json_t *make_wait(const struct report_wait *wait)
{
    json_t *json = json_object(), *interval = json_array();
    json_array_append_new(interval, json_real(wait->interval.low));
    json_array_append_new(interval, json_real(wait->interval.high));
    json_object_set_new(json, "who", json_string(wait->who));
    json_object_set_new(json, "test", json_string(wait->test));
    json_object_set_new(json, "runs", json_integer((json_int_t)wait->runs));
    json_object_set_new(json, "in_vain", json_integer((json_int_t)wait->stuck));
    json_object_set_new(json, "ended_early", json_integer((json_int_t)wait->ended_by));
    json_object_set_new(json, "interval", interval);
    json_object_set_new(json, "interval_kind", json_string(report_interval_kind(wait->rule)));
    return json;
}

static void put_sentence(json_t *json, const char *key, const char *says)
{
    json_object_set_new(json, key, says ? json_string(says) : json_null());
}

json_t *report_progress_json(const struct report_model *model)
{
    json_t *all = json_array();
    for (size_t device = 0; device < model->device_count; device++) {
        struct report_progress progress;
        report_progress(model, device, &progress);
        if (progress.count == 0 && !progress.together && !progress.apart)
            continue;
        json_t *json = json_object(), *waits = json_array();
        for (size_t i = 0; i < progress.count; i++)
            json_array_append_new(waits, make_wait(&progress.waits[i]));
        json_object_set_new(json, "device", json_string(model->devices[device].id));
        json_object_set_new(json, "waits", waits);
        report_under_json(json, &progress.under);
        put_sentence(json, "workgroups", progress.between_workgroups);
        put_sentence(json, "subgroups", progress.between_subgroups);
        put_sentence(json, "lanes", progress.between_lanes);
        json_object_set_new(json, "most_together", json_integer((json_int_t)progress.together));
        json_object_set_new(json, "fewest_apart", json_integer((json_int_t)progress.apart));
        json_array_append_new(all, json);
    }
    return all;
}
