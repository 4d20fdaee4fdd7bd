// SPDX-License-Identifier: Apache-2.0
// The oracle of loop.desync: in each iteration a lane has received the tag that its neighbour had
// in that iteration. An instance is a subgroup, iteration by iteration.

#include "oracles/loop.h"
#include "oracles/oracles.h"

#include <stdio.h>

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
    const uint64_t subgroups = (uint64_t)args->scale * (args->workgroup / args->subgroup);
    *shape = (struct cat_shape){
        .workgroups = args->scale,
        .input_words = args->subgroup,
        .state_words = 1 + subgroups,
        .instances = subgroups,
        .words_per_instance = (uint64_t)cat_value(args, "iterations") * args->subgroup,
    };
    return true;
}

static void desync_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                         uint32_t *input)
{
    (void)shape;
    (void)seed;
    for (uint32_t lane = 0; lane < args->subgroup; lane++)
        input[lane] = cat_tag(0, lane);
}

static void desync_expect(const struct cat_args *args, const struct cat_shape *shape,
                          const uint32_t *input, uint32_t *expected)
{
    (void)input;
    for (uint32_t word = 0; word < shape->words_per_instance; word++)
        expected[word] = cat_tag(word / args->subgroup, source(args, word % args->subgroup));
    cat_repeat(shape, shape->words_per_instance, expected);
}

void loop_where(const struct cat_args *args, const struct cat_shape *shape,
                const struct cat_failure *failure, char *text, size_t size)
{
    (void)shape;
    const uint32_t subgroups = args->workgroup / args->subgroup;
    snprintf(text, size, "lane %u, iteration %u, subgroup %u of workgroup %u",
             (unsigned)(failure->word % args->subgroup), (unsigned)(failure->word / args->subgroup),
             (unsigned)(failure->instance % subgroups), (unsigned)(failure->instance / subgroups));
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
