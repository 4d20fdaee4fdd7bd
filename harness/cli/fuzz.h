// SPDX-License-Identifier: Apache-2.0
// The parts of litmus fuzz.
#pragma once

#include "cli/session.h"
#include "engine/client.h"
#include "fuzz/campaign.h"

// --- What is printed of a campaign

// Programs that failed, passed, and both, with those of earlier parts of the session.
uint64_t cli_fuzz_failed(const struct fuzz_tally *tally);
uint64_t cli_fuzz_passed(const struct fuzz_tally *tally);
uint64_t cli_fuzz_judged(const struct fuzz_tally *tally);

// A program that failed.
void cli_fuzz_put_found(const struct fuzz_found *found, enum masks_rule rule, struct text *text);
// The table of one device.
void cli_fuzz_put_table(const struct fuzz_tally *tally, const struct gen_limits *limits,
                        struct text *text);
// Why programs failed, as far as that is known.
void cli_fuzz_put_groups(const struct fuzz_tally *tally, struct text *text);

// --- Campaigns of generated programs in the store. A campaign is a session like one of litmus run:
// its configurations are those of the family `generated`, one for each subgroup size of a device,
// and a run of one is a program (dev_facts_program). Programs may end in any order; what is stored
// of a configuration is always its first runs.

// What identifies the configurations of a campaign, but for the subgroup size.
struct cli_campaign_kind {
    const char *family;                    // "groups"
    const char *rule;                      // as given; NULL: the strongest that the device has
    uint64_t steps, depth, pressure, runs; // runs: of each program
};

// Takes the kind, but for the family, out of a session's pattern; the rule stays in *cfg. False if
// it makes no sense.
bool cli_campaign_read(const struct cfg *cfg, struct cli_campaign_kind *kind);

// One configuration of the device at hand.
struct cli_campaign_size {
    uint32_t subgroup;
    struct text name;
    struct store_result row;
    uint64_t runs; // that are to be done
    char reason[512];
    enum eng_result stuck; // SKIP, HARNESS_ERROR: of its next run there is no answer; else PASS
    bool changed;          // since it was stored
};

struct cli_campaign {
    struct store *store; // NULL: nothing is stored
    struct store_session session;
    struct cli_run_options options; // as the session has them
    struct cli_campaign_kind kind;
    struct lit_error *error;
    bool missing; // something is left for --resume: a device that is not there, programs
    // Of the device at hand:
    const struct eng_device *device;
    struct cli_campaign_size sizes[DEV_MAX_SIZES];
    size_t count;
    struct cli_campaign_early **early; // programs that ended before others in front of them
    size_t early_count;
    uint32_t process; // number of this invocation among those that measured the device
    double put;       // when something is to be stored next
};

// Opens the store `options.db`, and begins a session.
bool cli_campaign_begin(struct cli_campaign *campaign, const struct cli_call *call,
                        const struct cli_devices *devices, struct lit_error *error);
// Opens it, and takes the session that cli_session_campaign chooses, with its options.
bool cli_campaign_resume(struct cli_campaign *campaign, const char *family,
                         struct lit_error *error);
// The devices of a session that is resumed; of a finished one, of which nothing is to be run, they
// need not be there.
bool cli_campaign_devices(struct cli_campaign *campaign, struct cli_devices *devices,
                          struct lit_error *error);
// Finishes the session unless something is missing, and prints the last lines. Returns the exit
// code: `code`, or that of an error.
int cli_campaign_end(struct cli_campaign *campaign, double started, enum lit_exit code,
                     const char *reason, struct lit_error *error);
void cli_campaign_close(struct cli_campaign *campaign);

// The device whose turn it is. Adds to *tally what the session has of it.
bool cli_campaign_device(struct cli_campaign *campaign, const struct eng_device *device,
                         enum masks_rule rule, struct fuzz_tally *tally);
// How many programs the session is to have of it.
uint64_t cli_campaign_planned(const struct cli_campaign *campaign);
// Whether a program is still to be run (struct fuzz_listener).
bool cli_campaign_lacks(const struct cli_campaign *campaign, uint64_t index);
// Counts one; about once a second what was counted is stored, in one transaction.
bool cli_campaign_ran(struct cli_campaign *campaign, uint64_t index,
                      const struct eng_outcome *outcome);
// Stores the rest.
bool cli_campaign_put(struct cli_campaign *campaign);
// Whether the device has all of its programs.
bool cli_campaign_is_whole(const struct cli_campaign *campaign);

// Appends the numbers of failed programs that the store has of the device: of each configuration
// the first 16.
void cli_campaign_put_failed(const struct cli_campaign *campaign, struct text *text);
// Appends how often which operation is in the programs that the session has of the device, by the
// innermost construct around it and by type: they are drawn again.
void cli_campaign_coverage(const struct cli_campaign *campaign, const struct fuzz_plan *plan,
                           struct text *text);
