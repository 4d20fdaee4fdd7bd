// SPDX-License-Identifier: Apache-2.0
// Statements, rows, transactions and errors over SQLite.
#include "store/private.h"

#include <stdarg.h>

// Returns the system's error number, 0 if unknown.
static int cause_of(sqlite3 *db)
{
    sqlite3_file *log = NULL;
    int cause = sqlite3_system_errno(db);
    // Each file keeps its own, whatever was called since.
    if (!cause)
        sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (log && log->pMethods)
        log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &cause);
    if (!cause)
        sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &cause);
    return cause;
}

bool store_fail(struct store *store, struct lit_error *error)
{
    static const struct {
        int code;
        const char *what;
    } known[] = {
        {SQLITE_FULL, "the disk is full: the last result was not stored, all before it were"},
        {SQLITE_NOTADB, "not a litmus store (not an SQLite file)"},
        {SQLITE_BUSY, "another process holds the file: try again"},
        {SQLITE_LOCKED, "another process holds the file: try again"},
        {SQLITE_READONLY, "cannot be written: read-only"},
    };
    const int code = sqlite3_errcode(store->db);
    const char *path = store->path, *what = sqlite3_errmsg(store->db);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == code)
            what = known[i].what;
    if (code == SQLITE_CORRUPT)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: the file is damaged (%s)", path, what);
    if (code != SQLITE_CANTOPEN && code != SQLITE_IOERR)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: %s", path, what);
    const int cause = cause_of(store->db);
    return lit_fail(error, LIT_EXIT_USAGE, "%s: %s: %s", path, what,
                    cause ? strerror(cause) : "no reason given");
}

bool store_damaged(const struct store *store, struct lit_error *error, const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    return lit_fail(error, LIT_EXIT_USAGE,
                    "%s: the file is damaged (%s); 'litmus store check' says what else",
                    store->path, what);
}

bool store_execute(struct store *store, const char *sql, struct lit_error *error)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK || store_fail(store, error);
}

static sqlite3_stmt *find_kept(struct store *store, const char *sql, struct lit_error *error)
{
    sqlite3_stmt *statement = NULL;
    for (size_t i = 0; i < STORE_KEPT; i++) {
        struct store_kept *kept = &store->kept[i];
        if (kept->statement && strcmp(kept->sql, sql) == 0) {
            statement = kept->statement;
            kept->statement = NULL;
            return statement;
        }
    }
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        store_fail(store, error);
    return statement;
}

static sqlite3_stmt *borrow(struct store *store, struct lit_error *error, const char *sql,
                            const char *types, va_list arguments)
{
    sqlite3_stmt *statement = find_kept(store, sql, error);
    for (int i = 0; statement && types[i]; i++) {
        if (types[i] == 'i') {
            sqlite3_bind_int64(statement, i + 1, va_arg(arguments, int64_t));
        } else {
            const char *text = va_arg(arguments, const char *);
            sqlite3_bind_text(statement, i + 1, text ? text : "", -1, SQLITE_STATIC);
        }
    }
    return statement;
}

// Returns the statements of a part; free() them.
static char *find_part(const char *file, const char *part)
{
    struct text head = {0}, text = {0};
    text_printf(&head, "\n--- %s\n", part);
    const char *at = strstr(file, head.data) + head.length, *end = strstr(at, "\n--- ");
    text_append(&text, at, end ? (size_t)(end - at) : strlen(at));
    text_free(&head);
    return text.data;
}

bool store_run_part(struct store *store, struct lit_error *error, const char *file,
                    const char *part)
{
    OWNED(lit_free) char *sql = find_part(file, part);
    return store_execute(store, sql, error);
}

sqlite3_stmt *store_borrow_part(struct store *store, struct lit_error *error, const char *file,
                                const char *part, const char *types, ...)
{
    OWNED(lit_free) char *sql = find_part(file, part);
    va_list arguments;
    va_start(arguments, types);
    sqlite3_stmt *statement = borrow(store, error, sql, types, arguments);
    va_end(arguments);
    return statement;
}

sqlite3_stmt *store_borrow(struct store *store, struct lit_error *error, const char *sql,
                           const char *types, ...)
{
    va_list arguments;
    va_start(arguments, types);
    sqlite3_stmt *statement = borrow(store, error, sql, types, arguments);
    va_end(arguments);
    return statement;
}

void store_return(struct store *store, sqlite3_stmt *statement)
{
    if (!statement)
        return;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    for (size_t i = 0; i < STORE_KEPT; i++) {
        struct store_kept *kept = &store->kept[i];
        if (kept->statement)
            continue;
        free(kept->sql);
        *kept = (struct store_kept){lit_strdup(sqlite3_sql(statement)), statement};
        return;
    }
    sqlite3_finalize(statement);
}

void store_drop_kept(struct store *store)
{
    for (size_t i = 0; i < STORE_KEPT; i++) {
        sqlite3_finalize(store->kept[i].statement);
        free(store->kept[i].sql);
        store->kept[i] = (struct store_kept){0};
    }
}

bool store_step(struct store *store, sqlite3_stmt *statement, struct lit_error *error)
{
    const bool good = sqlite3_step(statement) == SQLITE_DONE || store_fail(store, error);
    sqlite3_reset(statement);
    return good;
}

bool store_finish(struct store *store, struct lit_error *error, sqlite3_stmt *statement)
{
    const bool good = statement && store_step(store, statement, error);
    store_return(store, statement);
    return good;
}

bool store_take_number(struct store *store, struct lit_error *error, int64_t *number,
                       sqlite3_stmt *select)
{
    const bool good = select && (sqlite3_step(select) == SQLITE_ROW || store_fail(store, error));
    if (good)
        *number = sqlite3_column_int64(select, 0);
    store_return(store, select);
    return good;
}

bool store_each(struct store *store, struct lit_error *error, sqlite3_stmt *select,
                enum store_row (*row)(sqlite3_stmt *select, void *user), void *user)
{
    enum store_row said = STORE_NEXT;
    int step = SQLITE_ROW;
    if (!select)
        return false;
    while (said == STORE_NEXT && (step = sqlite3_step(select)) == SQLITE_ROW)
        said = row(select, user);
    if (said == STORE_NEXT && step != SQLITE_DONE) {
        store_fail(store, error);
        said = STORE_FAILED;
    }
    store_return(store, select);
    return said != STORE_FAILED;
}

static enum store_row take_text(sqlite3_stmt *select, void *user)
{
    *(char **)user = store_column_text(select, 0);
    return STORE_STOP;
}

bool store_text(struct store *store, struct lit_error *error, sqlite3_stmt *select, char **text)
{
    return store_each(store, error, select, take_text, text);
}

static enum store_row add_number(sqlite3_stmt *select, void *user)
{
    struct store_numbers *numbers = user;
    LIT_ADD(numbers->ids, numbers->count) = sqlite3_column_int64(select, 0);
    return STORE_NEXT;
}

bool store_add_numbers(struct store *store, struct lit_error *error, sqlite3_stmt *select,
                       struct store_numbers *numbers)
{
    return store_each(store, error, select, add_number, numbers);
}

bool store_enter(struct store *store, bool *own, struct lit_error *error)
{
    *own = sqlite3_get_autocommit(store->db);
    return !*own || store_execute(store, "BEGIN IMMEDIATE", error);
}

bool store_leave(struct store *store, bool own, bool good, struct lit_error *error)
{
    if (!own)
        return good;
    if (good && store_execute(store, "COMMIT", error))
        return store_stays(store, error);
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

bool store_enter_reading(struct store *store, bool *own, struct lit_error *error)
{
    *own = sqlite3_get_autocommit(store->db);
    return !*own || store_execute(store, "BEGIN", error);
}

void store_leave_reading(struct store *store, bool own)
{
    if (own)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

char *store_column_text(sqlite3_stmt *statement, int index)
{
    const char *raw = (const char *)sqlite3_column_text(statement, index);
    size_t size = raw ? strlen(raw) + 1 : 1;
    char *text = lit_alloc(size, 1);
    text_sanitise(text, size, raw ? raw : "");
    return text;
}

// --- Records

bool store_insert(struct store *store, enum store_kind kind, int64_t session, const void *record,
                  int64_t *number, bool *fresh, struct lit_error *error)
{
    const struct store_table *table = &store_tables[kind];
    OWNED(text_free) struct text sql = {0};
    text_printf(&sql, "INSERT INTO %s (%s, ", table->name, table->keys);
    store_put_columns(&sql, "", table->fields);
    text_puts(&sql, ") VALUES (nullif(?, 0)");
    for (size_t i = 0; i < table->fields.count; i++)
        text_puts(&sql, ", ?");
    text_puts(&sql, ") ");
    text_puts(&sql, table->known);
    for (size_t i = 2; table->updated && i < table->fields.count; i++) {
        const char *column = table->fields.fields[i].name;
        text_puts(&sql, i > 2 ? ", " : " ");
        text_puts(&sql, column);
        text_puts(&sql, " = excluded.");
        text_puts(&sql, column);
    }
    text_puts(&sql, kind == STORE_KIND_DEVICE ? "" : " RETURNING id");
    sqlite3_stmt *insert = store_borrow(store, error, sql.data, "i", session);
    if (!insert)
        return false;
    store_bind(insert, 2, table->fields, record);
    // Only a new row changes it.
    sqlite3_set_last_insert_rowid(store->db, 0);
    int step = sqlite3_step(insert);
    *number = step == SQLITE_ROW ? sqlite3_column_int64(insert, 0) : 0;
    if (step == SQLITE_ROW)
        step = sqlite3_step(insert);
    const bool good = step == SQLITE_DONE || store_fail(store, error);
    store_return(store, insert);
    *fresh = sqlite3_last_insert_rowid(store->db) == *number;
    return good;
}

bool store_put_record(struct store *store, enum store_kind kind, int64_t session,
                      const void *record, struct lit_error *error)
{
    bool own, fresh;
    int64_t number;
    if (!store_enter(store, &own, error))
        return false;
    const bool good = store_insert(store, kind, session, record, &number, &fresh, error) &&
                      store_sum_make(store, kind, session, number, error) &&
                      (!fresh || (number ? store_total_add(store, kind, session, number, error)
                                         : store_total_make(store, kind, session, error)));
    return store_leave(store, own, good, error);
}

struct records {
    struct store *store;
    const struct store_table *table;
    bool (*take)(int64_t number, void *record, void *user);
    void *user;
    struct lit_error *error;
};

static enum store_row take_record(sqlite3_stmt *select, void *user)
{
    const struct records *records = user;
    const struct store_table *table = records->table;
    const int64_t number = sqlite3_column_int64(select, 0);
    union {
        struct store_session session;
        struct eng_device device;
        struct result tuning;
        struct store_code_row code;
        struct store_kernel_row kernel;
    } record;
    memset(&record, 0, sizeof record);
    const bool good = store_read(select, 1, table->fields, &record) &&
                      sqlite3_column_int(select, 1 + (int)table->fields.count) == 1 &&
                      (!table->valid || table->valid(&record));
    const bool more = good && (!records->take || records->take(number, &record, records->user));
    char *name = NULL;
    if (table->named)
        memcpy(&name, (const char *)&record + table->named, sizeof name);
    if (!good && table->named)
        store_damaged(records->store, records->error, "%s %.200s", table->called, name);
    else if (!good)
        store_damaged(records->store, records->error, "%s %lld", table->called, (long long)number);
    store_clear(table->fields, &record);
    return !good ? STORE_FAILED : more ? STORE_NEXT : STORE_STOP;
}

bool store_each_selected(struct store *store, enum store_kind kind, sqlite3_stmt *select,
                         bool (*take)(int64_t number, void *record, void *user), void *user,
                         struct lit_error *error)
{
    struct records records = {store, &store_tables[kind], take, user, error};
    return store_each(store, error, select, take_record, &records);
}

bool store_each_record(struct store *store, enum store_kind kind, const char *rest, int64_t first,
                       int64_t second, bool (*take)(int64_t number, void *record, void *user),
                       void *user, struct lit_error *error)
{
    OWNED(text_free) struct text sql = {0};
    store_put_select(&sql, kind, rest);
    return store_each_selected(
        store, kind, store_borrow(store, error, sql.data, "ii", first, second), take, user, error);
}

bool store_is_intact(struct store *store, enum store_kind kind, int64_t session, int64_t number,
                     struct lit_error *error)
{
    OWNED(text_free) struct text rest = {0};
    if (kind == STORE_KIND_RESULT)
        return store_result_is_intact(store, session, number, error);
    text_printf(&rest, "WHERE %s", number ? store_tables[kind].where : "session = ?1");
    return store_total_check(store, kind, session, error) &&
           (kind == STORE_KIND_CODE
                ? store_codes_are_intact(store, rest.data, session, number, error)
                : store_each_record(store, kind, rest.data, session, number, NULL, NULL, error));
}
