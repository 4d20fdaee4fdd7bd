// SPDX-License-Identifier: Apache-2.0
// The device-side checker: its buffers for one configuration, its commands, and its results.
// Private to harness/device/.
#pragma once

#include "device/slots.h"
#include "device/vulkan.h"

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
