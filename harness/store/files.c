// SPDX-License-Identifier: Apache-2.0
// The files of a store: which ones belong to it, whether their names still mean the open files,
// where to save the content if not, and the writer's lock.
#include "store/private.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECOVERED_MOST 1000 // names to try

char *store_file_name(const char *path)
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

void store_watch(struct store *store)
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

bool store_owns_log(const struct store *store)
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

// --- Files that are complete or absent

static bool fail_file(struct lit_error *error, const char *path, const char *what)
{
    int number = errno;
    return lit_fail(error, LIT_EXIT_USAGE, "%.300s: cannot %s: %s", path, what, strerror(number));
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
    if (!store_is_usable(output, error))
        return false;
    OWNED(lit_free) char *name = store_file_name(output);
    bool good = store_lock_take(&lock, name, output, error);
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
    store_lock_drop(&lock);
    return good;
}

// --- The writer's lock: flock on a file beside the store. Not a lock on the store itself, because
// closing any descriptor of that file would drop SQLite's own locks on it.

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

bool store_lock_take(struct store_lock *lock, const char *path, const char *shown,
                     struct lit_error *error)
{
    struct text name = {0};
    text_printf(&name, "%s.lock", path);
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

void store_lock_drop(struct store_lock *lock)
{
    if (lock->file >= 0) {
        unlink(lock->path);
        close(lock->file);
    }
    lock->file = -1;
    free(lock->path);
    lock->path = NULL;
}
