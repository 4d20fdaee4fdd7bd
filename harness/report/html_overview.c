// SPDX-License-Identifier: Apache-2.0
// Headlines and families: the answers of a session in two tables.
#include "report/html.h"

#include "catalogue/catalogue.h"
#include "report/mutation.h"

#include <stdlib.h>
#include <string.h>

// A headline's line on one device.
struct line {
    struct report_headline headline;
    size_t device;
};

static const char *say(const struct report_headline *headline)
{
    if (headline->judged == 0)
        return headline->runs ? "no progress" : "not run";
    return headline->failed_runs == 0                  ? "never"
           : headline->failed_runs == headline->judged ? "always"
                                                       : "sometimes";
}

static bool same(const struct line *a, const struct line *b)
{
    return a->headline.expectation == b->headline.expectation &&
           !strcmp(a->headline.name, b->headline.name);
}

// Appends the lines of all devices: those that are the same on several follow one another, in the
// order of the first device that has them.
static size_t gather(const struct report_model *model, struct line **lines)
{
    size_t total = 0;
    *lines = NULL;
    for (size_t device = 0; device < model->device_count; device++) {
        struct report_headline *list;
        const size_t count = report_headlines(model, device, &list);
        *lines = lit_realloc(*lines, total + count, sizeof **lines);
        for (size_t i = 0; i < count; i++) {
            const struct line line = {list[i], device};
            size_t at = total;
            for (size_t other = 0; other < total; other++)
                if (same(&(*lines)[other], &line))
                    at = other + 1;
            memmove(*lines + at + 1, *lines + at, (total - at) * sizeof **lines);
            (*lines)[at] = line;
            total++;
        }
        free(list);
    }
    return total;
}

// The lines of one headline with one expectation: a row, with a lane for each device.
static void put_headline(const struct html *html, const struct line *lines, size_t count,
                         struct text *out)
{
    struct html_rate *rates = lit_alloc(count, sizeof *rates);
    struct text cells[4] = {0};
    bool failed = false;
    for (size_t i = 0; i < count; i++) {
        const struct report_headline *line = &lines[i].headline;
        char words[80];
        rates[i] = (struct html_rate){line->failed_runs, line->judged, line->interval,
                                      (int)line->expectation};
        format_interval(words, line->failed_runs, line->judged, line->interval);
        for (size_t c = 0; c < 4; c++)
            text_puts(&cells[c], "<span class=\"lane\">");
        html_count(&cells[0], line->runs);
        html_count(&cells[1], line->failed_runs);
        html_device(&cells[2], html, lines[i].device);
        html_printf(&cells[2], "%s", line->judged ? words : "");
        html_printf(&cells[3], "%s", say(line));
        for (size_t c = 0; c < 4; c++)
            text_puts(&cells[c], "</span>");
        failed |= line->failed_runs > 0;
    }
    const char *expectation = cat_expectation_name(lines[0].headline.expectation);
    html_printf(out, "<tr><th scope=\"row\">%s</th><td>", lines[0].headline.name);
    html_chip(out, failed ? expectation : "plain", expectation);
    text_printf(out, "</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"plots\">",
                cells[0].data, cells[1].data);
    html_plot(out, html->decades, rates, count);
    text_printf(out, "</td><td class=\"rate\">%s</td><td>%s</td></tr>\n", cells[2].data,
                cells[3].data);
    for (size_t c = 0; c < 4; c++)
        text_free(&cells[c]);
    free(rates);
}

void html_headlines(const struct html *html, struct text *out)
{
    struct line *lines;
    const size_t count = gather(html->model, &lines);
    if (count > 0) {
        text_puts(out, "<div class=\"wide\" role=\"region\" aria-label=\"Headlines\" "
                       "tabindex=\"0\"><table>\n<caption>All runs of the tests under one headline "
                       "together: the questions for which the program was written.</caption>\n"
                       "<thead><tr><th scope=\"col\">headline</th><th scope=\"col\">expectation"
                       "</th><th scope=\"col\" class=\"n\">runs</th><th scope=\"col\" class=\"n\">"
                       "failed</th>");
        html_axis_heading(out, html->decades);
        text_puts(out, "<th scope=\"col\">rate, 95\xc2\xa0% interval</th><th scope=\"col\">seen"
                       "</th></tr></thead>\n<tbody>\n");
        for (size_t at = 0, some; at < count; at += some) {
            some = 1;
            while (at + some < count && same(&lines[at], &lines[at + some]))
                some++;
            put_headline(html, lines + at, some, out);
        }
        text_puts(out, "</tbody></table></div>\n");
    }
    free(lines);
}

// A count that leads to the results it is of.
static void put_count(struct text *out, const char *family, const char *result, unsigned device,
                      uint64_t count)
{
    if (count == 0) {
        html_count_cell(out, 0);
        return;
    }
    html_printf(out,
                "<td class=\"n\"><a href=\"#results\" data-family=\"%s\" data-result=\"%s\" "
                "data-device=\"%u\">",
                family, result, device);
    html_count(out, count);
    text_puts(out, "</a></td>");
}

static void put_family(const struct html *html, size_t device, const struct report_family *family,
                       struct text *out)
{
    static const char *const kinds[] = {"pass", "fail", "other", "control", "skip"};
    const uint64_t counts[] = {family->pass, family->fail, family->other, family->control,
                               family->skip};
    const unsigned number = html->model->devices[device].number;
    text_puts(out, "<tr><th scope=\"row\">");
    html_device(out, html, device);
    html_printf(out,
                "<a href=\"#results\" data-family=\"%s\" data-device=\"%u\">%s</a></th>"
                "<td class=\"share\">",
                family->name, number, family->name);
    html_bar(out, counts, kinds, 5);
    text_puts(out, "</td>");
    put_count(out, family->name, "counted-pass", number, family->pass);
    put_count(out, family->name, "counted-fail", number, family->fail);
    put_count(out, family->name, "counted-other", number, family->other);
    put_count(out, family->name, "counted-control", number, family->control);
    put_count(out, family->name, "counted-skip", number, family->skip);
    html_count_cell(out, family->instances);
    text_puts(out, "</tr>\n");
}

struct row {
    struct report_family family;
    size_t device;
};

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    const int order = strcmp(a->family.name, b->family.name);
    return order ? order : a->device < b->device ? -1 : 1;
}

static void put_controls(const struct html *html, struct text *out)
{
    for (size_t device = 0; device < html->model->device_count; device++) {
        struct report_mutation mutation;
        struct text sentences = {0};
        report_mutation_score(html->model, device, &mutation);
        report_mutation_sentences(&mutation, &sentences);
        if (sentences.length) {
            text_puts(out, "<p>");
            html_device(out, html, device);
            if (html->model->device_count > 1)
                html_printf(out, "%s. ", html->model->devices[device].facts.name);
            html_printf(out, "%s</p>\n", sentences.data);
        }
        text_free(&sentences);
        report_mutation_clear(&mutation);
    }
}

void html_families(const struct html *html, struct text *out)
{
    struct row *rows = NULL;
    size_t total = 0;
    for (size_t device = 0; device < html->model->device_count; device++) {
        struct report_family *families;
        const size_t count = report_families(html->model, device, &families);
        rows = lit_realloc(rows, total + count, sizeof *rows);
        for (size_t i = 0; i < count; i++)
            rows[total++] = (struct row){families[i], device};
        free(families);
    }
    if (total > 0) {
        qsort(rows, total, sizeof *rows, compare_rows);
        text_puts(out,
                  "<div class=\"wide\" role=\"region\" aria-label=\"Families\" tabindex=\"0\">"
                  "<table class=\"families\">\n<caption>Configurations, each counted once. Other: "
                  "did not come to an end. Control: controls that ran.</caption>\n<thead><tr>"
                  "<th scope=\"col\">family</th><th scope=\"col\">share</th>"
                  "<th scope=\"col\" class=\"n\"><span class=\"key pass\">pass</span></th>"
                  "<th scope=\"col\" class=\"n\"><span class=\"key fail\">fail</span></th>"
                  "<th scope=\"col\" class=\"n\"><span class=\"key other\">other</span></th>"
                  "<th scope=\"col\" class=\"n\"><span class=\"key control\">control</span></th>"
                  "<th scope=\"col\" class=\"n\"><span class=\"key skip\">skip</span></th>"
                  "<th scope=\"col\" class=\"n\">instances checked</th></tr></thead>\n<tbody>\n");
        for (size_t i = 0; i < total; i++)
            put_family(html, rows[i].device, &rows[i].family, out);
        text_puts(out, "</tbody></table></div>\n");
        put_controls(html, out);
    }
    free(rows);
}
