// SPDX-License-Identifier: Apache-2.0
// Dispatches: what kernels that do wrong things are told, how a dispatch ends, who executes what,
// and the trace. Each kernel writes words to `out` and may read words of `in`.
#include "../unit/unit.h"

#include "assemble.h"
#include "schedule/machine.h"

#include <inttypes.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { OUT_WORDS = 256, IN_WORDS = 15, LINES = 16 };

// A kernel with workgroups of `size` times 1 times 1; %me is the number within the workgroup, %id
// that within the dispatch.
#define KERNEL(size, declarations, code)                                                           \
    "OpCapability Shader\n"                                                                        \
    "OpCapability Int64\n"                                                                         \
    "OpCapability GroupNonUniform\n"                                                               \
    "OpCapability GroupNonUniformArithmetic\n"                                                     \
    "OpCapability GroupNonUniformQuad\n"                                                           \
    "OpCapability PhysicalStorageBufferAddresses\n"                                                \
    "OpMemoryModel PhysicalStorageBuffer64 GLSL450\n"                                              \
    "OpEntryPoint GLCompute %main \"main\" %p_me %p_group %out %in\n"                              \
    "OpExecutionMode %main LocalSize " size " 1 1\n"                                               \
    "OpName %main \"main\"\n"                                                                      \
    "OpName %value \"value\"\n"                                                                    \
    "OpName %from \"from\"\n"                                                                      \
    "OpName %to \"to\"\n"                                                                          \
    "OpName %more \"more\"\n"                                                                      \
    "OpName %id \"id\"\n"                                                                          \
    "OpDecorate %p_me BuiltIn LocalInvocationIndex\n"                                              \
    "OpDecorate %p_group BuiltIn WorkgroupId\n"                                                    \
    "OpDecorate %words ArrayStride 4\n"                                                            \
    "OpDecorate %block Block\n"                                                                    \
    "OpMemberDecorate %block 0 Offset 0\n"                                                         \
    "OpDecorate %out DescriptorSet 0\n"                                                            \
    "OpDecorate %out Binding 0\n"                                                                  \
    "OpDecorate %in DescriptorSet 0\n"                                                             \
    "OpDecorate %in Binding 1\n"                                                                   \
    "%void = OpTypeVoid\n"                                                                         \
    "%bool = OpTypeBool\n"                                                                         \
    "%uint = OpTypeInt 32 0\n"                                                                     \
    "%v3 = OpTypeVector %uint 3\n"                                                                 \
    "%0 = OpConstant %uint 0\n"                                                                    \
    "%1 = OpConstant %uint 1\n"                                                                    \
    "%2 = OpConstant %uint 2\n"                                                                    \
    "%3 = OpConstant %uint 3\n"                                                                    \
    "%size = OpConstant %uint " size "\n"                                                          \
    "%acquire_release = OpConstant %uint 0x108\n"                                                  \
    "%words = OpTypeRuntimeArray %uint\n"                                                          \
    "%block = OpTypeStruct %words\n"                                                               \
    "%p_block = OpTypePointer StorageBuffer %block\n"                                              \
    "%p_word = OpTypePointer StorageBuffer %uint\n"                                                \
    "%p_uint = OpTypePointer Input %uint\n"                                                        \
    "%p_v3 = OpTypePointer Input %v3\n"                                                            \
    "%f_void = OpTypeFunction %void\n"                                                             \
    "%p_me = OpVariable %p_uint Input\n"                                                           \
    "%p_group = OpVariable %p_v3 Input\n"                                                          \
    "%out = OpVariable %p_block StorageBuffer\n"                                                   \
    "%in = OpVariable %p_block StorageBuffer\n" declarations                                       \
    "%main = OpFunction %void None %f_void\n"                                                      \
    "%entry = OpLabel\n"                                                                           \
    "%me = OpLoad %uint %p_me\n"                                                                   \
    "%group3 = OpLoad %v3 %p_group\n"                                                              \
    "%group = OpCompositeExtract %uint %group3 0\n"                                                \
    "%first = OpIMul %uint %group %size\n"                                                         \
    "%id = OpIAdd %uint %first %me\n" code "OpReturn\n"                                            \
    "OpFunctionEnd\n"
#define STORE(index, what)                                                                         \
    "%to = OpAccessChain %p_word %out %0 %" index "\n"                                             \
    "OpStore %to %" what "\n"

// Copies word `id` of `in`, plus 1.
static const char copying[] = KERNEL("8", "",
                                     "%from = OpAccessChain %p_word %in %0 %id\n"
                                     "%value = OpLoad %uint %from\n"
                                     "%more = OpIAdd %uint %value %1\n" STORE("id", "more"));

// Counts the lanes of the subgroup.
static const char counting[] =
    KERNEL("6", "", "%value = OpGroupNonUniformIAdd %uint %3 0 %1\n" STORE("id", "value"));

static struct {
    struct settings settings;
    struct program *program;
    uint32_t out[OUT_WORDS], in[IN_WORDS];
    struct region local[4];
    struct dispatch dispatch;
    struct regions *regions;
    struct machine *machine;
    char lines[LINES][512];
    uint32_t line_count;
} world;

static void say(void *user, const char *line)
{
    (void)user;
    assert_true(world.line_count < LINES);
    snprintf(world.lines[world.line_count++], sizeof world.lines[0], "%s", line);
}

// What a binding points to; kernels that do not use it have none.
static struct region *binding(uint32_t number)
{
    static struct region nowhere;
    for (uint32_t i = 0; i < world.program->resource_count; i++)
        if (world.program->resources[i].binding == number)
            return &world.local[world.program->resources[i].first_region - LOCAL_SHARED];
    return &nowhere;
}

// Compiles the kernel and makes a machine; 15 words of `in` are 100, 101, ..., `out` is all ones.
static void prepare(const char *settings, const char *kernel, uint32_t groups)
{
    static struct assembly assembly;
    char error[512] = "";
    memset(&world, 0, sizeof world);
    assert_true(settings_parse(settings, &world.settings, error, sizeof error));
    assemble(&assembly, kernel);
    const struct program_options options = {.entry = "main",
                                            .subgroup = world.settings.subgroup,
                                            .local_size_max = 1024,
                                            .shared_max = 1024};
    world.program = program_compile(assembly.words, assembly.count, &options, error, sizeof error);
    if (!world.program)
        fail_msg("%s", error);
    for (uint32_t i = 0; i < IN_WORDS; i++)
        world.in[i] = 100 + i;
    memset(world.out, 0xff, sizeof world.out);
    *binding(0) = (struct region){.bytes = (unsigned char *)world.out, .size = sizeof world.out};
    *binding(1) = (struct region){.bytes = (unsigned char *)world.in, .size = sizeof world.in};
    world.dispatch = (struct dispatch){.program = world.program,
                                       .groups = {groups, 1, 1},
                                       .local = world.local,
                                       .local_count = 2 + world.program->region_count};
    world.regions = regions_create();
    world.machine = machine_create(&world.settings, world.regions, say, NULL);
    assert_non_null(world.machine);
}

static void finish(void)
{
    machine_free(world.machine);
    regions_free(world.regions);
    program_free(world.program);
}

static void expect_end(enum dispatch_end end)
{
    assert_int_equal(machine_dispatch(world.machine, &world.dispatch), end);
}

static void expect_line(const char *line)
{
    assert_int_equal(world.line_count, 1);
    assert_string_equal(world.lines[0], line);
}

// A kernel that does something wrong once: the line, and how the dispatch ends.
static void expect_fault(const char *settings, const char *kernel, const char *line)
{
    prepare(settings, kernel, 1);
    expect_end(DISPATCH_FAULT);
    expect_line(line);
    finish();
}

// Faults.

#define OUTSIDE                                                                                    \
    "out-of-bounds access of 4 bytes at set 0 binding 1 + 60 by %value = OpLoad %uint %from, "     \
    "workgroup (1, 0, 0), subgroup 1, lane 3"

TEST(an_access_out_of_bounds_is_reported)
{
    prepare("subgroup=4,threads=1", copying, 2); // element 15 of 15
    expect_end(DISPATCH_FAULT);
    expect_line(OUTSIDE);
    world.line_count = 0;
    expect_end(DISPATCH_FAULT); // each dispatch says it
    expect_line(OUTSIDE);
    finish();
}

TEST(execution_goes_on_after_a_report)
{
    for (int robust = 0; robust < 2; robust++) {
        prepare(robust ? "subgroup=4" : "subgroup=4,bounds=report", copying, 4);
        world.dispatch.robust = robust;
        expect_end(DISPATCH_DONE);
        assert_int_equal(world.line_count, 1); // 17 accesses of one instruction
        assert_non_null(strstr(world.lines[0], " by %value = OpLoad %uint %from, workgroup ("));
        for (uint32_t i = 0; i < 32; i++)
            assert_int_equal(world.out[i], i < IN_WORDS ? 101 + i : 1);
        assert_int_equal(world.out[32], UINT32_MAX);
        finish();
    }
}

// Of a dispatch that is bounded the first workgroups are executed, and it ends well.
TEST(a_part_of_a_dispatch_is_executed)
{
    prepare("subgroup=4,threads=1,bounds=report,workgroups=2", copying, 4);
    expect_end(DISPATCH_DONE);
    assert_int_equal(world.out[7], 108);
    assert_int_equal(world.out[14], 115);
    assert_int_equal(world.out[16], UINT32_MAX);
    finish();
    // One workgroup begins, and is not executed to its end.
    prepare("subgroup=4,threads=1,bounds=report,resident=1,instructions=1", copying, 4);
    expect_end(DISPATCH_DONE);
    assert_int_equal(world.out[7], UINT32_MAX);
    assert_int_equal(world.out[8], UINT32_MAX);
    finish();
    // None begins behind the third.
    prepare("subgroup=4,threads=1,bounds=report", copying, 1);
    expect_end(DISPATCH_DONE);
    const uint64_t one = machine_instructions(world.machine);
    char settings[80];
    finish();
    snprintf(settings, sizeof settings,
             "subgroup=4,threads=1,bounds=report,resident=1,instructions=%" PRIu64, one * 3 - 1);
    prepare(settings, copying, 4);
    expect_end(DISPATCH_DONE);
    assert_int_equal(world.out[23], 1);
    assert_int_equal(world.out[24], UINT32_MAX);
    finish();
}

TEST(a_store_to_read_only_memory_is_reported)
{
    static const char line[] = "store to read-only memory of 4 bytes at set 0 binding 0 + 0 by "
                               "OpStore %to %more, workgroup (0, 0, 0), subgroup 0, lane 0";
    for (int report = 0; report < 2; report++) {
        prepare(report ? "subgroup=8,threads=1,bounds=report" : "subgroup=8,threads=1", copying, 1);
        binding(0)->read_only = true;
        expect_end(report ? DISPATCH_DONE : DISPATCH_FAULT);
        expect_line(line);
        assert_int_equal(world.out[0], UINT32_MAX);
        finish();
    }
}

TEST(a_buffer_that_is_not_bound_is_reported)
{
    prepare("subgroup=8,threads=1", copying, 1);
    *binding(1) = (struct region){0};
    expect_end(DISPATCH_FAULT);
    expect_line("out-of-bounds access of 4 bytes at set 0 binding 1 + 0 by "
                "%value = OpLoad %uint %from, workgroup (0, 0, 0), subgroup 0, lane 0");
    finish();
}

TEST(a_null_address_is_reported)
{
    expect_fault("subgroup=4,threads=1",
                 KERNEL("4",
                        "%ulong = OpTypeInt 64 0\n"
                        "%p_far = OpTypePointer PhysicalStorageBuffer %uint\n"
                        "%eight = OpConstant %ulong 8 0\n",
                        "%from = OpConvertUToPtr %p_far %eight\n"
                        "%value = OpLoad %uint %from 2 4\n"),
                 "out-of-bounds access of 4 bytes at null pointer + 8 by %value = OpLoad %uint "
                 "%from Aligned 4, workgroup (0, 0, 0), subgroup 0, lane 0");
}

TEST(an_atomic_that_is_misaligned_is_reported)
{
    prepare("subgroup=4,threads=1",
            KERNEL("4",
                   "%ulong = OpTypeInt 64 0\n"
                   "%p_far = OpTypePointer PhysicalStorageBuffer %uint\n"
                   "%two = OpConstant %ulong 2 256\n", // region 1, byte 2
                   "%from = OpConvertUToPtr %p_far %two\n"
                   "%value = OpAtomicIAdd %uint %from %1 %0 %1\n"),
            1);
    const struct region region = {.bytes = (unsigned char *)world.out, .size = sizeof world.out};
    assert_int_equal(regions_add(world.regions, region), 1);
    expect_end(DISPATCH_FAULT);
    assert_int_equal(world.line_count, 1);
    assert_non_null(strstr(world.lines[0], "misaligned atomic access of 4 bytes at address "
                                           "0x10000000002 by %value = OpAtomicIAdd"));
    assert_non_null(strstr(world.lines[0], ", workgroup (0, 0, 0), subgroup 0, lane 0"));
    finish();
}

TEST(unreachable_that_is_reached_is_reported)
{
    expect_fault("subgroup=4,threads=1",
                 KERNEL("4", "",
                        "%third = OpIEqual %bool %me %2\n"
                        "OpSelectionMerge %merge None\n"
                        "OpBranchConditional %third %never %merge\n"
                        "%never = OpLabel\n"
                        "OpUnreachable\n"
                        "%merge = OpLabel\n"),
                 "OpUnreachable was reached by OpUnreachable, workgroup (0, 0, 0), subgroup 0, "
                 "lane 2");
}

// Lanes 0 and 1 wait for the workgroup; lanes 2 and 3 wait for them behind the merge.
static const char stuck[] =
    KERNEL("4", "",
           "%low = OpULessThan %bool %me %2\n"
           "OpSelectionMerge %merge None\n"
           "OpBranchConditional %low %then %merge\n"
           "%then = OpLabel\n"
           "OpControlBarrier %2 %2 %acquire_release\n"
           "OpBranch %merge\n"
           "%merge = OpLabel\n"
           "%value = OpGroupNonUniformIAdd %uint %3 0 %1\n" STORE("id", "value"));

TEST(a_barrier_in_divergent_flow_is_a_deadlock)
{
    static const char *const settings[] = {"subgroup=4,threads=1",
                                           "subgroup=4,threads=2,bounds=report",
                                           "subgroup=4,threads=1,model=tangled"};
    for (int i = 0; i < 3; i++)
        expect_fault(settings[i], stuck,
                     "deadlock by OpControlBarrier %uint_2 %uint_2 %uint_264, workgroup (0, 0, 0), "
                     "subgroup 0, lane 0");
    prepare("subgroup=4,threads=1,bounds=check", stuck, 1);
    expect_end(DISPATCH_DONE);
    assert_int_equal(world.line_count, 0);
    assert_int_equal(world.out[3], 4); // together again
    finish();
}

// Lanes 4 to 7 wait, 1000 times at most, for a store that lane 0 makes behind the swap; then they
// swap too. Each stores what it got, and 100 more if it waited in vain.
static const char swapping[] =
    KERNEL("8",
           "%17 = OpConstant %uint 17\n"
           "%100 = OpConstant %uint 100\n"
           "%1000 = OpConstant %uint 1000\n",
           "%flag = OpAccessChain %p_word %out %0 %17\n"
           "%high = OpUGreaterThan %bool %me %3\n"
           "OpSelectionMerge %swap None\n"
           "OpBranchConditional %high %begin %swap\n"
           "%begin = OpLabel\n"
           "OpBranch %wait\n"
           "%wait = OpLabel\n"
           "%turn = OpPhi %uint %0 %begin %next %again\n"
           "OpLoopMerge %waited %again None\n"
           "OpBranch %look\n"
           "%look = OpLabel\n"
           "%seen = OpAtomicLoad %uint %flag %1 %0\n"
           "%open = OpIEqual %bool %seen %1\n"
           "OpBranchConditional %open %waited %again\n"
           "%again = OpLabel\n"
           "%next = OpIAdd %uint %turn %1\n"
           "%on = OpULessThan %bool %next %1000\n"
           "OpBranchConditional %on %wait %waited\n"
           "%waited = OpLabel\n"
           "%vain = OpPhi %uint %0 %look %100 %again\n"
           "OpBranch %swap\n"
           "%swap = OpLabel\n"
           "%penalty = OpPhi %uint %0 %entry %vain %waited\n"
           "%other = OpGroupNonUniformQuadSwap %uint %3 %me %0\n"
           "%lowest = OpIEqual %bool %me %0\n"
           "OpSelectionMerge %done None\n"
           "OpBranchConditional %lowest %tell %done\n"
           "%tell = OpLabel\n"
           "OpAtomicStore %flag %1 %0 %1\n"
           "OpBranch %done\n"
           "%done = OpLabel\n"
           "%value = OpIAdd %uint %other %penalty\n" STORE("id", "value"));

TEST(a_quad_waits_for_itself_alone)
{
    static const char *const settings[] = {
        "subgroup=8,threads=1,model=tangled,seed=1", "subgroup=8,threads=1,model=tangled,seed=2",
        "subgroup=8,threads=1,model=tangled,seed=3", "subgroup=8,threads=1"};
    for (int i = 0; i < 4; i++) {
        prepare(settings[i], swapping, 1);
        expect_end(DISPATCH_DONE);
        const bool in_vain = i == 3; // where all lanes of a tangle go together
        for (uint32_t lane = 0; lane < 8; lane++)
            assert_int_equal(world.out[lane], (lane ^ 1) + (in_vain && lane > 3 ? 100 : 0));
        finish();
    }
}

// Who executes what.

TEST(every_thread_has_its_share)
{
    uint64_t instructions = 0;
    for (uint32_t threads = 1; threads <= 8; threads *= 2) {
        char settings[64];
        snprintf(settings, sizeof settings, "subgroup=4,threads=%" PRIu32, threads);
        prepare(settings, KERNEL("4", "", STORE("id", "id")), 64);
        for (int again = 0; again < 20; again++) {
            memset(world.out, 0xff, sizeof world.out);
            expect_end(DISPATCH_DONE);
            for (uint32_t i = 0; i < 256; i++)
                assert_int_equal(world.out[i], i);
        }
        if (!instructions)
            instructions = machine_instructions(world.machine);
        assert_int_equal(machine_instructions(world.machine), instructions);
        assert_true(instructions >= UINT64_C(4) * 64 * 20 * 2); // a store and a return at least
        finish();
    }
}

TEST(a_subgroup_may_be_partial)
{
    for (int model = 0; model < MODEL_FAULTY; model++)
        for (uint32_t subgroup = 1; subgroup <= LANES_MAX; subgroup *= 2) {
            char settings[64];
            snprintf(settings, sizeof settings, "model=%s,subgroup=%" PRIu32, model_names[model],
                     subgroup);
            prepare(settings, counting, 3);
            expect_end(DISPATCH_DONE);
            for (uint32_t i = 0; i < 18; i++) {
                const uint32_t first = i % 6 / subgroup * subgroup;
                assert_int_equal(world.out[i], 6 - first < subgroup ? 6 - first : subgroup);
            }
            finish();
        }
}

TEST(groups_that_are_empty_or_based_elsewhere)
{
    prepare("subgroup=4", copying, 0);
    expect_end(DISPATCH_DONE);
    assert_int_equal(world.out[0], UINT32_MAX);
    world.dispatch.groups[0] = 1;
    world.dispatch.base[0] = 1;
    world.dispatch.robust = true;
    expect_end(DISPATCH_DONE);
    assert_int_equal(world.out[7], UINT32_MAX);
    assert_int_equal(world.out[8], 109);
    assert_int_equal(world.out[14], 115);
    assert_int_equal(world.out[15], 1);
    finish();
}

// Word 32 counts; a group's word is how many groups came before it.
static void draw_order(const char *settings, uint32_t order[32])
{
    prepare(settings,
            KERNEL("1", "%32 = OpConstant %uint 32\n",
                   "%from = OpAccessChain %p_word %out %0 %32\n"
                   "%value = OpAtomicIAdd %uint %from %1 %0 %1\n" STORE("id", "value")),
            32);
    world.out[32] = 0;
    expect_end(DISPATCH_DONE);
    assert_int_equal(world.out[32], 32);
    memcpy(order, world.out, 32 * sizeof *order);
    finish();
}

TEST(unfair_begins_workgroups_in_another_order)
{
    uint32_t order[32], first[32], others = 0, seen = 0;
    draw_order("threads=1,resident=1", order);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(order[i], i);
    draw_order("model=unfair,threads=1,resident=1,seed=1", first);
    draw_order("model=unfair,threads=1,resident=1,seed=1", order);
    assert_memory_equal(order, first, sizeof order);
    for (uint32_t seed = 2; seed < 10; seed++) {
        char settings[64];
        snprintf(settings, sizeof settings, "model=unfair,threads=1,resident=1,seed=%" PRIu32,
                 seed);
        draw_order(settings, order);
        others += memcmp(order, first, sizeof order) != 0;
        seen = 0;
        for (uint32_t i = 0; i < 32; i++)
            seen |= 1u << order[i];
        assert_int_equal(seen, UINT32_MAX); // each once
    }
    assert_true(others >= 7);
}

// Stopping.

static void *stop_later(void *user)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    __atomic_store_n((bool *)user, true, __ATOMIC_RELAXED);
    return NULL;
}

TEST(a_loop_without_end_can_be_stopped)
{
    for (int model = 0; model < MODEL_FAULTY; model++) {
        char settings[64];
        bool stop = false;
        pthread_t thread;
        snprintf(settings, sizeof settings, "model=%s,subgroup=4,threads=2", model_names[model]);
        prepare(settings,
                KERNEL("8", "",
                       "OpBranch %head\n"
                       "%head = OpLabel\n"
                       "OpLoopMerge %merge %next None\n"
                       "OpBranch %next\n"
                       "%next = OpLabel\n"
                       "OpBranch %head\n"
                       "%merge = OpLabel\n"),
                3);
        world.dispatch.stop = &stop;
        assert_int_equal(pthread_create(&thread, NULL, stop_later, &stop), 0);
        expect_end(DISPATCH_STOPPED);
        pthread_join(thread, NULL);
        assert_int_equal(world.line_count, 0);
        assert_true(machine_instructions(world.machine) > 1000);
        finish();
    }
}

// Traces.

static char *read_trace(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    static char text[1 << 20];
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    assert_true(strlen(text) < sizeof text - 1);
    return text;
}

// Runs a kernel once and returns what the file of a setting then has, until the next call.
static char *record(const char *setting, const char *settings, const char *kernel, uint32_t groups,
                    enum dispatch_end end)
{
    char path[] = "/tmp/simt-file-XXXXXX", all[256];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    snprintf(all, sizeof all, "%s,%s=%s", settings, setting, path);
    prepare(all, kernel, groups);
    expect_end(end);
    finish();
    char *text = read_trace(path);
    unlink(path);
    return text;
}

static char *trace(const char *settings, const char *kernel, uint32_t groups, enum dispatch_end end)
{
    return record("trace", settings, kernel, groups, end);
}

TEST(a_trace_has_who_executed_what)
{
    // Two lanes of two subgroups.
    const char *text =
        trace("subgroup=1,threads=1,seed=9", KERNEL("2", "", STORE("id", "id")), 1, DISPATCH_DONE);
    static const char begin[] = "simt-trace 1\n"
                                "dispatch 0 model lockstep seed 9 subgroup 1 groups 1 1 1 "
                                "local 2 1 1\n"
                                "code 0 plain ";
    assert_int_equal(strncmp(text, begin, strlen(begin)), 0);
    assert_non_null(strstr(text, "OpStore %to %id\n"));
    // The last line of code is the return, the one before it the store of 0 by subgroup 0, of 1 by
    // subgroup 1: to binding 0, at bytes 0 and 4.
    const char *code = text, *line;
    unsigned pc = 0;
    while ((line = strstr(code, "\ncode "))) {
        assert_int_equal(sscanf(line, "\ncode %u", &pc), 1);
        code = line + 1;
    }
    assert_non_null(strstr(code, " return "));
    const uint64_t address = region_address(LOCAL_BINDINGS, 0);
    for (uint32_t i = 0; i < 2; i++) {
        char want[128];
        snprintf(want, sizeof want, " 0 %" PRIu32 " 0 %u %" PRIx32 " - %" PRIx64 " 1\n", i, pc - 1,
                 i, address + 4 * i);
        if (!strstr(text, want))
            fail_msg("'%s' is not in\n%s", want, text);
        snprintf(want, sizeof want, " 0 %" PRIu32 " 0 %u - - - 1\n", i, pc);
        if (!strstr(text, want))
            fail_msg("'%s' is not in\n%s", want, text);
    }
    const char *end = strstr(text, "\nswitches ");
    assert_non_null(end);
    assert_string_equal(strchr(end + 1, '\n'), "\nend 0 done\n");
}

TEST(a_trace_has_tangles_and_how_it_ended)
{
    // 6 invocations in subgroups of 4: tangles of 4 and of 2 at the group operation.
    const char *text = trace("subgroup=4,threads=1", counting, 1, DISPATCH_DONE);
    assert_non_null(strstr(text, "- - f\n"));
    assert_non_null(strstr(text, "- - 3\n"));
    text = trace("subgroup=4,threads=1", copying, 2, DISPATCH_FAULT);
    assert_non_null(strstr(text, "\nend 0 fault\n"));
    // A subgroup of 128: sets need all 32 digits.
    text = trace("subgroup=128,threads=1", KERNEL("128", "", STORE("id", "id")), 1, DISPATCH_DONE);
    assert_non_null(strstr(text, " ffffffffffffffffffffffffffffffff\n"));
}

// With one thread a trace is a function of the settings.
TEST(the_seed_decides_everything)
{
    for (int model = 0; model < MODEL_COUNT; model++) {
        char settings[128];
        static const char format[] = "model=%s,subgroup=4,threads=1,seed=%d";
        snprintf(settings, sizeof settings, format, model_names[model], 11);
        char *first = strdup(trace(settings, copying, 1, DISPATCH_DONE));
        assert_non_null(first);
        assert_string_equal(trace(settings, copying, 1, DISPATCH_DONE), first);
        int others = 0;
        for (int seed = 12; seed < 22; seed++) {
            snprintf(settings, sizeof settings, format, model_names[model], seed);
            // Behind the line that has the seed.
            others += strcmp(strstr(trace(settings, copying, 1, DISPATCH_DONE), "\ncode"),
                             strstr(first, "\ncode")) != 0;
        }
        free(first);
        // Under lockstep only which of two subgroups is next.
        assert_true(others >= (model == MODEL_TANGLED || model == MODEL_SNOOPING ? 10 : 1));
    }
}

// What it finds in a variable that nobody has initialized, which then is 7.
static const char remembering[] =
    KERNEL("4",
           "%seven = OpConstant %uint 7\n"
           "%p_private = OpTypePointer Private %uint\n"
           "%kept = OpVariable %p_private Private\n",
           "%value = OpLoad %uint %kept\n" STORE("id", "value") "OpStore %kept %seven\n");

// Else a wrong program's outcome depends on how its caller groups dispatches.
TEST(a_dispatch_leaves_nothing_in_registers)
{
    prepare("subgroup=4,threads=1", remembering, 1);
    for (int dispatch = 0; dispatch < 2; dispatch++) {
        memset(world.out, 7, sizeof world.out);
        expect_end(DISPATCH_DONE);
        for (int lane = 0; lane < 4; lane++) {
            assert_int_not_equal(world.out[lane], 7);
            assert_int_not_equal(world.out[lane], 0x07070707);
        }
    }
    finish();
}

TEST(a_file_that_cannot_be_written)
{
    static const char *const texts[] = {"trace=/nowhere/trace", "counts=/nowhere/counts",
                                        "trace=/dev/null,counts=/nowhere/counts"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct settings settings;
        char error[256];
        assert_true(settings_parse(texts[i], &settings, error, sizeof error));
        struct regions *regions = regions_create();
        assert_null(machine_create(&settings, regions, say, NULL));
        regions_free(regions);
    }
}

// Counts.

// The line of a dispatch, from its groups on.
static void expect_counts(const char *settings, const char *kernel, uint32_t groups,
                          enum dispatch_end end, const char *want)
{
    const char *from = strstr(record("counts", settings, kernel, groups, end), " groups ");
    assert_non_null(from);
    assert_string_equal(from + 1, want);
}

TEST(counts_are_of_what_was_executed)
{
    // 7 instructions and the return, by two subgroups: a load and a store of 4 words each.
    expect_counts("subgroup=4", copying, 1, DISPATCH_DONE,
                  "groups 1 1 1 local 8 1 1 shared 0 instructions 16 invocation-instructions 64 "
                  "sectors 4 atomic-loads 0 end done\n");
    // One subgroup, so that they share sectors; one of lanes that execute one after the other.
    expect_counts("subgroup=8", copying, 1, DISPATCH_DONE,
                  "groups 1 1 1 local 8 1 1 shared 0 instructions 8 invocation-instructions 64 "
                  "sectors 2 atomic-loads 0 end done\n");
    expect_counts("subgroup=1", copying, 1, DISPATCH_DONE,
                  "groups 1 1 1 local 8 1 1 shared 0 instructions 64 invocation-instructions 64 "
                  "sectors 16 atomic-loads 0 end done\n");
    // Partial subgroups; 24 bytes of a workgroup, so that of the second one two sectors are
    // touched.
    expect_counts("subgroup=4", counting, 2, DISPATCH_DONE,
                  "groups 2 1 1 local 6 1 1 shared 0 instructions 24 invocation-instructions 72 "
                  "sectors 5 atomic-loads 0 end done\n");
}

// Every lane has a sector of its own; one lane looks once more, and stores to Workgroup memory.
TEST(counts_of_other_kernels_are_others)
{
    expect_counts(
        "subgroup=8",
        KERNEL("8", "%8 = OpConstant %uint 8\n", "%far = OpIMul %uint %id %8\n" STORE("far", "id")),
        1, DISPATCH_DONE,
        "groups 1 1 1 local 8 1 1 shared 0 instructions 6 invocation-instructions 48 "
        "sectors 8 atomic-loads 0 end done\n");
    expect_counts("subgroup=8",
                  KERNEL("8",
                         "%p_shared = OpTypePointer Workgroup %uint\n"
                         "%kept = OpVariable %p_shared Workgroup\n",
                         "%from = OpAccessChain %p_word %in %0 %0\n"
                         "%value = OpAtomicLoad %uint %from %1 %0\n"
                         "%zero = OpIEqual %bool %me %0\n"
                         "OpSelectionMerge %merge None\n"
                         "OpBranchConditional %zero %then %merge\n"
                         "%then = OpLabel\n"
                         "%again = OpAtomicLoad %uint %from %1 %0\n"
                         "OpStore %kept %again\n"
                         "OpBranch %merge\n"
                         "%merge = OpLabel\n"),
                  1, DISPATCH_DONE,
                  "groups 1 1 1 local 8 1 1 shared 4 instructions 9 invocation-instructions 51 "
                  "sectors 2 atomic-loads 2 end done\n");
}

// Whatever executes it, also together with a trace; and with a dispatch that a fault ends.
TEST(counts_are_of_all_threads)
{
    static const char *const settings[] = {"subgroup=4,threads=1", "subgroup=4,threads=3",
                                           "subgroup=4,threads=2,trace=/dev/null"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        expect_counts(settings[i], counting, 10, DISPATCH_DONE,
                      "groups 10 1 1 local 6 1 1 shared 0 instructions 120 "
                      "invocation-instructions 360 sectors 23 atomic-loads 0 end done\n");
    const char *line = record("counts", "subgroup=4,threads=1", copying, 2, DISPATCH_FAULT);
    assert_non_null(strstr(line, " end fault\n"));
}
