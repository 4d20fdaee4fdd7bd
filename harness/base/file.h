// SPDX-License-Identifier: Apache-2.0
// Files that are read, and files that are written: whole, or not at all.
#pragma once

#include "base/error.h"
#include "base/text.h"

// What parts the names of a path: Windows has two, of which the first is what we write.
#ifndef PATH_SEPARATORS
#define PATH_SEPARATORS "/"
#endif

bool lit_path_is_absolute(const char *path);
// What is behind the last separator, within `path`.
const char *lit_path_name(const char *path);
// The user's folder for temporary files: TMPDIR, else the system's.
const char *lit_path_temporary(void);
// Makes the folders above what a path names, as far as they are not there. False with errno.
bool lit_path_make_above(const char *path);

// Appends the bytes of a file that a user names, `most` at the most. False with an error
// (LIT_EXIT_USAGE) that names it, and errno.
bool lit_file_read(const char *path, size_t most, struct text *bytes, struct lit_error *error);
// Opens once more what `path` names of this process's open files (/dev/stdout, /dev/fd/N): it goes
// on where that one is. close() it; -1 if it names none.
int lit_file_open_own(const char *path);

// Writes `size` bytes as the file `path`. They go into a temporary file beside it, which is synced
// and renamed, and the folder is synced: whoever opens the file finds what it was or what it is to
// be, after a power cut too. A link is followed, and what it names is replaced. What is no plain
// file (a pipe, a device), and what is open in this process (/dev/stdout, /dev/fd/N), is written to
// as it is. False with an error (LIT_EXIT_USAGE) that names `path`, also for a database and what
// belongs to one: whatever writes files for users goes through here or lit_file_append.
bool lit_file_write(const char *path, const void *bytes, size_t size, struct lit_error *error);

// A store is an SQLite database. What stands behind its name in the names of the files that belong
// to it; NULL at the end.
extern const char *const lit_store_companions[];
#define LIT_STORE_UNFINISHED ".merge-unfinished"
bool lit_file_is_database(const char *path);
// Whether the name of a file or folder is none that belongs to a database that is there; and
// whether a file is no database either, so that it may be written. False with an error
// (LIT_EXIT_USAGE).
bool lit_file_is_free(const char *path, struct lit_error *error);
bool lit_file_guard(const char *path, struct lit_error *error);

// Whether lit_file_write could, as far as that can be known without changing anything.
bool lit_file_check(const char *path, struct lit_error *error);

// What a path names once links are followed, whether it is there or not. One into the list of a
// process's open files is left, since the file behind it is open. free() it; NULL with errno.
char *lit_file_follow(const char *path);

// Appends to a file that others append to as well; makes it where it is not there. The errors of
// lit_file_write.
bool lit_file_append(const char *path, const void *bytes, size_t size, struct lit_error *error);

// Renames a finished file of the same folder to `path`, with the permissions of what it replaces,
// or those of a new file. Both it and the folder are synced. False with errno; `temporary` may then
// still be there.
bool lit_file_replace(const char *temporary, const char *path);

// Syncs the folder that `path` is in, so that its name lasts. False with errno.
bool lit_file_sync_name(const char *path);
