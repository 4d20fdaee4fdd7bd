// SPDX-License-Identifier: Apache-2.0
// What a device does where the specifications leave it open: which of the strategies that texts on
// divergence list explain what the tests of the family `divergence` observed. Pure: a function of
// the model.
#pragma once

#include "report/under.h"

#include <jansson.h>

#define REPORT_STRATEGIES 9

// One strategy, and how many observations are as it has them.
struct report_strategy {
    const char *name; // "fewer lanes first"
    uint64_t matching;
    struct stat_interval interval; // of matching among the question's observations
};

struct report_fingerprint {
    const char *question;      // "which side of a branch runs first"
    struct report_under under; // the same for all questions
    uint64_t observations;
    const char *rule; // that of its results, the last one if they differ, "" if there was none
    // Those with the most matching observations first. None at all if nothing was observed.
    struct report_strategy strategies[REPORT_STRATEGIES];
    size_t count;
    size_t best; // how many have as many as the first: what was observed cannot tell them apart
};

// The questions that were observed on a device. *list is allocated; returns how many.
size_t report_fingerprints(const struct report_model *model, size_t device,
                           struct report_fingerprint **list);

// The first strategy's share is large enough to name the device by it; else it is mixed.
bool report_fingerprint_is_clear(const struct report_fingerprint *fingerprint);

// How many of its strategies a reader wants to see.
size_t report_fingerprint_shown(const struct report_fingerprint *fingerprint);

// The section of each report; nothing, and an empty array, where nothing was observed.
void report_fingerprints_terminal(const struct report_model *model, size_t device, bool color,
                                  struct text *out);
void report_fingerprints_markdown(const struct report_model *model, size_t device,
                                  struct text *out);
json_t *report_fingerprints_json(const struct report_model *model);
