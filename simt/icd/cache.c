// SPDX-License-Identifier: Apache-2.0
#include "icd/cache.h"

#include "icd/physical.h"

#include <stdlib.h>
#include <string.h>

#define KEYS_MAX 65536

struct icd_cache {
    pthread_mutex_t lock;
    uint64_t *keys; // ascending
    size_t count, capacity;
};

static VkPipelineCacheHeaderVersionOne make_header(const struct icd_device *device)
{
    VkPhysicalDeviceProperties properties;
    icd_properties_true(&device->physical->settings, &properties);
    VkPipelineCacheHeaderVersionOne header = {
        .headerSize = sizeof header,
        .headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
        .vendorID = properties.vendorID,
        .deviceID = properties.deviceID,
    };
    memcpy(header.pipelineCacheUUID, properties.pipelineCacheUUID, VK_UUID_SIZE);
    return header;
}

// Index of a key, or where to insert it.
static size_t find(const struct icd_cache *cache, uint64_t key)
{
    size_t low = 0, high = cache->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (cache->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Keys beyond the limit are dropped.
static void add(struct icd_cache *cache, uint64_t key)
{
    const size_t at = find(cache, key);
    if ((at < cache->count && cache->keys[at] == key) || cache->count == KEYS_MAX)
        return;
    if (cache->count == cache->capacity) {
        const size_t capacity = cache->capacity ? 2 * cache->capacity : 16;
        uint64_t *grown = realloc(cache->keys, capacity * sizeof *grown);
        if (!grown)
            return;
        cache->keys = grown;
        cache->capacity = capacity;
    }
    memmove(cache->keys + at + 1, cache->keys + at, (cache->count - at) * sizeof *cache->keys);
    cache->keys[at] = key;
    cache->count++;
}

void icd_cache_note(struct icd_cache *cache, uint64_t key)
{
    if (!cache)
        return;
    pthread_mutex_lock(&cache->lock);
    add(cache, key);
    pthread_mutex_unlock(&cache->lock);
}

// Data of another driver or version, and invalid data, leave the cache empty.
static void load(struct icd_cache *cache, const struct icd_device *device, const void *data,
                 size_t size)
{
    const VkPipelineCacheHeaderVersionOne header = make_header(device);
    if (size < sizeof header || memcmp(data, &header, sizeof header))
        return;
    const size_t count = (size - sizeof header) / sizeof(uint64_t);
    for (size_t i = 0; i < count && i < KEYS_MAX; i++) {
        uint64_t key;
        memcpy(&key, (const char *)data + sizeof header + i * sizeof key, sizeof key);
        add(cache, key);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL icd_CreatePipelineCache(VkDevice device,
                                                       const VkPipelineCacheCreateInfo *info,
                                                       const VkAllocationCallbacks *allocator,
                                                       VkPipelineCache *out)
{
    (void)allocator;
    struct icd_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_init(&cache->lock, NULL);
    if (info->pInitialData)
        load(cache, ICD_OBJECT(icd_device, device), info->pInitialData, info->initialDataSize);
    *out = ICD_HANDLE(VkPipelineCache, cache);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL icd_DestroyPipelineCache(VkDevice device, VkPipelineCache handle,
                                                    const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    struct icd_cache *cache = ICD_OBJECT(icd_cache, handle);
    if (!cache)
        return;
    icd_private_forget(ICD_OBJECT(icd_device, device), (uintptr_t)cache);
    pthread_mutex_destroy(&cache->lock);
    free(cache->keys);
    free(cache);
}

VKAPI_ATTR VkResult VKAPI_CALL icd_GetPipelineCacheData(VkDevice device, VkPipelineCache handle,
                                                        size_t *size, void *data)
{
    struct icd_cache *cache = ICD_OBJECT(icd_cache, handle);
    const VkPipelineCacheHeaderVersionOne header = make_header(ICD_OBJECT(icd_device, device));
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&cache->lock);
    const size_t all = sizeof header + cache->count * sizeof *cache->keys;
    if (!data) {
        *size = all;
    } else if (*size < sizeof header) { // writes nothing unless the whole header fits
        *size = 0;
        result = VK_INCOMPLETE;
    } else {
        size_t keys = (*size - sizeof header) / sizeof *cache->keys;
        if (keys < cache->count)
            result = VK_INCOMPLETE;
        else
            keys = cache->count;
        memcpy(data, &header, sizeof header);
        if (keys)
            memcpy((char *)data + sizeof header, cache->keys, keys * sizeof *cache->keys);
        *size = sizeof header + keys * sizeof *cache->keys;
    }
    pthread_mutex_unlock(&cache->lock);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_MergePipelineCaches(VkDevice device, VkPipelineCache into,
                                                       uint32_t count, const VkPipelineCache *from)
{
    (void)device;
    // The destination is not among the sources, and the application must synchronise access to it.
    struct icd_cache *destination = ICD_OBJECT(icd_cache, into);
    for (uint32_t i = 0; i < count; i++) {
        struct icd_cache *source = ICD_OBJECT(icd_cache, from[i]);
        pthread_mutex_lock(&source->lock);
        for (size_t key = 0; key < source->count; key++)
            icd_cache_note(destination, source->keys[key]);
        pthread_mutex_unlock(&source->lock);
    }
    return VK_SUCCESS;
}
