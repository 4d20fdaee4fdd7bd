// SPDX-License-Identifier: Apache-2.0
// The oracles of the broadcast family. Where the subgroups fetch numbers, each has a counter, so
// what it fetches is known: no other subgroup touches it. An instance is a subgroup, iteration by
// iteration.

#include "base/random.h"
#include "oracles/oracles.h"

#include <stdio.h>

static uint32_t subgroups_per_workgroup(const struct cat_args *args)
{
    return args->workgroup / args->subgroup;
}

// What both tests have in common: a counter for each subgroup after word 0 of the state.
static struct cat_shape common_shape(const struct cat_args *args)
{
    const uint64_t subgroups = (uint64_t)args->scale * subgroups_per_workgroup(args);
    return (struct cat_shape){
        .workgroups = args->scale,
        .state_words = 1 + subgroups,
        .instances = subgroups,
        .words_per_instance = (uint64_t)cat_value(args, "iterations") * args->subgroup,
    };
}

static bool versus_shape(const struct cat_args *args, struct cat_shape *shape,
                         struct lit_error *error)
{
    if (args->subgroup < 2)
        return lit_fail(error, LIT_EXIT_USAGE, "a subgroup of one lane has nothing to exchange");
    *shape = common_shape(args);
    shape->input_words = 256;
    return true;
}

// The lane to shuffle from, where the kernel finds it, and words to hold under pressure.
static void versus_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                         uint32_t *input)
{
    struct lit_random random = {seed};
    input[0] = cat_value(args, "elected");
    for (uint64_t i = 1; i < shape->input_words; i++)
        input[i] = (uint32_t)(random_next(&random) >> 32);
}

// Lanes below the elected one take no part and write nothing. The others number their rounds on.
static void versus_expect(const struct cat_args *args, const struct cat_shape *shape,
                          const uint32_t *input, uint32_t *expected)
{
    (void)input;
    const uint32_t elected = cat_value(args, "elected");
    const uint32_t participants = args->subgroup - elected;
    for (uint32_t word = 0; word < shape->words_per_instance; word++) {
        const uint32_t iteration = word / args->subgroup, lane = word % args->subgroup;
        expected[word] = lane < elected ? CAT_POISON : iteration * participants + lane - elected;
    }
    cat_repeat(shape, shape->words_per_instance, expected);
}

static void versus_where(const struct cat_args *args, const struct cat_shape *shape,
                         const struct cat_failure *failure, char *text, size_t size)
{
    (void)shape;
    snprintf(text, size, "lane %u, iteration %u, subgroup %u of workgroup %u",
             (unsigned)(failure->word % args->subgroup), (unsigned)(failure->word / args->subgroup),
             (unsigned)(failure->instance % subgroups_per_workgroup(args)),
             (unsigned)(failure->instance / subgroups_per_workgroup(args)));
}

static bool compaction_shape(const struct cat_args *args, struct cat_shape *shape,
                             struct lit_error *error)
{
    (void)error;
    *shape = common_shape(args);
    shape->input_words = shape->instances * shape->words_per_instance;
    return true;
}

static void compaction_input(const struct cat_args *args, const struct cat_shape *shape,
                             uint64_t seed, uint32_t *input)
{
    (void)args;
    struct lit_random random = {seed};
    for (uint64_t i = 0; i < shape->input_words; i++)
        input[i] = (uint32_t)(random_next(&random) >> 32);
}

// The odd words of each instance move to its front, in their order; the rest stays unwritten.
static void compaction_expect(const struct cat_args *args, const struct cat_shape *shape,
                              const uint32_t *input, uint32_t *expected)
{
    (void)args;
    const uint64_t words = shape->words_per_instance;
    for (uint64_t start = 0; start < shape->instances * words; start += words) {
        uint64_t kept = 0;
        for (uint64_t i = 0; i < words; i++)
            if (input[start + i] & 1)
                expected[start + kept++] = input[start + i];
        while (kept < words)
            expected[start + kept++] = CAT_POISON;
    }
}

static void compaction_where(const struct cat_args *args, const struct cat_shape *shape,
                             const struct cat_failure *failure, char *text, size_t size)
{
    (void)shape;
    snprintf(text, size, "place %u, subgroup %u of workgroup %u", (unsigned)failure->word,
             (unsigned)(failure->instance % subgroups_per_workgroup(args)),
             (unsigned)(failure->instance / subgroups_per_workgroup(args)));
}

// ---- broadcast.id: the tag of the source lane

static bool id_shape(const struct cat_args *args, struct cat_shape *shape, struct lit_error *error)
{
    if (args->subgroup < 2)
        return lit_fail(error, LIT_EXIT_USAGE, "a subgroup of one lane has nothing to exchange");
    *shape = common_shape(args);
    shape->elements = cat_tag(0, 0);
    shape->input_words = shape->instances * args->subgroup;
    shape->state_words = 1 + shape->input_words;
    return true;
}

// A lane's word: bits 0 to 7 the lane that it reads from with a dynamic id, bit 8 whether it takes
// part, from bit 16 the number of the lane that all others read from. Those that are read from take
// part, or, with source=inactive, do not; the lane behind the source then does.
static void id_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                     uint32_t *input)
{
    const uint32_t lanes = args->subgroup, source = cat_value(args, "source-lane");
    const bool uniform = cat_axis_is(args, "flow", "uniform");
    const bool active = cat_axis_is(args, "source", "active");
    struct lit_random random = {seed};
    for (uint64_t i = 0; i < shape->instances; i++) {
        uint32_t *words = input + i * lanes;
        for (uint32_t lane = 0; lane < lanes; lane++) {
            const bool drawn = lane == (source + 1) % lanes || random_below(&random, 2);
            const bool takes_part = uniform || (lane == source ? active : drawn);
            words[lane] = source << 16 | (uint32_t)takes_part << 8;
        }
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint32_t from = (uint32_t)random_below(&random, lanes);
            while ((words[from] >> 8 & 1) != active)
                from = (from + 1) % lanes;
            words[lane] |= from;
        }
    }
}

static void id_expect(const struct cat_args *args, const struct cat_shape *shape,
                      const uint32_t *input, uint32_t *expected)
{
    const bool dynamic = cat_axis_is(args, "read", "shuffle-dynamic");
    for (uint64_t i = 0; i < shape->instances * shape->words_per_instance; i++) {
        const uint64_t instance = i / shape->words_per_instance;
        const uint32_t word = (uint32_t)(i % shape->words_per_instance);
        const uint32_t own = input[instance * args->subgroup + word % args->subgroup];
        const uint32_t from = dynamic ? own & 0xff : own >> 16;
        expected[i] = own >> 8 & 1 ? cat_tag(word / args->subgroup, from) : CAT_POISON;
    }
}

// ---- broadcast.match: the lanes that share a value

static bool match_shape(const struct cat_args *args, struct cat_shape *shape,
                        struct lit_error *error)
{
    (void)error;
    const uint64_t subgroups = (uint64_t)args->scale * subgroups_per_workgroup(args);
    *shape = (struct cat_shape){
        .workgroups = args->scale,
        .input_words = subgroups * args->subgroup,
        .state_words = 1,
        .instances = subgroups,
        .words_per_instance = 4 * (uint64_t)args->subgroup,
    };
    return true;
}

static void match_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                        uint32_t *input)
{
    struct lit_random random = {seed};
    for (uint64_t i = 0; i < shape->input_words; i++)
        input[i] = (uint32_t)(1 + random_below(&random, cat_value(args, "values"))) * 0x9E3779B1u;
}

static void match_expect(const struct cat_args *args, const struct cat_shape *shape,
                         const uint32_t *input, uint32_t *expected)
{
    for (uint64_t i = 0; i < shape->input_words; i++) {
        const uint32_t *words = input + (i - i % args->subgroup);
        uint32_t *mask = expected + 4 * i;
        for (uint32_t part = 0; part < 4; part++)
            mask[part] = 0;
        for (uint32_t lane = 0; lane < args->subgroup; lane++)
            if (words[lane] == input[i])
                mask[lane / 32] |= 1u << lane % 32;
    }
}

static void match_where(const struct cat_args *args, const struct cat_shape *shape,
                        const struct cat_failure *failure, char *text, size_t size)
{
    (void)shape;
    snprintf(text, size, "word %u of the mask of lane %u, subgroup %u of workgroup %u",
             (unsigned)(failure->word % 4), (unsigned)(failure->word / 4),
             (unsigned)(failure->instance % subgroups_per_workgroup(args)),
             (unsigned)(failure->instance / subgroups_per_workgroup(args)));
}

static const struct cat_oracle oracle_broadcast_versus_shuffle = {
    .name = "broadcast.versus-shuffle",
    .check = CAT_CHECK_EQUAL,
    .instance = "subgroup",
    .shape = versus_shape,
    .input = versus_input,
    .expect = versus_expect,
    .where = versus_where,
};

static const struct cat_oracle oracle_broadcast_compaction = {
    .name = "broadcast.compaction",
    .check = CAT_CHECK_EQUAL,
    .instance = "subgroup",
    .shape = compaction_shape,
    .input = compaction_input,
    .expect = compaction_expect,
    .where = compaction_where,
};

static const struct cat_oracle oracle_broadcast_id = {
    .name = "broadcast.id",
    .check = CAT_CHECK_TAG,
    .instance = "subgroup",
    .shape = id_shape,
    .input = id_input,
    .expect = id_expect,
    .where = versus_where,
};

static const struct cat_oracle oracle_broadcast_match = {
    .name = "broadcast.match",
    .check = CAT_CHECK_EQUAL,
    .instance = "subgroup",
    .shape = match_shape,
    .input = match_input,
    .expect = match_expect,
    .where = match_where,
};

const struct cat_oracle *const oracles_broadcast[] = {
    &oracle_broadcast_id,
    &oracle_broadcast_match,
    &oracle_broadcast_versus_shuffle,
    &oracle_broadcast_compaction,
    NULL,
};
