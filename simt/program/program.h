// SPDX-License-Identifier: Apache-2.0
// A program: a module decoded into the interpreter's form. Immutable and shared by all threads.
//
// Register file. A subgroup has one array of 64-bit cells, [cell][lane]: cell c of lane l is
// cells[c * width + l]. Every scalar has its own cell: a vector of 3 has three consecutive ones, a
// struct all its scalars in order (matrices by columns). Constants, results, parameters, and
// variables in Function, Private and Input are all there; no cell is shared. SPIR-V shaders cannot
// recurse, so there is no stack: a value stays until its instruction executes again. (So a shuffle
// without synchronisation reads what the other lane computed last.)
//
// A cell holds the scalar's bits, zero-extended: booleans are 0 or 1, an int8 of -1 is 0xff, floats
// are their bit pattern. Pointers to Function, Private and Input variables are the first cell's
// number; all other pointers are addresses (program/address.h).
#pragma once

#include "lanes.h"
#include "module/module.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exec;
struct insn;

// Executes an instruction for lanes exec->lane[0 .. exec->count - 1] (program/execution.h).
typedef void insn_run(struct exec *exec, const struct insn *insn);

enum insn_kind {
    INSN_PLAIN,      // just `run`
    INSN_TANGLED,    // a group operation: `run` on the tangle's lanes
    INSN_CROSS_LANE, // a group operation that only reads other lanes' operands: shuffle, quad
    INSN_BARRIER,    // OpControlBarrier: cells of scopes and semantics in operand[0..2]
    INSN_FENCE,      // OpMemoryBarrier: operand[0], operand[1]; `run` orders memory
    // Branches: their edges are program->edges[extra .. extra + extra_count - 1].
    INSN_BRANCH, // one edge
    INSN_IF,     // condition in operand[0]: first edge if true, else the second
    INSN_SWITCH, // selector in operand[0]: default edge first, then the cases
    INSN_CALL,   // enters function `literal`; continues after this instruction
    INSN_RETURN, // from a function, or ends the invocation
    INSN_END,    // ends the invocation: OpTerminateInvocation, OpKill
    INSN_UNREACHABLE,
};

#define CELL_NONE UINT32_MAX

// 64 bytes: a cache line.
struct insn {
    insn_run *run; // NULL for kinds executed by the scheduler
    uint16_t opcode;
    uint8_t kind;          // enum insn_kind
    uint8_t components;    // of the result, 1 for a scalar
    uint8_t width;         // bits per component of the result: bool 1, pointers 64
    uint8_t operand_width; // bits per component of operand 0
    uint16_t flags;        // defined by the group of instructions
    uint32_t result;       // first cell, or CELL_NONE
    uint32_t operand[4];   // first cells
    uint32_t extra;        // index into program->extra, defined by the group
    uint32_t extra_count;
    uint32_t miscompiled; // bit n: operator n (settings.h) changed or added it: INSN_ADDED
    uint64_t literal;
    uint32_t at; // first word in the module; its line in the listing is lines[pc]
    uint32_t id; // of the result, or 0
};

#define INSN_ADDED (1u << 31) // in `miscompiled`: not in the module

// Whether the instruction ends its block.
static inline bool insn_ends_block(const struct insn *insn)
{
    return insn->kind >= INSN_BRANCH && insn->kind != INSN_CALL;
}

// Simultaneous copies on the way into a block, from OpPhi: all are read before any is written.
struct move {
    uint32_t to, from, count; // cells
};

struct edge {
    uint32_t block;
    uint32_t first_move, move_count;
    uint64_t selector; // of a switch: zero-extended from the selector's width
};

enum merge_kind { MERGE_NONE, MERGE_SELECTION, MERGE_LOOP };

struct block {
    uint32_t first; // pc of its first instruction; ends at the first branch, return or end
    uint32_t label; // id
    uint32_t function;
    enum merge_kind merge_kind;
    uint32_t merge; // merge block of a selection or loop
    uint32_t next;  // a loop's continue target
};

struct function {
    uint32_t entry; // entry block
    uint32_t id;
};

// Data of a wrapped instruction, whose `extra` is the index.
struct wrapped {
    insn_run *run; // the instruction's own
    uint32_t cell; // of the predicate
};

struct constant_cell {
    uint32_t cell;
    uint64_t value;
};

// Cells of uninitialised variables, which get random values.
struct undefined_cells {
    uint32_t cell, count;
    uint8_t width;     // per cell
    uint32_t function; // owner of the variable; FUNCTION_NONE: none
    uint32_t variable; // its id
    char *name;        // as in the listing; owned
};
#define FUNCTION_NONE UINT32_MAX

struct builtin_cells {
    uint32_t builtin; // SpvBuiltIn
    uint32_t cell;    // first
    uint32_t components;
};

enum resource_kind { RESOURCE_STORAGE, RESOURCE_UNIFORM, RESOURCE_IMAGE };

// A variable backed by a descriptor. The dispatch gives each of its `count` elements a region; the
// variable's pointer cell is preset to the address of element 0, and element n is n << REGION_SHIFT
// further.
struct resource {
    uint32_t set, binding,
        count; // count: 1, or the length of an array of blocks or images; 0: runtime array
    enum resource_kind kind;
    bool written; // some instruction may store to it
    uint32_t cell;
    uint32_t first_region; // LOCAL_BINDINGS + number of elements of earlier resources
    uint32_t id;
};

struct program {
    struct insn *insns;
    uint32_t insn_count;
    struct block *blocks;
    uint32_t block_count;
    struct function *functions; // [0] is the entry point's
    uint32_t function_count;
    struct edge *edges;
    uint32_t edge_count;
    struct move *moves;
    uint32_t move_count;
    uint32_t *extra;
    uint32_t extra_count;
    uint32_t cell_count;
    struct wrapped *wrapped; // for a miscompiled program
    uint32_t wrapped_count;
    struct constant_cell *constants; // written into every register file before first use
    uint32_t constant_count;
    struct constant_cell *initial; // of Private variables: written when a workgroup begins
    uint32_t initial_count;
    struct undefined_cells *undefined; // of Function and Private variables, likewise
    uint32_t undefined_count;
    struct builtin_cells *builtins;
    uint32_t builtin_count;
    struct resource *resources;
    uint32_t resource_count;
    uint32_t
        region_count; // elements of all resources; runtime arrays count as RESOURCE_RUNTIME_MAX
    uint32_t local_size[3]; // invocations
    uint32_t subgroup;      // size that it was compiled for
    uint64_t shared_size;   // bytes of Workgroup variables
    struct shared_zero {
        uint64_t at, size;
        uint32_t variable; // word of its declaration
    } * shared_zero;       // initially zero (OpConstantNull initialiser)
    uint32_t shared_zero_count;
    uint32_t push_size;  // bytes of push constants declared
    uint32_t call_depth; // longest call chain
    bool maximally_reconverges, subgroup_uniform, vulkan_memory_model;
    char **lines; // the listing: [insn_count], assembler syntax with OpNames; owned
    // Lines of the source (OpLine), ascending by instruction; 0: not known.
    struct source_line {
        uint32_t insn, line;
    } * source_lines;
    uint32_t source_line_count;
    char *listing; // the listing as one text with block headings; owned, terminated
    // Statistics reported through Vulkan:
    uint32_t group_operations, barriers, memory_operations;
    uint64_t key; // hash of its input (FNV-1a), the same in every process
};

#define RESOURCE_RUNTIME_MAX 1024

struct program_constant {
    uint32_t spec_id;
    uint64_t value; // zero-extended
    uint32_t size;  // size in bytes: 1, 2, 4 or 8
};

struct program_options {
    const char *entry;
    const struct program_constant *constants;
    uint32_t constant_count;
    uint32_t subgroup;       // size, a power of two from 1 to 128
    uint32_t local_size_max; // invocations of a workgroup
    uint64_t shared_max;     // bytes
    // For MODEL_MISCOMPILING (settings.h): rates and the device's seed. NULL: no faults.
    const double *operators;
    uint64_t seed;
};

// Compiles a module. NULL and one line in `error`, which names the instruction and word, if it is
// malformed or unsupported. Safe for any input.
struct program *program_compile(const uint32_t *words, size_t count,
                                const struct program_options *options, char *error, size_t size);
void program_free(struct program *program);
// The line in the shader's source of an instruction; 0: not known.
uint32_t program_line(const struct program *program, uint32_t pc);
