// SPDX-License-Identifier: Apache-2.0
// A folder of files that is written as a whole: completely or not at all.
#pragma once

#include "base/error.h"
#include "base/text.h"

struct lit_folder_file {
    char *name; // "index.html", "test/a.b.html": at most one level deep
    struct text content;
};

// Zero-initialise.
struct lit_folder {
    struct lit_folder_file *files;
    size_t count;
};

// Adds an empty file; its content is valid until the next call.
struct text *lit_folder_add(struct lit_folder *folder, const char *name);
void lit_folder_clear(struct lit_folder *folder);

// Whether lit_folder_write could replace `path`: it does not exist, is empty, or was written with
// this mark and contains nothing else; `mark` NULL: it does not exist or is empty. Follows a link
// to a folder. False with an error (LIT_EXIT_USAGE).
bool lit_folder_check(const char *path, const char *mark, struct lit_error *error);

// Makes a folder and its parents if missing. False with an error (LIT_EXIT_USAGE).
bool lit_folder_make(const char *path, struct lit_error *error);

// Writes the folder, and makes its parents. It is made beside `path` under a temporary name and
// replaces the old one in one step, if the file system can; the old one is then removed. `mark`:
// the name of a file in it that lists the others and identifies it later; NULL: none, and only an
// empty folder is replaced. False with an error (LIT_EXIT_USAGE), and `path` is unchanged.
bool lit_folder_write(const struct lit_folder *folder, const char *path, const char *mark,
                      struct lit_error *error);
