#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints interval_table.h: reference values for tests/unit/interval.c, by exact means only.

Needs nothing but Python. Takes about a minute; run it by hand when the table is to change:

    tests/unit/interval_table.py > tests/unit/interval_table.h
"""
from decimal import Decimal, getcontext
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial

DIGITS = 50
getcontext().prec = DIGITS
ALPHA = {0.95: Decimal("0.05"), 0.99: Decimal("0.01"), 0.5: Decimal("0.5")}


def bernoulli(count):
    numbers = [Fraction(1)]
    for m in range(1, count):
        numbers.append(-sum(comb(m + 1, j) * numbers[j] for j in range(m)) / (m + 1))
    return numbers


BERNOULLI = bernoulli(42)
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")


@lru_cache(None)
def log_factorial(n):
    """log(n!): exact product, or Stirling's series whose first dropped term is below 1e-60."""
    if n <= 2000:
        return Decimal(factorial(n)).ln()
    x = Decimal(n)
    total = (x + Decimal("0.5")) * x.ln() - x + (2 * PI).ln() / 2
    for j in range(1, 21):
        b = BERNOULLI[2 * j]
        total += Decimal(b.numerator) / b.denominator / (2 * j * (2 * j - 1)) / x ** (2 * j - 1)
    return total


def density(k, n, p):
    """P(X = k) of the binomial distribution."""
    log_choose = log_factorial(n) - log_factorial(k) - log_factorial(n - k)
    return (log_choose + k * p.ln() + (n - k) * (1 - p).ln()).exp()


def tail_down(k, n, p):
    """P(X <= k), by summing terms downwards from k until they no longer count (p above k/n)."""
    term = total = Decimal(1)
    odds = (1 - p) / p
    for i in range(k, 0, -1):
        term = term * i * odds / (n - i + 1)
        total += term
        if term < total * Decimal("1e-30"):
            break
    return density(k, n, p) * total


def tail_up(k, n, p):
    """P(X >= k): the same upwards."""
    return tail_down(n - k, n, 1 - p)


def solve(tail, slope_density, target, guess):
    """Newton's method on log(tail) over log(p): six steps from a good guess give all digits."""
    p = guess
    for _ in range(40):
        value = tail(p)
        step = (value.ln() - target.ln()) * value / (slope_density(p) * p)
        limit = Decimal("0.5")
        step = max(-limit, min(limit, step))
        new = p * (-step).exp()
        if new >= 1:
            new = (p + 1) / 2
        if abs(new - p) < p * Decimal("1e-20"):
            return new
        p = new
    raise ArithmeticError("no convergence")


def clopper_pearson(k, n, confidence):
    alpha = ALPHA[confidence] / 2
    if k == 0:
        low = Decimal(0)
    elif k == n:
        low = (alpha.ln() / n).exp()
    else:
        # d/dp P(X >= k) = n P(X' = k - 1) of n - 1
        low = solve(lambda p: tail_up(k, n, p), lambda p: n * density(k - 1, n - 1, p), alpha,
                    start(k, n, -1))
    if k == n:
        high = Decimal(1)
    elif k == 0:
        high = 1 - (alpha.ln() / n).exp()
    else:
        high = solve(lambda p: tail_down(k, n, p), lambda p: -n * density(k, n - 1, p), alpha,
                     start(k, n, 1))
    return low, high


def start(k, n, sign):
    """The normal approximation on the scale of log odds."""
    odds = Decimal(k) / (n - k)
    width = Decimal("1.96") * (Decimal(1) / k + Decimal(1) / (n - k)).sqrt()
    odds *= (sign * min(width, Decimal(2))).exp()
    return odds / (1 + odds)


INTERVALS = (
    [(k, n) for n in (1, 2, 3, 10) for k in range(n + 1)]
    + [(k, 100) for k in (0, 1, 2, 50, 99, 100)]
    + [(k, 1000) for k in (0, 1, 37, 500, 963, 999, 1000)]
    + [(37, 48000), (0, 96000), (0, 12000), (500, 30000), (3, 10**5), (10, 10**5)]
    + [(k, 10**6) for k in (0, 1, 3, 500, 500000, 999999)]
    + [(k, 10**8) for k in (0, 1, 3, 10, 500, 10**6)]
    + [(k, 10**9) for k in (1, 1000, 5 * 10**8)]
    + [(k, 10**12) for k in (0, 1, 2, 3, 10, 500, 10**6, 10**9, 5 * 10**11, 10**12 - 3, 10**12)]
)
OTHER = [(1, 10, 0.99), (3, 10**6, 0.99), (5, 1000, 0.5), (37, 48000, 0.99)]
# a, b, x: I_x(a, b) = P(X >= a) of a + b - 1 trials for whole a and b.
BETAS = [(1, 1, 0.25), (2, 3, 0.5), (5, 2, 0.125), (10, 10, 0.375), (1, 1000, 2.0**-10),
         (38, 47963, 2.0**-10), (500, 29501, 0.015625), (4, 999997, 2.0**-18),
         (4, 999997, 2.0**-20), (11, 10**8 - 10, 2.0**-22), (1000, 10**9, 2.0**-20),
         (500001, 499999, 0.5), (4, 10**12 - 3, 2.0**-38), (4, 10**12 - 3, 2.0**-45),
         (10**6, 10**12 - 10**6 + 1, 9.985e-7), (3, 4, 0.9375), (999998, 4, 1 - 2.0**-18)]


def main():
    print("""// SPDX-License-Identifier: Apache-2.0
// Reference values for interval.c, printed by interval_table.py: do not edit.
//
// Every value comes from the definition, with 50 decimal digits (Python's decimal module): binomial
// probabilities from exact factorials or Stirling's series with 20 terms, tails as sums of terms down
// to a relative size of 1e-30, bounds by Newton's method until 20 digits stand still. No incomplete
// beta function, continued fraction or statistics library is involved. k = 0 and k = n are the closed
// forms 1 - (alpha / 2)^(1 / n) and (alpha / 2)^(1 / n).
#pragma once

#include <stdint.h>

static const struct interval_row {
    uint64_t k, n;
    double confidence, low, high;
} interval_table[] = {""")
    rows = [(k, n, 0.95) for k, n in INTERVALS] + OTHER
    for k, n, confidence in rows:
        if k > n - k and k != n:
            high, low = clopper_pearson(n - k, n, confidence)
            low, high = 1 - low, 1 - high
        else:
            low, high = clopper_pearson(k, n, confidence)
        print(f"    {{{k}u, {n}u, {confidence}, {low:.17g}, {high:.17g}}},")
    print("""};

static const struct beta_row {
    double a, b, x, value;
} beta_table[] = {""")
    for a, b, x in BETAS:
        n, p = a + b - 1, Decimal(x)
        mean = n * p
        if a > mean:
            value = tail_up(a, n, p)
        else:
            value = 1 - tail_down(a - 1, n, p)
        print(f"    {{{a}, {b}, {x!r}, {value:.17g}}},")
    print("};")


if __name__ == "__main__":
    main()
