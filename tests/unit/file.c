// SPDX-License-Identifier: Apache-2.0
// Files that are written whole or not at all: what is called in which order, and that no failure of
// it passes.
#include "base/file.h"
#include "base/text.h"
#include "folder.h"
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// In the place of the C library's: each notes itself in `calls`, and fails if it is the one that is
// to fail.

static char calls[64];
static char fails;

static bool note(char call)
{
    const size_t length = strlen(calls);
    if (length + 1 < sizeof calls)
        calls[length] = call;
    errno = EIO;
    return call != fails;
}

int fsync(int file)
{
    struct stat status;
    const bool folder = syscall(SYS_fstat, file, &status) == 0 && S_ISDIR(status.st_mode);
    return note(folder ? 'F' : 'f') ? (int)syscall(SYS_fsync, file) : -1;
}

int rename(const char *from, const char *to)
{
    return note('r') ? (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to) : -1;
}

ssize_t write(int file, const void *bytes, size_t size)
{
    // What the test itself prints is none of it.
    return file <= 2 || note('w') ? (ssize_t)syscall(SYS_write, file, bytes, size) : -1;
}

int close(int file)
{
    const bool good = note('c');
    const int result = (int)syscall(SYS_close, file);
    errno = EIO;
    return good ? result : -1;
}

// The path of a file in the test's folder, which lasts for the test.
static const char *at(const char *name)
{
    static char paths[4][100];
    static size_t next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static size_t count_files(void)
{
    DIR *open = opendir(folder);
    size_t count = 0;
    assert_non_null(open);
    while (readdir(open))
        count++;
    closedir(open);
    return count - 2; // . and ..
}

static bool write_text(const char *path, const char *text, struct lit_error *error)
{
    memset(calls, 0, sizeof calls);
    return lit_file_write(path, text, strlen(text), error);
}

static void assert_holds(const char *path, const char *text)
{
    OWNED(text_free) struct text read = {0};
    assert_true(text_read(&read, path, 100));
    assert_string_equal(read.data ? read.data : "", text);
}

TEST_IN(test_is_synced_and_renamed, make_folder, remove_folder)
{
    const char *path = at("report.json");
    assert_true(write_text(path, "first", &error));
    assert_holds(path, "first");
    const char *file = strchr(calls, 'f'), *name = strchr(calls, 'r'), *folder = strchr(calls, 'F');
    assert_non_null(file);
    assert_true(name && folder && file < name && name < folder);
    assert_true(strchr(calls, 'w') < file);
}

TEST_IN(test_no_failure_passes, make_folder, remove_folder)
{
    static const char all[] = {'w', 'f', 'c', 'r', 'F'};
    const char *path = at("report.json");
    for (size_t i = 0; i < sizeof all; i++) {
        assert_true(write_text(path, "before", &error));
        fails = all[i];
        assert_false(write_text(path, "after", &error));
        fails = 0;
        assert_int_equal(error.code, LIT_EXIT_USAGE);
        assert_non_null(strstr(error.message, "report.json: Input/output error"));
        if (all[i] != 'F')
            assert_holds(path, "before");
        assert_int_equal(count_files(), 1);
    }
}

TEST_IN(test_permissions_stay, make_folder, remove_folder)
{
    struct stat status;
    const char *path = at("report.json");
    assert_true(write_text(path, "first", &error));
    assert_int_equal(chmod(path, 0604), 0);
    assert_true(write_text(path, "second", &error));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0604);
}

TEST_IN(test_links_are_followed, make_folder, remove_folder)
{
    struct stat status;
    const char *link = at("link");
    const char *other = at("other");
    const char *target = at("target");
    assert_int_equal(symlink("other", link), 0);
    assert_int_equal(symlink(target, other), 0);
    assert_true(lit_file_check(link, &error));
    assert_true(write_text(link, "first", &error)); // what it names is not there yet
    assert_holds(target, "first");
    assert_true(write_text(link, "second", &error));
    assert_holds(target, "second");
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(lstat(other, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(unlink(target), 0);
    assert_int_equal(symlink("link", target), 0);
    assert_false(lit_file_check(link, &error));
    must_fail("symbolic links", write_text(link, "third", &error));
}

// A descriptor is where it is in its file, and may append.
TEST_IN(test_what_is_open, make_folder, remove_folder)
{
    const char *path = at("log");
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    char own[64];
    struct stat before, after;
    assert_int_equal(write(file, "one ", 4), 4);
    snprintf(own, sizeof own, "/dev/fd/%d", file);
    assert_int_equal(stat(path, &before), 0);
    assert_true(lit_file_check(own, &error));
    assert_true(write_text(own, "two ", &error));
    assert_null(strchr(calls, 'r'));
    snprintf(own, sizeof own, "/proc/self/fd/%d", file);
    assert_true(write_text(own, "three", &error));
    assert_int_equal(write(file, " four", 5), 5);
    close(file);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_holds(path, "one two three four");
}

TEST(test_devices)
{
    assert_true(write_text("/dev/null", "text", &error));
    must_fail_as("cannot write /dev/full: No space left on device",
                 write_text("/dev/full", "text", &error));
    assert_false(write_text("/", "text", &error));
    must_fail_as("cannot write /nowhere/file: No such file or directory",
                 write_text("/nowhere/file", "text", &error));
}
