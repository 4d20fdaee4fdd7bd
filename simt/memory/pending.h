// SPDX-License-Identifier: Apache-2.0
// Pending stores: those so far visible only to an invocation, a subgroup or a workgroup.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PENDING_MAX 16

// What memory semantics tell apart. Shared memory is the workgroup's.
enum memory_class { CLASS_BUFFER, CLASS_SHARED, CLASS_IMAGE, CLASS_COUNT };

// A store to bytes of one granule: eight bytes of host memory (memory/past.h).
struct store {
    uintptr_t granule;
    uint64_t value;  // of the granule; valid for `bytes`
    uint8_t bytes;   // non-empty set
    uint8_t class;   // enum memory_class
    bool is_private; // unordered
    bool is_atomic;  // an atomic instruction made it
};

// Oldest first. No two are to the same bytes, so the order in which they leave does not change a
// location's history.
struct pending {
    uint32_t count;
    // For fast lookup: low bits of the granules' numbers, and the stores' bytes.
    uint8_t tags[PENDING_MAX], bytes[PENDING_MAX];
    struct store stores[PENDING_MAX];
};

static inline uint8_t pending_tag(uintptr_t granule)
{
    return (uint8_t)(granule / 8);
}

// The indices of stores to any of these bytes that may be to this granule.
static inline uint32_t pending_candidates(const struct pending *pending, uintptr_t granule,
                                          uint8_t bytes)
{
    typedef uint8_t tags __attribute__((vector_size(PENDING_MAX)));
    if (!pending->count)
        return 0;
    tags all, sets;
    memcpy(&all, pending->tags, sizeof all);
    memcpy(&sets, pending->bytes, sizeof sets);
    const tags same =
        (tags)(all == pending_tag(granule)) & (tags)((sets & bytes) != 0); // 0xff or 0
#ifdef __SSE2__
    typedef char signs __attribute__((vector_size(PENDING_MAX)));
    const uint32_t set = (uint32_t)__builtin_ia32_pmovmskb128((signs)same);
#else
    uint64_t words[2];
    memcpy(words, &same, sizeof words);
    uint32_t set = 0; // one bit per byte: a word's bits meet in its highest byte
    for (unsigned i = 0; i < 2; i++)
        set |=
            (uint32_t)((words[i] & UINT64_C(0x8040201008040201)) * UINT64_C(0x0101010101010101) >>
                       56)
            << 8 * i;
#endif
    return set & ((1u << pending->count) - 1);
}

static inline uint64_t bytes_mask(uint8_t bytes) // 0xff for each byte of the set
{
    static const uint32_t halves[] = {
        0,          0xff,       0xff00,     0xffff,     0xff0000,   0xff00ff,
        0xffff00,   0xffffff,   0xff000000, 0xff0000ff, 0xff00ff00, 0xff00ffff,
        0xffff0000, 0xffff00ff, 0xffffff00, 0xffffffff,
    };
    return (uint64_t)halves[bytes >> 4] << 32 | halves[bytes & 0xf];
}

static inline void bytes_copy(uint64_t *to, uint64_t from, uint8_t bytes)
{
    const uint64_t mask = bytes_mask(bytes);
    *to = (*to & ~mask) | (from & mask);
}

// The newest store if it is to these bytes, else NULL.
static inline struct store *pending_last(struct pending *pending, uintptr_t granule, uint8_t bytes)
{
    struct store *last = &pending->stores[(pending->count - 1) % PENDING_MAX];
    return pending->count && last->granule == granule && !(bytes & ~last->bytes) ? last : NULL;
}

// Overlays a value with the stores to these bytes; returns the set of bytes found.
static inline uint8_t pending_overlay(const struct pending *pending, uintptr_t granule,
                                      uint8_t bytes, uint64_t *value)
{
    uint8_t found = 0;
    for (uint32_t set = pending_candidates(pending, granule, bytes); set; set &= set - 1) {
        const struct store *store = &pending->stores[__builtin_ctz(set)];
        if (store->granule == granule) {
            bytes_copy(value, store->value, store->bytes & bytes);
            found |= store->bytes & bytes;
        }
    }
    return found;
}

// The index of a store to any of these bytes; PENDING_MAX: none.
uint32_t pending_find(const struct pending *pending, uintptr_t granule, uint8_t bytes);
struct store pending_take(struct pending *pending, uint32_t index);
// Adds the newest store, and merges older ones to the same bytes into it. False: no room.
bool pending_put_behind(struct pending *pending, const struct store *store);
static inline bool pending_put(struct pending *pending, const struct store *store)
{
    struct store *last = pending_last(pending, store->granule, store->bytes);
    if (!last || last->bytes != store->bytes)
        return pending_put_behind(pending, store);
    // Most often the newest store is to exactly these bytes, and stays the newest.
    last->value = store->value;
    last->is_private &= store->is_private;
    last->is_atomic |= store->is_atomic;
    return true;
}
