// SPDX-License-Identifier: Apache-2.0
// The memory behind addresses (program/address.h).
#pragma once

#include "program/address.h"

#include <stdbool.h>
#include <stdint.h>

struct region {
    unsigned char *bytes; // NULL: not there
    uint64_t size;        // bytes, at most 1 << REGION_SHIFT
    bool read_only;
    uint64_t address; // of a binding: of its first byte in the region of its buffer; else 0
};

struct regions;

struct regions *regions_create(void);
void regions_free(struct regions *regions);
// Gives memory an address: the number of its region, 0 if there are too many. Numbers are not used
// again before all others have been, so that a stale address is noticed. Thread-safe.
uint32_t regions_add(struct regions *regions, struct region region);
void regions_remove(struct regions *regions, uint32_t number);
// The region of that number, or NULL. May be called while others add and remove.
const struct region *regions_get(const struct regions *regions, uint32_t number);
