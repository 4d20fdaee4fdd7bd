// SPDX-License-Identifier: Apache-2.0
// Names, and what holds of a whole code.

#include "isa/sass.h"

#include "base/text.h"
#include "isa/effects.h"

#include <stdlib.h>

static const char *const names[SASS_OPS] = {
    [SASS_OTHER] = "",
    [SASS_SHFL] = "SHFL",
    [SASS_VOTE] = "VOTE",
    [SASS_VOTEU] = "VOTEU",
    [SASS_MATCH] = "MATCH",
    [SASS_REDUX] = "REDUX",
    [SASS_WARPSYNC] = "WARPSYNC",
    [SASS_BSSY] = "BSSY",
    [SASS_BSYNC] = "BSYNC",
    [SASS_BREAK] = "BREAK",
    [SASS_BMOV] = "BMOV",
    [SASS_YIELD] = "YIELD",
    [SASS_NANOSLEEP] = "NANOSLEEP",
    [SASS_WARPGROUP] = "WARPGROUP",
    [SASS_BRA] = "BRA",
    [SASS_BRX] = "BRX",
    [SASS_JMP] = "JMP",
    [SASS_CALL] = "CALL",
    [SASS_RET] = "RET",
    [SASS_EXIT] = "EXIT",
    [SASS_KILL] = "KILL",
    [SASS_BPT] = "BPT",
    [SASS_BAR] = "BAR",
    [SASS_MEMBAR] = "MEMBAR",
    [SASS_ERRBAR] = "ERRBAR",
    [SASS_CCTL] = "CCTL",
    [SASS_FENCE] = "FENCE",
    [SASS_DEPBAR] = "DEPBAR",
    [SASS_LD] = "LD",
    [SASS_LDG] = "LDG",
    [SASS_LDS] = "LDS",
    [SASS_LDL] = "LDL",
    [SASS_LDC] = "LDC",
    [SASS_ST] = "ST",
    [SASS_STG] = "STG",
    [SASS_STS] = "STS",
    [SASS_STL] = "STL",
    [SASS_ATOM] = "ATOM",
    [SASS_ATOMG] = "ATOMG",
    [SASS_ATOMS] = "ATOMS",
    [SASS_RED] = "RED",
    [SASS_S2R] = "S2R",
    [SASS_S2UR] = "S2UR",
    [SASS_R2UR] = "R2UR",
};

const char *sass_op_name(enum sass_op op)
{
    return (unsigned)op < SASS_OPS ? names[op] : "";
}

bool sass_is_exchange(enum sass_op op)
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
    const bool always = insn->guard == 7 && !insn->guard_negated;
    return !always || insn->reads.p || insn->reads.up ||
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
