// SPDX-License-Identifier: Apache-2.0
// What must hold for every count: bounds, symmetry, order, ends; with counts drawn from all scales
// up to 10^12. How long a function takes is bounded by how many calls must fit into the time of one
// test.
#include "base/random.h"
#include "stats/distribution.h"
#include "stats/stats.h"

#include "unit.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const enum stat_tail tails[] = {STAT_TWO_SIDED, STAT_GREATER, STAT_LESS};

static double uniform(struct lit_random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

struct counts {
    uint64_t k, n;
};

// n of any size up to 10^12, k none, all, a few, a few less than all, or a share of any size.
static struct counts draw(struct lit_random *random)
{
    uint64_t n = (uint64_t)pow(10, 12 * uniform(random));
    uint64_t few = random_below(random, 12);
    uint64_t k = (uint64_t)((double)n * pow(10, -12 * uniform(random)));
    switch (random_below(random, 6)) {
    case 0:
        k = 0;
        break;
    case 1:
        k = n;
        break;
    case 2:
        k = few;
        break;
    case 3:
        k = n - (few < n ? few : n);
        break;
    case 4:
        k = (uint64_t)((double)n * uniform(random));
        break;
    }
    return (struct counts){k < n ? k : n, n};
}

static void check_interval(struct stat_interval got, double least, double inside, double most)
{
    // What is computed as 1 - x or as a difference of two shares may be off by a rounding.
    assert_true(got.low >= least && got.low <= inside + 1e-15);
    assert_true(got.high <= most && got.high >= inside - 1e-15);
}

TEST(test_intervals_of_all_scales)
{
    struct lit_random random = {1};
    for (int i = 0; i < 4000; i++) {
        struct counts c = draw(&random);
        double share = (double)c.k / (double)c.n;
        struct stat_interval wilson = stat_wilson(c.k, c.n, 0.95);
        check_interval(wilson, 0, share, 1);
        struct stat_interval mirror = stat_wilson(c.n - c.k, c.n, 0.95);
        assert_true(fabs(mirror.low - (1 - wilson.high)) <= 1e-15);
        // More failures move both bounds up, less confidence narrows them, failures and successes
        // mirror each other.
        struct stat_interval once = stat_clopper_pearson(c.k, c.n, 0.95);
        check_interval(once, 0, share, 1);
        mirror = stat_clopper_pearson(c.n - c.k, c.n, 0.95);
        assert_true(fabs(mirror.low - (1 - once.high)) <= 1e-12);
        struct stat_interval loose = stat_clopper_pearson(c.k, c.n, 0.5);
        assert_true(loose.low >= once.low && loose.high <= once.high);
        if (c.k < c.n) {
            struct stat_interval more =
                stat_clopper_pearson(c.k + 1 + (c.n - c.k - 1) / 50, c.n, 0.95);
            assert_true(more.low > once.low && (more.high > once.high || more.high == 1));
        }
        struct stat_interval sequence = stat_sequence(c.k, c.n, 0.95);
        check_interval(sequence, 0, share, 1);
        struct stat_interval sure = stat_sequence(c.k, c.n, 0.999);
        assert_true(sure.low <= sequence.low && sure.high >= sequence.high);
        assert_true((sequence.low == 0) == (c.k == 0));
        assert_true(sequence.high == 1 || c.k < c.n);
        if (c.n >= 1000) {
            // The price of looking as often as wanted; not yet to be seen with few runs and no
            // failure.
            assert_true(sequence.low <= once.low && sequence.high >= once.high);
        }
        double bound = stat_zero_bound(c.n, 0.95);
        assert_true(bound > 0 && bound <= 1 && bound < stat_clopper_pearson(0, c.n, 0.95).high);
    }
}

TEST(test_comparisons_of_all_scales)
{
    struct lit_random random = {2};
    for (int i = 0; i < 1000; i++) {
        struct counts a = draw(&random);
        struct counts b = draw(&random);
        if (i % 2) // of much the same rate
            b = (struct counts){(uint64_t)((double)a.k / (double)a.n * (double)b.n), b.n};
        double p[COUNT(tails)];
        for (size_t t = 0; t < COUNT(tails); t++) {
            p[t] = stat_fisher(a.k, a.n, b.k, b.n, tails[t]);
            assert_true(p[t] >= 0 && p[t] <= 1);
        }
        assert_true(p[1] + p[2] >= 1 - 1e-12);
        assert_true(p[0] >= fmin(p[1], p[2]) * (1 - 1e-9));
        double swapped = stat_fisher(b.k, b.n, a.k, a.n, STAT_LESS);
        double passes = stat_fisher(a.n - a.k, a.n, b.n - b.k, b.n, STAT_LESS);
        assert_true(fabs(swapped - p[1]) <= 1e-9 * p[1] + 1e-14);
        assert_true(fabs(passes - p[1]) <= 1e-9 * p[1] + 1e-14);
        swapped = stat_fisher(b.k, b.n, a.k, a.n, STAT_TWO_SIDED);
        assert_true(fabs(swapped - p[0]) <= 1e-9 * p[0] + 1e-14);
        if (b.k < b.n)
            assert_true(stat_fisher(a.k, a.n, b.k + 1, b.n, STAT_GREATER) <= p[1] + 1e-12);

        double difference = (double)b.k / (double)b.n - (double)a.k / (double)a.n;
        struct stat_interval got = stat_newcombe(a.k, a.n, b.k, b.n, 0.95);
        check_interval(got, -1, difference, 1);
        struct stat_interval other = stat_newcombe(b.k, b.n, a.k, a.n, 0.95);
        assert_true(fabs(other.low + got.high) <= 1e-15 && fabs(other.high + got.low) <= 1e-15);
        other = stat_newcombe(a.n - a.k, a.n, b.n - b.k, b.n, 0.95);
        assert_true(fabs(other.low + got.high) <= 1e-14 && fabs(other.high + got.low) <= 1e-14);

        double seen = stat_detectable(a.k, a.n, b.n, 0.05, 0.8);
        assert_true(seen >= (double)a.k / (double)a.n && seen <= 1);
    }
}

TEST(test_beta_closed_forms)
{
    for (double x = 1.0 / 64; x < 1; x += 1.0 / 64) {
        const double pairs[][2] = {
            {stat_beta(0.5, 0.5, x), 2 * asin(sqrt(x)) / acos(-1)},
            {stat_beta(7.5, 1, x), pow(x, 7.5)},
            {stat_beta(1, 7.5, x), -expm1(7.5 * log1p(-x))},
            {stat_beta(3.25, 40, x), 1 - stat_beta(40, 3.25, 1 - x)},
        };
        for (size_t i = 0; i < COUNT(pairs); i++)
            assert_true(fabs(pairs[i][0] - pairs[i][1]) <= 1e-11 * pairs[i][1]);
    }
    assert_true(stat_beta(2, 3, 0) == 0 && stat_beta(2, 3, 1) == 1);
    assert_true(isnan(stat_beta(0, 3, 0.5)) && isnan(stat_beta(2, 3, NAN)));
}

TEST(test_ends)
{
    assert_true(stat_clopper_pearson(0, 0, 0.95).low == 0);
    assert_true(stat_clopper_pearson(0, 0, 0.95).high == 1);
    assert_true(stat_clopper_pearson(5, 10, 1).low == 0);
    assert_true(stat_clopper_pearson(5, 10, 1).high == 1);
    assert_true(stat_clopper_pearson(0, UINT64_MAX, 0.95).high > 0);
    assert_true(stat_clopper_pearson(UINT64_MAX, UINT64_MAX, 0.95).high == 1);
    assert_true(stat_wilson(0, 0, 0.95).high == 1 && stat_wilson(3, 2, 0.95).low == 0);
    assert_true(stat_wilson(0, 9, 0.95).low == 0 && stat_wilson(9, 9, 0.95).high == 1);
    assert_true(stat_sequence(0, 0, 0.95).high == 1 && stat_sequence(5, 10, 1).high == 1);
    assert_true(stat_sequence(5, 10, -1).low < 0.5);
    assert_true(stat_zero_bound(0, 0.95) == 1 && stat_zero_bound(10, 1) == 1);
    assert_true(stat_zero_bound(10, NAN) == 1 && stat_sequence(1, 10, NAN).high == 1);
    for (size_t t = 0; t < COUNT(tails); t++) {
        assert_true(stat_fisher(0, 0, 3, 10, tails[t]) == 1);
        assert_true(stat_fisher(3, 10, 0, 0, tails[t]) == 1);
        assert_true(stat_fisher(11, 10, 3, 10, tails[t]) == 1);
        assert_true(stat_fisher(0, 10, 0, 20, tails[t]) == 1);
        assert_true(stat_fisher(10, 10, 20, 20, tails[t]) == 1);
        assert_true(stat_fisher(1, UINT64_MAX, 3, UINT64_MAX, tails[t]) == 1);
    }
    assert_true(stat_fisher(0, 1000000000000, 1000000000000, 1000000000000, STAT_GREATER) == 0);
    struct stat_interval all = stat_newcombe(0, 0, 3, 10, 0.95);
    assert_true(all.low == -1 && all.high == 1);
    assert_true(stat_detectable(0, 0, 10, 0.05, 0.8) == 1);
    assert_true(stat_detectable(10, 10, 10, 0.05, 0.8) == 1);
    assert_true(stat_detectable(0, 10, 0, 0.05, 0.8) == 1);
}

TEST(test_stopping)
{
    static const struct {
        uint64_t k, n;
        double rate;
        enum stat_decision decision;
    } rows[] = {
        {0, 0, 0.5, STAT_UNDECIDED},     {0, 3800, 1e-3, STAT_UNDECIDED},
        {0, 4100, 1e-3, STAT_BELOW},     {1, 4100, 1e-3, STAT_UNDECIDED},
        {1, 1000, 0, STAT_ABOVE},        {0, 1000000000, 0, STAT_UNDECIDED},
        {5, 1000, 1e-3, STAT_UNDECIDED}, {12, 1000, 1e-3, STAT_ABOVE},
        {1000, 1000, 0.95, STAT_ABOVE},  {1000, 1000, 1, STAT_UNDECIDED},
        {999, 1000, 1, STAT_BELOW},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(stat_decide(rows[i].k, rows[i].n, 0.95, rows[i].rate), rows[i].decision);
    assert_false(stat_width_reached(0, 0, 0.95, 0.5));
    assert_true(stat_width_reached(0, 0, 0.95, 1));
    assert_false(stat_width_reached(0, 3800, 0.95, 1e-3));
    assert_true(stat_width_reached(0, 4100, 0.95, 1e-3));
    assert_false(stat_width_reached(2000, 4100, 0.95, 1e-3));
}

TEST(test_adjusted)
{
    struct lit_random random = {5};
    for (int round = 0; round < 200; round++) {
        double p[50], holm[50], hochberg[50], again[50];
        size_t count = random_below(&random, 51);
        for (size_t i = 0; i < count; i++)
            p[i] = round % 2 ? (double)random_below(&random, 10) / 9 : pow(uniform(&random), 4);
        stat_holm(p, count, holm);
        stat_benjamini_hochberg(p, count, hochberg);
        for (size_t i = 0; i < count; i++) {
            assert_true(p[i] <= hochberg[i] && hochberg[i] <= holm[i] && holm[i] <= 1);
            for (size_t j = 0; j < count; j++)
                if (p[i] <= p[j])
                    assert_true(holm[i] <= holm[j] && hochberg[i] <= hochberg[j]);
        }
        memcpy(again, p, sizeof(again));
        stat_holm(again, count, again);
        assert_memory_equal(again, holm, count * sizeof(*holm));
    }
    double odd[] = {NAN, 0.01, -1, 7};
    stat_holm(odd, 4, odd);
    assert_true(odd[0] == 1 && odd[1] == 0.03 && odd[2] == 0 && odd[3] == 1);
}

TEST(test_parts)
{
    struct stat_dispersion got = stat_dispersion(NULL, NULL, 0);
    assert_true(got.factor == 1 && got.p == 1 && got.groups == 0);
    got = stat_dispersion((uint64_t[]){0, 0, 5}, (uint64_t[]){100, 100, 0}, 3);
    assert_true(got.factor == 1 && got.p == 1 && got.groups == 2);
    got = stat_dispersion((uint64_t[]){7, 7}, (uint64_t[]){7, 7}, 2);
    assert_true(got.factor == 1 && got.p == 1);
    got = stat_dispersion((uint64_t[]){50, 50}, (uint64_t[]){100, 100}, 2);
    assert_true(got.factor == 0 && got.p == 1);
    uint64_t k[8], n[8], passed[8];
    struct lit_random random = {6};
    for (int round = 0; round < 300; round++) {
        for (size_t i = 0; i < 8; i++) {
            struct counts c = draw(&random);
            k[i] = c.k;
            n[i] = c.n;
            passed[i] = c.n - c.k;
        }
        got = stat_dispersion(k, n, 8);
        assert_true(got.factor >= 0 && got.p >= 0 && got.p <= 1 && got.groups == 8);
        struct stat_dispersion other = stat_dispersion(passed, n, 8);
        assert_true(fabs(other.factor - got.factor) <= 1e-9 * got.factor);
    }
}

// Two failures fall on the same one of `groups` parts of m runs with probability (m-1) / (groups m
// - 1).
TEST(test_simulated_parts)
{
    for (uint64_t groups = 4; groups <= 64; groups *= 4) {
        uint64_t k[64] = {2};
        uint64_t n[64];
        for (uint64_t i = 0; i < groups; i++)
            n[i] = 25;
        double want = 24.0 / (25.0 * (double)groups - 1);
        struct stat_dispersion got = stat_dispersion(k, n, groups);
        // Ten were as high: a relative standard deviation of 1 / sqrt(10).
        assert_true(got.p > want / 2.5 && got.p < want * 2.5);
        k[0] = k[1] = 1;
        assert_true(stat_dispersion(k, n, groups).p == 1);
    }
    // All runs of two of four parts: 6 of the 924 ways to fail 6 of 12 runs.
    struct stat_dispersion full =
        stat_dispersion((uint64_t[]){3, 3, 0, 0}, (uint64_t[]){3, 3, 3, 3}, 4);
    assert_true(full.p > 6.0 / 924 / 2.5 && full.p < 6.0 / 924 * 2.5);
    // All 30 failures in one of ten parts: 10^-29, and as low as a simulation goes.
    uint64_t k[10] = {30};
    uint64_t n[10] = {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000};
    struct stat_dispersion got = stat_dispersion(k, n, 10);
    assert_true(got.p == 1e-4 && got.factor > 29);
}

// With too many failures to simulate, parts that expect too few are taken as one.
TEST(test_pooled_parts)
{
    uint64_t k[] = {10000, 10200, 9950, 3, 2, 5, 4, 9};
    uint64_t n[] = {100000, 100000, 100000, 30, 30, 40, 40, 30};
    uint64_t pooled_k[] = {10000, 10200, 9950, 23};
    uint64_t pooled_n[] = {100000, 100000, 100000, 170};
    struct stat_dispersion got = stat_dispersion(k, n, 8);
    struct stat_dispersion want = stat_dispersion(pooled_k, pooled_n, 4);
    assert_true(got.factor == want.factor && got.p == want.p && got.groups == 8);
    // One that expects too few by itself says nothing, whatever it did.
    k[3] = 9;
    n[3] = 10;
    got = stat_dispersion(k, n, 4);
    want = stat_dispersion(k, n, 3);
    assert_true(got.factor == want.factor && got.p == want.p && got.groups == 4);
}
