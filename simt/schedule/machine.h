// SPDX-License-Identifier: Apache-2.0
// Runs dispatches: workgroups on threads, and in each the subgroups and lanes by the model's rules.
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
    uint32_t base[3], groups[3]; // groups: counts; base: of vkCmdDispatchBase
    const struct region
        *local;           // [2 + program->region_count]: LOCAL_SHARED (not used), LOCAL_PUSH, the
    uint32_t local_count; // bindings; bytes NULL where no descriptor was written
    bool robust;          // robustBufferAccess was enabled
    const bool *stop;     // set to true from outside: give up (the device is being destroyed)
    // What is drawn depends on the seed and, where it belongs to a run, on the run and the number
    // of the dispatch within it; else on the number of dispatches that the machine executed before.
    bool in_run;
    uint64_t run, run_number;
};

enum dispatch_end {
    DISPATCH_DONE,
    DISPATCH_FAULT,   // the shader did something wrong and is not robust: the device is lost
    DISPATCH_STOPPED, // by `stop`
    DISPATCH_MEMORY,  // out of host memory
    DISPATCH_CUT,     // by settings.instructions; to the caller it is done
};

// Text that a person should see: one line, no control characters.
typedef void machine_report(void *user, const char *line);

// A machine belongs to one VkDevice. `regions` stays the caller's.
struct machine *machine_create(const struct settings *settings, const struct regions *regions,
                               machine_report *report, void *user);
void machine_free(struct machine *machine);

// Executes a dispatch to its end, on the machine's threads. One at a time: the queue's thread calls
// it. Every instruction that did something wrong is reported once for each dispatch.
enum dispatch_end machine_dispatch(struct machine *machine, const struct dispatch *dispatch);

// Invocation-instructions executed so far: one instruction of one invocation counts 1.
uint64_t machine_instructions(const struct machine *machine);
