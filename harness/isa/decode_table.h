// SPDX-License-Identifier: Apache-2.0
// How instructions are encoded, for decode.c alone.
#pragma once

#include <stdint.h>

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
