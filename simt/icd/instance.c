// SPDX-License-Identifier: Apache-2.0
// Instances, and messages through debug messengers and on stderr.
#include "icd/icd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct icd_messenger {
    struct icd_messenger *next;
    VkDebugUtilsMessengerCreateInfoEXT info;
};

#define LINE_MAX_BYTES 1024

// Without VK_KHR_device_group_creation, from which vulkaninfo concludes that there is a swapchain.
static const VkExtensionProperties extensions[] = {
    {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_DEBUG_UTILS_SPEC_VERSION},
    {VK_KHR_EXTERNAL_FENCE_CAPABILITIES_EXTENSION_NAME,
     VK_KHR_EXTERNAL_FENCE_CAPABILITIES_SPEC_VERSION},
    {VK_KHR_EXTERNAL_MEMORY_CAPABILITIES_EXTENSION_NAME,
     VK_KHR_EXTERNAL_MEMORY_CAPABILITIES_SPEC_VERSION},
    {VK_KHR_EXTERNAL_SEMAPHORE_CAPABILITIES_EXTENSION_NAME,
     VK_KHR_EXTERNAL_SEMAPHORE_CAPABILITIES_SPEC_VERSION},
    {VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME,
     VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_SPEC_VERSION},
};

#define EXTENSION_COUNT (uint32_t)(sizeof extensions / sizeof *extensions)

uint32_t icd_room(uint32_t have, const void *out, uint32_t *count, VkResult *result)
{
    *result = VK_SUCCESS;
    if (!out) {
        *count = have;
        return 0;
    }
    if (*count < have)
        *result = VK_INCOMPLETE;
    else
        *count = have;
    return *count;
}

const void *icd_find(const void *next, VkStructureType type)
{
    const VkBaseInStructure *structure = next;
    while (structure && structure->sType != type)
        structure = structure->pNext;
    return structure;
}

// Messages

static void send(const struct icd_messenger *messenger,
                 VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                 VkDebugUtilsMessageTypeFlagsEXT types,
                 const VkDebugUtilsMessengerCallbackDataEXT *data)
{
    for (; messenger; messenger = messenger->next)
        if ((messenger->info.messageSeverity & severity) && (messenger->info.messageType & types))
            messenger->info.pfnUserCallback(severity, types, data, messenger->info.pUserData);
}

void icd_say(struct icd_instance *instance, enum icd_severity severity, const char *line)
{
    static const VkDebugUtilsMessageSeverityFlagBitsEXT severities[] = {
        [ICD_INFO] = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
        [ICD_WARNING] = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        [ICD_ERROR] = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
    };
    char text[LINE_MAX_BYTES];
    snprintf(text, sizeof text, "%s", line);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    fprintf(stderr, "simt: %s\n", text);

    const VkDebugUtilsMessengerCallbackDataEXT data = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
        .pMessageIdName = "simt",
        .pMessage = text,
    };
    pthread_mutex_lock(&instance->lock);
    send(instance->messengers, severities[severity], VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
         &data);
    pthread_mutex_unlock(&instance->lock);
}

static VkResult add_messenger(struct icd_instance *instance,
                              const VkDebugUtilsMessengerCreateInfoEXT *info,
                              struct icd_messenger **added)
{
    struct icd_messenger *messenger = malloc(sizeof *messenger);
    if (!messenger)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&instance->lock);
    *messenger = (struct icd_messenger){.next = instance->messengers, .info = *info};
    instance->messengers = messenger;
    pthread_mutex_unlock(&instance->lock);
    *added = messenger;
    return VK_SUCCESS;
}

static void remove_messenger(struct icd_instance *instance, struct icd_messenger *messenger)
{
    pthread_mutex_lock(&instance->lock);
    struct icd_messenger **at = &instance->messengers;
    while (*at && *at != messenger)
        at = &(*at)->next;
    if (*at)
        *at = messenger->next;
    pthread_mutex_unlock(&instance->lock);
    free(messenger);
}

VKAPI_ATTR VkResult VKAPI_CALL icd_CreateDebugUtilsMessengerEXT(
    VkInstance handle, const VkDebugUtilsMessengerCreateInfoEXT *info,
    const VkAllocationCallbacks *allocator, VkDebugUtilsMessengerEXT *messenger)
{
    (void)allocator;
    struct icd_messenger *added;
    const VkResult result = add_messenger(ICD_OBJECT(icd_instance, handle), info, &added);
    if (result == VK_SUCCESS)
        *messenger = ICD_HANDLE(VkDebugUtilsMessengerEXT, added);
    return result;
}

VKAPI_ATTR void VKAPI_CALL icd_DestroyDebugUtilsMessengerEXT(VkInstance handle,
                                                             VkDebugUtilsMessengerEXT messenger,
                                                             const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    if (messenger)
        remove_messenger(ICD_OBJECT(icd_instance, handle), ICD_OBJECT(icd_messenger, messenger));
}

VKAPI_ATTR void VKAPI_CALL icd_SubmitDebugUtilsMessageEXT(
    VkInstance handle, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
    VkDebugUtilsMessageTypeFlagsEXT types, const VkDebugUtilsMessengerCallbackDataEXT *data)
{
    struct icd_instance *instance = ICD_OBJECT(icd_instance, handle);
    pthread_mutex_lock(&instance->lock);
    send(instance->messengers, severity, types, data);
    pthread_mutex_unlock(&instance->lock);
}

// Instances

VKAPI_ATTR VkResult VKAPI_CALL icd_EnumerateInstanceVersion(uint32_t *version)
{
    *version = ICD_API_VERSION;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_EnumerateInstanceExtensionProperties(const char *layer,
                                                                        uint32_t *count,
                                                                        VkExtensionProperties *out)
{
    if (layer)
        return VK_ERROR_LAYER_NOT_PRESENT;
    VkResult result;
    const uint32_t some = icd_room(EXTENSION_COUNT, out, count, &result);
    if (some)
        memcpy(out, extensions, some * sizeof *out);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_EnumerateInstanceLayerProperties(uint32_t *count,
                                                                    VkLayerProperties *out)
{
    (void)out;
    *count = 0;
    return VK_SUCCESS;
}

static bool extension_known(const char *name)
{
    for (uint32_t i = 0; i < EXTENSION_COUNT; i++)
        if (!strcmp(extensions[i].extensionName, name))
            return true;
    return false;
}

static VkResult read_settings(struct icd_instance *instance, const VkInstanceCreateInfo *info)
{
    char error[LINE_MAX_BYTES];
    struct settings settings;
    if (settings_parse(getenv("LITMUS_SIMT"), &settings, error, sizeof error)) {
        instance->physical_count = settings.devices;
        for (uint32_t i = 0; i < settings.devices; i++) {
            struct icd_physical *physical = &instance->physicals[i];
            *physical = (struct icd_physical){.instance = instance, .settings = settings};
            set_loader_magic_value(physical);
            // Another seed makes another device, distinguishable by driverInfo and deviceUUID.
            physical->settings.seed += i;
        }
        return VK_SUCCESS;
    }
    // The only messengers so far are those chained to this call.
    const VkDebugUtilsMessengerCreateInfoEXT *chained =
        icd_find(info->pNext, VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
    struct icd_messenger *messenger = NULL;
    if (chained)
        add_messenger(instance, chained, &messenger);
    icd_say(instance, ICD_ERROR, error);
    if (messenger)
        remove_messenger(instance, messenger);
    return VK_ERROR_INITIALIZATION_FAILED;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_CreateInstance(const VkInstanceCreateInfo *info,
                                                  const VkAllocationCallbacks *allocator,
                                                  VkInstance *handle)
{
    (void)allocator;
    if (info->enabledLayerCount)
        return VK_ERROR_LAYER_NOT_PRESENT;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        if (!extension_known(info->ppEnabledExtensionNames[i]))
            return VK_ERROR_EXTENSION_NOT_PRESENT;

    struct icd_instance *instance = calloc(1, sizeof *instance);
    if (!instance)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_init(&instance->lock, NULL);
    set_loader_magic_value(instance);
    *handle = (VkInstance)instance;
    const VkResult result = read_settings(instance, info);
    if (result != VK_SUCCESS) {
        icd_DestroyInstance(*handle, NULL);
        *handle = VK_NULL_HANDLE;
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL icd_DestroyInstance(VkInstance handle,
                                               const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    struct icd_instance *instance = ICD_OBJECT(icd_instance, handle);
    if (!instance)
        return;
    while (instance->messengers)
        remove_messenger(instance, instance->messengers);
    pthread_mutex_destroy(&instance->lock);
    free(instance);
}

VKAPI_ATTR VkResult VKAPI_CALL icd_EnumeratePhysicalDevices(VkInstance handle, uint32_t *count,
                                                            VkPhysicalDevice *out)
{
    VkResult result;
    struct icd_instance *instance = ICD_OBJECT(icd_instance, handle);
    const uint32_t some = icd_room(instance->physical_count, out, count, &result);
    for (uint32_t i = 0; i < some; i++)
        out[i] = (VkPhysicalDevice)&instance->physicals[i];
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_EnumeratePhysicalDeviceGroups(
    VkInstance handle, uint32_t *count, VkPhysicalDeviceGroupProperties *out)
{
    VkResult result;
    struct icd_instance *instance = ICD_OBJECT(icd_instance, handle);
    const uint32_t some = icd_room(instance->physical_count, out, count, &result);
    for (uint32_t i = 0; i < some; i++) {
        memset(out[i].physicalDevices, 0, sizeof out[i].physicalDevices);
        out[i].physicalDeviceCount = 1;
        out[i].physicalDevices[0] = (VkPhysicalDevice)&instance->physicals[i];
        out[i].subsetAllocation = VK_FALSE;
    }
    return result;
}
