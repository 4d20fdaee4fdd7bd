// SPDX-License-Identifier: Apache-2.0
// The frame of every page: head, navigation, search and footer; and size limits.
#include "site/site.h"

#include "catalogue/catalogue.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SEARCH 60000 // limit on the search's data: further pages can only be reached by links

static void put_nav(const char *up, struct text *out)
{
    static const char *const links[][2] = {
        {"", "Overview"}, {"#devices", "Devices"}, {"#findings", "Findings"}, {"#tests", "Tests"}};
    text_puts(out, "<nav aria-label=\"Site\">\n<ul>\n");
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        html_printf(out, "<li><a href=\"%sindex.html%s\">%s</a></li>\n", up, links[i][0],
                    links[i][1]);
    text_puts(out, "</ul>\n<form id=\"find\" role=\"search\" hidden><input id=\"search\" "
                   "type=\"search\" aria-label=\"Search tests, devices and findings\" "
                   "aria-controls=\"found\" placeholder=\"Search\" autocomplete=\"off\" "
                   "spellcheck=\"false\"><ul id=\"found\" hidden></ul><span id=\"found-count\" "
                   "role=\"status\"></span></form>\n<button id=\"scheme\" type=\"button\" "
                   "hidden>Dark</button>\n</nav>\n");
}

static void put_frame(const struct site *site, const char *title, const char *up,
                      const struct text *body, struct text *out)
{
    html_head(title, out);
    text_puts(out, "<body>\n<a class=\"jump\" href=\"#main\">Skip to the page</a>\n");
    put_nav(up, out);
    text_puts(out, "<main id=\"main\" tabindex=\"-1\">\n");
    if (body->data)
        text_append(out, body->data, body->length);
    text_puts(
        out, "</main>\n<footer>\n<p>Made by <code>litmus site</code> from stores and reports only. "
             "Of several sessions of a device and driver each configuration is shown as in the "
             "newest one in which it failed, else as in the newest. Rates are per run, with "
             "95\xc2\xa0% Clopper-Pearson intervals unless a stopping rule is given. A rate is "
             "never 0: more runs lower the bound.</p>\n</footer>\n");
    OWNED(text_free) struct text data = {0};
    html_printf(&data, "{\"up\":\"%s\",\"pages\":[", up);
    if (site->search.data)
        text_append(&data, site->search.data, site->search.length);
    text_puts(&data, "]}");
    html_tail(&data, out);
}

void site_section(struct site_page *page, const char *id, const char *title, const char *about,
                  struct text *content)
{
    struct text *body = &page->body;
    if (content->length) {
        html_printf(
            body,
            "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s<a "
            "class=\"anchor\" href=\"#%s\" aria-label=\"Link to this section\">#</a></h2>\n",
            id, id, id, title, id);
        if (body->length + content->length > page->site->room) {
            html_printf(body,
                        "<p class=\"soft\">Left out: it has %s kB, and a page no more than %s. "
                        "<code>litmus report</code> of its session has all of it.</p>\n",
                        COUNT(content->length / 1000 + 1), COUNT(SITE_MOST_BYTES / 1000));
        } else {
            if (about[0])
                html_printf(body, "<p class=\"about\">%s</p>\n", about);
            text_append(body, content->data, content->length);
        }
        text_puts(body, "</section>\n");
    }
    text_free(content);
}

void site_failed(const struct site_page *page, struct text *out)
{
    html_failures(&page->html, out);
}

void site_open(const struct site_page *page, struct text *out)
{
    html_unfinished(&page->html, out);
}

void site_parts(struct site_page *page, const struct site_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct text content = {0};
        parts[i].put(page, &content);
        site_section(page, parts[i].id, parts[i].title, parts[i].about, &content);
    }
}

void site_page_end(struct site_page *page, const char *file, const char *title,
                   struct lit_folder *folder)
{
    put_frame(page->site, title, page->html.up, &page->body, lit_folder_add(folder, file));
    text_free(&page->body);
}

const char *site_day(char target[11], const char *time)
{
    text_sanitise(target, 11, time);
    return target;
}

void site_link(struct table *table, char *address, const char *words)
{
    table_put(table, TONE_PLAIN, "%s", words)->link = address;
}

void site_cells(struct table *table, const struct site_sum *sum)
{
    const struct result *worst = sum->worst;
    if (sum->ran)
        table_put(table, TONE_PLAIN, "%s of %s", COUNT(sum->failed), COUNT(sum->ran));
    else
        table_put(table, TONE_PLAIN, "%s", sum->open ? "no answer" : "skipped");
    if (!worst)
        table_put(table, TONE_PLAIN, "%s", sum->ran ? "passes" : "")->class = "pass";
    else
        table_put(table, TONE_PLAIN, "%s",
                  eng_is_broken(worst->result) ? eng_result_name(worst->result)
                                               : cat_expectation_name(worst->expectation))
            ->class
            = html_kind(worst);
    const struct result *shown = worst ? worst : sum->quiet;
    if (shown && shown->judged) {
        table_rate(table, TONE_PLAIN, shown->failed_runs, shown->judged, shown->interval)->group =
            (int)shown->expectation;
    } else {
        table_put(table, TONE_PLAIN, "%s", "");
    }
}

void site_controls(struct table *table, const struct site_sum *sum)
{
    if (sum->controls)
        table_put(table, TONE_PLAIN, "%zu of %zu", sum->triggered, sum->controls);
    else
        table_put(table, TONE_PLAIN, "%s", "");
}

// ---- the search

static void add_entry(struct site *site, const char *kind, const char *name, char *address,
                      const char *about, const char *more)
{
    struct text *out = &site->search;
    if (out->length < MOST_SEARCH) {
        text_puts(out, out->length ? ",\n" : "\n");
        html_json(out, json_pack("[s,o,o,o,o]", kind, json_string(name), json_string(address),
                                 json_string(about), json_string(more)));
    }
    free(address);
}

// For a test: its question, and the ids of failures.
static void add_test(struct site *site, const struct report_model *view)
{
    const struct cat_test *test = cat_test_find(view->results[0].test);
    OWNED(text_free) struct text ids = {0};
    size_t left = 12;
    text_puts(&ids, "");
    for (size_t i = 0; i < view->result_count && left; i++)
        if (report_failed(&view->results[i]) && !strstr(ids.data, view->results[i].id)) {
            text_printf(&ids, " %s", view->results[i].id);
            left--;
        }
    add_entry(site, "test", view->results[0].test, html_test_address("", view->results[0].test),
              test && test->head.asks ? test->head.asks : "", ids.data);
}

static void make_search(struct site *site)
{
    for (size_t i = 0; i < site->all.device_count; i++) {
        const struct dev_facts *facts = &site->all.devices[i].facts;
        OWNED(text_free) struct text name = {0};
        html_device_name(&name, &site->all.devices[i]);
        add_entry(site, "device", name.data, html_device_address("", facts), facts->driver_info,
                  "");
    }
    for (const struct report_signature *s = report_signatures; s->finding; s++)
        if (s == report_signatures || strcmp(s[-1].finding, s->finding) != 0)
            add_entry(site, "finding", s->title, html_finding_address("", s->finding), "",
                      s->finding);
    for (size_t at = 0; at < site->all.result_count;) {
        const struct report_model view = site_of_test(site, &at);
        add_test(site, &view);
    }
}

bool site_make(struct site *site, struct lit_folder *folder, struct lit_error *error)
{
    if (site->session_count == 0)
        return lit_fail(error, LIT_EXIT_USAGE, "no results: nothing to make pages of");
    site_gather(site);
    make_search(site);
    OWNED(text_free) struct text frame = {0};
    const struct text none = {0};
    put_frame(site, "", "../", &none, &frame);
    site->room = SITE_MOST_BYTES - frame.length - 2000; // for titles and note of omissions
    site_index(site, folder);
    site_devices(site, folder);
    site_tests(site, folder);
    site_findings(site, folder);
    return true;
}
