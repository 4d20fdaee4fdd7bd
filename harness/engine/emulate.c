// SPDX-License-Identifier: Apache-2.0
// Makes an emulated GPU (rdna/) the only device: Mesa's driver between rdna/'s library and Mesa's
// drm shim.
#include "engine/drivers.h"

#include "base/program.h"
#include "base/text.h"
#include "engine/process.h"

#include "../../rdna/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool eng_emulate_use(const char *given, struct lit_error *error)
{
    struct rdna_settings settings;
    char line[200];
    if (!rdna_settings_parse(given, &settings, line, sizeof line))
        return lit_fail(error, LIT_EXIT_USAGE, "--emulate: %s", line);
    void *const shim = dlopen(SHIM, RTLD_LAZY | RTLD_LOCAL);
    if (!shim)
        return lit_fail(error, LIT_EXIT_USAGE, "--emulate needs Mesa's " SHIM ": %.200s",
                        dlerror());
    dlclose(shim);
    OWNED(lit_free) char *manifest = find_radv(), *library = find_library();
    if (!manifest || !library)
        return lit_fail(error, LIT_EXIT_USAGE, "--emulate: %s",
                        manifest ? LIBRARY " is neither in this build nor installed"
                                 : "RADV (radeon_icd*.json) is not installed");
    OWNED(text_free) struct text preload = {0};
    text_printf(&preload, "%s:" SHIM, library);
    return (setenv("VK_DRIVER_FILES", manifest, 1) == 0 && setenv("LITMUS_RDNA", given, 1) == 0 &&
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
