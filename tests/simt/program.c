// SPDX-License-Identifier: Apache-2.0
// Compiling modules: small kernels (program.txt) run on one lane, and what they store is compared
// with what was worked out by hand; what programs say of themselves, their listing, and what is
// refused. PROGRAM FILE.
#include "assemble.h"
#include "base/text.h"
#include "program/execution.h"
#include "program/instructions.h"
#include "memory/regions.h"
#include "program/program.h"

static void program_drop(struct program **program)
{
    program_free(*program);
}

#define OUTPUT_WORDS 64
#define STEPS_MAX    10000

static struct assembly assembly;

static struct program *compile_with(const char *text, const struct program_constant *constants,
                                    uint32_t constant_count)
{
    const struct program_options options = {.entry = "main",
                                            .constants = constants,
                                            .constant_count = constant_count,
                                            .subgroup = 1,
                                            .local_size_max = 64,
                                            .shared_max = 1024};
    assemble(&assembly, text);
    memset(&error, 0, sizeof error);
    return program_compile(assembly.words, assembly.count, &options, error.message,
                           sizeof error.message);
}

static struct program *compile(const char *text)
{
    struct program *program = compile_with(text, NULL, 0);
    if (!program)
        fail_msg("%s", error.message);
    return program;
}

static void refuse(const char *text, const char *expected)
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

static void start(const struct program *program)
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

static uint32_t follow(const struct program *program, const struct edge *edge)
{
    compose_moves(&lane.exec, program->moves + edge->first_move, edge->move_count);
    return program->blocks[edge->block].first;
}

static const struct edge *choose(const struct program *program, const struct insn *insn)
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
static void run(const struct program *program)
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

static void finish(struct program *program)
{
    free(lane.exec.cells);
    lane.exec.cells = NULL;
    program_free(program);
}

// What the kernel of a section stores.
static void expect_words(const struct section *kernel, const char *words)
{
    char text[64], *end;
    snprintf(text, sizeof text, "$%s", kernel->name);
    struct program *program = compile(text);
    start(program);
    run(program);
    assert_int_equal(lane.exec.fault.kind, EXEC_NO_FAULT);
    for (size_t i = 0; *words; i++, words = end) {
        const uint32_t word = (uint32_t)strtoll(words, &end, 0);
        assert_ptr_not_equal(end, words);
        if (lane.out[i] != word)
            fail_msg("%s: word %zu is 0x%x, not 0x%x\n%s", kernel->name, i, lane.out[i], word,
                     program->listing);
    }
    finish(program);
}

static uint32_t count_runs(const struct program *program, insn_run *run)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->insn_count; i++)
        count += program->insns[i].run == run;
    return count;
}

static const struct insn *find_run(const struct program *program, insn_run *run, uint32_t which)
{
    for (uint32_t i = 0; i < program->insn_count; i++)
        if (program->insns[i].run == run && !which--)
            return &program->insns[i];
    fail_msg("no such instruction");
    return NULL;
}

TEST(kernels_store_words_or_are_refused)
{
    size_t stored = 0, refused = 0;
    for (size_t i = 0; i < section_count; i++)
        if (*sections[i].more == '=') {
            expect_words(&sections[i], sections[i].more + 2);
            stored++;
        } else if (*sections[i].more == '!') {
            refuse(sections[i].text, sections[i].more + 2);
            refused++;
        }
    assert_true(stored > 25 && refused > 1);
}

// Constants.

TEST(constants_are_evaluated)
{
    OWNED(program_drop) struct program *program = compile("$specialisation");
    assert_int_equal(program->local_size[0], 5);
    assert_int_equal(program->local_size[1], 2);
    assert_int_equal(program->local_size[2], 1);
}

TEST(constants_are_specialised)
{
    const struct program_constant constants[] = {{7, 10, 4}, {8, 1, 4}, {9, 1, 8}};
    struct program *program = compile_with("$specialisation", constants, 3);
    assert_non_null(program);
    assert_int_equal(program->local_size[0], 13);
    start(program);
    run(program);
    assert_int_equal(lane.out[0], 13);
    assert_int_equal(lane.out[1], 4);
    assert_int_equal(lane.out[2], 13);
    finish(program);
    const struct program_constant wrong[] = {{7, 10, 2}};
    assert_null(compile_with("$specialisation", wrong, 1));
    assert_non_null(strstr(error.message, "specialised by 2"));
    const struct program_constant large[] = {{7, 100, 4}};
    assert_null(compile_with("$specialisation", large, 1));
    assert_non_null(strstr(error.message, "the limit is 64"));
}

// Control flow and functions.

TEST(merges_are_recorded)
{
    OWNED(program_drop) struct program *program = compile("$switch_32");
    assert_int_equal(program->block_count, 5);
    assert_int_equal(program->blocks[0].merge_kind, MERGE_SELECTION);
    assert_int_equal(program->blocks[0].merge, 4);
    assert_int_equal(program->blocks[1].merge_kind, MERGE_NONE);
}

TEST(functions_are_called)
{
    OWNED(program_drop) struct program *program = compile("$calls");
    assert_int_equal(program->function_count, 3);
    assert_int_equal(program->call_depth, 2);
    // Two arguments, the call and its result are four instructions with one line.
    assert_non_null(strstr(program->lines[1], "OpFunctionCall"));
    assert_int_equal(program->insns[3].kind, INSN_CALL);
    for (uint32_t pc = 2; pc <= 4; pc++)
        assert_string_equal(program->lines[pc], "");
    // In `set` the pointer is known, in `add` it is not.
    assert_int_equal(count_runs(program, memory_load_register), 1);
    assert_int_equal(count_runs(program, memory_store_register), 1);
}

// Composites.

TEST(junk_is_of_its_type)
{
    OWNED(program_drop)
    struct program *program = compile("$junk");
    assert_int_equal(count_runs(program, compose_undefined), 3);
    const uint32_t cell = find_run(program, compose_undefined, 0)->result;
    for (int i = 0; i < 20; i++) {
        start(program);
        lane.exec.random = (uint64_t)i;
        run(program);
        assert_in_range(lane.exec.cells[cell], 0, 1);
        assert_in_range(lane.exec.cells[cell + 1], 0, UINT32_MAX);
        assert_in_range(lane.exec.cells[cell + 5], 0, 1);
        free(lane.exec.cells);
    }
}

// Variables in registers.

TEST(registers_are_copied)
{
    OWNED(program_drop) struct program *program = compile("$registers");
    assert_int_equal(count_runs(program, memory_chain), 0); // that of the output is known too
    assert_int_equal(count_runs(program, memory_load_register), 0);
    assert_int_equal(count_runs(program, memory_store_register), 0);
    assert_int_equal(count_runs(program, compose_copy), 3);
    assert_int_equal(program->insn_count, 5); // with the store to memory, and OpReturn
    assert_int_equal(program->memory_operations, 1);
}

TEST(indices_out_of_bounds)
{
    struct program *program = compile("$registers_out_of_bounds");
    start(program);
    run(program);
    assert_int_equal(lane.exec.fault.kind, EXEC_OUT_OF_BOUNDS);
    assert_int_equal(lane.out[1], 3);
    assert_int_equal(count_runs(program, memory_store_register), 2);
    finish(program);
}

// Whatever instruction of a kernel is cut short, or grows by the next one's words, it is refused or
// compiled, and nothing else happens.
TEST(lengths_are_never_trusted)
{
    const struct program_options options = {
        .entry = "main", .subgroup = 1, .local_size_max = 64, .shared_max = 1024};
    assemble(&assembly, "$specialisation");
    struct assembly whole = assembly;
    for (uint32_t at = 5; at < whole.count; at += whole.words[at] >> 16) {
        for (int change = -3; change <= 3; change++) {
            assembly = whole;
            assembly.words[at] += (uint32_t)change << 16;
            program_free(program_compile(assembly.words, assembly.count, &options, error.message,
                                         sizeof error.message));
        }
        program_free(
            program_compile(whole.words, at, &options, error.message, sizeof error.message));
    }
}

// Memory.

TEST(matrices_have_their_layout)
{
    // The words are their own indices, moved as bits:
    // word = byte / 4: m[1][1] is row 1, column 1: 16 + 8 + 4 = 28; c[0] = m[1][0]: 16 + 4 = 20;
    // f = m[1][2]: 16 + 16 + 4 = 36; g: 48 + 16 + 8 = 72; all[1][1][0]: 48 + 16 = 64.
    const uint32_t expected[] = {28 / 4, 20 / 4, 36 / 4, 72 / 4, 64 / 4};
    struct program *program = compile("$layout_of_matrices");
    start(program);
    for (uint32_t i = 0; i < OUTPUT_WORDS; i++)
        lane.out[i] = i;
    run(program);
    assert_int_equal(lane.exec.fault.kind, EXEC_NO_FAULT);
    assert_memory_equal(lane.out, expected, sizeof expected);
    finish(program);
}

TEST(workgroup_variables_lie_apart)
{
    OWNED(program_drop) struct program *program = compile("$workgroup_variables");
    assert_int_equal(program->shared_size, 16 + 24);
    assert_int_equal(program->shared_zero_count, 1);
    assert_int_equal(program->shared_zero[0].at, 16);
    assert_int_equal(program->shared_zero[0].size, 24);
    const struct insn *load = find_run(program, memory_load, 1);
    assert_int_equal(program->extra[load->extra + 3], PIECE_BOOL);
}

TEST(resources_are_declared)
{
    struct program *program = compile("$resources");
    assert_int_equal(program->resource_count, 3);
    const struct resource *uniform = &program->resources[0], *in = &program->resources[1],
                          *out = &program->resources[2];
    assert_int_equal(uniform->kind, RESOURCE_UNIFORM);
    assert_int_equal(uniform->set, 2);
    assert_int_equal(uniform->count, 1);
    assert_false(uniform->written);
    assert_int_equal(in->kind, RESOURCE_STORAGE);
    assert_int_equal(in->set, 1);
    assert_int_equal(in->binding, 4);
    assert_int_equal(in->count, 3);
    assert_int_equal(in->first_region, LOCAL_BINDINGS + 1);
    assert_false(in->written);
    assert_true(out->written);
    assert_int_equal(program->region_count, 5);
    assert_int_equal(program->push_size, 12);
    const struct insn *chain = find_run(program, memory_chain, 0);
    assert_int_equal(count_runs(program, memory_chain), 1);
    assert_int_equal(chain->extra_count, 2);
    const uint32_t *first = program->extra + chain->extra, *second = first + CHAIN_WORDS;
    assert_int_equal(first[3], 0);
    assert_int_equal(first[4], 1u << (REGION_SHIFT - 32));
    assert_int_equal(first[5], 3);
    assert_int_equal(second[3], 4);
    assert_int_equal(second[5], 0);
    start(program);
    const struct insn *known = find_run(program, memory_load, 2);
    assert_int_equal(lane.exec.cells[known->operand[0]],
                     region_address(LOCAL_BINDINGS + 1 + 2, 20));
    finish(program);
}

TEST(accesses_have_flags)
{
    struct program *program = compile("$plain_store");
    assert_int_equal(find_run(program, memory_store, 0)->flags, ACCESS_NON_PRIVATE);
    program_free(program);
    program = compile("$coherent_store");
    assert_int_equal(find_run(program, memory_store, 0)->flags,
                     ACCESS_NON_PRIVATE | ACCESS_COHERENT);
    program_free(program);
    program = compile("$vulkan_memory_model");
    const struct insn *load = find_run(program, memory_load, 1),
                      *store = find_run(program, memory_store, 0);
    assert_true(program->vulkan_memory_model);
    assert_int_equal(find_run(program, memory_load, 0)->flags, 0);
    assert_int_equal(load->flags, ACCESS_NON_PRIVATE | ACCESS_VISIBLE);
    assert_int_equal(load->literal, 5 << 8);
    assert_int_equal(store->flags, ACCESS_NON_PRIVATE | ACCESS_AVAILABLE);
    assert_int_equal(store->literal, 2 << 8);
    assert_int_equal(find_run(program, memory_store, 1)->flags, ACCESS_COHERENT);
    program_free(program);
}

TEST(barriers_and_inputs)
{
    struct program *program = compile("$barriers_and_inputs");
    assert_int_equal(program->builtin_count, 1);
    assert_int_equal(program->builtins[0].builtin, SpvBuiltInLocalInvocationId);
    assert_int_equal(program->builtins[0].components, 3);
    assert_int_equal(program->barriers, 1);
    assert_int_equal(program->insns[0].kind, INSN_BARRIER);
    assert_ptr_equal(program->insns[0].run, memory_barrier);
    assert_int_equal(program->insns[1].kind, INSN_FENCE);
    assert_ptr_equal(program->insns[1].run, memory_fence);
    start(program);
    assert_int_equal(lane.exec.cells[program->insns[0].operand[2]], 264);
    assert_int_equal(lane.exec.cells[program->insns[1].operand[0]], 1);
    // An input is used where it lies.
    assert_int_equal(program->insns[2].operand[1], program->builtins[0].cell + 1);
    finish(program);
}

// What is said of programs.

TEST(listing_is_readable)
{
    OWNED(program_drop)
    struct program *program = compile("$listing");
    const struct program *p = program;
    assert_string_equal(p->lines[0], "OpBranchConditional %true %29 %28");
    assert_string_equal(p->lines[1], "%a__x = OpIAdd %uint %uint_4 %int_n7");
    assert_string_equal(p->lines[2], "OpStore %30 %a__x");
    assert_string_equal(
        p->listing, "function %main\n"
                    "block %27: selection, merge %28\n"
                    "        OpSelectionMerge %28 None\n"
                    "     0  OpBranchConditional %true %29 %28\n"
                    "block %29\n"
                    "     1  %a__x = OpIAdd %uint %uint_4 %int_n7\n"
                    "        %30 = OpAccessChain %_ptr_StorageBuffer_uint %out %uint_0 %uint_1\n"
                    "     2  OpStore %30 %a__x\n"
                    "     3  OpBranch %28\n"
                    "block %28\n"
                    "     4  OpReturn\n");
}

TEST(what_is_wrong_is_refused)
{
    for (const char *at = section("refused")->text, *row, *why; sections_row(&at, &row, &why);) {
        // " / " is the end of a line, and declarations stand before " | ".
        char text[4096], lines[1024];
        snprintf(lines, sizeof lines, "%s", row);
        for (char *end = lines; (end = strstr(end, " / "));)
            end[1] = '\n';
        char *code = strstr(lines, " | ");
        if (code)
            code[1] = '\0';
        snprintf(text, sizeof text,
                 "$head\n$decorations\n$types\n%%big = OpConstant %%uint 65\n%s\n$main\n%s\n$end\n",
                 code ? lines : "", code ? code + 3 : lines);
        refuse(text, why);
    }
}
