// SPDX-License-Identifier: Apache-2.0
// Composites: extraction names their cells, construction gathers cells.
#include "program/compiler.h"

#include <string.h>

#define GATHER_MAX 64 // more are copied part by part

// Follows literal indices into a type.
static bool find_part(struct compiler *c, const struct op *op, uint32_t first, uint32_t *type,
                      uint32_t *cell)
{
    *cell = 0;
    for (uint32_t i = first; i < op->operand_count; i++) {
        uint32_t part, at;
        if (!layout_part(c, *type, op->operands[i], &part, &at))
            return compile_fail(c, op, "has an index %u that %%%u does not have", op->operands[i],
                                *type);
        *type = part;
        *cell += at;
    }
    return true;
}

bool compose_op_extract(struct compiler *c, const struct op *op)
{
    uint32_t at, cell;
    if (!check_length(c, op, 1, UINT32_MAX))
        return false;
    uint32_t type = check_value(c, op, op->operands[0]);
    if (!type || !find_part(c, op, 1, &type, &at) || !check_same_type(c, op, type, op->type) ||
        !check_result(c, op) || !value_cell(c, op->operands[0], &cell))
        return false;
    value_alias(c, op->result, cell + at);
    return true;
}

// Emits copies from `count` cells in program->extra: result[i] is cell extra[i].
static bool gather(struct compiler *c, const struct op *op, uint32_t result, uint32_t extra,
                   uint32_t count)
{
    const struct shape shape = check_shape(c, op->type);
    return compile_emit(c, op,
                        (struct insn){.run = compose_gather,
                                      .components = (uint8_t)(count < COPY_MAX ? count : COPY_MAX),
                                      .width = (uint8_t)shape.width,
                                      .operand_width = (uint8_t)shape.width,
                                      .result = result,
                                      .operand = {CELL_NONE, CELL_NONE, CELL_NONE, CELL_NONE},
                                      .extra = extra,
                                      .extra_count = count});
}

bool compose_op_insert(struct compiler *c, const struct op *op)
{
    uint32_t at, object, whole, result, extra;
    if (!check_length(c, op, 2, UINT32_MAX))
        return false;
    const uint32_t inserted = check_value(c, op, op->operands[0]);
    uint32_t type = inserted ? check_value(c, op, op->operands[1]) : 0;
    if (!type || !check_same_type(c, op, type, op->type) || !find_part(c, op, 2, &type, &at) ||
        !check_same_type(c, op, type, inserted) || !value_cell(c, op->operands[0], &object) ||
        !value_cell(c, op->operands[1], &whole) || !value_result(c, op, &result))
        return false;
    const uint32_t count = check_cells(c, op->type), part = check_cells(c, inserted);
    if (count > GATHER_MAX)
        return compile_copy(c, op, result, whole, count) &&
               compile_copy(c, op, result + at, object, part);
    if (!compile_extra(c, count, &extra))
        return false;
    for (uint32_t i = 0; i < count; i++)
        c->program->extra[extra + i] = i >= at && i < at + part ? object + i - at : whole + i;
    return gather(c, op, result, extra, count);
}

// Whether constituent `index`, at `cell` of the result, may have that type.
static bool fits_there(const struct compiler *c, uint32_t whole, uint32_t index, uint32_t cell,
                       uint32_t type)
{
    const struct type *w = module_type(c->module, whole), *t = module_type(c->module, type);
    uint32_t part, at;
    if (w->kind == TYPE_VECTOR)
        return type == w->element || (t->kind == TYPE_VECTOR && t->element == w->element);
    return layout_part(c, whole, index, &part, &at) && part == type && at == cell;
}

static bool check_constituents(struct compiler *c, const struct op *op)
{
    const struct type *whole = module_type(c->module, op->type);
    const bool is_cooperative = whole->kind == TYPE_COOPERATIVE; // one value for all components
    uint32_t cells = 0;
    if (whole->kind != TYPE_VECTOR && op->operand_count != (is_cooperative ? 1 : whole->count))
        return compile_fail(c, op, "has the wrong number of constituents");
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const uint32_t type = check_value(c, op, op->operands[i]);
        if (!type)
            return false;
        if (!fits_there(c, op->type, i, cells, type))
            return compile_fail(c, op, "has a constituent %%%u of the wrong type", op->operands[i]);
        cells += check_cells(c, type);
    }
    return is_cooperative || cells == check_cells(c, op->type) ||
           compile_fail(c, op, "has the wrong number of constituents");
}

bool compose_op_construct(struct compiler *c, const struct op *op)
{
    const uint32_t count = check_cells(c, op->type);
    const bool gathers = count <= GATHER_MAX;
    const bool repeats = module_type(c->module, op->type)->kind == TYPE_COOPERATIVE;
    uint32_t result, extra = 0, cell, done = 0;
    if (!check_constituents(c, op) || !value_result(c, op, &result) ||
        (gathers && !compile_extra(c, count, &extra)))
        return false;
    for (uint32_t i = 0; i < (repeats ? count : op->operand_count); i++) {
        const uint32_t id = op->operands[repeats ? 0 : i];
        const uint32_t part = check_cells(c, c->module->ids[id].type);
        if (!value_cell(c, id, &cell) ||
            (!gathers && !compile_copy(c, op, result + done, cell, part)))
            return false;
        for (uint32_t k = 0; gathers && k < part; k++)
            c->program->extra[extra + done + k] = cell + k;
        done += part;
    }
    return !gathers || gather(c, op, result, extra, count);
}

bool compose_op_shuffle(struct compiler *c, const struct op *op)
{
    uint32_t cell[2], result, extra;
    const struct type *whole = module_type(c->module, op->type);
    if (!check_length(c, op, 2, UINT32_MAX))
        return false;
    const uint32_t first = check_value(c, op, op->operands[0]);
    const uint32_t second = first ? check_value(c, op, op->operands[1]) : 0;
    const struct type *x = module_type(c->module, first), *y = module_type(c->module, second);
    if (!second)
        return false;
    if (whole->kind != TYPE_VECTOR || x->kind != TYPE_VECTOR || y->kind != TYPE_VECTOR ||
        x->element != whole->element || y->element != whole->element ||
        whole->count != op->operand_count - 2)
        return compile_fail(c, op, "has vectors that do not fit");
    if (!value_cell(c, op->operands[0], &cell[0]) || !value_cell(c, op->operands[1], &cell[1]) ||
        !value_result(c, op, &result) || !compile_extra(c, whole->count, &extra))
        return false;
    for (uint32_t i = 0; i < whole->count; i++) {
        const uint32_t index = op->operands[2 + i];
        if (index != UINT32_MAX && index >= x->count + y->count)
            return compile_fail(c, op, "has an index %u, which is too great", index);
        c->program->extra[extra + i] = index == UINT32_MAX ? CELL_NONE
                                       : index < x->count  ? cell[0] + index
                                                           : cell[1] + index - x->count;
    }
    return gather(c, op, result, extra, whole->count);
}

bool compose_op_transpose(struct compiler *c, const struct op *op)
{
    uint32_t cell, result, extra;
    if (!check_length(c, op, 1, 1))
        return false;
    const uint32_t type = check_value(c, op, op->operands[0]);
    const struct shape from = check_shape(c, type), to = check_shape(c, op->type);
    if (!type)
        return false;
    if (!from.columns || from.columns != to.rows || from.rows != to.columns ||
        module_type(c->module, module_type(c->module, type)->element)->element !=
            module_type(c->module, module_type(c->module, op->type)->element)->element)
        return compile_fail(c, op, "has matrices that do not fit");
    if (!value_cell(c, op->operands[0], &cell) || !value_result(c, op, &result) ||
        !compile_extra(c, from.components, &extra))
        return false;
    for (uint32_t i = 0; i < from.components; i++)
        c->program->extra[extra + i] = cell + i % to.rows * from.rows + i / to.rows;
    return gather(c, op, result, extra, from.components);
}

// OpCopyObject, OpExpectKHR: an alias for the same cells and pointer.
bool compose_op_alias(struct compiler *c, const struct op *op)
{
    const uint32_t operands = op->opcode == SpvOpExpectKHR ? 2 : 1;
    struct pointer pointer = {0};
    uint32_t cell;
    if (!check_length(c, op, operands, operands))
        return false;
    const uint32_t type = check_value(c, op, op->operands[0]);
    if (!type || !check_same_type(c, op, type, op->type) ||
        (operands == 2 && !check_value(c, op, op->operands[1])) ||
        !value_cell(c, op->operands[0], &cell))
        return false;
    value_alias(c, op->result, cell);
    return module_type(c->module, type)->kind != TYPE_POINTER ||
           (variables_pointer(c, op->operands[0], &pointer) &&
            variables_note(c, op->result, pointer));
}

// Whether types are equal except for decorations. Each step descends one type, and skips those
// without cells.
static bool matches(const struct compiler *c, uint32_t x, uint32_t y)
{
    const struct type *a = module_type(c->module, x), *b = module_type(c->module, y);
    if (x == y)
        return true;
    if (a->kind != b->kind || a->count != b->count || check_cells(c, x) != check_cells(c, y))
        return false;
    if (a->kind == TYPE_ARRAY)
        return matches(c, a->element, b->element);
    if (a->kind != TYPE_STRUCT)
        return false;
    for (uint32_t i = 0; check_cells(c, x) && i < a->count; i++) {
        if (!matches(c, a->members[i].type, b->members[i].type))
            return false;
    }
    return true;
}

bool compose_op_copy_logical(struct compiler *c, const struct op *op)
{
    uint32_t cell;
    if (!check_length(c, op, 1, 1))
        return false;
    const uint32_t type = check_value(c, op, op->operands[0]);
    if (!type || !check_result(c, op))
        return false;
    if (!matches(c, type, op->type))
        return compile_fail(c, op, "has types that do not match");
    if (!value_cell(c, op->operands[0], &cell))
        return false;
    value_alias(c, op->result, cell);
    return true;
}

static bool add_run(struct compiler *c, const struct op *op, uint32_t type, compose_take *take,
                    struct undefined_cells *run)
{
    const struct shape shape = check_shape(c, type);
    const struct type *t = module_type(c->module, type);
    if (shape.scalar == SCALAR_OTHER && t->kind != TYPE_IMAGE) {
        for (uint32_t i = 0; shape.components && i < t->count; i++) {
            if (!add_run(c, op, t->kind == TYPE_STRUCT ? t->members[i].type : t->element, take,
                         run))
                return false;
        }
        return true;
    }
    if (run->count && (run->width != shape.width || run->count > COPY_MAX - shape.components)) {
        if (!take(c, op, run))
            return false;
        *run = (struct undefined_cells){.cell = run->cell + run->count};
    }
    run->width = (uint8_t)shape.width;
    run->count += shape.components;
    return true;
}

bool compose_runs(struct compiler *c, const struct op *op, uint32_t type, uint32_t cell,
                  compose_take *take)
{
    struct undefined_cells run = {.cell = cell};
    return add_run(c, op, type, take, &run) && (!run.count || take(c, op, &run));
}

static bool emit_undefined(struct compiler *c, const struct op *op,
                           const struct undefined_cells *run)
{
    return compile_emit(c, op,
                        (struct insn){.run = compose_undefined,
                                      .components = (uint8_t)run->count,
                                      .width = run->width,
                                      .result = run->cell,
                                      .operand = {CELL_NONE, CELL_NONE, CELL_NONE, CELL_NONE}});
}

bool compose_op_undefined(struct compiler *c, const struct op *op)
{
    uint32_t cell;
    return check_length(c, op, 0, 0) && value_result(c, op, &cell) &&
           compose_runs(c, op, op->type, cell, emit_undefined);
}

bool compose_op_extract_dynamic(struct compiler *c, const struct op *op)
{
    struct decoded decoded;
    struct insn insn = {.run = compose_extract, .components = 1};
    if (!decode_operands(c, op, "=ii", &decoded))
        return false;
    const struct shape *operand = decoded.shape.operand;
    const struct type *vector = module_type(c->module, operand[0].type);
    if (vector->kind != TYPE_VECTOR || vector->element != op->type ||
        operand[1].scalar != SCALAR_INT || operand[1].components != 1)
        return compile_fail(c, op, "has operands that do not fit");
    insn.width = insn.operand_width = (uint8_t)operand[0].width;
    insn.literal = vector->count;
    memcpy(insn.operand, decoded.cell, sizeof insn.operand);
    return value_result(c, op, &insn.result) && compile_emit(c, op, insn);
}

bool compose_op_insert_dynamic(struct compiler *c, const struct op *op)
{
    struct decoded decoded;
    struct insn insn = {.run = compose_insert};
    if (!decode_operands(c, op, "=iii", &decoded))
        return false;
    const struct shape *operand = decoded.shape.operand;
    const struct type *vector = module_type(c->module, operand[0].type);
    if (vector->kind != TYPE_VECTOR || operand[0].type != op->type ||
        operand[1].type != vector->element || operand[2].scalar != SCALAR_INT ||
        operand[2].components != 1)
        return compile_fail(c, op, "has operands that do not fit");
    insn.width = insn.operand_width = (uint8_t)operand[0].width;
    insn.components = (uint8_t)vector->count;
    memcpy(insn.operand, decoded.cell, sizeof insn.operand);
    return value_result(c, op, &insn.result) && compile_emit(c, op, insn);
}
