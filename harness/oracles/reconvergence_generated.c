// SPDX-License-Identifier: Apache-2.0
// The oracle of generated programs: the test's head has the program, the simulator does the rest.
#include "catalogue/catalogue.h"
#include "generate/program.h"
#include "oracles/reconvergence.h"

#include <stdlib.h>

// Free it. NULL with an error if the head has no program that is one.
static struct gen_shape *make_shape(const struct cat_args *args, struct lit_error *error)
{
    const char *notation = args->which->test->head.program;
    struct gen_program program;
    if (!notation) {
        lit_fail(error, LIT_EXIT_USAGE, "the head lacks 'program'");
        return NULL;
    }
    if (!gen_read(notation, strlen(notation), &program, error) ||
        !gen_check(&program, reconvergence_rule(args), error))
        return NULL;
    return gen_shape_make(&program);
}

static bool fits(const struct cat_args *args, struct lit_error *error)
{
    struct gen_shape *shape = make_shape(args, error);
    free(shape);
    return shape && reconvergence_fits(args, error);
}

// The head has been read before.
static void shape_of(struct cat_args *args)
{
    struct gen_shape *shape = make_shape(args, NULL);
    reconvergence_shape_of(&shape->masks, args);
    free(shape);
}

static void fill_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    for (uint64_t i = 0; i < args->shape.input_words; i++)
        input[i] =
            gen_word(seed, i / args->subgroup, (uint32_t)(i % args->subgroup), args->subgroup);
}

static void expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    struct gen_shape *shape = make_shape(args, NULL);
    if (shape)
        reconvergence_expect_of(&shape->masks, args, input, expected);
    free(shape);
}

static void describe(const struct cat_args *args, const struct cat_failure *failure, char *text,
                     size_t size)
{
    struct gen_shape *shape = make_shape(args, NULL);
    if (shape)
        reconvergence_describe_of(&shape->masks, args, failure, text, size);
    free(shape);
}

const struct cat_oracle oracles_reconvergence_generated[] = {
    {
        .name = "reconvergence.generated",
        .check = CAT_CHECK_MASK,
        .instance = "subgroup",
        .deterministic = reconvergence_is_maximal,
        .fits = fits,
        .shape = shape_of,
        .input = fill_input,
        .expect = expect,
        .describe = describe,
    },
    {0},
};
