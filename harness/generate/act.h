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

// The operations; docs/fuzzing.md defines them. Each has its name here and the members of struct
// gen_form: without prefixes, and the types as act.c names them.
#define GEN_OPERATIONS(X)                                                                          \
    /* Lane-local. */                                                                              \
    X(ADD, "add", 'u', "uu", 0, ALONE, false, U32, BASIC)                                          \
    X(SUB, "sub", 'u', "uu", 0, ALONE, false, U32, BASIC)                                          \
    X(MUL, "mul", 'u', "uu", 0, ALONE, false, U32, BASIC)                                          \
    X(AND, "and", 'u', "uu", 0, ALONE, false, U32, BASIC)                                          \
    X(OR, "or", 'u', "uu", 0, ALONE, false, U32, BASIC)                                            \
    X(XOR, "xor", 'u', "uu", 0, ALONE, false, U32, BASIC)                                          \
    X(SHL, "shl", 'u', "u#", 31, ALONE, false, U32, BASIC)                                         \
    X(SHR, "shr", 'u', "u#", 31, ALONE, false, U32, BASIC)                                         \
    X(NUMBER, "number", 'u', "#", 127, ALONE, false, U32, BASIC)                                   \
    X(LANE, "lane", 'u', "", 0, ALONE, false, U32, BASIC)                                          \
    X(TURN, "turn", 'u', "#", 1, ALONE, false, U32, BASIC)                                         \
    X(SELECT, "select", 'u', "puu", 0, ALONE, false, U32, BASIC)                                   \
    X(LESS, "less", 'p', "uu", 0, ALONE, false, U32, BASIC)                                        \
    X(BIT, "bit", 'p', "u#", 31, ALONE, false, U32, BASIC)                                         \
    X(BOTH, "both", 'p', "pp", 0, ALONE, false, U32, BASIC)                                        \
    X(EITHER, "either", 'p', "pp", 0, ALONE, false, U32, BASIC)                                    \
    X(DIFFER, "differ", 'p', "pp", 0, ALONE, false, U32, BASIC)                                    \
    X(ROUNDS, "rounds", 'u', "u#", 127, ALONE, false, U32, BASIC)                                  \
    /* Lane-local, drawn for GEN_ARITHMETIC alone. */                                              \
    X(ONES, "ones", 'u', "u", 0, ALONE, false, U32, BASIC)                                         \
    X(REVERSE, "reverse", 'u', "u", 0, ALONE, false, U32, BASIC)                                   \
    X(FIELD, "field", 'u', "uu", 0, ALONE, false, U32, BASIC)                                      \
    X(SIGNED_FIELD, "signed-field", 'u', "uu", 0, ALONE, false, U32, BASIC)                        \
    X(INSERT, "insert", 'u', "uuu", 0, ALONE, false, U32, BASIC)                                   \
    X(TYPED, "typed", 'u', "uu", 0, ALONE, true, (INTS | FLOATS) & ~U32, BASIC)                    \
    X(TYPED_LESS, "typed-less", 'p', "uu", 0, ALONE, false, (INTS | FLOATS) & ~U32, BASIC)         \
    X(TYPED_SHL, "typed-shl", 'u', "u#", 63, ALONE, false, U64, BASIC)                             \
    X(TYPED_SHR, "typed-shr", 'u', "u#", 63, ALONE, false, U64, BASIC)                             \
    X(TYPED_ROUNDS, "typed-rounds", 'u', "u#", 127, ALONE, false, U64, BASIC)                      \
    /* Subgroup. */                                                                                \
    X(REDUCE, "reduce", 't', "t", 0, DEFINITE, true, ALL, ARITHMETIC)                              \
    X(INCLUSIVE, "inclusive", 't', "t", 0, DEFINITE, true, ALL, ARITHMETIC)                        \
    X(EXCLUSIVE, "exclusive", 't', "t", 0, DEFINITE, true, ALL, ARITHMETIC)                        \
    X(CLUSTER, "cluster", 't', "t#", 64, DEFINITE, true, ALL, CLUSTERED)                           \
    X(LATE, "late", 'u', "pu", 0, DEFINITE, true, U32, ARITHMETIC)                                 \
    X(ALL, "all", 'p', "p", 0, DEFINITE, false, U32, VOTE)                                         \
    X(ANY, "any", 'p', "p", 0, DEFINITE, false, U32, VOTE)                                         \
    X(ALIKE, "alike", 'p', "t", 0, DEFINITE, false, WORDS, VOTE)                                   \
    X(ELECT, "elect", 'p', "", 0, DEFINITE, false, U32, BASIC)                                     \
    X(BALLOT, "ballot", 'u', "p", 0, DEFINITE, false, U32, BALLOT)                                 \
    X(COUNT, "count", 'u', "p", 0, DEFINITE, false, U32, BALLOT)                                   \
    X(COUNT_INCLUSIVE, "count-inclusive", 'u', "p", 0, DEFINITE, false, U32, BALLOT)               \
    X(COUNT_EXCLUSIVE, "count-exclusive", 'u', "p", 0, DEFINITE, false, U32, BALLOT)               \
    X(LOWEST, "lowest", 'u', "p", 0, DEFINITE, false, U32, BALLOT)                                 \
    X(HIGHEST, "highest", 'u', "p", 0, DEFINITE, false, U32, BALLOT)                               \
    X(INVERSE, "inverse", 'p', "u", 0, DEFINITE, false, U32, BALLOT)                               \
    X(EXTRACT, "extract", 'p', "pu", 0, DEFINITE, false, U32, BALLOT)                              \
    X(FIRST, "first", 't', "t", 0, DEFINITE, false, ALL, BALLOT)                                   \
    X(BROADCAST, "broadcast", 't', "t#", 127, DEFINITE, false, ALL, BALLOT)                        \
    X(SHUFFLE, "shuffle", 't', "tu", 0, DEFINITE, false, ALL, SHUFFLE)                             \
    X(SHUFFLE_XOR, "shuffle-xor", 't', "t#", 127, DEFINITE, false, ALL, SHUFFLE)                   \
    X(UP, "up", 't', "t#", 127, DEFINITE, false, ALL, SHUFFLE_RELATIVE)                            \
    X(DOWN, "down", 't', "t#", 127, DEFINITE, false, ALL, SHUFFLE_RELATIVE)                        \
    X(ROTATE, "rotate", 't', "t#", 127, DEFINITE, false, ALL, ROTATE)                              \
    X(ROTATE_CLUSTER, "rotate4", 't', "t#", 3, DEFINITE, false, ALL, ROTATE)                       \
    X(QUAD_BROADCAST, "quad-broadcast", 't', "t#", 3, DEFINITE, false, ALL, QUAD)                  \
    X(QUAD_SWAP, "quad-swap", 't', "t#", 2, DEFINITE, false, ALL, QUAD)                            \
    /* Memory. */                                                                                  \
    X(LOAD, "load", 'u', "", 0, ALONE, false, MEMORY, BASIC)                                       \
    X(STORE, "store", '-', "u", 0, ALONE, false, MEMORY, BASIC)                                    \
    X(SWAP, "swap", 'u', "u", 0, ALONE, false, MEMORY, BASIC)                                      \
    X(ATOMIC, "atomic", '-', "u", 0, ALONE, true, MEMORY, BASIC)                                   \
    X(TICKET, "ticket", '-', "", 0, ALONE, false, MEMORY, BASIC)                                   \
    X(ORDERED, "ordered", 'p', "", 0, ALONE, false, MEMORY, BASIC)                                 \
    X(PASS, "pass", 'u', "u#", 63, FULL, false, MEMORY, BASIC)                                     \
    X(PEEK, "peek", 'u', "#", 63, FULL, false, MEMORY, BASIC)                                      \
    X(TOTAL, "total", 'u', "", 0, FULL, true, MEMORY, BASIC)                                       \
    X(TICKETS, "tickets", 'u', "", 0, FULL, false, MEMORY, BASIC)                                  \
    /* Of real kernels (gen_limits.kernel). */                                                     \
    X(GATHER, "gather", 'u', "#", 127, FULL, false, MEMORY, BASIC)                                 \
    X(SCATTER, "scatter", 'u', "#", 63, FULL, false, MEMORY, BASIC)                                \
    X(BARRIER, "barrier", '-', "", 0, FULL, false, U32, BASIC)                                     \
    X(SYNC, "sync", '-', "", 0, DEFINITE, false, U32, BASIC)                                       \
    X(FENCE, "fence", '-', "", 0, ALONE, false, U32, BASIC)                                        \
    X(WORD, "word", 'u', "#", 63, ALONE, false, U32, BASIC)                                        \
    X(LOCAL, "local", 'u', "", 0, ALONE, false, U32, BASIC)                                        \
    /* Vectors, drawn for GEN_ARRAYS alone. */                                                     \
    X(VECTOR, "vector", 'u', "uu#", 1, ALONE, true, VECTOR_INTS | HALVES, BASIC)                   \
    X(REMAINDER, "remainder", 'u', "uu#", 1, ALONE, false, VECTOR_INTS, BASIC)                     \
    X(QUOTIENT, "quotient", 'u', "uu#", 127, ALONE, false, VECTOR_INTS, BASIC)                     \
    X(CLAMP, "clamp", 'u', "uuu", 0, ALONE, false, VECTOR_INTS | HALVES, BASIC)                    \
    X(NEGATE, "negate", 'u', "uu", 0, ALONE, false, VECTOR_INTS | HALVES, BASIC)                   \
    X(ABSOLUTE, "absolute", 'u', "uu", 0, ALONE, false, VECTOR_INTS | HALVES, BASIC)               \
    X(SATURATE, "saturate", 'u', "uu", 0, ALONE, false, HALVES, BASIC)                             \
    /* Arrays, drawn for GEN_ARRAYS and GEN_ADDRESSES. */                                          \
    X(GET, "get", 'u', "u#", 127, ALONE, false, ARRAYS | PLACES | DESCRIPTORS, BASIC)              \
    X(PUT, "put", '-', "uu#", 127, ALONE, false, ARRAYS | PLACES, BASIC)                           \
    X(COPY, "copy", '-', "uu#", 127, ALONE, false, ARRAYS | PLACES, BASIC)                         \
    X(WHOLE, "whole", 'u', "uu#", 127, ALONE, false, COPIED, BASIC)                                \
    X(PEER, "peer", 'u', "u#", 127, FULL, false, SEEN, BASIC)                                      \
    /* Drawn for GEN_ADDRESSES alone. */                                                           \
    X(FETCH, "fetch", 'u', "uu#", 127, ALONE, true, PLACES, BASIC)                                 \
    /* Drawn for GEN_MATRICES alone. */                                                            \
    X(PRODUCT, "product", 'u', "uu#", 127, FULL, false, U32, MATRIX_PRODUCTS)

#define GEN_OP(name, ...) GEN_OP_##name,
enum gen_op { GEN_OP_NONE, GEN_OPERATIONS(GEN_OP) GEN_OPS };

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

// The type as which an operation interprets a register, or the kind of memory, or the array.
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
    GEN_VECTORS, // the first array
    GEN_FLAGS,
    GEN_STRUCTS,
    GEN_ROWS,
    GEN_SHARED16,
    GEN_SHARED8,
    GEN_STRIDED,
    GEN_BUFFER16,
    GEN_BUFFER8,
    GEN_ADDRESS,     // behind a pointer out of the push constants
    GEN_INDIRECT,    // behind one out of a buffer
    GEN_DESCRIPTORS, // no array of the lane: an array of buffers
    GEN_TYPES
};
#define GEN_ARRAYS_OF_LANE (GEN_TYPES - GEN_VECTORS)

// An array that each lane has. Elements have one to four numbers.
struct gen_array {
    uint8_t count, components;
    uint8_t of;          // enum gen_type of its numbers
    const char *storage; // storage class
    const char *element; // id of the element's type
};
extern const struct gen_array gen_arrays[GEN_TYPES]; // .count 0: no array
bool gen_is_private(enum gen_type array);
#define GEN_ELEMENTS 20 // limit on elements

// The type of component `component` of an array's elements.
enum gen_type gen_array_type(enum gen_type array, uint32_t component);

// Which invocations must execute an operation together.
enum gen_needs {
    GEN_ALONE,    // lane-local: none
    GEN_DEFINITE, // exactly those that the rule prescribes
    GEN_FULL,     // the whole workgroup
};

// What numbers of a cooperative matrix are.
enum gen_component { GEN_IS_F32, GEN_IS_F16, GEN_IS_U8, GEN_IS_S8, GEN_IS_U32, GEN_IS_S32 };
#define GEN_COMPONENTS 6
struct gen_component_form {
    const char *name;
    uint8_t type; // enum gen_type
    bool is_signed;
};
extern const struct gen_component_form gen_components[GEN_COMPONENTS];

// A product of cooperative matrices, of M rows, N columns and K factors each.
struct gen_product {
    uint8_t left, right, sum; // enum gen_component
    uint8_t m, n, k;          // powers of two
};

// Takes the next product that programs can have off a list, dev_facts.products. False at its end.
bool gen_product_take(const char **list, struct gen_product *product);
// How plain it is: the less, the plainer; less than 1024.
uint32_t gen_product_weight(const struct gen_product *product);

struct gen_act {
    uint8_t op, with, type;     // enum gen_op, gen_with, gen_type
    uint8_t to;                 // destination register
    bool adds;                  // += : adds to the register's old value, modulo 2 for Booleans
    uint8_t from[3];            // source registers, as many as the operation takes
    uint8_t n;                  // a constant
    uint8_t turns;              // 1, 2: n << i, n << j; 0: n
    struct gen_product product; // of GEN_OP_PRODUCT
};

// An operation's notation and operands.
struct gen_form {
    const char *name;
    char gives;        // result: 'u', 'p', 't': by the type; '-': none
    const char *takes; // 'u', 'p', 't' for registers, '#' for the constant
    uint8_t most;      // limit on the constant
    uint8_t needs;     // enum gen_needs
    bool combines;     // takes a `with`
    uint32_t types;    // bit i: accepts enum gen_type i
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
// The element and the component that an operation on an array of `count` elements accesses: its
// constant gives the component, and the element unless that is 0; then a register does.
#define GEN_ELEMENT(n, number, count) (((n) >> 2 ? ((n) >> 2) - 1u : (number)) % (count))
#define GEN_COMPONENT(n, components)  (((n)&3u) % (components))
// Initial value of a component, from the lane's word. Those of private arrays that have no number
// here begin with 0.
#define GEN_BEGINS(word, element, component) ((word) + 4 * (element) + (component))
#define GEN_BEGINS_ZERO(private, element, component, components)                                   \
    ((private) && (component) != (element) % (components))
// The bytes of a state with arrays: those before the first workgroup's, those of each workgroup of
// at most so many invocations, and where the cells begin in these. template.spvasm has the others.
#define GEN_STATE_START 1024u
#define GEN_STATE_EACH  65536u
#define GEN_STATE_CELLS 23552u
#define GEN_STATE_LANES 256u
// The buffer of an array of buffers that a workgroup loads from, and the words of each.
#define GEN_DESCRIPTOR(group, n) (((group) + (n)) % 4)
#define GEN_DESCRIPTOR_WORDS     64u
// Floats in vectors: so many bits of the register, less the middle.
#define GEN_VECTOR_MASK(op)   ((op) == GEN_OP_SATURATE ? 3u : 255u)
#define GEN_VECTOR_MIDDLE(op) ((op) == GEN_OP_SATURATE ? 1u : 128u)
// Products of cooperative matrices. Shared memory has GEN_TILE numbers, made of the registers of
// the workgroup's lanes: three bits each for floats, so that sums are exact, else all of a byte.
// The constant names where the left matrix begins there; where the right one does depends on the
// subgroup, too. Its bits 3 to 5 tell whether the left, the right one and the sum lie by columns.
// It is also what is added to the product, times GEN_ADDEND. Sums of a workgroup's subgroups take
// at most GEN_SUMS numbers.
#define GEN_TILE(p)                    ((p)->k * ((p)->m + (p)->n) + 96u)
#define GEN_TILE_NUMBER(mask, from, e) ((from) >> ((e) >> 6 & 15) & (mask))
#define GEN_TILE_MASK(p)               ((p)->left <= GEN_IS_F16 ? 7u : 255u)
#define GEN_LEFT(n)                    (((n)&7u) * 16)
#define GEN_RIGHT(p, n, subgroup)      ((p)->m * (p)->k + (((n) >> 3 & 3u) + ((subgroup)&3u)) * 16)
#define GEN_ADDEND(p)                  ((p)->left <= GEN_IS_F16 ? 1u : 33818640u)
#define GEN_SUMS                       4096u
// The width and the offset of the bit field that a number names.
#define GEN_COUNT(number)  ((number) % 33)
#define GEN_OFFSET(number) (((number) >> 8) % (33 - GEN_COUNT(number)))
// The initial value of register k from that of the register before: u0 is the lane's word, pK its
// bit K.
#define GEN_NEXT(before, k) (((before) ^ (before) >> 16) * 73244475u + (k))
