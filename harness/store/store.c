// SPDX-License-Identifier: Apache-2.0
// Opening and closing a store, and its files: which ones belong to it, whether their names still
// mean the open files, where to save the content if not, and the writer's lock.
//
// Durability: a write-ahead log with synchronous=EXTRA. When a commit returns, the kernel has told
// the disk to write it: neither a killed process nor a power loss undoes it, and drivers under test
// do take machines down. File systems without shared memory for the log get a rollback journal
// instead; EXTRA also syncs its removal, because a journal that reappears undoes a commit. A closed
// store is a single file without a log, so that it can be copied, attached and read from a
// read-only folder.
#include "base/file.h"
#include "store/private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECOVERED_MOST 1000 // names to try

// The name under which SQLite opens a path: never a special name (":memory:"); follows links.
// free() it.
static char *file_name(const char *path)
{
    struct text name = {0};
    OWNED(lit_free) char *resolved = realpath(path, NULL);
    if (!resolved && !lit_path_is_absolute(path))
        text_puts(&name, "./");
    text_puts(&name, resolved ? resolved : path);
    return name.data;
}

// --- Whether the names still mean the open files

static struct store_identity identity_of(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return (struct store_identity){0};
    return (struct store_identity){.known = true, .device = status.st_dev, .inode = status.st_ino};
}

static bool is_same(const struct store_identity *a, const struct store_identity *b)
{
    return a->known && b->known && a->device == b->device && a->inode == b->inode;
}

static const char *log_name(const struct store *store)
{
    return sqlite3_filename_wal(sqlite3_db_filename(store->db, "main"));
}

// SQLite creates the log when it first writes.
static void watch_log(struct store *store)
{
    if (!store->log.known)
        store->log = identity_of(log_name(store));
}

// Remembers which files the name means, for store_stays.
static void watch(struct store *store)
{
    int moved = 0;
    store->file = identity_of(store->path);
    // The name may no longer mean the opened file.
    sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (moved)
        store->file = (struct store_identity){.known = true};
    watch_log(store);
}

static bool is_in_place(struct store *store)
{
    const struct store_identity file = identity_of(store->path);
    if (!is_same(&store->file, &file))
        return false;
    if (store->log.known) {
        const struct store_identity log = identity_of(log_name(store));
        return is_same(&store->log, &log);
    }
    watch_log(store);
    return true;
}

// Whether the log beside the store belongs to it, or there is none.
static bool owns_log(const struct store *store)
{
    if (!store->log.known)
        return true;
    const struct store_identity now = identity_of(log_name(store));
    return !now.known || is_same(&store->log, &now);
}

// --- Where to save the content if not

bool store_copy_file(struct store *from, const char *path, bool durable, struct lit_error *error)
{
    sqlite3 *copy = NULL;
    bool good =
        sqlite3_open_v2(path, &copy, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_exec(copy, durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = OFF", NULL,
                     NULL, NULL) == SQLITE_OK;
    sqlite3_backup *backup = good ? sqlite3_backup_init(copy, "main", from->db, "main") : NULL;
    if (backup)
        sqlite3_backup_step(backup, -1);
    good = sqlite3_backup_finish(backup) == SQLITE_OK && good && backup;
    // Make the copy a single file, like a closed store.
    good =
        good && sqlite3_exec(copy, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL) == SQLITE_OK;
    if (!good)
        lit_fail(error, LIT_EXIT_USAGE, "%.200s: cannot be copied to %.200s: %s", from->path, path,
                 sqlite3_errmsg(copy));
    sqlite3_close(copy);
    return good;
}

// Makes an empty file beside the store, or among temporary files if that folder is gone.
static bool make_recovered(const struct store *store, struct text *name)
{
    const char *const starts[] = {store->path, lit_path_name(store->path)};
    for (size_t place = 0; place < 2; place++) {
        const size_t length = strlen(starts[place]);
        const bool ends = length > 3 && strcmp(starts[place] + length - 3, ".db") == 0;
        for (unsigned number = 1; number <= RECOVERED_MOST; number++) {
            char count[16] = "";
            if (number > 1)
                snprintf(count, sizeof count, "-%u", number);
            text_free(name);
            text_printf(name, "%s%s%.*s.recovered%s.db", place ? lit_path_temporary() : "",
                        place ? "/" : "", (int)(ends ? length - 3 : length), starts[place], count);
            const int file = open(name->data, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (file >= 0) {
                close(file);
                return true;
            }
            if (errno != EEXIST)
                break;
        }
    }
    return false;
}

bool store_stays(struct store *store, struct lit_error *error)
{
    OWNED(text_free) struct text name = {0};
    struct lit_error why = {0};
    if (!store->file.known || is_in_place(store))
        return true;
    store->file.known = false; // save it only once
    if (!make_recovered(store, &name))
        lit_fail(error, LIT_EXIT_USAGE,
                 "%.200s: moved or removed while it was written, and %.200s cannot be made: %s",
                 store->path, name.data, strerror(errno));
    else if (store_copy_file(store, name.data, true, &why))
        lit_fail(error, LIT_EXIT_USAGE,
                 "%.200s: moved or removed while it was written: what was measured is in %.200s",
                 store->path, name.data);
    else
        lit_fail(error, LIT_EXIT_USAGE, "%.100s: moved or removed while it was written; %s",
                 store->path, why.message);
    return false;
}

// --- The writer's lock: flock on a file beside the store. Not a lock on the store itself, because
// closing any descriptor of that file would drop SQLite's own locks on it.

static bool fail_file(struct lit_error *error, const char *path, const char *what)
{
    int number = errno;
    return lit_fail(error, LIT_EXIT_USAGE, "%.300s: cannot %s: %s", path, what, strerror(number));
}

// Whether the name still means the file opened by it: 1 or 0; -1 with errno if unknown.
static int names_same_file(int file, const char *path)
{
    struct stat held, named;
    if (fstat(file, &held) != 0)
        return -1;
    if (stat(path, &named) != 0)
        return errno == ENOENT ? 0 : -1;
    return held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

static bool fail_held(int file, const char *shown, struct lit_error *error)
{
    char text[32] = "";
    ssize_t length = pread(file, text, sizeof(text) - 1, 0);
    long pid = length > 0 ? strtol(text, NULL, 10) : 0;
    close(file);
    if (pid > 0)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%s: process %ld is writing to it: wait until it ends, or use another file",
                        shown, pid);
    return lit_fail(error, LIT_EXIT_USAGE,
                    "%s: another process is writing to it: wait until it ends, or use another file",
                    shown);
}

static bool take_lock(struct store_lock *lock, const char *path, const char *shown,
                      struct lit_error *error)
{
    struct text name = text_format("%s.lock", path);
    lock->path = name.data;
    for (;;) {
        // Close-on-exec: a worker that outlives its supervisor must not keep the lock.
        const int file = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        const bool held = file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0;
        if (file >= 0 && !held && errno == EWOULDBLOCK)
            return fail_held(file, shown, error);
        // The previous holder may have removed the file between our open and our lock.
        const int same = held ? names_same_file(file, lock->path) : -1;
        if (same < 0)
            fail_file(error, shown, "write here");
        if (same <= 0 && file >= 0)
            close(file);
        if (same < 0)
            return false;
        if (same == 0)
            continue;
        char text[32];
        int length = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
        // The number is only for messages: on a full disk the lock works without it.
        if (ftruncate(file, 0) != 0 || pwrite(file, text, (size_t)length, 0) != length)
            errno = 0;
        lock->file = file;
        return true;
    }
}

static void drop_lock(struct store_lock *lock)
{
    if (lock->file >= 0) {
        unlink(lock->path);
        close(lock->file);
    }
    lock->file = -1;
    free(lock->path);
    lock->path = NULL;
}

// --- Files that are complete or absent

// Whether a store can be read at the path, or (if it need not exist) be written there.
static bool is_usable(const char *path, bool must_exist, struct lit_error *error)
{
    struct stat status;
    if (path[0] == '\0')
        return lit_fail(error, LIT_EXIT_USAGE, "the name of the store is empty");
    if (stat(path, &status) != 0) {
        if (errno == ENOENT && !must_exist)
            return lit_file_is_free(path, error);
        if (errno == ENOENT)
            return lit_fail(error, LIT_EXIT_USAGE, "%s: no such file (a run creates it)", path);
        return lit_fail(error, LIT_EXIT_USAGE, "%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode))
        return lit_fail(error, LIT_EXIT_USAGE, "%s: not a regular file", path);
    // SQLite takes a file of a few bytes for an empty one and would overwrite it.
    if (status.st_size > 0 && status.st_size < 512)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: not a litmus store (not an SQLite file)", path);
    return must_exist || lit_file_is_free(path, error);
}

bool store_put_in_place(const char *temporary, const char *name, const char *shown,
                        struct lit_error *error)
{
    return lit_file_replace(temporary, name) || fail_file(error, shown, "write");
}

bool store_fill_scratch(const char *output,
                        bool (*fill)(const char *name, const char *temporary, void *user),
                        void *user, struct lit_error *error)
{
    struct store_lock lock = {.file = -1};
    OWNED(text_free) struct text temporary = {0};
    if (!is_usable(output, false, error))
        return false;
    OWNED(lit_free) char *name = file_name(output);
    bool good = take_lock(&lock, name, output, error);
    if (good) {
        text_printf(&temporary, "%s" LIT_STORE_UNFINISHED, name);
        unlink(temporary.data); // a killed process left it: we hold the lock
        int file = open(temporary.data, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        good = file >= 0 || fail_file(error, output, "write here");
        if (file >= 0) {
            close(file);
            good = fill(name, temporary.data, user);
            unlink(temporary.data); // fails if it was renamed
        }
    }
    drop_lock(&lock);
    return good;
}

// --- Opening and closing

#define COPY_BLOCK ((size_t)1 << 20)

#define STORE_APPLICATION 0x4c49544d // "LITM", in the file's header
#define STORE_BUSY_MS     10000

// A larger file is not checked as a whole when it is opened.
#define STORE_CHECKED_MOST (16 << 20)

// Identifies the file before anything in it changes. *empty: it has no content yet.
static bool identify(struct store *store, bool *empty, struct lit_error *error)
{
    int64_t application, version, tables;
    if (!store_number(store, error, &application, "PRAGMA application_id", "") ||
        !store_number(store, error, &version, "PRAGMA user_version", "") ||
        !store_number(store, error, &tables, "SELECT count(*) FROM sqlite_schema", ""))
        return false;
    *empty = application == 0 && version == 0 && tables == 0;
    if (*empty)
        return true;
    if (application != STORE_APPLICATION)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%s: not a litmus store (an SQLite file of another program)", store->path);
    return version == STORE_VERSION ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "%s: a store of format %lld, but this litmus reads and writes only format %d: "
                    "use another file",
                    store->path, (long long)version, STORE_VERSION);
}

struct structure {
    struct store *store;
    struct lit_error *error;
};

static enum store_row take_finding(sqlite3_stmt *check, void *user)
{
    const struct structure *structure = user;
    OWNED(lit_free) char *found = store_column_text(check, 0);
    const bool good =
        strcmp(found, "ok") == 0 || store_damaged(structure->store, structure->error, "%s", found);
    return good ? STORE_NEXT : STORE_FAILED;
}

static enum store_row take_orphan(sqlite3_stmt *check, void *user)
{
    const struct structure *structure = user;
    store_damaged(structure->store, structure->error, "a %s of no %s",
                  sqlite3_column_text(check, 0), sqlite3_column_text(check, 2));
    return STORE_FAILED;
}

// Checks that the tables are the ones created, what SQLite itself finds, and that no row lacks its
// parent. This reads the whole file; for one larger than STORE_CHECKED_MOST bytes only `litmus
// store check` does it.
static bool check_structure(struct store *store, struct lit_error *error)
{
    struct structure structure = {store, error};
    int64_t size;
    if (!store_number(store, error, &size,
                      "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
                      "") ||
        !store_total_check(store, STORE_KIND_SCHEMA, 0, error))
        return false;
    return size > STORE_CHECKED_MOST ||
           (store_each(store, error, store_borrow(store, error, "PRAGMA quick_check(1)", ""),
                       take_finding, &structure) &&
            store_each(store, error, store_borrow(store, error, "PRAGMA foreign_key_check", ""),
                       take_orphan, &structure));
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

// A name as a URI, for a file in a read-only folder.
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

static struct store *store_new(const char *path)
{
    struct store *store = lit_alloc(1, sizeof(*store));
    store->path = lit_strdup(path);
    store->lock.file = -1;
    return store;
}

static void close_database(struct store *store)
{
    store_drop_kept(store);
    sqlite3_close(store->db);
    store->db = NULL;
}

static bool open_database(struct store *store, const char *name, int flags, struct lit_error *error)
{
    // Only one thread at a time uses a store.
    if (sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return store_fail(store, error);
    harden(store->db);
    return store_functions_define(store->db) || store_fail(store, error);
}

static bool make_tables(struct store *store, struct lit_error *error)
{
    bool own;
    if (!store_enter(store, &own, error))
        return false;
    const bool good =
        store_execute(store, store_schema_sql, error) && store_sum_all(store, 0, error);
    return store_leave(store, own, good, error);
}

static bool open_writing(struct store *store, const char *name, bool scratch,
                         struct lit_error *error)
{
    if (!scratch && !take_lock(&store->lock, name, store->path, error))
        return false;
    bool empty;
    if (!open_database(store, name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error) ||
        !identify(store, &empty, error) || (!empty && !check_structure(store, error)))
        return false;
    if (sqlite3_db_readonly(store->db, "main") == 1)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: cannot be written: read-only", store->path);
    // Either succeeds without an error or keeps the rollback journal, which is just as good.
    sqlite3_exec(store->db, scratch ? "PRAGMA journal_mode = MEMORY" : "PRAGMA journal_mode = WAL",
                 NULL, NULL, NULL);
    if (!scratch)
        watch(store);
    return store_execute(store,
                         scratch ? "PRAGMA synchronous = OFF; PRAGMA cache_size = -65536"
                                 : "PRAGMA synchronous = EXTRA",
                         error) &&
           store_execute(store, "PRAGMA foreign_keys = ON", error) &&
           (!empty || make_tables(store, error));
}

static struct store *open_as(const char *path, const char *shown, bool scratch,
                             struct lit_error *error)
{
    struct store *store = store_new(shown);
    OWNED(lit_free) char *name = file_name(path);
    if (!open_writing(store, name, scratch, error))
        store_close(&store);
    return store;
}

struct store *store_open(const char *path, struct lit_error *error)
{
    return is_usable(path, false, error) ? open_as(path, path, false, error) : NULL;
}

struct store *store_open_scratch(const char *path, const char *shown, struct lit_error *error)
{
    return open_as(path, shown, true, error);
}

static bool open_reading(struct store *store, const char *name, int more_flags,
                         struct lit_error *error)
{
    bool empty;
    if (!open_database(store, name, SQLITE_OPEN_READONLY | more_flags, error) ||
        // SQLite's default of 2 MiB is too small for a session with thousands of results; it would
        // read pages several times.
        !store_execute(store, "PRAGMA cache_size = -16384", error) ||
        !identify(store, &empty, error))
        return false;
    if (empty)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: empty: nothing was stored in it yet",
                        store->path);
    return store->lenient || check_structure(store, error);
}

static struct store *open_to_read(const char *path, bool lenient, struct lit_error *error)
{
    if (!is_usable(path, true, error))
        return NULL;
    struct store *store = store_new(path);
    store->lenient = lenient;
    OWNED(lit_free) char *name = file_name(path);
    bool good = open_reading(store, name, 0, error);
    if (!good && store->db && sqlite3_extended_errcode(store->db) == SQLITE_READONLY_ROLLBACK) {
        // A writer was killed while it closed the file: only a writer can roll back what it left.
        sqlite3 *writer = NULL;
        if (sqlite3_open_v2(name, &writer, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK)
            sqlite3_exec(writer, "PRAGMA schema_version", NULL, NULL, NULL);
        sqlite3_close(writer);
        close_database(store);
        good = open_reading(store, name, 0, error);
    }
    if (!good && store->db && sqlite3_errcode(store->db) == SQLITE_CANTOPEN) {
        // A log cannot be made in this folder, but none is needed if none was left.
        OWNED(text_free) struct text log = text_format("%s-wal", name);
        if (access(log.data, F_OK) != 0) {
            close_database(store);
            OWNED(lit_free) char *uri = immutable_name(name);
            good = open_reading(store, uri, SQLITE_OPEN_URI, error);
        } else {
            lit_fail(error, LIT_EXIT_USAGE,
                     "%s: its last run was interrupted, and this folder cannot be written: copy it "
                     "with the file %s-wal to one that can",
                     path, path);
        }
    }
    if (!good)
        store_close(&store);
    return store;
}

struct store *store_open_read(const char *path, struct lit_error *error)
{
    return open_to_read(path, false, error);
}

// Copies a file and fills it with zeros up to `size` bytes. Closes both files.
static bool copy_filled(int from, int to, off_t size)
{
    OWNED(lit_free) char *block = lit_alloc(COPY_BLOCK, 1);
    ssize_t got = from < 0 || to < 0 ? -1 : 1;
    for (off_t at = 0; got > 0; at += got) {
        got = pread(from, block, COPY_BLOCK, at);
        if (got > 0 && pwrite(to, block, (size_t)got, at) != got)
            got = -1;
    }
    const bool good = got == 0 && ftruncate(to, size) == 0;
    close(from);
    return close(to) == 0 && good;
}

// SQLite refuses a file shorter than its header says. Makes a temporary copy with zeros for the
// missing end; false if nothing is missing. What a log still holds is not missing.
static bool fill(const char *path, struct text *filled)
{
    enum { PAGE_SIZE = 16, PAGES = 28, HEAD = 100 };
    unsigned char head[HEAD];
    const int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    OWNED(text_free) struct text log = text_format("%s-wal", path);
    bool cut = from >= 0 && pread(from, head, HEAD, 0) == HEAD && fstat(from, &status) == 0 &&
               access(log.data, F_OK) != 0 && lit_file_is_database(path);
    const off_t page = cut ? head[PAGE_SIZE] << 8 | head[PAGE_SIZE + 1] : 0;
    off_t size = page == 1 ? 65536 : page; // the format's encoding
    size *= cut ? (off_t)head[PAGES] << 24 | head[PAGES + 1] << 16 | head[PAGES + 2] << 8 |
                      head[PAGES + 3]
                : 0;
    if (!cut || size <= status.st_size || size / 65536 > UINT32_MAX) {
        if (from >= 0)
            close(from);
        return false;
    }
    text_printf(filled, "%s/litmus-cut-XXXXXX", lit_path_temporary());
    const int to = mkostemp(filled->data, O_CLOEXEC);
    cut = copy_filled(from, to, size);
    if (to >= 0 && !cut)
        unlink(filled->data);
    return cut;
}

struct store *store_open_damaged(const char *path, struct lit_error *error)
{
    OWNED(text_free) struct text filled = {0};
    if (!fill(path, &filled))
        return open_to_read(path, true, error);
    struct store *store = store_new(path);
    store->lenient = true;
    OWNED(lit_free) char *uri = immutable_name(filled.data);
    if (!open_reading(store, uri, SQLITE_OPEN_URI, error))
        store_close(&store);
    unlink(filled.data);
    return store;
}

void store_close(struct store **store)
{
    if (!*store)
        return;
    store_drop_kept(*store);
    if ((*store)->db && !owns_log(*store)) {
        // The log belongs to another file that got this name.
        sqlite3_db_config((*store)->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    } else if ((*store)->lock.file >= 0 && (*store)->db) {
        // If someone is reading, the log stays: the next one to close removes it.
        sqlite3_busy_timeout((*store)->db, 0);
        sqlite3_exec((*store)->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    }
    sqlite3_close((*store)->db);
    drop_lock(&(*store)->lock);
    free((*store)->path);
    free(*store);
    *store = NULL;
}

const char *store_path(const struct store *store)
{
    return store->path;
}
