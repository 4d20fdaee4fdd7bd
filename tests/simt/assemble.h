// SPDX-License-Identifier: Apache-2.0
// A small SPIR-V assembler for tests: one instruction a line, in the syntax of spirv-as. Literals
// are words: a number of 64 bits is two of them, floats have a '.' and 32 bits. What it does not
// know ends the program: the tests' texts are fixed.
//
// "$NAME WORD" stands for the section of that name (sections.h), in which "@" is the word, and
// "STORE 1 %x" stores %x to word 1 of %out, where %1 is the constant. ";" begins a comment.
#pragma once

#include "../unit/sections.h"
#include "module/module.h"

#include <ctype.h>

#define ASSEMBLE_WORDS 8192
#define ASSEMBLE_IDS   512

struct assembly {
    uint32_t words[ASSEMBLE_WORDS];
    uint32_t count;
    char names[ASSEMBLE_IDS][32];
    uint32_t bound;
};

static const struct {
    const char *name;
    uint32_t value;
} assemble_enumerants[] = {
    {"Shader", SpvCapabilityShader},
    {"Int8", SpvCapabilityInt8},
    {"Int16", SpvCapabilityInt16},
    {"Int64", SpvCapabilityInt64},
    {"GroupNonUniform", SpvCapabilityGroupNonUniform},
    {"GroupNonUniformShuffle", SpvCapabilityGroupNonUniformShuffle},
    {"GroupNonUniformArithmetic", SpvCapabilityGroupNonUniformArithmetic},
    {"GroupNonUniformQuad", SpvCapabilityGroupNonUniformQuad},
    {"CooperativeMatrixKHR", SpvCapabilityCooperativeMatrixKHR},
    {"VulkanMemoryModel", SpvCapabilityVulkanMemoryModel},
    {"PhysicalStorageBufferAddresses", SpvCapabilityPhysicalStorageBufferAddresses},
    {"RuntimeDescriptorArray", SpvCapabilityRuntimeDescriptorArray},
    {"Logical", SpvAddressingModelLogical},
    {"PhysicalStorageBuffer64", SpvAddressingModelPhysicalStorageBuffer64},
    {"GLSL450", SpvMemoryModelGLSL450},
    {"Vulkan", SpvMemoryModelVulkan},
    {"GLCompute", SpvExecutionModelGLCompute},
    {"LocalSize", SpvExecutionModeLocalSize},
    {"SpecId", SpvDecorationSpecId},
    {"Block", SpvDecorationBlock},
    {"BufferBlock", SpvDecorationBufferBlock},
    {"RowMajor", SpvDecorationRowMajor},
    {"ColMajor", SpvDecorationColMajor},
    {"ArrayStride", SpvDecorationArrayStride},
    {"MatrixStride", SpvDecorationMatrixStride},
    {"BuiltIn", SpvDecorationBuiltIn},
    {"Coherent", SpvDecorationCoherent},
    {"Volatile", SpvDecorationVolatile},
    {"Binding", SpvDecorationBinding},
    {"DescriptorSet", SpvDecorationDescriptorSet},
    {"Offset", SpvDecorationOffset},
    {"WorkgroupSize", SpvBuiltInWorkgroupSize},
    {"WorkgroupId", SpvBuiltInWorkgroupId},
    {"LocalInvocationId", SpvBuiltInLocalInvocationId},
    {"LocalInvocationIndex", SpvBuiltInLocalInvocationIndex},
    {"NumSubgroups", SpvBuiltInNumSubgroups},
    {"SubgroupId", SpvBuiltInSubgroupId},
    {"FragCoord", SpvBuiltInFragCoord},
    {"Input", SpvStorageClassInput},
    {"Uniform", SpvStorageClassUniform},
    {"Image", SpvStorageClassImage},
    {"UniformConstant", SpvStorageClassUniformConstant},
    {"Workgroup", SpvStorageClassWorkgroup},
    {"Private", SpvStorageClassPrivate},
    {"Function", SpvStorageClassFunction},
    {"PushConstant", SpvStorageClassPushConstant},
    {"StorageBuffer", SpvStorageClassStorageBuffer},
    {"PhysicalStorageBuffer", SpvStorageClassPhysicalStorageBuffer},
    {"None", 0},
};

static inline uint32_t assemble_opcode(const char *name)
{
    for (uint32_t opcode = 0; opcode < 7000; opcode++)
        if (!strcmp(module_op_name(opcode), name))
            return opcode;
    fprintf(stderr, "assemble.h does not know %s\n", name);
    abort();
}

static inline uint32_t assemble_enumerant(const char *name)
{
    const size_t count = sizeof assemble_enumerants / sizeof *assemble_enumerants;
    char opcode[64];
    for (size_t i = 0; i < count; i++)
        if (!strcmp(assemble_enumerants[i].name, name))
            return assemble_enumerants[i].value;
    snprintf(opcode, sizeof opcode, "Op%s", name); // in OpSpecConstantOp
    return assemble_opcode(opcode);
}

// The number of a name without its %; a new one if it was not used before.
static inline uint32_t assemble_id(struct assembly *assembly, const char *name)
{
    for (uint32_t id = 1; id < assembly->bound; id++)
        if (!strcmp(assembly->names[id], name))
            return id;
    if (assembly->bound == ASSEMBLE_IDS)
        abort();
    snprintf(assembly->names[assembly->bound], sizeof assembly->names[0], "%s", name);
    return assembly->bound++;
}

static inline void assemble_word(struct assembly *assembly, uint32_t word)
{
    if (assembly->count == ASSEMBLE_WORDS)
        abort();
    assembly->words[assembly->count++] = word;
}

static inline void assemble_operand(struct assembly *assembly, const char *token)
{
    if (*token == '%') {
        assemble_word(assembly, assemble_id(assembly, token + 1));
    } else if (*token == '"') {
        char bytes[64] = {0};
        const size_t length = strlen(token) - 2; // without the quotes
        memcpy(bytes, token + 1, length);
        for (size_t i = 0; i <= length; i += 4) {
            uint32_t word;
            memcpy(&word, bytes + i, 4);
            assemble_word(assembly, word);
        }
    } else if (strchr(token, '.')) {
        const float value = strtof(token, NULL);
        uint32_t word;
        memcpy(&word, &value, 4);
        assemble_word(assembly, word);
    } else if (isdigit((unsigned char)*token) || *token == '-') {
        assemble_word(assembly, (uint32_t)strtoll(token, NULL, 0));
    } else {
        assemble_word(assembly, assemble_enumerant(token));
    }
}

// The text of a section, or lines that a text is made of.
static inline void assemble_text(struct assembly *assembly, const char *text, const char *argument);

static inline void assemble_line(struct assembly *assembly, char *line, const char *argument)
{
    const char *tokens[128];
    char *rest = NULL, lines[128];
    uint32_t count = 0, next = 0, result = 0;
    for (char *token = strtok_r(line, " ", &rest); token && *token != ';';
         token = strtok_r(NULL, " ", &rest))
        tokens[count++] = strcmp(token, "@") ? token : argument;
    if (!count)
        return;
    if (*tokens[0] == '$') {
        assemble_text(assembly, section(tokens[0] + 1)->text, count > 1 ? tokens[1] : NULL);
        return;
    }
    if (!strcmp(tokens[0], "STORE")) {
        snprintf(lines, sizeof lines,
                 "%%at%s = OpAccessChain %%p_word %%out %%0 %%%s\nOpStore %%at%s %s\n", tokens[1],
                 tokens[1], tokens[1], tokens[2]);
        assemble_text(assembly, lines, NULL);
        return;
    }
    if (count > 2 && !strcmp(tokens[1], "=")) {
        result = assemble_id(assembly, tokens[0] + 1);
        next = 2;
    }
    const char *name = tokens[next++];
    const uint32_t first = assembly->count;
    const bool typed = result && strncmp(name, "OpType", 6) && strcmp(name, "OpLabel") &&
                       strcmp(name, "OpString") && strcmp(name, "OpExtInstImport");
    assemble_word(assembly, 0);
    if (typed && next < count)
        assemble_operand(assembly, tokens[next++]);
    if (result)
        assemble_word(assembly, result);
    while (next < count)
        assemble_operand(assembly, tokens[next++]);
    assembly->words[first] = (assembly->count - first) << 16 | assemble_opcode(name);
}

static inline void assemble_text(struct assembly *assembly, const char *text, const char *argument)
{
    char *copy = strdup(text), *rest = NULL;
    assert_non_null(copy);
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        assemble_line(assembly, line, argument);
    free(copy);
}

static inline void assemble(struct assembly *assembly, const char *text)
{
    const uint32_t header[] = {SpvMagicNumber, 0x10600, 0, 0, 0};
    memset(assembly, 0, sizeof *assembly);
    assembly->bound = 1;
    for (int i = 0; i < 5; i++)
        assemble_word(assembly, header[i]);
    assemble_text(assembly, text, NULL);
    assembly->words[3] = assembly->bound;
}
