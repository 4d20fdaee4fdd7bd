// SPDX-License-Identifier: Apache-2.0
// Instructions under the ordinary predicate of the number of a uniform one, in excerpts of what a
// driver for the H200 made (580.159.04), in these with something else in their place, and in code
// in which the number is no mistake.
#include "unit.h"

#include "lint.h"

// Only what is misguarded, with the address of the comparison.
static void expect_misguarded(const char *lines, const char *expected)
{
    OWNED(text_free) struct text out = {0}, found = {0};
    lint_lines(lines, true, &out);
    text_puts(&found, "");
    for (char *line = strtok(out.data, "\n"); line; line = strtok(NULL, "\n"))
        if (strncmp(line, "misguarded ", 11) == 0)
            text_printf(&found, "%s\n", line + 11);
        else
            assert_null(strstr(line, "cannot be analysed"));
    assert_string_equal(found.data, expected);
}

// P0 and P1 are words that each lane loaded, UR5 and R5 the lanes that are expected.
#define BEFORE                                                                                     \
    "S2R R0, SR_LANEID\n"                                                                          \
    "LDG.E R2, [R2.64]\n"                                                                          \
    "ISETP.NE.AND P2, PT, R2, RZ, PT\n"                                                            \
    "VOTEU.ANY UR5, UPT, P2\n"                                                                     \
    "VOTE.ANY R5, PT, P2\n"                                                                        \
    "ISETP.NE.AND P0, PT, R0, 0x3, PT\n"                                                           \
    "ISETP.NE.AND P1, PT, R0, 0x4, PT\n" // up to 0x60

#define AFTER                                                                                      \
    "PLOP3.LUT P6, PT, PT, PT, UP1, 0x40, 0x0\n"                                                   \
    "@P6 BRA done\n"                                                                               \
    "SHFL.IDX PT, R3, R2, 0x3, 0x1f\n"                                                             \
    "done:\n"                                                                                      \
    "EXIT\n"

#define VOTED    "VOTEU.ALL UR4, UPT, PT\n"
#define COMPARED "UISETP.NE.U32.AND UP1, UPT, UR4, UR5, UPT\n"
#define SUMMED   "@!P1 REDUX.SUM UR6, R2\n"

// The comparison is one of uniform registers, and REDUX stands under P1 in place of UP1.
TEST(wrong_code_is_found)
{
    expect_misguarded(BEFORE VOTED COMPARED SUMMED AFTER, "0x90 0x80\n");
    static const char *const others[] = {
        "@!P1 REDUX.MIN UR6, R2",     "@P1 REDUX.OR UR6, R2",
        "@!P1 R2UR UR6, R2",          "@!P1 SHFL.IDX PT, R3, R2, 0x3, 0x1f",
        "@!P1 VOTE.ANY R3, PT, P2",   "@!P1 MATCH.ANY R3, R2",
        "@!P1 ATOMS.ADD RZ, [R2], R3"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        OWNED(text_free) struct text lines = {0};
        text_printf(&lines, "%s%s\n%s", BEFORE VOTED COMPARED, others[i], AFTER);
        expect_misguarded(lines.data, "0x90 0x80\n");
    }
}

// The comparison is one of vector registers: it writes the predicate that guards.
TEST(right_code_is_not)
{
    expect_misguarded(BEFORE VOTED "ISETP.NE.U32.AND P1, PT, R5, UR4, PT\n"
                                   "@!P1 REDUX.SUM UR4, R2\n" AFTER,
                      "");
    // Or the uniform predicate goes into an ordinary one first.
    expect_misguarded(
        BEFORE VOTED COMPARED "PLOP3.LUT P1, PT, PT, PT, UP1, 0x80, 0x0\n" SUMMED AFTER, "");
}

TEST(near_misses_are_not)
{
    static const char *const middle[] = {
        // Another number.
        VOTED COMPARED "@!P0 REDUX.SUM UR6, R2\n",
        // No guard; a uniform one; a guard of what is not of the whole warp.
        VOTED COMPARED "REDUX.SUM UR6, R2\n",
        VOTED COMPARED "@!UP1 VOTEU.ANY UR6, UPT, P2\n",
        VOTED COMPARED "@!P1 IADD3 R3, R2, 0x1, RZ\n",
        // A comparison of no mask, or of a ballot of the program's.
        "UISETP.NE.U32.AND UP1, UPT, UR7, UR5, UPT\n" SUMMED,
        "VOTEU.ANY UR4, UPT, P2\nUISETP.NE.U32.AND UP1, UPT, UR4, URZ, UPT\n" SUMMED,
        "VOTEU.ANY UR4, UPT, PT\n" COMPARED SUMMED,
        // The mask is gone, and then the comparison's result.
        VOTED "UMOV UR4, 0x3\n" COMPARED SUMMED,
        VOTED COMPARED "UISETP.NE.U32.AND UP1, UPT, UR7, UR5, UPT\n" SUMMED,
        // The predicate is a new one.
        VOTED COMPARED "ISETP.NE.AND P1, PT, R2, 0x5, PT\n" SUMMED,
    };
    for (size_t i = 0; i < sizeof middle / sizeof *middle; i++) {
        OWNED(text_free) struct text lines = text_format("%s%s%s", BEFORE, middle[i], AFTER);
        expect_misguarded(lines.data, "");
    }
}

// Across blocks: on all ways the same comparison, or nothing is said.
TEST(ways_have_to_agree)
{
    expect_misguarded(BEFORE VOTED COMPARED "@P0 BRA join\n"
                                            "NOP\n"
                                            "join:\n" SUMMED AFTER,
                      "0xb0 0x80\n");
    expect_misguarded(BEFORE "@P0 BRA join\n" VOTED COMPARED "join:\n" SUMMED AFTER, "");
    // A loop: the second time UP1 comes from behind.
    expect_misguarded(BEFORE VOTED COMPARED "again:\n" SUMMED
                                            "UISETP.NE.U32.AND UP1, UPT, UR7, UR5, UPT\n"
                                            "@P0 BRA again\n" AFTER,
                      "");
}

TEST(it_is_said_in_words)
{
    OWNED(sass_code_clear) struct sass_code code;
    OWNED(lint_clear) struct lint lint;
    OWNED(text_free) struct text text = {0};
    listing_code(VOTED "UISETP.NE.U32.AND UP3, UPT, UR4, UR5, UPT\n"
                       "@!P3 REDUX.SUM UR6, R2\n"
                       "EXIT\n",
                 &code);
    assert_true(lint_run(&code, &(struct lint_options){.rows = true}, &lint, &error));
    assert_true(lint.count >= 1);
    assert_int_equal(lint.findings[0].kind, LINT_MISGUARDED);
    lint_word(&code, &lint, &lint.findings[0], &text);
    assert_string_equal(text.data, "misguarded: REDUX.SUM at 0x20 is guarded by P3, but the lane "
                                   "masks at 0x10 were compared into UP3");
}
