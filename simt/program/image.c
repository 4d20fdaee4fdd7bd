// SPDX-License-Identifier: Apache-2.0
// Storage images. An image's value is the address of its first texel. A texel is four bytes of
// memory: reading or writing one becomes the computation of its address, and a load or store.
#include "program/compiler.h"

#define KNOWN_OPERANDS                                                                             \
    (SpvImageOperandsMakeTexelAvailableMask | SpvImageOperandsMakeTexelVisibleMask |               \
     SpvImageOperandsNonPrivateTexelMask | SpvImageOperandsVolatileTexelMask |                     \
     SpvImageOperandsSignExtendMask | SpvImageOperandsZeroExtendMask)

// The image operands, from operand `at` on, as the memory operands of the same meaning.
static bool read_operands(struct compiler *c, const struct op *op, uint32_t at,
                          struct access_operands *operands)
{
    const uint32_t mask = at < op->operand_count ? op->operands[at++] : 0;
    *operands = (struct access_operands){0};
    if (mask & ~(uint32_t)KNOWN_OPERANDS)
        return compile_fail(c, op, "has image operands that are not supported");
    if (mask & SpvImageOperandsNonPrivateTexelMask)
        operands->mask |= SpvMemoryAccessNonPrivatePointerMask;
    if (mask & SpvImageOperandsVolatileTexelMask)
        operands->mask |= SpvMemoryAccessVolatileMask;
    if (mask & SpvImageOperandsMakeTexelAvailableMask) {
        operands->mask |= SpvMemoryAccessMakePointerAvailableMask;
        if (!access_scope(c, op, &at, &operands->available))
            return false;
    }
    if (mask & SpvImageOperandsMakeTexelVisibleMask) {
        operands->mask |= SpvMemoryAccessMakePointerVisibleMask;
        if (!access_scope(c, op, &at, &operands->visible))
            return false;
    }
    return at == op->operand_count || compile_fail(c, op, "has too many operands");
}

// The image that is operand 0, or that it points to; NULL: neither.
static const struct type *image_type(struct compiler *c, const struct op *op, bool is_pointer)
{
    const struct type *type = module_type(c->module, check_value(c, op, op->operands[0]));
    if (is_pointer && type->kind == TYPE_POINTER)
        type = module_type(c->module, type->element);
    if (type->kind == TYPE_IMAGE)
        return type;
    compile_fail(c, op, "uses %%%u, which is not an image", op->operands[0]);
    return NULL;
}

// Puts the address of the texel at the coordinates, operand 1, of the image into `cell`.
static bool find_texel(struct compiler *c, const struct op *op, const struct type *image,
                       uint32_t cell)
{
    struct insn insn = {.run = image_texel,
                        .components = 1,
                        .width = 64,
                        .operand_width = 64,
                        .result = cell,
                        .operand = {CELL_NONE, CELL_NONE, CELL_NONE, CELL_NONE},
                        .literal = image->count};
    const uint32_t type = check_value(c, op, op->operands[1]);
    const struct shape shape = check_shape(c, type);
    if (!type)
        return false;
    if (shape.scalar != SCALAR_INT || shape.width != 32 || shape.components < image->count)
        return compile_fail(c, op, "has coordinates that are not %u integers of 32 bits",
                            image->count);
    return value_cell(c, op->operands[0], &insn.operand[0]) &&
           value_cell(c, op->operands[1], &insn.operand[1]) && compile_emit(c, op, insn);
}

// Loads a texel into `cell`, or stores it from there.
static bool transfer(struct compiler *c, const struct op *op, const struct type *image,
                     uint32_t cell, const struct access_operands *operands, bool is_store)
{
    struct insn insn = {.run = is_store ? memory_store : memory_load,
                        .components = 1,
                        .width = is_store ? 0 : 32,
                        .operand_width = 64,
                        .result = is_store ? CELL_NONE : cell,
                        .operand = {CELL_NONE, is_store ? cell : CELL_NONE, CELL_NONE, CELL_NONE}};
    const struct pointer whole = {0};
    struct pointer at;
    if (!variables_pointer(c, op->operands[0], &at) || !compile_new_cells(c, 1, &insn.operand[0]) ||
        !find_texel(c, op, image, insn.operand[0]) ||
        !layout_pieces(c, op, image->element, &whole, true, &insn.extra, &insn.extra_count))
        return false;
    access_set_order(c, &at, image->element, operands, is_store, &insn);
    if (is_store)
        variables_written(c, &at, SpvStorageClassImage);
    c->program->memory_operations++;
    return compile_emit(c, op, insn);
}

bool image_load(struct compiler *c, const struct op *op, const struct pointer *at)
{
    uint32_t from, to;
    if (module_type(c->module, op->type)->kind != TYPE_IMAGE)
        return compile_fail(c, op, "loads an array of images");
    return value_cell(c, op->operands[0], &from) && value_result(c, op, &to) &&
           variables_note(c, op->result,
                          (struct pointer){.variable = at->variable, .coherent = at->coherent}) &&
           compile_copy(c, op, to, from, 1);
}

bool image_texel_pointer(struct compiler *c, const struct op *op)
{
    const struct type *result = module_type(c->module, op->type);
    struct pointer at;
    uint32_t cell;
    if (!check_length(c, op, 3, 3) || !check_word(c, op, op->operands[2]))
        return false;
    const struct type *image = image_type(c, op, true);
    if (!image)
        return false;
    if (result->kind != TYPE_POINTER || result->storage != SpvStorageClassImage ||
        result->element != image->element)
        return compile_fail(c, op, "has another type than a pointer to a texel");
    return variables_pointer(c, op->operands[0], &at) && value_result(c, op, &cell) &&
           variables_note(c, op->result,
                          (struct pointer){.variable = at.variable, .coherent = at.coherent}) &&
           find_texel(c, op, image, cell);
}

// The components that the format lacks are 0, 0 and 1.
bool image_read(struct compiler *c, const struct op *op)
{
    const struct type *result = module_type(c->module, op->type);
    struct access_operands operands;
    uint32_t cell;
    if (!check_length(c, op, 2, UINT32_MAX))
        return false;
    const struct type *image = image_type(c, op, false);
    if (!image)
        return false;
    if (result->kind != TYPE_VECTOR || result->count != 4 || result->element != image->element)
        return compile_fail(c, op, "has another type than four components of a texel");
    const bool is_float = module_type(c->module, image->element)->kind == TYPE_FLOAT;
    return read_operands(c, op, 2, &operands) && value_result(c, op, &cell) &&
           compile_preset(c, cell + 1, 0) && compile_preset(c, cell + 2, 0) &&
           compile_preset(c, cell + 3, is_float ? 0x3f800000 : 1) &&
           transfer(c, op, image, cell, &operands, false);
}

bool image_write(struct compiler *c, const struct op *op)
{
    struct access_operands operands;
    uint32_t cell;
    if (!check_length(c, op, 3, UINT32_MAX))
        return false;
    const struct type *image = image_type(c, op, false);
    const uint32_t type = image ? check_value(c, op, op->operands[2]) : 0;
    if (!type)
        return false;
    if (type != image->element && module_type(c->module, type)->element != image->element)
        return compile_fail(c, op, "has a texel of another type than the image's");
    return read_operands(c, op, 3, &operands) && value_cell(c, op->operands[2], &cell) &&
           transfer(c, op, image, cell, &operands, true);
}

bool image_query_size(struct compiler *c, const struct op *op)
{
    const struct shape result = check_shape(c, op->type);
    struct insn insn = {.run = image_size,
                        .components = (uint8_t)result.components,
                        .width = 32,
                        .operand_width = 64,
                        .operand = {CELL_NONE, CELL_NONE, CELL_NONE, CELL_NONE}};
    if (!check_length(c, op, 1, 1))
        return false;
    const struct type *image = image_type(c, op, false);
    if (!image)
        return false;
    if (result.scalar != SCALAR_INT || result.width != 32 || result.components != image->count)
        return compile_fail(c, op, "has another result than %u integers of 32 bits", image->count);
    return value_cell(c, op->operands[0], &insn.operand[0]) && value_result(c, op, &insn.result) &&
           compile_emit(c, op, insn);
}
