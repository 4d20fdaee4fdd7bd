// SPDX-License-Identifier: Apache-2.0
// A program: a module decoded once into what the interpreter executes. It is immutable, and shared
// by all threads.
//
// Register file. A subgroup has one array of 64-bit cells, [cell][lane]: cell c of lane l is
// cells[c * width + l]. Every scalar has a cell of its own: a vector of 3 has three in a row, a
// struct all of its scalars in order (matrices column by column). Constants, results, parameters,
// and the variables of the storage classes Function, Private and Input all live there; no cell is
// used for two things, and since SPIR-V's shaders cannot recurse, no stack is needed: a value stays
// where it is until its instruction is executed again. (What a shuffle without synchronisation
// reads is therefore what the other lane computed last.)
//
// A cell holds the scalar's bits, zero-extended: booleans are 0 or 1, an int8 of -1 is 0xff, floats
// are their bit pattern. Pointers to Function, Private and Input variables are the number of the
// first cell; all other pointers are addresses (program/address.h).
#pragma once

#include "lanes.h"
#include "module/module.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exec;
struct insn;

// Executes an instruction for the lanes exec->lane[0 .. exec->count - 1] (program/execution.h).
typedef void insn_run(struct exec *exec, const struct insn *insn);

enum insn_kind {
    INSN_PLAIN,      // `run` is all there is to it
    INSN_TANGLED,    // a group operation: `run` with the lanes of the tangle
    INSN_CROSS_LANE, // a group operation that only reads an operand of other lanes: shuffles,
                     // rotate, broadcasts with an id, quad operations
    INSN_BARRIER,    // OpControlBarrier: operand[0..2] are the cells of scopes and semantics
    INSN_FENCE,      // OpMemoryBarrier: operand[0], operand[1]; `run` orders memory
    // Branches: their edges are program->edges[extra .. extra + extra_count - 1].
    INSN_BRANCH, // one edge
    INSN_IF,     // operand[0] is the condition: the first edge if true, the second if false
    INSN_SWITCH, // operand[0] is the selector: the first edge is the default, the cases follow
    INSN_CALL,   // enters function `literal` at its first block; continues after this instruction
    INSN_RETURN, // from a function or, in the entry point, ends the invocation
    INSN_END,    // ends the invocation: OpTerminateInvocation, OpKill
    INSN_UNREACHABLE,
};

#define CELL_NONE UINT32_MAX

// 64 bytes: a line of the cache.
struct insn {
    insn_run *run; // NULL for kinds that the scheduler executes itself
    uint16_t opcode;
    uint8_t kind;       // enum insn_kind
    uint8_t components; // operations to do: components of the result, 1 for a scalar
    uint8_t width; // bits of one component of the result: 1 for bool, 8, 16, 32, 64; pointers 64
    uint8_t operand_width; // bits of one component of operand 0
    uint16_t flags;        // as the group of instructions says
    uint32_t result;       // first cell, or CELL_NONE
    uint32_t operand[4];   // first cells
    uint32_t extra;        // index into program->extra: what does not fit, as the group says
    uint32_t extra_count;
    uint32_t miscompiled; // bit n: operator n (settings.h) changed it, or added it: INSN_ADDED
    uint64_t literal;
    uint32_t at; // the word of the module at which it begins; line of the listing through lines[pc]
    uint32_t id; // of the result, or 0
};

#define INSN_ADDED (1u << 31) // of `miscompiled`: the module has no such instruction

// Whether a block ends with the instruction.
static inline bool insn_ends_block(const struct insn *insn)
{
    return insn->kind >= INSN_BRANCH && insn->kind != INSN_CALL;
}

// Copies that happen together on the way into a block: what OpPhi says. All are read before any is
// written.
struct move {
    uint32_t to, from, count; // cells
};

struct edge {
    uint32_t block;
    uint32_t first_move, move_count;
    uint64_t selector; // of a switch: zero-extended to 64 bits, from the selector's width
};

enum merge_kind { MERGE_NONE, MERGE_SELECTION, MERGE_LOOP };

struct block {
    uint32_t first; // pc of its first instruction; it ends with the first one of kind BRANCH, IF,
                    // SWITCH, RETURN, END or UNREACHABLE
    uint32_t label; // id
    uint32_t function;
    enum merge_kind merge_kind;
    uint32_t merge; // block: of a selection or loop
    uint32_t next;  // block: the loop's continue target
};

struct function {
    uint32_t entry; // block
    uint32_t id;
};

// What stands where an operator put something around an instruction: its `extra` is the index.
struct wrapped {
    insn_run *run; // the instruction's own
    uint32_t cell; // of the predicate
};

struct constant_cell {
    uint32_t cell;
    uint64_t value;
};

// Cells that begin with new random values: of variables without an initialiser.
struct undefined_cells {
    uint32_t cell, count;
    uint8_t width;     // of each
    uint32_t function; // whose variable it is; FUNCTION_NONE: nobody's
    uint32_t variable; // its id
    char *name;        // as the listing has it, owned
};
#define FUNCTION_NONE UINT32_MAX

struct builtin_cells {
    uint32_t builtin; // SpvBuiltIn
    uint32_t cell;    // first
    uint32_t components;
};

enum resource_kind { RESOURCE_STORAGE, RESOURCE_UNIFORM };

// A variable that a descriptor backs. The dispatch gives each of its `count` elements a region; the
// variable's pointer cell is preset to the address of element 0, element n is n << REGION_SHIFT
// further.
struct resource {
    uint32_t set, binding, count; // count: 1, or the length of an array of blocks; 0: runtime array
    enum resource_kind kind;
    bool written; // some instruction may store there
    uint32_t cell;
    uint32_t first_region; // LOCAL_BINDINGS + the number of elements of the resources before
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
    struct wrapped *wrapped; // of a miscompiled program
    uint32_t wrapped_count;
    struct constant_cell *constants; // written into every register file before it is first used
    uint32_t constant_count;
    struct constant_cell *initial; // of Private variables: written when a workgroup begins
    uint32_t initial_count;
    struct undefined_cells *undefined; // of Function and Private variables, in the same way
    uint32_t undefined_count;
    struct builtin_cells *builtins;
    uint32_t builtin_count;
    struct resource *resources;
    uint32_t resource_count;
    uint32_t
        region_count; // elements of all resources; runtime arrays count as RESOURCE_RUNTIME_MAX
    uint32_t local_size[3]; // invocations
    uint32_t subgroup;      // invocations that the program was compiled for
    uint64_t shared_size;   // bytes of Workgroup variables
    struct shared_zero {
        uint64_t at, size;
        uint32_t variable; // where the module declares it: a word
    } * shared_zero;       // those that begin as zeros (OpConstantNull initialiser)
    uint32_t shared_zero_count;
    uint32_t push_size;  // bytes of push constants that the module declares
    uint32_t call_depth; // longest chain of calls
    bool maximally_reconverges, subgroup_uniform, vulkan_memory_model;
    char **lines;  // the listing: [insn_count], one line of text for each instruction, in the
                   // syntax of the SPIR-V assembler with OpName's names; owned
    char *listing; // all of it as one text with block headings, owned, terminated
    // For statistics that Vulkan reports:
    uint32_t group_operations, barriers, memory_operations;
    uint64_t key; // what it was compiled from, as one number (FNV-1a), the same in every process
};

#define RESOURCE_RUNTIME_MAX 1024

struct program_constant {
    uint32_t spec_id;
    uint64_t value; // zero-extended
    uint32_t size;  // bytes given: 1, 2, 4 or 8
};

struct program_options {
    const char *entry;
    const struct program_constant *constants;
    uint32_t constant_count;
    uint32_t subgroup;       // invocations: a power of two from 1 to 128
    uint32_t local_size_max; // invocations of a workgroup
    uint64_t shared_max;     // bytes
    // Of MODEL_MISCOMPILING (settings.h): its rates and the device's seed. NULL: no faults.
    const double *operators;
    uint64_t seed;
};

// Compiles a module. NULL and one line in `error` if it is malformed or asks for what is not
// supported; the line names the instruction and the word. Safe for any input.
struct program *program_compile(const uint32_t *words, size_t count,
                                const struct program_options *options, char *error, size_t size);
void program_free(struct program *program);
