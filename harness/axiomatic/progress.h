// SPDX-License-Identifier: Apache-2.0
// Whether a program must end under a progress model, which says which threads the scheduler must
// not starve (Sorensen and others, "Specifying and Testing GPU Workgroup Progress Models", OOPSLA
// 2021).
#pragma once

#include "axiomatic/program.h"
#include "model/waiting.h"

struct axi_ending {
    char *endless[AXI_PROGRESSES]; // an endless execution in words; NULL: all end
    size_t states;                 // number of reachable states
    bool is_exact;                 // there is a single location, so memory order adds no executions
};

#define AXI_STATES_MOST 1000000 // explored at most

// Explores all states that a program can reach if each instruction takes effect atomically for all
// threads. False with an error (LIT_EXIT_UNDECIDED) if there are too many, or if the program is a
// single execution (.test). Clear the result in any case.
bool axi_end(const struct axi_program *program, struct axi_ending *ending, struct lit_error *error);
void axi_ending_clear(struct axi_ending *ending);

// Generated programs in which two or three threads of two to four instructions wait for each other.

#define AXI_WAITING_NAME 16 // bytes, terminator included

struct axi_waiting {
    char name[AXI_WAITING_NAME]; // the threads: "n0-s1"
    unsigned ends;               // one bit per model under which it must end
};

// Makes the programs that must end under fair and need not under none, excluding those that only
// add instructions to another or change its values; small ones first, at most `most` for each set
// of models. free() the result.
struct axi_waiting *axi_waiting_make(size_t most, size_t *count);
// Appends the test's name, "progress-lanes-fair-n0-s1", and the program as .litmus.
void axi_waiting_write(const struct axi_waiting *of, enum axi_place place, struct text *name,
                       struct text *text);
