// SPDX-License-Identifier: Apache-2.0
// The search for a device's best scan, the file of choices, and the file of CUB's times.
#pragma once

#include "bench/result.h"

// Times rows on a device at one size; false if the run ends (signal or time limit).
typedef bool look_measure(uint64_t elements, const struct look_set *set, uint32_t repeats,
                          struct bench_size *size, void *user);
struct look_search {
    double (*now)(void); // seconds
    look_measure *measure;
    void (*say)(const char *line, void *user);
    void *user;
};
// Searches for the best scan at one size within `budget` seconds: times all rows of `set` a few
// times, the best quarter more often, and so on until few are left, which it times together with
// the copies. True with the last measurement in *size, whose best scan is the choice; it also
// contains the failures of earlier stages. Clear it.
bool look_search(const struct look_search *search, double budget, uint64_t elements,
                 const struct look_set *set, struct bench_size *size);
// The `keep` fastest right scans by median, with which a search continues. Returns their number.
size_t look_keep(const struct bench_result *result, size_t keep, struct look_set *kept);
// Moves the rows that stored wrong words, had a wait time out, or were refused by the driver, to
// the end of another result of the same size.
void look_move_failed(struct bench_result *from, struct bench_result *to);

// The best rows by device and size.
struct look_tuned {
    char id[DEV_ID_SIZE]; // dev_facts_id, which includes the driver
    char name[256], driver[256];
    uint64_t elements;
    char row[160];  // name; rows that no longer exist are no error
    double ns;      // median
    double of_copy; // relative to the best copy of the same run
};
struct look_tunings {
    struct look_tuned *items;
    size_t count;
};
// Reads the file; a missing one is empty. False with an error if it is invalid.
bool look_tuned_read(const char *path, struct look_tunings *tunings, struct lit_error *error);
bool look_tuned_write(const char *path, const struct look_tunings *tunings,
                      struct lit_error *error);
// The choice for exactly this device, driver and size; NULL: none.
struct look_tuned *look_tuned_at(const struct look_tunings *tunings, const char *id,
                                 uint64_t elements);
// Adds a choice, replacing any for the same device and size.
void look_tuned_put(struct look_tunings *tunings, const struct look_tuned *choice);
void look_tuned_clear(struct look_tunings *tunings);
// The row for a device and size: among the choices for exactly this device and driver that exist
// and fit, the nearest in size, within a factor of two. False if there is none. Pure.
bool look_tuned_find(const struct look_tunings *tunings, const char *id,
                     const struct dev_facts *facts, uint64_t elements, size_t *number);

// Results of tools/bench-cub: CUB's scan and a copy, in nanoseconds; 0: unknown.
struct look_cub {
    char device[256]; // CUDA's name
    struct look_cub_size {
        uint64_t elements;
        double scan, copy;
    } sizes[BENCH_SIZES];
    size_t count;
};
// Parses the JSON that tools/bench-cub writes. The file is not trusted. False with an error.
bool look_cub_read(const char *path, struct look_cub *cub, struct lit_error *error);
// CUB's time in nanoseconds for this many words; 0: unknown, or not timed on a device of that name.
double look_cub_scan(const struct look_cub *cub, const char *device, uint64_t elements);
