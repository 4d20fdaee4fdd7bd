// SPDX-License-Identifier: Apache-2.0
// A device of the SIMT simulator for tests of its queue: without a loader, and with programs made
// by hand, whose only instruction is a function of the test.
#pragma once

#include "../unit/unit.h"

#include "base/text.h"
#include "icd/icd.h"

struct device {
    struct icd_instance instance;
    struct icd_device device;
    VkDevice handle;
    VkQueue queue;
    VkCommandPool pool;
    atomic_int reports; // lines that the driver said
    char line[128];     // the last one, cut
    VkDebugUtilsMessengerEXT messenger;
};

static inline VkBool32 count_report(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                    VkDebugUtilsMessageTypeFlagsEXT types,
                                    const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    struct device *device = user;
    snprintf(device->line, sizeof device->line, "%s", data->pMessage);
    atomic_fetch_add(&device->reports, 1);
    return VK_FALSE;
}

static inline void device_report(void *user, const char *line)
{
    icd_say(user, ICD_ERROR, line);
}

static inline void device_open(struct device *device, enum model model, enum fault fault,
                               uint64_t at)
{
    memset(device, 0, sizeof *device);
    device->instance.physicals[0].settings = (struct settings){.model = model,
                                                               .fault = fault,
                                                               .at = at,
                                                               .seed = 1,
                                                               .subgroup = 32,
                                                               .threads = 1,
                                                               .resident = 1,
                                                               .depth = 1};
    pthread_mutex_init(&device->instance.lock, NULL);
    device->instance.physicals[0].instance = &device->instance;
    const VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
        .pfnUserCallback = count_report,
        .pUserData = device,
    };
    icd_CreateDebugUtilsMessengerEXT(ICD_HANDLE(VkInstance, &device->instance), &messenger, NULL,
                                     &device->messenger);
    device->device.physical = &device->instance.physicals[0];
    pthread_mutex_init(&device->device.lock, NULL);
    device->device.regions = regions_create();
    device->device.machine =
        machine_create(&device->instance.physicals[0].settings, device->device.regions,
                       device_report, &device->instance);
    assert_non_null(device->device.regions);
    assert_non_null(device->device.machine);
    device->device.queue = icd_queue_create(&device->device, NULL);
    assert_non_null(device->device.queue);
    device->handle = ICD_HANDLE(VkDevice, &device->device);
    device->queue = icd_queue_handle(device->device.queue);
    assert_success(icd_CreateCommandPool(
        device->handle,
        &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO}, NULL,
        &device->pool));
}

// Ends the queue's thread, whatever it is doing.
static inline void device_stop(struct device *device)
{
    icd_queue_free(device->device.queue);
    device->device.queue = NULL;
}

static inline void device_close(struct device *device)
{
    device_stop(device);
    icd_DestroyCommandPool(device->handle, device->pool, NULL);
    machine_free(device->device.machine);
    regions_free(device->device.regions);
    icd_DestroyDebugUtilsMessengerEXT(ICD_HANDLE(VkInstance, &device->instance), device->messenger,
                                      NULL);
    pthread_mutex_destroy(&device->device.lock);
    pthread_mutex_destroy(&device->instance.lock);
}

// The device of a test that gets one.
static struct device device;

static inline int device_begin(void **state)
{
    device_open(&device, MODEL_LOCKSTEP, 0, 1);
    return 0;
}

static inline int device_end(void **state)
{
    device_close(&device);
    return 0;
}

#define DEVICE_TEST(name) TEST_IN(name, device_begin, device_end)

// Buffers, each with memory of its own.
struct buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    unsigned char *bytes; // mapped
};

static inline struct buffer buffer_make(struct device *device, uint64_t size)
{
    struct buffer buffer = {0};
    VkMemoryRequirements needs;
    void *bytes = NULL;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = size,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    assert_success(icd_CreateBuffer(device->handle, &info, NULL, &buffer.handle));
    icd_GetBufferMemoryRequirements(device->handle, buffer.handle, &needs);
    const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                           .allocationSize = needs.size};
    assert_success(icd_AllocateMemory(device->handle, &allocate, NULL, &buffer.memory));
    assert_success(icd_BindBufferMemory(device->handle, buffer.handle, buffer.memory, 0));
    assert_success(icd_MapMemory(device->handle, buffer.memory, 0, VK_WHOLE_SIZE, 0, &bytes));
    buffer.bytes = bytes;
    return buffer;
}

static inline void buffer_free(struct device *device, struct buffer *buffer)
{
    icd_DestroyBuffer(device->handle, buffer->handle, NULL);
    icd_FreeMemory(device->handle, buffer->memory, NULL);
}

// Commands
static inline VkCommandBuffer commands_make(struct device *device, VkCommandBufferLevel level)
{
    VkCommandBuffer commands = NULL;
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = device->pool,
        .level = level,
        .commandBufferCount = 1,
    };
    assert_success(icd_AllocateCommandBuffers(device->handle, &info, &commands));
    return commands;
}

static inline void commands_begin(VkCommandBuffer commands)
{
    assert_success(icd_BeginCommandBuffer(
        commands,
        &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
}

static inline VkCommandBuffer commands_start(struct device *device)
{
    VkCommandBuffer commands = commands_make(device, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    commands_begin(commands);
    return commands;
}

static inline VkResult commands_submit(struct device *device, VkCommandBuffer commands,
                                       VkFence fence)
{
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &commands};
    return icd_QueueSubmit(device->queue, 1, &info, fence);
}

// Ends the recording, submits it, and waits.
static inline void commands_run(struct device *device, VkCommandBuffer commands)
{
    assert_success(icd_EndCommandBuffer(commands));
    assert_success(commands_submit(device, commands, VK_NULL_HANDLE));
    assert_success(icd_QueueWaitIdle(device->queue));
}

// A program that calls `run` once for each workgroup, which is one invocation.
#define RESOURCES_MAX 8
struct pipeline {
    struct icd_pipeline pipeline;
    struct program program;
    struct insn insns[2];
    struct block block;
    struct function function;
    struct resource resources[RESOURCES_MAX];
    char *lines[2];
};

static inline void pipeline_make(struct pipeline *pipeline, insn_run *run)
{
    static char first[] = "OpNop", second[] = "OpReturn";
    memset(pipeline, 0, sizeof *pipeline);
    pipeline->insns[0] = (struct insn){.run = run,
                                       .kind = INSN_PLAIN,
                                       .result = CELL_NONE,
                                       .operand = {CELL_NONE, CELL_NONE, CELL_NONE, CELL_NONE}};
    pipeline->insns[1] = pipeline->insns[0];
    pipeline->insns[1].run = NULL;
    pipeline->insns[1].kind = INSN_RETURN;
    pipeline->lines[0] = first;
    pipeline->lines[1] = second;
    pipeline->program = (struct program){.insns = pipeline->insns,
                                         .insn_count = 2,
                                         .blocks = &pipeline->block,
                                         .block_count = 1,
                                         .functions = &pipeline->function,
                                         .function_count = 1,
                                         .resources = pipeline->resources,
                                         .cell_count = 1 + RESOURCES_MAX,
                                         .local_size = {1, 1, 1},
                                         .subgroup = 1,
                                         .lines = pipeline->lines};
    pipeline->pipeline.program = &pipeline->program;
}

// Another resource of the program, with `count` elements: index of its first in exec->local.
static inline uint32_t pipeline_resource(struct pipeline *pipeline, uint32_t set, uint32_t binding,
                                         uint32_t count, enum resource_kind kind)
{
    struct program *program = &pipeline->program;
    const uint32_t first = LOCAL_BINDINGS + program->region_count;
    assert_true(program->resource_count < RESOURCES_MAX);
    pipeline->resources[program->resource_count] = (struct resource){
        .set = set,
        .binding = binding,
        .count = count,
        .kind = kind,
        .cell = 1 + program->resource_count,
        .first_region = first,
    };
    program->resource_count++;
    program->region_count += count ? count : RESOURCE_RUNTIME_MAX;
    return first - LOCAL_SHARED;
}

static inline void pipeline_bind(VkCommandBuffer commands, struct pipeline *pipeline)
{
    icd_CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                        ICD_HANDLE(VkPipeline, &pipeline->pipeline));
}
