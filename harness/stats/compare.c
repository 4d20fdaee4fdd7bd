// SPDX-License-Identifier: Apache-2.0
// Newcombe's interval of a difference of rates.
#include "stats/compare.h"

#include "stats/density.h"

#include <math.h>
#include <stdbool.h>

struct stat_interval stat_newcombe(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2,
                                   double confidence)
{
    bool valid =
        n1 > 0 && n2 > 0 && k1 <= n1 && k2 <= n2 && n1 <= STAT_MAX_COUNT && n2 <= STAT_MAX_COUNT;
    if (!valid || !(confidence < 1))
        return (struct stat_interval){-1, 1};
    double z = stat_normal_quantile((1 - fmax(confidence, 0)) / 2);
    struct stat_reach first = stat_wilson_reach(k1, n1, z);
    struct stat_reach second = stat_wilson_reach(k2, n2, z);
    double difference = (double)stat_determinant(k1, n1, k2, n2) / (double)n1 / (double)n2;
    return (struct stat_interval){
        .low = fmax(-1, difference - hypot(second.below, first.above)),
        .high = fmin(1, difference + hypot(second.above, first.below)),
    };
}
