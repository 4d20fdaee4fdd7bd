// SPDX-License-Identifier: Apache-2.0
// Every function of harness/stats against reference values, 10^0 to 10^12 runs (stats_table.py).
#include "stats/distribution.h"
#include "stats/stats.h"

#include "stats_table.h"
#include "unit.h"

#include <math.h>

#define TOLERANCE    1e-11
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static double worst;

// `scale`: what the error is relative to, where that is not the value itself.
static void check_scaled(const char *what, size_t row, double got, double want, double scale)
{
    double error = got == want ? 0 : fabs(got - want) / scale;
    if (!(error <= TOLERANCE))
        fail_msg("%s, row %zu: %.17g, not %.17g (relative error %.1e)", what, row, got, want,
                 error);
    worst = fmax(worst, error);
}

static void check(const char *what, size_t row, double got, double want)
{
    check_scaled(what, row, got, want, fabs(want));
}

static void tell_of(const char *what, size_t rows)
{
    print_message("%s: worst relative error of %zu rows %.1e\n", what, rows, worst);
    worst = 0;
}

TEST(test_intervals)
{
    for (size_t i = 0; i < COUNT(clopper_pearson_table); i++) {
        const struct clopper_pearson_row *row = &clopper_pearson_table[i];
        struct stat_interval got = stat_clopper_pearson(row->k, row->n, row->confidence);
        check("low", i, got.low, row->low);
        check("high", i, got.high, row->high);
        // What is left to 1 must be right too: k near n is as common as k near 0.
        if (row->k == row->n || row->k < row->n / 2)
            check("rest", i, 1 - got.high, 1 - row->high);
    }
    tell_of("Clopper-Pearson", COUNT(clopper_pearson_table));
    for (size_t i = 0; i < COUNT(wilson_table); i++) {
        const struct wilson_row *row = &wilson_table[i];
        struct stat_interval got = stat_wilson(row->k, row->n, row->confidence);
        check("low", i, got.low, row->low);
        check("high", i, got.high, row->high);
    }
    tell_of("wilson", COUNT(wilson_table));
    for (size_t i = 0; i < COUNT(zero_table); i++)
        check("zero", i, stat_zero_bound(zero_table[i].n, zero_table[i].confidence),
              zero_table[i].bound);
    tell_of("zero bound", COUNT(zero_table));
    for (size_t i = 0; i < COUNT(sequence_table); i++) {
        const struct sequence_row *row = &sequence_table[i];
        struct stat_interval got = stat_sequence(row->k, row->n, row->confidence);
        check("low", i, got.low, row->low);
        check("high", i, got.high, row->high);
    }
    tell_of("sequence", COUNT(sequence_table));
}

TEST(test_comparisons)
{
    for (size_t i = 0; i < COUNT(fisher_table); i++) {
        const struct fisher_row *row = &fisher_table[i];
        check("fisher", i, stat_fisher(row->k1, row->n1, row->k2, row->n2, row->tail), row->p);
    }
    tell_of("fisher", COUNT(fisher_table));
    for (size_t i = 0; i < COUNT(newcombe_table); i++) {
        const struct newcombe_row *row = &newcombe_table[i];
        struct stat_interval got =
            stat_newcombe(row->k1, row->n1, row->k2, row->n2, row->confidence);
        // A bound may be next to 0: the width is the scale there.
        double width = row->high - row->low;
        check_scaled("low", i, got.low, row->low, fmin(width, fmax(fabs(row->low), width / 1000)));
        check_scaled("high", i, got.high, row->high,
                     fmin(width, fmax(fabs(row->high), width / 1000)));
    }
    tell_of("newcombe", COUNT(newcombe_table));
}

TEST(test_parts)
{
    for (size_t i = 0; i < COUNT(beta_table); i++) {
        const struct beta_row *row = &beta_table[i];
        check("beta", i, stat_beta(row->a, row->b, row->x), row->value);
    }
    tell_of("beta", COUNT(beta_table));
    for (size_t i = 0; i < COUNT(detectable_table); i++) {
        const struct detectable_row *row = &detectable_table[i];
        check("rate", i, stat_detectable(row->k1, row->n1, row->n2, row->alpha, row->power),
              row->rate);
    }
    tell_of("detectable", COUNT(detectable_table));
    for (size_t i = 0; i < COUNT(chi_table); i++)
        check("tail", i, stat_chi_square_tail(chi_table[i].x, chi_table[i].degrees),
              chi_table[i].tail);
    tell_of("chi-square", COUNT(chi_table));
    for (size_t i = 0; i < COUNT(dispersion_table); i++) {
        const struct dispersion_row *row = &dispersion_table[i];
        struct stat_dispersion got = stat_dispersion(row->k, row->n, row->groups);
        assert_int_equal(got.groups, row->groups);
        check("factor", i, got.factor, row->factor);
        check("p", i, got.p, row->p);
    }
    tell_of("dispersion", COUNT(dispersion_table));
}

TEST(test_adjusted)
{
    double got[20];
    for (size_t i = 0; i < COUNT(adjust_table); i++) {
        const struct adjust_row *row = &adjust_table[i];
        stat_holm(row->p, row->count, got);
        for (size_t j = 0; j < row->count; j++)
            check("holm", i, got[j], row->holm[j]);
        stat_benjamini_hochberg(row->p, row->count, got);
        for (size_t j = 0; j < row->count; j++)
            check("hochberg", i, got[j], row->hochberg[j]);
    }
    tell_of("adjusted", COUNT(adjust_table));
}
