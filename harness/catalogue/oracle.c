// SPDX-License-Identifier: Apache-2.0
// The table of oracles.
#include "catalogue/oracles.h"

#include <string.h>

static const struct cat_oracle *const oracles[] = {
    &oracle_shuffle_scan_loop,
    &oracle_loop_desync,
    &oracle_broadcast_versus_shuffle,
    &oracle_broadcast_compaction,
};

const struct cat_oracle *cat_oracle_find(const char *name)
{
    for (size_t i = 0; i < sizeof oracles / sizeof *oracles; i++)
        if (!strcmp(oracles[i]->name, name))
            return oracles[i];
    return NULL;
}
