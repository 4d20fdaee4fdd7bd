// SPDX-License-Identifier: Apache-2.0
// The oracles of the look-back scans: an inclusive sum over the whole input, followed by a guard
// that must stay untouched. They differ in their sizes.

#include "base/random.h"
#include "oracles/oracles.h"

enum {
    GUARD = 64,            // words after the output that must stay poison
    ORDER_STRIDE = 419,    // permutation of lookback.order
    MOST_ON_CPU = 1 << 20, // elements
    CPU_SCALE = 16,        // all GPUs have more suitable workgroups
};

// Words of state per tile.
static uint32_t tile_state_words(const struct cat_args *args)
{
    if (cat_axis_is(args, "encoding", "word64") || cat_axis_is(args, "encoding", "split"))
        return 2;
    return cat_axis_is(args, "encoding", "word32") ? 1 : 4;
}

// The most elements for which all buffers, the dispatch and the kernel's indices fit; for an
// unknown device, by Vulkan's minimum limits.
static uint64_t largest(const struct cat_args *args, uint64_t tile)
{
    const uint64_t words = args->most_words ? args->most_words : UINT64_C(1) << 25;
    const uint64_t tiles = args->most_workgroups ? args->most_workgroups : 65535;
    const uint64_t fitting = words > GUARD ? words - GUARD : 0;
    const uint64_t most = fitting / tile < tiles ? fitting : tiles * tile;
    return most < INT32_MAX ? most : INT32_MAX;
}

// `data` of these oracles: the tiling of a scan, each tile with `words` words of state after the
// first `before`. Tiles have `items` elements per invocation, or `tile` elements in all.
struct scan {
    const char *elements;                // parameter for the number of elements
    const char *rows;                    // parameter for the elements per invocation
    uint32_t items, tile, before, words; // words 0: depends on the encoding
    const char *where;                   // an element's position
};

static uint64_t tile_of(const struct cat_args *args)
{
    const struct scan *scan = args->oracle->data;
    const uint64_t items = scan->rows ? cat_value(args, scan->rows) : scan->items;
    return scan->tile ? scan->tile : args->workgroup * items;
}

// Numbers of groups are per workgroup that suits the device: more than it runs at once.
static uint64_t elements_of(const struct cat_args *args)
{
    const struct scan *scan = args->oracle->data;
    const uint64_t number = cat_value(args, scan->elements);
    return number == CAT_LARGEST ? largest(args, tile_of(args))
           : scan->tile          ? number * args->scale
                                 : number;
}

static bool tiles_fit(const struct cat_args *args, struct lit_error *error)
{
    const struct scan *scan = args->oracle->data;
    const uint64_t elements = elements_of(args);
    if (!scan->words && cat_value(args, scan->elements) > MOST_ON_CPU && args->scale <= CPU_SCALE)
        return lit_fail(error, LIT_EXIT_USAGE, "more than %u elements take a CPU too long",
                        MOST_ON_CPU);
    if (scan->tile && elements % ORDER_STRIDE == 0)
        return lit_fail(error, LIT_EXIT_USAGE, "%u divides the %llu workgroups: no permutation",
                        ORDER_STRIDE, (unsigned long long)elements);
    return elements <= UINT32_MAX - GUARD ||
           lit_fail(error, LIT_EXIT_USAGE, "%llu elements are too many for 32-bit indices",
                    (unsigned long long)elements);
}

static void tiles_shape(struct cat_args *args)
{
    const struct scan *scan = args->oracle->data;
    const uint64_t elements = elements_of(args), tile = tile_of(args);
    const uint64_t tiles = (elements + tile - 1) / tile;
    args->shape = (struct cat_shape){
        .workgroups = (uint32_t)tiles,
        .elements = (uint32_t)elements,
        .input_words = elements,
        .state_words = scan->before + tiles * (scan->words ? scan->words : tile_state_words(args)),
        .instances = 1,
        .words_per_instance = elements + GUARD,
    };
}

// A 32-bit tile state has 30 bits for the sum: elements are small enough for the total to fit.
static void scan_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    struct lit_random random = {seed};
    const uint32_t elements = args->shape.elements;
    uint64_t bound = UINT64_C(1) << 32;
    if (elements && (!cat_axis(args, "encoding") || cat_axis_is(args, "encoding", "word32")))
        bound = (UINT64_C(1) << 30) / elements;
    for (uint32_t i = 0; i < elements; i++)
        input[i] = (uint32_t)random_below(&random, bound ? bound : 1);
}

static void whole_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    struct lit_random random = {seed};
    for (uint32_t i = 0; i < args->shape.elements; i++)
        input[i] = (uint32_t)random_next(&random);
}

static void scan_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < args->shape.elements; i++)
        expected[i] = sum += input[i];
    for (uint32_t i = 0; i < GUARD; i++)
        expected[args->shape.elements + i] = CAT_POISON;
}

static const char *scan_where(const struct cat_args *args, const struct cat_failure *failure)
{
    const struct scan *scan = args->oracle->data;
    return failure->word < args->shape.elements ? scan->where
                                                : "guard word {word-elements} behind the output";
}

#define TILE "element {word}: tile {word/workgroup} of {workgroups}, "
#define LANE "subgroup {word%workgroup/lanes}, lane {word%lanes}"
// LOOKBACK(name, input, elements, rows, items, tile, before, words, where)
#define LOOKBACK(name, input_, ...)                                                                \
    ORACLE("lookback." name, "device scan", .needs_progress = true, .fits = tiles_fit,             \
           .shape = tiles_shape, .input = input_, .expect = scan_expect, .where_of = scan_where,   \
           .data = &(const struct scan){__VA_ARGS__})

const struct cat_oracle oracles_lookback[] = {
    LOOKBACK("fallback", scan_input, "elements", NULL, 1, 0, 2, 1, TILE LANE),
    // A subgroup's part of a tile is its rows, consecutive, each as wide as the subgroup.
    LOOKBACK("levien-2020", whole_input, "elements", "rows", 0, 0, 4, 4,
             "element {word}: tile {word/workgroup/rows} of {workgroups}, "
             "subgroup {word/lanes/rows%subgroups}, row {word/lanes%rows}, lane {word%lanes}"),
    LOOKBACK("levien-2021", whole_input, "elements", NULL, 1, 0, 4, 4, TILE LANE),
    LOOKBACK("order", scan_input, "groups", NULL, 0, 1, 2, 1, "tile {word} of {workgroups}"),
    LOOKBACK("scan", scan_input, "elements", NULL, 4, 0, 2, 0,
             "element {word}: tile {word/4/workgroup} of {workgroups}, "
             "subgroup {word/4%workgroup/lanes}, lane {word/4%lanes}, item {word%4}"),
    {0},
};
