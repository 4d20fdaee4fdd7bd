// SPDX-License-Identifier: Apache-2.0
// A folder of files that is written as a whole: it is there with all of them, or as it was.
#pragma once

#include "base/error.h"
#include "base/text.h"

struct lit_folder_file {
    char *name; // "index.html", "test/a.b.html": at most one folder deep
    struct text content;
};

// Zero-initialise.
struct lit_folder {
    struct lit_folder_file *files;
    size_t count;
};

// Adds an empty file; its content is valid until the next one.
struct text *lit_folder_add(struct lit_folder *folder, const char *name);
void lit_folder_clear(struct lit_folder *folder);

// Whether lit_folder_write could replace what is at `path`: nothing, an empty folder, or one that
// it wrote with this mark and in which nothing else is; `mark` NULL: nothing, or an empty folder. A
// link to a folder is followed. False with an error (LIT_EXIT_USAGE).
bool lit_folder_check(const char *path, const char *mark, struct lit_error *error);

// Makes a folder, and those above it, unless it is there. False with an error (LIT_EXIT_USAGE).
bool lit_folder_make(const char *path, struct lit_error *error);

// Makes the folder, and those above it. It is made beside `path` under a temporary name and takes
// the place of what was there in one step, where the file system can; the old one is removed then.
// `mark`: the name of a file in it that lists the others, by which it is known again; NULL: there
// is none, and only what is empty is replaced. False with an error (LIT_EXIT_USAGE), and `path` as
// it was.
bool lit_folder_write(const struct lit_folder *folder, const char *path, const char *mark,
                      struct lit_error *error);
