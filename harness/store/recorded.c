// SPDX-License-Identifier: Apache-2.0
// Lists what may be taken from a store.
#include "store/store.h"

#include "../../simt/settings.h"

#include <jansson.h>
#include <string.h>

#define OPTIONS_MAX 4000000 // bytes

// Members of a session's options.
static const char *const members[] = {
    "build",    "caselist", "count", "devices", "drivers", "first",      "joined", "max_runs",
    "patterns", "runs",     "seed",  "shard",   "shuffle", "simt",       "skips",  "stress",
    "thorough", "unclosed", "until", "usual",   "timeout", "validation",
};

// Settings of the SIMT simulator and of emulated GPUs: all but "counts" and "trace", which name
// files that it writes.
static const char *const settings[] = {
    "model", "seed", "devices", "subgroup", "threads", "resident", "schedule", "depth",
    "fault", "rate", "at",      "bounds",   "timing",  "caches",   "steps",    "turns",
};

static bool has(const char *const *list, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == length && strncmp(list[i], name, length) == 0)
            return true;
    return false;
}

bool store_recorded_simt(const char *given, struct text *listed)
{
    bool all = true;
    text_puts(listed, "");
    for (const char *at = given; *at; at += *at == ',') {
        const size_t length = strcspn(at, ","), name = strcspn(at, "=,");
        // The model comes first and may have no name.
        if ((name == length && at == given) ||
            has(settings, sizeof settings / sizeof *settings, at, name) ||
            has(operator_names, OPERATOR_COUNT, at, name)) {
            text_puts(listed, listed->length ? "," : "");
            text_append(listed, at, length);
        } else {
            all = false;
        }
        at += length;
    }
    return all;
}

json_t *store_recorded(const char *options)
{
    const size_t length = options ? strnlen(options, OPTIONS_MAX) : OPTIONS_MAX;
    json_t *root = length < OPTIONS_MAX ? json_loadb(options, length, 0, NULL) : NULL, *value;
    const char *key;
    void *next;
    if (root && !json_is_object(root)) {
        json_decref(root);
        return NULL;
    }
    json_object_foreach_safe(root, next, key, value)
    {
        if (!has(members, sizeof members / sizeof *members, key, strlen(key)))
            json_object_del(root, key);
    }
    return root;
}
