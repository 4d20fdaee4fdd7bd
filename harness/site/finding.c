// SPDX-License-Identifier: Apache-2.0
// The page of a finding: the beginning of its report, and where the results have it.
#include "site/site.h"

#include <string.h>

// ---- Markdown

// Where a text of `mark` ends that begins at `at`; NULL if it does not.
static const char *end_of(const char *at, const char *mark)
{
    const char *end = strstr(at, mark);
    return end && end != at ? end : NULL;
}

static void put_piece(struct text *out, const char *start, const char *end)
{
    OWNED(text_free) struct text piece = {0};
    text_append(&piece, start, (size_t)(end - start));
    html_printf(out, "%s", piece.data ? piece.data : "");
}

void site_markdown_line(struct text *out, const char *line)
{
    const char *plain = line, *end;
    while (*line) {
        const bool code = *line == '`', bold = strncmp(line, "**", 2) == 0;
        if ((code || bold) && (end = end_of(line + 1 + bold, code ? "`" : "**"))) {
            put_piece(out, plain, line);
            text_puts(out, code ? "<code>" : "<b>");
            put_piece(out, line + 1 + bold, end);
            text_puts(out, code ? "</code>" : "</b>");
            plain = line = end + 1 + bold;
        } else if (*line == '[' && (end = end_of(line + 1, "](")) && strchr(end, ')')) {
            const char *last = strchr(end, ')');
            const bool outside = strncmp(end + 2, "https://", 8) == 0;
            put_piece(out, plain, line);
            if (outside) {
                text_puts(out, "<a rel=\"noreferrer\" href=\"");
                put_piece(out, end + 2, last);
                text_puts(out, "\">");
            }
            put_piece(out, line + 1, end);
            text_puts(out, outside ? "</a>" : "");
            plain = line = last + 1;
        } else {
            line++;
        }
    }
    put_piece(out, plain, line);
}

void site_markdown(struct text *out, const char *markdown)
{
    bool list = false;
    OWNED(text_free) struct text block = {0};
    while (*markdown || block.length) {
        const size_t length = strcspn(markdown, "\n");
        const bool item = strncmp(markdown, "- ", 2) == 0;
        if (block.length && (length == 0 || item)) { // what stood before is whole
            text_puts(out, list ? "<li>" : "<p>");
            site_markdown_line(out, block.data);
            text_puts(out, list ? "</li>\n" : "</p>\n");
            text_free(&block);
        }
        if (list && !item && block.length == 0) {
            text_puts(out, "</ul>\n");
            list = false;
        }
        if (item && !list)
            text_puts(out, "<ul class=\"rules\">\n");
        list = list || item;
        if (length) {
            text_puts(&block, block.length ? " " : "");
            text_append(&block, markdown + 2 * item, length - 2 * item);
        }
        markdown += length + (markdown[length] == '\n');
    }
    text_puts(out, list ? "</ul>\n" : "");
}

// ---- where it is

static void put_seen(const struct site_page *page, const char *finding, struct text *out)
{
    static const struct table_column heads[] = {
        {.title = "device and driver"},
        {.title = "test", .kind = TABLE_CODE},
        {.title = "failed", .kind = TABLE_NUMBER},
        {.title = "worst", .kind = TABLE_CHIP},
        {.title = "highest rate or bound, 95\xc2\xa0%", .kind = TABLE_RATE},
        {.title = "since"},
    };
    const struct report_model *all = page->html.model;
    OWNED(table_clear) struct table table = {.title = "Where it is seen", TABLE_OF(heads)};
    for (size_t d = 0; d < all->device_count; d++)
        for (size_t at = 0; at < all->result_count;) {
            const struct report_result *first = &all->results[at];
            struct site_sum sum = {0};
            OWNED(text_free) struct text name = {0};
            for (; at < all->result_count && strcmp(all->results[at].test, first->test) == 0; at++)
                if (all->results[at].device == d && site_is_of(all, &all->results[at], finding))
                    site_sum_add(&sum, &all->results[at]);
            if (sum.failed == 0)
                continue;
            html_device_name(&name, &all->devices[d]);
            table_row(&table);
            site_link(&table, html_device_address("../", &all->devices[d].facts), name.data);
            site_link(&table, html_test_address("../", first->test), first->test);
            site_cells(&table, &sum);
            table_put(&table, TONE_PLAIN, "%.10s", site_since(page->site, d, first->test, finding))
                ->class
                = "rate";
        }
    html_table(&page->html, &table, false, out);
    if (table.count == 0)
        text_puts(out, "<p>None of the results of this site.</p>\n");
}

// The results that reports take for it.
static void put_signature(const struct site_page *page, const struct report_signature *first,
                          struct text *out)
{
    static const struct table_column heads[] = {
        {.title = "test", .kind = TABLE_CODE},
        {.title = "outcome"},
        {.title = "values"},
        {.title = "driver"},
    };
    OWNED(table_clear)
    struct table table = {.title = "Signature",
                          .about = "Results that a line of these describes are taken for it: * "
                                   "stands for any text.",
                          TABLE_OF(heads)};
    for (const struct report_signature *s = first;
         s->finding && strcmp(s->finding, first->finding) == 0; s++) {
        table_row(&table);
        table_put(&table, TONE_PLAIN, "%s", s->test);
        table_put(&table, TONE_PLAIN, "%s", s->outcome);
        table_put(&table, TONE_PLAIN, "%s", s->values);
        table_put(&table, TONE_PLAIN, "%s", s->driver);
    }
    html_table(&page->html, &table, false, out);
}

static void put_page(const struct site *site, const struct report_signature *first,
                     struct lit_folder *folder)
{
    struct site_page page = {.site = site, .html = {.model = &site->all, .up = "../"}};
    struct text content = {0};
    page.html.decades = html_decades(&site->all);
    text_puts(&page.body, "<header id=\"top\">\n<p class=\"kicker\">Finding</p>\n<h1>");
    site_markdown_line(&page.body, first->title);
    text_puts(&page.body, "</h1>\n<div class=\"prose\">\n");
    site_markdown(&page.body, first->about);
    html_printf(&page.body,
                "</div>\n<p class=\"soft\">The whole report, with its reproducer beside it: "
                "<code>%s</code> in the source of litmus.</p>\n</header>\n",
                first->path);
    put_seen(&page, first->finding, &content);
    site_section(&page, "seen", "Where it is seen", "", &content);
    put_signature(&page, first, &content);
    site_section(&page, "signature", "Signature", "", &content);
    OWNED(text_free) struct text title = {0};
    OWNED(lit_free) char *file = html_finding_address("", first->finding);
    OWNED(lit_free) char *plain = site_plain(first->title);
    text_printf(&title, "litmus: %s", plain);
    site_page_end(&page, file, title.data, folder);
}

void site_findings(const struct site *site, struct lit_folder *folder)
{
    for (const struct report_signature *s = report_signatures; s->finding; s++)
        if (s == report_signatures || strcmp(s[-1].finding, s->finding) != 0)
            put_page(site, s, folder);
}
