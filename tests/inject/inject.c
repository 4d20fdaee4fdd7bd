// SPDX-License-Identifier: Apache-2.0
// Has one call of the C library fail, for LD_PRELOAD. INJECT says which, five words with blanks
// between them:
//
//     FILE WHO CALL NTH HOW
//
// FILE is mapped by all processes: it holds how often WHO did each call (struct state), and from
// where the call came that failed. With NTH 0 nothing fails: calls are counted, and where FILE has
// room for it, each CALL of WHO has a number there that is the same for those that came from the
// same place. HOW is a
// number of errno; "short": a read or write that does a part of what it was asked for; or "kill":
// the process is killed instead. A + before it has all later calls fail too. Calls count over all
// processes of a kind, so that a worker that takes another's place does not see the same failure
// again.

#undef _FILE_OFFSET_BITS // functions have both of their names

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHORT   4095 // no numbers of errno
#define KILL    4094
#define FRAMES  24
#define OBJECTS 16

// Names that are the same call: with and without 64.
// clang-format off
#define CALLS(CALL)                                                                                \
    CALL(malloc)                                                                                   \
    CALL(open) CALL(close) CALL(read) CALL(write) CALL(pread) CALL(pwrite) CALL(lseek)             \
    CALL(fsync) CALL(fdatasync) CALL(ftruncate) CALL(fcntl) CALL(flock) CALL(mmap) CALL(stat)      \
    CALL(fstat) CALL(lstat) CALL(access) CALL(realpath) CALL(readlink) CALL(getcwd) CALL(rename)   \
    CALL(unlink) CALL(mkdir) CALL(rmdir) CALL(chmod) CALL(fchmod) CALL(mkostemp) CALL(mkdtemp)     \
    CALL(opendir) CALL(scandir) CALL(fopen) CALL(fread) CALL(fwrite) CALL(fflush) CALL(fclose)     \
    CALL(fork) CALL(execve) CALL(posix_spawn) CALL(dup2) CALL(pipe) CALL(socketpair) CALL(send)    \
    CALL(recv) CALL(poll) CALL(waitpid) CALL(pthread_create) CALL(getrandom) CALL(setenv)
// clang-format on

enum call {
#define CALL(name) CALL_##name,
    CALLS(CALL)
#undef CALL
        CALL_COUNT
};

static const char *const names[] = {
#define CALL(name) #name,
    CALLS(CALL)
#undef CALL
};

// DRIVER: what was loaded into a worker after its start. CHILD: between fork and exec.
enum who { SUPERVISOR, CHILD, WORKER, DRIVER, WHO_COUNT };
static const char *const whos[] = {"supervisor", "child", "worker", "driver"};

struct state {
    _Atomic uint64_t count[WHO_COUNT][64]; // in the order of CALLS
    _Atomic uint64_t failed;
    uint64_t frames[FRAMES]; // addresses in the program, 0 where they are none of it
    uint64_t places[];       // of the nth CALL of WHO
};

static struct {
    struct state *state; // NULL: nothing is counted
    enum who who, wanted;
    int call, how;
    bool later;
    uint64_t nth;
    size_t places; // that there is room for
    struct {
        uintptr_t begin, end;
    } objects[OBJECTS]; // what is loaded at the start; the program is the first
    size_t object_count;
    uintptr_t base; // of the program
} inject;

_Static_assert(CALL_COUNT <= 64, "struct state has room for 64 calls");

static bool is_own(uintptr_t address, size_t objects)
{
    for (size_t i = 0; i < objects; i++)
        if (address >= inject.objects[i].begin && address < inject.objects[i].end)
            return true;
    return false;
}

static void keep_frames(void)
{
    void *frames[FRAMES];
    const int count = backtrace(frames, FRAMES);
    for (int i = 0; i < count; i++)
        if (is_own((uintptr_t)frames[i], 1))
            inject.state->frames[i] = (uintptr_t)frames[i] - inject.base;
}

// Of addresses only what is the same in each process: their place in a page.
static uint64_t place(void)
{
    void *frames[FRAMES];
    const int count = backtrace(frames, FRAMES);
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < count; i++)
        hash = (hash ^ ((uintptr_t)frames[i] & 0xfff)) * 1099511628211u;
    return hash;
}

// Counts the call. Returns what it shall fail with, 0 if it shall not.
static int fails(enum call call, void *caller)
{
    if (!inject.state)
        return 0;
    enum who who = inject.who;
    if (who == WORKER && !is_own((uintptr_t)caller, inject.object_count))
        who = DRIVER;
    const uint64_t number = 1 + atomic_fetch_add(&inject.state->count[who][call], 1);
    if (who != inject.wanted || (int)call != inject.call)
        return 0;
    if (inject.nth == 0 && number <= inject.places)
        inject.state->places[number - 1] = place();
    if (inject.nth == 0 || (inject.later ? number < inject.nth : number != inject.nth))
        return 0;
    if (atomic_fetch_add(&inject.state->failed, 1) == 0)
        keep_frames();
    if (inject.how == KILL)
        raise(SIGKILL);
    return inject.how;
}

static int note_object(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    (void)user;
    if (inject.object_count == OBJECTS)
        return 1;
    uintptr_t begin = UINTPTR_MAX, end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uintptr_t from = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD)
            continue;
        begin = from < begin ? from : begin;
        end = from + part->p_memsz > end ? from + part->p_memsz : end;
    }
    if (inject.object_count == 0)
        inject.base = info->dlpi_addr;
    inject.objects[inject.object_count].begin = begin;
    inject.objects[inject.object_count++].end = end;
    return 0;
}

static int find(const char *word, const char *const *list, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(word, list[i]) == 0)
            return i;
    fprintf(stderr, "inject: '%s' is unknown\n", word);
    abort();
}

__attribute__((constructor)) static void start(int argc, char **argv)
{
    const char *asked = getenv("INJECT");
    char path[1024], who[16], call[32], how[16];
    unsigned long long nth;
    // The programs that litmus starts by a shell fail as they like.
    const char *name = argc > 0 && strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    if (!asked || (name && (strcmp(name, "sh") == 0 || strcmp(name, "timeout") == 0)))
        return;
    if (sscanf(asked, "%1023s %15s %31s %llu %15s", path, who, call, &nth, how) != 5)
        abort();
    inject.who = argc > 1 && strcmp(argv[1], "worker") == 0 ? WORKER : SUPERVISOR;
    inject.wanted = (enum who)find(who, whos, WHO_COUNT);
    inject.call = find(call, names, CALL_COUNT);
    inject.nth = nth;
    inject.later = how[0] == '+';
    const char *word = how + inject.later;
    inject.how = strcmp(word, "short") == 0 ? SHORT : strcmp(word, "kill") == 0 ? KILL : atoi(word);
    dl_iterate_phdr(note_object, NULL);
    // The first call loads what it needs.
    void *frame;
    backtrace(&frame, 1);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    const size_t size = (size_t)lseek(file, 0, SEEK_END);
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || size < sizeof(struct state) || map == MAP_FAILED)
        abort();
    close(file);
    inject.places = (size - sizeof(struct state)) / sizeof(uint64_t);
    inject.state = map;
}

// The function that the program would have called, as POSIX has it of dlsym.
#define NEXT(name)                                                                                 \
    static __typeof__(&name) next;                                                                 \
    if (!next)                                                                                     \
        *(void **)&next = dlsym(RTLD_NEXT, #name);

#define HERE __builtin_return_address(0)

// A function that returns `bad` with errno, and one that may do a part.
#define WRAP(type, call, name, parameters, arguments, bad)                                         \
    type name parameters                                                                           \
    {                                                                                              \
        NEXT(name)                                                                                 \
        const int how = fails(CALL_##call, HERE);                                                  \
        if (how) {                                                                                 \
            errno = how;                                                                           \
            return bad;                                                                            \
        }                                                                                          \
        return next arguments;                                                                     \
    }

#define WRAP_PART(type, call, name, parameters, arguments)                                         \
    type name parameters                                                                           \
    {                                                                                              \
        NEXT(name)                                                                                 \
        const int how = fails(CALL_##call, HERE);                                                  \
        if (how == SHORT) {                                                                        \
            length = length > 1 ? length / 2 : length;                                             \
        } else if (how) {                                                                          \
            errno = how;                                                                           \
            return -1;                                                                             \
        }                                                                                          \
        return next arguments;                                                                     \
    }

// One that returns the number itself.
#define WRAP_NUMBER(call, name, parameters, arguments)                                             \
    int name parameters                                                                            \
    {                                                                                              \
        NEXT(name)                                                                                 \
        const int how = fails(CALL_##call, HERE);                                                  \
        return how ? how : next arguments;                                                         \
    }

// One that releases what it is given all the same.
#define WRAP_END(call, name, parameters, arguments)                                                \
    int name parameters                                                                            \
    {                                                                                              \
        NEXT(name)                                                                                 \
        const int how = fails(CALL_##call, HERE);                                                  \
        const int result = next arguments;                                                         \
        if (!how)                                                                                  \
            return result;                                                                         \
        errno = how;                                                                               \
        return -1;                                                                                 \
    }

#define WRAP_OPEN(call, name, before, before_arguments, bits)                                      \
    int name before                                                                                \
    {                                                                                              \
        NEXT(name)                                                                                 \
        va_list list;                                                                              \
        va_start(list, flags);                                                                     \
        const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;            \
        va_end(list);                                                                              \
        const int how = fails(CALL_##call, HERE);                                                  \
        if (how) {                                                                                 \
            errno = how;                                                                           \
            return -1;                                                                             \
        }                                                                                          \
        return next before_arguments;                                                              \
    }

// All that fcntl takes fits into a pointer.
#define WRAP_FCNTL(name)                                                                           \
    int name(int file, int command, ...)                                                           \
    {                                                                                              \
        NEXT(name)                                                                                 \
        va_list list;                                                                              \
        va_start(list, command);                                                                   \
        void *argument = va_arg(list, void *);                                                     \
        va_end(list);                                                                              \
        const int how = fails(CALL_fcntl, HERE);                                                   \
        if (how) {                                                                                 \
            errno = how;                                                                           \
            return -1;                                                                             \
        }                                                                                          \
        return next(file, command, argument);                                                      \
    }

#define WRAP_STREAM(type, name, parameters, arguments, bad)                                        \
    type name parameters                                                                           \
    {                                                                                              \
        NEXT(name)                                                                                 \
        const int how = fails(CALL_##name, HERE);                                                  \
        if (how) {                                                                                 \
            if (stream)                                                                            \
                stream->_flags |= 0x20; /* what ferror tells */                                    \
            errno = how;                                                                           \
            return bad;                                                                            \
        }                                                                                          \
        return next arguments;                                                                     \
    }

WRAP(void *, malloc, malloc, (size_t size), (size), NULL)
WRAP(void *, malloc, calloc, (size_t count, size_t size), (count, size), NULL)
WRAP(void *, malloc, realloc, (void *old, size_t size), (old, size), NULL)
WRAP(void *, malloc, reallocarray, (void *old, size_t count, size_t size), (old, count, size), NULL)
WRAP(void *, malloc, memalign, (size_t alignment, size_t size), (alignment, size), NULL)
WRAP(void *, malloc, aligned_alloc, (size_t alignment, size_t size), (alignment, size), NULL)
WRAP_NUMBER(malloc, posix_memalign, (void **memory, size_t alignment, size_t size),
            (memory, alignment, size))

WRAP_OPEN(open, open, (const char *path, int flags, ...), (path, flags, mode), )
WRAP_OPEN(open, open64, (const char *path, int flags, ...), (path, flags, mode), )
WRAP_OPEN(open, openat, (int folder, const char *path, int flags, ...),
          (folder, path, flags, mode), )
WRAP_END(close, close, (int file), (file))
WRAP_PART(ssize_t, read, read, (int file, void *bytes, size_t length), (file, bytes, length))
WRAP_PART(ssize_t, write, write, (int file, const void *bytes, size_t length),
          (file, bytes, length))
WRAP_PART(ssize_t, pread, pread, (int file, void *bytes, size_t length, off_t at),
          (file, bytes, length, at))
WRAP_PART(ssize_t, pread, pread64, (int file, void *bytes, size_t length, off64_t at),
          (file, bytes, length, at))
WRAP_PART(ssize_t, pwrite, pwrite, (int file, const void *bytes, size_t length, off_t at),
          (file, bytes, length, at))
WRAP_PART(ssize_t, pwrite, pwrite64, (int file, const void *bytes, size_t length, off64_t at),
          (file, bytes, length, at))
WRAP(off_t, lseek, lseek, (int file, off_t at, int whence), (file, at, whence), -1)
WRAP(off64_t, lseek, lseek64, (int file, off64_t at, int whence), (file, at, whence), -1)
WRAP(int, fsync, fsync, (int file), (file), -1)
WRAP(int, fdatasync, fdatasync, (int file), (file), -1)
WRAP(int, ftruncate, ftruncate, (int file, off_t size), (file, size), -1)
WRAP(int, ftruncate, ftruncate64, (int file, off64_t size), (file, size), -1)
WRAP_FCNTL(fcntl)
WRAP_FCNTL(fcntl64)
WRAP(int, flock, flock, (int file, int what), (file, what), -1)
WRAP(void *, mmap, mmap, (void *at, size_t size, int protection, int flags, int file, off_t from),
     (at, size, protection, flags, file, from), MAP_FAILED)
WRAP(void *, mmap, mmap64,
     (void *at, size_t size, int protection, int flags, int file, off64_t from),
     (at, size, protection, flags, file, from), MAP_FAILED)
WRAP(void *, mmap, mremap, (void *at, size_t size, size_t wanted, int flags, ...),
     (at, size, wanted, flags), MAP_FAILED)

WRAP(int, stat, stat, (const char *path, struct stat *status), (path, status), -1)
WRAP(int, stat, stat64, (const char *path, struct stat64 *status), (path, status), -1)
WRAP(int, fstat, fstat, (int file, struct stat *status), (file, status), -1)
WRAP(int, fstat, fstat64, (int file, struct stat64 *status), (file, status), -1)
WRAP(int, lstat, lstat, (const char *path, struct stat *status), (path, status), -1)
WRAP(int, lstat, lstat64, (const char *path, struct stat64 *status), (path, status), -1)
WRAP(int, access, access, (const char *path, int mode), (path, mode), -1)
WRAP(char *, realpath, realpath, (const char *path, char *resolved), (path, resolved), NULL)
WRAP(ssize_t, readlink, readlink, (const char *path, char *target, size_t size),
     (path, target, size), -1)
WRAP(char *, getcwd, getcwd, (char *path, size_t size), (path, size), NULL)
WRAP(int, rename, rename, (const char *from, const char *to), (from, to), -1)
WRAP(int, unlink, unlink, (const char *path), (path), -1)
WRAP(int, mkdir, mkdir, (const char *path, mode_t mode), (path, mode), -1)
WRAP(int, rmdir, rmdir, (const char *path), (path), -1)
WRAP(int, chmod, chmod, (const char *path, mode_t mode), (path, mode), -1)
WRAP(int, fchmod, fchmod, (int file, mode_t mode), (file, mode), -1)
WRAP(int, mkostemp, mkostemp, (char *path, int flags), (path, flags), -1)
WRAP(int, mkostemp, mkostemp64, (char *path, int flags), (path, flags), -1)
WRAP(char *, mkdtemp, mkdtemp, (char *path), (path), NULL)
WRAP(DIR *, opendir, opendir, (const char *path), (path), NULL)
typedef int filter(const struct dirent64 *);
typedef int order(const struct dirent64 **, const struct dirent64 **);
WRAP(int, scandir, scandir64, (const char *path, struct dirent64 ***list, filter *f, order *o),
     (path, list, f, o), -1)

WRAP(FILE *, fopen, fopen, (const char *path, const char *mode), (path, mode), NULL)
WRAP(FILE *, fopen, fopen64, (const char *path, const char *mode), (path, mode), NULL)
WRAP_STREAM(size_t, fread, (void *bytes, size_t size, size_t count, FILE *stream),
            (bytes, size, count, stream), 0)
WRAP_STREAM(size_t, fwrite, (const void *bytes, size_t size, size_t count, FILE *stream),
            (bytes, size, count, stream), 0)
WRAP_STREAM(int, fflush, (FILE * stream), (stream), EOF)
WRAP_END(fclose, fclose, (FILE * stream), (stream))

WRAP(int, execve, execve, (const char *path, char *const *arguments, char *const *variables),
     (path, arguments, variables), -1)
WRAP_NUMBER(posix_spawn, posix_spawnp,
            (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
             const posix_spawnattr_t *attributes, char *const *arguments, char *const *variables),
            (pid, file, actions, attributes, arguments, variables))
WRAP(int, dup2, dup2, (int from, int to), (from, to), -1)
WRAP(int, pipe, pipe2, (int ends[2], int flags), (ends, flags), -1)
WRAP(int, socketpair, socketpair, (int domain, int type, int protocol, int ends[2]),
     (domain, type, protocol, ends), -1)
WRAP_PART(ssize_t, send, send, (int file, const void *bytes, size_t length, int flags),
          (file, bytes, length, flags))
WRAP_PART(ssize_t, recv, recv, (int file, void *bytes, size_t length, int flags),
          (file, bytes, length, flags))
WRAP(int, poll, poll, (struct pollfd * files, nfds_t count, int wait), (files, count, wait), -1)
WRAP(pid_t, waitpid, waitpid, (pid_t pid, int *status, int options), (pid, status, options), -1)
WRAP_NUMBER(pthread_create, pthread_create,
            (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *),
             void *user),
            (thread, attributes, run, user))
WRAP(ssize_t, getrandom, getrandom, (void *bytes, size_t size, unsigned flags),
     (bytes, size, flags), -1)
WRAP(int, setenv, setenv, (const char *name, const char *value, int replace),
     (name, value, replace), -1)

pid_t fork(void)
{
    NEXT(fork)
    const int how = fails(CALL_fork, HERE);
    if (how) {
        errno = how;
        return -1;
    }
    const pid_t pid = next();
    if (pid == 0 && inject.state)
        inject.who = CHILD;
    return pid;
}

// Waits before a worker, and locks of SQLite's, are tried once more would be most of what these
// tests take.
unsigned sleep(unsigned seconds)
{
    NEXT(sleep)
    return inject.state ? 0 : next(seconds);
}

int usleep(useconds_t microseconds)
{
    NEXT(usleep)
    return next(inject.state ? microseconds / 100 : microseconds);
}
