// SPDX-License-Identifier: Apache-2.0
// What an instruction of SASS reads, writes and decides, from its text: the same for the decoder's
// text and for nvdisasm's, whose operands name the first register of each value only. Pure.
#pragma once

#include "isa/sass.h"

// The longest text of an instruction, with its NUL.
#define SASS_TEXT_MAX 256

// Fills everything but address and text from insn->text. An instruction that is not in the table,
// or whose operands make no sense, gets SASS_UNKNOWN; its guard is right if it has one.
void sass_effects(struct sass_insn *insn);

// The number of a special register, "SR_TID.X"; 254, which no register has, if it is not known.
uint8_t sass_special_number(const char *name);
// NULL if it has none.
const char *sass_special_name(uint8_t number);

// Once all instructions are there: forgets targets outside the code and fills code->operands.
void sass_complete(struct sass_code *code);
