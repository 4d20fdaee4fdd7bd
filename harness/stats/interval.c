// SPDX-License-Identifier: Apache-2.0
// The Clopper-Pearson interval by a regularised incomplete beta function that keeps its digits up
// to counts of 10^12. Its prefactor is the saddle-point form of the binomial density (Loader, "Fast
// and accurate computation of binomial probabilities", 2000): differences of lgamma lose eight
// digits at 10^8. The rest is a continued fraction.
#include "stats/interval.h"

#include <math.h>
#include <stdbool.h>

static const double half_log_2pi = 0.91893853320467274178;
static const double two_pi = 6.28318530717958647692;

// log(n!) - log(sqrt(2 pi n) (n/e)^n), for real n > 0.
static double stirling_error(double n)
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

// count log(count / mean) + mean - count, where `difference` is count - mean, known more precisely
// than by subtracting.
static double deviance(double count, double mean, double difference)
{
    if (fabs(difference) >= 0.1 * (count + mean))
        return count * log(count / mean) - difference;
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

// x^a y^b / B(a, b), where y = 1 - x and `difference` is a - (a + b) x = (a + b) y - b.
static double beta_prefactor(double a, double b, double x, double y, double difference)
{
    double n = a + b;
    double exponent = stirling_error(n) - stirling_error(a) - stirling_error(b) -
                      deviance(a, n * x, difference) - deviance(b, n * y, -difference);
    return exp(exponent) * sqrt(a / two_pi * (b / n));
}

// I_x(a, b) without its prefactor, for x at or below the mean: the even part of the usual continued
// fraction (Didonato, Morris, "Algorithm 708", 1992), whose terms are free of cancellation as long
// as `difference` is. It takes about sqrt(max(a, b)) steps at the mean and few away from it.
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

// Both tails of the beta distribution at x = 1 - y: each with its own relative precision where it
// is the smaller one.
struct tails {
    double lower, upper;
    double slope; // of `lower` over log(x)
};

static struct tails beta_tails(double a, double b, double x, double y)
{
    struct tails tails;
    double n = a + b;
    // From the smaller of x and y, whose digits are all there.
    double difference = x <= y ? fma(-n, x, a) : -fma(-n, y, b);
    double prefactor = beta_prefactor(a, b, x, y, difference);
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

// The x in (0, 1) at which the lower (or upper) tail of the beta distribution is `target`, by
// Newton steps on the logarithms, kept inside a bracket. `start` is a point whose tail is not
// smaller.
static double beta_quantile(double a, double b, double target, bool upper, double start)
{
    double log_target = log(target);
    double outside = upper ? 0 : -HUGE_VAL; // log x where the tail is smaller than the target
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

struct stat_interval stat_clopper_pearson(uint64_t k, uint64_t n, double confidence)
{
    if (n == 0 || k > n || !(confidence < 1))
        return (struct stat_interval){0, 1};
    if (k > n - k) {
        struct stat_interval mirror = stat_clopper_pearson(n - k, n, confidence);
        return (struct stat_interval){1 - mirror.high, 1 - mirror.low};
    }
    double tail = (1 - fmax(confidence, 0)) / 2;
    if (k == 0)
        return (struct stat_interval){0, -expm1(log(tail) / (double)n)};
    double successes = (double)k;
    double rest = (double)(n - k);
    double share = successes / (double)n;
    return (struct stat_interval){
        .low = beta_quantile(successes, rest + 1, tail, false, share),
        .high = beta_quantile(successes + 1, rest, tail, true, share),
    };
}
