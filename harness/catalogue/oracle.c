// SPDX-License-Identifier: Apache-2.0
// Finds an oracle among those of all families.
#include "oracles/oracles.h"

#include <string.h>

static const struct cat_oracle *const *const families[] = {
    oracles_barrier,       oracles_broadcast, oracles_cases,   oracles_divergence,
    oracles_lookback,      oracles_loop,      oracles_memory,  oracles_progress,
    oracles_reconvergence, oracles_scan,      oracles_shuffle, oracles_sync_matrix,
};

void cat_repeat(const struct cat_shape *shape, size_t words, uint32_t *expected)
{
    for (uint64_t instance = 1; instance < shape->instances; instance++)
        memcpy(expected + instance * words, expected, words * sizeof *expected);
}

const struct cat_oracle *cat_oracle_find(const char *name)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (const struct cat_oracle *const *oracle = families[i]; *oracle; oracle++)
            if (!strcmp((*oracle)->name, name))
                return *oracle;
    return NULL;
}

struct cat_mode cat_mode_of(const struct cat_oracle *oracle)
{
    return (struct cat_mode){oracle->check, oracle->choice};
}
