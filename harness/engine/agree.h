// SPDX-License-Identifier: Apache-2.0
// Whether the numbers of a result agree with one another: what holds of everything that this
// program counts, batch by batch, resumed, interrupted or merged. The one place for it: events of
// workers, rows of stores and JSON reports are held against the same. Pure functions, which return
// what contradicts what ("the outcomes do not add up to the instances"), or NULL.
#pragma once

#include "engine/result.h"

// The result follows from the runs; a hang, a crash, a lost device, an error of the harness and
// what was interrupted may have come after any number of runs.
const char *eng_runs_disagree(enum eng_result result, uint64_t runs, uint64_t failed_runs,
                              uint64_t no_progress_runs);

// Runs, instances, outcomes and failures. `mode` says which outcomes fail; NULL if it is not known.
const char *eng_count_disagrees(const struct eng_count *count, const struct cat_mode *mode);

// Both, and the parts.
const char *eng_result_disagrees(enum eng_result result, const struct eng_count *count,
                                 const struct cat_mode *mode);
