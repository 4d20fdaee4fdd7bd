// SPDX-License-Identifier: Apache-2.0
// Which devices there are, and which of them a user means. engine/drivers.h finds them.
#pragma once

#include "base/error.h"
#include "model/facts.h"

#include <stddef.h>

// One of this machine, or of a stored session, of which nobody knows manifest and index.
struct eng_device {
    unsigned number; // from 1, as `litmus devices` prints it
    char *manifest;  // of its driver
    uint32_t index;  // among the devices of this driver
    struct dev_facts facts;
    char id[DEV_ID_SIZE]; // dev_facts_id
    char *checker;        // of a session: "device", or "host: why"
};

// A driver without a device that can be used.
struct eng_remark {
    char *manifest;
    bool harmless;  // the driver works but has no device here
    char text[512]; // one line
};

struct eng_inventory {
    struct eng_device *devices;
    size_t count;
    struct eng_remark *remarks;
    size_t remark_count;
    // Why the harness could not ask one of the drivers, or found no device for lack of memory; "":
    // it asked all.
    char failed[512];
};

void eng_inventory_clear(struct eng_inventory *inventory);

// Whether a pattern names a device: its number, its UUID in hexadecimal with or without dashes, or
// the first eight digits of that or more (digits alone are a number, if they are fewer than ten),
// its `vendor:product` in hexadecimal, its identity (dev_facts_id), or a glob of its name, in which
// capitals do not matter.
bool eng_device_matches(const struct eng_device *device, const char *pattern);

// False with an error if there is no device at all, or a driver was not asked because the harness
// failed: the devices would have other numbers.
bool eng_inventory_some(const struct eng_inventory *inventory, struct lit_error *error);
// Sets chosen[i] for each device that one of the patterns names; all if there are none. False with
// an error that names the nearest device if a pattern names none.
bool eng_inventory_choose(const struct eng_inventory *inventory, const char *const *patterns,
                          size_t count, bool *chosen, struct lit_error *error);
