// SPDX-License-Identifier: Apache-2.0
// Oracles of formulas: the test's head gives each invocation's result (catalogue/formula.h). The
// unit is a subgroup or a workgroup; in formula.waiting a workgroup whose invocations wait for each
// other.

#include "catalogue/catalogue.h"
#include "oracles/oracles.h"

static const struct cat_head *head_of(const struct cat_args *args)
{
    return &args->which->test->head;
}

// The head has been parsed with it, so it is valid.
static void parse(const struct cat_args *args, const char *text, struct cat_formula *formula)
{
    struct lit_error error;
    if (!cat_formula_parse(text, head_of(args), CAT_ASKS_ALL, formula, &error))
        lit_give_up(error.message);
    cat_formula_settle(formula, args->which);
}

// Evaluates a formula about the whole configuration; `without` if the head lacks it.
static uint32_t number(const struct cat_args *args, const char *text, uint32_t without)
{
    struct cat_formula formula;
    if (!text)
        return without;
    parse(args, text, &formula);
    return cat_formula_value(&formula, &(struct cat_place){.args = args});
}

static bool formula_fits(const struct cat_args *args, struct lit_error *error)
{
    const char *fits = head_of(args)->fits;
    return number(args, fits, 1) ||
           lit_fail(error, LIT_EXIT_USAGE, "subgroups of %u, workgroups of %u: the test needs %s",
                    (unsigned)args->subgroup, (unsigned)args->workgroup, fits);
}

// Zero words are not possible.
static uint32_t some(uint32_t count)
{
    return count ? count : 1;
}

static void formula_shape(struct cat_args *args)
{
    const struct cat_head *head = head_of(args);
    struct cat_shape *shape = &args->shape;
    cat_shape_usual(args, some(number(args, head->workgroups, args->scale)));
    shape->words_per_instance *= some(number(args, head->results, (uint32_t)head->output_count));
    shape->elements = number(args, head->elements, 0);
    shape->state_words = some(number(args, head->state, 1));
}

static void formula_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    struct cat_args each = *args;
    struct lit_random random = {seed};
    struct cat_place place = {.args = &each, .random = &random};
    struct cat_formula formula;
    parse(args, head_of(args)->input ? head_of(args)->input : "random", &formula);
    // One input word per invocation, as if it had a single output word.
    const uint64_t members = args->shape.input_words / args->shape.instances;
    each.shape.words_per_instance = members;
    for (uint64_t i = 0; i < args->shape.input_words; i++) {
        place.unit = i / members;
        place.word = i % members;
        input[i] = cat_formula_value(&formula, &place);
    }
}

static void formula_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    const struct cat_head *head = head_of(args);
    const uint64_t words = args->shape.words_per_instance;
    const uint32_t members = args->oracle->of_workgroups ? args->workgroup : args->subgroup;
    const uint64_t results = words / members;
    struct cat_formula formula = {0};
    struct cat_place place = {.args = args, .input = input};
    // The last formula is for all remaining results.
    for (uint64_t result = 0; result < results; result++) {
        if (result < head->output_count)
            parse(args, head->output[result], &formula);
        for (place.unit = 0; place.unit < args->shape.instances; place.unit++)
            for (place.word = result; place.word < words; place.word += results)
                expected[place.unit * words + place.word] = cat_formula_value(&formula, &place);
    }
}

#define FORMULA(name, unit, ...)                                                                   \
    ORACLE("formula." name, unit, .results = 1, .fits = formula_fits, .shape = formula_shape,      \
           .input = formula_input, .expect = formula_expect, __VA_ARGS__)

const struct cat_oracle oracles_formula[] = {
    FORMULA("subgroup", "subgroup", .of_workgroups = false),
    FORMULA("waiting", "workgroup", .of_workgroups = true, .needs_progress = true),
    FORMULA("workgroup", "workgroup", .of_workgroups = true),
    {0},
};
