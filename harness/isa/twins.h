// SPDX-License-Identifier: Apache-2.0
// Variants that differ in one axis, and whether a driver made the same code of them. Pure.
#pragma once

#include "isa/diff.h"

// One configuration with its code; nothing is owned.
struct isa_member {
    const char *name; // of the configuration, "test/axis=value,...@parameter=value,..."
    const struct isa_piece *piece; // isa_lowest; NULL: there is none
    const struct isa_listing *listing;
};

// Two configurations that differ in one axis alone. `base` has the value that the test names first
// among those that are there.
struct isa_twins {
    size_t base, other; // indexes of members
    char axis[32], base_value[64], other_value[64];
    enum isa_likeness likeness;
};

// All pairs, in the order of the members. *twins is allocated; returns how many. The names have to
// be of the catalogue, whose heads say the order of an axis's values; others have no twins.
size_t isa_find_twins(const struct isa_member *members, size_t count, struct isa_twins **twins);

// All pairs of one test with the same axis and values.
struct isa_axis_effect {
    char test[96], axis[32], base_value[64], other_value[64];
    size_t pairs;
    size_t like[ISA_OTHER + 1]; // of them, by likeness
    size_t example;             // index of the pair that differs most, the first of such
};

// *effects is allocated; returns how many.
size_t isa_axis_effects(const struct isa_member *members, const struct isa_twins *twins,
                        size_t count, struct isa_axis_effect **effects);

// "the subgroup barrier (sync=control)", "maximal reconvergence": what a value adds to its base.
void isa_axis_words(const struct isa_axis_effect *effect, struct text *words);
// One sentence, without a full stop: "the subgroup barrier (sync=control) compiles to nothing here:
// the same code as sync=none in 12 of 12 pairs".
void isa_effect_words(const struct isa_axis_effect *effect, const struct isa_member *members,
                      const struct isa_twins *twins, struct text *words);
