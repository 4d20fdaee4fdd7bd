// SPDX-License-Identifier: Apache-2.0
// How many runs of a configuration lie side by side in the device's memory, so that they are made
// ready, and checked, together. They still run one after another. Pure.
#pragma once

#include "model/check.h"

#include <stdbool.h>

#define DEV_SLOTS 32u // at most

struct dev_slots {
    uint32_t count;         // at least 1
    uint64_t output, state; // words from one slot to the next: whole vectors of four words, unless
                            // there is only one
};

struct dev_slot_limits {
    bool cpu;              // its caches are small, and a barrier costs it little
    uint64_t most_binding; // words that one descriptor can hold
    uint64_t heap;         // words of the device's largest heap
};

// A slot's parts begin where a buffer of its own would: at a multiple of a page, or of 256 bytes if
// they are smaller than a page. There are as many slots as fit into a cache, up to DEV_SLOTS; on
// a GPU, up to four also where they do not, as long as they take little of the memory; and no more
// than `runs`.
struct dev_slots dev_slots_choose(const struct cat_shape *shape,
                                  const struct dev_slot_limits *limits, uint32_t runs);

// How the checker divides its work: each invocation takes so many vectors of four words of so many
// slots one after another, in workgroups of 64 invocations.
struct dev_division {
    uint32_t vectors; // at least 1
    uint32_t slots;   // 1 to the number of slots
};

// For outputs of `words` words each in `slots` slots, at least 1. Few workgroups cost little on
// a CPU, many keep a GPU busy; what is expected is fetched once for all slots of a workgroup.
struct dev_division dev_slots_divide(uint64_t words, uint32_t slots, bool cpu);
