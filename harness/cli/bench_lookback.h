// SPDX-License-Identifier: Apache-2.0
// What `litmus bench lookback` measures, stores and says.
#pragma once

#include "bench/lookback_result.h"
#include "cli/bench.h"
#include "cli/bench_report.h"

#define CLI_LOOK_SIZES 8 // of a device, at most

// What tools/bench-cub measured: CUB's scan and a copy, in nanoseconds; 0: not known.
struct cli_cub_size {
    uint32_t elements;
    double scan, copy;
};
struct cli_cub {
    char device[256]; // as CUDA names it
    struct cli_cub_size sizes[CLI_LOOK_SIZES];
    size_t count;
};
// Reads the JSON that tools/bench-cub writes. False with an error; whatever is in the file, it ends
// in one or the other.
bool cli_cub_read(const char *path, struct cli_cub *cub, struct lit_error *error);
// CUB's scan of so many words in nanoseconds; 0: not known, or not timed on a device of that name.
double cli_cub_scan(const struct cli_cub *cub, const char *device, uint32_t elements);

// The rows that were found best, for devices and sizes: a file of its own.
struct cli_look_tuned {
    char id[17]; // dev_facts_id, which differs between drivers
    char name[256], driver[256];
    uint32_t elements;
    char row[160];  // its name: rows that there are no more are no error
    double ns;      // median
    double of_copy; // of the best copy of the same run
};
struct cli_look_tunings {
    struct cli_look_tuned *items;
    size_t count;
};
// Reads the file; one that is not there is empty. False with an error if it is no such file.
bool cli_look_tuned_read(const char *path, struct cli_look_tunings *tunings,
                         struct lit_error *error);
bool cli_look_tuned_write(const char *path, const struct cli_look_tunings *tunings,
                          struct lit_error *error);
// What was chosen for this very device, driver and size; NULL: nothing.
struct cli_look_tuned *cli_look_tuned_at(const struct cli_look_tunings *tunings, const char *id,
                                         uint32_t elements);
// Takes a choice over: replaces what there was for the same device and size.
void cli_look_tuned_put(struct cli_look_tunings *tunings, const struct cli_look_tuned *choice);
void cli_look_tuned_clear(struct cli_look_tunings *tunings);
// The row for a device and size: of the choices for this very device and driver that are rows and
// fit, that of the nearest size, at most twice or half as large. False if there is none. Pure.
bool cli_look_tuned_find(const struct cli_look_tunings *tunings, const char *id,
                         const struct dev_facts *facts, uint32_t elements, size_t *number);

// A device's part.
struct cli_look_size {
    struct look_result result;
    size_t chosen; // the row that stands for the size; LOOK_ROWS: the best of those timed
    bool tuned;    // it was read from the file
    enum eng_result end;
    char reason[512];
    double cub; // nanoseconds of CUB's scan; 0: not known
};
struct cli_look_device {
    const struct eng_device *device;
    struct cli_look_size sizes[CLI_LOOK_SIZES];
    size_t count;
    char reason[512]; // why nothing was timed
};
struct cli_look {
    const char *command, *started, *system;
    uint64_t seed;
    const struct cli_look_device *devices;
    size_t count;
    enum lit_exit exit;
    const char *because;
    const struct cli_cub *cub; // NULL: not given
};

// The row that stands for a size; NULL if it was not right or not timed.
const struct look_measured *cli_look_chosen(const struct cli_look_size *size);

// Appends what is told of a size; of all sizes of a device, once they are done.
void cli_look_table(const struct cli_look_size *size, bool all, bool color, struct text *text);
void cli_look_summary(const struct cli_look_device *told, bool color, struct text *text);
void cli_look_markdown(const struct cli_look *look, struct text *text);
// As docs/bench-lookback.schema.json has it.
void cli_look_json(const struct cli_look *look, struct text *text);
// How the rows of all devices ended, for cli_bench_exit.
struct cli_bench_sum cli_look_sum(const struct cli_look_device *devices, size_t count);

// Times rows of a device at one size; false if the run ends (a signal, its time).
typedef bool cli_look_measure(uint32_t elements, const struct look_set *set, uint32_t repeats,
                              struct cli_look_size *size, void *user);
struct cli_look_tune {
    double budget;       // seconds, of all sizes together
    double (*now)(void); // seconds
    cli_look_measure *measure;
    void (*say)(const char *line, void *user);
    void *user;
};
// Searches for the best scan at one size within `budget` seconds: all rows of `set` a few times,
// the better quarter more often, and so on until few are left, which are timed against the copies.
// True with the last measurement, whose best scan is the choice, in *size, which is to be cleared;
// what failed in an earlier one stands there too.
bool cli_look_search(const struct cli_look_tune *tune, double budget, uint32_t elements,
                     const struct look_set *set, struct cli_look_size *size);
