// SPDX-License-Identifier: Apache-2.0
// Control flow: block terminators, merge instructions, and phis as moves on edges.
#include "program/compiler.h"

bool flow_is_terminator(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpKill:
    case SpvOpTerminateInvocation:
    case SpvOpUnreachable:
        return true;
    default:
        return false;
    }
}

// The block of a label in the current function.
static bool find_block(struct compiler *c, const struct op *op, uint32_t label, uint32_t *block)
{
    const struct id *id = label < c->module->bound ? &c->module->ids[label] : NULL;
    if (!id || id->kind != ID_LABEL || id->at <= c->body->at || id->at >= c->body->end)
        return compile_fail(c, op, "uses %%%u, which is not a block of this function", label);
    *block = c->slots[label].index - 1;
    return true;
}

static bool add_edge(struct compiler *c, const struct op *op, uint32_t label, uint64_t selector)
{
    struct program *program = c->program;
    uint32_t block = 0;
    if (!find_block(c, op, label, &block))
        return false;
    if (block == program->functions[c->body - c->bodies].entry)
        return compile_fail(c, op, "branches to the function's first block");
    if (!COMPILE_ROOM(c, program->edges, program->edge_count, 1, edge_capacity,
                      PROGRAM_EXTRA_MAX) ||
        !COMPILE_ROOM(c, c->edge_notes, program->edge_count, 1, note_capacity, PROGRAM_EXTRA_MAX))
        return false;
    c->edge_notes[program->edge_count] =
        (struct edge_note){.from = program->blocks[c->block].label, .next = c->slots[label].list};
    program->edges[program->edge_count++] = (struct edge){.block = block, .selector = selector};
    c->slots[label].list = program->edge_count;
    return true;
}

static bool end_block(struct compiler *c, const struct op *op, enum insn_kind kind,
                      uint32_t condition, uint32_t first_edge)
{
    return compile_emit(c, op,
                        (struct insn){.kind = kind,
                                      .result = CELL_NONE,
                                      .operand = {condition, CELL_NONE, CELL_NONE, CELL_NONE},
                                      .extra = first_edge,
                                      .extra_count = c->program->edge_count - first_edge});
}

bool flow_branch(struct compiler *c, const struct op *op)
{
    const uint32_t first = c->program->edge_count;
    return check_length(c, op, 1, 1) && add_edge(c, op, op->operands[0], 0) &&
           end_block(c, op, INSN_BRANCH, CELL_NONE, first);
}

bool flow_branch_conditional(struct compiler *c, const struct op *op)
{
    const uint32_t first = c->program->edge_count;
    uint32_t condition;
    if (op->operand_count != 5 && !check_length(c, op, 3, 3)) // with or without weights
        return false;
    const uint32_t type = check_value(c, op, op->operands[0]);
    if (!type || !value_cell(c, op->operands[0], &condition))
        return false;
    if (module_type(c->module, type)->kind != TYPE_BOOL)
        return compile_fail(c, op, "has a condition that is not of type bool");
    return add_edge(c, op, op->operands[1], 0) && add_edge(c, op, op->operands[2], 0) &&
           end_block(c, op, INSN_IF, condition, first);
}

bool flow_switch(struct compiler *c, const struct op *op)
{
    const uint32_t first = c->program->edge_count;
    uint32_t selector;
    if (!check_length(c, op, 2, UINT32_MAX))
        return false;
    const uint32_t id = check_value(c, op, op->operands[0]);
    const struct type *type = module_type(c->module, id);
    if (!id || !value_cell(c, op->operands[0], &selector))
        return false;
    if (type->kind != TYPE_INT)
        return compile_fail(c, op, "has a selector that is not an integer");
    const uint32_t words = type->width > 32 ? 2 : 1;
    if ((op->operand_count - 2) % (words + 1))
        return compile_fail(c, op, "has the wrong length");
    if (!add_edge(c, op, op->operands[1], 0))
        return false;
    for (const uint32_t *at = op->operands + 2; at < op->operands + op->operand_count;
         at += words + 1) {
        const uint64_t value = words == 2 ? at[0] | (uint64_t)at[1] << 32 : at[0];
        if (!add_edge(c, op, at[words], value & ~UINT64_C(0) >> (64 - type->width)))
            return false;
    }
    return end_block(c, op, INSN_SWITCH, selector, first);
}

bool flow_return(struct compiler *c, const struct op *op)
{
    if (c->body->cell != CELL_NONE)
        return compile_fail(c, op, "is in a function that has a result");
    return end_block(c, op, INSN_RETURN, CELL_NONE, c->program->edge_count);
}

bool flow_return_value(struct compiler *c, const struct op *op)
{
    uint32_t cell;
    if (!check_length(c, op, 1, 1))
        return false;
    const uint32_t type = check_value(c, op, op->operands[0]);
    return type && check_same_type(c, op, type, c->module->ids[c->body->id].type) &&
           value_cell(c, op->operands[0], &cell) &&
           compile_copy(c, op, c->body->cell, cell, check_cells(c, type)) &&
           end_block(c, op, INSN_RETURN, CELL_NONE, c->program->edge_count);
}

bool flow_end(struct compiler *c, const struct op *op)
{
    return end_block(c, op, INSN_END, CELL_NONE, c->program->edge_count);
}

bool flow_unreachable(struct compiler *c, const struct op *op)
{
    return end_block(c, op, INSN_UNREACHABLE, CELL_NONE, c->program->edge_count);
}

bool flow_merge(struct compiler *c, const struct op *op)
{
    const bool is_loop = op->opcode == SpvOpLoopMerge;
    struct block *block = &c->program->blocks[c->block];
    struct op next;
    if (!check_length(c, op, is_loop ? 3 : 2, is_loop ? UINT32_MAX : 2) ||
        !find_block(c, op, op->operands[0], &block->merge) ||
        (is_loop && !find_block(c, op, op->operands[1], &block->next)) ||
        !compile_read(c, op->at + op->count, &next))
        return false;
    if (next.opcode != SpvOpBranchConditional &&
        next.opcode != (uint32_t)(is_loop ? SpvOpBranch : SpvOpSwitch))
        return compile_fail(c, op, "is not followed by a branch");
    if (block->merge == c->block || c->slots[op->operands[0]].merged)
        return compile_fail(c, op, "has the merge block of another construct");
    c->slots[op->operands[0]].merged = true;
    block->merge_kind = is_loop ? MERGE_LOOP : MERGE_SELECTION;
    return true;
}

bool flow_phi(struct compiler *c, const struct op *op)
{
    uint32_t cell;
    if (op->operand_count % 2)
        return compile_fail(c, op, "has the wrong length");
    return value_result(c, op, &cell);
}

// Edges into a block from the same block have the same moves: returns the end (+ 1, exclusive) of
// the group that starts at an edge (+ 1).
static uint32_t next_group(const struct compiler *c, uint32_t edge)
{
    const uint32_t from = c->edge_notes[edge - 1].from;
    while (edge && c->edge_notes[edge - 1].from == from)
        edge = c->edge_notes[edge - 1].next;
    return edge;
}

// A phi's values: moves[first + group * stride] for each group of incoming edges.
static bool move_phi(struct compiler *c, const struct op *phi, uint32_t edges, uint32_t first,
                     uint32_t stride)
{
    const uint32_t count = check_cells(c, phi->type);
    uint32_t to, block, from;
    for (uint32_t i = 0; i + 1 < phi->operand_count; i += 2) {
        const uint32_t type = check_value(c, phi, phi->operands[i]);
        if (!type || !check_same_type(c, phi, type, phi->type) ||
            !find_block(c, phi, phi->operands[i + 1], &block))
            return false;
        c->slots[phi->operands[i + 1]].phi = phi->at;
        c->slots[phi->operands[i + 1]].entry = phi->operands[i];
    }
    if (!value_cell(c, phi->result, &to))
        return false;
    for (uint32_t edge = edges; edge; edge = next_group(c, edge)) {
        const uint32_t label = c->edge_notes[edge - 1].from;
        if (c->slots[label].phi != phi->at)
            return compile_fail(c, phi, "has no value for block %%%u", label);
        if (!value_cell(c, c->slots[label].entry, &from))
            return false;
        c->program->moves[first] = (struct move){.to = to, .from = from, .count = count};
        first += stride;
    }
    return true;
}

// Moves into a block whose phis are between two words.
static bool move_block(struct compiler *c, uint32_t label, uint32_t at, uint32_t end)
{
    struct program *program = c->program;
    const uint32_t edges = c->slots[label].list;
    uint32_t phis = 0, groups = 0, first = program->move_count;
    struct op op;
    for (uint32_t i = at; i < end; i += op.count) {
        if (!compile_read(c, i, &op))
            return false;
        phis += op.opcode == SpvOpPhi;
    }
    for (uint32_t edge = edges; edge; edge = next_group(c, edge))
        groups++;
    if ((uint64_t)phis * groups > PROGRAM_INSNS_MAX)
        return compile_fail(c, NULL, "block %%%u has too many phis", label);
    if (!phis || !COMPILE_ROOM(c, program->moves, program->move_count, phis * groups, move_capacity,
                               PROGRAM_INSNS_MAX))
        return !phis;
    program->move_count += phis * groups;
    for (uint32_t edge = edges, group = first; edge; group += phis) {
        for (const uint32_t after = next_group(c, edge); edge != after;
             edge = c->edge_notes[edge - 1].next) {
            program->edges[edge - 1].first_move = group;
            program->edges[edge - 1].move_count = phis;
        }
    }
    for (uint32_t i = at; i < end; i += op.count) {
        if (!compile_read(c, i, &op))
            return false;
        if (op.opcode == SpvOpPhi && !move_phi(c, &op, edges, first++, phis))
            return false;
    }
    return true;
}

bool flow_moves(struct compiler *c, const struct body *body)
{
    struct op op;
    uint32_t label = 0, begin = body->end;
    for (uint32_t at = body->at; at <= body->end; at += op.count) {
        if (!compile_read(c, at, &op))
            return false;
        if (op.opcode != SpvOpLabel && op.opcode != SpvOpFunctionEnd)
            continue;
        if (begin < at && !move_block(c, label, begin, at))
            return false;
        begin = at;
        label = op.operand_count ? op.operands[0] : 0;
    }
    return true;
}
