// SPDX-License-Identifier: Apache-2.0
// Faults of a compiler, as changes of a decoded program: what the operators of MODEL_MISCOMPILING
// (settings.h) share. An operator looks at one instruction; where it could act is a site. Which
// sites it takes follows from its rate, the device's seed and what the pipeline is compiled from.
//
// The structure of blocks never changes, only what stands in them.
#pragma once

#include "program/compiler.h"
#include "settings.h"

#define NO_BLOCK   UINT32_MAX
#define ABOVE_MAX  16   // blocks that a search goes up
#define SITES_MAX  4096 // that one operator takes: what a pipeline may cost is bounded
#define CELLS_HELD 4    // of a group operation's result

struct range {
    uint32_t first, count; // cells
};

struct edit {
    struct compiler *c;
    struct program *program;
    uint64_t seed;
    enum operator which; // that is being applied
    uint32_t taken;      // sites, by this one
    uint32_t gone;       // instructions that it moved up from where it is, or before
    uint32_t *above;     // [block]: one through which all ways to it lead, or NO_BLOCK
    uint32_t *forward;   // [block]: how many edges lead to it from blocks before it
};

// Looks at instruction `pc`, and changes the program if it is a site that is taken. False: an
// error.
typedef bool miscompile_site(struct edit *edit, uint32_t pc);

// miscompile_memory.c
miscompile_site site_load_order, site_load_late, site_store_late, site_forward, site_member,
    site_dead, site_atomic, site_zero, site_transpose;
// miscompile_group.c
miscompile_site site_hoist, site_sink, site_merge, site_reuse, site_uniform, site_own, site_spill,
    site_subword, site_predicate, site_inactive;
// miscompile_flow.c
miscompile_site site_branch, site_barrier, site_counter;

// miscompile.c: changes the program that was decoded last.
bool miscompile(struct compiler *c, uint64_t key);

// Whether the site is taken; marks the instruction if it is.
bool edit_takes(struct edit *edit, uint32_t pc);
// The same of a site that is no instruction: `at` is its place in the module's words.
bool edit_takes_at(struct edit *edit, uint32_t at, uint32_t pc);
uint32_t edit_block(const struct edit *edit, uint32_t pc);  // that the instruction is in
uint32_t edit_end(const struct edit *edit, uint32_t block); // pc behind its last instruction
// Puts an instruction before `pc` of the block, or, with edit_end, at its end. It belongs to the
// site `from` looks like, and is marked as added.
bool edit_add(struct edit *edit, uint32_t block, uint32_t pc, const struct insn *from,
              struct insn insn);
// Moves an instruction to before `to`, which is of `block`.
void edit_move(struct edit *edit, uint32_t pc, uint32_t block, uint32_t to);
// Makes a copy between cells of the instruction: it takes no part in anything.
void edit_make_copy(struct insn *insn, uint32_t from, uint32_t count);
// Puts `run` around the instruction.
bool edit_wrap(struct edit *edit, struct insn *insn, insn_run *run, uint32_t cell);

struct range edit_written(const struct edit *edit, const struct insn *insn);
bool edit_reads(const struct edit *edit, const struct insn *insn, struct range cells);
// Whether an instruction of the block or a move out of it does.
bool edit_block_reads(const struct edit *edit, uint32_t block, struct range cells);
// The value of a cell that never changes.
bool edit_constant(const struct edit *edit, uint32_t cell, uint64_t *value);
// Whether nothing but its result follows from it, so that it may stand elsewhere.
bool edit_is_pure(const struct insn *insn);

static inline bool edit_is_group(const struct insn *insn)
{
    return insn->kind == INSN_TANGLED || insn->kind == INSN_CROSS_LANE;
}

static inline bool edit_is_matrix(const struct insn *insn) // cooperative; a group operation, too
{
    return insn->opcode == SpvOpCooperativeMatrixLoadKHR ||
           insn->opcode == SpvOpCooperativeMatrixStoreKHR ||
           insn->opcode == SpvOpCooperativeMatrixMulAddKHR;
}

static inline bool range_meets(struct range a, struct range b)
{
    return a.first < b.first + b.count && b.first < a.first + a.count;
}
