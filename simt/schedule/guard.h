// SPDX-License-Identifier: Apache-2.0
// FAULT_REDUCTION: the reductions that a compiler puts under a truth value which they have nothing
// to do with.
#pragma once

#include "program/program.h"

enum { GUARD_LEAST = 12 }; // truth values that an invocation holds across the reduction

// [pc]: the cell of that truth value, or CELL_NONE. It stands at integer reductions by addition,
// minimum, maximum, AND, OR and XOR in a selection whose condition compares SubgroupId with what is
// known when a workgroup begins, or in a function that is called there and nowhere else, if at
// least GUARD_LEAST other comparisons were made before the selection and are used behind the
// reduction: the last of them. NULL: out of memory. Free it.
uint32_t *guard_find(const struct program *program);
