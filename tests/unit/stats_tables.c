// SPDX-License-Identifier: Apache-2.0
// Every function of harness/stats against reference values, 10^0 to 10^12 runs: STATS_TABLES FILE,
// which stats_table.py prints.
#include "stats/distribution.h"
#include "stats/stats.h"

#include "sections.h"

#include <math.h>

#define TOLERANCE 1e-11
#define LIST_MOST 20

static const char *values; // of the table from here on
static size_t row;
static double worst;

static void begin(const char *table)
{
    values = section(table)->text;
    row = 0;
    worst = 0;
}

// Whether there is another row.
static bool more(const char *table)
{
    values += strspn(values, " \n");
    if (*values) {
        row++;
        return true;
    }
    assert_true(row > 0);
    print_message("%s: worst relative error of %zu rows %.1e\n", table, row, worst);
    return false;
}

#define EACH_ROW(table) for (begin(table); more(table);)

static double next(void)
{
    char *end;
    const double value = strtod(values, &end);
    if (end == values)
        fail_msg("row %zu is too short", row);
    values = end;
    return value;
}

static uint64_t count(void)
{
    return (uint64_t)next();
}

static void next_list(double *list, size_t length)
{
    assert_in_range(length, 1, LIST_MOST);
    for (size_t i = 0; i < length; i++)
        list[i] = next();
}

// `scale`: what the error is relative to, where that is not the value itself.
static void check_scaled(const char *what, double got, double want, double scale)
{
    double error = got == want ? 0 : fabs(got - want) / scale;
    if (!(error <= TOLERANCE))
        fail_msg("%s, row %zu: %.17g, not %.17g (relative error %.1e)", what, row, got, want,
                 error);
    worst = fmax(worst, error);
}

static void check(const char *what, double got, double want)
{
    check_scaled(what, got, want, fabs(want));
}

TEST(test_intervals)
{
    static const struct {
        const char *table;
        struct stat_interval (*function)(uint64_t k, uint64_t n, double confidence);
    } intervals[] = {{"clopper_pearson", stat_clopper_pearson},
                     {"wilson", stat_wilson},
                     {"sequence", stat_sequence}};
    for (size_t i = 0; i < 3; i++)
        EACH_ROW(intervals[i].table)
        {
            const uint64_t k = count(), n = count();
            const struct stat_interval got = intervals[i].function(k, n, next());
            const double low = next(), high = next();
            check("low", got.low, low);
            check("high", got.high, high);
            // What is left to 1 must be right too: k near n is as common as k near 0.
            if (i == 0 && (k == n || k < n / 2))
                check("rest", 1 - got.high, 1 - high);
        }
    EACH_ROW("zero")
    {
        const uint64_t n = count();
        const double got = stat_zero_bound(n, next());
        check("zero", got, next());
    }
}

TEST(test_comparisons)
{
    static const enum stat_tail tails[] = {STAT_TWO_SIDED, STAT_GREATER, STAT_LESS};
    EACH_ROW("fisher")
    {
        const uint64_t k1 = count(), n1 = count(), k2 = count(), n2 = count();
        for (size_t i = 0; i < 3; i++)
            check("fisher", stat_fisher(k1, n1, k2, n2, tails[i]), next());
    }
    EACH_ROW("newcombe")
    {
        const uint64_t k1 = count(), n1 = count(), k2 = count(), n2 = count();
        const struct stat_interval got = stat_newcombe(k1, n1, k2, n2, next());
        const double low = next(), high = next();
        // A bound may be next to 0: the width is the scale there.
        const double width = high - low;
        check_scaled("low", got.low, low, fmin(width, fmax(fabs(low), width / 1000)));
        check_scaled("high", got.high, high, fmin(width, fmax(fabs(high), width / 1000)));
    }
}

TEST(test_parts)
{
    EACH_ROW("beta")
    {
        const double a = next(), b = next(), x = next();
        check("beta", stat_beta(a, b, x), next());
    }
    EACH_ROW("detectable")
    {
        const uint64_t k1 = count(), n1 = count(), n2 = count();
        const double alpha = next(), power = next();
        check("rate", stat_detectable(k1, n1, n2, alpha, power), next());
    }
    EACH_ROW("chi")
    {
        const double x = next(), degrees = next();
        check("tail", stat_chi_square_tail(x, degrees), next());
    }
    EACH_ROW("dispersion")
    {
        uint64_t k[LIST_MOST], n[LIST_MOST];
        const size_t groups = count();
        assert_in_range(groups, 2, LIST_MOST);
        for (size_t i = 0; i < groups; i++)
            k[i] = count();
        for (size_t i = 0; i < groups; i++)
            n[i] = count();
        const struct stat_dispersion got = stat_dispersion(k, n, groups);
        assert_int_equal(got.groups, groups);
        check("factor", got.factor, next());
        check("p", got.p, next());
    }
}

TEST(test_adjusted)
{
    static void (*const adjust[])(const double *, size_t, double *) = {stat_holm,
                                                                       stat_benjamini_hochberg};
    EACH_ROW("adjust")
    {
        double p[LIST_MOST], got[LIST_MOST];
        const size_t length = count();
        next_list(p, length);
        for (size_t i = 0; i < 2; i++) {
            adjust[i](p, length, got);
            for (size_t j = 0; j < length; j++)
                check(i ? "hochberg" : "holm", got[j], next());
        }
    }
}
