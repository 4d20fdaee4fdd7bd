// SPDX-License-Identifier: Apache-2.0
// How instructions are encoded, and one of them while it becomes text, for decode*.c alone.
#pragma once

#include "isa/sass.h"

// Bits 0 to 8 of an instruction are the operation, bits 9 to 11 its form, which says what bits 32
// to 63 hold: 1 a register, 2 and 4 a number, 3 and 5 a constant "c[0x0][0x10]", 6 and 7 a uniform
// register. In forms 2, 3 and 7 that is the third operand and a register at 64 the second one.
#define FORM(n)         (1u << (n))
#define FORMS_156       (FORM(1) | FORM(5) | FORM(6))
#define FORMS_1456      (FORMS_156 | FORM(4))
#define FORMS_1237      (FORM(1) | FORM(2) | FORM(3) | FORM(7))
#define FORMS_ALL       (FORMS_1456 | FORMS_1237)
#define ROW_FORM_BITS   9
#define ROW_OPCODE_MASK 0x1ff

// `pattern` is the text with
//   {BIT:WIDTH a b c}   the word that the field chooses; "-" is none, "?" or no word: not known
//   <BIT:WIDTH=N …>     what is inside only if the field is N; with ! if it is not N
//   %NAME               an operand: see `operands` in decode.c
// In a pattern that begins with U, registers and predicates are uniform ones; in one that begins
// with @, the guard is. If a row does not account for all bits of an instruction, the next one of
// the same operation is tried.
struct sass_row {
    uint16_t operation;
    uint8_t forms;
    const char *pattern;
};

extern const struct sass_row sass_rows[];
extern const unsigned sass_row_count;

struct sass_reading {
    uint64_t bits[2];
    uint64_t seen[2]; // bits that the text accounts for
    uint32_t address; // of the instruction
    unsigned form;
    bool datapath; // the uniform one: registers and predicates are UR and UP
    bool uniform;  // a uniform register is read, which bit 91 says too
    bool hidden;   // inside of a condition that does not hold: nothing is written
    bool unknown;  // a value without a meaning that the table knows
    char text[SASS_TEXT_MAX];
    size_t length;
};

// A field of at most 64 bits, which is accounted for then.
uint64_t sass_field(struct sass_reading *reading, unsigned bit, unsigned width);
void sass_not_known(struct sass_reading *reading);
__attribute__((format(printf, 2, 3))) void sass_put(struct sass_reading *reading,
                                                    const char *format, ...);
// Writes the operand that `pattern` names behind its '%'; returns what lies behind the name.
const char *sass_put_operand(struct sass_reading *reading, const char *pattern);
