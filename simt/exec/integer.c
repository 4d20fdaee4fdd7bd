// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic, comparisons and shifts of 8, 16, 32 and 64 bits; pointer comparison.
//
// Where SPIR-V leaves a result undefined: x / 0 has all bits set, the remainder of x and 0 is x,
// the least number divided by -1 is itself (remainder 0), and shift amounts are taken modulo the
// width.
#include "exec/scalar.h"

#define SIGNED(bits) sign_extend(bits, width)
#define AMOUNT(bits) ((bits) & (width - 1))

static ALWAYS_INLINE uint64_t quotient(int64_t x, int64_t y)
{
    if (y == 0)
        return ~UINT64_C(0);
    return y == -1 ? 0 - (uint64_t)x : (uint64_t)(x / y);
}

static ALWAYS_INLINE int64_t remainder_of_dividend(int64_t x, int64_t y) // has the sign of x
{
    if (y == 0)
        return x;
    return y == -1 ? 0 : x % y;
}

static ALWAYS_INLINE int64_t remainder_of_divisor(int64_t x, int64_t y) // has the sign of y
{
    const int64_t remainder = remainder_of_dividend(x, y);
    return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
}

INTEGER_UNARY(negate, 0 - x)

INTEGER_BINARY(add, x + y)
INTEGER_BINARY(subtract, x - y)
INTEGER_BINARY(multiply, (x * y))
INTEGER_BINARY(unsigned_divide, y ? x / y : ~UINT64_C(0))
INTEGER_BINARY(signed_divide, quotient(SIGNED(x), SIGNED(y)))
INTEGER_BINARY(unsigned_mod, y ? x % y : x)
INTEGER_BINARY(signed_rem, remainder_of_dividend(SIGNED(x), SIGNED(y)))
INTEGER_BINARY(signed_mod, remainder_of_divisor(SIGNED(x), SIGNED(y)))

INTEGER_BINARY(shift_left, x << AMOUNT(y))
INTEGER_BINARY(shift_right_logical, x >> AMOUNT(y))
INTEGER_BINARY(shift_right_arithmetic, SIGNED(x) >> AMOUNT(y))

INTEGER_BINARY(equal, x == y)
INTEGER_BINARY(not_equal, x != y)
INTEGER_BINARY(unsigned_less, x < y)
INTEGER_BINARY(unsigned_less_equal, x <= y)
INTEGER_BINARY(unsigned_greater, x > y)
INTEGER_BINARY(unsigned_greater_equal, x >= y)
INTEGER_BINARY(signed_less, SIGNED(x) < SIGNED(y))
INTEGER_BINARY(signed_less_equal, SIGNED(x) <= SIGNED(y))
INTEGER_BINARY(signed_greater, SIGNED(x) > SIGNED(y))
INTEGER_BINARY(signed_greater_equal, SIGNED(x) >= SIGNED(y))

// Two results: all low parts first, then the high parts (or carries).
static ALWAYS_INLINE void map_pair(struct exec *exec, const struct insn *insn,
                                   binary_operation *low, binary_operation *high, unsigned width)
{
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        const uint64_t *y = exec_cells(exec, insn->operand[1] + i);
        uint64_t *first = exec_cells(exec, insn->result + i);
        uint64_t *second = exec_cells(exec, insn->result + insn->components + i);
        for_lanes(exec, l, first[l] = low(x[l], y[l], width) & width_mask(width));
        for_lanes(exec, l, second[l] = high(x[l], y[l], width) & width_mask(width));
    }
}

#define PAIR_RUN(name, width)                                                                      \
    static void name##_##width(struct exec *exec, const struct insn *insn)                         \
    {                                                                                              \
        map_pair(exec, insn, name##_low, name##_high, width);                                      \
    }
#define INTEGER_PAIR(name, low, high)                                                              \
    DEFINE_BINARY(name##_low, low)                                                                 \
    DEFINE_BINARY(name##_high, high)                                                               \
    PAIR_RUN(name, 8)                                                                              \
    PAIR_RUN(name, 16)                                                                             \
    PAIR_RUN(name, 32)                                                                             \
    PAIR_RUN(name, 64)

INTEGER_PAIR(add_carry, x + y, ((x + y) & width_mask(width)) < x)
INTEGER_PAIR(subtract_borrow, x - y, x < y)
INTEGER_PAIR(unsigned_multiply, (x * y), ((unsigned_wide)x * y) >> width)
INTEGER_PAIR(signed_multiply, (x * y), (wide)SIGNED(x) * SIGNED(y) >> width)

enum { UNARY, BINARY, COMPARISON, SHIFT, PAIR, POINTERS };

static const struct arithmetic_row rows[] = {
    {SpvOpSNegate, UNARY, INTEGER_ROW(negate)},
    {SpvOpIAdd, BINARY, INTEGER_ROW(add)},
    {SpvOpISub, BINARY, INTEGER_ROW(subtract)},
    {SpvOpIMul, BINARY, INTEGER_ROW(multiply)},
    {SpvOpUDiv, BINARY, INTEGER_ROW(unsigned_divide)},
    {SpvOpSDiv, BINARY, INTEGER_ROW(signed_divide)},
    {SpvOpUMod, BINARY, INTEGER_ROW(unsigned_mod)},
    {SpvOpSRem, BINARY, INTEGER_ROW(signed_rem)},
    {SpvOpSMod, BINARY, INTEGER_ROW(signed_mod)},
    {SpvOpShiftLeftLogical, SHIFT, INTEGER_ROW(shift_left)},
    {SpvOpShiftRightLogical, SHIFT, INTEGER_ROW(shift_right_logical)},
    {SpvOpShiftRightArithmetic, SHIFT, INTEGER_ROW(shift_right_arithmetic)},
    {SpvOpIEqual, COMPARISON, INTEGER_ROW(equal)},
    {SpvOpINotEqual, COMPARISON, INTEGER_ROW(not_equal)},
    {SpvOpULessThan, COMPARISON, INTEGER_ROW(unsigned_less)},
    {SpvOpULessThanEqual, COMPARISON, INTEGER_ROW(unsigned_less_equal)},
    {SpvOpUGreaterThan, COMPARISON, INTEGER_ROW(unsigned_greater)},
    {SpvOpUGreaterThanEqual, COMPARISON, INTEGER_ROW(unsigned_greater_equal)},
    {SpvOpSLessThan, COMPARISON, INTEGER_ROW(signed_less)},
    {SpvOpSLessThanEqual, COMPARISON, INTEGER_ROW(signed_less_equal)},
    {SpvOpSGreaterThan, COMPARISON, INTEGER_ROW(signed_greater)},
    {SpvOpSGreaterThanEqual, COMPARISON, INTEGER_ROW(signed_greater_equal)},
    {SpvOpIAddCarry, PAIR, INTEGER_ROW(add_carry)},
    {SpvOpISubBorrow, PAIR, INTEGER_ROW(subtract_borrow)},
    {SpvOpUMulExtended, PAIR, INTEGER_ROW(unsigned_multiply)},
    {SpvOpSMulExtended, PAIR, INTEGER_ROW(signed_multiply)},
    {SpvOpPtrEqual, POINTERS, INTEGER_ROW(equal)},
    {SpvOpPtrNotEqual, POINTERS, INTEGER_ROW(not_equal)},
};

static bool fits(const struct insn_shape *shape, int form)
{
    const struct shape *result = &shape->result, *x = &shape->operand[0], *y = &shape->operand[1];
    if (!shape->has_result || shape->operand_count != (form == UNARY ? 1 : 2))
        return false;
    switch (form) {
    case UNARY:
        return shape_is_int(x) && shape_same(x, result);
    case BINARY:
        return shape_is_int(x) && shape_same(x, y) && shape_same(x, result);
    case COMPARISON:
        return shape_is_int(x) && shape_same(x, y) && shape_is_bool(result) &&
               result->components == x->components;
    case SHIFT:
        return shape_is_int(x) && shape_is_int(y) && y->components == x->components &&
               shape_same(x, result);
    case PAIR:
        return shape_is_int(x) && shape_same(x, y) && result->scalar == SCALAR_OTHER &&
               result->columns == 0 && result->components == 2 * x->components;
    case POINTERS:
        return shape_is_pointer(x) && shape_is_pointer(y) && shape_is_bool(result) &&
               result->components == 1;
    }
    return false;
}

insn_run *select_integer(const struct insn_shape *shape, struct insn *insn)
{
    const struct arithmetic_row *row = arithmetic_find(rows, ROW_COUNT(rows), shape->opcode);
    if (!row)
        return select_dot(shape, insn);
    if (!fits(shape, row->form))
        return NULL;
    arithmetic_fill(shape, insn, shape->operand[0].components);
    return arithmetic_run(row, shape->operand[0].width);
}
