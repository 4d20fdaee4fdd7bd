// SPDX-License-Identifier: Apache-2.0
// Merging: what was cut into shards comes back as it would have been in one piece, nothing is
// counted twice, and what does not belong together is refused with nothing written.
#include "store/history.h"
#include "store/merge.h"

#include "folder.h"
#include "unit.h"

#include "edit.h"

#include <dirent.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

// Up to eight paths are valid at a time.
static const char *in_folder(const char *name)
{
    static char paths[8][128];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

// An experiment of RUNS runs whose every outcome is known.
#define RUNS  120
#define TESTS 3

// What a session is made with; zero-initialise for the usual one.
struct make {
    const char *uuid, *started, *options, *sha256, *stress, *rule, *driver, *expectation, *command;
    uint64_t seed, runs;
    enum store_shard shard;
    uint64_t index, count;
    bool unfinished, no_parts;
    uint64_t done; // runs of each test that were done, 0: all
};

static const char * or (const char *value, const char *usual)
{
    return value ? value : usual;
}

// Any function of the run will do that fails in some runs and gives up in others.
static uint64_t mix(uint64_t run, uint64_t seed, int test)
{
    uint64_t value = (run + 1) * 2654435761u + seed * 40503 + (uint64_t)test * 9973;
    return (value ^ value >> 13) * 2246822519u % 1000003;
}

static void measure(struct result *count, uint64_t first, uint64_t end, uint64_t seed, int test)
{
    for (uint64_t run = first; run < end; run++) {
        uint64_t value = mix(run, seed, test);
        bool gave_up = test != 2 && value % 11 == 0, failed = !gave_up && test && value % 5 == 0;
        count->runs++;
        count->failed_runs += failed;
        count->no_progress_runs += gave_up;
        count->first_run_failed |= failed && run == first;
        count->instances += 8;
        count->failed_instances += failed;
        count->outcomes[gave_up ? CAT_NO_PROGRESS : CAT_RIGHT] += 8 - failed;
        count->outcomes[1 + value % 3] += failed;
        if (failed && count->failure_count < ENG_MAX_FAILURES) {
            struct eng_failure *failure = &LIT_ADD(count->failures, count->failure_count);
            failure->at = (struct cat_failure){
                .run = run, .instance = value % 8, .outcome = 1 + (uint32_t)(value % 3)};
            snprintf(failure->where, sizeof(failure->where), "lane %u", (unsigned)(value % 32));
        }
        // A part for ten runs, a process for thirty.
        if (count->piece_count == 0 || run % 10 == 0)
            LIT_ADD(count->pieces, count->piece_count) =
                (struct eng_part){.process = (uint32_t)((run - first) / 30)};
        struct eng_part *part = &count->pieces[count->piece_count - 1];
        part->runs++;
        part->failed_runs += failed;
        part->no_progress_runs += gave_up;
    }
    count->seconds = (double)(end - first) / 64;
}

static const char *const names[TESTS] = {"shuffle.a@workgroup=64,subgroup=32",
                                         "shuffle.b/sync=none@workgroup=64,subgroup=32",
                                         "scan.c@workgroup=128"};

static struct dev_facts make_facts(const struct make *make)
{
    struct dev_facts facts = {.name = "Example GPU", .type = "discrete", .subgroup = 32};
    snprintf(facts.driver_version, sizeof(facts.driver_version), "%s", or (make->driver, "1.2"));
    return facts;
}

static const struct cat_mode tags = {.check = CAT_CHECK_TAG};

static void put_results(struct store *store, int64_t session, const struct make *make)
{
    struct dev_facts facts = make_facts(make);
    char id[DEV_ID_SIZE];
    dev_facts_id(&facts, id);
    bool runs = make->shard == STORE_SHARD_RUNS;
    uint64_t first = runs ? RUNS * make->index / make->count : 0;
    uint64_t end = runs ? RUNS * (make->index + 1) / make->count : RUNS;
    if (make->done)
        end = first + make->done;
    for (int test = 0; test < TESTS; test++) {
        if (make->shard == STORE_SHARD_TESTS && (uint64_t)test % make->count != make->index)
            continue;
        struct result result = {
            .cfg = cfg_parse(names[test]),
            .device_id = id,
            .reason = (char *)"",
            .expectation = cat_expectation_named(or (make->expectation, "contested")),
            .sha256 = (char *) or (make->sha256, ""),
            .headline = (char *)"",
            .stress = (char *) or (make->stress, ""),
            .rule = (char *) or (make->rule, ""),
            .seed = make->seed,
            .first = first,
            .mode = &tags,
        };
        measure(&result, first, end, make->seed, test);
        if (make->no_parts)
            result.piece_count = 0;
        result.result = eng_verdict(&result.count);
        must(store_result_put(store, session, &result, &error));
        free(result.failures);
        free(result.pieces);
        cfg_clear(&result.cfg);
    }
}

static void make_session(const char *path, const struct make *make)
{
    OWNED(store_close) struct store *store = store_open(path, &error);
    struct dev_facts facts = make_facts(make);
    struct store_session session = {.version = (char *)"1.0",
                                    .command = (char *) or (make->command, "litmus run --all"),
                                    .started = (char *) or (make->started, "2026-11-21T02:09:00Z"),
                                    .system = (char *)"Linux",
                                    .options = (char *) or (make->options, "{\"all\":true}"),
                                    .seed = make->seed,
                                    .runs = RUNS,
                                    .uuid = (char *)make->uuid,
                                    .finished = !make->unfinished,
                                    .shard = make->shard,
                                    .shard_index = make->index,
                                    .shard_count = make->count};
    must(store);
    assert_true(store_session_begin(store, &session, &error));
    assert_true(store_device_put(store, session.id, 1, &facts, "device", &error));
    put_results(store, session.id, make);
}

static int print_row(void *user, int count, char **values, char **columns)
{
    for (int i = 0; i < count; i++)
        text_printf(user, "%s|", values[i] ? values[i] : "NULL");
    text_puts(user, "\n");
    return 0;
}

static void print(const char *path, const char *sql, struct text *text)
{
    sqlite3 *db = NULL;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, print_row, text, &message) != SQLITE_OK)
        fail_msg("%s", message);
    sqlite3_close(db);
}

// All that a file says of results, whatever rows have which numbers.
static char *content(const char *path)
{
    struct text text = {0};
    text_puts(&text, "");
    print(path,
          "SELECT seed, runs, finished, shard, shard_index, shard_count, version, started, command"
          " FROM session ORDER BY started, seed, shard_index;"
          "SELECT name, result, reason, expectation, sha256, stress, rule, seed, first, runs,"
          " failed_runs, no_progress_runs, first_run_failed, instances, failed_instances, seconds,"
          " checked_as, device FROM result ORDER BY name, seed, first;"
          "SELECT name, outcome.* FROM (SELECT r.name, r.seed, r.first, o.outcome, o.instances"
          " FROM outcome o JOIN result r ON r.id = o.result ORDER BY 1, 2, 3, 4) outcome;"
          "SELECT r.name, r.seed, r.first, f.number, run, instance, word, place, outcome, got, want"
          " FROM failure f JOIN result r ON r.id = f.result ORDER BY 1, 2, 3, 4;"
          "SELECT r.name, r.seed, r.first, p.number, process, p.runs, p.failed_runs,"
          " p.no_progress_runs FROM part p JOIN result r ON r.id = p.result ORDER BY 1, 2, 3, 4",
          &text);
    return text.data;
}

static void check_same(const char *left, const char *right)
{
    OWNED(lit_free) char *a = content(left), *b = content(right);
    assert_string_equal(a, b);
}

static char *read_file(const char *path, size_t *size)
{
    struct stat status;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return NULL;
    assert_int_equal(fstat(fileno(file), &status), 0);
    char *bytes = malloc((size_t)status.st_size + 1);
    *size = fread(bytes, 1, (size_t)status.st_size, file);
    fclose(file);
    return bytes;
}

static size_t count_files(void)
{
    DIR *directory = opendir(folder);
    size_t count = 0;
    assert_non_null(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count - 2;
}

static bool merge(const char *output, const char *const *inputs, size_t count, bool sum,
                  struct store_merge_done *done, struct lit_error *error)
{
    const struct store_merge_plan plan = {output, inputs, count, .sum = sum};
    *error = (struct lit_error){0};
    return store_merge(&plan, done, error);
}

static void merge_good(const char *output, const char *const *inputs, size_t count, bool sum,
                       const char *note)
{
    struct store_merge_done done;
    must(merge(output, inputs, count, sum, &done, &error));
    if (note && !strstr(done.notes.data ? done.notes.data : "", note))
        fail_msg("'%s' is not in '%s'", note, done.notes.data);
    text_free(&done.notes);
}

// Refused with one line that has `part` in it; the output is what it was, and nothing lies about.
static void merge_bad(const char *output, const char *const *inputs, size_t count, bool sum,
                      const char *part)
{
    struct store_merge_done done;
    size_t before = 0, after = 0, files = count_files();
    OWNED(lit_free) char *old = read_file(output, &before);
    must_fail(part, merge(output, inputs, count, sum, &done, &error));
    assert_null(strchr(error.message, '\n'));
    assert_int_equal(error.code, LIT_EXIT_USAGE);
    OWNED(lit_free) char *new = read_file(output, &after);
    assert_int_equal(!old, !new);
    assert_int_equal(before, after);
    if (old)
        assert_memory_equal(old, new, before);
    assert_int_equal(files, count_files());
    text_free(&done.notes);
}

static uint64_t number(const char *path, const char *sql)
{
    OWNED(text_free) struct text text = {0};
    print(path, sql, &text);
    uint64_t value = strtoull(text.data ? text.data : "0", NULL, 10);
    return value;
}

// Makes the shards "SHARD.db", whose options name them as a run would.
static void make_shards(enum store_shard kind, uint64_t count, const char *const *paths)
{
    for (uint64_t i = 0; i < count; i++) {
        char uuid[17], options[64], command[80];
        snprintf(uuid, sizeof(uuid), "00000000000000%02x", (unsigned)i);
        snprintf(options, sizeof(options), "{\"all\":true,\"shard\":\"%u/%u\"}", (unsigned)i,
                 (unsigned)count);
        snprintf(command, sizeof(command), "litmus run %s %u/%u --all",
                 kind == STORE_SHARD_RUNS ? "--shard-runs" : "--shard", (unsigned)i,
                 (unsigned)count);
        make_session(paths[i], &(struct make){.uuid = uuid,
                                              .options = options,
                                              .seed = 7,
                                              .shard = kind,
                                              .index = i,
                                              .count = count,
                                              .command = command});
    }
}

TEST_IN(test_shards_make_the_whole, make_folder, remove_folder)
{
    static const enum store_shard kinds[] = {STORE_SHARD_RUNS, STORE_SHARD_TESTS};
    for (size_t kind = 0; kind < 2; kind++) {
        for (unsigned count = 1; count <= 4; count++) {
            // Parts and processes end where shards do, or the whole would have others.
            if (RUNS / count % 30 != 0)
                continue;
            char name[32];
            snprintf(name, sizeof(name), "k%zu-%u", kind, count);
            assert_int_equal(mkdir(in_folder(name), 0777), 0);
            const char *shards[4];
            char paths[6][128];
            for (int i = 0; i < 6; i++)
                snprintf(paths[i], sizeof(paths[i]), "%s/%s/%d.db", folder, name, i);
            for (unsigned i = 0; i < count; i++)
                shards[i] = paths[i];
            make_shards(kinds[kind], count, shards);
            make_session(paths[4], &(struct make){.seed = 7});
            merge_good(paths[5], shards, count, false, NULL);
            check_same(paths[4], paths[5]);
        }
    }
}

// What was found around a crash goes with it, into the whole and into a copy.
TEST_IN(test_evidence_stays, make_folder, remove_folder)
{
    const char *shards[] = {in_folder("a"), in_folder("b")}, *out = in_folder("out"),
               *copy = in_folder("copy");
    OWNED(text_free) struct text got = {0};
    make_shards(STORE_SHARD_RUNS, 2, shards);
    edit_store(shards[1], "UPDATE result SET result = 'crash' WHERE name GLOB 'scan*';"
                          "INSERT INTO evidence SELECT id, 'last-words', 'abort' FROM result"
                          " WHERE result = 'crash'");
    merge_good(out, shards, 2, false, NULL);
    merge_good(copy, &out, 1, false, NULL);
    print(copy,
          "SELECT name, r.result, kind, text FROM evidence e JOIN result r ON r.id = e.result",
          &got);
    assert_string_equal(got.data, "scan.c@workgroup=128|crash|last-words|abort|\n");
}

TEST_IN(test_order_and_missing_shards, make_folder, remove_folder)
{
    const char *shards[4] = {in_folder("0"), in_folder("1"), in_folder("2"), in_folder("3")};
    const char *whole = in_folder("whole"), *once = in_folder("once"), *out = in_folder("out");
    make_shards(STORE_SHARD_RUNS, 4, shards);
    make_session(whole, &(struct make){.seed = 7});
    merge_good(once, shards, 4, false, "shards 0, 1, 2, 3 of 4");
    const char *first[] = {shards[3], shards[1]};
    merge_good(out, first, 2, false, "missing 0, 2");
    assert_int_equal(number(out, "SELECT count(*) FROM session"), 3);
    assert_int_equal(number(out, "SELECT finished FROM session ORDER BY id DESC"), 0);
    assert_int_equal(number(out, "SELECT runs FROM result ORDER BY id DESC"), 60);
    assert_int_equal(number(out, "SELECT first FROM result ORDER BY id DESC"), 30);
    merge_good(out, &shards[2], 1, false, "missing 0");
    merge_good(out, first, 2, false, NULL); // which are there
    merge_good(out, shards, 1, false, "of 4");
    assert_int_equal(number(out, "SELECT count(*) FROM session"), 1);
    check_same(out, whole);
    // The same shards have the same identity, however they came together.
    struct text left = {0}, right = {0};
    print(out, "SELECT uuid, options FROM session", &left);
    print(once, "SELECT uuid, options FROM session", &right);
    assert_string_equal(left.data, right.data);
    text_free(&left);
    text_free(&right);
    // What is there is not added again, in whatever form it comes.
    size_t before, after;
    OWNED(lit_free) char *old = read_file(out, &before);
    const char *again[] = {shards[0], once, out, shards[2]};
    merge_good(out, again, 4, false, NULL);
    OWNED(lit_free) char *new = read_file(out, &after);
    assert_int_equal(before, after);
    assert_memory_equal(old, new, before);
}

TEST_IN(test_parts_of_wholes, make_folder, remove_folder)
{
    const char *shards[4] = {in_folder("0"), in_folder("1"), in_folder("2"), in_folder("3")};
    const char *left = in_folder("left"), *right = in_folder("right");
    const char *out = in_folder("out"), *whole = in_folder("whole");
    make_shards(STORE_SHARD_RUNS, 4, shards);
    make_session(whole, &(struct make){.seed = 7});
    merge_good(left, &shards[0], 2, false, NULL);
    merge_good(right, &shards[2], 2, false, NULL);
    const char *both[] = {left, right};
    merge_good(out, both, 2, false, "of 4");
    check_same(out, whole);
    // The whole comes to where some of its shards are.
    merge_good(left, &out, 1, false, NULL);
    check_same(left, whole);
}

TEST_IN(test_unfinished_shards_wait, make_folder, remove_folder)
{
    const char *out = in_folder("out"), *a = in_folder("a"), *b = in_folder("b");
    const char *c = in_folder("c"), *whole = in_folder("whole");
    struct make make = {
        .uuid = "000000000000000a", .seed = 7, .shard = STORE_SHARD_RUNS, .count = 2};
    make_session(a, &make);
    make.index = 1;
    make.uuid = "000000000000000b";
    make.unfinished = true;
    make.done = 40;
    make_session(b, &make);
    make.unfinished = false;
    make.done = 0;
    make_session(c, &make);
    make_session(whole, &(struct make){.seed = 7});
    const char *first[] = {a, b}, *second[] = {c};
    merge_good(out, first, 2, false, "is not finished");
    merge_good(out, second, 1, false, "shards 0, 1 of 2");
    check_same(out, whole);
}

TEST_IN(test_sessions_that_grew, make_folder, remove_folder)
{
    const char *out = in_folder("out"), *young = in_folder("young"), *old = in_folder("old");
    struct make make = {.uuid = "000000000000000a", .seed = 7, .unfinished = true, .done = 40};
    make_session(young, &make);
    make_session(old, &(struct make){.uuid = "000000000000000a", .seed = 7});
    const char *both[] = {old, young};
    merge_good(out, &young, 1, false, NULL);
    check_same(out, young);
    merge_good(out, &old, 1, false, NULL);
    check_same(out, old);
    merge_good(out, &young, 1, false, NULL);
    merge_good(out, both, 2, false, NULL);
    check_same(out, old);
}

TEST_IN(test_copies_that_parted, make_folder, remove_folder)
{
    const char *out = in_folder("out"), *a = in_folder("a"), *b = in_folder("b");
    struct make make = {
        .uuid = "000000000000000a", .seed = 7, .shard = STORE_SHARD_TESTS, .count = 2};
    make_session(a, &make);
    make.index = 1;
    make_session(b, &make);
    const char *both[] = {a, b};
    merge_bad(out, both, 2, false, "resumed apart");
}

TEST_IN(test_what_does_not_belong_together, make_folder, remove_folder)
{
    static const char hash[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    const struct make base = {
        .uuid = "000000000000000a", .seed = 7, .shard = STORE_SHARD_RUNS, .count = 2};
    struct {
        const char *part;
        struct make other;
    } cases[] = {
        {"module (none) and 0123456789ab...", base},
        {"stress (none) and heavy", base},
        {"width 0.001", base},
        {"expectation contested and forbidden", base},
        {"different devices or drivers", base},
        {"two sessions are shard 0 of 2", base},
    };
    cases[0].other.sha256 = hash;
    cases[1].other.stress = "heavy";
    cases[2].other.rule = "width 0.001";
    cases[3].other.expectation = "forbidden";
    cases[4].other.driver = "1.3";
    const char *out = in_folder("out"), *kept = in_folder("kept");
    make_session(kept, &(struct make){.seed = 1});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *pair[] = {in_folder("left"), in_folder("right")};
        cases[i].other.index = i < 5;
        cases[i].other.uuid = "000000000000000b";
        make_session(pair[0], &base);
        make_session(pair[1], &cases[i].other);
        merge_bad(out, pair, 2, false, cases[i].part);
        merge_bad(kept, pair, 2, false, cases[i].part);
        unlink(pair[0]);
        unlink(pair[1]);
    }
}

TEST_IN(test_other_runs_stay_apart, make_folder, remove_folder)
{
    const char *pair[] = {in_folder("left"), in_folder("right")}, *out = in_folder("out");
    struct make make = {
        .uuid = "000000000000000a", .seed = 7, .shard = STORE_SHARD_RUNS, .count = 2};
    make_session(pair[0], &make);
    make.uuid = "000000000000000b";
    make.index = 1;
    make.options = "{\"all\":true,\"shuffle\":true}";
    make_session(pair[1], &make);
    merge_good(out, pair, 2, false, "missing");
    assert_int_equal(number(out, "SELECT max(runs) FROM result"), RUNS / 2);
}

TEST_IN(test_sum, make_folder, remove_folder)
{
    const char *days[] = {in_folder("a"), in_folder("b"), in_folder("c")}, *out = in_folder("out");
    for (unsigned i = 0; i < 3; i++) {
        char uuid[17], started[32];
        snprintf(uuid, sizeof uuid, "%016x", 10 + i);
        snprintf(started, sizeof started, "2026-11-%uT00:00:00Z", 21 + i);
        make_session(days[i], &(struct make){.uuid = uuid, .seed = 1 + i, .started = started});
    }
    struct eng_count want = {0};
    for (uint64_t seed = 1; seed <= 3; seed++) {
        OWNED(eng_result_clear) struct result day = {0};
        measure(&day, 0, RUNS, seed, 1);
        want.first_run_failed |= day.first_run_failed;
        want.failed_runs += day.failed_runs;
        want.no_progress_runs += day.no_progress_runs;
        want.outcomes[2] += day.outcomes[2];
    }
    merge_good(out, days, 2, true, "the sum of 2 sessions");
    const char *more[] = {out, days[2]};
    merge_good(out, more, 2, true, "the sum of 3 sessions");
    merge_good(out, more, 2, true, "no two");
    merge_good(out, days, 3, false, NULL);
    assert_int_equal(number(out, "SELECT count(*) FROM session"), 1);
    assert_int_equal(number(out, "SELECT runs FROM session"), 3 * RUNS);
    assert_int_equal(number(out, "SELECT runs FROM result WHERE name GLOB 'shuffle.b*'"), 3 * RUNS);
    assert_int_equal(number(out, "SELECT failed_runs FROM result WHERE name GLOB 'shuffle.b*'"),
                     want.failed_runs);
    assert_int_equal(
        number(out, "SELECT no_progress_runs FROM result WHERE name GLOB 'shuffle.b*'"),
        want.no_progress_runs);
    assert_int_equal(number(out,
                            "SELECT o.instances FROM outcome o JOIN result r ON r.id = o.result"
                            " WHERE name GLOB 'shuffle.b*' AND outcome = 2"),
                     want.outcomes[2]);
    assert_int_equal(number(out, "SELECT count(DISTINCT process) FROM part JOIN result r"
                                 " ON r.id = part.result WHERE name GLOB 'shuffle.b*'"),
                     12);
    assert_int_equal(number(out, "SELECT sum(part.runs) FROM part JOIN result r"
                                 " ON r.id = part.result WHERE name GLOB 'shuffle.b*'"),
                     3 * RUNS);
}

TEST_IN(test_sums_that_are_none, make_folder, remove_folder)
{
    static const char hash[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    struct {
        const char *part;
        struct make other;
    } cases[] = {
        {"same experiment twice", {.seed = 1}},
        {"options differ", {.seed = 2, .options = "{\"validation\":true}"}},
        {"module (none) and 0123456789ab...", {.seed = 2, .sha256 = hash}},
        {"stress (none) and heavy", {.seed = 2, .stress = "heavy"}},
        {"decided 0.01", {.seed = 2, .rule = "decided 0.01"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *pair[] = {in_folder("left"), in_folder("right")}, *out = in_folder("out");
        make_session(pair[0], &(struct make){.seed = 1, .uuid = "000000000000000a"});
        cases[i].other.uuid = "000000000000000b";
        make_session(pair[1], &cases[i].other);
        merge_bad(out, pair, 2, true, cases[i].part);
        unlink(pair[0]);
        unlink(pair[1]);
    }
}

TEST_IN(test_inputs_that_are_none, make_folder, remove_folder)
{
    const char *good = in_folder("good"), *out = in_folder("out");
    const char *pair[] = {good, in_folder("bad")};
    make_session(good, &(struct make){.seed = 1});
    merge_bad(out, pair, 2, false, "no such file");
    static const char report[] = "{\"schema\":\"litmus-report/1\"}";
    FILE *file = fopen(pair[1], "we");
    fputs(report, file);
    fclose(file);
    merge_bad(out, pair, 2, false, "JSON report");
    unlink(pair[1]);
    make_session(pair[1], &(struct make){.seed = 2});
    edit_store(pair[1], "PRAGMA ignore_check_constraints = 1;"
                        "UPDATE result SET failed_runs = runs + 1 WHERE name GLOB 'scan*'");
    merge_bad(out, pair, 2, false, "damaged");
    merge_bad(good, pair, 2, false, "damaged");
}
