#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints extended_table.h: what functions of GLSL.std.450 give, correctly rounded.

Needs nothing but Python; the build runs it.
"""
from decimal import Decimal, getcontext
from fractions import Fraction
from math import floor

getcontext().prec = 80
PI = Decimal("3.14159265358979323846264338327950288419716939937510"
             "582097494459230781640628620899862803")
FIELDS = {16: (11, -14, 15), 32: (24, -126, 127), 64: (53, -1022, 1023)}  # digits, exponents


def encode(value, width):
    """The bits of the nearest float, ties to even."""
    digits, low, high = FIELDS[width]
    value = Fraction(value)
    sign = int(value < 0) << (width - 1)
    value = abs(value)
    if value == 0:
        return 0
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if Fraction(2) ** exponent > value:
        exponent -= 1
    exponent = max(exponent, low)
    scaled = value / Fraction(2) ** (exponent - digits + 1)
    whole = floor(scaled)
    rest = scaled - whole
    whole += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2)
    bits = whole + ((exponent - low) << (digits - 1))  # a carry goes on into the exponent
    assert bits >> (digits - 1) <= high - low + 1, "too large"
    return sign | bits


def decode(bits, width):
    digits, low, _ = FIELDS[width]
    sign = -1 if bits >> (width - 1) else 1
    bits &= (1 << (width - 1)) - 1
    exponent, fraction = bits >> (digits - 1), bits & ((1 << (digits - 1)) - 1)
    whole = fraction if exponent == 0 else fraction + (1 << (digits - 1))
    return sign * whole * Fraction(2) ** (max(exponent, 1) + low - 1 - digits + 1)


def decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator)


def series(first, factor):
    """The sum of first, first * factor(1), first * factor(1) * factor(2), ..."""
    total, term, n = Decimal(0), first, 1
    while abs(term) > Decimal("1e-75"):
        total += term
        term *= factor(n)
        n += 1
    return total


def sin(x):
    x = x % (2 * PI)
    return series(x, lambda n: -x * x / (2 * n * (2 * n + 1)))


def cos(x):
    return sin(x + PI / 2)


def atan(x):
    if abs(x) > 1:
        return (PI if x > 0 else -PI) / 2 - atan(1 / x)
    if abs(x) > Decimal("0.1"):  # halve the angle
        return 2 * atan(x / (1 + (1 + x * x).sqrt()))
    total, power, n = Decimal(0), x, 0
    while abs(power) > Decimal("1e-75"):
        total += power / (2 * n + 1) * (-1) ** n
        power *= x * x
        n += 1
    return total


def asin(x):
    return atan(x / (1 - x * x).sqrt()) if abs(x) < 1 else x * PI / 2


def atan2(y, x):
    if x == 0:
        return (PI if y > 0 else -PI) / 2
    return atan(y / x) + (0 if x > 0 else PI if y >= 0 else -PI)


def sinh(x):
    if abs(x) < 1:
        return series(x, lambda n: x * x / (2 * n * (2 * n + 1)))
    return (x.exp() - (-x).exp()) / 2


def cosh(x):
    return (x.exp() + (-x).exp()) / 2


def asinh(x):
    return (abs(x) + (x * x + 1).sqrt()).ln().copy_sign(x)


def clamp(x, low, high):
    return min(max(x, low), high)


def smooth(low, high, x):
    t = clamp((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def nearest_even(x):
    whole = floor(x + Fraction(1, 2))
    return whole - (whole % 2 and whole - x == Fraction(1, 2))


WIDE, NARROW = (16, 32, 64), (16, 32)
ANY = "0.375 1.5 2.75 7.03125 -0.8125 -3.3 10.6"
UNIT = "0 0.1 0.5 -0.25 0.9375 -0.99"
POSITIVE = "0.02 0.3 1 1.75 9.3 123.4"
ANGLES = "0.001 0.5 -1.2 3 6.5 -20.7 100"
# Functions of Fractions, and functions of Decimals. Where 64 bits are computed in more than one
# step, how many units in the last place they may be off.
EXACT = {
    "RoundEven": (nearest_even, WIDE, "0.75 1.5 2.5 3.5 -1.5 -2.25 100.5 -7"),
    "Round": (nearest_even, WIDE, "0.75 1.25 -1.75 -2.25 100.25 -7"),
    "Trunc": (lambda x: floor(abs(x)) * (1 if x > 0 else -1), WIDE, "1.5 -1.5 7.03125 -8 100.75"),
    "Floor": (floor, WIDE, ANY + " 0.25 -0.25 4"),
    "Ceil": (lambda x: -floor(-x), WIDE, "1.5 -3.25 7.03125 0.25 4"),
    "Fract": (lambda x: x - floor(x), WIDE, ANY + " -0.25 4"),
    "FAbs": (abs, WIDE, ANY + " 0"),
    "FSign": (lambda x: (x > 0) - (x < 0), WIDE, ANY + " 0"),
    "FMin": (min, WIDE, "1.5,2.5 2.5,1.5 -1,1 -1,-2 0.1,0.1"),
    "FMax": (max, WIDE, "1.5,2.5 2.5,1.5 -1,1 -1,-2 0.1,0.1"),
    "NMin": (min, WIDE, "1.5,2.5 2.5,1.5 -1,1 -1,-2"),
    "NMax": (max, WIDE, "1.5,2.5 2.5,1.5 -1,1 -1,-2"),
    "FClamp": (clamp, WIDE, "0.5,0,1 -0.5,0.25,1 3,-1,2"),
    "NClamp": (clamp, WIDE, "0.5,0,1 -0.5,0.25,1 3,-1,2"),
    "FMix": (lambda x, y, a: x * (1 - a) + y * a, WIDE,
             "1,3,0.25 0.1,7.7,0.3 -2,5.5,1 4,9,0 1,2,3"),
    "Step": (lambda edge, x: int(x >= edge), WIDE, "1,0.5 1,1 1,1.5 -2,-3 -2,0"),
    "SmoothStep": (smooth, WIDE, "0,1,0.25 0,1,-3 0,1,5 1,4,2 -3.5,0.7,0.1"),
    "Fma": (lambda x, y, z: x * y + z, WIDE,
            "1.5,2.5,-0.25 0.1,0.3,0.7 3.3,-7.1,23.43 1000.5,10.01,-10015 "
            # a product in the middle between two floats of 16 or 32 bits, and a little
            "1.03125,1.015625,1e-6 1.03125,1.015625,-1e-6 "
            "1.000244140625,1.000244140625,1e-19 1.000244140625,1.000244140625,-1e-19 "
            "1e-7,1e-7,60000 1e-7,-1e-7,6.1e-5"),
}
APPROXIMATE = {
    "Radians": (lambda x: x * PI / 180, NARROW, "1 45 90 -123.4 360"),
    "Degrees": (lambda x: x * 180 / PI, NARROW, "0.01 1 3.14159 -2.5 6"),
    "Sin": (sin, NARROW, ANGLES),
    "Cos": (cos, NARROW, ANGLES),
    "Tan": (lambda x: sin(x) / cos(x), NARROW, ANGLES),
    "Asin": (asin, NARROW, UNIT + " 1 -1"),
    "Acos": (lambda x: PI / 2 - asin(x), NARROW, UNIT + " -1"),
    "Atan": (atan, NARROW, ANY + " 1000"),
    "Sinh": (sinh, NARROW, ANY + " 0.001"),
    "Cosh": (cosh, NARROW, ANY + " 0.001"),
    "Tanh": (lambda x: sinh(x) / cosh(x), NARROW, ANY + " 0.001"),
    "Asinh": (asinh, NARROW, ANY + " 0.001"),
    "Acosh": (lambda x: (x + (x * x - 1).sqrt()).ln(), NARROW, "1.01 1.75 9.3 123.4"),
    "Atanh": (lambda x: ((1 + x) / (1 - x)).ln() / 2, NARROW, UNIT),
    "Atan2": (atan2, NARROW, "1,1 1,-1 -1,-1 -1,1 0.3,7 0,-2 5,0 -5,0"),
    "Pow": (lambda x, y: (x.ln() * y).exp(), NARROW, "2,0.5 1.5,7 10,-3 0.3,4.4 3,2"),
    "Exp": (lambda x: x.exp(), NARROW, ANY + " -9 0"),
    "Log": (lambda x: x.ln(), NARROW, POSITIVE),
    "Exp2": (lambda x: (x * Decimal(2).ln()).exp(), NARROW, ANY + " 0 10"),
    "Log2": (lambda x: x.ln() / Decimal(2).ln(), NARROW, POSITIVE),
    "Sqrt": (lambda x: x.sqrt(), WIDE, POSITIVE + " 0 2 0.0001"),
    "InverseSqrt": (lambda x: 1 / x.sqrt(), WIDE, POSITIVE + " 2 0.0001"),
}
ULPS = {"InverseSqrt": 1, "FMix": 2, "SmoothStep": 3}


def rows():
    for functions, convert in ((EXACT, Fraction), (APPROXIMATE, decimal)):
        for name, (function, widths, inputs) in functions.items():
            for width in widths:
                for text in inputs.split():
                    bits = [encode(Fraction(x), width) for x in text.split(",")]
                    value = function(*(convert(decode(x, width)) for x in bits))
                    operands = ", ".join(f"{x:#x}" for x in bits)
                    ulps = ULPS.get(name, 0) if width == 64 else 0
                    yield (f"    {{GLSLstd450{name}, {width}, {len(bits)}, {ulps}, {{{operands}}}, "
                           f"{encode(Fraction(value), width):#x}}},")


print("""// SPDX-License-Identifier: Apache-2.0
// Functions of GLSL.std.450 and the nearest float to what they give. Written by extended_table.py.
// clang-format off
#pragma once

#include <spirv/unified1/GLSL.std.450.h>
#include <stdint.h>

static const struct extended_row {
    uint32_t instruction, width, operands, ulps; // ulps: how far off it may be
    uint64_t operand[3], result;
} extended_table[] = {""")
for row in rows():
    print(row)
print("};\n// clang-format on")
