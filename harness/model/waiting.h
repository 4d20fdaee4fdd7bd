// SPDX-License-Identifier: Apache-2.0
// Models of forward progress, and the names of generated programs whose threads wait for each
// other.
#pragma once

#include <stdbool.h>

// Which unfinished threads get a turn again and again. At least one always does.
enum axi_progress {
    AXI_FAIR, // all
    AXI_LOBE, // linear occupancy-bound: every thread numbered up to the highest that has had a turn
    AXI_HSA_OBE, // the union of HSA and OBE
    AXI_HSA,     // the unfinished thread with the lowest number
    AXI_OBE,     // occupancy-bound: every thread that has had a turn
    AXI_NONE,    // none in particular
    AXI_PROGRESSES,
};

// "fair", "lobe", "hsa-obe", "hsa", "obe", "none".
const char *axi_progress_word(enum axi_progress progress);

// Placement of the threads: in one subgroup, in one workgroup, or each in its own workgroup.
enum axi_place { AXI_LANES, AXI_SUBGROUPS, AXI_WORKGROUPS, AXI_PLACES };
// "lanes", "subgroups", "workgroups".
const char *axi_place_word(enum axi_place place);

#define AXI_WAITING "progress-" // prefix of their tests' names
#define AXI_SETS    6           // of models under which such a program must end
// The set's word, "hsa-obe", and its models, a bit each.
struct axi_set {
    const char *word;
    unsigned ends;
};
extern const struct axi_set axi_sets[AXI_SETS];

// Listed among the final states of litmus tests, although they are none.
#define AXI_RAN_OUT  "ran out" // a thread's bounded wait expired
#define AXI_LEFT_OUT "left out by the filter"

// Parses such a name, "progress-lanes-fair-n0-s1": *ends has a bit for each model under which the
// program must end. False for any other.
bool axi_waiting_named(const char *name, enum axi_place *place, unsigned *ends);
