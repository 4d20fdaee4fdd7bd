// SPDX-License-Identifier: Apache-2.0
// Code in the store: written, replaced, read back, copied to another store; and what a store from
// someone else can hold instead.
#include "isa/code.h"
#include "store/store.h"

#include "store/merge.h"

#include "unit.h"

#include "edit.h"

#include "folder.h"

#include <unistd.h>

static const struct dev_facts facts = {.name = "Example", .type = "cpu", .subgroup = 32};
static char id[DEV_ID_SIZE], path[128], other[128];

static struct store *open_store(const char *file)
{
    struct store *store = store_open(file, &error);
    must(store);
    return store;
}

static int64_t begin(struct store *store)
{
    struct store_session session = {.uuid = "0123456789abcdef",
                                    .version = "1",
                                    .command = "litmus run",
                                    .started = "2026-11-21T02:09:00Z",
                                    .system = "none",
                                    .options = "{}",
                                    .finished = true};
    dev_facts_id(&facts, id);
    snprintf(path, sizeof path, "%s/a.db", folder);
    snprintf(other, sizeof other, "%s/b.db", folder);
    assert_true(store_session_begin(store, &session, NULL));
    assert_true(store_device_put(store, session.id, 1, &facts, "device", NULL));
    return session.id;
}

static void put(struct store *store, int64_t session, const char *name, const char *listing)
{
    OWNED(isa_code_clear) struct isa_code code = {0};
    isa_add_statistic(&code, "Registers", "", "7");
    if (listing)
        isa_add_piece(&code, ISA_MACHINE, "SASS", "", listing, strlen(listing));
    isa_add_piece(&code, ISA_CACHE, "cache", "", "blob", 4);
    assert_true(store_code_put(store, session, id, name, "abc", &code, NULL));
}

static char seen[1024];

static bool note(const char *device, const char *name, struct isa_code *code, void *user)
{
    int *left = user;
    const struct isa_piece *lowest = isa_lowest(code);
    assert_string_equal(device, id);
    assert_string_equal(code->statistics[0].value, "7");
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s: %s, %zu; ", name,
             lowest ? lowest->bytes : "none", code->piece_count);
    return !left || --*left > 0;
}

static void check(struct store *store, int64_t session, const char *name, int *left,
                  const char *wanted)
{
    seen[0] = '\0';
    must(store_codes(store, session, NULL, name, note, left, &error));
    assert_string_equal(seen, wanted);
}

static int set_up(void **state)
{
    const int failed = make_folder(state);
    snprintf(path, sizeof path, "%s/a.db", folder);
    snprintf(other, sizeof other, "%s/b.db", folder);
    return failed;
}

TEST_IN(test_written_and_read, set_up, remove_folder)
{
    int one = 1;
    OWNED(store_close) struct store *store = open_store(path);
    const int64_t session = begin(store);
    put(store, session, "b", "old");
    put(store, session, "a", NULL);
    put(store, session, "b", "0123456789abcdef");
    // Where the machine code is known the blob is not kept; where it is not, it is.
    check(store, session, NULL, NULL, "b: 0123456789abcdef, 1; a: none, 1; ");
    check(store, session, "b", NULL, "b: 0123456789abcdef, 1; ");
    check(store, session, "c", NULL, "");
    check(store, session, NULL, &one, "b: 0123456789abcdef, 1; ");
    check(store, session + 1, NULL, NULL, "");
}

static bool merge(const char *from, const char *to, struct lit_error *error)
{
    const struct store_merge_plan plan = {.output = to, .inputs = &from, .input_count = 1};
    struct store_merge_done done;
    const bool good = store_merge(&plan, &done, error);
    text_free(&done.notes);
    return good;
}

static void check_file(const char *file, const char *wanted)
{
    OWNED(store_close) struct store *store = store_open_read(file, &error);
    must(store);
    check(store, 1, NULL, NULL, wanted);
}

TEST_IN(test_merged, set_up, remove_folder)
{
    struct store *store = open_store(path);
    int64_t session = begin(store);
    put(store, session, "x", "0123");
    put(store, session, "a", "4567");
    store_close(&store);
    assert_true(merge(path, other, &error));
    check_file(other, "x: 0123, 1; a: 4567, 1; ");
    // What is there already stays.
    store = open_store(path);
    put(store, session, "x", "89ab");
    store_close(&store);
    assert_true(merge(path, other, &error));
    check_file(other, "x: 0123, 1; a: 4567, 1; ");
}

TEST_IN(test_damaged, set_up, remove_folder)
{
    static const char *const damages[] = {
        "UPDATE code SET packed = x''",
        "UPDATE code SET packed = x'28b52ffd2000010000'",
        "UPDATE code SET packed = substr(packed, 1, length(packed) - 3)",
        "UPDATE code SET packed = CAST(packed || x'00' AS BLOB)",
        "UPDATE code SET digest = '0123456789abcdef'",
    };
    struct store *store = open_store(path);
    const int64_t session = begin(store);
    put(store, session, "x\n", "0123");
    store_close(&store);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        edit_store(path, "CREATE TABLE IF NOT EXISTS kept AS SELECT packed FROM code");
        edit_store(path, damages[i]);
        store = open_store(path);
        must_fail("the code of x?", store_codes(store, session, NULL, NULL, note, NULL, &error));
        store_close(&store);
        must_fail("the code of x?", merge(path, other, &error));
        assert_int_equal(access(other, F_OK), -1);
        edit_store(path, "UPDATE code SET packed = (SELECT packed FROM kept)");
    }
}
