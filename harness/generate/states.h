// SPDX-License-Identifier: Apache-2.0
// Numbers the final states of a litmus test, for the kernel to store per instance.
#pragma once

#include "axiomatic/decide.h"

enum { GEN_STATES = 28, GEN_STATE_NAME = 64 };

// An instance's index is the sum over all observed registers and locations of digit times weight. A
// digit is the index of the value in `values`, or their count for any other value.
struct gen_states {
    struct {
        uint32_t *values; // ascending
        uint32_t count, weight;
    } observed[AXI_OBSERVED];
    uint32_t *table; // by index: the state's number; GEN_STATES: none of them
    uint32_t size;
    // The state's name, "P1:r0=1 P1:r1=0", with " *" if the file asks for it; last, the name for
    // all other states.
    char names[GEN_STATES + 1][GEN_STATE_NAME];
    bool forbids;     // the model forbids some states, and there is no data race
    uint32_t fails;   // a bit per state: those forbidden, or if none is, those asked for
    bool waits;       // the program has loops, which are bounded waits on a device:
    uint32_t ran_out; // the number for an instance in which one ran out
};

// Zero-initialise. False with an error (LIT_EXIT_UNDECIDED) if there are too many states. The
// verdict must be decided without the filter, which devices do not obey: all states that it
// excludes count as one. A program with a loop needs no condition; if it observes nothing, the
// verdict is ignored.
bool gen_states_make(const struct axi_program *program, const struct axi_verdict *verdict,
                     struct gen_states *states, struct lit_error *error);
void gen_states_clear(struct gen_states *states);
