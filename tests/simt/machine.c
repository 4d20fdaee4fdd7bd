// SPDX-License-Identifier: Apache-2.0
// Dispatches: what kernels that do wrong things are told, how a dispatch ends, who executes what,
// and the trace. Each kernel (machine.txt) writes words to `out` and may read words of `in`.
#include "dispatch.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { OUT_WORDS = 256, IN_WORDS = 15 };

static uint32_t out[OUT_WORDS], in[IN_WORDS];

// 15 words of `in` are 100, 101, ..., `out` is all ones.
static void prepare(const char *settings, const char *kernel, uint32_t groups)
{
    begin(settings, kernel, REGION(out), REGION(in));
    for (uint32_t i = 0; i < IN_WORDS; i++)
        in[i] = 100 + i;
    memset(out, 0xff, sizeof out);
    world.dispatch.groups[0] = groups;
}

// What a binding points to.
static struct region *binding(uint32_t number)
{
    for (uint32_t i = 0; i < world.program->resource_count; i++)
        if (world.program->resources[i].binding == number)
            return &world.local[world.program->resources[i].first_region - LOCAL_SHARED];
    fail_msg("there is no binding %u", number);
    return NULL;
}

static void expect_end(enum dispatch_end end)
{
    assert_int_equal(dispatch(), end);
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
    prepare("subgroup=4,threads=1", "$copying", 2); // element 15 of 15
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
        prepare(robust ? "subgroup=4" : "subgroup=4,bounds=report", "$copying", 4);
        world.dispatch.robust = robust;
        expect_end(DISPATCH_DONE);
        assert_int_equal(world.line_count, 1); // 17 accesses of one instruction
        assert_non_null(strstr(world.lines[0], " by %value = OpLoad %uint %from, workgroup ("));
        for (uint32_t i = 0; i < 32; i++)
            assert_int_equal(out[i], i < IN_WORDS ? 101 + i : 1);
        assert_int_equal(out[32], UINT32_MAX);
        finish();
    }
}

// Of a dispatch that is bounded the first workgroups are executed, and it ends well.
TEST(a_part_of_a_dispatch_is_executed)
{
    prepare("subgroup=4,threads=1,bounds=report,workgroups=2", "$copying", 4);
    expect_end(DISPATCH_DONE);
    assert_int_equal(out[7], 108);
    assert_int_equal(out[14], 115);
    assert_int_equal(out[16], UINT32_MAX);
    finish();
    // One workgroup begins, and is not executed to its end.
    prepare("subgroup=4,threads=1,bounds=report,resident=1,instructions=1", "$copying", 4);
    expect_end(DISPATCH_DONE);
    assert_int_equal(out[7], UINT32_MAX);
    assert_int_equal(out[8], UINT32_MAX);
    finish();
    // None begins behind the third.
    prepare("subgroup=4,threads=1,bounds=report", "$copying", 1);
    expect_end(DISPATCH_DONE);
    const uint64_t one = machine_instructions(world.machine);
    char settings[80];
    finish();
    snprintf(settings, sizeof settings,
             "subgroup=4,threads=1,bounds=report,resident=1,instructions=%" PRIu64, one * 3 - 1);
    prepare(settings, "$copying", 4);
    expect_end(DISPATCH_DONE);
    assert_int_equal(out[23], 1);
    assert_int_equal(out[24], UINT32_MAX);
    finish();
}

TEST(a_store_to_read_only_memory_is_reported)
{
    static const char line[] = "store to read-only memory of 4 bytes at set 0 binding 0 + 0 by "
                               "OpStore %to %more, workgroup (0, 0, 0), subgroup 0, lane 0";
    for (int report = 0; report < 2; report++) {
        prepare(report ? "subgroup=8,threads=1,bounds=report" : "subgroup=8,threads=1", "$copying",
                1);
        binding(0)->read_only = true;
        expect_end(report ? DISPATCH_DONE : DISPATCH_FAULT);
        expect_line(line);
        assert_int_equal(out[0], UINT32_MAX);
        finish();
    }
}

TEST(a_buffer_that_is_not_bound_is_reported)
{
    prepare("subgroup=8,threads=1", "$copying", 1);
    *binding(1) = (struct region){0};
    expect_end(DISPATCH_FAULT);
    expect_line("out-of-bounds access of 4 bytes at set 0 binding 1 + 0 by "
                "%value = OpLoad %uint %from, workgroup (0, 0, 0), subgroup 0, lane 0");
    finish();
}

TEST(a_null_address_is_reported)
{
    expect_fault("subgroup=4,threads=1", "$null_address",
                 "out-of-bounds access of 4 bytes at null pointer + 8 by %value = OpLoad %uint "
                 "%from Aligned 4, workgroup (0, 0, 0), subgroup 0, lane 0");
}

TEST(an_atomic_that_is_misaligned_is_reported)
{
    prepare("subgroup=4,threads=1", "$misaligned_atomic", 1);
    const struct region region = {.bytes = (unsigned char *)out, .size = sizeof out};
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
    expect_fault("subgroup=4,threads=1", "$unreachable",
                 "OpUnreachable was reached by OpUnreachable, workgroup (0, 0, 0), subgroup 0, "
                 "lane 2");
}

TEST(a_barrier_in_divergent_flow_is_a_deadlock)
{
    static const char *const settings[] = {"subgroup=4,threads=1",
                                           "subgroup=4,threads=2,bounds=report",
                                           "subgroup=4,threads=1,model=tangled"};
    for (int i = 0; i < 3; i++)
        expect_fault(settings[i], "$stuck",
                     "deadlock by OpControlBarrier %uint_2 %uint_2 %uint_264, workgroup (0, 0, 0), "
                     "subgroup 0, lane 0");
    prepare("subgroup=4,threads=1,bounds=check", "$stuck", 1);
    expect_end(DISPATCH_DONE);
    assert_int_equal(world.line_count, 0);
    assert_int_equal(out[3], 4); // together again
    finish();
}

TEST(a_quad_waits_for_itself_alone)
{
    static const char *const settings[] = {
        "subgroup=8,threads=1,model=tangled,seed=1", "subgroup=8,threads=1,model=tangled,seed=2",
        "subgroup=8,threads=1,model=tangled,seed=3", "subgroup=8,threads=1"};
    for (int i = 0; i < 4; i++) {
        prepare(settings[i], "$swapping", 1);
        expect_end(DISPATCH_DONE);
        const bool in_vain = i == 3; // where all lanes of a tangle go together
        for (uint32_t lane = 0; lane < 8; lane++)
            assert_int_equal(out[lane], (lane ^ 1) + (in_vain && lane > 3 ? 100 : 0));
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
        prepare(settings, "$storing 4", 64);
        for (int again = 0; again < 20; again++) {
            memset(out, 0xff, sizeof out);
            expect_end(DISPATCH_DONE);
            for (uint32_t i = 0; i < 256; i++)
                assert_int_equal(out[i], i);
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
            prepare(settings, "$counting", 3);
            expect_end(DISPATCH_DONE);
            for (uint32_t i = 0; i < 18; i++) {
                const uint32_t first = i % 6 / subgroup * subgroup;
                assert_int_equal(out[i], 6 - first < subgroup ? 6 - first : subgroup);
            }
            finish();
        }
}

TEST(groups_that_are_empty_or_based_elsewhere)
{
    prepare("subgroup=4", "$copying", 0);
    expect_end(DISPATCH_DONE);
    assert_int_equal(out[0], UINT32_MAX);
    world.dispatch.groups[0] = 1;
    world.dispatch.base[0] = 1;
    world.dispatch.robust = true;
    expect_end(DISPATCH_DONE);
    assert_int_equal(out[7], UINT32_MAX);
    assert_int_equal(out[8], 109);
    assert_int_equal(out[14], 115);
    assert_int_equal(out[15], 1);
    finish();
}

// The order in which the workgroups came.
static void draw_order(const char *settings, uint32_t order[32])
{
    prepare(settings, "$drawing", 32);
    out[32] = 0;
    expect_end(DISPATCH_DONE);
    assert_int_equal(out[32], 32);
    memcpy(order, out, 32 * sizeof *order);
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
        prepare(settings, "$endless", 3);
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
    const char *text = trace("subgroup=1,threads=1,seed=9", "$storing 2", 1, DISPATCH_DONE);
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
    const char *text = trace("subgroup=4,threads=1", "$counting", 1, DISPATCH_DONE);
    assert_non_null(strstr(text, "- - f\n"));
    assert_non_null(strstr(text, "- - 3\n"));
    text = trace("subgroup=4,threads=1", "$copying", 2, DISPATCH_FAULT);
    assert_non_null(strstr(text, "\nend 0 fault\n"));
    // A subgroup of 128: sets need all 32 digits.
    text = trace("subgroup=128,threads=1", "$storing 128", 1, DISPATCH_DONE);
    assert_non_null(strstr(text, " ffffffffffffffffffffffffffffffff\n"));
}

// With one thread a trace is a function of the settings.
TEST(the_seed_decides_everything)
{
    for (int model = 0; model < MODEL_COUNT; model++) {
        char settings[128];
        static const char format[] = "model=%s,subgroup=4,threads=1,seed=%d";
        snprintf(settings, sizeof settings, format, model_names[model], 11);
        OWNED(lit_free) char *first = strdup(trace(settings, "$copying", 1, DISPATCH_DONE));
        assert_non_null(first);
        assert_string_equal(trace(settings, "$copying", 1, DISPATCH_DONE), first);
        int others = 0;
        for (int seed = 12; seed < 22; seed++) {
            snprintf(settings, sizeof settings, format, model_names[model], seed);
            // Behind the line that has the seed.
            others += strcmp(strstr(trace(settings, "$copying", 1, DISPATCH_DONE), "\ncode"),
                             strstr(first, "\ncode")) != 0;
        }
        // Under lockstep only which of two subgroups is next.
        assert_true(others >= (model == MODEL_TANGLED || model == MODEL_SNOOPING ? 10 : 1));
    }
}

// Else a wrong program's outcome depends on how its caller groups dispatches.
TEST(a_dispatch_leaves_nothing_in_registers)
{
    prepare("subgroup=4,threads=1", "$remembering", 1);
    for (int dispatch = 0; dispatch < 2; dispatch++) {
        memset(out, 7, sizeof out);
        expect_end(DISPATCH_DONE);
        for (int lane = 0; lane < 4; lane++) {
            assert_int_not_equal(out[lane], 7);
            assert_int_not_equal(out[lane], 0x07070707);
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

// The line of a dispatch of workgroups, from their number on.
static const struct {
    const char *settings, *kernel;
    uint32_t groups, local, shared, instructions, by_invocations, sectors, loads;
} counts[] = {
    // 7 instructions and the return, by two subgroups: a load and a store of 4 words each.
    {"subgroup=4", "$copying", 1, 8, 0, 16, 64, 4, 0},
    // One subgroup, so that they share sectors; one of lanes that execute one after the other.
    {"subgroup=8", "$copying", 1, 8, 0, 8, 64, 2, 0},
    {"subgroup=1", "$copying", 1, 8, 0, 64, 64, 16, 0},
    // Partial subgroups; 24 bytes of a workgroup, so that the second one touches two sectors.
    {"subgroup=4", "$counting", 2, 6, 0, 24, 72, 5, 0},
    {"subgroup=8", "$far", 1, 8, 0, 6, 48, 8, 0},
    {"subgroup=8", "$looking", 1, 8, 4, 9, 51, 2, 2},
    // Whatever executes it, also together with a trace.
    {"subgroup=4,threads=1", "$counting", 10, 6, 0, 120, 360, 23, 0},
    {"subgroup=4,threads=3", "$counting", 10, 6, 0, 120, 360, 23, 0},
    {"subgroup=4,threads=2,trace=/dev/null", "$counting", 10, 6, 0, 120, 360, 23, 0},
};

TEST(counts_are_of_what_was_executed)
{
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char want[256];
        const char *from = strstr(
            record("counts", counts[i].settings, counts[i].kernel, counts[i].groups, DISPATCH_DONE),
            " groups ");
        assert_non_null(from);
        snprintf(want, sizeof want,
                 " groups %u 1 1 local %u 1 1 shared %u instructions %u invocation-instructions %u "
                 "sectors %u atomic-loads %u end done\n",
                 counts[i].groups, counts[i].local, counts[i].shared, counts[i].instructions,
                 counts[i].by_invocations, counts[i].sectors, counts[i].loads);
        assert_string_equal(from, want);
    }
    const char *line = record("counts", "subgroup=4,threads=1", "$copying", 2, DISPATCH_FAULT);
    assert_non_null(strstr(line, " end fault\n"));
}
