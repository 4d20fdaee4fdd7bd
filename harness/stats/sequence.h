// SPDX-License-Identifier: Apache-2.0
// A rate that may be looked at after every run, and rules for when to stop. Pure functions;
// docs/statistics.md.
#pragma once

#include "stats/interval.h"

#include <stdbool.h>
#include <stdint.h>

// The confidence sequence of a beta-binomial mixture: all p for which the mixture explains k of n
// less than 1 / (1 - confidence) times as well as p does. With at least the given probability the
// true rate lies in it at ALL n at once, however often it is looked at and whatever decides when to
// stop: the price is an interval wider than Clopper-Pearson's at one n. The runs have to be
// independent and of one rate. The mixture is Beta(0.1, 0.5): most of its weight on rare failures,
// over all orders of magnitude. n = 0, k > n, n above 2^62 and a confidence of 1 give [0, 1].
// Robbins, Ann. Math. Stat. 41 (1970); Howard, Ramdas, McAuliffe, Sekhon, Ann. Stat. 49 (2021).
struct stat_interval stat_sequence(uint64_t k, uint64_t n, double confidence);

// Whether the sequence's interval is no wider than `width`.
bool stat_width_reached(uint64_t k, uint64_t n, double confidence, double width);

enum stat_decision {
    STAT_UNDECIDED,
    STAT_ABOVE, // the rate is above the given one
    STAT_BELOW,
};

// Whether the sequence's interval lies on one side of `rate`, to stop at the first n at which it
// does: over all n, the probability of ever deciding wrongly is at most 1 - confidence. With no
// failure BELOW comes after about 5 / rate runs.
enum stat_decision stat_decide(uint64_t k, uint64_t n, double confidence, double rate);
