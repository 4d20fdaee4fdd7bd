// SPDX-License-Identifier: Apache-2.0
// Splits a run into parts.
#pragma once

#include "base/text.h"
#include "store/store.h"

struct ses_plan_options {
    bool all, thorough;
    struct lit_list caselists, skips, from, missing;
    uint64_t parts;
    const char *output;
};

// Appends the parts, or writes their files and appends a line for each. Returns the exit code, or
// -1 with an error.
int ses_plan(const struct ses_plan_options *o, const struct lit_list *patterns, struct text *out,
             struct lit_error *error);

// Whether 'litmus plan --missing', with the session's own options, lists nothing: each kind of its
// devices has measured everything. Anything unreadable or not in the catalogue counts as not
// measured.
bool ses_plan_is_whole(struct store *store, int64_t session, const char *options);
