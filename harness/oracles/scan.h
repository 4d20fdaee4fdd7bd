// SPDX-License-Identifier: Apache-2.0
// The oracles of the family `scan` that have files of their own; scan.c has the list.
#pragma once

#include "catalogue/oracle.h"

extern const struct cat_oracle oracle_scan_subgroup;
