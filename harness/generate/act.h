// SPDX-License-Identifier: Apache-2.0
// What generated programs do with data: one step assigns what an operation gives to a register. A
// lane has registers of 32 bits, u0, u1, ..., and Boolean ones, p0, p1, ... Pure.
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEN_NUMBERS 128 // registers of 32 bits that a program has at most: a multiple of 4
#define GEN_TRUTHS  32  // Boolean ones, which fit into a word

// The operations. What each does: docs/fuzzing.md.
enum gen_op {
    GEN_OP_NONE,
    // Of the lane alone.
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
    // Of the subgroup.
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
    // Of memory.
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
    GEN_OPS
};

// What a reduction, a scan or an atomic operation combines by.
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

// What a group operation takes a register for, or where memory is.
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
    GEN_ALONE,    // it concerns the lane alone
    GEN_DEFINITE, // those that the rule says, exactly
    GEN_FULL,     // the whole workgroup
};

struct gen_act {
    uint8_t op, with, type; // enum gen_op, gen_with, gen_type
    uint8_t to;             // the register that it assigns to
    bool adds;              // += : what the register held is added; of Boolean ones modulo 2
    uint8_t from[3];        // registers, as many as the operation takes
    uint8_t n;              // a constant
};

// How an operation is written, and what it takes.
struct gen_form {
    const char *name;
    char gives;        // 'u', 'p', 't': either, by the type; '-': nothing
    const char *takes; // 'u', 'p', 't' for registers, '#' for the constant
    uint8_t most;      // that the constant may be
    uint8_t needs;     // enum gen_needs
    bool combines;     // has a `with`
    uint16_t types;    // bit i: enum gen_type i
    int8_t feature;    // enum cat_feature
};
extern const struct gen_form gen_forms[GEN_OPS];

extern const char *const gen_with_names[GEN_WITHS];
// "" of GEN_U32
extern const char *const gen_type_names[GEN_TYPES];

// Whether an operation may combine so, on numbers of this type.
bool gen_act_may(enum gen_op op, enum gen_with with, enum gen_type type);
// Whether it gives a Boolean; whether its operand number `i` is one.
bool gen_act_gives_truth(const struct gen_act *act);
bool gen_act_takes_truth(const struct gen_act *act, uint32_t i);
// How many registers it takes.
uint32_t gen_act_operands(const struct gen_act *act);
// The features of a device that it needs, as bits 1 << enum cat_feature.
uint64_t gen_act_features(const struct gen_act *act);
// The smallest subgroup in which it makes sense.
uint32_t gen_act_least(const struct gen_act *act);
// What is wrong with it in a program with so many registers, in so many loops; NULL: nothing.
const char *gen_act_fault(const struct gen_act *act, uint32_t numbers, uint32_t truths,
                          uint32_t loops);

// Appends "u1+=reduce.add(u2)"; reads it. False if the word is none.
void gen_act_write(const struct gen_act *act, struct text *text);
bool gen_act_read(const char *word, struct gen_act *act);

// --- What is computed, by the emitted module and by the host alike

// The upper half of a number of 64 bits that is made of 32, and what is made of the two halves.
#define GEN_HIGH(low)       ((low) ^ 1540483477u)
#define GEN_FOLD(low, high) ((low) + 3 * (high))
// Floats hold small numbers, of which sums are exact: so many bits of the register.
#define GEN_FLOAT_MASK(type) ((type) == GEN_F16 ? 7u : 255u)
#define GEN_INITIAL          1431655765u     // what counters hold at first: every other bit
#define GEN_TICKETS          GEN_WITHS       // the counter that tickets are taken from,
#define GEN_TICKET_SUM       (GEN_WITHS + 1) // and that of their sum
#define GEN_COUNTERS         (GEN_WITHS + 3) // an even number: one is not used
#define GEN_ROUNDS(n)        (4u * (n))      // of the counted loop
// Register k at first, by the one before: u0 is the lane's word, pK its bit K.
#define GEN_NEXT(before, k) (((before) ^ (before) >> 16) * 73244475u + (k))
