// SPDX-License-Identifier: Apache-2.0
// Compute pipelines.
#include "device/vulkan.h"

#include "base/clock.h"
#include "base/text.h"
#include "model/kernel.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SPEC (CAT_MOST_SPEC + 8) // of a kernel from outside, plus a test's parameters

static enum dev_status compile(struct dev *dev, const struct dev_pipeline_info *info,
                               VkShaderModule module, VkPipeline *pipeline, struct lit_error *error)
{
    VkSpecializationMapEntry entries[MAX_SPEC];
    uint32_t entry_count = 0;
    if (info->code.spec_count > MAX_SPEC)
        return dev_refuse(error, "%zu specialization constants", info->code.spec_count);
    for (size_t i = 0; i < info->code.spec_count; i++) {
        const uint32_t id = info->code.spec_ids[i];
        if (i && id == info->code.spec_ids[i - 1])
            entries[entry_count - 1].size = 8;
        else
            entries[entry_count++] = (VkSpecializationMapEntry){id, (uint32_t)(i * 4), 4};
    }
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = info->code.subgroup,
    };
    const VkSpecializationInfo specialization = {
        .mapEntryCount = entry_count,
        .pMapEntries = entries,
        .dataSize = info->code.spec_count * 4,
        .pData = info->code.spec_values,
    };
    const struct cat_interface *interface = dev_interface(&info->code);
    const bool full =
        interface->full && dev->full_subgroups && (info->code.subgroup || !interface->counted);
    VK(vkCreateComputePipelines(
        dev->device, info->cache, 1,
        &(VkComputePipelineCreateInfo){
            .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .pNext = info->flags2,
            .flags = (info->sliced ? VK_PIPELINE_CREATE_DISPATCH_BASE : 0u) | info->capture,
            .stage =
                {
                    .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                    .pNext = info->code.subgroup && dev->size_control ? &size : NULL,
                    .flags = full ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0u,
                    .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                    .module = module,
                    .pName = interface->entry,
                    .pSpecializationInfo = &specialization,
                },
            .layout = info->layout,
        },
        NULL, pipeline));
    if (!*pipeline)
        TRY(dev_refuse(error, "vkCreateComputePipelines returned no pipeline"));
    return DEV_OK;
}

// Thread-safe.
static enum dev_status make_pipeline(struct dev *dev, const struct dev_pipeline_info *info,
                                     VkPipeline *pipeline, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    VkShaderModule module = VK_NULL_HANDLE;
    VK_END(vkCreateShaderModule(dev->device,
                                &(VkShaderModuleCreateInfo){
                                    .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                    .codeSize = info->code.word_count * 4,
                                    .pCode = info->code.words,
                                },
                                NULL, &module));
    TRY_END(compile(dev, info, module, pipeline, error));
error:
    vkDestroyShaderModule(dev->device, module, NULL);
    return status == DEV_ERROR && error
               ? dev_refuse(error, "the driver refused the pipeline: %s", error->message)
               : status;
}

// --- Precompilation. A thread only creates one pipeline, which Vulkan allows concurrently with
// other uses of a device. A single thread uses the table.

#define DEV_PRECOMPILE_SPECS 32 // specialization constants

struct dev_precompiled {
    bool used;
    pthread_t thread;
    struct dev *dev;
    char name[512];
    struct dev_pipeline_info info; // its lists are those below; the caller owns the words
    uint32_t ids[DEV_PRECOMPILE_SPECS], values[DEV_PRECOMPILE_SPECS];
    void (*made)(const char *name, void *user);
    void (*drop)(void *user);
    void *user; // NULL: claimed, or none
    bool ended; // the thread was joined
    // Valid after the thread ended:
    VkPipeline pipeline; // none if the driver failed
    double seconds;      // compile time
};

struct dev_precompile {
    struct dev_layout layout; // layout of tests, kept with the device
    double spent;             // for dev_precompile_spent
    struct dev_precompiled one[DEV_PRECOMPILE_MOST];
};

static bool same_info(const struct dev_pipeline_info *left, const struct dev_pipeline_info *right)
{
    const struct dev_compile_info *a = &left->code, *b = &right->code;
    return a->word_count == b->word_count && a->spec_count == b->spec_count &&
           a->subgroup == b->subgroup && left->sliced == right->sliced &&
           left->capture == right->capture && left->cache == right->cache &&
           left->flags2 == right->flags2 && a->interface == b->interface &&
           !memcmp(a->words, b->words, a->word_count * 4) &&
           (!a->spec_count || (!memcmp(a->spec_ids, b->spec_ids, a->spec_count * 4) &&
                               !memcmp(a->spec_values, b->spec_values, a->spec_count * 4)));
}

static void *make(void *user)
{
    struct dev_precompiled *one = user;
    struct lit_error error = {0};
    const double start = clock_now();
    // The caller will compile it again and get the error.
    if (make_pipeline(one->dev, &one->info, &one->pipeline, &error) != DEV_OK)
        one->pipeline = VK_NULL_HANDLE;
    one->seconds = clock_now() - start;
    if (one->made)
        one->made(one->name, one->user);
    return NULL;
}

static void wait_for(struct dev_precompiled *one)
{
    if (!one->ended)
        pthread_join(one->thread, NULL);
    one->ended = true;
}

static VkPipeline finish(struct dev_precompiled *one)
{
    wait_for(one);
    one->dev->precompile->spent = one->seconds;
    if (one->user && one->drop)
        one->drop(one->user);
    const VkPipeline pipeline = one->pipeline;
    *one = (struct dev_precompiled){0};
    return pipeline;
}

static struct dev_precompile *table_of(struct dev *dev)
{
    struct lit_error error = {0};
    if (dev->precompile)
        return dev->precompile;
    dev->precompile = lit_alloc(1, sizeof *dev->precompile);
    if (dev_layout_create(dev, dev_plain, DEV_TEST_BINDINGS, DEV_PUSH_BYTES,
                          &dev->precompile->layout, &error) == DEV_OK)
        return dev->precompile;
    dev_precompile_clear(dev);
    return NULL;
}

bool dev_precompile_begin(struct dev *dev, const struct dev_precompile_info *info)
{
    const struct dev_compile_info *code = &info->code;
    struct dev_precompile *table = table_of(dev);
    struct dev_precompiled *one = NULL;
    // Precompiled pipelines use the layout of tests.
    if (dev_interface(code) != &cat_usual_interface)
        return false;
    for (size_t i = 0; table && i < DEV_PRECOMPILE_MOST && !one; i++)
        if (!table->one[i].used)
            one = &table->one[i];
    if (!one || code->spec_count > DEV_PRECOMPILE_SPECS)
        return false;
    *one = (struct dev_precompiled){
        .dev = dev,
        .info = {.code = *code, .layout = table->layout.pipeline, .sliced = info->sliced},
        .made = info->made,
        .drop = info->drop,
        .user = info->user,
    };
    one->info.code.spec_ids = one->ids;
    one->info.code.spec_values = one->values;
    snprintf(one->name, sizeof one->name, "%s", info->name);
    for (size_t i = 0; i < code->spec_count; i++) {
        one->ids[i] = code->spec_ids[i];
        one->values[i] = code->spec_values[i];
    }
    one->used = pthread_create(&one->thread, NULL, make, one) == 0;
    return one->used;
}

// Finds an identical pipeline; `owner`: under this name, NULL: under any.
static struct dev_precompiled *find(struct dev *dev, const struct dev_pipeline_info *info,
                                    const char *owner)
{
    for (size_t i = 0; dev->precompile && i < DEV_PRECOMPILE_MOST; i++) {
        struct dev_precompiled *one = &dev->precompile->one[i];
        if (one->used && (!owner || !strcmp(one->name, owner)) && same_info(&one->info, info))
            return one;
    }
    return NULL;
}

// Takes the pipeline precompiled, or being precompiled, for exactly this under info->owner, if that
// names one; waits for it. False if there is none, or if the driver refused it.
static bool take_precompiled(struct dev *dev, const struct dev_pipeline_info *info,
                             VkPipeline *pipeline)
{
    struct dev_precompiled *one = find(dev, info, info->owner);
    if (!one)
        return false;
    *pipeline = finish(one);
    return *pipeline != VK_NULL_HANDLE;
}

enum dev_status dev_pipeline(struct dev *dev, const struct dev_pipeline_info *info,
                             VkPipeline *pipeline, struct lit_error *error)
{
    return take_precompiled(dev, info, pipeline) ? DEV_OK
                                                 : make_pipeline(dev, info, pipeline, error);
}

enum dev_status dev_kernel(struct dev *dev, const char *name, const uint32_t *ids,
                           const uint32_t *values, size_t count, VkPipelineLayout layout,
                           VkPipeline *pipeline, struct lit_error *error)
{
    const struct cat_kernel *kernel = cat_kernel_find(name);
    return dev_pipeline(dev,
                        &(struct dev_pipeline_info){
                            .code = {.words = cat_kernel_words(kernel),
                                     .word_count = kernel->count,
                                     .spec_ids = ids,
                                     .spec_values = values,
                                     .spec_count = count},
                            .layout = layout,
                        },
                        pipeline, error);
}

void *dev_precompile_claim(struct dev *dev, const char *name)
{
    for (size_t i = 0; dev->precompile && i < DEV_PRECOMPILE_MOST; i++) {
        struct dev_precompiled *one = &dev->precompile->one[i];
        void *user = one->user;
        if (!one->used || !user || strcmp(one->name, name) != 0)
            continue;
        wait_for(one);
        one->user = NULL;
        return user;
    }
    return NULL;
}

double dev_precompile_spent(struct dev *dev)
{
    const double spent = dev->precompile ? dev->precompile->spent : 0;
    if (dev->precompile)
        dev->precompile->spent = 0;
    return spent;
}

void dev_precompile_drop(struct dev *dev, const char *name)
{
    for (size_t i = 0; dev->precompile && i < DEV_PRECOMPILE_MOST; i++) {
        struct dev_precompiled *one = &dev->precompile->one[i];
        if (one->used && (!name || !strcmp(one->name, name)))
            vkDestroyPipeline(dev->device, finish(one), NULL);
    }
    dev_precompile_spent(dev);
}

void dev_precompile_clear(struct dev *dev)
{
    if (!dev->precompile)
        return;
    dev_precompile_drop(dev, NULL);
    dev_layout_destroy(dev, &dev->precompile->layout);
    free(dev->precompile);
    dev->precompile = NULL;
}
