// SPDX-License-Identifier: Apache-2.0
// The writer's lock: flock on a file beside the store. Not a lock on the store itself, because
// closing any descriptor of that file would drop SQLite's own locks on it.
#include "store/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// Whether the name still means the file that was opened by it: 1 or 0; -1 with errno if that cannot
// be known.
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

static bool fail_open(const char *shown, struct lit_error *error)
{
    return lit_fail(error, LIT_EXIT_USAGE, "%s: cannot write here: %s", shown, strerror(errno));
}

bool store_lock_take(struct store_lock *lock, const char *path, const char *shown,
                     struct lit_error *error)
{
    struct text name = {0};
    text_printf(&name, "%s.lock", path);
    lock->path = name.data;
    for (;;) {
        // Close-on-exec: a worker that outlives its supervisor must not keep the lock.
        int file = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (file < 0)
            return fail_open(shown, error);
        if (flock(file, LOCK_EX | LOCK_NB) != 0) {
            if (errno == EWOULDBLOCK)
                return fail_held(file, shown, error);
            fail_open(shown, error);
            close(file);
            return false;
        }
        // The one who held it may have removed the file between our open and our lock.
        int same = names_same_file(file, lock->path);
        if (same < 0)
            fail_open(shown, error);
        if (same <= 0)
            close(file);
        if (same < 0)
            return false;
        if (same == 0)
            continue;
        char text[32];
        int length = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
        // The number is for messages only: on a full disk the lock holds without it.
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
