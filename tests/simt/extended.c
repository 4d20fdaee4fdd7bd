// SPDX-License-Identifier: Apache-2.0
// GLSL.std.450 against a table of correctly rounded values, and against values worked out by hand.
#include "program/execution.h"
#include "program/instructions.h"

#include "extended_table.h"

#include "../unit/unit.h"

#define WIDTH        4
#define CELLS        64 // operand n begins at 16 n, the result at 48
#define RESULT       48
#define UNTOUCHED    UINT64_C(0x5a5a5a5a5a5a5a5a)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define FLOAT(bits, count)                                                                         \
    {                                                                                              \
        .scalar = SCALAR_FLOAT, .width = bits, .components = count                                 \
    }
#define INT(bits, count)                                                                           \
    {                                                                                              \
        .scalar = SCALAR_INT, .width = bits, .components = count                                   \
    }
#define STRUCT(count)                                                                              \
    {                                                                                              \
        .scalar = SCALAR_OTHER, .components = count                                                \
    }
#define MATRIX(bits, side)                                                                         \
    {                                                                                              \
        .scalar = SCALAR_OTHER, .components = (side) * (side), .columns = side, .rows = side,      \
        .matrix_width = bits                                                                       \
    }

struct bench {
    uint64_t cells[CELLS * WIDTH];
    struct exec exec;
    struct insn insn;
};

static bool prepare(struct bench *bench, const struct insn_shape *shape)
{
    memset(bench, 0, sizeof(*bench));
    for (size_t i = 0; i < COUNT(bench->cells); i++)
        bench->cells[i] = UNTOUCHED;
    bench->exec = (struct exec){.cells = bench->cells, .width = WIDTH, .present = 0xf};
    bench->insn = (struct insn){.opcode = SpvOpExtInst, .result = RESULT};
    for (uint32_t i = 0; i < 4; i++)
        bench->insn.operand[i] = i < shape->operand_count ? 16 * i : CELL_NONE;
    bench->insn.run = select_extended(shape, &bench->insn);
    return bench->insn.run;
}

static void execute(struct bench *bench, lanes mask)
{
    bench->exec.mask = mask;
    bench->exec.count = 0;
    each_lane (lane, mask)
        bench->exec.lane[bench->exec.count++] = (uint8_t)lane;
    bench->insn.run(&bench->exec, &bench->insn);
}

static uint64_t *cell(struct bench *bench, uint32_t number, unsigned lane)
{
    return &bench->cells[number * WIDTH + lane];
}

static struct insn_shape shape_of(uint32_t instruction, struct shape result, uint32_t operands,
                                  struct shape operand)
{
    struct insn_shape shape = {.opcode = SpvOpExtInst,
                               .extended = instruction,
                               .has_result = true,
                               .result = result,
                               .operand_count = operands};
    for (uint32_t i = 0; i < operands; i++)
        shape.operand[i] = operand;
    return shape;
}

// Executes with the same operands in lanes 1 and 3 (or in all of them), and compares those lanes'
// results, and that all else is as it was. `operand` has the cells of operand n from 16 n on.
static void check(const char *what, const struct insn_shape *shape, const uint64_t *operand,
                  const uint64_t *result, uint64_t ulps)
{
    for (int all = 0; all < 2; all++) {
        struct bench bench;
        const lanes mask = all ? 0xf : 0xa;
        if (!prepare(&bench, shape))
            fail_msg("%s is refused", what);
        for (uint32_t i = 0; i < shape->operand_count; i++)
            for (uint32_t j = 0; j < shape->operand[i].components; j++)
                for (unsigned lane = 0; lane < WIDTH; lane++)
                    *cell(&bench, 16 * i + j, lane) = operand[16 * i + j];
        struct bench before = bench;
        execute(&bench, mask);
        each_lane (lane, mask) {
            for (uint32_t j = 0; j < shape->result.components; j++) {
                const uint64_t got = *cell(&bench, RESULT + j, lane);
                if (got - result[j] > ulps && result[j] - got > ulps)
                    fail_msg("%s: component %u is %#jx, not %#jx (operand %#jx)", what, j,
                             (uintmax_t)got, (uintmax_t)result[j], (uintmax_t)operand[j]);
                *cell(&bench, RESULT + j, lane) = UNTOUCHED;
            }
        }
        if (memcmp(bench.cells, before.cells, sizeof(bench.cells)) != 0)
            fail_msg("%s writes elsewhere", what);
    }
}

// Each row as a scalar and, with other rows in the other components, as a vector.
TEST(test_table)
{
    for (size_t i = 0; i < COUNT(extended_table); i++) {
        const struct extended_row *row = &extended_table[i];
        char what[64];
        snprintf(what, sizeof(what), "row %zu: instruction %u of %u bits", i, row->instruction,
                 row->width);
        const struct shape scalar = FLOAT(row->width, 1);
        struct insn_shape shape = shape_of(row->instruction, scalar, row->operands, scalar);
        uint64_t operand[RESULT] = {0}, result[16] = {0};
        uint32_t count = 0;
        for (; count < 4 && i + count < COUNT(extended_table); count++) {
            const struct extended_row *next = row + count;
            if (next->instruction != row->instruction || next->width != row->width)
                break;
            for (uint32_t j = 0; j < row->operands; j++)
                operand[16 * j + count] = next->operand[j];
            result[count] = next->result;
        }
        check(what, &shape, operand, result, row->ulps);
        shape.result.components = count;
        for (uint32_t j = 0; j < row->operands; j++)
            shape.operand[j].components = count;
        check(what, &shape, operand, result, row->ulps);
    }
}

#define NAN16 0x7e00
#define NAN32 0x7fc00000
#define INF32 0x7f800000
#define ONE32 0x3f800000
#define HALF  0x3f000000
#define NEG   0x80000000 // the sign of a float of 32 bits

// What the table's generator has no numbers for: infinities, NaN, zeros with a sign.
static const struct {
    uint32_t instruction, width, operands;
    uint64_t operand[3], result;
} special[] = {
    {GLSLstd450FAbs, 32, 1, {NEG}, 0},
    {GLSLstd450FAbs, 32, 1, {NEG | INF32}, INF32},
    {GLSLstd450FAbs, 64, 1, {UINT64_C(0x8000000000000001)}, 1},
    {GLSLstd450FAbs, 16, 1, {0x8001}, 1},
    {GLSLstd450RoundEven, 32, 1, {HALF}, 0},
    {GLSLstd450RoundEven, 32, 1, {NEG | HALF}, NEG},
    {GLSLstd450RoundEven, 32, 1, {0x4b800001}, 0x4b800001},
    {GLSLstd450Floor, 32, 1, {NEG}, NEG},
    {GLSLstd450Floor, 32, 1, {0x80000001}, NEG | ONE32},
    {GLSLstd450Ceil, 32, 1, {1}, ONE32},
    {GLSLstd450Ceil, 32, 1, {NEG | HALF}, NEG},
    {GLSLstd450Trunc, 32, 1, {NEG | INF32}, NEG | INF32},
    {GLSLstd450FSign, 32, 1, {NEG | INF32}, NEG | ONE32},
    {GLSLstd450FSign, 32, 1, {NEG}, 0},
    {GLSLstd450Exp, 32, 1, {NEG | INF32}, 0},
    {GLSLstd450Exp, 32, 1, {0x42c80000}, INF32},
    {GLSLstd450Exp, 16, 1, {0x5640}, 0x7c00},
    {GLSLstd450Exp2, 32, 1, {0xc3150000}, 1},
    {GLSLstd450Exp2, 16, 1, {0xce00}, 1},
    {GLSLstd450Log, 32, 1, {0}, NEG | INF32},
    {GLSLstd450Log2, 32, 1, {1}, 0xc3150000},
    {GLSLstd450Log, 32, 1, {NEG | ONE32}, NAN32},
    {GLSLstd450Sqrt, 32, 1, {NEG | ONE32}, NAN32},
    {GLSLstd450Sqrt, 16, 1, {0xbc00}, NAN16},
    {GLSLstd450Sqrt, 32, 1, {NEG}, NEG},
    {GLSLstd450InverseSqrt, 32, 1, {0}, INF32},
    {GLSLstd450Sin, 32, 1, {INF32}, NAN32},
    {GLSLstd450Tanh, 32, 1, {NEG | INF32}, NEG | ONE32},
    {GLSLstd450NMin, 32, 2, {NAN32, ONE32}, ONE32},
    {GLSLstd450NMin, 32, 2, {ONE32, NAN32}, ONE32},
    {GLSLstd450NMin, 32, 2, {ONE32, 0x7f800001}, ONE32},
    {GLSLstd450NMax, 32, 2, {0xffc00000, NEG | ONE32}, NEG | ONE32},
    {GLSLstd450NMax, 32, 2, {NEG | ONE32, NAN32}, NEG | ONE32},
    {GLSLstd450NMax, 32, 2, {NAN32, NAN32}, NAN32},
    {GLSLstd450NMax, 64, 2, {0x7ff0000000000001, 1}, 1},
    {GLSLstd450NMax, 16, 2, {NAN16, 0xfc00}, 0xfc00},
    {GLSLstd450NClamp, 32, 3, {NAN32, HALF, ONE32}, HALF},
    {GLSLstd450Step, 32, 2, {NEG, 0}, ONE32},
    {GLSLstd450Pow, 32, 2, {0x40000000, 0x43000000}, INF32},
    {GLSLstd450Fma, 32, 3, {INF32, 0, ONE32}, NAN32},
    // what only the last bit of the product is left of
    {GLSLstd450Fma, 32, 3, {0x3f800001, 0x3f800001, 0xbf800002}, 0x28800000},
    {GLSLstd450Fma,
     64,
     3,
     {0x3ff0000000000001, 0x3ff0000000000001, 0xbff0000000000002},
     0x3970000000000000},
    // subnormal numbers are numbers
    {GLSLstd450FMax, 32, 2, {1, 2}, 2},
    {GLSLstd450Fract, 32, 1, {1}, 1},
    {GLSLstd450Fract, 16, 1, {0x03ff}, 0x03ff},
};

TEST(test_special)
{
    for (size_t i = 0; i < COUNT(special); i++) {
        const struct shape scalar = FLOAT(special[i].width, 1);
        const struct insn_shape shape =
            shape_of(special[i].instruction, scalar, special[i].operands, scalar);
        uint64_t operand[RESULT] = {0};
        char what[64];
        snprintf(what, sizeof(what), "special row %zu", i);
        for (uint32_t j = 0; j < special[i].operands; j++)
            operand[16 * j] = special[i].operand[j];
        check(what, &shape, operand, &special[i].result, 0);
    }
}

static const struct {
    uint32_t instruction, width, operands;
    uint64_t operand[3], result;
} integers[] = {
    {GLSLstd450SAbs, 8, 1, {0xff}, 1},
    {GLSLstd450SAbs, 8, 1, {0x80}, 0x80},
    {GLSLstd450SAbs, 16, 1, {0x7fff}, 0x7fff},
    {GLSLstd450SAbs, 32, 1, {0x80000000}, 0x80000000},
    {GLSLstd450SAbs, 32, 1, {0xfffffff6}, 10},
    {GLSLstd450SAbs, 64, 1, {UINT64_MAX}, 1},
    {GLSLstd450SAbs, 64, 1, {UINT64_C(1) << 63}, UINT64_C(1) << 63},
    {GLSLstd450SSign, 8, 1, {0x80}, 0xff},
    {GLSLstd450SSign, 16, 1, {0}, 0},
    {GLSLstd450SSign, 32, 1, {7}, 1},
    {GLSLstd450SSign, 64, 1, {UINT64_C(1) << 63}, UINT64_MAX},
    {GLSLstd450UMin, 8, 2, {0xff, 1}, 1},
    {GLSLstd450SMin, 8, 2, {0xff, 1}, 0xff},
    {GLSLstd450UMax, 8, 2, {0xff, 1}, 0xff},
    {GLSLstd450SMax, 8, 2, {0xff, 1}, 1},
    {GLSLstd450UMin, 16, 2, {0x8000, 0x7fff}, 0x7fff},
    {GLSLstd450SMin, 16, 2, {0x8000, 0x7fff}, 0x8000},
    {GLSLstd450UMax, 32, 2, {0x80000000, 0x7fffffff}, 0x80000000},
    {GLSLstd450SMax, 32, 2, {0x80000000, 0x7fffffff}, 0x7fffffff},
    {GLSLstd450UMax, 64, 2, {UINT64_MAX, 3}, UINT64_MAX},
    {GLSLstd450SMax, 64, 2, {UINT64_MAX, 3}, 3},
    {GLSLstd450SMin, 64, 2, {3, UINT64_MAX}, UINT64_MAX},
    {GLSLstd450UClamp, 8, 3, {0xf0, 3, 9}, 9},
    {GLSLstd450SClamp, 8, 3, {0xf0, 3, 9}, 3},
    {GLSLstd450SClamp, 16, 3, {0xfff0, 0xfff8, 9}, 0xfff8},
    {GLSLstd450UClamp, 32, 3, {5, 3, 9}, 5},
    {GLSLstd450UClamp, 32, 3, {1, 3, 9}, 3},
    {GLSLstd450SClamp, 32, 3, {0x80000000, 0xffffffff, 9}, 0xffffffff},
    {GLSLstd450SClamp, 64, 3, {10, 0, 9}, 9},
    {GLSLstd450FindILsb, 8, 1, {0x80}, 7},
    {GLSLstd450FindILsb, 16, 1, {0}, 0xffff},
    {GLSLstd450FindILsb, 32, 1, {0}, 0xffffffff},
    {GLSLstd450FindILsb, 32, 1, {0x80000000}, 31},
    {GLSLstd450FindILsb, 64, 1, {UINT64_C(1) << 40}, 40},
    {GLSLstd450FindILsb, 64, 1, {0}, UINT64_MAX},
    {GLSLstd450FindUMsb, 32, 1, {0}, 0xffffffff},
    {GLSLstd450FindUMsb, 32, 1, {1}, 0},
    {GLSLstd450FindUMsb, 32, 1, {0xffffffff}, 31},
    {GLSLstd450FindSMsb, 32, 1, {0}, 0xffffffff},
    {GLSLstd450FindSMsb, 32, 1, {0xffffffff}, 0xffffffff},
    {GLSLstd450FindSMsb, 32, 1, {0x7fffffff}, 30},
    {GLSLstd450FindSMsb, 32, 1, {0x80000000}, 30},
    {GLSLstd450FindSMsb, 32, 1, {0xfffffffe}, 0},
    {GLSLstd450FindSMsb, 32, 1, {0xfffffff0}, 3},
};

TEST(test_integers)
{
    for (size_t i = 0; i < COUNT(integers); i++) {
        char what[64];
        snprintf(what, sizeof(what), "integer row %zu", i);
        for (uint32_t components = 1; components <= 4; components++) {
            const struct shape value = INT(integers[i].width, components);
            const struct insn_shape shape =
                shape_of(integers[i].instruction, value, integers[i].operands, value);
            uint64_t operand[RESULT] = {0}, result[4];
            for (uint32_t c = 0; c < components; c++) {
                for (uint32_t j = 0; j < integers[i].operands; j++)
                    operand[16 * j + c] = integers[i].operand[j];
                result[c] = integers[i].result;
            }
            check(what, &shape, operand, result, 0);
        }
    }
}

#define F(value) float_word(value)
#define D(value) double_word(value)

static uint64_t float_word(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint64_t double_word(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

// An instruction with one operand whose shape is not that of its result.
static void check_one(uint32_t instruction, struct shape result, struct shape operand,
                      const uint64_t *cells, const uint64_t *expected)
{
    const struct insn_shape shape = shape_of(instruction, result, 1, operand);
    uint64_t all[RESULT] = {0};
    char what[64];
    snprintf(what, sizeof(what), "instruction %u", instruction);
    memcpy(all, cells, operand.components * sizeof(*cells));
    check(what, &shape, all, expected, 0);
}

#define ONE(instruction, result, operand, ...)                                                     \
    check_one(instruction, (struct shape)result, (struct shape)operand, __VA_ARGS__)
#define LIST(...)                                                                                  \
    (const uint64_t[])                                                                             \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

TEST(test_pack)
{
    ONE(GLSLstd450PackSnorm4x8, INT(32, 1), FLOAT(32, 4), LIST(F(1), F(-1), F(0.5f), F(-7)),
        LIST(0x8140817f));
    ONE(GLSLstd450PackSnorm4x8, INT(32, 1), FLOAT(32, 4), LIST(F(0), F(7), F(-0.25f), F(0.004f)),
        LIST(0x01e07f00));
    ONE(GLSLstd450PackUnorm4x8, INT(32, 1), FLOAT(32, 4), LIST(F(1), F(-1), F(0.5f), F(0.2f)),
        LIST(0x338000ff));
    ONE(GLSLstd450PackSnorm2x16, INT(32, 1), FLOAT(32, 2), LIST(F(1), F(-1)), LIST(0x80017fff));
    ONE(GLSLstd450PackSnorm2x16, INT(32, 1), FLOAT(32, 2), LIST(F(0.5f), F(-2)), LIST(0x80014000));
    ONE(GLSLstd450PackUnorm2x16, INT(32, 1), FLOAT(32, 2), LIST(F(2), F(0.2f)), LIST(0x3333ffff));
    ONE(GLSLstd450PackHalf2x16, INT(32, 1), FLOAT(32, 2), LIST(F(1), F(-2)), LIST(0xc0003c00));
    ONE(GLSLstd450PackHalf2x16, INT(32, 1), FLOAT(32, 2), LIST(F(65520), F(0x1p-24f)),
        LIST(0x00017c00));
    ONE(GLSLstd450PackDouble2x32, FLOAT(64, 1), INT(32, 2), LIST(0x01234567, 0x89abcdef),
        LIST(0x89abcdef01234567));
    ONE(GLSLstd450UnpackDouble2x32, INT(32, 2), FLOAT(64, 1), LIST(0x89abcdef01234567),
        LIST(0x01234567, 0x89abcdef));
    ONE(GLSLstd450UnpackHalf2x16, FLOAT(32, 2), INT(32, 1), LIST(0xc0003c00), LIST(F(1), F(-2)));
    ONE(GLSLstd450UnpackHalf2x16, FLOAT(32, 2), INT(32, 1), LIST(0x7c000001),
        LIST(F(0x1p-24f), INF32));
    ONE(GLSLstd450UnpackUnorm2x16, FLOAT(32, 2), INT(32, 1), LIST(0x3333ffff), LIST(F(1), F(0.2f)));
    ONE(GLSLstd450UnpackSnorm2x16, FLOAT(32, 2), INT(32, 1), LIST(0x80007fff), LIST(F(1), F(-1)));
    ONE(GLSLstd450UnpackUnorm4x8, FLOAT(32, 4), INT(32, 1), LIST(0x33660aff),
        LIST(F(1), 0x3d20a0a1, F(0.4f), F(0.2f))); // 10 / 255
    ONE(GLSLstd450UnpackSnorm4x8, FLOAT(32, 4), INT(32, 1), LIST(0x80817f00),
        LIST(F(0), F(1), F(-1), F(-1)));
    ONE(GLSLstd450UnpackSnorm4x8, FLOAT(32, 4), INT(32, 1), LIST(0xff010203),
        LIST(0x3cc18306, 0x3c810204, 0x3c010204, 0xbc010204)); // 3, 2, 1, -1 / 127
}

TEST(test_parts)
{
    ONE(GLSLstd450ModfStruct, STRUCT(2), FLOAT(32, 1), LIST(F(3.25f)), LIST(F(0.25f), F(3)));
    ONE(GLSLstd450ModfStruct, STRUCT(4), FLOAT(32, 2), LIST(F(-3.25f), INF32),
        LIST(F(-0.25f), 0, F(-3), INF32));
    ONE(GLSLstd450ModfStruct, STRUCT(2), FLOAT(64, 1), LIST(D(-0.5)), LIST(D(-0.5), D(-0.0)));
    ONE(GLSLstd450ModfStruct, STRUCT(2), FLOAT(16, 1), LIST(0x4100), LIST(0x3800, 0x4000)); // 2.5
    ONE(GLSLstd450FrexpStruct, STRUCT(2), FLOAT(32, 1), LIST(F(10)), LIST(F(0.625f), 4));
    ONE(GLSLstd450FrexpStruct, STRUCT(6), FLOAT(32, 3), LIST(F(-0.125f), F(0), 1),
        LIST(F(-0.5f), F(0), F(0.5f), 0xfffffffe, 0, 0xffffff6c));
    ONE(GLSLstd450FrexpStruct, STRUCT(2), FLOAT(64, 1), LIST(1), LIST(D(0.5), 0xfffffbcf));
    ONE(GLSLstd450FrexpStruct, STRUCT(2), FLOAT(16, 1), LIST(0x3c00), LIST(0x3800, 1));

    static const struct {
        uint32_t width, exponent_width;
        uint64_t x, exponent, result;
    } rows[] = {
        {32, 32, 0x3fc00000, 4, 0x41c00000},
        {32, 32, 0x3fc00000, 0xffffffff, 0x3f400000},
        {32, 32, 0x3fc00000, 0x7fffffff, INF32},
        {32, 32, 0xbfc00000, 0x80000000, NEG},
        {32, 8, 0x3f800000, 0xfe, 0x3e800000},
        {32, 64, 0x3f800000, UINT64_MAX, 0x3f000000},
        {32, 16, 0x00000001, 149, 0x3f800000},
        {64, 32, 0x3ff0000000000000, 0xfffffbce, 1},
        {64, 32, 0x0000000000000001, 2097, 0x7fe0000000000000},
        {16, 32, 0x3c00, 15, 0x7800},
        {16, 16, 0x3c00, 0xffe8, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct shape value = FLOAT(rows[i].width, 3);
        struct insn_shape shape = shape_of(GLSLstd450Ldexp, value, 2, value);
        shape.operand[1] = (struct shape)INT(rows[i].exponent_width, 3);
        uint64_t operand[RESULT] = {rows[i].x, rows[i].x, rows[i].x};
        operand[16] = operand[17] = operand[18] = rows[i].exponent;
        check("Ldexp", &shape, operand, LIST(rows[i].result, rows[i].result, rows[i].result), 0);
    }
}

struct geometry_row {
    uint32_t instruction, operands, components;
    bool scalar; // the result is one
    float operand[3][4], result[4];
};

static const struct geometry_row geometry[] = {
    {GLSLstd450Length, 1, 2, true, {{3, -4}}, {5}},
    {GLSLstd450Length, 1, 4, true, {{1, 1, 1, 1}}, {2}},
    {GLSLstd450Length, 1, 1, true, {{-7}}, {7}},
    {GLSLstd450Length, 1, 3, true, {{0, 0, 0}}, {0}},
    {GLSLstd450Distance, 2, 3, true, {{1, 2, 3}, {3, 5, 9}}, {7}},
    {GLSLstd450Distance, 2, 1, true, {{1}, {3}}, {2}},
    {GLSLstd450Cross, 2, 3, false, {{1, 2, 3}, {4, 5, 7}}, {-1, 5, -3}},
    {GLSLstd450Cross, 2, 3, false, {{1, 0, 0}, {0, 1, 0}}, {0, 0, 1}},
    {GLSLstd450Normalize, 1, 2, false, {{0, -8}}, {0, -1}},
    {GLSLstd450Normalize, 1, 4, false, {{2, -2, 2, 2}}, {0.5f, -0.5f, 0.5f, 0.5f}},
    {GLSLstd450Normalize, 1, 1, false, {{-8}}, {-1}},
    {GLSLstd450FaceForward, 3, 2, false, {{1, 2}, {1, 1}, {-1, 0}}, {1, 2}},
    {GLSLstd450FaceForward, 3, 2, false, {{1, 2}, {1, 1}, {1, 0}}, {-1, -2}},
    {GLSLstd450FaceForward, 3, 2, false, {{1, 2}, {1, 1}, {1, -1}}, {-1, -2}},
    {GLSLstd450Reflect, 2, 3, false, {{1, -1, 2}, {0, 1, 0}}, {1, 1, 2}},
    {GLSLstd450Reflect, 2, 1, false, {{3}, {1}}, {-3}},
    // straight on at ratio 2, and at the ratio 1 nothing changes
    {GLSLstd450Refract, 3, 2, false, {{0, -1}, {0, 1}, {2}}, {0, -1}},
    {GLSLstd450Refract, 3, 3, false, {{1, 0, 0}, {-1, 0, 0}, {1}}, {1, 0, 0}},
    // all of the light is reflected: 1 - 4 (1 - 0.36) < 0
    {GLSLstd450Refract, 3, 2, false, {{0.8f, -0.6f}, {0, 1}, {2}}, {0, 0}},
    // 1 - 0.25 (1 - 0) = 0.75
    {GLSLstd450Refract, 3, 2, false, {{1, 0}, {0, 1}, {0.5f}}, {0.5f, -0.8660254f}},
};

// Bits of a float with few digits, in any width.
static uint64_t bits_of(double value, uint32_t width)
{
    const uint64_t bits = double_word(value);
    if (width == 64 || value == 0)
        return width == 64 ? bits : 0;
    if (width == 32)
        return float_word((float)value);
    const uint64_t exponent = (bits >> 52 & 0x7ff) - 1023 + 15;
    return bits >> 63 << 15 | exponent << 10 | (bits >> 42 & 0x3ff);
}

TEST(test_geometry)
{
    for (size_t i = 0; i < COUNT(geometry); i++) {
        const struct geometry_row *row = &geometry[i];
        for (uint32_t width = 16; width <= 64; width *= 2) {
            const bool digits = row->result[1] == -0.8660254f || row->operand[0][0] == 0.8f;
            if (digits && width != 32)
                continue;
            const struct shape value = FLOAT(width, row->components);
            struct insn_shape shape = shape_of(row->instruction, value, row->operands, value);
            uint64_t operand[RESULT], result[4];
            char what[64];
            snprintf(what, sizeof(what), "geometry row %zu of %u bits", i, width);
            if (row->scalar)
                shape.result.components = 1;
            if (row->instruction == GLSLstd450Refract)
                shape.operand[2].components = 1;
            for (uint32_t c = 0; c < 4; c++) {
                for (uint32_t j = 0; j < 3; j++)
                    operand[16 * j + c] = bits_of(row->operand[j][c], width);
                result[c] = bits_of(row->result[c], width);
            }
            check(what, &shape, operand, result, digits ? 1 : 0);
        }
    }
}

TEST(test_extremes)
{
    ONE(GLSLstd450Length, FLOAT(64, 1), FLOAT(64, 2), LIST(D(0x3p700), D(0x4p700)),
        LIST(D(0x5p700)));
    ONE(GLSLstd450Length, FLOAT(64, 1), FLOAT(64, 2), LIST(D(0x3p-600), D(0x4p-600)),
        LIST(D(0x5p-600)));
    ONE(GLSLstd450Length, FLOAT(32, 1), FLOAT(32, 2), LIST(F(0x3p100f), F(0x4p100f)),
        LIST(F(0x5p100f)));
    ONE(GLSLstd450Length, FLOAT(32, 1), FLOAT(32, 2), LIST(INF32, F(1)), LIST(INF32));
    ONE(GLSLstd450Length, FLOAT(32, 1), FLOAT(32, 2), LIST(NAN32, NAN32), LIST(NAN32));
    ONE(GLSLstd450Normalize, FLOAT(64, 2), FLOAT(64, 2), LIST(D(0), D(0x1p-1000)),
        LIST(D(0), D(1)));
    // eta may be of another width
    struct insn_shape shape =
        shape_of(GLSLstd450Refract, (struct shape)FLOAT(64, 2), 3, (struct shape)FLOAT(64, 2));
    shape.operand[2] = (struct shape)FLOAT(32, 1);
    uint64_t operand[RESULT] = {D(1), D(0)};
    operand[16] = D(0), operand[17] = D(1), operand[32] = F(1);
    check("Refract", &shape, operand, LIST(D(1), D(0)), 0);
}

TEST(test_matrices)
{
    for (uint32_t width = 16; width <= 64; width *= 2) {
#define B(value) bits_of(value, width)
        // columns (1, 2), (3, 8): determinant 8 - 6
        const uint64_t *two = LIST(B(1), B(2), B(3), B(8));
        ONE(GLSLstd450Determinant, FLOAT(width, 1), MATRIX(width, 2), two, LIST(B(2)));
        ONE(GLSLstd450MatrixInverse, MATRIX(width, 2), MATRIX(width, 2), two,
            LIST(B(4), B(-1), B(-1.5), B(0.5)));
        // the third column is (5, 6, 0): the classic whose inverse is of integers
        const uint64_t *three = LIST(B(1), B(0), B(5), B(2), B(1), B(6), B(3), B(4), B(0));
        ONE(GLSLstd450Determinant, FLOAT(width, 1), MATRIX(width, 3), three, LIST(B(1)));
        ONE(GLSLstd450MatrixInverse, MATRIX(width, 3), MATRIX(width, 3), three,
            LIST(B(-24), B(20), B(-5), B(18), B(-15), B(4), B(5), B(-4), B(1)));
        // a triangle: the product of its diagonal
        const uint64_t *four = LIST(B(2), B(0), B(0), B(0), B(7), B(-1), B(0), B(0), B(3), B(5),
                                    B(0.5), B(0), B(9), B(8), B(6), B(4));
        ONE(GLSLstd450Determinant, FLOAT(width, 1), MATRIX(width, 4), four, LIST(B(-4)));
        // moves by (5, -6, 7), and scales by 2: the inverse moves back by half of that
        const uint64_t *moves = LIST(B(2), B(0), B(0), B(0), B(0), B(2), B(0), B(0), B(0), B(0),
                                     B(2), B(0), B(5), B(-6), B(7), B(1));
        const uint64_t *back = LIST(B(0.5), B(0), B(0), B(0), B(0), B(0.5), B(0), B(0), B(0), B(0),
                                    B(0.5), B(0), B(-2.5), B(3), B(-3.5), B(1));
        const struct shape matrix = MATRIX(width, 4);
        struct bench bench;
        const struct insn_shape shape = shape_of(GLSLstd450MatrixInverse, matrix, 1, matrix);
        assert_true(prepare(&bench, &shape));
        for (uint32_t i = 0; i < 16; i++)
            *cell(&bench, i, 2) = moves[i];
        execute(&bench, 1 << 2);
        const uint64_t zero = UINT64_C(1) << (width - 1); // that of -0 does not count
        for (uint32_t i = 0; i < 16; i++) {
            const uint64_t got = *cell(&bench, RESULT + i, 2);
            assert_true((got == zero ? 0 : got) == back[i]);
        }
#undef B
    }
}

struct shapes {
    uint32_t instruction, operands;
    struct shape result, operand[3];
};

static const struct shapes fitting[] = {
    {GLSLstd450Sin, 1, FLOAT(32, 3), {FLOAT(32, 3)}},
    {GLSLstd450Floor, 1, FLOAT(64, 1), {FLOAT(64, 1)}},
    {GLSLstd450Pow, 2, FLOAT(16, 2), {FLOAT(16, 2), FLOAT(16, 2)}},
    {GLSLstd450NMax, 2, FLOAT(64, 4), {FLOAT(64, 4), FLOAT(64, 4)}},
    {GLSLstd450Fma, 3, FLOAT(32, 2), {FLOAT(32, 2), FLOAT(32, 2), FLOAT(32, 2)}},
    {GLSLstd450Ldexp, 2, FLOAT(32, 2), {FLOAT(32, 2), INT(32, 2)}},
    {GLSLstd450ModfStruct, 1, STRUCT(4), {FLOAT(32, 2)}},
    {GLSLstd450FrexpStruct, 1, STRUCT(2), {FLOAT(64, 1)}},
    {GLSLstd450SAbs, 1, INT(8, 2), {INT(8, 2)}},
    {GLSLstd450FindUMsb, 1, INT(32, 2), {INT(32, 2)}},
    {GLSLstd450UMin, 2, INT(16, 2), {INT(16, 2), INT(16, 2)}},
    {GLSLstd450SClamp, 3, INT(64, 2), {INT(64, 2), INT(64, 2), INT(64, 2)}},
    {GLSLstd450Length, 1, FLOAT(32, 1), {FLOAT(32, 3)}},
    {GLSLstd450Distance, 2, FLOAT(16, 1), {FLOAT(16, 3), FLOAT(16, 3)}},
    {GLSLstd450Cross, 2, FLOAT(32, 3), {FLOAT(32, 3), FLOAT(32, 3)}},
    {GLSLstd450Reflect, 2, FLOAT(32, 2), {FLOAT(32, 2), FLOAT(32, 2)}},
    {GLSLstd450Refract, 3, FLOAT(32, 2), {FLOAT(32, 2), FLOAT(32, 2), FLOAT(32, 1)}},
    {GLSLstd450Determinant, 1, FLOAT(32, 1), {MATRIX(32, 3)}},
    {GLSLstd450MatrixInverse, 1, MATRIX(64, 4), {MATRIX(64, 4)}},
    {GLSLstd450PackSnorm4x8, 1, INT(32, 1), {FLOAT(32, 4)}},
    {GLSLstd450PackDouble2x32, 1, FLOAT(64, 1), {INT(32, 2)}},
    {GLSLstd450UnpackHalf2x16, 1, FLOAT(32, 2), {INT(32, 1)}},
    {GLSLstd450UnpackDouble2x32, 1, INT(32, 2), {FLOAT(64, 1)}},
};

static const struct shapes wrong[] = {
    {GLSLstd450Sin, 1, FLOAT(64, 1), {FLOAT(64, 1)}},
    {GLSLstd450Pow, 2, FLOAT(64, 1), {FLOAT(64, 1), FLOAT(64, 1)}},
    {GLSLstd450Sin, 1, FLOAT(32, 2), {FLOAT(32, 3)}},
    {GLSLstd450Sin, 1, FLOAT(32, 2), {FLOAT(16, 2)}},
    {GLSLstd450Sin, 1, INT(32, 1), {INT(32, 1)}},
    {GLSLstd450FMin, 2, FLOAT(32, 2), {FLOAT(32, 2), FLOAT(32, 1)}},
    {GLSLstd450FMix, 3, FLOAT(32, 2), {FLOAT(32, 2), FLOAT(32, 2), FLOAT(32, 1)}},
    {GLSLstd450Ldexp, 2, FLOAT(32, 2), {FLOAT(32, 2), INT(32, 1)}},
    {GLSLstd450ModfStruct, 1, STRUCT(3), {FLOAT(32, 2)}},
    {GLSLstd450FrexpStruct, 1, FLOAT(32, 4), {FLOAT(32, 2)}},
    {GLSLstd450ModfStruct, 1, MATRIX(32, 2), {FLOAT(32, 2)}},
    {GLSLstd450Modf, 2, FLOAT(32, 1), {FLOAT(32, 1), FLOAT(32, 1)}},
    {GLSLstd450SMin, 2, INT(32, 1), {INT(32, 1), INT(16, 1)}},
    {GLSLstd450SMin, 2, FLOAT(32, 1), {FLOAT(32, 1), FLOAT(32, 1)}},
    {GLSLstd450FindSMsb, 1, INT(64, 1), {INT(64, 1)}},
    {GLSLstd450FindUMsb, 1, INT(16, 1), {INT(16, 1)}},
    {GLSLstd450Length, 1, FLOAT(32, 3), {FLOAT(32, 3)}},
    {GLSLstd450Length, 1, FLOAT(16, 1), {FLOAT(32, 3)}},
    {GLSLstd450Distance, 2, FLOAT(32, 1), {FLOAT(32, 3), FLOAT(32, 2)}},
    {GLSLstd450Cross, 2, FLOAT(32, 2), {FLOAT(32, 2), FLOAT(32, 2)}},
    {GLSLstd450Refract, 3, FLOAT(32, 2), {FLOAT(32, 2), FLOAT(32, 2), FLOAT(32, 2)}},
    {GLSLstd450Determinant, 1, FLOAT(64, 1), {MATRIX(32, 3)}},
    {GLSLstd450MatrixInverse, 1, MATRIX(32, 3), {MATRIX(32, 2)}},
    {GLSLstd450PackSnorm4x8, 1, INT(32, 1), {FLOAT(16, 4)}},
    {GLSLstd450PackSnorm2x16, 1, INT(32, 1), {FLOAT(32, 4)}},
    {GLSLstd450PackDouble2x32, 1, INT(64, 1), {INT(32, 2)}},
    {GLSLstd450UnpackHalf2x16, 1, FLOAT(32, 2), {INT(64, 1)}},
    {GLSLstd450InterpolateAtCentroid, 1, FLOAT(32, 1), {FLOAT(32, 1)}},
    {GLSLstd450IMix, 3, INT(32, 1), {INT(32, 1), INT(32, 1), INT(32, 1)}},
    {0, 1, FLOAT(32, 1), {FLOAT(32, 1)}},
    {UINT32_MAX, 1, FLOAT(32, 1), {FLOAT(32, 1)}},
    {0x10000 + GLSLstd450SAbs, 1, INT(32, 1), {INT(32, 1)}},
};

// No other shape in one place makes an instruction fit.
static const struct shape others[] = {
    FLOAT(32, 5),
    FLOAT(8, 2),
    INT(24, 2),
    STRUCT(3),
    {.scalar = SCALAR_BOOL, .width = 1, .components = 2},
    {.scalar = SCALAR_POINTER, .width = 64, .components = 1},
    {.scalar = SCALAR_OTHER, .components = 6, .columns = 3, .rows = 2, .matrix_width = 32},
    MATRIX(32, 5),
    MATRIX(8, 4),
};

// Cells hold what no value of their type is: the sanitizers see what comes of it.
TEST(test_any_cells)
{
    uint64_t random = 1;
    for (uint32_t instruction = 0; instruction <= GLSLstd450NClamp; instruction++) {
        for (size_t i = 0; i < COUNT(fitting); i++) {
            struct insn_shape shape = shape_of(instruction, fitting[i].result, fitting[i].operands,
                                               fitting[i].operand[0]);
            struct bench bench;
            memcpy(shape.operand, fitting[i].operand, sizeof(fitting[i].operand));
            if (!prepare(&bench, &shape))
                continue;
            for (size_t j = 0; j < COUNT(bench.cells) * 8; j++) {
                random ^= random << 13, random ^= random >> 7, random ^= random << 17;
                bench.cells[j / 8] = j % 16 < 8 ? random : UINT64_C(0x7ff8) << random % 52;
                if (j % 8 == 7)
                    execute(&bench, 0xf);
            }
        }
    }
}

static bool is_taken(const struct insn_shape *shape)
{
    struct insn insn = {.opcode = SpvOpExtInst};
    return select_extended(shape, &insn);
}

TEST(test_refused)
{
    for (size_t i = 0; i < COUNT(fitting); i++) {
        struct insn_shape good = shape_of(fitting[i].instruction, fitting[i].result,
                                          fitting[i].operands, fitting[i].operand[0]);
        memcpy(good.operand, fitting[i].operand, sizeof(fitting[i].operand));
        assert_true(is_taken(&good));
        struct insn_shape bad = good;
        bad.has_result = false;
        assert_false(is_taken(&bad));
        bad = good, bad.opcode = SpvOpFAdd;
        assert_false(is_taken(&bad));
        bad = good, bad.operand_count--;
        assert_false(is_taken(&bad));
        bad = good, bad.operand[bad.operand_count++] = good.operand[0];
        assert_false(is_taken(&bad));
        for (size_t j = 0; j < COUNT(others); j++) {
            bad = good, bad.result = others[j];
            assert_false(is_taken(&bad));
            for (uint32_t k = 0; k < good.operand_count; k++) {
                bad = good, bad.operand[k] = others[j];
                assert_false(is_taken(&bad));
            }
        }
    }
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct insn_shape bad =
            shape_of(wrong[i].instruction, wrong[i].result, wrong[i].operands, wrong[i].operand[0]);
        memcpy(bad.operand, wrong[i].operand, sizeof(wrong[i].operand));
        if (is_taken(&bad))
            fail_msg("wrong row %zu is taken", i);
    }
}
