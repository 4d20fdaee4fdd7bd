// SPDX-License-Identifier: Apache-2.0
// The oracle of shuffle.types: each lane receives the whole value of the lane that it named. An
// instance is a subgroup.
//
// input[] has an operand for each invocation, then eight words for each: two for each component of
// its value. An invocation's eight words of the output are alike; those that no component needs
// stay poison.

#include "base/random.h"
#include "oracles/oracles.h"
#include "oracles/shuffle_source.h"

#include <stdio.h>

enum { VALUE_WORDS = 8 };

static bool is(const struct cat_args *args, const char *type)
{
    return cat_axis_is(args, "type", type);
}

static uint32_t components(const struct cat_args *args)
{
    const char *width = cat_axis(args, "width");
    const char digit = width[3]; // "vec3", "scalar"
    return digit >= '2' && digit <= '4' ? (uint32_t)(digit - '0') : 1;
}

static bool is_pair(const struct cat_args *args)
{
    return is(args, "u64") || is(args, "f64");
}

// The bits of a component's word that a value of it has; of a truth value any of them counts.
static uint32_t kept_bits(const struct cat_args *args)
{
    return is(args, "u8") ? 0xff : is(args, "u16") ? 0xffff : UINT32_MAX;
}

static bool types_shape(const struct cat_args *args, struct cat_shape *shape,
                        struct lit_error *error)
{
    if (cat_axis_is(args, "op", "clustered") && args->subgroup < cat_value(args, "cluster"))
        return lit_fail(error, LIT_EXIT_USAGE, "a subgroup of %u lanes has no cluster of %u",
                        (unsigned)args->subgroup, (unsigned)cat_value(args, "cluster"));
    const uint32_t invocations = args->scale * args->workgroup;
    *shape = (struct cat_shape){
        .workgroups = args->scale,
        .elements = invocations,
        .input_words = (uint64_t)invocations * (1 + VALUE_WORDS),
        .state_words = 1,
        .instances = invocations / args->subgroup,
        .words_per_instance = (uint64_t)args->subgroup * VALUE_WORDS,
    };
    return true;
}

// What a component's words have to be.
enum form { ANY_BITS, HALF, FLOAT, DOUBLE, TRUTH };

static enum form form_of(const struct cat_args *args)
{
    return is(args, "f16")    ? HALF
           : is(args, "f32")  ? FLOAT
           : is(args, "f64")  ? DOUBLE
           : is(args, "bool") ? TRUTH
                              : ANY_BITS;
}

// A word for a component, of which `high` is the second: floats are normal, halves have a 32-bit
// float that stands for them exactly, and of two truth values one is true.
static uint32_t component_word(enum form form, bool high, uint32_t bits)
{
    const uint32_t sign = bits & 0x80000000u;
    switch (form) {
    case ANY_BITS:
        break;
    case HALF: // 10 bits of fraction, exponents -14 to 15
        return sign | (113 + (bits >> 23) % 30) << 23 | (bits & 0x007fe000);
    case FLOAT:
        return sign | (64 + (bits >> 23) % 128) << 23 | (bits & 0x007fffff);
    case DOUBLE:
        return high ? sign | (512 + (bits >> 20) % 1024) << 20 | (bits & 0x000fffff) : bits;
    case TRUTH:
        return sign ? bits : 0;
    }
    return bits;
}

static void types_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                        uint32_t *input)
{
    struct lit_random random = {seed};
    const enum form form = form_of(args);
    for (uint64_t i = 0; i < shape->instances; i++, input += args->subgroup)
        shuffle_operands(args, true, random_next(&random), input);
    for (uint64_t i = 0; i < shape->instances * shape->words_per_instance; i++)
        input[i] = component_word(form, i % 2, (uint32_t)random_next(&random));
}

static void types_expect(const struct cat_args *args, const struct cat_shape *shape,
                         const uint32_t *input, uint32_t *expected)
{
    const uint32_t invocations = shape->elements, *values = input + invocations;
    const struct shuffle_op op = shuffle_op_of(args);
    const uint32_t used = components(args), bits = kept_bits(args);
    const bool pair = is_pair(args), truth = form_of(args) == TRUTH;
    for (uint32_t i = 0; i < invocations; i++) {
        const uint32_t lane = i % args->subgroup;
        const uint32_t *from =
            values + VALUE_WORDS * (i - lane + shuffle_source(&op, lane, input[i]));
        for (uint32_t word = 0; word < VALUE_WORDS; word++) {
            const bool stored = word / 2 < used && (word % 2 == 0 || pair);
            const uint32_t kept = truth ? from[word] != 0 : from[word] & bits;
            *expected++ = stored ? kept : CAT_POISON;
        }
    }
}

static void types_where(const struct cat_args *args, const struct cat_shape *shape,
                        const struct cat_failure *failure, char *text, size_t size)
{
    (void)shape;
    const uint32_t subgroups = args->workgroup / args->subgroup;
    snprintf(text, size, "lane %u, component %u%s, subgroup %u of workgroup %u",
             (unsigned)(failure->word / VALUE_WORDS), (unsigned)(failure->word % VALUE_WORDS / 2),
             !is_pair(args)      ? ""
             : failure->word % 2 ? ", upper half"
                                 : ", lower half",
             (unsigned)(failure->instance % subgroups), (unsigned)(failure->instance / subgroups));
}

const struct cat_oracle oracle_shuffle_types = {
    .name = "shuffle.types",
    .check = CAT_CHECK_EQUAL,
    .instance = "subgroup",
    .shape = types_shape,
    .input = types_input,
    .expect = types_expect,
    .where = types_where,
};
