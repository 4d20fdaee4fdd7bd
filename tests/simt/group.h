// SPDX-License-Identifier: Apache-2.0
// What the tests of group operations share: a subgroup with random cells, one instruction, and a
// look at what it wrote.
#pragma once

#include "program/execution.h"
#include "program/instructions.h"

#include "../unit/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { SCOPE = 0, VALUE = 1, ARGUMENT = 5, CLUSTER = 9, RESULT = 10, CELLS = 15 };
enum { REDUCE, INCLUSIVE, EXCLUSIVE, CLUSTERED, PART_REDUCE = 6, PART_INCLUSIVE, PART_EXCLUSIVE };

struct bench {
    uint64_t cells[CELLS * LANES_MAX], before[CELLS * LANES_MAX];
    struct exec exec;
    struct exec_seen seen[LANES_MAX];
    struct insn insn;
    uint64_t random; // the test's own
    unsigned width;
};

static inline uint64_t draw(struct bench *bench)
{
    uint64_t x = bench->random;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return bench->random = x;
}

static inline uint64_t draw_bits(struct bench *bench, unsigned bits)
{
    return draw(bench) >> (64 - bits);
}

static inline uint64_t *cell(struct bench *bench, unsigned number, unsigned lane)
{
    return &bench->cells[number * bench->width + lane];
}

static inline uint64_t old(const struct bench *bench, unsigned number, unsigned lane)
{
    return bench->before[number * bench->width + lane];
}

static inline bool in_tangle(const struct bench *bench, unsigned lane)
{
    return lane < bench->width && bench->exec.mask >> lane & 1;
}

static inline void set_mask(struct bench *bench, lanes mask)
{
    bench->exec.mask = mask;
    bench->exec.count = 0;
    for (unsigned lane = 0; lane < bench->width; lane++)
        if (mask >> lane & 1)
            bench->exec.lane[bench->exec.count++] = (uint8_t)lane;
}

static inline lanes full(const struct bench *bench)
{
    lanes set = 0;
    for (unsigned lane = 0; lane < bench->width; lane++)
        set |= (lanes)1 << lane;
    return set;
}

// All lanes, the first, the last, then at random: many, some, few. Never none.
static inline void choose_mask(struct bench *bench, unsigned number)
{
    lanes set = (lanes)draw(bench) << 64 | draw(bench);
    if (number == 0)
        set = full(bench);
    else if (number == 1)
        set = 1;
    else if (number == 2)
        set = (lanes)1 << (bench->width - 1);
    else if (number % 3 == 0)
        set |= (lanes)draw(bench) << 64 | draw(bench);
    else if (number % 3 == 2)
        set &= (lanes)draw(bench) << 64 | draw(bench);
    set &= full(bench);
    set_mask(bench, set ? set : (lanes)1 << draw(bench) % bench->width);
}

static inline void begin(struct bench *bench, unsigned width, uint64_t seed)
{
    memset(bench, 0, sizeof(*bench));
    bench->random = seed * UINT64_C(0x9e3779b97f4a7c15) + width;
    bench->width = width;
    bench->exec = (struct exec){
        .cells = bench->cells, .width = width, .present = full(bench), .random = seed};
    for (size_t i = 0; i < COUNT(bench->cells); i++)
        bench->cells[i] = draw(bench);
}

static inline void fill(struct bench *bench, unsigned from, unsigned count, unsigned bits)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned lane = 0; lane < bench->width; lane++)
            *cell(bench, from + i, lane) = draw_bits(bench, bits);
}

static inline struct shape shape_of(enum scalar_kind kind, unsigned bits, unsigned components)
{
    return (struct shape){.scalar = kind, .width = bits, .components = components};
}

static const struct shape flag = {.scalar = SCALAR_BOOL, .width = 1, .components = 1};
static const struct shape word = {.scalar = SCALAR_INT, .width = 32, .components = 1};
static const struct shape words = {.scalar = SCALAR_INT, .width = 32, .components = 4};

#define NO_OPERATION -1

// The cells of the operands are SCOPE, VALUE, ARGUMENT and CLUSTER, or without a scope the others.
static inline bool choose(struct bench *bench, const struct insn_shape *shape, bool scoped)
{
    static const uint32_t from[] = {SCOPE, VALUE, ARGUMENT, CLUSTER};
    bench->insn = (struct insn){.opcode = shape->opcode, .result = RESULT};
    for (uint32_t i = 0; i < 4; i++)
        bench->insn.operand[i] = i < shape->operand_count ? from[i + !scoped] : CELL_NONE;
    bench->insn.run = select_group(shape, &bench->insn);
    return bench->insn.run;
}

static inline struct insn_shape instruction(SpvOp opcode, int operation, struct shape result,
                                            uint32_t operands, struct shape value,
                                            struct shape argument)
{
    return (struct insn_shape){.opcode = (uint16_t)opcode,
                               .has_result = true,
                               .result = result,
                               .operand_count = operands,
                               .operand = {word, value, argument, word},
                               .literals = {operation == NO_OPERATION ? 0 : (uint32_t)operation},
                               .literal_count = operation != NO_OPERATION};
}

// Executes; afterwards only the results of the tangle's lanes may be different.
static inline void execute(struct bench *bench, unsigned components)
{
    memcpy(bench->before, bench->cells, sizeof(bench->cells));
    bench->exec.insn = &bench->insn;
    bench->insn.run(&bench->exec, &bench->insn);
    for (unsigned i = 0; i < CELLS; i++) {
        for (unsigned lane = 0; lane < bench->width; lane++) {
            const bool is_result = i >= RESULT && i < RESULT + components && in_tangle(bench, lane);
            if (!is_result && *cell(bench, i, lane) != old(bench, i, lane))
                fail_msg("opcode %u writes cell %u of lane %u", bench->insn.opcode, i, lane);
        }
    }
}

static inline void expect(struct bench *bench, unsigned component, unsigned lane, uint64_t want)
{
    const uint64_t got = *cell(bench, RESULT + component, lane);
    if (got != want)
        fail_msg("opcode %u, literal %ju, %u lanes: component %u of lane %u is %#jx, not %#jx",
                 bench->insn.opcode, (uintmax_t)bench->insn.literal, bench->width, component, lane,
                 (uintmax_t)got, (uintmax_t)want);
}

static inline bool ballot_has(const struct bench *bench, unsigned from, unsigned lane, unsigned bit)
{
    return old(bench, from + bit / 32, lane) >> bit % 32 & 1;
}
