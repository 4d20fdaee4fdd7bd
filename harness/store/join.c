// SPDX-License-Identifier: Apache-2.0
// Which sessions of a store belong together.
//
// While shards are missing, those that are there stay beside the session that was made of them:
// when more arrive it is made anew, so that it never depends on the order in which they came. When
// all are there, they go.
#include "store/whole.h"

#include <stdlib.h>
#include <string.h>

struct shard {
    const struct store_session *session;
    char *group;
};

struct joining {
    struct store *store;
    const struct store_index *index;
    struct store_merge_done *done;
    struct lit_error *error;
};

static int compare_shards(const void *left, const void *right)
{
    const struct shard *a = left, *b = right;
    int order = strcmp(a->group, b->group);
    if (order)
        return order;
    if (a->session->shard_index != b->session->shard_index)
        return a->session->shard_index < b->session->shard_index ? -1 : 1;
    order = strcmp(a->session->started, b->session->started);
    return order ? order : strcmp(a->session->uuid, b->session->uuid);
}

static const struct store_session *find_uuid(const struct store_index *index, const char *uuid)
{
    for (size_t i = 0; i < index->session_count; i++)
        if (strcmp(index->sessions[i].uuid, uuid) == 0)
            return &index->sessions[i];
    return NULL;
}

static const char *kind_of(enum store_shard shard)
{
    return shard == STORE_SHARD_RUNS ? "runs" : "tests";
}

static bool remove_all(struct joining *joining, const struct store_session *const *sessions,
                       size_t count)
{
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = store_remove_session(joining->store, sessions[i]->id, joining->error);
    return good;
}

// Removes what was made of some of these shards before.
static bool remove_stale(struct joining *joining, const struct store_joined *joined)
{
    bool good = true;
    for (size_t i = 0; good && i < joining->index->session_count; i++) {
        const struct store_session *session = &joining->index->sessions[i];
        struct store_joined older;
        if (session->finished || !store_joined_read(session->options, &older))
            continue;
        bool within = older.shard != STORE_WHOLE;
        for (size_t m = 0; within && m < older.member_count; m++)
            within = store_joined_has(joined, older.members[m].uuid);
        if (within)
            good = store_remove_session(joining->store, session->id, joining->error);
        store_joined_clear(&older);
    }
    return good;
}

// Removes what was made of shards that have become part of a whole meanwhile.
static bool remove_orphans(struct joining *joining)
{
    bool good = true;
    for (size_t i = 0; good && i < joining->index->session_count; i++) {
        const struct store_session *session = &joining->index->sessions[i];
        struct store_joined joined;
        bool orphan = false;
        if (session->finished || !store_joined_read(session->options, &joined))
            continue;
        for (size_t m = 0; !orphan && m < joined.member_count; m++)
            orphan = !find_uuid(joining->index, joined.members[m].uuid);
        if (orphan)
            good = store_remove_session(joining->store, session->id, joining->error);
        store_joined_clear(&joined);
    }
    return good;
}

static void note_joined(struct joining *joining, const struct store_joined *joined,
                        const struct store_session *session)
{
    struct text *notes = &joining->done->notes;
    text_printf(notes, "session %lld: %s ", (long long)session->id,
                joined->member_count == 1 ? "shard" : "shards");
    store_joined_list(joined, false, notes);
    text_printf(notes, " of %ju (%s, seed 0x%jx)", (uintmax_t)joined->count, kind_of(joined->shard),
                (uintmax_t)session->seed);
    if (joined->member_count < joined->count) {
        text_puts(notes, "; not finished: missing ");
        store_joined_list(joined, true, notes);
    }
    text_puts(notes, "\n");
}

static bool join_parts(struct joining *joining, const struct store_session *const *parts,
                       size_t count)
{
    struct store_joined joined = {.shard = parts[0]->shard, .count = parts[0]->shard_count};
    struct store_session session = {0};
    char uuid[17];
    for (size_t i = 0; i < count; i++)
        store_joined_add(&joined, parts[i]);
    store_joined_uuid(&joined, uuid);
    bool good = true;
    if (!find_uuid(joining->index, uuid)) {
        good = store_whole_write(joining->store, parts, count, &joined, &session, joining->error) &&
               remove_stale(joining, &joined) &&
               (count < joined.count || remove_all(joining, parts, count));
        if (good) {
            joining->done->joined++;
            note_joined(joining, &joined, &session);
        }
        store_session_clear(&session);
    }
    store_joined_clear(&joined);
    return good;
}

// Shards of one run, in order of index.
static bool join_group(struct joining *joining, const struct shard *shards, size_t count)
{
    const struct store_session **parts = lit_alloc(count, sizeof(*parts));
    size_t part_count = 0;
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        const struct store_session *session = shards[i].session;
        const struct store_session *last = part_count ? parts[part_count - 1] : NULL;
        if (!session->finished) {
            text_printf(&joining->done->notes,
                        "session %lld: shard %ju of %ju (%s, seed 0x%jx) is not finished: kept by "
                        "itself until it is\n",
                        (long long)session->id, (uintmax_t)session->shard_index,
                        (uintmax_t)session->shard_count, kind_of(session->shard),
                        (uintmax_t)session->seed);
            continue;
        }
        if (last && last->shard_index == session->shard_index)
            good = lit_fail(joining->error, LIT_EXIT_USAGE,
                            "two sessions are shard %ju of %ju of the same run (%s, seed 0x%jx): "
                            "those of %.32s and %.32s; give each run its own seed, or merge them "
                            "into different files; nothing was written",
                            (uintmax_t)session->shard_index, (uintmax_t)session->shard_count,
                            kind_of(session->shard), (uintmax_t)session->seed, last->started,
                            session->started);
        parts[part_count++] = session;
    }
    if (good && part_count > 0)
        good = join_parts(joining, parts, part_count);
    free(parts);
    return good;
}

bool store_join_shards(struct store *store, struct store_merge_done *done, struct lit_error *error)
{
    struct store_index index;
    struct joining joining = {.store = store, .index = &index, .done = done, .error = error};
    bool good = store_index_load(store, false, &index, error);
    struct shard *shards = lit_alloc(index.session_count, sizeof(*shards));
    size_t count = 0;
    for (size_t i = 0; good && i < index.session_count; i++) {
        const struct store_session *session = &index.sessions[i];
        struct text group = {0};
        if (session->shard == STORE_WHOLE)
            continue;
        store_shard_group(session, &group);
        shards[count++] = (struct shard){session, group.data};
    }
    if (count > 0)
        qsort(shards, count, sizeof(*shards), compare_shards);
    good = good && remove_orphans(&joining);
    for (size_t i = 0, end; good && i < count; i = end) {
        for (end = i + 1; end < count && strcmp(shards[i].group, shards[end].group) == 0;)
            end++;
        good = join_group(&joining, &shards[i], end - i);
    }
    for (size_t i = 0; i < count; i++)
        free(shards[i].group);
    free(shards);
    store_index_clear(&index);
    return good;
}

// Sums

static int compare_summands(const void *left, const void *right)
{
    const struct store_session *a = *(const struct store_session *const *)left;
    const struct store_session *b = *(const struct store_session *const *)right;
    int order = strcmp(a->started, b->started);
    return order ? order : strcmp(a->uuid, b->uuid);
}

static bool fail_sum(struct lit_error *error, const struct store_session *a,
                     const struct store_session *b, const char *why)
{
    return lit_fail(error, LIT_EXIT_USAGE,
                    "the sessions of %.32s and %.32s cannot be added: %s; nothing was written",
                    a->started, b->started, why);
}

// Adds a session, or those that it is the sum of, to what is summed.
static bool add_summand(struct store_joined *joined, const struct store_session *session)
{
    struct store_joined inner;
    bool fresh = true;
    size_t before = joined->member_count;
    if (store_joined_read(session->options, &inner) && inner.shard == STORE_WHOLE) {
        for (size_t i = 0; i < inner.member_count; i++) {
            struct store_session member = {.uuid = inner.members[i].uuid,
                                           .seed = inner.members[i].seed};
            store_joined_add(joined, &member);
        }
    } else {
        struct store_session member = {.uuid = session->uuid, .seed = session->seed};
        store_joined_add(joined, &member);
    }
    store_joined_clear(&inner);
    for (size_t i = before; i < joined->member_count; i++)
        for (size_t j = 0; j < before; j++)
            fresh = fresh && joined->members[i].seed != joined->members[j].seed;
    return fresh;
}

static bool check_sum(const struct store_session *const *parts, size_t count,
                      struct store_joined *joined, struct lit_error *error)
{
    struct text first = {0};
    bool good = true;
    store_sum_group(parts[0], &first);
    for (size_t i = 0; good && i < count; i++) {
        struct text group = {0};
        store_sum_group(parts[i], &group);
        if (!add_summand(joined, parts[i]))
            good = fail_sum(error, parts[0], parts[i],
                            "the same seed, so that it is the same experiment twice");
        else if (strcmp(parts[0]->system, parts[i]->system) != 0)
            good = fail_sum(error, parts[0], parts[i], "they are of different systems");
        else if (strcmp(first.data, group.data) != 0)
            good = fail_sum(error, parts[0], parts[i], "their options differ");
        text_free(&group);
    }
    text_free(&first);
    return good;
}

static bool sum_parts(struct joining *joining, const struct store_session *const *parts,
                      size_t count)
{
    struct store_joined joined = {0};
    struct store_session session = {0};
    bool good =
        check_sum(parts, count, &joined, joining->error) &&
        store_whole_write(joining->store, parts, count, &joined, &session, joining->error) &&
        remove_all(joining, parts, count);
    if (good) {
        joining->done->joined++;
        text_printf(&joining->done->notes, "session %lld: the sum of %zu sessions\n",
                    (long long)session.id, joined.member_count);
    }
    store_session_clear(&session);
    store_joined_clear(&joined);
    return good;
}

bool store_sum_sessions(struct store *store,
                        bool (*wanted)(const struct store_session *session, void *user), void *user,
                        struct store_merge_done *done, struct lit_error *error)
{
    struct store_index index;
    struct joining joining = {.store = store, .index = &index, .done = done, .error = error};
    bool good = store_index_load(store, false, &index, error);
    const struct store_session **parts = lit_alloc(index.session_count, sizeof(*parts));
    size_t count = 0;
    for (size_t i = 0; good && i < index.session_count; i++) {
        const struct store_session *session = &index.sessions[i];
        if (session->shard == STORE_WHOLE && session->finished && wanted(session, user))
            parts[count++] = session;
    }
    if (count > 1) {
        qsort(parts, count, sizeof(*parts), compare_summands);
        good = sum_parts(&joining, parts, count);
    } else if (good) {
        text_puts(&done->notes, "--sum: there are no two finished sessions to add\n");
    }
    free(parts);
    store_index_clear(&index);
    return good;
}
