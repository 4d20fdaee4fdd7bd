// SPDX-License-Identifier: Apache-2.0
// Puts the sessions of several stores into one: docs/store.md says by which rules.
#pragma once

#include "store/store.h"

struct store_merge_plan {
    const char *output; // made if it is not there
    const char *const *inputs;
    size_t input_count;
    bool sum; // add what separate whole sessions of the inputs measured
};

struct store_merge_done {
    uint64_t read;     // sessions of the inputs
    uint64_t added;    // that were not there
    uint64_t replaced; // that were there and have gone on since
    uint64_t joined;   // sessions that were made of shards, or of separate sessions
    struct text notes; // a line each of what was joined, what is missing, what was left out
};

// Merges. The output is written beside its name and renamed: it has all of it or stays as it was,
// and holds the writer's lock meanwhile. Nothing is written if nothing is new. False with an error
// of one line. Free done->notes in either case.
bool store_merge(const struct store_merge_plan *plan, struct store_merge_done *done,
                 struct lit_error *error);
