// SPDX-License-Identifier: Apache-2.0
// Rates with their intervals on a logarithmic axis, as inline SVG. Classes carry the style: the
// page's policy forbids style attributes.
#include "report/html.h"

#include <math.h>

#define WIDTH  320
#define HEIGHT 16
#define LEFT   8
#define RIGHT  312
#define MIDDLE (HEIGHT / 2)

#define LEAST_SHARE 0.015 // of a bar: keeps one failure among thousands visible

int html_decades(const struct report_model *model)
{
    double least = 1;
    REPORT_EACH (result, model, REPORT_ALL) {
        const double end = result->failed_runs ? result->interval.low : result->interval.high;
        if (result->judged > 0 && end > 0 && end < least)
            least = end;
    }
    const int decades = (int)ceil(-log10(least) - 1e-9);
    return decades < 2 ? 2 : decades > 9 ? 9 : decades;
}

double html_x(int decades, double rate)
{
    const double place = rate > 0 ? 1 + log10(rate) / decades : 0;
    return LEFT + (RIGHT - LEFT) * (place < 0 ? 0 : place > 1 ? 1 : place);
}

static void open_svg(struct text *out, const char *kind, int height)
{
    html_printf(out,
                "<svg class=\"%s\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "aria-hidden=\"true\">",
                kind, WIDTH, height, WIDTH, height);
}

// A line for each decade.
static void put_grid(struct text *out, int decades)
{
    text_puts(out, "<path class=\"grid\" d=\"");
    for (int d = 0; d <= decades; d++)
        text_printf(out, "M%.1f 0v%d", html_x(decades, pow(10, -d)), HEIGHT);
    text_puts(out, "\"/>");
}

void html_axis(struct text *out, int decades)
{
    open_svg(out, "axis", 20);
    for (int d = 0; d <= decades; d++) {
        if (decades > 6 && d % 2 != decades % 2) // no room for all
            continue;
        const char *anchor = d == 0 ? "end" : d == decades ? "start" : "middle";
        const double x = d == 0         ? RIGHT + 4
                         : d == decades ? LEFT - 6
                                        : html_x(decades, pow(10, -d));
        if (d < 3)
            text_printf(out, "<text x=\"%.1f\" y=\"14\" text-anchor=\"%s\">%s</text>", x, anchor,
                        d == 0   ? "1"
                        : d == 1 ? "0.1"
                                 : "0.01");
        else
            text_printf(out,
                        "<text x=\"%.1f\" y=\"14\" text-anchor=\"%s\">10<tspan dy=\"-4\" "
                        "class=\"power\">\xe2\x88\x92%d</tspan></text>",
                        x, anchor, d);
    }
    text_puts(out, "</svg>");
}

void html_axis_heading(struct text *out, int decades)
{
    text_puts(out, "<th scope=\"col\" class=\"plots\" aria-label=\"plot\">");
    html_axis(out, decades);
    text_puts(out, "</th>");
}

// Each expectation has a shape, so that colour is not the only sign.
static void put_dot(struct text *out, int expectation, double x)
{
    static const char *const shapes[] = {
        [CAT_FORBIDDEN] = "l5-5 5 5-5 5z",                 // a diamond
        [CAT_CONTESTED] = "a4 4 0 1 1 8 0a4 4 0 1 1-8 0z", // a disk
        [CAT_ASSUMED] = "v-4h8v8h-8z",                     // a square
        [CAT_CONTROL] = "a4 4 0 1 1 8 0a4 4 0 1 1-8 0z",   // a ring
        [HTML_PLAIN] = "a4 4 0 1 1 8 0a4 4 0 1 1-8 0z",
    };
    const int half = expectation == CAT_FORBIDDEN ? 5 : 4;
    text_printf(out, "<path class=\"dot e%d\" d=\"M%.1f %d%s\"/>", expectation, x - half, MIDDLE,
                shapes[expectation]);
}

static void put_rate(struct text *out, int decades, const struct html_rate *rate)
{
    if (rate->judged == 0)
        return;
    const double low = html_x(decades, rate->interval.low);
    const double high = html_x(decades, rate->interval.high);
    if (rate->failed == 0) {
        // One-sided: from the bound to the axis's end; an arrow there says that it goes on to zero.
        text_printf(out,
                    "<path class=\"bound\" d=\"M%.1f %dH%d\"/>"
                    "<path class=\"bound cap\" d=\"M%d %dl-4 4 4 4M%.1f %dv8\"/>",
                    high, MIDDLE, LEFT - 4, LEFT, MIDDLE - 4, high, MIDDLE - 4);
        return;
    }
    text_printf(out, "<path class=\"interval e%d\" d=\"M%.1f %dH%.1f\"/>", rate->expectation, low,
                MIDDLE, high);
    put_dot(out, rate->expectation, html_x(decades, (double)rate->failed / (double)rate->judged));
}

void html_plot(struct text *out, int decades, const struct html_rate *rates, size_t count)
{
    open_svg(out, "plot", HEIGHT);
    put_grid(out, decades);
    for (size_t i = 0; i < count; i++)
        put_rate(out, decades, &rates[i]);
    text_puts(out, "</svg>");
}

static void open_bar(struct text *out)
{
    text_puts(out, "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
                   "aria-hidden=\"true\">");
}

static void put_part(struct text *out, const char *kind, double x, double width)
{
    html_printf(out, "<rect class=\"%s\" x=\"%.2f\" width=\"%.2f\" height=\"10\"/>", kind, x,
                width);
}

void html_bar(struct text *out, const uint64_t *shares, const char *const *kinds, size_t count)
{
    uint64_t whole = 0;
    double x = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        whole += shares[i];
    for (size_t i = 0; i < count; i++)
        sum += shares[i] ? fmax(LEAST_SHARE, (double)shares[i] / (double)whole) : 0;
    open_bar(out);
    for (size_t i = 0; i < count; i++) {
        if (shares[i] == 0)
            continue;
        const double width = 100 / sum * fmax(LEAST_SHARE, (double)shares[i] / (double)whole);
        put_part(out, kinds[i], x, width);
        x += width;
    }
    text_puts(out, "</svg>");
}

void html_log_bar(struct text *out, uint64_t part, uint64_t whole, const char *kind)
{
    const double unit = 100 / log10((double)whole + 1); // width of a decade
    open_bar(out);
    if (part > 0)
        put_part(out, kind, 0, unit * log10((double)(part < whole ? part : whole) + 1));
    text_puts(out, "<path class=\"decades\" d=\"");
    for (double d = 1; whole > 0 && unit * d < 100; d++)
        text_printf(out, "M%.1f 0v10", unit * d);
    text_puts(out, "\"/></svg>");
}

// ---- the order of runs

#define TALL 36

static uint64_t judged_of(const struct eng_part *batch)
{
    return batch->runs - batch->no_progress_runs;
}

static double batch_rate(const struct eng_part *batch)
{
    return batch->failed_runs ? (double)batch->failed_runs / (double)judged_of(batch) : 0;
}

void html_batches(struct text *out, const struct result *result)
{
    const struct eng_part *batch = result->pieces, *end = batch + result->piece_count,
                          *most = batch;
    uint64_t run = result->first;
    double x = LEFT;
    for (; batch < end; batch++)
        most = batch_rate(batch) > batch_rate(most) ? batch : most;
    html_printf(out,
                "<svg class=\"batches\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "role=\"img\" aria-label=\"failed runs of each batch\">",
                WIDTH, TALL, WIDTH, TALL);
    for (batch = result->pieces; batch < end; batch++) {
        const double width = (RIGHT - LEFT) * (double)batch->runs / (double)result->runs;
        const double height = (TALL - 2) * batch_rate(batch) / batch_rate(most);
        html_printf(out,
                    "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>runs %s to "
                    "%s: %s of %s failed</title></rect>",
                    x, TALL - 1 - height, fmax(width - 1, width / 2), height, COUNT(run + 1),
                    COUNT(run + batch->runs), COUNT(batch->failed_runs), COUNT(judged_of(batch)));
        x += width;
        run += batch->runs;
    }
    html_printf(
        out,
        "<path class=\"grid\" d=\"M%d %dH%d\"/></svg>%zu batches in the order of their runs; "
        "in the highest %s of %s runs failed",
        LEFT, TALL - 1, RIGHT, result->piece_count, COUNT(most->failed_runs),
        COUNT(judged_of(most)));
}
