// SPDX-License-Identifier: Apache-2.0
// Access chains. Constant indices are summed at compile time; a chain from a variable without other
// indices is known and needs no instruction.
#include "program/compiler.h"

struct walk {
    const struct op *op;
    uint32_t type;         // type reached so far
    bool in_register;      // unit is cells, otherwise bytes
    bool is_explicit;      // layout
    bool is_blocks;        // at an array of blocks or images: the next index selects a region
    bool is_bad;           // an index is out of bounds
    struct pointer at;     // what is known of the pointer
    uint64_t region;       // constant part that selects a region
    uint64_t offset;       // sum of the other constant indices
    uint32_t first, count; // the other indices, in program->extra
};

static bool add_index(struct compiler *c, struct walk *walk, uint32_t id, uint64_t stride,
                      uint32_t bound)
{
    const uint32_t type = check_value(c, walk->op, id);
    const struct shape shape = check_shape(c, type);
    uint64_t *sum = walk->is_blocks ? &walk->region : &walk->offset;
    uint32_t at, cell;
    int64_t value;
    if (!type)
        return false;
    if (shape.scalar != SCALAR_INT || shape.components != 1)
        return compile_fail(c, walk->op, "has an index that is not an integer: %%%u", id);
    if (value_integer(c, id, &value)) {
        walk->is_bad |= bound && (uint64_t)value >= bound; // negative indices wrap to large ones
        *sum += (uint64_t)value * stride;
        return true;
    }
    if (!value_cell(c, id, &cell) || !compile_extra(c, CHAIN_WORDS, &at))
        return false;
    uint32_t *words = c->program->extra + at;
    words[0] = cell;
    words[1] = shape.width;
    words[2] = shape.is_signed;
    words[3] = (uint32_t)stride;
    words[4] = (uint32_t)(stride >> 32);
    words[5] = bound;
    if (!walk->count++)
        walk->first = at;
    return true;
}

static bool step_into_struct(struct compiler *c, struct walk *walk, uint32_t id)
{
    uint32_t part = 0, cell;
    uint64_t offset = 0;
    int64_t index;
    if (!value_integer(c, id, &index) || index < 0 || index > UINT32_MAX ||
        !layout_part(c, walk->type, (uint32_t)index, &part, &cell))
        return compile_fail(c, walk->op, "has an index %%%u that is not a member of %%%u", id,
                            walk->type);
    if (!walk->in_register && !layout_member(c, walk->op, walk->type, (uint32_t)index,
                                             walk->is_explicit, &walk->at, &offset))
        return false;
    walk->offset += walk->in_register ? cell : offset;
    walk->at.array_stride = 0;
    walk->type = part;
    return true;
}

static bool step(struct compiler *c, struct walk *walk, uint32_t id)
{
    const struct type *type = module_type(c->module, walk->type);
    uint32_t bound = type->count;
    uint64_t stride;
    switch (type->kind) {
    case TYPE_STRUCT:
        return step_into_struct(c, walk, id);
    case TYPE_RUNTIME_ARRAY:
        if (walk->in_register)
            return compile_fail(c, walk->op, "indexes a runtime array that is in registers");
        bound = walk->is_blocks ? RESOURCE_RUNTIME_MAX : 0;
        break;
    case TYPE_ARRAY:
    case TYPE_MATRIX:
    case TYPE_VECTOR:
    case TYPE_COOPERATIVE:
        break;
    default:
        return compile_fail(c, walk->op, "has too many indices");
    }
    if (walk->is_blocks)
        stride = region_address(1, 0);
    else if (walk->in_register)
        stride = check_cells(c, type->element);
    else if (!layout_stride(c, walk->op, walk->type, walk->is_explicit, &walk->at, &stride))
        return false;
    if (!add_index(c, walk, id, stride, bound))
        return false;
    walk->at.array_stride = walk->is_blocks || walk->in_register ? 0 : stride;
    walk->is_blocks = false;
    walk->type = type->element;
    return true;
}

static bool is_array_of_blocks(const struct compiler *c, const struct type *pointer)
{
    const struct type *array = module_type(c->module, pointer->element);
    const struct type *element = module_type(c->module, array->element);
    return (pointer->storage == SpvStorageClassStorageBuffer ||
            pointer->storage == SpvStorageClassUniform ||
            pointer->storage == SpvStorageClassUniformConstant) &&
           (array->kind == TYPE_ARRAY || array->kind == TYPE_RUNTIME_ARRAY) &&
           (element->block || element->kind == TYPE_IMAGE);
}

// The chain's pointer, if it is always the same.
static uint64_t known_value(const struct walk *walk)
{
    const uint64_t base = walk->at.value;
    if (walk->is_bad || base == POINTER_BAD)
        return POINTER_BAD;
    if (walk->in_register)
        return base + walk->offset;
    const uint64_t offset = (base & OFFSET_MASK) + walk->offset;
    return offset > OFFSET_MASK ? POINTER_BAD : (base & ~OFFSET_MASK) + walk->region + offset;
}

static bool finish(struct compiler *c, struct walk *walk, uint32_t base)
{
    const struct op *op = walk->op;
    uint32_t cell, result;
    walk->at.known &= !walk->count;
    if (walk->is_bad || (walk->at.known && walk->at.value == POINTER_BAD)) {
        walk->at.known = true;
        walk->at.value = POINTER_BAD;
    }
    if (walk->at.known) {
        walk->at.value = known_value(walk);
        return variables_note(c, op->result, walk->at);
    }
    if (!value_cell(c, base, &cell) || !value_result(c, op, &result) ||
        !variables_note(c, op->result, walk->at))
        return false;
    return compile_emit(c, op,
                        (struct insn){.run = memory_chain,
                                      .components = 1,
                                      .width = 64,
                                      .operand_width = 64,
                                      .flags = walk->in_register ? ACCESS_REGISTER : 0,
                                      .result = result,
                                      .operand = {cell, CELL_NONE, CELL_NONE, CELL_NONE},
                                      .extra = walk->first,
                                      .extra_count = walk->count,
                                      .literal = walk->region + walk->offset});
}

static bool begin(struct compiler *c, struct walk *walk, const struct op *op)
{
    *walk = (struct walk){.op = op};
    if (!check_length(c, op, 1, UINT32_MAX))
        return false;
    const uint32_t id = check_value(c, op, op->operands[0]);
    const struct type *pointer = module_type(c->module, id);
    if (!id)
        return false;
    if (pointer->kind != TYPE_POINTER)
        return compile_fail(c, op, "has a base that is not a pointer");
    walk->type = pointer->element;
    walk->in_register = check_in_register(pointer->storage);
    walk->is_explicit = layout_is_explicit(pointer->storage);
    walk->is_blocks = is_array_of_blocks(c, pointer);
    return variables_pointer(c, op->operands[0], &walk->at);
}

static bool walk_on(struct compiler *c, struct walk *walk, uint32_t first)
{
    const struct op *op = walk->op;
    const struct type *result = module_type(c->module, op->type);
    const struct type *base = module_type_of(c->module, op->operands[0]);
    for (uint32_t i = first; i < op->operand_count; i++) {
        if (!step(c, walk, op->operands[i]))
            return false;
    }
    if (result->kind != TYPE_POINTER || result->storage != base->storage ||
        result->element != walk->type)
        return compile_fail(c, op, "has another type than what it points to");
    return finish(c, walk, op->operands[0]);
}

bool chain_access(struct compiler *c, const struct op *op)
{
    struct walk walk;
    return begin(c, &walk, op) && walk_on(c, &walk, 1);
}

// The stride in bytes of values of a type in an array without a stride.
static uint64_t packed_stride(const struct compiler *c, const struct walk *walk)
{
    const uint64_t alignment = module_alignment(c->module, walk->type);
    const uint64_t size = module_size(c->module, walk->type, walk->is_explicit);
    return alignment ? (size + alignment - 1) / alignment * alignment : size;
}

// Starts at an array element in memory. *stride: bytes between elements; 0 if the layout is
// explicit but the pointer's type has no stride.
static bool begin_in_array(struct compiler *c, struct walk *walk, const struct op *op,
                           uint64_t *stride)
{
    if (!begin(c, walk, op))
        return false;
    if (walk->in_register || walk->is_blocks)
        return compile_fail(c, op, "has a base that is not in an array in memory");
    *stride = walk->is_explicit ? module_type_of(c->module, op->operands[0])->stride
                                : packed_stride(c, walk);
    return true;
}

static bool check_stride(struct compiler *c, const struct op *op, uint64_t stride)
{
    return (stride && !(stride >> REGION_SHIFT)) ||
           compile_fail(c, op, "has a base whose type has no stride, or too great a one");
}

// OpPtrAccessChain: the first index moves within the array that contains the base's element.
bool chain_pointer_access(struct compiler *c, const struct op *op)
{
    struct walk walk;
    uint64_t stride;
    return check_length(c, op, 2, UINT32_MAX) && begin_in_array(c, &walk, op, &stride) &&
           check_stride(c, op, stride) && add_index(c, &walk, op->operands[1], stride, 0) &&
           walk_on(c, &walk, 2);
}

// OpPtrDiff: the index by which OpPtrAccessChain leads from the second pointer to the first.
bool chain_pointer_difference(struct compiler *c, const struct op *op)
{
    const struct shape result = check_shape(c, op->type);
    struct insn insn = {.run = memory_difference,
                        .components = 1,
                        .width = (uint8_t)result.width,
                        .operand_width = 64,
                        .operand = {CELL_NONE, CELL_NONE, CELL_NONE, CELL_NONE}};
    struct walk walk;
    struct pointer other;
    if (!check_length(c, op, 2, 2) || !begin_in_array(c, &walk, op, &insn.literal))
        return false;
    const uint32_t type = check_value(c, op, op->operands[1]);
    if (!type || !check_same_type(c, op, type, c->module->ids[op->operands[0]].type) ||
        !variables_pointer(c, op->operands[1], &other))
        return false;
    if (result.scalar != SCALAR_INT || result.components != 1)
        return compile_fail(c, op, "has a result that is not an integer");
    if (!insn.literal)
        insn.literal = walk.at.array_stride ? walk.at.array_stride : other.array_stride;
    if (!insn.literal)
        insn.literal = packed_stride(c, &walk);
    return check_stride(c, op, insn.literal) && value_cell(c, op->operands[0], &insn.operand[0]) &&
           value_cell(c, op->operands[1], &insn.operand[1]) && value_result(c, op, &insn.result) &&
           compile_emit(c, op, insn);
}
