// SPDX-License-Identifier: Apache-2.0
// Applies the faults of a miscompiled program: added and moved instructions, and dataflow queries.
#include "program/miscompile.h"

#include "splitmix.h"

#include <stdlib.h>
#include <string.h>

static miscompile_site *const sites[OPERATOR_COUNT] = {
    [OPERATOR_LOAD_ORDER] = site_load_order,
    [OPERATOR_LOAD_LATE] = site_load_late,
    [OPERATOR_STORE_LATE] = site_store_late,
    [OPERATOR_FORWARD] = site_forward,
    [OPERATOR_MEMBER] = site_member,
    [OPERATOR_DEAD] = site_dead,
    [OPERATOR_HOIST] = site_hoist,
    [OPERATOR_SINK] = site_sink,
    [OPERATOR_MERGE] = site_merge,
    [OPERATOR_REUSE] = site_reuse,
    [OPERATOR_UNIFORM] = site_uniform,
    [OPERATOR_OWN] = site_own,
    [OPERATOR_BRANCH] = site_branch,
    [OPERATOR_BARRIER] = site_barrier,
    [OPERATOR_COUNTER] = site_counter,
    [OPERATOR_SPILL] = site_spill,
    [OPERATOR_SUBWORD] = site_subword,
    [OPERATOR_PREDICATE] = site_predicate,
    [OPERATOR_INACTIVE] = site_inactive,
    [OPERATOR_ATOMIC] = site_atomic,
    [OPERATOR_ZERO] = site_zero,
    [OPERATOR_TRANSPOSE] = site_transpose,
    [OPERATOR_SPLAT] = site_splat,
    [OPERATOR_MODIFIER] = site_modifier,
    [OPERATOR_DISTRIBUTE] = site_distribute,
    [OPERATOR_FIELD] = site_field,
    [OPERATOR_CARRY] = site_carry,
};

bool edit_takes_at(struct edit *edit, uint32_t at, uint32_t pc)
{
    const uint64_t site = (uint64_t)at << 8 | edit->which;
    const uint64_t random = splitmix_mix(splitmix_mix(edit->seed + site) ^ site);
    const double rate = edit->c->options->operators[edit->which];
    if ((double)(random >> 11) * 0x1p-53 >= rate || edit->taken == SITES_MAX)
        return false;
    edit->taken++;
    edit->program->insns[pc].miscompiled |= 1u << edit->which;
    return true;
}

bool edit_takes(struct edit *edit, uint32_t pc)
{
    return edit_takes_at(edit, edit->program->insns[pc].at, pc);
}

uint32_t edit_block(const struct edit *edit, uint32_t pc)
{
    uint32_t low = 0, high = edit->program->block_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (edit->program->blocks[middle].first <= pc)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t edit_end(const struct edit *edit, uint32_t block)
{
    const struct program *program = edit->program;
    return block + 1 < program->block_count ? program->blocks[block + 1].first
                                            : program->insn_count;
}

bool edit_add(struct edit *edit, uint32_t block, uint32_t pc, const struct insn *from,
              struct insn insn)
{
    struct program *program = edit->program;
    insn.at = from->at;
    insn.miscompiled = 1u << edit->which | INSN_ADDED;
    if (!COMPILE_ROOM(edit->c, program->insns, program->insn_count, 1, insn_capacity,
                      PROGRAM_INSNS_MAX))
        return false;
    memmove(program->insns + pc + 1, program->insns + pc,
            (program->insn_count - pc) * sizeof(*program->insns));
    program->insns[pc] = insn;
    program->insn_count++;
    for (uint32_t b = block + 1; b < program->block_count; b++)
        program->blocks[b].first++;
    return true;
}

void edit_move(struct edit *edit, uint32_t pc, uint32_t block, uint32_t to)
{
    struct program *program = edit->program;
    const uint32_t from = edit_block(edit, pc);
    const struct insn insn = program->insns[pc];
    struct insn *insns = program->insns;
    if (to <= pc) {
        memmove(insns + to + 1, insns + to, (pc - to) * sizeof(*insns));
        insns[to] = insn;
    } else {
        memmove(insns + pc, insns + pc + 1, (to - 1 - pc) * sizeof(*insns));
        insns[to - 1] = insn;
    }
    for (uint32_t b = block + 1; b <= from; b++)
        program->blocks[b].first++;
    for (uint32_t b = from + 1; b <= block; b++)
        program->blocks[b].first--;
}

void edit_make_copy(struct insn *insn, uint32_t from, uint32_t count)
{
    insn->run = compose_copy;
    insn->kind = INSN_PLAIN;
    insn->components = (uint8_t)count;
    insn->literal = 0;
    insn->operand[0] = from;
    insn->operand[1] = insn->operand[2] = insn->operand[3] = CELL_NONE;
    insn->extra_count = 0;
}

bool edit_replace(struct edit *edit, uint32_t pc, uint32_t *operand, struct insn added)
{
    added.opcode = SpvOpNop;
    added.operand[0] = *operand;
    added.operand[1] = added.operand[2] = added.operand[3] = CELL_NONE;
    if (!compile_new_cells(edit->c, added.components, &added.result))
        return false;
    *operand = added.result;
    return edit_add(edit, edit_block(edit, pc), pc, &edit->program->insns[pc], added);
}

bool edit_wrap(struct edit *edit, struct insn *insn, insn_run *run, uint32_t cell)
{
    struct program *program = edit->program;
    if (!COMPILE_ROOM(edit->c, program->wrapped, program->wrapped_count, 1, wrapped_capacity,
                      PROGRAM_INSNS_MAX))
        return false;
    program->wrapped[program->wrapped_count] = (struct wrapped){insn->run, cell};
    insn->run = run;
    insn->extra = program->wrapped_count++;
    return true;
}

// Reads and writes

struct range edit_written(const struct edit *edit, const struct insn *insn)
{
    const struct module *module = edit->c->module;
    struct range range = {insn->result, insn->components ? insn->components : 1};
    if (insn->result == CELL_NONE)
        range.count = 0;
    else if (insn->run == compose_gather || (!insn->id && insn->run == memory_load))
        range.count = insn->extra_count;
    else if (insn->id && insn->run != compose_copy && !(insn->miscompiled & INSN_ADDED))
        range.count = check_cells(edit->c, module->ids[insn->id].type);
    return range;
}

// Cells in program->extra: every `step`-th word of the instruction's.
static bool extra_reads(const struct edit *edit, const struct insn *insn, uint32_t step,
                        struct range cells)
{
    for (uint32_t i = 0; i < insn->extra_count; i++) {
        if (range_meets((struct range){edit->program->extra[insn->extra + i * step], 1}, cells))
            return true;
    }
    return false;
}

// The cells of a matrix operand in a matrix operation; 1 otherwise.
static uint32_t matrix_cells(const struct edit *edit, const struct insn *insn, uint32_t operand)
{
    const struct module *module = edit->c->module;
    const uint32_t *words = module->words + insn->at;
    if (insn->opcode == SpvOpCooperativeMatrixStoreKHR && operand == GROUP_CLUSTER)
        return check_cells(edit->c, module->ids[words[2]].type);
    if (insn->opcode == SpvOpCooperativeMatrixMulAddKHR && operand >= GROUP_VALUE)
        return check_cells(edit->c, module->ids[words[2 + operand]].type);
    return 1;
}

bool edit_reads(const struct edit *edit, const struct insn *insn, struct range cells)
{
    const bool copies = insn->run == compose_copy || insn->run == miscompiled_share;
    const bool accesses = insn->run == memory_load || insn->run == memory_store ||
                          insn->run == memory_load_register || insn->run == memory_store_register;
    if (!cells.count)
        return false;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t count = copies               ? insn->components
                               : accesses && i == 1 ? insn->extra_count
                                                    : matrix_cells(edit, insn, i);
        if (insn->operand[i] != CELL_NONE && insn->operand[i] &&
            range_meets((struct range){insn->operand[i], count}, cells))
            return true;
    }
    if (insn->run == miscompiled_predicated &&
        range_meets((struct range){edit->program->wrapped[insn->extra].cell, 1}, cells))
        return true;
    if (accesses || insn->kind >= INSN_BRANCH)
        return false;
    return extra_reads(edit, insn, insn->run == memory_chain ? CHAIN_WORDS : 1, cells);
}

static bool edge_reads(const struct program *program, const struct edge *edge, struct range cells)
{
    for (uint32_t i = 0; i < edge->move_count; i++) {
        const struct move *move = &program->moves[edge->first_move + i];
        if (range_meets((struct range){move->from, move->count}, cells))
            return true;
    }
    return false;
}

bool edit_block_reads(const struct edit *edit, uint32_t block, struct range cells)
{
    const struct program *program = edit->program;
    const uint32_t end = edit_end(edit, block);
    const struct insn *last = &program->insns[end - 1];
    bool reads = false;
    for (uint32_t pc = program->blocks[block].first; pc < end && !reads; pc++)
        reads = edit_reads(edit, &program->insns[pc], cells);
    for (uint32_t i = 0; last->kind <= INSN_SWITCH && i < last->extra_count && !reads; i++)
        reads = edge_reads(program, &program->edges[last->extra + i], cells);
    return reads;
}

bool edit_constant(const struct edit *edit, uint32_t cell, uint64_t *value)
{
    for (uint32_t i = 0; i < edit->program->constant_count; i++) {
        if (edit->program->constants[i].cell == cell) {
            *value = edit->program->constants[i].value;
            return true;
        }
    }
    return false;
}

bool edit_is_pure(const struct insn *insn)
{
    const bool is_load = insn->run == memory_load || insn->run == memory_load_register;
    return insn->kind == INSN_PLAIN && insn->run && !is_load && insn->run != compose_undefined &&
           (insn->id || insn->miscompiled & INSN_ADDED) && insn->run != miscompiled_share &&
           insn->run != memory_array_length && insn->opcode != SpvOpFunctionCall &&
           insn->opcode != SpvOpReadClockKHR && insn->opcode != SpvOpVariable &&
           !(insn->opcode >= SpvOpAtomicLoad && insn->opcode <= SpvOpAtomicXor) &&
           insn->opcode != SpvOpAtomicFAddEXT && insn->opcode != SpvOpAtomicFMinEXT &&
           insn->opcode != SpvOpAtomicFMaxEXT;
}

// In SPIR-V a block comes after its dominators.
static bool find_above(struct edit *edit)
{
    const struct program *program = edit->program;
    edit->above = calloc((size_t)program->block_count + 1, sizeof(*edit->above));
    edit->forward = calloc((size_t)program->block_count + 1, sizeof(*edit->forward));
    if (!edit->above || !edit->forward)
        return compile_fail(edit->c, NULL, "out of memory");
    for (uint32_t b = 0; b < program->block_count; b++)
        edit->above[b] = NO_BLOCK;
    for (uint32_t b = 0; b < program->block_count; b++) {
        const struct insn *last = &program->insns[edit_end(edit, b) - 1];
        for (uint32_t i = 0; last->kind <= INSN_SWITCH && i < last->extra_count; i++) {
            const uint32_t to = program->edges[last->extra + i].block;
            edit->forward[to] += to > b;
            if (to > b)
                edit->above[to] = b;
        }
    }
    for (uint32_t b = 0; b < program->block_count; b++) {
        if (edit->forward[b] > 1)
            edit->above[b] = NO_BLOCK;
    }
    for (uint32_t b = 0; b < program->block_count; b++) {
        const struct block *block = &program->blocks[b];
        if (block->merge_kind != MERGE_NONE && edit->forward[block->merge] > 1)
            edit->above[block->merge] = b;
        if (block->merge_kind == MERGE_LOOP && edit->forward[block->next] > 1)
            edit->above[block->next] = b;
    }
    return true;
}

bool miscompile(struct compiler *c, uint64_t key)
{
    struct edit edit = {
        .c = c, .program = c->program, .seed = splitmix_mix(key ^ splitmix_mix(c->options->seed))};
    bool done = find_above(&edit);
    for (uint32_t i = 0; done && i < OPERATOR_COUNT; i++) {
        edit.which = (enum operator)i;
        edit.taken = 0;
        // Downwards, so that moved and added instructions are not visited again.
        for (uint32_t pc = c->program->insn_count;
             done && c->options->operators[i] > 0 && pc > 0;) {
            const struct insn *insn = &c->program->insns[--pc];
            edit.gone = 0;
            if (!(insn->miscompiled & (1u << i | INSN_ADDED)))
                done = sites[i](&edit, pc);
            pc += edit.gone; // the instructions before them are now there
        }
    }
    free(edit.above);
    free(edit.forward);
    return done;
}
