// SPDX-License-Identifier: Apache-2.0
// The oracles of family `progress`: the output after every invocation has completed. A kernel
// itself reports those that did not, in word 0 of the state.

#include "oracles/oracles.h"

enum {
    NODES_LAID_OUT = 4, // nodes of linked-list before its tail
    NODE_WORDS = 3,
};

static uint32_t subgroups_of(const struct cat_args *args)
{
    return args->workgroup / args->subgroup;
}

static void odd_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    cat_random_words(args, seed, input);
    for (uint64_t i = 0; i < args->shape.input_words; i++)
        input[i] |= 1;
}

// chain

static void chain_shape(struct cat_args *args)
{
    const uint32_t workgroups = cat_value(args, "workgroups");
    args->shape = (struct cat_shape){
        .workgroups = workgroups,
        .elements = workgroups,
        .input_words = 1,
        .state_words = 2 + (uint64_t)workgroups,
        .instances = 1,
        .words_per_instance = workgroups,
    };
}

static void chain_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    uint32_t value = input[0];
    for (uint64_t link = 0; link < args->shape.words_per_instance; link++)
        expected[link] = value = (value * 1664525u + 1013904223u) | 1;
}

// occupancy

static void occupancy_shape(struct cat_args *args)
{
    chain_shape(args);
    args->shape.input_words = 0;
    args->shape.state_words = 2;
}

static void occupancy_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    (void)input;
    for (uint64_t i = 0; i < args->shape.words_per_instance; i++)
        expected[i] = args->shape.workgroups;
}

// spin-lock

static void lock_shape(struct cat_args *args)
{
    struct cat_shape *shape = &args->shape;
    shape->elements = args->scale;
    shape->input_words = 0;
    shape->instances = args->scale;
    shape->words_per_instance = subgroups_of(args);
    if (cat_axis_is(args, "contenders", "lanes")) {
        shape->instances = (uint64_t)args->scale * subgroups_of(args);
        shape->words_per_instance = args->subgroup;
    } else if (cat_axis_is(args, "contenders", "workgroups")) {
        shape->instances = 1;
        shape->words_per_instance = args->scale;
    }
    shape->state_words = 1 + 2 * shape->instances;
}

static bool lock_fits(const struct cat_args *args, struct lit_error *error)
{
    struct cat_args with = *args;
    lock_shape(&with);
    return with.shape.words_per_instance >= 2 ||
           lit_fail(error, LIT_EXIT_USAGE, "a lock with a single contender is not contended");
}

// Each predecessor count occurs exactly once among those that entered.
static void lock_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    (void)input;
    for (uint64_t i = 0; i < args->shape.words_per_instance; i++)
        expected[i] = (uint32_t)i;
}

// linked-list

static void list_shape(struct cat_args *args)
{
    struct cat_shape *shape = &args->shape;
    const uint64_t nodes = NODES_LAID_OUT + 1 + (uint64_t)args->subgroup;
    shape->input_words = 0;
    shape->state_words = 1 + shape->instances * NODE_WORDS * nodes;
    shape->words_per_instance = 4;
}

// All nodes except the tail, in both directions: 0 to 3, and one per lane from 5 on.
static void list_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    (void)input;
    const uint32_t lanes = args->subgroup;
    expected[0] = expected[2] = NODES_LAID_OUT + lanes;
    expected[1] = expected[3] = 0 + 1 + 2 + 3 + 5 * lanes + lanes * (lanes - 1) / 2;
}

const struct cat_oracle oracles_progress[] = {
    ORACLE("progress.chain", "chain", .needs_progress = true, .shape = chain_shape,
           .input = odd_input, .expect = chain_expect, .where = "link {word} of {workgroups}"),
    ORACLE("progress.occupancy", "dispatch", .needs_progress = true, .shape = occupancy_shape,
           .expect = occupancy_expect, .where = "workgroup {word} of {workgroups}"),
    ORACLE("progress.spin-lock", "lock", .needs_progress = true, .alike = true, .fits = lock_fits,
           .shape = lock_shape, .expect = lock_expect,
           .where = "entry {word} of {words} into lock {unit}"),
    ORACLE("progress.linked-list", "list", .needs_progress = true, .alike = true,
           .least = NODES_LAID_OUT, .shape = list_shape, .expect = list_expect,
           .where = "{word|nodes there|their sum|nodes back|their sum back}" OF_SUBGROUP),
    {0},
};
