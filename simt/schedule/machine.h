// SPDX-License-Identifier: Apache-2.0
// Runs dispatches: workgroups on threads, and their subgroups and lanes by the model's rules.
#pragma once

#include "program/execution.h"
#include "memory/regions.h"
#include "settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;

// One vkCmdDispatch.
struct dispatch {
    const struct program *program;
    uint32_t base[3], groups[3]; // groups: counts; base: for vkCmdDispatchBase
    const struct region
        *local;           // [2 + program->region_count]: LOCAL_SHARED (unused), LOCAL_PUSH, the
    uint32_t local_count; // bindings; bytes NULL for unwritten descriptors
    bool robust;          // robustBufferAccess is enabled
    const bool *stop;     // set from outside to abort (the device is being destroyed)
    // Random choices depend on the seed and, within a run, on the run and the dispatch's number in
    // it; otherwise on the number of earlier dispatches of the machine.
    bool in_run;
    uint64_t run, run_number;
};

enum dispatch_end {
    DISPATCH_DONE,
    DISPATCH_FAULT,   // the shader has a fault and is not robust: the device is lost
    DISPATCH_STOPPED, // through `stop`
    DISPATCH_MEMORY,  // out of host memory
    DISPATCH_CUT,     // by settings.instructions; done as far as the caller is concerned
};

// Receives one line for the user, without control characters.
typedef void machine_report(void *user, const char *line);

// A machine belongs to one VkDevice. `regions` stays the caller's.
struct machine *machine_create(const struct settings *settings, const struct regions *regions,
                               machine_report *report, void *user);
void machine_free(struct machine *machine);

// Executes a dispatch on the machine's threads until it ends. Called only by the queue's thread. A
// faulty instruction is reported once per dispatch.
enum dispatch_end machine_dispatch(struct machine *machine, const struct dispatch *dispatch);

// Invocation-instructions executed so far: each instruction counts once per invocation.
uint64_t machine_instructions(const struct machine *machine);
