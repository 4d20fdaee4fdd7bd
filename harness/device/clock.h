// SPDX-License-Identifier: Apache-2.0
// The device's own clock: timestamps among the commands of a submission. Private to
// harness/device/.
#pragma once

#include "device/vulkan.h"

struct dev_clock {
    double tick;   // nanoseconds; 0: the device has no clock that makes sense
    uint64_t mask; // of the bits of a timestamp that mean something
    uint32_t count, used;
    VkQueryPool queries;
};

// A clock with room for `count` marks. Without timestamps it stays empty, and its marks are none.
enum dev_status dev_clock_create(struct dev *dev, uint32_t count, struct dev_clock *clock,
                                 struct lit_error *error);
void dev_clock_destroy(struct dev *dev, struct dev_clock *clock); // an empty one too

// Recorded at the beginning of a submission; and where time is to be taken: when all that was
// recorded before is done. Returns the number of the mark, from 0.
void dev_clock_begin(struct dev *dev, struct dev_clock *clock);
uint32_t dev_clock_mark(struct dev *dev, struct dev_clock *clock);

// After the submission: the nanoseconds of each mark since the first, as many as there were.
enum dev_status dev_clock_read(struct dev *dev, const struct dev_clock *clock, double *ns,
                               struct lit_error *error);
