// SPDX-License-Identifier: Apache-2.0
// Reads over all sessions. Results are walked in the order of the index result_name, and names that
// do not match are jumped over, so that the length of the file does not matter.
#include "store/history.h"

#include "model/result.h"
#include "store/joined.h"
#include "store/private.h"

#include <stdlib.h>
#include <string.h>

// The index

static int compare_uuids(const void *left, const void *right)
{
    const struct store_session *a = *(const struct store_session *const *)left;
    const struct store_session *b = *(const struct store_session *const *)right;
    return strcmp(a->uuid, b->uuid);
}

static void mark_contained(struct store_index *index)
{
    const struct store_session **order = lit_alloc(index->session_count, sizeof(*order));
    index->contained = lit_alloc(index->session_count, sizeof(*index->contained));
    for (size_t i = 0; i < index->session_count; i++)
        order[i] = &index->sessions[i];
    if (index->session_count > 0)
        qsort(order, index->session_count, sizeof(*order), compare_uuids);
    for (size_t i = 0; i < index->session_count; i++) {
        struct store_joined joined;
        if (!store_joined_read(index->sessions[i].options, &joined))
            continue;
        for (size_t m = 0; m < joined.member_count; m++) {
            const struct store_session key = {.uuid = joined.members[m].uuid}, *at = &key;
            const struct store_session **found =
                bsearch(&at, order, index->session_count, sizeof(*order), compare_uuids);
            // A whole that is its own part is a damaged one.
            if (found && *found != &index->sessions[i])
                index->contained[*found - index->sessions] = true;
        }
        store_joined_clear(&joined);
    }
    free(order);
}

static bool load_sessions(struct store *store, struct store_index *index, struct lit_error *error)
{
    struct text sql = {0};
    text_printf(&sql, "SELECT %s FROM session ORDER BY id", store_session_columns(store));
    sqlite3_stmt *select = store_prepare(store, sql.data, error);
    text_free(&sql);
    size_t room = 0;
    int step;
    bool good = select && store_total_check(store, STORE_KIND_SESSION, 0, error);
    while (good && (step = sqlite3_step(select)) != SQLITE_DONE) {
        if (step != SQLITE_ROW) {
            good = store_fail(store, error);
            break;
        }
        if (index->session_count == room) {
            room = room * 2 + 16;
            index->sessions = lit_realloc(index->sessions, room, sizeof(*index->sessions));
        }
        struct store_session *session = &index->sessions[index->session_count++];
        good = store_session_read(select, session) ||
               store_damaged(store, error, "session %lld", (long long)session->id);
    }
    sqlite3_finalize(select);
    if (good)
        mark_contained(index);
    return good;
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

// One row for each device of each session, those of a driver together, the newest session first.
static bool add_device(struct store *store, sqlite3_stmt *select, struct store_index *index,
                       size_t *room, struct lit_error *error)
{
    char *id = store_column_text(select, 0);
    const struct store_session *session =
        store_index_session(index, sqlite3_column_int64(select, 1));
    struct store_driver *last =
        index->driver_count ? &index->drivers[index->driver_count - 1] : NULL;
    bool good = session && strlen(id) == 16;
    if (good && last && strcmp(last->id, id) == 0) {
        last->sessions++;
        if (strcmp(session->started, last->first) < 0)
            last->first = session->started;
        if (strcmp(session->started, last->last) > 0)
            last->last = session->started;
    } else if (good) {
        if (index->driver_count == *room) {
            *room = *room * 2 + 8;
            index->drivers = lit_realloc(index->drivers, *room, sizeof(*index->drivers));
        }
        struct store_driver *driver = &index->drivers[index->driver_count++];
        *driver = (struct store_driver){
            .sessions = 1, .first = session->started, .last = session->started};
        memcpy(driver->id, id, sizeof(driver->id));
        good = store_facts_read(select, 2, &driver->facts);
    }
    free(id);
    return good || store_damaged(store, error, "a device of session %lld",
                                 (long long)sqlite3_column_int64(select, 1));
}

static bool load_drivers(struct store *store, struct store_index *index, struct lit_error *error)
{
    struct text sql = {0};
    text_printf(&sql,
                "SELECT id, session, " STORE_FACTS ", %s FROM device ORDER BY id, session DESC",
                store_facts_newer(store));
    sqlite3_stmt *select = store_prepare(store, sql.data, error);
    text_free(&sql);
    size_t room = 0;
    int step;
    bool good = select && store_total_check(store, STORE_KIND_DEVICE, 0, error);
    while (good && (step = sqlite3_step(select)) != SQLITE_DONE)
        good = step == SQLITE_ROW ? add_device(store, select, index, &room, error)
                                  : store_fail(store, error);
    sqlite3_finalize(select);
    return good;
}

static bool count_driver_results(struct store *store, struct store_index *index,
                                 struct lit_error *error)
{
    sqlite3_stmt *select =
        store_prepare(store, "SELECT device, count(*) FROM result GROUP BY device", error);
    int step;
    int64_t counted = 0, all = 0;
    bool good = select != NULL;
    while (good && (step = sqlite3_step(select)) != SQLITE_DONE) {
        char *id = store_column_text(select, 0);
        size_t i = 0;
        while (i < index->driver_count && strcmp(index->drivers[i].id, id) != 0)
            i++;
        if (step != SQLITE_ROW)
            good = store_fail(store, error);
        else if (i == index->driver_count)
            good = store_damaged(store, error, "a result of no device");
        else
            index->drivers[i].results += (uint64_t)sqlite3_column_int64(select, 1);
        counted += good ? sqlite3_column_int64(select, 1) : 0;
        free(id);
    }
    sqlite3_finalize(select);
    if (!good || !store_has_sums(store))
        return good;
    return store_number(store, "SELECT coalesce(sum(members), 0) FROM total WHERE kind = 'result'",
                        &all, error) &&
           (all == counted || store_damaged(store, error, "not each result is there that was"));
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
    *index = (struct store_index){0};
    bool begun = sqlite3_get_autocommit(store->db);
    if (begun && !store_execute(store, "BEGIN", error))
        return false;
    bool good = load_sessions(store, index, error) && load_drivers(store, index, error) &&
                (!count_results || count_driver_results(store, index, error));
    if (index->driver_count > 0)
        qsort(index->drivers, index->driver_count, sizeof(*index->drivers), compare_drivers);
    if (begun)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
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

// Results

// A row of table result, with what it points to.
struct row {
    struct store_past past;
    size_t driver; // rank
    char *strings[6];
};

struct walk {
    struct store *store;
    const struct store_query *query;
    const struct store_index *index;
    sqlite3_stmt *select;
    char *name; // of the rows
    struct row *rows;
    size_t count, room;
};

static void clear_rows(struct walk *walk)
{
    for (size_t i = 0; i < walk->count; i++)
        for (size_t s = 0; s < 6; s++)
            free(walk->rows[i].strings[s]);
    walk->count = 0;
    free(walk->name);
    walk->name = NULL;
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

#define HISTORY_COLUMNS                                                                            \
    "name, device, session, result, expectation, sha256, seed, runs, failed_runs,"                 \
    " no_progress_runs"

// Takes the row at hand. False if it cannot be what this program wrote.
static bool take_row(struct walk *walk)
{
    sqlite3_stmt *select = walk->select;
    if (walk->count == walk->room) {
        walk->room = walk->room * 2 + 16;
        walk->rows = lit_realloc(walk->rows, walk->room, sizeof(*walk->rows));
    }
    struct row *row = &walk->rows[walk->count++];
    *row = (struct row){0};
    static const int columns[] = {1, 3, 4, 5, 10, 11};
    for (size_t i = 0; i < 6; i++)
        row->strings[i] = store_column_text(select, columns[i]);
    struct store_past *past = &row->past;
    *past = (struct store_past){
        .session = store_index_session(walk->index, sqlite3_column_int64(select, 2)),
        .driver = store_index_driver(walk->index, row->strings[0]),
        .name = walk->name,
        .result = row->strings[1],
        .expectation = row->strings[2],
        .sha256 = row->strings[3],
        .stress = row->strings[4],
        .rule = row->strings[5],
    };
    row->driver = past->driver ? (size_t)(past->driver - walk->index->drivers) : 0;
    return sqlite3_column_int(select, 13) == 1 && past->session && past->driver &&
           eng_result_named(past->result) < ENG_RESULTS &&
           store_is_expectation(past->expectation) && store_is_hash(past->sha256) &&
           store_column_hex(select, 6, &past->seed) &&
           store_column_count(select, 7, INT64_MAX, &past->runs) &&
           store_column_count(select, 8, past->runs, &past->failed_runs) &&
           store_column_count(select, 9, past->runs - past->failed_runs, &past->no_progress_runs) &&
           store_column_count(select, 12, INT64_MAX, &past->first) &&
           !eng_runs_disagree(eng_result_named(past->result), past->runs, past->failed_runs,
                              past->no_progress_runs);
}

// Goes on behind all results of the name at hand.
static void jump(struct walk *walk)
{
    struct text next = {0};
    text_append(&next, (const char *)sqlite3_column_text(walk->select, 0),
                (size_t)sqlite3_column_bytes(walk->select, 0));
    text_append(&next, "", 1); // with nothing between
    sqlite3_reset(walk->select);
    sqlite3_bind_text(walk->select, 1, next.data, (int)next.length, SQLITE_TRANSIENT);
    text_free(&next);
}

static bool is_wanted(const struct walk *walk)
{
    const char *device = (const char *)sqlite3_column_text(walk->select, 1);
    const struct store_session *session =
        store_index_session(walk->index, sqlite3_column_int64(walk->select, 2));
    if (session && walk->index->contained[session - walk->index->sessions])
        return false;
    return !walk->query->device || (device && strcmp(device, walk->query->device) == 0);
}

static bool walk_names(struct walk *walk, const char *pattern,
                       bool (*visit)(const struct store_past *past, void *user), void *user,
                       struct lit_error *error)
{
    size_t literal = strcspn(pattern, "*?[");
    sqlite3_bind_text(walk->select, 1, pattern, (int)literal, SQLITE_STATIC);
    for (;;) {
        int step = sqlite3_step(walk->select);
        if (step == SQLITE_DONE)
            break;
        if (step != SQLITE_ROW)
            return store_fail(walk->store, error);
        if (sqlite3_column_type(walk->select, 0) != SQLITE_TEXT)
            return store_damaged(walk->store, error, "the name of a result");
        char *name = store_column_text(walk->select, 0);
        if (!walk->name || strcmp(walk->name, name) != 0) {
            if (!visit_rows(walk, visit, user)) {
                free(name);
                return true;
            }
            walk->name = name;
        } else {
            free(name);
        }
        if (strncmp(walk->name, pattern, literal) != 0)
            break;
        // Without the index the rows come from one sort, which is not done again.
        if (!cfg_matches(pattern, walk->name)) {
            if (walk->store->version >= 3)
                jump(walk);
        } else if (is_wanted(walk) && !take_row(walk)) {
            return store_damaged(walk->store, error, "a result of %.200s", walk->name);
        }
    }
    visit_rows(walk, visit, user);
    return true;
}

bool store_history(struct store *store, const struct store_query *query,
                   bool (*visit)(const struct store_past *past, void *user), void *user,
                   struct lit_error *error)
{
    struct store_index own = {0};
    struct walk walk = {.store = store, .query = query, .index = query->index};
    bool begun = sqlite3_get_autocommit(store->db);
    if (begun && !store_execute(store, "BEGIN", error))
        return false;
    bool good = walk.index || store_index_load(store, false, &own, error);
    if (!walk.index)
        walk.index = &own;
    if (good) {
        struct text sql = {0};
        text_printf(&sql,
                    "SELECT " HISTORY_COLUMNS ", %s, %s FROM result WHERE name >= ? ORDER BY name",
                    store->version < 3 ? "'', '', 0" : "stress, rule, first",
                    store_has_sums(store) ? "brief = " STORE_RESULT_BRIEF : "1");
        walk.select = store_prepare(store, sql.data, error);
        text_free(&sql);
        good = walk.select &&
               walk_names(&walk, query->pattern ? query->pattern : "*", visit, user, error);
    }
    sqlite3_finalize(walk.select);
    clear_rows(&walk);
    free(walk.rows);
    store_index_clear(&own);
    if (begun)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return good;
}
