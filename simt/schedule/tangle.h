// SPDX-License-Identifier: Apache-2.0
// Which invocations of a subgroup execute an instruction together.
//
// A tangle lasts from where its lanes came together to where they part: straight-line code that all
// of its lanes execute. Lanes run at their own pace, so a lane may be ahead in a tangle that others
// have not reached yet: `here` are the lanes that have entered and not left it, `coming` those that
// may still enter. A tangled instruction waits until nobody is coming and all are at the
// instruction; one that concerns quads, until this is so of the quad.
//
// The tree: at a branch the lanes of a tangle go into its children, one for each target. The merge
// block of a selection or loop and the continue target of an iteration are children too, of the
// tangle that executed the merge instruction: everybody may still come there. As soon as a lane can
// no longer come, because it took another way out, it is dropped from that child and from all
// below.
//
// Constructs: the selections, loops, iterations of loops and calls that a tangle's lanes are in,
// each with the tangle in which they meet again.
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
    struct construct *outer; // NULL: of the entry point; also the link of the free list
    uint32_t references;     // of tangles and of constructs inside
    enum construct_kind kind;
    uint32_t header;     // block with the merge instruction
    uint32_t target;     // block of `meet`: merge block, continue target; CALL: the pc to return to
    uint32_t step;       // of the body of `outer` at which it was opened (uniform.h)
    uint64_t key;        // of this instance, in all subgroups of the workgroup (uniform.h)
    bool decided;        // lanes have come to where they might meet, and:
    bool stays_diverged; // lanes that arrive from different tangles stay diverged
    struct tangle *meet; // NULL once nobody can come any more
    struct tangle *head; // SWITCH: the tangle that executed it, kept while lanes may fall through
    struct tangle *exits; // LOOP, model `peeling`: the ways out, linked by next_exit
    lanes gone;           // LOOP, model `peeling`: lanes that took one of them
    uint32_t iterations;  // LOOP: begun
    bool joins;           // SWITCH: falling and jumping lanes meet at a case
};

struct tangle {
    struct tangle *parent, *first_child, *next_sibling, *previous_sibling;
    struct construct *inside; // innermost; NULL: none
    struct construct *own;    // that its merge instruction opened; NULL if not (yet)
    uint64_t number;          // rises: a tangle that lanes reach later has a higher one
    lanes here, coming;
    lanes arrived;   // of `here`: waiting at a tangled instruction
    uint32_t target; // block at which it begins, among its parent's children
    uint32_t step;   // of the body of `inside` (uniform.h)
    bool is_meeting; // a merge, continue target or return: not chosen by a branch of its parent
    bool is_exit;    // in the list of a loop's exits
    bool lags;       // model `lagging`: lanes that stayed behind
    bool pinned;     // the `head` of a switch
    bool queued;     // in the list of those to look at
    struct construct *meets;   // whose `meet` it is, or NULL
    struct construct *exit_of; // in whose `exits` it is, or NULL
    lanes first_arrival;       // model `lagging`: who came first
    struct tangle *next_exit, *next_queued;
};

struct subgroup;

// The loop around the block at the end of which a tangle is; NULL if there is none.
struct construct *tangle_loop(struct tangle *tangle, const struct block *block);

// The root: all present lanes at the entry point.
bool tangle_start(struct subgroup *subgroup, uint32_t pc);
// Frees every tangle and construct of the subgroup.
void tangle_clear(struct subgroup *subgroup);

// The ways of lanes `set`, all in one tangle, out of the block that they are at the end of. Each
// gives the lanes their new tangle and pc, and marks in subgroup->runnable which can continue.
// False: out of memory. The phi moves are the caller's. tangle_open comes first, with the block's
// last instruction.
bool tangle_open(struct subgroup *subgroup, struct tangle *tangle, const struct block *block,
                 const struct insn *last);
bool tangle_go(struct subgroup *subgroup, struct tangle *tangle, lanes set,
               const struct block *from, uint32_t target, bool splits);
bool tangle_call(struct subgroup *subgroup, struct tangle *tangle, lanes set, uint32_t entry,
                 uint32_t return_pc);
bool tangle_return(struct subgroup *subgroup, struct tangle *tangle, lanes set);
void tangle_end(struct subgroup *subgroup, struct tangle *tangle, lanes set);

// Which dynamic instance of the instruction at its pc a lane executes: the same number in all
// subgroups of the workgroup that came there on the same control-flow path, where constructs whose
// lanes meet at their end are one step of the path. Asks for subgroup->uniform.
uint64_t tangle_instance(const struct subgroup *subgroup, unsigned lane);

// Lanes of a tangle arrived at a tangled instruction: they can continue once all have.
void tangle_arrive(struct subgroup *subgroup, struct tangle *tangle, lanes set);

// Model `lagging`: one lane of a tangle in which lanes came together after divergence stays behind.
bool tangle_leave_behind(struct subgroup *subgroup, struct tangle *tangle, unsigned lane);
// Model `lagging`: lanes that stayed behind join `tangle` again.
void tangle_rejoin(struct subgroup *subgroup, struct tangle *tangle, lanes set);

// Whether everybody who belongs to it is here.
static inline bool tangle_complete(const struct tangle *tangle)
{
    return !tangle->coming;
}
