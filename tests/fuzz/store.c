// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of stores, the reports made of them, histories and merging. The first byte of
// an input says how the rest becomes a file: 'F', it is the file; 'P', it patches a good store,
// three bytes each (offset, low byte first, and value); 'S', the second byte names a column and the
// rest is what all rows hold there.
#include "fuzz.h"

#include "report/report.h"
#include "report/history.h"
#include "session/session.h"
#include "store/merge.h"
#include "store/private.h"
#include "store/store.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/litmus-fuzz-XXXXXX";
static char path[sizeof folder + 16], log_path[sizeof folder + 16], out_path[sizeof folder + 16];
static uint8_t *good;
static size_t good_size;

static const char *const columns[][2] = {
    {"session", "version"},    {"session", "command"},    {"session", "started"},
    {"session", "system"},     {"session", "seed"},       {"session", "options"},
    {"session", "runs"},       {"device", "checker"},     {"device", "name"},
    {"device", "driver_info"}, {"device", "device_uuid"}, {"device", "features"},
    {"device", "subgroup"},    {"device", "type"},        {"result", "name"},
    {"result", "result"},      {"result", "reason"},      {"result", "expectation"},
    {"result", "sha256"},      {"result", "headline"},    {"result", "seed"},
    {"result", "checked_as"},  {"result", "runs"},        {"result", "failed_runs"},
    {"result", "seconds"},     {"outcome", "outcome"},    {"outcome", "instances"},
    {"failure", "place"},      {"failure", "got"},        {"failure", "number"},
    {"session", "uuid"},       {"session", "shard"},      {"session", "shard_index"},
    {"session", "finished"},   {"device", "id"},          {"device", "loader"},
    {"result", "stress"},      {"result", "rule"},        {"result", "first"},
    {"part", "process"},       {"part", "runs"},
};

static void remove_folder(void)
{
    unlink(path);
    unlink(log_path);
    unlink(out_path);
    rmdir(folder);
}

static void fill(struct store *store)
{
    struct lit_error error = {0};
    struct store_session session = {.version = (char *)"1.0.0",
                                    .command = (char *)"litmus run shuffle",
                                    .started = (char *)"2026-11-21T02:09:00Z",
                                    .system = (char *)"Linux 6.1 x86_64",
                                    .options = (char *)"{}",
                                    .seed = 0x5eed,
                                    .runs = 100};
    struct dev_facts facts = {.name = "Example GPU",
                              .driver_info = "1.2.3",
                              .driver_version = "1.2.3",
                              .type = "discrete",
                              .subgroup = 32,
                              .subgroup_min = 32,
                              .subgroup_max = 32,
                              .features = 0xfff};
    char id[DEV_ID_SIZE];
    dev_facts_id(&facts, id);
    MUST(store_session_begin(store, &session, &error));
    MUST(store_device_put(store, session.id, 1, &facts, "device", &error));
    static const struct cat_mode modes[] = {
        {.check = CAT_CHECK_CHOICE, .choice = {.names = {"flag and data", "neither"}, .fails = 2}},
        {.check = CAT_CHECK_TAG}};
    struct eng_part parts[] = {{.runs = 60}, {.process = 1, .runs = 40}};
    struct eng_failure failure = {
        .at = {.run = 7, .instance = 9, .word = 31, .got = 1, .want = 2, .outcome = 5},
        .where = "lane 31, iteration 9"};
    for (int failed = 0; failed < 2; failed++) {
        struct result result = {
            .cfg = cfg_parse(failed ? "shuffle.b@subgroup=32" : "scan.a@subgroup=32"),
            .device_id = id,
            .result = failed ? ENG_FAIL : ENG_PASS,
            .reason = (char *)"",
            .expectation = failed ? CAT_CONTESTED : CAT_FORBIDDEN,
            .sha256 = (char *)"",
            .headline = (char *)"headline",
            .seed = 0x5eed,
            .mode = &modes[failed],
            .failures = &failure,
            .pieces = parts,
            .piece_count = 2,
            .count = {.runs = 100, .instances = 800, .outcomes = {800}, .seconds = 1.5}};
        if (failed) {
            result.count.failed_runs = 3;
            result.count.failed_instances = result.count.outcomes[5] = 4;
            result.count.outcomes[0] = 796;
            result.count.failure_count = 1;
        }
        MUST(store_result_put(store, session.id, &result, &error));
        cfg_clear(&result.cfg);
    }
    MUST(store_session_finish(store, session.id, &error));
}

static void make_good_store(void)
{
    struct lit_error error = {0};
    MUST(mkdtemp(folder));
    atexit(remove_folder);
    snprintf(path, sizeof path, "%s/store", folder);
    snprintf(log_path, sizeof log_path, "%s/store-wal", folder);
    snprintf(out_path, sizeof out_path, "%s/out", folder);
    struct store *store = store_open(path, &error);
    MUST(store);
    fill(store);
    store_close(&store);
    FILE *file = fopen(path, "rbe");
    struct stat status;
    MUST(file && fstat(fileno(file), &status) == 0);
    good_size = (size_t)status.st_size;
    good = malloc(good_size);
    MUST(good && fread(good, 1, good_size, file) == good_size);
    fclose(file);
}

static void write_store(const uint8_t *bytes, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    MUST(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    close(file);
}

static void write_patched(const uint8_t *data, size_t size)
{
    OWNED(lit_free) uint8_t *bytes = malloc(good_size);
    MUST(bytes);
    memcpy(bytes, good, good_size);
    for (; size >= 3; data += 3, size -= 3)
        bytes[(data[0] | (size_t)data[1] << 8) % good_size] = data[2];
    write_store(bytes, good_size);
}

static void write_with_column(uint8_t which, const uint8_t *data, size_t size)
{
    const char *const *column = columns[which % (sizeof columns / sizeof *columns)];
    char sql[256];
    sqlite3 *db = NULL;
    sqlite3_stmt *update = NULL;
    write_store(good, good_size);
    MUST(sqlite3_open(path, &db) == SQLITE_OK);
    sqlite3_exec(db,
                 "PRAGMA synchronous = 0; PRAGMA journal_mode = MEMORY; PRAGMA foreign_keys = 0;"
                 " PRAGMA ignore_check_constraints = 1",
                 NULL, NULL, NULL);
    snprintf(sql, sizeof sql, "UPDATE OR IGNORE %s SET %s = ?", column[0], column[1]);
    MUST(sqlite3_prepare_v2(db, sql, -1, &update, NULL) == SQLITE_OK);
    if (strcmp(column[1], "device_uuid") == 0)
        sqlite3_bind_blob(update, 1, data, (int)size, SQLITE_STATIC);
    else
        sqlite3_bind_text(update, 1, (const char *)data, (int)size, SQLITE_STATIC);
    sqlite3_step(update);
    sqlite3_finalize(update);
    // Else all that reads would see is that a checksum is wrong.
    struct store sealed = {.db = db, .path = path};
    struct lit_error error = {0};
    MUST(store_functions_define(db));
    store_sum_all(&sealed, 0, &error);
    store_drop_kept(&sealed);
    sqlite3_close(db);
}

static void check_error(bool done, const struct lit_error *error)
{
    if (!done)
        MUST(error->message[0] && !strpbrk(error->message, "\n\r\033"));
}

static void make_reports(struct store *store, int64_t session)
{
    struct lit_error error = {0};
    const struct report_terminal_info plain = {.verbosity = 1};
    struct text text = {0};
    OWNED(report_model_clear) struct report_model model;
    const bool loaded = report_model_load(store, session, &model, &error);
    check_error(loaded, &error);
    for (size_t i = 0; loaded && i < REPORT_FORMS; i++) {
        report_formats[i].write(&model, &text);
        // No format has a character that a terminal obeys.
        MUST(!text.data || !strpbrk(text.data, "\033\b\a"));
        text_free(&text);
    }
    if (report_terminal(store, session, &plain, &text, &error) && text.data)
        MUST(!strchr(text.data, '\033'));
    text_free(&text);
}

static void make_history(struct store *store)
{
    struct lit_error error = {0};
    const struct history_info info = {.all = true};
    OWNED(history_clear) struct history history;
    OWNED(text_free) struct text text = {0};
    bool done = history_load(store, NULL, 0, NULL, &history, &error);
    check_error(done, &error);
    if (done) {
        history_print(&history, &info, &text);
        history_json(&history, &text);
        history_print_drivers(&history.index, &info, &text);
        history_print_sessions(&history.index, &info, &text);
        history_json_index(&history.index, &text);
        MUST(!strchr(text.data, '\033'));
    }
}

// Into one with another of the same origin, whose session is a shard of the same run or a copy of
// the same session if the input says so. What comes out is a store that can be read.
static void merge_stores(bool sum)
{
    struct lit_error error = {0};
    const char *const inputs[] = {path};
    const struct store_merge_plan plan = {out_path, inputs, 1, .sum = sum};
    struct store_merge_done done;
    int file = open(out_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    MUST(file >= 0 && write(file, good, good_size) == (ssize_t)good_size);
    close(file);
    bool merged = store_merge(&plan, &done, &error);
    check_error(merged, &error);
    text_free(&done.notes);
    struct store *store = store_open_read(out_path, &error);
    MUST(store);
    OWNED(history_clear) struct history history = {0};
    MUST(history_load(store, NULL, 0, NULL, &history, &error));
    store_close(&store);
    unlink(out_path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    report_known = &ses_known;
    struct lit_error error = {0};
    if (!good)
        make_good_store();
    if (size < 2)
        return 0;
    if (data[0] == 'F')
        write_store(data + 1, size - 1);
    else if (data[0] == 'S')
        write_with_column(data[1], data + 2, size - 2);
    else
        write_patched(data + 1, size - 1);
    struct store *store = store_open_read(path, &error);
    check_error(store != NULL, &error);
    struct store_session session;
    if (store && store_session_load(store, 0, false, &session, &error)) {
        make_reports(store, session.id);
        store_session_clear(&session);
    }
    if (store)
        make_history(store);
    store_close(&store);
    merge_stores(size & 1);
    unlink(log_path);
    return 0;
}
