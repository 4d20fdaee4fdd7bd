// SPDX-License-Identifier: Apache-2.0
// Compute pipelines.
#include "device/vulkan.h"

#include "base/clock.h"
#include "model/kernel.h"

#include <pthread.h>

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

// --- Retrieves the compiled code of a pipeline in every way that Vulkan offers.

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
