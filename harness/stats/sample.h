// SPDX-License-Identifier: Apache-2.0
// Where a sample of measurements lies. Pure functions.
#pragma once

#include <stddef.h>

struct stat_sample {
    double median, low, high; // low and high: the quartiles, between which the middle half lies
    double least, most;
};

// Of `count` values, at least one, in any order. Quantiles between two values are interpolated
// (type 7 of Hyndman and Fan, The American Statistician 50, 1996).
struct stat_sample stat_sample(const double *values, size_t count);
