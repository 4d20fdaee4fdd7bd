// SPDX-License-Identifier: Apache-2.0
// Reads a configuration's results over all sessions, and draws the courses that move.
#include "report/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CHARTS 60
#define WIDTH       260
#define HEIGHT      92
#define LEFT        26
#define BOTTOM      76
#define LABELS      4 // drivers to name below a chart

// ---- reading

struct reading {
    struct html_history *history;
    const struct report_model *model;
    const struct report_result **sorted; // the model's results by name
    size_t first, end;                   // the current configuration's
    struct html_course course;           // the current one; .last: NULL if there is none
};

static int compare_names(const void *left, const void *right)
{
    const struct report_result *const *a = left, *const *b = right;
    const int order = strcmp((*a)->name, (*b)->name);
    return order ? order : *a < *b ? -1 : *a > *b;
}

// Whether the page has results for a configuration on a device of that name; sets first and end to
// that configuration's results.
static bool is_wanted(const char *name, const struct store_driver *driver, void *user)
{
    struct reading *reading = user;
    const struct report_model *model = reading->model;
    size_t low = 0, high = model->result_count;
    bool wanted = false;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (strcmp(reading->sorted[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    reading->first = reading->end = low;
    for (; reading->end < model->result_count &&
           strcmp(reading->sorted[reading->end]->name, name) == 0;
         reading->end++)
        wanted |= strcmp(model->devices[reading->sorted[reading->end]->device].facts.name,
                         driver->facts.name) == 0;
    return wanted;
}

// The page's result to compare a past one with: the same configuration, device and stress.
static const struct report_result *find_last(const struct reading *reading,
                                             const struct store_past *past)
{
    for (size_t i = reading->first; i < reading->end; i++) {
        const struct report_result *result = reading->sorted[i];
        const char *device = reading->model->devices[result->device].facts.name;
        if (!strcmp(device, past->driver->facts.name) && !strcmp(result->stress, past->stress))
            return result;
    }
    return NULL;
}

static void clear_course(struct html_course *course)
{
    for (size_t i = 0; i < course->count; i++)
        free(course->pasts[i].rule);
    free(course->pasts);
    *course = (struct html_course){0};
}

enum html_move html_course_move(const struct html_course *course)
{
    enum eng_result answer = ENG_SKIP; // the first result that is no skip
    bool skipped = false, failed = false, differs = false;
    for (size_t i = 0; i < course->count; i++) {
        const struct html_past *past = &course->pasts[i];
        failed |= past->failed > 0;
        if (past->result == ENG_SKIP)
            skipped = true;
        else if (answer == ENG_SKIP)
            answer = past->result;
        else
            differs |= past->result != answer;
    }
    if (differs || (failed && course->last->expectation != CAT_CONTROL))
        return HTML_MOVES;
    return answer != ENG_SKIP && skipped ? HTML_APPEARS : HTML_STAYS;
}

// Counts the current course, and keeps it if we draw it.
static void end_course(struct reading *reading)
{
    struct html_history *history = reading->history;
    struct html_course *course = &reading->course;
    if (course->count > 1) {
        const enum html_move move = html_course_move(course);
        history->counts[course->last->device].of[move]++;
        if (move == HTML_MOVES) {
            LIT_ADD(history->courses, history->count) = *course;
            *course = (struct html_course){0};
        }
    }
    clear_course(course);
}

static bool read_past(const struct store_past *past, void *user)
{
    struct reading *reading = user;
    struct html_course *course = &reading->course;
    const struct report_result *last = find_last(reading, past);
    if (!last)
        return true;
    if (course->last != last) {
        end_course(reading);
        course->last = last;
    }
    LIT_ADD(course->pasts, course->count) = (struct html_past){
        .driver = past->driver,
        .session = past->session,
        .result = past->result,
        .rule = lit_strdup(past->rule),
        .failed = past->failed_runs,
        .judged = past->runs - past->no_progress_runs,
        .same_module = !strcmp(past->sha256, last->sha256),
    };
    return true;
}

bool html_history_load(struct store *store, const struct report_model *model,
                       struct html_history *history, struct lit_error *error)
{
    *history = (struct html_history){0};
    history->counts = lit_alloc(model->device_count, sizeof *history->counts);
    if (!store_index_load(store, false, &history->index, error))
        return false;
    if (history->index.session_count < 2)
        return true;
    struct reading reading = {.history = history, .model = model};
    reading.sorted = lit_alloc(model->result_count, sizeof *reading.sorted);
    for (size_t i = 0; i < model->result_count; i++)
        reading.sorted[i] = &model->results[i];
    if (model->result_count > 0)
        qsort(reading.sorted, model->result_count, sizeof *reading.sorted, compare_names);
    const struct store_query query = {.wants = is_wanted, .index = &history->index};
    const bool good = store_history(store, &query, read_past, &reading, error);
    end_course(&reading);
    free(reading.sorted);
    return good;
}

void html_history_clear(struct html_history *history)
{
    for (size_t i = 0; i < history->count; i++)
        clear_course(&history->courses[i]);
    free(history->courses);
    free(history->counts);
    store_index_clear(&history->index);
    *history = (struct html_history){0};
}

// ---- drawing

static double y_of(int decades, double rate)
{
    const double share = rate > 0 ? 1 + log10(rate) / decades : 0;
    return BOTTOM - (BOTTOM - 8) * (share < 0 ? 0 : share);
}

static double x_of(const struct html_course *course, size_t at)
{
    return LEFT + 10 + (WIDTH - LEFT - 20) * ((double)at + 0.5) / (double)course->count;
}

// Computed when drawn: we read far more than we draw.
static struct stat_interval interval_of(const struct html_past *past)
{
    return report_interval(past->failed, past->judged, past->rule);
}

static void put_point(const struct html_course *course, size_t at, int decades, struct text *out)
{
    const struct html_past *past = &course->pasts[at];
    const struct stat_interval interval = interval_of(past);
    const double x = x_of(course, at), high = y_of(decades, interval.high);
    if (past->judged == 0) {
        text_printf(out, "<path class=\"gap\" d=\"M%.1f %dl6 6m0-6l-6 6\"/>", x - 3, BOTTOM - 8);
    } else if (past->failed == 0) {
        text_printf(out,
                    "<path class=\"bound\" d=\"M%.1f %.1fV%d\"/>"
                    "<path class=\"bound cap\" d=\"M%.1f %.1fh8\"/>",
                    x, high, BOTTOM, x - 4, high);
    } else {
        text_printf(out, "<path class=\"interval e%d\" d=\"M%.1f %.1fV%.1f\"/>",
                    (int)course->last->expectation, x, high, y_of(decades, interval.low));
        text_printf(out, "<circle class=\"dot e%d%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>",
                    (int)course->last->expectation, past->same_module ? "" : " hollow", x,
                    y_of(decades, (double)past->failed / (double)past->judged));
    }
}

// Lines between drivers, and their versions below.
static void put_drivers(const struct html_course *course, struct text *out)
{
    size_t drivers = 1;
    for (size_t i = 1; i < course->count; i++)
        drivers += course->pasts[i].driver != course->pasts[i - 1].driver;
    for (size_t from = 0, until, number = 0; from < course->count; from = until, number++) {
        until = from + 1;
        while (until < course->count && course->pasts[until].driver == course->pasts[from].driver)
            until++;
        if (until < course->count)
            text_printf(out, "<path class=\"change\" d=\"M%.1f 4V%d\"/>",
                        (x_of(course, until - 1) + x_of(course, until)) / 2, BOTTOM);
        if (drivers > LABELS && number > 0 && number + 1 < drivers)
            continue;
        const size_t room = drivers <= 1 ? 32 : drivers <= LABELS ? 44 / drivers : 14;
        OWNED(text_free) struct text label = {0};
        text_puts(&label, course->pasts[from].driver->facts.driver_version);
        if (label.length > room) {
            // Versions differ at their beginning, and are ASCII except for odd drivers.
            size_t cut = room - 1;
            while (cut > 0 && ((unsigned char)label.data[cut] & 0xc0) == 0x80)
                cut--;
            label.data[label.length = cut] = '\0';
            text_puts(&label, "\xe2\x80\xa6");
        }
        html_printf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
                    (x_of(course, from) + x_of(course, until - 1)) / 2, BOTTOM + 13, label.data);
    }
}

static void put_axis(int decades, struct text *out)
{
    text_puts(out, "<path class=\"grid\" d=\"");
    for (int d = 0; d <= decades; d++)
        text_printf(out, "M%d %.1fH%d", LEFT, y_of(decades, pow(10, -d)), WIDTH);
    text_printf(out,
                "\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">1</text>"
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">1e-%d</text>",
                LEFT - 4, y_of(decades, 1) + 3, LEFT - 4, BOTTOM + 3, decades);
}

static void put_table(const struct html_course *course, struct text *out)
{
    text_puts(out, "<details class=\"bulk\"><summary>in numbers</summary>\n<table>\n<thead><tr>"
                   "<th scope=\"col\">driver</th><th scope=\"col\">started</th><th scope=\"col\">"
                   "result</th><th scope=\"col\">failed runs</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < course->count; i++) {
        const struct html_past *past = &course->pasts[i];
        html_printf(
            out,
            "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s%s</td><td>%s of %s: %s</td></tr>\n",
            past->driver->facts.driver_version, past->session->started,
            eng_result_name(past->result), past->same_module ? "" : ", another module",
            COUNT(past->failed), COUNT(past->judged),
            format_interval((char[80]){0}, past->failed, past->judged, interval_of(past)));
    }
    text_puts(out, "</tbody></table></details>\n");
}

// "pass, then fail": the results, repeated ones once.
static void put_results(const struct html_course *course, struct text *out)
{
    bool differ = false;
    for (size_t i = 1; i < course->count; i++)
        differ |= course->pasts[i].result != course->pasts[0].result;
    for (size_t i = 0; differ && i < course->count; i++)
        if (i == 0 || course->pasts[i].result != course->pasts[i - 1].result)
            html_printf(out, "%s%s", i ? " \xe2\x86\x92 " : "",
                        eng_result_name(course->pasts[i].result));
}

static void put_chart(const struct html *html, const struct html_course *course, struct text *out)
{
    const struct report_result *last = course->last;
    const char *expectation = cat_expectation_name(last->expectation);
    text_puts(out, "<figure class=\"chart\">\n<figcaption>");
    html_device(out, html, last->device);
    html_chip(out, report_failed(last) ? expectation : "plain", expectation);
    text_puts(out, " <b>");
    put_results(course, out);
    text_puts(out, "</b><br><span class=\"config\">");
    html_name(out, last->label);
    html_printf(out, "</span></figcaption>\n<svg viewBox=\"0 0 %d %d\" aria-hidden=\"true\">",
                WIDTH, HEIGHT);
    put_axis(html->decades, out);
    put_drivers(course, out);
    for (size_t i = 0; i < course->count; i++)
        put_point(course, i, html->decades, out);
    text_puts(out, "</svg>\n");
    put_table(course, out);
    text_puts(out, "</figure>\n");
}

// Puts a device's counts. Returns how many of its courses move.
static size_t put_count(const struct html *html, size_t device, struct text *out)
{
    if (!html->history->counts)
        return 0;
    const size_t *counts = html->history->counts[device].of;
    const size_t all = counts[HTML_STAYS] + counts[HTML_APPEARS] + counts[HTML_MOVES];
    if (all == 0)
        return 0;
    text_puts(out, "<p>");
    html_device(out, html, device);
    html_printf(
        out,
        "%s configurations were measured in other sessions too: in %s of them nothing failed "
        "and nothing changed, %s were skipped in some sessions and never failed.</p>\n",
        COUNT(all), COUNT(counts[HTML_STAYS]), COUNT(counts[HTML_APPEARS]));
    return counts[HTML_MOVES];
}

void html_courses(const struct html *html, struct text *out)
{
    const struct html_history *history = html->history;
    size_t moving = 0, drawn = 0;
    for (size_t device = 0; device < html->model->device_count; device++)
        moving += put_count(html, device, out);
    if (moving == 0)
        return;
    text_puts(out, "<div class=\"charts\">\n");
    for (enum cat_expectation e = CAT_FORBIDDEN; e <= CAT_CONTROL; e++)
        for (size_t i = 0; i < history->count && drawn < MOST_CHARTS; i++) {
            const struct html_course *course = &history->courses[i];
            if (course->last->expectation != e)
                continue;
            put_chart(html, course, out);
            drawn++;
        }
    text_puts(out, "</div>\n");
    if (drawn < moving)
        text_puts(out, "<p>More that failed or changed are left out here; <code>litmus history"
                       "</code> has all.</p>\n");
}
