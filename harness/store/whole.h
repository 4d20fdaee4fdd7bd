// SPDX-License-Identifier: Apache-2.0
// One session out of several of the same store.
#pragma once

#include "store/assemble.h"
#include "store/joined.h"

// Writes the session that `parts` make up together: their devices, and their results side by side
// (shards of tests) or added (shards of runs, whole sessions). `joined` says what it will be called
// and names the parts. `session` gets the new row; clear it. False with an error that says which
// configuration cannot be added, and why.
bool store_whole_write(struct store *store, const struct store_session *const *parts, size_t count,
                       const struct store_joined *joined, struct store_session *session,
                       struct lit_error *error);
