// SPDX-License-Identifier: Apache-2.0
// Rates, and the reproducibility score.
#include "tune/score.h"

#include <math.h>

void tune_count_add(struct tune_count *sum, const struct tune_count *more)
{
    sum->runs += more->runs;
    sum->failed += more->failed;
    sum->no_progress += more->no_progress;
    sum->seconds += more->seconds;
}

uint64_t tune_judged(const struct tune_count *count)
{
    return count->runs - count->no_progress;
}

double tune_rate(const struct tune_count *count)
{
    const uint64_t judged = tune_judged(count);
    return judged ? (double)count->failed / (double)judged : 0;
}

double tune_per_second(const struct tune_count *count)
{
    return count->seconds > 0 ? (double)count->failed / count->seconds : 0;
}

double tune_score(double per_second, double budget)
{
    return -expm1(-per_second * budget);
}

double tune_ceiling(double score, double budget)
{
    return ceil(-log1p(-score)) / budget;
}
