// SPDX-License-Identifier: Apache-2.0
// A litmus test as a kernel: many instances of it in a dispatch. Every invocation is each of the
// test's threads in turn, of an instance each: which ones changes with the seed of a run. Threads
// of one subgroup or workgroup are invocations of one. Where a thread jumps back every invocation
// is one thread at most, which goes through its code a bounded number of times (specialization
// constant 3) and reports that it ran out. The ABI is that of docs/test-format.md; specialization
// constants: 0 the width of the workgroup, 1 the stride of locations, 2 the step of the
// permutations, an odd number. Numbers of workgroups and their sizes are powers of two.
#pragma once

#include "generate/module.h"
#include "generate/states.h"

struct gen_concurrent {
    struct gen_module module;
    uint32_t threads;
    uint32_t buffered, shared;        // locations in the state buffer; in workgroup memory
    uint32_t initial[AXI_REFERENCES]; // of those in the buffer, in their order
    // Where threads wait for each other: places for workgroups of an instance, for subgroups in
    // each, for lanes in each, powers of two. Else 0.
    uint32_t places[3];
    uint32_t words; // of a location: 1, or 2 that hold the same
};

// The state buffer: room for one location, then for each location and each instance one, `stride`
// of them apart; then a word for each instance, 0 at first. The input: the states' table, then a
// word that is 0.
// Zero-initialise; clear it in any case. False with an error that says what one dispatch cannot
// express (LIT_EXIT_UNDECIDED).
bool gen_concurrent_make(const struct axi_program *program, const struct gen_states *states,
                         struct gen_concurrent *made, struct lit_error *error);

// Appends a program as Dat3M reads it: SPIR-V assembly of one instance, whose invocations are the
// threads, with what they begin with and what is asked for in annotations. As SPIR-V 1.5 it is
// valid for Vulkan 1.2. The forms of the program's kernel do not count: they change no verdict.
// False with an error that says what it cannot express (LIT_EXIT_UNDECIDED).
bool gen_dat3m(const struct axi_program *program, struct text *text, struct lit_error *error);

// --- All small memory tests, each once up to symmetry (exchange of threads, of locations), as
// texts of the VULKAN dialect of .litmus, small and usual ones first. Whether one forbids anything,
// or has a data race, is for axi_decide to say. Pure; the same on every machine.

enum { SMALL_THREADS = 4, SMALL_ACCESSES = 3 }; // accesses of a thread

enum gen_small_kind { SMALL_READ, SMALL_WRITE, SMALL_EXCHANGE };
enum gen_small_order {
    SMALL_RELAXED,
    SMALL_SEMANTICS, // writes but for the first access release, reads but for the last acquire
    SMALL_FENCE,     // a memory barrier between two accesses
    SMALL_BARRIER,   // a control barrier, of all threads
};
// Who the threads are, and where the locations.
enum gen_small_place {
    SMALL_WORKGROUP,        // subgroups of a workgroup
    SMALL_WORKGROUP_SHARED, // the same, in workgroup memory
    SMALL_DEVICE,           // workgroups
    SMALL_SUBGROUP,         // lanes
    SMALL_SUBGROUP_SHARED,
    SMALL_WIDE, // subgroups of a workgroup, by scope Device
    SMALL_PLACES,
};

struct gen_small_program {
    uint8_t threads;
    uint8_t counts[SMALL_THREADS];
    uint8_t kind[SMALL_THREADS][SMALL_ACCESSES], location[SMALL_THREADS][SMALL_ACCESSES];
    uint8_t orders[SMALL_THREADS];
    uint8_t plain; // 1 + the location that is accessed by plain accesses; 0: none
    uint8_t size;  // by which programs are ordered: 2 for a usual one
};

struct gen_small {
    struct gen_small_program *programs; // sorted by size
    size_t count;
    struct {
        enum gen_small_place place;
        uint32_t forms; // bits of enum axi_form
        uint8_t size;   // of all that is unusual
    } * settings;       // sorted likewise
    size_t setting_count;
    // The test that gen_small_next came to.
    size_t program, setting;
    uint32_t level; // size of both
    bool begun;
};

// Makes the lists, before the first test.
void gen_small_make(struct gen_small *small);
void gen_small_clear(struct gen_small *small);
// Goes on to the next test. False behind the last one.
bool gen_small_next(struct gen_small *small);
// Appends the test's name, "fuzz-wx-rxrx-nn-wg-a", and its text.
void gen_small_name(const struct gen_small *small, struct text *name);
void gen_small_write(const struct gen_small *small, struct text *text);
