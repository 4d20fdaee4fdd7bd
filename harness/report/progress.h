// SPDX-License-Identifier: Apache-2.0
// What the tests of the family `progress` say of a device together: who gets to run while others
// wait, and the strongest model of forward progress that all of it is consistent with. A pure
// function of the model.
#pragma once

#include "report/under.h"

#include <jansson.h>

// One kind of wait: how often it came to its end.
struct report_wait {
    const char *who;               // "a workgroup that has begun", static
    const char *test;              // "progress.chain, order=ticket", static
    uint64_t runs;                 // counted, of all configurations together
    uint64_t stuck;                // runs in which the wait ran out, of these
    uint64_t ended_by;             // configurations that hung, crashed or had wrong data: no answer
    const char *rule;              // a stopping rule of one of them, or ""
    struct stat_interval interval; // of the stuck share, 95 %
};

#define REPORT_WAITS 14

struct report_progress {
    struct report_wait waits[REPORT_WAITS]; // those with runs, in the order of the families' page
    size_t count;                           // 0: nothing of the family was run
    uint64_t together; // the most workgroups that were all there at once in every run; 0: not known
    uint64_t apart;    // the fewest that were not; 0: not seen
    struct report_under under;
    // What the runs are consistent with, static sentences; NULL where nothing was run.
    const char *between_workgroups, *between_subgroups, *between_lanes;
};

void report_progress(const struct report_model *model, size_t device,
                     struct report_progress *progress);

// The section of each report; nothing, and an empty array, where nothing of the family was run.
void report_progress_terminal(const struct report_model *model, size_t device, bool color,
                              struct text *out);
void report_progress_markdown(const struct report_model *model, size_t device, struct text *out);
json_t *report_progress_json(const struct report_model *model);
