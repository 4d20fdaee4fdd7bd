// SPDX-License-Identifier: Apache-2.0
// Decodes the formats of memory: DS, MUBUF, MTBUF, FLAT, and those of GFX12 in their place.
#include "decode_parts.h"
#include "format.h"

#include <string.h>

static bool data_fits(struct rdna_insn *insn, unsigned code, unsigned dwords)
{
    return code + dwords <= VGPR || decode_unknown(insn, "%s of register %u", name_of(insn), code);
}

bool decode_ds(struct rdna_insn *insn, uint32_t low, uint32_t high)
{
    if (!decode_pick(insn, RDNA_DS, bits(low, 18, 8)))
        return false;
    const struct rdna_op *op = insn->op;
    const unsigned stored = rdna_data_dwords(op, true);
    insn->imm = (int32_t)bits(low, 0, 16);
    insn->offset[0] = (uint8_t)bits(low, 0, 8);
    insn->offset[1] = (uint8_t)bits(low, 8, 8);
    insn->gds = bits(low, 17, 1);
    if (insn->gds && is_gfx12(insn))
        return decode_unknown(insn, "%s of GDS", op->text);
    const bool addtid = op->flags & RDNA_ADDTID;
    const bool atomic = op->does == RDNA_DOES_ATOMIC;
    const bool writes = op->does == RDNA_DOES_STORE || atomic || op->does == RDNA_DOES_PERMUTE ||
                        op->does == RDNA_DOES_BPERMUTE || op->does == RDNA_DOES_OTHER;
    const bool second = (writes && op->flags & RDNA_TWO) || rdna_takes_comparand(op);
    const bool reads = op->does != RDNA_DOES_STORE && (!atomic || op->flags & RDNA_RETURNS);
    const bool addressed = !addtid && op->does != RDNA_DOES_CONSUME && op->does != RDNA_DOES_APPEND;
    const unsigned codes[4] = {bits(high, 0, 8), bits(high, 8, 8), bits(high, 16, 8),
                               bits(high, 24, 8)};
    const unsigned sizes[4] = {addressed ? 1 : 0, writes ? stored : 0, second ? stored : 0,
                               reads ? rdna_data_dwords(op, false) : 0};
    for (unsigned i = 0; i < 4; i++) {
        if (!sizes[i] && codes[i])
            return decode_unknown(insn, "%s with a register too many", op->text);
        if (!data_fits(insn, codes[i], sizes[i]))
            return false;
        insn->source[i] = sizes[i] ? (uint16_t)(codes[i] | VGPR) : 0;
    }
    insn->result[0] = insn->source[3];
    return true;
}

static bool is_atomic(const struct rdna_op *op)
{
    return op->does == RDNA_DOES_ATOMIC;
}

// What VBUFFER, VGLOBAL and their relatives, of three dwords, share.
static void take_cache(struct rdna_insn *insn, uint32_t middle, uint32_t high)
{
    insn->scope = (uint8_t)bits(middle, 18, 2);
    insn->hint = (uint8_t)bits(middle, 20, 3);
    insn->glc = is_atomic(insn->op) && insn->hint & 1;
    insn->source[0] = (uint16_t)(bits(high, 0, 8) | VGPR);
    insn->imm = extend(high >> 8, 24);
}

static bool hint_fits(struct rdna_insn *insn)
{
    const bool loads = insn->op->does <= RDNA_DOES_LOAD_FORMAT && insn->op->does != RDNA_DOES_STORE;
    return !(loads && insn->hint == 7) &&
                   !(is_atomic(insn->op) && insn->hint & 4 && insn->scope < 2)
               ? true
               : decode_unknown(insn, "%s with temporal hint %u", name_of(insn), insn->hint);
}

static bool offset_fits(struct rdna_insn *insn)
{
    const unsigned offset = insn->scalar[1];
    if (offset == LITERAL ||
        (!is_constant(offset) && !is_value(offset) && !decode_scalar_fits(offset, 1)))
        return decode_unknown(insn, "%s with offset %u", name_of(insn), offset);
    return true;
}

static bool long_buffer(struct rdna_insn *insn, const uint32_t *words)
{
    const uint32_t low = words[0], middle = words[1];
    const unsigned opcode = bits(low, 14, 8), format = bits(middle, 23, 7);
    const bool typed = opcode & 0x80;
    if (!decode_pick(insn, typed ? RDNA_MTBUF : RDNA_MUBUF, opcode & 0x7f))
        return false;
    const struct rdna_op *op = insn->op;
    if (bits(low, 7, 7) || bits(low, 23, 3))
        return decode_unknown(insn, "%s with reserved fields", op->text);
    take_cache(insn, middle, words[2]);
    insn->offen = bits(middle, 30, 1);
    insn->idxen = bits(middle, 31, 1);
    insn->tfe = bits(low, 22, 1);
    insn->source[1] = (uint16_t)(bits(middle, 0, 8) | VGPR);
    insn->result[0] = insn->source[1];
    insn->scalar[0] = decode_operand(insn, bits(middle, 9, 9));
    insn->scalar[1] = decode_operand(insn, bits(low, 0, 7));
    insn->data_format = typed ? (uint8_t)rdna_format(insn->generation, format) : 0;
    if ((typed && !insn->data_format) || (!typed && format != 1 && format))
        return decode_unknown(insn, "%s with format %u", op->text, format);
    if ((is_atomic(op) || typed) && insn->tfe)
        return decode_unknown(insn, "%s with tfe", op->text);
    if (insn->imm < 0)
        return decode_unknown(insn, "%s with a negative offset", op->text);
    if (insn->scalar[0] >= INLINE_FIRST || !decode_scalar_fits(insn->scalar[0], 4))
        return decode_unknown(insn, "%s with descriptor %u", op->text, insn->scalar[0]);
    const unsigned most = rdna_data_dwords(op, op->does != RDNA_DOES_LOAD);
    return hint_fits(insn) && offset_fits(insn) &&
           data_fits(insn, insn->source[1] - VGPR, most + insn->tfe) &&
           data_fits(insn, insn->source[0] - VGPR, 1 + (insn->offen && insn->idxen));
}

bool decode_buffer(struct rdna_insn *insn, uint32_t low, uint32_t high, bool typed)
{
    const bool is_new = is_gfx11(insn);
    const unsigned d16 = bits(typed ? high : low, typed ? 21 : 25, 1);
    if (!(!typed   ? decode_pick(insn, RDNA_MUBUF, bits(low, 18, 7) | d16 << 7)
          : is_new ? decode_pick(insn, RDNA_MTBUF, bits(low, 15, 4))
                   : decode_pick(insn, RDNA_MTBUF, bits(low, 16, 3) | d16 << 3)))
        return false;
    const struct rdna_op *op = insn->op;
    if (op->does == RDNA_DOES_INVALIDATE)
        return !(bits(low, 0, 18) | high) || decode_unknown(insn, "%s with operands", op->text);
    const bool atomic = is_atomic(op);
    insn->imm = (int32_t)bits(low, 0, 12);
    insn->offen = is_new ? bits(high, 22, 1) : bits(low, 12, 1);
    insn->idxen = is_new ? bits(high, 23, 1) : bits(low, 13, 1);
    insn->glc = bits(low, 14, 1);
    insn->dlc = bits(low, is_new ? 13 : 15, 1);
    insn->slc = is_new ? bits(low, 12, 1) : bits(high, 22, 1);
    insn->tfe = bits(high, is_new ? 21 : 23, 1);
    insn->lds = !typed && !is_new && bits(low, 16, 1);
    insn->data_format = typed ? (uint8_t)rdna_format(insn->generation, bits(low, 19, 7)) : 0;
    insn->source[0] = (uint16_t)(bits(high, 0, 8) | VGPR);
    insn->source[1] = (uint16_t)(bits(high, 8, 8) | VGPR);
    insn->result[0] = insn->source[1];
    insn->scalar[0] = decode_operand(insn, bits(high, 16, 5) * 4);
    insn->scalar[1] = decode_operand(insn, bits(high, 24, 8));
    if (typed && !insn->data_format)
        return decode_unknown(insn, "%s with format %u", op->text, bits(low, 19, 7));
    if (insn->lds || ((atomic || typed) && insn->tfe) || (atomic && insn->dlc && !is_new))
        return decode_unknown(insn, "%s with lds, dlc or tfe", op->text);
    if (!decode_scalar_fits(insn->scalar[0], 4))
        return decode_unknown(insn, "%s with descriptor %u", op->text, insn->scalar[0]);
    const unsigned most = rdna_data_dwords(op, op->does != RDNA_DOES_LOAD);
    return offset_fits(insn) && data_fits(insn, insn->source[1] - VGPR, most + insn->tfe) &&
           data_fits(insn, insn->source[0] - VGPR, 1 + (insn->offen && insn->idxen));
}

// The registers of a flat, global or scratch instruction.
static bool flat_operands(struct rdna_insn *insn)
{
    const struct rdna_op *op = insn->op;
    const unsigned base = insn->scalar[0];
    const bool off = base == NO_REGISTER;
    const bool global =
        op->flags & RDNA_ADDTID || (op->atomic == RDNA_SUB_CLAMP && !is_gfx12(insn));
    if ((global && insn->segment != 2) || (is_atomic(op) && insn->segment == 1))
        return decode_unknown(insn, "%s of segment %u", op->text, insn->segment);
    if (base >= RDNA_EXEC)
        return decode_unknown(insn, "%s with base exec", op->text);
    if (insn->segment ? !off && !decode_scalar_fits(base, insn->segment == 2 ? 2 : 1)
                      : base != NO_REGISTER)
        return decode_unknown(insn, "%s with base %u", op->text, base);
    const bool reads = op->does == RDNA_DOES_LOAD || (is_atomic(op) && insn->glc);
    const bool writes = op->does != RDNA_DOES_LOAD;
    const unsigned address = insn->segment == 1 || !off ? 1 : 2;
    return data_fits(insn, insn->source[0] - VGPR, insn->segment == 0 ? 2 : address) &&
           (!writes || data_fits(insn, insn->source[1] - VGPR, rdna_data_dwords(op, true))) &&
           (!reads || data_fits(insn, insn->result[0] - VGPR, rdna_data_dwords(op, false)));
}

static bool long_flat(struct rdna_insn *insn, const uint32_t *words)
{
    const uint32_t low = words[0], middle = words[1];
    if (!decode_pick(insn, RDNA_FLAT, bits(low, 14, 8)))
        return false;
    const struct rdna_op *op = insn->op;
    insn->segment = (uint8_t)bits(low, 24, 2);
    take_cache(insn, middle, words[2]);
    insn->scalar[0] = decode_operand(insn, bits(low, 0, 7));
    insn->result[0] = (uint16_t)(bits(middle, 0, 8) | VGPR);
    insn->source[1] = (uint16_t)(bits(middle, 23, 8) | VGPR);
    insn->offen = bits(middle, 17, 1);
    if (bits(low, 7, 7) || bits(low, 22, 2) || bits(middle, 8, 9) || bits(middle, 31, 1) ||
        (insn->segment != 1 && insn->offen))
        return decode_unknown(insn, "%s with reserved fields", op->text);
    if (op->does == RDNA_DOES_INVALIDATE)
        return (low == (0xee00007c | bits(low, 14, 8) << 14) && !(middle & ~0xc0000u) &&
                !words[2]) ||
               decode_unknown(insn, "%s with operands", op->text);
    return hint_fits(insn) && flat_operands(insn);
}

bool decode_flat(struct rdna_insn *insn, uint32_t low, uint32_t high)
{
    if (!decode_pick(insn, RDNA_FLAT, bits(low, 18, 7)))
        return false;
    const struct rdna_op *op = insn->op;
    const bool is_new = is_gfx11(insn);
    const unsigned offset = is_new ? 13 : 12;
    insn->segment = (uint8_t)bits(low, is_new ? 16 : 14, 2);
    insn->imm = extend(bits(low, 0, offset), offset); // of FLAT a bit less, without a sign
    insn->dlc = bits(low, is_new ? 13 : 12, 1);
    insn->lds = !is_new && bits(low, 13, 1);
    insn->glc = bits(low, is_new ? 14 : 16, 1);
    insn->slc = bits(low, is_new ? 15 : 17, 1);
    insn->scalar[0] = decode_operand(insn, bits(high, 16, 7));
    insn->source[0] = (uint16_t)(bits(high, 0, 8) | VGPR);
    insn->source[1] = (uint16_t)(bits(high, 8, 8) | VGPR);
    insn->result[0] = (uint16_t)(bits(high, 24, 8) | VGPR);
    if (insn->segment == 3 || (!insn->segment && insn->imm < 0) || insn->lds ||
        (bits(high, 23, 1) && (!is_new || insn->segment != 1)))
        return decode_unknown(insn, "%s of segment %u", op->text, insn->segment);
    insn->offen = is_new ? bits(high, 23, 1) : insn->scalar[0] == NO_REGISTER;
    if (insn->segment && !is_new && insn->scalar[0] == RDNA_EXEC + 1)
        insn->scalar[0] = NO_REGISTER;
    return flat_operands(insn);
}

// GFX12's formats of memory.
bool decode_long_memory(struct rdna_insn *insn, const uint32_t *words, size_t count, unsigned form)
{
    if (form != 0x31 && (form != 0x3b || words[0] >> 24 == 0xef))
        return decode_unknown(insn, "encoding 0x%08x", words[0]);
    if (count < 3)
        return decode_unknown(insn,
                              "an instruction of less than three dwords at the end of the code");
    insn->size = 3;
    return form == 0x31 ? long_buffer(insn, words) : long_flat(insn, words);
}
