// SPDX-License-Identifier: Apache-2.0
// Sets of stress parameters: their notation, what a device can do of one, and how sets are drawn.
// Pure functions.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "device/facts.h"
#include "device/stress.h"

#define ENG_STRESS_TEXT 256 // bytes of a notation at most, with its terminator
// So many iterations of background workgroups, of all of them together, can one run have: what a
// GPU does in tens of milliseconds, and a CPU within the time limit of a batch.
#define ENG_STRESS_WORK (UINT32_C(1) << 20)

// Writes the notation: KEY=VALUE with commas between them, in the order of the alphabet, only what
// the set has; "" for none. The same set has one notation.
void eng_stress_print(const struct dev_stress *set, char text[ENG_STRESS_TEXT]);

// Reads a notation, in any order; "" and "none" are no stress. What a kind has and the notation
// does not say gets its default (docs/stress.md). False, with an error of one line, on an unknown
// key or word, a key twice, a number out of range, a key that means nothing beside the others, or
// too much work.
bool eng_stress_parse(const char *text, struct dev_stress *set, struct lit_error *error);

// What decides how much of a set a device can do for a test.
struct eng_stress_limits {
    uint32_t max_shared;     // bytes
    uint32_t max_workgroup;  // invocations
    uint32_t max_workgroups; // in x
    uint64_t max_storage_buffer;
    bool cpu;       // sets that are drawn are smaller
    bool divisible; // the test's dispatch may be cut (cat_module_divisible)
};
struct eng_stress_limits eng_stress_limits(const struct dev_facts *facts, bool divisible);

// Takes out what the device or the test does not allow, one dimension at a time; what remains may
// be no stress at all. A set that fits stays as it is.
void eng_stress_fit(struct dev_stress *set, const struct eng_stress_limits *limits);

// Draws set `index` of a seed: it fits, and is never none.
struct dev_stress eng_stress_draw(uint64_t seed, uint64_t index,
                                  const struct eng_stress_limits *limits);
// Draws a set near another: one or two of its dimensions are drawn anew. It fits; it may be none,
// or the set itself.
struct dev_stress eng_stress_near(const struct dev_stress *set, uint64_t seed, uint64_t index,
                                  const struct eng_stress_limits *limits);
