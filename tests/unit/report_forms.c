// SPDX-License-Identifier: Apache-2.0
// The reports for other programs, of a store that is made here: JUnit XML and CSV;
// and the ticket. What their readers would take is checked by small readers of these
// formats, written from what the formats' own documents say.
#include "report/report.h"
#include "report/markdown.h"

#include "unit.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A driver that says what it likes, as far as a store lets it.
#define HOSTILE "=HYPERLINK(\"x\")|</details><script>`````&amp;]]>--%0A::error::, www.x.org @all"
#define NAME                                                                                       \
    "lookback.scan/encoding=flag-payload,memory-model=vulkan,walk=lane,reconvergence=default,"     \
    "pressure=none@workgroup=128,elements=30011,subgroup=8"
#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

struct fixture {
    char folder[64], path[96];
    struct store *store;
    int64_t session;
};

static struct dev_facts facts_of(unsigned number, const char *name)
{
    struct dev_facts facts = {
        .driver_name = HOSTILE,
        .driver_info = HOSTILE,
        .driver_version = "1.2.3",
        .device_uuid = {(uint8_t)number},
        .vendor = 0x10de,
        .api = 1u << 22 | 3u << 12,
        .loader = "1.3.239",
        .type = "discrete",
        .subgroup = 8,
        .subgroup_min = 8,
        .subgroup_max = 8,
    };
    snprintf(facts.name, sizeof(facts.name), "%s", name);
    return facts;
}

static void put_device(struct fixture *f, unsigned number, const char *name)
{
    struct lit_error error = {0};
    struct dev_facts facts = facts_of(number, name);
    if (!store_device_put(f->store, f->session, number, &facts, "device", &error))
        fail_msg("%s", error.message);
}

static void put(struct fixture *f, unsigned number, const char *device, struct store_result result)
{
    struct lit_error error = {0};
    char id[DEV_ID_SIZE];
    struct dev_facts facts = facts_of(number, device);
    dev_facts_id(&facts, id);
    result.device = id;
    result.seed = 0xfedcba9876543210;
    if (!store_result_put(f->store, f->session, &result, &error))
        fail_msg("%s", error.message);
}

static struct fixture begin(void)
{
    struct lit_error error = {0};
    struct fixture f = {.folder = "/tmp/litmus-forms-XXXXXX"};
    assert_non_null(mkdtemp(f.folder));
    snprintf(f.path, sizeof(f.path), "%s/litmus.db", f.folder);
    f.store = store_open(f.path, &error);
    assert_non_null(f.store);
    struct store_session session = {.version = "1.0.0",
                                    .command = "litmus run '" HOSTILE "'",
                                    .started = "2026-11-21T02:09:00Z",
                                    .system = "Linux 6.1.0 x86_64",
                                    .seed = 0xfedcba9876543210,
                                    .runs = 100,
                                    .options = "{}",
                                    .shard = STORE_SHARD_TESTS,
                                    .shard_index = 0,
                                    .shard_count = 4};
    assert_true(store_session_begin(f.store, &session, &error));
    f.session = session.id;
    return f;
}

static void drop(struct fixture *f)
{
    store_close(&f->store);
    unlink(f->path);
    rmdir(f->folder);
}

// The narrowed report, terminated.
static char *make(const struct fixture *f, report_function *write, const char *device,
                  const char *test)
{
    struct report_model model;
    struct lit_error error = {0};
    struct text text = {0};
    if (!report_model_load(f->store, f->session, &model, &error) ||
        !report_model_narrow(&model, device, test, &error))
        fail_msg("%s", error.message);
    write(&model, &text);
    report_model_clear(&model);
    text_puts(&text, "");
    return text.data;
}

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

static struct store_result result_of(const char *name, const char *expectation, const char *result,
                                     uint64_t runs, uint64_t failed)
{
    const uint64_t gave_up = !strcmp(result, "no-progress");
    return (struct store_result){
        .name = (char *)name,
        .expectation = (char *)expectation,
        .result = (char *)result,
        .reason = strcmp(result, "skip") == 0 ? "VK_EXT_x" : "",
        .sha256 = HASH,
        .mode = {.check = CAT_CHECK_EQUAL},
        .count = {.runs = runs,
                  .failed_runs = failed,
                  .no_progress_runs = gave_up,
                  .instances = runs,
                  .failed_instances = failed,
                  .outcomes = {[0] = runs - failed - gave_up, [3] = failed, [15] = gave_up},
                  .seconds = 0.0015},
    };
}

// Every result with every expectation: what JUnit calls it. Written down from docs/formats.md.
static const struct {
    const char *expectation, *result;
    uint64_t runs, failed;
    const char *element; // "" for passed
} verdicts[] = {
    {"forbidden", "pass", 9, 0, ""},
    {"forbidden", "fail", 9, 1, "failure"},
    {"contested", "fail", 9, 1, ""},
    {"assumed", "fail", 9, 1, ""},
    {"control", "fail", 9, 9, ""},
    {"forbidden", "skip", 0, 0, "skipped"},
    {"contested", "partial", 5, 0, "skipped"},
    {"forbidden", "partial", 5, 1, "failure"},
    {"forbidden", "crash", 5, 0, "error"},
    {"forbidden", "crash", 5, 1, "failure"},
    {"contested", "crash", 5, 1, "error"},
    {"control", "hang", 0, 0, "error"},
    {"assumed", "device-lost", 0, 0, "error"},
    {"contested", "harness-error", 0, 0, "error"},
    {"forbidden", "no-progress", 5, 0, "error"},
    {"contested", "no-progress", 5, 0, "error"},
    {"assumed", "no-progress", 5, 0, ""},
    {"control", "no-progress", 5, 0, ""},
};

static void test_junit(void **state)
{
    (void)state;
    struct fixture f = begin();
    size_t errors = 0, failures = 0, skipped = 0, count = sizeof(verdicts) / sizeof(verdicts[0]);
    put_device(&f, 1, "Same. GPU");
    put_device(&f, 2, "Same. GPU");
    for (size_t i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof(name), "family.test/axis=%zu@w=1", i);
        put(&f, 1, "Same. GPU",
            result_of(name, verdicts[i].expectation, verdicts[i].result, verdicts[i].runs,
                      verdicts[i].failed));
        errors += !strcmp(verdicts[i].element, "error");
        failures += !strcmp(verdicts[i].element, "failure");
        skipped += !strcmp(verdicts[i].element, "skipped");
    }
    put(&f, 2, "Same. GPU", result_of("family.test", "forbidden", "pass", 9, 0));
    char *text = make(&f, report_junit, "", ""), want[256];
    for (size_t i = 0; i < count; i++) {
        snprintf(want, sizeof(want), " name=\"axis=%zu@w=1\" time=\"0.002\"", i);
        char *at = strstr(text, want), *end = strstr(at ? at : text, "<testcase");
        assert_non_null(at);
        end = end ? end : text + strlen(text);
        char kept = *end;
        *end = '\0';
        for (const char *const *element =
                 (const char *const[]){"failure", "error", "skipped", NULL};
             *element; element++) {
            snprintf(want, sizeof(want), "<%s ", *element);
            assert_int_equal(strstr(at, want) != NULL, !strcmp(*element, verdicts[i].element));
        }
        *end = kept;
    }
    snprintf(want, sizeof(want),
             "<testsuites name=\"litmus\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
             "skipped=\"%zu\" time=\"0.0%zu\">",
             count + 1, failures, errors, skipped, 2 * (count + 1));
    contains(text, want);
    contains(text, "classname=\"Same_ GPU [1].family.test\" name=\"axis=0@w=1\"");
    contains(text, "classname=\"Same_ GPU [2].family.test\" name=\"test\"");
    contains(text, "message=\"1 of 9 runs failed, rate 0.11 [2.8e-3, 0.49] (95 %)\"");
    contains(text, "reproduce: ./litmus run d2faa52f -d 01000000-0000 "
                   "--seed 0xfedcba9876543210 -n 100\n");
    lacks(text, "<script>");
    lacks(text, "]]>");
    free(text);
    drop(&f);
}

static void test_xml(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"a&b<c>\"d\"'", " v=\"a&#38;b&#60;c&#62;&#34;d&#34;&#39;\""},
        {"\t\r\n", " v=\"&#9;&#13;&#10;\""},
        {"\001\010\033\037\177", " v=\"????\177\""},
        {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", " v=\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\""},
        {"\xff\xc3", " v=\"??\""},                     // no UTF-8, and cut
        {"\xc0\x80", " v=\"??\""},                     // overlong
        {"\xed\xa0\x80", " v=\"???\""},                // a surrogate
        {"\xef\xbf\xbe\xef\xbf\xbf", " v=\"??????\""}, // U+FFFE, U+FFFF
        {"\xf4\x90\x80\x80", " v=\"????\""},           // beyond U+10FFFF
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct text out = {0};
        xml_attribute(&out, "v", cases[i].in);
        assert_string_equal(out.data, cases[i].out);
        text_free(&out);
    }
    struct text out = {0};
    xml_text(&out, "a\n<b>\t&");
    assert_string_equal(out.data, "a\n&#60;b&#62;\t&#38;");
    text_free(&out);
}

// RFC 4180: the cells of a row, and how many bytes they took.
static size_t read_row(const char *at, char cells[64][512], size_t *count)
{
    const char *start = at;
    for (*count = 0;; at++) {
        char *cell = cells[(*count)++];
        bool quoted = *at == '"';
        assert_true(*count < 64);
        for (at += quoted; quoted ? *at != '"' || at[1] == '"' : !strchr(",\r", *at); at++) {
            assert_true(*at && (quoted || *at != '"'));
            at += quoted && *at == '"';
            *cell++ = *at;
        }
        at += quoted;
        *cell = '\0';
        if (*at != ',')
            break;
    }
    assert_true(at[0] == '\r' && at[1] == '\n');
    return (size_t)(at + 2 - start);
}

static void test_csv(void **state)
{
    (void)state;
    static char heads[64][512], cells[64][512];
    struct fixture f = begin();
    size_t columns, count, rows = 0;
    put_device(&f, 1, "-2+3");
    put_device(&f, 2, "a, \"b\"");
    put(&f, 1, "-2+3", result_of("a.b/c=@SUM@d=1", "forbidden", "fail", 1000, 37));
    put(&f, 2, "a, \"b\"", result_of("a.b/c=1,e=2@d=1", "control", "pass", 10, 0));
    char *text = make(&f, report_csv, "", "");
    const char *at = text + read_row(text, heads, &columns);
    while (*at) {
        at += read_row(at, cells, &count);
        assert_int_equal(count, columns);
        for (size_t i = 0; i < columns; i++) {
            assert_null(cells[i][0] ? strchr("=+-@\t\r", cells[i][0]) : NULL);
            if (!strcmp(heads[i], "device"))
                assert_string_equal(cells[i], rows ? "a, \"b\"" : "'-2+3");
            if (!strcmp(heads[i], "driver"))
                assert_string_equal(cells[i], "'" HOSTILE);
            if (!strcmp(heads[i], "variant"))
                assert_string_equal(cells[i], rows ? "c=1,e=2" : "c=");
            if (!strcmp(heads[i], "failed_runs"))
                assert_string_equal(cells[i], rows ? "0" : "37");
            if (!strcmp(heads[i], "seed"))
                assert_string_equal(cells[i], "0xfedcba9876543210");
        }
        rows++;
    }
    assert_int_equal(rows, 2);
    free(text);
    drop(&f);
}

static size_t unescaped(const char *text, const char *tag)
{
    return count_of(text, tag);
}

// Nothing that a driver says ends a table, a fence or an element.
static void check_markdown(const char *text)
{
    lacks(text, "<script>");
    lacks(text, "|</");
    lacks(text, "@all");
    lacks(text, "www.x");
    assert_int_equal(unescaped(text, "<details>"), unescaped(text, "</details>"));
    size_t ticks = 0;
    for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
        size_t length = strcspn(at, "\n");
        ticks += length >= 3 && !strncmp(at, "```", 3);
        if (*at == '|')
            assert_true(at[length - 1] == '|');
    }
    assert_int_equal(ticks % 2, 0);
    assert_true(strlen(text) < 65536);
}

// Lines that are not folded.
static size_t visible_lines(const char *text)
{
    size_t lines = 0, depth = 0;
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        depth += strncmp(at, "<details>", 9) == 0;
        lines += depth == 0;
        depth -= strncmp(at, "</details>", 10) == 0;
    }
    return lines;
}

static void test_ticket(void **state)
{
    (void)state;
    struct fixture f = begin();
    put_device(&f, 1, HOSTILE);
    struct store_result ticket = result_of(NAME, "forbidden", "fail", 20, 4);
    ticket.mode.check = CAT_CHECK_EQUAL;
    ticket.stress = "lanes=4";
    ticket.rule = "width 0.001";
    ticket.count.failures[0] = (struct eng_failure){
        .at = {.run = 2, .outcome = 3, .got = 0x12, .want = 0x34}, .where = "element 8192 |<b>"};
    ticket.count.failure_count = 1;
    ticket.count.part_count = 2;
    ticket.count.parts[0] = (struct eng_part){.process = 0, .runs = 10, .failed_runs = 4};
    ticket.count.parts[1] = (struct eng_part){.process = 1, .runs = 10};
    ticket.evidence[ENG_EVIDENCE_KERNEL] = "[    1.000000] NVRM: Xid ````` <b>\n| no |\n";
    put(&f, 1, HOSTILE, ticket);
    struct store_result twin = result_of(
        "lookback.scan/encoding=word64,memory-model=vulkan,walk=lane,reconvergence=default"
        ",pressure=none@workgroup=128,elements=30011,subgroup=8",
        "forbidden", "pass", 20, 0);
    twin.stress = "lanes=4";
    put(&f, 1, HOSTILE, twin);
    twin.name = "lookback.scan/encoding=word32,memory-model=vulkan,walk=lane,reconvergence=default"
                ",pressure=none@workgroup=128,elements=30011,subgroup=8";
    twin.stress = "";
    put(&f, 1, HOSTILE, twin);
    format_program("/opt/two words/litmus");
    char *text = make(&f, report_markdown, "1", NAME);
    format_program("./litmus");
    check_markdown(text);
    contains(text, "    '/opt/two words/litmus' run 81701108 ");
    contains(text, "    '/opt/two words/litmus' repro 81701108\n");
    contains(text, "    '/opt/two words/litmus' explain 81701108 --simt relaxed,subgroup=8\n");
    lacks(text, "./litmus");
    contains(text, "` **failed in 4 of 20 runs** (0.20 [");
    contains(text, "The specification forbids the failing outcome: release and acquire of device "
                   "scope");
    contains(text, "run 3, unit 0, element 8192 &#124;&#60;b&#62;: wrong, got 0x00000012, "
                   "want 0x00000034");
    contains(text, "1.3.0, loader 1.3.239");
    contains(text, "| `encoding=word64` | 20 | 0 | &#60; 0.17 | forbidden |\n");
    contains(text, "Changing one axis removes the failure, within these runs: `encoding=word64`.");
    lacks(text, "word32"); // measured under other stress
    contains(text, "relaxed (8 of 8 runs)");
    lacks(text, "&#39;");
    assert_true(visible_lines(text) <= 100);
    contains(text, "OpAtomicStore %flag_at %device_scope %publishing %by_flag\n");
    lacks(text, "#ifdef");
    contains(text, "is of another version of the test");
    contains(text, "Kernel log of");
    contains(text, "\n``````\n[    1.000000] NVRM: Xid ````` <b>\n| no |\n``````\n");
    contains(text, "confidence sequence");
    contains(text, "- Vulkan, Memory Model, Synchronizes-With: ");
    free(text);
    drop(&f);
}

// Ten thousand failures, with everything as long as a store lets it be.
static void test_many(void **state)
{
    (void)state;
    struct fixture f = begin();
    char name[1200], *long_name = name + sprintf(name, "lookback.scan/x=");
    memset(long_name, 'y', 1000);
    put_device(&f, 1, HOSTILE);
    struct lit_error error = {0};
    struct report_model model;
    struct text text = {0};
    struct store_result failure = result_of(name, "forbidden", "fail", 9, 9);
    char *reason = lit_alloc(100001, 1);
    memset(reason, '<', 100000);
    failure.reason = reason;
    for (int i = 0; i < 3; i++) {
        sprintf(long_name + 1000, "%d@a=1", i);
        put(&f, 1, HOSTILE, failure);
    }
    assert_true(report_model_load(f.store, f.session, &model, &error));
    // As the store would give them, without the minute that writing them takes.
    const size_t count = 10000;
    struct report_result *some = model.results;
    model.results = lit_alloc(count, sizeof(*model.results));
    long_name[1000] = '\0';
    char(*names)[sizeof name + 32] = lit_alloc(count, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        model.results[i] = some[i % 3];
        snprintf(names[i], sizeof *names, "%s%zu@a=1", name, i);
        model.results[i].name = names[i];
    }
    model.result_count = count;
    report_markdown(&model, &text);
    check_markdown(text.data);
    contains(text.data, "10,000 of 10,000 forbidden configurations failed");
    contains(text.data, "left out because a bug report holds 64 KB");
    text_free(&text);
    report_junit(&model, &text);
    assert_true(text.length < 30u << 20); // more is refused by GitLab
    text_free(&text);
    free(model.results);
    free(names);
    model.results = some;
    model.result_count = 3;
    sprintf(long_name + 1000, "2@a=1");
    assert_true(report_model_narrow(&model, "", name, &error));
    report_markdown(&model, &text);
    check_markdown(text.data);
    contains(text.data, "**failed in 9 of 9 runs**");
    text_free(&text);
    report_model_clear(&model);
    free(reason);
    drop(&f);
}

static void test_narrow(void **state)
{
    (void)state;
    struct fixture f = begin();
    struct report_model model;
    struct lit_error error = {0};
    put_device(&f, 1, "One");
    put_device(&f, 2, "Two");
    put(&f, 1, "One", result_of("a.b/c=1@d=1", "forbidden", "fail", 9, 1));
    put(&f, 1, "One", result_of("a.b/c=2@d=1", "forbidden", "pass", 9, 0));
    put(&f, 2, "Two", result_of("a.b/c=1@d=1", "forbidden", "pass", 9, 0));
    put(&f, 2, "Two", result_of("e.f@d=1", "control", "pass", 9, 0));
    static const struct {
        const char *device, *test;
        size_t devices, results, rest;
        enum lit_exit code;
        const char *error; // "" for none
    } cases[] = {
        {"", "", 2, 4, 0, LIT_EXIT_TIME, ""},
        {"1", "", 1, 2, 0, LIT_EXIT_FORBIDDEN, ""},
        {"two", "", 1, 2, 0, LIT_EXIT_TIME, ""},
        {"2", "e", 1, 1, 1, LIT_EXIT_TIME, ""},
        {"", "a.b", 2, 3, 1, LIT_EXIT_FORBIDDEN, ""},
        {"", "a.b/c=1@d=1", 2, 2, 2, LIT_EXIT_FORBIDDEN, ""},
        {"", "*c=2*", 2, 1, 3, LIT_EXIT_TIME, ""},
        {"3", "", 0, 0, 0, 0, "no device '3'; it has 2, the first is One"},
        {"", "nothing", 0, 0, 0, 0, "no result of 'nothing'"},
        {"1", "e.f", 0, 0, 0, 0, "no result of 'e.f' on this device"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_true(report_model_load(f.store, f.session, &model, &error));
        bool good = report_model_narrow(&model, cases[i].device, cases[i].test, &error);
        assert_int_equal(good, !cases[i].error[0]);
        if (good) {
            assert_int_equal(model.device_count, cases[i].devices);
            assert_int_equal(model.result_count, cases[i].results);
            assert_int_equal(model.rest_count, cases[i].rest);
            for (size_t r = 0; r < model.result_count; r++)
                assert_true(model.results[r].device < model.device_count);
            if (cases[i].code != LIT_EXIT_TIME) // the session is not finished
                assert_int_equal(model.code, cases[i].code);
        } else {
            contains(error.message, cases[i].error);
            assert_int_equal(model.result_count, 4);
        }
        report_model_clear(&model);
    }
    drop(&f);
}

// A count that JSON's readers would round is no count of runs.
static void test_too_many(void **state)
{
    (void)state;
    struct lit_error error = {0};
    const uint64_t most = (UINT64_C(1) << 53) - 1;
    const struct {
        uint64_t runs, instances, first;
        bool good;
    } cases[] = {
        {most, most, most, true}, {most + 1, most + 1, 0, false},   {1, most + 1, 0, false},
        {1, 1, most + 1, false},  {INT64_MAX, INT64_MAX, 0, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f = begin();
        struct report_model model;
        put_device(&f, 1, "One");
        struct store_result result = result_of("a.b", "forbidden", "pass", cases[i].runs, 0);
        result.count.instances = cases[i].instances;
        result.count.outcomes[0] = cases[i].instances;
        result.first = cases[i].first;
        put(&f, 1, "One", result);
        assert_int_equal(report_model_load(f.store, f.session, &model, &error), cases[i].good);
        report_model_clear(&model);
        drop(&f);
    }
    contains(error.message, "the file is damaged (more runs than can be)");
}

static void test_conditions(void **state)
{
    (void)state;
    struct fixture f = begin();
    put_device(&f, 1, "One");
    struct store_result result = result_of("a.b@c=1", "forbidden", "fail", 400, 100);
    result.headline = "head";
    result.rule = "decided 0.001";
    result.stress = "lanes=4";
    result.count.part_count = 4;
    for (uint32_t i = 0; i < 4; i++)
        result.count.parts[i] = (struct eng_part){i, 100, i == 2 ? 100 : 0, 0};
    put(&f, 1, "One", result);
    result.name = "a.b@c=2";
    result.rule = "";
    result.stress = "";
    for (uint32_t i = 0; i < 4; i++)
        result.count.parts[i] = (struct eng_part){i, 100, 25, 0};
    put(&f, 1, "One", result);
    char *text = make(&f, report_text, "", "");
    contains(text, "only a shard of the tests, shard 1 of 4");
    contains(text, "      under stress: lanes=4\n");
    contains(text, "stopping rule: decided 0.001; the interval allows for it");
    // 300 / 3 as Pearson has it, and the root of that.
    contains(text, "the interval is too narrow, by a factor of about 11.5\n");
    assert_int_equal(count_of(text, "overdispersed"), 1);
    contains(text, " under lanes=4 ");
    free(text);
    text = make(&f, report_json, "", "");
    contains(text,
             "\"interval_kind\":\"sequence\",\"stress\":\"lanes=4\",\"rule\":\"decided 0.001\"");
    // What was measured under other stress is not added.
    assert_int_equal(count_of(text, "\"headline\":\"head\",\"expectation\""), 2);
    contains(text, "\"overdispersion\":{\"groups\":4,\"factor\":133.33");
    contains(text, "\"shard\":{\"of\":\"tests\",\"index\":0,\"count\":4}");
    free(text);
    drop(&f);
}

static void test_references(void **state)
{
    (void)state;
    assert_true(report_reference_count > 700);
    for (size_t i = 0; i < report_reference_count; i++) {
        if (i > 0)
            assert_true(strcmp(report_references[i - 1].variant, report_references[i].variant) < 0);
        assert_ptr_equal(report_reference_find(report_references[i].variant),
                         &report_references[i]);
    }
    char name[512];
    snprintf(name, sizeof(name), "%s@workgroup=1", report_references[7].variant);
    assert_ptr_equal(report_reference_find(name), &report_references[7]);
    assert_null(report_reference_find("lookback.scan"));
    assert_null(report_reference_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xml),        cmocka_unit_test(test_junit),
        cmocka_unit_test(test_csv),        cmocka_unit_test(test_ticket),
        cmocka_unit_test(test_many),       cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_too_many),   cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_references),
    };
    return cmocka_run_group_tests_name("report_forms", tests, NULL, NULL);
}
