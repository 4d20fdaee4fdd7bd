// SPDX-License-Identifier: Apache-2.0
// Asks the library that emulates a GPU, if it is preloaded into this worker: rdna/shim/shim.c.

#include "device/vulkan.h"

#ifdef _WIN32
static const char *not_emulated(bool *is_emulated)
{
    *is_emulated = false;
    return NULL;
}
#else
#include <dlfcn.h>

static const char *not_emulated(bool *is_emulated)
{
    const char *(*ask)(void);
    *(void **)&ask = dlsym(RTLD_DEFAULT, "rdna_left_out");
    *is_emulated = ask;
    return ask ? ask() : NULL;
}
#endif

bool dev_is_emulated(void)
{
    bool is_emulated;
    not_emulated(&is_emulated);
    return is_emulated;
}

bool dev_emulated_not(struct lit_error *error)
{
    bool is_emulated;
    const char *what = not_emulated(&is_emulated);
    if (what)
        lit_fail(error, LIT_EXIT_NOTHING, "%s", what);
    return what;
}
