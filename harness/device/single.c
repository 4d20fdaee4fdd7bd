// SPDX-License-Identifier: Apache-2.0
// One run at a time.

#include "device/timing.h"

#include "base/text.h"
#include "device/vulkan.h"

#include <stdlib.h>
#include <string.h>

struct dev_single {
    struct dev *dev;
    struct dev_program_info info;
    bool compiles;
    uint64_t output_words;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline; // unless it compiles
    VkDescriptorPool pool;
    VkDescriptorSet set;
    struct dev_buffer input, output, state;
    struct dev_buffer from_host; // input, output, state, one after another
    struct dev_buffer to_host;   // output, word 0 of state
};

static enum dev_status compile(struct dev_single *single, VkPipeline *pipeline,
                               struct lit_error *error)
{
    return dev_pipeline(
        single->dev,
        &(struct dev_pipeline_info){.code = single->info.code, .layout = single->layout}, pipeline,
        error);
}

static enum dev_status make(struct dev_single *single, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev *dev = single->dev;
    const struct cat_shape *shape = &single->info.shape;
    const struct dev_buffer *const bindings[DEV_TEST_BINDINGS] = {&single->input, &single->output,
                                                                  &single->state};
    TRY(dev_layouts(dev, DEV_TEST_BINDINGS, &single->set_layout, &single->layout, error));
    if (!single->compiles)
        TRY(compile(single, &single->pipeline, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, shape->input_words, &single->input, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, single->output_words, &single->output, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, shape->state_words, &single->state, error));
    TRY(dev_buffer_create(dev, DEV_FOR_HOST,
                          shape->input_words + single->output_words + shape->state_words,
                          &single->from_host, error));
    TRY(dev_buffer_create(dev, DEV_FOR_HOST, single->output_words + 1, &single->to_host, error));
    TRY(dev_describe(dev, single->set_layout, bindings, DEV_TEST_BINDINGS, &single->pool,
                     &single->set, error));
error:
    return status;
}

struct dev_single *dev_single_create(struct dev *dev, const struct dev_program_info *info,
                                     bool compiles, enum dev_status *result,
                                     struct lit_error *error)
{
    struct dev_single *single = lit_alloc(1, sizeof *single);
    single->dev = dev;
    single->info = *info;
    single->compiles = compiles;
    single->output_words = info->shape.instances * info->shape.words_per_instance;
    *result =
        dev_shape_fits(&dev->facts, info->mode.check, &info->shape, error) ? DEV_OK : DEV_ERROR;
    if (*result == DEV_OK)
        *result = make(single, error);
    if (*result != DEV_OK)
        dev_single_destroy(&single);
    return single;
}

void dev_single_destroy(struct dev_single **destroying)
{
    struct dev_single *single = *destroying;
    *destroying = NULL;
    if (!single || single->dev->stuck)
        return;
    struct dev *dev = single->dev;
    dev_buffer_destroy(dev, &single->to_host);
    dev_buffer_destroy(dev, &single->from_host);
    dev_buffer_destroy(dev, &single->state);
    dev_buffer_destroy(dev, &single->output);
    dev_buffer_destroy(dev, &single->input);
    vkDestroyDescriptorPool(dev->device, single->pool, NULL);
    vkDestroyPipeline(dev->device, single->pipeline, NULL);
    vkDestroyPipelineLayout(dev->device, single->layout, NULL);
    vkDestroyDescriptorSetLayout(dev->device, single->set_layout, NULL);
    free(single);
}

static void fill_from_host(struct dev_single *single)
{
    const struct cat_shape *shape = &single->info.shape;
    uint32_t *words = single->from_host.mapped;
    if (shape->input_words)
        memcpy(words, single->info.input, shape->input_words * 4);
    words += shape->input_words;
    for (uint64_t i = 0; i < single->output_words; i++)
        words[i] = CAT_POISON;
    memset(words + single->output_words, 0, shape->state_words * 4);
    // What is there from the run before would look right.
    memset(single->to_host.mapped, 0xff, single->to_host.words * 4);
}

static void record_copies(struct dev_single *single)
{
    const struct dev_buffer *const to[] = {&single->input, &single->output, &single->state};
    const struct cat_shape *shape = &single->info.shape;
    const uint64_t words[] = {shape->input_words, single->output_words, shape->state_words};
    uint64_t from = 0;
    for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
        if (words[i])
            vkCmdCopyBuffer(single->dev->commands, single->from_host.handle, to[i]->handle, 1,
                            &(VkBufferCopy){.srcOffset = from * 4, .size = words[i] * 4});
        from += words[i];
    }
    dev_barrier(single->dev);
}

static void record(struct dev_single *single, VkPipeline pipeline, uint32_t seed)
{
    const VkCommandBuffer commands = single->dev->commands;
    const struct cat_shape *shape = &single->info.shape;
    const struct dev_push push = {
        .input = single->input.address,
        .output = single->output.address,
        .state = single->state.address,
        .elements = shape->elements,
        .seed = seed,
    };
    record_copies(single);
    if (shape->workgroups) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, single->layout, 0, 1,
                                &single->set, 0, NULL);
        vkCmdPushConstants(commands, single->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push,
                           &push);
        vkCmdDispatch(commands, shape->workgroups, 1, 1);
        dev_barrier(single->dev);
    }
    const uint64_t bytes = single->output_words * 4;
    vkCmdCopyBuffer(commands, single->output.handle, single->to_host.handle, 1,
                    &(VkBufferCopy){.size = bytes});
    vkCmdCopyBuffer(commands, single->state.handle, single->to_host.handle, 1,
                    &(VkBufferCopy){.dstOffset = bytes, .size = 4});
    dev_barrier(single->dev);
}

static enum dev_status submit(struct dev_single *single, VkPipeline pipeline, uint32_t seed,
                              uint32_t timeout_ms, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev *dev = single->dev;
    const VkCommandBuffer kept = dev->commands;
    VkCommandBuffer made = VK_NULL_HANDLE;
    VK(vkAllocateCommandBuffers(dev->device,
                                &(VkCommandBufferAllocateInfo){
                                    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                    .commandPool = dev->pool,
                                    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                    .commandBufferCount = 1,
                                },
                                &made));
    dev->commands = made;
    TRY(dev_begin(dev, error));
    record(single, pipeline, seed);
    TRY(dev_submit(dev, timeout_ms, error));
error:
    dev->commands = kept;
    if (made && status == DEV_OK)
        vkFreeCommandBuffers(dev->device, dev->pool, 1, &made);
    return status;
}

enum dev_status dev_single_run(struct dev_single *single, uint32_t seed, struct cat_run *run,
                               bool *expired, uint32_t timeout_ms, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    const struct dev_program_info *info = &single->info;
    struct cat_failure failure;
    size_t failures = 0;
    VkPipeline own = VK_NULL_HANDLE;
    if (single->compiles)
        TRY(compile(single, &own, error));
    fill_from_host(single);
    TRY(submit(single, own ? own : single->pipeline, seed, timeout_ms, error));
    const uint32_t state = single->to_host.mapped[single->output_words];
    *expired = state != 0 && state != UINT32_MAX;
    cat_mode_check(&info->mode, &info->shape, single->to_host.mapped, info->expected, 0, run,
                   &failure, 1, &failures);
error:
    if (own && !single->dev->stuck && status != DEV_LOST)
        vkDestroyPipeline(single->dev->device, own, NULL);
    return status;
}
