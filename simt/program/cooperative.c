// SPDX-License-Identifier: Apache-2.0
// Cooperative matrices: loads, stores, products, and component-wise operations.
#include "program/compiler.h"

enum { USE_A, USE_B, USE_ACCUMULATOR };
enum { LAYOUT_ROWS, LAYOUT_COLUMNS };
#define SIGNED_A      1u // OpCooperativeMatrixMulAddKHR operands
#define SIGNED_B      2u
#define SIGNED_RESULT 8u
#define SATURATING    16u
#define KNOWN         0x1fu

static const struct type *cooperative_type(const struct compiler *c, uint32_t id)
{
    const struct type *type = module_type(c->module, id);
    return type->kind == TYPE_COOPERATIVE ? type : NULL;
}

static uint64_t sides(const struct type *type, uint64_t last)
{
    return last << MATRIX_LAST_SHIFT | (uint64_t)type->columns << MATRIX_COLUMNS_SHIFT |
           (uint64_t)type->rows << MATRIX_ROWS_SHIFT;
}

// The unit of a stride in bytes: the scalar or vector that the pointer points to; 0 for other
// types.
static uint32_t stride_unit(const struct compiler *c, const struct type *pointer)
{
    const struct shape shape = check_shape(c, pointer->element);
    if (pointer->kind != TYPE_POINTER || check_in_register(pointer->storage) ||
        shape.scalar < SCALAR_INT || shape.scalar > SCALAR_E5M2)
        return 0;
    return shape.width / 8 * shape.components;
}

// A load or store of a matrix; its layout is operand `at`, followed by stride and memory operands.
static bool transfer(struct compiler *c, const struct op *op, uint32_t type, uint32_t at,
                     struct insn insn)
{
    const struct type *matrix = cooperative_type(c, type);
    const uint32_t pointer = check_value(c, op, op->operands[0]);
    const uint32_t stride = pointer ? check_value(c, op, op->operands[at + 1]) : 0;
    const uint32_t unit = stride_unit(c, module_type(c->module, pointer));
    const struct shape shape = check_shape(c, stride);
    int64_t layout;
    if (!stride || !check_word(c, op, op->operands[at]))
        return false;
    if (!matrix || !unit || shape.scalar != SCALAR_INT || shape.components != 1)
        return compile_fail(c, op, "has operands that do not fit");
    if (!value_integer(c, op->operands[at], &layout) ||
        (layout != LAYOUT_ROWS && layout != LAYOUT_COLUMNS))
        return compile_fail(c, op, "has a layout that is not supported");
    insn.kind = INSN_TANGLED;
    insn.width = (uint8_t)module_type(c->module, matrix->element)->width;
    insn.literal = sides(matrix, unit);
    insn.flags = layout == LAYOUT_COLUMNS ? ACCESS_COLUMNS : 0;
    insn.operand[GROUP_SCOPE] = CELL_NONE;
    c->program->memory_operations++;
    c->program->group_operations++;
    return access_order(c, op, at + 2, insn.run == matrix_store, &insn) &&
           value_cell(c, op->operands[0], &insn.operand[GROUP_VALUE]) &&
           value_cell(c, op->operands[at + 1], &insn.operand[GROUP_ARGUMENT]) &&
           compile_emit(c, op, insn);
}

bool cooperative_load(struct compiler *c, const struct op *op)
{
    const uint32_t cells = check_cells(c, op->type);
    struct insn insn = {.run = matrix_load,
                        .components = (uint8_t)(cells < COPY_MAX ? cells : COPY_MAX),
                        .operand[GROUP_CLUSTER] = CELL_NONE};
    return check_length(c, op, 3, UINT32_MAX) && value_result(c, op, &insn.result) &&
           transfer(c, op, op->type, 1, insn);
}

bool cooperative_store(struct compiler *c, const struct op *op)
{
    struct insn insn = {.run = matrix_store, .result = CELL_NONE};
    if (!check_length(c, op, 4, UINT32_MAX) || !check_value(c, op, op->operands[0]))
        return false;
    const uint32_t type = check_value(c, op, op->operands[1]);
    return type && access_may_store(c, op, op->operands[0]) &&
           value_cell(c, op->operands[1], &insn.operand[GROUP_CLUSTER]) &&
           transfer(c, op, type, 2, insn);
}

// Whether A x B + C is possible.
static bool fit(const struct compiler *c, const struct type *const matrix[3])
{
    const struct type *component[3];
    for (uint32_t i = 0; i < 3; i++) {
        if (!matrix[i] || matrix[i]->use != i)
            return false;
        component[i] = module_type(c->module, matrix[i]->element);
    }
    return matrix[USE_A]->rows == matrix[USE_ACCUMULATOR]->rows &&
           matrix[USE_A]->columns == matrix[USE_B]->rows &&
           matrix[USE_B]->columns == matrix[USE_ACCUMULATOR]->columns &&
           component[0]->kind == component[1]->kind && component[0]->kind == component[2]->kind &&
           component[0]->width == component[1]->width &&
           (component[0]->encoding == component[1]->encoding || component[0]->width == 8);
}

bool cooperative_multiply_add(struct compiler *c, const struct op *op)
{
    const struct type *matrix[3];
    struct decoded decoded;
    struct insn insn = {
        .run = matrix_multiply_add, .kind = INSN_TANGLED, .operand[GROUP_SCOPE] = CELL_NONE};
    if (!decode_operands(c, op, "=iii?l", &decoded))
        return false;
    const struct insn_shape *shape = &decoded.shape;
    const uint32_t mask = shape->literal_count ? shape->literals[0] : 0;
    for (uint32_t i = 0; i < 3; i++) {
        matrix[i] = cooperative_type(c, shape->operand[i].type);
        insn.operand[GROUP_VALUE + i] = decoded.cell[i];
    }
    if (!check_same_type(c, op, shape->operand[USE_ACCUMULATOR].type, op->type))
        return false;
    if (mask & ~KNOWN || !fit(c, matrix))
        return compile_fail(c, op, "has operands that do not fit, or is not supported");
    const struct type *factor = module_type(c->module, matrix[USE_A]->element);
    if (mask & SATURATING && factor->kind == TYPE_FLOAT)
        return compile_fail(c, op, "saturates a sum of floats");
    const struct type *sum = module_type(c->module, matrix[USE_ACCUMULATOR]->element);
    const uint32_t cells = check_cells(c, op->type);
    insn.components = (uint8_t)(cells < COPY_MAX ? cells : COPY_MAX);
    insn.width = (uint8_t)sum->width;
    insn.operand_width = (uint8_t)factor->width;
    insn.literal = sides(matrix[USE_ACCUMULATOR], matrix[USE_A]->columns);
    insn.flags = factor->kind == TYPE_FLOAT ? MATRIX_FLOAT
                                            : (mask & SIGNED_A ? MATRIX_A_SIGNED : 0u) |
                                                  (mask & SIGNED_B ? MATRIX_B_SIGNED : 0u) |
                                                  (mask & SIGNED_RESULT ? MATRIX_SIGNED : 0u) |
                                                  (mask & SATURATING ? MATRIX_SATURATING : 0u);
    for (uint32_t i = 0; i < 3; i++)
        insn.flags |= (uint16_t)(module_type(c->module, matrix[i]->element)->encoding
                                 << MATRIX_KIND_SHIFT(i));
    c->program->group_operations++;
    return value_result(c, op, &insn.result) && compile_emit(c, op, insn);
}

bool cooperative_length(struct compiler *c, const struct op *op)
{
    const struct shape result = check_shape(c, op->type);
    const struct type *matrix =
        op->operand_count == 1 ? cooperative_type(c, op->operands[0]) : NULL;
    uint32_t cell;
    if (!matrix || result.scalar != SCALAR_INT || result.width != 32 || result.components != 1)
        return compile_fail(c, op, "has operands that do not fit");
    if (!value_result(c, op, &cell))
        return false;
    if (!c->evaluating)
        return compile_preset(c, cell, matrix->count);
    c->values[cell] = matrix->count;
    return true;
}

// Operations allowed component by component on matrices.
static bool is_by_component(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpFConvert:
    case SpvOpBitcast:
    case SpvOpSNegate:
    case SpvOpFNegate:
    case SpvOpIAdd:
    case SpvOpFAdd:
    case SpvOpISub:
    case SpvOpFSub:
    case SpvOpIMul:
    case SpvOpFMul:
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpFDiv:
    case SpvOpMatrixTimesScalar:
        return true;
    default:
        return false;
    }
}

static bool same_places(const struct type *a, const struct type *b)
{
    return a && b && a->rows == b->rows && a->columns == b->columns && a->use == b->use;
}

bool cooperative_by_component(struct compiler *c, const struct op *op, insn_select *select,
                              const struct decoded *decoded, uint32_t result)
{
    const struct type *matrix = cooperative_type(c, op->type);
    const bool scales = op->opcode == SpvOpMatrixTimesScalar;
    const uint32_t matrices = scales ? 1 : decoded->shape.operand_count;
    const uint32_t step = scales ? 1 : 4; // components per vector; scalars are not repeated
    bool fits = is_by_component(op->opcode);
    for (uint32_t i = 0; i < matrices; i++)
        fits = fits && same_places(matrix, cooperative_type(c, decoded->shape.operand[i].type));
    if (!fits || (scales && (decoded->shape.operand_count != 2 ||
                             decoded->shape.operand[1].type != matrix->element)))
        return compile_fail(c, op, "has operands that do not fit, or is not supported");
    for (uint32_t at = 0; at < matrix->count; at += step) {
        const uint32_t rest = matrix->count - at, count = rest < step ? rest : step;
        struct insn insn = {.result = result + at};
        struct decoded part = *decoded;
        part.shape.result = check_shape(c, matrix->element);
        part.shape.result.components = count;
        for (uint32_t i = 0; i < matrices; i++) {
            part.shape.operand[i] =
                check_shape(c, module_type(c->module, decoded->shape.operand[i].type)->element);
            part.shape.operand[i].components = count;
            part.cell[i] += at;
        }
        if (scales)
            part.shape.opcode = part.shape.result.scalar == SCALAR_INT ? SpvOpIMul : SpvOpFMul;
        if (scales && part.shape.result.scalar == SCALAR_INT)
            select = select_integer;
        if (!decode_selected(c, op, select, &part, &insn) || !compile_emit(c, op, insn))
            return false;
    }
    return true;
}
