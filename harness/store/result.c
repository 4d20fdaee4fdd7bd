// SPDX-License-Identifier: Apache-2.0
// Results: written batch by batch, read back with doubt.
#include "store/private.h"

#include "model/result.h"

#include <stdlib.h>
#include <string.h>

static const struct store_table *const results = &store_tables[STORE_KIND_RESULT];

void store_result_clear(struct store_result *result)
{
    store_clear(results->fields, result);
    for (size_t i = 0; i < ENG_EVIDENCES; i++)
        free(result->evidence[i]);
    cfg_clear(&result->cfg);
    *result = (struct store_result){0};
}

// --- Children: what a result has in other tables, as rows and back

union child_row {
    struct store_outcome_row outcome;
    struct store_failure_row failure;
    struct store_choice_row choice;
    struct store_part_row part;
    struct store_evidence_row evidence;
};

// Each makes the row at a place of the arrays, of which there are `rooms`; false where there is
// none. Each take_ puts a row into its place; false if it cannot be what this program wrote.

static bool make_outcome(const struct store_result *result, uint32_t at, union child_row *row)
{
    row->outcome = (struct store_outcome_row){at, result->count.outcomes[at]};
    return row->outcome.instances > 0;
}

static bool take_outcome(struct store_result *result, const union child_row *row)
{
    if (row->outcome.outcome >= CAT_OUTCOMES)
        return false;
    result->count.outcomes[row->outcome.outcome] = row->outcome.instances;
    return true;
}

static bool make_failure(const struct store_result *result, uint32_t at, union child_row *row)
{
    row->failure = (struct store_failure_row){at, result->count.failures[at]};
    return at < result->count.failure_count;
}

static bool take_failure(struct store_result *result, const union child_row *row)
{
    struct eng_count *count = &result->count;
    if (count->failure_count < ENG_MAX_FAILURES)
        count->failures[count->failure_count++] = row->failure.failure;
    return row->failure.failure.at.outcome < CAT_OUTCOMES;
}

static bool make_choice(const struct store_result *result, uint32_t at, union child_row *row)
{
    const struct cat_choice *choice = &result->mode.choice;
    row->choice = (struct store_choice_row){.place = at, .fails = choice->fails >> at & 1};
    memcpy(row->choice.name, choice->names[at], sizeof row->choice.name);
    return result->mode.check == CAT_CHECK_CHOICE && choice->names[at][0];
}

static bool take_choice(struct store_result *result, const union child_row *row)
{
    struct cat_choice *choice = &result->mode.choice;
    const uint32_t place = row->choice.place;
    if (place > CAT_CHOICES || (row->choice.fails && place == 0))
        return false;
    memcpy(choice->names[place], row->choice.name, sizeof row->choice.name);
    choice->fails |= (uint32_t)row->choice.fails << place;
    return true;
}

static bool make_part(const struct store_result *result, uint32_t at, union child_row *row)
{
    row->part = (struct store_part_row){at, result->count.parts[at]};
    return at < result->count.part_count;
}

static bool take_part(struct store_result *result, const union child_row *row)
{
    struct eng_count *count = &result->count;
    if (count->part_count < ENG_MAX_PARTS)
        count->parts[count->part_count++] = row->part.part;
    return true;
}

static bool make_evidence(const struct store_result *result, uint32_t at, union child_row *row)
{
    const char *text = result->evidence[at];
    row->evidence.kind = (int)at;
    text_sanitise_lines(row->evidence.text, sizeof row->evidence.text, text ? text : "");
    return text && text[0];
}

static bool take_evidence(struct store_result *result, const union child_row *row)
{
    char **evidence = &result->evidence[row->evidence.kind];
    if (*evidence)
        return false;
    *evidence = lit_strdup(row->evidence.text);
    return true;
}

static const struct {
    uint32_t rooms;
    bool (*make)(const struct store_result *result, uint32_t at, union child_row *row);
    bool (*take)(struct store_result *result, const union child_row *row);
} children[STORE_CHILDREN] = {
    [STORE_OUTCOME] = {CAT_OUTCOMES, make_outcome, take_outcome},
    [STORE_FAILURE] = {ENG_MAX_FAILURES, make_failure, take_failure},
    [STORE_CHOICE] = {CAT_CHOICES + 1, make_choice, take_choice},
    [STORE_PART] = {ENG_MAX_PARTS, make_part, take_part},
    [STORE_EVIDENCE] = {ENG_EVIDENCES, make_evidence, take_evidence},
};

// --- The parts of a name

static const struct cfg_pair *pair_at(const struct cfg *cfg, size_t i)
{
    return i < cfg->variant_count ? &cfg->variant[i] : &cfg->params[i - cfg->variant_count];
}

static bool put_configuration(struct store *store, const char *name, struct lit_error *error)
{
    struct cfg cfg = cfg_parse(name);
    bool good = store_run(store, error, "INSERT OR IGNORE INTO configuration VALUES (?, ?)", "tt",
                          name, cfg.test);
    // Those that were there have their pairs.
    const bool fresh = good && sqlite3_changes(store->db) > 0;
    for (size_t i = 0; fresh && good && i < cfg.variant_count + cfg.param_count; i++) {
        const struct cfg_pair *pair = pair_at(&cfg, i);
        good = store_run(store, error, "INSERT INTO pair VALUES (?, ?, ?, ?, ?)", "tittt", name,
                         (int64_t)i, cfg_role_name(pair->role), pair->key, pair->value);
    }
    cfg_clear(&cfg);
    return good;
}

bool store_configuration_check(struct store *store, const char *name, int64_t *right,
                               struct lit_error *error)
{
    struct cfg cfg = cfg_parse(name);
    struct text pairs = {0};
    text_puts(&pairs, "");
    for (size_t i = 0; i < cfg.variant_count + cfg.param_count; i++) {
        const struct cfg_pair *pair = pair_at(&cfg, i);
        text_printf(&pairs, "%s %s=%s\n", cfg_role_name(pair->role), pair->key, pair->value);
    }
    const bool good =
        store_number(store, error, right,
                     "SELECT coalesce((SELECT test = ?2 FROM configuration WHERE name = ?1), 0) AND"
                     " ?3 = (SELECT coalesce(group_concat(role || ' ' || key || '=' || value ||"
                     " char(10), ''), '') FROM (SELECT * FROM pair WHERE configuration = ?1"
                     " ORDER BY number))",
                     "ttt", name, cfg.test, pairs.data);
    text_free(&pairs);
    cfg_clear(&cfg);
    return good;
}

struct naming {
    struct store *store;
    struct lit_error *error;
};

static enum store_row take_name(sqlite3_stmt *select, void *user)
{
    const struct naming *naming = user;
    const char *name = (const char *)sqlite3_column_text(select, 0);
    return put_configuration(naming->store, name ? name : "", naming->error) ? STORE_NEXT
                                                                             : STORE_FAILED;
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

// Inserts or replaces the row; *id is its number, which a replaced row keeps.
static bool put_row(struct store *store, int64_t session, const struct store_result *result,
                    int64_t *id, struct lit_error *error)
{
    struct text sql = {0};
    store_put_insert(&sql, results);
    text_puts(&sql, " ON CONFLICT (session, device, name) DO UPDATE SET ");
    for (size_t i = 2; i < results->fields.count; i++) {
        const char *column = results->fields.fields[i].column;
        text_printf(&sql, "%s%s = excluded.%s", i > 2 ? ", " : "", column, column);
    }
    text_puts(&sql, " RETURNING id");
    sqlite3_stmt *upsert = store_borrow(store, error, sql.data, "i", session);
    text_free(&sql);
    if (!upsert)
        return false;
    store_bind(upsert, 2, results->fields, result);
    // Only a row that is new changes it.
    sqlite3_set_last_insert_rowid(store->db, 0);
    bool good = sqlite3_step(upsert) == SQLITE_ROW || store_fail(store, error);
    if (good) {
        *id = sqlite3_column_int64(upsert, 0);
        good = sqlite3_step(upsert) == SQLITE_DONE || store_fail(store, error);
    }
    store_return(store, upsert);
    if (good && sqlite3_last_insert_rowid(store->db) == *id)
        good = put_configuration(store, result->name, error) &&
               store_total_add(store, STORE_KIND_RESULT, session, *id, error);
    return good;
}

static bool put_children(struct store *store, enum store_child child, int64_t id,
                         const struct store_result *result, struct lit_error *error)
{
    const struct store_table *table = &store_children[child];
    struct text sql = {0};
    union child_row row;
    text_printf(&sql, "DELETE FROM %s WHERE result = ?", table->name);
    bool good = store_run(store, error, sql.data, "i", id);
    sql.length = 0;
    store_put_insert(&sql, table);
    sqlite3_stmt *insert = good ? store_borrow(store, error, sql.data, "i", id) : NULL;
    text_free(&sql);
    good = insert != NULL;
    for (uint32_t at = 0; good && at < children[child].rooms; at++) {
        if (!children[child].make(result, at, &row))
            continue;
        store_bind(insert, 2, table->fields, &row);
        good = store_step(store, insert, error);
    }
    store_return(store, insert);
    return good;
}

bool store_result_put(struct store *store, int64_t session, const struct store_result *result,
                      struct lit_error *error)
{
    bool own;
    int64_t id = 0;
    if (!store_enter(store, &own, error))
        return false;
    bool good = put_row(store, session, result, &id, error);
    for (enum store_child child = 0; good && child < STORE_CHILDREN; child++)
        good = put_children(store, child, id, result, error);
    good = good && store_sum_make(store, STORE_KIND_RESULT, session, id, error);
    return store_leave(store, own, good, error);
}

// --- Reading

bool store_is_expectation(const char *name)
{
    static const char *const names[] = {"forbidden", "contested", "assumed", "control"};
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

bool store_is_hash(const char *text)
{
    return text[0] == '\0' || text_is_sha256(text);
}

struct reading {
    struct store *store;
    struct lit_error *error;
    sqlite3_stmt *children[STORE_CHILDREN];
    bool (*visit)(struct store_result *result, void *user);
    void *user;
    struct store_result *kept; // takes the first one over; NULL: they are visited
};

static bool read_children(const struct reading *reading, enum store_child child, int64_t id,
                          struct store_result *result)
{
    sqlite3_stmt *select = reading->children[child];
    bool good = true;
    sqlite3_bind_int64(select, 1, id);
    while (good && sqlite3_step(select) == SQLITE_ROW) {
        union child_row row;
        memset(&row, 0, sizeof row);
        good = store_read(select, 0, store_children[child].fields, &row) &&
               children[child].take(result, &row);
    }
    return sqlite3_reset(select) == SQLITE_OK && good;
}

// Makes *result of the row at hand. False if it cannot be what this program wrote; *why says what
// disagrees in it, if that is all.
static bool read_row(const struct reading *reading, sqlite3_stmt *select,
                     struct store_result *result, const char **why)
{
    *result = (struct store_result){0};
    bool good = store_read(select, 1, results->fields, result) &&
                sqlite3_column_int(select, 1 + (int)results->fields.count) == 1;
    const enum eng_result ended = eng_result_named(result->result);
    good = good && ended < ENG_RESULTS && store_is_expectation(result->expectation) &&
           store_is_hash(result->sha256);
    for (enum store_child child = 0; good && child < STORE_CHILDREN; child++)
        good = read_children(reading, child, sqlite3_column_int64(select, 0), result);
    *why = good ? eng_result_disagrees(ended, &result->count, &result->mode) : "it is unreadable";
    return !*why;
}

static enum store_row take_result(sqlite3_stmt *select, void *user)
{
    const struct reading *reading = user;
    struct store_result result;
    const char *why;
    bool more = false;
    const bool good = read_row(reading, select, &result, &why);
    if (good)
        result.cfg = cfg_parse(result.name);
    if (good && reading->kept) {
        *reading->kept = result;
        return STORE_STOP;
    }
    if (good)
        more = reading->visit(&result, reading->user);
    else
        store_damaged(reading->store, reading->error, "the result of %s: %s", result.name, why);
    store_result_clear(&result);
    return !good ? STORE_FAILED : more ? STORE_NEXT : STORE_STOP;
}

// Reads what a statement of store_put_select gives.
static bool read_results(struct reading *reading, sqlite3_stmt *select)
{
    struct store *store = reading->store;
    bool good = select != NULL;
    for (enum store_child child = 0; good && child < STORE_CHILDREN; child++) {
        const struct store_table *table = &store_children[child];
        struct text sql = {0};
        text_puts(&sql, "SELECT ");
        store_put_columns(&sql, "", table->fields);
        text_printf(&sql, " FROM %s WHERE result = ? ORDER BY 1", table->name);
        reading->children[child] = store_borrow(store, reading->error, sql.data, "");
        good = reading->children[child] != NULL;
        text_free(&sql);
    }
    if (good)
        good = store_each(store, reading->error, select, take_result, reading);
    else
        store_return(store, select);
    for (enum store_child child = 0; child < STORE_CHILDREN; child++)
        store_return(store, reading->children[child]);
    return good;
}

bool store_result_get(struct store *store, int64_t session, const char *device, const char *name,
                      struct store_result *result, struct lit_error *error)
{
    struct reading reading = {.store = store, .error = error, .kept = result};
    struct text sql = {0};
    *result = (struct store_result){0};
    if (error)
        error->message[0] = '\0';
    store_put_select(&sql, STORE_KIND_RESULT, "WHERE session = ? AND device = ? AND name = ?");
    read_results(&reading, store_borrow(store, error, sql.data, "itt", session, device, name));
    text_free(&sql);
    return result->name != NULL;
}

bool store_each_result(struct store *store, int64_t session, int64_t number,
                       bool (*visit)(struct store_result *result, void *user), void *user,
                       struct lit_error *error)
{
    struct reading reading = {.store = store, .error = error, .visit = visit, .user = user};
    struct text sql = {0};
    bool own;
    // A writer must not change the parts of a result between two statements.
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
    text_free(&sql);
    store_leave_reading(store, own);
    return good;
}

bool store_results(struct store *store, int64_t session,
                   bool (*visit)(struct store_result *result, void *user), void *user,
                   struct lit_error *error)
{
    return store_each_result(store, session, 0, visit, user, error);
}
