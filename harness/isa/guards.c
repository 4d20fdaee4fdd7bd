// SPDX-License-Identifier: Apache-2.0
// Guarded instructions, and others nearby with the opposite guard.
#include "isa/origin.h"

#include <string.h>

#define NEARBY 16 // instructions

bool guard_is_completed(const struct sass_code *code, size_t index)
{
    const struct sass_insn *insn = &code->insns[index];
    const size_t end = index + NEARBY < code->count ? index + NEARBY : code->count;
    for (size_t i = index + 1; i < end && insn->guard < SASS_ALWAYS && !insn->guard_uniform; i++) {
        const struct sass_insn *other = &code->insns[i];
        struct sass_registers left = insn->writes;
        registers_remove(&left, &other->writes);
        if (other->guard == insn->guard && !other->guard_uniform &&
            other->guard_negated != insn->guard_negated && registers_empty(&left))
            return true;
        if (other->writes.p >> insn->guard & 1 || flow_is_branch(other->op))
            return false;
    }
    return false;
}

bool guard_is_idle(const struct sass_code *code, size_t index)
{
    const struct sass_insn *insn = &code->insns[index];
    size_t length;
    const char *own = sass_mnemonic(insn, &length);
    const size_t end = index + NEARBY < code->count ? index + NEARBY : code->count;
    for (size_t i = index > NEARBY ? index - NEARBY : 0; i < end; i++) {
        const struct sass_insn *other = &code->insns[i];
        if (other->guard != insn->guard || other->guard_uniform != insn->guard_uniform ||
            other->guard_negated == insn->guard_negated)
            continue;
        const char *a = own, *b = sass_mnemonic(other, &length);
        for (; *a && *a == *b; a++, b++)
            ;
        a += strcmp(a, ".reuse") == 0 ? strlen(a) : 0;
        b += strcmp(b, ".reuse") == 0 ? strlen(b) : 0;
        if (!*a && !*b)
            return true;
    }
    return false;
}
