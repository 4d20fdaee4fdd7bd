// SPDX-License-Identifier: Apache-2.0
// Holm's and Benjamini and Hochberg's adjusted p values: sort, scale by rank, make monotone.
#include "stats/adjust.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>

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
    struct ranked *ranked = rank(p, count);
    double highest = 0;
    for (size_t i = 0; i < count; i++) {
        highest = fmax(highest, fmin(1, (double)(count - i) * ranked[i].p));
        adjusted[ranked[i].index] = highest;
    }
    free(ranked);
}

void stat_benjamini_hochberg(const double *p, size_t count, double *adjusted)
{
    struct ranked *ranked = rank(p, count);
    double lowest = 1;
    for (size_t i = count; i-- > 0;) {
        lowest = fmin(lowest, (double)count / (double)(i + 1) * ranked[i].p);
        adjusted[ranked[i].index] = lowest;
    }
    free(ranked);
}
