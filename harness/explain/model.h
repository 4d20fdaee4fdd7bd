// SPDX-License-Identifier: Apache-2.0
// What litmus model decides and prints.
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct exp_model_options {
    bool quiet, no_chains, progress;
    uint64_t rounds, most;
    const char *svg;
};

// Prints each program's verdict, and writes the pictures. Returns the exit code, or -1 with an
// error.
int exp_model(const struct exp_model_options *chosen, const struct lit_list *paths,
              struct lit_error *error);
