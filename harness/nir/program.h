// SPDX-License-Identifier: Apache-2.0
// NIR, read.
#pragma once

#include "nir/nir.h"

#define NIR_SOURCES 16
#define NIR_DEPTH   64 // of nested braces

enum nir_kind {
    NIR_ALU,
    NIR_CONST,
    NIR_PHI,
    NIR_CALL,
    NIR_BLOCK,
    NIR_IF,
    NIR_ELSE,
    NIR_ENDIF,
    NIR_LOOP,
    NIR_ENDLOOP,
    NIR_BREAK,
    NIR_CONTINUE,
    NIR_END
};

struct nir_source {
    uint32_t value; // its number
    uint8_t part[NIR_SOURCES];
    uint32_t block; // of a phi
};

struct nir_op {
    enum nir_kind kind;
    unsigned code;  // NIR_ALU: nir_alu_find; NIR_CALL: enum of run.c; UINT_MAX: not known
    uint32_t value; // its result's number; UINT32_MAX: none
    uint8_t bits, parts;
    struct nir_source source[NIR_SOURCES];
    size_t source_count;
    uint64_t constant[NIR_SOURCES];
    uint32_t block, to; // NIR_BLOCK: its number; the matching ELSE, ENDIF, LOOP or ENDLOOP
    const char *line;   // from the operation's name on
    unsigned reduction; // reduction_op or atomic_op: nir_alu_find
};

struct nir_value {
    uint32_t at; // of its first part, in words for all lanes
    uint8_t bits, parts;
    const char *name; // what stands behind its number
};

struct nir_program {
    struct nir_op *ops;
    size_t count;
    struct nir_value *values;
    size_t value_count, words; // of 64 bits, for each lane
    uint32_t subgroup, shared; // lanes; bytes
    uint32_t sets, scalars;    // arguments: pointers of sets; behind these, before tg_size
    uint32_t first;            // number of the first scalar argument: 1 behind the scratch ring
    bool ttmp;                 // the workgroup's number is not an argument
    uint32_t vectors;          // the first vector argument's number
    bool grouped, placed;      // the workgroup's number, tg_size is an argument
};

// The number of an operation on values of a lane by name, "iadd"; UINT_MAX: not known.
unsigned nir_alu_find(const char *name);
// Whether sources or result are floats.
bool nir_alu_floats(unsigned code);
// Its result in `bits` bits of sources of `from` bits.
uint64_t nir_alu(unsigned code, unsigned bits, unsigned from, const uint64_t source[4]);
// What leaves the other operand of a reduction as it is.
uint64_t nir_identity(unsigned code, unsigned bits);
// What follows these words in the operation's line; NULL: they are not in it.
const char *nir_behind(const struct nir_op *op, const char *words);
// The number after `key`; `none` if the line has no such key.
uint64_t nir_number(const struct nir_op *op, const char *key, uint64_t none);
// A call's number by name; UINT_MAX: not known.
unsigned nir_call_find(const char *name);
