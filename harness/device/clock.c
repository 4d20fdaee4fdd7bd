// SPDX-License-Identifier: Apache-2.0
// Timestamps among the commands of a submission.

#include "device/clock.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_BITS 36 // of a timestamp, as Vulkan demands: a minute at a nanosecond a tick

enum dev_status dev_clock_create(struct dev *dev, uint32_t count, struct dev_clock *clock,
                                 struct lit_error *error)
{
    enum dev_status status = DEV_OK;
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
error:
    return status;
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
    TRY(dev_check(vkGetQueryPoolResults(dev->device, clock->queries, 0, clock->used,
                                        clock->used * sizeof *at, at, sizeof *at,
                                        VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                  "vkGetQueryPoolResults", error));
    for (uint32_t i = 0; i < clock->used; i++)
        ns[i] = (double)((at[i] - at[0]) & clock->mask) * clock->tick;
error:
    free(at);
    return status;
}
