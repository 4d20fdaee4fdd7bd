// SPDX-License-Identifier: Apache-2.0
// The table of device features and what in a module asks for them.
#include "model/facts.h"

#include <string.h>

static const char *const names[CAT_FEATURE_COUNT] = {
    [CAT_FEATURE_BASIC] = "VK_SUBGROUP_FEATURE_BASIC_BIT",
    [CAT_FEATURE_VOTE] = "VK_SUBGROUP_FEATURE_VOTE_BIT",
    [CAT_FEATURE_ARITHMETIC] = "VK_SUBGROUP_FEATURE_ARITHMETIC_BIT",
    [CAT_FEATURE_BALLOT] = "VK_SUBGROUP_FEATURE_BALLOT_BIT",
    [CAT_FEATURE_SHUFFLE] = "VK_SUBGROUP_FEATURE_SHUFFLE_BIT",
    [CAT_FEATURE_SHUFFLE_RELATIVE] = "VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT",
    [CAT_FEATURE_CLUSTERED] = "VK_SUBGROUP_FEATURE_CLUSTERED_BIT",
    [CAT_FEATURE_QUAD] = "VK_SUBGROUP_FEATURE_QUAD_BIT",
    [CAT_FEATURE_ROTATE] = "VK_KHR_shader_subgroup_rotate",
    [CAT_FEATURE_ROTATE_CLUSTERED] = "shaderSubgroupRotateClustered",
    [CAT_FEATURE_EXTENDED_TYPES] = "shaderSubgroupExtendedTypes",
    [CAT_FEATURE_INT8] = "shaderInt8",
    [CAT_FEATURE_INT16] = "shaderInt16",
    [CAT_FEATURE_INT64] = "shaderInt64",
    [CAT_FEATURE_FLOAT16] = "shaderFloat16",
    [CAT_FEATURE_FLOAT64] = "shaderFloat64",
    [CAT_FEATURE_INT64_ATOMICS] = "shaderBufferInt64Atomics",
    [CAT_FEATURE_ADDRESSES] = "bufferDeviceAddress",
    [CAT_FEATURE_MEMORY_MODEL] = "vulkanMemoryModel",
    [CAT_FEATURE_MEMORY_MODEL_DEVICE] = "vulkanMemoryModelDeviceScope",
    [CAT_FEATURE_SUBGROUP_UNIFORM] = "VK_KHR_shader_subgroup_uniform_control_flow",
    [CAT_FEATURE_MAXIMAL] = "VK_KHR_shader_maximal_reconvergence",
    [CAT_FEATURE_PARTITIONED] = "VK_NV_shader_subgroup_partitioned",
    [CAT_FEATURE_CLOCK] = "shaderSubgroupClock",
    [CAT_FEATURE_FULL_SUBGROUPS] = "computeFullSubgroups",
};

// SPIR-V enumerants; -1 stands for "needs nothing beyond Vulkan 1.1 compute".
static const struct {
    uint32_t number;
    int feature;
} capabilities[] = {
    {0, -1},                                 // Matrix
    {1, -1},                                 // Shader
    {9, CAT_FEATURE_FLOAT16},                // Float16
    {10, CAT_FEATURE_FLOAT64},               // Float64
    {11, CAT_FEATURE_INT64},                 // Int64
    {12, CAT_FEATURE_INT64_ATOMICS},         // Int64Atomics
    {22, CAT_FEATURE_INT16},                 // Int16
    {39, CAT_FEATURE_INT8},                  // Int8
    {61, CAT_FEATURE_BASIC},                 // GroupNonUniform
    {62, CAT_FEATURE_VOTE},                  // GroupNonUniformVote
    {63, CAT_FEATURE_ARITHMETIC},            // GroupNonUniformArithmetic
    {64, CAT_FEATURE_BALLOT},                // GroupNonUniformBallot
    {65, CAT_FEATURE_SHUFFLE},               // GroupNonUniformShuffle
    {66, CAT_FEATURE_SHUFFLE_RELATIVE},      // GroupNonUniformShuffleRelative
    {67, CAT_FEATURE_CLUSTERED},             // GroupNonUniformClustered
    {68, CAT_FEATURE_QUAD},                  // GroupNonUniformQuad
    {5055, CAT_FEATURE_CLOCK},               // ShaderClockKHR
    {5297, CAT_FEATURE_PARTITIONED},         // GroupNonUniformPartitionedNV
    {5345, CAT_FEATURE_MEMORY_MODEL},        // VulkanMemoryModel
    {5346, CAT_FEATURE_MEMORY_MODEL_DEVICE}, // VulkanMemoryModelDeviceScope
    {5347, CAT_FEATURE_ADDRESSES},           // PhysicalStorageBufferAddresses
    {6026, CAT_FEATURE_ROTATE},              // GroupNonUniformRotateKHR
};

enum {
    SPIRV_MAGIC = 0x07230203,
    OP_EXECUTION_MODE = 16,
    OP_CAPABILITY = 17,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_FUNCTION = 54,
    OP_FIRST_GROUP_OPERATION = 333, // OpGroupNonUniformElect
    OP_LAST_GROUP_OPERATION = 366,  // OpGroupNonUniformQuadSwap
    OP_ROTATE = 4431,
    ROTATE_CLUSTERED_WORDS = 7,
    MODE_SUBGROUP_UNIFORM = 4421,
    MODE_MAXIMAL = 6023,
};

const char *cat_feature_name(enum cat_feature feature)
{
    return (unsigned)feature < CAT_FEATURE_COUNT ? names[feature] : "unknown feature";
}

bool cat_feature_find(const char *name, enum cat_feature *feature)
{
    for (int i = 0; i < CAT_FEATURE_COUNT; i++)
        if (!strcmp(names[i], name)) {
            *feature = (enum cat_feature)i;
            return true;
        }
    return false;
}

static bool add_capability(uint32_t number, uint64_t *features)
{
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
        if (capabilities[i].number == number) {
            if (capabilities[i].feature >= 0)
                *features |= UINT64_C(1) << capabilities[i].feature;
            return true;
        }
    return false;
}

// Whether `type` is one that group operations have by shaderSubgroupExtendedTypes alone: integers
// of 8, 16 and 64 bits, floats of 16 bits, and vectors of these. Types come before functions.
static bool is_extended(const uint32_t *words, size_t end, uint32_t type)
{
    for (size_t at = 5; at < end; at += words[at] >> 16) {
        const uint32_t length = words[at] >> 16, opcode = words[at] & 0xffff;
        if (length < 3 || words[at + 1] != type)
            continue;
        if (opcode == OP_TYPE_INT)
            return words[at + 2] != 32;
        if (opcode == OP_TYPE_FLOAT)
            return words[at + 2] == 16;
        if (opcode == OP_TYPE_VECTOR)
            return words[at + 2] != type && is_extended(words, at, words[at + 2]);
    }
    return false;
}

// What a group operation needs beyond the capability. The type is that of the result: of
// OpGroupNonUniformAllEqual, whose operand may have another, it says nothing.
static void add_group_operation(const uint32_t *words, size_t at, size_t functions,
                                uint64_t *features)
{
    const uint32_t length = words[at] >> 16, opcode = words[at] & 0xffff;
    const bool is_group = opcode == OP_ROTATE ||
                          (opcode >= OP_FIRST_GROUP_OPERATION && opcode <= OP_LAST_GROUP_OPERATION);
    if (is_group && length >= 2 && is_extended(words, functions, words[at + 1]))
        *features |= UINT64_C(1) << CAT_FEATURE_EXTENDED_TYPES;
    if (opcode == OP_ROTATE && length == ROTATE_CLUSTERED_WORDS)
        *features |= UINT64_C(1) << CAT_FEATURE_ROTATE_CLUSTERED;
}

bool cat_module_features(const uint32_t *words, size_t count, uint64_t *features, uint32_t *unknown)
{
    *features = 0;
    *unknown = 0;
    if (count < 5 || words[0] != SPIRV_MAGIC)
        return false;
    size_t functions = 0; // where the first begins; 0: not yet
    for (size_t at = 5; at < count; at += words[at] >> 16) {
        uint32_t length = words[at] >> 16, opcode = words[at] & 0xffff;
        if (!length || length > count - at)
            return false;
        if (opcode == OP_FUNCTION && !functions)
            functions = at;
        if (functions) {
            add_group_operation(words, at, functions, features);
            continue;
        }
        if (opcode == OP_CAPABILITY && length == 2 && !add_capability(words[at + 1], features)) {
            *unknown = words[at + 1];
            return false;
        }
        if (opcode == OP_EXECUTION_MODE && length >= 3 && words[at + 2] == MODE_SUBGROUP_UNIFORM)
            *features |= UINT64_C(1) << CAT_FEATURE_SUBGROUP_UNIFORM;
        if (opcode == OP_EXECUTION_MODE && length >= 3 && words[at + 2] == MODE_MAXIMAL)
            *features |= UINT64_C(1) << CAT_FEATURE_MAXIMAL;
    }
    return true;
}
