// SPDX-License-Identifier: Apache-2.0
// What a worker says of a row, on its way to the supervisor. Plain data.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define BENCH_STATISTICS 16 // of a pipeline, at most; the rest is left out

// What a driver says of a pipeline (VK_KHR_pipeline_executable_properties), sanitised.
struct bench_statistic {
    char name[64];
    char value[32];
};

struct bench_said {
    uint32_t row;

    // Once for each row, before it is timed:
    uint32_t loops; // of the scans, the same for all rows
    double tick;    // nanoseconds of the device's clock; 0: the host's clock is used
    size_t statistic_count;
    struct bench_statistic statistics[BENCH_STATISTICS];

    // Of each dispatch:
    uint32_t round; // the first ones are for warming up
    double ns;      // that it took
    uint64_t wrong; // words that are not as they have to be
    uint64_t index; // of the first of them
    uint32_t got, want;
};
