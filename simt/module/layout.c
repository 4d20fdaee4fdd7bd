// SPDX-License-Identifier: Apache-2.0
// Sizes of types: cells in a register file, bytes in memory. Computed once per type in order of
// declaration, so that there is no recursion.
#include "module/module.h"

#include "module/reader.h"

#define BOOL_BYTES    4
#define POINTER_BYTES 8

// Sums and products saturate at UINT64_MAX.
static uint64_t add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t align(uint64_t offset, uint32_t alignment) // a power of two
{
    return offset > UINT64_MAX - alignment ? UINT64_MAX
                                           : (offset + alignment - 1) & ~(uint64_t)(alignment - 1);
}

static void set_cells(struct type *type, uint64_t cells, bool memory_only)
{
    type->memory_only = memory_only || cells > MODULE_CELLS_MAX;
    type->cells = type->memory_only ? 0 : (uint32_t)cells;
}

static void lay_out_scalar(struct type *type, uint32_t bytes)
{
    type->laid_out = true;
    type->explicit_size = type->natural_size = type->alignment = bytes;
}

// Vectors and matrices are tightly packed.
static void lay_out_vector(const struct module *module, struct type *type)
{
    const struct type *element = module_type(module, type->element);
    type->laid_out = true;
    type->alignment = element->alignment;
    type->natural_size = multiply(type->count, element->natural_size);
    type->explicit_size = type->natural_size;
}

static void lay_out_array(const struct module *module, struct type *type)
{
    const struct type *element = module_type(module, type->element);
    set_cells(type, multiply(type->count, element->cells), element->memory_only);
    type->alignment = element->alignment;
    type->laid_out = type->stride && element->laid_out;
    type->natural_size = multiply(type->count, element->natural_size);
    type->explicit_size = add(multiply(type->count - 1, type->stride), element->explicit_size);
}

static void lay_out_runtime_array(const struct module *module, struct type *type)
{
    const struct type *element = module_type(module, type->element);
    set_cells(type, 0, true);
    type->alignment = element->alignment;
    type->laid_out = type->stride && element->laid_out;
    type->natural_size = type->explicit_size = 0;
}

// A member's size in explicit layout, which gives matrices, also within arrays, their stride.
static uint64_t member_size(const struct module *module, const struct member *member,
                            bool *laid_out)
{
    const struct type *type = module_type(module, member->type);
    *laid_out = type->laid_out && member->offset != UINT32_MAX;
    uint64_t before = 0; // start of the last element
    while (type->kind == TYPE_ARRAY) {
        before = add(before, multiply(type->count - 1, type->stride));
        type = module_type(module, type->element);
    }
    if (type->kind == TYPE_RUNTIME_ARRAY) {
        const struct type *element = type;
        while (element->kind == TYPE_ARRAY || element->kind == TYPE_RUNTIME_ARRAY)
            element = module_type(module, element->element);
        *laid_out = *laid_out && (element->kind != TYPE_MATRIX || member->matrix_stride);
    }
    if (type->kind != TYPE_MATRIX)
        return add(before, type->explicit_size);
    *laid_out = *laid_out && member->matrix_stride;
    const struct type *column = module_type(module, type->element);
    const uint32_t bytes = module_type(module, column->element)->width / 8;
    const uint64_t lines = member->row_major ? column->count : type->count;
    const uint64_t length = member->row_major ? type->count : column->count;
    return add(before, (lines - 1) * member->matrix_stride + length * bytes);
}

static void lay_out_struct(const struct module *module, struct type *type)
{
    uint64_t cells = 0;
    bool memory_only = false;
    type->laid_out = true;
    type->alignment = 1;
    type->natural_size = type->explicit_size = 0;
    for (uint32_t i = 0; i < type->count; i++) {
        struct member *member = &type->members[i];
        const struct type *of = module_type(module, member->type);
        cells = add(cells, of->cells);
        memory_only |= of->memory_only;
        member->natural = align(type->natural_size, of->alignment);
        type->natural_size = add(member->natural, of->natural_size);
        if (type->alignment < of->alignment)
            type->alignment = of->alignment;
        bool laid_out;
        const uint64_t end = add(member->offset, member_size(module, member, &laid_out));
        type->laid_out &= laid_out;
        if (type->explicit_size < end)
            type->explicit_size = end;
    }
    type->natural_size = align(type->natural_size, type->alignment);
    set_cells(type, cells, memory_only);
}

static void lay_out(const struct module *module, struct type *type)
{
    switch (type->kind) {
    case TYPE_BOOL:
        lay_out_scalar(type, BOOL_BYTES);
        break;
    case TYPE_INT:
    case TYPE_FLOAT:
        lay_out_scalar(type, type->width / 8);
        break;
    case TYPE_POINTER:
        lay_out_scalar(type, POINTER_BYTES);
        break;
    case TYPE_VECTOR:
    case TYPE_MATRIX:
        lay_out_vector(module, type);
        break;
    case TYPE_ARRAY:
        lay_out_array(module, type);
        break;
    case TYPE_RUNTIME_ARRAY:
        lay_out_runtime_array(module, type);
        break;
    case TYPE_STRUCT:
        lay_out_struct(module, type);
        break;
    case TYPE_COOPERATIVE: // never in memory as such
        set_cells(type, type->count, false);
        type->alignment = 1;
        break;
    case TYPE_IMAGE: // never in memory; a value has one cell
        type->alignment = 1;
        break;
    case TYPE_NONE:
    case TYPE_VOID:
    case TYPE_FUNCTION:
        break;
    }
}

static bool set_length(struct reader *reader, struct type *type, module_constant *value, void *user)
{
    uint64_t count;
    if (!value(user, type->length, &count))
        return reader_fail(reader, "OpTypeArray: the value of its length %%%u is not known",
                           type->length);
    if (count == 0 || count > UINT32_MAX)
        return reader_fail(reader, "OpTypeArray of length %llu", (unsigned long long)count);
    type->count = (uint32_t)count;
    return true;
}

static bool set_cooperative(struct reader *reader, struct type *type, uint32_t lanes,
                            module_constant *value, void *user)
{
    static const struct {
        const char *name;
        uint32_t least, most;
    } rules[] = {{"scope", SpvScopeSubgroup, SpvScopeSubgroup},
                 {"rows", 1, MODULE_SIDE_MAX},
                 {"columns", 1, MODULE_SIDE_MAX},
                 {"use", 0, 2}};
    uint64_t said[4];
    for (uint32_t i = 0; i < 4; i++) {
        if (!value(user, type->parameters[i], &said[i]))
            return reader_fail(reader, "OpTypeCooperativeMatrixKHR: the value of %%%u is not known",
                               type->parameters[i]);
        if (said[i] < rules[i].least || said[i] > rules[i].most)
            return reader_fail(
                reader, "OpTypeCooperativeMatrixKHR with %s %llu, supported are %u to %u",
                rules[i].name, (unsigned long long)said[i], rules[i].least, rules[i].most);
    }
    type->rows = (uint32_t)said[1];
    type->columns = (uint32_t)said[2];
    type->use = (uint32_t)said[3];
    type->count = (type->rows * type->columns + lanes - 1) / lanes;
    return true;
}

// Checks that everything in a register file is small enough.
static bool check_registers(struct reader *reader)
{
    const struct module *module = reader->module;
    for (uint32_t i = 0; i < module->bound; i++) {
        const struct id *id = &module->ids[i];
        const struct type *held = module_type(module, 0);
        if (id->kind == ID_CONSTANT || id->kind == ID_VALUE)
            held = module_type(module, id->type);
        else if (id->kind == ID_TYPE && id->shape.kind == TYPE_POINTER &&
                 (id->shape.storage == SpvStorageClassFunction ||
                  id->shape.storage == SpvStorageClassPrivate ||
                  id->shape.storage == SpvStorageClassInput))
            held = module_type(module, id->shape.element);
        reader->at = id->at;
        if (held->memory_only)
            return reader_fail(reader,
                               "%%%u holds a runtime array or more than %u scalars, "
                               "which only memory can",
                               i, MODULE_CELLS_MAX);
    }
    return true;
}

bool module_specialise(struct module *module, uint32_t lanes, module_constant *value, void *user,
                       char *error, size_t size)
{
    struct reader reader = {.module = module, .error = error, .error_size = size};
    struct instruction instruction;
    for (uint32_t at = module->first_declaration;
         instruction_next(module, &at, module->first_function, &instruction);) {
        bool has_result, has_type;
        op_results(instruction.opcode, &has_result, &has_type);
        const bool is_forward = instruction.opcode == SpvOpTypeForwardPointer;
        if (!is_forward && (!has_result || has_type))
            continue;
        reader.at = instruction.at;
        struct type *type = &module->ids[instruction.words[1]].shape;
        if (type->kind == TYPE_ARRAY && !set_length(&reader, type, value, user))
            return false;
        if (type->kind == TYPE_COOPERATIVE && !set_cooperative(&reader, type, lanes, value, user))
            return false;
        lay_out(module, type);
    }
    return check_registers(&reader);
}

uint64_t module_size(const struct module *module, uint32_t type, bool explicit_layout)
{
    const struct type *of = module_type(module, type);
    if (explicit_layout)
        return of->laid_out ? of->explicit_size : 0;
    return of->natural_size;
}

uint64_t module_alignment(const struct module *module, uint32_t type)
{
    return module_type(module, type)->alignment;
}

uint64_t module_offset(const struct module *module, uint32_t type, uint64_t index,
                       bool explicit_layout)
{
    const struct type *of = module_type(module, type);
    switch (of->kind) {
    case TYPE_STRUCT:
        if (index >= of->count || (explicit_layout && of->members[index].offset == UINT32_MAX))
            return 0;
        return explicit_layout ? of->members[index].offset : of->members[index].natural;
    case TYPE_ARRAY:
    case TYPE_RUNTIME_ARRAY:
    case TYPE_POINTER:
        if (explicit_layout)
            return multiply(index, of->stride);
        return multiply(index, module_type(module, of->element)->natural_size);
    case TYPE_VECTOR:
    case TYPE_MATRIX:
        return multiply(index, module_type(module, of->element)->natural_size);
    default:
        return 0;
    }
}
