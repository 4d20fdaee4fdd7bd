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

#define STORE_KEPT 64 // more than the number of statement texts

// Identifies the file that a name means.
struct store_identity {
    bool known;
    uint64_t device, inode;
};

struct store {
    sqlite3 *db;
    char *path; // as the user gave it, for messages
    struct store_lock lock;
    struct store_identity file, log; // the open files; file.known: watch it (store_stays)
    bool lenient;                    // ignore missing rows when reading the others
    // Reused statements, by their text.
    struct store_kept {
        char *sql;
        sqlite3_stmt *statement; // NULL while it is borrowed
    } kept[STORE_KEPT];
};

// --- Errors and statements (sql.c)

// Turns SQLite's last error into one line. Always false.
bool store_fail(struct store *store, struct lit_error *error);
// Reports content that this program never writes. Always false.
__attribute__((format(__printf__, 3, 4))) bool
store_damaged(const struct store *store, struct lit_error *error, const char *format, ...);

// Runs statements without arguments or rows.
bool store_execute(struct store *store, const char *sql, struct lit_error *error);

// Returns a statement, prepared once and kept until the store is closed, with its arguments ?1,
// ?2... bound: `types` has a letter each, 'i' for int64_t and 't' for const char * (NULL is ""; it
// must outlive the statement's use). Give it back with store_return. NULL with an error.
sqlite3_stmt *store_borrow(struct store *store, struct lit_error *error, const char *sql,
                           const char *types, ...);
void store_return(struct store *store, sqlite3_stmt *statement); // NULL is fine
void store_drop_kept(struct store *store);

// SQL files; lines "--- NAME" divide combine.sql into parts.
extern const char store_schema_sql[], store_combine_sql[];
// Runs the statements of a part; the second function borrows its only statement.
bool store_run_part(struct store *store, struct lit_error *error, const char *file,
                    const char *part);
sqlite3_stmt *store_borrow_part(struct store *store, struct lit_error *error, const char *file,
                                const char *part, const char *types, ...);
// Runs a statement that gives no rows; store_step runs a borrowed one and resets it.
#define store_run(store, error, ...)                                                               \
    store_finish(store, error, store_borrow(store, error, __VA_ARGS__))
bool store_finish(struct store *store, struct lit_error *error, sqlite3_stmt *statement);
bool store_step(struct store *store, sqlite3_stmt *statement, struct lit_error *error);
// The number in the first column of a statement's only row.
#define store_number(store, error, number, ...)                                                    \
    store_take_number(store, error, number, store_borrow(store, error, __VA_ARGS__))
bool store_take_number(struct store *store, struct lit_error *error, int64_t *number,
                       sqlite3_stmt *select);

// A reader's answer to a row.
enum store_row {
    STORE_NEXT,
    STORE_STOP,
    STORE_FAILED, // it has set the error
};
// Calls `row` for each row of a borrowed statement, and returns the statement. False with an error;
// if `select` is NULL, the error was reported before.
bool store_each(struct store *store, struct lit_error *error, sqlite3_stmt *select,
                enum store_row (*row)(sqlite3_stmt *select, void *user), void *user);

// Stores the text in the first column of the first row, sanitised; unchanged without a row.
bool store_text(struct store *store, struct lit_error *error, sqlite3_stmt *select, char **text);

// The numbers in the first column of a statement's rows; free() ids. Keeps those read before an
// error.
struct store_numbers {
    int64_t *ids;
    size_t count;
};
bool store_add_numbers(struct store *store, struct lit_error *error, sqlite3_stmt *select,
                       struct store_numbers *numbers);

// Begins a transaction; *own is false inside a larger one. store_leave commits if `good`, else
// rolls back; true if everything is written.
bool store_enter(struct store *store, bool *own, struct lit_error *error);
bool store_leave(struct store *store, bool own, bool good, struct lit_error *error);
// The same for reading several statements from one state.
bool store_enter_reading(struct store *store, bool *own, struct lit_error *error);
void store_leave_reading(struct store *store, bool own);

// Reads a column of an untrusted file. Text is sanitised and never NULL; free() it.
char *store_column_text(sqlite3_stmt *statement, int index);

// --- Tables (table.c)

struct store_fields {
    const struct field *fields;
    size_t count;
};

// The tables whose rows have checksums; before them the schema (which tables and indexes there are)
// and the courses.
enum store_kind {
    STORE_KIND_SCHEMA,
    STORE_KIND_COURSE, // has only totals
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
    struct store_fields fields; // of the struct that holds a row
    const char *members;        // what identifies a row within its session
    const char *where;          // selects a row: of session ?1, with number ?2
    const char *number;         // the column that a reader gets besides the record
    const char *called;         // what an error calls a row, before that number or its name
    size_t named;               // offset of the name; 0: print the number
    const char *known;          // appended to INSERT: what to do if the row exists;
    bool updated;               // append all fields but the first two to it
    // Whether this program could have written the record; NULL: accept all.
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

// A row of table result; the mode that it points to lies beside it.
struct store_result_row {
    struct result result;
    struct cat_mode mode;
};

// The parts of a result with their own tables: its arrays as rows. Each row has a column `key`, the
// element's place or its name; the fields are the element's.
struct store_child {
    const char *table, *key;
    struct store_fields fields;
    size_t offset, stride, rooms; // of the array in struct store_result_row
    size_t count; // offset of the number of elements, and the array is allocated; 0: it is in the
                  // row, without the elements whose first field is 0
    size_t bits;  // offset of a word with a bit for each place, its column "fails"; or 0
    const char *const *names; // of places; NULL: their numbers
};
#define STORE_CHILDREN 5
// Appends "PREFIXkey, PREFIXa, PREFIXb".
void store_put_child_columns(struct text *sql, const struct store_child *child);
extern const struct store_child store_children[STORE_CHILDREN];

// The first fields of a result, which histories read; an index has them.
#define STORE_BRIEF_FIELDS 12
extern const struct store_fields store_brief;

// Appends "PREFIXa, PREFIXb".
void store_put_columns(struct text *sql, const char *prefix, struct store_fields fields);
// Binds the fields of a record as the arguments from `at` on. Text must outlive the step.
void store_bind(sqlite3_stmt *statement, int at, struct store_fields fields, const void *record);
// Reads them from the columns from `at` on. False if this program cannot have written one; clear
// the record then too.
bool store_read(sqlite3_stmt *select, int at, struct store_fields fields, void *record);
void store_clear(struct store_fields fields, void *record);

// --- Checksums (sum.c): 64 bits of each row, in its column "sum"

// Defines the SQL functions for checksums: litmus_sum(...), the checksum of a row;
// litmus_total(...), of rows in any order; litmus_add(a, b); litmus_identity(text);
// litmus_past(...) and litmus_keep(...) of history.c.
bool store_functions_define(sqlite3 *db);

// Appends the expression for a row's checksum; for a result it covers its children.
void store_put_sum(struct text *sql, enum store_kind kind);
// "SELECT FIELDS, whether the sum is right FROM TABLE REST"; store_borrow it.
void store_put_select(struct text *sql, enum store_kind kind, const char *rest);

// Computes the checksum of a row, or for number 0 of all rows of the session.
bool store_sum_make(struct store *store, enum store_kind kind, int64_t session, int64_t number,
                    struct lit_error *error);
// Computes the checksums of all rows of a session, or for session 0 of all rows, with the totals,
// the parts of names and the courses.
bool store_sum_all(struct store *store, int64_t session, struct lit_error *error);

// How many rows of a kind there are, and which, to detect missing rows: for each session, and as
// session 0 for the sessions themselves, the courses and the schema. store_total_add adds a row
// that was just inserted; store_total_make computes it from the present rows.
bool store_total_add(struct store *store, enum store_kind kind, int64_t session, int64_t number,
                     struct lit_error *error);
bool store_total_make(struct store *store, enum store_kind kind, int64_t session,
                      struct lit_error *error);
// Whether the rows match the total; session 0: of every session.
bool store_total_check(struct store *store, enum store_kind kind, int64_t session,
                       struct lit_error *error);

// --- Rows, for code that writes, checks or copies them one by one

// Inserts a row or updates the existing one; *number is its id (0: it has none), *fresh whether it
// is new. The caller must then make sums and totals.
bool store_insert(struct store *store, enum store_kind kind, int64_t session, const void *record,
                  int64_t *number, bool *fresh, struct lit_error *error);
// The same in a transaction, with sums and totals.
bool store_put_record(struct store *store, enum store_kind kind, int64_t session,
                      const void *record, struct lit_error *error);

// Reads rows of sessions, devices or tries; `rest` is the statement after "FROM TABLE" with the
// arguments ?1 and ?2. `take` gets the number (of the session, or of the try) and the record; it
// may take over what the record points to and leave NULL. It returns false to stop. NULL: only read
// them.
bool store_each_record(struct store *store, enum store_kind kind, const char *rest, int64_t first,
                       int64_t second, bool (*take)(int64_t number, void *record, void *user),
                       void *user, struct lit_error *error);
// The same for a statement made by store_put_select.
bool store_each_selected(struct store *store, enum store_kind kind, sqlite3_stmt *select,
                         bool (*take)(int64_t number, void *record, void *user), void *user,
                         struct lit_error *error);
// Whether reports can read the session's row with this number; number 0: all rows.
bool store_is_intact(struct store *store, enum store_kind kind, int64_t session, int64_t number,
                     struct lit_error *error);
bool store_result_is_intact(struct store *store, int64_t session, int64_t number,
                            struct lit_error *error);
// Also unpacks codes; `rest` as above.
bool store_codes_are_intact(struct store *store, const char *rest, int64_t session, int64_t number,
                            struct lit_error *error);
// Writes the parts of the names of a session's results, or for session 0 of all results.
bool store_configurations_make(struct store *store, int64_t session, struct lit_error *error);
// Whether the stored parts of a name are correct.
bool store_configuration_check(struct store *store, const char *name, int64_t *right,
                               struct lit_error *error);

// Whether a word can be in the column of that name.
bool store_is_hash(const char *text);

// --- Courses (history.c): the results of a configuration under a driver

// litmus_past(SESSION, FIELDS of store_brief): packs what histories read of a result, except what
// its course says, with a checksum over both.
void store_past_make(sqlite3_context *context, int count, sqlite3_value **values);
// litmus_keep(KEPT, PAST): appends it to a struct text, bound as a pointer of that name. Gives 0.
#define STORE_KEPT_PAST "litmus_keep"
void store_past_keep(sqlite3_context *context, int count, sqlite3_value **values);
// Adds a result that was just inserted to its course.
bool store_course_add(struct store *store, int64_t result, const char *name, const char *device,
                      struct lit_error *error);
// Adds the results of a session that have no course; for session 0 makes all courses anew.
bool store_courses_make(struct store *store, int64_t session, struct lit_error *error);

// --- Copying (merge.c)

// Copies the rows of a table for which `where` holds, with ?1 and ?2, into the session `copy`:
// moves numbers of results by `offset`, assigns others anew. The caller must then make checksums.
bool store_copy_rows(struct store *from, struct store *to, const char *table, const char *where,
                     int64_t session, int64_t number, int64_t copy, int64_t offset,
                     struct lit_error *error);

// --- Opening, and files (store.c)

// Copies the whole store into the existing, empty file at `path`, as a single file. `durable`: it
// is on disk when this returns.
bool store_copy_file(struct store *from, const char *path, bool durable, struct lit_error *error);

// Locks the output, makes an empty file beside it and calls `fill`, which gives it the output's
// name with store_put_in_place. Removes what is left of it.
bool store_fill_scratch(const char *output,
                        bool (*fill)(const char *name, const char *temporary, void *user),
                        void *user, struct lit_error *error);
bool store_put_in_place(const char *temporary, const char *name, const char *shown,
                        struct lit_error *error);

// Opens a possibly damaged file for reading, without checking its content.
struct store *store_open_damaged(const char *path, struct lit_error *error);
// Opens a private file that is thrown away if anything fails: does not lock it or wait for the
// disk. `shown` is its name in messages.
struct store *store_open_scratch(const char *path, const char *shown, struct lit_error *error);
