// SPDX-License-Identifier: Apache-2.0
// Reading over sessions: which results are found and in which order, what is added to what, and
// that a question about one test does not read the whole file.
#include "report/history.h"
#include "store/history.h"
#include "store/private.h"

#include "folder.h"
#include "unit.h"

#include "edit.h"

static char path[128];

static int make_path(void **state)
{
    int status = make_folder(state);
    snprintf(path, sizeof(path), "%s/store.db", folder);
    return status;
}

// A session with one result, but for `name` NULL. Zero-initialise for the usual.
struct make {
    const char *started, *device, *version, *name, *sha256, *stress, *rule, *result;
    uint64_t seed, first, runs, failed, gave_up;
    const char *uuid, *options;
    bool unfinished;
};

static void add(struct store *store, const struct make *make)
{
    struct dev_facts facts = {0};
    char id[DEV_ID_SIZE];
    snprintf(facts.name, sizeof(facts.name), "%s", make->device ? make->device : "GPU A");
    snprintf(facts.driver_version, sizeof(facts.driver_version), "%s",
             make->version ? make->version : "1");
    dev_facts_id(&facts, id);
    struct store_session session = {.version = (char *)"1.0",
                                    .command = (char *)"litmus run",
                                    .started = (char *)make->started,
                                    .system = (char *)"",
                                    .options = (char *)(make->options ? make->options : "{}"),
                                    .seed = make->seed,
                                    .uuid = (char *)make->uuid,
                                    .finished = !make->unfinished};
    static const struct cat_mode equal = {.check = CAT_CHECK_EQUAL};
    struct result result = {.cfg = cfg_parse(make->name ? make->name : "shuffle.a@workgroup=64"),
                            .device_id = id,
                            .result = make->result    ? eng_result_named(make->result)
                                      : make->failed  ? ENG_FAIL
                                      : make->gave_up ? ENG_NO_PROGRESS
                                                      : ENG_PASS,
                            .expectation = CAT_CONTESTED,
                            .mode = &equal,
                            .sha256 = (char *)make->sha256,
                            .stress = (char *)make->stress,
                            .rule = (char *)make->rule,
                            .seed = make->seed,
                            .first = make->first,
                            .count = {.runs = make->runs,
                                      .failed_runs = make->failed,
                                      .no_progress_runs = make->gave_up}};
    assert_true(store_session_begin(store, &session, &error));
    assert_true(store_device_put(store, session.id, 1, &facts, "device", &error));
    must(store_result_put(store, session.id, &result, &error));
    cfg_clear(&result.cfg);
}

static struct store *open_new(void)
{
    struct store *store = store_open(path, &error);
    must(store);
    return store;
}

TEST(test_patterns)
{
    static const struct {
        const char *pattern, *name;
        bool matches;
    } table[] = {
        {"shuffle", "shuffle.a@workgroup=64", true},
        {"shuffle.a", "shuffle.a@workgroup=64", true},
        {"shuffle.*", "shuffle.a/x=1", true},
        {"shuf", "shuffle.a", false},
        {"shuffle.a", "shuffle.ab", false},
        {"shuffle.?", "shuffle.a/x=1", true},
        {"*", "scan.b", true},
        {"shuffle.a@workgroup=64", "shuffle.a@workgroup=64", true},
        {"shuffle.a@workgroup=64", "shuffle.a@workgroup=64,subgroup=8", true},
        {"shuffle.a@workgroup=64", "shuffle.a@workgroup=64,other=8", false},
        {"shuffle.a@workgroup=64,subgroup=16", "shuffle.a@workgroup=64,subgroup=8", false},
        {"shuffle.a/x=1", "shuffle.a/x=1@subgroup=8", true},
        {"shuffle.a/x=1", "shuffle.a/x=1,subgroup=8@workgroup=64", false},
        {"*@workgroup=64", "shuffle.a@workgroup=64,subgroup=8", true},
        {"*/x=1*", "shuffle.a/x=1@workgroup=64", true},
        {"*/x=1*", "shuffle.a@workgroup=64", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (cfg_matches(table[i].pattern, table[i].name) != table[i].matches)
            fail_msg("'%s' and '%s'", table[i].pattern, table[i].name);
}

static bool list(const struct store_past *past, void *user)
{
    text_printf(user, "%s %s %s %.10s %ju/%ju\n", past->name, past->driver->facts.name,
                past->driver->facts.driver_version, past->session->started,
                (uintmax_t)past->failed_runs, (uintmax_t)past->runs);
    return true;
}

static void check_history(const struct store_query *query, const char *want)
{
    OWNED(text_free) struct text text = {0};
    OWNED(store_close) struct store *store = store_open_read(path, &error);
    text_puts(&text, "");
    assert_non_null(store);
    must(store_history(store, query, list, &text, &error));
    assert_string_equal(text.data, want);
}

TEST_IN(test_order, make_path, remove_folder)
{
    struct store *store = open_new();
    // Version 9 came before 10, whatever their letters say, and was measured again after it.
    add(store, &(struct make){.started = "2026-03-01T00:00:00Z", .version = "10", .runs = 3});
    add(store, &(struct make){.started = "2026-01-01T00:00:00Z", .version = "9", .runs = 1});
    add(store, &(struct make){.started = "2026-04-01T00:00:00Z", .version = "9", .runs = 4});
    add(store, &(struct make){.started = "2026-02-01T00:00:00Z", .version = "9", .runs = 2});
    add(store, &(struct make){.started = "2025-01-01T00:00:00Z", .device = "GPU B", .runs = 5});
    add(store, &(struct make){.started = "2027-01-01T00:00:00Z", .name = "scan.b", .runs = 6});
    add(store, &(struct make){.started = "2027-01-01T00:00:00Z", .name = "shuffle.ab", .runs = 7});
    store_close(&store);
    check_history(&(struct store_query){.pattern = "shuffle.a"},
                  "shuffle.a@workgroup=64 GPU A 9 2026-01-01 0/1\n"
                  "shuffle.a@workgroup=64 GPU A 9 2026-02-01 0/2\n"
                  "shuffle.a@workgroup=64 GPU A 9 2026-04-01 0/4\n"
                  "shuffle.a@workgroup=64 GPU A 10 2026-03-01 0/3\n"
                  "shuffle.a@workgroup=64 GPU B 1 2025-01-01 0/5\n");
    check_history(&(struct store_query){.pattern = "s*b"},
                  "scan.b GPU A 1 2027-01-01 0/6\nshuffle.ab GPU A 1 2027-01-01 0/7\n");
    check_history(&(struct store_query){.pattern = "nothing"}, "");
    check_history(&(struct store_query){.pattern = "scan"}, "scan.b GPU A 1 2027-01-01 0/6\n");
}

TEST_IN(test_contained_shards, make_path, remove_folder)
{
    struct store *store = open_new();
    add(store,
        &(struct make){.started = "2026-01-01T00:00:00Z", .uuid = "000000000000000a", .runs = 10});
    add(store, &(struct make){.started = "2026-01-02T00:00:00Z",
                              .uuid = "000000000000000b",
                              .runs = 20,
                              .unfinished = true,
                              .options = "{\"joined\":{\"kind\":\"runs\",\"count\":2,\"members\":"
                                         "[{\"uuid\":\"000000000000000a\",\"index\":0,"
                                         "\"seed\":\"0x1\"}]}}"});
    store_close(&store);
    check_history(&(struct store_query){0}, "shuffle.a@workgroup=64 GPU A 1 2026-01-02 0/20\n");
}

static void load(struct history *history, const char *device)
{
    OWNED(store_close) struct store *store = store_open_read(path, &error);
    assert_non_null(store);
    must(history_load(store, NULL, 0, device, history, &error));
}

// Each line as "VERSION FAILED/JUDGED sN rN", with what it is compared with.
static void check_lines(const char *want)
{
    OWNED(history_clear) struct history history;
    OWNED(text_free) struct text text = {0};
    load(&history, NULL);
    for (size_t i = 0; i < history.line_count; i++) {
        const struct history_line *line = &history.lines[i];
        text_printf(&text, "%s %ju/%ju s%zu r%zu%s", line->driver->facts.driver_version,
                    (uintmax_t)line->failed_runs, (uintmax_t)line->judged, line->sessions,
                    line->repeats, line->other_code ? " code" : "");
        if (line->before)
            text_printf(&text, " %+d from %s %ju/%ju", history_change(line),
                        line->before->driver->facts.driver_version,
                        (uintmax_t)line->before->failed_runs, (uintmax_t)line->before->judged);
        text_puts(&text, "\n");
    }
    assert_string_equal(text.data ? text.data : "", want);
}

#define HASH_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HASH_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

TEST_IN(test_pooling, make_path, remove_folder)
{
    struct store *store = open_new();
    const char *day = "2026-01-01T00:00:00Z";
    // Two seeds are added; the same runs of the same seed again are not, of those that overlap the
    // longer counts; two shards of a seed are added.
    add(store, &(struct make){.started = day, .seed = 1, .runs = 100, .failed = 10});
    add(store, &(struct make){.started = day, .seed = 2, .runs = 100, .failed = 5, .gave_up = 20});
    add(store, &(struct make){.started = day, .seed = 1, .runs = 100, .failed = 90});
    add(store, &(struct make){.started = day, .seed = 2, .runs = 300, .failed = 7, .first = 0});
    add(store, &(struct make){.started = day, .seed = 3, .runs = 50, .failed = 1, .first = 0});
    add(store, &(struct make){.started = day, .seed = 3, .runs = 50, .failed = 1, .first = 50});
    // Neither is a skip counted, nor what ended by a rule added.
    add(store, &(struct make){.started = day, .seed = 4, .result = "skip"});
    add(store, &(struct make){.started = "2026-01-02T00:00:00Z",
                              .seed = 5,
                              .runs = 10,
                              .failed = 1,
                              .rule = "width 0.1"});
    add(store, &(struct make){.started = "2026-01-03T00:00:00Z",
                              .seed = 6,
                              .runs = 20,
                              .failed = 2,
                              .rule = "width 0.1"});
    add(store, &(struct make){
                   .started = "2026-01-04T00:00:00Z", .seed = 7, .runs = 30, .stress = "heavy"});
    store_close(&store);
    OWNED(history_clear) struct history history;
    load(&history, NULL);
    assert_int_equal(history.line_count, 4);
    // Of seed 1 either of the two may stand: the same runs.
    const struct history_line *line = &history.lines[0];
    assert_int_equal(line->repeats, 2);
    assert_int_equal(line->judged, 100 + 300 + 100);
    assert_true(line->failed_runs == 10 + 7 + 2 || line->failed_runs == 90 + 7 + 2);
    assert_string_equal(history.lines[1].rule, "width 0.1");
    assert_int_equal(history.lines[2].judged, 20);
    assert_string_equal(history.lines[3].stress, "heavy");
    assert_null(history.lines[3].before);
}

TEST_IN(test_changes, make_path, remove_folder)
{
    static const struct {
        uint64_t failed;
        const char *sha256;
    } days[] = {{10, HASH_A}, {11, HASH_A}, {100, HASH_A}, {0, HASH_B}, {0, HASH_A}};
    struct store *store = open_new();
    for (unsigned i = 0; i < 5; i++) {
        char started[32], version[2] = {(char)('1' + i), '\0'};
        snprintf(started, sizeof started, "2026-01-%02uT00:00:00Z", i + 1);
        add(store, &(struct make){.started = started,
                                  .version = version,
                                  .seed = i + 1,
                                  .runs = 1000,
                                  .failed = days[i].failed,
                                  .sha256 = days[i].sha256});
    }
    store_close(&store);
    check_lines("1 10/1000 s1 r0\n"
                "2 11/1000 s1 r0 +0 from 1 10/1000\n"
                "3 100/1000 s1 r0 +1 from 2 11/1000\n"
                "4 0/1000 s1 r0 code\n"
                "5 0/1000 s1 r0 code -1 from 3 100/1000\n");
}

TEST(test_names_of_drivers)
{
    struct store_driver driver = {.id = "0123456789abcdef"};
    snprintf(driver.facts.name, sizeof(driver.facts.name), "Example GPU 9000");
    snprintf(driver.facts.driver_version, sizeof(driver.facts.driver_version), "25.0.7");
    assert_true(history_names_driver("gpu 9", &driver));
    assert_true(history_names_driver("EXAMPLE*", &driver));
    assert_true(history_names_driver("0123456789abcdef", &driver));
    assert_true(history_names_driver("25.0.7", &driver));
    assert_false(history_names_driver("25.0", &driver));
    assert_false(history_names_driver("other", &driver));
}

// How much of the file is read

#define SESSIONS 101 // with that whose device the others share
#define RESULTS  2000

static const char fill[] =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
    "WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 100)"
    " INSERT INTO session (id, version, command, started, system, seed, runs, finished, options, "
    "uuid)"
    " SELECT i + 1, '', '', printf('2026-%05d', i), '', '0x1', 10, 1, '{}', printf('%016x', i) "
    "FROM c;"
    "INSERT INTO device SELECT id, 1, (SELECT id FROM device), 'device', 'GPU', '', '', '',"
    " zeroblob(16), zeroblob(16), 0, 0, 0, 0, 0, 0, '', 32, 32, 32, 0, 0, 0, 0, 0, '0x0', '', 0"
    " FROM session WHERE id NOT IN (SELECT session FROM device);"
    "WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 2000)"
    " INSERT INTO result (session, device, name, result, reason, expectation, sha256, headline, "
    "seed,"
    " checked_as, runs, failed_runs, no_progress_runs, first_run_failed, instances,"
    " failed_instances, seconds)"
    " SELECT session.id, device.id, printf('family%d.test-%d@workgroup=%d', i % 7, i % 88, i),"
    " 'pass', '', 'forbidden', '', '', printf('0x%x', session.id), 'equal', 10, 0, 0, 0, 10, 0, 1"
    " FROM session JOIN device ON device.session = session.id, c;"
    "INSERT INTO outcome SELECT id, 0, 10 FROM result WHERE runs > 0";

struct work {
    int64_t steps;     // of SQLite's machine
    int64_t full_scan; // rows that a scan without an index went over
};

static int count_work(unsigned kind, void *user, void *statement, void *nanoseconds)
{
    struct work *work = user;
    work->steps += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);
    work->full_scan += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
    return 0;
}

static bool count_rows(const struct store_past *past, void *user)
{
    ++*(size_t *)user;
    return true;
}

static void make_large(void)
{
    struct store *store = open_new();
    add(store, &(struct make){.started = "2026", .name = "other.test", .device = "GPU"});
    store_close(&store);
    edit_store(path, fill);
}

static bool any_result(struct result *result, void *user)
{
    ++*(size_t *)user;
    return true;
}

TEST_IN(test_work, make_path, remove_folder)
{
    struct work work = {0};
    size_t rows = 0;
    struct store_index index;
    make_large();
    OWNED(store_close) struct store *store = store_open_read(path, &error);
    assert_non_null(store);
    sqlite3_trace_v2(store->db, SQLITE_TRACE_PROFILE, count_work, &work);

    // The sessions and drivers: their own tables, a row for each session.
    assert_true(store_index_load(store, false, &index, &error));
    assert_true(work.full_scan < 4 * SESSIONS);
    assert_true(work.steps < 20000);
    store_index_clear(&index);

    // One test: its rows, and those that tell its neighbours apart.
    work = (struct work){0};
    assert_true(store_history(store, &(struct store_query){.pattern = "family3.test-3"}, count_rows,
                              &rows, &error));
    assert_int_equal(rows, SESSIONS * 4);
    assert_true(work.full_scan < 4 * SESSIONS);
    assert_true(work.steps < 40000);

    // A glob that begins with a wildcard looks at every name once, not at every row.
    work = (struct work){0};
    rows = 0;
    assert_true(store_history(store, &(struct store_query){.pattern = "*.test-3@workgroup=3"},
                              count_rows, &rows, &error));
    assert_int_equal(rows, SESSIONS);
    assert_true(work.full_scan < 4 * SESSIONS);
    assert_true(work.steps < 120000);

    // A session's own results.
    work = (struct work){0};
    rows = 0;
    assert_true(store_results(store, 50, any_result, &rows, &error));
    assert_int_equal(rows, RESULTS);
    assert_true(work.full_scan == 0);

    // What counts a driver's results reads an index that has little else in it.
    work = (struct work){0};
    assert_true(store_index_load(store, true, &index, &error));
    assert_int_equal(index.drivers[0].results, SESSIONS * RESULTS + 1);
    assert_true(work.steps < 10 * SESSIONS * RESULTS);
    store_index_clear(&index);
}
