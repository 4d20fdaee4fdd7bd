// SPDX-License-Identifier: Apache-2.0
// Distributions that keep their precision up to counts of 10^12.
#include "stats/distribution.h"
#include "stats/stats.h"

#include <math.h>

// ---- Binomial and beta densities in saddle-point form, and the normal distribution.

static const double half_log_2pi = 0.91893853320467274178;
static const double two_pi = 6.28318530717958647692;

double stat_stirling_error(double n)
{
    if (n <= 15) {
        int sign;
        return lgamma_r(n + 1, &sign) - (n + 0.5) * log(n) + n - half_log_2pi;
    }
    double square = n * n;
    double sum = 1.0 / 1188;
    sum = 1.0 / 1680 - sum / square;
    sum = 1.0 / 1260 - sum / square;
    sum = 1.0 / 360 - sum / square;
    sum = 1.0 / 12 - sum / square;
    return sum / n;
}

double stat_deviance(double count, double mean, double difference)
{
    if (fabs(difference) >= 0.1 * (count + mean))
        return (count > 0 ? count * log(count / mean) : 0) - difference;
    double v = difference / (count + mean);
    double sum = difference * v;
    double term = 2 * count * v;
    for (int j = 1; j < 1000; j++) {
        term *= v * v;
        double next = sum + term / (2 * j + 1);
        if (next == sum)
            break;
        sum = next;
    }
    return sum;
}

double stat_log_beta_density(double a, double b, double x, double y)
{
    double n = a + b;
    // Computed from the smaller of x and y, which is known to full precision.
    double difference = x <= y ? fma(-n, x, a) : -fma(-n, y, b);
    return stat_stirling_error(n) - stat_stirling_error(a) - stat_stirling_error(b) -
           stat_deviance(a, n * x, difference) - stat_deviance(b, n * y, -difference) +
           log(a / two_pi * (b / n)) / 2;
}

stat_wide stat_determinant(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2)
{
    return (stat_wide)k2 * n1 - (stat_wide)k1 * n2;
}

// The probability that a normal variable exceeds z.
static double normal_tail(double z)
{
    return erfc(z * sqrt(0.5)) / 2;
}

double stat_normal_quantile(double tail)
{
    // log(tail) is concave in z, so Newton's method converges from above, where this bound lies;
    // from below, its first step would overflow.
    double z = sqrt(-2 * log(2 * tail));
    for (int step = 0; step < 60; step++) {
        double at = normal_tail(z);
        double slope = exp(-z * z / 2 - half_log_2pi) / at;
        double next = z + (log(at) - log(tail)) / slope;
        if (fabs(next - z) <= 1e-15 * fabs(z))
            return next;
        z = next;
    }
    return z;
}

// ---- The regularised incomplete beta function as a continued fraction, precise up to counts of
// 10^12, and its inverse.

// I_x(a, b) without its prefactor, for x at or below the mean: the even part of the usual continued
// fraction (Didonato, Morris, "Algorithm 708", 1992), whose terms do not cancel as long as
// `difference` is exact. Takes about sqrt(max(a, b)) steps at the mean, and few far from it.
static double beta_fraction(double a, double b, double x, double difference)
{
    double limit = 1000 + 20 * sqrt(fmax(a, b));
    double fraction = a * (difference + 1) / (a + 1);
    double c = fraction;
    double d = 0;
    for (double m = 1; m < limit; m++) {
        double last = a + 2 * m - 1;
        double common = m * (b - m) * x / last;
        double numerator = (a + m - 1) * ((a + b + m - 1) * x / last) * common;
        double denominator = m + common + (a + m) * (difference + 1 + m * (2 - x)) / (last + 2);
        d = 1 / (denominator + numerator * d);
        c = denominator + numerator / c;
        fraction *= c * d;
        if (fabs(c * d - 1) < 4e-16)
            break;
    }
    return 1 / fraction;
}

// Both tails of the beta distribution at x = 1 - y; the smaller one has full relative precision.
struct tails {
    double lower, upper;
    double slope; // derivative of `lower` by log(x)
};

static struct tails beta_tails(double a, double b, double x, double y)
{
    struct tails tails;
    double n = a + b;
    double difference = x <= y ? fma(-n, x, a) : -fma(-n, y, b);
    double prefactor = exp(stat_log_beta_density(a, b, x, y));
    tails.slope = prefactor / y;
    if (difference >= 0) {
        tails.lower = fmin(1, prefactor * beta_fraction(a, b, x, difference));
        tails.upper = 1 - tails.lower;
    } else {
        tails.upper = fmin(1, prefactor * beta_fraction(b, a, y, -difference));
        tails.lower = 1 - tails.upper;
    }
    return tails;
}

double stat_beta(double a, double b, double x)
{
    if (isnan(a) || isnan(b) || isnan(x) || a <= 0 || b <= 0)
        return NAN;
    if (x <= 0)
        return 0;
    if (x >= 1)
        return 1;
    return beta_tails(a, b, x, 1 - x).lower;
}

double stat_beta_quantile(double a, double b, double target, bool upper, double start)
{
    double log_target = log(target);
    double outside = upper ? 0 : -HUGE_VAL; // log x where the tail is below the target
    double inside = log(start);             // log x where it is not
    double at = inside;
    for (int step = 0; step < 400; step++) {
        struct tails tails = beta_tails(a, b, exp(at), -expm1(at));
        double tail = upper ? tails.upper : tails.lower;
        double error = log(tail) - log_target;
        if (error < 0)
            outside = at;
        else
            inside = at;
        double next = at - error * tail / (upper ? -tails.slope : tails.slope);
        if (!(next > fmin(inside, outside) && next < fmax(inside, outside)))
            next = isinf(outside) ? inside - 1 : (inside + outside) / 2;
        if (fabs(next - at) <= 1e-15 * fmax(1, fabs(at)))
            return exp(next);
        at = next;
    }
    return exp(at);
}

// ---- A search that starts near its answer.

uint64_t stat_first(uint64_t without, uint64_t with, uint64_t guess,
                    bool (*is)(const void *data, uint64_t count), const void *data)
{
    const uint64_t farthest = with - without;
    uint64_t step = 1;
    uint64_t at = guess <= without ? without + 1 : guess >= with ? with - 1 : guess;
    while (with - without > 1) {
        bool holds = is(data, at);
        if (holds)
            with = at;
        else
            without = at;
        uint64_t gap = with - without;
        if (gap <= step)
            at = without + gap / 2;
        else
            at = holds ? with - step : without + step;
        step = gap <= step ? farthest : 2 * step;
    }
    return with;
}

// ---- Student's distribution, from the incomplete beta function.

double stat_student(double p, double degrees)
{
    if (p > 0.5)
        return 1 - stat_student(1 - p, degrees);
    double z = stat_normal_quantile(fmax(p, 1e-300));
    return stat_beta(degrees / 2, 0.5, degrees / (degrees + z * z)) / 2;
}
