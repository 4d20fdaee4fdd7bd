// SPDX-License-Identifier: Apache-2.0
// What memory held before it was overwritten. A load that nothing orders may have been made early:
// before an overwrite that happened in the meantime. It then returns one of these values.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// For all workgroups that one thread of the interpreter has in flight: not thread-safe. What other
// threads overwrite is not noted (their stores are then seen at once).
struct past;

struct past *past_create(void); // NULL: out of host memory
void past_free(struct past *past);
// A dispatch begins: what was overwritten before it can no longer be seen by anybody.
void past_forget(struct past *past);

// For memory/order.c: what it notes, and finds.

// Who sees the same stores: the invocations of a subgroup, of a workgroup, of the device. A store
// arrives at one level after the other, from a source: an invocation in its subgroup, a subgroup in
// its workgroup, a workgroup in memory. Whoever belongs to the source saw it earlier.
enum level { LEVEL_LANE, LEVEL_SUBGROUP, LEVEL_WORKGROUP, LEVEL_DEVICE, LEVEL_COUNT };

// An overwrite as one level saw it. Memory is dealt with in granules of eight bytes, by their host
// address: two buffers that are bound to the same memory are the same locations.
struct overwrite {
    uintptr_t granule; // host address, a multiple of 8; 0: none
    uint64_t old;      // the granule's bytes, those in `bytes` are meant
    uint64_t time;
    uint32_t instance; // which subgroup or workgroup, 0 for the device
    uint32_t source;   // who of it: lane, subgroup or workgroup
    uint8_t bytes;     // set of the granule's bytes
    uint8_t level;
};

// Of the number of a granule in host memory, or of a word. Only its place in a page counts:
// where the host puts pages differs from one run of the program to the next, and the same seed must
// do the same. So whatever a shader can access begins at a place in a page that follows from its
// size.
#define PAST_PAGE 4096
// The first page that begins in `memory`, of PAST_PAGE bytes or more.
static inline unsigned char *past_page(unsigned char *memory)
{
    return memory + (PAST_PAGE - (uintptr_t)memory % PAST_PAGE) % PAST_PAGE;
}
static inline unsigned past_hash(uint64_t number, unsigned bits)
{
    return (unsigned)(number % (PAST_PAGE / 8) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - bits));
}

// For each of some hundred sets of granules the last few overwrites: older ones are forgotten.
#define PAST_SET_BITS  8
#define PAST_FOUND_MAX 8
struct past {
    uint64_t now, begin; // now: the time of the last overwrite
    uint32_t number;
    struct past_set {
        struct overwrite ring[PAST_FOUND_MAX];
        unsigned next;
    } sets[1u << PAST_SET_BITS];
};

// Numbers for workgroups and subgroups that no other in flight has: the first of `count`.
uint32_t past_numbers(struct past *past, uint32_t count);
void past_note(struct past *past, const struct overwrite *overwrite); // sets its time: now + 1
// The overwrites of any of a granule's bytes that were later than a time, the newest first: how
// many are remembered.
static inline unsigned past_find(const struct past *past, uintptr_t granule, uint8_t bytes,
                                 uint64_t after, const struct overwrite *found[PAST_FOUND_MAX])
{
    const struct past_set *set = &past->sets[past_hash(granule / 8, PAST_SET_BITS)];
    unsigned count = 0;
    if (after < past->begin)
        after = past->begin;
    for (unsigned age = 0; age < PAST_FOUND_MAX; age++) {
        const struct overwrite *old = &set->ring[(set->next - 1 - age) % PAST_FOUND_MAX];
        if (old->time <= after)
            break;
        if (old->granule == granule && old->bytes & bytes)
            found[count++] = old;
    }
    return count;
}
