// SPDX-License-Identifier: Apache-2.0
// Instructions that access memory: computes the addresses, and gives the accesses to the device.
#include "exec.h"
#include "format.h"

enum { FIRST_VGPR = 256, NO_REGISTER = 125, M0 = 124, GET_REALTIME = 0x83 };
enum { SCOPE_ARRAY = 1, RESERVED = 2 };

static const uint64_t address_bits = (UINT64_C(1) << 48) - 1;

// An access with what most have in common.
static struct rdna_access *start(struct rdna_access *access, const struct rdna_wave *wave,
                                 const struct rdna_insn *insn, enum rdna_space space)
{
    const struct rdna_op *op = insn->op;
    memset(access, 0, sizeof *access);
    access->space = space;
    access->glc = insn->glc;
    access->slc = insn->slc;
    // On GFX11 glc bypasses GL1 too, and dlc no cache that there is.
    access->dlc = insn->generation >= RDNA_GFX11 ? insn->glc : insn->dlc;
    if (insn->generation >= RDNA_GFX12) {
        access->glc = insn->scope >= SCOPE_ARRAY;
        access->dlc = true; // there is no GL1
    }
    access->mask = rdna_exec(wave);
    access->elements = op->flags & RDNA_TWO ? 2 : 1;
    access->bytes = op->bits / 8;
    access->stride = 4;
    access->registers = (op->bits + 31) / 32;
    access->destination = insn->result[0] - FIRST_VGPR;
    access->atomic = op->atomic;
    access->half = op->flags & RDNA_LOW    ? RDNA_LOW_HALF
                   : op->flags & RDNA_HIGH ? RDNA_HIGH_HALF
                                           : RDNA_WHOLE;
    access->conversion = op->bits >= 32  ? RDNA_PLAIN
                         : op->is_signed ? RDNA_SIGN_EXTEND
                                         : RDNA_ZERO_EXTEND;
    access->action = op->does == RDNA_DOES_ATOMIC ? RDNA_ATOMIC
                     : op->does == RDNA_DOES_STORE || op->does == RDNA_DOES_STORE_FORMAT
                         ? RDNA_STORE
                         : RDNA_LOAD;
    access->returns = access->action == RDNA_LOAD ||
                      (access->action == RDNA_ATOMIC &&
                       (op->format == RDNA_DS ? (op->flags & RDNA_RETURNS) != 0 : insn->glc));
    for (unsigned e = 0; e < access->elements; e++)
        memset(access->in_range[e], (int)access->bytes, RDNA_LANES);
    return access;
}

static enum rdna_event finish(struct rdna_wave *wave, const struct rdna_memory_ops *memory,
                              const struct rdna_access *access)
{
    memory->access(memory->context, wave, access);
    return RDNA_EVENT_NONE;
}

// Takes registers from `code` on as what element `element` stores, from word `word` on.
static void take_data(struct rdna_access *access, const struct rdna_wave *wave, unsigned code,
                      unsigned dwords, unsigned element, unsigned word)
{
    uint32_t buffer[RDNA_LANES];
    for (unsigned i = 0; i < dwords; i++)
        memcpy(access->values[element][word + i], rdna_row(wave, code + i, buffer), sizeof buffer);
    if (access->half == RDNA_HIGH_HALF)
        for (unsigned i = 0; i < RDNA_LANES; i++)
            access->values[element][word][i] >>= 16;
}

// The data of buffer and flat instructions: a comparand is behind the operand.
static void take_operands(struct rdna_access *access, const struct rdna_wave *wave,
                          const struct rdna_insn *insn)
{
    const unsigned code = insn->source[1], dwords = access->registers;
    if (access->action == RDNA_LOAD)
        return;
    take_data(access, wave, code, dwords, 0, 0);
    if (rdna_takes_comparand(insn->op))
        take_data(access, wave, code + dwords, dwords, 0, 2);
}

// --- Scalar loads

static void limit_scalar(struct rdna_access *access, const uint32_t *descriptor, uint64_t offset)
{
    const uint64_t stride = descriptor[1] >> 16 & 0x3fff,
                   size = (uint64_t)descriptor[2] * (stride ? stride : 1);
    const uint64_t rest = offset < size ? size - offset : 0;
    const uint64_t whole = access->bytes < 4 ? 0 : rest & ~UINT64_C(3);
    access->in_range[0][0] = (uint8_t)(rest < access->bytes ? whole : access->bytes);
}

static enum rdna_event scalar(struct rdna_wave *wave, const struct rdna_insn *insn,
                              const struct rdna_memory_ops *memory)
{
    const struct rdna_op *op = insn->op;
    struct rdna_access access;
    start(&access, wave, insn, op->does == RDNA_DOES_TIME ? RDNA_SPACE_NONE : RDNA_SPACE_SCALAR);
    access.counter = insn->generation >= RDNA_GFX12 ? RDNA_KMCNT : RDNA_LGKMCNT;
    access.mask = 1;
    access.to_sgpr = true;
    access.destination = insn->result[0];
    if (op->does == RDNA_DOES_INVALIDATE) {
        wave->caches =
            !strcmp(op->name, "s_gl1_inv") ? RDNA_INVALIDATE_GL1 : RDNA_INVALIDATE_SCALAR;
        return RDNA_EVENT_CACHES;
    }
    if (insn->result[0] >= 124)
        return rdna_refuse(wave, insn, "to a special register");
    if (op->source[0].kind == RDNA_MESSAGE && insn->source[0] != GET_REALTIME)
        return rdna_refuse(wave, insn, "of this message");
    if (op->does == RDNA_DOES_TIME) {
        const uint64_t time = memory->clock(memory->context);
        access.values[0][0][0] = (uint32_t)time;
        access.values[0][0][1] = (uint32_t)(time >> 32);
        return finish(wave, memory, &access);
    }
    const uint32_t *base = &wave->sgpr[insn->scalar[0]];
    bool good = true;
    const uint32_t offset = (uint32_t)rdna_scalar(wave, insn, insn->scalar[1], 32, &good);
    uint64_t address = base[0] | (uint64_t)base[1] << 32;
    const uint64_t from = (uint64_t)((int64_t)insn->imm + offset),
                   aligned = ~(uint64_t)(access.bytes < 4 ? access.bytes - 1 : 3);
    if (op->flags & RDNA_BUFFER) {
        address &= address_bits;
        limit_scalar(&access, base, from & aligned);
    }
    access.address[0][0] = (address + from) & aligned;
    return finish(wave, memory, &access);
}

// --- LDS

static void data_share_addresses(struct rdna_access *access, const struct rdna_wave *wave,
                                 const struct rdna_insn *insn)
{
    uint32_t buffer[RDNA_LANES];
    const uint32_t *address = rdna_row(wave, insn->source[0], buffer);
    const unsigned unit = access->bytes * (insn->op->flags & RDNA_ST64 ? 64 : 1);
    for (unsigned e = 0; e < access->elements; e++) {
        const uint32_t offset =
            access->elements == 2 ? insn->offset[e] * unit : (uint32_t)insn->imm;
        for (unsigned i = 0; i < RDNA_LANES; i++)
            access->address[e][i] = address[i] + offset; // of 32 bits
    }
}

static void data_share_operands(struct rdna_access *access, const struct rdna_wave *wave,
                                const struct rdna_insn *insn)
{
    const unsigned dwords = access->registers;
    if (access->action == RDNA_LOAD)
        return;
    if (rdna_takes_comparand(insn->op)) { // on GFX10 a comparand is first
        const bool is_first = insn->generation < RDNA_GFX11 && access->atomic != RDNA_MASKED_OR &&
                              access->atomic != RDNA_WRAP;
        take_data(access, wave, insn->source[is_first ? 2 : 1], dwords, 0, 0);
        take_data(access, wave, insn->source[is_first ? 1 : 2], dwords, 0, 2);
        return;
    }
    for (unsigned e = 0; e < access->elements; e++)
        take_data(access, wave, insn->source[1 + e], dwords, e, 0);
}

static unsigned swizzled(unsigned lane, unsigned pattern)
{
    if (pattern >= 0xc000) { // rotates groups of 32, but for the bits of a mask
        const unsigned by = pattern >> 5 & 31, keep = pattern & 31;
        const unsigned moved = pattern & 0x400 ? lane - by : lane + by;
        return (lane & ~31u) | (lane & keep) | (moved & 31 & ~keep);
    }
    if (pattern & 0x8000)
        return (lane & ~3u) | (pattern >> 2 * (lane & 3) & 3);
    const unsigned at = ((lane & pattern) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
    return (lane & ~31u) | (at & 31);
}

// Lanes exchange words in groups of 32, by GFX12's ds_bpermute_b32 all of them; an inactive lane
// gives 0.
static void exchange(struct rdna_access *access, const struct rdna_wave *wave,
                     const struct rdna_insn *insn)
{
    const uint64_t exec = access->mask;
    const enum rdna_does does = insn->op->does;
    const bool spans = does == RDNA_DOES_BPERMUTE && insn->generation >= RDNA_GFX12,
               fetches = !strcmp(insn->op->name, "ds_bpermute_fi_b32");
    uint32_t buffer[RDNA_LANES], data_buffer[RDNA_LANES];
    const uint32_t *first = rdna_row(wave, insn->source[0], buffer);
    const uint32_t *data =
        does == RDNA_DOES_SWIZZLE ? first : rdna_row(wave, insn->source[1], data_buffer);
    for (uint64_t rest = exec; rest; rest &= rest - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(rest);
        const unsigned index = (first[i] + (unsigned)insn->imm) >> 2;
        const unsigned other = spans ? index % wave->lanes : (i & 32) | (index & 31);
        const unsigned from = does == RDNA_DOES_SWIZZLE ? swizzled(i, (unsigned)insn->imm) : other;
        if (does == RDNA_DOES_PERMUTE)
            access->values[0][0][other] = data[i];
        else
            access->values[0][0][i] = fetches || exec >> from & 1 ? data[from] : 0;
    }
}

// Counts the active lanes to one word, whose value before all get: the last lane, which the device
// takes last, adds for all.
static void append(struct rdna_access *access, const struct rdna_insn *insn)
{
    access->action = RDNA_ATOMIC;
    access->returns = true;
    access->atomic = insn->op->does == RDNA_DOES_APPEND ? RDNA_ADD : RDNA_SUB;
    for (unsigned i = 0; i < RDNA_LANES; i++)
        access->address[0][i] = (uint64_t)insn->imm;
    if (access->mask)
        access->values[0][0][63 - __builtin_clzll(access->mask)] =
            (uint32_t)__builtin_popcountll(access->mask);
}

static enum rdna_event data_share(struct rdna_wave *wave, const struct rdna_insn *insn,
                                  const struct rdna_memory_ops *memory)
{
    const struct rdna_op *op = insn->op;
    const bool exchanges = op->does == RDNA_DOES_SWIZZLE || op->does == RDNA_DOES_PERMUTE ||
                           op->does == RDNA_DOES_BPERMUTE;
    struct rdna_access access;
    start(&access, wave, insn, exchanges ? RDNA_SPACE_NONE : RDNA_SPACE_LDS);
    access.counter = RDNA_LGKMCNT;
    if (insn->gds)
        return rdna_refuse(wave, insn, "of GDS");
    if (op->does == RDNA_DOES_SWIZZLE &&
        ((insn->imm & 0xff00) > 0x8000 && (insn->imm < 0xc000 || insn->imm >= 0xe000)))
        return rdna_refuse(wave, insn, "with this pattern");
    const bool appends = op->does == RDNA_DOES_APPEND || op->does == RDNA_DOES_CONSUME;
    if (appends && wave->sgpr[M0])
        return rdna_refuse(wave, insn, "with a base in m0");
    if (appends)
        append(&access, insn);
    else if (exchanges)
        exchange(&access, wave, insn);
    else {
        data_share_addresses(&access, wave, insn);
        data_share_operands(&access, wave, insn);
    }
    return finish(wave, memory, &access);
}

// --- Buffers

// The fields of a descriptor.
struct descriptor {
    uint64_t base;
    uint32_t stride, records;
    bool add_lane;
    unsigned unit; // how many bytes of a record are together; 0: all, the buffer is linear
    unsigned index_stride, check, format, selections;
};

static struct descriptor describe(enum rdna_generation generation, const uint32_t *words)
{
    const bool is_new = generation >= RDNA_GFX11;
    static const unsigned units[4] = {0, 4, RESERVED, 16}; // GFX10 has one bit
    return (struct descriptor){
        .base = words[0] | (uint64_t)(words[1] & 0xffff) << 32,
        .stride = words[1] >> 16 & 0x3fff,
        .unit = units[words[1] >> (is_new ? 30 : 31)],
        .records = words[2],
        .selections = words[3] & 0xfff,
        .format = rdna_format(generation, words[3] >> 12 & (is_new ? 0x3f : 0x7f)),
        .index_stride = 8u << (words[3] >> 21 & 3),
        .add_lane = words[3] >> 23 & 1,
        .check = words[3] >> 28 & 3,
    };
}

// How many bytes at an offset are in range: the dwords of a raw buffer one by one.
static unsigned in_range(const struct descriptor *d, uint32_t index, uint32_t offset,
                         uint32_t scalar, unsigned bytes)
{
    const bool raw = d->check == 3 && (!d->unit || !d->stride);
    if (d->check == 2)
        return d->records ? bytes : 0;
    if (!raw)
        return index >= d->records || (d->check != 1 && offset >= d->stride) ? 0 : bytes;
    const uint64_t size = d->records > scalar ? d->records - scalar : 0;
    const uint64_t rest = size > offset ? size - offset : 0;
    return rest >= bytes ? bytes : bytes > 4 ? (unsigned)rest & ~3u : 0;
}

// False: a lane's bytes are in two units that are not 4 bytes each.
static bool buffer_addresses(struct rdna_access *access, const struct rdna_wave *wave,
                             const struct rdna_insn *insn, const struct descriptor *d,
                             uint32_t scalar)
{
    uint32_t first_buffer[RDNA_LANES], second_buffer[RDNA_LANES];
    const unsigned code = insn->source[0];
    const uint32_t *first = rdna_row(wave, code, first_buffer),
                   *second = rdna_row(wave, code + (insn->idxen && insn->offen), second_buffer);
    for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(rest);
        const uint32_t index = (insn->idxen ? first[i] : 0) + (d->add_lane ? i : 0);
        const uint32_t offset = (insn->offen ? second[i] : 0) + (uint32_t)insn->imm;
        uint64_t at = (uint64_t)d->stride * index + offset;
        if (d->unit)
            at = ((uint64_t)(index / d->index_stride) * d->stride + offset / d->unit * d->unit) *
                     d->index_stride +
                 (uint64_t)(index % d->index_stride) * d->unit + offset % d->unit;
        if (d->unit > 4 && offset % d->unit + access->bytes > d->unit)
            return false;
        access->address[0][i] = (d->base + scalar + at) & address_bits;
        access->in_range[0][i] = (uint8_t)in_range(d, index, offset, scalar, access->bytes);
    }
    if (d->unit == 4)
        access->stride = 4 * d->index_stride;
    return true;
}

// Accesses with a format of the instruction or the descriptor.
static bool formatted(struct rdna_access *access, const struct rdna_wave *wave,
                      const struct rdna_insn *insn, const struct descriptor *d)
{
    const struct rdna_op *op = insn->op;
    const bool typed = op->format == RDNA_MTBUF, halves = op->flags & RDNA_HALVES;
    const unsigned components = op->bits / (halves || op->bits == 16 ? 16 : 32);
    const unsigned identity = 4 | 5 << 3 | 6 << 6 | 7 << 9; // x, y, z, w
    access->format = format_code(typed ? insn->data_format : d->format,
                                 typed ? identity : d->selections, components, halves);
    access->bytes = format_bytes(access->format);
    if (halves && components == 1)
        access->half = RDNA_LOW_HALF;
    access->conversion = RDNA_CONVERTED;
    if (!access->bytes)
        return false;
    if (access->action == RDNA_STORE) {
        const unsigned registers = access->registers;
        uint32_t words[RDNA_DWORDS][RDNA_LANES], buffer[RDNA_LANES];
        for (unsigned r = 0; r < registers; r++)
            memcpy(words[r], rdna_row(wave, insn->source[1] + r, buffer), sizeof buffer);
        for (unsigned i = 0; i < RDNA_LANES; i++) {
            uint32_t from[RDNA_DWORDS] = {0}, to[RDNA_DWORDS] = {0};
            for (unsigned r = 0; r < registers; r++)
                from[r] = access->half == RDNA_HIGH_HALF ? words[r][i] >> 16 : words[r][i];
            format_store(access->format, from, to);
            for (unsigned w = 0; w < RDNA_DWORDS; w++)
                access->values[0][w][i] = to[w];
        }
    }
    memset(access->in_range[0], (int)access->bytes, RDNA_LANES);
    return true;
}

static enum rdna_event buffer(struct rdna_wave *wave, const struct rdna_insn *insn,
                              const struct rdna_memory_ops *memory)
{
    const struct rdna_op *op = insn->op;
    if (op->does == RDNA_DOES_INVALIDATE) {
        wave->caches =
            !strcmp(op->name, "buffer_gl0_inv") ? RDNA_INVALIDATE_L0 : RDNA_INVALIDATE_GL1;
        return RDNA_EVENT_CACHES;
    }
    if (insn->tfe || insn->lds)
        return rdna_refuse(wave, insn, "with tfe or lds");
    const struct descriptor d = describe(insn->generation, &wave->sgpr[insn->scalar[0]]);
    bool good = true;
    const uint32_t offset = (uint32_t)rdna_scalar(wave, insn, insn->scalar[1], 32, &good);
    struct rdna_access access;
    start(&access, wave, insn, RDNA_SPACE_GLOBAL);
    access.counter = access.returns ? RDNA_VMCNT : RDNA_VSCNT;
    if (!access.mask) // its descriptor may be anything
        return finish(wave, memory, &access);
    if (d.unit == RESERVED)
        return rdna_refuse(wave, insn, "with this swizzle");
    const bool converts = op->does == RDNA_DOES_LOAD_FORMAT || op->does == RDNA_DOES_STORE_FORMAT;
    if (!good)
        return rdna_refuse(wave, insn, "with an aperture");
    if (converts && !formatted(&access, wave, insn, &d))
        return rdna_refuse(wave, insn, "with this format");
    if (!converts)
        take_operands(&access, wave, insn);
    if (!buffer_addresses(&access, wave, insn, &d, offset))
        return rdna_refuse(wave, insn, "with this swizzle");
    return finish(wave, memory, &access);
}

// --- Flat, global, scratch

static void scratch_addresses(struct rdna_access *access, const struct rdna_wave *wave,
                              const struct rdna_insn *insn)
{
    uint32_t buffer[RDNA_LANES];
    const unsigned base = insn->scalar[0];
    const uint32_t *row = insn->offen ? rdna_row(wave, insn->source[0], buffer) : NULL;
    const uint32_t scalar = base == NO_REGISTER ? 0 : wave->sgpr[base];
    for (unsigned i = 0; i < RDNA_LANES; i++) {
        const uint32_t offset = (row ? row[i] : 0) + scalar + (uint32_t)insn->imm;
        access->address[0][i] = wave->flat_scratch + (uint64_t)(offset / 4) * 4 * wave->lanes +
                                4 * (i % wave->lanes) + offset % 4;
    }
    access->stride = 4 * wave->lanes;
}

static void global_addresses(struct rdna_access *access, const struct rdna_wave *wave,
                             const struct rdna_insn *insn)
{
    uint32_t low_buffer[RDNA_LANES], high_buffer[RDNA_LANES];
    const unsigned code = insn->source[0], base = insn->scalar[0];
    const bool off = base == NO_REGISTER;
    const uint32_t *low = rdna_row(wave, code, low_buffer),
                   *high = rdna_row(wave, code + off, high_buffer);
    const uint64_t scalar = off ? 0 : wave->sgpr[base] | (uint64_t)wave->sgpr[base + 1] << 32;
    for (unsigned i = 0; i < RDNA_LANES; i++)
        access->address[0][i] =
            scalar + low[i] + (off ? (uint64_t)high[i] << 32 : 0) + (uint64_t)(int64_t)insn->imm;
}

static enum rdna_event flat(struct rdna_wave *wave, const struct rdna_insn *insn,
                            const struct rdna_memory_ops *memory)
{
    if (insn->op->does == RDNA_DOES_INVALIDATE) {
        // Stores reach L2 at once: global_wb has nothing to write back.
        const bool drops = strcmp(insn->op->name, "wb") != 0;
        wave->caches = drops && insn->scope >= SCOPE_ARRAY ? RDNA_INVALIDATE_L0 : 0;
        return RDNA_EVENT_CACHES;
    }
    if (!insn->segment)
        return rdna_refuse(wave, insn, "of the flat segment");
    struct rdna_access access;
    start(&access, wave, insn, RDNA_SPACE_GLOBAL);
    if (insn->segment == 1)
        scratch_addresses(&access, wave, insn);
    else
        global_addresses(&access, wave, insn);
    take_operands(&access, wave, insn);
    access.counter = access.returns ? RDNA_VMCNT : RDNA_VSCNT;
    return finish(wave, memory, &access);
}

bool rdna_bind_memory(struct rdna_op *op)
{
    static rdna_run *const runs[RDNA_FORMATS] = {
        [RDNA_SOP1] = scalar, // s_sendmsg_rtn_b32
        [RDNA_SMEM] = scalar,  [RDNA_DS] = data_share, [RDNA_MUBUF] = buffer,
        [RDNA_MTBUF] = buffer, [RDNA_FLAT] = flat};
    if (!runs[op->format] || !op->does)
        return false;
    if (op->does != RDNA_DOES_OTHER && op->does != RDNA_DOES_PROBE && !(op->flags & RDNA_ADDTID))
        op->run = runs[op->format];
    return true;
}
