// SPDX-License-Identifier: Apache-2.0
// The emulator of SASS: what each instruction computes, which lanes are together, what ends a run,
// and what the search for a cause says of planted ones. Values are from the PTX ISA's definitions
// and by hand; how lanes meet is what an H200 stored (emulator/emulator.h).
#include "sections.h"

#include "listing.h"

#include "emulator/warp.h"

#define LANES 64 // of the workgroup

static struct run {
    uint32_t in[LANES], out[LANES * 2];
    struct emu_buffer buffers[2];
    struct sass_code code;
    struct emu_program *program;
    struct emu_dispatch dispatch;
} run;

// Registers: R0 lane, R1 to R3 words of the constants, R4 1.0, R5 -2.5, R6 and R7 0x180000000, R8
// and R9 1.5 as a double; UR8 and UR9 as R1 and R2; P0 in odd lanes, P1 in lanes below 4; UP0.
#define BEFORE                                                                                     \
    "S2R R0, SR_LANEID\n"                                                                          \
    "MOV R1, c[0x0][0x630]\n"                                                                      \
    "MOV R2, c[0x0][0x634]\n"                                                                      \
    "MOV R3, 0x7\n"                                                                                \
    "MOV R4, 0x3f800000\n"                                                                         \
    "MOV R5, 0xc0200000\n"                                                                         \
    "MOV R6, 0x80000000\n"                                                                         \
    "MOV R7, 0x1\n"                                                                                \
    "MOV R8, RZ\n"                                                                                 \
    "MOV R9, 0x3ff80000\n"                                                                         \
    "ULDC.64 UR8, c[0x0][0x630]\n"                                                                 \
    "LOP3.LUT P0, RZ, R0, 0x1, RZ, 0xc0, !PT\n"                                                    \
    "ISETP.LT.U32.AND P1, PT, R0, 0x4, PT\n"                                                       \
    "UISETP.EQ.U32.AND UP0, UPT, URZ, URZ, UPT\n"

// Stores R20 and R21 of each lane.
#define AFTER                                                                                      \
    "IMAD.SHL.U32 R30, R0, 0x8, RZ\n"                                                              \
    "ULDC.64 UR4, c[0x0][0x40]\n"                                                                  \
    "STG.E.64 [R30.U32+UR4], R20\n"                                                                \
    "EXIT\n"

static void finish(void)
{
    emu_program_free(&run.program);
    sass_code_clear(&run.code);
}

static void prepare(const char *lines)
{
    static const uint32_t push[2] = {0x12345678, 0x9abcdef0},
                          compiled[] = {EMU_LOCAL_AT, 0x5, 0xfffffffe};
    memset(&run, 0, sizeof run);
    for (uint32_t i = 0; i < LANES; i++)
        run.in[i] = 100 + i;
    run.buffers[0] = (struct emu_buffer){UINT64_C(1) << 40, run.in, sizeof run.in};
    run.buffers[1] = (struct emu_buffer){UINT64_C(2) << 40, run.out, sizeof run.out};
    run.dispatch = (struct emu_dispatch){.groups = {1, 1, 1},
                                         .local = {32, 1, 1},
                                         .last = 1,
                                         .buffers = run.buffers,
                                         .buffer_count = 2,
                                         .compiled = (const char *)compiled,
                                         .compiled_size = sizeof compiled,
                                         .steps = 5000};
    memcpy(run.dispatch.constants + EMU_PUSH_AT, push, sizeof push);
    for (uint32_t i = 0; i < 2; i++)
        memcpy(run.dispatch.constants + EMU_DESCRIPTORS_AT + 16 * i, &run.buffers[i].address, 8);
    listing_code(lines, &run.code);
    must(emu_program_make(&run.code, &run.program, &error));
}

static void execute(const char *lines)
{
    prepare(lines);
    must(emu_run(run.program, &run.dispatch, &error));
}

// --- Each instruction

TEST(each_instruction_computes_what_it_should)
{
    size_t wrong = 0;
    for (size_t i = 0; i < section_count; i++) {
        OWNED(text_free) struct text lines = {0};
        const unsigned long lane = strtoul(sections[i].name, NULL, 10);
        uint32_t low, high;
        assert_true(lane < 32 &&
                    sscanf(sections[i].more, "%" SCNx32 " %" SCNx32, &low, &high) == 2);
        text_printf(&lines, "%s%s\n%s", BEFORE, sections[i].text, AFTER);
        execute(lines.data);
        const uint32_t *got = &run.out[2 * lane];
        if (got[0] != low || got[1] != high) {
            print_error("%sgives 0x%x 0x%x, not 0x%x 0x%x\n", sections[i].text, got[0], got[1], low,
                        high);
            wrong++;
        }
        finish();
    }
    assert_int_equal(wrong, 0);
}

// Without the constants of the compiler, pointers to local memory count from where they do
// elsewhere.
TEST(local_memory_lies_where_it_does_without_constants)
{
    prepare("S2R R0, SR_LANEID\nMOV R10, 0x4\nIMAD R20, R0, R10, c[0x1][0x0]\nMOV R21, RZ\n" AFTER);
    run.dispatch.compiled = NULL;
    run.dispatch.compiled_size = 0;
    must(emu_run(run.program, &run.dispatch, &error));
    assert_int_equal(run.out[2 * 5], EMU_LOCAL_AT + 20);
    finish();
}

// --- Which lanes are together

// A ballot of the executing lanes, in R20.
#define BALLOT "VOTE.ANY R20, PT, PT\n"

static void expect_ballots(const char *lines, uint32_t even, uint32_t odd)
{
    OWNED(text_free) struct text all = text_format("%s%s%s", BEFORE, lines, AFTER);
    execute(all.data);
    assert_int_equal(run.out[2 * 4], even);
    assert_int_equal(run.out[2 * 5], odd);
    finish();
}

#define EVEN 0x55555555u
#define ODD  0xaaaaaaaau
#define ALL  0xffffffffu

TEST(lanes_meet_by_convergence_barriers_alone)
{
    expect_ballots("@P0 BRA there\nNOP\nthere:\n" BALLOT, EVEN, ODD);
    expect_ballots("BSSY B0, out\n@P0 BRA there\nNOP\nthere:\nBSYNC B0\nout:\n" BALLOT, ALL, ALL);
    expect_ballots(
        "BSSY B3, out\n@P0 BRA there\nBREAK B3\nBRA out\nthere:\nBSYNC B3\nout:\n" BALLOT, EVEN,
        ODD);
    expect_ballots(
        "BSSY B3, out\n@P0 BRA leave\nBSYNC B3\nBRA out\nleave:\nBREAK B3\nout:\n" BALLOT, EVEN,
        ODD);
    expect_ballots("@P0 BRA there\nNOP\nthere:\nBAR.SYNC 0x0\n" BALLOT, EVEN, ODD);
    expect_ballots("@P0 BRA there\nNOP\nthere:\nWARPSYNC.ALL\n" BALLOT, ALL, ALL);
    expect_ballots("BSSY B0, out\n@P1 EXIT\n@P0 BRA out\nNOP\nout:\nBSYNC B0\n" BALLOT, 0xfffffff0,
                   0xfffffff0);
    expect_ballots("@P0 BRA there\nYIELD\nNANOSLEEP 0x0\nthere:\n" BALLOT, EVEN, ODD);
    expect_ballots("MOV R10, 0xaaaaaaaa\n@P0 WARPSYNC R10\n" BALLOT, ALL, ALL);
    expect_ballots("BSSY B1, out\n@P0 BRA out\nBSYNC B1\nout:\nWARPSYNC.ALL\n" BALLOT, ALL, ALL);
    expect_ballots("BSSY B0, out\n@P0 BRA out\nBSYNC B0\nout:\nWARPSYNC.ALL\n" BALLOT, ALL, ALL);
}

TEST(branches_ask_who_is_here)
{
    expect_ballots("BRA.CONV ~URZ, there\nEXIT\nthere:\n" BALLOT, ALL, ALL);
    expect_ballots("@P0 BRA part\nBRA.DIV ~URZ, part\nMOV R20, R3\nBRA end\npart:\n" BALLOT
                   "end:\n",
                   EVEN, ODD);
    expect_ballots("MOV R2, back\nMOV R3, RZ\nCALL.REL.NOINC there\nback:\nBRA end\nthere:\n" BALLOT
                   "RET.REL.NODEC R2 0x0\nend:\n",
                   ALL, ALL);
}

// Behind a WARPSYNC that waited, lanes are no longer in B0.
#define SPOILT                                                                                     \
    "MOV R10, 0xaaaaaaaa\n"                                                                        \
    "BSSY B0, out\n"                                                                               \
    "@!P0 BRA out_of_it\n"                                                                         \
    "@P1 BRA wait\n"                                                                               \
    "NOP\n"                                                                                        \
    "wait:\n"                                                                                      \
    "WARPSYNC R10\n"                                                                               \
    "out_of_it:\n"                                                                                 \
    "BSYNC B0\n"                                                                                   \
    "out:\n" BALLOT

TEST(warpsync_takes_lanes_out_of_barrier_0)
{
    expect_ballots(SPOILT, EVEN, ODD);
    expect_ballots("BSSY B1, end\n" SPOILT "BSYNC B1\nend:\n" BALLOT, ALL, ALL);
}

// Two warps meet at BAR.SYNC.
TEST(warps_wait_for_each_other)
{
    prepare("S2R R0, SR_TID.X\n"
            "STS [R0.X4], R0\n"
            "BAR.SYNC 0x0\n"
            "LOP3.LUT R1, R0, 0x20, RZ, 0x3c, !PT\n"
            "LDS R20, [R1.X4]\n"
            "MOV R21, RZ\n" AFTER);
    run.dispatch.local[0] = LANES;
    must(emu_run(run.program, &run.dispatch, &error));
    for (uint32_t i = 0; i < LANES; i++)
        assert_int_equal(run.out[2 * i], i ^ 32);
    finish();
}

// The halves of a warp that arrive apart stand in for two warps: the first warp goes on alone.
TEST(parts_of_a_warp_count_as_warps_at_a_barrier)
{
    prepare("S2R R0, SR_TID.X\n"
            "LOP3.LUT P0, RZ, R0, 0x1, RZ, 0xc0, !PT\n"
            "MOV R21, RZ\n"
            "ISETP.LT.U32.AND P1, PT, R0, 0x20, PT\n"
            "@!P1 BRA second\n"
            "@P0 BRA there\n"
            "BAR.SYNC 0x0\n"
            "BRA load\n"
            "there:\n"
            "BAR.SYNC 0x0\n"
            "load:\n"
            "LDS R20, [RZ]\n"
            "BRA end\n"
            "second:\n"
            "MOV R5, 0x3e8\n"
            "again:\n"
            "IADD3 R5, R5, -0x1, RZ\n"
            "ISETP.NE.AND P2, PT, R5, RZ, PT\n"
            "@P2 BRA again\n"
            "STS [RZ], R0\n"
            "BAR.SYNC 0x0\n"
            "MOV R20, R0\n"
            "end:\n" AFTER);
    run.dispatch.local[0] = LANES;
    must(emu_run(run.program, &run.dispatch, &error));
    assert_int_equal(run.out[2 * 0], 0);
    assert_int_equal(run.out[2 * 1], 0);
    finish();
}

// What the first of two lanes gets, and the other one: each adds 7.
static void expect_turns(const char *lines, bool backwards, uint32_t second, uint32_t first_gets,
                         uint32_t second_gets)
{
    prepare(lines);
    run.dispatch.local[0] = LANES;
    run.dispatch.backwards = backwards;
    must(emu_run(run.program, &run.dispatch, &error));
    assert_int_equal(run.out[0], first_gets);
    assert_int_equal(run.out[2 * second], second_gets);
    finish();
}

TEST(turns_are_taken_in_two_orders)
{
    static const char warps[] = "S2R R0, SR_TID.X\nMOV R3, 0x7\nATOMS.ADD R20, [RZ], R3\n" AFTER;
    static const char parts[] = "S2R R0, SR_TID.X\nMOV R3, 0x7\nSHF.L.U32 R1, R0, 0x1f, RZ\n"
                                "ISETP.NE.U32.AND P0, PT, R1, RZ, PT\n@P0 BRA there\nNOP\n"
                                "there:\nLOP3.LUT R2, R0, 0x20, RZ, 0xc0, !PT\n"
                                "ATOMS.ADD R20, [R2], R3\n" AFTER;
    expect_turns(warps, false, 32, 0, 32 * 7);
    expect_turns(warps, true, 32, 32 * 7, 0);
    expect_turns(parts, false, 1, 0, 16 * 7);
    expect_turns(parts, true, 1, 16 * 7, 0);
}

TEST(a_word_stops_a_run)
{
    prepare("MOV R10, c[0x0][0x30]\nMOV R11, c[0x0][0x34]\nMOV R3, 0x7\nST.E [R10], R3\n"
            "again:\nBRA again");
    run.in[0] = 0;
    run.dispatch.stop = run.in;
    must(emu_run(run.program, &run.dispatch, &error));
    assert_int_equal(run.in[0], 7);
    finish();
}

// --- What ends a run

TEST(what_cannot_be_executed_is_named)
{
    static const struct {
        const char *lines, *says;
    } ends[] = {
        {"QSPC.E.S P0, RZ, [R0]\nEXIT", "unknown instruction by QSPC.E.S P0, RZ, [R0] at 0x0"},
        {"MOV R1, c[0x1][0xc]\nEXIT", "unknown constant c[0x1][0xc] by MOV R1, c[0x1][0xc] at 0x0"},
        {"IMAD.WIDE.U32 R2, R0, R1, c[0x1][0x8]\nEXIT", "unknown constant c[0x1][0x8]"},
        {"MOV R1, c[0x2][0x0]\nEXIT", "unknown constant c[0x2][0x0]"},
        {"MOV R1, c[0x0][0x1000]\nEXIT", "unknown constant c[0x0][0x1000]"},
        {"LDG.E R1, [R2]\nEXIT", "access out of bounds, address 0x0, lane 0 by LDG.E R1, [R2]"},
        {"LDS.64 R2, [0x4]\nEXIT", "misaligned access, address 0x4, lane 0"},
        {"STS [0x10000], R2\nEXIT", "access out of bounds, address 0x10000, lane 0"},
        {"STL [0x4000], R2\nEXIT", "access out of bounds, address 0x4000, lane 0"},
        {"again:\nBRA again", "more than 5000 instructions"},
        {"NOP", "the code ends"},
        {"MOV R2, 0x8\nMOV R3, RZ\nRET.REL.NODEC R2 0x0", "jump out of the code, to 0x8,"},
        {"S2R R0, SR_LANEID\nISETP.EQ.U32.AND P0, PT, R0, RZ, PT\nBSSY B1, out\nBSSY B2, out\n"
         "@P0 BRA out\nBSYNC B2\nEXIT\nout:\nBSYNC B1\nEXIT",
         "lanes wait for ever before 0x80"},
        {"S2R R0, SR_VIRTID\nEXIT", "unknown register by S2R R0, SR_VIRTID"},
        {"ATOMS.POPC.INC R0, [RZ]\nEXIT", "ATOMS.POPC.INC"},
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        prepare(ends[i].lines);
        must_fail(ends[i].says, emu_run(run.program, &run.dispatch, &error));
        finish();
    }
}

TEST(other_code_and_sizes_are_refused)
{
    struct emu_program *program;
    prepare("EXIT");
    run.dispatch.local[0] = 2048;
    assert_false(emu_run(run.program, &run.dispatch, &error));
    run.code.architecture = 86;
    must_fail("sm_86", emu_program_make(&run.code, &program, &error));
    finish();
}

// --- Causes

static const uint32_t *wanted;

static bool is_right(const struct emu_change *change, bool all, void *user)
{
    memset(run.out, 0, sizeof run.out);
    run.dispatch.change = *change;
    if (!emu_run(run.program, &run.dispatch, NULL))
        return false;
    for (size_t i = 0; i < 32; i++)
        if (run.out[2 * i] != wanted[i])
            return false;
    return true;
}

static void expect_cause(const char *wrong, const char *right, const char *says)
{
    OWNED(text_free) struct text lines = {0}, said = {0};
    uint32_t words[32];
    struct emu_cause cause;
    struct emu_trace trace = {0};
    text_printf(&lines, "%s%s%s", BEFORE, right, AFTER);
    execute(lines.data);
    for (size_t i = 0; i < 32; i++)
        words[i] = run.out[2 * i];
    finish();
    wanted = words;
    text_free(&lines);
    lines = (struct text){0};
    text_printf(&lines, "%s%s%s", BEFORE, wrong, AFTER);
    prepare(lines.data);
    run.dispatch.trace = &trace;
    assert_false(is_right(&(struct emu_change){0}, false, NULL));
    run.dispatch.trace = NULL;
    emu_cause_find(run.program, &trace, is_right, NULL, &cause);
    emu_cause_print(run.program, &cause, &said);
    if (strcmp(said.data, says) != 0)
        fail_msg("said: %s", said.data);
    free(trace.events);
    finish();
}

TEST(planted_causes_are_named)
{
    expect_cause(
        "@P0 BRA there\nNOP\nthere:\n" BALLOT, BALLOT,
        "VOTE.ANY at 0x100 is executed by lanes 0x55555555 without the others of the warp: "
        "they parted, and nothing makes them meet");
    expect_cause(SPOILT, BALLOT,
                 "WARPSYNC at 0x130 waits at convergence barrier 0, in which its lanes are: at the "
                 "BSYNC B0 behind it nobody waits for them");
    expect_cause(
        "MOV R20, R3\n@P0 MOV R20, R0\n", "MOV R20, R3\n@UP0 MOV R20, R0\n",
        "MOV at 0xf0 is executed by P0, which is of LOP3.LUT P0, RZ, R0, 0x1, RZ, 0xc0, !PT "
        "at 0xb0; right would be UP0");
    expect_cause(
        "SEL R20, R3, R0, P0\n", "SEL R20, R3, R0, !P1\n",
        "SEL at 0xe0 reads P0, which is of LOP3.LUT P0, RZ, R0, 0x1, RZ, 0xc0, !PT at 0xb0; "
        "right would be !P1");
    expect_cause("R2P PR, R2.B1, 0x3\nSEL R20, R1, R0, P1\n@!P1 IADD3 R20, R20, R3, RZ\n",
                 "R2P PR, R2.B1, 0x1\nSEL R20, R1, R0, P1\n@!P1 IADD3 R20, R20, R3, RZ\n",
                 "R2P at 0xe0 overwrites P1, whose earlier values are still needed");
    expect_cause(
        "LOP3.LUT P0, RZ, R0, 0x2, RZ, 0xc0, !PT\nSEL R20, R3, R1, P0\n"
        "SEL R10, R2, RZ, P0\nIADD3 R20, R20, R10, RZ\n",
        "LOP3.LUT P2, RZ, R0, 0x2, RZ, 0xc0, !PT\nSEL R20, R3, R1, P0\n"
        "SEL R10, R2, RZ, P2\nIADD3 R20, R20, R10, RZ\n",
        "SEL at 0xf0 reads P0, which is of LOP3.LUT P0, RZ, R0, 0x2, RZ, 0xc0, !PT at 0xe0; "
        "right would be its value before that");
#define TABLE(TABLE)                                                                               \
    "LOP3.LUT P2, RZ, R0, 0x8, RZ, 0xc0, !PT\nPLOP3.LUT P3, PT, P2, P0, P1, " TABLE ", 0x0\n"      \
    "SEL R20, R3, R1, P3\n"
    expect_cause(TABLE("0x87"), TABLE("0x1e"),
                 "PLOP3.LUT P3, PT, P2, P0, P1, 0x87, 0x0 at 0xf0 has a table that would be right "
                 "for the negations of P0 and P1");
    expect_cause("MOV R10, R3\nR2UR UR6, R10\nMOV R20, R0\nR2UR UR4, R20\nMOV R20, UR4\n",
                 "MOV R20, R0\n",
                 "R2UR at 0x110 takes one lane's value for all that execute it, lanes 0xffffffff: "
                 "right would be one lane after the other");
    expect_cause("IADD3 R20, R0, 0x1, RZ\n", "IADD3 R20, R0, 0x2, RZ\n",
                 "unknown: no single change of a guard, a predicate or a meeting place makes it "
                 "right");
}

// A row that no test executes would not be noticed if it were wrong.
TEST(every_row_of_the_tables_is_tested)
{
    static const struct emu_row *const tables[] = {emu_computing_rows, emu_memory_rows,
                                                   emu_lane_rows};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct emu_row *row = tables[t]; row->name; row++) {
            bool found = strcmp(row->name, "STG") == 0; // in all of them
            for (size_t i = 0; i < section_count && !found; i++)
                found = strstr(sections[i].text, row->name) != NULL;
            if (!found)
                fail_msg("no test has %s", row->name);
        }
}
