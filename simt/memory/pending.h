// SPDX-License-Identifier: Apache-2.0
// Stores on their way to memory: those that only an invocation, a subgroup or a workgroup sees yet.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PENDING_MAX 16

// A store to bytes of one granule: eight bytes of host memory (memory/past.h).
struct store {
    uintptr_t granule;
    uint64_t value;  // of the granule; only those in `bytes` count
    uint8_t bytes;   // set, never empty
    bool is_shared;  // to the workgroup's shared memory
    bool is_private; // nothing orders it
    bool is_atomic;  // an atomic instruction made it
};

// Oldest first. No two are to the same bytes: the order in which they leave makes no difference to
// a location's own history.
struct pending {
    uint32_t count;
    uint32_t tags[PENDING_MAX]; // low bits of the granules' numbers: a quick look
    struct store stores[PENDING_MAX];
};

static inline uint32_t pending_tag(uintptr_t granule)
{
    return (uint32_t)(granule / 8);
}

// The set of indices of stores that may be to this granule.
static inline uint32_t pending_candidates(const struct pending *pending, uintptr_t granule)
{
    const uint32_t tag = pending_tag(granule);
    uint32_t set = 0;
    if (!pending->count)
        return 0;
    for (uint32_t i = 0; i < PENDING_MAX; i++)
        set |= (uint32_t)(pending->tags[i] == tag) << i;
    return set & ((1u << pending->count) - 1);
}

static inline uint64_t bytes_mask(uint8_t bytes) // 0xff for each byte of the set
{
    const uint64_t spread = bytes * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
    return ((spread + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101)) * 0xff;
}

static inline void bytes_copy(uint64_t *to, uint64_t from, uint8_t bytes)
{
    const uint64_t mask = bytes_mask(bytes);
    *to = (*to & ~mask) | (from & mask);
}

// Lays the stores to these bytes over a value; the set of those bytes that there were.
static inline uint8_t pending_overlay(const struct pending *pending, uintptr_t granule,
                                      uint8_t bytes, uint64_t *value)
{
    uint8_t found = 0;
    for (uint32_t set = pending_candidates(pending, granule); set; set &= set - 1) {
        const struct store *store = &pending->stores[__builtin_ctz(set)];
        if (store->granule == granule && store->bytes & bytes) {
            bytes_copy(value, store->value, store->bytes & bytes);
            found |= store->bytes & bytes;
        }
    }
    return found;
}

// The index of a store to any of these bytes, or PENDING_MAX.
uint32_t pending_find(const struct pending *pending, uintptr_t granule, uint8_t bytes);
struct store pending_take(struct pending *pending, uint32_t index);
// Adds the newest store; older ones to the same bytes become one with it. False: there is no room.
bool pending_put(struct pending *pending, const struct store *store);
