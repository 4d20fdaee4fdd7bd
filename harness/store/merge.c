// SPDX-License-Identifier: Apache-2.0
// Merges files: reads the inputs, compares them with the existing sessions, fills the temporary
// copy that becomes the output, and combines several sessions into one there: shards of a run,
// parts of a plan, or separate sessions whose counts are added. combine.sql combines; this file
// says in which order.
//
// While shards are missing, the present ones stay beside the session combined from them: when more
// arrive, it is combined anew, so that it never depends on their order. When all are present, the
// shards are deleted.
#include "store/merge.h"

#include "store/private.h"

#include <assert.h>
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
    bool parts; // now combines the parts of a plan, not shards or separate sessions
    struct lit_error *error;
};

// --- Copying sessions between stores

struct copying {
    struct store *from, *to;
    const char *table;
    int64_t session, offset;
    sqlite3_stmt *insert;
    struct lit_error *error;
};

// Columns of results that are computed from others.
static bool is_made(const char *column)
{
    return strcmp(column, "course") == 0 || strcmp(column, "past") == 0;
}

static bool prepare(struct copying *copying, sqlite3_stmt *select)
{
    OWNED(text_free) struct text sql = {0}, places = {0};
    text_printf(&sql, "INSERT INTO %s (", copying->table);
    for (int i = 0; i < sqlite3_column_count(select); i++) {
        const char *column = sqlite3_column_name(select, i);
        if (is_made(column))
            continue;
        text_printf(&sql, "%s%s", i ? ", " : "", column);
        text_printf(&places, "%s?%d", i ? ", " : "", i + 1);
    }
    text_printf(&sql, ") VALUES (%s)", places.data);
    copying->insert = store_borrow(copying->to, copying->error, sql.data, "");
    return copying->insert != NULL;
}

static enum store_row copy_row(sqlite3_stmt *select, void *user)
{
    struct copying *copying = user;
    if (!copying->insert && !prepare(copying, select))
        return STORE_FAILED;
    const bool results = strcmp(copying->table, "result") == 0;
    for (int i = 0; i < sqlite3_column_count(select); i++) {
        const char *column = sqlite3_column_name(select, i);
        const bool number = sqlite3_column_type(select, i) == SQLITE_INTEGER;
        if (is_made(column))
            continue;
        if (strcmp(column, "session") == 0)
            sqlite3_bind_int64(copying->insert, i + 1, copying->session);
        else if (number && strcmp(column, results ? "id" : "result") == 0)
            sqlite3_bind_int64(copying->insert, i + 1,
                               sqlite3_column_int64(select, i) + copying->offset);
        else if (number && strcmp(column, "id") == 0)
            sqlite3_bind_null(copying->insert, i + 1);
        else
            sqlite3_bind_value(copying->insert, i + 1, sqlite3_column_value(select, i));
    }
    const int step = sqlite3_step(copying->insert);
    if (step == SQLITE_CONSTRAINT)
        store_damaged(copying->from, copying->error, "a row of %s: %s", copying->table,
                      sqlite3_errmsg(copying->to->db));
    else if (step != SQLITE_DONE)
        store_fail(copying->to, copying->error);
    sqlite3_reset(copying->insert);
    return step == SQLITE_DONE ? STORE_NEXT : STORE_FAILED;
}

bool store_copy_rows(struct store *from, struct store *to, const char *table, const char *where,
                     int64_t session, int64_t number, int64_t copy, int64_t offset,
                     struct lit_error *error)
{
    struct copying copying = {from, to, table, copy, offset, NULL, error};
    OWNED(text_free) struct text sql = {0};
    text_printf(&sql, "SELECT * FROM %s WHERE %s ORDER BY 1", table, where);
    const bool good =
        store_each(from, error, store_borrow(from, error, sql.data, "ii", session, number),
                   copy_row, &copying);
    store_return(to, copying.insert);
    return good;
}

// Finds the offset that moves numbers of results after the existing ones.
static bool find_offset(struct store *from, int64_t session, struct store *to, int64_t *offset,
                        struct lit_error *error)
{
    int64_t least, most, used;
    if (!store_number(from, error, &least,
                      "SELECT coalesce(min(id), 1) FROM result WHERE session = ?", "i", session) ||
        !store_number(from, error, &most,
                      "SELECT coalesce(max(id), 1) FROM result WHERE session = ?", "i", session) ||
        !store_number(to, error, &used, "SELECT coalesce(max(id), 0) FROM result", ""))
        return false;
    if (least < 1 || used < 0 || most - least >= INT64_MAX - used)
        return store_damaged(from, error, "the number of a result");
    *offset = used + 1 - least;
    return true;
}

// Copies a session of the input with everything that belongs to it; reads every row first, as
// reports do. `uuid` is its identity in the copy, *copy its number there.
static bool copy_session(struct merging *m, int64_t session, const char *uuid, int64_t *copy)
{
    OWNED(store_session_clear) struct store_session row = {0};
    int64_t offset = 0;
    if (!store_session_load(m->input, session, false, &row, m->error))
        return false;
    free(row.uuid);
    row.uuid = lit_strdup(uuid);
    bool good = true;
    for (enum store_kind kind = STORE_KIND_DEVICE; good && kind < STORE_KINDS; kind++)
        good = store_is_intact(m->input, kind, session, 0, m->error);
    good = good && find_offset(m->input, session, m->work, &offset, m->error) &&
           store_session_begin(m->work, &row, m->error);
    *copy = row.id;
    for (enum store_kind kind = STORE_KIND_DEVICE; good && kind < STORE_KINDS; kind++)
        good = store_copy_rows(m->input, m->work, store_tables[kind].name, "session = ?1", session,
                               0, *copy, offset, m->error);
    for (size_t i = 0; good && i < STORE_CHILDREN; i++)
        good = store_copy_rows(m->input, m->work, store_children[i].table,
                               "result IN (SELECT id FROM result WHERE session = ?1)", session, 0,
                               *copy, offset, m->error);
    return good && store_sum_all(m->work, *copy, m->error);
}

// Corrects totals and courses after sessions were removed.
static bool forget_totals(struct merging *m)
{
    return store_execute(m->work,
                         "DELETE FROM total WHERE session NOT IN"
                         " (SELECT id FROM session UNION SELECT 0);"
                         "UPDATE course SET members ="
                         " (SELECT count(*) FROM result WHERE result.course = course.id);"
                         "DELETE FROM course WHERE members = 0",
                         m->error) &&
           store_total_make(m->work, STORE_KIND_COURSE, 0, m->error) &&
           store_total_make(m->work, STORE_KIND_SESSION, 0, m->error);
}

static bool remove_session(struct merging *m, int64_t session)
{
    return store_run(m->work, m->error, "DELETE FROM session WHERE id = ?", "i", session) &&
           forget_totals(m);
}

// --- Combining sessions

static_assert(ENG_MAX_FAILURES == 16 && ENG_MAX_PARTS == 64, "as combine.sql has them");

// Returns the command line without the options --shard and --shard-runs.
static char *command_without_shard(const char *command)
{
    struct text without = {0};
    text_puts(&without, "");
    while (*command) {
        size_t blanks = strspn(command, " "), length = strcspn(command + blanks, " ");
        const char *word = command + blanks;
        size_t name = strcspn(word, "= ");
        if ((name == 7 && !strncmp(word, "--shard", 7)) ||
            (name == 12 && !strncmp(word, "--shard-runs", 12))) {
            command = word + length;
            if (word[name] != '=' && *command) {
                command += strspn(command, " ");
                command += strcspn(command, " ");
            }
            continue;
        }
        text_append(&without, command, blanks + length);
        command = word + length;
    }
    return without.data;
}

// litmus_command(text)
static void command(sqlite3_context *context, int count, sqlite3_value **values)
{
    const char *text = (const char *)sqlite3_value_text(values[0]);
    (void)count;
    sqlite3_result_text(context, command_without_shard(text ? text : ""), -1, free);
}

// Makes the tables in memory that are used to combine sessions and to find their relations.
static bool prepare_combining(struct merging *m)
{
    return (sqlite3_create_function(m->work->db, "litmus_command", 1, SQLITE_UTF8, NULL, command,
                                    NULL, NULL) == SQLITE_OK ||
            store_fail(m->work, m->error)) &&
           store_run_part(m->work, m->error, store_combine_sql, "tables");
}

static bool run(struct merging *m, const char *part)
{
    return store_run_part(m->work, m->error, store_combine_sql, part);
}

static sqlite3_stmt *query(struct merging *m, const char *part, int64_t argument)
{
    return store_borrow_part(m->work, m->error, store_combine_sql, part, "i", argument);
}

static enum store_row refuse(sqlite3_stmt *select, void *user)
{
    const struct merging *m = user;
    lit_fail(m->error, LIT_EXIT_USAGE, "%.460s; nothing was written",
             sqlite3_column_text(select, 0));
    return STORE_FAILED;
}

static bool check(struct merging *m, const char *part)
{
    return store_each(m->work, m->error, query(m, part, 0), refuse, m);
}

static enum store_row add_line(sqlite3_stmt *select, void *user)
{
    OWNED(lit_free) char *sentence = store_column_text(select, 0);
    text_printf(user, "%s\n", sentence);
    return STORE_NEXT;
}

static bool note(struct merging *m, const char *part, int64_t argument)
{
    return store_each(m->work, m->error, query(m, part, argument), add_line, &m->done->notes);
}

// Chooses the pieces; sets *count and their combined *uuid (free() it).
static bool choose(struct merging *m, const char *part, int64_t argument, int64_t *count,
                   char **uuid)
{
    return store_execute(m->work, "DELETE FROM piece", m->error) &&
           store_finish(m->work, m->error, query(m, part, argument)) && run(m, "members") &&
           store_number(m->work, m->error, count, "SELECT count(*) FROM piece", "") &&
           store_text(m->work, m->error, query(m, "uuid", 0), uuid);
}

// Marks a session made of a plan's parts as finished if it is whole.
static bool finish_plan(struct merging *m, int64_t session)
{
    OWNED(lit_free) char *options = NULL;
    return store_text(m->work, m->error,
                      store_borrow(m->work, m->error, "SELECT options FROM session WHERE id = ?",
                                   "i", session),
                      &options) &&
           store_finish(m->work, m->error,
                        query(m, "plan ends", m->plan->is_whole(m->work, session, options))) &&
           store_sum_make(m->work, STORE_KIND_SESSION, session, 0, m->error);
}

// Combines the pieces into a session. False with an error that says which configuration cannot be
// added, and why.
static bool combine(struct merging *m, const char *uuid)
{
    int64_t session;
    bool good = check(m, "check devices") && check(m, "check results") && check(m, "check runs") &&
                run(m, "combine") && (!m->parts || run(m, "plan")) &&
                store_number(m->work, m->error, &session, "SELECT session FROM made", "") &&
                store_run(m->work, m->error, "UPDATE session SET uuid = ?2 WHERE id = ?1", "it",
                          session, uuid) &&
                store_sum_all(m->work, session, m->error) &&
                store_total_add(m->work, STORE_KIND_SESSION, session, 0, m->error) &&
                (!m->parts || finish_plan(m, session));
    m->done->combined += good;
    return good;
}

// Combines the run or plan that this shard or part belongs to.
static bool combine_run(struct merging *m, int64_t shard)
{
    int64_t count, there = 0;
    OWNED(lit_free) char *uuid = NULL;
    bool good = m->parts ? choose(m, "pieces of a plan", shard, &count, &uuid) && run(m, "left out")
                         : note(m, "unfinished", shard) &&
                               choose(m, "pieces of a run", shard, &count, &uuid) &&
                               check(m, "check shards");
    // Delete a session made of a part that has continued since.
    if (good && m->parts && m->done->replaced)
        good = store_run(m->work, m->error, "DELETE FROM session WHERE uuid = ? AND NOT finished",
                         "t", uuid);
    good = good && store_number(m->work, m->error, &there,
                                "SELECT count(*) FROM session WHERE uuid = ?", "t", uuid);
    if (good && count > 0 && !there)
        good = combine(m, uuid) && note(m, m->parts ? "plan note" : "shards note", 0) &&
               run(m, "stale") && forget_totals(m);
    return good;
}

static bool combine_runs(struct merging *m, const char *query_of_one)
{
    struct store_numbers runs = {0}; // one shard of each
    bool good = store_add_numbers(m->work, m->error, query(m, query_of_one, 0), &runs);
    for (size_t i = 0; good && i < runs.count; i++)
        good = combine_run(m, runs.ids[i]);
    free(runs.ids);
    return good;
}

// Combines the shards of each run into one session, as far as they are present.
static bool combine_shards(struct merging *m)
{
    return run(m, "shards") && forget_totals(m) && combine_runs(m, "runs");
}

// Combines the parts of each plan into one session, which is finished if plan->is_whole says so.
static bool combine_parts(struct merging *m)
{
    int64_t count;
    bool good = run(m, "plans") &&
                store_number(m->work, m->error, &count, "SELECT count(*) FROM planned", "");
    if (good && count == 0)
        text_puts(&m->done->notes, "--parts: there are no two parts of one plan to put together\n");
    m->parts = true;
    good = good && combine_runs(m, "every plan") && run(m, "plans end");
    m->parts = false;
    return good;
}

// Combines into their sum the finished sessions whose uuid is in the table `arrived`, or that were
// combined from such.
static bool combine_sum(struct merging *m)
{
    int64_t count;
    OWNED(lit_free) char *uuid = NULL;
    bool good = choose(m, "pieces of a sum", 0, &count, &uuid);
    if (good && count < 2)
        text_puts(&m->done->notes, "--sum: there are no two finished sessions to add\n");
    else
        good = good && check(m, "check sum") && combine(m, uuid) && note(m, "sum note", 0) &&
               run(m, "stale") && forget_totals(m);
    return good;
}

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
    if (!copy_session(merging, session->id, "", &copied) ||
        !is_within(merging, there, copied, &older) || !is_within(merging, copied, there, &newer))
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
    return copy_session(merging, session->id, session->uuid, &copied) &&
           // The sessions that it was combined from.
           (!combined ||
            (store_run(merging->work, error,
                       "DELETE FROM session WHERE uuid IN (SELECT json_extract(?1, fullkey"
                       " || '.uuid') FROM " MEMBERS ")",
                       "t", session->options) &&
             forget_totals(merging)));
}

static bool do_merge(struct merging *merging)
{
    const struct store_merge_plan *plan = merging->plan;
    struct lit_error *error = merging->error;
    bool own;
    if (!list_incoming(merging) || !prepare_combining(merging) ||
        !store_enter(merging->work, &own, error))
        return false;
    bool good = true;
    for (size_t i = 0; good && i < merging->incoming_count; i++)
        good = take_in(merging, &merging->incoming[i]);
    good = good && combine_shards(merging) && (!plan->parts || combine_parts(merging)) &&
           (!plan->sum || combine_sum(merging)) &&
           store_each(merging->work, error, query(merging, "apart", plan->parts ? 2 : plan->sum),
                      add_line, &merging->done->apart);
    return store_leave(merging->work, own, good, error);
}

// --- The temporary copy

// A killed writer may leave a log; it belongs only to the file of that name.
static bool settle_log(const char *name, const char *shown, struct lit_error *error)
{
    OWNED(text_free) struct text log = text_format("%s-wal", name);
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
