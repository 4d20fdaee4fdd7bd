// SPDX-License-Identifier: Apache-2.0
// Instructions that compute integers and predicates, in one lane or on the uniform datapath.
#include "emulator/warp.h"

static bool has(const struct emu_at *at, enum emu_modifier modifier)
{
    return emu_has(at->insn, modifier);
}

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

static bool combine(const struct emu_at *at, bool value, bool with)
{
    return has(at, MOD_XOR) ? value != with : has(at, MOD_OR) ? value || with : value && with;
}

static void isetp(struct emu_at *at)
{
    const uint32_t a = emu_get(at, 0), b = emu_get(at, 1);
    const bool ex = has(at, MOD_EX), low = ex && emu_test(at, 1), equal = a == b;
    const bool less = has(at, MOD_U32) ? a < b : (int32_t)a < (int32_t)b;
    const bool more = !less && !equal;
    bool value = has(at, MOD_T);
    if (has(at, MOD_EQ))
        value = equal && (!ex || low);
    else if (has(at, MOD_NE))
        value = !equal || (ex && low);
    else if (has(at, MOD_LT))
        value = less || (equal && ex && low);
    else if (has(at, MOD_LE))
        value = less || (equal && (!ex || low));
    else if (has(at, MOD_GT))
        value = more || (equal && ex && low);
    else if (has(at, MOD_GE))
        value = more || (equal && (!ex || low));
    const bool with = emu_test(at, 0);
    emu_out(at, 0, combine(at, value, with));
    emu_out(at, 1, combine(at, !value, with));
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

static void nop(struct emu_at *at)
{
    (void)at;
}

const struct emu_row emu_integer_rows[] = {
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
    {"NOP", nop, NULL, 0, false, 0},
    {"DEPBAR", nop, NULL, 0, false, 0},
    {0},
};
