// SPDX-License-Identifier: Apache-2.0
// Sessions and their devices.
#include "store/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void store_session_clear(struct store_session *session)
{
    free(session->version);
    free(session->command);
    free(session->started);
    free(session->system);
    free(session->options);
    free(session->uuid);
    *session = (struct store_session){0};
}

static const char *const shard_names[] = {
    [STORE_WHOLE] = "",
    [STORE_SHARD_TESTS] = "tests",
    [STORE_SHARD_RUNS] = "runs",
};

static bool insert_session(struct store *store, const struct store_session *session,
                           struct lit_error *error)
{
    sqlite3_stmt *insert =
        store_prepare(store,
                      "INSERT INTO session (version, command, started, system, seed, runs,"
                      " finished, options, uuid, shard, shard_index, shard_count)"
                      " VALUES (?, ?, ?, ?, ?, ?, ?, ?,"
                      " coalesce(nullif(?, ''), lower(hex(randomblob(8)))), ?, ?, ?)",
                      error);
    if (!insert)
        return false;
    store_bind_text(insert, 1, session->version);
    store_bind_text(insert, 2, session->command);
    store_bind_text(insert, 3, session->started);
    store_bind_text(insert, 4, session->system);
    store_bind_hex(insert, 5, session->seed);
    store_bind_count(insert, 6, session->runs);
    sqlite3_bind_int(insert, 7, session->finished);
    store_bind_text(insert, 8, session->options);
    store_bind_text(insert, 9, session->uuid);
    store_bind_text(insert, 10, shard_names[session->shard]);
    store_bind_count(insert, 11, session->shard_index);
    store_bind_count(insert, 12, session->shard_count);
    bool good = store_done(store, insert, error);
    sqlite3_finalize(insert);
    return good;
}

static bool seal_session(struct store *store, int64_t session, struct lit_error *error)
{
    return store_run(store, "UPDATE session SET sum = " STORE_SESSION_SUM " WHERE id = ?", session,
                     0, error);
}

bool store_session_begin(struct store *store, struct store_session *session,
                         struct lit_error *error)
{
    bool own;
    if (!store_enter(store, &own, error))
        return false;
    bool good = insert_session(store, session, error);
    if (good)
        session->id = sqlite3_last_insert_rowid(store->db);
    good = good && seal_session(store, session->id, error) &&
           store_total_add(store, STORE_KIND_SESSION, 0, session->id, error);
    for (enum store_kind kind = STORE_KIND_DEVICE; good && kind < STORE_KINDS; kind++)
        good = store_total_make(store, kind, session->id, error);
    return store_leave(store, own, good, error);
}

bool store_session_finish(struct store *store, int64_t session, struct lit_error *error)
{
    bool own;
    if (!store_enter(store, &own, error))
        return false;
    const bool good =
        store_run(store, "UPDATE session SET finished = 1 WHERE id = ?", session, 0, error) &&
        seal_session(store, session, error);
    return store_leave(store, own, good, error);
}

const char *store_session_columns(const struct store *store)
{
    return store->version < 3 ? "id, version, command, started, system, seed, runs, finished,"
                                " options, " STORE_UUID ", '', 0, 0, 1"
           : !store_has_sums(store)
               ? "id, version, command, started, system, seed, runs, finished,"
                 " options, uuid, shard, shard_index, shard_count, 1"
               : "id, version, command, started, system, seed, runs, finished,"
                 " options, uuid, shard, shard_index, shard_count, sum = " STORE_SESSION_SUM;
}

bool store_session_read(sqlite3_stmt *select, struct store_session *session)
{
    *session = (struct store_session){0};
    session->id = sqlite3_column_int64(select, 0);
    session->version = store_column_text(select, 1);
    session->command = store_column_text(select, 2);
    session->started = store_column_text(select, 3);
    session->system = store_column_text(select, 4);
    session->finished = sqlite3_column_int(select, 7) != 0;
    session->options = store_column_text(select, 8);
    session->uuid = store_column_text(select, 9);
    char *shard = store_column_text(select, 10);
    session->shard = STORE_SHARD_RUNS;
    while (session->shard > STORE_WHOLE && strcmp(shard, shard_names[session->shard]) != 0)
        session->shard--;
    free(shard);
    return store_column_hex(select, 5, &session->seed) &&
           store_column_count(select, 6, INT64_MAX, &session->runs) &&
           store_column_count(select, 11, INT64_MAX, &session->shard_index) &&
           store_column_count(select, 12, INT64_MAX, &session->shard_count) &&
           sqlite3_column_int(select, 13) == 1 &&
           (session->shard == STORE_WHOLE) == (session->shard_count == 0) &&
           (session->shard == STORE_WHOLE || session->shard_index < session->shard_count);
}

bool store_session_load(struct store *store, int64_t id, bool unfinished,
                        struct store_session *session, struct lit_error *error)
{
    *session = (struct store_session){0};
    struct text columns = {0};
    if (!store_total_check(store, STORE_KIND_SESSION, 0, error))
        return false;
    text_printf(&columns,
                "SELECT %s FROM session WHERE (id = ?1 OR ?1 <= 0) AND (finished = 0 OR NOT ?2)"
                " ORDER BY id DESC LIMIT 1",
                store_session_columns(store));
    sqlite3_stmt *select = store_prepare(store, columns.data, error);
    text_free(&columns);
    if (!select)
        return false;
    sqlite3_bind_int64(select, 1, id);
    sqlite3_bind_int(select, 2, unfinished);
    int step = sqlite3_step(select);
    bool good = true;
    if (step == SQLITE_ROW) {
        good = store_session_read(select, session);
        if (!good)
            store_damaged(store, error, "session %lld", (long long)session->id);
    } else if (step != SQLITE_DONE) {
        good = store_fail(store, error);
    } else if (id > 0) {
        good = lit_fail(error, LIT_EXIT_USAGE, "%s: there is no %ssession %lld in it", store->path,
                        unfinished ? "unfinished " : "", (long long)id);
    } else {
        good = lit_fail(error, LIT_EXIT_USAGE, "%s: there is no %ssession in it", store->path,
                        unfinished ? "unfinished " : "");
    }
    sqlite3_finalize(select);
    if (!good)
        store_session_clear(session);
    return good;
}

static bool put_device(struct store *store, int64_t session, unsigned number,
                       const struct dev_facts *facts, const char *checker, struct lit_error *error)
{
    sqlite3_stmt *insert = store_prepare(
        store,
        "INSERT INTO device (session, number, id, checker, name, driver_name,"
        " driver_info, driver_version, device_uuid, driver_uuid, driver_id, vendor,"
        " product, api, driver_raw, cpu, type, subgroup, subgroup_min, subgroup_max,"
        " subgroup_control, max_workgroup, max_workgroups, max_shared,"
        " max_storage_buffer, features, loader) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
        " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE"
        " SET checker = excluded.checker WHERE excluded.checker <> 'device'",
        error);
    if (!insert)
        return false;
    char id[17];
    dev_facts_id(facts, id);
    sqlite3_bind_int64(insert, 1, session);
    sqlite3_bind_int64(insert, 2, number);
    store_bind_text(insert, 3, id);
    store_bind_text(insert, 4, checker);
    store_bind_text(insert, 5, facts->name);
    store_bind_text(insert, 6, facts->driver_name);
    store_bind_text(insert, 7, facts->driver_info);
    store_bind_text(insert, 8, facts->driver_version);
    sqlite3_bind_blob(insert, 9, facts->device_uuid, 16, SQLITE_STATIC);
    sqlite3_bind_blob(insert, 10, facts->driver_uuid, 16, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 11, facts->driver_id);
    sqlite3_bind_int64(insert, 12, facts->vendor);
    sqlite3_bind_int64(insert, 13, facts->product);
    sqlite3_bind_int64(insert, 14, facts->api);
    sqlite3_bind_int64(insert, 15, facts->driver_raw);
    sqlite3_bind_int(insert, 16, facts->cpu);
    store_bind_text(insert, 17, facts->type);
    sqlite3_bind_int64(insert, 18, facts->subgroup);
    sqlite3_bind_int64(insert, 19, facts->subgroup_min);
    sqlite3_bind_int64(insert, 20, facts->subgroup_max);
    sqlite3_bind_int(insert, 21, facts->subgroup_control);
    sqlite3_bind_int64(insert, 22, facts->max_workgroup);
    sqlite3_bind_int64(insert, 23, facts->max_workgroups);
    sqlite3_bind_int64(insert, 24, facts->max_shared);
    store_bind_count(insert, 25, facts->max_storage_buffer);
    store_bind_hex(insert, 26, facts->features);
    store_bind_text(insert, 27, facts->loader);
    bool good = store_done(store, insert, error);
    sqlite3_finalize(insert);
    return good;
}

bool store_device_put(struct store *store, int64_t session, unsigned number,
                      const struct dev_facts *facts, const char *checker, struct lit_error *error)
{
    bool own;
    if (!store_enter(store, &own, error))
        return false;
    const bool good =
        put_device(store, session, number, facts, checker, error) &&
        store_run(store,
                  "UPDATE device SET sum = " STORE_DEVICE_SUM " WHERE session = ? AND number = ?",
                  session, number, error) &&
        store_total_make(store, STORE_KIND_DEVICE, session, error);
    return store_leave(store, own, good, error);
}

static void column_string(sqlite3_stmt *select, int index, char *target, size_t size)
{
    const char *raw = (const char *)sqlite3_column_text(select, index);
    text_sanitise(target, size, raw ? raw : "");
}

static bool column_uuid(sqlite3_stmt *select, int index, uint8_t uuid[16])
{
    const void *raw = sqlite3_column_blob(select, index);
    if (!raw || sqlite3_column_bytes(select, index) != 16)
        return false;
    memcpy(uuid, raw, 16);
    return true;
}

static bool column_word(sqlite3_stmt *select, int index, uint32_t *word)
{
    uint64_t value;
    bool good = store_column_count(select, index, UINT32_MAX, &value);
    *word = (uint32_t)value;
    return good;
}

const char *store_facts_newer(const struct store *store)
{
    return store->version < 3       ? "'', 1"
           : !store_has_sums(store) ? "loader, 1"
                                    : "loader, sum = " STORE_DEVICE_SUM;
}

bool store_facts_read(sqlite3_stmt *select, int at, struct dev_facts *facts)
{
    *facts = (struct dev_facts){0};
    column_string(select, at, facts->name, sizeof(facts->name));
    column_string(select, at + 1, facts->driver_name, sizeof(facts->driver_name));
    column_string(select, at + 2, facts->driver_info, sizeof(facts->driver_info));
    column_string(select, at + 3, facts->driver_version, sizeof(facts->driver_version));
    column_string(select, at + 12, facts->type, sizeof(facts->type));
    column_string(select, at + 22, facts->loader, sizeof(facts->loader));
    facts->cpu = sqlite3_column_int(select, at + 11) != 0;
    facts->subgroup_control = sqlite3_column_int(select, at + 16) != 0;
    return column_uuid(select, at + 4, facts->device_uuid) &&
           column_uuid(select, at + 5, facts->driver_uuid) &&
           sqlite3_column_int(select, at + 23) == 1 &&
           column_word(select, at + 6, &facts->driver_id) &&
           column_word(select, at + 7, &facts->vendor) &&
           column_word(select, at + 8, &facts->product) &&
           column_word(select, at + 9, &facts->api) &&
           column_word(select, at + 10, &facts->driver_raw) &&
           column_word(select, at + 13, &facts->subgroup) &&
           column_word(select, at + 14, &facts->subgroup_min) &&
           column_word(select, at + 15, &facts->subgroup_max) &&
           column_word(select, at + 17, &facts->max_workgroup) &&
           column_word(select, at + 18, &facts->max_workgroups) &&
           column_word(select, at + 19, &facts->max_shared) &&
           store_column_count(select, at + 20, INT64_MAX, &facts->max_storage_buffer) &&
           store_column_hex(select, at + 21, &facts->features);
}

bool store_devices(struct store *store, int64_t session,
                   bool (*visit)(unsigned number, const struct dev_facts *facts,
                                 const char *checker, void *user),
                   void *user, struct lit_error *error)
{
    return store_total_check(store, STORE_KIND_DEVICE, session, error) &&
           store_devices_read(store, session, 0, visit, user, error);
}

bool store_devices_read(struct store *store, int64_t session, int64_t only,
                        bool (*visit)(unsigned number, const struct dev_facts *facts,
                                      const char *checker, void *user),
                        void *user, struct lit_error *error)
{
    struct text columns = {0};
    text_printf(&columns,
                "SELECT number, checker, " STORE_FACTS ", %s"
                " FROM device WHERE session = ?1 AND (number = ?2 OR ?2 = 0) ORDER BY number",
                store_facts_newer(store));
    sqlite3_stmt *select = store_prepare(store, columns.data, error);
    text_free(&columns);
    if (!select)
        return false;
    sqlite3_bind_int64(select, 1, session);
    sqlite3_bind_int64(select, 2, only);
    int step;
    bool good = true, more = true;
    while (good && more && (step = sqlite3_step(select)) != SQLITE_DONE) {
        struct dev_facts facts;
        uint32_t number;
        if (step != SQLITE_ROW) {
            good = store_fail(store, error);
        } else if (!column_word(select, 0, &number) || !store_facts_read(select, 2, &facts)) {
            good = store_damaged(store, error, "a device of session %lld", (long long)session);
        } else {
            char *checker = store_column_text(select, 1);
            more = visit(number, &facts, checker, user);
            free(checker);
        }
    }
    sqlite3_finalize(select);
    return good;
}
