// SPDX-License-Identifier: Apache-2.0
// Buffers: ranges of memory with an address.

#include "icd/objects.h"

#include <stdlib.h>

#define MEMORY_TYPES 1u // bit mask: there is only one

VkResult icd_CreateBuffer(VkDevice device, const VkBufferCreateInfo *info,
                          const VkAllocationCallbacks *allocator, VkBuffer *result)
{
    (void)device;
    (void)allocator;
    if (!info->size || info->size > UINT64_C(1) << REGION_SHIFT)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    struct icd_buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    buffer->size = info->size;
    *result = ICD_HANDLE(VkBuffer, buffer);
    return VK_SUCCESS;
}

void icd_buffer_destroy(struct icd_device *device, struct icd_buffer *buffer)
{
    if (!buffer)
        return;
    icd_private_forget(device, (uintptr_t)buffer);
    struct icd_memory *memory = buffer->memory;
    if (memory) {
        pthread_mutex_lock(&memory->lock);
        if (buffer->there)
            regions_remove(device->regions, buffer->region);
        *buffer->link = buffer->next;
        if (buffer->next)
            buffer->next->link = buffer->link;
        pthread_mutex_unlock(&memory->lock);
        icd_memory_release(memory);
    }
    free(buffer);
}

void icd_DestroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    icd_buffer_destroy(ICD_OBJECT(icd_device, device), ICD_OBJECT(icd_buffer, buffer));
}

VkResult icd_buffer_bind(struct icd_device *device, struct icd_buffer *buffer,
                         struct icd_memory *memory, uint64_t offset, bool image)
{
    if (buffer->memory || offset > memory->size || buffer->size > memory->size - offset) {
        icd_report(device, ICD_ERROR, "vkBind%sMemory: the %s %s", image ? "Image" : "Buffer",
                   image ? "image" : "buffer",
                   buffer->memory ? "is bound already" : "does not fit in the memory");
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    buffer->region = regions_add(
        device->regions, (struct region){.bytes = memory->bytes + offset, .size = buffer->size});
    if (!buffer->region)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    atomic_fetch_add(&memory->references, 1);
    buffer->memory = memory;
    pthread_mutex_lock(&memory->lock);
    buffer->there = true;
    buffer->next = memory->buffers;
    buffer->link = &memory->buffers;
    if (buffer->next)
        buffer->next->link = &buffer->next;
    memory->buffers = buffer;
    pthread_mutex_unlock(&memory->lock);
    return VK_SUCCESS;
}

VkResult icd_BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                              VkDeviceSize offset)
{
    return icd_buffer_bind(ICD_OBJECT(icd_device, device), ICD_OBJECT(icd_buffer, buffer),
                           ICD_OBJECT(icd_memory, memory), offset, false);
}

VkResult icd_BindBufferMemory2(VkDevice device, uint32_t count, const VkBindBufferMemoryInfo *infos)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < count; i++) {
        const VkResult bound =
            icd_BindBufferMemory(device, infos[i].buffer, infos[i].memory, infos[i].memoryOffset);
        if (bound != VK_SUCCESS)
            result = bound;
    }
    return result;
}

static VkMemoryRequirements requirements_of(uint64_t size)
{
    const uint64_t mask = ICD_BUFFER_ALIGNMENT - 1;
    return (VkMemoryRequirements){
        .size = size > UINT64_MAX - mask ? UINT64_MAX & ~mask : (size + mask) & ~mask,
        .alignment = ICD_BUFFER_ALIGNMENT,
        .memoryTypeBits = MEMORY_TYPES,
    };
}

void icd_fill_requirements(uint64_t size, VkMemoryRequirements2 *requirements)
{
    requirements->memoryRequirements = requirements_of(size);
    VkMemoryDedicatedRequirements *dedicated = (VkMemoryDedicatedRequirements *)(uintptr_t)icd_find(
        requirements->pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS);
    if (dedicated) {
        dedicated->prefersDedicatedAllocation = VK_FALSE;
        dedicated->requiresDedicatedAllocation = VK_FALSE;
    }
}

void icd_GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer,
                                     VkMemoryRequirements *requirements)
{
    (void)device;
    *requirements = requirements_of(ICD_OBJECT(icd_buffer, buffer)->size);
}

void icd_GetBufferMemoryRequirements2(VkDevice device, const VkBufferMemoryRequirementsInfo2 *info,
                                      VkMemoryRequirements2 *requirements)
{
    (void)device;
    icd_fill_requirements(ICD_OBJECT(icd_buffer, info->buffer)->size, requirements);
}

void icd_GetDeviceBufferMemoryRequirements(VkDevice device,
                                           const VkDeviceBufferMemoryRequirements *info,
                                           VkMemoryRequirements2 *requirements)
{
    (void)device;
    icd_fill_requirements(info->pCreateInfo->size, requirements);
}

VkDeviceAddress icd_GetBufferDeviceAddress(VkDevice device, const VkBufferDeviceAddressInfo *info)
{
    (void)device;
    return region_address(ICD_OBJECT(icd_buffer, info->buffer)->region, 0);
}

// Capture and replay is not supported.
uint64_t icd_GetBufferOpaqueCaptureAddress(VkDevice device, const VkBufferDeviceAddressInfo *info)
{
    (void)device;
    (void)info;
    return 0;
}

// No format supports views, so nothing ever reads one.
VkResult icd_CreateBufferView(VkDevice device, const VkBufferViewCreateInfo *info,
                              const VkAllocationCallbacks *allocator, VkBufferView *view)
{
    (void)device;
    (void)info;
    (void)allocator;
    void *object = malloc(1);
    *view = ICD_HANDLE(VkBufferView, object);
    return object ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

void icd_DestroyBufferView(VkDevice device, VkBufferView view,
                           const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    icd_private_forget(ICD_OBJECT(icd_device, device), (uintptr_t)view);
    free((void *)(uintptr_t)view);
}
