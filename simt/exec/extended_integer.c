// SPDX-License-Identifier: Apache-2.0
// GLSL.std.450: integer functions, component by component.
#include "exec/extended.h"
#include "exec/scalar.h"

#define NOT_FOUND UINT64_MAX // -1

static ALWAYS_INLINE uint64_t magnitude(uint64_t x, unsigned width)
{
    return sign_extend(x, width) < 0 ? 0 - x : x;
}

static ALWAYS_INLINE uint64_t least_signed(uint64_t x, uint64_t y, unsigned width)
{
    return sign_extend(y, width) < sign_extend(x, width) ? y : x;
}

static ALWAYS_INLINE uint64_t greatest_signed(uint64_t x, uint64_t y, unsigned width)
{
    return sign_extend(y, width) > sign_extend(x, width) ? y : x;
}

static ALWAYS_INLINE uint64_t highest_bit(uint64_t x)
{
    return x ? 63 - (unsigned)__builtin_clzll(x) : NOT_FOUND;
}

INTEGER_UNARY(s_abs, magnitude(x, width))
INTEGER_UNARY(s_sign, (sign_extend(x, width) > 0) - (sign_extend(x, width) < 0))
INTEGER_UNARY(find_i_lsb, x ? (uint64_t)__builtin_ctzll(x) : NOT_FOUND)
DEFINE_UNARY(find_s_msb, highest_bit(sign_extend(x, width) < 0 ? ~x & width_mask(width) : x))
DEFINE_UNARY(find_u_msb, highest_bit(x))
DEFINE_RUN(find_s_msb, map_unary, 32)
DEFINE_RUN(find_u_msb, map_unary, 32)
INTEGER_BINARY(u_min, y < x ? y : x)
INTEGER_BINARY(u_max, y > x ? y : x)
INTEGER_BINARY(s_min, least_signed(x, y, width))
INTEGER_BINARY(s_max, greatest_signed(x, y, width))

typedef uint64_t ternary_operation(uint64_t x, uint64_t y, uint64_t z, unsigned width);

static ALWAYS_INLINE void map_ternary(struct exec *exec, const struct insn *insn,
                                      ternary_operation *operation, unsigned width)
{
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        const uint64_t *y = exec_cells(exec, insn->operand[1] + i);
        const uint64_t *z = exec_cells(exec, insn->operand[2] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l, result[l] = operation(x[l], y[l], z[l], width) & width_mask(width));
    }
}

static ALWAYS_INLINE uint64_t u_clamp(uint64_t x, uint64_t low, uint64_t high, unsigned width)
{
    return u_min(u_max(x, low, width), high, width);
}

static ALWAYS_INLINE uint64_t s_clamp(uint64_t x, uint64_t low, uint64_t high, unsigned width)
{
    return s_min(s_max(x, low, width), high, width);
}

INTEGER_RUNS(u_clamp, map_ternary)
INTEGER_RUNS(s_clamp, map_ternary)

// `form` is the number of operands.
static const struct arithmetic_row rows[] = {
    {GLSLstd450SAbs, 1, INTEGER_ROW(s_abs)},
    {GLSLstd450SSign, 1, INTEGER_ROW(s_sign)},
    {GLSLstd450FindILsb, 1, INTEGER_ROW(find_i_lsb)},
    {GLSLstd450FindSMsb, 1, {NULL, NULL, find_s_msb_32, NULL}},
    {GLSLstd450FindUMsb, 1, {NULL, NULL, find_u_msb_32, NULL}},
    {GLSLstd450UMin, 2, INTEGER_ROW(u_min)},
    {GLSLstd450UMax, 2, INTEGER_ROW(u_max)},
    {GLSLstd450SMin, 2, INTEGER_ROW(s_min)},
    {GLSLstd450SMax, 2, INTEGER_ROW(s_max)},
    {GLSLstd450UClamp, 3, INTEGER_ROW(u_clamp)},
    {GLSLstd450SClamp, 3, INTEGER_ROW(s_clamp)},
};

insn_run *select_extended_integer(const struct insn_shape *shape, struct insn *insn)
{
    const struct arithmetic_row *row =
        shape->extended <= UINT16_MAX
            ? arithmetic_find(rows, ROW_COUNT(rows), (uint16_t)shape->extended)
            : NULL;
    if (!row || shape->operand_count != row->form || !shape_is_int(&shape->result))
        return NULL;
    for (uint32_t i = 0; i < shape->operand_count; i++)
        if (!shape_same(&shape->operand[i], &shape->result))
            return NULL;
    arithmetic_fill(shape, insn, shape->result.components);
    return arithmetic_run(row, shape->result.width);
}
