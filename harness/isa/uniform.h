// SPDX-License-Identifier: Apache-2.0
// Which registers may differ between lanes that execute an instruction together.
//
// Two things make a value differ: where it comes from (a lane's number, memory at an address that
// differs, an exchange), and that lanes which are together again have come by different ways. The
// second is known to whoever follows the lanes (apart.h) and is told here as a set for each node:
// what was written while lanes were apart that are together from its end on.
#pragma once

#include "isa/flow.h"

struct uniform_state {
    struct sass_registers varying; // may differ between lanes that are together
    uint64_t tid[4];               // R0 to R254 that hold SR_TID.X for sure
};

// A walk through a node. A register that may differ may still be the same for all lanes for which a
// predicate holds, or for which it does not.
struct uniform_walk {
    struct uniform_state at;
    struct sass_registers clean[7][2]; // of each predicate: where it is false, where it is true
};

// The state at the start of each node: `met` and `states` have flow->count elements; `states` is
// filled anew. `rows`: SR_TID.X divided by 32 is the same for all lanes of a warp, which is so for
// workgroups of one row, of rows of a multiple of 32 invocations and of rows of 32 at most. With
// code->operands false nothing is known.
void uniform_find(const struct sass_code *code, const struct flow *flow, bool rows,
                  const struct sass_registers *met, struct uniform_state *states);

// Begins a walk at the start of a node, and goes over one instruction.
void uniform_begin(struct uniform_walk *walk, const struct uniform_state *state);
void uniform_step(const struct sass_code *code, bool rows, const struct sass_insn *insn,
                  struct uniform_walk *walk);

// True if lanes that execute it together may decide differently whether they do what it says:
// branch, execute it at all.
bool uniform_parts(const struct sass_code *code, const struct sass_insn *insn,
                   const struct uniform_state *state);

// What is the same for all lanes of a side of the branch at the end of a node because it was
// written under the branch's guard, and not the same for both sides: nothing else says so where
// they meet.
void uniform_sided(const struct sass_code *code, const struct flow_node *node,
                   struct sass_registers *registers);
