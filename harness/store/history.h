// SPDX-License-Identifier: Apache-2.0
// What a store holds over all its sessions: who measured, on which drivers, and every result that a
// test ever had.
#pragma once

#include "model/configuration.h"
#include "store/store.h"

// One device under one driver: what dev_facts_id tells apart.
struct store_driver {
    char id[DEV_ID_SIZE];
    struct dev_facts facts; // as its newest session has them
    uint64_t sessions;
    uint64_t results;         // 0 unless they were asked for
    const char *first, *last; // when its first and its last session started; of the index
};

// All sessions in order of id, and all drivers in order of device name, then of the first session
// of each, which is how versions follow one another, then of id.
struct store_index {
    struct store_session *sessions;
    // For each session: it is a shard whose numbers are in another session of the file too, which
    // waits for the shards that are missing.
    bool *contained;
    size_t session_count;
    struct store_driver *drivers;
    size_t driver_count;
};

// Reads the index. `count_results` fills store_driver.results, which reads a whole index of the
// file. Clear it after a failure too.
bool store_index_load(struct store *store, bool count_results, struct store_index *index,
                      struct lit_error *error);
void store_index_clear(struct store_index *index);
// NULL if it is not there.
const struct store_session *store_index_session(const struct store_index *index, int64_t id);
const struct store_driver *store_index_driver(const struct store_index *index, const char *id);

// What to look for. Zero-initialise: everything.
struct store_query {
    const char *pattern; // cfg_matches; NULL: every configuration
    // Whether the results of a configuration under a driver are; NULL: all are.
    bool (*wants)(const char *name, const struct store_driver *driver, void *user);
    // Loaded before from the same store, for those who ask often. NULL: one is loaded.
    const struct store_index *index;
};

// A result without its failures and outcomes. All that it points to is gone when `visit` returns.
struct store_past {
    const struct store_session *session;
    const struct store_driver *driver;
    const char *name, *sha256, *stress, *rule; // as in struct store_result
    enum cat_expectation expectation;
    enum eng_result result;
    uint64_t seed, first;
    uint64_t runs, failed_runs, no_progress_runs;
};

// Calls `visit` for each result that the query asks for, with the `user` of `wants`, but those of
// contained sessions: in order of name, then of device and driver as in the index, then of when its
// session started, then of session. `visit` returns false to stop. The order does not depend on
// that in which sessions came into the file, but for those that started in the same second. False
// with an error.
bool store_history(struct store *store, const struct store_query *query,
                   bool (*visit)(const struct store_past *past, void *user), void *user,
                   struct lit_error *error);
