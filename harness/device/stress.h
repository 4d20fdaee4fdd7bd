// SPDX-License-Identifier: Apache-2.0
// A set of stress parameters: what runs beside a test, and where its buffers lie. Plain data, known
// to every layer, as facts.h is. All zero: no stress. docs/stress.md says what each does.
#pragma once

#include <stdint.h>

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

// Workgroups first to first + count - 1 of the test's dispatch.
struct dev_slice {
    uint32_t first, count;
};

// Cuts a dispatch of `workgroups` into slices of about the same size, no more than it has
// workgroups, in an order that the seed decides; the whole is one slice if the set has none.
// Returns how many; 0 if there are no workgroups. Pure.
uint32_t dev_stress_slices(const struct dev_stress *set, uint32_t workgroups, uint32_t seed,
                           struct dev_slice slices[DEV_STRESS_SLICES]);
