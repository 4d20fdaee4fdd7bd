// SPDX-License-Identifier: Apache-2.0
// The ways through one thread: what it executes for each value that its reads may give it.
#pragma once

#include "axiomatic/execution.h"

struct axi_step {
    const struct axi_instruction *of;
    bool fixed; // it reads `read`
    uint32_t round;
    int64_t read, written;
};

// What a register holds: `value`, or what the step `from` reads.
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

// The traces of all threads, in which only reads whose value something depends on are fixed.
// *cut: a loop could go on for more than `rounds` jumps back, and was left out there. False with an
// error if they are too many or too long. To be cleared in any case.
bool axi_unfold(const struct axi_program *program, unsigned rounds,
                struct axi_traces traces[AXI_THREADS], bool *cut, struct lit_error *error);
void axi_traces_clear(struct axi_traces traces[AXI_THREADS]);
