// SPDX-License-Identifier: Apache-2.0
// The oracles of family `divergence`: they name a subgroup's behaviour; no stored value fails. The
// unit is a subgroup.

#include "oracles/oracles.h"

enum { TAKES_FIRST = 1, SPEAKS = 2 }; // bits of a lane's word, as in spirv/common/observe-order.h

// `data` is the number of iterations; divergence.sides passes the number of subgroups to the
// kernel.
static void subgroup_shape(struct cat_args *args)
{
    struct cat_shape *shape = &args->shape;
    const uint32_t *iterations = args->oracle->data;
    shape->elements = iterations ? *iterations : (uint32_t)shape->instances;
    shape->input_words = args->subgroup;
    shape->state_words = 1 + 5 * shape->instances;
    shape->words_per_instance = 1;
}

// `taken` lanes, the lowest or highest, execute the first piece; the lowest lane of each piece
// speaks.
static void pieces_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    (void)seed;
    const uint32_t taken = cat_value(args, "taken");
    const bool lowest = cat_value(args, "lowest");
    for (uint32_t lane = 0; lane < args->subgroup; lane++)
        input[lane] = (lowest ? lane < taken : lane >= args->subgroup - taken) ? TAKES_FIRST : 0;
    input[0] |= SPEAKS;
    input[lowest ? taken : args->subgroup - taken] |= SPEAKS;
}

// What the first piece observed of the second: at its beginning, and at its end.
static uint32_t found(uint32_t begin, uint32_t end)
{
    return CAT_POISON + 0x300 + begin + 4 * end;
}

static void pieces_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    (void)args;
    (void)input;
    expected[0] = found(0, 0);
    expected[1] = found(3, 3);
    expected[2] = found(0, 1);
    expected[3] = found(1, 3);
}

// A quarter of the lanes takes `if (A)` and breaks; another quarter only takes it.
static void groups_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    (void)seed;
    for (uint32_t lane = 0; lane < args->subgroup; lane++)
        input[lane] = lane % 4 == 0 ? 3 : lane % 4 == 1;
}

static void groups_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    (void)input;
    const bool some_left = cat_axis_is(args, "place", "broken-if");
    const uint32_t lanes = some_left ? args->subgroup / 4 * 3 : args->subgroup;
    expected[0] = expected[3] = CAT_POISON + 1;
    expected[1] = CAT_POISON + 2;
    expected[2] = CAT_POISON + lanes;
}

#define DIVERGENCE(name, input_, expect_, iterations, ...)                                         \
    ORACLE("divergence." name, "subgroup", .check = CAT_CHECK_CHOICE,                              \
           .choice = {.names = {__VA_ARGS__, "something else"}}, .alike = true, .least = 4,        \
           .data = iterations, .shape = subgroup_shape, .input = input_, .expect = expect_,        \
           .where = "subgroup {unit%subgroups} of workgroup {unit/subgroups}")

const struct cat_oracle oracles_divergence[] = {
    DIVERGENCE("loop-exit", pieces_input, pieces_expect, &(const uint32_t){2}, "exit first",
               "back edge first", "by turns, exit first", "by turns, back edge first"),
    DIVERGENCE("reconverge", groups_input, groups_expect, &(const uint32_t){1}, "together",
               "in two groups", "one by one", ""),
    DIVERGENCE("sides", pieces_input, pieces_expect, NULL, "true side first", "false side first",
               "by turns, true side first", "by turns, false side first"),
    {0},
};
