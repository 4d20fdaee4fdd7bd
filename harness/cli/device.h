// SPDX-License-Identifier: Apache-2.0
// What subcommands that use devices share.
#pragma once

#include "base/text.h"
#include "cli/cli.h"
#include "engine/plan.h"
#include "engine/drivers.h"
#include "engine/watch.h"
#include "model/inventory.h"
#include "store/store.h"

// Devices in words, for `run` and `devices`.

// "Example GPU · driver 1.2.3 (vendor) · Vulkan 1.4.312 · subgroups of 32", with ", " for the dots
// if the terminal is not UTF-8.
void cli_device_line(const struct dev_facts *facts, bool utf8, struct text *text);
// "32", "32 (8 to 32)"
void cli_subgroup_sizes(const struct dev_facts *facts, char *text, size_t size);

// Options that several subcommands have, in a struct with these members.
#define CLI_OPTION_DEVICE                                                                          \
    CLI_ROW('d', "device", CLI_LIST | CLI_NOT(CLI_RESUMED), devices, "DEVICE",                     \
            "only this device, as for 'litmus run -d'; can be repeated")
#define CLI_OPTION_SIMT(help)                                                                      \
    CLI_ROW(0, "simt", CLI_LIST | CLI_NOT(CLI_RESUMED), simt, CLI_SIMT_ARGUMENT, help)
#define CLI_OPTION_SEED(help)                                                                      \
    CLI_ROW(0, "seed", CLI_SEED | CLI_NOT(CLI_RESUMED), seed, "SEED", help)
#define CLI_OPTION_TIMEOUT(help)                                                                   \
    CLI_ROW(0, "timeout", CLI_SECONDS | CLI_NOT(CLI_RESUMED), timeout, "SECONDS", help)
#define CLI_OPTION_TIME                                                                            \
    CLI_ROW(0, "time", CLI_SECONDS, time, "SECONDS",                                               \
            "time budget, then stop with exit code 5; 90s, 10m, 2h")
#define CLI_OPTION_DB CLI_ROW(0, "db", CLI_TEXT, db, "FILE", "the store (default: litmus.db)")
#define CLI_OPTION_COLOR                                                                           \
    CLI_ROW(0, "color", CLI_CHOICE, color, "auto|always|never",                                    \
            "(default: auto; NO_COLOR and CLICOLOR_FORCE are heeded)")

// A line of progress on stderr, which what is printed next replaces.
struct cli_line {
    bool quiet, drawn;
    double shown; // when
};
// Shows it: ten times a second at most, or each half minute where stderr is no terminal.
__attribute__((format(__printf__, 2, 3))) void cli_line_show(struct cli_line *line,
                                                             const char *format, ...);
void cli_line_clear(struct cli_line *line);

// The devices of a command, and who asks them.
struct cli_devices {
    struct eng_watch watch;
    struct eng_inventory inventory;
    bool *chosen; // of the inventory's devices: those that -d names, or all
    struct cli_line line;
};
// Before anything else: time limits (`total` 0: none), whether workers' output is printed.
void cli_devices_watch(struct cli_devices *devices, double idle, double total, int verbose);
// Takes the inventory and chooses. False with an error: nothing there, not named well, no time
// left.
bool cli_devices_find(struct cli_devices *devices, const struct cli_list *named,
                      struct lit_error *error);
// Prints what stands above all that is said of a device: cli_device_line, "device 1 of 2".
void cli_devices_heading(const struct cli_devices *devices, const struct eng_device *device);
// Makes the program that was run `run` of a configuration of drawn ones small, and stores it, as
// `litmus fuzz` does: what it finds is printed. It takes so many seconds at most. False with an
// error if it could not be stored.
bool cli_fuzz_small(const struct cli_devices *devices, const struct eng_device *device,
                    const struct cat_case *which, uint64_t seed, uint64_t run, double seconds,
                    struct lit_error *error);
// At the end of a command: frees, and ends the program if a signal came. Returns `code`.
int cli_devices_end(struct cli_devices *devices, int code);

// A seed where none was given; a short one can be typed.
void cli_seed_settle(struct cli_seed *seed, bool is_short);
// "Linux 6.1.0 x86_64", allocated.
char *cli_system(void);
// What a session has of the command `name` and of this machine; the rest is the caller's.
struct store_session cli_session_make(const char *name, const struct cli_call *call);
// The last line of a run: "stored in litmus.db, seed 0x1, 3 s, exit 0: ..." ; `db` may be NULL.
void cli_last_line(const char *db, uint64_t seed, double started, enum lit_exit code,
                   const char *reason);

// The option --simt, which several subcommands have.

#define CLI_SIMT_ARGUMENT "MODEL[,SETTING=VALUE...]"
#define CLI_SIMT_MODELS                                                                            \
    "lockstep, tangled, snooping,\nlagging, peeling, relaxed, unfair, faulty, miscompiling"

// What --simt said, NULL if it was not given. False with an error if it was given more than once.
bool cli_simt_take(const struct cli_list *list, const char **given, struct lit_error *error);
// The same, and makes the SIMT simulator the only driver that is found.
bool cli_simt_use(const struct cli_list *list, struct lit_error *error);

// The option --stress.

#define CLI_STRESS_ARGUMENT "none|random|tuned|SET"

// What --stress said: nothing is "none". False with an error if it makes no sense, or was given
// more than once. Clear it with cli_stress_clear.
bool cli_stress_take(const struct cli_list *list, struct eng_stressing *stressing,
                     struct lit_error *error);
// Reads what searches have found, if that is what was asked for.
bool cli_stress_load(struct eng_stressing *stressing, struct store *store, struct lit_error *error);
void cli_stress_clear(struct eng_stressing *stressing);
