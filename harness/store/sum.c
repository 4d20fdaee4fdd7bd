// SPDX-License-Identifier: Apache-2.0
// Checksums of rows, and of which rows there are. What is summed is written down once, as SQL that
// reads what is stored: the same words make a sum, hold it against the row, and fill in those of
// an older store.
#include "store/private.h"

#include "base/random.h"

#include <stdio.h>
#include <string.h>

// Sums

// The type and the length keep the values apart.
static uint64_t add_value(uint64_t hash, sqlite3_value *value)
{
    const int64_t type = sqlite3_value_type(value);
    int64_t number = 0;
    double real = 0;
    const void *bytes = &number;
    size_t size = sizeof number;
    if (type == SQLITE_INTEGER) {
        number = sqlite3_value_int64(value);
    } else if (type == SQLITE_FLOAT) {
        real = sqlite3_value_double(value);
        bytes = &real;
    } else if (type != SQLITE_NULL) {
        bytes = sqlite3_value_blob(value);
        size = (size_t)sqlite3_value_bytes(value);
    }
    const uint64_t head[2] = {(uint64_t)type, size};
    return hash_bytes(hash_bytes(hash, head, sizeof head), bytes, size);
}

static uint64_t sum_of(int count, sqlite3_value **values)
{
    uint64_t hash = HASH_START;
    for (int i = 0; i < count; i++)
        hash = add_value(hash, values[i]);
    // Sums are added, so that all bits of each have to be mixed.
    return random_next(&(struct lit_random){hash});
}

// litmus_sum(...): of one row.
static void sum_row(sqlite3_context *context, int count, sqlite3_value **values)
{
    sqlite3_result_int64(context, (int64_t)sum_of(count, values));
}

// litmus_total(...): of rows in whatever order, 0 for none.
static void total_step(sqlite3_context *context, int count, sqlite3_value **values)
{
    uint64_t *total = sqlite3_aggregate_context(context, sizeof *total);
    if (total)
        *total += sum_of(count, values);
    else
        sqlite3_result_error_nomem(context);
}

static void total_end(sqlite3_context *context)
{
    const uint64_t *total = sqlite3_aggregate_context(context, 0);
    sqlite3_result_int64(context, total ? (int64_t)*total : 0);
}

// litmus_add(a, b): SQL's + does not wrap.
static void add(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    sqlite3_result_int64(context, (int64_t)((uint64_t)sqlite3_value_int64(values[0]) +
                                            (uint64_t)sqlite3_value_int64(values[1])));
}

// litmus_uuid(...): what identifies a session that was stored before sessions had an identity.
static void uuid_of(sqlite3_context *context, int count, sqlite3_value **values)
{
    uint64_t hash = HASH_START;
    char text[17];
    for (int i = 0; i < count; i++) {
        const char *bytes = (const char *)sqlite3_value_text(values[i]);
        // The terminator keeps the arguments apart.
        if (bytes)
            hash = hash_bytes(hash, bytes, (size_t)sqlite3_value_bytes(values[i]) + 1);
    }
    snprintf(text, sizeof(text), "%016jx", (uintmax_t)hash);
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

bool store_functions_define(sqlite3 *db)
{
    static const struct {
        const char *name;
        int count;
        void (*row)(sqlite3_context *context, int count, sqlite3_value **values);
        void (*step)(sqlite3_context *context, int count, sqlite3_value **values);
        void (*end)(sqlite3_context *context);
    } functions[] = {
        {"litmus_uuid", -1, uuid_of, NULL, NULL},
        {"litmus_sum", -1, sum_row, NULL, NULL},
        {"litmus_add", 2, add, NULL, NULL},
        {"litmus_total", -1, NULL, total_step, total_end},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        good = sqlite3_create_function(db, functions[i].name, functions[i].count,
                                       SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL,
                                       functions[i].row, functions[i].step,
                                       functions[i].end) == SQLITE_OK &&
               good;
    return good;
}

bool store_has_sums(const struct store *store)
{
    return store->version >= 6;
}

// Totals: which rows there are

// How a row of each table is known. `where` chooses the one whose number is ?3, of session ?1.
#define SESSIONS_OWN "session = ?1"
static const struct {
    const char *table, *members, *where;
} kinds[STORE_KINDS] = {
    [STORE_KIND_SCHEMA] = {"sqlite_schema", "type, name, tbl_name, sql", "0"},
    [STORE_KIND_SESSION] = {"session", "id, uuid", "id = ?3"},
    [STORE_KIND_DEVICE] = {"device", "number, id", "session = ?1 AND number = ?3"},
    [STORE_KIND_RESULT] = {"result", "id, device, name", "id = ?3"},
    [STORE_KIND_TUNING] = {"tuning", "id, device, name, stress", "id = ?3"},
    [STORE_KIND_CODE] = {"code", "id, device, name", "id = ?3"},
};

const char *store_kind_name(enum store_kind kind)
{
    return kinds[kind].table;
}

// Runs a statement on the total of a kind: ?1 is the session, 0 for the sessions, ?2 the kind, ?3 a
// row's number.
static bool run(struct store *store, enum store_kind kind, int64_t session, int64_t row,
                const struct text *sql, struct lit_error *error)
{
    sqlite3_stmt *statement = store_borrow(store, sql->data, error);
    if (!statement)
        return false;
    sqlite3_bind_int64(statement, 1, session);
    store_bind_text(statement, 2, kinds[kind].table);
    if (sqlite3_bind_parameter_count(statement) > 2)
        sqlite3_bind_int64(statement, 3, row);
    const bool good = store_done(store, statement, error);
    store_return(store, statement);
    return good;
}

bool store_total_add(struct store *store, enum store_kind kind, int64_t session, int64_t row,
                     struct lit_error *error)
{
    struct text sql = {0};
    text_printf(&sql,
                "UPDATE total SET members = members + 1, sum = litmus_add(sum, (SELECT"
                " litmus_sum(%s) FROM %s WHERE %s)) WHERE session = ?1 AND kind = ?2",
                kinds[kind].members, kinds[kind].table, kinds[kind].where);
    const bool good = run(store, kind, session, row, &sql, error);
    text_free(&sql);
    return good;
}

bool store_total_make(struct store *store, enum store_kind kind, int64_t session,
                      struct lit_error *error)
{
    struct text sql = {0};
    text_printf(&sql,
                "INSERT OR REPLACE INTO total (session, kind, members, sum)"
                " SELECT ?1, ?2, count(*), litmus_total(%s) FROM %s WHERE %s",
                kinds[kind].members, kinds[kind].table,
                kind <= STORE_KIND_SESSION ? "?1 = 0" : SESSIONS_OWN);
    const bool good = run(store, kind, session, 0, &sql, error);
    text_free(&sql);
    return good;
}

bool store_total_check(struct store *store, enum store_kind kind, int64_t session,
                       struct lit_error *error)
{
    struct text sql = {0};
    if (!store_has_sums(store) || store->lenient)
        return true;
    // A row for each session whose total is not that of its rows, or is not there.
    if (kind <= STORE_KIND_SESSION)
        text_puts(&sql, "SELECT 0 WHERE ?1 <= 0 AND");
    else
        text_printf(&sql, "SELECT session.id FROM session WHERE %s AND",
                    session ? "session.id = ?1" : "?1 = 0");
    text_printf(&sql,
                " coalesce((SELECT (members, sum) IS NOT (SELECT count(*), litmus_total(%s)"
                " FROM %s WHERE %s) FROM total WHERE total.session = %s AND kind = ?2), 1) LIMIT 1",
                kinds[kind].members, kinds[kind].table,
                kind <= STORE_KIND_SESSION ? "1" : "session = total.session",
                kind <= STORE_KIND_SESSION ? "0" : "session.id");
    sqlite3_stmt *select = store_borrow(store, sql.data, error);
    text_free(&sql);
    if (!select)
        return false;
    sqlite3_bind_int64(select, 1, session);
    store_bind_text(select, 2, kinds[kind].table);
    const int step = sqlite3_step(select);
    bool good = step == SQLITE_DONE;
    if (step == SQLITE_ROW && kind == STORE_KIND_SCHEMA)
        store_damaged(store, error, "its tables are not those that were made");
    else if (step == SQLITE_ROW && kind == STORE_KIND_SESSION)
        store_damaged(store, error, "not all sessions are there that were");
    else if (step == SQLITE_ROW)
        store_damaged(store, error, "not each %s of session %lld is there that was",
                      store_kind_name(kind), (long long)sqlite3_column_int64(select, 0));
    else if (!good)
        store_fail(store, error);
    store_return(store, select);
    return good;
}

bool store_seal(struct store *store, struct lit_error *error)
{
    bool good = store_execute(store,
                              "UPDATE session SET sum = " STORE_SESSION_SUM ";"
                              "UPDATE device SET sum = " STORE_DEVICE_SUM ";"
                              "UPDATE result SET brief = " STORE_RESULT_BRIEF
                              " WHERE brief <> " STORE_RESULT_BRIEF ";"
                              "UPDATE result SET sum = " STORE_RESULT_SUM ";"
                              "UPDATE tuning SET sum = " STORE_TUNING_SUM ";"
                              "UPDATE code SET sum = " STORE_CODE_SUM ";"
                              "DELETE FROM total",
                              error) &&
                store_total_make(store, STORE_KIND_SCHEMA, 0, error) &&
                store_total_make(store, STORE_KIND_SESSION, 0, error);
    for (enum store_kind kind = STORE_KIND_DEVICE; good && kind < STORE_KINDS; kind++) {
        struct text sql = {0};
        text_printf(&sql,
                    "INSERT INTO total SELECT id, '%s', (SELECT count(*) FROM %s WHERE session ="
                    " s.id), (SELECT litmus_total(%s) FROM %s WHERE session = s.id)"
                    " FROM session AS s",
                    kinds[kind].table, kinds[kind].table, kinds[kind].members, kinds[kind].table);
        good = store_execute(store, sql.data, error);
        text_free(&sql);
    }
    return good;
}
