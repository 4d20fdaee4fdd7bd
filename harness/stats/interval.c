// SPDX-License-Identifier: Apache-2.0
// Intervals for rates and for their differences.
#include "stats/distribution.h"
#include "stats/stats.h"

#include <math.h>
#include <stdbool.h>

// ---- Intervals for a proportion with a fixed number of runs.

struct stat_interval stat_clopper_pearson(uint64_t k, uint64_t n, double confidence)
{
    if (n == 0 || k > n || !(confidence < 1))
        return (struct stat_interval){0, 1};
    if (k > n - k) {
        struct stat_interval mirror = stat_clopper_pearson(n - k, n, confidence);
        return (struct stat_interval){1 - mirror.high, 1 - mirror.low};
    }
    double tail = (1 - fmax(confidence, 0)) / 2;
    if (k == 0)
        return (struct stat_interval){0, -expm1(log(tail) / (double)n)};
    double successes = (double)k;
    double rest = (double)(n - k);
    double share = successes / (double)n;
    return (struct stat_interval){
        .low = stat_beta_quantile(successes, rest + 1, tail, false, share),
        .high = stat_beta_quantile(successes + 1, rest, tail, true, share),
    };
}

// The distances of the Wilson interval's bounds from k/n at the normal quantile z, more precise
// than by subtraction. 0 < n.
struct reach {
    double below, above;
};

static struct reach wilson_reach(uint64_t k, uint64_t n, double z)
{
    double trials = (double)n;
    double share = (double)k / trials;
    double rest = (double)(n - k) / trials;
    double half = z * z / (2 * trials);
    double root = z * sqrt(share * rest / trials + half / (2 * trials));
    double shift = half * (rest - share);
    double scale = 1 + 2 * half;
    return (struct reach){
        .below = k == 0 ? 0 : (root - shift) / scale,
        .above = k == n ? 0 : (root + shift) / scale,
    };
}

struct stat_interval stat_wilson(uint64_t k, uint64_t n, double confidence)
{
    if (n == 0 || k > n || !(confidence < 1))
        return (struct stat_interval){0, 1};
    if (k > n - k) {
        struct stat_interval mirror = stat_wilson(n - k, n, confidence);
        return (struct stat_interval){1 - mirror.high, 1 - mirror.low};
    }
    double z = stat_normal_quantile((1 - fmax(confidence, 0)) / 2);
    struct reach reach = wilson_reach(k, n, z);
    double share = (double)k / (double)n;
    double high = share + reach.above;
    // The product of the bounds is share^2 / (1 + z^2 / n).
    double low = k == 0 ? 0 : share * share / ((1 + z * z / (double)n) * high);
    return (struct stat_interval){low, fmin(high, 1)};
}

double stat_zero_bound(uint64_t n, double confidence)
{
    if (n == 0 || !(confidence < 1))
        return 1;
    return -expm1(log1p(-fmax(confidence, 0)) / (double)n);
}

// ---- The confidence sequence: the rates at which the beta mixture's posterior density exceeds
// alpha times its prior density.

static const double prior_failed = 0.1;
static const double prior_passed = 0.5;

struct mixture {
    double failed, passed;
    double limit; // log of alpha / B(prior)
};

// log(posterior density / prior density) at log odds t, minus the limit: concave in t.
static double excess(const struct mixture *mix, double t, double *slope)
{
    double x = 1 / (1 + exp(-t));
    double y = 1 / (1 + exp(t));
    *slope = mix->failed * y - mix->passed * x;
    return stat_log_beta_density(mix->failed + prior_failed, mix->passed + prior_passed, x, y) -
           prior_failed * log(x) - prior_passed * log(y) - mix->limit;
}

// The log odds beyond `inside`, in the direction of `sign`, at which the excess is zero: steps out
// until it is negative, then applies Newton's method, which converges on a concave function from
// there.
static double crossing(const struct mixture *mix, double inside, double sign)
{
    double slope;
    double stride = 1 / sqrt(mix->failed + mix->passed);
    double t = inside;
    double value = excess(mix, t, &slope);
    for (int step = 0; value >= 0 && step < 200; step++) {
        t = inside + sign * stride;
        stride *= 2;
        value = excess(mix, t, &slope);
    }
    for (int step = 0; step < 200; step++) {
        double next = t - value / slope;
        if (fabs(next - t) <= 2e-16 * fabs(t) || (next - t) * sign >= 0)
            return next;
        t = next;
        value = excess(mix, t, &slope);
    }
    return t;
}

struct stat_interval stat_sequence(uint64_t k, uint64_t n, double confidence)
{
    if (n == 0 || k > n || n > STAT_MAX_COUNT || !(confidence < 1))
        return (struct stat_interval){0, 1};
    int sign;
    double log_prior = lgamma_r(prior_failed, &sign) + lgamma_r(prior_passed, &sign) -
                       lgamma_r(prior_failed + prior_passed, &sign);
    struct mixture mix = {
        .failed = (double)k,
        .passed = (double)(n - k),
        .limit = log1p(-fmax(confidence, 0)) - log_prior,
    };
    // With no failure (or nothing else) the excess has no maximum: any odds far out will do.
    double inside =
        log((mix.failed > 0 ? mix.failed : 1e-3) / (mix.passed > 0 ? mix.passed : 1e-3));
    struct stat_interval interval = {0, 1};
    if (k > 0)
        interval.low = 1 / (1 + exp(-crossing(&mix, inside, -1)));
    if (k < n)
        interval.high = 1 / (1 + exp(-crossing(&mix, inside, 1)));
    return interval;
}

bool stat_width_reached(uint64_t k, uint64_t n, double confidence, double width)
{
    struct stat_interval interval = stat_sequence(k, n, confidence);
    return interval.high - interval.low <= width;
}

enum stat_decision stat_decide(uint64_t k, uint64_t n, double confidence, double rate)
{
    struct stat_interval interval = stat_sequence(k, n, confidence);
    if (interval.low > rate)
        return STAT_ABOVE;
    return interval.high < rate ? STAT_BELOW : STAT_UNDECIDED;
}

// ---- Newcombe's interval for a difference of rates.

struct stat_interval stat_newcombe(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2,
                                   double confidence)
{
    bool valid =
        n1 > 0 && n2 > 0 && k1 <= n1 && k2 <= n2 && n1 <= STAT_MAX_COUNT && n2 <= STAT_MAX_COUNT;
    if (!valid || !(confidence < 1))
        return (struct stat_interval){-1, 1};
    double z = stat_normal_quantile((1 - fmax(confidence, 0)) / 2);
    struct reach first = wilson_reach(k1, n1, z);
    struct reach second = wilson_reach(k2, n2, z);
    double difference = (double)stat_determinant(k1, n1, k2, n2) / (double)n1 / (double)n2;
    return (struct stat_interval){
        .low = fmax(-1, difference - hypot(second.below, first.above)),
        .high = fmin(1, difference + hypot(second.above, first.below)),
    };
}

// ---- A sequential test of two rates.

enum stat_decision stat_sprt(uint64_t k, uint64_t n, double low, double high, double error)
{
    const double limit = log((1 - error) / error);
    if (k > n)
        return STAT_UNDECIDED;
    const double evidence =
        (double)k * log(high / low) + (double)(n - k) * log1p((low - high) / (1 - low));
    return evidence >= limit ? STAT_ABOVE : evidence <= -limit ? STAT_BELOW : STAT_UNDECIDED;
}
