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

#define STORE_KEPT 64 // more than there are texts of statements

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
    bool lenient; // rows that are gone are not noticed by those who read the others
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

// The number in the first column of a statement's only row.
bool store_number(struct store *store, const char *sql, int64_t *number, struct lit_error *error);
// Runs a statement whose ?1 and ?2 are numbers, that gives no rows.
bool store_run(struct store *store, const char *sql, int64_t first, int64_t second,
               struct lit_error *error);

bool store_begin(struct store *store, struct lit_error *error);
// Commits if `good`, else rolls back. True if all is written.
bool store_end(struct store *store, bool good, struct lit_error *error);
// The same for what may be a part of a larger transaction: *own says whether it is not.
bool store_enter(struct store *store, bool *own, struct lit_error *error);
bool store_leave(struct store *store, bool own, bool good, struct lit_error *error);

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

// Gives the file the functions of SQL that sums are made of: litmus_uuid(...), a hash of its
// arguments in 16 hexadecimal digits; litmus_sum(...), a checksum of a row; litmus_total(...), one
// of rows in whatever order; litmus_add(a, b).
bool store_functions_define(sqlite3 *db);

// What identifies a session that was stored before sessions had an identity.
#define STORE_UUID "litmus_uuid(id, version, command, started, system, seed, runs, options)"

// Checksums, from format 6 on. Each covers all of a row, that of a result also what belongs to it.
#define STORE_SESSION_SUM                                                                          \
    "litmus_sum(id, version, command, started, system, seed, runs, finished, options, uuid, "      \
    "shard,"                                                                                       \
    " shard_index, shard_count)"
#define STORE_DEVICE_SUM "litmus_sum(session, number, id, checker, " STORE_FACTS ", loader)"
#define STORE_TUNING_SUM                                                                           \
    "litmus_sum(session, device, name, sha256, stress, runs, failed_runs, no_progress_runs,"       \
    " seconds)"
#define STORE_CODE_SUM "litmus_sum(session, device, name, sha256, digest, packed)"
// What a history reads of a result, which is in an index.
#define STORE_RESULT_BRIEF                                                                         \
    "litmus_sum(result.session, result.device, result.name, result.result, result.expectation,"    \
    " result.sha256, result.seed, result.runs, result.failed_runs, result.no_progress_runs,"       \
    " result.stress, result.rule, result.first)"
#define STORE_RESULT_SUM                                                                           \
    "litmus_sum(" STORE_RESULT_BRIEF ", result.brief, result.reason, result.headline,"             \
    " result.checked_as, result.first_run_failed, result.instances, result.failed_instances,"      \
    " result.seconds,"                                                                             \
    " (SELECT litmus_total(outcome, instances) FROM outcome WHERE outcome.result = result.id),"    \
    " (SELECT litmus_total(number, run, instance, word, place, outcome, got, want) FROM failure"   \
    " WHERE failure.result = result.id),"                                                          \
    " (SELECT litmus_total(place, name, fails) FROM choice WHERE choice.result = result.id),"      \
    " (SELECT litmus_total(number, process, runs, failed_runs, no_progress_runs) FROM part"        \
    " WHERE part.result = result.id),"                                                             \
    " (SELECT litmus_total(kind, text) FROM evidence WHERE evidence.result = result.id))"

// Whether the format has them.
bool store_has_sums(const struct store *store);
// A column that is 1 if a row is what its sum says; always in a format that has none.
#define STORE_IS_WHOLE(store, table, sum) (store_has_sums(store) ? table ".sum = " sum : "1")

// How many rows there are of a kind, and which: so that rows which are gone are noticed. For each
// session; and as session 0 for the sessions themselves, and for what tables and indexes there are
// and how they are defined.
enum store_kind {
    STORE_KIND_SCHEMA,
    STORE_KIND_SESSION,
    STORE_KIND_DEVICE,
    STORE_KIND_RESULT,
    STORE_KIND_TUNING,
    STORE_KIND_CODE,
    STORE_KINDS
};
// "session", as the table is called.
const char *store_kind_name(enum store_kind kind);
// Adds a row that was just inserted to what there is; `row` is its id, of a device its number.
bool store_total_add(struct store *store, enum store_kind kind, int64_t session, int64_t row,
                     struct lit_error *error);
// Makes it of the rows that are there.
bool store_total_make(struct store *store, enum store_kind kind, int64_t session,
                      struct lit_error *error);
// Makes the sums of all rows that are there, as of a store that had none.
bool store_seal(struct store *store, struct lit_error *error);
// Whether the rows are those that were counted; session 0: of every session. True in a format that
// does not count them.
bool store_total_check(struct store *store, enum store_kind kind, int64_t session,
                       struct lit_error *error);

// Columns of table session, as store_session_read takes them; the same in every format. The last
// is whether its sum is right.
const char *store_session_columns(const struct store *store);
// False if the row cannot be what this program wrote; clear it then too.
bool store_session_read(sqlite3_stmt *select, struct store_session *session);

// Columns of table device, as store_facts_read takes them, counted from `at`.
#define STORE_FACTS                                                                                \
    "name, driver_name, driver_info, driver_version, device_uuid, driver_uuid, driver_id,"         \
    " vendor, product, api, driver_raw, cpu, type, subgroup, subgroup_min, subgroup_max,"          \
    " subgroup_control, max_workgroup, max_workgroups, max_shared, max_storage_buffer, features"
// Behind them: what came with format 3, and whether the sum is right.
const char *store_facts_newer(const struct store *store);
bool store_facts_read(sqlite3_stmt *select, int at, struct dev_facts *facts);

// The tries of a session: device, name, sha256, stress, runs, failed_runs, no_progress_runs,
// seconds, whether the sum is right. `id` is 0 for all of them. NULL with an error.
// sqlite3_finalize it.
sqlite3_stmt *store_tuning_select(struct store *store, int64_t session, int64_t id,
                                  struct lit_error *error);
// Makes the sums of a session's tries, after some were written.
bool store_tuning_seal(struct store *store, int64_t session, struct lit_error *error);

// store_devices for one of them, or for number 0 for all, whichever should be there.
bool store_devices_read(struct store *store, int64_t session, int64_t number,
                        bool (*visit)(unsigned number, const struct dev_facts *facts,
                                      const char *checker, void *user),
                        void *user, struct lit_error *error);
// The result that has an id, which is there. Clear it if true.
bool store_result_read(struct store *store, int64_t id, struct store_result *result,
                       struct lit_error *error);

// Whether a word can stand in the column of that name.
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
// Locks the output, makes an empty file beside it and calls `fill`, which gives it the output's
// name with store_put_in_place; what is left of it is removed.
bool store_fill_scratch(const char *output,
                        bool (*fill)(const char *name, const char *temporary, void *user),
                        void *user, struct lit_error *error);
bool store_put_in_place(const char *temporary, const char *name, const char *shown,
                        struct lit_error *error);

// Whether a store can be at the path: a regular file that is not too short for one, or none.
bool store_is_usable(const char *path, struct lit_error *error);

// Opens a file for reading that may be damaged: nothing in it is checked before it is read.
struct store *store_open_damaged(const char *path, struct lit_error *error);

// Opens a file that nobody else sees and that is thrown away if anything fails: it is not locked,
// and nothing waits for the disk. `shown` is what messages call it.
struct store *store_open_scratch(const char *path, const char *shown, struct lit_error *error);
