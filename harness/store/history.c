// SPDX-License-Identifier: Apache-2.0
// Reads over all sessions. Results are walked in the order of the index result_name, and names that
// do not match are jumped over, so that the length of the file does not matter.
#include "store/history.h"

#include "model/configuration.h"
#include "model/result.h"
#include "store/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- The index

struct loading {
    struct store *store;
    struct store_index *index;
    uint64_t counted;
    bool failed;
    bool combined; // there may be sessions that were combined from others
    struct lit_error *error;
};

static bool add_session(int64_t number, void *record, void *user)
{
    struct loading *loading = user;
    struct store_session *session = record;
    session->id = number;
    struct store_index *index = loading->index;
    LIT_ADD(index->sessions, index->session_count) = *session;
    loading->combined = loading->combined || strstr(session->options, "\"joined\"");
    *session = (struct store_session){0};
    return true;
}

static int compare_ids(const void *left, const void *right)
{
    const struct store_session *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

const struct store_session *store_index_session(const struct store_index *index, int64_t id)
{
    const struct store_session key = {.id = id};
    if (index->session_count == 0)
        return NULL;
    return bsearch(&key, index->sessions, index->session_count, sizeof(key), compare_ids);
}

const struct store_driver *store_index_driver(const struct store_index *index, const char *id)
{
    for (size_t i = 0; i < index->driver_count; i++)
        if (strcmp(index->drivers[i].id, id) == 0)
            return &index->drivers[i];
    return NULL;
}

// Marks a session that was merged into another of the file.
static enum store_row take_contained(sqlite3_stmt *select, void *user)
{
    const struct loading *loading = user;
    const struct store_session *session =
        store_index_session(loading->index, sqlite3_column_int64(select, 0));
    if (session)
        loading->index->contained[session - loading->index->sessions] = true;
    return STORE_NEXT;
}

// One row for each device of each session, those of a driver together, the newest session first.
static bool add_device(int64_t number, void *record, void *user)
{
    const struct store_device *device = record;
    struct loading *loading = user;
    struct store_index *index = loading->index;
    const struct store_session *session = store_index_session(index, number);
    struct store_driver *last =
        index->driver_count ? &index->drivers[index->driver_count - 1] : NULL;
    if (!session || strlen(device->id) >= sizeof last->id) {
        loading->failed = true;
        return store_damaged(loading->store, loading->error, "a device of no session");
    }
    if (last && strcmp(last->id, device->id) == 0) {
        last->sessions++;
        if (strcmp(session->started, last->first) < 0)
            last->first = session->started;
        if (strcmp(session->started, last->last) > 0)
            last->last = session->started;
        return true;
    }
    struct store_driver *driver = &LIT_ADD(index->drivers, index->driver_count);
    *driver = (struct store_driver){
        .facts = device->facts, .sessions = 1, .first = session->started, .last = session->started};
    snprintf(driver->id, sizeof driver->id, "%s", device->id);
    return true;
}

static bool load_drivers(struct loading *loading)
{
    return store_total_check(loading->store, STORE_KIND_DEVICE, 0, loading->error) &&
           store_each_record(loading->store, STORE_KIND_DEVICE, "ORDER BY id, session DESC", 0, 0,
                             add_device, loading, loading->error) &&
           !loading->failed;
}

static enum store_row take_count(sqlite3_stmt *select, void *user)
{
    struct loading *loading = user;
    const char *id = (const char *)sqlite3_column_text(select, 0);
    struct store_driver *driver = (struct store_driver *)store_index_driver(loading->index, id);
    if (!driver) {
        store_damaged(loading->store, loading->error, "a result without a device");
        return STORE_FAILED;
    }
    driver->results += (uint64_t)sqlite3_column_int64(select, 1);
    loading->counted += (uint64_t)sqlite3_column_int64(select, 1);
    return STORE_NEXT;
}

static bool count_driver_results(struct loading *loading)
{
    struct store *store = loading->store;
    struct lit_error *error = loading->error;
    int64_t all = 0;
    return store_each(store, error,
                      store_borrow(store, error,
                                   "SELECT device, count(*) FROM result GROUP BY device", ""),
                      take_count, loading) &&
           store_number(store, error, &all,
                        "SELECT coalesce(sum(members), 0) FROM total WHERE kind = 'result'", "") &&
           ((uint64_t)all == loading->counted ||
            store_damaged(store, error, "results are missing"));
}

static int compare_drivers(const void *left, const void *right)
{
    const struct store_driver *a = left, *b = right;
    int order = strcmp(a->facts.name, b->facts.name);
    if (order == 0)
        order = strcmp(a->first, b->first);
    return order ? order : strcmp(a->id, b->id);
}

bool store_index_load(struct store *store, bool count_results, struct store_index *index,
                      struct lit_error *error)
{
    struct loading loading = {.store = store, .index = index, .error = error};
    bool own;
    *index = (struct store_index){0};
    if (!store_enter_reading(store, &own, error))
        return false;
    bool good = store_total_check(store, STORE_KIND_SESSION, 0, error) &&
                store_each_record(store, STORE_KIND_SESSION, "ORDER BY id", 0, 0, add_session,
                                  &loading, error);
    index->contained = lit_alloc(index->session_count + 1, sizeof *index->contained);
    if (good && loading.combined)
        good = store_each(store, error,
                          store_borrow(store, error,
                                       "SELECT session.id FROM session AS whole,"
                                       " json_each(iif(json_valid(whole.options), whole.options,"
                                       " '{}'), '$.joined.members') JOIN session ON session.uuid ="
                                       " json_extract(whole.options, fullkey || '.uuid')"
                                       " WHERE session.id <> whole.id",
                                       ""),
                          take_contained, &loading);
    good = good && load_drivers(&loading) && (!count_results || count_driver_results(&loading));
    if (index->driver_count > 0)
        qsort(index->drivers, index->driver_count, sizeof(*index->drivers), compare_drivers);
    store_leave_reading(store, own);
    return good;
}

void store_index_clear(struct store_index *index)
{
    for (size_t i = 0; i < index->session_count; i++)
        store_session_clear(&index->sessions[i]);
    free(index->sessions);
    free(index->contained);
    free(index->drivers);
    *index = (struct store_index){0};
}

// --- Results

// A row of table result, whose module, stress and rule are its own.
struct row {
    struct store_past past;
    size_t driver; // rank
};

struct walk {
    struct store *store;
    const struct store_query *query;
    const struct store_index *index;
    sqlite3_stmt *select;
    char *name;  // of the rows, as it is in the file
    char *shown; // the same, sanitised
    bool matches;
    struct store_result result; // the row that is being read, its first fields
    struct row *rows;
    size_t count;
};

static void clear_rows(struct walk *walk)
{
    for (size_t i = 0; i < walk->count; i++) {
        const struct store_past *past = &walk->rows[i].past;
        free((char *)past->sha256);
        free((char *)past->stress);
        free((char *)past->rule);
    }
    walk->count = 0;
    free(walk->name);
    free(walk->shown);
    walk->name = walk->shown = NULL;
}

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->driver != b->driver)
        return a->driver < b->driver ? -1 : 1;
    int order = strcmp(a->past.session->started, b->past.session->started);
    if (order == 0)
        order = strcmp(a->past.session->uuid, b->past.session->uuid);
    return order ? order : compare_ids(a->past.session, b->past.session);
}

// Hands over the rows of one name. False if the visitor has seen enough.
static bool visit_rows(struct walk *walk, bool (*visit)(const struct store_past *past, void *user),
                       void *user)
{
    bool more = true;
    if (walk->count > 0)
        qsort(walk->rows, walk->count, sizeof(*walk->rows), compare_rows);
    for (size_t i = 0; more && i < walk->count; i++)
        more = visit(&walk->rows[i].past, user);
    clear_rows(walk);
    return more;
}

// Columns: session, the first fields of a result, whether their sum is right.
enum { SESSION, DEVICE, NAME, INTACT = 1 + STORE_BRIEF_FIELDS };

// Takes the row at hand. False if it cannot be what this program wrote.
static bool take_row(struct walk *walk)
{
    sqlite3_stmt *select = walk->select;
    struct row *row = &LIT_ADD(walk->rows, walk->count);
    struct store_result *result = &walk->result;
    bool good = store_read(select, 1, store_brief, result);
    const struct eng_count *count = &result->count;
    *row = (struct row){
        .past = {
            .session = store_index_session(walk->index, sqlite3_column_int64(select, SESSION)),
            .driver = store_index_driver(walk->index, result->device),
            .name = walk->shown,
            .expectation = cat_expectation_named(result->expectation),
            .result = eng_result_named(result->result),
            .sha256 = result->sha256,
            .stress = result->stress,
            .rule = result->rule,
            .seed = result->seed,
            .first = result->first,
            .runs = count->runs,
            .failed_runs = count->failed_runs,
            .no_progress_runs = count->no_progress_runs,
        }};
    result->sha256 = result->stress = result->rule = NULL; // the row's now
    store_clear(store_brief, result);
    good = good && sqlite3_column_int(select, INTACT) == 1 && row->past.session &&
           row->past.driver && row->past.result < ENG_RESULTS &&
           row->past.expectation < CAT_EXPECTATIONS && store_is_hash(row->past.sha256) &&
           !eng_runs_disagree(row->past.result, row->past.runs, row->past.failed_runs,
                              row->past.no_progress_runs);
    if (good)
        row->driver = (size_t)(row->past.driver - walk->index->drivers);
    return good;
}

// Goes on behind all results of the name at hand.
static void jump(struct walk *walk)
{
    OWNED(text_free) struct text next = {0};
    text_append(&next, (const char *)sqlite3_column_text(walk->select, NAME),
                (size_t)sqlite3_column_bytes(walk->select, NAME));
    text_append(&next, "", 1); // with nothing between
    sqlite3_reset(walk->select);
    sqlite3_bind_text(walk->select, 1, next.data, (int)next.length, SQLITE_TRANSIENT);
}

static bool is_wanted(const struct walk *walk)
{
    const char *device = (const char *)sqlite3_column_text(walk->select, DEVICE);
    const struct store_session *session =
        store_index_session(walk->index, sqlite3_column_int64(walk->select, SESSION));
    if (session && walk->index->contained[session - walk->index->sessions])
        return false;
    return !walk->query->device || (device && strcmp(device, walk->query->device) == 0);
}

static bool walk_names(struct walk *walk, const char *pattern,
                       bool (*visit)(const struct store_past *past, void *user), void *user,
                       struct lit_error *error)
{
    const size_t literal = cfg_is_id(pattern) ? 0 : strcspn(pattern, "*?[");
    sqlite3_bind_text(walk->select, 1, pattern, (int)literal, SQLITE_STATIC);
    for (;;) {
        int step = sqlite3_step(walk->select);
        if (step == SQLITE_DONE)
            break;
        if (step != SQLITE_ROW)
            return store_fail(walk->store, error);
        if (sqlite3_column_type(walk->select, NAME) != SQLITE_TEXT)
            return store_damaged(walk->store, error, "the name of a result");
        const char *name = (const char *)sqlite3_column_text(walk->select, NAME);
        if (!walk->name || strcmp(walk->name, name) != 0) {
            if (!visit_rows(walk, visit, user))
                return true;
            walk->name = lit_strdup(name);
            walk->shown = store_column_text(walk->select, NAME);
            walk->matches = cfg_matches(pattern, walk->shown);
        }
        if (strncmp(walk->shown, pattern, literal) != 0)
            break;
        if (!walk->matches) {
            jump(walk);
        } else if (is_wanted(walk) && !take_row(walk)) {
            return store_damaged(walk->store, error, "a result of %.200s", walk->shown);
        }
    }
    visit_rows(walk, visit, user);
    return true;
}

bool store_history(struct store *store, const struct store_query *query,
                   bool (*visit)(const struct store_past *past, void *user), void *user,
                   struct lit_error *error)
{
    struct store_index own_index = {0};
    struct walk walk = {.store = store, .query = query, .index = query->index};
    bool own;
    if (!store_enter_reading(store, &own, error))
        return false;
    bool good = walk.index || store_index_load(store, false, &own_index, error);
    if (!walk.index)
        walk.index = &own_index;
    if (good) {
        struct text sql = {0};
        text_puts(&sql, "SELECT session, ");
        store_put_columns(&sql, "", store_brief);
        text_puts(&sql, ", brief = ");
        store_put_brief(&sql);
        text_puts(&sql, " FROM result WHERE name >= ? ORDER BY name");
        walk.select = store_borrow(store, error, sql.data, "");
        text_free(&sql);
        good = walk.select &&
               walk_names(&walk, query->pattern ? query->pattern : "*", visit, user, error);
    }
    store_return(store, walk.select);
    clear_rows(&walk);
    free(walk.rows);
    store_index_clear(&own_index);
    store_leave_reading(store, own);
    return good;
}
