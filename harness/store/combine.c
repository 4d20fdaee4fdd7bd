// SPDX-License-Identifier: Apache-2.0
// Combines several sessions of a file into one: shards of a run, parts of a plan, or separate
// sessions whose counts are added. combine.sql does the work; this file says in which order.
//
// While shards are missing, the present ones stay beside the session combined from them: when more
// arrive, it is combined anew, so that it never depends on their order. When all are present, the
// shards are deleted.
#include "store/merge.h"

#include "store/private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(ENG_MAX_FAILURES == 16 && ENG_MAX_PARTS == 64, "as combine.sql has them");

struct combining {
    struct store *store;
    struct store_merge_done *done;
    struct lit_error *error;
    // For parts of a plan (store/merge.h); else NULL.
    bool (*is_whole)(struct store *store, int64_t session, const char *options);
};

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

bool store_combine_prepare(struct store *store, struct lit_error *error)
{
    return (sqlite3_create_function(store->db, "litmus_command", 1, SQLITE_UTF8, NULL, command,
                                    NULL, NULL) == SQLITE_OK ||
            store_fail(store, error)) &&
           store_run_part(store, error, store_combine_sql, "tables");
}

// --- Parts of the file

static bool run(struct combining *c, const char *part)
{
    return store_run_part(c->store, c->error, store_combine_sql, part);
}

static sqlite3_stmt *query(struct combining *c, const char *part, int64_t argument)
{
    return store_borrow_part(c->store, c->error, store_combine_sql, part, "i", argument);
}

static enum store_row refuse(sqlite3_stmt *select, void *user)
{
    const struct combining *c = user;
    lit_fail(c->error, LIT_EXIT_USAGE, "%.460s; nothing was written",
             sqlite3_column_text(select, 0));
    return STORE_FAILED;
}

static bool check(struct combining *c, const char *part)
{
    return store_each(c->store, c->error, query(c, part, 0), refuse, c);
}

static enum store_row add_line(sqlite3_stmt *select, void *user)
{
    OWNED(lit_free) char *sentence = store_column_text(select, 0);
    text_printf(user, "%s\n", sentence);
    return STORE_NEXT;
}

static bool note(struct combining *c, const char *part, int64_t argument)
{
    return store_each(c->store, c->error, query(c, part, argument), add_line, &c->done->notes);
}

// Chooses the pieces; sets *count and their combined *uuid (free() it).
static bool choose(struct combining *c, const char *part, int64_t argument, int64_t *count,
                   char **uuid)
{
    return store_execute(c->store, "DELETE FROM piece", c->error) &&
           store_finish(c->store, c->error, query(c, part, argument)) && run(c, "members") &&
           store_number(c->store, c->error, count, "SELECT count(*) FROM piece", "") &&
           store_text(c->store, c->error, query(c, "uuid", 0), uuid);
}

// Marks a session made of a plan's parts as finished if it is whole.
static bool finish_plan(struct combining *c, int64_t session)
{
    OWNED(lit_free) char *options = NULL;
    return store_text(c->store, c->error,
                      store_borrow(c->store, c->error, "SELECT options FROM session WHERE id = ?",
                                   "i", session),
                      &options) &&
           store_finish(c->store, c->error,
                        query(c, "plan ends", c->is_whole(c->store, session, options))) &&
           store_sum_make(c->store, STORE_KIND_SESSION, session, 0, c->error);
}

// Combines the pieces into a session. False with an error that says which configuration cannot be
// added, and why.
static bool combine(struct combining *c, const char *uuid)
{
    int64_t session;
    bool good = check(c, "check devices") && check(c, "check results") && check(c, "check runs") &&
                run(c, "combine") && (!c->is_whole || run(c, "plan")) &&
                store_number(c->store, c->error, &session, "SELECT session FROM made", "") &&
                store_run(c->store, c->error, "UPDATE session SET uuid = ?2 WHERE id = ?1", "it",
                          session, uuid) &&
                store_sum_all(c->store, session, c->error) &&
                store_total_add(c->store, STORE_KIND_SESSION, session, 0, c->error) &&
                (!c->is_whole || finish_plan(c, session));
    c->done->combined += good;
    return good;
}

// Combines the run or plan that this shard or part belongs to.
static bool combine_run(struct combining *c, int64_t shard)
{
    int64_t count, there = 0;
    OWNED(lit_free) char *uuid = NULL;
    bool good = c->is_whole
                    ? choose(c, "pieces of a plan", shard, &count, &uuid) && run(c, "left out")
                    : note(c, "unfinished", shard) &&
                          choose(c, "pieces of a run", shard, &count, &uuid) &&
                          check(c, "check shards");
    // Delete a session made of a part that has continued since.
    if (good && c->is_whole && c->done->replaced)
        good = store_run(c->store, c->error, "DELETE FROM session WHERE uuid = ? AND NOT finished",
                         "t", uuid);
    good = good && store_number(c->store, c->error, &there,
                                "SELECT count(*) FROM session WHERE uuid = ?", "t", uuid);
    if (good && count > 0 && !there)
        good = combine(c, uuid) && note(c, c->is_whole ? "plan note" : "shards note", 0) &&
               run(c, "stale") && store_forget_totals(c->store, c->error);
    return good;
}

static bool combine_runs(struct combining *c, const char *query_of_one)
{
    struct store_numbers runs = {0}; // one shard of each
    bool good = store_add_numbers(c->store, c->error, query(c, query_of_one, 0), &runs);
    for (size_t i = 0; good && i < runs.count; i++)
        good = combine_run(c, runs.ids[i]);
    free(runs.ids);
    return good;
}

bool store_combine_shards(struct store *store, struct store_merge_done *done,
                          struct lit_error *error)
{
    struct combining c = {store, done, error, NULL};
    return run(&c, "shards") && store_forget_totals(store, error) && combine_runs(&c, "runs");
}

bool store_combine_parts(struct store *store, struct store_merge_done *done,
                         bool (*is_whole)(struct store *store, int64_t session,
                                          const char *options),
                         struct lit_error *error)
{
    struct combining c = {store, done, error, is_whole};
    int64_t count;
    bool good =
        run(&c, "plans") && store_number(store, error, &count, "SELECT count(*) FROM planned", "");
    if (good && count == 0)
        text_puts(&done->notes, "--parts: there are no two parts of one plan to put together\n");
    return good && combine_runs(&c, "every plan") && run(&c, "plans end");
}

bool store_combine_sum(struct store *store, struct store_merge_done *done, struct lit_error *error)
{
    struct combining c = {store, done, error, NULL};
    int64_t count;
    OWNED(lit_free) char *uuid = NULL;
    bool good = choose(&c, "pieces of a sum", 0, &count, &uuid);
    if (good && count < 2)
        text_puts(&done->notes, "--sum: there are no two finished sessions to add\n");
    else
        good = good && check(&c, "check sum") && combine(&c, uuid) && note(&c, "sum note", 0) &&
               run(&c, "stale") && store_forget_totals(store, error);
    return good;
}

bool store_combine_apart(struct store *store, const struct store_merge_plan *plan,
                         struct store_merge_done *done, struct lit_error *error)
{
    struct combining c = {store, done, error, NULL};
    return store_each(store, error, query(&c, "apart", plan->parts ? 2 : plan->sum), add_line,
                      &done->apart);
}
