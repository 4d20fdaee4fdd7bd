// SPDX-License-Identifier: Apache-2.0
// The oracles of family `broadcast`. Each subgroup that fetches numbers has its own counter, so the
// numbers are known. The unit is a subgroup, iteration by iteration.

#include "base/random.h"
#include "oracles/oracles.h"

#define BY_ITERATION "lane {word%lanes}, iteration {word/lanes}" OF_SUBGROUP

// One counter for each subgroup after word 0 of the state.
static void compaction_shape(struct cat_args *args)
{
    struct cat_shape *shape = &args->shape;
    shape->state_words = 1 + shape->instances;
    shape->words_per_instance = (uint64_t)cat_value(args, "iterations") * args->subgroup;
    shape->input_words = shape->instances * shape->words_per_instance;
}

// The odd words of each unit move to its front, in order; the rest remains unwritten.
static void compaction_expect(const struct cat_args *args, const uint32_t *input,
                              uint32_t *expected)
{
    const uint64_t words = args->shape.words_per_instance;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < words; i++)
        if (input[i] & 1)
            expected[kept++] = input[i];
    while (kept < words)
        expected[kept++] = CAT_POISON;
}

// ---- broadcast.id: the tag of the source lane

static void id_shape(struct cat_args *args)
{
    compaction_shape(args);
    args->shape.elements = cat_tag(0, 0);
    args->shape.input_words = args->shape.instances * args->subgroup;
    args->shape.state_words = 1 + args->shape.input_words;
}

// A lane's word: bits 0 to 7, the lane that it reads from with a dynamic id; bit 8, whether it
// takes part; from bit 16 on, the lane that all others read from. Lanes that are read from take
// part, unless source=inactive; then the lane after the source does.
static void id_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    const uint32_t lanes = args->subgroup, source = cat_value(args, "source-lane");
    const bool uniform = cat_axis_is(args, "flow", "uniform");
    const bool active = cat_axis_is(args, "source", "active");
    struct lit_random random = {seed};
    for (uint64_t i = 0; i < args->shape.instances; i++, input += lanes) {
        for (uint32_t lane = 0; lane < lanes; lane++) {
            const bool drawn = lane == (source + 1) % lanes || random_below(&random, 2);
            const bool takes_part = uniform || (lane == source ? active : drawn);
            input[lane] = source << 16 | (uint32_t)takes_part << 8;
        }
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint32_t from = (uint32_t)random_below(&random, lanes);
            while ((input[from] >> 8 & 1) != active)
                from = (from + 1) % lanes;
            input[lane] |= from;
        }
    }
}

static void id_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    const bool dynamic = cat_axis_is(args, "read", "shuffle-dynamic");
    for (uint32_t word = 0; word < args->shape.words_per_instance; word++) {
        const uint32_t own = input[word % args->subgroup];
        const uint32_t from = dynamic ? own & 0xff : own >> 16;
        expected[word] = own >> 8 & 1 ? cat_tag(word / args->subgroup, from) : CAT_POISON;
    }
}

const struct cat_oracle oracles_broadcast[] = {
    ORACLE("broadcast.id", "subgroup", .check = CAT_CHECK_TAG, .least = 2, .shape = id_shape,
           .input = id_input, .expect_unit = id_expect, .where = BY_ITERATION),
    ORACLE("broadcast.compaction", "subgroup", .shape = compaction_shape,
           .expect_unit = compaction_expect, .where = "place {word}" OF_SUBGROUP),
    {0},
};
