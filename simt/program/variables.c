// SPDX-License-Identifier: Apache-2.0
// Variables: cells for Function, Private and Input, addresses for all others. Global ones are
// instantiated when executed code first uses them.
#include "program/compiler.h"

#include <string.h>

static const struct {
    uint16_t builtin;
    uint8_t components;
} builtins[] = {
    {SpvBuiltInNumWorkgroups, 3},
    {SpvBuiltInWorkgroupId, 3},
    {SpvBuiltInLocalInvocationId, 3},
    {SpvBuiltInGlobalInvocationId, 3},
    {SpvBuiltInLocalInvocationIndex, 1},
    {SpvBuiltInSubgroupSize, 1},
    {SpvBuiltInNumSubgroups, 1},
    {SpvBuiltInSubgroupId, 1},
    {SpvBuiltInSubgroupLocalInvocationId, 1},
    {SpvBuiltInSubgroupEqMask, 4},
    {SpvBuiltInSubgroupGeMask, 4},
    {SpvBuiltInSubgroupGtMask, 4},
    {SpvBuiltInSubgroupLeMask, 4},
    {SpvBuiltInSubgroupLtMask, 4},
    {SpvBuiltInDeviceIndex, 1},
};

// A variable being created.
struct variable {
    struct op op; // OpVariable
    uint32_t id, type, element;
    const struct type *pointer;
    uint32_t initialiser; // id, or 0
};

bool variables_note(struct compiler *c, uint32_t id, struct pointer pointer)
{
    if (!COMPILE_ROOM(c, c->pointers, c->pointer_count, 1, pointer_capacity, MODULE_IDS_MAX))
        return false;
    c->pointers[c->pointer_count++] = pointer;
    c->slots[id].pointer = c->pointer_count;
    return true;
}

static bool read_variable(struct compiler *c, const struct op *op, struct variable *variable)
{
    *variable = (struct variable){.op = *op, .id = op->result, .type = op->type};
    variable->pointer = module_type(c->module, op->type);
    variable->element = variable->pointer->element;
    if (variable->pointer->kind != TYPE_POINTER)
        return compile_fail(c, op, "is of a type that is not a pointer");
    if (!check_length(c, op, 1, 2))
        return false;
    if (op->operands[0] != (uint32_t)variable->pointer->storage)
        return compile_fail(c, op, "has another storage class than its type");
    variable->initialiser = op->operand_count > 1 ? op->operands[1] : 0;
    return true;
}

static bool new_cells(struct compiler *c, const struct variable *variable, uint32_t *cell)
{
    const uint32_t count = check_cells(c, variable->element);
    if (!count)
        return compile_fail(c, &variable->op, "has a type that cannot be in registers");
    return compile_new_cells(c, count, cell);
}

static bool check_initialiser(struct compiler *c, const struct variable *variable)
{
    const uint32_t type = check_value(c, &variable->op, variable->initialiser);
    return type && check_same_type(c, &variable->op, type, variable->element);
}

static bool take_undefined(struct compiler *c, const struct op *op,
                           const struct undefined_cells *run)
{
    struct program *program = c->program;
    const bool is_local = op->operands[0] == SpvStorageClassFunction;
    if (!COMPILE_ROOM(c, program->undefined, program->undefined_count, 1, undefined_capacity,
                      PROGRAM_CELLS_MAX))
        return false;
    program->undefined[program->undefined_count++] = (struct undefined_cells){
        .cell = run->cell,
        .count = run->count,
        .width = run->width,
        .function = is_local ? (uint32_t)(c->body - c->bodies) : FUNCTION_NONE,
        .variable = op->result,
    };
    return true;
}

// The initial contents of an uninitialised variable.
static bool leave_undefined(struct compiler *c, const struct variable *variable, uint32_t cell)
{
    return compose_runs(c, &variable->op, variable->element, cell, take_undefined);
}

static bool make_private(struct compiler *c, const struct variable *variable)
{
    struct program *program = c->program;
    uint32_t cell;
    if (!new_cells(c, variable, &cell) ||
        (!variable->initialiser && !leave_undefined(c, variable, cell)))
        return false;
    if (variable->initialiser) {
        const uint32_t count = check_cells(c, variable->element);
        const uint32_t value = c->slots[variable->initialiser].value;
        if (!value)
            return compile_fail(c, &variable->op, "has an initialiser that is not a constant");
        if (!COMPILE_ROOM(c, program->initial, program->initial_count, count, initial_capacity,
                          PROGRAM_CELLS_MAX))
            return false;
        for (uint32_t i = 0; i < count; i++)
            program->initial[program->initial_count++] =
                (struct constant_cell){.cell = cell + i, .value = c->values[value - 1 + i]};
    }
    return variables_note(c, variable->id, (struct pointer){.known = true, .value = cell});
}

static bool make_input(struct compiler *c, const struct variable *variable)
{
    struct program *program = c->program;
    const uint32_t builtin = c->module->ids[variable->id].decorations.builtin;
    const struct shape shape = check_shape(c, variable->element);
    size_t row = 0;
    uint32_t cell;
    while (row < sizeof(builtins) / sizeof(*builtins) && builtins[row].builtin != builtin)
        row++;
    if (row == sizeof(builtins) / sizeof(*builtins))
        return compile_fail(c, &variable->op, "is an input that is not supported");
    if (shape.scalar != SCALAR_INT || shape.width != 32 ||
        shape.components != builtins[row].components)
        return compile_fail(c, &variable->op, "has not the type of its built-in");
    if (!new_cells(c, variable, &cell) ||
        !COMPILE_ROOM(c, program->builtins, program->builtin_count, 1, builtin_capacity,
                      MODULE_IDS_MAX))
        return false;
    program->builtins[program->builtin_count++] =
        (struct builtin_cells){.builtin = builtin, .cell = cell, .components = shape.components};
    return variables_note(c, variable->id, (struct pointer){.known = true, .value = cell});
}

static bool make_shared(struct compiler *c, const struct variable *variable)
{
    struct program *program = c->program;
    const uint64_t size = module_size(c->module, variable->element, false);
    const uint64_t at = (program->shared_size + 15) & ~UINT64_C(15);
    if (!size || size >= UINT64_C(1) << REGION_SHIFT || at >= UINT64_C(1) << (REGION_SHIFT - 1))
        return compile_fail(c, &variable->op, "has a size that is not supported");
    if (variable->initialiser) {
        const uint32_t id = variable->initialiser;
        if (id >= c->module->bound || c->module->ids[id].kind != ID_CONSTANT ||
            (c->module->words[c->module->ids[id].at] & 0xffff) != SpvOpConstantNull)
            return compile_fail(c, &variable->op, "has an initialiser that is not OpConstantNull");
        if (!COMPILE_ROOM(c, program->shared_zero, program->shared_zero_count, 1, zero_capacity,
                          MODULE_IDS_MAX))
            return false;
        program->shared_zero[program->shared_zero_count++] =
            (struct shared_zero){.at = at, .size = size, .variable = variable->op.at};
    }
    program->shared_size = at + size;
    return variables_note(c, variable->id,
                          (struct pointer){.known = true,
                                           .value = region_address(LOCAL_SHARED, at),
                                           .variable = variable->id});
}

static bool make_push(struct compiler *c, const struct variable *variable)
{
    const uint64_t size = module_size(c->module, variable->element, true);
    if (module_type(c->module, variable->element)->kind != TYPE_STRUCT || !size ||
        size > UINT32_MAX)
        return compile_fail(c, &variable->op, "is not a block of push constants");
    if (size > c->program->push_size)
        c->program->push_size = (uint32_t)size;
    return variables_note(c, variable->id,
                          (struct pointer){.known = true,
                                           .value = region_address(LOCAL_PUSH, 0),
                                           .variable = variable->id});
}

// The struct or image of a resource, and the length of the array of it: 0 for a runtime array.
static bool read_block(struct compiler *c, const struct variable *variable,
                       const struct type **block, uint32_t *count)
{
    const struct type *type = module_type(c->module, variable->element);
    *count = 1;
    if (type->kind == TYPE_ARRAY || type->kind == TYPE_RUNTIME_ARRAY) {
        *count = type->kind == TYPE_ARRAY ? type->count : 0;
        type = module_type(c->module, type->element);
    }
    *block = type;
    if (type->kind != TYPE_IMAGE && (type->kind != TYPE_STRUCT || !type->block))
        return compile_fail(c, &variable->op, "is neither a block nor an image");
    return true;
}

static bool make_resource(struct compiler *c, const struct variable *variable)
{
    struct program *program = c->program;
    const struct decorations *decorations = &c->module->ids[variable->id].decorations;
    const struct type *block;
    struct resource resource = {
        .id = variable->id, .set = decorations->set, .binding = decorations->binding};
    if (!read_block(c, variable, &block, &resource.count))
        return false;
    if (decorations->set == UINT32_MAX || decorations->binding == UINT32_MAX)
        return compile_fail(c, &variable->op, "has no descriptor set or binding");
    const bool uniform =
        variable->pointer->storage == SpvStorageClassUniform && !block->buffer_block;
    resource.kind = block->kind == TYPE_IMAGE ? RESOURCE_IMAGE
                    : uniform                 ? RESOURCE_UNIFORM
                                              : RESOURCE_STORAGE;
    resource.first_region = LOCAL_BINDINGS + program->region_count;
    const uint32_t regions = resource.count ? resource.count : RESOURCE_RUNTIME_MAX;
    if (regions > PROGRAM_REGIONS_MAX - program->region_count)
        return compile_fail(c, &variable->op, "needs more than %u descriptors",
                            PROGRAM_REGIONS_MAX);
    program->region_count += regions;
    const struct pointer pointer = {
        .known = true,
        .value = region_address(resource.first_region, 0),
        .variable = variable->id,
        .coherent = decorations->coherent || decorations->is_volatile,
    };
    if (!compile_new_cells(c, 1, &resource.cell) ||
        !compile_preset(c, resource.cell, pointer.value) ||
        !COMPILE_ROOM(c, program->resources, program->resource_count, 1, resource_capacity,
                      MODULE_IDS_MAX))
        return false;
    program->resources[program->resource_count++] = resource;
    c->slots[variable->id].index = program->resource_count;
    c->slots[variable->id].cell = resource.cell + 1;
    return variables_note(c, variable->id, pointer);
}

static bool make_global(struct compiler *c, uint32_t id)
{
    struct variable variable;
    struct op op;
    if (!compile_read(c, c->module->ids[id].at, &op) || op.opcode != SpvOpVariable)
        return compile_fail(c, &op, "is not supported");
    if (!read_variable(c, &op, &variable))
        return false;
    switch (variable.pointer->storage) {
    case SpvStorageClassPrivate:
        if (variable.initialiser && !check_initialiser(c, &variable))
            return false;
        return make_private(c, &variable);
    case SpvStorageClassInput:
        return make_input(c, &variable);
    case SpvStorageClassWorkgroup:
        return make_shared(c, &variable);
    case SpvStorageClassPushConstant:
        return make_push(c, &variable);
    case SpvStorageClassStorageBuffer:
    case SpvStorageClassUniform:
    case SpvStorageClassUniformConstant:
        return make_resource(c, &variable);
    default:
        return compile_fail(c, &op, "has a storage class that is not supported");
    }
}

bool variables_pointer(struct compiler *c, uint32_t id, struct pointer *pointer)
{
    *pointer = (struct pointer){0};
    if (c->module->ids[id].kind == ID_VARIABLE && !c->slots[id].pointer && !make_global(c, id))
        return false;
    if (c->slots[id].pointer)
        *pointer = c->pointers[c->slots[id].pointer - 1];
    return true;
}

bool variables_local(struct compiler *c, const struct op *op)
{
    struct variable variable;
    uint32_t cell, value;
    if (!read_variable(c, op, &variable))
        return false;
    if (variable.pointer->storage != SpvStorageClassFunction)
        return compile_fail(c, op, "is in a function, but not of storage class Function");
    if (!new_cells(c, &variable, &cell) ||
        !variables_note(c, op->result, (struct pointer){.known = true, .value = cell}))
        return false;
    if (!variable.initialiser)
        return leave_undefined(c, &variable, cell);
    return check_initialiser(c, &variable) && value_cell(c, variable.initialiser, &value) &&
           compile_copy(c, op, cell, value, check_cells(c, variable.element));
}

void variables_written(struct compiler *c, const struct pointer *pointer, SpvStorageClass storage)
{
    if (storage != SpvStorageClassStorageBuffer && storage != SpvStorageClassUniform &&
        storage != SpvStorageClassImage)
        return;
    if (!pointer->variable)
        c->stores_anywhere = true;
    else if (c->slots[pointer->variable].index)
        c->program->resources[c->slots[pointer->variable].index - 1].written = true;
}

void variables_finish(struct compiler *c)
{
    struct program *program = c->program;
    for (uint32_t i = 0; c->stores_anywhere && i < program->resource_count; i++)
        program->resources[i].written |= program->resources[i].kind != RESOURCE_UNIFORM;
}
