// SPDX-License-Identifier: Apache-2.0
// Every arithmetic instruction against a table of reference values: as a scalar and as vectors, by
// all lanes and by a part of them.
#include "program/execution.h"
#include "program/instructions.h"

#include "../unit/unit.h"
#include "arithmetic_table.h"

#include <inttypes.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define WIDTH        16 // lanes
#define CELLS_MAX    1024
#define UNTOUCHED    UINT64_C(0xdeadbeefdeadbeef)

static insn_select *const selects[] = {select_integer, select_bits,    select_float,
                                       select_convert, select_logical, select_clock};

// "i32", "f16x4", "b", "p", "m32.2x3", "s5"
static struct shape shape_of(const char *text)
{
    struct shape shape = {.components = 1, .type = 1};
    char *end;
    for (const char *c = text; *c && *c != ' '; c++)
        shape.type = shape.type * 31 + (unsigned char)*c;
    shape.width = (uint32_t)strtoul(text + 1, &end, 10);
    if (*text == 'm') {
        shape.scalar = SCALAR_OTHER;
        shape.matrix_width = shape.width;
        shape.width = 0;
        shape.columns = (uint32_t)strtoul(end + 1, &end, 10);
        shape.rows = (uint32_t)strtoul(end + 1, &end, 10);
        shape.components = shape.columns * shape.rows;
        return shape;
    }
    if (*text == 's') {
        shape.scalar = SCALAR_OTHER;
        shape.components = shape.width;
        shape.width = 0;
        return shape;
    }
    shape.scalar = *text == 'i'   ? SCALAR_INT
                   : *text == 'f' ? SCALAR_FLOAT
                   : *text == 'b' ? SCALAR_BOOL
                                  : SCALAR_POINTER;
    if (*text == 'b')
        shape.width = 1;
    if (*text == 'p')
        shape.width = 64;
    if (*end == 'x')
        shape.components = (uint32_t)strtoul(end + 1, &end, 10);
    return shape;
}

static struct insn_shape insn_shape_of(uint16_t opcode, const char *result, const char *operands)
{
    struct insn_shape shape = {.opcode = opcode, .has_result = true, .result = shape_of(result)};
    for (const char *at = operands; at && *at; at = *at == ' ' ? at + 1 : at) {
        shape.operand[shape.operand_count++] = shape_of(at);
        at = strchr(at, ' ');
        if (!at)
            break;
    }
    return shape;
}

// What exactly one group says, or NULL if none wants it.
static insn_run *select_of(const struct insn_shape *shape, struct insn *insn)
{
    insn_run *run = NULL;
    for (size_t i = 0; i < COUNT(selects); i++) {
        struct insn mine = *insn;
        insn_run *found = selects[i](shape, &mine);
        if (!found)
            continue;
        assert_null(run);
        run = found;
        *insn = mine;
    }
    return run;
}

// Component c of operand cell `cell` in lane l, of the vector of n, comes from row (l * n + c).
struct layout {
    uint32_t given, expected; // cells of a row
    uint32_t vector;          // n: every cell of a row is a vector
};

static void fill(uint64_t *cells, const struct arithmetic_case *row, struct layout layout)
{
    for (uint32_t cell = 0; cell < layout.given; cell++)
        for (uint32_t c = 0; c < layout.vector; c++)
            for (uint32_t l = 0; l < WIDTH; l++) {
                const uint32_t from = (l * layout.vector + c) % row->rows;
                cells[(cell * layout.vector + c) * WIDTH + l] =
                    row->given[from * layout.given + cell];
            }
}

static void compare(const uint64_t *result, const struct arithmetic_case *row, struct layout layout,
                    lanes executed)
{
    for (uint32_t cell = 0; cell < layout.expected; cell++)
        for (uint32_t c = 0; c < layout.vector; c++)
            for (uint32_t l = 0; l < WIDTH; l++) {
                const uint32_t from = (l * layout.vector + c) % row->rows;
                const uint64_t got = result[(cell * layout.vector + c) * WIDTH + l];
                uint64_t want = row->expected[from * layout.expected + cell];
                if (!lanes_has(executed, l))
                    want = UNTOUCHED;
                if (got != want)
                    fail_msg("Op%s %s of %s, vectors of %u, row %u, cell %u, lane %u of %u: "
                             "%#" PRIx64 " instead of %#" PRIx64,
                             row->name, row->result, row->operands, layout.vector, from, cell, l,
                             lanes_count(executed), got, want);
            }
}

static struct exec exec_of(uint64_t *cells, lanes set)
{
    struct exec exec = {
        .cells = cells, .width = WIDTH, .mask = set, .present = lanes_below(WIDTH), .random = 1};
    each_lane (lane, set)
        exec.lane[exec.count++] = (uint8_t)lane;
    return exec;
}

static void check_case(const struct arithmetic_case *row, uint32_t vector, lanes executed)
{
    static uint64_t cells[CELLS_MAX * WIDTH];
    struct insn_shape shape = insn_shape_of(row->opcode, row->result, row->operands);
    struct insn insn = {.opcode = row->opcode};
    struct layout layout = {.expected = shape.result.components, .vector = vector};
    shape.result.components *= vector;
    for (uint32_t i = 0; i < shape.operand_count; i++) {
        insn.operand[i] = layout.given * vector;
        layout.given += shape.operand[i].components;
        shape.operand[i].components *= vector;
    }
    shape.literal_count = row->flags == PACKED;
    insn.result = layout.given * vector;
    assert_true((layout.given + layout.expected) * vector <= CELLS_MAX);
    insn_run *run = select_of(&shape, &insn);
    if (!run)
        fail_msg("Op%s %s of %s, vectors of %u, is refused", row->name, row->result, row->operands,
                 vector);
    for (size_t i = 0; i < COUNT(cells); i++)
        cells[i] = UNTOUCHED;
    fill(cells, row, layout);
    struct exec exec = exec_of(cells, executed);
    run(&exec, &insn);
    compare(cells + insn.result * WIDTH, row, layout, executed);
    for (size_t i = (insn.result + shape.result.components) * WIDTH; i < COUNT(cells); i++)
        assert_int_equal(cells[i], UNTOUCHED);
}

TEST(test_table)
{
    for (size_t i = 0; i < COUNT(arithmetic_cases); i++) {
        const struct arithmetic_case *row = &arithmetic_cases[i];
        for (uint32_t vector = 1; vector <= (row->flags == EACH ? 4 : 1); vector++) {
            check_case(row, vector, lanes_below(WIDTH));
            check_case(row, vector, 0x5a5b);
            check_case(row, vector, lanes_of(WIDTH - 1));
            check_case(row, vector, 0);
        }
    }
}

// Rows that the lanes above do not reach: more of them than lanes.
TEST(test_long_rows)
{
    for (size_t i = 0; i < COUNT(arithmetic_cases); i++) {
        struct arithmetic_case row = arithmetic_cases[i];
        const struct insn_shape shape = insn_shape_of(row.opcode, row.result, row.operands);
        uint32_t given = 0;
        for (uint32_t k = 0; k < shape.operand_count; k++)
            given += shape.operand[k].components;
        while (row.rows > WIDTH) {
            row.rows -= WIDTH;
            row.given += WIDTH * given;
            row.expected += WIDTH * shape.result.components;
            check_case(&row, 1, lanes_below(WIDTH));
        }
    }
}

static const struct {
    uint16_t opcode;
    const char *result, *operands;
} refused[] = {
    {SpvOpIAdd, "i32", "i32"},
    {SpvOpIAdd, "i32", "i32 i32 i32"},
    {SpvOpIAdd, "i32", "i32 i16"},
    {SpvOpIAdd, "i16", "i32 i32"},
    {SpvOpIAdd, "i32", "f32 f32"},
    {SpvOpIAdd, "i32x2", "i32x2 i32"},
    {SpvOpIAdd, "i32x5", "i32x5 i32x5"},
    {SpvOpIAdd, "i24", "i24 i24"},
    {SpvOpIAdd, "i0", "i0 i0"},
    {SpvOpIAdd, "i32x0", "i32x0 i32x0"},
    {SpvOpIAdd, "p", "p p"},
    {SpvOpSNegate, "i32", "i32 i32"},
    {SpvOpIEqual, "i32", "i32 i32"},
    {SpvOpIEqual, "b", "i32x2 i32x2"},
    {SpvOpIEqual, "b", "b b"},
    {SpvOpShiftLeftLogical, "i32", "i64 i32"},
    {SpvOpShiftLeftLogical, "i32x2", "i32x2 i32"},
    {SpvOpIAddCarry, "s3", "i32 i32"},
    {SpvOpIAddCarry, "s2", "i32x2 i32x2"},
    {SpvOpIAddCarry, "i32x2", "i32 i32"},
    {SpvOpUMulExtended, "m32.2x2", "i32x2 i32x2"},
    {SpvOpPtrEqual, "b", "p i64"},
    {SpvOpPtrEqual, "i32", "p p"},
    {SpvOpBitwiseAnd, "b", "b b"},
    {SpvOpBitCount, "i32x2", "i32"},
    {SpvOpBitFieldInsert, "i32", "i32 i32 i32"},
    {SpvOpBitFieldInsert, "i32x2", "i32x2 i32x2 i32x2 i32x2"},
    {SpvOpBitFieldInsert, "i32", "i32 i16 i32 i32"},
    {SpvOpBitFieldSExtract, "i32", "i32 f32 i32"},
    {SpvOpSDot, "i32", "i32 i32"}, // the packed format is missing
    {SpvOpSDot, "i16", "i32x2 i32x2"},
    {SpvOpSDot, "i32", "i8x4 i8x3"},
    {SpvOpSDot, "i32x2", "i8x4 i8x4"},
    {SpvOpSDotAccSat, "i32", "i8x4 i8x4 i16"},
    {SpvOpSDotAccSat, "i32", "i8x4 i8x4"},
    {SpvOpFAdd, "f32", "i32 i32"},
    {SpvOpFAdd, "f32", "f32 f16"},
    {SpvOpFAdd, "f8", "f8 f8"},
    {SpvOpFOrdEqual, "b", "f32x2 f32x2"},
    {SpvOpFOrdEqual, "f32", "f32 f32"},
    {SpvOpIsNan, "b", "i32"},
    {SpvOpDot, "f32", "f32 f32"},
    {SpvOpDot, "f32", "f32x2 f32x3"},
    {SpvOpDot, "f64", "f32x2 f32x2"},
    {SpvOpVectorTimesScalar, "f32x2", "f32x2 f32x2"},
    {SpvOpVectorTimesScalar, "f32x3", "f32x2 f32"},
    {SpvOpVectorTimesMatrix, "f32x2", "f32x2 m32.3x2"},
    {SpvOpMatrixTimesVector, "f32x3", "m32.3x2 f32x2"},
    {SpvOpMatrixTimesVector, "f32x2", "m32.3x2 f32x2"},
    {SpvOpMatrixTimesVector, "f32x2", "m16.2x2 f32x2"},
    {SpvOpMatrixTimesVector, "f32x2", "s4 f32x2"},
    {SpvOpMatrixTimesMatrix, "m32.2x2", "m32.3x2 m32.2x2"},
    {SpvOpMatrixTimesMatrix, "m32.3x2", "m32.3x2 m32.2x3"},
    {SpvOpMatrixTimesScalar, "m32.2x3", "m32.3x2 f32"},
    {SpvOpOuterProduct, "m32.3x2", "f32x3 f32x2"},
    {SpvOpTranspose, "m32.3x2", "m32.3x2"},
    {SpvOpTranspose, "m16.2x3", "m32.3x2"},
    {SpvOpUConvert, "i32", "i32"},
    {SpvOpUConvert, "i32x2", "i16"},
    {SpvOpSConvert, "f32", "i16"},
    {SpvOpFConvert, "f32", "f32"},
    {SpvOpConvertFToS, "f32", "f32"},
    {SpvOpConvertSToF, "f32", "f32"},
    {SpvOpQuantizeToF16, "f16", "f16"},
    {SpvOpQuantizeToF16, "f64", "f64"},
    {SpvOpBitcast, "i32x3", "i64"},
    {SpvOpBitcast, "b", "b"},
    {SpvOpBitcast, "s2", "i64"},
    {SpvOpConvertPtrToU, "f64", "p"},
    {SpvOpConvertUToPtr, "p", "i32x2"},
    {SpvOpLogicalOr, "b", "i32 i32"},
    {SpvOpLogicalOr, "bx2", "bx2 b"},
    {SpvOpAny, "b", "b"},
    {SpvOpAll, "bx2", "bx2"},
    {SpvOpSelect, "i32", "i32 i32 i32"},
    {SpvOpSelect, "i32", "b i32 i64"},
    {SpvOpSelect, "i32x3", "bx2 i32x3 i32x3"},
    {SpvOpSelect, "s2", "bx2 s2 s2"},
    {SpvOpSelect, "s2", "b s2 s3"},
    {SpvOpReadClockKHR, "i32", "i32"},
    {SpvOpReadClockKHR, "i64x2", "i32"},
    {SpvOpReadClockKHR, "i64", "f32"},
    {SpvOpOrdered, "b", "f32 f32"}, // only kernels
    {SpvOpNop, "i32", "i32"},
};

TEST(test_refused)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        const struct insn_shape shape =
            insn_shape_of(refused[i].opcode, refused[i].result, refused[i].operands);
        struct insn insn = {.opcode = refused[i].opcode};
        if (select_of(&shape, &insn))
            fail_msg("opcode %u, %s of %s, is not refused", refused[i].opcode, refused[i].result,
                     refused[i].operands);
    }
    // What has no result has no shape.
    for (size_t i = 0; i < COUNT(arithmetic_cases); i++) {
        const struct arithmetic_case *row = &arithmetic_cases[i];
        struct insn_shape shape = insn_shape_of(row->opcode, row->result, row->operands);
        struct insn insn = {.opcode = row->opcode};
        shape.has_result = false;
        assert_null(select_of(&shape, &insn));
    }
}

// Two different types of the same cells are not the same.
TEST(test_select_types)
{
    struct insn_shape shape = insn_shape_of(SpvOpSelect, "s2", "b s2 s2");
    struct insn insn = {.opcode = SpvOpSelect};
    assert_non_null(select_of(&shape, &insn));
    shape.operand[2].type++;
    assert_null(select_of(&shape, &insn));
}

TEST(test_clock)
{
    uint64_t cells[3 * WIDTH] = {0}, clock = UINT64_C(0xfffffffe);
    struct exec exec = exec_of(cells, 0xff0f);
    struct insn_shape shape = insn_shape_of(SpvOpReadClockKHR, "i32x2", "i32");
    struct insn insn = {.opcode = SpvOpReadClockKHR, .result = 1};
    insn_run *run = select_of(&shape, &insn);
    assert_non_null(run);
    exec.clock = &clock;
    uint64_t last = 0;
    for (int i = 0; i < 4; i++) {
        run(&exec, &insn);
        const uint64_t now = cells[WIDTH + 3] | cells[2 * WIDTH + 3] << 32;
        assert_true(now > last);
        assert_true(now >= 0xfffffffe);
        assert_true(cells[WIDTH + 3] <= UINT32_MAX);
        assert_int_equal(cells[WIDTH + 4] | cells[2 * WIDTH + 4], 0);
        last = now;
    }
    assert_true(last > UINT32_MAX);
    shape = insn_shape_of(SpvOpReadClockKHR, "i64", "i32");
    run = select_of(&shape, &insn);
    assert_non_null(run);
    run(&exec, &insn);
    assert_true(cells[WIDTH + 15] > last);
    assert_int_equal(cells[WIDTH + 4], 0);
}
