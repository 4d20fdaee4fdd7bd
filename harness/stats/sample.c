// SPDX-License-Identifier: Apache-2.0
// Quantiles of a sample.
#include "stats/sample.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double quantile(const double *sorted, size_t count, double share)
{
    const double at = share * (double)(count - 1);
    const size_t below = (size_t)floor(at);
    const size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

struct stat_sample stat_sample(const double *values, size_t count)
{
    double *sorted = lit_alloc(count, sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    const struct stat_sample sample = {
        .median = quantile(sorted, count, 0.5),
        .low = quantile(sorted, count, 0.25),
        .high = quantile(sorted, count, 0.75),
        .least = sorted[0],
        .most = sorted[count - 1],
    };
    free(sorted);
    return sample;
}
