// SPDX-License-Identifier: Apache-2.0
// Binomial and beta densities in saddle-point form, and the normal distribution.
#include "stats/density.h"

#include <math.h>

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
    // From the smaller of x and y, whose digits are all there.
    double difference = x <= y ? fma(-n, x, a) : -fma(-n, y, b);
    return stat_stirling_error(n) - stat_stirling_error(a) - stat_stirling_error(b) -
           stat_deviance(a, n * x, difference) - stat_deviance(b, n * y, -difference) +
           log(a / two_pi * (b / n)) / 2;
}

double stat_log_binomial(uint64_t k, uint64_t n, double p)
{
    double successes = (double)k;
    double rest = (double)(n - k);
    if (k == 0)
        return n == 0 ? 0 : rest * log1p(-p);
    if (k == n)
        return successes * log(p);
    if (!(p > 0 && p < 1))
        return -HUGE_VAL;
    double trials = (double)n;
    double difference = fma(-trials, p, successes);
    return stat_stirling_error(trials) - stat_stirling_error(successes) -
           stat_stirling_error(rest) - stat_deviance(successes, trials * p, difference) -
           stat_deviance(rest, trials * (1 - p), -difference) -
           log(two_pi * successes * (rest / trials)) / 2;
}

stat_wide stat_determinant(uint64_t k1, uint64_t n1, uint64_t k2, uint64_t n2)
{
    return (stat_wide)k2 * n1 - (stat_wide)k1 * n2;
}

double stat_normal_tail(double z)
{
    return erfc(z * sqrt(0.5)) / 2;
}

double stat_normal_quantile(double tail)
{
    // log(tail) is concave in z, so that Newton's method on it closes in from above, where this
    // bound lies; from below its first step would leave what a double can hold.
    double z = sqrt(-2 * log(2 * tail));
    for (int step = 0; step < 60; step++) {
        double at = stat_normal_tail(z);
        double slope = exp(-z * z / 2 - half_log_2pi) / at;
        double next = z + (log(at) - log(tail)) / slope;
        if (fabs(next - z) <= 1e-15 * fabs(z))
            return next;
        z = next;
    }
    return z;
}
