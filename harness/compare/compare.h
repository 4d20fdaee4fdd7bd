// SPDX-License-Identifier: Apache-2.0
// A whole comparison of two sides: pairs, verdicts, waivers, what it could have seen, and its
// reports, which are pure functions of it.
#pragma once

#include "compare/pair.h"
#include "compare/waiver.h"

#include <jansson.h>

struct compare_request {
    const struct compare_side *a, *b;
    const char *const *devices; // patterns: none, one, or A's and B's
    size_t device_count;
    const char *axis;        // "sync=none,control-each"; NULL
    const char *const *only; // patterns of configurations
    size_t only_count;
    struct compare_policy policy;
};

#define COMPARE_POWER 0.8

// The rise of a rate that would have been found significant with a probability of COMPARE_POWER.
struct compare_power {
    size_t tests;                      // the number that Holm's correction is taken to divide by
    size_t never;                      // configurations of which not a run failed in A ...
    double typical_never, worst_never; // ... the rate that would have been found: median, largest
    size_t all;                        // configurations that can become worse
    double typical, worst;             // rise over A's rate
    const char *worst_name;            // belongs to the comparison
};

struct comparison {
    const struct compare_side *a, *b;
    struct compare_axis axis;
    struct compare_pairs pairs;
    struct compare_entry *entries;
    size_t count;
    struct compare_policy policy;
    struct compare_summary summary;
    struct compare_power power;
    const struct compare_waivers *waivers; // NULL: none
    char **remarks;                        // of one sentence each, about the sides
    size_t remark_count;
};

// Compares. `waivers` may be NULL; what they excused is written into them. The sides and waivers
// have to outlive the comparison. False with an error: no devices belong together, no configuration
// is on both sides, or all that are have other modules. Clear it after a failure too.
bool compare_make(struct comparison *comparison, const struct compare_request *request,
                  struct compare_waivers *waivers, struct lit_error *error);
void compare_clear(struct comparison *comparison);

// What judged entries could have shown. Takes some milliseconds for each different number of runs.
void compare_power(const struct compare_entry *entries, size_t count,
                   const struct compare_policy *policy, const struct compare_summary *summary,
                   struct compare_power *power);

struct compare_look {
    bool color;
    int verbosity; // -1: headline and regressions; 0; 1: every configuration
};

void compare_text(const struct comparison *comparison, const struct compare_look *look,
                  struct text *out);
void compare_json(const struct comparison *comparison, struct text *out);
void compare_markdown(const struct comparison *comparison, struct text *out);
// Annotations of GitHub Actions, one a line, and the headline.
void compare_github(const struct comparison *comparison, struct text *out);
