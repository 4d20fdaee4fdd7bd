// SPDX-License-Identifier: Apache-2.0
// The beta distribution, whose tails are those of the binomial distribution. Pure functions.
#pragma once

#include <stdbool.h>

// The regularised incomplete beta function I_x(a, b), a and b > 0, x in [0, 1]. NAN for other
// parameters.
double stat_beta(double a, double b, double x);

// 1 - I_x(a, b), with its own relative precision where it is small.
double stat_beta_upper(double a, double b, double x);

// The x in (0, 1) at which the lower (or upper) tail of the beta distribution is `target`, by
// Newton steps on the logarithms, kept inside a bracket. `start` is a point whose tail is not
// smaller.
double stat_beta_quantile(double a, double b, double target, bool upper, double start);
