// SPDX-License-Identifier: Apache-2.0
// Loads, stores, atomics and other accesses through pointers. With a known pointer to registers
// they are copies between cells.
#include "program/compiler.h"

#define KNOWN_OPERANDS                                                                             \
    (SpvMemoryAccessVolatileMask | SpvMemoryAccessAlignedMask | SpvMemoryAccessNontemporalMask |   \
     SpvMemoryAccessMakePointerAvailableMask | SpvMemoryAccessMakePointerVisibleMask |             \
     SpvMemoryAccessNonPrivatePointerMask)

bool access_scope(struct compiler *c, const struct op *op, uint32_t *at, uint32_t *scope)
{
    int64_t value;
    if (*at >= op->operand_count)
        return compile_fail(c, op, "has too few operands");
    const uint32_t id = op->operands[(*at)++];
    if (!check_word(c, op, id))
        return false;
    if (!value_integer(c, id, &value))
        return compile_fail(c, op, "has a scope that is not a constant: %%%u", id);
    *scope = (uint32_t)value & 0xff;
    return true;
}

// Parses optional memory operands from operand *at on.
static bool read_operands(struct compiler *c, const struct op *op, uint32_t *at,
                          struct access_operands *operands)
{
    *operands = (struct access_operands){0};
    if (*at == op->operand_count)
        return true;
    operands->mask = op->operands[(*at)++];
    if (operands->mask & ~(uint32_t)KNOWN_OPERANDS)
        return compile_fail(c, op, "has memory operands that are not supported");
    if (operands->mask & SpvMemoryAccessAlignedMask && (*at)++ >= op->operand_count)
        return compile_fail(c, op, "has too few operands");
    if (operands->mask & SpvMemoryAccessMakePointerAvailableMask &&
        !access_scope(c, op, at, &operands->available))
        return false;
    return !(operands->mask & SpvMemoryAccessMakePointerVisibleMask) ||
           access_scope(c, op, at, &operands->visible);
}

static bool read_last_operands(struct compiler *c, const struct op *op, uint32_t at,
                               struct access_operands *operands)
{
    if (!read_operands(c, op, &at, operands))
        return false;
    return at == op->operand_count || compile_fail(c, op, "has too many operands");
}

// Whether an access is Coherent or Volatile: by a decoration on the access chain, or on a member of
// the accessed struct.
static bool is_coherent(const struct compiler *c, const struct pointer *at, uint32_t type)
{
    const struct type *t = module_type(c->module, type);
    bool coherent = at->coherent;
    for (uint32_t i = 0; t->kind == TYPE_STRUCT && i < t->count; i++)
        coherent |= t->members[i].coherent || t->members[i].is_volatile;
    return coherent;
}

static uint32_t access_flags(const struct compiler *c, const struct pointer *at, uint32_t type,
                             uint32_t mask)
{
    uint32_t flags = 0;
    if (!c->program->vulkan_memory_model || mask & SpvMemoryAccessNonPrivatePointerMask)
        flags |= ACCESS_NON_PRIVATE;
    if (is_coherent(c, at, type) || mask & SpvMemoryAccessVolatileMask)
        flags |= ACCESS_COHERENT;
    return flags;
}

// The element type of a pointer, which must fit into registers.
static uint32_t pointed_type(struct compiler *c, const struct op *op, uint32_t id,
                             const struct type **pointer)
{
    const uint32_t type = check_value(c, op, id);
    if (!type)
        return 0;
    *pointer = module_type(c->module, type);
    if ((*pointer)->kind != TYPE_POINTER || !check_cells(c, (*pointer)->element)) {
        compile_fail(c, op, "uses %%%u, which points to nothing that can be loaded", id);
        return 0;
    }
    return (*pointer)->element;
}

void access_set_order(const struct compiler *c, const struct pointer *at, uint32_t type,
                      const struct access_operands *operands, bool is_store, struct insn *insn)
{
    const uint32_t mask = operands ? operands->mask : 0;
    insn->flags |= (uint16_t)access_flags(c, at, type, mask);
    if (is_store && mask & SpvMemoryAccessMakePointerAvailableMask) {
        insn->flags |= ACCESS_AVAILABLE;
        insn->literal |= (uint64_t)operands->available << 8;
    }
    if (!is_store && mask & SpvMemoryAccessMakePointerVisibleMask) {
        insn->flags |= ACCESS_VISIBLE;
        insn->literal |= (uint64_t)operands->visible << 8;
    }
}

bool access_order(struct compiler *c, const struct op *op, uint32_t first, bool is_store,
                  struct insn *insn)
{
    struct access_operands operands;
    struct pointer at;
    if (!read_last_operands(c, op, first, &operands) || !variables_pointer(c, op->operands[0], &at))
        return false;
    const uint32_t type = module_type_of(c->module, op->operands[0])->element;
    access_set_order(c, &at, type, &operands, is_store, insn);
    return true;
}

// Whether everything behind a known register pointer exists.
static bool is_known_register(const struct compiler *c, const struct pointer *at, uint32_t count)
{
    return at->known && at->value < c->program->cell_count &&
           count <= c->program->cell_count - at->value;
}

static bool copy_register(struct compiler *c, const struct op *op, uint32_t to, uint32_t from,
                          uint32_t count, uint64_t access)
{
    const uint32_t first = c->program->insn_count;
    if (!compile_copy(c, op, to, from, count))
        return false;
    if (c->program->insn_count > first)
        c->program->insns[first].literal = access;
    return true;
}

// Loads everything behind a pointer into cells, or stores it from cells.
static bool transfer(struct compiler *c, const struct op *op, uint32_t id, uint32_t cell,
                     const struct access_operands *operands, bool is_store)
{
    const struct type *pointer = module_type_of(c->module, id);
    const struct shape shape = check_shape(c, pointer->element);
    const bool in_register = check_in_register(pointer->storage);
    struct insn insn = {.components =
                            (uint8_t)(shape.components > COPY_MAX ? COPY_MAX : shape.components),
                        .width = is_store ? 0 : (uint8_t)shape.width,
                        .operand_width = 64,
                        .result = is_store ? CELL_NONE : cell,
                        .operand = {CELL_NONE, is_store ? cell : CELL_NONE, CELL_NONE, CELL_NONE},
                        .extra_count = shape.components};
    const uint64_t access = REGISTER_ACCESS(is_store, shape.components,
                                            module_size(c->module, pointer->element, false));
    struct pointer at;
    if (!variables_pointer(c, id, &at))
        return false;
    if (in_register && is_known_register(c, &at, shape.components))
        return copy_register(c, op, is_store ? (uint32_t)at.value : cell,
                             is_store ? cell : (uint32_t)at.value, shape.components, access);
    if (!value_cell(c, id, &insn.operand[0]))
        return false;
    if (in_register) {
        insn.run = is_store ? memory_store_register : memory_load_register;
        insn.flags = ACCESS_REGISTER;
        insn.literal = access;
        return compile_emit(c, op, insn);
    }
    insn.run = is_store ? memory_store : memory_load;
    access_set_order(c, &at, pointer->element, operands, is_store, &insn);
    c->program->memory_operations++;
    return layout_pieces(c, op, pointer->element, &at, layout_is_explicit(pointer->storage),
                         &insn.extra, &insn.extra_count) &&
           compile_emit(c, op, insn);
}

bool access_read(struct compiler *c, const struct op *op, uint32_t pointer, uint32_t cell,
                 const struct access_operands *operands)
{
    return transfer(c, op, pointer, cell, operands, false);
}

bool access_may_store(struct compiler *c, const struct op *op, uint32_t id)
{
    const struct type *pointer = module_type_of(c->module, id);
    struct pointer at;
    if (pointer->storage == SpvStorageClassInput ||
        pointer->storage == SpvStorageClassPushConstant ||
        pointer->storage == SpvStorageClassUniformConstant)
        return compile_fail(c, op, "stores where nothing can be stored");
    if (!variables_pointer(c, id, &at))
        return false;
    variables_written(c, &at, pointer->storage);
    return true;
}

bool access_write(struct compiler *c, const struct op *op, uint32_t pointer, uint32_t cell,
                  const struct access_operands *operands)
{
    return access_may_store(c, op, pointer) && transfer(c, op, pointer, cell, operands, true);
}

bool access_load(struct compiler *c, const struct op *op)
{
    const struct type *pointer;
    struct access_operands operands;
    struct pointer at;
    uint32_t cell;
    if (!check_length(c, op, 1, UINT32_MAX))
        return false;
    const uint32_t type = pointed_type(c, op, op->operands[0], &pointer);
    if (!type || !check_same_type(c, op, type, op->type) ||
        !read_last_operands(c, op, 1, &operands) || !variables_pointer(c, op->operands[0], &at))
        return false;
    if (pointer->storage == SpvStorageClassUniformConstant)
        return image_load(c, op, &at);
    // Inputs never change, so their cells are the result.
    if (pointer->storage == SpvStorageClassInput &&
        is_known_register(c, &at, check_cells(c, type))) {
        value_alias(c, op->result, (uint32_t)at.value);
        return true;
    }
    return value_result(c, op, &cell) && access_read(c, op, op->operands[0], cell, &operands);
}

bool access_store(struct compiler *c, const struct op *op)
{
    const struct type *pointer;
    struct access_operands operands;
    uint32_t cell;
    if (!check_length(c, op, 2, UINT32_MAX))
        return false;
    const uint32_t type = pointed_type(c, op, op->operands[0], &pointer);
    const uint32_t value = type ? check_value(c, op, op->operands[1]) : 0;
    return value && check_same_type(c, op, type, value) &&
           read_last_operands(c, op, 2, &operands) && value_cell(c, op->operands[1], &cell) &&
           access_write(c, op, op->operands[0], cell, &operands);
}

bool access_copy_memory(struct compiler *c, const struct op *op)
{
    const struct type *pointer;
    struct access_operands to, from;
    uint32_t at = 2, cell;
    if (!check_length(c, op, 2, UINT32_MAX))
        return false;
    const uint32_t target = pointed_type(c, op, op->operands[0], &pointer);
    const uint32_t source = target ? pointed_type(c, op, op->operands[1], &pointer) : 0;
    if (!source || !check_same_type(c, op, target, source) || !read_operands(c, op, &at, &to))
        return false;
    from = to; // the same operands apply to both
    if (at < op->operand_count && !read_last_operands(c, op, at, &from))
        return false;
    return compile_new_cells(c, check_cells(c, target), &cell) &&
           access_read(c, op, op->operands[1], cell, &from) &&
           access_write(c, op, op->operands[0], cell, &to);
}

bool access_array_length(struct compiler *c, const struct op *op)
{
    struct insn insn = {.run = memory_array_length,
                        .components = 1,
                        .width = 32,
                        .operand_width = 64,
                        .operand = {0, CELL_NONE, CELL_NONE, CELL_NONE}};
    const struct shape result = check_shape(c, op->type);
    if (!check_length(c, op, 2, 2))
        return false;
    const uint32_t id = check_value(c, op, op->operands[0]);
    const struct type *pointer = module_type(c->module, id);
    const struct type *block = module_type(c->module, pointer->element);
    const uint32_t last = op->operands[1];
    if (!id)
        return false;
    if (pointer->kind != TYPE_POINTER || check_in_register(pointer->storage) ||
        pointer->storage == SpvStorageClassWorkgroup || block->kind != TYPE_STRUCT ||
        last >= block->count || result.scalar != SCALAR_INT || result.width != 32)
        return compile_fail(c, op, "is not of a block's runtime array");
    const struct type *array = module_type(c->module, block->members[last].type);
    if (array->kind != TYPE_RUNTIME_ARRAY || !array->stride ||
        block->members[last].offset == UINT32_MAX)
        return compile_fail(c, op, "is not of a runtime array that has a layout");
    insn.literal = (uint64_t)block->members[last].offset << 32 | array->stride;
    return value_cell(c, op->operands[0], &insn.operand[0]) && value_result(c, op, &insn.result) &&
           compile_emit(c, op, insn);
}

// An atomic's operands in SPIR-V's order, and its type: the result's or, for a store, the value's.
static bool check_atomic(struct compiler *c, const struct op *op, const struct decoded *decoded)
{
    const struct shape *operand = decoded->shape.operand;
    const bool is_store = op->opcode == SpvOpAtomicStore;
    const uint32_t type = is_store ? operand[3].type : op->type;
    const struct type *pointer;
    if (pointed_type(c, op, op->operands[0], &pointer) != type)
        return compile_fail(c, op, "has a pointer to another type");
    for (uint32_t i = 1; i < decoded->shape.operand_count; i++) {
        const bool is_word = i < 3 || (i == 3 && op->opcode == SpvOpAtomicCompareExchange);
        if (is_word ? !check_word(c, op, op->operands[i])
                    : !check_same_type(c, op, operand[i].type, type))
            return false;
    }
    return op->opcode == SpvOpAtomicLoad || access_may_store(c, op, op->operands[0]);
}

bool access_atomic(struct compiler *c, const struct op *op)
{
    const struct form *form = decode_form(op->opcode);
    const bool compares = op->opcode == SpvOpAtomicCompareExchange;
    struct decoded decoded;
    struct insn insn = {.result = CELL_NONE};
    struct pointer at;
    if (!decode_operands(c, op, form->operands, &decoded) || !check_atomic(c, op, &decoded) ||
        !variables_pointer(c, op->operands[0], &at))
        return false;
    const SpvStorageClass storage = module_type_of(c->module, op->operands[0])->storage;
    decoded.shape.has_result = op->result;
    if (op->result) {
        decoded.shape.result = check_shape(c, op->type);
        if (!value_result(c, op, &insn.result))
            return false;
    }
    insn.flags = (uint16_t)(ACCESS_NON_PRIVATE | (at.coherent ? ACCESS_COHERENT : 0) |
                            (check_in_register(storage) ? ACCESS_REGISTER : 0));
    if (!decode_selected(c, op, select_atomic, &decoded, &insn))
        return false;
    if (compares) { // pointer, scope, equal, unequal, value, comparator
        uint32_t *extra = c->program->extra + insn.extra;
        extra[0] = decoded.cell[5];
        extra[1] = decoded.cell[3];
        extra[2] = decoded.cell[4];
        insn.extra_count = 3;
        insn.operand[3] = decoded.cell[4];
    }
    c->program->memory_operations++;
    return compile_emit(c, op, insn);
}

// Only memory addresses are visible to a shader as numbers.
bool access_convert_pointer(struct compiler *c, const struct op *op)
{
    const struct type *result = module_type(c->module, op->type);
    if (!check_length(c, op, 1, 1))
        return false;
    const uint32_t id = check_value(c, op, op->operands[0]);
    const struct type *operand = module_type(c->module, id);
    if (!id)
        return false;
    if ((result->kind == TYPE_POINTER && result->storage != SpvStorageClassPhysicalStorageBuffer) ||
        (operand->kind == TYPE_POINTER && operand->storage != SpvStorageClassPhysicalStorageBuffer))
        return compile_fail(c, op, "converts a pointer that is not an address");
    return decode_usual(c, op);
}
