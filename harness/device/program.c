// SPDX-License-Identifier: Apache-2.0
// One configuration made ready, and its runs: each with its buffers made anew, its dispatch and its
// verification.

#include "device/checking.h"
#include "device/stressing.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

struct push {
    uint64_t input, output, state;
    uint32_t elements, seed;
};
_Static_assert(sizeof(struct push) == DEV_PUSH_BYTES, "the push constants of docs/test-format.md");

struct dev_program {
    struct dev *dev;
    struct cat_shape shape;
    struct cat_mode mode;
    uint32_t batch;
    uint64_t output_words;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    struct dev_buffer input, output, state;
    struct dev_stressing stressing;
    bool check_on_host;
    struct dev_checking checking; // unless check_on_host
    struct dev_buffer readback;   // check_on_host: the output, then word 0 of the state
    uint32_t *expected;           // check_on_host: a copy
};

static enum dev_status make_buffers(struct dev_program *program,
                                    const struct dev_program_info *info, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev *dev = program->dev;
    const struct cat_shape *shape = &program->shape;
    const uint64_t offset = info->stress.offset;
    TRY(dev_buffer_create_at(dev, DEV_ON_DEVICE, shape->input_words, offset, &program->input,
                             error));
    TRY(dev_buffer_create_at(dev, DEV_ON_DEVICE, program->output_words, 2 * offset,
                             &program->output, error));
    TRY(dev_buffer_create_at(dev, DEV_ON_DEVICE, shape->state_words, 3 * offset, &program->state,
                             error));
    if (shape->input_words)
        TRY(dev_upload(dev, &program->input, info->input, shape->input_words, error));
    const struct dev_buffer *const bindings[DEV_TEST_BINDINGS] = {&program->input, &program->output,
                                                                  &program->state};
    TRY(dev_describe(dev, program->set_layout, bindings, DEV_TEST_BINDINGS, &program->pool,
                     &program->set, error));
    if (program->check_on_host) {
        const size_t words = program->output_words * cat_check_stride(info->mode.check);
        program->expected = lit_alloc(words, 4);
        memcpy(program->expected, info->expected, words * 4);
        TRY(dev_buffer_create(dev, DEV_FOR_HOST, program->output_words + 1, &program->readback,
                              error));
    } else {
        TRY(dev_checking_init(dev, &program->checking, &info->mode, shape, &program->output,
                              &program->state, info->expected, info->batch, error));
    }
error:
    return status;
}

struct dev_program *dev_program_create(struct dev *dev, const struct dev_program_info *info,
                                       enum dev_status *result, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev_program *program = lit_alloc(1, sizeof *program);
    program->dev = dev;
    program->shape = info->shape;
    program->mode = info->mode;
    program->batch = info->batch;
    program->check_on_host = info->check_on_host;
    if (!info->batch || !dev_shape_fits(&dev->facts, info->mode.check, &info->shape, error)) {
        status = DEV_ERROR;
        goto error;
    }
    program->output_words = info->shape.instances * info->shape.words_per_instance;
    TRY(dev_layouts(dev, DEV_TEST_BINDINGS, &program->set_layout, &program->layout, error));
    TRY(dev_pipeline(dev,
                     &(struct dev_pipeline_info){
                         .words = info->words,
                         .word_count = info->word_count,
                         .spec_ids = info->spec_ids,
                         .spec_values = info->spec_values,
                         .spec_count = info->spec_count,
                         .layout = program->layout,
                         .subgroup = info->subgroup,
                         .sliced = info->stress.slices > 1,
                     },
                     &program->pipeline, error));
    TRY(dev_stressing_init(dev, &program->stressing, &info->stress, error));
    TRY(make_buffers(program, info, error));
    *result = DEV_OK;
    return program;
error:
    *result = status;
    dev_program_destroy(&program);
    return NULL;
}

void dev_program_destroy(struct dev_program **destroying)
{
    struct dev_program *program = *destroying;
    *destroying = NULL;
    if (!program || program->dev->stuck)
        return;
    struct dev *dev = program->dev;
    dev_checking_clear(dev, &program->checking);
    dev_stressing_clear(dev, &program->stressing);
    dev_buffer_destroy(dev, &program->readback);
    dev_buffer_destroy(dev, &program->state);
    dev_buffer_destroy(dev, &program->output);
    dev_buffer_destroy(dev, &program->input);
    vkDestroyDescriptorPool(dev->device, program->pool, NULL);
    vkDestroyPipeline(dev->device, program->pipeline, NULL);
    vkDestroyPipelineLayout(dev->device, program->layout, NULL);
    vkDestroyDescriptorSetLayout(dev->device, program->set_layout, NULL);
    free(program->expected);
    free(program);
}

struct binding {
    const struct dev_program *program;
    struct push push;
};

static void bind_test(void *user)
{
    const struct binding *binding = user;
    const struct dev_program *program = binding->program;
    const VkCommandBuffer commands = program->dev->commands;
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->layout, 0, 1,
                            &program->set, 0, NULL);
    vkCmdPushConstants(commands, program->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       sizeof binding->push, &binding->push);
}

// Records what comes before the check: fresh buffers, the test and what runs beside it.
static void record_test(struct dev_program *program, uint32_t seed)
{
    struct dev *dev = program->dev;
    vkCmdFillBuffer(dev->commands, program->output.handle, 0, VK_WHOLE_SIZE, CAT_POISON);
    vkCmdFillBuffer(dev->commands, program->state.handle, 0, VK_WHOLE_SIZE, 0);
    dev_barrier(dev);
    if (!program->shape.workgroups)
        return;
    struct binding binding = {
        .program = program,
        .push =
            {
                .input = program->input.address,
                .output = program->output.address,
                .state = program->state.address,
                .elements = program->shape.elements,
                .seed = seed,
            },
    };
    dev_stressing_record(dev, &program->stressing, program->shape.workgroups, seed, bind_test,
                         &binding);
    dev_barrier(dev);
}

static enum dev_status run_on_device(struct dev_program *program, const uint32_t *seeds,
                                     struct dev_batch *batch, uint32_t timeout_ms,
                                     struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev *dev = program->dev;
    TRY(dev_begin(dev, error));
    dev_checking_begin(dev, &program->checking);
    for (uint32_t i = 0; i < batch->runs; i++) {
        dev_checking_prepare(dev, &program->checking);
        record_test(program, seeds[i]);
        dev_checking_check(dev, &program->checking, i);
    }
    dev_checking_end(dev, &program->checking, batch->runs);
    TRY(dev_submit(dev, timeout_ms, error));
    dev_checking_read(&program->checking, batch);
error:
    return status;
}

static enum dev_status run_for_host(struct dev_program *program, uint32_t seed, uint32_t index,
                                    struct dev_batch *batch, uint32_t timeout_ms,
                                    struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev *dev = program->dev;
    const uint64_t bytes = program->output_words * 4;
    uint32_t *output = program->readback.mapped;
    for (uint64_t i = 0; i <= program->output_words; i++)
        output[i] = CAT_POISON;
    TRY(dev_begin(dev, error));
    record_test(program, seed);
    vkCmdCopyBuffer(dev->commands, program->output.handle, program->readback.handle, 1,
                    &(VkBufferCopy){.srcOffset = program->output.offset, .size = bytes});
    vkCmdCopyBuffer(
        dev->commands, program->state.handle, program->readback.handle, 1,
        &(VkBufferCopy){.srcOffset = program->state.offset, .dstOffset = bytes, .size = 4});
    dev_barrier(dev);
    TRY(dev_submit(dev, timeout_ms, error));

    // A device that executes nothing leaves the poison everywhere: it never wrote, it did not give
    // up.
    const uint32_t state = output[program->output_words];
    batch->gave_up[index] = state != 0 && state != CAT_POISON;
    cat_mode_check(&program->mode, &program->shape, output, program->expected, index,
                   &batch->run[index], batch->failures, DEV_MAX_FAILURES, &batch->failure_count);
error:
    return status;
}

enum dev_status dev_program_run(struct dev_program *program, const uint32_t *seeds,
                                struct dev_batch *batch, uint32_t timeout_ms,
                                struct lit_error *error)
{
    batch->failure_count = 0;
    batch->unchecked = false;
    if (!batch->runs || batch->runs > program->batch)
        return dev_refuse(error, "a batch of %u runs, of at most %u", batch->runs, program->batch);
    if (!program->check_on_host)
        return run_on_device(program, seeds, batch, timeout_ms, error);
    enum dev_status status = DEV_OK;
    for (uint32_t i = 0; i < batch->runs && status == DEV_OK; i++)
        status = run_for_host(program, seeds[i], i, batch, timeout_ms, error);
    return status;
}
