// SPDX-License-Identifier: Apache-2.0
// How each variant fails under the models of the SIMT simulator: docs/mutation-score.json, built in
// by tools/ticket-data.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define REPORT_MODELS 16

struct report_reference {
    const char *variant; // "shuffle.scan-loop/sync=none,..."
    struct {
        uint16_t failed, runs; // of all subgroup sizes; runs 0: not run under this model
    } by[REPORT_MODELS];       // in the order of report_reference_models
};

extern const char *const report_reference_models[];       // up to NULL
extern const struct report_reference report_references[]; // by variant, in the order of bytes
extern const size_t report_reference_count;

// The row of a configuration ("...@..." or without its parameters), NULL if there is none.
const struct report_reference *report_reference_find(const char *name);
