// SPDX-License-Identifier: Apache-2.0
// A world in which the truth is known: configurations with given failure rates, of which gates are
// shown two sessions each, drawn from a seed. To see how often the gate is right.
#pragma once

#include "base/random.h"
#include "compare/verdict.h"

struct world_rate {
    double before, after; // of failed runs, in truth
    enum cat_expectation expectation;
};

// How runs fail that do not fail by themselves: the rate varies around its mean, with a beta
// distribution. Factors are of the variance of the number of failures, 1 for none.
struct world_noise {
    double pieces;   // between the pieces of one session
    double sessions; // between sessions
    bool hidden;     // pieces are not known to the gate
};

#define WORLD_PIECES 20

struct world {
    struct world_rate *rates;
    size_t count;
    uint64_t runs;   // of each configuration, in each session
    size_t baseline; // sessions that are put together as the baseline, 1 or more
    struct world_noise noise;
};

// Draws both sessions and judges them. `code` of the summary is what the gate would exit with.
void world_gate(const struct world *world, struct lit_random *random,
                const struct compare_policy *policy, struct compare_summary *summary);

// 0 to 1, both excluded.
double world_uniform(struct lit_random *random);
// How many of n runs fail at a rate.
uint64_t world_binomial(struct lit_random *random, uint64_t n, double rate);
