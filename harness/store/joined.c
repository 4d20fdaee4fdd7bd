// SPDX-License-Identifier: Apache-2.0
// Sessions that were put together, as JSON and back. What is read is not trusted.
#include "store/joined.h"

#include "base/random.h"
#include "store/recorded.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS_MAX 100000

static const char *const shard_words[] = {
    [STORE_WHOLE] = "sum",
    [STORE_SHARD_TESTS] = "tests",
    [STORE_SHARD_RUNS] = "runs",
};

static struct store_member *add_member(struct store_joined *joined)
{
    size_t count = joined->member_count;
    // Room is the power of two that is not below the count.
    if ((count & (count - 1)) == 0)
        joined->members =
            lit_realloc(joined->members, count ? count * 2 : 1, sizeof(*joined->members));
    struct store_member *member = &joined->members[joined->member_count++];
    *member = (struct store_member){0};
    return member;
}

static bool read_member(const json_t *json, struct store_joined *joined)
{
    const char *uuid = json_string_value(json_object_get(json, "uuid"));
    const char *seed = json_string_value(json_object_get(json, "seed"));
    json_int_t index = json_integer_value(json_object_get(json, "index"));
    if (!uuid || strlen(uuid) != 16 || strspn(uuid, "0123456789abcdef") != 16 || !seed ||
        strncmp(seed, "0x", 2) != 0 || index < 0 || joined->member_count >= MEMBERS_MAX ||
        (joined->shard && (uint64_t)index >= joined->count))
        return false;
    struct store_member *member = add_member(joined);
    memcpy(member->uuid, uuid, sizeof(member->uuid));
    member->index = (uint64_t)index;
    member->seed = strtoull(seed + 2, NULL, 16);
    return true;
}

bool store_joined_read(const char *options, struct store_joined *joined)
{
    *joined = (struct store_joined){0};
    if (!options || !strstr(options, "\"joined\""))
        return false;
    json_t *root = store_recorded(options);
    const json_t *json = json_object_get(root, "joined");
    const json_t *members = json_object_get(json, "members");
    const char *kind = json_string_value(json_object_get(json, "kind"));
    json_int_t count = json_integer_value(json_object_get(json, "count"));
    bool good = kind && count >= 0 && json_is_array(members) && json_array_size(members) > 0;
    if (good) {
        joined->count = (uint64_t)count;
        joined->shard = STORE_SHARD_RUNS;
        while (joined->shard > STORE_WHOLE && strcmp(kind, shard_words[joined->shard]) != 0)
            joined->shard--;
        good = strcmp(kind, shard_words[joined->shard]) == 0;
    }
    for (size_t i = 0; good && i < json_array_size(members); i++)
        good = read_member(json_array_get(members, i), joined);
    json_decref(root);
    if (!good)
        store_joined_clear(joined);
    return good;
}

void store_joined_clear(struct store_joined *joined)
{
    free(joined->members);
    *joined = (struct store_joined){0};
}

void store_joined_add(struct store_joined *joined, const struct store_session *session)
{
    struct store_member *member = add_member(joined);
    snprintf(member->uuid, sizeof(member->uuid), "%s", session->uuid);
    member->index = session->shard_index;
    member->seed = session->seed;
}

bool store_joined_has(const struct store_joined *joined, const char *uuid)
{
    for (size_t i = 0; i < joined->member_count; i++)
        if (strcmp(joined->members[i].uuid, uuid) == 0)
            return true;
    return false;
}

// Takes out of the options what begins with one of the words.
static void strip(json_t *root, const char *const *words)
{
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(root, next, key, value)
    {
        for (const char *const *word = words; *word; word++)
            if (strncmp(key, *word, strlen(*word)) == 0) {
                json_object_del(root, key);
                break;
            }
    }
}

char *store_joined_write(const char *options, const struct store_joined *joined,
                         const struct store_joined_device *devices, size_t device_count)
{
    static const char *const of_the_part[] = {"shard", "devices", "joined", NULL};
    json_t *root = store_recorded(options), *json = json_object(), *members = json_array();
    json_t *list = json_array();
    if (!root)
        root = json_object();
    strip(root, of_the_part);
    for (size_t i = 0; i < joined->member_count; i++) {
        const struct store_member *member = &joined->members[i];
        char seed[32];
        snprintf(seed, sizeof seed, "0x%" PRIx64, member->seed);
        json_array_append_new(members, json_pack("{s:s, s:I, s:s}", "uuid", member->uuid, "index",
                                                 (json_int_t)member->index, "seed", seed));
    }
    json_object_set_new(json, "kind", json_string(shard_words[joined->shard]));
    json_object_set_new(json, "count", json_integer((json_int_t)joined->count));
    json_object_set_new(json, "members", members);
    json_object_set_new(root, "joined", json);
    for (size_t i = 0; i < device_count; i++)
        json_array_append_new(list, json_pack("{s:s, s:i, s:s}", "id", devices[i].id, "number",
                                              (int)devices[i].number, "name", devices[i].name));
    json_object_set_new(root, "devices", list);
    char *text = json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(root);
    return text;
}

static void put_options(const char *options, const char *const *without, struct text *key)
{
    json_t *root = store_recorded(options);
    if (root)
        strip(root, without);
    char *dump = root ? json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    text_puts(key, dump ? dump : options);
    free(dump);
    json_decref(root);
}

void store_shard_group(const struct store_session *session, struct text *key)
{
    static const char *const without[] = {"shard", "devices", NULL};
    text_printf(key, "%s of %" PRIu64 ", seed 0x%" PRIx64 ", %" PRIu64 " runs, %s, ",
                shard_words[session->shard], session->shard_count, session->seed, session->runs,
                session->version);
    put_options(session->options, without, key);
}

void store_sum_group(const struct store_session *session, struct text *key)
{
    static const char *const without[] = {"shard", "devices",  "joined", "seed",
                                          "runs",  "patterns", NULL};
    text_printf(key, "%s, ", session->system);
    put_options(session->options, without, key);
}

static uint64_t hash(uint64_t value, const char *text)
{
    return hash_bytes(value, text, strlen(text) + 1);
}

static int compare_uuids(const void *left, const void *right)
{
    const struct store_member *a = left, *b = right;
    return strcmp(a->uuid, b->uuid);
}

void store_joined_uuid(const struct store_joined *joined, char *uuid)
{
    size_t size = joined->member_count * sizeof(*joined->members);
    struct store_member *sorted = lit_alloc(joined->member_count, sizeof(*sorted));
    uint64_t value = hash(HASH_START, shard_words[joined->shard]);
    if (size > 0) {
        memcpy(sorted, joined->members, size);
        qsort(sorted, joined->member_count, sizeof(*sorted), compare_uuids);
    }
    for (size_t i = 0; i < joined->member_count; i++)
        value = hash(value, sorted[i].uuid);
    free(sorted);
    snprintf(uuid, 17, "%016" PRIx64, value);
}

char *store_whole_command(const char *command)
{
    struct text whole = {0};
    text_puts(&whole, "");
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
        text_append(&whole, command, blanks + length);
        command = word + length;
    }
    return whole.data;
}

#define LISTED_MAX 64

void store_joined_list(const struct store_joined *joined, bool missing, struct text *text)
{
    uint64_t listed = 0, at = 0;
    uint64_t total = missing ? joined->count - joined->member_count : joined->member_count;
    for (; listed < total && listed < LISTED_MAX; at++) {
        uint64_t index = at;
        bool has = false;
        if (!missing)
            index = joined->members[at].index;
        for (size_t i = 0; missing && i < joined->member_count; i++)
            has = has || joined->members[i].index == index;
        if (has)
            continue;
        text_printf(text, "%s%" PRIu64,
                    listed == 0           ? ""
                    : listed + 1 == total ? " and "
                                          : ", ",
                    index);
        listed++;
    }
    if (listed < total)
        text_printf(text, " and %" PRIu64 " more", total - listed);
}
