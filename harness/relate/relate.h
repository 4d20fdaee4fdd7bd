// SPDX-License-Identifier: Apache-2.0
// Relatives of a module: modules that compute the same in another way, so that a device that is
// right does the same with them. Pure.
#pragma once

#include "reduce/pass.h"

// A kind of change, with many places in a module. None changes what the specification leaves
// open: each branch that is added is taken alike by all that reach it, so that nobody diverges, and
// nothing but arithmetic of the lane moves.
enum rel_change {
    REL_SPLIT,    // a block is two
    REL_BRANCH,   // an instruction stands in a branch that is always taken,
    REL_TAIL,     // the rest of its block too
    REL_LOOP,     // it stands in a loop that runs once
    REL_DEAD,     // before a store there is another one, in a branch that is never taken
    REL_SWAP,     // operands whose order does not matter change places
    REL_IDENTITY, // an operand is x ^ y ^ y instead of x
    REL_SELECT,   // an operand is chosen by a condition that is always true
    REL_SINK,     // arithmetic stands where it is first used
    REL_HOIST,    // arithmetic of another block stands in the function's first one
    REL_OUTLINE,  // an instruction is a call of a function
    REL_VARIABLE, // a result goes through a variable
    REL_CHANGES
};

// "branch"; what it does, "an instruction stands in a branch that is always taken".
extern const char *const rel_names[REL_CHANGES];
extern const char *const rel_texts[REL_CHANGES];

// At how many places of a module a change can be made. The module is indexed.
size_t rel_places(const struct red_module *module, enum rel_change change);
// The words of the module with it made at those that are chosen; free() them.
uint32_t *rel_make(const struct red_module *module, enum rel_change change, const bool *chosen,
                   size_t *count);

// --- Private to harness/relate/: what is known of each line of a module.

struct rel_line {
    bool body;     // an instruction in a block that may be changed: neither label, phi, variable,
                   // merge nor end
    bool first;    // in the function's first block
    size_t end;    // of its block's body: the line of the merge instruction or of what ends it
    uint32_t x, y; // integers of 32 bits that are known here, the one in all of what follows; 0
};

struct rel_study {
    const struct red_module *module;
    struct rel_line *lines;
    size_t *first_use, *last_use; // of each id, by operands: lines; first > last: it is not used
    bool *decorated;              // each id
    size_t *block; // of each id that a function makes: the line of its block's label, or of the
                   // parameter; else 0
};
void rel_study_make(struct rel_study *study, const struct red_module *module);
void rel_study_clear(struct rel_study *study);

// Whether the change can be made at a line. Of arithmetic of the lane alone, with no effect and no
// undefined result but of undefined operands.
bool rel_is_place(const struct rel_study *study, enum rel_change change, size_t at);
// Whether every value of the type can be 0.
bool rel_can_be_null(const struct red_module *module, uint32_t type);
// The word of an operand that is an integer of 32 bits, no constant, and has no decoration; 0:
// none.
uint32_t rel_operand(const struct rel_study *study, const struct red_line *line);
// The opcode by which operands 3 and 4 may change places; 0: none.
uint32_t rel_swapped(uint32_t opcode);
