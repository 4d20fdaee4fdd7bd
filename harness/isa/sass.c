// SPDX-License-Identifier: Apache-2.0
// Instructions, register sets, and properties of the whole code.
#include "isa/sass.h"

#include "base/text.h"

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

static const char *behind_guard(const struct sass_insn *insn)
{
    const char *text = insn->text ? insn->text : "";
    if (text[0] == '@') {
        const size_t guard = strcspn(text, " ");
        text += guard + strspn(text + guard, " ");
    }
    return text;
}

const char *sass_mnemonic(const struct sass_insn *insn, size_t *length)
{
    const char *text = behind_guard(insn);
    *length = strcspn(text, " ;");
    return text;
}

bool sass_begins(const struct sass_insn *insn, const char *with)
{
    return strncmp(behind_guard(insn), with, strlen(with)) == 0;
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

unsigned registers_next(const struct sass_registers *set, unsigned i)
{
    for (; i < SASS_REGISTERS; i = (i | 63) + 1) {
        const uint64_t rest = (i < 256 ? set->r[i / 64] : set->ur) >> i % 64;
        if (rest)
            return i + (unsigned)__builtin_ctzll(rest);
    }
    return SASS_REGISTERS;
}

// --- The whole code

// Whether a lane that executes `insn` may continue with the next instruction.
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

// Whether a lane may go from `insn` to an address that the code does not state.
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

// Marks everything reachable from the first instruction. False: some instruction may go anywhere.
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
    OWNED(lit_free) bool *reached = lit_alloc(code->count + 1, sizeof *reached);
    const bool known = mark_reachable(code, reached);
    code->operands = true;
    for (size_t i = 0; i < code->count; i++)
        if ((reached[i] || !known) && (code->insns[i].flags & SASS_UNKNOWN))
            code->operands = false;
}
