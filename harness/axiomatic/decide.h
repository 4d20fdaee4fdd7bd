// SPDX-License-Identifier: Apache-2.0
// Decides a program by enumerating its candidate executions: all paths through the threads, all
// writes that each read can take its value from, and all scoped modification orders.
#pragma once

#include "axiomatic/figure.h"
#include "axiomatic/program.h"
#include "model/waiting.h"

#define AXI_ROUNDS 200

struct axi_options {
    bool without_chains; // vulkanMemoryModelAvailabilityVisibilityChains is false
    unsigned rounds; // backward jumps by one instruction, up to AXI_ROUNDS; wait-only loops: one
    uint64_t most;   // limit on candidate executions; programs with more are refused
    uint64_t listed; // up to this many, enumerate all; beyond, only those that can be consistent
};

// A final state of some candidate execution.
struct axi_state {
    int64_t *values; // of program->observed
    bool allowed;    // some consistent execution has it
    // If not allowed: an execution with this state, and a shortest cycle that forbids it; else
    // NULL.
    struct axi_figure *figure;
};

#define AXI_STATES 256 // kept at most

struct axi_verdict {
    struct axi_state *states; // sorted by value
    size_t count;
    bool more;                       // there are others
    uint64_t candidates, consistent; // that satisfy the filter; counted as far as they differ
    bool forbids;           // forbidden states are listed as well; false with too many candidates
    bool cut;               // executions of longer loops are left out
    bool races;             // some consistent execution has a data race
    char *race;             // that race, or NULL
    bool found[AXI_CHECKS]; // an execution that the check looks for; for forall a counterexample
};

// False with an error (LIT_EXIT_UNDECIDED) if the program is too large. Clear the verdict in any
// case.
bool axi_decide(const struct axi_program *program, const struct axi_options *options,
                struct axi_verdict *verdict, struct lit_error *error);
void axi_verdict_clear(struct axi_verdict *verdict);
// Whether a check of this verdict's chains holds.
bool axi_holds(const struct axi_program *program, const struct axi_verdict *verdict, size_t check);
