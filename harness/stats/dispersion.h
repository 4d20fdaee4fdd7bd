// SPDX-License-Identifier: Apache-2.0
// Whether failures come evenly over parts of a measurement (worker processes, pipelines, days) or
// in bunches. Pure functions; docs/statistics.md.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct stat_dispersion {
    double
        factor; // Pearson's X^2 over its degrees of freedom: about 1 if every run fails by itself
    double p;   // of a factor as high or higher if it does, 0 to 1
    size_t groups; // that had runs
};

// k[i] of n[i] runs failed in part i; parts without runs (or with k > n) are left out. Intervals
// that take runs as independent are too narrow by about sqrt(factor). With fewer than two parts, no
// failure, or nothing but failures there is nothing to see: factor 1, p 1.
//
// p is from the chi-square distribution where each part expects 5 or more of failures and of
// passes. With fewer that would be wrong by orders of magnitude (two failures of one worker among
// 100: 1e-8 for 0.01), so that p is simulated instead, given the sums, from a fixed seed: 9,999
// times at most, so that it is never below 1e-4, and fewer once ten were as high (Besag, Clifford,
// Biometrika 78 (1991)) or 4 million failures drawn, which takes 0.2 s. Above 20,000 failures parts
// that expect too few are taken as one, and left out if that still does. Pearson, Phil. Mag. 50
// (1900); Cochran, Biometrics 10 (1954).
struct stat_dispersion stat_dispersion(const uint64_t *k, const uint64_t *n, size_t groups);

// The probability that a chi-square variable of `degrees` (> 0) exceeds x.
double stat_chi_square_tail(double x, double degrees);
