// SPDX-License-Identifier: Apache-2.0
// The oracles, family by family: each file NAME.c or NAME_*.c of this folder holds those of the
// family NAME (with _ for -), and one of them its list, which ends with NULL. A new oracle is a
// name in its family's list.
#pragma once

#include "catalogue/oracle.h"

extern const struct cat_oracle *const oracles_barrier[];
extern const struct cat_oracle *const oracles_broadcast[];
extern const struct cat_oracle *const oracles_cases[];
extern const struct cat_oracle *const oracles_divergence[];
extern const struct cat_oracle *const oracles_lookback[];
extern const struct cat_oracle *const oracles_loop[];
extern const struct cat_oracle *const oracles_memory[];
extern const struct cat_oracle *const oracles_progress[];
extern const struct cat_oracle *const oracles_reconvergence[];
extern const struct cat_oracle *const oracles_scan[];
extern const struct cat_oracle *const oracles_shuffle[];
extern const struct cat_oracle *const oracles_sync_matrix[];
