// SPDX-License-Identifier: Apache-2.0
// Lanes that diverge at a branch, followed until they have reconverged; and the findings of the
// lint while they are made.
//
// Two lanes that execute a branch converged and leave it by different sides are each followed alone
// over all ways that the code has for it. A way ends where the two have reconverged: at a BSYNC of
// a convergence barrier that both were in when they diverged, and that neither has left since, or
// at a WARPSYNC for all lanes. A WARPSYNC for a mask, which may or may not name both, ends nothing;
// it is remembered as the place where a lane last waited for others. Lanes that meet at an
// instruction with the same such place behind them are converged there, if the mask means both.
#pragma once

#include "isa/flow.h"
#include "isa/lint.h"

#define DIVERGENT_SAVED 4          // registers that hold a convergence barrier (BMOV)
#define DIVERGENT_NONE  UINT32_MAX // of a state: none; of a place: none

enum { DIVERGENT_FALL, DIVERGENT_TAKEN }; // which side of the branch a lane took

// One lane's way from the branch to the start of a node.
struct divergent_state {
    uint32_t node;
    uint32_t parent; // the state it came from; DIVERGENT_NONE: the branch
    uint32_t depth;  // nodes on the way; 1: the first
    uint32_t older;  // another state of the node; DIVERGENT_NONE
    uint32_t place;  // the instruction at which it last waited for others, or found them there
                     // already (BRA.CONV); DIVERGENT_NONE
    uint32_t asked;  // the BRA.CONV or BRA.DIV that sent it to wait, which it has not done yet
    uint16_t open;   // barriers that both lanes are still in, a bit each
    uint8_t side;    // DIVERGENT_FALL, DIVERGENT_TAKEN
    bool met;        // it has come to a cross-lane read
    uint8_t rounds;  // how often it came to the branch again; 2: twice or more
    uint8_t known, values;          // predicates whose value the way tells, and the values
    uint8_t saved[DIVERGENT_SAVED]; // registers that hold such a barrier; 255: none
};

// A lane's way comes to a cross-lane read.
struct divergent_hit {
    size_t insn;
    uint32_t state; // at the start of the node the read is in
};

// What is known of a node of the flow.
struct divergent_node {
    uint32_t newest; // state; DIVERGENT_NONE
    uint32_t amount; // of states
    uint32_t ahead;  // what can still come: BSYNC of a barrier, a bit each; 16: WARPSYNC for all
                     // lanes; 17: a cross-lane read, or a WARPSYNC
    uint8_t meets;   // a bit for each side that waits for others at its end
    bool ends;       // ways end in it, because all have reconverged, or exited
};

struct divergent {
    const struct sass_code *code;
    const struct flow *flow;
    struct divergent_state *states; // in the order of their distance from the branch, in nodes
    size_t count;
    struct divergent_node *nodes;
    size_t *touched, touched_count; // nodes that have any state, each once
    struct divergent_hit *hits;
    size_t hit_count;
    uint32_t closers[17]; // where ways of each barrier ended; 16: WARPSYNC for all lanes
    uint32_t broken;      // barriers, and 16, at which not all reconverge
    const struct sass_registers *met;
    int mode;
    size_t branch;        // the node at whose end they diverge
    uint16_t first;       // barriers that they were in there
    uint64_t work, limit; // states stepped so far; how many may be
};

// What a state is before the last instruction of its node.
struct divergent_state divergent_before_last(const struct divergent *lanes, size_t state);

// True if a WARPSYNC, a BRA.CONV or a BRA.DIV is for all lanes of the warp.
bool divergent_names_all(const struct sass_insn *insn);

// False if the code is too large for the limit. Either way divergent_close is due.
bool divergent_open(struct divergent *lanes, const struct sass_code *code, const struct flow *flow,
                    uint64_t limit);
void divergent_close(struct divergent *lanes);

// Follows every way from the entry point: which barriers a lane can be in where. States have side
// 0. met, of each node: what lanes that have reconverged at its end wrote while they were
// divergent.
bool divergent_enter(struct divergent *lanes, const struct sass_registers *met);
// Follows lanes that diverge at the end of `node`, at which they were in the barriers of `from`.
bool divergent_follow(struct divergent *lanes, size_t node, const struct divergent_state *from);
// Follows the lanes that continue where others end (EXIT): nothing brings those back.
bool divergent_survive(struct divergent *lanes, size_t node, const struct divergent_state *from);
// All three: false if there were more states than the limit allows.

// --- Findings: each is kept once, with its shortest ways

struct finding_key {
    size_t kind, read, other, branch, at;
};

struct findings {
    struct lint *lint;
    void *keys;    // a tree of struct finding_key (tsearch)
    uint64_t work; // addresses and findings handled, for whoever limits it
};

// A finding of the lanes that were followed: `second` is the hit of the other side, or NULL.
// `branch` is an instruction.
void findings_add(struct findings *findings, const struct divergent *lanes, enum lint_kind kind,
                  size_t branch, const struct divergent_hit *first,
                  const struct divergent_hit *second);
// One that has no way to it: LINT_GUARDED, LINT_MISGUARDED.
void findings_add_alone(struct findings *findings, const struct sass_code *code,
                        enum lint_kind kind, size_t read, size_t branch);
// Forgets all that were made.
void findings_restart(struct findings *findings);
// Frees what is not the lint's.
void findings_clear(struct findings *findings);

// Adds what has a wrong guard predicate: instructions of a whole warp (cross-lane reads, R2UR,
// atomics) under the ordinary predicate Pn where UPn, the uniform predicate of the same number, was
// last written by a comparison with the mask of the active lanes: the compiler asks so whether all
// lanes that it expects are active, and Pn asks something else.
void misguarded_find(const struct sass_code *code, const struct flow *flow,
                     struct findings *findings);
