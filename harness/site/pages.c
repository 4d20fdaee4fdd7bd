// SPDX-License-Identifier: Apache-2.0
// The pages: the frame of each, those of devices, findings and tests, and the first page, with
// failures of each family by device and driver, and lists of all pages.
#include "site/site.h"

#include "catalogue/catalogue.h"

#define MOST_BYTES  300000 // per page; content beyond is omitted with a note
#define MOST_SEARCH 60000  // limit on the search's data: further pages can only be reached by links

// A session's day.
#define DAY(model) day_of((char[11]){0}, (model)->session.started)

// A page under construction.
struct page {
    const struct site *site;
    struct html html; // for tables and failures; its `up` is set
    struct text body;
};

// A section of a page.
struct part {
    const char *id, *title, *about;
    void (*put)(const struct page *page, struct text *out); // or
    void (*of_html)(const struct html *html, struct text *out);
};

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

static void put_section(struct page *page, const char *id, const char *title, const char *about,
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
                        COUNT(content->length / 1000 + 1), COUNT(MOST_BYTES / 1000));
        } else {
            if (about[0])
                html_printf(body, "<p class=\"about\">%s</p>\n", about);
            text_append(body, content->data, content->length);
        }
        text_puts(body, "</section>\n");
    }
    text_free(content);
}

static void put_parts(struct page *page, const struct part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct text content = {0};
        if (parts[i].put)
            parts[i].put(page, &content);
        else
            parts[i].of_html(&page->html, &content);
        put_section(page, parts[i].id, parts[i].title, parts[i].about, &content);
    }
}

static void end_page(struct page *page, const char *file, const char *title,
                     struct lit_folder *folder)
{
    put_frame(page->site, title, page->html.up, &page->body, lit_folder_add(folder, file));
    text_free(&page->body);
}

static const char *day_of(char target[11], const char *time)
{
    text_sanitise(target, 11, time);
    return target;
}

static void put_link(struct table *table, char *address, const char *words)
{
    table_put(table, TONE_PLAIN, "%s", words)->link = address;
}

static void put_sum(struct table *table, const struct site_sum *sum)
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
    if (shown && shown->judged)
        table_rate(table, TONE_PLAIN, shown->failed_runs, shown->judged, shown->interval)->group =
            (int)shown->expectation;
    else
        table_put(table, TONE_PLAIN, "%s", "");
}

static void put_controls(struct table *table, const struct site_sum *sum)
{
    if (sum->controls)
        table_put(table, TONE_PLAIN, "%zu of %zu", sum->triggered, sum->controls);
    else
        table_put(table, TONE_PLAIN, "%s", "");
}

// ---- a device and driver: what to rely on, what fails, and each test's result

static void device_header(const struct page *page, struct text *out)
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

static void put_rely(const struct page *page, struct text *out)
{
    html_section(&page->html, report_key_results, HTML_ALL | HTML_NO_NOTES, out);
    html_section(&page->html, report_advice_failed, 0, out);
    html_section(&page->html, report_advice_held, 0, out);
    html_section(&page->html, report_advice_open, 0, out);
    html_section(&page->html, report_barriers, 0, out);
    html_section(&page->html, report_waits, 0, out);
    html_section(&page->html, report_divergence, 0, out);
}

static void put_device_family(const struct page *page, size_t first, size_t count, struct text *out)
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
        put_link(&table, html_test_address("../", test), test);
        put_sum(&table, &sum);
        put_controls(&table, &sum);
    }
    html_printf(out, "<div id=\"family-%s\">\n", id.data);
    html_table(&page->html, &table, false, out);
    text_puts(out, "</div>\n");
}

static void put_device_tests(const struct page *page, struct text *out)
{
    const struct report_model *model = page->html.model;
    for (size_t at = 0, count; at < model->result_count; at += count) {
        for (count = 1; at + count < model->result_count &&
                        strcmp(model->results[at].family, model->results[at + count].family) == 0;)
            count++;
        put_device_family(page, at, count, out);
    }
}

static void put_sessions(const struct page *page, struct text *out)
{
    const struct site *site = page->site;
    const size_t device = (size_t)(page->html.model - site->of_device);
    for (size_t s = site->session_count; s-- > 0;) {
        const struct report_model *session = &site->sessions[s];
        for (size_t d = 0; d < session->device_count; d++) {
            if (!site_is_device(site, device, &session->devices[d]))
                continue;
            html_printf(out, "<details class=\"bulk\"><summary>%s: litmus %s%s, %s</summary>\n",
                        DAY(session), session->session.version,
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

static void put_device_page(const struct site *site, size_t device, struct lit_folder *folder)
{
    static const struct part parts[] = {
        {"rely", "What a shader may rely on", "", put_rely, NULL},
        {"failed", "Failures", "Unexpected failures: forbidden before contested before assumed.",
         NULL, html_failures},
        {"open", "Incomplete", "", NULL, html_unfinished},
        {"tests", "Tests", "", put_device_tests, NULL},
        {"sessions", "Sessions and machine", "", put_sessions, NULL},
    };
    const struct report_model *model = &site->of_device[device];
    OWNED(report_code_clear) struct report_code code = report_code_load(model, NULL);
    struct page page = {.site = site, .html = {.model = model, .code = &code, .up = "../"}};
    html_make(&page.html);
    device_header(&page, &page.body);
    put_parts(&page, parts, sizeof parts / sizeof *parts);
    OWNED(text_free) struct text title = {0};
    text_puts(&title, "litmus: ");
    html_device_name(&title, &model->devices[0]);
    OWNED(lit_free) char *file = html_device_address("", &model->devices[0].facts);
    end_page(&page, file, title.data, folder);
    html_clear(&page.html);
}

// ---- a finding: its report, and its occurrences in the results

static void put_seen(const struct page *page, const char *finding, struct text *out)
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
            put_link(&table, html_device_address("../", &all->devices[d].facts), name.data);
            put_link(&table, html_test_address("../", first->test), first->test);
            put_sum(&table, &sum);
            table_put(&table, TONE_PLAIN, "%.10s", site_since(page->site, d, first->test, finding))
                ->class
                = "rate";
        }
    html_table(&page->html, &table, false, out);
    if (table.count == 0)
        text_puts(out, "<p>None of the results of this site.</p>\n");
}

static void put_finding_page(const struct site *site, const struct report_signature *first,
                             struct lit_folder *folder)
{
    struct page page = {.site = site, .html = {.model = &site->all, .up = "../"}};
    struct text content = {0};
    page.html.decades = html_decades(&site->all);
    text_puts(&page.body, "<header id=\"top\">\n<p class=\"kicker\">Finding</p>\n<h1>");
    text_printf(&page.body, "%s</h1>\n%s", first->parts->title, first->parts->html);
    html_printf(
        &page.body,
        "<p class=\"soft\">This report: <code>%s</code> in the source of litmus. "
        "<code>litmus repro</code> makes the reproducer from the facts beside it.</p>\n</header>\n",
        first->path);
    put_seen(&page, first->finding, &content);
    put_section(&page, "seen", "Where it is seen", "", &content);
    for (const struct report_part *part = first->parts + 1; part->html; part++) {
        text_puts(&content, part->html);
        put_section(&page, part->id, part->title, "", &content);
    }
    OWNED(text_free) struct text title = {0};
    OWNED(lit_free) char *file = html_finding_address("", first->finding);
    text_printf(&title, "litmus: %s", first->title);
    end_page(&page, file, title.data, folder);
}

// ---- a test: question, rules, failures with dates, rates and code

static void test_header(const struct report_model *view, const struct cat_test *test,
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

static void put_axes(const struct cat_axis *axes, size_t count, struct text *out)
{
    for (size_t i = 0; i < count; i++) {
        html_printf(out, "<dt>%s</dt><dd>", axes[i].name);
        for (size_t v = 0; v < axes[i].count; v++)
            html_printf(out, "%s<code>%s</code>", v ? ", " : "", axes[i].values[v]);
        text_puts(out, "</dd>\n");
    }
}

static void put_rules(const struct page *page, struct text *out)
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

static void put_drivers(const struct page *page, struct text *out)
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
        struct site_sum sum = {0};
        for (; at < view->result_count && view->results[at].device == device; at++)
            site_sum_add(&sum, &view->results[at]);
        table_row(&table);
        OWNED(text_free) struct text name = text_format("%u: ", view->devices[device].number);
        html_device_name(&name, &view->devices[device]);
        put_link(&table, html_device_address("../", &view->devices[device].facts), name.data);
        put_sum(&table, &sum);
        table_put(&table, TONE_PLAIN, "%.10s",
                  sum.failed ? site_since(page->site, device, test, NULL) : "")
            ->class
            = "rate";
        put_controls(&table, &sum);
    }
    html_table(&page->html, &table, false, out);
}

static void put_code(const struct page *page, struct text *out)
{
    const struct site *site = page->site;
    for (size_t i = 0; i < site->code_count; i++)
        if (strcmp(site->codes[i].test, page->html.model->results[0].test) == 0)
            text_append(out, site->codes[i].html.data, site->codes[i].html.length);
}

static void put_test_page(const struct site *site, const struct report_model *view,
                          struct lit_folder *folder)
{
    OWNED(report_code_clear) struct report_code code = report_code_load(view, NULL);
    struct page page = {.site = site,
                        .html = {.model = view, .code = &code, .up = "../", .of_test = true}};
    static const struct part parts[] = {
        {"drivers", "Who fails", "", put_drivers, NULL},
        {"failed", "Failures", "", NULL, html_failures},
        {"open", "Incomplete", "", NULL, html_unfinished},
        {"rules", "Rules", "", put_rules, NULL},
        {"rates", "Failure rates",
         "How often the failing outcome was observed among the runs that were evaluated. A dotted "
         "line that ends in a bar is one-sided: nothing was observed, and the rate is below the "
         "bar.",
         NULL, html_rates},
        {"code", "Compiled code",
         "Stored code of the failures, beside that of paired variants that never failed. It shows "
         "what can fail, not what did.",
         put_code, NULL},
    };
    html_make(&page.html);
    test_header(view, cat_test_find(view->results[0].test), &page.body);
    put_parts(&page, parts, sizeof parts / sizeof *parts);
    OWNED(lit_free) char *file = html_test_address("", view->results[0].test);
    OWNED(text_free) struct text title = text_format("litmus: %s", view->results[0].test);
    end_page(&page, file, title.data, folder);
    html_clear(&page.html);
}

// ---- the first page

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

static void put_map(const struct page *page, struct text *out)
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
        put_link(&table, html_device_address("", facts), name.data);
        for (size_t f = 0; f < count; f++)
            put_heat(site, d, families[f], &table);
    }
    html_table(&page->html, &table, false, out);
}

static void put_devices(const struct page *page, struct text *out)
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
        put_link(&table, html_device_address("", facts), facts->name);
        table_cells(&table, "%s %s\t%u\t%s", facts->driver_name, facts->driver_version,
                    facts->subgroup, COUNT(sessions));
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

static void put_findings(const struct page *page, struct text *out)
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
        put_link(&table, html_finding_address("", s->finding), s->title);
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
    put_link(table, html_test_address("", view->results[0].test), view->results[0].test);
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

static void put_index_tests(const struct page *page, struct text *out)
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

static void index_header(const struct site *site, struct text *out)
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
                DAY(&site->sessions[0]), DAY(&site->sessions[site->session_count - 1]));
}

static void put_classes(const struct page *page, struct text *out)
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

static void put_index(const struct site *site, struct lit_folder *folder)
{
    struct page page = {.site = site, .html = {.model = &site->all, .up = ""}};
    static const struct part parts[] = {
        {"map", "Families and drivers", "", put_map, NULL},
        {"devices", "Devices", "", put_devices, NULL},
        {"findings", "Findings",
         "Driver bugs that were examined, with a reproducer each in reports/findings of the source "
         "of litmus.",
         put_findings, NULL},
        {"tests", "Tests",
         "Each with its question, and on how many of the drivers that ran it it "
         "failed.",
         put_index_tests, NULL},
        {"classes", "What a failure means", "", put_classes, NULL},
    };
    index_header(site, &page.body);
    put_parts(&page, parts, sizeof parts / sizeof *parts);
    end_page(&page, "index.html", "litmus: results of Vulkan drivers", folder);
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
    site->room = MOST_BYTES - frame.length - 2000; // for titles and note of omissions
    put_index(site, folder);
    for (size_t device = 0; device < site->all.device_count; device++)
        put_device_page(site, device, folder);
    for (size_t at = 0; at < site->all.result_count;) {
        const struct report_model view = site_of_test(site, &at);
        put_test_page(site, &view, folder);
    }
    for (const struct report_signature *s = report_signatures; s->finding; s++)
        if (s == report_signatures || strcmp(s[-1].finding, s->finding) != 0)
            put_finding_page(site, s, folder);
    return true;
}
