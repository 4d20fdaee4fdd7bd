// SPDX-License-Identifier: Apache-2.0
// Instructions, sets of registers, and what holds of a whole code.
#include "isa/sass.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define SPECIAL_UNKNOWN 254

bool sass_is_cross_lane(enum sass_op op)
{
    return op >= SASS_SHFL && op <= SASS_REDUX;
}

void sass_code_clear(struct sass_code *code)
{
    for (size_t i = 0; i < code->count; i++)
        free(code->insns[i].text);
    free(code->insns);
    *code = (struct sass_code){0};
}

size_t sass_at(const struct sass_code *code, uint32_t address)
{
    const size_t index = address / SASS_BYTES;
    return address % SASS_BYTES == 0 && index < code->count ? index : code->count;
}

bool sass_is_never(const struct sass_insn *insn)
{
    return insn->guard == SASS_ALWAYS && insn->guard_negated;
}

bool sass_is_always(const struct sass_insn *insn)
{
    return insn->guard == SASS_ALWAYS && !insn->guard_negated;
}

const char *sass_mnemonic(const struct sass_insn *insn, size_t *length)
{
    const char *text = insn->text ? insn->text : "";
    if (text[0] == '@') {
        const size_t guard = strcspn(text, " ");
        text += guard + strspn(text + guard, " ");
    }
    *length = strcspn(text, " ;");
    return text;
}

bool registers_empty(const struct sass_registers *set)
{
    return !(set->r[0] | set->r[1] | set->r[2] | set->r[3] | set->ur | set->p | set->up | set->b);
}

bool registers_meet(const struct sass_registers *a, const struct sass_registers *b)
{
    for (int i = 0; i < 4; i++)
        if (a->r[i] & b->r[i])
            return true;
    return (a->ur & b->ur) || (a->p & b->p) || (a->up & b->up) || (a->b & b->b);
}

bool registers_add(struct sass_registers *set, const struct sass_registers *what)
{
    struct sass_registers more = *what;
    registers_remove(&more, set);
    for (int i = 0; i < 4; i++)
        set->r[i] |= what->r[i];
    set->ur |= what->ur;
    set->p |= what->p;
    set->up |= what->up;
    set->b |= what->b;
    return !registers_empty(&more);
}

void registers_remove(struct sass_registers *set, const struct sass_registers *what)
{
    for (int i = 0; i < 4; i++)
        set->r[i] &= ~what->r[i];
    set->ur &= ~what->ur;
    set->p &= (uint8_t)~what->p;
    set->up &= (uint8_t)~what->up;
    set->b &= (uint16_t)~what->b;
}

// --- The whole code

// Whether a lane that executes `insn` may execute the one behind it next.
static bool goes_on(const struct sass_insn *insn)
{
    switch (insn->op) {
    case SASS_BRA:
    case SASS_BRX:
    case SASS_JMP:
    case SASS_RET:
    case SASS_EXIT:
        break;
    default:
        return true;
    }
    return !sass_is_always(insn) || insn->reads.p || insn->reads.up ||
           (insn->flags & (SASS_CONVERGED | SASS_DIVERGED | SASS_UNKNOWN));
}

// Whether a lane may go from `insn` to an address that is not in it.
static bool goes_anywhere(const struct sass_insn *insn)
{
    switch (insn->op) {
    case SASS_BRX:
    case SASS_JMP:
        return true;
    case SASS_BRA:
    case SASS_CALL:
        return insn->target == SASS_NOWHERE;
    default:
        return false;
    }
}

// Marks what can be reached from the first instruction. False: an instruction may go anywhere.
static bool mark_reachable(const struct sass_code *code, bool *reached)
{
    size_t *open = lit_alloc(2 * code->count + 1, sizeof *open), count = 0;
    bool known = true;
    open[count++] = 0;
    while (count > 0 && known) {
        const size_t at = open[--count];
        if (at >= code->count || reached[at])
            continue;
        const struct sass_insn *insn = &code->insns[at];
        reached[at] = true;
        known = !goes_anywhere(insn);
        if (goes_on(insn))
            open[count++] = at + 1;
        if (insn->target != SASS_NOWHERE)
            open[count++] = sass_at(code, insn->target);
    }
    free(open);
    return known;
}

void sass_complete(struct sass_code *code)
{
    const uint32_t end = (uint32_t)(code->count * SASS_BYTES);
    for (size_t i = 0; i < code->count; i++) {
        struct sass_insn *insn = &code->insns[i];
        if (insn->target != SASS_NOWHERE && (insn->target >= end || insn->target % SASS_BYTES))
            insn->target = SASS_NOWHERE;
    }
    bool *reached = lit_alloc(code->count + 1, sizeof *reached);
    const bool known = mark_reachable(code, reached);
    code->operands = true;
    for (size_t i = 0; i < code->count; i++)
        if ((reached[i] || !known) && (code->insns[i].flags & SASS_UNKNOWN))
            code->operands = false;
    free(reached);
}

// --- Special registers: lane, workgroup, masks of lanes, clocks

// clang-format off
static const char *const special_names[256] = {
    [0] = "SR_LANEID", [1] = "SR_CLOCK", [2] = "SR_VIRTCFG", [3] = "SR_VIRTID",
    [15] = "SR_ORDERING_TICKET", [16] = "SR_PRIM_TYPE", [17] = "SR_INVOCATION_ID",
    [18] = "SR_Y_DIRECTION", [19] = "SR_THREAD_KILL", [20] = "SM_SHADER_TYPE",
    [21] = "SR_DIRECTCBEWRITEADDRESSLOW", [22] = "SR_DIRECTCBEWRITEADDRESSHIGH",
    [23] = "SR_DIRECTCBEWRITEENABLED", [24] = "SR_SW_SCRATCH", [25] = "SR_MACHINE_ID_1",
    [26] = "SR_MACHINE_ID_2", [27] = "SR_MACHINE_ID_3", [28] = "SR_AFFINITY",
    [29] = "SR_INVOCATION_INFO", [30] = "SR_WSCALEFACTOR_XY", [31] = "SR_WSCALEFACTOR_Z",
    [32] = "SR_TID", [33] = "SR_TID.X", [34] = "SR_TID.Y", [35] = "SR_TID.Z", [37] = "SR_CTAID.X",
    [38] = "SR_CTAID.Y", [39] = "SR_CTAID.Z", [40] = "SR_NTID", [41] = "SR_CirQueueIncrMinusOne",
    [42] = "SR_NLATC", [44] = "SR_SM_SPA_VERSION", [45] = "SR_MULTIPASSSHADERINFO",
    [46] = "SR_LWINHI", [47] = "SR_SWINHI", [48] = "SR_SWINLO", [49] = "SR_SWINSZ",
    [50] = "SR_SMEMSZ", [51] = "SR_SMEMBANKS", [52] = "SR_LWINLO", [53] = "SR_LWINSZ",
    [54] = "SR_LMEMLOSZ", [55] = "SR_LMEMHIOFF", [56] = "SR_EQMASK", [57] = "SR_LTMASK",
    [58] = "SR_LEMASK", [59] = "SR_GTMASK", [60] = "SR_GEMASK", [61] = "SR_REGALLOC",
    [62] = "SR_BARRIERALLOC", [64] = "SR_GLOBALERRORSTATUS", [65] = "SR_CGAERRORSTATUS",
    [66] = "SR_WARPERRORSTATUS", [67] = "SR_VIRTUALSMID", [68] = "SR_VIRTUALENGINEID",
    [80] = "SR_CLOCKLO", [81] = "SR_CLOCKHI", [82] = "SR_GLOBALTIMERLO",
    [83] = "SR_GLOBALTIMERHI", [84] = "SR_ESR_PC", [85] = "SR_ESR_PC_HI", [96] = "SR_HWTASKID",
    [97] = "SR_CIRCULARQUEUEENTRYINDEX", [98] = "SR_CIRCULARQUEUEENTRYADDRESSLOW",
    [99] = "SR_CIRCULARQUEUEENTRYADDRESSHIGH", [100] = "SR_PM0", [101] = "SR_PM_HI0",
    [102] = "SR_PM1", [103] = "SR_PM_HI1", [104] = "SR_PM2", [105] = "SR_PM_HI2",
    [106] = "SR_PM3", [107] = "SR_PM_HI3", [108] = "SR_PM4", [109] = "SR_PM_HI4",
    [110] = "SR_PM5", [111] = "SR_PM_HI5", [112] = "SR_PM6", [113] = "SR_PM_HI6",
    [114] = "SR_PM7", [115] = "SR_PM_HI7", [116] = "SR_SNAP_PM0", [117] = "SR_SNAP_PM_HI0",
    [118] = "SR_SNAP_PM1", [119] = "SR_SNAP_PM_HI1", [120] = "SR_SNAP_PM2",
    [121] = "SR_SNAP_PM_HI2", [122] = "SR_SNAP_PM3", [123] = "SR_SNAP_PM_HI3",
    [124] = "SR_SNAP_PM4", [125] = "SR_SNAP_PM_HI4", [126] = "SR_SNAP_PM5",
    [127] = "SR_SNAP_PM_HI5", [128] = "SR_SNAP_PM6", [129] = "SR_SNAP_PM_HI6",
    [130] = "SR_SNAP_PM7", [131] = "SR_SNAP_PM_HI7", [132] = "SR_VARIABLE_RATE",
    [133] = "SR_TTU_TICKET_INFO", [134] = "SR_WARPGROUP_INFO", [135] = "SR_WARPGROUPID",
    [136] = "SR_CgaCtaId", [137] = "SR_GpcLocalCgaId", [139] = "SR_CTARegPoolSz", [255] = "SRZ",
};
// clang-format on

const char *sass_special_name(uint8_t number)
{
    return special_names[number];
}

uint8_t sass_special_number(const char *name)
{
    for (size_t i = 0; i < sizeof special_names / sizeof *special_names; i++)
        if (special_names[i] && strcmp(special_names[i], name) == 0)
            return (uint8_t)i;
    // "SR36": nvdisasm has no name for it either.
    if (strncmp(name, "SR", 2) != 0 || !strchr("0123456789", name[2]) || !name[2])
        return SPECIAL_UNKNOWN;
    char *end;
    const unsigned long number = strtoul(name + 2, &end, 10);
    return *end == '\0' && number < 256 ? (uint8_t)number : SPECIAL_UNKNOWN;
}
