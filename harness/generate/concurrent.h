// SPDX-License-Identifier: Apache-2.0
// A litmus test as a kernel: many instances of it in a dispatch. Every invocation is each of the
// test's threads in turn, of an instance each: which ones changes with the seed of a run. Threads
// of one subgroup or workgroup are invocations of one. The ABI is that of docs/test-format.md;
// specialization constants: 0 the width of the workgroup, 1 the stride of locations, 2 the step of
// the permutations, an odd number. Numbers of workgroups and their sizes are powers of two.
#pragma once

#include "generate/module.h"
#include "generate/states.h"

struct gen_concurrent {
    struct gen_module module;
    uint32_t threads;
    uint32_t buffered, shared;        // locations in the state buffer; in workgroup memory
    uint32_t initial[AXI_REFERENCES]; // of those in the buffer, in their order
};

// The state buffer: word 0, then for each location and each instance a word, `stride` words apart;
// then a word for each instance, 0 at first.
// Zero-initialise; clear it in any case. False with an error that says what one dispatch cannot
// express (LIT_EXIT_UNDECIDED).
bool gen_concurrent_make(const struct axi_program *program, const struct gen_states *states,
                         struct gen_concurrent *made, struct lit_error *error);
