// SPDX-License-Identifier: Apache-2.0
// Retrieves the compiled code of a pipeline in every way that Vulkan offers.
#include "device/vulkan.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_EXECUTABLES 16
#define MOST_PARTS       256 // statistics, representations or binaries

// Records a failed call as a remark, and goes on: other data are still useful.
static void note(struct isa_code *code, const char *call, VkResult result)
{
    char number[32];
    isa_remark(code, "%s: %s", call, dev_result_name(result, number));
}

// Whether a call filled a list with room for `most`; *count is its length.
static bool is_list(struct isa_code *code, const char *call, VkResult result, uint32_t *count,
                    uint32_t most)
{
    if (result != VK_SUCCESS && result != VK_INCOMPLETE)
        note(code, call, result);
    else if (result == VK_INCOMPLETE || *count > most)
        isa_remark(code, "%s: more than %u entries; only these are read", call, most);
    if (*count > most)
        *count = most;
    return result == VK_SUCCESS || result == VK_INCOMPLETE;
}

// --- VK_KHR_pipeline_executable_properties

static void add_statistics(const struct dev *dev, const VkPipelineExecutableInfoKHR *info,
                           struct isa_code *code)
{
    static const char call[] = "vkGetPipelineExecutableStatisticsKHR";
    VkPipelineExecutableStatisticKHR list[MOST_PARTS];
    uint32_t count = MOST_PARTS;
    for (uint32_t i = 0; i < count; i++)
        list[i] = (VkPipelineExecutableStatisticKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR};
    const VkResult result = vkGetPipelineExecutableStatisticsKHR(dev->device, info, &count, list);
    if (!is_list(code, call, result, &count, MOST_PARTS))
        return;
    for (uint32_t i = 0; i < count; i++) {
        char value[64] = "of an unknown format";
        list[i].name[VK_MAX_DESCRIPTION_SIZE - 1] = '\0';
        list[i].description[VK_MAX_DESCRIPTION_SIZE - 1] = '\0';
        switch (list[i].format) {
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
            snprintf(value, sizeof value, "%s", list[i].value.b32 ? "true" : "false");
            break;
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
            snprintf(value, sizeof value, "%" PRId64, list[i].value.i64);
            break;
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
            snprintf(value, sizeof value, "%" PRIu64, list[i].value.u64);
            break;
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR:
            snprintf(value, sizeof value, "%g", list[i].value.f64);
            break;
        default:
            break;
        }
        isa_add_statistic(code, list[i].name, list[i].description, value);
    }
}

// Memory for data whose size a driver announced, followed by a guard pattern that detects overruns.
#define GUARD 64

static char *guarded(size_t size)
{
    char *bytes = lit_alloc(size + GUARD, 1);
    memset(bytes + size, 0x5a, GUARD);
    return bytes;
}

static bool is_whole(const char *bytes, size_t size)
{
    for (size_t i = 0; i < GUARD; i++)
        if (bytes[size + i] != 0x5a)
            return false;
    return true;
}

// Whether the driver's sizes, announced and returned with the data, are usable.
static bool is_sized(struct isa_code *code, const char *what, size_t said, size_t given,
                     const char *bytes)
{
    if (!is_whole(bytes, said) || given > said) {
        isa_remark(code, "%s: the driver said %zu bytes and wrote more", what, said);
        return false;
    }
    return true;
}

static void add_representation(const char *executable,
                               const VkPipelineExecutableInternalRepresentationKHR *from,
                               size_t said, struct isa_code *code)
{
    char name[2 * VK_MAX_DESCRIPTION_SIZE];
    snprintf(name, sizeof name, "%s%s%.*s", executable, *executable ? ": " : "",
             VK_MAX_DESCRIPTION_SIZE - 1, from->name);
    if (is_sized(code, name, said, from->dataSize, from->pData))
        isa_add_piece(code, from->isText ? ISA_TEXT : ISA_BYTES, name, from->description,
                      from->pData, from->dataSize);
}

static void add_representations(const struct dev *dev, const VkPipelineExecutableInfoKHR *info,
                                const char *executable, struct isa_code *code)
{
    static const char call[] = "vkGetPipelineExecutableInternalRepresentationsKHR";
    VkPipelineExecutableInternalRepresentationKHR list[MOST_PARTS];
    size_t said[MOST_PARTS];
    uint32_t count = MOST_PARTS;
    for (uint32_t i = 0; i < count; i++)
        list[i] = (VkPipelineExecutableInternalRepresentationKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR};
    // First sizes, then data.
    VkResult result =
        vkGetPipelineExecutableInternalRepresentationsKHR(dev->device, info, &count, list);
    if (!is_list(code, call, result, &count, MOST_PARTS) || !count)
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].dataSize > ISA_MOST_BYTES)
            list[i].dataSize = ISA_MOST_BYTES;
        said[i] = list[i].dataSize;
        list[i].pData = guarded(said[i]);
    }
    const uint32_t made = count;
    result = vkGetPipelineExecutableInternalRepresentationsKHR(dev->device, info, &count, list);
    if (is_list(code, call, result, &count, made))
        for (uint32_t i = 0; i < count; i++) {
            list[i].name[VK_MAX_DESCRIPTION_SIZE - 1] = '\0';
            list[i].description[VK_MAX_DESCRIPTION_SIZE - 1] = '\0';
            add_representation(executable, &list[i], said[i], code);
        }
    for (uint32_t i = 0; i < made; i++)
        free(list[i].pData);
}

static void add_executables(const struct dev *dev, VkPipeline pipeline, struct isa_code *code)
{
    static const char call[] = "vkGetPipelineExecutablePropertiesKHR";
    const VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR,
                                    .pipeline = pipeline};
    VkPipelineExecutablePropertiesKHR list[MOST_EXECUTABLES];
    uint32_t count = MOST_EXECUTABLES;
    for (uint32_t i = 0; i < count; i++)
        list[i] = (VkPipelineExecutablePropertiesKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
    const VkResult result = vkGetPipelineExecutablePropertiesKHR(dev->device, &info, &count, list);
    if (!is_list(code, call, result, &count, MOST_EXECUTABLES))
        return;
    for (uint32_t i = 0; i < count; i++) {
        const VkPipelineExecutableInfoKHR which = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
            .pipeline = pipeline,
            .executableIndex = i,
        };
        char size[16];
        list[i].name[VK_MAX_DESCRIPTION_SIZE - 1] = '\0';
        snprintf(size, sizeof size, "%u", list[i].subgroupSize);
        isa_add_statistic(code, "Subgroup Size", "of the executable, as the driver says", size);
        add_statistics(dev, &which, code);
        add_representations(dev, &which, count > 1 ? list[i].name : "", code);
    }
}

// --- The pipeline cache

static void add_cache(const struct dev *dev, VkPipelineCache cache, struct isa_code *code)
{
    static const char call[] = "vkGetPipelineCacheData";
    size_t said = 0;
    VkResult result = vkGetPipelineCacheData(dev->device, cache, &said, NULL);
    if (result != VK_SUCCESS || !said) {
        if (result != VK_SUCCESS)
            note(code, call, result);
        return;
    }
    if (said > ISA_MOST_BYTES)
        said = ISA_MOST_BYTES;
    size_t size = said;
    OWNED(lit_free) char *bytes = guarded(said);
    result = vkGetPipelineCacheData(dev->device, cache, &size, bytes);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE)
        note(code, call, result);
    else if (is_sized(code, call, said, size, bytes))
        isa_add_piece(code, ISA_CACHE, "pipeline cache", "data of a cache that holds it alone",
                      bytes, size);
}

// --- VK_KHR_pipeline_binary

#ifdef VK_KHR_pipeline_binary
static void add_binary(const struct dev *dev, VkPipelineBinaryKHR binary, struct isa_code *code)
{
    static const char call[] = "vkGetPipelineBinaryDataKHR";
    const VkPipelineBinaryDataInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_DATA_INFO_KHR, .pipelineBinary = binary};
    VkPipelineBinaryKeyKHR key = {.sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_KEY_KHR};
    size_t said = 0;
    VkResult result = vkGetPipelineBinaryDataKHR(dev->device, &info, &key, &said, NULL);
    if (result != VK_SUCCESS) {
        note(code, call, result);
        return;
    }
    if (said > ISA_MOST_BYTES)
        said = ISA_MOST_BYTES;
    size_t size = said;
    OWNED(lit_free) char *bytes = guarded(said);
    result = vkGetPipelineBinaryDataKHR(dev->device, &info, &key, &size, bytes);
    if (result != VK_SUCCESS)
        note(code, call, result);
    else if (is_sized(code, call, said, size, bytes))
        isa_add_piece(code, ISA_BINARY, "pipeline binary", "VK_KHR_pipeline_binary", bytes, size);
}

static void add_binaries(const struct dev *dev, VkPipeline pipeline, struct isa_code *code)
{
    static const char call[] = "vkCreatePipelineBinariesKHR";
    VkPipelineBinaryKHR list[MOST_PARTS] = {VK_NULL_HANDLE};
    const VkPipelineBinaryCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR, .pipeline = pipeline};
    VkPipelineBinaryHandlesInfoKHR handles = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_HANDLES_INFO_KHR,
        .pipelineBinaryCount = MOST_PARTS,
        .pPipelineBinaries = list};
    const VkResult result = vkCreatePipelineBinariesKHR(dev->device, &info, NULL, &handles);
    if (!is_list(code, call, result, &handles.pipelineBinaryCount, MOST_PARTS))
        return;
    for (uint32_t i = 0; i < handles.pipelineBinaryCount; i++) {
        if (list[i])
            add_binary(dev, list[i], code);
        vkDestroyPipelineBinaryKHR(dev->device, list[i], NULL);
    }
}
#endif

// --- The pipeline, created once for each way to query it, since ways may exclude each other (a
// pipeline that keeps binaries is not put into a cache).

static enum dev_status ask_cache(struct dev *dev, const struct dev_pipeline_info *asked,
                                 struct isa_code *code, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev_pipeline_info info = *asked;
    VkPipeline pipeline = VK_NULL_HANDLE;
    VK_END(vkCreatePipelineCache(
        dev->device,
        &(VkPipelineCacheCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO}, NULL,
        &info.cache));
    if (code && dev->executables)
        info.capture = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR |
                       VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
    else if (code)
        isa_remark(code, "the driver has no VK_KHR_pipeline_executable_properties");
    TRY_END(dev_pipeline(dev, &info, &pipeline, error));
    if (code && dev->executables)
        add_executables(dev, pipeline, code);
    if (code)
        add_cache(dev, info.cache, code);
error:
    vkDestroyPipeline(dev->device, pipeline, NULL);
    vkDestroyPipelineCache(dev->device, info.cache, NULL);
    return status;
}

static enum dev_status ask_binaries(struct dev *dev, const struct dev_pipeline_info *asked,
                                    struct isa_code *code, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
#ifdef VK_KHR_pipeline_binary
    struct dev_pipeline_info info = *asked;
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkPipelineCreateFlags2CreateInfoKHR flags = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
        .flags = VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR,
    };
    if (!dev->binaries)
        return DEV_OK;
    info.flags2 = &flags;
    TRY_END(dev_pipeline(dev, &info, &pipeline, error));
    add_binaries(dev, pipeline, code);
error:
    vkDestroyPipeline(dev->device, pipeline, NULL);
#else
    (void)dev, (void)asked, (void)code, (void)error;
#endif
    return status;
}

enum dev_status dev_compile(struct dev *dev, const struct dev_compile_info *info,
                            struct isa_code *code, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev_layout layout = {0};
    const struct cat_interface *interface = dev_interface(info);
    TRY_END(dev_layout_create(dev, interface->bindings, interface->binding_count,
                              interface->push_size, &layout, error));
    const struct dev_pipeline_info pipeline = {.code = *info, .layout = layout.pipeline};
    TRY_END(ask_cache(dev, &pipeline, code, error));
    if (code)
        TRY_END(ask_binaries(dev, &pipeline, code, error));
error:
    dev_layout_destroy(dev, &layout);
    return status;
}

bool dev_reports_executables(const struct dev *dev)
{
    return dev->executables || dev->binaries;
}
