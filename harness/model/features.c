// SPDX-License-Identifier: Apache-2.0
// The table of device features and how modules request them.
#include "model/facts.h"

#include "base/spirv.h"

#include <inttypes.h>
#include <stdio.h>
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
    [CAT_FEATURE_ZERO_INITIALIZE] = "shaderZeroInitializeWorkgroupMemory",
    [CAT_FEATURE_MEMORY_MODEL] = "vulkanMemoryModel",
    [CAT_FEATURE_MEMORY_MODEL_DEVICE] = "vulkanMemoryModelDeviceScope",
    [CAT_FEATURE_SUBGROUP_UNIFORM] = "VK_KHR_shader_subgroup_uniform_control_flow",
    [CAT_FEATURE_MAXIMAL] = "VK_KHR_shader_maximal_reconvergence",
    [CAT_FEATURE_PARTITIONED] = "VK_NV_shader_subgroup_partitioned",
    [CAT_FEATURE_CLOCK] = "shaderSubgroupClock",
    [CAT_FEATURE_FULL_SUBGROUPS] = "computeFullSubgroups",
    [CAT_FEATURE_SHARED_INT64_ATOMICS] = "shaderSharedInt64Atomics",
    [CAT_FEATURE_MEMORY_MODEL_CHAINS] = "vulkanMemoryModelAvailabilityVisibilityChains",
    [CAT_FEATURE_FLOAT32_ADD] = "shaderBufferFloat32AtomicAdd",
    [CAT_FEATURE_SHARED_FLOAT32_ADD] = "shaderSharedFloat32AtomicAdd",
    [CAT_FEATURE_FLOAT64_ADD] = "shaderBufferFloat64AtomicAdd",
    [CAT_FEATURE_SHARED_FLOAT64_ADD] = "shaderSharedFloat64AtomicAdd",
    [CAT_FEATURE_QUAD_CONTROL] = "VK_KHR_shader_quad_control",
    [CAT_FEATURE_BROADCAST_DYNAMIC] = "subgroupBroadcastDynamicId",
    [CAT_FEATURE_COOPERATIVE_MATRIX] = "cooperativeMatrix",
    [CAT_FEATURE_DESCRIPTORS] = "shaderStorageBufferArrayDynamicIndexing",
    [CAT_FEATURE_DESCRIPTORS_NON_UNIFORM] = "shaderStorageBufferArrayNonUniformIndexing",
    [CAT_FEATURE_OLD_BALLOT] = "VK_EXT_shader_subgroup_ballot",
    [CAT_FEATURE_OLD_VOTE] = "VK_EXT_shader_subgroup_vote",
    [CAT_FEATURE_STORAGE16] = "storageBuffer16BitAccess",
    [CAT_FEATURE_UNIFORM16] = "uniformAndStorageBuffer16BitAccess",
    [CAT_FEATURE_PUSH16] = "storagePushConstant16",
    [CAT_FEATURE_STORAGE8] = "storageBuffer8BitAccess",
    [CAT_FEATURE_UNIFORM8] = "uniformAndStorageBuffer8BitAccess",
    [CAT_FEATURE_PUSH8] = "storagePushConstant8",
    [CAT_FEATURE_VARIABLE_POINTERS_STORAGE] = "variablePointersStorageBuffer",
    [CAT_FEATURE_VARIABLE_POINTERS] = "variablePointers",
    [CAT_FEATURE_DOT_PRODUCT] = "shaderIntegerDotProduct",
    [CAT_FEATURE_EXPECT_ASSUME] = "shaderExpectAssume",
    [CAT_FEATURE_FLOAT_CONTROLS] = "VK_KHR_shader_float_controls",
    [CAT_FEATURE_DESCRIPTORS_RUNTIME] = "runtimeDescriptorArray",
    [CAT_FEATURE_DESCRIPTORS_UNIFORM] = "shaderUniformBufferArrayDynamicIndexing",
    [CAT_FEATURE_DESCRIPTORS_UNIFORM_NON_UNIFORM] = "shaderUniformBufferArrayNonUniformIndexing",
    [CAT_FEATURE_BFLOAT16] = "shaderBFloat16Type",
    [CAT_FEATURE_BFLOAT16_MATRIX] = "shaderBFloat16CooperativeMatrix",
    [CAT_FEATURE_MATRIX_PRODUCTS] = "products of cooperative matrices",
    [CAT_FEATURE_FLOAT8] = "shaderFloat8",
    [CAT_FEATURE_FLOAT8_MATRIX] = "shaderFloat8CooperativeMatrix",
};

// Marks an enumerant that every device supports.
#define CAT_FEATURE_NOTHING CAT_FEATURE_COUNT

static const struct {
    SpvCapability number;
    enum cat_feature feature;
} capabilities[] = {
#define CAPABILITY(name, feature) {SpvCapability##name, CAT_FEATURE_##feature},
#include "../../simt/module/capabilities.inc"
#undef CAPABILITY
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
            if (capabilities[i].feature != CAT_FEATURE_NOTHING)
                *features |= UINT64_C(1) << capabilities[i].feature;
            return true;
        }
    return false;
}

// Whether group operations support `type` only with shaderSubgroupExtendedTypes: 8, 16 and 64 bit
// integers, 16 bit floats, and vectors of these. Types come before functions.
static bool is_extended(const uint32_t *words, size_t end, uint32_t type)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, words, end) {
        if (each.size < 3 || each.words[1] != type)
            continue;
        if (each.opcode == SpvOpTypeInt)
            return each.words[2] != 32;
        if (each.opcode == SpvOpTypeFloat)
            return each.words[2] == 16;
        if (each.opcode == SpvOpTypeVector)
            return each.words[2] != type && is_extended(words, each.at, each.words[2]);
    }
    return false;
}

// The capabilities of atomics do not say where they apply: they apply to shared memory if the
// module has pointers to such numbers there.
static void add_shared_atomics(const uint32_t *words, const struct spirv_instruction *each,
                               uint64_t *features)
{
    static const struct {
        uint32_t type, width;
        enum cat_feature feature, shared;
    } atomics[] = {
        {SpvOpTypeInt, 64, CAT_FEATURE_INT64_ATOMICS, CAT_FEATURE_SHARED_INT64_ATOMICS},
        {SpvOpTypeFloat, 32, CAT_FEATURE_FLOAT32_ADD, CAT_FEATURE_SHARED_FLOAT32_ADD},
        {SpvOpTypeFloat, 64, CAT_FEATURE_FLOAT64_ADD, CAT_FEATURE_SHARED_FLOAT64_ADD},
    };
    struct spirv_instruction type;
    if (each->opcode != SpvOpTypePointer || each->size != 4 ||
        each->words[2] != SpvStorageClassWorkgroup)
        return;
    SPIRV_EACH (type, words, each->at)
        for (size_t i = 0; i < sizeof atomics / sizeof *atomics; i++)
            if (*features >> atomics[i].feature & 1 && type.opcode == atomics[i].type &&
                type.size >= 3 && type.words[1] == each->words[3] &&
                type.words[2] == atomics[i].width)
                *features |= UINT64_C(1) << atomics[i].shared;
}

// Whether an id is a constant. Constants come before functions.
static bool is_constant(const uint32_t *words, size_t functions, uint32_t id)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, words, functions)
        if (each.size >= 3 && each.words[2] == id && each.opcode >= SpvOpConstantTrue &&
            each.opcode <= SpvOpSpecConstantOp)
            return true;
    return false;
}

// Adds what a group operation needs besides the capability. Uses the result type, which does not
// reveal the operand's type for OpGroupNonUniformAllEqual.
static void add_group_operation(const uint32_t *words, const struct spirv_instruction *each,
                                size_t functions, uint64_t *features)
{
    const bool rotates = each->opcode == SpvOpGroupNonUniformRotateKHR;
    const bool is_group = rotates || (each->opcode >= SpvOpGroupNonUniformElect &&
                                      each->opcode <= SpvOpGroupNonUniformQuadSwap);
    if (is_group && each->size >= 2 && is_extended(words, functions, each->words[1]))
        *features |= UINT64_C(1) << CAT_FEATURE_EXTENDED_TYPES;
    if (rotates && each->size == 7) // with a cluster size
        *features |= UINT64_C(1) << CAT_FEATURE_ROTATE_CLUSTERED;
    if ((each->opcode == SpvOpGroupNonUniformBroadcast ||
         each->opcode == SpvOpGroupNonUniformQuadBroadcast) &&
        each->size == 6 && !is_constant(words, functions, each->words[5]))
        *features |= UINT64_C(1) << CAT_FEATURE_BROADCAST_DYNAMIC;
}

static bool refuse_capability(uint32_t number, struct lit_error *error)
{
    const char *name = spirv_capability_name(number);
    char digits[16];
    snprintf(digits, sizeof digits, "%" PRIu32, number);
    return lit_fail(error, LIT_EXIT_USAGE,
                    "capability %s is not supported: the SIMT simulator does not execute it",
                    name ? name : digits);
}

bool cat_module_features(const uint32_t *words, size_t count, uint64_t *features,
                         struct lit_error *error)
{
    struct spirv_instruction each;
    size_t functions = 0; // where the first function begins; 0: not yet
    *features = 0;
    if (!spirv_is_module(words, count))
        return lit_fail(error, LIT_EXIT_USAGE, "not a SPIR-V module");
    SPIRV_EACH (each, words, count) {
        if (each.opcode == SpvOpFunction && !functions)
            functions = each.at;
        if (functions) {
            add_group_operation(words, &each, functions, features);
            continue;
        }
        add_shared_atomics(words, &each, features);
        if (each.opcode == SpvOpCapability && each.size == 2 &&
            !add_capability(each.words[1], features))
            return refuse_capability(each.words[1], error);
        // An initialised variable in shared memory.
        if (each.opcode == SpvOpVariable && each.size == 5 &&
            each.words[3] == SpvStorageClassWorkgroup)
            *features |= UINT64_C(1) << CAT_FEATURE_ZERO_INITIALIZE;
        if (each.opcode != SpvOpExecutionMode || each.size < 3)
            continue;
        if (each.words[2] == SpvExecutionModeSubgroupUniformControlFlowKHR)
            *features |= UINT64_C(1) << CAT_FEATURE_SUBGROUP_UNIFORM;
        if (each.words[2] == SpvExecutionModeMaximallyReconvergesKHR)
            *features |= UINT64_C(1) << CAT_FEATURE_MAXIMAL;
    }
    return spirv_is_end(&each, count) || lit_fail(error, LIT_EXIT_USAGE, "not a SPIR-V module");
}

// --- Whether a module depends on its workgroups being in one dispatch

#define NONE UINT32_MAX

// The value of a 32-bit constant declared within the first `count` words; NONE if `id` is none.
static uint32_t constant(const uint32_t *words, size_t count, uint32_t id)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, words, count)
        if (each.opcode == SpvOpConstant && each.size == 4 && each.words[2] == id)
            return each.words[3];
    return NONE;
}

static bool is_atomic(uint32_t opcode)
{
    return (opcode >= SpvOpAtomicLoad && opcode <= SpvOpAtomicXor) ||
           opcode == SpvOpAtomicFlagTestAndSet || opcode == SpvOpAtomicFlagClear ||
           opcode == SpvOpAtomicFAddEXT;
}

// Whether an instruction makes writes visible, or sees others', beyond the workgroup.
static bool reaches_out(const uint32_t *words, const struct spirv_instruction *each)
{
    // The scope comes after the pointer, which comes after type and result, if any.
    const bool no_result = each->opcode == SpvOpAtomicStore || each->opcode == SpvOpAtomicFlagClear;
    if (is_atomic(each->opcode)) {
        const uint32_t id = spirv_operand(each, no_result ? 2 : 4, 0);
        const uint32_t scope = constant(words, each->at, id);
        return scope < SpvScopeWorkgroup || scope > SpvScopeInvocation;
    }
    if (each->opcode == SpvOpLoad)
        return spirv_operand(each, 4, 0) & SpvMemoryAccessVolatileMask;
    if (each->opcode == SpvOpStore)
        return spirv_operand(each, 3, 0) & SpvMemoryAccessVolatileMask;
    const uint32_t decoration = each->opcode == SpvOpDecorate         ? spirv_operand(each, 2, NONE)
                                : each->opcode == SpvOpMemberDecorate ? spirv_operand(each, 3, NONE)
                                                                      : NONE;
    return decoration == SpvDecorationVolatile || decoration == SpvDecorationCoherent;
}

bool cat_module_is_divisible(const uint32_t *words, size_t count)
{
    struct spirv_instruction each;
    bool loops = false, reaches = false;
    if (!spirv_is_module(words, count))
        return false;
    SPIRV_EACH (each, words, count) {
        if (each.opcode == SpvOpDecorate && each.size == 4 &&
            each.words[2] == SpvDecorationBuiltIn && each.words[3] == SpvBuiltInNumWorkgroups)
            return false;
        loops |= each.opcode == SpvOpLoopMerge;
        reaches = reaches || reaches_out(words, &each);
    }
    return spirv_is_end(&each, count) && (!loops || !reaches);
}
