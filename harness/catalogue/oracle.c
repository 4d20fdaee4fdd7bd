// SPDX-License-Identifier: Apache-2.0
// The table of oracles.
#include "catalogue/oracles.h"

#include <string.h>

static const struct cat_oracle *const oracles[] = {
    &oracle_shuffle_scan_loop,
    &oracle_loop_desync,
    &oracle_barrier_long_loop,
    &oracle_barrier_in_branch,
    &oracle_broadcast_versus_shuffle,
    &oracle_broadcast_compaction,
    &oracle_reconvergence_break_ballot,
    &oracle_reconvergence_continue_target,
    &oracle_reconvergence_early_return,
    &oracle_reconvergence_elect_call,
    &oracle_reconvergence_elect_loop,
    &oracle_reconvergence_loop_peeling,
    &oracle_reconvergence_nested_if,
    &oracle_reconvergence_nested_loops,
    &oracle_reconvergence_switch_fallthrough,
    &oracle_reconvergence_trip_count,
    &oracle_reconvergence_waterfall,
    &oracle_reconvergence_while_break,
    &oracle_scan_workgroup,
    &oracle_lookback_scan,
};

const struct cat_oracle *cat_oracle_find(const char *name)
{
    for (size_t i = 0; i < sizeof oracles / sizeof *oracles; i++)
        if (!strcmp(oracles[i]->name, name))
            return oracles[i];
    return NULL;
}
