// SPDX-License-Identifier: Apache-2.0
// The oracles of the reductions of vectors: scan.vector-sum, where each workgroup adds up a vector
// of its own, and scan.vector-sum-grid, where all add up one.
//
// The order of floating-point additions is open. f32: whole numbers below 2^12 and at most 4096 of
// them, so that every partial sum is below 2^24 and exact. f32-rounded: the kernel stores the
// number of whole 64s in the sum. A sum of n positive terms with the exact value S is off by at
// most ((1 + 2^-23)^(n - 1) - 1) S, whatever the order and the direction of rounding; with n <=
// 4096 and S < 8 n + 64 that is below 17. The exact sum is chosen to lie from 28 to 36 above a
// multiple of 64, farther than that from both multiples around it: one right value is left.

#include "base/random.h"
#include "oracles/oracles.h"

enum {
    FRACTION_BITS = 17, // elements of f32-rounded are multiples of 2^-17, and below 64: 23 bits
    UNIT = 1 << FRACTION_BITS,
    QUANTUM = 64,
    MOST_ELEMENTS = 4096,
    ITEMS = 4,      // elements of an invocation of scan.vector-sum-grid
    GRID_STATE = 3, // words before its partial sums
    GUARD = 63,     // words behind its result, which stay poison
};

static uint64_t vector_words(const struct cat_args *args)
{
    return ((uint64_t)cat_value(args, "elements") + 3) / 4 * 4;
}

static bool vector_fits(const struct cat_args *args, struct lit_error *error)
{
    const uint32_t elements = cat_value(args, "elements");
    return (elements && elements <= MOST_ELEMENTS) ||
           lit_fail(error, LIT_EXIT_USAGE, "1 to %u elements, not %u", (unsigned)MOST_ELEMENTS,
                    (unsigned)elements);
}

static void vector_shape(struct cat_args *args)
{
    args->shape.elements = cat_value(args, "elements");
    args->shape.input_words = args->scale * vector_words(args);
    args->shape.words_per_instance = 1;
}

static void draw_rounded(uint32_t elements, struct lit_random *random, uint32_t *words)
{
    const uint64_t quantum = (uint64_t)QUANTUM * UNIT;
    const uint32_t special = (uint32_t)random_below(random, elements);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < elements; i++) {
        const uint64_t element = i == special ? 0 : 1 + random_below(random, 8 * UNIT - 1);
        sum += element;
        words[i] = oracle_float_bits((float)element / UNIT);
    }
    const uint64_t aim = 28 * UNIT + random_below(random, 8 * UNIT);
    const uint64_t missing = (aim + quantum - sum % quantum) % quantum;
    words[special] = oracle_float_bits((float)missing / UNIT);
}

static void vector_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    struct lit_random random = {seed};
    const bool rounded = cat_axis_is(args, "type", "f32-rounded");
    const bool floats = cat_axis_is(args, "type", "f32");
    memset(input, 0, args->shape.input_words * sizeof *input);
    for (uint64_t instance = 0; instance < args->shape.instances; instance++) {
        uint32_t *words = input + instance * vector_words(args);
        if (rounded)
            draw_rounded(args->shape.elements, &random, words);
        for (uint32_t i = 0; !rounded && i < args->shape.elements; i++) {
            const uint64_t bits = random_next(&random);
            words[i] =
                floats ? oracle_float_bits((float)(1 + bits % 4095)) : (uint32_t)(bits >> 32);
        }
    }
}

static void vector_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    const bool rounded = cat_axis_is(args, "type", "f32-rounded");
    const bool floats = rounded || cat_axis_is(args, "type", "f32");
    for (uint64_t instance = 0; instance < args->shape.instances; instance++) {
        const uint32_t *words = input + instance * vector_words(args);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < args->shape.elements; i++)
            sum += floats ? (uint64_t)(oracle_bits_float(words[i]) * UNIT) : words[i];
        expected[instance] = rounded  ? (uint32_t)(sum / UNIT / QUANTUM)
                             : floats ? oracle_float_bits((float)(sum / UNIT))
                                      : (uint32_t)sum;
    }
}

static uint64_t grid_tiles(const struct cat_args *args)
{
    const uint64_t tile = (uint64_t)args->workgroup * ITEMS;
    return (cat_value(args, "elements") + tile - 1) / tile;
}

static bool grid_fits(const struct cat_args *args, struct lit_error *error)
{
    const uint32_t elements = cat_value(args, "elements");
    return (elements && grid_tiles(args) <= 65535) ||
           lit_fail(error, LIT_EXIT_USAGE, "%u elements are not 1 to 65,535 tiles of %u",
                    (unsigned)elements, (unsigned)args->workgroup * ITEMS);
}

static void grid_shape(struct cat_args *args)
{
    const uint32_t elements = cat_value(args, "elements");
    args->shape = (struct cat_shape){
        .workgroups = (uint32_t)grid_tiles(args),
        .elements = elements,
        .input_words = elements,
        .state_words = GRID_STATE + grid_tiles(args),
        .instances = 1,
        .words_per_instance = 1 + GUARD,
    };
}

static void grid_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    expected[0] = 0;
    for (uint64_t i = 0; i < args->shape.elements; i++)
        expected[0] += input[i];
    for (uint32_t i = 0; i < GUARD; i++)
        expected[1 + i] = CAT_POISON;
}

static const char *grid_where(const struct cat_args *args, const struct cat_failure *failure)
{
    (void)args;
    return failure->word ? "guard word {word-1} behind the sum"
                         : "the sum of {elements} elements, from {workgroups} workgroups";
}

const struct cat_oracle oracles_scan_sum[] = {
    {
        .name = "scan.vector-sum",
        .instance = "workgroup",
        .of_workgroups = true,
        .fits = vector_fits,
        .shape = vector_shape,
        .input = vector_input,
        .expect = vector_expect,
        .where = "workgroup {unit}, the sum of {elements} elements",
    },
    {
        .name = "scan.vector-sum-grid",
        .instance = "device sum",
        .fits = grid_fits,
        .shape = grid_shape,
        .expect = grid_expect,
        .where_of = grid_where,
    },
    {0},
};
