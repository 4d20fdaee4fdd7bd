// SPDX-License-Identifier: Apache-2.0
// Text, tables and sentences of Markdown reports.
#include "report/markdown.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#define MOST_OF_A_TEXT 2000

// How much of a string to write: whole UTF-8 characters.
static size_t clipped(const char *string)
{
    size_t length = strnlen(string, MOST_OF_A_TEXT + 1);
    if (length <= MOST_OF_A_TEXT)
        return length;
    length = MOST_OF_A_TEXT;
    while (length > 0 && ((unsigned char)string[length] & 0xc0) == 0x80)
        length--;
    return length;
}

void markdown_escape(struct text *out, const char *string)
{
    size_t length = clipped(string);
    for (size_t i = 0; i < length; i++) {
        const char *at = &string[i];
        bool in_word = i > 0 && isalnum((unsigned char)at[-1]) && isalnum((unsigned char)at[1]);
        // Trackers turn addresses into links.
        bool links = (*at == ':' && at[1] == '/') ||
                     (*at == '.' && i >= 3 && strncasecmp(at - 3, "www", 3) == 0);
        if (strchr("\\`*{}[]<>#|!~@&$", *at) || (*at == '_' && !in_word) || links)
            text_printf(out, "&#%d;", *at);
        else
            text_append(out, (unsigned char)*at < ' ' ? " " : at, 1);
    }
    text_puts(out, string[length] ? "..." : "");
}

void markdown_printf(struct text *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_escaped(out, markdown_escape, format, &arguments);
    va_end(arguments);
}

void markdown_code(struct text *out, const char *string)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "./@=,:+-_";
    if (string[0] && string[strspn(string, safe)] == '\0' && strlen(string) <= MOST_OF_A_TEXT) {
        text_printf(out, "`%s`", string);
        return;
    }
    markdown_printf(out, "<code>%s</code>", string);
}

void markdown_command(struct text *out, const char *line)
{
    size_t length = clipped(line);
    text_puts(out, "    ");
    for (size_t i = 0; i < length; i++)
        text_append(out, (unsigned char)line[i] < ' ' ? " " : &line[i], 1);
    text_puts(out, line[length] ? "...\n\n" : "\n\n");
}

void markdown_again(struct text *out, const struct report_model *model, const struct result *result)
{
    OWNED(text_free) struct text again = {0};
    format_again(&again, model, result);
    markdown_command(out, again.data);
}

void markdown_fence(struct text *out, const char *language, const char *lines)
{
    size_t longest = 2, run = 0;
    for (const char *at = lines; *at; at++) {
        run = *at == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    for (size_t i = 0; i <= longest; i++)
        text_puts(out, "`");
    text_printf(out, "%s\n%s%s", language, lines,
                lines[0] && lines[strlen(lines) - 1] == '\n' ? "" : "\n");
    for (size_t i = 0; i <= longest; i++)
        text_puts(out, "`");
    text_puts(out, "\n\n");
}

static void put_cell(struct text *out, const struct table_column *column,
                     const struct table_cell *cell)
{
    const char *frame = cell->tone == TONE_STRONG ? "**" : "";
    text_printf(out, " %s", frame);
    if (column->kind == TABLE_CODE)
        markdown_code(out, cell->text);
    else
        markdown_escape(out, cell->text);
    text_printf(out, "%s |", frame);
}

static void put_heading(struct text *out, const struct table *table)
{
    for (int line = 0; line < 2; line++) {
        text_puts(out, "|");
        for (size_t c = 0; c < table->column_count; c++) {
            const struct table_column *column = &table->columns[c];
            if (!table_has(table, c, TABLE_NOT_MARKDOWN))
                continue;
            if (line == 0)
                text_printf(out, " %s%s|", column->title, column->title[0] ? " " : "");
            else
                text_puts(out, column->kind == TABLE_NUMBER ? " ---: |" : " --- |");
        }
        text_puts(out, "\n");
    }
}

void table_markdown(const struct table *table, size_t limit, struct text *out)
{
    size_t done = 0;
    if (table->count)
        put_heading(out, table);
    for (; done < table->count && out->length < limit; done++) {
        const struct table_row *row = &table->rows[done];
        text_puts(out, "|");
        for (size_t c = 0; c < table->column_count; c++)
            if (table_has(table, c, TABLE_NOT_MARKDOWN))
                put_cell(out, &table->columns[c], &row->cells[c]);
        text_puts(out, "\n");
    }
    text_puts(out, table->count ? "\n" : "");
    if (done < table->count)
        text_printf(out,
                    "*%s more, left out because a bug report holds 64 KB. The JSON report has "
                    "all.*\n\n",
                    COUNT(table->count - done));
    for (size_t i = 0; i < table->note_count; i++) {
        markdown_printf(out, "%s\n\n", table->notes[i]);
    }
}

void markdown_section(const struct report_model *model, size_t device, report_section *make,
                      unsigned how, size_t limit, struct text *out)
{
    OWNED(table_clear) struct table table = {0};
    make(model, device, how & MARKDOWN_ALL, &table);
    if (how & MARKDOWN_BARE)
        table_drop_notes(&table);
    if (table.count || table.note_count) {
        if (how & MARKDOWN_FOLD)
            markdown_fold(out, table.title);
        table_markdown(&table, limit, out);
        if (how & MARKDOWN_FOLD)
            markdown_unfold(out);
    }
}

void markdown_result(struct text *out, const struct result *result, size_t most_places)
{
    OWNED(table_clear) struct table table = {0};
    report_histogram(result, &table);
    table_markdown(&table, SIZE_MAX, out);
    table_clear(&table);
    table = (struct table){0};
    report_places(result, most_places, &table);
    table_markdown(&table, SIZE_MAX, out);
}

void markdown_fold(struct text *out, const char *title)
{
    markdown_printf(out, "<details><summary>%s</summary>\n\n", title);
}

void markdown_unfold(struct text *out)
{
    text_puts(out, "</details>\n\n");
}

void markdown_remarks(struct text *out, const struct result *result)
{
    if (result->stress[0]) {
        text_puts(out, "Measured under stress: ");
        markdown_code(out, result->stress);
        text_puts(out, ".\n\n");
    }
    if (result->rule[0]) {
        text_puts(out, "Stopping rule: ");
        markdown_code(out, result->rule);
        text_puts(out, "; the interval is a confidence sequence, which allows for that.\n\n");
    }
    if (report_is_overdispersed(result))
        text_printf(
            out,
            "Failures are overdispersed: they vary between batches of runs by more than chance can "
            "explain (p %.2g), and the interval is too narrow by a factor of about %.1f.\n\n",
            result->spread.p, sqrt(result->spread.factor));
}

void markdown_verdict(struct text *out, const struct report_model *model, size_t device)
{
    OWNED(text_free) struct text verdict = {0};
    report_verdict(model, device, &verdict);
    markdown_printf(out, "**%s.**\n\n", verdict.data);
}

void markdown_block(struct text *out, const struct report_block *block)
{
    const struct result *first = block->members[0];
    text_puts(out, "**");
    markdown_code(out, first->test);
    text_printf(out, "** (%s): ", cat_expectation_name(first->expectation));
    if (block->where[0]) {
        markdown_code(out, block->where);
        text_puts(out, ": ");
    }
    markdown_printf(out, "%s.", block->says);
    if (block->passes[0]) {
        text_puts(out, " Passes with ");
        markdown_code(out, block->passes);
        text_puts(out, ".");
    }
    if (block->elsewhere[0])
        markdown_printf(out, " Elsewhere: %s.", block->elsewhere);
    if (block->since[0])
        markdown_printf(out, " History: %s.", block->since);
    if (block->cause[0])
        markdown_printf(out, " Cause: %s.", block->cause);
    if (block->finding)
        markdown_printf(out, " Known: %s (%s).", block->finding->title, block->finding->path);
    text_puts(out, "\n\n");
    markdown_command(out, block->again);
}

void markdown_members(struct text *out, const struct report_block *block, size_t limit)
{
    static const struct table_column heads[] = {CODE("id"),    CODE("configuration"),
                                                COL("result"), NUM("failed"),
                                                NUM("of"),     COL("rate, 95 % interval")};
    OWNED(table_clear) struct table table = {TABLE_OF(heads)};
    for (size_t i = 0; i < block->count; i++) {
        const struct result *result = block->members[i];
        table_row(&table);
        table_put(&table, TONE_PLAIN, "%s", result->id);
        table_put(&table, TONE_PLAIN, "%s", result->label);
        table_put(&table, TONE_PLAIN, "%s", eng_result_name(result->result));
        table_count(&table, TONE_PLAIN, result->failed_runs);
        table_count(&table, TONE_PLAIN, result->runs);
        table_rate(&table, TONE_PLAIN, result->failed_runs, result->judged, result->interval);
    }
    table_markdown(&table, limit, out);
}
