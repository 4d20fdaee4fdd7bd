// SPDX-License-Identifier: Apache-2.0
// Which lane each exchange reads.
#include "oracles/shuffle_source.h"

#include "base/random.h"

static bool is(const struct cat_args *args, const char *op)
{
    return cat_axis_is(args, "op", op);
}

static uint32_t rotated(uint32_t lane, uint32_t delta, uint32_t size)
{
    const uint32_t start = lane - lane % size;
    return start + (uint32_t)((lane % size + (uint64_t)delta) % size);
}

uint32_t shuffle_source(const struct cat_args *args, uint32_t lane, uint32_t operand)
{
    const uint32_t lanes = args->subgroup;
    uint64_t source = operand;
    if (is(args, "xor"))
        source = lane ^ operand;
    else if (is(args, "up"))
        source = operand <= lane ? lane - operand : lanes;
    else if (is(args, "down"))
        source = (uint64_t)lane + operand;
    else if (is(args, "rotate"))
        source = rotated(lane, operand, lanes);
    else if (is(args, "clustered"))
        source = rotated(lane, operand, cat_value(args, "cluster"));
    return source < lanes ? (uint32_t)source : lanes;
}

void shuffle_operands(const struct cat_args *args, bool all_exist, uint64_t seed,
                      uint32_t *operands)
{
    struct lit_random random = {seed};
    const uint32_t lanes = args->subgroup;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint32_t bound = lanes;
        if (all_exist && is(args, "up"))
            bound = lane + 1;
        else if (all_exist && is(args, "down"))
            bound = lanes - lane;
        operands[lane] = (uint32_t)random_below(&random, bound);
    }
    for (uint32_t lane = 0; is(args, "shuffle") && lane < lanes; lane++) {
        const uint32_t other = operands[lane] % (lane + 1);
        operands[lane] = operands[other];
        operands[other] = lane;
    }
    for (uint32_t lane = 1; (is(args, "rotate") || is(args, "clustered")) && lane < lanes; lane++)
        operands[lane] = operands[0];
}
