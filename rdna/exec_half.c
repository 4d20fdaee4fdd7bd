// SPDX-License-Identifier: Apache-2.0
// Vector instructions on floats of 16 bits, packed ones, and dot products.
#include "exec.h"
#include "floats.h"

#include <math.h>

static const uint32_t nan16 = 0xfe00, quiet_bit = 0x200;

static bool is_nan(uint32_t half)
{
    return (half & 0x7fff) > 0x7c00;
}

static uint32_t nan_of(uint32_t a, uint32_t b, uint32_t c)
{
    return is_nan(a)   ? a | quiet_bit
           : is_nan(b) ? b | quiet_bit
           : is_nan(c) ? c | quiet_bit
                       : nan16;
}

static uint32_t done(const struct rdna_lanes *x, double value, uint32_t a, uint32_t b, uint32_t c)
{
    return isnan(value) ? nan_of(a, b, c) : rdna_to_half(value, x->round64, x->flush_out64);
}

static uint32_t fuse(const struct rdna_lanes *x, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t half = rdna_fuse_halves(a, b, c, x->round64, x->flush_out64);
    return is_nan(half) ? nan_of(a, b, c) : half;
}

static uint32_t least(const struct rdna_lanes *x, uint32_t a, uint32_t b, bool greatest)
{
    return (uint32_t)rdna_least(&rdna_floats16, x->wave->mode >> 9 & 1, a, b, greatest);
}

static uint32_t least3(const struct rdna_lanes *x, uint32_t a, uint32_t b, uint32_t c,
                       bool greatest)
{
    return least(x, least(x, a, b, greatest), c, greatest);
}

static uint32_t extreme(uint32_t a, uint32_t b, bool greatest)
{
    return (uint32_t)rdna_extreme(&rdna_floats16, a, b, greatest);
}

static uint32_t median(const struct rdna_lanes *x, uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)rdna_median(&rdna_floats16, x->wave->mode >> 9 & 1, a, b, c);
}

static double fraction(double value)
{
    const double part = value - floor(value);
    return part > 0x1.ffcp-1 ? 0x1.ffcp-1 : part;
}

static double round_even(double value)
{
    return isfinite(value) ? rdna_round_even_double(value) : value;
}

static double turn(double value, double (*function)(double))
{
    const double pi = 3.14159265358979323846;
    return isinf(value) ? (double)NAN : function(2 * pi * (value - floor(value)));
}

static double log_2(double value)
{
    return value == 0 ? -(double)INFINITY : log2(value);
}

static double reciprocal_root(double value)
{
    return value == 0 ? copysign((double)INFINITY, value) : 1 / sqrt(value);
}

static double mantissa_of(double value)
{
    int exponent;
    return isfinite(value) ? frexp(value, &exponent) : value;
}

static uint32_t exponent_of(double value)
{
    int exponent = 0;
    if (isfinite(value))
        (void)frexp(value, &exponent);
    return (uint32_t)exponent & 0xffff;
}

static uint32_t to_integer(double value, double from, double to)
{
    return (uint32_t)(int32_t)(isnan(value) ? 0 : value < from ? from : value > to ? to : value);
}

static uint32_t normalised(double value, double from, double scale)
{
    const double limited = isnan(value) ? 0 : value < from ? from : value > 1 ? 1 : value;
    return to_integer(rdna_round_even_double(limited * scale), -32768, 65535);
}

static uint32_t pack(uint32_t low, uint32_t high)
{
    return (low & 0xffff) | high << 16;
}

static uint32_t divide_fix(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t sign = (b ^ c) & 0x8000;
    const double d = fabs(rdna_of_half(b)), n = fabs(rdna_of_half(c));
    if (is_nan(c) || is_nan(b))
        return (is_nan(c) ? c : b) | quiet_bit;
    if ((d == 0 && n == 0) || (isinf(d) && isinf(n)))
        return nan16;
    if (d == 0 || isinf(n))
        return sign | 0x7c00;
    if (isinf(d) || n == 0)
        return sign;
    return sign | (a & 0x7fff);
}

// --- Lanes: `a`, `b`, `c` are the halves of the sources, `p`, `q` their values.

#define OPS(X)                                                                                     \
    X(v_add_f16, p + q)                                                                            \
    X(v_sub_f16, p - q)                                                                            \
    X(v_subrev_f16, q - p)                                                                         \
    X(v_mul_f16, p *q)                                                                             \
    X(v_ldexp_f16, ldexp(p, (int16_t)b))                                                           \
    X(v_rcp_f16, 1 / p)                                                                            \
    X(v_sqrt_f16, sqrt(p))                                                                         \
    X(v_rsq_f16, reciprocal_root(p))                                                               \
    X(v_log_f16, log_2(p))                                                                         \
    X(v_exp_f16, exp2(p))                                                                          \
    X(v_frexp_mant_f16, mantissa_of(p))                                                            \
    X(v_floor_f16, floor(p))                                                                       \
    X(v_ceil_f16, ceil(p))                                                                         \
    X(v_trunc_f16, trunc(p))                                                                       \
    X(v_rndne_f16, round_even(p))                                                                  \
    X(v_fract_f16, fraction(p))                                                                    \
    X(v_sin_f16, turn(p, sin))                                                                     \
    X(v_cos_f16, turn(p, cos))                                                                     \
    X(v_cvt_f16_u16, (double)a)                                                                    \
    X(v_cvt_f16_i16, (double)(int16_t)a)

#define WORD_OPS(X)                                                                                \
    X(v_fma_f16, fuse(x, a, b, c))                                                                 \
    X(v_fmamk_f16, fuse(x, a, b & 0xffff, c))                                                      \
    X(v_fmaak_f16, fuse(x, a, b, c & 0xffff))                                                      \
    X(v_min_f16, least(x, a, b, false))                                                            \
    X(v_max_f16, least(x, a, b, true))                                                             \
    X(v_min3_f16, least3(x, a, b, c, false))                                                       \
    X(v_max3_f16, least3(x, a, b, c, true))                                                        \
    X(v_maxmin_f16, least(x, least(x, a, b, true), c, false))                                      \
    X(v_minmax_f16, least(x, least(x, a, b, false), c, true))                                      \
    X(v_minimum_f16, extreme(a, b, false))                                                         \
    X(v_maximum_f16, extreme(a, b, true))                                                          \
    X(v_minimum3_f16, extreme(extreme(a, b, false), c, false))                                     \
    X(v_maximum3_f16, extreme(extreme(a, b, true), c, true))                                       \
    X(v_minimummaximum_f16, extreme(extreme(a, b, false), c, true))                                \
    X(v_maximumminimum_f16, extreme(extreme(a, b, true), c, false))                                \
    X(v_med3_f16, median(x, a, b, c))                                                              \
    X(v_div_fixup_f16, divide_fix(a, b, c))                                                        \
    X(v_cvt_u16_f16, to_integer(p, 0, 65535))                                                      \
    X(v_cvt_i16_f16, to_integer(p, -32768, 32767))                                                 \
    X(v_cvt_norm_i16_f16, normalised(p, -1, 32767))                                                \
    X(v_cvt_norm_u16_f16, normalised(p, 0, 65535))                                                 \
    X(v_cvt_pknorm_i16_f16, pack(normalised(p, -1, 32767), normalised(q, -1, 32767)))              \
    X(v_cvt_pknorm_u16_f16, pack(normalised(p, 0, 65535), normalised(q, 0, 65535)))                \
    X(v_frexp_exp_i16_f16, exponent_of(p))                                                         \
    X(v_pack_b32_f16, pack(a, b))

#define DEFINE(NAME, VALUE)                                                                        \
    static void NAME(struct rdna_lanes *x)                                                         \
    {                                                                                              \
        for (unsigned i = 0; i < x->lanes; i++) {                                                  \
            const uint32_t a = x->in[0][i], b = x->in[1][i], c = x->in[2][i];                      \
            const double p = rdna_of_half(a), q = rdna_of_half(b);                                 \
            (void)p, (void)q;                                                                      \
            x->out[i] = done(x, VALUE, a, b, c);                                                   \
        }                                                                                          \
    }
#define DEFINE_WORDS(NAME, VALUE)                                                                  \
    static void NAME(struct rdna_lanes *x)                                                         \
    {                                                                                              \
        for (unsigned i = 0; i < x->lanes; i++) {                                                  \
            const uint32_t a = x->in[0][i], b = x->in[1][i], c = x->in[2][i];                      \
            const double p = rdna_of_half(a), q = rdna_of_half(b);                                 \
            (void)b, (void)c, (void)p, (void)q;                                                    \
            x->out[i] = VALUE;                                                                     \
        }                                                                                          \
    }
OPS(DEFINE)
WORD_OPS(DEFINE_WORDS)

#define ROW(NAME, VALUE) {#NAME, NAME, 0},

const struct rdna_lane_row rdna_half_ops[] = {
    OPS(ROW) WORD_OPS(ROW){"v_fmac_f16", v_fma_f16, RDNA_ACCUMULATES}, {0}};

// --- Packed operations: those of 16 bits, on the halves that op_sel and op_sel_hi choose.

static const struct {
    const char *packed, *single;
    bool is_float;
} singles[] = {
    {"v_pk_mad_i16", "v_mad_i16", false},         {"v_pk_mul_lo_u16", "v_mul_lo_u16", false},
    {"v_pk_add_i16", "v_add_nc_i16", false},      {"v_pk_sub_i16", "v_sub_nc_i16", false},
    {"v_pk_lshlrev_b16", "v_lshlrev_b16", false}, {"v_pk_lshrrev_b16", "v_lshrrev_b16", false},
    {"v_pk_ashrrev_i16", "v_ashrrev_i16", false}, {"v_pk_max_i16", "v_max_i16", false},
    {"v_pk_min_i16", "v_min_i16", false},         {"v_pk_mad_u16", "v_mad_u16", false},
    {"v_pk_add_u16", "v_add_nc_u16", false},      {"v_pk_sub_u16", "v_sub_nc_u16", false},
    {"v_pk_max_u16", "v_max_u16", false},         {"v_pk_min_u16", "v_min_u16", false},
    {"v_pk_fma_f16", "v_fma_f16", true},          {"v_pk_add_f16", "v_add_f16", true},
    {"v_pk_mul_f16", "v_mul_f16", true},          {"v_pk_min_f16", "v_min_f16", true},
    {"v_pk_max_f16", "v_max_f16", true},          {"v_pk_minimum_f16", "v_minimum_f16", true},
    {"v_pk_maximum_f16", "v_maximum_f16", true},
};

static uint32_t chosen(const struct rdna_lanes *x, const uint32_t *words, unsigned source,
                       unsigned i, bool high)
{
    const struct rdna_insn *insn = x->insn;
    const bool upper = (high ? insn->op_sel_hi : insn->op_sel) >> source & 1;
    return words[i] >> (upper ? 16 : 0) & 0xffff;
}

static void packed(struct rdna_lanes *x)
{
    size_t which = 0;
    while (strcmp(singles[which].packed, x->insn->op->name) != 0)
        which++;
    const struct rdna_lane_row *single = rdna_lane_row(singles[which].single);
    const bool is_float = singles[which].is_float;
    const uint32_t *words[3] = {x->in[0], x->in[1], x->in[2]};
    uint32_t halves[3][RDNA_LANES], low[RDNA_LANES];
    for (unsigned high = 0; high < 2; high++) {
        for (unsigned s = 0; s < 3; s++) {
            const bool neg = (high ? x->insn->neg_hi : x->insn->neg) >> s & 1;
            for (unsigned i = 0; i < x->lanes; i++) {
                uint32_t half = chosen(x, words[s], s, i, high);
                if (is_float)
                    half ^= neg ? 0x8000 : 0;
                if (is_float && x->flush_in64 && !(half & 0x7c00))
                    half &= 0x8000;
                halves[s][i] = half;
            }
            x->in[s] = halves[s];
        }
        single->op(x);
        for (unsigned i = 0; i < x->lanes; i++) {
            if (is_float && x->insn->clamp)
                x->out[i] = rdna_clamp_half(x, x->out[i]);
            if (high)
                x->out[i] = pack(low[i], x->out[i]);
            else
                low[i] = x->out[i];
        }
    }
}

// Fused operations on floats of 32 bits or, as op_sel_hi says, of 16.
static float mixed(const struct rdna_lanes *x, unsigned source, unsigned i)
{
    const struct rdna_insn *insn = x->insn;
    const unsigned bit = 1u << source;
    const uint32_t word = x->in[source][i];
    float value = insn->op_sel_hi & bit
                      ? (float)rdna_of_half(word >> (insn->op_sel & bit ? 16 : 0) & 0xffff)
                      : rdna_float(word);
    if (!(insn->op_sel_hi & bit) && x->flush_in32 && fpclassify(value) == FP_SUBNORMAL)
        value = copysignf(0, value);
    value = insn->abs & bit ? fabsf(value) : value;
    return insn->neg & bit ? -value : value;
}

static void mix(struct rdna_lanes *x)
{
    const char kind = x->insn->op->name[9]; // v_fma_mix_f32, mixlo, mixhi
    uint32_t buffer[RDNA_LANES];
    const uint32_t *old = rdna_row(x->wave, x->insn->result[0], buffer);
    for (unsigned i = 0; i < x->lanes; i++) {
        float value = fmaf(mixed(x, 0, i), mixed(x, 1, i), mixed(x, 2, i));
        if (isnan(value))
            value = rdna_float(0xffc00000);
        if (x->insn->clamp)
            value = value > 0 ? value < 1 ? value : 1 : 0;
        if (x->flush_out32 && fpclassify(value) == FP_SUBNORMAL)
            value = copysignf(0, value);
        const uint32_t half =
            kind == '_' ? 0 : rdna_to_half((double)value, x->round64, x->flush_out64);
        x->out[i] = kind == '_'   ? rdna_word(value)
                    : kind == 'l' ? (old[i] & 0xffff0000) | half
                                  : (old[i] & 0xffff) | half << 16;
    }
}

static int64_t field(uint32_t word, unsigned from, unsigned width, bool is_signed)
{
    const uint32_t part = word >> from & ((1u << width) - 1);
    return is_signed ? (int32_t)(part << (32 - width)) >> (32 - width) : (int64_t)part;
}

// `neg` of v_dot4_i32_iu8 and its relatives says which sources are signed.
static void dot(struct rdna_lanes *x, unsigned width, bool is_signed)
{
    const bool chooses = strstr(x->insn->op->name, "_iu");
    const bool signs[2] = {chooses ? x->insn->neg & 1 : is_signed,
                           chooses ? x->insn->neg & 2 : is_signed};
    for (unsigned i = 0; i < x->lanes; i++) {
        int64_t sum = is_signed ? (int64_t)(int32_t)x->in[2][i] : (int64_t)x->in[2][i];
        uint32_t a = x->in[0][i], b = x->in[1][i];
        if (width == 16) {
            a = pack(chosen(x, x->in[0], 0, i, false), chosen(x, x->in[0], 0, i, true));
            b = pack(chosen(x, x->in[1], 1, i, false), chosen(x, x->in[1], 1, i, true));
        }
        for (unsigned from = 0; from < 32; from += width)
            sum += field(a, from, width, signs[0]) * field(b, from, width, signs[1]);
        const int64_t least_sum = is_signed ? INT32_MIN : 0,
                      most = is_signed ? INT32_MAX : UINT32_MAX;
        if (x->insn->clamp)
            sum = sum < least_sum ? least_sum : sum > most ? most : sum;
        x->out[i] = (uint32_t)sum;
    }
}

#define DOTS(X)                                                                                    \
    X(v_dot2_i32_i16, 16, true)                                                                    \
    X(v_dot2_u32_u16, 16, false)                                                                   \
    X(v_dot4_i32_iu8, 8, true)                                                                     \
    X(v_dot8_i32_iu4, 4, true)                                                                     \
    X(v_dot4_i32_i8, 8, true)                                                                      \
    X(v_dot4_u32_u8, 8, false)                                                                     \
    X(v_dot8_i32_i4, 4, true)                                                                      \
    X(v_dot8_u32_u4, 4, false)
#define DEFINE_DOT(NAME, WIDTH, SIGNED)                                                            \
    static void NAME(struct rdna_lanes *x)                                                         \
    {                                                                                              \
        dot(x, WIDTH, SIGNED);                                                                     \
    }
DOTS(DEFINE_DOT)

#define DOT_ROW(NAME, WIDTH, SIGNED) {#NAME, NAME, 0},

const struct rdna_lane_row rdna_packed_ops[] = {{"v_pk_mad_i16", packed, 0},
                                                {"v_pk_mul_lo_u16", packed, 0},
                                                {"v_pk_add_i16", packed, 0},
                                                {"v_pk_sub_i16", packed, 0},
                                                {"v_pk_lshlrev_b16", packed, 0},
                                                {"v_pk_lshrrev_b16", packed, 0},
                                                {"v_pk_ashrrev_i16", packed, 0},
                                                {"v_pk_max_i16", packed, 0},
                                                {"v_pk_min_i16", packed, 0},
                                                {"v_pk_mad_u16", packed, 0},
                                                {"v_pk_add_u16", packed, 0},
                                                {"v_pk_sub_u16", packed, 0},
                                                {"v_pk_max_u16", packed, 0},
                                                {"v_pk_min_u16", packed, 0},
                                                {"v_pk_fma_f16", packed, 0},
                                                {"v_pk_add_f16", packed, 0},
                                                {"v_pk_mul_f16", packed, 0},
                                                {"v_pk_min_f16", packed, 0},
                                                {"v_pk_max_f16", packed, 0},
                                                {"v_pk_minimum_f16", packed, 0},
                                                {"v_pk_maximum_f16", packed, 0},
                                                {"v_fma_mix_f32", mix, RDNA_SETS_ROUNDING},
                                                {"v_fma_mixlo_f16", mix, RDNA_SETS_ROUNDING},
                                                {"v_fma_mixhi_f16", mix, RDNA_SETS_ROUNDING},
                                                DOTS(DOT_ROW){0}};
