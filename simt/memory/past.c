// SPDX-License-Identifier: Apache-2.0
// The past of memory: for each of some hundred sets of granules the last few overwrites.
#include "memory/past.h"

#include <stdlib.h>

#define SET_BITS 8
#define SET_SIZE                                                                                   \
    PAST_FOUND_MAX // overwrites that are remembered in one set: older ones are forgotten

struct past {
    uint64_t now, begin;
    uint32_t number;
    struct set {
        struct overwrite ring[SET_SIZE];
        unsigned next;
    } sets[1u << SET_BITS];
};

static unsigned set_of(uintptr_t granule)
{
    return past_hash(granule / 8, SET_BITS);
}

struct past *past_create(void)
{
    return calloc(1, sizeof(struct past));
}

void past_free(struct past *past)
{
    free(past);
}

void past_forget(struct past *past)
{
    past->begin = past->now;
}

uint64_t past_now(const struct past *past)
{
    return past->now;
}

uint32_t past_numbers(struct past *past, uint32_t count)
{
    const uint32_t first = past->number;
    past->number += count;
    return first;
}

void past_note(struct past *past, const struct overwrite *overwrite)
{
    struct set *set = &past->sets[set_of(overwrite->granule)];
    struct overwrite *place = &set->ring[set->next++ % SET_SIZE];
    *place = *overwrite;
    place->time = ++past->now;
}

unsigned past_find(const struct past *past, uintptr_t granule, uint8_t bytes, uint64_t after,
                   const struct overwrite *found[PAST_FOUND_MAX])
{
    const struct set *set = &past->sets[set_of(granule)];
    unsigned count = 0;
    if (after < past->begin)
        after = past->begin;
    for (unsigned age = 0; age < SET_SIZE; age++) {
        const struct overwrite *old = &set->ring[(set->next - 1 - age) % SET_SIZE];
        if (old->time <= after)
            break;
        if (old->granule == granule && old->bytes & bytes)
            found[count++] = old;
    }
    return count;
}
