// SPDX-License-Identifier: Apache-2.0
// What a run was asked for, and how it is kept in the store so that --resume can go on with it.
#pragma once

#include "cli/cli.h"
#include "cli/output.h"
#include "model/inventory.h"
#include "model/rule.h"
#include "engine/plan.h"

struct cli_run_options {
    bool all, thorough, shuffle, validation, serial, resume, dry_run, quiet;
    int verbose, color, isa; // isa: enum cli_code_which
    struct cli_list patterns, devices;
    struct cli_list baselines, waivers;
    struct cli_list simt;   // at most one: the reference driver's settings
    struct cli_list stress; // at most one: "none", "random", "tuned" or a set
    uint64_t runs;          // 0: as many as are usual
    struct cli_seed seed;
    double timeout, time; // seconds; time 0: no limit
    const char *db;
    const char *shard_tests, *shard_runs; // as given, NULL: not
    const char *ahead_text;               // likewise; not of the session
    int ahead;                            // what comes of it: eng_run's
    struct eng_shard shard;               // what comes of it
    struct cli_outputs outputs;           // not of the session: a resumed one has its own
    double until_width, until_decided;    // as given, 0: not
    uint64_t max_runs;                    // 0: as many as are usual
    struct eng_rule rule;                 // what comes of these
};

// Whether patterns and settings can be kept: JSON has no text but UTF-8. False with an error.
bool cli_session_check(const struct cli_list *patterns, const struct cli_list *simt,
                       struct lit_error *error);

// The options as JSON, with the identities and numbers of the chosen devices. free() it.
char *cli_session_write(const struct cli_run_options *options,
                        const struct eng_inventory *inventory, const bool *chosen);

// Takes what a session was asked for out of its JSON: everything but the store, the time limit and
// what concerns the terminal. False with an error if it is damaged.
bool cli_session_read(const char *json, struct cli_run_options *options, struct lit_error *error);

// Chooses the devices that the session had, and gives them the numbers that they had. Calls
// `missing` for each that is not there. False with an error if the JSON is damaged.
bool cli_session_choose(const char *json, struct eng_inventory *inventory, bool *chosen,
                        void (*missing)(const char *name, void *user), void *user,
                        struct lit_error *error);
