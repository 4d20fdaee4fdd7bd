// SPDX-License-Identifier: Apache-2.0
// A dispatch between two timestamps, and what the driver says of its pipeline.
#include "device/timing.h"

#include "device/vulkan.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct dev_timer {
    struct dev *dev;
    uint32_t seed;
    struct dev_clock clock;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    struct dev_buffer input, output, state, readback;
};

struct dev_timed {
    VkPipeline pipeline;
};

struct dev_timer *dev_timer_create(struct dev *dev, const uint32_t *input, uint64_t words,
                                   uint32_t seed, enum dev_status *result, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev_timer *timer = lit_alloc(1, sizeof *timer);
    const struct dev_buffer *const bindings[DEV_TEST_BINDINGS] = {&timer->input, &timer->output,
                                                                  &timer->state};
    timer->dev = dev;
    timer->seed = seed;
    TRY(dev_clock_create(dev, 2, &timer->clock, error));
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
    dev_clock_destroy(dev, &timer->clock);
    free(timer);
}

double dev_timer_tick(const struct dev_timer *timer)
{
    return timer->clock.tick;
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

static void record_dispatch(struct dev_timer *timer, const struct dev_timed *timed,
                            uint32_t workgroups)
{
    const VkCommandBuffer commands = timer->dev->commands;
    const struct dev_push push = {
        .input = timer->input.address,
        .output = timer->output.address,
        .state = timer->state.address,
        .seed = timer->seed,
    };
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, timed->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, timer->layout, 0, 1,
                            &timer->set, 0, NULL);
    vkCmdPushConstants(commands, timer->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    dev_clock_mark(timer->dev, &timer->clock);
    vkCmdDispatch(commands, workgroups, 1, 1);
    dev_clock_mark(timer->dev, &timer->clock);
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
    double at[2] = {0};
    struct dev *dev = timer->dev;
    TRY(dev_begin(dev, error));
    dev_clock_begin(dev, &timer->clock);
    record_poison(timer, words);
    record_dispatch(timer, timed, workgroups);
    record_readback(timer, words);
    TRY(dev_submit(dev, timeout_ms, error));
    TRY(dev_clock_read(dev, &timer->clock, at, error));
    *ns = at[1];
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
    return (timer->clock.tick > 0 ? run_by_timestamps : run_by_host_clock)(
        timer, timed, workgroups, words, timeout_ms, ns, error);
}
