// SPDX-License-Identifier: Apache-2.0
// A device on which generated programs run: its worker, what one program did there, and whether it
// can go on.
#pragma once

#include "engine/client.h"
#include "generate/program.h"

struct fuzz_target {
    struct eng_client client;
    uint32_t sizes[8]; // of subgroups, the device's usual one first
    size_t size_count;
};

// What is run: a program in one configuration.
struct fuzz_trial {
    const struct gen_program *program;
    const char *name; // of the test: input and expectation depend on it, and on the seed
    enum masks_rule rule;
    uint32_t subgroup;
    uint64_t seed, runs;
};

// Starts nothing yet. `watch` and `device` must outlive the target.
void fuzz_target_init(struct fuzz_target *target, const struct eng_watch *watch,
                      const struct eng_device *device);
void fuzz_target_end(struct fuzz_target *target);

// Runs a program. A crash, a hang, a lost device are results; the next program has a new worker.
enum eng_end fuzz_try(struct fuzz_target *target, const struct fuzz_trial *trial,
                      struct eng_outcome *outcome);

// Whether the program failed: a mask that is not allowed, or the end of worker or device.
bool fuzz_failed(const struct eng_outcome *outcome);
// The workgroup size that goes with subgroups of this size: at least two subgroups.
uint32_t fuzz_workgroup(uint32_t subgroup);
