// SPDX-License-Identifier: Apache-2.0
// Follows lanes that diverge at a branch until they have reconverged, and collects the lint's
// findings.
//
// Two lanes that execute a branch converged and leave it in different directions are each followed
// separately along all paths in the code. A path ends where the two have reconverged: at a BSYNC of
// a convergence barrier that both were in when they diverged and neither has left since, or at a
// WARPSYNC for all lanes. A WARPSYNC for a mask, which may or may not name both, does not end a
// path, but is recorded as the last place where a lane waited for others. Lanes that meet at an
// instruction with the same recorded place are converged there, if the mask names both.
#pragma once

#include "isa/flow.h"
#include "isa/lint.h"

#define DIVERGENT_SAVED 4          // registers that hold a saved convergence barrier (BMOV)
#define DIVERGENT_NONE  UINT32_MAX // no state, or no place

enum { DIVERGENT_FALL, DIVERGENT_TAKEN }; // which side of the branch a lane took

// One lane's path from the branch to the start of a node.
struct divergent_state {
    uint32_t node;
    uint32_t parent; // preceding state; DIVERGENT_NONE: the branch
    uint32_t depth;  // nodes on the path, at least 1
    uint32_t older;  // another state of the node, or DIVERGENT_NONE
    uint32_t place;  // address where it last waited or found others waiting (BRA.CONV)
    uint32_t asked;  // the BRA.CONV or BRA.DIV that sent it to wait, while the wait is pending
    uint16_t open;   // barriers that both lanes are still in, one bit each
    uint8_t side;    // DIVERGENT_FALL, DIVERGENT_TAKEN
    bool met;        // it has reached a cross-lane read
    uint8_t rounds;  // how often it has returned to the branch; 2: twice or more
    uint8_t known, values;          // predicates known along the path, and their values
    uint8_t saved[DIVERGENT_SAVED]; // registers that hold such a barrier; 255: none
};

// A lane's path reaches an instruction that lanes must execute together: a cross-lane read, a BAR,
// an R2UR.
struct divergent_hit {
    size_t insn;
    uint32_t state; // at the start of the node that contains the read
};

// Facts about a node of the flow.
struct divergent_node {
    uint32_t newest; // newest state, or DIVERGENT_NONE
    uint32_t amount; // number of states
    uint32_t ahead;  // reachable: BSYNC of each barrier; 16: WARPSYNC for all; 17: read or WARPSYNC
    uint8_t meets;   // one bit for each side that waits for others at its end
    bool ends;       // paths end in it, by reconvergence or exit
};

struct divergent {
    const struct sass_code *code;
    const struct flow *flow;
    struct divergent_state *states; // by distance from the branch, in nodes
    size_t count;
    struct divergent_node *nodes;
    size_t *touched, touched_count; // nodes with any state, without duplicates
    struct divergent_hit *hits;
    size_t hit_count;
    uint32_t closers[17]; // where paths of each barrier ended; 16: WARPSYNC for all lanes
    uint32_t broken;      // barriers, and 16, at which not all lanes reconverge
    const struct sass_registers *met;
    int mode;
    size_t branch;        // the node that ends with the divergent branch
    uint16_t first;       // barriers that the lanes were in there
    uint64_t work, limit; // states stepped so far; limit on them
};

// A state advanced to just before the last instruction of its node.
struct divergent_state divergent_before_last(const struct divergent *lanes, size_t state);

// Whether a WARPSYNC, BRA.CONV or BRA.DIV is for all lanes of the warp.
bool divergent_names_all(const struct sass_insn *insn);

// False if the code is too large for the limit. Call divergent_close in any case.
bool divergent_open(struct divergent *lanes, const struct sass_code *code, const struct flow *flow,
                    uint64_t limit);
void divergent_close(struct divergent *lanes);

// The next three return false if there were more states than the limit allows.
//
// Follows every path from the entry point, to find which barriers a lane can be in at each place.
// States have side 0. met: for each node, the registers that lanes reconverged at its end wrote
// while divergent.
bool divergent_enter(struct divergent *lanes, const struct sass_registers *met);
// Follows lanes that diverge at the end of `node` while in the barriers of `from`.
bool divergent_follow(struct divergent *lanes, size_t node, const struct divergent_state *from);
// Follows the lanes that continue where others end (EXIT) and never reconverge.
bool divergent_survive(struct divergent *lanes, size_t node, const struct divergent_state *from);

// --- Findings: each is kept once, with its shortest paths

struct finding_key {
    size_t kind, read, other, branch, at;
};

// The code that is looked at, and what is found in it.
struct findings {
    struct lint *lint;
    const struct sass_code *code;
    const struct flow *flow;
    const struct uniform_state *states; // at the start of each node (uniform_find)
    struct lint_options options;
    void *keys;    // tree of struct finding_key (tsearch)
    uint64_t work; // addresses and findings handled, for the caller's limit
};

// Adds a finding about the lanes being followed: `second` is the other side's hit, or NULL.
// `branch` is an instruction.
void findings_add(struct findings *findings, const struct divergent *lanes, enum lint_kind kind,
                  size_t branch, const struct divergent_hit *first,
                  const struct divergent_hit *second);
// Adds a finding without a path: LINT_GUARDED, LINT_MISGUARDED.
void findings_add_alone(struct findings *findings, enum lint_kind kind, size_t read, size_t branch);
// Drops all findings so far.
void findings_restart(struct findings *findings);
// Frees all but the lint.
void findings_clear(struct findings *findings);

// Finds wrong guard predicates: whole-warp instructions (cross-lane reads, R2UR, atomics) guarded
// by predicate Pn although the uniform predicate UPn of the same number was last written by a
// comparison with the active mask. With that comparison the compiler tests whether all expected
// lanes are active; Pn tests something else.
void misguarded_find(struct findings *findings);

// Finds reads of uniform registers that lanes on one side of the branch, followed last, need while
// those on the other may overwrite them.
void overwritten_find(const struct divergent *lanes, size_t branch, struct findings *findings);

// Finds registers that are read but never set, or set but never read: LINT_UNSET, LINT_UNUSED.
void defined_find(struct findings *findings);

// Finds masks of lanes and convergence barriers that cannot be right: LINT_MASK, LINT_MERGED,
// LINT_SHARED, LINT_UNMATCHED; and accesses where their bounds check failed: LINT_OUTSIDE.
void masks_find(struct findings *findings);
