// SPDX-License-Identifier: Apache-2.0
// OpReadClockKHR: the scheduler's step count, which each reading advances, so that an invocation's
// readings increase. All scopes have the same clock.
#include "exec/scalar.h"

static void read_clock(struct exec *exec, const struct insn *insn)
{
    const uint64_t now = exec->clock ? __atomic_add_fetch(exec->clock, 1, __ATOMIC_RELAXED) : 0;
    for (uint32_t i = 0; i < insn->components; i++) {
        uint64_t *result = exec_cells(exec, insn->result + i);
        const uint64_t part = now >> (i * insn->width) & width_mask(insn->width);
        for_lanes(exec, l, result[l] = part);
    }
}

insn_run *select_clock(const struct insn_shape *shape, struct insn *insn)
{
    const struct shape *result = &shape->result, *scope = &shape->operand[0];
    if (shape->opcode != SpvOpReadClockKHR || !shape->has_result || shape->operand_count != 1)
        return NULL;
    if (!shape_is_int(scope) || scope->components != 1 || !shape_is_int(result))
        return NULL;
    if (result->width * result->components != 64 || result->width < 32)
        return NULL;
    arithmetic_fill(shape, insn, result->components);
    return read_clock;
}
