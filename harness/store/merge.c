// SPDX-License-Identifier: Apache-2.0
// Merges files: reads the inputs, compares them with the existing sessions, and fills the temporary
// copy that becomes the output.
#include "store/merge.h"

#include "store/private.h"

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
    struct store *input; // the open input
    size_t input_at;     // its number
    struct incoming *incoming;
    size_t incoming_count;
    struct lit_error *error;
};

// --- What is in the inputs

static bool open_input(struct merging *merging, size_t at)
{
    if (merging->input && merging->input_at == at)
        return true;
    store_close(&merging->input);
    merging->input_at = at;
    merging->input = store_open_read(merging->plan->inputs[at], merging->error);
    return merging->input != NULL;
}

// Rejects a JSON report, which users may take for a store.
static bool check_kind(const char *path, struct lit_error *error)
{
    OWNED(text_free) struct text first = {0};
    return !text_read(&first, path, 62) || first.length == 0 ||
           first.data[strspn(first.data, " \t\r\n")] != '{' ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "%s: a JSON report: reports cannot be merged, but the stores that "
                    "they were made of can",
                    path);
}

static int compare_incoming(const void *left, const void *right)
{
    const struct incoming *a = left, *b = right;
    int order = strcmp(a->session.started, b->session.started);
    if (order == 0)
        order = strcmp(a->session.uuid, b->session.uuid);
    return order ? order : a->input < b->input ? -1 : a->input > b->input;
}

static bool add_incoming(int64_t number, void *record, void *user)
{
    struct merging *merging = user;
    struct store_session *session = record;
    session->id = number;
    LIT_ADD(merging->incoming, merging->incoming_count) =
        (struct incoming){merging->input_at, *session};
    *session = (struct store_session){0};
    return true;
}

static bool list_incoming(struct merging *merging)
{
    bool good = true;
    for (size_t i = 0; good && i < merging->plan->input_count; i++)
        good = check_kind(merging->plan->inputs[i], merging->error) && open_input(merging, i) &&
               store_total_check(merging->input, STORE_KIND_SESSION, 0, merging->error) &&
               store_each_record(merging->input, STORE_KIND_SESSION, "", 0, 0, add_incoming,
                                 merging, merging->error);
    if (merging->incoming_count > 0)
        qsort(merging->incoming, merging->incoming_count, sizeof(*merging->incoming),
              compare_incoming);
    return good;
}

// --- What is there already

// How a session relates to a finished combined session of the output. A session that was not
// combined stands for itself. Same as in combine.sql.
enum relation { RELATION_NONE, RELATION_WITHIN, RELATION_AROUND, RELATION_CROSSING };

struct related {
    enum relation relation;
    int64_t id; // the session that it is within, around or across
};

static enum store_row take_relation(sqlite3_stmt *select, void *user)
{
    *(struct related *)user = (struct related){(enum relation)sqlite3_column_int(select, 1),
                                               sqlite3_column_int64(select, 0)};
    return STORE_STOP;
}

static bool relate(struct merging *merging, const struct store_session *session,
                   struct related *related)
{
    *related = (struct related){0};
    return store_each(merging->work, merging->error,
                      store_borrow_part(merging->work, merging->error, store_combine_sql,
                                        "relation", "tt", session->options, session->uuid),
                      take_relation, related);
}

// Whether the other session includes everything that this one measured.
static bool is_within(struct merging *merging, int64_t session, int64_t other, int64_t *within)
{
    return store_number(merging->work, merging->error, within,
                        "SELECT NOT EXISTS (SELECT 1 FROM result AS a WHERE session = ?1"
                        " AND NOT EXISTS (SELECT 1 FROM result AS b WHERE b.session = ?2"
                        " AND b.device = a.device AND b.name = a.name AND b.runs >= a.runs))",
                        "ii", session, other);
}

static bool copy(struct merging *merging, const struct incoming *incoming, const char *uuid,
                 int64_t *id)
{
    return store_copy_session(merging->input, incoming->session.id, merging->work, uuid, id,
                              merging->error);
}

static bool remove_session(struct merging *merging, int64_t id)
{
    return store_remove_session(merging->work, id, merging->error);
}

// Settles a copy of an existing session: the one that was resumed further stays.
static bool settle_copies(struct merging *merging, const struct incoming *incoming, int64_t there)
{
    static const char measured[] =
        "SELECT litmus_total(device, name, runs) FROM result WHERE session = ?";
    const struct store_session *session = &incoming->session;
    struct lit_error *error = merging->error;
    int64_t here, other, finished, copied, older, newer;
    if (!store_number(merging->work, error, &here, measured, "i", there) ||
        !store_number(merging->input, error, &other, measured, "i", session->id) ||
        !store_number(merging->work, error, &finished, "SELECT finished FROM session WHERE id = ?",
                      "i", there))
        return false;
    if (here == other && (finished || !session->finished))
        return true;
    if (!copy(merging, incoming, "", &copied) || !is_within(merging, there, copied, &older) ||
        !is_within(merging, copied, there, &newer))
        return false;
    if (!older && !newer)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%.200s: session %lld (%s) was resumed apart from its copy in %.120s: "
                        "each has results that the other lacks; nothing was written",
                        merging->plan->inputs[incoming->input], (long long)session->id,
                        session->uuid, merging->plan->output);
    const bool take = older && (!newer || (session->finished && !finished));
    merging->done->replaced += take;
    return remove_session(merging, take ? there : copied) &&
           (!take || (store_run(merging->work, error, "UPDATE session SET uuid = ?2 WHERE id = ?1",
                                "it", copied, session->uuid) &&
                      store_sum_make(merging->work, STORE_KIND_SESSION, copied, 0, error) &&
                      store_total_make(merging->work, STORE_KIND_SESSION, 0, error)));
}

// Lists the sessions that the session with options ?1 was combined from.
#define MEMBERS "json_each(iif(json_valid(?1), ?1, '{}'), '$.joined.members')"

static bool take_in(struct merging *merging, const struct incoming *incoming)
{
    const struct store_session *session = &incoming->session;
    struct lit_error *error = merging->error;
    struct related related;
    int64_t combined, there, copied;
    if (!store_number(merging->work, error, &combined, "SELECT count(*) FROM " MEMBERS, "t",
                      session->options))
        return false;
    // It is combined anew from the shards beside it.
    if (combined && !session->finished)
        return true;
    if (!store_run(merging->work, error, "INSERT INTO arrived VALUES (?, ?, ?, ?, ?, ?, ?)",
                   "ttittit", session->uuid, merging->plan->inputs[incoming->input], session->id,
                   session->version, store_shard_names[session->shard], (int64_t)session->finished,
                   session->options))
        return false;
    merging->done->read++;
    if (!open_input(merging, incoming->input) || !relate(merging, session, &related))
        return false;
    if (related.relation == RELATION_WITHIN)
        return true;
    if (related.relation == RELATION_CROSSING)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%.200s: session %lld was combined from some of the sessions that session "
                        "%lld of %.120s was combined from, but not from all: merge those that they "
                        "were combined from; nothing was written",
                        merging->plan->inputs[incoming->input], (long long)session->id,
                        (long long)related.id, merging->plan->output);
    if ((related.relation == RELATION_AROUND && !remove_session(merging, related.id)) ||
        !store_number(merging->work, error, &there,
                      "SELECT coalesce(max(id), 0) FROM session WHERE uuid = ?", "t",
                      session->uuid))
        return false;
    if (there > 0)
        return settle_copies(merging, incoming, there);
    merging->done->added++;
    return copy(merging, incoming, session->uuid, &copied) &&
           // The sessions that it was combined from.
           (!combined ||
            (store_run(merging->work, error,
                       "DELETE FROM session WHERE uuid IN (SELECT json_extract(?1, fullkey"
                       " || '.uuid') FROM " MEMBERS ")",
                       "t", session->options) &&
             store_forget_totals(merging->work, error)));
}

static bool do_merge(struct merging *merging)
{
    struct lit_error *error = merging->error;
    bool own;
    if (!list_incoming(merging) || !store_combine_prepare(merging->work, error) ||
        !store_enter(merging->work, &own, error))
        return false;
    bool good = true;
    for (size_t i = 0; good && i < merging->incoming_count; i++)
        good = take_in(merging, &merging->incoming[i]);
    good = good && store_combine_shards(merging->work, merging->done, error) &&
           (!merging->plan->parts ||
            store_combine_parts(merging->work, merging->done, merging->plan->is_whole, error)) &&
           (!merging->plan->sum || store_combine_sum(merging->work, merging->done, error)) &&
           store_combine_apart(merging->work, merging->plan, merging->done, error);
    return store_leave(merging->work, own, good, error);
}

// --- The temporary copy

// A killed writer may leave a log; it belongs only to the file of that name.
static bool settle_log(const char *name, const char *shown, struct lit_error *error)
{
    OWNED(text_free) struct text log = {0};
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
    return good;
}

// Copies the output unchanged.
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

// Opens the temporary file with the output's content. Messages use the output's name.
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
    bool changed = done->added + done->replaced + done->combined > 0 || access(name, F_OK) != 0;
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
