// SPDX-License-Identifier: Apache-2.0
// The operators of model `miscompiling`: a kernel for each, what it gives with the operator and
// without; which sites are taken.
#include "../unit/unit.h"

#include "assemble.h"
#include "schedule/machine.h"

enum { INVOCATIONS = 8, WIDTH = 4, SEEDS = 100 };

#define HEAD                                                                                       \
    "OpCapability Shader\n"                                                                        \
    "OpCapability Int8\n"                                                                          \
    "OpCapability GroupNonUniform\n"                                                               \
    "OpCapability GroupNonUniformArithmetic\n"                                                     \
    "OpCapability GroupNonUniformShuffle\n"                                                        \
    "OpCapability CooperativeMatrixKHR\n"                                                          \
    "OpMemoryModel Logical GLSL450\n"                                                              \
    "OpEntryPoint GLCompute %main \"main\" %p_me %p_subgroup\n"                                    \
    "OpExecutionMode %main LocalSize 8 1 1\n"                                                      \
    "OpDecorate %p_me BuiltIn LocalInvocationIndex\n"                                              \
    "OpDecorate %p_subgroup BuiltIn SubgroupId\n"                                                  \
    "OpDecorate %words ArrayStride 4\n"                                                            \
    "OpDecorate %block Block\n"                                                                    \
    "OpMemberDecorate %block 0 Offset 0\n"                                                         \
    "OpDecorate %out DescriptorSet 0\n"                                                            \
    "OpDecorate %out Binding 0\n"                                                                  \
    "OpDecorate %state DescriptorSet 0\n"                                                          \
    "OpDecorate %state Binding 1\n"                                                                \
    "%void = OpTypeVoid\n"                                                                         \
    "%bool = OpTypeBool\n"                                                                         \
    "%uint = OpTypeInt 32 0\n"                                                                     \
    "%uchar = OpTypeInt 8 0\n"                                                                     \
    "%pair = OpTypeStruct %uint %uint\n"                                                           \
    "%0 = OpConstant %uint 0\n"                                                                    \
    "%1 = OpConstant %uint 1\n"                                                                    \
    "%2 = OpConstant %uint 2\n"                                                                    \
    "%3 = OpConstant %uint 3\n"                                                                    \
    "%4 = OpConstant %uint 4\n"                                                                    \
    "%7 = OpConstant %uint 7\n"                                                                    \
    "%128 = OpConstant %uint 128\n"                                                                \
    "%264 = OpConstant %uint 264\n"                                                                \
    "%300 = OpConstant %uint 300\n"                                                                \
    "%words = OpTypeRuntimeArray %uint\n"                                                          \
    "%block = OpTypeStruct %words\n"                                                               \
    "%p_block = OpTypePointer StorageBuffer %block\n"                                              \
    "%p_word = OpTypePointer StorageBuffer %uint\n"                                                \
    "%p_uint = OpTypePointer Input %uint\n"                                                        \
    "%p_pair = OpTypePointer Function %pair\n"                                                     \
    "%p_shared = OpTypePointer Workgroup %uint\n"                                                  \
    "%none = OpConstantNull %uint\n"                                                               \
    "%shared = OpVariable %p_shared Workgroup %none\n"                                             \
    "%f_void = OpTypeFunction %void\n"                                                             \
    "%p_me = OpVariable %p_uint Input\n"                                                           \
    "%p_subgroup = OpVariable %p_uint Input\n"                                                     \
    "%out = OpVariable %p_block StorageBuffer\n"                                                   \
    "%state = OpVariable %p_block StorageBuffer\n"
#define MAIN                                                                                       \
    "%main = OpFunction %void None %f_void\n"                                                      \
    "%entry = OpLabel\n"                                                                           \
    "%variable = OpVariable %p_pair Function\n"                                                    \
    "%me = OpLoad %uint %p_me\n"                                                                   \
    "%subgroup = OpLoad %uint %p_subgroup\n"                                                       \
    "%to = OpAccessChain %p_word %out %0 %me\n"
#define MATRIX "%matrix = OpTypeCooperativeMatrixKHR %uint %3 %2 %2 %2\n"
#define END                                                                                        \
    "OpReturn\n"                                                                                   \
    "OpFunctionEnd\n"
#define ODD                                                                                        \
    "%bit = OpBitwiseAnd %uint %me %1\n"                                                           \
    "%odd = OpINotEqual %bool %bit %0\n"
// Stores what is computed in the branch of the odd lanes; the others have 9.
#define IN_BRANCH(code)                                                                            \
    ODD "OpStore %to %nine\n"                                                                      \
        "OpSelectionMerge %after None\n"                                                           \
        "OpBranchConditional %odd %arm %after\n"                                                   \
        "%arm = OpLabel\n" code "OpStore %to %value\n"                                             \
        "OpBranch %after\n"                                                                        \
        "%after = OpLabel\n"
#define NINE "%nine = OpIAdd %uint %7 %2\n"

// Two ways to one word of the state, of which nothing is known before.
#define TWO_WAYS                                                                                   \
    "%zero = OpBitwiseAnd %uint %me %0\n"                                                          \
    "%again = OpIAdd %uint %me %zero\n"                                                            \
    "%here = OpAccessChain %p_word %state %0 %me\n"                                                \
    "%there = OpAccessChain %p_word %state %0 %again\n"

static const struct {
    enum operator which;
    const char *code;
    uint32_t right[INVOCATIONS], wrong[INVOCATIONS];
} cases[] = {
    {OPERATOR_LOAD_LATE,
     TWO_WAYS "%value = OpLoad %uint %here\n"
              "OpStore %there %7\n"
              "OpStore %to %value\n",
     {0},
     {7, 7, 7, 7, 7, 7, 7, 7}},
    {OPERATOR_STORE_LATE,
     TWO_WAYS "OpStore %here %7\n"
              "%value = OpLoad %uint %there\n"
              "OpStore %to %value\n",
     {7, 7, 7, 7, 7, 7, 7, 7},
     {0}},
    {OPERATOR_FORWARD,
     TWO_WAYS "OpStore %here %3\n"
              "OpStore %there %7\n"
              "%value = OpLoad %uint %here\n"
              "OpStore %to %value\n",
     {7, 7, 7, 7, 7, 7, 7, 7},
     {3, 3, 3, 3, 3, 3, 3, 3}},
    {OPERATOR_MEMBER,
     "%whole = OpCompositeConstruct %pair %3 %7\n"
     "OpStore %variable %whole\n"
     "%copy = OpLoad %pair %variable\n"
     "%value = OpCompositeExtract %uint %copy 1\n"
     "OpStore %to %value\n",
     {7, 7, 7, 7, 7, 7, 7, 7},
     {0}},
    {OPERATOR_DEAD,
     TWO_WAYS "%before = OpAtomicIAdd %uint %here %1 %0 %7\n"
              "%value = OpLoad %uint %there\n"
              "OpStore %to %value\n",
     {7, 7, 7, 7, 7, 7, 7, 7},
     {0}},
    {OPERATOR_HOIST,
     NINE IN_BRANCH("%value = OpGroupNonUniformBroadcastFirst %uint %3 %me\n"),
     {9, 1, 9, 1, 9, 5, 9, 5},
     {9, 0, 9, 0, 9, 4, 9, 4}},
    {OPERATOR_SINK,
     NINE "%value = OpGroupNonUniformBroadcastFirst %uint %3 %me\n" IN_BRANCH(""),
     {9, 0, 9, 0, 9, 4, 9, 4},
     {9, 1, 9, 1, 9, 5, 9, 5}},
    {OPERATOR_MERGE,
     ODD "OpSelectionMerge %after None\n"
         "OpBranchConditional %odd %arm %other\n"
         "%arm = OpLabel\n"
         "%ones = OpGroupNonUniformIAdd %uint %3 0 %1\n"
         "OpBranch %after\n"
         "%other = OpLabel\n"
         "%more = OpIAdd %uint %1 %2\n"
         "%threes = OpGroupNonUniformIAdd %uint %3 0 %more\n"
         "OpBranch %after\n"
         "%after = OpLabel\n"
         "%value = OpPhi %uint %ones %arm %threes %other\n"
         "OpStore %to %value\n",
     {6, 2, 6, 2, 6, 2, 6, 2},
     {8, 8, 8, 8, 8, 8, 8, 8}},
    {OPERATOR_REUSE,
     NINE "%first = OpGroupNonUniformBroadcastFirst %uint %3 %me\n" IN_BRANCH(
         "%again = OpGroupNonUniformBroadcastFirst %uint %3 %me\n"
         "%value = OpIAdd %uint %again %first\n"),
     {9, 1, 9, 1, 9, 9, 9, 9},
     {9, 0, 9, 0, 9, 8, 9, 8}},
    {OPERATOR_UNIFORM,
     "%lane = OpBitwiseAnd %uint %me %3\n"
     "%from = OpISub %uint %3 %lane\n"
     "%value = OpGroupNonUniformShuffle %uint %3 %me %from\n"
     "OpStore %to %value\n",
     {3, 2, 1, 0, 7, 6, 5, 4},
     {3, 3, 3, 3, 7, 7, 7, 7}},
    {OPERATOR_OWN,
     "%value = OpGroupNonUniformShuffleXor %uint %3 %me %1\n"
     "OpStore %to %value\n",
     {1, 0, 3, 2, 5, 4, 7, 6},
     {0, 1, 2, 3, 4, 5, 6, 7}},
    {OPERATOR_BRANCH,
     NINE IN_BRANCH("%value = OpCopyObject %uint %1\n"),
     {9, 1, 9, 1, 9, 1, 9, 1},
     {9, 9, 9, 9, 9, 9, 9, 9}},
    {OPERATOR_COUNTER,
     "OpBranch %loop\n"
     "%loop = OpLabel\n"
     "%i = OpPhi %uint %0 %entry %next %more\n"
     "OpLoopMerge %after %more None\n"
     "OpBranch %test\n"
     "%test = OpLabel\n"
     "%on = OpULessThan %bool %i %300\n"
     "OpBranchConditional %on %more %after\n"
     "%more = OpLabel\n"
     "%next = OpIAdd %uint %i %1\n"
     "OpBranch %loop\n"
     "%after = OpLabel\n"
     "OpStore %to %i\n",
     {300, 300, 300, 300, 300, 300, 300, 300},
     {44, 44, 44, 44, 44, 44, 44, 44}},
    {OPERATOR_SPILL,
     "%twice = OpIMul %uint %me %2\n"
     "%lanes = OpGroupNonUniformIAdd %uint %3 0 %1\n"
     "%value = OpIAdd %uint %twice %lanes\n"
     "OpStore %to %value\n",
     {4, 6, 8, 10, 12, 14, 16, 18},
     {6, 6, 10, 10, 14, 14, 18, 18}},
    {OPERATOR_SUBWORD,
     "%high = OpBitwiseOr %uint %me %128\n"
     "%byte = OpUConvert %uchar %high\n"
     "%taken = OpGroupNonUniformShuffleXor %uchar %3 %byte %1\n"
     "%value = OpUConvert %uint %taken\n"
     "OpStore %to %value\n",
     {129, 128, 131, 130, 133, 132, 135, 134},
     {0xffffff81, 0xffffff80, 0xffffff83, 0xffffff82, 0xffffff85, 0xffffff84, 0xffffff87,
      0xffffff86}},
    {OPERATOR_PREDICATE,
     "%lane = OpBitwiseAnd %uint %me %3\n"
     "%is_low = OpULessThan %bool %lane %2\n"
     "%value = OpGroupNonUniformIAdd %uint %3 0 %1\n"
     "OpStore %to %value\n",
     {4, 4, 4, 4, 4, 4, 4, 4},
     {2, 2, 0, 0, 2, 2, 0, 0}},
    {OPERATOR_INACTIVE,
     NINE IN_BRANCH("%value = OpGroupNonUniformIAdd %uint %3 0 %1\n"),
     {9, 2, 9, 2, 9, 2, 9, 2},
     {9, 4, 9, 4, 9, 4, 9, 4}},
    {OPERATOR_ATOMIC,
     TWO_WAYS "OpAtomicStore %here %1 %0 %7\n"
              "OpAtomicStore %here %1 %0 %7\n"
              "%before = OpAtomicIAdd %uint %here %1 %0 %1\n"
              "%after = OpLoad %uint %there\n"
              "%value = OpIAdd %uint %before %after\n"
              "OpStore %to %value\n",
     {15, 15, 15, 15, 15, 15, 15, 15},
     {31, 31, 31, 31, 31, 31, 31, 31}},
    {OPERATOR_ZERO,
     "%value = OpLoad %uint %shared\n"
     "OpStore %to %value\n",
     {0},
     {0xa6a7a4a5, 0xa6a7a4a5, 0xa6a7a4a5, 0xa6a7a4a5, 0xa6a7a4a5, 0xa6a7a4a5, 0xa6a7a4a5,
      0xa6a7a4a5}},
    // 2 x 2 words of each subgroup.
    {OPERATOR_TRANSPOSE,
     "%square = OpIMul %uint %subgroup %4\n"
     "%here = OpAccessChain %p_word %state %0 %me\n"
     "%from = OpAccessChain %p_word %state %0 %square\n"
     "%there = OpAccessChain %p_word %out %0 %square\n"
     "OpStore %here %me\n"
     "OpControlBarrier %3 %3 %264\n"
     "%whole = OpCooperativeMatrixLoadKHR %matrix %from %0 %2\n"
     "OpCooperativeMatrixStoreKHR %there %whole %0 %2\n",
     {0, 1, 2, 3, 4, 5, 6, 7},
     {0, 2, 1, 3, 4, 6, 5, 7}},
};
#define CASES (sizeof cases / sizeof *cases)

static void say(void *user, const char *line)
{
    (void)user;
    fail_msg("%s", line);
}

// Older headers do not name the instructions.
static bool has_matrices(void)
{
    return strcmp(module_op_name(SpvOpTypeCooperativeMatrixKHR), "Unknown") != 0;
}

static struct program *compile(const struct settings *settings, const char *code)
{
    static struct assembly assembly;
    static char text[8192], error[512];
    snprintf(text, sizeof text, "%s%s%s%s%s", HEAD, has_matrices() ? MATRIX : "", MAIN, code, END);
    assemble(&assembly, text);
    const struct program_options options = {.entry = "main",
                                            .subgroup = WIDTH,
                                            .local_size_max = 64,
                                            .shared_max = 64,
                                            .operators = settings->operators,
                                            .seed = settings->seed};
    struct program *program =
        program_compile(assembly.words, assembly.count, &options, error, sizeof error);
    if (!program)
        fail_msg("%s", error);
    return program;
}

static struct settings with(enum operator which, const char *rate, unsigned seed)
{
    struct settings settings;
    char text[128], error[512] = "";
    snprintf(text, sizeof text, "model=miscompiling,%s=%s,threads=1,seed=%u", operator_names[which],
             rate, seed);
    assert_true(settings_parse(text, &settings, error, sizeof error));
    return settings;
}

static void run(const struct settings *settings, const char *code, uint32_t out[INVOCATIONS])
{
    struct program *program = compile(settings, code);
    uint32_t state[INVOCATIONS] = {0};
    struct region local[4] = {{0}};
    for (uint32_t i = 0; i < program->resource_count; i++)
        local[program->resources[i].first_region - LOCAL_SHARED] =
            (struct region){.bytes = (unsigned char *)(program->resources[i].binding ? state : out),
                            .size = sizeof state};
    struct regions *regions = regions_create();
    struct machine *machine = machine_create(settings, regions, say, NULL);
    const struct dispatch dispatch = {.program = program,
                                      .groups = {1, 1, 1},
                                      .local = local,
                                      .local_count = 2 + program->region_count};
    memset(out, 0xff, sizeof state);
    assert_int_equal(machine_dispatch(machine, &dispatch), DISPATCH_DONE);
    machine_free(machine);
    regions_free(regions);
    program_free(program);
}

TEST(each_operator_changes_its_kernel)
{
    for (size_t i = 0; i < CASES; i++) {
        if (cases[i].which == OPERATOR_TRANSPOSE && !has_matrices())
            continue;
        for (int on = 0; on < 2; on++) {
            const struct settings settings = with(cases[i].which, on ? "1" : "0", 1);
            const uint32_t *expected = on ? cases[i].wrong : cases[i].right;
            uint32_t out[INVOCATIONS];
            run(&settings, cases[i].code, out);
            for (uint32_t k = 0; k < INVOCATIONS; k++)
                if (out[k] != expected[k])
                    fail_msg("%s=%d: invocation %u has %u, not %u", operator_names[cases[i].which],
                             on, k, out[k], expected[k]);
        }
    }
}

// What only the order of two subgroups shows: in how many of the seeds some invocation stores 1.
static uint32_t seen(enum operator which, const char *rate, const char *code)
{
    uint32_t count = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        const struct settings settings = with(which, rate, seed);
        uint32_t out[INVOCATIONS], any = 0;
        run(&settings, code, out);
        for (uint32_t k = 0; k < INVOCATIONS; k++)
            any |= out[k] == 1;
        count += any;
    }
    return count;
}

TEST(loads_change_places)
{
    // One subgroup stores, the other loads twice: did it see the store first, and then not?
    static const char code[] = "OpStore %to %0\n"
                               "%zero = OpBitwiseAnd %uint %me %0\n"
                               "%here = OpAccessChain %p_word %state %0 %0\n"
                               "%there = OpAccessChain %p_word %state %0 %zero\n"
                               "%stores = OpINotEqual %bool %subgroup %0\n"
                               "OpSelectionMerge %after None\n"
                               "OpBranchConditional %stores %store %load\n"
                               "%store = OpLabel\n"
                               "OpAtomicStore %here %1 %0 %1\n"
                               "OpBranch %after\n"
                               "%load = OpLabel\n"
                               "%one = OpAtomicLoad %uint %here %1 %0\n"
                               "%two = OpAtomicLoad %uint %there %1 %0\n"
                               "%less = OpULessThan %bool %two %one\n"
                               "%value = OpSelect %uint %less %1 %0\n"
                               "OpStore %to %value\n"
                               "OpBranch %after\n"
                               "%after = OpLabel\n";
    assert_int_equal(seen(OPERATOR_LOAD_ORDER, "0", code), 0);
    assert_in_range(seen(OPERATOR_LOAD_ORDER, "1", code), 1, SEEDS);
}

TEST(a_barrier_is_left_out)
{
    // Did the other subgroup's word stand there behind the barrier?
    static const char code[] = "%here = OpAccessChain %p_word %state %0 %me\n"
                               "%other = OpISub %uint %7 %me\n"
                               "%there = OpAccessChain %p_word %state %0 %other\n"
                               "OpStore %here %2\n"
                               "OpControlBarrier %2 %2 %264\n"
                               "%loaded = OpLoad %uint %there\n"
                               "%missing = OpIEqual %bool %loaded %0\n"
                               "%value = OpSelect %uint %missing %1 %0\n"
                               "OpStore %to %value\n";
    assert_int_equal(seen(OPERATOR_BARRIER, "0", code), 0);
    assert_in_range(seen(OPERATOR_BARRIER, "1", code), 1, SEEDS);
}

TEST(every_operator_is_tested)
{
    uint32_t tested = 1u << OPERATOR_LOAD_ORDER | 1u << OPERATOR_BARRIER;
    for (size_t i = 0; i < CASES; i++)
        tested |= 1u << cases[i].which;
    assert_int_equal(tested, (1u << OPERATOR_COUNT) - 1);
}

// Sites: two shuffles, one of which a rate of one half takes in about half of the seeds.

static const char shuffles[] = "%first = OpGroupNonUniformShuffleXor %uint %3 %me %1\n"
                               "%second = OpGroupNonUniformShuffleXor %uint %3 %first %2\n"
                               "OpStore %to %second\n";

static uint32_t sites(const char *rate, unsigned seed)
{
    const struct settings settings = with(OPERATOR_OWN, rate, seed);
    struct program *program = compile(&settings, shuffles);
    uint32_t taken = 0, bit = 0;
    for (uint32_t pc = 0; pc < program->insn_count; pc++) {
        const bool is_taken = program->insns[pc].miscompiled;
        // The listing says so where it was changed, and nowhere else.
        assert_int_equal(is_taken, strstr(program->lines[pc], "  ; own") != NULL);
        if (strstr(program->lines[pc], "Shuffle"))
            taken |= (uint32_t)is_taken << bit++;
    }
    assert_int_equal(bit, 2);
    program_free(program);
    return taken;
}

TEST(the_rate_takes_sites)
{
    uint32_t how_often[4] = {0};
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        assert_int_equal(sites("0", seed), 0);
        assert_int_equal(sites("1", seed), 3);
        const uint32_t taken = sites("0.5", seed);
        assert_int_equal(sites("0.5", seed), taken);
        assert_int_equal(sites("0.75", seed) & taken, taken); // a greater rate takes more
        how_often[taken]++;
    }
    for (int i = 0; i < 4; i++)
        assert_in_range(how_often[i], SEEDS / 10, SEEDS / 2);
}
