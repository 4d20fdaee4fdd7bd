// SPDX-License-Identifier: Apache-2.0
// One session out of several of the same file, by SQL: the shards of a run, or separate sessions
// whose counts are added.
//
// While shards are missing, those that are there stay beside the session that was combined from
// them: when more arrive it is made anew, so that it never depends on the order in which they came.
// When all are there, they go.
//
// Two tables in memory say what is combined: piece, the sessions in order; and member, what the new
// session will name as its members (of a sum, those that it is the sum of).
#include "store/merge.h"

#include "store/private.h"

#include <stdlib.h>
#include <string.h>

static const char tables[] =
    "CREATE TEMP TABLE IF NOT EXISTS piece (place INTEGER PRIMARY KEY, session INTEGER UNIQUE);"
    "CREATE TEMP TABLE IF NOT EXISTS member (place INTEGER PRIMARY KEY, uuid TEXT, seed TEXT,"
    " shard INTEGER, session INTEGER);"
    "CREATE TEMP TABLE IF NOT EXISTS shard (session INTEGER PRIMARY KEY, run TEXT);";

// Of the options of a session those that are kept (recorded.c), without some.
#define OPTIONS(options, without)                                                                  \
    "(SELECT json_group_object(key, json(" options " -> ('$.' || key))) FROM"                      \
    " (SELECT key FROM json_each(iif(json_valid(" options "), " options ", '{}'))"                 \
    " WHERE key IN ('joined', 'max_runs', 'patterns', 'runs', 'seed', 'shuffle', 'simt',"          \
    " 'stress', 'thorough', 'until', 'validation', 'timeout') AND key NOT IN (" without ")"        \
    " ORDER BY key))"

struct combining {
    struct store *store;
    struct store_merge_done *done;
    struct lit_error *error;
};

// --- Sentences that a query makes

static enum store_row refuse(sqlite3_stmt *select, void *user)
{
    const struct combining *c = user;
    lit_fail(c->error, LIT_EXIT_USAGE, "%.460s; nothing was written",
             sqlite3_column_text(select, 0));
    return STORE_FAILED;
}

// True if the query gives no sentence that says why not.
static bool allows(struct combining *c, const char *query)
{
    return store_each(c->store, c->error, store_borrow(c->store, c->error, query, ""), refuse, c);
}

static enum store_row add_note(sqlite3_stmt *select, void *user)
{
    struct combining *c = user;
    char *note = store_column_text(select, 0);
    text_printf(&c->done->notes, "%s\n", note);
    free(note);
    return STORE_NEXT;
}

static bool note(struct combining *c, const char *query, int64_t session)
{
    return store_each(c->store, c->error, store_borrow(c->store, c->error, query, "i", session),
                      add_note, c);
}

// --- What is combined

static const char members[] =
    "INSERT INTO member SELECT row_number() OVER (ORDER BY place, number), uuid, seed, shard,"
    " session FROM (WITH own AS (" STORE_MEMBERS ")"
    " SELECT piece.place, own.place AS number, own.uuid, own.seed, 0 AS shard, session"
    " FROM piece JOIN own ON own.combined = session WHERE kind = 'sum'"
    " UNION ALL SELECT piece.place, 0, uuid, seed, shard_index, session.id"
    " FROM piece JOIN session ON session.id = piece.session"
    " WHERE session.id NOT IN (SELECT combined FROM own WHERE kind = 'sum'))";

// The identity of what is combined: that of its members alone, in any order.
#define UUID                                                                                       \
    "(SELECT litmus_identity(iif(shard = '', 'sum', shard) || char(0) || (SELECT "                 \
    "group_concat(uuid,"                                                                           \
    " char(0)) FROM (SELECT uuid FROM member ORDER BY uuid))) FROM session"                        \
    " WHERE id = (SELECT session FROM piece ORDER BY place LIMIT 1))"

// What one column says in the pieces, each once.
#define EACH_ONCE(column)                                                                          \
    "(SELECT group_concat(" column ", ', ') FROM (SELECT " column " FROM s GROUP BY " column       \
    " ORDER BY min(place)))"

static const char insert_session[] =
    "WITH s AS (SELECT session.*, place FROM piece JOIN session ON session.id = piece.session)"
    " INSERT INTO session (version, command, started, system, seed, runs, finished, options, uuid)"
    " SELECT " EACH_ONCE("version") ", ?1, (SELECT min(started) FROM s), " EACH_ONCE(
        "system") ", seed, iif(shard = '', (SELECT sum(runs) FROM s), runs),"
                  " shard = '' OR (SELECT count(*) FROM s) = shard_count,"
                  " json_set(" OPTIONS(
                      "options", "'joined'") ", '$.joined', json_object('count', shard_count,"
                                             " 'kind', iif(shard = '', 'sum', shard), 'members', "
                                             "(SELECT json_group_array(json_object("
                                             "'index', shard, 'seed', seed, 'uuid', uuid)) FROM "
                                             "(SELECT * FROM member ORDER BY place)))), " UUID
                                             " FROM s ORDER BY place LIMIT 1";

// Numbers stay as they are if they differ.
static const char *device_columns =
    "WITH d AS (SELECT device.*, place, row_number() OVER (PARTITION BY id ORDER BY place) AS nth"
    " FROM piece JOIN device USING (session)), e AS (SELECT * FROM d WHERE nth = 1)"
    " INSERT INTO device (session, number";

static const char name_devices[] =
    "UPDATE session SET options = json_set(options, '$.devices', json((SELECT json_group_array("
    "json_object('id', id, 'name', name, 'number', number)) FROM (SELECT * FROM device"
    " WHERE session = ?1 ORDER BY number)))) WHERE id = ?1";

static const char device_check[] =
    "SELECT printf('shards of runs were made on different devices or drivers: %s, driver %s (%s)"
    " is in %d of %d', name, driver_version, device.id, count(*), (SELECT count(*) FROM piece))"
    " FROM piece JOIN device USING (session) WHERE (SELECT shard FROM session"
    " WHERE id = piece.session) = 'runs'"
    " GROUP BY device.id HAVING count(*) < (SELECT count(*) FROM piece) LIMIT 1";

// --- Results that cannot be added: "shard 3 of 4 cannot be added ..."

#define SHORT(text)                                                                                \
    "iif(" text " = '', '(none)', iif(length(" text ") > 12, substr(" text                         \
    ", 1, 12) || '...', " text "))"
#define DIFFER(what, column)                                                                       \
    " WHEN a." column " <> b." column " THEN '" what                                               \
    " ' || " SHORT("a." column) " || ' and ' || " SHORT("b." column)
#define CHOICES(of)                                                                                \
    "(SELECT group_concat(place || name || fails) FROM (SELECT * FROM choice"                      \
    " WHERE choice.result = " of ".id ORDER BY place))"
#define SENTENCE                                                                                   \
    "SELECT printf('%s cannot be added to those before it: %s (device %s): %s', iif(shard = '',"   \
    " 'the session of ' || started, printf('shard %d of %d', shard_index, shard_count)), name,"    \
    " device, why)"
#define PIECES                                                                                     \
    "WITH m AS (SELECT result.*, place, shard, shard_index, shard_count, started FROM piece"       \
    " JOIN session ON session.id = piece.session JOIN result ON result.session = session.id)"

static const char result_check[] = PIECES
    ", b AS (SELECT *, lag(id) OVER (PARTITION BY device, name ORDER BY place) AS before"
    " FROM m) " SENTENCE " FROM (SELECT b.*, CASE"
    " WHEN shard = 'tests' THEN 'it is in another shard too'" DIFFER("module", "sha256")
        DIFFER("stress", "stress") DIFFER(
            "expectation",
            "expectation") " WHEN a.rule <> '' OR b.rule <> '' THEN 'was measured until a rule was "
                           "met ('"
                           " || iif(a.rule <> '', a.rule, b.rule) || '): such runs cannot be added'"
                           " WHEN (a.result = 'skip') <> (b.result = 'skip') THEN 'was skipped in "
                           "one ('"
                           " || substr(iif(a.result = 'skip', a.reason, b.reason), 1, 120) || ') "
                           "and ran in the other'"
                           " WHEN a.checked_as <> b.checked_as OR " CHOICES("a") " IS NOT " CHOICES(
                               "b") " THEN 'the outcomes have other names'"
                                    " WHEN shard = 'runs' AND a.seed <> b.seed THEN 'seed ' || "
                                    "a.seed || ' and ' || b.seed"
                                    " END AS why FROM b JOIN result AS a ON a.id = b.before)"
                                    " WHERE why IS NOT NULL ORDER BY place LIMIT 1";

static const char overlap_check[] =
    PIECES ", b AS (SELECT *, lag(id) OVER (PARTITION BY device, name, seed ORDER BY first, place)"
           " AS before FROM m WHERE runs > 0) " SENTENCE " FROM (SELECT b.*,"
           " printf('runs %d-%d and %d-%d of the same seed: the same experiment twice', a.first,"
           " a.first + a.runs - 1, b.first, b.first + b.runs - 1) AS why FROM b"
           " JOIN result AS a ON a.id = b.before WHERE a.runs > b.first - a.first)"
           " ORDER BY place LIMIT 1";

// --- Results that are added
//
// What is not a count is that of the first piece that has it, but:
// - the result is the first that is no verdict (hang, crash...), with its reason and evidence, else
//   the verdict over the sum;
// - whether the first run failed is said by the one with the lowest number, of sums by any;
// - failures are the first ENG_MAX_FAILURES by number of run; of sums those of the first piece that
//   has any, whose seed becomes the result's, so that they can be run again.

#define M                                                                                          \
    "WITH m AS (SELECT result.*, place, shard,"                                                    \
    " result NOT IN ('pass', 'fail', 'no-progress') AS broken,"                                    \
    " EXISTS (SELECT 1 FROM failure WHERE failure.result = result.id) AS fails,"                   \
    " (SELECT number FROM device WHERE session = ?1 AND id = result.device) AS device_number"      \
    " FROM piece JOIN session ON session.id = piece.session"                                       \
    " JOIN result ON result.session = session.id)"

static const char insert_results[] = M
    ", w AS (SELECT *, row_number() OVER (g ORDER BY broken DESC, place) AS nth,"
    " sum(runs) OVER g AS all_runs, sum(failed_runs) OVER g AS all_failed,"
    " sum(no_progress_runs) OVER g AS all_waiting, min(first) OVER g AS least,"
    " sum(instances) OVER g AS all_instances, sum(failed_instances) OVER g AS all_wrong,"
    " sum(seconds) OVER g AS all_seconds,"
    " iif(shard = '', max(first_run_failed) OVER g,"
    " first_value(first_run_failed) OVER (g ORDER BY first, place)) AS first_failed,"
    " first_value(seed) OVER (g ORDER BY fails DESC, place) AS failing_seed,"
    " min(place) OVER g AS first_place, first_value(id) OVER (g ORDER BY place) AS first_id"
    " FROM m WINDOW g AS (PARTITION BY device, name))"
    " INSERT INTO result (session, device, name, result, expectation, sha256, seed, runs,"
    " failed_runs, no_progress_runs, stress, rule, first, reason, headline, checked_as,"
    " first_run_failed, instances, failed_instances, seconds)"
    " SELECT ?1, device, name, CASE WHEN broken THEN result WHEN all_failed > 0 THEN 'fail'"
    " WHEN all_waiting > 0 THEN 'no-progress' ELSE 'pass' END, expectation, sha256, failing_seed,"
    " all_runs, all_failed, all_waiting, stress, rule, least, reason, headline, checked_as,"
    " first_failed, all_instances, all_wrong, all_seconds FROM w WHERE nth = 1"
    // Shards of tests interleave: their order is that of names. Else each piece has all of them.
    " ORDER BY iif(shard = 'tests', 0, first_place), device_number, iif(shard = 'tests', name, ''),"
    " first_id";

// Each piece's result beside the one that was made, `made`.
#define MADE                                                                                       \
    M ", p AS (SELECT m.*, made.id AS made, row_number() OVER (PARTITION BY made.id"               \
      " ORDER BY broken DESC, place) AS nth, min(iif(fails, place, NULL)) OVER"                    \
      " (PARTITION BY made.id) AS first_failing FROM m JOIN result AS made ON made.session = ?1"   \
      " AND made.device = m.device AND made.name = m.name)"
#define TEXT_OF(number) #number
#define NUMBER(number)  TEXT_OF(number)

static const char *const insert_children[] = {
    MADE " INSERT INTO outcome SELECT made, outcome, sum(outcome.instances) FROM p"
         " JOIN outcome ON outcome.result = p.id GROUP BY made, outcome",

    MADE
    ", f AS (SELECT made, failure.*, row_number() OVER (PARTITION BY made ORDER BY run, p.place,"
    " failure.number) - 1 AS nth_failure FROM p JOIN failure ON failure.result = p.id"
    " WHERE shard <> '' OR p.place = first_failing)"
    " INSERT INTO failure SELECT made, nth_failure, run, instance, word, f.place, outcome, got,"
    " want FROM f WHERE nth_failure < " NUMBER(ENG_MAX_FAILURES),

    MADE " INSERT INTO choice SELECT made, choice.place, choice.name, choice.fails FROM p"
         " JOIN choice ON choice.result = p.id WHERE p.nth = 1",

    MADE " INSERT INTO evidence SELECT made, kind, text FROM p"
         " JOIN evidence ON evidence.result = p.id WHERE p.nth = 1",

    // Parts stand one behind the other with the processes apart; beyond ENG_MAX_PARTS, neighbours
    // are put together. None if those of a result with runs are not known.
    MADE ", unknown AS (SELECT made FROM p WHERE runs > 0"
         " AND NOT EXISTS (SELECT 1 FROM part WHERE part.result = p.id)),"
         " width AS (SELECT p.id, sum(1 + (SELECT max(process) FROM part WHERE part.result = p.id))"
         " OVER (PARTITION BY made ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"
         " AS before FROM p),"
         " q AS (SELECT made, part.*, part.process + coalesce(before, 0) AS process_number,"
         " row_number() OVER (PARTITION BY made ORDER BY place, part.number) - 1 AS nth_part,"
         " count(*) OVER (PARTITION BY made) AS parts FROM p JOIN width USING (id)"
         " JOIN part ON part.result = p.id WHERE made NOT IN unknown)"
         " INSERT INTO part SELECT made, iif(parts > " NUMBER(ENG_MAX_PARTS) ", nth_part * " NUMBER(
             ENG_MAX_PARTS) " / parts, nth_part), min(process_number), sum(runs), sum(failed_runs),"
                            " sum(no_progress_runs) FROM q GROUP BY 1, 2",

    "INSERT INTO tuning (session, device, name, sha256, stress, runs, failed_runs,"
    " no_progress_runs, seconds) SELECT ?1, device, name, sha256, stress, sum(runs),"
    " sum(failed_runs), sum(no_progress_runs), sum(seconds) FROM piece JOIN tuning USING (session)"
    " WHERE true GROUP BY device, name, stress, sha256 ORDER BY min(place), min(id)"
    " ON CONFLICT DO NOTHING",

    "INSERT INTO code (session, device, name, sha256, digest, packed)"
    " SELECT ?1, device, name, sha256, digest, packed FROM piece JOIN code USING (session)"
    " WHERE true ORDER BY place, id ON CONFLICT DO NOTHING",
};

static bool insert_devices(struct combining *c, int64_t session)
{
    // Behind the number.
    const struct store_fields all = store_tables[STORE_KIND_DEVICE].fields;
    const struct store_fields rest = {all.fields + 1, all.count - 1};
    struct text sql = {0};
    text_printf(&sql, "%s, ", device_columns);
    store_put_columns(&sql, "", rest);
    text_puts(&sql, ") SELECT ?1, iif((SELECT count(*) = count(DISTINCT number) FROM e), number,"
                    " row_number() OVER (ORDER BY place, number)), ");
    store_put_columns(&sql, "", rest);
    text_puts(&sql, " FROM e");
    const bool good = store_run(c->store, c->error, sql.data, "i", session) &&
                      store_run(c->store, c->error, name_devices, "i", session);
    text_free(&sql);
    return good;
}

// The command line without its options --shard and --shard-runs.
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

static enum store_row take_command(sqlite3_stmt *select, void *user)
{
    char *command = store_column_text(select, 0);
    *(char **)user = command_without_shard(command);
    free(command);
    return STORE_STOP;
}

// Makes the session that the pieces are together; *session is its number. False with an error that
// says which configuration cannot be added, and why.
static bool combine(struct combining *c, int64_t *session)
{
    struct store *store = c->store;
    char *command = NULL;
    bool good = allows(c, device_check) && allows(c, result_check) && allows(c, overlap_check) &&
                store_each(store, c->error,
                           store_borrow(store, c->error,
                                        "SELECT command FROM piece JOIN session ON session.id ="
                                        " piece.session ORDER BY place LIMIT 1",
                                        ""),
                           take_command, &command) &&
                store_run(store, c->error, insert_session, "t", command);
    free(command);
    *session = sqlite3_last_insert_rowid(store->db);
    good = good && insert_devices(c, *session) &&
           store_run(store, c->error, insert_results, "i", *session);
    for (size_t i = 0; good && i < sizeof insert_children / sizeof *insert_children; i++)
        good = store_run(store, c->error, insert_children[i], "i", *session);
    c->done->joined += good;
    return good && store_sum_session(store, *session, c->error) &&
           store_total_add(store, STORE_KIND_SESSION, *session, 0, c->error);
}

// Chooses the pieces by a query for their numbers, in order, with ?1.
static bool choose(struct combining *c, const char *query, int64_t argument)
{
    struct text sql = {0};
    text_printf(&sql, "INSERT INTO piece (session) %s", query);
    const bool good = store_execute(c->store, "DELETE FROM piece; DELETE FROM member", c->error) &&
                      store_run(c->store, c->error, sql.data, "i", argument) &&
                      store_run(c->store, c->error, members, "");
    text_free(&sql);
    return good;
}

static bool remove_pieces(struct combining *c)
{
    return store_remove_sessions(c->store, c->error, "SELECT session FROM piece", "");
}

// --- Shards

// Every shard, by the run that it is a part of: seed, kind and count of shards, version, runs, and
// the options apart from shard and devices.
static const char list_shards[] =
    "INSERT INTO shard SELECT id, printf('%s of %d, seed %s, %d runs, %s, ', shard, shard_count,"
    " seed, runs, version) || " OPTIONS("options", "''") " FROM session WHERE shard <> ''";

#define SHARD "shard %d of %d (%s, seed %s)', "
#define OF_RUN                                                                                     \
    " FROM shard JOIN session ON session.id = session WHERE run = (SELECT run FROM shard WHERE "   \
    "session = ?1)"

struct numbers {
    int64_t *items;
    size_t count;
};

static enum store_row add_number(sqlite3_stmt *select, void *user)
{
    struct numbers *numbers = user;
    numbers->items = lit_realloc(numbers->items, numbers->count + 1, sizeof *numbers->items);
    numbers->items[numbers->count++] = sqlite3_column_int64(select, 0);
    return STORE_NEXT;
}

// "0, 1, 3": of which the first 64 are listed.
#define LIST(numbers)                                                                              \
    "(SELECT group_concat(i, ', ') || iif(count(*) > 64, '...', '') FROM (" numbers " LIMIT 65))"

static const char shards_note[] =
    "SELECT printf('session %d: shards %s of %d (%s, seed %s)%s', ?1, " LIST(
        "SELECT shard AS i FROM member ORDER BY 1") ", shard_count, shard, seed,"
                                                    " iif(shard_count > (SELECT count(*) FROM "
                                                    "piece), '; not finished: missing ' || " LIST(
                                                        "WITH RECURSIVE n (i) AS (SELECT 0 UNION "
                                                        "ALL SELECT i + 1 FROM n"
                                                        " WHERE i < (SELECT 65 + count(*) FROM "
                                                        "member)) SELECT i FROM n"
                                                        " WHERE i NOT IN (SELECT shard FROM "
                                                        "member) AND i < shard_count") ", ''))"
                                                                                       " FROM "
                                                                                       "session "
                                                                                       "WHERE id = "
                                                                                       "(SELECT "
                                                                                       "max("
                                                                                       "session) "
                                                                                       "FROM "
                                                                                       "piece)";

// Combines the shards of the run that one of them is of.
static bool combine_run(struct combining *c, int64_t shard)
{
    struct store *store = c->store;
    int64_t there, missing, session;
    if (!note(c,
              "SELECT printf('session %d: shard %d of %d (%s, seed %s) is not finished: kept by"
              " itself until it is', id, shard_index, shard_count, shard, seed)" OF_RUN
              " AND NOT finished ORDER BY shard_index",
              shard) ||
        !choose(c, "SELECT session" OF_RUN " AND finished ORDER BY shard_index, started, uuid",
                shard) ||
        !allows(c, "SELECT printf('two sessions are shard %d of %d of the same run (%s, seed %s):"
                   " those of %s and %s; give each run its own seed, or merge them into different"
                   " files', shard_index, shard_count, shard, seed, min(started), max(started))"
                   " FROM piece JOIN session ON session.id = piece.session GROUP BY shard_index"
                   " HAVING count(*) > 1 LIMIT 1") ||
        !store_number(store, c->error, &there,
                      "SELECT NOT EXISTS (SELECT 1 FROM piece) OR EXISTS (SELECT 1 FROM session"
                      " WHERE uuid = " UUID ")",
                      "") ||
        !store_number(store, c->error, &missing,
                      "SELECT shard_count - (SELECT count(*) FROM piece) FROM session WHERE id = ?",
                      "i", shard))
        return false;
    if (there)
        return true;
    return combine(c, &session) && note(c, shards_note, session) &&
           // What was combined from some of these before.
           store_remove_sessions(store, c->error,
                                 "SELECT combined FROM (" STORE_MEMBERS ") AS older"
                                 " WHERE NOT finished AND kind <> 'sum' AND combined <> ?1"
                                 " GROUP BY combined"
                                 " HAVING min(uuid IN (SELECT uuid FROM member))",
                                 "i", session) &&
           (missing > 0 || remove_pieces(c));
}

bool store_combine_shards(struct store *store, struct store_merge_done *done,
                          struct lit_error *error)
{
    struct combining c = {store, done, error};
    struct numbers runs = {0};
    bool good =
        store_execute(store, tables, error) &&
        // What was combined from shards that have become part of another session meanwhile.
        store_remove_sessions(store, error,
                              "SELECT combined FROM (" STORE_MEMBERS ")"
                              " WHERE NOT finished AND uuid NOT IN (SELECT uuid FROM session)",
                              "") &&
        store_run(store, error, list_shards, "") &&
        store_each(store, error,
                   store_borrow(store, error,
                                "SELECT min(session) FROM shard GROUP BY run ORDER BY run", ""),
                   add_number, &runs);
    for (size_t i = 0; good && i < runs.count; i++)
        good = combine_run(&c, runs.items[i]);
    free(runs.items);
    return good;
}

// --- Sums

#define FIRST "(SELECT * FROM piece JOIN session ON session.id = session ORDER BY place LIMIT 1)"
#define NOT_ADDED(why)                                                                             \
    "SELECT printf('the sessions of %s and %s cannot be added: " why "', a.started, b.started)"
#define SUM_OPTIONS(of) OPTIONS(of ".options", "'joined', 'seed', 'runs', 'patterns'")

static const char seed_check[] = NOT_ADDED(
    "the same seed, so that it is the same experiment twice") " FROM member AS x JOIN member AS y "
                                                              "ON x.seed = y.seed AND x.place < "
                                                              "y.place"
                                                              " AND x.session <> y.session JOIN "
                                                              "session AS a ON a.id = x.session"
                                                              " JOIN session AS b ON b.id = "
                                                              "y.session LIMIT 1";
static const char system_check[] = NOT_ADDED(
    "they are of different systems") " FROM " FIRST " AS a JOIN piece JOIN session AS b"
                                     " ON b.id = piece.session WHERE a.system <> b.system LIMIT 1";
static const char option_check[] =
    NOT_ADDED("their options differ") " FROM " FIRST " AS a JOIN piece JOIN session AS b"
                                      " ON b.id = piece.session WHERE " SUM_OPTIONS(
                                          "a") " <> " SUM_OPTIONS("b") " LIMIT 1";

bool store_combine_sum(struct store *store, struct store_merge_done *done, struct lit_error *error)
{
    struct combining c = {store, done, error};
    int64_t count, session;
    if (!store_execute(store, tables, error) ||
        !choose(&c,
                "WITH own AS (" STORE_MEMBERS ") SELECT id FROM session WHERE shard = ''"
                " AND finished AND (uuid IN (SELECT uuid FROM arrived) OR id IN (SELECT combined"
                " FROM own WHERE uuid IN (SELECT uuid FROM arrived))) ORDER BY started, uuid",
                0) ||
        !store_number(store, error, &count, "SELECT count(*) FROM piece", ""))
        return false;
    if (count < 2) {
        text_puts(&done->notes, "--sum: there are no two finished sessions to add\n");
        return true;
    }
    return allows(&c, seed_check) && allows(&c, system_check) && allows(&c, option_check) &&
           combine(&c, &session) &&
           note(&c,
                "SELECT printf('session %d: the sum of %d sessions', ?1, (SELECT count(*)"
                " FROM member))",
                session) &&
           remove_pieces(&c);
}
