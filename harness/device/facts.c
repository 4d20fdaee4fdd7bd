// SPDX-License-Identifier: Apache-2.0
// What a driver says of itself, checked before anybody relies on it: the features that a test may
// need, through its version or an extension, chained as vkCreateDevice wants them; and its facts.

#include "device/vulkan.h"

#include "base/text.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EXTENSIONS 4096
#define NEVER_CORE     UINT32_MAX // in the versions that instance.c asks for

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
    // A list that grows between the two calls is read again.
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

// What a device offers by its version or by an extension, which is then one to enable.
struct feature {
    size_t at; // of the structure, in struct dev_features
    VkStructureType type;
    uint32_t core_since;
    const char *extension;
    // Where its features stand in VkPhysicalDeviceVulkan12Features, one behind the other, and how
    // many bytes they are; 0: they do not.
    size_t in12, bytes;
};

#define STRUCTURE(member, type)                                                                    \
    offsetof(struct dev_features, member), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type
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

// Puts the structures that the device knows into the chain.
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

// Makes one structure of those that Vulkan 1.2 has in one: vkCreateDevice takes them in no other
// way beside it.
static void gather(struct dev_features *features)
{
    VkBaseOutStructure *before = (VkBaseOutStructure *)(void *)&features->base;
    if (!features->vulkan12.sType)
        return;
    features->vulkan12 = (VkPhysicalDeviceVulkan12Features){
        .sType = features->vulkan12.sType,
        .pNext = features->vulkan12.pNext,
        .subgroupBroadcastDynamicId = features->vulkan12.subgroupBroadcastDynamicId,
    };
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

// Whether a device multiplies 16x16 halves by 16x16 halves, both to halves and to floats.
static bool has_matrices(VkPhysicalDevice physical, const struct dev_features *features)
{
#ifdef VK_KHR_cooperative_matrix
    VkCooperativeMatrixPropertiesKHR all[256];
    uint32_t count = sizeof all / sizeof *all, found = 0;
    for (size_t i = 0; i < count; i++)
        all[i] = (VkCooperativeMatrixPropertiesKHR){
            .sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
    if (!features->matrix.cooperativeMatrix || !vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR ||
        vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, &count, all) < VK_SUCCESS)
        return false;
    for (uint32_t i = 0; i < count && i < sizeof all / sizeof *all; i++) {
        const VkCooperativeMatrixPropertiesKHR *one = &all[i];
        if (one->MSize == 16 && one->NSize == 16 && one->KSize == 16 &&
            one->AType == VK_COMPONENT_TYPE_FLOAT16_KHR &&
            one->BType == VK_COMPONENT_TYPE_FLOAT16_KHR && one->CType == one->ResultType &&
            one->scope == VK_SCOPE_SUBGROUP_KHR)
            found |= one->CType == VK_COMPONENT_TYPE_FLOAT16_KHR   ? 1
                     : one->CType == VK_COMPONENT_TYPE_FLOAT32_KHR ? 2
                                                                   : 0;
    }
    return found == 3;
#else
    return (void)physical, (void)features, false;
#endif
}

// `capture`: also what reports compiled code, as far as the device offers it.
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
                 {&features->old_vote, VK_EXT_SHADER_SUBGROUP_VOTE_EXTENSION_NAME}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if ((*plain[i].there = has_extension(&offer, plain[i].name)))
            features->extensions[features->extension_count++] = plain[i].name;
    // Binaries need both of theirs, and Vulkan 1.3.
    size_t more = capture ? sizeof for_capture / sizeof *for_capture : 0;
    for (size_t i = 1; i < more; i++)
        if (api < VK_API_VERSION_1_3 || !has_extension(&offer, for_capture[i].extension))
            more = 1;
    chain(features, &offer, for_capture, more);
    features->core_addresses = api >= VK_API_VERSION_1_2;
    features->driver_properties =
        api >= VK_API_VERSION_1_2 || has_extension(&offer, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
    features->size_properties = features->size_control.sType != 0;
    free(offer.extensions);
    vkGetPhysicalDeviceFeatures2(physical, &features->base);

    // Only what a test can need is enabled: above all no robustBufferAccess, which changes code.
    const VkPhysicalDeviceFeatures offered = features->base.features;
    features->base.features = (VkPhysicalDeviceFeatures){
        .shaderInt16 = offered.shaderInt16,
        .shaderInt64 = offered.shaderInt64,
        .shaderFloat64 = offered.shaderFloat64,
        .shaderStorageBufferArrayDynamicIndexing = offered.shaderStorageBufferArrayDynamicIndexing,
    };
    features->descriptor_indexing = (VkPhysicalDeviceDescriptorIndexingFeatures){
        .sType = features->descriptor_indexing.sType,
        .pNext = features->descriptor_indexing.pNext,
        .shaderStorageBufferArrayNonUniformIndexing =
            features->descriptor_indexing.shaderStorageBufferArrayNonUniformIndexing,
    };
    features->clock.shaderDeviceClock = VK_FALSE;
    features->addresses.bufferDeviceAddressCaptureReplay = VK_FALSE;
    features->addresses.bufferDeviceAddressMultiDevice = VK_FALSE;
    gather(features);
#ifdef VK_KHR_cooperative_matrix
    features->matrix.cooperativeMatrixRobustBufferAccess = VK_FALSE;
#endif
    features->matrices = has_matrices(physical, features);
    return true;
}

// --- Facts

// Copies a driver's string, which need not be terminated.
static void take_text(char *target, size_t size, const char *source, size_t source_size)
{
    char copy[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE + VK_MAX_DRIVER_INFO_SIZE];
    size_t length = strnlen(source, source_size < sizeof copy ? source_size : sizeof copy - 1);
    memcpy(copy, source, length);
    copy[length] = '\0';
    text_sanitise(target, size, copy);
}

// The version as the vendor's own tools print it.
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
    } all[] = {
#ifdef VK_KHR_shader_subgroup_rotate
        {CAT_FEATURE_ROTATE, compute && f->rotate.shaderSubgroupRotate},
        {CAT_FEATURE_ROTATE_CLUSTERED, compute && f->rotate.shaderSubgroupRotateClustered},
#endif
        {CAT_FEATURE_FULL_SUBGROUPS, f->size_control.computeFullSubgroups},
        {CAT_FEATURE_ZERO_INITIALIZE, f->zero_initialize.shaderZeroInitializeWorkgroupMemory},
        {CAT_FEATURE_PARTITIONED,
         f->partitioned && (operations & VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV)},
        {CAT_FEATURE_OLD_BALLOT, f->old_ballot},
        {CAT_FEATURE_OLD_VOTE, f->old_vote},
        {CAT_FEATURE_INT8, f->float16_int8.shaderInt8},
        {CAT_FEATURE_INT16, f->base.features.shaderInt16},
        {CAT_FEATURE_INT64, f->base.features.shaderInt64},
        {CAT_FEATURE_FLOAT16, f->float16_int8.shaderFloat16},
        {CAT_FEATURE_FLOAT64, f->base.features.shaderFloat64},
        {CAT_FEATURE_INT64_ATOMICS, f->int64_atomics.shaderBufferInt64Atomics},
        {CAT_FEATURE_SHARED_INT64_ATOMICS, f->int64_atomics.shaderSharedInt64Atomics},
        {CAT_FEATURE_FLOAT32_ADD, f->float_atomics.shaderBufferFloat32AtomicAdd},
        {CAT_FEATURE_SHARED_FLOAT32_ADD, f->float_atomics.shaderSharedFloat32AtomicAdd},
        {CAT_FEATURE_FLOAT64_ADD, f->float_atomics.shaderBufferFloat64AtomicAdd},
        {CAT_FEATURE_SHARED_FLOAT64_ADD, f->float_atomics.shaderSharedFloat64AtomicAdd},
        {CAT_FEATURE_ADDRESSES, f->addresses.bufferDeviceAddress},
        {CAT_FEATURE_MEMORY_MODEL, f->memory_model.vulkanMemoryModel},
        {CAT_FEATURE_MEMORY_MODEL_DEVICE, f->memory_model.vulkanMemoryModelDeviceScope},
        {CAT_FEATURE_MEMORY_MODEL_CHAINS,
         f->memory_model.vulkanMemoryModelAvailabilityVisibilityChains},
        {CAT_FEATURE_CLOCK, f->clock.shaderSubgroupClock},
        {CAT_FEATURE_SUBGROUP_UNIFORM, f->subgroup_uniform.shaderSubgroupUniformControlFlow},
#ifdef VK_KHR_shader_maximal_reconvergence
        {CAT_FEATURE_MAXIMAL, f->maximal.shaderMaximalReconvergence},
#endif
#ifdef VK_KHR_shader_quad_control
        {CAT_FEATURE_QUAD_CONTROL, f->quad_control.shaderQuadControl},
#endif
        {CAT_FEATURE_BROADCAST_DYNAMIC, f->vulkan12.subgroupBroadcastDynamicId},
        {CAT_FEATURE_COOPERATIVE_MATRIX, compute && f->matrices},
        {CAT_FEATURE_DESCRIPTORS, f->base.features.shaderStorageBufferArrayDynamicIndexing},
        {CAT_FEATURE_DESCRIPTORS_NON_UNIFORM,
         f->descriptor_indexing.shaderStorageBufferArrayNonUniformIndexing},
        {CAT_FEATURE_EXTENDED_TYPES, compute && f->extended_types.shaderSubgroupExtendedTypes},
    };
    _Static_assert(CAT_FEATURE_BASIC == 0 && CAT_FEATURE_QUAD == 7 &&
                       VK_SUBGROUP_FEATURE_QUAD_BIT == 1 << 7,
                   "the first eight are in Vulkan's order");
    uint64_t bits = operations & 0xff;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].offered)
            bits |= UINT64_C(1) << all[i].feature;
    return bits;
}

static bool good_subgroup(uint32_t size)
{
    return size >= 1 && size <= 128 && !(size & (size - 1));
}

// What Vulkan demands of every device (Required Limits, Limit Requirements) and the program relies
// on.
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

// What every device says, so that one that goes on to say nothing of use can still be named.
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
