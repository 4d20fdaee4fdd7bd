// SPDX-License-Identifier: Apache-2.0
// Vector instructions on floats of 64 bits.
#include "exec.h"
#include "floats.h"

#include <math.h>

static const uint64_t nan64 = UINT64_C(0xfff8000000000000), quiet_bit = UINT64_C(1) << 51,
                      inf = UINT64_C(0x7ff) << 52, sign_bit = UINT64_C(1) << 63;

static bool is_nan(uint64_t wide)
{
    return (wide & INT64_MAX) > inf;
}

static uint64_t done(const struct rdna_lanes *x, double value, unsigned i)
{
    const uint64_t wide = rdna_long(value);
    const struct rdna_op *op = x->insn->op;
    if (is_nan(wide)) {
        for (unsigned s = 0; s < op->sources; s++)
            if (op->source[s].bits == 64 && is_nan(x->wide[s][i]))
                return x->wide[s][i] | quiet_bit;
        return isnan(value) && op->source[0].bits < 64 ? wide | quiet_bit : nan64;
    }
    return x->flush_out64 && !(wide & inf) ? wide & sign_bit : wide;
}

static uint64_t least(const struct rdna_lanes *x, uint64_t a, uint64_t b, bool greatest)
{
    return rdna_least(&rdna_floats64, x->wave->mode >> 9 & 1, a, b, greatest);
}

static double fraction(double value)
{
    const double part = value - floor(value);
    return part >= 1 ? 0x1.fffffffffffffp-1 : part;
}

static double reciprocal_root(double value)
{
    return value == 0 ? copysign(INFINITY, value) : 1 / sqrt(value);
}

static double round_even(double value)
{
    return isfinite(value) ? rdna_round_even_double(value) : value;
}

static double mantissa_of(double value)
{
    int exponent;
    return isfinite(value) ? frexp(value, &exponent) : value;
}

static int exponent_bits(uint64_t a)
{
    return (int)(a >> 52 & 0x7ff);
}

static bool is_denormal(double value)
{
    return fpclassify(value) == FP_SUBNORMAL;
}

static uint64_t divide_scale(struct rdna_lanes *x, unsigned i)
{
    const uint64_t c = x->wide[2][i], b = x->wide[1][i];
    const double s = rdna_double(x->wide[0][i]), d = rdna_double(b), n = rdna_double(c);
    const bool inverse = is_denormal(1 / d), quotient = is_denormal(n / d);
    double to = s;
    bool scaled = false;
    if (n == 0 || d == 0)
        return nan64;
    if (exponent_bits(c) - exponent_bits(b) >= 768) {
        scaled = true;
        to = s == d ? ldexp(s, 128) : s;
    } else if (is_denormal(d))
        to = ldexp(s, 128);
    else if (inverse && quotient) {
        scaled = true;
        to = s == d ? ldexp(s, 128) : s;
    } else if (inverse)
        to = ldexp(s, -128);
    else if (quotient) {
        scaled = true;
        to = s == n ? ldexp(s, 128) : s;
    } else if (exponent_bits(c) <= 53)
        to = ldexp(s, 128);
    x->mask_out |= (uint64_t)scaled << i;
    return done(x, to, i);
}

static uint64_t divide_fix(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t sign = (b ^ c) & sign_bit;
    const double d = fabs(rdna_double(b)), n = fabs(rdna_double(c));
    if (is_nan(c) || is_nan(b))
        return (is_nan(c) ? c : b) | quiet_bit;
    if ((d == 0 && n == 0) || (isinf(d) && isinf(n)))
        return nan64;
    if (d == 0 || isinf(n))
        return sign | inf;
    if (isinf(d) || n == 0)
        return sign;
    if (exponent_bits(c) - exponent_bits(b) < -1075)
        return sign;
    return sign | (a & INT64_MAX);
}

static double divide_fuse(const struct rdna_lanes *x, unsigned i, double p, double q, double r)
{
    const double fused = fma(p, q, r);
    return rdna_get_mask(x->wave, RDNA_VCC) >> i & 1 ? ldexp(fused, 64) : fused;
}

#define OPS(X)                                                                                     \
    X(v_add_f64, p + q)                                                                            \
    X(v_mul_f64, p *q)                                                                             \
    X(v_fma_f64, fma(p, q, r))                                                                     \
    X(v_div_fmas_f64, divide_fuse(x, i, p, q, r))                                                  \
    X(v_ldexp_f64, ldexp(p, (int32_t)x->in[1][i]))                                                 \
    X(v_trunc_f64, trunc(p))                                                                       \
    X(v_ceil_f64, ceil(p))                                                                         \
    X(v_floor_f64, floor(p))                                                                       \
    X(v_rndne_f64, round_even(p))                                                                  \
    X(v_fract_f64, fraction(p))                                                                    \
    X(v_rcp_f64, 1 / p)                                                                            \
    X(v_rsq_f64, reciprocal_root(p))                                                               \
    X(v_sqrt_f64, sqrt(p))                                                                         \
    X(v_frexp_mant_f64, mantissa_of(p))                                                            \
    X(v_cvt_f64_i32, (double)(int32_t)x->in[0][i])                                                 \
    X(v_cvt_f64_u32, (double)x->in[0][i])                                                          \
    X(v_cvt_f64_f32, (double)rdna_float(x->in[0][i]))

#define LONG_OPS(X)                                                                                \
    X(v_min_f64, least(x, x->wide[0][i], x->wide[1][i], false))                                    \
    X(v_max_f64, least(x, x->wide[0][i], x->wide[1][i], true))                                     \
    X(v_minimum_f64, rdna_extreme(&rdna_floats64, x->wide[0][i], x->wide[1][i], false))            \
    X(v_maximum_f64, rdna_extreme(&rdna_floats64, x->wide[0][i], x->wide[1][i], true))             \
    X(v_div_scale_f64, divide_scale(x, i))                                                         \
    X(v_div_fixup_f64, divide_fix(x->wide[0][i], x->wide[1][i], x->wide[2][i]))

#define DEFINE(NAME, VALUE)                                                                        \
    static void NAME(struct rdna_lanes *x)                                                         \
    {                                                                                              \
        for (unsigned i = 0; i < x->lanes; i++) {                                                  \
            const double p = rdna_double(x->wide[0][i]), q = rdna_double(x->wide[1][i]),           \
                         r = rdna_double(x->wide[2][i]);                                           \
            (void)p, (void)q, (void)r;                                                             \
            x->wide_out[i] = done(x, VALUE, i);                                                    \
        }                                                                                          \
    }
#define DEFINE_LONG(NAME, VALUE)                                                                   \
    static void NAME(struct rdna_lanes *x)                                                         \
    {                                                                                              \
        for (unsigned i = 0; i < x->lanes; i++)                                                    \
            x->wide_out[i] = VALUE;                                                                \
    }
OPS(DEFINE)
LONG_OPS(DEFINE_LONG)

static void v_frexp_exp_i32_f64(struct rdna_lanes *x)
{
    for (unsigned i = 0; i < x->lanes; i++) {
        int exponent = 0;
        const double value = rdna_double(x->wide[0][i]);
        if (isfinite(value))
            (void)frexp(value, &exponent);
        x->out[i] = (uint32_t)exponent;
    }
}

#define ROW(NAME, VALUE) {#NAME, NAME, RDNA_SETS_ROUNDING},

const struct rdna_lane_row rdna_double_ops[] = {
    OPS(ROW) LONG_OPS(ROW){"v_frexp_exp_i32_f64", v_frexp_exp_i32_f64, 0}, {0}};
