// SPDX-License-Identifier: Apache-2.0
// OpExtInst: GLSL.std.450. Non-semantic instructions are skipped.
#include "program/compiler.h"

#include <string.h>

bool extended_is_skipped(const struct compiler *c, const struct op *op)
{
    const uint32_t set = op->operand_count ? op->operands[0] : 0;
    static const char prefix[] = "NonSemantic.";
    const struct module *module = c->module;
    if (set >= module->bound || module->ids[set].kind != ID_EXTENDED)
        return false;
    const uint32_t at = module->ids[set].at;
    const uint32_t bytes = ((module->words[at] >> 16) - 2) * 4;
    return bytes >= sizeof(prefix) - 1 &&
           !memcmp(module->words + at + 2, prefix, sizeof(prefix) - 1);
}

// Modf and Frexp store their second result through a pointer: compiled as ModfStruct or FrexpStruct
// and a store.
static bool decode_two_results(struct compiler *c, const struct op *op, struct decoded *decoded)
{
    struct insn_shape *shape = &decoded->shape;
    struct insn insn = {0};
    const struct type *pointer = module_type(c->module, shape->operand[1].type);
    const struct shape first = check_shape(c, op->type);
    const struct shape second = check_shape(c, pointer->element);
    if (shape->operand_count != 2 || pointer->kind != TYPE_POINTER ||
        shape->operand[0].type != op->type || second.components != first.components ||
        (shape->extended == GLSLstd450Modf ? second.type != first.type
                                           : second.scalar != SCALAR_INT || second.width != 32))
        return compile_fail(c, op, "has operands that do not fit");
    shape->extended =
        shape->extended == GLSLstd450Modf ? GLSLstd450ModfStruct : GLSLstd450FrexpStruct;
    shape->operand_count = 1;
    shape->has_result = true;
    shape->result = (struct shape){.scalar = SCALAR_OTHER, .components = 2 * first.components};
    if (!compile_new_cells(c, shape->result.components, &insn.result))
        return false;
    value_alias(c, op->result, insn.result);
    return decode_selected(c, op, select_extended, decoded, &insn) && compile_emit(c, op, insn) &&
           access_write(c, op, op->operands[3], insn.result + first.components, NULL);
}

bool decode_extended(struct compiler *c, const struct op *op)
{
    struct decoded decoded;
    struct insn insn = {0};
    if (!check_length(c, op, 2, UINT32_MAX))
        return false;
    if (extended_is_skipped(c, op))
        return true;
    if (!c->module->glsl || op->operands[0] != c->module->glsl)
        return compile_fail(c, op, "is of an instruction set that is not supported");
    if (!decode_operands(c, op, "=xei*", &decoded))
        return false;
    decoded.shape.extended = op->operands[1];
    if (op->operands[1] == GLSLstd450Modf || op->operands[1] == GLSLstd450Frexp)
        return decode_two_results(c, op, &decoded);
    decoded.shape.has_result = true;
    decoded.shape.result = check_shape(c, op->type);
    struct shape second = decoded.shape.operand[0];
    if (op->operands[1] == GLSLstd450FrexpStruct) {
        second.scalar = SCALAR_INT;
        second.width = 32;
    }
    if ((op->operands[1] == GLSLstd450ModfStruct || op->operands[1] == GLSLstd450FrexpStruct) &&
        !decode_pair_fits(c, op, decoded.shape.operand[0].type, &second))
        return false;
    return value_result(c, op, &insn.result) &&
           decode_selected(c, op, select_extended, &decoded, &insn) && compile_emit(c, op, insn);
}
