// SPDX-License-Identifier: Apache-2.0
// Opening a device with all that a test may need, and closing it.

#include "device/vulkan.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FAMILIES 64

static enum dev_status pick_family(struct dev *dev, uint32_t *family, struct lit_error *error)
{
    VkQueueFamilyProperties families[MAX_FAMILIES] = {0};
    uint32_t count = MAX_FAMILIES;
    vkGetPhysicalDeviceQueueFamilyProperties(dev->physical, &count, families);
    for (uint32_t i = 0; i < count && i < MAX_FAMILIES; i++)
        if (families[i].queueCount && (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)) {
            *family = i;
            dev->timestamp_bits = families[i].timestampValidBits;
            return DEV_OK;
        }
    return dev_refuse(error, "%s: no queue family can compute", dev->facts.name);
}

static enum dev_status make_device(struct dev *dev, uint32_t family,
                                   const struct dev_features *features, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    VK(vkCreateDevice(dev->physical,
                      &(VkDeviceCreateInfo){
                          .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                          .pNext = &features->base,
                          .queueCreateInfoCount = 1,
                          .pQueueCreateInfos =
                              &(VkDeviceQueueCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                  .queueFamilyIndex = family,
                                  .queueCount = 1,
                                  .pQueuePriorities = &(float){1.0f},
                              },
                          .enabledExtensionCount = features->extension_count,
                          .ppEnabledExtensionNames = features->extensions,
                      },
                      NULL, &dev->device));
    volkLoadDevice(dev->device);
    if (features->addresses.bufferDeviceAddress)
        dev->address = features->core_addresses
                           ? vkGetBufferDeviceAddress
                           : (PFN_vkGetBufferDeviceAddress)vkGetBufferDeviceAddressKHR;
error:
    return status;
}

// A command buffer in a pool of its own, which is reset with it.
static enum dev_status make_buffer(struct dev *dev, uint32_t family, VkCommandPool *pool,
                                   VkCommandBuffer *commands, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    VK(vkCreateCommandPool(dev->device,
                           &(VkCommandPoolCreateInfo){
                               .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                               .queueFamilyIndex = family,
                           },
                           NULL, pool));
    VK(vkAllocateCommandBuffers(dev->device,
                                &(VkCommandBufferAllocateInfo){
                                    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                    .commandPool = *pool,
                                    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                    .commandBufferCount = 1,
                                },
                                commands));
error:
    return status;
}

// What runs need: not there for a driver that only compiles (Mesa's RADV without hardware).
static enum dev_status make_commands(struct dev *dev, uint32_t family, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    vkGetDeviceQueue(dev->device, family, 0, &dev->queue);
    if (!dev->queue)
        TRY(dev_refuse(error, "%s: vkGetDeviceQueue returned no queue", dev->facts.name));
    TRY(make_buffer(dev, family, &dev->pool, &dev->commands, error));
    TRY(make_buffer(dev, family, &dev->other_pool, &dev->other_commands, error));
    VK(vkCreateFence(dev->device,
                     &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL,
                     &dev->fence));
error:
    return status;
}

static enum dev_status make(struct dev *dev, const struct dev_open_info *info,
                            const struct dev_features *features, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    uint32_t family = 0;
    TRY(pick_family(dev, &family, error));
    TRY(make_device(dev, family, features, error));
    if (!info->compiles)
        TRY(make_commands(dev, family, error));
    if (!info->single && !strcmp(dev->facts.driver_name, "litmus simt"))
        dev->begin_run =
            (__typeof__(dev->begin_run))vkGetDeviceProcAddr(dev->device, "vkCmdBeginRunLITMUS");
error:
    return status;
}

static bool pick_device(struct dev *dev, size_t index, bool capture, struct dev_features *features,
                        struct lit_error *error)
{
    VkPhysicalDevice *devices = NULL;
    size_t count = 0;
    if (!dev_instance_devices(&dev->instance, &devices, &count, error))
        return false;
    if (index < count)
        dev->physical = devices[index];
    free(devices);
    if (index >= count)
        return lit_fail(error, LIT_EXIT_USAGE, "there is no device %zu: the last is %zu", index,
                        count - 1);

    if (!dev_facts_read(dev->physical, dev->instance.api, &dev->facts, features, error))
        return false;
    vkGetPhysicalDeviceMemoryProperties(dev->physical, &dev->memory);
    if (dev->memory.memoryTypeCount > VK_MAX_MEMORY_TYPES)
        return lit_fail(error, LIT_EXIT_USAGE, "the driver lists %u memory types",
                        dev->memory.memoryTypeCount);
    const uint32_t api = dev->facts.api < dev->instance.api ? dev->facts.api : dev->instance.api;
    if (capture && !dev_features_capture(dev->physical, api, features, error))
        return false;
    dev->executables = features->executables.pipelineExecutableInfo;
#ifdef VK_KHR_pipeline_binary
    dev->binaries = features->binaries.pipelineBinaries;
#endif
    dev->size_control = dev->facts.subgroup_control;
    dev->full_subgroups = features->size_control.computeFullSubgroups;
    return true;
}

struct dev *dev_open(const struct dev_open_info *info, struct lit_error *error)
{
    struct dev *dev = lit_alloc(1, sizeof *dev);
    struct dev_features *features = lit_alloc(1, sizeof *features);
    bool open = dev_instance_create(&dev->instance, info, error) &&
                pick_device(dev, info->index, info->capture, features, error) &&
                make(dev, info, features, error) == DEV_OK &&
                dev_layout_create(dev, DEV_CHECKER_BINDINGS, DEV_CHECKER_PUSH, &dev->checker_layout,
                                  error) == DEV_OK;
    free(features);
    if (!open)
        dev_close(&dev);
    return dev;
}

void dev_close(struct dev **closing)
{
    struct dev *dev = *closing;
    *closing = NULL;
    // A stuck device may still write into what is freed here: the process has to end instead.
    if (!dev || dev->stuck)
        return;
    if (dev->device) {
        dev_precompile_clear(dev);
        for (int check = 0; check < DEV_CHECKS; check++)
            for (int pass = 0; pass < DEV_PASSES; pass++)
                vkDestroyPipeline(dev->device, dev->checker[check][pass], NULL);
        dev_layout_destroy(dev, &dev->checker_layout);
        vkDestroyFence(dev->device, dev->fence, NULL);
        vkDestroyCommandPool(dev->device, dev->pool, NULL);
        vkDestroyCommandPool(dev->device, dev->other_pool, NULL);
        vkDestroyDevice(dev->device, NULL);
    }
    dev_instance_destroy(&dev->instance);
    free(dev);
}

uint64_t dev_heap_bytes(const struct dev *dev)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < dev->memory.memoryHeapCount && i < VK_MAX_MEMORY_HEAPS; i++)
        if (dev->memory.memoryHeaps[i].size > most)
            most = dev->memory.memoryHeaps[i].size;
    return most;
}

uint64_t dev_most_words(const struct dev *dev)
{
    VkPhysicalDeviceMaintenance3Properties allocation = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
    };
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &allocation,
    };
    vkGetPhysicalDeviceProperties2(dev->physical, &properties);
    uint64_t bytes = dev->facts.max_storage_buffer;
    if (allocation.maxMemoryAllocationSize && allocation.maxMemoryAllocationSize < bytes)
        bytes = allocation.maxMemoryAllocationSize;

    // Input, output and expectation, and as much again for all else.
    const uint64_t heap = dev_heap_bytes(dev) / 4 / 6;
    return heap < bytes / 4 ? heap : bytes / 4;
}

const struct dev_facts *dev_facts(const struct dev *dev)
{
    return &dev->facts;
}
