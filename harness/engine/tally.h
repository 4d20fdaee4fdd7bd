// SPDX-License-Identifier: Apache-2.0
// What the results of a run add up to: how many of each, and the exit code. Pure functions.
#pragma once

#include "base/error.h"
#include "engine/result.h"

struct eng_tally {
    uint64_t results[ENG_RESULTS];
    uint64_t planned;   // configurations on all chosen devices
    uint64_t forbidden; // configurations in which a forbidden outcome was seen
    uint64_t gave_up;   // forbidden and contested ones in which a bounded wait ran out
    uint64_t undecided; // whose sequential rule was not reached by the most runs allowed
    unsigned stopped;   // devices whose queue stopped
    unsigned unopened;  // devices that refused to be opened, or of whom nothing useful is known
    unsigned failed;    // devices whose queue stopped because the harness failed
    bool shard;         // this is one part of a run over several machines
    bool out_of_time;
};

void eng_tally_add(struct eng_tally *tally, enum eng_result result,
                   enum cat_expectation expectation, const struct eng_count *count);

// The exit code and, in `reason`, a sentence without a full stop. What is known for certain comes
// before what is missing. The first that holds:
//   4   a device was lost for good, or hung again and again, and its queue stopped
//   1   a forbidden outcome was seen; or the driver crashed, hung or lost the device
//   5   the time was used up
//   3   the harness failed, and a queue stopped for it;
//       a configuration could not be run although the device has what it needs (harness-error), or
//       gave up waiting (no-progress, unless that is what it asks about: assumed, control), or one
//       of several devices refused to be opened; or a sequential rule was not reached
//   77  nothing ran; 0 if it is a shard that has no configuration
//   0   otherwise
enum lit_exit eng_tally_exit(const struct eng_tally *tally, char *reason, size_t size);
