// SPDX-License-Identifier: Apache-2.0
// Compiler faults in memory: order of loads and stores, forwarding, incomplete copies, atomics and
// initial zeros.
#include "program/miscompile.h"

static bool is_load(const struct insn *insn)
{
    return insn->kind == INSN_PLAIN &&
           (insn->run == memory_load || insn->opcode == SpvOpAtomicLoad);
}

static bool is_store(const struct insn *insn)
{
    return insn->kind == INSN_PLAIN &&
           (insn->run == memory_store || insn->opcode == SpvOpAtomicStore);
}

// A read-modify-write.
static bool modifies(const struct insn *insn)
{
    return (insn->opcode > SpvOpAtomicStore && insn->opcode <= SpvOpAtomicXor) ||
           insn->opcode == SpvOpAtomicFAddEXT || insn->opcode == SpvOpAtomicFMinEXT ||
           insn->opcode == SpvOpAtomicFMaxEXT;
}

// An instruction that nothing is moved across.
static bool is_fixed(const struct insn *insn)
{
    return insn->kind != INSN_PLAIN && (!edit_is_group(insn) || edit_is_matrix(insn));
}

static bool acquires(const struct edit *edit, const struct insn *insn)
{
    const uint64_t mask = SpvMemorySemanticsAcquireMask | SpvMemorySemanticsAcquireReleaseMask |
                          SpvMemorySemanticsSequentiallyConsistentMask;
    uint64_t semantics;
    return insn->opcode == SpvOpAtomicLoad &&
           (!edit_constant(edit, insn->operand[2], &semantics) || semantics & mask);
}

// Moves a load after the next load like it (atomic or not), or after the next instruction that
// writes memory, if nothing on the way uses its result, is fixed, or writes before the load.
static bool delay_load(struct edit *edit, uint32_t pc, bool behind_store)
{
    const struct program *program = edit->program;
    const uint32_t block = edit_block(edit, pc);
    const struct range cells = edit_written(edit, &program->insns[pc]);
    for (uint32_t at = pc + 1; at < edit_end(edit, block); at++) {
        const struct insn *insn = &program->insns[at];
        const bool writes = is_store(insn) || modifies(insn);
        if (is_fixed(insn) || edit_reads(edit, insn, cells))
            return true;
        const bool is_like = is_load(insn) && insn->opcode == program->insns[pc].opcode;
        if (behind_store ? writes : is_like) {
            if (edit_takes(edit, pc))
                edit_move(edit, pc, block, at + 1);
            return true;
        }
        if (writes)
            return true;
    }
    return true;
}

bool site_load_order(struct edit *edit, uint32_t pc)
{
    const struct insn *insn = &edit->program->insns[pc];
    return !is_load(insn) || acquires(edit, insn) || delay_load(edit, pc, false);
}

bool site_load_late(struct edit *edit, uint32_t pc)
{
    return !is_load(&edit->program->insns[pc]) || delay_load(edit, pc, true);
}

bool site_store_late(struct edit *edit, uint32_t pc)
{
    const struct program *program = edit->program;
    const uint32_t block = edit_block(edit, pc);
    uint32_t last = pc;
    if (!is_store(&program->insns[pc]))
        return true;
    for (uint32_t at = pc + 1; at < edit_end(edit, block); at++) {
        const struct insn *insn = &program->insns[at];
        if (is_fixed(insn))
            break;
        if (is_load(insn) || is_store(insn) || modifies(insn))
            last = at;
    }
    if (last > pc && edit_takes(edit, pc))
        edit_move(edit, pc, block, last + 1);
    return true;
}

// Whether two pointers are known to be equal.
static bool same_place(const struct edit *edit, const struct insn *a, const struct insn *b)
{
    uint64_t x, y;
    return a->operand[0] == b->operand[0] || (edit_constant(edit, a->operand[0], &x) &&
                                              edit_constant(edit, b->operand[0], &y) && x == y);
}

// Turns the instruction into a copy of what another loaded or stored.
static void forward(struct edit *edit, uint32_t pc, uint32_t from)
{
    const struct insn *source = &edit->program->insns[from];
    struct insn *insn = &edit->program->insns[pc];
    const uint32_t count = edit_written(edit, insn).count;
    const uint32_t cell = is_load(source)               ? source->result
                          : source->run == memory_store ? source->operand[1]
                                                        : source->operand[3];
    if (count <= COPY_MAX && edit_takes(edit, pc))
        edit_make_copy(insn, cell, count);
}

bool site_forward(struct edit *edit, uint32_t pc)
{
    const struct program *program = edit->program;
    const struct insn *insn = &program->insns[pc];
    const uint32_t own = edit_block(edit, pc);
    uint32_t block = is_load(insn) ? own : NO_BLOCK;
    bool between = false; // another value may have been stored in between
    for (uint32_t i = 0; i < ABOVE_MAX && block != NO_BLOCK; i++, block = edit->above[block]) {
        for (uint32_t at = block == own ? pc : edit_end(edit, block);
             at-- > program->blocks[block].first;) {
            const struct insn *before = &program->insns[at];
            const bool is_access = is_load(before) || is_store(before);
            if (is_access && same_place(edit, before, insn) &&
                (before->run == memory_load || before->run == memory_store) ==
                    (insn->run == memory_load)) {
                if (between)
                    forward(edit, pc, at);
                return true;
            }
            between |= is_store(before) || modifies(before) || is_fixed(before);
        }
    }
    return true;
}

// The struct that an instruction copies; NULL: none.
static const struct type *copied(const struct edit *edit, const struct insn *insn)
{
    const struct module *module = edit->c->module;
    const uint32_t *words = module->words + insn->at;
    const struct type *type = NULL;
    if (insn->opcode == SpvOpLoad)
        type = module_type(module, words[1]);
    else if (insn->opcode == SpvOpStore)
        type = module_type_of(module, words[2]);
    else if (insn->opcode == SpvOpCopyMemory)
        type = module_type(module, module_type_of(module, words[1])->element);
    return type && type->kind == TYPE_STRUCT && type->count > 1 ? type : NULL;
}

bool site_member(struct edit *edit, uint32_t pc)
{
    struct insn *insn = &edit->program->insns[pc];
    const struct type *type = copied(edit, insn);
    if (!type)
        return true;
    const uint32_t part = check_cells(edit->c, type->members[type->count - 1].type);
    uint32_t all = 0, left = 0;
    for (uint32_t i = 0; i < type->count; i++)
        all += check_cells(edit->c, type->members[i].type);
    const uint32_t *pieces = edit->program->extra + insn->extra;
    const bool in_memory = insn->run == memory_load || insn->run == memory_store;
    // A struct's pieces in memory are in the order of its cells.
    while (in_memory && left < insn->extra_count && pieces[left * PIECE_WORDS] < all - part)
        left++;
    if (!part || part == all || (insn->run == compose_copy && insn->components != all) ||
        !edit_takes(edit, pc))
        return true;
    if (insn->run == compose_copy)
        insn->components = (uint8_t)(all - part);
    else
        insn->extra_count = in_memory ? left : all - part;
    return true;
}

bool site_dead(struct edit *edit, uint32_t pc)
{
    struct insn *insn = &edit->program->insns[pc];
    const struct range cells = edit_written(edit, insn);
    if (insn->kind != INSN_PLAIN || !modifies(insn))
        return true;
    for (uint32_t b = 0; b < edit->program->block_count; b++) {
        if (edit_block_reads(edit, b, cells))
            return true;
    }
    if (edit_takes(edit, pc))
        edit_make_copy(insn, CELL_NONE, 0); // becomes a no-op
    return true;
}

// The executed atomic keeps its place, after the added one.
bool site_atomic(struct edit *edit, uint32_t pc)
{
    struct insn *insn = &edit->program->insns[pc];
    if (insn->kind != INSN_PLAIN || insn->run == compose_copy ||
        !(insn->opcode == SpvOpAtomicStore || modifies(insn)) || !edit_takes(edit, pc))
        return true;
    if (insn->opcode == SpvOpAtomicStore) {
        miscompiled_add(insn);
        return true;
    }
    struct insn again = *insn;
    again.id = 0;
    again.result = CELL_NONE;
    return edit_add(edit, edit_block(edit, pc), pc, insn, again);
}

// Sites are variables: the kernel's first instruction is marked if one is taken.
bool site_zero(struct edit *edit, uint32_t pc)
{
    struct program *program = edit->program;
    uint32_t left = 0;
    if (pc != program->blocks[program->functions[0].entry].first)
        return true;
    for (uint32_t i = 0; i < program->shared_zero_count; i++)
        if (!edit_takes_at(edit, program->shared_zero[i].variable, pc))
            program->shared_zero[left++] = program->shared_zero[i];
    program->shared_zero_count = left;
    return true;
}

bool site_transpose(struct edit *edit, uint32_t pc)
{
    struct insn *insn = &edit->program->insns[pc];
    if (insn->opcode == SpvOpCooperativeMatrixLoadKHR && edit_takes(edit, pc))
        insn->flags ^= ACCESS_COLUMNS;
    return true;
}
