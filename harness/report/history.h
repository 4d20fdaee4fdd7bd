// SPDX-License-Identifier: Apache-2.0
// Tests over drivers and days: what may be added is added, and each driver is held against the one
// before it.
#pragma once

#include "base/text.h"
#include "stats/stats.h"
#include "store/history.h"

// What a configuration gave on one device and driver, with one module and one stress, over all
// sessions.
struct history_line {
    const struct store_driver *driver; // of the index
    char *name, *sha256, *stress;
    char *rule; // not "": a single session that ended by this rule, and is added to none
    const char *expectation;  // its name
    const char *first, *last; // when the first and the last of its sessions started: the index's
    size_t sessions;
    size_t repeats;  // sessions left out: the same runs of the same seed again
    int64_t session; // the newest of them
    uint64_t runs, failed_runs, judged;
    struct stat_interval interval; // of failed runs among those judged
    bool other_code; // the line before it, of the same device and stress, is of another module
    const struct history_line
        *before;                 // the driver before, with the same module and stress, or NULL
    struct history_taken *taken; // NULL once all is read
    size_t taken_count;
    double p;        // Fisher's, two-sided, of the two rates being one; 1 without
    double adjusted; // the same, for the number of comparisons (Benjamini, Hochberg)
};

#define HISTORY_LEVEL 0.05 // a change is called one if `adjusted` is below

struct history {
    struct store_index index;
    struct history_line *lines; // by name, then as store_history orders drivers, then by date
    size_t line_count;
    size_t name_count;
    size_t compared; // lines that have one before
};

// Reads what the patterns name on the devices that `device` names (a part of the device's name in
// any case, an id, or a driver's version; NULL: all). Clear it after a failure too.
bool history_load(struct store *store, const char *const *patterns, size_t pattern_count,
                  const char *device, struct history *history, struct lit_error *error);
void history_clear(struct history *history);

// Whether `device` names a driver, as above. Pure.
bool history_names_driver(const char *device, const struct store_driver *driver);

// How the rate of a line stands to that of the driver before: -1 lower, 1 higher, 0 no difference
// seen or nothing to compare it with.
int history_change(const struct history_line *line);

struct history_info {
    bool color;
    bool all;       // every configuration, however many there are
    uint64_t limit; // the newest lines of each table, 0: all
};

// In words: a table for each configuration, or where there are many a summary and those that
// changed.
void history_print(const struct history *history, const struct history_info *info,
                   struct text *out);
// The same as JSON, "litmus-history/1".
void history_json(const struct history *history, struct text *out);

// The drivers of a store, and its sessions, the newest last.
void history_print_drivers(const struct store_index *index, const struct history_info *info,
                           struct text *out);
void history_print_sessions(const struct store_index *index, const struct history_info *info,
                            struct text *out);
void history_json_index(const struct store_index *index, struct text *out);
