// SPDX-License-Identifier: Apache-2.0
// The available devices, and which of them a user means. engine/drivers.h finds them.
#pragma once

#include "base/error.h"
#include "model/facts.h"

#include <stddef.h>

// A device of this machine, or of a stored session, without manifest and index.
struct eng_device {
    unsigned number; // from 1, as `litmus devices` prints it
    char *manifest;  // its driver's
    uint32_t index;  // among this driver's devices
    struct dev_facts facts;
    char id[DEV_ID_SIZE]; // dev_facts_id
    char *checker;        // from a session: "device", or "host: why"
};

// A driver without a usable device.
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
    // Why the harness could not ask one of the drivers, or found no device because memory was low;
    // "": it asked all.
    char failed[512];
};

void eng_inventory_clear(struct eng_inventory *inventory);

// Whether a pattern names a device: its number, its UUID in hexadecimal with or without dashes or
// at least the first eight digits of it (fewer than ten decimal digits are a number), its
// `vendor:product` in hexadecimal, its identity (dev_facts_id), or a case-insensitive glob of its
// name.
bool eng_device_matches(const struct eng_device *device, const char *pattern);

// False with an error if there is no device, or if the harness failed to ask a driver: device
// numbers would change.
bool eng_inventory_some(const struct eng_inventory *inventory, struct lit_error *error);
// Sets chosen[i] for each device that a pattern names, or for all without patterns. False with an
// error that suggests the nearest device if a pattern names none.
bool eng_inventory_choose(const struct eng_inventory *inventory, const char *const *patterns,
                          size_t count, bool *chosen, struct lit_error *error);
