// SPDX-License-Identifier: Apache-2.0
// The oracles of the broadcast family. Each subgroup has a counter, so what it fetches is known: no
// other subgroup touches it. An instance is a subgroup, iteration by iteration.

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
    shape->input_words = 1;
    return true;
}

// The lane to shuffle from, where the kernel finds it.
static void versus_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                         uint32_t *input)
{
    (void)shape;
    (void)seed;
    input[0] = cat_value(args, "elected");
}

// Lanes below the elected one take no part and write nothing. The others number their rounds on.
static void versus_expect(const struct cat_args *args, const struct cat_shape *shape,
                          const uint32_t *input, uint32_t *expected)
{
    (void)input;
    const uint32_t elected = cat_value(args, "elected");
    const uint32_t participants = args->subgroup - elected;
    for (uint64_t i = 0; i < shape->instances * shape->words_per_instance; i++) {
        const uint32_t word = (uint32_t)(i % shape->words_per_instance);
        const uint32_t iteration = word / args->subgroup, lane = word % args->subgroup;
        expected[i] = lane < elected ? CAT_POISON : iteration * participants + lane - elected;
    }
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

const struct cat_oracle *const oracles_broadcast[] = {
    &oracle_broadcast_versus_shuffle,
    &oracle_broadcast_compaction,
    NULL,
};
