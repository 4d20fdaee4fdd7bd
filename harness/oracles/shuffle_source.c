// SPDX-License-Identifier: Apache-2.0
// Which lane each exchange reads.
#include "oracles/shuffle_source.h"

#include "base/random.h"

static const char *const kinds[] = {"shuffle", "xor", "up", "down", "rotate", "clustered"};

struct shuffle_op shuffle_op_of(const struct cat_args *args)
{
    struct shuffle_op op = {.lanes = args->subgroup};
    for (enum shuffle_kind kind = SHUFFLE_ANY; kind <= SHUFFLE_CLUSTERED; kind++)
        if (cat_axis_is(args, "op", kinds[kind]))
            op.kind = kind;
    if (op.kind == SHUFFLE_CLUSTERED)
        op.cluster = cat_value(args, "cluster");
    return op;
}

static uint32_t rotated(uint32_t lane, uint32_t delta, uint32_t size)
{
    const uint32_t start = lane - lane % size;
    return start + (uint32_t)((lane % size + (uint64_t)delta) % size);
}

uint32_t shuffle_source(const struct shuffle_op *op, uint32_t lane, uint32_t operand)
{
    uint64_t source = operand;
    switch (op->kind) {
    case SHUFFLE_ANY:
        break;
    case SHUFFLE_XOR:
        source = lane ^ operand;
        break;
    case SHUFFLE_UP:
        source = operand <= lane ? lane - operand : op->lanes;
        break;
    case SHUFFLE_DOWN:
        source = (uint64_t)lane + operand;
        break;
    case SHUFFLE_ROTATE:
        source = rotated(lane, operand, op->lanes);
        break;
    case SHUFFLE_CLUSTERED:
        source = rotated(lane, operand, op->cluster);
        break;
    }
    return source < op->lanes ? (uint32_t)source : op->lanes;
}

void shuffle_operands(const struct cat_args *args, bool all_exist, uint64_t seed,
                      uint32_t *operands)
{
    struct lit_random random = {seed};
    const uint32_t lanes = args->subgroup;
    const enum shuffle_kind kind = shuffle_op_of(args).kind;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint32_t bound = lanes;
        if (all_exist && kind == SHUFFLE_UP)
            bound = lane + 1;
        else if (all_exist && kind == SHUFFLE_DOWN)
            bound = lanes - lane;
        operands[lane] = (uint32_t)random_below(&random, bound);
    }
    for (uint32_t lane = 0; kind == SHUFFLE_ANY && lane < lanes; lane++) {
        const uint32_t other = operands[lane] % (lane + 1);
        operands[lane] = operands[other];
        operands[other] = lane;
    }
    for (uint32_t lane = 1; (kind == SHUFFLE_ROTATE || kind == SHUFFLE_CLUSTERED) && lane < lanes;
         lane++)
        operands[lane] = operands[0];
}
