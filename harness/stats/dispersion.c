// SPDX-License-Identifier: Apache-2.0
// Pearson's test of heterogeneity, by the chi-square distribution or, for few failures, by
// simulation.
#include "stats/stats.h"

#include "base/random.h"
#include "base/text.h"
#include "stats/distribution.h"

#include <math.h>

static const double two_pi = 6.28318530717958647692;
static const double least_expected = 5;    // Cochran's rule
static const uint64_t draws = 4000000;     // limit per simulation, over all repetitions
static const uint64_t most_drawn = 20000;  // simulate only up to this many failures
static const unsigned repetitions = 9999;  // makes the lowest p 1e-4
static const unsigned enough_as_high = 10; // at which p is known to within about a third

// The regularised upper incomplete gamma function Q(a, x): the prefactor in saddle-point form,
// times the series of P or Legendre's continued fraction of Q.
double stat_chi_square_tail(double x, double degrees)
{
    if (!(x > 0) || !(degrees > 0))
        return 1;
    double a = degrees / 2;
    x /= 2;
    if (isinf(x))
        return 0;
    double prefactor = exp(-stat_stirling_error(a) - stat_deviance(a, x, a - x));
    double limit = 1000 + 20 * sqrt(a);
    if (x < a + 1) {
        double term = prefactor / sqrt(two_pi * a);
        double sum = term;
        for (double i = 1; i < limit && term > 1e-17 * sum; i++) {
            term *= x / (a + i);
            sum += term;
        }
        return fmax(0, 1 - sum);
    }
    double b = x + 1 - a;
    double c = 1e300;
    double d = 1 / b;
    double fraction = d;
    for (double i = 1; i < limit; i++) {
        double numerator = -i * (i - a);
        b += 2;
        d = 1 / (b + numerator * d);
        c = b + numerator / c;
        fraction *= c * d;
        if (fabs(c * d - 1) < 4e-16)
            break;
    }
    return fmin(1, prefactor * sqrt(a / two_pi) * fraction);
}

struct parts {
    uint64_t *k, *n;
    size_t count;
    uint64_t failed, runs;
};

// The sum of (observed - expected)^2 / expected over failures and passes, from exact differences.
static double pearson(const struct parts *parts, const uint64_t *k)
{
    double failed = (double)parts->failed;
    double passed = (double)(parts->runs - parts->failed);
    double sum = 0;
    for (size_t i = 0; i < parts->count; i++) {
        double off = (double)stat_determinant(parts->failed, parts->runs, k[i], parts->n[i]);
        sum += off / failed * (off / passed) / (double)parts->n[i];
    }
    return sum;
}

static size_t part_of(const uint64_t *ends, size_t count, uint64_t run)
{
    size_t low = 0;
    for (size_t high = count - 1; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (run < ends[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// The probability that failures equally likely in every run are spread at least as unevenly as
// observed.
static double simulate(const struct parts *parts, double seen)
{
    OWNED(lit_free) uint64_t *ends = lit_alloc(parts->count, sizeof(*ends));
    OWNED(lit_free) uint64_t *k = lit_alloc(parts->count, sizeof(*k));
    uint64_t end = 0;
    for (size_t i = 0; i < parts->count; i++)
        ends[i] = end += parts->n[i];
    struct lit_random random = {parts->runs};
    uint64_t affordable = draws / (parts->failed + parts->count);
    unsigned limit = affordable < repetitions ? (unsigned)affordable : repetitions;
    unsigned done = 0;
    unsigned as_high = 0;
    while (done < limit && as_high < enough_as_high) {
        for (size_t i = 0; i < parts->count; i++)
            k[i] = 0;
        for (uint64_t drawn = 0; drawn < parts->failed;) {
            size_t part = part_of(ends, parts->count, random_below(&random, parts->runs));
            // Without replacement: draw again if the run has already failed.
            if (k[part] && random_below(&random, parts->n[part]) < k[part])
                continue;
            k[part]++;
            drawn++;
        }
        as_high += pearson(parts, k) >= seen * (1 - 1e-9);
        done++;
    }
    if (as_high == enough_as_high)
        return (double)as_high / done;
    return (as_high + 1.0) / (done + 1.0);
}

// Pools the parts with too small an expectation, and drops the pool if its own is still too small.
static void pool(struct parts *parts)
{
    double rate = (double)parts->failed / (double)parts->runs;
    uint64_t k = 0;
    uint64_t n = 0;
    size_t kept = 0;
    for (size_t i = 0; i < parts->count; i++) {
        if ((double)parts->n[i] * rate < least_expected) {
            k += parts->k[i];
            n += parts->n[i];
            continue;
        }
        parts->k[kept] = parts->k[i];
        parts->n[kept++] = parts->n[i];
    }
    if ((double)n * rate >= least_expected) {
        parts->k[kept] = k;
        parts->n[kept++] = n;
    } else {
        parts->failed -= k;
        parts->runs -= n;
    }
    parts->count = kept;
}

static void judge(struct parts *parts, struct stat_dispersion *result)
{
    result->groups = parts->count;
    uint64_t passed = parts->runs - parts->failed;
    if (parts->count < 2 || parts->failed == 0 || passed == 0)
        return;
    if (passed < parts->failed) {
        // X^2 is symmetric: simulate the rarer of failures and passes.
        for (size_t i = 0; i < parts->count; i++)
            parts->k[i] = parts->n[i] - parts->k[i];
        parts->failed = passed;
    }
    uint64_t least = parts->n[0];
    for (size_t i = 1; i < parts->count; i++)
        least = parts->n[i] < least ? parts->n[i] : least;
    double expected = (double)least / (double)parts->runs * (double)parts->failed;
    bool sparse = expected < least_expected;
    bool draw = sparse && parts->failed <= most_drawn;
    if (sparse && !draw)
        pool(parts);
    if (parts->count < 2 || parts->failed == 0 || parts->failed == parts->runs)
        return;
    double degrees = (double)parts->count - 1;
    double sum = pearson(parts, parts->k);
    result->factor = sum / degrees;
    result->p = draw ? simulate(parts, sum) : stat_chi_square_tail(sum, degrees);
}

struct stat_dispersion stat_dispersion(const uint64_t *k, const uint64_t *n, size_t groups)
{
    struct stat_dispersion result = {.factor = 1, .p = 1};
    struct parts parts = {
        .k = lit_alloc(groups, sizeof(*parts.k)),
        .n = lit_alloc(groups, sizeof(*parts.n)),
    };
    for (size_t i = 0; i < groups; i++) {
        if (n[i] == 0 || k[i] > n[i] || n[i] > STAT_MAX_COUNT - parts.runs)
            continue;
        parts.k[parts.count] = k[i];
        parts.n[parts.count++] = n[i];
        parts.failed += k[i];
        parts.runs += n[i];
    }
    judge(&parts, &result);
    free(parts.k);
    free(parts.n);
    return result;
}
