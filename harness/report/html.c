// SPDX-License-Identifier: Apache-2.0
// One self-contained HTML page: what a session measured, for someone who was sent it. Its style
// and script are files of page/; its security policy names their hashes, so that nothing else can
// run.
#include "report/html.h"

#include "report/history.h"
#include "report/known.h"

// ---- the head: what was measured on what, and how it ended

static void put_verdict(const struct html *html, struct text *out)
{
    const struct report_model *model = html->model;
    const char *reason = model->code_reason;
    uint64_t most = model->session.runs; // the default run and sequential rules may do more
    REPORT_EACH (result, model, REPORT_ALL)
        most = result->runs > most ? result->runs : most;
    if (model->device_count > 1 && strpbrk(reason, "123456789")) // counts all devices together
        reason = "each device has its verdict below";
    const char *kind = model->code == LIT_EXIT_OK          ? "good"
                       : model->code == LIT_EXIT_FORBIDDEN ? "bad"
                                                           : "open";
    html_printf(out,
                "<p class=\"verdict %s\"><strong>exit %d</strong> <span>%c%s.</span></p>\n<p "
                "class=\"soft\">Up to %s runs of each configuration",
                kind, (int)model->code,
                reason[0] >= 'a' && reason[0] <= 'z' ? reason[0] - 32 : reason[0],
                reason[0] ? reason + 1 : "", COUNT(most));
    if (!model->session.finished)
        text_puts(out, "; <strong>the session is not finished</strong>");
    if (model->session.shard != STORE_WHOLE)
        html_printf(out, "; shard %ju of %ju of a run over several machines",
                    (uintmax_t)model->session.shard_index + 1,
                    (uintmax_t)model->session.shard_count);
    text_puts(out, ".</p>\n");
}

// A tile for each expectation: what its failures mean, and how many each device has. It is the
// page's legend.
static void put_tiles(const struct html *html, struct text *out)
{
    text_puts(out, "<ul class=\"tiles\">\n");
    for (enum cat_expectation e = CAT_FORBIDDEN; e <= CAT_CONTROL; e++) {
        const char *name = cat_expectation_name(e);
        html_printf(out,
                    "<li class=\"tile %s\"><a href=\"#results\" data-expectation=\"%s\"%s><svg "
                    "width=\"14\" height=\"14\" viewBox=\"-7 -7 14 14\" aria-hidden=\"true\"><path "
                    "class=\"dot e%d\" d=\"%s\"/></svg> %s</a>\n",
                    name, name, e == CAT_CONTROL ? "" : " data-result=\"counted-fail\"", (int)e,
                    e == CAT_FORBIDDEN ? "M-6 0l6-6 6 6-6 6z"
                    : e == CAT_ASSUMED ? "M-5-5h10v10h-10z"
                                       : "M-5 0a5 5 0 1 1 10 0a5 5 0 1 1-10 0z",
                    name);
        for (size_t device = 0; device < html->model->device_count; device++) {
            const struct report_class of = report_class(html->model, device, e);
            const size_t failed = e == CAT_CONTROL ? of.triggered : of.failed;
            text_puts(out, failed ? "<p class=\"tally\">" : "<p class=\"tally quiet\">");
            html_device(out, html, device);
            html_printf(out, "<b>%s</b> of %s %s</p>\n", COUNT(failed), COUNT(of.ran),
                        e == CAT_CONTROL ? "triggered" : "failed");
        }
        html_printf(out, "<p>%s</p></li>\n", cat_expectation_meaning(e));
    }
    text_puts(out, "</ul>\n");
}

static void put_card(const struct html *html, size_t index, struct text *out)
{
    const struct eng_device *device = &html->model->devices[index];
    const struct dev_facts *facts = &device->facts;
    uint64_t counts[REPORT_COUNTED] = {0}, all = 0;
    OWNED(text_free) struct text verdict = {0};
    double seconds = 0;
    REPORT_EACH (result, html->model, index) {
        all++;
        counts[report_counted(result)]++;
        seconds += result->seconds;
    }
    text_puts(out, "<li class=\"card\"><p class=\"name\">");
    html_device(out, html, index);
    report_verdict(html->model, index, &verdict);
    html_printf(out,
                "<b>%s</b></p>\n<p class=\"first\">%s.</p>\n<p>%s <b>%s</b></p>\n"
                "<p class=\"soft\">Vulkan %s",
                facts->name, verdict.data, facts->driver_name, facts->driver_version,
                API(facts->api));
    if (facts->loader[0])
        html_printf(out, ", loader %s", facts->loader);
    html_printf(out, " \xc2\xb7 subgroups of %u", facts->subgroup);
    if (strcmp(device->checker, "device") != 0)
        html_printf(out, " \xc2\xb7 checked by %s", device->checker);
    html_printf(out, "</p>\n<p class=\"soft\">%s configurations in %s</p>\n", COUNT(all),
                format_seconds((char[32]){0}, seconds));
    html_bar(out, counts, report_counted_names, REPORT_COUNTED);
    text_puts(out, "<p class=\"counts\">");
    for (size_t k = 0; k < REPORT_COUNTED; k++)
        if (counts[k])
            html_printf(out, "<span class=\"key %s\">%s %s</span> ", report_counted_names[k],
                        COUNT(counts[k]), report_counted_names[k]);
    text_puts(out, "</p></li>\n");
}

void html_header(const struct html *html, struct text *out)
{
    text_puts(out, "<header id=\"top\">\n<p class=\"kicker\">litmus \xc2\xb7 subgroup behaviour of "
                   "a Vulkan driver</p>\n");
    const struct report_model *model = html->model;
    text_puts(out, "<h1>");
    if (model->device_count == 1)
        html_printf(out, "%s <small>driver %s</small>", model->devices[0].facts.name,
                    model->devices[0].facts.driver_version);
    else
        html_printf(out, "%zu devices", model->device_count);
    text_puts(out, "</h1>\n");
    put_verdict(html, out);
    text_puts(out, "<ul class=\"cards\">\n");
    for (size_t i = 0; i < html->model->device_count; i++)
        put_card(html, i, out);
    text_puts(out, "</ul>\n");
    put_tiles(html, out);
    text_puts(out, "<dl class=\"facts\">\n");
    html_copied(out, "command", model->session.command);
    html_fact(out, "started", model->session.started);
    html_fact(out, "simulator", model->simt ? model->simt : "");
    text_puts(out, "</dl>\n</header>\n");
}

// ---- failures, in blocks of alike ones; unfinished results look the same

#define MOST_PLACES 8 // failing instances to show for each failure
#define SITE_PLACES 4 // the same in a site
#define MOST_OPEN   3 // blocks of a device that start with a failure unfolded

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
        for (size_t i = 0; i < ENG_EVIDENCES; i++)
            if (result->evidence[i])
                html_printf(out, "<details><summary>%s</summary><pre>%s</pre></details>\n",
                            report_evidence_title((enum eng_evidence)i), result->evidence[i]);
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
    OWNED(lit_free) char *address = html->up ? html_test_address(html->up, first->test) : NULL;
    if (address)
        html_printf(out, " <a class=\"config\" href=\"%s\">%s</a>", address, first->test);
    else
        html_printf(out, " <span class=\"config\">%s</span>", first->test);
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

// ---- configurations over all sessions of the store: those that failed or changed

#define MOST_TABLES 60

// Whether the lines of a configuration on a device are worth a look: a failing outcome appeared
// where none should, a rate changed, or a session had no answer.
static bool moves(const struct history_line *lines, size_t count)
{
    bool moves = false;
    const bool control = strcmp(lines->expectation, "control") == 0;
    for (size_t i = 0; i < count; i++)
        moves |= history_change(&lines[i]) != 0 ||
                 (!control && (lines[i].failed_runs > 0 || lines[i].judged == 0));
    return moves;
}

static void put_courses(const struct html *html, struct text *out)
{
    const struct history *history = html->history;
    OWNED(text_free) struct text tables = {0};
    size_t all = 0, moving = 0;
    for (size_t at = 0, end; at < history->line_count; at = end) {
        const struct history_line *lines = &history->lines[at];
        size_t sessions = 0;
        end = history_end(history, at);
        for (size_t i = at; i < end; i++)
            sessions += history->lines[i].sessions;
        all += sessions > 1;
        if (sessions < 2 || !moves(lines, end - at) || moving++ >= MOST_TABLES)
            continue;
        OWNED(table_clear) struct table table = {0};
        html_printf(&tables, "<h3 class=\"config\">%s (%s)</h3>\n", lines->name,
                    lines->expectation);
        history_table(lines, end - at, &table);
        html_table(html, &table, false, &tables);
    }
    if (!all)
        return;
    html_printf(out,
                "<p>%s configurations were measured in other sessions too: %s of them failed or "
                "changed.</p>\n",
                COUNT(all), COUNT(moving));
    text_puts(out, tables.data ? tables.data : "");
    if (moving > MOST_TABLES)
        text_puts(out, "<p>More are left out here; <code>litmus history</code> has all.</p>\n");
}

// ---- the page

#define MOST_PLACED  80 // results shown with their evidence; the table of all results has the rest
#define MOST_OF_TEST 8  // the same on a site's page of a test; the site's other pages have none
#define MOST_MEMBERS 6  // the same from one block

// A section's own function comes first, then its tables.
static const struct {
    const char *id, *link, *title, *about;
    void (*put)(const struct html *html, struct text *out); // NULL: only tables
    report_section *table;
    unsigned how;
    report_section *more;
    unsigned how_more;
} sections[] = {
    {"families", "Families", "Families and devices", "", html_heat, report_family_counts,
     HTML_TOGETHER | HTML_FOLD, NULL, 0},
    {"headlines", "Key results", "Key results", "", NULL, report_key_results,
     HTML_TOGETHER | HTML_ALL | HTML_NO_NOTES, NULL, 0},
    {"failed", "Failures", "Failures",
     "Unexpected failures: forbidden before contested before assumed.", html_failures, NULL, 0,
     NULL, 0},
    {"code", "Code", "Compiled code",
     "Stored code of the failures and of their paired variants. It shows what can fail, not what "
     "did.",
     html_codes, NULL, 0, NULL, 0},
    {"rates", "Rates", "Failure rates",
     "How often the failing outcome was observed among the runs that were evaluated, with its "
     "95\xc2\xa0% interval. A dotted line that ends in a bar is one-sided: nothing was observed, "
     "and the rate is below the bar. Families unfold, and so does a test in which something was "
     "observed.",
     html_rates, NULL, 0, NULL, 0},
    {"barriers", "Barriers", "Which operations need a barrier", "", NULL, report_barriers, 0,
     report_barriers, HTML_ALL | HTML_NO_NOTES | HTML_FOLD},
    {"states", "Final states", "Final states of litmus tests",
     "Instances by their final state. * is what the file's condition asks for.", NULL,
     report_final_states, HTML_ALL | HTML_NO_NOTES | HTML_FOLD, NULL, 0},
    {"divergence", "Divergence", "Unspecified behaviour",
     "What this driver does where the specification allows several behaviours. An observation is "
     "one subgroup in one run.",
     NULL, report_divergence, 0, NULL, 0},
    {"progress", "Progress", "Forward progress",
     "How many bounded waits of each kind expired, and the strongest model of forward progress "
     "that no generated program contradicts.",
     NULL, report_waits, HTML_TOGETHER, NULL, 0},
    {"history", "History", "History over drivers",
     "Results of the same configuration in all sessions of this store on a device of this name, "
     "summed by driver, SPIR-V module and stress: those that failed, changed or had no answer.",
     put_courses, NULL, 0, NULL, 0},
    {"missing", "Inconclusive", "Incomplete and skipped", "", html_unfinished, report_skipped,
     HTML_ALL, NULL, 0},
    {"results", "Results", "All results", "", html_results, NULL, 0, NULL, 0},
    {"machine", "Machine", "System information", "", NULL, report_machine, HTML_ALL, NULL, 0},
};
#define SECTIONS (sizeof sections / sizeof *sections)

// Puts the evidence of the first members of blocks on the page, the gravest first.
static void place(struct html *html, const struct html_blocks *of_devices)
{
    size_t left = html->of_test ? MOST_OF_TEST : html->up ? 0 : MOST_PLACED;
    for (enum cat_expectation e = CAT_FORBIDDEN; e <= CAT_CONTROL; e++)
        for (size_t device = 0; device < html->model->device_count; device++)
            for (size_t i = 0; i < of_devices[device].count && i < HTML_BLOCKS; i++) {
                const struct report_block *block = &of_devices[device].list[i];
                for (size_t m = 0; m < block->count && m < MOST_MEMBERS && left > 0; m++)
                    if (block->members[m]->expectation == e) {
                        html->placed[block->members[m] - html->model->results] = true;
                        left--;
                    }
            }
}

static struct html_blocks *make_blocks(const struct report_code *code,
                                       bool (*which)(const struct result *result))
{
    struct html_blocks *blocks = lit_alloc(code->model->device_count, sizeof *blocks);
    for (size_t i = 0; i < code->model->device_count; i++)
        blocks[i].count = report_blocks(code, i, which, &blocks[i].list);
    return blocks;
}

static void free_blocks(const struct html *html, struct html_blocks *blocks)
{
    for (size_t i = 0; i < html->model->device_count; i++)
        report_blocks_free(blocks[i].list, blocks[i].count);
    free(blocks);
}

void html_head(const char *title, struct text *out)
{
    text_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html_printf(out,
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "style-src 'sha256-%s'; script-src 'sha256-%s'; img-src data:; base-uri 'none'; "
                "form-action 'none'\">\n",
                html_style_hash, html_script_hash);
    text_puts(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n"
                   "<link rel=\"icon\" href=\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/"
                   "2000/svg' viewBox='0 0 8 8'%3E%3Cpath fill='%23c8402f' d='M0 0h4v8H0z'/%3E"
                   "%3Cpath fill='%232f6fd0' d='M4 0h4v8H4z'/%3E%3C/svg%3E\">\n");
    html_printf(out, "<title>%s</title>\n<style>", title);
    text_append(out, (const char *)html_style, html_style_size);
    text_puts(out, "</style>\n</head>\n");
}

static void put_nav(const struct text *contents, struct text *out)
{
    text_puts(out, "<nav aria-label=\"Sections\">\n<ul>\n<li><a href=\"#top\">Top</a></li>\n");
    for (size_t i = 0; i < SECTIONS; i++)
        if (contents[i].length)
            html_printf(out, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id, sections[i].link);
    text_puts(out, "</ul>\n<button id=\"scheme\" type=\"button\" hidden>Dark</button>\n</nav>\n");
}

static void put_section(size_t index, const struct text *content, struct text *out)
{
    const char *id = sections[index].id;
    html_printf(out,
                "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n",
                id, id, id, sections[index].title);
    if (sections[index].about[0])
        html_printf(out, "<p class=\"about\">%s</p>\n", sections[index].about);
    text_append(out, content->data, content->length);
    text_puts(out, "</section>\n");
}

static void put_page(const struct html *html, struct text *out)
{
    struct text contents[SECTIONS] = {0};
    for (size_t i = 0; i < SECTIONS; i++) {
        if (sections[i].put)
            sections[i].put(html, &contents[i]);
        if (sections[i].table)
            html_section(html, sections[i].table, sections[i].how, &contents[i]);
        if (sections[i].more)
            html_section(html, sections[i].more, sections[i].how_more, &contents[i]);
    }
    OWNED(text_free) struct text title = {0}, data = {0};
    text_printf(&title, "litmus: exit %d", (int)html->model->code);
    for (size_t i = 0; i < html->model->device_count && i < 3; i++)
        text_printf(&title, ", %s %s", html->model->devices[i].facts.name,
                    html->model->devices[i].facts.driver_version);
    html_head(title.data, out);
    text_puts(out, "<body>\n<a class=\"jump\" href=\"#main\">Skip to the report</a>\n");
    put_nav(contents, out);
    text_puts(out, "<main id=\"main\" tabindex=\"-1\">\n");
    html_header(html, out);
    for (size_t i = 0; i < SECTIONS; i++) {
        if (contents[i].length)
            put_section(i, &contents[i], out);
        text_free(&contents[i]);
    }
    if (html->fault[0])
        html_printf(out, "<p>The results of other sessions could not be read: %s</p>\n",
                    html->fault);
    text_puts(out, "</main>\n<footer>\n<p>Made by <code>litmus report --format html</code> from "
                   "the store only. Rates are per run, with Clopper-Pearson intervals unless a "
                   "stopping rule is given. A rate is never 0: more runs lower the bound.</p>\n"
                   "</footer>\n");
    html_data(html, &data);
    html_tail(&data, out);
}

void html_tail(const struct text *data, struct text *out)
{
    text_puts(out, "<script type=\"application/json\" id=\"data\">");
    text_append(out, data->data, data->length);
    text_puts(out, "</script>\n<script>");
    text_append(out, (const char *)html_script, html_script_size);
    text_puts(out, "</script>\n</body>\n</html>\n");
}

void html_make(struct html *html)
{
    html->decades = html_decades(html->model);
    html->failed = make_blocks(html->code, report_failed);
    html->unfinished = make_blocks(html->code, report_unfinished_only);
    html->placed = lit_alloc(html->model->result_count + 1, sizeof *html->placed);
    html->listed = html_listed(html);
    place(html, html->failed);
    place(html, html->unfinished);
    html->entry_count = html_entries(html->model, &html->entries);
}

void html_clear(struct html *html)
{
    html_entries_free(html->entries, html->entry_count);
    free_blocks(html, html->failed);
    free_blocks(html, html->unfinished);
    free(html->placed);
    free(html->listed);
}

void report_html(const struct report_model *model, struct text *out)
{
    struct history history = {0};
    struct lit_error fault = {0};
    // A model without a store has no past.
    if (model->store && !history_load_model(model->store, model, &history, &fault))
        history_clear(&history);
    OWNED(report_code_clear) struct report_code code = report_code_load(model, NULL);
    OWNED(html_clear)
    struct html html = {.model = model, .history = &history, .fault = fault.message, .code = &code};
    html_make(&html);
    put_page(&html, out);
    history_clear(&history);
}
