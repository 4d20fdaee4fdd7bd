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

// Generated programs of two or three threads and two to four instructions, that wait for each
// other.

// Where its threads are: in one subgroup, one workgroup, or each in a workgroup of its own.
enum axi_place { AXI_LANES, AXI_SUBGROUPS, AXI_WORKGROUPS, AXI_PLACES };
// "lanes", "subgroups", "workgroups".
const char *axi_place_word(enum axi_place place);

#define AXI_WAITING      "progress-" // how names of their tests begin
#define AXI_WAITING_NAME 16          // bytes, terminator included

struct axi_waiting {
    char name[AXI_WAITING_NAME]; // its threads: "n0-s1"
    unsigned ends;               // a bit for each model under which it must end
};

// Those that must end under fair and need not under none, without those that are another one with
// more instructions or other values; small ones first, and `most` at most of those that must end
// under the same models. free() it.
struct axi_waiting *axi_waiting_make(size_t most, size_t *count);
// Appends the test's name, "progress-lanes-fair-n0-s1", and the program as .litmus.
void axi_waiting_write(const struct axi_waiting *of, enum axi_place place, struct text *name,
                       struct text *text);
// Reads such a name. False if it is none.
bool axi_waiting_named(const char *name, enum axi_place *place, unsigned *ends);
