// SPDX-License-Identifier: Apache-2.0
// Memory, buffers and transfers between them.
#include "device.h"

// Memory

TEST(fresh_memory_is_junk_that_the_seed_decides)
{
    static unsigned char first[200000];
    static const unsigned char zeros[sizeof first - 65536];
    for (int round = 0; round < 2; round++) {
        OWNED(device_close) struct device device;
        device_open(&device, MODEL_LOCKSTEP, 0, 1);
        struct buffer small = buffer_make(&device, 100), big = buffer_make(&device, sizeof first);
        unsigned differ = 0;
        for (unsigned i = 1; i < 100; i++)
            differ += small.bytes[i] != small.bytes[0];
        assert_true(differ > 50);
        assert_int_equal((uintptr_t)small.bytes % 64, 0);
        assert_int_equal((uintptr_t)big.bytes % 64, 0);
        assert_memory_not_equal(small.bytes, big.bytes, 100);
        assert_memory_not_equal(big.bytes + 65536 - 16, zeros, 16);
        assert_memory_equal(big.bytes + 65536, zeros, sizeof zeros);
        if (round)
            assert_memory_equal(big.bytes, first, sizeof first);
        memcpy(first, big.bytes, sizeof first);
        buffer_free(&device, &small);
        buffer_free(&device, &big);
    }
}

DEVICE_TEST(memory_and_buffers_say_no_to_what_does_not_fit)
{
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    static const uint64_t sizes[] = {0, UINT64_MAX, (UINT64_C(1) << 40) + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        info.allocationSize = sizes[i];
        assert_int_equal(icd_AllocateMemory(device.handle, &info, NULL, &memory),
                         VK_ERROR_OUT_OF_DEVICE_MEMORY);
    }
    info.allocationSize = 64;
    assert_success(icd_AllocateMemory(device.handle, &info, NULL, &memory));
    void *bytes, *shifted;
    assert_success(icd_MapMemory(device.handle, memory, 0, 64, 0, &bytes));
    assert_success(icd_MapMemory(device.handle, memory, 48, VK_WHOLE_SIZE, 0, &shifted));
    assert_ptr_equal(shifted, (unsigned char *)bytes + 48);
    assert_int_equal(icd_MapMemory(device.handle, memory, 48, 17, 0, &bytes),
                     VK_ERROR_MEMORY_MAP_FAILED);
    assert_int_equal(icd_MapMemory(device.handle, memory, 64, VK_WHOLE_SIZE, 0, &bytes),
                     VK_ERROR_MEMORY_MAP_FAILED);

    VkBuffer buffer = VK_NULL_HANDLE;
    VkMemoryRequirements needs;
    VkBufferCreateInfo create = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 33};
    assert_success(icd_CreateBuffer(device.handle, &create, NULL, &buffer));
    icd_GetBufferMemoryRequirements(device.handle, buffer, &needs);
    assert_int_equal(needs.size, 48);
    assert_int_equal(needs.alignment, 16);
    assert_int_equal(needs.memoryTypeBits, 1);
    assert_int_equal(icd_BindBufferMemory(device.handle, buffer, memory, 32),
                     VK_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_success(icd_BindBufferMemory(device.handle, buffer, memory, 16));
    const VkBufferDeviceAddressInfo of = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                          .buffer = buffer};
    const uint64_t address = icd_GetBufferDeviceAddress(device.handle, &of);
    const uint32_t number = (uint32_t)(address >> REGION_SHIFT);
    assert_int_equal(address, region_address(number, 0));
    const struct region *region = regions_get(device.device.regions, number);
    assert_ptr_equal(region->bytes, (unsigned char *)bytes + 16);
    assert_int_equal(region->size, 33);
    icd_DestroyBuffer(device.handle, buffer, NULL);
    assert_null(regions_get(device.device.regions, number));
    icd_FreeMemory(device.handle, memory, NULL);
}

DEVICE_TEST(use_after_free_is_noticed)
{
    struct buffer from = buffer_make(&device, 64), to = buffer_make(&device, 64);
    VkCommandBuffer commands = commands_start(&device);
    icd_CmdFillBuffer(commands, to.handle, 0, VK_WHOLE_SIZE, 0);
    icd_CmdCopyBuffer(commands, from.handle, to.handle, 1, &(VkBufferCopy){.size = 64});
    icd_FreeMemory(device.handle, from.memory, NULL); // before the buffer, which is allowed
    commands_run(&device, commands);
    assert_int_equal(device.reports, 1);
    icd_DestroyBuffer(device.handle, from.handle, NULL);
    commands_run(&device, commands);
    assert_int_equal(device.reports, 2);
    assert_int_equal(to.bytes[5], 0);
    buffer_free(&device, &to);
}

// Transfers

DEVICE_TEST(transfers_stay_in_bounds)
{
    enum { SIZE = 22 };
    struct buffer buffer = buffer_make(&device, SIZE), source = buffer_make(&device, 8);
    static const struct {
        enum { FILL, UPDATE, COPY } what;
        uint64_t from, to, size;
        const char *want; // '.': as it was, 'f': filled, 'a' to 'h': from the source
        int reports;
    } rows[] = {
        {FILL, 0, 0, VK_WHOLE_SIZE, "ffffffffffffffffffff..", 0},
        {FILL, 0, 8, VK_WHOLE_SIZE, "........ffffffffffff..", 0},
        {FILL, 0, 4, 8, "....ffffffff..........", 0},
        {FILL, 0, 12, 16, "............ffffffff..", 1},
        {FILL, 0, 24, 4, "......................", 1},
        {FILL, 0, UINT64_MAX - 3, 8, "......................", 1},
        {UPDATE, 0, 4, 8, "....abcdefgh..........", 0},
        {UPDATE, 0, 16, 8, "................abcdef", 1},
        {UPDATE, 0, UINT64_MAX - 3, 8, "......................", 1},
        {COPY, 0, 0, 8, "abcdefgh..............", 0},
        {COPY, 3, 1, 4, ".defg.................", 0},
        {COPY, 3, 1, 8, ".defgh................", 1},
        {COPY, 8, 1, 1, "......................", 1},
        {COPY, 0, 20, 8, "....................ab", 1},
        {COPY, 4, 20, 8, "....................ef", 2},
        {COPY, UINT64_MAX, 0, 8, "......................", 1},
        {COPY, 0, UINT64_MAX, 8, "......................", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memset(buffer.bytes, '.', SIZE);
        memcpy(source.bytes, "abcdefgh", 8);
        const int before = device.reports;
        VkCommandBuffer commands = commands_start(&device);
        if (rows[i].what == FILL) {
            icd_CmdFillBuffer(commands, buffer.handle, rows[i].to, rows[i].size, 0x66666666);
        } else if (rows[i].what == UPDATE) {
            icd_CmdUpdateBuffer(commands, buffer.handle, rows[i].to, rows[i].size, "abcdefgh");
        } else {
            const VkBufferCopy piece = {rows[i].from, rows[i].to, rows[i].size};
            icd_CmdCopyBuffer(commands, source.handle, buffer.handle, 1, &piece);
        }
        commands_run(&device, commands);
        if (memcmp(buffer.bytes, rows[i].want, SIZE) || device.reports - before != rows[i].reports)
            fail_msg("row %zu: %.*s, %d reports", i, SIZE, (const char *)buffer.bytes,
                     device.reports - before);
    }
    buffer_free(&device, &buffer);
    buffer_free(&device, &source);
}

DEVICE_TEST(copies_have_many_pieces_and_may_overlap)
{
    struct buffer buffer = buffer_make(&device, 16);
    memcpy(buffer.bytes, "0123456789abcdef", 16);
    VkCommandBuffer commands = commands_start(&device);
    const VkBufferCopy pieces[] = {{0, 2, 6}, {12, 14, 2}};
    icd_CmdCopyBuffer(commands, buffer.handle, buffer.handle, 2, pieces);
    const VkBufferCopy2 pieces2[] = {
        {.sType = VK_STRUCTURE_TYPE_BUFFER_COPY_2, .srcOffset = 8, .dstOffset = 0, .size = 1},
        {.sType = VK_STRUCTURE_TYPE_BUFFER_COPY_2, .srcOffset = 9, .dstOffset = 1, .size = 1},
    };
    icd_CmdCopyBuffer2(commands, &(VkCopyBufferInfo2){.sType = VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2,
                                                      .srcBuffer = buffer.handle,
                                                      .dstBuffer = buffer.handle,
                                                      .regionCount = 2,
                                                      .pRegions = pieces2});
    commands_run(&device, commands);
    assert_memory_equal(buffer.bytes, "8901234589abcdcd", 16);
    buffer_free(&device, &buffer);
}

TEST(a_faulty_device_runs_out_of_memory)
{
    OWNED(device_close) struct device device;
    device_open(&device, MODEL_FAULTY, FAULT_MEMORY, 3);
    VkDeviceMemory memory[4] = {0};
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = 16};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(icd_AllocateMemory(device.handle, &info, NULL, &memory[i]),
                         i < 2 ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY);
    icd_FreeMemory(device.handle, memory[0], NULL);
    icd_FreeMemory(device.handle, memory[1], NULL);
}
