// SPDX-License-Identifier: Apache-2.0
// Command buffers, the queue and everything that waits for it; what a faulty device does.
#include "device.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MILLISECOND UINT64_C(1000000)

// What the programs of these tests leave: the groups that ran, and the push constants of the last.
static struct {
    uint32_t count, last[3];
    unsigned char push[ICD_PUSH_MAX];
    bool push_read_only;
} ran;

static void note(struct exec *exec, const struct insn *insn)
{
    const struct region *push = &exec->local[LOCAL_PUSH - LOCAL_SHARED];
    ran.count++;
    memcpy(ran.last, exec->group_id, sizeof ran.last);
    memcpy(ran.push, push->bytes, sizeof ran.push);
    ran.push_read_only = push->read_only && push->size == ICD_PUSH_MAX;
}

static void go_wrong(struct exec *exec, const struct insn *insn)
{
    exec_fault(exec, EXEC_OUT_OF_BOUNDS, 0, 0, 4);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void rest(long milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * (long)MILLISECOND}, NULL);
}

static VkFence fence_make(struct device *device, VkFenceCreateFlags flags)
{
    VkFence fence = VK_NULL_HANDLE;
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, .flags = flags};
    assert_success(icd_CreateFence(device->handle, &info, NULL, &fence));
    return fence;
}

static VkSemaphore semaphore_make(struct device *device, bool timeline, uint64_t value)
{
    VkSemaphore semaphore = VK_NULL_HANDLE;
    const VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY,
        .initialValue = value,
    };
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                        .pNext = &type};
    assert_success(icd_CreateSemaphore(device->handle, &info, NULL, &semaphore));
    return semaphore;
}

static VkEvent event_make(struct device *device)
{
    VkEvent event = VK_NULL_HANDLE;
    const VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    assert_success(icd_CreateEvent(device->handle, &info, NULL, &event));
    return event;
}

// Dispatches

DEVICE_TEST(a_dispatch_has_what_was_bound_when_it_was_recorded)
{
    struct pipeline pipeline;
    pipeline_make(&pipeline, note);
    memset(&ran, 0, sizeof ran);
    VkCommandBuffer commands = commands_start(&device);
    icd_CmdDispatch(commands, 1, 1, 1); // nothing bound
    assert_int_equal(device.reports, 1);
    pipeline_bind(commands, &pipeline);
    icd_CmdPushConstants(commands, VK_NULL_HANDLE, VK_SHADER_STAGE_COMPUTE_BIT, 4, 4, "push");
    icd_CmdPushConstants(commands, VK_NULL_HANDLE, VK_SHADER_STAGE_COMPUTE_BIT, 252, 4, "last");
    icd_CmdPushConstants(commands, VK_NULL_HANDLE, VK_SHADER_STAGE_COMPUTE_BIT, 253, 4, "over");
    icd_CmdDispatch(commands, 2, 3, 4);
    icd_CmdPushConstants(commands, VK_NULL_HANDLE, VK_SHADER_STAGE_COMPUTE_BIT, 4, 4, "late");
    icd_CmdDispatch(commands, 0, 3, 4);
    icd_CmdDispatch(commands, 2, 0, 4);
    icd_CmdDispatch(commands, 2, 3, 0);
    commands_run(&device, commands);
    assert_int_equal(ran.count, 24);
    assert_memory_equal(ran.push + 4, "push", 4);
    assert_memory_equal(ran.push + 252, "last", 4);
    assert_true(ran.push_read_only);

    commands_begin(commands);
    pipeline_bind(commands, &pipeline);
    icd_CmdDispatchBase(commands, 10, 20, 30, 1, 1, 1);
    commands_run(&device, commands);
    assert_int_equal(ran.count, 25);
    assert_memory_equal(ran.push + 4, "\0\0\0", 4);
    icd_CmdPushConstants(commands, VK_NULL_HANDLE, VK_SHADER_STAGE_COMPUTE_BIT, 4, 4, "late");
    icd_CmdDispatchBase(commands, 10, 20, 30, 1, 1, 1);
    commands_run(&device, commands);
    assert_int_equal(ran.count, 27);
    assert_memory_equal(ran.push + 4, "late", 4);
    assert_memory_equal(ran.last, ((uint32_t[]){10, 20, 30}), sizeof ran.last);
}

DEVICE_TEST(indirect_dispatches_read_the_buffer_late_and_in_bounds)
{
    struct pipeline pipeline;
    struct buffer buffer = buffer_make(&device, 20);
    static const struct {
        uint64_t offset;
        uint32_t count;
        int reports;
    } rows[] = {{0, 2, 0}, {4, 6, 0}, {8, 18, 0}, {12, 0, 1}, {20, 0, 1}, {UINT64_MAX - 3, 0, 1}};
    pipeline_make(&pipeline, note);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memset(&ran, 0, sizeof ran);
        const int before = device.reports;
        VkCommandBuffer commands = commands_start(&device);
        pipeline_bind(commands, &pipeline);
        icd_CmdDispatchIndirect(commands, buffer.handle, rows[i].offset);
        memcpy(buffer.bytes, (uint32_t[]){1, 1, 2, 3, 3}, 20);
        commands_run(&device, commands);
        assert_int_equal(ran.count, rows[i].count);
        assert_int_equal(device.reports - before, rows[i].reports);
    }
    buffer_free(&device, &buffer);
}

TEST(graphics_lose_the_device_where_they_are_executed)
{
    static const struct {
        const char *name;
        VKAPI_ATTR void(VKAPI_CALL *record)(VkCommandBuffer commands);
    } rows[] = {
#define GRAPHICS(name) {"vk" #name, icd_##name},
#include "icd/commands.h"
#undef GRAPHICS
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        device_open(&device, MODEL_LOCKSTEP, 0, 1);
        VkCommandBuffer commands = commands_start(&device);
        rows[i].record(commands);
        assert_success(icd_EndCommandBuffer(commands));
        assert_int_equal(device.reports, 0);
        assert_success(commands_submit(&device, commands, VK_NULL_HANDLE));
        assert_int_equal(icd_QueueWaitIdle(device.queue), VK_ERROR_DEVICE_LOST);
        assert_int_equal(device.reports, 1);
        assert_int_equal(strncmp(device.line, rows[i].name, strlen(rows[i].name)), 0);
        assert_string_equal(device.line + strlen(rows[i].name),
                            ": graphics is not supported: the device is lost");
        device_close(&device);
    }
}

DEVICE_TEST(graphics_objects_are_refused)
{
    VkRenderPass pass = (VkRenderPass)1, second = (VkRenderPass)1;
    VkFramebuffer frame = (VkFramebuffer)1;
    VkSamplerYcbcrConversion conversion = (VkSamplerYcbcrConversion)1;
    assert_int_equal(icd_CreateRenderPass(device.handle, &(VkRenderPassCreateInfo){0}, NULL, &pass),
                     VK_ERROR_FEATURE_NOT_PRESENT);
    assert_int_equal(
        icd_CreateRenderPass2(device.handle, &(VkRenderPassCreateInfo2){0}, NULL, &second),
        VK_ERROR_FEATURE_NOT_PRESENT);
    assert_int_equal(
        icd_CreateFramebuffer(device.handle, &(VkFramebufferCreateInfo){0}, NULL, &frame),
        VK_ERROR_FEATURE_NOT_PRESENT);
    assert_string_equal(device.line, "vkCreateFramebuffer: graphics is not supported");
    assert_int_equal(icd_CreateSamplerYcbcrConversion(device.handle,
                                                      &(VkSamplerYcbcrConversionCreateInfo){0},
                                                      NULL, &conversion),
                     VK_ERROR_FEATURE_NOT_PRESENT);
    assert_false(pass || second || frame || conversion);
    assert_int_equal(device.reports, 4);
    icd_DestroyFramebuffer(device.handle, frame, NULL);
    icd_DestroyRenderPass(device.handle, pass, NULL);
    icd_DestroySamplerYcbcrConversion(device.handle, conversion, NULL);
}

DEVICE_TEST(command_buffers_are_replayed_and_recorded_anew)
{
    struct pipeline pipeline;
    struct buffer buffer = buffer_make(&device, 65536);
    memset(&ran, 0, sizeof ran);
    pipeline_make(&pipeline, note);
    VkCommandBuffer commands = commands_start(&device);
    pipeline_bind(commands, &pipeline);
    for (unsigned i = 0; i < 1000; i++) { // more than fits in a piece of the arena
        icd_CmdUpdateBuffer(commands, buffer.handle, i * 4, 4, &i);
        icd_CmdDispatch(commands, 1, 1, 1);
    }
    static unsigned char much[65536];
    memset(much, 7, sizeof much);
    commands_run(&device, commands);
    memset(buffer.bytes, 0, 65536);
    commands_run(&device, commands);
    assert_int_equal(ran.count, 2000);
    for (uint32_t i = 0; i < 1000; i++)
        assert_memory_equal(buffer.bytes + i * 4, &i, 4);

    commands_begin(commands);
    icd_CmdUpdateBuffer(commands, buffer.handle, 0, sizeof much, much);
    commands_run(&device, commands);
    assert_memory_equal(buffer.bytes, much, sizeof much);
    assert_int_equal(ran.count, 2000);
    icd_ResetCommandPool(device.handle, device.pool, 0);
    commands_run(&device, commands); // has no commands now
    assert_success(icd_ResetCommandBuffer(commands, 0));
    icd_FreeCommandBuffers(device.handle, device.pool, 1, &commands);
    buffer_free(&device, &buffer);
}

DEVICE_TEST(secondary_command_buffers_are_executed)
{
    struct pipeline pipeline;
    memset(&ran, 0, sizeof ran);
    pipeline_make(&pipeline, note);
    VkCommandBuffer secondary[2];
    for (uint32_t i = 0; i < 2; i++) {
        secondary[i] = commands_make(&device, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
        commands_begin(secondary[i]);
        pipeline_bind(secondary[i], &pipeline);
        icd_CmdDispatch(secondary[i], i + 1, 1, 1);
        assert_success(icd_EndCommandBuffer(secondary[i]));
    }
    VkCommandBuffer primary = commands_start(&device);
    icd_CmdExecuteCommands(primary, 2, secondary);
    icd_CmdExecuteCommands(primary, 1, secondary + 1);
    assert_int_equal(device.reports, 0);
    icd_CmdExecuteCommands(primary, 1, &primary); // would never end
    icd_CmdExecuteCommands(secondary[0], 1, secondary);
    assert_int_equal(device.reports, 2);
    commands_run(&device, primary);
    assert_int_equal(ran.count, 1 + 2 + 2);
}

// Fences, semaphores, events

DEVICE_TEST(fences_wait_as_long_as_they_should)
{
    VkFence fences[2] = {fence_make(&device, 0), fence_make(&device, VK_FENCE_CREATE_SIGNALED_BIT)};
    assert_int_equal(icd_GetFenceStatus(device.handle, fences[0]), VK_NOT_READY);
    assert_success(icd_GetFenceStatus(device.handle, fences[1]));
    assert_success(icd_WaitForFences(device.handle, 2, fences, VK_FALSE, UINT64_MAX));
    assert_int_equal(icd_WaitForFences(device.handle, 2, fences, VK_TRUE, 0), VK_TIMEOUT);
    const double start = now();
    assert_int_equal(icd_WaitForFences(device.handle, 2, fences, VK_TRUE, 50 * MILLISECOND),
                     VK_TIMEOUT);
    assert_true(now() - start >= 0.05 && now() - start < 10);

    // A submission without anything signals its fence, after what was submitted before.
    VkEvent event = event_make(&device);
    VkCommandBuffer commands = commands_start(&device);
    icd_CmdWaitEvents(commands, 1, &event, 0, 0, 0, NULL, 0, NULL, 0, NULL);
    assert_success(icd_EndCommandBuffer(commands));
    assert_success(commands_submit(&device, commands, VK_NULL_HANDLE));
    assert_success(icd_QueueSubmit(device.queue, 0, NULL, fences[0]));
    assert_int_equal(icd_WaitForFences(device.handle, 2, fences, VK_TRUE, 20 * MILLISECOND),
                     VK_TIMEOUT);
    assert_success(icd_SetEvent(device.handle, event));
    assert_success(icd_WaitForFences(device.handle, 2, fences, VK_TRUE, UINT64_MAX));
    assert_success(icd_ResetFences(device.handle, 2, fences));
    assert_int_equal(icd_GetFenceStatus(device.handle, fences[1]), VK_NOT_READY);
    icd_DestroyEvent(device.handle, event, NULL);
    icd_DestroyFence(device.handle, fences[0], NULL);
    icd_DestroyFence(device.handle, fences[1], NULL);
}

struct signaller {
    struct device *device;
    VkSemaphore semaphore;
};

static void *signal_later(void *user)
{
    const struct signaller *signaller = user;
    rest(30);
    for (uint64_t value = 1; value <= 7; value++) {
        const VkSemaphoreSignalInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                            .semaphore = signaller->semaphore,
                                            .value = value};
        if (icd_SignalSemaphore(signaller->device->handle, &info) != VK_SUCCESS)
            abort();
    }
    return NULL;
}

static uint64_t value_of(struct device *device, VkSemaphore semaphore)
{
    uint64_t value = 0;
    assert_success(icd_GetSemaphoreCounterValue(device->handle, semaphore, &value));
    return value;
}

DEVICE_TEST(timelines_may_be_waited_for_before_they_are_signaled)
{
    struct pipeline pipeline;
    memset(&ran, 0, sizeof ran);
    pipeline_make(&pipeline, note);
    VkSemaphore in = semaphore_make(&device, true, 0), out = semaphore_make(&device, true, 40);
    VkCommandBuffer commands = commands_start(&device);
    pipeline_bind(commands, &pipeline);
    icd_CmdDispatch(commands, 3, 1, 1);
    assert_success(icd_EndCommandBuffer(commands));
    const uint64_t wait_value = 7, signal_value = 50;
    const VkTimelineSemaphoreSubmitInfo values = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = 1,
        .pWaitSemaphoreValues = &wait_value,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues = &signal_value,
    };
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .pNext = &values,
                                 .waitSemaphoreCount = 1,
                                 .pWaitSemaphores = &in,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &commands,
                                 .signalSemaphoreCount = 1,
                                 .pSignalSemaphores = &out};
    assert_success(icd_QueueSubmit(device.queue, 1, &submit, VK_NULL_HANDLE));
    const VkSemaphore both[] = {in, out};
    const VkSemaphoreWaitInfo all = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                     .semaphoreCount = 2,
                                     .pSemaphores = both,
                                     .pValues = (const uint64_t[]){7, 50}};
    VkSemaphoreWaitInfo any = all;
    any.flags = VK_SEMAPHORE_WAIT_ANY_BIT;
    any.pValues = (const uint64_t[]){1, 41};
    assert_int_equal(icd_WaitSemaphores(device.handle, &all, 10 * MILLISECOND), VK_TIMEOUT);
    assert_int_equal(icd_WaitSemaphores(device.handle, &any, 0), VK_TIMEOUT);
    assert_int_equal(value_of(&device, out), 40);

    pthread_t thread;
    struct signaller signaller = {&device, in};
    assert_int_equal(pthread_create(&thread, NULL, signal_later, &signaller), 0);
    assert_success(icd_WaitSemaphores(device.handle, &any, UINT64_MAX));
    assert_success(icd_WaitSemaphores(device.handle, &all, UINT64_MAX));
    assert_int_equal(ran.count, 3);
    assert_int_equal(value_of(&device, in), 7);
    assert_int_equal(value_of(&device, out), 50);
    pthread_join(thread, NULL);
    icd_DestroySemaphore(device.handle, in, NULL);
    icd_DestroySemaphore(device.handle, out, NULL);
}

DEVICE_TEST(binary_semaphores_are_used_up)
{
    VkSemaphore semaphore = semaphore_make(&device, false, 0);
    VkFence fence = fence_make(&device, 0);
    const VkSemaphoreSubmitInfo point = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                         .semaphore = semaphore};
    VkSubmitInfo2 infos[3] = {0};
    for (unsigned i = 0; i < 3; i++) { // signal; wait and signal; wait
        infos[i].sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
        infos[i].waitSemaphoreInfoCount = i > 0;
        infos[i].pWaitSemaphoreInfos = &point;
        infos[i].signalSemaphoreInfoCount = i < 2;
        infos[i].pSignalSemaphoreInfos = &point;
    }
    assert_success(icd_QueueSubmit2(device.queue, 3, infos, fence));
    assert_success(icd_WaitForFences(device.handle, 1, &fence, VK_TRUE, UINT64_MAX));
    assert_success(icd_ResetFences(device.handle, 1, &fence));
    // The signal was used up: one more wait has to wait for one more signal.
    assert_success(icd_QueueSubmit2(device.queue, 1, &infos[2], fence));
    assert_int_equal(icd_WaitForFences(device.handle, 1, &fence, VK_TRUE, 20 * MILLISECOND),
                     VK_TIMEOUT);
    device_stop(&device); // does not hang
    icd_DestroySemaphore(device.handle, semaphore, NULL);
    icd_DestroyFence(device.handle, fence, NULL);
}

DEVICE_TEST(events_go_both_ways)
{
    VkEvent host = event_make(&device), other = event_make(&device);
    VkFence fence = fence_make(&device, 0);
    const VkEvent both[] = {host, other};
    const VkDependencyInfo none[2] = {{.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO},
                                      {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO}};
    VkCommandBuffer commands = commands_start(&device);
    icd_CmdSetEvent(commands, other, VK_PIPELINE_STAGE_TRANSFER_BIT);
    icd_CmdWaitEvents2(commands, 2, both, none);
    icd_CmdResetEvent(commands, host, VK_PIPELINE_STAGE_TRANSFER_BIT);
    assert_success(icd_EndCommandBuffer(commands));
    assert_success(commands_submit(&device, commands, fence));
    while (icd_GetEventStatus(device.handle, other) != VK_EVENT_SET)
        rest(1);
    assert_int_equal(icd_GetEventStatus(device.handle, host), VK_EVENT_RESET);
    assert_int_equal(icd_WaitForFences(device.handle, 1, &fence, VK_TRUE, 20 * MILLISECOND),
                     VK_TIMEOUT);
    assert_success(icd_SetEvent(device.handle, host));
    assert_success(icd_WaitForFences(device.handle, 1, &fence, VK_TRUE, UINT64_MAX));
    assert_int_equal(icd_GetEventStatus(device.handle, host), VK_EVENT_RESET);
    assert_success(icd_ResetEvent(device.handle, other));
    assert_int_equal(icd_GetEventStatus(device.handle, other), VK_EVENT_RESET);

    // Nobody sets it: destroying the device ends the wait.
    assert_success(commands_submit(&device, commands, VK_NULL_HANDLE));
    while (icd_GetEventStatus(device.handle, other) != VK_EVENT_SET)
        rest(1);
    device_stop(&device);
    icd_DestroyEvent(device.handle, host, NULL);
    icd_DestroyEvent(device.handle, other, NULL);
    icd_DestroyFence(device.handle, fence, NULL);
}

// Queries

DEVICE_TEST(queries_have_times)
{
    struct buffer buffer = buffer_make(&device, 40);
    memset(buffer.bytes, 0xaa, 40);
    VkQueryPool pool = VK_NULL_HANDLE;
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                        .queryCount = 4};
    const VkQueryResultFlags wide = VK_QUERY_RESULT_64_BIT,
                             both = wide | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT;
    uint64_t values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_success(icd_CreateQueryPool(device.handle, &info, NULL, &pool));
    const double start = now();
    VkCommandBuffer commands = commands_start(&device);
    icd_CmdResetQueryPool(commands, pool, 0, 4);
    icd_CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, pool, 1);
    icd_CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_COPY_BIT, pool, 2);
    icd_CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, pool, 4); // is not there
    icd_CmdCopyQueryPoolResults(commands, pool, 0, 3, buffer.handle, 0, 16, both);
    commands_run(&device, commands);
    assert_int_equal(device.reports, 1); // the third result does not fit in 40 bytes
    const double end = now();

    assert_int_equal(
        icd_GetQueryPoolResults(device.handle, pool, 0, 4, sizeof values, values, 16, both),
        VK_NOT_READY);
    assert_int_equal(values[0], 1);
    assert_int_equal(values[1], 0);
    assert_true((double)values[2] * 1e-9 >= start - 1e-6);
    assert_true(values[4] >= values[2]);
    assert_true((double)values[4] * 1e-9 <= end + 1e-6);
    assert_int_equal(values[3], 1);
    assert_int_equal(values[5], 1);
    assert_int_equal(values[6], 7);
    assert_int_equal(values[7], 0);
    uint64_t copied[5];
    memcpy(copied, buffer.bytes, 40);
    assert_int_equal(copied[0], UINT64_C(0xaaaaaaaaaaaaaaaa));
    assert_int_equal(copied[1], 0);
    assert_int_equal(copied[2], values[2]);
    assert_int_equal(copied[3], 1);
    assert_int_equal(copied[4], UINT64_C(0xaaaaaaaaaaaaaaaa));

    uint64_t some[4] = {9, 9, 9, 9}; // room for the first only
    icd_GetQueryPoolResults(device.handle, pool, 1, 2, 31, some, 16, both);
    assert_int_equal(some[0], values[2]);
    assert_int_equal(some[2], 9);
    uint32_t narrow[4] = {9, 9, 9, 9};
    assert_success(icd_GetQueryPoolResults(device.handle, pool, 1, 2, 12, narrow, 8,
                                           VK_QUERY_RESULT_WAIT_BIT));
    assert_int_equal(narrow[0], (uint32_t)values[2]);
    assert_int_equal(narrow[1], 9);
    assert_int_equal(narrow[2], (uint32_t)values[4]);
    assert_int_equal(narrow[3], 9);
    icd_ResetQueryPool(device.handle, pool, 1, 1);
    assert_int_equal(icd_GetQueryPoolResults(device.handle, pool, 1, 1, 8, values, 8, wide),
                     VK_NOT_READY);
    assert_success(icd_GetQueryPoolResults(device.handle, pool, 2, 1, 8, values, 8, wide));
    icd_DestroyQueryPool(device.handle, pool, NULL);
    buffer_free(&device, &buffer);
}

// What goes wrong

static void everything_says_that_the_device_is_lost(struct device *device, VkFence fence)
{
    VkSemaphore semaphore = semaphore_make(device, true, 0);
    VkEvent event = event_make(device);
    VkCommandBuffer commands = commands_start(device);
    const VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &semaphore,
                                      .pValues = &(const uint64_t){1}};
    uint64_t value = 0;
    const VkResult want = VK_ERROR_DEVICE_LOST;
    assert_success(icd_EndCommandBuffer(commands));
    assert_int_equal(icd_WaitForFences(device->handle, 1, &fence, VK_TRUE, UINT64_MAX), want);
    assert_int_equal(icd_GetFenceStatus(device->handle, fence), want);
    assert_int_equal(icd_WaitSemaphores(device->handle, &wait, UINT64_MAX), want);
    assert_int_equal(icd_GetSemaphoreCounterValue(device->handle, semaphore, &value), want);
    assert_int_equal(icd_GetEventStatus(device->handle, event), want);
    assert_int_equal(icd_QueueWaitIdle(device->queue), want);
    assert_int_equal(icd_queue_wait_idle(device->device.queue), want);
    assert_int_equal(commands_submit(device, commands, fence), want);
    icd_DestroyEvent(device->handle, event, NULL);
    icd_DestroySemaphore(device->handle, semaphore, NULL);
}

TEST(a_fault_of_the_shader_loses_the_device)
{
    struct device device;
    struct pipeline pipeline;
    for (int robust = 0; robust < 2; robust++) {
        device_open(&device, MODEL_LOCKSTEP, 0, 1);
        device.device.robust = robust;
        pipeline_make(&pipeline, go_wrong);
        struct buffer buffer = buffer_make(&device, 4);
        memset(buffer.bytes, 0, 4);
        VkFence fence = fence_make(&device, 0);
        VkCommandBuffer commands = commands_start(&device);
        pipeline_bind(commands, &pipeline);
        icd_CmdDispatch(commands, 1, 1, 1);
        icd_CmdFillBuffer(commands, buffer.handle, 0, 4, 1);
        assert_success(icd_EndCommandBuffer(commands));
        assert_success(commands_submit(&device, commands, fence));
        if (robust)
            assert_success(icd_WaitForFences(device.handle, 1, &fence, VK_TRUE, UINT64_MAX));
        else
            everything_says_that_the_device_is_lost(&device, fence);
        assert_int_equal(buffer.bytes[0], robust);
        buffer_free(&device, &buffer);
        icd_DestroyFence(device.handle, fence, NULL);
        device_close(&device);
    }
}

// Submits three times, the second time without commands, which does not count; the last one's
// fence.
static VkFence submit_three(struct device *device, struct pipeline *pipeline, enum fault fault)
{
    memset(&ran, 0, sizeof ran);
    device_open(device, MODEL_FAULTY, fault, 2);
    VkFence fence = fence_make(device, 0);
    pipeline_make(pipeline, note);
    VkCommandBuffer commands = commands_start(device);
    pipeline_bind(commands, pipeline);
    icd_CmdDispatch(commands, 1, 1, 1);
    commands_run(device, commands);
    assert_int_equal(ran.count, 1);
    assert_success(icd_QueueSubmit(device->queue, 0, NULL, VK_NULL_HANDLE));
    assert_success(icd_QueueWaitIdle(device->queue));
    assert_success(commands_submit(device, commands, fence));
    return fence;
}

TEST(a_faulty_device_is_lost)
{
    OWNED(device_close) struct device device;
    struct pipeline pipeline;
    VkFence fence = submit_three(&device, &pipeline, FAULT_LOST);
    everything_says_that_the_device_is_lost(&device, fence);
    assert_int_equal(ran.count, 1);
    icd_DestroyFence(device.handle, fence, NULL);
}

TEST(a_faulty_device_hangs)
{
    OWNED(device_close) struct device device;
    struct pipeline pipeline;
    VkFence fence = submit_three(&device, &pipeline, FAULT_HANG);
    assert_int_equal(icd_WaitForFences(device.handle, 1, &fence, VK_TRUE, 50 * MILLISECOND),
                     VK_TIMEOUT);
    assert_int_equal(icd_GetFenceStatus(device.handle, fence), VK_NOT_READY);
    device_stop(&device); // ends it nevertheless
    assert_int_equal(ran.count, 1);
    icd_DestroyFence(device.handle, fence, NULL);
}

TEST(a_faulty_device_does_nothing)
{
    OWNED(device_close) struct device device;
    struct pipeline pipeline;
    VkFence fence = submit_three(&device, &pipeline, FAULT_NOTHING);
    struct buffer buffer = buffer_make(&device, 4);
    assert_success(icd_WaitForFences(device.handle, 1, &fence, VK_TRUE, UINT64_MAX));
    VkCommandBuffer commands = commands_start(&device);
    pipeline_bind(commands, &pipeline);
    icd_CmdDispatch(commands, 1, 1, 1);
    icd_CmdFillBuffer(commands, buffer.handle, 0, 4, 0x31313131);
    commands_run(&device, commands);
    assert_int_equal(ran.count, 1);
    assert_memory_equal(buffer.bytes, "1111", 4); // transfers are executed
    icd_DestroyFence(device.handle, fence, NULL);
    buffer_free(&device, &buffer);
}

#ifndef _WIN32
TEST(a_faulty_device_crashes)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct device device;
        struct pipeline pipeline;
        submit_three(&device, &pipeline, FAULT_CRASH);
        icd_QueueWaitIdle(device.queue);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
}
#endif
