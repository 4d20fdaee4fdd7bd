// SPDX-License-Identifier: Apache-2.0
// What searches for stress have tried, and what they found.
#pragma once

#include "store/store.h"

// One set of parameters that was tried. Strings belong to whoever made the struct.
struct store_tuning {
    const char *device; // dev_facts_id
    const char *name;   // the configuration
    const char *sha256; // of the module
    const char *stress; // the notation, "" for none
    uint64_t runs, failed_runs, no_progress_runs;
    double seconds; // wall time in the worker
};

// Writes a try of a session, whose device is stored: inserts it or replaces what was there for the
// same session, device, configuration and set.
bool store_tuning_put(struct store *store, int64_t session, const struct store_tuning *tuning,
                      struct lit_error *error);

// Calls `visit` for each try of a session, in the order in which they were first written. The
// strings are sanitised, and gone when it returns. `visit` returns false to stop.
bool store_tunings(struct store *store, int64_t session,
                   bool (*visit)(const struct store_tuning *tuning, void *user), void *user,
                   struct lit_error *error);

// Calls `visit` for each result that a search ended with, of all sessions, the newest first: the
// set that it found best, with what fresh runs showed. (A session that searched has tries and, for
// the same device and configuration, one result.)
bool store_tuned(struct store *store, bool (*visit)(const struct store_tuning *best, void *user),
                 void *user, struct lit_error *error);
