// SPDX-License-Identifier: Apache-2.0
// Code in reports: which lines are marked, what a difference looks like, what each form of a report
// says of the code in a store, and that nothing of a driver's text gets out of its place.
#include "report/code.h"

#include "report/report.h"
#include "report/html.h"
#include "report/markdown.h"
#include "store/code.h"

#include "unit.h"

#include "folder.h"
#include "listing.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCAN                                                                                       \
    "shuffle.scan-loop/sync=%s,reconvergence=default,form=variables,op=add,mode=inclusive,"        \
    "access=descriptor,pressure=none@workgroup=64,subgroup=32"
#define HOSTILE "</pre><script>`````|&amp; --- ```"

static char none[256], control[256], memory[256], workgroup[256];

static void contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

static void lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' is in:\n%s", part, text);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

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
    struct isa_study study = {0};
    struct report_marks marks;
    make_entry(&study, test, sass, lines);
    report_marks_make(&study.entries[0], test, true, &marks);
    assert_string_equal(marks.lines, wanted);
    assert_int_equal(marks.count, count_of(wanted, ">"));
    contains(marks.words.data, words);
    report_marks_clear(&marks);
    isa_study_clear(&study);
}

static void marks_of_sass(void **state)
{
    (void)state;
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
static void marks_leave_out_what_asks(void **state)
{
    (void)state;
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

static void marks_of_texts(void **state)
{
    (void)state;
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

static void listings_are_cut_around_marks(void **state)
{
    (void)state;
    struct isa_study study = {0};
    struct report_marks marks;
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
    lacks(out.data, "EXIT");
    text_free(&out);
    text_free(&lines);
    report_marks_clear(&marks);
    isa_study_clear(&study);
}

// What comes behind a line that there is no room for would seem to follow the one before it.
static void listings_end_where_the_room_does(void **state)
{
    (void)state;
    struct isa_study study = {0};
    struct report_marks marks;
    struct text lines = {0}, out = {0};
    text_puts(&lines, "first\n");
    for (int i = 0; i < 300; i++)
        text_puts(&lines, "x");
    text_puts(&lines, "\nlast\n");
    make_entry(&study, "x", false, lines.data);
    report_marks_make(&study.entries[0], "shuffle.x", true, &marks);
    report_code_listing(&study.entries[0], &marks, 200, &out);
    assert_string_equal(out.data, "  first\n  ... 2 lines\n");
    text_free(&out);
    text_free(&lines);
    report_marks_clear(&marks);
    isa_study_clear(&study);
}

static void differences_are_unified(void **state)
{
    (void)state;
    struct isa_study study = {0};
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
    isa_study_clear(&study);
}

// --- Reports of a store

static const struct dev_facts facts = {
    .name = "Example",
    .type = "cpu",
    .cpu = true,
    .subgroup = 32,
    .subgroup_min = 32,
    .subgroup_max = 32,
    .max_workgroup = 1024,
    .max_workgroups = 65535,
    .max_shared = 32768,
    .max_storage_buffer = UINT64_C(1) << 30,
    .features = UINT64_MAX,
};
static char id[DEV_ID_SIZE], path[128];

struct made {
    struct store *store;
    int64_t session;
};

static void put_under(const struct made *made, const char *name, uint64_t failed,
                      const char *stress)
{
    const struct store_result result = {
        .device = id,
        .name = (char *)name,
        .expectation = "forbidden",
        .result = failed ? "fail" : "pass",
        .reason = "",
        .stress = (char *)stress,
        .sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        .mode = {.check = CAT_CHECK_EQUAL},
        .count = {.runs = 1000,
                  .failed_runs = failed,
                  .instances = 1000,
                  .failed_instances = failed,
                  .outcomes = {[0] = 1000 - failed, [3] = failed}},
    };
    struct lit_error error = {0};
    if (!store_result_put(made->store, made->session, &result, &error))
        fail_msg("%s", error.message);
}

static void put(const struct made *made, const char *name, uint64_t failed)
{
    put_under(made, name, failed, "");
}

static void put_code(const struct made *made, const char *name, const char *listing)
{
    struct isa_code code = {0};
    isa_add_statistic(&code, "VGPRs", "registers " HOSTILE, "17");
    isa_add_statistic(&code, HOSTILE, "", HOSTILE);
    isa_remark(&code, "said %s", HOSTILE);
    if (listing)
        isa_add_piece(&code, ISA_TEXT, "Assembly", "", listing, strlen(listing));
    assert_true(store_code_put(made->store, made->session, id, name, "abc", &code, NULL));
    isa_code_clear(&code);
}

static struct made begin(void)
{
    struct lit_error error = {0};
    struct store_session session = {.version = "1",
                                    .command = "litmus run",
                                    .started = "2026-11-21T02:09:00Z",
                                    .system = "none",
                                    .options = "{}",
                                    .finished = true};
    struct made made = {0};
    snprintf(path, sizeof path, "%s/a.db", folder);
    dev_facts_id(&facts, id);
    made.store = store_open(path, &error);
    assert_non_null(made.store);
    assert_true(store_session_begin(made.store, &session, NULL));
    assert_true(store_device_put(made.store, session.id, 1, &facts, "device", NULL));
    made.session = session.id;
    snprintf(none, sizeof none, SCAN, "none");
    snprintf(control, sizeof control, SCAN, "control-once");
    snprintf(memory, sizeof memory, SCAN, "memory-once");
    snprintf(workgroup, sizeof workgroup, SCAN, "workgroup-in-loop");
    return made;
}

static char *make(const struct made *made, report_function *write, const char *test)
{
    struct report_model model;
    struct lit_error error = {0};
    struct text text = {0};
    if (!report_model_load(made->store, made->session, &model, &error) ||
        !report_model_narrow(&model, "", test, &error))
        fail_msg("%s", error.message);
    write(&model, &text);
    report_model_clear(&model);
    text_puts(&text, "");
    return text.data;
}

#define PLAIN                                                                                      \
    "BB0:\n v_mov_b32 v0, 0 ; " HOSTILE "\n ds_bpermute_b32 v2, v1, v0\n s_endpgm ; bf810000\n"
#define WITH_BARRIER                                                                               \
    "BB0:\n v_mov_b32 v0, 0 ; " HOSTILE                                                            \
    "\n s_barrier\n ds_bpermute_b32 v2, v1, v0\n s_endpgm ; bf810000\n"

// none failed; memory-once failed with the same code; control-once did not, with other code;
// workgroup-in-loop has no code.
static struct made fill(void)
{
    struct made made = begin();
    put(&made, none, 37);
    put(&made, memory, 5);
    put(&made, control, 0);
    put(&made, workgroup, 0);
    put_code(&made, none, PLAIN);
    put_code(&made, memory, PLAIN);
    put_code(&made, control, WITH_BARRIER);
    return made;
}

// The twin is the nearest that ran under the same stress, did not fail, and has code.
static void the_nearest_twin(void **state)
{
    (void)state;
    struct made made = begin();
    struct report_model model;
    struct report_code code;
    struct lit_error error = {0};
    char far[256], failing[256], stressed[256], bare[256];
    snprintf(far, sizeof far, "%s", none);
    memcpy(strstr(far, "sync=none"), "sync=aaaa", 9);
    memcpy(strstr(far, "workgroup=64"), "workgroup=99", 12);
    snprintf(failing, sizeof failing, SCAN, "a-fails");
    snprintf(stressed, sizeof stressed, SCAN, "b-stressed");
    snprintf(bare, sizeof bare, SCAN, "c-bare");
    put(&made, none, 37);
    put(&made, failing, 1);
    put_under(&made, stressed, 0, "lanes=4");
    put(&made, bare, 0);
    put(&made, workgroup, 0);
    put(&made, memory, 0);
    put(&made, far, 0);
    const char *const with_code[] = {none, far, failing, stressed, workgroup, memory};
    for (size_t i = 0; i < 6; i++)
        put_code(&made, with_code[i], PLAIN);
    // In what is asked for, or in the rest of the session.
    static const char *const asked[] = {"", "*sync=none*"};
    for (size_t i = 0; i < 2; i++) {
        assert_true(report_model_load(made.store, made.session, &model, &error));
        assert_true(report_model_narrow(&model, "", asked[i], &error));
        report_code_load(&model, NULL, &code);
        const struct report_result *twin = report_code_paired(&code, &model.results[0]);
        assert_non_null(twin);
        assert_string_equal(twin->name, memory);
        report_code_clear(&code);
        report_code_load(&model, "shuffle.scan", &code);
        assert_null(report_code_of(&code, &model.results[0]));
        report_code_clear(&code);
        report_model_clear(&model);
    }
    store_close(&made.store);
}

static void in_json(void **state)
{
    (void)state;
    struct made made = fill();
    char *text = make(&made, report_json, ""), *digest;
    json_error_t error;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error), *results, *code, *effect;
    assert_non_null(json);
    results = json_object_get(json, "results");
    assert_true(json_is_null(json_object_get(json_array_get(results, 3), "code")));
    const char *source, *registers, *same, *other, *remark, *words, *base;
    json_int_t bytes, pairs, alike;
    code = json_object_get(json_array_get(results, 0), "code");
    assert_int_equal(
        json_unpack_ex(code, &error, 0, "{s:s, s:s, s:I, s:{s:s}, s:n, s:n, s:n, s:[s]}", "digest",
                       &digest, "source", &source, "bytes", &bytes, "statistics", "VGPRs",
                       &registers, "exchanges", "apart", "inside", "remarks", &remark),
        0);
    assert_string_equal(source, "representation");
    assert_string_equal(registers, "17");
    assert_string_equal(remark, "said " HOSTILE);
    assert_int_equal(bytes, sizeof PLAIN - 1);
    assert_int_equal(json_unpack(json_array_get(results, 1), "{s:{s:s}}", "code", "digest", &same),
                     0);
    assert_int_equal(json_unpack(json_array_get(results, 2), "{s:{s:s}}", "code", "digest", &other),
                     0);
    assert_string_equal(digest, same);
    assert_string_not_equal(digest, other);
    json_t *effects =
        json_object_get(json_array_get(json_object_get(json, "devices"), 0), "code_effects");
    assert_int_equal(json_array_size(effects), 2);
    for (size_t i = 0; i < 2; i++) {
        effect = json_array_get(effects, i);
        assert_int_equal(json_unpack(effect, "{s:s, s:s, s:I, s:I}", "base", &base, "text", &words,
                                     "pairs", &pairs, "same", &alike),
                         0);
        assert_string_equal(base, "none");
        assert_int_equal(pairs, 1);
        contains(words, alike ? "identical code to sync=none" : "adds s_barrier");
    }
    // The digest is the store's.
    sqlite3 *db;
    sqlite3_stmt *select;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_prepare_v2(db, "SELECT digest FROM code ORDER BY id", -1, &select, NULL);
    assert_int_equal(sqlite3_step(select), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(select, 0), digest);
    sqlite3_finalize(select);
    sqlite3_close(db);
    json_decref(json);
    free(text);
    text = make(&made, report_csv, "");
    contains(text, ",code_digest,");
    free(text);
    store_close(&made.store);
}

static void in_markdown(void **state)
{
    (void)state;
    struct made made = fill();
    char *text = make(&made, report_markdown, "");
    contains(text, "## Code\n");
    contains(text, "- `shuffle.scan-loop`: one memory barrier (sync=memory-once) compiles to "
                   "nothing here: identical code to sync=none.\n");
    contains(text, "one subgroup barrier (sync=control-once) changes the code: adds s_barrier");
    // Of two that failed with the same code once.
    assert_int_equal(count_of(text, "<details><summary>Code of "), 1);
    contains(text, "1 more that failed have the same code");
    contains(text, ">  ds_bpermute_b32 v2, v1, v0\n");
    contains(text, "Difference to sync=control-once, which never failed in 1,000 runs");
    contains(text, "\n- s_barrier\n");
    assert_int_equal(count_of(text, "<details>"), count_of(text, "</details>"));
    // Text of a driver stands in fences that it cannot close, or escaped.
    contains(text, "\n``````\n");
    assert_int_equal(count_of(text, "<script>"), count_of(text, "; </pre><script>`````"));
    free(text);
    text = make(&made, report_markdown, none);
    contains(text, "\nCompiled code");
    contains(text, "<details><summary>Difference to sync=control-once");
    contains(text, "\n- s_barrier\n");
    contains(text, "the only known cross-lane read");
    assert_int_equal(count_of(text, "<details>"), count_of(text, "</details>"));
    free(text);
    store_close(&made.store);
}

static void in_html(void **state)
{
    (void)state;
    struct made made = fill();
    char *text = make(&made, report_html, "");
    contains(text, "<section id=\"code\"");
    assert_int_equal(count_of(text, "<details class=\"made forbidden\" id=\"code-"), 1);
    // Both failures lead to it.
    assert_int_equal(count_of(text, "href=\"#code-0\""), 2);
    contains(text, "<mark>&#62;");
    contains(text, "ds_bpermute_b32 v2, v1, v0</mark>\n");
    contains(text, "<tr class=\"less\"><td>\xe2\x88\x92  s_barrier</td><td></td></tr>");
    contains(text, "<tr class=\"more\"><td></td><td>+  s_barrier</td></tr>");
    lacks(text, "<script>`");
    lacks(text, "</pre><script");
    free(text);
    store_close(&made.store);
}

static void nothing_where_nothing_is(void **state)
{
    (void)state;
    struct made made = begin();
    put(&made, none, 37);
    put(&made, control, 0);
    static report_function *const forms[] = {report_markdown, report_html};
    for (size_t i = 0; i < 2; i++) {
        char *text = make(&made, forms[i], "");
        lacks(text, "## Code\n");
        lacks(text, "id=\"code\"");
        lacks(text, "<dt>code</dt>");
        free(text);
    }
    // A driver that gives nothing that can be listed is said to.
    put_code(&made, none, NULL);
    char *text = make(&made, report_markdown, "");
    contains(text, "There is no listing: the driver provides no code that can be listed.");
    free(text);
    text = make(&made, report_json, "");
    contains(text, "\"code\":{\"digest\":null,\"source\":null,");
    free(text);
    text = make(&made, report_html, "");
    contains(text, "There is no listing: the driver provides no code");
    free(text);
    store_close(&made.store);
}

// A row that cannot be read is no empty one.
static void damaged_rows_are_said(void **state)
{
    (void)state;
    struct made made = fill();
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "UPDATE code SET packed = x'00'", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    char *text = make(&made, report_markdown, "");
    contains(text, "The code in the store could not be read: ");
    free(text);
    text = make(&made, report_html, "");
    contains(text, "The code in the store could not be read: ");
    free(text);
    text = make(&made, report_json, "");
    contains(text, "\"remarks\":[\"");
    free(text);
    store_close(&made.store);
}

// --- Risks, of SASS that needs no store

#define APART                                                                                      \
    "S2R R0, SR_LANEID\nISETP.NE.AND P0, PT, R0, RZ, PT\n@P0 BRA one\nFADD R3, R3, R3\none:\n"     \
    "SHFL.IDX PT, R4, R3, R0, 0x1f\nVOTE.ANY R5, PT, P1\nEXIT\n"

static void risks_come_with_their_rate(void **state)
{
    (void)state;
    struct isa_study study = {0};
    struct report_result results[2] = {0};
    struct report_device device = {0};
    const struct isa_entry *of[2];
    make_entry(&study, "shuffle.a/s=1@w=1", true, APART);
    make_entry(&study, "shuffle.a/s=2@w=1", true, APART);
    isa_study_finish(&study, report_code_describe);
    for (size_t i = 0; i < 2; i++) {
        of[i] = &study.entries[i];
        results[i] = (struct report_result){
            .runs = 1000, .judged = 1000, .stress = "", .rule = "", .interval = {0, 3.6e-3}};
        report_result_is(&results[i], cfg_parse(study.entries[i].name));
    }
    const struct report_model model = {
        .devices = &device, .device_count = 1, .results = results, .result_count = 2};
    const struct report_code code = {.model = &model, .studies = &study, .count = 1, .of = of};
    struct text out = {0};
    markdown_codes(&out, &code, 0, 20000);
    contains(out.data, "Lint findings:\n");
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
    for (size_t i = 0; i < 2; i++)
        report_result_forget(&results[i]);
    isa_study_clear(&study);
}

// --- Evidence that variants share

static void put_machine(const struct made *made, const char *name, const char *bytes,
                        const char *registers)
{
    struct isa_code code = {0};
    isa_add_statistic(&code, "Register Count", "", registers);
    isa_add_piece(&code, ISA_MACHINE, "SASS", "", bytes, strlen(bytes));
    assert_true(store_code_put(made->store, made->session, id, name, "abc", &code, NULL));
    isa_code_clear(&code);
}

static const char *variant(const char *sync, const char *mode, unsigned size)
{
    static char names[16][256];
    static size_t next;
    char *name = names[next++ % 16];
    snprintf(name, sizeof *names,
             "shuffle.scan-loop/sync=%s,reconvergence=default,form=variables,op=add,mode=%s,"
             "access=descriptor,pressure=none@workgroup=%u,subgroup=32",
             sync, mode, size);
    return name;
}

// The runs of variants with the same code are added, unless anything else of them differs.
static void one_program_shares_its_runs(void **state)
{
    (void)state;
    static const struct {
        const char *sync, *mode, *bytes, *registers, *stress;
        unsigned size;
        uint64_t failed;
    } rows[] = {
        {"none", "inclusive", "same", "16", "", 64, 0},
        {"control-once", "inclusive", "same", "16", "", 64, 1},
        {"memory-once", "inclusive", "same", "16", "", 64, 0},
        {"control-each", "inclusive", "same", "17", "", 64, 0},                 // statistics
        {"memory-each", "inclusive", "other", "16", "", 64, 0},                 // bytes
        {"workgroup-in-loop", "inclusive", "same", "16", "kind=memory", 64, 0}, // stress
        {"none", "exclusive", "same", "16", "", 64, 0},                         // expectation
        {"none", "inclusive", "same", "16", "", 128, 0},                        // dispatch
    };
    struct made made = begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *name = variant(rows[i].sync, rows[i].mode, rows[i].size);
        put_under(&made, name, rows[i].failed, rows[i].stress);
        put_machine(&made, name, rows[i].bytes, rows[i].registers);
    }
    char *text = make(&made, report_markdown, "");
    contains(text, "Same machine code:\n");
    contains(text,
             " | 0 of 1,000 | `shuffle.scan-loop@workgroup=64,subgroup=32` |\n| 1 of 3,000, ");
    contains(text, " | 1 of 1,000 | `shuffle.scan-loop/sync=control-once@");
    assert_int_equal(count_of(text, " of 3,000, "), 3);
    assert_int_equal(count_of(text, " of 2,000, "), 0);
    free(text);
    text = make(&made, report_text, "");
    contains(text, "  Same machine code");
    for (const char *line = text; line; line = strchr(line + 1, '\n'))
        assert_true(strcspn(line + 1, "\n") <= 100);
    free(text);
    text = make(&made, report_html, "");
    contains(text, "<h3>Same machine code</h3>");
    contains(text, "1 of 3,000, ");
    free(text);
    store_close(&made.store);
}

// What drivers write down of their code is less than all of it.
static void texts_share_nothing(void **state)
{
    (void)state;
    struct made made = begin();
    put(&made, none, 0);
    put(&made, memory, 0);
    put_code(&made, none, PLAIN);
    put_code(&made, memory, PLAIN);
    char *text = make(&made, report_markdown, "");
    lacks(text, "Same machine code");
    free(text);
    store_close(&made.store);
}

int main(void)
{
#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_of_sass),
        cmocka_unit_test(marks_leave_out_what_asks),
        cmocka_unit_test(marks_of_texts),
        cmocka_unit_test(listings_are_cut_around_marks),
        cmocka_unit_test(listings_end_where_the_room_does),
        cmocka_unit_test(differences_are_unified),
        WITH_FOLDER(the_nearest_twin),
        WITH_FOLDER(in_json),
        WITH_FOLDER(in_markdown),
        WITH_FOLDER(in_html),
        WITH_FOLDER(nothing_where_nothing_is),
        WITH_FOLDER(damaged_rows_are_said),
        cmocka_unit_test(risks_come_with_their_rate),
        WITH_FOLDER(one_program_shares_its_runs),
        WITH_FOLDER(texts_share_nothing),
    };
    return cmocka_run_group_tests_name("report_code", tests, NULL, NULL);
}
