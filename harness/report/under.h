// SPDX-License-Identifier: Apache-2.0
// Under which stress the results were measured that a table sums: rates under different stress are
// of different things, and never added. Pure functions of a model.
#pragma once

#include "report/format.h"

#include <jansson.h>

// The stress of a family's table: that of the most results, of several with as many no stress or
// the lesser notation.
struct report_under {
    const char *stress; // belongs to the model; "" for none
    uint64_t others;    // configurations that ran under another
};
struct report_under report_under(const struct report_model *model, size_t device,
                                 const char *family);
// Whether a result may be in the sum. What was skipped ran under none, and may.
bool report_is_under(const struct report_result *result, const struct report_under *under);

// Appends a sentence or two that say so; nothing if no result of the family ran under stress.
void report_under_sentence(struct text *out, const struct report_under *under);
// The same as a paragraph of each report.
void report_under_terminal(struct text *out, const struct report_under *under);
void report_under_markdown(struct text *out, const struct report_under *under);
// Sets "stress" and "other_stress".
void report_under_json(json_t *json, const struct report_under *under);
