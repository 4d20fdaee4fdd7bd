// SPDX-License-Identifier: Apache-2.0
// The parts of a section in each form.
#include "report/pen.h"

#include "report/html.h"
#include "report/markdown.h"

#include <stdarg.h>

void pen_heading(const struct pen *pen, const char *title)
{
    if (pen->html)
        html_printf(pen->out, "<h3>%s</h3>\n", title);
    else
        markdown_printf(pen->out, "### %s\n\n", title);
}

void pen_say(const struct pen *pen, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_puts(pen->out, pen->html ? "<p>" : "");
    format_escaped(pen->out, pen->html ? html_escape : markdown_escape, format, &arguments);
    text_puts(pen->out, pen->html ? "</p>\n" : "\n\n");
    va_end(arguments);
}

void pen_item(const struct pen *pen, const char *name, const char *words)
{
    if (pen->html) {
        html_printf(pen->out, "<p><span class=\"test\">%s</span>: %s.</p>\n", name, words);
        return;
    }
    text_puts(pen->out, "- ");
    markdown_code(pen->out, name);
    markdown_printf(pen->out, ": %s.\n\n", words);
}

void pen_table(const struct pen *pen, struct table *table)
{
    if (table->count && table->title)
        pen_heading(pen, table->title);
    if (pen->html) {
        html_table(pen->html, table, false, pen->out);
        for (size_t i = 0; i < table->note_count; i++)
            pen_say(pen, "%s", table->notes[i]);
    } else {
        table_markdown(table, pen->limit, pen->out);
    }
    table_clear(table);
}

void pen_open(const struct pen *pen, const char *id, const char *title)
{
    if (pen->html)
        html_printf(pen->out, "<details class=\"bulk\"%s%s><summary>%s</summary>\n",
                    *id ? " id=" : "", id, title);
    else
        markdown_fold(pen->out, title);
}

void pen_close(const struct pen *pen)
{
    if (pen->html)
        text_puts(pen->out, "</details>\n");
    else
        markdown_unfold(pen->out);
}

void pen_lines(const struct pen *pen, const char *language, const char *lines)
{
    if (!pen->html) {
        markdown_fence(pen->out, language, lines);
        return;
    }
    text_puts(pen->out, "<div class=\"listing\"><pre role=\"region\" aria-label=\"Code\" "
                        "tabindex=\"0\">\n");
    for (size_t length; *lines; lines += length + (lines[length] == '\n')) {
        OWNED(text_free) struct text line = {0};
        const char *element = *lines == '-'                    ? "del"
                              : *lines == '+'                  ? "ins"
                              : *lines == '>' || *lines == '!' ? "mark"
                                                               : NULL;
        const bool marks = element && !*language == (*element == 'm');
        length = strcspn(lines, "\n");
        text_append(&line, lines, length);
        if (marks)
            text_printf(pen->out, "<%s%s>", element, *lines == '!' ? " class=\"risk\"" : "");
        html_escape(pen->out, length ? line.data : "");
        if (marks)
            text_printf(pen->out, "</%s>", element);
        text_puts(pen->out, "\n");
    }
    text_puts(pen->out, "</pre></div>\n");
}
