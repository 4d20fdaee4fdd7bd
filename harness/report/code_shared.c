// SPDX-License-Identifier: Apache-2.0
// Finds configurations that ran one program on a device, so that we can pool their runs.
#include "report/code.h"

#include "report/format.h"
#include "report/known.h"

#include <stdlib.h>
#include <string.h>

// Machine code alone does not tell how much shared memory or how many registers it uses; the
// driver's statistics do.
static bool has_same_code(const struct isa_entry *a, const struct isa_entry *b)
{
    if (!a || !b || a->same_as != b->same_as || !a->piece || a->piece->source != ISA_MACHINE ||
        a->code.statistic_count != b->code.statistic_count)
        return false;
    for (size_t i = 0; i < a->code.statistic_count; i++)
        if (strcmp(a->code.statistics[i].name, b->code.statistics[i].name) != 0 ||
            strcmp(a->code.statistics[i].value, b->code.statistics[i].value) != 0)
            return false;
    return true;
}

static bool is_measured_alike(const struct result *a, const struct result *b)
{
    const char *of_a = strchr(a->name, '@'), *of_b = strchr(b->name, '@');
    return a->device == b->device && strcmp(a->test, b->test) == 0 &&
           strcmp(of_a ? of_a : "", of_b ? of_b : "") == 0 && a->expectation == b->expectation &&
           strcmp(a->stress, b->stress) == 0 && !a->rule[0] && !b->rule[0] && a->judged > 0 &&
           b->judged > 0;
}

bool report_code_is_one(const struct report_code *code, const struct result *a,
                        const struct result *b)
{
    return is_measured_alike(a, b) &&
           has_same_code(report_code_of(code, a), report_code_of(code, b)) &&
           (a == b ||
            report_known->is_same_work(a->name, b->name, &code->model->devices[a->device].facts));
}

// Puts a row for a result and all later results that ran the same program, and marks them as seen;
// no row if it is alone.
static void put_group(const struct report_code *code, size_t first, bool *seen, struct table *table)
{
    const struct report_model *model = code->model;
    OWNED(lit_free)
    const struct result **members = lit_alloc(model->result_count, sizeof *members);
    OWNED(text_free) struct text together = {0};
    uint64_t failed = 0, judged = 0;
    size_t count = 0;
    for (size_t i = first; i < model->result_count; i++) {
        const struct result *other = &model->results[i];
        if (seen[i] || !report_code_is_one(code, &model->results[first], other))
            continue;
        seen[i] = true;
        members[count++] = other;
        failed += other->failed_runs;
        judged += other->judged;
    }
    text_printf(
        &together, "%s of %s, %s", COUNT(failed), COUNT(judged),
        format_interval((char[80]){0}, failed, judged, report_interval(failed, judged, "")));
    for (size_t i = 0; i < count && count > 1; i++) {
        table_row(table)->more = i > 0;
        table_put(table, TONE_PLAIN, "%s", together.data);
        table_put(table, TONE_PLAIN, "%s of %s", COUNT(members[i]->failed_runs),
                  COUNT(members[i]->judged));
        table_put(table, TONE_PLAIN, "%s", members[i]->label);
    }
}

void report_code_shared(const struct report_code *code, size_t device, struct table *table)
{
    static const struct table_column heads[] = {COL("failed runs together"), COL("failed runs"),
                                                CODE("configuration")};
    static const struct table shape = {.title = "Same machine code", TABLE_OF(heads)};
    const struct report_model *model = code->model;
    OWNED(lit_free) bool *seen = lit_alloc(model->result_count + 1, sizeof *seen);
    table_begin(table, &shape, device);
    for (size_t i = 0; i < model->result_count; i++)
        if (model->results[i].device == device && code->of[i] && !seen[i])
            put_group(code, i, seen, table);
    if (table->count)
        table_note(
            table,
            "The device executes the same machine code in these variants, in as many "
            "workgroups and on the same data: the runs of each are evidence for all of them, "
            "if they have one rate. Comparisons take each by itself.");
}
