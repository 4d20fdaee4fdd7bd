// SPDX-License-Identifier: Apache-2.0
// Identities. Separate from random.c because it includes all of xxHash.
#include "base/random.h"

#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_fast(uint64_t seed, const void *bytes, size_t size)
{
    return XXH3_64bits_withSeed(bytes, size, seed);
}

void identity_of(const void *bytes, size_t size, char id[IDENTITY_SIZE])
{
    const XXH128_hash_t hash = XXH3_128bits(bytes, size);
    snprintf(id, IDENTITY_SIZE, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}
