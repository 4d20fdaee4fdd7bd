// SPDX-License-Identifier: Apache-2.0
// Decides a program: enumerates its candidate executions, that is, all ways through the threads,
// all writes that each read could take its value from, and all scoped modification orders.
#pragma once

#include "axiomatic/figure.h"
#include "axiomatic/program.h"

#define AXI_ROUNDS 200

// What is no final state, but stands among those of runs.
#define AXI_RAN_OUT  "ran out" // a thread's bounded wait
#define AXI_LEFT_OUT "left out by the filter"

struct axi_options {
    bool without_chains; // vulkanMemoryModelAvailabilityVisibilityChains is false
    unsigned rounds;     // jumps back by one jump, up to AXI_ROUNDS; loops that only wait have one
    uint64_t most;       // candidate executions; more are refused
    uint64_t listed;     // of as many all are looked at, of more those that can be consistent
};

// A final state that some candidate execution has.
struct axi_state {
    int64_t *values; // of program->observed
    bool allowed;    // some consistent execution has it
    // If not: an execution that has it, with a shortest cycle that forbids it; else NULL.
    struct axi_figure *figure;
};

#define AXI_STATES 256 // that are kept

struct axi_verdict {
    struct axi_state *states; // sorted by their values
    size_t count;
    bool more;                       // there are others
    uint64_t candidates, consistent; // of these and of the filter; candidates as far as they differ
    bool forbids;                    // whether forbidden states are listed, too: else too many
    bool cut;                        // executions of longer loops are left out
    bool races;                      // some consistent execution has a data race:
    char *race;                      // which; else NULL
    bool found[AXI_CHECKS];          // an execution that the check asks for; of forall one against
};

// False with an error (LIT_EXIT_UNDECIDED) if the program is too large. To be cleared in any case.
bool axi_decide(const struct axi_program *program, const struct axi_options *options,
                struct axi_verdict *verdict, struct lit_error *error);
void axi_verdict_clear(struct axi_verdict *verdict);
// Whether a check of this verdict's chains holds.
bool axi_holds(const struct axi_program *program, const struct axi_verdict *verdict, size_t check);
