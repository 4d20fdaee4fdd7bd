// SPDX-License-Identifier: Apache-2.0
// What subcommands that use devices share.
#pragma once

#include "base/text.h"
#include "cli/cli.h"
#include "engine/plan.h"
#include "engine/simt.h"
#include "model/inventory.h"
#include "store/store.h"

// Devices in words, for `run` and `devices`.

// "Example GPU · driver 1.2.3 (vendor) · Vulkan 1.4.312 · subgroups of 32", with ", " for the dots
// if the terminal is not UTF-8.
void cli_device_line(const struct dev_facts *facts, bool utf8, struct text *text);
// The same as a line of its own, with "device 1 of 2" at its end: what stands above all that is
// said of a device.
void cli_device_heading(const struct eng_device *device, size_t count, bool utf8,
                        struct text *text);
// "32", "32 (8 to 32)"
void cli_subgroup_sizes(const struct dev_facts *facts, char *text, size_t size);
// "1.4.312"
void cli_vulkan_version(uint32_t version, char *text, size_t size);
// Columns that a string takes, one for each code point.
size_t cli_width(const char *string);

// The option --simt, which several subcommands have.

#define CLI_SIMT_ARGUMENT "MODEL[,SETTING=VALUE...]"
#define CLI_SIMT_MODELS   "lockstep, tangled, snooping,\nlagging, peeling, relaxed, unfair, faulty"

// What --simt said, NULL if it was not given. False with an error if it was given more than once.
bool cli_simt_take(const struct cli_list *list, const char **given, struct lit_error *error);
// The same, and makes the reference driver the only one that is seen.
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
