// SPDX-License-Identifier: Apache-2.0
// Writes instructions as llvm-mc does.
#include "decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_VGPR = 256, NO_REGISTER = 125, LITERAL = 255, SDWA_DWORD = 6, DEALLOC_VGPRS = 3 };

struct line {
    char *text;
    size_t length;
    unsigned lanes;
    const char *between; // what comes before the next operand
    bool is_dual;        // VOPD
};

__attribute__((format(__printf__, 2, 3))) static void put(struct line *line, const char *format,
                                                          ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t room = RDNA_TEXT - line->length;
    const int length = vsnprintf(line->text + line->length, room, format, arguments);
    va_end(arguments);
    line->length += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

static void next(struct line *line)
{
    put(line, "%s", line->between);
    line->between = ", ";
}

// "s4", "s[4:5]", "vcc".
static void put_register(struct line *line, unsigned code, unsigned dwords)
{
    static const char *const pairs[] = {[0] = "vcc", [18] = "m0", [19] = "null", [20] = "exec"};
    const char *kind = code >= FIRST_VGPR ? "v" : code < RDNA_VCC ? "s" : "ttmp";
    const unsigned number = code >= FIRST_VGPR ? code - FIRST_VGPR
                            : code < RDNA_VCC  ? code
                                               : code - RDNA_TTMP;
    const unsigned special = code - RDNA_VCC;
    if (code == RDNA_VCC || code == RDNA_VCC + 1 || code == RDNA_EXEC || code == RDNA_EXEC + 1)
        put(line, "%s%s", pairs[special & ~1u], dwords == 2 ? "" : special & 1 ? "_hi" : "_lo");
    else if (code == 124 || code == NO_REGISTER)
        put(line, "%s", pairs[special]);
    else if (dwords <= 1)
        put(line, "%s%u", kind, number);
    else
        put(line, "%s[%u:%u]", kind, number, number + dwords - 1);
}

static void put_operand(struct line *line, const struct rdna_insn *insn, unsigned code,
                        unsigned dwords)
{
    static const char *const floats[] = {"0.5",  "-0.5", "1.0",  "-1.0",      "2.0",
                                         "-2.0", "4.0",  "-4.0", "0.15915494"};
    static const char *const values[] = {
        [0] = "src_shared_base",   [1] = "src_shared_limit", [2] = "src_private_base",
        [3] = "src_private_limit", [16] = "src_vccz",        [17] = "src_execz",
        [18] = "src_scc"};
    if (code == LITERAL)
        put(line, "0x%x", insn->literal);
    else if (code >= FIRST_VGPR || code < 128)
        put_register(line, code, dwords);
    else if (code <= 192)
        put(line, "%u", code - 128);
    else if (code <= 208)
        put(line, "-%u", code - 192);
    else if (code >= 240 && code <= 248)
        put(line, "%s%s", floats[code - 240], code != 248 ? "" : dwords == 2 ? "309189532" : "");
    else
        put(line, "%s", values[code - 235]);
}

static void put_hwreg(struct line *line, enum rdna_generation generation, unsigned value)
{
    static const char *const names[64] = {
        [1] = "MODE",          [2] = "STATUS",  [3] = "TRAPSTS",       [5] = "GPR_ALLOC",
        [6] = "LDS_ALLOC",     [7] = "IB_STS",  [15] = "SH_MEM_BASES", [16] = "TBA_LO",
        [17] = "TBA_HI",       [18] = "TMA_LO", [19] = "TMA_HI",       [20] = "FLAT_SCR_LO",
        [21] = "FLAT_SCR_HI",  [23] = "HW_ID1", [24] = "HW_ID2",       [25] = "POPS_PACKER",
        [29] = "SHADER_CYCLES"};
    static const char *const new_names[64] = {
        [18] = "PERF_SNAPSHOT_PC_LO", [19] = "PERF_SNAPSHOT_PC_HI", [27] = "PERF_SNAPSHOT_DATA"};
    static const char *const newest_names[64] = {[1] = "WAVE_MODE",
                                                 [2] = "WAVE_STATUS",
                                                 [4] = "WAVE_STATE_PRIV",
                                                 [5] = "WAVE_GPR_ALLOC",
                                                 [6] = "WAVE_LDS_ALLOC",
                                                 [7] = "IB_STS",
                                                 [10] = "PERF_SNAPSHOT_DATA",
                                                 [11] = "PERF_SNAPSHOT_PC_LO",
                                                 [12] = "PERF_SNAPSHOT_PC_HI",
                                                 [15] = "PERF_SNAPSHOT_DATA1",
                                                 [16] = "PERF_SNAPSHOT_DATA2",
                                                 [17] = "WAVE_EXCP_FLAG_PRIV",
                                                 [18] = "WAVE_EXCP_FLAG_USER",
                                                 [19] = "WAVE_TRAP_CTRL",
                                                 [20] = "WAVE_SCRATCH_BASE_LO",
                                                 [21] = "WAVE_SCRATCH_BASE_HI",
                                                 [23] = "WAVE_HW_ID1",
                                                 [24] = "WAVE_HW_ID2",
                                                 [26] = "WAVE_SCHED_MODE",
                                                 [29] = "SHADER_CYCLES_LO",
                                                 [30] = "SHADER_CYCLES_HI",
                                                 [31] = "WAVE_DVGPR_ALLOC_LO",
                                                 [32] = "WAVE_DVGPR_ALLOC_HI"};
    const unsigned id = value & 63, offset = value >> 6 & 31, width = (value >> 11 & 31) + 1;
    // GFX11 has neither TBA, TMA nor POPS_PACKER here.
    const bool differs =
        generation >= RDNA_GFX11 && ((id >= 16 && id <= 19) || id == 25 || id == 27);
    const char *name = generation >= RDNA_GFX12 ? newest_names[id]
                       : differs                ? new_names[id]
                                                : names[id];
    if (name)
        put(line, "hwreg(HW_REG_%s", name);
    else
        put(line, "hwreg(%u", id);
    if (offset || width != 32)
        put(line, ", %u, %u", offset, width);
    put(line, ")");
}

static void put_waits(struct line *line, const struct rdna_wait *wait)
{
    const unsigned vm = wait->vmcnt, exp = wait->expcnt, lgkm = wait->lgkmcnt;
    const bool all = vm == 63 && exp == 7 && lgkm == 63;
    const char *between = "";
    if (vm != 63 || all)
        put(line, "%svmcnt(%u)", between, vm), between = " ";
    if (exp != 7 || all)
        put(line, "%sexpcnt(%u)", between, exp), between = " ";
    if (lgkm != 63 || all)
        put(line, "%slgkmcnt(%u)", between, lgkm);
}

static void put_depctr(struct line *line, unsigned value)
{
    static const struct {
        const char *name;
        unsigned from, width;
    } fields[] = {{"hold_cnt", 7, 1}, {"sa_sdst", 0, 1}, {"va_vdst", 12, 4}, {"va_sdst", 9, 3},
                  {"va_ssrc", 8, 1},  {"va_vcc", 1, 1},  {"vm_vsrc", 2, 3}};
    const bool all = value == 0xff9f;
    const char *between = "";
    if (value & 0x60) {
        put(line, "0x%x", value);
        return;
    }
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const unsigned most = (1u << fields[i].width) - 1, field = value >> fields[i].from & most;
        if (field != most || all)
            put(line, "%sdepctr_%s(%u)", between, fields[i].name, field), between = " ";
    }
}

static void put_delay(struct line *line, unsigned value)
{
    static const char *const ids[16] = {"",
                                        "VALU_DEP_1",
                                        "VALU_DEP_2",
                                        "VALU_DEP_3",
                                        "VALU_DEP_4",
                                        "TRANS32_DEP_1",
                                        "TRANS32_DEP_2",
                                        "TRANS32_DEP_3",
                                        "FMA_ACCUM_CYCLE_1",
                                        "SALU_CYCLE_1",
                                        "SALU_CYCLE_2",
                                        "SALU_CYCLE_3"};
    static const char *const skips[8] = {"", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"};
    const struct {
        const char *name, *value;
        unsigned field;
    } parts[] = {{"instid0", ids[value & 15], value & 15},
                 {"instskip", skips[value >> 4 & 7], value >> 4 & 7},
                 {"instid1", ids[value >> 7 & 15], value >> 7 & 15}};
    const char *between = "";
    for (unsigned i = 0; i < 3; i++)
        if (parts[i].field) {
            if (parts[i].value)
                put(line, "%s%s(%s)", between, parts[i].name, parts[i].value);
            else
                put(line, "%s%s(/* invalid %s value */)", between, parts[i].name,
                    i == 1 ? "instskip" : "instid");
            between = " | ";
        }
    if (!*between)
        put(line, "0");
}

static void put_message(struct line *line, unsigned value)
{
    static const char *const names[] = {"DOORBELL", "DDID", "TMA",      "REALTIME",
                                        "",         "TBA",  "TBA_TO_PC"};
    const unsigned index = value - 128;
    if (value == 132)
        put(line, "sendmsg(MSG_RTN_SAVE_WAVE)");
    else if (index < sizeof names / sizeof *names)
        put(line, "sendmsg(MSG_RTN_GET_%s)", names[index]);
    else
        put(line, "sendmsg(%u, 0, 0)", value);
}

// Decimal if it could be a constant of a source.
static void put_number(struct line *line, int32_t value, unsigned bits)
{
    if (value >= -16 && value <= 64)
        put(line, "%d", value);
    else
        put(line, "0x%x", bits);
}

static void put_sopp(struct line *line, const struct rdna_insn *insn)
{
    const unsigned value = (uint16_t)insn->imm;
    const char form = insn->op->number;
    if (form == 'n' || (form == 'e' && !value))
        return;
    next(line);
    const struct rdna_wait wait = rdna_waits(insn);
    if (form == 'w')
        put_waits(line, &wait);
    else if (form == 'c')
        put_depctr(line, value);
    else if (form == 'a')
        put_delay(line, value);
    else if (form == 'd')
        put_number(line, (int32_t)value, value);
    else if (form == 'm' && value == DEALLOC_VGPRS && insn->generation >= RDNA_GFX11)
        put(line, "sendmsg(MSG_DEALLOC_VGPRS)");
    else
        put(line, form == 'h' ? "0x%x" : "%u", value);
}

// Which half an operand of 16 bits is.
static void put_half(struct line *line, const struct rdna_insn *insn, const struct rdna_type *type,
                     unsigned code, unsigned bit)
{
    if (type->bits == 16 && type->kind <= RDNA_FLOAT && code >= FIRST_VGPR &&
        insn->generation >= RDNA_GFX11)
        put(line, "%s", insn->op_sel & bit ? ".h" : ".l");
}

// Register operands of scalar instructions, and of vector instructions without modifiers.
static void put_source(struct line *line, const struct rdna_insn *insn, unsigned i)
{
    static const uint16_t halves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                      0xc000, 0x4400, 0xc400, 0x3118};
    const struct rdna_type *type = &insn->op->source[i];
    const unsigned bit = 1u << i;
    if (line->is_dual && type->kind == RDNA_MASK) // vcc
        return;
    next(line);
    if (type->kind == RDNA_SIMM)
        put(line, "0x%x", (uint16_t)insn->imm);
    else if (type->kind == RDNA_HWREG)
        put_hwreg(line, insn->generation, (uint16_t)insn->imm);
    else if (type->kind == RDNA_BRANCH)
        put(line, "%u", (uint16_t)insn->imm);
    else if (type->kind == RDNA_MESSAGE)
        put_message(line, insn->source[i]);
    else if (type->kind == RDNA_LITERAL && insn->op->format == RDNA_SOPK)
        put_number(line, (int32_t)insn->literal, insn->literal);
    else {
        const unsigned code = insn->source[i];
        const unsigned dwords = type->kind == RDNA_PART && code < FIRST_VGPR
                                    ? 1
                                    : rdna_operand_dwords(type, line->lanes);
        const bool constant =
            (code >= 128 && code <= 208) || (code >= 240 && code <= 248) || code == LITERAL;
        const bool minus =
            insn->op->format != RDNA_VOP3P || insn->op->flags & RDNA_MIX ? insn->neg & bit : false;
        const bool bars = insn->abs & bit, sext = insn->sext & bit;
        const bool call = minus && !bars && constant; // "neg(1)" is not "-1"
        put(line, "%s%s%s", call ? "neg(" : minus ? "-" : "", bars ? "|" : "", sext ? "sext(" : "");
        if ((type->bits == 16 || insn->op->flags & RDNA_MIX) && code == LITERAL)
            put(line, "0x%x", insn->literal & 0xffff);
        else if (type->bits == 16 && (type->kind == RDNA_BITS || insn->op->format == RDNA_SOPC) &&
                 code >= 240 && code <= 248 && !(insn->op->flags & RDNA_ONLY))
            put(line, "0x%x", halves[code - 240]);
        else
            put_operand(line, insn, code, dwords);
        put_half(line, insn, type, insn->source[i], bit);
        put(line, "%s%s%s", sext ? ")" : "", bars ? "|" : "", call ? ")" : "");
    }
}

static void put_bits(struct line *line, const char *name, unsigned value, unsigned count)
{
    put(line, " %s:[", name);
    for (unsigned i = 0; i < count; i++)
        put(line, "%s%u", i ? "," : "", value >> i & 1);
    put(line, "]");
}

static void put_op_sel(struct line *line, const struct rdna_insn *insn)
{
    const struct rdna_op *op = insn->op;
    const unsigned count = op->sources, all = (1u << count) - 1;
    if (op->format == RDNA_VOP3P) {
        const bool mix = op->flags & RDNA_MIX, halves = op->flags & RDNA_HALVES;
        if (insn->op_sel)
            put_bits(line, "op_sel", insn->op_sel, count);
        if (halves && insn->op_sel_hi != (mix ? 0 : all))
            put_bits(line, "op_sel_hi", insn->op_sel_hi, count);
        if (!mix && insn->neg)
            put_bits(line, "neg_lo", insn->neg, count);
        if (insn->neg_hi)
            put_bits(line, "neg_hi", insn->neg_hi, count);
        return;
    }
    if (!strcmp(op->name, "v_fmac_f16") && insn->op_sel) { // its third source is the result
        put_bits(line, "op_sel", (insn->op_sel & 3) | (insn->op_sel >> 3) << 3, 4);
        return;
    }
    const bool lanes = count == 3 && op->source[1].kind == RDNA_SGPR; // v_permlane16_b32
    if (lanes ? insn->op_sel & 3 : insn->op_sel)
        put_bits(line, "op_sel",
                 lanes ? insn->op_sel : (insn->op_sel & all) | (insn->op_sel >> 3) << count,
                 lanes                                      ? 2
                 : op->format == RDNA_VOPC && insn->is_long ? count
                                                            : count + 1);
}

static void put_dpp(struct line *line, const struct rdna_insn *insn)
{
    static const char *const names[] = {"row_shl", "row_shr",   "row_ror",  "",
                                        "",        "row_share", "row_xmask"};
    const unsigned control = insn->dpp_ctrl;
    if (insn->encoding == RDNA_DPP8) {
        put(line, " dpp8:[");
        for (unsigned i = 0; i < 8; i++)
            put(line, "%s%u", i ? "," : "", insn->dpp8 >> 3 * i & 7);
        put(line, "]%s", insn->fetch_inactive ? " fi:1" : "");
        return;
    }
    if (control < 0x100)
        put(line, " quad_perm:[%u,%u,%u,%u]", control & 3, control >> 2 & 3, control >> 4 & 3,
            control >> 6);
    else if (control == 0x140)
        put(line, " row_mirror");
    else if (control == 0x141)
        put(line, " row_half_mirror");
    else
        put(line, " %s:%u", names[(control >> 4) - 16], control & 15);
    put(line, " row_mask:0x%x bank_mask:0x%x%s%s", insn->row_mask, insn->bank_mask,
        insn->bound_ctrl ? " bound_ctrl:1" : "", insn->fetch_inactive ? " fi:1" : "");
}

static void put_sdwa(struct line *line, const struct rdna_insn *insn)
{
    static const char *const selections[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                             "WORD_0", "WORD_1", "DWORD"};
    static const char *const unused[] = {"PAD", "SEXT", "PRESERVE"};
    const unsigned sources = insn->op->format == RDNA_VOP1 ? 1 : 2;
    if (insn->op->format != RDNA_VOPC)
        put(line, " dst_sel:%s dst_unused:UNUSED_%s", selections[insn->dst_sel],
            unused[insn->dst_unused]);
    for (unsigned i = 0; i < sources; i++)
        put(line, " src%u_sel:%s", i, selections[insn->sel[i]]);
}

static void put_registers(struct line *line, const struct rdna_insn *insn)
{
    const struct rdna_op *op = insn->op;
    const bool vector = op->format >= RDNA_VOP1;
    for (unsigned i = 0; i < op->results; i++) {
        next(line);
        put_register(line, insn->result[i], rdna_operand_dwords(&op->result[i], line->lanes));
        put_half(line, insn, &op->result[i], insn->result[i], 8);
    }
    for (unsigned i = 0; i < op->sources; i++)
        put_source(line, insn, i);
    if (!vector)
        return;
    static const char *const multiply[] = {"", " mul:2", " mul:4", " div:2"};
    if (insn->encoding == RDNA_E64 || insn->is_long)
        put_op_sel(line, insn);
    put(line, "%s%s", insn->clamp ? " clamp" : "", multiply[insn->omod]);
    if (op->format == RDNA_VINTERP)
        put(line, " wait_exp:%d", insn->imm);
    if (insn->encoding == RDNA_DPP16 || insn->encoding == RDNA_DPP8)
        put_dpp(line, insn);
    if (insn->encoding == RDNA_SDWA_ENCODING)
        put_sdwa(line, insn);
}

static const char *suffix(const struct rdna_insn *insn)
{
    static const char *const suffixes[] = {"_e32", "_e64", "_dpp", "_dpp", "_sdwa"};
    const enum rdna_format format = insn->op->format;
    if (insn->is_long)
        return "_e64_dpp";
    if (format == RDNA_VOPC && (insn->encoding == RDNA_DPP16 || insn->encoding == RDNA_DPP8))
        return "";
    const bool plain = insn->encoding == RDNA_E32 && insn->op->flags & RDNA_ONLY;
    return format >= RDNA_VOP1 && format <= RDNA_VOPC && !plain ? suffixes[insn->encoding] : "";
}

// --- Memory

// GFX12's TH and SCOPE, or the cache bits.
static void put_cache(struct line *line, const struct rdna_insn *insn)
{
    static const char *const hints[] = {"", "NT", "HT", "", "NT_RT", "RT_NT", "NT_HT", "NT_WB"};
    static const char *const scopes[] = {"", "SE", "DEV", "SYS"};
    const enum rdna_does does = insn->op->does;
    const bool stores = does == RDNA_DOES_STORE || does == RDNA_DOES_STORE_FORMAT;
    if (insn->generation < RDNA_GFX12) {
        put(line, "%s%s%s", insn->glc ? " glc" : "", insn->slc ? " slc" : "",
            insn->dlc ? " dlc" : "");
        return;
    }
    if (insn->hint && does == RDNA_DOES_ATOMIC)
        put(line, " th:TH_ATOMIC_%s%s%s", insn->hint & 4 ? "CASCADE_" : "",
            insn->hint & 2   ? "NT"
            : insn->hint & 4 ? "RT"
                             : "",
            (insn->hint & 5) == 1 ? insn->hint & 2 ? "_RETURN" : "RETURN" : "");
    else if (insn->hint)
        put(line, " th:TH_%s_%s", stores ? "STORE" : "LOAD",
            insn->hint != 3    ? hints[insn->hint]
            : insn->scope == 3 ? "BYPASS"
            : stores           ? "WB"
                               : "LU");
    if (insn->scope)
        put(line, " scope:SCOPE_%s", scopes[insn->scope]);
}

static void put_smem(struct line *line, const struct rdna_insn *insn)
{
    const struct rdna_op *op = insn->op;
    if (op->does == RDNA_DOES_INVALIDATE)
        return;
    next(line);
    put_register(line, insn->result[0], (op->bits + 31) / 32);
    if (op->does != RDNA_DOES_LOAD)
        return;
    next(line);
    put_register(line, insn->scalar[0], op->flags & RDNA_BUFFER ? 4 : 2);
    next(line);
    const bool is_newest = insn->generation >= RDNA_GFX12;
    const bool offset = insn->scalar[1] != NO_REGISTER || (!insn->imm && !is_newest);
    if (offset)
        put_register(line, insn->scalar[1], 1);
    if (insn->imm || is_newest)
        put(line, "%s%s0x%x", offset ? " offset:" : "", insn->imm < 0 ? "-" : "",
            insn->imm < 0 ? -insn->imm : insn->imm);
    put_cache(line, insn);
}

static bool power(unsigned value)
{
    return value && !(value & (value - 1));
}

static void put_swizzle(struct line *line, unsigned value)
{
    const unsigned with = value & 31, or = value >> 5 & 31, xor = value >> 10 & 31;
    const unsigned group = 32 - with;
    if (!value)
        return;
    put(line, " offset:");
    if ((value & 0xff00) == 0x8000)
        put(line, "swizzle(QUAD_PERM,%u,%u,%u,%u)", value & 3, value >> 2 & 3, value >> 4 & 3,
            value >> 6 & 3);
    else if (value >= 0xe000)
        put(line, "swizzle(FFT,%u)", value & 31);
    else if (value >= 0xc000)
        put(line, "swizzle(ROTATE,%u,%u)", value >> 10 & 1, value >> 5 & 31);
    else if (value & 0x8000)
        put(line, "%u", value);
    else if (with == 31 && ! or &&power(xor))
        put(line, "swizzle(SWAP,%u)", xor);
    else if (with == 31 && ! or &&xor&&power(xor+1))
        put(line, "swizzle(REVERSE,%u)", xor+1);
    else if (group > 1 && power(group) && or < group && !xor)
        put(line, "swizzle(BROADCAST,%u,%u)", group, or);
    else {
        put(line, "swizzle(BITMASK_PERM,\"");
        for (unsigned bit = 16; bit; bit >>= 1) {
            const bool of0 = (or &bit) ^ (xor&bit), of1 = ((with | or) & bit) ^ (xor&bit);
            put(line, "%c", of0 == of1 ? (of0 ? '1' : '0') : of1 ? 'p' : 'i');
        }
        put(line, "\")");
    }
}

static void put_ds(struct line *line, const struct rdna_insn *insn)
{
    const struct rdna_op *op = insn->op;
    const unsigned stored = rdna_data_dwords(op, true);
    if (insn->source[3]) {
        next(line);
        put_register(line, insn->source[3], rdna_data_dwords(op, false));
    }
    for (unsigned i = 0; i < 3; i++)
        if (insn->source[i]) {
            next(line);
            put_register(line, insn->source[i], i ? stored : 1);
        }
    if (op->does == RDNA_DOES_SWIZZLE)
        put_swizzle(line, (unsigned)insn->imm);
    else if (op->flags & RDNA_TWO) {
        for (unsigned i = 0; i < 2; i++)
            if (insn->offset[i])
                put(line, " offset%u:%u", i, insn->offset[i]);
    } else if (insn->imm)
        put(line, " offset:%d", insn->imm);
    put(line, "%s", insn->gds ? " gds" : "");
}

static void put_format(struct line *line, unsigned value)
{
    static const char *const names[128] = {
#define FORMATS(FIRST, BITS)                                                                       \
    [FIRST] = BITS "_UNORM", [FIRST + 1] = BITS "_SNORM", [FIRST + 2] = BITS "_USCALED",           \
    [FIRST + 3] = BITS "_SSCALED", [FIRST + 4] = BITS "_UINT", [FIRST + 5] = BITS "_SINT"
        [0] = "INVALID",
        FORMATS(1, "8"),
        FORMATS(7, "16"),
        [13] = "16_FLOAT",
        FORMATS(14, "8_8"),
        [20] = "32_UINT",
        [21] = "32_SINT",
        [22] = "32_FLOAT",
        FORMATS(23, "16_16"),
        [29] = "16_16_FLOAT",
        FORMATS(30, "10_11_11"),
        [36] = "10_11_11_FLOAT",
        FORMATS(37, "11_11_10"),
        [43] = "11_11_10_FLOAT",
        FORMATS(44, "10_10_10_2"),
        FORMATS(50, "2_10_10_10"),
        FORMATS(56, "8_8_8_8"),
        [62] = "32_32_UINT",
        [63] = "32_32_SINT",
        [64] = "32_32_FLOAT",
        FORMATS(65, "16_16_16_16"),
        [71] = "16_16_16_16_FLOAT",
        [72] = "32_32_32_UINT",
        [73] = "32_32_32_SINT",
        [74] = "32_32_32_FLOAT",
        [75] = "32_32_32_32_UINT",
        [76] = "32_32_32_32_SINT",
        [77] = "32_32_32_32_FLOAT"};
    if (value == 1) // the default
        return;
    if (names[value])
        put(line, " format:[BUF_FMT_%s]", names[value]);
    else
        put(line, " format:%u", value);
}

static void put_buffer(struct line *line, const struct rdna_insn *insn)
{
    const struct rdna_op *op = insn->op;
    if (op->does == RDNA_DOES_INVALIDATE)
        return;
    next(line);
    put_register(line, insn->source[1],
                 rdna_data_dwords(op, op->does != RDNA_DOES_LOAD) + insn->tfe);
    next(line);
    if (insn->offen || insn->idxen)
        put_register(line, insn->source[0], insn->offen + insn->idxen);
    else
        put(line, "off");
    next(line);
    put_register(line, insn->scalar[0], 4);
    next(line);
    put_operand(line, insn, insn->scalar[1], 1);
    if (op->format == RDNA_MTBUF)
        put_format(line, insn->data_format);
    put(line, "%s%s", insn->idxen ? " idxen" : "", insn->offen ? " offen" : "");
    if (insn->imm)
        put(line, " offset:%d", insn->imm);
    put_cache(line, insn);
    put(line, "%s", insn->tfe ? " tfe" : "");
}

static void put_flat(struct line *line, const struct rdna_insn *insn)
{
    const struct rdna_op *op = insn->op;
    const unsigned base = insn->scalar[0];
    const bool off = base == NO_REGISTER;
    if (op->does == RDNA_DOES_INVALIDATE) {
        put_cache(line, insn);
        return;
    }
    const bool atomic = op->does == RDNA_DOES_ATOMIC, addtid = op->flags & RDNA_ADDTID;
    if (op->does == RDNA_DOES_LOAD || (atomic && insn->glc)) {
        next(line);
        put_register(line, insn->result[0], rdna_data_dwords(op, false));
    }
    if (!addtid) {
        next(line);
        if (insn->segment == 1 && !insn->offen)
            put(line, "off");
        else
            put_register(line, insn->source[0], insn->segment == 1 || !off ? 1 : 2);
    }
    if (op->does != RDNA_DOES_LOAD) {
        next(line);
        put_register(line, insn->source[1], rdna_data_dwords(op, true));
    }
    if (insn->segment) {
        next(line);
        if (off)
            put(line, "off");
        else
            put_register(line, base, insn->segment == 2 ? 2 : 1);
    }
    if (insn->imm)
        put(line, " offset:%d", insn->imm);
    put_cache(line, insn);
}

void rdna_print(const struct rdna_insn *insn, unsigned lanes, char text[RDNA_TEXT])
{
    static const char *const segments[] = {"flat_", "scratch_", "global_"};
    struct line line = {.text = text, .lanes = lanes, .between = " "};
    if (insn->dual) {
        line.is_dual = true;
        const struct rdna_insn second = rdna_second(insn);
        put(&line, "v_dual_%s", insn->op->text + 2);
        put_registers(&line, insn);
        put(&line, " :: v_dual_%s", insn->dual->text + 2);
        line.between = " ";
        put_registers(&line, &second);
        return;
    }
    put(&line, "%s%s%s", insn->op->format == RDNA_FLAT ? segments[insn->segment] : "",
        insn->op->text, suffix(insn));
    switch (insn->op->format) {
    case RDNA_SOPP:
        put_sopp(&line, insn);
        break;
    case RDNA_SMEM:
        put_smem(&line, insn);
        break;
    case RDNA_DS:
        put_ds(&line, insn);
        break;
    case RDNA_MUBUF:
    case RDNA_MTBUF:
        put_buffer(&line, insn);
        break;
    case RDNA_FLAT:
        put_flat(&line, insn);
        break;
    default:
        put_registers(&line, insn);
    }
}
