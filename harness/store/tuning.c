// SPDX-License-Identifier: Apache-2.0
// The table of tries.
#include "store/tuning.h"

#include "store/private.h"

#include <math.h>
#include <stdlib.h>

static bool put(struct store *store, int64_t session, const struct store_tuning *tuning,
                struct lit_error *error)
{
    sqlite3_stmt *insert = store_prepare(
        store,
        "INSERT INTO tuning (session, device, name, sha256, stress, runs, failed_runs,"
        " no_progress_runs, seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (session, device, name, stress) DO UPDATE SET sha256 = excluded.sha256,"
        " runs = excluded.runs, failed_runs = excluded.failed_runs,"
        " no_progress_runs = excluded.no_progress_runs, seconds = excluded.seconds",
        error);
    if (!insert)
        return false;
    sqlite3_bind_int64(insert, 1, session);
    store_bind_text(insert, 2, tuning->device);
    store_bind_text(insert, 3, tuning->name);
    store_bind_text(insert, 4, tuning->sha256);
    store_bind_text(insert, 5, tuning->stress);
    store_bind_count(insert, 6, tuning->runs);
    store_bind_count(insert, 7, tuning->failed_runs);
    store_bind_count(insert, 8, tuning->no_progress_runs);
    sqlite3_bind_double(insert, 9, tuning->seconds);
    bool good = store_done(store, insert, error);
    sqlite3_finalize(insert);
    return good;
}

bool store_tuning_seal(struct store *store, int64_t session, struct lit_error *error)
{
    return store_run(store, "UPDATE tuning SET sum = " STORE_TUNING_SUM " WHERE session = ?",
                     session, 0, error) &&
           store_total_make(store, STORE_KIND_TUNING, session, error);
}

bool store_tuning_put(struct store *store, int64_t session, const struct store_tuning *tuning,
                      struct lit_error *error)
{
    bool own;
    if (!store_enter(store, &own, error))
        return false;
    const bool good =
        put(store, session, tuning, error) && store_tuning_seal(store, session, error);
    return store_leave(store, own, good, error);
}

// Columns 0 to 8: device, name, sha256, stress, runs, failed_runs, no_progress_runs, seconds,
// whether the sum is right.
static bool visit_row(sqlite3_stmt *select, bool (*visit)(const struct store_tuning *, void *),
                      void *user, bool *more)
{
    char *texts[4];
    for (int i = 0; i < 4; i++)
        texts[i] = store_column_text(select, i);
    struct store_tuning row = {.device = texts[0],
                               .name = texts[1],
                               .sha256 = texts[2],
                               .stress = texts[3],
                               .seconds = sqlite3_column_double(select, 7)};
    const bool good =
        sqlite3_column_int(select, 8) == 1 && store_column_count(select, 4, INT64_MAX, &row.runs) &&
        store_column_count(select, 5, row.runs, &row.failed_runs) &&
        store_column_count(select, 6, row.runs - row.failed_runs, &row.no_progress_runs) &&
        isfinite(row.seconds) && row.seconds >= 0;
    if (good)
        *more = visit(&row, user);
    for (int i = 0; i < 4; i++)
        free(texts[i]);
    return good;
}

static bool visit_all(struct store *store, sqlite3_stmt *select,
                      bool (*visit)(const struct store_tuning *, void *), void *user,
                      struct lit_error *error)
{
    bool good = true, more = true;
    int step;
    while (good && more && (step = sqlite3_step(select)) != SQLITE_DONE) {
        if (step != SQLITE_ROW)
            good = store_fail(store, error);
        else if (!visit_row(select, visit, user, &more))
            good = store_damaged(store, error, "what a search for stress has tried");
    }
    sqlite3_finalize(select);
    return good;
}

sqlite3_stmt *store_tuning_select(struct store *store, int64_t session, int64_t id,
                                  struct lit_error *error)
{
    struct text sql = {0};
    if (!store_total_check(store, STORE_KIND_TUNING, session, error))
        return NULL;
    text_printf(&sql,
                "SELECT device, name, sha256, stress, runs, failed_runs, no_progress_runs,"
                " seconds, %s FROM tuning WHERE session = ?1 AND (id = ?2 OR ?2 = 0) ORDER BY id",
                STORE_IS_WHOLE(store, "tuning", STORE_TUNING_SUM));
    sqlite3_stmt *select = store_prepare(store, sql.data, error);
    text_free(&sql);
    if (select) {
        sqlite3_bind_int64(select, 1, session);
        sqlite3_bind_int64(select, 2, id);
    }
    return select;
}

bool store_tunings(struct store *store, int64_t session,
                   bool (*visit)(const struct store_tuning *tuning, void *user), void *user,
                   struct lit_error *error)
{
    if (store->version < 3)
        return true;
    sqlite3_stmt *select = store_tuning_select(store, session, 0, error);
    return select && visit_all(store, select, visit, user, error);
}

bool store_tuned(struct store *store, bool (*visit)(const struct store_tuning *best, void *user),
                 void *user, struct lit_error *error)
{
    if (store->version < 3)
        return true;
    if (!store_total_check(store, STORE_KIND_RESULT, 0, error) ||
        !store_total_check(store, STORE_KIND_TUNING, 0, error))
        return false;
    struct text sql = {0};
    text_printf(&sql,
                "SELECT device, name, sha256, stress, runs, failed_runs, no_progress_runs,"
                " seconds, %s FROM result WHERE EXISTS (SELECT 1 FROM tuning"
                " WHERE tuning.session = result.session AND tuning.device = result.device"
                " AND tuning.name = result.name) ORDER BY session DESC, id DESC",
                STORE_IS_WHOLE(store, "result", STORE_RESULT_SUM));
    sqlite3_stmt *select = store_prepare(store, sql.data, error);
    text_free(&sql);
    return select && visit_all(store, select, visit, user, error);
}
