// SPDX-License-Identifier: Apache-2.0
// Tables of a page: the sections that every format has, and frames for others.
#include "report/html.h"

#include <string.h>

static void put_heading(struct text *out, const char *title, enum table_kind kind, const char *part)
{
    text_puts(out, kind == TABLE_NUMBER ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
    if (part)
        html_printf(out, "<span class=\"key %s\">%s</span></th>", part, title);
    else
        html_printf(out, "%s</th>", title);
}

static bool has_parts(const struct table *table)
{
    for (size_t c = 0; c < table->column_count; c++)
        if (table->columns[c].part)
            return true;
    return false;
}

static bool says_device(const struct html *html, const struct table *table)
{
    return table->gathered && html->model->device_count > 1;
}

static void put_headings(const struct html *html, const struct table *table, struct text *out)
{
    for (size_t c = 0; c < table->column_count; c++) {
        const struct table_column *column = &table->columns[c];
        if (!table_has(table, c, TABLE_NOT_HTML))
            continue;
        if (column->kind == TABLE_RATE)
            html_axis_heading(out, html->decades);
        put_heading(out, column->title, column->kind, column->part);
        if (c == 0 && says_device(html, table))
            put_heading(out, "device", TABLE_TEXT, NULL);
        if (c == 0 && has_parts(table))
            put_heading(out, "share", TABLE_TEXT, NULL);
    }
}

// A bar of a row's counts, as parts of their sum.
static void put_parts(const struct table *table, const struct table_row *row, struct text *out)
{
    uint64_t shares[REPORT_COUNTED];
    const char *kinds[REPORT_COUNTED];
    size_t count = 0;
    for (size_t c = 0; c < row->count && count < REPORT_COUNTED; c++)
        if (table->columns[c].part) {
            shares[count] = row->cells[c].count;
            kinds[count++] = table->columns[c].part;
        }
    text_puts(out, "<td class=\"share\">");
    html_bar(out, shares, kinds, count);
    text_puts(out, "</td>");
}

static void put_text(const struct html *html, const struct table_row *row,
                     const struct table_column *column, const struct table_cell *cell,
                     struct text *out)
{
    const bool leads = cell->family && !html->up && cell->text[0] && strcmp(cell->text, "0") != 0;
    if (leads) {
        html_printf(out, "<a href=\"#results\" data-family=\"%s\" data-device=\"%u\"", cell->family,
                    html->model->devices[row->device].number);
        if (cell->counted)
            html_printf(out, " data-result=\"counted-%s\"", cell->counted);
        text_puts(out, ">");
    }
    if (cell->link)
        html_printf(out, "<a href=\"%s\">", cell->link);
    if (cell->failure)
        html_printf(out, "<a href=\"#failed-%zu\">", cell->failure - 1);
    if (column->kind == TABLE_CHIP)
        html_chip(out, cell->class ? cell->class : "plain", cell->text);
    else if (column->kind == TABLE_TEXT || column->kind == TABLE_CODE)
        html_name(out, cell->text);
    else
        html_printf(out, "%s", cell->text);
    text_puts(out, leads || cell->failure || cell->link ? "</a>" : "");
}

static void put_cell(const struct html *html, const struct table_row *row,
                     const struct table_column *column, const struct table_cell *cell,
                     bool labelled, struct text *out)
{
    static const char *const classes[] = {[TABLE_NUMBER] = "n",
                                          [TABLE_CODE] = "config",
                                          [TABLE_RATE] = "rate",
                                          [TABLE_SHARE] = "share",
                                          [TABLE_LOG] = "share"};
    const char *class = cell->class;
    if (column->kind != TABLE_TEXT)
        class = column->kind == TABLE_CHIP ? NULL : classes[column->kind];
    if (column->kind == TABLE_RATE) {
        const struct html_rate rate = {cell->count, cell->all, cell->interval, cell->group};
        text_puts(out, "<td class=\"plots\">");
        html_plot(out, html->decades, &rate, 1);
        text_puts(out, "</td>");
    }
    text_puts(out, "<td");
    if (class)
        html_printf(out, " class=\"%s%s\"", class,
                    column->kind == TABLE_NUMBER && !strcmp(cell->text, "0") ? " none" : "");
    if (labelled && (column->kind == TABLE_NUMBER || column->kind == TABLE_CODE))
        html_printf(out, " data-of=\"%s\"", column->title);
    text_puts(out, ">");
    if (column->kind == TABLE_SHARE) {
        const char *const kinds[] = {cell->class ? cell->class : "pass", "rest"};
        html_bar(out, (const uint64_t[]){cell->count, cell->all - cell->count}, kinds, 2);
    } else if (column->kind == TABLE_LOG) {
        html_log_bar(out, cell->count, cell->all, cell->class ? cell->class : "pass");
    }
    put_text(html, row, column, cell, out);
    text_puts(out, "</td>");
}

static void put_row(const struct html *html, const struct table *table, size_t index,
                    struct text *out)
{
    const struct table_row *row = &table->rows[index];
    size_t span = 1;
    while (index + span < table->count && table->rows[index + span].more)
        span++;
    text_puts(out, "<tr>");
    for (size_t c = 0; c < row->count; c++) {
        const struct table_column *column = &table->columns[c];
        if (!table_has(table, c, TABLE_NOT_HTML))
            continue;
        if (c == 0 && column->kind != TABLE_NUMBER && !row->more) {
            html_printf(out, "<th scope=\"row\" rowspan=\"%zu\"", span);
            text_puts(out, column->kind == TABLE_CODE ? " class=\"config\">" : ">");
            put_text(html, row, column, &row->cells[c], out);
            text_puts(out, "</th>");
        } else if (c > 0 || column->kind == TABLE_NUMBER) {
            put_cell(html, row, column, &row->cells[c],
                     !table->class || strcmp(table->class, HTML_CHUNK), out);
        }
        if (c == 0 && says_device(html, table)) {
            text_puts(out, "<td>");
            html_device(out, html, row->device);
            text_puts(out, "</td>");
        }
        if (c == 0 && has_parts(table))
            put_parts(table, row, out);
    }
    text_puts(out, "</tr>\n");
}

void html_table(const struct html *html, const struct table *table, bool bare, struct text *out)
{
    const char *name = table->title ? table->title : table->about;
    if (table->count == 0)
        return;
    if (!bare)
        html_printf(out, "<div class=\"wide\" role=\"region\" aria-label=\"%s\" tabindex=\"0\">",
                    name);
    html_printf(out, "<table class=\"%s\">\n<caption>%s</caption>\n<thead><tr>",
                table->class ? table->class : "plain", table->about ? table->about : name);
    put_headings(html, table, out);
    text_puts(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < table->count; i++)
        put_row(html, table, i, out);
    text_puts(out, bare ? "</tbody></table>\n" : "</tbody></table></div>\n");
}

void html_section(const struct html *html, report_section *make, unsigned how, struct text *out)
{
    const size_t devices = html->model->device_count;
    OWNED(table_clear) struct table table = {0};
    OWNED(text_free) struct text notes = {0}, all = {0};
    for (size_t device = 0; device < devices; device++) {
        make(html->model, device, how & HTML_ALL, &table);
        for (size_t i = 0; i < table.note_count && !(how & HTML_NO_NOTES); i++) {
            text_puts(&notes, "<p>");
            if (how & HTML_TOGETHER)
                html_device(&notes, html, device);
            html_printf(&notes, "%s</p>\n", table.notes[i]);
        }
        table_drop_notes(&table);
        if (how & HTML_TOGETHER)
            continue;
        if (devices > 1 && (table.count || notes.length))
            html_device_heading(html, device, &all);
        text_puts(&all, notes.data ? notes.data : "");
        html_table(html, &table, false, &all);
        table_clear(&table);
        text_free(&notes);
    }
    table_gather(&table);
    html_table(html, &table, false, &all);
    text_puts(&all, notes.data ? notes.data : "");
    const bool folds = how & HTML_FOLD && all.length;
    if (folds)
        html_printf(out, "<details class=\"bulk\"><summary>%s: the table</summary>\n", table.title);
    text_puts(out, all.data ? all.data : "");
    text_puts(out, folds ? "</details>\n" : "");
}
