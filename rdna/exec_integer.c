// SPDX-License-Identifier: Apache-2.0
// Vector instructions on integers and bits, by the pseudocode of AMD's RDNA 2 manual.
#include "exec.h"

enum { M0 = 124, FIRST_VGPR = 256 };

static int32_t min_signed(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t max_signed(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static uint32_t min_unsigned(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t max_unsigned(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static int64_t limit(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

// A sum that saturates with the modifier clamp.
static uint32_t sum_unsigned(const struct rdna_lanes *x, int64_t sum, uint32_t most)
{
    return (uint32_t)(x->insn->clamp ? limit(sum, 0, most) : sum);
}

static uint32_t sum_signed(const struct rdna_lanes *x, int64_t sum, int32_t most)
{
    return (uint32_t)(x->insn->clamp ? limit(sum, -(int64_t)most - 1, most) : sum);
}

static uint32_t low24(uint32_t value)
{
    return value & 0xffffff;
}

static int32_t signed24(uint32_t value)
{
    return (int32_t)(value << 8) >> 8;
}

static uint32_t count(uint32_t value)
{
    return (uint32_t)__builtin_popcount(value);
}

static uint32_t leading(uint32_t value)
{
    return value ? (uint32_t)__builtin_clz(value) : UINT32_MAX;
}

static uint32_t reverse(uint32_t value)
{
    value = (value >> 1 & 0x55555555) | (value & 0x55555555) << 1;
    value = (value >> 2 & 0x33333333) | (value & 0x33333333) << 2;
    value = (value >> 4 & 0x0f0f0f0f) | (value & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(value);
}

static uint32_t extract(uint32_t value, uint32_t from, uint32_t width)
{
    from &= 31, width &= 31;
    return value >> from & ((1u << width) - 1);
}

static uint32_t extract_signed(uint32_t value, uint32_t from, uint32_t width)
{
    from &= 31, width &= 31;
    if (!width)
        return 0;
    if (from + width >= 32)
        return (uint32_t)((int32_t)value >> from);
    return (uint32_t)((int32_t)(value << (32 - from - width)) >> (32 - width));
}

static uint32_t median_signed(int32_t a, int32_t b, int32_t c)
{
    return (uint32_t)max_signed(min_signed(a, b), min_signed(max_signed(a, b), c));
}

static uint32_t median_unsigned(uint32_t a, uint32_t b, uint32_t c)
{
    return max_unsigned(min_unsigned(a, b), min_unsigned(max_unsigned(a, b), c));
}

// v_perm_b32: a byte of the eight of b (low) and a.
static uint32_t permute(uint32_t a, uint32_t b, uint32_t selections)
{
    const uint64_t bytes = (uint64_t)a << 32 | b;
    uint32_t to = 0;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned selection = selections >> 8 * i & 0xff;
        uint32_t byte = 0;
        if (selection >= 13)
            byte = 0xff;
        else if (selection == 12)
            byte = 0;
        else if (selection >= 8) // the sign of a half
            byte = bytes >> (16 * (selection - 8) + 15) & 1 ? 0xff : 0;
        else
            byte = bytes >> 8 * selection & 0xff;
        to |= byte << 8 * i;
    }
    return to;
}

static uint32_t average(uint32_t a, uint32_t b, uint32_t round) // v_lerp_u8
{
    uint32_t to = 0;
    for (unsigned i = 0; i < 32; i += 8)
        to |= ((a >> i & 0xff) + (b >> i & 0xff) + (round >> i & 1)) >> 1 << i;
    return to;
}

static uint32_t differences(uint32_t a, uint32_t b, unsigned width, bool masked)
{
    uint32_t sum = 0;
    const uint32_t ones = (uint32_t)((UINT64_C(1) << width) - 1);
    for (unsigned i = 0; i < 32; i += width) {
        const uint32_t p = a >> i & ones, q = b >> i & ones;
        if (!masked || q)
            sum += p > q ? p - q : q - p;
    }
    return sum;
}

static uint64_t differences4(const struct rdna_lanes *x, uint64_t a, uint32_t b, uint64_t c,
                             bool masked)
{
    uint64_t to = 0;
    for (unsigned i = 0; i < 4; i++) {
        const int64_t sum =
            (int64_t)(c >> 16 * i & 0xffff) + differences((uint32_t)(a >> 8 * i), b, 8, masked);
        to |= (uint64_t)(sum_unsigned(x, sum, 0xffff) & 0xffff) << 16 * i;
    }
    return to;
}

static uint64_t multiply_wide(struct rdna_lanes *x, unsigned i, uint64_t product, uint64_t c,
                              bool is_signed)
{
    uint64_t sum;
    const bool over = is_signed
                          ? __builtin_add_overflow((int64_t)product, (int64_t)c, (int64_t *)&sum)
                          : __builtin_add_overflow(product, c, &sum);
    x->mask_out |= (uint64_t)over << i;
    return sum;
}

// Sums and differences with a carry, which go to a mask.
static uint32_t carry(struct rdna_lanes *x, unsigned i, int64_t sum)
{
    const bool over = sum < 0 || sum > UINT32_MAX;
    x->mask_out |= (uint64_t)over << i;
    return sum_unsigned(x, sum, UINT32_MAX);
}

static uint32_t bit(uint64_t mask, unsigned i)
{
    return mask >> i & 1;
}

// Lanes of the wave below lane `i`.
static uint64_t below(unsigned i)
{
    return (UINT64_C(1) << i) - 1;
}

static uint32_t pack(uint32_t low, uint32_t high)
{
    return (low & 0xffff) | high << 16;
}

static uint32_t saturate_bytes(uint32_t a) // v_sat_pk_u8_i16
{
    return (uint32_t)limit((int16_t)a, 0, 255) | (uint32_t)limit((int16_t)(a >> 16), 0, 255) << 8;
}

static int32_t dot4(uint32_t a, uint32_t b)
{
    int32_t sum = 0;
    for (unsigned i = 0; i < 32; i += 8)
        sum += (int8_t)(a >> i) * (int8_t)(b >> i);
    return sum;
}

// --- Lanes: `a`, `b`, `c` are the sources (`s`, `t`, `v` signed; `p`, `q`, `r` of 64 bits).

#define OPS(X)                                                                                     \
    X(v_mov_b32, a)                                                                                \
    X(v_not_b32, ~a)                                                                               \
    X(v_mov_b16, a)                                                                                \
    X(v_not_b16, ~a)                                                                               \
    X(v_and_b16, a &b)                                                                             \
    X(v_or_b16, a | b)                                                                             \
    X(v_xor_b16, a ^ b)                                                                            \
    X(v_cvt_i32_i16, (uint32_t)(int16_t)a)                                                         \
    X(v_cvt_u32_u16, a)                                                                            \
    X(v_cndmask_b16, bit(x->mask, i) ? b : a)                                                      \
    X(v_maxmin_u32, min_unsigned(max_unsigned(a, b), c))                                           \
    X(v_minmax_u32, max_unsigned(min_unsigned(a, b), c))                                           \
    X(v_maxmin_i32, (uint32_t)min_signed(max_signed(s, t), v))                                     \
    X(v_minmax_i32, (uint32_t)max_signed(min_signed(s, t), v))                                     \
    X(v_bfrev_b32, reverse(a))                                                                     \
    X(v_ffbh_u32, leading(a))                                                                      \
    X(v_ffbl_b32, a ? (uint32_t)__builtin_ctz(a) : UINT32_MAX)                                     \
    X(v_ffbh_i32, leading(s < 0 ? ~a : a))                                                         \
    X(v_sat_pk_u8_i16, saturate_bytes(a))                                                          \
    X(v_cndmask_b32, bit(x->mask, i) ? b : a)                                                      \
    X(v_mul_i32_i24, sum_signed(x, (int64_t)signed24(a) * signed24(b), INT32_MAX))                 \
    X(v_mul_hi_i32_i24, (uint32_t)((int64_t)signed24(a) * signed24(b) >> 32))                      \
    X(v_mul_u32_u24, sum_unsigned(x, (int64_t)low24(a) * low24(b), UINT32_MAX))                    \
    X(v_mul_hi_u32_u24, (uint32_t)((uint64_t)low24(a) * low24(b) >> 32))                           \
    X(v_min_i32, (uint32_t)min_signed(s, t))                                                       \
    X(v_max_i32, (uint32_t)max_signed(s, t))                                                       \
    X(v_min_u32, min_unsigned(a, b))                                                               \
    X(v_max_u32, max_unsigned(a, b))                                                               \
    X(v_lshrrev_b32, b >> (a & 31))                                                                \
    X(v_ashrrev_i32, (uint32_t)(t >> (a & 31)))                                                    \
    X(v_lshlrev_b32, b << (a & 31))                                                                \
    X(v_and_b32, a &b)                                                                             \
    X(v_or_b32, a | b)                                                                             \
    X(v_xor_b32, a ^ b)                                                                            \
    X(v_xnor_b32, ~(a ^ b))                                                                        \
    X(v_add_nc_u32, sum_unsigned(x, (int64_t)a + b, UINT32_MAX))                                   \
    X(v_sub_nc_u32, sum_unsigned(x, (int64_t)a - b, UINT32_MAX))                                   \
    X(v_subrev_nc_u32, sum_unsigned(x, (int64_t)b - a, UINT32_MAX))                                \
    X(v_add_co_ci_u32, carry(x, i, (int64_t)a + b + bit(x->mask, i)))                              \
    X(v_sub_co_ci_u32, carry(x, i, (int64_t)a - b - bit(x->mask, i)))                              \
    X(v_subrev_co_ci_u32, carry(x, i, (int64_t)b - a - bit(x->mask, i)))                           \
    X(v_add_co_u32, carry(x, i, (int64_t)a + b))                                                   \
    X(v_sub_co_u32, carry(x, i, (int64_t)a - b))                                                   \
    X(v_subrev_co_u32, carry(x, i, (int64_t)b - a))                                                \
    X(v_mad_i32_i24, sum_signed(x, (int64_t)signed24(a) * signed24(b) + v, INT32_MAX))             \
    X(v_mad_u32_u24, sum_unsigned(x, (int64_t)low24(a) * low24(b) + c, UINT32_MAX))                \
    X(v_bfe_u32, extract(a, b, c))                                                                 \
    X(v_bfe_i32, extract_signed(a, b, c))                                                          \
    X(v_bfi_b32, (a & b) | (~a & c))                                                               \
    X(v_lerp_u8, average(a, b, c))                                                                 \
    X(v_alignbit_b32, (uint32_t)(((uint64_t)a << 32 | b) >> (c & 31)))                             \
    X(v_alignbyte_b32, (uint32_t)(((uint64_t)a << 32 | b) >> 8 * (c & 3)))                         \
    X(v_min3_i32, (uint32_t)min_signed(min_signed(s, t), v))                                       \
    X(v_min3_u32, min_unsigned(min_unsigned(a, b), c))                                             \
    X(v_max3_i32, (uint32_t)max_signed(max_signed(s, t), v))                                       \
    X(v_max3_u32, max_unsigned(max_unsigned(a, b), c))                                             \
    X(v_med3_i32, median_signed(s, t, v))                                                          \
    X(v_med3_u32, median_unsigned(a, b, c))                                                        \
    X(v_sad_u8, sum_unsigned(x, (int64_t)differences(a, b, 8, false) + c, UINT32_MAX))             \
    X(v_sad_hi_u8, sum_unsigned(x, ((int64_t)differences(a, b, 8, false) << 16) + c, UINT32_MAX))  \
    X(v_sad_u16, sum_unsigned(x, (int64_t)differences(a, b, 16, false) + c, UINT32_MAX))           \
    X(v_sad_u32, sum_unsigned(x, (int64_t)differences(a, b, 32, false) + c, UINT32_MAX))           \
    X(v_msad_u8, sum_unsigned(x, (int64_t)differences(a, b, 8, true) + c, UINT32_MAX))             \
    X(v_mul_lo_u32, a *b)                                                                          \
    X(v_mul_hi_u32, (uint32_t)((uint64_t)a * b >> 32))                                             \
    X(v_mul_hi_i32, (uint32_t)((int64_t)s * t >> 32))                                              \
    X(v_xor3_b32, a ^ b ^ c)                                                                       \
    X(v_perm_b32, permute(a, b, c))                                                                \
    X(v_xad_u32, (a ^ b) + c)                                                                      \
    X(v_lshl_add_u32, (a << (b & 31)) + c)                                                         \
    X(v_add_lshl_u32, (a + b) << (c & 31))                                                         \
    X(v_bfm_b32, ((1u << (a & 31)) - 1) << (b & 31))                                               \
    X(v_bcnt_u32_b32, count(a) + b)                                                                \
    X(v_mbcnt_lo_u32_b32, b + count(a & (i < 32 ? (uint32_t)below(i) : UINT32_MAX)))               \
    X(v_mbcnt_hi_u32_b32, b + (i < 32 ? 0 : count(a & (uint32_t)below(i - 32))))                   \
    X(v_cvt_pk_u16_u32, pack(min_unsigned(a, 0xffff), min_unsigned(b, 0xffff)))                    \
    X(v_cvt_pk_i16_i32,                                                                            \
      pack((uint32_t)limit(s, -32768, 32767), (uint32_t)limit(t, -32768, 32767)))                  \
    X(v_add3_u32, a + b + c)                                                                       \
    X(v_lshl_or_b32, a << (b & 31) | c)                                                            \
    X(v_and_or_b32, (a & b) | c)                                                                   \
    X(v_or3_b32, a | b | c)                                                                        \
    X(v_mad_u32_u16, sum_unsigned(x, (int64_t)a *b + c, UINT32_MAX))                               \
    X(v_mad_i32_i16, sum_signed(x, (int64_t)(int16_t)a *(int16_t)b + v, INT32_MAX))                \
    X(v_sub_nc_i32, sum_signed(x, (int64_t)s - t, INT32_MAX))                                      \
    X(v_add_nc_i32, sum_signed(x, (int64_t)s + t, INT32_MAX))                                      \
    X(v_add_nc_u16, sum_unsigned(x, (int64_t)a + b, 0xffff))                                       \
    X(v_sub_nc_u16, sum_unsigned(x, (int64_t)a - b, 0xffff))                                       \
    X(v_mul_lo_u16, sum_unsigned(x, (int64_t)a *b, 0xffff))                                        \
    X(v_lshrrev_b16, b >> (a & 15))                                                                \
    X(v_ashrrev_i16, (uint32_t)((int16_t)b >> (a & 15)))                                           \
    X(v_lshlrev_b16, b << (a & 15))                                                                \
    X(v_max_u16, max_unsigned(a, b))                                                               \
    X(v_max_i16, (uint32_t)max_signed((int16_t)a, (int16_t)b))                                     \
    X(v_min_u16, min_unsigned(a, b))                                                               \
    X(v_min_i16, (uint32_t)min_signed((int16_t)a, (int16_t)b))                                     \
    X(v_add_nc_i16, sum_signed(x, (int64_t)(int16_t)a + (int16_t)b, INT16_MAX))                    \
    X(v_sub_nc_i16, sum_signed(x, (int64_t)(int16_t)a - (int16_t)b, INT16_MAX))                    \
    X(v_mad_u16, sum_unsigned(x, (int64_t)a *b + c, 0xffff))                                       \
    X(v_mad_i16, sum_signed(x, (int64_t)(int16_t)a *(int16_t)b + (int16_t)c, INT16_MAX))           \
    X(v_min3_i16, (uint32_t)min_signed(min_signed((int16_t)a, (int16_t)b), (int16_t)c))            \
    X(v_min3_u16, min_unsigned(min_unsigned(a, b), c))                                             \
    X(v_max3_i16, (uint32_t)max_signed(max_signed((int16_t)a, (int16_t)b), (int16_t)c))            \
    X(v_max3_u16, max_unsigned(max_unsigned(a, b), c))                                             \
    X(v_med3_i16, median_signed((int16_t)a, (int16_t)b, (int16_t)c))                               \
    X(v_med3_u16, median_unsigned(a, b, c))

#define WIDE_OPS(X)                                                                                \
    X(v_lshlrev_b64, q << (a & 63))                                                                \
    X(v_lshrrev_b64, q >> (a & 63))                                                                \
    X(v_ashrrev_i64, (uint64_t)((int64_t)q >> (a & 63)))                                           \
    X(v_mad_u64_u32, multiply_wide(x, i, (uint64_t)a *b, r, false))                                \
    X(v_mad_i64_i32, multiply_wide(x, i, (uint64_t)((int64_t)s * t), r, true))                     \
    X(v_qsad_pk_u16_u8, differences4(x, p, b, r, false))                                           \
    X(v_mqsad_pk_u16_u8, differences4(x, p, b, r, true))

// Comparisons of two sources of a type.
#define RELATIONS(X, KIND, TYPE, A, B)                                                             \
    X(lt, KIND, TYPE, A, B, <)                                                                     \
    X(eq, KIND, TYPE, A, B, ==)                                                                    \
    X(le, KIND, TYPE, A, B, <=)                                                                    \
    X(gt, KIND, TYPE, A, B, >)                                                                     \
    X(ne, KIND, TYPE, A, B, !=)                                                                    \
    X(ge, KIND, TYPE, A, B, >=)

#define COMPARISONS(X)                                                                             \
    RELATIONS(X, i32, int32_t, in[0], in[1])                                                       \
    RELATIONS(X, u32, uint32_t, in[0], in[1])                                                      \
    RELATIONS(X, i16, int16_t, in[0], in[1])                                                       \
    RELATIONS(X, u16, uint16_t, in[0], in[1])                                                      \
    RELATIONS(X, i64, int64_t, wide[0], wide[1])                                                   \
    RELATIONS(X, u64, uint64_t, wide[0], wide[1])

#define DEFINE(NAME, VALUE)                                                                        \
    static void NAME(struct rdna_lanes *x)                                                         \
    {                                                                                              \
        const uint32_t *const A = x->in[0], *const B = x->in[1], *const C = x->in[2];              \
        for (unsigned i = 0; i < x->lanes; i++) {                                                  \
            const uint32_t a = A[i], b = B[i], c = C[i];                                           \
            const int32_t s = (int32_t)a, t = (int32_t)b, v = (int32_t)c;                          \
            (void)a, (void)b, (void)c, (void)s, (void)t, (void)v;                                  \
            x->out[i] = VALUE;                                                                     \
        }                                                                                          \
    }
OPS(DEFINE)

#define DEFINE_WIDE(NAME, VALUE)                                                                   \
    static void NAME(struct rdna_lanes *x)                                                         \
    {                                                                                              \
        for (unsigned i = 0; i < x->lanes; i++) {                                                  \
            const uint32_t a = x->in[0][i], b = x->in[1][i];                                       \
            const int32_t s = (int32_t)a, t = (int32_t)b;                                          \
            const uint64_t p = x->wide[0][i], q = x->wide[1][i], r = x->wide[2][i];                \
            (void)a, (void)b, (void)s, (void)t, (void)p, (void)q, (void)r;                         \
            x->wide_out[i] = VALUE;                                                                \
        }                                                                                          \
    }
WIDE_OPS(DEFINE_WIDE)

#define DEFINE_COMPARISON(RELATION, KIND, TYPE, A, B, OPERATOR)                                    \
    static void RELATION##_##KIND(struct rdna_lanes *x)                                            \
    {                                                                                              \
        uint64_t mask = 0;                                                                         \
        for (unsigned i = 0; i < x->lanes; i++)                                                    \
            mask |= (uint64_t)((TYPE)x->A[i] OPERATOR(TYPE) x->B[i]) << i;                         \
        x->mask_out = mask;                                                                        \
    }
COMPARISONS(DEFINE_COMPARISON)

static void none(struct rdna_lanes *x)
{
    x->mask_out = 0;
}

static void all(struct rdna_lanes *x)
{
    x->mask_out = UINT64_MAX;
}

static void v_dot4c_i32_i8(struct rdna_lanes *x)
{
    for (unsigned i = 0; i < x->lanes; i++)
        x->out[i] = (uint32_t)dot4(x->in[0][i], x->in[1][i]) + x->in[2][i];
}

#define ROW(NAME, VALUE) {#NAME, NAME, RDNA_RAW},
#define COMPARISON_ROWS(RELATION, KIND, TYPE, A, B, OPERATOR)                                      \
    {"v_cmp_" #RELATION "_" #KIND, RELATION##_##KIND, 0},                                          \
        {"v_cmpx_" #RELATION "_" #KIND, RELATION##_##KIND, 0},
#define CONSTANT_ROWS(KIND)                                                                        \
    {"v_cmp_f_" #KIND, none, 0}, {"v_cmpx_f_" #KIND, none, 0}, {"v_cmp_t_" #KIND, all, 0},         \
        {"v_cmpx_t_" #KIND, all, 0},

const struct rdna_lane_row rdna_integer_ops[] = {
    OPS(ROW) WIDE_OPS(ROW) COMPARISONS(COMPARISON_ROWS) CONSTANT_ROWS(i32) CONSTANT_ROWS(u32)
        CONSTANT_ROWS(i64) CONSTANT_ROWS(u64){"v_dot4c_i32_i8", v_dot4c_i32_i8, RDNA_ACCUMULATES},
    {0}};
