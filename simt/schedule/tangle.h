// SPDX-License-Identifier: Apache-2.0
// Which invocations of a subgroup execute an instruction together.
//
// A tangle lasts from where its lanes come together to where they diverge: straight-line code
// executed by all of them. Lanes run at their own pace, so a lane may be ahead in a tangle that
// others have not reached: `here` are the lanes that have entered and not left it, `coming` those
// that may still enter. A tangled instruction waits until no lane is coming and all are at it; one
// that concerns quads waits only for its quad.
//
// The tree: at a branch, a tangle's lanes enter its children, one per target. The merge block of a
// selection or loop and the continue target of an iteration are also children, of the tangle that
// executed the merge instruction: every lane may still come there. As soon as a lane can no longer
// come because it took another path, it is dropped from that child and all below.
//
// Constructs: the selections, loops, loop iterations and calls that contain a tangle's lanes, each
// with the tangle where they meet again.
#pragma once

#include "lanes.h"
#include "program/program.h"

enum construct_kind {
    CONSTRUCT_SELECTION,
    CONSTRUCT_SWITCH,
    CONSTRUCT_LOOP,
    CONSTRUCT_ITERATION, // directly inside its loop
    CONSTRUCT_CALL,
};

struct construct {
    struct construct *outer; // NULL: the entry point's; also links the free list
    uint32_t references;     // from tangles and inner constructs
    enum construct_kind kind;
    uint32_t header;      // block with the merge instruction
    uint32_t target;      // block of `meet`: merge block, continue target; CALL: return pc
    uint32_t step;        // step of `outer`'s body at which it was opened (uniform.h)
    uint64_t key;         // of this instance, the same in all subgroups (uniform.h)
    bool decided;         // lanes have reached the possible meeting point, and:
    bool stays_diverged;  // lanes from different tangles stay diverged there
    struct tangle *meet;  // NULL once no lane can come
    struct tangle *head;  // SWITCH: tangle that executed it, kept while lanes may fall through
    struct tangle *exits; // LOOP, model `peeling`: the exits, linked by next_exit
    lanes gone;           // LOOP, model `peeling`: lanes that took one of them
    uint32_t iterations;  // LOOP: begun
    bool joins;           // SWITCH: falling and jumping lanes meet at cases
};

struct tangle {
    struct tangle *parent, *first_child, *next_sibling, *previous_sibling;
    struct construct *inside; // innermost; NULL: none
    struct construct *own;    // opened by its merge instruction; NULL: none yet
    uint64_t number;          // ascending: later tangles have higher numbers
    lanes here, coming;
    lanes arrived;   // of `here`: waiting at a tangled instruction
    uint32_t target; // first block, which identifies it among its siblings
    uint32_t step;   // step of `inside`'s body (uniform.h)
    bool is_meeting; // a merge, continue target or return: no branch of its parent selects it
    bool is_exit;    // in the list of a loop's exits
    bool lags;       // model `lagging`: lanes stayed behind
    bool pinned;     // it is a switch's `head`
    bool queued;     // queued for `settle`
    struct construct *meets;   // the construct whose `meet` it is, or NULL
    struct construct *exit_of; // the construct in whose `exits` it is, or NULL
    lanes first_arrival;       // model `lagging`: the lanes that came first
    struct tangle *next_exit, *next_queued;
};

struct subgroup;

// The loop around the block that ends a tangle; NULL: none.
struct construct *tangle_loop(struct tangle *tangle, const struct block *block);

// The root: all present lanes at the entry point.
bool tangle_start(struct subgroup *subgroup, uint32_t pc);
// Frees all tangles and constructs of the subgroup.
void tangle_clear(struct subgroup *subgroup);

// Moves lanes `set`, all in one tangle, out of the block at whose end they are. Each function gives
// them their new tangle and pc, and marks the runnable ones in subgroup->runnable. False: out of
// memory. The caller executes the phi moves. Call tangle_open first, with the block's last
// instruction.
bool tangle_open(struct subgroup *subgroup, struct tangle *tangle, const struct block *block,
                 const struct insn *last);
bool tangle_go(struct subgroup *subgroup, struct tangle *tangle, lanes set,
               const struct block *from, uint32_t target, bool splits);
bool tangle_call(struct subgroup *subgroup, struct tangle *tangle, lanes set, uint32_t entry,
                 uint32_t return_pc);
bool tangle_return(struct subgroup *subgroup, struct tangle *tangle, lanes set);
void tangle_end(struct subgroup *subgroup, struct tangle *tangle, lanes set);

// The dynamic instance of the instruction at a lane's pc: the same number in all subgroups of the
// workgroup that reached it on the same control-flow path, where a construct whose lanes meet at
// its end is one step of the path. Requires subgroup->uniform.
uint64_t tangle_instance(const struct subgroup *subgroup, unsigned lane);

// Lanes of a tangle arrived at a tangled instruction: they can continue once all have.
void tangle_arrive(struct subgroup *subgroup, struct tangle *tangle, lanes set);

// Model `lagging`: one lane of a tangle in which lanes met after divergence stays behind.
bool tangle_leave_behind(struct subgroup *subgroup, struct tangle *tangle, unsigned lane);
// Model `lagging`: lanes that stayed behind rejoin `tangle`.
void tangle_rejoin(struct subgroup *subgroup, struct tangle *tangle, lanes set);

// Whether all of its lanes are here.
static inline bool tangle_complete(const struct tangle *tangle)
{
    return !tangle->coming;
}
