// SPDX-License-Identifier: Apache-2.0
// Executes instructions: registers, and what each operation is done by.
#include "exec.h"

#include <stdio.h>

enum { LITERAL = 255, VCCZ = 251, EXECZ = 252, SCC = 253, FIRST_VGPR = 256, NO_REGISTER = 125 };

enum rdna_event rdna_refuse(struct rdna_wave *wave, const struct rdna_insn *insn, const char *why)
{
    snprintf(wave->unknown, sizeof wave->unknown, "%s%s%s", insn->op->text, *why ? " " : "", why);
    return RDNA_EVENT_UNKNOWN;
}

void rdna_bind(struct rdna_op *op)
{
    if (!rdna_bind_scalar(op) && !rdna_bind_memory(op) && !rdna_bind_lanes(op) &&
        !rdna_bind_matrix(op))
        rdna_bind_vector(op);
}

enum rdna_event rdna_step(struct rdna_wave *wave, const struct rdna_insn *insn,
                          const struct rdna_memory_ops *memory)
{
    if (!insn->op) {
        snprintf(wave->unknown, sizeof wave->unknown, "%s", insn->unknown);
        return RDNA_EVENT_UNKNOWN;
    }
    if (!insn->op->run)
        return rdna_refuse(wave, insn, "");
    const uint64_t pc = wave->pc;
    wave->pc += 4 * insn->size;
    const enum rdna_event event = insn->op->run(wave, insn, memory);
    if (event == RDNA_EVENT_UNKNOWN)
        wave->pc = pc;
    return event;
}

static uint64_t constant(unsigned code, unsigned bits)
{
    static const uint16_t halves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                      0xc000, 0x4400, 0xc400, 0x3118};
    static const float floats[] = {.5f, -.5f, 1, -1, 2, -2, 4, -4};
    static const double doubles[] = {.5, -.5, 1, -1, 2, -2, 4, -4};
    if (code <= 192)
        return code - 128;
    if (code <= 208)
        return (uint64_t)192 - code;
    if (bits == 16)
        return halves[code - 240];
    if (code == 248) // 1 / (2 pi)
        return bits == 64 ? UINT64_C(0x3fc45f306dc9c882) : 0x3e22f983;
    return bits == 64 ? rdna_long(doubles[code - 240]) : rdna_word(floats[code - 240]);
}

uint64_t rdna_scalar(const struct rdna_wave *wave, const struct rdna_insn *insn, unsigned code,
                     unsigned bits, bool *good)
{
    uint64_t value;
    if (code == NO_REGISTER)
        value = 0;
    else if (code < 128)
        value = wave->sgpr[code] | (bits == 64 ? (uint64_t)wave->sgpr[code + 1] << 32 : 0);
    else if (code == LITERAL)
        value = insn->literal;
    else if (code == VCCZ)
        value = !rdna_get_mask(wave, RDNA_VCC);
    else if (code == EXECZ)
        value = !rdna_exec(wave);
    else if (code == SCC)
        value = wave->scc;
    else if (code <= 208 || (code >= 240 && code <= 248))
        value = constant(code, bits);
    else
        *good = false, value = 0; // apertures
    return bits == 64 ? value : bits == 16 ? value & 0xffff : value & UINT32_MAX;
}

void rdna_put_scalar(struct rdna_wave *wave, unsigned code, unsigned bits, uint64_t value)
{
    if (code == NO_REGISTER)
        return;
    wave->sgpr[code] = (uint32_t)value;
    if (bits == 64)
        wave->sgpr[code + 1] = (uint32_t)(value >> 32);
}

uint64_t rdna_get_mask(const struct rdna_wave *wave, unsigned code)
{
    if (code == NO_REGISTER)
        return 0;
    return wave->sgpr[code] | (wave->lanes == 64 ? (uint64_t)wave->sgpr[code + 1] << 32 : 0);
}

void rdna_put_mask(struct rdna_wave *wave, unsigned code, uint64_t mask)
{
    rdna_put_scalar(wave, code, wave->lanes, mask);
}

// --- Vector registers

bool rdna_is_shared(const struct rdna_wave *wave, unsigned code)
{
    return wave->shared_vgprs && wave->lanes == 64 && code - FIRST_VGPR >= wave->vgprs;
}

const uint32_t *rdna_row(const struct rdna_wave *wave, unsigned code, uint32_t buffer[RDNA_LANES])
{
    const uint32_t *row = wave->vgpr[code - FIRST_VGPR];
    if (!rdna_is_shared(wave, code))
        return row;
    memcpy(buffer, row, 32 * sizeof *row);
    memcpy(buffer + 32, row, 32 * sizeof *row);
    return buffer;
}

void rdna_put_row(struct rdna_wave *wave, unsigned code, const uint32_t *words, uint64_t active)
{
    uint32_t *row = wave->vgpr[code - FIRST_VGPR];
    const unsigned fold = rdna_is_shared(wave, code) ? 31 : 63;
    if (active == UINT64_MAX && fold == 63)
        memcpy(row, words, RDNA_LANES * sizeof *row);
    else
        for (unsigned i = 0; i < wave->lanes; i++)
            row[i & fold] = active >> i & 1 ? words[i] : row[i & fold];
}
