// SPDX-License-Identifier: Apache-2.0
// Where a dispatch went wrong: the earliest step at which an invocation got something else than
// what is prescribed. What is prescribed is what two dispatches under lockstep agree on, which
// differ in their seeds alone; where these two differ (the value of a shuffle from a lane that is
// not there, the order of atomics) nothing is prescribed. Pure.
#pragma once

#include "explain/trace.h"

enum exp_cause {
    EXP_CAUSE_NONE,     // nothing prescribed was broken
    EXP_CAUSE_EXCHANGE, // a value of another lane, at a time when it was not the prescribed one
    EXP_CAUSE_TANGLE,   // a group operation with other lanes than prescribed, or other operands
    EXP_CAUSE_LOAD,     // memory did not hold, or did not show, what is prescribed
    EXP_CAUSE_STORE,    // a wrong value was stored although nothing before was wrong
    EXP_CAUSE_BRANCH,   // another way was taken
    EXP_CAUSE_RESULT,   // an instruction that looks at nothing but its operands
    EXP_CAUSE_STUCK,    // the dispatch did not come to its end; `step` is the last one, if any
};

#define EXP_NO_STEP SIZE_MAX

struct exp_breakage {
    enum exp_cause cause;
    size_t step;  // of the failing trace: the instruction that went wrong
    bool has_got; // the two values can be compared
    uint64_t got, want;
    struct exp_lanes want_tangle; // TANGLE: who was to execute it together
    // How often the invocation had executed that instruction, this time included, and how often it
    // is to execute it in all: 1 of 1 is no iteration.
    uint32_t iteration, iterations;

    // EXCHANGE: the lane that was read, and the instruction that makes the value that it gave
    // (EXP_NO_STEP: it never executed it before).
    uint32_t source; // invocation
    char name[64];   // of the value: "%total"
    size_t made;     // step at which the source had made what it gave
    size_t due;      // step at which it makes what is prescribed, in the failing trace
    // Which making of the value: of the reader's own at that time, and of the source's that it got
    // (0: the source had not made it at all).
    uint32_t reader_iteration, source_iteration;

    // LOAD: the last store to this address before, and the store of what is prescribed.
    size_t stored, right_store;
};

// Finds it. The three traces are of the same dispatch; a reference may be NULL, then nothing is
// prescribed.
void exp_breakage_find(const struct exp_trace *failing, const struct exp_trace *reference,
                       const struct exp_trace *second, struct exp_breakage *breakage);

// Whether an instruction's text is of an opcode that begins with `name` ("OpAtomic").
bool exp_code_is(const struct exp_code *code, const char *name);
// Copies the nth word of the operation: 0 is the opcode, 1 what follows. "" if there is none.
void exp_code_word(const struct exp_code *code, unsigned nth, char *word, size_t size);
