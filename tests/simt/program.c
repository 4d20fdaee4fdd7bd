// SPDX-License-Identifier: Apache-2.0
// Compiling modules: small kernels run on one lane, and what they store is compared with what was
// worked out by hand. Constants, control flow, functions, composites, registers.
#include "kernel.h"

// Constants.

static const char specialisation[] = HEAD DECORATIONS
    "OpDecorate %s SpecId 7\n"
    "OpDecorate %b SpecId 8\n"
    "OpDecorate %size BuiltIn WorkgroupSize\n" TYPES "%s = OpSpecConstant %uint 2\n"
    "%b = OpSpecConstantFalse %bool\n"
    "%sum = OpSpecConstantOp %uint IAdd %s %3\n"
    "%size = OpSpecConstantComposite %v3 %sum %2 %1\n"
    "%x = OpSpecConstantOp %uint CompositeExtract %size 0\n"
    "%length = OpSpecConstantOp %uint IMul %x %2\n"
    "%array = OpTypeArray %uint %length\n"
    "%p_array = OpTypePointer Function %array\n"
    "%chosen = OpSpecConstantOp %uint Select %b %4 %5\n"
    "%swapped = OpSpecConstantOp %v3 VectorShuffle %size %size 2 1 0\n"
    "%nothing = OpConstantNull %v3\n"
    "%signed = OpConstant %int -7\n"
    "%moved = OpSpecConstantOp %int ShiftRightArithmetic %signed %1\n" BEGIN
    "%a = OpVariable %p_array Function\n"
    "%p = OpAccessChain %p_uint %a %3\n"
    "OpStore %p %x\n"
    "%y = OpLoad %uint %p\n"
    "%z = OpCompositeExtract %uint %swapped 2\n"
    "%n = OpCompositeExtract %uint %nothing 1\n"
    "%m = OpBitcast %uint %moved\n" STORE(0, y) STORE(1, chosen) STORE(2, z) STORE(3, n) STORE(4, m)
        END;

TEST(constants_are_evaluated)
{
    EXPECT(specialisation, 5, 5, 5, 0, 0xfffffffc);
    OWNED(program_drop) struct program *program = compile(specialisation);
    assert_int_equal(program->local_size[0], 5);
    assert_int_equal(program->local_size[1], 2);
    assert_int_equal(program->local_size[2], 1);
}

TEST(constants_are_specialised)
{
    const struct program_constant constants[] = {{7, 10, 4}, {8, 1, 4}, {9, 1, 8}};
    struct program *program = compile_with(specialisation, constants, 3);
    assert_non_null(program);
    assert_int_equal(program->local_size[0], 13);
    start(program);
    run(program);
    assert_int_equal(lane.out[0], 13);
    assert_int_equal(lane.out[1], 4);
    assert_int_equal(lane.out[2], 13);
    finish(program);
    const struct program_constant wrong[] = {{7, 10, 2}};
    assert_null(compile_with(specialisation, wrong, 1));
    assert_non_null(strstr(error.message, "specialised by 2"));
    const struct program_constant large[] = {{7, 100, 4}};
    assert_null(compile_with(specialisation, large, 1));
    assert_non_null(strstr(error.message, "the limit is 64"));
}

// Control flow.

TEST(loops_and_phis)
{
    // Fibonacci numbers 22 and 23: what one phi was becomes the other.
    EXPECT(KERNEL("%21 = OpConstant %uint 21\n", "OpBranch %head\n"
                                                 "%head = OpLabel\n"
                                                 "%i = OpPhi %uint %1 %entry %next %latch\n"
                                                 "%a = OpPhi %uint %1 %entry %b %latch\n"
                                                 "%b = OpPhi %uint %2 %entry %sum %latch\n"
                                                 "%more = OpULessThan %bool %i %21\n"
                                                 "OpLoopMerge %end %latch None\n"
                                                 "OpBranchConditional %more %body %end\n"
                                                 "%body = OpLabel\n"
                                                 "%sum = OpIAdd %uint %a %b\n"
                                                 "OpBranch %latch\n"
                                                 "%latch = OpLabel\n"
                                                 "%next = OpIAdd %uint %i %1\n"
                                                 "OpBranch %head\n"
                                                 "%end = OpLabel\n" STORE(0, a) STORE(1, b)),
           17711, 28657);
}

#define SWITCH(type, value, literals)                                                              \
    KERNEL("%t = OpTypeInt " type "\n%s = OpConstant %t " value "\n",                              \
           "OpSelectionMerge %end None\n"                                                          \
           "OpSwitch %s %other " literals "\n"                                                     \
           "%one = OpLabel\nOpBranch %end\n"                                                       \
           "%two = OpLabel\nOpBranch %end\n"                                                       \
           "%other = OpLabel\nOpBranch %end\n"                                                     \
           "%end = OpLabel\n"                                                                      \
           "%r = OpPhi %uint %1 %one %2 %two %3 %other\n" STORE(0, r))

TEST(switches)
{
    EXPECT(SWITCH("32 0", "7", "5 %one 7 %two"), 2);
    EXPECT(SWITCH("32 1", "-1", "-1 %one 7 %two"), 1);
    EXPECT(SWITCH("32 0", "8", "5 %one 7 %two"), 3);
    EXPECT(SWITCH("64 0", "7 1", "7 0 %one 7 1 %two"), 2);
    EXPECT(SWITCH("64 1", "-7 -1", "-7 -1 %one 7 1 %two"), 1);
    EXPECT(SWITCH("8 1", "-2", "-2 %one -3 %two"), 1);
    EXPECT(SWITCH("16 1", "-3", "-2 %one -3 %two"), 2);
    EXPECT(SWITCH("32 0", "7", ""), 3);
}

TEST(merges_are_recorded)
{
    OWNED(program_drop) struct program *program = compile(SWITCH("32 0", "7", "5 %one 7 %two"));
    assert_int_equal(program->block_count, 5);
    assert_int_equal(program->blocks[0].merge_kind, MERGE_SELECTION);
    assert_int_equal(program->blocks[0].merge, 4);
    assert_int_equal(program->blocks[1].merge_kind, MERGE_NONE);
}

// Functions. One is called from two places with different pointers, the other always with the same.
#define FUNCTIONS                                                                                  \
    "%f_add = OpTypeFunction %uint %p_uint %uint\n"                                                \
    "%f_set = OpTypeFunction %void %p_uint\n"
#define ADD                                                                                        \
    "%add = OpFunction %uint None %f_add\n"                                                        \
    "%p = OpFunctionParameter %p_uint\n"                                                           \
    "%n = OpFunctionParameter %uint\n"                                                             \
    "%b1 = OpLabel\n"                                                                              \
    "%old = OpLoad %uint %p\n"                                                                     \
    "%new = OpIAdd %uint %old %n\n"                                                                \
    "OpStore %p %new\n"                                                                            \
    "OpReturnValue %old\n"                                                                         \
    "OpFunctionEnd\n"
#define SET                                                                                        \
    "%set = OpFunction %void None %f_set\n"                                                        \
    "%q = OpFunctionParameter %p_uint\n"                                                           \
    "%b2 = OpLabel\n"                                                                              \
    "OpStore %q %4\n"                                                                              \
    "%ignored = OpFunctionCall %uint %add %q %5\n"                                                 \
    "OpReturn\n"                                                                                   \
    "OpFunctionEnd\n"
static const char calls[] = HEAD DECORATIONS TYPES FUNCTIONS BEGIN
    "%x = OpVariable %p_uint Function %1\n"
    "%y = OpVariable %p_uint Function\n"
    "%r = OpFunctionCall %uint %add %x %2\n"
    "%none = OpFunctionCall %void %set %y\n"
    "%xv = OpLoad %uint %x\n"
    "%yv = OpLoad %uint %y\n" STORE(0, r) STORE(1, xv) STORE(2, yv) END SET ADD
    "%unused = OpFunction %void None %f_void\n"
    "%b3 = OpLabel\n"
    "%image = OpImageRead %uint %0 %0\n"
    "OpReturn\n"
    "OpFunctionEnd\n";

TEST(functions_are_called)
{
    EXPECT(calls, 1, 3, 9);
    OWNED(program_drop) struct program *program = compile(calls);
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

TEST(recursion_is_refused)
{
    refuse(HEAD DECORATIONS TYPES BEGIN
           "%r = OpFunctionCall %void %f\n" END "%f = OpFunction %void None %f_void\n"
           "%b1 = OpLabel\n"
           "%r1 = OpFunctionCall %void %g\n" END "%g = OpFunction %void None %f_void\n"
           "%b2 = OpLabel\n"
           "%r2 = OpFunctionCall %void %f\n" END,
           "calls a function that is being executed");
}

// Composites.

TEST(composites)
{
    EXPECT(KERNEL("%pair = OpTypeStruct %uint %v3\n"
                  "%nest = OpTypeStruct %pair %v2\n",
                  "%a = OpCompositeConstruct %v2 %1 %2\n"
                  "%b = OpCompositeConstruct %v3 %a %3\n"
                  "%c = OpCompositeConstruct %pair %4 %b\n"
                  "%d = OpCompositeConstruct %nest %c %a\n"
                  "%e = OpCompositeInsert %nest %5 %d 0 1 1\n"
                  "%f = OpCompositeExtract %v3 %e 0 1\n"
                  "%g = OpVectorShuffle %v4 %f %a 4 1 0 3\n"
                  "%x0 = OpCompositeExtract %uint %g 0\n"
                  "%x1 = OpCompositeExtract %uint %g 1\n"
                  "%x2 = OpVectorExtractDynamic %uint %g %2\n"
                  "%h = OpVectorInsertDynamic %v4 %g %5 %3\n"
                  "%i = OpCopyObject %v4 %h\n"
                  "%x3 = OpCompositeExtract %uint %i 3\n"
                  "%j = OpSelect %nest %false %e %d\n"
                  "%x4 = OpCompositeExtract %uint %j 0 1 1\n"
                  "%x5 = OpCompositeExtract %uint %d 1 0\n" STORE(0, x0) STORE(1, x1) STORE(2, x2)
                      STORE(3, x3) STORE(4, x4) STORE(5, x5)),
           2, 5, 1, 5, 2, 1);
}

TEST(large_composites_are_copied)
{
    // 300 and 301 cells: more than one instruction copies.
    EXPECT(KERNEL("%300 = OpConstant %uint 300\n"
                  "%299 = OpConstant %uint 299\n"
                  "%many = OpTypeArray %uint %300\n"
                  "%more = OpTypeStruct %uint %many\n"
                  "%p_many = OpTypePointer Function %many\n"
                  "%zeros = OpConstantNull %many\n",
                  "%v = OpVariable %p_many Function %zeros\n"
                  "%i = OpCompositeInsert %many %3 %zeros 299\n"
                  "OpStore %v %i\n"
                  "%l = OpLoad %many %v\n"
                  "%s = OpCompositeConstruct %more %2 %l\n"
                  "%a = OpCompositeExtract %uint %s 1 299\n"
                  "%p = OpAccessChain %p_uint %v %299\n"
                  "%b = OpLoad %uint %p\n"
                  "%c = OpCompositeExtract %uint %s 0\n"
                  "%d = OpCompositeExtract %uint %s 1 298\n" STORE(0, a) STORE(1, b) STORE(2, c)
                      STORE(3, d)),
           3, 3, 2, 0);
}

TEST(matrices_are_transposed)
{
    EXPECT(KERNEL("%fv2 = OpTypeVector %float 2\n"
                  "%fv3 = OpTypeVector %float 3\n"
                  "%m23 = OpTypeMatrix %fv3 2\n"
                  "%m32 = OpTypeMatrix %fv2 3\n"
                  "%f0 = OpConstant %float 0.\n"
                  "%f1 = OpConstant %float 1.\n"
                  "%f2 = OpConstant %float 2.\n"
                  "%c0 = OpConstantComposite %fv3 %f0 %f1 %f2\n"
                  "%c1 = OpConstantComposite %fv3 %f2 %f2 %f1\n"
                  "%m = OpConstantComposite %m23 %c0 %c1\n",
                  "%t = OpTranspose %m32 %m\n"
                  "%a = OpCompositeExtract %float %t 0 1\n" // row 1 of column 0: m[1][0]
                  "%b = OpCompositeExtract %float %t 2 0\n" // m[0][2]
                  "%c = OpCompositeExtract %float %t 2 1\n" // m[1][2]
                  "%au = OpBitcast %uint %a\n"
                  "%bu = OpBitcast %uint %b\n"
                  "%cu = OpBitcast %uint %c\n" STORE(0, au) STORE(1, bu) STORE(2, cu)),
           0x40000000, 0x40000000, 0x3f800000);
}

TEST(copies_that_match_logically)
{
    EXPECT(KERNEL("%s1 = OpTypeStruct %uint %v2\n"
                  "%s2 = OpTypeStruct %uint %v2\n",
                  "%a = OpCompositeConstruct %v2 %1 %2\n"
                  "%b = OpCompositeConstruct %s1 %3 %a\n"
                  "%c = OpCopyLogical %s2 %b\n"
                  "%d = OpCompositeExtract %uint %c 1 1\n" STORE(0, d)),
           2);
    refuse(KERNEL("%s1 = OpTypeStruct %uint %v2\n"
                  "%s2 = OpTypeStruct %int %v2\n",
                  "%b = OpUndef %s1\n"
                  "%c = OpCopyLogical %s2 %b\n"),
           "do not match");
}

TEST(hints_change_nothing)
{
    EXPECT(KERNEL("", "%e = OpExpectKHR %uint %3 %4\nOpAssumeTrueKHR %true\n" STORE(0, e)), 3);
}

TEST(junk_is_of_its_type)
{
    OWNED(program_drop)
    struct program *program = compile(KERNEL("%mix = OpTypeStruct %bool %uint %v3 %bool\n",
                                             "%junk = OpUndef %mix\n"
                                             "%a = OpCompositeExtract %bool %junk 3\n"
                                             "%b = OpSelect %uint %a %1 %2\n" STORE(0, b)));
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

TEST(results_through_pointers)
{
    // modf(-2.5) is -0.5 and -2; frexp(6) is 0.75 * 2^3.
    EXPECT("OpCapability Shader\n"
           "%debug = OpExtInstImport \"NonSemantic.Some\"\n"
           "%glsl = OpExtInstImport \"GLSL.std.450\"\n"
           "OpMemoryModel Logical GLSL450\n"
           "OpEntryPoint GLCompute %main \"main\" %out\n"
           "OpExecutionMode %main LocalSize 4 2 1\n" DECORATIONS TYPES
           "%p_float = OpTypePointer Function %float\n"
           "%p_int = OpTypePointer Private %int\n"
           "%exponent = OpVariable %p_int Private\n"
           "%x = OpConstant %float -2.5\n"
           "%y = OpConstant %float 6.0\n" BEGIN "%whole = OpVariable %p_float Function\n"
           "%none = OpExtInst %void %debug 3 %x %nothing\n"
           "%a = OpExtInst %float %glsl 35 %x %whole\n"
           "%b = OpLoad %float %whole\n"
           "%c = OpExtInst %float %glsl 51 %y %exponent\n"
           "%d = OpLoad %int %exponent\n"
           "%e = OpExtInst %float %glsl 4 %a\n" // FAbs
           "%ua = OpBitcast %uint %a\n"
           "%ub = OpBitcast %uint %b\n"
           "%uc = OpBitcast %uint %c\n"
           "%ud = OpBitcast %uint %d\n"
           "%ue = OpBitcast %uint %e\n" STORE(0, ua) STORE(1, ub) STORE(2, uc) STORE(3, ud)
               STORE(4, ue) END,
           0xbf000000, 0xc0000000, 0x3f400000, 3, 0x3f000000);
}

// Variables in registers.

TEST(registers_are_copied)
{
    const char *text = KERNEL("%four = OpTypeArray %v2 %4\n"
                              "%thing = OpTypeStruct %uint %four\n"
                              "%p_thing = OpTypePointer Function %thing\n"
                              "%p_private = OpTypePointer Private %uint\n"
                              "%global = OpVariable %p_private Private %5\n",
                              "%v = OpVariable %p_thing Function\n"
                              "%g = OpLoad %uint %global\n"
                              "%p = OpAccessChain %p_uint %v %1 %3 %1\n"
                              "OpStore %p %g\n"
                              "%q = OpInBoundsAccessChain %p_uint %v %1 %3 %1\n"
                              "%w = OpLoad %uint %q\n" STORE(0, w));
    EXPECT(text, 5);
    OWNED(program_drop) struct program *program = compile(text);
    assert_int_equal(count_runs(program, memory_chain), 0); // that of the output is known too
    assert_int_equal(count_runs(program, memory_load_register), 0);
    assert_int_equal(count_runs(program, memory_store_register), 0);
    assert_int_equal(count_runs(program, compose_copy), 3);
    assert_int_equal(program->insn_count, 5); // with the store to memory, and OpReturn
    assert_int_equal(program->memory_operations, 1);
}

TEST(registers_are_indexed)
{
    EXPECT(KERNEL("%four = OpTypeArray %v2 %4\n"
                  "%p_four = OpTypePointer Function %four\n"
                  "%p_v2 = OpTypePointer Function %v2\n",
                  "%v = OpVariable %p_four Function\n"
                  "%p0 = OpAccessChain %p_word %out %0 %0\n"
                  "%i = OpLoad %uint %p0\n" // 0
                  "%three = OpIAdd %uint %i %3\n"
                  "%one = OpIAdd %uint %i %1\n"
                  "%c = OpCompositeConstruct %v2 %4 %5\n"
                  "%pv = OpAccessChain %p_v2 %v %three\n"
                  "OpStore %pv %c\n"
                  "%pu = OpAccessChain %p_uint %pv %one\n"
                  "%a = OpLoad %uint %pu\n"
                  "%whole = OpLoad %four %v\n"
                  "%b = OpCompositeExtract %uint %whole 3 0\n" STORE(1, a) STORE(2, b)),
           0, 5, 4);
}

TEST(indices_out_of_bounds)
{
    // The second is constant: neither may touch other cells.
    struct program *program = compile(KERNEL("%two = OpTypeArray %uint %2\n"
                                             "%p_two = OpTypePointer Function %two\n",
                                             "%v = OpVariable %p_two Function\n"
                                             "%p0 = OpAccessChain %p_word %out %0 %0\n"
                                             "%i = OpLoad %uint %p0\n"
                                             "%j = OpIAdd %uint %i %2\n"
                                             "%p = OpAccessChain %p_uint %v %j\n"
                                             "OpStore %p %5\n"
                                             "%q = OpAccessChain %p_uint %v %4\n"
                                             "OpStore %q %5\n" STORE(1, 3)));
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
    assemble(&assembly, specialisation);
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
