// SPDX-License-Identifier: Apache-2.0
// Instructions that compute integers, predicates and floats, in one lane or on the uniform
// datapath. MUFU's results are those of the host's functions, which may differ from the device's in
// their last bits.
#include "emulator/warp.h"

#include <fenv.h>
#include <math.h>

// A value as the text has it: with its sign. -x is ~x + 1 with its carry.
static uint64_t addend(struct emu_at *at, unsigned in)
{
    const struct emu_operand *operand = &at->insn->in[in];
    if (operand->minus)
        return (uint64_t)(uint32_t)~emu_raw(at, operand) + 1;
    return emu_get(at, in);
}

static void carries(struct emu_at *at, uint64_t sum)
{
    emu_out(at, 0, sum >> 32 >= 1);
    emu_out(at, 1, sum >> 32 >= 2);
}

static void iadd3(struct emu_at *at)
{
    uint64_t sum = addend(at, 0) + addend(at, 1) + addend(at, 2);
    if (has(at, MOD_X))
        sum += (at->insn->tests > 0 && emu_test(at, 0)) + (at->insn->tests > 1 && emu_test(at, 1));
    emu_put(at, (uint32_t)sum);
    carries(at, sum);
}

// a * b + c; IMAD.MOV, .IADD and .SHL are only names for some of them.
static void imad(struct emu_at *at)
{
    const bool is_signed = !has(at, MOD_U32);
    const uint32_t a = emu_get(at, 0), b = emu_get(at, 1);
    const uint64_t product =
        is_signed ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
    const uint64_t carry = has(at, MOD_X) && at->insn->tests && emu_test(at, 0);
    if (has(at, MOD_WIDE) || has(at, MOD_HI)) {
        const uint64_t c = emu_get64(at, 2), sum = product + c + carry;
        emu_out(at, 0, sum < product || (sum == product && c && carry));
        if (has(at, MOD_WIDE))
            emu_put64(at, sum);
        else
            emu_put(at, (uint32_t)(sum >> 32));
    } else {
        emu_put(at, (uint32_t)(product + emu_get(at, 2) + carry));
    }
}

// (a << n) + b; of .HI the upper word of c and a.
static void lea(struct emu_at *at)
{
    const bool high = has(at, MOD_HI), extends = has(at, MOD_SX32);
    const unsigned last = at->insn->ins - 1u, shift = emu_get(at, last) & 31;
    const uint32_t a = emu_get(at, 0);
    const uint32_t c = !high ? 0 : extends ? (uint32_t)((int32_t)a >> 31) : emu_get(at, 2);
    const uint64_t value = ((uint64_t)c << 32 | a) << shift;
    const uint64_t sum = (high ? value >> 32 : value & UINT32_MAX) + addend(at, 1) +
                         (has(at, MOD_X) && at->insn->tests && emu_test(at, 0));
    emu_put(at, (uint32_t)sum);
    emu_out(at, 0, sum >> 32 >= 1);
}

static void lop3(struct emu_at *at)
{
    const uint32_t a = emu_get(at, 0), b = emu_get(at, 1), c = emu_get(at, 2), lut = emu_get(at, 3);
    uint32_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        if (lut >> i & 1)
            value |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    emu_put(at, value);
    emu_out(at, 0, has(at, MOD_PAND) ? value && emu_test(at, 0) : value || emu_test(at, 0));
}

static void plop3(struct emu_at *at)
{
    const unsigned index = 4u * emu_test(at, 0) + 2u * emu_test(at, 1) + emu_test(at, 2);
    emu_out(at, 0, emu_get(at, 0) >> index & 1);
    emu_out(at, 1, emu_get(at, 1) >> index & 1);
}

// Whether a comparison holds of two numbers, one of them less than the other, or equal, or neither.
static bool holds(const struct emu_at *at, bool less, bool equal, bool more)
{
    return (less && (has(at, MOD_LT) || has(at, MOD_LE) || has(at, MOD_NE))) ||
           (equal && (has(at, MOD_EQ) || has(at, MOD_LE) || has(at, MOD_GE))) ||
           (more && (has(at, MOD_GT) || has(at, MOD_GE) || has(at, MOD_NE)));
}

// Writes a comparison, and its opposite, each combined with the first predicate that is read.
static void put_comparison(struct emu_at *at, bool value)
{
    const bool with = emu_test(at, 0);
    for (unsigned i = 0; i < 2; i++, value = !value)
        emu_out(at, i,
                has(at, MOD_XOR)  ? value != with
                : has(at, MOD_OR) ? value || with
                                  : value && with);
}

// With .EX of the upper words: the predicate is the comparison of the lower ones.
static void isetp(struct emu_at *at)
{
    const uint32_t a = emu_get(at, 0), b = emu_get(at, 1);
    const bool less = has(at, MOD_U32) ? a < b : (int32_t)a < (int32_t)b, equal = a == b;
    const bool constant = has(at, MOD_T) || has(at, MOD_F);
    put_comparison(at, constant                   ? has(at, MOD_T)
                       : equal && has(at, MOD_EX) ? emu_test(at, 1)
                                                  : holds(at, less, equal, !less && !equal));
}

static void mov(struct emu_at *at)
{
    emu_put(at, emu_get(at, 0));
}

static void sel(struct emu_at *at)
{
    emu_put(at, emu_test(at, 0) ? emu_get(at, 0) : emu_get(at, 1));
}

static void iabs(struct emu_at *at)
{
    const uint32_t a = emu_get(at, 0);
    emu_put(at, a >> 31 ? -a : a);
}

// Bytes chosen of b and a, with their sign if bit 3 says so.
static void prmt(struct emu_at *at)
{
    const uint64_t bytes = (uint64_t)emu_get(at, 2) << 32 | emu_get(at, 0);
    const uint32_t choice = emu_get(at, 1);
    uint32_t value = 0;
    size_t length;
    const char *name = sass_mnemonic(at->insn->sass, &length);
    if (length > 5 || (at->insn->uniform && length > 6 && name[5] == '.')) {
        emu_fail(at, "unknown mode");
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        const unsigned which = choice >> 4 * i & 15;
        uint32_t byte = (uint32_t)(bytes >> 8 * (which & 7)) & 0xff;
        if (which & 8)
            byte = byte & 0x80 ? 0xff : 0;
        value |= byte << 8 * i;
    }
    emu_put(at, value);
}

static void minimum(struct emu_at *at)
{
    uint32_t value = emu_get(at, 0);
    for (unsigned i = 1; i < at->insn->ins; i++) {
        const uint32_t b = emu_get(at, i);
        const bool less = has(at, MOD_U32) ? b < value : (int32_t)b < (int32_t)value;
        value = less == emu_test(at, 0) && b != value ? b : value;
    }
    emu_put(at, value);
}

// A shift of c and a together.
static void shf(struct emu_at *at)
{
    const uint64_t value = (uint64_t)emu_get(at, 2) << 32 | emu_get(at, 0);
    const bool wide = has(at, MOD_U64) || has(at, MOD_S64),
               is_signed = has(at, MOD_S32) || has(at, MOD_S64);
    const uint32_t most = wide ? 64 : 32, by = emu_get(at, 1);
    const uint32_t shift = has(at, MOD_W) ? by & (most - 1) : by > most ? most : by;
    uint64_t result;
    if (has(at, MOD_L))
        result = shift < 64 ? value << shift : 0;
    else if (is_signed)
        result = (uint64_t)((int64_t)value >> (shift < 64 ? shift : 63));
    else
        result = shift < 64 ? value >> shift : 0;
    emu_put(at, (uint32_t)(has(at, MOD_HI) ? result >> 32 : result));
}

static void sgxt(struct emu_at *at)
{
    const uint32_t a = emu_get(at, 0), by = emu_get(at, 1);
    const uint32_t bits = has(at, MOD_W) ? by & 31 : by;
    if (bits >= 32)
        emu_put(at, a);
    else if (bits == 0)
        emu_put(at, 0);
    else if (has(at, MOD_U32))
        emu_put(at, a & ((UINT32_C(1) << bits) - 1));
    else
        emu_put(at, (uint32_t)((int32_t)(a << (32 - bits)) >> (32 - bits)));
}

static void bmsk(struct emu_at *at)
{
    const uint32_t from = emu_get(at, 0), bits = emu_get(at, 1);
    const uint32_t first = has(at, MOD_W) ? from & 31 : from,
                   count = has(at, MOD_W) ? bits & 31 : bits;
    const uint64_t mask = count >= 32 ? UINT32_MAX : (UINT64_C(1) << count) - 1;
    emu_put(at, first >= 32 ? 0 : (uint32_t)(mask << first));
}

static void viadd(struct emu_at *at)
{
    emu_put(at, emu_get(at, 0) + emu_get(at, 1));
}

// The highest one bit, or for a negative number the highest zero; all ones if there is none.
static void flo(struct emu_at *at)
{
    uint32_t a = emu_get(at, 0);
    if (!has(at, MOD_U32) && a >> 31)
        a = ~a;
    const uint32_t zeros = a ? (uint32_t)__builtin_clz(a) : 0;
    emu_put(at, !a ? UINT32_MAX : has(at, MOD_SH) ? zeros : 31 - zeros);
    emu_out(at, 0, a == 0);
}

static void brev(struct emu_at *at)
{
    const uint32_t a = emu_get(at, 0);
    uint32_t value = 0;
    for (unsigned i = 0; i < 32; i++)
        value |= (a >> i & 1) << (31 - i);
    emu_put(at, value);
}

static void popc(struct emu_at *at)
{
    emu_put(at, (uint32_t)__builtin_popcount(emu_get(at, 0)));
}

// --- Predicates as the bits of a byte

static unsigned byte_of(const struct emu_at *at, unsigned part)
{
    return 8 * (has(at, MOD_B1) ? 1u : has(at, MOD_B2) ? 2u : has(at, MOD_B3) ? 3u : part);
}

static uint32_t mask_of(struct emu_at *at)
{
    return at->insn->ins < 3 ? 0x7f : emu_get(at, 2) & 0x7f;
}

static void p2r(struct emu_at *at)
{
    const bool uniform = at->lane == EMU_UNIFORM;
    const uint32_t a = emu_get(at, 1), mask = emu_get(at, 2) & 0xff;
    const unsigned shift = byte_of(at, 0);
    uint32_t bits = 0;
    for (unsigned i = 0; i < 7; i++)
        bits |= (uniform ? (uint32_t)at->warp->up[i] : at->warp->p[i] >> at->lane & 1) << i;
    emu_put(at, (a & ~(mask << shift)) | (bits & mask) << shift);
}

static void r2p(struct emu_at *at)
{
    const bool uniform = at->lane == EMU_UNIFORM;
    const uint32_t bits = emu_get(at, 1) >> byte_of(at, at->insn->in[1].part), mask = mask_of(at);
    for (unsigned i = 0; i < 7; i++) {
        if (!(mask >> i & 1))
            continue;
        if (uniform)
            at->warp->up[i] = bits >> i & 1;
        else
            at->warp->p[i] = (at->warp->p[i] & ~(UINT32_C(1) << at->lane)) | (bits >> i & 1)
                                                                                 << at->lane;
    }
}

// --- Floats

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
    return holds(at, a<b, a == b, a> b) ||
           (apart ? has(at, MOD_LTU) || has(at, MOD_EQU) || has(at, MOD_LEU) || has(at, MOD_GTU) ||
                        has(at, MOD_NEU) || has(at, MOD_GEU)
            : a < b ? has(at, MOD_LTU) || has(at, MOD_LEU) || has(at, MOD_NEU)
            : a > b ? has(at, MOD_GTU) || has(at, MOD_GEU) || has(at, MOD_NEU)
                    : has(at, MOD_EQU) || has(at, MOD_LEU) || has(at, MOD_GEU));
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
    float value = (float)sass_half(emu_raw(at, operand) >> 16 * part & 0xffff);
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

// The bits of the integer, and whether it is signed.
static unsigned integer_size(const struct emu_at *at, bool *is_signed)
{
    *is_signed = !(has(at, MOD_U8) || has(at, MOD_U16) || has(at, MOD_U32) || has(at, MOD_U64));
    return has(at, MOD_U8) || has(at, MOD_S8)     ? 8
           : has(at, MOD_U16) || has(at, MOD_S16) ? 16
           : has(at, MOD_U64) || has(at, MOD_S64) ? 64
                                                  : 32;
}

static void f2i(struct emu_at *at)
{
    bool is_signed;
    const unsigned size = integer_size(at, &is_signed);
    double a = has(at, MOD_F64)   ? get_double(at, 0)
               : has(at, MOD_F16) ? half_of(at, 0, 0)
                                  : (double)get(at, 0);
    a = has(at, MOD_TRUNC)   ? trunc(a)
        : has(at, MOD_FLOOR) ? floor(a)
        : has(at, MOD_CEIL)  ? ceil(a)
                             : rint(a);
    const double most = ldexp(1, (int)(is_signed ? size - 1 : size));
    const uint64_t lowest = UINT64_C(1) << (size - 1);
    uint64_t value;
    if (isnan(a))
        value = size == 64 || is_signed ? lowest : 0;
    else if (a >= most)
        value = is_signed ? lowest - 1 : 2 * lowest - 1;
    else if (is_signed)
        value = a < -most ? lowest : (uint64_t)(int64_t)a;
    else
        value = a < 0 ? 0 : (uint64_t)a;
    if (size == 64)
        emu_put64(at, value);
    else
        emu_put(at, (uint32_t)value);
}

static void i2f(struct emu_at *at)
{
    bool is_signed;
    const unsigned size = integer_size(at, &is_signed);
    uint64_t value = (size == 64 ? emu_get64(at, 0) : emu_get(at, 0)) << (64 - size);
    value = is_signed ? (uint64_t)((int64_t)value >> (64 - size)) : value >> (64 - size);
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

const struct emu_row emu_computing_rows[] = {
    {"IADD3", iadd3, NULL, 0, true, 2},
    {"IMAD", imad, NULL, 0, true, 1},
    {"LEA", lea, NULL, 0, true, 1},
    {"LOP3", lop3, NULL, 1, true, 0},
    {"PLOP3", plop3, NULL, 2, false, 0},
    {"ISETP", isetp, NULL, 2, false, 0},
    {"MOV", mov, NULL, 0, true, 0},
    {"SEL", sel, NULL, 0, true, 0},
    {"IABS", iabs, NULL, 0, true, 0},
    {"PRMT", prmt, NULL, 0, true, 0},
    {"IMNMX", minimum, NULL, 0, true, 0},
    {"VIMNMX", minimum, NULL, 0, true, 0},
    {"VIMNMX3", minimum, NULL, 0, true, 0},
    {"SHF", shf, NULL, 0, true, 0},
    {"SGXT", sgxt, NULL, 0, true, 0},
    {"BMSK", bmsk, NULL, 0, true, 0},
    {"VIADD", viadd, NULL, 0, true, 0},
    {"FLO", flo, NULL, 0, true, 1},
    {"BREV", brev, NULL, 0, true, 0},
    {"POPC", popc, NULL, 0, true, 0},
    {"P2R", p2r, NULL, 0, true, 0},
    {"P2UR", p2r, NULL, 0, true, 0},
    {"R2P", r2p, NULL, 0, false, 0},
    {"R2UP", r2p, NULL, 0, false, 0},
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
