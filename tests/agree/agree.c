// SPDX-License-Identifier: Apache-2.0
// Runs SPIR-V modules on the first device of the driver that VK_DRIVER_FILES selects, and writes
// what each left in its buffers to FOLDER/NAME.words: the output's words, then the state's.
//
// usage: agree FOLDER FILE.spv...
//
// On stdout a line for each module: `ran NAME`, or `skip NAME: what the device lacks`; before them
// `subgroup SIZE` and `device NAME, DRIVER'S INFO`. What a module finds:
//   set 0: binding 0 the input, 1 the output (poisoned), 2 the state (zeros), 3 the input once
//   more, as uniform buffer; push constants: struct push; specialization constants: the table
//   `constants`.
// exit: 0 done; 1 an error, one line on stderr; 2 usage; 77 no device, or one that lacks what all
// need.
#define VOLK_IMPLEMENTATION
#include <volk.h>

#include <spirv/unified1/spirv.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    INPUT_WORDS = 8192,
    OUTPUT_WORDS = 65536,
    STATE_WORDS = 32768,
    UNIFORM_BYTES = 16384,
    MODULE_WORDS_MAX = 1 << 18,
    TIMEOUT_S = 60,
    EXIT_SKIP = 77,
    BUFFERS = 3,
    BINDINGS = 4,
};
#define POISON 0xABADCAFEu
static const uint32_t groups[3] = {3, 2, 2};

struct push {
    uint64_t input, output, state;
    uint32_t seed, input_words;
};

static const union {
    uint32_t word;
    float number;
} constants[] = {{48}, {5}, {.number = 2.5f}, {VK_TRUE}, {(uint32_t)-3}};

struct buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    uint32_t *words; // mapped
    VkDeviceAddress address;
};

// What the device has, as far as it is asked for and enabled.
struct features {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkSubgroupFeatureFlags subgroup;
};

struct device {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice handle;
    VkQueue queue;
    struct features features;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorSet set;
    VkCommandBuffer commands;
    VkFence fence;
    struct buffer buffers[BUFFERS];
};

static _Noreturn void fail(const char *where, const char *what, int code)
{
    fprintf(stderr, "agree: %s: %s %d\n", where, what, code);
    // A device that is stuck may never let go: no clean end.
    _exit(1);
}

static void check(const char *where, const char *what, VkResult result)
{
    if (result != VK_SUCCESS)
        fail(where, what, (int)result);
}
#define VK(call) check(name, #call, vk##call)

// What a capability needs

enum { SUBGROUP = 1 << 16 }; // more than any offset

#define CORE(f)  offsetof(struct features, core.features.f)
#define V11(f)   offsetof(struct features, v11.f)
#define V12(f)   offsetof(struct features, v12.f)
#define GROUP(b) (SUBGROUP | VK_SUBGROUP_FEATURE_##b##_BIT)

static const struct {
    SpvCapability capability;
    const char *name;
    size_t needs; // where the feature is in struct features, or SUBGROUP and a bit; 0: nothing
} capabilities[] = {
    {SpvCapabilityMatrix, "Matrix", 0},
    {SpvCapabilityShader, "Shader", 0},
    {SpvCapabilityFloat16, "Float16", V12(shaderFloat16)},
    {SpvCapabilityFloat64, "Float64", CORE(shaderFloat64)},
    {SpvCapabilityInt8, "Int8", V12(shaderInt8)},
    {SpvCapabilityInt16, "Int16", CORE(shaderInt16)},
    {SpvCapabilityInt64, "Int64", CORE(shaderInt64)},
    {SpvCapabilityInt64Atomics, "Int64Atomics", V12(shaderBufferInt64Atomics)},
    {SpvCapabilityStorageBuffer8BitAccess, "8 bit storage", V12(storageBuffer8BitAccess)},
    {SpvCapabilityStorageBuffer16BitAccess, "16 bit storage", V11(storageBuffer16BitAccess)},
    {SpvCapabilityPhysicalStorageBufferAddresses, "addresses", V12(bufferDeviceAddress)},
    {SpvCapabilityVariablePointers, "VariablePointers", V11(variablePointers)},
    {SpvCapabilityVulkanMemoryModel, "VulkanMemoryModel", V12(vulkanMemoryModel)},
    {SpvCapabilityGroupNonUniform, "basic", GROUP(BASIC)},
    {SpvCapabilityGroupNonUniformVote, "vote", GROUP(VOTE)},
    {SpvCapabilityGroupNonUniformBallot, "ballot", GROUP(BALLOT)},
    {SpvCapabilityGroupNonUniformArithmetic, "group arithmetic", GROUP(ARITHMETIC)},
    {SpvCapabilityGroupNonUniformShuffle, "shuffle", GROUP(SHUFFLE)},
    {SpvCapabilityGroupNonUniformShuffleRelative, "relative shuffle", GROUP(SHUFFLE_RELATIVE)},
    {SpvCapabilityGroupNonUniformClustered, "clusters", GROUP(CLUSTERED)},
    {SpvCapabilityGroupNonUniformQuad, "quads", GROUP(QUAD)},
};
#define CAPABILITIES (sizeof capabilities / sizeof *capabilities)

static bool has(const struct features *features, size_t needs)
{
    VkBool32 value = VK_TRUE;
    if (needs & SUBGROUP)
        return features->subgroup & needs & ~(size_t)SUBGROUP;
    if (needs)
        memcpy(&value, (const char *)features + needs, sizeof value);
    return value;
}

// The first capability that is missing, or NULL. Capabilities come first in a module.
static const char *missing(const struct features *features, const uint32_t *words, size_t count)
{
    static char unknown[32];
    for (size_t at = 5; at + 1 < count && (words[at] & 0xffff) == SpvOpCapability; at += 2) {
        size_t i = 0;
        while (i < CAPABILITIES && (uint32_t)capabilities[i].capability != words[at + 1])
            i++;
        if (i == CAPABILITIES) {
            snprintf(unknown, sizeof unknown, "capability %u", words[at + 1]);
            return unknown;
        }
        if (!has(features, capabilities[i].needs))
            return capabilities[i].name;
    }
    return NULL;
}

// Opening

static _Noreturn void skip(const char *why)
{
    fprintf(stderr, "agree: %s\n", why);
    exit(EXIT_SKIP);
}

static void open_instance(struct device *device)
{
    const char *name = "instance";
    if (volkInitialize() != VK_SUCCESS)
        skip("there is no Vulkan loader");
    const VkResult result = vkCreateInstance(
        &(VkInstanceCreateInfo){
            .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
            .pApplicationInfo = &(VkApplicationInfo){.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                                     .apiVersion = VK_API_VERSION_1_2},
        },
        NULL, &device->instance);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        skip("there is no driver");
    check(name, "CreateInstance", result);
    volkLoadInstance(device->instance);
    uint32_t count = 1;
    if (vkEnumeratePhysicalDevices(device->instance, &count, &device->physical) < 0 || !count)
        skip("there is no device");
}

// Enables, of what the device has, only what the capabilities need and all kernels rely on.
static void choose_features(const struct device *device, struct features *features)
{
    struct features there = {
        .core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &there.v11},
        .v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                .pNext = &there.v12},
        .v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES},
    };
    vkGetPhysicalDeviceFeatures2(device->physical, &there.core);
    if (!there.v12.scalarBlockLayout || !there.v12.bufferDeviceAddress)
        skip("the device lacks scalarBlockLayout or bufferDeviceAddress");
    *features = (struct features){
        .core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features->v11},
        .v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                .variablePointersStorageBuffer = there.v11.variablePointersStorageBuffer,
                .pNext = &features->v12},
        .v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                .shaderSubgroupExtendedTypes = there.v12.shaderSubgroupExtendedTypes,
                .scalarBlockLayout = VK_TRUE},
    };
    for (size_t i = 0; i < CAPABILITIES; i++)
        if (capabilities[i].needs && !(capabilities[i].needs & SUBGROUP))
            memcpy((char *)features + capabilities[i].needs,
                   (const char *)&there + capabilities[i].needs, sizeof(VkBool32));
}

static void open_device(struct device *device)
{
    const char *name = "device";
    VkPhysicalDeviceSubgroupProperties subgroup = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, .pNext = &subgroup};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &driver};
    vkGetPhysicalDeviceProperties2(device->physical, &properties);
    if (properties.properties.apiVersion < VK_API_VERSION_1_2)
        skip("the device is older than Vulkan 1.2");
    choose_features(device, &device->features);
    device->features.subgroup = subgroup.supportedOperations;
    printf("subgroup %u\ndevice %s, %s\n", subgroup.subgroupSize, properties.properties.deviceName,
           driver.driverInfo);

    VkQueueFamilyProperties family = {0};
    uint32_t count = 1;
    vkGetPhysicalDeviceQueueFamilyProperties(device->physical, &count, &family);
    if (!count || !(family.queueFlags & VK_QUEUE_COMPUTE_BIT))
        skip("the first queue family cannot compute");
    VK(CreateDevice(device->physical,
                    &(VkDeviceCreateInfo){
                        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                        .pNext = &device->features.core,
                        .queueCreateInfoCount = 1,
                        .pQueueCreateInfos =
                            &(VkDeviceQueueCreateInfo){
                                .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                .queueCount = 1,
                                .pQueuePriorities = &(float){1.0f},
                            },
                    },
                    NULL, &device->handle));
    volkLoadDevice(device->handle);
    vkGetDeviceQueue(device->handle, 0, 0, &device->queue);
}

static uint32_t memory_type(const struct device *device, uint32_t allowed)
{
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties memory = {0};
    vkGetPhysicalDeviceMemoryProperties(device->physical, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++)
        if ((allowed >> i & 1) && (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    fail("buffer", "no memory type that the host sees, of", (int)allowed);
}

static void make_buffer(const struct device *device, uint32_t words, struct buffer *buffer)
{
    const char *name = "buffer";
    VK(CreateBuffer(device->handle,
                    &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                          .size = (VkDeviceSize)words * 4,
                                          .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                                   VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                                   VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT},
                    NULL, &buffer->handle));
    VkMemoryRequirements needs = {0};
    vkGetBufferMemoryRequirements(device->handle, buffer->handle, &needs);
    VK(AllocateMemory(device->handle,
                      &(VkMemoryAllocateInfo){
                          .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                          .pNext =
                              &(VkMemoryAllocateFlagsInfo){
                                  .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                  .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
                              },
                          .allocationSize = needs.size,
                          .memoryTypeIndex = memory_type(device, needs.memoryTypeBits),
                      },
                      NULL, &buffer->memory));
    VK(BindBufferMemory(device->handle, buffer->handle, buffer->memory, 0));
    void *mapped = NULL;
    VK(MapMemory(device->handle, buffer->memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    buffer->words = mapped;
    buffer->address = vkGetBufferDeviceAddress(
        device->handle, &(VkBufferDeviceAddressInfo){
                            .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                            .buffer = buffer->handle,
                        });
}

static void make_layouts(struct device *device)
{
    const char *name = "layouts";
    VkDescriptorSetLayoutBinding bindings[BINDINGS];
    for (uint32_t i = 0; i < BINDINGS; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType =
                i < BUFFERS ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    VK(CreateDescriptorSetLayout(device->handle,
                                 &(VkDescriptorSetLayoutCreateInfo){
                                     .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                     .bindingCount = BINDINGS,
                                     .pBindings = bindings,
                                 },
                                 NULL, &device->set_layout));
    VK(CreatePipelineLayout(
        device->handle,
        &(VkPipelineLayoutCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
            .setLayoutCount = 1,
            .pSetLayouts = &device->set_layout,
            .pushConstantRangeCount = 1,
            .pPushConstantRanges = &(VkPushConstantRange){.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                                          .size = sizeof(struct push)},
        },
        NULL, &device->layout));
}

static void make_set(struct device *device)
{
    const char *name = "descriptors";
    VkDescriptorPool pool = VK_NULL_HANDLE;
    VK(CreateDescriptorPool(
        device->handle,
        &(VkDescriptorPoolCreateInfo){
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
            .maxSets = 1,
            .poolSizeCount = 2,
            .pPoolSizes =
                (VkDescriptorPoolSize[]){{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BUFFERS},
                                         {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, BINDINGS - BUFFERS}},
        },
        NULL, &pool));
    VK(AllocateDescriptorSets(device->handle,
                              &(VkDescriptorSetAllocateInfo){
                                  .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                  .descriptorPool = pool,
                                  .descriptorSetCount = 1,
                                  .pSetLayouts = &device->set_layout,
                              },
                              &device->set));
    for (uint32_t i = 0; i < BINDINGS; i++)
        vkUpdateDescriptorSets(
            device->handle, 1,
            &(VkWriteDescriptorSet){
                .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                .dstSet = device->set,
                .dstBinding = i,
                .descriptorCount = 1,
                .descriptorType = i < BUFFERS ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                                              : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                .pBufferInfo =
                    &(VkDescriptorBufferInfo){.buffer = device->buffers[i % BUFFERS].handle,
                                              .range = i < BUFFERS ? VK_WHOLE_SIZE : UNIFORM_BYTES},
            },
            0, NULL);
}

static void make_commands(struct device *device)
{
    const char *name = "commands";
    VkCommandPool pool = VK_NULL_HANDLE;
    VK(CreateCommandPool(device->handle,
                         &(VkCommandPoolCreateInfo){
                             .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                             .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                         },
                         NULL, &pool));
    VK(AllocateCommandBuffers(device->handle,
                              &(VkCommandBufferAllocateInfo){
                                  .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                  .commandPool = pool,
                                  .commandBufferCount = 1,
                              },
                              &device->commands));
    VK(CreateFence(device->handle,
                   &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL,
                   &device->fence));
}

// Words of every kind: any bits, small numbers and their negations, powers of two and their
// neighbours, extremes.
static void fill_input(uint32_t *words)
{
    uint64_t state = 0;
    for (uint32_t i = 0; i < INPUT_WORDS; i++) {
        state += 0x9e3779b97f4a7c15u;
        uint64_t bits = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
        bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
        const uint32_t any = (uint32_t)(bits ^ bits >> 31), few = any & 31;
        switch (bits >> 61) {
        case 0:
            words[i] = few;
            break;
        case 1:
            words[i] = 0u - few;
            break;
        case 2:
            words[i] = (1u << few) - (any >> 30);
            break;
        case 3:
            words[i] = 0x7ffffffeu + (any & 3);
            break;
        default:
            words[i] = any;
        }
    }
}

// Running

static VkPipeline make_pipeline(const struct device *device, const char *name,
                                const uint32_t *words, size_t count)
{
    enum { CONSTANTS = sizeof constants / sizeof *constants };
    VkSpecializationMapEntry entries[CONSTANTS];
    for (uint32_t i = 0; i < CONSTANTS; i++)
        entries[i] = (VkSpecializationMapEntry){i, i * 4, 4};
    VkShaderModule module = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
    VK(CreateShaderModule(device->handle,
                          &(VkShaderModuleCreateInfo){
                              .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                              .codeSize = count * 4,
                              .pCode = words,
                          },
                          NULL, &module));
    VK(CreateComputePipelines(
        device->handle, VK_NULL_HANDLE, 1,
        &(VkComputePipelineCreateInfo){
            .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
            .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                      .module = module,
                      .pName = "main",
                      .pSpecializationInfo =
                          &(VkSpecializationInfo){CONSTANTS, entries, sizeof constants, constants}},
            .layout = device->layout,
        },
        NULL, &pipeline));
    vkDestroyShaderModule(device->handle, module, NULL);
    return pipeline;
}

static void dispatch(const struct device *device, const char *name, VkPipeline pipeline)
{
    const struct push push = {device->buffers[0].address, device->buffers[1].address,
                              device->buffers[2].address, 0x5eed, INPUT_WORDS};
    const VkCommandBuffer commands = device->commands;
    VK(BeginCommandBuffer(commands, &(VkCommandBufferBeginInfo){
                                        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, device->layout, 0, 1,
                            &device->set, 0, NULL);
    vkCmdPushConstants(commands, device->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push,
                       &push);
    vkCmdDispatch(commands, groups[0], groups[1], groups[2]);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                         0, 1,
                         &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                            .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                            .dstAccessMask = VK_ACCESS_HOST_READ_BIT},
                         0, NULL, 0, NULL);
    VK(EndCommandBuffer(commands));
    VK(QueueSubmit(device->queue, 1,
                   &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                   .commandBufferCount = 1,
                                   .pCommandBuffers = &device->commands},
                   device->fence));
    VK(WaitForFences(device->handle, 1, &device->fence, VK_TRUE, TIMEOUT_S * UINT64_C(1000000000)));
    VK(ResetFences(device->handle, 1, &device->fence));
}

static void write_words(const struct device *device, const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.words", folder, name);
    FILE *file = fopen(path, "wbe");
    if (!file || fwrite(device->buffers[1].words, 4, OUTPUT_WORDS, file) != OUTPUT_WORDS ||
        fwrite(device->buffers[2].words, 4, STATE_WORDS, file) != STATE_WORDS || fclose(file))
        fail(name, "cannot write the words to its file", 0);
}

static size_t read_module(const char *path, uint32_t *words)
{
    FILE *file = fopen(path, "rbe");
    const size_t count = file ? fread(words, 4, MODULE_WORDS_MAX, file) : 0;
    if (file)
        fclose(file);
    if (count < 5 || count == MODULE_WORDS_MAX || words[0] != SpvMagicNumber)
        fail(path, "no SPIR-V module, words", (int)count);
    return count;
}

static void run(const struct device *device, const char *folder, const char *path)
{
    static uint32_t words[MODULE_WORDS_MAX];
    const size_t count = read_module(path, words);
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(file, "."), file);
    const char *lacks = missing(&device->features, words, count);
    if (lacks) {
        printf("skip %s: %s\n", name, lacks);
        return;
    }
    fill_input(device->buffers[0].words);
    for (uint32_t i = 0; i < OUTPUT_WORDS; i++)
        device->buffers[1].words[i] = POISON;
    memset(device->buffers[2].words, 0, STATE_WORDS * 4);
    const VkPipeline pipeline = make_pipeline(device, name, words, count);
    dispatch(device, name, pipeline);
    vkDestroyPipeline(device->handle, pipeline, NULL);
    write_words(device, folder, name);
    printf("ran %s\n", name);
}

int main(int argc, char **argv)
{
    static struct device device;
    static const uint32_t sizes[BUFFERS] = {INPUT_WORDS, OUTPUT_WORDS, STATE_WORDS};
    if (argc < 3) {
        fprintf(stderr, "usage: agree FOLDER FILE.spv...\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    open_instance(&device);
    open_device(&device);
    for (int i = 0; i < BUFFERS; i++)
        make_buffer(&device, sizes[i], &device.buffers[i]);
    make_layouts(&device);
    make_set(&device);
    make_commands(&device);
    for (int i = 2; i < argc; i++)
        run(&device, argv[1], argv[i]);
    // The process ends, and all that is Vulkan's with it.
    _exit(0);
}
