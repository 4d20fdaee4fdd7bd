// SPDX-License-Identifier: Apache-2.0
// Command line parts shared by subcommands that use devices.
#pragma once

#include "cli/cli.h"
#include "session/device.h"

// Options of several subcommands, for a struct with these members.
#define CLI_OPTION_DEVICE                                                                          \
    CLI_ROW('d', "device", CLI_LIST | CLI_NOT(CLI_RESUMED), devices, "DEVICE",                     \
            "only this device, as for 'litmus run -d'; can be repeated")
#define CLI_OPTION_SIMT(help)                                                                      \
    CLI_ROW(0, "simt", CLI_LIST | CLI_NOT(CLI_RESUMED), simt, CLI_SIMT_ARGUMENT, help)
// Kept where --simt is: a run has one device of software at most.
#define CLI_OPTION_EMULATE                                                                         \
    CLI_ROW(0, "emulate", CLI_LIST | CLI_NOT(CLI_RESUMED), simt, "GPU[,SETTING=VALUE...]",         \
            "only on this GPU in software, under Mesa's RADV: navi21, navi31,\ngfx1201 "           \
            "(docs/rdna.md)")
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

#define CLI_SIMT_ARGUMENT "MODEL[,SETTING=VALUE...]"
#define CLI_SIMT_MODELS                                                                            \
    "lockstep, tangled, snooping,\nlagging, peeling, relaxed, unfair, faulty, miscompiling"
#define CLI_STRESS_ARGUMENT "none|random|tuned|SET"

// Rows for report files, for a struct with `outputs` (struct ses_outputs).
#define CLI_OUTPUT_OPTION(name, suffix, function, about)                                           \
    CLI_ROW(0, #name, CLI_TEXT, outputs.files[REPORT_AS_##name], "FILE",                           \
            "write a report at the end: " about),
#define CLI_OUTPUT_OPTIONS REPORT_FILES(CLI_OUTPUT_OPTION)
