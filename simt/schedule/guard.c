// SPDX-License-Identifier: Apache-2.0
// Finds integer reductions in branches on the subgroup number, and values live across them.
#include "schedule/guard.h"

#include "program/execution.h"

#include <stdlib.h>

struct finding {
    const struct program *program;
    uint32_t *writer;  // [cell]: pc of the instruction with this result, UINT32_MAX: none
    uint32_t *last;    // [cell]: last pc that uses it as an operand
    uint32_t *inside;  // [block]: header of the last search that visited it, from 1
    uint32_t *waiting; // [block]
};

static bool is_comparison(const struct insn *insn)
{
    return insn->opcode >= SpvOpIEqual && insn->opcode <= SpvOpFUnordGreaterThanEqual;
}

static bool is_reduction(const struct insn *insn)
{
    switch (insn->opcode) {
    case SpvOpGroupNonUniformIAdd:
    case SpvOpGroupNonUniformSMin:
    case SpvOpGroupNonUniformUMin:
    case SpvOpGroupNonUniformSMax:
    case SpvOpGroupNonUniformUMax:
    case SpvOpGroupNonUniformBitwiseAnd:
    case SpvOpGroupNonUniformBitwiseOr:
    case SpvOpGroupNonUniformBitwiseXor:
        return insn->literal == SpvGroupOperationReduce;
    default:
        return false;
    }
}

static bool is_builtin(const struct program *program, uint32_t cell, uint32_t builtin)
{
    for (uint32_t i = 0; i < program->builtin_count; i++) {
        if (program->builtins[i].cell == cell)
            return program->builtins[i].builtin == builtin;
    }
    return false;
}

static bool is_constant(const struct program *program, uint32_t cell)
{
    for (uint32_t i = 0; i < program->constant_count; i++) {
        if (program->constants[i].cell == cell)
            return true;
    }
    return is_builtin(program, cell, SpvBuiltInNumSubgroups);
}

// A constant, the number of subgroups, or a sum or difference of two such values.
static bool is_known(const struct finding *finding, uint32_t cell)
{
    if (is_constant(finding->program, cell) || finding->writer[cell] == UINT32_MAX)
        return is_constant(finding->program, cell);
    const struct insn *insn = &finding->program->insns[finding->writer[cell]];
    return (insn->opcode == SpvOpIAdd || insn->opcode == SpvOpISub) &&
           is_constant(finding->program, insn->operand[0]) &&
           is_constant(finding->program, insn->operand[1]);
}

static bool asks_for_subgroup(const struct finding *finding, const struct insn *last)
{
    const uint32_t writer = last->kind == INSN_IF ? finding->writer[last->operand[0]] : UINT32_MAX;
    if (writer == UINT32_MAX || !is_comparison(&finding->program->insns[writer]))
        return false;
    const uint32_t *operand = finding->program->insns[writer].operand;
    for (int i = 0; i < 2; i++) {
        if (is_builtin(finding->program, operand[i], SpvBuiltInSubgroupId))
            return is_known(finding, operand[1 - i]);
    }
    return false;
}

// The last comparison before `header` that is used after `pc`, if there are enough.
static uint32_t guard_of(const struct finding *finding, const struct block *block, uint32_t header,
                         uint32_t pc)
{
    const struct program *program = finding->program;
    const uint32_t entry = program->functions[block->function].entry;
    uint32_t count = 0, guard = CELL_NONE;
    for (uint32_t i = program->blocks[entry].first; i < header; i++) {
        const struct insn *insn = &program->insns[i];
        if (!is_comparison(insn) || insn->components != 1 ||
            insn->result == program->insns[header].operand[0] ||
            finding->last[insn->result] == UINT32_MAX || finding->last[insn->result] < pc)
            continue;
        guard = insn->result;
        count++;
    }
    return count >= GUARD_LEAST ? guard : CELL_NONE;
}

static uint32_t calls_of(const struct program *program, uint64_t function)
{
    uint32_t count = 0;
    for (uint32_t pc = 0; pc < program->insn_count; pc++)
        count += program->insns[pc].kind == INSN_CALL && program->insns[pc].literal == function;
    return count;
}

// Marks a reduction, or those in a function called only here.
static void mark_one(const struct program *program, uint32_t *guards, uint32_t pc, uint32_t guard)
{
    const struct insn *insn = &program->insns[pc];
    if (is_reduction(insn))
        guards[pc] = guard;
    if (insn->kind != INSN_CALL || calls_of(program, insn->literal) != 1)
        return;
    for (uint32_t b = 0; b < program->block_count; b++) {
        uint32_t inner = program->blocks[b].first;
        if (program->blocks[b].function != insn->literal)
            continue;
        for (; !insn_ends_block(&program->insns[inner]); inner++) {
            if (is_reduction(&program->insns[inner]))
                guards[inner] = guard;
        }
    }
}

// Marks the reductions in a selection whose header ends at `header`.
static void mark(struct finding *finding, uint32_t *guards, const struct block *block,
                 uint32_t header)
{
    const struct program *program = finding->program;
    const struct insn *last = &program->insns[header];
    const uint32_t stamp = header + 1;
    uint32_t count = 0;
    finding->inside[block->merge] = stamp;
    for (;;) {
        for (uint32_t i = 0; last->kind <= INSN_SWITCH && i < last->extra_count; i++) {
            const uint32_t to = program->edges[last->extra + i].block;
            if (finding->inside[to] != stamp)
                finding->waiting[count++] = to;
            finding->inside[to] = stamp;
        }
        if (!count)
            return;
        uint32_t pc = program->blocks[finding->waiting[--count]].first;
        for (; !insn_ends_block(&program->insns[pc]); pc++) {
            if (is_reduction(&program->insns[pc]) || program->insns[pc].kind == INSN_CALL)
                mark_one(program, guards, pc, guard_of(finding, block, header, pc));
        }
        last = &program->insns[pc];
    }
}

static void mark_all(struct finding *finding, uint32_t *guards)
{
    const struct program *program = finding->program;
    for (uint32_t pc = 0; pc < program->insn_count; pc++) {
        const struct insn *insn = &program->insns[pc];
        guards[pc] = CELL_NONE;
        if (insn->result != CELL_NONE)
            finding->writer[insn->result] = pc;
        for (int i = 0; i < 4; i++) {
            if (insn->operand[i] < program->cell_count)
                finding->last[insn->operand[i]] = pc;
        }
    }
    for (uint32_t b = 0; b < program->block_count; b++) {
        uint32_t pc = program->blocks[b].first;
        while (!insn_ends_block(&program->insns[pc]))
            pc++;
        if (program->blocks[b].merge_kind == MERGE_SELECTION &&
            asks_for_subgroup(finding, &program->insns[pc]))
            mark(finding, guards, &program->blocks[b], pc);
    }
}

uint32_t *guard_find(const struct program *program)
{
    const size_t cells = (size_t)program->cell_count + 1, blocks = (size_t)program->block_count + 1;
    struct finding finding = {.program = program,
                              .writer = malloc(cells * sizeof(uint32_t)),
                              .last = malloc(cells * sizeof(uint32_t)),
                              .inside = calloc(blocks, sizeof(uint32_t)),
                              .waiting = calloc(blocks, sizeof(uint32_t))};
    uint32_t *guards = calloc((size_t)program->insn_count + 1, sizeof(*guards));
    if (finding.writer && finding.last && finding.inside && finding.waiting && guards) {
        for (size_t i = 0; i < cells; i++)
            finding.writer[i] = finding.last[i] = UINT32_MAX;
        mark_all(&finding, guards);
    } else {
        free(guards);
        guards = NULL;
    }
    free(finding.writer);
    free(finding.last);
    free(finding.inside);
    free(finding.waiting);
    return guards;
}
