// SPDX-License-Identifier: Apache-2.0
// The oracles of the family `scan` that have files of their own; scan.c has the list.
#pragma once

#include "catalogue/oracle.h"

extern const struct cat_oracle oracle_scan_blelloch;
extern const struct cat_oracle oracle_scan_hillis_steele;
extern const struct cat_oracle oracle_scan_levels;
extern const struct cat_oracle oracle_scan_subgroup;
extern const struct cat_oracle oracle_scan_vector_sum;
extern const struct cat_oracle oracle_scan_vector_sum_grid;
