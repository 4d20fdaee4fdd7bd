// SPDX-License-Identifier: Apache-2.0
// Builds tables, and prints them on a terminal.
#include "report/table.h"

#include "report/format.h"

#include <stdarg.h>

#define COLUMNS     100 // in a line
#define LEAST_FIRST 16
#define LEAST_LAST  20
#define NAME_WIDTH  44 // for a first column, unless the table says otherwise

void tone_put(struct text *out, bool color, enum tone tone, const char *string)
{
    static const char *const codes[] = {
        [TONE_BAD] = "1;31", [TONE_WARN] = "33", [TONE_GOOD] = "32",
        [TONE_STRONG] = "1", [TONE_SOFT] = "2",
    };
    if (color && tone != TONE_PLAIN && string[0])
        text_printf(out, "\033[%sm%s\033[0m", codes[tone], string);
    else
        text_puts(out, string);
}

size_t table_text_width(const char *string)
{
    size_t width = 0;
    for (; *string; string++)
        width += ((unsigned char)*string & 0xc0) != 0x80;
    return width;
}

void table_begin(struct table *table, const struct table *shape, size_t device)
{
    if (!table->columns)
        *table = *shape;
    table->device = device;
}

struct table_row *table_row(struct table *table)
{
    struct table_row *row = &LIT_ADD(table->rows, table->count);
    *row = (struct table_row){.cells = lit_alloc(table->column_count, sizeof *row->cells),
                              .device = table->device};
    return row;
}

static struct table_cell *add_cell(struct table *table, enum tone tone, char *text)
{
    struct table_row *row = &table->rows[table->count - 1];
    struct table_cell *cell = &row->cells[row->count++];
    *cell = (struct table_cell){.text = text, .tone = tone};
    return cell;
}

static char *print_text(const char *format, va_list arguments)
{
    char *text = NULL;
    return lit_have(vasprintf(&text, format, arguments) < 0 ? NULL : text);
}

struct table_cell *table_put(struct table *table, enum tone tone, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = print_text(format, arguments);
    va_end(arguments);
    return add_cell(table, tone, text);
}

void table_cells(struct table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    OWNED(lit_free) char *texts = print_text(format, arguments);
    va_end(arguments);
    for (char *at = texts, *next; at; at = next) {
        const bool last = table->rows[table->count - 1].count + 1 == table->column_count;
        next = last ? NULL : strchr(at, '\t');
        if (next)
            *next++ = '\0';
        add_cell(table, TONE_PLAIN, lit_strdup(at));
    }
}

struct table_cell *table_count(struct table *table, enum tone tone, uint64_t count)
{
    struct table_cell *cell = add_cell(table, count ? tone : TONE_PLAIN, lit_strdup(COUNT(count)));
    cell->count = count;
    return cell;
}

struct table_cell *table_rate(struct table *table, enum tone tone, uint64_t failed, uint64_t judged,
                              struct stat_interval interval)
{
    char *rate = format_interval((char[80]){0}, failed, judged, interval);
    struct table_cell *cell = add_cell(table, tone, lit_strdup(rate));
    cell->count = failed;
    cell->all = judged;
    cell->interval = interval;
    return cell;
}

void table_fact(struct table *table, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *value = print_text(format, arguments);
    va_end(arguments);
    if (value[0]) {
        table_row(table);
        table_put(table, TONE_PLAIN, "%s", name);
        add_cell(table, TONE_PLAIN, value);
    } else {
        free(value);
    }
}

void table_note(struct table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *note = print_text(format, arguments);
    va_end(arguments);
    if (!note[0]) {
        free(note);
        return;
    }
    LIT_ADD(table->notes, table->note_count) = note;
}

void table_drop_notes(struct table *table)
{
    for (size_t i = 0; i < table->note_count; i++)
        free(table->notes[i]);
    free(table->notes);
    table->notes = NULL;
    table->note_count = 0;
}

void table_clear(struct table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        for (size_t c = 0; c < table->rows[i].count; c++) {
            free(table->rows[i].cells[c].text);
            free(table->rows[i].cells[c].link);
        }
        free(table->rows[i].cells);
    }
    free(table->rows);
    table->rows = NULL;
    table->count = 0;
    table_drop_notes(table);
}

void table_gather(struct table *table)
{
    table->gathered = true;
    for (size_t i = 1; i < table->count; i++) {
        const struct table_row row = table->rows[i];
        size_t at = i;
        for (size_t other = 0; other < i; other++)
            if (!strcmp(table->rows[other].cells[0].text, row.cells[0].text))
                at = other + 1;
        memmove(&table->rows[at + 1], &table->rows[at], (i - at) * sizeof row);
        table->rows[at] = row;
        table->rows[at].more =
            at > 0 && !strcmp(table->rows[at - 1].cells[0].text, row.cells[0].text);
    }
}

bool table_has(const struct table *table, size_t column, unsigned format)
{
    const unsigned without = table->columns[column].without;
    bool used = !(without & TABLE_UNLESS_USED);
    for (size_t i = 0; i < table->count && !used; i++)
        used = column < table->rows[i].count && table->rows[i].cells[column].text[0];
    return used && !(without & format);
}

// ---- on a terminal

// The cell that a terminal shows in a row's column; NULL for none.
static const struct table_cell *shown(const struct table_row *row, size_t column)
{
    return column >= row->count || (column == 0 && row->more) ? NULL : &row->cells[column];
}

// `first`: the most for the first column.
static void measure(const struct table *table, size_t first, size_t *widths)
{
    memset(widths, 0, table->column_count * sizeof *widths);
    for (size_t c = 0; c < table->column_count; c++) {
        const struct table_column *column = &table->columns[c];
        if (!table_has(table, c, TABLE_NOT_TERMINAL))
            continue;
        widths[c] = (table->count && table->columns[0].title) ? table_text_width(column->title) : 0;
        for (size_t i = 0; i < table->count; i++) {
            const struct table_cell *cell = shown(&table->rows[i], c);
            const size_t width = cell ? table_text_width(cell->text) : 0;
            if (width > widths[c] && (c > 0 || width <= first))
                widths[c] = width;
        }
    }
}

// How many columns a table exceeds the terminal by; its last column may wrap.
static size_t excess(const struct table *table, const size_t *widths)
{
    size_t taken = 0, last = 0;
    for (size_t c = 0; c < table->column_count; c++) {
        taken += last + (widths[c] ? 2 : 0);
        last = widths[c];
    }
    taken += last < LEAST_LAST ? last : LEAST_LAST;
    return taken > COLUMNS ? taken - COLUMNS : 0;
}

bool table_fit(struct table *table)
{
    size_t *widths = lit_alloc(table->column_count, sizeof *widths), taken = 2;
    measure(table, (table->width ? table->width : NAME_WIDTH), widths);
    for (size_t c = 1; c < table->column_count; c++)
        if (table_has(table, c, TABLE_NOT_TERMINAL))
            taken += widths[c] + 2;
    free(widths);
    const bool fits = taken + LEAST_FIRST <= COLUMNS;
    table->width = !fits                          ? LEAST_FIRST
                   : COLUMNS - taken < NAME_WIDTH ? COLUMNS - taken
                                                  : NAME_WIDTH;
    return fits;
}

void table_broken(struct text *out, bool color, enum tone tone, const char *text, size_t column)
{
    const size_t room = column + LEAST_LAST < COLUMNS ? COLUMNS - column : LEAST_LAST;
    while (*text) {
        const size_t length = text_break(text, room);
        OWNED(lit_free) char *line = lit_strdup(text);
        line[length && text[length - 1] == ' ' ? length - 1 : length] = '\0';
        tone_put(out, color, tone, line);
        text += length;
        if (*text)
            text_printf(out, "\n%*s", (int)column, "");
    }
}

void table_heading(struct text *out, bool color, const char *title, const char *remark)
{
    const size_t used = table_text_width(title) + table_text_width(remark);
    table_broken(out, color, TONE_STRONG, title, 0);
    if (used + 2 <= COLUMNS)
        text_printf(out, "%*s%s\n", (int)(COLUMNS - used), "", remark);
    else
        text_printf(out, "\n  %s\n", remark);
}

// `row`: NULL for the heading.
static void print_row(const struct table *table, const struct table_row *row, const size_t *widths,
                      bool color, struct text *out)
{
    size_t blanks = 0; // not yet written: no line ends in blanks
    size_t at = 0;     // column
    bool ended = false;
    for (size_t c = 0; c < table->column_count; c++) {
        const struct table_column *column = &table->columns[c];
        if (!table_has(table, c, TABLE_NOT_TERMINAL))
            continue;
        const struct table_cell *cell = row ? shown(row, c) : NULL;
        const char *text = row ? (cell ? cell->text : "") : column->title;
        const size_t width = table_text_width(text);
        blanks += 2;
        if (width > widths[c]) { // only a first cell may be wider
            text_printf(out, "%*s", (int)blanks, "");
            table_broken(out, color, cell->tone, text, blanks);
            text_puts(out, "\n");
            blanks = widths[0] + 2;
            ended = true;
            continue;
        }
        const size_t rest = widths[c] - width;
        blanks += column->kind == TABLE_NUMBER ? rest : 0;
        if (text[0]) {
            text_printf(out, "%*s", (int)blanks, "");
            at += blanks;
            table_broken(out, color, cell ? cell->tone : TONE_SOFT, text, at);
            at += width;
            blanks = 0;
            ended = false;
        }
        blanks += column->kind == TABLE_NUMBER ? 0 : rest;
    }
    text_puts(out, ended ? "" : "\n");
}

void table_terminal(const struct table *table, bool color, struct text *out)
{
    OWNED(lit_free) size_t *widths = lit_alloc(table->column_count, sizeof *widths);
    measure(table, (table->width ? table->width : NAME_WIDTH), widths);
    const size_t over = table->width ? 0 : excess(table, widths);
    if (over && widths[0] > LEAST_FIRST)
        measure(table, widths[0] > over + LEAST_FIRST ? widths[0] - over : LEAST_FIRST, widths);
    if (table->title && (table->count || table->note_count))
        text_printf(out, "  %s\n", table->title);
    if (table->count && table->columns[0].title)
        print_row(table, NULL, widths, color, out);
    for (size_t i = 0; i < table->count; i++)
        print_row(table, &table->rows[i], widths, color, out);
    for (size_t i = 0; i < table->note_count; i++)
        text_paragraph(out, "  ", table->notes[i]);
}
