// SPDX-License-Identifier: Apache-2.0
// The interval against reference values of 10^0 to 10^12 runs, and against what must hold anyway.
#include "stats/stats.h"

#include "stats/distribution.h"

#include "interval_table.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>

#define TOLERANCE    1e-11
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static double relative_error(double got, double want)
{
    return got == want ? 0 : fabs(got - want) / fabs(want);
}

static void check(const char *what, double got, double want)
{
    if (!(relative_error(got, want) <= TOLERANCE))
        fail_msg("%s is %.17g, not %.17g (relative error %.1e)", what, got, want,
                 relative_error(got, want));
}

static void test_interval_table(void **state)
{
    (void)state;
    double worst = 0;
    for (size_t i = 0; i < COUNT(interval_table); i++) {
        const struct interval_row *row = &interval_table[i];
        struct stat_interval got = stat_clopper_pearson(row->k, row->n, row->confidence);
        char what[96];
        snprintf(what, sizeof(what), "bound of %ju of %ju", (uintmax_t)row->k, (uintmax_t)row->n);
        check(what, got.low, row->low);
        check(what, got.high, row->high);
        // What is left to 1 must be right too: k near n is as common as k near 0.
        if (row->k == row->n || row->k < row->n / 2)
            check(what, 1 - got.high, 1 - row->high);
        worst = fmax(worst, relative_error(got.low, row->low));
        worst = fmax(worst, relative_error(got.high, row->high));
    }
    print_message("worst relative error of %zu bounds: %.1e\n", 2 * COUNT(interval_table), worst);
}

static void test_beta_table(void **state)
{
    (void)state;
    double worst = 0;
    for (size_t i = 0; i < COUNT(beta_table); i++) {
        const struct beta_row *row = &beta_table[i];
        char what[96];
        snprintf(what, sizeof(what), "I(%g; %.15g, %.15g)", row->x, row->a, row->b);
        double got = stat_beta(row->a, row->b, row->x);
        check(what, got, row->value);
        worst = fmax(worst, relative_error(got, row->value));
    }
    print_message("worst relative error of %zu values: %.1e\n", COUNT(beta_table), worst);
}

static void test_beta_closed_forms(void **state)
{
    (void)state;
    for (double x = 1.0 / 64; x < 1; x += 1.0 / 64) {
        check("arcsine", stat_beta(0.5, 0.5, x), 2 * asin(sqrt(x)) / acos(-1));
        check("power", stat_beta(7.5, 1, x), pow(x, 7.5));
        check("complement", stat_beta(1, 7.5, x), -expm1(7.5 * log1p(-x)));
        check("symmetry", stat_beta(3.25, 40, x), 1 - stat_beta(40, 3.25, 1 - x));
    }
    assert_true(stat_beta(2, 3, 0) == 0);
    assert_true(stat_beta(2, 3, 1) == 1);
    assert_true(isnan(stat_beta(0, 3, 0.5)));
    assert_true(isnan(stat_beta(2, 3, NAN)));
}

static void test_ends(void **state)
{
    (void)state;
    struct stat_interval all = stat_clopper_pearson(0, 0, 0.95);
    assert_true(all.low == 0 && all.high == 1);
    all = stat_clopper_pearson(5, 10, 1);
    assert_true(all.low == 0 && all.high == 1);
    assert_true(stat_clopper_pearson(0, UINT64_MAX, 0.95).high > 0);
    assert_true(stat_clopper_pearson(UINT64_MAX, UINT64_MAX, 0.95).high == 1);
}

// More failures move both bounds up; more runs at the same rate, or less confidence, narrow them;
// the rate lies inside; failures and successes mirror each other.
static void test_order(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 1000000; n *= 7) {
        struct stat_interval last = {-1, 0};
        uint64_t step = n / 50 + 1;
        for (uint64_t k = 0; k <= n; k += step) {
            struct stat_interval got = stat_clopper_pearson(k, n, 0.95);
            double share = (double)k / (double)n;
            assert_true(got.low <= share && share <= got.high);
            assert_true(got.low >= 0 && got.high <= 1);
            assert_true(got.low > last.low && got.high > last.high);
            struct stat_interval mirror = stat_clopper_pearson(n - k, n, 0.95);
            assert_true(fabs(mirror.low - (1 - got.high)) <= 1e-12);
            struct stat_interval loose = stat_clopper_pearson(k, n, 0.5);
            assert_true(loose.low >= got.low && loose.high <= got.high);
            struct stat_interval more = stat_clopper_pearson(4 * k, 4 * n, 0.95);
            assert_true(more.high - more.low < got.high - got.low);
            last = got;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interval_table),
        cmocka_unit_test(test_beta_table),
        cmocka_unit_test(test_beta_closed_forms),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests_name("interval", tests, NULL, NULL);
}
