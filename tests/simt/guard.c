// SPDX-License-Identifier: Apache-2.0
// The fault `reduction`: which reductions it hits, and what they give then.
#include "../unit/unit.h"

#include "assemble.h"
#include "schedule/machine.h"

#define SUM(name) "OpGroupNonUniform" name " %uint %3 0"
#define ADD       SUM("IAdd")
#define CALL      "OpFunctionCall %uint %called"

enum { LANES = 8, WIDTH = 4, LIMIT = 10, RESULTS = 2 * LANES };

static const char head[] = "OpCapability Shader\n"
                           "OpCapability GroupNonUniform\n"
                           "OpCapability GroupNonUniformArithmetic\n"
                           "OpMemoryModel Logical GLSL450\n"
                           "OpEntryPoint GLCompute %main \"main\" %p_me %p_subgroup %p_subgroups\n"
                           "OpExecutionMode %main LocalSize 8 1 1\n"
                           "OpDecorate %p_me BuiltIn LocalInvocationIndex\n"
                           "OpDecorate %p_subgroup BuiltIn SubgroupId\n"
                           "OpDecorate %p_subgroups BuiltIn NumSubgroups\n"
                           "OpDecorate %words ArrayStride 4\n"
                           "OpDecorate %block Block\n"
                           "OpMemberDecorate %block 0 Offset 0\n"
                           "OpDecorate %out DescriptorSet 0\n"
                           "OpDecorate %out Binding 0\n"
                           "OpDecorate %in DescriptorSet 0\n"
                           "OpDecorate %in Binding 1\n"
                           "%void = OpTypeVoid\n"
                           "%bool = OpTypeBool\n"
                           "%uint = OpTypeInt 32 0\n"
                           "%0 = OpConstant %uint 0\n"
                           "%1 = OpConstant %uint 1\n"
                           "%3 = OpConstant %uint 3\n"
                           "%4 = OpConstant %uint 4\n"
                           "%8 = OpConstant %uint 8\n"
                           "%limit = OpConstant %uint 10\n"
                           "%words = OpTypeRuntimeArray %uint\n"
                           "%block = OpTypeStruct %words\n"
                           "%p_block = OpTypePointer StorageBuffer %block\n"
                           "%p_word = OpTypePointer StorageBuffer %uint\n"
                           "%p_uint = OpTypePointer Input %uint\n"
                           "%f_void = OpTypeFunction %void\n"
                           "%f_uint = OpTypeFunction %uint %uint\n"
                           "%p_me = OpVariable %p_uint Input\n"
                           "%p_subgroup = OpVariable %p_uint Input\n"
                           "%p_subgroups = OpVariable %p_uint Input\n"
                           "%out = OpVariable %p_block StorageBuffer\n"
                           "%in = OpVariable %p_block StorageBuffer\n"
                           "%main = OpFunction %void None %f_void\n"
                           "%entry = OpLabel\n"
                           "%me = OpLoad %uint %p_me\n"
                           "%subgroup = OpLoad %uint %p_subgroup\n"
                           "%subgroups = OpLoad %uint %p_subgroups\n"
                           "%from = OpAccessChain %p_word %in %0 %me\n"
                           "%word = OpLoad %uint %from\n";

struct text {
    char bytes[16384];
    size_t length;
};

static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text->length += (size_t)vsnprintf(text->bytes + text->length,
                                      sizeof(text->bytes) - text->length, format, arguments);
    va_end(arguments);
    assert_true(text->length < sizeof(text->bytes));
}

// `held` truth values, each of which says whether the lane's word is below 10; in a branch on
// %chosen the reduction of me + 1; behind it, where they are `used`, how many of them hold.
static void write_kernel(struct text *text, const char *choose, const char *operation,
                         uint32_t held, bool used)
{
    text->length = 0;
    add(text, "%s", head);
    for (uint32_t i = 0; i < held; i++)
        add(text, "%%is_%u = OpULessThan %%bool %%word %%limit\n", i);
    add(text,
        "%s%%more = OpIAdd %%uint %%me %%1\n"
        "OpSelectionMerge %%merge None\n"
        "OpBranchConditional %%chosen %%inside %%merge\n"
        "%%inside = OpLabel\n"
        "%%sum = %s %%more\n"
        "OpBranch %%merge\n"
        "%%merge = OpLabel\n"
        "%%result = OpPhi %%uint %%0 %%entry %%sum %%inside\n"
        "%%count_0 = OpIAdd %%uint %%0 %%0\n",
        choose, operation);
    for (uint32_t i = 0; used && i < held; i++)
        add(text,
            "%%one_%u = OpSelect %%uint %%is_%u %%1 %%0\n"
            "%%count_%u = OpIAdd %%uint %%count_%u %%one_%u\n",
            i, i, i + 1, i, i);
    add(text,
        "%%to = OpAccessChain %%p_word %%out %%0 %%me\n"
        "OpStore %%to %%result\n"
        "%%behind = OpIAdd %%uint %%me %%8\n"
        "%%last = OpAccessChain %%p_word %%out %%0 %%behind\n"
        "OpStore %%last %%count_%u\n"
        "OpReturn\n"
        "OpFunctionEnd\n",
        used ? held : 0);
    if (strstr(operation, "%called"))
        add(text, "%%called = OpFunction %%uint None %%f_uint\n"
                  "%%value = OpFunctionParameter %%uint\n"
                  "%%begin = OpLabel\n"
                  "%%total = OpGroupNonUniformIAdd %%uint %%3 0 %%value\n"
                  "OpReturnValue %%total\n"
                  "OpFunctionEnd\n");
}

static void say(void *user, const char *line)
{
    (void)user;
    fail_msg("%s", line);
}

static void run(const char *settings, const struct text *kernel, uint32_t in[LANES],
                uint32_t out[RESULTS])
{
    static struct assembly assembly;
    char error[512] = "";
    struct settings read;
    assert_true(settings_parse(settings, &read, error, sizeof(error)));
    assemble(&assembly, kernel->bytes);
    const struct program_options options = {
        .entry = "main", .subgroup = WIDTH, .local_size_max = 64, .shared_max = 64};
    struct program *program =
        program_compile(assembly.words, assembly.count, &options, error, sizeof(error));
    if (!program)
        fail_msg("%s", error);
    struct region local[4] = {{0}};
    for (uint32_t i = 0; i < program->resource_count; i++) {
        void *bytes = program->resources[i].binding ? in : out;
        local[program->resources[i].first_region - LOCAL_SHARED] = (struct region){
            .bytes = bytes, .size = 4 * (program->resources[i].binding ? LANES : RESULTS)};
    }
    struct regions *regions = regions_create();
    struct machine *machine = machine_create(&read, regions, say, NULL);
    const struct dispatch dispatch = {.program = program,
                                      .groups = {1, 1, 1},
                                      .local = local,
                                      .local_count = 2 + program->region_count};
    assert_int_equal(machine_dispatch(machine, &dispatch), DISPATCH_DONE);
    machine_free(machine);
    regions_free(regions);
    program_free(program);
}

#define SUBGROUP_ZERO "%chosen = OpIEqual %bool %subgroup %0\n"

// What the first lane gets, where the truth value holds in the lanes of a mask. All that is not the
// reduction's result is right.
static uint32_t result(const char *model, const char *choose, const char *operation, uint32_t held,
                       bool used, uint32_t holds)
{
    static struct text kernel;
    uint32_t in[LANES], out[RESULTS] = {0};
    write_kernel(&kernel, choose, operation, held, used);
    for (uint32_t i = 0; i < LANES; i++)
        in[i] = holds >> i & 1 ? LIMIT - 1 : LIMIT;
    run(model, &kernel, in, out);
    for (uint32_t i = 0; i < LANES; i++)
        assert_int_equal(out[LANES + i], used && holds >> i & 1 ? held : 0);
    for (uint32_t i = 1; i < WIDTH; i++)
        assert_int_equal(out[i], out[0]);
    return out[0];
}

#define FAULTY "model=faulty,fault=reduction"

TEST(a_reduction_leaves_lanes_out)
{
    assert_int_equal(result("model=lockstep", SUBGROUP_ZERO, ADD, 12, true, 0xF), 10);
    assert_int_equal(result(FAULTY, SUBGROUP_ZERO, ADD, 12, true, 0xF), 0xFFFFFFFF);
    assert_int_equal(result(FAULTY, SUBGROUP_ZERO, ADD, 12, true, 0x5), 2 + 4);
    assert_int_equal(result(FAULTY, SUBGROUP_ZERO, ADD, 12, true, 0xF0), 10);
}

TEST(it_does_so_in_all_integer_operations)
{
    static const char *const operations[] = {SUM("IAdd"),      SUM("SMin"),      SUM("UMin"),
                                             SUM("SMax"),      SUM("UMax"),      SUM("BitwiseAnd"),
                                             SUM("BitwiseOr"), SUM("BitwiseXor")};
    for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
        assert_int_equal(result(FAULTY, SUBGROUP_ZERO, operations[i], 16, true, 0xF), 0xFFFFFFFF);
    assert_int_equal(result(FAULTY, SUBGROUP_ZERO, SUM("IMul"), 16, true, 0xF), 24);
}

TEST(it_does_so_in_a_function_of_one_call)
{
    static const char again[] = "%again = " CALL " %me\n" SUBGROUP_ZERO;
    assert_int_equal(result("model=lockstep", SUBGROUP_ZERO, CALL, 12, true, 0xF), 10);
    assert_int_equal(result(FAULTY, SUBGROUP_ZERO, CALL, 12, true, 0xF), 0xFFFFFFFF);
    assert_int_equal(result(FAULTY, again, CALL, 12, true, 0xF), 10);
}

TEST(it_takes_a_branch_on_the_subgroup)
{
    static const char *const hit[] = {
        SUBGROUP_ZERO,
        "%chosen = OpULessThan %bool %subgroup %1\n",
        "%end = OpISub %uint %subgroups %1\n%chosen = OpINotEqual %bool %end %subgroup\n",
    };
    static const char *const spared[] = {
        "%chosen = OpULessThan %bool %me %4\n",
        "%same = OpBitwiseAnd %uint %subgroup %1\n%chosen = OpIEqual %bool %same %0\n",
        "%zero = OpBitwiseAnd %uint %word %0\n%chosen = OpIEqual %bool %subgroup %zero\n",
    };
    for (int i = 0; i < 3; i++) {
        assert_int_equal(result(FAULTY, hit[i], ADD, 12, true, 0xF), 0xFFFFFFFF);
        assert_int_equal(result(FAULTY, spared[i], ADD, 12, true, 0xF), 10);
    }
}

TEST(it_takes_twelve_truth_values_across)
{
    assert_int_equal(result(FAULTY, SUBGROUP_ZERO, ADD, 11, true, 0xF), 10);
    assert_int_equal(result(FAULTY, SUBGROUP_ZERO, ADD, 24, false, 0xF), 10);
}
