// SPDX-License-Identifier: Apache-2.0
// The past of memory: the last few overwrites in each of several hundred sets of granules.
#include "memory/past.h"

#include <stdlib.h>

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

uint32_t past_numbers(struct past *past, uint32_t count)
{
    const uint32_t first = past->number;
    past->number += count;
    return first;
}

void past_note(struct past *past, const struct overwrite *overwrite)
{
    struct past_set *set = &past->sets[past_hash(overwrite->granule / 8, PAST_SET_BITS)];
    struct overwrite *place = &set->ring[set->next++ % PAST_FOUND_MAX];
    *place = *overwrite;
    place->time = ++past->now;
}
