// SPDX-License-Identifier: Apache-2.0
// The device-side checker: its buffers for one configuration, its commands, and its results.
// Private to harness/device/.
#pragma once

#include "device/vulkan.h"

// --- How many runs of a configuration are side by side in device memory, to be prepared and
// checked together. They still execute one after another. Pure.

#define DEV_SLOTS 32u // at most

struct dev_slots {
    uint32_t count;         // at least 1
    uint64_t output, state; // stride in words: a multiple of 4, unless there is only one
};

struct dev_slot_limits {
    bool cpu;              // small caches, cheap barriers
    uint64_t most_binding; // words per descriptor
    uint64_t heap;         // words in the device's largest heap
};

// A slot's parts begin where separate buffers would: at a multiple of a page, or of 256 bytes if
// smaller than a page. As many slots as fit into a cache, up to DEV_SLOTS; on a GPU up to four even
// beyond the cache, if they take little of the memory; at most `runs`.
struct dev_slots dev_slots_choose(const struct cat_shape *shape,
                                  const struct dev_slot_limits *limits, uint32_t runs);

// The checker's division of work: each invocation checks so many vectors of four words in so many
// slots, in workgroups of 64 invocations.
struct dev_division {
    uint32_t vectors; // at least 1
    uint32_t slots;   // 1 to the number of slots
};

// For outputs of `words` words in `slots` >= 1 slots. A CPU needs few workgroups, a GPU many to
// stay busy; a workgroup fetches the expectation once for all its slots.
struct dev_division dev_slots_divide(uint64_t words, uint32_t slots, bool cpu);

// --- The checker

#define DEV_RECORDS 1024 // limit on failures kept per run
#define DEV_HALVES  2    // of the result buffers: one per batch in flight

struct dev_checking {
    struct cat_shape shape;
    struct cat_mode mode;
    uint32_t batch;
    uint64_t output_words;
    uint32_t records_each; // failures kept per run
    struct dev_slots slots;
    struct dev_division division; // work per invocation; vectors 0: to suit the output's size
    bool fills;                   // by a kernel instead of the driver's command
    const struct dev_buffer *output, *state; // the owner's
    struct dev_buffer expected, instances, runs, readback;
    struct dev_sets sets;
};

// Whether this device's driver loads vectors word by word, so that the checker should not use them.
bool dev_checks_words(const struct dev *dev);

// Makes a checker for outputs of this shape. `output` and `state`, with so many slots, must outlive
// it, and no other checker may exist. *checking must be zero; call dev_checking_clear in any case.
enum dev_status dev_checking_init(struct dev *dev, struct dev_checking *checking,
                                  const struct cat_mode *mode, const struct cat_shape *shape,
                                  const struct dev_slots *slots, const struct dev_buffer *output,
                                  const struct dev_buffer *state, const uint32_t *expected,
                                  uint32_t batch, struct lit_error *error);
void dev_checking_clear(struct dev *dev, struct dev_checking *checking);

// The commands, in this order: begin; for each group of runs, which use the first `slots` slots:
// fill (poison, empty state, no results; includes a barrier), check (after a barrier that follows
// the writes of the outputs; ends with one); end. Slot 0 holds run `first_run` of the batch.
// Results go into `half`, while another batch may use the other.
void dev_checking_begin(struct dev *dev, const struct dev_checking *checking, uint32_t half);
void dev_checking_fill(struct dev *dev, struct dev_checking *checking, uint32_t slots);
void dev_checking_check(struct dev *dev, struct dev_checking *checking, uint32_t half,
                        uint32_t first_run, uint32_t slots);
void dev_checking_end(struct dev *dev, struct dev_checking *checking, uint32_t half, uint32_t runs);

// Call before submission, so that results of an earlier batch are not mistaken for new ones.
void dev_checking_forget(struct dev_checking *checking, uint32_t half);

// After completion, reads the results into batch->run, ->expired, ->failures and ->unchecked. If
// they are inconsistent, marks the batch as unchecked.
void dev_checking_read(struct dev *dev, struct dev_checking *checking, uint32_t half,
                       struct dev_batch *batch);
