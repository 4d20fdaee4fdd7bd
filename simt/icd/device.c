// SPDX-License-Identifier: Apache-2.0
// Logical devices: each has its own address space, machine and queue.
#include "icd/physical.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void report(void *user, const char *line)
{
    icd_say(user, ICD_ERROR, line);
}

static VkResult check_info(const struct icd_physical *physical, const VkDeviceCreateInfo *info)
{
    struct icd_instance *instance = physical->instance;
    char text[VK_MAX_EXTENSION_NAME_SIZE + 64];
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        if (!icd_extension_known(info->ppEnabledExtensionNames[i])) {
            snprintf(text, sizeof text, "device: extension %s is not supported",
                     info->ppEnabledExtensionNames[i]);
            icd_say(instance, ICD_ERROR, text);
            return VK_ERROR_EXTENSION_NOT_PRESENT;
        }
    if (!icd_features_supported(&physical->settings, info, text, sizeof text)) {
        icd_say(instance, ICD_ERROR, text);
        return VK_ERROR_FEATURE_NOT_PRESENT;
    }
    if (info->queueCreateInfoCount != 1 || info->pQueueCreateInfos[0].queueFamilyIndex != 0 ||
        info->pQueueCreateInfos[0].queueCount != ICD_QUEUES || info->pQueueCreateInfos[0].flags) {
        icd_say(instance, ICD_ERROR, "device: there is one queue family with one queue");
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_CreateDevice(VkPhysicalDevice handle,
                                                const VkDeviceCreateInfo *info,
                                                const VkAllocationCallbacks *allocator,
                                                VkDevice *out)
{
    (void)allocator;
    struct icd_physical *physical = ICD_OBJECT(icd_physical, handle);
    const VkResult result = check_info(physical, info);
    *out = VK_NULL_HANDLE;
    if (result != VK_SUCCESS)
        return result;

    struct icd_device *device = calloc(1, sizeof *device);
    if (!device)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    set_loader_magic_value(device);
    pthread_mutex_init(&device->lock, NULL);
    device->physical = physical;
    device->robust =
        icd_feature_enabled(info, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                            offsetof(VkPhysicalDeviceFeatures2, features.robustBufferAccess));
    device->executables = icd_feature_enabled(
        info, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
        offsetof(VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR, pipelineExecutableInfo));
    device->regions = regions_create();
    if (device->regions)
        device->machine =
            machine_create(&physical->settings, device->regions, report, physical->instance);
    if (device->machine)
        device->queue = icd_queue_create(device, info->pQueueCreateInfos);
    if (!device->queue) {
        icd_DestroyDevice((VkDevice)device, NULL);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    *out = (VkDevice)device;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL icd_DestroyDevice(VkDevice handle,
                                             const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    struct icd_device *device = ICD_OBJECT(icd_device, handle);
    if (!device)
        return;
    if (device->queue)
        icd_queue_free(device->queue);
    if (device->machine)
        machine_free(device->machine);
    if (device->regions)
        regions_free(device->regions);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

VKAPI_ATTR void VKAPI_CALL icd_GetDeviceQueue(VkDevice device, uint32_t family, uint32_t index,
                                              VkQueue *queue)
{
    (void)family, (void)index;
    *queue = icd_queue_handle(ICD_OBJECT(icd_device, device)->queue);
}

VKAPI_ATTR void VKAPI_CALL icd_GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2 *info,
                                               VkQueue *queue)
{
    // Queues are only found with the flags that they were created with: none.
    *queue = VK_NULL_HANDLE;
    if (!info->flags)
        icd_GetDeviceQueue(device, info->queueFamilyIndex, info->queueIndex, queue);
}

VKAPI_ATTR VkResult VKAPI_CALL icd_DeviceWaitIdle(VkDevice device)
{
    return icd_queue_wait_idle(ICD_OBJECT(icd_device, device)->queue);
}

VKAPI_ATTR void VKAPI_CALL icd_GetDeviceGroupPeerMemoryFeatures(VkDevice device, uint32_t heap,
                                                                uint32_t local, uint32_t remote,
                                                                VkPeerMemoryFeatureFlags *features)
{
    (void)device, (void)heap, (void)local, (void)remote;
    *features = 0; // there are no peers
}

// Device timestamps are CLOCK_MONOTONIC in nanoseconds.
VKAPI_ATTR VkResult VKAPI_CALL icd_GetCalibratedTimestampsEXT(
    VkDevice device, uint32_t count, const VkCalibratedTimestampInfoEXT *infos,
    uint64_t *timestamps, uint64_t *deviation)
{
    (void)device, (void)infos;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (uint32_t i = 0; i < count; i++)
        timestamps[i] = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    *deviation = 0;
    return VK_SUCCESS;
}

// Debug names and labels are accepted and ignored.

VKAPI_ATTR VkResult VKAPI_CALL
icd_SetDebugUtilsObjectNameEXT(VkDevice device, const VkDebugUtilsObjectNameInfoEXT *info)
{
    (void)device, (void)info;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
icd_SetDebugUtilsObjectTagEXT(VkDevice device, const VkDebugUtilsObjectTagInfoEXT *info)
{
    (void)device, (void)info;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL icd_QueueBeginDebugUtilsLabelEXT(VkQueue queue,
                                                            const VkDebugUtilsLabelEXT *label)
{
    (void)queue, (void)label;
}

VKAPI_ATTR void VKAPI_CALL icd_QueueEndDebugUtilsLabelEXT(VkQueue queue)
{
    (void)queue;
}

VKAPI_ATTR void VKAPI_CALL icd_QueueInsertDebugUtilsLabelEXT(VkQueue queue,
                                                             const VkDebugUtilsLabelEXT *label)
{
    (void)queue, (void)label;
}

VKAPI_ATTR void VKAPI_CALL icd_CmdBeginDebugUtilsLabelEXT(VkCommandBuffer commands,
                                                          const VkDebugUtilsLabelEXT *label)
{
    (void)commands, (void)label;
}

VKAPI_ATTR void VKAPI_CALL icd_CmdEndDebugUtilsLabelEXT(VkCommandBuffer commands)
{
    (void)commands;
}

VKAPI_ATTR void VKAPI_CALL icd_CmdInsertDebugUtilsLabelEXT(VkCommandBuffer commands,
                                                           const VkDebugUtilsLabelEXT *label)
{
    (void)commands, (void)label;
}
