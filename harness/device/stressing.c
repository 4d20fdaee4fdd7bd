// SPDX-License-Identifier: Apache-2.0
// Background workgroups and slices. What the former do is spirv/stress/background.spvasm, whose
// head is the interface.

#include "device/checking.h"

#include <string.h>

enum { SPEC_FIRST_LOADS = 1, SPEC_SECOND_LOADS = 2, SPEC_SHARED = 3, SPECS = 3 };

struct push {
    uint32_t iterations, line, lines, stride, seed, number, reserved[2];
};
_Static_assert(sizeof(struct push) == DEV_PUSH_BYTES, "the push constants of background.spvasm");

static enum dev_status make_pipeline(struct dev *dev, struct dev_stressing *stressing,
                                     struct lit_error *error)
{
    const struct dev_stress *set = &stressing->set;
    static const char *const names[DEV_STRESS_KINDS] = {
        [DEV_STRESS_IDLE] = "stress/background/kind=idle",
        [DEV_STRESS_MEMORY] = "stress/background/kind=memory",
        [DEV_STRESS_ARITHMETIC] = "stress/background/kind=arithmetic",
        [DEV_STRESS_BARRIER] = "stress/background/kind=barrier",
    };
    const uint32_t shared = set->shared > DEV_STRESS_SHARED ? set->shared : DEV_STRESS_SHARED;
    const uint32_t ids[SPECS] = {SPEC_FIRST_LOADS, SPEC_SECOND_LOADS, SPEC_SHARED};
    const uint32_t values[SPECS] = {
        set->pattern == DEV_STRESS_LOAD_STORE || set->pattern == DEV_STRESS_LOAD_LOAD,
        set->pattern == DEV_STRESS_STORE_LOAD || set->pattern == DEV_STRESS_LOAD_LOAD,
        shared / 4,
    };
    return dev_kernel(dev, names[set->kind], ids, values, SPECS, stressing->layout,
                      &stressing->pipeline, error);
}

enum dev_status dev_stressing_init(struct dev *dev, struct dev_stressing *stressing,
                                   const struct dev_stress *set, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    stressing->set = *set;
    if (set->kind == DEV_STRESS_NONE)
        return DEV_OK;
    const struct dev_buffer *const bindings[] = {&stressing->places};
    TRY(dev_layouts(dev, 1, &stressing->set_layout, &stressing->layout, error));
    TRY(make_pipeline(dev, stressing, error));
    TRY(dev_buffer_create(dev, DEV_ON_DEVICE, DEV_STRESS_WORDS, &stressing->places, error));
    TRY(dev_describe(dev, stressing->set_layout, bindings, 1, &stressing->pool,
                     &stressing->places_set, error));
    // Nobody looks at the words, but loads of what was never stored would make layers complain.
    TRY(dev_begin(dev, error));
    vkCmdFillBuffer(dev->commands, stressing->places.handle, 0, VK_WHOLE_SIZE, 0);
    dev_barrier(dev);
    TRY(dev_submit(dev, DEV_UPLOAD_TIMEOUT_MS, error));
error:
    return status;
}

void dev_stressing_clear(struct dev *dev, struct dev_stressing *stressing)
{
    dev_buffer_destroy(dev, &stressing->places);
    vkDestroyDescriptorPool(dev->device, stressing->pool, NULL);
    vkDestroyPipeline(dev->device, stressing->pipeline, NULL);
    vkDestroyPipelineLayout(dev->device, stressing->layout, NULL);
    vkDestroyDescriptorSetLayout(dev->device, stressing->set_layout, NULL);
    memset(stressing, 0, sizeof *stressing);
}

static void background(struct dev *dev, const struct dev_stressing *stressing, uint32_t workgroups,
                       uint32_t seed, uint32_t number)
{
    const struct dev_stress *set = &stressing->set;
    const struct push push = {
        .iterations = set->iterations,
        .line = set->line,
        .lines = set->lines,
        .stride = set->stride,
        .seed = seed,
        .number = number,
    };
    if (!stressing->pipeline || !workgroups)
        return;
    vkCmdBindPipeline(dev->commands, VK_PIPELINE_BIND_POINT_COMPUTE, stressing->pipeline);
    vkCmdBindDescriptorSets(dev->commands, VK_PIPELINE_BIND_POINT_COMPUTE, stressing->layout, 0, 1,
                            &stressing->places_set, 0, NULL);
    vkCmdPushConstants(dev->commands, stressing->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       sizeof push, &push);
    vkCmdDispatch(dev->commands, workgroups, 1, 1);
}

void dev_stressing_record(struct dev *dev, const struct dev_stressing *stressing,
                          uint32_t workgroups, uint32_t seed, void (*bind)(void *user), void *user)
{
    const struct dev_stress *set = &stressing->set;
    struct dev_slice slices[DEV_STRESS_SLICES];
    const uint32_t count = dev_stress_slices(set, workgroups, seed, slices);
    background(dev, stressing, set->before, seed, 0);
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            background(dev, stressing, set->skew, seed, i);
        bind(user);
        // A pipeline that was not made for it has no base.
        if (set->slices > 1)
            vkCmdDispatchBase(dev->commands, slices[i].first, 0, 0, slices[i].count, 1, 1);
        else
            vkCmdDispatch(dev->commands, slices[i].count, 1, 1);
    }
    background(dev, stressing, set->workgroups, seed, DEV_STRESS_SLICES);
}
