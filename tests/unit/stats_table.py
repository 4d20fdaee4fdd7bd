#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints stats_tables.txt: reference values for tests/unit/stats_tables.c, each from its definition.

Needs mpmath (python3-mpmath). Takes about two minutes; run it by hand when the table is to change:

    tests/unit/stats_table.py > tests/unit/stats_tables.txt

With --mixtures it prints how wide the confidence sequence would be with other mixtures
(docs/statistics.md).
"""
import random
import sys
from fractions import Fraction
from functools import lru_cache

from mpmath import erfinv, exp, findroot, gammainc, log, loggamma, mp, mpf, sqrt

mp.dps = 60
TINY = mpf(10) ** -40  # terms below this part of a sum are left out
TAILS = ("STAT_TWO_SIDED", "STAT_GREATER", "STAT_LESS")
M, G, T = 10**6, 10**9, 10**12


def decimal(value):
    """The decimal that was meant by a double: 0.95 and not the double next to it."""
    return mpf(repr(value)) if isinstance(value, float) else mpf(value)


@lru_cache(None)
def log_factorial(n):
    return loggamma(mpf(n) + 1)


def log_choose(n, k):
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k)


def binomial(k, n, p):
    """P(X = k), by the definition."""
    if p == 0 or p == 1:
        return mpf(1 if k == n * p else 0)
    return exp(log_choose(n, k) + k * log(p) + (n - k) * log(1 - p))


def tail(k, n, p):
    """P(X >= k) for k above the mean, 0 < p < 1: the sum of terms from k on, as integers of 200
    binary places."""
    one = term = total = 1 << 200
    odds = int(p / (1 - p) * one)
    for i in range(k, n):
        term = term * (n - i) * odds // ((i + 1) * one)
        total += term
        if term < total >> 110:
            break
    return binomial(k, n, p) * total / one


def binomial_below(k, n, p):
    """P(X < k) for a small k."""
    return sum((binomial(i, n, p) for i in range(k)), mpf(0))


# Fisher's exact test -----------------------------------------------------------------------------


class Tables:
    """All tables with the margins of one."""

    def __init__(self, k1, n1, k2, n2):
        self.n1, self.n2, self.failed = n1, n2, k1 + k2
        self.low, self.high = max(0, k1 + k2 - n2), min(n1, k1 + k2)

    def log_p(self, x):
        rest = self.failed - x
        return (log_choose(self.n1, x) + log_choose(self.n2, rest)
                - log_choose(self.n1 + self.n2, self.failed))

    def total(self, x, step):
        """The sum from table x on, as integers of 200 binary places: each from the one before."""
        one = term = total = 1 << 200
        while self.low <= x + step <= self.high:
            rest = self.failed - x
            if step > 0:
                term = term * (self.n1 - x) * rest // ((x + 1) * (self.n2 - rest + 1))
            else:
                term = term * x * (self.n2 - rest) // ((self.n1 - x + 1) * (rest + 1))
            x += step
            total += term
            if term < total >> 120 and term < one:
                break
        return mpf(total) / one

    def sum(self, x, step):
        return exp(self.log_p(x)) * self.total(x, step)

    def edge(self, low, high, limit, rising):
        """The last table of a monotone stretch that is no more probable than exp(limit)."""
        inside, outside = (low, high) if rising else (high, low)
        if self.log_p(inside) > limit:
            return None
        while abs(inside - outside) > 1:
            middle = (inside + outside) // 2
            if self.log_p(middle) <= limit:
                inside = middle
            else:
                outside = middle
        return inside


def fisher(k1, n1, k2, n2, tail):
    tables = Tables(k1, n1, k2, n2)
    if tail == "STAT_GREATER":
        return tables.sum(k1, -1)
    if tail == "STAT_LESS":
        return tables.sum(k1, 1)
    limit = tables.log_p(k1) + log(1 + mpf("1e-7"))
    if tables.high - tables.low < 300:
        logs = [tables.log_p(x) for x in range(tables.low, tables.high + 1)]
        return sum((exp(value) for value in logs if value <= limit), mpf(0))
    mode = (tables.failed + 1) * (n1 + 1) // (n1 + n2 + 2)
    if tables.log_p(mode) <= limit:
        return mpf(1)
    below = tables.edge(tables.low, mode, limit, True)
    above = tables.edge(mode, tables.high, limit, False)
    return ((tables.sum(below, -1) if below is not None else 0)
            + (tables.sum(above, 1) if above is not None else 0))


FISHER = (
    [(1, 9, 11, 12), (3, 4, 1, 4), (0, 1, 1, 1), (0, 5, 5, 5), (5, 5, 5, 5), (2, 10, 8, 10),
     (10, 15, 3, 15), (0, 7, 0, 9), (7, 100, 19, 80), (0, 1000, 6, 1000), (1, 1000, 6, 500),
     (37, 48000, 12, 48000), (37, 48000, 80, 48000), (0, 96000, 3, 12000), (500, 1000, 450, 1000)]
    + [(0, M, 5, M), (3, M, 14, M), (100, M, 160, 2 * M), (500, 10**8, 380, 10**8),
       (0, G, 4, G), (1, G, 9, 2 * G), (M, G, M + 3000, G), (10**4, M, 10400, M),
       (0, T, 3, T), (5, T, 20, T), (0, T, 4, M), (1, M, 20, T), (500, T, 400, T),
       (M, T, M + 3000, T), (M, T, 1500, G), (T - 3, T, T - 12, T), (T, T, T - 6, T),
       (G, T, G + 10**5, T), (T // 2, T, T // 2 + 2 * M, T), (T // 2, T, T // 2 - 3 * M, T)]
)


# Intervals ---------------------------------------------------------------------------------------


def normal_quantile(confidence):
    return sqrt(mpf(2)) * erfinv(decimal(confidence))


def wilson(k, n, confidence):
    """The two p at which (k/n - p)^2 = z^2 p (1 - p) / n."""
    z2 = normal_quantile(confidence) ** 2
    share = mpf(k) / n
    a, b, c = 1 + z2 / n, -(2 * share + z2 / n), share * share
    root = sqrt(b * b - 4 * a * c)
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def newcombe(k1, n1, k2, n2, confidence):
    p1, p2 = mpf(k1) / n1, mpf(k2) / n2
    (l1, u1), (l2, u2) = wilson(k1, n1, confidence), wilson(k2, n2, confidence)
    return (p2 - p1 - sqrt((p2 - l2) ** 2 + (u1 - p1) ** 2),
            p2 - p1 + sqrt((u2 - p2) ** 2 + (p1 - l1) ** 2))


def clopper_pearson_low(k, n, confidence):
    """Where P(X >= k) is half of what the confidence leaves, on the scale of log odds."""
    limit = log((1 - decimal(confidence)) / 2)
    if k in (0, n):
        return exp(limit / n) if k else mpf(0)
    width = 2 * sqrt(mpf(1) / k + mpf(1) / (n - k))
    start = log(mpf(k) / (n - k)) - width
    t = findroot(lambda t: log(tail(k, n, 1 / (1 + exp(-t)))) - limit, (start, start + width / 9),
                 tol=mpf(10) ** -44)
    return 1 / (1 + exp(-t))


def clopper_pearson(k, n, confidence):
    return clopper_pearson_low(k, n, confidence), 1 - clopper_pearson_low(n - k, n, confidence)


def sequence(k, n, confidence, a=mpf("0.1"), b=mpf("0.5")):
    """Where the mixture's marginal probability is 1 / (1 - confidence) times that of p: by halving
    on the scale of log odds."""
    marginal = (loggamma(k + a) + loggamma(n - k + b) - loggamma(n + a + b)
                - loggamma(a) - loggamma(b) + loggamma(a + b))

    def inside(t):
        p = 1 / (1 + exp(-t))
        rest = 1 / (1 + exp(t))
        return marginal - k * log(p) - (n - k) * log(rest) < -log(1 - decimal(confidence))

    best = log(mpf(k)) - log(mpf(n - k)) if 0 < k < n else None
    bounds = []
    for sign, absent in ((-1, k == 0), (1, k == n)):
        if absent:
            bounds.append(mpf(0 if sign < 0 else 1))
            continue
        start = best if best is not None else sign * -log(mpf(n)) * 2 - sign * 20
        near, far = start, start + sign * 200
        for _ in range(140):
            middle = (near + far) / 2
            if inside(middle):
                near = middle
            else:
                far = middle
        bounds.append(1 / (1 + exp(-near)))
    return bounds


PROPORTIONS = (
    [(k, n) for n in (1, 2, 10) for k in range(n + 1)]
    + [(0, 100), (3, 100), (50, 100), (0, 1000), (1, 1000), (37, 1000), (999, 1000), (1000, 1000)]
    + [(0, M), (1, M), (10, M), (500000, M), (999990, M), (3, 10**8), (0, G), (1000, G)]
    + [(0, T), (1, T), (500, T), (M, T), (T // 2, T), (T - 3, T), (T, T)]
)
PAIRS = [(56, 70, 48, 80), (9, 10, 3, 10), (6, 7, 2, 7), (5, 56, 0, 29), (0, 10, 0, 20),
         (0, 10, 10, 10), (10, 10, 0, 10), (10, 10, 20, 20), (0, 1000, 6, 1000),
         (37, 48000, 80, 48000), (0, M, 5, M), (3, M, 14, M), (M // 2, M, M // 2 + 1000, M),
         (1, G, 9, 2 * G), (0, T, 3, T), (500, T, 400, T), (M, T, 1500, G), (0, T, 4, M),
         (T // 2, T, T // 2 + 2 * M, T), (T - 3, T, T - 12, T), (T, T, T, T)]
CONFIDENCES = (0.95, 0.99, 0.5)


def beta(a, b, x):
    """P(X >= a) of a + b - 1 trials."""
    n = a + b - 1
    return tail(a, n, x) if a > n * x else 1 - tail(b, n, 1 - x)


BETAS = [(1, 1, 0.25), (2, 3, 0.5), (5, 2, 0.125), (10, 10, 0.375), (1, 1000, 2.0**-10),
         (38, 47963, 2.0**-10), (500, 29501, 0.015625), (4, 999997, 2.0**-18),
         (4, 999997, 2.0**-20), (11, 10**8 - 10, 2.0**-22), (1000, G, 2.0**-20),
         (500001, 499999, 0.5), (4, T - 3, 2.0**-38), (4, T - 3, 2.0**-45),
         (M, T - M + 1, 9.985e-7), (3, 4, 0.9375), (999998, 4, 1 - 2.0**-18)]


# Parts -------------------------------------------------------------------------------------------


def chi_square_tail(x, degrees):
    return gammainc(mpf(degrees) / 2, mpf(x) / 2, regularized=True)


def dispersion(k, n):
    failed, runs = sum(k), sum(n)
    rate = Fraction(failed, runs)
    total = Fraction(0)
    for failures, size in zip(k, n):
        for seen, expected in ((failures, size * rate), (size - failures, size * (1 - rate))):
            total += (seen - expected) ** 2 / expected
    value = mpf(total.numerator) / total.denominator
    degrees = len(n) - 1
    return value / degrees, chi_square_tail(value, degrees)


CHI = [(0.5, 1), (3.841458820694124, 1), (30, 1), (1e-8, 2), (2, 2), (700, 2), (9.5, 4), (5, 9),
       (18, 9), (198, 99), (60, 99), (1000, 999), (1200, 999), (900, 999), (10**5, 10**5 - 1),
       (10**5 + 2000, 10**5 - 1), (10**6 + 5000, 10**6), (0.001, 3), (1e-300, 1)]
# Parts that each expect five failures and passes or more: where p is chi-square's.
PARTS = [([10, 12, 9], [100, 100, 100]), ([30, 5], [1000, 1000]),
         ([20, 7, 9, 44], [90, 60, 55, 200]),
         ([990, 980, 995, 975], [1000] * 4), ([50, 61, 48, 52, 90], [M, M, M, M, M]),
         ([5 * 10**5, 5 * 10**5 + 2000], [M, M]), ([T // 4, T // 4 + M], [T // 2, T // 2]),
         ([1000, 1100, 950], [T // 4, T // 4, T // 4])]


# What is detectable ------------------------------------------------------------------------------


@lru_cache(None)
def rejected(k1, n1, k2, n2, alpha, tail):
    return fisher(k1, n1, k2, n2, tail) <= decimal(alpha)


def detectable(k1, n1, n2, alpha, wanted):
    least = k1 * n2 // n1 + 1
    while not rejected(k1, n1, least, n2, alpha, "STAT_GREATER"):
        least += 1
        if least > n2:
            return mpf(1)
    low, high = mpf(-60), mpf(0)  # of log p: P(X < least) falls with p
    for _ in range(160):
        middle = (low + high) / 2
        if binomial_below(least, n2, exp(middle)) > 1 - decimal(wanted):
            low = middle
        else:
            high = middle
    return exp(low)


DETECTABLE = [(0, 10, 10, 0.05, 0.8), (0, 1000, 1000, 0.05, 0.8), (3, 1000, 200, 0.05, 0.9),
              (50, 100, 20, 0.05, 0.8), (1, 10, 3, 0.05, 0.8), (0, M, M, 0.05, 0.8),
              (3, M, 10**4, 0.01, 0.8), (20, M, M, 0.05, 0.5), (0, T, T, 0.05, 0.8),
              (10, T, T, 1e-4, 0.9), (0, 2, 2, 0.05, 0.8)]

# Many tests --------------------------------------------------------------------------------------


def adjusted(p):
    """Both from their definitions: a test's adjusted p is the lowest level that rejects it."""
    order = sorted(p)
    count = len(p)
    holm = [min(mpf(1), max((count - j) * order[j] for j in range(order.index(x) + 1))) for x in p]
    last = {x: i for i, x in enumerate(order)}
    bh = [min(mpf(1), min(count * order[j] / (j + 1) for j in range(last[x], count))) for x in p]
    return holm, bh


LISTS = [[0.01, 0.04, 0.03, 0.005], [0.5], [0.02, 0.02, 0.02], [1, 0, 0.5, 0.25, 0.25],
         [1e-300, 1e-9, 0.001, 0.2, 0.9, 0.0499, 0.05]]
draw = random.Random(1)
LISTS.append([round(draw.random() ** 3, 6) for _ in range(20)])


# -------------------------------------------------------------------------------------------------


def number(value):
    return mp.nstr(value, 17, min_fixed=0, max_fixed=0) if isinstance(value, mpf) else repr(value)


def table(name, rows):
    print(f"\n# {name}")
    for row in rows:
        print(*map(number, row))


HEAD = """; SPDX-License-Identifier: Apache-2.0
; Reference values for harness/stats, printed by stats_table.py: do not edit.
;
; Every value comes from its definition, with 60 decimal digits (mpmath): hypergeometric and
; binomial probabilities from log gamma, tails as sums of terms down to a relative size of 1e-36,
; Clopper-Pearson's bounds as roots of such a tail, Wilson's of a quadratic, the confidence
; sequence's by halving on marginal / likelihood, chi-square by mpmath's incomplete gamma function,
; X^2 as a fraction."""


def mixtures():
    """Widths times n."""
    choices = ((0.5, 0.5), (0.1, 0.1), (0.1, 0.5), (0.1, 1), (0.05, 0.25))
    print("|", " | ".join(["k of n"] + [f"Beta({a}, {b})" for a, b in choices]), "|")
    for k, n in ((0, 1000), (0, M), (0, G), (1, M), (3, M), (10, 1000), (100, M), (500, 1000),
                 (M // 2, M), (999, 1000), (1000, 1000)):
        bounds = [sequence(k, n, 0.95, decimal(a), decimal(b)) for a, b in choices]
        print("|", " | ".join([f"{k:,} of {n:,}"] + [mp.nstr(n * (high - low), 4)
                                                  for low, high in bounds]), "|")


def main():
    if sys.argv[1:] == ["--mixtures"]:
        return mixtures()
    print(HEAD)
    for name, function in (("clopper_pearson", clopper_pearson), ("wilson", wilson),
                           ("sequence", sequence)):
        rows = [(k, n, 0.95, *function(k, n, 0.95)) for k, n in PROPORTIONS]
        rows += [(k, n, c, *function(k, n, c)) for k, n in ((3, 1000), (0, M), (500, T))
                 for c in CONFIDENCES[1:]]
        table(name, rows)
    table("zero", [(n, c, -mp.expm1(log(1 - decimal(c)) / n)) for n in (1, 2, 10, 1000, M, G, T)
                   for c in CONFIDENCES])
    table("beta", [(*map(mpf, row), beta(row[0], row[1], mpf(row[2]))) for row in BETAS])
    table("fisher", [(*row, *(fisher(*row, tail) for tail in TAILS)) for row in FISHER])
    table("newcombe", [(*row, c, *newcombe(*row, c)) for row in PAIRS for c in CONFIDENCES[:2]])
    table("chi", [(x, d, chi_square_tail(decimal(x), d)) for x, d in
                  ((decimal(x), mpf(d)) for x, d in CHI)])
    table("dispersion", [(len(k), *k, *n, *dispersion(k, n)) for k, n in PARTS])
    table("detectable", [(*row, detectable(*row)) for row in DETECTABLE])
    lists = [[decimal(x) for x in p] for p in LISTS]
    table("adjust", [(len(p), *p, *holm, *hochberg) for p in lists
                     for holm, hochberg in [adjusted(p)]])


if __name__ == "__main__":
    main()
