// SPDX-License-Identifier: Apache-2.0
// VK_KHR_pipeline_executable_properties: the compiled form of a pipeline.
#include "icd/icd.h"

#include <stdio.h>
#include <string.h>

VKAPI_ATTR VkResult VKAPI_CALL
icd_GetPipelineExecutablePropertiesKHR(VkDevice device, const VkPipelineInfoKHR *info,
                                       uint32_t *count, VkPipelineExecutablePropertiesKHR *out)
{
    (void)device;
    const struct icd_pipeline *pipeline = ICD_OBJECT(icd_pipeline, info->pipeline);
    VkResult result;
    if (icd_room(1, out, count, &result)) {
        out->stages = VK_SHADER_STAGE_COMPUTE_BIT;
        snprintf(out->name, sizeof out->name, "main");
        snprintf(out->description, sizeof out->description, "entry point %s, interpreted",
                 pipeline->name);
        out->subgroupSize = pipeline->program->subgroup;
    }
    return result;
}

struct statistic {
    const char *name, *description;
    uint64_t value;
};

VKAPI_ATTR VkResult VKAPI_CALL
icd_GetPipelineExecutableStatisticsKHR(VkDevice device, const VkPipelineExecutableInfoKHR *info,
                                       uint32_t *count, VkPipelineExecutableStatisticKHR *out)
{
    (void)device;
    const struct program *program = ICD_OBJECT(icd_pipeline, info->pipeline)->program;
    const struct statistic statistics[] = {
        {"instructions", "instructions of the program, all functions", program->insn_count},
        {"cells", "64-bit cells of an invocation's registers", program->cell_count},
        {"group operations", "cross-lane instructions", program->group_operations},
        {"barriers", "control barriers", program->barriers},
        {"memory operations", "loads, stores and atomics", program->memory_operations},
        {"shared memory", "bytes of Workgroup variables", program->shared_size},
        {"subgroup size", "invocations of a subgroup", program->subgroup},
    };
    VkResult result;
    const uint32_t all = sizeof statistics / sizeof *statistics;
    const uint32_t some = icd_room(all, out, count, &result);
    for (uint32_t i = 0; i < some; i++) {
        snprintf(out[i].name, sizeof out[i].name, "%s", statistics[i].name);
        snprintf(out[i].description, sizeof out[i].description, "%s", statistics[i].description);
        out[i].format = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR;
        out[i].value.u64 = statistics[i].value;
    }
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_GetPipelineExecutableInternalRepresentationsKHR(
    VkDevice device, const VkPipelineExecutableInfoKHR *info, uint32_t *count,
    VkPipelineExecutableInternalRepresentationKHR *out)
{
    (void)device;
    const struct program *program = ICD_OBJECT(icd_pipeline, info->pipeline)->program;
    VkResult result;
    if (!icd_room(1, out, count, &result))
        return result;
    snprintf(out->name, sizeof out->name, "simt listing");
    snprintf(out->description, sizeof out->description,
             "the instructions as they are executed, in the syntax of the SPIR-V assembler");
    out->isText = VK_TRUE;
    const size_t size = strlen(program->listing) + 1; // including the terminator
    if (!out->pData) {
        out->dataSize = size;
    } else if (out->dataSize >= size) {
        memcpy(out->pData, program->listing, size);
        out->dataSize = size;
    } else {
        // Truncated to fit, and terminated.
        if (out->dataSize) {
            memcpy(out->pData, program->listing, out->dataSize - 1);
            ((char *)out->pData)[out->dataSize - 1] = 0;
        }
        result = VK_INCOMPLETE;
    }
    return result;
}
