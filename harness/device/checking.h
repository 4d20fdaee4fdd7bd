// SPDX-License-Identifier: Apache-2.0
// The device-side checker at work: the buffers that it needs for one configuration, its commands,
// and what it found. Private to harness/device/.
#pragma once

#include "device/vulkan.h"

// Failures that the device keeps for a batch: DEV_MAX_FAILURES of them are handed on.
#define DEV_RECORDS 1024

struct dev_checking {
    struct cat_shape shape;
    struct cat_mode mode;
    uint32_t batch;
    uint64_t output_words;
    uint32_t words_per_invocation;
    const struct dev_buffer *output, *state; // the owner's
    struct dev_buffer expected, instances, runs, records, readback;
    VkDescriptorPool pool;
    VkDescriptorSet set;
};

// Makes a checker for outputs of this shape. `output` and `state` must outlive it. The structure
// must be zero; clear it with dev_checking_clear after a failure too.
enum dev_status dev_checking_init(struct dev *dev, struct dev_checking *checking,
                                  const struct cat_mode *mode, const struct cat_shape *shape,
                                  const struct dev_buffer *output, const struct dev_buffer *state,
                                  const uint32_t *expected, uint32_t batch,
                                  struct lit_error *error);
void dev_checking_clear(struct dev *dev, struct dev_checking *checking);

// The commands, in this order: begin; for each run: prepare (before the output is written), check
// (after, with a barrier between); end. `check` ends with a barrier.
void dev_checking_begin(struct dev *dev, struct dev_checking *checking);
void dev_checking_prepare(struct dev *dev, struct dev_checking *checking);
void dev_checking_check(struct dev *dev, struct dev_checking *checking, uint32_t slot);
void dev_checking_end(struct dev *dev, struct dev_checking *checking, uint32_t runs);

// Reads what the commands found, once they are done, into batch->run, ->gave_up, ->failures and
// ->unchecked. Believes nothing that does not add up: the batch is then marked as unchecked.
void dev_checking_read(const struct dev_checking *checking, struct dev_batch *batch);
