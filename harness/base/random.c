// SPDX-License-Identifier: Apache-2.0
// Seeded pseudo-random numbers, and a hash.
#include "base/random.h"

uint64_t random_next(struct lit_random *random)
{
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

uint32_t random_of_run(uint64_t stream, uint64_t run)
{
    return (uint32_t)random_next(&(struct lit_random){stream + run});
}

uint64_t random_below(struct lit_random *random, uint64_t bound)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    uint64_t value;
    do {
        value = random_next(random);
    } while (value >= limit);
    return value % bound;
}

void random_shuffle(struct lit_random *random, void *items, size_t count, size_t size)
{
    unsigned char *bytes = items;
    for (size_t i = count; i > 1; i--) {
        unsigned char *last = bytes + (i - 1) * size;
        unsigned char *other = bytes + (size_t)random_below(random, i) * size;
        for (size_t b = 0; b < size; b++) {
            const unsigned char byte = last[b];
            last[b] = other[b];
            other[b] = byte;
        }
    }
}

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * HASH_PRIME;
    return hash;
}

uint64_t random_derive(uint64_t seed, const char *name)
{
    struct lit_random random = {seed};
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        random.state = random_next(&random) ^ *c;
    return random_next(&random);
}
