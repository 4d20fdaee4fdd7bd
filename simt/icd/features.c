// SPDX-License-Identifier: Apache-2.0
// Supported features. All others are unsupported; structures of later versions and of extensions
// are answered from the same table.
#include "icd/physical.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

// Feature structures: offsets of the first feature and the end of the last.
struct layout {
    VkStructureType type;
    const char *name;
    size_t begin, end; // bytes
};

#define STYPE(type) VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type
#define STRUCT(type, name, last)                                                                   \
    {                                                                                              \
        STYPE(type), "VkPhysicalDevice" #name, sizeof(VkBaseOutStructure),                         \
            offsetof(VkPhysicalDevice##name, last) + sizeof(VkBool32)                              \
    }

static const struct layout layouts[] = {
    STRUCT(FEATURES_2, Features2, features.inheritedQueries),
    STRUCT(VULKAN_1_1_FEATURES, Vulkan11Features, shaderDrawParameters),
    STRUCT(VULKAN_1_2_FEATURES, Vulkan12Features, subgroupBroadcastDynamicId),
    STRUCT(VULKAN_1_3_FEATURES, Vulkan13Features, maintenance4),
    // In 1.1
    STRUCT(16BIT_STORAGE_FEATURES, 16BitStorageFeatures, storageInputOutput16),
    STRUCT(MULTIVIEW_FEATURES, MultiviewFeatures, multiviewTessellationShader),
    STRUCT(VARIABLE_POINTERS_FEATURES, VariablePointersFeatures, variablePointers),
    STRUCT(PROTECTED_MEMORY_FEATURES, ProtectedMemoryFeatures, protectedMemory),
    STRUCT(SAMPLER_YCBCR_CONVERSION_FEATURES, SamplerYcbcrConversionFeatures,
           samplerYcbcrConversion),
    STRUCT(SHADER_DRAW_PARAMETERS_FEATURES, ShaderDrawParametersFeatures, shaderDrawParameters),
    // In 1.2
    STRUCT(8BIT_STORAGE_FEATURES, 8BitStorageFeatures, storagePushConstant8),
    STRUCT(SHADER_ATOMIC_INT64_FEATURES, ShaderAtomicInt64Features, shaderSharedInt64Atomics),
    STRUCT(SHADER_FLOAT16_INT8_FEATURES, ShaderFloat16Int8Features, shaderInt8),
    STRUCT(DESCRIPTOR_INDEXING_FEATURES, DescriptorIndexingFeatures, runtimeDescriptorArray),
    STRUCT(SCALAR_BLOCK_LAYOUT_FEATURES, ScalarBlockLayoutFeatures, scalarBlockLayout),
    STRUCT(IMAGELESS_FRAMEBUFFER_FEATURES, ImagelessFramebufferFeatures, imagelessFramebuffer),
    STRUCT(UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES, UniformBufferStandardLayoutFeatures,
           uniformBufferStandardLayout),
    STRUCT(SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES, ShaderSubgroupExtendedTypesFeatures,
           shaderSubgroupExtendedTypes),
    STRUCT(SEPARATE_DEPTH_STENCIL_LAYOUTS_FEATURES, SeparateDepthStencilLayoutsFeatures,
           separateDepthStencilLayouts),
    STRUCT(HOST_QUERY_RESET_FEATURES, HostQueryResetFeatures, hostQueryReset),
    STRUCT(TIMELINE_SEMAPHORE_FEATURES, TimelineSemaphoreFeatures, timelineSemaphore),
    STRUCT(BUFFER_DEVICE_ADDRESS_FEATURES, BufferDeviceAddressFeatures,
           bufferDeviceAddressMultiDevice),
    STRUCT(VULKAN_MEMORY_MODEL_FEATURES, VulkanMemoryModelFeatures,
           vulkanMemoryModelAvailabilityVisibilityChains),
    // In 1.3
    STRUCT(IMAGE_ROBUSTNESS_FEATURES, ImageRobustnessFeatures, robustImageAccess),
    STRUCT(INLINE_UNIFORM_BLOCK_FEATURES, InlineUniformBlockFeatures,
           descriptorBindingInlineUniformBlockUpdateAfterBind),
    STRUCT(PIPELINE_CREATION_CACHE_CONTROL_FEATURES, PipelineCreationCacheControlFeatures,
           pipelineCreationCacheControl),
    STRUCT(PRIVATE_DATA_FEATURES, PrivateDataFeatures, privateData),
    STRUCT(SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES, ShaderDemoteToHelperInvocationFeatures,
           shaderDemoteToHelperInvocation),
    STRUCT(SHADER_TERMINATE_INVOCATION_FEATURES, ShaderTerminateInvocationFeatures,
           shaderTerminateInvocation),
    STRUCT(SUBGROUP_SIZE_CONTROL_FEATURES, SubgroupSizeControlFeatures, computeFullSubgroups),
    STRUCT(SYNCHRONIZATION_2_FEATURES, Synchronization2Features, synchronization2),
    STRUCT(TEXTURE_COMPRESSION_ASTC_HDR_FEATURES, TextureCompressionASTCHDRFeatures,
           textureCompressionASTC_HDR),
    STRUCT(ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES, ZeroInitializeWorkgroupMemoryFeatures,
           shaderZeroInitializeWorkgroupMemory),
    STRUCT(DYNAMIC_RENDERING_FEATURES, DynamicRenderingFeatures, dynamicRendering),
    STRUCT(SHADER_INTEGER_DOT_PRODUCT_FEATURES, ShaderIntegerDotProductFeatures,
           shaderIntegerDotProduct),
    STRUCT(MAINTENANCE_4_FEATURES, Maintenance4Features, maintenance4),
    // Extensions
    STRUCT(SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR,
           ShaderSubgroupUniformControlFlowFeaturesKHR, shaderSubgroupUniformControlFlow),
    STRUCT(SHADER_CLOCK_FEATURES_KHR, ShaderClockFeaturesKHR, shaderDeviceClock),
    STRUCT(PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, PipelineExecutablePropertiesFeaturesKHR,
           pipelineExecutableInfo),
    STRUCT(SHADER_ATOMIC_FLOAT_FEATURES_EXT, ShaderAtomicFloatFeaturesEXT,
           sparseImageFloat32AtomicAdd),
#ifdef VK_KHR_cooperative_matrix
    STRUCT(COOPERATIVE_MATRIX_FEATURES_KHR, CooperativeMatrixFeaturesKHR,
           cooperativeMatrixRobustBufferAccess),
    STRUCT(SHADER_BFLOAT16_FEATURES_KHR, ShaderBfloat16FeaturesKHR,
           shaderBFloat16CooperativeMatrix),
    STRUCT(SHADER_FLOAT8_FEATURES_EXT, ShaderFloat8FeaturesEXT, shaderFloat8CooperativeMatrix),
#endif
#ifdef VK_KHR_shader_maximal_reconvergence
    STRUCT(SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR, ShaderMaximalReconvergenceFeaturesKHR,
           shaderMaximalReconvergence),
#endif
#ifdef VK_KHR_shader_quad_control
    STRUCT(SHADER_QUAD_CONTROL_FEATURES_KHR, ShaderQuadControlFeaturesKHR, shaderQuadControl),
#endif
#ifdef VK_KHR_shader_subgroup_rotate
    STRUCT(SHADER_SUBGROUP_ROTATE_FEATURES_KHR, ShaderSubgroupRotateFeaturesKHR,
           shaderSubgroupRotateClustered),
#endif
#ifdef VK_KHR_shader_expect_assume
    STRUCT(SHADER_EXPECT_ASSUME_FEATURES_KHR, ShaderExpectAssumeFeaturesKHR, shaderExpectAssume),
#endif
};

// A supported feature, and the one or two structures that contain it.
struct place {
    VkStructureType type;
    size_t offset; // bytes
};

#define AT(type, name, field)                                                                      \
    {                                                                                              \
        STYPE(type), offsetof(VkPhysicalDevice##name, field)                                       \
    }
#define CORE(field)                                                                                \
    {                                                                                              \
        AT(FEATURES_2, Features2, features.field)                                                  \
    }
#define V11(type, name, field)                                                                     \
    {                                                                                              \
        AT(VULKAN_1_1_FEATURES, Vulkan11Features, field),                                          \
            AT(type##_FEATURES, name##Features, field)                                             \
    }
#define V12(type, name, field)                                                                     \
    {                                                                                              \
        AT(VULKAN_1_2_FEATURES, Vulkan12Features, field),                                          \
            AT(type##_FEATURES, name##Features, field)                                             \
    }
#define V12_ONLY(field)                                                                            \
    {                                                                                              \
        AT(VULKAN_1_2_FEATURES, Vulkan12Features, field)                                           \
    }
#define V13(type, name, field)                                                                     \
    {                                                                                              \
        AT(VULKAN_1_3_FEATURES, Vulkan13Features, field),                                          \
            AT(type##_FEATURES, name##Features, field)                                             \
    }
#define KHR(type, name, field)                                                                     \
    {                                                                                              \
        AT(type##_FEATURES_KHR, name##FeaturesKHR, field)                                          \
    }

#define EXT(type, name, field)                                                                     \
    {                                                                                              \
        AT(type##_FEATURES_EXT, name##FeaturesEXT, field)                                          \
    }

static const struct place supported[][2] = {
    CORE(robustBufferAccess),
    CORE(shaderFloat64),
    CORE(shaderInt16),
    CORE(shaderInt64),
    CORE(shaderStorageBufferArrayDynamicIndexing),
    CORE(shaderStorageImageArrayDynamicIndexing),
    CORE(shaderUniformBufferArrayDynamicIndexing),

    V11(16BIT_STORAGE, 16BitStorage, storageBuffer16BitAccess),
    V11(16BIT_STORAGE, 16BitStorage, uniformAndStorageBuffer16BitAccess),
    V11(16BIT_STORAGE, 16BitStorage, storagePushConstant16),
    V11(VARIABLE_POINTERS, VariablePointers, variablePointersStorageBuffer),
    V11(VARIABLE_POINTERS, VariablePointers, variablePointers),

    V12(8BIT_STORAGE, 8BitStorage, storageBuffer8BitAccess),
    V12(8BIT_STORAGE, 8BitStorage, uniformAndStorageBuffer8BitAccess),
    V12(8BIT_STORAGE, 8BitStorage, storagePushConstant8),
    V12(SHADER_ATOMIC_INT64, ShaderAtomicInt64, shaderBufferInt64Atomics),
    V12(SHADER_ATOMIC_INT64, ShaderAtomicInt64, shaderSharedInt64Atomics),
    V12(SHADER_FLOAT16_INT8, ShaderFloat16Int8, shaderFloat16),
    V12(SHADER_FLOAT16_INT8, ShaderFloat16Int8, shaderInt8),
    // The parts of descriptor indexing for buffers and storage images; `descriptorIndexing` would
    // also promise other images.
    V12(DESCRIPTOR_INDEXING, DescriptorIndexing, shaderUniformBufferArrayNonUniformIndexing),
    V12(DESCRIPTOR_INDEXING, DescriptorIndexing, shaderStorageBufferArrayNonUniformIndexing),
    V12(DESCRIPTOR_INDEXING, DescriptorIndexing, shaderStorageImageArrayNonUniformIndexing),
    V12(DESCRIPTOR_INDEXING, DescriptorIndexing, descriptorBindingUniformBufferUpdateAfterBind),
    V12(DESCRIPTOR_INDEXING, DescriptorIndexing, descriptorBindingStorageBufferUpdateAfterBind),
    V12(DESCRIPTOR_INDEXING, DescriptorIndexing, descriptorBindingStorageImageUpdateAfterBind),
    V12(DESCRIPTOR_INDEXING, DescriptorIndexing, descriptorBindingUpdateUnusedWhilePending),
    V12(DESCRIPTOR_INDEXING, DescriptorIndexing, descriptorBindingPartiallyBound),
    V12(DESCRIPTOR_INDEXING, DescriptorIndexing, descriptorBindingVariableDescriptorCount),
    V12(DESCRIPTOR_INDEXING, DescriptorIndexing, runtimeDescriptorArray),
    V12(SCALAR_BLOCK_LAYOUT, ScalarBlockLayout, scalarBlockLayout),
    V12(UNIFORM_BUFFER_STANDARD_LAYOUT, UniformBufferStandardLayout, uniformBufferStandardLayout),
    V12(SHADER_SUBGROUP_EXTENDED_TYPES, ShaderSubgroupExtendedTypes, shaderSubgroupExtendedTypes),
    V12(HOST_QUERY_RESET, HostQueryReset, hostQueryReset),
    V12(TIMELINE_SEMAPHORE, TimelineSemaphore, timelineSemaphore),
    V12(BUFFER_DEVICE_ADDRESS, BufferDeviceAddress, bufferDeviceAddress),
    V12(VULKAN_MEMORY_MODEL, VulkanMemoryModel, vulkanMemoryModel),
    V12(VULKAN_MEMORY_MODEL, VulkanMemoryModel, vulkanMemoryModelDeviceScope),
    V12(VULKAN_MEMORY_MODEL, VulkanMemoryModel, vulkanMemoryModelAvailabilityVisibilityChains),
    V12_ONLY(subgroupBroadcastDynamicId),

    V13(IMAGE_ROBUSTNESS, ImageRobustness, robustImageAccess),
    V13(INLINE_UNIFORM_BLOCK, InlineUniformBlock, inlineUniformBlock),
    V13(PIPELINE_CREATION_CACHE_CONTROL, PipelineCreationCacheControl,
        pipelineCreationCacheControl),
    V13(PRIVATE_DATA, PrivateData, privateData),
    V13(SHADER_TERMINATE_INVOCATION, ShaderTerminateInvocation, shaderTerminateInvocation),
    V13(SUBGROUP_SIZE_CONTROL, SubgroupSizeControl, subgroupSizeControl),
    V13(SUBGROUP_SIZE_CONTROL, SubgroupSizeControl, computeFullSubgroups),
    V13(SYNCHRONIZATION_2, Synchronization2, synchronization2),
    V13(ZERO_INITIALIZE_WORKGROUP_MEMORY, ZeroInitializeWorkgroupMemory,
        shaderZeroInitializeWorkgroupMemory),
    V13(SHADER_INTEGER_DOT_PRODUCT, ShaderIntegerDotProduct, shaderIntegerDotProduct),
    V13(MAINTENANCE_4, Maintenance4, maintenance4),

    KHR(SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW, ShaderSubgroupUniformControlFlow,
        shaderSubgroupUniformControlFlow),
    KHR(SHADER_CLOCK, ShaderClock, shaderSubgroupClock),
    KHR(SHADER_CLOCK, ShaderClock, shaderDeviceClock),
    EXT(SHADER_ATOMIC_FLOAT, ShaderAtomicFloat, shaderBufferFloat32Atomics),
    EXT(SHADER_ATOMIC_FLOAT, ShaderAtomicFloat, shaderBufferFloat32AtomicAdd),
    EXT(SHADER_ATOMIC_FLOAT, ShaderAtomicFloat, shaderBufferFloat64Atomics),
    EXT(SHADER_ATOMIC_FLOAT, ShaderAtomicFloat, shaderBufferFloat64AtomicAdd),
    EXT(SHADER_ATOMIC_FLOAT, ShaderAtomicFloat, shaderSharedFloat32Atomics),
    EXT(SHADER_ATOMIC_FLOAT, ShaderAtomicFloat, shaderSharedFloat32AtomicAdd),
    EXT(SHADER_ATOMIC_FLOAT, ShaderAtomicFloat, shaderSharedFloat64Atomics),
    EXT(SHADER_ATOMIC_FLOAT, ShaderAtomicFloat, shaderSharedFloat64AtomicAdd),
    KHR(PIPELINE_EXECUTABLE_PROPERTIES, PipelineExecutableProperties, pipelineExecutableInfo),
#ifdef VK_KHR_cooperative_matrix
    KHR(COOPERATIVE_MATRIX, CooperativeMatrix, cooperativeMatrix),
    KHR(COOPERATIVE_MATRIX, CooperativeMatrix, cooperativeMatrixRobustBufferAccess),
    KHR(SHADER_BFLOAT16, ShaderBfloat16, shaderBFloat16Type),
    KHR(SHADER_BFLOAT16, ShaderBfloat16, shaderBFloat16CooperativeMatrix),
    EXT(SHADER_FLOAT8, ShaderFloat8, shaderFloat8),
    EXT(SHADER_FLOAT8, ShaderFloat8, shaderFloat8CooperativeMatrix),
#endif
#ifdef VK_KHR_shader_maximal_reconvergence
    KHR(SHADER_MAXIMAL_RECONVERGENCE, ShaderMaximalReconvergence, shaderMaximalReconvergence),
#endif
#ifdef VK_KHR_shader_quad_control
    KHR(SHADER_QUAD_CONTROL, ShaderQuadControl, shaderQuadControl),
#endif
#ifdef VK_KHR_shader_subgroup_rotate
    KHR(SHADER_SUBGROUP_ROTATE, ShaderSubgroupRotate, shaderSubgroupRotate),
    KHR(SHADER_SUBGROUP_ROTATE, ShaderSubgroupRotate, shaderSubgroupRotateClustered),
#endif
#ifdef VK_KHR_shader_expect_assume
    KHR(SHADER_EXPECT_ASSUME, ShaderExpectAssume, shaderExpectAssume),
#endif
};

// Claimed by FACE_WEBGPU, and an error where a program uses them.
static const struct place claimed[][2] = {
    CORE(depthBiasClamp),
    CORE(fragmentStoresAndAtomics),
    CORE(fullDrawIndexUint32),
    CORE(imageCubeArray),
    CORE(independentBlend),
    CORE(sampleRateShading),
    CORE(shaderSampledImageArrayDynamicIndexing),
    CORE(textureCompressionBC),
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct layout *find_layout(VkStructureType type)
{
    for (size_t i = 0; i < COUNT(layouts); i++)
        if (layouts[i].type == type)
            return &layouts[i];
    return NULL;
}

static bool is_in(const struct place places[][2], size_t count, VkStructureType type, size_t offset)
{
    for (size_t i = 0; i < count; i++)
        for (int j = 0; j < 2; j++)
            if (places[i][j].type == type && places[i][j].offset == offset)
                return true;
    return false;
}

static bool is_supported(const struct settings *settings, VkStructureType type, size_t offset)
{
    return is_in(supported, COUNT(supported), type, offset) ||
           (settings->face == FACE_WEBGPU && is_in(claimed, COUNT(claimed), type, offset));
}

static void fill(const struct settings *settings, VkBaseOutStructure *structure)
{
    const struct layout *layout = find_layout(structure->sType);
    for (size_t at = layout ? layout->begin : 0; layout && at < layout->end;
         at += sizeof(VkBool32)) {
        const VkBool32 value = is_supported(settings, layout->type, at);
        memcpy((char *)structure + at, &value, sizeof value);
    }
}

static bool chain_supported(const struct settings *settings, const VkBaseInStructure *structure,
                            char *error, size_t size)
{
    const struct layout *layout = find_layout(structure->sType);
    for (size_t at = layout ? layout->begin : 0; layout && at < layout->end;
         at += sizeof(VkBool32)) {
        VkBool32 wanted;
        memcpy(&wanted, (const char *)structure + at, sizeof wanted);
        if (!wanted || is_supported(settings, layout->type, at))
            continue;
        snprintf(error, size, "device: feature %zu of %s is not supported",
                 (at - layout->begin) / sizeof(VkBool32) + 1, layout->name);
        return false;
    }
    return true;
}

static VkPhysicalDeviceFeatures2 core_features(const VkDeviceCreateInfo *info)
{
    return (VkPhysicalDeviceFeatures2){
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .pNext = (void *)(uintptr_t)info->pNext,
        .features =
            info->pEnabledFeatures ? *info->pEnabledFeatures : (VkPhysicalDeviceFeatures){0},
    };
}

bool icd_features_supported(const struct settings *settings, const VkDeviceCreateInfo *info,
                            char *error, size_t size)
{
    const VkPhysicalDeviceFeatures2 core = core_features(info);
    for (const VkBaseInStructure *structure = (const VkBaseInStructure *)&core; structure;
         structure = structure->pNext)
        if (!chain_supported(settings, structure, error, size))
            return false;
    return true;
}

bool icd_feature_enabled(const VkDeviceCreateInfo *info, VkStructureType type, size_t offset)
{
    const VkPhysicalDeviceFeatures2 core = core_features(info);
    for (const VkBaseInStructure *structure = (const VkBaseInStructure *)&core; structure;
         structure = structure->pNext) {
        VkBool32 value = VK_FALSE;
        if (structure->sType == type)
            memcpy(&value, (const char *)structure + offset, sizeof value);
        if (value)
            return true;
    }
    return false;
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceFeatures2(VkPhysicalDevice physical,
                                                          VkPhysicalDeviceFeatures2 *features)
{
    for (VkBaseOutStructure *structure = (VkBaseOutStructure *)features; structure;
         structure = structure->pNext)
        fill(&ICD_OBJECT(icd_physical, physical)->settings, structure);
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceFeatures(VkPhysicalDevice physical,
                                                         VkPhysicalDeviceFeatures *features)
{
    VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    icd_GetPhysicalDeviceFeatures2(physical, &all);
    *features = all.features;
}
