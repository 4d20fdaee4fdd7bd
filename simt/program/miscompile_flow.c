// SPDX-License-Identifier: Apache-2.0
// Compiler faults in control flow: branches, barriers, loop counters.
#include "program/miscompile.h"

bool site_branch(struct edit *edit, uint32_t pc)
{
    struct insn *insn = &edit->program->insns[pc];
    uint64_t value;
    if ((insn->kind != INSN_IF && insn->kind != INSN_SWITCH) ||
        edit_constant(edit, insn->operand[0], &value) || !edit_takes(edit, pc))
        return true;
    return edit_replace(edit, pc, &insn->operand[0],
                        (struct insn){.run = miscompiled_first, .components = 1});
}

bool site_barrier(struct edit *edit, uint32_t pc)
{
    struct insn *insn = &edit->program->insns[pc];
    if (insn->kind == INSN_BARRIER && edit_takes(edit, pc))
        edit_make_copy(insn, CELL_NONE, 0); // becomes a no-op
    return true;
}

// Whether an instruction computes `next` by adding one to or subtracting one from the counter.
static bool counts(const struct edit *edit, uint32_t counter, uint32_t next)
{
    const struct program *program = edit->program;
    for (uint32_t pc = 0; pc < program->insn_count; pc++) {
        const struct insn *insn = &program->insns[pc];
        uint64_t step;
        if (insn->result == next)
            return (insn->opcode == SpvOpIAdd || insn->opcode == SpvOpISub) &&
                   insn->components == 1 && insn->operand[0] == counter &&
                   edit_constant(edit, insn->operand[1], &step) &&
                   (step == 1 || step == UINT64_MAX >> (64 - insn->width));
    }
    return false;
}

// Whether the cell is a loop counter: the header takes it from the previous iteration, one more or
// less.
static bool is_counter(const struct edit *edit, uint32_t cell)
{
    const struct program *program = edit->program;
    for (uint32_t i = 0; i < program->edge_count; i++) {
        const struct edge *edge = &program->edges[i];
        const bool is_loop = program->blocks[edge->block].merge_kind == MERGE_LOOP;
        for (uint32_t m = 0; is_loop && m < edge->move_count; m++) {
            const struct move *move = &program->moves[edge->first_move + m];
            if (move->to == cell && move->count == 1 && counts(edit, cell, move->from))
                return true;
        }
    }
    return false;
}

bool site_counter(struct edit *edit, uint32_t pc)
{
    struct insn *insn = &edit->program->insns[pc];
    const struct insn *last = &edit->program->insns[edit_end(edit, edit_block(edit, pc)) - 1];
    if (insn->opcode < SpvOpIEqual || insn->opcode > SpvOpSLessThanEqual || insn->components != 1 ||
        insn->operand_width <= 8 || last->kind != INSN_IF || last->operand[0] != insn->result ||
        !(is_counter(edit, insn->operand[0]) || is_counter(edit, insn->operand[1])) ||
        !edit_takes(edit, pc))
        return true;
    const struct insn low_bits = {.run = miscompiled_mask, .components = 1, .literal = 0xff};
    // The instruction moves up by one for each added before it.
    return edit_replace(edit, pc, &insn->operand[0], low_bits) &&
           edit_replace(edit, pc + 1, &edit->program->insns[pc + 1].operand[1], low_bits);
}
