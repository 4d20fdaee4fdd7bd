// SPDX-License-Identifier: Apache-2.0
// What the oracles of the families `loop` and `sync-matrix` share, and those that lie in a file of
// their own.
#pragma once

#include "catalogue/oracle.h"

// What a tail makes of the number that it carries and of what its lane received: `rounds` rounds of
// a generator of random numbers.
uint32_t loop_work(uint32_t carried, uint32_t received, uint32_t rounds);

// Where a failing word is, if an instance is a subgroup with a word for each lane in each
// iteration, and then words of the tails: "lane 31, iteration 9, subgroup 2 of workgroup 1", "tail
// of iteration 9, subgroup 2 of workgroup 1".
void loop_where(const struct cat_args *args, const struct cat_shape *shape,
                const struct cat_failure *failure, char *text, size_t size);

extern const struct cat_oracle oracle_loop_four_hops;
extern const struct cat_oracle oracle_loop_hop;
extern const struct cat_oracle oracle_loop_trips;
