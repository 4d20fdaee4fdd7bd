// SPDX-License-Identifier: Apache-2.0
// Power of Fisher's test.
#include "stats/stats.h"

#include "stats/distribution.h"

#include <math.h>
#include <stdbool.h>

static const double negligible = 1e-20; // probability of an outcome that is left out

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
    return exp(stat_log_binomial(failed, view->outer.n, view->outer.p));
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

double stat_power_fisher(uint64_t n1, double p1, uint64_t n2, double p2, double alpha,
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

uint64_t stat_sample_size(double p1, double p2, double alpha, double power, enum stat_tail tail)
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

// The rate at which `least` or more of n fail with the given probability. 0 < least <= n.
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
    const struct view view = {{n1, 0}, {n2, 0}, false, false, alpha};
    uint64_t least = critical(&view, k1, 0);
    if (least > n2)
        return 1;
    return fmin(1, fmax(rate_for(least, n2, power), (double)k1 / (double)n1));
}
