// SPDX-License-Identifier: Apache-2.0
// How a block of failures fares on the session's other devices and in the store's other sessions.
#include "report/failures.h"

#include "store/history.h"

#define MOST_LISTED 4 // devices and drivers

// A block's results on one device in one session.
struct record {
    struct dev_facts facts;
    char id[DEV_ID_SIZE];
    int64_t session;
    char started[32];
    size_t passed, failed;
};

// Everything known about a block.
struct past {
    struct record *records;
    size_t count;
};

// A member of a block, which we find by its name without the subgroup size.
struct member {
    char *bare;
    const struct result *result;
    struct past *past; // its block's
};

struct gathering {
    const struct report_model *model;
    struct member *members; // by name
    size_t count;
    struct member *wanted; // members for the configuration whose results we are reading
    size_t wanted_count;
};

static struct record *find_record(struct past *past, const struct dev_facts *facts, const char *id,
                                  const struct store_session *session)
{
    for (size_t i = 0; i < past->count; i++)
        if (past->records[i].session == session->id && strcmp(past->records[i].id, id) == 0)
            return &past->records[i];
    struct record *record = &LIT_ADD(past->records, past->count);
    *record = (struct record){.facts = *facts, .session = session->id};
    text_sanitise(record->id, sizeof record->id, id);
    text_sanitise(record->started, sizeof record->started, session->started);
    return record;
}

static char *bare_of(const char *name)
{
    char *bare = lit_strdup(name);
    bare[cfg_bare_length(name)] = '\0';
    return bare;
}

// The first member of this name, and how many there are.
static struct member *find_members(const struct gathering *g, const char *name, size_t *count)
{
    OWNED(lit_free) char *bare = bare_of(name);
    size_t low = 0, high = g->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(g->members[middle].bare, bare) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (low + *count < g->count && strcmp(g->members[low + *count].bare, bare) == 0)
        ++*count;
    return &g->members[low];
}

// Another subgroup size may have another module; the same size must have the same one.
static bool is_module(const struct result *member, const char *name, const char *sha256)
{
    return strcmp(name, member->name) != 0 || strcmp(sha256, member->sha256) == 0;
}

static void take_session(const struct gathering *g, const struct report_model *model)
{
    REPORT_EACH (other, model, REPORT_ALL) {
        const struct eng_device *device = &model->devices[other->device];
        size_t count;
        struct member *members = find_members(g, other->name, &count);
        for (size_t m = 0; m < count && other->result != ENG_SKIP; m++) {
            if (strcmp(other->stress, members[m].result->stress) != 0 ||
                !is_module(members[m].result, other->name, other->sha256))
                continue;
            struct record *record =
                find_record(members[m].past, &device->facts, device->id, &model->session);
            record->failed += report_failed(other) || eng_is_broken(other->result);
            record->passed += other->result == ENG_PASS;
        }
    }
}

static bool is_wanted(const char *name, const struct store_driver *driver, void *user)
{
    struct gathering *g = user;
    (void)driver;
    g->wanted = find_members(g, name, &g->wanted_count);
    return g->wanted_count > 0;
}

static bool take_past(const struct store_past *past, void *user)
{
    const struct gathering *g = user;
    const bool failed = past->failed_runs > 0 || eng_is_broken(past->result);
    if (past->session->id == g->model->session.id || (!failed && past->result != ENG_PASS))
        return true;
    for (size_t m = 0; m < g->wanted_count; m++) {
        const struct result *member = g->wanted[m].result;
        if (strcmp(past->stress, member->stress) != 0 ||
            !is_module(member, past->name, past->sha256))
            continue;
        struct record *record =
            find_record(g->wanted[m].past, &past->driver->facts, past->driver->id, past->session);
        record->failed += failed;
        record->passed += !failed;
    }
    return true;
}

static int compare_members(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    return strcmp(a->bare, b->bare);
}

// Walks once over the members' results in the whole store.
static bool gather(struct gathering *g, const struct report_block *list, size_t count,
                   struct past *pasts, struct lit_error *error)
{
    OWNED(store_index_clear) struct store_index index = {0};
    for (size_t b = 0; b < count; b++)
        for (size_t i = 0; i < list[b].count; i++) {
            LIT_ADD(g->members, g->count) =
                (struct member){bare_of(list[b].members[i]->name), list[b].members[i], &pasts[b]};
        }
    qsort(g->members, g->count, sizeof *g->members, compare_members);
    if (!g->model->other_count)
        take_session(g, g->model);
    for (size_t i = 0; i < g->model->other_count; i++)
        take_session(g, &g->model->others[i]);
    const struct store_query query = {.wants = is_wanted, .index = &index};
    const bool good =
        !g->model->store ||
        (store_index_load(g->model->store, false, &index, error) &&
         (index.session_count < 2 || store_history(g->model->store, &query, take_past, g, error)));
    for (size_t i = 0; i < g->count; i++)
        free(g->members[i].bare);
    free(g->members);
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

// Puts the newest record of each other device or driver on which it passes, or fails.
static void put_others(const struct past *past, const struct dev_facts *own, bool fails,
                       struct text *out)
{
    size_t listed = 0;
    for (size_t i = past->count; i-- > 0;) {
        const struct record *record = &past->records[i];
        bool newer = is_driver(record, own);
        for (size_t j = i + 1; j < past->count; j++)
            newer = newer || is_driver(&past->records[j], &record->facts);
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

// The session since which every session with a device of this name failed. Session 0: up to the
// newest.
static void put_since(const struct past *past, int64_t session, const struct dev_facts *own,
                      struct text *out)
{
    const struct record *first = NULL, *before = NULL;
    bool several = false, reached = false;
    for (size_t i = past->count; i-- > 0 && !before;) {
        const struct record *record = &past->records[i];
        if (strcmp(record->facts.name, own->name) != 0)
            continue;
        reached = reached || record->session == session || session == 0;
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

void report_blocks_past(const struct report_model *model, struct report_block *list, size_t count)
{
    OWNED(lit_free) struct past *pasts = lit_alloc(count, sizeof *pasts);
    struct gathering g = {.model = model};
    struct lit_error error = {0};
    const bool good = count == 0 || gather(&g, list, count, pasts, &error);
    for (size_t b = 0; b < count; b++) {
        const struct dev_facts *own = &model->devices[list[b].device].facts;
        struct text elsewhere = {0}, since = {0};
        if (pasts[b].count)
            qsort(pasts[b].records, pasts[b].count, sizeof *pasts[b].records, compare_started);
        put_others(&pasts[b], own, false, &elsewhere);
        put_others(&pasts[b], own, true, &elsewhere);
        if (good)
            put_since(&pasts[b], model->session.id, own, &since);
        else
            text_puts(&since, error.message);
        list[b].elsewhere = elsewhere.data ? elsewhere.data : lit_strdup("");
        list[b].since = since.data ? since.data : lit_strdup("");
        free(pasts[b].records);
    }
}
