// SPDX-License-Identifier: Apache-2.0
// Shader modules, pipeline layouts and compute pipelines: compiles modules into programs, and
// checks them against their layouts.
#include "icd/cache.h"
#include "icd/icd.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINE_MAX_BYTES 1024

// Shader modules

static struct icd_module *copy_words(const VkShaderModuleCreateInfo *info)
{
    const size_t count = info->codeSize / sizeof(uint32_t);
    if (count > MODULE_WORDS_MAX)
        return NULL;
    struct icd_module *module = malloc(sizeof *module + count * sizeof(uint32_t));
    if (module) {
        module->count = count;
        memcpy(module->words, info->pCode, count * sizeof(uint32_t));
    }
    return module;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_CreateShaderModule(VkDevice device,
                                                      const VkShaderModuleCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkShaderModule *out)
{
    (void)device, (void)allocator;
    struct icd_module *module = copy_words(info);
    *out = ICD_HANDLE(VkShaderModule, module);
    return module ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

VKAPI_ATTR void VKAPI_CALL icd_DestroyShaderModule(VkDevice device, VkShaderModule module,
                                                   const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    icd_private_forget(ICD_OBJECT(icd_device, device), (uintptr_t)module);
    free(ICD_OBJECT(icd_module, module));
}

// Pipeline layouts

VKAPI_ATTR VkResult VKAPI_CALL icd_CreatePipelineLayout(VkDevice device,
                                                        const VkPipelineLayoutCreateInfo *info,
                                                        const VkAllocationCallbacks *allocator,
                                                        VkPipelineLayout *out)
{
    (void)allocator;
    *out = VK_NULL_HANDLE;
    uint32_t push_size = 0;
    for (uint32_t i = 0; i < info->pushConstantRangeCount; i++) {
        const VkPushConstantRange *range = &info->pPushConstantRanges[i];
        const uint64_t end = (uint64_t)range->offset + range->size;
        if ((range->stageFlags & VK_SHADER_STAGE_COMPUTE_BIT) && end > push_size)
            push_size = end > UINT32_MAX ? UINT32_MAX : (uint32_t)end;
    }
    if (info->setLayoutCount > ICD_SETS_MAX || push_size > ICD_PUSH_MAX) {
        icd_say(ICD_OBJECT(icd_device, device)->physical->instance, ICD_ERROR,
                "pipeline layout: more sets or push constants than the limits allow");
        return VK_ERROR_UNKNOWN;
    }
    struct icd_pipeline_layout *layout = calloc(1, sizeof *layout);
    if (!layout)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    atomic_init(&layout->references, 1);
    layout->push_size = push_size;
    layout->set_count = info->setLayoutCount;
    for (uint32_t i = 0; i < layout->set_count; i++) {
        layout->set[i] = ICD_OBJECT(icd_set_layout, info->pSetLayouts[i]);
        if (layout->set[i])
            atomic_fetch_add(&layout->set[i]->references, 1);
    }
    *out = ICD_HANDLE(VkPipelineLayout, layout);
    return VK_SUCCESS;
}

void icd_pipeline_layout_release(struct icd_pipeline_layout *layout)
{
    if (!layout || atomic_fetch_sub(&layout->references, 1) != 1)
        return;
    for (uint32_t i = 0; i < layout->set_count; i++)
        if (layout->set[i])
            icd_set_layout_release(layout->set[i]);
    free(layout);
}

VKAPI_ATTR void VKAPI_CALL icd_DestroyPipelineLayout(VkDevice device, VkPipelineLayout layout,
                                                     const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    icd_private_forget(ICD_OBJECT(icd_device, device), (uintptr_t)layout);
    icd_pipeline_layout_release(ICD_OBJECT(icd_pipeline_layout, layout));
}

// Checks. Each returns false with a line in `error`.

struct line {
    char text[LINE_MAX_BYTES];
};

__attribute__((format(__printf__, 2, 3))) static bool fail(struct line *error, const char *format,
                                                           ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return false;
}

static const struct icd_binding *find_binding(const struct icd_pipeline_layout *layout,
                                              const struct resource *resource)
{
    const struct icd_set_layout *set =
        resource->set < layout->set_count ? layout->set[resource->set] : NULL;
    for (uint32_t i = 0; set && i < set->binding_count; i++)
        if (set->binding[i].binding == resource->binding && set->binding[i].count)
            return &set->binding[i];
    return NULL;
}

static const char *type_name(VkDescriptorType type)
{
    switch ((int)type) {
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
        return "a storage buffer";
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
        return "a uniform buffer";
    case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
        return "an inline uniform block";
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
        return "a storage image";
    default:
        return "a sampled image, sampler or texel buffer";
    }
}

static bool type_fits(const struct resource *resource, VkDescriptorType type)
{
    if (resource->kind == RESOURCE_IMAGE)
        return type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    if (resource->kind == RESOURCE_STORAGE)
        return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER ||
               type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
           type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
           type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
}

static bool check_layout(const struct program *program, const struct icd_pipeline_layout *layout,
                         struct line *error)
{
    static const char *const kinds[] = {[RESOURCE_STORAGE] = "a storage buffer",
                                        [RESOURCE_UNIFORM] = "a uniform buffer",
                                        [RESOURCE_IMAGE] = "a storage image"};
    for (uint32_t i = 0; i < program->resource_count; i++) {
        const struct resource *resource = &program->resources[i];
        const struct icd_binding *binding = find_binding(layout, resource);
        if (!binding)
            return fail(error, "the module uses set %u, binding %u, which the layout does not have",
                        resource->set, resource->binding);
        if (!type_fits(resource, binding->type))
            return fail(error, "set %u, binding %u is %s in the module and %s in the layout",
                        resource->set, resource->binding, kinds[resource->kind],
                        type_name(binding->type));
        const uint32_t count =
            binding->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK ? 1 : binding->count;
        if (resource->count > count)
            return fail(error,
                        "set %u, binding %u is an array of %u in the module and of %u in the "
                        "layout",
                        resource->set, resource->binding, resource->count, count);
    }
    if (program->push_size > layout->push_size)
        return fail(error, "the module has %u bytes of push constants, the layout %u",
                    program->push_size, layout->push_size);
    return true;
}

static bool check_subgroups(const struct program *program,
                            const VkPipelineShaderStageCreateInfo *stage, struct line *error)
{
    if ((stage->flags & VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT) &&
        program->local_size[0] % program->subgroup)
        return fail(error,
                    "full subgroups are required, but the workgroup's x size of %u is not a "
                    "multiple of the subgroup size %u",
                    program->local_size[0], program->subgroup);
    return true;
}

// Compiling

static bool read_constants(const VkSpecializationInfo *info, struct program_constant *constants,
                           struct line *error)
{
    for (uint32_t i = 0; i < info->mapEntryCount; i++) {
        const VkSpecializationMapEntry *entry = &info->pMapEntries[i];
        uint64_t value = 0;
        if (entry->size != 1 && entry->size != 2 && entry->size != 4 && entry->size != 8)
            return fail(error, "specialization constant %u has %zu bytes", entry->constantID,
                        entry->size);
        if (entry->offset > info->dataSize || entry->size > info->dataSize - entry->offset)
            return fail(error, "specialization constant %u lies outside of the data",
                        entry->constantID);
        memcpy(&value, (const char *)info->pData + entry->offset, entry->size);
        constants[i] = (struct program_constant){entry->constantID, value, (uint32_t)entry->size};
    }
    return true;
}

static bool choose_subgroup(const struct icd_device *device,
                            const VkPipelineShaderStageCreateInfo *stage, uint32_t *subgroup,
                            struct line *error)
{
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo *required = icd_find(
        stage->pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
    *subgroup = device->physical->settings.subgroup;
    if (!required)
        return true;
    *subgroup = required->requiredSubgroupSize;
    if (!*subgroup || *subgroup > LANES_MAX || (*subgroup & (*subgroup - 1)))
        return fail(error, "the required subgroup size %u is not a power of two from 1 to %d",
                    *subgroup, LANES_MAX);
    return true;
}

// NULL with a line in `error`, or an empty one if out of memory.
static struct program *compile_words(const struct icd_device *device, struct icd_cache *cache,
                                     const struct icd_module *module,
                                     const VkPipelineShaderStageCreateInfo *stage,
                                     struct line *error)
{
    const struct settings *settings = &device->physical->settings;
    struct program_options options = {
        .entry = stage->pName,
        .local_size_max = ICD_WORKGROUP_MAX,
        .shared_max = ICD_SHARED_MAX,
        .operators = settings->model == MODEL_MISCOMPILING ? settings->operators : NULL,
        .seed = settings->seed,
    };
    const VkSpecializationInfo *info = stage->pSpecializationInfo;
    const uint32_t count = info ? info->mapEntryCount : 0;
    struct program_constant *constants = calloc(count + 1, sizeof *constants);
    struct program *program = NULL;
    if (constants && (!info || read_constants(info, constants, error)) &&
        choose_subgroup(device, stage, &options.subgroup, error)) {
        options.constants = constants;
        options.constant_count = count;
        program = program_compile(module->words, module->count, &options, error->text,
                                  sizeof error->text);
        if (program)
            icd_cache_note(cache, program->key);
    }
    free(constants);
    return program;
}

static struct program *compile_stage(const struct icd_device *device, struct icd_cache *cache,
                                     const VkPipelineShaderStageCreateInfo *stage,
                                     struct line *error)
{
    struct icd_module *module = ICD_OBJECT(icd_module, stage->module), *chained = NULL;
    const VkShaderModuleCreateInfo *info =
        icd_find(stage->pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    if (!module && info)
        module = chained = copy_words(info);
    if (!module && !info)
        fail(error, "the stage has no shader module");
    struct program *program = module ? compile_words(device, cache, module, stage, error) : NULL;
    free(chained);
    return program;
}

// Pipelines

static VkResult create_pipeline(const struct icd_device *device, struct icd_cache *cache,
                                const VkComputePipelineCreateInfo *info, VkPipeline *out)
{
    struct line error = {{0}}, said;
    struct icd_pipeline *pipeline = calloc(1, sizeof *pipeline);
    if (!pipeline)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct icd_pipeline_layout *layout = ICD_OBJECT(icd_pipeline_layout, info->layout);
    snprintf(pipeline->name, sizeof pipeline->name, "%s", info->stage.pName);
    pipeline->program = compile_stage(device, cache, &info->stage, &error);
    if (pipeline->program && check_layout(pipeline->program, layout, &error) &&
        check_subgroups(pipeline->program, &info->stage, &error)) {
        atomic_fetch_add(&layout->references, 1);
        pipeline->layout = layout;
        *out = ICD_HANDLE(VkPipeline, pipeline);
        return VK_SUCCESS;
    }
    if (pipeline->program)
        program_free(pipeline->program);
    free(pipeline);
    if (!error.text[0])
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    snprintf(said.text, sizeof said.text, "pipeline: %.64s: %.900s", info->stage.pName, error.text);
    icd_say(device->physical->instance, ICD_ERROR, said.text);
    // No error code for invalid modules is allowed without an extension.
    return VK_ERROR_UNKNOWN;
}

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void give_feedback(const VkComputePipelineCreateInfo *info, uint64_t duration)
{
    const VkPipelineCreationFeedbackCreateInfo *wanted =
        icd_find(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
    if (!wanted)
        return;
    const VkPipelineCreationFeedback feedback = {VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT, duration};
    *wanted->pPipelineCreationFeedback = feedback;
    for (uint32_t i = 0; i < wanted->pipelineStageCreationFeedbackCount; i++)
        wanted->pPipelineStageCreationFeedbacks[i] = feedback;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_CreateComputePipelines(VkDevice handle, VkPipelineCache cache,
                                                          uint32_t count,
                                                          const VkComputePipelineCreateInfo *infos,
                                                          const VkAllocationCallbacks *allocator,
                                                          VkPipeline *out)
{
    (void)allocator;
    const struct icd_device *device = ICD_OBJECT(icd_device, handle);
    VkResult result = VK_SUCCESS;
    bool stop = false;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = VK_NULL_HANDLE;
        if (stop)
            continue;
        const VkPipelineCreateFlags flags = infos[i].flags;
        const uint64_t begin = nanoseconds();
        // Always compiles: caches hold no programs.
        const VkResult one =
            flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT
                ? VK_PIPELINE_COMPILE_REQUIRED
                : create_pipeline(device, ICD_OBJECT(icd_cache, cache), &infos[i], &out[i]);
        give_feedback(&infos[i], nanoseconds() - begin);
        if (one == VK_SUCCESS)
            continue;
        if (result >= 0) // errors are negative, and take precedence over COMPILE_REQUIRED
            result = one;
        stop = flags & VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
    }
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
icd_CreateGraphicsPipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                            const VkGraphicsPipelineCreateInfo *infos,
                            const VkAllocationCallbacks *allocator, VkPipeline *out)
{
    (void)cache, (void)infos, (void)allocator;
    for (uint32_t i = 0; i < count; i++)
        out[i] = VK_NULL_HANDLE;
    icd_say(ICD_OBJECT(icd_device, device)->physical->instance, ICD_ERROR,
            "pipeline: graphics pipelines are not supported");
    return VK_ERROR_FEATURE_NOT_PRESENT;
}

VKAPI_ATTR void VKAPI_CALL icd_DestroyPipeline(VkDevice device, VkPipeline handle,
                                               const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    struct icd_pipeline *pipeline = ICD_OBJECT(icd_pipeline, handle);
    if (!pipeline)
        return;
    icd_private_forget(ICD_OBJECT(icd_device, device), (uintptr_t)pipeline);
    icd_pipeline_layout_release(pipeline->layout);
    program_free(pipeline->program);
    free(pipeline);
}
