// SPDX-License-Identifier: Apache-2.0
// Family `groups`: generated programs with data. An interpreter of the program in the head computes
// the final registers.
#include "oracles/oracles.h"

#include "catalogue/catalogue.h"
#include "generate/program.h"

static bool fits(const struct cat_args *args, struct lit_error *error)
{
    const struct gen_program *program = args->which->test->program;
    if (!oracle_program_fits(args, error))
        return false;
    if (!program->numbers)
        return lit_fail(error, LIT_EXIT_USAGE, "the program of the head has no registers");
    if (args->subgroup < gen_least(program) || args->subgroup > 128)
        return lit_fail(error, LIT_EXIT_USAGE, "the program does not fit into subgroups of %u",
                        args->subgroup);
    const uint32_t most =
        gen_has_blocks(program) || gen_multiplies(program) ? GEN_STATE_LANES : MASKS_LANES;
    return (args->workgroup <= most && args->workgroup >= 64 &&
            args->workgroup % args->subgroup == 0) ||
           lit_fail(error, LIT_EXIT_USAGE, "the program does not fit workgroups of %u",
                    args->workgroup);
}

static void size_up(struct cat_args *args)
{
    const struct gen_program *program = args->which->test->program;
    args->shape.elements = args->subgroup;
    args->shape.words_per_instance = (uint64_t)args->subgroup * gen_registers_records(program) * 4;
    args->shape.state_words = gen_state_words(program, args->shape.workgroups, args->workgroup);
}

static void fill_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    for (uint64_t i = 0; i < args->shape.input_words; i++)
        input[i] =
            gen_word(seed, i / args->subgroup, (uint32_t)(i % args->subgroup), args->subgroup);
}

static void expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    const struct gen_program *program = args->which->test->program;
    const size_t words = (size_t)args->workgroup * gen_registers_records(program) * 4;
    for (uint32_t i = 0; i < args->shape.workgroups; i++)
        gen_interpret(program, args->workgroup, args->subgroup, i, input, &expected[i * words]);
}

static void describe(const struct cat_args *args, const struct cat_failure *failure, char *text,
                     size_t size)
{
    const struct gen_program *program = args->which->test->program;
    const uint64_t words = gen_registers_records(program) * UINT64_C(4);
    const uint32_t word = (uint32_t)(failure->word % words);
    const uint32_t lane = (uint32_t)(failure->word / words);
    if (word < program->numbers)
        snprintf(text, size, "lane %u, u%u", lane, word);
    else
        snprintf(text, size, "lane %u, %s", lane,
                 word == program->numbers ? "p0 and on, as bits" : "behind the registers");
}

const struct cat_oracle oracles_groups[] = {
    ORACLE("groups.generated", "subgroup", .read = oracle_program_read, .fits = fits,
           .shape = size_up, .input = fill_input, .expect = expect, .describe = describe),
    ORACLE("groups.drawn", "subgroup", .draws = "groups"),
    {0},
};
