// SPDX-License-Identifier: Apache-2.0
// The reports of a store that is made here. With a folder as argument the reports are written there
// (json.json, junit.xml, markdown.md and so on), for tests/validate_json.py and for the eye.
#include "report/format.h"
#include "report/report.h"
#include "report/model.h"
#include "stats/stats.h"

#include "unit.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct dev_facts first = {
    .name = "Example GPU <script>alert(1)</script> | `x`",
    .driver_name = "example",
    .driver_info = "Example 1.2.3",
    .driver_version = "1.2.3",
    .device_uuid = {0x12, 0x34},
    .driver_uuid = {0xab},
    .vendor = 0x10de,
    .product = 0x2335,
    .api = 1u << 22 | 4u << 12 | 312,
    .type = "discrete",
    .subgroup = 32,
    .subgroup_min = 32,
    .subgroup_max = 32,
    .features = 0x7,
};

static struct store *make_store(char folder[64])
{
    struct lit_error error = {0};
    char path[96];
    strcpy(folder, "/tmp/litmus-report-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/litmus.db", folder);
    struct store *store = store_open(path, &error);
    if (!store)
        fail_msg("%s", error.message);
    return store;
}

static void drop_store(struct store **store, const char *folder)
{
    char path[96];
    store_close(store);
    snprintf(path, sizeof(path), "%s/litmus.db", folder);
    unlink(path);
    rmdir(folder);
}

static void put(struct store *store, int64_t session, const struct dev_facts *facts,
                struct store_result result)
{
    struct lit_error error = {0};
    char id[DEV_ID_SIZE];
    dev_facts_id(facts, id);
    result.device = id;
    result.seed = 0xfedcba9876543210;
    if (!store_result_put(store, session, &result, &error))
        fail_msg("%s", error.message);
}

static int64_t begin(struct store *store)
{
    struct lit_error error = {0};
    struct store_session session = {
        .version = "1.0.0",
        .command = "litmus --all",
        .started = "2026-11-21T02:09:00Z",
        .system = "Linux 6.1.0 x86_64",
        .seed = 0xfedcba9876543210,
        .runs = 1000,
        .options = "{}",
    };
    assert_true(store_session_begin(store, &session, &error));
    assert_true(store_device_put(store, session.id, 1, &first, "device", &error));
    return session.id;
}

static struct dev_facts second_device(void)
{
    struct dev_facts second = first;
    strcpy(second.name, "Zweite Karte \xc3\xa4");
    second.device_uuid[0] = 99;
    return second;
}

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void put_results(struct store *store, int64_t session)
{
    struct lit_error error = {0};
    struct dev_facts second = second_device();
    assert_true(store_device_put(store, session, 2, &second, "host: it stores nothing", &error));
    struct store_result hazard = {
        .name = "shuffle.scan-loop/sync=none,form=ssa@workgroup=64,subgroup=32",
        .result = "fail",
        .expectation = "contested",
        .sha256 = HASH,
        .headline = "shuffle hazard",
        .mode = {.check = CAT_CHECK_TAG},
        .count = {.runs = 1000,
                  .failed_runs = 37,
                  .instances = 64000,
                  .failed_instances = 41,
                  .outcomes = {[0] = 63959, [4] = 2, [5] = 39},
                  .failures = {{.at = {.run = 2,
                                       .instance = 5,
                                       .word = 320,
                                       .got = 0x5a00081f,
                                       .want = 0x5a00091f,
                                       .outcome = 5},
                                .where = "lane 31, iteration 9"}},
                  .failure_count = 1,
                  .seconds = 1.25},
    };
    put(store, session, &first, hazard);
    hazard.name = "shuffle.scan-loop/sync=control-each,form=ssa@workgroup=64,subgroup=32";
    hazard.expectation = "forbidden";
    hazard.result = "pass";
    hazard.count =
        (struct eng_count){.runs = 1000, .instances = 64000, .outcomes = {64000}, .seconds = 1.5};
    put(store, session, &first, hazard);
    hazard.headline = "workgroup scan";
    hazard.name = "scan.workgroup@items=4";
    put(store, session, &first, hazard);
    hazard.headline = "";
    hazard.name = "control.race@workgroup=last";
    hazard.expectation = "control";
    put(store, session, &first, hazard);
    hazard.name = "control.certain";
    hazard.result = "fail";
    hazard.mode.check = CAT_CHECK_EQUAL;
    hazard.count = (struct eng_count){.runs = 1000,
                                      .failed_runs = 1000,
                                      .first_run_failed = true,
                                      .instances = 1000,
                                      .failed_instances = 1000,
                                      .outcomes = {[3] = 1000}};
    put(store, session, &first, hazard);
    hazard.name = "memory.message@workgroup=64";
    hazard.mode = (struct cat_mode){
        .check = CAT_CHECK_CHOICE,
        .choice = {.names = {"flag and data", "neither", "data only", "flag without data", "else"},
                   .fails = 1u << 3 | 1u << 4}};
    hazard.count = (struct eng_count){.runs = 1000,
                                      .failed_runs = 7,
                                      .instances = 2000,
                                      .failed_instances = 8,
                                      .outcomes = {[0] = 1900, [3] = 92, [4] = 8}};
    put(store, session, &first, hazard);
    hazard.mode = (struct cat_mode){.check = CAT_CHECK_EQUAL};
    hazard.name = "control.waits";
    hazard.result = "no-progress";
    hazard.count = (struct eng_count){
        .runs = 40, .no_progress_runs = 40, .instances = 40, .outcomes = {[15] = 40}};
    put(store, session, &first, hazard);
    hazard.count = (struct eng_count){
        .runs = 40, .no_progress_runs = 3, .instances = 40, .outcomes = {[0] = 37, [15] = 3}};
    hazard.name = "lookback.progress@items=1";
    hazard.result = "no-progress";
    hazard.expectation = "assumed";
    put(store, session, &second, hazard);
    hazard.count = (struct eng_count){0};
    hazard.name = "shuffle.rotate@workgroup=64";
    hazard.result = "skip";
    hazard.reason = "VK_KHR_shader_subgroup_rotate";
    put(store, session, &second, hazard);
    hazard.name = "shuffle.quote/it's=$(reboot)@workgroup=64";
    hazard.result = "crash";
    hazard.reason = "killed by signal 11 |<b>";
    hazard.evidence[ENG_EVIDENCE_KERNEL] = "[1] one\n[2] two\n[3] three\n[4] Xid <b>|\n";
    hazard.evidence[ENG_EVIDENCE_BACKTRACE] = "litmus(+0x12) [0x34]";
    hazard.expectation = "forbidden";
    put(store, session, &second, hazard);
    assert_true(store_session_finish(store, session, &error));
}

static char *make(report_function *report, struct store *store, int64_t session)
{
    struct lit_error error = {0};
    struct text once = {0}, twice = {0};
    if (!report_stored(report, store, session, &once, &error) ||
        !report_stored(report, store, 0, &twice, &error))
        fail_msg("%s", error.message);
    // Annotations of nothing are nothing.
    text_puts(&once, "");
    text_puts(&twice, "");
    assert_string_equal(once.data, twice.data);
    text_free(&twice);
    return once.data;
}

static void terminal_plain(const struct report_model *model, struct text *out)
{
    struct report_terminal_info info = {.utf8 = true};
    report_tables(model, &info, out);
}

static void terminal_verbose(const struct report_model *model, struct text *out)
{
    struct report_terminal_info info = {.color = true, .verbosity = 1};
    report_tables(model, &info, out);
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

static void test_json(void **state)
{
    (void)state;
    char folder[64];
    struct store *store = make_store(folder);
    int64_t session = begin(store);
    put_results(store, session);
    char *text = make(report_json, store, session);
    json_error_t error;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!json)
        fail_msg("line %d: %s", error.line, error.text);
    const char *schema, *seed, *result, *sync, *last, *outcome;
    json_int_t workgroup, runs, failed, run, pass, code, lane;
    double low, high;
    assert_int_equal(
        json_unpack_ex(json, &error, 0,
                       "{s:s, s:{s:s}, s:[{s:s, s:{s:s}, s:{s:I}, s:I, s:I, s:[F,F], s:{s:I},"
                       " s:[{s:I, s:s}]}], s:{s:{s:I}, s:{s:I}}}",
                       "schema", &schema, "tool", "seed", &seed, "results", "result", &result,
                       "variant", "sync", &sync, "params", "workgroup", &workgroup, "runs", &runs,
                       "failed_runs", &failed, "interval", &low, &high, "outcomes", "wrong lane",
                       &lane, "failures", "run", &run, "outcome", &outcome, "summary", "results",
                       "pass", &pass, "exit", "code", &code),
        0);
    assert_string_equal(schema, "litmus-report/1");
    assert_string_equal(seed, "0xfedcba9876543210");
    assert_string_equal(result, "fail");
    assert_string_equal(sync, "none");
    assert_string_equal(outcome, "stale by 1");
    assert_true(workgroup == 64 && runs == 1000 && failed == 37 && run == 3 && lane == 2);
    assert_true(low > 0.0261 && low < 0.037 && high > 0.037 && high < 0.0507);
    assert_true(pass == 3 && code == 1);
    json_t *control = json_array_get(json_object_get(json, "results"), 3);
    assert_int_equal(json_unpack(control, "{s:{s:s}}", "params", "workgroup", &last), 0);
    assert_string_equal(last, "last");
    json_decref(json);
    free(text);
    drop_store(&store, folder);
}

static void test_terminal(void **state)
{
    (void)state;
    char folder[64];
    struct store *store = make_store(folder);
    int64_t session = begin(store);
    put_results(store, session);
    char *text = make(terminal_plain, store, session);
    contains(text, "SOMETIMES");
    contains(text, "  never\n");
    contains(text, "< 3.7e-3");
    contains(text, "0.037 [0.026, 0.051]");
    contains(text, "Positive controls: 3 of 4 triggered");
    lacks(text, "control · no-progress");
    contains(text, "control.race@workgroup=last: not triggered");
    contains(
        text,
        "      outcomes: stale by 1 (39 units), wrong lane (2)\n      first in run 3, unit 5, lane "
        "31, iteration 9: stale by 1, got 0x5a00081f, want 0x5a00091f\n");
    contains(text, "reproduce: ./litmus run 0ea7db65 -d 12340000-0000 "
                   "--seed 0xfedcba9876543210 -n 1000\n");
    contains(text, "\n    7c0613f6  shuffle.quote/it's=$(reboot)@workgroup=64\n");
    contains(text, "run 7c0613f6 -d 63340000-0000 ");
    contains(text, "1  VK_KHR_shader_subgroup_rotate");
    contains(text, "device 2 of 2");
    contains(
        text,
        "\n    kernel: [2] two\n    kernel: [3] three\n    kernel: [4] Xid <b>|\n    reproduce");
    lacks(text, "[1] one");
    lacks(text, "litmus(+0x12)");
    contains(text, "no-progress in 3 of 40 runs");
    lacks(text, "0 %");
    lacks(text, "0%");
    lacks(text, "\033");
    free(text);
    text = make(terminal_verbose, store, session);
    contains(text, "\033[33mSOMETIMES\033[0m");
    contains(text, " since the run started\n      [1] one\n");
    contains(text, "      litmus(+0x12) [0x34]\n    reproduce");
    contains(text, "triggered");
    contains(text, "\n  contested: unspecified: the specification is silent or ambiguous\n");
    for (const char *at = text; *at; at++)
        assert_true((unsigned char)*at < 0x80);
    free(text);
    drop_store(&store, folder);
}

static void test_markdown(void **state)
{
    (void)state;
    char folder[64];
    struct store *store = make_store(folder);
    int64_t session = begin(store);
    put_results(store, session);
    char *text = make(report_markdown, store, session);
    lacks(text, "<script>");
    lacks(text, "|<b>");
    contains(text, "| right | 64,000 | 63,959 |\n");
    contains(text, "| stale by 1 | 0 | 39 |\n");
    contains(text, "| 3 | 5 | lane 31, iteration 9 | stale by 1 | `0x5a00081f` | `0x5a00091f` |");
    contains(text, "<details>");
    lacks(text, "left out");
    free(text);
    // Ten thousand failures still make a ticket, whose parts are closed.
    struct store_result failure = {
        .result = "fail",
        .expectation = "forbidden",
        .sha256 = HASH,
        .mode = {.check = CAT_CHECK_EQUAL},
        .count = {.runs = 9,
                  .failed_runs = 9,
                  .instances = 9,
                  .failed_instances = 9,
                  .outcomes = {[2] = 9}},
    };
    for (int i = 0; i < 600; i++) {
        char name[256];
        snprintf(name, sizeof(name), "%s.%0200d@workgroup=64", "shuffle", i);
        failure.name = name;
        put(store, session, &first, failure);
    }
    text = make(report_markdown, store, session);
    assert_true(strlen(text) < 65536);
    contains(text, "left out because a bug report holds 64 KB");
    size_t opened = 0, closed = 0;
    for (const char *at = text; (at = strstr(at, "<details>")); at++)
        opened++;
    for (const char *at = text; (at = strstr(at, "</details>")); at++)
        closed++;
    assert_int_equal(opened, closed);
    free(text);
    drop_store(&store, folder);
}

// The matrix of sync-matrix: in every report, and nothing of a name is taken for more than a name.
static void test_matrix(void **state)
{
    (void)state;
    char folder[64];
    struct store *store = make_store(folder);
    int64_t session = begin(store);
    struct store_result cell = {
        .name = "sync-matrix.vote/op=any,sync=none,reconvergence=default@subgroup=32",
        .result = "pass",
        .expectation = "contested",
        .sha256 = HASH,
        .mode = {.check = CAT_CHECK_EQUAL},
        .count = {.runs = 1000, .instances = 1000, .outcomes = {1000}},
    };
    put(store, session, &first, cell);
    cell.name = "sync-matrix.vote/op=<b>|x|</b>,sync=control,reconvergence=default@subgroup=32";
    put(store, session, &first, cell);
    char *text = make(terminal_plain, store, session);
    contains(text, "none            control\n");
    contains(text, "  vote: any         never < 3.7e-3  -\n");
    contains(text, "  Without a barrier none of the 1 operations that ran failed");
    free(text);
    text = make(report_markdown, store, session);
    contains(text, "| vote: any | never &#60; 3.7e-3 | - |\n");
    lacks(text, "<b>");
    free(text);
    text = make(report_json, store, session);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const char *op, *state_name;
    assert_int_equal(json_unpack(json, "{s:{s:[{s:[{},{s:s, s:{s:{s:s}}}]}]}}", "summary",
                                 "sync_matrix", "operations", "op", &op, "sync", "none", "state",
                                 &state_name),
                     0);
    assert_string_equal(op, "any");
    assert_string_equal(state_name, "never");
    json_decref(json);
    free(text);
    drop_store(&store, folder);
}

// The page's head names the most runs that a configuration has, not what the session asks for.
static void test_most_runs(void **state)
{
    (void)state;
    char folder[64];
    struct store *store = make_store(folder);
    int64_t session = begin(store);
    struct store_result row = {
        .name = "scan.workgroup@items=1",
        .result = "pass",
        .expectation = "forbidden",
        .sha256 = HASH,
        .mode = {.check = CAT_CHECK_EQUAL},
        .count = {.runs = 500, .instances = 500, .outcomes = {500}},
    };
    put(store, session, &first, row);
    char *text = make(report_html, store, session);
    contains(text, "Up to 1,000 runs of each configuration");
    free(text);
    row.name = "scan.workgroup@items=2";
    row.count = (struct eng_count){.runs = 2000, .instances = 2000, .outcomes = {2000}};
    put(store, session, &first, row);
    text = make(report_html, store, session);
    contains(text, "Up to 2,000 runs of each configuration");
    free(text);
    drop_store(&store, folder);
}

// A sequential rule: its interval in the table, the headline and the matrix, what it came to, and
// the exit code where it was not reached.
static void test_rules(void **state)
{
    (void)state;
    char folder[64];
    struct lit_error error = {0};
    struct report_model model;
    struct report_headline *lines;
    struct store *store = make_store(folder);
    int64_t session = begin(store);
    struct store_result row = {
        .name = "sync-matrix.vote/op=any,sync=none,reconvergence=default@subgroup=32",
        .result = "pass",
        .expectation = "contested",
        .sha256 = HASH,
        .headline = "shuffle hazard",
        .rule = "decided 0.01",
        .mode = {.check = CAT_CHECK_EQUAL},
        .count = {.runs = 400, .instances = 400, .outcomes = {400}},
    };
    put(store, session, &first, row);
    assert_true(store_session_finish(store, session, &error));
    char *text = make(terminal_plain, store, session);
    contains(text, "  until decided 0.01: below in 1 of 1 configuration\n");
    contains(text, "  vote: any  never < 9.4e-3\n");
    free(text);
    row.name = "scan.workgroup@items=1";
    row.count = (struct eng_count){.runs = 300, .instances = 300, .outcomes = {300}};
    put(store, session, &first, row);
    row.name = "scan.workgroup@items=2";
    row.result = "fail";
    row.count = (struct eng_count){.runs = 100,
                                   .failed_runs = 50,
                                   .instances = 100,
                                   .failed_instances = 50,
                                   .outcomes = {[0] = 50, [2] = 50}};
    put(store, session, &first, row);
    // Not rulings: what did not come to its end, was not judged, or has a rule that nobody wrote.
    row.name = "scan.workgroup@items=3";
    row.result = "partial";
    put(store, session, &first, row);
    row.name = "scan.workgroup@items=4";
    row.result = "no-progress";
    row.count = (struct eng_count){
        .runs = 9, .no_progress_runs = 9, .instances = 9, .outcomes = {[CAT_NO_PROGRESS] = 9}};
    put(store, session, &first, row);
    row.name = "scan.workgroup@items=5";
    row.result = "pass";
    row.rule = "decided 0.01\033[2J";
    row.count = (struct eng_count){.runs = 9, .instances = 9, .outcomes = {9}};
    put(store, session, &first, row);
    assert_true(report_model_load(store, session, &model, &error));
    for (size_t i = 0; i < model.result_count; i++) {
        const struct report_result *result = &model.results[i];
        const struct stat_interval want =
            stat_sequence(result->failed_runs, result->judged, REPORT_CONFIDENCE);
        assert_true(result->interval.low == want.low && result->interval.high == want.high);
    }
    // One always failed, one never, one has no judged run.
    assert_int_equal(report_headlines(&model, 0, &lines), 3);
    const struct stat_interval sum =
        stat_sequence(lines[0].failed_runs, lines[0].judged, REPORT_CONFIDENCE);
    assert_true(lines[0].interval.low == sum.low && lines[0].interval.high == sum.high);
    report_headlines_free(lines, 3);
    report_model_clear(&model);
    text = make(terminal_plain, store, session);
    contains(text,
             "  until decided 0.01: above in 1, below in 1, undecided in 1 of 3 configurations\n"
             "  b84b10aa scan.workgroup@items=1 is undecided: < 0.013 after 300 runs\n");
    // The command that repeats it has the number of runs at which the rule ended.
    contains(text, " b84b1293 ");
    contains(text, "-d 12340000-0000 --seed 0xfedcba9876543210 -n 1000\n");
    lacks(text, "\033");
    free(text);
    text = make(report_markdown, store, session);
    contains(text,
             "until decided 0.01: above in 1, below in 1, undecided in 1 of 3 configurations\n");
    free(text);
    drop_store(&store, folder);
}

static void test_empty_session(void **state)
{
    (void)state;
    char folder[64];
    struct lit_error error = {0};
    struct store *store = make_store(folder);
    struct text out = {0};
    assert_false(report_stored(report_json, store, 0, &out, &error));
    assert_non_null(strstr(error.message, "there is no session"));
    assert_true(out.length == 0);
    int64_t session = begin(store);
    for (size_t i = 0; i < REPORT_FORMS; i++)
        if (report_formats[i].write)
            free(make(report_formats[i].write, store, session));
    free(make(terminal_plain, store, session));
    drop_store(&store, folder);
}

static void check_rate(double rate, int direction, const char *want)
{
    char got[24];
    format_rate(got, rate, direction);
    assert_string_equal(got, want);
}

static void test_formats(void **state)
{
    (void)state;
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

static int write_reports(const char *folder)
{
    char place[64], path[512];
    struct store *store = make_store(place);
    int64_t session = begin(store);
    put_results(store, session);
    for (size_t i = 0; i < REPORT_FORMS; i++) {
        const struct report_format *format = &report_formats[i];
        if (!format->write)
            continue;
        snprintf(path, sizeof(path), "%s/%s.%s", folder, format->name, format->suffix);
        FILE *file = fopen(path, "w");
        char *text = make(format->write, store, session);
        if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
            perror(path);
            return 1;
        }
        free(text);
    }
    drop_store(&store, place);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return write_reports(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),          cmocka_unit_test(test_terminal),
        cmocka_unit_test(test_markdown),      cmocka_unit_test(test_formats),
        cmocka_unit_test(test_empty_session), cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_most_runs),     cmocka_unit_test(test_rules),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
