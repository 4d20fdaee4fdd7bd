// SPDX-License-Identifier: Apache-2.0
// A table of construct instances by their keys.
#include "schedule/uniform.h"

#include "splitmix.h"

#include <stddef.h>

uint64_t uniform_key(uint64_t outer, uint32_t step, uint32_t header, uint32_t target)
{
    const uint64_t place = splitmix_mix(outer + UINT64_C(0x9E3779B97F4A7C15) * (step + 1));
    return splitmix_mix(place ^ ((uint64_t)header << 32 | target));
}

static const struct uniform_place *find(const struct uniform *uniform, uint64_t key)
{
    const struct uniform_place *place = &uniform->places[key % UNIFORM_PLACES];
    return place->key == key ? place : NULL;
}

static struct uniform_place *place_for(struct uniform *uniform, uint64_t key)
{
    struct uniform_place *place = &uniform->places[key % UNIFORM_PLACES];
    if (place->key != key)
        *place = (struct uniform_place){.key = key, .target = UINT32_MAX, .left_at = UINT32_MAX};
    return place;
}

void uniform_choose(struct uniform *uniform, uint64_t key, uint32_t target)
{
    struct uniform_place *place = place_for(uniform, key);
    place->parted |= place->target != UINT32_MAX && place->target != target;
    place->target = target;
}

void uniform_leave(struct uniform *uniform, uint64_t key, uint32_t step, bool escaping)
{
    struct uniform_place *place = place_for(uniform, key);
    if (step < place->left_at)
        place->left_at = step;
    place->escaped |= escaping;
}

bool uniform_parted(const struct uniform *uniform, uint64_t key, uint32_t step)
{
    const struct uniform_place *place = find(uniform, key);
    return place && (place->parted || place->left_at < step);
}

bool uniform_escaped(const struct uniform *uniform, uint64_t key)
{
    const struct uniform_place *place = find(uniform, key);
    return place && place->escaped;
}
