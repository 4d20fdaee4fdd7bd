// SPDX-License-Identifier: Apache-2.0
// litmus run and litmus progress: measure configurations on devices, store each result as it
// arrives, print the tables.
#pragma once

#include "catalogue/catalogue.h"
#include "session/session.h"

// Checks and settles the options, measures on the chosen devices, or resumes a session, and exits
// with a code for the findings: returns it; errors were printed. argc and argv are for the session.
int run_tests(const struct ses_options *options, int argc, char **argv, struct lit_error *error);

// Runs generated programs whose threads wait for each other.
struct run_progress {
    struct ses_options run; // patterns are made from the rest
    bool all;               // all programs, not only the smallest of those that are alike
    uint64_t polls;
    const char *write; // folder: only write the programs, as .litmus files; or NULL
};
int run_progress(struct run_progress *asked, int argc, char **argv, struct lit_error *error);
// Appends a session of these: the strongest model for each device's lanes, subgroups and
// workgroups; with `all` also each program's result. False with an error if there is no report.
bool run_progress_text(struct store *store, int64_t session, bool all, struct text *text,
                       struct lit_error *error);
