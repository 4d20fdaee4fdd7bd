// SPDX-License-Identifier: Apache-2.0
// The oracles of family `scan`: workgroup scans and scans through shared memory, subgroup scans,
// sums of vectors.

#include "base/random.h"
#include "oracles/oracles.h"

#include <float.h>

// ---- scan.workgroup, and scans through shared memory (scan.levels, scan.hillis-steele and
// scan.blelloch). The unit is a workgroup, which scans one row of elements. An element is one or
// more words, each summed separately modulo 2^32.

enum {
    RECORD_WORDS = 12,     // scan.hillis-steele, element=struct
    MOST_WORDS = 1u << 21, // scan.levels: as many workgroups as fit, at least one
};

struct row {
    uint64_t elements;
    uint32_t words; // per element
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
                    args->workgroup, (unsigned)row.elements);
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

#define SCAN(name, row, shape_, ...)                                                               \
    ORACLE("scan." name, "workgroup", .of_workgroups = true, .data = &(const struct scan){row},    \
           .shape = shape_, .expect_unit = row_expect, __VA_ARGS__)

// ---- scan.subgroup: scans and reductions of rows of elements by seven operations on five types.
// The unit is a subgroup; it has one row per round, its lanes' items followed by the total.
//
// Elements are chosen so that the order of floating-point additions cannot affect the results. f32:
// every partial sum and product is exact, so every order gives the same bits. f32-rounded:
// additions are rounded, and the integer part of the sum is stored. Let a sum have n positive terms
// and the exact value S. In any order its error is at most ((1 + u)^(n - 1) - 1) S, where u = 2^-23
// covers any direction of rounding (2^-24 suffices for round to nearest). Here n <= 512 and S < 8.2
// n, so the error is below 0.26; and the exact sums of all prefixes of a row have fractional parts
// from 7/16 to 9/16, farther than that from an integer. So each integer part has a single right
// value.

enum { ROUNDS = 4, ITEM_FRACTION = 20 };

enum type { U32, I32, F32, F32_ROUNDED, U64, TYPES };

static const char *const type_names[] = {"u32", "i32", "f32", "f32-rounded", "u64"};

struct typed_row {
    enum oracle_operation operation;
    enum type type;
    bool inclusive, reduce;
    uint64_t length; // number of elements without the total
};

static unsigned find(const char *value, const char *const *names, unsigned count)
{
    unsigned i = 0;
    while (i + 1 < count && strcmp(value, names[i]) != 0)
        i++;
    return i;
}

static struct typed_row typed_row_of(const struct cat_args *args)
{
    return (struct typed_row){
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

// A value is 64 bits: the type's bits, or for f32-rounded the exact number times 2^20.
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

// Flipping the sign bit maps the order of signed numbers to that of unsigned ones.
static uint64_t sign_of(const struct typed_row *row)
{
    const bool orders = row->operation == ORACLE_MIN || row->operation == ORACLE_MAX;
    return row->type == I32 && orders ? 0x80000000 : 0;
}

static uint64_t cut_off(const struct typed_row *row, uint64_t value)
{
    return row->type == U64 || row->type == F32_ROUNDED ? value : (uint32_t)value;
}

static uint64_t identity(const struct typed_row *row)
{
    static const float floats[] = {
        [ORACLE_MUL] = 1, [ORACLE_MIN] = FLT_MAX, [ORACLE_MAX] = -FLT_MAX};
    return row->type == F32 ? oracle_float_bits(floats[row->operation])
                            : cut_off(row, oracle_identity(row->operation)) ^ sign_of(row);
}

static uint64_t combine(const struct typed_row *row, uint64_t a, uint64_t b)
{
    const uint64_t sign = sign_of(row);
    return row->type == F32
               ? combine_floats(row->operation, a, b)
               : cut_off(row, oracle_combine(row->operation, a ^ sign, b ^ sign)) ^ sign;
}

static void subgroup_shape(struct cat_args *args)
{
    const struct typed_row row = typed_row_of(args);
    args->shape.words_per_instance = ROUNDS * (row.length + 1) * words_of(row.type);
    args->shape.input_words = args->shape.instances * args->shape.words_per_instance;
    args->shape.elements = (uint32_t)(args->shape.instances * ROUNDS * row.length);
}

// Values that fall or rise along the row, so that most prefixes have an extreme of their own; for a
// reduction, unordered values. In the upper half of 64 bits.
static uint64_t draw_extreme(const struct typed_row *row, struct lit_random *random, uint64_t place)
{
    if (row->reduce)
        return random_next(random);
    const uint64_t step = UINT64_MAX / (row->length + 8);
    const uint64_t value = place * step + random_below(random, step * 8);
    return row->operation == ORACLE_MIN ? ~value : value;
}

// Mostly the identity, else one bit that identifies the lane: about 24 times in a row.
static uint64_t draw_bit(const struct typed_row *row, struct lit_random *random)
{
    const uint64_t width = words_of(row->type) * 32;
    const uint64_t bit =
        random_below(random, row->length) < 24 ? UINT64_C(1) << random_below(random, width) : 0;
    return row->operation == ORACLE_AND ? ~bit : bit;
}

static uint64_t draw_integer(const struct typed_row *row, struct lit_random *random, uint64_t place)
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

// Factors with exact products of several hundred: at most 12 threes, 60 twos and 60 halves. `used`
// counts them.
static float draw_factor(const struct typed_row *row, struct lit_random *random, unsigned used[3])
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

// An item that moves the sum by some integer to another fractional part from 7/16 to 9/16. `sum`
// and the item are in units of 2^-20.
static float draw_rounded(struct lit_random *random, uint64_t *sum)
{
    const uint64_t unit = UINT64_C(1) << ITEM_FRACTION;
    const uint64_t whole = *sum / unit + (*sum ? 1 : 0) + random_below(random, 7);
    const uint64_t next = whole * unit + unit * 7 / 16 + random_below(random, unit / 8);
    const uint64_t item = next - *sum;
    *sum = next;
    return (float)item / (float)unit;
}

static void draw_row(const struct typed_row *row, struct lit_random *random, uint32_t *words)
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
    const struct typed_row row = typed_row_of(args);
    const uint64_t stride = (row.length + 1) * words_of(row.type);
    struct lit_random random = {seed};
    memset(input, 0, args->shape.input_words * sizeof *input);
    for (uint64_t at = 0; at < args->shape.input_words; at += stride)
        draw_row(&row, &random, input + at);
}

static uint64_t read_value(const struct typed_row *row, const uint32_t *words, uint64_t index)
{
    if (row->type == U64)
        return words[2 * index] | (uint64_t)words[2 * index + 1] << 32;
    if (row->type == F32_ROUNDED)
        return (uint64_t)(float_of(words[index]) * (float)(1 << ITEM_FRACTION));
    return words[index];
}

static void write_value(const struct typed_row *row, uint32_t *words, uint64_t index,
                        uint64_t value)
{
    if (row->type == F32_ROUNDED)
        value >>= ITEM_FRACTION;
    for (uint64_t word = 0; word < words_of(row->type); word++)
        words[index * words_of(row->type) + word] = (uint32_t)(value >> word * 32);
}

static void expect_row(const struct typed_row *row, const uint32_t *input, uint32_t *expected)
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
    const struct typed_row row = typed_row_of(args);
    const uint64_t stride = (row.length + 1) * words_of(row.type);
    for (uint64_t at = 0; at < args->shape.input_words; at += stride)
        expect_row(&row, input + at, expected + at);
}

static void subgroup_describe(const struct cat_args *args, const struct cat_failure *failure,
                              char *text, size_t size)
{
    const struct typed_row row = typed_row_of(args);
    const uint64_t element = failure->word / words_of(row.type);
    const unsigned round = (unsigned)(element / (row.length + 1));
    const unsigned place = (unsigned)(element % (row.length + 1));
    const unsigned items = cat_value(args, "items");
    if (place == row.length)
        snprintf(text, size, "round %u, the total that the last lane stored", round);
    else
        snprintf(text, size, "round %u, lane %u, item %u", round, place / items, place % items);
}

// ---- scan.vector-sum, where each workgroup adds up its own vector, and scan.vector-sum-grid,
// where all add up one.
//
// The order of floating-point additions is open. f32: at most 4096 integers below 2^12, so every
// partial sum is below 2^24 and exact. f32-rounded: the kernel stores the number of whole 64s in
// the sum. A sum of n positive terms with the exact value S has an error of at most ((1 + 2^-23)^(n
// - 1) - 1) S, whatever the order and direction of rounding; with n <= 4096 and S < 8 n + 64 that
// is below 17. The exact sum is chosen to lie 28 to 36 above a multiple of 64, farther than that
// from both neighbouring multiples, so there is a single right value.

enum {
    VECTOR_FRACTION = 17, // f32-rounded: elements are multiples of 2^-17 below 64: 23 bits
    UNIT = 1 << VECTOR_FRACTION,
    QUANTUM = 64,
    MOST_ELEMENTS = 4096,
    ITEMS = 4,      // elements per invocation in scan.vector-sum-grid
    GRID_STATE = 3, // words of state before its partial sums
    GUARD = 63,     // words after its result that stay poison
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
    args->shape.input_words = args->scale * vector_words(args);
    args->shape.words_per_instance = 1;
}

static void draw_rounded_vector(uint32_t elements, struct lit_random *random, uint32_t *words)
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
            draw_rounded_vector(args->shape.elements, &random, words);
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
                    (unsigned)elements, args->workgroup * ITEMS);
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

const struct cat_oracle oracles_scan[] = {
    SCAN("blelloch", blelloch_row, rows_shape,
         .where = "element {word}, stored by lane {word%lanes} of subgroup "
                  "{word%workgroup/lanes}"),
    SCAN("hillis-steele", hillis_steele_row, rows_shape, .where_of = hillis_steele_where),
    SCAN("levels", levels_row, levels_shape, .fits = levels_fits,
         .where = "round {word/workgroup}, subgroup {word%workgroup/lanes}, lane {word%lanes}"),
    SCAN("workgroup", workgroup_row, rows_shape,
         .where = "subgroup {word/items/lanes}, lane {word/items%lanes}, item {word%items}"),
    ORACLE("scan.subgroup", "subgroup", .shape = subgroup_shape, .input = subgroup_input,
           .expect = subgroup_expect, .describe = subgroup_describe),
    ORACLE("scan.vector-sum", "workgroup", .elements = "elements", .of_workgroups = true,
           .fits = vector_fits, .shape = vector_shape, .input = vector_input,
           .expect = vector_expect, .where = "workgroup {unit}, the sum of {elements} elements"),
    ORACLE("scan.vector-sum-grid", "device sum", .fits = grid_fits, .shape = grid_shape,
           .expect = grid_expect, .where_of = grid_where),
    {0},
};
