// SPDX-License-Identifier: Apache-2.0
// Compiled code: what a test's axes change in it, which cross-lane reads are divergent, and the
// code of failures beside a paired variant that did not fail.
#include "report/html.h"

#include <stdlib.h>
#include <string.h>

#define MOST_LISTED     16        // codes of failures
#define MOST_LINES      2000      // of one listing
#define MOST_DIFFERENCE 40000     // bytes of one difference
#define MOST_BYTES      (1 << 19) // of a part of the section: no differences beyond this
#define MOST_RISKS      16        // on one code
#define SITE_LISTED     3
#define SITE_LINES      400
#define SITE_DIFFERENCE 10000
#define SITE_BYTES      (1 << 16)

size_t *html_listed(const struct html *html)
{
    const struct report_code *code = html->code;
    size_t *listed = lit_alloc(html->model->result_count + 1, sizeof *listed), done = 0;
    for (size_t device = 0; device < code->count; device++) {
        const struct report_result **list;
        const size_t count = report_code_failed(code, device, &list);
        for (size_t i = 0; i < count && done < (html->up ? SITE_LISTED : MOST_LISTED);
             i++, done++) {
            const struct isa_entry *entry = report_code_of(code, list[i]);
            for (size_t k = 0; k < html->model->result_count; k++)
                if (html->model->results[k].device == device && code->of[k] &&
                    code->of[k]->same_as == entry->same_as &&
                    report_failed(&html->model->results[k]))
                    listed[k] = (size_t)(list[i] - html->model->results) + 1;
        }
        free(list);
    }
    return listed;
}

// --- Listings and differences

static void put_line(struct text *out, const struct isa_line *line, char mark)
{
    if (mark != ' ')
        html_printf(out, "<mark%s>%c", mark == REPORT_MARK_RISK ? " class=\"risk\"" : "", mark);
    else
        text_puts(out, " ");
    if (line->address != SASS_NOWHERE)
        html_printf(out, " %04x ", (unsigned)line->address);
    html_printf(out, " %s", line->text);
    text_puts(out, mark != ' ' ? "</mark>\n" : "\n");
}

static void put_listing(const struct html *html, struct text *out, const struct isa_entry *entry,
                        const char *test)
{
    const size_t most = html->up ? SITE_LINES : MOST_LINES;
    struct report_marks marks;
    const struct isa_listing *listing = &entry->listing;
    if (entry->why) {
        html_printf(out, "<p>There is no listing: %s.</p>\n", entry->why);
        return;
    }
    report_marks_make(entry, test, true, &marks);
    html_printf(out, "<p>%s%s%s</p>\n", marks.words.data ? marks.words.data : "",
                marks.count ? " The mark is >." : "",
                isa_risks(entry) ? " ! marks a lint finding." : "");
    html_printf(out,
                "<details class=\"bulk listing\"><summary>Listing: %s, by %s</summary>\n"
                "<pre role=\"region\" aria-label=\"Listing of %s\" tabindex=\"0\">\n",
                entry->piece->name, listing->by, entry->name);
    for (size_t i = 0; i < listing->count && i < most; i++)
        put_line(out, &listing->lines[i], marks.lines[i]);
    text_puts(out, "</pre>\n");
    if (listing->count > most)
        html_printf(out, "<p>%s more lines: <code>litmus isa '%s'</code></p>\n",
                    COUNT(listing->count - most), entry->name);
    text_puts(out, "</details>\n");
    report_marks_clear(&marks);
}

// A unified difference, whose lines that only one side has are marked.
static void put_difference(const struct html *html, struct text *out, const struct isa_entry *left,
                           const char *left_title, const struct isa_entry *right,
                           const char *right_title)
{
    OWNED(text_free) struct text lines = {0};
    report_code_difference(&left->listing, left_title, &right->listing, right_title,
                           html->up ? SITE_DIFFERENCE : MOST_DIFFERENCE, &lines);
    const bool cut = lines.length && strstr(lines.data, " more lines that differ @@");
    html_printf(out,
                "<pre class=\"diff\" role=\"region\" aria-label=\"Difference of %s and %s\" "
                "tabindex=\"0\">\n",
                left_title, right_title);
    for (char *line = lines.data, *end; line && *line; line = end + 1) {
        end = strchr(line, '\n');
        *end = '\0';
        const char *mark = *line == '-' ? "del" : *line == '+' ? "ins" : "span";
        html_printf(out, "<%s>%s</%s>\n", mark, line, mark);
    }
    text_puts(out, "</pre>\n");
    if (cut)
        html_printf(out, "<p>More of it: <code>litmus isa --diff '%s' '%s'</code></p>\n",
                    left->name, right->name);
}

// --- What choices change

static void put_effect(const struct html *html, size_t device, size_t index, bool pair,
                       struct text *out)
{
    const struct isa_study *study = &html->code->studies[device];
    const struct isa_axis_effect *effect = &study->effects[index];
    const struct isa_pair *examined = &study->pairs[effect->example];
    OWNED(text_free) struct text words = {0};
    isa_effect_words(study, effect, &words);
    html_printf(out, "<li>%s.", words.data);
    if (pair && examined->likeness > ISA_SAME_TEXT) {
        OWNED(text_free) struct text left = {0}, right = {0};
        text_printf(&left, "%s=%s", effect->axis, effect->base_value);
        text_printf(&right, "%s=%s", effect->axis, effect->other_value);
        html_printf(out,
                    "\n<details class=\"bulk pair\"><summary>The pair that differs most"
                    "</summary>\n<p><code>%s</code> and %s=%s</p>\n",
                    study->entries[examined->base].name, effect->axis, effect->other_value);
        put_difference(html, out, &study->entries[examined->base], left.data,
                       &study->entries[examined->other], right.data);
        text_puts(out, "</details>");
    }
    text_puts(out, "</li>\n");
}

static void put_effects(const struct html *html, size_t device, struct text *out)
{
    const struct isa_study *study = &html->code->studies[device];
    const size_t start = out->length;
    const char *open = "";
    for (size_t i = 0; i < study->effect_count; i++) {
        const char *test = study->effects[i].test;
        if (!report_code_about(html->code, device, &study->effects[i]))
            continue;
        if (strcmp(open, test) != 0) {
            text_puts(out,
                      *open ? "</ul>\n" : "<h3>Effect of each variant axis on the code</h3>\n");
            html_printf(out, "<p class=\"test\">%s</p>\n<ul class=\"effects\">\n", test);
        }
        open = test;
        put_effect(html, device, i, out->length - start < (html->up ? SITE_BYTES : MOST_BYTES),
                   out);
    }
    text_puts(out, *open ? "</ul>\n" : "");
}

// A table and its notes, under its title; nothing without either.
static void put_table(const struct html *html, struct table *table, struct text *out)
{
    if (table->count)
        html_printf(out, "<h3>%s</h3>\n", table->title);
    for (size_t i = 0; i < table->note_count; i++)
        html_printf(out, "<p>%s</p>\n", table->notes[i]);
    html_table(html, table, false, out);
    table_clear(table);
}

// --- The code of what failed

static void put_paired(const struct html *html, const struct report_result *result, bool pair,
                       struct text *out)
{
    const struct report_result *paired = report_code_paired(html->code, result);
    OWNED(text_free) struct text words = {0};
    if (!report_code_versus(html->code, result, &words)) {
        if (words.length)
            html_printf(out, "<p>%s</p>\n", words.data);
    } else if (pair) {
        OWNED(text_free) struct text left = {0}, right = {0};
        report_differences(result, paired, &left);
        report_differences(paired, result, &right);
        text_puts(&left, ": never failed");
        text_puts(&right, ": failed");
        html_printf(out, "<details class=\"bulk pair\"><summary>%s</summary>\n", words.data);
        put_difference(html, out, report_code_of(html->code, paired), left.data,
                       report_code_of(html->code, result), right.data);
        text_puts(out, "</details>\n");
    }
}

static void put_code(const struct html *html, size_t index, bool pair, struct text *out)
{
    const struct report_result *result = &html->model->results[index];
    const struct isa_entry *entry = report_code_of(html->code, result);
    const struct report_code_users users =
        report_code_users(html->code, result->device, entry, true);
    OWNED(text_free) struct text cost = {0};
    report_code_cost(entry, &cost);
    html_printf(out, "<details class=\"made %s\" id=\"code-%zu\"><summary>",
                cat_expectation_name(result->expectation), html->first_code + index);
    html_device(out, html, result->device);
    text_puts(out, "<span class=\"config\">");
    html_name(out, result->label);
    html_printf(out,
                "</span> <code class=\"id\">%s</code> %s of %s runs failed, %s</summary>\n"
                "<p>%s%s",
                result->id, COUNT(result->failed_runs), COUNT(result->judged), INTERVAL(result),
                cost.data ? cost.data : "", cost.length ? ". " : "");
    if (users.count > 1)
        html_printf(out, "%s more that failed have the same code.", COUNT(users.count - 1));
    text_puts(out, "</p>\n");
    OWNED(table_clear) struct table table = {0};
    report_code_statistics(entry, &table);
    html_table(html, &table, true, out);
    for (size_t i = 0; i < table.note_count; i++)
        html_printf(out, "<p class=\"soft\">%s</p>\n", table.notes[i]);
    put_listing(html, out, entry, result->test);
    put_paired(html, result, pair, out);
    text_puts(out, "</details>\n");
}

static void put_failed(const struct html *html, size_t device, struct text *out)
{
    const struct report_result **list;
    const size_t count = report_code_failed(html->code, device, &list), start = out->length;
    size_t left = 0;
    if (count)
        text_puts(out, "<h3>Code of the failures</h3>\n");
    for (size_t i = 0; i < count; i++) {
        const size_t index = (size_t)(list[i] - html->model->results);
        if (html->listed[index] == index + 1)
            put_code(html, index, out->length - start < (html->up ? SITE_BYTES : MOST_BYTES), out);
        else
            left++;
    }
    if (left)
        html_printf(
            out, "<p>%s more codes of what failed: <code>litmus isa NAME</code> prints them.</p>\n",
            COUNT(left));
    free(list);
}

void html_codes(const struct html *html, struct text *out)
{
    const struct report_code *code = html->code;
    if (code->fault[0])
        html_printf(out, "<p>The code in the store could not be read: %s</p>\n", code->fault);
    for (size_t device = 0; device < code->count && !code->fault[0]; device++) {
        OWNED(text_free) struct text own = {0};
        put_failed(html, device, &own);
        struct table findings = {0}, shared = {0};
        report_code_findings(code, device, NULL, MOST_RISKS, &findings);
        put_table(html, &findings, &own);
        put_effects(html, device, &own);
        report_code_shared(code, device, &shared);
        put_table(html, &shared, &own);
        if (own.length && html->model->device_count > 1)
            html_device_heading(html, device, out);
        if (own.length)
            text_append(out, own.data, own.length);
    }
}
