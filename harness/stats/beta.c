// SPDX-License-Identifier: Apache-2.0
// The regularised incomplete beta function as a continued fraction that keeps its digits up to
// counts of 10^12, and its inverse.
#include "stats/beta.h"

#include "stats/density.h"

#include <math.h>

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

double stat_beta_upper(double a, double b, double x)
{
    if (isnan(a) || isnan(b) || isnan(x) || a <= 0 || b <= 0)
        return NAN;
    if (x <= 0)
        return 1;
    if (x >= 1)
        return 0;
    return beta_tails(a, b, x, 1 - x).upper;
}

double stat_beta_quantile(double a, double b, double target, bool upper, double start)
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
