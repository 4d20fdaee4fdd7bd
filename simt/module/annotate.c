// SPDX-License-Identifier: Apache-2.0
// Decorations of ids and members, also through groups.
#include "module/reader.h"

#include <stdlib.h>

// SpvDecorationSaturatedToLargestFloat8NormalConversionEXT, which older headers lack.
#define TO_LARGEST 4216

// All decorations of an id or member.
struct marks {
    struct decorations id;
    struct member member;
    uint32_t stride; // 0 if absent
    bool block, buffer_block;
};

struct decoration_group {
    struct marks marks;
};

static const struct marks no_marks = {
    .id = {.set = UINT32_MAX, UINT32_MAX, UINT32_MAX, .builtin = UINT32_MAX},
    .member = {.offset = UINT32_MAX, .builtin = UINT32_MAX},
};

// Decorations with a numeric value.
static uint32_t *number_of(struct marks *marks, uint32_t decoration)
{
    switch (decoration) {
    case SpvDecorationSpecId:
        return &marks->id.spec_id;
    case SpvDecorationArrayStride:
        return &marks->stride;
    case SpvDecorationMatrixStride:
        return &marks->member.matrix_stride;
    case SpvDecorationBuiltIn:
        return &marks->id.builtin;
    case SpvDecorationBinding:
        return &marks->id.binding;
    case SpvDecorationDescriptorSet:
        return &marks->id.set;
    case SpvDecorationOffset:
        return &marks->member.offset;
    default:
        return NULL;
    }
}

// Adds a decoration. Ignores those that do not matter here: hints, and those that require
// capabilities that are refused.
static bool add_mark(struct reader *reader, struct marks *marks, uint32_t decoration,
                     const uint32_t *operands, uint32_t count)
{
    uint32_t *number = number_of(marks, decoration);
    if (number) {
        if (count != 1)
            return reader_fail(reader, "decoration %u with %u numbers", decoration, count);
        *number = operands[0];
        marks->member.builtin = marks->id.builtin;
        if (operands[0] == 0 &&
            (decoration == SpvDecorationArrayStride || decoration == SpvDecorationMatrixStride))
            return reader_fail(reader, "a stride of 0");
        return true;
    }
    switch (decoration) {
    case SpvDecorationBufferBlock:
        marks->buffer_block = marks->block = true;
        break;
    case SpvDecorationBlock:
        marks->block = true;
        break;
    case SpvDecorationRowMajor:
        marks->member.row_major = true;
        break;
    case SpvDecorationNonWritable:
        marks->id.non_writable = marks->member.non_writable = true;
        break;
    case SpvDecorationNonReadable:
        marks->id.non_readable = true;
        break;
    case SpvDecorationCoherent:
        marks->id.coherent = marks->member.coherent = true;
        break;
    case SpvDecorationVolatile:
        marks->id.is_volatile = marks->member.is_volatile = true;
        break;
    case SpvDecorationAliased:
        marks->id.aliased = true;
        break;
    case SpvDecorationRestrict:
        marks->id.restricted = true;
        break;
    case SpvDecorationNoContraction:
        marks->id.no_contraction = true;
        break;
    case TO_LARGEST:
        marks->id.to_largest = true;
        break;
    case SpvDecorationFPRoundingMode:
        if (count != 1 || operands[0] != SpvFPRoundingModeRTE)
            return reader_fail(reader, "a rounding mode other than RTE is not supported");
        break;
    default:
        break;
    }
    return true;
}

static void set_number(uint32_t *number, uint32_t mark, uint32_t none)
{
    if (mark != none)
        *number = mark;
}

static void mark_member(struct member *member, const struct marks *marks)
{
    set_number(&member->offset, marks->member.offset, UINT32_MAX);
    set_number(&member->builtin, marks->member.builtin, UINT32_MAX);
    set_number(&member->matrix_stride, marks->member.matrix_stride, 0);
    member->row_major |= marks->member.row_major;
    member->non_writable |= marks->member.non_writable;
    member->coherent |= marks->member.coherent;
    member->is_volatile |= marks->member.is_volatile;
}

static void mark_decorations(struct decorations *id, const struct decorations *marks)
{
    set_number(&id->set, marks->set, UINT32_MAX);
    set_number(&id->binding, marks->binding, UINT32_MAX);
    set_number(&id->spec_id, marks->spec_id, UINT32_MAX);
    set_number(&id->builtin, marks->builtin, UINT32_MAX);
    id->non_writable |= marks->non_writable;
    id->non_readable |= marks->non_readable;
    id->coherent |= marks->coherent;
    id->is_volatile |= marks->is_volatile;
    id->aliased |= marks->aliased;
    id->restricted |= marks->restricted;
    id->no_contraction |= marks->no_contraction;
    id->to_largest |= marks->to_largest;
}

// The constant for the workgroup size: three 32-bit integers.
static bool mark_workgroup_size(struct reader *reader, uint32_t target)
{
    struct module *module = reader->module;
    const struct type *type = module_type_of(module, target);
    const struct type *element = module_type(module, type->element);
    if (module->ids[target].kind != ID_CONSTANT || type->kind != TYPE_VECTOR || type->count != 3 ||
        element->kind != TYPE_INT || element->width != 32)
        return reader_fail(reader, "WorkgroupSize: %%%u is not a constant of three integers",
                           target);
    module->workgroup_size = target;
    return true;
}

static bool mark_id(struct reader *reader, uint32_t target, const struct marks *marks)
{
    struct module *module = reader->module;
    if (target >= module->bound || module->ids[target].kind == ID_UNDEFINED)
        return reader_fail(reader, "a decoration of %%%u, which is not defined", target);
    struct id *id = &module->ids[target];
    mark_decorations(&id->decorations, &marks->id);
    if (id->kind == ID_TYPE) {
        set_number(&id->shape.stride, marks->stride, 0);
        id->shape.block |= marks->block;
        id->shape.buffer_block |= marks->buffer_block;
    } else if (marks->id.builtin == SpvBuiltInWorkgroupSize) {
        return mark_workgroup_size(reader, target);
    }
    return true;
}

static struct member *find_member(struct reader *reader, uint32_t target, uint32_t index)
{
    const struct type *type = module_type(reader->module, target);
    if (type->kind == TYPE_STRUCT && index < type->count)
        return &type->members[index];
    reader_fail(reader, "a decoration of member %u of %%%u, which does not exist", index, target);
    return NULL;
}

static struct decoration_group *find_group(const struct reader *reader, uint32_t id)
{
    const bool is_group =
        reader->group_of && id < reader->module->bound && reader->group_of[id] != 0;
    return is_group ? &reader->groups[reader->group_of[id] - 1] : NULL;
}

bool annotate_group(struct reader *reader, uint32_t id)
{
    if (!reader->group_of)
        reader->group_of = calloc(reader->module->bound, sizeof *reader->group_of);
    if (reader->group_count == reader->group_capacity) {
        const uint32_t capacity = reader->group_capacity ? reader->group_capacity * 2 : 16;
        struct decoration_group *groups =
            realloc(reader->groups, capacity * sizeof *reader->groups);
        if (groups) {
            reader->groups = groups;
            reader->group_capacity = capacity;
        }
    }
    if (!reader->group_of || reader->group_count == reader->group_capacity)
        return reader_fail(reader, "out of memory");
    reader->groups[reader->group_count].marks = no_marks;
    reader->group_of[id] = ++reader->group_count;
    return true;
}

static bool apply_group(struct reader *reader, const struct instruction *instruction)
{
    const bool of_members = instruction->opcode == SpvOpGroupMemberDecorate;
    const uint32_t step = of_members ? 2 : 1;
    const struct decoration_group *group =
        instruction->length >= 2 ? find_group(reader, instruction->words[1]) : NULL;
    if (!group || (instruction->length - 2) % step)
        return reader_fail(reader, "malformed %s", module_op_name(instruction->opcode));
    for (uint32_t i = 2; i < instruction->length; i += step) {
        const uint32_t target = instruction->words[i];
        if (!of_members) {
            if (!mark_id(reader, target, &group->marks))
                return false;
            continue;
        }
        struct member *member = find_member(reader, target, instruction->words[i + 1]);
        if (!member)
            return false;
        mark_member(member, &group->marks);
    }
    return true;
}

static bool apply_one(struct reader *reader, const struct instruction *instruction)
{
    const bool of_member = instruction->opcode == SpvOpMemberDecorate;
    const uint32_t first = of_member ? 3 : 2;
    const uint32_t *words = instruction->words;
    if (instruction->length <= first)
        return reader_fail(reader, "malformed %s", module_op_name(instruction->opcode));
    struct marks marks = no_marks;
    struct decoration_group *group = of_member ? NULL : find_group(reader, words[1]);
    if (!add_mark(reader, group ? &group->marks : &marks, words[first], words + first + 1,
                  instruction->length - first - 1))
        return false;
    if (group)
        return true;
    if (!of_member)
        return mark_id(reader, words[1], &marks);
    struct member *member = find_member(reader, words[1], words[2]);
    if (member)
        mark_member(member, &marks);
    return member != NULL;
}

bool annotate_apply(struct reader *reader, const struct instruction *instruction)
{
    switch (instruction->opcode) {
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
        return apply_one(reader, instruction);
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
        return apply_group(reader, instruction);
    default: // OpDecorateId and OpDecorateString do not matter
        return true;
    }
}

void annotate_free(struct reader *reader)
{
    free(reader->groups);
    free(reader->group_of);
}
