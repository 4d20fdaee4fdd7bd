// SPDX-License-Identifier: Apache-2.0
// Checks the ids that an instruction uses: defined, and of matching types. Also assigns cells to
// values.
#include "program/compiler.h"

bool check_length(struct compiler *c, const struct op *op, uint32_t least, uint32_t most)
{
    if (op->operand_count < least || op->operand_count > most)
        return compile_fail(c, op, "has the wrong length");
    return true;
}

uint32_t check_cells(const struct compiler *c, uint32_t type)
{
    const struct type *t = module_type(c->module, type);
    switch (t->kind) {
    case TYPE_BOOL:
    case TYPE_INT:
    case TYPE_FLOAT:
    case TYPE_POINTER:
    case TYPE_IMAGE:
        return 1;
    case TYPE_VECTOR:
        return t->count;
    case TYPE_MATRIX:
        return t->count * module_type(c->module, t->element)->count;
    default:
        return c->sized ? t->cells : 0;
    }
}

bool check_in_register(SpvStorageClass storage)
{
    return storage == SpvStorageClassFunction || storage == SpvStorageClassPrivate ||
           storage == SpvStorageClassInput;
}

static bool is_defined(const struct compiler *c, const struct op *op, uint32_t id)
{
    if (id >= c->module->bound)
        return false;
    const struct id *found = &c->module->ids[id];
    switch (found->kind) {
    case ID_CONSTANT:
        return c->slots[id].value;
    case ID_VARIABLE:
        return !c->evaluating;
    case ID_VALUE:
        return c->body && found->at > c->body->at && found->at < c->body->end &&
               (found->at < op->at || op->opcode == SpvOpPhi);
    default:
        return false;
    }
}

uint32_t check_value(struct compiler *c, const struct op *op, uint32_t id)
{
    if (!is_defined(c, op, id)) {
        compile_fail(c, op, "uses %%%u, which is not defined there", id);
        return 0;
    }
    const uint32_t type = c->module->ids[id].type;
    if (!check_cells(c, type)) {
        compile_fail(c, op, "uses %%%u, whose type cannot be in registers", id);
        return 0;
    }
    return type;
}

uint32_t check_result(struct compiler *c, const struct op *op)
{
    if (!check_cells(c, op->type)) {
        compile_fail(c, op, "has a result of a type that cannot be in registers");
        return 0;
    }
    return op->type;
}

bool check_same_type(struct compiler *c, const struct op *op, uint32_t type, uint32_t other)
{
    if (type != other)
        return compile_fail(c, op, "has types %%%u and %%%u, which should be the same", type,
                            other);
    return true;
}

bool check_word(struct compiler *c, const struct op *op, uint32_t id)
{
    const uint32_t type = check_value(c, op, id);
    const struct type *t = module_type(c->module, type);
    if (type && (t->kind != TYPE_INT || t->width != 32))
        return compile_fail(c, op, "uses %%%u, which is not a 32-bit integer", id);
    return type;
}

static struct shape scalar_shape(const struct type *type)
{
    switch (type->kind) {
    case TYPE_BOOL:
        return (struct shape){.scalar = SCALAR_BOOL, .width = 1};
    case TYPE_INT:
        return (struct shape){
            .scalar = SCALAR_INT, .width = type->width, .is_signed = type->is_signed};
    case TYPE_FLOAT:
        return (struct shape){.scalar = (enum scalar_kind)(SCALAR_FLOAT + type->encoding),
                              .width = type->width};
    case TYPE_POINTER:
        return (struct shape){.scalar = SCALAR_POINTER, .width = 64};
    case TYPE_IMAGE:
        return (struct shape){.scalar = SCALAR_OTHER, .width = 64};
    default:
        return (struct shape){.scalar = SCALAR_OTHER};
    }
}

struct shape check_shape(const struct compiler *c, uint32_t type)
{
    const struct type *t = module_type(c->module, type);
    const struct type *element = module_type(c->module, t->element);
    struct shape shape = scalar_shape(t->kind == TYPE_VECTOR ? element : t);
    shape.components = check_cells(c, type);
    shape.type = type;
    if (t->kind == TYPE_MATRIX) {
        shape.columns = t->count;
        shape.rows = element->count;
        shape.matrix_width = module_type(c->module, element->element)->width;
    }
    return shape;
}

bool value_constant(const struct compiler *c, uint32_t id, uint32_t index, uint64_t *value)
{
    if (id >= c->module->bound || !c->slots[id].value ||
        index >= check_cells(c, c->module->ids[id].type))
        return false;
    *value = c->values[c->slots[id].value - 1 + index];
    return true;
}

bool value_integer(const struct compiler *c, uint32_t id, int64_t *value)
{
    const struct type *type = module_type_of(c->module, id);
    uint64_t bits;
    if (type->kind != TYPE_INT || !value_constant(c, id, 0, &bits))
        return false;
    if (type->is_signed && type->width < 64 && bits >> (type->width - 1) & 1)
        bits |= ~UINT64_C(0) << type->width;
    *value = (int64_t)bits;
    return true;
}

static bool preset_constant(struct compiler *c, uint32_t id, uint32_t cell, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!compile_preset(c, cell + i, c->values[c->slots[id].value - 1 + i]))
            return false;
    }
    return true;
}

bool value_cell(struct compiler *c, uint32_t id, uint32_t *cell)
{
    struct slot *slot = &c->slots[id];
    struct pointer pointer = {0};
    if (c->evaluating) {
        *cell = slot->value - 1;
        return true;
    }
    if (slot->cell) {
        *cell = slot->cell - 1;
        return true;
    }
    const struct id *found = &c->module->ids[id];
    const uint32_t count = check_cells(c, found->type);
    if (module_type(c->module, found->type)->kind == TYPE_POINTER && !slot->value &&
        !variables_pointer(c, id, &pointer))
        return false;
    if (!compile_new_cells(c, count, cell))
        return false;
    slot->cell = *cell + 1;
    if (slot->value)
        return preset_constant(c, id, *cell, count);
    return !pointer.known || compile_preset(c, *cell, pointer.value);
}

bool value_result(struct compiler *c, const struct op *op, uint32_t *cell)
{
    const uint32_t type = check_result(c, op);
    if (!type || !compile_new_cells(c, check_cells(c, type), cell))
        return false;
    value_alias(c, op->result, *cell);
    return true;
}

void value_alias(struct compiler *c, uint32_t id, uint32_t cell)
{
    if (c->evaluating)
        c->slots[id].value = cell + 1;
    else
        c->slots[id].cell = cell + 1;
}
