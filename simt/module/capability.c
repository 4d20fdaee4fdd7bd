// SPDX-License-Identifier: Apache-2.0
// The driver's capabilities, and SPIR-V's names.
#define SPV_ENABLE_UTILITY_CODE
#include "module/module.h"

#include "module/reader.h"

#include <string.h>

// The header's functions are inline; this is their external definition.
extern inline void SpvHasResultAndType(SpvOp opcode, bool *hasResult, bool *hasResultType);
extern inline const char *SpvOpToString(SpvOp value);
extern inline const char *SpvCapabilityToString(SpvCapability value);
extern inline const char *SpvExecutionModeToString(SpvExecutionMode value);
extern inline const char *SpvStorageClassToString(SpvStorageClass value);

static const SpvCapability capabilities[] = {
#define CAPABILITY(name, feature) SpvCapability##name,
#include "module/capabilities.inc"
#undef CAPABILITY
    // Of images, which kernels do not have.
    SpvCapabilityImage1D,
    SpvCapabilityImageQuery,
    SpvCapabilityStorageImageArrayDynamicIndexing,
    SpvCapabilityStorageImageArrayNonUniformIndexing,
};

static const char *const extensions[] = {
    "SPV_EXT_descriptor_indexing",
    "SPV_EXT_float8",
    "SPV_EXT_physical_storage_buffer",
    "SPV_EXT_shader_atomic_float_add",
    "SPV_GOOGLE_decorate_string",
    "SPV_GOOGLE_hlsl_functionality1",
    "SPV_GOOGLE_user_type",
    "SPV_KHR_16bit_storage",
    "SPV_KHR_8bit_storage",
    "SPV_KHR_bfloat16",
    "SPV_KHR_cooperative_matrix",
    "SPV_KHR_device_group",
    "SPV_KHR_expect_assume",
    "SPV_KHR_float_controls",
    "SPV_KHR_integer_dot_product",
    "SPV_KHR_maximal_reconvergence",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_non_semantic_info",
    "SPV_KHR_physical_storage_buffer",
    "SPV_KHR_quad_control",
    "SPV_KHR_relaxed_extended_instruction",
    "SPV_KHR_shader_ballot",
    "SPV_KHR_shader_clock",
    "SPV_KHR_storage_buffer_storage_class",
    "SPV_KHR_subgroup_rotate",
    "SPV_KHR_subgroup_uniform_control_flow",
    "SPV_KHR_subgroup_vote",
    "SPV_KHR_terminate_invocation",
    "SPV_KHR_variable_pointers",
    "SPV_KHR_vulkan_memory_model",
    "SPV_NV_shader_subgroup_partitioned",
};

bool module_knows_capability(uint32_t capability)
{
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
        if ((uint32_t)capabilities[i] == capability)
            return true;
    return false;
}

bool module_knows_extension(const char *name)
{
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (!strcmp(extensions[i], name))
            return true;
    return false;
}

const char *module_op_name(uint32_t opcode)
{
    return SpvOpToString((SpvOp)opcode);
}

bool op_known(uint32_t opcode)
{
    return strcmp(module_op_name(opcode), "Unknown") != 0;
}

void op_results(uint32_t opcode, bool *has_result, bool *has_type)
{
    SpvHasResultAndType((SpvOp)opcode, has_result, has_type);
}

const char *capability_name(uint32_t capability)
{
    return SpvCapabilityToString((SpvCapability)capability);
}

const char *mode_name(uint32_t mode)
{
    return SpvExecutionModeToString((SpvExecutionMode)mode);
}

const char *storage_name(uint32_t storage)
{
    return SpvStorageClassToString((SpvStorageClass)storage);
}
