// SPDX-License-Identifier: Apache-2.0
// Quantiles of samples, and adjusted p values.
#include "base/text.h"
#include "stats/stats.h"

#include <math.h>

// ---- Quantiles of a sample.

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
    OWNED(lit_free) double *sorted = lit_alloc(count, sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    const struct stat_sample sample = {
        .median = quantile(sorted, count, 0.5),
        .low = quantile(sorted, count, 0.25),
        .high = quantile(sorted, count, 0.75),
        .least = sorted[0],
        .most = sorted[count - 1],
    };
    return sample;
}

// ---- Holm's and Benjamini and Hochberg's adjusted p values: sort, scale by rank, make monotone.

struct ranked {
    double p;
    size_t index;
};

static int by_p(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    return a->p < b->p ? -1 : a->p > b->p;
}

static struct ranked *rank(const double *p, size_t count)
{
    struct ranked *ranked = lit_alloc(count, sizeof(*ranked));
    for (size_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){isnan(p[i]) ? 1 : fmin(fmax(p[i], 0), 1), i};
    qsort(ranked, count, sizeof(*ranked), by_p);
    return ranked;
}

void stat_holm(const double *p, size_t count, double *adjusted)
{
    OWNED(lit_free) struct ranked *ranked = rank(p, count);
    double highest = 0;
    for (size_t i = 0; i < count; i++) {
        highest = fmax(highest, fmin(1, (double)(count - i) * ranked[i].p));
        adjusted[ranked[i].index] = highest;
    }
}

void stat_benjamini_hochberg(const double *p, size_t count, double *adjusted)
{
    OWNED(lit_free) struct ranked *ranked = rank(p, count);
    double lowest = 1;
    for (size_t i = count; i-- > 0;) {
        lowest = fmin(lowest, (double)count / (double)(i + 1) * ranked[i].p);
        adjusted[ranked[i].index] = lowest;
    }
}
