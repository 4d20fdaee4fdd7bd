// SPDX-License-Identifier: Apache-2.0
// The machine dies at each write, sync and change of a name of what is done to a store. Of what was
// not synced by then the disk has none, all, some, some in another order, or torn parts. After each
// the store opens as usual, is whole, has all that was committed, and what goes on from there ends
// with the same content as what nothing happened to.
//
//     crash          some hundreds of crashes; with LITMUS_FULL=1 longer work, more seeds
#define UNIT_MAIN
#include "disk.h"

#include "base/file.h"
#include "base/text.h"
#include "store/merge.h"
#include "store/private.h"

#include "unit.h"

#include <dirent.h>
#include <fnmatch.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEPS_MOST 400
#define WRONG_MOST 5 // told of each work

// How the store is opened by SQLite, whatever the program asks for.
static struct {
    bool off;        // synchronous=OFF: nothing is synced
    bool journal;    // a rollback journal, as where there is no shared memory for a log
    bool checkpoint; // every few pages, so that the log is moved while work goes on
} how;

static bool is_full;
static char root[64];

// Work: steps, each of which can be done again.

struct place {
    char folder[200];
    struct store *store;
    int64_t session;
};

struct work {
    const char *name;
    size_t steps;
    void (*prepare)(struct place *place); // before the first step; not crashed
    bool (*step)(struct place *place, size_t step, struct lit_error *error);
    // NULL: what a store says. The text is empty, and not NULL, where there is nothing.
    bool (*look)(struct place *place, struct text *text, struct lit_error *error);
    const char *file;        // the store
    const char *const *left; // patterns of what may be there at the end, NULL at its end
};

static const char *path_in(const struct place *place, const char *name)
{
    static char paths[8][500];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", place->folder, name);
    return path;
}

// Folders

static void make_place(struct place *place, const char *name)
{
    *place = (struct place){0};
    snprintf(place->folder, sizeof place->folder, "%s/%s", root, name);
    if (mkdir(place->folder, 0700) != 0)
        fail_msg("%s cannot be made", place->folder);
}

static bool is_expected(const struct work *work, const char *name)
{
    for (const char *const *left = work->left; *left; left++)
        if (fnmatch(*left, name, 0) == 0)
            return true;
    return false;
}

// Empties and removes it. False with an error if there is something in it that nobody wants.
static bool remove_place(struct place *place, const struct work *work, struct lit_error *error)
{
    bool good = true;
    store_close(&place->store);
    DIR *folder = opendir(place->folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        if (work && !is_expected(work, entry->d_name))
            good = lit_fail(error, LIT_EXIT_USAGE, "%.100s is left", entry->d_name);
        unlink(path_in(place, entry->d_name));
    }
    closedir(folder);
    rmdir(place->folder);
    return good;
}

// What SQLite does when it opens a database, before the program has its turn.

static int authorize(void *user, int action, const char *name, const char *value,
                     const char *database, const char *trigger)
{
    if (action != SQLITE_PRAGMA || !value)
        return SQLITE_OK;
    const bool kept = (how.off && strcmp(name, "synchronous") == 0) ||
                      (how.journal && strcmp(name, "journal_mode") == 0);
    return kept ? SQLITE_IGNORE : SQLITE_OK;
}

static int on_open(sqlite3 *db, char **message, const void *api)
{
    if (how.off)
        sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
    sqlite3_set_authorizer(db, authorize, NULL);
    return SQLITE_OK;
}

// Sessions

static const struct dev_facts facts[] = {
    {.name = "Example GPU", .driver_version = "1.2", .type = "discrete", .subgroup = 32},
    {.name = "Other GPU", .driver_version = "1.3", .type = "integrated", .subgroup = 64},
};
#define DEVICES (sizeof facts / sizeof *facts)

static bool begin(struct store *store, unsigned number, int64_t *id, struct lit_error *error)
{
    char uuid[17], started[32];
    snprintf(uuid, sizeof uuid, "%016x", number);
    snprintf(started, sizeof started, "2026-11-21T02:09:%02uZ", number % 60);
    struct store_session session = {.version = "1.0",
                                    .command = "litmus run --all",
                                    .started = started,
                                    .system = "Linux",
                                    .options = "{\"all\":true}",
                                    .seed = number,
                                    .runs = 1000,
                                    .uuid = uuid};
    const bool good = store_session_begin(store, &session, error);
    *id = session.id;
    return good;
}

static bool put(struct store *store, int64_t session, size_t number, uint64_t batches,
                struct lit_error *error)
{
    char name[64], id[DEV_ID_SIZE];
    dev_facts_id(&facts[number % DEVICES], id);
    snprintf(name, sizeof name, "shuffle.test-%zu@workgroup=64,subgroup=32", number);
    OWNED(cfg_clear) struct cfg cfg = {0};
    struct eng_failure failure = {.at = {.run = 3, .instance = 7, .outcome = 5}, .where = "lane 1"};
    struct eng_part parts[ENG_MAX_PARTS];
    cfg = cfg_parse(name);
    struct result result = {
        .cfg = cfg,
        .device_id = id,
        .result = ENG_FAIL,
        .reason = "",
        .expectation = CAT_FORBIDDEN,
        .sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        .headline = "",
        .stress = "",
        .rule = "",
        .seed = number,
        .mode = &(struct cat_mode){.check = CAT_CHECK_TAG},
        .count = {.runs = 10 * batches,
                  .failed_runs = batches,
                  .instances = 1000 * batches,
                  .failed_instances = batches,
                  .outcomes = {[0] = 999 * batches, [5] = batches},
                  .failure_count = 1,
                  .seconds = 0.25},
        .failures = &failure,
        .pieces = parts,
        .piece_count = batches,
    };
    for (uint64_t i = 0; i < batches; i++)
        parts[i] = (struct eng_part){.process = (uint32_t)i, .runs = 10, .failed_runs = 1};
    return store_result_put(store, session, &result, error);
}

static bool open_store(struct place *place, const char *name, struct lit_error *error)
{
    struct store_session session;
    struct lit_error none;
    if (place->store)
        return true;
    place->store = store_open(path_in(place, name), error);
    if (!place->store)
        return false;
    if (how.checkpoint)
        sqlite3_wal_autocheckpoint(place->store->db, 6);
    if (store_session_load(place->store, 0, false, &session, &none)) {
        place->session = session.id;
        store_session_clear(&session);
    }
    return true;
}

// A run: begins, names its devices, stores each result batch by batch, and is finished. In the full
// form with more batches.

#define RESULTS 4

static uint64_t batches(void)
{
    return is_full ? 6 : 2;
}

static size_t run_steps(void)
{
    return 1 + DEVICES + RESULTS * batches() + 2;
}

static bool run_step(struct place *place, size_t step, struct lit_error *error)
{
    const size_t results = RESULTS * batches();
    if (!open_store(place, "litmus.db", error))
        return false;
    if (step == 0)
        return begin(place->store, 1, &place->session, error);
    step -= 1;
    if (step < DEVICES)
        return store_device_put(place->store, place->session, (unsigned)step + 1, &facts[step],
                                "device", error);
    step -= DEVICES;
    if (step < results)
        return put(place->store, place->session, step / batches(), 1 + step % batches(), error);
    if (step == results)
        return store_session_finish(place->store, place->session, error);
    store_close(&place->store);
    return true;
}

static const char *const run_files[] = {"litmus.db", NULL};

// The same run, gone on with after its process was killed: the log is still there.

static size_t resumed(void)
{
    return run_steps() / 2;
}

// Not by lit_file_write, which writes no file of a store.
static void copy_file(const struct place *from, const struct place *to, const char *name)
{
    OWNED(text_free) struct text bytes = {0};
    assert_true(text_read(&bytes, path_in(from, name), SIZE_MAX / 2));
    FILE *file = fopen(path_in(to, name), "wb");
    assert_true(file && fwrite(bytes.data, 1, bytes.length, file) == bytes.length);
    assert_int_equal(fclose(file), 0);
}

static void resume_prepare(struct place *place)
{
    struct place killed;
    make_place(&killed, "killed");
    for (size_t i = 0; i < resumed(); i++)
        must(run_step(&killed, i, &error));
    copy_file(&killed, place, "litmus.db");
    copy_file(&killed, place, "litmus.db-wal");
    remove_place(&killed, NULL, NULL);
}

static bool resume_step(struct place *place, size_t step, struct lit_error *error)
{
    return run_step(place, step + resumed(), error);
}

// A merge into a store that has one of the sessions.

static void make_input(struct place *place, const char *name, unsigned number)
{
    int64_t id = 0;
    OWNED(store_close) struct store *store = store_open(path_in(place, name), &error);
    must(store && begin(store, number, &id, &error));
    for (size_t i = 0; i < DEVICES; i++)
        must(store_device_put(store, id, (unsigned)i + 1, &facts[i], "device", &error));
    for (size_t i = 0; i < RESULTS; i++)
        must(put(store, id, i, number, &error));
    must(store_session_finish(store, id, &error));
}

static bool merge(struct place *place, const char *const *inputs, size_t count,
                  struct lit_error *error)
{
    char *paths[2] = {0};
    for (size_t i = 0; i < count; i++)
        paths[i] = lit_strdup(path_in(place, inputs[i]));
    const struct store_merge_plan plan = {.output = path_in(place, "all.db"),
                                          .inputs = (const char *const *)paths,
                                          .input_count = count};
    struct store_merge_done done;
    const bool good = store_merge(&plan, &done, error);
    text_free(&done.notes);
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    return good;
}

static const char *const inputs[] = {"one.db", "two.db"};

static void merge_prepare(struct place *place)
{
    make_input(place, "one.db", 1);
    make_input(place, "two.db", 2);
    must(merge(place, inputs, 1, &error));
}

static bool merge_step(struct place *place, size_t step, struct lit_error *error)
{
    return merge(place, inputs, 2, error);
}

static const char *const merge_files[] = {"all.db", "one.db", "two.db", NULL};

// A report is written, and replaced.

static bool file_step(struct place *place, size_t step, struct lit_error *error)
{
    char bytes[20000];
    memset(bytes, 'a' + (int)step, sizeof bytes);
    return lit_file_write(path_in(place, "report.json"), bytes, sizeof bytes - 1000 * step, error);
}

static bool file_look(struct place *place, struct text *text, struct lit_error *error)
{
    text_puts(text, "");
    text_read(text, path_in(place, "report.json"), SIZE_MAX / 2); // or there is none
    return true;
}

// One that is left under its other name when the power goes stays.
static const char *const file_files[] = {"report.json", "report.json.*", NULL};

// What a store says

static bool put_device(struct eng_device *device, void *user)
{
    text_printf(user, "  %u %s %s %s\n", device->number, device->facts.name,
                device->facts.driver_version, device->checker);
    return true;
}

static bool put_result(struct result *result, void *user)
{
    const struct eng_count *count = &result->count;
    text_printf(
        user, "  %s %s %s %ju of %ju, %ju of %ju, %ju %ju, %zu failures, %zu parts:", result->name,
        result->device_id, eng_result_name(result->result), (uintmax_t)count->failed_runs,
        (uintmax_t)count->runs, (uintmax_t)count->failed_instances, (uintmax_t)count->instances,
        (uintmax_t)count->outcomes[0], (uintmax_t)count->outcomes[5], count->failure_count,
        result->piece_count);
    for (size_t i = 0; i < result->piece_count; i++)
        text_printf(user, " %ju", (uintmax_t)result->pieces[i].runs);
    text_puts(user, "\n");
    return true;
}

static bool describe(struct store *store, struct text *text, struct lit_error *error)
{
    text_puts(text, "");
    for (int64_t id = 1; id <= 3; id++) {
        OWNED(store_session_clear) struct store_session session = {0};
        struct lit_error none;
        if (!store_session_load(store, id, false, &session, &none))
            continue;
        text_printf(text, "session %s, seed %ju%s\n", session.uuid, (uintmax_t)session.seed,
                    session.finished ? ", finished" : "");
        if (!store_devices(store, id, put_device, text, error) ||
            !store_results(store, id, put_result, text, error))
            return false;
    }
    return true;
}

static bool check_integrity(const char *path, struct lit_error *error)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *select = NULL;
    const bool good =
        sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &select, NULL) == SQLITE_OK &&
        sqlite3_step(select) == SQLITE_ROW &&
        strcmp((const char *)sqlite3_column_text(select, 0), "ok") == 0;
    if (!good)
        lit_fail(error, LIT_EXIT_USAGE, "integrity_check: %.200s",
                 select ? (const char *)sqlite3_column_text(select, 0) : sqlite3_errmsg(db));
    sqlite3_finalize(select);
    sqlite3_close(db);
    return good;
}

// What the file holds, opened as a run opens it.
static bool look(const struct work *work, struct place *place, struct text *text,
                 struct lit_error *error)
{
    if (work->look)
        return work->look(place, text, error);
    return open_store(place, work->file, error) && describe(place->store, text, error) &&
           check_integrity(path_in(place, work->file), error);
}

// What happens

struct history {
    struct text states[STEPS_MOST + 1]; // after so many steps
    size_t first;                       // event of the work
};

static void free_history(struct history *history)
{
    for (size_t i = 0; i <= STEPS_MOST; i++)
        text_free(&history->states[i]);
}

// Does the work twice: to see what the store says after each step, and to note what is written.
static void do_work(const struct work *work, struct history *history)
{
    struct place place;
    assert_true(work->steps <= STEPS_MOST);
    make_place(&place, "states");
    if (work->prepare)
        work->prepare(&place);
    for (size_t i = 0; i <= work->steps; i++) {
        must(look(work, &place, &history->states[i], &error));
        if (work->steps == 1)
            store_close(&place.store);
        must(i == work->steps || work->step(&place, i, &error));
    }
    remove_place(&place, NULL, NULL);

    make_place(&place, "noted");
    if (work->prepare)
        work->prepare(&place);
    disk_watch(place.folder);
    history->first = disk_events();
    for (size_t i = 0; i < work->steps; i++) {
        must(work->step(&place, i, &error));
        disk_mark();
    }
    disk_stop();
    remove_place(&place, NULL, NULL);
}

// From what a crash left. False with an error.
static bool go_on(const struct work *work, const struct history *history, struct place *place,
                  size_t marks, struct lit_error *error)
{
    struct text now = {0};
    bool good = look(work, place, &now, error);
    size_t step = marks;
    if (good && strcmp(now.data, history->states[step].data) != 0) {
        step += step < work->steps;
        good = strcmp(now.data, history->states[step].data) == 0 ||
               lit_fail(error, LIT_EXIT_USAGE, "%s after step %zu",
                        strlen(now.data) < strlen(history->states[marks].data)
                            ? "what was committed is lost"
                            : "another content",
                        marks);
    }
    text_free(&now);
    if (work->steps == 1)
        store_close(&place->store);
    for (; good && step < work->steps; step++)
        good = work->step(place, step, error);
    good = good && look(work, place, &now, error) &&
           (strcmp(now.data, history->states[work->steps].data) == 0 ||
            lit_fail(error, LIT_EXIT_USAGE, "going on gives another content"));
    text_free(&now);
    return good;
}

// Whether a crash is tried: in the short form one fate at each event, and where fewer will do, at
// every fourth round of the fates.
static bool is_tried(size_t event, enum disk_fate fate)
{
    return is_full || (fate == event % DISK_FATES && !(unit_sampled() && event / DISK_FATES % 4));
}

// Returns how many crashes were not survived. Where the driver is to see a fault, the first one is
// enough.
static size_t crash(const struct work *work, const struct history *history, unsigned seeds,
                    bool sees)
{
    size_t tried = 0, wrong = 0;
    for (size_t event = history->first; event <= disk_events(); event++)
        for (enum disk_fate fate = DISK_NONE; fate < DISK_FATES; fate++)
            for (unsigned seed = 0; seed < (fate > DISK_ALL ? seeds : 1); seed++) {
                struct lit_error error = {0};
                struct place place;
                if (sees ? wrong > 0 : !is_tried(event, fate))
                    continue;
                make_place(&place, "left");
                disk_leave(place.folder, event, fate, seed);
                const bool good = go_on(work, history, &place, disk_marks(event), &error);
                // What was opened at the end is closed first: that is no part of the work.
                const bool clean = remove_place(&place, good ? work : NULL, &error);
                tried++;
                wrong += !good || !clean;
                if ((!good || !clean) && !sees && wrong <= WRONG_MOST)
                    print_message("%s, event %zu of %zu, %s, seed %u: %s\n", work->name,
                                  event - history->first, disk_events() - history->first,
                                  disk_fate_name(fate), seed, error.message);
            }
    print_message("%s: %zu writes, syncs and names, %zu crashes, %zu not survived\n", work->name,
                  disk_events() - history->first, tried, wrong);
    return wrong;
}

static size_t try_work(const struct work *work, unsigned seeds, bool sees)
{
    struct history history = {0};
    do_work(work, &history);
    const size_t wrong = crash(work, &history, seeds, sees);
    free_history(&history);
    disk_clear();
    return wrong;
}

static struct work a_run(const char *name)
{
    return (struct work){.name = name,
                         .steps = run_steps(),
                         .step = run_step,
                         .file = "litmus.db",
                         .left = run_files};
}

static struct work a_resumed_run(void)
{
    return (struct work){.name = "run --resume",
                         .steps = run_steps() - resumed(),
                         .prepare = resume_prepare,
                         .step = resume_step,
                         .file = "litmus.db",
                         .left = run_files};
}

static const struct work a_merge = {.name = "merge",
                                    .steps = 1,
                                    .prepare = merge_prepare,
                                    .step = merge_step,
                                    .file = "all.db",
                                    .left = merge_files};

static const struct work a_file = {
    .name = "report", .steps = 3, .step = file_step, .look = file_look, .left = file_files};

static unsigned seeds(void)
{
    return is_full ? 4 : 1;
}

static int reset(void **state)
{
    memset(&how, 0, sizeof how);
    disk_fault = DISK_RIGHT;
    return 0;
}

TEST_IN(test_run, reset, NULL)
{
    const struct work work = a_run("run");
    assert_int_equal(try_work(&work, seeds(), false), 0);
}

TEST_IN(test_run_with_checkpoints, reset, NULL)
{
    const struct work work = a_run("run, checkpoints");
    how.checkpoint = true;
    assert_int_equal(try_work(&work, seeds(), false), 0);
}

TEST_IN(test_run_with_a_journal, reset, NULL)
{
    const struct work work = a_run("run, rollback journal");
    how.journal = true;
    assert_int_equal(try_work(&work, seeds(), false), 0);
}

TEST_IN(test_resume, reset, NULL)
{
    const struct work work = a_resumed_run();
    how.checkpoint = true;
    assert_int_equal(try_work(&work, seeds(), false), 0);
}

TEST_IN(test_merge, reset, NULL)
{
    assert_int_equal(try_work(&a_merge, seeds(), false), 0);
}

TEST_IN(test_file, reset, NULL)
{
    assert_int_equal(try_work(&a_file, seeds(), false), 0);
}

// What the driver has to see, or its silence says nothing.

TEST_IN(test_sees_what_is_not_synced, reset, NULL)
{
    const struct work work = a_run("run, synchronous=OFF");
    how.off = true;
    assert_true(try_work(&work, 1, true) > 0);
}

TEST_IN(test_sees_a_file_that_is_not_synced, reset, NULL)
{
    disk_fault = DISK_SYNCS_NO_FILE;
    assert_true(try_work(&a_merge, 1, true) > 0);
    assert_true(try_work(&a_file, 1, true) > 0);
}

TEST_IN(test_sees_a_folder_that_is_not_synced, reset, NULL)
{
    disk_fault = DISK_SYNCS_NO_FOLDER;
    assert_true(try_work(&a_merge, 1, true) > 0);
    assert_true(try_work(&a_file, 1, true) > 0);
}

int main(void)
{
    const char *full = getenv("LITMUS_FULL");
    is_full = full && strcmp(full, "1") == 0;
    // In memory, where that can be: the disk is not what is tested.
    snprintf(root, sizeof root, "%s/litmus-crash-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(root))
        return 1;
    sqlite3_auto_extension((void (*)(void))on_open);
    const int failed = unit_run();
    rmdir(root);
    return failed;
}
