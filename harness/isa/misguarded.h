// SPDX-License-Identifier: Apache-2.0
// Instructions of a whole warp (exchanges, R2UR, atomics) that stand under the ordinary predicate
// Pn where UPn, the uniform predicate of the same number, was last written by a comparison with
// the mask of the lanes that are here: the compiler asks so whether all are here that it expects,
// and Pn asks something else. Pure.
#pragma once

#include "isa/flow.h"

// Called for each such instruction that can be reached, with the comparison.
typedef void misguarded_take(size_t insn, size_t comparison, void *user);
void misguarded_find(const struct sass_code *code, const struct flow *flow, misguarded_take *take,
                     void *user);
