// SPDX-License-Identifier: Apache-2.0
// The command buffers. Waits for a submission have a time limit; meanwhile the other buffer can be
// recorded, and submitted behind it.
#include "device/vulkan.h"

#include "base/clock.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum dev_status dev_begin(struct dev *dev, struct lit_error *error)
{
    VK(vkResetCommandPool(dev->device, dev->pool, 0));
    VK(vkBeginCommandBuffer(dev->commands, &(VkCommandBufferBeginInfo){
                                               .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                               .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
                                           }));
    return DEV_OK;
}

void dev_begin_run(struct dev *dev, uint64_t run)
{
    if (dev->begin_run)
        dev->begin_run(dev->commands, run);
}

void dev_barrier(struct dev *dev)
{
    const VkPipelineStageFlags work =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    vkCmdPipelineBarrier(
        dev->commands, work, work | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
        &(VkMemoryBarrier){
            .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
            .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
            .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                             VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
                             VK_ACCESS_HOST_READ_BIT,
        },
        0, NULL, 0, NULL);
}

void dev_copy(struct dev *dev, const struct dev_buffer *from, uint64_t first,
              const struct dev_buffer *to, uint64_t at, uint64_t words)
{
    if (words)
        vkCmdCopyBuffer(dev->commands, from->handle, to->handle, 1,
                        &(VkBufferCopy){.srcOffset = from->offset + first * 4,
                                        .dstOffset = to->offset + at * 4,
                                        .size = words * 4});
}

void dev_fill(struct dev *dev, const struct dev_buffer *buffer, uint64_t first, uint64_t words,
              uint32_t value)
{
    if (words)
        vkCmdFillBuffer(dev->commands, buffer->handle, buffer->offset + first * 4, words * 4,
                        value);
}

void dev_bind(struct dev *dev, VkPipeline pipeline, VkPipelineLayout layout,
              const struct dev_sets *sets, const void *push, uint32_t bytes)
{
    vkCmdBindPipeline(dev->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    if (sets->count)
        vkCmdBindDescriptorSets(dev->commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0,
                                sets->count, sets->sets, 0, NULL);
    if (bytes)
        vkCmdPushConstants(dev->commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes, push);
}

void dev_change(struct dev *dev)
{
    const VkCommandPool pool = dev->pool;
    const VkCommandBuffer commands = dev->commands;
    const VkFence fence = dev->fence;
    dev->pool = dev->other_pool;
    dev->commands = dev->other_commands;
    dev->fence = dev->other_fence;
    dev->other_pool = pool;
    dev->other_commands = commands;
    dev->other_fence = fence;
}

enum dev_status dev_end(struct dev *dev, struct lit_error *error)
{
    VK(vkEndCommandBuffer(dev->commands));
    return DEV_OK;
}

enum dev_status dev_start(struct dev *dev, struct lit_error *error)
{
    VK(vkResetFences(dev->device, 1, &dev->fence));
    VK(vkQueueSubmit(dev->queue, 1,
                     &(VkSubmitInfo){
                         .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &dev->commands,
                     },
                     dev->fence));
    return DEV_OK;
}

enum dev_status dev_finish(struct dev *dev, uint32_t timeout_ms, struct lit_error *error)
{
    // In short waits, so that time during which the process is stopped does not count.
    VkResult waited = VK_TIMEOUT;
    const double limit = clock_awake() + timeout_ms / 1000.0;
    for (double left; waited == VK_TIMEOUT && (left = limit - clock_awake()) > 0;)
        waited = vkWaitForFences(dev->device, 1, &dev->fence, VK_TRUE,
                                 (uint64_t)((left < CLOCK_LOOK ? left : CLOCK_LOOK) * 1e9));
    if (waited == VK_TIMEOUT) {
        dev->stuck = true;
        lit_fail(error, LIT_EXIT_TIME, "the device did not finish within %u ms", timeout_ms);
        return DEV_TIMEOUT;
    }
    if (waited == VK_SUCCESS && dev_emulated_not(error))
        return DEV_ERROR;
    return dev_check(waited, "vkWaitForFences", error);
}

enum dev_status dev_submit(struct dev *dev, uint32_t timeout_ms, struct lit_error *error)
{
    TRY(dev_end(dev, error));
    TRY(dev_start(dev, error));
    return dev_finish(dev, timeout_ms, error);
}

// --- Timestamps within a submission

#define LEAST_BITS 36 // timestamp bits required by Vulkan: a minute at a nanosecond per tick

enum dev_status dev_clock_create(struct dev *dev, uint32_t count, struct dev_clock *clock,
                                 struct lit_error *error)
{
    VkPhysicalDeviceProperties properties = {0};
    vkGetPhysicalDeviceProperties(dev->physical, &properties);
    const double period = (double)properties.limits.timestampPeriod;
    const uint32_t bits = dev->timestamp_bits;
    memset(clock, 0, sizeof *clock);
    if (bits < LEAST_BITS || !isfinite(period) || period <= 0)
        return DEV_OK;
    VK(vkCreateQueryPool(dev->device,
                         &(VkQueryPoolCreateInfo){
                             .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                             .queryType = VK_QUERY_TYPE_TIMESTAMP,
                             .queryCount = count,
                         },
                         NULL, &clock->queries));
    clock->count = count;
    clock->tick = period;
    clock->mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    return DEV_OK;
}

void dev_clock_destroy(struct dev *dev, struct dev_clock *clock)
{
    vkDestroyQueryPool(dev->device, clock->queries, NULL);
    memset(clock, 0, sizeof *clock);
}

void dev_clock_begin(struct dev *dev, struct dev_clock *clock)
{
    clock->used = 0;
    if (clock->queries)
        vkCmdResetQueryPool(dev->commands, clock->queries, 0, clock->count);
}

uint32_t dev_clock_mark(struct dev *dev, struct dev_clock *clock)
{
    if (clock->used < clock->count)
        vkCmdWriteTimestamp(dev->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, clock->queries,
                            clock->used);
    return clock->used++;
}

enum dev_status dev_clock_read(struct dev *dev, const struct dev_clock *clock, double *ns,
                               struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    if (!clock->queries || !clock->used || clock->used > clock->count)
        return DEV_OK;
    uint64_t *at = lit_alloc(clock->used, sizeof *at);
    TRY_END(dev_check(vkGetQueryPoolResults(dev->device, clock->queries, 0, clock->used,
                                            clock->used * sizeof *at, at, sizeof *at,
                                            VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                      "vkGetQueryPoolResults", error));
    for (uint32_t i = 0; i < clock->used; i++)
        ns[i] = (double)((at[i] - at[0]) & clock->mask) * clock->tick;
error:
    free(at);
    return status;
}
