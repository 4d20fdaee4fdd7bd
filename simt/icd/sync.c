// SPDX-License-Identifier: Apache-2.0
// Fences, semaphores and events. They share the queue's lock and condition variable.

#include "icd/objects.h"

#include <stdlib.h>
#include <time.h>

#define SECOND UINT64_C(1000000000)

static struct timespec later(uint64_t nanoseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += (time_t)(nanoseconds / SECOND);
    time.tv_nsec += (long)(nanoseconds % SECOND);
    if (time.tv_nsec >= (long)SECOND) {
        time.tv_nsec -= (long)SECOND;
        time.tv_sec++;
    }
    return time;
}

VkResult icd_wait(struct icd_device *device, icd_ready *ready, const void *user, uint64_t timeout)
{
    struct icd_queue *queue = device->queue;
    const bool for_ever = timeout > INT64_MAX / 2;
    const struct timespec end = later(for_ever ? 0 : timeout);
    bool over = !timeout;
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&queue->lock);
    while (!atomic_load(&device->lost) && !ready(user) && !over) {
        if (for_ever)
            pthread_cond_wait(&queue->changed, &queue->lock);
        else
            over =
                pthread_cond_clockwait(&queue->changed, &queue->lock, CLOCK_MONOTONIC, &end) != 0;
    }
    if (atomic_load(&device->lost))
        result = VK_ERROR_DEVICE_LOST;
    else if (!ready(user))
        result = VK_TIMEOUT;
    pthread_mutex_unlock(&queue->lock);
    return result;
}

static void changed(struct icd_queue *queue) // releases the lock
{
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

// Fences

VkResult icd_CreateFence(VkDevice device, const VkFenceCreateInfo *info,
                         const VkAllocationCallbacks *allocator, VkFence *result)
{
    (void)device;
    (void)allocator;
    struct icd_fence *fence = calloc(1, sizeof *fence);
    if (!fence)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    fence->signaled = info->flags & VK_FENCE_CREATE_SIGNALED_BIT;
    *result = ICD_HANDLE(VkFence, fence);
    return VK_SUCCESS;
}

void icd_DestroyFence(VkDevice device, VkFence fence, const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    icd_private_forget(ICD_OBJECT(icd_device, device), (uintptr_t)fence);
    free(ICD_OBJECT(icd_fence, fence));
}

VkResult icd_ResetFences(VkDevice handle, uint32_t count, const VkFence *fences)
{
    struct icd_device *device = ICD_OBJECT(icd_device, handle);
    pthread_mutex_lock(&device->queue->lock);
    for (uint32_t i = 0; i < count; i++)
        ICD_OBJECT(icd_fence, fences[i])->signaled = false;
    pthread_mutex_unlock(&device->queue->lock);
    return VK_SUCCESS;
}

struct fence_wait {
    const VkFence *fences;
    uint32_t count;
    bool all;
};

static bool fences_ready(const void *user)
{
    const struct fence_wait *wait = user;
    uint32_t signaled = 0;
    for (uint32_t i = 0; i < wait->count; i++)
        signaled += ICD_OBJECT(icd_fence, wait->fences[i])->signaled;
    return wait->all ? signaled == wait->count : signaled > 0;
}

VkResult icd_GetFenceStatus(VkDevice device, VkFence fence)
{
    const struct fence_wait wait = {.fences = &fence, .count = 1, .all = true};
    const VkResult result = icd_wait(ICD_OBJECT(icd_device, device), fences_ready, &wait, 0);
    return result == VK_TIMEOUT ? VK_NOT_READY : result;
}

VkResult icd_WaitForFences(VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all,
                           uint64_t timeout)
{
    const struct fence_wait wait = {.fences = fences, .count = count, .all = all};
    return icd_wait(ICD_OBJECT(icd_device, device), fences_ready, &wait, timeout);
}

// Semaphores

VkResult icd_CreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo *info,
                             const VkAllocationCallbacks *allocator, VkSemaphore *result)
{
    (void)device;
    (void)allocator;
    const VkSemaphoreTypeCreateInfo *type =
        icd_find(info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    struct icd_semaphore *semaphore = calloc(1, sizeof *semaphore);
    if (!semaphore)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (type && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE) {
        semaphore->timeline = true;
        semaphore->value = type->initialValue;
    }
    *result = ICD_HANDLE(VkSemaphore, semaphore);
    return VK_SUCCESS;
}

void icd_DestroySemaphore(VkDevice device, VkSemaphore semaphore,
                          const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    icd_private_forget(ICD_OBJECT(icd_device, device), (uintptr_t)semaphore);
    free(ICD_OBJECT(icd_semaphore, semaphore));
}

VkResult icd_GetSemaphoreCounterValue(VkDevice handle, VkSemaphore semaphore, uint64_t *value)
{
    struct icd_device *device = ICD_OBJECT(icd_device, handle);
    pthread_mutex_lock(&device->queue->lock);
    *value = ICD_OBJECT(icd_semaphore, semaphore)->value;
    pthread_mutex_unlock(&device->queue->lock);
    return atomic_load(&device->lost) ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

static bool semaphores_ready(const void *user)
{
    const VkSemaphoreWaitInfo *info = user;
    uint32_t reached = 0;
    for (uint32_t i = 0; i < info->semaphoreCount; i++)
        reached += ICD_OBJECT(icd_semaphore, info->pSemaphores[i])->value >= info->pValues[i];
    return info->flags & VK_SEMAPHORE_WAIT_ANY_BIT ? reached > 0 : reached == info->semaphoreCount;
}

VkResult icd_WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *info, uint64_t timeout)
{
    return icd_wait(ICD_OBJECT(icd_device, device), semaphores_ready, info, timeout);
}

VkResult icd_SignalSemaphore(VkDevice handle, const VkSemaphoreSignalInfo *info)
{
    struct icd_device *device = ICD_OBJECT(icd_device, handle);
    struct icd_semaphore *semaphore = ICD_OBJECT(icd_semaphore, info->semaphore);
    pthread_mutex_lock(&device->queue->lock);
    if (info->value > semaphore->value)
        semaphore->value = info->value;
    changed(device->queue);
    return VK_SUCCESS;
}

// Events

VkResult icd_CreateEvent(VkDevice device, const VkEventCreateInfo *info,
                         const VkAllocationCallbacks *allocator, VkEvent *result)
{
    (void)device;
    (void)info;
    (void)allocator;
    struct icd_event *event = calloc(1, sizeof *event);
    *result = ICD_HANDLE(VkEvent, event);
    return event ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

void icd_DestroyEvent(VkDevice device, VkEvent event, const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    icd_private_forget(ICD_OBJECT(icd_device, device), (uintptr_t)event);
    free(ICD_OBJECT(icd_event, event));
}

VkResult icd_GetEventStatus(VkDevice handle, VkEvent event)
{
    struct icd_device *device = ICD_OBJECT(icd_device, handle);
    if (atomic_load(&device->lost))
        return VK_ERROR_DEVICE_LOST;
    pthread_mutex_lock(&device->queue->lock);
    const bool set = ICD_OBJECT(icd_event, event)->set;
    pthread_mutex_unlock(&device->queue->lock);
    return set ? VK_EVENT_SET : VK_EVENT_RESET;
}

static VkResult set_event(VkDevice handle, VkEvent event, bool set)
{
    struct icd_device *device = ICD_OBJECT(icd_device, handle);
    pthread_mutex_lock(&device->queue->lock);
    ICD_OBJECT(icd_event, event)->set = set;
    changed(device->queue);
    return VK_SUCCESS;
}

VkResult icd_SetEvent(VkDevice device, VkEvent event)
{
    return set_event(device, event, true);
}

VkResult icd_ResetEvent(VkDevice device, VkEvent event)
{
    return set_event(device, event, false);
}
