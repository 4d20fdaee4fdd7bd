// SPDX-License-Identifier: Apache-2.0
// One side of a comparison: what one session measured, or several of one device and driver
// together. Read from stores and from JSON reports, neither of which is trusted.
#pragma once

#include "report/model.h"

#include <jansson.h>

struct compare_side {
    char *label;               // "before.db#3", "report.json", "before.db#1 to #4", for people
    struct report_model model; // with several sources the first's session, and the sum of results
    enum eng_result *broke; // of each result: how it broke in one of the sources (eng_is_broken),
                            // ENG_PASS if in none
    size_t sources;         // sessions that were put together
    size_t partial;         // results that were interrupted
    bool unfinished;        // a source is a session that was not finished
    char **places;          // of each device the source that it is from, where sources are side by
                            // side (compare_across_load); else NULL
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

// Takes one session: a model that it takes over, and what it was read from. Its store, if it has
// one, is open until this returns. False with an error.
typedef bool compare_take(struct report_model *model, const char *label, void *user,
                          struct lit_error *error);
// Reads a source, and hands on each of its sessions: one; of a store as FILE#all, or with `every`
// as FILE, all of them. False with an error of one line.
bool compare_source_each(const char *name, bool every, compare_take *take, void *user,
                         struct lit_error *error);

// Reads a file that is to be a JSON report, called `shown` in the error.
bool compare_report_read(struct text *bytes, const char *path, const char *shown,
                         struct lit_error *error);
// Makes a model of a JSON report (docs/report.schema.json), which has to be whole and agree with
// itself. `label` is for messages. Clear the model after a failure too. Pure.
bool compare_side_parse(const char *bytes, size_t length, const char *label,
                        struct report_model *model, struct lit_error *error);

// What is wrong with a report: a line for each fault, of which the first COMPARE_MOST_FAULTS are
// kept.
#define COMPARE_MOST_FAULTS 50
#define COMPARE_DAMAGED     "damaged report: " // before what litmus never writes
struct compare_faults {
    struct text lines;
    size_t count; // all of them
};
// Reads each member of a report for compare_side_parse, and goes on behind a fault in a device or a
// result. *root is then what was parsed, NULL if it is no JSON; drop it. The model has what could
// be read. Pure.
void compare_side_examine(const char *bytes, size_t length, const char *label,
                          struct report_model *model, json_t **root, struct compare_faults *faults);
// Whether others can take a JSON report: all that compare_side_parse asks; a whole, finished
// session; facts that a device of Vulkan has; a summary. `said` gets what was read, in one line.
// Clear the faults' lines.
void compare_report_check(const char *bytes, size_t length, const char *label,
                          struct compare_faults *faults, struct text *said);
__attribute__((format(__printf__, 3, 4))) void
compare_fault(struct compare_faults *faults, const char *label, const char *format, ...);
