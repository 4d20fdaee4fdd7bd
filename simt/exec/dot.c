// SPDX-License-Identifier: Apache-2.0
// Integer dot products, also of four 8-bit numbers packed into 32 bits, with and without a
// saturating accumulator.
//
// Where SPIR-V leaves the result undefined because the sum of products overflows before the
// accumulator is added: the sum wraps at the result's width.
#include "exec/scalar.h"

#define DOT_PACKED 1u // insn->flags

static ALWAYS_INLINE uint64_t extend(uint64_t bits, unsigned width, bool is_signed)
{
    return is_signed ? (uint64_t)sign_extend(bits, width) : bits & width_mask(width);
}

static ALWAYS_INLINE uint64_t component(const struct exec *exec, const struct insn *insn,
                                        unsigned operand, uint32_t i, uint32_t lane)
{
    if (insn->flags & DOT_PACKED)
        return exec_cells(exec, insn->operand[operand])[lane] >> (8 * i) & 0xff;
    return exec_cells(exec, insn->operand[operand] + i)[lane];
}

static ALWAYS_INLINE uint64_t dot_of_lane(const struct exec *exec, const struct insn *insn,
                                          uint32_t lane, bool signed_x, bool signed_y)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < insn->components; i++)
        sum += extend(component(exec, insn, 0, i, lane), insn->operand_width, signed_x) *
               extend(component(exec, insn, 1, i, lane), insn->operand_width, signed_y);
    return sum;
}

static ALWAYS_INLINE void dot(struct exec *exec, const struct insn *insn, bool signed_x,
                              bool signed_y)
{
    uint64_t *result = exec_cells(exec, insn->result);
    for_lanes(exec, l,
              result[l] = dot_of_lane(exec, insn, l, signed_x, signed_y) & width_mask(insn->width));
}

static ALWAYS_INLINE void dot_accumulate(struct exec *exec, const struct insn *insn, bool signed_x,
                                         bool signed_y)
{
    const uint64_t *accumulator = exec_cells(exec, insn->operand[2]);
    uint64_t *result = exec_cells(exec, insn->result);
    const unsigned width = insn->width;
    for_lanes(exec, l,
              result[l] = saturated_sum(dot_of_lane(exec, insn, l, signed_x, signed_y),
                                        accumulator[l], width, signed_x) &
                          width_mask(width));
}

static void dot_signed(struct exec *exec, const struct insn *insn)
{
    dot(exec, insn, true, true);
}

static void dot_unsigned(struct exec *exec, const struct insn *insn)
{
    dot(exec, insn, false, false);
}

static void dot_mixed(struct exec *exec, const struct insn *insn)
{
    dot(exec, insn, true, false);
}

static void dot_accumulate_signed(struct exec *exec, const struct insn *insn)
{
    dot_accumulate(exec, insn, true, true);
}

static void dot_accumulate_unsigned(struct exec *exec, const struct insn *insn)
{
    dot_accumulate(exec, insn, false, false);
}

static void dot_accumulate_mixed(struct exec *exec, const struct insn *insn)
{
    dot_accumulate(exec, insn, true, false);
}

static const struct {
    uint16_t opcode;
    uint8_t operands;
    insn_run *run;
} rows[] = {
    {SpvOpSDot, 2, dot_signed},
    {SpvOpUDot, 2, dot_unsigned},
    {SpvOpSUDot, 2, dot_mixed},
    {SpvOpSDotAccSat, 3, dot_accumulate_signed},
    {SpvOpUDotAccSat, 3, dot_accumulate_unsigned},
    {SpvOpSUDotAccSat, 3, dot_accumulate_mixed},
};

insn_run *select_dot(const struct insn_shape *shape, struct insn *insn)
{
    const struct shape *x = &shape->operand[0];
    size_t row = 0;
    while (row < ROW_COUNT(rows) && rows[row].opcode != shape->opcode)
        row++;
    if (row == ROW_COUNT(rows) || !shape->has_result || shape->operand_count != rows[row].operands)
        return NULL;
    if (!shape_is_int(x) || !shape_same(x, &shape->operand[1]) || !shape_is_int(&shape->result) ||
        shape->result.components != 1)
        return NULL;
    if (rows[row].operands == 3 && !shape_same(&shape->operand[2], &shape->result))
        return NULL;
    const bool packed = x->components == 1;
    if (packed && (x->width != 32 || shape->literal_count != 1 ||
                   shape->literals[0] != SpvPackedVectorFormatPackedVectorFormat4x8Bit))
        return NULL;
    if (!packed && (shape->literal_count != 0 || shape->result.width < x->width))
        return NULL;
    arithmetic_fill(shape, insn, packed ? 4 : x->components);
    if (packed) {
        insn->flags = DOT_PACKED;
        insn->operand_width = 8;
    }
    return rows[row].run;
}
