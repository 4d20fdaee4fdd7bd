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

// Appends the numbers of failed programs that the store has of the device: of each configuration
// the first 16.
void cli_fuzz_put_failed(const struct fuzz_session *session, struct text *text);
// Appends how often which operation is in the programs that the session has of the device, by the
// innermost construct around it and by type: they are drawn again.
void cli_fuzz_put_coverage(const struct fuzz_session *session, const struct fuzz_plan *plan,
                           struct text *text);

// --- What was asked for. What a family does not have stays 0.

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

// --- A campaign is a session like one of litmus run.

struct cli_campaign {
    struct store *store; // NULL: nothing is stored
    struct store_session session;
    struct ses_options options; // as the session has them
    bool missing; // something is left for --resume: a device that is not there, programs
};

// Finishes the session unless something is missing, and prints the last lines. Returns the exit
// code: `code`, or that of an error.
int cli_campaign_end(struct cli_campaign *campaign, const char *family, double started,
                     enum lit_exit code, const char *reason, struct lit_error *error);
void cli_campaign_close(struct cli_campaign *campaign);
