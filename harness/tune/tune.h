// SPDX-License-Identifier: Apache-2.0
// The search for stress under which a test fails, and how reliably it does.
#pragma once

#include "model/result.h"
#include "model/stress.h"
#include "stats/stats.h"

#include <stdbool.h>
#include <stdint.h>

// What counts say of how reliably a failure comes back. Pure.

// Runs that did not give up waiting: what a rate is of.
uint64_t tune_judged(const struct eng_count *count);
// Failing runs of those judged; 0 if there are none.
double tune_rate(const struct eng_count *count);
// Failing runs a second; 0 without time.
double tune_per_second(const struct eng_count *count);

// The reproducibility score of MC Mutants (Levine, Guo, Cho, Baker, Levien, Neto, Quinn, Sorensen,
// ASPLOS 2023, section 4.2): the chance to see at least one failure within a time budget in
// seconds, 1 - e^-(failures a second * budget), failures coming independently of one another.
double tune_score(double per_second, double budget);

// The rate at which a score is reached, "ceiling rate": as the paper's artifact has it, -ln(1 -
// score) rounded up to whole failures, in the budget.
double tune_ceiling(double score, double budget);

#define TUNE_REPRODUCIBLE 0.99999 // the paper's target: 12 failures in the budget
#define TUNE_BUDGET       4.0     // seconds for a test: the paper's, too

// The search for the set of stress parameters under which a test fails most often. It knows no
// device: what measures is handed in, and the same answers give the same search.
//
// Sets are drawn, and no stress is one of them. Sequential halving (Karnin, Koren, Somekh,
// "Almost Optimal Exploration in Multi-Armed Bandits", ICML 2013): all get some runs, the better
// half twice as many more, and so on until one is left. Then sets near that one are drawn, and
// halved with it in the same way. At last that one and no stress are measured anew: of many sets
// the one that looks best is partly the luckiest, and only runs that had no part in choosing it say
// how often it fails.

struct tune_plan {
    uint64_t seed;
    uint64_t sets; // that are drawn first, no stress among them: at least 1
    uint64_t runs; // of each in the first round: at least 1
    struct eng_stress_limits limits;
};

struct tune_try {
    struct dev_stress set;
    char notation[ENG_STRESS_TEXT]; // no other try has the same
    struct eng_count searched;      // runs that had a part in choosing
    struct eng_count anew;          // runs that had none: of no stress and of the best alone
};

// What measures: runs number `first` to `first + runs - 1` of the test under a set, whose counts
// are those of the runs before. Fills *count. False ends the search: nothing more can be measured.
typedef bool tune_measure(const struct tune_try *set, uint64_t first, uint64_t runs,
                          struct eng_count *count, void *user);

struct tune_search {
    struct tune_try *tries; // no stress first, then in the order in which they were drawn
    size_t count;
    size_t best; // that the search ended with
    bool whole;  // it came to its end
    // Of the runs anew: how likely it is that so many more fail under the best set if it does
    // nothing (Fisher's exact test, one-sided); 1 if the best is no stress.
    double p;
    size_t chosen; // the best, if p is less than TUNE_ALPHA; else no stress
};

#define TUNE_ALPHA 0.05

// How many runs the best and no stress are measured anew with: numbers 0 to that; as many as a set
// has had when it comes out best of the first halving, and at least four times the plan's runs.
uint64_t tune_runs_anew(const struct tune_plan *plan);
// All runs that a search makes at most.
uint64_t tune_runs_all(const struct tune_plan *plan);

// Searches. *search is to be cleared, also if it was cut short.
void tune_run(const struct tune_plan *plan, tune_measure *measure, void *user,
              struct tune_search *search);
void tune_clear(struct tune_search *search);
// Puts the tries `field` in order, the best first: more failing runs of those judged while it was
// searched; of equals, those that fail more often in a second, then those that come first.
void tune_sort(const struct tune_search *search, size_t *field, size_t count);
