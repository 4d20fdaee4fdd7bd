// SPDX-License-Identifier: Apache-2.0
// The oracles, one for each test; the table is in oracle.c.
#pragma once

#include "catalogue/oracle.h"
#include "catalogue/reconvergence.h"

extern const struct cat_oracle oracle_shuffle_scan_loop;
extern const struct cat_oracle oracle_loop_desync;
extern const struct cat_oracle oracle_barrier_long_loop;
extern const struct cat_oracle oracle_barrier_in_branch;
extern const struct cat_oracle oracle_broadcast_versus_shuffle;
extern const struct cat_oracle oracle_broadcast_compaction;
extern const struct cat_oracle oracle_scan_workgroup;
extern const struct cat_oracle oracle_lookback_scan;
