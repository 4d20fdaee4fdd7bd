// SPDX-License-Identifier: Apache-2.0
// The oracles of the family `barrier`: every invocation comes to the kernel's end,
// with what its rounds or iterations make of its input.

#include "oracles/oracles.h"

static bool branch_fits(const struct cat_args *args, struct lit_error *error)
{
    return args->workgroup > args->subgroup ||
           lit_fail(error, LIT_EXIT_USAGE, "a workgroup of one subgroup has no others");
}

static void branch_shape(struct cat_args *args)
{
    args->shape.state_words = 2;
}

// An invocation adds what the lane of its number made, in the chosen subgroup, to its own item.
static void branch_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    const struct oracle_steps rounds = oracle_steps(args->shape.elements);
    const bool first = cat_axis_is(args, "chosen", "first");
    const uint32_t chosen = first ? 0 : args->workgroup - args->subgroup;
    for (uint32_t i = 0; i < args->workgroup; i++)
        expected[i] = input[i] + rounds.factor * input[chosen + i % args->subgroup] + rounds.term;
}

// One workgroup is enough: an invocation of a long loop has nothing to do with any other.
static void long_shape(struct cat_args *args)
{
    cat_shape_usual(args, 1);
}

static void long_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    const struct oracle_steps all = oracle_steps(args->shape.elements);
    for (uint64_t i = 0; i < args->shape.input_words; i++) {
        expected[2 * i] = args->shape.elements;
        expected[2 * i + 1] = all.factor * input[i] + all.term;
    }
}

const struct cat_oracle oracles_barrier[] = {
    {
        .name = "barrier.in-branch",
        .elements = "rounds",
        .instance = "workgroup",
        .of_workgroups = true,
        .results = 1,
        .fits = branch_fits,
        .shape = branch_shape,
        .expect_unit = branch_expect,
        .where = "lane {word%lanes}, subgroup {word/lanes} of workgroup {unit}",
    },
    {
        .name = "barrier.long-loop",
        .elements = "iterations",
        .instance = "subgroup",
        .results = 2,
        .shape = long_shape,
        .expect = long_expect,
        .where = "{word%2|number of iterations|result}, lane {word/2}, subgroup {unit}",
    },
    {0},
};
