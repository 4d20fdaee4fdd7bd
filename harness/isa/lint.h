// SPDX-License-Identifier: Apache-2.0
// The convergence lint: cross-lane reads (SHFL, VOTE, VOTEU, MATCH, REDUX) that lanes of a warp can
// reach divergent, because nothing reconverges them after a branch that they left by different
// sides. docs/lint.md says what it finds, what it cannot, and why. Pure; bounded in time by the
// size of the code alone.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "isa/sass.h"

enum lint_kind {
    LINT_MISGUARDED, // of R2UR and atomics too: its guard is Pn where UPn, the uniform predicate of
                     // the same number, is what the lanes' masks were compared for
    LINT_RISK,       // lanes from both sides of a branch reach it, and nothing between reconverges
                     // them
    LINT_LEAVING,    // the same, but in different iterations only: lanes that left a loop by the
                     // branch early and late, before the place where they reconverge
    LINT_TWICE,   // each side of a branch has a read of the same sort, or a call to the same, that
                  // its lanes cannot avoid: one read in two places, or two reads
    LINT_INSIDE,  // lanes from one side of a branch reach it: a part of the warp
    LINT_GUARDED, // its own guard may differ between the lanes
    LINT_EXITED,  // lanes have ended (EXIT) before it
    LINT_QUERY,   // any of these, but all it does is to choose whether lanes wait for each other:
                  // what it gives goes into a BRA.CONV or BRA.DIV
    LINT_KINDS
};

// "at risk", "twice", ...
const char *lint_kind_name(enum lint_kind kind);
// Divergent cross-lane reads, and wrong guard predicates: MISGUARDED, RISK, LEAVING, TWICE. The
// others say that a part of the lanes reads, which can be what the program asks for.
bool lint_is_risk(enum lint_kind kind);

#define LINT_WAY 32 // addresses of a way that are kept

struct lint_way {
    uint32_t *addresses; // of the branch, the blocks on the shortest way, the read
    size_t count;        // LINT_WAY at most
    size_t skipped;      // addresses left out in the middle of a longer way, behind LINT_WAY / 2
};

struct lint_finding {
    enum lint_kind kind;
    size_t read;   // index of the instruction
    size_t other;  // of LINT_TWICE: the other side's, which is the same if each side calls it; else
                   // the same
    size_t branch; // where lanes diverge, or EXIT; of LINT_GUARDED: the read; of LINT_MISGUARDED:
                   // the comparison of masks
    size_t more;   // further branches of which the same is true (not of RISK, LEAVING, TWICE)
    bool waits;    // lanes have waited for a mask (WARPSYNC, BRA.CONV) after the branch
    struct lint_way ways[2]; // of the side that falls through, or the only one; of the other
};

struct lint {
    struct lint_finding *findings; // by kind, address of the read, address of the branch
    size_t count;
    size_t reads;     // cross-lane ones that can be reached
    size_t branches;  // conditional branches that can be reached
    size_t divergent; // of these: those at which lanes can diverge
    size_t unknown;   // instructions that can be reached and were not understood
    bool operands;    // false: lanes were taken to diverge at every conditional branch
};

struct lint_options {
    bool rows; // SR_TID.X divided by 32 is the same for all lanes of a warp: so for workgroups of
               // one row, of rows of a multiple of 32 invocations, and of rows of 32 at most
};

// False if the code cannot be analysed, with the reason. Either way lint_clear is due.
bool lint_run(const struct sass_code *code, const struct lint_options *options, struct lint *lint,
              struct lit_error *error);
void lint_clear(struct lint *lint);

// Appends a finding as one line without newline, its kind first: "at risk: SHFL.IDX at 0x2a0 can be
// reached from both sides of the branch at 0x1d0 without reconvergence: 0x1d0 -> 0x1e0 -> 0x2a0 and
// 0x1d0 -> 0x260 -> 0x2a0".
void lint_word(const struct sass_code *code, const struct lint *lint,
               const struct lint_finding *finding, struct text *text);
