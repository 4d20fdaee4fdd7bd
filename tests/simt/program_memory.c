// SPDX-License-Identifier: Apache-2.0
// Compiling modules: what lies in memory and where, what programs say of themselves, their listing,
// and what is refused. Expected values are by hand.
#include "kernel.h"

// Memory.

TEST(matrices_have_their_layout)
{
    // A row-major mat2x3 (2 columns of 3) at 16 with rows of 8 bytes, a column-major one at 48 with
    // columns of 16 bytes. The buffer's words are their own indices, converted to float bits by
    // nobody: they are moved as bits.
    const char *text = HEAD DECORATIONS
        "OpDecorate %rows Block\n"
        "OpMemberDecorate %rows 0 Offset 16\n"
        "OpMemberDecorate %rows 0 RowMajor\n"
        "OpMemberDecorate %rows 0 MatrixStride 8\n"
        "OpMemberDecorate %rows 1 Offset 48\n"
        "OpMemberDecorate %rows 1 ColMajor\n"
        "OpMemberDecorate %rows 1 MatrixStride 16\n"
        "OpDecorate %in DescriptorSet 0\n"
        "OpDecorate %in Binding 1\n" TYPES "%fv3 = OpTypeVector %float 3\n"
        "%m23 = OpTypeMatrix %fv3 2\n"
        "%rows = OpTypeStruct %m23 %m23\n"
        "%p_rows = OpTypePointer StorageBuffer %rows\n"
        "%p_m23 = OpTypePointer StorageBuffer %m23\n"
        "%p_fv3 = OpTypePointer StorageBuffer %fv3\n"
        "%p_float = OpTypePointer StorageBuffer %float\n"
        "%in = OpVariable %p_rows StorageBuffer\n" BEGIN "%all = OpLoad %rows %in\n"
        "%pm = OpAccessChain %p_m23 %in %0\n"
        "%m = OpLoad %m23 %pm\n"
        "%pc = OpAccessChain %p_fv3 %pm %1\n"
        "%c = OpLoad %fv3 %pc\n"
        "%pf = OpAccessChain %p_float %pc %2\n"
        "%f = OpLoad %float %pf\n"
        "%pg = OpAccessChain %p_float %in %1 %1 %2\n"
        "%g = OpLoad %float %pg\n"
        "%m1 = OpCompositeExtract %float %m 1 1\n"
        "%c0 = OpCompositeExtract %float %c 0\n"
        "%a1 = OpCompositeExtract %float %all 1 1 0\n"
        "%u0 = OpBitcast %uint %m1\n"
        "%u1 = OpBitcast %uint %c0\n"
        "%u2 = OpBitcast %uint %f\n"
        "%u3 = OpBitcast %uint %g\n"
        "%u4 = OpBitcast %uint %a1\n" STORE(0, u0) STORE(1, u1) STORE(2, u2) STORE(3, u3)
            STORE(4, u4) END;
    // word = byte / 4: m[1][1] is row 1, column 1: 16 + 8 + 4 = 28; c[0] = m[1][0]: 16 + 4 = 20;
    // f = m[1][2]: 16 + 16 + 4 = 36; g: 48 + 16 + 8 = 72; all[1][1][0]: 48 + 16 = 64.
    const uint32_t expected[] = {28 / 4, 20 / 4, 36 / 4, 72 / 4, 64 / 4};
    struct program *program = compile(text);
    start(program);
    for (uint32_t i = 0; i < OUTPUT_WORDS; i++)
        lane.out[i] = i;
    run(program);
    assert_int_equal(lane.exec.fault.kind, EXEC_NO_FAULT);
    assert_memory_equal(lane.out, expected, sizeof expected);
    finish(program);
}

TEST(pointers_move_in_arrays)
{
    EXPECT(HEAD DECORATIONS "OpDecorate %p_word ArrayStride 4\n" TYPES
                            "%back = OpConstant %int -1\n" BEGIN
                            "%p = OpAccessChain %p_word %out %0 %3\n"
                            "%q = OpPtrAccessChain %p_word %p %back\n"
                            "OpStore %q %5\n"
                            "%x = OpLoad %uint %q\n"
                            "%five = OpBitcast %int %x\n"
                            "%n = OpISub %int %back %five\n"
                            "%m = OpIAdd %int %n %five\n" // -1 again, but not known
                            "%r = OpPtrAccessChain %p_word %q %m\n"
                            "OpStore %r %4\n" END,
           0, 4, 5, 0);
}

// The distance is in elements, with its sign, in as many bits as its type has.
TEST(distances_in_arrays)
{
    EXPECT(HEAD DECORATIONS
           "OpDecorate %p_word ArrayStride 4\n" TYPES "%short = OpTypeInt 16 0\n"
           "%large = OpTypeInt 64 1\n" BEGIN "%p = OpAccessChain %p_word %out %0 %5\n"
           "%i = OpLoad %uint %p\n" // 0, but not known
           "%q = OpAccessChain %p_word %out %0 %i\n"
           "%a = OpPtrDiff %uint %p %q\n"
           "%b = OpPtrDiff %int %q %p\n"
           "%c = OpPtrDiff %short %q %p\n"
           "%d = OpPtrDiff %large %q %p\n"
           "%e = OpPtrDiff %uint %p %p\n"
           "%r = OpInBoundsPtrAccessChain %p_word %q %a\n"
           "OpStore %r %3\n"
           "%ub = OpBitcast %uint %b\n"
           "%uc = OpUConvert %uint %c\n"
           "%shifted = OpShiftRightArithmetic %large %d %1\n"
           "%ud = OpUConvert %uint %shifted\n" STORE(0, a) STORE(1, ub) STORE(2, uc) STORE(3, ud)
               STORE(4, e) END,
           5, -5u, 0xfffb, -3u, 0, 3);
    // The array says it where the pointer's type does not: here elements are 12 bytes apart.
    EXPECT(HEAD DECORATIONS "OpDecorate %pairs ArrayStride 12\n"
                            "OpMemberDecorate %pair 0 Offset 0\n"
                            "OpMemberDecorate %pair 1 Offset 4\n"
                            "OpDecorate %other Block\n"
                            "OpMemberDecorate %other 0 Offset 0\n"
                            "OpDecorate %in DescriptorSet 0\n"
                            "OpDecorate %in Binding 1\n" TYPES "%pair = OpTypeStruct %uint %uint\n"
                            "%pairs = OpTypeRuntimeArray %pair\n"
                            "%other = OpTypeStruct %pairs\n"
                            "%p_other = OpTypePointer StorageBuffer %other\n"
                            "%p_pair = OpTypePointer StorageBuffer %pair\n"
                            "%in = OpVariable %p_other StorageBuffer\n" BEGIN
                            "%p = OpAccessChain %p_pair %in %0 %5\n"
                            "%q = OpAccessChain %p_pair %in %0 %1\n"
                            "%r = OpSelect %p_pair %true %q %q\n"
                            "%a = OpPtrDiff %uint %p %r\n"
                            "%b = OpPtrDiff %uint %r %p\n" STORE(0, a) STORE(1, b) END,
           4, -4u);
    // Of structs, in the implicit layout of Workgroup; and of what is in no array.
    EXPECT(KERNEL("%pair = OpTypeStruct %bool %bool\n"
                  "%array = OpTypeArray %pair %5\n"
                  "%p_array = OpTypePointer Workgroup %array\n"
                  "%p_pair = OpTypePointer Workgroup %pair\n"
                  "%p_bool = OpTypePointer Workgroup %bool\n"
                  "%shared = OpVariable %p_array Workgroup\n",
                  "%p = OpAccessChain %p_pair %shared %1\n"
                  "%q = OpAccessChain %p_pair %shared %4\n"
                  "%a = OpPtrDiff %int %p %q\n"
                  "%b = OpAccessChain %p_bool %q %1\n"
                  "%c = OpPtrDiff %uint %b %b\n"
                  "%u = OpBitcast %uint %a\n" STORE(0, u) STORE(1, c)),
           -3u, 0);
}

TEST(memory_is_copied)
{
    EXPECT(KERNEL("%three = OpTypeArray %uint %3\n"
                  "%p_three = OpTypePointer Function %three\n"
                  "%p_shared = OpTypePointer Workgroup %uint\n"
                  "%s = OpVariable %p_shared Workgroup\n"
                  "%some = OpConstantComposite %three %3 %4 %5\n",
                  "%x = OpVariable %p_three Function %some\n"
                  "%y = OpVariable %p_three Function\n"
                  "OpCopyMemory %y %x\n"
                  "OpStore %x %some\n"
                  "%y1 = OpAccessChain %p_uint %y %1\n"
                  "OpCopyMemory %s %y1 None\n"
                  "%o = OpAccessChain %p_word %out %0 %2\n"
                  "OpCopyMemory %o %s None None\n"),
           0, 0, 4);
}

TEST(workgroup_variables_lie_apart)
{
    const char *text = KERNEL("%pair = OpTypeStruct %bool %uint\n"
                              "%array = OpTypeArray %pair %3\n"
                              "%p_array = OpTypePointer Workgroup %array\n"
                              "%p_pair = OpTypePointer Workgroup %pair\n"
                              "%p_shared = OpTypePointer Workgroup %uint\n"
                              "%zero = OpConstantNull %array\n"
                              "%nobody = OpVariable %p_array Workgroup\n"
                              "%first = OpVariable %p_shared Workgroup\n"
                              "%second = OpVariable %p_array Workgroup %zero\n",
                              "OpStore %first %5\n"
                              "%c = OpCompositeConstruct %pair %true %4\n"
                              "%p = OpAccessChain %p_pair %second %2\n"
                              "OpStore %p %c\n"
                              "%q = OpAccessChain %p_shared %second %2 %1\n"
                              "%v = OpLoad %uint %q\n"
                              "%w = OpLoad %pair %p\n"
                              "%b = OpCompositeExtract %bool %w 0\n"
                              "%u = OpSelect %uint %b %3 %2\n"
                              "%x = OpLoad %uint %first\n" STORE(0, v) STORE(1, u) STORE(2, x));
    EXPECT(text, 4, 3, 5);
    OWNED(program_drop) struct program *program = compile(text);
    assert_int_equal(program->shared_size, 16 + 24);
    assert_int_equal(program->shared_zero_count, 1);
    assert_int_equal(program->shared_zero[0].at, 16);
    assert_int_equal(program->shared_zero[0].size, 24);
    const struct insn *load = find_run(program, memory_load, 1);
    assert_int_equal(program->extra[load->extra + 3], PIECE_BOOL);
}

TEST(resources_are_declared)
{
    const char *text = HEAD DECORATIONS
        "OpDecorate %in DescriptorSet 1\n"
        "OpDecorate %in Binding 4\n"
        "OpDecorate %uniform Block\n"
        "OpMemberDecorate %uniform 0 Offset 0\n"
        "OpMemberDecorate %uniform 1 Offset 8\n"
        "OpDecorate %u DescriptorSet 2\n"
        "OpDecorate %u Binding 0\n" TYPES "%blocks = OpTypeArray %block %3\n"
        "%p_blocks = OpTypePointer StorageBuffer %blocks\n"
        "%uniform = OpTypeStruct %uint %uint\n"
        "%p_uniform = OpTypePointer Uniform %uniform\n"
        "%p_u = OpTypePointer Uniform %uint\n"
        "%p_push = OpTypePointer PushConstant %uniform\n"
        "%p_pushed = OpTypePointer PushConstant %uint\n"
        "%in = OpVariable %p_blocks StorageBuffer\n"
        "%u = OpVariable %p_uniform Uniform\n"
        "%push = OpVariable %p_push PushConstant\n" BEGIN "%p = OpAccessChain %p_u %u %1\n"
        "%i = OpLoad %uint %p\n"
        "%q = OpAccessChain %p_word %in %i %0 %i\n"
        "%x = OpLoad %uint %q\n"
        "%r = OpAccessChain %p_word %in %2 %0 %5\n"
        "%y = OpLoad %uint %r\n"
        "%s = OpAccessChain %p_pushed %push %1\n"
        "%z = OpLoad %uint %s\n" STORE(0, x) STORE(1, y) STORE(2, z) END;
    struct program *program = compile(text);
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

TEST(array_lengths)
{
    EXPECT(KERNEL("", "%n = OpArrayLength %uint %out 0\n" STORE(0, n)), OUTPUT_WORDS);
}

TEST(accesses_have_flags)
{
    struct program *program = compile(KERNEL("", STORE(0, 1)));
    assert_int_equal(find_run(program, memory_store, 0)->flags, ACCESS_NON_PRIVATE);
    program_free(program);
    program = compile(HEAD DECORATIONS
                      "OpMemberDecorate %block 0 Coherent\n" TYPES BEGIN STORE(0, 1) END);
    assert_int_equal(find_run(program, memory_store, 0)->flags,
                     ACCESS_NON_PRIVATE | ACCESS_COHERENT);
    program_free(program);
    program = compile("OpCapability Shader\n"
                      "OpCapability VulkanMemoryModel\n"
                      "OpExtension \"SPV_KHR_vulkan_memory_model\"\n"
                      "OpMemoryModel Logical Vulkan\n"
                      "OpEntryPoint GLCompute %main \"main\" %out\n"
                      "OpExecutionMode %main LocalSize 1 1 1\n" DECORATIONS TYPES BEGIN
                      "%p = OpAccessChain %p_word %out %0 %0\n"
                      "%a = OpLoad %uint %p\n"
                      "%b = OpLoad %uint %p 0x32 4 %5\n" // aligned, visible, non-private
                      "OpStore %p %b 0x28 %2\n"          // available, non-private
                      "OpStore %p %b 0x1\n" END);        // volatile
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
    struct program *program =
        compile(HEAD DECORATIONS
                "OpDecorate %id BuiltIn LocalInvocationId\n"
                "OpDecorate %coord BuiltIn FragCoord\n" TYPES // not used, and so not refused
                "%p_id = OpTypePointer Input %v3\n"
                "%p_in = OpTypePointer Input %uint\n"
                "%semantics = OpConstant %uint 264\n"
                "%id = OpVariable %p_id Input\n"
                "%coord = OpVariable %p_id Input\n" BEGIN "%p = OpAccessChain %p_in %id %1\n"
                "%y = OpLoad %uint %p\n"
                "OpControlBarrier %2 %2 %semantics\n"
                "OpMemoryBarrier %1 %semantics\n" STORE(0, y) END);
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

TEST(atomics_are_decoded)
{
    EXPECT(KERNEL("", "%p = OpAccessChain %p_word %out %0 %1\n"
                      "%a = OpAtomicIAdd %uint %p %1 %0 %3\n"
                      "%b = OpAtomicCompareExchange %uint %p %1 %0 %0 %5 %3\n"
                      "%c = OpAtomicCompareExchange %uint %p %1 %0 %0 %4 %3\n"
                      "%d = OpAtomicLoad %uint %p %1 %0\n"
                      "OpAtomicStore %p %1 %0 %2\n" STORE(2, b) STORE(3, c) STORE(4, d)),
           0, 2, 3, 5, 5);
}

TEST(listing_is_readable)
{
    OWNED(program_drop)
    struct program *program =
        compile(HEAD NAMES "OpName %v \"a;\\x\"\n" DECORATIONS TYPES
                           "%signed = OpConstant %int -7\n" BEGIN "OpSelectionMerge %end None\n"
                           "OpBranchConditional %true %yes %end\n"
                           "%yes = OpLabel\n"
                           "%v = OpIAdd %uint %4 %signed\n" STORE(1, v) "OpBranch %end\n"
                                                                        "%end = OpLabel\n" END);
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
    static const struct {
        const char *declarations, *code, *error;
    } rows[] = {
        {"", "%a = OpImageRead %uint %0 %0\n", "OpImageRead at word "},
        {"", "%a = OpImageRead %uint %0 %0\n", " is not supported"},
        {"", "%a = OpIAdd %uint %b %1\n%b = OpIAdd %uint %1 %1\n", "not defined there"},
        {"", "%a = OpIAdd %uint %uint %1\n", "not defined there"},
        {"", "%a = OpIAdd %uint %1\n", "too few operands"},
        {"", "%a = OpIAdd %uint %1 %1 %1\n", "too many operands"},
        {"", "%a = OpIAdd %uint %1 %true\n", "operands that do not fit"},
        {"", "%a = OpIAdd %v2 %1 %1\n", "operands that do not fit"},
        {"%pair = OpTypeArray %uint %2\n", "%a = OpIAddCarry %pair %1 %1\n",
         "not a struct of its two results"},
        {"", "%a = OpCompositeExtract %uint %1 0\n", "has an index"},
        {"", "%c = OpCompositeConstruct %v2 %1\n", "wrong number of constituents"},
        {"", "%c = OpCompositeConstruct %v2 %1 %true\n", "wrong type"},
        {"", "%v = OpVariable %p_uint Function %true\n", "should be the same"},
        {"", "%v = OpVariable %p_uint Private\n", "another storage class"},
        {"", "%v = OpVariable %p_uint Function\n%l = OpLoad %int %v\n", "should be the same"},
        {"", "%v = OpVariable %p_uint Function\nOpStore %v %true\n", "should be the same"},
        {"", "%v = OpVariable %p_uint Function\n%p = OpAccessChain %p_uint %v %0\n",
         "too many indices"},
        {"", "%p = OpAccessChain %p_word %out %1\n", "not a member"},
        {"", "%p = OpAccessChain %p_word %out %0\n", "has another type"},
        {"", "%l = OpLoad %uint %1\n", "points to nothing that can be loaded"},
        {"%p_in = OpTypePointer Input %uint\n%in = OpVariable %p_in Input\n",
         "%l = OpLoad %uint %in\n", "an input that is not supported"},
        {"%p_o = OpTypePointer StorageBuffer %uint\n%o = OpVariable %p_o StorageBuffer\n",
         "%l = OpLoad %uint %o\n", "not a block"},
        {"%p_o = OpTypePointer StorageBuffer %block\n%o = OpVariable %p_o StorageBuffer\n",
         "%l = OpArrayLength %uint %o 0\n", "no descriptor set"},
        {"%s = OpTypeArray %v4 %big\n%p_s = OpTypePointer Workgroup %s\n"
         "%p_w = OpTypePointer Workgroup %uint\n%sv = OpVariable %p_s Workgroup\n",
         "%p = OpAccessChain %p_w %sv %0 %0\n", "the limit is 1024"},
        {"", "%d = OpPtrAccessChain %p_block %out %1\n", "no stride"},
        {"", "%d = OpPtrDiff %uint %out %1\n", "should be the same"},
        {"%p_bool = OpTypePointer Workgroup %bool\n%s = OpVariable %p_bool Workgroup\n",
         "%d = OpPtrDiff %uint %s %out\n", "should be the same"},
        {"%p_bool = OpTypePointer Workgroup %bool\n%s = OpVariable %p_bool Workgroup\n",
         "%d = OpPtrDiff %float %s %s\n", "not an integer"},
        {"", "%v = OpVariable %p_uint Function\n%d = OpPtrDiff %uint %v %v\n",
         "not in an array in memory"},
        {"", "%d = OpPtrDiff %uint %1 %1\n", "not a pointer"},
        {"", "OpBranch %entry\n%more = OpLabel\n", "first block"},
        {"", "OpBranch %uint\n%more = OpLabel\n", "not a block of this function"},
        {"", "%more = OpLabel\n", "within another one"},
        {"", "OpReturn\n", "outside of a block"},
        {"", "OpSelectionMerge %more None\nOpBranch %more\n%more = OpLabel\n",
         "not followed by a branch"},
        {"", "OpBranch %more\n%more = OpLabel\n%a = OpPhi %uint %1 %more\n",
         "has no value for block"},
        {"", "OpBranch %more\n%more = OpLabel\n%a = OpPhi %uint %true %entry\n",
         "should be the same"},
        {"", "OpBranchConditional %1 %more %more\n%more = OpLabel\n", "not of type bool"},
        {"", "OpSwitch %true %more\n%more = OpLabel\n", "not an integer"},
        {"", "OpReturnValue %1\n%more = OpLabel\n", "should be the same"},
        {"", "OpControlBarrier %2 %2 %true\n", "not a 32-bit integer"},
        {"", "%a = OpFunctionCall %void %uint\n", "not a function"},
        {"", "%a = OpFunctionCall %void %main\n", "being executed"},
        {"%c = OpSpecConstantOp %uint FAdd %1 %1\n", "", "not supported in a constant"},
    };
    static char text[8192];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, "%s%s%s%s%s%s", HEAD DECORATIONS TYPES,
                 "%big = OpConstant %uint 65\n", rows[i].declarations, BEGIN, rows[i].code, END);
        refuse(text, rows[i].error);
    }
}
