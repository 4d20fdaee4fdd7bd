// SPDX-License-Identifier: Apache-2.0
// Scalar instructions, by the pseudocode of chapter "Instructions" of AMD's RDNA 2 manual.
#include "exec.h"

#include <limits.h>

enum { M0 = 124, SGPRS = 106, LITERAL = 255, MODE_BITS = 0xffffff, DEALLOC_VGPRS = 3 };

// A scalar instruction being executed.
struct scalar {
    struct rdna_wave *wave;
    const struct rdna_insn *insn;
    const struct rdna_memory_ops *memory;
    uint64_t a, b, old; // sources; the destination before (the register of SOPK)
    bool scc;
    bool keeps; // the destination stays as it is
    enum rdna_event event;
};

typedef uint64_t scalar_op(struct scalar *x);

static int32_t low(uint64_t value)
{
    return (int32_t)(uint32_t)value;
}

static uint64_t with_scc(struct scalar *x, bool scc, uint64_t value)
{
    x->scc = scc;
    return value;
}

static uint64_t not_zero(struct scalar *x, uint64_t value)
{
    return with_scc(x, value != 0, value);
}

static uint64_t word(struct scalar *x, uint64_t value) // of 32 bits
{
    return not_zero(x, value & UINT32_MAX);
}

static uint64_t keep(struct scalar *x)
{
    x->keeps = true;
    return 0;
}

static uint64_t fail(struct scalar *x, const char *why)
{
    x->event = rdna_refuse(x->wave, x->insn, why);
    return keep(x);
}

static uint64_t add(struct scalar *x, uint64_t a, uint64_t b)
{
    const uint64_t sum = a + b;
    return with_scc(x, sum >> 32, sum);
}

static uint64_t subtract(struct scalar *x, uint64_t a, uint64_t b)
{
    return with_scc(x, b > a, a - b);
}

static uint64_t signed_sum(struct scalar *x, int64_t sum)
{
    return with_scc(x, sum != low((uint64_t)sum), (uint64_t)sum);
}

static unsigned count(uint64_t value)
{
    return (unsigned)__builtin_popcountll(value);
}

static uint64_t first(uint64_t value)
{
    return value ? (uint64_t)__builtin_ctzll(value) : UINT64_MAX;
}

// Zeros above the first one, of `bits`.
static uint64_t leading(uint64_t value, unsigned bits)
{
    return value ? (uint64_t)__builtin_clzll(value) - (64 - bits) : UINT64_MAX;
}

static uint64_t reverse(uint64_t value, unsigned bits)
{
    uint64_t to = 0;
    for (unsigned i = 0; i < bits; i++)
        to |= (value >> i & 1) << (bits - 1 - i);
    return to;
}

static uint64_t quads(uint64_t value, bool whole)
{
    uint64_t to = 0;
    for (unsigned i = 0; i < 16; i++)
        if (value >> 4 * i & 15)
            to |= whole ? UINT64_C(15) << 4 * i : UINT64_C(1) << i;
    return to;
}

static uint64_t replicate(uint64_t value)
{
    uint64_t to = 0;
    for (unsigned i = 0; i < 32; i++)
        to |= (value >> i & 1) * 3 << 2 * i;
    return to;
}

static uint64_t extract(uint64_t value, uint64_t field, unsigned bits, bool is_signed)
{
    const unsigned from = field & (bits - 1), width = field >> 16 & 0x7f;
    const int64_t wide = bits == 32 ? low(value) : (int64_t)value;
    if (!width)
        return 0;
    if (width >= bits - from)
        return is_signed ? (uint64_t)(wide >> from)
                         : (bits == 32 ? value & UINT32_MAX : value) >> from;
    const uint64_t part = value >> from & ((UINT64_C(1) << width) - 1);
    return is_signed ? (uint64_t)((int64_t)(part << (64 - width)) >> (64 - width)) : part;
}

static uint64_t ones(uint64_t width, uint64_t from, unsigned bits)
{
    return ((UINT64_C(1) << (width & (bits - 1))) - 1) << (from & (bits - 1));
}

// --- EXEC

static void put_exec(struct scalar *x, uint64_t value)
{
    const unsigned bits = x->insn->op->result[0].bits;
    if (bits == 32)
        value &= UINT32_MAX;
    rdna_put_scalar(x->wave, RDNA_EXEC, bits, value);
    x->scc = value != 0;
}

static uint64_t get_exec(const struct scalar *x)
{
    return x->wave->sgpr[RDNA_EXEC] |
           (x->insn->op->result[0].bits == 64 ? (uint64_t)x->wave->sgpr[RDNA_EXEC + 1] << 32 : 0);
}

static uint64_t save(struct scalar *x, uint64_t next)
{
    const uint64_t old = get_exec(x);
    put_exec(x, next);
    return old;
}

static uint64_t write_exec(struct scalar *x, uint64_t next)
{
    put_exec(x, next);
    return next;
}

// --- Branches and registers of the hardware

static uint64_t jump(struct scalar *x, bool taken)
{
    if (taken)
        x->wave->pc += 4 * (int64_t)x->insn->imm;
    return keep(x);
}

static uint64_t jump_to(struct scalar *x, uint64_t to)
{
    const uint64_t next = x->wave->pc;
    x->wave->pc = to & ~UINT64_C(3);
    return next;
}

static uint64_t moved(struct scalar *x, bool source, bool destination)
{
    const struct rdna_insn *insn = x->insn;
    const bool both = source && destination; // s_movrelsd_2_b32
    const uint32_t m0 = x->wave->sgpr[M0];
    const unsigned bits = insn->op->result[0].bits;
    const unsigned from = insn->source[0] + (source ? both ? m0 & 0x3ff : m0 : 0),
                   to = insn->result[0] + (destination ? both ? m0 >> 16 & 0x3ff : m0 : 0);
    bool good = true;
    const uint64_t value =
        source && from < SGPRS - bits / 64 ? rdna_scalar(x->wave, insn, from, bits, &good) : x->a;
    if ((source && from >= SGPRS - bits / 64) || (destination && to >= SGPRS - bits / 64))
        return fail(x, "beyond the registers");
    if (!destination)
        return value;
    rdna_put_scalar(x->wave, to, bits, value);
    return keep(x);
}

static bool get_hwreg(struct scalar *x, unsigned id, uint32_t *value)
{
    const struct rdna_wave *wave = x->wave;
    const bool is_newest = wave->generation >= RDNA_GFX12;
    const bool execz = !rdna_exec(wave), vccz = !rdna_get_mask(wave, RDNA_VCC);
    switch (id) {
    case 1:
        *value = wave->mode;
        return true;
    case 2: // STATUS: what the wave itself decides
        if (is_newest)
            return false;
        *value = wave->scc | (uint32_t)execz << 9 | (uint32_t)vccz << 10;
        return true;
    case 20:
        *value = (uint32_t)wave->flat_scratch;
        return true;
    case 21:
        *value = (uint32_t)(wave->flat_scratch >> 32);
        return true;
    case 23:
    case 24:
        *value = wave->hw_id[id - 23];
        return true;
    case 29:
        *value =
            (uint32_t)x->memory->clock(x->memory->context) & (is_newest ? UINT32_MAX : 0xfffff);
        return true;
    case 30:
        *value = (uint32_t)(x->memory->clock(x->memory->context) >> 32);
        return is_newest;
    default:
        return false;
    }
}

static uint64_t get_register(struct scalar *x)
{
    const unsigned imm = (uint16_t)x->insn->imm, from = imm >> 6 & 31, width = (imm >> 11) + 1;
    uint32_t value;
    if (!get_hwreg(x, imm & 63, &value))
        return fail(x, "of this hardware register");
    return value >> from & (uint32_t)((UINT64_C(1) << width) - 1);
}

static uint64_t set_register(struct scalar *x, uint64_t value)
{
    const unsigned imm = (uint16_t)x->insn->imm, id = imm & 63, from = imm >> 6 & 31,
                   width = (imm >> 11) + 1;
    const uint32_t mask = (uint32_t)(((UINT64_C(1) << width) - 1) << from);
    uint32_t old;
    const bool is_settable =
        id == 1 || ((id == 20 || id == 21) && x->wave->generation == RDNA_GFX10_3);
    if (!is_settable || !get_hwreg(x, id, &old))
        return fail(x, "of this hardware register");
    const uint32_t next = (old & ~mask) | ((uint32_t)(value << from) & mask);
    if (id == 1)
        x->wave->mode = next & MODE_BITS;
    else if (id == 20)
        x->wave->flat_scratch = (x->wave->flat_scratch & ~(uint64_t)UINT32_MAX) | next;
    else
        x->wave->flat_scratch = (x->wave->flat_scratch & UINT32_MAX) | (uint64_t)next << 32;
    return keep(x);
}

// --- Waits

static uint64_t event(struct scalar *x, enum rdna_event what)
{
    x->event = what;
    return keep(x);
}

static struct rdna_wait *no_wait(struct scalar *x)
{
    x->wave->wait = (struct rdna_wait){UINT_MAX, UINT_MAX, UINT_MAX, UINT_MAX, UINT_MAX, false};
    return &x->wave->wait;
}

static uint64_t wait_all(struct scalar *x)
{
    const struct rdna_wait of = rdna_waits(x->insn);
    struct rdna_wait *wait = no_wait(x);
    wait->vmcnt = of.vmcnt == 63 ? UINT_MAX : of.vmcnt;
    wait->expcnt = of.expcnt == 7 ? UINT_MAX : of.expcnt;
    wait->lgkmcnt = of.lgkmcnt == 63 ? UINT_MAX : of.lgkmcnt;
    return event(x, RDNA_EVENT_WAIT);
}

static uint64_t wait_one(struct scalar *x, enum rdna_counter counter)
{
    struct rdna_wait *wait = no_wait(x);
    const unsigned most = (unsigned)(x->old & 63) + (x->insn->imm & 63);
    *(counter == RDNA_VMCNT     ? &wait->vmcnt
      : counter == RDNA_LGKMCNT ? &wait->lgkmcnt
      : counter == RDNA_EXPCNT  ? &wait->expcnt
                                : &wait->vscnt) = most;
    return event(x, RDNA_EVENT_WAIT);
}

// GFX12's waits, for one counter or for a second one of LDS too, in the high byte's place.
static uint64_t wait_split(struct scalar *x, enum rdna_counter counter, bool both)
{
    const unsigned imm = (uint16_t)x->insn->imm, most = (both ? imm >> 8 : imm) & 63;
    struct rdna_wait *wait = no_wait(x);
    *(counter == RDNA_VMCNT     ? &wait->vmcnt
      : counter == RDNA_LGKMCNT ? &wait->lgkmcnt
      : counter == RDNA_VSCNT   ? &wait->vscnt
                                : &wait->kmcnt) = most;
    if (both)
        wait->lgkmcnt = imm & 63;
    return event(x, RDNA_EVENT_WAIT);
}

// Only the workgroup's barrier, -1.
static uint64_t barrier(struct scalar *x, uint64_t which, enum rdna_event what)
{
    return low(which) == -1 ? event(x, what) : fail(x, "of another barrier");
}

// Registers that are given back early hold what they held.
static uint64_t send(struct scalar *x)
{
    return x->insn->imm == DEALLOC_VGPRS && x->insn->generation >= RDNA_GFX11
               ? keep(x)
               : fail(x, "of this message");
}

static uint64_t wait_idle(struct scalar *x)
{
    x->wave->wait = (struct rdna_wait){0};
    return event(x, RDNA_EVENT_WAIT);
}

static uint64_t wait_sources(struct scalar *x)
{
    no_wait(x)->sources = !(x->insn->imm >> 2 & 7);
    return event(x, RDNA_EVENT_WAIT);
}

static uint64_t set_mode(struct scalar *x, unsigned from)
{
    x->wave->mode = (x->wave->mode & ~(15u << from)) | (x->insn->imm & 15u) << from;
    return keep(x);
}

// --- The instructions. `a` and `b` are sources, `e` is EXEC, `d` the destination before.

#define OPS(X)                                                                                     \
    X(s_mov_b32, a)                                                                                \
    X(s_mov_b64, a)                                                                                \
    X(s_cmov_b32, x->scc ? a : keep(x))                                                            \
    X(s_cmov_b64, x->scc ? a : keep(x))                                                            \
    X(s_not_b32, word(x, ~a))                                                                      \
    X(s_not_b64, not_zero(x, ~a))                                                                  \
    X(s_wqm_b32, not_zero(x, quads(a, true)))                                                      \
    X(s_wqm_b64, not_zero(x, quads(a, true)))                                                      \
    X(s_brev_b32, reverse(a, 32))                                                                  \
    X(s_brev_b64, reverse(a, 64))                                                                  \
    X(s_bcnt0_i32_b32, not_zero(x, 32 - count(a)))                                                 \
    X(s_bcnt0_i32_b64, not_zero(x, 64 - count(a)))                                                 \
    X(s_bcnt1_i32_b32, not_zero(x, count(a)))                                                      \
    X(s_bcnt1_i32_b64, not_zero(x, count(a)))                                                      \
    X(s_ff0_i32_b32, first(~a &UINT32_MAX))                                                        \
    X(s_ff0_i32_b64, first(~a))                                                                    \
    X(s_ff1_i32_b32, first(a))                                                                     \
    X(s_ff1_i32_b64, first(a))                                                                     \
    X(s_flbit_i32_b32, leading(a, 32))                                                             \
    X(s_flbit_i32_b64, leading(a, 64))                                                             \
    X(s_flbit_i32, leading((low(a) < 0 ? ~a : a) & UINT32_MAX, 32))                                \
    X(s_flbit_i32_i64, leading((int64_t)a < 0 ? ~a : a, 64))                                       \
    X(s_sext_i32_i8, (uint64_t)(int8_t)a)                                                          \
    X(s_sext_i32_i16, (uint64_t)(int16_t)a)                                                        \
    X(s_bitset0_b32, d & ~(UINT64_C(1) << (a & 31)))                                               \
    X(s_bitset0_b64, d & ~(UINT64_C(1) << (a & 63)))                                               \
    X(s_bitset1_b32, d | UINT64_C(1) << (a & 31))                                                  \
    X(s_bitset1_b64, d | UINT64_C(1) << (a & 63))                                                  \
    X(s_getpc_b64, x->wave->pc)                                                                    \
    X(s_setpc_b64, jump_to(x, a))                                                                  \
    X(s_swappc_b64, jump_to(x, a))                                                                 \
    X(s_and_saveexec_b32, save(x, a &e))                                                           \
    X(s_and_saveexec_b64, save(x, a &e))                                                           \
    X(s_or_saveexec_b32, save(x, a | e))                                                           \
    X(s_or_saveexec_b64, save(x, a | e))                                                           \
    X(s_xor_saveexec_b32, save(x, a ^ e))                                                          \
    X(s_xor_saveexec_b64, save(x, a ^ e))                                                          \
    X(s_andn2_saveexec_b32, save(x, a & ~e))                                                       \
    X(s_andn2_saveexec_b64, save(x, a & ~e))                                                       \
    X(s_orn2_saveexec_b32, save(x, a | ~e))                                                        \
    X(s_orn2_saveexec_b64, save(x, a | ~e))                                                        \
    X(s_nand_saveexec_b32, save(x, ~(a & e)))                                                      \
    X(s_nand_saveexec_b64, save(x, ~(a & e)))                                                      \
    X(s_nor_saveexec_b32, save(x, ~(a | e)))                                                       \
    X(s_nor_saveexec_b64, save(x, ~(a | e)))                                                       \
    X(s_xnor_saveexec_b32, save(x, ~(a ^ e)))                                                      \
    X(s_xnor_saveexec_b64, save(x, ~(a ^ e)))                                                      \
    X(s_andn1_saveexec_b32, save(x, ~a &e))                                                        \
    X(s_andn1_saveexec_b64, save(x, ~a &e))                                                        \
    X(s_orn1_saveexec_b32, save(x, ~a | e))                                                        \
    X(s_orn1_saveexec_b64, save(x, ~a | e))                                                        \
    X(s_andn1_wrexec_b32, write_exec(x, ~a &e))                                                    \
    X(s_andn1_wrexec_b64, write_exec(x, ~a &e))                                                    \
    X(s_andn2_wrexec_b32, write_exec(x, a & ~e))                                                   \
    X(s_andn2_wrexec_b64, write_exec(x, a & ~e))                                                   \
    X(s_quadmask_b32, not_zero(x, quads(a, false)))                                                \
    X(s_quadmask_b64, not_zero(x, quads(a, false)))                                                \
    X(s_movrels_b32, moved(x, true, false))                                                        \
    X(s_movrels_b64, moved(x, true, false))                                                        \
    X(s_movreld_b32, moved(x, false, true))                                                        \
    X(s_movreld_b64, moved(x, false, true))                                                        \
    X(s_movrelsd_2_b32, moved(x, true, true))                                                      \
    X(s_abs_i32, word(x, low(a) < 0 ? -a : a))                                                     \
    X(s_bitreplicate_b64_b32, replicate(a))                                                        \
    X(s_add_u32, add(x, a, b))                                                                     \
    X(s_sub_u32, subtract(x, a, b))                                                                \
    X(s_add_i32, signed_sum(x, (int64_t)low(a) + low(b)))                                          \
    X(s_sub_i32, signed_sum(x, (int64_t)low(a) - low(b)))                                          \
    X(s_addc_u32, add(x, a, b + x->scc))                                                           \
    X(s_subb_u32, subtract(x, a, b + x->scc))                                                      \
    X(s_min_i32, with_scc(x, low(a) < low(b), low(a) < low(b) ? a : b))                            \
    X(s_min_u32, with_scc(x, a < b, a < b ? a : b))                                                \
    X(s_max_i32, with_scc(x, low(a) > low(b), low(a) > low(b) ? a : b))                            \
    X(s_max_u32, with_scc(x, a > b, a > b ? a : b))                                                \
    X(s_cselect_b32, x->scc ? a : b)                                                               \
    X(s_cselect_b64, x->scc ? a : b)                                                               \
    X(s_and_b32, word(x, a &b))                                                                    \
    X(s_and_b64, not_zero(x, a &b))                                                                \
    X(s_or_b32, word(x, a | b))                                                                    \
    X(s_or_b64, not_zero(x, a | b))                                                                \
    X(s_xor_b32, word(x, a ^ b))                                                                   \
    X(s_xor_b64, not_zero(x, a ^ b))                                                               \
    X(s_andn2_b32, word(x, a & ~b))                                                                \
    X(s_andn2_b64, not_zero(x, a & ~b))                                                            \
    X(s_orn2_b32, word(x, a | ~b))                                                                 \
    X(s_orn2_b64, not_zero(x, a | ~b))                                                             \
    X(s_nand_b32, word(x, ~(a & b)))                                                               \
    X(s_nand_b64, not_zero(x, ~(a & b)))                                                           \
    X(s_nor_b32, word(x, ~(a | b)))                                                                \
    X(s_nor_b64, not_zero(x, ~(a | b)))                                                            \
    X(s_xnor_b32, word(x, ~(a ^ b)))                                                               \
    X(s_xnor_b64, not_zero(x, ~(a ^ b)))                                                           \
    X(s_lshl_b32, word(x, a << (b & 31)))                                                          \
    X(s_lshl_b64, not_zero(x, a << (b & 63)))                                                      \
    X(s_lshr_b32, word(x, a >> (b & 31)))                                                          \
    X(s_lshr_b64, not_zero(x, a >> (b & 63)))                                                      \
    X(s_ashr_i32, word(x, (uint64_t)(low(a) >> (b & 31))))                                         \
    X(s_ashr_i64, not_zero(x, (uint64_t)((int64_t)a >> (b & 63))))                                 \
    X(s_bfm_b32, ones(a, b, 32))                                                                   \
    X(s_bfm_b64, ones(a, b, 64))                                                                   \
    X(s_mul_i32, a *b)                                                                             \
    X(s_bfe_u32, not_zero(x, extract(a, b, 32, false)))                                            \
    X(s_bfe_i32, word(x, extract(a, b, 32, true)))                                                 \
    X(s_bfe_u64, not_zero(x, extract(a, b, 64, false)))                                            \
    X(s_bfe_i64, not_zero(x, extract(a, b, 64, true)))                                             \
    X(s_absdiff_i32, word(x, low(a - b) < 0 ? b - a : a - b))                                      \
    X(s_lshl1_add_u32, add(x, a << 1, b))                                                          \
    X(s_lshl2_add_u32, add(x, a << 2, b))                                                          \
    X(s_lshl3_add_u32, add(x, a << 3, b))                                                          \
    X(s_lshl4_add_u32, add(x, a << 4, b))                                                          \
    X(s_pack_ll_b32_b16, (a & 0xffff) | b << 16)                                                   \
    X(s_pack_lh_b32_b16, (a & 0xffff) | (b & 0xffff0000))                                          \
    X(s_pack_hh_b32_b16, a >> 16 | (b & 0xffff0000))                                               \
    X(s_pack_hl_b32_b16, a >> 16 | b << 16)                                                        \
    X(s_mul_hi_u32, a *b >> 32)                                                                    \
    X(s_mul_hi_i32, (uint64_t)((int64_t)low(a) * low(b) >> 32))                                    \
    X(s_movk_i32, k)                                                                               \
    X(s_cmovk_i32, x->scc ? k : keep(x))                                                           \
    X(s_cmpk_eq_i32, with_scc(x, low(d) == low(k), 0))                                             \
    X(s_cmpk_lg_i32, with_scc(x, low(d) != low(k), 0))                                             \
    X(s_cmpk_gt_i32, with_scc(x, low(d) > low(k), 0))                                              \
    X(s_cmpk_ge_i32, with_scc(x, low(d) >= low(k), 0))                                             \
    X(s_cmpk_lt_i32, with_scc(x, low(d) < low(k), 0))                                              \
    X(s_cmpk_le_i32, with_scc(x, low(d) <= low(k), 0))                                             \
    X(s_cmpk_eq_u32, with_scc(x, d == (uint16_t)k, 0))                                             \
    X(s_cmpk_lg_u32, with_scc(x, d != (uint16_t)k, 0))                                             \
    X(s_cmpk_gt_u32, with_scc(x, d > (uint16_t)k, 0))                                              \
    X(s_cmpk_ge_u32, with_scc(x, d >= (uint16_t)k, 0))                                             \
    X(s_cmpk_lt_u32, with_scc(x, d < (uint16_t)k, 0))                                              \
    X(s_cmpk_le_u32, with_scc(x, d <= (uint16_t)k, 0))                                             \
    X(s_addk_i32, signed_sum(x, (int64_t)low(d) + low(k)))                                         \
    X(s_mulk_i32, d *k)                                                                            \
    X(s_getreg_b32, get_register(x))                                                               \
    X(s_setreg_b32, set_register(x, d))                                                            \
    X(s_setreg_imm32_b32, set_register(x, x->insn->literal))                                       \
    X(s_call_b64, jump_to(x, x->wave->pc + 4 * k))                                                 \
    X(s_waitcnt_vscnt, wait_one(x, RDNA_VSCNT))                                                    \
    X(s_waitcnt_vmcnt, wait_one(x, RDNA_VMCNT))                                                    \
    X(s_waitcnt_expcnt, wait_one(x, RDNA_EXPCNT))                                                  \
    X(s_waitcnt_lgkmcnt, wait_one(x, RDNA_LGKMCNT))                                                \
    X(s_cmp_eq_i32, with_scc(x, a == b, 0))                                                        \
    X(s_cmp_lg_i32, with_scc(x, a != b, 0))                                                        \
    X(s_cmp_gt_i32, with_scc(x, low(a) > low(b), 0))                                               \
    X(s_cmp_ge_i32, with_scc(x, low(a) >= low(b), 0))                                              \
    X(s_cmp_lt_i32, with_scc(x, low(a) < low(b), 0))                                               \
    X(s_cmp_le_i32, with_scc(x, low(a) <= low(b), 0))                                              \
    X(s_cmp_eq_u32, with_scc(x, a == b, 0))                                                        \
    X(s_cmp_lg_u32, with_scc(x, a != b, 0))                                                        \
    X(s_cmp_gt_u32, with_scc(x, a > b, 0))                                                         \
    X(s_cmp_ge_u32, with_scc(x, a >= b, 0))                                                        \
    X(s_cmp_lt_u32, with_scc(x, a < b, 0))                                                         \
    X(s_cmp_le_u32, with_scc(x, a <= b, 0))                                                        \
    X(s_bitcmp0_b32, with_scc(x, !(a >> (b & 31) & 1), 0))                                         \
    X(s_bitcmp1_b32, with_scc(x, a >> (b & 31) & 1, 0))                                            \
    X(s_bitcmp0_b64, with_scc(x, !(a >> (b & 63) & 1), 0))                                         \
    X(s_bitcmp1_b64, with_scc(x, a >> (b & 63) & 1, 0))                                            \
    X(s_cmp_eq_u64, with_scc(x, a == b, 0))                                                        \
    X(s_cmp_lg_u64, with_scc(x, a != b, 0))                                                        \
    X(s_nop, keep(x))                                                                              \
    X(s_endpgm, event(x, RDNA_EVENT_END))                                                          \
    X(s_endpgm_saved, event(x, RDNA_EVENT_END))                                                    \
    X(s_branch, jump(x, true))                                                                     \
    X(s_cbranch_scc0, jump(x, !x->scc))                                                            \
    X(s_cbranch_scc1, jump(x, x->scc))                                                             \
    X(s_cbranch_vccz, jump(x, !rdna_get_mask(x->wave, RDNA_VCC)))                                  \
    X(s_cbranch_vccnz, jump(x, rdna_get_mask(x->wave, RDNA_VCC)))                                  \
    X(s_cbranch_execz, jump(x, !rdna_exec(x->wave)))                                               \
    X(s_cbranch_execnz, jump(x, rdna_exec(x->wave)))                                               \
    X(s_wakeup, keep(x))                                                                           \
    X(s_barrier, event(x, RDNA_EVENT_BARRIER))                                                     \
    X(s_waitcnt, wait_all(x))                                                                      \
    X(s_wait_loadcnt, wait_split(x, RDNA_VMCNT, false))                                            \
    X(s_wait_storecnt, wait_split(x, RDNA_VSCNT, false))                                           \
    X(s_wait_dscnt, wait_split(x, RDNA_LGKMCNT, false))                                            \
    X(s_wait_kmcnt, wait_split(x, RDNA_KMCNT, false))                                              \
    X(s_wait_loadcnt_dscnt, wait_split(x, RDNA_VMCNT, true))                                       \
    X(s_wait_storecnt_dscnt, wait_split(x, RDNA_VSCNT, true))                                      \
    X(s_wait_samplecnt, keep(x))                                                                   \
    X(s_wait_bvhcnt, keep(x))                                                                      \
    X(s_wait_expcnt, keep(x))                                                                      \
    X(s_barrier_signal, barrier(x, a, RDNA_EVENT_SIGNAL))                                          \
    X(s_barrier_wait, barrier(x, (uint64_t)(int64_t)(int16_t)k, RDNA_EVENT_AWAIT))                 \
    X(s_sleep_var, event(x, RDNA_EVENT_YIELD))                                                     \
    X(s_add_nc_u64, a + b)                                                                         \
    X(s_sub_nc_u64, a - b)                                                                         \
    X(s_mul_u64, a *b)                                                                             \
    X(s_sleep, event(x, RDNA_EVENT_YIELD))                                                         \
    X(s_setprio, keep(x))                                                                          \
    X(s_icache_inv, keep(x))                                                                       \
    X(s_incperflevel, keep(x))                                                                     \
    X(s_decperflevel, keep(x))                                                                     \
    X(s_ttracedata, keep(x))                                                                       \
    X(s_ttracedata_imm, keep(x))                                                                   \
    X(s_inst_prefetch, keep(x))                                                                    \
    X(s_clause, keep(x))                                                                           \
    X(s_sendmsg, send(x))                                                                          \
    X(s_delay_alu, keep(x))                                                                        \
    X(s_wait_idle, wait_idle(x))                                                                   \
    X(s_wait_event, keep(x))                                                                       \
    X(s_waitcnt_depctr, wait_sources(x))                                                           \
    X(s_round_mode, set_mode(x, 0))                                                                \
    X(s_denorm_mode, set_mode(x, 4))

#define DEFINE(NAME, VALUE)                                                                        \
    static uint64_t NAME(struct scalar *x)                                                         \
    {                                                                                              \
        const uint64_t a = x->a, b = x->b, d = x->old, e = get_exec(x);                            \
        const uint64_t k = (uint64_t)(int64_t)x->insn->imm;                                        \
        (void)a, (void)b, (void)d, (void)e, (void)k;                                               \
        return VALUE;                                                                              \
    }
OPS(DEFINE)

#define ROW(NAME, VALUE) {#NAME, NAME},
static const struct scalar_row {
    const char *name;
    scalar_op *op;
} rows[] = {OPS(ROW)};

static enum rdna_event run(struct rdna_wave *wave, const struct rdna_insn *insn,
                           const struct rdna_memory_ops *memory)
{
    const struct rdna_op *op = insn->op;
    const struct scalar_row *row = op->how;
    struct scalar x = {wave, insn, memory, 0, 0, 0, wave->scc, false, RDNA_EVENT_NONE};
    uint64_t *const sources[] = {&x.a, &x.b};
    bool good = true;
    for (unsigned i = 0; i < op->sources && i < 2; i++)
        if (op->source[i].kind == RDNA_BITS || op->source[i].kind == RDNA_SGPR) {
            *sources[i] = rdna_scalar(wave, insn, insn->source[i], op->source[i].bits, &good);
            if (insn->source[i] == LITERAL && op->source[i].bits == 64 && strstr(op->name, "_i64"))
                *sources[i] = (uint64_t)low(*sources[i]);
        }
    if (!good)
        return rdna_refuse(wave, insn, "with an aperture");
    if (op->format == RDNA_SOPK || op->format == RDNA_SOP1)
        x.old =
            rdna_scalar(wave, insn, insn->result[0], op->results ? op->result[0].bits : 32, &good);
    const uint64_t value = row->op(&x);
    if (x.event == RDNA_EVENT_UNKNOWN)
        return x.event;
    wave->scc = x.scc;
    if (op->results && !x.keeps)
        rdna_put_scalar(wave, insn->result[0], op->result[0].bits, value);
    return x.event;
}

bool rdna_bind_scalar(struct rdna_op *op)
{
    if (op->format > RDNA_SOPP || op->does)
        return false;
    const bool is_float = op->source[0].kind == RDNA_FLOAT || op->result[0].kind == RDNA_FLOAT;
    if (is_float && op->format != RDNA_SOPP)
        return rdna_bind_single(op);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, op->name)) {
            op->how = &rows[i];
            op->run = run;
        }
    return true;
}
