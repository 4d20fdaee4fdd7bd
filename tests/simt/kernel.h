// SPDX-License-Identifier: Apache-2.0
// Small kernels for tests of the compiler: their text, and one lane that runs them.
#pragma once

#include "../unit/unit.h"

#include "assemble.h"
#include "base/text.h"
#include "program/execution.h"
#include "program/instructions.h"
#include "memory/regions.h"
#include "program/program.h"

static inline void program_drop(struct program **program)
{
    program_free(*program);
}

#define OUTPUT_WORDS 64
#define STEPS_MAX    10000

static struct assembly assembly;

// A kernel that writes to an array of uint: `TYPES`, then more declarations, then code between
// `BEGIN` and `END`. STORE(index, value) is in it for constants %0 to %7.
#define HEAD                                                                                       \
    "OpCapability Shader\n"                                                                        \
    "OpMemoryModel Logical GLSL450\n"                                                              \
    "OpEntryPoint GLCompute %main \"main\" %out\n"                                                 \
    "OpExecutionMode %main LocalSize 4 2 1\n"
#define NAMES                                                                                      \
    "OpName %main \"main\"\n"                                                                      \
    "OpName %out \"out\"\n"
#define DECORATIONS                                                                                \
    "OpDecorate %words ArrayStride 4\n"                                                            \
    "OpDecorate %block Block\n"                                                                    \
    "OpMemberDecorate %block 0 Offset 0\n"                                                         \
    "OpDecorate %out DescriptorSet 0\n"                                                            \
    "OpDecorate %out Binding 0\n"
#define TYPES                                                                                      \
    "%void = OpTypeVoid\n"                                                                         \
    "%bool = OpTypeBool\n"                                                                         \
    "%uint = OpTypeInt 32 0\n"                                                                     \
    "%int = OpTypeInt 32 1\n"                                                                      \
    "%float = OpTypeFloat 32\n"                                                                    \
    "%v2 = OpTypeVector %uint 2\n"                                                                 \
    "%v3 = OpTypeVector %uint 3\n"                                                                 \
    "%v4 = OpTypeVector %uint 4\n"                                                                 \
    "%0 = OpConstant %uint 0\n"                                                                    \
    "%1 = OpConstant %uint 1\n"                                                                    \
    "%2 = OpConstant %uint 2\n"                                                                    \
    "%3 = OpConstant %uint 3\n"                                                                    \
    "%4 = OpConstant %uint 4\n"                                                                    \
    "%5 = OpConstant %uint 5\n"                                                                    \
    "%true = OpConstantTrue %bool\n"                                                               \
    "%false = OpConstantFalse %bool\n"                                                             \
    "%words = OpTypeRuntimeArray %uint\n"                                                          \
    "%block = OpTypeStruct %words\n"                                                               \
    "%p_block = OpTypePointer StorageBuffer %block\n"                                              \
    "%p_word = OpTypePointer StorageBuffer %uint\n"                                                \
    "%p_uint = OpTypePointer Function %uint\n"                                                     \
    "%f_void = OpTypeFunction %void\n"                                                             \
    "%out = OpVariable %p_block StorageBuffer\n"
#define BEGIN                                                                                      \
    "%main = OpFunction %void None %f_void\n"                                                      \
    "%entry = OpLabel\n"
#define STORE(index, value)                                                                        \
    "%at" #index " = OpAccessChain %p_word %out %0 %" #index "\n"                                  \
    "OpStore %at" #index " %" #value "\n"
#define END                                                                                        \
    "OpReturn\n"                                                                                   \
    "OpFunctionEnd\n"
#define KERNEL(declarations, code) HEAD NAMES DECORATIONS TYPES declarations BEGIN code END

static inline struct program *
compile_with(const char *text, const struct program_constant *constants, uint32_t constant_count)
{
    const struct program_options options = {
        .entry = "main",
        .constants = constants,
        .constant_count = constant_count,
        .subgroup = 1,
        .local_size_max = 64,
        .shared_max = 1024,
    };
    assemble(&assembly, text);
    memset(&error, 0, sizeof error);
    return program_compile(assembly.words, assembly.count, &options, error.message,
                           sizeof error.message);
}

static inline struct program *compile(const char *text)
{
    struct program *program = compile_with(text, NULL, 0);
    if (!program)
        fail_msg("%s", error.message);
    return program;
}

static inline void refuse(const char *text, const char *expected)
{
    struct program *program = compile_with(text, NULL, 0);
    program_free(program);
    assert_null(program);
    if (!strstr(error.message, expected))
        fail_msg("\"%s\" is not in \"%s\"", expected, error.message);
}

// One lane, and the memory that it sees.
struct lane {
    struct exec exec;
    uint64_t clock;
    uint32_t out[OUTPUT_WORDS]; // every descriptor points here
    uint32_t push[16];
    unsigned char shared[1024];
    struct region local[2 + 64];
};

static struct lane lane;

static inline void start(const struct program *program)
{
    memset(&lane, 0, sizeof lane);
    lane.exec = (struct exec){.cells = calloc(program->cell_count, sizeof(uint64_t)),
                              .width = 1,
                              .count = 1,
                              .mask = 1,
                              .present = 1,
                              .program = program,
                              .local = lane.local,
                              .local_count = sizeof lane.local / sizeof *lane.local,
                              .shared = lane.shared,
                              .shared_size = program->shared_size,
                              .random = 1,
                              .robust = true,
                              .clock = &lane.clock};
    assert_non_null(lane.exec.cells);
    lane.local[1] = (struct region){.bytes = (unsigned char *)lane.push, .size = sizeof lane.push};
    for (uint32_t i = 2; i < lane.exec.local_count; i++)
        lane.local[i] =
            (struct region){.bytes = (unsigned char *)lane.out, .size = sizeof lane.out};
    for (uint32_t i = 0; i < program->constant_count; i++)
        lane.exec.cells[program->constants[i].cell] = program->constants[i].value;
    for (uint32_t i = 0; i < program->initial_count; i++)
        lane.exec.cells[program->initial[i].cell] = program->initial[i].value;
}

static inline uint32_t follow(const struct program *program, const struct edge *edge)
{
    compose_moves(&lane.exec, program->moves + edge->first_move, edge->move_count);
    return program->blocks[edge->block].first;
}

static inline const struct edge *choose(const struct program *program, const struct insn *insn)
{
    const struct edge *edges = program->edges + insn->extra;
    if (insn->kind == INSN_BRANCH)
        return edges;
    const uint64_t value = lane.exec.cells[insn->operand[0]];
    if (insn->kind == INSN_IF)
        return edges + !value;
    for (uint32_t i = 1; i < insn->extra_count; i++)
        if (edges[i].selector == value)
            return edges + i;
    return edges;
}

// Runs a program on one lane until it ends.
static inline void run(const struct program *program)
{
    uint32_t pc = program->blocks[program->functions[0].entry].first, stack[8], depth = 0;
    for (int steps = 0; steps < STEPS_MAX; steps++) {
        const struct insn *insn = &program->insns[pc];
        lane.exec.insn = insn;
        switch (insn->kind) {
        case INSN_PLAIN:
            insn->run(&lane.exec, insn);
            pc++;
            break;
        case INSN_BRANCH:
        case INSN_IF:
        case INSN_SWITCH:
            pc = follow(program, choose(program, insn));
            break;
        case INSN_CALL:
            assert_in_range(depth, 0, program->call_depth - 1);
            stack[depth++] = pc + 1;
            pc = program->blocks[program->functions[insn->literal].entry].first;
            break;
        case INSN_RETURN:
            if (!depth)
                return;
            pc = stack[--depth];
            break;
        default:
            fail_msg("kind %u", insn->kind);
        }
    }
    fail_msg("does not end");
}

static inline void finish(struct program *program)
{
    free(lane.exec.cells);
    lane.exec.cells = NULL;
    program_free(program);
}

static inline void expect_words(const char *text, const uint32_t *expected, size_t count)
{
    struct program *program = compile(text);
    start(program);
    run(program);
    assert_int_equal(lane.exec.fault.kind, EXEC_NO_FAULT);
    for (size_t i = 0; i < count; i++)
        if (lane.out[i] != expected[i])
            fail_msg("word %zu is 0x%x, not 0x%x\n%s", i, lane.out[i], expected[i],
                     program->listing);
    finish(program);
}
#define EXPECT(text, ...)                                                                          \
    expect_words(text, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static inline uint32_t count_runs(const struct program *program, insn_run *run)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->insn_count; i++)
        count += program->insns[i].run == run;
    return count;
}

static inline const struct insn *find_run(const struct program *program, insn_run *run,
                                          uint32_t which)
{
    for (uint32_t i = 0; i < program->insn_count; i++)
        if (program->insns[i].run == run && !which--)
            return &program->insns[i];
    fail_msg("no such instruction");
    return NULL;
}
