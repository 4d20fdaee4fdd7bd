// SPDX-License-Identifier: Apache-2.0
// A litmus test as a kernel that runs many instances in a dispatch. Every invocation takes the role
// of each of the test's threads in turn, each in a different instance, chosen by the run's seed.
// Threads of one subgroup or workgroup are invocations of one. If a thread jumps backwards, every
// invocation is at most one thread, which executes its code a bounded number of times
// (specialization constant 3) and reports if it ran out. docs/test-format.md defines the ABI;
// specialization constants: 0 workgroup width, 1 stride of locations, 2 step of the permutations,
// an odd number. Numbers of workgroups and their sizes are powers of two.
#pragma once

#include "generate/module.h"
#include "generate/states.h"

struct gen_concurrent {
    struct gen_module module;
    uint32_t threads;
    uint32_t buffered, shared;        // locations in the state buffer; in workgroup memory
    uint32_t initial[AXI_REFERENCES]; // of the locations in the buffer, in order
    // If threads wait for each other: workgroups per instance, subgroups in each, lanes in each, as
    // powers of two. Else 0.
    uint32_t places[3];
    uint32_t words; // words per location: 1, or 2 with the same value
};

// The state buffer: room for one location, then one location for each location and instance,
// `stride` locations apart; then a word for each instance, initially 0. The input: the states'
// table, then a word with 0.
//
// Zero-initialise; clear it in any case. False with an error if one dispatch cannot express the
// program (LIT_EXIT_UNDECIDED).
bool gen_concurrent_make(const struct axi_program *program, const struct gen_states *states,
                         struct gen_concurrent *made, struct lit_error *error);

// Appends a program in the form that Dat3M reads: SPIR-V assembly of one instance whose invocations
// are the threads, with initial values and the condition as annotations. As SPIR-V 1.5 it is valid
// for Vulkan 1.2. Ignores the program's kernel forms, which change no verdict. False with an error
// that says what cannot be expressed (LIT_EXIT_UNDECIDED).
bool gen_dat3m(const struct axi_program *program, struct text *text, struct lit_error *error);

// --- All small memory tests, without duplicates by symmetry (exchange of threads or locations), as
// texts of the VULKAN dialect of .litmus; small and common ones first. axi_decide determines
// whether a test forbids anything or has a data race. Pure; the same on every machine.

enum { SMALL_THREADS = 4, SMALL_ACCESSES = 3 }; // per thread

enum gen_small_kind { SMALL_READ, SMALL_WRITE, SMALL_EXCHANGE };
enum gen_small_order {
    SMALL_RELAXED,
    SMALL_SEMANTICS, // all writes but the first access release, all reads but the last acquire
    SMALL_FENCE,     // a memory barrier between two accesses
    SMALL_BARRIER,   // a control barrier for all threads
};
// Placement of the threads and locations.
enum gen_small_place {
    SMALL_WORKGROUP,        // subgroups of one workgroup
    SMALL_WORKGROUP_SHARED, // the same, in workgroup memory
    SMALL_DEVICE,           // workgroups
    SMALL_SUBGROUP,         // lanes of one subgroup
    SMALL_SUBGROUP_SHARED,
    SMALL_WIDE, // subgroups of one workgroup, with scope Device
    SMALL_PLACES,
};

struct gen_small_program {
    uint8_t size; // order of enumeration: 2 for a common program
    uint8_t threads;
    uint8_t counts[SMALL_THREADS];
    uint8_t kind[SMALL_THREADS][SMALL_ACCESSES], location[SMALL_THREADS][SMALL_ACCESSES];
    uint8_t orders[SMALL_THREADS];
    uint8_t plain; // 1 + the location accessed by plain accesses; 0: none
};

struct gen_small {
    struct gen_small_program *programs; // sorted by size
    size_t count;
    struct {
        enum gen_small_place place;
        uint32_t forms; // bits of enum axi_form
        uint8_t size;   // counts everything uncommon
    } * settings;       // sorted likewise
    size_t setting_count;
    // The current test of gen_small_next.
    size_t program, setting;
    uint32_t level; // sum of the two sizes
    bool begun;
};

// Makes the lists; call before the first test.
void gen_small_make(struct gen_small *small);
void gen_small_clear(struct gen_small *small);
// Advances to the next test. False after the last.
bool gen_small_next(struct gen_small *small);
// Appends the test's name, "fuzz-wx-rxrx-nn-wg-a", and its text.
void gen_small_name(const struct gen_small *small, struct text *name);
void gen_small_write(const struct gen_small *small, struct text *text);
