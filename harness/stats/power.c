// SPDX-License-Identifier: Apache-2.0
// Power of Fisher's test.
#include "stats/power.h"

#include "stats/beta.h"
#include "stats/density.h"

#include <math.h>
#include <stdbool.h>

// The smallest k2 that is found significantly higher, n2 + 1 if none is.
static uint64_t critical(uint64_t k1, uint64_t n1, uint64_t n2, double alpha)
{
    if (stat_fisher(k1, n1, n2, n2, STAT_GREATER) > alpha)
        return n2 + 1;
    // From the expected count on in doubling steps, so that the search stays where tails are short.
    uint64_t not_yet = (uint64_t)((stat_wide)k1 * n2 / n1);
    uint64_t found = n2;
    for (uint64_t step = 1; step < n2 - not_yet; step *= 2) {
        if (stat_fisher(k1, n1, not_yet + step, n2, STAT_GREATER) <= alpha) {
            found = not_yet + step;
            break;
        }
    }
    while (found - not_yet > 1) {
        uint64_t middle = not_yet + (found - not_yet) / 2;
        if (stat_fisher(k1, n1, middle, n2, STAT_GREATER) <= alpha)
            found = middle;
        else
            not_yet = middle;
    }
    return found;
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
    uint64_t least = critical(k1, n1, n2, alpha);
    if (least > n2)
        return 1;
    return fmin(1, fmax(rate_for(least, n2, power), (double)k1 / (double)n1));
}
