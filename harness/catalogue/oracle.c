// SPDX-License-Identifier: Apache-2.0
// Finds an oracle among those of all files, and does what all oracles have in common.
#include "base/random.h"
#include "base/text.h"
#include "oracles/oracles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_OF(name) oracles_##name,
static const struct cat_oracle *const tables[] = {ORACLE_TABLES(TABLE_OF)};

const struct cat_oracle *cat_oracle_find(const char *name)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct cat_oracle *oracle = tables[i]; oracle->name; oracle++)
            if (!strcmp(oracle->name, name))
                return oracle;
    return NULL;
}

static uint32_t invocations_of_a_unit(const struct cat_args *args)
{
    return args->oracle->of_workgroups ? args->workgroup : args->subgroup;
}

void cat_shape_usual(struct cat_args *args, uint32_t workgroups)
{
    const uint64_t invocations = (uint64_t)workgroups * args->workgroup;
    args->shape = (struct cat_shape){
        .workgroups = workgroups,
        .input_words = invocations,
        .state_words = 1,
        .instances = invocations / invocations_of_a_unit(args),
        .words_per_instance = (uint64_t)args->oracle->results * invocations_of_a_unit(args),
    };
}

void cat_random_words(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    struct lit_random random = {seed};
    for (uint64_t i = 0; i < args->shape.input_words; i++)
        input[i] = (uint32_t)(random_next(&random) >> 32);
}

void cat_repeat(const struct cat_shape *shape, size_t words, uint32_t *expected)
{
    for (uint64_t instance = 1; instance < shape->instances; instance++)
        memcpy(expected + instance * words, expected, words * sizeof *expected);
}

static struct cat_args asked(const struct cat_oracle *oracle, const struct cat_args *args,
                             const struct cat_shape *shape)
{
    struct cat_args with = *args;
    with.oracle = oracle;
    with.shape = *shape;
    return with;
}

bool cat_oracle_shape(const struct cat_oracle *oracle, const struct cat_args *args,
                      struct cat_shape *shape, struct lit_error *error)
{
    struct cat_args with = asked(oracle, args, &(struct cat_shape){0});
    if (args->subgroup < oracle->least)
        return lit_fail(error, LIT_EXIT_USAGE, "subgroups of %u lanes: the test needs %u or more",
                        (unsigned)args->subgroup, (unsigned)oracle->least);
    if (oracle->fits && !oracle->fits(&with, error))
        return false;
    cat_shape_usual(&with, args->scale);
    if (oracle->shape)
        oracle->shape(&with);
    *shape = with.shape;
    return true;
}

void cat_oracle_input(const struct cat_oracle *oracle, const struct cat_args *args,
                      const struct cat_shape *shape, uint64_t seed, uint32_t *input)
{
    const struct cat_args with = asked(oracle, args, shape);
    (oracle->input ? oracle->input : cat_random_words)(&with, seed, input);
}

void cat_oracle_expect(const struct cat_oracle *oracle, const struct cat_args *args,
                       const struct cat_shape *shape, const uint32_t *input, uint32_t *expected)
{
    const struct cat_args with = asked(oracle, args, shape);
    const uint64_t words = shape->words_per_instance * cat_check_stride(oracle->check);
    const uint64_t each = shape->input_words / shape->instances;
    if (oracle->expect)
        oracle->expect(&with, input, expected);
    for (uint64_t i = 0; !oracle->expect && i < shape->instances; i++)
        oracle->expect_unit(&with, input + i * each, expected + i * words);
    if (oracle->alike)
        cat_repeat(shape, words, expected);
}

// Where a failing word is

struct place {
    const struct cat_args *args;
    const struct cat_failure *failure;
};

// What the name at *at stands for. Moves *at behind it.
static uint64_t read_number(const struct place *place, const char **at)
{
    const struct cat_args *args = place->args;
    const struct cat_shape *shape = &args->shape;
    const size_t length = strcspn(*at, "%/-|}");
    const struct {
        const char *name;
        uint64_t number;
    } known[] = {
        {"word", place->failure->word},
        {"unit", place->failure->instance},
        {"lanes", args->subgroup},
        {"workgroup", args->workgroup},
        {"subgroups", args->workgroup / args->subgroup},
        {"workgroups", shape->workgroups},
        {"elements", shape->elements},
        {"words", shape->words_per_instance},
        {"results", shape->words_per_instance / invocations_of_a_unit(args)},
    };
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)length, *at);
    *at += length;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].number;
    if (name[0] >= '0' && name[0] <= '9')
        return strtoull(name, NULL, 10);
    const char *axis = cat_axis(args, name);
    return axis ? strtoull(axis, NULL, 10) : cat_value(args, name);
}

// What stands between braces, of which the first was at (*at)[-1]. Moves *at behind the second.
static void put_number(const struct place *place, const char **at, struct text *out)
{
    uint64_t number = read_number(place, at);
    while (strchr("%/-", **at)) {
        const char operation = *(*at)++;
        const uint64_t other = read_number(place, at);
        if (operation == '-')
            number -= other;
        else if (other)
            number = operation == '/' ? number / other : number % other;
    }
    if (**at != '|')
        text_printf(out, "%llu", (unsigned long long)number);
    for (; **at == '|'; *at += strcspn(*at, "|}"), number--) {
        ++*at;
        if (number == 0)
            text_append(out, *at, strcspn(*at, "|}"));
    }
    ++*at;
}

void cat_oracle_where(const struct cat_oracle *oracle, const struct cat_args *args,
                      const struct cat_shape *shape, const struct cat_failure *failure, char *text,
                      size_t size)
{
    const struct cat_args with = asked(oracle, args, shape);
    const struct place place = {&with, failure};
    const char *at = oracle->where ? oracle->where
                     : oracle->of_workgroups
                         ? "invocation {word/results}, result {word%results}, workgroup {unit}"
                         : "lane {word/results}, result {word%results}" OF_SUBGROUP;
    OWNED(text_free) struct text out = {0};
    if (oracle->describe) {
        oracle->describe(&with, failure, text, size);
        return;
    }
    if (oracle->where_of)
        at = oracle->where_of(&with, failure);
    for (size_t length; *at; at += length) {
        length = strcspn(at, "{");
        text_append(&out, at, length);
        if (at[length]) {
            at += length + 1;
            length = 0;
            put_number(&place, &at, &out);
        }
    }
    snprintf(text, size, "%s", out.data);
}

struct cat_mode cat_mode_of(const struct cat_oracle *oracle)
{
    return (struct cat_mode){oracle->check, oracle->choice};
}
