// SPDX-License-Identifier: Apache-2.0
// Seeded pseudo-random numbers, and a hash: the same on every machine.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lit_seed {
    bool given;
    uint64_t value;
};

struct lit_random {
    uint64_t state;
};

// The next 64 bits (splitmix64, Steele, Lea, Flood 2014).
uint64_t random_next(struct lit_random *random);

// The seed of a run: it depends only on the configuration's stream and the run's number, from 0, so
// repeated and resumed runs have the same seed.
uint32_t random_of_run(uint64_t stream, uint64_t run);

// A number below `bound`, without bias. bound > 0.
uint64_t random_below(struct lit_random *random, uint64_t bound);

// Shuffles `count` items of `size` bytes uniformly (Fisher, Yates).
void random_shuffle(struct lit_random *random, void *items, size_t count, size_t size);

// Identifies content by its bytes: XXH3, 128 bits, as hexadecimal digits.
#define IDENTITY_SIZE 33
void identity_of(const void *bytes, size_t size, char id[IDENTITY_SIZE]);

// Continues a hash over more bytes: start with HASH_START (FNV-1a, 64 bits). It detects accidental
// damage, but does not protect against deliberate deception.
#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);
// XXH3, 64 bits, for the same purpose: some twenty times as fast.
uint64_t hash_fast(uint64_t seed, const void *bytes, size_t size);

// Derives a seed from a seed and a name, so that each configuration has its own stream.
uint64_t random_derive(uint64_t seed, const char *name);
