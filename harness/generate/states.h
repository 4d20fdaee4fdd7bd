// SPDX-License-Identifier: Apache-2.0
// The final states of a litmus test as numbers: what a kernel stores of each instance.
#pragma once

#include "axiomatic/decide.h"

enum { GEN_STATES = 28, GEN_STATE_NAME = 64 };

// An instance's index is the sum of a digit for each observed register or location, times its
// weight: the number of its value among `values`, or their count for any other.
struct gen_states {
    struct {
        uint32_t *values; // rising
        uint32_t count, weight;
    } observed[AXI_OBSERVED];
    uint32_t *table; // of each index: the number of its state; GEN_STATES: another
    uint32_t size;
    // Of each state, and behind them of any other: "P1:r0=1 P1:r1=0", with " *" behind it if the
    // file asks for it.
    char names[GEN_STATES + 1][GEN_STATE_NAME];
    bool forbids;     // the model forbids some, and there is no data race
    uint32_t fails;   // bits: those that are forbidden; where none is, those that are asked for
    bool waits;       // the program has a loop, of which a device makes a bounded wait:
    uint32_t ran_out; // the number of an instance in which one ran out
};

// Zero-initialise. False with an error (LIT_EXIT_UNDECIDED) if they are too many. The verdict is
// decided without the filter, since nothing keeps a device to it: the states that it leaves out are
// one. A program with a loop needs no condition; if it observes nothing the verdict is not looked
// at.
bool gen_states_make(const struct axi_program *program, const struct axi_verdict *verdict,
                     struct gen_states *states, struct lit_error *error);
void gen_states_clear(struct gen_states *states);
