// SPDX-License-Identifier: Apache-2.0
// The operations on data of generated programs: each step assigns the result of an operation to a
// register. A lane has 32-bit registers u0, u1, ..., and Boolean registers p0, p1, ... Pure.
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEN_NUMBERS 128 // limit on 32-bit registers per program: a multiple of 4
#define GEN_TRUTHS  32  // limit on Boolean registers, which fit into a word

// The operations; docs/fuzzing.md defines them.
enum gen_op {
    GEN_OP_NONE,
    // Lane-local.
    GEN_OP_ADD,
    GEN_OP_SUB,
    GEN_OP_MUL,
    GEN_OP_AND,
    GEN_OP_OR,
    GEN_OP_XOR,
    GEN_OP_SHL,
    GEN_OP_SHR,
    GEN_OP_NUMBER,
    GEN_OP_LANE,
    GEN_OP_TURN,
    GEN_OP_SELECT,
    GEN_OP_LESS,
    GEN_OP_BIT,
    GEN_OP_BOTH,
    GEN_OP_EITHER,
    GEN_OP_DIFFER,
    GEN_OP_ROUNDS,
    // Lane-local, drawn for GEN_ARITHMETIC alone.
    GEN_OP_ONES,
    GEN_OP_REVERSE,
    GEN_OP_FIELD,
    GEN_OP_SIGNED_FIELD,
    GEN_OP_INSERT,
    GEN_OP_TYPED,
    GEN_OP_TYPED_LESS,
    GEN_OP_TYPED_SHL,
    GEN_OP_TYPED_SHR,
    GEN_OP_TYPED_ROUNDS,
    // Subgroup.
    GEN_OP_REDUCE,
    GEN_OP_INCLUSIVE,
    GEN_OP_EXCLUSIVE,
    GEN_OP_CLUSTER,
    GEN_OP_LATE,
    GEN_OP_ALL,
    GEN_OP_ANY,
    GEN_OP_ALIKE,
    GEN_OP_ELECT,
    GEN_OP_BALLOT,
    GEN_OP_COUNT,
    GEN_OP_COUNT_INCLUSIVE,
    GEN_OP_COUNT_EXCLUSIVE,
    GEN_OP_LOWEST,
    GEN_OP_HIGHEST,
    GEN_OP_INVERSE,
    GEN_OP_EXTRACT,
    GEN_OP_FIRST,
    GEN_OP_BROADCAST,
    GEN_OP_SHUFFLE,
    GEN_OP_SHUFFLE_XOR,
    GEN_OP_UP,
    GEN_OP_DOWN,
    GEN_OP_ROTATE,
    GEN_OP_ROTATE_CLUSTER,
    GEN_OP_QUAD_BROADCAST,
    GEN_OP_QUAD_SWAP,
    // Memory.
    GEN_OP_LOAD,
    GEN_OP_STORE,
    GEN_OP_SWAP,
    GEN_OP_ATOMIC,
    GEN_OP_TICKET,
    GEN_OP_ORDERED,
    GEN_OP_PASS,
    GEN_OP_PEEK,
    GEN_OP_TOTAL,
    GEN_OP_TICKETS,
    // Of real kernels (gen_limits.kernel).
    GEN_OP_GATHER,
    GEN_OP_SCATTER,
    GEN_OP_BARRIER,
    GEN_OP_SYNC,
    GEN_OP_FENCE,
    GEN_OP_WORD,
    GEN_OP_LOCAL,
    GEN_OPS
};

// The combining operator of a reduction, scan or atomic operation.
enum gen_with {
    GEN_WITH_ADD,
    GEN_WITH_MUL,
    GEN_WITH_MIN,
    GEN_WITH_MAX,
    GEN_WITH_SMIN,
    GEN_WITH_SMAX,
    GEN_WITH_AND,
    GEN_WITH_OR,
    GEN_WITH_XOR,
    GEN_WITHS
};

// The type as which an operation interprets a register, or the kind of memory.
enum gen_type {
    GEN_U32,
    GEN_U16,
    GEN_U8,
    GEN_U64,
    GEN_F32,
    GEN_F16,
    GEN_F64,
    GEN_BOOL,
    GEN_SHARED,
    GEN_BUFFER,
    GEN_TYPES
};

// Which invocations must execute an operation together.
enum gen_needs {
    GEN_ALONE,    // lane-local: none
    GEN_DEFINITE, // exactly those that the rule prescribes
    GEN_FULL,     // the whole workgroup
};

struct gen_act {
    uint8_t op, with, type; // enum gen_op, gen_with, gen_type
    uint8_t to;             // destination register
    bool adds;              // += : adds to the register's old value, modulo 2 for Booleans
    uint8_t from[3];        // source registers, as many as the operation takes
    uint8_t n;              // a constant
    uint8_t turns;          // 1, 2: n << i, n << j; 0: n
};

// An operation's notation and operands.
struct gen_form {
    const char *name;
    char gives;        // result: 'u', 'p', 't': by the type; '-': none
    const char *takes; // 'u', 'p', 't' for registers, '#' for the constant
    uint8_t most;      // limit on the constant
    uint8_t needs;     // enum gen_needs
    bool combines;     // takes a `with`
    uint16_t types;    // bit i: accepts enum gen_type i
    int8_t feature;    // enum cat_feature
};
extern const struct gen_form gen_forms[GEN_OPS];

extern const char *const gen_with_names[GEN_WITHS];
// "" for GEN_U32
extern const char *const gen_type_names[GEN_TYPES];

// Whether an operation may combine this way, on values of this type.
bool gen_act_may(enum gen_op op, enum gen_with with, enum gen_type type);
// Whether the result is Boolean; whether operand number `i` is.
bool gen_act_gives_truth(const struct gen_act *act);
bool gen_act_takes_truth(const struct gen_act *act, uint32_t i);
// Whether the constant may be shifted by an iteration.
bool gen_act_turns(enum gen_op op);
// The number of register operands.
uint32_t gen_act_operands(const struct gen_act *act);
// The device features that it needs, as bits 1 << enum cat_feature.
uint64_t gen_act_features(const struct gen_act *act);
// The smallest subgroup size in which it makes sense.
uint32_t gen_act_least(const struct gen_act *act);
// The error of an operation in a program with so many registers, inside so many loops; NULL: valid.
const char *gen_act_fault(const struct gen_act *act, uint32_t numbers, uint32_t truths,
                          uint32_t loops);

// Appends "u1+=reduce.add(u2)"; parses it. False if the word is invalid.
void gen_act_write(const struct gen_act *act, struct text *text);
bool gen_act_read(const char *word, struct gen_act *act);
// Takes a number below 128 off the word's beginning. False if there is none.
bool gen_take_number(const char **word, uint8_t *number);

// --- Computations that the emitted module and the host share

// The upper half of a 64-bit value made from 32 bits; the two halves folded into 32 bits.
#define GEN_HIGH(low)       ((low) ^ 1540483477u)
#define GEN_FOLD(low, high) ((low) + 3 * (high))
// Floats hold only this many bits of the register, so that sums are exact.
#define GEN_FLOAT_MASK(type) ((type) == GEN_F16 ? 7u : 255u)
#define GEN_INITIAL          1431655765u     // initial value of counters: every other bit
#define GEN_TICKETS          GEN_WITHS       // the counter for tickets
#define GEN_TICKET_SUM       (GEN_WITHS + 1) // the counter for their sum
#define GEN_COUNTERS         (GEN_WITHS + 3) // even: one is unused
#define GEN_ROUNDS(n)        (4u * (n))      // iterations of the counted loop
#define GEN_BEFORE_CARRY     4294967294u     // where its 64-bit counter begins
// The width and the offset of the bit field that a number names.
#define GEN_COUNT(number)  ((number) % 33)
#define GEN_OFFSET(number) (((number) >> 8) % (33 - GEN_COUNT(number)))
// The initial value of register k from that of the register before: u0 is the lane's word, pK its
// bit K.
#define GEN_NEXT(before, k) (((before) ^ (before) >> 16) * 73244475u + (k))
