// SPDX-License-Identifier: Apache-2.0
// Everything before a module's annotations: capabilities, extensions, memory model, entry points,
// execution modes, names.
#include "module/reader.h"

#include <string.h>

static bool check_capability(struct reader *reader, uint32_t capability)
{
    if (module_knows_capability(capability))
        return true;
    const char *name = capability_name(capability);
    if (!strcmp(name, "Unknown"))
        return reader_fail(reader, "capability %u is not supported", capability);
    return reader_fail(reader, "capability %s is not supported", name);
}

static bool check_import(struct reader *reader, const struct instruction *instruction)
{
    static const char ignored[] = "NonSemantic.";
    const char *name = instruction_string(instruction, 2, NULL);
    if (!name)
        return reader_fail(reader, "the name in OpExtInstImport does not end");
    if (!strncmp(name, ignored, sizeof ignored - 1))
        return true;
    if (strcmp(name, "GLSL.std.450") != 0)
        return reader_fail(reader, "extended instruction set %s is not supported", name);
    if (reader->module->glsl)
        return reader_fail(reader, "GLSL.std.450 is imported twice");
    reader->module->glsl = instruction->words[1];
    return true;
}

static bool check_memory_model(struct reader *reader, uint32_t addressing, uint32_t memory)
{
    if (reader->has_memory_model)
        return reader_fail(reader, "OpMemoryModel is given twice");
    reader->has_memory_model = true;
    if (addressing != SpvAddressingModelLogical &&
        addressing != SpvAddressingModelPhysicalStorageBuffer64)
        return reader_fail(reader, "addressing model %u is not supported", addressing);
    if (memory != SpvMemoryModelGLSL450 && memory != SpvMemoryModelVulkan)
        return reader_fail(reader, "memory model %u is not supported", memory);
    reader->module->physical_addresses = addressing == SpvAddressingModelPhysicalStorageBuffer64;
    reader->module->vulkan_memory_model = memory == SpvMemoryModelVulkan;
    return true;
}

bool preamble_check(struct reader *reader, const struct instruction *instruction)
{
    const char *name;
    switch (instruction->opcode) {
    case SpvOpCapability:
        if (instruction->length != 2)
            break;
        reader->at = 0; // the name identifies it without a word number
        return check_capability(reader, instruction->words[1]);
    case SpvOpExtension:
        name = instruction_string(instruction, 1, NULL);
        if (!name)
            break;
        reader->at = 0;
        return module_knows_extension(name) ||
               reader_fail(reader, "extension %s is not supported", name);
    case SpvOpExtInstImport:
        return check_import(reader, instruction);
    case SpvOpMemoryModel:
        if (instruction->length != 3)
            break;
        return check_memory_model(reader, instruction->words[1], instruction->words[2]);
    default:
        return true;
    }
    return reader_fail(reader, "malformed %s", module_op_name(instruction->opcode));
}

// The entry point's function must have no parameters and return void.
static bool check_entry(struct reader *reader, uint32_t function)
{
    const struct module *module = reader->module;
    if (function >= module->bound || module->ids[function].kind != ID_FUNCTION)
        return reader_fail(reader, "OpEntryPoint of %%%u, which is not a function", function);
    const struct id *id = &module->ids[function];
    const struct type *type = module_type(module, module->words[id->at + 4]);
    if (type->count || module_type(module, type->element)->kind != TYPE_VOID)
        return reader_fail(reader, "the entry point has parameters or a result");
    return true;
}

static bool apply_entry_point(struct reader *reader, const struct instruction *instruction)
{
    struct module *module = reader->module;
    uint32_t next;
    const char *name = instruction_string(instruction, 3, &next);
    if (!name)
        return reader_fail(reader, "malformed OpEntryPoint");
    if (instruction->words[1] != SpvExecutionModelGLCompute ||
        strcmp(name, reader->entry_name) != 0)
        return true;
    if (module->entry)
        return reader_fail(reader, "entry point '%s' is given twice", name);
    if (!check_entry(reader, instruction->words[2]))
        return false;
    module->entry = instruction->words[2];
    module->interface = instruction->words + next;
    module->interface_count = instruction->length - next;
    for (uint32_t i = 0; i < module->interface_count; i++) {
        const uint32_t id = module->interface[i];
        if (id >= module->bound || module->ids[id].kind != ID_VARIABLE)
            return reader_fail(reader, "interface of the entry point: %%%u is not a variable", id);
    }
    return true;
}

static bool apply_local_size(struct reader *reader, const struct instruction *instruction,
                             bool is_id)
{
    struct module *module = reader->module;
    const uint32_t *size = instruction->words + 3;
    if (instruction->length != 6 || (instruction->opcode == SpvOpExecutionModeId) != is_id)
        return reader_fail(reader, "malformed LocalSize");
    if (reader->has_local_size)
        return reader_fail(reader, "the local size is given twice");
    reader->has_local_size = true;
    for (int i = 0; i < 3; i++) {
        if (!is_id && size[i] == 0)
            return reader_fail(reader, "a local size of 0");
        const struct type *type = module_type_of(module, size[i]);
        if (is_id && (type->kind != TYPE_INT || type->width != 32 ||
                      module->ids[size[i]].kind != ID_CONSTANT))
            return reader_fail(reader, "LocalSizeId: %%%u is not a constant of 32 bits", size[i]);
        (is_id ? module->local_size_id : module->local_size)[i] = size[i];
    }
    return true;
}

static bool apply_mode(struct reader *reader, const struct instruction *instruction)
{
    struct module *module = reader->module;
    if (instruction->length < 3)
        return reader_fail(reader, "malformed %s", module_op_name(instruction->opcode));
    const uint32_t mode = instruction->words[2];
    if (instruction->words[1] != module->entry)
        return true;
    switch (mode) {
    case SpvExecutionModeLocalSize:
        return apply_local_size(reader, instruction, false);
    case SpvExecutionModeLocalSizeId:
        return apply_local_size(reader, instruction, true);
    case SpvExecutionModeMaximallyReconvergesKHR:
        module->maximally_reconverges = true;
        return true;
    case SpvExecutionModeSubgroupUniformControlFlowKHR:
        module->subgroup_uniform = true;
        return true;
    case SpvExecutionModeSignedZeroInfNanPreserve:
    case SpvExecutionModeRoundingModeRTE:
    case SpvExecutionModeDenormPreserve:
        return true;
    default:
        return reader_fail(reader, "execution mode %s (%u) is not supported", mode_name(mode),
                           mode);
    }
}

static bool apply_name(struct reader *reader, const struct instruction *instruction)
{
    const char *name = instruction_string(instruction, 2, NULL);
    if (!name || instruction->words[1] >= reader->module->bound)
        return reader_fail(reader, "malformed OpName");
    reader->module->ids[instruction->words[1]].name = *name ? name : NULL;
    return true;
}

bool preamble_apply(struct reader *reader, const struct instruction *instruction)
{
    switch (instruction->opcode) {
    case SpvOpEntryPoint:
        return apply_entry_point(reader, instruction);
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return apply_mode(reader, instruction);
    case SpvOpName:
        return apply_name(reader, instruction);
    default:
        return true;
    }
}

bool preamble_finish(struct reader *reader)
{
    struct module *module = reader->module;
    if (!reader->has_memory_model)
        return reader_fail(reader, "OpMemoryModel is missing");
    if (!module->entry)
        return reader_fail(reader, "no entry point '%s' of model GLCompute", reader->entry_name);
    if (module->workgroup_size) { // takes precedence over execution modes
        memset(module->local_size, 0, sizeof module->local_size);
        memset(module->local_size_id, 0, sizeof module->local_size_id);
    } else if (!reader->has_local_size) {
        return reader_fail(reader, "the entry point has no local size");
    }
    return true;
}
