// SPDX-License-Identifier: Apache-2.0
// NVIDIA's pipeline caches and pipeline binaries, as the driver 580.159.04 writes them
// (docs/isa.md). Not documented by NVIDIA: whatever is not as it was seen is an error, never a
// guess. Pure.
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define NVIDIA_VENDOR 0x10de

// Machine code of one pipeline.
struct nvidia_code {
    char *bytes; // allocated, free() it
    size_t size;
};

// `blob` is what vkGetPipelineCacheData gave for a cache with one compute pipeline, or what
// vkGetPipelineBinaryDataKHR gave. False with an error that says what is not as expected.
bool nvidia_read(const void *blob, size_t size, struct nvidia_code *code, struct lit_error *error);

// The architecture of a chip by its PCI product number: 90 for sm_90; 0 if it is not in the table.
uint32_t nvidia_architecture(uint32_t product);

// How many warps a multiprocessor can hold at once, and how many of them if each invocation takes
// so many registers (CUDA C++ Programming Guide, Compute Capabilities: 65,536 registers; in four
// partitions, given out to a warp 256 at a time). Workgroup size and shared memory can allow fewer.
// 0: not known.
uint32_t nvidia_warps(uint32_t architecture);
uint32_t nvidia_warps_with(uint32_t architecture, uint32_t registers);
