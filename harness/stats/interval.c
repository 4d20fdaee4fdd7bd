// SPDX-License-Identifier: Apache-2.0
// Intervals for a proportion whose number of runs was fixed beforehand.
#include "stats/interval.h"

#include "stats/beta.h"
#include "stats/density.h"

#include <math.h>

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

struct stat_reach stat_wilson_reach(uint64_t k, uint64_t n, double z)
{
    double trials = (double)n;
    double share = (double)k / trials;
    double rest = (double)(n - k) / trials;
    double half = z * z / (2 * trials);
    double root = z * sqrt(share * rest / trials + half / (2 * trials));
    double shift = half * (rest - share);
    double scale = 1 + 2 * half;
    return (struct stat_reach){
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
    struct stat_reach reach = stat_wilson_reach(k, n, z);
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
