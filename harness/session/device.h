// SPDX-License-Identifier: Apache-2.0
// Shared by subcommands that use devices: the devices, begin and end, --simt, --stress.
#pragma once

#include "base/random.h"
#include "base/terminal.h"
#include "engine/drivers.h"
#include "engine/plan.h"
#include "engine/watch.h"
#include "model/inventory.h"
#include "store/store.h"

// Descriptions of devices, for `run` and `devices`.

// "Example GPU · driver 1.2.3 (vendor) · Vulkan 1.4.312 · subgroups of 32"; uses ", " for the dots
// if the terminal is not UTF-8.
void ses_device_line(const struct dev_facts *facts, bool utf8, struct text *text);
// "32", "32 (8 to 32)"
void ses_subgroup_sizes(const struct dev_facts *facts, char *text, size_t size);

// The devices of a command, and how to watch their workers.
struct ses_devices {
    struct eng_watch watch;
    struct eng_inventory inventory;
    bool *chosen; // the inventory's devices that -d names, or all
    struct term_line line;
};
// Call first: sets time limits (`total` 0: none), and whether workers' output is printed.
void ses_devices_watch(struct ses_devices *devices, double idle, double total, int verbose);
// Takes the inventory; ends the program if a signal came. False with an error: no time left.
bool ses_devices_take(struct ses_devices *devices, struct lit_error *error);
// Takes the inventory and chooses. False with an error: no device, a bad name, no time left.
bool ses_devices_find(struct ses_devices *devices, const struct lit_list *named,
                      struct lit_error *error);
// The next chosen device after `last`, from the first one on if that is NULL; NULL if there is
// none.
const struct eng_device *ses_devices_next(const struct ses_devices *devices,
                                          const struct eng_device *last);
#define SES_EACH_DEVICE(device, devices)                                                           \
    for (const struct eng_device *device = NULL; (device = ses_devices_next(devices, device));)
// Takes the devices of a stored session instead, present or not.
bool ses_inventory_recall(struct eng_inventory *inventory, struct store *store, int64_t session,
                          struct lit_error *error);
// Prints the heading above a device's output: ses_device_line, "device 1 of 2".
void ses_devices_heading(const struct ses_devices *devices, const struct eng_device *device);
// Call at the end: frees, and ends the program if a signal came. Returns `code`.
int ses_devices_end(struct ses_devices *devices, int code);

// Chooses a seed if none was given; a short one is easy to type.
void ses_seed_settle(struct lit_seed *seed, bool is_short);
// "Linux 6.1.0 x86_64", allocated.
char *ses_system(void);
// Makes a session with the command `name` and this machine; the caller fills in the rest.
struct store_session ses_make(const char *name, int argc, char **argv);
// Prints a run's last line: "stored in litmus.db, seed 0x1, 3 s, exit 0: ..."; `db` may be NULL.
void ses_last_line(const char *db, uint64_t seed, double started, enum lit_exit code,
                   const char *reason);

// The option --simt of several subcommands.

// Returns --simt's value, NULL if absent. False with an error if it was given more than once.
bool ses_simt_take(const struct lit_list *list, const char **given, struct lit_error *error);
// The same, and makes the SIMT simulator the only driver to be found.
bool ses_simt_use(const struct lit_list *list, struct lit_error *error);

// The option --stress.

// Takes --stress; absent means "none". False with an error if it is invalid or was given more than
// once. Clear it with ses_stress_clear.
bool ses_stress_take(const struct lit_list *list, struct eng_stressing *stressing,
                     struct lit_error *error);
// Loads the results of searches if "tuned" was requested.
bool ses_stress_load(struct eng_stressing *stressing, struct store *store, struct lit_error *error);
void ses_stress_clear(struct eng_stressing *stressing);
