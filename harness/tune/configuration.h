// SPDX-License-Identifier: Apache-2.0
// The search of tune.h on devices, for each of the configurations that patterns select.
#pragma once

#include "session/session.h"

struct tune_options {
    struct ses_options run; // `runs`: of each set in the first round
    uint64_t sets;
    bool controls;
    double budget;
};

// Settles options that were not given, searches, prints and stores what is found. argc and
// argv are for the session. Returns the exit code; an error was printed.
int tune_configurations(struct tune_options *chosen, int argc, char **argv,
                        struct lit_error *error);
