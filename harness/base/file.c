// SPDX-License-Identifier: Apache-2.0
// Writes files atomically.
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <libgen.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINKS_MOST   40 // as the kernel
#define PIPE_SECONDS 5  // for somebody to read a pipe that has a name

bool lit_path_is_absolute(const char *path)
{
    const bool drive = sizeof PATH_SEPARATORS > 2 && path[0] && path[1] == ':';
    return drive || (path[0] && strchr(PATH_SEPARATORS, path[0]));
}

const char *lit_path_name(const char *path)
{
    for (const char *at; (at = strpbrk(path, PATH_SEPARATORS));)
        path = at + 1;
    return path;
}

void lit_path_resolve(const char *path, const char *contained, struct text *resolved)
{
    if (strpbrk(contained, PATH_SEPARATORS) && !lit_path_is_absolute(contained))
        text_append(resolved, path, (size_t)(lit_path_name(path) - path));
    text_puts(resolved, contained);
}

const char *lit_path_temporary(void)
{
    const char *named = secure_getenv("TMPDIR");
    return named && named[0] ? named : P_tmpdir;
}

bool lit_path_make_above(const char *path)
{
    OWNED(lit_free) char *copy = lit_strdup(path);
    bool good = true;
    for (char *at = copy; good && *at && (at = strpbrk(at + 1, PATH_SEPARATORS));) {
        const char separator = *at;
        *at = '\0';
        good = access(copy, F_OK) == 0 || mkdir(copy, 0777) == 0 || errno == EEXIST;
        *at = separator;
    }
    return good;
}

static bool fail(struct lit_error *error, const char *path)
{
    const int number = errno;
    return lit_fail(error, LIT_EXIT_USAGE, "cannot write %.300s: %s", path, strerror(number));
}

static char *folder_of(const char *path)
{
    char *copy = lit_strdup(path), *folder = lit_strdup(dirname(copy));
    free(copy);
    return folder;
}

char *lit_file_follow(const char *path)
{
    char *at = lit_strdup(path), to[PATH_MAX];
    for (int links = 0; links < LINKS_MOST; links++) {
        const ssize_t length = readlink(at, to, sizeof to - 1);
        char *folder = folder_of(at), *real = realpath(folder, NULL);
        const bool open = real && fnmatch("/proc/*/fd", real, 0) == 0;
        struct text next = {0};
        free(real);
        if (length < 0 || open) {
            free(folder);
            return at;
        }
        to[length] = '\0';
        text_printf(&next, "%s%s%s", to[0] == '/' ? "" : folder, to[0] == '/' ? "" : "/", to);
        free(folder);
        free(at);
        at = next.data;
    }
    free(at);
    errno = ELOOP;
    return NULL;
}

// Opened anew by its name it would begin at its beginning, and not append.
int lit_file_open_own(const char *path)
{
    if (strcmp(path, "/dev/stdin") == 0) // Windows has no such file
        return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    OWNED(lit_free) char *target = lit_file_follow(path);
    OWNED(lit_free) char *folder = target ? folder_of(target) : NULL;
    OWNED(lit_free) char *real = folder ? realpath(folder, NULL) : NULL;
    char own[64], *end = NULL;
    const char *name = target ? lit_path_name(target) : "";
    const unsigned long number = strtoul(name, &end, 10);
    snprintf(own, sizeof own, "/proc/%ld/fd", (long)getpid());
    const bool is_own = real && strcmp(real, own) == 0 && *name && !*end && number < INT_MAX;
    return is_own ? fcntl((int)number, F_DUPFD_CLOEXEC, 3) : -1;
}

bool lit_file_read(const char *path, size_t most, struct text *bytes, struct lit_error *error)
{
    const char *shown = strcmp(path, "/dev/stdin") == 0 ? "standard input" : path;
    if (text_read(bytes, path, most) && bytes->length <= most)
        return true;
    if (bytes->length > most) {
        lit_fail(error, LIT_EXIT_USAGE, "%.300s: longer than %zu bytes", shown, most);
        errno = EFBIG;
        return false;
    }
    const int number = errno;
    lit_fail(error, LIT_EXIT_USAGE, "cannot read %.300s: %s", shown,
             number == TEXT_NO_FILE ? "not a regular file" : strerror(number));
    errno = number;
    return false;
}

const char *const lit_store_companions[] = {
    "-wal", "-shm", "-journal", ".lock", LIT_STORE_UNFINISHED, NULL};

bool lit_file_is_database(const char *path)
{
    static const char magic[16] = "SQLite format 3";
    OWNED(text_free) struct text first = {0};
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           text_read(&first, path, sizeof magic - 1) && first.length == sizeof magic &&
           memcmp(first.data, magic, sizeof magic) == 0;
}

bool lit_file_is_free(const char *path, struct lit_error *error)
{
    OWNED(lit_free) char *target = lit_file_follow(path);
    const size_t length = target ? strlen(target) : 0;
    bool is_free = true;
    for (const char *const *end = lit_store_companions; *end && is_free; end++) {
        const size_t behind = strlen(*end);
        if (length <= behind || strcmp(target + length - behind, *end) != 0)
            continue;
        OWNED(lit_free) char *base = lit_strdup(target);
        base[length - behind] = '\0';
        is_free = !lit_file_is_database(base) ||
                  lit_fail(error, LIT_EXIT_USAGE,
                           "%.200s: belongs to the store %.200s: use another name", path, base);
    }
    return is_free;
}

bool lit_file_guard(const char *path, struct lit_error *error)
{
    return lit_file_is_free(path, error) &&
           (!lit_file_is_database(path) ||
            lit_fail(error, LIT_EXIT_USAGE, "%.200s: is a store: use another name", path));
}

static bool write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written == 0)
            errno = EIO;
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

// Closes in any case, and keeps errno from an earlier failure.
static bool close_after(int file, bool good)
{
    const int number = errno;
    const bool closed = close(file) == 0;
    if (!good)
        errno = number;
    return good && closed;
}

bool lit_file_sync_name(const char *path)
{
    char *folder = folder_of(path);
    const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    // Folders without read permission, and file systems that cannot sync folders.
    if (file < 0)
        return errno == EACCES;
    return close_after(file, fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP);
}

static bool give_mode(int file, const char *path)
{
    struct stat status;
    const mode_t mask = umask(0);
    umask(mask);
    return fchmod(file, stat(path, &status) == 0 ? status.st_mode & 0777 : 0666 & ~mask) == 0;
}

bool lit_file_replace(const char *temporary, const char *path)
{
    const int file = open(temporary, O_RDWR | O_CLOEXEC);
    return file >= 0 && close_after(file, give_mode(file, path) && fsync(file) == 0) &&
           rename(temporary, path) == 0 && lit_file_sync_name(path);
}

static int make_temporary(const char *path, struct text *name)
{
    text_printf(name, "%s.XXXXXX", path);
    return mkostemp(name->data, O_CLOEXEC);
}

static bool replace(const char *path, const void *bytes, size_t size)
{
    struct text temporary = {0};
    const int file = make_temporary(path, &temporary);
    const bool good = file >= 0 && close_after(file, write_all(file, bytes, size)) &&
                      lit_file_replace(temporary.data, path);
    const int number = errno;
    if (file >= 0 && !good)
        unlink(temporary.data); // fails if it was renamed
    text_free(&temporary);
    errno = number;
    return good;
}

// Opening a FIFO blocks until it has a reader: limits the wait.
static int open_in_time(const char *path, int flags)
{
    int file = -1;
    for (int i = 0; i < PIPE_SECONDS * 20; i++) {
        file = open(path, flags | O_WRONLY | O_NONBLOCK | O_CLOEXEC, 0666);
        if (file >= 0 || errno != ENXIO)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    if (file >= 0 && O_NONBLOCK)
        fcntl(file, F_SETFL, flags & O_APPEND);
    return file;
}

// Whether a path from lit_file_follow can be replaced, or does not exist yet.
static bool is_plain(const char *path)
{
    struct stat status;
    return lstat(path, &status) != 0 || S_ISREG(status.st_mode);
}

bool lit_file_write(const char *path, const void *bytes, size_t size, struct lit_error *error)
{
    OWNED(lit_free) char *target = lit_file_follow(path);
    if (!lit_file_guard(path, error))
        return false;
    bool good = target && is_plain(target) && replace(target, bytes, size);
    if (target && !is_plain(target)) {
        fflush(stdout);
        const int own = lit_file_open_own(target);
        const int file = own < 0 ? open_in_time(target, 0) : own;
        good = file >= 0 && close_after(file, write_all(file, bytes, size));
    }
    if (!good)
        fail(error, path);
    return good;
}

bool lit_file_check(const char *path, struct lit_error *error)
{
    OWNED(lit_free) char *target = lit_file_follow(path);
    if (!lit_file_guard(path, error))
        return false;
    bool good = target && !is_plain(target) && access(target, W_OK) == 0;
    if (target && is_plain(target)) {
        struct text temporary = {0};
        const int file = make_temporary(target, &temporary);
        good = file >= 0 && close_after(file, unlink(temporary.data) == 0);
        text_free(&temporary);
    }
    if (!good)
        fail(error, path);
    return good;
}

bool lit_file_append(const char *path, const void *bytes, size_t size, struct lit_error *error)
{
    if (!lit_file_guard(path, error))
        return false;
    const int file = open_in_time(path, O_APPEND | O_CREAT);
    return (file >= 0 && close_after(file, write_all(file, bytes, size))) || fail(error, path);
}
