// SPDX-License-Identifier: Apache-2.0
// The queue: accepts submissions, and executes them in order on its own thread.

#include "icd/objects.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
    struct icd_semaphore *semaphore;
    uint64_t value; // for timeline semaphores
};

struct submission {
    struct submission *next;
    uint64_t number; // the submit's number, on its first part with command buffers
    bool nothing;    // FAULT_NOTHING
    uint32_t wait_count, signal_count, buffer_count;
    struct point *waits, *signals;
    struct icd_command_buffer **buffers;
    struct icd_fence *fence; // or NULL
};

void icd_report(struct icd_device *device, enum icd_severity severity, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    icd_say(device->physical->instance, severity, line);
}

void icd_lose_device(struct icd_device *device)
{
    pthread_mutex_lock(&device->queue->lock);
    atomic_store(&device->lost, true);
    pthread_cond_broadcast(&device->queue->changed);
    pthread_mutex_unlock(&device->queue->lock);
}

// The thread

static bool is_reached(const struct point *point)
{
    const uint64_t value = point->semaphore->timeline ? point->value : 1;
    return point->semaphore->value >= value;
}

static bool all_reached(const struct submission *submission)
{
    for (uint32_t i = 0; i < submission->wait_count; i++)
        if (!is_reached(&submission->waits[i]))
            return false;
    return true;
}

// Takes the first submission once all its wait semaphores are signaled, and resets binary ones.
// NULL when the thread must end. A lost device does not wait, and must not touch objects that the
// application may have destroyed.
static struct submission *take(struct icd_queue *queue)
{
    struct submission *submission = NULL;
    pthread_mutex_lock(&queue->lock);
    while (!queue->stop) {
        submission = queue->first;
        if (submission && (atomic_load(&queue->device->lost) || all_reached(submission)))
            break;
        submission = NULL;
        pthread_cond_wait(&queue->changed, &queue->lock);
    }
    if (submission) {
        queue->first = submission->next;
        if (!queue->first)
            queue->last = &queue->first;
        const bool lost = atomic_load(&queue->device->lost);
        for (uint32_t i = 0; i < submission->wait_count && !lost; i++)
            if (!submission->waits[i].semaphore->timeline)
                submission->waits[i].semaphore->value = 0;
    }
    pthread_mutex_unlock(&queue->lock);
    return submission;
}

static void hang(struct icd_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (!queue->stop)
        pthread_cond_wait(&queue->changed, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

// Applies the device's faults at this submission. False: do not execute it.
static bool inject_fault(struct icd_queue *queue, const struct submission *submission)
{
    const struct settings *settings = &queue->device->physical->settings;
    if (settings->model != MODEL_FAULTY || !submission->number ||
        submission->number != settings->at)
        return true;
    if (settings->fault == FAULT_LOST) {
        icd_lose_device(queue->device);
    } else if (settings->fault == FAULT_HANG) {
        hang(queue);
    } else if (settings->fault == FAULT_CRASH) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    } else {
        return true;
    }
    return false;
}

// Signals everything the submission signals. Must not touch the application's objects afterwards:
// it may destroy them as soon as it sees a signal.
static void complete(struct icd_queue *queue, const struct submission *submission)
{
    pthread_mutex_lock(&queue->lock);
    for (uint32_t i = 0; i < submission->signal_count; i++) {
        struct point *point = &submission->signals[i];
        const uint64_t value = point->semaphore->timeline ? point->value : 1;
        if (value > point->semaphore->value)
            point->semaphore->value = value;
    }
    if (submission->fence)
        submission->fence->signaled = true;
    queue->completed++;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

static void *work(void *user)
{
    struct icd_queue *queue = user;
    for (struct submission *submission; (submission = take(queue));) {
        queue->executor.nothing = submission->nothing;
        bool done = !atomic_load(&queue->device->lost) && inject_fault(queue, submission);
        for (uint32_t i = 0; i < submission->buffer_count && done; i++) {
            queue->executor.in_run = false;
            done = icd_execute(&queue->executor, submission->buffers[i]);
        }
        if (done)
            complete(queue, submission);
        free(submission);
    }
    return NULL;
}

// Creation

#ifdef _WIN32
static int start(struct icd_queue *queue)
{
    return pthread_create(&queue->thread, NULL, work, queue);
}
#else
// Process signals go to the application; signals from errors in this thread are not blocked.
static int start(struct icd_queue *queue)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    const int error = pthread_create(&queue->thread, NULL, work, queue);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}
#endif

static void destroy(struct icd_queue *queue)
{
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

struct icd_queue *icd_queue_create(struct icd_device *device, const VkDeviceQueueCreateInfo *info)
{
    (void)info;
    struct icd_queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return NULL;
    set_loader_magic_value(&queue->loader);
    queue->device = device;
    queue->executor.device = device;
    queue->last = &queue->first;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    if (start(queue)) {
        destroy(queue);
        return NULL;
    }
    return queue;
}

void icd_queue_free(struct icd_queue *queue)
{
    if (!queue)
        return;
    pthread_mutex_lock(&queue->lock);
    queue->stop = true;
    __atomic_store_n(&queue->device->stop, true, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    pthread_join(queue->thread, NULL);
    while (queue->first) {
        struct submission *submission = queue->first;
        queue->first = submission->next;
        free(submission);
    }
    icd_executor_free(&queue->executor);
    destroy(queue);
}

VkQueue icd_queue_handle(struct icd_queue *queue)
{
    return ICD_HANDLE(VkQueue, queue);
}

// Submitting

static struct submission *make_submission(uint32_t waits, uint32_t buffers, uint32_t signals)
{
    struct submission *submission =
        calloc(1, sizeof *submission + ((size_t)waits + signals) * sizeof(struct point) +
                      (size_t)buffers * sizeof(struct icd_command_buffer *));
    if (!submission)
        return NULL;
    submission->waits = (struct point *)(submission + 1);
    submission->signals = submission->waits + waits;
    submission->buffers = (struct icd_command_buffer **)(submission->signals + signals);
    submission->wait_count = waits;
    submission->signal_count = signals;
    submission->buffer_count = buffers;
    return submission;
}

static void set_points(struct point *points, uint32_t count, const VkSemaphore *semaphores,
                       const uint64_t *values, uint32_t value_count)
{
    for (uint32_t i = 0; i < count; i++)
        points[i] = (struct point){
            .semaphore = ICD_OBJECT(icd_semaphore, semaphores[i]),
            .value = values && i < value_count ? values[i] : 0,
        };
}

static struct submission *convert(const VkSubmitInfo *info)
{
    static const VkTimelineSemaphoreSubmitInfo none = {0};
    const VkTimelineSemaphoreSubmitInfo *values =
        icd_find(info->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    if (!values)
        values = &none;
    struct submission *submission = make_submission(
        info->waitSemaphoreCount, info->commandBufferCount, info->signalSemaphoreCount);
    if (!submission)
        return NULL;
    set_points(submission->waits, info->waitSemaphoreCount, info->pWaitSemaphores,
               values->pWaitSemaphoreValues, values->waitSemaphoreValueCount);
    set_points(submission->signals, info->signalSemaphoreCount, info->pSignalSemaphores,
               values->pSignalSemaphoreValues, values->signalSemaphoreValueCount);
    for (uint32_t i = 0; i < info->commandBufferCount; i++)
        submission->buffers[i] = ICD_OBJECT(icd_command_buffer, info->pCommandBuffers[i]);
    return submission;
}

static void set_points2(struct point *points, uint32_t count, const VkSemaphoreSubmitInfo *infos)
{
    for (uint32_t i = 0; i < count; i++)
        points[i] = (struct point){
            .semaphore = ICD_OBJECT(icd_semaphore, infos[i].semaphore),
            .value = infos[i].value,
        };
}

static struct submission *convert2(const VkSubmitInfo2 *info)
{
    struct submission *submission = make_submission(
        info->waitSemaphoreInfoCount, info->commandBufferInfoCount, info->signalSemaphoreInfoCount);
    if (!submission)
        return NULL;
    set_points2(submission->waits, info->waitSemaphoreInfoCount, info->pWaitSemaphoreInfos);
    set_points2(submission->signals, info->signalSemaphoreInfoCount, info->pSignalSemaphoreInfos);
    for (uint32_t i = 0; i < info->commandBufferInfoCount; i++)
        submission->buffers[i] =
            ICD_OBJECT(icd_command_buffer, info->pCommandBufferInfos[i].commandBuffer);
    return submission;
}

// Numbers submits for the faults: the first part with command buffers gets the number.
static void number_submit(struct icd_device *device, struct submission *list)
{
    const struct settings *settings = &device->physical->settings;
    struct submission *first = list;
    while (first && !first->buffer_count)
        first = first->next;
    if (!first)
        return;
    first->number = atomic_fetch_add(&device->submits, 1) + 1;
    if (settings->model == MODEL_FAULTY && settings->fault == FAULT_NOTHING &&
        first->number >= settings->at)
        for (struct submission *each = first; each; each = each->next)
            each->nothing = true;
}

// Queues `count` infos of either kind, all or nothing. The fence belongs to the last.
static VkResult submit(struct icd_queue *queue, uint32_t count, const VkSubmitInfo *infos,
                       const VkSubmitInfo2 *infos2, VkFence fence)
{
    if (atomic_load(&queue->device->lost))
        return VK_ERROR_DEVICE_LOST;
    struct submission *list = NULL, **end = &list, *last = NULL;
    for (uint32_t i = 0; i < count || (!count && !i); i++) {
        last = !count  ? make_submission(0, 0, 0)
               : infos ? convert(&infos[i])
                       : convert2(&infos2[i]);
        if (!last) {
            while (list) {
                last = list->next;
                free(list);
                list = last;
            }
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        }
        *end = last;
        end = &last->next;
    }
    last->fence = ICD_OBJECT(icd_fence, fence);
    pthread_mutex_lock(&queue->lock);
    number_submit(queue->device, list);
    *queue->last = list;
    queue->last = end;
    queue->submitted += count ? count : 1;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return VK_SUCCESS;
}

VkResult icd_QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos, VkFence fence)
{
    return submit(ICD_OBJECT(icd_queue, queue), count, infos, NULL, fence);
}

VkResult icd_QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *infos, VkFence fence)
{
    return submit(ICD_OBJECT(icd_queue, queue), count, NULL, infos, fence);
}

// Sparse memory is not supported.
VkResult icd_QueueBindSparse(VkQueue handle, uint32_t count, const VkBindSparseInfo *infos,
                             VkFence fence)
{
    (void)count;
    (void)infos;
    (void)fence;
    icd_report(ICD_OBJECT(icd_queue, handle)->device, ICD_ERROR,
               "vkQueueBindSparse: sparse memory is not supported");
    return VK_ERROR_UNKNOWN;
}

struct idle_wait {
    const struct icd_queue *queue;
    uint64_t number;
};

static bool is_idle(const void *user)
{
    const struct idle_wait *wait = user;
    return wait->queue->completed >= wait->number;
}

VkResult icd_queue_wait_idle(struct icd_queue *queue)
{
    struct idle_wait wait = {.queue = queue};
    pthread_mutex_lock(&queue->lock);
    wait.number = queue->submitted;
    pthread_mutex_unlock(&queue->lock);
    return icd_wait(queue->device, is_idle, &wait, UINT64_MAX);
}

VkResult icd_QueueWaitIdle(VkQueue queue)
{
    return icd_queue_wait_idle(ICD_OBJECT(icd_queue, queue));
}
