// SPDX-License-Identifier: Apache-2.0
// One side of a comparison: what one session measured, or several of one device and driver
// together. Read from stores and from JSON reports, neither of which is trusted.
#pragma once

#include "report/model.h"

struct compare_side {
    char *label;               // "before.db#3", "report.json", "before.db#1 to #4", for people
    struct report_model model; // with several sources the first's session, and the sum of results
    enum eng_result *broke; // of each result: how it broke in one of the sources (eng_is_broken),
                            // ENG_PASS if in none
    size_t sources;         // sessions that were put together
    size_t partial;         // results that were interrupted
    bool unfinished;        // a source is a session that was not finished
    char started[11];       // the day on which the newest source began, "2026-11-21"
};

struct compare_source {
    const char *const *names; // FILE, FILE#SESSION, FILE#all; "-" is a JSON report on stdin
    size_t count;             // 1 or more: all of them are put together
    bool unfinished;          // take sessions that were not finished as well
};

// Reads a side. False with an error of one line (exit code 2) that names the source and says what
// is wrong: no such file, neither a store nor a report, another schema, cut off, no results,
// numbers that cannot be, a session that is not finished. Clear it after a failure too.
bool compare_side_load(struct compare_side *side, const struct compare_source *source,
                       struct lit_error *error);
// The side of one session of an open store, whether it is finished or not.
bool compare_side_session(struct compare_side *side, struct store *store, int64_t session,
                          struct lit_error *error);
void compare_side_clear(struct compare_side *side);

// Makes a model of a JSON report (docs/report.schema.json, version 2 or later). `label` is for
// messages. Clear the model after a failure too. Pure.
bool compare_side_parse(const char *bytes, size_t length, const char *label,
                        struct report_model *model, struct lit_error *error);
