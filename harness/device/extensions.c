// SPDX-License-Identifier: Apache-2.0
// The features that a test may need: which of them a device offers, through its version or through
// an extension, chained as vkCreateDevice wants them.

#include "device/vulkan.h"

#include "base/text.h"

#include <stddef.h>
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
};

#define FEATURE(member, type, core, extension)                                                     \
    {                                                                                              \
        offsetof(struct dev_features, member), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type, core,     \
            VK_##extension##_EXTENSION_NAME                                                        \
    }

static const struct feature for_tests[] = {
    FEATURE(storage16, 16BIT_STORAGE_FEATURES, VK_API_VERSION_1_1, KHR_16BIT_STORAGE),
    FEATURE(storage8, 8BIT_STORAGE_FEATURES, VK_API_VERSION_1_2, KHR_8BIT_STORAGE),
    FEATURE(float16_int8, SHADER_FLOAT16_INT8_FEATURES, VK_API_VERSION_1_2,
            KHR_SHADER_FLOAT16_INT8),
    FEATURE(int64_atomics, SHADER_ATOMIC_INT64_FEATURES, VK_API_VERSION_1_2,
            KHR_SHADER_ATOMIC_INT64),
    FEATURE(addresses, BUFFER_DEVICE_ADDRESS_FEATURES, VK_API_VERSION_1_2,
            KHR_BUFFER_DEVICE_ADDRESS),
    FEATURE(memory_model, VULKAN_MEMORY_MODEL_FEATURES, VK_API_VERSION_1_2,
            KHR_VULKAN_MEMORY_MODEL),
    FEATURE(extended_types, SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES, VK_API_VERSION_1_2,
            KHR_SHADER_SUBGROUP_EXTENDED_TYPES),
    FEATURE(size_control, SUBGROUP_SIZE_CONTROL_FEATURES, VK_API_VERSION_1_3,
            EXT_SUBGROUP_SIZE_CONTROL),
    FEATURE(subgroup_uniform, SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR, NEVER_CORE,
            KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW),
    FEATURE(clock, SHADER_CLOCK_FEATURES_KHR, NEVER_CORE, KHR_SHADER_CLOCK),
#ifdef VK_KHR_shader_maximal_reconvergence
    FEATURE(maximal, SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR, NEVER_CORE,
            KHR_SHADER_MAXIMAL_RECONVERGENCE),
#endif
#ifdef VK_KHR_shader_subgroup_rotate
    FEATURE(rotate, SHADER_SUBGROUP_ROTATE_FEATURES_KHR, NEVER_CORE, KHR_SHADER_SUBGROUP_ROTATE),
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

bool dev_features_read(VkPhysicalDevice physical, uint32_t api, struct dev_features *features,
                       struct lit_error *error)
{
    memset(features, 0, sizeof *features);
    features->base.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    struct offer offer;
    if (!read_offer(physical, api, &offer, error)) {
        free(offer.extensions);
        return false;
    }
    chain(features, &offer, for_tests, sizeof for_tests / sizeof *for_tests);
    features->partitioned = has_extension(&offer, VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME);
    if (features->partitioned)
        features->extensions[features->extension_count++] =
            VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME;
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
    };
    features->clock.shaderDeviceClock = VK_FALSE;
    features->addresses.bufferDeviceAddressCaptureReplay = VK_FALSE;
    features->addresses.bufferDeviceAddressMultiDevice = VK_FALSE;
    return true;
}

bool dev_features_capture(VkPhysicalDevice physical, uint32_t api, struct dev_features *features,
                          struct lit_error *error)
{
    struct offer offer;
    const bool read = read_offer(physical, api, &offer, error);
    if (read) {
        // What was asked for is enabled; what is chained from here on is asked for once more.
        VkPhysicalDeviceFeatures2 more = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
        void *const tests = features->base.pNext;
        features->base.pNext = NULL;
        // Binaries need both of theirs, and Vulkan 1.3.
        size_t count = sizeof for_capture / sizeof *for_capture;
        for (size_t i = 1; i < sizeof for_capture / sizeof *for_capture; i++)
            if (api < VK_API_VERSION_1_3 || !has_extension(&offer, for_capture[i].extension))
                count = 1;
        chain(features, &offer, for_capture, count);
        more.pNext = features->base.pNext;
        vkGetPhysicalDeviceFeatures2(physical, &more);
        VkBaseOutStructure *last = features->base.pNext;
        while (last && last->pNext)
            last = last->pNext;
        if (last)
            last->pNext = tests;
        else
            features->base.pNext = tests;
    }
    free(offer.extensions);
    return read;
}
