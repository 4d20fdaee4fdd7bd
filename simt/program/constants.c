// SPDX-License-Identifier: Apache-2.0
// Constants, with specialization. An OpSpecConstantOp is decoded as the instruction that it names,
// and executed immediately.
//
// Sizes of types depend on array lengths, which are constants: scalars, vectors and matrices are
// evaluated first, then types get their sizes, then all else is evaluated.
#include "program/compiler.h"

static bool add_value(struct compiler *c, const struct op *op, uint64_t value)
{
    uint32_t cell;
    if (!value_result(c, op, &cell))
        return false;
    c->values[cell] = value;
    return true;
}

static const struct program_constant *find_specialization(const struct compiler *c, uint32_t id)
{
    const uint32_t spec_id = c->module->ids[id].decorations.spec_id;
    for (uint32_t i = 0; spec_id != UINT32_MAX && i < c->options->constant_count; i++) {
        if (c->options->constants[i].spec_id == spec_id)
            return &c->options->constants[i];
    }
    return NULL;
}

static bool specialised(struct compiler *c, const struct op *op, uint32_t size, uint64_t *value)
{
    const struct program_constant *given = find_specialization(c, op->result);
    if (!given)
        return true;
    if (given->size != size)
        return compile_fail(c, op, "has %u bytes, but is specialised by %u", size, given->size);
    *value = given->value;
    return true;
}

static bool evaluate_bool(struct compiler *c, const struct op *op)
{
    uint64_t value = op->opcode == SpvOpConstantTrue || op->opcode == SpvOpSpecConstantTrue;
    if (module_type(c->module, op->type)->kind != TYPE_BOOL)
        return compile_fail(c, op, "is not of type bool");
    if ((op->opcode == SpvOpSpecConstantTrue || op->opcode == SpvOpSpecConstantFalse) &&
        !specialised(c, op, 4, &value))
        return false;
    return add_value(c, op, value != 0);
}

static bool evaluate_scalar(struct compiler *c, const struct op *op)
{
    const struct type *type = module_type(c->module, op->type);
    if (type->kind != TYPE_INT && type->kind != TYPE_FLOAT)
        return compile_fail(c, op, "is not a number");
    const uint32_t words = type->width > 32 ? 2 : 1;
    if (!check_length(c, op, words, words))
        return false;
    uint64_t value = op->operands[0];
    if (words == 2)
        value |= (uint64_t)op->operands[1] << 32;
    if (op->opcode == SpvOpSpecConstant && !specialised(c, op, type->width / 8, &value))
        return false;
    return add_value(c, op, value & ~UINT64_C(0) >> (64 - type->width));
}

static bool evaluate_zero(struct compiler *c, const struct op *op) // OpConstantNull, OpUndef
{
    uint32_t cell;
    return check_length(c, op, 0, 0) && value_result(c, op, &cell);
}

static bool evaluate_operation(struct compiler *c, const struct op *op)
{
    if (!check_length(c, op, 1, UINT32_MAX))
        return false;
    struct op inner = *op;
    inner.opcode = op->operands[0] & 0xffff;
    inner.operands++;
    inner.operand_count--;
    const struct form *form = decode_form(inner.opcode);
    if (!form || !form->constant || op->operands[0] > 0xffff)
        return compile_fail(c, &inner, "is not supported in a constant");
    return decode(c, &inner);
}

static bool evaluate(struct compiler *c, const struct op *op)
{
    switch (op->opcode) {
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
        return evaluate_bool(c, op);
    case SpvOpConstant:
    case SpvOpSpecConstant:
        return evaluate_scalar(c, op);
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        return compose_op_construct(c, op);
    case SpvOpConstantNull:
    case SpvOpUndef:
        return evaluate_zero(c, op);
    case SpvOpSpecConstantOp:
        return evaluate_operation(c, op);
    default:
        return compile_fail(c, op, "is not supported");
    }
}

// Whether it can be evaluated before types have sizes: it and its operands are small.
static bool is_early(const struct compiler *c, const struct op *op)
{
    const char *letters = "i*";
    uint32_t first = 0;
    if (!check_cells(c, op->type))
        return false;
    if (op->opcode == SpvOpSpecConstantOp && op->operand_count) {
        const struct form *form = decode_form(op->operands[0] & 0xffff);
        letters = form ? form->operands + 1 : "";
        first = 1;
        if (*letters == 'x') // a type whose size is required
            return false;
    } else if (op->opcode != SpvOpConstantComposite && op->opcode != SpvOpSpecConstantComposite) {
        return true;
    }
    for (uint32_t i = first; i < op->operand_count && *letters == 'i'; i++) {
        if (op->operands[i] >= c->module->bound || !c->slots[op->operands[i]].value)
            return false;
        letters += letters[1] != '*';
    }
    return true;
}

static bool is_constant(uint32_t opcode)
{
    return opcode == SpvOpUndef || (opcode >= SpvOpConstantTrue && opcode <= SpvOpSpecConstantOp);
}

static bool evaluate_all(struct compiler *c)
{
    struct op op;
    for (uint32_t at = c->module->first_declaration; at < c->module->first_function;
         at += op.count) {
        if (!compile_read(c, at, &op))
            return false;
        if (!is_constant(op.opcode) || c->slots[op.result].value)
            continue;
        if ((c->sized || is_early(c, &op)) && !evaluate(c, &op))
            return false;
    }
    return true;
}

static bool length_of_array(void *user, uint32_t id, uint64_t *value)
{
    const struct compiler *c = user;
    return id < c->module->bound && module_type_of(c->module, id)->kind == TYPE_INT &&
           value_constant(c, id, 0, value);
}

bool constants_evaluate(struct compiler *c)
{
    c->evaluating = true;
    if (!evaluate_all(c))
        return false;
    if (!module_specialise(c->module, c->options->subgroup, length_of_array, c, c->error,
                           c->error_size))
        return !(c->failed = true);
    c->sized = true;
    const bool done = evaluate_all(c);
    c->evaluating = false;
    return done;
}

// Component `index` of the workgroup size, if a constant gives it.
static bool read_size(struct compiler *c, uint32_t id, uint32_t index, uint32_t *size)
{
    const struct shape shape = check_shape(c, id < c->module->bound ? c->module->ids[id].type : 0);
    uint64_t value;
    if (!id)
        return true;
    if (shape.scalar != SCALAR_INT || shape.width != 32 || !value_constant(c, id, index, &value))
        return compile_fail(c, NULL, "the workgroup's size %%%u is not an integer constant", id);
    *size = (uint32_t)value;
    return true;
}

bool constants_local_size(struct compiler *c)
{
    const struct module *module = c->module;
    uint32_t *size = c->program->local_size;
    uint64_t product = 1;
    for (uint32_t i = 0; i < 3; i++) {
        size[i] = module->local_size[i];
        if (!(module->workgroup_size ? read_size(c, module->workgroup_size, i, &size[i])
                                     : read_size(c, module->local_size_id[i], 0, &size[i])))
            return false;
        product *= size[i];
        product = product > UINT32_MAX ? UINT32_MAX : product;
    }
    if (!product || product > c->options->local_size_max)
        return compile_fail(c, NULL, "a workgroup of %u x %u x %u invocations, the limit is %u",
                            size[0], size[1], size[2], c->options->local_size_max);
    return true;
}
