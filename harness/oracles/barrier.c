// SPDX-License-Identifier: Apache-2.0
// The oracles of the family `barrier`: every invocation comes to the kernel's end,
// with what its rounds or iterations make of its input.

#include "base/random.h"
#include "oracles/oracles.h"

#include <stdio.h>

// `steps` steps of the kernels' linear congruential generator at once: x becomes factor * x + term.
struct steps {
    uint32_t factor, term;
};

static struct steps many_steps(uint32_t count)
{
    struct steps all = {.factor = 1};
    while (count--) {
        all.factor *= 1664525u;
        all.term = all.term * 1664525u + 1013904223u;
    }
    return all;
}

static void random_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                         uint32_t *input)
{
    (void)args;
    struct lit_random random = {seed};
    for (uint64_t i = 0; i < shape->input_words; i++)
        input[i] = (uint32_t)(random_next(&random) >> 32);
}

static bool branch_shape(const struct cat_args *args, struct cat_shape *shape,
                         struct lit_error *error)
{
    if (args->workgroup == args->subgroup)
        return lit_fail(error, LIT_EXIT_USAGE, "a workgroup of one subgroup has no others");
    *shape = (struct cat_shape){
        .workgroups = args->scale,
        .elements = cat_value(args, "rounds"),
        .input_words = (uint64_t)args->scale * args->workgroup,
        .state_words = 2,
        .instances = args->scale,
        .words_per_instance = args->workgroup,
    };
    return true;
}

// An invocation adds what the lane of its number made, in the chosen subgroup, to its own item.
static void branch_expect(const struct cat_args *args, const struct cat_shape *shape,
                          const uint32_t *input, uint32_t *expected)
{
    const struct steps rounds = many_steps(shape->elements);
    const bool first = cat_axis_is(args, "chosen", "first");
    const uint32_t chosen = first ? 0 : args->workgroup - args->subgroup;
    for (uint64_t i = 0; i < shape->input_words; i++) {
        const uint64_t word = i % args->workgroup;
        const uint32_t item = input[i - word + chosen + word % args->subgroup];
        expected[i] = input[i] + rounds.factor * item + rounds.term;
    }
}

static void branch_where(const struct cat_args *args, const struct cat_shape *shape,
                         const struct cat_failure *failure, char *text, size_t size)
{
    (void)shape;
    snprintf(text, size, "lane %u, subgroup %u of workgroup %u",
             (unsigned)(failure->word % args->subgroup), (unsigned)(failure->word / args->subgroup),
             (unsigned)failure->instance);
}

// One workgroup is enough: an invocation of a long loop has nothing to do with any other.
static bool long_shape(const struct cat_args *args, struct cat_shape *shape,
                       struct lit_error *error)
{
    (void)error;
    *shape = (struct cat_shape){
        .workgroups = 1,
        .elements = cat_value(args, "iterations"),
        .input_words = args->workgroup,
        .state_words = 1,
        .instances = args->workgroup / args->subgroup,
        .words_per_instance = 2 * (uint64_t)args->subgroup,
    };
    return true;
}

static void long_expect(const struct cat_args *args, const struct cat_shape *shape,
                        const uint32_t *input, uint32_t *expected)
{
    (void)args;
    const struct steps all = many_steps(shape->elements);
    for (uint64_t i = 0; i < shape->input_words; i++) {
        expected[2 * i] = shape->elements;
        expected[2 * i + 1] = all.factor * input[i] + all.term;
    }
}

static void long_where(const struct cat_args *args, const struct cat_shape *shape,
                       const struct cat_failure *failure, char *text, size_t size)
{
    (void)args;
    (void)shape;
    snprintf(text, size, "%s, lane %u, subgroup %u",
             failure->word % 2 ? "result" : "number of iterations", (unsigned)(failure->word / 2),
             (unsigned)failure->instance);
}

static const struct cat_oracle oracle_barrier_in_branch = {
    .name = "barrier.in-branch",
    .check = CAT_CHECK_EQUAL,
    .instance = "workgroup",
    .shape = branch_shape,
    .input = random_input,
    .expect = branch_expect,
    .where = branch_where,
};

static const struct cat_oracle oracle_barrier_long_loop = {
    .name = "barrier.long-loop",
    .check = CAT_CHECK_EQUAL,
    .instance = "subgroup",
    .shape = long_shape,
    .input = random_input,
    .expect = long_expect,
    .where = long_where,
};

const struct cat_oracle *const oracles_barrier[] = {
    &oracle_barrier_in_branch,
    &oracle_barrier_long_loop,
    NULL,
};
