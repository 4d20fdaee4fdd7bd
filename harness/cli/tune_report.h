// SPDX-License-Identifier: Apache-2.0
// The words and tables of `litmus tune`. Pure.
#pragma once

#include "report/format.h"
#include "tune/tune.h"

struct cli_tune_view {
    double budget; // seconds, of the reproducibility score
    bool color, every;
};

// Appends what one search tried and found: the tries that look best, no stress among them, then
// what runs anew say.
void cli_tune_table(const struct tune_search *search, const struct cli_tune_view *view,
                    struct text *out);

// Controls before and after: in runs anew without stress, and as many under the best set.
struct cli_tune_controls {
    uint64_t run, seen_before, seen_after;
    uint64_t firm_before, firm_after; // reproducible within the budget, TUNE_REPRODUCIBLE
};
// Adds a control's search that came to its end.
void cli_tune_controls_add(struct cli_tune_controls *controls, const struct tune_search *search,
                           double budget);
// Appends the mutation score before and after.
void cli_tune_controls(const struct cli_tune_controls *controls, double budget, struct text *out);
