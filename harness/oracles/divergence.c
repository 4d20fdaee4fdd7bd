// SPDX-License-Identifier: Apache-2.0
// The oracles of the family `divergence`: they name what a subgroup did, and fail nothing that was
// stored. An instance is a subgroup.

#include "oracles/oracles.h"

#include <stdio.h>

enum {
    TAKES_FIRST = 1, // bits of a lane's word of input, as spirv/common/observe-order.h has them
    SPEAKS = 2,

    LEAST_SUBGROUP = 4,
};

static bool subgroup_shape(const struct cat_args *args, struct cat_shape *shape, uint32_t elements,
                           struct lit_error *error)
{
    const uint64_t subgroups = (uint64_t)args->scale * (args->workgroup / args->subgroup);
    if (args->subgroup < LEAST_SUBGROUP)
        return lit_fail(error, LIT_EXIT_USAGE, "subgroups of %u: too few lanes to part",
                        (unsigned)args->subgroup);
    *shape = (struct cat_shape){
        .workgroups = args->scale,
        .elements = elements ? elements : (uint32_t)subgroups,
        .input_words = args->subgroup,
        .state_words = 1 + 5 * subgroups,
        .instances = subgroups,
        .words_per_instance = 1,
    };
    return true;
}

static bool sides_shape(const struct cat_args *args, struct cat_shape *shape,
                        struct lit_error *error)
{
    return subgroup_shape(args, shape, 0, error);
}

static bool two_iterations_shape(const struct cat_args *args, struct cat_shape *shape,
                                 struct lit_error *error)
{
    return subgroup_shape(args, shape, 2, error);
}

static bool one_iteration_shape(const struct cat_args *args, struct cat_shape *shape,
                                struct lit_error *error)
{
    return subgroup_shape(args, shape, 1, error);
}

// `taken` lanes take the first piece, the lowest or the highest; each piece's lowest lane speaks.
static void pieces_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                         uint32_t *input)
{
    (void)shape;
    (void)seed;
    const uint32_t taken = cat_value(args, "taken");
    const bool lowest = cat_value(args, "lowest");
    for (uint32_t lane = 0; lane < args->subgroup; lane++)
        input[lane] = (lowest ? lane < taken : lane >= args->subgroup - taken) ? TAKES_FIRST : 0;
    input[0] |= SPEAKS;
    input[lowest ? taken : args->subgroup - taken] |= SPEAKS;
}

// What the first piece found the second to have done: at its beginning, and at its end.
static uint32_t found(uint32_t begin, uint32_t end)
{
    return CAT_POISON + 0x300 + begin + 4 * end;
}

static void pieces_expect(const struct cat_args *args, const struct cat_shape *shape,
                          const uint32_t *input, uint32_t *expected)
{
    (void)args;
    (void)input;
    for (uint64_t i = 0; i < shape->instances; i++) {
        expected[4 * i] = found(0, 0);
        expected[4 * i + 1] = found(3, 3);
        expected[4 * i + 2] = found(0, 1);
        expected[4 * i + 3] = found(1, 3);
    }
}

// A quarter of the lanes takes `if (A)` and breaks, a quarter takes it only.
static void groups_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                         uint32_t *input)
{
    (void)shape;
    (void)seed;
    for (uint32_t lane = 0; lane < args->subgroup; lane++)
        input[lane] = lane % 4 == 0 ? 3 : lane % 4 == 1;
}

static void groups_expect(const struct cat_args *args, const struct cat_shape *shape,
                          const uint32_t *input, uint32_t *expected)
{
    (void)input;
    const bool some_left = cat_axis_is(args, "place", "broken-if");
    const uint32_t lanes = some_left ? args->subgroup / 4 * 3 : args->subgroup;
    for (uint64_t i = 0; i < shape->instances; i++) {
        expected[4 * i] = expected[4 * i + 3] = CAT_POISON + 1;
        expected[4 * i + 1] = CAT_POISON + 2;
        expected[4 * i + 2] = CAT_POISON + lanes;
    }
}

static void subgroup_where(const struct cat_args *args, const struct cat_shape *shape,
                           const struct cat_failure *failure, char *text, size_t size)
{
    (void)shape;
    const uint32_t subgroups = args->workgroup / args->subgroup;
    snprintf(text, size, "subgroup %u of workgroup %u", (unsigned)(failure->instance % subgroups),
             (unsigned)(failure->instance / subgroups));
}

static const struct cat_oracle oracle_sides = {
    .name = "divergence.sides",
    .check = CAT_CHECK_CHOICE,
    .choice = {.names = {"true side first", "false side first", "by turns, true side first",
                         "by turns, false side first", "something else"}},
    .instance = "subgroup",
    .shape = sides_shape,
    .input = pieces_input,
    .expect = pieces_expect,
    .where = subgroup_where,
};

static const struct cat_oracle oracle_loop_exit = {
    .name = "divergence.loop-exit",
    .check = CAT_CHECK_CHOICE,
    .choice = {.names = {"exit first", "back edge first", "by turns, exit first",
                         "by turns, back edge first", "something else"}},
    .instance = "subgroup",
    .shape = two_iterations_shape,
    .input = pieces_input,
    .expect = pieces_expect,
    .where = subgroup_where,
};

static const struct cat_oracle oracle_reconverge = {
    .name = "divergence.reconverge",
    .check = CAT_CHECK_CHOICE,
    .choice = {.names = {"together", "in two groups", "one by one", "", "something else"}},
    .instance = "subgroup",
    .shape = one_iteration_shape,
    .input = groups_input,
    .expect = groups_expect,
    .where = subgroup_where,
};

const struct cat_oracle *const oracles_divergence[] = {
    &oracle_loop_exit,
    &oracle_reconverge,
    &oracle_sides,
    NULL,
};
