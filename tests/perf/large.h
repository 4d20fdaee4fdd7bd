// SPDX-License-Identifier: Apache-2.0
// Fills a store with many sessions, to see how long questions about it take (docs/performance.md).
//
// Each session has one of 20 drivers (5 devices, 4 versions each, which follow one another) and as
// many results, each with an outcome and a batch, and one in fifty with failures. The same numbers
// give the same rows.
#pragma once

#include "store/private.h"

#define LARGE_NAME                                                                                 \
    "printf('family%d.test-%d/sync=workgroup-in-loop,reconvergence=default,form=variables,op=add," \
    "mode=%d@workgroup=64,iterations=16,subgroup=32', i % 88 % 7, i % 88, i / 88)"

// Of a session ?1, counted from 1, and of ?2 results.
static const char *const large_statements[] = {
    "INSERT INTO session (id, version, command, started, system, seed, runs, finished, options,"
    " uuid) VALUES (?1, '1.0.0', 'litmus run --all', strftime('%Y-%m-%dT%H:%M:%SZ', '2020-01-01',"
    " '+' || (?1 * 7) || ' hours'), 'Linux', printf('0x%x', ?1), 1000, ?2 > 0, '{}',"
    " printf('%016x', ?1))",
    "WITH RECURSIVE c (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i + 1 < ?2)"
    " INSERT INTO result (id, session, device, name, result, reason, expectation, sha256,"
    " headline, seed, checked_as, runs, failed_runs, no_progress_runs, first_run_failed, instances,"
    " failed_instances, seconds)"
    " SELECT (?1 - 1) * ?2 + i + 1, ?1, device.id, " LARGE_NAME ","
    " iif(i % 50, 'pass', 'fail'), '', 'forbidden',"
    " printf('%064x', i * 7919 + (driver_version > '1.1')), 'headline', printf('0x%x', ?1),"
    " 'equal', 1000, iif(i % 50, 0, (i + ?1) % 5 + 1), 0, 0, 8000,"
    " iif(i % 50, 0, (i + ?1) % 5 + 1), 0.25 FROM c JOIN device ON device.session = ?1",
    "INSERT INTO outcome SELECT id, 0, instances - failed_instances FROM result"
    " WHERE session = ?1 AND ?2",
    "INSERT INTO outcome SELECT id, 1, failed_instances FROM result"
    " WHERE session = ?1 AND failed_runs AND ?2",
    "INSERT INTO failure SELECT id, 0, 7, 3, 12, 'lane 3, iteration 9', 1, 5, 6 FROM result"
    " WHERE session = ?1 AND failed_runs AND ?2",
    "INSERT INTO part SELECT id, 0, 0, runs, failed_runs, 0 FROM result WHERE session = ?1 AND ?2",
};

static inline bool large_add(struct store *store, int64_t number, int64_t sessions, int64_t results,
                             struct lit_error *error)
{
    const int64_t device = (number - 1) % 5, version = (number - 1) * 4 / sessions;
    struct dev_facts facts = {.driver_name = "example",
                              .type = "discrete",
                              .subgroup = 32,
                              .subgroup_min = 32,
                              .subgroup_max = 32,
                              .subgroup_control = true,
                              .features = 0xfff};
    snprintf(facts.name, sizeof facts.name, "Example GPU %d", (int)device);
    snprintf(facts.driver_info, sizeof facts.driver_info, "Example 1.%d", (int)version);
    snprintf(facts.driver_version, sizeof facts.driver_version, "1.%d", (int)version);
    bool good = true;
    for (size_t i = 0; good && i < sizeof large_statements / sizeof *large_statements; i++)
        good = store_run(store, error, large_statements[i], "ii", number, results) &&
               (i > 0 || store_device_put(store, number, 1, &facts, "device", error));
    return good;
}

// Makes the store, which must not be there.
static inline bool large_make(const char *path, int64_t sessions, int64_t results,
                              struct lit_error *error)
{
    OWNED(store_close) struct store *store = store_open_scratch(path, path, error);
    bool good = store &&
                store_execute(
                    store, "PRAGMA journal_mode = OFF; PRAGMA cache_size = -2000000; BEGIN", error);
    for (int64_t number = 1; good && number <= sessions; number++)
        good = large_add(store, number, sessions, results, error);
    good = good && store_sum_all(store, 0, error) && store_execute(store, "COMMIT", error);
    return good;
}
