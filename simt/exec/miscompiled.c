// SPDX-License-Identifier: Apache-2.0
// Instructions of miscompiled programs that no module contains.
#include "exec/scalar.h"

void miscompiled_first(struct exec *exec, const struct insn *insn)
{
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t first = exec_cells(exec, insn->operand[0] + i)[exec->lane[0]];
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l, result[l] = first);
    }
}

void miscompiled_choose(struct exec *exec, const struct insn *insn)
{
    const uint64_t *condition = exec_cells(exec, insn->operand[0]);
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *yes = exec_cells(exec, insn->operand[1] + i);
        const uint64_t *no = exec_cells(exec, insn->operand[2] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l, result[l] = condition[l] ? yes[l] : no[l]);
    }
}

void miscompiled_mask(struct exec *exec, const struct insn *insn)
{
    const uint64_t *x = exec_cells(exec, insn->operand[0]);
    uint64_t *result = exec_cells(exec, insn->result);
    for_lanes(exec, l, result[l] = x[l] & insn->literal);
}

void miscompiled_splat(struct exec *exec, const struct insn *insn)
{
    const uint64_t *first = exec_cells(exec, insn->operand[0]);
    for (uint32_t i = 0; i < insn->components; i++) {
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l, result[l] = first[l]);
    }
}

void miscompiled_carry(struct exec *exec, const struct insn *insn)
{
    const bool adds = insn->opcode == SpvOpIAdd;
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        const uint64_t *y = exec_cells(exec, insn->operand[1] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        for_lanes(exec, l, {
            const uint64_t low = adds ? x[l] + y[l] : x[l] - y[l];
            const uint64_t high = adds ? (x[l] >> 32) + (y[l] >> 32) : (x[l] >> 32) - (y[l] >> 32);
            result[l] = high << 32 | (low & UINT32_MAX);
        });
    }
}

void miscompiled_share(struct exec *exec, const struct insn *insn)
{
    for (uint32_t i = 0; i < insn->components; i++) {
        uint64_t *value = exec_cells(exec, insn->result + i);
        for (uint32_t l = 1; l < exec->count; l++) {
            if (exec->lane[l] / 2 == exec->lane[l - 1] / 2)
                value[exec->lane[l - 1]] = value[exec->lane[l]];
        }
    }
}

void miscompiled_extend(struct exec *exec, const struct insn *insn)
{
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *x = exec_cells(exec, insn->operand[0] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        const uint64_t mask = width_mask(insn->width);
        if (insn->opcode == SpvOpUConvert)
            for_lanes(exec, l, result[l] = (uint64_t)sign_extend(x[l], insn->operand_width) & mask);
        else
            for_lanes(exec, l, result[l] = x[l] & mask);
    }
}

// Executes an instruction for other lanes.
static void execute_for(struct exec *exec, const struct insn *insn, lanes set)
{
    const struct exec before = *exec;
    exec->mask = set;
    exec->count = 0;
    each_lane (lane, set)
        exec->lane[exec->count++] = (uint8_t)lane;
    if (set)
        exec->program->wrapped[insn->extra].run(exec, insn);
    exec->mask = before.mask;
    exec->count = before.count;
    memcpy(exec->lane, before.lane, sizeof(exec->lane));
}

void miscompiled_predicated(struct exec *exec, const struct insn *insn)
{
    execute_for(exec, insn, exec_holds(exec, exec->program->wrapped[insn->extra].cell));
}

void miscompiled_inactive(struct exec *exec, const struct insn *insn)
{
    const lanes others = exec->present & ~exec->mask;
    uint64_t kept[COMPONENTS_MAX][LANES_MAX];
    for (uint32_t i = 0; i < insn->components; i++) {
        each_lane (lane, others)
            kept[i][lane] = exec_cells(exec, insn->result + i)[lane];
    }
    execute_for(exec, insn, exec->present);
    for (uint32_t i = 0; i < insn->components; i++) {
        each_lane (lane, others)
            exec_cells(exec, insn->result + i)[lane] = kept[i][lane];
    }
}
