// SPDX-License-Identifier: Apache-2.0
// The compiled code of several configurations on one driver: listed, compared and checked for
// risks. The command `isa` and the reports present it. Pure.
#pragma once

#include "isa/code.h"
#include "isa/lint.h"

// --- Code as lines of either kind: SASS instructions, or lines of text

struct isa_line {
    char *text;       // SASS: without address
    uint32_t address; // SASS; else SASS_NOWHERE
};

struct isa_listing {
    struct isa_line *lines; // SASS: one per instruction, without final padding
    size_t count;
    const char *by;        // origin: "the built-in decoder", "nvdisasm", "the driver"
    struct sass_code sass; // empty for text
};

// Lists a piece: machine code is decoded, text taken as is. False with an error if it is neither,
// or for an architecture unknown to the decoder.
bool isa_list(const struct isa_piece *piece, struct isa_listing *listing, struct lit_error *error);
void isa_listing_clear(struct isa_listing *listing);

// The number of cross-lane reads among the instructions.
size_t isa_cross_lane_reads(const struct isa_listing *listing);

// --- Two listings side by side

// How similar two pieces of code are; each value implies the following ones.
enum isa_likeness {
    ISA_SAME,         // byte for byte
    ISA_SAME_TEXT,    // the same instructions; scheduling or branch targets differ
    ISA_SAME_NAMES,   // the same instructions in the same order, with other operands
    ISA_SAME_MEMBERS, // the same instructions in another order
    ISA_OTHER,        // other instructions
};

// Compares two listings and the pieces that they were made from.
enum isa_likeness isa_compare(const struct isa_listing *left, const struct isa_piece *left_piece,
                              const struct isa_listing *right, const struct isa_piece *right_piece);

// A row of the alignment: a line of either side or of both.
struct isa_row {
    size_t left, right; // line indexes; SIZE_MAX: this side has none here
};

struct isa_diff {
    struct isa_row *rows; // in the order of both sides
    size_t count;
    size_t added, dropped; // rows with only a right line, only a left line
    bool aligned;          // false: too long; differing lines: all left, then all right
};

void isa_diff(const struct isa_listing *left, const struct isa_listing *right,
              struct isa_diff *diff);
void isa_diff_clear(struct isa_diff *diff);

// The right side's additions, removals and moves by instruction name: "adds BSSY, 2 BSYNC; drops
// ISETP; moves LDG". Empty if the names are the same in the same order.
void isa_diff_words(const struct isa_listing *left, const struct isa_listing *right,
                    struct text *words);

// --- Configurations

// A configuration's name, parsed. Two variants that differ in one axis only are paired.
#define ISA_AXES 16
struct isa_variant {
    char test[96];
    char params[256]; // with subgroup size: everything else that must be equal
    size_t axis_count;
    struct {
        char name[32], value[64];
        size_t order; // index of the value in the test's list
    } axes[ISA_AXES];
};
// Parses a name; false if it is not a configuration's, which then has no pairs.
typedef bool isa_describe(const char *name, struct isa_variant *variant);

struct isa_entry {
    char *name; // of the configuration, "test/axis=value,...@parameter=value,..."
    struct isa_code code;
    const struct isa_piece *piece; // the lowest piece of the code; NULL: the driver gives none
    struct isa_listing listing;    // of the piece; if empty, `why` says why
    char *why;
    struct lint lint; // of SASS; else empty
    bool linted;      // if not, `unlinted` says why (SASS only)
    char *unlinted;
    size_t same_as; // first entry with the same bytes, possibly itself; shares its listing and lint
};

// Paired variants. `base` has whichever value the test lists first.
struct isa_pair {
    size_t base, other; // entry indexes
    enum isa_likeness likeness;
};

// All pairs of one test with the same axis and values.
struct isa_axis_effect {
    char test[96], axis[32], base_value[64], other_value[64];
    size_t pairs;
    size_t like[ISA_OTHER + 1]; // number of pairs by likeness
    size_t example;             // index of the (first) pair that differs most
};

// The SPIR-V module that a configuration's code was made from; NULL: not known. Lives as long as
// the study.
typedef const uint32_t *isa_module(const char *name, size_t *count);

struct isa_study {
    struct isa_entry *entries;
    size_t count;
    isa_module *module;  // for the lint; may be NULL. Set before code is added
    bool (*stops)(void); // whether to leave the code that was not added yet; may be NULL
    // Valid after isa_study_finish:
    struct isa_pair *pairs; // in the order of the entries
    size_t pair_count;
    struct isa_axis_effect *effects;
    size_t effect_count;
};

// Takes over `code` and leaves it empty; likewise `sass`, its machine code as listed by `by` (NULL:
// the built-in decoder lists it).
void isa_study_add(struct isa_study *study, const char *name, struct isa_code *code,
                   struct sass_code *sass, const char *by);
// Compares the entries; nothing may be added afterwards. `describe` NULL: there are no pairs.
void isa_study_finish(struct isa_study *study, isa_describe *describe);
void isa_study_clear(struct isa_study *study);

// The number of an entry's findings that are risks.
size_t isa_risks(const struct isa_entry *entry);
// The finding that probably makes a failing configuration fail, as an index of its lint's; count:
// none is known.
size_t isa_cause(const struct isa_entry *entry);
// The number of entries whose code differs from all before.
size_t isa_study_distinct(const struct isa_study *study);
// Registers per invocation, under whichever name the driver uses; "" if unknown.
const char *isa_registers(const struct isa_code *code);
// A pipeline's resource usage in its driver's terms: "16 registers, 1,280 bytes".
void isa_cost_words(const struct isa_code *code, const struct isa_piece *piece, struct text *words);

// One sentence without a full stop: "the subgroup barrier (sync=control) compiles to nothing here:
// the same code as sync=none in 12 of 12 pairs".
void isa_effect_words(const struct isa_study *study, const struct isa_axis_effect *effect,
                      struct text *words);
