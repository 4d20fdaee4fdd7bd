// SPDX-License-Identifier: Apache-2.0
// litmus fuzz relatives.
#pragma once

#include "cli/cli.h"

// What it was told.
struct cli_relatives {
    struct cli_list tests; // patterns
    const struct cli_list *devices, *simt;
    uint64_t seed;
    uint64_t count;     // relatives of each change
    uint64_t runs;      // of each relative
    uint64_t keep;      // so many modules are stored
    const char *out;    // where; NULL: "relatives"
    const char *module; // a file: the only relative; NULL: none
    double timeout, time;
    bool quiet;
    int verbose;
};

// Runs configurations and relatives of their modules. Returns the exit code.
int cli_relatives(const struct cli_relatives *chosen, struct lit_error *error);
