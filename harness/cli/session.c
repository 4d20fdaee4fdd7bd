// SPDX-License-Identifier: Apache-2.0
// A run's options as JSON, both ways. What is read back is not trusted: a store is a file.

#include "cli/session.h"

#include "store/store.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const shard_words[] = {
    [STORE_SHARD_TESTS] = "tests",
    [STORE_SHARD_RUNS] = "runs",
};

bool cli_session_check(const struct cli_list *patterns, const struct cli_list *simt,
                       struct lit_error *error)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (!text_is_utf8(patterns->items[i]))
            return lit_fail(error, LIT_EXIT_USAGE, "the pattern '%.200s' is not UTF-8",
                            patterns->items[i]);
    for (size_t i = 0; i < simt->count; i++)
        if (!text_is_utf8(simt->items[i]))
            return lit_fail(error, LIT_EXIT_USAGE, "--simt %.200s: not UTF-8", simt->items[i]);
    return true;
}

char *cli_session_write(const struct cli_run_options *options,
                        const struct eng_inventory *inventory, const bool *chosen)
{
    json_t *root = json_object(), *patterns = json_array(), *devices = json_array();
    char seed[32];
    snprintf(seed, sizeof seed, "0x%" PRIx64, options->seed.value);
    for (size_t i = 0; i < options->patterns.count; i++)
        json_array_append_new(patterns, json_string(options->patterns.items[i]));
    for (size_t i = 0; i < inventory->count; i++) {
        const struct eng_device *device = &inventory->devices[i];
        if (chosen[i])
            json_array_append_new(devices,
                                  json_pack("{s:s, s:i, s:s}", "id", device->id, "number",
                                            (int)device->number, "name", device->facts.name));
    }
    json_object_set_new(root, "patterns", patterns);
    json_object_set_new(root, "devices", devices);
    json_object_set_new(root, "thorough", json_boolean(options->thorough));
    json_object_set_new(root, "shuffle", json_boolean(options->shuffle));
    json_object_set_new(root, "validation", json_boolean(options->validation));
    json_object_set_new(root, "timeout", json_real(options->timeout));
    json_object_set_new(root, "runs", json_integer((json_int_t)options->runs));
    json_object_set_new(root, "seed", json_string(seed));
    if (options->rule.kind != ENG_RULE_FIXED) {
        char rule[48];
        eng_rule_write(&options->rule, rule);
        json_object_set_new(root, "until", json_string(rule));
        json_object_set_new(root, "max_runs", json_integer((json_int_t)options->rule.most));
    }
    if (options->shard.kind != STORE_WHOLE)
        json_object_set_new(root, "shard",
                            json_pack("{s:s, s:I, s:I}", "of", shard_words[options->shard.kind],
                                      "index", (json_int_t)options->shard.index, "count",
                                      (json_int_t)options->shard.count));
    if (options->stress.count)
        json_object_set_new(root, "stress", json_string(options->stress.items[0]));
    if (options->simt.count)
        json_object_set_new(root, "simt", json_string(options->simt.items[0]));
    char *text = json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(root);
    return text;
}

static bool fail_damaged(struct lit_error *error)
{
    return lit_fail(error, LIT_EXIT_USAGE,
                    "the session cannot be resumed: what it was asked for cannot be read");
}

static bool read_rule(const json_t *root, uint64_t least, struct eng_rule *rule)
{
    const json_t *until = json_object_get(root, "until");
    json_int_t most = json_integer_value(json_object_get(root, "max_runs"));
    *rule = (struct eng_rule){.least = least, .most = least};
    if (!until)
        return true;
    if (!json_is_string(until) || most < 0 || (uint64_t)most < least)
        return false;
    rule->most = (uint64_t)most;
    return eng_rule_read(json_string_value(until), rule);
}

static bool read_shard(const json_t *object, struct eng_shard *shard)
{
    const char *of = json_string_value(json_object_get(object, "of"));
    json_int_t index = json_integer_value(json_object_get(object, "index"));
    json_int_t count = json_integer_value(json_object_get(object, "count"));
    *shard = (struct eng_shard){0};
    if (!object)
        return true;
    if (!of || count < 2 || count > ENG_SHARDS_MAX || index < 0 || index >= count)
        return false;
    *shard = (struct eng_shard){.index = (uint64_t)index, .count = (uint64_t)count};
    for (int kind = STORE_SHARD_TESTS; kind <= STORE_SHARD_RUNS; kind++)
        if (strcmp(of, shard_words[kind]) == 0)
            shard->kind = (enum store_shard)kind;
    return shard->kind != STORE_WHOLE;
}

bool cli_session_read(const char *json, struct cli_run_options *options, struct lit_error *error)
{
    json_t *root = store_recorded(json), *pattern;
    const char *seed = json_string_value(json_object_get(root, "seed"));
    const json_t *patterns = json_object_get(root, "patterns");
    double timeout = json_number_value(json_object_get(root, "timeout"));
    json_int_t runs = json_integer_value(json_object_get(root, "runs"));
    size_t i;
    char *end = NULL;
    bool ok = seed && json_is_array(patterns) && timeout > 0 && timeout < 1e9 && runs > 0;
    if (ok) {
        options->seed = (struct cli_seed){.given = true, .value = strtoull(seed, &end, 16)};
        options->runs = (uint64_t)runs;
        options->timeout = timeout;
        options->thorough = json_is_true(json_object_get(root, "thorough"));
        options->shuffle = json_is_true(json_object_get(root, "shuffle"));
        options->validation = json_is_true(json_object_get(root, "validation"));
        ok = *end == '\0' && read_shard(json_object_get(root, "shard"), &options->shard) &&
             read_rule(root, options->runs, &options->rule);
    }
    if (ok)
        json_array_foreach(patterns, i, pattern)
        {
            ok = ok && json_is_string(pattern);
            if (ok)
                cli_list_add(&options->patterns, json_string_value(pattern));
        }
    const json_t *simt = json_object_get(root, "simt");
    struct text listed = {0};
    ok = ok && (!simt || json_is_string(simt));
    bool unlisted = ok && simt && !store_recorded_simt(json_string_value(simt), &listed);
    if (ok && simt)
        cli_list_add(&options->simt, listed.data);
    text_free(&listed);
    bool joined = json_object_get(root, "joined") != NULL;
    const json_t *stress = json_object_get(root, "stress");
    ok = ok && (!stress || json_is_string(stress));
    if (ok && stress)
        cli_list_add(&options->stress, json_string_value(stress));
    json_decref(root);
    if (joined)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "the session was put together of shards, some of which are missing: finish "
                        "those in their own stores, and merge them");
    if (unlisted)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "the session cannot be resumed: its --simt has more than may come from a "
                        "store (a trace is a file to write)");
    return ok || fail_damaged(error);
}

static struct eng_device *find_device(const struct eng_inventory *inventory, const char *id)
{
    for (size_t i = 0; i < inventory->count; i++)
        if (dev_facts_is(&inventory->devices[i].facts, id))
            return &inventory->devices[i];
    return NULL;
}

bool cli_session_choose(const char *json, struct eng_inventory *inventory, bool *chosen,
                        void (*missing)(const char *name, void *user), void *user,
                        struct lit_error *error)
{
    json_t *root = store_recorded(json), *entry;
    const json_t *devices = json_object_get(root, "devices");
    size_t i;
    bool ok = json_is_array(devices);
    if (ok)
        json_array_foreach(devices, i, entry)
        {
            const char *id = json_string_value(json_object_get(entry, "id"));
            const char *name = json_string_value(json_object_get(entry, "name"));
            json_int_t number = json_integer_value(json_object_get(entry, "number"));
            struct eng_device *device = id ? find_device(inventory, id) : NULL;
            char safe[256];
            ok = ok && id && name && number > 0 && number < 1000000;
            if (!ok)
                break;
            text_sanitise(safe, sizeof safe, name);
            if (!device) {
                missing(safe, user);
                continue;
            }
            device->number = (unsigned)number;
            chosen[device - inventory->devices] = true;
        }
    json_decref(root);
    return ok || fail_damaged(error);
}
