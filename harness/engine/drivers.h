// SPDX-License-Identifier: Apache-2.0
// Which driver manifests the Vulkan loader knows, found without the loader: each is then tried
// alone, so that a broken driver costs only itself. The rules are those of "Driver Discovery" in
// the loader's documentation.
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
    // A folder or a manifest of which nothing is known because this process lacked something (files
    // that it may open, memory), and what; "" if there is none.
    char unread[512];
};

// Where a variable's value comes from: secure_getenv, which hides it from a program that runs with
// elevated privileges, as the loader does; or a test's own.
typedef const char *eng_getenv(const char *name);

// Finds the manifests, in the loader's order, files of one folder by name; a file that is found
// twice is listed once, 32-bit drivers and those that VK_LOADER_DRIVERS_SELECT and _DISABLE filter
// are left out. A file that VK_DRIVER_FILES names and that cannot be read is listed with a remark.
void eng_drivers_find(struct eng_drivers *drivers, eng_getenv *get);
void eng_drivers_clear(struct eng_drivers *drivers);

enum eng_manifest {
    ENG_MANIFEST_GOOD,
    ENG_MANIFEST_FOREIGN, // a driver for another architecture: to be left out silently
    ENG_MANIFEST_BAD,     // `remark` says why
    ENG_MANIFEST_UNREAD,  // likewise, but the file is not to blame
};

// Looks at a manifest file. The file is not trusted: at most 64 KiB of it are read.
enum eng_manifest eng_manifest_check(const char *path, char *remark, size_t size);

// Asks all drivers, each in a worker of its own, in the loader's order. A device that two manifests
// lead to is listed once, if device UUID, driver UUID, name and driver version agree. False if a
// signal or the end of the run's time stopped it.
bool eng_inventory_take(const struct eng_watch *watch, struct eng_inventory *inventory);

// --- The SIMT simulator of simt/: where it is, and what it is told. It is only used where --simt
// asks for it, and then it is the only driver that this program sees. This is the one place of the
// program that knows a file of simt/: the settings, so that a wrong one is refused before anything
// runs.

#define ENG_SIMT_RUNS 20 // of each configuration unless -n says otherwise: it is an interpreter

// Settings as --simt has them, "MODEL[,SETTING=VALUE...]", in the words of the driver:
// "model=MODEL,...". False with an error that names what would be right. Pure.
bool eng_simt_settings(const char *given, struct text *settings, struct lit_error *error);
// Whether settings say something of `name`.
bool eng_simt_has(const char *settings, const char *name);

// The name of the model that settings ask for: a constant, "lockstep" where they make no sense.
const char *eng_simt_model(const char *settings);
// What that model does, half a sentence: "a shuffle takes whatever ...".
const char *eng_simt_about(const char *model);

// The path of the reference driver's manifest, without dots and links; free() it. NULL with an
// error if it is not there. eng_simt_use says where that is.
char *eng_simt_manifest(struct lit_error *error);
// Makes the reference driver with these settings (in the words of --simt) the only driver that
// eng_inventory_take and the workers find: sets variables of this process's environment, so no
// other thread may run. The driver's manifest is the file that LITMUS_SIMT_ICD names; else
// ../simt/simt_icd.json beside the program's folder, where the build has it; else
// ../share/litmus/simt_icd.json, where it is installed. False with an error if it is not there.
bool eng_simt_use(const char *given, struct lit_error *error);
