// SPDX-License-Identifier: Apache-2.0
// Lanes that part at a branch, followed until they are together again.
//
// Two lanes that execute a branch together and leave it by different sides are each followed alone
// over all ways that the code has for it. A way ends where the two are together again: at a BSYNC
// of a convergence barrier that both were in when they parted, and that neither has left since, or
// at a WARPSYNC for all lanes. A WARPSYNC for a mask, which may or may not name both, ends nothing;
// it is remembered as the place where a lane last waited for others. Whoever meets at an
// instruction with the same such place behind it is together there, if the mask means both.
#pragma once

#include "isa/flow.h"

#define APART_SAVED 4          // registers that hold a convergence barrier (BMOV)
#define APART_NONE  UINT32_MAX // of a state: none; of a place: none

enum { APART_FALL, APART_TAKEN, APART_SIDES }; // which side of the branch a lane took

// One lane's way from the branch to the start of a node.
struct apart_state {
    uint32_t node;
    uint32_t parent; // the state it came from; APART_NONE: the branch
    uint32_t depth;  // nodes on the way; 1: the first
    uint32_t older;  // another state of the node; APART_NONE
    uint32_t place;  // the instruction at which it last waited for others, or found them there
                     // already (BRA.CONV); APART_NONE
    uint32_t asked;  // the BRA.CONV or BRA.DIV that sent it to wait, which it has not done yet
    uint16_t open;   // barriers that both lanes are still in, a bit each
    uint8_t side;    // APART_FALL, APART_TAKEN
    bool met;        // it has come to an exchange
    uint8_t rounds;  // how often it came to the branch again; 2: twice or more
    uint8_t known, values;      // predicates whose value the way tells, and the values
    uint8_t saved[APART_SAVED]; // registers that hold such a barrier; 255: none
};

// A lane's way meets an exchange.
struct apart_hit {
    size_t insn;
    uint32_t state; // at the start of the node the exchange is in
};

struct apart {
    const struct sass_code *code;
    const struct flow *flow;
    struct apart_state *states; // in the order of their distance from the branch, in nodes
    size_t count, capacity;
    uint32_t *newest;  // of each node: the newest state; APART_NONE
    uint32_t *amounts; // of each node: how many states
    uint8_t *meets;    // of each node: a bit for each side that waits for others at its end
    bool *ends;        // of each node: ways end in it, because all are together again, or exited
    size_t *touched, touched_count; // nodes that have any state, each once
    struct apart_hit *hits;
    size_t hit_count, hit_capacity;
    uint32_t closers[17]; // where ways of each barrier ended; 16: WARPSYNC for all lanes
    uint32_t broken;      // barriers, and 16, that do not bring all together
    uint32_t *ahead;      // of each node, what can still come: BSYNC of a barrier, a bit each; 16:
                          // WARPSYNC for all lanes; 17: an exchange, or a WARPSYNC
    const struct sass_registers *met;
    int mode;
    size_t branch;        // the node at whose end they part
    uint16_t first;       // barriers that they were in there
    uint64_t work, limit; // states stepped so far; how many may be
};

// What a state is before the last instruction of its node.
struct apart_state apart_before_last(const struct apart *apart, size_t state);

// True if a WARPSYNC, a BRA.CONV or a BRA.DIV is for all lanes of the warp.
bool apart_names_all(const struct sass_insn *insn);

// False if the code is too large for the limit. Either way apart_close is due.
bool apart_open(struct apart *apart, const struct sass_code *code, const struct flow *flow,
                uint64_t limit);
void apart_close(struct apart *apart);

// Follows every way from the entry point: which barriers a lane can be in where. States have side
// 0.
// met, of each node: what lanes that are together from its end on wrote while they were apart.
bool apart_enter(struct apart *apart, const struct sass_registers *met);
// Follows lanes that part at the end of `node`, at which they were in the barriers of `from`.
bool apart_follow(struct apart *apart, size_t node, const struct apart_state *from);
// Follows the lanes that go on where others end (EXIT): nothing brings those back.
bool apart_survive(struct apart *apart, size_t node, const struct apart_state *from);
// All three: false if there were more states than the limit allows.
