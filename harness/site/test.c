// SPDX-License-Identifier: Apache-2.0
// The page of a test: question, rules, failures with dates, rates and code.
#include "site/site.h"

#include "catalogue/catalogue.h"

#include <string.h>

static void put_header(const struct report_model *view, const struct cat_test *test,
                       struct text *out)
{
    html_printf(out,
                "<header id=\"top\">\n<p class=\"kicker\">Test of the family %s</p>\n<h1>%s</h1>\n",
                view->results[0].family, view->results[0].test);
    if (!test)
        text_puts(out, "<p>This version of litmus does not have the test.</p>\n");
    if (test && test->head.asks)
        html_printf(out, "<p class=\"lead\">%c%s</p>\n",
                    test->head.asks[0] >= 'a' && test->head.asks[0] <= 'z' ? test->head.asks[0] - 32
                                                                           : test->head.asks[0],
                    test->head.asks[0] ? test->head.asks + 1 : "");
    if (test && test->head.fails)
        html_printf(out, "<p class=\"prose\"><b>A failure:</b> %s</p>\n", test->head.fails);
    text_puts(out, "</header>\n");
}

// ---- rules

static void put_axes(const struct cat_axis *axes, size_t count, struct text *out)
{
    for (size_t i = 0; i < count; i++) {
        html_printf(out, "<dt>%s</dt><dd>", axes[i].name);
        for (size_t v = 0; v < axes[i].count; v++)
            html_printf(out, "%s<code>%s</code>", v ? ", " : "", axes[i].values[v]);
        text_puts(out, "</dd>\n");
    }
}

static void put_rules(const struct site_page *page, struct text *out)
{
    const struct cat_test *test = cat_test_find(page->html.model->results[0].test);
    if (!test)
        return;
    const struct cat_head *head = &test->head;
    text_puts(out, "<p>The first line that holds says what a failing outcome of a configuration "
                   "means.</p>\n<ol class=\"rules\">\n");
    for (size_t i = 0; i < head->expect_count; i++) {
        const struct cat_rule *rule = &head->expect[i];
        const char *class = cat_expectation_name(rule->expectation);
        OWNED(text_free) struct text when = {0};
        cat_condition_words(head, &rule->when, &when);
        text_puts(out, "<li>");
        html_chip(out, class, class);
        if (when.length)
            html_printf(out, " when<code>%s</code>", when.data);
        if (rule->by)
            html_printf(out, " by <code>%s</code>", rule->by);
        html_printf(out, "%s%s</li>\n", rule->reason ? ": " : "", rule->reason ? rule->reason : "");
    }
    text_puts(out, "</ol>\n");
    if (head->spec_count) {
        text_puts(out, "<h3>What the specification says</h3>\n<ul class=\"rules\">\n");
        for (size_t i = 0; i < head->spec_count; i++)
            html_printf(out, "<li>%s</li>\n", head->spec[i]);
        text_puts(out, "</ul>\n");
    }
    if (head->origin)
        html_printf(out, "<h3>Origin</h3>\n<p class=\"prose\">%s</p>\n", head->origin);
    if (head->bug)
        html_printf(out, "<p>%s: %s; %s</p>\n", head->bug, head->vendor, head->status);
    text_puts(out, "<h3>Axes and parameters</h3>\n<dl class=\"facts\">\n");
    put_axes(head->axes, head->axis_count, out);
    put_axes(head->sweeps, head->sweep_count, out);
    text_puts(out, "</dl>\n");
    html_printf(out,
                "<p class=\"soft\">Source and expectations: <code>litmus show %s</code>. The "
                "rules behind <i>by</i> have their sentences in docs/spec.md.</p>\n",
                head->name);
}

// ---- failures

static void put_drivers(const struct site_page *page, struct text *out)
{
    static const struct table_column heads[] = {
        COL("device and driver"),
        NUM("failed"),
        CHIP("worst"),
        RATED("highest rate or bound, 95\xc2\xa0%"),
        COL("seen since", .without = TABLE_UNLESS_USED),
        NUM("controls triggered", .without = TABLE_UNLESS_USED)};
    const struct report_model *view = page->html.model;
    const char *test = view->results[0].test;
    OWNED(table_clear) struct table table = {.title = "Drivers", TABLE_OF(heads)};
    for (size_t at = 0; at < view->result_count;) {
        const size_t device = view->results[at].device;
        OWNED(text_free) struct text name = {0};
        struct site_sum sum = {0};
        for (; at < view->result_count && view->results[at].device == device; at++)
            site_sum_add(&sum, &view->results[at]);
        table_row(&table);
        text_printf(&name, "%u: ", view->devices[device].number);
        html_device_name(&name, &view->devices[device]);
        site_link(&table, html_device_address("../", &view->devices[device].facts), name.data);
        site_cells(&table, &sum);
        table_put(&table, TONE_PLAIN, "%.10s",
                  sum.failed ? site_since(page->site, device, test, NULL) : "")
            ->class
            = "rate";
        site_controls(&table, &sum);
    }
    html_table(&page->html, &table, false, out);
}

static void put_rates(const struct site_page *page, struct text *out)
{
    html_rates(&page->html, out);
}

static void put_code(const struct site_page *page, struct text *out)
{
    const struct site *site = page->site;
    for (size_t i = 0; i < site->code_count; i++)
        if (strcmp(site->codes[i].test, page->html.model->results[0].test) == 0)
            text_append(out, site->codes[i].html.data, site->codes[i].html.length);
}

static void put_page(const struct site *site, const struct report_model *view,
                     struct lit_folder *folder)
{
    struct report_code code;
    report_code_load(view, NULL, &code);
    struct site_page page = {.site = site,
                             .html = {.model = view, .code = &code, .up = "../", .of_test = true}};
    static const struct site_part parts[] = {
        {"drivers", "Who fails", "", put_drivers},
        {"failed", "Failures", "", site_failed},
        {"open", "Incomplete", "", site_open},
        {"rules", "Rules", "", put_rules},
        {"rates", "Failure rates",
         "How often the failing outcome was observed among the runs that were evaluated. A dotted "
         "line that ends in a bar is one-sided: nothing was observed, and the rate is below the "
         "bar.",
         put_rates},
        {"code", "Compiled code",
         "Stored code of the failures, beside that of paired variants that never failed. It shows "
         "what can fail, not what did.",
         put_code},
    };
    html_make(&page.html);
    put_header(view, cat_test_find(view->results[0].test), &page.body);
    site_parts(&page, parts, sizeof parts / sizeof *parts);
    OWNED(text_free) struct text title = {0};
    OWNED(lit_free) char *file = html_test_address("", view->results[0].test);
    text_printf(&title, "litmus: %s", view->results[0].test);
    site_page_end(&page, file, title.data, folder);
    html_clear(&page.html);
    report_code_clear(&code);
}

void site_tests(const struct site *site, struct lit_folder *folder)
{
    for (size_t at = 0; at < site->all.result_count;) {
        const struct report_model view = site_of_test(site, &at);
        put_page(site, &view, folder);
    }
}
