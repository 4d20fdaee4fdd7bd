// SPDX-License-Identifier: Apache-2.0
// Atomic instructions of 32 and 64 bits on memory.
#include "exec/scalar.h"

#include "memory/order.h"

static int64_t as_signed(uint64_t bits, uint32_t width)
{
    return width == 32 ? (int32_t)(uint32_t)bits : (int64_t)bits;
}

// Values are zero-extended; bits above the width are truncated.
#define MODIFY(name, expression)                                                                   \
    static uint64_t name(uint64_t old, uint64_t value, uint32_t width)                             \
    {                                                                                              \
        (void)old, (void)value, (void)width;                                                       \
        return expression;                                                                         \
    }
MODIFY(exchange, value)
MODIFY(increment, old + 1)
MODIFY(decrement, old - 1)
MODIFY(add, old + value)
MODIFY(float_add, float_bits(float_value(old, width) + float_value(value, width), width))
MODIFY(subtract, old - value)
MODIFY(signed_min, as_signed(value, width) < as_signed(old, width) ? value : old)
MODIFY(unsigned_min, value < old ? value : old)
MODIFY(signed_max, as_signed(value, width) > as_signed(old, width) ? value : old)
MODIFY(unsigned_max, value > old ? value : old)
MODIFY(bit_and, old &value)
MODIFY(bit_or, old | value)
MODIFY(bit_xor, old ^ value)

static const struct atomic_op {
    uint16_t opcode;
    enum order_action action;
    order_modify *modify;
    uint8_t operands;
    bool no_integers, takes_floats;
} ops[] = {
    {SpvOpAtomicLoad, ORDER_LOAD, NULL, 3, false, true},
    {SpvOpAtomicStore, ORDER_STORE, NULL, 4, false, true},
    {SpvOpAtomicExchange, ORDER_MODIFY, exchange, 4, false, true},
    {SpvOpAtomicFAddEXT, ORDER_MODIFY, float_add, 4, true, true},
    {SpvOpAtomicCompareExchange, ORDER_COMPARE, NULL, 6, false, false},
    {SpvOpAtomicIIncrement, ORDER_MODIFY, increment, 3, false, false},
    {SpvOpAtomicIDecrement, ORDER_MODIFY, decrement, 3, false, false},
    {SpvOpAtomicIAdd, ORDER_MODIFY, add, 4, false, false},
    {SpvOpAtomicISub, ORDER_MODIFY, subtract, 4, false, false},
    {SpvOpAtomicSMin, ORDER_MODIFY, signed_min, 4, false, false},
    {SpvOpAtomicUMin, ORDER_MODIFY, unsigned_min, 4, false, false},
    {SpvOpAtomicSMax, ORDER_MODIFY, signed_max, 4, false, false},
    {SpvOpAtomicUMax, ORDER_MODIFY, unsigned_max, 4, false, false},
    {SpvOpAtomicAnd, ORDER_MODIFY, bit_and, 4, false, false},
    {SpvOpAtomicOr, ORDER_MODIFY, bit_or, 4, false, false},
    {SpvOpAtomicXor, ORDER_MODIFY, bit_xor, 4, false, false},
};
#define OP_COUNT (sizeof ops / sizeof *ops)

// The operation, encoded in the instruction's literal: index into `ops`, then bits.
#define LITERAL(index, bits) ((uint64_t)(bits) << 8 | (index))

static void atomic(struct exec *exec, const struct insn *insn)
{
    const struct atomic_op *op = &ops[insn->literal & 0xff];
    const uint32_t size = (uint32_t)(insn->literal >> 8) / 8;
    const bool compares = op->action == ORDER_COMPARE;
    const uint32_t *extra = compares ? exec->program->extra + insn->extra : NULL;
    const uint64_t *pointers = exec_cells(exec, insn->operand[0]);
    const uint64_t *scopes = exec_cells(exec, insn->operand[1]);
    const uint64_t *semantics = exec_cells(exec, insn->operand[2]);
    const uint64_t *values = NULL;
    if (op->operands > 3)
        values = exec_cells(exec, compares ? extra[2] : insn->operand[3]);
    for (uint32_t l = 0; l < exec->count; l++) {
        const unsigned lane = exec->lane[l];
        const struct order_atomic what = {
            .action = op->action,
            .modify = op->modify,
            .value = values ? values[lane] : 0,
            .compare = compares ? exec_cells(exec, extra[0])[lane] : 0,
            .scope = (uint32_t)scopes[lane],
            .semantics = (uint32_t)semantics[lane],
            .unequal = compares ? (uint32_t)exec_cells(exec, extra[1])[lane] : 0,
        };
        if (exec->trace)
            exec->seen[lane].address = pointers[lane];
        const uint64_t old = order_atomic(exec, lane, pointers[lane], size, &what);
        if (insn->result != CELL_NONE)
            exec_cells(exec, insn->result)[lane] = old;
    }
}

static bool is_word(const struct shape *shape)
{
    return shape->scalar == SCALAR_INT && shape->components == 1 && shape->width == 32;
}

static bool is_number(const struct shape *shape, const struct atomic_op *op, uint32_t width)
{
    return ((shape->scalar == SCALAR_INT && !op->no_integers) ||
            (shape->scalar == SCALAR_FLOAT && op->takes_floats)) &&
           shape->components == 1 && shape->width == width;
}

static bool fits(const struct insn_shape *shape, const struct atomic_op *op, uint32_t width)
{
    const bool compares = op->action == ORDER_COMPARE;
    if (shape->has_result != (op->action != ORDER_STORE) || shape->operand_count != op->operands ||
        (width != 32 && width != 64) || shape->operand[0].scalar != SCALAR_POINTER ||
        (shape->has_result && !is_number(&shape->result, op, width)))
        return false;
    for (uint32_t i = 1; i < shape->operand_count; i++) {
        const bool says_how = i < 3 || (compares && i == 3);
        if (says_how ? !is_word(&shape->operand[i]) : !is_number(&shape->operand[i], op, width))
            return false;
    }
    return true;
}

insn_run *select_atomic(const struct insn_shape *shape, struct insn *insn)
{
    for (uint32_t i = 0; i < OP_COUNT; i++) {
        if (ops[i].opcode != shape->opcode)
            continue;
        const uint32_t width = shape->has_result ? shape->result.width : shape->operand[3].width;
        if (insn->flags & ACCESS_REGISTER || !fits(shape, &ops[i], width))
            return NULL;
        insn->components = 1;
        insn->literal = LITERAL(i, width);
        return atomic;
    }
    return NULL;
}

void miscompiled_add(struct insn *store)
{
    uint32_t add = 0;
    while (ops[add].opcode != SpvOpAtomicIAdd)
        add++;
    store->literal = LITERAL(add, store->literal >> 8);
}
