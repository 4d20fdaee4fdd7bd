// SPDX-License-Identifier: Apache-2.0
// Makes an emulated GPU (rdna/) the only device: Mesa's driver between rdna/'s library and Mesa's
// drm shim. Says what its failures are about.
#include "engine/client.h"
#include "engine/drivers.h"
#include "engine/process.h"
#include "engine/protocol.h"

#include "base/program.h"
#include "base/text.h"
#include "model/emulated.h"

#include "../../rdna/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMPT "timing=prompt,caches=coherent"

#ifdef _WIN32
bool eng_emulate_use(const char *given, struct lit_error *error)
{
    return lit_fail(error, LIT_EXIT_USAGE, "--emulate %.80s: not on Windows", given);
}
#else
#include <dlfcn.h>

#define SHIM    "libamdgpu_noop_drm_shim.so"
#define LIBRARY "librdna.so"

// The manifest of RADV among the drivers that are installed; free() it.
static char *find_radv(void)
{
    struct eng_drivers drivers;
    char *found = NULL;
    eng_drivers_find(&drivers, (eng_getenv *)secure_getenv);
    for (size_t i = 0; i < drivers.count && !found; i++) {
        const char *slash = strrchr(drivers.items[i].manifest, '/');
        if (strncmp(slash ? slash + 1 : drivers.items[i].manifest, "radeon_icd", 10) == 0)
            found = lit_strdup(drivers.items[i].manifest);
    }
    eng_drivers_clear(&drivers);
    return found;
}

// The path of the library, in the build's rdna/ or as installed; free() it.
static char *find_library(void)
{
    const char *const places[] = {"../rdna", eng_libraries};
    OWNED(text_free) struct text folder = {0};
    char *found = NULL;
    const bool known = lit_program_folder(&folder);
    for (size_t i = 0; known && !found && i < sizeof places / sizeof *places; i++) {
        OWNED(text_free) struct text path = {0};
        text_printf(&path, "%s%s/" LIBRARY, folder.data, places[i]);
        found = realpath(path.data, NULL);
    }
    return found;
}

// A file of .sdk/; NULL if it is not there. free() it.
static char *find_unpacked(const char *name)
{
    OWNED(text_free) struct text path = {0};
    if (!lit_program_sdk(&path))
        return NULL;
    text_puts(&path, name);
    return realpath(path.data, NULL);
}

// Shim and RADV as installed, else those of one version that tools/setup unpacked; NULL for what is
// missing. free() both.
static void find_mesa(char **shim, char **manifest)
{
    void *const installed = dlopen(SHIM, RTLD_LAZY | RTLD_LOCAL);
    if (installed)
        dlclose(installed);
    *shim = installed ? lit_strdup(SHIM) : find_unpacked("mesa/" SHIM);
    *manifest = installed ? find_radv() : find_unpacked("share/vulkan/icd.d/radeon_icd.json");
}

bool eng_emulate_use(const char *given, struct lit_error *error)
{
    struct rdna_settings settings;
    char line[200];
    if (!rdna_settings_parse(given, &settings, line, sizeof line))
        return lit_fail(error, LIT_EXIT_USAGE, "--emulate: %s", line);
    OWNED(lit_free) char *shim = NULL, *manifest = NULL, *library = find_library();
    find_mesa(&shim, &manifest);
    if (!shim || !manifest)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--emulate: %s is not installed; on Debian, tools/setup --shim does it",
                        shim ? "RADV (radeon_icd*.json)" : "Mesa's " SHIM);
    if (!library)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--emulate: " LIBRARY " is neither in this build nor installed");
    OWNED(text_free) struct text preload = {0};
    text_printf(&preload, "%s:%s", library, shim);
    if (strchr(preload.data, ' ') || strchr(strchr(preload.data, ':') + 1, ':'))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--emulate: LD_PRELOAD takes no path with a space or a colon: %.300s",
                        preload.data);
    return (setenv("VK_DRIVER_FILES", manifest, 1) == 0 && setenv(ENG_EMULATED, given, 1) == 0 &&
            setenv("AMDGPU_GPU_ID", rdna_gpus[settings.gpu], 1) == 0 &&
            setenv(ENG_PRELOAD, preload.data, 1) == 0) ||
           lit_fail(error, LIT_EXIT_USAGE, "the environment cannot be changed");
}
#endif

bool eng_emulate_is(const char *given)
{
    for (size_t i = 0; i < RDNA_GPUS; i++)
        if (strncmp(given, rdna_gpus[i], strlen(rdna_gpus[i])) == 0 &&
            strchr(",", given[strlen(rdna_gpus[i])]))
            return true;
    return false;
}

bool eng_emulate_lacks(const struct eng_device *device, const struct eng_outcome *outcome)
{
    return outcome->result == ENG_SKIP && dev_facts_emulated(&device->facts);
}

void eng_emulate_judge(const struct eng_client *failed, const struct eng_work *work,
                       const struct eng_request *how, char *says, size_t size)
{
    const char *given = getenv(ENG_EMULATED);
    struct rdna_settings settings;
    char line[200];
    struct eng_outcome outcome = {.result = ENG_FAIL};
    if (!dev_facts_emulated(&failed->device->facts) || !given ||
        !rdna_settings_parse(given, &settings, line, sizeof line))
        return;
    if (settings.timing != RDNA_PROMPT || settings.caches != RDNA_COHERENT) {
        struct eng_client client = {.watch = failed->watch,
                                    .device = failed->device,
                                    .pool = failed->pool,
                                    .kernel = failed->kernel,
                                    .unchecked = true};
        snprintf(client.settings, sizeof client.settings, "%.200s," PROMPT, given);
        const enum eng_end end = eng_submit(&client, work, how, &outcome);
        eng_client_end(&client);
        if (end != ENG_END_RAN)
            return;
        if (outcome.result == ENG_PASS)
            outcome.result = eng_verdict(&outcome.count);
    }
    if (outcome.result == ENG_PASS)
        snprintf(says, size, "about its waits or caches: it passes with " PROMPT);
    else if (outcome.result == ENG_FAIL || eng_is_broken(outcome.result))
        snprintf(says, size, "about what the code computes: it fails with " PROMPT);
}
