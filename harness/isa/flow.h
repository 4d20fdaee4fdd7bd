// SPDX-License-Identifier: Apache-2.0
// Control flow of a piece of SASS, and dataflow facts. Calls are followed: each chain of calls to a
// function (a context) has its own copy of the code, so a return goes back to its own call. Pure.
// The code is not trusted: if it cannot be followed, the error says why.
#pragma once

#include "base/error.h"
#include "isa/sass.h"

#define FLOW_NONE     SIZE_MAX
#define FLOW_NODES    20000 // more are an error
#define FLOW_CONTEXTS 2000
#define FLOW_DEPTH    16 // calls within calls

enum { FLOW_FALL, FLOW_TAKEN, FLOW_WAYS };
// Iterates over the nodes to which a node goes.
#define FLOW_EACH_NEXT(NEXT, NODE)                                                                 \
    for (size_t NEXT, way_ = 0; way_ < FLOW_WAYS; way_++)                                          \
        if ((NEXT = (NODE)->next[way_]) != FLOW_NONE)

// A basic block in a context. Blocks end at branches, calls, returns, EXIT, KILL, BSYNC and
// WARPSYNC, and at guarded BSSY, BREAK and BMOV.
struct flow_node {
    size_t first, end;      // instructions first to end - 1; at least one
    size_t next[FLOW_WAYS]; // successors, or FLOW_NONE. TAKEN: branch, call or return
    size_t context;
    size_t older; // another node that begins with the same instruction, or FLOW_NONE
};

struct flow_context {
    size_t parent; // caller's context; 0 for context 0, the entry point
    size_t call;   // calling instruction; FLOW_NONE for context 0
    size_t depth;  // call depth; 0: the entry point
};

struct flow {
    struct flow_node *nodes; // reachable nodes; 0 is the entry point
    size_t count;
    struct flow_context *contexts;
    size_t context_count;
};

// False with the reason if the code cannot be analysed: "BRX at 0x40: …". Call flow_clear in any
// case.
bool flow_make(const struct sass_code *code, struct flow *flow, struct lit_error *error);
void flow_clear(struct flow *flow);

// Whether the instruction alone allows lanes that execute it to go different ways: it has a guard,
// or another predicate to branch by.
bool flow_is_conditional(const struct sass_insn *insn);
// Whether it may transfer control, possibly to return later: BRA, JMP, CALL, RET.
bool flow_is_branch(enum sass_op op);
// EXIT, KILL.
bool flow_is_end(enum sass_op op);
// A node's last instruction.
const struct sass_insn *flow_last(const struct sass_code *code, const struct flow_node *node);

// Work list of nodes, first in, first out; contains each at most once.
struct flow_queue {
    size_t *nodes, size, head, count;
    bool *queued;
};
struct flow_queue flow_queue_make(const struct flow *flow);
void flow_queue_close(struct flow_queue *queue);
void flow_push(struct flow_queue *queue, size_t node);
bool flow_pop(struct flow_queue *queue, size_t *node); // false: empty

// --- Convergence queries: cross-lane reads by which code of NVIDIA's compiler tests whether the
// lanes of a mask are converged. Their results only feed a BRA.CONV or BRA.DIV, and divergent lanes
// are sent to a WARPSYNC, so such a read is not part of the program.
bool flow_is_query(const struct sass_code *code, const struct flow *flow, size_t node, size_t insn);

// Whether another guarded instruction behind it writes the same where this one does not.
bool guard_is_completed(const struct sass_code *code, size_t index);
// Whether a guarded instruction does the same as another one nearby with the opposite guard, so
// that it does not matter whether the guard holds.
bool guard_is_idle(const struct sass_code *code, size_t index);

// --- Registers that may differ between lanes that execute an instruction together. A value can
// differ because of its source (a lane's number, memory at a differing address, a cross-lane read),
// or because lanes reconverged after different paths. The latter comes from following lanes
// (divergent.h), and is passed in as a set for each node: the registers written by divergent lanes
// that reconverged at its end.

struct uniform_state {
    struct sass_registers varying; // may differ between converged lanes
    uint64_t tid[4];               // R0 to R254 that certainly hold SR_TID.X
    // A register that may differ may still be uniform among the lanes for which a predicate holds,
    // or among the others: for each predicate where it is false, where it is true.
    struct sass_registers clean[7][2];
};

// Computes the state at the start of each node: `met` and `states` have flow->count elements;
// `states` is overwritten. `rows`: SR_TID.X divided by 32 is the same for all lanes of a warp,
// which holds for workgroups of one row, of rows of a multiple of 32 invocations, and of rows of at
// most 32. Without code->operands nothing is known.
void uniform_find(const struct sass_code *code, const struct flow *flow, bool rows,
                  const struct sass_registers *met, struct uniform_state *states);

// Steps over one instruction.
void uniform_step(const struct sass_code *code, bool rows, const struct sass_insn *insn,
                  struct uniform_state *state);

// Whether lanes that execute it together may differ in taking its branch or executing it at all.
bool uniform_diverges(const struct sass_code *code, const struct sass_insn *insn,
                      const struct uniform_state *state);

// Finds the predicate that alone decides the branch at a node's end; false if there is none.
bool uniform_decides(const struct sass_code *code, const struct flow_node *node,
                     unsigned *predicate);

// Adds registers that are uniform on each side of the branch at a node's end because they were
// written under its guard, but differ between the sides: nothing else marks them as differing where
// the sides meet.
void uniform_sided(const struct sass_code *code, const struct flow_node *node,
                   struct sass_registers *registers);
