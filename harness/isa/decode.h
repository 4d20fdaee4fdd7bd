// SPDX-License-Identifier: Apache-2.0
// The table of instructions, and one of them while it becomes text: for decode*.c and effects.c.
#pragma once

#include "isa/sass.h"

// The table of instructions, instructions.txt.
extern const char isa_instructions[];
// What lies behind the first word of the next line after `at` whose first word is `key`; NULL if
// there is none.
const char *sass_look_up(const char *at, const char *key, size_t length);

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
