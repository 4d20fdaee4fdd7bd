// SPDX-License-Identifier: Apache-2.0
// Code in reports: which lines are marked, what a difference looks like, which twin stands beside a
// failure. unit/report.c has whole reports with code.
#include "report/code.h"

#include "report/html.h"
#include "report/markdown.h"

#include "stored.h"

#include "listing.h"

// --- Marks

// An entry with a listing of a text, or of SASS as listing.h takes it.
static void make_entry(struct isa_study *study, const char *name, bool sass, const char *lines)
{
    struct isa_code code = {0};
    struct sass_code read = {0};
    isa_add_piece(&code, sass ? ISA_MACHINE : ISA_TEXT, "piece", "", lines, strlen(lines));
    if (sass)
        listing_code(lines, &read);
    isa_study_add(study, name, &code, sass ? &read : NULL, "test");
}

static void check_marks(const char *test, bool sass, const char *lines, const char *wanted,
                        const char *words)
{
    OWNED(isa_study_clear) struct isa_study study = {0};
    OWNED(report_marks_clear) struct report_marks marks;
    make_entry(&study, test, sass, lines);
    report_marks_make(&study.entries[0], test, true, &marks);
    assert_string_equal(marks.lines, wanted);
    assert_int_equal(marks.count, count_of(wanted, ">"));
    contains(marks.words.data, words);
}

TEST(marks_of_sass)
{
    static const char lines[] = "S2R R0, SR_LANEID\n"
                                "LDG.E R2, [R4.64]\n"
                                "SHFL.IDX PT, R3, R2, R0, 0x1f\n"
                                "VOTE.ALL P0, PT, PT\n"
                                "ATOMG.E.ADD.STRONG.GPU PT, R5, [R6.64], R3\n"
                                "LDL R7, [R1]\n"
                                "STS [R0], R3\n"
                                "EXIT\n";
    check_marks("shuffle.scan-loop", true, lines, "  >>    ",
                "one of 2 that could have read the wrong value");
    check_marks("lookback.scan", true, lines, " >  >   ",
                "one of 2 that could have read the wrong value");
    check_marks("scan.hillis-steele", true, lines, " >  >   ", "memory read");
    check_marks("scan.workgroup", true, lines, "  >>    ", "cross-lane read");
    check_marks("barrier.subgroup-in-branch", true, lines, "        ", "No instruction is marked");
    check_marks("shuffle.x", true, "SHFL.UP PT, R3, R2, R0, 0x1f\nEXIT\n", "> ",
                "The marked instruction is the only known cross-lane read: if the wrong value was "
                "read, it was here.");
    check_marks("shuffle.x", true, "EXIT\n", " ", "none is known to be a cross-lane read");
}

// An exchange that asks for the compiler whether lanes are together is none of the test's.
TEST(marks_leave_out_what_asks)
{
    check_marks("shuffle.x", true,
                "S2R R0, SR_LANEID\n"
                "ISETP.NE.AND P0, PT, R0, RZ, PT\n"
                "@P0 BRA one\n"
                "NOP\n"
                "one:\n"
                "VOTE.ANY R4, PT, PT\n"
                "BRA.DIV R4, two\n"
                "SHFL.IDX PT, R3, R2, R0, 0x1f\n"
                "EXIT\n"
                "two:\n"
                "WARPSYNC 0xffffffff\n"
                "EXIT\n",
                "      >   ", "the only known");
}

TEST(marks_of_texts)
{
    static const char simt[] = "function %2\n"
                               "block %3\n"
                               "         %9 = OpVariable %_ptr_Function_uint Function\n"
                               "         %4 = OpLoad %uint %gl_SubgroupID\n"
                               "      0  %5 = OpLoad %uint %9\n"
                               "      1  %6 = OpAccessChain %_ptr_StorageBuffer_uint %7 %5\n"
                               "      2  %8 = OpLoad %uint %6\n"
                               "      3  %10 = OpGroupNonUniformShuffle %uint %uint_3 %8 %5\n"
                               "      4  %11 = OpAtomicIAdd %uint %6 %a %b %c\n"
                               "      5  OpAtomicStore %6 %a %b %c\n"
                               "      6  OpReturn\n";
    static const char gcn[] = "BB0:\n"
                              "  s_mov_b32 s0, 1                   ; be800081 = x\n"
                              "  ds_bpermute_b32 v2, v1, v0        ; d87e0000\n"
                              "  v_readfirstlane_b32 s1, v2        ; 7e020502\n"
                              "  v_add_u32_dpp v1, v2, v3 row_shr:1 row_mask:0xf ; x\n"
                              "  v_mov_b32 v1, v2 quad_perm:[1,0,3,2] row_mask:0xf\n"
                              "  buffer_load_dword v4, v0, s[0:3], 0 offen\n"
                              "  global_atomic_add v5, v1, v2, s[2:3] glc\n"
                              "  s_endpgm                          ; bf810000\n";
    check_marks("shuffle.scan-loop", false, simt, "       >   ", "the only known");
    check_marks("memory.message-passing", false, simt, "      > >  ", "one of 2");
    check_marks("loop.tail", false, gcn, "  >>>>   ", "one of 4");
    check_marks("progress.chain", false, gcn, "      >> ", "one of 2");
    check_marks("loop.tail", false, "shuffle ssa_1\nOpGroup\n", "  ", "not known here");
    check_marks("barrier.x", false, simt, "           ", "forward progress");
}

// --- Text

TEST(listings_are_cut_around_marks)
{
    OWNED(isa_study_clear) struct isa_study study = {0};
    OWNED(report_marks_clear) struct report_marks marks;
    struct text lines = {0}, out = {0};
    for (int i = 0; i < 100; i++)
        text_puts(&lines, i == 50 ? "SHFL.UP PT, R3, R2, R0, 0x1f\n" : "FADD R1, R1, R1\n");
    text_puts(&lines, "EXIT\n");
    make_entry(&study, "x", true, lines.data);
    report_marks_make(&study.entries[0], "shuffle.x", true, &marks);
    report_code_listing(&study.entries[0], &marks, 100000, &out);
    assert_int_equal(count_of(out.data, "\n"), 101);
    contains(out.data, "\n> 0320  SHFL.UP");
    text_free(&out);
    report_code_listing(&study.entries[0], &marks, 1500, &out);
    assert_int_equal(count_of(out.data, "FADD"), 16);
    contains(out.data, "  ... 42 lines\n");
    assert_true(strncmp(out.data, "  ... 42 lines\n  02a0  FADD", 25) == 0);
    assert_true(out.length <= 1500);
    text_free(&out);
    // Not even that: what there is room for, and how much is missing.
    report_code_listing(&study.entries[0], &marks, 200, &out);
    contains(out.data, " lines\n");
    assert_true(out.length <= 260);
    assert_null(strstr(out.data, "EXIT"));
    text_free(&out);
    text_free(&lines);
}

// What comes behind a line that there is no room for would seem to follow the one before it.
TEST(listings_end_where_the_room_does)
{
    OWNED(isa_study_clear) struct isa_study study = {0};
    OWNED(report_marks_clear) struct report_marks marks;
    OWNED(text_free) struct text lines = {0}, out = {0};
    text_puts(&lines, "first\n");
    for (int i = 0; i < 300; i++)
        text_puts(&lines, "x");
    text_puts(&lines, "\nlast\n");
    make_entry(&study, "x", false, lines.data);
    report_marks_make(&study.entries[0], "shuffle.x", true, &marks);
    report_code_listing(&study.entries[0], &marks, 200, &out);
    assert_string_equal(out.data, "  first\n  ... 2 lines\n");
}

TEST(differences_are_unified)
{
    OWNED(isa_study_clear) struct isa_study study = {0};
    struct text out = {0};
    make_entry(&study, "a", false,
               "1\n2\n3\n4\n5\n6\n7\nbarrier\n8\n9\na\nb\nc\nd\ne\nf\ng\nold\n");
    make_entry(&study, "b", false, "1\n2\n3\n4\n5\n6\n7\n8\n9\na\nb\nc\nd\ne\nf\ng\nnew\n");
    const struct isa_listing *a = &study.entries[0].listing, *b = &study.entries[1].listing;
    report_code_difference(a, "a", b, "b", 10000, &out);
    assert_string_equal(out.data,
                        "--- a\n+++ b\n@@ -4,9 +4,8 @@\n 4\n 5\n 6\n 7\n-barrier\n 8\n 9\n"
                        " a\n b\n@@ -14,5 +13,5 @@\n d\n e\n f\n g\n-old\n+new\n");
    text_free(&out);
    report_code_difference(a, "a", b, "b", 100, &out);
    contains(out.data, "@@ 3 more lines that differ @@\n");
    text_free(&out);
    report_code_difference(a, "a", a, "b", 10000, &out);
    assert_int_equal(out.length, 0);
}

#define SCAN(sync, size)                                                                           \
    "shuffle.scan-loop/sync=" sync ",reconvergence=default,form=variables,op=add,mode=inclusive,"  \
    "access=descriptor,pressure=none@workgroup=" size ",subgroup=32"

// The twin is the nearest that ran under the same stress, did not fail, and has code.
TEST(the_nearest_twin)
{
    static const struct {
        const char *name;
        uint64_t failed;
        const char *stress;
        bool has_code;
    } rows[] = {
        {SCAN("none", "64"), 37, "", true},
        {SCAN("a-fails", "64"), 1, "", true},
        {SCAN("b-stressed", "64"), 0, "lanes=4", true},
        {SCAN("c-bare", "64"), 0, "", false},
        {SCAN("workgroup-in-loop", "64"), 0, "", true},
        {SCAN("memory-once", "64"), 0, "", true},
        {SCAN("aaaa", "99"), 0, "", true},
    };
    OWNED(stored_drop) struct stored s = stored_begin(1000, 0);
    stored_device(&s, 1, "One", "device");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct result result = stored_result(
            rows[i].name, "forbidden", rows[i].failed ? "fail" : "pass", 1000, rows[i].failed);
        OWNED(isa_code_clear) struct isa_code code = {0};
        result.stress = (char *)rows[i].stress;
        stored_put(&s, 1, result);
        isa_add_piece(&code, ISA_TEXT, "Assembly", "", "BB0:\n s_endpgm\n", 15);
        if (rows[i].has_code)
            stored_code(&s, rows[i].name, &code);
    }
    // In what is asked for, or in the rest of the session.
    static const char *const asked[] = {"", "*sync=none*"};
    for (size_t i = 0; i < 2; i++) {
        OWNED(report_model_clear) struct report_model model;
        stored_load(&s, &model);
        assert_true(report_model_narrow(&model, "", asked[i], &error));
        struct report_code code = report_code_load(&model, NULL);
        const struct result *twin = report_code_paired(&code, &model.results[0]);
        assert_non_null(twin);
        assert_string_equal(twin->name, SCAN("memory-once", "64"));
        report_code_clear(&code);
        code = report_code_load(&model, "shuffle.scan");
        assert_null(report_code_of(&code, &model.results[0]));
        report_code_clear(&code);
    }
}

// --- Risks, of SASS that needs no store

#define APART                                                                                      \
    "S2R R0, SR_LANEID\nISETP.NE.AND P0, PT, R0, RZ, PT\n@P0 BRA one\nFADD R3, R3, R3\none:\n"     \
    "SHFL.IDX PT, R4, R3, R0, 0x1f\nVOTE.ANY R5, PT, P1\nEXIT\n"

TEST(risks_come_with_their_rate)
{
    OWNED(isa_study_clear) struct isa_study study = {0};
    struct result results[2] = {0};
    struct eng_device device = {0};
    const struct isa_entry *of[2];
    make_entry(&study, "shuffle.a/s=1@w=1", true, APART);
    make_entry(&study, "shuffle.a/s=2@w=1", true, APART);
    isa_study_finish(&study, report_code_describe);
    for (size_t i = 0; i < 2; i++) {
        of[i] = &study.entries[i];
        results[i] = (struct result){
            .runs = 1000, .judged = 1000, .stress = "", .rule = "", .interval = {0, 3.6e-3}};
        report_result_is(&results[i], cfg_parse(study.entries[i].name));
    }
    const struct report_model model = {
        .devices = &device, .device_count = 1, .results = results, .result_count = 2};
    const struct report_code code = {.model = &model, .studies = &study, .count = 1, .of = of};
    struct text out = {0};
    markdown_codes(&out, &code, 0, 20000);
    contains(out.data, "### Lint findings\n");
    contains(out.data,
             "| `shuffle.a/s=1@w=1` | 0 of 1,000, &#60; 3.6e-3; with the same code in all 2: "
             "0 of 2,000 | at risk: SHFL.IDX at 0x40 ");
    contains(out.data,
             "\n\nDivergent cross-lane reads, and instructions with a wrong guard predicate.");
    assert_int_equal(count_of(out.data, "SHFL.IDX at 0x40"), 1);
    text_free(&out);
    size_t listed[2] = {0};
    const struct html html = {.model = &model, .code = &code, .listed = listed};
    html_codes(&html, &out);
    contains(out.data,
             "with the same code in all 2: 0 of 2,000</td><td>at risk: SHFL.IDX at 0x40 ");
    assert_int_equal(count_of(out.data, "<td>at risk: VOTE.ANY at 0x50 "), 1);
    text_free(&out);
    for (size_t i = 0; i < 2; i++) {
        cfg_clear(&results[i].cfg);
        free(results[i].label);
    }
    isa_study_clear(&study);
}
