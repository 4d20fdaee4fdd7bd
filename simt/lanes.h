// SPDX-License-Identifier: Apache-2.0
// Sets of a subgroup's lanes, at most 128: lane n is bit n.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LANES_MAX 128

__extension__ typedef unsigned __int128 lanes;

static inline lanes lanes_of(unsigned lane) // the set with only this lane
{
    return (lanes)1 << lane;
}

static inline lanes lanes_below(unsigned count) // lanes 0 to count - 1, count at most 128
{
    return count >= LANES_MAX ? ~(lanes)0 : lanes_of(count) - 1;
}

static inline bool lanes_has(lanes set, unsigned lane)
{
    return set >> lane & 1;
}

static inline unsigned lanes_count(lanes set)
{
    return (unsigned)(__builtin_popcountll((uint64_t)set) +
                      __builtin_popcountll((uint64_t)(set >> 64)));
}

static inline unsigned lanes_first(lanes set) // the lowest lane; the set must not be empty
{
    const uint64_t low = (uint64_t)set;
    return (unsigned)(low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(set >> 64)));
}

static inline unsigned lanes_last(lanes set) // the highest lane; the set must not be empty
{
    const uint64_t high = (uint64_t)(set >> 64);
    return (unsigned)(high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)set));
}

// for each lane of a set, ascending: each_lane (lane, set) { ... }. `break` acts as `continue`.
#define each_lane(lane, set)                                                                       \
    for (uint64_t lane##_words[] = {(uint64_t)(set), (uint64_t)((lanes)(set) >> 64)},              \
                  lane##_base = 0;                                                                 \
         lane##_base < LANES_MAX; lane##_base += 64)                                               \
        for (uint64_t lane##_rest = lane##_words[lane##_base / 64]; lane##_rest;                   \
             lane##_rest &= lane##_rest - 1)                                                       \
            for (unsigned lane = (unsigned)(lane##_base + (unsigned)__builtin_ctzll(lane##_rest)), \
                          lane##_once = 1;                                                         \
                 lane##_once; lane##_once = 0)
