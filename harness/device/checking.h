// SPDX-License-Identifier: Apache-2.0
// The device-side checker at work: the buffers that it needs for one configuration, its commands,
// and what it found. Private to harness/device/.
#pragma once

#include "device/slots.h"
#include "device/vulkan.h"

#define DEV_RECORDS 1024 // failures that the device keeps of a run, at most
#define DEV_HALVES  2    // of the buffers for what is found: a batch has one of them

struct dev_checking {
    struct cat_shape shape;
    struct cat_mode mode;
    uint32_t batch;
    uint64_t output_words;
    uint32_t records_each; // failures that it keeps of a run
    struct dev_slots slots;
    struct dev_division division; // of its work; vectors 0: as suits outputs of that size
    bool fills;                   // by a kernel, not by the driver's command
    const struct dev_buffer *output, *state; // the owner's
    struct dev_buffer expected, instances, runs, readback;
    struct dev_sets sets;
};

// Whether this device's driver loads vectors word by word, so that the checker is spared them.
bool dev_checks_words(const struct dev *dev);

// Makes a checker for outputs of this shape. `output` and `state`, of so many slots, must outlive
// it, and there must be no other checker. The structure must be zero; clear it with
// dev_checking_clear after a failure too.
enum dev_status dev_checking_init(struct dev *dev, struct dev_checking *checking,
                                  const struct cat_mode *mode, const struct cat_shape *shape,
                                  const struct dev_slots *slots, const struct dev_buffer *output,
                                  const struct dev_buffer *state, const uint32_t *expected,
                                  uint32_t batch, struct lit_error *error);
void dev_checking_clear(struct dev *dev, struct dev_checking *checking);

// The commands, in this order: begin; for each group of runs, which take the first `slots` slots:
// fill (poison, empty state, no notes; with a barrier behind it), check (after what writes the
// outputs, with a barrier between; it ends with one); end. Slot 0 holds run `first_run` of the
// batch. What is found goes into `half`, while another batch may have the other one.
void dev_checking_begin(struct dev *dev, const struct dev_checking *checking, uint32_t half);
void dev_checking_fill(struct dev *dev, struct dev_checking *checking, uint32_t slots);
void dev_checking_check(struct dev *dev, struct dev_checking *checking, uint32_t half,
                        uint32_t first_run, uint32_t slots);
void dev_checking_end(struct dev *dev, struct dev_checking *checking, uint32_t half, uint32_t runs);

// Before they are submitted: what is there from the batch before would look as if it had been
// found.
void dev_checking_forget(struct dev_checking *checking, uint32_t half);

// Reads what the commands found, once they are done, into batch->run, ->expired, ->failures and
// ->unchecked. Believes nothing that does not add up: the batch is then marked as unchecked.
void dev_checking_read(struct dev *dev, struct dev_checking *checking, uint32_t half,
                       struct dev_batch *batch);
