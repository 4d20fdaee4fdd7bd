// SPDX-License-Identifier: Apache-2.0
// Query pools. Only timestamps have values; queries of other types can be created, and return 0.

#include "icd/objects.h"

#include <stdlib.h>
#include <string.h>

VkResult icd_CreateQueryPool(VkDevice device, const VkQueryPoolCreateInfo *info,
                             const VkAllocationCallbacks *allocator, VkQueryPool *result)
{
    (void)device;
    (void)allocator;
    struct icd_query_pool *pool =
        calloc(1, sizeof *pool + (size_t)info->queryCount * sizeof pool->query[0]);
    if (!pool)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pool->count = info->queryCount;
    *result = ICD_HANDLE(VkQueryPool, pool);
    return VK_SUCCESS;
}

void icd_DestroyQueryPool(VkDevice device, VkQueryPool pool, const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    icd_private_forget(ICD_OBJECT(icd_device, device), (uintptr_t)pool);
    free(ICD_OBJECT(icd_query_pool, pool));
}

void icd_ResetQueryPool(VkDevice handle, VkQueryPool handle_pool, uint32_t first, uint32_t count)
{
    struct icd_device *device = ICD_OBJECT(icd_device, handle);
    struct icd_query_pool *pool = ICD_OBJECT(icd_query_pool, handle_pool);
    pthread_mutex_lock(&device->queue->lock);
    for (uint32_t i = first; i < pool->count && i - first < count; i++)
        pool->query[i] = (struct icd_query){0};
    pthread_mutex_unlock(&device->queue->lock);
}

size_t icd_query_size(VkQueryResultFlags flags)
{
    const size_t word = flags & VK_QUERY_RESULT_64_BIT ? 8 : 4;
    return flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT ? 2 * word : word;
}

void icd_query_store(const struct icd_query *query, VkQueryResultFlags flags, unsigned char *to)
{
    const uint64_t wide[2] = {query->value, query->available};
    const uint32_t narrow[2] = {(uint32_t)query->value, query->available};
    const bool is_wide = flags & VK_QUERY_RESULT_64_BIT;
    const size_t word = is_wide ? 8 : 4;
    const unsigned char *from =
        is_wide ? (const unsigned char *)wide : (const unsigned char *)narrow;
    if (query->available)
        memcpy(to, from, word);
    if (flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)
        memcpy(to + word, from + word, word);
}

struct query_range {
    const struct icd_query *query;
    uint32_t count;
};

static bool all_available(const void *user)
{
    const struct query_range *range = user;
    for (uint32_t i = 0; i < range->count; i++)
        if (!range->query[i].available)
            return false;
    return true;
}

VkResult icd_GetQueryPoolResults(VkDevice handle, VkQueryPool handle_pool, uint32_t first,
                                 uint32_t count, size_t size, void *data, VkDeviceSize stride,
                                 VkQueryResultFlags flags)
{
    struct icd_device *device = ICD_OBJECT(icd_device, handle);
    const struct icd_query_pool *pool = ICD_OBJECT(icd_query_pool, handle_pool);
    if (first > pool->count)
        first = pool->count;
    const struct query_range range = {
        .query = pool->query + first,
        .count = count < pool->count - first ? count : pool->count - first,
    };
    const uint64_t timeout = flags & VK_QUERY_RESULT_WAIT_BIT ? UINT64_MAX : 0;
    const VkResult waited = icd_wait(device, all_available, &range, timeout);
    if (waited == VK_ERROR_DEVICE_LOST)
        return waited;

    const size_t one = icd_query_size(flags);
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&device->queue->lock);
    for (uint32_t i = 0; i < range.count; i++) {
        if (!range.query[i].available)
            result = VK_NOT_READY;
        const bool fits = size >= one && (!i || stride <= (size - one) / i);
        if (fits)
            icd_query_store(&range.query[i], flags, (unsigned char *)data + i * stride);
    }
    pthread_mutex_unlock(&device->queue->lock);
    return result;
}
