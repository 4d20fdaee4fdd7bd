// SPDX-License-Identifier: Apache-2.0
// What searches for stress have tried, written and read back; what they found; and what a store
// from someone else can hold instead.
#include "store/store.h"

#include "unit.h"

#include "edit.h"

#include <unistd.h>

static char path[64];
static const struct dev_facts facts = {.name = "Example", .type = "cpu", .subgroup = 32};

static int64_t begin(struct store *store)
{
    struct store_session session = {.version = "1",
                                    .command = "litmus tune",
                                    .started = "2026-11-21T02:09:00Z",
                                    .system = "none",
                                    .options = "{}",
                                    .finished = true};
    assert_true(store_session_begin(store, &session, NULL));
    assert_true(store_device_put(store, session.id, 1, &facts, "device", NULL));
    return session.id;
}

static void put(struct store *store, int64_t session, char *id, char *name, char *stress,
                uint64_t failed)
{
    assert_true(store_tuning_put(store, session,
                                 &(struct result){.device_id = id,
                                                  .name = name,
                                                  .sha256 = "abc",
                                                  .stress = stress,
                                                  .runs = 100,
                                                  .failed_runs = failed,
                                                  .no_progress_runs = 1,
                                                  .seconds = 0.5},
                                 NULL));
}

static void put_result(struct store *store, int64_t session, char *id, char *name, char *stress)
{
    OWNED(cfg_clear) struct cfg cfg = cfg_parse(name);
    const struct result result = {.cfg = cfg,
                                  .device_id = id,
                                  .expectation = CAT_CONTROL,
                                  .sha256 = "abc",
                                  .mode = &(struct cat_mode){0},
                                  .stress = stress,
                                  .count = {.runs = 50}};
    assert_true(store_result_put(store, session, &result, NULL));
}

static char seen[1024];

static bool note(const struct result *tuning, void *user)
{
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s[%s] %d of %d; ", tuning->name,
             tuning->stress, (int)tuning->failed_runs, (int)tuning->runs);
    return true;
}

TEST(tries_and_what_was_found)
{
    char id[DEV_ID_SIZE];
    dev_facts_id(&facts, id);
    strcpy(path, "/tmp/litmus-tuning-XXXXXX");
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    unlink(path);
    struct store *store = store_open(path, &error);
    assert_non_null(store);

    const int64_t first = begin(store), second = begin(store), plain = begin(store);
    put(store, first, id, "a.b", "", 1);
    put(store, first, id, "a.b", "slices=2", 7);
    put(store, first, id, "a.b", "", 3); // replaces
    put_result(store, first, id, "a.b", "slices=2");
    put(store, second, id, "a.b", "offset=256", 8);
    put_result(store, second, id, "a.b", "offset=256");
    put_result(store, second, id, "not.searched", "offset=512");
    put_result(store, plain, id, "a.b", "offset=1024"); // of a run, not of a search

    seen[0] = '\0';
    assert_true(store_tunings(store, first, note, NULL, &error));
    assert_string_equal(seen, "a.b[] 3 of 100; a.b[slices=2] 7 of 100; ");
    seen[0] = '\0';
    assert_true(store_tuned(store, note, NULL, &error));
    assert_string_equal(seen, "a.b[offset=256] 0 of 50; a.b[slices=2] 0 of 50; ");

    // A device that is not of the session is no device.
    assert_false(store_tuning_put(
        store, first,
        &(struct result){
            .device_id = "0000000000000000", .name = "a.b", .sha256 = "", .stress = "", .runs = 1},
        &error));
    store_close(&store);

    // A store is a file: seconds that are no number are not believed.
    edit_store(path, "UPDATE tuning SET seconds = 9e999");
    store = store_open_read(path, &error);
    assert_non_null(store);
    must_fail("", store_tunings(store, first, note, NULL, &error));
    assert_int_equal(error.code, LIT_EXIT_USAGE);
    store_close(&store);
    unlink(path);
}
