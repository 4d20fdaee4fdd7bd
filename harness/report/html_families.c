// SPDX-License-Identifier: Apache-2.0
// Sections of single families: which operations need a barrier, what a device does where the text
// leaves it open, and who is waited for in vain.
#include "report/html.h"

#include "catalogue/catalogue.h"
#include "report/fingerprint.h"
#include "report/matrix.h"
#include "report/progress.h"

#include <stdlib.h>
#include <string.h>

#define LABEL_WIDTH 200 // characters of the operations in one line of the matrix

// Opens a table that may be wider than the page.
static void open_table(struct text *out, const char *name, const char *caption)
{
    html_printf(out,
                "<div class=\"wide\" role=\"region\" aria-label=\"%s\" tabindex=\"0\"><table>\n"
                "<caption>%s</caption>\n<thead><tr>",
                name, caption);
}

static void put_device_heading(const struct html *html, size_t device, struct text *out)
{
    if (html->model->device_count < 2)
        return;
    text_puts(out, "<h3>");
    html_device(out, html, device);
    html_printf(out, "%s, %s</h3>\n", html->model->devices[device].facts.name,
                html->model->devices[device].facts.driver_version);
}

static void put_under(const struct report_under *under, struct text *out)
{
    struct text sentence = {0};
    report_under_sentence(&sentence, under);
    if (sentence.length)
        html_printf(out, "<p>%s</p>\n", sentence.data);
    text_free(&sentence);
}

// ---- which operations need a barrier

static void put_cell(const struct report_matrix_cell *cell, struct text *out)
{
    static const char *const marks[] = {
        [MATRIX_NOT_RUN] = "",           [MATRIX_SKIPPED] = "",
        [MATRIX_UNDECIDED] = "? ",       [MATRIX_NEVER] = "\xe2\x97\x8b ", // a ring
        [MATRIX_SEEN] = "\xe2\x97\x8f ",                                   // a disk
    };
    char words[96];
    report_matrix_cell_text(words, cell, false);
    html_printf(out, "<td class=\"cell %s\"><span aria-hidden=\"true\">%s</span>%s</td>",
                report_matrix_state_name(cell->state), marks[cell->state], words);
}

static void put_rows(const struct report_matrix *matrix, bool folded, struct text *out)
{
    text_puts(out, "<th scope=\"col\">operation</th>");
    for (size_t c = 0; c < MATRIX_COLUMNS; c++)
        if (matrix->used[c])
            html_printf(out, "<th scope=\"col\">%s</th>", report_matrix_column_name(c));
    text_puts(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0, count; i < matrix->count; i += count) {
        struct text label = {0};
        count = folded ? report_matrix_alike(matrix, i) : 1;
        report_matrix_label(&label, matrix, i, count, LABEL_WIDTH);
        html_printf(out, "<tr><th scope=\"row\">%s</th>", label.data);
        for (size_t c = 0; c < MATRIX_COLUMNS; c++)
            if (matrix->used[c])
                put_cell(&matrix->rows[i].cells[c], out);
        text_puts(out, "</tr>\n");
        text_free(&label);
    }
    text_puts(out, "</tbody></table></div>\n");
}

void html_matrices(const struct html *html, struct text *out)
{
    for (size_t device = 0; device < html->model->device_count; device++) {
        struct report_matrix matrix;
        struct text conclusion = {0};
        report_matrix_make(html->model, device, &matrix);
        if (matrix.count > 0) {
            put_device_heading(html, device, out);
            report_matrix_conclude(&conclusion, &matrix);
            html_printf(out, "<p>%s</p>\n", conclusion.data);
            put_under(&matrix.under, out);
            report_matrix_fold(&matrix);
            open_table(out, "Which operations need a barrier",
                       "What stands between an operation and the one of the iteration before; "
                       "a disk: it went wrong, a ring: never seen to.");
            put_rows(&matrix, true, out);
            text_puts(out, "<details class=\"bulk\"><summary>Each operation by itself</summary>\n");
            open_table(out, "Each operation with each barrier", "One line for each operation");
            put_rows(&matrix, false, out);
            text_puts(out, "</details>\n");
        }
        text_free(&conclusion);
        report_matrix_clear(&matrix);
    }
}

// ---- the fingerprint of divergence

static void put_strategy(const struct report_fingerprint *print, size_t i, struct text *out)
{
    const struct report_strategy *strategy = &print->strategies[i];
    static const char *const kinds[] = {"pass", "rest"};
    char share[80];
    format_interval(share, strategy->matching, print->observations, strategy->interval);
    text_puts(out, "<tr>");
    if (i == 0) {
        html_printf(out, "<th scope=\"rowgroup\" rowspan=\"%zu\">%s<p class=\"soft\">",
                    report_fingerprint_shown(print), print->question);
        html_count(out, print->observations);
        text_puts(out, " observations</p></th>");
    }
    const bool clear = report_fingerprint_is_clear(print);
    html_printf(out, "<td>%s%s%s</td><td class=\"share\">", i > 0 && clear ? "or " : "",
                strategy->name, i == 0 && !clear ? " (mixed)" : "");
    html_bar(out, (const uint64_t[]){strategy->matching, print->observations - strategy->matching},
             kinds, 2);
    html_printf(out, "</td><td class=\"rate\">%s</td></tr>\n", share);
}

void html_fingerprints(const struct html *html, struct text *out)
{
    for (size_t device = 0; device < html->model->device_count; device++) {
        struct report_fingerprint *list;
        const size_t count = report_fingerprints(html->model, device, &list);
        if (count > 0) {
            put_device_heading(html, device, out);
            open_table(out, "Divergence", "The strategy that explains most of what was seen");
            text_puts(out, "<th scope=\"col\">question</th><th scope=\"col\">what was seen</th>"
                           "<th scope=\"col\">share</th><th scope=\"col\">95\xc2\xa0% interval</th>"
                           "</tr></thead>\n");
            for (size_t q = 0; q < count; q++) {
                text_puts(out, "<tbody>\n");
                for (size_t i = 0; i < report_fingerprint_shown(&list[q]); i++)
                    put_strategy(&list[q], i, out);
                text_puts(out, "</tbody>\n");
            }
            text_puts(out, "</table></div>\n");
            put_under(&list[0].under, out);
        }
        free(list);
    }
}

// ---- who is waited for

static const struct report_wait *find_wait(const struct report_progress *progress, const char *who)
{
    for (size_t i = 0; i < progress->count; i++)
        if (!strcmp(progress->waits[i].who, who))
            return &progress->waits[i];
    return NULL;
}

// A row for a kind of wait, with a lane for each device that was asked.
static void put_wait(const struct html *html, const struct report_progress *all,
                     const struct report_wait *first, struct text *out)
{
    const size_t devices = html->model->device_count;
    struct html_rate *rates = lit_alloc(devices, sizeof *rates);
    struct text cells[3] = {0};
    size_t lanes = 0;
    for (size_t device = 0; device < devices; device++) {
        const struct report_wait *wait = find_wait(&all[device], first->who);
        char share[80];
        if (!wait)
            continue;
        rates[lanes++] = (struct html_rate){wait->stuck, wait->runs, wait->interval, HTML_PLAIN};
        format_interval(share, wait->stuck, wait->runs, wait->interval);
        for (size_t c = 0; c < 3; c++)
            text_puts(&cells[c], "<span class=\"lane\">");
        html_count(&cells[0], wait->runs);
        html_count(&cells[1], wait->stuck);
        html_device(&cells[2], html, device);
        html_printf(&cells[2], "%s%s", share, wait->ended_by ? ", and ended early" : "");
        for (size_t c = 0; c < 3; c++)
            text_puts(&cells[c], "</span>");
    }
    html_printf(out, "<tr><th scope=\"row\">%s<p class=\"soft\">%s</p></th>", first->who,
                first->test);
    text_printf(out, "<td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"plots\">",
                cells[0].data, cells[1].data);
    html_plot(out, html->decades, rates, lanes);
    text_printf(out, "</td><td class=\"rate\">%s</td></tr>\n", cells[2].data);
    for (size_t c = 0; c < 3; c++)
        text_free(&cells[c]);
    free(rates);
}

static void put_waits(const struct html *html, const struct report_progress *all, struct text *out)
{
    bool any = false;
    for (size_t device = 0; device < html->model->device_count; device++)
        for (size_t i = 0; i < all[device].count; i++) {
            const struct report_wait *wait = &all[device].waits[i];
            bool done = false; // with an earlier device
            for (size_t other = 0; other < device && !done; other++)
                done = find_wait(&all[other], wait->who) != NULL;
            if (done)
                continue;
            if (!any) {
                open_table(out, "Waits",
                           "How often a wait ran out. That it never did is no promise.");
                text_puts(out, "<th scope=\"col\">who is waited for</th><th scope=\"col\" "
                               "class=\"n\">runs</th><th scope=\"col\" class=\"n\">in vain</th>");
                html_axis_heading(out, html->decades);
                text_puts(out, "<th scope=\"col\">share, 95\xc2\xa0% interval</th></tr></thead>\n"
                               "<tbody>\n");
                any = true;
            }
            put_wait(html, all, wait, out);
        }
    if (any)
        text_puts(out, "</tbody></table></div>\n");
}

static void put_sentence(struct text *out, const char *subject, const char *says)
{
    if (says)
        html_printf(out, "<dt>%s</dt><dd>%s</dd>\n", subject, says);
}

static void put_model(const struct report_progress *progress, struct text *out)
{
    text_puts(out, "<dl class=\"facts\">\n");
    put_sentence(out, "workgroups", progress->between_workgroups);
    put_sentence(out, "subgroups", progress->between_subgroups);
    put_sentence(out, "lanes", progress->between_lanes);
    if (progress->together) {
        text_puts(out, "<dt>resident</dt><dd>");
        html_count(out, progress->together);
        text_puts(out, " workgroups were there at once in every run</dd>\n");
    }
    if (progress->apart) {
        text_puts(out, "<dt>not resident</dt><dd>");
        html_count(out, progress->apart);
        text_puts(out, " workgroups were not all there at once in some runs</dd>\n");
    }
    text_puts(out, "</dl>\n");
}

void html_waits(const struct html *html, struct text *out)
{
    const size_t devices = html->model->device_count;
    struct report_progress *all = lit_alloc(devices, sizeof *all);
    for (size_t device = 0; device < devices; device++) {
        const struct report_progress *progress = &all[device];
        report_progress(html->model, device, &all[device]);
        if (progress->count == 0 && !progress->together && !progress->apart)
            continue;
        put_device_heading(html, device, out);
        put_model(progress, out);
        put_under(&progress->under, out);
    }
    put_waits(html, all, out);
    free(all);
}
