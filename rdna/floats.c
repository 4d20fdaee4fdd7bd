// SPDX-License-Identifier: Apache-2.0
// Halves, in integers and doubles; and what must not depend on the host's rounding mode.
#include "floats.h"
#include "exec.h"

#include <math.h>

double rdna_round_even_double(double value)
{
    const double whole = trunc(value), rest = fabs(value - whole);
    if (rest < .5 || (rest == .5 && fmod(whole, 2) == 0))
        return copysign(whole, value);
    return copysign(fabs(whole) + 1, value);
}

float rdna_round_even(float value)
{
    return isfinite(value) ? (float)rdna_round_even_double((double)value) : value;
}

double rdna_of_half(uint32_t half)
{
    const unsigned exponent = half >> 10 & 31, fraction = half & 0x3ff;
    const uint64_t sign = (uint64_t)(half >> 15 & 1) << 63;
    if (exponent == 31)
        return rdna_double(sign | UINT64_C(0x7ff) << 52 | (uint64_t)fraction << 42);
    if (exponent)
        return rdna_double(sign | (uint64_t)(exponent - 15 + 1023) << 52 |
                           (uint64_t)fraction << 42);
    return copysign(ldexp(fraction, -24), sign ? -1 : 1);
}

static double value_of_half(uint64_t word)
{
    return rdna_of_half((uint32_t)word);
}

static double value_of_single(uint64_t word)
{
    return rdna_float((uint32_t)word);
}

const struct rdna_floats rdna_floats16 = {value_of_half, 0x200};
const struct rdna_floats rdna_floats32 = {value_of_single, 0x400000};
const struct rdna_floats rdna_floats64 = {rdna_double, UINT64_C(1) << 51};

uint64_t rdna_least(const struct rdna_floats *size, bool ieee, uint64_t a, uint64_t b,
                    bool greatest)
{
    const double p = size->value(a), q = size->value(b);
    if (ieee && isnan(p) && !(a & size->quiet))
        return a | size->quiet;
    if (ieee && isnan(q) && !(b & size->quiet))
        return b | size->quiet;
    if (isnan(p) || isnan(q))
        return isnan(p) ? isnan(q) ? b | size->quiet : b : a;
    if (p == q) // zeros of both signs
        return greatest ? a & b : a | b;
    return (p < q) != greatest ? a : b;
}

uint64_t rdna_extreme(const struct rdna_floats *size, uint64_t a, uint64_t b, bool greatest)
{
    return isnan(size->value(a))   ? a | size->quiet
           : isnan(size->value(b)) ? b | size->quiet
                                   : rdna_least(size, false, a, b, greatest);
}

uint64_t rdna_median(const struct rdna_floats *size, bool ieee, uint64_t a, uint64_t b, uint64_t c)
{
    const bool any = isnan(size->value(a)) || isnan(size->value(b)) || isnan(size->value(c));
    const uint64_t end = rdna_least(size, ieee, rdna_least(size, ieee, a, b, !any), c, !any);
    if (any)
        return end;
    const double most = size->value(end);
    return most == size->value(a)   ? rdna_least(size, ieee, b, c, true)
           : most == size->value(b) ? rdna_least(size, ieee, a, c, true)
                                    : rdna_least(size, ieee, a, b, true);
}

// Whether what is cut off, `rest` of `unit`, raises a magnitude whose last bit is `odd`.
static bool rounds_up(uint64_t rest, uint64_t unit, bool odd, bool minus, unsigned round)
{
    return round == 0   ? rest * 2 > unit || (rest * 2 == unit && odd)
           : round == 1 ? rest && !minus
           : round == 2 ? rest && minus
                        : false;
}

uint32_t rdna_to_half(double value, unsigned round, bool flush)
{
    const uint64_t word = rdna_long(value);
    const bool minus = word >> 63;
    const uint32_t sign = minus ? 0x8000 : 0;
    const int exponent = (int)(word >> 52 & 0x7ff) - 1023;
    const uint64_t fraction = word & ((UINT64_C(1) << 52) - 1);
    if (exponent == 1024)
        return sign | 0x7c00 | (fraction ? 0x200 | (uint32_t)(fraction >> 42) : 0);
    if (exponent < -40)
        return sign | (value != 0 && !flush && rounds_up(1, 4, false, minus, round));
    // The significand, and the bits below the last of the half.
    const uint64_t whole = fraction | UINT64_C(1) << 52;
    const int cut = exponent < -14 ? 42 + (-14 - exponent) : 42;
    if (cut > 62)
        return sign | (!flush && rounds_up(1, 4, false, minus, round));
    const uint64_t unit = UINT64_C(1) << cut, rest = whole & (unit - 1);
    uint64_t kept = whole >> cut;
    kept += rounds_up(rest, unit, kept & 1, minus, round);
    const int biased = exponent < -14 ? 0 : exponent + 14; // the hidden bit adds 1
    const uint64_t to = ((uint64_t)biased << 10) + kept;
    if (exponent > 15 || to >= 0x7c00) {
        const bool most = round == 3 || (round == 1 && minus) || (round == 2 && !minus);
        return sign | (most ? 0x7bff : 0x7c00);
    }
    return sign | (flush && to < 0x400 ? 0 : (uint32_t)to);
}

uint32_t rdna_fuse_halves(uint32_t a, uint32_t b, uint32_t c, unsigned round, bool flush)
{
    // The product is exact; the sum is made odd if it is not, so that it rounds once.
    const double product = rdna_of_half(a) * rdna_of_half(b), addend = rdna_of_half(c);
    double sum = product + addend;
    if (isfinite(sum)) {
        const double part = sum - product;
        const double error = (product - (sum - part)) + (addend - part);
        uint64_t word = rdna_long(sum);
        if (error != 0 && !(word & 1))
            word += (error > 0) == (sum > 0) ? 1 : UINT64_MAX;
        sum = rdna_double(word);
    }
    return rdna_to_half(sum, round, flush);
}
