// SPDX-License-Identifier: Apache-2.0
// Opening and closing a store, and the small helpers over SQLite that its other files use.
//
// Durability: a write-ahead log with synchronous=EXTRA. When a commit returns, the kernel has told
// the disk to write it down: neither a killed process nor a machine that is switched off loses it,
// and drivers under test do take machines down. File systems without shared memory for the log get
// a rollback journal instead, and EXTRA syncs its removal too: a journal that comes back undoes
// what was committed. A store that is closed is one file without a log beside it, so that it can be
// copied, attached and read from a folder that cannot be written.
#include "store/private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STORE_APPLICATION 0x4c49544d // "LITM", in the file's header
#define STORE_BUSY_MS     10000

// Bytes of a file that is checked as a whole when it is opened.
#define STORE_CHECKED_MOST (16 << 20)

// The number of the error that a call of the system ended with, 0 if it is not known.
static int cause_of(sqlite3 *db)
{
    sqlite3_file *log = NULL;
    int cause = sqlite3_system_errno(db);
    // Each file remembers its own, whatever was called since.
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
    int code = sqlite3_errcode(store->db);
    const char *path = store->path;
    switch (code) {
    case SQLITE_FULL:
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%s: the disk is full: the last result was not stored, all before it were",
                        path);
    case SQLITE_NOTADB:
        return lit_fail(error, LIT_EXIT_USAGE, "%s: not a litmus store (not an SQLite file)", path);
    case SQLITE_CORRUPT:
        return lit_fail(error, LIT_EXIT_USAGE, "%s: the file is damaged (%s)", path,
                        sqlite3_errmsg(store->db));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return lit_fail(error, LIT_EXIT_USAGE, "%s: another process holds the file: try again",
                        path);
    case SQLITE_READONLY:
        return lit_fail(error, LIT_EXIT_USAGE, "%s: cannot be written: read-only", path);
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR: {
        int cause = cause_of(store->db);
        return lit_fail(error, LIT_EXIT_USAGE, "%s: %s: %s", path, sqlite3_errmsg(store->db),
                        cause ? strerror(cause) : "no reason given");
    }
    default:
        return lit_fail(error, LIT_EXIT_USAGE, "%s: %s", path, sqlite3_errmsg(store->db));
    }
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

sqlite3_stmt *store_prepare(struct store *store, const char *sql, struct lit_error *error)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        store_fail(store, error);
    return statement;
}

sqlite3_stmt *store_borrow(struct store *store, const char *sql, struct lit_error *error)
{
    for (size_t i = 0; i < STORE_KEPT; i++) {
        struct store_kept *kept = &store->kept[i];
        if (kept->statement && strcmp(kept->sql, sql) == 0) {
            sqlite3_stmt *statement = kept->statement;
            kept->statement = NULL;
            return statement;
        }
    }
    return store_prepare(store, sql, error);
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

static void drop_kept(struct store *store)
{
    for (size_t i = 0; i < STORE_KEPT; i++) {
        sqlite3_finalize(store->kept[i].statement);
        free(store->kept[i].sql);
        store->kept[i] = (struct store_kept){0};
    }
}

bool store_done(struct store *store, sqlite3_stmt *statement, struct lit_error *error)
{
    return sqlite3_step(statement) == SQLITE_DONE || store_fail(store, error);
}

bool store_run(struct store *store, const char *sql, int64_t first, int64_t second,
               struct lit_error *error)
{
    sqlite3_stmt *statement = store_borrow(store, sql, error);
    if (!statement)
        return false;
    sqlite3_bind_int64(statement, 1, first);
    if (sqlite3_bind_parameter_count(statement) > 1)
        sqlite3_bind_int64(statement, 2, second);
    const bool good = store_done(store, statement, error);
    store_return(store, statement);
    return good;
}

bool store_begin(struct store *store, struct lit_error *error)
{
    return store_execute(store, "BEGIN IMMEDIATE", error);
}

bool store_end(struct store *store, bool good, struct lit_error *error)
{
    if (good && store_execute(store, "COMMIT", error))
        return store_stays(store, error);
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

bool store_enter(struct store *store, bool *own, struct lit_error *error)
{
    *own = sqlite3_get_autocommit(store->db);
    return !*own || store_begin(store, error);
}

bool store_leave(struct store *store, bool own, bool good, struct lit_error *error)
{
    return own ? store_end(store, good, error) : good;
}

void store_bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    sqlite3_bind_text(statement, index, text ? text : "", -1, SQLITE_STATIC);
}

void store_bind_count(sqlite3_stmt *statement, int index, uint64_t count)
{
    sqlite3_bind_int64(statement, index, count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

void store_bind_hex(sqlite3_stmt *statement, int index, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof(text), "0x%jx", (uintmax_t)value);
    sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT);
}

char *store_column_text(sqlite3_stmt *statement, int index)
{
    const char *raw = (const char *)sqlite3_column_text(statement, index);
    size_t size = raw ? strlen(raw) + 1 : 1;
    char *text = lit_alloc(size, 1);
    text_sanitise(text, size, raw ? raw : "");
    return text;
}

bool store_column_count(sqlite3_stmt *statement, int index, uint64_t most, uint64_t *count)
{
    int64_t value = sqlite3_column_int64(statement, index);
    *count = (uint64_t)value;
    return value >= 0 && *count <= most;
}

bool store_column_hex(sqlite3_stmt *statement, int index, uint64_t *value)
{
    const char *text = (const char *)sqlite3_column_text(statement, index);
    if (!text || strncmp(text, "0x", 2) != 0)
        return false;
    size_t digits = strspn(text + 2, "0123456789abcdefABCDEF");
    *value = strtoull(text + 2, NULL, 16);
    return digits >= 1 && digits <= 16 && text[2 + digits] == '\0';
}

bool store_number(struct store *store, const char *sql, int64_t *number, struct lit_error *error)
{
    sqlite3_stmt *statement = store_prepare(store, sql, error);
    if (!statement)
        return false;
    bool good = sqlite3_step(statement) == SQLITE_ROW || store_fail(store, error);
    if (good)
        *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return good;
}

// Says what kind of file this is before anything is changed in it. *version is 0 for an empty one.
static bool identify(struct store *store, int *version, struct lit_error *error)
{
    int64_t application, user_version, tables, newest;
    if (!store_number(store, "PRAGMA application_id", &application, error) ||
        !store_number(store, "PRAGMA user_version", &user_version, error) ||
        !store_number(store, "SELECT count(*) FROM sqlite_schema", &tables, error))
        return false;
    *version = 0;
    if (application == 0 && user_version == 0 && tables == 0)
        return true;
    if (application != STORE_APPLICATION || user_version < 1)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%s: not a litmus store (an SQLite file of another program)", store->path);
    if (user_version > STORE_VERSION)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%s: made by a newer litmus (format %d, this one knows up to %d): update "
                        "litmus, or use another file",
                        store->path, (int)user_version, STORE_VERSION);
    // The table that each format brought.
    if (!store_number(store,
                      "SELECT coalesce(max(CASE name WHEN 'choice' THEN 2 WHEN 'part' THEN 3"
                      " WHEN 'code' THEN 4 WHEN 'evidence' THEN 5 WHEN 'total' THEN 6 END), 1)"
                      " FROM sqlite_schema WHERE type = 'table'",
                      &newest, error))
        return false;
    *version = (int)user_version;
    return newest == user_version ||
           store_damaged(store, error,
                         "it says that it is of format %d, and has tables of format %d", *version,
                         (int)newest);
}

// What SQLite itself notices, and rows that belong to none. Reads all of the file, so that one of
// more than `most` bytes is left to `litmus store check`.
static bool check_structure(struct store *store, int64_t most, struct lit_error *error)
{
    int64_t size;
    if (!store_number(store,
                      "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
                      &size, error))
        return false;
    if (size > most)
        return true;
    sqlite3_stmt *check = store_prepare(store, "PRAGMA quick_check(1)", error);
    if (!check)
        return false;
    int step = sqlite3_step(check);
    bool good = step == SQLITE_ROW || store_fail(store, error);
    if (good) {
        char *found = store_column_text(check, 0);
        good = strcmp(found, "ok") == 0 || store_damaged(store, error, "%s", found);
        free(found);
    }
    sqlite3_finalize(check);
    check = good ? store_prepare(store, "PRAGMA foreign_key_check", error) : NULL;
    if (!check)
        return false;
    step = sqlite3_step(check);
    if (step == SQLITE_ROW) {
        char *table = store_column_text(check, 0), *of = store_column_text(check, 2);
        good = store_damaged(store, error, "a %s of no %s", table, of);
        free(table);
        free(of);
    } else {
        good = step == SQLITE_DONE || store_fail(store, error);
    }
    sqlite3_finalize(check);
    return good;
}

// The file may come from anywhere: nothing in its schema may run.
static void harden(sqlite3 *db)
{
    sqlite3_extended_result_codes(db, 0);
    sqlite3_busy_timeout(db, STORE_BUSY_MS);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 16 << 20);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
}

static bool prepare_file(struct store *store, struct lit_error *error)
{
    harden(store->db);
    return store_functions_define(store->db) || store_fail(store, error);
}

char *store_file_name(const char *path)
{
    struct text name = {0};
    char *resolved = realpath(path, NULL);
    if (!resolved && path[0] != '/')
        text_puts(&name, "./");
    text_puts(&name, resolved ? resolved : path);
    free(resolved);
    return name.data;
}

// The same as a URI, for a file in a folder that cannot be written.
static char *immutable_name(const char *path)
{
    struct text name = {0};
    text_puts(&name, "file:");
    for (const char *at = path; *at; at++) {
        if (strchr("%?#", *at))
            text_printf(&name, "%%%02x", (unsigned char)*at);
        else
            text_append(&name, at, 1);
    }
    text_puts(&name, "?immutable=1");
    return name.data;
}

static bool is_usable(const char *path, bool must_exist, struct lit_error *error)
{
    struct stat status;
    if (path[0] == '\0')
        return lit_fail(error, LIT_EXIT_USAGE, "the name of the store is empty");
    if (stat(path, &status) != 0) {
        if (errno == ENOENT && !must_exist)
            return true;
        if (errno == ENOENT)
            return lit_fail(error, LIT_EXIT_USAGE, "%s: no such file (a run makes it)", path);
        return lit_fail(error, LIT_EXIT_USAGE, "%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode))
        return lit_fail(error, LIT_EXIT_USAGE, "%s: not a regular file", path);
    // SQLite takes a file of a few bytes for an empty one and would overwrite it.
    if (status.st_size > 0 && status.st_size < 512)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: not a litmus store (not an SQLite file)", path);
    return true;
}

static struct store *store_new(const char *path)
{
    struct store *store = lit_alloc(1, sizeof(*store));
    store->path = lit_strdup(path);
    store->lock.file = -1;
    return store;
}

static bool open_writing(struct store *store, const char *name, bool scratch,
                         struct lit_error *error)
{
    if (!scratch && !store_lock_take(&store->lock, name, store->path, error))
        return false;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (sqlite3_open_v2(name, &store->db, flags, NULL) != SQLITE_OK)
        return store_fail(store, error);
    int version;
    if (!prepare_file(store, error) || !identify(store, &version, error) ||
        // What gets checksums now has to be right.
        !check_structure(store, version < STORE_VERSION ? INT64_MAX : STORE_CHECKED_MOST, error))
        return false;
    if (sqlite3_db_readonly(store->db, "main") == 1)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: cannot be written: read-only", store->path);
    // Either answers without an error or leaves the rollback journal, which is as good.
    sqlite3_exec(store->db, scratch ? "PRAGMA journal_mode = MEMORY" : "PRAGMA journal_mode = WAL",
                 NULL, NULL, NULL);
    if (!scratch)
        store_watch(store);
    return store_execute(store,
                         scratch ? "PRAGMA synchronous = OFF; PRAGMA cache_size = -65536"
                                 : "PRAGMA synchronous = EXTRA",
                         error) &&
           store_execute(store, "PRAGMA foreign_keys = ON", error) &&
           store_migrate(store, version, error);
}

static bool is_companion(const char *path, struct lit_error *error)
{
    char *owner = store_owner(path);
    if (owner)
        lit_fail(error, LIT_EXIT_USAGE, "%.200s: belongs to the store %.200s: use another name",
                 path, owner);
    free(owner);
    return owner != NULL;
}

bool store_is_usable(const char *path, struct lit_error *error)
{
    return is_usable(path, false, error) && !is_companion(path, error);
}

static struct store *open_as(const char *path, const char *shown, bool scratch,
                             struct lit_error *error)
{
    struct store *store = store_new(shown);
    char *name = store_file_name(path);
    if (!open_writing(store, name, scratch, error))
        store_close(&store);
    free(name);
    return store;
}

struct store *store_open(const char *path, struct lit_error *error)
{
    return store_is_usable(path, error) ? open_as(path, path, false, error) : NULL;
}

struct store *store_open_scratch(const char *path, const char *shown, struct lit_error *error)
{
    return open_as(path, shown, true, error);
}

static bool open_reading(struct store *store, const char *name, int more_flags,
                         struct lit_error *error)
{
    int flags = SQLITE_OPEN_READONLY | more_flags;
    if (sqlite3_open_v2(name, &store->db, flags, NULL) != SQLITE_OK)
        return store_fail(store, error);
    int version;
    if (!prepare_file(store, error) || !identify(store, &version, error))
        return false;
    if (version == 0)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: empty: nothing was stored in it yet",
                        store->path);
    store->version = version;
    return store_total_check(store, STORE_KIND_SCHEMA, 0, error) &&
           (store->lenient || check_structure(store, STORE_CHECKED_MOST, error));
}

static struct store *open_to_read(const char *path, bool lenient, struct lit_error *error)
{
    if (!is_usable(path, true, error))
        return NULL;
    struct store *store = store_new(path);
    store->lenient = lenient;
    char *name = store_file_name(path);
    bool good = open_reading(store, name, 0, error);
    if (!good && store->db && sqlite3_extended_errcode(store->db) == SQLITE_READONLY_ROLLBACK) {
        // A writer was killed while it closed the file: what it left is taken back by a writer.
        sqlite3 *writer = NULL;
        if (sqlite3_open_v2(name, &writer, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK)
            sqlite3_exec(writer, "PRAGMA schema_version", NULL, NULL, NULL);
        sqlite3_close(writer);
        sqlite3_close(store->db);
        good = open_reading(store, name, 0, error);
    }
    if (!good && store->db && sqlite3_errcode(store->db) == SQLITE_CANTOPEN) {
        // A log cannot be made in this folder. None is needed if none was left.
        struct text log = {0};
        text_printf(&log, "%s-wal", name);
        if (access(log.data, F_OK) != 0) {
            sqlite3_close(store->db);
            char *uri = immutable_name(name);
            good = open_reading(store, uri, SQLITE_OPEN_URI, error);
            free(uri);
        } else {
            lit_fail(error, LIT_EXIT_USAGE,
                     "%s: its last run was cut off, and this folder cannot be written: copy it "
                     "with the file %s-wal to one that can",
                     path, path);
        }
        text_free(&log);
    }
    if (!good)
        store_close(&store);
    free(name);
    return store;
}

struct store *store_open_read(const char *path, struct lit_error *error)
{
    return open_to_read(path, false, error);
}

struct store *store_open_damaged(const char *path, struct lit_error *error)
{
    return open_to_read(path, true, error);
}

void store_close(struct store **store)
{
    if (!*store)
        return;
    drop_kept(*store);
    if ((*store)->db && !store_owns_log(*store)) {
        // The log of another file, which came to have this name.
        sqlite3_db_config((*store)->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    } else if ((*store)->lock.file >= 0 && (*store)->db) {
        // Leaves the log behind if someone is reading: the next one to close removes it.
        sqlite3_busy_timeout((*store)->db, 0);
        sqlite3_exec((*store)->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    }
    sqlite3_close((*store)->db);
    store_lock_drop(&(*store)->lock);
    free((*store)->path);
    free(*store);
    *store = NULL;
}

const char *store_path(const struct store *store)
{
    return store->path;
}
