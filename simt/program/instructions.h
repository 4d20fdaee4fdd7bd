// SPDX-License-Identifier: Apache-2.0
// The interface between the decoder and the instruction functions of exec/.
#pragma once

#include "program/program.h"

#include <stdbool.h>
#include <stdint.h>

// Selection. The decoder knows which operands of an instruction are values; a group of instructions
// knows their required shapes. A selector returns the function for a supported shape, and fills in
// the instruction's other fields (`components`, `flags`, `literal`); NULL if the opcode is not in
// its group or the shape is invalid, which is an error in the module. The selected function may
// rely on every operand having as many cells as its shape says.
// Floats with other encodings than IEEE 754's are converted, and multiplied in cooperative
// matrices; other arithmetic has none.
enum scalar_kind {
    SCALAR_BOOL,
    SCALAR_INT,
    SCALAR_FLOAT,
    SCALAR_BFLOAT, // 16 bits
    SCALAR_E4M3,   // 8 bits
    SCALAR_E5M2,
    SCALAR_POINTER,
    SCALAR_OTHER
};

struct shape {
    enum scalar_kind scalar; // SCALAR_OTHER: struct, array, matrix, or no value
    uint32_t width;          // bits of one component; bool is 1
    bool is_signed;          // integers
    uint32_t components;     // 1 for scalars; SCALAR_OTHER: cells
    // Matrices (which are SCALAR_OTHER); otherwise 0 columns.
    uint32_t columns, rows, matrix_width;
    uint32_t type; // id, to compare shapes for type identity
};

#define SHAPE_OPERANDS_MAX 8

struct insn_shape {
    uint16_t opcode;   // OpExtInst: SpvOpExtInst
    uint32_t extended; // OpExtInst: the GLSL.std.450 instruction
    bool has_result;
    struct shape result;
    uint32_t operand_count; // value operands; 4 in insn->operand, if more all in program->extra
    struct shape operand[SHAPE_OPERANDS_MAX];
    uint32_t literals[4]; // literal operands in order (group operation; scope ids are values)
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

// All group operations' operands: those without a scope are shifted so that the value is second.
enum { GROUP_SCOPE, GROUP_VALUE, GROUP_ARGUMENT, GROUP_CLUSTER };

// Composites and registers (exec/compose.c), used by the decoder directly.
insn_run compose_copy;   // `components` cells from operand[0] to result; see REGISTER_ACCESS
insn_run compose_gather; // result[i] = cell extra[i], i < extra_count; CELL_NONE: junk
insn_run
    compose_extract;     // OpVectorExtractDynamic: operand[0] vector of `literal`, operand[1] index
insn_run compose_insert; // OpVectorInsertDynamic: operand[0] vector, operand[1] component,
                         // operand[2] index; `components` of the vector
insn_run compose_undefined; // OpUndef: new random values of `width` bits in `components` cells
void compose_moves(struct exec *exec, const struct move *moves, uint32_t count); // all read first

// Memory (exec/memory.c, exec/atomic.c), used by the decoder directly.
//
// Access flags, insn->flags of loads, stores and copies:
#define ACCESS_NON_PRIVATE 1u  // ordered by barriers (always set without the Vulkan memory model)
#define ACCESS_VISIBLE     2u  // make visible before a load: at scope `literal >> 8`
#define ACCESS_AVAILABLE   4u  // make available after a store
#define ACCESS_COHERENT    8u  // decorated Coherent, or volatile: never late, never stale
#define ACCESS_REGISTER    16u // the pointer is a cell number
#define ACCESS_COLUMNS     32u // cooperative matrix: by columns

// OpLoad, OpStore: operand[0] is the pointer, operand[1] a store's value; `components` is unused.
// In memory, extra[] holds PIECE_WORDS words per scalar: cell (relative to the value's first), byte
// offset, bits, piece kind; extra_count is the number of pieces. In registers it is the number of
// cells.
#define PIECE_WORDS 4
enum piece_kind { PIECE_BITS, PIECE_BOOL }; // a bool in memory is 4 bytes: 0 or 1
insn_run memory_load;
insn_run memory_store;
insn_run memory_load_register;
insn_run memory_store_register;

// `literal` of a load or store of a register variable: by these two, or by compose_copy, where the
// first instruction has it for everything copied. 0 for other copies.
#define REGISTER_ACCESS(is_store, cells, bytes)                                                    \
    ((uint64_t)(bytes) << 32 | (uint64_t)(cells) << 1 | (is_store))
#define REGISTER_STORES(literal) ((literal)&1)
#define REGISTER_CELLS(literal)  ((uint32_t)(literal) >> 1)
#define REGISTER_BYTES(literal)  ((uint32_t)((literal) >> 32))

// Flags of conversions from or to other floats than IEEE 754's: the kinds, and what a conversion to
// 8 bits makes of numbers out of range.
#define CONVERTS_TO_SHIFT   4
#define CONVERTS_FROM(insn) ((enum scalar_kind)((insn)->flags & 15))
#define CONVERTS_TO(insn)   ((enum scalar_kind)((insn)->flags >> CONVERTS_TO_SHIFT & 15))
#define CONVERT_TO_LARGEST  256u // the largest number, not infinity or NaN
insn_run convert_encoded;

// Cooperative matrices (exec/memory.c, exec/matrix.c), with operands in the places of group
// operations. In subgroups of W lanes, component i of lane l is element i * W + l of the matrix in
// row-major order; components past the last element are unused. `literal` holds rows, columns, and
// one more number.
#define MATRIX_ROWS_SHIFT    16 // above the scope in `flags`
#define MATRIX_COLUMNS_SHIFT 24
#define MATRIX_LAST_SHIFT    32
#define MATRIX_ROWS(insn)    ((uint32_t)((insn)->literal >> MATRIX_ROWS_SHIFT & 0xff))
#define MATRIX_COLUMNS(insn) ((uint32_t)((insn)->literal >> MATRIX_COLUMNS_SHIFT & 0xff))
#define MATRIX_FLOAT         1u // flags of a product; for integers, which are signed
#define MATRIX_A_SIGNED      2u
#define MATRIX_B_SIGNED      4u
#define MATRIX_KIND_SHIFT(i)                                                                       \
    (8 + 2 * (i)) // of floats: enum scalar_kind after SCALAR_FLOAT of A, B, C
#define MATRIX_KIND(insn, i)                                                                       \
    ((enum scalar_kind)(SCALAR_FLOAT + ((insn)->flags >> MATRIX_KIND_SHIFT(i) & 3)))
#define MATRIX_SATURATING 32u // of a product of integers: the addition of C
#define MATRIX_SIGNED     64u // the result is signed, if it saturates
// GROUP_VALUE: pointer, GROUP_ARGUMENT: stride, GROUP_CLUSTER: the stored matrix. The last number:
// the stride's unit in bytes; `width` is a component's.
insn_run matrix_load;
insn_run matrix_store;
// Of an element of that matrix, by a lane's pointer and stride.
uint64_t matrix_address(const struct exec *exec, const struct insn *insn, unsigned lane,
                        uint32_t element);
// GROUP_VALUE, GROUP_ARGUMENT, GROUP_CLUSTER: A, B, C. The last number: columns of A. A and B have
// components of `operand_width` bits, the result of `width`.
insn_run matrix_multiply_add;

// Storage images (exec/image.c). An image's value is the address of its first texel. The address of
// the texel at `literal` coordinates of 32 bits, from operand[1] on, in the image operand[0];
// outside of the image POINTER_OUTSIDE, where loads give 0 and stores are lost, without a fault.
#define POINTER_OUTSIDE UINT64_C(0x7ffffe0000000000)
insn_run image_texel;
insn_run image_size; // `components` extents of the image operand[0]

// Access chains: result = operand[0] + literal + sum of index * stride, where extra[] holds
// CHAIN_WORDS words for each non-constant index: cell, index width in bits, 1 if it is signed,
// stride low word, stride high word, bound (0: unknown). An index out of bounds gives POINTER_BAD,
// on which every access faults. The unit is bytes, or cells for registers.
#define CHAIN_WORDS 6
#define POINTER_BAD UINT64_C(0x7fffffffffffffff)
insn_run memory_chain;
insn_run memory_difference;   // OpPtrDiff: (operand[0] - operand[1]) / literal bytes, signed
insn_run memory_array_length; // OpArrayLength: operand[0] pointer to the struct, literal: offset of
                              // the array << 32 | stride, in bytes
insn_run memory_fence;        // INSN_FENCE: operand[0] scope, operand[1] semantics
insn_run memory_barrier; // INSN_BARRIER's memory part: operand[0..2]; called once all have arrived
// Atomics: operand[0] pointer, operand[1] scope, operand[2] semantics, operand[3] value; for
// compare-exchange extra[0] is the comparator's cell, extra[1] the unequal semantics', extra[2] the
// value's. `width` in bits. The flags have ACCESS_REGISTER for Function and Private.
insn_select select_atomic;

// Building blocks of miscompilation (exec/miscompiled.c). With one result and `components`:
insn_run miscompiled_first;  // operand[0] of the first executing lane
insn_run miscompiled_choose; // operand[0] ? operand[1] : operand[2]
insn_run miscompiled_mask;   // the bits of operand[0] that the literal has
insn_run miscompiled_splat;  // the first component of operand[0]
insn_run miscompiled_carry;  // the 64-bit sum or difference of two halves, without a carry
insn_run miscompiled_share; // each pair of lanes takes what its last lane has in the result's cells
insn_run miscompiled_extend; // OpUConvert as OpSConvert, and vice versa
// Turns an OpAtomicStore into an addition (exec/atomic.c).
void miscompiled_add(struct insn *store);
// With an index into program->wrapped:
insn_run miscompiled_predicated; // only lanes where the predicate is true
insn_run miscompiled_inactive;   // all present lanes; only executing ones keep the results
