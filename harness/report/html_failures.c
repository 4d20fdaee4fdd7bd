// SPDX-License-Identifier: Apache-2.0
// What failed, with its evidence: what was expected and why, what was observed, the first places,
// and the command that runs it again. Then what did not finish, and what was skipped.
#include "report/format.h"
#include "report/html.h"

#include "catalogue/catalogue.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PLACES 8 // failing instances shown of each failure
#define MOST_LINES  500
#define MOST_OPEN   3 // failures whose evidence is unfolded from the start

// What was found around a crash, a hang or a lost device, folded.
static void put_evidence(const struct report_result *result, struct text *out)
{
    for (size_t i = 0; i < ENG_EVIDENCES; i++)
        if (result->evidence[i])
            html_printf(out, "<details><summary>%s</summary><pre>%s</pre></details>\n",
                        report_evidence_title((enum eng_evidence)i), result->evidence[i]);
}

// Why the expectation holds, if this program's test still has it so.
static const char *reason_of(const struct report_result *result)
{
    struct cat_case which;
    const char *reason = "";
    struct lit_error error = {0};
    if (!cat_test_find(result->test) || !cat_case_find(&result->cfg, &which, &error) ||
        cat_case_expectation(&which, &reason) != result->expectation)
        return "";
    return reason ? reason : "";
}

static void put_specification(const struct cat_test *test, struct text *out)
{
    if (!test || (test->head.spec_count == 0 && !test->head.origin))
        return;
    text_puts(out,
              "<details class=\"spec\"><summary>What the specification says</summary>\n<ul>\n");
    for (size_t i = 0; i < test->head.spec_count; i++)
        html_printf(out, "<li>%s</li>\n", test->head.spec[i]);
    text_puts(out, "</ul>\n");
    if (test->head.origin)
        html_printf(out, "<p>Origin of the test: %s</p>\n", test->head.origin);
    text_puts(out, "</details>\n");
}

// How the same configuration fared on the other devices.
static void put_elsewhere(const struct html *html, const struct html_entry *entries, size_t count,
                          size_t at, struct text *out)
{
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        const struct report_result *other = entries[i].result;
        if (i == at)
            continue;
        text_puts(out, first ? "<dt>same configuration elsewhere</dt><dd>" : "; ");
        html_device(out, html, other->device);
        html_printf(out, "%s %s", eng_result_name(other->result),
                    other->judged ? INTERVAL(other) : "");
        first = false;
    }
    if (!first)
        text_puts(out, "</dd>\n");
}

static void put_made(const struct html *html, const struct report_result *result, struct text *out)
{
    const struct isa_entry *entry = report_code_of(html->code, result);
    const size_t listed = html->listed[result - html->model->results];
    struct text cost = {0};
    if (!entry)
        return;
    report_code_cost(entry, &cost);
    html_printf(out, "<dt>code</dt><dd>%s", cost.length ? cost.data : "none that can be listed");
    if (listed)
        html_printf(out, "; <a href=\"#code-%zu\">more of it</a>", listed - 1);
    text_puts(out, "</dd>\n");
    text_free(&cost);
}

static void put_facts(const struct html *html, const struct html_entry *entries, size_t count,
                      size_t at, struct text *out)
{
    const struct report_result *result = entries[at].result;
    struct text again = {0};
    format_again(&again, html->model, result);
    html_printf(out,
                "<dl class=\"facts\">\n<dt>failed runs</dt><dd>%s of %s: %s (95\xc2\xa0%%%s%s); "
                "the first run %s</dd>\n",
                COUNT(result->failed_runs), COUNT(result->judged), INTERVAL(result),
                result->rule[0] ? ", stopped by the rule " : "", result->rule,
                result->first_run_failed ? "failed" : "was right");
    if (result->result != ENG_FAIL)
        html_printf(out, "<dt>ended with</dt><dd>%s: %s</dd>\n", eng_result_name(result->result),
                    result->reason);
    if (report_evidence_any(result)) {
        text_puts(out, "<dt>around it</dt><dd>");
        put_evidence(result, out);
        text_puts(out, "</dd>\n");
    }
    if (result->stress[0])
        html_printf(out, "<dt>under stress</dt><dd><code>%s</code></dd>\n", result->stress);
    if (reason_of(result)[0])
        html_printf(out, "<dt>%s because</dt><dd>%s</dd>\n",
                    cat_expectation_name(result->expectation), reason_of(result));
    put_elsewhere(html, entries, count, at, out);
    if (result->piece_count > 1 && result->failed_runs) {
        text_puts(out, "<dt>failed by batch</dt><dd>");
        html_batches(out, result);
        text_puts(out, "</dd>\n");
    }
    put_made(html, result, out);
    text_puts(out, "<dt>configuration</dt><dd><code class=\"copy\">");
    html_name(out, result->name);
    text_puts(out, "</code></dd>\n<dt>reproduce</dt><dd><code class=\"copy\">");
    html_name(out, again.data);
    text_puts(out, "</code></dd>\n");
    if (result->sha256[0])
        html_printf(out, "<dt>SPIR-V SHA-256</dt><dd><code>%s</code></dd>\n", result->sha256);
    text_puts(out, "</dl>\n");
    text_free(&again);
}

// `test` are all entries of the test, `at` the failure among them.
static void put_failure(const struct html *html, const struct html_entry *test, size_t count,
                        size_t at, bool open, struct text *out)
{
    const struct report_result *result = test[at].result;
    struct text label = {0}, outcomes = {0};
    size_t first = at;
    while (first > 0 && test[first - 1].first == test[at].first)
        first--;
    html_pairs(&label, test, count, at, false);
    format_outcomes(&outcomes, result);
    html_printf(out, "<details class=\"failure %s\" id=\"failed-%zu\"",
                cat_expectation_name(result->expectation), (size_t)(result - html->model->results));
    text_puts(out, open ? " open>\n<summary>" : ">\n<summary>");
    html_device(out, html, result->device);
    html_printf(out,
                "<span class=\"config\">%s</span> <span class=\"much\"><b>%s</b> of %s</span> "
                "<span class=\"soft\">%s</span></summary>\n",
                label.data && label.length ? label.data : result->name, COUNT(result->failed_runs),
                COUNT(result->judged), outcomes.data ? outcomes.data : "");
    put_facts(html, test + first, html_same_key(test, count, first), at - first, out);
    text_puts(out, "<div class=\"evidence\">\n");
    struct table table = {0};
    report_histogram(result, &table);
    html_table(html, &table, true, out);
    table_clear(&table);
    table = (struct table){0};
    report_places(result, MOST_PLACES, &table);
    html_table(html, &table, true, out);
    table_clear(&table);
    text_puts(out, "</div>\n</details>\n");
    text_free(&label);
    text_free(&outcomes);
}

// Appends the failures of one test with one expectation. Returns how many.
static size_t put_test(const struct html *html, const struct html_entry *test, size_t count,
                       enum cat_expectation expectation, size_t open, struct text *out)
{
    size_t done = 0, more = 0;
    for (size_t i = 0; i < count; i++) {
        const struct report_result *result = test[i].result;
        if (result->expectation != expectation || !report_failed(result))
            continue;
        if (!html->placed[result - html->model->results]) {
            more++;
            continue;
        }
        if (done == 0) {
            const struct cat_test *known = cat_test_find(result->test);
            text_puts(out, "<div class=\"group\">\n<h3>");
            html_chip(out, cat_expectation_name(expectation), cat_expectation_name(expectation));
            html_printf(out, " %s</h3>\n", result->test);
            if (known)
                html_printf(out, "<p>%s</p>\n", known->head.asks ? known->head.asks : "");
            if (known && known->head.fails)
                html_printf(out, "<p class=\"soft\">A failure: %s</p>\n", known->head.fails);
            put_specification(known, out);
        }
        put_failure(html, test, count, i, done < open, out);
        done++;
    }
    if (done && more) {
        html_printf(out,
                    "<p><a href=\"#results\" data-text=\"%s\" data-result=\"counted-fail\">%s more "
                    "of this test</a> are in the table of all results.</p>\n",
                    test[0].result->test, COUNT(more));
    }
    if (done)
        text_puts(out, "</div>\n");
    return done;
}

void html_failures(const struct html *html, struct text *out)
{
    struct html_entry *entries;
    const size_t count = html_entries(html->model, &entries);
    size_t done = 0, failed = 0;
    for (enum cat_expectation e = CAT_FORBIDDEN; e <= CAT_ASSUMED; e++)
        for (size_t at = 0, some; at < count; at += some) {
            some = html_same_test(entries, count, at);
            const size_t open = done < MOST_OPEN ? MOST_OPEN - done : 0;
            done += put_test(html, entries + at, some, e, open, out);
        }
    for (size_t i = 0; i < count; i++)
        failed += report_failed(entries[i].result);
    if (done < failed) {
        html_printf(out,
                    "%s more failures are in the <a href=\"#results\" "
                    "data-result=\"counted-fail\">table of all results</a>.\n",
                    COUNT(failed - done));
    }
    html_entries_free(entries, count);
}

// ---- what gave no answer

void html_unfinished(const struct html *html, struct text *out)
{
    size_t done = 0;
    for (size_t device = 0; device < html->model->device_count; device++) {
        const struct report_result **list;
        const size_t count = report_select(html->model, device, report_unfinished_only, &list);
        for (size_t i = 0; i < count && done < MOST_LINES; i++) {
            const struct report_result *result = list[i];
            if (done++ == 0)
                text_puts(
                    out,
                    "<div class=\"wide\" role=\"region\" aria-label=\"Incomplete\" tabindex=\"0\">"
                    "<table class=\"plain\">\n<caption>Incomplete</caption>\n<thead><tr>"
                    "<th scope=\"col\">configuration</th><th scope=\"col\">result</th>"
                    "<th scope=\"col\" class=\"n\">runs</th><th scope=\"col\">why</th>"
                    "</tr></thead>\n<tbody>\n");
            text_puts(out, "<tr><th scope=\"row\" class=\"config\">");
            html_device(out, html, device);
            html_name(out, result->name);
            text_puts(out, "</th><td>");
            html_chip(out, eng_result_name(result->result), eng_result_name(result->result));
            html_printf(out, "</td><td class=\"n\">%s</td><td>%s", COUNT(result->runs),
                        result->reason);
            put_evidence(result, out);
            text_puts(out, "</td></tr>\n");
        }
        free(list);
    }
    if (done)
        text_puts(out, "</tbody></table></div>\n");
    if (done == MOST_LINES)
        text_puts(out,
                  "<p>More are in the <a href=\"#results\" data-result=\"counted-other\">table "
                  "of all results</a>.</p>\n");
}
