// SPDX-License-Identifier: Apache-2.0
// The lint's rules that compare machine code with its module.
#include "sections.h"

#include "generate/module.h"
#include "isa/lint.h"

#include "listing.h"

// What is found in a listing of the program of that section.
static void find(const char *of, enum masks_rule rule, const char *listing, struct text *out)
{
    struct gen_program read;
    OWNED(gen_module_clear) struct gen_module module = {0};
    const char *program = section(of)->text;
    OWNED(sass_code_clear) struct sass_code code;
    OWNED(lint_clear) struct lint lint;
    listing_code(listing, &code);
    assert_true(gen_read(program, strlen(program), &read, &error));
    assert_true(gen_check(&read, rule, &error));
    gen_module_make(&read, rule, &module);
    const struct lint_options options = {
        .rows = true, .words = module.words, .word_count = module.count};
    assert_true(lint_run(&code, &options, &lint, &error));
    text_puts(out, "");
    for (size_t i = 0; i < lint.count; i++)
        if (lint_is_cause(lint.findings[i].kind))
            lint_word(&code, &lint, &lint.findings[i], out);
}

TEST(a_predicate_with_another_bit_is_named)
{
    OWNED(text_free) struct text found = {0};
    find("predicate-program", MASKS_DEFAULT, section("predicate")->text, &found);
    assert_string_equal(
        found.data, "wrong bit: SEL at 0x2f0 reads a predicate that the R2P at 0x2a0 set to bit "
                    "11 of a word; the module tests bit 3, which has the same number in its byte");
}

// P1 holds bit 3 there.
TEST(the_right_bit_is_not)
{
    OWNED(text_free) struct text right = {0}, found = {0};
    const char *lines = section("predicate")->text, *wrong = strstr(lines, "@P3 SEL R3");
    text_append(&right, lines, (size_t)(wrong - lines));
    text_puts(&right, "@P1");
    text_puts(&right, wrong + 3);
    find("predicate-program", MASKS_DEFAULT, right.data, &found);
    assert_string_equal(found.data, "");
}

TEST(instructions_without_operands_are_read)
{
    static const char *const few[] = {"NOP\n",           "YIELD\n",  "WARPSYNC 0xffffffff\n",
                                      "MEMBAR.SC.GPU\n", "ERRBAR\n", "R2P PR\n"};
    const char *lines = section("predicate")->text, *replaced = strstr(lines, "IMAD.IADD R12");
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++) {
        OWNED(text_free) struct text other = {0}, found = {0};
        text_append(&other, lines, (size_t)(replaced - lines));
        text_puts(&other, few[i]);
        text_puts(&other, strchr(replaced, '\n') + 1);
        find("predicate-program", MASKS_DEFAULT, other.data, &found);
    }
}

TEST(a_bit_that_a_guarded_instruction_combines_is_named)
{
    OWNED(text_free) struct text found = {0};
    find("guarded-program", MASKS_DEFAULT, section("guarded")->text, &found);
    assert_string_equal(
        found.data,
        "wrong bit: PLOP3.LUT at 0x60 reads a predicate that the R2P at 0x50 set to bit "
        "19 of a word; the module tests bit 3, which has the same number in its byte");
}

static void find_table(const char *old, const char *new, struct text *found)
{
    OWNED(text_free) struct text changed = {0};
    const char *tables = section("table")->text, *at = strstr(tables, old);
    text_append(&changed, tables, (size_t)(at - tables));
    text_printf(&changed, "%s%s", new, at + strlen(old));
    find("table-program", MASKS_SUBGROUP_UNIFORM, changed.data, found);
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

// Lanes 0 and 1 leave by branches of their own and meet. R2 and P3 are of each lane's word.
static void find_scalar(const char *program, const char *old, const char *new, struct text *found)
{
    static const char turns[] = "S2R R0, SR_LANEID\n"
                                "LDG.E.STRONG.SM R2, [R0.U32+UR4]\n"
                                "LOP3.LUT P3, RZ, R2, 0x1, RZ, 0xc0, !PT\n"
                                "S2R R3, SR_CTAID.X\n"
                                "ISETP.NE.U32.AND P0, PT, R0, RZ, PT\n"
                                "BSSY B0, behind\n"
                                "@!P0 BRA out\n"
                                "ISETP.NE.U32.AND P1, PT, R0, 0x1, PT\n"
                                "@!P1 BRA out\n"
                                "BREAK B0\n"
                                "BRA behind\n"
                                "out:\n"
                                "BSYNC B0\n"
                                "R2UR UR5, R2\n"
                                "behind:\n"
                                "IMAD.U32 R4, RZ, RZ, UR5\n"
                                "EXIT\n";
    OWNED(text_free) struct text changed = {0};
    const char *at = strstr(turns, old);
    assert_non_null(at);
    text_append(&changed, turns, (size_t)(at - turns));
    text_printf(&changed, "%s%s", new, at + strlen(old));
    find(program, MASKS_SUBGROUP_UNIFORM, changed.data, found);
}

TEST(one_lanes_value_for_lanes_that_met_is_named)
{
    static const char *const wrong[][3] = {
        {"EXIT", "EXIT", "R2UR at 0xc0 takes one lane's value of R2, set at 0x10"},
        {"R2UR UR5, R2", "VOTEU.ANY UP0, P3",
         "VOTEU.ANY at 0xc0 takes one lane's value of P3, set at 0x20"},
        {"R2UR UR5, R2", "@P3 VOTEU.ANY UP0, P3", NULL}, // they have one value of it
        {"ISETP.NE.U32.AND P1, PT, R0, 0x1, PT\n@!P1", "ISETP.EQ.U32.AND P1, PT, R0, 0x1, P3\n@P1",
         "R2UR at 0xc0 takes one lane's value of R2, set at 0x10"},
        {"@!P1 BRA out", "NOP", NULL},          // one lane is there
        {"@!P1 BRA out", "@P1 BRA out", NULL},  // all but lane 1, in the module, too
        {"R2UR UR5, R2", "R2UR UR5, R3", NULL}, // the workgroup's number
        {"ISETP.NE.U32.AND P1, PT, R0", "ISETP.NE.U32.AND P1, PT, R3", NULL},
        {"R2UR UR5, R2", "ISETP.EQ.U32.AND P2, PT, R0, 0x1, PT\n@!P2 BRA behind\nR2UR UR5, R2",
         NULL},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        OWNED(text_free) struct text found = {0};
        find_scalar("table-program", wrong[i][0], wrong[i][1], &found);
        const char *line = strstr(found.data, "wrong scalar: ");
        assert_int_equal(line != NULL, wrong[i][2] != NULL);
        if (line)
            assert_memory_equal(line + 14, wrong[i][2], strlen(wrong[i][2]));
    }
}

TEST(one_lanes_value_that_the_module_asks_for_is_not)
{
    for (int votes = 0; votes < 2; votes++) {
        OWNED(text_free) struct text found = {0};
        find_scalar(votes ? "votes-program" : "first-program", "R2UR UR5, R2",
                    votes ? "VOTEU.ANY UP0, P3" : "R2UR UR5, R2", &found);
        assert_null(strstr(found.data, "wrong scalar"));
    }
}
