// SPDX-License-Identifier: Apache-2.0
// What `litmus fuzz` prints: a program that failed, the table of a device, the exit code.
#pragma once

#include "fuzz/campaign.h"
#include "report/format.h"

// Appends what is known of a program that failed.
void cli_fuzz_found(const struct fuzz_found *found, enum masks_rule rule, struct text *text);

// Appends the table of one device.
void cli_fuzz_table(const struct fuzz_tally *tally, enum masks_rule rule, struct text *text);

// What a run of several devices adds up to.
struct cli_fuzz_sum {
    uint64_t failed, broken, errors, ran, skipped; // programs: wrong masks; crash, hang, lost; ...
    unsigned stopped, unopened;                    // devices
    bool out_of_time;
};
void cli_fuzz_add(struct cli_fuzz_sum *sum, const struct fuzz_tally *tally);
// The exit code and why, as docs/reading.md has them.
enum lit_exit cli_fuzz_exit(const struct cli_fuzz_sum *sum, char *reason, size_t size);
