// SPDX-License-Identifier: Apache-2.0
#include "isa/insn.h"

#include <string.h>

const char *insn_mnemonic(const struct sass_insn *insn, size_t *length)
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
