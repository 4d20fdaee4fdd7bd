// SPDX-License-Identifier: Apache-2.0
// What merging does within a store: copies sessions into it, puts shards together, adds up.
#pragma once

#include "store/code.h"
#include "store/history.h"
#include "store/merge.h"
#include "store/private.h"

// Copies a session with all that belongs to it from another store, checking every row. Sets
// copy->id; `copy` says what the session's own row shall be.
bool store_copy_session(struct store *from, int64_t session, struct store *to,
                        struct store_session *copy, struct lit_error *error);

// Adds what a session's search for stress has tried to that of another, which may be of the same
// store.
bool store_copy_tuning(struct store *from, int64_t session, struct store *to, int64_t copy,
                       struct lit_error *error);

// The same for a row of store_tuning_select; the sums are to be made then. `to` NULL: it is only
// checked.
bool store_copy_try(struct store *from, sqlite3_stmt *select, struct store *to, int64_t copy,
                    struct lit_error *error);

// store_copy_code for the one that has an id, or 0 for all. `to` NULL: it is only checked.
bool store_copy_code_of(struct store *from, int64_t session, int64_t id, struct store *to,
                        int64_t copy, struct lit_error *error);

// Removes a session with all that belongs to it.
bool store_remove_session(struct store *store, int64_t session, struct lit_error *error);

// How far two copies of one session are: whether all that `a` measured is in `b` too.
bool store_session_within(struct store *a, int64_t session_a, struct store *b, int64_t session_b,
                          bool *within, struct lit_error *error);

// Puts shards together as far as they are there.
bool store_join_shards(struct store *store, struct store_merge_done *done, struct lit_error *error);

// Adds the whole sessions for which `wanted` is true into one.
bool store_sum_sessions(struct store *store,
                        bool (*wanted)(const struct store_session *session, void *user), void *user,
                        struct store_merge_done *done, struct lit_error *error);
