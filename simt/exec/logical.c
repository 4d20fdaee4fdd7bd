// SPDX-License-Identifier: Apache-2.0
// Boolean operations, and OpSelect.
#include "exec/scalar.h"

DEFINE_BINARY(logical_or, x | y)
DEFINE_BINARY(logical_and, (x & y))
DEFINE_BINARY(logical_equal, x == y)
DEFINE_BINARY(logical_not_equal, x != y)
DEFINE_UNARY(logical_not, x ^ 1)
DEFINE_RUN(logical_or, map_binary, 1)
DEFINE_RUN(logical_and, map_binary, 1)
DEFINE_RUN(logical_equal, map_binary, 1)
DEFINE_RUN(logical_not_equal, map_binary, 1)
DEFINE_RUN(logical_not, map_unary, 1)

// `components` is the operand's.
static void any(struct exec *exec, const struct insn *insn)
{
    uint64_t *result = exec_cells(exec, insn->result);
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        for_lanes(exec, l, result[l] = x[l] | (i == 0 ? 0 : result[l]));
    }
}

static void all(struct exec *exec, const struct insn *insn)
{
    uint64_t *result = exec_cells(exec, insn->result);
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        for_lanes(exec, l, result[l] = x[l] & (i == 0 ? 1 : result[l]));
    }
}

#define SELECT_EACH 1u // the condition is a vector

// Selects `literal` cells, possibly of an array.
static void select_value(struct exec *exec, const struct insn *insn)
{
    const uint32_t step = insn->flags & SELECT_EACH ? 1 : 0;
    for (uint32_t i = 0; i < insn->literal; i++) {
        const uint64_t *condition = exec_cells(exec, insn->operand[0] + i * step);
        const uint64_t *x = exec_cells(exec, insn->operand[1] + i);
        const uint64_t *y = exec_cells(exec, insn->operand[2] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l, result[l] = condition[l] ? x[l] : y[l]);
    }
}

enum { UNARY, BINARY, REDUCTION, SELECT };

static const struct {
    uint16_t opcode;
    uint8_t form;
    insn_run *run;
} rows[] = {
    {SpvOpLogicalOr, BINARY, logical_or_1},
    {SpvOpLogicalAnd, BINARY, logical_and_1},
    {SpvOpLogicalEqual, BINARY, logical_equal_1},
    {SpvOpLogicalNotEqual, BINARY, logical_not_equal_1},
    {SpvOpLogicalNot, UNARY, logical_not_1},
    {SpvOpAny, REDUCTION, any},
    {SpvOpAll, REDUCTION, all},
    {SpvOpSelect, SELECT, select_value},
};

static const uint8_t operand_counts[] = {[UNARY] = 1, [BINARY] = 2, [REDUCTION] = 1, [SELECT] = 3};

static bool is_value(const struct shape *shape)
{
    if (shape->scalar == SCALAR_OTHER)
        return shape->components > 0;
    return shape_is_bool(shape) || shape_is_int(shape) || shape_is_float(shape) ||
           shape_is_pointer(shape);
}

static bool fits(const struct insn_shape *shape, int form)
{
    const struct shape *result = &shape->result, *operand = shape->operand;
    if (!shape->has_result || shape->operand_count != operand_counts[form] ||
        !shape_is_bool(&operand[0]))
        return false;
    switch (form) {
    case UNARY:
        return shape_same(&operand[0], result);
    case BINARY:
        return shape_same(&operand[0], result) && shape_same(&operand[1], result);
    case REDUCTION:
        return shape_is_bool(result) && result->components == 1 && operand[0].components > 1;
    case SELECT:
        if (!is_value(result) || operand[1].type != result->type || operand[2].type != result->type)
            return false;
        if (!shape_same(&operand[1], result) || !shape_same(&operand[2], result))
            return false;
        return operand[0].components == 1 ||
               (result->scalar != SCALAR_OTHER && operand[0].components == result->components);
    }
    return false;
}

insn_run *select_logical(const struct insn_shape *shape, struct insn *insn)
{
    size_t i = 0;
    while (i < ROW_COUNT(rows) && rows[i].opcode != shape->opcode)
        i++;
    if (i == ROW_COUNT(rows) || !fits(shape, rows[i].form))
        return NULL;
    const bool reduces = rows[i].form == REDUCTION;
    arithmetic_fill(shape, insn, reduces ? shape->operand[0].components : shape->result.components);
    if (rows[i].form == SELECT) {
        insn->literal = shape->result.components;
        insn->flags = shape->operand[0].components > 1 ? SELECT_EACH : 0;
    }
    return rows[i].run;
}
