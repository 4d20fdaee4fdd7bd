// SPDX-License-Identifier: Apache-2.0
// Tests over drivers and days: sums comparable results, and compares each driver with the one
// before.
#pragma once

#include "base/text.h"
#include "stats/stats.h"
#include "store/history.h"

// A configuration's sum over all sessions, for one device, driver, module and stress.
struct history_line {
    const struct store_driver *driver; // in the index
    char *name, *sha256, *stress;
    char *rule;               // not "": a single session, which ended by this rule
    const char *expectation;  // its name
    const char *first, *last; // when its first and last sessions started; in the index
    size_t sessions;
    size_t repeats;  // sessions left out because they repeat the same runs of the same seed
    int64_t session; // the newest
    uint64_t runs, failed_runs, judged;
    struct stat_interval interval; // of failed runs among those judged
    bool other_code; // the line before, for the same device and stress, has another module
    const struct history_line
        *before;                 // the driver before, with the same module and stress, or NULL
    struct history_taken *taken; // NULL after reading
    size_t taken_count;
    double p;        // Fisher's, two-sided, for equal rates; 1 without `before`
    double adjusted; // p, adjusted for the number of comparisons (Benjamini, Hochberg)
};

#define HISTORY_LEVEL 0.05 // we report a change if `adjusted` is below

struct history {
    struct store_index index;
    struct history_line *lines; // by name, then as store_history orders drivers, then by date
    size_t line_count;
    size_t name_count;
    size_t compared; // lines with a `before`
};

// Reads the configurations that the patterns name, on the devices that `device` names (a part of
// the device's name in any case, an id, or a driver's version; NULL: all). Clear it after a failure
// too.
bool history_load(struct store *store, const char *const *patterns, size_t pattern_count,
                  const char *device, struct history *history, struct lit_error *error);
// The same for a model's configurations on devices of its devices' names; nothing if the store has
// no other session.
struct report_model;
bool history_load_model(struct store *store, const struct report_model *model,
                        struct history *history, struct lit_error *error);
void history_clear(struct history *history);

// Whether `device` names a driver, as above. Pure.
bool history_names_driver(const char *device, const struct store_driver *driver);

// How a line's rate compares with the driver before: -1 lower, 1 higher, 0 no difference seen or
// nothing to compare.
int history_change(const struct history_line *line);

// Where the lines of the same configuration and device as line `first` end.
size_t history_end(const struct history *history, size_t first);
// A table of such lines: a row for each.
struct table;
void history_table(const struct history_line *lines, size_t count, struct table *table);

struct history_info {
    bool color;
    bool all;       // every configuration, no summary
    uint64_t limit; // the newest lines of each table; 0: all
};

// As text: a table for each configuration; if there are many, a summary and those that changed.
void history_print(const struct history *history, const struct history_info *info,
                   struct text *out);
// The same as JSON, "litmus-history/1".
void history_json(const struct history *history, struct text *out);

// The drivers of a store, and its sessions, newest last.
void history_print_drivers(const struct store_index *index, const struct history_info *info,
                           struct text *out);
void history_print_sessions(const struct store_index *index, const struct history_info *info,
                            struct text *out);
void history_json_index(const struct store_index *index, struct text *out);
