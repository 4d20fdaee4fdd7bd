// SPDX-License-Identifier: Apache-2.0
// The search for the best scan of a device, the file that keeps what was found, and the file of
// what CUB took.
#pragma once

#include "bench/result.h"

// Times rows of a device at one size; false if the run ends (a signal, its time).
typedef bool look_measure(uint64_t elements, const struct look_set *set, uint32_t repeats,
                          struct bench_size *size, void *user);
struct look_search {
    double (*now)(void); // seconds
    look_measure *measure;
    void (*say)(const char *line, void *user);
    void *user;
};
// Searches for the best scan at one size within `budget` seconds: all rows of `set` a few times,
// the better quarter more often, and so on until few are left, which are timed against the copies.
// True with the last measurement, whose best scan is the choice, in *size, which is to be cleared;
// what failed in an earlier one stands there too.
bool look_search(const struct look_search *search, double budget, uint64_t elements,
                 const struct look_set *set, struct bench_size *size);
// The fastest `keep` scans by their medians, among those that are right: what a search continues
// with. Returns how many.
size_t look_keep(const struct bench_result *result, size_t keep, struct look_set *kept);
// Moves the rows that stored wrong words, in which a wait timed out, or that the driver refused, to
// the end of another result of the same size.
void look_move_failed(struct bench_result *from, struct bench_result *to);

// The rows that were found best, for devices and sizes.
struct look_tuned {
    char id[DEV_ID_SIZE]; // dev_facts_id, which differs between drivers
    char name[256], driver[256];
    uint64_t elements;
    char row[160];  // its name: rows that there are no more are no error
    double ns;      // median
    double of_copy; // of the best copy of the same run
};
struct look_tunings {
    struct look_tuned *items;
    size_t count;
};
// Reads the file; a missing one is empty. False with an error if it is no such file.
bool look_tuned_read(const char *path, struct look_tunings *tunings, struct lit_error *error);
bool look_tuned_write(const char *path, const struct look_tunings *tunings,
                      struct lit_error *error);
// What was chosen for this very device, driver and size; NULL: nothing.
struct look_tuned *look_tuned_at(const struct look_tunings *tunings, const char *id,
                                 uint64_t elements);
// Takes a choice over: replaces what there was for the same device and size.
void look_tuned_put(struct look_tunings *tunings, const struct look_tuned *choice);
void look_tuned_clear(struct look_tunings *tunings);
// The row for a device and size: of the choices for this very device and driver that are rows and
// fit, that of the nearest size, at most twice or half as large. False if there is none. Pure.
bool look_tuned_find(const struct look_tunings *tunings, const char *id,
                     const struct dev_facts *facts, uint64_t elements, size_t *number);

// What tools/bench-cub measured: CUB's scan and a copy, in nanoseconds; 0: not known.
struct look_cub {
    char device[256]; // as CUDA names it
    struct look_cub_size {
        uint64_t elements;
        double scan, copy;
    } sizes[BENCH_SIZES];
    size_t count;
};
// Reads the JSON that tools/bench-cub writes. False with an error; whatever is in the file, it ends
// in one or the other.
bool look_cub_read(const char *path, struct look_cub *cub, struct lit_error *error);
// CUB's scan of so many words in nanoseconds; 0: not known, or not timed on a device of that name.
double look_cub_scan(const struct look_cub *cub, const char *device, uint64_t elements);
