// SPDX-License-Identifier: Apache-2.0
// A dispatch between two timestamps, and what the driver says of its pipeline.
#include "device/timing.h"

#include "device/vulkan.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct push {
    uint64_t input, output, state;
    uint32_t elements, seed;
};
_Static_assert(sizeof(struct push) == DEV_PUSH_BYTES, "the push constants of docs/test-format.md");

struct dev_timer {
    struct dev *dev;
    uint32_t seed;
    double tick;   // nanoseconds; 0: no timestamps
    uint64_t mask; // of the bits of a timestamp that mean something
    VkQueryPool queries;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    struct dev_buffer input, output, state, readback;
};

struct dev_timed {
    VkPipeline pipeline;
};

#define LEAST_BITS 36 // of a timestamp, as Vulkan demands: a minute at a nanosecond a tick

// A driver whose period or bits make no sense has no clock.
static enum dev_status make_clock(struct dev_timer *timer, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    VkPhysicalDeviceProperties properties = {0};
    vkGetPhysicalDeviceProperties(timer->dev->physical, &properties);
    const double period = (double)properties.limits.timestampPeriod;
    const uint32_t bits = timer->dev->timestamp_bits;
    if (bits < LEAST_BITS || !isfinite(period) || period <= 0)
        return DEV_OK;
    VK(vkCreateQueryPool(timer->dev->device,
                         &(VkQueryPoolCreateInfo){
                             .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                             .queryType = VK_QUERY_TYPE_TIMESTAMP,
                             .queryCount = 2,
                         },
                         NULL, &timer->queries));
    timer->tick = period;
    timer->mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
error:
    return status;
}

struct dev_timer *dev_timer_create(struct dev *dev, const uint32_t *input, uint64_t words,
                                   uint32_t seed, enum dev_status *result, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev_timer *timer = lit_alloc(1, sizeof *timer);
    const struct dev_buffer *const bindings[DEV_TEST_BINDINGS] = {&timer->input, &timer->output,
                                                                  &timer->state};
    timer->dev = dev;
    timer->seed = seed;
    TRY(make_clock(timer, error));
    TRY(dev_layouts(dev, DEV_TEST_BINDINGS, &timer->set_layout, &timer->layout, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, words, &timer->input, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, words, &timer->output, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, 1, &timer->state, error));
    TRY(dev_buffer_create(dev, DEV_FOR_HOST, words, &timer->readback, error));
    TRY(dev_upload(dev, &timer->input, input, words, error));
    TRY(dev_describe(dev, timer->set_layout, bindings, DEV_TEST_BINDINGS, &timer->pool, &timer->set,
                     error));
    *result = DEV_OK;
    return timer;
error:
    *result = status;
    dev_timer_destroy(&timer);
    return NULL;
}

void dev_timer_destroy(struct dev_timer **destroying)
{
    struct dev_timer *timer = *destroying;
    *destroying = NULL;
    if (!timer || timer->dev->stuck)
        return;
    struct dev *dev = timer->dev;
    dev_buffer_destroy(dev, &timer->readback);
    dev_buffer_destroy(dev, &timer->state);
    dev_buffer_destroy(dev, &timer->output);
    dev_buffer_destroy(dev, &timer->input);
    vkDestroyDescriptorPool(dev->device, timer->pool, NULL);
    vkDestroyPipelineLayout(dev->device, timer->layout, NULL);
    vkDestroyDescriptorSetLayout(dev->device, timer->set_layout, NULL);
    vkDestroyQueryPool(dev->device, timer->queries, NULL);
    free(timer);
}

double dev_timer_tick(const struct dev_timer *timer)
{
    return timer->tick;
}

// --- A kernel

struct dev_timed *dev_timed_create(struct dev_timer *timer, const struct dev_kernel *kernel,
                                   enum dev_status *result, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev *dev = timer->dev;
    struct dev_timed *timed = lit_alloc(1, sizeof *timed);
    struct dev_pipeline_info info = {
        .words = kernel->words,
        .word_count = kernel->word_count,
        .spec_ids = kernel->spec_ids,
        .spec_values = kernel->spec_values,
        .spec_count = sizeof kernel->spec_ids / sizeof *kernel->spec_ids,
        .layout = timer->layout,
        .subgroup = kernel->subgroup,
    };
    TRY(dev_pipeline(dev, &info, &timed->pipeline, error));
    *result = DEV_OK;
    return timed;
error:
    *result = status;
    dev_timed_destroy(timer, &timed);
    return NULL;
}

void dev_timed_destroy(struct dev_timer *timer, struct dev_timed **timed)
{
    if (*timed && !timer->dev->stuck)
        vkDestroyPipeline(timer->dev->device, (*timed)->pipeline, NULL);
    free(*timed);
    *timed = NULL;
}

// --- A dispatch

static void record_dispatch(const struct dev_timer *timer, const struct dev_timed *timed,
                            uint32_t workgroups)
{
    const VkCommandBuffer commands = timer->dev->commands;
    const struct push push = {
        .input = timer->input.address,
        .output = timer->output.address,
        .state = timer->state.address,
        .seed = timer->seed,
    };
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, timed->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, timer->layout, 0, 1,
                            &timer->set, 0, NULL);
    vkCmdPushConstants(commands, timer->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    if (timer->queries)
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, timer->queries, 0);
    vkCmdDispatch(commands, workgroups, 1, 1);
    if (timer->queries)
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, timer->queries, 1);
}

static void record_readback(const struct dev_timer *timer, uint64_t words)
{
    dev_barrier(timer->dev);
    vkCmdCopyBuffer(timer->dev->commands, timer->output.handle, timer->readback.handle, 1,
                    &(VkBufferCopy){.srcOffset = timer->output.offset, .size = words * 4});
    dev_barrier(timer->dev);
}

static void record_poison(const struct dev_timer *timer, uint64_t words)
{
    vkCmdFillBuffer(timer->dev->commands, timer->output.handle, timer->output.offset, words * 4,
                    CAT_POISON);
    dev_barrier(timer->dev);
}

static enum dev_status read_clock(const struct dev_timer *timer, double *ns,
                                  struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    uint64_t at[2] = {0};
    VK(vkGetQueryPoolResults(timer->dev->device, timer->queries, 0, 2, sizeof at, at, sizeof at[0],
                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    *ns = (double)((at[1] - at[0]) & timer->mask) * timer->tick;
error:
    return status;
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

// Poison, dispatch and reading back are one submission.
static enum dev_status run_by_timestamps(struct dev_timer *timer, const struct dev_timed *timed,
                                         uint32_t workgroups, uint64_t words, uint32_t timeout_ms,
                                         double *ns, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev *dev = timer->dev;
    TRY(dev_begin(dev, error));
    vkCmdResetQueryPool(dev->commands, timer->queries, 0, 2);
    record_poison(timer, words);
    record_dispatch(timer, timed, workgroups);
    record_readback(timer, words);
    TRY(dev_submit(dev, timeout_ms, error));
    TRY(read_clock(timer, ns, error));
error:
    return status;
}

// Three submissions, of which the one with the dispatch is timed, and what submitting costs with
// it.
static enum dev_status run_by_host_clock(struct dev_timer *timer, const struct dev_timed *timed,
                                         uint32_t workgroups, uint64_t words, uint32_t timeout_ms,
                                         double *ns, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev *dev = timer->dev;
    TRY(dev_begin(dev, error));
    record_poison(timer, words);
    TRY(dev_submit(dev, timeout_ms, error));
    TRY(dev_begin(dev, error));
    record_dispatch(timer, timed, workgroups);
    const double began = now_ns();
    TRY(dev_submit(dev, timeout_ms, error));
    *ns = now_ns() - began;
    TRY(dev_begin(dev, error));
    record_readback(timer, words);
    TRY(dev_submit(dev, timeout_ms, error));
error:
    return status;
}

enum dev_status dev_timed_run(struct dev_timer *timer, const struct dev_timed *timed,
                              uint32_t workgroups, uint64_t words, uint32_t timeout_ms, double *ns,
                              const uint32_t **output, struct lit_error *error)
{
    // What is there from the run before would look right.
    for (uint64_t i = 0; i < words; i++)
        timer->readback.mapped[i] = CAT_POISON;
    *output = timer->readback.mapped;
    return (timer->tick > 0 ? run_by_timestamps : run_by_host_clock)(timer, timed, workgroups,
                                                                     words, timeout_ms, ns, error);
}
