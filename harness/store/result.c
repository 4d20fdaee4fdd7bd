// SPDX-License-Identifier: Apache-2.0
// Results: written batch by batch, read back with doubt.
#include "store/private.h"

#include "model/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const check_names[] = {
    [CAT_CHECK_EQUAL] = "equal",
    [CAT_CHECK_TAG] = "tag",
    [CAT_CHECK_MASK] = "mask",
    [CAT_CHECK_CHOICE] = "choice",
};

void store_result_clear(struct store_result *result)
{
    free(result->name);
    free(result->device);
    free(result->result);
    free(result->reason);
    free(result->expectation);
    free(result->sha256);
    free(result->headline);
    free(result->stress);
    free(result->rule);
    for (size_t i = 0; i < ENG_EVIDENCES; i++)
        free(result->evidence[i]);
    *result = (struct store_result){0};
}

// Inserts or replaces the row; *id is its number, which a replaced row keeps.
static bool put_row(struct store *store, int64_t session, const struct store_result *result,
                    int64_t *id, struct lit_error *error)
{
    sqlite3_stmt *upsert = store_borrow(
        store,
        "INSERT INTO result (session, device, name, result, reason, expectation, sha256, headline,"
        " seed, checked_as, runs, failed_runs, no_progress_runs, first_run_failed, instances,"
        " failed_instances, seconds, stress, rule, first, brief)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
        // As STORE_RESULT_BRIEF has them, which is not known before the row is there.
        " litmus_sum(?1, ?2, ?3, ?4, ?6, ?7, ?9, ?11, ?12, ?13, ?18, ?19, ?20))"
        " ON CONFLICT (session, device, name) DO UPDATE SET result = excluded.result,"
        " reason = excluded.reason, expectation = excluded.expectation, sha256 = excluded.sha256,"
        " headline = excluded.headline, seed = excluded.seed, checked_as = excluded.checked_as,"
        " runs = excluded.runs, failed_runs = excluded.failed_runs,"
        " no_progress_runs = excluded.no_progress_runs,"
        " first_run_failed = excluded.first_run_failed, instances = excluded.instances,"
        " failed_instances = excluded.failed_instances, seconds = excluded.seconds,"
        " stress = excluded.stress, rule = excluded.rule, first = excluded.first,"
        " brief = excluded.brief"
        " RETURNING id",
        error);
    if (!upsert)
        return false;
    const struct eng_count *count = &result->count;
    sqlite3_bind_int64(upsert, 1, session);
    store_bind_text(upsert, 2, result->device);
    store_bind_text(upsert, 3, result->name);
    store_bind_text(upsert, 4, result->result);
    store_bind_text(upsert, 5, result->reason);
    store_bind_text(upsert, 6, result->expectation);
    store_bind_text(upsert, 7, result->sha256);
    store_bind_text(upsert, 8, result->headline);
    store_bind_hex(upsert, 9, result->seed);
    store_bind_text(upsert, 10, check_names[result->mode.check]);
    store_bind_count(upsert, 11, count->runs);
    store_bind_count(upsert, 12, count->failed_runs);
    store_bind_count(upsert, 13, count->no_progress_runs);
    sqlite3_bind_int(upsert, 14, count->first_run_failed);
    store_bind_count(upsert, 15, count->instances);
    store_bind_count(upsert, 16, count->failed_instances);
    sqlite3_bind_double(upsert, 17, isfinite(count->seconds) ? fmax(count->seconds, 0) : 0);
    store_bind_text(upsert, 18, result->stress);
    store_bind_text(upsert, 19, result->rule);
    store_bind_count(upsert, 20, result->first);
    // Only a row that is new changes it.
    sqlite3_set_last_insert_rowid(store->db, 0);
    bool good = sqlite3_step(upsert) == SQLITE_ROW || store_fail(store, error);
    if (good) {
        *id = sqlite3_column_int64(upsert, 0);
        good = store_done(store, upsert, error);
    }
    store_return(store, upsert);
    if (good && sqlite3_last_insert_rowid(store->db) == *id)
        good = store_total_add(store, STORE_KIND_RESULT, session, *id, error);
    return good;
}

static bool delete_parts(struct store *store, int64_t id, struct lit_error *error)
{
    static const char *const statements[] = {
        "DELETE FROM outcome WHERE result = ?",  "DELETE FROM failure WHERE result = ?",
        "DELETE FROM choice WHERE result = ?",   "DELETE FROM part WHERE result = ?",
        "DELETE FROM evidence WHERE result = ?",
    };
    bool good = true;
    for (size_t i = 0; good && i < sizeof statements / sizeof statements[0]; i++) {
        sqlite3_stmt *erase = store_borrow(store, statements[i], error);
        if (!erase)
            return false;
        sqlite3_bind_int64(erase, 1, id);
        good = store_done(store, erase, error);
        store_return(store, erase);
    }
    return good;
}

static bool put_outcomes(struct store *store, int64_t id, const struct eng_count *count,
                         struct lit_error *error)
{
    sqlite3_stmt *insert = store_borrow(
        store, "INSERT INTO outcome (result, outcome, instances) VALUES (?, ?, ?)", error);
    if (!insert)
        return false;
    bool good = true;
    for (int outcome = 0; good && outcome < CAT_OUTCOMES; outcome++) {
        if (count->outcomes[outcome] == 0)
            continue;
        sqlite3_bind_int64(insert, 1, id);
        sqlite3_bind_int(insert, 2, outcome);
        store_bind_count(insert, 3, count->outcomes[outcome]);
        good = store_done(store, insert, error);
        sqlite3_reset(insert);
    }
    store_return(store, insert);
    return good;
}

static bool put_failures(struct store *store, int64_t id, const struct eng_count *count,
                         struct lit_error *error)
{
    sqlite3_stmt *insert =
        store_borrow(store,
                     "INSERT INTO failure (result, number, run, instance, word, place, outcome,"
                     " got, want) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                     error);
    if (!insert)
        return false;
    bool good = true;
    for (size_t i = 0; good && i < count->failure_count && i < ENG_MAX_FAILURES; i++) {
        const struct eng_failure *failure = &count->failures[i];
        sqlite3_bind_int64(insert, 1, id);
        sqlite3_bind_int64(insert, 2, (int64_t)i);
        store_bind_count(insert, 3, failure->at.run);
        store_bind_count(insert, 4, failure->at.instance);
        store_bind_count(insert, 5, failure->at.word);
        store_bind_text(insert, 6, failure->where);
        sqlite3_bind_int64(insert, 7, failure->at.outcome);
        sqlite3_bind_int64(insert, 8, failure->at.got);
        sqlite3_bind_int64(insert, 9, failure->at.want);
        good = store_done(store, insert, error);
        sqlite3_reset(insert);
    }
    store_return(store, insert);
    return good;
}

static bool put_choice(struct store *store, int64_t id, const struct cat_mode *mode,
                       struct lit_error *error)
{
    sqlite3_stmt *insert = store_borrow(
        store, "INSERT INTO choice (result, place, name, fails) VALUES (?, ?, ?, ?)", error);
    if (!insert)
        return false;
    bool good = true;
    for (int place = 0; good && place <= CAT_CHOICES; place++) {
        if (mode->check != CAT_CHECK_CHOICE || !mode->choice.names[place][0])
            continue;
        sqlite3_bind_int64(insert, 1, id);
        sqlite3_bind_int(insert, 2, place);
        store_bind_text(insert, 3, mode->choice.names[place]);
        sqlite3_bind_int(insert, 4, mode->choice.fails >> place & 1);
        good = store_done(store, insert, error);
        sqlite3_reset(insert);
    }
    store_return(store, insert);
    return good;
}

static bool put_parts(struct store *store, int64_t id, const struct eng_count *count,
                      struct lit_error *error)
{
    sqlite3_stmt *insert =
        store_borrow(store,
                     "INSERT INTO part (result, number, process, runs, failed_runs,"
                     " no_progress_runs) VALUES (?, ?, ?, ?, ?, ?)",
                     error);
    if (!insert)
        return false;
    bool good = true;
    for (size_t i = 0; good && i < count->part_count && i < ENG_MAX_PARTS; i++) {
        const struct eng_part *part = &count->parts[i];
        sqlite3_bind_int64(insert, 1, id);
        sqlite3_bind_int64(insert, 2, (int64_t)i);
        sqlite3_bind_int64(insert, 3, part->process);
        store_bind_count(insert, 4, part->runs);
        store_bind_count(insert, 5, part->failed_runs);
        store_bind_count(insert, 6, part->no_progress_runs);
        good = store_done(store, insert, error);
        sqlite3_reset(insert);
    }
    store_return(store, insert);
    return good;
}

static bool put_evidence(struct store *store, int64_t id, char *const evidence[ENG_EVIDENCES],
                         struct lit_error *error)
{
    sqlite3_stmt *insert =
        store_borrow(store, "INSERT INTO evidence (result, kind, text) VALUES (?, ?, ?)", error);
    if (!insert)
        return false;
    bool good = true;
    for (int kind = 0; good && kind < ENG_EVIDENCES; kind++) {
        char clean[ENG_EVIDENCE_SIZE];
        if (!evidence[kind] || !evidence[kind][0])
            continue;
        text_sanitise_lines(clean, sizeof clean, evidence[kind]);
        sqlite3_bind_int64(insert, 1, id);
        store_bind_text(insert, 2, eng_evidence_name((enum eng_evidence)kind));
        store_bind_text(insert, 3, clean);
        good = store_done(store, insert, error);
        sqlite3_reset(insert);
    }
    store_return(store, insert);
    return good;
}

bool store_result_put(struct store *store, int64_t session, const struct store_result *result,
                      struct lit_error *error)
{
    bool own;
    if (!store_enter(store, &own, error))
        return false;
    int64_t id = 0;
    bool good =
        put_row(store, session, result, &id, error) && delete_parts(store, id, error) &&
        put_outcomes(store, id, &result->count, error) &&
        put_failures(store, id, &result->count, error) &&
        put_choice(store, id, &result->mode, error) &&
        put_parts(store, id, &result->count, error) &&
        put_evidence(store, id, result->evidence, error) &&
        store_run(store, "UPDATE result SET sum = " STORE_RESULT_SUM " WHERE id = ?", id, 0, error);
    return store_leave(store, own, good, error);
}

// The statements that read results.
struct reader {
    struct store *store;
    sqlite3_stmt *results, *outcomes, *failures;
    sqlite3_stmt *choices;  // NULL in a store of format 1, which knows no choices
    sqlite3_stmt *parts;    // NULL in a store of format 1 or 2, which knows none
    sqlite3_stmt *evidence; // NULL in a store of a format before 5
};

static void reader_clear(struct reader *reader)
{
    store_return(reader->store, reader->results);
    store_return(reader->store, reader->outcomes);
    store_return(reader->store, reader->failures);
    store_return(reader->store, reader->choices);
    store_return(reader->store, reader->parts);
    store_return(reader->store, reader->evidence);
}

#define RESULT_COLUMNS                                                                             \
    "SELECT result.id, result.name, result.device, result, reason, expectation, sha256, headline," \
    " seed, checked_as, runs, failed_runs, no_progress_runs, first_run_failed, instances,"         \
    " failed_instances, seconds"
// What came with format 3.
#define RESULT_NEWER ", stress, rule, first"
#define RESULT_OLDER ", '', '', 0"

// `results`: the statement from behind "FROM result".
static bool reader_make(struct reader *reader, struct store *store, const char *results,
                        struct lit_error *error)
{
    struct text select = {0};
    *reader = (struct reader){.store = store};
    text_printf(&select, RESULT_COLUMNS "%s, %s FROM result %s",
                store->version < 3 ? RESULT_OLDER : RESULT_NEWER,
                STORE_IS_WHOLE(store, "result", STORE_RESULT_SUM), results);
    reader->results = store_borrow(store, select.data, error);
    text_free(&select);
    if (!reader->results)
        return false;
    reader->outcomes =
        store_borrow(store, "SELECT outcome, instances FROM outcome WHERE result = ?", error);
    if (!reader->outcomes)
        return false;
    reader->failures = store_borrow(store,
                                    "SELECT run, instance, word, place, outcome, got, want"
                                    " FROM failure WHERE result = ? ORDER BY number LIMIT ?",
                                    error);
    if (!reader->failures || store->version < 2)
        return reader->failures != NULL;
    reader->choices =
        store_borrow(store, "SELECT place, name, fails FROM choice WHERE result = ?", error);
    if (!reader->choices || store->version < 3)
        return reader->choices != NULL;
    reader->parts = store_borrow(store,
                                 "SELECT process, runs, failed_runs, no_progress_runs FROM part"
                                 " WHERE result = ? ORDER BY number LIMIT ?",
                                 error);
    if (!reader->parts || store->version < 5)
        return reader->parts != NULL;
    reader->evidence =
        store_borrow(store, "SELECT kind, text FROM evidence WHERE result = ?", error);
    return reader->evidence != NULL;
}

static bool read_outcomes(struct reader *reader, int64_t id, struct eng_count *count)
{
    sqlite3_stmt *select = reader->outcomes;
    sqlite3_bind_int64(select, 1, id);
    bool good = true;
    uint64_t left = count->instances;
    while (good && sqlite3_step(select) == SQLITE_ROW) {
        uint64_t outcome, instances;
        good = store_column_count(select, 0, CAT_OUTCOMES - 1, &outcome) &&
               store_column_count(select, 1, left, &instances);
        if (good) {
            count->outcomes[outcome] = instances;
            left -= instances;
        }
    }
    return sqlite3_reset(select) == SQLITE_OK && good;
}

static bool read_failures(struct reader *reader, int64_t id, struct eng_count *count)
{
    sqlite3_stmt *select = reader->failures;
    sqlite3_bind_int64(select, 1, id);
    sqlite3_bind_int(select, 2, ENG_MAX_FAILURES);
    bool good = true;
    while (good && sqlite3_step(select) == SQLITE_ROW) {
        struct eng_failure *failure = &count->failures[count->failure_count++];
        uint64_t outcome, got, want;
        good = store_column_count(select, 0, INT64_MAX, &failure->at.run) &&
               store_column_count(select, 1, INT64_MAX, &failure->at.instance) &&
               store_column_count(select, 2, INT64_MAX, &failure->at.word) &&
               store_column_count(select, 4, CAT_OUTCOMES - 1, &outcome) &&
               store_column_count(select, 5, UINT32_MAX, &got) &&
               store_column_count(select, 6, UINT32_MAX, &want);
        failure->at.outcome = (uint32_t)outcome;
        failure->at.got = (uint32_t)got;
        failure->at.want = (uint32_t)want;
        const char *place = (const char *)sqlite3_column_text(select, 3);
        text_sanitise(failure->where, sizeof(failure->where), place ? place : "");
    }
    return sqlite3_reset(select) == SQLITE_OK && good;
}

static bool read_choice(struct reader *reader, int64_t id, struct cat_choice *choice)
{
    sqlite3_stmt *select = reader->choices;
    if (!select)
        return true;
    sqlite3_bind_int64(select, 1, id);
    bool good = true;
    while (good && sqlite3_step(select) == SQLITE_ROW) {
        uint64_t place, fails;
        good = store_column_count(select, 0, CAT_CHOICES, &place) &&
               store_column_count(select, 2, 1, &fails) && !(fails && place == 0);
        const char *name = (const char *)sqlite3_column_text(select, 1);
        if (good && name) {
            text_sanitise(choice->names[place], sizeof choice->names[place], name);
            choice->fails |= (uint32_t)fails << place;
        }
    }
    return sqlite3_reset(select) == SQLITE_OK && good;
}

static bool read_parts(struct reader *reader, int64_t id, struct eng_count *count)
{
    sqlite3_stmt *select = reader->parts;
    if (!select)
        return true;
    sqlite3_bind_int64(select, 1, id);
    sqlite3_bind_int(select, 2, ENG_MAX_PARTS);
    bool good = true;
    uint64_t left = count->runs;
    while (good && sqlite3_step(select) == SQLITE_ROW) {
        struct eng_part *part = &count->parts[count->part_count++];
        uint64_t process;
        good =
            store_column_count(select, 0, UINT32_MAX, &process) &&
            store_column_count(select, 1, left, &part->runs) &&
            store_column_count(select, 2, part->runs, &part->failed_runs) &&
            store_column_count(select, 3, part->runs - part->failed_runs, &part->no_progress_runs);
        part->process = (uint32_t)process;
        left -= good ? part->runs : 0;
    }
    return sqlite3_reset(select) == SQLITE_OK && good;
}

static enum eng_evidence find_evidence(const char *name)
{
    enum eng_evidence kind = 0;
    while (kind < ENG_EVIDENCES && name && strcmp(name, eng_evidence_name(kind)) != 0)
        kind++;
    return name ? kind : ENG_EVIDENCES;
}

static bool read_evidence(struct reader *reader, int64_t id, char *evidence[ENG_EVIDENCES])
{
    sqlite3_stmt *select = reader->evidence;
    if (!select)
        return true;
    sqlite3_bind_int64(select, 1, id);
    bool good = true;
    while (good && sqlite3_step(select) == SQLITE_ROW) {
        const enum eng_evidence kind = find_evidence((const char *)sqlite3_column_text(select, 0));
        const char *text = (const char *)sqlite3_column_text(select, 1);
        char clean[ENG_EVIDENCE_SIZE];
        good = kind < ENG_EVIDENCES && !evidence[kind] && text &&
               sqlite3_column_bytes(select, 1) < ENG_EVIDENCE_SIZE;
        if (good) {
            text_sanitise_lines(clean, sizeof clean, text);
            evidence[kind] = lit_strdup(clean);
        }
    }
    return sqlite3_reset(select) == SQLITE_OK && good;
}

bool store_is_expectation(const char *name)
{
    static const char *const names[] = {"forbidden", "contested", "assumed", "control"};
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

bool store_is_hash(const char *text)
{
    return text[0] == '\0' || text_is_sha256(text);
}

static bool read_check(sqlite3_stmt *select, int index, enum cat_check *check)
{
    const char *name = (const char *)sqlite3_column_text(select, index);
    for (size_t i = 0; name && i < sizeof(check_names) / sizeof(check_names[0]); i++) {
        if (strcmp(name, check_names[i]) == 0) {
            *check = (enum cat_check)i;
            return true;
        }
    }
    return false;
}

// Makes *result of the row at hand. False if it cannot be what this program wrote; *why says what
// disagrees in it, if that is all.
static bool read_row(struct reader *reader, struct store_result *result, const char **why)
{
    sqlite3_stmt *select = reader->results;
    struct eng_count *count = &result->count;
    *result = (struct store_result){
        .name = store_column_text(select, 1),
        .device = store_column_text(select, 2),
        .result = store_column_text(select, 3),
        .reason = store_column_text(select, 4),
        .expectation = store_column_text(select, 5),
        .sha256 = store_column_text(select, 6),
        .headline = store_column_text(select, 7),
        .stress = store_column_text(select, 17),
        .rule = store_column_text(select, 18),
    };
    count->first_run_failed = sqlite3_column_int(select, 13) != 0;
    count->seconds = sqlite3_column_double(select, 16);
    int64_t id = sqlite3_column_int64(select, 0);
    enum eng_result ended = eng_result_named(result->result);
    *why = "it is unreadable";
    bool good = ended < ENG_RESULTS && store_is_expectation(result->expectation) &&
                store_is_hash(result->sha256) && store_column_hex(select, 8, &result->seed) &&
                read_check(select, 9, &result->mode.check) &&
                store_column_count(select, 10, INT64_MAX, &count->runs) &&
                store_column_count(select, 11, count->runs, &count->failed_runs) &&
                store_column_count(select, 12, count->runs - count->failed_runs,
                                   &count->no_progress_runs) &&
                store_column_count(select, 14, INT64_MAX, &count->instances) &&
                store_column_count(select, 15, count->instances, &count->failed_instances) &&
                store_column_count(select, 19, INT64_MAX, &result->first) &&
                sqlite3_column_int(select, 20) == 1 && read_outcomes(reader, id, count) &&
                read_failures(reader, id, count) && read_choice(reader, id, &result->mode.choice) &&
                read_parts(reader, id, count) && read_evidence(reader, id, result->evidence);
    if (good)
        *why = eng_result_disagrees(ended, count, &result->mode);
    return good && !*why;
}

bool store_result_get(struct store *store, int64_t session, const char *device, const char *name,
                      struct store_result *result, struct lit_error *error)
{
    *result = (struct store_result){0};
    if (error)
        error->message[0] = '\0';
    struct reader reader;
    bool found =
        reader_make(&reader, store, "WHERE session = ? AND device = ? AND name = ?", error);
    if (found) {
        sqlite3_bind_int64(reader.results, 1, session);
        store_bind_text(reader.results, 2, device);
        store_bind_text(reader.results, 3, name);
        int step = sqlite3_step(reader.results);
        found = step == SQLITE_ROW;
        if (!found && step != SQLITE_DONE)
            store_fail(store, error);
        const char *why;
        if (found && !read_row(&reader, result, &why)) {
            found = store_damaged(store, error, "the result of %s: %s", name, why);
            store_result_clear(result);
        }
    }
    reader_clear(&reader);
    return found;
}

bool store_result_read(struct store *store, int64_t id, struct store_result *result,
                       struct lit_error *error)
{
    struct reader reader;
    *result = (struct store_result){0};
    bool good = reader_make(&reader, store, "WHERE result.id = ?", error);
    if (good) {
        sqlite3_bind_int64(reader.results, 1, id);
        const int step = sqlite3_step(reader.results);
        const char *why = "it is not there";
        good = step == SQLITE_ROW && read_row(&reader, result, &why);
        if (!good && (step == SQLITE_ROW || step == SQLITE_DONE))
            store_damaged(store, error, "the result of %s: %s", result->name ? result->name : "?",
                          why);
        else if (!good)
            store_fail(store, error);
        if (!good)
            store_result_clear(result);
    }
    reader_clear(&reader);
    return good;
}

static bool visit_results(struct reader *reader,
                          bool (*visit)(const struct store_result *result, void *user), void *user,
                          struct lit_error *error)
{
    int step;
    bool more = true;
    while (more && (step = sqlite3_step(reader->results)) != SQLITE_DONE) {
        if (step != SQLITE_ROW)
            return store_fail(reader->store, error);
        struct store_result result;
        const char *why;
        bool good = read_row(reader, &result, &why);
        if (good)
            more = visit(&result, user);
        else
            store_damaged(reader->store, error, "the result of %s: %s", result.name, why);
        store_result_clear(&result);
        if (!good)
            return false;
    }
    return true;
}

bool store_results(struct store *store, int64_t session,
                   bool (*visit)(const struct store_result *result, void *user), void *user,
                   struct lit_error *error)
{
    // One transaction: a writer must not change the parts of a result between two statements.
    bool begun = sqlite3_get_autocommit(store->db);
    if (begun && !store_execute(store, "BEGIN", error))
        return false;
    struct reader reader;
    bool good = reader_make(&reader, store,
                            "LEFT JOIN device ON device.session = result.session"
                            " AND device.id = result.device WHERE result.session = ?"
                            " ORDER BY device.number, result.id",
                            error);
    good = good && store_total_check(store, STORE_KIND_RESULT, session, error);
    if (good) {
        sqlite3_bind_int64(reader.results, 1, session);
        good = visit_results(&reader, visit, user, error);
    }
    reader_clear(&reader);
    if (begun)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return good;
}
