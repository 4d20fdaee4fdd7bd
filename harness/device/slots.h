// SPDX-License-Identifier: Apache-2.0
// How many runs of a configuration are side by side in device memory, to be prepared and checked
// together. They still execute one after another. Pure.
#pragma once

#include "model/check.h"

#include <stdbool.h>

#define DEV_SLOTS 32u // at most

struct dev_slots {
    uint32_t count;         // at least 1
    uint64_t output, state; // stride in words: a multiple of 4, unless there is only one
};

struct dev_slot_limits {
    bool cpu;              // small caches, cheap barriers
    uint64_t most_binding; // words per descriptor
    uint64_t heap;         // words in the device's largest heap
};

// A slot's parts begin where separate buffers would: at a multiple of a page, or of 256 bytes if
// smaller than a page. As many slots as fit into a cache, up to DEV_SLOTS; on a GPU up to four even
// beyond the cache, if they take little of the memory; at most `runs`.
struct dev_slots dev_slots_choose(const struct cat_shape *shape,
                                  const struct dev_slot_limits *limits, uint32_t runs);

// The checker's division of work: each invocation checks so many vectors of four words in so many
// slots, in workgroups of 64 invocations.
struct dev_division {
    uint32_t vectors; // at least 1
    uint32_t slots;   // 1 to the number of slots
};

// For outputs of `words` words in `slots` >= 1 slots. A CPU needs few workgroups, a GPU many to
// stay busy; a workgroup fetches the expectation once for all its slots.
struct dev_division dev_slots_divide(uint64_t words, uint32_t slots, bool cpu);
