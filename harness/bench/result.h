// SPDX-License-Identifier: Apache-2.0
// What a device gave in a benchmark: filled from what its worker said, which is not trusted.
#pragma once

#include "bench/row.h"
#include "bench/said.h"
#include "stats/sample.h"

#include <stdbool.h>

enum bench_state {
    BENCH_UNTOLD,  // the worker ended before it came to this row
    BENCH_READY,   // it is timed
    BENCH_SKIPPED, // the device lacks something
    BENCH_REFUSED, // the driver did not make a pipeline of it
};

struct bench_measured {
    struct bench_row row;
    enum bench_state state;
    char reason[256]; // of SKIPPED, REFUSED
    size_t statistic_count;
    struct bench_statistic statistics[BENCH_STATISTICS];
    uint32_t dispatches; // all of them, those for warming up included
    double *ns;          // of those that count, in the order of the rounds
    size_t count;
    uint32_t wrong;          // dispatches that stored a wrong word, warm ones included
    uint32_t gave_up;        // dispatches in which a wait ran out: neither right nor wrong
    struct bench_said first; // the first of them
};

struct bench_result {
    struct bench_shape shape; // its loops are 0 until the first row is told
    double tick;              // nanoseconds of the device's clock; 0: the host's
    uint32_t warm, repeats;   // rounds
    struct bench_measured rows[BENCH_ROWS];
    size_t count;
};

// A benchmark that is to begin. facts->subgroup is from 4 to 128. Clear it in the end.
void bench_result_begin(struct bench_result *result, const struct dev_facts *facts,
                        uint32_t elements, uint32_t loops, uint32_t warm, uint32_t repeats);
void bench_result_clear(struct bench_result *result);

// Takes what was said of a row; of a dispatch. False if it cannot be: there is no such row, it was
// told already or is not timed, a round is missing, or what is said contradicts itself.
bool bench_result_row(struct bench_result *result, const struct bench_said *said,
                      enum bench_state state, const char *reason);
bool bench_result_time(struct bench_result *result, const struct bench_said *said);

// What came of a row.
enum bench_verdict {
    BENCH_RIGHT,
    BENCH_WRONG,
    BENCH_GAVE_UP,
    BENCH_UNTIMED,
    BENCH_SKIP,
    BENCH_REFUSAL
};
enum bench_verdict bench_verdict(const struct bench_measured *measured);

// Whether a row has times, no wait ran out, and all that it stored was right.
bool bench_is_right(const struct bench_measured *measured);

// The most that the device did in a second by the rows of this result that are limits; 0: not
// known. A limit whose output was wrong is none.
struct bench_limits {
    double bytes, adds, shuffles;
};
struct bench_limits bench_result_limits(const struct bench_result *result);

// What is to be told of a row that has times. A rate that is not known is 0.
struct bench_figures {
    struct stat_sample ns;
    double bytes, adds, shuffles;                   // a second, of the median
    double bytes_share, adds_share, shuffles_share; // of the limits
    double of_native; // the median by that of the native scan of the same size
};
struct bench_figures bench_figures(const struct bench_result *result,
                                   const struct bench_measured *measured);

// What the driver says of registers and of bytes of code, under the names that are known; NULL if
// it says neither.
const char *bench_registers(const struct bench_measured *measured);
const char *bench_code(const struct bench_measured *measured);
