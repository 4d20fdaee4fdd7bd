// SPDX-License-Identifier: Apache-2.0
// Converts a file of an older format (schema.sql).
#include "store/private.h"

#include <stdio.h>

bool store_convert(struct store *store, struct lit_error *error)
{
    return store_devices_convert(store, error) && store_digests_convert(store, error) &&
           store_sum_all(store, 0, error);
}

bool store_migrate(struct store *store, int version, struct lit_error *error)
{
    bool own;
    store->version = version;
    store->briefs = store_has_briefs(version);
    if (version == STORE_VERSION)
        return store_total_check(store, STORE_KIND_SCHEMA, 0, error);
    if (!store_enter(store, &own, error))
        return false;
    // What gets new checksums has to be right by those that it has.
    bool good = version < STORE_VERSION_SUMS || store_sum_check_all(store, error);
    store->briefs = false;
    for (int format = version + 1; good && format <= STORE_VERSION; format++) {
        char part[32];
        snprintf(part, sizeof part, "format %d", format);
        good = store_run_part(store, error, store_schema_sql, part);
    }
    good = good && store_convert(store, error);
    // Only rows that are not as they were made disagree with the tables.
    const int code = sqlite3_errcode(store->db);
    if (!good && (code == SQLITE_CONSTRAINT || code == SQLITE_ERROR))
        store_damaged(store, error, "%s", sqlite3_errmsg(store->db));
    return store_leave(store, own, good, error);
}
