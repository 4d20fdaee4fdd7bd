// SPDX-License-Identifier: Apache-2.0
// One self-contained HTML page: what a session measured, for someone who was sent it. Its style
// and script are files of page/; its security policy names their hashes, so that nothing else can
// run.
#include "report/history.h"
#include "report/html.h"

#include <stdlib.h>

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
     html_courses, NULL, 0, NULL, 0},
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

static void put_head(const struct report_model *model, struct text *out)
{
    OWNED(text_free) struct text title = {0};
    text_printf(&title, "litmus: exit %d", (int)model->code);
    for (size_t i = 0; i < model->device_count && i < 3; i++)
        text_printf(&title, ", %s %s", model->devices[i].facts.name,
                    model->devices[i].facts.driver_version);
    html_head(title.data, out);
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
    put_head(html->model, out);
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
    OWNED(text_free) struct text data = {0};
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
    struct report_code code;
    report_code_load(model, NULL, &code);
    struct html html = {.model = model, .history = &history, .fault = fault.message, .code = &code};
    html_make(&html);
    put_page(&html, out);
    html_clear(&html);
    report_code_clear(&code);
    history_clear(&history);
}
