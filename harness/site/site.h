// SPDX-License-Identifier: Apache-2.0
// HTML pages for many sessions: one for each test, each device and driver, and each finding, and an
// index. They need no network and no other files.
#pragma once

#include "base/folder.h"
#include "report/html.h"

#define SITE_MARK ".litmus-site"

// The code of a test's failures in a session, as HTML.
struct site_code {
    char *test;
    struct text html;
};

struct site {
    bool without_code;             // set before site_add: pages show no code
    struct report_model *sessions; // sorted by start once site_make has begun
    char **labels;                 // of their files, "litmus.db"
    size_t session_count;
    struct site_code *codes;
    size_t code_count;

    // The merged model: a device for each device and driver, and for each a result per
    // configuration (gather.c), sorted by test, device, name. It owns its arrays, but not their
    // contents.
    struct report_model all;
    struct report_model *of_device; // the same, by device
    struct text search;             // the search script's data without the path to the folder
    size_t room;                    // bytes left for a page's own content
};

// Reads a source (compare/side.h); all sessions of a store. False with an error.
bool site_add(struct site *site, const char *source, struct lit_error *error);
// Makes all pages; at least one source must have been added. False with an error.
bool site_make(struct site *site, struct lit_folder *folder, struct lit_error *error);
void site_clear(struct site *site);

// ---- gather.c

// Fills all and of_device.
void site_gather(struct site *site);
// Whether a device of a session is this one of all.
bool site_is_device(const struct site *site, size_t device, const struct eng_device *other);
// The results of one test as a model, which must not be cleared. *at is the test's position in all,
// and is advanced to the next test.
struct report_model site_of_test(const struct site *site, size_t *at);

// Sums for a table row; failing means report_failed or broken.
struct site_sum {
    size_t ran, failed, skipped, open; // configurations other than controls
    size_t controls, triggered;        // controls
    uint64_t failed_runs, judged;      // of those that failed
    const struct result *worst;        // the one with the highest rate; NULL: none failed
    const struct result *quiet;        // the passed one with the weakest bound, or NULL
};
void site_sum_add(struct site_sum *sum, const struct result *result);
// 0 without failures; else 1 to 4 by the highest rate.
int site_heat(const struct site_sum *sum);
// Whether a forbidden configuration failed.
bool site_has_bug(const struct report_model *model);
// Whether a result is attributed to a finding.
bool site_is_of(const struct report_model *model, const struct result *result, const char *finding);
// The day of the first session in which such a result failed on a device: "2026-11-21"; "" if
// never. `test` and `finding` may be NULL: any.
const char *site_since(const struct site *site, size_t device, const char *test,
                       const char *finding);
