// SPDX-License-Identifier: Apache-2.0
// The store: what is written comes back, whatever ends the writer; files that are not ours are
// refused with one line and left alone.
#include "store/store.h"

#include "folder.h"
#include "unit.h"

#include "edit.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#ifndef _WIN32
#include <sys/wait.h>
#endif
#include <unistd.h>

static char path[128];

static int make_path(void **state)
{
    int status = make_folder(state);
    snprintf(path, sizeof(path), "%s/litmus.db", folder);
    return status;
}

static const struct dev_facts facts = {.name = "Example GPU",
                                       .driver_name = "example",
                                       .driver_info = "Example 1.2.3 | <b>",
                                       .driver_version = "1.2.3",
                                       .device_uuid = {0, 1, 2, 3, 255},
                                       .driver_uuid = {9, 0, 9},
                                       .driver_id = 13,
                                       .vendor = 0xffff,
                                       .product = 0xffffffff,
                                       .api = 1u << 22 | 3 << 12 | 7,
                                       .driver_raw = 0x80000001,
                                       .cpu = true,
                                       .type = "cpu",
                                       .subgroup = 32,
                                       .subgroup_min = 4,
                                       .subgroup_max = 128,
                                       .subgroup_control = true,
                                       .max_workgroup = 1024,
                                       .max_workgroups = 65535,
                                       .max_shared = 32768,
                                       .max_storage_buffer = 1ull << 40,
                                       .features = 0xffffffffffffffff};

static struct store *open_good(void)
{
    struct store *store = store_open(path, &error);
    must(store);
    return store;
}

static int64_t begin(struct store *store)
{
    struct store_session session = {.version = "1.0.0",
                                    .command = "litmus run 'it''s'; DROP TABLE result",
                                    .started = "2026-11-21T02:09:00Z",
                                    .system = "Linux 6.1 x86_64",
                                    .seed = UINT64_MAX,
                                    .runs = 1000,
                                    .options = "{\"all\":true}"};
    assert_true(store_session_begin(store, &session, &error));
    assert_true(session.id > 0);
    assert_true(store_device_put(store, session.id, 1, &facts, "device", &error));
    return session.id;
}

static const struct cat_mode tags = {.check = CAT_CHECK_TAG};

static struct result make_result(uint64_t runs)
{
    static char id[DEV_ID_SIZE];
    dev_facts_id(&facts, id);
    static struct eng_failure failure = {.at = {.run = 1,
                                                .instance = 1ull << 50,
                                                .word = 3,
                                                .got = 0xffffffff,
                                                .want = 0x5a000001,
                                                .outcome = 5},
                                         .where = "lane 31, iteration 9"};
    struct result result = {
        .name = "shuffle.scan-loop/sync=none@workgroup=64",
        .device_id = id,
        .result = ENG_PARTIAL,
        .reason = "",
        .expectation = CAT_CONTESTED,
        .sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        .headline = "shuffle hazard",
        .seed = 0x8000000000000001,
        .mode = &tags,
        .failures = &failure,
        .count = {.runs = runs,
                  .failed_runs = (runs + 1) / 2,
                  .no_progress_runs = runs > 1,
                  .first_run_failed = true,
                  .instances = runs * 100,
                  .failed_instances = runs,
                  .outcomes = {[0] = runs * 99 - (runs > 1 ? 100 : 0),
                               [5] = runs,
                               [CAT_NO_PROGRESS] = runs > 1 ? 100 : 0},
                  .failure_count = 1,
                  .seconds = 0.25},
    };
    return result;
}

static bool put_result(struct store *store, int64_t session, struct result *result,
                       struct lit_error *error)
{
    OWNED(cfg_clear) struct cfg cfg = cfg_parse(result->name);
    struct result whole = *result;
    whole.cfg = cfg;
    return store_result_put(store, session, &whole, error);
}

static void put(struct store *store, int64_t session, uint64_t runs)
{
    struct result result = make_result(runs);
    must(put_result(store, session, &result, &error));
}

static uint64_t stored_runs(struct store *store, int64_t session)
{
    struct lit_error error = {0};
    struct result want = make_result(0), got;
    if (!store_result_get(store, session, want.device_id, want.name, &got, &error)) {
        assert_string_equal(error.message, "");
        return 0;
    }
    uint64_t runs = got.count.runs;
    eng_result_clear(&got);
    return runs;
}

static bool check_facts(struct eng_device *device, void *user)
{
    const struct dev_facts *got = &device->facts;
    assert_int_equal(device->number, 1);
    assert_string_equal(device->checker, "host: why");
    assert_string_equal(got->driver_info, facts.driver_info);
    assert_memory_equal(got->device_uuid, facts.device_uuid, 16);
    assert_int_equal(got->product, facts.product);
    assert_int_equal(got->max_storage_buffer, facts.max_storage_buffer);
    assert_true(got->features == facts.features);
    char was[DEV_ID_SIZE], is[DEV_ID_SIZE];
    dev_facts_id(&facts, was);
    dev_facts_id(got, is);
    assert_string_equal(was, is);
    *(int *)user += 1;
    return true;
}

static bool check_result(struct result *got, void *user)
{
    struct result want = make_result(20);
    assert_string_equal(got->name, want.name);
    assert_string_equal(got->headline, want.headline);
    assert_true(got->seed == want.seed);
    assert_memory_equal(got->mode, want.mode, sizeof *want.mode);
    assert_true(got->failures->at.instance == want.failures->at.instance);
    assert_int_equal(got->failures->at.outcome, want.failures->at.outcome);
    assert_string_equal(got->failures->where, want.failures->where);
    assert_memory_equal(&got->count, &want.count, sizeof(want.count));
    *(int *)user += 1;
    return true;
}

TEST_IN(test_round_trip, make_path, remove_folder)
{
    struct store *store = open_good();
    assert_string_equal(store_path(store), path);
    int64_t id = begin(store);
    put(store, id, 10);
    put(store, id, 20); // replaces
    // What is known of it stays, but once the host checks that is said.
    struct dev_facts others = facts;
    strcpy(others.driver_info, "other");
    assert_true(store_device_put(store, id, 1, &others, "host: why", &error));
    assert_true(store_device_put(store, id, 1, &others, "device", &error));
    assert_int_equal(stored_runs(store, id), 20);
    store_close(&store);
    assert_null(store);

    store = store_open_read(path, &error);
    assert_non_null(store);
    OWNED(store_session_clear) struct store_session session;
    assert_true(store_session_load(store, 0, true, &session, &error));
    assert_string_equal(session.command, "litmus run 'it''s'; DROP TABLE result");
    assert_string_equal(session.options, "{\"all\":true}");
    assert_true(session.seed == UINT64_MAX);
    assert_int_equal(session.runs, 1000);
    assert_false(session.finished);
    int devices = 0, results = 0;
    assert_true(store_devices(store, session.id, check_facts, &devices, &error));
    assert_true(store_results(store, session.id, check_result, &results, &error));
    assert_int_equal(devices, 1);
    assert_int_equal(results, 1);
    struct result missing = make_result(1);
    missing.name = "no.such";
    assert_false(put_result(store, session.id, &missing, &error)); // opened for reading
    store_session_clear(&session);
    store_close(&store);
}

TEST_IN(test_sessions, make_path, remove_folder)
{
    OWNED(store_close) struct store *store = open_good();
    struct store_session session;
    must_fail("there is no session in it", store_session_load(store, 0, false, &session, &error));
    int64_t first = begin(store);
    int64_t second = begin(store);
    assert_true(second > first);
    assert_true(store_session_finish(store, second, &error));
    assert_true(store_session_load(store, 0, false, &session, &error));
    assert_true(session.id == second && session.finished);
    store_session_clear(&session);
    assert_true(store_session_load(store, 0, true, &session, &error));
    assert_true(session.id == first);
    store_session_clear(&session);
    must_fail("no session 77", store_session_load(store, 77, false, &session, &error));
    // A result belongs to a device of its session.
    struct result result = make_result(1);
    result.device_id = "0000000000000000";
    assert_false(put_result(store, first, &result, &error));
    assert_int_equal(stored_runs(store, first), 0);
    // Counts that cannot be are refused where they arise.
    result = make_result(4);
    result.count.failed_runs = 5;
    assert_false(put_result(store, first, &result, &error));
    put(store, first, 4);
    assert_int_equal(stored_runs(store, first), 4);
}

static void write_file(const char *bytes, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), size);
    close(file);
}

// Both ways to open fail with a message that has `part`, and one line.
static void check_refused(const char *part)
{
    must_fail(part, store_open(path, &error));
    assert_int_equal(error.code, LIT_EXIT_USAGE);
    must_fail(part, store_open_read(path, &error));
}

static void execute(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

TEST_IN(test_strange_files, make_path, remove_folder)
{
    must_fail("no such file", store_open_read(path, &error));
    assert_true(access(path, F_OK) != 0);

    write_file("", 0);
    must_fail("empty", store_open_read(path, &error));
    struct store *store = open_good();
    begin(store);
    store_close(&store);

    static const char words[] = "These are my notes, not a database. Keep them!\n";
    write_file(words, strlen(words));
    check_refused("not a litmus store");
    write_file("x", 1);
    check_refused("not a litmus store");
    OWNED(lit_free) char *noise = lit_alloc(100000, 1);
    for (size_t i = 0; i < 100000; i++)
        noise[i] = (char)(i * 2654435761u >> 13);
    write_file(noise, 100000);
    check_refused("not a litmus store");

    unlink(path);
    execute("CREATE TABLE mail (text)");
    check_refused("of another program");
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    check_refused("not a regular file");
    assert_int_equal(rmdir(path), 0);
}

TEST_IN(test_damage, make_path, remove_folder)
{
    struct store *store = open_good();
    int64_t id = begin(store);
    put(store, id, 10);
    store_close(&store);
    static const char *const damages[] = {
        "UPDATE result SET result = 'splendid'",
        "UPDATE result SET result = 'pass', expectation = 'hoped'",
        "UPDATE result SET expectation = 'forbidden', seed = 'x'",
        "UPDATE result SET seed = '0x1', sha256 = '<script>'",
        "UPDATE result SET sha256 = ''; UPDATE outcome SET instances = 9223372036854775807",
        "UPDATE outcome SET instances = 1, outcome = outcome + 20",
        "DELETE FROM outcome; UPDATE failure SET got = -1",
        "UPDATE failure SET got = 1, outcome = 99",
        "PRAGMA ignore_check_constraints = 1; UPDATE failure SET outcome = 1;"
        " UPDATE result SET failed_runs = 11",
    };
    int results = 0;
    for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
        edit_store(path, damages[i]);
        store = store_open_read(path, &error);
        assert_non_null(store);
        must_fail("the file is damaged (the result of shuffle.scan-loop",
                  store_results(store, id, check_result, &results, &error));
        store_close(&store);
    }
    execute("UPDATE device SET driver_id = -1");
    store = store_open_read(path, &error);
    assert_false(store_devices(store, id, check_facts, &results, &error));
    store_close(&store);
}

TEST_IN(test_other_tables, make_path, remove_folder)
{
    struct store *store = open_good();
    put(store, begin(store), 10);
    store_close(&store);
    execute("DROP INDEX result_device; CREATE INDEX result_device ON result (session, device)");
    check_refused("its tables have changed");
    execute("DROP TABLE failure; DROP TABLE outcome");
    check_refused("its tables have changed");
}

static const struct cat_mode choosing = {
    .check = CAT_CHECK_CHOICE,
    .choice = {.names = {"flag and data", "neither", "data only", "flag without data", "else"},
               .fails = 1u << 3 | 1u << 4},
};

static void put_choosing(struct store *store, int64_t session)
{
    struct result result = make_result(10);
    result.name = "memory.message@workgroup=64";
    result.mode = &choosing;
    must(put_result(store, session, &result, &error));
}

TEST_IN(test_choices, make_path, remove_folder)
{
    struct store *store = open_good();
    int64_t id = begin(store);
    put(store, id, 20);
    put_choosing(store, id);
    put_choosing(store, id); // as after the next batch
    struct result want = make_result(1), got;
    assert_true(
        store_result_get(store, id, want.device_id, "memory.message@workgroup=64", &got, &error));
    assert_memory_equal(got.mode, &choosing, sizeof choosing);
    eng_result_clear(&got);
    assert_true(store_result_get(store, id, want.device_id, want.name, &got, &error));
    assert_int_equal(got.mode->check, CAT_CHECK_TAG);
    assert_string_equal(got.mode->choice.names[0], "");
    eng_result_clear(&got);
    store_close(&store);

    int results = 0;
    edit_store(path, "UPDATE choice SET fails = 1 WHERE place = 0");
    store = store_open_read(path, &error);
    must_fail("the file is damaged (the result of memory.message",
              store_results(store, id, check_result, &results, &error));
    store_close(&store);
}

static void get(struct store *store, int64_t session, struct result *got)
{
    const struct result want = make_result(1);
    must(store_result_get(store, session, want.device_id, want.name, got, &error));
}

// Lines stay, whatever a terminal would obey does not, and each text has its bound.
TEST_IN(test_evidence, make_path, remove_folder)
{
    static char large[2 * ENG_EVIDENCE_SIZE];
    struct result result = make_result(10), got;
    struct store *store = open_good();
    const int64_t id = begin(store);
    memset(large, 'x', sizeof large - 1);
    result.evidence[ENG_EVIDENCE_WORDS] = "abort\n\tin \x1b[1mcompile\r\n";
    result.evidence[ENG_EVIDENCE_KERNEL] = large;
    result.evidence[ENG_EVIDENCE_CORE] = "";
    assert_true(put_result(store, id, &result, &error));
    get(store, id, &got);
    assert_string_equal(got.evidence[ENG_EVIDENCE_WORDS], "abort\n in ?[1mcompile?\n");
    assert_int_equal(strlen(got.evidence[ENG_EVIDENCE_KERNEL]), ENG_EVIDENCE_SIZE - 1);
    assert_null(got.evidence[ENG_EVIDENCE_BACKTRACE]);
    assert_null(got.evidence[ENG_EVIDENCE_CORE]);
    eng_result_clear(&got);
    put(store, id, 20);
    get(store, id, &got);
    for (size_t i = 0; i < ENG_EVIDENCES; i++)
        assert_null(got.evidence[i]);
    eng_result_clear(&got);
    assert_true(put_result(store, id, &result, &error));
    store_close(&store);

    static const char *const damages[] = {
        "UPDATE evidence SET kind = 'rumour' WHERE kind = 'last-words'",
        "DELETE FROM evidence WHERE kind = 'rumour'; UPDATE evidence SET text = text || 'y'",
    };
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        edit_store(path, damages[i]);
        store = store_open_read(path, &error);
        must_fail("the file is damaged (the result of shuffle",
                  store_results(store, id, check_result, NULL, &error));
        store_close(&store);
    }
}

// What was stored before there were choices is read as it is, and brought up to date by a writer.
TEST_IN(test_one_writer, make_path, remove_folder)
{
    struct store *store = open_good();
    int64_t id = begin(store);
    put(store, id, 10);
    char want[64];
    snprintf(want, sizeof(want), "process %d is writing to it", (int)getpid());
    must_fail(want, store_open(path, &error));
#ifndef _WIN32
    // Another name of the same file is the same store.
    char other[160];
    snprintf(other, sizeof(other), "%s/other.db", folder);
    assert_int_equal(symlink(path, other), 0);
    assert_null(store_open(other, &error));
#endif
    // Reading goes on beside it, and sees what was committed.
    struct store *reader = store_open_read(path, &error);
    assert_non_null(reader);
    assert_int_equal(stored_runs(reader, id), 10);
    put(store, id, 11);
    assert_int_equal(stored_runs(reader, id), 11);
    assert_false(store_session_finish(reader, id, &error));
    store_close(&store);
    store_close(&reader);

    // A closed store is one file.
    char name[192];
    snprintf(name, sizeof(name), "%s.lock", path);
    assert_true(access(name, F_OK) != 0);
    store = open_good();
    store_close(&store);
    snprintf(name, sizeof(name), "%s-wal", path);
    assert_true(access(name, F_OK) != 0);
}

#ifndef _WIN32
// Kills a process that puts results as fast as it can; what it said was stored must be there.
TEST_IN(test_killed, make_path, remove_folder)
{
    for (int round = 0; round < 5; round++) {
        unlink(path);
        int pipes[2];
        assert_int_equal(pipe(pipes), 0);
        pid_t child = fork();
        if (child == 0) {
            struct store *store = open_good();
            int64_t id = begin(store);
            for (uint64_t runs = 1;; runs++) {
                put(store, id, runs);
                if (write(pipes[1], &runs, sizeof(runs)) != sizeof(runs))
                    _exit(1);
            }
        }
        close(pipes[1]);
        uint64_t said = 0;
        while (said < 5 + 7 * (uint64_t)round)
            assert_int_equal(read(pipes[0], &said, sizeof(said)), sizeof(said));
        kill(child, SIGKILL);
        while (read(pipes[0], &said, sizeof(said)) == sizeof(said)) {
        }
        waitpid(child, NULL, 0);
        close(pipes[0]);

        struct store *store = store_open_read(path, &error);
        assert_non_null(store);
        uint64_t stored = stored_runs(store, 1);
        assert_true(stored == said || stored == said + 1);
        store_close(&store);
        store = open_good(); // the dead process's lock means nothing
        OWNED(store_session_clear) struct store_session session;
        assert_true(store_session_load(store, 0, true, &session, &error));
        put(store, session.id, 1000);
        store_close(&store);
    }
}
#endif
