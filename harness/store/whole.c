// SPDX-License-Identifier: Apache-2.0
// Puts sessions together: devices, then results one by one.
#include "store/whole.h"

#include "store/fold.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct device {
    struct store_joined_device known; // name points into facts
    struct dev_facts facts;
    char *checker;
    size_t parts; // that have it
};

// A result that a part has.
struct entry {
    size_t part;
    unsigned number; // of the device, in the whole
    char device[17];
    char *name;
};

struct whole {
    struct store *store;
    const struct store_session *const *parts;
    size_t count;
    const struct store_joined *joined;
    struct store_session *session;
    struct device *devices;
    size_t device_count;
    struct entry *entries;
    size_t entry_count, entry_room, part;
    struct lit_error *error;
};

// "shard 3 of 4", or "the session of 2026-11-21T02:09:00Z".
static void put_part(const struct whole *whole, size_t part, struct text *text)
{
    if (whole->joined->shard)
        text_printf(text, "shard %ju of %ju", (uintmax_t)whole->parts[part]->shard_index,
                    (uintmax_t)whole->joined->count);
    else
        text_printf(text, "the session of %.40s", whole->parts[part]->started);
}

static bool refuse(const struct whole *whole, size_t part, const char *what, const char *why)
{
    struct text name = {0};
    put_part(whole, part, &name);
    lit_fail(whole->error, LIT_EXIT_USAGE,
             "%s cannot be added to those before it: %.230s: %.150s; nothing was written",
             name.data, what, why);
    text_free(&name);
    return false;
}

// Devices

static bool is_number_taken(const struct whole *whole, unsigned number)
{
    for (size_t i = 0; i < whole->device_count; i++)
        if (whole->devices[i].known.number == number)
            return true;
    return false;
}

static bool add_device(unsigned number, const struct dev_facts *facts, const char *checker,
                       void *user)
{
    struct whole *whole = user;
    char id[17];
    dev_facts_id(facts, id);
    for (size_t i = 0; i < whole->device_count; i++)
        if (strcmp(whole->devices[i].known.id, id) == 0) {
            whole->devices[i].parts++;
            return true;
        }
    // Numbers stay as they are while they are free.
    if (number > 1000000 || is_number_taken(whole, number))
        for (number = 1; is_number_taken(whole, number);)
            number++;
    whole->devices = lit_realloc(whole->devices, whole->device_count + 1, sizeof(*whole->devices));
    struct device *device = &whole->devices[whole->device_count++];
    *device = (struct device){.facts = *facts, .checker = lit_strdup(checker), .parts = 1};
    device->known.number = number;
    memcpy(device->known.id, id, sizeof(id));
    return true;
}

// Runs of one driver are not those of another: each part must have the same devices.
static bool check_devices(const struct whole *whole)
{
    for (size_t i = 0; i < whole->device_count; i++) {
        const struct device *device = &whole->devices[i];
        if (whole->joined->shard != STORE_SHARD_RUNS || device->parts == whole->count)
            continue;
        return lit_fail(whole->error, LIT_EXIT_USAGE,
                        "shards of runs were made on different devices or drivers: %.80s, driver "
                        "%.60s (%s) is in %zu of %zu; nothing was written",
                        device->facts.name, device->facts.driver_version, device->known.id,
                        device->parts, whole->count);
    }
    return true;
}

static bool collect_devices(struct whole *whole)
{
    for (size_t i = 0; i < whole->count; i++)
        if (!store_devices(whole->store, whole->parts[i]->id, add_device, whole, whole->error))
            return false;
    return check_devices(whole);
}

static bool write_devices(const struct whole *whole)
{
    bool good = true;
    for (size_t i = 0; good && i < whole->device_count; i++) {
        const struct device *device = &whole->devices[i];
        good = store_device_put(whole->store, whole->session->id, device->known.number,
                                &device->facts, device->checker, whole->error);
    }
    return good;
}

// The session's own row

// "a, b": what one field says in the parts, each once. `at` is its offset in struct store_session.
static char *join_field(const struct whole *whole, size_t at)
{
    struct text text = {0};
    for (size_t i = 0; i < whole->count; i++) {
        const char *value = *(char *const *)((const char *)whole->parts[i] + at);
        bool known = false;
        for (size_t j = 0; j < i && !known; j++)
            known = strcmp(value, *(char *const *)((const char *)whole->parts[j] + at)) == 0;
        if (!known)
            text_printf(&text, "%s%s", i > 0 ? ", " : "", value);
    }
    return text.data;
}

static bool begin(struct whole *whole)
{
    const struct store_session *first = whole->parts[0];
    struct store_joined_device *devices = lit_alloc(whole->device_count, sizeof(*devices));
    char uuid[17];
    store_joined_uuid(whole->joined, uuid);
    *whole->session = (struct store_session){
        .command = store_whole_command(first->command),
        .version = join_field(whole, offsetof(struct store_session, version)),
        .system = join_field(whole, offsetof(struct store_session, system)),
        .uuid = lit_strdup(uuid),
        .seed = first->seed,
        .runs = first->runs,
        .finished = !whole->joined->shard || whole->count == whole->joined->count,
    };
    const char *started = first->started;
    for (size_t i = 0; i < whole->count; i++) {
        const struct store_session *part = whole->parts[i];
        if (strcmp(part->started, started) < 0)
            started = part->started;
        if (i > 0 && !whole->joined->shard)
            whole->session->runs += part->runs;
    }
    for (size_t i = 0; i < whole->device_count; i++) {
        devices[i] = whole->devices[i].known;
        devices[i].name = whole->devices[i].facts.name;
    }
    whole->session->started = lit_strdup(started);
    whole->session->options =
        store_joined_write(first->options, whole->joined, devices, whole->device_count);
    free(devices);
    return store_session_begin(whole->store, whole->session, whole->error);
}

// Results

static unsigned number_of(const struct whole *whole, const char *device)
{
    for (size_t i = 0; i < whole->device_count; i++)
        if (strcmp(whole->devices[i].known.id, device) == 0)
            return whole->devices[i].known.number;
    return 0;
}

static bool collect_entries(struct whole *whole)
{
    sqlite3_stmt *select =
        store_prepare(whole->store,
                      "SELECT result.device, result.name FROM result LEFT JOIN device"
                      " ON device.session = result.session AND device.id = result.device"
                      " WHERE result.session = ? ORDER BY device.number, result.id",
                      whole->error);
    if (!select)
        return false;
    sqlite3_bind_int64(select, 1, whole->parts[whole->part]->id);
    bool orphan = false;
    int step;
    while ((step = sqlite3_step(select)) == SQLITE_ROW) {
        if (whole->entry_count == whole->entry_room) {
            whole->entry_room = whole->entry_room * 2 + 256;
            whole->entries =
                lit_realloc(whole->entries, whole->entry_room, sizeof(*whole->entries));
        }
        struct entry *entry = &whole->entries[whole->entry_count++];
        char *device = store_column_text(select, 0);
        if (number_of(whole, device) == 0)
            orphan = true;
        *entry = (struct entry){
            .part = whole->part,
            .number = number_of(whole, device),
            .name = store_column_text(select, 1),
        };
        strncpy(entry->device, device, sizeof(entry->device) - 1);
        free(device);
    }
    sqlite3_finalize(select);
    if (orphan)
        return store_damaged(whole->store, whole->error, "a result of no device");
    return step == SQLITE_DONE || store_fail(whole->store, whole->error);
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    int order = strcmp(a->name, b->name);
    return order ? order : a->part < b->part ? -1 : 1;
}

// Whether the results differ in what makes adding them senseless.
static bool check_agrees(const struct whole *whole, const struct entry *entry,
                         const struct store_result *sum, const struct store_result *more,
                         enum store_fold kind)
{
    struct text why = {0}, what = {0};
    bool good = whole->joined->shard != STORE_SHARD_TESTS;
    if (!good)
        text_puts(&why, "it is in another shard too");
    good = good && store_fold_agrees(sum, more, kind, &why);
    if (!good) {
        text_printf(&what, "%s (device %s)", entry->name, entry->device);
        refuse(whole, entry->part, what.data, why.data ? why.data : "");
    }
    text_free(&why);
    text_free(&what);
    return good;
}

static bool add_result(const struct whole *whole, const struct entry *entry)
{
    enum store_fold kind = whole->joined->shard ? STORE_FOLD_RUNS : STORE_FOLD_EXPERIMENTS;
    struct store_result more, sum;
    struct lit_error *error = whole->error;
    int64_t part = whole->parts[entry->part]->id, session = whole->session->id;
    if (!store_result_get(whole->store, part, entry->device, entry->name, &more, error))
        return error->message[0] ? false
                                 : lit_fail(error, LIT_EXIT_USAGE, "%s: the file is damaged",
                                            store_path(whole->store));
    bool there = store_result_get(whole->store, session, entry->device, entry->name, &sum, error);
    bool good = there || !error->message[0];
    if (there) {
        good = check_agrees(whole, entry, &sum, &more, kind);
        if (good)
            store_fold(&sum, &more, kind);
    }
    good = good && store_result_put(whole->store, session, there ? &sum : &more, error);
    if (there)
        store_result_clear(&sum);
    store_result_clear(&more);
    return good;
}

static bool add_tuning_and_code(const struct whole *whole)
{
    bool good = true;
    for (size_t i = 0; good && i < whole->count; i++)
        good = store_copy_tuning(whole->store, whole->parts[i]->id, whole->store,
                                 whole->session->id, whole->error) &&
               store_copy_code(whole->store, whole->parts[i]->id, whole->store, whole->session->id,
                               whole->error);
    return good;
}

bool store_whole_write(struct store *store, const struct store_session *const *parts, size_t count,
                       const struct store_joined *joined, struct store_session *session,
                       struct lit_error *error)
{
    struct whole whole = {
        .store = store,
        .parts = parts,
        .count = count,
        .joined = joined,
        .session = session,
        .error = error,
    };
    *session = (struct store_session){0};
    bool good = collect_devices(&whole) && begin(&whole) && write_devices(&whole);
    for (; good && whole.part < count; whole.part++)
        good = collect_entries(&whole);
    // Shards of tests interleave: their order is that of names. Else each part has all of them.
    if (joined->shard == STORE_SHARD_TESTS && whole.entry_count > 0)
        qsort(whole.entries, whole.entry_count, sizeof(*whole.entries), compare_entries);
    for (size_t i = 0; good && i < whole.entry_count; i++)
        good = add_result(&whole, &whole.entries[i]);
    good = good && add_tuning_and_code(&whole);
    for (size_t i = 0; i < whole.entry_count; i++)
        free(whole.entries[i].name);
    for (size_t i = 0; i < whole.device_count; i++)
        free(whole.devices[i].checker);
    free(whole.entries);
    free(whole.devices);
    return good;
}
