// SPDX-License-Identifier: Apache-2.0
// The oracles of the workgroup scans that go through shared memory: scan.levels,
// scan.hillis-steele and scan.blelloch. An instance is a workgroup, which scans one row of
// elements. An element is one word or several, each summed for itself modulo 2^32.

#include "oracles/scan.h"

#include "base/random.h"

#include <stdio.h>

enum {
    RECORD_WORDS = 12,     // of scan.hillis-steele, element=struct
    MOST_WORDS = 1u << 21, // of scan.levels: as many workgroups as fit, at least one
    INCLUSIVE = 0,
    EXCLUSIVE = 1,
    REDUCE = 2,
};

struct row {
    uint64_t elements;
    uint32_t words; // of an element
    int mode;
};

static struct row hillis_steele_row(const struct cat_args *args)
{
    return (struct row){args->workgroup, cat_axis_is(args, "element", "struct") ? RECORD_WORDS : 1,
                        INCLUSIVE};
}

static struct row blelloch_row(const struct cat_args *args)
{
    return (struct row){(uint64_t)2 * args->workgroup, 1, EXCLUSIVE};
}

static struct row levels_row(const struct cat_args *args)
{
    const uint64_t square = (uint64_t)args->subgroup * args->subgroup;
    return (struct row){square * (cat_axis_is(args, "levels", "three") ? 8 : 4), 1,
                        cat_axis_is(args, "mode", "inclusive")   ? INCLUSIVE
                        : cat_axis_is(args, "mode", "exclusive") ? EXCLUSIVE
                                                                 : REDUCE};
}

static void shape_rows(const struct row *row, uint32_t workgroups, struct cat_shape *shape)
{
    const uint64_t words = row->elements * row->words;
    *shape = (struct cat_shape){
        .workgroups = workgroups,
        .elements = (uint32_t)(workgroups * row->elements),
        .input_words = workgroups * words,
        .state_words = 1,
        .instances = workgroups,
        .words_per_instance = words,
    };
}

static bool hillis_steele_shape(const struct cat_args *args, struct cat_shape *shape,
                                struct lit_error *error)
{
    (void)error;
    const struct row row = hillis_steele_row(args);
    shape_rows(&row, args->scale, shape);
    return true;
}

static bool blelloch_shape(const struct cat_args *args, struct cat_shape *shape,
                           struct lit_error *error)
{
    (void)error;
    const struct row row = blelloch_row(args);
    shape_rows(&row, args->scale, shape);
    return true;
}

static bool levels_shape(const struct cat_args *args, struct cat_shape *shape,
                         struct lit_error *error)
{
    const struct row row = levels_row(args);
    if (row.elements % args->workgroup)
        return lit_fail(error, LIT_EXIT_USAGE, "%u invocations cannot share %u elements",
                        (unsigned)args->workgroup, (unsigned)row.elements);
    const uint64_t most = MOST_WORDS / row.elements ? MOST_WORDS / row.elements : 1;
    shape_rows(&row, most < args->scale ? (uint32_t)most : args->scale, shape);
    return true;
}

static void rows_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                       uint32_t *input)
{
    (void)args;
    struct lit_random random = {seed};
    for (uint64_t i = 0; i < shape->input_words; i++)
        input[i] = (uint32_t)(random_next(&random) >> 32);
}

static void expect_row(const struct row *row, const uint32_t *input, uint32_t *expected)
{
    uint32_t sums[RECORD_WORDS] = {0};
    const uint64_t words = row->elements * row->words;
    for (uint64_t i = 0; i < words; i++) {
        uint32_t *sum = &sums[i % row->words];
        const uint32_t before = *sum;
        *sum += input[i];
        expected[i] = row->mode == INCLUSIVE ? *sum : before;
    }
    for (uint64_t i = 0; row->mode == REDUCE && i < words; i++)
        expected[i] = sums[i % row->words];
}

static void expect_rows(const struct row *row, const struct cat_shape *shape, const uint32_t *input,
                        uint32_t *expected)
{
    for (uint64_t i = 0; i < shape->instances; i++)
        expect_row(row, input + i * shape->words_per_instance,
                   expected + i * shape->words_per_instance);
}

static void hillis_steele_expect(const struct cat_args *args, const struct cat_shape *shape,
                                 const uint32_t *input, uint32_t *expected)
{
    const struct row row = hillis_steele_row(args);
    expect_rows(&row, shape, input, expected);
}

static void blelloch_expect(const struct cat_args *args, const struct cat_shape *shape,
                            const uint32_t *input, uint32_t *expected)
{
    const struct row row = blelloch_row(args);
    expect_rows(&row, shape, input, expected);
}

static void levels_expect(const struct cat_args *args, const struct cat_shape *shape,
                          const uint32_t *input, uint32_t *expected)
{
    const struct row row = levels_row(args);
    expect_rows(&row, shape, input, expected);
}

static void hillis_steele_where(const struct cat_args *args, const struct cat_shape *shape,
                                const struct cat_failure *failure, char *text, size_t size)
{
    (void)shape;
    const struct row row = hillis_steele_row(args);
    const unsigned invocation = (unsigned)(failure->word / row.words);
    int length = snprintf(text, size, "subgroup %u, lane %u", invocation / args->subgroup,
                          invocation % args->subgroup);
    if (row.words > 1 && length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, ", word %u of the struct",
                 (unsigned)(failure->word % row.words));
}

static void blelloch_where(const struct cat_args *args, const struct cat_shape *shape,
                           const struct cat_failure *failure, char *text, size_t size)
{
    (void)shape;
    const unsigned invocation = (unsigned)(failure->word % args->workgroup);
    snprintf(text, size, "element %u, stored by lane %u of subgroup %u", (unsigned)failure->word,
             invocation % args->subgroup, invocation / args->subgroup);
}

static void levels_where(const struct cat_args *args, const struct cat_shape *shape,
                         const struct cat_failure *failure, char *text, size_t size)
{
    (void)shape;
    const unsigned invocation = (unsigned)(failure->word % args->workgroup);
    snprintf(text, size, "round %u, subgroup %u, lane %u",
             (unsigned)(failure->word / args->workgroup), invocation / args->subgroup,
             invocation % args->subgroup);
}

const struct cat_oracle oracle_scan_levels = {
    .name = "scan.levels",
    .check = CAT_CHECK_EQUAL,
    .instance = "workgroup",
    .shape = levels_shape,
    .input = rows_input,
    .expect = levels_expect,
    .where = levels_where,
};

const struct cat_oracle oracle_scan_hillis_steele = {
    .name = "scan.hillis-steele",
    .check = CAT_CHECK_EQUAL,
    .instance = "workgroup",
    .shape = hillis_steele_shape,
    .input = rows_input,
    .expect = hillis_steele_expect,
    .where = hillis_steele_where,
};

const struct cat_oracle oracle_scan_blelloch = {
    .name = "scan.blelloch",
    .check = CAT_CHECK_EQUAL,
    .instance = "workgroup",
    .shape = blelloch_shape,
    .input = rows_input,
    .expect = blelloch_expect,
    .where = blelloch_where,
};
