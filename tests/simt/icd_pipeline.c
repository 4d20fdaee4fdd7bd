// SPDX-License-Identifier: Apache-2.0
// Pipelines: what they are compiled from, checked against, and say of themselves; pipeline caches.
#include "icd.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

// "main", 8 invocations: stores push constant 0 of {uint, uint}, multiplied by the constant with
// SpecId 3, to the storage buffer at set 0, binding 1.
static const uint32_t words[] = {
    0x7230203, 0x10600, 0x70000, 0x14,       0x0,     0x20011, 0x1,     0x3000e, 0x0,     0x1,
    0x7000f,   0x5,     0x1,     0x6e69616d, 0x0,     0x2,     0x3,     0x60010, 0x1,     0x11,
    0x8,       0x1,     0x1,     0x30047,    0x4,     0x2,     0x50048, 0x4,     0x0,     0x23,
    0x0,       0x30047, 0x5,     0x2,        0x50048, 0x5,     0x0,     0x23,    0x0,     0x50048,
    0x5,       0x1,     0x23,    0x4,        0x40047, 0x2,     0x22,    0x0,     0x40047, 0x2,
    0x21,      0x1,     0x40047, 0x6,        0x1,     0x3,     0x20013, 0x7,     0x30021, 0x8,
    0x7,       0x40015, 0x9,     0x20,       0x0,     0x4002b, 0x9,     0xa,     0x0,     0x40032,
    0x9,       0x6,     0x1,     0x3001e,    0x4,     0x9,     0x4001e, 0x5,     0x9,     0x9,
    0x40020,   0xb,     0xc,     0x4,        0x40020, 0xc,     0xc,     0x9,     0x40020, 0xd,
    0x9,       0x5,     0x40020, 0xe,        0x9,     0x9,     0x4003b, 0xb,     0x2,     0xc,
    0x4003b,   0xd,     0x3,     0x9,        0x50036, 0x7,     0x1,     0x0,     0x8,     0x200f8,
    0xf,       0x50041, 0xe,     0x10,       0x3,     0xa,     0x4003d, 0x9,     0x11,    0x10,
    0x50084,   0x9,     0x12,    0x11,       0x6,     0x50041, 0xc,     0x13,    0x2,     0xa,
    0x3003e,   0x13,    0x12,    0x100fd,    0x10038,
};

static struct said said;
static VkInstance instance;
static VkDebugUtilsMessengerEXT messenger;
static VkDevice device;

static int open_device(void **state)
{
    const VkDebugUtilsMessengerCreateInfoEXT info = listener(&said);
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
        .pipelineExecutableInfo = VK_TRUE};
    const char *name = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
    if (make_instance("model=lockstep,subgroup=32,threads=1", NULL, &instance) ||
        icd_CreateDebugUtilsMessengerEXT(instance, &info, NULL, &messenger) ||
        make_device(get_physical(instance), &executable, NULL, 1, &name, &device))
        return -1;
    return ((struct icd_device *)device)->executables ? 0 : -1;
}

static int close_device(void **state)
{
    icd_DestroyDevice(device, NULL);
    icd_DestroyDebugUtilsMessengerEXT(instance, messenger, NULL);
    icd_DestroyInstance(instance, NULL);
    return 0;
}

// What a test changes before it makes a pipeline.
struct recipe {
    VkDescriptorSetLayoutBinding binding;
    VkPushConstantRange push;
    VkSpecializationMapEntry entry;
    VkSpecializationInfo constants;
    uint32_t values[2];
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size;
    VkPipelineCreationFeedback feedback[2];
    VkPipelineCreationFeedbackCreateInfo feedback_info;
    VkComputePipelineCreateInfo info;
    VkPipelineCache cache;
};

static struct recipe good(void)
{
    return (struct recipe){
        .binding = {.binding = 1,
                    .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                    .descriptorCount = 1,
                    .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT},
        .push = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = 8},
        .entry = {.constantID = 3, .size = 4},
        .constants = {.mapEntryCount = 1, .dataSize = 8},
        .values = {5, 6},
        .size = {.sType =
                     VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO},
        .feedback_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
                          .pipelineStageCreationFeedbackCount = 1},
        .info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                 .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                           .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                           .pName = "main"}},
    };
}

static VkPipelineLayout make_layout(const struct recipe *recipe)
{
    VkDescriptorSetLayout set;
    VkPipelineLayout layout;
    assert_success(icd_CreateDescriptorSetLayout(
        device,
        &(VkDescriptorSetLayoutCreateInfo){.bindingCount = 1, .pBindings = &recipe->binding}, NULL,
        &set));
    assert_success(icd_CreatePipelineLayout(device,
                                            &(VkPipelineLayoutCreateInfo){
                                                .setLayoutCount = 1,
                                                .pSetLayouts = &set,
                                                .pushConstantRangeCount = 1,
                                                .pPushConstantRanges = &recipe->push,
                                            },
                                            NULL, &layout));
    icd_DestroyDescriptorSetLayout(device, set, NULL);
    return layout;
}

// Makes a pipeline of the words, unless something is chained to the stage. All but the pipeline is
// gone afterwards: it must not depend on its layout's or module's handle.
static VkResult make(struct recipe *recipe, VkPipeline *pipeline)
{
    VkShaderModule module = VK_NULL_HANDLE;
    const VkPipelineLayout layout = make_layout(recipe);
    const VkShaderModuleCreateInfo module_info = {.sType =
                                                      VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                  .codeSize = sizeof words,
                                                  .pCode = words};
    assert_success(icd_CreateShaderModule(device, &module_info, NULL, &module));
    recipe->constants.pMapEntries = &recipe->entry;
    recipe->constants.pData = recipe->values;
    recipe->feedback_info.pPipelineCreationFeedback = &recipe->feedback[0];
    recipe->feedback_info.pPipelineStageCreationFeedbacks = &recipe->feedback[1];
    VkComputePipelineCreateInfo info = recipe->info;
    info.pNext = &recipe->feedback_info;
    info.layout = layout;
    if (!info.stage.pNext)
        info.stage.module = module;
    if (recipe->size.requiredSubgroupSize)
        info.stage.pNext = &recipe->size;
    info.stage.pSpecializationInfo = &recipe->constants;
    said.count = 0;
    said.line[0] = 0;
    *pipeline = (VkPipeline)(uintptr_t)1;
    const VkResult result =
        icd_CreateComputePipelines(device, recipe->cache, 1, &info, NULL, pipeline);
    icd_DestroyShaderModule(device, module, NULL);
    icd_DestroyPipelineLayout(device, layout, NULL);
    return result;
}

static void refused(struct recipe *recipe, const char *line)
{
    VkPipeline pipeline;
    assert_int_equal(make(recipe, &pipeline), VK_ERROR_UNKNOWN);
    assert_true(pipeline == VK_NULL_HANDLE);
    assert_int_equal(said.count, 1);
    assert_int_equal(said.severity, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT);
    if (line)
        assert_string_equal(said.line, line);
    else
        assert_int_equal(strncmp(said.line, "pipeline: main: ", 16), 0);
}

TEST(a_pipeline_is_made_and_timed)
{
    VkPipeline pipeline;
    struct recipe recipe = good();
    assert_success(make(&recipe, &pipeline));
    assert_int_equal(said.count, 0);
    assert_int_equal(recipe.feedback[0].flags, VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT);
    assert_int_equal(recipe.feedback[1].flags, VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT);
    assert_true(recipe.feedback[0].duration < UINT64_C(60000000000));
    icd_DestroyPipeline(device, pipeline, NULL);
    icd_DestroyPipeline(device, VK_NULL_HANDLE, NULL);
}

TEST(a_module_may_be_chained_to_the_stage)
{
    VkPipeline pipeline;
    struct recipe recipe = good();
    const VkShaderModuleCreateInfo chained = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                              .codeSize = sizeof words,
                                              .pCode = words};
    recipe.info.stage.pNext = &chained;
    assert_success(make(&recipe, &pipeline));
    icd_DestroyPipeline(device, pipeline, NULL);
}

TEST(what_does_not_fit_the_layout_is_named)
{
    struct recipe recipe = good();
    recipe.binding.binding = 2;
    refused(&recipe, "pipeline: main: the module uses set 0, binding 1, which the layout does not "
                     "have");
    recipe = good();
    recipe.binding.descriptorCount = 0;
    refused(&recipe, "pipeline: main: the module uses set 0, binding 1, which the layout does not "
                     "have");
    recipe = good();
    recipe.binding.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    refused(&recipe, "pipeline: main: set 0, binding 1 is a storage buffer in the module and a "
                     "uniform buffer in the layout");
    recipe = good();
    recipe.push.size = 4;
    refused(&recipe, "pipeline: main: the module has 8 bytes of push constants, the layout 4");
    recipe = good();
    recipe.binding.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
    VkPipeline pipeline;
    assert_success(make(&recipe, &pipeline));
    icd_DestroyPipeline(device, pipeline, NULL);
}

TEST(wrong_modules_and_constants_are_refused)
{
    const uint32_t junk[] = {1, 2, 3, 4, 5};
    const VkShaderModuleCreateInfo chained = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                              .codeSize = sizeof junk,
                                              .pCode = junk};
    struct recipe recipe = good();
    recipe.info.stage.pNext = &chained;
    refused(&recipe, NULL);
    recipe = good();
    recipe.info.stage.pNext = &(VkBaseInStructure){VK_STRUCTURE_TYPE_APPLICATION_INFO, NULL};
    refused(&recipe, "pipeline: main: the stage has no shader module");
    recipe = good();
    recipe.entry.size = 3;
    refused(&recipe, "pipeline: main: specialization constant 3 has 3 bytes");
    recipe = good();
    recipe.entry.offset = 5;
    refused(&recipe, "pipeline: main: specialization constant 3 lies outside of the data");
    recipe.entry.offset = UINT32_MAX;
    refused(&recipe, "pipeline: main: specialization constant 3 lies outside of the data");
    VkPipeline pipeline;
    recipe.entry.offset = 4;
    assert_success(make(&recipe, &pipeline));
    icd_DestroyPipeline(device, pipeline, NULL);
}

TEST(subgroup_sizes_are_chosen_and_checked)
{
    static const uint32_t sizes[] = {0, 1, 8, 128};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        VkPipeline pipeline;
        struct recipe recipe = good();
        recipe.size.requiredSubgroupSize = sizes[i];
        assert_success(make(&recipe, &pipeline));
        const VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR,
                                        .pipeline = pipeline};
        VkPipelineExecutablePropertiesKHR properties = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
        uint32_t count = 0;
        icd_GetPipelineExecutablePropertiesKHR(device, &info, &count, NULL);
        assert_int_equal(count, 1);
        assert_success(icd_GetPipelineExecutablePropertiesKHR(device, &info, &count, &properties));
        assert_int_equal(properties.subgroupSize, sizes[i] ? sizes[i] : 32);
        assert_string_equal(properties.name, "main");
        icd_DestroyPipeline(device, pipeline, NULL);
    }
    struct recipe recipe = good();
    recipe.size.requiredSubgroupSize = 24;
    refused(&recipe, "pipeline: main: the required subgroup size 24 is not a power of two from 1 "
                     "to 128");
    recipe.size.requiredSubgroupSize = 256;
    refused(&recipe, NULL);
}

TEST(full_subgroups_need_workgroups_that_are_multiples)
{
    VkPipeline pipeline;
    struct recipe recipe = good();
    recipe.info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    refused(&recipe, "pipeline: main: full subgroups are required, but the workgroup's x size of 8 "
                     "is not a multiple of the subgroup size 32");
    recipe.size.requiredSubgroupSize = 8;
    assert_success(make(&recipe, &pipeline));
    icd_DestroyPipeline(device, pipeline, NULL);
}

TEST(compiling_can_be_forbidden)
{
    struct recipe recipe = good();
    VkPipeline pipelines[3];
    recipe.info.flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
    assert_int_equal(make(&recipe, pipelines), VK_PIPELINE_COMPILE_REQUIRED);
    assert_true(pipelines[0] == VK_NULL_HANDLE);
    assert_int_equal(said.count, 0);

    recipe = good();
    const VkPipelineLayout layout = make_layout(&recipe);
    const VkShaderModuleCreateInfo chained = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                              .codeSize = sizeof words,
                                              .pCode = words};
    recipe.info.layout = layout;
    recipe.info.stage.pNext = &chained;
    VkComputePipelineCreateInfo infos[3] = {recipe.info, recipe.info, recipe.info};
    infos[0].flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
    infos[1].stage.pName = "no";
    assert_int_equal(icd_CreateComputePipelines(device, VK_NULL_HANDLE, 3, infos, NULL, pipelines),
                     VK_ERROR_UNKNOWN);
    assert_true(!pipelines[0] && !pipelines[1] && pipelines[2]);
    icd_DestroyPipeline(device, pipelines[2], NULL);
    infos[0].flags |= VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
    assert_int_equal(icd_CreateComputePipelines(device, VK_NULL_HANDLE, 3, infos, NULL, pipelines),
                     VK_PIPELINE_COMPILE_REQUIRED);
    assert_true(!pipelines[0] && !pipelines[1] && !pipelines[2]);
    icd_DestroyPipelineLayout(device, layout, NULL);
}

TEST(graphics_pipelines_and_other_images_are_refused)
{
    VkPipeline pipeline = (VkPipeline)(uintptr_t)1;
    VkImage image = (VkImage)(uintptr_t)1;
    VkSampler sampler = VK_NULL_HANDLE;
    assert_int_equal(icd_CreateGraphicsPipelines(device, VK_NULL_HANDLE, 1,
                                                 &(VkGraphicsPipelineCreateInfo){.stageCount = 0},
                                                 NULL, &pipeline),
                     VK_ERROR_FEATURE_NOT_PRESENT);
    assert_true(pipeline == VK_NULL_HANDLE);
    assert_true(icd_CreateImage(device, &(VkImageCreateInfo){.flags = 0}, NULL, &image) < 0);
    assert_true(image == VK_NULL_HANDLE);
    assert_success(icd_CreateSampler(device, &(VkSamplerCreateInfo){.flags = 0}, NULL, &sampler));
    assert_true(sampler != VK_NULL_HANDLE);
    icd_DestroySampler(device, sampler, NULL);
}

TEST(a_pipeline_shows_its_statistics_and_listing)
{
    VkPipeline pipeline;
    struct recipe recipe = good();
    assert_success(make(&recipe, &pipeline));
    const VkPipelineExecutableInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = pipeline};
    VkPipelineExecutableStatisticKHR statistics[16] = {{0}};
    uint32_t count = COUNT(statistics);
    assert_success(icd_GetPipelineExecutableStatisticsKHR(device, &info, &count, statistics));
    assert_int_equal(count, 7);
    assert_string_equal(statistics[6].name, "subgroup size");
    assert_int_equal(statistics[6].value.u64, 32);
    count = 2;
    assert_int_equal(icd_GetPipelineExecutableStatisticsKHR(device, &info, &count, statistics),
                     VK_INCOMPLETE);
    assert_int_equal(count, 2);

    const struct program *program = ((struct icd_pipeline *)(uintptr_t)pipeline)->program;
    char text[65536], little[3] = {1, 1, 1};
    VkPipelineExecutableInternalRepresentationKHR listing = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR};
    count = 1;
    icd_GetPipelineExecutableInternalRepresentationsKHR(device, &info, &count, &listing);
    assert_string_equal(listing.name, "simt listing");
    assert_true(listing.isText);
    assert_int_equal(listing.dataSize, strlen(program->listing) + 1);
    listing.dataSize = sizeof text;
    listing.pData = text;
    assert_success(
        icd_GetPipelineExecutableInternalRepresentationsKHR(device, &info, &count, &listing));
    assert_string_equal(text, program->listing);
    listing.dataSize = 2;
    listing.pData = little;
    assert_int_equal(
        icd_GetPipelineExecutableInternalRepresentationsKHR(device, &info, &count, &listing),
        VK_INCOMPLETE);
    assert_true(little[0] == program->listing[0] && little[1] == 0 && little[2] == 1);
    icd_DestroyPipeline(device, pipeline, NULL);
}

// Caches

static VkPipelineCache make_cache(const void *data, size_t size)
{
    VkPipelineCache cache = VK_NULL_HANDLE;
    assert_success(icd_CreatePipelineCache(
        device, &(VkPipelineCacheCreateInfo){.initialDataSize = size, .pInitialData = data}, NULL,
        &cache));
    return cache;
}

static size_t cache_size(VkPipelineCache cache)
{
    size_t size = 0;
    assert_success(icd_GetPipelineCacheData(device, cache, &size, NULL));
    return size;
}

// Makes pipelines with these values of the constant.
static void fill_cache(VkPipelineCache cache, uint32_t first, uint32_t last)
{
    for (uint32_t value = first; value <= last; value++) {
        VkPipeline pipeline;
        struct recipe recipe = good();
        recipe.values[0] = value;
        recipe.cache = cache;
        assert_success(make(&recipe, &pipeline));
        icd_DestroyPipeline(device, pipeline, NULL);
    }
}

TEST(caches_are_saved_loaded_and_merged)
{
    unsigned char data[1024];
    size_t size = sizeof data;
    VkPipelineCache one = make_cache(NULL, 0), two = make_cache(NULL, 0);
    assert_int_equal(cache_size(one), 32);
    fill_cache(one, 1, 20);
    fill_cache(one, 1, 20);
    fill_cache(two, 11, 25);
    assert_int_equal(cache_size(one), 32 + 8 * 20);
    assert_success(icd_GetPipelineCacheData(device, one, &size, data));
    assert_int_equal(size, cache_size(one));

    VkPipelineCacheHeaderVersionOne header;
    VkPhysicalDeviceProperties properties;
    icd_GetPhysicalDeviceProperties(get_physical(instance), &properties);
    memcpy(&header, data, sizeof header);
    assert_int_equal(header.headerSize, 32);
    assert_int_equal(header.headerVersion, 1);
    assert_int_equal(header.vendorID, properties.vendorID);
    assert_int_equal(header.deviceID, properties.deviceID);
    assert_memory_equal(header.pipelineCacheUUID, properties.pipelineCacheUUID, VK_UUID_SIZE);

    VkPipelineCache again = make_cache(data, size);
    assert_int_equal(cache_size(again), size);
    assert_success(icd_MergePipelineCaches(device, again, 1, &two));
    assert_int_equal(cache_size(again), 32 + 8 * 25);
    icd_DestroyPipelineCache(device, again, NULL);
    icd_DestroyPipelineCache(device, two, NULL);
    icd_DestroyPipelineCache(device, one, NULL);
}

TEST(caches_of_others_are_ignored)
{
    unsigned char data[128];
    size_t size = sizeof data;
    VkPipelineCache one = make_cache(NULL, 0);
    fill_cache(one, 1, 3);
    assert_success(icd_GetPipelineCacheData(device, one, &size, data));
    for (size_t byte = 0; byte < 32; byte++) {
        data[byte] ^= 0x40;
        VkPipelineCache foreign = make_cache(data, size);
        assert_int_equal(cache_size(foreign), 32);
        icd_DestroyPipelineCache(device, foreign, NULL);
        data[byte] ^= 0x40;
    }
    for (size_t part = 0; part <= size; part++) {
        unsigned char *exact = malloc(part ? part : 1);
        memcpy(exact, data, part);
        VkPipelineCache partial = make_cache(exact, part);
        assert_int_equal(cache_size(partial), part < 32 ? 32 : 32 + (part - 32) / 8 * 8);
        icd_DestroyPipelineCache(device, partial, NULL);
        free(exact);
    }
    icd_DestroyPipelineCache(device, one, NULL);
}

TEST(caches_are_written_as_far_as_there_is_room)
{
    VkPipelineCache one = make_cache(NULL, 0);
    fill_cache(one, 1, 3);
    for (size_t room = 0; room < 60; room++) {
        unsigned char data[64];
        size_t size = room;
        memset(data, 0xee, sizeof data);
        const VkResult result = icd_GetPipelineCacheData(device, one, &size, data);
        assert_int_equal(result, room < 56 ? VK_INCOMPLETE : VK_SUCCESS);
        assert_int_equal(size, room < 32 ? 0 : 32 + (room - 32) / 8 * 8);
        for (size_t i = size; i < sizeof data; i++)
            assert_int_equal(data[i], 0xee);
    }
    icd_DestroyPipelineCache(device, one, NULL);
}

GROUP(open_device, close_device)
