// SPDX-License-Identifier: Apache-2.0
// What counts say of how reliably a failure comes back. Pure.
#pragma once

#include "stats/interval.h"

#include <stdbool.h>
#include <stdint.h>

struct tune_count {
    uint64_t runs, failed, no_progress;
    double seconds; // wall time in the worker, compiling included
};

void tune_count_add(struct tune_count *sum, const struct tune_count *more);
// Runs that did not give up waiting: what a rate is of.
uint64_t tune_judged(const struct tune_count *count);
// Failing runs of those judged; 0 if there are none.
double tune_rate(const struct tune_count *count);
// Failing runs a second; 0 without time.
double tune_per_second(const struct tune_count *count);

// The reproducibility score of MC Mutants (Levine, Guo, Cho, Baker, Levien, Neto, Quinn, Sorensen,
// ASPLOS 2023, section 4.2): the chance to see at least one failure within a time budget in
// seconds, 1 - e^-(failures a second * budget), failures coming independently of one another.
double tune_score(double per_second, double budget);

// The rate at which a score is reached, "ceiling rate": as the paper's artifact has it, -ln(1 -
// score) rounded up to whole failures, in the budget.
double tune_ceiling(double score, double budget);

#define TUNE_REPRODUCIBLE 0.99999 // the paper's target: 12 failures in the budget
#define TUNE_BUDGET       4.0     // seconds for a test: the paper's, too
