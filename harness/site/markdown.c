// SPDX-License-Identifier: Apache-2.0
// Converts the subset of Markdown used in reports of findings to HTML.
#include "site/site.h"

#include <ctype.h>
#include <string.h>

// ---- inline elements

// The end of a span delimited by `mark` that begins at `at`; NULL if unterminated.
static const char *end_of(const char *at, const char *mark)
{
    const char *end = strstr(at, mark);
    return end && end != at ? end : NULL;
}

// The end of emphasis that begins after the * at `at`: it must surround words.
static const char *end_of_emphasis(const char *at)
{
    const char *end = isalpha((unsigned char)at[1]) ? strchr(at + 1, '*') : NULL;
    return end && end[-1] != ' ' && !isalnum((unsigned char)end[1]) ? end : NULL;
}

static void put_plain(struct text *out, const char *start, const char *end)
{
    OWNED(text_free) struct text piece = {0};
    text_append(&piece, start, (size_t)(end - start));
    html_printf(out, "%s", piece.data ? piece.data : "");
}

static void put_marked(struct text *out, const char *start, const char *end, const char *element)
{
    OWNED(text_free) struct text piece = {0};
    text_append(&piece, start, (size_t)(end - start));
    text_printf(out, "<%s>", element);
    if (strcmp(element, "code") == 0)
        html_printf(out, "%s", piece.data);
    else
        site_markdown_line(out, piece.data);
    text_printf(out, "</%s>", element);
}

// The page of the finding that a link to a sibling report means; "" for any other link.
static void put_sibling(struct text *out, const char *target, size_t length)
{
    text_puts(out, "");
    for (const struct report_signature *s = report_signatures; s->finding; s++) {
        const size_t name = strlen(s->finding);
        if (name + 3 == length && !strncmp(target, s->finding, name) &&
            !strncmp(target + name, ".md", 3)) {
            OWNED(lit_free) char *address = html_finding_address("../", s->finding);
            text_puts(out, address);
            return;
        }
    }
}

// A link [words](target); only the words if the site lacks the page.
static void put_link(struct text *out, const char *words, const char *between, const char *end)
{
    OWNED(text_free) struct text target = {0}, text = {0};
    const char *to = between + 2;
    if (strncmp(to, "https://", 8) == 0)
        text_append(&target, to, (size_t)(end - to));
    else
        put_sibling(&target, to, (size_t)(end - to));
    text_append(&text, words, (size_t)(between - words));
    if (target.length)
        html_printf(out, "<a rel=\"noreferrer\" href=\"%s\">", target.data);
    site_markdown_line(out, text.data);
    text_puts(out, target.length ? "</a>" : "");
}

void site_markdown_line(struct text *out, const char *line)
{
    const char *plain = line, *end;
    while (*line) {
        const bool bold = strncmp(line, "**", 2) == 0;
        const char *begin = line, *element = NULL, *next = NULL;
        if (*line == '`' && (end = end_of(line + 1, "`")))
            element = "code", next = end + 1;
        else if (bold && (end = end_of(line + 2, "**")))
            element = "b", begin++, next = end + 2;
        else if (*line == '*' && !bold && (end = end_of_emphasis(line)))
            element = "em", next = end + 1;
        else if (*line == '[' && (end = end_of(line + 1, "](")) && strchr(end, ')'))
            next = strchr(end, ')') + 1;
        if (!next) {
            line++;
            continue;
        }
        put_plain(out, plain, line);
        if (element)
            put_marked(out, begin + 1, end, element);
        else
            put_link(out, line + 1, end, next - 1);
        plain = line = next;
    }
    put_plain(out, plain, line);
}

// ---- blocks

struct writer {
    struct text *out;
    struct text block;    // current paragraph or item
    const char *list;     // element of the enclosing list; NULL: none
    struct text headings; // of a table's columns, one per line; empty: no table
};

static void end_block(struct writer *w)
{
    if (w->block.length) {
        text_puts(w->out, w->list ? "<li>" : "<p>");
        site_markdown_line(w->out, w->block.data);
        text_puts(w->out, w->list ? "</li>\n" : "</p>\n");
    }
    w->block.length = 0;
}

static void end_list(struct writer *w)
{
    end_block(w);
    if (w->list)
        text_printf(w->out, "</%s>\n", w->list);
    w->list = NULL;
}

static void end_table(struct writer *w)
{
    if (w->headings.length)
        text_puts(w->out, "</tbody></table></div>\n");
    w->headings.length = 0;
}

// A line "| cell | cell |": a table's first line has the headings, its second is a separator.
static void put_row(struct writer *w, const char *line, const char *end)
{
    const bool first = w->headings.length == 0;
    const char *heading = first ? "" : w->headings.data;
    if (strspn(line, "|- :") >= (size_t)(end - line))
        return;
    text_puts(w->out,
              first ? "<div class=\"wide\" role=\"region\" aria-label=\"Table\" tabindex=\"0\">"
                      "<table class=\"plain\">\n<thead><tr>"
                    : "<tr>");
    for (const char *cell = line + 1, *next; cell < end; cell = next + 1) {
        OWNED(text_free) struct text text = {0}, label = {0};
        bool code = false;
        for (next = cell; next < end && (*next != '|' || code); next++)
            code ^= *next == '`';
        cell += strspn(cell, " ");
        text_append(&text, cell, next > cell ? (size_t)(next - cell) : 0);
        while (text.length && text.data[text.length - 1] == ' ')
            text.data[--text.length] = '\0';
        const size_t length = strcspn(heading, "\n");
        text_append(&label, heading, length);
        heading += length + (heading[length] == '\n');
        if (first)
            text_puts(w->out, "<th scope=\"col\">");
        else
            html_printf(w->out, "<td data-of=\"%s\">", label.data ? label.data : "");
        site_markdown_line(w->out, text.data ? text.data : "");
        text_puts(w->out, first ? "</th>" : "</td>");
        for (const char *c = text.data; first && c && *c; c++)
            if (!strchr("`*", *c))
                text_append(&w->headings, c, 1);
        text_puts(&w->headings, first ? "\n" : "");
    }
    text_puts(w->out, first ? "</tr></thead>\n<tbody>\n" : "</tr>\n");
}

// The length of a list item's mark at the start of a line, and the list's element in *list; 0 for
// none. A number at the start of a continued paragraph is no mark.
static size_t item_mark(const struct writer *w, const char *line, const char **list)
{
    const size_t digits = strspn(line, "0123456789");
    const bool numbered = digits && digits < 3 && strncmp(line + digits, ". ", 2) == 0 &&
                          (!w->block.length || (w->list && !strcmp(w->list, "ol")));
    if (numbered || strncmp(line, "- ", 2) == 0)
        *list = numbered ? "ol" : "ul";
    return numbered ? digits + 2 : strncmp(line, "- ", 2) == 0 ? 2 : 0;
}

static void put_line(struct writer *w, const char *line, size_t length)
{
    const char *list = NULL;
    const size_t mark = item_mark(w, line, &list), blanks = mark ? mark : strspn(line, " ");
    if (mark || length == 0)
        end_block(w);
    if (mark ? !w->list || strcmp(w->list, list) != 0 : !w->block.length)
        end_list(w);
    if (mark && !w->list)
        text_printf(w->out, "<%s class=\"rules\">\n", list);
    if (mark)
        w->list = list;
    text_puts(&w->block, w->block.length ? " " : "");
    if (length > blanks)
        text_append(&w->block, line + blanks, length - blanks);
}

void site_markdown(struct text *out, const char *markdown)
{
    struct writer w = {.out = out};
    bool code = false;
    while (*markdown) {
        const size_t length = strcspn(markdown, "\n");
        const char *end = markdown + length;
        const bool fence = strncmp(markdown, "```", 3) == 0, row = !code && *markdown == '|';
        if (fence || row)
            end_list(&w);
        if (!row)
            end_table(&w);
        if (fence) {
            text_puts(out, code ? "</pre></div>\n" : "<div class=\"listing\"><pre>");
            code = !code;
        } else if (code) {
            put_plain(out, markdown, end);
            text_puts(out, "\n");
        } else if (row) {
            put_row(&w, markdown, end);
        } else {
            put_line(&w, markdown, length);
        }
        markdown = end + (*end == '\n');
    }
    end_list(&w);
    end_table(&w);
    text_puts(out, code ? "</pre></div>\n" : "");
    text_free(&w.block);
    text_free(&w.headings);
}
