// SPDX-License-Identifier: Apache-2.0
// Two measured rates against each other: a test of whether they differ and an interval of by how
// much. Pure functions; docs/statistics.md.
#pragma once

#include "stats/interval.h"

#include <stdint.h>

enum stat_tail {
    STAT_TWO_SIDED,
    STAT_GREATER, // the second rate is higher
    STAT_LESS,    // the second rate is lower
};

// Fisher's exact test: the probability, if both rates were one, of k1 of n1 and k2 of n2 or of what
// speaks as much against it, given k1 + k2. Two-sided: all tables that are not more probable than
// the one seen, within a factor of 1 + 1e-7 (as R's fisher.test). At most 1, 0 where below 1e-308.
// Something that says nothing (an n of 0 or above 2^62, k > n) gives 1. Takes time in proportion to
// the standard deviation of the table at most: microseconds for rare failures, 40 ms for one half
// of 10^12 runs. Fisher, "The logic of inductive inference", J. R. Stat. Soc. 98 (1935).
double stat_fisher(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2, enum stat_tail tail);

// Newcombe's hybrid score interval (his method 10) of p2 - p1, from two Wilson intervals, within
// [-1, 1]. Holds its confidence on average over rates, not for each. What says nothing (see above)
// gives [-1, 1]. Newcombe, Statistics in Medicine 17 (1998), 873.
struct stat_interval stat_newcombe(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2,
                                   double confidence);
