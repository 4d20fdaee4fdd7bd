// SPDX-License-Identifier: Apache-2.0
// Finds the reference driver and tells it what to do, through the environment.

#include "engine/simt.h"

#include "../../simt/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MANIFEST "simt_icd.json"

static const char *const about[MODEL_COUNT] = {
    [MODEL_LOCKSTEP] = "lanes execute in lockstep, under an execution mask",
    [MODEL_TANGLED] = "lanes run independently and wait only where the specification requires it",
    [MODEL_SNOOPING] =
        "no lane waits for another: a shuffle reads the current register of the other lane",
    [MODEL_LAGGING] = "after divergence one lane lags behind until the next barrier",
    [MODEL_PEELING] =
        "code on a path that leaves a loop is executed after the loop, merged over its iterations",
    [MODEL_RELAXED] = "atomics order nothing: neither release and acquire nor the order of one "
                      "location's accesses",
    [MODEL_UNFAIR] = "only resident workgroups make progress, until they end",
    [MODEL_FAULTY] = "fault injection: wrong values, device loss, hangs",
};

bool eng_simt_settings(const char *given, struct text *settings, struct lit_error *error)
{
    struct settings parsed;
    char line[400] = "";
    struct text text = {0};
    text_printf(&text, "%s%s", strncmp(given, "model=", 6) == 0 ? "" : "model=", given);
    bool good = settings_parse(text.data, &parsed, line, sizeof line);
    if (good)
        text_puts(settings, text.data);
    else
        lit_fail(error, LIT_EXIT_USAGE, "--simt '%.80s': %s", given, line);
    text_free(&text);
    return good;
}

bool eng_simt_has(const char *settings, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = settings; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return true;
    }
    return false;
}

const char *eng_simt_model(const char *settings)
{
    struct settings parsed;
    char line[400];
    return model_names[settings_parse(settings, &parsed, line, sizeof line) ? parsed.model
                                                                            : MODEL_LOCKSTEP];
}

const char *eng_simt_about(const char *model)
{
    for (size_t i = 0; i < MODEL_COUNT; i++)
        if (strcmp(model_names[i], model) == 0)
            return about[i];
    return "";
}

// Appends the folder of this program, with a slash at its end.
static bool own_folder(struct text *folder)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    while (length > 0 && path[length - 1] != '/')
        length--;
    if (length > 0)
        text_append(folder, path, (size_t)length);
    return length > 0;
}

// The manifest's path without dots and links, or NULL with an error. free() it.
static char *find_manifest(struct lit_error *error)
{
    static const char *const places[] = {"../simt/" MANIFEST, "../share/litmus/" MANIFEST};
    const char *named = secure_getenv("LITMUS_SIMT_ICD");
    if (named && named[0]) {
        char *path = realpath(named, NULL);
        if (!path)
            lit_fail(error, LIT_EXIT_USAGE,
                     "the SIMT simulator's manifest was not found: LITMUS_SIMT_ICD is %.200s",
                     named);
        return path;
    }
    struct text folder = {0}, tried = {0};
    char *found = NULL;
    bool known = own_folder(&folder);
    for (size_t i = 0; known && !found && i < sizeof places / sizeof *places; i++) {
        struct text path = {0};
        text_printf(&path, "%s%s", folder.data, places[i]);
        text_printf(&tried, "%s%s", i ? ", " : "", path.data);
        found = realpath(path.data, NULL);
        text_free(&path);
    }
    if (!found)
        lit_fail(error, LIT_EXIT_USAGE,
                 "the SIMT simulator was not found: no %.300s; set LITMUS_SIMT_ICD to its manifest",
                 known ? tried.data : MANIFEST);
    text_free(&folder);
    text_free(&tried);
    return found;
}

bool eng_simt_use(const char *given, struct lit_error *error)
{
    static const char *const others[] = {"VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES",
                                         "VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE"};
    struct text settings = {0};
    if (!eng_simt_settings(given, &settings, error))
        return false;
    char *manifest = find_manifest(error);
    bool done = manifest && setenv("VK_DRIVER_FILES", manifest, 1) == 0 &&
                setenv("LITMUS_SIMT", settings.data, 1) == 0;
    for (size_t i = 0; done && i < sizeof others / sizeof *others; i++)
        unsetenv(others[i]);
    if (manifest && !done)
        lit_fail(error, LIT_EXIT_USAGE, "the environment cannot be changed");
    free(manifest);
    text_free(&settings);
    return done;
}
