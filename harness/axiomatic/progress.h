// SPDX-License-Identifier: Apache-2.0
// Whether a program must end under a progress model: which threads the scheduler must not leave out
// for ever (Sorensen and others, "Specifying and Testing GPU Workgroup Progress Models", OOPSLA
// 2021).
#pragma once

#include "axiomatic/program.h"

// Which threads that have not ended get a turn again and again. Some thread always does.
enum axi_progress {
    AXI_FAIR, // all
    AXI_LOBE, // linear occupancy-bound: those with a number up to the highest that has had a turn
    AXI_HSA_OBE, // those of HSA and of OBE
    AXI_HSA,     // the one with the lowest number
    AXI_OBE,     // occupancy-bound: those that have had a turn
    AXI_NONE,    // no one in particular
    AXI_PROGRESSES,
};

// "fair", "lobe", "hsa-obe", "hsa", "obe", "none".
const char *axi_progress_word(enum axi_progress progress);

struct axi_ending {
    char *endless[AXI_PROGRESSES]; // an execution that does not end, in words; NULL: all end
    size_t states;                 // that the program can be in
    bool is_exact;                 // there is one location: no order of memory adds executions
};

#define AXI_STATES_MOST 1000000 // that are looked at

// Looks at all states that a program can be in if each instruction takes effect at once and for
// all threads. False with an error (LIT_EXIT_UNDECIDED) if they are too many, or if the program is
// one execution (.test). To be cleared in any case.
bool axi_end(const struct axi_program *program, struct axi_ending *ending, struct lit_error *error);
void axi_ending_clear(struct axi_ending *ending);
