// SPDX-License-Identifier: Apache-2.0
// Atomic instructions: what they leave and return, what they refuse, and that they are one step
// for several threads.
#include "world.h"

#include <pthread.h>

enum { CELLS = 12, POINTER = 0, SCOPE, SEMANTICS, VALUE, UNEQUAL, COMPARE, RESULT };

static uint32_t extra[8];

static struct shape scalar(enum scalar_kind kind, uint32_t width)
{
    return (struct shape){.scalar = kind, .width = width, .components = 1};
}

// The instruction as the decoder makes it.
static struct insn decode(uint16_t opcode, uint32_t width, enum scalar_kind kind)
{
    const bool is_store = opcode == SpvOpAtomicStore;
    const bool compares = opcode == SpvOpAtomicCompareExchange;
    const bool is_short = opcode == SpvOpAtomicLoad || opcode == SpvOpAtomicIIncrement ||
                          opcode == SpvOpAtomicIDecrement;
    struct insn_shape shape = {.opcode = opcode,
                               .has_result = !is_store,
                               .result = scalar(kind, is_store ? 0 : width),
                               .operand_count = is_short ? 3 : 4,
                               .operand = {scalar(SCALAR_POINTER, 64), scalar(SCALAR_INT, 32),
                                           scalar(SCALAR_INT, 32), scalar(kind, width)}};
    struct insn insn = {.opcode = opcode,
                        .result = is_store ? CELL_NONE : RESULT,
                        .operand = {POINTER, SCOPE, SEMANTICS, VALUE}};
    if (compares) {
        shape.operand_count = 6;
        shape.operand[3] = scalar(SCALAR_INT, 32);
        shape.operand[4] = shape.operand[5] = scalar(kind, width);
        extra[0] = COMPARE;
        extra[1] = UNEQUAL;
        extra[2] = VALUE;
        insn.extra_count = 3;
    }
    insn.run = select_atomic(&shape, &insn);
    return insn;
}

static struct exec *prepare(bool weak, uint64_t *cells)
{
    world_begin(1, ORDER_VULKAN, false);
    struct exec *exec = world_as((struct actor){0, 0, 0});
    if (!weak)
        exec->order = NULL;
    memset(cells, 0, CELLS * WORLD_WIDTH * sizeof *cells);
    exec->cells = cells;
    exec->count = 1;
    exec->lane[0] = 2;
    world.program.extra = extra;
    exec->local = NULL;
    exec->local_count = 0;
    return exec;
}

#define MINUS(n) (UINT64_C(0) - (n))

static const struct {
    uint16_t opcode;
    uint64_t before, value, compare, after; // cut off to the width
} operations[] = {
    {SpvOpAtomicLoad, 7, 0, 0, 7},
    {SpvOpAtomicStore, 7, 9, 0, 9},
    {SpvOpAtomicExchange, 7, 9, 0, 9},
    {SpvOpAtomicCompareExchange, 7, 9, 7, 9},
    {SpvOpAtomicCompareExchange, 7, 9, 8, 7},
    {SpvOpAtomicIIncrement, 7, 0, 0, 8},
    {SpvOpAtomicIIncrement, MINUS(1), 0, 0, 0},
    {SpvOpAtomicIDecrement, 0, 0, 0, MINUS(1)},
    {SpvOpAtomicIAdd, 7, MINUS(9), 0, MINUS(2)},
    {SpvOpAtomicISub, 7, 9, 0, MINUS(2)},
    {SpvOpAtomicSMin, 7, MINUS(9), 0, MINUS(9)},
    {SpvOpAtomicSMin, MINUS(9), 7, 0, MINUS(9)},
    {SpvOpAtomicUMin, 7, MINUS(9), 0, 7},
    {SpvOpAtomicUMin, 7, 3, 0, 3},
    {SpvOpAtomicSMax, 7, MINUS(9), 0, 7},
    {SpvOpAtomicSMax, MINUS(9), MINUS(8), 0, MINUS(8)},
    {SpvOpAtomicUMax, 7, MINUS(9), 0, MINUS(9)},
    {SpvOpAtomicUMax, 7, 3, 0, 7},
    {SpvOpAtomicAnd, 0xc, 0xa, 0, 0x8},
    {SpvOpAtomicOr, 0xc, 0xa, 0, 0xe},
    {SpvOpAtomicXor, 0xc, 0xa, 0, 0x6},
};

TEST(one_invocation)
{
    for (unsigned i = 0; i < 4 * (sizeof operations / sizeof *operations); i++) {
        uint64_t cells[CELLS * WORLD_WIDTH];
        const uint32_t width = i & 1 ? 64 : 32, n = i / 4;
        const uint64_t mask = width == 64 ? UINT64_MAX : UINT32_MAX;
        struct exec *exec = prepare(i & 2, cells);
        const struct insn insn = decode(operations[n].opcode, width, SCALAR_INT);
        assert_non_null(insn.run);
        const uint64_t before = operations[n].before & mask;
        cells[POINTER * WORLD_WIDTH + 2] = world.buffer + 16;
        cells[SCOPE * WORLD_WIDTH + 2] = DEVICE;
        cells[VALUE * WORLD_WIDTH + 2] = operations[n].value & mask;
        cells[COMPARE * WORLD_WIDTH + 2] = operations[n].compare & mask;
        memset(world.bytes, 0xee, sizeof world.bytes);
        // Under a memory model this is still pending when the atomic comes.
        order_store(exec, 2, world.buffer + 16, width / 8, before, 0);
        insn.run(exec, &insn);
        if (insn.result != CELL_NONE)
            assert_int_equal(cells[RESULT * WORLD_WIDTH + 2], before);
        uint64_t after = 0;
        memcpy(&after, world.bytes + 16, width / 8);
        assert_int_equal(after, operations[n].after & mask);
        assert_int_equal(world.bytes[15], 0xee);
        assert_int_equal(world.bytes[16 + width / 8], 0xee);
    }
}

// Sums of floats, of which each is a float.
TEST(floats)
{
    for (unsigned i = 0; i < 4; i++) {
        uint64_t cells[CELLS * WORLD_WIDTH];
        const uint32_t width = i & 1 ? 64 : 32;
        struct exec *exec = prepare(i & 2, cells);
        const struct insn insn = decode(SpvOpAtomicFAddEXT, width, SCALAR_FLOAT);
        assert_non_null(insn.run);
        const float before = 16777214, value = 1.5f, after = 16777216; // ties to even
        const double wide_before = before, wide_value = value, wide_after = 16777215.5;
        cells[POINTER * WORLD_WIDTH + 2] = world.buffer + 16;
        cells[SCOPE * WORLD_WIDTH + 2] = DEVICE;
        memcpy(&cells[VALUE * WORLD_WIDTH + 2], i & 1 ? (void *)&wide_value : (void *)&value,
               width / 8);
        memcpy(world.bytes + 16, i & 1 ? (void *)&wide_before : (void *)&before, width / 8);
        insn.run(exec, &insn);
        assert_memory_equal(world.bytes + 16, i & 1 ? (void *)&wide_after : (void *)&after,
                            width / 8);
        assert_memory_equal(&cells[RESULT * WORLD_WIDTH + 2],
                            i & 1 ? (void *)&wide_before : (void *)&before, width / 8);
    }
}

TEST(refused)
{
    assert_null(decode(SpvOpAtomicIAdd, 16, SCALAR_INT).run);
    assert_null(decode(SpvOpAtomicIAdd, 32, SCALAR_FLOAT).run);
    assert_null(decode(SpvOpAtomicFAddEXT, 32, SCALAR_INT).run);
    assert_null(decode(SpvOpAtomicLoad, 32, SCALAR_BOOL).run);
    assert_non_null(decode(SpvOpAtomicExchange, 32, SCALAR_FLOAT).run);
    assert_null(decode(SpvOpAtomicFlagTestAndSet, 32, SCALAR_INT).run);
    assert_null(decode(SpvOpIAdd, 32, SCALAR_INT).run);
    const struct insn_shape load = {
        .opcode = SpvOpAtomicLoad,
        .has_result = true,
        .result = scalar(SCALAR_INT, 32),
        .operand_count = 3,
        .operand = {scalar(SCALAR_POINTER, 64), scalar(SCALAR_INT, 32), scalar(SCALAR_INT, 32)}};
    struct insn insn = {0};
    assert_non_null(select_atomic(&load, &insn));
    insn.flags = ACCESS_REGISTER;
    assert_null(select_atomic(&load, &insn));
}

TEST(wrong_addresses)
{
    static unsigned char constant[16] = {1};
    const uint32_t read_only =
        regions_add(world.regions,
                    (struct region){.bytes = constant, .size = sizeof constant, .read_only = true});
    const uint64_t buffer = world.buffer;
    const struct {
        uint16_t opcode;
        uint64_t address;
        uint32_t width;
        enum exec_fault_kind kind;
    } wrongs[] = {
        {SpvOpAtomicLoad, buffer + 2, 32, EXEC_MISALIGNED},
        {SpvOpAtomicIAdd, buffer + 4, 64, EXEC_MISALIGNED},
        {SpvOpAtomicStore, buffer + 1, 32, EXEC_MISALIGNED},
        {SpvOpAtomicIAdd, buffer + WORLD_BYTES, 32, EXEC_OUT_OF_BOUNDS},
        {SpvOpAtomicIAdd, buffer + WORLD_BYTES - 4, 64, EXEC_OUT_OF_BOUNDS},
        {SpvOpAtomicStore, 0, 32, EXEC_OUT_OF_BOUNDS},
        {SpvOpAtomicLoad, POINTER_BAD, 32, EXEC_OUT_OF_BOUNDS},
        {SpvOpAtomicLoad, region_address(read_only, 0), 32, EXEC_NO_FAULT},
        {SpvOpAtomicStore, region_address(read_only, 0), 32, EXEC_READ_ONLY},
        {SpvOpAtomicOr, region_address(read_only, 0), 32, EXEC_READ_ONLY},
    };
    for (unsigned i = 0; i < 2 * (sizeof wrongs / sizeof *wrongs); i++) {
        uint64_t cells[CELLS * WORLD_WIDTH];
        struct exec *exec = prepare(i & 1, cells);
        const struct insn insn = decode(wrongs[i / 2].opcode, wrongs[i / 2].width, SCALAR_INT);
        cells[POINTER * WORLD_WIDTH + 2] = wrongs[i / 2].address;
        cells[SCOPE * WORLD_WIDTH + 2] = DEVICE;
        cells[VALUE * WORLD_WIDTH + 2] = 6;
        cells[RESULT * WORLD_WIDTH + 2] = 99;
        insn.run(exec, &insn);
        assert_int_equal(exec->fault.kind, wrongs[i / 2].kind);
        if (insn.result != CELL_NONE)
            assert_int_equal(cells[RESULT * WORLD_WIDTH + 2],
                             wrongs[i / 2].kind == EXEC_NO_FAULT ? 1 : 0);
        for (unsigned j = 0; j < WORLD_BYTES; j++)
            assert_int_equal(world.bytes[j], 0);
        assert_int_equal(constant[0], 1);
        exec->fault.kind = EXEC_NO_FAULT;
    }
}

// Threads, each with an exec and, under a memory model, a workgroup of its own.

enum { THREADS = 3, ROUNDS = 20000 };

struct thread {
    pthread_t thread;
    struct exec exec;
    uint64_t cells[CELLS * WORLD_WIDTH];
    bool failed;
};

// Adds, and takes tickets, which must rise.
static void *add(void *user)
{
    struct thread *thread = user;
    struct exec *exec = &thread->exec;
    const struct insn increment = decode(SpvOpAtomicIIncrement, 32, SCALAR_INT);
    const struct insn sum = decode(SpvOpAtomicIAdd, 64, SCALAR_INT);
    uint64_t last = 0;
    for (unsigned lane = 0; lane < WORLD_WIDTH; lane++) {
        thread->cells[SCOPE * WORLD_WIDTH + lane] = DEVICE;
        thread->cells[VALUE * WORLD_WIDTH + lane] = UINT64_C(0x100000001);
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        for (unsigned lane = 0; lane < WORLD_WIDTH; lane++)
            thread->cells[POINTER * WORLD_WIDTH + lane] = world.buffer;
        increment.run(exec, &increment);
        const uint64_t ticket = thread->cells[RESULT * WORLD_WIDTH + WORLD_WIDTH - 1];
        thread->failed |= i && ticket <= last;
        last = ticket;
        for (unsigned lane = 0; lane < WORLD_WIDTH; lane++)
            thread->cells[POINTER * WORLD_WIDTH + lane] = world.buffer + 8;
        sum.run(exec, &sum);
        if (exec->order && i % 8 == 0)
            order_drift(exec);
    }
    return NULL;
}

TEST(sums_are_exact)
{
    for (unsigned weak = 0; weak < 2; weak++) {
        static struct thread threads[THREADS];
        struct past *pasts[THREADS] = {NULL};
        memset(threads, 0, sizeof threads);
        world_begin(1, ORDER_VULKAN, false);
        for (unsigned i = 0; i < THREADS; i++) {
            struct exec *exec = &threads[i].exec;
            *exec = (struct exec){.cells = threads[i].cells,
                                  .width = WORLD_WIDTH,
                                  .count = WORLD_WIDTH,
                                  .lane = {0, 1, 2, 3},
                                  .program = &world.program,
                                  .regions = world.regions,
                                  .random = i};
            if (weak) {
                pasts[i] = past_create();
                exec->order = order_create(ORDER_VULKAN, 1, WORLD_WIDTH, pasts[i]);
                assert_non_null(exec->order);
            }
        }
        for (unsigned i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i].thread, NULL, add, &threads[i]), 0);
        for (unsigned i = 0; i < THREADS; i++) {
            pthread_join(threads[i].thread, NULL);
            assert_false(threads[i].failed);
            assert_int_equal(threads[i].exec.fault.kind, EXEC_NO_FAULT);
            order_free(threads[i].exec.order);
            past_free(pasts[i]);
        }
        const uint64_t total = THREADS * ROUNDS * WORLD_WIDTH;
        uint64_t sums[2];
        memcpy(sums, world.bytes, sizeof sums);
        assert_int_equal(sums[0], total);
        assert_int_equal(sums[1], total * UINT64_C(0x100000001));
    }
}

// Messages between threads: a value that grows, with the flag that says how far it is.
static void *tell_other(void *user)
{
    struct thread *thread = user;
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        const struct order_atomic set = {ORDER_STORE, NULL, i, 0, DEVICE, RELEASE | UNIFORM, 0};
        order_store(&thread->exec, 0, world.buffer + 64, 4, i, ACCESS_NON_PRIVATE);
        order_atomic(&thread->exec, 0, world.buffer + 128, 4, &set);
    }
    return NULL;
}

static void *listen(void *user)
{
    struct thread *thread = user;
    const struct order_atomic get = {ORDER_LOAD, NULL, 0, 0, DEVICE, ACQUIRE | UNIFORM, 0};
    uint64_t flag;
    do {
        flag = order_atomic(&thread->exec, 1, world.buffer + 128, 4, &get);
        thread->failed |=
            order_load(&thread->exec, 1, world.buffer + 64, 4, ACCESS_NON_PRIVATE) < flag;
    } while (flag < ROUNDS);
    return NULL;
}

TEST(messages_between_threads)
{
    for (unsigned weak = 0; weak < 2; weak++) {
        static struct thread threads[2];
        struct past *pasts[2] = {NULL};
        memset(threads, 0, sizeof threads);
        world_begin(1, ORDER_VULKAN, false);
        for (unsigned i = 0; i < 2; i++) {
            threads[i].exec = (struct exec){
                .width = WORLD_WIDTH, .program = &world.program, .regions = world.regions};
            if (weak) {
                pasts[i] = past_create();
                threads[i].exec.order = order_create(ORDER_VULKAN, 1, WORLD_WIDTH, pasts[i]);
            }
        }
        assert_int_equal(pthread_create(&threads[0].thread, NULL, tell_other, &threads[0]), 0);
        assert_int_equal(pthread_create(&threads[1].thread, NULL, listen, &threads[1]), 0);
        for (unsigned i = 0; i < 2; i++) {
            pthread_join(threads[i].thread, NULL);
            assert_false(threads[i].failed);
            order_free(threads[i].exec.order);
            past_free(pasts[i]);
        }
    }
}

GROUP(world_create, world_free)
