// SPDX-License-Identifier: Apache-2.0
// Sets of stress parameters: what runs beside a test, and where its buffers lie; their notation,
// what a device can do of one, and how sets are drawn. docs/stress.md says what each does.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "model/facts.h"

// What the background workgroups do.
enum dev_stress_kind {
    DEV_STRESS_NONE, // there are none
    DEV_STRESS_IDLE, // nothing: they come and go
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

#define DEV_STRESS_WORDS     65536u // of the buffer that background workgroups share
#define DEV_STRESS_WORKGROUP 128u   // invocations of one of them: what every device can run
#define DEV_STRESS_SHARED    512u   // bytes of shared memory that each has at least
#define DEV_STRESS_SLICES    64u    // at most

// All zero: no stress.
struct dev_stress {
    enum dev_stress_kind kind;
    enum dev_stress_pattern pattern;
    uint32_t workgroups; // recorded behind the test's dispatch
    uint32_t before;     // recorded in front of it
    uint32_t skew;       // recorded between each two slices of it
    uint32_t iterations; // of each background invocation; 0 for DEV_STRESS_IDLE
    uint32_t line;       // MEMORY: words of a line, a power of two
    uint32_t lines;      // MEMORY: how many lines all share, a power of two
    uint32_t stride;     // MEMORY: words from one lane's place to the next lane's
    uint32_t shared;     // bytes of shared memory that each background workgroup takes; 0: few
    uint32_t slices;     // the test's dispatch in so many, in an order drawn from the run's seed; 0
    uint32_t offset; // bytes: buffer i of the test begins (i + 1) times as far into its allocation
};

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
    const struct dev_facts *facts; // on a CPU sets that are drawn are smaller
    bool divisible;                // the test's dispatch may be cut (cat_module_is_divisible)
};

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

// Workgroups first to first + count - 1 of the test's dispatch.
struct dev_slice {
    uint32_t first, count;
};

// Cuts a dispatch of `workgroups` into slices of about the same size, no more than it has
// workgroups, in an order that the seed decides; the whole is one slice if the set has none.
// Returns how many; 0 if there are no workgroups. Pure.
uint32_t dev_stress_slices(const struct dev_stress *set, uint32_t workgroups, uint32_t seed,
                           struct dev_slice slices[DEV_STRESS_SLICES]);
