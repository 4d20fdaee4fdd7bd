// SPDX-License-Identifier: Apache-2.0
// Fisher's exact test: one table's probability in saddle-point form (distribution.h), its
// neighbours' by ratios, and tails summed away from the mode until the remainder is negligible. And
// its power.
#include "stats/stats.h"

#include "stats/distribution.h"

#include <math.h>
#include <stdbool.h>

static const double half_log_2pi = 0.91893853320467274178;
static const double tie = 1e-7; // tables within this are equally probable, as in R

// All tables with the same margins; the first cell, the first group's failures, identifies one.
struct tables {
    uint64_t n1, n2;
    uint64_t failed; // in both groups
    uint64_t low, high, mode;
    double log_sums; // the factor common to all tables' probabilities
};

static struct tables tables_init(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2)
{
    struct tables set = {.n1 = n1, .n2 = n2, .failed = k1 + k2};
    uint64_t total = n1 + n2;
    set.low = set.failed > n2 ? set.failed - n2 : 0;
    set.high = set.failed < n1 ? set.failed : n1;
    if (set.low == set.high) {
        set.mode = set.low;
        return set;
    }
    set.mode = (uint64_t)((stat_wide)(set.failed + 1) * (n1 + 1) / ((stat_wide)total + 2));
    double margins[] = {(double)n1, (double)n2, (double)set.failed, (double)(total - set.failed)};
    for (int i = 0; i < 4; i++)
        set.log_sums += stat_stirling_error(margins[i]) + log(margins[i]) / 2 + half_log_2pi;
    double all = (double)total;
    set.log_sums -= stat_stirling_error(all) + log(all) / 2 + half_log_2pi;
    return set;
}

// log of the probability of the table whose first cell is `x`.
static double log_table(const struct tables *set, uint64_t x)
{
    if (set->low == set->high)
        return 0;
    double total = (double)(set->n1 + set->n2);
    // The cells' distance from their expectation: exact but for the division.
    double off = (double)stat_determinant(set->failed, set->n1 + set->n2, x, set->n1) / total;
    double n1 = (double)set->n1;
    double n2 = (double)set->n2;
    double failed = (double)set->failed / total;
    double passed = (double)(set->n1 + set->n2 - set->failed) / total;
    uint64_t second = set->failed - x;
    const struct {
        double count, mean, off;
    } cells[] = {
        {(double)x, n1 * failed, off},
        {(double)(set->n1 - x), n1 * passed, -off},
        {(double)second, n2 * failed, -off},
        {(double)(set->n2 - second), n2 * passed, off},
    };
    double sum = set->log_sums;
    for (int i = 0; i < 4; i++) {
        double count = cells[i].count;
        sum -= stat_deviance(count, cells[i].mean, cells[i].off);
        if (count > 0)
            sum -= stat_stirling_error(count) + log(count) / 2 + half_log_2pi;
    }
    return sum;
}

// The probability of table `x` and all tables above it (or below). x must not be on the near side
// of the mode, so that terms decrease; summing stops when the remainder is bounded by a geometric
// series below 1e-17 of the sum.
static double tail_from(const struct tables *set, uint64_t x, bool upwards)
{
    uint64_t second = set->failed - x;
    // Towards the far end, a and d shrink while b and c grow.
    double a = upwards ? (double)(set->n1 - x) : (double)x;
    double d = upwards ? (double)second : (double)(set->n2 - second);
    double b = upwards ? (double)x : (double)(set->n1 - x);
    double c = upwards ? (double)(set->n2 - second) : (double)second;
    double term = 1;
    double sum = 1;
    while (a > 0 && d > 0) {
        double ratio = a * d / ((b + 1) * (c + 1));
        term *= ratio;
        sum += term;
        if (term * ratio < 1e-17 * sum * (1 - ratio))
            break;
        a--;
        d--;
        b++;
        c++;
    }
    return exp(log_table(set, x)) * sum;
}

// P(first cell <= x).
static double at_most(const struct tables *set, uint64_t x)
{
    if (x >= set->high)
        return 1;
    if (x < set->mode)
        return tail_from(set, x, false);
    return fmax(0, 1 - tail_from(set, x + 1, true));
}

// P(first cell >= x).
static double at_least(const struct tables *set, uint64_t x)
{
    if (x <= set->low)
        return 1;
    if (x > set->mode)
        return tail_from(set, x, true);
    return fmax(0, 1 - tail_from(set, x - 1, false));
}

// The table at `distance` above (or below) the mode.
static uint64_t at_distance(const struct tables *set, bool upwards, uint64_t distance)
{
    return upwards ? set->mode + distance : set->mode - distance;
}

struct flank {
    const struct tables *set;
    double limit;
    bool upwards;
};

static bool is_improbable(const void *data, uint64_t distance)
{
    const struct flank *flank = data;
    return log_table(flank->set, at_distance(flank->set, flank->upwards, distance)) <= flank->limit;
}

// The probability of all tables above (or below) the mode that are no more probable than
// exp(limit). The mode itself is more probable. The search for their distance starts at `guess`.
static double side(const struct tables *set, double limit, bool upwards, uint64_t guess)
{
    const struct flank flank = {set, limit, upwards};
    uint64_t farthest = upwards ? set->high - set->mode : set->mode - set->low;
    if (!is_improbable(&flank, farthest))
        return 0;
    uint64_t outside = stat_first(0, farthest, guess > 0 && guess < farthest ? guess : farthest / 2,
                                  is_improbable, &flank);
    return tail_from(set, at_distance(set, upwards, outside), upwards);
}

// The probability of all tables that are no more probable than x.
static double as_improbable(const struct tables *set, uint64_t x)
{
    double limit = log_table(set, x) + log1p(tie);
    if (log_table(set, set->mode) <= limit)
        return 1;
    // Those on the other side begin at about the same distance from the mode.
    uint64_t distance = x > set->mode ? x - set->mode : set->mode - x;
    return fmin(1, side(set, limit, false, distance) + side(set, limit, true, distance));
}

double stat_fisher(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2, enum stat_tail tail)
{
    if (n1 == 0 || n2 == 0 || n1 > STAT_MAX_COUNT || n2 > STAT_MAX_COUNT || k1 > n1 || k2 > n2)
        return 1;
    struct tables set = tables_init(k1, n1, k2, n2);
    switch (tail) {
    case STAT_GREATER:
        return fmin(1, at_most(&set, k1));
    case STAT_LESS:
        return fmin(1, at_least(&set, k1));
    case STAT_TWO_SIDED:
        break;
    }
    return as_improbable(&set, k1);
}

// ---- Power

// A count from one group, and the number of runs of both.
struct against {
    uint64_t outer, n1, n2;
    double alpha;
};

static bool significant(const void *data, uint64_t inner)
{
    const struct against *a = data;
    return stat_fisher(a->outer, a->n1, inner, a->n2, STAT_GREATER) <= a->alpha;
}

// The rate at which at least `least` of n fail with the given probability. 0 < least <= n.
static double rate_for(uint64_t least, uint64_t n, double probability)
{
    if (least == n)
        return exp(log(probability) / (double)n);
    double a = (double)least;
    double b = (double)(n - least) + 1;
    double start = a / (a + b);
    for (double step = 1; stat_beta(a, b, start) < probability; step *= 2)
        start = 1 / (1 + b / a * exp(-step * sqrt(1 / a + 1 / b)));
    return stat_beta_quantile(a, b, probability, false, start);
}

double stat_detectable(uint64_t k1, uint64_t n1, uint64_t n2, double alpha, double power)
{
    bool valid = n1 > 0 && n2 > 0 && k1 < n1 && n1 <= STAT_MAX_COUNT && n2 <= STAT_MAX_COUNT &&
                 alpha > 0 && alpha < 1 && power > 0 && power < 1;
    if (!valid)
        return 1;
    // The smallest count found significantly higher; n2 + 1 if there is none.
    const struct against against = {k1, n1, n2, alpha};
    const uint64_t even = (uint64_t)((stat_wide)k1 * n2 / n1);
    const uint64_t least = stat_first(even, n2 + 1, even + 1, significant, &against);
    if (least > n2)
        return 1;
    return fmin(1, fmax(rate_for(least, n2, power), (double)k1 / (double)n1));
}
