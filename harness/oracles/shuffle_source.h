// SPDX-License-Identifier: Apache-2.0
// Which lane an exchange reads (spirv/common/exchange.h), for the oracles of the family `shuffle`.
#pragma once

#include "catalogue/oracle.h"

// The exchange of the axis `op`.
struct shuffle_op {
    enum shuffle_kind {
        SHUFFLE_ANY,
        SHUFFLE_XOR,
        SHUFFLE_UP,
        SHUFFLE_DOWN,
        SHUFFLE_ROTATE,
        SHUFFLE_CLUSTERED,
    } kind;
    uint32_t lanes;   // of a subgroup
    uint32_t cluster; // SHUFFLE_CLUSTERED: lanes of a cluster
};

struct shuffle_op shuffle_op_of(const struct cat_args *args);

// The lane that `lane` reads by this exchange with `operand`, or the subgroup size if there is
// none: what it receives is undefined then.
uint32_t shuffle_source(const struct shuffle_op *op, uint32_t lane, uint32_t operand);

// A random operand for each lane of a subgroup. Of op=shuffle it is a permutation, of op=rotate and
// op=clustered the same for all lanes; of the others some may name no lane, unless `all_exist`.
void shuffle_operands(const struct cat_args *args, bool all_exist, uint64_t seed,
                      uint32_t *operands);

// The oracles of the family that lie in files of their own.
extern const struct cat_oracle oracle_shuffle_branch;
extern const struct cat_oracle oracle_shuffle_exchange;
extern const struct cat_oracle oracle_shuffle_types;
