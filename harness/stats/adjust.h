// SPDX-License-Identifier: Apache-2.0
// p values of many tests, adjusted for their number. Pure functions; docs/statistics.md.
//
// Both write into `adjusted` (which may be `p`) what can be compared with the level as if there
// were one test only, in the order of `p`: at least p, at most 1. A p that is no number counts
// as 1.
#pragma once

#include <stddef.h>

// Holm's step-down procedure: whatever the tests have to do with each other, the probability that
// any true "no difference" is rejected is at most the level. For a gate. Holm, Scand. J. Stat. 6
// (1979).
void stat_holm(const double *p, size_t count, double *adjusted);

// Benjamini and Hochberg's step-up procedure: the expected share of false ones among those rejected
// is at most the level, if the tests are independent or positively dependent. For a look at many
// results. Benjamini, Hochberg, J. R. Stat. Soc. B 57 (1995).
void stat_benjamini_hochberg(const double *p, size_t count, double *adjusted);
