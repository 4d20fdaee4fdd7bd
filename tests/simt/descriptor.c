// SPDX-License-Identifier: Apache-2.0
// Descriptor sets: what a dispatch gets to see of what was written, copied, pushed and bound.
#include "device.h"

#define STORAGE         VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
#define UNIFORM         VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
#define STORAGE_DYNAMIC VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC
#define UNIFORM_DYNAMIC VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC
#define INLINE          VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK
#define SAMPLED         VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
#define IMAGE           VK_DESCRIPTOR_TYPE_STORAGE_IMAGE

#define SEEN_MAX 32

static struct region seen[SEEN_MAX]; // by the last dispatch, from LOCAL_BINDINGS on
static unsigned char seen_bytes[SEEN_MAX][16];
static uint32_t seen_count;

static void note(struct exec *exec, const struct insn *insn)
{
    seen_count = exec->local_count - 2;
    for (uint32_t i = 0; i < SEEN_MAX && i < seen_count; i++) {
        seen[i] = exec->local[2 + i];
        if (seen[i].bytes)
            memcpy(seen_bytes[i], seen[i].bytes, seen[i].size < 16 ? seen[i].size : 16);
    }
}

struct slot {
    uint32_t binding;
    VkDescriptorType type;
    uint32_t count;
};

#define SLOTS_MAX 8

static VkDescriptorSetLayout layout_make(struct device *device, const struct slot *slots,
                                         uint32_t count, VkDescriptorSetLayoutCreateFlags flags,
                                         bool variable)
{
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    VkDescriptorSetLayoutBinding bindings[SLOTS_MAX] = {0};
    VkDescriptorBindingFlags binding_flags[SLOTS_MAX] = {0};
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        bindings[i].binding = slots[i].binding;
        bindings[i].descriptorType = slots[i].type;
        bindings[i].descriptorCount = slots[i].count;
        if (slots[i].binding > slots[last].binding)
            last = i;
    }
    if (variable && count)
        binding_flags[last] = VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
    const VkDescriptorSetLayoutBindingFlagsCreateInfo more = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = count,
        .pBindingFlags = binding_flags};
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .pNext = &more,
        .flags = flags,
        .bindingCount = count,
        .pBindings = bindings};
    VkDescriptorSetLayoutSupport support = {.sType =
                                                VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT};
    icd_GetDescriptorSetLayoutSupport(device->handle, &info, &support);
    assert_true(support.supported);
    assert_success(icd_CreateDescriptorSetLayout(device->handle, &info, NULL, &layout));
    return layout;
}

static VkDescriptorPool pool_make(struct device *device, uint32_t sets, uint32_t each)
{
    VkDescriptorPool pool = VK_NULL_HANDLE;
    const VkDescriptorPoolSize sizes[] = {
        {STORAGE, each}, {UNIFORM, each},     {STORAGE_DYNAMIC, each}, {UNIFORM_DYNAMIC, each},
        {SAMPLED, each}, {INLINE, each * 16}, {IMAGE, each},
    };
    const VkDescriptorPoolInlineUniformBlockCreateInfo blocks = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO,
        .maxInlineUniformBlockBindings = each,
    };
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .pNext = &blocks,
                                             .maxSets = sets,
                                             .poolSizeCount = sizeof sizes / sizeof sizes[0],
                                             .pPoolSizes = sizes};
    assert_success(icd_CreateDescriptorPool(device->handle, &info, NULL, &pool));
    return pool;
}

static VkResult set_make(struct device *device, VkDescriptorPool pool, VkDescriptorSetLayout layout,
                         const uint32_t *variable, VkDescriptorSet *set)
{
    const VkDescriptorSetVariableDescriptorCountAllocateInfo counts = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
        .descriptorSetCount = variable ? 1 : 0,
        .pDescriptorCounts = variable};
    const VkDescriptorSetAllocateInfo info = {.sType =
                                                  VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .pNext = &counts,
                                              .descriptorPool = pool,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &layout};
    return icd_AllocateDescriptorSets(device->handle, &info, set);
}

static VkWriteDescriptorSet write_of(VkDescriptorSet set, uint32_t binding, uint32_t element,
                                     VkDescriptorType type, uint32_t count,
                                     const VkDescriptorBufferInfo *infos)
{
    return (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = set,
                                  .dstBinding = binding,
                                  .dstArrayElement = element,
                                  .descriptorCount = count,
                                  .descriptorType = type,
                                  .pBufferInfo = infos};
}

static void write_buffers(struct device *device, VkDescriptorSet set, uint32_t binding,
                          uint32_t element, VkDescriptorType type, uint32_t count,
                          const VkDescriptorBufferInfo *infos)
{
    const VkWriteDescriptorSet write = write_of(set, binding, element, type, count, infos);
    icd_UpdateDescriptorSets(device->handle, 1, &write, 0, NULL);
}

static void write_inline(struct device *device, VkDescriptorSet set, uint32_t binding,
                         uint32_t offset, uint32_t size, const void *bytes)
{
    const VkWriteDescriptorSetInlineUniformBlock block = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
        .dataSize = size,
        .pData = bytes};
    VkWriteDescriptorSet write = write_of(set, binding, offset, INLINE, size, NULL);
    write.pNext = &block;
    icd_UpdateDescriptorSets(device->handle, 1, &write, 0, NULL);
}

static void bind(VkCommandBuffer commands, uint32_t number, VkDescriptorSet set, uint32_t count,
                 const uint32_t *dynamic)
{
    icd_CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, VK_NULL_HANDLE, number, 1,
                              &set, count, dynamic);
}

// Runs the program with one set bound.
static void look(struct device *device, struct pipeline *pipeline, VkDescriptorSet set)
{
    VkCommandBuffer commands = commands_start(device);
    pipeline_bind(commands, pipeline);
    bind(commands, 0, set, 0, NULL);
    icd_CmdDispatch(commands, 1, 1, 1);
    memset(seen, 0xff, sizeof seen);
    commands_run(device, commands);
}

#define assert_seen(index, where, bytes_, only)                                                    \
    do {                                                                                           \
        assert_ptr_equal(seen[index].bytes, where);                                                \
        assert_int_equal(seen[index].size, bytes_);                                                \
        assert_int_equal(seen[index].read_only, only);                                             \
    } while (0)

// A device with three buffers of 64 bytes, a pool, and a program.
static struct {
    struct device device;
    struct buffer buffer[3];
    VkDescriptorPool pool;
    struct pipeline pipeline;
} bench;

static int bench_begin(void **state)
{
    device_open(&bench.device, MODEL_LOCKSTEP, 0, 1);
    for (int i = 0; i < 3; i++)
        bench.buffer[i] = buffer_make(&bench.device, 64);
    bench.pool = pool_make(&bench.device, 4, 16);
    pipeline_make(&bench.pipeline, note);
    seen_count = 0;
    return 0;
}

static int bench_end(void **state)
{
    icd_DestroyDescriptorPool(bench.device.handle, bench.pool, NULL);
    for (int i = 0; i < 3; i++)
        buffer_free(&bench.device, &bench.buffer[i]);
    device_close(&bench.device);
    return 0;
}

#define BENCH_TEST(name) TEST_IN(name, bench_begin, bench_end)

static VkDescriptorSet bench_set(const struct slot *slots, uint32_t count)
{
    VkDescriptorSetLayout layout = layout_make(&bench.device, slots, count, 0, false);
    VkDescriptorSet set = VK_NULL_HANDLE;
    assert_success(set_make(&bench.device, bench.pool, layout, NULL, &set));
    icd_DestroyDescriptorSetLayout(bench.device.handle, layout, NULL); // the set keeps it
    return set;
}

BENCH_TEST(writes_go_on_in_the_next_binding)
{
    unsigned char *bytes[3];
    VkDescriptorBufferInfo infos[5];
    for (uint32_t i = 0; i < 3; i++)
        bytes[i] = bench.buffer[i].bytes;
    for (uint32_t i = 0; i < 5; i++)
        infos[i] = (VkDescriptorBufferInfo){bench.buffer[i % 3].handle, i * 8, 16};
    // Not in order, with a gap and an empty binding.
    const struct slot slots[] = {
        {7, STORAGE, 1}, {2, STORAGE, 3}, {4, STORAGE, 0}, {5, STORAGE, 2}, {9, UNIFORM, 1}};
    VkDescriptorSet set = bench_set(slots, 5);
    pipeline_resource(&bench.pipeline, 0, 2, 3, RESOURCE_STORAGE); // 0 to 2
    pipeline_resource(&bench.pipeline, 0, 5, 2, RESOURCE_STORAGE); // 3, 4
    pipeline_resource(&bench.pipeline, 0, 7, 1, RESOURCE_STORAGE); // 5
    pipeline_resource(&bench.pipeline, 0, 9, 1, RESOURCE_UNIFORM); // 6
    pipeline_resource(&bench.pipeline, 0, 3, 1, RESOURCE_UNIFORM); // 7: not in the set
    pipeline_resource(&bench.pipeline, 3, 0, 1, RESOURCE_STORAGE); // 8: no set

    write_buffers(&bench.device, set, 2, 1, STORAGE, 5, infos);
    look(&bench.device, &bench.pipeline, set);
    assert_int_equal(seen_count, 9);
    assert_seen(0, NULL, 0, false);
    for (uint32_t i = 0; i < 5; i++)
        assert_seen(1 + i, bytes[i % 3] + i * 8, 16, false);
    for (uint32_t i = 6; i < 9; i++)
        assert_null(seen[i].bytes);

    // A type that is not the binding's, and more than there is, are not written anywhere.
    write_buffers(&bench.device, set, 9, 0, STORAGE, 1, infos);
    write_buffers(&bench.device, set, 7, 0, STORAGE, 5, infos);
    write_buffers(&bench.device, set, 100, 0, STORAGE, 1, infos);
    write_buffers(&bench.device, set, 2, UINT32_MAX, STORAGE, 1, infos);
    look(&bench.device, &bench.pipeline, set);
    assert_seen(5, bytes[0], 16, false);
    assert_null(seen[6].bytes);

    const VkCopyDescriptorSet copies[] = {{
        .sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
        .srcSet = set,
        .srcBinding = 5,
        .srcArrayElement = 1,
        .dstSet = set,
        .dstBinding = 2,
        .dstArrayElement = 0,
        .descriptorCount = 2, // from bindings 5 and 7
    }};
    icd_UpdateDescriptorSets(bench.device.handle, 0, NULL, 1, copies);
    look(&bench.device, &bench.pipeline, set);
    assert_seen(0, bytes[0] + 24, 16, false);
    assert_seen(1, bytes[0], 16, false);
    assert_seen(2, bytes[1] + 8, 16, false);
}

BENCH_TEST(ranges_stay_within_the_buffer)
{
    static const struct {
        uint64_t offset, range;
        int64_t at; // -1: nowhere
        uint64_t size;
    } rows[] = {
        {0, 64, 0, 64},
        {0, VK_WHOLE_SIZE, 0, 64},
        {16, VK_WHOLE_SIZE, 16, 48},
        {16, 64, 16, 48},
        {48, 8, 48, 8},
        {64, 8, -1, 0},
        {UINT64_MAX, 8, -1, 0},
    };
    VkDescriptorSet set = bench_set((struct slot[]){{0, UNIFORM, 1}}, 1);
    pipeline_resource(&bench.pipeline, 0, 0, 1, RESOURCE_UNIFORM);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const VkDescriptorBufferInfo info = {bench.buffer[0].handle, rows[i].offset, rows[i].range};
        write_buffers(&bench.device, set, 0, 0, UNIFORM, 1, &info);
        look(&bench.device, &bench.pipeline, set);
        if (rows[i].at < 0)
            assert_seen(0, NULL, 0, false);
        else
            assert_seen(0, bench.buffer[0].bytes + rows[i].at, rows[i].size, true);
    }
    // What an unused descriptor points at may be gone.
    const VkDescriptorBufferInfo info = {bench.buffer[0].handle, 0, 64};
    write_buffers(&bench.device, set, 0, 0, UNIFORM, 1, &info);
    icd_DestroyBuffer(bench.device.handle, bench.buffer[0].handle, NULL);
    bench.buffer[0].handle = VK_NULL_HANDLE;
    look(&bench.device, &bench.pipeline, set);
    assert_seen(0, NULL, 0, false);
}

BENCH_TEST(dynamic_offsets_go_by_binding)
{
    const struct slot slots[] = {{3, UNIFORM_DYNAMIC, 1}, {1, STORAGE, 1}, {0, STORAGE_DYNAMIC, 2}};
    VkDescriptorSet sets[2] = {bench_set(slots, 3), bench_set(slots, 3)};
    for (uint32_t set = 0; set < 2; set++) {
        const VkDescriptorBufferInfo infos[] = {{bench.buffer[set].handle, 4, 16},
                                                {bench.buffer[set].handle, 8, 16}};
        write_buffers(&bench.device, sets[set], 0, 0, STORAGE_DYNAMIC, 2, infos);
        write_buffers(&bench.device, sets[set], 1, 0, STORAGE, 1, infos);
        write_buffers(&bench.device, sets[set], 3, 0, UNIFORM_DYNAMIC, 1, infos);
        pipeline_resource(&bench.pipeline, set, 0, 2, RESOURCE_STORAGE);
        pipeline_resource(&bench.pipeline, set, 1, 1, RESOURCE_STORAGE);
        pipeline_resource(&bench.pipeline, set, 3, 1, RESOURCE_UNIFORM);
    }
    VkCommandBuffer commands = commands_start(&bench.device);
    pipeline_bind(commands, &bench.pipeline);
    icd_CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, VK_NULL_HANDLE, 0, 2, sets,
                              6, (uint32_t[]){16, 32, 48, 0, UINT32_MAX, 56});
    icd_CmdDispatch(commands, 1, 1, 1);
    commands_run(&bench.device, commands);
    const unsigned char *const first = bench.buffer[0].bytes, *const second = bench.buffer[1].bytes;
    assert_seen(0, first + 4 + 16, 16, false);
    assert_seen(1, first + 8 + 32, 16, false);
    assert_seen(2, first + 4, 16, false);
    assert_seen(3, first + 4 + 48, 12, true);
    assert_seen(4, second + 4, 16, false);
    assert_seen(5, NULL, 0, false);
    assert_seen(6, second + 4, 16, false);
    assert_seen(7, second + 4 + 56, 4, true);

    // Bound again, with other offsets; then with too few.
    commands_begin(commands);
    pipeline_bind(commands, &bench.pipeline);
    bind(commands, 1, sets[0], 3, (uint32_t[]){1, 2, 3});
    icd_CmdDispatch(commands, 1, 1, 1);
    commands_run(&bench.device, commands);
    assert_null(seen[0].bytes);
    assert_seen(4, first + 4 + 1, 16, false);
    assert_seen(5, first + 8 + 2, 16, false);
    assert_seen(7, first + 4 + 3, 16, true);
    commands_begin(commands);
    pipeline_bind(commands, &bench.pipeline);
    bind(commands, 0, sets[0], 1, (uint32_t[]){1});
    bind(commands, 8, sets[0], 0, NULL); // is not there
    icd_CmdDispatch(commands, 1, 1, 1);
    commands_run(&bench.device, commands);
    assert_seen(0, first + 4 + 1, 16, false);
    assert_seen(1, first + 8, 16, false);
}

BENCH_TEST(inline_blocks_have_bytes_of_their_own)
{
    const struct slot slots[] = {{0, INLINE, 8}, {1, STORAGE, 1}, {2, INLINE, 12}};
    const struct slot other_slots[] = {{4, INLINE, 16}};
    VkDescriptorSet set = bench_set(slots, 3), other = bench_set(other_slots, 1);
    pipeline_resource(&bench.pipeline, 0, 0, 1, RESOURCE_UNIFORM);
    pipeline_resource(&bench.pipeline, 0, 2, 1, RESOURCE_UNIFORM);
    pipeline_resource(&bench.pipeline, 1, 4, 1, RESOURCE_UNIFORM);
    write_inline(&bench.device, set, 0, 0, 8, "abcdefgh");
    write_inline(&bench.device, set, 0, 4, 4, "EFGH");
    write_inline(&bench.device, set, 2, 0, 12, "ijklmnopqrst");
    write_inline(&bench.device, set, 2, 8, 8, "QRST????"); // more than there is
    const VkCopyDescriptorSet copy = {.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
                                      .srcSet = set,
                                      .srcBinding = 2,
                                      .srcArrayElement = 4,
                                      .dstSet = other,
                                      .dstBinding = 4,
                                      .dstArrayElement = 8,
                                      .descriptorCount = 8};
    icd_UpdateDescriptorSets(bench.device.handle, 0, NULL, 1, &copy);
    VkCommandBuffer commands = commands_start(&bench.device);
    pipeline_bind(commands, &bench.pipeline);
    bind(commands, 0, set, 0, NULL);
    bind(commands, 1, other, 0, NULL);
    icd_CmdDispatch(commands, 1, 1, 1);
    commands_run(&bench.device, commands);
    assert_int_equal(seen[0].size, 8);
    assert_int_equal(seen[1].size, 12);
    assert_int_equal(seen[2].size, 16);
    assert_true(seen[0].read_only);
    assert_memory_equal(seen_bytes[0], "abcdEFGH", 8);
    assert_memory_equal(seen_bytes[1], "ijklmnopQRST", 12);
    assert_memory_equal(seen_bytes[2] + 8, "mnopQRST", 8);

    // Bytes go on in the next binding too.
    const struct slot neighbours[] = {{0, INLINE, 4}, {1, INLINE, 4}};
    VkDescriptorSet pair = bench_set(neighbours, 2);
    write_inline(&bench.device, pair, 0, 0, 8, "01234567");
    struct pipeline both;
    pipeline_make(&both, note);
    pipeline_resource(&both, 0, 0, 1, RESOURCE_UNIFORM);
    pipeline_resource(&both, 0, 1, 1, RESOURCE_UNIFORM);
    look(&bench.device, &both, pair);
    assert_memory_equal(seen_bytes[0], "0123", 4);
    assert_memory_equal(seen_bytes[1], "4567", 4);
}

struct update {
    char bytes[8];
    VkDescriptorBufferInfo info[2];
    uint64_t between;
    VkDescriptorBufferInfo last;
};

BENCH_TEST(templates_write_what_they_name)
{
    const struct slot slots[] = {{0, STORAGE, 2}, {1, UNIFORM, 1}, {2, INLINE, 8}, {3, SAMPLED, 1}};
    VkDescriptorSet set = bench_set(slots, 4);
    pipeline_resource(&bench.pipeline, 0, 0, 2, RESOURCE_STORAGE);
    pipeline_resource(&bench.pipeline, 0, 1, 1, RESOURCE_UNIFORM);
    pipeline_resource(&bench.pipeline, 0, 2, 1, RESOURCE_UNIFORM);
    const VkDescriptorUpdateTemplateEntry entries[] = {
        {0, 0, 2, STORAGE, offsetof(struct update, info), sizeof(VkDescriptorBufferInfo)},
        {1, 0, 1, UNIFORM, offsetof(struct update, last), 0},
        {2, 4, 4, INLINE, offsetof(struct update, bytes), 0},
        {3, 0, 1, SAMPLED, 0, 0},
    };
    const VkDescriptorUpdateTemplateCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
        .descriptorUpdateEntryCount = 4,
        .pDescriptorUpdateEntries = entries};
    VkDescriptorUpdateTemplate template = VK_NULL_HANDLE;
    assert_success(icd_CreateDescriptorUpdateTemplate(bench.device.handle, &info, NULL, &template));
    struct update update = {
        .info = {{bench.buffer[0].handle, 0, 8}, {bench.buffer[1].handle, 8, 8}},
        .last = {bench.buffer[2].handle, 16, 8},
    };
    memcpy(update.bytes, "template", 8);
    write_inline(&bench.device, set, 2, 0, 8, "........");
    icd_UpdateDescriptorSetWithTemplate(bench.device.handle, set, template, &update);
    look(&bench.device, &bench.pipeline, set);
    assert_seen(0, bench.buffer[0].bytes, 8, false);
    assert_seen(1, bench.buffer[1].bytes + 8, 8, false);
    assert_seen(2, bench.buffer[2].bytes + 16, 8, true);
    assert_memory_equal(seen_bytes[3], "....temp", 8);
    icd_DestroyDescriptorUpdateTemplate(bench.device.handle, template, NULL);
}

BENCH_TEST(descriptors_are_read_when_the_dispatch_is_executed)
{
    VkDescriptorSet set = bench_set((struct slot[]){{0, STORAGE, 1}}, 1);
    pipeline_resource(&bench.pipeline, 0, 0, 1, RESOURCE_STORAGE);
    VkCommandBuffer commands = commands_start(&bench.device);
    pipeline_bind(commands, &bench.pipeline);
    bind(commands, 0, set, 0, NULL);
    icd_CmdDispatch(commands, 1, 1, 1);
    for (int i = 0; i < 2; i++) {
        const VkDescriptorBufferInfo info = {bench.buffer[i].handle, 0, 64};
        write_buffers(&bench.device, set, 0, 0, STORAGE, 1, &info);
        commands_run(&bench.device, commands);
        assert_seen(0, bench.buffer[i].bytes, 64, false);
    }
}

BENCH_TEST(pushed_descriptors_belong_to_the_commands)
{
    const struct slot slots[] = {{0, STORAGE, 1}, {1, UNIFORM, 1}};
    VkDescriptorSetLayout set_layout = layout_make(
        &bench.device, slots, 2, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR, false);
    struct icd_pipeline_layout layout = {.set_count = 2};
    layout.set[1] = ICD_OBJECT(icd_set_layout, set_layout);
    assert_true(layout.set[1]->push);
    const VkPipelineLayout handle = ICD_HANDLE(VkPipelineLayout, &layout);
    struct pipeline second;
    static struct region first_seen[2];
    pipeline_make(&second, note);
    pipeline_resource(&second, 1, 0, 1, RESOURCE_STORAGE);
    pipeline_resource(&second, 1, 1, 1, RESOURCE_UNIFORM);

    VkDescriptorBufferInfo infos[2] = {{bench.buffer[0].handle, 0, 64},
                                       {bench.buffer[1].handle, 0, 64}};
    const VkWriteDescriptorSet writes[] = {
        write_of(VK_NULL_HANDLE, 0, 0, STORAGE, 1, &infos[0]),
        write_of(VK_NULL_HANDLE, 1, 0, UNIFORM, 1, &infos[1]),
    };
    VkCommandBuffer commands[2] = {commands_start(&bench.device), commands_start(&bench.device)};
    for (int i = 0; i < 2; i++) {
        pipeline_bind(commands[i], &second);
        icd_CmdPushDescriptorSetKHR(commands[i], VK_PIPELINE_BIND_POINT_COMPUTE, handle, 1, 2,
                                    writes);
        icd_CmdPushDescriptorSetKHR(commands[i], VK_PIPELINE_BIND_POINT_COMPUTE, handle, 0, 2,
                                    writes); // no such set
        icd_CmdDispatch(commands[i], 1, 1, 1);
    }
    infos[0].buffer = bench.buffer[2].handle; // later than the first dispatch: binding 0 only
    icd_CmdPushDescriptorSetKHR(commands[1], VK_PIPELINE_BIND_POINT_COMPUTE, handle, 1, 1, writes);
    icd_CmdDispatch(commands[1], 1, 1, 1);
    icd_DestroyDescriptorSetLayout(bench.device.handle, set_layout, NULL);

    commands_run(&bench.device, commands[0]);
    memcpy(first_seen, seen, sizeof first_seen);
    commands_run(&bench.device, commands[1]);
    assert_ptr_equal(first_seen[0].bytes, bench.buffer[0].bytes);
    assert_ptr_equal(first_seen[1].bytes, bench.buffer[1].bytes);
    assert_seen(0, bench.buffer[2].bytes, 64, false);
    assert_seen(1, bench.buffer[1].bytes, 64, true);
}

BENCH_TEST(templates_can_be_pushed)
{
    VkDescriptorSetLayout set_layout =
        layout_make(&bench.device, (struct slot[]){{0, STORAGE, 1}}, 1,
                    VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR, false);
    struct icd_pipeline_layout layout = {.set_count = 1};
    layout.set[0] = ICD_OBJECT(icd_set_layout, set_layout);
    const VkDescriptorUpdateTemplateEntry entry = {0, 0, 1, STORAGE, 0, 0};
    const VkDescriptorUpdateTemplateCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
        .descriptorUpdateEntryCount = 1,
        .pDescriptorUpdateEntries = &entry,
        .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR};
    VkDescriptorUpdateTemplate template = VK_NULL_HANDLE;
    icd_CreateDescriptorUpdateTemplate(bench.device.handle, &info, NULL, &template);
    pipeline_resource(&bench.pipeline, 0, 0, 1, RESOURCE_STORAGE);
    VkCommandBuffer commands = commands_start(&bench.device);
    pipeline_bind(commands, &bench.pipeline);
    icd_CmdPushDescriptorSetWithTemplateKHR(
        commands, template, ICD_HANDLE(VkPipelineLayout, &layout), 0,
        &(VkDescriptorBufferInfo){bench.buffer[1].handle, 4, 8});
    icd_CmdDispatch(commands, 1, 1, 1);
    commands_run(&bench.device, commands);
    assert_seen(0, bench.buffer[1].bytes + 4, 8, false);
    icd_DestroyDescriptorUpdateTemplate(bench.device.handle, template, NULL);
    icd_DestroyDescriptorSetLayout(bench.device.handle, set_layout, NULL);
}

BENCH_TEST(the_last_binding_may_have_a_variable_count)
{
    const struct slot slots[] = {{0, UNIFORM, 1}, {1, STORAGE, 1000}};
    VkDescriptorSetLayout layout = layout_make(&bench.device, slots, 2, 0, true);
    VkDescriptorSet set = VK_NULL_HANDLE, none = VK_NULL_HANDLE;
    assert_int_equal(set_make(&bench.device, bench.pool, layout, (uint32_t[]){17}, &set),
                     VK_ERROR_OUT_OF_POOL_MEMORY);
    assert_null(set);
    assert_success(set_make(&bench.device, bench.pool, layout, (uint32_t[]){3}, &set));
    assert_success(set_make(&bench.device, bench.pool, layout, NULL, &none));
    icd_DestroyDescriptorSetLayout(bench.device.handle, layout, NULL);
    pipeline_resource(&bench.pipeline, 0, 1, 0, RESOURCE_STORAGE); // as long as the set says
    VkDescriptorBufferInfo infos[5];
    for (uint32_t i = 0; i < 5; i++)
        infos[i] = (VkDescriptorBufferInfo){bench.buffer[0].handle, i * 4, 4};
    write_buffers(&bench.device, set, 1, 0, STORAGE, 5, infos);
    write_buffers(&bench.device, none, 1, 0, STORAGE, 5, infos);
    look(&bench.device, &bench.pipeline, set);
    assert_int_equal(seen_count, RESOURCE_RUNTIME_MAX);
    for (uint32_t i = 0; i < 3; i++)
        assert_seen(i, bench.buffer[0].bytes + i * 4, 4, false);
    for (uint32_t i = 3; i < SEEN_MAX; i++)
        assert_null(seen[i].bytes);
    look(&bench.device, &bench.pipeline, none);
    assert_null(seen[0].bytes);

    VkDescriptorSetVariableDescriptorCountLayoutSupport variable = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT};
    VkDescriptorSetLayoutSupport support = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT, .pNext = &variable};
    const VkDescriptorSetLayoutBinding binding = {.descriptorType = STORAGE,
                                                  .descriptorCount = UINT32_MAX};
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = 1,
        .pBindings = &binding};
    icd_GetDescriptorSetLayoutSupport(bench.device.handle, &info, &support);
    assert_false(support.supported); // too many
}

DEVICE_TEST(pools_count)
{
    VkDescriptorPool pool = pool_make(&device, 2, 3);
    VkDescriptorSetLayout two = layout_make(&device, (struct slot[]){{0, STORAGE, 2}}, 1, 0, false),
                          other =
                              layout_make(&device, (struct slot[]){{0, UNIFORM, 3}}, 1, 0, false),
                          alien = layout_make(
                              &device, (struct slot[]){{0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1}},
                              1, 0, false),
                          empty = layout_make(&device, NULL, 0, 0, false);
    VkDescriptorSet sets[3] = {0};
    assert_success(set_make(&device, pool, two, NULL, &sets[0]));
    assert_int_equal(set_make(&device, pool, two, NULL, &sets[1]), VK_ERROR_OUT_OF_POOL_MEMORY);
    assert_int_equal(set_make(&device, pool, alien, NULL, &sets[1]), VK_ERROR_OUT_OF_POOL_MEMORY);
    assert_success(set_make(&device, pool, other, NULL, &sets[1]));
    assert_int_equal(set_make(&device, pool, empty, NULL, &sets[2]), VK_ERROR_OUT_OF_POOL_MEMORY);
    assert_success(icd_FreeDescriptorSets(device.handle, pool, 2, sets));

    // All or nothing: the second does not fit.
    const VkDescriptorSetLayout layouts[] = {two, two};
    const VkDescriptorSetAllocateInfo both = {.sType =
                                                  VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = pool,
                                              .descriptorSetCount = 2,
                                              .pSetLayouts = layouts};
    memset(sets, 0xff, sizeof sets);
    assert_int_equal(icd_AllocateDescriptorSets(device.handle, &both, sets),
                     VK_ERROR_OUT_OF_POOL_MEMORY);
    assert_null(sets[0]);
    assert_null(sets[1]);
    for (int i = 0; i < 5; i++) {
        assert_success(set_make(&device, pool, two, NULL, &sets[0]));
        assert_success(set_make(&device, pool, empty, NULL, &sets[1]));
        assert_success(icd_ResetDescriptorPool(device.handle, pool, 0));
    }
    icd_DestroyDescriptorPool(device.handle, pool, NULL);
    icd_DestroyDescriptorSetLayout(device.handle, two, NULL);
    icd_DestroyDescriptorSetLayout(device.handle, other, NULL);
    icd_DestroyDescriptorSetLayout(device.handle, alien, NULL);
    icd_DestroyDescriptorSetLayout(device.handle, empty, NULL);
}

// 4 x 3 texels in two levels and two layers: 48 bytes for each layer, then 8.
BENCH_TEST(images_have_levels_and_layers)
{
    const VkDevice handle = bench.device.handle;
    struct buffer memory = buffer_make(&bench.device, 128);
    VkImage image = VK_NULL_HANDLE;
    VkImageView views[2];
    VkMemoryRequirements needs;
    VkSubresourceLayout layout;
    const VkImageCreateInfo info = {.imageType = VK_IMAGE_TYPE_2D,
                                    .format = VK_FORMAT_R32_UINT,
                                    .extent = {4, 3, 1},
                                    .mipLevels = 2,
                                    .arrayLayers = 2,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = VK_IMAGE_USAGE_STORAGE_BIT};
    assert_success(icd_CreateImage(handle, &info, NULL, &image));
    icd_GetImageMemoryRequirements(handle, image, &needs);
    assert_int_equal(needs.size, 112);
    assert_success(icd_BindImageMemory(handle, image, memory.memory, 0));
    icd_GetImageSubresourceLayout(handle, image, &(VkImageSubresource){1, 1, 1}, &layout);
    assert_int_equal(layout.offset, 104);
    assert_int_equal(layout.rowPitch, 8);
    const VkImageViewCreateInfo shown[] = {
        {.image = image,
         .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
         .subresourceRange = {1, 0, 1, 0, 2}},
        {.image = image, .viewType = VK_IMAGE_VIEW_TYPE_2D, .subresourceRange = {1, 1, 1, 1, 1}}};
    for (int i = 0; i < 2; i++)
        assert_success(icd_CreateImageView(handle, &shown[i], NULL, &views[i]));
    const struct slot slots[] = {{0, SAMPLED, 2}, {1, IMAGE, 2}};
    VkDescriptorSet set = bench_set(slots, 2);
    const VkDescriptorImageInfo images[2] = {{.imageView = views[0]}, {.imageView = views[1]}};
    for (uint32_t i = 0; i < 2; i++) { // the first are ignored
        VkWriteDescriptorSet write = write_of(set, i, 0, slots[i].type, 2, NULL);
        write.pImageInfo = images;
        icd_UpdateDescriptorSets(handle, 1, &write, 0, NULL);
        pipeline_resource(&bench.pipeline, 0, i, 2, RESOURCE_IMAGE);
    }
    look(&bench.device, &bench.pipeline, set);
    assert_null(seen[0].bytes);
    assert_seen(2, memory.bytes, 96, false);
    assert_memory_equal(seen[2].extent, ((uint16_t[]){4, 3, 2}), 6);
    assert_seen(3, memory.bytes + 104, 8, false);
    assert_memory_equal(seen[3].extent, ((uint16_t[]){2, 1, 1}), 6);

    // Two rows of two texels to the second layer, from there to the first, and back.
    static const unsigned char wanted[28] = {101, 102, 0, 0,   104, 105,      [17] = 101,
                                             102, 0,   0, 104, 105, [26] = 7, 7};
    for (uint32_t i = 0; i < 16; i++)
        bench.buffer[0].bytes[4 * i] = (unsigned char)(100 + i);
    memset(memory.bytes, 0, 128);
    const VkImageSubresourceLayers first = {1, 0, 0, 1}, second = {1, 0, 1, 1};
    const VkBufferImageCopy to_image = {4, 3, 0, second, {1, 1, 0}, {2, 2, 1}},
                            to_buffer = {0, 0, 0, first, {0, 0, 0}, {2, 1, 1}};
    const VkImageCopy across = {second, {1, 1, 0}, first, {0, 0, 0}, {2, 2, 1}};
    VkCommandBuffer commands = commands_start(&bench.device);
    icd_CmdCopyBufferToImage(commands, bench.buffer[0].handle, image, 0, 1, &to_image);
    icd_CmdCopyImage(commands, image, 0, image, 0, 1, &across);
    icd_CmdCopyImageToBuffer(commands, image, 0, bench.buffer[1].handle, 1, &to_buffer);
    icd_CmdClearColorImage(commands, image, 0, &(VkClearColorValue){.uint32 = {7}}, 1,
                           &(VkImageSubresourceRange){1, 1, VK_REMAINING_MIP_LEVELS, 1, 1});
    commands_run(&bench.device, commands);
    for (uint32_t i = 0; i < 28; i++)
        assert_int_equal(memory.bytes[4 * i], wanted[i]);
    assert_memory_equal(bench.buffer[1].bytes, memory.bytes, 8);
    for (int i = 0; i < 2; i++)
        icd_DestroyImageView(handle, views[i], NULL);
    icd_DestroyImage(handle, image, NULL);
    buffer_free(&bench.device, &memory);
}

struct writer {
    VkDescriptorSet set;
    atomic_bool stop;
};

static void *write_for_ever(void *user)
{
    struct writer *writer = user;
    for (uint32_t i = 0; !atomic_load(&writer->stop); i++) {
        const VkDescriptorBufferInfo info = {bench.buffer[i % 2].handle, i % 2 * 8, 8};
        const VkWriteDescriptorSet write = write_of(writer->set, 0, 1, STORAGE, 1, &info);
        icd_UpdateDescriptorSets(bench.device.handle, 1, &write, 0, NULL);
    }
    return NULL;
}

// Elements that no invocation uses may be written while a dispatch is executed; nothing is torn.
BENCH_TEST(sets_may_be_written_while_they_are_used)
{
    struct writer writer = {.set = bench_set((struct slot[]){{0, STORAGE, 2}}, 1)};
    pipeline_resource(&bench.pipeline, 0, 0, 2, RESOURCE_STORAGE);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_for_ever, &writer), 0);
    VkCommandBuffer commands = commands_start(&bench.device);
    pipeline_bind(commands, &bench.pipeline);
    bind(commands, 0, writer.set, 0, NULL);
    for (int i = 0; i < 100; i++)
        icd_CmdDispatch(commands, 1, 1, 1);
    for (int i = 0; i < 10; i++) {
        commands_run(&bench.device, commands);
        if (seen[1].bytes)
            assert_true(seen[1].bytes == bench.buffer[0].bytes ||
                        seen[1].bytes == bench.buffer[1].bytes + 8);
    }
    atomic_store(&writer.stop, true);
    pthread_join(thread, NULL);
}
