// SPDX-License-Identifier: Apache-2.0
// Whole files: puts the sessions of several stores into one (docs/store.md says by which rules),
// and says what of a store is damaged and copies what is intact into a new one.
#pragma once

#include "store/store.h"

struct store_merge_plan {
    const char *output; // made if it is not there
    const char *const *inputs;
    size_t input_count;
    bool parts; // put the parts of a plan together: sessions of caselists with one seed
    bool sum;   // add what separate whole sessions of the inputs measured
    // With `parts`: whether the session that was made of them lacks nothing that they were to do,
    // by its options. It is finished then.
    bool (*is_whole)(struct store *store, int64_t session, const char *options);
};

struct store_merge_done {
    uint64_t read;     // sessions of the inputs
    uint64_t added;    // that were not there
    uint64_t replaced; // that were there and have gone on since
    uint64_t combined; // sessions that were made of shards, parts, or of separate sessions
    struct text notes; // a line each of what was combined, and what is missing
    // A line for each session of the inputs that the output's newest session, which is read where
    // none is named, was to have and does not: with `parts` or `sum` all others; of shards those of
    // runs that are not whole, beside a newest one that is. Each says why.
    struct text apart;
};

// Merges. The output is written beside its name and renamed: it has all of it or stays as it was,
// and holds the writer's lock meanwhile. Nothing is written if nothing is new. False with an error
// of one line. Free the texts of `done` in either case.
bool store_merge(const struct store_merge_plan *plan, struct store_merge_done *done,
                 struct lit_error *error);

// --- Checking

struct store_checked {
    uint64_t sessions, results; // that are intact
    uint64_t damaged;           // what is not
    struct text lines;          // a line for each thing that is not, in the order of the file
};

// Checks everything in the file: its structure, what belongs to what, the sum of each row, and
// whether rows are gone. With `repaired`, the name of a file that is not there, all that is intact
// is copied into it; a session that lost anything is not finished there, so that `litmus run
// --resume` can go on with it. False with an error if the file cannot be read at all, or the copy
// not be written. Free checked->lines in either case.
bool store_check(const char *path, const char *repaired, struct store_checked *checked,
                 struct lit_error *error);
