// SPDX-License-Identifier: Apache-2.0
// Decodes instructions: the formats of chapter "Microcode Formats" of AMD's RDNA 2, 3 and 4
// manuals.
#include "decode_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(__printf__, 2, 3))) bool decode_unknown(struct rdna_insn *insn,
                                                              const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(insn->unknown, sizeof insn->unknown, format, arguments);
    va_end(arguments);
    return false;
}

uint16_t decode_operand(const struct rdna_insn *insn, uint32_t code)
{
    return (uint16_t)(is_gfx11(insn) && (code == M0 || code == NO_REGISTER) ? code ^ 1 : code);
}

bool decode_scalar_fits(unsigned code, unsigned dwords)
{
    const unsigned step = dwords == 1 ? 1 : dwords == 2 ? 2 : 4;
    if (code == NO_REGISTER)
        return dwords <= 2;
    if (code == M0)
        return dwords == 1;
    if (code % step != 0)
        return false;
    return code < SGPRS       ? code + dwords <= SGPRS
           : code < RDNA_TTMP ? code + dwords <= RDNA_TTMP
           : code < TTMPS_END ? code + dwords <= TTMPS_END
                              : code >= RDNA_EXEC && code + dwords <= INLINE_FIRST;
}

unsigned rdna_operand_dwords(const struct rdna_type *type, unsigned lanes)
{
    return type->kind == RDNA_MASK     ? lanes / 32
           : type->kind == RDNA_MATRIX ? 256 / lanes
           : type->kind == RDNA_PART   ? (8 * type->bits + lanes - 1) / lanes
                                       : (type->bits + 31) / 32;
}

static bool check_operand(struct rdna_insn *insn, unsigned code, unsigned dwords)
{
    if (code >= VGPR ? code + dwords <= 2 * VGPR
                     : is_constant(code) || is_value(code) || decode_scalar_fits(code, dwords))
        return true;
    return decode_unknown(insn, "%s with operand %u", name_of(insn), code);
}

// Takes the literal, which is behind the `size` dwords so far, if an operand wants it.
static bool take_literal(struct rdna_insn *insn, const uint32_t *words, size_t count)
{
    bool wanted = false;
    for (unsigned i = 0; i < insn->op->sources; i++)
        wanted = wanted || insn->source[i] == LITERAL;
    for (unsigned i = 0; insn->dual && i < insn->dual->sources; i++)
        wanted = wanted || insn->dual_operands[1 + i] == LITERAL;
    if (!wanted)
        return true;
    if (count <= insn->size)
        return decode_unknown(insn, "%s without its literal", name_of(insn));
    insn->literal = words[insn->size++];
    return true;
}

bool decode_pick(struct rdna_insn *insn, enum rdna_format format, unsigned opcode)
{
    static const char *const names[RDNA_FORMATS] = {
        "SOP1", "SOP2",  "SOPK",    "SOPC", "SOPP",  "SMEM",  "VOP1", "VOP2", "VOPC",
        "VOP3", "VOP3P", "VINTERP", "DS",   "MUBUF", "MTBUF", "FLAT", "VOPD"};
    insn->op = rdna_op(insn->generation, format, opcode);
    return insn->op || decode_unknown(insn, "%s opcode 0x%x", names[format], opcode);
}

// --- Scalar instructions

// The sources of v_fmamk_f32 and its relatives.
static void place_literal(const struct rdna_op *op, uint16_t *source)
{
    for (unsigned i = 1; i < op->sources; i++)
        if (op->source[i].kind == RDNA_LITERAL) {
            if (i == 1)
                source[2] = source[1];
            source[i] = LITERAL;
        }
}

static bool scalar_operands(struct rdna_insn *insn)
{
    const struct rdna_op *op = insn->op;
    for (unsigned i = 0; i < op->results; i++)
        if (insn->result[i] >= INLINE_FIRST ||
            !decode_scalar_fits(insn->result[i], rdna_operand_dwords(&op->result[i], 64)))
            return decode_unknown(insn, "%s to register %u", op->text, insn->result[i]);
    for (unsigned i = 0; i < op->sources; i++)
        if ((op->source[i].kind == RDNA_SGPR && insn->source[i] >= INLINE_FIRST) ||
            (op->source[i].kind == RDNA_MESSAGE &&
             (insn->source[i] < INLINE_FIRST || insn->source[i] == LITERAL)))
            return decode_unknown(insn, "%s with operand %u", op->text, insn->source[i]);
        else if (op->source[i].kind <= RDNA_SGPR &&
                 !check_operand(insn, insn->source[i], rdna_operand_dwords(&op->source[i], 64)))
            return false;
    return true;
}

static bool sopk(struct rdna_insn *insn, uint32_t word, const uint32_t *words, size_t count)
{
    if (!decode_pick(insn, RDNA_SOPK, bits(word, 23, 5)))
        return false;
    const struct rdna_op *op = insn->op;
    insn->imm = (int16_t)bits(word, 0, 16);
    insn->result[0] = decode_operand(insn, bits(word, 16, 7));
    for (unsigned i = 0; i < op->sources; i++)
        insn->source[i] = op->source[i].kind == RDNA_BITS      ? insn->result[0]
                          : op->source[i].kind == RDNA_LITERAL ? LITERAL
                                                               : 0;
    return scalar_operands(insn) && take_literal(insn, words, count);
}

static bool sop(struct rdna_insn *insn, uint32_t word, const uint32_t *words, size_t count)
{
    const unsigned family = bits(word, 23, 9);
    insn->source[0] = decode_operand(insn, bits(word, 0, 8));
    insn->source[1] = decode_operand(insn, bits(word, 8, 8));
    insn->result[0] = decode_operand(insn, bits(word, 16, 7));
    bool known;
    if (family == 0x17f) {
        insn->imm = (uint16_t)bits(word, 0, 16);
        if (!decode_pick(insn, RDNA_SOPP, bits(word, 16, 7)))
            return false;
        if (insn->op->number == 'b')
            insn->imm = (int16_t)insn->imm;
        return !(insn->op->number == 'n' && insn->imm) ||
               decode_unknown(insn, "%s with a constant", name_of(insn));
    }
    if (family == 0x17d)
        known = decode_pick(insn, RDNA_SOP1, bits(word, 8, 8));
    else if (family == 0x17e)
        known = decode_pick(insn, RDNA_SOPC, bits(word, 16, 7));
    else if (bits(word, 28, 4) == 0xb)
        return sopk(insn, word, words, count);
    else
        known = decode_pick(insn, RDNA_SOP2, bits(word, 23, 7));
    if (known)
        place_literal(insn->op, insn->source);
    return known && scalar_operands(insn) && take_literal(insn, words, count);
}

static bool smem(struct rdna_insn *insn, uint32_t low, uint32_t high)
{
    const bool is_newest = is_gfx12(insn);
    if (!decode_pick(insn, RDNA_SMEM, is_newest ? bits(low, 13, 6) : bits(low, 18, 8)))
        return false;
    const struct rdna_op *op = insn->op;
    const unsigned dwords = (op->bits + 31) / 32;
    insn->result[0] = decode_operand(insn, bits(low, 6, 7));
    insn->scalar[0] = decode_operand(insn, bits(low, 0, 6) * 2);
    insn->imm = is_newest ? extend(high, 24) : extend(bits(high, 0, 21), 21);
    if (is_newest) {
        if (bits(low, 19, 2) || bits(low, 25, 1) || bits(high, 24, 1) ||
            (op->flags & RDNA_BUFFER && insn->imm < 0))
            return decode_unknown(insn, "%s with reserved fields", op->text);
        insn->scope = (uint8_t)bits(low, 21, 2);
        insn->hint = (uint8_t)bits(low, 23, 2);
    } else {
        insn->dlc = bits(low, is_gfx11(insn) ? 13 : 14, 1);
        insn->glc = bits(low, is_gfx11(insn) ? 14 : 16, 1);
    }
    insn->scalar[1] = decode_operand(insn, bits(high, 25, 7));
    if (op->does == RDNA_DOES_INVALIDATE)
        return !is_gfx11(insn) || !((is_newest ? low & 0x3f81fff : bits(low, 0, 18)) | high) ||
               decode_unknown(insn, "%s with operands", op->text);
    if (op->does == RDNA_DOES_PROBE)
        return decode_unknown(insn, "%s", op->text);
    if (!decode_scalar_fits(insn->result[0], dwords))
        return decode_unknown(insn, "%s to register %u", op->text, insn->result[0]);
    if (op->does == RDNA_DOES_LOAD &&
        (!decode_scalar_fits(insn->scalar[0], op->flags & RDNA_BUFFER ? 4 : 2) ||
         insn->scalar[0] == NO_REGISTER || !decode_scalar_fits(insn->scalar[1], 1)))
        return decode_unknown(insn, "%s from register %u", op->text, insn->scalar[0]);
    return true;
}

struct rdna_wait rdna_waits(const struct rdna_insn *insn)
{
    const uint32_t imm = (uint16_t)insn->imm;
    if (is_gfx11(insn))
        return (struct rdna_wait){
            bits(imm, 10, 6), bits(imm, 4, 6), bits(imm, 0, 3), 63, 63, false};
    return (struct rdna_wait){
        bits(imm, 0, 4) | bits(imm, 14, 2) << 4, bits(imm, 8, 6), bits(imm, 4, 3), 63, 63, false};
}

// --- Vector instructions

// The registers of operands of 16 bits are halves of the first 128: the bit above says which.
static void take_halves(struct rdna_insn *insn)
{
    const struct rdna_op *op = insn->op;
    if (!is_gfx11(insn))
        return;
    for (unsigned i = 0; i < op->sources; i++)
        if (op->source[i].bits == 16 && insn->source[i] >= VGPR && !(op->flags & RDNA_SCALAR)) {
            insn->op_sel |= (uint8_t)(bits(insn->source[i], 7, 1) << i);
            insn->source[i] &= (uint16_t)~0x80u;
        }
    if (op->results && op->result[0].bits == 16) {
        insn->op_sel |= (uint8_t)(bits(insn->result[0], 7, 1) << 3);
        insn->result[0] &= (uint16_t)~0x80u;
    }
}

static bool vector_operands(struct rdna_insn *insn)
{
    const struct rdna_op *op = insn->op;
    for (unsigned i = 0; i < op->results; i++) {
        const struct rdna_type *type = &op->result[i];
        const unsigned code = insn->result[i];
        const bool scalar =
            type->kind == RDNA_MASK || type->kind == RDNA_SGPR || op->flags & RDNA_SCALAR;
        // Pairs for masks: wave32 has any register, but llvm-mc's two modes differ in nothing else.
        if (scalar ? !decode_scalar_fits(code, 1) : code + rdna_operand_dwords(type, 64) > 2 * VGPR)
            return decode_unknown(insn, "%s to register %u", op->text, code);
    }
    const bool is_matrix = op->results && op->result[0].kind >= RDNA_MATRIX;
    for (unsigned i = 0; i < op->sources; i++) {
        const struct rdna_type *type = &op->source[i];
        const unsigned code = insn->source[i], bit = 1u << i;
        if ((type->kind == RDNA_SGPR && code >= VGPR) || (type->kind == RDNA_VGPR && code < VGPR) ||
            (op->flags & RDNA_SCALAR && code >= VGPR) ||
            (type->kind == RDNA_MASK && (code >= INLINE_FIRST || insn->op_sel & bit)) ||
            ((type->bits > 64 || op->format == RDNA_VINTERP) && code < VGPR) ||
            (is_matrix && code < VGPR && !(i == 2 && is_constant(code) && code != LITERAL)))
            return decode_unknown(insn, "%s with operand %u", op->text, code);
        if (!check_operand(insn, code, type->kind == RDNA_MASK ? 1 : rdna_operand_dwords(type, 64)))
            return false;
        if (type->kind != RDNA_FLOAT && ((insn->neg | insn->abs) & bit) && op->format != RDNA_VOP3P)
            return decode_unknown(insn, "%s with neg or abs", op->text);
    }
    if ((insn->omod && !(op->flags & RDNA_OMOD)) || (insn->clamp && !(op->flags & RDNA_CLAMP)))
        return decode_unknown(insn, "%s with omod or clamp", op->text);
    return true;
}

static bool sdwa(struct rdna_insn *insn, uint32_t word)
{
    const struct rdna_op *op = insn->op;
    insn->encoding = RDNA_SDWA_ENCODING;
    if (!(op->flags & RDNA_SDWA))
        return decode_unknown(insn, "%s of SDWA", op->text);
    insn->source[0] = (uint16_t)(bits(word, 0, 8) | (bits(word, 23, 1) ? 0 : VGPR));
    insn->sel[0] = (uint8_t)bits(word, 16, 3);
    insn->sext = (uint8_t)bits(word, 19, 1);
    insn->neg = (uint8_t)bits(word, 20, 1);
    insn->abs = (uint8_t)bits(word, 21, 1);
    insn->dst_sel = 6;
    if (op->format == RDNA_VOPC) {
        if (bits(word, 15, 1)) {
            if (!op->results)
                return decode_unknown(insn, "%s of SDWA with a result", op->text);
            insn->result[0] = (uint16_t)bits(word, 8, 7);
        } else if (bits(word, 8, 7) && !op->results)
            return decode_unknown(insn, "%s of SDWA with a result", op->text);
    } else {
        insn->dst_sel = (uint8_t)bits(word, 8, 3);
        insn->dst_unused = (uint8_t)bits(word, 11, 2);
        insn->clamp = bits(word, 13, 1);
        insn->omod = (uint8_t)bits(word, 14, 2);
    }
    if (op->format == RDNA_VOP1) {
        if (bits(word, 24, 8))
            return decode_unknown(insn, "%s of SDWA with a second source", op->text);
    } else {
        insn->source[1] = (uint16_t)((insn->source[1] & 0xff) | (bits(word, 31, 1) ? 0 : VGPR));
        insn->sel[1] = (uint8_t)bits(word, 24, 3);
        insn->sext |= (uint8_t)(bits(word, 27, 1) << 1);
        insn->neg |= (uint8_t)(bits(word, 28, 1) << 1);
        insn->abs |= (uint8_t)(bits(word, 29, 1) << 1);
    }
    if (insn->dst_sel == 7 || insn->sel[0] == 7 || insn->sel[1] == 7 || insn->dst_unused == 3)
        return decode_unknown(insn, "%s of SDWA with selection 7", op->text);
    // v_cndmask_b32 takes both: what sext and neg do together is not known.
    const unsigned floats = strcmp(op->name, "v_cndmask_b32") ? 3u : insn->neg | insn->abs;
    for (unsigned i = 0; i < 2; i++)
        if (insn->sext & floats & 1u << i && op->source[i].kind == RDNA_FLOAT)
            return decode_unknown(insn, "%s of SDWA with sext", op->text);
    return true;
}

static bool dpp(struct rdna_insn *insn, uint32_t word, unsigned form)
{
    const struct rdna_op *op = insn->op;
    if (!(op->flags & RDNA_DPP) || (op->format == RDNA_VOPC && !is_gfx11(insn)))
        return decode_unknown(insn, "%s of DPP", op->text);
    insn->source[0] = (uint16_t)(bits(word, 0, 8) | VGPR);
    if (form != DPP16) {
        insn->encoding = RDNA_DPP8;
        insn->fetch_inactive = form == DPP8_FI;
        insn->dpp8 = word >> 8;
        return true;
    }
    insn->encoding = RDNA_DPP16;
    insn->dpp_ctrl = (uint16_t)bits(word, 8, 9);
    insn->fetch_inactive = bits(word, 18, 1);
    insn->bound_ctrl = bits(word, 19, 1);
    if (!insn->is_long) {
        insn->neg = (uint8_t)(bits(word, 20, 1) | bits(word, 22, 1) << 1);
        insn->abs = (uint8_t)(bits(word, 21, 1) | bits(word, 23, 1) << 1);
    } else if (bits(word, 20, 4))
        return decode_unknown(insn, "%s of DPP with neg or abs", op->text);
    if (!insn->is_long && (insn->neg | insn->abs) >> op->sources)
        return decode_unknown(insn, "%s with neg or abs", op->text);
    insn->bank_mask = (uint8_t)bits(word, 24, 4);
    insn->row_mask = (uint8_t)bits(word, 28, 4);
    const unsigned kind = insn->dpp_ctrl >> 4, amount = insn->dpp_ctrl & 15;
    if (kind < 16 || (kind <= 18 && amount) || (kind == 20 && amount < 2) || kind == 21 ||
        kind == 22)
        return true;
    return decode_unknown(insn, "%s with dpp_ctrl 0x%x", op->text, insn->dpp_ctrl);
}

static bool is_dpp(unsigned source)
{
    return source == DPP16 || source == DPP8 || source == DPP8_FI;
}

// VOP1, VOP2 and VOPC.
static bool vop(struct rdna_insn *insn, const uint32_t *words, size_t count)
{
    const uint32_t word = words[0];
    const unsigned top = bits(word, 25, 7);
    const unsigned first = bits(word, 0, 9);
    if (!(top == 0x3f   ? decode_pick(insn, RDNA_VOP1, bits(word, 9, 8))
          : top == 0x3e ? decode_pick(insn, RDNA_VOPC, bits(word, 17, 8))
                        : decode_pick(insn, RDNA_VOP2, bits(word, 25, 6))))
        return false;
    const struct rdna_op *op = insn->op;
    insn->source[0] = decode_operand(insn, first);
    insn->source[1] = (uint16_t)(bits(word, 9, 8) | VGPR);
    insn->source[2] = RDNA_VCC;
    insn->result[0] = (uint16_t)(bits(word, 17, 8) | VGPR);
    insn->result[1] = RDNA_VCC;
    if (op->format == RDNA_VOPC)
        insn->result[0] = RDNA_VCC;
    if (op->results && op->result[0].kind == RDNA_SGPR)
        insn->result[0] = decode_operand(insn, insn->result[0] & (VGPR - 1));
    if (!op->sources)
        return !(first | bits(word, 17, 8)) || decode_unknown(insn, "%s with operands", op->text);
    if ((first == SDWA && !is_gfx11(insn)) || is_dpp(first)) {
        if (count < 2)
            return decode_unknown(insn, "%s without its second half", op->text);
        insn->size = 2;
        if (!(first == SDWA ? sdwa(insn, words[1]) : dpp(insn, words[1], first)))
            return false;
    } else
        place_literal(op, insn->source);
    take_halves(insn);
    return vector_operands(insn) && take_literal(insn, words, count);
}

// --- VOPD

struct rdna_insn rdna_second(const struct rdna_insn *insn)
{
    struct rdna_insn second = *insn;
    second.op = insn->dual;
    second.dual = NULL;
    second.result[0] = insn->dual_operands[0];
    memcpy(second.source, insn->dual_operands + 1, 3 * sizeof *second.source);
    return second;
}

static bool vopd(struct rdna_insn *insn, const uint32_t *words, size_t count)
{
    const uint32_t low = words[0], high = words[1];
    if (!decode_pick(insn, RDNA_VOPD, bits(low, 17, 5)))
        return false;
    const struct rdna_op *second = insn->op;
    if (!decode_pick(insn, RDNA_VOPD, bits(low, 22, 4)))
        return false;
    const unsigned first_result = bits(high, 24, 8),
                   unused[2] = {bits(low, 9, 8), bits(high, 9, 8)};
    const uint16_t first_source[3] = {decode_operand(insn, bits(low, 0, 9)),
                                      (uint16_t)(unused[0] | VGPR), RDNA_VCC},
                   second_source[3] = {decode_operand(insn, bits(high, 0, 9)),
                                       (uint16_t)(unused[1] | VGPR), RDNA_VCC};
    if ((insn->op->sources == 1 && unused[0]) || (second->sources == 1 && unused[1]))
        return decode_unknown(insn, "VOPD with a source too many");
    insn->dual = second;
    insn->result[0] = (uint16_t)(first_result | VGPR);
    memcpy(insn->source, first_source, sizeof first_source);
    // The registers of the results are an even and an odd one.
    insn->dual_operands[0] = (uint16_t)(bits(high, 17, 7) << 1 | !(first_result & 1) | VGPR);
    memcpy(insn->dual_operands + 1, second_source, sizeof second_source);
    place_literal(insn->op, insn->source);
    place_literal(insn->dual, insn->dual_operands + 1);
    struct rdna_insn other = rdna_second(insn);
    return vector_operands(insn) &&
           (vector_operands(&other) || decode_unknown(insn, "%s", other.unknown)) &&
           take_literal(insn, words, count);
}

static bool has_halves(const struct rdna_op *op)
{
    bool has = op->results && op->result[0].bits == 16;
    for (unsigned i = 0; i < op->sources; i++)
        has = has || op->source[i].bits == 16;
    return has;
}

// DPP of VOP3 and VOP3P, in a third dword.
static bool long_dpp(struct rdna_insn *insn, const uint32_t *words, size_t count)
{
    const unsigned first = insn->source[0];
    if (!is_gfx11(insn) || !is_dpp(first))
        return true;
    if (count < 3)
        return decode_unknown(insn, "%s without its third dword", name_of(insn));
    for (unsigned i = 1; i < insn->op->sources; i++)
        if (insn->op->source[i].kind <= RDNA_FLOAT && insn->source[i] < VGPR &&
            (!is_gfx12(insn) || insn->source[i] == LITERAL))
            return decode_unknown(insn, "%s of DPP with operand %u", name_of(insn),
                                  insn->source[i]);
    insn->size = 3;
    insn->is_long = true;
    return dpp(insn, words[2], first);
}

static bool vop3(struct rdna_insn *insn, const uint32_t *words, size_t count)
{
    const uint32_t low = words[0], high = words[1];
    const unsigned opcode = bits(low, 16, 10);
    const enum rdna_generation generation = insn->generation;
    insn->op = opcode < 0x100                      ? rdna_op(generation, RDNA_VOPC, opcode)
               : opcode < 0x140                    ? rdna_op(generation, RDNA_VOP2, opcode - 0x100)
               : opcode >= 0x180 && opcode < 0x200 ? rdna_op(generation, RDNA_VOP1, opcode - 0x180)
                                                   : NULL;
    if (!insn->op || insn->op->flags & RDNA_ONLY)
        insn->op = rdna_op(generation, RDNA_VOP3, opcode);
    if (!insn->op)
        return decode_unknown(insn, "VOP3 opcode 0x%x", opcode);
    const struct rdna_op *op = insn->op;
    insn->encoding = RDNA_E64;
    for (unsigned i = 0; i < 3; i++)
        insn->source[i] = decode_operand(insn, bits(high, 9 * i, 9));
    insn->result[0] = (uint16_t)bits(low, 0, 8);
    if (op->results && op->result[0].kind != RDNA_MASK && op->result[0].kind != RDNA_SGPR &&
        !(op->flags & RDNA_SCALAR))
        insn->result[0] |= VGPR;
    else if (op->results)
        insn->result[0] = decode_operand(insn, insn->result[0]);
    else if (!op->results && insn->result[0] != RDNA_EXEC)
        return decode_unknown(insn, "%s to register %u", op->text, insn->result[0]);
    insn->clamp = bits(low, 15, 1);
    insn->neg = (uint8_t)bits(high, 29, 3);
    insn->omod = (uint8_t)bits(high, 27, 2);
    if (op->results == 2) {
        insn->result[1] = decode_operand(insn, bits(low, 8, 7));
    } else {
        insn->abs = (uint8_t)bits(low, 8, 3);
        if (op->flags & RDNA_OPSEL || (is_gfx11(insn) && has_halves(op)))
            insn->op_sel = (uint8_t)bits(low, 11, 4);
        if (op->format == RDNA_VOPC && insn->op_sel & 8)
            return decode_unknown(insn, "%s with op_sel", op->text);
    }
    const unsigned none = 7u & ~((1u << op->sources) - 1);
    if ((insn->neg | insn->abs) & none)
        return decode_unknown(insn, "%s with neg or abs", op->text);
    if (op->sources < 3 && insn->op_sel & none & 7)
        return decode_unknown(insn, "%s with op_sel", op->text);
    return long_dpp(insn, words, count) && vector_operands(insn) &&
           take_literal(insn, words, count);
}

static bool vop3p(struct rdna_insn *insn, const uint32_t *words, size_t count)
{
    const uint32_t low = words[0], high = words[1];
    if (!decode_pick(insn, RDNA_VOP3P, bits(low, 16, 7)))
        return false;
    const struct rdna_op *op = insn->op;
    insn->encoding = RDNA_E64;
    for (unsigned i = 0; i < 3; i++)
        insn->source[i] = decode_operand(insn, bits(high, 9 * i, 9));
    insn->result[0] = (uint16_t)(bits(low, 0, 8) | VGPR);
    insn->clamp = bits(low, 15, 1);
    insn->neg_hi = (uint8_t)bits(low, 8, 3);
    insn->neg = (uint8_t)bits(high, 29, 3);
    insn->op_sel = (uint8_t)bits(low, 11, 3);
    insn->op_sel_hi = (uint8_t)(bits(high, 27, 2) | bits(low, 14, 1) << 2);
    if (op->flags & RDNA_MIX) {
        insn->abs = insn->neg_hi;
        insn->neg_hi = 0;
    }
    const unsigned all = (1u << op->sources) - 1, selected = op->flags & RDNA_HALVES  ? all
                                                             : op->flags & RDNA_OPSEL ? 4
                                                                                      : 0;
    // A product of matrices to halves is known with all of op_sel_hi alone, as compilers have it.
    const bool to_halves = op->flags & RDNA_OPSEL || op->result[0].kind == RDNA_PART;
    if ((insn->neg | insn->neg_hi | insn->abs) & ~all || insn->op_sel & ~selected ||
        (to_halves && insn->op_sel_hi != all))
        return decode_unknown(insn, "%s with modifiers", op->text);
    insn->op_sel_hi &= (uint8_t)all;
    return long_dpp(insn, words, count) && vector_operands(insn) &&
           take_literal(insn, words, count);
}

static bool vinterp(struct rdna_insn *insn, const uint32_t *words)
{
    const uint32_t low = words[0], high = words[1];
    if (!decode_pick(insn, RDNA_VINTERP, bits(low, 16, 7)))
        return false;
    for (unsigned i = 0; i < 3; i++)
        insn->source[i] = decode_operand(insn, bits(high, 9 * i, 9));
    insn->result[0] = (uint16_t)(bits(low, 0, 8) | VGPR);
    insn->imm = (int32_t)bits(low, 8, 3);
    insn->clamp = bits(low, 15, 1);
    insn->neg = (uint8_t)bits(high, 29, 3);
    if (bits(low, 11, 4) || bits(high, 27, 2))
        return decode_unknown(insn, "%s with op_sel", name_of(insn));
    return vector_operands(insn);
}

static bool decode(const uint32_t *words, size_t count, struct rdna_insn *insn)
{
    const uint32_t word = words[0];
    insn->size = 1;
    if (word >> 31 == 0)
        return vop(insn, words, count);
    if (word >> 30 == 2)
        return sop(insn, word, words, count);
    const unsigned form = bits(word, 26, 6);
    if (form == 0x32 && is_gfx11(insn) && count >= 2) {
        insn->size = 2;
        return vopd(insn, words, count);
    }
    const bool is_newest = is_gfx12(insn);
    if (is_newest && (form == 0x31 || form >= 0x37) && form != 0x3d && form != 0x3e)
        return decode_long_memory(insn, words, count, form);
    static const char *const others[64] = {[0x32] = "VINTRP", [0x3c] = "MIMG", [0x3e] = "EXP"};
    if (form != 0x33 && form != 0x35 && form != 0x36 && form != 0x37 && form != 0x38 &&
        form != 0x3a && form != 0x3d)
        return others[form] ? decode_unknown(insn, "%s", others[form])
                            : decode_unknown(insn, "encoding 0x%08x", word);
    if (count < 2)
        return decode_unknown(insn, "an instruction of one dword at the end of the code");
    insn->size = 2;
    switch (form) {
    case 0x33:
        return bits(word, 23, 3) == 0 ? vop3p(insn, words, count)
               : bits(word, 23, 3) == 2 && is_gfx11(insn)
                   ? vinterp(insn, words)
                   : decode_unknown(insn, "encoding 0x%08x", word);
    case 0x35:
        return vop3(insn, words, count);
    case 0x36:
        return decode_ds(insn, word, words[1]);
    case 0x37:
        return decode_flat(insn, word, words[1]);
    case 0x3d:
        return smem(insn, word, words[1]);
    default:
        return decode_buffer(insn, word, words[1], form == 0x3a);
    }
}

size_t rdna_decode(const uint32_t *words, size_t count, enum rdna_generation generation,
                   struct rdna_insn *insn)
{
    memset(insn, 0, sizeof *insn);
    insn->generation = generation;
    if (!count)
        decode_unknown(insn, "the end of the code");
    else if (decode(words, count, insn)) {
        memcpy(insn->words, words, insn->size * sizeof *words);
        return insn->size;
    }
    insn->op = NULL;
    insn->size = 0;
    return 0;
}
