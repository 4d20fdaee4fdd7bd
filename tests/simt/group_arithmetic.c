// SPDX-License-Identifier: Apache-2.0
// Reductions and scans against their definitions in the SPIR-V specification, worked out for each
// lane on its own from a list of values, for subgroups of all sizes and random tangles.
#include "group.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

static const unsigned widths[] = {1, 4, 32, 64, 128};

// Floats whose value is a small number of few digits.
static uint64_t float_of(double value, unsigned bits)
{
    uint64_t all;
    uint32_t single;
    const float rounded = (float)value;
    memcpy(&all, &value, sizeof(all));
    memcpy(&single, &rounded, sizeof(single));
    if (bits == 64)
        return all;
    if (bits == 32)
        return single;
    if (value == 0)
        return all >> 63 << 15;
    if (value - value != 0) // infinite
        return all >> 63 << 15 | 0x7c00;
    return all >> 63 << 15 | ((all >> 52 & 0x7ff) - 1023 + 15) << 10 | (all >> 42 & 0x3ff);
}

static double number_of(uint64_t bits, unsigned width)
{
    if (width == 16) { // the only numbers that are drawn
        for (double size = 0; size <= 64; size += 0.25)
            for (int sign = -1; sign < 2; sign += 2)
                if (float_of(sign * size, 16) == bits)
                    return sign * size;
        for (double size = 1; size <= 16384; size *= 2)
            for (int sign = -1; sign < 2; sign += 2)
                for (int inverse = 0; inverse < 2; inverse++)
                    if (float_of(sign * (inverse ? 1 / size : size), 16) == bits)
                        return sign * (inverse ? 1 / size : size);
        return bits >> 15 ? -__builtin_inf() : __builtin_inf();
    }
    double number;
    float single;
    const uint32_t low = (uint32_t)bits;
    memcpy(&number, &bits, sizeof(number));
    memcpy(&single, &low, sizeof(single));
    return width == 64 ? number : (double)single;
}

static wide signed_of(uint64_t bits, unsigned width)
{
    const wide limit = (wide)1 << width;
    return (wide)bits >= limit / 2 ? (wide)bits - limit : (wide)bits;
}

// The operations: the result over a list of values, in order.

struct list {
    uint64_t value[LANES_MAX];
    unsigned count, width;
};

static uint64_t over_sum(const struct list *list)
{
    unsigned_wide sum = 0;
    for (unsigned i = 0; i < list->count; i++)
        sum += list->value[i];
    return (uint64_t)(sum % ((unsigned_wide)1 << list->width));
}

static uint64_t over_product(const struct list *list)
{
    unsigned_wide product = 1;
    for (unsigned i = 0; i < list->count; i++)
        product = product * list->value[i] % ((unsigned_wide)1 << list->width);
    return (uint64_t)product;
}

// The value that no other is beyond.
static uint64_t over_extreme(const struct list *list, bool is_signed, bool is_least)
{
    uint64_t best = list->value[0];
    for (unsigned i = 0; i < list->count; i++) {
        const uint64_t value = list->value[i];
        const wide a = is_signed ? signed_of(value, list->width) : (wide)value;
        const wide b = is_signed ? signed_of(best, list->width) : (wide)best;
        if (is_least ? a < b : a > b)
            best = value;
    }
    return best;
}

// Bit by bit: in all of them, in any, or in an odd number.
static uint64_t over_bits(const struct list *list, char how)
{
    uint64_t result = 0;
    for (unsigned bit = 0; bit < list->width; bit++) {
        unsigned set = 0;
        for (unsigned i = 0; i < list->count; i++)
            set += list->value[i] >> bit & 1;
        const bool is_set = how == '&' ? set == list->count : how == '|' ? set > 0 : set % 2;
        result |= (uint64_t)is_set << bit;
    }
    return result;
}

static uint64_t over_floats(const struct list *list, SpvOp opcode)
{
    double result = number_of(list->value[0], list->width);
    for (unsigned i = 1; i < list->count; i++) {
        const double value = number_of(list->value[i], list->width);
        if (opcode == SpvOpGroupNonUniformFAdd)
            result += value;
        else if (opcode == SpvOpGroupNonUniformFMul)
            result *= value;
        else if (opcode == SpvOpGroupNonUniformFMin ? value < result : value > result)
            result = value;
    }
    return float_of(result, list->width);
}

static uint64_t over(const struct list *list, SpvOp opcode)
{
    switch (opcode) {
    case SpvOpGroupNonUniformIAdd:
        return over_sum(list);
    case SpvOpGroupNonUniformIMul:
        return over_product(list);
    case SpvOpGroupNonUniformSMin:
        return over_extreme(list, true, true);
    case SpvOpGroupNonUniformSMax:
        return over_extreme(list, true, false);
    case SpvOpGroupNonUniformUMin:
        return over_extreme(list, false, true);
    case SpvOpGroupNonUniformUMax:
        return over_extreme(list, false, false);
    case SpvOpGroupNonUniformBitwiseAnd:
    case SpvOpGroupNonUniformLogicalAnd:
        return over_bits(list, '&');
    case SpvOpGroupNonUniformBitwiseOr:
    case SpvOpGroupNonUniformLogicalOr:
        return over_bits(list, '|');
    case SpvOpGroupNonUniformBitwiseXor:
    case SpvOpGroupNonUniformLogicalXor:
        return over_bits(list, '^');
    default:
        return over_floats(list, opcode);
    }
}

// Identities, of 8, 16, 32 and 64 bits (bool: the first).
static const struct {
    uint16_t opcode;
    enum scalar_kind kind;
    uint64_t identity[4];
} arithmetic[] = {
    {SpvOpGroupNonUniformIAdd, SCALAR_INT, {0, 0, 0, 0}},
    {SpvOpGroupNonUniformFAdd, SCALAR_FLOAT, {0, 0, 0, 0}},
    {SpvOpGroupNonUniformIMul, SCALAR_INT, {1, 1, 1, 1}},
    {SpvOpGroupNonUniformFMul, SCALAR_FLOAT, {0, 0x3c00, 0x3f800000, UINT64_C(0x3ff0000000000000)}},
    {SpvOpGroupNonUniformSMin, SCALAR_INT, {0x7f, 0x7fff, 0x7fffffff, INT64_MAX}},
    {SpvOpGroupNonUniformUMin, SCALAR_INT, {0xff, 0xffff, 0xffffffff, UINT64_MAX}},
    {SpvOpGroupNonUniformFMin, SCALAR_FLOAT, {0, 0x7c00, 0x7f800000, UINT64_C(0x7ff0000000000000)}},
    {SpvOpGroupNonUniformSMax, SCALAR_INT, {0x80, 0x8000, 0x80000000, UINT64_C(1) << 63}},
    {SpvOpGroupNonUniformUMax, SCALAR_INT, {0, 0, 0, 0}},
    {SpvOpGroupNonUniformFMax, SCALAR_FLOAT, {0, 0xfc00, 0xff800000, UINT64_C(0xfff0000000000000)}},
    {SpvOpGroupNonUniformBitwiseAnd, SCALAR_INT, {0xff, 0xffff, 0xffffffff, UINT64_MAX}},
    {SpvOpGroupNonUniformBitwiseOr, SCALAR_INT, {0, 0, 0, 0}},
    {SpvOpGroupNonUniformBitwiseXor, SCALAR_INT, {0, 0, 0, 0}},
    {SpvOpGroupNonUniformLogicalAnd, SCALAR_BOOL, {1, 0, 0, 0}},
    {SpvOpGroupNonUniformLogicalOr, SCALAR_BOOL, {0, 0, 0, 0}},
    {SpvOpGroupNonUniformLogicalXor, SCALAR_BOOL, {0, 0, 0, 0}},
};

// Values whose sums and products are exact in any order.
static void fill_floats(struct bench *bench, unsigned components, unsigned bits, bool factors)
{
    for (unsigned i = 0; i < components; i++) {
        for (unsigned lane = 0; lane < bench->width; lane++) {
            const double sign = draw(bench) & 1 ? -1 : 1;
            const double small = (double)(draw(bench) % 32) / 4;
            const double factor = lane % 16 == 3 ? 2 : lane % 16 == 11 ? 0.5 : 1;
            *cell(bench, VALUE + i, lane) = float_of(sign * (factors ? factor : small), bits);
        }
    }
}

// Ballots that are a partition of the tangle, with anything in the bits of other lanes.
static void fill_partition(struct bench *bench)
{
    unsigned part[LANES_MAX];
    for (unsigned lane = 0; lane < bench->width; lane++)
        part[lane] = (unsigned)(draw(bench) % 3);
    for (unsigned lane = 0; lane < bench->width; lane++) {
        lanes set = (lanes)draw(bench) << 64 | draw(bench);
        for (unsigned other = 0; other < bench->width; other++) {
            if (!in_tangle(bench, other))
                continue;
            set &= ~((lanes)1 << other);
            if (part[other] == part[lane])
                set |= (lanes)1 << other;
        }
        for (unsigned i = 0; i < 4; i++)
            *cell(bench, ARGUMENT + i, lane) = (uint32_t)(set >> 32 * i);
    }
}

// Whether the value of `other` goes into the result of `lane`.
static bool takes_part(const struct bench *bench, int operation, unsigned cluster, unsigned lane,
                       unsigned other)
{
    if (!in_tangle(bench, other))
        return false;
    switch (operation) {
    case REDUCE:
        return true;
    case INCLUSIVE:
        return other <= lane;
    case EXCLUSIVE:
        return other < lane;
    case CLUSTERED:
        return other / cluster == lane / cluster;
    case PART_INCLUSIVE:
        return other <= lane && ballot_has(bench, ARGUMENT, lane, other);
    case PART_EXCLUSIVE:
        return other < lane && ballot_has(bench, ARGUMENT, lane, other);
    default:
        return ballot_has(bench, ARGUMENT, lane, other);
    }
}

static void check_arithmetic(struct bench *bench, size_t row, unsigned bits, int operation,
                             unsigned cluster)
{
    const SpvOp opcode = (SpvOp)arithmetic[row].opcode;
    const unsigned components = 1 + (unsigned)(draw(bench) % 4);
    const struct shape value = shape_of(arithmetic[row].kind, bits, components);
    const struct insn_shape shape =
        instruction(opcode, operation, value, operation >= CLUSTERED ? 3 : 2, value,
                    operation >= PART_REDUCE ? words : word);
    if (arithmetic[row].kind == SCALAR_FLOAT)
        fill_floats(bench, components, bits, opcode == SpvOpGroupNonUniformFMul);
    else
        fill(bench, VALUE, components, bits);
    if (operation >= PART_REDUCE)
        fill_partition(bench);
    for (unsigned lane = 0; operation == CLUSTERED && lane < bench->width; lane++)
        *cell(bench, ARGUMENT, lane) = cluster;
    if (!choose(bench, &shape, true))
        fail_msg("opcode %u of %u bits is refused", opcode, bits);
    assert_int_equal(bench->insn.kind, INSN_TANGLED);
    execute(bench, components);
    for (unsigned i = 0; i < components; i++) {
        for (unsigned lane = 0; lane < bench->width; lane++) {
            struct list list = {.width = bits};
            for (unsigned other = 0; other < bench->width; other++)
                if (takes_part(bench, operation, cluster, lane, other))
                    list.value[list.count++] = old(bench, VALUE + i, other);
            const unsigned size = bits < 16 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3;
            if (in_tangle(bench, lane))
                expect(bench, i, lane,
                       list.count ? over(&list, opcode) : arithmetic[row].identity[size]);
        }
    }
}

TEST(test_arithmetic)
{
    static const int operations[] = {REDUCE,      INCLUSIVE,      EXCLUSIVE,
                                     PART_REDUCE, PART_INCLUSIVE, PART_EXCLUSIVE};
    struct bench bench;
    for (size_t w = 0; w < COUNT(widths); w++) {
        for (size_t row = 0; row < COUNT(arithmetic); row++) {
            const enum scalar_kind kind = arithmetic[row].kind;
            const unsigned least = kind == SCALAR_INT ? 8 : kind == SCALAR_FLOAT ? 16 : 1;
            for (unsigned bits = least; bits <= (least == 1 ? 1 : 64); bits *= 2) {
                begin(&bench, widths[w], row + bits);
                for (size_t i = 0; i < COUNT(operations); i++) {
                    for (unsigned j = 0; j < 2; j++) {
                        choose_mask(&bench, j == 0 && i % 2 ? 0 : 3 + (unsigned)i + j);
                        check_arithmetic(&bench, row, bits, operations[i], 0);
                    }
                }
                for (unsigned cluster = 1; cluster <= widths[w]; cluster *= 2) {
                    choose_mask(&bench, cluster);
                    check_arithmetic(&bench, row, bits, CLUSTERED, cluster);
                }
            }
        }
    }
}

// Each step rounds to the width of the float, lanes in ascending order; alone, a value stays as it
// is, also a zero with a sign.
TEST(test_rounding)
{
    static const struct {
        unsigned bits;
        SpvOp opcode;
        uint64_t value[4], result;
    } rows[] = {
        {16, SpvOpGroupNonUniformFAdd, {0x6800, 0x3c00, 0x3c00, 0x3c00}, 0x6800},
        {16, SpvOpGroupNonUniformFAdd, {0x3c00, 0x3c00, 0x3c00, 0x6800}, 0x6802},
        {32, SpvOpGroupNonUniformFAdd, {0x4b800000, 0x3f800000, 0x3f800000, 0}, 0x4b800000},
        {32, SpvOpGroupNonUniformFAdd, {0x3f800000, 0x3f800000, 0x4b800000, 0}, 0x4b800001},
        {32, SpvOpGroupNonUniformFAdd, {0x7f7fffff, 0x7f7fffff, 0xff7fffff, 0}, 0x7f800000},
        {32,
         SpvOpGroupNonUniformFAdd,
         {0x80000000, 0x80000000, 0x80000000, 0x80000000},
         0x80000000},
        {32, SpvOpGroupNonUniformFMul, {1, 0x3f000000, 0x40000000, 0x3f800000}, 0},
        {32,
         SpvOpGroupNonUniformFMin,
         {0x7fc00000, 0x3f800000, 0x7fc00000, 0x40000000},
         0x3f800000},
        {32,
         SpvOpGroupNonUniformFMax,
         {0x7fc00000, 0x3f800000, 0x7fc00000, 0xff800000},
         0x3f800000},
    };
    struct bench bench;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct shape value = shape_of(SCALAR_FLOAT, rows[i].bits, 1);
        const struct insn_shape shape = instruction(rows[i].opcode, REDUCE, value, 2, value, word);
        begin(&bench, 4, i);
        set_mask(&bench, 0xf);
        for (unsigned lane = 0; lane < 4; lane++)
            *cell(&bench, VALUE, lane) = rows[i].value[lane];
        assert_true(choose(&bench, &shape, true));
        execute(&bench, 1);
        for (unsigned lane = 0; lane < 4; lane++)
            expect(&bench, 0, lane, rows[i].result);
    }
}

// Sizes of clusters that no subgroup has: junk, of the right width.
TEST(test_bad_clusters)
{
    static const uint32_t sizes[] = {0, 3, 8, 0x80000000, UINT32_MAX};
    const struct shape value = shape_of(SCALAR_INT, 8, 1);
    const struct insn_shape reduce =
        instruction(SpvOpGroupNonUniformIAdd, CLUSTERED, value, 3, value, word);
    const struct insn_shape rotate =
        instruction(SpvOpGroupNonUniformRotateKHR, NO_OPERATION, value, 4, value, word);
    struct bench bench;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        for (unsigned j = 0; j < 2; j++) {
            begin(&bench, 4, i);
            set_mask(&bench, 0xf);
            fill(&bench, VALUE, 1, 8);
            for (unsigned lane = 0; lane < 4; lane++)
                *cell(&bench, j ? CLUSTER : ARGUMENT, lane) = sizes[i];
            assert_true(choose(&bench, j ? &rotate : &reduce, true));
            execute(&bench, 1);
            bool differ = false;
            for (unsigned lane = 0; lane < 4; lane++) {
                assert_true(*cell(&bench, RESULT, lane) < 256);
                differ |= *cell(&bench, RESULT, lane) != *cell(&bench, RESULT, 0);
            }
            assert_true(differ);
        }
    }
}
