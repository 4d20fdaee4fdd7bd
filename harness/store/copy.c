// SPDX-License-Identifier: Apache-2.0
// Sessions from one store to another. Every row is read as reports read it, so that nothing that
// this program would not have written comes along.
#include "store/assemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct copying {
    struct store *from, *to;
    int64_t session; // in `to`
    char (*devices)[17];
    size_t device_count;
    struct lit_error *error;
    bool good;
};

static bool copy_device(unsigned number, const struct dev_facts *facts, const char *checker,
                        void *user)
{
    struct copying *copying = user;
    copying->devices =
        lit_realloc(copying->devices, copying->device_count + 1, sizeof(*copying->devices));
    dev_facts_id(facts, copying->devices[copying->device_count++]);
    copying->good =
        store_device_put(copying->to, copying->session, number, facts, checker, copying->error);
    return copying->good;
}

static bool copy_result(const struct store_result *result, void *user)
{
    struct copying *copying = user;
    size_t i = 0;
    while (i < copying->device_count && strcmp(copying->devices[i], result->device) != 0)
        i++;
    copying->good = i < copying->device_count
                        ? store_result_put(copying->to, copying->session, result, copying->error)
                        : store_damaged(copying->from, copying->error, "a result of no device");
    return copying->good;
}

static bool put_tuning(struct store *to, int64_t session, sqlite3_stmt *select,
                       struct lit_error *error)
{
    sqlite3_stmt *insert = store_borrow(
        to,
        "INSERT INTO tuning (session, device, name, sha256, stress, runs, failed_runs,"
        " no_progress_runs, seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (session, device, name, stress) DO UPDATE SET runs = runs + excluded.runs,"
        " failed_runs = failed_runs + excluded.failed_runs,"
        " no_progress_runs = no_progress_runs + excluded.no_progress_runs,"
        " seconds = seconds + excluded.seconds WHERE sha256 = excluded.sha256",
        error);
    if (!insert)
        return false;
    char *texts[4];
    sqlite3_bind_int64(insert, 1, session);
    for (int i = 0; i < 4; i++) {
        texts[i] = store_column_text(select, i);
        store_bind_text(insert, 2 + i, texts[i]);
    }
    for (int i = 4; i < 7; i++)
        sqlite3_bind_int64(insert, 2 + i, sqlite3_column_int64(select, i));
    double seconds = sqlite3_column_double(select, 7);
    sqlite3_bind_double(insert, 9, isfinite(seconds) ? fmax(seconds, 0) : 0);
    bool good = store_done(to, insert, error);
    store_return(to, insert);
    for (int i = 0; i < 4; i++)
        free(texts[i]);
    return good;
}

bool store_copy_try(struct store *from, sqlite3_stmt *select, struct store *to, int64_t copy,
                    struct lit_error *error)
{
    uint64_t runs, failed, none;
    if (sqlite3_column_int(select, 8) != 1 || !store_column_count(select, 4, INT64_MAX, &runs) ||
        !store_column_count(select, 5, runs, &failed) ||
        !store_column_count(select, 6, runs, &none))
        return store_damaged(from, error, "what a search for stress has tried");
    return !to || put_tuning(to, copy, select, error);
}

bool store_copy_tuning(struct store *from, int64_t session, struct store *to, int64_t copy,
                       struct lit_error *error)
{
    if (from->version < 3)
        return true;
    sqlite3_stmt *select = store_tuning_select(from, session, 0, error);
    if (!select)
        return false;
    int step;
    bool good = true;
    while (good && (step = sqlite3_step(select)) != SQLITE_DONE)
        good = step == SQLITE_ROW ? store_copy_try(from, select, to, copy, error)
                                  : store_fail(from, error);
    sqlite3_finalize(select);
    return good && store_tuning_seal(to, copy, error);
}

bool store_copy_session(struct store *from, int64_t session, struct store *to,
                        struct store_session *copy, struct lit_error *error)
{
    struct copying copying = {.from = from, .to = to, .error = error, .good = true};
    bool good = store_session_begin(to, copy, error);
    copying.session = copy->id;
    good = good && store_devices(from, session, copy_device, &copying, error) && copying.good &&
           store_results(from, session, copy_result, &copying, error) && copying.good &&
           store_copy_tuning(from, session, to, copy->id, error) &&
           store_copy_code(from, session, to, copy->id, error);
    free(copying.devices);
    return good;
}

bool store_remove_session(struct store *store, int64_t session, struct lit_error *error)
{
    sqlite3_stmt *erase = store_borrow(store, "DELETE FROM session WHERE id = ?", error);
    if (!erase)
        return false;
    sqlite3_bind_int64(erase, 1, session);
    bool good = store_done(store, erase, error);
    store_return(store, erase);
    return good && store_run(store, "DELETE FROM total WHERE session = ?", session, 0, error) &&
           store_total_make(store, STORE_KIND_SESSION, 0, error);
}

static sqlite3_stmt *select_runs(struct store *store, int64_t session, struct lit_error *error)
{
    sqlite3_stmt *select = store_prepare(
        store, "SELECT device, name, runs FROM result WHERE session = ? ORDER BY device, name",
        error);
    if (select)
        sqlite3_bind_int64(select, 1, session);
    return select;
}

static int compare_texts(sqlite3_stmt *a, sqlite3_stmt *b, int column)
{
    const char *left = (const char *)sqlite3_column_text(a, column);
    const char *right = (const char *)sqlite3_column_text(b, column);
    return strcmp(left ? left : "", right ? right : "");
}

bool store_session_within(struct store *a, int64_t session_a, struct store *b, int64_t session_b,
                          bool *within, struct lit_error *error)
{
    sqlite3_stmt *left = select_runs(a, session_a, error);
    sqlite3_stmt *right = left ? select_runs(b, session_b, error) : NULL;
    int step = SQLITE_DONE, other = SQLITE_ROW;
    bool good = right != NULL;
    *within = true;
    while (good && *within && (step = sqlite3_step(left)) == SQLITE_ROW) {
        int order = 1;
        while (order > 0 && (other = sqlite3_step(right)) == SQLITE_ROW) {
            order = compare_texts(left, right, 0);
            if (order == 0)
                order = compare_texts(left, right, 1);
        }
        *within = other == SQLITE_ROW && order == 0 &&
                  sqlite3_column_int64(left, 2) <= sqlite3_column_int64(right, 2);
        good = other == SQLITE_ROW || other == SQLITE_DONE || store_fail(b, error);
    }
    if (good && *within && step != SQLITE_DONE)
        good = store_fail(a, error);
    sqlite3_finalize(left);
    sqlite3_finalize(right);
    return good;
}
