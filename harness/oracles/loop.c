// SPDX-License-Identifier: Apache-2.0
// The oracle of loop.desync: in each iteration a lane has received the tag that its neighbour had
// in that iteration, and the tail made its number of what the elected lane received. An instance is
// a subgroup, iteration by iteration, and then a word for each iteration's tail.

#include "base/random.h"
#include "oracles/loop.h"
#include "oracles/oracles.h"

#include <stdio.h>

uint32_t loop_work(uint32_t carried, uint32_t received, uint32_t rounds)
{
    uint32_t work = carried * 1664525 + received;
    for (uint32_t round = 0; round < rounds; round++) {
        work = work * 1664525 + 1013904223;
        work ^= work >> 15;
    }
    return work;
}

// The lane that `lane` receives from.
static uint32_t source(const struct cat_args *args, uint32_t lane)
{
    if (cat_axis_is(args, "exchange", "up"))
        return lane ? lane - 1 : 0;
    if (cat_axis_is(args, "exchange", "xor"))
        return lane ^ 1;
    return (lane + args->subgroup - 1) % args->subgroup;
}

static bool desync_shape(const struct cat_args *args, struct cat_shape *shape,
                         struct lit_error *error)
{
    if (args->subgroup < 2)
        return lit_fail(error, LIT_EXIT_USAGE, "a subgroup of one lane has nothing to exchange");
    const uint32_t iterations = cat_value(args, "iterations");
    *shape = (struct cat_shape){
        .workgroups = args->scale,
        .elements = iterations,
        .input_words = args->subgroup + 1,
        .state_words = 1,
        .instances = (uint64_t)args->scale * (args->workgroup / args->subgroup),
        .words_per_instance = (uint64_t)iterations * (args->subgroup + 1),
    };
    return true;
}

static void desync_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                         uint32_t *input)
{
    (void)shape;
    struct lit_random random = {seed};
    for (uint32_t lane = 0; lane < args->subgroup; lane++)
        input[lane] = cat_tag(0, lane);
    input[args->subgroup] = (uint32_t)random_next(&random);
}

static void desync_expect(const struct cat_args *args, const struct cat_shape *shape,
                          const uint32_t *input, uint32_t *expected)
{
    const uint32_t lanes = args->subgroup, iterations = cat_value(args, "iterations");
    const uint32_t elected = cat_value(args, "elected"), weight = cat_value(args, "weight");
    uint32_t work = input[lanes];
    for (uint32_t i = 0; i < iterations; i++) {
        for (uint32_t lane = 0; lane < lanes; lane++)
            expected[i * lanes + lane] = cat_tag(i, source(args, lane));
        work = loop_work(work, expected[i * lanes + elected], weight);
        expected[iterations * lanes + i] = work;
    }
    cat_repeat(shape, shape->words_per_instance, expected);
}

void loop_where(const struct cat_args *args, const struct cat_shape *shape,
                const struct cat_failure *failure, char *text, size_t size)
{
    const uint32_t subgroups = args->workgroup / args->subgroup;
    const uint32_t iterations = cat_value(args, "iterations");
    const uint64_t exchanged = (uint64_t)iterations * args->subgroup, word = failure->word;
    int length;
    if (word < exchanged)
        length = snprintf(text, size, "lane %u, iteration %u", (unsigned)(word % args->subgroup),
                          (unsigned)(word / args->subgroup));
    else if ((shape->words_per_instance - exchanged) % iterations)
        length = snprintf(text, size, "what the tails came to");
    else
        length =
            snprintf(text, size, "tail of iteration %u", (unsigned)(word - exchanged) % iterations);
    if (length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, ", subgroup %u of workgroup %u",
                 (unsigned)(failure->instance % subgroups),
                 (unsigned)(failure->instance / subgroups));
}

static const struct cat_oracle oracle_loop_desync = {
    .name = "loop.desync",
    .check = CAT_CHECK_TAG,
    .instance = "subgroup",
    .shape = desync_shape,
    .input = desync_input,
    .expect = desync_expect,
    .where = loop_where,
};

const struct cat_oracle *const oracles_loop[] = {
    &oracle_loop_desync, &oracle_loop_four_hops, &oracle_loop_hop, &oracle_loop_trips, NULL,
};
