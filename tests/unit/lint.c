// SPDX-License-Identifier: Apache-2.0
// The convergence lint on small listings, each for one thing that brings lanes together or does
// not.
#include "unit.h"

#include "lint.h"

static void test_straight(void **state)
{
    (void)state;
    expect(LANE "SHFL.IDX PT, R1, R0, 0x3, 0x1f\n"
                "VOTE.ANY R2, PT, P0\n"
                "EXIT\n",
           "");
}

static void test_if(void **state)
{
    (void)state;
    expect(LANE "BSSY B0, after\n"
                "@P0 BRA join\n"
                "IADD3 R1, R1, 0x1, RZ\n"
                "join:\n"
                "BSYNC B0\n"
                "after:\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "EXIT\n",
           "");
    expect(LANE "NOP\n"
                "@P0 BRA join\n"
                "IADD3 R1, R1, 0x1, RZ\n"
                "join:\n"
                "NOP\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "EXIT\n",
           "at risk 0x60 0x30\n");
    // The exchange is before the place where they meet.
    expect(LANE "BSSY B0, after\n"
                "@P0 BRA join\n"
                "IADD3 R1, R1, 0x1, RZ\n"
                "join:\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "BSYNC B0\n"
                "after:\n"
                "EXIT\n",
           "at risk 0x50 0x30\n");
}

static void test_sides(void **state)
{
    (void)state;
    expect(LANE "BSSY B0, after\n"
                "@P0 BRA join\n"
                "VOTE.ANY R1, PT, PT\n"
                "join:\n"
                "BSYNC B0\n"
                "after:\n"
                "EXIT\n",
           "inside 0x40 0x30\n");
    // One on each side, and each side has no other way.
    expect(LANE "BSSY B0, after\n"
                "@P0 BRA other\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "BRA join\n"
                "other:\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "join:\n"
                "BSYNC B0\n"
                "after:\n"
                "EXIT\n",
           "twice 0x40 0x30\n"
           "inside 0x40 0x30\n"
           "inside 0x60 0x30\n");
    // Of another sort.
    expect(LANE "BSSY B0, after\n"
                "@P0 BRA other\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "BRA join\n"
                "other:\n"
                "SHFL.UP PT, R1, R1, 0x3, RZ\n"
                "join:\n"
                "BSYNC B0\n"
                "after:\n"
                "EXIT\n",
           "inside 0x40 0x30\n"
           "inside 0x60 0x30\n");
    // Lanes of one side can go around theirs.
    expect(LANE "ISETP.NE.U32.AND P1, PT, R0, 0x2, PT\n"
                "BSSY B0, after\n"
                "@P0 BRA other\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "BRA join\n"
                "other:\n"
                "@P1 BRA join\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "join:\n"
                "BSYNC B0\n"
                "after:\n"
                "EXIT\n",
           "inside 0x50 0x40\n"
           "inside 0x80 0x70\n");
}

static void test_nested(void **state)
{
    (void)state;
    const char *const nested = LANE "ISETP.NE.U32.AND P1, PT, R0, 0x2, PT\n"
                                    "BSSY B0, after\n"
                                    "@P0 BRA join\n"
                                    "BSSY B1, inner\n"
                                    "@P1 BRA meet\n"
                                    "IADD3 R1, R1, 0x1, RZ\n"
                                    "meet:\n"
                                    "%s\n"
                                    "inner:\n"
                                    "VOTE.ANY R2, PT, PT\n"
                                    "join:\n"
                                    "BSYNC B0\n"
                                    "after:\n"
                                    "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                                    "EXIT\n";
    char lines[1024];
    snprintf(lines, sizeof(lines), nested, "BSYNC B1");
    expect(lines, "inside 0x90 0x40\n");
    snprintf(lines, sizeof(lines), nested, "NOP");
    expect(lines, "at risk 0x90 0x60\n"
                  "inside 0x90 0x40\n");
}

#define LOOP_TOP                                                                                   \
    LANE "MOV R2, RZ\n"                                                                            \
         "BSSY B0, after\n"                                                                        \
         "top:\n"                                                                                  \
         "IADD3 R2, R2, 0x1, RZ\n"

static void test_loop(void **state)
{
    (void)state;
    // Lanes stay for as many iterations as their number.
    expect(LOOP_TOP "VOTE.ANY R3, PT, PT\n"
                    "ISETP.LT.U32.AND P1, PT, R2, R0, PT\n"
                    "@P1 BRA top\n"
                    "BSYNC B0\n"
                    "after:\n"
                    "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                    "EXIT\n",
           "inside 0x50 0x70\n");
    expect(LOOP_TOP "VOTE.ANY R3, PT, PT\n"
                    "ISETP.LT.U32.AND P1, PT, R2, R0, PT\n"
                    "@P1 BRA top\n"
                    "NOP\n"
                    "after:\n"
                    "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                    "EXIT\n",
           "at risk 0x90 0x70\n"
           "inside 0x50 0x70\n");
    // As many iterations for all.
    expect(LOOP_TOP "VOTE.ANY R3, PT, PT\n"
                    "ISETP.LT.U32.AND P1, PT, R2, c[0x0][0x10], PT\n"
                    "@P1 BRA top\n"
                    "NOP\n"
                    "after:\n"
                    "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                    "EXIT\n",
           "");
    // Lanes left with different counts: a branch on the count parts them.
    expect(LOOP_TOP "ISETP.LT.U32.AND P1, PT, R2, R0, PT\n"
                    "@P1 BRA top\n"
                    "BSYNC B0\n"
                    "after:\n"
                    "ISETP.NE.U32.AND P1, PT, R2, RZ, PT\n"
                    "@P1 BRA end\n"
                    "NOP\n"
                    "end:\n"
                    "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                    "EXIT\n",
           "at risk 0xb0 0x90\n");
}

static void test_continue(void **state)
{
    (void)state;
    const char *const lines = LANE "ISETP.NE.U32.AND P0, PT, R0, RZ, PT\n"
                                   "MOV R2, RZ\n"
                                   "top:\n"
                                   "%s\n"
                                   "IADD3 R2, R2, 0x1, RZ\n"
                                   "@P0 BRA next\n"
                                   "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                                   "next:\n"
                                   "%s\n"
                                   "following:\n"
                                   "LOP3.LUT P0, RZ, R2, R0, RZ, 0xc0, !PT\n"
                                   "ISETP.LT.U32.AND P1, PT, R2, 0x10, PT\n"
                                   "@P1 BRA top\n"
                                   "EXIT\n";
    char made[1024];
    snprintf(made, sizeof(made), lines, "BSSY B0, following", "BSYNC B0");
    expect(made, "inside 0x70 0x60\n");
    snprintf(made, sizeof(made), lines, "NOP", "NOP");
    expect(made, "at risk 0x70 0x60\n");
}

static void test_break(void **state)
{
    (void)state;
    // B1 is for those that stay, B0 for all: who breaks leaves B1.
    const char *const lines = LANE "MOV R2, RZ\n"
                                   "BSSY B0, after\n"
                                   "top:\n"
                                   "IADD3 R2, R2, 0x1, RZ\n"
                                   "ISETP.EQ.U32.AND P1, PT, R2, R0, PT\n"
                                   "BSSY B1, following\n"
                                   "%s\n"
                                   "@P1 BRA out\n"
                                   "BSYNC B1\n"
                                   "following:\n"
                                   "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                                   "BRA top\n"
                                   "out:\n"
                                   "BSYNC B0\n"
                                   "after:\n"
                                   "VOTE.ANY R3, PT, PT\n"
                                   "EXIT\n";
    char made[1024];
    snprintf(made, sizeof(made), lines, "@P1 BREAK B1");
    expect(made, "inside 0xa0 0x80\n");
    // Out of the loop by a way that passes the exchange of those that stay: P0 tells nothing of P1.
    expect(LANE "ISETP.EQ.U32.AND P1, PT, R0, 0x2, PT\n"
                "BSSY B1, after\n"
                "@P0 BREAK B1\n"
                "@P1 BRA meet\n"
                "NOP\n"
                "meet:\n"
                "BSYNC B1\n"
                "after:\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "EXIT\n",
           "at risk 0x80 0x50\n");
    // It is known of whom the branch is taken.
    expect(LANE "BSSY B1, after\n"
                "@P0 BREAK B1\n"
                "@P0 BRA out\n"
                "BSYNC B1\n"
                "after:\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "out:\n"
                "EXIT\n",
           "inside 0x60 0x40\n");
}

// A lane that breaks out of the inner barrier and comes to the same place as those that wait there.
static void test_break_back(void **state)
{
    (void)state;
    expect(LANE "BSSY B0, end\n"
                "BSSY B1, after\n"
                "@P0 BREAK B1\n"
                "@P0 BRA after\n"
                "BSYNC B1\n"
                "after:\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "BSYNC B0\n"
                "end:\n"
                "EXIT\n",
           "at risk 0x70 0x50\n");
}

static void test_warpsync(void **state)
{
    (void)state;
    const char *const lines = LANE "VOTE.ANY R4, PT, PT\n"
                                   "@P0 BRA join\n"
                                   "NOP\n"
                                   "join:\n"
                                   "%s\n"
                                   "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                                   "EXIT\n";
    static const char *const waits[] = {"WARPSYNC.ALL", "WARPSYNC R4", "WARPSYNC 0xffffffff"};
    char made[1024];
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
        snprintf(made, sizeof(made), lines, waits[i]);
        expect(made, "");
    }
    snprintf(made, sizeof(made), lines, "BAR.SYNC 0x0");
    expect(made, "at risk 0x60 0x30\n");
    // Each side waits in a place of its own.
    expect(LANE "VOTE.ANY R4, PT, PT\n"
                "@P0 BRA other\n"
                "WARPSYNC R4\n"
                "BRA join\n"
                "other:\n"
                "WARPSYNC R4\n"
                "join:\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "EXIT\n",
           "at risk 0x70 0x30\n");
    expect(LANE "NOP\n"
                "@P0 BRA other\n"
                "WARPSYNC.ALL\n"
                "BRA join\n"
                "other:\n"
                "WARPSYNC.ALL\n"
                "join:\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "EXIT\n",
           "at risk 0x70 0x30\n");
}

// Whoever waits goes on when the others have ended, or wait for all elsewhere: not with them.
static void test_waits_in_vain(void **state)
{
    (void)state;
    expect(LANE "BSSY B0, after\n"
                "@P0 BRA past\n"
                "BSYNC B0\n"
                "after:\n"
                "past:\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "EXIT\n",
           "at risk 0x50 0x30\n");
    expect(LANE "NOP\n"
                "@P0 BRA past\n"
                "WARPSYNC.ALL\n"
                "past:\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "@P0 EXIT\n"
                "WARPSYNC.ALL\n"
                "EXIT\n",
           "at risk 0x50 0x30\n");
    expect(LANE "NOP\n"
                "@P0 BRA past\n"
                "WARPSYNC.ALL\n"
                "past:\n"
                "WARPSYNC.ALL\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "EXIT\n",
           "at risk 0x60 0x30\n");
}

// Each lane entered the barrier alone: they do not wait for each other in it.
static void test_entered_apart(void **state)
{
    (void)state;
    const char *const lines = LANE "%s\n"
                                   "@P0 BRA over\n"
                                   "NOP\n"
                                   "over:\n"
                                   "%s\n"
                                   "WARPSYNC.ALL\n"
                                   "@P0 BRA meet\n"
                                   "NOP\n"
                                   "meet:\n"
                                   "BSYNC B0\n"
                                   "after:\n"
                                   "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                                   "EXIT\n";
    char made[1024];
    snprintf(made, sizeof(made), lines, "BSSY B0, after", "NOP");
    expect(made, "");
    snprintf(made, sizeof(made), lines, "NOP", "BSSY B0, after");
    expect(made, "at risk 0xa0 0x70\n");
}

static void test_conv(void **state)
{
    (void)state;
    // Jumped over where all are together, for all lanes and for those of a mask.
    static const char *const masks[] = {"~URZ", "UR4"};
    for (size_t i = 0; i < 2; i++) {
        char made[1024];
        snprintf(made, sizeof(made),
                 LANE "VOTE.ANY R4, PT, PT\n"
                      "@P0 BRA join\n"
                      "NOP\n"
                      "join:\n"
                      "BRA.CONV %s, together\n"
                      "WARPSYNC R4\n"
                      "together:\n"
                      "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                      "EXIT\n",
                 masks[i]);
        expect(made, "");
        snprintf(made, sizeof(made),
                 LANE "VOTE.ANY R4, PT, PT\n"
                      "@P0 BRA join\n"
                      "NOP\n"
                      "join:\n"
                      "BRA.CONV %s, together\n"
                      "NOP\n"
                      "together:\n"
                      "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                      "EXIT\n",
                 masks[i]);
        expect(made, "at risk 0x70 0x30\n");
    }
    // The other way round: BRA.DIV goes where they are not together.
    expect(LANE "VOTE.ANY R4, PT, PT\n"
                "@P0 BRA join\n"
                "NOP\n"
                "join:\n"
                "BRA.DIV ~URZ, slow\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "back:\n"
                "EXIT\n"
                "slow:\n"
                "WARPSYNC R4\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "BRA back\n",
           "");
}

// The compiler's own question whether the lanes of a mask are together.
static void test_query(void **state)
{
    (void)state;
    const char *const lines = LANE "VOTE.ANY R4, PT, PT\n"
                                   "@P0 BRA join\n"
                                   "NOP\n"
                                   "join:\n"
                                   "MATCH.ANY R1, R4\n"
                                   "REDUX.OR UR4, R4\n"
                                   "VOTEU.ANY UR5, UPT, PT\n"
                                   "LOP3.LUT P1, RZ, R4, UR5, R1, 0x40, !PT\n"
                                   "@!P1 BRA.CONV UR4, together\n"
                                   "MOV R6, 0xc0\n"
                                   "CALL.REL.NOINC wait\n"
                                   "BRA meet\n"
                                   "together:\n"
                                   "VOTEU.ALL UR4, UPT, PT\n"
                                   "meet:\n"
                                   "VOTEU.ANY UR4, UPT, PT\n"
                                   "%s\n"
                                   "STS [R7], R1\n"
                                   "EXIT\n"
                                   "wait:\n"
                                   "WARPSYNC R4\n"
                                   "MOV R2, R6\n"
                                   "RET.REL.NODEC R2 0x0\n";
    char made[1024];
    snprintf(made, sizeof(made), lines, "MOV R1, RZ");
    expect(made, "query 0x50 0x30\n"
                 "query 0x60 0x30\n"
                 "query 0x70 0x30\n");
    // What MATCH gave is stored, too.
    snprintf(made, sizeof(made), lines, "MOV R7, RZ");
    expect(made, "at risk 0x50 0x30\n"
                 "query 0x60 0x30\n"
                 "query 0x70 0x30\n");
}

static void test_leaving(void **state)
{
    (void)state;
    // A vote in the block that breaks: lanes of one iteration, before all meet behind the loop.
    expect(LOOP_TOP "ISETP.EQ.U32.AND P1, PT, R2, R0, PT\n"
                    "@P1 BRA breaks\n"
                    "ISETP.LT.U32.AND P2, PT, R2, 0x10, PT\n"
                    "@P2 BRA top\n"
                    "BRA out\n"
                    "breaks:\n"
                    "VOTEU.ANY UR4, UPT, PT\n"
                    "out:\n"
                    "BSYNC B0\n"
                    "after:\n"
                    "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                    "EXIT\n",
           "leaving 0xa0 0x60\n");
}

static void test_bmov(void **state)
{
    (void)state;
    const char *const lines = LANE "BSSY B0, after\n"
                                   "@P0 BRA meet\n"
                                   "BMOV.32.CLEAR R8, B0\n"
                                   "BSSY B0, inner\n"
                                   "BSYNC B0\n"
                                   "inner:\n"
                                   "%s\n"
                                   "BMOV.32 B0, R8\n"
                                   "meet:\n"
                                   "BSYNC B0\n"
                                   "after:\n"
                                   "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                                   "EXIT\n";
    char made[1024];
    snprintf(made, sizeof(made), lines, "NOP");
    expect(made, "");
    snprintf(made, sizeof(made), lines, "MOV R8, RZ");
    expect(made, "at risk 0xa0 0x30\n");
}

static void test_call(void **state)
{
    (void)state;
    // Lanes part in a function and meet in it; then in the caller, apart.
    expect(LANE "MOV R6, 0x40\n"
                "CALL.REL.NOINC function\n"
                "MOV R6, 0x60\n"
                "CALL.REL.NOINC function\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "EXIT\n"
                "function:\n"
                "BSSY B0, after\n"
                "@P0 BRA meet\n"
                "NOP\n"
                "meet:\n"
                "BSYNC B0\n"
                "after:\n"
                "RET.REL.NODEC R6 0x0\n",
           "");
    expect(LANE "MOV R6, 0x40\n"
                "CALL.REL.NOINC function\n"
                "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "EXIT\n"
                "function:\n"
                "@P0 BRA meet\n"
                "NOP\n"
                "meet:\n"
                "RET.REL.NODEC R6 0x0\n",
           "at risk 0x40 0x60\n");
    // Each side calls the same function.
    expect(LANE "BSSY B0, after\n"
                "@P0 BRA other\n"
                "MOV R6, 0x60\n"
                "CALL.REL.NOINC function\n"
                "BRA join\n"
                "other:\n"
                "MOV R6, 0x90\n"
                "CALL.REL.NOINC function\n"
                "join:\n"
                "BSYNC B0\n"
                "after:\n"
                "EXIT\n"
                "function:\n"
                "VOTE.ANY R3, PT, PT\n"
                "RET.REL.NODEC R6 0x0\n",
           "twice 0xb0 0x30\n"
           "inside 0xb0 0x30\n");
    // A call that never returns is a branch.
    expect(LANE "@P0 CALL.REL.NOINC end\n"
                "NOP\n"
                "end:\n"
                "VOTE.ANY R3, PT, PT\n"
                "EXIT\n",
           "at risk 0x40 0x20\n");
}

static void test_exit(void **state)
{
    (void)state;
    expect(LANE "@P0 EXIT\n"
                "WARPSYNC.ALL\n"
                "VOTE.ANY R3, PT, PT\n"
                "EXIT\n",
           "exited 0x40 0x20\n");
    expect("MOV R0, c[0x0][0x4]\n"
           "ISETP.NE.U32.AND P0, PT, R0, RZ, PT\n"
           "@P0 EXIT\n"
           "VOTE.ANY R3, PT, PT\n"
           "EXIT\n",
           "");
}

static void test_guarded(void **state)
{
    (void)state;
    expect(LANE "@P0 SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "EXIT\n",
           "guarded 0x20 0x20\n");
    // Lanes of the other side do not execute it.
    expect(LANE "@P0 BRA join\n"
                "NOP\n"
                "join:\n"
                "@P0 SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                "EXIT\n",
           "inside 0x40 0x20\n"
           "guarded 0x40 0x40\n");
}

static void test_refused(void **state)
{
    (void)state;
    expect("BRX R2 -0x10\nEXIT\n", "cannot be analysed: BRX at 0x0: its target is in a register");
    expect("NOP\n", "cannot be analysed: the instruction at 0x0: the code goes on past its end");
    expect("BRA 0x100\nEXIT\n", "cannot be analysed: BRA at 0x0: its target is not an instruction");
    expect("BRA 0x8\nEXIT\n", "cannot be analysed: BRA at 0x0: its target is not an instruction");
    expect("RET.REL.NODEC R2 0x0\n",
           "cannot be analysed: RET at 0x0: a return outside of any call");
    expect("CALL.REL.NOINC again\n"
           "EXIT\n"
           "again:\n"
           "@P0 CALL.REL.NOINC again\n"
           "RET.REL.NODEC R2 0x0\n",
           "cannot be analysed: CALL at 0x20: calls within calls without end");
    // What cannot be reached is not looked at.
    expect("EXIT\nBRX R2 -0x10\nBRA 0x4000\n", "");
    // Nor is what is never executed.
    expect("@!PT BRA 0x100\nVOTE.ANY R3, PT, PT\nEXIT\n", "");
    struct sass_code none = {.operands = true};
    struct lint lint;
    struct lit_error error;
    assert_false(lint_run(&none, &(struct lint_options){0}, &lint, &error));
    assert_string_equal(error.message, "cannot be analysed: there is no code");
    lint_clear(&lint);
}

// Without registers every condition may part lanes.
static void test_no_operands(void **state)
{
    (void)state;
    struct sass_code code;
    struct lint lint;
    struct lit_error error;
    listing_code("MOV R0, c[0x0][0x4]\n"
                 "ISETP.NE.U32.AND P0, PT, R0, RZ, PT\n"
                 "@P0 BRA join\n"
                 "NOP\n"
                 "join:\n"
                 "VOTE.ANY R3, PT, PT\n"
                 "EXIT\n",
                 &code);
    code.operands = false;
    assert_true(lint_run(&code, &(struct lint_options){0}, &lint, &error));
    assert_int_equal(lint.count, 1);
    assert_int_equal(lint.findings[0].kind, LINT_RISK);
    struct text text = {0};
    lint_word(&code, &lint, &lint.findings[0], &text);
    assert_non_null(strstr(text.data, "register values are not known"));
    text_free(&text);
    lint_clear(&lint);
    sass_code_clear(&code);
}

static void test_words(void **state)
{
    (void)state;
    struct sass_code code;
    struct lint lint;
    struct lit_error error;
    listing_code(LANE "@P0 BRA join\n"
                      "NOP\n"
                      "join:\n"
                      "SHFL.IDX PT, R1, R1, 0x3, 0x1f\n"
                      "EXIT\n",
                 &code);
    assert_true(lint_run(&code, &(struct lint_options){0}, &lint, &error));
    assert_int_equal(lint.count, 1);
    assert_int_equal(lint.reads, 1);
    assert_int_equal(lint.branches, 1);
    assert_int_equal(lint.divergent, 1);
    struct text text = {0};
    lint_word(&code, &lint, &lint.findings[0], &text);
    assert_string_equal(
        text.data, "at risk: SHFL.IDX at 0x40 can be reached from both sides of the branch at 0x20 "
                   "without reconvergence: 0x20 -> 0x30 -> 0x40 and 0x20 -> 0x40");
    text_free(&text);
    lint_clear(&lint);
    sass_code_clear(&code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight),      cmocka_unit_test(test_if),
        cmocka_unit_test(test_sides),         cmocka_unit_test(test_nested),
        cmocka_unit_test(test_loop),          cmocka_unit_test(test_continue),
        cmocka_unit_test(test_break),         cmocka_unit_test(test_break_back),
        cmocka_unit_test(test_warpsync),      cmocka_unit_test(test_waits_in_vain),
        cmocka_unit_test(test_entered_apart), cmocka_unit_test(test_conv),
        cmocka_unit_test(test_query),         cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_bmov),          cmocka_unit_test(test_call),
        cmocka_unit_test(test_exit),          cmocka_unit_test(test_guarded),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_no_operands),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
