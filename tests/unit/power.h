// SPDX-License-Identifier: Apache-2.0
// The power of Fisher's test, to hold the test and what it can detect against.
#pragma once

#include "stats/distribution.h"
#include "stats/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define STAT_EXACT_SPREAD 50.0

static const double negligible = 1e-20; // probability of an outcome that is left out

// log of the probability of k successes in n trials at rate p. k <= n, p in [0, 1].
static double log_binomial(uint64_t k, uint64_t n, double p)
{
    double successes = (double)k;
    double rest = (double)(n - k);
    if (k == 0)
        return n == 0 ? 0 : rest * log1p(-p);
    if (k == n)
        return successes * log(p);
    if (!(p > 0 && p < 1))
        return -HUGE_VAL;
    double trials = (double)n;
    double difference = fma(-trials, p, successes);
    return stat_stirling_error(trials) - stat_stirling_error(successes) -
           stat_stirling_error(rest) - stat_deviance(successes, trials * p, difference) -
           stat_deviance(rest, trials * (1 - p), -difference) -
           log(2 * acos(-1) * successes * (rest / trials)) / 2;
}

// A comparison seen from one of its groups: `outer` is taken outcome by outcome, and of the other
// the outcomes beyond a critical one. Mirrored: passes are counted in both, not failures, so that
// beyond is always above.
struct group {
    uint64_t n;
    double p; // of failure, mirrored or not
};

struct view {
    struct group outer, inner;
    bool mirrored, two_sided;
    double alpha;
};

// The standard deviation of its failures.
static double spread(struct group group)
{
    return sqrt((double)group.n * group.p * (1 - group.p));
}

// A view of one count of the outer group.
struct against {
    const struct view *view;
    uint64_t outer;
};

static bool significant(const void *data, uint64_t inner)
{
    const struct against *against = data;
    const struct view *view = against->view;
    uint64_t n1 = view->outer.n;
    uint64_t n2 = view->inner.n;
    // Two-sided is never less than one-sided.
    return stat_fisher(against->outer, n1, inner, n2, STAT_GREATER) <= view->alpha &&
           (!view->two_sided ||
            stat_fisher(against->outer, n1, inner, n2, STAT_TWO_SIDED) <= view->alpha);
}

// The smallest count of the inner group that is found significantly higher (and is higher), n + 1
// if none is. Searched from `hint` on.
static uint64_t critical(const struct view *view, uint64_t outer, uint64_t hint)
{
    const struct against against = {view, outer};
    uint64_t n = view->inner.n;
    uint64_t even = (uint64_t)((stat_wide)outer * n / view->outer.n);
    return stat_first(even, n + 1, hint <= n ? hint : even + 1, significant, &against);
}

// P(at least `least` of n fail), 0 < least; mirrored: pass.
static double at_least(struct group group, bool mirrored, uint64_t least)
{
    if (least > group.n)
        return 0;
    double a = (double)least;
    double b = (double)(group.n - least) + 1;
    return mirrored ? stat_beta_upper(b, a, group.p) : stat_beta(a, b, group.p);
}

static double probability(const struct view *view, uint64_t outer)
{
    uint64_t failed = view->mirrored ? view->outer.n - outer : outer;
    return exp(log_binomial(failed, view->outer.n, view->outer.p));
}

// The probability that the inner group is found significantly higher: from the likeliest outcome of
// the outer one to both sides, until the outcomes no longer count.
static double side_power(const struct view *view)
{
    uint64_t n = view->outer.n;
    double share = view->mirrored ? 1 - view->outer.p : view->outer.p;
    double mean = fmin((double)n * share, (double)n);
    uint64_t start = mean >= (double)n ? n : (uint64_t)mean;
    double sum = 0;
    uint64_t first = critical(view, start, 0);
    uint64_t hint = first;
    for (uint64_t outer = start;; outer++) {
        double weight = probability(view, outer);
        hint = critical(view, outer, hint);
        sum += weight * at_least(view->inner, view->mirrored, hint);
        if (outer == n || (weight < negligible && outer > start))
            break;
    }
    hint = first;
    for (uint64_t outer = start; outer-- > 0;) {
        double weight = probability(view, outer);
        hint = critical(view, outer, hint);
        sum += weight * at_least(view->inner, view->mirrored, hint);
        if (weight < negligible)
            break;
    }
    return fmin(1, sum);
}

// Is `higher` found higher than `lower`? Taken by the outcomes of the one that spreads less.
static double exact_power(struct group lower, struct group higher, double alpha, bool two_sided)
{
    struct view view = {lower, higher, false, two_sided, alpha};
    if (spread(higher) < spread(lower))
        view = (struct view){higher, lower, true, two_sided, alpha};
    return side_power(&view);
}

// The same by the normal distribution, where both spread wide.
static double normal_power(struct group lower, struct group higher, double alpha)
{
    double n1 = (double)lower.n;
    double n2 = (double)higher.n;
    double all = 1 / n1 + 1 / n2;
    double pooled = (n1 * lower.p + n2 * higher.p) / (n1 + n2);
    double z = alpha < 0.5 ? stat_normal_quantile(alpha) : -stat_normal_quantile(1 - alpha);
    double needed = z * sqrt(pooled * (1 - pooled) * all) + all / 2;
    double deviation = sqrt(lower.p * (1 - lower.p) / n1 + higher.p * (1 - higher.p) / n2);
    return stat_normal_tail((needed - (higher.p - lower.p)) / deviation);
}

static double one_side(struct group lower, struct group higher, double alpha, bool two_sided)
{
    if (fmin(spread(lower), spread(higher)) <= STAT_EXACT_SPREAD)
        return exact_power(lower, higher, alpha, two_sided);
    return normal_power(lower, higher, two_sided ? alpha / 2 : alpha);
}

static double clamp(double p)
{
    return fmin(1, fmax(0, p));
}

// The probability that Fisher's test of n1 runs at rate p1 and n2 runs at rate p2 comes out at or
// below the level alpha. Exact (a sum over all outcomes but 1e-17 of their probability) if the
// failures of one of the two have a standard deviation of at most STAT_EXACT_SPREAD; else the
// normal approximation with a continuity correction, off by less than 0.001 (Casagrande, Pike,
// Smith, Applied Statistics 27 (1978); Fleiss, Tytun, Ury, Biometrics 36 (1980)). An n of 0 or
// above 2^62 gives 0; rates are clamped to [0, 1]. Takes milliseconds one-sided, up to 50 ms
// two-sided.
static inline double stat_power_fisher(uint64_t n1, double p1, uint64_t n2, double p2, double alpha,
                                       enum stat_tail tail)
{
    if (n1 == 0 || n2 == 0 || n1 > STAT_MAX_COUNT || n2 > STAT_MAX_COUNT || !(alpha > 0))
        return 0;
    if (alpha >= 1)
        return 1;
    struct group first = {n1, clamp(p1)};
    struct group second = {n2, clamp(p2)};
    switch (tail) {
    case STAT_GREATER:
        return one_side(first, second, alpha, false);
    case STAT_LESS:
        return one_side(second, first, alpha, false);
    case STAT_TWO_SIDED:
        break;
    }
    return fmin(1, one_side(first, second, alpha, true) + one_side(second, first, alpha, true));
}

// The n that two measurements need each for this power, as above: n has it and n - 1 has not.
// (Power is a sawtooth in n: a larger n may miss it by a little, and a smaller one may have it.)
// UINT64_MAX if no n up to 2^62 is enough: equal rates, or a difference in the other direction.
// Takes up to 0.2 s.
static inline uint64_t stat_sample_size(double p1, double p2, double alpha, double power,
                                        enum stat_tail tail)
{
    double difference = clamp(p2) - clamp(p1);
    bool possible = tail == STAT_TWO_SIDED ? difference != 0
                    : tail == STAT_GREATER ? difference > 0
                                           : difference < 0;
    if (!possible || !(power < 1) || !(alpha > 0))
        return UINT64_MAX;
    uint64_t not_yet = 0;
    uint64_t enough = 1;
    while (stat_power_fisher(enough, p1, enough, p2, alpha, tail) < power) {
        if (enough > STAT_MAX_COUNT / 2)
            return UINT64_MAX;
        not_yet = enough;
        enough *= 2;
    }
    while (enough - not_yet > 1) {
        uint64_t middle = not_yet + (enough - not_yet) / 2;
        if (stat_power_fisher(middle, p1, middle, p2, alpha, tail) >= power)
            enough = middle;
        else
            not_yet = middle;
    }
    return enough;
}
