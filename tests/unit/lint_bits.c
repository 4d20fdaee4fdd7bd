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

// Of the same: lanes with bit 0 compute a and b, a bit of a's ballot, and combine them with bit 2.
static const char either[] = "registers 4 4 if word.0 { if word.0 { p0=ordered.buffer() "
                             "p3=extract(p0,u0) } p2+=either(p3,p0) }";
static const char tables[] = "LOP3.LUT P1, RZ, R4, 0x4, RZ, 0xc0, !PT\n"
                             "ISETP.GE.U32.AND P2, PT, R0, R1, PT\n"
                             "VOTE.ANY R1, PT, P2\n"
                             "LOP3.LUT P3, RZ, R1, 0x1, R2, 0x80, !PT\n"
                             "PLOP3.LUT P0, PT, P1, P3, P2, 0x87, 0x0\n"
                             "EXIT\n";

// R2P puts bit 19 into P3, which should hold bit 3.
static const char summed[] =
    "registers 4 4 if lane.0 { while i<3 { if i>=2 { p2=bit(u0,0) break } if word.18+i { "
    "p3+=bit(u0,0) break } } u0=add(u0,u0) }";
static const char guarded[] = "S2R R1, SR_LANEID\n"
                              "ULDC.64 UR4, c[0x0][0x30]\n"
                              "LDG.E.STRONG.SM R3, [R1.U32+UR4]\n"
                              "LOP3.LUT P0, RZ, R3, 0x1, RZ, 0xc0, !PT\n"
                              "R2P PR, R3, 0xc\n"
                              "R2P PR, R3.B2, 0xc\n"
                              "@!P2 PLOP3.LUT P3, PT, P3, P0, PT, 0x28, 0x0\n"
                              "EXIT\n";

static void find(const char *of, enum masks_rule rule, const char *listing, struct text *out)
{
    struct gen_program read;
    struct gen_module module = {0};
    OWNED(sass_code_clear) struct sass_code code;
    OWNED(lint_clear) struct lint lint;
    listing_code(listing, &code);
    assert_true(gen_read(of, strlen(of), &read, &error));
    assert_true(gen_check(&read, rule, &error));
    gen_module_make(&read, rule, &module);
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
    find(program, MASKS_DEFAULT, lines, &found);
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
    find(program, MASKS_DEFAULT, right.data, &found);
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
        find(program, MASKS_DEFAULT, other.data, &found);
    }
}

TEST(a_bit_that_a_guarded_instruction_combines_is_named)
{
    OWNED(text_free) struct text found = {0};
    find(summed, MASKS_DEFAULT, guarded, &found);
    assert_string_equal(
        found.data,
        "wrong bit: PLOP3.LUT at 0x60 reads a predicate that the R2P at 0x50 set to bit "
        "19 of a word; the module tests bit 3, which has the same number in its byte");
}

static void find_table(const char *old, const char *new, struct text *found)
{
    OWNED(text_free) struct text changed = {0};
    const char *at = strstr(tables, old);
    text_append(&changed, tables, (size_t)(at - tables));
    text_printf(&changed, "%s%s", new, at + strlen(old));
    find(either, MASKS_SUBGROUP_UNIFORM, changed.data, found);
}

TEST(a_table_for_negations_is_named)
{
    static const char *const wrong[][2] = {
        {"0x87", "0x87"}, // !(x ^ (b & a))
        {"0x87", "0x78"}, // x ^ (b & a)
        {"P1, P3, P2, 0x87", "P3, P1, P2, 0x93"},
        {"P3, P2, 0x87", "!P3, !P2, 0x1e"},
        {"GE.U32.AND P2, PT, R0, R1", "LE.U32.AND P2, PT, R1, R0"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        OWNED(text_free) struct text found = {0};
        find_table(wrong[i][0], wrong[i][1], &found);
        assert_non_null(strstr(found.data,
                               "wrong table: PLOP3.LUT at 0x40 combines truth values as "
                               "the module combines the negations of two of them; of "
                               "the module's OpLogicalNotEqual %"));
    }
}

TEST(a_table_for_the_values_is_not)
{
    static const char *const right[][2] = {
        {"0x87", "0x1e"}, // x ^ (b | a)
        {"0x87", "0xe1"}, // !(x ^ (b | a))
        {"P1, P3, P2, 0x87", "P3, P1, P2, 0x36"},
        {"P3, P2, 0x87", "!P3, !P2, 0x87"},
        {"GE.U32.AND P2, PT, R0, R1", "LT.U32.AND P2, PT, R0, R1"},  // another expression
        {"GE.U32.AND P2, PT, R0, R1", "GE.U32.AND P2, PT, R0, 0x1"}, // perhaps R0 > 0
        {"R0, R1, PT", "R0, R1, P1"},
        {"ISETP.GE.U32.AND P2, PT, R0, R1, PT", "LOP3.LUT P2, RZ, R4, 0x8, RZ, 0xc0, !PT"},
        {"P1, P3, P2, 0x87", "PT, P3, P2, 0x87"},
        {"0x87", "0x80"},
    };
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        OWNED(text_free) struct text found = {0};
        find_table(right[i][0], right[i][1], &found);
        assert_null(strstr(found.data, "wrong table"));
    }
}
