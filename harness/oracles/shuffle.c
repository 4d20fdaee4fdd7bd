// SPDX-License-Identifier: Apache-2.0
// The oracle of shuffle.scan-loop: scans of 1024 elements for each workgroup, by one operation or
// by seven. An instance is what one operation made of one workgroup's elements; the instances of an
// operation lie together.

#include "base/random.h"
#include "oracles/oracles.h"
#include "oracles/shuffle_source.h"

#include <stdio.h>

#define VIRTUAL_WORKGROUP 1024u

enum operation { AND, XOR, OR, ADD, MUL, MIN, MAX };

static const char *const operation_names[] = {"and", "xor", "or", "add", "mul", "min", "max"};
static const enum operation seven[] = {AND, XOR, OR, ADD, MUL, MIN, MAX};

static bool is_seven(const struct cat_args *args)
{
    return cat_axis_is(args, "op", "seven");
}

static enum operation operation_of(const struct cat_args *args, const struct cat_shape *shape,
                                   uint64_t instance)
{
    return is_seven(args) ? seven[instance / shape->workgroups] : ADD;
}

static uint32_t identity(enum operation operation)
{
    switch (operation) {
    case AND:
    case MIN:
        return UINT32_MAX;
    case MUL:
        return 1;
    case XOR:
    case OR:
    case ADD:
    case MAX:
        break;
    }
    return 0;
}

static uint32_t combine(enum operation operation, uint32_t a, uint32_t b)
{
    switch (operation) {
    case AND:
        return a & b;
    case XOR:
        return a ^ b;
    case OR:
        return a | b;
    case ADD:
        return a + b;
    case MUL:
        return a * b;
    case MIN:
        return a < b ? a : b;
    case MAX:
        break;
    }
    return a > b ? a : b;
}

static uint32_t fold(enum operation operation, const uint32_t *words, uint32_t count)
{
    uint32_t result = identity(operation);
    for (uint32_t i = 0; i < count; i++)
        result = combine(operation, result, words[i]);
    return result;
}

static bool scan_loop_shape(const struct cat_args *args, struct cat_shape *shape,
                            struct lit_error *error)
{
    if (args->workgroup % args->subgroup || VIRTUAL_WORKGROUP % args->workgroup)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%u invocations cannot share %u elements in subgroups of %u",
                        (unsigned)args->workgroup, VIRTUAL_WORKGROUP, (unsigned)args->subgroup);
    const uint32_t elements = args->scale * VIRTUAL_WORKGROUP;
    *shape = (struct cat_shape){
        .workgroups = args->scale,
        .elements = elements,
        .input_words = elements,
        .state_words = 1,
        .instances = (uint64_t)args->scale * (is_seven(args) ? 7 : 1),
        .words_per_instance = VIRTUAL_WORKGROUP,
    };
    return true;
}

// Words in which every operation keeps something to say after a thousand of them: odd, so that a
// product keeps all its bits; bits 16 to 23 nearly always set, for and; bits 24 to 31 nearly
// always clear, for or and max.
static void scan_loop_input(const struct cat_args *args, const struct cat_shape *shape,
                            uint64_t seed, uint32_t *input)
{
    (void)args;
    struct lit_random random = {seed};
    for (uint64_t i = 0; i < shape->input_words; i++) {
        const uint64_t bits = random_next(&random);
        uint32_t word = 0x00ff0001u | (bits & 0xffff);
        if (!(bits >> 16 & 63))
            word &= ~(0x00010000u << (bits >> 22 & 7));
        if (!(bits >> 25 & 63))
            word |= 0x01000000u << (bits >> 31 & 7);
        input[i] = word;
    }
}

// Every element becomes its subgroup's reduction in that round, combined with the reduction of all.
static void expect_reduce(const struct cat_args *args, enum operation operation,
                          const uint32_t *input, uint32_t *expected)
{
    const uint32_t all = fold(operation, input, VIRTUAL_WORKGROUP);
    for (uint32_t i = 0; i < VIRTUAL_WORKGROUP; i++) {
        const uint32_t start = i - i % args->subgroup;
        expected[i] = combine(operation, all, fold(operation, input + start, args->subgroup));
    }
}

static void expect_scan(bool inclusive, enum operation operation, const uint32_t *input,
                        uint32_t *expected)
{
    uint32_t result = identity(operation);
    for (uint32_t i = 0; i < VIRTUAL_WORKGROUP; i++) {
        const uint32_t before = result;
        result = combine(operation, result, input[i]);
        expected[i] = inclusive ? result : before;
    }
}

static void scan_loop_expect(const struct cat_args *args, const struct cat_shape *shape,
                             const uint32_t *input, uint32_t *expected)
{
    const bool inclusive = cat_axis_is(args, "mode", "inclusive");
    const bool reduce = cat_axis_is(args, "mode", "reduce");
    for (uint64_t i = 0; i < shape->instances; i++) {
        const enum operation operation = operation_of(args, shape, i);
        const uint32_t *from = input + i % shape->workgroups * VIRTUAL_WORKGROUP;
        uint32_t *to = expected + i * VIRTUAL_WORKGROUP;
        if (reduce)
            expect_reduce(args, operation, from, to);
        else
            expect_scan(inclusive, operation, from, to);
    }
}

static void scan_loop_where(const struct cat_args *args, const struct cat_shape *shape,
                            const struct cat_failure *failure, char *text, size_t size)
{
    const uint32_t invocation = (uint32_t)failure->word % args->workgroup;
    snprintf(text, size, "lane %u of subgroup %u, iteration %u, operation %s, workgroup %u",
             (unsigned)(invocation % args->subgroup), (unsigned)(invocation / args->subgroup),
             (unsigned)(failure->word / args->workgroup),
             operation_names[operation_of(args, shape, failure->instance)],
             (unsigned)(failure->instance % shape->workgroups));
}

static const struct cat_oracle oracle_shuffle_scan_loop = {
    .name = "shuffle.scan-loop",
    .check = CAT_CHECK_EQUAL,
    .instance = "workgroup",
    .shape = scan_loop_shape,
    .input = scan_loop_input,
    .expect = scan_loop_expect,
    .where = scan_loop_where,
};

const struct cat_oracle *const oracles_shuffle[] = {
    &oracle_shuffle_branch,
    &oracle_shuffle_exchange,
    &oracle_shuffle_scan_loop,
    &oracle_shuffle_types,
    NULL,
};
