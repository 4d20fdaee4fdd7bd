// SPDX-License-Identifier: Apache-2.0
// Statistics of failure counts and of measured times. Pure functions; docs/statistics.md.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Intervals for a proportion with a number of runs fixed beforehand. If the number depends on the
// results, use stat_sequence.

// Proportions, 0 to 1; differences of proportions, -1 to 1.
struct stat_interval {
    double low, high;
};

// In all functions below, k of n runs failed, and confidence (e.g. 0.95) is two-sided. n = 0, k > n
// and a confidence of 1 give [0, 1]. A confidence below 0 counts as 0.

// The Clopper-Pearson interval covers the rate with at least this probability, whatever the rate.
// Used in reports. Clopper, Pearson, Biometrika 26 (1934).
struct stat_interval stat_clopper_pearson(uint64_t k, uint64_t n, double confidence);

// The Wilson score interval is narrower, and covers the rate with about this probability on average
// over rates. Used for differences (stat_newcombe). Wilson, JASA 22 (1927).
struct stat_interval stat_wilson(uint64_t k, uint64_t n, double confidence);

// The one-sided upper bound of the rate if none of n runs failed: 1 - (1 - confidence)^(1/n), about
// 3/n at 0.95. n = 0 gives 1. The upper end of stat_clopper_pearson(0, n) is two-sided and hence
// higher, about 3.7/n.
double stat_zero_bound(uint64_t n, double confidence);

// A rate that may be inspected after every run, and stopping rules.

// The confidence sequence of a beta-binomial mixture: all p for which the mixture explains k of n
// less than 1 / (1 - confidence) times as well as p does. With at least the given probability it
// contains the true rate at ALL n at once, however often it is inspected and whatever decides when
// to stop; in exchange it is wider than Clopper-Pearson's interval at any one n. Runs must be
// independent and have the same rate. The mixture is Beta(0.1, 0.5), which puts most weight on rare
// failures, over all orders of magnitude. n = 0, k > n, n above 2^62 and a confidence of 1 give [0,
// 1]. Robbins, Ann. Math. Stat. 41 (1970); Howard, Ramdas, McAuliffe, Sekhon, Ann. Stat. 49 (2021).
struct stat_interval stat_sequence(uint64_t k, uint64_t n, double confidence);

// Whether the confidence sequence is no wider than `width`.
bool stat_width_reached(uint64_t k, uint64_t n, double confidence, double width);

enum stat_decision {
    STAT_UNDECIDED,
    STAT_ABOVE, // the rate is above the given one
    STAT_BELOW,
};

// Whether the confidence sequence lies on one side of `rate`; stop at the first n at which it does.
// The probability of ever deciding wrongly, over all n, is at most 1 - confidence. Without
// failures, STAT_BELOW comes after about 5 / rate runs.
enum stat_decision stat_decide(uint64_t k, uint64_t n, double confidence, double rate);

// Wald's sequential test of two rates, 0 < low < high < 1, to stop at the first n at which it
// decides: a rate of `high` or more is called BELOW, and one of `low` or less ABOVE, with a
// probability of about `error` at most. It ends sooner than any other test that is as often right
// at these two. Wald, Ann. Math. Stat. 16 (1945), 117.
enum stat_decision stat_sprt(uint64_t k, uint64_t n, double low, double high, double error);

// Comparison of two measured rates: a test for a difference, and an interval for its size.

enum stat_tail {
    STAT_TWO_SIDED,
    STAT_GREATER, // the second rate is higher
    STAT_LESS,    // the second rate is lower
};

// Fisher's exact test: the probability, if both rates are equal and given k1 + k2, of k1 of n1 and
// k2 of n2 or a result at least as extreme. Two-sided: sums all tables no more probable than the
// observed one, within a factor of 1 + 1e-7 (as R's fisher.test). At most 1; 0 if below 1e-308.
// Data without information (an n of 0 or above 2^62, k > n) give 1. Time is at most proportional to
// the table's standard deviation: microseconds for rare failures, 40 ms for a rate of one half in
// 10^12 runs. Fisher, "The logic of inductive inference", J. R. Stat. Soc. 98 (1935).
double stat_fisher(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2, enum stat_tail tail);

// Newcombe's hybrid score interval (method 10) for p2 - p1, from two Wilson intervals, within [-1,
// 1]. Has its confidence on average over rates, not for each rate. Data without information (see
// above) give [-1, 1]. Newcombe, Statistics in Medicine 17 (1998), 873.
struct stat_interval stat_newcombe(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2,
                                   double confidence);

// The smallest p2 > k1/n1 that Fisher's test (STAT_GREATER) at level alpha would detect in n2 runs,
// against k1 of n1, with probability `power`: what a comparison that found nothing can exclude.
// Exact. 1 if n2 is too small for any rate, or without a baseline (n1 = 0, k1 > n1, more than 2^62
// runs). 0 < alpha, power < 1.
double stat_detectable(uint64_t k1, uint64_t n1, uint64_t n2, double alpha, double power);

// p values of several tests, adjusted for their number.
//
// Both functions fill `adjusted` (which may be `p`), in the order of `p`, with values that can be
// compared with the level as for a single test: at least p, at most 1. NaN counts as 1.

// Holm's step-down procedure: the probability of rejecting any true "no difference" is at most the
// level, whatever the dependence between the tests. For a gate. Holm, Scand. J. Stat. 6 (1979).
void stat_holm(const double *p, size_t count, double *adjusted);

// Benjamini and Hochberg's step-up procedure: the expected share of false rejections is at most the
// level if the tests are independent or positively dependent. For exploring many results.
// Benjamini, Hochberg, J. R. Stat. Soc. B 57 (1995).
void stat_benjamini_hochberg(const double *p, size_t count, double *adjusted);

// Whether failures are spread evenly over parts of a measurement (worker processes, pipelines,
// days) or cluster.

struct stat_dispersion {
    double
        factor; // Pearson's X^2 over its degrees of freedom: about 1 if every run fails by itself
    double p;   // probability of this factor or a higher one if they do
    size_t groups; // that had runs
};

// k[i] of n[i] runs failed in part i; parts without runs (or with k > n) are ignored. Intervals
// that assume independent runs are too narrow by about sqrt(factor). With fewer than two parts, no
// failure, or no pass: factor 1, p 1.
//
// p is from the chi-square distribution if each part expects at least 5 failures and 5 passes. With
// fewer, that would be wrong by orders of magnitude (two failures of one worker among 100: 1e-8
// instead of 0.01), so p is simulated, given the sums, from a fixed seed: at most 9,999 times, so p
// is never below 1e-4, and fewer after ten were as high (Besag, Clifford, Biometrika 78 (1991)) or
// 4 million failures were drawn, which takes 0.2 s. Above 20,000 failures, parts with too small an
// expectation are pooled, and dropped if the pool's is still too small. Pearson, Phil. Mag. 50
// (1900); Cochran, Biometrics 10 (1954).
struct stat_dispersion stat_dispersion(const uint64_t *k, const uint64_t *n, size_t groups);

// The probability that a chi-square variable of `degrees` (> 0) exceeds x.
double stat_chi_square_tail(double x, double degrees);

// Evidence with an estimated spread; docs/gating-statistics.md.

// Converts the one-sided p value of a test that assumes a known spread, for a spread estimated with
// so many degrees of freedom: the same number of standard deviations in Student's distribution
// instead of the normal one. 0 <= p <= 1; p below 1e-300 counts as 1e-300. degrees > 0.
double stat_student(double p, double degrees);

// Location of a sample.

struct stat_sample {
    double median, low, high; // low and high: quartiles
    double least, most;
};

// The location of `count` >= 1 values in any order. Quantiles are interpolated (type 7 of Hyndman
// and Fan, The American Statistician 50, 1996).
struct stat_sample stat_sample(const double *values, size_t count);
