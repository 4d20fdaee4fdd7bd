// SPDX-License-Identifier: Apache-2.0
// The lint's comparison of the bits that machine code tests with those that its module tests.
#include "unit.h"

#include "generate/module.h"
#include "isa/lint.h"

#include "listing.h"

// Of an NVIDIA H200, driver 580.159.04: R2P at 0x2a0 puts bit 11 into P3, which holds bit 3 for
// 0x2f0.
static const char program[] =
    "registers 4 4 if lane.0 { if word.11 { u0=lane() } if word.8 { } else { u0+=add(u2,u2) } "
    "if p3 { p2=both(p0,p0) } } p3+=bit(u0,0)";
static const char lines[] = "S2R R0, SR_TID.X\n"
                            "BSSY B0, 0x100\n"
                            "S2R R1, SR_CTAID.X\n"
                            "S2R R7, SR_LANEID\n"
                            "SHF.R.U32.HI R0, RZ, 0x5, R0\n"
                            "IMAD R0, R0, c[0x0][0x648], RZ\n"
                            "IMAD R0, R1, 0x40, R0\n"
                            "IMAD.IADD R0, R0, 0x1, R7\n"
                            "IMAD.SHL.U32 R1, R0, 0x4, RZ\n"
                            "IADD3 R2, P0, R1, 0x4, RZ\n"
                            "ISETP.LE.U32.AND P0, PT, R2, c[0x0][0x38], !P0\n"
                            "@!P0 IMAD.MOV.U32 R5, RZ, RZ, RZ\n"
                            "@!P0 BRA 0xf0\n"
                            "ULDC.64 UR4, c[0x0][0x30]\n"
                            "LDG.E.STRONG.SM R5, [R1.U32+UR4]\n"
                            "BSYNC B0\n"
                            "SHF.R.U32.HI R2, RZ, 0x10, R5\n"
                            "IMAD.MOV.U32 R10, RZ, RZ, 0x45d9f3b\n"
                            "LOP3.LUT P6, RZ, R7, 0x1, RZ, 0xc0, !PT\n"
                            "IMAD.SHL.U32 R8, R0, 0x20, RZ\n"
                            "LOP3.LUT R1, R5.reuse, R2, RZ, 0x3c, !PT\n"
                            "BSSY B0, 0x320\n"
                            "LOP3.LUT P5, R3, R5, 0x1, RZ, 0xc0, !PT\n"
                            "VIADD R2, R8.reuse, 0x20\n"
                            "IADD3 R4, P1, R8, 0x10, RZ\n"
                            "IMAD R1, R1, R10, 0x1\n"
                            "SEL R12, RZ, 0x1, !P5\n"
                            "IADD3 RZ, P4, R4, 0x10, RZ\n"
                            "SHF.R.U32.HI R0, RZ, 0x10, R1\n"
                            "ISETP.LE.U32.AND P4, PT, R2, c[0x0][0x48], !P4\n"
                            "LOP3.LUT R11, R1, R0, RZ, 0x3c, !PT\n"
                            "@!P6 IMAD.MOV.U32 R0, RZ, RZ, R5\n"
                            "R2P PR, R5, 0xc\n"
                            "ISETP.LE.U32.AND P1, PT, R4, c[0x0][0x48], !P1\n"
                            "IMAD R2, R11, R10, 0x2\n"
                            "@!P6 ISETP.NE.U32.AND P0, PT, R3, RZ, PT\n"
                            "P2R R13, PR, RZ, 0x2\n"
                            "SEL R3, RZ, 0x1, !P2\n"
                            "PLOP3.LUT P1, PT, P3, PT, PT, 0x80, 0x0\n"
                            "SHF.R.U32.HI R9, RZ, 0x10, R2\n"
                            "@!P6 BRA 0x310\n"
                            "IMAD.MOV.U32 R6, RZ, RZ, 0x8bb3e76\n"
                            "R2P PR, R5.B1, 0x9\n"
                            "IMAD R6, R11, R6, 0x4\n"
                            "SEL R0, R5, R7, !P3\n"
                            "SEL R7, R6, RZ, !P0\n"
                            "IMAD.IADD R0, R0, 0x1, R7\n"
                            "@P3 SEL R3, RZ, 0x1, !P5\n"
                            "LOP3.LUT P0, RZ, R0, 0x1, RZ, 0xc0, !PT\n"
                            "BSYNC B0\n"
                            "ISETP.NE.AND P2, PT, R13, RZ, PT\n"
                            "ULDC.64 UR4, c[0x0][0x40]\n"
                            "LOP3.LUT R9, R2, R9, RZ, 0x3c, !PT\n"
                            "LOP3.LUT R5, R12, 0x2, R5, 0xf8, !PT\n"
                            "LOP3.LUT R6, R3, 0x1, RZ, 0xc0, !PT\n"
                            "IMAD R3, R9, R10, 0x3\n"
                            "PLOP3.LUT P0, PT, P1, P0, PT, 0x28, 0x0\n"
                            "IMAD R5, R6, 0x4, R5\n"
                            "SEL R6, RZ, 0x8, !P0\n"
                            "@P2 STG.E.128.STRONG.SM [R8.U32+UR4], R0\n"
                            "IMAD.IADD R12, R5, 0x1, R6\n"
                            "@!P4 EXIT\n"
                            "IMAD.MOV.U32 R13, RZ, RZ, RZ\n"
                            "CS2R R14, SRZ\n"
                            "ULDC.64 UR4, c[0x0][0x40]\n"
                            "STG.E.128.STRONG.SM [R4.U32+UR4], R12\n"
                            "EXIT\n"
                            "BRA 0x430\n";

static void find(const char *listing, struct text *out)
{
    struct gen_program read;
    struct gen_module module = {0};
    OWNED(sass_code_clear) struct sass_code code;
    OWNED(lint_clear) struct lint lint;
    listing_code(listing, &code);
    assert_true(gen_read(program, strlen(program), &read, &error));
    assert_true(gen_check(&read, MASKS_DEFAULT, &error));
    gen_module_make(&read, MASKS_DEFAULT, &module);
    const struct lint_options options = {
        .rows = true, .words = module.words, .word_count = module.count};
    assert_true(lint_run(&code, &options, &lint, &error));
    text_puts(out, "");
    for (size_t i = 0; i < lint.count; i++)
        if (lint_is_cause(lint.findings[i].kind))
            lint_word(&code, &lint, &lint.findings[i], out);
    gen_module_clear(&module);
}

TEST(a_predicate_with_another_bit_is_named)
{
    OWNED(text_free) struct text found = {0};
    find(lines, &found);
    assert_string_equal(
        found.data, "wrong bit: SEL at 0x2f0 reads a predicate that the R2P at 0x2a0 set to bit "
                    "11 of a word; the module tests bit 3, which has the same number in its byte");
}

// P1 holds bit 3 there.
TEST(the_right_bit_is_not)
{
    OWNED(text_free) struct text right = {0}, found = {0};
    const char *wrong = strstr(lines, "@P3 SEL R3");
    text_append(&right, lines, (size_t)(wrong - lines));
    text_puts(&right, "@P1");
    text_puts(&right, wrong + 3);
    find(right.data, &found);
    assert_string_equal(found.data, "");
}

TEST(instructions_without_operands_are_read)
{
    static const char *const few[] = {"NOP\n",           "YIELD\n",  "WARPSYNC 0xffffffff\n",
                                      "MEMBAR.SC.GPU\n", "ERRBAR\n", "R2P PR\n"};
    const char *replaced = strstr(lines, "IMAD.IADD R12");
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++) {
        OWNED(text_free) struct text other = {0}, found = {0};
        text_append(&other, lines, (size_t)(replaced - lines));
        text_puts(&other, few[i]);
        text_puts(&other, strchr(replaced, '\n') + 1);
        find(other.data, &found);
    }
}
