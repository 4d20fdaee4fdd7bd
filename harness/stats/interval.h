// SPDX-License-Identifier: Apache-2.0
// Intervals for a proportion whose number of runs was fixed beforehand. Where the number depends on
// what was seen, sequence.h has the interval. Pure functions; docs/statistics.md.
#pragma once

#include <stdint.h>

// Proportions, 0 to 1; of a difference of proportions, -1 to 1.
struct stat_interval {
    double low, high;
};

// In all functions below: k of n runs failed, confidence is 0.95 and the like, two-sided. n = 0, k
// > n and a confidence of 1 give [0, 1]. One below 0 is taken as 0.

// The Clopper-Pearson interval: covers the rate with at least this probability, whatever the rate.
// For what is reported. Clopper, Pearson, Biometrika 26 (1934).
struct stat_interval stat_clopper_pearson(uint64_t k, uint64_t n, double confidence);

// The Wilson score interval: covers the rate with about this probability on average over rates, and
// is narrower. For differences (stat_newcombe). Wilson, JASA 22 (1927).
struct stat_interval stat_wilson(uint64_t k, uint64_t n, double confidence);

// The one-sided upper bound of the rate when none of n runs failed: 1 - (1 - confidence)^(1/n),
// about 3/n at 0.95. n = 0 gives 1. The high end of stat_clopper_pearson(0, n) is two-sided and so
// higher, about 3.7/n.
double stat_zero_bound(uint64_t n, double confidence);

// How far the bounds of the Wilson interval at the normal quantile z are from k/n, more precisely
// than by subtracting. 0 < n.
struct stat_reach {
    double below, above;
};
struct stat_reach stat_wilson_reach(uint64_t k, uint64_t n, double z);
