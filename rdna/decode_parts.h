// SPDX-License-Identifier: Apache-2.0
// What the decoders of the formats share.
#pragma once

#include "decode.h"

enum {
    SGPRS = 106,
    TTMPS_END = 124,
    M0 = 124,
    NO_REGISTER = 125,
    INLINE_FIRST = 128,
    INLINE_LAST = 208,
    SHARED_BASE = 235,
    POPS = 239,
    FLOATS_FIRST = 240,
    FLOATS_LAST = 248,
    VCCZ = 251,
    SCC = 253,
    LITERAL = 255,
    VGPR = 256,
    DPP8 = 233,
    DPP8_FI = 234,
    SDWA = 249,
    DPP16 = 250
};

static inline uint32_t bits(uint32_t word, unsigned from, unsigned count)
{
    return word >> from & ((1u << count) - 1);
}

static inline const char *name_of(const struct rdna_insn *insn)
{
    return insn->op->text;
}

static inline bool is_gfx11(const struct rdna_insn *insn)
{
    return insn->generation >= RDNA_GFX11;
}

static inline bool is_gfx12(const struct rdna_insn *insn)
{
    return insn->generation >= RDNA_GFX12;
}

static inline bool is_constant(unsigned code)
{
    return (code >= INLINE_FIRST && code <= INLINE_LAST) ||
           (code >= FLOATS_FIRST && code <= FLOATS_LAST) || code == LITERAL;
}

static inline bool is_value(unsigned code) // of hardware
{
    return (code >= SHARED_BASE && code < POPS) || (code >= VCCZ && code <= SCC);
}

static inline int32_t extend(uint32_t value, unsigned width)
{
    return (int32_t)(value << (32 - width)) >> (32 - width);
}

// Says why an instruction is not decoded; returns false.
__attribute__((format(__printf__, 2, 3))) bool decode_unknown(struct rdna_insn *insn,
                                                              const char *format, ...);

// An operand, which GFX11 numbers otherwise: it exchanges m0 and null.
uint16_t decode_operand(const struct rdna_insn *insn, uint32_t code);

// Whether `dwords` scalar registers begin at `code`: pairs are even, more begin at a fourth.
bool decode_scalar_fits(unsigned code, unsigned dwords);

// Sets the operation that has this opcode, or says that it is not known.
bool decode_pick(struct rdna_insn *insn, enum rdna_format format, unsigned opcode);

// The formats of memory (decode_memory.c). `long_memory`: those of GFX12, of three dwords.
bool decode_ds(struct rdna_insn *insn, uint32_t low, uint32_t high);
bool decode_buffer(struct rdna_insn *insn, uint32_t low, uint32_t high, bool typed);
bool decode_flat(struct rdna_insn *insn, uint32_t low, uint32_t high);
bool decode_long_memory(struct rdna_insn *insn, const uint32_t *words, size_t count, unsigned form);
