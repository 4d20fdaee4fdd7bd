// SPDX-License-Identifier: Apache-2.0
// The oracles of tests with a loop in which a lane's tag goes on to the next lane: one hop in each
// iteration (loop.tail, loop.form), four (shuffle.barrier-kinds), or on to whatever lane `input`
// names, in loops that lanes leave at different times (loop.trips). An instance is a subgroup,
// iteration by iteration.

#include "base/random.h"
#include "oracles/loop.h"
#include "oracles/oracles.h"

#include <stdio.h>

// Of loop.trips: the words of an invocation in the input.
enum { TAG, TRIPS, SOURCE, WORKER, WORDS_OF_A_LANE };

static bool loop_shape(const struct cat_args *args, struct cat_shape *shape,
                       struct lit_error *error)
{
    if (args->subgroup < 2)
        return lit_fail(error, LIT_EXIT_USAGE, "a subgroup of one lane has nothing to exchange");
    const uint64_t invocations = (uint64_t)args->scale * args->workgroup;
    *shape = (struct cat_shape){
        .workgroups = args->scale,
        .input_words = 2 * (uint64_t)args->subgroup,
        .state_words = 1 + invocations,
        .instances = invocations / args->subgroup,
        .words_per_instance = (uint64_t)cat_value(args, "iterations") * args->subgroup,
    };
    return true;
}

// Whether a lane works in the tail: `workers` lanes do, with equal distances, `elected` among them.
static bool works(const struct cat_args *args, uint32_t lane)
{
    uint32_t count = cat_axis(args, "barrier") ? 1 : cat_value(args, "workers");
    if (count > args->subgroup)
        count = args->subgroup;
    return (lane + args->subgroup - cat_value(args, "elected")) % (args->subgroup / count) == 0;
}

static void hop_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                      uint32_t *input)
{
    (void)shape;
    (void)seed;
    for (uint32_t lane = 0; lane < args->subgroup; lane++) {
        input[lane] = cat_tag(0, lane);
        input[args->subgroup + lane] = works(args, lane);
    }
}

static void expect_hops(const struct cat_args *args, const struct cat_shape *shape, uint32_t hops,
                        uint32_t *expected)
{
    const uint32_t lanes = args->subgroup;
    for (uint32_t word = 0; word < shape->words_per_instance; word++)
        expected[word] = cat_tag(word / lanes, (word % lanes + lanes - hops % lanes) % lanes);
    cat_repeat(shape, shape->words_per_instance, expected);
}

static void hop_expect(const struct cat_args *args, const struct cat_shape *shape,
                       const uint32_t *input, uint32_t *expected)
{
    (void)input;
    expect_hops(args, shape, 1, expected);
}

static void four_hops_expect(const struct cat_args *args, const struct cat_shape *shape,
                             const uint32_t *input, uint32_t *expected)
{
    (void)input;
    expect_hops(args, shape, 4, expected);
}

static bool trips_shape(const struct cat_args *args, struct cat_shape *shape,
                        struct lit_error *error)
{
    if (!loop_shape(args, shape, error))
        return false;
    shape->input_words = WORDS_OF_A_LANE * shape->instances * args->subgroup;
    return true;
}

// How often each lane of a subgroup goes through the loop: all equally often, or one lane more or
// less often than the others, or every lane as it likes.
static void draw_trips(const struct cat_args *args, struct lit_random *random, uint64_t instance,
                       uint32_t *words)
{
    const uint32_t most = cat_value(args, "iterations"), lanes = args->subgroup;
    const uint32_t trips = (uint32_t)random_below(random, most + 1);
    const uint32_t odd = (uint32_t)random_below(random, lanes);
    for (uint32_t lane = 0; lane < lanes; lane++, words += WORDS_OF_A_LANE) {
        const uint32_t any = (uint32_t)random_below(random, most + 1);
        if (cat_axis_is(args, "trips", "uniform"))
            words[TRIPS] = most;
        else if (cat_axis_is(args, "trips", "subgroup"))
            words[TRIPS] = trips;
        else if (instance % 4 == 0)
            words[TRIPS] = lane == odd ? most : most / 2;
        else if (instance % 4 == 1)
            words[TRIPS] = lane == odd ? most / 2 : most;
        else
            words[TRIPS] = instance % 4 == 2 ? lane % (most + 1) : any;
    }
}

static void trips_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                        uint32_t *input)
{
    struct lit_random random = {seed};
    const uint32_t lanes = args->subgroup;
    for (uint64_t i = 0; i < shape->instances; i++, input += WORDS_OF_A_LANE * lanes) {
        draw_trips(args, &random, i, input);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint32_t *words = input + WORDS_OF_A_LANE * lane;
            // The next lane, from a random one on, that stays as long; at last the lane itself.
            uint32_t source = (uint32_t)random_below(&random, lanes);
            while (input[WORDS_OF_A_LANE * source + TRIPS] < words[TRIPS])
                source = (source + 1) % lanes;
            words[TAG] = cat_tag(0, lane);
            words[SOURCE] = source;
            words[WORKER] = works(args, lane);
        }
    }
}

static void trips_expect(const struct cat_args *args, const struct cat_shape *shape,
                         const uint32_t *input, uint32_t *expected)
{
    const uint32_t lanes = args->subgroup;
    for (uint64_t i = 0; i < shape->instances; i++, input += WORDS_OF_A_LANE * lanes) {
        for (uint32_t word = 0; word < shape->words_per_instance; word++) {
            const uint32_t *words = input + WORDS_OF_A_LANE * (word % lanes);
            const uint32_t iteration = word / lanes;
            *expected++ = iteration < words[TRIPS] ? cat_tag(iteration, words[SOURCE]) : CAT_POISON;
        }
    }
}

const struct cat_oracle oracle_loop_hop = {
    .name = "loop.hop",
    .check = CAT_CHECK_TAG,
    .instance = "subgroup",
    .shape = loop_shape,
    .input = hop_input,
    .expect = hop_expect,
    .where = loop_where,
};

const struct cat_oracle oracle_loop_four_hops = {
    .name = "loop.four-hops",
    .check = CAT_CHECK_TAG,
    .instance = "subgroup",
    .shape = loop_shape,
    .input = hop_input,
    .expect = four_hops_expect,
    .where = loop_where,
};

const struct cat_oracle oracle_loop_trips = {
    .name = "loop.trips",
    .check = CAT_CHECK_TAG,
    .instance = "subgroup",
    .shape = trips_shape,
    .input = trips_input,
    .expect = trips_expect,
    .where = loop_where,
};
