// SPDX-License-Identifier: Apache-2.0
// Results: writes them batch by batch, and reads them back without trusting them.
#include "store/private.h"

#include "model/result.h"

static const struct store_table *const results = &store_tables[STORE_KIND_RESULT];

// --- The parts of a name

static bool put_configuration(struct store *store, const struct cfg *cfg, struct lit_error *error)
{
    bool good =
        store_run(store, error, "INSERT OR IGNORE INTO configuration (name, test) VALUES (?, ?)",
                  "tt", cfg->name, cfg->test);
    // Names that existed already have their pairs.
    const bool fresh = good && sqlite3_changes(store->db) > 0;
    const int64_t id = sqlite3_last_insert_rowid(store->db);
    for (size_t i = 0; fresh && good && i < cfg->variant_count + cfg->param_count; i++) {
        const struct cfg_pair *pair = &cfg->variant[i]; // the parameters follow
        good = store_run(store, error, "INSERT INTO pair VALUES (?, ?, ?, ?, ?)", "iittt", id,
                         (int64_t)i, cfg_role_name(pair->role), pair->key, pair->value);
    }
    return good;
}

bool store_configuration_check(struct store *store, const char *name, int64_t *right,
                               struct lit_error *error)
{
    OWNED(cfg_clear) struct cfg cfg = cfg_parse(name);
    OWNED(text_free) struct text pairs = {0};
    text_puts(&pairs, "");
    for (size_t i = 0; i < cfg.variant_count + cfg.param_count; i++) {
        const struct cfg_pair *pair = &cfg.variant[i]; // the parameters follow
        text_printf(&pairs, "%s %s=%s\n", cfg_role_name(pair->role), pair->key, pair->value);
    }
    return store_number(
        store, error, right,
        "SELECT coalesce((SELECT test = ?2 FROM configuration WHERE name = ?1), 0) AND"
        " ?3 = (SELECT coalesce(group_concat(role || ' ' || key || '=' || value ||"
        " char(10), ''), '') FROM (SELECT pair.* FROM pair JOIN configuration"
        " ON configuration = id WHERE name = ?1 ORDER BY number))",
        "ttt", name, cfg.test, pairs.data);
}

struct naming {
    struct store *store;
    struct lit_error *error;
};

static enum store_row take_name(sqlite3_stmt *select, void *user)
{
    const struct naming *naming = user;
    const char *name = (const char *)sqlite3_column_text(select, 0);
    OWNED(cfg_clear) struct cfg cfg = cfg_parse(name ? name : "");
    return put_configuration(naming->store, &cfg, naming->error) ? STORE_NEXT : STORE_FAILED;
}

bool store_configurations_make(struct store *store, int64_t session, struct lit_error *error)
{
    struct naming naming = {store, error};
    return store_each(store, error,
                      store_borrow(store, error,
                                   session ? "SELECT name FROM result WHERE session = ?"
                                           : "SELECT DISTINCT name FROM result",
                                   "i", session),
                      take_name, &naming);
}

// --- Writing

// --- Children

static size_t *count_of(const struct store_child *child, const struct store_result_row *row)
{
    return (size_t *)((char *)(uintptr_t)row + child->count);
}

static void *place_of(const struct store_child *child, const struct store_result_row *row,
                      size_t at)
{
    char *array = (char *)(uintptr_t)row + child->offset;
    if (child->count)
        memcpy(&array, array, sizeof array);
    return array + at * child->stride;
}

static bool is_set(const struct store_child *child, const struct store_result_row *row, size_t at)
{
    const void *place = place_of(child, row, at);
    const char *text = place;
    if (child->count)
        return at < *count_of(child, row);
    if (child->fields.fields->type == FIELD_NUMBER)
        return *(const uint64_t *)place > 0;
    if (child->fields.fields->type == FIELD_LINES)
        memcpy(&text, place, sizeof text);
    return text && text[0];
}

static uint32_t *bits_of(const struct store_child *child, const struct store_result_row *row)
{
    return (uint32_t *)((char *)(uintptr_t)row + child->bits);
}

static bool put_children(struct store *store, const struct store_child *child, int64_t id,
                         const struct store_result_row *row, struct lit_error *error)
{
    const int columns = 2 + (int)child->fields.count + (child->bits ? 1 : 0);
    OWNED(text_free) struct text sql = text_format("DELETE FROM %s WHERE result = ?", child->table);
    bool good = store_run(store, error, sql.data, "i", id);
    sql.length = 0;
    text_printf(&sql, "INSERT INTO %s (result, ", child->table);
    store_put_child_columns(&sql, child);
    text_puts(&sql, ") VALUES (?");
    for (int i = 1; i < columns; i++)
        text_puts(&sql, ", ?");
    text_puts(&sql, ")");
    sqlite3_stmt *insert = good ? store_borrow(store, error, sql.data, "i", id) : NULL;
    good = insert != NULL;
    for (size_t at = 0; good && at < child->rooms; at++) {
        if (!is_set(child, row, at))
            continue;
        if (child->names)
            sqlite3_bind_text(insert, 2, child->names[at], -1, SQLITE_STATIC);
        else
            sqlite3_bind_int64(insert, 2, (int64_t)at);
        store_bind(insert, 3, child->fields, place_of(child, row, at));
        if (child->bits)
            sqlite3_bind_int(insert, columns, *bits_of(child, row) >> at & 1);
        good = store_step(store, insert, error);
    }
    store_return(store, insert);
    return good;
}

// Finds the place for a row's key; in a counted array, the next one.
static bool find_place(sqlite3_stmt *select, const struct store_child *child,
                       struct store_result_row *row, size_t *at)
{
    const char *name = (const char *)sqlite3_column_text(select, 0);
    *at = (size_t)sqlite3_column_int64(select, 0);
    if (child->count) {
        void **array = (void **)((char *)row + child->offset);
        *at = *count_of(child, row);
        if (*at < child->rooms)
            *array = lit_grow(*array, (*count_of(child, row))++, child->stride);
    }
    for (size_t i = 0; child->names && i <= child->rooms; i++)
        if (*at = i, i < child->rooms && name && strcmp(name, child->names[i]) == 0)
            break;
    return *at < child->rooms;
}

static bool read_children(sqlite3_stmt *select, const struct store_child *child, int64_t id,
                          struct store_result_row *row)
{
    size_t at;
    bool good = true;
    sqlite3_bind_int64(select, 1, id);
    while (good && sqlite3_step(select) == SQLITE_ROW) {
        good = find_place(select, child, row, &at) &&
               store_read(select, 1, child->fields, place_of(child, row, at));
        if (good && child->bits && sqlite3_column_int(select, 1 + (int)child->fields.count))
            *bits_of(child, row) |= 1u << at;
    }
    return sqlite3_reset(select) == SQLITE_OK && good;
}

bool store_result_put(struct store *store, int64_t session, const struct result *result,
                      struct lit_error *error)
{
    struct store_result_row row = {*result, *result->mode};
    bool own, fresh;
    int64_t id = 0;
    if (result->result == ENG_PARTIAL)
        row.result.reason = NULL;
    if (!store_enter(store, &own, error))
        return false;
    bool good = store_insert(store, STORE_KIND_RESULT, session, &row, &id, &fresh, error) &&
                (!fresh || (put_configuration(store, &result->cfg, error) &&
                            store_course_add(store, id, result->name, result->device_id, error) &&
                            store_total_add(store, STORE_KIND_RESULT, session, id, error)));
    for (size_t i = 0; good && i < STORE_CHILDREN; i++)
        good = put_children(store, &store_children[i], id, &row, error);
    good = good && store_sum_make(store, STORE_KIND_RESULT, session, id, error);
    return store_leave(store, own, good, error);
}

bool store_results_put(struct store *store, int64_t session, const struct result *const *list,
                       size_t count, struct lit_error *error)
{
    bool own, good = true;
    if (!store_enter(store, &own, error))
        return false;
    for (size_t i = 0; good && i < count; i++)
        good = store_result_put(store, session, list[i], error);
    return store_leave(store, own, good, error);
}

// --- Reading

bool store_is_hash(const char *text)
{
    return text[0] == '\0' || text_is_sha256(text);
}

struct reading {
    struct store *store;
    struct lit_error *error;
    sqlite3_stmt *children[STORE_CHILDREN];
    bool (*visit)(struct result *result, void *user);
    void *user;
    struct result *kept; // takes the first one; NULL: visit them
};

// Makes *result from the current row. False if this program cannot have written it; *why says which
// numbers disagree, if that is the only fault.
static bool read_row(const struct reading *reading, sqlite3_stmt *select, struct result *result,
                     const char **why)
{
    struct store_result_row row = {0};
    bool good = store_read(select, 1, results->fields, &row) &&
                sqlite3_column_int(select, 1 + (int)results->fields.count) == 1 &&
                store_is_hash(row.result.sha256);
    for (size_t i = 0; good && i < STORE_CHILDREN; i++)
        good = read_children(reading->children[i], &store_children[i],
                             sqlite3_column_int64(select, 0), &row);
    good = good && !(row.mode.choice.fails & 1);
    OWNED(lit_free) char *name = row.result.name;
    *result = row.result;
    result->cfg = cfg_parse(name);
    result->mode = cat_mode_keep(&row.mode);
    *why = good ? eng_result_disagrees(result) : "it is unreadable";
    return !*why;
}

static enum store_row take_result(sqlite3_stmt *select, void *user)
{
    const struct reading *reading = user;
    struct result result;
    const char *why;
    bool more = false;
    const bool good = read_row(reading, select, &result, &why);
    if (good && reading->kept) {
        *reading->kept = result;
        return STORE_STOP;
    }
    if (good)
        more = !reading->visit || reading->visit(&result, reading->user);
    else
        store_damaged(reading->store, reading->error, "the result of %s: %s", result.name, why);
    eng_result_clear(&result);
    return !good ? STORE_FAILED : more ? STORE_NEXT : STORE_STOP;
}

// Reads the rows of a statement made by store_put_select.
static bool read_results(struct reading *reading, sqlite3_stmt *select)
{
    struct store *store = reading->store;
    bool good = select != NULL;
    for (size_t i = 0; good && i < STORE_CHILDREN; i++) {
        const struct store_child *child = &store_children[i];
        OWNED(text_free) struct text sql = {0};
        text_puts(&sql, "SELECT ");
        store_put_child_columns(&sql, child);
        text_printf(&sql, " FROM %s WHERE result = ? ORDER BY 1", child->table);
        reading->children[i] = store_borrow(store, reading->error, sql.data, "");
        good = reading->children[i] != NULL;
    }
    if (good)
        good = store_each(store, reading->error, select, take_result, reading);
    else
        store_return(store, select);
    for (size_t i = 0; i < STORE_CHILDREN; i++)
        store_return(store, reading->children[i]);
    return good;
}

bool store_result_get(struct store *store, int64_t session, const char *device, const char *name,
                      struct result *result, struct lit_error *error)
{
    struct reading reading = {.store = store, .error = error, .kept = result};
    OWNED(text_free) struct text sql = {0};
    *result = (struct result){0};
    if (error)
        error->message[0] = '\0';
    store_put_select(&sql, STORE_KIND_RESULT, "WHERE session = ? AND device = ? AND name = ?");
    read_results(&reading, store_borrow(store, error, sql.data, "itt", session, device, name));
    return result->name != NULL;
}

static bool each_result(struct store *store, int64_t session, int64_t number,
                        bool (*visit)(struct result *result, void *user), void *user,
                        struct lit_error *error)
{
    struct reading reading = {.store = store, .error = error, .visit = visit, .user = user};
    OWNED(text_free) struct text sql = {0};
    bool own;
    // A writer must not change a result's parts between two statements.
    if (!store_enter_reading(store, &own, error))
        return false;
    store_put_select(&sql, STORE_KIND_RESULT,
                     number ? "WHERE result.session = ?1 AND result.id = ?2"
                            : "LEFT JOIN device ON device.session = result.session"
                              " AND device.id = result.device WHERE result.session = ?1"
                              " ORDER BY device.number, result.id");
    const bool good =
        store_total_check(store, STORE_KIND_RESULT, session, error) &&
        read_results(&reading, store_borrow(store, error, sql.data, "ii", session, number));
    store_leave_reading(store, own);
    return good;
}

bool store_results(struct store *store, int64_t session,
                   bool (*visit)(struct result *result, void *user), void *user,
                   struct lit_error *error)
{
    return each_result(store, session, 0, visit, user, error);
}

bool store_result_is_intact(struct store *store, int64_t session, int64_t number,
                            struct lit_error *error)
{
    return each_result(store, session, number, NULL, NULL, error);
}
