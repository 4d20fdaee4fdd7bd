// SPDX-License-Identifier: Apache-2.0
// Every form of report of stores that are made here, against the files of a folder: REPORT FOLDER.
// With --write the files are made anew; look at what changed.
#include "report/format.h"
#include "report/report.h"

#include "stored.h"

#include "edit.h"

#define LOOKBACK(encoding)                                                                         \
    "lookback.scan/encoding=" encoding ",memory-model=vulkan,walk=lane,reconvergence=default,"     \
    "pressure=none@workgroup=128,elements=30011,subgroup=8"
#define SCAN(sync, mode, size)                                                                     \
    "shuffle.scan-loop/sync=" sync ",reconvergence=default,form=variables,op=add,mode=" mode       \
    ",access=descriptor,pressure=none@workgroup=" #size ",subgroup=32"

// Every kind of result, on two devices.
static struct stored every_kind(void)
{
    struct stored s = stored_begin(1000, 0);
    stored_device(&s, 1, "Example GPU <script>alert(1)</script> | `x`", "device");
    stored_device(&s, 2, "Zweite Karte \xc3\xa4", "host: it stores nothing");
    struct result one = stored_result(
        "shuffle.scan-loop/sync=none,form=ssa@workgroup=64,subgroup=32", "contested", "fail", 1, 0);
    one.headline = "shuffle hazard";
    one.mode = cat_mode_keep(&(struct cat_mode){.check = CAT_CHECK_TAG});
    one.count = (struct eng_count){.runs = 1000,
                                   .failed_runs = 37,
                                   .instances = 64000,
                                   .failed_instances = 41,
                                   .outcomes = {[0] = 63959, [4] = 2, [5] = 39},
                                   .failure_count = 1,
                                   .seconds = 1.25};
    one.failures = (struct eng_failure[]){{{.run = 2,
                                            .instance = 5,
                                            .word = 320,
                                            .got = 0x5a00081f,
                                            .want = 0x5a00091f,
                                            .outcome = 5},
                                           "lane 31, iteration 9"}};
    stored_put(&s, 1, one);
    one.name = "shuffle.scan-loop/sync=control-each,form=ssa@workgroup=64,subgroup=32";
    one.expectation = CAT_FORBIDDEN;
    one.result = ENG_PASS;
    one.count =
        (struct eng_count){.runs = 1000, .instances = 64000, .outcomes = {64000}, .seconds = 1.5};
    stored_put(&s, 1, one);
    one.headline = "workgroup scan";
    one.name = "scan.workgroup@items=4";
    stored_put(&s, 1, one);
    one.headline = "";
    one.name = "control.race@workgroup=last";
    one.expectation = CAT_CONTROL;
    stored_put(&s, 1, one);
    one = stored_result("control.certain", "control", "fail", 1000, 1000);
    one.count.first_run_failed = true;
    stored_put(&s, 1, one);
    one = stored_result("memory.message@workgroup=64", "control", "fail", 1000, 7);
    one.mode = &(struct cat_mode){
        .check = CAT_CHECK_CHOICE,
        .choice = {.names = {"flag and data", "neither", "data only", "flag without data", "else"},
                   .fails = 1u << 3 | 1u << 4}};
    one.count.instances = 2000;
    one.count.failed_instances = 8;
    one.count.outcomes[0] = 1900, one.count.outcomes[3] = 92, one.count.outcomes[4] = 8;
    stored_put(&s, 1, one);
    one = stored_result("control.waits", "control", "no-progress", 40, 0);
    one.count.no_progress_runs = one.count.outcomes[15] = 40, one.count.outcomes[0] = 0;
    stored_put(&s, 1, one);
    one = stored_result("lookback.progress@items=1", "assumed", "no-progress", 40, 0);
    one.count.no_progress_runs = one.count.outcomes[15] = 3, one.count.outcomes[0] = 37;
    stored_put(&s, 2, one);
    stored_put(&s, 2, stored_result("shuffle.rotate@workgroup=64", "assumed", "skip", 0, 0));
    one = stored_result("shuffle.quote/it's=$(reboot)@workgroup=64", "forbidden", "crash", 0, 0);
    one.reason = "killed by signal 11 |<b>";
    one.evidence[ENG_EVIDENCE_KERNEL] = "[1] one\n[2] two\n[3] three\n[4] Xid <b>|\n";
    one.evidence[ENG_EVIDENCE_BACKTRACE] = "litmus(+0x12) [0x34]";
    stored_put(&s, 2, one);
    assert_true(store_session_finish(s.store, s.session.id, &error));
    return s;
}

static struct stored nothing(void)
{
    return stored_begin(1000, 0);
}

// Every result with every expectation: what JUnit calls it.
static struct stored verdicts(void)
{
    static const struct {
        const char *expectation, *result;
        uint64_t runs, failed;
    } rows[] = {
        {"forbidden", "pass", 9, 0},        {"forbidden", "fail", 9, 1},
        {"contested", "fail", 9, 1},        {"assumed", "fail", 9, 1},
        {"control", "fail", 9, 9},          {"forbidden", "skip", 0, 0},
        {"contested", "partial", 5, 0},     {"forbidden", "partial", 5, 1},
        {"forbidden", "crash", 5, 0},       {"forbidden", "crash", 5, 1},
        {"contested", "crash", 5, 1},       {"control", "hang", 0, 0},
        {"assumed", "device-lost", 0, 0},   {"contested", "harness-error", 0, 0},
        {"forbidden", "no-progress", 5, 0}, {"contested", "no-progress", 5, 0},
        {"assumed", "no-progress", 5, 0},   {"control", "no-progress", 5, 0},
    };
    struct stored s = stored_begin(100, 0);
    stored_device(&s, 1, "Same. GPU", "device");
    stored_device(&s, 2, "Same. GPU", "device");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[64];
        snprintf(name, sizeof name, "family.test/axis=%zu@w=1", i);
        stored_put(
            &s, 1,
            stored_result(name, rows[i].expectation, rows[i].result, rows[i].runs, rows[i].failed));
    }
    stored_put(&s, 2, stored_result("family.test", "forbidden", "pass", 9, 0));
    return s;
}

// Text that a spreadsheet would take for a formula, and that needs quotes.
static struct stored formulas(void)
{
    struct stored s = stored_begin(100, 0);
    stored_device(&s, 1, "-2+3", "device");
    stored_device(&s, 2, "a, \"b\"", "device");
    stored_put(&s, 1, stored_result("a.b/c=@SUM@d=1", "forbidden", "fail", 1000, 37));
    stored_put(&s, 2, stored_result("a.b/c=1,e=2@d=1", "control", "pass", 10, 0));
    return s;
}

// A failure of a test of the catalogue, and others of that test that passed.
static struct stored ticket(void)
{
    struct stored s = stored_begin(100, 0);
    stored_device(&s, 1, STORED_HOSTILE, "device");
    struct result one = stored_result(LOOKBACK("flag-payload"), "forbidden", "fail", 20, 4);
    one.stress = "lanes=4";
    one.rule = "width 0.001";
    one.failures = (struct eng_failure[]){
        {{.run = 2, .outcome = 3, .got = 0x12, .want = 0x34}, "element 8192 |<b>"}};
    one.failure_count = 1;
    one.piece_count = 2;
    one.pieces = (struct eng_part[]){{.runs = 10, .failed_runs = 4}, {.process = 1, .runs = 10}};
    one.evidence[ENG_EVIDENCE_KERNEL] = "[    1.000000] NVRM: Xid ````` <b>\n| no |\n";
    stored_put(&s, 1, one);
    one = stored_result(LOOKBACK("word64"), "forbidden", "pass", 20, 0);
    one.stress = "lanes=4";
    stored_put(&s, 1, one);
    // Not a twin: measured under other stress.
    stored_put(&s, 1, stored_result(LOOKBACK("word32"), "forbidden", "pass", 20, 0));
    return s;
}

// A shard, stress, a stopping rule, failures that come in bunches.
static struct stored conditions(void)
{
    struct stored s = stored_begin(100, 4);
    stored_device(&s, 1, "One", "device");
    struct result one = stored_result("a.b@c=1", "forbidden", "fail", 400, 100);
    one.headline = "head";
    one.rule = "decided 0.001";
    one.stress = "lanes=4";
    struct eng_part parts[4];
    one.pieces = parts;
    one.piece_count = 4;
    for (uint32_t i = 0; i < 4; i++)
        parts[i] = (struct eng_part){i, 100, i == 2 ? 100 : 0, 0};
    stored_put(&s, 1, one);
    one.name = "a.b@c=2";
    one.rule = one.stress = "";
    for (uint32_t i = 0; i < 4; i++)
        parts[i] = (struct eng_part){i, 100, 25, 0};
    stored_put(&s, 1, one);
    return s;
}

// The matrix of operations and barriers, and sequential rules: above, below, undecided, and what is
// no ruling: it did not come to its end, was not judged, or has a rule that nobody wrote.
static struct stored rules(void)
{
    static const struct {
        const char *name, *expectation, *result, *rule;
        uint64_t runs, failed;
    } rows[] = {
        {"sync-matrix.vote/op=any,sync=none,reconvergence=default@subgroup=32", "contested", "pass",
         "decided 0.01", 400, 0},
        {"sync-matrix.vote/op=<b>|x|</b>,sync=control,reconvergence=default@subgroup=32",
         "contested", "pass", "", 400, 0},
        {"scan.workgroup@items=1", "forbidden", "pass", "decided 0.01", 300, 0},
        {"scan.workgroup@items=2", "contested", "fail", "decided 0.01", 100, 50},
        {"scan.workgroup@items=3", "contested", "partial", "decided 0.01", 100, 50},
        {"scan.workgroup@items=4", "contested", "no-progress", "decided 0.01", 9, 0},
        {"scan.workgroup@items=5", "contested", "pass", "decided 0.01\033[2J", 9, 0},
    };
    struct stored s = stored_begin(1000, 0);
    stored_device(&s, 1, "One", "device");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct result one = stored_result(rows[i].name, rows[i].expectation, rows[i].result,
                                          rows[i].runs, rows[i].failed);
        one.rule = (char *)rows[i].rule;
        one.headline = i == 1 ? "" : "shuffle hazard";
        stored_put(&s, 1, one);
    }
    assert_true(store_session_finish(s.store, s.session.id, &error));
    return s;
}

static void put_code(struct stored *s, const char *name, const char *listing)
{
    struct isa_code code = {0};
    isa_add_statistic(&code, "VGPRs", "registers " STORED_HOSTILE, "17");
    isa_add_statistic(&code, STORED_HOSTILE, "", STORED_HOSTILE);
    isa_remark(&code, "said %s", STORED_HOSTILE);
    if (listing)
        isa_add_piece(&code, ISA_TEXT, "Assembly", "", listing, strlen(listing));
    stored_code(s, name, &code);
}

#define BEFORE  "BB0:\n v_mov_b32 v0, 0 ; " STORED_HOSTILE "\n"
#define BEHIND  " ds_bpermute_b32 v2, v1, v0\n s_endpgm ; bf810000\n"
#define NONE    SCAN("none", "inclusive", 64)
#define MEMORY  SCAN("memory-once", "inclusive", 64)
#define CONTROL SCAN("control-once", "inclusive", 64)

// none failed; memory-once failed with the same code; control-once did not, with other code;
// workgroup-in-loop has no code.
static struct stored code(void)
{
    struct stored s = stored_begin(1000, 0);
    stored_device(&s, 1, "One", "device");
    stored_put(&s, 1, stored_result(NONE, "forbidden", "fail", 1000, 37));
    stored_put(&s, 1, stored_result(MEMORY, "forbidden", "fail", 1000, 5));
    stored_put(&s, 1, stored_result(CONTROL, "forbidden", "pass", 1000, 0));
    stored_put(
        &s, 1,
        stored_result(SCAN("workgroup-in-loop", "inclusive", 64), "forbidden", "pass", 1000, 0));
    put_code(&s, NONE, BEFORE BEHIND);
    put_code(&s, MEMORY, BEFORE BEHIND);
    put_code(&s, CONTROL, BEFORE " s_barrier\n" BEHIND);
    return s;
}

// A driver that gives nothing that can be listed is said to.
static struct stored no_listing(void)
{
    struct stored s = stored_begin(1000, 0);
    stored_device(&s, 1, "One", "device");
    stored_put(&s, 1, stored_result(NONE, "forbidden", "fail", 1000, 37));
    put_code(&s, NONE, NULL);
    return s;
}

// A row that cannot be read is no empty one.
static struct stored damaged_code(void)
{
    struct stored s = no_listing();
    edit_store(s.path, "UPDATE code SET packed = x'00'");
    return s;
}

// The runs of variants with the same code are added, unless anything else of them differs.
static struct stored shared_code(void)
{
    static const struct {
        const char *name, *bytes, *registers, *stress;
        uint64_t failed;
    } rows[] = {
        {NONE, "same", "16", "", 0},
        {CONTROL, "same", "16", "", 1},
        {MEMORY, "same", "16", "", 0},
        {SCAN("control-each", "inclusive", 64), "same", "17", "", 0},                 // statistics
        {SCAN("memory-each", "inclusive", 64), "other", "16", "", 0},                 // bytes
        {SCAN("workgroup-in-loop", "inclusive", 64), "same", "16", "kind=memory", 0}, // stress
        {SCAN("none", "exclusive", 64), "same", "16", "", 0},                         // expectation
        {SCAN("none", "inclusive", 128), "same", "16", "", 0},                        // dispatch
    };
    struct stored s = stored_begin(1000, 0);
    stored_device(&s, 1, "One", "device");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct isa_code code = {0};
        struct result one = stored_result(rows[i].name, "forbidden",
                                          rows[i].failed ? "fail" : "pass", 1000, rows[i].failed);
        one.stress = (char *)rows[i].stress;
        stored_put(&s, 1, one);
        isa_add_statistic(&code, "Register Count", "", rows[i].registers);
        isa_add_piece(&code, ISA_MACHINE, "SASS", "", rows[i].bytes, strlen(rows[i].bytes));
        stored_code(&s, rows[i].name, &code);
    }
    return s;
}

#define FORM(name) (1u << REPORT_AS_##name)
#define ALL        ((1u << REPORT_FORMS) - 1)
#define TERMINAL   (1u << REPORT_FORMS) // what a run prints, in colour

static const struct {
    const char *name;
    struct stored (*make)(void);
    unsigned forms;
    const char *device, *test; // to narrow it
} cases[] = {
    {"every-kind", every_kind, ALL | TERMINAL, "", ""},
    {"nothing", nothing, ALL | TERMINAL, "", ""},
    {"verdicts", verdicts, FORM(junit), "", ""},
    {"formulas", formulas, FORM(csv), "", ""},
    {"ticket", ticket, FORM(markdown), "1", LOOKBACK("flag-payload")},
    {"conditions", conditions, FORM(text) | FORM(json) | FORM(html), "", ""},
    {"rules", rules, FORM(text) | FORM(json) | FORM(markdown) | FORM(html), "", ""},
    {"code", code, FORM(json) | FORM(csv) | FORM(markdown) | FORM(html), "", ""},
    {"code-ticket", code, FORM(markdown), "", NONE},
    {"no-listing", no_listing, FORM(json) | FORM(markdown) | FORM(html), "", ""},
    {"damaged-code", damaged_code, FORM(json) | FORM(markdown) | FORM(html), "", ""},
    {"shared-code", shared_code, FORM(text) | FORM(markdown) | FORM(html), "", ""},
};

static void terminal(const struct report_model *model, struct text *out)
{
    struct report_terminal_info info = {.color = true, .verbosity = 1};
    report_tables(model, &info, out);
}

// Cuts out what begins and ends so, wherever it is, and puts something else there.
static void replace(struct text *text, const char *first, const char *last, const char *by)
{
    struct text made = {0};
    const char *at = text->data;
    for (const char *from; (from = strstr(at, first));) {
        text_append(&made, at, (size_t)(from - at));
        text_puts(&made, by);
        at = strstr(from + strlen(first), last) + strlen(last);
    }
    text_puts(&made, at);
    text_free(text);
    *text = made;
}

static void check(const char *name, const char *form, const struct text *text)
{
    char path[512];
    const char *folder = unit_argument(1);
    const bool writes = unit_argument_count > 2 && !strcmp(unit_argument(2), "--write");
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, form);
    FILE *file = fopen(path, writes ? "wb" : "rb");
    if (!file)
        fail_msg("%s cannot be opened", path);
    OWNED(text_free) struct text kept = {0};
    if (writes)
        assert_int_equal(fwrite(text->data, 1, text->length, file), text->length);
    for (int byte; !writes && (byte = fgetc(file)) != EOF;)
        text_append(&kept, &(char){(char)byte}, 1);
    fclose(file);
    text_puts(&kept, "");
    size_t line = 1, at = 0;
    for (; kept.data[at] && kept.data[at] == text->data[at]; at++)
        line += kept.data[at] == '\n';
    const size_t from = at < 40 ? 0 : at - 40;
    if (!writes && (kept.data[at] || text->data[at]))
        fail_msg("%s, line %zu: the report has now\n%.80s\nand had\n%.80s\nIf that is right: unit "
                 "report %s --write",
                 path, line, text->data + from, kept.data + from, folder);
}

TEST(test_files)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWNED(stored_drop) struct stored s = cases[i].make();
        for (unsigned form = 0; form <= REPORT_FORMS; form++) {
            OWNED(report_model_clear) struct report_model model = {0};
            OWNED(text_free) struct text text = {0};
            if (!(cases[i].forms >> form & 1))
                continue;
            stored_load(&s, &model);
            must(report_model_narrow(&model, cases[i].device, cases[i].test, &error));
            (form == REPORT_FORMS ? terminal : report_formats[form].write)(&model, &text);
            text_puts(&text, "");
            replace(&text, s.path, "", "litmus.db");
            // tests/html opens pages with these.
            replace(&text, "<style>", "</style>", "");
            replace(&text, "<script>// SPDX", "</script>", "");
            check(cases[i].name, form == REPORT_FORMS ? "terminal" : report_formats[form].name,
                  &text);
        }
    }
}

TEST(test_no_session)
{
    OWNED(stored_drop) struct stored s = nothing();
    OWNED(report_model_clear) struct report_model model;
    assert_false(report_model_load(s.store, 7, &model, &error));
    contains(error.message, "there is no session");
}

static void check_rate(double rate, int direction, const char *want)
{
    char got[24];
    format_rate(got, rate, direction);
    assert_string_equal(got, want);
}

TEST(test_formats)
{
    check_rate(0, 0, "0");
    check_rate(1, 0, "1");
    check_rate(0.00077, 0, "7.7e-4");
    check_rate(0.00077, 1, "7.7e-4");
    check_rate(0.000771, 1, "7.8e-4");
    check_rate(0.000779, -1, "7.7e-4");
    check_rate(0.0099951, 1, "1.0e-2");
    check_rate(9.99e-6, 0, "1.0e-5");
    check_rate(0.5, 1, "0.50");
    check_rate(0.0512, 0, "0.051");
    check_rate(0.123, -1, "0.12");
    check_rate(0.123, 1, "0.13");
    check_rate(0.9999629, -1, "1-3.8e-5");
    char text[80];
    format_interval(text, 0, 96000, stat_clopper_pearson(0, 96000, 0.95));
    assert_string_equal(text, "< 3.9e-5");
    format_interval(text, 37, 48000, stat_clopper_pearson(37, 48000, 0.95));
    assert_string_equal(text, "7.7e-4 [5.4e-4, 1.1e-3]");
    format_interval(text, 10, 10, stat_clopper_pearson(10, 10, 0.95));
    assert_string_equal(text, "> 0.69");
    format_interval(text, 0, 0, stat_clopper_pearson(0, 0, 0.95));
    assert_string_equal(text, "unknown");
    format_seconds(text, 0.04);
    assert_string_equal(text, "0.0 s");
    format_seconds(text, 242);
    assert_string_equal(text, "4 min 02 s");
    format_seconds(text, 3725);
    assert_string_equal(text, "1 h 02 min");
}
