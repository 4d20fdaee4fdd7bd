// SPDX-License-Identifier: Apache-2.0
// The page of a finding: its report, and its occurrences in the results.
#include "site/site.h"

#include <string.h>

// ---- occurrences

static void put_seen(const struct site_page *page, const char *finding, struct text *out)
{
    static const struct table_column heads[] = {COL("device and driver"),
                                                CODE("test"),
                                                NUM("failed"),
                                                CHIP("worst"),
                                                RATED("highest rate or bound, 95\xc2\xa0%"),
                                                COL("since")};
    const struct report_model *all = page->html.model;
    OWNED(table_clear) struct table table = {.title = "Where it is seen", TABLE_OF(heads)};
    for (size_t d = 0; d < all->device_count; d++)
        for (size_t at = 0; at < all->result_count;) {
            const struct result *first = &all->results[at];
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

static void put_page(const struct site *site, const struct report_signature *first,
                     struct lit_folder *folder)
{
    struct site_page page = {.site = site, .html = {.model = &site->all, .up = "../"}};
    struct text content = {0};
    page.html.decades = html_decades(&site->all);
    text_puts(&page.body, "<header id=\"top\">\n<p class=\"kicker\">Finding</p>\n<h1>");
    text_printf(&page.body, "%s</h1>\n%s", first->parts->title, first->parts->html);
    html_printf(
        &page.body,
        "<p class=\"soft\">This report, and beside it the facts of which <code>litmus repro</code> "
        "makes the reproducer: <code>%s</code> in the source of litmus.</p>\n</header>\n",
        first->path);
    put_seen(&page, first->finding, &content);
    site_section(&page, "seen", "Where it is seen", "", &content);
    for (const struct report_part *part = first->parts + 1; part->html; part++) {
        text_puts(&content, part->html);
        site_section(&page, part->id, part->title, "", &content);
    }
    OWNED(text_free) struct text title = {0};
    OWNED(lit_free) char *file = html_finding_address("", first->finding);
    text_printf(&title, "litmus: %s", first->title);
    site_page_end(&page, file, title.data, folder);
}

void site_findings(const struct site *site, struct lit_folder *folder)
{
    for (const struct report_signature *s = report_signatures; s->finding; s++)
        if (s == report_signatures || strcmp(s[-1].finding, s->finding) != 0)
            put_page(site, s, folder);
}
