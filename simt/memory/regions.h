// SPDX-License-Identifier: Apache-2.0
// Addresses. A 64-bit address is the number of a region and an offset in it: every access is
// checked against the region, and a pointer that has left its buffer cannot reach another one.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define REGION_SHIFT 40
#define REGION_COUNT (1u << 22) // of the device; region 0 is never valid

// Regions that only exist within one dispatch.
#define LOCAL_SHARED   REGION_COUNT       // the workgroup's Workgroup variables
#define LOCAL_PUSH     (REGION_COUNT + 1) // push constants
#define LOCAL_BINDINGS (REGION_COUNT + 2) // descriptors

struct region {
    unsigned char *bytes; // NULL: not there
    uint64_t size;        // bytes, at most 1 << REGION_SHIFT
    bool read_only;
};

struct regions;

static inline uint64_t region_address(uint32_t region, uint64_t offset)
{
    return (uint64_t)region << REGION_SHIFT | offset;
}

struct regions *regions_create(void);
void regions_free(struct regions *regions);
// Gives memory an address: the number of its region, 0 if there are too many. Numbers are not used
// again before all others have been, so that a stale address is noticed. Thread-safe.
uint32_t regions_add(struct regions *regions, struct region region);
void regions_remove(struct regions *regions, uint32_t number);
// The region of that number, or NULL. May be called while others add and remove.
const struct region *regions_get(const struct regions *regions, uint32_t number);
