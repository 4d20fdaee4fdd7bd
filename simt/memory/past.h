// SPDX-License-Identifier: Apache-2.0
// Old values of memory. An unordered load may have been executed early, before a later overwrite:
// it then returns one of these values.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Shared by all workgroups that one interpreter thread has in flight: not thread-safe. Overwrites
// by other threads are not recorded (their stores are seen at once).
struct past;

struct past *past_create(void); // NULL: out of host memory
void past_free(struct past *past);
// Call when a dispatch begins: nothing can see overwritten values from before.
void past_forget(struct past *past);

// For memory/order.c: recording and lookup.

// Who sees the same stores: the invocations of a subgroup, of a workgroup, of the device. A store
// arrives at one level after the other from a source: from an invocation in its subgroup, from a
// subgroup in its workgroup, from a workgroup in memory. Members of the source saw it earlier.
enum level { LEVEL_LANE, LEVEL_SUBGROUP, LEVEL_WORKGROUP, LEVEL_DEVICE, LEVEL_COUNT };

// An overwrite as seen by one level. Memory is handled in granules of eight bytes by host address:
// two buffers bound to the same memory share locations.
struct overwrite {
    uintptr_t granule; // host address, a multiple of 8; 0: none
    uint64_t old;      // the granule's old content; valid for `bytes`
    uint64_t time;
    uint32_t instance; // subgroup or workgroup; 0 for the device
    uint32_t source;   // lane, subgroup or workgroup within it
    uint8_t bytes;     // set of the granule's bytes
    uint8_t level;
};

// Hashes a granule or word by its position within a page only: the host's placement of pages
// differs between runs of the program, and the same seed must give the same behaviour. So
// everything a shader can access starts at a position in a page that follows from its size.
#define PAST_PAGE 4096
// The first page boundary in `memory`, which has PAST_PAGE bytes or more.
static inline unsigned char *past_page(unsigned char *memory)
{
    return memory + (PAST_PAGE - (uintptr_t)memory % PAST_PAGE) % PAST_PAGE;
}
static inline unsigned past_hash(uint64_t number, unsigned bits)
{
    return (unsigned)(number % (PAST_PAGE / 8) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - bits));
}

// For each set of granules the last few overwrites; older ones are dropped.
#define PAST_SET_BITS  8
#define PAST_FOUND_MAX 8
struct past {
    uint64_t now, begin; // now: time of the last overwrite
    uint32_t number;
    struct past_set {
        struct overwrite ring[PAST_FOUND_MAX];
        unsigned next;
    } sets[1u << PAST_SET_BITS];
};

// Numbers `count` workgroups or subgroups with numbers unused in flight: returns the first.
uint32_t past_numbers(struct past *past, uint32_t count);
void past_note(struct past *past, const struct overwrite *overwrite); // sets its time to now + 1
// Finds the overwrites of any of a granule's bytes later than a time, newest first; returns their
// number.
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
