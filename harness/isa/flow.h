// SPDX-License-Identifier: Apache-2.0
// Where control can go in a piece of SASS. Calls are followed: the code of a function is there once
// for each chain of calls that leads to it (a context), so that a return goes back to its own call.
// Pure. The code is not trusted: what cannot be followed is an error that says why.
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
// Executed by no lane: "@!PT".
bool flow_is_never(const struct sass_insn *insn);
// The last instruction of a node.
const struct sass_insn *flow_last(const struct sass_code *code, const struct flow_node *node);
// True if something after the end of a node may read what `registers` have at its end.
bool flow_reads_later(const struct sass_code *code, const struct flow *flow, size_t node,
                      const struct sass_registers *registers);
