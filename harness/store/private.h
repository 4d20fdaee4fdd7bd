// SPDX-License-Identifier: Apache-2.0
// What the files of the store share: the handle, statements, transactions, tables and checksums.
#pragma once

#include "model/field.h"
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
    uint64_t device, inode;
};

struct store {
    sqlite3 *db;
    char *path; // as the user gave it, for messages
    struct store_lock lock;
    struct store_identity file, log; // what is open; file.known: it is watched (store_stays)
    bool lenient;                    // missing rows are not an error for those who read the others
    // Statements that are used again and again, by their text.
    struct store_kept {
        char *sql;
        sqlite3_stmt *statement; // NULL while it is lent
    } kept[STORE_KEPT];
};

// --- Errors and statements (sql.c)

// Turns SQLite's last error into one line. Always false.
bool store_fail(struct store *store, struct lit_error *error);
// The file holds something that this program never writes. Always false.
__attribute__((format(__printf__, 3, 4))) bool
store_damaged(const struct store *store, struct lit_error *error, const char *format, ...);

// Runs statements without arguments or rows.
bool store_execute(struct store *store, const char *sql, struct lit_error *error);

// A statement, made once and kept until the store is closed, with its arguments ?1, ?2... bound:
// `types` has a letter each, 'i' for int64_t and 't' for const char * (NULL is ""; it must outlive
// the statement's use). Hand it back with store_return. NULL with an error.
sqlite3_stmt *store_borrow(struct store *store, struct lit_error *error, const char *sql,
                           const char *types, ...);
void store_return(struct store *store, sqlite3_stmt *statement); // NULL is fine
void store_drop_kept(struct store *store);

// SQL that stands in files of its own; combine.sql is cut into parts by lines "--- NAME".
extern const char store_schema_sql[], store_combine_sql[];
// Runs the statements of a part, or takes its one statement.
bool store_run_part(struct store *store, struct lit_error *error, const char *file,
                    const char *part);
sqlite3_stmt *store_borrow_part(struct store *store, struct lit_error *error, const char *file,
                                const char *part, const char *types, ...);
// Runs a statement that gives no rows; store_step for one that was borrowed, which it resets.
#define store_run(store, error, ...)                                                               \
    store_finish(store, error, store_borrow(store, error, __VA_ARGS__))
bool store_finish(struct store *store, struct lit_error *error, sqlite3_stmt *statement);
bool store_step(struct store *store, sqlite3_stmt *statement, struct lit_error *error);
// The number in the first column of a statement's only row.
#define store_number(store, error, number, ...)                                                    \
    store_take_number(store, error, number, store_borrow(store, error, __VA_ARGS__))
bool store_take_number(struct store *store, struct lit_error *error, int64_t *number,
                       sqlite3_stmt *select);

// What a reader says of a row.
enum store_row {
    STORE_NEXT,
    STORE_STOP,
    STORE_FAILED, // it has set the error
};
// Calls `row` for each row of a borrowed statement, and returns the statement. False with an error;
// NULL as `select` is an error that was told before.
bool store_each(struct store *store, struct lit_error *error, sqlite3_stmt *select,
                enum store_row (*row)(sqlite3_stmt *select, void *user), void *user);

// The text in the first column of a statement's first row, sanitised; as it was if there is none.
bool store_text(struct store *store, struct lit_error *error, sqlite3_stmt *select, char **text);

// The numbers in the first column of a statement's rows; free() ids. Those before an error stay.
struct store_numbers {
    int64_t *ids;
    size_t count;
};
bool store_add_numbers(struct store *store, struct lit_error *error, sqlite3_stmt *select,
                       struct store_numbers *numbers);

// A transaction, which may be a part of a larger one: *own says whether it is not. store_leave
// commits if `good`, else rolls back; true if all is written.
bool store_enter(struct store *store, bool *own, struct lit_error *error);
bool store_leave(struct store *store, bool own, bool good, struct lit_error *error);
// The same for those who read several statements of one state.
bool store_enter_reading(struct store *store, bool *own, struct lit_error *error);
void store_leave_reading(struct store *store, bool own);

// Reading a column of a file that is not trusted. Text is sanitised and never NULL; free() it.
char *store_column_text(sqlite3_stmt *statement, int index);

// --- Tables (table.c)

struct store_fields {
    const struct field *fields;
    size_t count;
};

// The tables whose rows have checksums, and before them what tables and indexes there are, and the
// courses.
enum store_kind {
    STORE_KIND_SCHEMA,
    STORE_KIND_COURSE, // has totals alone
    STORE_KIND_SESSION,
    STORE_KIND_DEVICE,
    STORE_KIND_RESULT,
    STORE_KIND_TUNING,
    STORE_KIND_CODE,
    STORE_KIND_KERNEL,
    STORE_KINDS
};

struct store_table {
    const char *name;
    const char *keys;           // columns before the fields: "session", ...
    struct store_fields fields; // of the struct that a row becomes
    const char *members;        // what a row is known by, among those of its session
    const char *where;          // chooses a row: of session ?1, of number ?2
    const char *number;         // the column that a reader gets beside the record
    const char *called;         // what an error calls a row, before that number or its name
    size_t named;               // offset of the name; 0: the number is said
    const char *known;          // behind an INSERT: what becomes of a row that is there already;
    bool updated;               // with all fields but the first two behind it
    // Whether a record is what this program could have written; NULL: all that can be read are.
    bool (*valid)(const void *record);
};
extern const struct store_table store_tables[STORE_KINDS];

// A row of table code.
struct store_code_row {
    char *device, *name, *sha256, *digest;
    struct field_blob packed;
};

// A row of table kernel.
struct store_kernel_row {
    struct field_blob packed;
    char *name;
};

// The parts of a result that have tables of their own: its arrays as rows. The row at each place of
// an array has the column `key`, which is the place, or its name; the fields are of the element.
struct store_child {
    const char *table, *key;
    struct store_fields fields;
    size_t offset, stride, rooms; // of the array in struct store_result
    size_t count; // offset of how many there are; 0: those whose first field is not 0
    size_t bits;  // offset of a word with a bit for each place, its column "fails"; or 0
    const char *const *names; // of places; NULL: their numbers
};
#define STORE_CHILDREN 5
// Appends "PREFIXkey, PREFIXa, PREFIXb".
void store_put_child_columns(struct text *sql, const struct store_child *child);
extern const struct store_child store_children[STORE_CHILDREN];

// The first fields of a result are those that histories read, which an index has.
#define STORE_BRIEF_FIELDS 12
extern const struct store_fields store_brief;

// Appends "PREFIXa, PREFIXb".
void store_put_columns(struct text *sql, const char *prefix, struct store_fields fields);
// Binds the fields of a record as the arguments from `at` on. Text must outlive the step.
void store_bind(sqlite3_stmt *statement, int at, struct store_fields fields, const void *record);
// Reads them from the columns from `at` on. False if one cannot be what this program wrote; clear
// the record then too.
bool store_read(sqlite3_stmt *select, int at, struct store_fields fields, void *record);
void store_clear(struct store_fields fields, void *record);

// --- Checksums (sum.c): 64 bits of each row, in its column "sum"

// Gives the file the functions of SQL that they are made of: litmus_sum(...), a checksum of a row;
// litmus_total(...), one of rows in whatever order; litmus_add(a, b); litmus_identity(text);
// litmus_past(...) and litmus_keep(...) of past.c.
bool store_functions_define(sqlite3 *db);

// Appends the expression that gives a row's checksum, which for a result covers its children.
void store_put_sum(struct text *sql, enum store_kind kind);
// "SELECT FIELDS, whether the sum is right FROM TABLE REST"; store_borrow it.
void store_put_select(struct text *sql, enum store_kind kind, const char *rest);

// Makes the checksum of a row, or for number 0 those of all rows of the session.
bool store_sum_make(struct store *store, enum store_kind kind, int64_t session, int64_t number,
                    struct lit_error *error);
// Makes those of all rows of a session, or for session 0 all there are, with the totals, the parts
// of names and the courses.
bool store_sum_all(struct store *store, int64_t session, struct lit_error *error);

// How many rows there are of a kind, and which: so that missing rows are noticed. For each session;
// and as session 0 for the sessions themselves, the courses and the schema. store_total_add adds a
// row that was just inserted; store_total_make makes it of the rows that are there.
bool store_total_add(struct store *store, enum store_kind kind, int64_t session, int64_t number,
                     struct lit_error *error);
bool store_total_make(struct store *store, enum store_kind kind, int64_t session,
                      struct lit_error *error);
// Whether the rows are those that were counted; session 0: of every session.
bool store_total_check(struct store *store, enum store_kind kind, int64_t session,
                       struct lit_error *error);

// --- Rows, for those who write, check or copy them one by one

// Inserts a row, or updates the one that is there; *number is the id that it has (0: it has none),
// *fresh whether it is new. Sums and totals are to be made then.
bool store_insert(struct store *store, enum store_kind kind, int64_t session, const void *record,
                  int64_t *number, bool *fresh, struct lit_error *error);
// The same in a transaction, with sums and totals.
bool store_put_record(struct store *store, enum store_kind kind, int64_t session,
                      const void *record, struct lit_error *error);

// Reads rows of sessions, devices or tries, by the statement from behind "FROM TABLE" with the
// arguments ?1 and ?2. `take` gets the number (of the session, or of the try) and the record, of
// which it may take over what it points to, leaving NULL; it returns false for enough. NULL: they
// are only read.
bool store_each_record(struct store *store, enum store_kind kind, const char *rest, int64_t first,
                       int64_t second, bool (*take)(int64_t number, void *record, void *user),
                       void *user, struct lit_error *error);
// The same for a statement that gives what store_put_select has.
bool store_each_selected(struct store *store, enum store_kind kind, sqlite3_stmt *select,
                         bool (*take)(int64_t number, void *record, void *user), void *user,
                         struct lit_error *error);
// Whether the row of a session that has a number can be read as reports read it; number 0: all.
bool store_is_intact(struct store *store, enum store_kind kind, int64_t session, int64_t number,
                     struct lit_error *error);
bool store_result_is_intact(struct store *store, int64_t session, int64_t number,
                            struct lit_error *error);
// Codes are unpacked to see whether they can be; `rest` as above.
bool store_codes_are_intact(struct store *store, const char *rest, int64_t session, int64_t number,
                            struct lit_error *error);
// Writes the parts of the names of a session's results, or for session 0 of all.
bool store_configurations_make(struct store *store, int64_t session, struct lit_error *error);
// Whether the parts of a name are those that were written.
bool store_configuration_check(struct store *store, const char *name, int64_t *right,
                               struct lit_error *error);

// Whether a word can stand in the column of that name.
bool store_is_hash(const char *text);

// --- Courses (past.c): the results of a configuration under a driver

// litmus_past(SESSION, FIELDS of store_brief): what histories read of a result but for what its
// course says, with a checksum over both.
void store_past_make(sqlite3_context *context, int count, sqlite3_value **values);
// litmus_keep(KEPT, PAST): appends it to a struct text, bound as a pointer of that name. Gives 0.
#define STORE_KEPT_PAST "litmus_keep"
void store_past_keep(sqlite3_context *context, int count, sqlite3_value **values);
// Reads the next of those that were kept, of the course with that seed. False if it cannot be what
// this program wrote. Its strings are within what was kept; name, session and driver stay.
struct store_past;
bool store_past_take(const struct text *kept, size_t *at, uint64_t seed, int64_t *session,
                     struct store_past *past);
uint64_t store_past_seed(const char *name, const char *device);
// Adds a result, which was just inserted, to its course.
bool store_course_add(struct store *store, int64_t result, const char *name, const char *device,
                      struct lit_error *error);
// Adds the results of a session that are in none; for session 0 makes all courses anew.
bool store_courses_make(struct store *store, int64_t session, struct lit_error *error);
// Counts them again, after sessions were removed.
bool store_courses_count(struct store *store, struct lit_error *error);

// --- Merging (copy.c, combine.c)

// Copies the rows of a table for which `where` holds, with ?1 and ?2, as those of the session
// `copy`: numbers of results are moved by `offset`, others are given anew. Their checksums are to
// be made then.
bool store_copy_rows(struct store *from, struct store *to, const char *table, const char *where,
                     int64_t session, int64_t number, int64_t copy, int64_t offset,
                     struct lit_error *error);
// Copies a session with all that belongs to it into another store, after reading every row as
// reports do; `uuid` is what it is called there. *copy is its number there.
bool store_copy_session(struct store *from, int64_t session, struct store *to, const char *uuid,
                        int64_t *copy, struct lit_error *error);
bool store_remove_session(struct store *store, int64_t session, struct lit_error *error);
// Makes totals right after sessions were removed.
bool store_forget_totals(struct store *store, struct lit_error *error);

struct store_merge_done;
struct store_merge_plan;
// Makes the tables in memory that combining, and those who ask for relations of sessions, use.
bool store_combine_prepare(struct store *store, struct lit_error *error);
// Combines the shards of each run into one session, as far as they are there.
bool store_combine_shards(struct store *store, struct store_merge_done *done,
                          struct lit_error *error);
// Combines the parts of each plan into one session, which is finished if `is_whole` says so
// (store/merge.h).
bool store_combine_parts(struct store *store, struct store_merge_done *done,
                         bool (*is_whole)(struct store *store, int64_t session,
                                          const char *options),
                         struct lit_error *error);
// Combines the finished sessions whose uuid is in the table arrived, or that were combined from
// such, into their sum.
bool store_combine_sum(struct store *store, struct store_merge_done *done, struct lit_error *error);
// Fills done->apart, when all was combined that is combined.
bool store_combine_apart(struct store *store, const struct store_merge_plan *plan,
                         struct store_merge_done *done, struct lit_error *error);

// --- Files (files.c)

// Takes the writer's lock of the store at `path`: a file beside it that names the process which
// holds it. The kernel drops the lock with the process, whatever ends it; a lock file that was left
// lying means nothing. `shown` is the path for messages.
bool store_lock_take(struct store_lock *lock, const char *path, const char *shown,
                     struct lit_error *error);
void store_lock_drop(struct store_lock *lock);

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
// Locks the output, makes an empty file beside it and calls `fill`, which gives it the output's
// name with store_put_in_place; what is left of it is removed.
bool store_fill_scratch(const char *output,
                        bool (*fill)(const char *name, const char *temporary, void *user),
                        void *user, struct lit_error *error);
bool store_put_in_place(const char *temporary, const char *name, const char *shown,
                        struct lit_error *error);

// --- Opening (store.c)

// Whether a store can be at the path: a regular file that is not too short for one, or none.
bool store_is_usable(const char *path, struct lit_error *error);
// Opens a file for reading that may be damaged: nothing in it is checked before it is read.
struct store *store_open_damaged(const char *path, struct lit_error *error);
// Opens a file that nobody else sees and that is thrown away if anything fails: it is not locked,
// and nothing waits for the disk. `shown` is what messages call it.
struct store *store_open_scratch(const char *path, const char *shown, struct lit_error *error);
