// SPDX-License-Identifier: Apache-2.0
// Parts of litmus fuzz.
#pragma once

#include "cli/device.h"
#include "session/session.h"
#include "engine/client.h"
#include "fuzz/campaign.h"

// --- Output of a campaign

// Programs that failed and that passed, including earlier parts of the session.
uint64_t cli_fuzz_failed(const struct fuzz_tally *tally);
uint64_t cli_fuzz_passed(const struct fuzz_tally *tally);
uint64_t cli_fuzz_judged(const struct fuzz_tally *tally);

// A program that failed.
void cli_fuzz_put_found(const struct fuzz_found *found, enum masks_rule rule, struct text *text);
// Prints the table of one device.
void cli_fuzz_put_table(const struct fuzz_tally *tally, const struct gen_limits *limits,
                        struct text *text);
// Prints why programs failed, as far as known.
void cli_fuzz_put_groups(const struct fuzz_tally *tally, struct text *text);

// Appends the numbers of the device's failed programs in the store: the first 16 of each
// configuration.
void cli_fuzz_put_failed(const struct fuzz_session *session, struct text *text);
// Appends how often each operation is in the session's programs for the device, by the innermost
// construct around it and by type. Draws the programs again.
void cli_fuzz_put_coverage(const struct fuzz_session *session, const struct fuzz_plan *plan,
                           struct text *text);

// --- Options. Those that a family does not have stay 0.

struct cli_fuzz_options {
    struct lit_list devices, simt;
    uint64_t count, runs, keep, steps, depth, jobs, pressure; // count 0: until it is told to stop
    struct lit_seed seed, index;
    int rule, verbose;
    bool show, quiet, coverage, resume;
    const char *out, *replay, *db, *shard;
    double timeout, time;
};

int cli_fuzz_memory(struct cli_call *call, const struct cli_fuzz_options *asked);

// --- A campaign is a session like those of litmus run.

struct cli_campaign {
    struct store *store; // NULL: nothing is stored
    struct store_session session;
    struct ses_options options; // in the session's form
    bool missing;               // --resume has something left: a missing device, programs
};

// Finishes the session unless something is missing, and prints the last lines. Returns the exit
// code: `code`, or an error's.
int cli_campaign_end(struct cli_campaign *campaign, const char *family, double started,
                     enum lit_exit code, const char *reason, struct lit_error *error);
void cli_campaign_close(struct cli_campaign *campaign);
