// SPDX-License-Identifier: Apache-2.0
// The search of tune.h on devices, for each of the configurations that patterns select.
#pragma once

#include "base/random.h"
#include "store/store.h"

struct tune_options {
    struct lit_list devices, simt;
    uint64_t sets, runs;
    struct lit_seed seed;
    bool controls, thorough, quiet;
    int verbose, color;
    const char *db;
    double timeout, time, budget;
};

// Settles options that were not given, searches, prints and stores what is found. argc and
// argv are for the session. Returns the exit code; an error was printed.
int tune_configurations(struct tune_options *chosen, const struct lit_list *patterns, int argc,
                        char **argv, struct lit_error *error);
