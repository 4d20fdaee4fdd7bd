// SPDX-License-Identifier: Apache-2.0
// Which waits ended, and the strongest progress model that no generated program contradicts.
#include "report/sections.h"

#include "report/format.h"

// What a kind of wait is for, and which results belong to it: a test of the family with all of
// these values.
static const struct {
    const char *who, *test;
} kinds[REPORT_WAITS] = {
    {"a workgroup that has started", "chain, order=ticket"},
    {"the workgroup with the next lower number", "chain, order=launch"},
    {"the workgroup with the next higher number", "chain, order=against"},
    {"a workgroup that holds a lock", "spin-lock, contenders=workgroups"},
    {"a lower subgroup", "handover, between=subgroups, waiter=high"},
    {"a higher subgroup", "handover, between=subgroups, waiter=low"},
    {"a subgroup that holds a lock", "spin-lock, contenders=subgroups"},
    {"the upper lanes, on the branch taken", "handover, between=lanes, waiter=low, waits=taken"},
    {"the upper lanes, on the branch not taken",
     "handover, between=lanes, waiter=low, waits=not-taken"},
    {"the lower lanes, on the branch taken", "handover, between=lanes, waiter=high, waits=taken"},
    {"the lower lanes, on the branch not taken",
     "handover, between=lanes, waiter=high, waits=not-taken"},
    {"a lane that holds a lock, in the loop", "spin-lock, contenders=lanes, form=in-loop"},
    {"a lane that holds a lock, after the loop", "spin-lock, contenders=lanes, form=after-loop"},
    {"a lane that holds one of two locks", "linked-list, form=spin"},
};

bool report_is_waiting(const struct result *result, enum axi_place *place, unsigned *ends)
{
    static const char family[] = "litmus.";
    return strncmp(result->test, family, strlen(family)) == 0 &&
           axi_waiting_named(result->test + strlen(family), place, ends);
}

// Whether a result has the value in "key=value" at the start of a text.
static bool has_value(const struct result *result, const char *text)
{
    const size_t key = strcspn(text, "="), length = strcspn(text, ",");
    char name[24];
    snprintf(name, sizeof name, "%.*s", (int)key, text);
    const char *value = report_value(result, name);
    return strlen(value) == length - key - 1 && !strncmp(value, text + key + 1, strlen(value));
}

static bool is_kind(const struct result *result, int kind)
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

static bool ended_early(const struct result *result)
{
    return result->result == ENG_HANG || result->result == ENG_CRASH ||
           result->result == ENG_DEVICE_LOST;
}

static void add_occupancy(const struct result *result, struct report_progress *progress)
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

// Counts for generated programs whose threads wait for each other.
struct level {
    size_t programs;
    uint64_t of_model[AXI_PROGRESSES]; // programs that contradict each model
    // Among those that contradict a model: the one with the largest share of expired runs, and the
    // share.
    const struct result *witness[AXI_PROGRESSES];
    double share[AXI_PROGRESSES];
};

static uint64_t ran_out(const struct result *result)
{
    const uint32_t outcome = cat_mode_find(result->mode, AXI_RAN_OUT);
    return outcome < CAT_OUTCOMES ? result->outcomes[outcome] : 0;
}

static void add_program(const struct result *result, unsigned ends, struct level *level)
{
    const double share = (double)ran_out(result) / (double)result->instances;
    level->programs++;
    for (int model = 0; model < AXI_PROGRESSES && share > 0; model++) {
        if (!(ends >> model & 1))
            continue;
        level->of_model[model]++;
        if (share <= level->share[model])
            continue;
        level->share[model] = share;
        level->witness[model] = result;
    }
}

// Says which programs contradict a model.
static void put_stronger(const struct level *level, enum axi_progress model, struct text *text)
{
    const struct result *witness = level->witness[model];
    char count[2][32];
    text_printf(text, "; %s is ruled out by %s, where %s of %s instances ran out",
                axi_progress_word(model), witness->test, text_count(count[0], ran_out(witness)),
                text_count(count[1], witness->instances));
    if (level->of_model[model] > 1)
        text_printf(text, ", and %s more", text_count(count[0], level->of_model[model] - 1));
}

// Names the strongest models that nothing contradicts. Neither of hsa and obe is stronger.
static char *say_level(const struct level *level)
{
    struct text text = {0};
    char count[32];
    if (!level->programs)
        return NULL;
    enum axi_progress model = AXI_FAIR;
    while (model < AXI_HSA && level->of_model[model])
        model++;
    const bool hsa = !level->of_model[AXI_HSA], obe = !level->of_model[AXI_OBE];
    if (model < AXI_HSA)
        text_puts(&text, axi_progress_word(model));
    else
        text_printf(&text, "%s", hsa && obe ? "hsa and obe" : hsa ? "hsa" : obe ? "obe" : "none");
    text_printf(&text, ", by %s programs", text_count(count, level->programs));
    if (model == AXI_FAIR)
        text_puts(&text, " of which none ran out");
    else if (model < AXI_HSA || hsa || obe)
        put_stronger(level, model - 1, &text);
    for (int next = AXI_HSA; model == AXI_HSA && !hsa && !obe && next <= AXI_OBE; next++)
        put_stronger(level, next, &text);
    return text.data;
}

void report_progress(const struct report_model *model, size_t device,
                     struct report_progress *progress)
{
    struct report_wait waits[REPORT_WAITS] = {0};
    struct level levels[AXI_PLACES] = {0};
    *progress = (struct report_progress){.under = report_under(model, device, "progress")};
    REPORT_EACH (result, model, device) {
        enum axi_place place;
        unsigned ends;
        if (report_is_waiting(result, &place, &ends) && result->runs)
            add_program(result, ends, &levels[place]);
        if (strcmp(result->family, "progress") != 0 || !report_is_under(result, &progress->under))
            continue;
        if (!strcmp(result->test, "progress.occupancy"))
            add_occupancy(result, progress);
        for (int kind = 0; kind < REPORT_WAITS; kind++)
            if (is_kind(result, kind)) {
                waits[kind].runs += result->runs;
                if (!waits[kind].rule || report_wait_rule(result)[0])
                    waits[kind].rule = report_wait_rule(result);
                waits[kind].stuck += result->no_progress_runs;
                waits[kind].ended_by += ended_early(result) || result->failed_runs > 0;
            }
    }
    for (int kind = 0; kind < REPORT_WAITS; kind++) {
        struct report_wait *wait = &waits[kind];
        if (!wait->runs && !wait->ended_by)
            continue;
        wait->who = kinds[kind].who;
        wait->test = kinds[kind].test;
        wait->interval = report_interval(wait->stuck, wait->runs, wait->rule);
        progress->waits[progress->count++] = *wait;
    }
    for (int place = 0; place < AXI_PLACES; place++)
        progress->between[place] = say_level(&levels[place]);
}

void report_progress_clear(struct report_progress *progress)
{
    for (int place = 0; place < AXI_PLACES; place++)
        free(progress->between[place]);
    *progress = (struct report_progress){0};
}

bool report_progress_any(const struct report_progress *progress)
{
    bool any = progress->count || progress->together || progress->apart;
    for (int place = 0; place < AXI_PLACES; place++)
        any |= progress->between[place] != NULL;
    return any;
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
        COL("waits for"), COL("test", .without = TABLE_NOT_TERMINAL), NUM("runs"), NUM("expired"),
        RATED("share, 95 % interval")};
    static const struct table shape = {
        .title = "Forward progress",
        .about = "How often a bounded wait expired. Never is not a guarantee.",
        TABLE_OF(heads)};
    OWNED(report_progress_clear) struct report_progress progress;
    (void)all;
    table_begin(table, &shape, device);
    report_progress(model, device, &progress);
    if (!report_progress_any(&progress))
        return;
    for (size_t i = 0; i < progress.count; i++) {
        const struct report_wait *wait = &progress.waits[i];
        table_row(table);
        table_cells(table, "%s\t%s\t%s\t%s", wait->who, wait->test, COUNT(wait->runs),
                    COUNT(wait->stuck));
        table_rate(table, TONE_PLAIN, wait->stuck, wait->runs, wait->interval)->group =
            CAT_CONTROL + 1;
    }
    for (int place = AXI_PLACES; place-- > 0;)
        if (progress.between[place])
            table_note(table, "Between %s: %s", axi_place_word(place), progress.between[place]);
    put_residency(&progress, table);
    report_under_note(&progress.under, table);
}
