// SPDX-License-Identifier: Apache-2.0
// Copies sessions between stores.
#include "store/private.h"

#include <stdlib.h>
#include <string.h>

struct copying {
    struct store *from, *to;
    const char *table;
    int64_t session, offset;
    sqlite3_stmt *insert;
    struct lit_error *error;
};

// Columns of results that are computed from others.
static bool is_made(const char *column)
{
    return strcmp(column, "course") == 0 || strcmp(column, "past") == 0;
}

static bool prepare(struct copying *copying, sqlite3_stmt *select)
{
    OWNED(text_free) struct text sql = {0}, places = {0};
    text_printf(&sql, "INSERT INTO %s (", copying->table);
    for (int i = 0; i < sqlite3_column_count(select); i++) {
        const char *column = sqlite3_column_name(select, i);
        if (is_made(column))
            continue;
        text_printf(&sql, "%s%s", i ? ", " : "", column);
        text_printf(&places, "%s?%d", i ? ", " : "", i + 1);
    }
    text_printf(&sql, ") VALUES (%s)", places.data);
    copying->insert = store_borrow(copying->to, copying->error, sql.data, "");
    return copying->insert != NULL;
}

static enum store_row copy_row(sqlite3_stmt *select, void *user)
{
    struct copying *copying = user;
    if (!copying->insert && !prepare(copying, select))
        return STORE_FAILED;
    const bool results = strcmp(copying->table, "result") == 0;
    for (int i = 0; i < sqlite3_column_count(select); i++) {
        const char *column = sqlite3_column_name(select, i);
        const bool number = sqlite3_column_type(select, i) == SQLITE_INTEGER;
        if (is_made(column))
            continue;
        if (strcmp(column, "session") == 0)
            sqlite3_bind_int64(copying->insert, i + 1, copying->session);
        else if (number && strcmp(column, results ? "id" : "result") == 0)
            sqlite3_bind_int64(copying->insert, i + 1,
                               sqlite3_column_int64(select, i) + copying->offset);
        else if (number && strcmp(column, "id") == 0)
            sqlite3_bind_null(copying->insert, i + 1);
        else
            sqlite3_bind_value(copying->insert, i + 1, sqlite3_column_value(select, i));
    }
    const int step = sqlite3_step(copying->insert);
    if (step == SQLITE_CONSTRAINT)
        store_damaged(copying->from, copying->error, "a row of %s: %s", copying->table,
                      sqlite3_errmsg(copying->to->db));
    else if (step != SQLITE_DONE)
        store_fail(copying->to, copying->error);
    sqlite3_reset(copying->insert);
    return step == SQLITE_DONE ? STORE_NEXT : STORE_FAILED;
}

bool store_copy_rows(struct store *from, struct store *to, const char *table, const char *where,
                     int64_t session, int64_t number, int64_t copy, int64_t offset,
                     struct lit_error *error)
{
    struct copying copying = {from, to, table, copy, offset, NULL, error};
    OWNED(text_free) struct text sql = {0};
    text_printf(&sql, "SELECT * FROM %s WHERE %s ORDER BY 1", table, where);
    const bool good =
        store_each(from, error, store_borrow(from, error, sql.data, "ii", session, number),
                   copy_row, &copying);
    store_return(to, copying.insert);
    return good;
}

// Finds the offset that moves numbers of results after the existing ones.
static bool find_offset(struct store *from, int64_t session, struct store *to, int64_t *offset,
                        struct lit_error *error)
{
    int64_t least, most, used;
    if (!store_number(from, error, &least,
                      "SELECT coalesce(min(id), 1) FROM result WHERE session = ?", "i", session) ||
        !store_number(from, error, &most,
                      "SELECT coalesce(max(id), 1) FROM result WHERE session = ?", "i", session) ||
        !store_number(to, error, &used, "SELECT coalesce(max(id), 0) FROM result", ""))
        return false;
    if (least < 1 || used < 0 || most - least >= INT64_MAX - used)
        return store_damaged(from, error, "the number of a result");
    *offset = used + 1 - least;
    return true;
}

bool store_copy_session(struct store *from, int64_t session, struct store *to, const char *uuid,
                        int64_t *copy, struct lit_error *error)
{
    struct store_session row;
    int64_t offset = 0;
    if (!store_session_load(from, session, false, &row, error))
        return false;
    free(row.uuid);
    row.uuid = lit_strdup(uuid);
    bool good = true;
    for (enum store_kind kind = STORE_KIND_DEVICE; good && kind < STORE_KINDS; kind++)
        good = store_is_intact(from, kind, session, 0, error);
    good = good && find_offset(from, session, to, &offset, error) &&
           store_session_begin(to, &row, error);
    *copy = row.id;
    for (enum store_kind kind = STORE_KIND_DEVICE; good && kind < STORE_KINDS; kind++)
        good = store_copy_rows(from, to, store_tables[kind].name, "session = ?1", session, 0, *copy,
                               offset, error);
    for (size_t i = 0; good && i < STORE_CHILDREN; i++)
        good = store_copy_rows(from, to, store_children[i].table,
                               "result IN (SELECT id FROM result WHERE session = ?1)", session, 0,
                               *copy, offset, error);
    store_session_clear(&row);
    return good && store_sum_all(to, *copy, error);
}

bool store_forget_totals(struct store *store, struct lit_error *error)
{
    return store_run(
               store, error,
               "DELETE FROM total WHERE session NOT IN (SELECT id FROM session UNION SELECT 0)",
               "") &&
           store_courses_count(store, error) &&
           store_total_make(store, STORE_KIND_SESSION, 0, error);
}

bool store_remove_session(struct store *store, int64_t session, struct lit_error *error)
{
    return store_run(store, error, "DELETE FROM session WHERE id = ?", "i", session) &&
           store_forget_totals(store, error);
}
