// SPDX-License-Identifier: Apache-2.0
// Merging files: what comes in, what is there already, and the temporary copy that becomes the
// output.
#include "store/merge.h"

#include "store/assemble.h"
#include "store/joined.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A session of an input.
struct incoming {
    size_t input;
    struct store_session session;
};

struct merging {
    const struct store_merge_plan *plan;
    struct store_merge_done *done;
    struct store *work;  // the temporary copy
    struct store *input; // the one that is open
    size_t input_at;     // its number
    struct incoming *incoming;
    size_t incoming_count;
    struct lit_error *error;
};

// What is in the inputs

static bool open_input(struct merging *merging, size_t at)
{
    if (merging->input && merging->input_at == at)
        return true;
    store_close(&merging->input);
    merging->input_at = at;
    merging->input = store_open_read(merging->plan->inputs[at], merging->error);
    return merging->input != NULL;
}

// A report looks like a store to those who ask for it by its name.
static bool check_kind(const char *path, struct lit_error *error)
{
    char first[64] = "";
    FILE *file = fopen(path, "rbe");
    size_t count = file ? fread(first, 1, sizeof(first) - 1, file) : 0;
    if (file)
        fclose(file);
    if (count > 0 && first[strspn(first, " \t\r\n")] == '{')
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%s: a JSON report: reports cannot be merged, but the stores that they "
                        "were made of can",
                        path);
    return true;
}

static int compare_incoming(const void *left, const void *right)
{
    const struct incoming *a = left, *b = right;
    int order = strcmp(a->session.started, b->session.started);
    if (order == 0)
        order = strcmp(a->session.uuid, b->session.uuid);
    return order ? order : a->input < b->input ? -1 : a->input > b->input;
}

static bool list_incoming(struct merging *merging)
{
    bool good = true;
    for (size_t i = 0; good && i < merging->plan->input_count; i++) {
        struct store_index index = {0};
        good = check_kind(merging->plan->inputs[i], merging->error) && open_input(merging, i) &&
               store_index_load(merging->input, false, &index, merging->error);
        merging->incoming =
            lit_realloc(merging->incoming, merging->incoming_count + index.session_count,
                        sizeof(*merging->incoming));
        for (size_t s = 0; s < index.session_count; s++) {
            merging->incoming[merging->incoming_count++] = (struct incoming){i, index.sessions[s]};
            index.sessions[s] = (struct store_session){0};
        }
        store_index_clear(&index);
    }
    if (merging->incoming_count > 0)
        qsort(merging->incoming, merging->incoming_count, sizeof(*merging->incoming),
              compare_incoming);
    return good;
}

// What is there already

// The session of that uuid; 0 if there is none.
static int64_t find_session(struct merging *merging, const char *uuid, bool *finished)
{
    sqlite3_stmt *select = store_borrow(
        merging->work, "SELECT id, finished FROM session WHERE uuid = ?", merging->error);
    int64_t id = 0;
    if (!select)
        return 0;
    store_bind_text(select, 1, uuid);
    if (sqlite3_step(select) == SQLITE_ROW) {
        id = sqlite3_column_int64(select, 0);
        *finished = sqlite3_column_int(select, 1) != 0;
    }
    store_return(merging->work, select);
    return id;
}

static bool shares_member(const struct store_joined *a, const struct store_joined *b, bool *all)
{
    size_t shared = 0;
    for (size_t i = 0; i < a->member_count; i++)
        shared += store_joined_has(b, a->members[i].uuid);
    *all = shared == a->member_count;
    return shared > 0;
}

// How a session relates to those of the output that were put together of others.
enum relation { RELATION_NONE, RELATION_WITHIN, RELATION_AROUND, RELATION_CROSSING };

// A session that is no whole stands for itself. *id: the one that it is within, around or across.
static enum relation relate(const struct store_index *index, const struct store_session *session,
                            int64_t *id)
{
    struct store_joined own = {0}, other;
    enum relation relation = RELATION_NONE;
    if (!store_joined_read(session->options, &own))
        store_joined_add(&own, session);
    for (size_t i = 0; i < index->session_count && relation == RELATION_NONE; i++) {
        const struct store_session *there = &index->sessions[i];
        bool within, around;
        if (!there->finished || strcmp(there->uuid, session->uuid) == 0 ||
            !store_joined_read(there->options, &other))
            continue;
        if (shares_member(&own, &other, &within)) {
            shares_member(&other, &own, &around);
            relation = within ? RELATION_WITHIN : around ? RELATION_AROUND : RELATION_CROSSING;
            *id = there->id;
        }
        store_joined_clear(&other);
    }
    store_joined_clear(&own);
    return relation;
}

// A copy of a session that is there: the one that has gone on further stays.
static bool settle_copies(struct merging *merging, const struct incoming *incoming, int64_t there,
                          bool there_finished, bool *take)
{
    bool older, newer;
    const struct store_session *session = &incoming->session;
    if (!store_session_within(merging->work, there, merging->input, session->id, &older,
                              merging->error) ||
        !store_session_within(merging->input, session->id, merging->work, there, &newer,
                              merging->error))
        return false;
    if (!older && !newer)
        return lit_fail(merging->error, LIT_EXIT_USAGE,
                        "%.200s: session %lld (%s) was gone on with apart from its copy in %.120s: "
                        "each has results that the other lacks; nothing was written",
                        merging->plan->inputs[incoming->input], (long long)session->id,
                        session->uuid, merging->plan->output);
    *take = older && (!newer || (session->finished && !there_finished));
    return true;
}

static bool copy(struct merging *merging, const struct incoming *incoming)
{
    struct store_session session = incoming->session;
    return store_copy_session(merging->input, incoming->session.id, merging->work, &session,
                              merging->error);
}

// Removes what a whole that comes in is made of.
static bool remove_members(struct merging *merging, const struct store_session *session)
{
    struct store_joined joined;
    bool good = true, finished;
    if (!store_joined_read(session->options, &joined))
        return true;
    for (size_t i = 0; good && i < joined.member_count; i++) {
        int64_t id = find_session(merging, joined.members[i].uuid, &finished);
        good = id == 0 || store_remove_session(merging->work, id, merging->error);
    }
    store_joined_clear(&joined);
    return good;
}

static bool is_unfinished_whole(const struct store_session *session)
{
    struct store_joined joined;
    if (session->finished || !store_joined_read(session->options, &joined))
        return false;
    store_joined_clear(&joined);
    return true;
}

static bool take_in(struct merging *merging, const struct incoming *incoming)
{
    const struct store_session *session = &incoming->session;
    struct store_index index;
    bool there_finished, take = true;
    int64_t other = 0;
    // It is made anew of the shards beside it.
    if (is_unfinished_whole(session))
        return true;
    merging->done->read++;
    if (!open_input(merging, incoming->input))
        return false;
    bool good = store_index_load(merging->work, false, &index, merging->error);
    enum relation relation = good ? relate(&index, session, &other) : RELATION_NONE;
    store_index_clear(&index);
    if (!good || relation == RELATION_WITHIN)
        return good;
    if (relation == RELATION_CROSSING)
        return lit_fail(merging->error, LIT_EXIT_USAGE,
                        "%.200s: session %lld was put together of some of the sessions that "
                        "session %lld of %.120s is made of, but not of all: merge those that they "
                        "were made of; nothing was written",
                        merging->plan->inputs[incoming->input], (long long)session->id,
                        (long long)other, merging->plan->output);
    if (relation == RELATION_AROUND)
        good = store_remove_session(merging->work, other, merging->error);
    int64_t there = find_session(merging, session->uuid, &there_finished);
    if (good && there > 0) {
        good = settle_copies(merging, incoming, there, there_finished, &take) &&
               (!take || store_remove_session(merging->work, there, merging->error));
        merging->done->replaced += good && take;
    } else {
        merging->done->added += good;
    }
    return good && (!take || (remove_members(merging, session) && copy(merging, incoming)));
}

// For --sum: whether a session came in, or is made of ones that did.
static bool came_in(const struct store_session *session, void *user)
{
    const struct merging *merging = user;
    struct store_joined joined = {0};
    bool found = false;
    store_joined_read(session->options, &joined);
    for (size_t i = 0; i < merging->incoming_count && !found; i++) {
        const char *uuid = merging->incoming[i].session.uuid;
        found = strcmp(uuid, session->uuid) == 0 || store_joined_has(&joined, uuid);
    }
    store_joined_clear(&joined);
    return found;
}

static bool do_merge(struct merging *merging)
{
    struct lit_error *error = merging->error;
    if (!list_incoming(merging) || !store_begin(merging->work, error))
        return false;
    bool good = true;
    for (size_t i = 0; good && i < merging->incoming_count; i++)
        good = take_in(merging, &merging->incoming[i]);
    good = good && store_join_shards(merging->work, merging->done, error) &&
           (!merging->plan->sum ||
            store_sum_sessions(merging->work, came_in, merging, merging->done, error));
    return store_end(merging->work, good, error);
}

// The temporary copy

// A writer that was killed leaves a log, which belongs to the file of that name and no other.
static bool settle_log(const char *name, const char *shown, struct lit_error *error)
{
    struct text log = {0};
    text_printf(&log, "%s-wal", name);
    bool good = access(log.data, F_OK) != 0;
    sqlite3 *db = NULL;
    if (!good) {
        sqlite3_open_v2(name, &db, SQLITE_OPEN_READWRITE, NULL);
        sqlite3_exec(db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
        sqlite3_close(db);
        good = access(log.data, F_OK) != 0 ||
               lit_fail(error, LIT_EXIT_USAGE, "%s: another process reads it: try again", shown);
    }
    text_free(&log);
    return good;
}

// Copies the output as it is.
static bool copy_output(const char *temporary, const char *output, const char *name,
                        struct lit_error *error)
{
    struct store *old = store_open_read(output, error);
    if (!old)
        return false;
    bool good = store_copy_file(old, temporary, false, error);
    store_close(&old);
    return good && settle_log(name, output, error);
}

// Opens the temporary file, with what the output holds. Messages call it by the output's name.
static struct store *open_work(const char *temporary, const struct store_merge_plan *plan,
                               const char *name, struct lit_error *error)
{
    struct stat status;
    bool there = stat(name, &status) == 0 && status.st_size > 0;
    if (there && !copy_output(temporary, plan->output, name, error))
        return NULL;
    return store_open_scratch(temporary, plan->output, error);
}

static bool merge_files(const char *name, const char *temporary, void *user)
{
    struct merging *merging = user;
    const struct store_merge_plan *plan = merging->plan;
    const struct store_merge_done *done = merging->done;
    merging->work = open_work(temporary, plan, name, merging->error);
    bool good = merging->work && do_merge(merging);
    store_close(&merging->input);
    store_close(&merging->work);
    bool changed = done->added + done->replaced + done->joined > 0 || access(name, F_OK) != 0;
    if (good && changed)
        good = store_put_in_place(temporary, name, plan->output, merging->error);
    for (size_t i = 0; i < merging->incoming_count; i++)
        store_session_clear(&merging->incoming[i].session);
    free(merging->incoming);
    return good;
}

bool store_merge(const struct store_merge_plan *plan, struct store_merge_done *done,
                 struct lit_error *error)
{
    struct merging merging = {.plan = plan, .done = done, .error = error};
    *done = (struct store_merge_done){0};
    return store_fill_scratch(plan->output, merge_files, &merging, error);
}
