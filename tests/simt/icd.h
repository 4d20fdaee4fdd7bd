// SPDX-License-Identifier: Apache-2.0
// An instance and a device of the driver, linked directly, and what it said meanwhile.
#pragma once

#include "../unit/unit.h"

#include "icd/icd.h"

struct said {
    unsigned count;
    VkDebugUtilsMessageSeverityFlagBitsEXT severity; // of the last line
    char line[1024];
};

static VKAPI_ATTR VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                           VkDebugUtilsMessageTypeFlagsEXT types,
                                           const VkDebugUtilsMessengerCallbackDataEXT *data,
                                           void *user)
{
    struct said *said = user;
    said->count++;
    said->severity = severity;
    strncpy(said->line, data->pMessage, sizeof said->line - 1);
    return VK_FALSE;
}

static inline VkDebugUtilsMessengerCreateInfoEXT listener(struct said *said)
{
    return (VkDebugUtilsMessengerCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
        .pfnUserCallback = hear,
        .pUserData = said,
    };
}

// LITMUS_SIMT is `settings`, or not set if that is NULL.
static inline VkResult make_instance(const char *settings, struct said *said, VkInstance *instance)
{
    const VkDebugUtilsMessengerCreateInfoEXT info = listener(said);
    if (settings)
        setenv("LITMUS_SIMT", settings, 1);
    else
        unsetenv("LITMUS_SIMT");
    return icd_CreateInstance(
        &(VkInstanceCreateInfo){
            .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
            .pNext = said ? &info : NULL,
            .enabledExtensionCount = 1,
            .ppEnabledExtensionNames = (const char *[]){VK_EXT_DEBUG_UTILS_EXTENSION_NAME},
        },
        NULL, instance);
}

static inline VkPhysicalDevice get_physical(VkInstance instance)
{
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    uint32_t count = 1;
    assert_success(icd_EnumeratePhysicalDevices(instance, &count, &physical));
    assert_int_equal(count, 1);
    return physical;
}

// With the structures of features, and one queue.
static inline VkResult make_device(VkPhysicalDevice physical, const void *features,
                                   const VkPhysicalDeviceFeatures *core, uint32_t extension_count,
                                   const char *const *extensions, VkDevice *device)
{
    return icd_CreateDevice(physical,
                            &(VkDeviceCreateInfo){
                                .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                .pNext = features,
                                .queueCreateInfoCount = 1,
                                .pQueueCreateInfos =
                                    &(VkDeviceQueueCreateInfo){
                                        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                        .queueCount = 1,
                                        .pQueuePriorities = &(float){1},
                                    },
                                .enabledExtensionCount = extension_count,
                                .ppEnabledExtensionNames = extensions,
                                .pEnabledFeatures = core,
                            },
                            NULL, device);
}
