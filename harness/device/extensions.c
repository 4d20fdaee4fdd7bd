// SPDX-License-Identifier: Apache-2.0
// The features that a test may need: which of them a device offers, through its version or through
// an extension, chained as vkCreateDevice wants them.

#include "device/vulkan.h"

#include "base/text.h"

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

// Puts a structure into the chain if the device knows it, by its version or by an extension, which
// is then noted as one to enable.
static void chain(struct dev_features *features, const struct offer *offer, void *structure,
                  VkStructureType type, uint32_t core_since, const char *extension)
{
    bool core = offer->api >= core_since;
    if (!core && !has_extension(offer, extension))
        return;
    if (!core)
        features->extensions[features->extension_count++] = extension;
    VkBaseOutStructure *link = structure;
    link->sType = type;
    link->pNext = features->base.pNext;
    features->base.pNext = link;
}

static void chain_all(struct dev_features *f, const struct offer *offer)
{
    chain(f, offer, &f->storage16, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
          VK_API_VERSION_1_1, VK_KHR_16BIT_STORAGE_EXTENSION_NAME);
    chain(f, offer, &f->storage8, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
          VK_API_VERSION_1_2, VK_KHR_8BIT_STORAGE_EXTENSION_NAME);
    chain(f, offer, &f->float16_int8,
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES, VK_API_VERSION_1_2,
          VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME);
    chain(f, offer, &f->int64_atomics,
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES, VK_API_VERSION_1_2,
          VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME);
    chain(f, offer, &f->addresses, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
          VK_API_VERSION_1_2, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME);
    chain(f, offer, &f->memory_model,
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES, VK_API_VERSION_1_2,
          VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME);
    chain(f, offer, &f->extended_types,
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES,
          VK_API_VERSION_1_2, VK_KHR_SHADER_SUBGROUP_EXTENDED_TYPES_EXTENSION_NAME);
    chain(f, offer, &f->size_control,
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES, VK_API_VERSION_1_3,
          VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
    chain(f, offer, &f->subgroup_uniform,
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR,
          NEVER_CORE, VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME);
    chain(f, offer, &f->clock, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR,
          NEVER_CORE, VK_KHR_SHADER_CLOCK_EXTENSION_NAME);
#ifdef VK_KHR_shader_maximal_reconvergence
    chain(f, offer, &f->maximal,
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR, NEVER_CORE,
          VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME);
#endif
#ifdef VK_KHR_shader_subgroup_rotate
    chain(f, offer, &f->rotate,
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_ROTATE_FEATURES_KHR, NEVER_CORE,
          VK_KHR_SHADER_SUBGROUP_ROTATE_EXTENSION_NAME);
#endif
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
    chain_all(features, &offer);
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
        chain(features, &offer, &features->executables,
              VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
              NEVER_CORE, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
#ifdef VK_KHR_pipeline_binary
        if (api >= VK_API_VERSION_1_3 &&
            has_extension(&offer, VK_KHR_MAINTENANCE_5_EXTENSION_NAME) &&
            has_extension(&offer, VK_KHR_PIPELINE_BINARY_EXTENSION_NAME)) {
            chain(features, &offer, &features->maintenance5,
                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR, NEVER_CORE,
                  VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
            chain(features, &offer, &features->binaries,
                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_BINARY_FEATURES_KHR, NEVER_CORE,
                  VK_KHR_PIPELINE_BINARY_EXTENSION_NAME);
        }
#endif
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
