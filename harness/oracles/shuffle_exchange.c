// SPDX-License-Identifier: Apache-2.0
// The oracle of shuffle.operations and shuffle.chain: one exchange, or several in a row, of tags
// that are counted up from one to the next. An instance is a subgroup, exchange by exchange.
//
// input[0] is the register to send (operations) or the number of steps (chain); then `registers`
// tags for each lane, all lanes of one register together; then an operand for each invocation.

#include "oracles/oracles.h"
#include "oracles/shuffle_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHOSEN = 2, TAG_OF_AN_ITERATION = 0x100 };

static uint32_t registers(const struct cat_args *args)
{
    return cat_axis(args, "length") ? 1 : 4;
}

static uint32_t steps(const struct cat_args *args)
{
    const char *length = cat_axis(args, "length");
    if (length)
        return (uint32_t)strtoul(length, NULL, 10);
    return cat_axis_is(args, "value", "shuffle") ? 2 : 1;
}

static bool exchange_shape(const struct cat_args *args, struct cat_shape *shape,
                           struct lit_error *error)
{
    const uint32_t distance = cat_value(args, "distance");
    if (args->subgroup <= distance)
        return lit_fail(error, LIT_EXIT_USAGE, "a subgroup of %u lanes has no lane %u",
                        (unsigned)args->subgroup, (unsigned)distance);
    if (cat_axis_is(args, "op", "clustered") && args->subgroup < cat_value(args, "cluster"))
        return lit_fail(error, LIT_EXIT_USAGE, "a subgroup of %u lanes has no cluster of %u",
                        (unsigned)args->subgroup, (unsigned)cat_value(args, "cluster"));
    const uint64_t subgroups = (uint64_t)args->scale * (args->workgroup / args->subgroup);
    *shape = (struct cat_shape){
        .workgroups = args->scale,
        .elements = distance,
        .input_words = 1 + (registers(args) + subgroups) * args->subgroup,
        .state_words = 1,
        .instances = subgroups,
        .words_per_instance = (uint64_t)args->subgroup * steps(args),
    };
    return true;
}

static void exchange_input(const struct cat_args *args, const struct cat_shape *shape,
                           uint64_t seed, uint32_t *input)
{
    const bool uniform = cat_axis_is(args, "operand", "uniform");
    *input++ = cat_axis(args, "length") ? steps(args) : CHOSEN;
    for (uint32_t i = 0; i < registers(args); i++)
        for (uint32_t lane = 0; lane < args->subgroup; lane++)
            *input++ = cat_tag(i, lane);
    for (uint64_t i = 0; i < shape->instances; i++, input += args->subgroup) {
        shuffle_operands(args, false, seed + i, input);
        // Every lane in turn, whatever the seed.
        for (uint32_t lane = 0; uniform && lane < args->subgroup; lane++)
            input[lane] = (uint32_t)(i % args->subgroup);
    }
}

static void exchange_expect(const struct cat_args *args, const struct cat_shape *shape,
                            const uint32_t *input, uint32_t *expected)
{
    const struct shuffle_op op = shuffle_op_of(args);
    const bool dynamic = cat_axis_is(args, "operand", "dynamic");
    const bool uniform = cat_axis_is(args, "operand", "uniform");
    const uint32_t lanes = args->subgroup, length = steps(args), *tags = input + 1, *own = tags;
    const uint32_t distance = cat_value(args, "distance");
    uint32_t sent[128];
    if (cat_axis_is(args, "value", "array"))
        tags += input[0] * lanes;
    own += registers(args) * lanes;
    for (uint64_t i = 0; i < shape->instances; i++, own += lanes) {
        memcpy(sent, tags, lanes * sizeof *sent);
        for (uint32_t step = 0; step < length; step++, expected += lanes) {
            for (uint32_t lane = 0; lane < lanes; lane++) {
                const uint32_t operand = dynamic ? own[lane] : uniform ? own[0] : distance;
                const uint32_t source = shuffle_source(&op, lane, operand);
                expected[lane] = sent[source < lanes ? source : lane];
            }
            for (uint32_t lane = 0; lane < lanes; lane++)
                sent[lane] = expected[lane] + TAG_OF_AN_ITERATION;
        }
    }
}

static void exchange_where(const struct cat_args *args, const struct cat_shape *shape,
                           const struct cat_failure *failure, char *text, size_t size)
{
    (void)shape;
    const uint32_t subgroups = args->workgroup / args->subgroup;
    snprintf(text, size, "lane %u, step %u, subgroup %u of workgroup %u",
             (unsigned)(failure->word % args->subgroup), (unsigned)(failure->word / args->subgroup),
             (unsigned)(failure->instance % subgroups), (unsigned)(failure->instance / subgroups));
}

const struct cat_oracle oracle_shuffle_exchange = {
    .name = "shuffle.exchange",
    .check = CAT_CHECK_TAG,
    .instance = "subgroup",
    .shape = exchange_shape,
    .input = exchange_input,
    .expect = exchange_expect,
    .where = exchange_where,
};
