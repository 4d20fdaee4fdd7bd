// SPDX-License-Identifier: Apache-2.0
// The emulator of SASS: what each instruction computes, which lanes are together, what ends a run,
// and what the search for a cause says of planted ones. Values are from the PTX ISA's definitions
// and by hand; how lanes meet is what an H200 stored (emulator/emulator.h).
#include "unit.h"

#include "listing.h"

#include "emulator/cause.h"
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
    static const uint32_t push[2] = {0x12345678, 0x9abcdef0};
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

// What a lane then has in R20, and in R21.
static const struct row {
    const char *lines;
    uint32_t lane, low, high;
} rows[] = {
    // Integers
    {"IADD3 R20, R1, R2, R3", 0, 0xacf1356f, 0},
    {"IADD3 R20, P2, R2, R2, RZ\nIADD3.X R21, RZ, RZ, RZ, P2, !PT", 0, 0x3579bde0, 1},
    {"IADD3 R20, P2, R3, -R2, RZ\nSEL R21, R3, RZ, P2", 0, 0x65432117, 0},
    {"IADD3 R20, P2, R3, -R3, RZ\nSEL R21, R3, RZ, P2", 0, 0, 7},
    {"IADD3 R20, P2, P3, R2, R2, R2\nSEL R21, R3, RZ, P3", 0, 0xd0369cd0, 0},
    {"IMAD R20, R1, R3, R0", 5, 0x7f6e5d4d, 0},
    {"IMAD.WIDE R20, R2, R3, R6", 0, 0xbb2a1890, 0xfffffffe},
    {"IMAD.WIDE.U32 R20, R2, R3, R6", 0, 0xbb2a1890, 5},
    {"IMAD.HI R20, R2, R3, RZ", 0, 0xfffffffd, 0},
    {"IMAD.HI.U32 R20, R2, R3, RZ", 0, 4, 0},
    {"IMAD.MOV.U32 R20, RZ, RZ, R2", 0, 0x9abcdef0, 0},
    {"IADD3 RZ, P2, R2, R2, RZ\nIMAD.X R20, RZ, RZ, R3, P2", 0, 8, 0},
    {"LEA R20, R3, R0, 0x2", 5, 33, 0},
    {"LEA.HI R20, R1, R3, R2, 0x4", 0, 0xabcdef08, 0},
    {"LEA.HI.SX32 R20, R2, R3, 0x4", 0, 0, 0},
    {"LOP3.LUT R20, R1, R2, R3, 0x96, !PT", 0, 0x8888888f, 0},
    {"LOP3.LUT R20, R1, R2, RZ, 0x30, !PT", 0, 0x00000008, 0},
    {"LOP3.LUT P2, R20, R0, 0x4, RZ, 0xc0, !PT\nSEL R21, R3, RZ, P2", 5, 4, 7},
    {"LOP3.LUT.PAND P2, RZ, R3, R3, R3, 0x80, P0\nSEL R20, R3, RZ, P2", 4, 0, 0},
    {"PLOP3.LUT P2, P3, P0, P1, PT, 0x28, 0x80\nSEL R20, R3, RZ, P2\nSEL R21, R3, RZ, P3", 5, 7, 0},
    {"PLOP3.LUT P2, P3, P0, P1, PT, 0x28, 0x80\nSEL R20, R3, RZ, P2\nSEL R21, R3, RZ, P3", 1, 0, 7},
    {"ISETP.GT.AND P2, P3, R2, R3, PT\nSEL R20, R3, RZ, P2\nSEL R21, R3, RZ, P3", 0, 0, 7},
    {"ISETP.GT.U32.AND P2, P3, R2, R3, PT\nSEL R20, R3, RZ, P2\nSEL R21, R3, RZ, P3", 0, 7, 0},
    {"ISETP.NE.U32.XOR P2, PT, R0, RZ, P0\nSEL R20, R3, RZ, P2", 5, 0, 0},
    {"ISETP.NE.U32.OR P2, PT, R0, R0, P0\nSEL R20, R3, RZ, P2", 5, 7, 0},
    {"ISETP.GE.U32.AND P2, PT, RZ, R3, PT\nISETP.GE.U32.AND.EX P3, PT, R3, R3, PT, P2\n"
     "SEL R20, R3, RZ, P3",
     0, 0, 0},
    {"ISETP.EQ.U32.AND P2, PT, R0, 0x5, PT\nSEL R20, R3, R0, P2", 6, 6, 0},
    {"ISETP.LE.AND P2, PT, R2, R2, PT\nSEL R20, R3, R0, !P2", 6, 6, 0},
    {"IABS R20, R2", 0, 0x65432110, 0},
    {"PRMT R20, R1, 0x7542, R2", 0, 0x9adef034, 0},
    {"PRMT R20, R2, 0x000b, RZ", 0, 0xf0f0f0ff, 0},
    {"IMNMX R20, R2, R3, PT", 0, 0x9abcdef0, 0},
    {"VIMNMX R20, R2, R3, !PT", 0, 7, 0},
    {"VIMNMX.U32 R20, R2, R3, PT", 0, 7, 0},
    {"VIMNMX3.U32 R20, R2, R3, R0, PT", 5, 5, 0},
    {"SHF.R.U32.HI R20, RZ, 0x4, R2", 0, 0x09abcdef, 0},
    {"SHF.R.S32.HI R20, RZ, 0x4, R2", 0, 0xf9abcdef, 0},
    {"SHF.L.U32 R20, R2, 0x8, RZ", 0, 0xbcdef000, 0},
    {"SHF.L.U64.HI R20, R2, 0x8, R3", 0, 0x0000079a, 0},
    {"SHF.R.U64 R20, R2, 0x8, R3", 0, 0x079abcde, 0},
    {"SHF.L.W.U32.HI R20, R2, 0x4, R2", 0, 0xabcdef09, 0},
    {"SHF.L.U32 R20, R2, 0x20, RZ", 0, 0, 0},
    {"SGXT R20, R2, 0x8", 0, 0xfffffff0, 0},
    {"SGXT.U32 R20, R2, 0x8", 0, 0xf0, 0},
    {"BMSK R20, R0, 0x3", 5, 0xe0, 0},
    {"VIADD R20, R1, 0x10", 0, 0x12345688, 0},
    {"FLO.U32 R20, R1\nFLO.U32.SH R21, R1", 0, 28, 3},
    {"FLO R20, R2\nFLO.U32 R21, RZ", 0, 30, 0xffffffff},
    {"BREV R20, R3", 0, 0xe0000000, 0},
    {"POPC R20, R1", 0, 13, 0},
    {"P2R R20, PR, R1, 0x3", 5, 0x12345679, 0},
    {"P2R.B1 R20, PR, R1, 0x7f", 1, 0x12340378, 0},
    {"R2P PR, R1.B1, 0x6\nSEL R20, R3, RZ, P1\nSEL R21, R3, RZ, P2", 0, 7, 7},
    {"R2P PR, R1, 0x1\nSEL R20, R3, RZ, P0\nSEL R21, R3, RZ, P1", 1, 0, 7},
    {"NOP\nDEPBAR.LE SB0, 0x0\nMOV R20, R3", 0, 7, 0},
    // The uniform datapath
    {"UIADD3 UR10, UR8, 0x1, URZ\nMOV R20, UR10", 0, 0x12345679, 0},
    {"ULOP3.LUT UR10, UR8, UR9, URZ, 0x3c, !UPT\nMOV R20, UR10", 0, 0x88888888, 0},
    {"USHF.L.U32 UR10, UR8, 0x4, URZ\n@!UP0 UMOV UR10, URZ\nMOV R20, UR10", 0, 0x23456780, 0},
    {"UP2UR UR10, UPR, URZ, 0x7f\nMOV R20, UR10", 0, 1, 0},
    {"R2UR UR10, R0\nMOV R20, UR10", 5, 0, 0},
    {"S2UR UR10, SR_CTAID.X\nVIADD R20, R3, UR10", 0, 7, 0},
    {"UR2UP UPR, UR8, 0x9\nPLOP3.LUT P2, PT, PT, PT, UP0, 0x80, 0x0\nSEL R20, R3, RZ, P2", 0, 0, 0},
    // Floats
    {"FADD R20, R4, -R5", 0, 0x40600000, 0},
    {"FMUL R20, R4, R5", 0, 0xc0200000, 0},
    {"FFMA R20, R5, R5, R4", 0, 0x40e80000, 0},
    {"FADD.SAT R20, R4, R4", 0, 0x3f800000, 0},
    {"FADD R20, |R5|, 0.5", 0, 0x40400000, 0},
    {"FSEL R20, R4, R5, P0", 0, 0xc0200000, 0},
    {"FMNMX R20, R4, R5, PT\nFMNMX R21, R4, R5, !PT", 0, 0xc0200000, 0x3f800000},
    {"FSETP.GT.AND P2, P3, R4, R5, PT\nSEL R20, R3, RZ, P2\nSEL R21, R3, RZ, P3", 0, 7, 0},
    {"FSETP.LTU.AND P2, PT, R4, +QNAN, PT\nSEL R20, R3, RZ, P2", 0, 7, 0},
    {"FCHK P2, R4, R5\nSEL R20, R3, RZ, P2", 0, 0, 0},
    {"FCHK P2, R4, RZ\nSEL R20, R3, RZ, P2", 0, 7, 0},
    {"MUFU.RCP R20, R5\nMUFU.RSQ R21, 4", 0, 0xbecccccd, 0x3f000000},
    {"MUFU.EX2 R20, 3\nMUFU.LG2 R21, 8", 0, 0x41000000, 0x40400000},
    {"DADD R20, R8, R8", 0, 0, 0x40080000},
    {"DMUL R20, R8, -R8", 0, 0, 0xc0020000},
    {"DFMA R20, R8, R8, R8", 0, 0, 0x400e0000},
    {"DSETP.LT.AND P2, PT, R8, RZ, PT\nSEL R20, R3, R0, P2", 5, 5, 0},
    {"HFMA2.MMA R20, -RZ, RZ, 0, 1.9073486328125e-06", 0, 0x20, 0},
    {"HFMA2.MMA R20, -RZ, RZ, 1.5, -2", 0, 0x3e00c000, 0},
    {"HFMA2.MMA R20, -RZ, RZ, 1.5, -2\nHADD2 R21, R20, R20", 0, 0x3e00c000, 0x4200c400},
    {"HFMA2.MMA R20, -RZ, RZ, 1.5, -2\nHADD2.F32 R21, -RZ, R20.H1_H1", 0, 0x3e00c000, 0x3fc00000},
    {"F2FP.F16.F32.PACK_AB R20, R4, R5", 0, 0x3c00c100, 0},
    {"F2F.F64.F32 R20, R5", 0, 0, 0xc0040000},
    {"F2F.F32.F64 R20, R8\nF2F.F16.F32 R21, R5", 0, 0x3fc00000, 0xc100},
    {"F2I.TRUNC R20, R5\nF2I.FLOOR R21, R5", 0, 0xfffffffe, 0xfffffffd},
    {"F2I.U32.TRUNC R20, R5", 0, 0, 0},
    {"I2F R20, R2\nI2FP.F32.U32 R21, R3", 0, 0xceca8642, 0x40e00000},
    {"I2F.F64.U32 R20, R3", 0, 0, 0x401c0000},
    {"I2FP.F32.U32.RZ R20, 0xffffffff", 0, 0x4f7fffff, 0},
    // Memory
    {"ULDC.64 UR4, c[0x0][0x30]\nIMAD.SHL.U32 R10, R0, 0x4, RZ\nLDG.E R20, [R10.U32+UR4+0x4]", 5,
     106, 0},
    {"MOV R10, c[0x0][0x30]\nMOV R11, c[0x0][0x34]\nLDG.E.U8 R20, [R10+0x8]\nLD.E R21, [R10]", 0,
     102, 100},
    {"MOV R10, c[0x0][0x40]\nMOV R11, c[0x0][0x44]\nST.E [R10], R2\nLDG.E.S16 R20, [R10]", 0,
     0xffffdef0, 0},
    {"MOV R10, c[0x0][0x30]\nMOV R11, c[0x0][0x34]\nLDG.E.128 R16, [R10+0x10]\nMOV R20, R19", 0,
     107, 0},
    {"STS.64 [R0.X8+0x100], R6\nLDS R20, [R0.X8+0x104]", 5, 1, 0},
    {"STL [0x10], R0\nLDL R20, [0x10]", 5, 5, 0},
    {"LDC R20, c[0x0][R3+0x629]", 0, 0x12345678, 0},
    {"ATOMS.ADD R20, [RZ], R3\nLDS R21, [RZ]", 5, 35, 224},
    {"ATOMS.MAX.S32 RZ, [RZ], R2\nATOMS.MAX RZ, [0x4], R2\nLDS R20, [RZ]\nLDS R21, [0x4]", 0, 0,
     0x9abcdef0},
    {"ATOMS.CAS R20, [RZ], RZ, R3\nATOMS.EXCH R21, [RZ], R2", 1, 7, 0x9abcdef0},
    {"MOV R10, c[0x0][0x30]\nMOV R11, c[0x0][0x34]\nATOMG.E.OR PT, R20, [R10], R0\n"
     "ATOM.E.XOR PT, R21, [R10+0x4], R3",
     2, 101, 101},
    {"MOV R10, c[0x0][0x30]\nMOV R11, c[0x0][0x34]\nREDG.E.ADD [R10], R3\nRED.E.MIN [R10+0x4], R0\n"
     "LDG.E.64 R20, [R10]",
     0, 324, 0},
    {"MOV R10, c[0x0][0x30]\nMOV R11, c[0x0][0x34]\nATOMG.E.INC PT, R20, [R10], R3\n"
     "ATOMG.E.AND PT, R21, [R10+0x4], R0",
     1, 0, 0},
    {"MEMBAR.SC.GPU\nERRBAR\nCGAERRBAR\nCCTL.IVALL\nCCTLL.IVALL\nCCTLT.IVALL\nLDGDEPBAR\n"
     "FENCE.VIEW.ASYNC.S\nMOV R20, R3",
     0, 7, 0},
    // Lanes
    {"SHFL.IDX P2, R20, R0, 0x3, 0x1f\nSEL R21, R3, RZ, P2", 5, 3, 7},
    {"SHFL.UP P2, R20, R0, 0x3, 0x0\nSEL R21, R3, RZ, P2", 2, 2, 0},
    {"SHFL.UP P2, R20, R0, 0x3, 0x0\nSEL R21, R3, RZ, P2", 9, 6, 7},
    {"SHFL.DOWN P2, R20, R0, 0x4, 0x1f\nSEL R21, R3, RZ, P2", 30, 30, 0},
    {"SHFL.BFLY PT, R20, R0, 0x6, 0x1f", 5, 3, 0},
    {"SHFL.IDX P2, R20, R0, 0x6, 0x1c03\nSEL R21, R3, RZ, P2", 9, 10, 7},
    {"SHFL.IDX P2, R20, R0, R2, 0x1e\nSEL R21, R3, RZ, P2", 5, 16, 7},
    {"@P0 SHFL.IDX P2, R20, R0, 0x4, 0x1f\nSEL R21, R3, R0, P2", 5, 0, 5},
    {"VOTE.ANY R20, PT, P1\nVOTE.ALL P2, P1\nSEL R21, R3, RZ, P2", 5, 0xf, 0},
    {"@P0 VOTE.EQ R20, P2, P0\nSEL R21, R3, RZ, P2", 5, 0xaaaaaaaa, 7},
    {"VOTEU.ANY UR10, UPT, P1\nMOV R20, UR10", 9, 0xf, 0},
    {"VOTEU.ALL UR10, UP1, P1\nPLOP3.LUT P2, PT, PT, PT, UP1, 0x80, 0x0\nSEL R20, R3, RZ, P2", 9, 0,
     0},
    {"LOP3.LUT R10, R0, 0x3, RZ, 0xc0, !PT\nMATCH.ANY R20, R10", 5, 0x22222222, 0},
    {"MATCH.ALL P2, R20, R3\nMATCH.ALL P3, R21, R0\nSEL R21, R3, R21, P2", 5, 0xffffffff, 7},
    {"REDUX.SUM UR10, R0\nMOV R20, UR10", 5, 496, 0},
    {"@P0 REDUX.MIN.S32 UR10, R0\nREDUX.MAX UR11, R0\nMOV R20, UR10\nMOV R21, UR11", 5, 1, 31},
    {"REDUX.OR UR10, R0\nREDUX.XOR UR11, R3\nMOV R20, UR10\nMOV R21, UR11", 5, 31, 0},
    {"REDUX UR10, R0\n@P0 REDUX UR11, R0\nMOV R20, UR10\nMOV R21, UR11", 5, 0, 1},
    {"S2R R20, SR_TID.X\nS2R R21, SR_LTMASK", 5, 5, 31},
    {"MOV R21, R3\nCS2R R20, SRZ", 5, 0, 0},
    {"BSSY B1, next\nBMOV.32.CLEAR R20, B1\nnext:\nBMOV.32 R21, B1", 5, 0xffffffff, 0},
};

TEST(each_instruction_computes_what_it_should)
{
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED(text_free) struct text lines = {0};
        text_printf(&lines, "%s%s\n%s", BEFORE, rows[i].lines, AFTER);
        execute(lines.data);
        const uint32_t *got = &run.out[2 * rows[i].lane];
        if (got[0] != rows[i].low || got[1] != rows[i].high) {
            print_error("%s\ngives 0x%x 0x%x, not 0x%x 0x%x\n", rows[i].lines, got[0], got[1],
                        rows[i].low, rows[i].high);
            wrong++;
        }
        finish();
    }
    assert_int_equal(wrong, 0);
}

// --- Which lanes are together

// A ballot of the executing lanes, in R20.
#define BALLOT "VOTE.ANY R20, PT, PT\n"

static void expect_ballots(const char *lines, uint32_t even, uint32_t odd)
{
    OWNED(text_free) struct text all = {0};
    text_printf(&all, "%s%s%s", BEFORE, lines, AFTER);
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

// --- What ends a run

TEST(what_cannot_be_executed_is_named)
{
    static const struct {
        const char *lines, *says;
    } ends[] = {
        {"QSPC.E.S P0, RZ, [R0]\nEXIT", "unknown instruction by QSPC.E.S P0, RZ, [R0] at 0x0"},
        {"MOV R1, c[0x1][0x0]\nEXIT", "unknown constant c[0x1][0x0] by MOV R1, c[0x1][0x0] at 0x0"},
        {"MOV R1, c[0x0][0x1000]\nEXIT", "unknown constant c[0x0][0x1000]"},
        {"LDG.E R1, [R2]\nEXIT", "access out of bounds, address 0x0, lane 0 by LDG.E R1, [R2]"},
        {"LDS.64 R2, [0x4]\nEXIT", "misaligned access, address 0x4, lane 0"},
        {"STS [0x10000], R2\nEXIT", "access out of bounds, address 0x10000, lane 0"},
        {"STL [0x4000], R2\nEXIT", "access out of bounds, address 0x4000, lane 0"},
        {"again:\nBRA again", "more than 5000 instructions"},
        {"NOP", "the code ends"},
        {"MOV R2, 0x8\nMOV R3, RZ\nRET.REL.NODEC R2 0x0", "jump out of the code, to 0x8,"},
        {"S2R R0, SR_LANEID\nISETP.EQ.U32.AND P0, PT, R0, RZ, PT\nBSSY B1, out\n@P0 BRA out\n"
         "WARPSYNC.ALL\nEXIT\nout:\nBSYNC B1\nEXIT",
         "lanes wait for ever before 0x70"},
        {"S2R R0, SR_VIRTID\nEXIT", "unknown register by S2R R0, SR_VIRTID"},
        {"ATOMS.POPC.INC R0, [RZ]\nEXIT", "ATOMS.POPC.INC"},
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        prepare(ends[i].lines);
        if (emu_run(run.program, &run.dispatch, &error) || !strstr(error.message, ends[i].says))
            fail_msg("%s\nsays \"%s\", not \"%s\"", ends[i].lines, error.message, ends[i].says);
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
    assert_false(emu_program_make(&run.code, &program, &error));
    assert_non_null(strstr(error.message, "sm_86"));
    finish();
}

// --- Causes

static const uint32_t *wanted;

static bool is_right(const struct emu_change *change, bool all, void *user)
{
    (void)all;
    (void)user;
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
    expect_cause("IADD3 R20, R0, 0x1, RZ\n", "IADD3 R20, R0, 0x2, RZ\n",
                 "unknown: no single change of a guard, a predicate or a meeting place makes it "
                 "right");
}

// A row that no test executes would not be noticed if it were wrong.
TEST(every_row_of_the_tables_is_tested)
{
    static const struct emu_row *const tables[] = {emu_integer_rows, emu_float_rows,
                                                   emu_memory_rows, emu_lane_rows};
    static const char *const elsewhere =
        " BSYNC BREAK WARPSYNC YIELD NANOSLEEP BRA CALL RET EXIT BAR "
        "BRX STG ";
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct emu_row *row = tables[t]; row->name; row++) {
            bool found = false;
            char name[24];
            snprintf(name, sizeof name, " %s ", row->name);
            found |= strstr(elsewhere, name) != NULL;
            for (size_t i = 0; i < sizeof rows / sizeof *rows && !found; i++)
                found = strstr(rows[i].lines, row->name) != NULL;
            if (!found)
                fail_msg("no test has %s", row->name);
        }
}
