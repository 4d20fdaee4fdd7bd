// SPDX-License-Identifier: Apache-2.0
// Intervals for a proportion. Pure functions.
#pragma once

#include <stdint.h>

struct stat_interval {
    double low, high; // proportions, 0 to 1
};

// The Clopper-Pearson interval for k of n at the given confidence (0.95), two-sided. k <= n.
// n = 0 gives [0, 1]. Clopper, Pearson, Biometrika 26 (1934).
struct stat_interval stat_clopper_pearson(uint64_t k, uint64_t n, double confidence);

// The regularised incomplete beta function I_x(a, b), a and b > 0, x in [0, 1].
double stat_beta(double a, double b, double x);
