// SPDX-License-Identifier: Apache-2.0
// What an instruction sees while it is executed, and how a decoded instruction gets its function.
#pragma once

#include "lanes.h"
#include "program/program.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct workgroup; // schedule/machine.h
struct subgroup;
struct order; // memory/order.h
struct regions;
struct region;

enum exec_fault_kind {
    EXEC_NO_FAULT,
    EXEC_OUT_OF_BOUNDS, // an access outside of what the shader was given, or by a null pointer
    EXEC_READ_ONLY,     // a store to memory that may only be read
    EXEC_MISALIGNED,    // an atomic at an address that is not a multiple of its size
    EXEC_UNREACHABLE,   // OpUnreachable was reached
    EXEC_DEADLOCK,      // no invocation of a workgroup can continue
    EXEC_NO_MEMORY,     // the interpreter could not get `size` bytes; not the shader's doing
};

// The first thing that a shader did wrong.
struct exec_fault {
    enum exec_fault_kind kind;
    const struct insn *insn;
    uint32_t group[3], subgroup, lane;
    uint64_t address, size; // bytes; of accesses
};

// One for each thread of the interpreter. The scheduler points it at a subgroup and a set of its
// lanes; the instruction functions read and write that subgroup's cells for exactly these lanes.
struct exec {
    uint64_t *cells;         // of the subgroup, [cell][lane]
    uint32_t width;          // lanes in a subgroup
    uint32_t count;          // lanes that execute
    uint8_t lane[LANES_MAX]; // which, upwards
    lanes mask;              // the same as a set
    lanes present; // lanes of the subgroup that have an invocation (a partial subgroup has less)

    const struct program *program;
    const struct insn *insn; // being executed: for reports
    struct workgroup *workgroup;
    struct subgroup *subgroup;
    uint32_t group_id[3], subgroup_id; // for reports

    // Memory.
    const struct regions *regions; // of the device: buffers by address
    const struct region *local;    // of the dispatch: LOCAL_* and the bindings
    uint32_t local_count;
    unsigned char *shared; // of the workgroup
    uint64_t shared_size;
    struct order *order; // of the workgroup; NULL: memory is sequentially consistent

    // What the model changes in single instructions.
    bool snoop;        // a cross-lane read may read inactive lanes: it gets what their cells hold
    uint64_t random;   // state of the thread's generator: exec_random
    double fault_rate; // of stored values that are made wrong
    bool robust;       // after a fault loads give 0 and stores are dropped, and execution continues
    struct exec_fault fault;
    uint64_t *clock; // counts scheduler steps: OpReadClockKHR and timestamps within a dispatch
    bool trace;      // note in `seen` what was read
    struct exec_seen {
        uint64_t address; // last address of a lane's memory access
        uint8_t source;   // source of a cross-lane read; 255: none
    } * seen;             // [LANES_MAX], only with `trace`
};

static inline uint64_t *exec_cells(const struct exec *exec, uint32_t cell)
{
    return exec->cells + (size_t)cell * exec->width;
}

uint64_t exec_random(struct exec *exec); // 64 random bits

// Notes a fault of the instruction being executed (only the first one is kept).
void exec_fault(struct exec *exec, enum exec_fault_kind kind, unsigned lane, uint64_t address,
                uint64_t size);
// "out-of-bounds access of 4 bytes at ... by OpLoad %x, workgroup (1, 0, 0), subgroup 0, lane 3"
void exec_fault_text(const struct exec_fault *fault, const struct program *program, char *text,
                     size_t size);

// Selecting. The decoder knows which of an instruction's operands are values; a group of
// instructions knows what they must look like. A selector returns the function for a shape that it
// executes, and fills in what else the instruction needs (`components`, `flags`, `literal`); NULL
// if the opcode is not of its group or the shape is wrong: a wrong shape is an error of the module.
// After a selector said yes its function may rely on: every operand has as many cells as its shape
// says.
enum scalar_kind { SCALAR_BOOL, SCALAR_INT, SCALAR_FLOAT, SCALAR_POINTER, SCALAR_OTHER };

struct shape {
    enum scalar_kind scalar; // SCALAR_OTHER: a struct, array or matrix (or no value at all)
    uint32_t width;          // bits of one component; bool is 1
    bool is_signed;          // integers
    uint32_t components;     // 1 for scalars; SCALAR_OTHER: cells
    // Of matrices, which are SCALAR_OTHER too: 0 columns for everything else.
    uint32_t columns, rows, matrix_width;
    uint32_t type; // id, so that two shapes can be compared for being the same type
};

#define SHAPE_OPERANDS_MAX 8

struct insn_shape {
    uint16_t opcode;   // OpExtInst: SpvOpExtInst
    uint32_t extended; // OpExtInst: the GLSL.std.450 instruction
    bool has_result;
    struct shape result;
    uint32_t operand_count; // value operands, in order; the decoder put cells of the first 4 in
                            // insn->operand and all of them in program->extra if there are more
    struct shape operand[SHAPE_OPERANDS_MAX];
    uint32_t literals[4]; // literal operands in order (group operation, scope ids are values)
    uint32_t literal_count;
};

typedef insn_run *insn_select(const struct insn_shape *shape, struct insn *insn);

insn_select select_integer;  // exec/integer.c: arithmetic, comparison, shifts, extended arithmetic
insn_select select_bits;     // exec/bits.c: bitwise, bit fields, counts
insn_select select_float;    // exec/float.c: arithmetic, comparison, dot, matrices, transpose
insn_select select_convert;  // exec/convert.c: conversions, bitcast
insn_select select_logical;  // exec/logical.c: bool operations, select, any, all
insn_select select_extended; // exec/extended.c: GLSL.std.450
insn_select select_group;    // exec/group.c: everything GroupNonUniform, sets insn->kind too
insn_select select_clock;    // exec/clock.c: OpReadClockKHR

// Composites and registers (exec/compose.c); the decoder uses these directly.
insn_run compose_copy;   // `components` cells from operand[0] to result
insn_run compose_gather; // result[i] = cell extra[i], i < extra_count; CELL_NONE: junk
insn_run
    compose_extract;     // OpVectorExtractDynamic: operand[0] vector of `literal`, operand[1] index
insn_run compose_insert; // OpVectorInsertDynamic: operand[0] vector, operand[1] component,
                         // operand[2] index; `components` of the vector
insn_run compose_undefined; // OpUndef: new random values of `width` bits in `components` cells
void compose_moves(struct exec *exec, const struct move *moves, uint32_t count); // all read first

// Memory (exec/memory.c, exec/atomic.c); the decoder uses these directly.
//
// Access flags, insn->flags of loads, stores and copies:
#define ACCESS_NON_PRIVATE 1u  // ordered by barriers (always set without the Vulkan memory model)
#define ACCESS_VISIBLE     2u  // make visible before a load: at scope `literal >> 8`
#define ACCESS_AVAILABLE   4u  // make available after a store
#define ACCESS_COHERENT    8u  // decorated Coherent, or volatile: never late, never stale
#define ACCESS_REGISTER    16u // the pointer is the number of a cell

// OpLoad, OpStore: operand[0] is the pointer, operand[1] the value of a store, `components` is not
// used. In memory: extra[] holds PIECE_WORDS words for each scalar: cell (relative to the first of
// the value), byte offset, bits, piece kind; extra_count is the number of pieces. In registers it
// is the number of cells.
#define PIECE_WORDS 4
enum piece_kind { PIECE_BITS, PIECE_BOOL }; // a bool in memory is 4 bytes: 0 or 1
insn_run memory_load;
insn_run memory_store;
insn_run memory_load_register;
insn_run memory_store_register;

// OpAccessChain and its kin: result = operand[0] + literal + sum of index * stride, where extra[]
// holds CHAIN_WORDS words for each index that is not constant: cell, width of the index in bits, 1
// if the index is signed, stride low word, stride high word, bound (0: unknown). An index outside
// its bound gives POINTER_BAD, on which every access faults. The unit is bytes, or cells for
// registers.
#define CHAIN_WORDS 6
#define POINTER_BAD UINT64_C(0x7fffffffffffffff)
insn_run memory_chain;
insn_run memory_array_length; // OpArrayLength: operand[0] pointer to the struct, literal: offset of
                              // the array << 32 | stride, in bytes
insn_run memory_fence;        // INSN_FENCE: operand[0] scope, operand[1] semantics
insn_run memory_barrier; // the memory part of INSN_BARRIER: operand[0..2]; called by the scheduler
                         // for the lanes that went through, once all have arrived
// Atomics: operand[0] pointer, operand[1] scope, operand[2] semantics, operand[3] value; for
// compare-exchange extra[0] is the cell of the comparator, extra[1] that of the unequal semantics,
// extra[2] that of the value. `width` in bits. The flags have ACCESS_REGISTER for Function and
// Private.
insn_select select_atomic;
