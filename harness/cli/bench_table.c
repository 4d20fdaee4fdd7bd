// SPDX-License-Identifier: Apache-2.0
// The table of litmus bench scan, for the terminal and in Markdown.
#include "cli/bench_report.h"

#include "cli/describe.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LABEL, MEDIAN, HALF, ALL, NATIVE, SHUFFLES, ADDS, MEMORY, REGISTERS, CODE, COLUMNS };
_Static_assert(COLUMNS <= FORMAT_COLUMNS, "a table of so many columns");

static const char *const heads[COLUMNS] = {
    "",         "median ms", "middle half", "all",       "of native",
    "shuffles", "adds",      "memory",      "registers", "code",
};

char *cli_bench_ms(char target[32], double ns)
{
    const double ms = ns / 1e6;
    const int digits = ms >= 1000 ? 0 : ms >= 100 ? 1 : ms >= 10 ? 2 : ms >= 1 ? 3 : 4;
    snprintf(target, 32, "%.*f", digits, ms);
    return target;
}

char *cli_bench_share(char target[32], double share)
{
    const double percent = share * 100;
    const int digits = percent >= 9.95 ? 0 : percent >= 0.995 ? 1 : 2;
    if (percent < 0.005)
        snprintf(target, 32, "%s", percent > 0 ? "< 0.01 %" : "");
    else
        snprintf(target, 32, "%.*f %%", digits, percent);
    return target;
}

char *cli_bench_rate(char target[32], double rate)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
    size_t i = 0;
    while (units[i].unit > 1 && rate < units[i].unit)
        i++;
    const double value = rate / units[i].unit;
    snprintf(target, 32, "%.*f %s", value >= 100 ? 0 : value >= 10 ? 1 : 2, value, units[i].name);
    return target;
}

// What a row is, below its group: "256  emulated, control".
static void put_label(const struct bench_row *row, struct text *text)
{
    char count[32];
    switch (row->kind) {
    case BENCH_SCAN:
        text_printf(text, "%4" PRIu32 "  %s", row->workgroup, bench_operation_name(row->operation));
        if (row->barrier != BENCH_NONE)
            text_printf(text, ", %s", bench_barrier_name(row->barrier));
        return;
    case BENCH_COPY:
        text_printf(text, "copy, %s words", text_count(count, row->words));
        return;
    case BENCH_ADDS:
    case BENCH_SHUFFLES:
    case BENCH_KINDS:
        text_printf(text, "%s, %" PRIu32 " chain%s", bench_kind_name(row->kind), row->chains,
                    row->chains == 1 ? "" : "s");
    }
}

static void put_group(const struct bench_row *row, struct text *text)
{
    if (row->kind == BENCH_SCAN)
        text_printf(text, "%s scan, %s", bench_level_name(row->level),
                    row->items == 1 ? "1 item each" : "4 items each");
    else
        text_puts(text, "limits");
}

static bool is_same_group(const struct bench_row *a, const struct bench_row *b)
{
    if (a->kind != BENCH_SCAN || b->kind != BENCH_SCAN)
        return a->kind != BENCH_SCAN && b->kind != BENCH_SCAN;
    return a->level == b->level && a->items == b->items;
}

// The limits have their rates where the scans have their shares of them.
static void make_cells(const struct bench_result *result, const struct bench_measured *measured,
                       char cells[COLUMNS][64])
{
    char a[32], b[32];
    const struct bench_figures f = bench_figures(result, measured);
    const char *registers = bench_registers(measured), *code = bench_code(measured);
    snprintf(cells[MEDIAN], 64, "%s", cli_bench_ms(a, f.ns.median));
    snprintf(cells[HALF], 64, "%s-%s", cli_bench_ms(a, f.ns.low), cli_bench_ms(b, f.ns.high));
    snprintf(cells[ALL], 64, "%s-%s", cli_bench_ms(a, f.ns.least), cli_bench_ms(b, f.ns.most));
    if (f.of_native > 0)
        snprintf(cells[NATIVE], 64, "%.3f", f.of_native);
    switch (measured->row.kind) {
    case BENCH_SCAN:
        snprintf(cells[SHUFFLES], 64, "%s", cli_bench_share(a, f.shuffles_share));
        snprintf(cells[ADDS], 64, "%s", cli_bench_share(a, f.adds_share));
        snprintf(cells[MEMORY], 64, "%s", cli_bench_share(a, f.bytes_share));
        break;
    case BENCH_COPY:
        snprintf(cells[MEMORY], 64, "%sB/s", cli_bench_rate(a, f.bytes));
        break;
    case BENCH_ADDS:
        snprintf(cells[ADDS], 64, "%s/s", cli_bench_rate(a, f.adds));
        break;
    case BENCH_SHUFFLES:
    case BENCH_KINDS:
        snprintf(cells[SHUFFLES], 64, "%s/s", cli_bench_rate(a, f.shuffles));
        break;
    }
    snprintf(cells[REGISTERS], 64, "%s", registers ? registers : "");
    snprintf(cells[CODE], 64, "%s", code ? code : "");
}

static const char *state_word(const struct bench_measured *measured)
{
    static const char *const words[] = {
        [BENCH_RIGHT] = "",       [BENCH_WRONG] = "WRONG",     [BENCH_UNTIMED] = "not timed",
        [BENCH_SKIP] = "skipped", [BENCH_REFUSAL] = "refused",
    };
    return words[bench_verdict(measured)];
}

// Appends one line for each row that stored wrong words; `lead` stands before each.
static void put_wrong(const struct bench_result *result, const char *lead, struct text *text)
{
    for (size_t i = 0; i < result->count; i++) {
        const struct bench_measured *measured = &result->rows[i];
        const struct bench_said *first = &measured->first;
        struct text name = {0};
        char words[32], at[32];
        if (!measured->wrong)
            continue;
        bench_row_name(&measured->row, &name);
        text_printf(text,
                    "%swrong: %s: %" PRIu32 " of %" PRIu32 " dispatches; in dispatch %" PRIu32
                    " %s words, first word %s: got 0x%" PRIx32 ", want 0x%" PRIx32 "\n",
                    lead, name.data, measured->wrong, measured->dispatches, first->round + 1,
                    text_count(words, first->wrong), text_count(at, first->index), first->got,
                    first->want);
        text_free(&name);
    }
}

// Appends one line for each reason why rows were skipped or refused.
static void put_reasons(const struct bench_result *result, const char *lead, struct text *text)
{
    for (size_t i = 0; i < result->count; i++) {
        const struct bench_measured *measured = &result->rows[i];
        size_t first = i, rows = 0;
        if (!measured->reason[0])
            continue;
        for (size_t j = 0; j < result->count; j++)
            if (result->rows[j].state == measured->state &&
                strcmp(result->rows[j].reason, measured->reason) == 0) {
                first = rows == 0 ? j : first;
                rows++;
            }
        struct text name = {0};
        bench_row_name(&measured->row, &name);
        if (first == i)
            text_printf(text, "%s%s: %s%s: %s\n", lead, state_word(measured), name.data,
                        rows > 1 ? " and others" : "", measured->reason);
        text_free(&name);
    }
}

static void put_remarks(const struct cli_bench_device *told, const char *lead, struct text *text)
{
    if (told->reason[0])
        text_printf(text, "%s%s: %s\n", lead, eng_result_name(told->end), told->reason);
    put_wrong(&told->result, lead, text);
    put_reasons(&told->result, lead, text);
}

static void put_rounds(const struct cli_bench_device *told, const char *break_line,
                       struct text *text)
{
    const struct bench_result *result = &told->result;
    char elements[32], loops[32], repeats[32];
    text_printf(text,
                "%s elements, %s scans a dispatch, %s dispatches of each row after %" PRIu32
                " to warm up,%s",
                text_count(elements, result->shape.elements),
                text_count(loops, result->shape.loops), text_count(repeats, result->repeats),
                result->warm, break_line);
    if (result->tick > 0)
        text_printf(text, "by timestamps of %g ns", result->tick);
    else
        text_puts(text,
                  "by the host's clock, since the device has no timestamps: submitting counts");
}

// Columns that no row has anything for, at the end of the table, are left out.
static size_t used_columns(const struct bench_result *result)
{
    size_t used = REGISTERS;
    for (size_t i = 0; i < result->count; i++) {
        if (bench_registers(&result->rows[i]) && used < REGISTERS + 1)
            used = REGISTERS + 1;
        if (bench_code(&result->rows[i]))
            used = CODE + 1;
    }
    return used;
}

static void add_heads(const struct bench_result *result, size_t i, struct format_table *table)
{
    struct text name = {0};
    if (table->count)
        format_row(table);
    struct format_row *row = format_row(table);
    put_group(&result->rows[i].row, &name);
    format_cell(row, LABEL, FORMAT_BOLD, name.data);
    for (size_t c = MEDIAN; c < table->columns; c++)
        format_cell(row, c, FORMAT_DIM, heads[c]);
    text_free(&name);
}

static void add_row(const struct bench_result *result, const struct bench_measured *measured,
                    struct format_table *table)
{
    char cells[COLUMNS][64] = {{0}};
    struct text label = {0};
    const char *word = state_word(measured);
    struct format_row *row = format_row(table);
    put_label(&measured->row, &label);
    if (bench_is_right(measured))
        make_cells(result, measured, cells);
    if (word[0])
        text_printf(&label, "  %s", word);
    format_cell(row, LABEL, measured->wrong ? FORMAT_RED : FORMAT_PLAIN, label.data);
    for (size_t c = MEDIAN; c < table->columns; c++)
        format_cell(row, c, FORMAT_PLAIN, cells[c]);
    text_free(&label);
}

void cli_bench_table(const struct cli_bench_device *told, bool color, struct text *text)
{
    const struct bench_result *result = &told->result;
    struct format_table table = {.columns = used_columns(result)};
    struct text remarks = {0};
    size_t group = 0; // the row that the present group began with, from 1
    for (size_t c = MEDIAN; c < COLUMNS; c++)
        table.right[c] = true;
    for (size_t i = 0; i < result->count; i++) {
        // Said below, or nothing is known.
        if (result->rows[i].state == BENCH_SKIPPED || !result->rows[i].dispatches)
            continue;
        if (!group || !is_same_group(&result->rows[group - 1].row, &result->rows[i].row)) {
            add_heads(result, i, &table);
            group = i + 1;
        }
        add_row(result, &result->rows[i], &table);
    }
    text_puts(text, result->shape.loops ? "  " : "");
    if (result->shape.loops)
        put_rounds(told, "\n  ", text);
    text_puts(text, result->shape.loops ? "\n\n" : "");
    format_table_print(&table, 60, color, text);
    put_remarks(told, "  ", &remarks);
    if (remarks.length)
        text_printf(text, "%s%s", group ? "\n" : "", remarks.data);
    text_free(&remarks);
}

// --- Markdown

static void put_markdown_row(const struct bench_result *result,
                             const struct bench_measured *measured, struct text *text)
{
    char cells[COLUMNS][64] = {{0}};
    const struct bench_row *row = &measured->row;
    const char *word = state_word(measured);
    if (bench_is_right(measured))
        make_cells(result, measured, cells);
    if (row->kind == BENCH_SCAN) {
        text_printf(text, "| %s | %" PRIu32 " | %" PRIu32 " | %s%s%s", bench_level_name(row->level),
                    row->items, row->workgroup, bench_operation_name(row->operation),
                    row->barrier != BENCH_NONE ? ", " : "",
                    row->barrier != BENCH_NONE ? bench_barrier_name(row->barrier) : "");
    } else {
        text_printf(text, "| limit | | %" PRIu32 " | ", row->workgroup);
        put_label(row, text);
    }
    text_printf(text, "%s%s%s", word[0] ? " **" : "", word, word[0] ? "**" : "");
    for (size_t c = MEDIAN; c < COLUMNS; c++)
        text_printf(text, " | %s", cells[c]);
    text_puts(text, " |\n");
}

// Drivers' names may have what Markdown takes for its own.
static void put_plain(const char *string, struct text *text)
{
    for (const char *c = string; *c; c++)
        text_printf(text, "%s%c", strchr("\\`*_{}[]<>#|", *c) ? "\\" : "", *c);
}

static void put_markdown_device(const struct cli_bench_device *told, struct text *text)
{
    struct text line = {0};
    const struct bench_result *result = &told->result;
    text_puts(text, "\n## ");
    cli_device_line(&told->device->facts, true, &line);
    put_plain(line.data, text);
    text_puts(text, "\n\n");
    if (result->shape.loops) {
        put_rounds(told, " ", text);
        text_puts(text, ". Times are in milliseconds; the quartiles are the ends of the middle "
                        "half.\n\n"
                        "| level | items | workgroup | scan | median ms | middle half | all | of "
                        "native | shuffles | adds | memory | registers | code |\n"
                        "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | "
                        "---: | ---: | ---: |\n");
        for (size_t i = 0; i < result->count; i++)
            if (result->rows[i].dispatches)
                put_markdown_row(result, &result->rows[i], text);
    }
    line.length = 0;
    put_remarks(told, "- ", &line);
    if (line.length)
        text_printf(text, "\n%s", line.data);
    text_free(&line);
}

void cli_bench_markdown(const struct cli_bench *bench, struct text *text)
{
    text_puts(text, "# Subgroup scans, native and emulated: how long they take\n\n");
    text_printf(text, "| | |\n| --- | --- |\n| litmus | %s |\n| command | `", LITMUS_VERSION);
    for (const char *c = bench->command; *c; c++)
        text_printf(text, "%s%c", *c == '|' ? "\\" : "", *c == '`' ? '\'' : *c);
    text_printf(text, "` |\n| started | %s |\n| system | ", bench->started);
    put_plain(bench->system, text);
    text_printf(text, " |\n| seed | 0x%" PRIx64 " |\n| exit | %d: %s |\n", bench->seed,
                (int)bench->exit, bench->because);
    for (size_t i = 0; i < bench->count; i++)
        put_markdown_device(&bench->devices[i], text);
}
