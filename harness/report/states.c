// SPDX-License-Identifier: Apache-2.0
// The final states of litmus tests: how often each was observed.
#include "report/format.h"
#include "report/sections.h"

#include <string.h>

// The mark at the end of a state that the file's condition asks for (generate/states.h).
static bool is_asked(const char *name)
{
    const size_t length = strlen(name);
    return length > 2 && strcmp(name + length - 2, " *") == 0;
}

// An outcome that is no final state: any test has it, or any test with loops or a filter.
static bool is_none(uint32_t outcome, const char *name)
{
    return outcome == CAT_NEVER_WRITTEN || outcome == CAT_VARIED || outcome == CAT_NO_PROGRESS ||
           strcmp(name, AXI_RAN_OUT) == 0 || strcmp(name, AXI_LEFT_OUT) == 0;
}

// Counts instances that ended, and those whose final state the file's condition asks for.
struct asked {
    uint64_t positive, all;
    bool names_any;
};

static struct asked count_asked(const struct result *result)
{
    struct asked asked = {0};
    for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++) {
        const char *name = cat_mode_name(result->mode, outcome);
        if (!name ||
            (outcome != CAT_NEVER_WRITTEN && outcome != CAT_VARIED && is_none(outcome, name)))
            continue;
        asked.all += result->outcomes[outcome];
        asked.positive += is_asked(name) ? result->outcomes[outcome] : 0;
        asked.names_any |= is_asked(name);
    }
    return asked;
}

static void put_states(const struct result *result, bool all, struct table *table)
{
    OWNED(text_free) struct text name = {0};
    const struct asked asked = count_asked(result);
    bool first = true;
    text_printf(&name, "%s %s", result->id, result->label);
    for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++) {
        const char *state = cat_mode_name(result->mode, outcome);
        const bool fails = state && cat_mode_fails(result->mode, outcome);
        const bool forbidden = fails && result->expectation == CAT_FORBIDDEN;
        if (!state || (!result->outcomes[outcome] && !all && !forbidden && !is_asked(state)) ||
            (!result->outcomes[outcome] && is_none(outcome, state)))
            continue;
        table_row(table)->more = !first;
        table_put(table, TONE_PLAIN, "%s", name.data);
        table_put(table, TONE_PLAIN, "%s", state);
        table_put(table, forbidden && result->outcomes[outcome] ? TONE_BAD : TONE_PLAIN, "%s",
                  forbidden                 ? "forbidden"
                  : is_none(outcome, state) ? ""
                                            : "allowed");
        table_count(table, TONE_PLAIN, result->outcomes[outcome]);
        first = false;
    }
    if (!asked.names_any)
        return;
    table_row(table)->more = !first;
    table_put(table, TONE_PLAIN, "%s", name.data);
    table_put(table, TONE_STRONG, "Observation %s", report_observation(asked.positive, asked.all));
    table_put(table, TONE_PLAIN, "%s", "");
    table_count(table, TONE_STRONG, asked.positive);
}

void report_final_states(const struct report_model *model, size_t device, bool all,
                         struct table *table)
{
    static const struct table_column heads[] = {CODE("litmus test"), COL("final state"),
                                                COL("by the model"), NUM("observed")};
    static const struct table shape = {
        .title = "Final states of litmus tests",
        .about = "Instances by their final state. * is what the file's condition asks for.",
        TABLE_OF(heads)};
    table_begin(table, &shape, device);
    REPORT_EACH (result, model, device) {
        enum axi_place place;
        unsigned ends;
        if (report_is_waiting(result, &place, &ends) && !all)
            continue;
        if (result->mode->check == CAT_CHECK_STATE && result->runs)
            put_states(result, all, table);
    }
    if (table->count)
        table_note(table, "Instances by their final state. * is what the file's condition asks "
                          "for; the model: docs/memory-model.md.");
}
