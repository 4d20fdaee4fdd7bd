// SPDX-License-Identifier: Apache-2.0
// Internal to stats/. Pure functions.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Building blocks of the binomial and hypergeometric distributions that keep their precision up to
// counts of 10^12, and the normal quantile.
//
// Loader, "Fast and accurate computation of binomial probabilities", 2000: differences of lgamma
// lose eight digits at 10^8, the saddle-point form none.

__extension__ typedef __int128 stat_wide;

// log(n!) - log(sqrt(2 pi n) (n/e)^n), for real n > 0.
double stat_stirling_error(double n);

// count log(count / mean) + mean - count. `difference` is count - mean, passed in because the
// caller knows it more precisely. count >= 0, mean > 0.
double stat_deviance(double count, double mean, double difference);

// log of x^a y^b / B(a, b), where y = 1 - x, both known to full precision. a, b > 0, 0 < x < 1.
double stat_log_beta_density(double a, double b, double x, double y);

// Counts from here on are treated as no evidence: 2^62, so that neither the sum of two counts nor
// the determinant below overflows.
#define STAT_MAX_COUNT ((uint64_t)1 << 62)

// k2 n1 - k1 n2, exactly: has the sign of the difference of the rates. Counts up to STAT_MAX_COUNT.
stat_wide stat_determinant(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2);

// The z > 0 that a normal variable exceeds with probability `tail`, 0 < tail <= 1/2.
double stat_normal_quantile(double tail);

// The beta distribution; its tails are those of the binomial distribution.

// The regularised incomplete beta function I_x(a, b), a and b > 0, x in [0, 1]. NAN for other
// parameters.
double stat_beta(double a, double b, double x);

// The x in (0, 1) at which the lower (or upper) tail of the beta distribution equals `target`, by
// Newton steps on the logarithms within a bracket. The tail at `start` must not be below the
// target.
double stat_beta_quantile(double a, double b, double target, bool upper, double start);

// Where a monotone predicate becomes true.

// The least count above `without` at which `is` holds. `is` must not hold at `without`; it is
// assumed to hold at `with`, and to stay true from its first true count on. Tries `guess` first
// (clamped to the range), then doubles the step, then bisects: a good guess saves calls. without <
// with.
uint64_t stat_first(uint64_t without, uint64_t with, uint64_t guess,
                    bool (*is)(const void *data, uint64_t count), const void *data);
