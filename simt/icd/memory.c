// SPDX-License-Identifier: Apache-2.0
// Device memory is host memory, always mapped.

#include "icd/objects.h"
#include "memory/past.h"
#include "splitmix.h"

#include <stdlib.h>
#include <sys/mman.h>

#define ALIGNMENT  64
#define JUNK_BYTES 65536 // at the beginning of fresh memory; the rest is zero
#define PAGES_FROM JUNK_BYTES

// Programs must not rely on the contents of fresh memory.
static void fill_with_junk(struct icd_memory *memory, uint64_t seed, uint64_t number)
{
    const uint64_t size = memory->size < JUNK_BYTES ? memory->size : JUNK_BYTES;
    uint64_t state = seed;
    state = splitmix_next(&state) ^ number;
    for (uint64_t at = 0, word = 0; at < size; at++) {
        if (at % 8 == 0)
            word = splitmix_next(&state);
        memory->bytes[at] = (unsigned char)(word >> at % 8 * 8);
    }
}

static bool get_bytes(struct icd_memory *memory)
{
    memory->pages = memory->size >= PAGES_FROM;
    if (memory->pages) {
        void *bytes =
            mmap(NULL, memory->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memory->bytes = bytes == MAP_FAILED ? NULL : bytes;
    } else {
        // Varies the start within the page, since locations at the same place share remembered
        // history.
        uint64_t state = memory->size;
        const size_t place = splitmix_next(&state) % (PAST_PAGE / ALIGNMENT) * ALIGNMENT;
        memory->start = malloc(PAST_PAGE + place + memory->size);
        memory->bytes = memory->start ? past_page(memory->start) + place : NULL;
    }
    return memory->bytes;
}

VkResult icd_AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo *info,
                            const VkAllocationCallbacks *allocator, VkDeviceMemory *result)
{
    (void)allocator;
    struct icd_device *device = ICD_OBJECT(icd_device, handle);
    const struct settings *settings = &device->physical->settings;
    const uint64_t number = atomic_fetch_add(&device->allocations, 1) + 1;
    if (settings->model == MODEL_FAULTY && settings->fault == FAULT_MEMORY &&
        number >= settings->at)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (!info->allocationSize || info->allocationSize > UINT64_C(1) << REGION_SHIFT)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;

    struct icd_memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    memory->size = info->allocationSize;
    if (!get_bytes(memory)) {
        free(memory);
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    atomic_init(&memory->references, 1);
    pthread_mutex_init(&memory->lock, NULL);
    fill_with_junk(memory, settings->seed, number);
    *result = ICD_HANDLE(VkDeviceMemory, memory);
    return VK_SUCCESS;
}

void icd_memory_release(struct icd_memory *memory)
{
    if (atomic_fetch_sub(&memory->references, 1) == 1) {
        pthread_mutex_destroy(&memory->lock);
        free(memory);
    }
}

void icd_FreeMemory(VkDevice handle, VkDeviceMemory handle_memory,
                    const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    struct icd_device *device = ICD_OBJECT(icd_device, handle);
    struct icd_memory *memory = ICD_OBJECT(icd_memory, handle_memory);
    if (!memory)
        return;
    icd_private_forget(device, (uintptr_t)memory);
    // Buffers may remain bound. They must not be used any more; uses are detected.
    pthread_mutex_lock(&memory->lock);
    for (struct icd_buffer *buffer = memory->buffers; buffer; buffer = buffer->next) {
        regions_remove(device->regions, buffer->region);
        buffer->there = false;
    }
    if (memory->pages)
        munmap(memory->bytes, memory->size);
    else
        free(memory->start);
    memory->bytes = NULL;
    pthread_mutex_unlock(&memory->lock);
    icd_memory_release(memory);
}

VkResult icd_MapMemory(VkDevice device, VkDeviceMemory handle, VkDeviceSize offset,
                       VkDeviceSize size, VkMemoryMapFlags flags, void **data)
{
    (void)device;
    (void)flags;
    struct icd_memory *memory = ICD_OBJECT(icd_memory, handle);
    if (offset >= memory->size || (size != VK_WHOLE_SIZE && size > memory->size - offset))
        return VK_ERROR_MEMORY_MAP_FAILED;
    *data = memory->bytes + offset;
    return VK_SUCCESS;
}

void icd_UnmapMemory(VkDevice device, VkDeviceMemory handle)
{
    (void)device;
    (void)handle;
}

VkResult icd_FlushMappedMemoryRanges(VkDevice device, uint32_t count,
                                     const VkMappedMemoryRange *ranges)
{
    (void)device;
    (void)count;
    (void)ranges;
    return VK_SUCCESS;
}

VkResult icd_InvalidateMappedMemoryRanges(VkDevice device, uint32_t count,
                                          const VkMappedMemoryRange *ranges)
{
    (void)device;
    (void)count;
    (void)ranges;
    return VK_SUCCESS;
}

void icd_GetDeviceMemoryCommitment(VkDevice device, VkDeviceMemory handle, VkDeviceSize *bytes)
{
    (void)device;
    *bytes = ICD_OBJECT(icd_memory, handle)->size;
}

// Capture and replay is not supported.
uint64_t icd_GetDeviceMemoryOpaqueCaptureAddress(VkDevice device,
                                                 const VkDeviceMemoryOpaqueCaptureAddressInfo *info)
{
    (void)device;
    (void)info;
    return 0;
}
