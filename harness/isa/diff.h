// SPDX-License-Identifier: Apache-2.0
// Two listings side by side, and what their difference comes to. Pure.
#pragma once

#include "isa/listing.h"

// How much alike two pieces of code are; each case implies the ones after it.
enum isa_likeness {
    ISA_SAME,         // byte for byte
    ISA_SAME_TEXT,    // the same instructions; scheduling or branch targets differ
    ISA_SAME_NAMES,   // the same instructions in the same order, with other operands
    ISA_SAME_MEMBERS, // the same instructions in another order
    ISA_OTHER,        // other instructions
};

// The pieces are what the listings were made of.
enum isa_likeness isa_compare(const struct isa_listing *left, const struct isa_piece *left_piece,
                              const struct isa_listing *right, const struct isa_piece *right_piece);

// A row of the alignment: a line of one side, of the other, or of both.
struct isa_row {
    size_t left, right; // indexes of lines; SIZE_MAX: this side has none here
};

struct isa_diff {
    struct isa_row *rows; // in order of both sides
    size_t count;
    size_t added, dropped; // rows that only the right has, only the left
    bool aligned;          // false: too long to be aligned; from the first difference on the rows
                           // are all of the left, then all of the right
};

void isa_diff(const struct isa_listing *left, const struct isa_listing *right,
              struct isa_diff *diff);
void isa_diff_clear(struct isa_diff *diff);

// What the right side has more of, less of, or elsewhere, as instruction names: "adds BSSY, 2
// BSYNC; drops ISETP; moves LDG". Empty if the same instructions stand in the same order.
void isa_diff_words(const struct isa_listing *left, const struct isa_listing *right,
                    struct text *words);
