// SPDX-License-Identifier: Apache-2.0
// The memory behind addresses (program/address.h).
#pragma once

#include "program/address.h"

#include <stdbool.h>
#include <stdint.h>

struct region {
    unsigned char *bytes; // NULL: none
    uint64_t size;        // bytes, at most 1 << REGION_SHIFT
    bool read_only;
    uint16_t extent[3]; // texels of an image along each coordinate; otherwise 0
    uint64_t address;   // for a binding: address of its first byte in its buffer's region; else 0
};

struct regions;

struct regions *regions_create(void);
void regions_free(struct regions *regions);
// Assigns memory an address: returns its region number, 0 if there are too many. Numbers are reused
// only after all others, so that stale addresses are detected. Thread-safe.
uint32_t regions_add(struct regions *regions, struct region region);
void regions_remove(struct regions *regions, uint32_t number);
// The region of that number, or NULL. Safe while other threads add and remove.
const struct region *regions_get(const struct regions *regions, uint32_t number);
