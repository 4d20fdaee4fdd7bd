// SPDX-License-Identifier: Apache-2.0
// Sessions, their devices, the tries of searches for stress, and their kernels; and what may be
// taken from the options of a session.
#include "store/private.h"

#include "../../simt/settings.h"

#include <jansson.h>

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

// What a reader calls for each row: one of these.
struct visiting {
    bool (*device)(struct eng_device *device, void *user);
    bool (*tuning)(const struct result *tuning, void *user);
    void (*name)(const char *name, void *user);
    bool (*kernel)(const void *bytes, size_t size, void *user);
    void *user;
};

static bool visit_device(int64_t session, void *record, void *user)
{
    struct eng_device *device = record;
    const struct visiting *visiting = user;
    (void)session;
    dev_facts_id(&device->facts, device->id);
    return visiting->device(device, visiting->user);
}

bool store_devices(struct store *store, int64_t session,
                   bool (*visit)(struct eng_device *device, void *user), void *user,
                   struct lit_error *error)
{
    return store_total_check(store, STORE_KIND_DEVICE, session, error) &&
           store_each_record(store, STORE_KIND_DEVICE, "WHERE session = ?1 ORDER BY number",
                             session, 0, visit_device,
                             &(struct visiting){.device = visit, .user = user}, error);
}

// --- Tries of a search for stress

static const struct store_table *const tunings = &store_tables[STORE_KIND_TUNING];

bool store_tuning_put(struct store *store, int64_t session, const struct result *tuning,
                      struct lit_error *error)
{
    return store_put_record(store, STORE_KIND_TUNING, session, tuning, error);
}

static bool visit_try(int64_t number, void *record, void *user)
{
    const struct visiting *visiting = user;
    (void)number;
    return visiting->tuning(record, visiting->user);
}

bool store_tunings(struct store *store, int64_t session,
                   bool (*visit)(const struct result *tuning, void *user), void *user,
                   struct lit_error *error)
{
    return store_total_check(store, STORE_KIND_TUNING, session, error) &&
           store_each_record(store, STORE_KIND_TUNING, "WHERE session = ?1 ORDER BY id", session, 0,
                             visit_try, &(struct visiting){.tuning = visit, .user = user}, error);
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
                               visit_try, &(struct visiting){.tuning = visit, .user = user}, error);
}

// --- What was tried

static enum store_row visit_name(sqlite3_stmt *select, void *user)
{
    const struct visiting *visiting = user;
    OWNED(lit_free) char *name = store_column_text(select, 0);
    visiting->name(name, visiting->user);
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
                      visit_name, &(struct visiting){.name = visit, .user = user});
}

// --- Kernels from outside

bool store_kernel_put(struct store *store, int64_t session, const char *test, const void *bytes,
                      size_t size, struct lit_error *error)
{
    const struct store_kernel_row row = {{bytes, size}, (char *)test};
    return store_put_record(store, STORE_KIND_KERNEL, session, &row, error);
}

static bool visit_kernel(int64_t number, void *record, void *user)
{
    const struct visiting *visiting = user;
    const struct store_kernel_row *row = record;
    (void)number;
    return visiting->kernel(row->packed.bytes, row->packed.size, visiting->user);
}

bool store_kernels(struct store *store, int64_t session,
                   bool (*visit)(const void *bytes, size_t size, void *user), void *user,
                   struct lit_error *error)
{
    return store_total_check(store, STORE_KIND_KERNEL, session, error) &&
           store_each_record(store, STORE_KIND_KERNEL,
                             "WHERE session = ?1 OR ?1 = 0 AND id IN"
                             " (SELECT max(id) FROM kernel GROUP BY name) ORDER BY id",
                             session, 0, visit_kernel,
                             &(struct visiting){.kernel = visit, .user = user}, error);
}

// --- Options

#define OPTIONS_MAX 4000000 // bytes

// Members of a session's options.
static const char *const members[] = {
    "build",    "caselist", "count", "devices", "drivers", "first",      "joined", "max_runs",
    "patterns", "runs",     "seed",  "shard",   "shuffle", "simt",       "skips",  "stress",
    "thorough", "unclosed", "until", "usual",   "timeout", "validation",
};

// Settings of the SIMT simulator and of emulated GPUs: all but "counts" and "trace", which name
// files that it writes.
static const char *const settings[] = {
    "model", "seed", "devices", "subgroup", "threads", "resident", "schedule", "depth",
    "fault", "rate", "at",      "bounds",   "timing",  "caches",   "steps",    "turns",
};

static bool has(const char *const *list, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == length && strncmp(list[i], name, length) == 0)
            return true;
    return false;
}

bool store_recorded_simt(const char *given, struct text *listed)
{
    bool all = true;
    text_puts(listed, "");
    for (const char *at = given; *at; at += *at == ',') {
        const size_t length = strcspn(at, ","), name = strcspn(at, "=,");
        // The model comes first and may have no name.
        if ((name == length && at == given) ||
            has(settings, sizeof settings / sizeof *settings, at, name) ||
            has(operator_names, OPERATOR_COUNT, at, name)) {
            text_puts(listed, listed->length ? "," : "");
            text_append(listed, at, length);
        } else {
            all = false;
        }
        at += length;
    }
    return all;
}

json_t *store_recorded(const char *options)
{
    const size_t length = options ? strnlen(options, OPTIONS_MAX) : OPTIONS_MAX;
    json_t *root = length < OPTIONS_MAX ? json_loadb(options, length, 0, NULL) : NULL, *value;
    const char *key;
    void *next;
    if (root && !json_is_object(root)) {
        json_decref(root);
        return NULL;
    }
    json_object_foreach_safe(root, next, key, value)
    {
        if (!has(members, sizeof members / sizeof *members, key, strlen(key)))
            json_object_del(root, key);
    }
    return root;
}
