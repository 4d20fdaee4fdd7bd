// SPDX-License-Identifier: Apache-2.0
// What the CPU side's work costs, for tests/perf/guard.py: each piece of work is done N times and
// 2 N times, and callgrind, under which this runs, writes down the instructions of either. So do
// references: work that cannot be avoided, or that other code does, in whose costs limits are
// stated, because a count by itself depends on the compiler and the libraries.
//
// usage: valgrind --tool=callgrind --instr-atstart=no perf-cost FOLDER
#include "base/random.h"
#include "catalogue/catalogue.h"
#include "engine/plan.h"
#include "catalogue/prepare.h"
#include "engine/protocol.h"
#include "report/history.h"
#include "report/report.h"
#include "session/session.h"
#include "stats/stats.h"
#include "store/store.h"

#include "large.h"

#include <jansson.h>
#include <math.h>
#include <sqlite3.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#define BATCHES    4 // of each result that is stored
#define WORKGROUPS 4 // of a configuration whose input and expectation are made

static const char *scratch;    // the folder
static struct cat_case *cases; // of all tests, for one subgroup size
static char **names;           // of the same
static size_t case_count;
static struct eng_prepared *prepared;         // every fifth configuration of a default run
static size_t prepared_count, expected_words; // of them together
static volatile double sink;                  // so that nothing is optimised away

__attribute__((noreturn)) static void die(const char *what)
{
    fprintf(stderr, "perf-cost: %s\n", what);
    exit(1);
}

static const struct dev_facts facts = {.name = "Example GPU",
                                       .driver_name = "example",
                                       .driver_info = "Example 1.2.3",
                                       .driver_version = "1.2.3",
                                       .type = "cpu",
                                       .cpu = true,
                                       .subgroup = 32,
                                       .subgroup_min = 8,
                                       .subgroup_max = 64,
                                       .subgroup_control = true,
                                       .max_workgroup = 1024,
                                       .max_workgroups = 65535,
                                       .max_shared = 32768,
                                       .max_storage_buffer = UINT64_C(1) << 30,
                                       .features = UINT64_MAX};

static void keep_case(const struct cat_case *which, void *user)
{
    (void)user;
    if (cases) {
        struct text name = {0};
        struct cat_case bare = *which;
        bare.subgroup = 0;
        cat_case_name(&bare, &name);
        names[case_count] = name.data;
        cases[case_count] = *which;
    }
    case_count++;
}

static void keep_cases(void)
{
    for (int pass = 0; pass < 2; pass++) {
        if (pass) {
            cases = lit_alloc(case_count, sizeof *cases);
            names = lit_alloc(case_count, sizeof *names);
            case_count = 0;
        }
        for (size_t t = 0; t < cat_test_count(); t++)
            cat_test_each(cat_test_at(t), facts.subgroup, keep_case, NULL);
    }
}

static void prepare_all(void)
{
    const struct cat_selection all = {0};
    OWNED(eng_plan_clear) struct eng_plan plan = eng_plan_make(&all, &facts, false, 0);
    prepared = lit_alloc(plan.count, sizeof *prepared);
    size_t tests = 0;
    for (size_t i = 0; i < plan.count; i++) {
        // Of a fourth of the tests one, by their names, so that another test changes little.
        const struct cat_test *test = plan.cases[i].test;
        if ((i && test == plan.cases[i - 1].test) || strlen(test->head.name) % 4 != 1)
            continue;
        tests++;
        struct eng_prepared *one = &prepared[prepared_count];
        struct lit_error error = {0};
        const struct eng_prepare prepare = {.which = &plan.cases[i],
                                            .facts = &facts,
                                            .scale = WORKGROUPS,
                                            .most_words = UINT64_C(1) << 28};
        if (!eng_prepare(&prepare, one, &error))
            continue;
        expected_words += one->shape.instances * one->shape.words_per_instance *
                          cat_check_stride(one->oracle->check);
        prepared_count++;
    }
    if (prepared_count * 10 < tests * 9)
        die("a tenth of the tests cannot be made ready");
}

// ---- a batch that the worker reports

static struct eng_event some_batch(void)
{
    struct eng_event event = {.kind = ENG_EVENT_BATCH, .fresh = true};
    struct eng_count *count = &event.count;
    *count = (struct eng_count){.runs = 256, .failed_runs = 2, .instances = 16384, .seconds = 0.05};
    count->outcomes[CAT_RIGHT] = 16382;
    count->outcomes[2] = 2;
    count->failed_instances = count->failure_count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        event.failures[i].at = (struct cat_failure){
            .run = 17 + i, .instance = 63, .word = 9, .got = 0xC0DEDEAD, .want = 1, .outcome = 2};
        snprintf(event.failures[i].where, sizeof event.failures[i].where, "lane 31, iteration 9");
    }
    return event;
}

static void write_batches(size_t count)
{
    struct eng_event event = some_batch();
    for (size_t i = 0; i < count; i++) {
        OWNED(text_free) struct text line = {0};
        eng_event_write(&event, &line);
        sink = (double)line.length;
    }
}

static struct text batch_line(void)
{
    struct eng_event event = some_batch();
    struct text line = {0};
    eng_event_write(&event, &line);
    line.data[--line.length] = '\0';
    return line;
}

static void parse(const struct text *line)
{
    struct eng_event event;
    struct lit_error error = {0};
    if (!eng_event_parse(line->data, line->length, &event, &error))
        die(error.message);
}

static void parse_batches(size_t count)
{
    OWNED(text_free) struct text line = batch_line();
    for (size_t i = 0; i < count; i++)
        parse(&line);
}

// What the guard has to notice: every second line twice, and a line more often the later it comes.

static void parse_more(size_t count)
{
    OWNED(text_free) struct text line = batch_line();
    for (size_t i = 0; i < count; i++) {
        parse(&line);
        if (i % 2)
            parse(&line);
    }
}

static void parse_ever_more(size_t count)
{
    OWNED(text_free) struct text line = batch_line();
    for (size_t i = 0; i < count; i++)
        for (size_t again = 0; again <= i / 16; again++)
            parse(&line);
}

static void read_json(size_t count)
{
    OWNED(text_free) struct text line = batch_line();
    for (size_t i = 0; i < count; i++) {
        json_auto_t *json = json_loadb(line.data, line.length, 0, NULL);
        if (!json)
            die("jansson does not read the line");
    }
}

// ---- the store

static struct store *make_store(const char *file, int64_t *session)
{
    struct lit_error error = {0};
    OWNED(text_free) struct text path = text_format("%s/%s", scratch, file);
    unlink(path.data);
    struct store *store = store_open(path.data, &error);
    struct store_session begun = {.version = (char *)"1.0.0",
                                  .command = (char *)"litmus --all",
                                  .started = (char *)"2026-11-21T02:09:00Z",
                                  .system = (char *)"Linux",
                                  .seed = 1,
                                  .runs = 1000,
                                  .options = (char *)"{}"};
    if (!store || !store_session_begin(store, &begun, &error) ||
        !store_device_put(store, begun.id, 1, &facts, "device", &error))
        die(error.message);
    *session = begun.id;
    return store;
}

static void put_result(struct store *store, int64_t session, size_t number, unsigned batches)
{
    char id[DEV_ID_SIZE];
    struct lit_error error = {0};
    dev_facts_id(&facts, id);
    const struct cat_case *which = &cases[number % case_count];
    const struct cat_module *module = cat_case_module(which);
    const struct cat_mode mode = cat_mode_of(which->test->oracle);
    struct result result = {.cfg = cfg_parse(names[number % case_count]),
                            .device_id = id,
                            .result = ENG_FAIL,
                            .reason = (char *)"",
                            .expectation = cat_case_expectation(which, NULL),
                            .sha256 = (char *)(module ? module->sha256 : ""),
                            .headline = (char *)"",
                            .stress = (char *)"",
                            .rule = (char *)"",
                            .seed = 1,
                            .mode = &mode};
    struct eng_event event = some_batch();
    for (unsigned i = 0; i < batches; i++) {
        eng_result_add(&result, &event.count, event.failures, 0, i == 0);
        if (!store_result_put(store, session, &result, &error))
            die(error.message);
    }
    free(result.failures);
    free(result.pieces);
    cfg_clear(&result.cfg);
}

static void store_batches(size_t count)
{
    int64_t session;
    OWNED(store_close) struct store *store = make_store("put.db", &session);
    for (size_t i = 0; i < count; i++)
        put_result(store, session, i, BATCHES);
}

static void run_sql(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        die(sqlite3_errmsg(db));
}

// One row of as many bytes in one transaction, by SQLite alone.
static void insert_rows(size_t count)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *insert = NULL;
    OWNED(text_free) struct text path = text_format("%s/bare.db", scratch);
    unlink(path.data);
    if (sqlite3_open(path.data, &db) != SQLITE_OK)
        die("SQLite opens no file");
    run_sql(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE, a INTEGER, b INTEGER)");
    sqlite3_prepare_v2(db, "INSERT INTO t (name, a, b) VALUES (?, ?, ?)", -1, &insert, NULL);
    for (size_t i = 0; i < count; i++) {
        run_sql(db, "BEGIN IMMEDIATE");
        sqlite3_bind_text(insert, 1, names[i % case_count], -1, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 2, (int64_t)i);
        sqlite3_bind_int64(insert, 3, 1000);
        if (sqlite3_step(insert) != SQLITE_DONE)
            die(sqlite3_errmsg(db));
        sqlite3_reset(insert);
        run_sql(db, "COMMIT");
    }
    sqlite3_finalize(insert);
    sqlite3_close(db);
}

// ---- reports

static struct store *filled[3]; // with `count` and 2 `count` results, by the factor
static int64_t filled_session[3];

static void fill(size_t count)
{
    struct lit_error error = {0};
    for (size_t factor = 1; factor <= 2; factor++) {
        const char *file = factor == 1 ? "one.db" : "two.db";
        filled[factor] = make_store(file, &filled_session[factor]);
        for (size_t i = 0; i < factor * count; i++)
            put_result(filled[factor], filled_session[factor], i, 1);
        if (!store_session_finish(filled[factor], filled_session[factor], &error))
            die(error.message);
    }
}

static size_t fill_count;

static bool look(struct result *result, void *user)
{
    (void)user;
    sink += (double)result->count.runs;
    return true;
}

static void read_results(size_t count)
{
    struct lit_error error = {0};
    const size_t factor = count / fill_count;
    if (!store_results(filled[factor], filled_session[factor], look, NULL, &error))
        die(error.message);
}

static void report_stored(struct store *store, int64_t session, report_function *write)
{
    OWNED(text_free) struct text out = {0};
    OWNED(report_model_clear) struct report_model model;
    struct lit_error error = {0};
    if (!report_model_load(store, session, &model, &error))
        die(error.message);
    write(&model, &out);
}

static void report(size_t count, report_function *write)
{
    const size_t factor = count / fill_count;
    report_stored(filled[factor], filled_session[factor], write);
}

static void report_as_json(size_t count)
{
    report(count, report_json);
}

static void report_as_text(size_t count)
{
    report(count, report_text);
}

// ---- questions about many sessions

#define SESSIONS        20
#define SESSION_RESULTS 200

static struct store *many[3]; // with SESSIONS and 2 SESSIONS sessions, by the factor

static void make_many(void)
{
    struct lit_error error = {0};
    for (size_t factor = 1; factor <= 2; factor++) {
        OWNED(text_free) struct text path = text_format("%s/many%zu.db", scratch, factor);
        if (!large_make(path.data, (int64_t)factor * SESSIONS, SESSION_RESULTS, &error) ||
            !(many[factor] = store_open_read(path.data, &error)))
            die(error.message);
    }
}

// Of the newest session.
static void report_one_of_many(size_t count, report_function *write)
{
    report_stored(many[count / SESSIONS], (int64_t)count, write);
}

static void report_many_as_html(size_t count)
{
    report_one_of_many(count, report_html);
}

static void report_many_as_json(size_t count)
{
    report_one_of_many(count, report_json);
}

static void read_history(size_t count)
{
    OWNED(history_clear) struct history history;
    struct lit_error error = {0};
    if (!history_load(many[count / SESSIONS], NULL, 0, NULL, &history, &error))
        die(error.message);
    sink += (double)history.line_count;
}

// ---- statistics

static void intervals(size_t count)
{
    for (size_t i = 0; i < count; i++)
        sink += stat_clopper_pearson(1 + i % 400, 1000, 0.95).high;
}

static void gammas(size_t count)
{
    for (size_t i = 0; i < count; i++)
        sink += lgamma(1.5 + (double)i);
}

// ---- the plan

static void visit(const struct cat_case *which, void *user)
{
    (void)user;
    sink += which->axis[0];
}

// Every configuration of the catalogue, `count` times.
static void walk(size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < cat_test_count(); t++)
            cat_test_each(cat_test_at(t), facts.subgroup, visit, NULL);
}

static void make_plan(const struct cat_selection *selection)
{
    OWNED(eng_plan_clear) struct eng_plan plan;
    struct lit_error error = {0};
    if (!cat_selection_check(selection, &error))
        die(error.message);
    plan = eng_plan_make(selection, &facts, false, 0);
    if (plan.count == 0 || (selection->count > 1 && plan.count < selection->count))
        die("the plan is too short");
}

static void plan_all(size_t count)
{
    const struct cat_selection all = {0};
    for (size_t i = 0; i < count; i++)
        make_plan(&all);
}

// A plan of `count` configurations that are named one by one, from all over the catalogue.
static void plan_named(size_t count)
{
    OWNED(lit_free) const char **patterns = lit_alloc(count, sizeof *patterns);
    for (size_t i = 0; i < count; i++)
        patterns[i] = names[i * (case_count / count)];
    make_plan(&(struct cat_selection){.patterns = patterns, .count = count, .thorough = false});
}

static void find_modules(size_t count)
{
    for (size_t i = 0; i < count; i++)
        sink += cat_case_module(&cases[i * 7 % case_count]) != NULL;
}

static void name_cases(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        OWNED(text_free) struct text name = {0};
        cat_case_name(&cases[i * 7 % case_count], &name);
        sink += (double)name.length;
    }
}

// ---- what a right device would store

// Input and expectation of a configuration of every test, `count` times.
static void expect_all(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < prepared_count; c++) {
            eng_prepare_data(&prepared[c], i);
            sink += prepared[c].expected[0];
            eng_prepared_clear(&prepared[c]);
        }
    }
}

// A random number for each word that is expected.
static void draw_words(size_t count)
{
    struct lit_random random = {1};
    for (size_t i = 0; i < count * expected_words; i++)
        sink = (double)random_next(&random);
}

// ---- all of it

static const struct {
    const char *name;
    void (*work)(size_t count);
    size_t count;
} rows[] = {
    {"json", read_json, 50},
    {"event-write", write_batches, 50},
    {"event-parse", parse_batches, 50},
    {"event-parse-more", parse_more, 50},
    {"event-parse-ever-more", parse_ever_more, 50},
    {"insert", insert_rows, 50},
    {"result-store", store_batches, 25},
    {"result-read", read_results, 50},
    {"report-json", report_as_json, 50},
    {"report-text", report_as_text, 50},
    {"many-html", report_many_as_html, SESSIONS},
    {"many-json", report_many_as_json, SESSIONS},
    {"history", read_history, SESSIONS},
    {"lgamma", gammas, 1000},
    {"interval", intervals, 50},
    {"walk", walk, 1},
    {"plan", plan_all, 1},
    {"plan-named", plan_named, 50},
    {"name", name_cases, 500},
    {"module-find", find_modules, 500},
    {"draw", draw_words, 1},
    {"expect", expect_all, 1},
};

static void count_once(const char *name, void (*work)(size_t count), size_t count)
{
    char label[64];
    snprintf(label, sizeof label, "%s %zu", name, count);
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
    work(count);
    CALLGRIND_DUMP_STATS_AT(label);
    CALLGRIND_STOP_INSTRUMENTATION;
}

int main(int argc, char **argv)
{
    // Without the folder: what every program of this size costs before its main function.
    if (argc != 2)
        return 0;
    scratch = argv[1];
    report_known = &ses_known;
    keep_cases();
    prepare_all();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!strcmp(rows[i].name, "result-read"))
            fill(fill_count = rows[i].count);
        if (!strcmp(rows[i].name, "many-html"))
            make_many();
        rows[i].work(many[1]      ? SESSIONS
                     : fill_count ? fill_count
                                  : 1); // what is made once is not counted
        count_once(rows[i].name, rows[i].work, rows[i].count);
        count_once(rows[i].name, rows[i].work, 2 * rows[i].count);
    }
    for (size_t factor = 1; factor <= 2; factor++) {
        store_close(&filled[factor]);
        store_close(&many[factor]);
    }
    for (size_t i = 0; i < case_count; i++)
        free(names[i]);
    free(names);
    free(cases);
    free(prepared);
    return 0;
}
