// SPDX-License-Identifier: Apache-2.0
// Executes vector instructions: fetches sources with their modifiers, DPP and SDWA, and writes the
// results.
#include "exec.h"

#include <fenv.h>
#include <math.h>

enum { FIRST_VGPR = 256, SDWA_DWORD = 6, PAD = 0, SEXT = 1 };

static const uint32_t zeros[RDNA_LANES];

static void fail(struct rdna_lanes *x, const char *why)
{
    rdna_refuse(x->wave, x->insn, why);
    x->failed = true;
}

// --- Sources

// The lane that DPP reads for `lane`, or -1 beyond its row.
static int dpp_lane(const struct rdna_insn *insn, unsigned lane)
{
    const unsigned control = insn->dpp_ctrl, amount = control & 15, row = lane & ~15u,
                   at = lane & 15;
    if (insn->encoding == RDNA_DPP8)
        return (int)((lane & ~7u) | (insn->dpp8 >> 3 * (lane & 7) & 7));
    if (control < 0x100)
        return (int)((lane & ~3u) | (control >> 2 * (lane & 3) & 3));
    switch (control >> 4) {
    case 0x10:
        return at + amount < 16 ? (int)(lane + amount) : -1;
    case 0x11:
        return at >= amount ? (int)(lane - amount) : -1;
    case 0x12:
        return (int)(row | ((at - amount) & 15));
    case 0x14:
        return (int)(amount ? lane ^ 7 : lane ^ 15);
    case 0x15:
        return (int)(row | amount);
    default:
        return (int)(lane ^ amount);
    }
}

// Moves words between lanes. A lane whose source is off its row or inactive reads 0 or is not
// written; rows and banks can be switched off too.
static const uint32_t *move_lanes(struct rdna_lanes *x, const uint32_t *row, uint32_t *to)
{
    const struct rdna_insn *insn = x->insn;
    const uint64_t exec = x->active;
    uint32_t moved[RDNA_LANES] = {0};
    for (unsigned i = 0; i < x->lanes; i++) {
        const int from = dpp_lane(insn, i);
        if (from >= 0 && (insn->fetch_inactive || exec >> from & 1))
            moved[i] = row[from];
        else if (insn->encoding == RDNA_DPP16 && !insn->bound_ctrl)
            x->active &= ~(UINT64_C(1) << i);
        if (insn->encoding == RDNA_DPP16 &&
            !(insn->row_mask >> i / 16 & 1 && insn->bank_mask >> i / 4 % 4 & 1))
            x->active &= ~(UINT64_C(1) << i);
    }
    memcpy(to, moved, sizeof moved);
    return to;
}

static uint32_t select_part(uint32_t word, unsigned selection, bool sext)
{
    const unsigned width = selection < 4 ? 8 : 16,
                   from = selection < 4 ? 8 * selection : 16 * (selection - 4);
    if (selection == SDWA_DWORD)
        return word;
    const uint32_t part = word >> from & ((1u << width) - 1);
    return sext ? (uint32_t)((int32_t)(part << (32 - width)) >> (32 - width)) : part;
}

static void change(uint32_t *words, unsigned lanes, uint32_t keep, uint32_t flip)
{
    for (unsigned i = 0; i < lanes; i++)
        words[i] = (words[i] & keep) ^ flip;
}

static void flush_words(uint32_t *words, unsigned lanes, uint32_t sign, uint32_t exponent)
{
    for (unsigned i = 0; i < lanes; i++)
        words[i] = words[i] & exponent ? words[i] : words[i] & sign;
}

// Bits of a scalar operand: constants that are floats are halves for packed operations.
static unsigned constant_bits(const struct rdna_insn *insn, const struct rdna_type *type,
                              unsigned code)
{
    const bool packs = insn->op->flags & RDNA_HALVES && !(insn->op->flags & RDNA_MIX);
    return code < 128 ? 32 : packs && code >= 240 && code <= 248 ? 16 : type->bits;
}

// Source `s` of up to 32 bits.
static void fetch(struct rdna_lanes *x, unsigned s)
{
    const struct rdna_insn *insn = x->insn;
    const struct rdna_type *type = &insn->op->source[s];
    const struct rdna_lane_row *how = insn->op->how;
    const unsigned code = insn->source[s], bit = 1u << s;
    const bool half = type->bits == 16, is_float = type->kind == RDNA_FLOAT;
    const uint32_t sign = half ? 0x8000 : 0x80000000;
    uint32_t *to = x->buffer[s];
    const uint32_t *row = to;
    if (code >= FIRST_VGPR) {
        row = rdna_row(x->wave, code, to);
        if (s == 0 && (insn->encoding == RDNA_DPP16 || insn->encoding == RDNA_DPP8))
            row = move_lanes(x, row, to);
    } else {
        bool good = true;
        const uint32_t word =
            (uint32_t)rdna_scalar(x->wave, insn, code, constant_bits(insn, type, code), &good);
        if (!good)
            fail(x, "with an aperture");
        for (unsigned i = 0; i < RDNA_LANES; i++)
            to[i] = word;
    }
    const bool sdwa = insn->encoding == RDNA_SDWA_ENCODING && s < 2;
    const bool high = half && insn->op_sel & bit;
    const bool flush =
        is_float && !(how->flags & RDNA_RAW) && (half ? x->flush_in64 : x->flush_in32);
    const bool changes = is_float && (insn->neg | insn->abs) & bit;
    if (row != to && (sdwa || half || flush || changes)) {
        memcpy(to, row, RDNA_LANES * sizeof *row);
        row = to;
    }
    x->in[s] = row;
    if (sdwa)
        for (unsigned i = 0; i < x->lanes; i++)
            to[i] = select_part(to[i], insn->sel[s], insn->sext & bit);
    if (half)
        for (unsigned i = 0; i < x->lanes; i++)
            to[i] = (high ? to[i] >> 16 : to[i]) & 0xffff;
    if (changes)
        change(to, x->lanes, insn->abs & bit ? ~sign : UINT32_MAX, insn->neg & bit ? sign : 0);
    if (flush)
        flush_words(to, x->lanes, sign, half ? 0x7c00 : 0x7f800000);
}

// The first 64 bits of source `s`, which `op` takes.
static void fetch_wide(struct rdna_lanes *x, unsigned s)
{
    const struct rdna_insn *insn = x->insn;
    const struct rdna_lane_row *how = insn->op->how;
    const unsigned code = insn->source[s], bit = 1u << s;
    const bool is_float = insn->op->source[s].kind == RDNA_FLOAT;
    uint64_t *to = x->wide[s];
    if (code >= FIRST_VGPR) {
        uint32_t low_buffer[RDNA_LANES], high_buffer[RDNA_LANES];
        const uint32_t *low = rdna_row(x->wave, code, low_buffer),
                       *high = rdna_row(x->wave, code + 1, high_buffer);
        for (unsigned i = 0; i < RDNA_LANES; i++)
            to[i] = low[i] | (uint64_t)high[i] << 32;
    } else {
        bool good = true;
        uint64_t value = rdna_scalar(x->wave, insn, code, 64, &good);
        if (code == 255 && is_float)
            value <<= 32;
        else if (code == 255 && strstr(insn->op->name, "_i64"))
            value = (uint64_t)(int32_t)value;
        if (!good)
            fail(x, "with an aperture");
        for (unsigned i = 0; i < RDNA_LANES; i++)
            to[i] = value;
    }
    if (!is_float)
        return;
    const uint64_t sign = UINT64_C(1) << 63, keep = insn->abs & bit ? ~sign : UINT64_MAX,
                   flip = insn->neg & bit ? sign : 0, exponent = UINT64_C(0x7ff) << 52;
    const bool flush = !(how->flags & RDNA_RAW) && x->flush_in64;
    for (unsigned i = 0; i < x->lanes; i++) {
        to[i] = (to[i] & keep) ^ flip;
        if (flush && !(to[i] & exponent))
            to[i] &= sign;
    }
}

static void fetch_all(struct rdna_lanes *x)
{
    const struct rdna_op *op = x->insn->op;
    const struct rdna_lane_row *how = op->how;
    for (unsigned s = 0; s < 3; s++)
        x->in[s] = zeros;
    for (unsigned s = 0; s < op->sources && s < 3; s++)
        if (op->source[s].kind == RDNA_MASK)
            x->mask = rdna_get_mask(x->wave, x->insn->source[s]);
        else if (op->source[s].bits > 32)
            fetch_wide(x, s);
        else
            fetch(x, s);
    const unsigned result = x->insn->result[0];
    if (how->flags & RDNA_ACCUMULATES && result < FIRST_VGPR) {
        for (unsigned i = 0; i < RDNA_LANES; i++)
            x->buffer[2][i] = result == 125 ? 0 : x->wave->sgpr[result];
        x->in[2] = x->buffer[2];
    } else if (how->flags & RDNA_ACCUMULATES)
        x->in[2] = rdna_row(x->wave, x->insn->result[0], x->buffer[2]);
    if (how->flags & RDNA_ACCUMULATES && op->result[0].bits == 16) {
        for (unsigned i = 0; i < RDNA_LANES; i++)
            x->buffer[2][i] = x->in[2][i] >> (x->insn->op_sel & 8 ? 16 : 0) & 0xffff;
        x->in[2] = x->buffer[2];
    }
}

// --- Results

uint32_t rdna_clamp_half(const struct rdna_lanes *x, uint32_t half)
{
    const double value = rdna_of_half(half);
    if (isnan(value))
        return x->wave->mode & 1 << 8 ? 0 : half;
    return value <= 0 ? 0 : value > 1 ? 0x3c00 : half;
}

static void scale_halves(struct rdna_lanes *x, double by)
{
    for (unsigned i = 0; i < x->lanes; i++) {
        const double value = rdna_of_half(x->out[i]) * by;
        x->out[i] =
            isnan(value) ? x->out[i] : rdna_to_half(value == 0 ? 0 : value, x->round64, true);
    }
}

#define is_small(VALUE) (fpclassify(VALUE) == FP_ZERO || fpclassify(VALUE) == FP_SUBNORMAL)

static void scale(struct rdna_lanes *x, const struct rdna_type *type)
{
    static const float by[] = {1, 2, 4, .5f};
    const float factor = by[x->insn->omod];
    const bool flushes = type->bits == 32 ? x->flush_out32 : x->flush_out64;
    if (!x->insn->omod || x->wave->mode & 1 << 9 || !flushes)
        return;
    if (type->bits == 16)
        scale_halves(x, (double)factor);
    for (unsigned i = 0; i < x->lanes; i++)
        if (type->bits == 32) {
            const float value = rdna_float(x->out[i]) * factor;
            x->out[i] = isnan(value) ? x->out[i] : is_small(value) ? 0 : rdna_word(value);
        } else if (type->bits == 64) {
            const double value = rdna_double(x->wide_out[i]) * (double)factor;
            x->wide_out[i] = isnan(value) ? x->wide_out[i] : is_small(value) ? 0 : rdna_long(value);
        }
}

static void clamp(struct rdna_lanes *x, const struct rdna_type *type)
{
    const bool dx10 = x->wave->mode & 1 << 8;
    for (unsigned i = 0; i < x->lanes; i++)
        if (type->bits == 16)
            x->out[i] = rdna_clamp_half(x, x->out[i]);
        else if (type->bits == 32) {
            const float value = rdna_float(x->out[i]);
            if (!isnan(value) || dx10)
                x->out[i] = value > 1 ? rdna_word(1) : value > 0 ? x->out[i] : 0;
        } else {
            const double value = rdna_double(x->wide_out[i]);
            if (!isnan(value) || dx10)
                x->wide_out[i] = value > 1 ? rdna_long(1) : value > 0 ? x->wide_out[i] : 0;
        }
}

// What of `old` stays beside a selected part.
static uint32_t place(const struct rdna_insn *insn, uint32_t value, uint32_t old)
{
    const unsigned selection = insn->dst_sel, width = selection < 4 ? 8 : 16,
                   from = selection < 4 ? 8 * selection : 16 * (selection - 4);
    if (selection == SDWA_DWORD)
        return value;
    const uint32_t ones = (1u << width) - 1, part = (value & ones) << from;
    if (insn->dst_unused == PAD)
        return part;
    if (insn->dst_unused == SEXT) {
        const uint32_t above = from + width < 32 ? UINT32_MAX << (from + width) : 0;
        return part | (value >> (width - 1) & 1 ? above : 0);
    }
    return part | (old & ~(ones << from));
}

static void put_word(struct rdna_lanes *x, unsigned bits)
{
    const struct rdna_insn *insn = x->insn;
    const unsigned code = insn->result[0];
    uint32_t buffer[RDNA_LANES];
    const bool sdwa = insn->encoding == RDNA_SDWA_ENCODING;
    if (sdwa || bits == 16) {
        const uint32_t *old = rdna_row(x->wave, code, buffer);
        for (unsigned i = 0; i < x->lanes; i++)
            x->out[i] = sdwa && insn->dst_sel != SDWA_DWORD ? place(insn, x->out[i], old[i])
                        : bits != 16                        ? x->out[i]
                        : insn->op_sel & 8                  ? x->out[i] << 16 | (old[i] & 0xffff)
                                           : (x->out[i] & 0xffff) | (old[i] & 0xffff0000);
    }
    rdna_put_row(x->wave, code, x->out, x->active);
}

static void put_wide(struct rdna_lanes *x)
{
    uint32_t words[RDNA_LANES];
    for (unsigned dword = 0; dword < 2; dword++) {
        for (unsigned i = 0; i < RDNA_LANES; i++)
            words[i] = (uint32_t)(x->wide_out[i] >> 32 * dword);
        rdna_put_row(x->wave, x->insn->result[0] + dword, words, x->active);
    }
}

static void put_all(struct rdna_lanes *x)
{
    const struct rdna_op *op = x->insn->op;
    if (op->format == RDNA_VOPC && !op->results) {
        rdna_put_mask(x->wave, RDNA_EXEC, x->mask_out & x->active);
        return;
    }
    for (unsigned r = 0; r < op->results; r++) {
        const struct rdna_type *type = &op->result[r];
        if (type->kind == RDNA_MASK) {
            rdna_put_mask(x->wave, x->insn->result[r], x->mask_out & x->active);
            continue;
        }
        if (type->kind == RDNA_FLOAT)
            scale(x, type);
        if (type->kind == RDNA_FLOAT && x->insn->clamp)
            clamp(x, type);
        if (type->bits > 32)
            put_wide(x);
        else
            put_word(x, type->bits);
    }
}

static void read_mode(struct rdna_lanes *x)
{
    const uint32_t mode = x->wave->mode;
    x->round32 = mode & 3;
    x->round64 = mode >> 2 & 3;
    x->flush_in32 = !(mode >> 4 & 1);
    x->flush_out32 = !(mode >> 5 & 1);
    x->flush_in64 = !(mode >> 6 & 1);
    x->flush_out64 = !(mode >> 7 & 1);
}

static void set_rounding(unsigned round)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    fesetround(modes[round]);
}

// Whether masks of 64 bits are in pairs of registers; 125 is null.
static bool masks_fit(const struct rdna_insn *insn)
{
    const struct rdna_op *op = insn->op;
    bool fit = true;
    for (unsigned i = 0; i < op->results; i++)
        fit = fit && (op->result[i].kind != RDNA_MASK || insn->result[i] % 2 == 0 ||
                      insn->result[i] == 125);
    for (unsigned i = 0; i < op->sources; i++)
        fit = fit && (op->source[i].kind != RDNA_MASK || insn->source[i] % 2 == 0 ||
                      insn->source[i] == 125);
    return fit;
}

// Computes the results. False: not emulated.
static bool compute(struct rdna_lanes *x, struct rdna_wave *wave, const struct rdna_insn *insn,
                    uint64_t active)
{
    const struct rdna_lane_row *how = insn->op->how;
    x->wave = wave;
    x->insn = insn;
    x->lanes = wave->lanes;
    x->active = active;
    x->mask_out = 0;
    x->failed = false;
    read_mode(x);
    if (wave->lanes == 64 && !masks_fit(insn)) {
        fail(x, "with an odd pair of registers");
        return false;
    }
    fetch_all(x);
    if (x->failed)
        return false;
    const unsigned round = !(how->flags & RDNA_SETS_ROUNDING) ? 0
                           : insn->op->result[0].bits == 64   ? x->round64
                                                              : x->round32;
    if (round)
        set_rounding(round);
    how->op(x);
    if (round)
        set_rounding(0);
    return !x->failed;
}

static enum rdna_event run_lanes(struct rdna_wave *wave, const struct rdna_insn *insn,
                                 uint64_t active)
{
    struct rdna_lanes x;
    if (!compute(&x, wave, insn, active))
        return RDNA_EVENT_UNKNOWN;
    put_all(&x);
    return RDNA_EVENT_NONE;
}

// The operations of VOPD read before either writes.
static enum rdna_event run_both(struct rdna_wave *wave, const struct rdna_insn *insn,
                                uint64_t active)
{
    const struct rdna_insn second = rdna_second(insn);
    struct rdna_lanes x, y;
    if (wave->lanes != 32 || !second.op->how)
        return rdna_refuse(wave, &second, second.op->how ? "of VOPD in wave64" : "");
    if (!compute(&x, wave, insn, active) || !compute(&y, wave, &second, active))
        return RDNA_EVENT_UNKNOWN;
    put_all(&x);
    put_all(&y);
    return RDNA_EVENT_NONE;
}

static enum rdna_event run(struct rdna_wave *wave, const struct rdna_insn *insn,
                           const struct rdna_memory_ops *memory)
{
    (void)memory;
    const struct rdna_op *op = insn->op;
    const uint64_t exec = rdna_exec(wave), low = exec & UINT32_MAX, high = exec & ~low;
    if (insn->dual)
        return run_both(wave, insn, exec);
    const bool to_vector = op->results && op->result[0].kind <= RDNA_FLOAT;
    if (!to_vector || !low || !high || !rdna_is_shared(wave, insn->result[0]))
        return run_lanes(wave, insn, exec);
    // The halves of the wave execute one after the other, and the second sees the first's result;
    // DPP stays within a half.
    if (op->results == 2)
        return rdna_refuse(wave, insn, "to a shared register by both halves of the wave");
    const enum rdna_event event = run_lanes(wave, insn, low);
    return event == RDNA_EVENT_NONE ? run_lanes(wave, insn, high) : event;
}

// An operation on scalar registers, as on the first lane.
static enum rdna_event run_single(struct rdna_wave *wave, const struct rdna_insn *insn,
                                  const struct rdna_memory_ops *memory)
{
    (void)memory;
    const struct rdna_op *op = insn->op;
    struct rdna_lanes x;
    struct rdna_insn single = *insn;
    if (!strcmp(op->name, "s_cvt_hi_f32_f16"))
        single.op_sel = 1;
    if (!compute(&x, wave, &single, 1))
        return RDNA_EVENT_UNKNOWN;
    if (!op->results) {
        wave->scc = x.mask_out & 1;
        return RDNA_EVENT_NONE;
    }
    if (op->result[0].kind == RDNA_FLOAT)
        scale(&x, &op->result[0]);
    if (insn->clamp)
        clamp(&x, &op->result[0]);
    rdna_put_scalar(wave, insn->result[0], 32, x.out[0]);
    return RDNA_EVENT_NONE;
}

const struct rdna_lane_row *rdna_lane_row(const char *name)
{
    const struct rdna_lane_row *const tables[] = {rdna_integer_ops, rdna_float_ops, rdna_double_ops,
                                                  rdna_half_ops, rdna_packed_ops};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct rdna_lane_row *row = tables[t]; row->name; row++)
            if (!strcmp(row->name, name))
                return row;
    return NULL;
}

// s_add_f32 and v_s_exp_f32 do what v_add_f32 and v_exp_f32 do.
bool rdna_bind_single(struct rdna_op *op)
{
    char name[RDNA_OP_NAME];
    strcpy(name, op->name);
    *name = 'v';
    if (!strncmp(name, "v_s_", 4))
        memmove(name + 2, name + 4, strlen(name + 4) + 1);
    op->how = rdna_lane_row(strcmp(name, "v_cvt_hi_f32_f16") ? name : "v_cvt_f32_f16");
    op->run = op->how ? run_single : NULL;
    return true;
}

bool rdna_bind_vector(struct rdna_op *op)
{
    if (op->flags & RDNA_SCALAR)
        return rdna_bind_single(op);
    op->how = rdna_lane_row(op->name);
    op->run = op->how ? run : NULL;
    return op->how;
}
