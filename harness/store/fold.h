// SPDX-License-Identifier: Apache-2.0
// When two results of one configuration may be added, and what their sum is. Pure functions.
#pragma once

#include "store/store.h"

enum store_fold {
    STORE_FOLD_RUNS,        // other runs of one session (shards of runs): the same seed
    STORE_FOLD_EXPERIMENTS, // whole sessions: runs numbered from 0 in each, with seeds of their own
};

// Appends to `why` what keeps them from being added ("module hash 12ab… and 34cd…"); true if
// nothing does. Names and devices are the same. Of separate experiments the seeds must differ; of
// shards the runs must not overlap.
bool store_fold_agrees(const struct store_result *a, const struct store_result *b,
                       enum store_fold kind, struct text *why);

// Adds `more` to *sum, which agree. Shards come in order of their runs, experiments in any order.
// What is not a count:
// - the result is the first that is no verdict (hang, crash...), with its evidence, else the
//   verdict over the sum;
// - the first run is that of the one with the lowest number, of experiments that of any;
// - failures are the first ENG_MAX_FAILURES by number of run; of experiments those of the first
// that
//   failed, whose seed becomes the sum's, so that they can be seen again;
// - parts stand one behind the other with process numbers apart; when there are more than
//   ENG_MAX_PARTS, neighbours are put together. None if those of a result with runs are not known.
// `more` keeps its strings; those of *sum are allocated.
void store_fold(struct store_result *sum, const struct store_result *more, enum store_fold kind);
