// SPDX-License-Identifier: Apache-2.0
// What the convergence lint takes for the same in all lanes of a warp.
#include "unit.h"

#include "lint.h"

TEST(test_uniform)
{
    const char *const branch = "%s\n"
                               "@P0 BRA join\n"
                               "IADD3 R1, R1, 0x1, RZ\n"
                               "join:\n"
                               "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                               "EXIT\n";
    static const struct {
        const char *source;
        bool uniform;
    } cases[] = {
        {"S2R R0, SR_CTAID.X\nISETP.NE.U32.AND P0, PT, R0, RZ, PT", true},
        {"S2R R0, SR_TID.X\nISETP.NE.U32.AND P0, PT, R0, RZ, PT", false},
        {"S2R R0, SR_LANEID\nISETP.NE.U32.AND P0, PT, R0, RZ, PT", false},
        {"S2R R0, SR_LTMASK\nISETP.NE.U32.AND P0, PT, R0, RZ, PT", false},
        {"LDC R0, c[0x0][0x4]\nISETP.NE.U32.AND P0, PT, R0, RZ, PT", true},
        {"MOV R2, c[0x0][0x8]\nLDS R0, [R2]\nISETP.NE.U32.AND P0, PT, R0, RZ, PT", true},
        {"S2R R2, SR_LANEID\nLDS R0, [R2]\nISETP.NE.U32.AND P0, PT, R0, RZ, PT", false},
        {"MOV R2, c[0x0][0x8]\nLDL R0, [R2]\nISETP.NE.U32.AND P0, PT, R0, RZ, PT", false},
        {"S2R R2, SR_LANEID\nVOTE.ANY R0, P0, P1\nISETP.NE.U32.AND P0, PT, R0, RZ, PT", true},
        {"S2R R2, SR_LANEID\nREDUX.SUM UR4, R2\nISETP.NE.U32.AND P0, PT, RZ, UR4, PT", true},
        {"S2R R2, SR_LANEID\nMATCH.ANY R0, R2\nISETP.NE.U32.AND P0, PT, R0, RZ, PT", false},
        {"S2R R2, SR_LANEID\nSHFL.UP PT, R0, R2, 0x1, RZ\nISETP.NE.U32.AND P0, PT, R0, RZ, PT",
         false},
        {"S2R R2, SR_LANEID\nSHFL.IDX PT, R0, R2, 0x1, 0x1f\n"
         "ISETP.NE.U32.AND P0, PT, R0, RZ, PT",
         true},
        {"S2R R2, SR_LANEID\nSHFL.IDX PT, R0, R2, R2, 0x1f\n"
         "ISETP.NE.U32.AND P0, PT, R0, RZ, PT",
         false},
        {"S2R R2, SR_LANEID\nSHFL.IDX PT, R0, R2, 0x1, 0x1c1f\n"
         "ISETP.NE.U32.AND P0, PT, R0, RZ, PT",
         false},
        {"S2R R0, SR_LANEID\nISETP.NE.U32.AND P0, PT, R0, RZ, PT\n"
         "MOV R0, c[0x0][0x8]\nISETP.NE.U32.AND P0, PT, R0, RZ, PT",
         true},
        {"S2R R0, SR_LANEID\nISETP.NE.U32.AND P1, PT, R0, RZ, PT\nMOV R0, RZ\n"
         "@P1 MOV R0, 0x1\nISETP.NE.U32.AND P0, PT, R0, RZ, PT",
         false},
        {"ATOMG.E.ADD.STRONG.GPU PT, R0, [R2], R4\nISETP.NE.U32.AND P0, PT, R0, RZ, PT", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char lines[1024];
        OWNED(text_free) struct text out = {0};
        snprintf(lines, sizeof(lines), branch, cases[i].source);
        lint_lines(lines, false, &out);
        if ((strstr(out.data, "at risk") == NULL) != cases[i].uniform)
            fail_msg("%s", lines);
    }
}

// SR_TID.X divided by 32 is one number for the warp, if the caller knows the workgroup's shape.
TEST(test_rows)
{
    static const char *const same[] = {
        "S2R R0, SR_TID.X\nSHF.R.U32.HI R0, RZ, 0x5, R0\nISETP.NE.U32.AND P0, PT, R0, RZ, PT",
        "S2R R0, SR_TID.X\nLOP3.LUT R0, R0, 0xffffffe0, RZ, 0xc0, !PT\n"
        "ISETP.NE.U32.AND P0, PT, R0, RZ, PT",
        "S2R R0, SR_TID.X\nISETP.LT.U32.AND P0, PT, R0, 0x40, PT",
        "S2R R0, SR_TID.X\nISETP.GT.U32.AND P0, PT, R0, 0x1f, PT",
    };
    static const char *const differ[] = {
        "S2R R0, SR_TID.X\nSHF.R.U32.HI R0, RZ, 0x4, R0\nISETP.NE.U32.AND P0, PT, R0, RZ, PT",
        "S2R R0, SR_TID.Y\nSHF.R.U32.HI R0, RZ, 0x5, R0\nISETP.NE.U32.AND P0, PT, R0, RZ, PT",
        "S2R R0, SR_TID.X\nLOP3.LUT R0, R0, 0xfffffff0, RZ, 0xc0, !PT\n"
        "ISETP.NE.U32.AND P0, PT, R0, RZ, PT",
        "S2R R0, SR_TID.X\nISETP.LT.U32.AND P0, PT, R0, 0x41, PT",
        "S2R R0, SR_TID.X\nIADD3 R0, R0, 0x1, RZ\nISETP.LT.U32.AND P0, PT, R0, 0x40, PT",
        "S2R R0, SR_TID.X\nS2R R1, SR_LANEID\nISETP.NE.U32.AND P1, PT, R1, RZ, PT\n"
        "ISETP.LT.U32.AND P0, PT, R0, 0x40, P1",
    };
    const char *const branch = "%s\n"
                               "@P0 BRA join\n"
                               "NOP\n"
                               "join:\n"
                               "VOTE.ANY R1, PT, PT\n"
                               "EXIT\n";
    char lines[1024];
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        snprintf(lines, sizeof(lines), branch, same[i]);
        OWNED(text_free) struct text out = {0};
        lint_lines(lines, true, &out);
        assert_string_equal(out.data, "");
        lint_lines(lines, false, &out);
        assert_non_null(strstr(out.data, "at risk"));
    }
    for (size_t i = 0; i < sizeof(differ) / sizeof(differ[0]); i++) {
        OWNED(text_free) struct text out = {0};
        snprintf(lines, sizeof(lines), branch, differ[i]);
        lint_lines(lines, true, &out);
        if (!strstr(out.data, "at risk"))
            fail_msg("%s", lines);
    }
}

// Under a guard a register may be the same for all lanes that go on with it.
TEST(test_guards)
{
    const char *const start = "S2R R2, SR_LANEID\n"
                              "ISETP.NE.U32.AND P0, PT, R2, RZ, PT\n"
                              "ISETP.NE.U32.AND P1, PT, RZ, c[0x0][0x10], PT\n"
                              "%s\n"
                              "@P2 BRA join\n"
                              "NOP\n"
                              "join:\n"
                              "VOTE.ANY R1, PT, PT\n"
                              "EXIT\n";
    static const struct {
        const char *lines;
        bool uniform;
    } cases[] = {
        // Loaded by all or by none, from an address that is there for those that load.
        {"@P1 MOV R2, c[0x0][0x20]\n@P1 LDS R3, [R2]\n@!P1 MOV R3, RZ\n"
         "ISETP.NE.U32.AND P2, PT, R3, RZ, PT",
         true},
        {"@P1 MOV R2, c[0x0][0x20]\n@P1 LDS R3, [R2]\n@!P1 MOV R3, R2\n"
         "ISETP.NE.U32.AND P2, PT, R3, RZ, PT",
         false},
        {"@P0 MOV R2, c[0x0][0x20]\n@P0 LDS R3, [R2]\n@!P0 MOV R3, RZ\n"
         "ISETP.NE.U32.AND P2, PT, R3, RZ, PT",
         false},
        // The guard is another one by then.
        {"@P1 MOV R2, c[0x0][0x20]\nISETP.NE.U32.AND P1, PT, RZ, c[0x0][0x14], PT\n"
         "@P1 LDS R3, [R2]\n@!P1 MOV R3, RZ\nISETP.NE.U32.AND P2, PT, R3, RZ, PT",
         false},
        {"MOV R3, RZ\n@P1 MOV R3, 0x1\nISETP.NE.U32.AND P2, PT, R3, RZ, PT", true},
        {"MOV R3, RZ\n@P0 MOV R3, 0x1\nISETP.NE.U32.AND P2, PT, R3, RZ, PT", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char lines[1024];
        OWNED(text_free) struct text out = {0};
        snprintf(lines, sizeof(lines), start, cases[i].lines);
        lint_lines(lines, false, &out);
        if ((strstr(out.data, "at risk") == NULL) != cases[i].uniform)
            fail_msg("%s", lines);
    }
}
