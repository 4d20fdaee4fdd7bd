// SPDX-License-Identifier: Apache-2.0
// The paths through one thread: what it executes for each combination of values read.
#pragma once

#include "axiomatic/execution.h"

struct axi_step {
    const struct axi_instruction *of;
    bool fixed; // it reads `read`
    uint32_t round;
    int64_t read, written;
};

// A register's content: `value`, or the value read by step `from`.
struct axi_held {
    int64_t value;
    int from; // -1: none
};

struct axi_trace {
    unsigned count;
    struct axi_step steps[AXI_EVENTS];
    struct axi_held registers[AXI_REGISTERS];
};

struct axi_traces {
    struct axi_trace *items;
    size_t count;
};

// Unfolds all threads; only reads with a dependent are fixed. *cut: a loop could have exceeded
// `rounds` backward jumps and was cut off. False with an error if the traces are too many or too
// long. Clear them in any case.
bool axi_unfold(const struct axi_program *program, unsigned rounds,
                struct axi_traces traces[AXI_THREADS], bool *cut, struct lit_error *error);
void axi_traces_clear(struct axi_traces traces[AXI_THREADS]);
