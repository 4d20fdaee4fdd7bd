// SPDX-License-Identifier: Apache-2.0
// Compiler faults in group operations: placement, participants, sources.
#include "program/miscompile.h"

#include <string.h>

// Moving up

#define SLICE_MAX 32 // instructions moved along with an operation

// An instruction of a block and those of the block that it depends on, last first.
struct slice {
    uint32_t pc[SLICE_MAX], count;
};

static bool needed(const struct edit *edit, const struct slice *slice, struct range cells)
{
    for (uint32_t i = 0; i < slice->count; i++) {
        if (edit_reads(edit, &edit->program->insns[slice->pc[i]], cells))
            return true;
    }
    return false;
}

// False if the instruction depends on something that cannot leave its block.
static bool find_slice(const struct edit *edit, uint32_t pc, struct slice *slice)
{
    const struct program *program = edit->program;
    const uint32_t block = edit_block(edit, pc);
    *slice = (struct slice){.pc = {pc}, .count = 1};
    for (uint32_t at = pc; at-- > program->blocks[block].first;) {
        const struct insn *insn = &program->insns[at];
        if (!needed(edit, slice, edit_written(edit, insn)))
            continue;
        if (!edit_is_pure(insn) || slice->count == SLICE_MAX)
            return false;
        slice->pc[slice->count++] = at;
    }
    for (uint32_t i = 0; i < program->edge_count; i++) {
        const struct edge *edge = &program->edges[i];
        for (uint32_t m = 0; edge->block == block && m < edge->move_count; m++) {
            const struct move *move = &program->moves[edge->first_move + m];
            if (needed(edit, slice, (struct range){move->to, move->count}))
                return false;
        }
    }
    return true;
}

// Moves the slice to before the branch that ends `block`, in order.
static void hoist_slice(struct edit *edit, const struct slice *slice, uint32_t block)
{
    for (uint32_t i = slice->count; i-- > 0;)
        edit_move(edit, slice->pc[i], block, edit_end(edit, block) - 1);
    edit->gone += slice->count;
}

// The only predecessor, if it ends with a branch at which lanes may diverge; or NO_BLOCK.
static uint32_t branch_to(const struct edit *edit, uint32_t block)
{
    const struct program *program = edit->program;
    const uint32_t above = edit->forward[block] == 1 ? edit->above[block] : NO_BLOCK;
    if (above == NO_BLOCK || program->blocks[block].merge_kind == MERGE_LOOP)
        return NO_BLOCK;
    const struct insn *last = &program->insns[edit_end(edit, above) - 1];
    return last->kind == INSN_IF || last->kind == INSN_SWITCH ? above : NO_BLOCK;
}

bool site_hoist(struct edit *edit, uint32_t pc)
{
    const struct insn *insn = &edit->program->insns[pc];
    if (!edit_is_group(insn))
        return true;
    const uint32_t above = branch_to(edit, edit_block(edit, pc));
    struct slice slice;
    if (above != NO_BLOCK && find_slice(edit, pc, &slice) && edit_takes(edit, pc))
        hoist_slice(edit, &slice, above);
    return true;
}

// Moving down

static bool is_below(const struct edit *edit, uint32_t block, uint32_t arm)
{
    for (uint32_t i = 0; i < ABOVE_MAX && block != NO_BLOCK; i++, block = edit->above[block]) {
        if (block == arm)
            return true;
    }
    return false;
}

// Whether all uses of the cells are in blocks dominated by `arm`.
static bool used_below(const struct edit *edit, struct range cells, uint32_t arm)
{
    for (uint32_t b = 0; b < edit->program->block_count; b++) {
        if (!is_below(edit, b, arm) && edit_block_reads(edit, b, cells))
            return false;
    }
    return true;
}

bool site_sink(struct edit *edit, uint32_t pc)
{
    const struct insn *insn = &edit->program->insns[pc];
    if (!edit_is_group(insn))
        return true;
    const uint32_t block = edit_block(edit, pc);
    const struct insn *last = &edit->program->insns[edit_end(edit, block) - 1];
    const struct range cells = edit_written(edit, insn);
    for (uint32_t i = 0; last->kind == INSN_IF && i < last->extra_count; i++) {
        const uint32_t arm = edit->program->edges[last->extra + i].block;
        if (branch_to(edit, arm) != block || !used_below(edit, cells, arm))
            continue;
        if (edit_takes(edit, pc))
            edit_move(edit, pc, arm, edit->program->blocks[arm].first);
        break;
    }
    return true;
}

// Equal operations

static bool same_operation(const struct insn *a, const struct insn *b)
{
    return edit_is_group(a) && !edit_is_matrix(a) && a->run == b->run && a->opcode == b->opcode &&
           a->literal == b->literal && a->flags == b->flags && a->components == b->components &&
           a->width == b->width && a->operand_width == b->operand_width;
}

// The cells of a group operation's operand.
static uint32_t operand_cells(const struct insn *insn, uint32_t operand)
{
    switch (insn->opcode) {
    case SpvOpGroupNonUniformInverseBallot:
    case SpvOpGroupNonUniformBallotBitExtract:
    case SpvOpGroupNonUniformBallotBitCount:
    case SpvOpGroupNonUniformBallotFindLSB:
    case SpvOpGroupNonUniformBallotFindMSB:
        return operand == GROUP_VALUE ? 4 : 1;
    case SpvOpGroupNonUniformAllEqual:
    case SpvOpGroupNonUniformPartitionNV:
        return operand == GROUP_VALUE ? (uint32_t)insn->literal : 1;
    case SpvOpGroupNonUniformElect:
    case SpvOpGroupNonUniformAll:
    case SpvOpGroupNonUniformAny:
    case SpvOpGroupNonUniformBallot:
    case SpvOpGroupNonUniformQuadAllKHR:
    case SpvOpGroupNonUniformQuadAnyKHR:
        return 1;
    default: // a 4-cell argument is a partition
        return operand == GROUP_VALUE                                  ? insn->components
               : insn->literal >= SpvGroupOperationPartitionedReduceNV ? 4
                                                                       : 1;
    }
}

// The operation's partner on the other side of the branch at the end of `block`: its pc.
static bool find_partner(const struct edit *edit, uint32_t pc, uint32_t block, uint32_t *partner)
{
    const struct program *program = edit->program;
    const struct insn *last = &program->insns[edit_end(edit, block) - 1];
    const uint32_t own = edit_block(edit, pc);
    for (uint32_t i = 0; last->kind == INSN_IF && i < last->extra_count; i++) {
        const uint32_t arm = program->edges[last->extra + i].block;
        for (*partner = program->blocks[arm].first;
             arm < own && branch_to(edit, arm) == block && *partner < edit_end(edit, arm);
             ++*partner) {
            if (same_operation(&program->insns[*partner], &program->insns[pc]))
                return true;
        }
    }
    return false;
}

// Makes the operands of the operation at `pc`, in `block`, a choice between both sides'.
static bool choose_operands(struct edit *edit, uint32_t block, uint32_t pc, const uint32_t *other,
                            bool is_true)
{
    const struct program *program = edit->program;
    const uint32_t condition = program->insns[edit_end(edit, block) - 1].operand[0];
    for (uint32_t i = GROUP_VALUE; i <= GROUP_CLUSTER; i++) {
        struct insn *insn = &edit->program->insns[pc];
        const uint32_t mine = insn->operand[i];
        struct insn added = {
            .run = miscompiled_choose,
            .opcode = SpvOpNop,
            .components = (uint8_t)operand_cells(insn, i),
            .operand = {condition, is_true ? mine : other[i], is_true ? other[i] : mine, CELL_NONE},
        };
        if (mine == other[i] || mine == CELL_NONE)
            continue;
        if (!compile_new_cells(edit->c, added.components, &added.result))
            return false;
        insn->operand[i] = added.result;
        if (!edit_add(edit, block, pc++, insn, added))
            return false;
    }
    return true;
}

// Both move before the branch, and the first becomes a copy of the second's result.
bool site_merge(struct edit *edit, uint32_t pc)
{
    struct program *program = edit->program;
    struct slice slice, partners;
    uint32_t partner;
    if (!edit_is_group(&program->insns[pc]))
        return true;
    const uint32_t block = branch_to(edit, edit_block(edit, pc));
    if (block == NO_BLOCK || !find_partner(edit, pc, block, &partner) ||
        !find_slice(edit, partner, &partners) || !find_slice(edit, pc, &slice) ||
        !edit_takes(edit, pc))
        return true;
    const struct insn *last = &program->insns[edit_end(edit, block) - 1];
    const bool is_true = program->edges[last->extra].block == edit_block(edit, pc);
    uint32_t other[4];
    memcpy(other, program->insns[partner].operand, sizeof(other));
    program->insns[partner].miscompiled |= 1u << edit->which;
    edit_make_copy(&program->insns[partner], program->insns[pc].result,
                   edit_written(edit, &program->insns[pc]).count);
    hoist_slice(edit, &slice, block);
    // Moves what only the partner needed, before the operation.
    for (uint32_t i = partners.count; i-- > 1;)
        edit_move(edit, partners.pc[i] + slice.count, block, edit_end(edit, block) - 1);
    const uint32_t end = edit_end(edit, block) - 1;
    edit_move(edit, end - partners.count, block, end);
    return choose_operands(edit, block, end - 1, other, is_true);
}

bool site_reuse(struct edit *edit, uint32_t pc)
{
    const struct program *program = edit->program;
    struct insn *insn = &edit->program->insns[pc];
    const uint32_t own = edit_block(edit, pc);
    uint32_t block = edit_is_group(insn) ? own : NO_BLOCK;
    for (uint32_t i = 0; i < ABOVE_MAX && block != NO_BLOCK; i++, block = edit->above[block]) {
        for (uint32_t at = block == own ? pc : edit_end(edit, block);
             at-- > program->blocks[block].first;) {
            const struct insn *before = &program->insns[at];
            if (!same_operation(before, insn) ||
                memcmp(before->operand, insn->operand, sizeof(insn->operand)) != 0)
                continue;
            if (block != own && edit_takes(edit, pc))
                edit_make_copy(insn, before->result, edit_written(edit, before).count);
            return true;
        }
    }
    return true;
}

// Indices

// The cell of an index that may differ between lanes: of a cross-lane read, a register array,
// descriptors or a vector component; or NULL.
static uint32_t *index_of(const struct edit *edit, struct insn *insn)
{
    uint32_t *extra = edit->program->extra + insn->extra;
    if (insn->kind == INSN_CROSS_LANE)
        return &insn->operand[GROUP_ARGUMENT];
    if (insn->run == compose_extract)
        return &insn->operand[1];
    if (insn->run == compose_insert)
        return &insn->operand[2];
    if (insn->run == memory_chain && insn->extra_count &&
        (insn->flags & ACCESS_REGISTER || extra[4] >> (REGION_SHIFT - 32)))
        return extra;
    return NULL;
}

bool site_uniform(struct edit *edit, uint32_t pc)
{
    struct insn *insn = &edit->program->insns[pc];
    uint32_t *index = index_of(edit, insn);
    uint64_t value;
    if (!index || edit_constant(edit, *index, &value) || !edit_takes(edit, pc))
        return true;
    struct insn added = {.run = miscompiled_first,
                         .opcode = SpvOpNop,
                         .components = 1,
                         .operand = {*index, CELL_NONE, CELL_NONE, CELL_NONE}};
    if (!compile_new_cells(edit->c, 1, &added.result))
        return false;
    *index = added.result;
    return edit_add(edit, edit_block(edit, pc), pc, insn, added);
}

bool site_own(struct edit *edit, uint32_t pc)
{
    struct insn *insn = &edit->program->insns[pc];
    if (insn->kind == INSN_CROSS_LANE && edit_takes(edit, pc))
        edit_make_copy(insn, insn->operand[GROUP_VALUE], edit_written(edit, insn).count);
    return true;
}

// Registers

// Two lanes that keep a value in one place across the instruction: the second one's survives.
bool site_spill(struct edit *edit, uint32_t pc)
{
    const struct program *program = edit->program;
    const struct insn *insn = &program->insns[pc];
    const uint32_t block = edit_block(edit, pc);
    if (!edit_is_group(insn) && insn->kind != INSN_BARRIER && insn->kind != INSN_CALL)
        return true;
    for (uint32_t at = pc; at-- > program->blocks[block].first;) {
        const struct insn *before = &program->insns[at];
        const struct range cells = edit_written(edit, before);
        bool is_used = false;
        for (uint32_t i = pc + 1; i < edit_end(edit, block); i++)
            is_used |= edit_reads(edit, &program->insns[i], cells);
        if (!is_used || !before->id || cells.count > CELLS_HELD || edit_is_group(before))
            continue;
        if (!edit_takes(edit, pc))
            return true;
        return edit_add(edit, block, pc + 1, before,
                        (struct insn){.run = miscompiled_share,
                                      .opcode = SpvOpNop,
                                      .components = (uint8_t)cells.count,
                                      .result = cells.first,
                                      .operand = {cells.first, CELL_NONE, CELL_NONE, CELL_NONE}});
    }
    return true;
}

// Whether a cell is a group operation's result, or an earlier conversion of one.
static bool is_from_group(const struct edit *edit, uint32_t pc, uint32_t cell)
{
    while (pc-- > 0) {
        const struct insn *insn = &edit->program->insns[pc];
        if (range_meets(edit_written(edit, insn), (struct range){cell, 1}))
            return edit_is_group(insn);
    }
    return false;
}

bool site_subword(struct edit *edit, uint32_t pc)
{
    struct insn *insn = &edit->program->insns[pc];
    if ((insn->opcode == SpvOpUConvert || insn->opcode == SpvOpSConvert) &&
        insn->operand_width < 32 && insn->operand_width < insn->width &&
        is_from_group(edit, pc, insn->operand[0]) && edit_takes(edit, pc))
        insn->run = miscompiled_extend;
    return true;
}

// Who takes part

static bool is_wrapped(const struct insn *insn)
{
    return insn->run == miscompiled_predicated || insn->run == miscompiled_inactive;
}

// The nearest preceding comparison that the instruction does not depend on and no branch on the way
// to it uses; CELL_NONE: none.
static uint32_t find_predicate(const struct edit *edit, uint32_t pc)
{
    const struct program *program = edit->program;
    const uint32_t own = edit_block(edit, pc);
    uint32_t block = own, asked = CELL_NONE;
    for (uint32_t i = 0; i < ABOVE_MAX && block != NO_BLOCK; i++, block = edit->above[block]) {
        const uint32_t end = edit_end(edit, block);
        if (block != own && program->insns[end - 1].kind == INSN_IF)
            asked = program->insns[end - 1].operand[0];
        for (uint32_t at = block == own ? pc : end; at-- > program->blocks[block].first;) {
            const struct insn *insn = &program->insns[at];
            if (insn->opcode >= SpvOpIEqual && insn->opcode <= SpvOpFUnordGreaterThanEqual &&
                insn->components == 1 && insn->result != asked &&
                !edit_reads(edit, &program->insns[pc], (struct range){insn->result, 1}))
                return insn->result;
        }
    }
    return CELL_NONE;
}

bool site_predicate(struct edit *edit, uint32_t pc)
{
    struct insn *insn = &edit->program->insns[pc];
    if (!edit_is_group(insn) || is_wrapped(insn))
        return true;
    const uint32_t cell = find_predicate(edit, pc);
    return cell == CELL_NONE || !edit_takes(edit, pc) ||
           edit_wrap(edit, insn, miscompiled_predicated, cell);
}

bool site_inactive(struct edit *edit, uint32_t pc)
{
    struct insn *insn = &edit->program->insns[pc];
    if (insn->kind != INSN_TANGLED || is_wrapped(insn) || insn->components > CELLS_HELD ||
        !edit_takes(edit, pc))
        return true;
    return edit_wrap(edit, insn, miscompiled_inactive, CELL_NONE);
}
