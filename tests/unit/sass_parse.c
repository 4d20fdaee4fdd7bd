// SPDX-License-Identifier: Apache-2.0
// Reading the text of nvdisasm: what an instruction reads, writes and decides, labels, and texts
// that make no sense.
#include "unit.h"

#include "sass.h"

#include "base/text.h"
#include "isa/sass.h"

// Names and ways to write an operand that no row of tests/sass has (sass_decode.c).
static const struct row {
    const char *text;
    enum sass_op op;
    const char *reads, *writes;
} rows[] = {
    {"LOP3.LUT R3, R1, R2, ~R4, 0xc0, !P1", SASS_OTHER, "R1-R2 R4 P1", "R3"},
    {"HADD2 R5, -R0.H0_H0, |R7|.H1_H1", SASS_OTHER, "R0 R7", "R5"},
    {"@P1 STG.E.64.STRONG.SM [R2.64], R4", SASS_STG, "R2-R5 P1", ""},
    {"DSETP.GT.AND P3, P1, |R8|, -R10, PT", SASS_OTHER, "R8-R11", "P1 P3"},
    {"F2F.FTZ.F32.F64 R2, R6", SASS_OTHER, "R6-R7", "R2"},
    {"I2F.S64 R0, R4", SASS_OTHER, "R4-R5", "R0"},
    {"LDG.E.U8 R4, desc[UR6][R2.64+0x4]", SASS_LDG, "R2-R3 UR6-UR7", "R4"},
    {"ATOMG.E.CAS.64.STRONG.GPU P0, R10, [R2], R12, R14", SASS_ATOMG, "R2-R3 R12-R15",
     "R10-R11 P0"},
};

static bool parse(const char *text, struct sass_code *code, struct lit_error *error)
{
    // In a block of its own size, so that reading behind it is seen.
    const size_t length = strlen(text);
    OWNED(lit_free) char *exact = malloc(length ? length : 1);
    assert_non_null(exact);
    memcpy(exact, text, length);
    const bool good = sass_parse(exact, length, 90, code, error);
    return good;
}

TEST(names_tell_what_is_read_and_written)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED(sass_code_clear) struct sass_code code;
        char line[512];
        snprintf(line, sizeof line, "        /*0000*/   %s ;   /* 0x0 */\n", rows[i].text);
        assert_true(parse(line, &code, NULL));
        assert_int_equal(code.count, 1);
        assert_true(code.operands);
        const struct sass_insn *insn = &code.insns[0];
        OWNED(lit_free)
        char *reads = registers_text(&insn->reads), *writes = registers_text(&insn->writes);
        assert_string_equal(insn->text, rows[i].text);
        if (insn->op != rows[i].op || strcmp(reads, rows[i].reads) ||
            strcmp(writes, rows[i].writes))
            fail_msg("%s: %s reads %s writes %s", rows[i].text, sass_op_name(insn->op), reads,
                     writes);
        assert_int_equal(insn->flags & SASS_UNKNOWN, 0);
    }
}

// As nvdisasm writes a function of an ELF file, with tabs and a blank before a comma.
static const char function[] =
    "\t.headerflags\t@\"EF_CUDA_SM90\"\n"
    ".L_x_0:\n"
    "        /*0000*/                   S2R R3, SR_CTAID.X ;\n"
    "        /*0010*/              @!P2 BSSY B3, `(.L_x_2) ;   /* 0x000000c000007945 */\n"
    "                                                          /* 0x000fe20003800000 */\n"
    "        /*0020*/              @!P0 BRA `(.L_x_1) ;\n"
    "        /*0030*/                   FSEL R9, R8, -INF , P3 ;\n"
    "        /*0040*/                   BRA.DIV ~URZ, `(.L_x_0) ;\n"
    ".L_x_1:\n"
    "        /*0050*/                   BREAK P1, B3 ;\n"
    "        /*0060*/                   BRA.CONV UR4, `(.L_x_2) ;\n"
    "        /*0070*/              @UP1 BRA.U UP2, 0x30 ;\n"
    "        /*0080*/                   CALL.REL.NOINC `(.L_x_9) ;\n"
    ".L_x_2:\n"
    "        /*0090*/                   BSYNC B3 ;\n"
    "        /*00a0*/                   WARPSYNC.COLLECTIVE R6, `(.L_x_1) ;\n"
    "        /*00b0*/                   EXIT ;\n";

TEST(labels_become_addresses)
{
    static const struct {
        const char *text;
        uint32_t target, flags;
        int barrier;
        uint8_t guard;
        bool negated, uniform;
        const char *writes;
    } expected[] = {
        {"S2R R3, SR_CTAID.X", SASS_NOWHERE, 0, -1, 7, false, false, "R3"},
        {"@!P2 BSSY B3, 0x90", 0x90, 0, 3, 2, true, false, "B3"},
        {"@!P0 BRA 0x50", 0x50, 0, -1, 0, true, false, ""},
        {"FSEL R9, R8, -INF, P3", SASS_NOWHERE, 0, -1, 7, false, false, "R9"},
        {"BRA.DIV ~URZ, 0x0", 0, SASS_DIVERGED, -1, 7, false, false, ""},
        {"BREAK P1, B3", SASS_NOWHERE, 0, 3, 7, false, false, "B3"},
        {"BRA.CONV UR4, 0x90", 0x90, SASS_CONVERGED, -1, 7, false, false, ""},
        {"@UP1 BRA.U UP2, 0x30", 0x30, SASS_UNIFORM, -1, 1, false, true, ""},
        {"CALL.REL.NOINC `(.L_x_9)", SASS_NOWHERE, 0, -1, 7, false, false, ""},
        {"BSYNC B3", SASS_NOWHERE, 0, 3, 7, false, false, ""},
        {"WARPSYNC.COLLECTIVE R6, 0x50", 0x50, 0, -1, 7, false, false, ""},
        {"EXIT", SASS_NOWHERE, 0, -1, 7, false, false, ""},
    };
    OWNED(sass_code_clear) struct sass_code code;
    assert_true(parse(function, &code, NULL));
    assert_int_equal(code.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < code.count; i++) {
        const struct sass_insn *insn = &code.insns[i];
        OWNED(lit_free) char *writes = registers_text(&insn->writes);
        assert_string_equal(insn->text, expected[i].text);
        assert_int_equal(insn->address, 16 * i);
        assert_int_equal(insn->target, expected[i].target);
        assert_int_equal(insn->flags, expected[i].flags);
        assert_int_equal(insn->barrier, expected[i].barrier);
        assert_int_equal(insn->guard, expected[i].guard);
        assert_int_equal(insn->guard_negated, expected[i].negated);
        assert_int_equal(insn->guard_uniform, expected[i].uniform);
        assert_string_equal(writes, expected[i].writes);
        assert_int_equal(sass_at(&code, insn->address), i);
    }
    assert_int_equal(sass_at(&code, 0x8), code.count);
    assert_int_equal(sass_at(&code, 0xc0), code.count);
    assert_int_equal(sass_at(&code, SASS_NOWHERE), code.count);
    assert_int_equal(code.architecture, 90);
}

// An unknown instruction matters only where it can be reached.
TEST(only_what_can_be_reached_has_to_be_known)
{
    static const struct {
        const char *first, *second, *third;
        bool operands;
    } cases[] = {
        {"NOP", "EXIT", "FOO R1, R2", true},
        {"NOP", "NOP", "FOO R1, R2", false},
        {"FOO R1, R2", "EXIT", "EXIT", false},
        {"@P0 EXIT", "EXIT", "FOO R1, R2", true},
        {"@P0 BRA 0x20", "EXIT", "FOO R1, R2", false},
        {"BRA 0x20", "FOO R1, R2", "EXIT", true},
        {"@!PT BRA 0x20", "FOO R1, R2", "EXIT", false},
        {"BRA.CONV ~URZ, 0x20", "FOO R1, R2", "EXIT", false},
        {"BRA P1, 0x20", "FOO R1, R2", "EXIT", false},
        {"BSSY B0, 0x20", "EXIT", "FOO R1, R2", false},
        {"CALL.REL.NOINC 0x20", "EXIT", "FOO R1, R2", false},
        {"RET.REL.NODEC R2 0x0", "FOO R1, R2", "FOO R1, R2", true},
        {"BRX R2 -0x10", "EXIT", "FOO R1, R2", false},
        {"CALL.ABS.NOINC R2", "EXIT", "FOO R1, R2", false},
        {"KILL", "EXIT", "FOO R1, R2", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        OWNED(sass_code_clear) struct sass_code code;
        snprintf(text, sizeof text, "/*0000*/ %s;\n/*0010*/ %s;\n/*0020*/ %s;", cases[i].first,
                 cases[i].second, cases[i].third);
        assert_true(parse(text, &code, NULL));
        if (code.operands != cases[i].operands)
            fail_msg("%s", text);
    }
}

TEST(nonsense_is_refused)
{
    static const char *const texts[] = {
        "",
        "\n\n",
        "nvdisasm fatal : no\n",
        "/*0010*/ EXIT ;\n",                 // the first is missing
        "/*0000*/ NOP ;\n/*0020*/ EXIT ;\n", // one in between
        "/*0000*/ NOP ;\n/*0000*/ EXIT ;\n", // a second function
        "/*0000*/ NOP ;\n/*0008*/ EXIT ;\n", // not of this kind of GPU
        "/*0000*/ ;\n",                      // no text
        "/*0000*/ NOP\033[2J ;\n",           // not printable
        "/*fffffffffffffffff*/ NOP ;\n",     // no address
        "/*0000*/ \xff\xfe ;\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        OWNED(sass_code_clear) struct sass_code code;
        must_fail("", parse(texts[i], &code, &error));
        assert_null(strpbrk(error.message, "\n\033"));
        assert_int_equal(code.count, 0);
    }
    // Longer than any instruction is.
    struct sass_code code;
    OWNED(text_free) struct text text = {0};
    text_puts(&text, "/*0000*/ ");
    for (int i = 0; i < 100; i++)
        text_puts(&text, "R1, ");
    assert_false(parse(text.data, &code, NULL));
}

TEST(what_is_not_in_the_table_is_marked)
{
    static const char *const texts[] = {
        "HMMA.16816.F32 R4, R8, R10, R4", "@P1", "@", "UFOO UR1", "IADD3 R0, [R1", "NOP ) ) ("};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char line[128];
        OWNED(sass_code_clear) struct sass_code code;
        snprintf(line, sizeof line, "/*0000*/ %s ;", texts[i]);
        assert_true(parse(line, &code, NULL));
        assert_int_equal(code.insns[0].flags, SASS_UNKNOWN);
        assert_false(code.operands);
        assert_string_equal(code.insns[0].text, texts[i]);
    }
}

TEST(every_op_has_a_name)
{
#define NAME(op) [SASS_##op] = #op
    static const char *const names[SASS_OPS] = {
        NAME(SHFL), NAME(VOTE),  NAME(VOTEU), NAME(MATCH), NAME(REDUX), NAME(WARPSYNC),
        NAME(BSSY), NAME(BSYNC), NAME(BREAK), NAME(BMOV),  NAME(YIELD), NAME(NANOSLEEP),
        NAME(BRA),  NAME(BRX),   NAME(CALL),  NAME(RET),   NAME(EXIT),  NAME(BAR),
        NAME(CCTL), NAME(LDG),   NAME(LDS),   NAME(LDL),   NAME(LDC),   NAME(MEMBAR),
        NAME(STG),  NAME(STS),   NAME(STL),   NAME(ATOMG), NAME(ATOMS), NAME(DEPBAR),
        NAME(RED),  NAME(S2R),   NAME(S2UR),  NAME(R2UR),
    };
    for (unsigned op = SASS_OTHER + 1; op < SASS_OPS; op++)
        assert_string_equal(sass_op_name(op), names[op] ? names[op] : sass_op_name(op));
    assert_string_equal(sass_op_name(SASS_OTHER), "");
    assert_string_equal(sass_op_name(SASS_OPS), "");
    for (unsigned op = SASS_OTHER; op <= SASS_OPS; op++)
        assert_int_equal(sass_is_cross_lane(op), op == SASS_SHFL || op == SASS_VOTE ||
                                                     op == SASS_VOTEU || op == SASS_MATCH ||
                                                     op == SASS_REDUX);
}
