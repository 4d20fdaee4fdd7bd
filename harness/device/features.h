// SPDX-License-Identifier: Apache-2.0
// The features that tests may need. The reproducers of litmus repro contain this file and
// features.c, so neither calls anything but Vulkan.
#pragma once

#include "model/facts.h"

#include <volk.h>

// What headers of older distributions lack, as Vulkan's registry has it.
#define DEV_STRUCTURE(NAME, ...)                                                                   \
    typedef struct VkPhysicalDeviceShader##NAME {                                                  \
        VkStructureType sType;                                                                     \
        void *pNext;                                                                               \
        VkBool32 __VA_ARGS__;                                                                      \
    } VkPhysicalDeviceShader##NAME
#define DEV_STRUCTURE_TYPE(NUMBER) ((VkStructureType)NUMBER)
#ifndef VK_KHR_shader_maximal_reconvergence
#define VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME "VK_KHR_shader_maximal_reconvergence"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR                \
    DEV_STRUCTURE_TYPE(1000434000)
DEV_STRUCTURE(MaximalReconvergenceFeaturesKHR, shaderMaximalReconvergence);
#endif
#ifndef VK_KHR_shader_quad_control
#define VK_KHR_SHADER_QUAD_CONTROL_EXTENSION_NAME "VK_KHR_shader_quad_control"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_QUAD_CONTROL_FEATURES_KHR                         \
    DEV_STRUCTURE_TYPE(1000235000)
DEV_STRUCTURE(QuadControlFeaturesKHR, shaderQuadControl);
#endif
#ifndef VK_KHR_shader_subgroup_rotate
#define VK_KHR_SHADER_SUBGROUP_ROTATE_EXTENSION_NAME "VK_KHR_shader_subgroup_rotate"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_ROTATE_FEATURES_KHR                      \
    DEV_STRUCTURE_TYPE(1000416000)
DEV_STRUCTURE(SubgroupRotateFeaturesKHR, shaderSubgroupRotate, shaderSubgroupRotateClustered);
#endif
#ifndef VK_KHR_shader_expect_assume
#define VK_KHR_SHADER_EXPECT_ASSUME_EXTENSION_NAME "VK_KHR_shader_expect_assume"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_EXPECT_ASSUME_FEATURES_KHR                        \
    DEV_STRUCTURE_TYPE(1000544000)
DEV_STRUCTURE(ExpectAssumeFeaturesKHR, shaderExpectAssume);
#endif
#ifndef VK_KHR_shader_bfloat16
#define VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME "VK_KHR_shader_bfloat16"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR                             \
    DEV_STRUCTURE_TYPE(1000141000)
#define VK_COMPONENT_TYPE_BFLOAT16_KHR ((VkComponentTypeKHR)1000141000)
DEV_STRUCTURE(Bfloat16FeaturesKHR, shaderBFloat16Type, shaderBFloat16DotProduct,
              shaderBFloat16CooperativeMatrix);
#endif
#ifndef VK_EXT_shader_float8
#define VK_EXT_SHADER_FLOAT8_EXTENSION_NAME                          "VK_EXT_shader_float8"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT8_FEATURES_EXT DEV_STRUCTURE_TYPE(1000567000)
#define VK_COMPONENT_TYPE_FLOAT8_E4M3_EXT                            ((VkComponentTypeKHR)1000491002)
#define VK_COMPONENT_TYPE_FLOAT8_E5M2_EXT                            ((VkComponentTypeKHR)1000491003)
DEV_STRUCTURE(Float8FeaturesEXT, shaderFloat8, shaderFloat8CooperativeMatrix);
#endif

struct dev_features {
    VkPhysicalDeviceFeatures2 base;
    // Features without their own structure here; after reading, also those of the other structures.
    VkPhysicalDeviceVulkan12Features vulkan12;
    VkPhysicalDeviceDescriptorIndexingFeatures descriptor_indexing;
    VkPhysicalDevice16BitStorageFeatures storage16;
    VkPhysicalDeviceVariablePointersFeatures variable_pointers;
    VkPhysicalDevice8BitStorageFeatures storage8;
    VkPhysicalDeviceShaderFloat16Int8Features float16_int8;
    VkPhysicalDeviceShaderAtomicInt64Features int64_atomics;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT float_atomics;
    VkPhysicalDeviceBufferDeviceAddressFeatures addresses;
    VkPhysicalDeviceVulkanMemoryModelFeatures memory_model;
    VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures extended_types;
    VkPhysicalDeviceSubgroupSizeControlFeatures size_control;
    VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zero_initialize;
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot_product;
    VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR subgroup_uniform;
    VkPhysicalDeviceShaderClockFeaturesKHR clock;
    VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR maximal;
    VkPhysicalDeviceShaderQuadControlFeaturesKHR quad_control;
    VkPhysicalDeviceShaderSubgroupRotateFeaturesKHR rotate;
    VkPhysicalDeviceShaderExpectAssumeFeaturesKHR expect_assume;
    VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16;
    VkPhysicalDeviceShaderFloat8FeaturesEXT float8;
#ifdef VK_KHR_cooperative_matrix // missing from some distributions' headers
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix;
#endif
    // For dev_compile only:
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables;
#ifdef VK_KHR_pipeline_binary
    VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5;
    VkPhysicalDevicePipelineBinaryFeaturesKHR binaries;
#endif
    const char *extensions[32]; // to enable; not core in this version
    uint32_t extension_count;
    bool partitioned, old_ballot, old_vote; // extensions without a structure
    bool float_controls;                    // VkPhysicalDeviceFloatControlsProperties is available
    bool core_addresses;                    // vkGetBufferDeviceAddress is core, not an extension
    bool driver_properties;                 // VkPhysicalDeviceDriverProperties is available
    bool size_properties; // VkPhysicalDeviceSubgroupSizeControlProperties likewise
};

// Fills *features from what a device offers in version `api`: features->base is then a chain of
// exactly the features to enable, so the structure must not be copied. `capture`: including those
// to report compiled code.
void dev_features_choose(VkPhysicalDevice physical, uint32_t api, bool capture,
                         const VkExtensionProperties *offered, uint32_t count,
                         struct dev_features *features);
// The features that a device has, as bits 1 << enum cat_feature.
uint64_t dev_features_bits(const struct dev_features *features,
                           const VkPhysicalDeviceSubgroupProperties *subgroup);
