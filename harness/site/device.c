// SPDX-License-Identifier: Apache-2.0
// The page of a device and driver: what shader authors may rely on, what fails, and each test's
// result.
#include "site/site.h"

#include <stdlib.h>
#include <string.h>

static void put_header(const struct site_page *page, struct text *out)
{
    const struct report_model *model = page->html.model;
    const struct dev_facts *facts = &model->devices[0].facts;
    OWNED(text_free) struct text verdict = {0};
    report_verdict(model, 0, &verdict);
    html_printf(out,
                "<header id=\"top\">\n<p class=\"kicker\">Device and driver</p>\n<h1>%s "
                "<small>driver %s</small></h1>\n<p class=\"verdict %s\"><span>%s.</span></p>\n<p "
                "class=\"soft\">%s \xc2\xb7 Vulkan %s \xc2\xb7 subgroups of %s</p>\n</header>\n",
                facts->name, facts->driver_version, site_has_bug(model) ? "bad" : "good",
                verdict.data, facts->driver_info[0] ? facts->driver_info : facts->driver_name,
                API(facts->api), SUBGROUP(facts));
}

// ---- what to rely on

static void put_rely(const struct site_page *page, struct text *out)
{
    html_section(&page->html, report_key_results, HTML_ALL | HTML_NO_NOTES, out);
    html_section(&page->html, report_advice_failed, 0, out);
    html_section(&page->html, report_advice_held, 0, out);
    html_section(&page->html, report_advice_open, 0, out);
    html_section(&page->html, report_barriers, 0, out);
    html_section(&page->html, report_waits, 0, out);
    html_section(&page->html, report_divergence, 0, out);
}

// ---- tests

static void put_family(const struct site_page *page, size_t first, size_t count, struct text *out)
{
    static const struct table_column heads[] = {CODE("test"), NUM("failed"), CHIP("worst"),
                                                RATED("highest rate or bound, 95\xc2\xa0%"),
                                                NUM("controls triggered")};
    const struct result *results = page->html.model->results;
    const char *family = results[first].family;
    OWNED(table_clear) struct table table = {.title = family, TABLE_OF(heads)};
    OWNED(text_free) struct text id = {0};
    html_slug(&id, family);
    for (size_t at = first; at < first + count;) {
        const char *test = results[at].test;
        struct site_sum sum = {0};
        for (; at < first + count && strcmp(results[at].test, test) == 0; at++)
            site_sum_add(&sum, &results[at]);
        table_row(&table);
        site_link(&table, html_test_address("../", test), test);
        site_cells(&table, &sum);
        site_controls(&table, &sum);
    }
    html_printf(out, "<div id=\"family-%s\">\n", id.data);
    html_table(&page->html, &table, false, out);
    text_puts(out, "</div>\n");
}

static void put_tests(const struct site_page *page, struct text *out)
{
    const struct report_model *model = page->html.model;
    for (size_t at = 0, count; at < model->result_count; at += count) {
        for (count = 1; at + count < model->result_count &&
                        strcmp(model->results[at].family, model->results[at + count].family) == 0;)
            count++;
        put_family(page, at, count, out);
    }
}

// ---- sessions

static void put_sessions(const struct site_page *page, struct text *out)
{
    const struct site *site = page->site;
    const size_t device = (size_t)(page->html.model - site->of_device);
    for (size_t s = site->session_count; s-- > 0;) {
        const struct report_model *session = &site->sessions[s];
        for (size_t d = 0; d < session->device_count; d++) {
            if (!site_is_device(site, device, &session->devices[d]))
                continue;
            html_printf(out, "<details class=\"bulk\"><summary>%s: litmus %s%s, %s</summary>\n",
                        SITE_DAY(session), session->session.version,
                        session->session.finished ? "" : ", not finished", site->labels[s]);
            const struct html html = {.model = session, .up = "../"};
            OWNED(table_clear) struct table table = {0};
            report_machine(session, d, true, &table);
            if (session->build.commit && session->build.commit[0])
                table_fact(&table, "commit", "%s", session->build.commit);
            html_table(&html, &table, false, out);
            text_puts(out, "</details>\n");
        }
    }
}

static void put_page(const struct site *site, size_t device, struct lit_folder *folder)
{
    static const struct site_part parts[] = {
        {"rely", "What a shader may rely on", "", put_rely},
        {"failed", "Failures", "Unexpected failures: forbidden before contested before assumed.",
         site_failed},
        {"open", "Incomplete", "", site_open},
        {"tests", "Tests", "", put_tests},
        {"sessions", "Sessions and machine", "", put_sessions},
    };
    const struct report_model *model = &site->of_device[device];
    struct report_code code;
    report_code_load(model, NULL, &code);
    struct site_page page = {.site = site, .html = {.model = model, .code = &code, .up = "../"}};
    html_make(&page.html);
    put_header(&page, &page.body);
    site_parts(&page, parts, sizeof parts / sizeof *parts);
    OWNED(text_free) struct text title = {0};
    text_puts(&title, "litmus: ");
    html_device_name(&title, &model->devices[0]);
    OWNED(lit_free) char *file = html_device_address("", &model->devices[0].facts);
    site_page_end(&page, file, title.data, folder);
    html_clear(&page.html);
    report_code_clear(&code);
}

void site_devices(const struct site *site, struct lit_folder *folder)
{
    for (size_t device = 0; device < site->all.device_count; device++)
        put_page(site, device, folder);
}
