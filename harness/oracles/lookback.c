// SPDX-License-Identifier: Apache-2.0
// The oracles of the look-back scans: an inclusive sum over the whole input, and a guard behind it
// that nobody may touch. They differ in their sizes.

#include "base/random.h"
#include "oracles/oracles.h"

#include <stdio.h>

enum {
    ITEMS = 4,             // elements for each invocation
    GUARD = 64,            // words behind the output that must stay poison
    ORDER_STRIDE = 419,    // of lookback.order's permutation
    MOST_ON_CPU = 1 << 20, // elements
    CPU_SCALE = 16,        // no GPU has fewer workgroups that suit it
};

// Sizes for tiles of `tile` elements, each with `words` words of state behind the first `before`.
static bool tiles_shape(uint64_t elements, uint64_t tile, uint64_t before, uint64_t words,
                        struct cat_shape *shape, struct lit_error *error)
{
    const uint64_t tiles = (elements + tile - 1) / tile;
    if (elements > UINT32_MAX - GUARD)
        return lit_fail(error, LIT_EXIT_USAGE, "%llu elements are too many for 32-bit indices",
                        (unsigned long long)elements);
    *shape = (struct cat_shape){
        .workgroups = (uint32_t)tiles,
        .elements = (uint32_t)elements,
        .input_words = elements,
        .state_words = before + tiles * words,
        .instances = 1,
        .words_per_instance = elements + GUARD,
    };
    return true;
}

// Words of state for each tile.
static uint32_t tile_state_words(const struct cat_args *args)
{
    if (cat_axis_is(args, "encoding", "word64") || cat_axis_is(args, "encoding", "split"))
        return 2;
    return cat_axis_is(args, "encoding", "word32") ? 1 : 4;
}

// The most elements for which every buffer and the dispatch fit, and all indices the kernel; a
// device that has not been asked has Vulkan's minimum.
static uint64_t largest(const struct cat_args *args, uint64_t tile)
{
    const uint64_t words = args->most_words ? args->most_words : UINT64_C(1) << 25;
    const uint64_t tiles = args->most_workgroups ? args->most_workgroups : 65535;
    const uint64_t fitting = words > GUARD ? words - GUARD : 0;
    const uint64_t most = fitting / tile < tiles ? fitting : tiles * tile;
    return most < INT32_MAX ? most : INT32_MAX;
}

static bool scan_shape(const struct cat_args *args, struct cat_shape *shape,
                       struct lit_error *error)
{
    const uint64_t tile = (uint64_t)args->workgroup * ITEMS;
    uint64_t elements = cat_value(args, "elements");
    if (elements > MOST_ON_CPU && args->scale <= CPU_SCALE)
        return lit_fail(error, LIT_EXIT_USAGE, "more than %u elements take a CPU too long",
                        MOST_ON_CPU);
    if (elements == CAT_LARGEST)
        elements = largest(args, tile);
    return tiles_shape(elements, tile, 2, tile_state_words(args), shape, error);
}

// A 32-bit tile state has 30 bits for the sum: there the elements are small enough for their total.
static void scan_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                       uint32_t *input)
{
    struct lit_random random = {seed};
    uint64_t bound = UINT64_C(1) << 32;
    if (cat_axis_is(args, "encoding", "word32") && shape->elements)
        bound = (UINT64_C(1) << 30) / shape->elements;
    for (uint32_t i = 0; i < shape->elements; i++)
        input[i] = (uint32_t)random_below(&random, bound ? bound : 1);
}

static void scan_expect(const struct cat_args *args, const struct cat_shape *shape,
                        const uint32_t *input, uint32_t *expected)
{
    (void)args;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < shape->elements; i++)
        expected[i] = sum += input[i];
    for (uint32_t i = 0; i < GUARD; i++)
        expected[shape->elements + i] = CAT_POISON;
}

static void where_guard(const struct cat_shape *shape, const struct cat_failure *failure,
                        char *text, size_t size)
{
    snprintf(text, size, "guard word %u behind the output",
             (unsigned)(failure->word - shape->elements));
}

static void scan_where(const struct cat_args *args, const struct cat_shape *shape,
                       const struct cat_failure *failure, char *text, size_t size)
{
    if (failure->word >= shape->elements) {
        where_guard(shape, failure, text, size);
        return;
    }
    const uint64_t tile = (uint64_t)args->workgroup * ITEMS;
    const unsigned invocation = (unsigned)(failure->word % tile / ITEMS);
    snprintf(text, size, "element %u: tile %u of %u, subgroup %u, lane %u, item %u",
             (unsigned)failure->word, (unsigned)(failure->word / tile), shape->workgroups,
             invocation / args->subgroup, invocation % args->subgroup,
             (unsigned)(failure->word % ITEMS));
}

static const struct cat_oracle oracle_lookback_scan = {
    .name = "lookback.scan",
    .check = CAT_CHECK_EQUAL,
    .interacts = true,
    .instance = "device scan",
    .shape = scan_shape,
    .input = scan_input,
    .expect = scan_expect,
    .where = scan_where,
};

// ---- The smaller scans: one element for each invocation, or a few rows of them for each subgroup

// The flag in two bits of the word, the sum in 30.
static void packed_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                         uint32_t *input)
{
    (void)args;
    struct lit_random random = {seed};
    const uint64_t bound = (UINT64_C(1) << 30) / (shape->elements ? shape->elements : 1);
    for (uint32_t i = 0; i < shape->elements; i++)
        input[i] = (uint32_t)random_below(&random, bound);
}

static void whole_input(const struct cat_args *args, const struct cat_shape *shape, uint64_t seed,
                        uint32_t *input)
{
    (void)args;
    struct lit_random random = {seed};
    for (uint32_t i = 0; i < shape->elements; i++)
        input[i] = (uint32_t)random_next(&random);
}

static void tiles_where(const struct cat_args *args, const struct cat_shape *shape,
                        const struct cat_failure *failure, char *text, size_t size)
{
    if (failure->word >= shape->elements) {
        where_guard(shape, failure, text, size);
        return;
    }
    const unsigned invocation = (unsigned)(failure->word % args->workgroup);
    snprintf(text, size, "element %u: tile %u of %u, subgroup %u, lane %u", (unsigned)failure->word,
             (unsigned)(failure->word / args->workgroup), shape->workgroups,
             invocation / args->subgroup, invocation % args->subgroup);
}

// lookback.order: as many workgroups as the device does not run at once, an element for each.
static bool order_shape(const struct cat_args *args, struct cat_shape *shape,
                        struct lit_error *error)
{
    const uint64_t tiles = (uint64_t)cat_value(args, "groups") * args->scale;
    if (tiles % ORDER_STRIDE == 0)
        return lit_fail(error, LIT_EXIT_USAGE, "%u divides the %llu workgroups: no permutation",
                        ORDER_STRIDE, (unsigned long long)tiles);
    return tiles_shape(tiles, 1, 2, 1, shape, error);
}

static void order_where(const struct cat_args *args, const struct cat_shape *shape,
                        const struct cat_failure *failure, char *text, size_t size)
{
    (void)args;
    if (failure->word >= shape->elements)
        where_guard(shape, failure, text, size);
    else
        snprintf(text, size, "tile %u of %u", (unsigned)failure->word, shape->workgroups);
}

static const struct cat_oracle oracle_lookback_order = {
    .name = "lookback.order",
    .check = CAT_CHECK_EQUAL,
    .interacts = true,
    .instance = "device scan",
    .shape = order_shape,
    .input = packed_input,
    .expect = scan_expect,
    .where = order_where,
};

static bool fallback_shape(const struct cat_args *args, struct cat_shape *shape,
                           struct lit_error *error)
{
    return tiles_shape(cat_value(args, "elements"), args->workgroup, 2, 1, shape, error);
}

static const struct cat_oracle oracle_lookback_fallback = {
    .name = "lookback.fallback",
    .check = CAT_CHECK_EQUAL,
    .interacts = true,
    .instance = "device scan",
    .shape = fallback_shape,
    .input = packed_input,
    .expect = scan_expect,
    .where = tiles_where,
};

static bool levien_2021_shape(const struct cat_args *args, struct cat_shape *shape,
                              struct lit_error *error)
{
    return tiles_shape(cat_value(args, "elements"), args->workgroup, 4, 4, shape, error);
}

static const struct cat_oracle oracle_lookback_levien_2021 = {
    .name = "lookback.levien-2021",
    .check = CAT_CHECK_EQUAL,
    .interacts = true,
    .instance = "device scan",
    .shape = levien_2021_shape,
    .input = whole_input,
    .expect = scan_expect,
    .where = tiles_where,
};

static bool levien_2020_shape(const struct cat_args *args, struct cat_shape *shape,
                              struct lit_error *error)
{
    return tiles_shape(cat_value(args, "elements"),
                       (uint64_t)args->workgroup * cat_value(args, "rows"), 4, 4, shape, error);
}

// A subgroup's part of a tile is its rows, one after the other, each as wide as the subgroup.
static void levien_2020_where(const struct cat_args *args, const struct cat_shape *shape,
                              const struct cat_failure *failure, char *text, size_t size)
{
    if (failure->word >= shape->elements) {
        where_guard(shape, failure, text, size);
        return;
    }
    const uint64_t part = (uint64_t)args->subgroup * cat_value(args, "rows");
    const uint64_t tile = (uint64_t)args->workgroup * cat_value(args, "rows");
    snprintf(text, size, "element %u: tile %u of %u, subgroup %u, row %u, lane %u",
             (unsigned)failure->word, (unsigned)(failure->word / tile), shape->workgroups,
             (unsigned)(failure->word % tile / part),
             (unsigned)(failure->word % part / args->subgroup),
             (unsigned)(failure->word % args->subgroup));
}

static const struct cat_oracle oracle_lookback_levien_2020 = {
    .name = "lookback.levien-2020",
    .check = CAT_CHECK_EQUAL,
    .interacts = true,
    .instance = "device scan",
    .shape = levien_2020_shape,
    .input = whole_input,
    .expect = scan_expect,
    .where = levien_2020_where,
};

const struct cat_oracle *const oracles_lookback[] = {
    &oracle_lookback_fallback, &oracle_lookback_levien_2020, &oracle_lookback_levien_2021,
    &oracle_lookback_order,    &oracle_lookback_scan,        NULL,
};
