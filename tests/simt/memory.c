// SPDX-License-Identifier: Apache-2.0
// Regions, and the instructions that load, store and make pointers: values, bounds, faults.
#include "world.h"

#include <pthread.h>

// Regions.

TEST(numbers_come_back_last)
{
    struct regions *regions = regions_create();
    assert_non_null(regions);
    unsigned char bytes[4];
    const struct region region = {.bytes = bytes, .size = sizeof bytes};
    assert_null(regions_get(regions, 0));
    assert_null(regions_get(regions, 1));
    assert_null(regions_get(regions, UINT32_MAX));
    regions_remove(regions, UINT32_MAX);
    for (uint32_t i = 1; i < REGION_COUNT; i++) {
        assert_int_equal(regions_add(regions, region), i);
        if (i % 2)
            regions_remove(regions, i);
        regions_remove(regions, i % 2 ? i : 0); // a second time, and none
    }
    // All even ones are in use. The odd ones come again, then there are no more.
    for (uint32_t i = 1; i < REGION_COUNT; i += 2)
        assert_int_equal(regions_add(regions, region), i);
    assert_int_equal(regions_add(regions, region), 0);
    regions_remove(regions, 4711);
    assert_null(regions_get(regions, 4711));
    assert_int_equal(regions_get(regions, 4712)->size, sizeof bytes);
    assert_int_equal(regions_add(regions, region), 4711);
    regions_free(regions);
    regions_free(NULL);
}

static void *add_and_remove(void *user)
{
    struct regions *regions = user;
    static unsigned char bytes[64];
    for (uint32_t i = 0; i < 20000; i++) {
        const uint64_t size = 1 + i % sizeof bytes;
        const uint32_t number = regions_add(regions, (struct region){.bytes = bytes, .size = size});
        const struct region *region = regions_get(regions, number);
        if (!region || region->size != size)
            return user;
        regions_remove(regions, number);
        if (regions_get(regions, number))
            return user;
    }
    return NULL;
}

TEST(regions_from_two_threads)
{
    struct regions *regions = regions_create();
    pthread_t threads[2];
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_and_remove, regions), 0);
    for (unsigned i = 0; i < 2; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    regions_free(regions);
}

// Instructions: cells 0 to 7 of four lanes, and what they point to.

enum { CELLS = 16, POINTER = 0, VALUE = 1, RESULT = 8 };

static uint64_t cells[CELLS * WORLD_WIDTH];
static unsigned char pushed[8], bound[16], constant[16];
static struct region locals[] = {
    {.size = 0},                                                     // LOCAL_SHARED: not used
    {.bytes = pushed, .size = sizeof pushed, .read_only = true},     // LOCAL_PUSH
    {.bytes = bound, .size = 10},                                    // bindings
    {.bytes = constant, .size = sizeof constant, .read_only = true}, //
    {.size = 0},                                                     // no descriptor was written
};
static uint32_t extra[32];

static struct exec *prepare(bool weak)
{
    world_begin(1, ORDER_VULKAN, false);
    struct exec *exec = world_as((struct actor){0, 0, 0});
    if (!weak)
        exec->order = NULL;
    memset(cells, 0, sizeof cells);
    memset(bound, 0, sizeof bound);
    exec->cells = cells;
    exec->local = locals;
    exec->local_count = sizeof locals / sizeof *locals;
    exec->count = WORLD_WIDTH;
    for (uint8_t i = 0; i < WORLD_WIDTH; i++)
        exec->lane[i] = i;
    world.program.extra = extra;
    world.program.cell_count = CELLS;
    exec->fault_rate = 0;
    return exec;
}

static uint64_t *cell(uint32_t number, unsigned lane)
{
    return &cells[number * WORLD_WIDTH + lane];
}

static void give_pieces(uint32_t count, const uint32_t (*pieces)[PIECE_WORDS])
{
    memcpy(extra, pieces, count * sizeof *pieces);
}

static const struct insn load = {.result = RESULT, .operand = {POINTER}, .extra_count = 1};
static const struct insn store = {
    .result = CELL_NONE, .operand = {POINTER, VALUE}, .extra_count = 1};

static struct insn with_count(struct insn insn, uint32_t count)
{
    insn.extra_count = count;
    return insn;
}

TEST(loads_and_stores)
{
    static const uint32_t pieces[][PIECE_WORDS] = {{0, 0, 8, PIECE_BITS},  {1, 2, 16, PIECE_BITS},
                                                   {2, 4, 32, PIECE_BITS}, {3, 8, 64, PIECE_BITS},
                                                   {4, 16, 1, PIECE_BOOL}, {5, 21, 32, PIECE_BITS}};
    static const uint64_t values[] = {0xa1, 0xb2c3,    0xd4e5f607, UINT64_C(0x18293a4b5c6d7e8f),
                                      1,    0x01020304};
    static const unsigned char layout[25] = {0xa1, 0,    0xc3, 0xb2, 0x07, 0xf6, 0xe5, 0xd4, 0x8f,
                                             0x7e, 0x6d, 0x5c, 0x4b, 0x3a, 0x29, 0x18, 1,    0,
                                             0,    0,    0,    4,    3,    2,    1};
    for (unsigned weak = 0; weak < 2; weak++) {
        struct exec *exec = prepare(weak);
        give_pieces(6, pieces);
        for (unsigned lane = 0; lane < WORLD_WIDTH; lane++) {
            *cell(POINTER, lane) = world.buffer + 32 * lane;
            for (unsigned i = 0; i < 6; i++)
                *cell(VALUE + i, lane) = values[i];
        }
        const struct insn stores = with_count(store, 6), loads = with_count(load, 6);
        exec->count = 2; // lanes 1 and 3
        exec->lane[0] = 1;
        exec->lane[1] = 3;
        memory_store(exec, &stores);
        memory_load(exec, &loads);
        for (unsigned lane = 0; lane < WORLD_WIDTH; lane++)
            for (unsigned i = 0; i < 6; i++)
                assert_int_equal(*cell(RESULT + i, lane), lane % 2 ? values[i] : 0);
        order_finish(exec);
        static const unsigned char nothing[32];
        for (unsigned lane = 0; lane < WORLD_WIDTH; lane++)
            assert_memory_equal(world.bytes + 32 * lane, lane % 2 ? layout : nothing, 25);
        // Any bool that is not 0 is true.
        world.bytes[32 + 16 + 3] = 0x80;
        world.bytes[32 + 16] = 0;
        *cell(RESULT + 4, 1) = 0;
        past_forget(world.past);
        memory_load(exec, &loads);
        assert_int_equal(*cell(RESULT + 4, 1), 1);
    }
}

// Every kind of wrong access, with the rules of a memory model and without: the fault, a load of 0,
// and a store that does nothing.

struct wrong {
    uint64_t address;
    uint32_t size; // bytes
    bool is_store;
    enum exec_fault_kind kind; // EXEC_NO_FAULT: it is right
};

static const struct wrong wrongs[] = {
    {0, 4, false, EXEC_OUT_OF_BOUNDS},
    {0, 4, true, EXEC_OUT_OF_BOUNDS},
    {(uint64_t)1 << REGION_SHIFT, 4, false, EXEC_NO_FAULT},
    {((uint64_t)1 << REGION_SHIFT) + WORLD_BYTES - 4, 4, false, EXEC_NO_FAULT},
    {((uint64_t)1 << REGION_SHIFT) + WORLD_BYTES - 3, 4, false, EXEC_OUT_OF_BOUNDS},
    {((uint64_t)1 << REGION_SHIFT) + WORLD_BYTES - 3, 4, true, EXEC_OUT_OF_BOUNDS},
    {((uint64_t)1 << REGION_SHIFT) + WORLD_BYTES - 7, 8, false, EXEC_OUT_OF_BOUNDS},
    {((uint64_t)1 << REGION_SHIFT) + WORLD_BYTES, 1, false, EXEC_OUT_OF_BOUNDS},
    {((uint64_t)2 << REGION_SHIFT) - 1, 1, true, EXEC_OUT_OF_BOUNDS},
    {(uint64_t)2 << REGION_SHIFT, 4, false, EXEC_OUT_OF_BOUNDS},
    {(uint64_t)LOCAL_SHARED << REGION_SHIFT, 4, true, EXEC_NO_FAULT},
    {((uint64_t)LOCAL_SHARED << REGION_SHIFT) + WORLD_BYTES - 2, 4, true, EXEC_OUT_OF_BOUNDS},
    {((uint64_t)LOCAL_PUSH << REGION_SHIFT) + 4, 4, false, EXEC_NO_FAULT},
    {((uint64_t)LOCAL_PUSH << REGION_SHIFT) + 8, 4, false, EXEC_OUT_OF_BOUNDS},
    {(uint64_t)LOCAL_PUSH << REGION_SHIFT, 4, true, EXEC_READ_ONLY},
    {((uint64_t)LOCAL_BINDINGS << REGION_SHIFT) + 8, 2, true, EXEC_NO_FAULT},
    {((uint64_t)LOCAL_BINDINGS << REGION_SHIFT) + 8, 4, true, EXEC_OUT_OF_BOUNDS},
    {((uint64_t)(LOCAL_BINDINGS + 1) << REGION_SHIFT) + 8, 4, false, EXEC_NO_FAULT},
    {((uint64_t)(LOCAL_BINDINGS + 1) << REGION_SHIFT) + 8, 4, true, EXEC_READ_ONLY},
    {(uint64_t)(LOCAL_BINDINGS + 2) << REGION_SHIFT, 4, false, EXEC_OUT_OF_BOUNDS},
    {(uint64_t)(LOCAL_BINDINGS + 3) << REGION_SHIFT, 4, true, EXEC_OUT_OF_BOUNDS},
    {POINTER_BAD, 1, false, EXEC_OUT_OF_BOUNDS},
    {POINTER_BAD, 1, true, EXEC_OUT_OF_BOUNDS},
    {UINT64_MAX, 8, true, EXEC_OUT_OF_BOUNDS},
};

TEST(wrong_accesses)
{
    static unsigned char before[sizeof world.bytes];
    for (unsigned i = 0; i < 2 * (sizeof wrongs / sizeof *wrongs); i++) {
        const struct wrong *wrong = &wrongs[i / 2];
        struct exec *exec = prepare(i % 2);
        const uint32_t piece[1][PIECE_WORDS] = {{0, 0, 8 * wrong->size, PIECE_BITS}};
        give_pieces(1, piece);
        exec->count = 1;
        exec->lane[0] = 2;
        memset(world.bytes, 0x55, sizeof world.bytes);
        memcpy(before, world.bytes, sizeof before);
        *cell(POINTER, 2) = wrong->address;
        *cell(VALUE, 2) = UINT64_MAX;
        *cell(RESULT, 2) = 99;
        const struct insn *insn = wrong->is_store ? &store : &load;
        exec->insn = insn;
        (wrong->is_store ? memory_store : memory_load)(exec, insn);
        order_finish(exec);
        assert_int_equal(exec->fault.kind, wrong->kind);
        if (wrong->kind != EXEC_NO_FAULT) {
            assert_memory_equal(world.bytes, before, sizeof before);
            assert_int_equal(exec->fault.lane, 2);
            assert_int_equal(exec->fault.address, wrong->address);
            assert_int_equal(exec->fault.size, wrong->size);
            assert_ptr_equal(exec->fault.insn, insn);
            if (!wrong->is_store)
                assert_int_equal(*cell(RESULT, 2), 0);
        }
        exec->fault.kind = EXEC_NO_FAULT;
    }
}

// A piece behind a pointer does not reach into the next region.
TEST(pieces_stay_in_their_region)
{
    static const uint32_t far[1][PIECE_WORDS] = {{0, 16, 32, PIECE_BITS}};
    for (unsigned weak = 0; weak < 2; weak++) {
        struct exec *exec = prepare(weak);
        give_pieces(1, far);
        for (unsigned lane = 0; lane < WORLD_WIDTH; lane++)
            *cell(POINTER, lane) = world.buffer - 8;
        memory_load(exec, &load);
        assert_int_equal(exec->fault.kind, EXEC_OUT_OF_BOUNDS);
        exec->fault.kind = EXEC_NO_FAULT;
    }
}

TEST(removed_region_is_noticed)
{
    struct exec *exec = prepare(false);
    const uint32_t number = regions_add(world.regions, (struct region){.bytes = bound, .size = 8});
    const uint64_t address = region_address(number, 0);
    assert_int_equal(order_load(exec, 0, address, 4, 0), 0);
    assert_int_equal(exec->fault.kind, EXEC_NO_FAULT);
    regions_remove(world.regions, number);
    regions_add(world.regions, (struct region){.bytes = bound, .size = 8});
    order_load(exec, 0, address, 4, 0);
    assert_int_equal(exec->fault.kind, EXEC_OUT_OF_BOUNDS);
    exec->fault.kind = EXEC_NO_FAULT;
}

TEST(registers)
{
    struct exec *exec = prepare(false);
    const struct insn loads = {.result = RESULT, .operand = {POINTER}, .extra_count = 2};
    const struct insn stores = {.result = CELL_NONE, .operand = {POINTER, VALUE}, .extra_count = 2};
    static const uint64_t pointers[WORLD_WIDTH] = {4, CELLS - 2, 5, 4};
    for (unsigned lane = 0; lane < WORLD_WIDTH; lane++) {
        *cell(POINTER, lane) = pointers[lane];
        *cell(VALUE, lane) = 100 + lane;
        *cell(VALUE + 1, lane) = 200 + lane;
    }
    memory_store_register(exec, &stores);
    for (unsigned lane = 0; lane < WORLD_WIDTH; lane++) {
        assert_int_equal(*cell((uint32_t)pointers[lane], lane), 100 + lane);
        assert_int_equal(*cell((uint32_t)pointers[lane] + 1, lane), 200 + lane);
    }
    memory_load_register(exec, &loads);
    for (unsigned lane = 0; lane < WORLD_WIDTH; lane++)
        assert_int_equal(*cell(RESULT + 1, lane), 200 + lane);
    static const uint64_t bad[] = {CELLS - 1, CELLS, UINT64_MAX, POINTER_BAD, UINT64_C(1) << 32};
    for (unsigned i = 0; i < 5; i++) {
        *cell(POINTER, 3) = bad[i];
        memory_load_register(exec, &loads);
        assert_int_equal(exec->fault.kind, EXEC_OUT_OF_BOUNDS);
        assert_int_equal(exec->fault.lane, 3);
        assert_int_equal(*cell(RESULT, 3), 0);
        assert_int_equal(*cell(RESULT, 2), 102);
        exec->fault.kind = EXEC_NO_FAULT;
        memory_store_register(exec, &stores);
        assert_int_equal(exec->fault.kind, EXEC_OUT_OF_BOUNDS);
        exec->fault.kind = EXEC_NO_FAULT;
    }
}

// Pointers.

struct chain {
    uint64_t base, literal, index;
    uint32_t width, is_signed;
    uint64_t stride;
    uint32_t bound;
    uint64_t expected;
};

#define REGION(n) ((uint64_t)(n) << REGION_SHIFT)

static const struct chain chains[] = {
    {REGION(3) + 16, 8, 5, 32, 0, 12, 0, REGION(3) + 84},
    {REGION(3) + 16, 8, 5, 32, 0, 12, 6, REGION(3) + 84},
    {REGION(3) + 16, 8, 5, 32, 0, 12, 5, POINTER_BAD},
    {REGION(3) + 16, 8, 0xffffffff, 32, 1, 4, 0, REGION(3) + 20}, // -1
    {REGION(3) + 16, 8, 0xffffffff, 32, 1, 4, 7, POINTER_BAD},
    {REGION(3) + 16, 0, 0xfffffffa, 32, 1, 4, 0, POINTER_BAD}, // before the region
    {REGION(3) + 16, 0, 0xffffffff, 32, 0, 4, 0, REGION(3) + 16 + UINT64_C(0x3fffffffc)},
    {REGION(3) + 16, 0, 0xff, 8, 1, 4, 0, REGION(3) + 12},
    {REGION(3) + 16, 0, 0xff, 8, 0, 4, 0, REGION(3) + 16 + 4 * 255},
    {REGION(3) + 16, 0, 0x8000, 16, 1, 1, 0, POINTER_BAD},
    {REGION(3) + 16, 0, 1, 64, 0, UINT64_C(0xffffffffff), 0, POINTER_BAD},
    {REGION(3) + 16, 0, UINT64_MAX, 64, 0, 16, 0, POINTER_BAD},
    {REGION(3) + 16, 0, UINT64_MAX, 64, 1, 16, 0, REGION(3)},
    {REGION(3) + 16, 0, UINT64_C(1) << 60, 64, 0, 16, 0, POINTER_BAD}, // would come round to 0
    {REGION(3) + 16, (uint64_t)-8, 1, 32, 0, 4, 0, REGION(3) + 12},
    {REGION(3), REGION(2) + 4, 3, 32, 0, REGION(1), 4, REGION(8) + 4}, // descriptors
    {REGION(3), REGION(2) + 4, 4, 32, 0, REGION(1), 4, POINTER_BAD},
    {POINTER_BAD, 0, 0, 32, 0, 4, 0, POINTER_BAD},
    {POINTER_BAD, 0, 0xffffffff, 32, 1, 4, 0, POINTER_BAD},
    {7, 2, 3, 32, 0, 4, 4, 21}, // of registers
};

TEST(pointers)
{
    for (unsigned i = 0; i < sizeof chains / sizeof *chains; i++) {
        const struct chain *chain = &chains[i];
        struct exec *exec = prepare(false);
        const struct insn insn = {
            .result = RESULT, .operand = {POINTER}, .extra_count = 1, .literal = chain->literal};
        const uint32_t words[CHAIN_WORDS] = {VALUE,
                                             chain->width,
                                             chain->is_signed,
                                             (uint32_t)chain->stride,
                                             (uint32_t)(chain->stride >> 32),
                                             chain->bound};
        memcpy(extra, words, sizeof words);
        *cell(POINTER, 1) = chain->base;
        *cell(VALUE, 1) = chain->index;
        memory_chain(exec, &insn);
        assert_int_equal(*cell(RESULT, 1), chain->expected);
        assert_int_equal(exec->fault.kind, EXEC_NO_FAULT);
    }
}

TEST(array_lengths)
{
    static const struct {
        uint64_t pointer, literal, expected;
        bool faults;
    } lengths[] = {
        {REGION(1), UINT64_C(8) << 32 | 4, (WORLD_BYTES - 8) / 4, false},
        {REGION(1) + 16, UINT64_C(0) << 32 | 7, (WORLD_BYTES - 16) / 7, false},
        {REGION(LOCAL_BINDINGS), UINT64_C(0) << 32 | 4, 2, false},
        {REGION(LOCAL_BINDINGS), UINT64_C(10) << 32 | 4, 0, false},
        {REGION(LOCAL_BINDINGS), UINT64_C(4096) << 32 | 4, 0, false},
        {REGION(1), 0, 0, false},
        {REGION(LOCAL_BINDINGS + 2), 4, 0, true},
        {0, 4, 0, true},
    };
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct exec *exec = prepare(false);
        const struct insn insn = {
            .result = RESULT, .operand = {POINTER}, .literal = lengths[i].literal};
        for (unsigned lane = 0; lane < WORLD_WIDTH; lane++)
            *cell(POINTER, lane) = lengths[i].pointer;
        memory_array_length(exec, &insn);
        assert_int_equal(*cell(RESULT, 3), lengths[i].expected);
        assert_int_equal(exec->fault.kind != EXEC_NO_FAULT, lengths[i].faults);
        exec->fault.kind = EXEC_NO_FAULT;
    }
}

TEST(faulty_stores)
{
    static const uint32_t word[1][PIECE_WORDS] = {{0, 0, 32, PIECE_BITS}};
    struct exec *exec = prepare(false);
    give_pieces(1, word);
    exec->fault_rate = 0.25;
    unsigned wrong = 0;
    uint32_t bits = 0;
    for (unsigned i = 0; i < 5000; i++)
        for (unsigned lane = 0; lane < WORLD_WIDTH; lane++) {
            *cell(POINTER, lane) = world.buffer + 4 * lane;
            *cell(VALUE, lane) = 0x12345678;
            if (lane < WORLD_WIDTH - 1)
                continue;
            memory_store(exec, &store);
            for (unsigned j = 0; j < WORLD_WIDTH; j++) {
                uint32_t stored;
                memcpy(&stored, world.bytes + 4 * j, 4);
                const uint32_t difference = stored ^ 0x12345678;
                assert_int_equal(difference & (difference - 1), 0); // one bit at most
                wrong += difference != 0;
                bits |= difference;
            }
        }
    assert_true(wrong > 4500 && wrong < 5500); // of 20000, 5000 expected
    assert_int_equal(bits, UINT32_MAX);
}

TEST(trace_has_addresses)
{
    static const uint32_t word[1][PIECE_WORDS] = {{0, 0, 32, PIECE_BITS}};
    struct exec_seen seen[LANES_MAX] = {{0}};
    struct exec *exec = prepare(false);
    give_pieces(1, word);
    exec->trace = true;
    exec->seen = seen;
    for (unsigned lane = 0; lane < WORLD_WIDTH; lane++)
        *cell(POINTER, lane) = world.buffer + 8 * lane;
    memory_load(exec, &load);
    exec->trace = false;
    for (unsigned lane = 0; lane < WORLD_WIDTH; lane++)
        assert_int_equal(seen[lane].address, world.buffer + 8 * lane);
}

GROUP(world_create, world_free)
