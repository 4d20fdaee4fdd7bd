// SPDX-License-Identifier: Apache-2.0
// Rounds of checked runs, their statistics, and the memory limit.
#include "bench/rate.h"

#include "base/text.h"

const char *const bench_forms[] = {"batched", "single", "compiled"};

void bench_rates_clear(struct bench_rates *rates)
{
    free(rates->rounds);
    *rates = (struct bench_rates){0};
}

// Whether two reports are of the same kind of run.
static bool same_run(const struct bench_rate *a, const struct bench_rate *b)
{
    return a->workgroups == b->workgroups && a->subgroup == b->subgroup &&
           a->input_words == b->input_words && a->output_words == b->output_words &&
           a->state_words == b->state_words && a->instances == b->instances &&
           a->stride == b->stride;
}

static bool makes_sense(const struct bench_rate *report)
{
    const double stages = report->fill_ns + report->test_ns + report->check_ns;
    return report->form < BENCH_FORMS && report->round < BENCH_RATE_ROUNDS && report->runs &&
           report->instances && report->output_words >= report->instances && report->subgroup &&
           report->slots && (report->stride == 1 || report->stride == 4) && report->wall_ns > 0 &&
           // The device's clock may run slightly faster than the host's.
           stages <= report->wall_ns * 1.1 && report->expired <= report->runs &&
           report->failed <= (report->runs - report->expired) * report->instances;
}

bool bench_rates_take(struct bench_rates *rates, const struct bench_rate *report)
{
    size_t before = 0;
    for (size_t i = 0; i < rates->count; i++)
        before += rates->rounds[i].form == report->form;
    if (!makes_sense(report) || report->round != before ||
        (rates->count && !same_run(&rates->rounds[0], report)))
        return false;
    LIT_ADD(rates->rounds, rates->count) = *report;
    return true;
}

struct bench_traffic bench_rate_traffic(const struct bench_rate *rate)
{
    const double words = (double)rate->output_words, notes = 2.0 * (double)rate->instances;
    return (struct bench_traffic){
        .fill = 4 * (words + (double)rate->state_words + notes),
        .test = 4 * ((double)rate->input_words + words),
        .check = 4 * (words + words * rate->stride / rate->slots + notes),
    };
}

double bench_rate_subgroups(const struct bench_rate *rate)
{
    return (double)rate->output_words / rate->subgroup;
}

static double per_second(const struct bench_rate *rate)
{
    return (double)(rate->runs - rate->expired) * (double)rate->instances / (rate->wall_ns * 1e-9);
}

// Collects the values of one form, in order. Returns their number; free *values.
static size_t collect(const struct bench_rates *rates, enum bench_form form, double **values)
{
    size_t count = 0;
    *values = lit_alloc(rates->count + 1, sizeof **values);
    for (size_t i = 0; i < rates->count; i++)
        if (rates->rounds[i].form == form)
            (*values)[count++] = per_second(&rates->rounds[i]);
    return count;
}

static void add_shares(const struct bench_rates *rates, enum bench_form form,
                       struct bench_rate_figures *f)
{
    double fill = 0, test = 0, check = 0;
    for (size_t i = 0; i < rates->count; i++) {
        const struct bench_rate *rate = &rates->rounds[i];
        if (rate->form != form)
            continue;
        f->runs += rate->runs;
        f->instances += (rate->runs - rate->expired) * rate->instances;
        f->failed += rate->failed;
        f->expired += rate->expired;
        f->wall += rate->wall_ns * 1e-9;
        f->cpu += rate->cpu_ns * 1e-9;
        fill += rate->fill_ns * 1e-9;
        test += rate->test_ns * 1e-9;
        check += rate->check_ns * 1e-9;
    }
    if (fill + test + check <= 0)
        return;
    f->fill = fill / f->wall;
    f->test = test / f->wall;
    f->check = check / f->wall;
    f->rest = 1 - f->fill - f->test - f->check;
}

struct bench_rate_figures bench_rate_figures(const struct bench_rates *rates, enum bench_form form)
{
    struct bench_rate_figures f = {0};
    OWNED(lit_free) double *values = NULL;
    f.rounds = collect(rates, form, &values);
    if (f.rounds) {
        const struct bench_rate *run = &rates->rounds[0];
        while (run->form != form)
            run++;
        const struct bench_traffic traffic = bench_rate_traffic(run);
        const double each = traffic.fill + traffic.test + traffic.check;
        const double instances = (double)run->instances;
        f.per_second = stat_sample(values, f.rounds);
        f.subgroups = f.per_second.median / instances * bench_rate_subgroups(run);
        f.bytes = f.per_second.median / instances * each;
        f.limit = run->copy / each * instances;
        f.of_limit = f.limit > 0 ? f.per_second.median / f.limit : 0;
        add_shares(rates, form, &f);
    }
    return f;
}

bool bench_rates_ratio(const struct bench_rates *rates, enum bench_form form, enum bench_form other,
                       struct stat_sample *ratio)
{
    OWNED(lit_free) double *above = NULL, *below = NULL;
    const size_t count = collect(rates, form, &above), others = collect(rates, other, &below);
    size_t both = 0;
    for (size_t i = 0; i < count && i < others; i++)
        if (below[i] > 0) // otherwise all of its runs gave up
            above[both++] = above[i] / below[i];
    if (both)
        *ratio = stat_sample(above, both);
    return both > 0;
}
