// SPDX-License-Identifier: Apache-2.0
// The tables of litmus bench lookback, for the terminal and in Markdown.
#include "cli/bench_lookback.h"

#include "cli/describe.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 12 // scans of a size in the table, of very many

enum { LABEL, MEDIAN, HALF, RATE, COPY, CUB, REGISTERS, COLUMNS };
static const char *const heads[COLUMNS] = {
    "", "median ms", "middle half", "GB/s", "of copy", "of CUB", "registers",
};

const struct look_measured *cli_look_chosen(const struct cli_look_size *size)
{
    return size->chosen < LOOK_ROWS ? look_result_right(&size->result, size->chosen)
                                    : look_result_best(&size->result, LOOK_WHOLE);
}

static void make_cells(const struct cli_look_size *size, const struct look_measured *row,
                       char cells[COLUMNS][64])
{
    char a[32], b[32];
    const struct look_figures f = look_figures(&size->result, row);
    const char *registers = bench_registers(&row->measured);
    snprintf(cells[MEDIAN], 64, "%s", cli_bench_ms(a, f.ns.median));
    snprintf(cells[HALF], 64, "%s-%s", cli_bench_ms(a, f.ns.low), cli_bench_ms(b, f.ns.high));
    snprintf(cells[RATE], 64, f.bytes >= 1e11 ? "%.0f" : "%.3g", f.bytes / 1e9);
    if (f.of_copy > 0)
        snprintf(cells[COPY], 64, "%.3f", f.of_copy);
    if (size->cub > 0 && f.ns.median > 0)
        snprintf(cells[CUB], 64, "%.3f", size->cub / f.ns.median);
    snprintf(cells[REGISTERS], 64, "%s", registers ? registers : "");
}

static void add_row(const struct cli_look_size *size, const struct look_measured *row,
                    struct format_table *table)
{
    char cells[COLUMNS][64] = {{0}};
    struct text name = {0};
    struct format_row *line = format_row(table);
    look_row_name(row->number, &name);
    make_cells(size, row, cells);
    format_cell(line, LABEL, row == cli_look_chosen(size) ? FORMAT_BOLD : FORMAT_PLAIN, name.data);
    for (size_t c = MEDIAN; c < COLUMNS; c++)
        format_cell(line, c, FORMAT_PLAIN, cells[c]);
    text_free(&name);
}

// Returns how many rows of the kind were left out.
static size_t add_rows(const struct cli_look_size *size, enum look_kind kind, size_t most,
                       struct format_table *table)
{
    const struct look_measured **rows = NULL;
    const size_t count = look_result_rank(&size->result, kind, &rows);
    for (size_t i = 0; i < count && i < most; i++)
        add_row(size, rows[i], table);
    free(rows);
    return count > most ? count - most : 0;
}

// --- What was wrong, skipped, refused

static const char *state_word(const struct bench_measured *measured)
{
    static const char *const words[] = {
        [BENCH_RIGHT] = "right",       [BENCH_WRONG] = "wrong",  [BENCH_GAVE_UP] = "gave up",
        [BENCH_UNTIMED] = "not timed", [BENCH_SKIP] = "skipped", [BENCH_REFUSAL] = "refused",
    };
    return words[bench_verdict(measured)];
}

static void put_wrong(const struct look_result *result, const char *lead, struct text *text)
{
    for (size_t i = 0; i < result->count; i++) {
        const struct bench_measured *measured = &result->rows[i].measured;
        const struct bench_said *first = &measured->first;
        struct text name = {0};
        char words[32], at[32];
        if (!measured->wrong)
            continue;
        look_row_name(result->rows[i].number, &name);
        text_printf(text,
                    "%sWRONG: %s: %" PRIu32 " of %" PRIu32 " dispatches; dispatch %" PRIu32
                    " departs from a right output at %s place%s, first at word %s: got 0x%" PRIx32
                    ", want 0x%" PRIx32 "\n",
                    lead, name.data, measured->wrong, measured->dispatches, first->round + 1,
                    text_count(words, first->wrong), first->wrong == 1 ? "" : "s",
                    text_count(at, first->index), first->got, first->want);
        text_free(&name);
    }
}

static void put_gave_up(const struct look_result *result, const char *lead, struct text *text)
{
    for (size_t i = 0; i < result->count; i++) {
        const struct bench_measured *measured = &result->rows[i].measured;
        struct text name = {0};
        if (!measured->gave_up)
            continue;
        look_row_name(result->rows[i].number, &name);
        text_printf(text,
                    "%sUNDECIDED: %s: in %" PRIu32 " of %" PRIu32
                    " dispatches a wait for another workgroup ran out\n",
                    lead, name.data, measured->gave_up, measured->dispatches);
        text_free(&name);
    }
}

// One line for each reason why rows were skipped or refused.
static void put_reasons(const struct look_result *result, const char *lead, struct text *text)
{
    for (size_t i = 0; i < result->count; i++) {
        const struct bench_measured *measured = &result->rows[i].measured;
        size_t first = result->count, rows = 0;
        if (!measured->reason[0])
            continue;
        for (size_t j = 0; j < result->count; j++)
            if (result->rows[j].measured.state == measured->state &&
                strcmp(result->rows[j].measured.reason, measured->reason) == 0) {
                first = rows == 0 ? j : first;
                rows++;
            }
        if (first != i)
            continue;
        struct text name = {0};
        look_row_name(result->rows[i].number, &name);
        text_printf(text, "%s%s: %s", lead, state_word(measured), name.data);
        if (rows > 1)
            text_printf(text, " and %zu others", rows - 1);
        text_printf(text, ": %s\n", measured->reason);
        text_free(&name);
    }
}

static void put_remarks(const struct cli_look_size *size, const char *lead, struct text *text)
{
    if (size->reason[0])
        text_printf(text, "%s%s: %s\n", lead, eng_result_name(size->end), size->reason);
    put_wrong(&size->result, lead, text);
    put_gave_up(&size->result, lead, text);
    put_reasons(&size->result, lead, text);
}

static void put_size(const struct cli_look_size *size, struct text *text)
{
    const struct look_result *result = &size->result;
    char words[32];
    text_printf(text, "%s words, %.4g GB read and written; %" PRIu32 " dispatches after %" PRIu32,
                text_count(words, result->elements), (double)result->elements * 8e-9,
                result->repeats, result->warm);
    if (!result->told)
        return;
    if (result->tick > 0)
        text_printf(text, ", by timestamps in units of %g ns", result->tick);
    else
        text_puts(text, ", by the host's clock: submitting counts");
}

void cli_look_table(const struct cli_look_size *size, bool all, bool color, struct text *text)
{
    struct format_table table = {.columns = COLUMNS};
    const size_t most = all ? LOOK_ROWS : SHOWN;
    for (size_t c = MEDIAN; c < COLUMNS; c++)
        table.right[c] = true;
    text_puts(text, "  ");
    put_size(size, text);
    text_puts(text, "\n");
    if (look_result_best(&size->result, LOOK_COPY) || cli_look_chosen(size)) {
        struct format_row *title = format_row(&table);
        for (size_t c = MEDIAN; c < COLUMNS; c++)
            format_cell(title, c, FORMAT_DIM, heads[c]);
    }
    add_rows(size, LOOK_COPY, all ? LOOK_ROWS : 1, &table);
    const size_t left = add_rows(size, LOOK_WHOLE, most, &table);
    add_rows(size, LOOK_ALONE, all ? LOOK_ROWS : 4, &table);
    format_table_print(&table, 110, color, text);
    if (left)
        text_printf(text, "  and %zu slower scans: -v shows them, --json has them\n", left);
    put_remarks(size, "  ", text);
    text_puts(text, "\n");
}

// --- All sizes

static const char *origin(const struct cli_look_size *size)
{
    return size->chosen >= LOOK_ROWS ? "best" : size->tuned ? "tuned" : "default";
}

static void make_summary(const struct cli_look_size *size, char cells[7][192])
{
    const struct look_measured *row = cli_look_chosen(size);
    const struct look_measured *copy = look_result_best(&size->result, LOOK_COPY);
    char text[32];
    struct text name = {0};
    snprintf(cells[0], 192, "%s", text_count(text, size->result.elements));
    if (copy)
        snprintf(cells[3], 192, "%.4g", look_figures(&size->result, copy).bytes / 1e9);
    if (row) {
        const struct look_figures f = look_figures(&size->result, row);
        snprintf(cells[1], 192, "%s", cli_bench_ms(text, f.ns.median));
        snprintf(cells[2], 192, "%.4g", f.bytes / 1e9);
        snprintf(cells[4], 192, "%.3f", f.of_copy);
        if (size->cub > 0)
            snprintf(cells[5], 192, "%.3f", size->cub / f.ns.median);
        look_row_name(row->number, &name);
        snprintf(cells[6], 192, "%s: %s", origin(size), name.data);
    } else {
        snprintf(cells[6], 192, "%s", size->result.told ? "no right scan" : "not timed");
    }
    text_free(&name);
}

static const char *const summary_heads[7] = {
    "words", "median ms", "GB/s", "copy GB/s", "of copy", "of CUB", "scan",
};

void cli_look_summary(const struct cli_look_device *told, bool color, struct text *text)
{
    struct format_table table = {.columns = 7};
    for (size_t c = 0; c < 6; c++)
        table.right[c] = true;
    struct format_row *title = format_row(&table);
    for (size_t c = 0; c < 7; c++)
        format_cell(title, c, FORMAT_DIM, summary_heads[c]);
    for (size_t i = 0; i < told->count; i++) {
        char cells[7][192] = {{0}};
        struct format_row *line = format_row(&table);
        make_summary(&told->sizes[i], cells);
        for (size_t c = 0; c < 7; c++)
            format_cell(line, c, FORMAT_PLAIN, cells[c]);
    }
    if (told->count)
        format_table_print(&table, 80, color, text);
    if (told->reason[0])
        text_printf(text, "  %s\n", told->reason);
}

// --- Markdown

static void put_plain(const char *string, struct text *text)
{
    for (const char *c = string; *c; c++)
        text_printf(text, "%s%c", strchr("\\`*_{}[]<>#|", *c) ? "\\" : "", *c);
}

static void put_markdown_rows(const struct cli_look_size *size, enum look_kind kind,
                              struct text *text)
{
    const struct look_measured **rows = NULL;
    const size_t count = look_result_rank(&size->result, kind, &rows);
    for (size_t i = 0; i < count; i++) {
        char cells[COLUMNS][64] = {{0}};
        make_cells(size, rows[i], cells);
        text_puts(text, "| ");
        look_row_name(rows[i]->number, text);
        for (size_t c = MEDIAN; c < COLUMNS; c++)
            text_printf(text, " | %s", cells[c]);
        text_puts(text, " |\n");
    }
    free(rows);
}

static void put_markdown_device(const struct cli_look_device *told, struct text *text)
{
    struct text line = {0};
    text_puts(text, "\n## ");
    cli_device_line(&told->device->facts, true, &line);
    put_plain(line.data, text);
    text_puts(text, "\n\n| words | median ms | GB/s | copy GB/s | of copy | of CUB | scan |\n"
                    "| ---: | ---: | ---: | ---: | ---: | ---: | --- |\n");
    for (size_t i = 0; i < told->count; i++) {
        char cells[7][192] = {{0}};
        make_summary(&told->sizes[i], cells);
        for (size_t c = 0; c < 7; c++)
            text_printf(text, "| %s ", cells[c]);
        text_puts(text, "|\n");
    }
    for (size_t i = 0; i < told->count; i++) {
        text_puts(text, "\n### ");
        put_size(&told->sizes[i], text);
        text_puts(text, "\n\n| row | median ms | middle half | GB/s | of copy | of CUB | registers "
                        "|\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
        put_markdown_rows(&told->sizes[i], LOOK_COPY, text);
        put_markdown_rows(&told->sizes[i], LOOK_WHOLE, text);
        put_markdown_rows(&told->sizes[i], LOOK_ALONE, text);
        line.length = 0;
        put_remarks(&told->sizes[i], "- ", &line);
        if (line.length)
            text_printf(text, "\n%s", line.data);
    }
    if (told->reason[0])
        text_printf(text, "\n- %s\n", told->reason);
    text_free(&line);
}

void cli_look_markdown(const struct cli_look *look, struct text *text)
{
    text_puts(text, "# Scans with decoupled look-back: how close they come to a copy\n\n");
    text_printf(text, "| | |\n| --- | --- |\n| litmus | %s |\n| command | `", LITMUS_VERSION);
    for (const char *c = look->command; *c; c++)
        text_printf(text, "%s%c", *c == '|' ? "\\" : "", *c == '`' ? '\'' : *c);
    text_printf(text, "` |\n| started | %s |\n| system | ", look->started);
    put_plain(look->system, text);
    text_printf(text, " |\n| seed | 0x%" PRIx64 " |\n| exit | %d: %s |\n", look->seed,
                (int)look->exit, look->because);
    for (size_t i = 0; i < look->count; i++)
        put_markdown_device(&look->devices[i], text);
}

// --- The sum

static void add_size(const struct cli_look_size *size, struct cli_bench_sum *sum)
{
    for (size_t i = 0; i < size->result.count; i++)
        cli_bench_add_row(sum, &size->result.rows[i].measured, size->result.repeats,
                          size->end == ENG_SKIP);
    sum->crashed += size->end == ENG_CRASH || size->end == ENG_HANG;
    sum->lost += size->end == ENG_DEVICE_LOST;
    sum->failed += size->end == ENG_HARNESS_ERROR;
}

struct cli_bench_sum cli_look_sum(const struct cli_look_device *devices, size_t count)
{
    struct cli_bench_sum sum = {0};
    for (size_t i = 0; i < count; i++)
        for (size_t s = 0; s < devices[i].count; s++)
            add_size(&devices[i].sizes[s], &sum);
    return sum;
}
