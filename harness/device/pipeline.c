// SPDX-License-Identifier: Apache-2.0
// Layouts and compute pipelines.

#include "device/ahead.h"

#define MAX_SPEC 32

enum dev_status dev_layouts(struct dev *dev, uint32_t bindings, VkDescriptorSetLayout *set_layout,
                            VkPipelineLayout *layout, struct lit_error *error)
{
    return dev_layouts_pushing(dev, bindings, DEV_PUSH_BYTES, set_layout, layout, error);
}

enum dev_status dev_layouts_pushing(struct dev *dev, uint32_t bindings, uint32_t push_bytes,
                                    VkDescriptorSetLayout *set_layout, VkPipelineLayout *layout,
                                    struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    VkDescriptorSetLayoutBinding list[DEV_MAX_BINDINGS];
    for (uint32_t i = 0; i < bindings; i++)
        list[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    VK(vkCreateDescriptorSetLayout(dev->device,
                                   &(VkDescriptorSetLayoutCreateInfo){
                                       .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                       .bindingCount = bindings,
                                       .pBindings = list,
                                   },
                                   NULL, set_layout));
    VK(vkCreatePipelineLayout(dev->device,
                              &(VkPipelineLayoutCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                  .setLayoutCount = 1,
                                  .pSetLayouts = set_layout,
                                  .pushConstantRangeCount = 1,
                                  .pPushConstantRanges =
                                      &(VkPushConstantRange){
                                          .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                          .size = push_bytes,
                                      },
                              },
                              NULL, layout));
error:
    return status;
}

static enum dev_status compile(struct dev *dev, const struct dev_pipeline_info *info,
                               VkShaderModule module, VkPipeline *pipeline, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    VkSpecializationMapEntry entries[MAX_SPEC];
    if (info->spec_count > MAX_SPEC)
        return dev_refuse(error, "%zu specialization constants", info->spec_count);
    for (size_t i = 0; i < info->spec_count; i++)
        entries[i] = (VkSpecializationMapEntry){
            .constantID = info->spec_ids[i],
            .offset = (uint32_t)(i * 4),
            .size = 4,
        };
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = info->subgroup,
    };
    const VkSpecializationInfo specialization = {
        .mapEntryCount = (uint32_t)info->spec_count,
        .pMapEntries = entries,
        .dataSize = info->spec_count * 4,
        .pData = info->spec_values,
    };
    const bool full = info->subgroup && dev->full_subgroups;
    VK(vkCreateComputePipelines(
        dev->device, info->cache, 1,
        &(VkComputePipelineCreateInfo){
            .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .pNext = info->flags2,
            .flags = (info->sliced ? VK_PIPELINE_CREATE_DISPATCH_BASE : 0u) | info->capture,
            .stage =
                {
                    .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                    .pNext = info->subgroup && dev->size_control ? &size : NULL,
                    .flags = full ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT : 0u,
                    .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                    .module = module,
                    .pName = "main",
                    .pSpecializationInfo = &specialization,
                },
            .layout = info->layout,
        },
        NULL, pipeline));
    if (!*pipeline)
        TRY(dev_refuse(error, "vkCreateComputePipelines returned no pipeline"));
error:
    return status;
}

enum dev_status dev_pipeline_make(struct dev *dev, const struct dev_pipeline_info *info,
                                  VkPipeline *pipeline, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    VkShaderModule module = VK_NULL_HANDLE;
    VK(vkCreateShaderModule(dev->device,
                            &(VkShaderModuleCreateInfo){
                                .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                .codeSize = info->word_count * 4,
                                .pCode = info->words,
                            },
                            NULL, &module));
    TRY(compile(dev, info, module, pipeline, error));
error:
    vkDestroyShaderModule(dev->device, module, NULL);
    if (status == DEV_ERROR && error) {
        const struct lit_error cause = *error;
        dev_refuse(error, "the driver refused the pipeline: %s", cause.message);
    }
    return status;
}

enum dev_status dev_pipeline(struct dev *dev, const struct dev_pipeline_info *info,
                             VkPipeline *pipeline, struct lit_error *error)
{
    return dev_ahead_take(dev, info, pipeline) ? DEV_OK
                                               : dev_pipeline_make(dev, info, pipeline, error);
}
