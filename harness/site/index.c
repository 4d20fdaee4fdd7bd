// SPDX-License-Identifier: Apache-2.0
// The first page: failures of each family by device and driver, and lists of all pages.
#include "site/site.h"

#include "catalogue/catalogue.h"

#include <stdlib.h>
#include <string.h>

// ---- the heat map

// The families of all results, sorted by name. *list is allocated; the names belong to the results.
static size_t find_families(const struct site *site, const char ***list)
{
    size_t count = 0;
    *list = NULL;
    REPORT_EACH (result, &site->all, REPORT_ALL) {
        const char *family = result->family;
        if (count && strcmp((*list)[count - 1], family) == 0) // sorted by test, so by family
            continue;
        *list = lit_grow((void *)*list, count, sizeof **list);
        (*list)[count++] = family;
    }
    return count;
}

static void put_heat(const struct site *site, size_t device, const char *family,
                     struct table *table)
{
    static const char *const classes[] = {"heat", "heat h1", "heat h2", "heat h3", "heat h4"};
    struct site_sum sum = {0};
    const struct report_model *model = &site->of_device[device];
    REPORT_EACH (result, model, REPORT_ALL)
        if (strcmp(result->family, family) == 0)
            site_sum_add(&sum, result);
    struct table_cell *cell = sum.failed ? table_put(table, TONE_PLAIN, "%s", COUNT(sum.failed))
                                         : table_put(table, TONE_PLAIN, "%s",
                                                     sum.ran       ? "0"
                                                     : sum.open    ? "?"
                                                     : sum.skipped ? "\xe2\x80\x93"
                                                                   : "");
    cell->class = classes[site_heat(&sum)];
    if (cell->text[0]) {
        struct text address = {0};
        text_puts(&address, "device/");
        html_device_slug(&address, &model->devices[0].facts);
        text_puts(&address, ".html#family-");
        html_slug(&address, family);
        cell->link = address.data;
    }
}

static void put_map(const struct site_page *page, struct text *out)
{
    const struct site *site = page->site;
    OWNED(lit_free) const char **families = NULL;
    const size_t count = find_families(site, &families);
    OWNED(lit_free) struct table_column *heads = lit_alloc(count + 1, sizeof *heads);
    heads[0].title = "device and driver";
    for (size_t f = 0; f < count; f++)
        heads[f + 1].title = families[f];
    OWNED(table_clear)
    struct table table = {.title = "Failures by device, driver and family",
                          .about = "Configurations that failed, controls left out: the redder, the "
                                   "higher the highest rate. 0: all passed. \xe2\x80\x93: skipped, "
                                   "for the device lacks what they need. ?: no answer.",
                          .class = "map",
                          .columns = heads,
                          .column_count = count + 1};
    for (size_t d = 0; d < site->all.device_count; d++) {
        const struct dev_facts *facts = &site->all.devices[d].facts;
        OWNED(text_free) struct text name = {0};
        html_device_name(&name, &site->all.devices[d]);
        table_row(&table);
        site_link(&table, html_device_address("", facts), name.data);
        for (size_t f = 0; f < count; f++)
            put_heat(site, d, families[f], &table);
    }
    html_table(&page->html, &table, false, out);
}

// ---- lists

static void put_devices(const struct site_page *page, struct text *out)
{
    static const struct table_column heads[] = {COL("device"),   COL("driver"), NUM("subgroups"),
                                                NUM("sessions"), COL("newest"), COL("verdict")};
    const struct site *site = page->site;
    OWNED(table_clear) struct table table = {.title = "Devices", TABLE_OF(heads)};
    for (size_t d = 0; d < site->all.device_count; d++) {
        const struct dev_facts *facts = &site->all.devices[d].facts;
        OWNED(text_free) struct text verdict = {0};
        const char *newest = "";
        size_t sessions = 0;
        for (size_t s = 0; s < site->session_count; s++)
            for (size_t i = 0; i < site->sessions[s].device_count; i++)
                if (site_is_device(site, d, &site->sessions[s].devices[i])) {
                    sessions++;
                    newest = site->sessions[s].session.started;
                }
        report_verdict(&site->of_device[d], 0, &verdict);
        table_row(&table);
        site_link(&table, html_device_address("", facts), facts->name);
        table_put(&table, TONE_PLAIN, "%s %s", facts->driver_name, facts->driver_version);
        table_put(&table, TONE_PLAIN, "%u", facts->subgroup);
        table_count(&table, TONE_PLAIN, sessions);
        table_put(&table, TONE_PLAIN, "%.10s", newest)->class = "rate";
        table_put(&table, TONE_PLAIN, "%s", verdict.data);
    }
    html_table(&page->html, &table, false, out);
}

static bool has_finding(const struct site *site, size_t device, const char *finding)
{
    const struct report_model *model = &site->of_device[device];
    REPORT_EACH (result, model, REPORT_ALL)
        if (site_is_of(model, result, finding))
            return true;
    return false;
}

static void put_findings(const struct site_page *page, struct text *out)
{
    static const struct table_column heads[] = {COL("finding"), COL("seen here on")};
    const struct site *site = page->site;
    OWNED(table_clear) struct table table = {.title = "Findings", TABLE_OF(heads)};
    for (const struct report_signature *s = report_signatures; s->finding; s++) {
        if (s != report_signatures && strcmp(s[-1].finding, s->finding) == 0)
            continue; // another paragraph of the same finding
        OWNED(text_free) struct text seen = {0};
        for (size_t d = 0; d < site->all.device_count; d++)
            if (has_finding(site, d, s->finding))
                text_printf(&seen, "%s%s %s", seen.length ? ", " : "",
                            site->all.devices[d].facts.driver_name,
                            site->all.devices[d].facts.driver_version);
        table_row(&table);
        site_link(&table, html_finding_address("", s->finding), s->title);
        table_put(&table, TONE_PLAIN, "%s", seen.length ? seen.data : "\xe2\x80\x93");
    }
    html_table(&page->html, &table, false, out);
}

// A row for a test: on how many of the drivers it failed, and the worst failure.
static void put_test(const struct report_model *view, struct table *table)
{
    const struct cat_test *test = cat_test_find(view->results[0].test);
    struct site_sum all = {0};
    size_t ran = 0, failed = 0;
    for (size_t at = 0; at < view->result_count;) {
        const size_t device = view->results[at].device;
        struct site_sum sum = {0};
        for (; at < view->result_count && view->results[at].device == device; at++) {
            site_sum_add(&sum, &view->results[at]);
            site_sum_add(&all, &view->results[at]);
        }
        ran += sum.ran > 0;
        failed += sum.failed > 0;
    }
    table_row(table);
    site_link(table, html_test_address("", view->results[0].test), view->results[0].test);
    table_put(table, TONE_PLAIN, "%s", test && test->head.asks ? test->head.asks : "");
    if (ran)
        table_put(table, TONE_PLAIN, "%s%zu of %zu", failed ? "" : "none: ", failed, ran);
    else
        table_put(table, TONE_PLAIN, "%s",
                  all.open      ? "no answer"
                  : all.skipped ? "skipped"
                                : "control");
    table_put(table, TONE_PLAIN, "%s",
              all.worst ? cat_expectation_name(all.worst->expectation) : "")
        ->class
        = all.worst ? html_kind(all.worst) : "plain";
}

static void put_tests(const struct site_page *page, struct text *out)
{
    static const struct table_column heads[] = {CODE("test"), COL("question"),
                                                COL("fails on drivers"), CHIP("class")};
    const struct report_model *all = &page->site->all;
    for (size_t at = 0; at < all->result_count;) {
        const char *family = all->results[at].family;
        OWNED(table_clear) struct table table = {.title = family, .class = "list", TABLE_OF(heads)};
        while (at < all->result_count && strcmp(all->results[at].family, family) == 0) {
            const struct report_model view = site_of_test(page->site, &at);
            put_test(&view, &table);
        }
        html_table(&page->html, &table, false, out);
    }
}

static void put_header(const struct site *site, struct text *out)
{
    size_t bad = 0;
    for (size_t d = 0; d < site->all.device_count; d++)
        bad += site_has_bug(&site->of_device[d]);
    html_printf(out,
                "<header id=\"top\">\n<p class=\"kicker\">litmus \xc2\xb7 subgroup behaviour of "
                "Vulkan drivers</p>\n<h1>%zu device%s and driver%s</h1>\n<p class=\"verdict "
                "%s\"><strong>%zu of %zu</strong> <span>failed a forbidden configuration: a driver "
                "bug.</span></p>\n<p class=\"soft\">%zu session%s, %s to %s.</p>\n</header>\n",
                site->all.device_count, site->all.device_count == 1 ? "" : "s",
                site->all.device_count == 1 ? "" : "s", bad ? "bad" : "good", bad,
                site->all.device_count, site->session_count, site->session_count == 1 ? "" : "s",
                SITE_DAY(&site->sessions[0]), SITE_DAY(&site->sessions[site->session_count - 1]));
}

static void put_classes(const struct site_page *page, struct text *out)
{
    (void)page;
    text_puts(out, "<dl class=\"facts\">\n");
    for (enum cat_expectation e = CAT_FORBIDDEN; e <= CAT_CONTROL; e++) {
        text_puts(out, "<dt>");
        html_chip(out, cat_expectation_name(e), cat_expectation_name(e));
        html_printf(out, "</dt><dd>%s</dd>\n", cat_expectation_meaning(e));
    }
    text_puts(out, "</dl>\n");
}

void site_index(const struct site *site, struct lit_folder *folder)
{
    struct site_page page = {.site = site, .html = {.model = &site->all, .up = ""}};
    static const struct site_part parts[] = {
        {"map", "Families and drivers", "", put_map},
        {"devices", "Devices", "", put_devices},
        {"findings", "Findings",
         "Driver bugs that were examined, with a reproducer each in reports/findings of the source "
         "of litmus.",
         put_findings},
        {"tests", "Tests",
         "Each with its question, and on how many of the drivers that ran it it "
         "failed.",
         put_tests},
        {"classes", "What a failure means", "", put_classes},
    };
    put_header(site, &page.body);
    site_parts(&page, parts, sizeof parts / sizeof *parts);
    site_page_end(&page, "index.html", "litmus: results of Vulkan drivers", folder);
}
