// SPDX-License-Identifier: Apache-2.0
// What the other devices of a session and the other sessions of its store gave where a block of
// failures is.
#include "report/failures.h"

#include "store/history.h"

#include <stdlib.h>
#include <string.h>

#define MOST_LISTED 4 // devices and drivers

// What the members of a block gave on a device in a session.
struct record {
    struct dev_facts facts;
    char id[DEV_ID_SIZE];
    int64_t session;
    char started[32];
    size_t passed, failed;
};

struct gathering {
    const struct report_model *model;
    const struct report_result *member;
    struct record *records;
    size_t count;
};

static struct record *find_record(struct gathering *g, const struct dev_facts *facts,
                                  const char *id, const struct store_session *session)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->records[i].session == session->id && strcmp(g->records[i].id, id) == 0)
            return &g->records[i];
    g->records = lit_grow(g->records, g->count, sizeof *g->records);
    struct record *record = &g->records[g->count++];
    *record = (struct record){.facts = *facts, .session = session->id};
    text_sanitise(record->id, sizeof record->id, id);
    text_sanitise(record->started, sizeof record->started, session->started);
    return record;
}

// Names without their subgroup sizes.
static bool same_bare(const char *a, const char *b)
{
    const size_t length = cfg_bare_length(a);
    return length == cfg_bare_length(b) && strncmp(a, b, length) == 0;
}

static void take_session(struct gathering *g)
{
    const struct report_model *model = g->model;
    for (size_t i = 0; i < model->result_count; i++) {
        const struct report_result *other = &model->results[i];
        const struct report_device *device = &model->devices[other->device];
        if (strcmp(other->test, g->member->test) != 0 || other->result == ENG_SKIP ||
            strcmp(other->stress, g->member->stress) != 0 ||
            !same_bare(other->name, g->member->name))
            continue;
        struct record *record = find_record(g, &device->facts, device->id, &model->session);
        record->failed += report_failed(other) || eng_is_broken(other->result);
        record->passed += other->result == ENG_PASS;
    }
}

static bool take_past(const struct store_past *past, void *user)
{
    struct gathering *g = user;
    const enum eng_result result = eng_result_named(past->result);
    const bool same = strcmp(past->name, g->member->name) == 0;
    const bool failed = past->failed_runs > 0 || eng_is_broken(result);
    // The module of another subgroup size may be another one, that of this size may not.
    if (past->session->id == g->model->session.id || (!failed && result != ENG_PASS) ||
        strcmp(past->stress, g->member->stress) != 0 ||
        (same && strcmp(past->sha256, g->member->sha256) != 0))
        return true;
    struct record *record = find_record(g, &past->driver->facts, past->driver->id, past->session);
    record->failed += failed;
    record->passed += !failed;
    return true;
}

static bool gather(struct gathering *g, const struct report_block *block, struct lit_error *error)
{
    struct store_index index = {0};
    bool good = !g->model->store || store_index_load(g->model->store, false, &index, error);
    for (size_t i = 0; i < block->count && good; i++) {
        g->member = block->members[i];
        take_session(g);
        char *bare = lit_strdup(g->member->name);
        bare[cfg_bare_length(bare)] = '\0';
        const struct store_query query = {.pattern = bare, .index = &index};
        if (index.session_count > 1)
            good = store_history(g->model->store, &query, take_past, g, error);
        free(bare);
    }
    store_index_clear(&index);
    return good;
}

static int compare_started(const void *left, const void *right)
{
    const struct record *a = left, *b = right;
    const int order = strcmp(a->started, b->started);
    return order ? order : (a->session > b->session) - (a->session < b->session);
}

static bool is_driver(const struct record *record, const struct dev_facts *facts)
{
    return strcmp(record->facts.name, facts->name) == 0 &&
           strcmp(record->facts.driver_version, facts->driver_version) == 0;
}

// The newest of each other device or driver, on which it passes, or fails.
static void put_others(const struct gathering *g, const struct dev_facts *own, bool fails,
                       struct text *out)
{
    size_t listed = 0;
    for (size_t i = g->count; i-- > 0;) {
        const struct record *record = &g->records[i];
        bool newer = is_driver(record, own);
        for (size_t j = i + 1; j < g->count; j++)
            newer = newer || is_driver(&g->records[j], &record->facts);
        if (newer || (record->failed > 0) != fails || !(record->failed + record->passed))
            continue;
        if (listed++ < MOST_LISTED)
            text_printf(out, "%s%s on %s, driver %s (%zu of %zu)", out->length ? "; " : "",
                        listed > 1 ? "and"
                        : fails    ? "fails"
                                   : "passes",
                        record->facts.name, record->facts.driver_version,
                        fails ? record->failed : record->passed, record->failed + record->passed);
    }
    if (listed > MOST_LISTED)
        text_printf(out, "; and %zu more", listed - MOST_LISTED);
}

// From which session on it failed in all of those with a device of this name.
static void put_since(const struct gathering *g, const struct dev_facts *own, struct text *out)
{
    const struct record *first = NULL, *before = NULL;
    bool several = false, reached = false;
    for (size_t i = g->count; i-- > 0 && !before;) {
        const struct record *record = &g->records[i];
        if (strcmp(record->facts.name, own->name) != 0)
            continue;
        reached = reached || record->session == g->model->session.id;
        if (!reached)
            continue; // a later session
        if (record->failed) {
            several = first != NULL;
            first = record;
        } else if (first) {
            before = record;
        }
    }
    if (before)
        text_printf(out, "fails since %.10s (driver %s); passed on %.10s (driver %s)",
                    first->started, first->facts.driver_version, before->started,
                    before->facts.driver_version);
    else if (several)
        text_printf(out, "fails in every session since %.10s (driver %s)", first->started,
                    first->facts.driver_version);
}

void report_block_past(const struct report_model *model, struct report_block *block)
{
    const struct dev_facts *own = &model->devices[block->device].facts;
    struct gathering g = {.model = model};
    struct text elsewhere = {0}, since = {0};
    struct lit_error error = {0};
    const bool good = gather(&g, block, &error);
    if (g.count)
        qsort(g.records, g.count, sizeof *g.records, compare_started);
    put_others(&g, own, false, &elsewhere);
    put_others(&g, own, true, &elsewhere);
    if (good)
        put_since(&g, own, &since);
    else
        text_puts(&since, error.message);
    block->elsewhere = elsewhere.data ? elsewhere.data : lit_strdup("");
    block->since = since.data ? since.data : lit_strdup("");
    free(g.records);
}
