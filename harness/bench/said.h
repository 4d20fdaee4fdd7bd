// SPDX-License-Identifier: Apache-2.0
// What a worker says of a row, on its way to the supervisor. Plain data.
#pragma once

#include <stdbool.h>
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
    uint64_t wrong; // words that are not as they have to be, given the one before
    uint64_t index; // of the first of them
    uint32_t got, want;
    bool gave_up; // a wait for another workgroup ran out, so that the rest says nothing
};

// A round of checked runs.
struct bench_rate {
    uint32_t form; // enum bench_form
    uint32_t round;
    // What a run is:
    uint64_t workgroups, input_words, output_words, state_words, instances;
    uint32_t stride;   // words of an expectation for one of the output
    uint32_t slots;    // runs that are made ready, and checked, together
    uint32_t subgroup; // invocations
    double copy;       // bytes a second, read and written, of the copy kernel
    // What was done:
    uint64_t runs, failed, gave_up;    // failed: instances; gave_up: runs
    double wall_ns, cpu_ns;            // all of it; of the process's threads, the driver's included
    double fill_ns, test_ns, check_ns; // by the device's clock; all 0: not known
};
