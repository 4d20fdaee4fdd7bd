// SPDX-License-Identifier: Apache-2.0
// The power of Fisher's test.
#include "stats/distribution.h"
#include "stats/stats.h"

#include <math.h>
#include <stdbool.h>

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
