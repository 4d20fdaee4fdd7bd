// SPDX-License-Identifier: Apache-2.0
// Compiler faults as changes of a decoded program: shared by the operators of MODEL_MISCOMPILING
// (settings.h). An operator examines one instruction; a place where it could act is a site. Its
// rate, the device's seed and the pipeline's input determine which sites it takes.
//
// The block structure never changes, only the blocks' contents.
#pragma once

#include "program/compiler.h"
#include "settings.h"

#define NO_BLOCK   UINT32_MAX
#define ABOVE_MAX  16   // blocks that a search visits upwards
#define SITES_MAX  4096 // sites taken per operator: limits a pipeline's cost
#define CELLS_HELD 4    // cells of a group operation's result

struct range {
    uint32_t first, count; // cells
};

struct edit {
    struct compiler *c;
    struct program *program;
    uint64_t seed;
    enum operator which; // current operator
    uint32_t taken;      // sites taken by it
    uint32_t gone;       // instructions that it moved up from here or earlier
    uint32_t *above;     // [block]: a dominator, or NO_BLOCK
    uint32_t *forward;   // [block]: incoming edges from earlier blocks
};

// Examines instruction `pc`, and changes the program if it is a site that is taken. False: error.
typedef bool miscompile_site(struct edit *edit, uint32_t pc);

// miscompile_memory.c
miscompile_site site_load_order, site_load_late, site_store_late, site_forward, site_member,
    site_dead, site_atomic, site_zero, site_transpose;
// miscompile_group.c
miscompile_site site_hoist, site_sink, site_merge, site_reuse, site_uniform, site_own, site_spill,
    site_subword, site_predicate, site_inactive;
// miscompile_flow.c
miscompile_site site_branch, site_barrier, site_counter;
// miscompile_arithmetic.c
miscompile_site site_splat, site_modifier, site_distribute, site_field, site_carry;

// miscompile.c: changes the program decoded last.
bool miscompile(struct compiler *c, uint64_t key);

// Whether the site is taken, which marks the instruction.
bool edit_takes(struct edit *edit, uint32_t pc);
// The same for a site that is no instruction: `at` is its word in the module.
bool edit_takes_at(struct edit *edit, uint32_t at, uint32_t pc);
uint32_t edit_block(const struct edit *edit, uint32_t pc);  // the instruction's block
uint32_t edit_end(const struct edit *edit, uint32_t block); // pc after its last instruction
// Inserts an instruction before `pc` of the block, or with edit_end at its end. It is attributed to
// the site of `from` and marked as added.
bool edit_add(struct edit *edit, uint32_t block, uint32_t pc, const struct insn *from,
              struct insn insn);
// Moves an instruction to before `to`, which is in `block`.
void edit_move(struct edit *edit, uint32_t pc, uint32_t block, uint32_t to);
// Turns the instruction into a plain copy between cells.
void edit_make_copy(struct insn *insn, uint32_t from, uint32_t count);
// Replaces an operand of the instruction by what `added`, inserted before it, makes of its cells.
bool edit_replace(struct edit *edit, uint32_t pc, uint32_t *operand, struct insn added);
// Wraps the instruction in `run`.
bool edit_wrap(struct edit *edit, struct insn *insn, insn_run *run, uint32_t cell);

struct range edit_written(const struct edit *edit, const struct insn *insn);
bool edit_reads(const struct edit *edit, const struct insn *insn, struct range cells);
// Whether the block reads the cells, in an instruction or in moves out of it.
bool edit_block_reads(const struct edit *edit, uint32_t block, struct range cells);
// The value of a constant cell.
bool edit_constant(const struct edit *edit, uint32_t cell, uint64_t *value);
// Whether an instruction has no effect but its result, so that it can be moved.
bool edit_is_pure(const struct insn *insn);

static inline bool edit_is_group(const struct insn *insn)
{
    return insn->kind == INSN_TANGLED || insn->kind == INSN_CROSS_LANE;
}

static inline bool edit_is_matrix(const struct insn *insn) // cooperative; is a group operation
{
    return insn->opcode == SpvOpCooperativeMatrixLoadKHR ||
           insn->opcode == SpvOpCooperativeMatrixStoreKHR ||
           insn->opcode == SpvOpCooperativeMatrixMulAddKHR;
}

static inline bool range_meets(struct range a, struct range b)
{
    return a.first < b.first + b.count && b.first < a.first + a.count;
}
