// SPDX-License-Identifier: Apache-2.0
// Validated information from drivers: supported features that tests may need, by version or
// extension, chained for vkCreateDevice; and the device's facts.

#include "device/vulkan.h"

#include "base/text.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EXTENSIONS 4096
#define NEVER_CORE     UINT32_MAX // not in the versions that instance.c requests

struct offer {
    uint32_t api;
    VkExtensionProperties *extensions;
    uint32_t count;
};

static bool read_offer(VkPhysicalDevice physical, uint32_t api, struct offer *offer,
                       struct lit_error *error)
{
    char number[32];
    VkResult result = VK_INCOMPLETE;
    *offer = (struct offer){.api = api};
    // Retry if the list grew between the two calls.
    for (unsigned turn = 0; turn < 8 && result == VK_INCOMPLETE; turn++) {
        uint32_t count = 0;
        result = vkEnumerateDeviceExtensionProperties(physical, NULL, &count, NULL);
        if (result != VK_SUCCESS)
            break;
        if (count > MAX_EXTENSIONS)
            return lit_fail(error, LIT_EXIT_USAGE, "the driver lists %u device extensions", count);
        offer->extensions = lit_realloc(offer->extensions, count + 1, sizeof *offer->extensions);
        offer->count = count;
        result =
            vkEnumerateDeviceExtensionProperties(physical, NULL, &offer->count, offer->extensions);
        if (offer->count > count)
            offer->count = count;
    }
    return result == VK_SUCCESS ||
           lit_fail(error, LIT_EXIT_USAGE, "%s: %s", "vkEnumerateDeviceExtensionProperties",
                    dev_result_name(result, number));
}

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
#ifdef VK_KHR_shader_maximal_reconvergence
    FEATURE(maximal, SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR, NEVER_CORE,
            KHR_SHADER_MAXIMAL_RECONVERGENCE),
#endif
#ifdef VK_KHR_shader_quad_control
    FEATURE(quad_control, SHADER_QUAD_CONTROL_FEATURES_KHR, NEVER_CORE, KHR_SHADER_QUAD_CONTROL),
#endif
#ifdef VK_KHR_shader_subgroup_rotate
    FEATURE(rotate, SHADER_SUBGROUP_ROTATE_FEATURES_KHR, NEVER_CORE, KHR_SHADER_SUBGROUP_ROTATE),
#endif
#ifdef VK_KHR_shader_expect_assume
    FEATURE(expect_assume, SHADER_EXPECT_ASSUME_FEATURES_KHR, NEVER_CORE, KHR_SHADER_EXPECT_ASSUME),
#endif
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
#ifdef VK_KHR_shader_subgroup_rotate
    SWITCH_GROUP(ROTATE, rotate.shaderSubgroupRotate),
    SWITCH_GROUP(ROTATE_CLUSTERED, rotate.shaderSubgroupRotateClustered),
#endif
#ifdef VK_KHR_shader_maximal_reconvergence
    SWITCH(MAXIMAL, maximal.shaderMaximalReconvergence),
#endif
#ifdef VK_KHR_shader_quad_control
    SWITCH(QUAD_CONTROL, quad_control.shaderQuadControl),
#endif
#ifdef VK_KHR_shader_expect_assume
    SWITCH(EXPECT_ASSUME, expect_assume.shaderExpectAssume),
#endif
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

// `capture`: also enables reporting of compiled code, if supported.
static bool read_features(VkPhysicalDevice physical, uint32_t api, bool capture,
                          struct dev_features *features, struct lit_error *error)
{
    memset(features, 0, sizeof *features);
    features->base.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    struct offer offer;
    if (!read_offer(physical, api, &offer, error)) {
        free(offer.extensions);
        return false;
    }
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
    features->size_properties = features->size_control.sType != 0;
    free(offer.extensions);
    vkGetPhysicalDeviceFeatures2(physical, &features->base);

    choose(features);
    gather(features);
    return true;
}

// --- Facts

// Copies a driver's string, which may lack its terminator.
static void take_text(char *target, size_t size, const char *source, size_t source_size)
{
    char copy[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE + VK_MAX_DRIVER_INFO_SIZE];
    size_t length = strnlen(source, source_size < sizeof copy ? source_size : sizeof copy - 1);
    memcpy(copy, source, length);
    copy[length] = '\0';
    text_sanitise(target, size, copy);
}

// Formats the version as the vendor's tools do.
static void write_version(struct dev_facts *facts)
{
    static const char numeric[] = "0123456789.";
    char *target = facts->driver_version;
    const size_t size = sizeof facts->driver_version;
    const uint32_t raw = facts->driver_raw;
    const char *info = facts->driver_info;
    const char *mesa = strncmp(info, "Mesa ", 5) ? NULL : info + 5;
    const bool nvidia = facts->driver_id == VK_DRIVER_ID_NVIDIA_PROPRIETARY ||
                        (!facts->driver_id && facts->vendor == 0x10de);

    if (mesa && *mesa) {
        snprintf(target, size, "%.*s", (int)strcspn(mesa, " "), mesa);
    } else if (nvidia && *info && info[strspn(info, numeric)] == '\0') {
        snprintf(target, size, "%.*s", (int)size - 1, info);
    } else if (nvidia) {
        const uint32_t third = raw >> 6 & 0xff, fourth = raw & 0x3f;
        int length = snprintf(target, size, "%u.%02u", raw >> 22, raw >> 14 & 0xff);
        if (third || fourth)
            length += snprintf(target + length, size - (size_t)length, ".%02u", third);
        if (fourth)
            snprintf(target + length, size - (size_t)length, ".%02u", fourth);
    } else {
        snprintf(target, size, "%u.%u.%u", VK_API_VERSION_MAJOR(raw), VK_API_VERSION_MINOR(raw),
                 VK_API_VERSION_PATCH(raw));
    }
}

static uint64_t feature_bits(const struct dev_features *f,
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

static bool good_subgroup(uint32_t size)
{
    return size >= 1 && size <= 128 && !(size & (size - 1));
}

// Checks limits that Vulkan guarantees (Required Limits, Limit Requirements) and this program
// relies on.
static bool check_limits(struct dev_facts *facts, struct lit_error *error)
{
    const uint32_t size = facts->subgroup, least = facts->subgroup_min, most = facts->subgroup_max;
    if (!good_subgroup(size) || !good_subgroup(least) || !good_subgroup(most) || least > size ||
        size > most) {
        facts->subgroup = facts->subgroup_min = facts->subgroup_max = 0;
        facts->subgroup_control = false;
        return lit_fail(error, LIT_EXIT_USAGE,
                        "the driver says that its subgroup size is %u, from %u to %u", size, least,
                        most);
    }
    if (facts->max_workgroup < 64 || facts->max_workgroups < 65535 || facts->max_shared < 16384 ||
        facts->max_storage_buffer < 1u << 27)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "the driver's limits are below Vulkan's: workgroups of %u, %u of them, "
                        "%u bytes shared, storage buffers of %llu bytes",
                        facts->max_workgroup, facts->max_workgroups, facts->max_shared,
                        (unsigned long long)facts->max_storage_buffer);
    return true;
}

// Fields that every device reports, so that a device can be named even if the rest is unusable.
static void take_plain(struct dev_facts *facts, const VkPhysicalDeviceProperties *said)
{
    const uint32_t loader = volkGetInstanceVersion();
    take_text(facts->name, sizeof facts->name, said->deviceName, sizeof said->deviceName);
    facts->vendor = said->vendorID;
    facts->product = said->deviceID;
    facts->api = said->apiVersion;
    facts->driver_raw = said->driverVersion;
    facts->cpu = said->deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    snprintf(facts->type, sizeof facts->type, "%s",
             dev_types[(unsigned)said->deviceType < DEV_TYPES ? said->deviceType : 0]);
    snprintf(facts->loader, sizeof facts->loader, "%u.%u.%u", VK_API_VERSION_MAJOR(loader),
             VK_API_VERSION_MINOR(loader), VK_API_VERSION_PATCH(loader));
    write_version(facts);
}

bool dev_facts_read(VkPhysicalDevice physical, uint32_t instance_api, bool capture,
                    struct dev_facts *facts, struct dev_features *features, struct lit_error *error)
{
    memset(facts, 0, sizeof *facts);
    VkPhysicalDeviceProperties plain = {0};
    vkGetPhysicalDeviceProperties(physical, &plain);
    const uint32_t api = plain.apiVersion < instance_api ? plain.apiVersion : instance_api;
    take_plain(facts, &plain);
    if (!read_features(physical, api, capture, features, error))
        return false;

    VkPhysicalDeviceSubgroupSizeControlProperties sizes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES,
    };
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
    };
    VkPhysicalDeviceSubgroupProperties subgroup = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
    };
    VkPhysicalDeviceIDProperties ids = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
        .pNext = &subgroup,
    };
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &ids,
    };
    void **end = &subgroup.pNext;
    if (features->driver_properties) {
        *end = &driver;
        end = &driver.pNext;
    }
    if (features->size_properties)
        *end = &sizes;
    vkGetPhysicalDeviceProperties2(physical, &properties);

    const VkPhysicalDeviceLimits *limits = &properties.properties.limits;
    take_text(facts->driver_name, sizeof facts->driver_name, driver.driverName,
              sizeof driver.driverName);
    take_text(facts->driver_info, sizeof facts->driver_info, driver.driverInfo,
              sizeof driver.driverInfo);
    memcpy(facts->device_uuid, ids.deviceUUID, sizeof facts->device_uuid);
    memcpy(facts->driver_uuid, ids.driverUUID, sizeof facts->driver_uuid);
    facts->driver_id = (uint32_t)driver.driverID;
    write_version(facts);

    facts->subgroup = facts->subgroup_min = facts->subgroup_max = subgroup.subgroupSize;
    facts->subgroup_control = features->size_control.subgroupSizeControl &&
                              (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
    if (facts->subgroup_control) {
        facts->subgroup_min = sizes.minSubgroupSize;
        facts->subgroup_max = sizes.maxSubgroupSize;
        facts->max_subgroups = sizes.maxComputeWorkgroupSubgroups;
    }
    facts->max_workgroup = limits->maxComputeWorkGroupInvocations;
    if (facts->max_workgroup > limits->maxComputeWorkGroupSize[0])
        facts->max_workgroup = limits->maxComputeWorkGroupSize[0];
    facts->max_workgroups = limits->maxComputeWorkGroupCount[0];
    facts->max_shared = limits->maxComputeSharedMemorySize;
    facts->max_storage_buffer = limits->maxStorageBufferRange;
    facts->features = feature_bits(features, &subgroup);
    return check_limits(facts, error);
}
