// SPDX-License-Identifier: Apache-2.0
// Failures, in blocks of alike ones: what they have in common, the command that runs them again,
// and each failure with its evidence: why the test forbids it, what we observed, the first places.
// Unfinished results look the same.
#include "report/format.h"
#include "report/html.h"
#include "report/known.h"

#define MOST_PLACES 8 // failing instances to show for each failure
#define SITE_PLACES 4 // the same in a site
#define MOST_OPEN   3 // blocks of a device that start with a failure unfolded

// The evidence around a crash, a hang or a lost device, folded.
static void put_evidence(const struct result *result, struct text *out)
{
    for (size_t i = 0; i < ENG_EVIDENCES; i++)
        if (result->evidence[i])
            html_printf(out, "<details><summary>%s</summary><pre>%s</pre></details>\n",
                        report_evidence_title((enum eng_evidence)i), result->evidence[i]);
}

// Why the expectation holds, if this program's test still has that expectation.
static const char *reason_of(const struct result *result)
{
    struct report_case found;
    const bool same = report_known->find(&result->cfg, &found) &&
                      found.expectation == result->expectation && found.reason;
    return same ? found.reason : "";
}

static void put_specification(const struct cat_head *head, struct text *out)
{
    if (!head || (head->spec_count == 0 && !head->origin))
        return;
    text_puts(out,
              "<details class=\"spec\"><summary>What the specification says</summary>\n<ul>\n");
    for (size_t i = 0; i < head->spec_count; i++)
        html_printf(out, "<li>%s</li>\n", head->spec[i]);
    text_puts(out, "</ul>\n");
    if (head->origin)
        html_printf(out, "<p>Origin of the test: %s</p>\n", head->origin);
    text_puts(out, "</details>\n");
}

static void put_made(const struct html *html, const struct result *result, struct text *out)
{
    const struct isa_entry *entry = report_code_of(html->code, result);
    const size_t listed = html->listed[result - html->model->results];
    OWNED(text_free) struct text cost = {0};
    if (!entry)
        return;
    report_code_cost(entry, &cost);
    html_printf(out, "<dt>code</dt><dd>%s", cost.length ? cost.data : "none that can be listed");
    if (listed)
        html_printf(out, "; <a href=\"#code-%zu\">more of it</a>", listed - 1);
    text_puts(out, "</dd>\n");
}

static void put_facts(const struct html *html, const struct result *result, struct text *out)
{
    OWNED(text_free) struct text again = {0};
    format_again(&again, html->model, result);
    text_puts(out, "<dl class=\"facts\">\n");
    if (result->judged)
        html_printf(out,
                    "<dt>failed runs</dt><dd>%s of %s: %s (95\xc2\xa0%%%s%s); the first run "
                    "%s</dd>\n",
                    COUNT(result->failed_runs), COUNT(result->judged), INTERVAL(result),
                    result->rule[0] ? ", stopped by the rule " : "", result->rule,
                    result->first_run_failed ? "failed" : "was right");
    if (result->result != ENG_FAIL)
        html_printf(out, "<dt>ended with</dt><dd>%s after %s runs: %s</dd>\n",
                    eng_result_name(result->result), COUNT(result->runs), result->reason);
    if (report_evidence_any(result)) {
        text_puts(out, "<dt>around it</dt><dd>");
        put_evidence(result, out);
        text_puts(out, "</dd>\n");
    }
    html_fact(out, "under stress", result->stress);
    html_fact(out, "class because", reason_of(result));
    if (result->piece_count > 1 && result->failed_runs) {
        text_puts(out, "<dt>failed by batch</dt><dd>");
        html_batches(out, result);
        text_puts(out, "</dd>\n");
    }
    put_made(html, result, out);
    html_copied(out, "configuration", result->name);
    html_copied(out, "reproduce", again.data);
    html_fact(out, "SPIR-V SHA-256", result->sha256);
    text_puts(out, "</dl>\n");
}

// One result of a block, folded.
static void put_member(const struct html *html, const struct result *result, bool open,
                       struct text *out)
{
    OWNED(text_free) struct text outcomes = {0};
    OWNED(table_clear) struct table table = {0};
    format_outcomes(&outcomes, result);
    html_printf(out, "<details class=\"failure\" id=\"failed-%zu\"",
                (size_t)(result - html->model->results));
    text_puts(out, open ? " open>\n<summary><span class=\"config\">"
                        : ">\n<summary><span class=\"config\">");
    html_name(out, result->label);
    html_printf(out, "</span> <code class=\"id\">%s</code> ", result->id);
    if (result->judged)
        html_printf(out, "<b>%s</b> of %s ", COUNT(result->failed_runs), COUNT(result->judged));
    html_printf(out, "<span class=\"soft\">%s</span></summary>\n",
                outcomes.length ? outcomes.data : eng_result_name(result->result));
    put_facts(html, result, out);
    text_puts(out, "<div class=\"evidence\">\n");
    if (result->instances) {
        report_histogram(result, &table);
        html_table(html, &table, true, out);
        table_clear(&table);
    }
    table = (struct table){0};
    report_places(result, html->up ? SITE_PLACES : MOST_PLACES, &table);
    html_table(html, &table, true, out);
    text_puts(out, "</div>\n</details>\n");
}

static void put_finding(const struct html *html, const struct report_block *block, struct text *out)
{
    if (block->finding && html->up) {
        OWNED(lit_free) char *address = html_finding_address(html->up, block->finding->finding);
        html_printf(out, "<dt>known as</dt><dd><a href=\"%s\">%s</a></dd>\n", address,
                    block->finding->title);
    } else if (block->finding)
        html_printf(out, "<dt>known as</dt><dd>%s (<code>%s</code>)</dd>\n", block->finding->title,
                    block->finding->path);
}

static void put_test_name(const struct html *html, const char *test, struct text *out)
{
    OWNED(lit_free) char *address = html->up ? html_test_address(html->up, test) : NULL;
    if (address)
        html_printf(out, " <a class=\"config\" href=\"%s\">%s</a>", address, test);
    else
        html_printf(out, " <span class=\"config\">%s</span>", test);
}

// A block of failures: what they have in common, then its members that have a place.
static void put_block(const struct html *html, const struct report_block *block, bool open,
                      struct text *out)
{
    const struct result *first = block->members[0];
    const struct cat_head *head = report_known->head(first->test);
    const char *class = cat_expectation_name(first->expectation);
    size_t left = 0;
    html_printf(out, "<div class=\"block %s\">\n<h4>", class);
    html_chip(out, class, class);
    put_test_name(html, first->test, out);
    html_printf(out, " <b class=\"where\">%s</b></h4>\n<p class=\"says\">%s</p>\n", block->where,
                block->says);
    if (head && head->asks && !html->of_test)
        html_printf(out, "<p class=\"soft\">%s</p>\n", head->asks);
    if (head && head->fails && !html->of_test)
        html_printf(out, "<p class=\"soft\">A failure: %s</p>\n", head->fails);
    text_puts(out, "<dl class=\"facts\">\n");
    html_fact(out, "nearest that pass", block->passes);
    html_fact(out, "elsewhere", block->elsewhere);
    html_fact(out, "over time", block->since);
    html_fact(out, "probable cause", block->cause);
    put_finding(html, block, out);
    html_copied(out, block->count > 1 ? "reproduce all" : "reproduce", block->again);
    text_puts(out, "</dl>\n");
    if (!html->up)
        put_specification(head, out);
    for (size_t i = 0; i < block->count; i++)
        if (html->placed[block->members[i] - html->model->results])
            put_member(html, block->members[i], open && i == 0, out);
        else
            left++;
    if (left && html->of_test)
        html_printf(out, "<p class=\"soft\">%s more</p>\n", COUNT(left));
    else if (left && !html->up) // in a site the test's page has them
        html_printf(out,
                    "<p><a href=\"#results\" data-text=\"%s\" data-device=\"%u\" "
                    "data-result=\"counted-%s\">%s more</a></p>\n",
                    first->test, html->model->devices[block->device].number,
                    report_counted_names[report_counted(first)], COUNT(left));
    text_puts(out, "</div>\n");
}

// The blocks of each device: failures, or unfinished results.
static void put_blocks(const struct html *html, bool failed, size_t open, struct text *out)
{
    for (size_t device = 0; device < html->model->device_count; device++) {
        const struct html_blocks *blocks =
            failed ? &html->failed[device] : &html->unfinished[device];
        if (blocks->count && html->model->device_count > 1)
            html_device_heading(html, device, out);
        for (size_t i = 0; i < blocks->count && i < HTML_BLOCKS; i++)
            put_block(html, &blocks->list[i], i < open, out);
        if (blocks->count > HTML_BLOCKS && html->up)
            html_printf(out, "<p>%s more are not shown.</p>\n", COUNT(blocks->count - HTML_BLOCKS));
        else if (blocks->count > HTML_BLOCKS)
            html_printf(out,
                        "<p>More are in the <a href=\"#results\" data-device=\"%u\" "
                        "data-result=\"counted-%s\">table of all results</a>.</p>\n",
                        html->model->devices[device].number, failed ? "fail" : "other");
    }
}

void html_failures(const struct html *html, struct text *out)
{
    put_blocks(html, true, MOST_OPEN, out);
}

void html_unfinished(const struct html *html, struct text *out)
{
    put_blocks(html, false, 0, out);
}
