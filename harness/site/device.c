// SPDX-License-Identifier: Apache-2.0
// The page of a device with a driver: what the author of a shader may rely on there, what fails,
// and how each test ended.
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

// ---- key results by the value of each axis

// All configurations of a key result and class with one value.
struct choice {
    const char *value;
    size_t configurations;
    uint64_t failed, judged;
    const char *rule;
};

static bool counts(const struct report_model *model, const struct report_result *result,
                   const struct report_headline *line)
{
    const struct report_under under = report_under(model, 0, result->family);
    return strcmp(result->headline, line->name) == 0 && result->expectation == line->expectation &&
           result->judged && report_is_under(result, &under);
}

// A row of a value; `names`: of those that never failed together, with the weakest bound of them.
static void put_choice(const struct report_headline *line, const char *names,
                       const struct choice *choice, struct table *table)
{
    const struct table_row *before = table->count ? &table->rows[table->count - 1] : NULL;
    const bool more = before && strcmp(before->cells[0].text, line->name) == 0;
    table_row(table)->more = more;
    table_put(table, TONE_PLAIN, "%s", line->name);
    table_put(table, TONE_PLAIN, "%s", names);
    table_put(table, TONE_PLAIN, "%s", cat_expectation_name(line->expectation))->class =
        choice->failed ? cat_expectation_name(line->expectation) : "plain";
    table_count(table, TONE_PLAIN, choice->configurations);
    table_put(table, TONE_PLAIN, "%s",
              choice->failed == 0                ? "never failed"
              : choice->failed == choice->judged ? "always fails"
                                                 : "fails")
        ->class
        = choice->failed ? "did seen" : "did never";
    table_rate(table, TONE_PLAIN, choice->failed, choice->judged,
               report_interval(choice->failed, choice->judged, choice->rule))
        ->group = (int)line->expectation;
}

// The values of one axis or parameter, if there are several: those that never failed in one row,
// with the fewest runs of them.
static void put_choices_of(const struct report_headline *line, const char *key,
                           const struct choice *choices, size_t count, struct table *table)
{
    struct choice never = {.rule = ""};
    OWNED(text_free) struct text names = {0};
    for (size_t i = 0; i < count; i++) {
        OWNED(text_free) struct text name = {0};
        text_printf(&name, "%s=%s", key, choices[i].value);
        if (choices[i].failed) {
            put_choice(line, name.data, &choices[i], table);
            continue;
        }
        text_printf(&names, "%s%s", names.length ? ", " : name.data,
                    names.length ? choices[i].value : "");
        never.configurations += choices[i].configurations;
        if (never.judged == 0 || choices[i].judged < never.judged) {
            never.judged = choices[i].judged;
            never.rule = choices[i].rule;
        }
    }
    if (names.length)
        put_choice(line, names.data, &never, table);
}

static void put_key(const struct report_model *model, const struct report_headline *line,
                    const char *key, struct table *table)
{
    OWNED(lit_free) struct choice *choices = NULL;
    size_t count = 0;
    for (size_t i = 0; i < model->result_count; i++) {
        const struct report_result *result = &model->results[i];
        const char *value = report_value(result, key);
        size_t at = 0;
        if (!value[0] || !counts(model, result, line))
            continue;
        while (at < count && strcmp(choices[at].value, value) != 0)
            at++;
        if (at == count)
            LIT_ADD(choices, count) = (struct choice){.value = value, .rule = ""};
        choices[at].configurations++;
        choices[at].failed += result->failed_runs;
        choices[at].judged += result->judged;
        if (result->rule[0])
            choices[at].rule = result->rule;
    }
    if (count > 1)
        put_choices_of(line, key, choices, count, table);
}

static void put_line(const struct report_model *model, const struct report_headline *line,
                     struct table *table)
{
    OWNED(lit_free) const char **done = NULL;
    size_t count = 0;
    for (size_t i = 0; i < model->result_count; i++) {
        const struct report_result *result = &model->results[i];
        if (!counts(model, result, line))
            continue;
        for (size_t p = 0; p < result->variant_count + result->param_count; p++) {
            const struct cfg_pair *pair = &result->variant[p]; // the parameters follow
            bool known = pair->role == CFG_SUBGROUP || pair->role == CFG_ELEMENTS;
            for (size_t k = 0; k < count && !known; k++)
                known = strcmp(done[k], pair->key) == 0;
            if (known)
                continue;
            done = lit_grow((void *)done, count, sizeof *done);
            done[count++] = pair->key;
            put_key(model, line, pair->key, table);
        }
    }
}

static void put_choices(const struct site_page *page, struct text *out)
{
    static const struct table_column heads[] = {
        {.title = "key result"},
        {.title = "with"},
        {.title = "class", .kind = TABLE_CHIP},
        {.title = "configurations", .kind = TABLE_NUMBER},
        {.title = ""},
        {.title = "rate, 95\xc2\xa0% interval", .kind = TABLE_RATE},
    };
    const struct report_model *model = page->html.model;
    OWNED(table_clear)
    struct table table = {.title = "Key results by axis value",
                          .about = "Key results by the value of each axis: all configurations with "
                                   "that value, whatever their other values are. Of values with "
                                   "which nothing failed the rate of each is below the bound.",
                          TABLE_OF(heads)};
    struct report_headline *lines;
    const size_t count = report_headlines(model, 0, &lines);
    for (size_t i = 0; i < count; i++) {
        bool done = lines[i].expectation == CAT_CONTROL;
        for (size_t j = 0; j < i && !done; j++) // divided, or under other stress
            done = strcmp(lines[j].name, lines[i].name) == 0 &&
                   lines[j].expectation == lines[i].expectation;
        if (!done)
            put_line(model, &lines[i], &table);
    }
    html_table(&page->html, &table, false, out);
    report_headlines_free(lines, count);
}

static void put_rely(const struct site_page *page, struct text *out)
{
    html_section(&page->html, report_key_results, HTML_ALL | HTML_NO_NOTES, out);
    put_choices(page, out);
    html_section(&page->html, report_barriers, 0, out);
    html_section(&page->html, report_waits, 0, out);
    html_section(&page->html, report_divergence, 0, out);
}

// ---- tests

static void put_family(const struct site_page *page, size_t first, size_t count, struct text *out)
{
    static const struct table_column heads[] = {
        {.title = "test", .kind = TABLE_CODE},
        {.title = "failed", .kind = TABLE_NUMBER},
        {.title = "worst", .kind = TABLE_CHIP},
        {.title = "highest rate or bound, 95\xc2\xa0%", .kind = TABLE_RATE},
        {.title = "controls triggered", .kind = TABLE_NUMBER},
    };
    const struct report_result *results = page->html.model->results;
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

static void put_sessions(const struct site_page *page, size_t device, struct text *out)
{
    const struct site *site = page->site;
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

static void put_failed(const struct site_page *page, struct text *out)
{
    html_failures(&page->html, out);
}

static void put_open(const struct site_page *page, struct text *out)
{
    html_unfinished(&page->html, out);
}

static void put_page(const struct site *site, size_t device, struct lit_folder *folder)
{
    static const struct {
        const char *id, *title, *about;
        void (*put)(const struct site_page *page, struct text *out);
    } sections[] = {
        {"rely", "What a shader may rely on", "", put_rely},
        {"failed", "Failures", "Unexpected failures: forbidden before contested before assumed.",
         put_failed},
        {"open", "Incomplete", "", put_open},
        {"tests", "Tests", "", put_tests},
    };
    const struct report_model *model = &site->of_device[device];
    struct report_code code;
    report_code_load(model, NULL, &code);
    struct site_page page = {.site = site, .html = {.model = model, .code = &code, .up = "../"}};
    html_make(&page.html);
    put_header(&page, &page.body);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        struct text content = {0};
        sections[i].put(&page, &content);
        site_section(&page, sections[i].id, sections[i].title, sections[i].about, &content);
    }
    struct text sessions = {0};
    put_sessions(&page, device, &sessions);
    site_section(&page, "sessions", "Sessions and machine", "", &sessions);
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
