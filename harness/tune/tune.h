// SPDX-License-Identifier: Apache-2.0
// The search for stress under which a test fails, and a measure of how reliably it does.
#pragma once

#include "model/result.h"
#include "model/stress.h"
#include "session/session.h"

// How reliably a failure recurs, by its counts. Pure functions.

// Runs that did not give up waiting: the denominator of rates.
uint64_t tune_judged(const struct eng_count *count);
// Failing runs per judged run; 0 without judged runs.
double tune_rate(const struct eng_count *count);
// Failing runs per second; 0 without time.
double tune_per_second(const struct eng_count *count);

// The reproducibility score of MC Mutants (Levine, Guo, Cho, Baker, Levien, Neto, Quinn, Sorensen,
// ASPLOS 2023, section 4.2): the probability of at least one failure within a time budget in
// seconds, 1 - e^-(failures per second * budget), if failures are independent.
double tune_score(double per_second, double budget);

// The "ceiling rate" at which a score is reached, as in the paper's artifact: -ln(1 - score),
// rounded up to whole failures within the budget.
double tune_ceiling(double score, double budget);

#define TUNE_REPRODUCIBLE 0.99999 // the paper's target: 12 failures in the budget
#define TUNE_BUDGET       4.0     // seconds per test, as in the paper

// The search for the stress parameters under which a test fails most often. It is independent of
// devices: the caller passes the measuring function, and the same answers give the same search.
//
// It draws sets, including no stress, and applies sequential halving (Karnin, Koren, Somekh,
// "Almost Optimal Exploration in Multi-Armed Bandits", ICML 2013): every set gets some runs, the
// better half twice as many more, and so on until one is left. Then it draws sets near that one,
// and halves them together with it in the same way. Finally it measures the winner and no stress
// anew: the best of many sets is partly the luckiest, and only runs that had no part in choosing it
// tell how often it fails.

struct tune_plan {
    uint64_t seed;
    uint64_t sets; // drawn at first, no stress among them: at least 1
    uint64_t runs; // per set in the first round: at least 1
    struct eng_stress_limits limits;
};

struct tune_try {
    struct dev_stress set;
    char notation[ENG_STRESS_TEXT]; // unique among the tries
    struct eng_count searched;      // runs that took part in choosing
    struct eng_count anew;          // runs that did not: only of no stress and the best set
};

// Measures runs `first` to `first + runs - 1` of the test under a set whose counts cover all runs
// before. Fills *count. False ends the search: no more can be measured.
typedef bool tune_measure(const struct tune_try *set, uint64_t first, uint64_t runs,
                          struct eng_count *count, void *user);

struct tune_search {
    struct tune_try *tries; // no stress first, then in the order drawn
    size_t count;
    size_t best; // index of the search's winner
    bool whole;  // the search ran to its end
    // From the runs anew: the probability that at least so many more fail under the best set if it
    // has no effect (Fisher's exact test, one-sided); 1 if no stress is best.
    double p;
    size_t chosen; // the best if p < TUNE_ALPHA; else no stress
};

#define TUNE_ALPHA 0.05

// The number of runs measured anew for the best set and for no stress, numbered from 0: as many as
// a set has had on winning the first halving, and at least four times the plan's runs.
uint64_t tune_runs_anew(const struct tune_plan *plan);
// The most runs that a search makes in total.
uint64_t tune_runs_all(const struct tune_plan *plan);

// Searches. Clear *search even if it was cut short.
void tune_run(const struct tune_plan *plan, tune_measure *measure, void *user,
              struct tune_search *search);
void tune_clear(struct tune_search *search);
// Sorts the tries `field`, best first: by failing runs per judged run during the search, then by
// failures per second, then by index.
void tune_sort(const struct tune_search *search, size_t *field, size_t count);

// The search on devices, for each of the configurations that patterns select.
struct tune_options {
    struct ses_options run; // `runs`: of each set in the first round
    uint64_t sets;
    bool controls;
    double budget;
};

// Settles options that were not given, searches, prints and stores what is found. argc and
// argv are for the session. Returns the exit code; an error was printed.
int tune_configurations(struct tune_options *chosen, int argc, char **argv,
                        struct lit_error *error);
