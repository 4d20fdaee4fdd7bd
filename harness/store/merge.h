// SPDX-License-Identifier: Apache-2.0
// Works on whole files: puts the sessions of several stores into one (docs/store.md has the rules),
// or reports what is damaged in a store and copies the intact rest into a new one.
#pragma once

#include "store/store.h"

struct store_merge_plan {
    const char *output; // created if missing
    const char *const *inputs;
    size_t input_count;
    bool parts; // put the parts of a plan together: sessions of caselists with one seed
    bool sum;   // add what separate whole sessions of the inputs measured
    // With `parts`: whether the combined session, by its options, has everything that the plan
    // asked for. It is finished then.
    bool (*is_whole)(struct store *store, int64_t session, const char *options);
};

struct store_merge_done {
    uint64_t read;     // sessions of the inputs
    uint64_t added;    // new ones
    uint64_t replaced; // existing ones that have continued since
    uint64_t combined; // sessions made from shards, parts, or separate sessions
    struct text notes; // a line for each combined session, and for what is missing
    // A line for each input session that is not in the output's newest session (the one read by
    // default) although it should be: with `parts` or `sum` all others; for shards, those of
    // incomplete runs if the newest session is complete. Each line says why.
    struct text apart;
};

// Merges. Writes the output beside its name and renames it, so that it is complete or unchanged;
// holds the writer's lock meanwhile. Writes nothing if nothing is new. False with an error of one
// line. Free the texts of `done` in either case.
bool store_merge(const struct store_merge_plan *plan, struct store_merge_done *done,
                 struct lit_error *error);

// --- Checking

struct store_checked {
    uint64_t sessions, results; // intact ones
    uint64_t damaged;           // damaged ones
    struct text lines;          // a line for each damaged one, in file order
};

// Checks everything in the file: its structure, the references, the checksum of each row, and
// whether rows are missing. With `repaired`, the name of a file that does not exist, copies
// everything intact into it; a session that lost anything is not finished there, so that `litmus
// run --resume` can continue it. False with an error if the file cannot be read at all, or the copy
// cannot be written. Free checked->lines in either case.
bool store_check(const char *path, const char *repaired, struct store_checked *checked,
                 struct lit_error *error);
