// SPDX-License-Identifier: Apache-2.0
// What the files of the store share: the handle, statements, transactions and errors.
#pragma once

#include "store/store.h"

#include <sqlite3.h>
#include <sys/types.h>

struct store_lock {
    int file;   // -1: not held
    char *path; // of the lock file
};

#define STORE_KEPT 24

// Which file a name means.
struct store_identity {
    bool known;
    dev_t device;
    ino_t inode;
};

struct store {
    sqlite3 *db;
    char *path; // as the user gave it, for messages
    struct store_lock lock;
    struct store_identity file, log; // what is open; file.known: it is watched (store_stays)
    int version;                     // of the file's format: at most STORE_VERSION
    // Statements that are used again and again, by their text.
    struct store_kept {
        char *sql;
        sqlite3_stmt *statement; // NULL while it is lent
    } kept[STORE_KEPT];
};

// Takes the writer's lock of the store at `path`: a file beside it that names the process which
// holds it. The kernel drops the lock with the process, whatever ends it; a lock file that was left
// lying means nothing. `shown` is the path for messages.
bool store_lock_take(struct store_lock *lock, const char *path, const char *shown,
                     struct lit_error *error);
void store_lock_drop(struct store_lock *lock);

// Makes the tables of a new store, or brings an older one up to STORE_VERSION.
bool store_migrate(struct store *store, int version, struct lit_error *error);

// Turns SQLite's last error into one line. Always false.
bool store_fail(struct store *store, struct lit_error *error);
// The file holds something that this program never writes. Always false.
__attribute__((format(printf, 3, 4))) bool
store_damaged(const struct store *store, struct lit_error *error, const char *format, ...);

bool store_execute(struct store *store, const char *sql, struct lit_error *error);
// NULL with an error. sqlite3_finalize it.
sqlite3_stmt *store_prepare(struct store *store, const char *sql, struct lit_error *error);
// The same for a statement that is needed again and again: made once and kept until the store is
// closed. Hand it back with store_return. NULL with an error.
sqlite3_stmt *store_borrow(struct store *store, const char *sql, struct lit_error *error);
void store_return(struct store *store, sqlite3_stmt *statement); // NULL is fine
// Runs a statement that gives no rows.
bool store_done(struct store *store, sqlite3_stmt *statement, struct lit_error *error);

bool store_begin(struct store *store, struct lit_error *error);
// Commits if `good`, else rolls back. True if all is written.
bool store_end(struct store *store, bool good, struct lit_error *error);

// Binding. NULL strings become ""; strings must outlive the step.
void store_bind_text(sqlite3_stmt *statement, int index, const char *text);
void store_bind_count(sqlite3_stmt *statement, int index, uint64_t count);
void store_bind_hex(sqlite3_stmt *statement, int index, uint64_t value);

// Reading a column of a file that is not trusted. Text is sanitised and never NULL; free() it.
char *store_column_text(sqlite3_stmt *statement, int index);
// False if the value is negative or above `most`.
bool store_column_count(sqlite3_stmt *statement, int index, uint64_t most, uint64_t *count);
// False if the text is not "0x" and 1 to 16 hexadecimal digits.
bool store_column_hex(sqlite3_stmt *statement, int index, uint64_t *value);

// Gives the file the function litmus_uuid(...), a hash of its arguments in 16 hexadecimal digits:
// what identifies a session that was stored before sessions had an identity.
bool store_uuid_define(sqlite3 *db);
#define STORE_UUID "litmus_uuid(id, version, command, started, system, seed, runs, options)"

// Columns of table session, as store_session_read takes them; the same in every format.
const char *store_session_columns(const struct store *store);
// False if the row cannot be what this program wrote; clear it then too.
bool store_session_read(sqlite3_stmt *select, struct store_session *session);

// Columns of table device, as store_facts_read takes them, counted from `at`.
#define STORE_FACTS                                                                                \
    "name, driver_name, driver_info, driver_version, device_uuid, driver_uuid, driver_id,"         \
    " vendor, product, api, driver_raw, cpu, type, subgroup, subgroup_min, subgroup_max,"          \
    " subgroup_control, max_workgroup, max_workgroups, max_shared, max_storage_buffer, features"
// Behind them in STORE_FACTS's order: what came with format 3.
const char *store_facts_newer(const struct store *store);
bool store_facts_read(sqlite3_stmt *select, int at, struct dev_facts *facts);

// Whether a word can stand in the column of that name.
bool store_is_result(const char *name);
bool store_is_expectation(const char *name);
bool store_is_hash(const char *text);

// The name under which SQLite opens a path: never one that it takes for something else
// (":memory:"); links are followed. free() it.
char *store_file_name(const char *path);
// Remembers which files the store's name means, for store_stays.
void store_watch(struct store *store);
// Whether the log that has the name of the store's is its own, or there is none.
bool store_owns_log(const struct store *store);
// Makes the file at the path, which is there and empty, a copy of the whole store, one file.
// `durable`: it is on disk when this returns.
bool store_copy_file(struct store *from, const char *path, bool durable, struct lit_error *error);

// Behind the name of a merge's output: the file that becomes it.
#define STORE_UNFINISHED ".merge-unfinished"

// Whether a store can be at the path: a regular file that is not too short for one, or none.
bool store_is_usable(const char *path, struct lit_error *error);

// Opens a file that nobody else sees and that is thrown away if anything fails: it is not locked,
// and nothing waits for the disk. `shown` is what messages call it.
struct store *store_open_scratch(const char *path, const char *shown, struct lit_error *error);
