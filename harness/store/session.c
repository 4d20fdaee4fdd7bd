// SPDX-License-Identifier: Apache-2.0
// Sessions, their devices, the tries of searches for stress, and their kernels.
#include "store/private.h"

#include <stdlib.h>
#include <string.h>

// --- Sessions

static const struct store_table *const sessions = &store_tables[STORE_KIND_SESSION];

void store_session_clear(struct store_session *session)
{
    store_clear(sessions->fields, session);
    *session = (struct store_session){0};
}

bool store_session_begin(struct store *store, struct store_session *session,
                         struct lit_error *error)
{
    bool own, fresh;
    if (!store_enter(store, &own, error))
        return false;
    bool good = store_insert(store, STORE_KIND_SESSION, 0, session, &session->id, &fresh, error) &&
                store_run(store, error,
                          "UPDATE session SET uuid = lower(hex(randomblob(16)))"
                          " WHERE id = ? AND uuid = ''",
                          "i", session->id) &&
                store_sum_make(store, STORE_KIND_SESSION, session->id, 0, error) &&
                store_total_add(store, STORE_KIND_SESSION, session->id, 0, error);
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
        store_run(store, error, "UPDATE session SET finished = 1 WHERE id = ?", "i", session) &&
        store_sum_make(store, STORE_KIND_SESSION, session, 0, error);
    return store_leave(store, own, good, error);
}

bool store_session_note(struct store *store, int64_t session, const char *line, bool unclosed,
                        struct lit_error *error)
{
    bool own;
    if (!store_enter(store, &own, error))
        return false;
    const bool good =
        store_run(
            store, error,
            "UPDATE session SET options = json_set(json_insert(options, '$.drivers', json('[]')),"
            " '$.unclosed', coalesce(options ->> '$.unclosed', 0) + ?3)"
            " WHERE id = ?1 AND json_valid(options)",
            "iti", session, line, (int64_t)unclosed) &&
        store_run(store, error,
                  "UPDATE session SET options = json_insert(options, '$.drivers[#]', ?2)"
                  " WHERE id = ?1 AND json_valid(options) AND NOT EXISTS"
                  " (SELECT 1 FROM json_each(options, '$.drivers') WHERE value = ?2)",
                  "it", session, line) &&
        store_sum_make(store, STORE_KIND_SESSION, session, 0, error);
    return store_leave(store, own, good, error);
}

static bool keep_session(int64_t number, void *record, void *user)
{
    struct store_session *session = record;
    *(struct store_session *)user = *session;
    ((struct store_session *)user)->id = number;
    *session = (struct store_session){0};
    return false;
}

bool store_session_load(struct store *store, int64_t id, bool unfinished,
                        struct store_session *session, struct lit_error *error)
{
    *session = (struct store_session){0};
    if (!store_total_check(store, STORE_KIND_SESSION, 0, error) ||
        !store_each_record(store, STORE_KIND_SESSION,
                           "WHERE (id = ?1 OR ?1 <= 0) AND (finished = 0 OR NOT ?2)"
                           " ORDER BY id DESC LIMIT 1",
                           id, unfinished, keep_session, session, error))
        return false;
    if (session->options)
        return true;
    if (id > 0)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: there is no %ssession %lld in it", store->path,
                        unfinished ? "unfinished " : "", (long long)id);
    return lit_fail(error, LIT_EXIT_USAGE, "%s: there is no %ssession in it", store->path,
                    unfinished ? "unfinished " : "");
}

struct picking {
    bool (*suits)(const struct store_session *session, void *user);
    void *user;
    struct store_session *picked;
};

static bool pick(int64_t number, void *record, void *user)
{
    const struct picking *picking = user;
    struct store_session *session = record;
    session->id = number;
    return !picking->suits(session, picking->user) || keep_session(number, record, picking->picked);
}

bool store_session_pick(struct store *store,
                        bool (*suits)(const struct store_session *session, void *user), void *user,
                        struct store_session *session, struct lit_error *error)
{
    struct picking picking = {suits, user, session};
    *session = (struct store_session){0};
    return store_total_check(store, STORE_KIND_SESSION, 0, error) &&
           store_each_record(store, STORE_KIND_SESSION, "ORDER BY id DESC", 0, 0, pick, &picking,
                             error);
}

// --- Devices

bool store_device_put(struct store *store, int64_t session, unsigned number,
                      const struct dev_facts *facts, const char *checker, struct lit_error *error)
{
    struct eng_device device = {.number = number, .facts = *facts, .checker = (char *)checker};
    dev_facts_id(facts, device.id);
    return store_put_record(store, STORE_KIND_DEVICE, session, &device, error);
}

struct visiting {
    bool (*visit)(struct eng_device *device, void *user);
    void *user;
};

static bool visit_device(int64_t session, void *record, void *user)
{
    struct eng_device *device = record;
    const struct visiting *visiting = user;
    (void)session;
    dev_facts_id(&device->facts, device->id);
    return visiting->visit(device, visiting->user);
}

bool store_devices(struct store *store, int64_t session,
                   bool (*visit)(struct eng_device *device, void *user), void *user,
                   struct lit_error *error)
{
    return store_total_check(store, STORE_KIND_DEVICE, session, error) &&
           store_each_record(store, STORE_KIND_DEVICE, "WHERE session = ?1 ORDER BY number",
                             session, 0, visit_device, &(struct visiting){visit, user}, error);
}

// --- Tries of a search for stress

static const struct store_table *const tunings = &store_tables[STORE_KIND_TUNING];

bool store_tuning_put(struct store *store, int64_t session, const struct result *tuning,
                      struct lit_error *error)
{
    return store_put_record(store, STORE_KIND_TUNING, session, tuning, error);
}

struct visiting_tries {
    bool (*visit)(const struct result *tuning, void *user);
    void *user;
};

static bool visit_try(int64_t number, void *record, void *user)
{
    const struct visiting_tries *visiting = user;
    (void)number;
    return visiting->visit(record, visiting->user);
}

bool store_tunings(struct store *store, int64_t session,
                   bool (*visit)(const struct result *tuning, void *user), void *user,
                   struct lit_error *error)
{
    return store_total_check(store, STORE_KIND_TUNING, session, error) &&
           store_each_record(store, STORE_KIND_TUNING, "WHERE session = ?1 ORDER BY id", session, 0,
                             visit_try, &(struct visiting_tries){visit, user}, error);
}

bool store_tuned(struct store *store, bool (*visit)(const struct result *best, void *user),
                 void *user, struct lit_error *error)
{
    OWNED(text_free) struct text sql = {0};
    text_puts(&sql, "SELECT id, ");
    store_put_columns(&sql, "", tunings->fields);
    text_puts(&sql, ", sum = ");
    store_put_sum(&sql, STORE_KIND_RESULT);
    text_puts(&sql, " FROM result WHERE EXISTS (SELECT 1 FROM tuning"
                    " WHERE tuning.session = result.session AND tuning.device = result.device"
                    " AND tuning.name = result.name) ORDER BY session DESC, id DESC");
    return store_total_check(store, STORE_KIND_RESULT, 0, error) &&
           store_total_check(store, STORE_KIND_TUNING, 0, error) &&
           store_each_selected(store, STORE_KIND_TUNING, store_borrow(store, error, sql.data, ""),
                               visit_try, &(struct visiting_tries){visit, user}, error);
}

// --- What was tried

struct visiting_names {
    void (*visit)(const char *name, void *user);
    void *user;
};

static enum store_row visit_name(sqlite3_stmt *select, void *user)
{
    const struct visiting_names *visiting = user;
    OWNED(lit_free) char *name = store_column_text(select, 0);
    visiting->visit(name, visiting->user);
    return STORE_NEXT;
}

bool store_tried(struct store *store, int64_t session, const char *device, const char *tests,
                 void (*visit)(const char *name, void *user), void *user, struct lit_error *error)
{
    return store_each(store, error,
                      store_borrow(store, error,
                                   "SELECT DISTINCT name FROM result WHERE device = ?1"
                                   " AND name GLOB ?2 || '@*' AND result <> 'partial'"
                                   " AND session < ?3",
                                   "tti", device, tests, session),
                      visit_name, &(struct visiting_names){visit, user});
}

// --- Kernels from outside

bool store_kernel_put(struct store *store, int64_t session, const char *test, const void *bytes,
                      size_t size, struct lit_error *error)
{
    const struct store_kernel_row row = {{bytes, size}, (char *)test};
    return store_put_record(store, STORE_KIND_KERNEL, session, &row, error);
}

struct visiting_kernels {
    bool (*visit)(const void *bytes, size_t size, void *user);
    void *user;
};

static bool visit_kernel(int64_t number, void *record, void *user)
{
    const struct visiting_kernels *visiting = user;
    const struct store_kernel_row *row = record;
    (void)number;
    return visiting->visit(row->packed.bytes, row->packed.size, visiting->user);
}

bool store_kernels(struct store *store, int64_t session,
                   bool (*visit)(const void *bytes, size_t size, void *user), void *user,
                   struct lit_error *error)
{
    return store_total_check(store, STORE_KIND_KERNEL, session, error) &&
           store_each_record(store, STORE_KIND_KERNEL,
                             "WHERE session = ?1 OR ?1 = 0 AND id IN"
                             " (SELECT max(id) FROM kernel GROUP BY name) ORDER BY id",
                             session, 0, visit_kernel, &(struct visiting_kernels){visit, user},
                             error);
}
