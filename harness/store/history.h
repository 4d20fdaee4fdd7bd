// SPDX-License-Identifier: Apache-2.0
// What a store holds over all its sessions: who measured, on which drivers, and every result that a
// test ever had.
#pragma once

#include "store/store.h"

// One device under one driver, as dev_facts_id identifies it.
struct store_driver {
    char id[DEV_ID_SIZE];
    struct dev_facts facts; // from its newest session
    uint64_t sessions;
    uint64_t results;         // 0 unless requested
    const char *first, *last; // when its first and last session started; owned by the index
};

// All sessions in order of id. Drivers are in order of device name, then of their first session,
// which orders versions, then of id.
struct store_index {
    struct store_session *sessions;
    // For each session: whether it is a shard whose counts are also in another session of the file
    // that still waits for missing shards.
    bool *contained;
    size_t session_count;
    struct store_driver *drivers;
    size_t driver_count;
};

// Reads the index. `count_results` fills store_driver.results, for which it reads a whole index of
// the file. Clear it after a failure too.
bool store_index_load(struct store *store, bool count_results, struct store_index *index,
                      struct lit_error *error);
void store_index_clear(struct store_index *index);

// What to look for. Zero-initialised: everything.
struct store_query {
    const char *pattern; // cfg_matches; NULL: every configuration
    // Whether to read a configuration's results under a driver; NULL: read all.
    bool (*wants)(const char *name, const struct store_driver *driver, void *user);
    // An index of the same store, for frequent queries. NULL: load one.
    const struct store_index *index;
};

// A result without its failures and outcomes. Its pointers become invalid when `visit` returns.
struct store_past {
    const struct store_session *session;
    const struct store_driver *driver;
    const char *name, *sha256, *stress, *rule; // as in struct store_result
    enum cat_expectation expectation;
    enum eng_result result;
    uint64_t seed, first;
    uint64_t runs, failed_runs, no_progress_runs;
};

// Calls `visit` for each result that the query asks for, with the `user` of `wants`, except results
// of contained sessions: in order of name, then of device and driver as in the index, then of the
// start of the session, then of session. `visit` returns false to stop. The order does not depend
// on the order in which sessions came into the file, except for sessions that started in the same
// second. False with an error.
bool store_history(struct store *store, const struct store_query *query,
                   bool (*visit)(const struct store_past *past, void *user), void *user,
                   struct lit_error *error);
