// SPDX-License-Identifier: Apache-2.0
// Says what of a store is damaged, and copies what is whole into a new one.
#pragma once

#include "store/store.h"

struct store_checked {
    int version;                // of the file's format; below 6 it has no checksums
    uint64_t sessions, results; // that are whole
    uint64_t damaged;           // what is not
    struct text lines;          // a line for each thing that is not, in the order of the file
};

// Checks everything in the file: its structure, what belongs to what, the sum of each row, and
// whether rows are gone. With `repaired`, the name of a file that is not there, all that is whole
// is copied into it; a session that lost anything is not finished there, so that `litmus run
// --resume` can go on with it. False with an error if the file cannot be read at all, or the copy
// not be written. Free checked->lines in either case.
bool store_check(const char *path, const char *repaired, struct store_checked *checked,
                 struct lit_error *error);
