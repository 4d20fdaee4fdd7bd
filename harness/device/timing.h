// SPDX-License-Identifier: Apache-2.0
// Dispatches that are timed: kernels that share one input and one output, run one at a time.
#pragma once

#include "device/device.h"

struct dev_timer;

// Copies `words` words of input to the device, and makes an output of as many. `seed` goes into the
// push constants. NULL with an error; *status says which kind.
struct dev_timer *dev_timer_create(struct dev *dev, const uint32_t *input, uint64_t words,
                                   uint32_t seed, enum dev_status *status, struct lit_error *error);
void dev_timer_destroy(struct dev_timer **timer); // NULL is fine; after its kernels

// Nanoseconds of one tick of the device's timestamps; 0 if it has none, so that the host's clock
// says when a submission began and ended.
double dev_timer_tick(const struct dev_timer *timer);

struct dev_kernel {
    const uint32_t *words; // the module
    size_t word_count;
    uint32_t subgroup; // required subgroup size where the device can control it
    uint32_t spec_ids[3], spec_values[3];
};

struct dev_timed;

// Compiles a kernel without any cache. NULL with an error.
struct dev_timed *dev_timed_create(struct dev_timer *timer, const struct dev_kernel *kernel,
                                   enum dev_status *status, struct lit_error *error);
void dev_timed_destroy(struct dev_timer *timer, struct dev_timed **timed);

// Fills the first `words` words of the output with poison, dispatches `workgroups` workgroups, and
// reads these words back: *output, which the next run overwrites. *ns is what the dispatch alone
// took, in nanoseconds. Waits at most `timeout_ms`.
enum dev_status dev_timed_run(struct dev_timer *timer, const struct dev_timed *timed,
                              uint32_t workgroups, uint64_t words, uint32_t timeout_ms, double *ns,
                              const uint32_t **output, struct lit_error *error);
