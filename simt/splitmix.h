// SPDX-License-Identifier: Apache-2.0
// The source of all the driver's random choices: splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
#pragma once

#include <stdint.h>

// 64 bits, each dependent on all of `z`.
static inline uint64_t splitmix_mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

// The next 64 random bits of a generator.
static inline uint64_t splitmix_next(uint64_t *state)
{
    return splitmix_mix(*state += UINT64_C(0x9E3779B97F4A7C15));
}
