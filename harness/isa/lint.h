// SPDX-License-Identifier: Apache-2.0
// The convergence lint: finds cross-lane reads (SHFL, VOTE, VOTEU, MATCH, REDUX) that lanes of a
// warp can reach divergent, because nothing reconverges them after they left a branch in different
// directions. docs/lint.md describes what it can and cannot find. Pure; its time is bounded by the
// size of the code.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "isa/sass.h"

enum lint_kind {
    LINT_MISGUARDED,  // (and R2UR, atomics:) guarded by Pn, but the masks were compared into UPn
    LINT_MASK,        // waits for a mask of lanes that do not come here
    LINT_MERGED,      // asks whether all lanes are active, and then ignores that masks differ
    LINT_UNMATCHED,   // a BSSY without its BSYNC, or the reverse
    LINT_OUTSIDE,     // accesses a buffer where its bounds check failed
    LINT_RISK,        // (and BAR, R2UR:) both sides of a branch reach it without reconverging
    LINT_OVERWRITTEN, // reads a uniform register that lanes of the other side may have overwritten
    LINT_SCALAR,      // R2UR takes one lane's value for lanes that came one by one
    LINT_BIT,         // reads a predicate with another bit of a word than the module tests
    LINT_TABLE,       // combines truth values by the table for the negations of two
    LINT_MOVED,       // accesses memory before what the module has before it, of one address
    LINT_LEAVING,     // as RISK, but only in different iterations: early and late exits from a loop
    LINT_TWICE,       // each side of a branch must do a read of the same sort, or the same call
    LINT_SHARED,      // reached from a subroutine where lanes of several calls wait for each other
    LINT_UNCLEAR,     // as RISK, but behind a WARPSYNC for a mask, or with unknown registers
    LINT_UNSET,       // reads a register that nothing sets
    LINT_UNUSED,      // sets a register that nothing reads
    LINT_INSIDE,      // only lanes from one side of a branch reach it
    LINT_GUARDED,     // its own guard may differ between lanes
    LINT_EXITED,      // lanes have ended (EXIT) before it
    LINT_QUERY,       // any of these, but the result only feeds a BRA.CONV or BRA.DIV
    LINT_KINDS
};

// "at risk", "twice", ...
const char *lint_kind_name(enum lint_kind kind);
// Whether a kind is probably a fault: those up to MOVED.
bool lint_is_risk(enum lint_kind kind);
// Whether a kind explains a failure, although correct code may have it: the risks, and those up to
// UNUSED. The others mean that only some lanes read, which the program may intend.
bool lint_is_cause(enum lint_kind kind);

#define LINT_WAY 32 // addresses kept per path

struct lint_way {
    uint32_t *addresses; // of the branch, the blocks on the shortest path, the read
    size_t count;        // at most LINT_WAY
    size_t skipped;      // addresses left out after the first LINT_WAY / 2
};

// An instruction of the module from which one was made; opcode 0: not known.
struct lint_source {
    uint32_t opcode, id; // id: of its result; 0: it has none
    size_t others;       // instructions from which it may have been made as well
};

struct lint_finding {
    enum lint_kind kind;
    size_t read;   // instruction index
    size_t other;  // TWICE: the other side's read, the same if called from both; else the same
    size_t branch; // where lanes diverge or EXIT; GUARDED: the read; MISGUARDED: the comparison;
                   // MOVED: the access that should be before
    size_t more;   // further branches with the same finding (not for RISK, LEAVING, TWICE)
    uint8_t bit, meant;            // BIT: which it reads, and should
    struct lint_source sources[2]; // of the read; MOVED: of `branch`, too
    bool waits;              // lanes have waited for a mask (WARPSYNC, BRA.CONV) since the branch
    struct lint_way ways[2]; // of the fall-through or only side; of the other side
};

struct lint {
    struct lint_finding *findings; // sorted by kind, address of the read, address of the branch
    size_t count;
    size_t reads;  // reachable cross-lane reads
    bool operands; // false: assumes divergence at every conditional branch
};

struct lint_options {
    bool rows;             // SR_TID.X / 32 is the same for all lanes of a warp (see uniform_find)
    const uint32_t *words; // the SPIR-V module that the code was made of; NULL: not known
    size_t word_count;
};

// False with the reason if the code cannot be analysed. Call lint_clear in any case.
bool lint_run(const struct sass_code *code, const struct lint_options *options, struct lint *lint,
              struct lit_error *error);
void lint_clear(struct lint *lint);

// Appends a finding as one line without newline, starting with its kind: "at risk: SHFL.IDX at
// 0x2a0 can be reached from both sides of the branch at 0x1d0 without reconvergence: 0x1d0 -> 0x1e0
// -> 0x2a0 and 0x1d0 -> 0x260 -> 0x2a0".
void lint_word(const struct sass_code *code, const struct lint *lint,
               const struct lint_finding *finding, struct text *text);

// Whether two such lines, or "", name one kind of cause at a like place: the kind and the
// instruction are the same, whatever its modifiers.
bool lint_is_like(const char *a, const char *b);
