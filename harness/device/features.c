// SPDX-License-Identifier: Apache-2.0
// Supported features that tests may need, by version or extension, chained for vkCreateDevice.
#include "device/features.h"

#include <stddef.h>
#include <string.h>

#define NEVER_CORE UINT32_MAX // not in the versions that open.c requests

struct offer {
    uint32_t api;
    const VkExtensionProperties *extensions;
    uint32_t count;
};

static bool has_extension(const struct offer *offer, const char *name)
{
    for (uint32_t i = 0; i < offer->count; i++)
        if (!strncmp(offer->extensions[i].extensionName, name, VK_MAX_EXTENSION_NAME_SIZE))
            return true;
    return false;
}

// A feature structure, supported by version or by an extension that must then be enabled.
struct feature {
    size_t at, size; // of the structure, in struct dev_features
    VkStructureType type;
    uint32_t core_since;
    const char *extension;
    // The range of its features in VkPhysicalDeviceVulkan12Features, in bytes; 0: not included.
    size_t in12, bytes;
};

#define STRUCTURE(member, type)                                                                    \
    offsetof(struct dev_features, member), sizeof((struct dev_features *)NULL)->member,            \
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type
#define FEATURE(member, type, core, extension)                                                     \
    {                                                                                              \
        STRUCTURE(member, type), core, VK_##extension##_EXTENSION_NAME, 0, 0                       \
    }
#define FEATURE12(member, type, extension, first, last)                                            \
    {                                                                                              \
        STRUCTURE(member, type), VK_API_VERSION_1_2, VK_##extension##_EXTENSION_NAME,              \
            offsetof(VkPhysicalDeviceVulkan12Features, first),                                     \
            offsetof(VkPhysicalDeviceVulkan12Features, last) -                                     \
                offsetof(VkPhysicalDeviceVulkan12Features, first) + sizeof(VkBool32)               \
    }

static const struct feature for_tests[] = {
    FEATURE(storage16, 16BIT_STORAGE_FEATURES, VK_API_VERSION_1_1, KHR_16BIT_STORAGE),
    FEATURE(variable_pointers, VARIABLE_POINTERS_FEATURES, VK_API_VERSION_1_1,
            KHR_VARIABLE_POINTERS),
    {STRUCTURE(vulkan12, VULKAN_1_2_FEATURES), VK_API_VERSION_1_2, "VK_VERSION_1_2", 0, 0},
    FEATURE12(storage8, 8BIT_STORAGE_FEATURES, KHR_8BIT_STORAGE, storageBuffer8BitAccess,
              storagePushConstant8),
    FEATURE12(float16_int8, SHADER_FLOAT16_INT8_FEATURES, KHR_SHADER_FLOAT16_INT8, shaderFloat16,
              shaderInt8),
    FEATURE12(int64_atomics, SHADER_ATOMIC_INT64_FEATURES, KHR_SHADER_ATOMIC_INT64,
              shaderBufferInt64Atomics, shaderSharedInt64Atomics),
    FEATURE(float_atomics, SHADER_ATOMIC_FLOAT_FEATURES_EXT, NEVER_CORE, EXT_SHADER_ATOMIC_FLOAT),
    FEATURE12(addresses, BUFFER_DEVICE_ADDRESS_FEATURES, KHR_BUFFER_DEVICE_ADDRESS,
              bufferDeviceAddress, bufferDeviceAddressMultiDevice),
    FEATURE12(memory_model, VULKAN_MEMORY_MODEL_FEATURES, KHR_VULKAN_MEMORY_MODEL,
              vulkanMemoryModel, vulkanMemoryModelAvailabilityVisibilityChains),
    FEATURE12(extended_types, SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES,
              KHR_SHADER_SUBGROUP_EXTENDED_TYPES, shaderSubgroupExtendedTypes,
              shaderSubgroupExtendedTypes),
    FEATURE12(descriptor_indexing, DESCRIPTOR_INDEXING_FEATURES, EXT_DESCRIPTOR_INDEXING,
              shaderInputAttachmentArrayDynamicIndexing, runtimeDescriptorArray),
    FEATURE(size_control, SUBGROUP_SIZE_CONTROL_FEATURES, VK_API_VERSION_1_3,
            EXT_SUBGROUP_SIZE_CONTROL),
    FEATURE(zero_initialize, ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES, VK_API_VERSION_1_3,
            KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY),
    FEATURE(dot_product, SHADER_INTEGER_DOT_PRODUCT_FEATURES, VK_API_VERSION_1_3,
            KHR_SHADER_INTEGER_DOT_PRODUCT),
    FEATURE(subgroup_uniform, SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR, NEVER_CORE,
            KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW),
    FEATURE(clock, SHADER_CLOCK_FEATURES_KHR, NEVER_CORE, KHR_SHADER_CLOCK),
    FEATURE(maximal, SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR, NEVER_CORE,
            KHR_SHADER_MAXIMAL_RECONVERGENCE),
    FEATURE(quad_control, SHADER_QUAD_CONTROL_FEATURES_KHR, NEVER_CORE, KHR_SHADER_QUAD_CONTROL),
    FEATURE(rotate, SHADER_SUBGROUP_ROTATE_FEATURES_KHR, NEVER_CORE, KHR_SHADER_SUBGROUP_ROTATE),
    FEATURE(expect_assume, SHADER_EXPECT_ASSUME_FEATURES_KHR, NEVER_CORE, KHR_SHADER_EXPECT_ASSUME),
    FEATURE(bfloat16, SHADER_BFLOAT16_FEATURES_KHR, NEVER_CORE, KHR_SHADER_BFLOAT16),
    FEATURE(float8, SHADER_FLOAT8_FEATURES_EXT, NEVER_CORE, EXT_SHADER_FLOAT8),
#ifdef VK_KHR_cooperative_matrix
    FEATURE(matrix, COOPERATIVE_MATRIX_FEATURES_KHR, NEVER_CORE, KHR_COOPERATIVE_MATRIX),
#endif
};

static const struct feature for_capture[] = {
    FEATURE(executables, PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, NEVER_CORE,
            KHR_PIPELINE_EXECUTABLE_PROPERTIES),
#ifdef VK_KHR_pipeline_binary
    FEATURE(maintenance5, MAINTENANCE_5_FEATURES_KHR, NEVER_CORE, KHR_MAINTENANCE_5),
    FEATURE(binaries, PIPELINE_BINARY_FEATURES_KHR, NEVER_CORE, KHR_PIPELINE_BINARY),
#endif
};

// Chains the structures that the device supports.
static void chain(struct dev_features *features, const struct offer *offer,
                  const struct feature *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool core = offer->api >= list[i].core_since;
        VkBaseOutStructure *link = (void *)((char *)features + list[i].at);
        if (!core && !has_extension(offer, list[i].extension))
            continue;
        if (!core)
            features->extensions[features->extension_count++] = list[i].extension;
        link->sType = list[i].type;
        link->pNext = features->base.pNext;
        features->base.pNext = link;
    }
}

// Merges the structures that Vulkan 1.2 combines: vkCreateDevice does not accept them beside the
// combined one.
static void gather(struct dev_features *features)
{
    VkBaseOutStructure *before = (VkBaseOutStructure *)(void *)&features->base;
    if (!features->vulkan12.sType)
        return;
    while (before->pNext) {
        VkBaseOutStructure *here = before->pNext;
        size_t i = 0;
        while (i < sizeof for_tests / sizeof *for_tests &&
               (for_tests[i].type != here->sType || !for_tests[i].bytes))
            i++;
        if (i == sizeof for_tests / sizeof *for_tests) {
            before = here;
            continue;
        }
        memcpy((char *)&features->vulkan12 + for_tests[i].in12, here + 1, for_tests[i].bytes);
        before->pNext = here->pNext;
    }
}

// Features to enable if supported; those with a bit can be required by modules. All others stay
// off, above all robustBufferAccess, which changes code.
#define NO_BIT CAT_FEATURE_COUNT
static const struct {
    enum cat_feature feature;
    bool compute; // only if compute shaders support subgroups
    size_t at;    // the VkBool32, in struct dev_features
} switches[] = {
#define SWITCH(feature, member)                                                                    \
    {                                                                                              \
        CAT_FEATURE_##feature, false, offsetof(struct dev_features, member)                        \
    }
#define SWITCH_GROUP(feature, member)                                                              \
    {                                                                                              \
        CAT_FEATURE_##feature, true, offsetof(struct dev_features, member)                         \
    }
#define SWITCH_ONLY(member)                                                                        \
    {                                                                                              \
        NO_BIT, false, offsetof(struct dev_features, member)                                       \
    }
    SWITCH(INT16, base.features.shaderInt16),
    SWITCH(INT64, base.features.shaderInt64),
    SWITCH(FLOAT64, base.features.shaderFloat64),
    SWITCH(DESCRIPTORS, base.features.shaderStorageBufferArrayDynamicIndexing),
    SWITCH(DESCRIPTORS_UNIFORM, base.features.shaderUniformBufferArrayDynamicIndexing),
    SWITCH(DESCRIPTORS_NON_UNIFORM, descriptor_indexing.shaderStorageBufferArrayNonUniformIndexing),
    SWITCH(DESCRIPTORS_UNIFORM_NON_UNIFORM,
           descriptor_indexing.shaderUniformBufferArrayNonUniformIndexing),
    SWITCH(DESCRIPTORS_RUNTIME, descriptor_indexing.runtimeDescriptorArray),
    SWITCH(STORAGE16, storage16.storageBuffer16BitAccess),
    SWITCH(UNIFORM16, storage16.uniformAndStorageBuffer16BitAccess),
    SWITCH(PUSH16, storage16.storagePushConstant16),
    SWITCH(STORAGE8, storage8.storageBuffer8BitAccess),
    SWITCH(UNIFORM8, storage8.uniformAndStorageBuffer8BitAccess),
    SWITCH(PUSH8, storage8.storagePushConstant8),
    SWITCH(VARIABLE_POINTERS_STORAGE, variable_pointers.variablePointersStorageBuffer),
    SWITCH(VARIABLE_POINTERS, variable_pointers.variablePointers),
    SWITCH(DOT_PRODUCT, dot_product.shaderIntegerDotProduct),
    SWITCH(INT8, float16_int8.shaderInt8),
    SWITCH(FLOAT16, float16_int8.shaderFloat16),
    SWITCH(INT64_ATOMICS, int64_atomics.shaderBufferInt64Atomics),
    SWITCH(SHARED_INT64_ATOMICS, int64_atomics.shaderSharedInt64Atomics),
    SWITCH(FLOAT32_ADD, float_atomics.shaderBufferFloat32AtomicAdd),
    SWITCH(SHARED_FLOAT32_ADD, float_atomics.shaderSharedFloat32AtomicAdd),
    SWITCH(FLOAT64_ADD, float_atomics.shaderBufferFloat64AtomicAdd),
    SWITCH(SHARED_FLOAT64_ADD, float_atomics.shaderSharedFloat64AtomicAdd),
    SWITCH(ADDRESSES, addresses.bufferDeviceAddress),
    SWITCH(MEMORY_MODEL, memory_model.vulkanMemoryModel),
    SWITCH(MEMORY_MODEL_DEVICE, memory_model.vulkanMemoryModelDeviceScope),
    SWITCH(MEMORY_MODEL_CHAINS, memory_model.vulkanMemoryModelAvailabilityVisibilityChains),
    SWITCH(CLOCK, clock.shaderSubgroupClock),
    SWITCH(FULL_SUBGROUPS, size_control.computeFullSubgroups),
    SWITCH_ONLY(size_control.subgroupSizeControl),
    SWITCH(ZERO_INITIALIZE, zero_initialize.shaderZeroInitializeWorkgroupMemory),
    SWITCH(SUBGROUP_UNIFORM, subgroup_uniform.shaderSubgroupUniformControlFlow),
    SWITCH(BROADCAST_DYNAMIC, vulkan12.subgroupBroadcastDynamicId),
    SWITCH_GROUP(EXTENDED_TYPES, extended_types.shaderSubgroupExtendedTypes),
    SWITCH_GROUP(ROTATE, rotate.shaderSubgroupRotate),
    SWITCH_GROUP(ROTATE_CLUSTERED, rotate.shaderSubgroupRotateClustered),
    SWITCH(MAXIMAL, maximal.shaderMaximalReconvergence),
    SWITCH(QUAD_CONTROL, quad_control.shaderQuadControl),
    SWITCH(EXPECT_ASSUME, expect_assume.shaderExpectAssume),
    SWITCH(BFLOAT16, bfloat16.shaderBFloat16Type),
    SWITCH_GROUP(BFLOAT16_MATRIX, bfloat16.shaderBFloat16CooperativeMatrix),
    SWITCH(FLOAT8, float8.shaderFloat8),
    SWITCH_GROUP(FLOAT8_MATRIX, float8.shaderFloat8CooperativeMatrix),
#ifdef VK_KHR_cooperative_matrix
    SWITCH_GROUP(COOPERATIVE_MATRIX, matrix.cooperativeMatrix),
#endif
    SWITCH_ONLY(executables.pipelineExecutableInfo),
#ifdef VK_KHR_pipeline_binary
    SWITCH_ONLY(maintenance5.maintenance5),
    SWITCH_ONLY(binaries.pipelineBinaries),
#endif
};

static VkBool32 *switch_at(const struct dev_features *features, size_t i)
{
    return (VkBool32 *)(void *)((char *)features + switches[i].at);
}

static void clear_structures(struct dev_features *features, const struct feature *list,
                             size_t count)
{
    for (size_t i = 0; i < count; i++)
        memset((char *)features + list[i].at + sizeof(VkBaseOutStructure), 0,
               list[i].size - sizeof(VkBaseOutStructure));
}

// Disables supported features that should stay off.
static void choose(struct dev_features *features)
{
    VkBool32 offered[sizeof switches / sizeof *switches];
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        offered[i] = *switch_at(features, i);
    features->base.features = (VkPhysicalDeviceFeatures){0};
    clear_structures(features, for_tests, sizeof for_tests / sizeof *for_tests);
    clear_structures(features, for_capture, sizeof for_capture / sizeof *for_capture);
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        *switch_at(features, i) = offered[i];
}

void dev_features_choose(VkPhysicalDevice physical, uint32_t api, bool capture,
                         const VkExtensionProperties *offered, uint32_t count,
                         struct dev_features *features)
{
    const struct offer offer = {api, offered, count};
    memset(features, 0, sizeof *features);
    features->base.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    chain(features, &offer, for_tests, sizeof for_tests / sizeof *for_tests);
    const struct {
        bool *there;
        const char *name;
    } plain[] = {{&features->partitioned, VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME},
                 {&features->old_ballot, VK_EXT_SHADER_SUBGROUP_BALLOT_EXTENSION_NAME},
                 {&features->old_vote, VK_EXT_SHADER_SUBGROUP_VOTE_EXTENSION_NAME},
                 {&features->float_controls, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if ((*plain[i].there = has_extension(&offer, plain[i].name)))
            features->extensions[features->extension_count++] = plain[i].name;
    // Pipeline binaries need both extensions and Vulkan 1.3.
    size_t more = capture ? sizeof for_capture / sizeof *for_capture : 0;
    for (size_t i = 1; i < more; i++)
        if (api < VK_API_VERSION_1_3 || !has_extension(&offer, for_capture[i].extension))
            more = 1;
    chain(features, &offer, for_capture, more);
    features->float_controls |= api >= VK_API_VERSION_1_2;
    features->core_addresses = api >= VK_API_VERSION_1_2;
    features->driver_properties =
        api >= VK_API_VERSION_1_2 || has_extension(&offer, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
    features->size_properties = api >= VK_API_VERSION_1_3 ||
                                has_extension(&offer, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
    vkGetPhysicalDeviceFeatures2(physical, &features->base);

    choose(features);
    gather(features);
}

uint64_t dev_features_bits(const struct dev_features *f,
                           const VkPhysicalDeviceSubgroupProperties *subgroup)
{
    const bool compute = subgroup->supportedStages & VK_SHADER_STAGE_COMPUTE_BIT;
    const VkSubgroupFeatureFlags operations = compute ? subgroup->supportedOperations : 0;
    const struct {
        enum cat_feature feature;
        bool offered;
    } others[] = {
        {CAT_FEATURE_PARTITIONED,
         f->partitioned && (operations & VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV)},
        {CAT_FEATURE_OLD_BALLOT, f->old_ballot},
        {CAT_FEATURE_OLD_VOTE, f->old_vote},
        {CAT_FEATURE_FLOAT_CONTROLS, f->float_controls},
    };
    _Static_assert(CAT_FEATURE_BASIC == 0 && CAT_FEATURE_QUAD == 7 &&
                       VK_SUBGROUP_FEATURE_QUAD_BIT == 1 << 7,
                   "the first eight are in Vulkan's order");
    uint64_t bits = operations & 0xff;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].offered)
            bits |= UINT64_C(1) << others[i].feature;
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (switches[i].feature != NO_BIT && *switch_at(f, i) && (compute || !switches[i].compute))
            bits |= UINT64_C(1) << switches[i].feature;
    return bits;
}
