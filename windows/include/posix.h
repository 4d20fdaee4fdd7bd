// SPDX-License-Identifier: Apache-2.0
// POSIX and GNU functions that the program uses and mingw-w64 lacks, under their usual names;
// included before every source file for Windows (the top meson.build). Paths are UTF-8, with '/' or
// '\' as separators; paths made by these functions use '/'. Files are opened in binary mode, close
// on exec, and can be removed while open.
#pragma once

#define _WIN32_WINNT 0x0a00
#ifndef __USE_MINGW_ANSI_STDIO
#define __USE_MINGW_ANSI_STDIO 1
#endif
#define _POSIX_C_SOURCE 200809L

// All other builds check formats: here the compiler would apply the rules of Windows' own printf.
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-extra-args"

// An unused name.
#define tell io_tell
#include <io.h>
#undef tell

#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define PATH_SEPARATORS "/\\"

// <string.h>
void *memmem(const void *bytes, size_t size, const void *wanted, size_t wanted_size);
void *memrchr(const void *bytes, int byte, size_t size);
char *strchrnul(const char *string, int character);
char *strndup(const char *string, size_t size);
char *strcasestr(const char *string, const char *wanted);

// <stdlib.h>: as on Windows, an empty value counts as unset.
int setenv(const char *name, const char *value, int replace);
int unsetenv(const char *name);
#define secure_getenv getenv
char *realpath(const char *path, char *resolved); // `resolved` must be NULL
char *mkdtemp(char *template);
int mkostemp(char *template, int flags);

// <fcntl.h>, <sys/file.h>
#define O_CLOEXEC   O_NOINHERIT
#define O_NOFOLLOW  0
#define O_NONBLOCK  0
#define O_DIRECTORY 0
#define open        posix_open
int posix_open(const char *path, int flags, ...);
#define LOCK_EX                     2
#define LOCK_NB                     4
#define F_DUPFD_CLOEXEC             0
#define fcntl(file, command, least) dup(file)
int flock(int file, int operation); // with both LOCK_ flags; held until the file is closed

// <stdio.h>
#undef P_tmpdir
#define P_tmpdir posix_temporary()
const char *posix_temporary(void); // as on Windows: from TMP, TEMP or USERPROFILE
#define fopen posix_fopen
FILE *posix_fopen(const char *path, const char *mode);
#define rename posix_rename
int posix_rename(const char *from, const char *to); // replaces a file

// <sys/stat.h>: with numbers that identify files.
struct posix_stat {
    uint64_t st_dev, st_ino;
    mode_t st_mode;
    unsigned st_uid; // 0
    int64_t st_size;
};
#undef stat
#undef fstat
#define stat  posix_stat
#define lstat posix_stat
#define fstat posix_fstat
int posix_stat(const char *path, struct posix_stat *status);
int posix_fstat(int file, struct posix_stat *status);
#define fchmod(file, mode) ((void)(file), (void)(mode), 0)
#define mkdir(path, mode)  mkdir(path)

// <unistd.h>
ssize_t readlink(const char *path, char *target, size_t size); // only /proc/self/exe is a link
int fsync(int file);
ssize_t pread(int file, void *bytes, size_t size, off_t at);
ssize_t pwrite(int file, const void *bytes, size_t size, off_t at);
enum { _SC_PAGESIZE, _SC_PHYS_PAGES, _SC_NPROCESSORS_ONLN };
long sysconf(int name);

// <time.h>: supports the format %Y %m %d %H %M %S.
char *strptime(const char *text, const char *format, struct tm *time);
#define timegm _mkgmtime

// <pthread.h>
#include <pthread.h>
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until);

// <math.h>, <search.h>
double lgamma_r(double x, int *sign); // for positive x
#include <math.h>
#define fma  posix_fma
#define fmaf posix_fmaf
double posix_fma(double x, double y, double z); // rounded once, unlike mingw-w64's
float posix_fmaf(float x, float y, float z);
void tdestroy(void *root, void (*clear)(void *item));

// <dirent.h>
#include <dirent.h>
int scandir(const char *folder, struct dirent ***entries, int (*wanted)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **));
int alphasort(const struct dirent **left, const struct dirent **right);

// <sched.h>
typedef uint64_t cpu_set_t;
#define CPU_COUNT(set) __builtin_popcountll(*(set))
int sched_getaffinity(int process, size_t size, cpu_set_t *set);
