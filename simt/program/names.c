// SPDX-License-Identifier: Apache-2.0
// Names of ids for the listing, as in spirv-dis: OpName if present, "uint_5" and
// "_ptr_Function_v3float" for types and constants, otherwise numbers.
#include "program/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE_NAME_DEPTH 4 // nesting of type names

struct named {
    const char *name; // sanitised, in `text`
    uint32_t id;
};

static char clean(char c)
{
    const bool keep = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return keep ? c : '_';
}

static int compare_named(const void *x, const void *y)
{
    const struct named *a = x, *b = y;
    const int order = strcmp(a->name, b->name);
    return order ? order : a->id < b->id ? -1 : a->id > b->id;
}

// OpNames are not unique. The lowest id keeps its name, others get their number appended.
static void make_unique(struct names *names, struct named *named, uint32_t count)
{
    qsort(named, count, sizeof(*named), compare_named);
    for (uint32_t i = 0; i < count; i++) {
        char *own = names->text + (size_t)i * NAME_SIZE;
        const bool again = i > 0 && !strcmp(named[i].name, named[i - 1].name);
        names->index[named[i].id] = i + 1;
        snprintf(own, NAME_SIZE, again ? "%s_%" PRIu32 : "%s", named[i].name, named[i].id);
    }
}

bool names_collect(struct names *names, const struct module *module)
{
    uint32_t count = 0;
    *names = (struct names){.module = module, .index = calloc(module->bound + 1, sizeof(uint32_t))};
    for (uint32_t i = 0; i < module->bound; i++)
        count += module->ids[i].name && *module->ids[i].name;
    struct named *named = calloc(count + 1, sizeof(*named));
    char *cleaned = calloc(count + 1, NAME_SIZE);
    names->text = calloc(count + 1, NAME_SIZE);
    const bool done = names->index && named && cleaned && names->text;
    for (uint32_t i = 0, at = 0; done && i < module->bound; i++) {
        const char *name = module->ids[i].name;
        if (!name || !*name)
            continue;
        char *own = cleaned + (size_t)at * NAME_SIZE;
        size_t length = *name >= '0' && *name <= '9'; // names that start with a digit are ids
        if (length)
            own[0] = '_';
        for (; *name && length < NAME_MAX_LENGTH; name++)
            own[length++] = clean(*name);
        named[at++] = (struct named){.name = own, .id = i};
    }
    if (done)
        make_unique(names, named, count);
    free(named);
    free(cleaned);
    return done;
}

void names_free(struct names *names)
{
    free(names->index);
    free(names->text);
}

static const char *opname(const struct names *names, uint32_t id)
{
    return names->text + (size_t)(names->index[id] - 1) * NAME_SIZE;
}

static bool scalar_type_name(const struct type *type, char name[NAME_SIZE])
{
    if (type->kind == TYPE_BOOL || type->kind == TYPE_VOID) {
        snprintf(name, NAME_SIZE, "%s", type->kind == TYPE_BOOL ? "bool" : "void");
        return true;
    }
    const char *const floats[] = {"half", "float", "double"};
    const char *const encoded[] = {"bfloat16", "e4m3", "e5m2"};
    const char *const integers[] = {"char", "short", "int", "long"};
    const uint32_t width = type->width;
    if (type->encoding)
        snprintf(name, NAME_SIZE, "%s", encoded[type->encoding - 1]);
    else if (type->kind == TYPE_FLOAT)
        snprintf(name, NAME_SIZE, "%s", floats[width == 16 ? 0 : width == 32 ? 1 : 2]);
    else if (type->kind == TYPE_INT)
        snprintf(name, NAME_SIZE, "%s%s", type->is_signed ? "" : "u",
                 integers[width == 8    ? 0
                          : width == 16 ? 1
                          : width == 32 ? 2
                                        : 3]);
    return type->kind == TYPE_FLOAT || type->kind == TYPE_INT;
}

static const char *storage_name(SpvStorageClass storage)
{
    switch (storage) {
    case SpvStorageClassInput:
        return "Input";
    case SpvStorageClassUniform:
        return "Uniform";
    case SpvStorageClassWorkgroup:
        return "Workgroup";
    case SpvStorageClassPrivate:
        return "Private";
    case SpvStorageClassFunction:
        return "Function";
    case SpvStorageClassPushConstant:
        return "PushConstant";
    case SpvStorageClassStorageBuffer:
        return "StorageBuffer";
    case SpvStorageClassPhysicalStorageBuffer:
        return "PhysicalStorageBuffer";
    default:
        return "Other";
    }
}

// The name of a type built from another type that has a name.
static bool type_name(const struct names *names, uint32_t id, int depth, char name[NAME_SIZE])
{
    const struct type *type = module_type(names->module, id);
    char element[NAME_SIZE];
    if (names->index[id]) {
        snprintf(name, NAME_SIZE, "%s", opname(names, id));
        return true;
    }
    if (scalar_type_name(type, name))
        return true;
    if (!depth || !type->element || type->element >= names->module->bound ||
        !type_name(names, type->element, depth - 1, element))
        return false;
    if (type->kind == TYPE_VECTOR)
        snprintf(name, NAME_SIZE, "v%" PRIu32 "%.32s", type->count, element);
    else if (type->kind == TYPE_MATRIX)
        snprintf(name, NAME_SIZE, "mat%" PRIu32 "%.32s", type->count, element);
    else if (type->kind == TYPE_ARRAY)
        snprintf(name, NAME_SIZE, "_arr_%.32s_%" PRIu32, element, type->count);
    else if (type->kind == TYPE_POINTER)
        snprintf(name, NAME_SIZE, "_ptr_%s_%.32s", storage_name(type->storage), element);
    return type->kind == TYPE_VECTOR || type->kind == TYPE_MATRIX || type->kind == TYPE_ARRAY ||
           type->kind == TYPE_POINTER;
}

static void float_name(const char *type, double value, char name[NAME_SIZE])
{
    char text[32];
    snprintf(text, sizeof(text), "%g", value);
    for (char *c = text; *c; c++)
        *c = *c == '-' ? 'n' : *c == '.' || *c == '+' ? '_' : *c;
    snprintf(name, NAME_SIZE, "%.16s_%s", type, text);
}

static bool constant_name(const struct module *module, uint32_t id, char name[NAME_SIZE])
{
    const uint32_t *words = module->words + module->ids[id].at;
    const struct type *type = module_type_of(module, id);
    const uint32_t opcode = words[0] & 0xffff;
    char kind[NAME_SIZE];
    if (opcode == SpvOpConstantTrue || opcode == SpvOpConstantFalse) {
        snprintf(name, NAME_SIZE, "%s", opcode == SpvOpConstantTrue ? "true" : "false");
        return true;
    }
    if (opcode != SpvOpConstant || !scalar_type_name(type, kind))
        return false;
    uint64_t value = words[3]; // its length was checked during evaluation
    if (type->width == 64)
        value |= (uint64_t)words[4] << 32;
    else if (type->is_signed)
        value = (uint64_t)(int64_t)(int32_t)words[3];
    else
        value &= ~UINT64_C(0) >> (64 - type->width);
    if (type->kind == TYPE_FLOAT && type->width == 16)
        return false;
    float single;
    double number;
    memcpy(&single, words + 3, sizeof(single));
    memcpy(&number, &value, sizeof(number));
    if (type->kind == TYPE_FLOAT)
        float_name(kind, type->width == 32 ? (double)single : number, name);
    else if (type->is_signed && value >> 63)
        snprintf(name, NAME_SIZE, "%.16s_n%" PRIu64, kind, -value);
    else
        snprintf(name, NAME_SIZE, "%.16s_%" PRIu64, kind, value);
    return true;
}

static const struct {
    uint16_t builtin;
    const char *name;
} builtins[] = {
    {SpvBuiltInNumWorkgroups, "gl_NumWorkGroups"},
    {SpvBuiltInWorkgroupSize, "gl_WorkGroupSize"},
    {SpvBuiltInWorkgroupId, "gl_WorkGroupID"},
    {SpvBuiltInLocalInvocationId, "gl_LocalInvocationID"},
    {SpvBuiltInGlobalInvocationId, "gl_GlobalInvocationID"},
    {SpvBuiltInLocalInvocationIndex, "gl_LocalInvocationIndex"},
    {SpvBuiltInSubgroupSize, "gl_SubgroupSize"},
    {SpvBuiltInNumSubgroups, "gl_NumSubgroups"},
    {SpvBuiltInSubgroupId, "gl_SubgroupID"},
    {SpvBuiltInSubgroupLocalInvocationId, "gl_SubgroupInvocationID"},
    {SpvBuiltInSubgroupEqMask, "gl_SubgroupEqMask"},
    {SpvBuiltInSubgroupGeMask, "gl_SubgroupGeMask"},
    {SpvBuiltInSubgroupGtMask, "gl_SubgroupGtMask"},
    {SpvBuiltInSubgroupLeMask, "gl_SubgroupLeMask"},
    {SpvBuiltInSubgroupLtMask, "gl_SubgroupLtMask"},
    {SpvBuiltInDeviceIndex, "gl_DeviceIndex"},
};

static const char *builtin_name(const struct module *module, uint32_t id)
{
    const uint32_t builtin = module->ids[id].decorations.builtin;
    for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++) {
        if (builtins[i].builtin == builtin)
            return builtins[i].name;
    }
    return NULL;
}

const char *names_of(const struct names *names, uint32_t id, char scratch[NAME_SIZE])
{
    const struct module *module = names->module;
    if (id < module->bound && names->index[id])
        return opname(names, id);
    if (id < module->bound && builtin_name(module, id))
        return builtin_name(module, id);
    if (id < module->bound && module->ids[id].kind == ID_TYPE &&
        type_name(names, id, TYPE_NAME_DEPTH, scratch))
        return scratch;
    if (id < module->bound && module->ids[id].kind == ID_CONSTANT &&
        constant_name(module, id, scratch))
        return scratch;
    snprintf(scratch, NAME_SIZE, "%" PRIu32, id);
    return scratch;
}
