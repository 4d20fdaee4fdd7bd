// SPDX-License-Identifier: Apache-2.0
// A device on which generated programs run: its worker, what one program did there, and whether it
// can go on.
#pragma once

#include "engine/inventory.h"
#include "engine/watch.h"
#include "generate/program.h"

struct fuzz_target {
    const struct eng_watch *watch;
    const struct eng_device *device;
    struct eng_worker *worker; // with the device open; NULL: none
    uint32_t sizes[8];         // of subgroups, the device's usual one first
    size_t size_count;
    unsigned losses, hangs; // in a row
    bool unfit;             // it cannot be opened at all
};

enum fuzz_end {
    FUZZ_RAN,   // the outcome is filled
    FUZZ_STOPS, // the device is of no use any more: outcome.reason says why
    FUZZ_TIME,  // the time is used up
    FUZZ_SIGNAL,
};

// What is run: a program in one configuration.
struct fuzz_trial {
    const struct gen_program *program;
    const char *name; // of the test: input and expectation depend on it, and on the seed
    enum masks_rule rule;
    uint32_t subgroup;
    uint64_t seed, runs;
};

struct fuzz_outcome {
    enum eng_result result;
    struct eng_count count;
    char reason[512];
};

// Starts nothing yet. `watch` and `device` must outlive the target.
void fuzz_target_init(struct fuzz_target *target, const struct eng_watch *watch,
                      const struct eng_device *device);
void fuzz_target_end(struct fuzz_target *target);

// Runs a program. A crash, a hang, a lost device are results; the next program has a new worker.
enum fuzz_end fuzz_try(struct fuzz_target *target, const struct fuzz_trial *trial,
                       struct fuzz_outcome *outcome);

// Whether the program failed: a mask that is not allowed, or the end of worker or device.
bool fuzz_failed(const struct fuzz_outcome *outcome);
// The workgroup size that goes with subgroups of this size: at least two subgroups.
uint32_t fuzz_workgroup(uint32_t subgroup);
