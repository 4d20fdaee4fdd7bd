// SPDX-License-Identifier: Apache-2.0
// Checksums of rows and totals of rows. The tables' fields define what is summed: the same
// expression makes a sum and checks it.
#include "store/private.h"

#include "base/random.h"

// --- The functions of SQL

// hash_bytes of a number, little endian. Hashes its trailing zero bytes at once, since most are
// zero.
static uint64_t add_number(uint64_t hash, uint64_t number)
{
    const uint64_t p = HASH_PRIME, p2 = p * p, p4 = p2 * p2;
    unsigned zeros = 8;
    for (; number; number >>= 8, zeros--)
        hash = (hash ^ (number & 0xff)) * p;
    hash *= zeros & 1 ? p : 1;
    hash *= zeros & 2 ? p2 : 1;
    hash *= zeros & 4 ? p4 : 1;
    return hash * (zeros & 8 ? p4 * p4 : 1);
}

// The type and the length keep values apart.
static uint64_t add_value(uint64_t hash, sqlite3_value *value)
{
    const int64_t type = sqlite3_value_type(value);
    const bool bytes = type == SQLITE_TEXT || type == SQLITE_BLOB;
    const void *at = bytes ? sqlite3_value_blob(value) : NULL;
    const size_t size = bytes ? (size_t)sqlite3_value_bytes(value) : sizeof(uint64_t);
    const double real = type == SQLITE_FLOAT ? sqlite3_value_double(value) : 0;
    uint64_t number = (uint64_t)(type == SQLITE_INTEGER ? sqlite3_value_int64(value) : 0);
    if (type == SQLITE_FLOAT)
        memcpy(&number, &real, sizeof number);
    hash = add_number(add_number(hash, (uint64_t)type), size);
    return bytes ? hash_bytes(hash, at, size) : add_number(hash, number);
}

static uint64_t sum_of(int count, sqlite3_value **values)
{
    uint64_t hash = HASH_START;
    for (int i = 0; i < count; i++)
        hash = add_value(hash, values[i]);
    // Sums are added up, so mix all bits of each.
    return random_next(&(struct lit_random){hash});
}

// litmus_sum(...): the sum of one row.
static void sum_row(sqlite3_context *context, int count, sqlite3_value **values)
{
    sqlite3_result_int64(context, (int64_t)sum_of(count, values));
}

// litmus_total(...): the total of rows in any order, 0 for none.
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

// litmus_identity(text)
static void identity(sqlite3_context *context, int count, sqlite3_value **values)
{
    char id[IDENTITY_SIZE];
    const void *bytes = sqlite3_value_blob(values[0]);
    (void)count;
    identity_of(bytes ? bytes : "", (size_t)sqlite3_value_bytes(values[0]), id);
    sqlite3_result_text(context, id, -1, SQLITE_TRANSIENT);
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
        {"litmus_identity", 1, identity, NULL, NULL},
        {"litmus_sum", -1, sum_row, NULL, NULL},
        {"litmus_add", 2, add, NULL, NULL},
        {"litmus_total", -1, NULL, total_step, total_end},
        {"litmus_past", 1 + STORE_BRIEF_FIELDS, store_past_make, NULL, NULL},
        {"litmus_keep", 2, store_past_keep, NULL, NULL},
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

// --- Rows

static void put_past(struct text *sql)
{
    text_puts(sql, "litmus_past(result.session, ");
    store_put_columns(sql, "result.", store_brief);
    text_puts(sql, ")");
}

static void put_result_sum(struct text *sql)
{
    struct store_fields rest = store_tables[STORE_KIND_RESULT].fields;
    rest.fields += STORE_BRIEF_FIELDS;
    rest.count -= STORE_BRIEF_FIELDS;
    text_puts(sql, "litmus_sum(");
    put_past(sql);
    text_puts(sql, ", result.past, ");
    store_put_columns(sql, "result.", rest);
    for (size_t i = 0; i < STORE_CHILDREN; i++) {
        const struct store_child *child = &store_children[i];
        text_puts(sql, ", (SELECT litmus_total(");
        store_put_child_columns(sql, child);
        text_printf(sql, ") FROM %s WHERE %s.result = result.id)", child->table, child->table);
    }
    text_puts(sql, ")");
}

void store_put_sum(struct text *sql, enum store_kind kind)
{
    const struct store_table *table = &store_tables[kind];
    if (kind == STORE_KIND_RESULT) {
        put_result_sum(sql);
        return;
    }
    text_printf(sql, "litmus_sum(%s, ", table->keys);
    store_put_columns(sql, "", table->fields);
    text_puts(sql, ")");
}

void store_put_select(struct text *sql, enum store_kind kind, const char *rest)
{
    const struct store_table *table = &store_tables[kind];
    text_printf(sql, "SELECT %s.%s, ", table->name, table->number);
    for (size_t i = 0; i < table->fields.count; i++)
        text_printf(sql, "%s.%s, ", table->name, table->fields.fields[i].name);
    text_printf(sql, "%s.sum = ", table->name);
    store_put_sum(sql, kind);
    text_printf(sql, " FROM %s %s", table->name, rest);
}

bool store_sum_make(struct store *store, enum store_kind kind, int64_t session, int64_t number,
                    struct lit_error *error)
{
    const struct store_table *table = &store_tables[kind];
    const char *which = number || (session && kind == STORE_KIND_SESSION) ? table->where
                        : session                                         ? "session = ?1"
                                                                          : "?1 = 0";
    OWNED(text_free) struct text sql = {0};
    bool good = true;
    if (kind == STORE_KIND_RESULT) {
        text_puts(&sql, "UPDATE result SET past = ");
        put_past(&sql);
        text_printf(&sql, " WHERE %s", which);
        good = store_run(store, error, sql.data, "ii", session, number);
        sql.length = 0;
    }
    text_printf(&sql, "UPDATE %s SET sum = ", table->name);
    store_put_sum(&sql, kind);
    text_printf(&sql, " WHERE %s", which);
    return good && store_run(store, error, sql.data, "ii", session, number);
}

// --- Totals: which rows there are

bool store_total_add(struct store *store, enum store_kind kind, int64_t session, int64_t number,
                     struct lit_error *error)
{
    const struct store_table *table = &store_tables[kind];
    OWNED(text_free) struct text sql = {0};
    text_printf(&sql,
                "UPDATE total SET members = members + 1, sum = litmus_add(sum, (SELECT"
                " litmus_sum(%s) FROM %s WHERE %s)) WHERE session = %s AND kind = '%s'",
                table->members, table->name, table->where, kind <= STORE_KIND_SESSION ? "0" : "?1",
                table->name);
    return store_run(store, error, sql.data, "ii", session, number);
}

bool store_total_make(struct store *store, enum store_kind kind, int64_t session,
                      struct lit_error *error)
{
    const struct store_table *table = &store_tables[kind];
    OWNED(text_free) struct text sql = {0};
    if (kind <= STORE_KIND_SESSION)
        text_printf(&sql,
                    "INSERT OR REPLACE INTO total SELECT 0, '%s', count(*), litmus_total(%s)"
                    " FROM %s WHERE ?1 = 0",
                    table->name, table->members, table->name);
    else
        text_printf(&sql,
                    "INSERT OR REPLACE INTO total SELECT id, '%s', (SELECT count(*) FROM %s WHERE"
                    " session = s.id), (SELECT litmus_total(%s) FROM %s WHERE session = s.id)"
                    " FROM session AS s WHERE %s",
                    table->name, table->name, table->members, table->name,
                    session ? "id = ?1" : "?1 = 0");
    return store_run(store, error, sql.data, "i", session);
}

struct checking {
    struct store *store;
    enum store_kind kind;
    struct lit_error *error;
};

static enum store_row take_missing(sqlite3_stmt *select, void *user)
{
    const struct checking *c = user;
    if (c->kind == STORE_KIND_SCHEMA)
        store_damaged(c->store, c->error, "its tables have changed");
    else if (c->kind <= STORE_KIND_SESSION)
        store_damaged(c->store, c->error, "%ss are missing", store_tables[c->kind].name);
    else
        store_damaged(c->store, c->error, "%ss of session %lld are missing",
                      store_tables[c->kind].name, (long long)sqlite3_column_int64(select, 0));
    return STORE_FAILED;
}

bool store_total_check(struct store *store, enum store_kind kind, int64_t session,
                       struct lit_error *error)
{
    const struct store_table *table = &store_tables[kind];
    const bool global = kind <= STORE_KIND_SESSION;
    struct checking checking = {store, kind, error};
    OWNED(text_free) struct text sql = {0};
    if (store->lenient)
        return true;
    // Gives a row for each session whose total differs from its rows or is missing.
    if (global)
        text_puts(&sql, "SELECT 0 WHERE ?1 <= 0 AND");
    else
        text_printf(&sql, "SELECT session.id FROM session WHERE %s AND",
                    session ? "session.id = ?1" : "?1 = 0");
    text_printf(&sql,
                " coalesce((SELECT (members, sum) IS NOT (SELECT count(*), litmus_total(%s)"
                " FROM %s WHERE %s) FROM total WHERE total.session = %s AND kind = '%s'), 1)"
                " LIMIT 1",
                table->members, table->name, global ? "1" : "session = total.session",
                global ? "0" : "session.id", table->name);
    return store_each(store, error, store_borrow(store, error, sql.data, "i", session),
                      take_missing, &checking);
}

// --- All of a file

bool store_sum_all(struct store *store, int64_t session, struct lit_error *error)
{
    bool good = (session || (store_run(store, error, "DELETE FROM total", "") &&
                             store_total_make(store, STORE_KIND_SCHEMA, 0, error))) &&
                store_courses_make(store, session, error);
    for (enum store_kind kind = STORE_KIND_SESSION; good && kind < STORE_KINDS; kind++)
        good = store_sum_make(store, kind, session, 0, error) &&
               ((session && kind == STORE_KIND_SESSION) ||
                store_total_make(store, kind, session, error));
    return good;
}
