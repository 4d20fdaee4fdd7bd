// SPDX-License-Identifier: Apache-2.0
// Statistics of failures among runs, and of measured times. Pure functions; docs/statistics.md.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Intervals for a proportion whose number of runs was fixed beforehand. Where the number depends on
// what was seen, stat_sequence has the interval.

// Proportions, 0 to 1; of a difference of proportions, -1 to 1.
struct stat_interval {
    double low, high;
};

// In all functions below: k of n runs failed, confidence is 0.95 and the like, two-sided. n = 0, k
// > n and a confidence of 1 give [0, 1]. One below 0 is taken as 0.

// The Clopper-Pearson interval: covers the rate with at least this probability, whatever the rate.
// For what is reported. Clopper, Pearson, Biometrika 26 (1934).
struct stat_interval stat_clopper_pearson(uint64_t k, uint64_t n, double confidence);

// The Wilson score interval: covers the rate with about this probability on average over rates, and
// is narrower. For differences (stat_newcombe). Wilson, JASA 22 (1927).
struct stat_interval stat_wilson(uint64_t k, uint64_t n, double confidence);

// The one-sided upper bound of the rate when none of n runs failed: 1 - (1 - confidence)^(1/n),
// about 3/n at 0.95. n = 0 gives 1. The high end of stat_clopper_pearson(0, n) is two-sided and so
// higher, about 3.7/n.
double stat_zero_bound(uint64_t n, double confidence);

// A rate that may be looked at after every run, and rules for when to stop. Pure functions;
// docs/statistics.md.

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

// Wald's sequential test of two rates, 0 < low < high < 1, to stop at the first n at which it
// decides: a rate of `high` or more is called BELOW, and one of `low` or less ABOVE, with a
// probability of about `error` at most. It ends sooner than any other test that is as often right
// at these two. Wald, Ann. Math. Stat. 16 (1945), 117.
enum stat_decision stat_sprt(uint64_t k, uint64_t n, double low, double high, double error);

// Two measured rates against each other: a test of whether they differ and an interval of by how
// much. Pure functions; docs/statistics.md.

enum stat_tail {
    STAT_TWO_SIDED,
    STAT_GREATER, // the second rate is higher
    STAT_LESS,    // the second rate is lower
};

// Fisher's exact test: the probability, if both rates were one, of k1 of n1 and k2 of n2 or of what
// speaks as much against it, given k1 + k2. Two-sided: all tables that are not more probable than
// the one seen, within a factor of 1 + 1e-7 (as R's fisher.test). At most 1, 0 where below 1e-308.
// Something that says nothing (an n of 0 or above 2^62, k > n) gives 1. Takes time in proportion to
// the standard deviation of the table at most: microseconds for rare failures, 40 ms for one half
// of 10^12 runs. Fisher, "The logic of inductive inference", J. R. Stat. Soc. 98 (1935).
double stat_fisher(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2, enum stat_tail tail);

// Newcombe's hybrid score interval (his method 10) of p2 - p1, from two Wilson intervals, within
// [-1, 1]. Holds its confidence on average over rates, not for each. What says nothing (see above)
// gives [-1, 1]. Newcombe, Statistics in Medicine 17 (1998), 873.
struct stat_interval stat_newcombe(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2,
                                   double confidence);

// The smallest p2 > k1/n1 that n2 runs would have been found worse at with at least this
// probability, by Fisher's test (STAT_GREATER) against the k1 of n1 that were measured, at the
// level alpha: what a comparison that found nothing can exclude. Exact. 1 if no rate is seen with
// so few runs, or if there is no baseline (n1 = 0, k1 > n1, more than 2^62 runs). 0 < alpha, power
// < 1.
double stat_detectable(uint64_t k1, uint64_t n1, uint64_t n2, double alpha, double power);

// p values of many tests, adjusted for their number. Pure functions; docs/statistics.md.
//
// Both write into `adjusted` (which may be `p`) what can be compared with the level as if there
// were one test only, in the order of `p`: at least p, at most 1. A p that is no number counts
// as 1.

// Holm's step-down procedure: whatever the tests have to do with each other, the probability that
// any true "no difference" is rejected is at most the level. For a gate. Holm, Scand. J. Stat. 6
// (1979).
void stat_holm(const double *p, size_t count, double *adjusted);

// Benjamini and Hochberg's step-up procedure: the expected share of false ones among those rejected
// is at most the level, if the tests are independent or positively dependent. For a look at many
// results. Benjamini, Hochberg, J. R. Stat. Soc. B 57 (1995).
void stat_benjamini_hochberg(const double *p, size_t count, double *adjusted);

// Whether failures come evenly over parts of a measurement (worker processes, pipelines, days) or
// in bunches. Pure functions; docs/statistics.md.

struct stat_dispersion {
    double
        factor; // Pearson's X^2 over its degrees of freedom: about 1 if every run fails by itself
    double p;   // of a factor as high or higher if it does, 0 to 1
    size_t groups; // that had runs
};

// k[i] of n[i] runs failed in part i; parts without runs (or with k > n) are left out. Intervals
// that take runs as independent are too narrow by about sqrt(factor). With fewer than two parts, no
// failure, or nothing but failures there is nothing to see: factor 1, p 1.
//
// p is from the chi-square distribution where each part expects 5 or more of failures and of
// passes. With fewer that would be wrong by orders of magnitude (two failures of one worker among
// 100: 1e-8 for 0.01), so that p is simulated instead, given the sums, from a fixed seed: 9,999
// times at most, so that it is never below 1e-4, and fewer once ten were as high (Besag, Clifford,
// Biometrika 78 (1991)) or 4 million failures drawn, which takes 0.2 s. Above 20,000 failures parts
// that expect too few are taken as one, and left out if that still does. Pearson, Phil. Mag. 50
// (1900); Cochran, Biometrics 10 (1954).
struct stat_dispersion stat_dispersion(const uint64_t *k, const uint64_t *n, size_t groups);

// The probability that a chi-square variable of `degrees` (> 0) exceeds x.
double stat_chi_square_tail(double x, double degrees);

// Evidence where the spread itself was only estimated. Pure function; docs/gating-statistics.md.

// The one-sided p value p of a test that takes its spread as known, for a spread that was estimated
// with so many degrees of freedom: as much evidence in standard deviations, by Student's
// distribution in place of the normal one. 0 <= p <= 1; p below 1e-300 is taken as that. degrees >
// 0.
double stat_student(double p, double degrees);

// Where a sample of measurements lies. Pure functions.

struct stat_sample {
    double median, low, high; // low and high: the quartiles, between which the middle half lies
    double least, most;
};

// Of `count` values, at least one, in any order. Quantiles between two values are interpolated
// (type 7 of Hyndman and Fan, The American Statistician 50, 1996).
struct stat_sample stat_sample(const double *values, size_t count);
