// SPDX-License-Identifier: Apache-2.0
// Finds the driver manifests that the Vulkan loader knows, without the loader, so that each can be
// tried alone and a broken driver costs only itself. The rules follow "Driver Discovery" in the
// loader's documentation.
#pragma once

#include "engine/watch.h"
#include "model/inventory.h"

struct eng_driver {
    char *manifest;   // the path as it was found
    char remark[256]; // why the manifest cannot be used, one line; "" if it can
};

struct eng_drivers {
    struct eng_driver *items;
    size_t count;
    // A folder or manifest that we could not examine because this process lacked something (file
    // descriptors, memory), and what it lacked; "" if none.
    char unread[512];
};

// Reads a variable: secure_getenv, which like the loader ignores it in a program with elevated
// privileges; or a test's own function.
typedef char *eng_getenv(const char *name);
// A variable's value; NULL if it is empty, too.
static inline const char *eng_value(eng_getenv *get, const char *name)
{
    const char *value = get(name);
    return value && value[0] ? value : NULL;
}

// Finds the manifests in the loader's order, files in one folder by name. Lists a file once even if
// found twice. Skips 32-bit drivers and drivers that VK_LOADER_DRIVERS_SELECT and _DISABLE filter
// out. Lists an unreadable file named by VK_DRIVER_FILES with a remark.
void eng_drivers_find(struct eng_drivers *drivers, eng_getenv *get);
void eng_drivers_clear(struct eng_drivers *drivers);

enum eng_manifest {
    ENG_MANIFEST_GOOD,
    ENG_MANIFEST_FOREIGN, // a driver for another architecture: skip it silently
    ENG_MANIFEST_BAD,     // `remark` says why
    ENG_MANIFEST_UNREAD,  // likewise, but the file is not at fault
};

// Checks a manifest file. Does not trust it: reads at most 64 KiB.
enum eng_manifest eng_manifest_check(const char *path, char *remark, size_t size);

// Asks all drivers in the loader's order, each in its own worker. Lists a device once if two
// manifests lead to it and device UUID, driver UUID, name and driver version agree. False if a
// signal or the end of the run's time stopped it.
bool eng_inventory_take(const struct eng_watch *watch, struct eng_inventory *inventory);

// --- The installed drivers, as the Vulkan loader finds them without variables: installed_posix.c
// searches folders, installed_windows.c the registry.

// Separates the paths in a variable's list.
extern const char eng_path_separator;

// Calls `found` for each manifest and each folder of manifests, in the loader's order.
void eng_installed(eng_getenv *get, void (*found)(const char *path, bool folder, void *user),
                   void *user);

// Returns the next non-empty piece of a list separated by `separator`; free() it. NULL at the end.
char *eng_next_piece(const char **list, char separator);

// --- The SIMT simulator of simt/: its location and its settings. It is used only with --simt, and
// then this program sees no other driver. Only this code knows a file of simt/, the settings, so
// that it can refuse a wrong one before anything runs.

#define ENG_SIMT_RUNS 20 // of each configuration unless -n is given: it is an interpreter

// Converts settings from the form of --simt, "MODEL[,SETTING=VALUE...]", to the driver's,
// "model=MODEL,...". False with an error that names the valid choices. Pure.
bool eng_simt_settings(const char *given, struct text *settings, struct lit_error *error);
// Whether the settings contain `name`.
bool eng_simt_has(const char *settings, const char *name);

// Returns the name of the model in the settings: a constant, "lockstep" if they are invalid.
const char *eng_simt_model(const char *settings);
// Describes the model in half a sentence: "a shuffle takes whatever ...".
const char *eng_simt_about(const char *model);

// Returns the path of the reference driver's manifest, without dots and links; free() it. NULL with
// an error if it does not exist. eng_simt_use says where it is searched.
char *eng_simt_manifest(struct lit_error *error);
// --- Emulated GPUs (rdna/): whether settings begin with the name of one, "navi21,timing=late"; and
// makes it the only device, as eng_simt_use, which calls this for such settings. False with an
// error that says what is not installed.
#define ENG_EMULATED "LITMUS_RDNA" // the variable with the settings in use
extern const char eng_libraries[]; // the folder of installed libraries, from the program's
bool eng_emulate_is(const char *given);
bool eng_emulate_use(const char *given, struct lit_error *error);

// Makes the reference driver with these settings (as --simt takes them) the only driver that
// eng_inventory_take and the workers find. Sets variables in this process's environment, so no
// other thread may run. Uses the manifest that LITMUS_SIMT_ICD names; else ../simt/simt_icd.json
// beside the program's folder, as in the build; else ../share/litmus/simt_icd.json, as installed.
// False with an error if it does not exist.
bool eng_simt_use(const char *given, struct lit_error *error);
