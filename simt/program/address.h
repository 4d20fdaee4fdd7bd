// SPDX-License-Identifier: Apache-2.0
// Addresses. A 64-bit address consists of a region number and an offset: every access is checked
// against the region, and a pointer that leaves its buffer cannot reach another.
#pragma once

#include <stdint.h>

#define REGION_SHIFT 40
#define OFFSET_MASK  ((UINT64_C(1) << REGION_SHIFT) - 1) // offset part of an address
#define REGION_COUNT (1u << 22)                          // on the device; region 0 is never valid

// Regions that exist only during a dispatch.
#define LOCAL_SHARED   REGION_COUNT       // the workgroup's Workgroup variables
#define LOCAL_PUSH     (REGION_COUNT + 1) // push constants
#define LOCAL_BINDINGS (REGION_COUNT + 2) // descriptors

static inline uint64_t region_address(uint32_t region, uint64_t offset)
{
    return (uint64_t)region << REGION_SHIFT | offset;
}
