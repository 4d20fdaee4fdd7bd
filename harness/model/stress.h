// SPDX-License-Identifier: Apache-2.0
// Sets of stress parameters: what runs beside a test, and where its buffers lie; their notation,
// what a device supports, and how to draw sets. docs/stress.md explains each.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "model/facts.h"

// What the background workgroups do.
enum dev_stress_kind {
    DEV_STRESS_NONE, // there are none
    DEV_STRESS_IDLE, // nothing: they start and end
    DEV_STRESS_MEMORY,
    DEV_STRESS_ARITHMETIC,
    DEV_STRESS_BARRIER,
    DEV_STRESS_KINDS,
};

// DEV_STRESS_MEMORY: the two accesses of an iteration.
enum dev_stress_pattern {
    DEV_STRESS_STORE_STORE,
    DEV_STRESS_STORE_LOAD,
    DEV_STRESS_LOAD_STORE,
    DEV_STRESS_LOAD_LOAD,
    DEV_STRESS_PATTERNS,
};

#define DEV_STRESS_WORDS     65536u // in the buffer that background workgroups share
#define DEV_STRESS_WORKGROUP 128u   // invocations of one: every device can run it
#define DEV_STRESS_SHARED    512u   // the least bytes of shared memory for each
#define DEV_STRESS_SLICES    64u    // at most

// All zero: no stress.
struct dev_stress {
    enum dev_stress_kind kind;
    enum dev_stress_pattern pattern;
    uint32_t workgroups; // recorded after the test's dispatch
    uint32_t before;     // recorded before it
    uint32_t skew;       // recorded between every two slices of it
    uint32_t iterations; // of each background invocation; 0 for DEV_STRESS_IDLE
    uint32_t line;       // MEMORY: words of a line, a power of two
    uint32_t lines;      // MEMORY: shared lines, a power of two
    uint32_t stride;     // MEMORY: words from one lane's place to the next lane's
    uint32_t shared;     // bytes of shared memory in each background workgroup; 0: few
    uint32_t
        slices; // the test's dispatch in this many, in an order drawn from the run's seed; or 0
    uint32_t offset; // bytes: buffer i of the test begins (i + 1) times as far into its allocation
};

#define ENG_STRESS_TEXT 256 // the most bytes of a notation, with its terminator
// The most iterations of all background workgroups together in one run: a GPU does them in tens of
// milliseconds, and a CPU within the time limit of a batch.
#define ENG_STRESS_WORK (UINT32_C(1) << 20)

// Writes the notation: KEY=VALUE with commas between them, in alphabetical order, only what the set
// has; "" for none. Equal sets have equal notations.
void eng_stress_print(const struct dev_stress *set, char text[ENG_STRESS_TEXT]);

// Reads a notation, in any order; "" and "none" are no stress. Missing values of a kind get
// defaults (docs/stress.md). False, with an error of one line, on an unknown key or word, a key
// twice, a number out of range, a key that the others make meaningless, or too much work.
bool eng_stress_parse(const char *text, struct dev_stress *set, struct lit_error *error);

// Limits how much of a set a device can do for a test.
struct eng_stress_limits {
    const struct dev_facts *facts; // on a CPU drawn sets are smaller
    bool divisible;                // the test's dispatch may be split (cat_module_is_divisible)
};

// Removes what the device or the test does not allow, one dimension at a time, possibly leaving no
// stress. A set that fits does not change.
void eng_stress_fit(struct dev_stress *set, const struct eng_stress_limits *limits);

// Draws set `index` of a seed: it fits, and is never empty.
struct dev_stress eng_stress_draw(uint64_t seed, uint64_t index,
                                  const struct eng_stress_limits *limits);
// Draws a set near another: redraws one or two of its dimensions. It fits; it may be empty or the
// same set.
struct dev_stress eng_stress_near(const struct dev_stress *set, uint64_t seed, uint64_t index,
                                  const struct eng_stress_limits *limits);

// Workgroups first to first + count - 1 of the test's dispatch.
struct dev_slice {
    uint32_t first, count;
};

// Cuts a dispatch of `workgroups` into slices of about equal size, at most one per workgroup, in an
// order drawn from the seed; one slice if the set has none. Returns how many; 0 if there are no
// workgroups. Pure.
uint32_t dev_stress_slices(const struct dev_stress *set, uint32_t workgroups, uint32_t seed,
                           struct dev_slice slices[DEV_STRESS_SLICES]);
