// SPDX-License-Identifier: Apache-2.0
// The oracles of the family `reconvergence`, and the shapes behind them.
//
// All kernels of the family share one layout. An invocation's number is workgroup * workgroup size
// + subgroup * subgroup size + lane; `elements` is the subgroup size. input[number] is the word
// that the lane's conditions are made of (reconvergence_word). The output is a list of records of
// four words, the ballot of true: slot s of an invocation is record number * slots + s. A place
// that a lane does not reach leaves its record as poison.
#pragma once

#include "catalogue/masks.h"
#include "catalogue/oracle.h"

// The word of one lane of subgroup number `instance`. From the lowest bit: 4 bits trips (0 to 8), 4
// spare, 8 first conditions, 9 second conditions, 3 selector (0 to 4), 3 spare, 1 "this subgroup
// enters". Of eight instances in a row the first four have a pattern that reads well in a ticket
// (every other lane; all alike; one lane apart; two halves), the others are random.
uint32_t reconvergence_word(uint64_t seed, uint64_t instance, uint32_t lane, uint32_t subgroup);

// The rule of the axis `reconvergence`; default without one.
enum masks_rule reconvergence_rule(const struct cat_args *args);

// What an oracle of the family does for a shape: sizes, expectation, where a word is.
bool reconvergence_size(const struct cat_args *args, const struct masks_shape *shape,
                        struct cat_shape *size, struct lit_error *error);
void reconvergence_expect(const struct cat_args *args, const struct masks_shape *shape,
                          const struct cat_shape *size, const uint32_t *input, uint32_t *expected);
void reconvergence_where(const struct cat_args *args, const struct masks_shape *shape,
                         const struct cat_failure *failure, char *text, size_t size);

// The oracle of generated programs, whose shape is the one that the head's `program` describes.
extern const struct cat_oracle reconvergence_generated;
