// SPDX-License-Identifier: Apache-2.0
// What a search found, in a table and a sentence.
#include "cli/tune_report.h"

#include "report/model.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_TRIES 8
#define NAME_WIDTH 44

static struct stat_interval interval_of(const struct tune_count *count)
{
    return stat_clopper_pearson(count->failed, tune_judged(count), REPORT_CONFIDENCE);
}

static void put_number(double number, char text[24])
{
    if (number >= 100)
        snprintf(text, 24, "%.0f", number);
    else
        snprintf(text, 24, "%.2g", number);
}

// Failures a second, and the chance to see one within the budget: where none was seen, what the
// interval still allows.
static void rate_cells(const struct tune_count *count, double budget, char second[32],
                       char score[32])
{
    char number[24], rate[24];
    const double bound = count->seconds > 0
                             ? interval_of(count).high * (double)tune_judged(count) / count->seconds
                             : 0;
    if (!tune_judged(count) || count->seconds <= 0) {
        snprintf(second, 32, "unknown");
        snprintf(score, 32, "unknown");
        return;
    }
    const bool none = count->failed == 0;
    const double per_second = none ? bound : tune_per_second(count);
    put_number(per_second, number);
    const double chance = tune_score(per_second, budget);
    format_rate(rate, chance, none ? 1 : -1);
    // More digits than that would be of a rate that nobody measures so well.
    if (chance > TUNE_REPRODUCIBLE)
        snprintf(rate, sizeof rate, "%s", none ? "1" : "> 0.99999");
    snprintf(second, 32, "%s%s", none ? "< " : "", number);
    snprintf(score, 32, "%s%s", none ? "< " : "", rate);
}

static void add_row(struct format_table *table, const char *name, const struct tune_count *count,
                    const struct cli_tune_view *view)
{
    char number[32], rate[80], second[32], score[32];
    struct format_row *row = format_row(table);
    format_interval(rate, count->failed, tune_judged(count), interval_of(count));
    rate_cells(count, view->budget, second, score);
    format_cell(row, 0, FORMAT_PLAIN, name[0] ? name : "none");
    format_cell(row, 1, FORMAT_PLAIN, text_count(number, count->runs));
    format_cell(row, 2, FORMAT_PLAIN, text_count(number, count->failed));
    format_cell(row, 3, FORMAT_PLAIN, rate);
    format_cell(row, 4, FORMAT_PLAIN, second);
    format_cell(row, 5, FORMAT_PLAIN, score);
}

static void add_title(struct format_table *table, const char *first, double budget)
{
    char within[48];
    snprintf(within, sizeof within, "reproduced in %g s", budget);
    const char *const words[] = {first,        "runs", "failed", "rate, 95 % interval",
                                 "failures/s", within};
    *table = (struct format_table){.columns = 6,
                                   .right = {[1] = true, [2] = true, [4] = true, [5] = true}};
    format_title(table, words);
}

// By rate, of equals by failures a second, then as they were drawn.
static void order(const struct tune_search *search, size_t *indexes)
{
    for (size_t i = 0; i < search->count; i++) {
        size_t at = i;
        const struct tune_count *count = &search->tries[i].searched;
        for (; at > 0; at--) {
            const struct tune_count *other = &search->tries[indexes[at - 1]].searched;
            if (tune_rate(other) > tune_rate(count) ||
                (tune_rate(other) == tune_rate(count) &&
                 tune_per_second(other) >= tune_per_second(count)))
                break;
            indexes[at] = indexes[at - 1];
        }
        indexes[at] = i;
    }
}

static void print_tries(const struct tune_search *search, const struct cli_tune_view *view,
                        struct text *out)
{
    struct format_table table;
    size_t *indexes = lit_alloc(search->count + 1, sizeof *indexes);
    size_t shown = 0;
    char left[32];
    order(search, indexes);
    add_title(&table, "while searching", view->budget);
    for (size_t i = 0; i < search->count; i++) {
        const struct tune_try *try = &search->tries[indexes[i]];
        if (!view->every && shown >= MOST_TRIES && indexes[i] != 0)
            continue;
        add_row(&table, try->notation, &try->searched, view);
        shown++;
    }
    format_table_print(&table, NAME_WIDTH, view->color, out);
    if (shown < search->count)
        text_printf(out, "  and %s more: -v\n", text_count(left, search->count - shown));
    free(indexes);
}

static void print_verdict(const struct tune_search *search, struct text *out)
{
    const struct tune_count *none = &search->tries[0].anew;
    const struct tune_count *best = &search->tries[search->best].anew;
    struct text words = {0};
    char chance[32] = "< 1e-300", rate[24];
    format_rate(rate, search->p, 0);
    if (search->p >= 1e-300)
        snprintf(chance, sizeof chance, "= %s", rate);
    if (search->chosen)
        text_printf(
            &words,
            "fails more often than without stress (p %s): used by --stress tuned from now on",
            chance);
    else if (search->best == 0)
        text_puts(&words, "no stress configuration failed more often than none: --stress tuned "
                          "stays without stress");
    else if (none->failed + best->failed == 0)
        text_puts(&words, "no failure under either: not distinguishable with these runs");
    else
        text_printf(&words,
                    "not distinguishable from no stress with these runs (p %s): --stress tuned "
                    "stays without stress",
                    chance);
    text_paragraph(out, search->best ? "  best stress configuration " : "  ", words.data);
    text_free(&words);
}

void cli_tune_table(const struct tune_search *search, const struct cli_tune_view *view,
                    struct text *out)
{
    struct format_table table;
    if (!search->count)
        return;
    print_tries(search, view, out);
    if (!search->whole) {
        text_puts(out, "  incomplete: the best one was not measured with new runs, and its rate "
                       "has selection bias\n");
        return;
    }
    add_title(&table, "measured anew", view->budget);
    add_row(&table, "", &search->tries[0].anew, view);
    if (search->best)
        add_row(&table, search->tries[search->best].notation, &search->tries[search->best].anew,
                view);
    format_table_print(&table, NAME_WIDTH, view->color, out);
    print_verdict(search, out);
}

static bool is_seen(const struct tune_count *count)
{
    return count->failed > 0 || (count->runs > 0 && count->no_progress == count->runs);
}

static bool is_firm(const struct tune_count *count, double budget)
{
    return tune_per_second(count) >= tune_ceiling(TUNE_REPRODUCIBLE, budget);
}

void cli_tune_controls_add(struct cli_tune_controls *controls, const struct tune_search *search,
                           double budget)
{
    const struct tune_count *none = &search->tries[0].anew;
    const struct tune_count *best = &search->tries[search->best].anew;
    controls->run++;
    controls->seen_before += is_seen(none);
    controls->seen_after += is_seen(best);
    controls->firm_before += is_firm(none, budget);
    controls->firm_after += is_firm(best, budget);
}

void cli_tune_controls(const struct cli_tune_controls *controls, double budget, struct text *out)
{
    char run[32], before[32], after[32], rate[24];
    if (!controls->run)
        return;
    text_printf(out,
                "\n  controls triggered, of %s: %s without stress (mutation score %.2f), %s under "
                "the best stress (%.2f)\n",
                text_count(run, controls->run), text_count(before, controls->seen_before),
                (double)controls->seen_before / (double)controls->run,
                text_count(after, controls->seen_after),
                (double)controls->seen_after / (double)controls->run);
    put_number(tune_ceiling(TUNE_REPRODUCIBLE, budget), rate);
    text_printf(out,
                "  reproducible (99.999 %% in %g s: %s failures per second or more): %s, and %s\n",
                budget, rate, text_count(before, controls->firm_before),
                text_count(after, controls->firm_after));
}
