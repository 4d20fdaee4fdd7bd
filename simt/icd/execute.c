// SPDX-License-Identifier: Apache-2.0
// Executes recorded commands in order on the queue's thread.

#include "icd/objects.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// False: stop, the device was lost or is being destroyed.
typedef bool command_run(struct executor *executor, const struct command *command);

// The memory of a region number; false, with a report, if there is none.
static bool find_region(struct executor *executor, const char *name, uint32_t number,
                        struct region *region)
{
    const struct region *found = regions_get(executor->device->regions, number);
    if (!found || !found->bytes) {
        icd_report(executor->device, ICD_ERROR,
                   "%s: a buffer or image is destroyed, or has no memory, or its memory was freed",
                   name);
        return false;
    }
    *region = *found;
    return true;
}

// How much of `size` bytes from `offset` on is in a region; reports anything less.
static uint64_t fitting(struct executor *executor, const char *name, const struct region *region,
                        uint64_t offset, uint64_t size)
{
    const uint64_t room = offset < region->size ? region->size - offset : 0;
    if (size <= room)
        return size;
    icd_report(executor->device, ICD_ERROR,
               "%s: %" PRIu64 " bytes at %" PRIu64 " are not within the buffer's %" PRIu64, name,
               size, offset, region->size);
    return room;
}

// Dispatches

static bool provide_local(struct executor *executor, uint32_t count)
{
    if (count > executor->local_capacity) {
        struct region *local = realloc(executor->local, count * sizeof *local);
        if (!local)
            return false;
        executor->local = local;
        executor->local_capacity = count;
    }
    memset(executor->local, 0, count * sizeof executor->local[0]);
    return true;
}

// The memory behind a descriptor: empty if it is not written or points nowhere.
static struct region resolve(struct executor *executor, const struct icd_descriptor *descriptor,
                             VkDescriptorType type, uint64_t dynamic)
{
    if (descriptor->inline_bytes) // read-only
        return (struct region){.bytes = (unsigned char *)(uintptr_t)descriptor->inline_bytes,
                               .size = descriptor->range,
                               .read_only = true};
    const struct region *buffer = regions_get(executor->device->regions, descriptor->region);
    const uint64_t offset = descriptor->offset + dynamic;
    if (!buffer || !buffer->bytes || offset < dynamic || offset >= buffer->size)
        return (struct region){0};
    const uint64_t room = buffer->size - offset;
    return (struct region){
        .bytes = buffer->bytes + offset,
        .size = descriptor->range < room ? descriptor->range : room,
        .read_only = type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
                     type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
        .extent = {descriptor->extent[0], descriptor->extent[1], descriptor->extent[2]},
        .address = region_address(descriptor->region, offset),
    };
}

static void resolve_resource(struct executor *executor, const struct resource *resource,
                             const struct bound_set *bound, struct region *local)
{
    struct icd_set *set = bound->set;
    const struct icd_set_layout *layout = set->layout;
    uint32_t index = 0;
    while (index < layout->binding_count && layout->binding[index].binding != resource->binding)
        index++;
    if (index == layout->binding_count)
        return;
    const struct icd_binding *binding = &layout->binding[index];
    uint32_t count = resource->count ? resource->count : RESOURCE_RUNTIME_MAX;
    const uint32_t has = icd_is_inline(binding->type) ? 1 : icd_set_count(set, index);
    count = count < has ? count : has;
    const uint32_t dynamic = icd_dynamic_before(layout, index);
    for (uint32_t i = 0; i < count; i++) {
        const bool shifted = icd_is_dynamic(binding->type) && i < bound->dynamic_count &&
                             dynamic < bound->dynamic_count - i;
        local[i] = resolve(executor, &set->descriptor[binding->first + i], binding->type,
                           shifted ? bound->dynamic[dynamic + i] : 0);
    }
}

static void resolve_all(struct executor *executor, const struct program *program,
                        const struct bound_set *sets, uint32_t local_count)
{
    for (uint32_t i = 0; i < program->resource_count; i++) {
        const struct resource *resource = &program->resources[i];
        const uint32_t at = resource->first_region - LOCAL_SHARED;
        const uint32_t takes = resource->count ? resource->count : RESOURCE_RUNTIME_MAX;
        if (resource->set >= ICD_SETS_MAX || !sets[resource->set].set || at > local_count ||
            takes > local_count - at)
            continue;
        icd_set_lock(sets[resource->set].set);
        resolve_resource(executor, resource, &sets[resource->set], executor->local + at);
        icd_set_unlock(sets[resource->set].set);
    }
}

static bool read_groups(struct executor *executor, const struct command *command,
                        uint32_t groups[3])
{
    struct region region;
    const uint64_t offset = command->dispatch.indirect_offset;
    const char *name = "vkCmdDispatchIndirect";
    if (!command->dispatch.is_indirect) {
        memcpy(groups, command->dispatch.groups, sizeof command->dispatch.groups);
        return true;
    }
    if (!find_region(executor, name, command->dispatch.indirect, &region) ||
        fitting(executor, name, &region, offset, sizeof(VkDispatchIndirectCommand)) <
            sizeof(VkDispatchIndirectCommand))
        return false;
    memcpy(groups, region.bytes + offset, sizeof(VkDispatchIndirectCommand));
    return true;
}

static bool begin_run(struct executor *executor, const struct command *command)
{
    executor->in_run = true;
    executor->run = command->run;
    executor->run_dispatches = 0;
    return true;
}

static bool run_dispatch(struct executor *executor, const struct command *command)
{
    struct icd_device *device = executor->device;
    const struct program *program = command->dispatch.pipeline->program;
    struct dispatch dispatch = {
        .program = program,
        .local_count = 2 + program->region_count,
        .robust = device->robust,
        .stop = &device->stop,
        .in_run = executor->in_run,
        .run = executor->run,
        .run_number = executor->run_dispatches++,
    };
    if (executor->nothing || !read_groups(executor, command, dispatch.groups) ||
        !dispatch.groups[0] || !dispatch.groups[1] || !dispatch.groups[2])
        return true;
    memcpy(dispatch.base, command->dispatch.base, sizeof dispatch.base);

    enum dispatch_end end = DISPATCH_MEMORY;
    if (provide_local(executor, dispatch.local_count)) {
        executor->local[LOCAL_PUSH - LOCAL_SHARED] =
            (struct region){.bytes = (unsigned char *)(uintptr_t)command->dispatch.push,
                            .size = ICD_PUSH_MAX,
                            .read_only = true};
        resolve_all(executor, program, command->dispatch.sets, dispatch.local_count);
        dispatch.local = executor->local;
        end = machine_dispatch(device->machine, &dispatch);
    }
    if (end == DISPATCH_MEMORY)
        icd_report(device, ICD_ERROR, "out of host memory in a dispatch: the device is lost");
    if (end == DISPATCH_MEMORY || end == DISPATCH_FAULT)
        icd_lose_device(device);
    return end == DISPATCH_DONE;
}

// Transfers

static bool run_copy(struct executor *executor, const struct command *command)
{
    struct region from, to;
    const char *name = "vkCmdCopyBuffer";
    if (!find_region(executor, name, command->copy.from, &from) ||
        !find_region(executor, name, command->copy.to, &to))
        return true;
    for (uint32_t i = 0; i < command->copy.count; i++) {
        const VkBufferCopy *piece = &command->copy.pieces[i];
        uint64_t size = fitting(executor, name, &from, piece->srcOffset, piece->size);
        size = fitting(executor, name, &to, piece->dstOffset, size);
        if (size)
            memmove(to.bytes + piece->dstOffset, from.bytes + piece->srcOffset, size);
    }
    return true;
}

static bool run_fill(struct executor *executor, const struct command *command)
{
    struct region to;
    const char *name = "vkCmdFillBuffer";
    const uint64_t offset = command->fill.offset;
    if (!find_region(executor, name, command->fill.to, &to))
        return true;
    uint64_t size = command->fill.size;
    if (size == VK_WHOLE_SIZE) // rounded down, as specified
        size = offset < to.size ? to.size - offset : 0;
    else
        size = fitting(executor, name, &to, offset, size);
    for (uint64_t at = 0; at + 4 <= size; at += 4)
        memcpy(to.bytes + offset + at, &command->fill.value, 4);
    return true;
}

static bool run_update(struct executor *executor, const struct command *command)
{
    struct region to;
    const char *name = "vkCmdUpdateBuffer";
    if (!find_region(executor, name, command->update.to, &to))
        return true;
    const uint64_t size =
        fitting(executor, name, &to, command->update.offset, command->update.size);
    if (size)
        memcpy(to.bytes + command->update.offset, command->update.bytes, size);
    return true;
}

// Events

static bool run_set_event(struct executor *executor, const struct command *command)
{
    struct icd_queue *queue = executor->device->queue;
    pthread_mutex_lock(&queue->lock);
    command->event.event->set = command->event.set;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return true;
}

static bool all_set(const struct command *command)
{
    for (uint32_t i = 0; i < command->wait.count; i++)
        if (!command->wait.events[i]->set)
            return false;
    return true;
}

static bool run_wait_events(struct executor *executor, const struct command *command)
{
    struct icd_queue *queue = executor->device->queue;
    pthread_mutex_lock(&queue->lock);
    while (!queue->stop && !all_set(command))
        pthread_cond_wait(&queue->changed, &queue->lock);
    const bool go_on = !queue->stop;
    pthread_mutex_unlock(&queue->lock);
    return go_on;
}

// Queries

static uint64_t nanoseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static bool run_query(struct executor *executor, const struct command *command)
{
    struct icd_queue *queue = executor->device->queue;
    struct icd_query_pool *pool = command->query.pool;
    const uint32_t first = command->query.first;
    const uint64_t value = command->kind == COMMAND_TIMESTAMP ? nanoseconds() : 0;
    pthread_mutex_lock(&queue->lock);
    for (uint32_t i = first; i < pool->count && i - first < command->query.count; i++)
        pool->query[i] = (struct icd_query){
            .available = command->kind != COMMAND_RESET_QUERIES,
            .value = value,
        };
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return true;
}

static bool run_copy_queries(struct executor *executor, const struct command *command)
{
    struct icd_queue *queue = executor->device->queue;
    const struct icd_query_pool *pool = command->query.pool;
    const char *name = "vkCmdCopyQueryPoolResults";
    const size_t one = icd_query_size(command->query.flags);
    const uint32_t first = command->query.first;
    struct region to;
    if (!find_region(executor, name, command->query.to, &to))
        return true;
    uint64_t offset = command->query.offset;
    bool missing = false;
    for (uint32_t i = first; i < pool->count && i - first < command->query.count; i++) {
        if (fitting(executor, name, &to, offset, one) < one)
            break;
        pthread_mutex_lock(&queue->lock);
        missing = missing || !pool->query[i].available;
        icd_query_store(&pool->query[i], command->query.flags, to.bytes + offset);
        pthread_mutex_unlock(&queue->lock);
        if (command->query.stride > to.size)
            break;
        offset += command->query.stride;
    }
    if (missing && command->query.flags & VK_QUERY_RESULT_WAIT_BIT)
        icd_report(executor->device, ICD_ERROR,
                   "%s: waits for a query that no earlier command makes available", name);
    return true;
}

static bool lose(struct executor *executor, const struct command *command)
{
    icd_report(executor->device, ICD_ERROR, "%s: graphics is not supported: the device is lost",
               command->graphics);
    icd_lose_device(executor->device);
    return false;
}

static command_run run_secondary;

static command_run *const runs[COMMAND_COUNT] = {
    [COMMAND_BEGIN_RUN] = begin_run,
    [COMMAND_DISPATCH] = run_dispatch,
    [COMMAND_COPY] = run_copy,
    [COMMAND_FILL] = run_fill,
    [COMMAND_UPDATE] = run_update,
    [COMMAND_SET_EVENT] = run_set_event,
    [COMMAND_WAIT_EVENTS] = run_wait_events,
    [COMMAND_TIMESTAMP] = run_query,
    [COMMAND_END_QUERY] = run_query,
    [COMMAND_RESET_QUERIES] = run_query,
    [COMMAND_COPY_QUERIES] = run_copy_queries,
    [COMMAND_EXECUTE] = run_secondary,
    [COMMAND_GRAPHICS] = lose,
};

bool icd_execute(struct executor *executor, const struct icd_command_buffer *buffer)
{
    const bool *stop = &executor->device->stop;
    for (const struct command *command = buffer->first; command; command = command->next)
        if (__atomic_load_n(stop, __ATOMIC_RELAXED) || !runs[command->kind](executor, command))
            return false;
    return true;
}

// Only primary command buffers contain this command, so it never nests.
static bool run_secondary(struct executor *executor, const struct command *command)
{
    for (uint32_t i = 0; i < command->execute.count; i++)
        if (!icd_execute(executor, command->execute.buffers[i]))
            return false;
    return true;
}

void icd_executor_free(struct executor *executor)
{
    free(executor->local);
    executor->local = NULL;
    executor->local_capacity = 0;
}
