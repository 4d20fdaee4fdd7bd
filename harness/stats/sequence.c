// SPDX-License-Identifier: Apache-2.0
// The confidence sequence: the rates at which the posterior density of the beta mixture is more
// than alpha times its prior density.
#include "stats/sequence.h"

#include "stats/density.h"

#include <math.h>

static const double prior_failed = 0.1;
static const double prior_passed = 0.5;

struct mixture {
    double failed, passed;
    double limit; // log of alpha / B(prior)
};

// log of posterior density / prior density at the log odds t, less the limit: concave in t.
static double excess(const struct mixture *mix, double t, double *slope)
{
    double x = 1 / (1 + exp(-t));
    double y = 1 / (1 + exp(t));
    *slope = mix->failed * y - mix->passed * x;
    return stat_log_beta_density(mix->failed + prior_failed, mix->passed + prior_passed, x, y) -
           prior_failed * log(x) - prior_passed * log(y) - mix->limit;
}

// The log odds at which the excess is zero, beyond `inside` in the direction of `sign`: out to
// where it is negative, then Newton's method, which on a concave function closes in from there.
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
    // With none failed (or all) the excess has no maximum: any odds far out will do.
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
