// SPDX-License-Identifier: Apache-2.0
// Small questions about instructions, and sets of registers.
#pragma once

#include "isa/sass.h"

// The name of an instruction with its modifiers, without guard: "SHFL.IDX", `length` bytes of
// insn->text. What follows is its operands.
const char *insn_mnemonic(const struct sass_insn *insn, size_t *length);

bool registers_empty(const struct sass_registers *set);
bool registers_meet(const struct sass_registers *a, const struct sass_registers *b);
// Adds to a set; true if that made it larger.
bool registers_add(struct sass_registers *set, const struct sass_registers *what);
void registers_remove(struct sass_registers *set, const struct sass_registers *what);
