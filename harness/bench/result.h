// SPDX-License-Identifier: Apache-2.0
// What a device gave in a benchmark: filled from what its worker said, which is not trusted.
#pragma once

#include "bench/row.h"
#include "model/inventory.h"
#include "model/result.h"
#include "stats/stats.h"

#define BENCH_STATISTICS 16 // of a pipeline, at most; the rest is left out

// What a driver says of a pipeline (VK_KHR_pipeline_executable_properties), sanitised.
struct bench_statistic {
    char name[64];
    char value[32];
};

// What a worker says of a row, on its way to the supervisor.
struct bench_report {
    uint32_t row;

    // Once for each row, before it is timed:
    uint32_t loops; // of the scans, the same for all rows
    double tick;    // nanoseconds of the device's clock; 0: the host's clock is used
    size_t statistic_count;
    struct bench_statistic statistics[BENCH_STATISTICS];

    // Of each dispatch:
    uint32_t round; // the first ones are for warming up
    double ns;      // that it took
    uint64_t wrong; // words that are not as they have to be, given the one before
    uint64_t index; // of the first of them
    uint32_t got, want;
    bool expired; // a wait for another workgroup timed out, so that the rest says nothing
};

enum bench_state {
    BENCH_UNREPORTED, // the worker ended before it came to this row
    BENCH_READY,      // it is timed
    BENCH_SKIPPED,    // the device lacks something
    BENCH_REFUSED,    // the driver did not make a pipeline of it
};

struct bench_measured {
    size_t number; // of the row
    struct bench_row row;
    enum bench_state state;
    char reason[256]; // of SKIPPED, REFUSED
    size_t statistic_count;
    struct bench_statistic statistics[BENCH_STATISTICS];
    uint32_t dispatches; // all of them, those for warming up included
    double *ns;          // of those that count, in the order of the rounds
    size_t count;
    uint32_t wrong;            // dispatches that stored a wrong word, warm ones included
    uint32_t expired;          // dispatches in which a wait timed out: neither right nor wrong
    struct bench_report first; // the first that was wrong
};

struct bench_result {
    struct bench_shape shape; // of look-back only `elements` and `loops`; loops 0: not known yet
    double tick;              // nanoseconds of the device's clock; 0: the host's
    bool reported;            // a row, so that the tick is known
    uint32_t warm, repeats;   // rounds
    struct bench_measured *rows;
    size_t count;
};

// A benchmark that is to begin: all rows of `litmus bench scan`, facts->subgroup being from 4 to
// 128; some of `litmus bench lookback`. Clear it in the end.
void bench_result_begin(struct bench_result *result, const struct dev_facts *facts,
                        uint64_t elements, uint32_t loops, uint32_t warm, uint32_t repeats);
void look_result_begin(struct bench_result *result, uint64_t elements, const struct look_set *set,
                       uint32_t warm, uint32_t repeats);
void bench_result_clear(struct bench_result *result);

// Takes what was said of a row; of a dispatch. False if it cannot be: there is no such row, it was
// reported already or is not timed, a round is missing, or what is said contradicts itself.
bool bench_result_row(struct bench_result *result, const struct bench_report *report,
                      enum bench_state state, const char *reason);
bool bench_result_time(struct bench_result *result, const struct bench_report *report);

// The row of that number; NULL if there is none.
struct bench_measured *bench_result_find(const struct bench_result *result, size_t number);

// What came of a row.
enum bench_verdict {
    BENCH_RIGHT,
    BENCH_WRONG,
    BENCH_EXPIRED,
    BENCH_UNTIMED,
    BENCH_SKIP,
    BENCH_REFUSAL,
    BENCH_VERDICTS
};
enum bench_verdict bench_verdict(const struct bench_measured *measured);

// Whether a row has times, no wait timed out, and all that it stored was right.
bool bench_is_right(const struct bench_measured *measured);

// The rows of a kind that are right, the fastest first by their medians. Returns how many; the
// caller frees *rows.
size_t bench_result_rank(const struct bench_result *result, enum bench_kind kind,
                         const struct bench_measured ***rows);
// The fastest of them; NULL if there is none.
const struct bench_measured *bench_result_best(const struct bench_result *result,
                                               enum bench_kind kind);

// The most that the device did in a second by the rows of this result that are limits; 0: not
// known. A limit whose output was wrong is none.
struct bench_limits {
    double bytes, adds, shuffles;
};
struct bench_limits bench_result_limits(const struct bench_result *result);

// What is reported of a row that has times. A rate that is not known is 0.
struct bench_figures {
    struct stat_sample ns;
    struct bench_limits rate;  // a second, of the median
    struct bench_limits share; // of the limits; of bytes: of the best copy
    double of_native;          // the median by that of the native scan of the same size
};
struct bench_figures bench_figures(const struct bench_result *result,
                                   const struct bench_measured *measured);

// What the driver says of registers and of bytes of code, under the names that are known; NULL if
// it says neither.
const char *bench_registers(const struct bench_measured *measured);
const char *bench_code(const struct bench_measured *measured);

// One size of a benchmark on a device; `litmus bench scan` has one.
#define BENCH_SIZES 8 // of a device, at most
struct bench_size {
    struct bench_result result;
    size_t chosen; // LOOKBACK: the row that stands for the size; LOOK_ROWS: the best of those timed
    bool tuned;    // it was read from a file
    enum eng_result end; // of the worker: PASS if it reported all; SKIP if the device cannot
    char reason[512];    // why not
    double cub;          // nanoseconds of CUB's scan; 0: not known
};
struct bench_device {
    const struct eng_device *device;
    struct bench_size sizes[BENCH_SIZES];
    size_t count;
    char reason[512]; // why nothing was timed
};

// The row that stands for a size of LOOKBACK; NULL if it was not right or not timed.
const struct bench_measured *bench_size_chosen(const struct bench_size *size);

// How the rows of all devices ended.
struct bench_sum {
    uint64_t right, wrong, expired, skipped, refused, unreported; // rows
    unsigned crashed, lost, failed; // sizes: also those that hung; reported nonsense
    bool out_of_time;
};
struct bench_sum bench_devices_sum(const struct bench_device *devices, size_t count);
// The exit code, and why.
enum lit_exit bench_sum_exit(const struct bench_sum *sum, char *because, size_t size);
