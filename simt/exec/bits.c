// SPDX-License-Identifier: Apache-2.0
// Bitwise operations, bit fields, and bits reversed and counted.
//
// Where SPIR-V leaves a result undefined because a bit field exceeds the width: nonexistent bits
// are neither read nor written, and a field that begins there is 0.
#include "exec/scalar.h"

static ALWAYS_INLINE uint64_t reverse(uint64_t x, unsigned width)
{
    x = __builtin_bswap64(x);
    x = (x & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4 | (x >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f));
    x = (x & UINT64_C(0x3333333333333333)) << 2 | (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x & UINT64_C(0x5555555555555555)) << 1 | (x >> 1 & UINT64_C(0x5555555555555555));
    return x >> (64 - width);
}

INTEGER_BINARY(bitwise_or, x | y)
INTEGER_BINARY(bitwise_xor, x ^ y)
INTEGER_BINARY(bitwise_and, (x & y))
INTEGER_UNARY(bitwise_not, ~x)
INTEGER_UNARY(count, __builtin_popcountll(x))
INTEGER_RUNS(reverse, map_unary)

// A field of `count` bits from bit `offset` on, clipped to the width.
struct field {
    unsigned offset, count;
};

static ALWAYS_INLINE struct field field_of(uint64_t offset, uint64_t count, unsigned width)
{
    if (offset >= width || count == 0)
        return (struct field){0, 0};
    const uint64_t rest = width - offset;
    return (struct field){(unsigned)offset, (unsigned)(count < rest ? count : rest)};
}

static ALWAYS_INLINE uint64_t insert_bits(uint64_t base, uint64_t insert, struct field field)
{
    if (field.count == 0)
        return base;
    const uint64_t mask = width_mask(field.count) << field.offset;
    return (base & ~mask) | (insert << field.offset & mask);
}

static ALWAYS_INLINE uint64_t extract_bits(uint64_t base, struct field field, bool is_signed)
{
    if (field.count == 0)
        return 0;
    const uint64_t bits = base >> field.offset & width_mask(field.count);
    return is_signed ? (uint64_t)sign_extend(bits, field.count) : bits;
}

static void field_insert(struct exec *exec, const struct insn *insn)
{
    const uint64_t *offset = exec_cells(exec, insn->operand[2]);
    const uint64_t *count = exec_cells(exec, insn->operand[3]);
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *base = exec_cells(exec, insn->operand[0] + i);
        const uint64_t *insert = exec_cells(exec, insn->operand[1] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l,
                  result[l] =
                      insert_bits(base[l], insert[l], field_of(offset[l], count[l], insn->width)));
    }
}

static ALWAYS_INLINE void field_extract(struct exec *exec, const struct insn *insn, bool is_signed)
{
    const uint64_t *offset = exec_cells(exec, insn->operand[1]);
    const uint64_t *count = exec_cells(exec, insn->operand[2]);
    const unsigned width = insn->width;
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *base = exec_cells(exec, insn->operand[0] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l,
                  result[l] =
                      extract_bits(base[l], field_of(offset[l], count[l], width), is_signed) &
                      width_mask(width));
    }
}

static void field_extract_signed(struct exec *exec, const struct insn *insn)
{
    field_extract(exec, insn, true);
}

static void field_extract_unsigned(struct exec *exec, const struct insn *insn)
{
    field_extract(exec, insn, false);
}

enum { UNARY, BINARY, COUNT, INSERT, EXTRACT };

static const struct arithmetic_row rows[] = {
    {SpvOpBitwiseOr, BINARY, INTEGER_ROW(bitwise_or)},
    {SpvOpBitwiseXor, BINARY, INTEGER_ROW(bitwise_xor)},
    {SpvOpBitwiseAnd, BINARY, INTEGER_ROW(bitwise_and)},
    {SpvOpNot, UNARY, INTEGER_ROW(bitwise_not)},
    {SpvOpBitReverse, UNARY, INTEGER_ROW(reverse)},
    {SpvOpBitCount, COUNT, INTEGER_ROW(count)},
    {SpvOpBitFieldInsert, INSERT, SAME_ROW(field_insert)},
    {SpvOpBitFieldSExtract, EXTRACT, SAME_ROW(field_extract_signed)},
    {SpvOpBitFieldUExtract, EXTRACT, SAME_ROW(field_extract_unsigned)},
};

static const uint8_t operand_counts[] = {
    [UNARY] = 1, [BINARY] = 2, [COUNT] = 1, [INSERT] = 4, [EXTRACT] = 3};

static bool is_scalar_int(const struct shape *shape)
{
    return shape_is_int(shape) && shape->components == 1;
}

static bool fits(const struct insn_shape *shape, int form)
{
    const struct shape *result = &shape->result, *operand = shape->operand;
    if (!shape->has_result || shape->operand_count != operand_counts[form] ||
        !shape_is_int(&operand[0]) || !shape_is_int(result))
        return false;
    if (form == COUNT)
        return operand[0].components == result->components;
    if (!shape_same(&operand[0], result))
        return false;
    switch (form) {
    case BINARY:
        return shape_same(&operand[1], result);
    case INSERT:
        return shape_same(&operand[1], result) && is_scalar_int(&operand[2]) &&
               is_scalar_int(&operand[3]);
    case EXTRACT:
        return is_scalar_int(&operand[1]) && is_scalar_int(&operand[2]);
    }
    return true;
}

insn_run *select_bits(const struct insn_shape *shape, struct insn *insn)
{
    const struct arithmetic_row *row = arithmetic_find(rows, ROW_COUNT(rows), shape->opcode);
    if (!row || !fits(shape, row->form))
        return NULL;
    arithmetic_fill(shape, insn, shape->result.components);
    return arithmetic_run(row, shape->operand[0].width);
}
