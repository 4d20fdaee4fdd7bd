// SPDX-License-Identifier: Apache-2.0
// FAULT_REDUCTION: reductions that a compiler puts under an unrelated predicate.
#pragma once

#include "program/program.h"

enum { GUARD_LEAST = 12 }; // Booleans that an invocation keeps live across the reduction

// [pc]: the cell of that predicate, or CELL_NONE. It is set for integer reductions by addition,
// minimum, maximum, AND, OR and XOR in a selection on the comparison of SubgroupId with a value
// known at the start of a workgroup (or in a function called only there), if at least GUARD_LEAST
// other comparisons were made before the selection and are used after the reduction: the last of
// them. NULL: out of memory. Free it.
uint32_t *guard_find(const struct program *program);
