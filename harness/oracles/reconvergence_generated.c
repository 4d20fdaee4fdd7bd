// SPDX-License-Identifier: Apache-2.0
// The oracle of generated programs: the test's head has the program, the simulator does the rest.
#include "catalogue/catalogue.h"
#include "generate/program.h"
#include "oracles/reconvergence.h"

#include <stdlib.h>
#include <string.h>

static bool is_maximal(const struct cat_args *args)
{
    return reconvergence_rule(args) == MASKS_MAXIMAL;
}

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

static bool size(const struct cat_args *args, struct cat_shape *out, struct lit_error *error)
{
    struct gen_shape *shape = make_shape(args, error);
    const bool good = shape && reconvergence_size(args, &shape->masks, out, error);
    free(shape);
    return good;
}

static void fill_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                       uint32_t *input)
{
    for (uint64_t i = 0; i < shape->input_words; i++)
        input[i] =
            gen_word(seed, i / args->subgroup, (uint32_t)(i % args->subgroup), args->subgroup);
}

static void expect(const struct cat_args *args, const struct cat_shape *out, const uint32_t *input,
                   uint32_t *expected)
{
    struct gen_shape *shape = make_shape(args, NULL);
    if (shape)
        reconvergence_expect(args, &shape->masks, out, input, expected);
    free(shape);
}

static void where(const struct cat_args *args, const struct cat_shape *out,
                  const struct cat_failure *failure, char *text, size_t capacity)
{
    struct gen_shape *shape = make_shape(args, NULL);
    (void)out;
    if (shape)
        reconvergence_where(args, &shape->masks, failure, text, capacity);
    free(shape);
}

const struct cat_oracle reconvergence_generated = {
    .name = "reconvergence.generated",
    .check = CAT_CHECK_MASK,
    .instance = "subgroup",
    .steady = is_maximal,
    .shape = size,
    .input = fill_input,
    .expect = expect,
    .where = where,
};
