// SPDX-License-Identifier: Apache-2.0
// Tests of single bits that values depend on: in a SPIR-V module, and in the machine code made of
// it. A value of the machine code that depends on another bit than the module's has a wrong
// operand. Bits of words keep their numbers through shifts, selections and bitwise operations; what
// arithmetic or memory gives is a new word. Pure; bounded by the size of module and code.
#pragma once

#include "isa/divergent.h"

// For each of a value's bits: the numbers of the words' bits that it may depend on. Which word is
// not distinguished.
struct origin {
    uint32_t bits[32];
};

#define ORIGIN_COMPONENTS 4
#define ORIGIN_FEW        16 // bits that a comparison is of
#define ORIGIN_STORES     64
#define ORIGIN_MOST_IDS   20000 // of a module; larger ones are not compared

// What a module stores to buffers, and the bits that it combines.
struct origin_module {
    // Stores of vectors of four words, in the module's order.
    struct origin_store {
        struct origin components[ORIGIN_COMPONENTS];
    } * stores;
    size_t count;
    // Logical operations of a truth value that depends on one bit alone.
    struct origin_pair {
        uint32_t one, other; // the bit; what the other operand may depend on
    } * pairs;
    size_t pair_count;
};

// What the module's values may depend on: never less than they do. False if it is no module of
// 32-bit words, or too large. Call origin_module_clear in any case.
bool origin_module(const uint32_t *words, size_t count, struct origin_module *module);
void origin_module_clear(struct origin_module *module);

// Finds predicates with a wrong bit: LINT_BIT. R2P puts the bits of a byte into the predicates of
// equal numbers, so bits 2 and 26 both go to P2.
void origin_find(struct findings *findings);

// Finds accesses of memory that were moved over one of the same address or over a barrier:
// LINT_MOVED.
void moved_find(struct findings *findings);

// Finds votes about the opposite of what the module votes about: LINT_MASK.
void votes_find(struct findings *findings);

// Finds values of one lane that are used for several: LINT_SCALAR.
void scalar_find(struct findings *findings);
// The register that R2UR, or VOTEU.ANY into a uniform predicate, takes from one lane; else none.
struct sass_registers scalar_taken(const struct sass_insn *insn);

// Finds truth values that are combined as the module combines their negations: LINT_TABLE.
void tables_find(struct findings *findings);

// Finds from which instruction of the module the one of each probable cause was made: its only one
// that becomes such an instruction, or the first.
void sources_find(struct findings *findings);
// "OpLoad"; NULL if it has no name here.
const char *source_name(uint32_t opcode);
