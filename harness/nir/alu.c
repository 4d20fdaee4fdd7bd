// SPDX-License-Identifier: Apache-2.0
// Operations of NIR on values of one lane.
#include "nir/program.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// Sources: a, b, c unsigned, sa and sb signed, fa, fb, fc floats, of `from` bits; n: bits of the
// result. Sums, products and quotients of doubles, rounded once more, are those of shorter floats.
// clang-format off
#define OPS(X) \
    X(iadd, a + b) X(isub, a - b) X(imul, a * b) X(ineg, 0 - a) X(inot, ~a) X(iand, a & b) \
    X(ior, a | b) X(ixor, a ^ b) X(ishl, a << (b & (n - 1))) \
    X(ishr, (uint64_t)(sa >> (b & (n - 1)))) X(ushr, a >> (b & (n - 1))) X(ieq, a == b) \
    X(ine, a != b) X(ilt, sa < sb) X(ige, sa >= sb) X(ult, a < b) X(uge, a >= b) \
    X(imin, sa < sb ? a : b) X(imax, sa > sb ? a : b) X(umin, a < b ? a : b) \
    X(umax, a > b ? a : b) X(umul_high, high(a, b, n)) X(usub_sat, a > b ? a - b : 0) \
    X(uadd_sat, cut(a + b, n) < a ? ~UINT64_C(0) : a + b) X(iabs, sa < 0 ? 0 - a : a) \
    X(isign, (uint64_t)((sa > 0) - (sa < 0))) X(bcsel, a ? b : c) X(b2i, a) X(b2f, f(a != 0, n)) \
    X(u2u, a) X(i2i, (uint64_t)sa) X(u2f, f((double)a, n)) X(i2f, f((double)sa, n)) \
    X(f2u, fa > 0 ? whole(fa) : 0) X(f2i, whole(fa)) X(f2f, f(fa, n)) X(mov, a) \
    X(iadd3, a + b + c) X(ubfe, (c & 31) ? cut(a >> (b & 31), c & 31) : 0) \
    X(ibfe, (c & 31) ? (uint64_t)extend(a >> (b & 31), c & 31) : 0) \
    X(bfm, cut(~UINT64_C(0), a & 31) << (b & 31)) X(bitfield_select, (a & b) | (~a & c)) \
    X(bitnz, a >> (b & (from - 1)) & 1) X(bitz, ~(a >> (b & (from - 1))) & 1) \
    X(bit_count, (uint64_t)__builtin_popcountll(a)) \
    X(find_lsb, a ? (uint64_t)__builtin_ctzll(a) : ~UINT64_C(0)) \
    X(ufind_msb, a ? 63 - (uint64_t)__builtin_clzll(a) : ~UINT64_C(0)) \
    X(extract_u8, a >> 8 * (b & 7) & 0xff) X(extract_u16, a >> 16 * (b & 3) & 0xffff) \
    X(extract_i8, (uint64_t)extend(a >> 8 * (b & 7), 8)) \
    X(extract_i16, (uint64_t)extend(a >> 16 * (b & 3), 16)) \
    X(insert_u8, (a & 0xff) << 8 * (b & 7)) X(insert_u16, (a & 0xffff) << 16 * (b & 3)) \
    X(fadd, f(fa + fb, n)) X(fsub, f(fa - fb, n)) X(fmul, f(fa * fb, n)) X(fneg, f(-fa, n)) \
    X(fabs, f(fabs(fa), n)) X(fmin, f(fmin(fa, fb), n)) X(fmax, f(fmax(fa, fb), n)) \
    X(feq, fa == fb) X(fneu, fa != fb) X(flt, fa < fb) X(fge, fa >= fb) \
    X(ftrunc, f(trunc(fa), n)) X(ffloor, f(floor(fa), n)) X(frcp, f(1 / fa, n)) \
    X(fsign, f((fa > 0) - (fa < 0), n)) X(pack_64_2x32_split, a | b << 32) \
    X(pack_32_2x16_split, a | b << 16) X(unpack_64_2x32_split_x, a) \
    X(unpack_64_2x32_split_y, a >> 32) X(unpack_32_2x16_split_x, a) \
    X(unpack_32_2x16_split_y, a >> 16)
// clang-format on

#define NAME(name, value)   #name,
#define NUMBER(name, value) OP_##name,
static const char *const names[] = {OPS(NAME)};
enum { OPS(NUMBER) };

static uint64_t cut(uint64_t value, unsigned bits)
{
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static int64_t extend(uint64_t value, unsigned bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static uint64_t high(uint64_t a, uint64_t b, unsigned bits)
{
    const uint64_t low = (a & UINT32_MAX) * (b >> 32) + ((a & UINT32_MAX) * (b & UINT32_MAX) >> 32);
    const uint64_t mid = (a >> 32) * (b & UINT32_MAX) + (low & UINT32_MAX);
    return bits < 64 ? a * b >> bits : (a >> 32) * (b >> 32) + (low >> 32) + (mid >> 32);
}

// As C converts, where it may.
static uint64_t whole(double value)
{
    return value >= 9e18   ? (uint64_t)(value < 1.8e19 ? value : 0)
           : value > -9e18 ? (uint64_t)(int64_t)value
                           : 0;
}

static double number(uint64_t word, unsigned bits)
{
    const uint32_t narrow = (uint32_t)word;
    float single;
    double wide;
    memcpy(&single, &narrow, sizeof single);
    memcpy(&wide, &word, sizeof wide);
    return bits == 64 ? wide : (double)single;
}

static uint64_t f(double value, unsigned bits)
{
    const float single = (float)value;
    uint32_t narrow;
    uint64_t wide;
    memcpy(&narrow, &single, sizeof narrow);
    memcpy(&wide, &value, sizeof wide);
    return bits == 64 ? wide : narrow;
}

bool nir_alu_floats(unsigned code)
{
    return code == OP_f2f || code == OP_f2u || code == OP_f2i ||
           (code < sizeof names / sizeof *names &&
            (names[code][0] == 'f' || strstr(names[code], "2f")) && code != OP_find_lsb);
}

unsigned nir_alu_find(const char *name)
{
    size_t length = strcspn(name, " .,)\n");
    // Conversions have the bits of their result in their names: b2i32.
    while (strchr("bufi", name[0]) && name[1] == '2' && length > 3)
        length--;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return i;
    return UINT_MAX;
}

uint64_t nir_alu(unsigned code, unsigned n, unsigned from, const uint64_t source[4])
{
    const uint64_t a = source[0], b = source[1], c = source[2];
    const int64_t sa = extend(a, from), sb = extend(b, from);
    const double fa = number(a, from), fb = number(b, from);
    uint64_t result = 0;
    switch (code) {
#define CASE(name, value)                                                                          \
    case OP_##name:                                                                                \
        result = (uint64_t)(value);                                                                \
        break;
        OPS(CASE)
    }
    return cut(result, n);
}

uint64_t nir_identity(unsigned code, unsigned bits)
{
    const uint64_t all = cut(~UINT64_C(0), bits);
    switch (code) {
    case OP_imul:
        return 1;
    case OP_iand:
    case OP_umin:
        return all;
    case OP_imin:
        return all >> 1;
    case OP_imax:
        return (all >> 1) + 1;
    case OP_fmul:
        return f(1, bits);
    case OP_fmin:
        return f((double)INFINITY, bits);
    case OP_fmax:
        return f(-(double)INFINITY, bits);
    default:
        return 0;
    }
}
