// SPDX-License-Identifier: Apache-2.0
// Declarations: types, constants, variables, and function headers.
#include "module/reader.h"

#include <stdlib.h>

#define COMPONENTS_MAX 4 // of vectors; columns of matrices

static bool wrong(struct reader *reader, const struct instruction *instruction)
{
    return reader_fail(reader, "malformed %s", module_op_name(instruction->opcode));
}

static bool is_scalar(const struct type *type)
{
    return type->kind == TYPE_BOOL || type->kind == TYPE_INT || type->kind == TYPE_FLOAT;
}

// Whether values or variables can have a type.
static bool is_data(const struct type *type)
{
    return type->kind != TYPE_NONE && type->kind != TYPE_VOID && type->kind != TYPE_FUNCTION;
}

// Uses type `element` as part of `type`: fails if it is no data type.
static bool add_part(struct reader *reader, const struct instruction *instruction,
                     struct type *type, uint32_t element)
{
    const struct type *part = module_type(reader->module, element);
    const bool is_array =
        instruction->opcode == SpvOpTypeArray || instruction->opcode == SpvOpTypeRuntimeArray;
    if (!is_data(part) || (!is_array && module_has_images(reader->module, element)))
        return reader_fail(reader, "%s of %%%u, which is not a type that it can hold",
                           module_op_name(instruction->opcode), element);
    if (type->depth <= part->depth)
        type->depth = part->depth + 1;
    if (type->depth > MODULE_DEPTH_MAX)
        return reader_fail(reader, "types are nested more than %d deep", MODULE_DEPTH_MAX);
    return true;
}

// The encoding of a float, the last operand; false if it is not supported.
static bool take_encoding(const struct instruction *instruction, struct type *type)
{
    // SpvFPEncoding, which older headers lack.
    static const struct {
        uint32_t width, encoding;
    } known[] = {
        [ENCODING_BFLOAT16] = {16, 0}, [ENCODING_E4M3] = {8, 4214}, [ENCODING_E5M2] = {8, 4215}};
    for (uint32_t i = ENCODING_BFLOAT16; i <= ENCODING_E5M2; i++)
        if (instruction->words[2] == known[i].width && instruction->words[3] == known[i].encoding)
            type->encoding = (enum encoding)i;
    return type->encoding;
}

static bool declare_number(struct reader *reader, const struct instruction *instruction,
                           struct type *type)
{
    const bool is_int = instruction->opcode == SpvOpTypeInt;
    if (!is_int && instruction->length == 4 && !take_encoding(instruction, type))
        return reader_fail(reader, "OpTypeFloat of %u bits with encoding %u is not supported",
                           instruction->words[2], instruction->words[3]);
    if (instruction->length != (is_int || type->encoding ? 4 : 3) ||
        (is_int && instruction->words[3] > 1))
        return wrong(reader, instruction);
    type->kind = is_int ? TYPE_INT : TYPE_FLOAT;
    type->width = instruction->words[2];
    type->is_signed = is_int ? instruction->words[3] : true;
    type->cells = 1;
    if (type->width != 16 && type->width != 32 && type->width != 64 &&
        ((!is_int && !type->encoding) || type->width != 8))
        return reader_fail(reader, "%s of %u bits", module_op_name(instruction->opcode),
                           type->width);
    return true;
}

static bool declare_vector(struct reader *reader, const struct instruction *instruction,
                           struct type *type)
{
    if (instruction->length != 4)
        return wrong(reader, instruction);
    const bool is_matrix = instruction->opcode == SpvOpTypeMatrix;
    type->kind = is_matrix ? TYPE_MATRIX : TYPE_VECTOR;
    type->element = instruction->words[2];
    type->count = instruction->words[3];
    if (type->count < 2 || type->count > COMPONENTS_MAX)
        return reader_fail(reader, "%s with %u %s", module_op_name(instruction->opcode),
                           type->count, is_matrix ? "columns" : "components");
    if (!add_part(reader, instruction, type, type->element))
        return false;
    const struct type *element = module_type(reader->module, type->element);
    const struct type *part = module_type(reader->module, element->element);
    if (is_matrix ? element->kind != TYPE_VECTOR || part->kind != TYPE_FLOAT || part->encoding
                  : !is_scalar(element))
        return wrong(reader, instruction);
    type->cells = type->count * element->cells;
    return true;
}

static bool declare_array(struct reader *reader, const struct instruction *instruction,
                          struct type *type)
{
    const struct module *module = reader->module;
    const bool is_sized = instruction->opcode == SpvOpTypeArray;
    if (instruction->length != (is_sized ? 4 : 3))
        return wrong(reader, instruction);
    type->kind = is_sized ? TYPE_ARRAY : TYPE_RUNTIME_ARRAY;
    type->element = instruction->words[2];
    if (!add_part(reader, instruction, type, type->element))
        return false;
    if (module_type(module, type->element)->kind == TYPE_RUNTIME_ARRAY)
        return reader_fail(reader, "%s of runtime arrays", module_op_name(instruction->opcode));
    if (!is_sized)
        return true;
    type->length = instruction->words[3];
    if (module_type_of(module, type->length)->kind != TYPE_INT ||
        module->ids[type->length].kind != ID_CONSTANT)
        return reader_fail(reader, "OpTypeArray: the length %%%u is not an integer constant",
                           type->length);
    return true;
}

static bool declare_struct(struct reader *reader, const struct instruction *instruction,
                           struct type *type)
{
    type->kind = TYPE_STRUCT;
    type->count = instruction->length - 2;
    type->depth = 1;
    type->members = calloc(type->count ? type->count : 1, sizeof *type->members);
    if (!type->members)
        return reader_fail(reader, "out of memory");
    for (uint32_t i = 0; i < type->count; i++) {
        const uint32_t member = instruction->words[2 + i];
        type->members[i] =
            (struct member){.type = member, .offset = UINT32_MAX, .builtin = UINT32_MAX};
        if (!add_part(reader, instruction, type, member))
            return false;
        if (module_type(reader->module, member)->kind == TYPE_RUNTIME_ARRAY && i + 1 < type->count)
            return reader_fail(reader, "a runtime array is not a struct's last member");
    }
    return true;
}

static bool is_supported_storage(uint32_t storage)
{
    switch (storage) {
    case SpvStorageClassInput:
    case SpvStorageClassUniform:
    case SpvStorageClassWorkgroup:
    case SpvStorageClassPrivate:
    case SpvStorageClassFunction:
    case SpvStorageClassPushConstant:
    case SpvStorageClassStorageBuffer:
    case SpvStorageClassPhysicalStorageBuffer:
    case SpvStorageClassUniformConstant:
    case SpvStorageClassImage:
        return true;
    default:
        return false;
    }
}

static bool check_storage(struct reader *reader, uint32_t storage)
{
    return is_supported_storage(storage) ||
           reader_fail(reader, "storage class %s (%u) is not supported", storage_name(storage),
                       storage);
}

// Also completes a forward declaration, whose storage class must match.
static bool declare_pointer(struct reader *reader, const struct instruction *instruction,
                            struct type *type)
{
    if (instruction->length != 4)
        return wrong(reader, instruction);
    const uint32_t storage = instruction->words[2];
    if (!check_storage(reader, storage))
        return false;
    if (type->kind == TYPE_POINTER) {
        reader->forward--;
        if ((uint32_t)type->storage != storage)
            return reader_fail(reader, "OpTypePointer and OpTypeForwardPointer differ");
    }
    if (!is_data(module_type(reader->module, instruction->words[3])) ||
        module_has_images(reader->module, instruction->words[3]) !=
            (storage == SpvStorageClassUniformConstant))
        return reader_fail(reader,
                           "OpTypePointer to %%%u, which is not a type that it can point to",
                           instruction->words[3]);
    type->kind = TYPE_POINTER;
    type->storage = (SpvStorageClass)storage;
    type->element = instruction->words[3];
    type->cells = type->depth = 1;
    return true;
}

static bool declare_forward(struct reader *reader, const struct instruction *instruction)
{
    const uint32_t result = instruction->length == 3 ? instruction->words[1] : 0;
    if (result == 0 || result >= reader->module->bound)
        return wrong(reader, instruction);
    struct id *id = &reader->module->ids[result];
    if (id->kind != ID_UNDEFINED)
        return reader_fail(reader, "OpTypeForwardPointer of %%%u, which is defined", result);
    if (instruction->words[2] != SpvStorageClassPhysicalStorageBuffer)
        return reader_fail(reader, "OpTypeForwardPointer of storage class %s (%u)",
                           storage_name(instruction->words[2]), instruction->words[2]);
    id->kind = ID_TYPE;
    id->at = instruction->at;
    id->shape = (struct type){.kind = TYPE_POINTER, .cells = 1, .depth = 1};
    id->shape.storage = SpvStorageClassPhysicalStorageBuffer;
    reader->forward++;
    return true;
}

static bool declare_function_type(struct reader *reader, const struct instruction *instruction,
                                  struct type *type)
{
    if (instruction->length < 3)
        return wrong(reader, instruction);
    type->kind = TYPE_FUNCTION;
    type->element = instruction->words[2];
    type->parameters = instruction->words + 3;
    type->count = instruction->length - 3;
    const struct type *returned = module_type(reader->module, type->element);
    if (returned->kind != TYPE_VOID && !is_data(returned))
        return wrong(reader, instruction);
    for (uint32_t i = 0; i < type->count; i++)
        if (!is_data(module_type(reader->module, type->parameters[i])))
            return wrong(reader, instruction);
    return true;
}

static bool declare_cooperative(struct reader *reader, const struct instruction *instruction,
                                struct type *type)
{
    const struct module *module = reader->module;
    if (instruction->length != 7)
        return wrong(reader, instruction);
    type->kind = TYPE_COOPERATIVE;
    type->element = instruction->words[2];
    type->parameters = instruction->words + 3;
    if (!add_part(reader, instruction, type, type->element))
        return false;
    const enum type_kind element = module_type(module, type->element)->kind;
    if (element != TYPE_INT && element != TYPE_FLOAT)
        return wrong(reader, instruction);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t id = type->parameters[i];
        if (module_type_of(module, id)->kind != TYPE_INT || module->ids[id].kind != ID_CONSTANT)
            return reader_fail(reader, "%s: %%%u is not an integer constant",
                               module_op_name(instruction->opcode), id);
    }
    return true;
}

// Images for storage, with texels of 32 bits.
static bool declare_image(struct reader *reader, const struct instruction *instruction,
                          struct type *type)
{
    if (instruction->length != 9)
        return wrong(reader, instruction);
    const uint32_t *words = instruction->words; // depth is words[4]
    const struct type *texel = module_type(reader->module, words[2]);
    const uint32_t dim = words[3], arrayed = words[5], several = words[6], sampled = words[7];
    const uint32_t format = texel->kind == TYPE_FLOAT ? SpvImageFormatR32f
                            : texel->is_signed        ? SpvImageFormatR32i
                                                      : SpvImageFormatR32ui;
    if ((texel->kind != TYPE_INT && texel->kind != TYPE_FLOAT) || texel->width != 32 ||
        words[8] != format || dim > SpvDim3D || arrayed > (dim != SpvDim3D) || several ||
        sampled != 2)
        return reader_fail(reader, "OpTypeImage: supported are storage images of 1 to 3 dimensions "
                                   "in the formats R32i, R32ui and R32f");
    type->kind = TYPE_IMAGE;
    type->element = words[2];
    type->count = dim - SpvDim1D + 1 + arrayed;
    type->cells = 1;
    return true;
}

bool declare_type(struct reader *reader, const struct instruction *instruction)
{
    if (instruction->opcode == SpvOpTypeForwardPointer)
        return declare_forward(reader, instruction);
    struct type *type = &reader->module->ids[instruction->words[1]].shape;
    type->depth = 1;
    switch (instruction->opcode) {
    case SpvOpTypeVoid:
    case SpvOpTypeBool:
        type->kind = instruction->opcode == SpvOpTypeBool ? TYPE_BOOL : TYPE_VOID;
        type->cells = type->kind == TYPE_BOOL;
        type->width = type->kind == TYPE_BOOL;
        return instruction->length == 2 || wrong(reader, instruction);
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        return declare_number(reader, instruction, type);
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
        return declare_vector(reader, instruction, type);
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
        return declare_array(reader, instruction, type);
    case SpvOpTypeStruct:
        return declare_struct(reader, instruction, type);
    case SpvOpTypePointer:
        return declare_pointer(reader, instruction, type);
    case SpvOpTypeFunction:
        return declare_function_type(reader, instruction, type);
    case SpvOpTypeImage:
        return declare_image(reader, instruction, type);
    case SpvOpTypeCooperativeMatrixKHR:
        return declare_cooperative(reader, instruction, type);
    default:
        return reader_fail(reader, "%s is not supported", module_op_name(instruction->opcode));
    }
}

// Checks a composite constant: constituents are known and have the right types.
static bool check_composite(struct reader *reader, const struct instruction *instruction,
                            const struct type *type)
{
    const struct module *module = reader->module;
    const uint32_t count = instruction->length - 3;
    const bool is_cooperative = type->kind == TYPE_COOPERATIVE; // one value for all components
    if (type->kind != TYPE_STRUCT && type->kind != TYPE_ARRAY && type->kind != TYPE_VECTOR &&
        type->kind != TYPE_MATRIX && !is_cooperative)
        return wrong(reader, instruction);
    if (type->kind != TYPE_ARRAY && count != (is_cooperative ? 1 : type->count))
        return reader_fail(reader, "%s of %u parts, where its type has %u",
                           module_op_name(instruction->opcode), count,
                           is_cooperative ? 1 : type->count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t part = instruction->words[3 + i];
        const uint32_t wanted = type->kind == TYPE_STRUCT ? type->members[i].type : type->element;
        if (part >= module->bound || module->ids[part].kind != ID_CONSTANT ||
            module->ids[part].type != wanted)
            return reader_fail(reader, "%s: %%%u is not a constant of type %%%u",
                               module_op_name(instruction->opcode), part, wanted);
    }
    return true;
}

static bool check_constant(struct reader *reader, const struct instruction *instruction)
{
    const struct type *type = module_type(reader->module, instruction->words[1]);
    bool good = is_data(type) && !module_has_images(reader->module, instruction->words[1]);
    switch (instruction->opcode) {
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
        good = type->kind == TYPE_BOOL && instruction->length == 3;
        break;
    case SpvOpConstant:
    case SpvOpSpecConstant:
        good = (type->kind == TYPE_INT || type->kind == TYPE_FLOAT) &&
               instruction->length == (type->width == 64 ? 5 : 4);
        break;
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        return check_composite(reader, instruction, type);
    case SpvOpSpecConstantOp:
        good = good && instruction->length >= 4;
        break;
    default: // OpConstantNull, OpUndef
        good = good && instruction->length == 3;
        break;
    }
    return good || wrong(reader, instruction);
}

static bool check_variable(struct reader *reader, const struct instruction *instruction)
{
    const struct module *module = reader->module;
    const struct type *type = module_type(module, instruction->words[1]);
    if (instruction->length < 4 || instruction->length > 5 || type->kind != TYPE_POINTER ||
        (uint32_t)type->storage != instruction->words[3])
        return wrong(reader, instruction);
    if (type->storage == SpvStorageClassFunction ||
        type->storage == SpvStorageClassPhysicalStorageBuffer)
        return reader_fail(reader, "OpVariable of storage class %s outside a function",
                           storage_name(type->storage));
    if (instruction->length == 5) {
        const uint32_t initial = instruction->words[4];
        if (initial >= module->bound ||
            (module->ids[initial].kind != ID_CONSTANT && module->ids[initial].kind != ID_VARIABLE))
            return reader_fail(reader, "OpVariable: the initializer %%%u is not a constant",
                               initial);
    }
    return true;
}

static bool check_function(struct reader *reader, const struct instruction *instruction)
{
    if (instruction->length != 5)
        return wrong(reader, instruction);
    const struct type *type = module_type(reader->module, instruction->words[4]);
    if (type->kind != TYPE_FUNCTION || type->element != instruction->words[1])
        return reader_fail(reader, "OpFunction: %%%u is not a function type with this result",
                           instruction->words[4]);
    return true;
}

static bool check_extended(struct reader *reader, const struct instruction *instruction)
{
    const struct module *module = reader->module;
    const uint32_t set = instruction->length >= 5 ? instruction->words[3] : 0;
    if (set >= module->bound || module->ids[set].kind != ID_EXTENDED)
        return wrong(reader, instruction);
    return set != module->glsl || reader_fail(reader, "%s of GLSL.std.450 outside a function",
                                              module_op_name(instruction->opcode));
}

bool declare_other(struct reader *reader, const struct instruction *instruction)
{
    switch (instruction->opcode) {
    case SpvOpFunction:
        return check_function(reader, instruction);
    case SpvOpDecorationGroup:
        return annotate_group(reader, instruction->words[1]);
    case SpvOpVariable:
        return reader->function ? true : check_variable(reader, instruction);
    case SpvOpExtInst:
    case SpvOpExtInstWithForwardRefsKHR:
        return reader->function ? true : check_extended(reader, instruction);
    default:
        if (!reader->function && section_of(instruction->opcode) == SECTION_DECLARATION)
            return check_constant(reader, instruction);
        return true;
    }
}
