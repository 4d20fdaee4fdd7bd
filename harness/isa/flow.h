// SPDX-License-Identifier: Apache-2.0
// Where control can go in a piece of SASS, and what is known at each place of it. Calls are
// followed: the code of a function is there once for each chain of calls that leads to it (a
// context), so that a return goes back to its own call. Pure. The code is not trusted: what cannot
// be followed is an error that says why.
#pragma once

#include "base/error.h"
#include "isa/sass.h"

#define FLOW_NONE     SIZE_MAX
#define FLOW_NODES    20000 // more are an error
#define FLOW_CONTEXTS 2000
#define FLOW_DEPTH    16 // calls within calls

enum { FLOW_FALL, FLOW_TAKEN, FLOW_WAYS };

// A basic block in a context. Beside branches these end a block: calls, returns, EXIT, KILL, BSYNC
// and WARPSYNC, and BSSY, BREAK and BMOV that have a guard.
struct flow_node {
    size_t first, end;      // instructions first to end - 1 of the code; at least one
    size_t next[FLOW_WAYS]; // nodes, FLOW_NONE where there is none. TAKEN: the branch is taken, the
                            // call made, the function left
    size_t context;
    size_t older; // another node that begins with the same instruction; FLOW_NONE
};

struct flow_context {
    size_t parent; // context of the caller; of context 0, the entry point: 0
    size_t call;   // the instruction that calls; of context 0: FLOW_NONE
    size_t depth;  // 0: the entry point
};

struct flow {
    struct flow_node *nodes; // those that can be reached; 0 is the entry point
    size_t count;
    struct flow_context *contexts;
    size_t context_count;
};

// False if the code cannot be analysed, with the reason: "BRX at 0x40: …". Either way
// flow_clear is due.
bool flow_make(const struct sass_code *code, struct flow *flow, struct lit_error *error);
void flow_clear(struct flow *flow);

// True if the lanes that execute it need not all go the same way, as far as the instruction itself
// says: it has a guard, or another predicate to choose by.
bool flow_is_conditional(const struct sass_insn *insn);
// Whether it may go elsewhere than to the next instruction, and come back or not: BRA, JMP, CALL,
// RET.
bool flow_is_branch(enum sass_op op);
// EXIT, KILL.
bool flow_is_end(enum sass_op op);
// The last instruction of a node.
const struct sass_insn *flow_last(const struct sass_code *code, const struct flow_node *node);

// Nodes to be visited, first come, first served; each is in it at most once at a time.
struct flow_queue {
    size_t *nodes, size, head, count;
    bool *queued;
};
void flow_queue_open(struct flow_queue *queue, const struct flow *flow);
void flow_queue_close(struct flow_queue *queue);
void flow_push(struct flow_queue *queue, size_t node);
bool flow_pop(struct flow_queue *queue, size_t *node); // false: none is left

// --- Convergence queries: cross-lane reads that nvidia's compiler writes to find out whether the
// lanes of a mask are converged: all that they give goes into a BRA.CONV or BRA.DIV. Lanes that are
// divergent there get an answer that sends them to a WARPSYNC, so that such a read is none of the
// program's.
bool flow_is_query(const struct sass_code *code, const struct flow *flow, size_t node, size_t insn);

// --- Which registers may differ between lanes that execute an instruction together. Two things
// make a value differ: where it comes from (a lane's number, memory at an address that differs, a
// cross-lane read), and that lanes which have reconverged have come by different ways. The second
// is known to whoever follows the lanes (divergent.h) and is given here as a set for each node:
// what was written while lanes were divergent that have reconverged at its end.

struct uniform_state {
    struct sass_registers varying; // may differ between lanes that are converged
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

// Goes over one instruction; a walk begins with nothing but the state at the start of its node.
void uniform_step(const struct sass_code *code, bool rows, const struct sass_insn *insn,
                  struct uniform_walk *walk);

// True if lanes that execute it together may decide differently whether they do what it says:
// branch, execute it at all.
bool uniform_diverges(const struct sass_code *code, const struct sass_insn *insn,
                      const struct uniform_state *state);

// What is the same for all lanes of a side of the branch at the end of a node because it was
// written under the branch's guard, and not the same for both sides: nothing else says so where
// they meet.
void uniform_sided(const struct sass_code *code, const struct flow_node *node,
                   struct sass_registers *registers);
