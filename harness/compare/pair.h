// SPDX-License-Identifier: Apache-2.0
// What of one side belongs to what of the other: devices, then configurations. Pure functions.
#pragma once

#include "compare/side.h"
#include "compare/verdict.h"

#define COMPARE_NO_DEVICE SIZE_MAX

struct compare_pair {
    size_t a, b; // indexes of devices; `a` is COMPARE_NO_DEVICE where A has none for B's
};

struct compare_pairs {
    struct compare_pair *items; // first those of two devices, then B's without a partner
    size_t count;
    size_t alone_a, alone_b; // devices that were left without a partner
};

// Pairs devices: by UUID, then by name with vendor and product, then by vendor and product, then by
// name, each only where it is clear; at last two that are alone on their sides. `patterns` choose
// by number, UUID, id, vendor:product or name with * and ?: one for both sides, or one for A and
// one for B; two that they leave alone are paired whatever they are. False with an error that says
// how to choose if no pair or more than one way remains. Clear it after a failure too.
bool compare_pair_devices(const struct compare_side *a, const struct compare_side *b,
                          const char *const *patterns, size_t pattern_count,
                          struct compare_pairs *pairs, struct lit_error *error);
void compare_pairs_clear(struct compare_pairs *pairs);

// "sync=none,control-each": what A has and what B has in its place. All NULL: names are to be
// equal.
struct compare_axis {
    char *name, *a, *b;
};
bool compare_axis_parse(const char *text, struct compare_axis *axis, struct lit_error *error);
void compare_axis_clear(struct compare_axis *axis);

// Makes an entry of each configuration that either side has on a pair of devices, or B on a device
// without a partner, in order of pair
// and name; `only`, if not NULL, says which names are looked at (as `litmus run` does: the last
// pattern that matches wins, ! excludes). *entries is allocated, and their names; free with
// compare_entries_free. Results with other values of the axis are left out.
size_t compare_pair_results(const struct compare_side *a, const struct compare_side *b,
                            const struct compare_pairs *pairs, const struct compare_axis *axis,
                            const char *const *only, size_t only_count,
                            struct compare_entry **entries);
void compare_entries_free(struct compare_entry *entries, size_t count);
