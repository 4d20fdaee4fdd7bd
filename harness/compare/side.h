// SPDX-License-Identifier: Apache-2.0
// One side of a comparison: the results of one session, or of several for one device and driver
// together. We read them from stores and JSON reports, and trust neither.
#pragma once

#include "report/model.h"

struct compare_side {
    char *label;               // "before.db#3", "report.json", "before.db#1 to #4", for people
    struct report_model model; // with several sources the first's session, and summed results
    enum eng_result *broke;    // for each result: how it broke in a source, or ENG_PASS
    size_t sources;            // sessions combined here
    size_t partial;            // interrupted results
    bool unfinished;           // a source is an unfinished session
    char **places; // each device's source, if sources are side by side (compare_across_load); else
                   // NULL
    char started[11]; // the day when the newest source began, "2026-11-21"
};

struct compare_source {
    const char *const *names; // FILE, FILE#SESSION, FILE#all; "-" is a JSON report on stdin
    size_t count;             // 1 or more, all combined
    bool unfinished;          // takes unfinished sessions as well
};

// Reads a side. False with a one-line error (exit code 2) that names the source and the fault: no
// such file, neither a store nor a report, another schema, cut off, no results, impossible numbers,
// an unfinished session. Clear it after a failure too.
bool compare_side_load(struct compare_side *side, const struct compare_source *source,
                       struct lit_error *error);
// The side of one session of an open store, finished or not.
bool compare_side_session(struct compare_side *side, struct store *store, int64_t session,
                          struct lit_error *error);
void compare_side_clear(struct compare_side *side);

// Orders pointers to results, for qsort and bsearch: by device, then by name.
int compare_results(const void *left, const void *right);
// Whether two results can be added up: same code, stress and expectation, and no stopping rule.
bool compare_are_alike(const struct result *a, const struct result *b);

// Takes over one session's model; `label` names its source. The model's store, if any, is open
// until this returns. False with an error.
typedef bool compare_take(struct report_model *model, const char *label, void *user,
                          struct lit_error *error);
// Reads a source, and passes on each session: one; or all for a store as FILE#all, or with `every`
// as FILE. False with a one-line error.
bool compare_source_each(const char *name, bool every, compare_take *take, void *user,
                         struct lit_error *error);

// Reads a JSON report from a file, which errors call `shown`.
bool compare_report_read(struct text *bytes, const char *path, const char *shown,
                         struct lit_error *error);
// Makes a model of a JSON report (docs/report.schema.json), which must be whole and agree with
// itself. `label` is for messages. Clear the model after a failure too. Pure.
bool compare_side_parse(const char *bytes, size_t length, const char *label,
                        struct report_model *model, struct lit_error *error);

// The faults of a report: a line each, for the first COMPARE_MOST_FAULTS.
#define COMPARE_MOST_FAULTS 50
struct compare_faults {
    struct text lines;
    size_t count; // all of them
};
// Whether others can take a JSON report. It needs all that compare_side_parse needs; a whole,
// finished session; facts that are possible for a Vulkan device; a summary. `said` gets the summary
// of what it read, in one line. Clear the faults' lines.
void compare_report_check(const char *bytes, size_t length, const char *label,
                          struct compare_faults *faults, struct text *said);
