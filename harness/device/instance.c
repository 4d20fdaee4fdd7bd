// SPDX-License-Identifier: Apache-2.0
// The Vulkan loader, an instance, its devices, the validation layer's messages, and checked calls.

// volk's loader converts what dlsym returns, which ISO C does not know.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#define VOLK_IMPLEMENTATION
#include <volk.h>
#pragma GCC diagnostic pop

#include "device/vulkan.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEVICES 64
#define VALIDATION  "VK_LAYER_KHRONOS_validation"

const char *dev_result_name(VkResult result, char text[32])
{
#define NAME(value)                                                                                \
    case value:                                                                                    \
        return #value
    switch ((int)result) {
        NAME(VK_SUCCESS);
        NAME(VK_NOT_READY);
        NAME(VK_TIMEOUT);
        NAME(VK_INCOMPLETE);
        NAME(VK_ERROR_OUT_OF_HOST_MEMORY);
        NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY);
        NAME(VK_ERROR_INITIALIZATION_FAILED);
        NAME(VK_ERROR_DEVICE_LOST);
        NAME(VK_ERROR_MEMORY_MAP_FAILED);
        NAME(VK_ERROR_LAYER_NOT_PRESENT);
        NAME(VK_ERROR_EXTENSION_NOT_PRESENT);
        NAME(VK_ERROR_FEATURE_NOT_PRESENT);
        NAME(VK_ERROR_INCOMPATIBLE_DRIVER);
        NAME(VK_ERROR_TOO_MANY_OBJECTS);
        NAME(VK_ERROR_FRAGMENTED_POOL);
        NAME(VK_ERROR_UNKNOWN);
        NAME(VK_ERROR_OUT_OF_POOL_MEMORY);
        NAME(VK_ERROR_INVALID_EXTERNAL_HANDLE);
        NAME(VK_ERROR_FRAGMENTATION);
        NAME(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS);
        NAME(VK_PIPELINE_COMPILE_REQUIRED);
        NAME(VK_ERROR_VALIDATION_FAILED_EXT);
        NAME(VK_ERROR_INVALID_SHADER_NV);
    }
#undef NAME
    snprintf(text, 32, "VkResult %d", (int)result);
    return text;
}

enum dev_status dev_check(VkResult result, const char *call, struct lit_error *error)
{
    if (result == VK_SUCCESS)
        return DEV_OK;
    char number[32];
    enum lit_exit code = result == VK_ERROR_DEVICE_LOST ? LIT_EXIT_DEVICE_LOST : LIT_EXIT_USAGE;
    lit_fail(error, code, "%.*s: %s", (int)strcspn(call, "("), call,
             dev_result_name(result, number));
    return result == VK_ERROR_DEVICE_LOST ? DEV_LOST : DEV_ERROR;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                 void *user)
{
    (void)severity, (void)types;
    const struct dev_instance *instance = user;
    if (instance->message && data && data->pMessage)
        instance->message(data->pMessage, instance->user);
    return VK_FALSE;
}

// The first Vulkan call: everything that can be missing on a machine is named here.
static bool load(struct dev_instance *instance, struct lit_error *error)
{
    if (volkInitialize() != VK_SUCCESS)
        return lit_fail(error, LIT_EXIT_NOTHING, "no Vulkan loader: libvulkan.so.1 is not here");
    uint32_t version = volkGetInstanceVersion();
    if (version < VK_API_VERSION_1_1)
        return lit_fail(error, LIT_EXIT_NOTHING, "the Vulkan loader is older than Vulkan 1.1");
    instance->api = version < VK_API_VERSION_1_2   ? VK_API_VERSION_1_1
                    : version < VK_API_VERSION_1_3 ? VK_API_VERSION_1_2
                                                   : VK_API_VERSION_1_3;
    return true;
}

bool dev_instance_create(struct dev_instance *instance, const struct dev_open_info *info,
                         struct lit_error *error)
{
    memset(instance, 0, sizeof *instance);
    if (!load(instance, error))
        return false;

    // The layer has VK_EXT_debug_utils.
    const bool validation = info && info->validation;
    if (info) {
        instance->message = info->message;
        instance->user = info->user;
    }
    const VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = instance,
    };
    VkResult result = vkCreateInstance(
        &(VkInstanceCreateInfo){
            .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
            .pNext = validation ? &messenger : NULL,
            .pApplicationInfo =
                &(VkApplicationInfo){
                    .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                    .pApplicationName = "litmus",
                    .apiVersion = instance->api,
                },
            .enabledLayerCount = validation,
            .ppEnabledLayerNames = (const char *const[]){VALIDATION},
            .enabledExtensionCount = validation,
            .ppEnabledExtensionNames = (const char *const[]){VK_EXT_DEBUG_UTILS_EXTENSION_NAME},
        },
        NULL, &instance->handle);
    if (result != VK_SUCCESS) {
        instance->handle = VK_NULL_HANDLE;
        if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
            return lit_fail(error, LIT_EXIT_NOTHING, "no Vulkan driver is installed");
        if (result == VK_ERROR_LAYER_NOT_PRESENT)
            return lit_fail(error, LIT_EXIT_USAGE, "no validation layer: %s is not here",
                            VALIDATION);
        char number[32];
        return lit_fail(error, LIT_EXIT_NOTHING, "no Vulkan instance: vkCreateInstance: %s",
                        dev_result_name(result, number));
    }
    volkLoadInstance(instance->handle);
    if (validation && vkCreateDebugUtilsMessengerEXT(instance->handle, &messenger, NULL,
                                                     &instance->messenger) != VK_SUCCESS)
        instance->messenger = VK_NULL_HANDLE;
    return true;
}

void dev_instance_destroy(struct dev_instance *instance)
{
    if (instance->messenger)
        vkDestroyDebugUtilsMessengerEXT(instance->handle, instance->messenger, NULL);
    if (instance->handle)
        vkDestroyInstance(instance->handle, NULL);
    memset(instance, 0, sizeof *instance);
}

bool dev_instance_devices(const struct dev_instance *instance, VkPhysicalDevice **devices,
                          size_t *count, struct lit_error *error)
{
    *devices = NULL;
    *count = 0;
    VkPhysicalDevice *list = lit_alloc(MAX_DEVICES, sizeof(VkPhysicalDevice));
    uint32_t listed = MAX_DEVICES;
    VkResult result = vkEnumeratePhysicalDevices(instance->handle, &listed, list);
    if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || listed > MAX_DEVICES) {
        free(list);
        char number[32];
        if (listed > MAX_DEVICES)
            return lit_fail(error, LIT_EXIT_NOTHING, "vkEnumeratePhysicalDevices: %u devices",
                            listed);
        return lit_fail(error, LIT_EXIT_NOTHING, "vkEnumeratePhysicalDevices: %s",
                        dev_result_name(result, number));
    }

    size_t kept = 0;
    for (uint32_t i = 0; i < listed; i++) {
        VkPhysicalDeviceProperties properties = {0};
        if (!list[i])
            continue;
        vkGetPhysicalDeviceProperties(list[i], &properties);
        if (properties.apiVersion >= VK_API_VERSION_1_1)
            list[kept++] = list[i];
    }
    if (!kept) {
        free(list);
        return lit_fail(error, LIT_EXIT_NOTHING, "no Vulkan device%s",
                        listed ? " speaks Vulkan 1.1 or later" : "");
    }
    *devices = list;
    *count = kept;
    return true;
}
