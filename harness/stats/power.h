// SPDX-License-Identifier: Apache-2.0
// How many runs a comparison needs, and what it could have seen. Pure functions;
// docs/statistics.md.
#pragma once

#include "stats/compare.h"

#include <stdint.h>

// The probability that Fisher's test of n1 runs at rate p1 and n2 runs at rate p2 comes out at or
// below the level alpha. Exact (a sum over all outcomes but 1e-17 of their probability) if the
// failures of one of the two have a standard deviation of at most STAT_EXACT_SPREAD; else the
// normal approximation with a continuity correction, off by less than 0.001 (Casagrande, Pike,
// Smith, Applied Statistics 27 (1978); Fleiss, Tytun, Ury, Biometrics 36 (1980)). An n of 0 or
// above 2^62 gives 0; rates are clamped to [0, 1]. Takes milliseconds one-sided, up to 50 ms
// two-sided.
double stat_power_fisher(uint64_t n1, double p1, uint64_t n2, double p2, double alpha,
                         enum stat_tail tail);
#define STAT_EXACT_SPREAD 50.0

// The n that two measurements need each for this power, as above: n has it and n - 1 has not.
// (Power is a sawtooth in n: a larger n may miss it by a little, and a smaller one may have it.)
// UINT64_MAX if no n up to 2^62 is enough: equal rates, or a difference in the other direction.
// Takes up to 0.2 s.
uint64_t stat_sample_size(double p1, double p2, double alpha, double power, enum stat_tail tail);

// The smallest p2 > k1/n1 that n2 runs would have been found worse at with at least this
// probability, by Fisher's test (STAT_GREATER) against the k1 of n1 that were measured, at the
// level alpha: what a comparison that found nothing can exclude. Exact. 1 if no rate is seen with
// so few runs, or if there is no baseline (n1 = 0, k1 > n1, more than 2^62 runs). 0 < alpha, power
// < 1.
double stat_detectable(uint64_t k1, uint64_t n1, uint64_t n2, double alpha, double power);
