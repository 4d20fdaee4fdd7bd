// SPDX-License-Identifier: Apache-2.0
// How many runs a comparison needs, and what it could have seen. Pure functions;
// docs/statistics.md.
#pragma once

#include "stats/compare.h"

#include <stdint.h>

// The smallest p2 > k1/n1 that n2 runs would have been found worse at with at least this
// probability, by Fisher's test (STAT_GREATER) against the k1 of n1 that were measured, at the
// level alpha: what a comparison that found nothing can exclude. Exact. 1 if no rate is seen with
// so few runs, or if there is no baseline (n1 = 0, k1 > n1, more than 2^62 runs). 0 < alpha, power
// < 1.
double stat_detectable(uint64_t k1, uint64_t n1, uint64_t n2, double alpha, double power);
