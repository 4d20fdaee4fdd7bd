// SPDX-License-Identifier: Apache-2.0
// Vector instructions on floats of 32 bits, and conversions from and to them. Built so that the
// compiler moves nothing over a change of the rounding mode.
#include "exec.h"
#include "floats.h"

#include <math.h>

static const uint32_t nan32 = 0xffc00000, one_below = 0x3f7fffff;

static bool is_nan(uint32_t word)
{
    return (word & 0x7fffffff) > 0x7f800000;
}

static uint32_t quiet(uint32_t word)
{
    return word | 0x400000;
}

// A result: denormals as MODE says; a NaN is the first of the sources, quiet.
static uint32_t done(const struct rdna_lanes *x, float value, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t word = rdna_word(value);
    if (is_nan(word)) {
        if (x->insn->op->source[0].bits != 32) // a conversion
            return quiet(word);
        return is_nan(a) ? quiet(a) : is_nan(b) ? quiet(b) : is_nan(c) ? quiet(c) : nan32;
    }
    return x->flush_out32 && !(word & 0x7f800000) ? word & 0x80000000 : word;
}

static uint32_t least(const struct rdna_lanes *x, uint32_t a, uint32_t b, bool greatest)
{
    return (uint32_t)rdna_least(&rdna_floats32, x->wave->mode >> 9 & 1, a, b, greatest);
}

static uint32_t least3(const struct rdna_lanes *x, uint32_t a, uint32_t b, uint32_t c,
                       bool greatest)
{
    return least(x, least(x, a, b, greatest), c, greatest);
}

static uint32_t extreme(uint32_t a, uint32_t b, bool greatest)
{
    return (uint32_t)rdna_extreme(&rdna_floats32, a, b, greatest);
}

static uint32_t median(const struct rdna_lanes *x, uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)rdna_median(&rdna_floats32, x->wave->mode >> 9 & 1, a, b, c);
}

// Products by the rules of DirectX 9: 0 times anything is 0.
static float product9(float a, float b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static float fuse9(float a, float b, float c)
{
    return a == 0 || b == 0 ? c : fmaf(a, b, c);
}

static float fraction(float value)
{
    const float part = value - floorf(value);
    return part >= 1 ? rdna_float(one_below) : part;
}

// sin and cos of turns.
static double turn(double value, double (*function)(double))
{
    const double pi = 3.14159265358979323846;
    return isinf(value) ? (double)NAN : function(2 * pi * (value - floor(value)));
}

static float log_2(float value)
{
    return value == 0 ? -INFINITY : (float)log2((double)value);
}

static float reciprocal_root(float value)
{
    return value == 0 ? copysignf(INFINITY, value) : (float)(1 / sqrt((double)value));
}

static uint32_t to_unsigned(double value)
{
    return isnan(value) || value <= 0 ? 0 : value >= 4294967295. ? UINT32_MAX : (uint32_t)value;
}

static uint32_t to_signed(double value)
{
    return isnan(value)            ? 0
           : value <= -2147483648. ? 0x80000000
           : value >= 2147483647.  ? 0x7fffffff
                                   : (uint32_t)(int32_t)value;
}

static uint32_t exponent_of(uint32_t a)
{
    int exponent = 0;
    const float value = rdna_float(a);
    if (isfinite(value))
        (void)frexpf(value, &exponent);
    return (uint32_t)exponent;
}

static float mantissa_of(float value)
{
    int exponent;
    return isfinite(value) ? frexpf(value, &exponent) : value;
}

static uint32_t pack(uint32_t low, uint32_t high)
{
    return (low & 0xffff) | high << 16;
}

static uint32_t normalised(float value, float least_value, float scale)
{
    const float limited = isnan(value) ? 0 : fminf(fmaxf(value, least_value), 1);
    return (uint32_t)(int32_t)rintf(limited * scale);
}

// A byte of `word` becomes the value, rounded as MODE says.
static uint32_t put_byte(const struct rdna_lanes *x, float value, unsigned byte, uint32_t word)
{
    const float whole = x->round32 == 0   ? rdna_round_even(value)
                        : x->round32 == 1 ? ceilf(value)
                                          : truncf(value); // negative: 0
    const uint32_t part = to_unsigned((double)whole), from = byte % 4 * 8;
    return (word & ~(UINT32_C(0xff) << from)) | (part < 255 ? part : 255) << from;
}

static uint32_t to_half_word(float value, float least_value, float most)
{
    return isnan(value) ? 0 : (uint32_t)(int32_t)fminf(fmaxf(value, least_value), most);
}

static bool is_class(uint32_t a, uint32_t classes)
{
    const bool minus = a >> 31;
    const float value = rdna_float(a);
    const unsigned of = is_nan(a)               ? (a & 0x400000 ? 1 : 0)
                        : isinf(value)          ? (minus ? 2 : 9)
                        : (a & 0x7fffffff) == 0 ? (minus ? 5 : 6)
                        : (a & 0x7f800000) == 0 ? (minus ? 4 : 7)
                                                : (minus ? 3 : 8);
    return classes >> of & 1;
}

static int exponent_bits(uint32_t a)
{
    return a >> 23 & 0xff;
}

static bool is_denormal(double value) // as a float
{
    return value != 0 && fabs(value) < 0x1p-126;
}

static uint32_t divide_scale(struct rdna_lanes *x, unsigned i, uint32_t a, uint32_t b, uint32_t c)
{
    const float s = rdna_float(a), d = rdna_float(b), n = rdna_float(c);
    const int apart = exponent_bits(c) - exponent_bits(b);
    const bool inverse = is_denormal(1 / (double)d), quotient = is_denormal((double)n / (double)d);
    float to = s;
    bool scaled = false;
    if (n == 0 || d == 0)
        return nan32;
    if (apart >= 96) {
        scaled = true;
        to = s == d ? ldexpf(s, 64) : s;
    } else if (is_denormal((double)d))
        to = ldexpf(s, 64);
    else if (inverse && quotient) {
        scaled = true;
        to = s == d ? ldexpf(s, 64) : s;
    } else if (inverse)
        to = ldexpf(s, -64);
    else if (quotient) {
        scaled = true;
        to = s == n ? ldexpf(s, 64) : s;
    } else if (exponent_bits(c) <= 23)
        to = ldexpf(s, 64);
    x->mask_out |= (uint64_t)scaled << i;
    return done(x, to, a, b, c);
}

static uint32_t divide_fuse(const struct rdna_lanes *x, unsigned i, uint32_t a, uint32_t b,
                            uint32_t c)
{
    const float fused = fmaf(rdna_float(a), rdna_float(b), rdna_float(c));
    return done(x, rdna_get_mask(x->wave, RDNA_VCC) >> i & 1 ? ldexpf(fused, 32) : fused, a, b, c);
}

static uint32_t divide_fix(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t sign = (b ^ c) & 0x80000000;
    const float d = fabsf(rdna_float(b)), n = fabsf(rdna_float(c));
    if (is_nan(c) || is_nan(b))
        return quiet(is_nan(c) ? c : b);
    if ((d == 0 && n == 0) || (isinf(d) && isinf(n)))
        return nan32;
    if (d == 0 || isinf(n))
        return sign | 0x7f800000;
    if (isinf(d) || n == 0)
        return sign;
    if (exponent_bits(c) - exponent_bits(b) < -150) // underflow, in any rounding mode but up
        return sign;
    return sign | (a & 0x7fffffff);
}

// --- Lanes: `a`, `b`, `c` are the words of the sources, `p`, `q`, `r` the floats.

#define OPS(X)                                                                                     \
    X(v_add_f32, p + q)                                                                            \
    X(v_sub_f32, p - q)                                                                            \
    X(v_subrev_f32, q - p)                                                                         \
    X(v_mul_f32, p *q)                                                                             \
    X(v_mul_legacy_f32, product9(p, q))                                                            \
    X(v_fma_f32, fmaf(p, q, r))                                                                    \
    X(v_fma_legacy_f32, fuse9(p, q, r))                                                            \
    X(v_fmamk_f32, fmaf(p, q, r))                                                                  \
    X(v_fmaak_f32, fmaf(p, q, r))                                                                  \
    X(v_fract_f32, fraction(p))                                                                    \
    X(v_trunc_f32, truncf(p))                                                                      \
    X(v_ceil_f32, ceilf(p))                                                                        \
    X(v_floor_f32, floorf(p))                                                                      \
    X(v_rndne_f32, rdna_round_even(p))                                                             \
    X(v_exp_f32, (float)exp2((double)p))                                                           \
    X(v_log_f32, log_2(p))                                                                         \
    X(v_rcp_f32, 1 / p)                                                                            \
    X(v_rcp_iflag_f32, 1 / p)                                                                      \
    X(v_rsq_f32, reciprocal_root(p))                                                               \
    X(v_sqrt_f32, sqrtf(p))                                                                        \
    X(v_sin_f32, (float)turn((double)p, sin))                                                      \
    X(v_cos_f32, (float)turn((double)p, cos))                                                      \
    X(v_frexp_mant_f32, mantissa_of(p))                                                            \
    X(v_ldexp_f32, ldexpf(p, (int32_t)b))                                                          \
    X(v_cvt_f32_i32, (float)(int32_t)a)                                                            \
    X(v_cvt_f32_u32, (float)a)                                                                     \
    X(v_cvt_f32_f16, (float)rdna_of_half(a))                                                       \
    X(v_cvt_f32_f64, (float)rdna_double(x->wide[0][i]))                                            \
    X(v_cvt_off_f32_i4, (float)((int32_t)(a << 28) >> 28) / 16)                                    \
    X(v_cvt_f32_ubyte0, (float)(a & 0xff))                                                         \
    X(v_cvt_f32_ubyte1, (float)(a >> 8 & 0xff))                                                    \
    X(v_cvt_f32_ubyte2, (float)(a >> 16 & 0xff))                                                   \
    X(v_cvt_f32_ubyte3, (float)(a >> 24))

// Those whose last source is the destination.
#define ACCUMULATING(X)                                                                            \
    X(v_fmac_f32, fmaf(p, q, r))                                                                   \
    X(v_fmac_legacy_f32, fuse9(p, q, r))

// Those whose result is no arithmetic: it is a word.
#define WORD_OPS(X)                                                                                \
    X(v_min_f32, least(x, a, b, false))                                                            \
    X(v_max_f32, least(x, a, b, true))                                                             \
    X(v_min3_f32, least3(x, a, b, c, false))                                                       \
    X(v_max3_f32, least3(x, a, b, c, true))                                                        \
    X(v_maxmin_f32, least(x, least(x, a, b, true), c, false))                                      \
    X(v_minmax_f32, least(x, least(x, a, b, false), c, true))                                      \
    X(v_minimum_f32, extreme(a, b, false))                                                         \
    X(v_maximum_f32, extreme(a, b, true))                                                          \
    X(v_minimum3_f32, extreme(extreme(a, b, false), c, false))                                     \
    X(v_maximum3_f32, extreme(extreme(a, b, true), c, true))                                       \
    X(v_minimummaximum_f32, extreme(extreme(a, b, false), c, true))                                \
    X(v_maximumminimum_f32, extreme(extreme(a, b, true), c, false))                                \
    X(v_med3_f32, median(x, a, b, c))                                                              \
    X(v_div_scale_f32, divide_scale(x, i, a, b, c))                                                \
    X(v_div_fmas_f32, divide_fuse(x, i, a, b, c))                                                  \
    X(v_div_fixup_f32, divide_fix(a, b, c))                                                        \
    X(v_cvt_u32_f32, to_unsigned((double)p))                                                       \
    X(v_cvt_i32_f32, to_signed((double)p))                                                         \
    X(v_cvt_rpi_i32_f32, to_signed(floor((double)p + .5)))                                         \
    X(v_cvt_flr_i32_f32, to_signed(floor((double)p)))                                              \
    X(v_cvt_u32_f64, to_unsigned(rdna_double(x->wide[0][i])))                                      \
    X(v_cvt_i32_f64, to_signed(rdna_double(x->wide[0][i])))                                        \
    X(v_frexp_exp_i32_f32, exponent_of(a))                                                         \
    X(v_cvt_f16_f32, rdna_to_half((double)p, x->round64, x->flush_out64))                          \
    X(v_cvt_pkrtz_f16_f32, pack(rdna_to_half((double)p, 3, x->flush_out64),                        \
                                rdna_to_half((double)q, 3, x->flush_out64)))                       \
    X(v_cvt_pknorm_i16_f32, pack(normalised(p, -1, 32767), normalised(q, -1, 32767)))              \
    X(v_cvt_pknorm_u16_f32, pack(normalised(p, 0, 65535), normalised(q, 0, 65535)))                \
    X(v_cvt_pk_i16_f32, pack(to_half_word(p, -32768, 32767), to_half_word(q, -32768, 32767)))      \
    X(v_cvt_pk_u16_f32, pack(to_half_word(p, 0, 65535), to_half_word(q, 0, 65535)))                \
    X(v_cvt_pk_u8_f32, put_byte(x, p, b, c))

// `unordered`: one is a NaN.
#define COMPARISONS(X)                                                                             \
    X(f, false)                                                                                    \
    X(lt, p < q)                                                                                   \
    X(eq, p == q)                                                                                  \
    X(le, p <= q)                                                                                  \
    X(gt, p > q)                                                                                   \
    X(lg, p<q || p> q)                                                                             \
    X(ge, p >= q)                                                                                  \
    X(o, !unordered)                                                                               \
    X(u, unordered)                                                                                \
    X(nge, !(p >= q))                                                                              \
    X(nlg, !(p < q || p > q))                                                                      \
    X(ngt, !(p > q))                                                                               \
    X(nle, !(p <= q))                                                                              \
    X(neq, !(p == q))                                                                              \
    X(nlt, !(p < q))                                                                               \
    X(tru, true)

#define LOOP(STATEMENT)                                                                            \
    const uint32_t *const A = x->in[0], *const B = x->in[1], *const C = x->in[2];                  \
    for (unsigned i = 0; i < x->lanes; i++) {                                                      \
        const uint32_t a = A[i], b = B[i], c = C[i];                                               \
        const float p = rdna_float(a), q = rdna_float(b), r = rdna_float(c);                       \
        (void)p, (void)q, (void)r;                                                                 \
        STATEMENT;                                                                                 \
    }

#define DEFINE(NAME, VALUE)                                                                        \
    static void NAME(struct rdna_lanes *x)                                                         \
    {                                                                                              \
        LOOP(x->out[i] = done(x, VALUE, a, b, c))                                                  \
    }
#define DEFINE_WORDS(NAME, VALUE)                                                                  \
    static void NAME(struct rdna_lanes *x)                                                         \
    {                                                                                              \
        LOOP((void)a; (void)b; (void)c; x->out[i] = VALUE)                                         \
    }
OPS(DEFINE)
ACCUMULATING(DEFINE)
WORD_OPS(DEFINE_WORDS)

// Every lane's source is that of lane `of` of its four, also of an inactive one.
static void spread(struct rdna_lanes *x, unsigned source, unsigned of)
{
    const uint32_t *const words = x->in[source];
    uint32_t *const to = x->buffer[source]; // may be `words`: lane `of` keeps its own
    for (unsigned i = 0; i < x->lanes; i++)
        to[i] = words[(i & ~3u) + of];
    x->in[source] = to;
}

static void interpolate_p10(struct rdna_lanes *x)
{
    spread(x, 0, 1);
    spread(x, 2, 0);
    v_fma_f32(x);
}

static void interpolate_p2(struct rdna_lanes *x)
{
    spread(x, 0, 2);
    v_fma_f32(x);
}

// Comparisons of floats of each size; their values are exact as doubles.
static double value_of(const struct rdna_lanes *x, unsigned source, unsigned i)
{
    const unsigned bits = x->insn->op->source[0].bits;
    return bits == 64   ? rdna_double(x->wide[source][i])
           : bits == 32 ? (double)rdna_float(x->in[source][i])
                        : rdna_of_half(x->in[source][i]);
}

#define DEFINE_COMPARISON(RELATION, VALUE)                                                         \
    static void compare_##RELATION(struct rdna_lanes *x)                                           \
    {                                                                                              \
        uint64_t mask = 0;                                                                         \
        for (unsigned i = 0; i < x->lanes; i++) {                                                  \
            const double p = value_of(x, 0, i), q = value_of(x, 1, i);                             \
            const bool unordered = isnan(p) || isnan(q);                                           \
            (void)unordered;                                                                       \
            mask |= (uint64_t)(VALUE) << i;                                                        \
        }                                                                                          \
        x->mask_out = mask;                                                                        \
    }
COMPARISONS(DEFINE_COMPARISON)

static uint32_t half_to_float_class(uint32_t half)
{
    // The same class: denormals of halves are normal as floats.
    const uint32_t sign = (half & 0x8000) << 16, rest = half & 0x7fff;
    if (rest > 0x7c00)
        return sign | 0x7f800001 | (rest & 0x200) << 13;
    return sign | (rest == 0x7c00 ? 0x7f800000 : rest >= 0x0400 ? 0x3f800000 : rest ? 1 : 0);
}

static uint32_t double_to_float_class(uint64_t wide)
{
    const uint32_t sign = (uint32_t)(wide >> 63) << 31;
    const uint64_t rest = wide & INT64_MAX, inf = UINT64_C(0x7ff) << 52;
    if (rest > inf)
        return sign | 0x7f800001 | (uint32_t)(rest >> 51 & 1) << 22;
    return sign | (rest == inf ? 0x7f800000 : rest >> 52 ? 0x3f800000 : rest ? 1 : 0);
}

static void classify(struct rdna_lanes *x)
{
    uint64_t mask = 0;
    const unsigned bits = x->insn->op->source[0].bits;
    for (unsigned i = 0; i < x->lanes; i++) {
        const uint32_t word = bits == 64   ? double_to_float_class(x->wide[0][i])
                              : bits == 16 ? half_to_float_class(x->in[0][i])
                                           : x->in[0][i];
        mask |= (uint64_t)is_class(word, x->in[1][i]) << i;
    }
    x->mask_out = mask;
}

#define ROW(NAME, VALUE)              {#NAME, NAME, RDNA_SETS_ROUNDING},
#define WORD_ROW(NAME, VALUE)         {#NAME, NAME, 0},
#define ACCUMULATING_ROW(NAME, VALUE) {#NAME, NAME, RDNA_SETS_ROUNDING | RDNA_ACCUMULATES},
#define COMPARISON_ROW(RELATION, VALUE)                                                            \
    {"v_cmp_" #RELATION "_f32", compare_##RELATION, 0},                                            \
        {"v_cmpx_" #RELATION "_f32", compare_##RELATION, 0},                                       \
        {"v_cmp_" #RELATION "_f16", compare_##RELATION, 0},                                        \
        {"v_cmpx_" #RELATION "_f16", compare_##RELATION, 0},                                       \
        {"v_cmp_" #RELATION "_f64", compare_##RELATION, 0},                                        \
        {"v_cmpx_" #RELATION "_f64", compare_##RELATION, 0},

const struct rdna_lane_row rdna_float_ops[] = {
    OPS(ROW) ACCUMULATING(ACCUMULATING_ROW) WORD_OPS(WORD_ROW)
        COMPARISONS(COMPARISON_ROW){"v_interp_p10_f32", interpolate_p10, RDNA_SETS_ROUNDING},
    {"v_interp_p2_f32", interpolate_p2, RDNA_SETS_ROUNDING},
    {"v_cmp_class_f32", classify, RDNA_RAW},
    {"v_cmpx_class_f32", classify, RDNA_RAW},
    {"v_cmp_class_f16", classify, RDNA_RAW},
    {"v_cmpx_class_f16", classify, RDNA_RAW},
    {"v_cmp_class_f64", classify, RDNA_RAW},
    {"v_cmpx_class_f64", classify, RDNA_RAW},
    {0}};
