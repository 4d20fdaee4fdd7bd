// SPDX-License-Identifier: Apache-2.0
// Copies between cells, above all those that happen together; random bits; what is said of faults.
#include "program/execution.h"
#include "program/instructions.h"
#include "memory/regions.h"

#include "../unit/unit.h"

#define WIDTH 8 // lanes
#define CELLS 2048

static uint64_t cells[CELLS * WIDTH];

static struct exec exec_of(lanes set)
{
    struct exec exec = {
        .cells = cells, .width = WIDTH, .mask = set, .present = lanes_below(WIDTH), .random = 1};
    each_lane (lane, set)
        exec.lane[exec.count++] = (uint8_t)lane;
    return exec;
}

static uint64_t value_of(uint32_t cell, uint32_t lane) // that every cell has at first
{
    return cell * 100 + lane;
}

static void fill(void)
{
    for (uint32_t cell = 0; cell < CELLS; cell++)
        for (uint32_t lane = 0; lane < WIDTH; lane++)
            cells[cell * WIDTH + lane] = value_of(cell, lane);
}

// Lanes that execute have what the cell `from` had, the others what they had.
static void check_cell(uint32_t cell, uint32_t from, lanes set)
{
    for (uint32_t lane = 0; lane < WIDTH; lane++)
        if (cells[cell * WIDTH + lane] != value_of(lanes_has(set, lane) ? from : cell, lane))
            fail_msg("cell %u, lane %u: %ju", cell, lane, (uintmax_t)cells[cell * WIDTH + lane]);
}

static const lanes sets[] = {0xff, 0xa6, 0x80, 0};

#define each_set(set)                                                                              \
    for (const lanes *set = sets; set < sets + sizeof(sets) / sizeof(sets[0]); set++)

TEST(test_copy)
{
    const struct insn insn = {.components = 3, .width = 64, .result = 10, .operand = {20}};
    each_set(set)
    {
        struct exec exec = exec_of(*set);
        fill();
        compose_copy(&exec, &insn);
        for (uint32_t i = 0; i < 3; i++)
            check_cell(10 + i, 20 + i, *set);
        check_cell(9, 9, *set);
        check_cell(13, 13, *set);
    }
}

TEST(test_gather)
{
    uint32_t extra[] = {77, 40, CELL_NONE, 30, 40};
    const struct program program = {.extra = extra, .extra_count = 5};
    const struct insn insn = {
        .components = 4, .width = 16, .result = 10, .extra = 1, .extra_count = 4};
    each_set(set)
    {
        struct exec exec = exec_of(*set);
        exec.program = &program;
        fill();
        compose_gather(&exec, &insn);
        check_cell(10, 40, *set);
        check_cell(12, 30, *set);
        check_cell(13, 40, *set);
        check_cell(14, 14, *set);
        for (uint32_t lane = 0; lane < WIDTH; lane++)
            assert_true(lanes_has(*set, lane) ? cells[11 * WIDTH + lane] <= UINT16_MAX
                                              : cells[11 * WIDTH + lane] == value_of(11, lane));
    }
}

TEST(test_dynamic)
{
    static const uint64_t index[WIDTH] = {0, 1, 2, 3, UINT32_MAX, UINT64_MAX, UINT64_C(1) << 32, 4};
    const struct insn extract = {
        .components = 1, .width = 32, .result = 10, .operand = {20, 30}, .literal = 3};
    const struct insn insert = {
        .components = 3, .width = 32, .result = 10, .operand = {20, 40, 30}};
    each_set(set)
    {
        struct exec exec = exec_of(*set);
        fill();
        memcpy(&cells[(size_t)30 * WIDTH], index, sizeof(index));
        compose_extract(&exec, &extract);
        for (uint32_t lane = 0; lane < WIDTH; lane++) {
            uint64_t want = index[lane] < 3 ? value_of(20 + (uint32_t)index[lane], lane) : 0;
            if (!lanes_has(*set, lane))
                want = value_of(10, lane);
            assert_int_equal(cells[10 * WIDTH + lane], want);
        }
        fill();
        memcpy(&cells[(size_t)30 * WIDTH], index, sizeof(index));
        compose_insert(&exec, &insert);
        for (uint32_t lane = 0; lane < WIDTH; lane++)
            for (uint32_t i = 0; i < 3; i++) {
                uint64_t want = value_of(index[lane] == i ? 40 : 20 + i, lane);
                if (!lanes_has(*set, lane))
                    want = value_of(10 + i, lane);
                assert_int_equal(cells[(10 + i) * WIDTH + lane], want);
            }
    }
}

// Junk is of the right width, differs from lane to lane and from one time to the next, and uses all
// bits.
TEST(test_undefined)
{
    static const uint8_t widths[] = {0, 1, 8, 16, 32, 64};
    for (size_t i = 0; i < sizeof(widths); i++) {
        const struct insn insn = {.components = 4, .width = widths[i], .result = 10};
        struct exec exec = exec_of(0xff);
        const uint64_t mask =
            widths[i] == 64 ? UINT64_MAX : (UINT64_C(1) << (widths[i] ? widths[i] : 1)) - 1;
        uint64_t any = 0, all = mask;
        for (int time = 0; time < 4; time++) {
            compose_undefined(&exec, &insn);
            for (uint32_t cell = 10 * WIDTH; cell < 14 * WIDTH; cell++) {
                assert_int_equal(cells[cell] & ~mask, 0);
                any |= cells[cell];
                all &= cells[cell];
            }
        }
        assert_int_equal(any, mask);
        assert_int_equal(all, 0);
    }
}

static void check_moves(const struct move *moves, uint32_t count)
{
    each_set(set)
    {
        struct exec exec = exec_of(*set);
        uint32_t from[CELLS];
        for (uint32_t cell = 0; cell < CELLS; cell++)
            from[cell] = cell;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < moves[i].count; k++)
                from[moves[i].to + k] = moves[i].from + k;
        fill();
        compose_moves(&exec, moves, count);
        for (uint32_t cell = 0; cell < CELLS; cell++)
            check_cell(cell, from[cell], *set);
        assert_int_equal(exec.fault.kind, EXEC_NO_FAULT);
    }
}

TEST(test_moves)
{
    static const struct move apart[] = {{1, 11, 2}, {3, 13, 1}, {4, 11, 2}};
    static const struct move swap[] = {{1, 2, 1}, {2, 1, 1}};
    static const struct move chain[] = {{1, 0, 1}, {2, 1, 1}, {3, 2, 1}};
    static const struct move back[] = {{3, 2, 1}, {2, 1, 1}, {1, 0, 1}};
    static const struct move vectors[] = {{10, 20, 4}, {20, 30, 4}, {30, 10, 4}, {40, 31, 2}};
    static const struct move itself[] = {{5, 5, 3}, {8, 5, 3}};
    static const struct move inside[] = {{10, 50, 8}, {30, 17, 1}, {31, 9, 1}, {32, 18, 1}};
    static const struct move wide[] = {{0, 700, 700}, {700, 0, 700}, {1400, 1, 1}};
    check_moves(apart, 3);
    check_moves(swap, 2);
    check_moves(chain, 3);
    check_moves(back, 3);
    check_moves(vectors, 4);
    check_moves(itself, 2);
    check_moves(inside, 4);
    check_moves(wide, 3);
    check_moves(NULL, 0);
    struct move many[200]; // a ring
    for (uint32_t i = 0; i < 200; i++)
        many[i] = (struct move){i, (i + 1) % 200, 1};
    check_moves(many, 200);
}

// The first numbers of splitmix64 with the seed 1234567, as published by its authors.
TEST(test_random)
{
    struct exec exec = {.random = 1234567};
    assert_int_equal(exec_random(&exec), UINT64_C(6457827717110365317));
    assert_int_equal(exec_random(&exec), UINT64_C(3203168211198807973));
    assert_int_equal(exec_random(&exec), UINT64_C(9817491932198370423));
}

static void check_text(const struct exec *exec, const struct program *program, const char *want)
{
    char text[256], small[8];
    exec_fault_text(&exec->fault, program, text, sizeof(text));
    assert_string_equal(text, want);
    exec_fault_text(&exec->fault, program, small, sizeof(small));
    assert_memory_equal(small, want, sizeof(small) - 1);
    assert_int_equal(small[sizeof(small) - 1], 0);
}

static void fault(struct exec *exec, enum exec_fault_kind kind, uint64_t address, uint64_t size)
{
    exec->fault.kind = EXEC_NO_FAULT;
    exec_fault(exec, kind, 3, address, size);
}

TEST(test_fault)
{
    struct insn insns[] = {{.opcode = SpvOpLoad, .id = 12}, {.opcode = SpvOpStore}};
    char load[] = "%x = OpLoad %uint %p", bad[] = "OpStore %a\033b\177%x";
    char *lines[] = {load, bad};
    struct resource resources[] = {
        {.set = 1, .binding = 2, .count = 1, .first_region = LOCAL_BINDINGS},
        {.set = 0, .binding = 7, .count = 4, .first_region = LOCAL_BINDINGS + 1},
    };
    struct program program = {.insns = insns,
                              .insn_count = 2,
                              .lines = lines,
                              .resources = resources,
                              .resource_count = 2};
    struct exec exec = {.insn = &insns[0], .group_id = {1, 0, 2}, .subgroup_id = 5};
#define WHERE ", workgroup (1, 0, 2), subgroup 5, lane 3"
    fault(&exec, EXEC_OUT_OF_BOUNDS, region_address(LOCAL_SHARED, 64), 4);
    exec_fault(&exec, EXEC_DEADLOCK, 0, 0, 0); // only the first one counts
    check_text(&exec, &program,
               "out-of-bounds access of 4 bytes at shared memory + 64 by %x = OpLoad %uint "
               "%p" WHERE);
    program.lines = NULL;
    check_text(&exec, &program,
               "out-of-bounds access of 4 bytes at shared memory + 64 by OpLoad %12" WHERE);
    check_text(&exec, NULL,
               "out-of-bounds access of 4 bytes at shared memory + 64 by OpLoad %12" WHERE);
    program.lines = lines;
    exec.insn = &insns[1];
    fault(&exec, EXEC_READ_ONLY, region_address(LOCAL_BINDINGS, 8), 2);
    check_text(&exec, &program,
               "store to read-only memory of 2 bytes at set 1 binding 2 + 8 by OpStore "
               "%a?b?%x" WHERE);
    exec.insn = NULL;
    fault(&exec, EXEC_OUT_OF_BOUNDS, region_address(LOCAL_BINDINGS + 4, 12), 1);
    check_text(&exec, &program, "out-of-bounds access of 1 byte at set 0 binding 7[3] + 12" WHERE);
    fault(&exec, EXEC_OUT_OF_BOUNDS, POINTER_BAD, 8);
    check_text(&exec, &program,
               "out-of-bounds access of 8 bytes at an index beyond its array" WHERE);
    fault(&exec, EXEC_MISALIGNED, 6, 4);
    check_text(&exec, &program, "misaligned atomic access of 4 bytes at null pointer + 6" WHERE);
    fault(&exec, EXEC_MISALIGNED, region_address(3, 6), 4);
    check_text(&exec, &program,
               "misaligned atomic access of 4 bytes at address 0x30000000006" WHERE);
    fault(&exec, EXEC_OUT_OF_BOUNDS, region_address(LOCAL_PUSH, 128), 4);
    check_text(&exec, &program, "out-of-bounds access of 4 bytes at push constants + 128" WHERE);
    fault(&exec, EXEC_DEADLOCK, 0, 0);
    check_text(&exec, &program, "deadlock" WHERE);
}
