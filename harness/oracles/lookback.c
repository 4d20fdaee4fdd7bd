// SPDX-License-Identifier: Apache-2.0
// The oracle of lookback.scan: an inclusive sum over the whole input, and a guard behind it that
// nobody may touch.

#include "base/random.h"
#include "oracles/oracles.h"

#include <stdio.h>

enum {
    ITEMS = 4,  // elements for each invocation
    GUARD = 64, // words behind the output that must stay poison
};

// Words of state for each tile.
static uint32_t tile_state_words(const struct cat_args *args)
{
    if (cat_axis_is(args, "encoding", "word64"))
        return 2;
    return cat_axis_is(args, "encoding", "word32") ? 1 : 4;
}

static bool scan_shape(const struct cat_args *args, struct cat_shape *shape,
                       struct lit_error *error)
{
    const uint32_t elements = cat_value(args, "elements");
    const uint64_t tile = (uint64_t)args->workgroup * ITEMS;
    const uint64_t tiles = (elements + tile - 1) / tile;
    if (tiles > 65535)
        return lit_fail(error, LIT_EXIT_USAGE, "%u elements are more than 65,535 tiles of %u",
                        elements, (unsigned)tile);
    *shape = (struct cat_shape){
        .workgroups = (uint32_t)tiles,
        .elements = elements,
        .input_words = elements,
        .state_words = 2 + tiles * tile_state_words(args),
        .instances = 1,
        .words_per_instance = (uint64_t)elements + GUARD,
    };
    return true;
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

static void scan_where(const struct cat_args *args, const struct cat_shape *shape,
                       const struct cat_failure *failure, char *text, size_t size)
{
    if (failure->word >= shape->elements) {
        snprintf(text, size, "guard word %u behind the output",
                 (unsigned)(failure->word - shape->elements));
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
    .instance = "device scan",
    .shape = scan_shape,
    .input = scan_input,
    .expect = scan_expect,
    .where = scan_where,
};

const struct cat_oracle *const oracles_lookback[] = {
    &oracle_lookback_scan,
    NULL,
};
