// SPDX-License-Identifier: Apache-2.0
// Command pools and command buffers.

#include "icd/objects.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_BYTES ((size_t)16384)

struct icd_command_pool {
    struct icd_command_buffer *buffers;
};

struct arena {
    struct arena *next; // filled earlier
    size_t used, size;
    _Alignas(max_align_t) unsigned char bytes[];
};

void *icd_record_bytes(struct icd_command_buffer *buffer, size_t size)
{
    const size_t mask = _Alignof(max_align_t) - 1;
    struct arena *arena = buffer->arena;
    if (buffer->error)
        return NULL;
    if (!arena || size > arena->size - arena->used) {
        const size_t room = size > ARENA_BYTES ? size : ARENA_BYTES;
        arena = size < SIZE_MAX / 2 ? malloc(sizeof *arena + room) : NULL;
        if (!arena) {
            buffer->error = VK_ERROR_OUT_OF_HOST_MEMORY;
            return NULL;
        }
        *arena = (struct arena){.next = buffer->arena, .size = room};
        buffer->arena = arena;
    }
    void *bytes = arena->bytes + arena->used;
    const size_t end = (arena->used + size + mask) & ~mask;
    arena->used = end < arena->size ? end : arena->size;
    return memset(bytes, 0, size);
}

static void reset(struct icd_command_buffer *buffer)
{
    for (struct kept_layout *kept = buffer->layouts; kept; kept = kept->next)
        icd_set_layout_release(kept->layout);
    while (buffer->arena) {
        struct arena *arena = buffer->arena;
        buffer->arena = arena->next;
        free(arena);
    }
    buffer->layouts = NULL;
    buffer->first = NULL;
    buffer->last = &buffer->first;
    buffer->error = VK_SUCCESS;
    buffer->pipeline = NULL;
    memset(buffer->set, 0, sizeof buffer->set);
    memset(buffer->push, 0, sizeof buffer->push);
    buffer->recorded_sets = NULL;
    buffer->recorded_push = NULL;
}

VkResult icd_CreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo *info,
                               const VkAllocationCallbacks *allocator, VkCommandPool *result)
{
    (void)device;
    (void)info;
    (void)allocator;
    struct icd_command_pool *pool = calloc(1, sizeof *pool);
    *result = ICD_HANDLE(VkCommandPool, pool);
    return pool ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

static void free_buffer(struct icd_command_buffer *buffer)
{
    icd_private_forget(buffer->device, (uintptr_t)buffer);
    reset(buffer);
    *buffer->link = buffer->next;
    if (buffer->next)
        buffer->next->link = buffer->link;
    free(buffer);
}

void icd_DestroyCommandPool(VkDevice device, VkCommandPool handle,
                            const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    icd_private_forget(ICD_OBJECT(icd_device, device), (uintptr_t)handle);
    struct icd_command_pool *pool = ICD_OBJECT(icd_command_pool, handle);
    while (pool && pool->buffers)
        free_buffer(pool->buffers);
    free(pool);
}

VkResult icd_ResetCommandPool(VkDevice device, VkCommandPool handle, VkCommandPoolResetFlags flags)
{
    (void)device;
    (void)flags;
    struct icd_command_pool *pool = ICD_OBJECT(icd_command_pool, handle);
    for (struct icd_command_buffer *buffer = pool->buffers; buffer; buffer = buffer->next)
        reset(buffer);
    return VK_SUCCESS;
}

void icd_TrimCommandPool(VkDevice device, VkCommandPool pool, VkCommandPoolTrimFlags flags)
{
    (void)device;
    (void)pool;
    (void)flags;
}

static struct icd_command_buffer *make_buffer(VkDevice device, struct icd_command_pool *pool,
                                              VkCommandBufferLevel level)
{
    struct icd_command_buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return NULL;
    set_loader_magic_value(&buffer->loader);
    buffer->device = ICD_OBJECT(icd_device, device);
    buffer->pool = pool;
    buffer->secondary = level == VK_COMMAND_BUFFER_LEVEL_SECONDARY;
    buffer->last = &buffer->first;
    buffer->next = pool->buffers;
    buffer->link = &pool->buffers;
    if (buffer->next)
        buffer->next->link = &buffer->next;
    pool->buffers = buffer;
    return buffer;
}

VkResult icd_AllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo *info,
                                    VkCommandBuffer *buffers)
{
    memset(buffers, 0, info->commandBufferCount * sizeof buffers[0]);
    for (uint32_t i = 0; i < info->commandBufferCount; i++) {
        struct icd_command_buffer *buffer =
            make_buffer(device, ICD_OBJECT(icd_command_pool, info->commandPool), info->level);
        if (!buffer) {
            icd_FreeCommandBuffers(device, info->commandPool, i, buffers);
            memset(buffers, 0, info->commandBufferCount * sizeof buffers[0]);
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        }
        buffers[i] = ICD_HANDLE(VkCommandBuffer, buffer);
    }
    return VK_SUCCESS;
}

void icd_FreeCommandBuffers(VkDevice device, VkCommandPool pool, uint32_t count,
                            const VkCommandBuffer *buffers)
{
    (void)device;
    (void)pool;
    for (uint32_t i = 0; i < count; i++)
        if (buffers[i])
            free_buffer(ICD_OBJECT(icd_command_buffer, buffers[i]));
}

VkResult icd_BeginCommandBuffer(VkCommandBuffer buffer, const VkCommandBufferBeginInfo *info)
{
    (void)info;
    reset(ICD_OBJECT(icd_command_buffer, buffer));
    return VK_SUCCESS;
}

VkResult icd_EndCommandBuffer(VkCommandBuffer buffer)
{
    return ICD_OBJECT(icd_command_buffer, buffer)->error;
}

VkResult icd_ResetCommandBuffer(VkCommandBuffer buffer, VkCommandBufferResetFlags flags)
{
    (void)flags;
    reset(ICD_OBJECT(icd_command_buffer, buffer));
    return VK_SUCCESS;
}
