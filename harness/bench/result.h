// SPDX-License-Identifier: Apache-2.0
// Results of a device in a benchmark, filled from its worker's reports, which are not trusted.
#pragma once

#include "bench/row.h"
#include "model/inventory.h"
#include "model/result.h"
#include "stats/stats.h"

#define BENCH_STATISTICS 16 // limit per pipeline; the rest is dropped

// A driver's statistic about a pipeline (VK_KHR_pipeline_executable_properties), sanitised.
struct bench_statistic {
    char name[64];
    char value[32];
};

// A worker's report about a row, sent to the supervisor.
struct bench_report {
    uint32_t row;

    // Once per row, before it is timed:
    uint32_t loops; // of scans; the same for all rows
    double tick;    // nanoseconds of the device's clock; 0: the host's clock is used
    size_t statistic_count;
    struct bench_statistic statistics[BENCH_STATISTICS];

    // For each dispatch:
    uint32_t round; // the first ones warm up
    double ns;      // duration
    uint64_t wrong; // words that are wrong, given the word before
    uint64_t index; // of the first of them
    uint32_t got, want;
    bool expired; // a wait for another workgroup timed out, so the rest means nothing
};

enum bench_state {
    BENCH_UNREPORTED, // the worker ended before this row
    BENCH_READY,      // timed
    BENCH_SKIPPED,    // the device lacks something
    BENCH_REFUSED,    // the driver created no pipeline
};

struct bench_measured {
    size_t number; // of the row
    struct bench_row row;
    enum bench_state state;
    char reason[256]; // for SKIPPED, REFUSED
    size_t statistic_count;
    struct bench_statistic statistics[BENCH_STATISTICS];
    uint32_t dispatches; // including warm-up
    double *ns;          // without warm-up, in the order of the rounds
    size_t count;
    uint32_t wrong;            // dispatches with a wrong word, including warm-up
    uint32_t expired;          // dispatches in which a wait timed out: neither right nor wrong
    struct bench_report first; // the first wrong one
};

struct bench_result {
    struct bench_shape shape; // look-back: only `elements` and `loops`; loops 0: unknown
    double tick;              // nanoseconds of the device's clock; 0: the host's
    bool reported;            // at least one row was, so the tick is known
    uint32_t warm, repeats;   // rounds
    struct bench_measured *rows;
    size_t count;
};

// Begins a benchmark: all rows of `litmus bench scan`, which requires facts->subgroup from 4 to
// 128; or some rows of `litmus bench lookback`. Clear it at the end.
void bench_result_begin(struct bench_result *result, const struct dev_facts *facts,
                        uint64_t elements, uint32_t loops, uint32_t warm, uint32_t repeats);
void look_result_begin(struct bench_result *result, uint64_t elements, const struct look_set *set,
                       uint32_t warm, uint32_t repeats);
void bench_result_clear(struct bench_result *result);

// Add a report about a row; about a dispatch. False if it is invalid: an unknown row, a row already
// reported or not timed, a missing round, or a contradiction.
bool bench_result_row(struct bench_result *result, const struct bench_report *report,
                      enum bench_state state, const char *reason);
bool bench_result_time(struct bench_result *result, const struct bench_report *report);

// The row of that number; NULL if there is none.
struct bench_measured *bench_result_find(const struct bench_result *result, size_t number);

// Verdict on a row.
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

// Whether a row has times, no wait timed out, and all its output was right.
bool bench_is_right(const struct bench_measured *measured);

// The right rows of a kind, fastest median first. Returns their number; the caller frees *rows.
size_t bench_result_rank(const struct bench_result *result, enum bench_kind kind,
                         const struct bench_measured ***rows);
// The fastest of them; NULL if there is none.
const struct bench_measured *bench_result_best(const struct bench_result *result,
                                               enum bench_kind kind);

// The device's highest rates per second by the limit rows of this result; 0: unknown. A limit row
// with wrong output is ignored.
struct bench_limits {
    double bytes, adds, shuffles;
};
struct bench_limits bench_result_limits(const struct bench_result *result);

// Reported figures of a timed row. Unknown rates are 0.
struct bench_figures {
    struct stat_sample ns;
    struct bench_limits rate;  // per second, at the median
    struct bench_limits share; // relative to the limits; for bytes, to the best copy
    double of_native;          // median relative to the native scan of the same size
};
struct bench_figures bench_figures(const struct bench_result *result,
                                   const struct bench_measured *measured);

// The driver's count of registers, and of code bytes, under known names; NULL if it reports
// neither.
const char *bench_registers(const struct bench_measured *measured);
const char *bench_code(const struct bench_measured *measured);

// One size of a benchmark on a device; `litmus bench scan` has only one.
#define BENCH_SIZES 8 // limit per device
struct bench_size {
    struct bench_result result;
    size_t chosen; // LOOKBACK: the row that represents the size; LOOK_ROWS: the best one timed
    bool tuned;    // read from a file
    enum eng_result end; // the worker's: PASS if it reported all; SKIP if the device cannot
    char reason[512];    // why not
    double cub;          // nanoseconds for CUB's scan; 0: unknown
};
struct bench_device {
    const struct eng_device *device;
    struct bench_size sizes[BENCH_SIZES];
    size_t count;
    char reason[512]; // why nothing was timed
};

// The row that represents a size of LOOKBACK; NULL if it was not right or not timed.
const struct bench_measured *bench_size_chosen(const struct bench_size *size);

// How all devices' rows ended.
struct bench_sum {
    uint64_t right, wrong, expired, skipped, refused, unreported; // rows
    unsigned crashed, lost, failed; // sizes; crashed includes hangs, failed means invalid reports
    bool out_of_time;
};
struct bench_sum bench_devices_sum(const struct bench_device *devices, size_t count);
// The exit code and the reason.
enum lit_exit bench_sum_exit(const struct bench_sum *sum, char *because, size_t size);
