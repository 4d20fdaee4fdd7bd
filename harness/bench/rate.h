// SPDX-License-Identifier: Apache-2.0
// Checked instances per second on a device, and the limit that its memory sets. Filled from a
// worker's reports, which are not trusted. Pure.
#pragma once

#include "stats/stats.h"

#include <stdbool.h>
#include <stdint.h>

#define BENCH_RATE_ROUNDS 1000u // limit

// A worker's report of a round of checked runs.
struct bench_rate {
    uint32_t form; // enum bench_form
    uint32_t round;
    // Properties of a run:
    uint64_t workgroups, input_words, output_words, state_words, instances;
    uint32_t stride;   // expectation words per output word
    uint32_t slots;    // runs prepared and checked together
    uint32_t subgroup; // size
    double copy;       // bytes per second read and written by the copy kernel
    // Results:
    uint64_t runs, failed, expired;    // failed: units; expired: runs with a wait that timed out
    double wall_ns, cpu_ns;            // total; all the process's threads, driver included
    double fill_ns, test_ns, check_ns; // by the device's clock; all 0: unknown
};

// Ways of running.
enum bench_form {
    BENCH_BATCHED,  // as in `litmus run`
    BENCH_SINGLE,   // one at a time: own command buffer, submission and wait
    BENCH_COMPILED, // likewise, with its own pipeline
    BENCH_FORMS,
};
extern const char *const bench_forms[BENCH_FORMS]; // by form

struct bench_rates {
    struct bench_rate *rounds; // in order of arrival
    size_t count;
};
void bench_rates_clear(struct bench_rates *rates);

// Adds a round's report. False if it is invalid: the run's properties changed, more units failed
// than exist, or it contradicts itself.
bool bench_rates_take(struct bench_rates *rates, const struct bench_rate *report);

// The bytes that a run must move for the algorithm: the output is poisoned, stored and read once
// each, the state cleared, the input read, the expectation read once for all runs checked together;
// and two words are written and read per instance.
struct bench_traffic {
    double fill, test, check;
};
struct bench_traffic bench_rate_traffic(const struct bench_rate *rate);

// Statistics over all rounds of a form. Unknown values are 0.
struct bench_rate_figures {
    size_t rounds;
    uint64_t runs, instances, failed, expired; // instances: of runs that did not give up
    struct stat_sample per_second;             // instances per second
    double subgroups;         // subgroup instances per second, see bench_rate_subgroups
    double wall, cpu;         // in seconds, over all rounds
    double fill, test, check; // shares of the wall time, by the device's clock
    double rest;              // the remaining share
    double bytes;             // per second, in the median round
    double limit;             // instances per second at the copy's bandwidth
    double of_limit;          // median relative to that
};
struct bench_rate_figures bench_rate_figures(const struct bench_rates *rates, enum bench_form form);

// The number of outcomes stored per run, each for one subgroup at one place of the program: an
// output word is one invocation's, so words divided by the subgroup size.
double bench_rate_subgroups(const struct bench_rate *rate);

// The median and spread, over a form's rounds, of the ratio to the same round of another form.
// False if one of them has none.
bool bench_rates_ratio(const struct bench_rates *rates, enum bench_form form, enum bench_form other,
                       struct stat_sample *ratio);
