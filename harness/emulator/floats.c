// SPDX-License-Identifier: Apache-2.0
// Instructions that compute floats, and conversions. MUFU's results are those of the host's
// functions, which may differ from the device's in their last bits.
#include "emulator/warp.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

static bool has(const struct emu_at *at, enum emu_modifier modifier)
{
    return emu_has(at->insn, modifier);
}

static uint32_t bits(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static float as_float(uint32_t word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static float flush(const struct emu_at *at, float value)
{
    return has(at, MOD_FTZ) && fpclassify(value) == FP_SUBNORMAL ? copysignf(0, value) : value;
}

static uint32_t signs(struct emu_at *at, unsigned in, uint32_t word, uint32_t sign)
{
    const struct emu_operand *operand = &at->insn->in[in];
    word = operand->absolute ? word & ~sign : word;
    return operand->minus ? word ^ sign : word;
}

static float get(struct emu_at *at, unsigned in)
{
    if (in >= at->insn->ins) {
        emu_fail(at, "missing operand");
        return 0;
    }
    return flush(at, as_float(signs(at, in, emu_raw(at, &at->insn->in[in]), UINT32_C(1) << 31)));
}

static double get_double(struct emu_at *at, unsigned in)
{
    struct emu_insn plain = *at->insn;
    struct emu_at to = *at;
    double value;
    if (in < plain.ins)
        plain.in[in].minus = plain.in[in].absolute = false;
    to.insn = &plain;
    const uint64_t word = emu_get64(&to, in);
    memcpy(&value, &word, sizeof value);
    value = at->insn->in[in].absolute ? fabs(value) : value;
    return at->insn->in[in].minus ? -value : value;
}

static void put(struct emu_at *at, float value)
{
    value = flush(at, value);
    if (has(at, MOD_SAT))
        value = value > 0 ? value < 1 ? value : 1 : 0;
    emu_put(at, isnan(value) ? 0x7fffffff : bits(value));
}

static void put_double(struct emu_at *at, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    emu_put64(at, isnan(value) ? UINT64_C(0xfff8000000000000) : word);
}

static int rounding(const struct emu_at *at)
{
    return has(at, MOD_RM)   ? FE_DOWNWARD
           : has(at, MOD_RP) ? FE_UPWARD
           : has(at, MOD_RZ) ? FE_TOWARDZERO
                             : FE_TONEAREST;
}

// The compiler must not move an operation over fesetround.
#define ROUNDED(AT, TYPE, EXPRESSION)                                                              \
    fesetround(rounding(AT));                                                                      \
    volatile TYPE result = (EXPRESSION);                                                           \
    fesetround(FE_TONEAREST)

// An instruction that computes in one format: what it gives of its operands a, b and c.
#define ARITHMETIC(NAME, TYPE, GET, PUT, EXPRESSION)                                               \
    static void NAME(struct emu_at *at)                                                            \
    {                                                                                              \
        const volatile TYPE a = GET(at, 0), b = GET(at, 1),                                        \
                            c = at->insn->ins > 2 ? GET(at, 2) : 0;                                \
        (void)c;                                                                                   \
        ROUNDED(at, TYPE, EXPRESSION);                                                             \
        PUT(at, result);                                                                           \
    }

ARITHMETIC(add_floats, float, get, put, a + b)
ARITHMETIC(multiply_floats, float, get, put, a *b)
ARITHMETIC(fuse_floats, float, get, put, fmaf(a, b, c))
ARITHMETIC(add_doubles, double, get_double, put_double, a + b)
ARITHMETIC(multiply_doubles, double, get_double, put_double, a *b)
ARITHMETIC(fuse_doubles, double, get_double, put_double, fma(a, b, c))

uint32_t emu_sum(const struct emu_at *at, uint32_t a, uint32_t b)
{
    return bits(flush(at, flush(at, as_float(a)) + flush(at, as_float(b))));
}

static void fsel(struct emu_at *at)
{
    emu_put(at, bits(emu_test(at, 0) ? get(at, 0) : get(at, 1)));
}

static void fmnmx(struct emu_at *at)
{
    const float a = get(at, 0), b = get(at, 1);
    const bool least = emu_test(at, 0);
    float value = isnan(a) ? b : isnan(b) ? a : (a < b) == least ? a : b;
    if (a == b) // zeros of both signs
        value = signbit(a) == least ? a : b;
    put(at, value);
}

static bool compare(const struct emu_at *at, double a, double b)
{
    const bool apart = isnan(a) || isnan(b);
    if (has(at, MOD_NUM) || has(at, MOD_NAN) || has(at, MOD_T) || has(at, MOD_F))
        return has(at, MOD_NUM) ? !apart : has(at, MOD_NAN) ? apart : has(at, MOD_T);
    if (apart)
        return has(at, MOD_LTU) || has(at, MOD_EQU) || has(at, MOD_LEU) || has(at, MOD_GTU) ||
               has(at, MOD_NEU) || has(at, MOD_GEU);
    return a < b ? has(at, MOD_LT) || has(at, MOD_LE) || has(at, MOD_NE) || has(at, MOD_LTU) ||
                       has(at, MOD_LEU) || has(at, MOD_NEU)
           : a > b ? has(at, MOD_GT) || has(at, MOD_GE) || has(at, MOD_NE) || has(at, MOD_GTU) ||
                         has(at, MOD_GEU) || has(at, MOD_NEU)
                   : has(at, MOD_EQ) || has(at, MOD_LE) || has(at, MOD_GE) || has(at, MOD_EQU) ||
                         has(at, MOD_LEU) || has(at, MOD_GEU);
}

static void put_comparison(struct emu_at *at, bool value)
{
    const bool with = emu_test(at, 0);
    for (unsigned i = 0; i < 2; i++)
        emu_out(at, i,
                has(at, MOD_XOR)  ? (value != (i == 1)) != with
                : has(at, MOD_OR) ? (value != (i == 1)) || with
                                  : (value != (i == 1)) && with);
}

static void fsetp(struct emu_at *at)
{
    put_comparison(at, compare(at, get(at, 0), get(at, 1)));
}

// Whether a division needs more than the quick way: near the ends of the exponent's range.
static void fchk(struct emu_at *at)
{
    const float a = get(at, 0), b = get(at, 1);
    int of_a = 0, of_b = 0;
    frexpf(a, &of_a);
    frexpf(b, &of_b);
    emu_out(at, 0,
            !isfinite(a) || !isnormal(b) || of_a - of_b > 120 || of_a - of_b < -100 || of_b > 120 ||
                of_b < -120 || (a != 0 && of_a < -100));
}

static void mufu(struct emu_at *at)
{
    const double pi = 3.14159265358979323846, a = get(at, 0);
    const uint32_t word = emu_raw(at, &at->insn->in[0]);
    if (strstr(at->insn->sass->text, "64H")) {
        const uint64_t wide = (uint64_t)signs(at, 0, word, UINT32_C(1) << 31) << 32;
        double value;
        memcpy(&value, &wide, sizeof value);
        value = has(at, MOD_RCP64H) ? 1 / value : 1 / sqrt(value);
        uint64_t result;
        memcpy(&result, &value, sizeof result);
        emu_put(at, (uint32_t)(result >> 32));
        return;
    }
    put(at, has(at, MOD_RCP)    ? (float)(1 / a)
            : has(at, MOD_RSQ)  ? (float)(1 / sqrt(a))
            : has(at, MOD_EX2)  ? exp2f((float)a)
            : has(at, MOD_LG2)  ? log2f((float)a)
            : has(at, MOD_SQRT) ? (float)sqrt(a)
            : has(at, MOD_SIN)  ? (float)sin(a * 2 * pi)
            : has(at, MOD_COS)  ? (float)cos(a * 2 * pi)
                                : tanhf((float)a));
}

static void dsetp(struct emu_at *at)
{
    put_comparison(at, compare(at, get_double(at, 0), get_double(at, 1)));
}

// --- Halves

static float of_half(uint32_t word)
{
    const int exponent = word >> 10 & 31;
    const uint32_t fraction = word & 0x3ff;
    const float value = exponent == 0    ? ldexpf((float)fraction, -24)
                        : exponent == 31 ? (fraction ? NAN : INFINITY)
                                         : ldexpf((float)(fraction | 0x400), exponent - 25);
    return copysignf(value, word & 0x8000 ? -1.0f : 1.0f);
}

static uint32_t to_half(double value)
{
    const uint32_t sign = signbit(value) ? 0x8000 : 0;
    int exponent;
    if (isnan(value))
        return 0x7fff;
    value = fabs(value);
    if (value == 0)
        return sign;
    if (value >= 65520)
        return sign | 0x7c00;
    frexp(value, &exponent);
    const int least = exponent - 11 < -24 ? -24 : exponent - 11; // of the last bit
    const double scaled = nearbyint(ldexp(value, -least));
    if (least == -24 && scaled < 1024)
        return sign | (uint32_t)scaled;
    const double back = ldexp(scaled, least);
    frexp(back, &exponent);
    return sign | (uint32_t)(exponent + 14) << 10 | ((uint32_t)ldexp(back, 11 - exponent) & 0x3ff);
}

// Half `which` of an operand of packed instructions.
static float half_of(struct emu_at *at, unsigned in, unsigned which)
{
    const struct emu_operand *operand = &at->insn->in[in];
    const unsigned part = operand->half ? operand->half - 1u : which;
    float value = of_half(emu_raw(at, operand) >> 16 * part & 0xffff);
    value = operand->absolute ? fabsf(value) : value;
    return operand->minus ? -value : value;
}

static void hadd2(struct emu_at *at)
{
    if (strstr(at->insn->sass->text, "BF16"))
        emu_fail(at, "unknown format");
    else if (has(at, MOD_F32))
        put(at, half_of(at, 0, 0) + half_of(at, 1, 0));
    else
        emu_put(at, to_half(half_of(at, 0, 0) + half_of(at, 1, 0)) |
                        to_half(half_of(at, 0, 1) + half_of(at, 1, 1)) << 16);
}

// Of one half each.
static void hsetp2(struct emu_at *at)
{
    if (at->insn->ins != 2 || !at->insn->in[0].half || !at->insn->in[1].half || has(at, MOD_FTZ) ||
        strstr(at->insn->sass->text, "BF16"))
        emu_fail(at, "unknown mode");
    else
        put_comparison(at, compare(at, half_of(at, 0, 0), half_of(at, 1, 0)));
}

// The addend is a pair of numbers, the upper half first.
static void hfma2(struct emu_at *at)
{
    uint32_t word = 0;
    if (at->insn->ins != 4 || at->insn->in[3].kind != EMU_REAL) {
        emu_fail(at, "unknown operands");
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        const double product = (double)half_of(at, 0, i) * half_of(at, 1, i);
        word |= to_half(product + at->insn->in[3 - i].real) << 16 * i;
    }
    emu_put(at, word);
}

static void f2fp(struct emu_at *at)
{
    if (!has(at, MOD_F16) || !has(at, MOD_F32))
        emu_fail(at, "unknown format");
    else
        emu_put(at, to_half(get(at, 0)) << 16 | to_half(get(at, 1)));
}

static void f2f(struct emu_at *at)
{
    const char *text = at->insn->sass->text;
    if (strstr(text, "BF16"))
        emu_fail(at, "unknown format");
    else if (has(at, MOD_F16))
        emu_put(at, to_half(get(at, 0)));
    else if (strstr(text, ".F64.F32"))
        put_double(at, get(at, 0));
    else {
        const volatile double a = get_double(at, 0);
        ROUNDED(at, float, (float)a);
        put(at, result);
    }
}

// --- To and from integers

static void f2i(struct emu_at *at)
{
    const bool wide = has(at, MOD_U64) || has(at, MOD_S64);
    const bool is_signed =
        !(has(at, MOD_U8) || has(at, MOD_U16) || has(at, MOD_U32) || has(at, MOD_U64));
    const unsigned size = has(at, MOD_U8) || has(at, MOD_S8)     ? 8
                          : has(at, MOD_U16) || has(at, MOD_S16) ? 16
                          : wide                                 ? 64
                                                                 : 32;
    double a = has(at, MOD_F64)   ? get_double(at, 0)
               : has(at, MOD_F16) ? half_of(at, 0, 0)
                                  : (double)get(at, 0);
    a = has(at, MOD_TRUNC)   ? trunc(a)
        : has(at, MOD_FLOOR) ? floor(a)
        : has(at, MOD_CEIL)  ? ceil(a)
                             : rint(a);
    const double most = ldexp(1, (int)(is_signed ? size - 1 : size));
    uint64_t value;
    if (isnan(a))
        value = wide || is_signed ? UINT64_C(1) << (size - 1) : 0;
    else if (a >= most)
        value = is_signed    ? (UINT64_C(1) << (size - 1)) - 1
                : size == 64 ? UINT64_MAX
                             : (UINT64_C(1) << size) - 1;
    else if (is_signed)
        value = a < -most ? UINT64_C(1) << (size - 1) : (uint64_t)(int64_t)a;
    else
        value = a < 0 ? 0 : (uint64_t)a;
    if (wide)
        emu_put64(at, value);
    else
        emu_put(at, (uint32_t)value);
}

static void i2f(struct emu_at *at)
{
    const bool wide = has(at, MOD_U64) || has(at, MOD_S64);
    const bool is_signed =
        !(has(at, MOD_U8) || has(at, MOD_U16) || has(at, MOD_U32) || has(at, MOD_U64));
    uint64_t value = wide ? emu_get64(at, 0) : emu_get(at, 0);
    if (has(at, MOD_U8) || has(at, MOD_S8))
        value = is_signed ? (uint64_t)(int8_t)value : (uint8_t)value;
    else if (has(at, MOD_U16) || has(at, MOD_S16))
        value = is_signed ? (uint64_t)(int16_t)value : (uint16_t)value;
    else if (!wide && is_signed)
        value = (uint64_t)(int32_t)value;
    if (has(at, MOD_F64)) {
        put_double(at, is_signed ? (double)(int64_t)value : (double)value);
    } else if (has(at, MOD_F16)) {
        emu_put(at, to_half(is_signed ? (double)(int64_t)value : (double)value));
    } else {
        const volatile uint64_t word = value;
        ROUNDED(at, float, is_signed ? (float)(int64_t)word : (float)word);
        put(at, result);
    }
}

const struct emu_row emu_float_rows[] = {
    {"FADD", add_floats, NULL, 0, true, 0},
    {"FMUL", multiply_floats, NULL, 0, true, 0},
    {"FFMA", fuse_floats, NULL, 0, true, 0},
    {"FSEL", fsel, NULL, 0, true, 0},
    {"FMNMX", fmnmx, NULL, 0, true, 0},
    {"FSETP", fsetp, NULL, 2, false, 0},
    {"FCHK", fchk, NULL, 1, false, 0},
    {"MUFU", mufu, NULL, 0, true, 0},
    {"DADD", add_doubles, NULL, 0, true, 0},
    {"DMUL", multiply_doubles, NULL, 0, true, 0},
    {"DFMA", fuse_doubles, NULL, 0, true, 0},
    {"DSETP", dsetp, NULL, 2, false, 0},
    {"HADD2", hadd2, NULL, 0, true, 0},
    {"HFMA2", hfma2, NULL, 0, true, 0},
    {"HSETP2", hsetp2, NULL, 2, false, 0},
    {"F2FP", f2fp, NULL, 0, true, 0},
    {"F2F", f2f, NULL, 0, true, 0},
    {"F2I", f2i, NULL, 0, true, 0},
    {"I2F", i2f, NULL, 0, true, 0},
    {"I2FP", i2f, NULL, 0, true, 0},
    {0},
};
