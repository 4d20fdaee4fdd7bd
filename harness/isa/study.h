// SPDX-License-Identifier: Apache-2.0
// The compiled code of several configurations of one driver: listed, compared and checked for
// risks. What isa's command and the reports show is read from here. Pure.
#pragma once

#include "isa/code.h"
#include "isa/lint.h"

// --- Code as lines, whatever the driver gave: instructions of SASS, or the lines of a text

struct isa_line {
    char *text;       // of SASS without address
    uint32_t address; // of SASS; else SASS_NOWHERE
};

struct isa_listing {
    struct isa_line *lines; // of SASS one for each instruction, padding at the end left out
    size_t count;
    const char *by;        // who wrote it: "the built-in decoder", "nvdisasm", "the driver"
    struct sass_code sass; // empty for a text
};

// Of a piece: machine code is decoded, text taken as it is. False with an error if it is neither,
// or of an architecture that the decoder does not know.
bool isa_list(const struct isa_piece *piece, struct isa_listing *listing, struct lit_error *error);
void isa_listing_clear(struct isa_listing *listing);

// How many of the instructions are cross-lane reads.
size_t isa_cross_lane_reads(const struct isa_listing *listing);

// --- Two listings side by side

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

// --- Configurations

// What a configuration's name says. Two of which one axis alone differs are paired variants.
#define ISA_AXES 16
struct isa_variant {
    char test[96];
    char params[256]; // and subgroup size: whatever else has to be equal
    size_t axis_count;
    struct {
        char name[32], value[64];
        size_t order; // of the value among those that the test names
    } axes[ISA_AXES];
};
// Fills it from a name; false if that is not a configuration's, which then has no pairs.
typedef bool isa_describe(const char *name, struct isa_variant *variant);

struct isa_entry {
    char *name; // of the configuration, "test/axis=value,...@parameter=value,..."
    struct isa_code code;
    const struct isa_piece *piece; // the lowest of the code; NULL: the driver gives none
    struct isa_listing listing;    // of the piece; empty, with `why` saying why, if there is none
    char *why;
    struct lint lint; // of SASS; empty for others
    bool linted;      // else `unlinted` says why not, if it is SASS
    char *unlinted;
    size_t same_as; // the first entry with the same bytes: itself, or one before, whose listing and
                    // lint it then has
};

// Paired variants. `base` has the value that the test names first among those that there are.
struct isa_pair {
    size_t base, other; // indexes of entries
    enum isa_likeness likeness;
};

// All pairs of one test with the same axis and values.
struct isa_axis_effect {
    char test[96], axis[32], base_value[64], other_value[64];
    size_t pairs;
    size_t like[ISA_OTHER + 1]; // of them, by likeness
    size_t example;             // index of the pair that differs most, the first of such
};

struct isa_study {
    struct isa_entry *entries;
    size_t count;
    bool any_shape; // of workgroups; else they have what lint_options calls rows, as all tests do
    // From isa_study_finish on:
    struct isa_pair *pairs; // in the order of the entries
    size_t pair_count;
    struct isa_axis_effect *effects;
    size_t effect_count;
};

// Takes `code` over and leaves it empty; likewise `sass`, which is its machine code as `by` lists
// it (NULL: the built-in decoder does).
void isa_study_add(struct isa_study *study, const char *name, struct isa_code *code,
                   struct sass_code *sass, const char *by);
// Compares. After it, nothing may be added. `describe` may be NULL: there are no pairs.
void isa_study_finish(struct isa_study *study, isa_describe *describe);
void isa_study_clear(struct isa_study *study);

// How many of its findings are risks.
size_t isa_risks(const struct isa_entry *entry);
// How many entries have code of their own: that none before them has.
size_t isa_study_distinct(const struct isa_study *study);
// The registers of an invocation, under whichever name the driver has for them; "" if it does not
// say.
const char *isa_registers(const struct isa_code *code);
// What a pipeline takes of the machine, in the words of its driver: "16 registers, 1,280 bytes".
void isa_cost_words(const struct isa_code *code, const struct isa_piece *piece, struct text *words);

// One sentence, without a full stop: "the subgroup barrier (sync=control) compiles to nothing here:
// the same code as sync=none in 12 of 12 pairs".
void isa_effect_words(const struct isa_study *study, const struct isa_axis_effect *effect,
                      struct text *words);
