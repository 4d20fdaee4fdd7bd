// SPDX-License-Identifier: Apache-2.0
// How many checked instances a device gives in a second, and how many its memory would allow.
// Filled from what a worker reported, which is not trusted. Pure.
#pragma once

#include "stats/stats.h"

#include <stdbool.h>
#include <stdint.h>

#define BENCH_RATE_ROUNDS 1000u // at most

// What a worker reports of a round of checked runs.
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
    uint64_t runs, failed, expired;    // failed: units; expired: runs in which a wait timed out
    double wall_ns, cpu_ns;            // all of it; of the process's threads, the driver's included
    double fill_ns, test_ns, check_ns; // by the device's clock; all 0: not known
};

// How runs are done.
enum bench_form {
    BENCH_BATCHED,  // as `litmus run` does them
    BENCH_SINGLE,   // one after another: a command buffer, a submission and a wait for each
    BENCH_COMPILED, // likewise, and a pipeline for each
    BENCH_FORMS,
};
extern const char *const bench_forms[BENCH_FORMS]; // their names

struct bench_rates {
    struct bench_rate *rounds; // in the order they came
    size_t count;
};
void bench_rates_clear(struct bench_rates *rates);

// Takes what was reported of a round. False if it cannot be: what a run is has changed, more failed
// than there is, or it contradicts itself.
bool bench_rates_take(struct bench_rates *rates, const struct bench_rate *report);

// The bytes that a run has to move, as the algorithm needs them: the output is poisoned, stored and
// read once each, the state is emptied, the input read, what is expected read once for all runs
// that are checked together; of each instance two words are written and read.
struct bench_traffic {
    double fill, test, check;
};
struct bench_traffic bench_rate_traffic(const struct bench_rate *rate);

// Of all rounds of a form. What is not known is 0.
struct bench_rate_figures {
    size_t rounds;
    uint64_t runs, instances, failed, expired; // instances: of the runs that did not give up
    struct stat_sample per_second;             // of those
    double subgroups;         // instances of a subgroup a second, see bench_rate_subgroups
    double wall, cpu;         // seconds, of all rounds
    double fill, test, check; // shares of the wall time, by the device's clock
    double rest;              // what is left of it
    double bytes;             // a second, of the median round
    double limit;             // instances a second that the copy's bytes a second allow
    double of_limit;          // the median by that
};
struct bench_rate_figures bench_rate_figures(const struct bench_rates *rates, enum bench_form form);

// How many instances of one subgroup at one place of the program a run stores the outcome of: a
// word is what one invocation had there, so it is the words by the subgroup's size.
double bench_rate_subgroups(const struct bench_rate *rate);

// The median of a form's rounds, each by the round of the same number of another form; and the
// spread. False if one of them has none.
bool bench_rates_ratio(const struct bench_rates *rates, enum bench_form form, enum bench_form other,
                       struct stat_sample *ratio);
