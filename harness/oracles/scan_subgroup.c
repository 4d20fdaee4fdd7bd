// SPDX-License-Identifier: Apache-2.0
// The oracle of scan.subgroup: scans and reductions of rows of elements by seven operations on five
// types. The unit is a subgroup; it has one row for each round, the items of its lanes and
// behind them the total.
//
// What the order of floating-point additions can change is kept out of the results by the choice of
// the elements. f32: every partial sum and product is exact, so every order gives the same bits.
// f32-rounded: additions are rounded, and the whole part of the sum is stored. Let a sum have n
// positive terms and the exact value S. Whatever the order, it is off by at most
// ((1 + u)^(n - 1) - 1) S, where u = 2^-23 allows for any direction of rounding (2^-24 is enough
// for the nearest). Here n <= 512 and S < 8.2 n, so that this is below 0.26; and the exact sums of
// all beginnings of a row have fractional parts from 7/16 to 9/16, farther than that from a whole
// number. So each has one right whole part.

#include "base/random.h"
#include "oracles/oracles.h"

#include <float.h>
#include <stdio.h>

enum { ROUNDS = 4, FRACTION_BITS = 20 };

enum type { U32, I32, F32, F32_ROUNDED, U64, TYPES };

static const char *const type_names[] = {"u32", "i32", "f32", "f32-rounded", "u64"};

struct row {
    enum oracle_operation operation;
    enum type type;
    bool inclusive, reduce;
    uint64_t length; // elements without the total
};

static unsigned find(const char *value, const char *const *names, unsigned count)
{
    unsigned i = 0;
    while (i + 1 < count && strcmp(value, names[i]) != 0)
        i++;
    return i;
}

static struct row describe(const struct cat_args *args)
{
    return (struct row){
        .operation = oracle_operation(cat_axis(args, "operation")),
        .type = (enum type)find(cat_axis(args, "type"), type_names, TYPES),
        .inclusive = cat_axis_is(args, "mode", "inclusive"),
        .reduce = cat_axis_is(args, "mode", "reduce"),
        .length = (uint64_t)args->subgroup * cat_value(args, "items"),
    };
}

static uint64_t words_of(enum type type)
{
    return type == U64 ? 2 : 1;
}

static float float_of(uint64_t bits)
{
    return oracle_bits_float((uint32_t)bits);
}

// A value is 64 bits: those of the type, or for f32-rounded the exact number times 2^20.
static uint64_t combine_floats(enum oracle_operation operation, uint64_t left, uint64_t right)
{
    const float a = float_of(left), b = float_of(right);
    switch (operation) {
    case ORACLE_ADD:
        return oracle_float_bits(a + b);
    case ORACLE_MUL:
        return oracle_float_bits(a * b);
    case ORACLE_MIN:
        return a < b ? left : right;
    default:
        return a > b ? left : right;
    }
}

// Signed numbers are in the order of unsigned ones when their highest bits are turned over.
static uint64_t sign_of(const struct row *row)
{
    const bool orders = row->operation == ORACLE_MIN || row->operation == ORACLE_MAX;
    return row->type == I32 && orders ? 0x80000000 : 0;
}

static uint64_t cut_off(const struct row *row, uint64_t value)
{
    return row->type == U64 || row->type == F32_ROUNDED ? value : (uint32_t)value;
}

static uint64_t identity(const struct row *row)
{
    static const float floats[] = {
        [ORACLE_MUL] = 1, [ORACLE_MIN] = FLT_MAX, [ORACLE_MAX] = -FLT_MAX};
    return row->type == F32 ? oracle_float_bits(floats[row->operation])
                            : cut_off(row, oracle_identity(row->operation)) ^ sign_of(row);
}

static uint64_t combine(const struct row *row, uint64_t a, uint64_t b)
{
    const uint64_t sign = sign_of(row);
    return row->type == F32
               ? combine_floats(row->operation, a, b)
               : cut_off(row, oracle_combine(row->operation, a ^ sign, b ^ sign)) ^ sign;
}

static void subgroup_shape(struct cat_args *args)
{
    const struct row row = describe(args);
    args->shape.words_per_instance = ROUNDS * (row.length + 1) * words_of(row.type);
    args->shape.input_words = args->shape.instances * args->shape.words_per_instance;
    args->shape.elements = (uint32_t)(args->shape.instances * ROUNDS * row.length);
}

// Values that go down or up along the row, so that most beginnings of it have an extreme of their
// own; of a reduction, values without any order. In the upper half of 64 bits.
static uint64_t draw_extreme(const struct row *row, struct lit_random *random, uint64_t place)
{
    if (row->reduce)
        return random_next(random);
    const uint64_t step = UINT64_MAX / (row->length + 8);
    const uint64_t value = place * step + random_below(random, step * 8);
    return row->operation == ORACLE_MIN ? ~value : value;
}

// Mostly the identity, else one bit that says who it was: about 24 times in a row.
static uint64_t draw_bit(const struct row *row, struct lit_random *random)
{
    const uint64_t width = words_of(row->type) * 32;
    const uint64_t bit =
        random_below(random, row->length) < 24 ? UINT64_C(1) << random_below(random, width) : 0;
    return row->operation == ORACLE_AND ? ~bit : bit;
}

static uint64_t draw_integer(const struct row *row, struct lit_random *random, uint64_t place)
{
    const unsigned shift = row->type == U64 ? 0 : 32;
    switch (row->operation) {
    case ORACLE_MIN:
    case ORACLE_MAX: {
        const uint64_t value = draw_extreme(row, random, place) >> shift;
        return row->type == I32 ? value ^ 0x80000000 : value;
    }
    case ORACLE_AND:
    case ORACLE_OR:
        return draw_bit(row, random);
    case ORACLE_MUL:
        return random_next(random) >> shift | 1;
    default:
        return random_next(random) >> shift;
    }
}

// A factor of which any few hundred have an exact product: at most 12 threes, at most 60 twos and
// 60 halves. `used` counts them.
static float draw_factor(const struct row *row, struct lit_random *random, unsigned used[3])
{
    static const float factors[] = {2, 0.5f, 3, -1};
    static const unsigned most[] = {60, 60, 12};
    if (random_below(random, row->length) >= 96)
        return 1;
    const uint64_t which = random_below(random, 4);
    if (which == 3)
        return factors[3];
    return used[which]++ < most[which] ? factors[which] : 1;
}

// An item that moves the sum on by some whole number, to another fractional part from 7/16 to 9/16.
// `sum` counts in units of 2^-20, as the item does.
static float draw_rounded(struct lit_random *random, uint64_t *sum)
{
    const uint64_t unit = UINT64_C(1) << FRACTION_BITS;
    const uint64_t whole = *sum / unit + (*sum ? 1 : 0) + random_below(random, 7);
    const uint64_t next = whole * unit + unit * 7 / 16 + random_below(random, unit / 8);
    const uint64_t item = next - *sum;
    *sum = next;
    return (float)item / (float)unit;
}

static void draw_row(const struct row *row, struct lit_random *random, uint32_t *words)
{
    unsigned used[3] = {0};
    uint64_t sum = 0;
    for (uint64_t i = 0; i < row->length; i++) {
        uint64_t value = 0;
        if (row->type == F32_ROUNDED)
            value = oracle_float_bits(draw_rounded(random, &sum));
        else if (row->type == F32 && row->operation == ORACLE_ADD)
            value = oracle_float_bits((float)(1 + random_below(random, 4096)));
        else if (row->type == F32 && row->operation == ORACLE_MUL)
            value = oracle_float_bits(draw_factor(row, random, used));
        else if (row->type == F32)
            value = oracle_float_bits((float)(int32_t)(draw_extreme(row, random, i) >> 41) -
                                      4194304.5f);
        else
            value = draw_integer(row, random, i);
        for (uint64_t word = 0; word < words_of(row->type); word++)
            words[i * words_of(row->type) + word] = (uint32_t)(value >> word * 32);
    }
}

static void subgroup_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    const struct row row = describe(args);
    const uint64_t stride = (row.length + 1) * words_of(row.type);
    struct lit_random random = {seed};
    memset(input, 0, args->shape.input_words * sizeof *input);
    for (uint64_t at = 0; at < args->shape.input_words; at += stride)
        draw_row(&row, &random, input + at);
}

static uint64_t read_value(const struct row *row, const uint32_t *words, uint64_t index)
{
    if (row->type == U64)
        return words[2 * index] | (uint64_t)words[2 * index + 1] << 32;
    if (row->type == F32_ROUNDED)
        return (uint64_t)(float_of(words[index]) * (float)(1 << FRACTION_BITS));
    return words[index];
}

static void write_value(const struct row *row, uint32_t *words, uint64_t index, uint64_t value)
{
    if (row->type == F32_ROUNDED)
        value >>= FRACTION_BITS;
    for (uint64_t word = 0; word < words_of(row->type); word++)
        words[index * words_of(row->type) + word] = (uint32_t)(value >> word * 32);
}

static void expect_row(const struct row *row, const uint32_t *input, uint32_t *expected)
{
    uint64_t result = identity(row);
    for (uint64_t i = 0; i < row->length; i++) {
        const uint64_t before = result;
        result = combine(row, result, read_value(row, input, i));
        write_value(row, expected, i, row->inclusive ? result : before);
    }
    for (uint64_t i = row->reduce ? 0 : row->length; i <= row->length; i++)
        write_value(row, expected, i, result);
}

static void subgroup_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    const struct row row = describe(args);
    const uint64_t stride = (row.length + 1) * words_of(row.type);
    for (uint64_t at = 0; at < args->shape.input_words; at += stride)
        expect_row(&row, input + at, expected + at);
}

static void subgroup_describe(const struct cat_args *args, const struct cat_failure *failure,
                              char *text, size_t size)
{
    const struct row row = describe(args);
    const uint64_t element = failure->word / words_of(row.type);
    const unsigned round = (unsigned)(element / (row.length + 1));
    const unsigned place = (unsigned)(element % (row.length + 1));
    const unsigned items = cat_value(args, "items");
    if (place == row.length)
        snprintf(text, size, "round %u, the total that the last lane stored", round);
    else
        snprintf(text, size, "round %u, lane %u, item %u", round, place / items, place % items);
}

const struct cat_oracle oracles_scan_subgroup[] = {
    {
        .name = "scan.subgroup",
        .instance = "subgroup",
        .shape = subgroup_shape,
        .input = subgroup_input,
        .expect = subgroup_expect,
        .describe = subgroup_describe,
    },
    {0},
};
