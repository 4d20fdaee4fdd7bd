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
