// SPDX-License-Identifier: Apache-2.0
// Seeded pseudo-random numbers: the same seed gives the same numbers on every machine.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct lit_random {
    uint64_t state;
};

// The next 64 bits (splitmix64, Steele, Lea, Flood 2014).
uint64_t random_next(struct lit_random *random);

// A number below `bound`, without bias. bound > 0.
uint64_t random_below(struct lit_random *random, uint64_t bound);

// Puts `count` places into an order drawn at random, each one as likely (Fisher, Yates).
void random_shuffle(struct lit_random *random, size_t *order, size_t count);

// A seed derived from a seed and a name, so that each configuration has its own stream.
uint64_t random_derive(uint64_t seed, const char *name);
