// SPDX-License-Identifier: Apache-2.0
// Changes a store by SQL and makes its checksums anew, as only a program that knows them can.
#pragma once

#include "store/private.h"

// Returns how many rows the last statement changed.
static inline int edit_store(const char *name, const char *sql)
{
    struct store store = {.path = (char *)name};
    struct lit_error error = {0};
    char *message = NULL;
    assert_int_equal(sqlite3_open(name, &store.db), SQLITE_OK);
    assert_true(store_functions_define(store.db));
    if (sqlite3_exec(store.db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    const int changed = sqlite3_changes(store.db);
    // Without a transaction each row would wait for the disk.
    sqlite3_exec(store.db, "PRAGMA ignore_check_constraints = 1; BEGIN", NULL, NULL, NULL);
    must(store_sum_all(&store, 0, &error));
    sqlite3_exec(store.db, "COMMIT", NULL, NULL, NULL);
    store_drop_kept(&store);
    sqlite3_close(store.db);
    return changed;
}
