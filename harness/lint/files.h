// SPDX-License-Identifier: Apache-2.0
// What litmus lint finds in files.
#pragma once

#include "base/error.h"
#include "base/text.h"

struct linting_options {
    bool rows, all, quiet, built_in;
    uint64_t sm;
    struct lit_list defines, includes;
};

// Loads a file of SPIR-V as words, which the caller frees, from what `page` becomes. False with an
// error.
typedef bool linting_load(const char *path, const struct linting_options *chosen, uint32_t **words,
                          size_t *count, struct text *page, struct lit_error *error);

// Prints what is found in each file, and the sum. Returns the exit code, or -1 with an error.
int linting(const struct linting_options *chosen, linting_load *load, const struct lit_list *paths,
            struct lit_error *error);
