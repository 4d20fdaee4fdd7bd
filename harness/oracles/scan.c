// SPDX-License-Identifier: Apache-2.0
// The oracles of the workgroup scans: scan.workgroup, and those that go through shared memory
// (scan.levels, scan.hillis-steele and scan.blelloch). The unit is a workgroup, which scans one row
// of elements. An element is one word or several, each summed for itself modulo 2^32.

#include "oracles/oracles.h"

#include <stdlib.h>

enum {
    RECORD_WORDS = 12,     // of scan.hillis-steele, element=struct
    MOST_WORDS = 1u << 21, // of scan.levels: as many workgroups as fit, at least one
};

struct row {
    uint64_t elements;
    uint32_t words; // of an element
    enum { INCLUSIVE, EXCLUSIVE, REDUCE } mode;
};

// `data` of these oracles.
struct scan {
    struct row (*row)(const struct cat_args *args);
};

static struct row row_of(const struct cat_args *args)
{
    return ((const struct scan *)args->oracle->data)->row(args);
}

static int mode_of(const struct cat_args *args)
{
    return cat_axis_is(args, "mode", "inclusive")   ? INCLUSIVE
           : cat_axis_is(args, "mode", "exclusive") ? EXCLUSIVE
                                                    : REDUCE;
}

static struct row workgroup_row(const struct cat_args *args)
{
    const uint64_t items = strtoul(cat_axis(args, "items"), NULL, 10);
    return (struct row){args->workgroup * items, 1, mode_of(args)};
}

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
    return (struct row){square * (cat_axis_is(args, "levels", "three") ? 8 : 4), 1, mode_of(args)};
}

static void rows_shape(struct cat_args *args)
{
    const struct row row = row_of(args);
    const uint64_t words = row.elements * row.words;
    args->shape.elements = (uint32_t)(args->shape.workgroups * row.elements);
    args->shape.input_words = args->shape.workgroups * words;
    args->shape.words_per_instance = words;
}

static bool levels_fits(const struct cat_args *args, struct lit_error *error)
{
    const struct row row = levels_row(args);
    return row.elements % args->workgroup == 0 ||
           lit_fail(error, LIT_EXIT_USAGE, "%u invocations cannot share %u elements",
                    (unsigned)args->workgroup, (unsigned)row.elements);
}

static void levels_shape(struct cat_args *args)
{
    const uint64_t elements = levels_row(args).elements;
    const uint64_t most = MOST_WORDS / elements ? MOST_WORDS / elements : 1;
    cat_shape_usual(args, most < args->scale ? (uint32_t)most : args->scale);
    rows_shape(args);
}

static void row_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    const struct row row = row_of(args);
    uint32_t sums[RECORD_WORDS] = {0};
    const uint64_t words = row.elements * row.words;
    for (uint64_t i = 0; i < words; i++) {
        uint32_t *sum = &sums[i % row.words];
        const uint32_t before = *sum;
        *sum += input[i];
        expected[i] = row.mode == INCLUSIVE ? *sum : before;
    }
    for (uint64_t i = 0; row.mode == REDUCE && i < words; i++)
        expected[i] = sums[i % row.words];
}

static const char *hillis_steele_where(const struct cat_args *args,
                                       const struct cat_failure *failure)
{
    (void)failure;
    return row_of(args).words == 1 ? "subgroup {word/lanes}, lane {word%lanes}"
                                   : "subgroup {word/12/lanes}, lane {word/12%lanes}, "
                                     "word {word%12} of the struct";
}

#define SCAN(name_, row, shape_, ...)                                                              \
    {                                                                                              \
        .name = "scan." name_, .instance = "workgroup", .of_workgroups = true,                     \
        .data = &(const struct scan){row}, .shape = shape_, .expect_unit = row_expect, __VA_ARGS__ \
    }

const struct cat_oracle oracles_scan[] = {
    SCAN("blelloch", blelloch_row, rows_shape,
         .where = "element {word}, stored by lane {word%lanes} of subgroup "
                  "{word%workgroup/lanes}"),
    SCAN("hillis-steele", hillis_steele_row, rows_shape, .where_of = hillis_steele_where),
    SCAN("levels", levels_row, levels_shape, .fits = levels_fits,
         .where = "round {word/workgroup}, subgroup {word%workgroup/lanes}, lane {word%lanes}"),
    SCAN("workgroup", workgroup_row, rows_shape,
         .where = "subgroup {word/items/lanes}, lane {word/items%lanes}, item {word%items}"),
    {0},
};
