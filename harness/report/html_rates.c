// SPDX-License-Identifier: Apache-2.0
// Failure rates as plots, grouped by test: one line for each device, in which all configurations of
// the test lie on one axis; where something was seen, a line for each configuration below.
#include "report/html.h"

#include "catalogue/catalogue.h"

#include <stdlib.h>
#include <string.h>

// Configurations that are drawn each by itself: the page has to open at once.
#define MOST_OF_TEST 40
#define MOST_IN_ALL  400

struct summary {
    size_t ran, seen, skipped, quiet; // quiet: ran and never seen
    double bound;                     // the highest among the quiet ones
    const struct report_result *worst;
};

static double rate_of(const struct report_result *result)
{
    return (double)result->failed_runs / (double)result->judged;
}

static struct html_rate make_rate(const struct report_result *result)
{
    return (struct html_rate){result->failed_runs, result->judged, result->interval,
                              (int)result->expectation};
}

static struct summary summarise(const struct html_entry *test, size_t count, size_t device)
{
    struct summary sum = {0};
    for (size_t i = 0; i < count; i++) {
        const struct report_result *result = test[i].result;
        if (result->device != device)
            continue;
        sum.skipped += result->judged == 0;
        if (result->judged == 0)
            continue;
        sum.ran++;
        if (result->failed_runs == 0) {
            sum.quiet++;
            if (result->interval.high > sum.bound)
                sum.bound = result->interval.high;
        } else {
            sum.seen++;
            if (!sum.worst || rate_of(result) > rate_of(sum.worst))
                sum.worst = result;
        }
    }
    return sum;
}

// The rates of a test on one device, for one lane: one bound for all that were never seen, and
// those that were, the gravest last, so that they lie above the others. Returns how many; `rates`
// has room for all.
static size_t gather(const struct html *html, const struct html_entry *test, size_t count,
                     size_t device, const struct summary *sum, struct html_rate *rates)
{
    size_t used = 0;
    if (sum->quiet)
        rates[used++] = (struct html_rate){0, 1, {0, sum->bound}, HTML_PLAIN};
    for (int expectation = CAT_CONTROL; expectation >= CAT_FORBIDDEN; expectation--)
        for (size_t i = 0; i < count; i++) {
            const struct report_result *result = test[i].result;
            if (result->device != device || result->judged == 0 || result->failed_runs == 0 ||
                (int)result->expectation != expectation)
                continue;
            const struct html_rate rate = make_rate(result);
            const int x = (int)html_x(html->decades, rate_of(result));
            bool drawn = false; // at the same place, with the same shape
            for (size_t at = 0; at < used && !drawn; at++)
                drawn = rates[at].failed > 0 && rates[at].expectation == expectation &&
                        (int)html_x(html->decades,
                                    (double)rates[at].failed / (double)rates[at].judged) == x;
            if (!drawn)
                rates[used++] = rate;
        }
    return used;
}

// Whether two devices have nothing to tell apart: both never saw it, with the same bound in words,
// or both have no answer.
static bool say_the_same(const struct summary *a, const struct summary *b)
{
    return !a->seen && !b->seen && (a->ran == 0) == (b->ran == 0) &&
           !strcmp(RATE(a->bound, 1), RATE(b->bound, 1));
}

static void put_words(const struct html *html, const struct summary *sums, size_t device,
                      struct text *out)
{
    const struct summary *sum = &sums[device];
    size_t least = sum->ran + sum->skipped, most = least;
    text_puts(out, "<span class=\"lane\">");
    for (size_t other = device; other < html->model->device_count; other++) {
        const size_t count = sums[other].ran + sums[other].skipped;
        if (other != device && (count == 0 || !say_the_same(sum, &sums[other])))
            continue;
        html_device(out, html, other);
        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    if (sum->seen) {
        html_printf(out, "<b>seen in %zu of %zu</b>, up to %s", sum->seen, sum->ran,
                    RATE(rate_of(sum->worst), 0));
    } else if (sum->quiet) {
        html_printf(out, "never in %zu", least);
        if (most > least)
            html_printf(out, " to %zu", most);
        html_printf(out, "%s < %s", most > 1 ? ", each" : ",", RATE(sum->bound, 1));
    } else {
        text_puts(out, "<span class=\"soft\">no answer</span>");
    }
    text_puts(out, "</span>");
}

// A line for each device that has the test, or for several that say the same. Returns whether
// something was seen.
static bool put_strip(const struct html *html, const struct html_entry *test, size_t count,
                      struct text *out)
{
    const size_t devices = html->model->device_count;
    struct text words = {0}, strip = {0};
    struct html_rate *rates = lit_alloc(count + 1, sizeof *rates);
    struct summary *sums = lit_alloc(devices, sizeof *sums);
    bool seen = false;
    for (size_t device = 0; device < devices; device++)
        sums[device] = summarise(test, count, device);
    for (size_t device = 0; device < devices; device++) {
        bool drawn = sums[device].ran + sums[device].skipped == 0;
        for (size_t other = 0; other < device && !drawn; other++)
            drawn = sums[other].ran + sums[other].skipped > 0 &&
                    say_the_same(&sums[other], &sums[device]);
        if (drawn)
            continue;
        const size_t used = gather(html, test, count, device, &sums[device], rates);
        html_plot(&strip, html->decades, rates, used);
        put_words(html, sums, device, &words);
        seen |= sums[device].seen > 0;
    }
    html_printf(out, "<span class=\"test\">%s</span><span class=\"strips\">", test[0].result->test);
    text_puts(out, strip.data ? strip.data : "");
    text_puts(out, "</span><span class=\"words\">");
    text_puts(out, words.data ? words.data : "");
    text_puts(out, "</span>");
    text_free(&words);
    text_free(&strip);
    free(rates);
    free(sums);
    return seen;
}

static void put_configuration(const struct html *html, const struct html_entry *test, size_t count,
                              size_t at, struct table *table)
{
    struct text label = {0};
    html_pairs(&label, test, count, at, false);
    for (size_t i = 0; i < html_same_key(test, count, at); i++) {
        const struct report_result *result = test[at + i].result;
        const size_t index = (size_t)(result - html->model->results);
        const char *expectation = cat_expectation_name(result->expectation);
        table->device = result->device;
        table_row(table)->more = i > 0;
        table_put(table, TONE_PLAIN, "%s", label.length ? label.data : test[at].result->name);
        struct table_cell *rate =
            table_rate(table, TONE_PLAIN, result->failed_runs, result->judged, result->interval);
        rate->group = (int)result->expectation;
        rate->failure = html->placed[index] ? index + 1 : 0;
        table_put(table, TONE_PLAIN, "%s", result->judged ? "" : eng_result_name(result->result));
        table_put(table, TONE_PLAIN, "%s", expectation);
    }
    text_free(&label);
}

// At most `most` configurations; returns how many.
static size_t put_configurations(const struct html *html, const struct html_entry *test,
                                 size_t count, size_t most, struct text *out)
{
    static const struct table_column heads[] = {
        {.title = "configuration"},
        {.title = "rate, 95\xc2\xa0% interval", .kind = TABLE_RATE},
        {.title = "result", .without = TABLE_UNLESS_USED},
        {.title = "expectation", .kind = TABLE_CHIP},
    };
    struct text name = {0}, common = {0};
    size_t done = 0, at = 0;
    text_printf(&name, "Rates of %s", test[0].result->test);
    html_pairs(&common, test, count, 0, true);
    struct table table = {.title = name.data,
                          .about = common.length ? common.data : "Each configuration",
                          .gathered = true,
                          TABLE_OF(heads)};
    for (; at < count && done < most && done < MOST_OF_TEST;
         at += html_same_key(test, count, at), done++)
        put_configuration(html, test, count, at, &table);
    html_table(html, &table, false, out);
    table_clear(&table);
    if (at < count)
        html_printf(out,
                    "<p><a href=\"#results\" data-text=\"%s\">All %zu results of this test</a> are "
                    "in the table of all results.</p>\n",
                    test[0].result->test, count);
    text_free(&name);
    text_free(&common);
    return done;
}

void html_rates(const struct html *html, struct text *out)
{
    struct html_entry *entries;
    const size_t count = html_entries(html->model, &entries);
    const char *family = "";
    size_t left = MOST_IN_ALL;
    for (size_t at = 0, some; at < count; at += some) {
        const struct html_entry *test = entries + at;
        some = html_same_test(entries, count, at);
        if (strcmp(test[0].result->family, family) != 0) {
            family = test[0].result->family;
            html_printf(out,
                        "<div class=\"strip heading\"><h3 class=\"test\">%s</h3>"
                        "<span class=\"strips\">",
                        family);
            html_axis(out, html->decades);
            text_puts(out, "</span><span class=\"words\"></span></div>\n");
        }
        struct text strip = {0};
        if (put_strip(html, test, some, &strip)) {
            text_puts(out, "<details class=\"rates\"><summary class=\"strip\">");
            text_puts(out, strip.data);
            text_puts(out, "</summary>\n");
            left -= put_configurations(html, test, some, left, out);
            text_puts(out, "</details>\n");
        } else {
            text_puts(out, "<div class=\"strip\">");
            text_puts(out, strip.data);
            text_puts(out, "</div>\n");
        }
        text_free(&strip);
    }
    html_entries_free(entries, count);
}
