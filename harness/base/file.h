// SPDX-License-Identifier: Apache-2.0
// Writes files atomically.
#pragma once

#include "base/error.h"
#include "base/text.h"

// Path separators: Windows has two, and we write the first.
#ifndef PATH_SEPARATORS
#define PATH_SEPARATORS "/"
#endif

bool lit_path_is_absolute(const char *path);
// The name after the last separator, within `path`.
const char *lit_path_name(const char *path);
// Appends a path that the file `path` contains: a relative one with a separator is relative to the
// file's folder.
void lit_path_resolve(const char *path, const char *contained, struct text *resolved);
// The user's folder for temporary files: TMPDIR, else the system's.
const char *lit_path_temporary(void);
// Makes the missing parent folders of a path. False with errno.
bool lit_path_make_above(const char *path);

// Appends the bytes of a file that a user names, `most` at the most. False with an error
// (LIT_EXIT_USAGE) that names it, and errno.
bool lit_file_read(const char *path, size_t most, struct text *bytes, struct lit_error *error);
// Opens once more what `path` names of this process's open files (/dev/stdout, /dev/fd/N): it goes
// on where that one is. close() it; -1 if it names none.
int lit_file_open_own(const char *path);

// Writes `size` bytes as the file `path`, through a temporary file beside it that is synced and
// renamed; then syncs the folder. A reader finds the old or the new file, even after a power cut.
// Follows links and replaces their targets. Writes directly to anything but a plain file (a pipe, a
// device) and to files open in this process (/dev/stdout, /dev/fd/N). False with an error
// (LIT_EXIT_USAGE) that names `path`, also if it is a database or belongs to one: all files for
// users must be written by this function or lit_file_append.
bool lit_file_write(const char *path, const void *bytes, size_t size, struct lit_error *error);

// A store is an SQLite database. Suffixes of the files that belong to it, terminated by NULL.
extern const char *const lit_store_companions[];
#define LIT_STORE_UNFINISHED ".merge-unfinished"
bool lit_file_is_database(const char *path);
// lit_file_is_free: whether a path does not belong to an existing database; lit_file_guard: and is
// not a database itself, so that it may be written. False with an error (LIT_EXIT_USAGE).
bool lit_file_is_free(const char *path, struct lit_error *error);
bool lit_file_guard(const char *path, struct lit_error *error);

// Whether lit_file_write would succeed, as far as can be determined without changing anything.
bool lit_file_check(const char *path, struct lit_error *error);

// The target of a path after following links, whether it exists or not. Does not follow links into
// a process's list of open files, since those files are open. free() it; NULL with errno.
char *lit_file_follow(const char *path);

// Appends to a file to which others also append; creates it if missing. Errors as in
// lit_file_write.
bool lit_file_append(const char *path, const void *bytes, size_t size, struct lit_error *error);

// Renames a complete file in the same folder to `path`, with the permissions of the file it
// replaces, or default ones. Syncs the file and the folder. False with errno; `temporary` may then
// still exist.
bool lit_file_replace(const char *temporary, const char *path);

// Syncs the folder of `path`, so that its name is durable. False with errno.
bool lit_file_sync_name(const char *path);
