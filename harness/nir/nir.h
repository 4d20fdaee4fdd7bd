// SPDX-License-Identifier: Apache-2.0
// Executes NIR as RADV prints it last, before ACO takes it: what Mesa's common passes made of a
// module. NIR is structured, so a subgroup has one mask of lanes: they meet again behind each `if`
// and loop. Pure. The text is not trusted: runs are bounded, each access is checked, and what is
// not known ends a run with one line that names it.
//
// Arguments, from RADV 26.2.6: on GFX10 the scratch ring; then a pointer for each set, push
// constants that are inlined, the workgroup's number in x, tg_size (the subgroup's number in bits
// 24:20 and 11:6, how many there are in 5:0), on GFX10 the scratch offset; then vectors, the
// invocation's number first. On GFX12 the workgroup's number is ttmp9, the subgroup's in bits 29:25
// of ttmp8. A set has 16 bytes for each binding: address and size of the buffer.
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define NIR_LANES    64
#define NIR_BINDINGS 32
#define NIR_SET      UINT64_C(0xffff800000001000) // where set 0 lies

struct nir_program;

// `text`: NIR; `later`: ACO's text of the same shader, which has the number of arguments. False
// with an error for other text. An instruction that is not known is an error only where it is
// executed. Both must outlive the program.
bool nir_program_make(const char *text, const char *later, struct nir_program **program,
                      struct lit_error *error);
void nir_program_free(struct nir_program **program); // NULL is fine
// How many words of push constants are arguments.
uint32_t nir_program_pushed(const struct nir_program *program);

struct nir_buffer {
    uint64_t address;
    void *bytes;
    size_t size;
};

struct nir_dispatch {
    uint32_t groups, local; // workgroups, and invocations of one, both in one dimension
    struct nir_buffer buffers[NIR_BINDINGS]; // what descriptors and pointers may reach
    size_t buffer_count;
    struct nir_buffer bound[NIR_BINDINGS]; // by binding, in set 0; `bytes` is not used
    size_t bound_count;
    const uint32_t *pushed; // as many as nir_program_pushed says
    uint64_t steps;         // most instructions of a subgroup
    bool wrap;              // indices of @shuffle count modulo the subgroup's size
    const char *beyond;     // set: the first @shuffle of a lane that no subgroup has; NULL: none
    // Sees what a subgroup computes and stores: for each part of a result or of stored data, after
    // the operation, the lanes that executed it and a word of each of NIR_LANES. NULL: nobody does.
    void (*watch)(void *watcher, size_t op, uint32_t part, uint64_t mask, const uint64_t *words);
    void *watcher;
    uint32_t watched_group, watched_subgroup;
};

// The descriptors of set 0, as they lie there.
void nir_dispatch_set(const struct nir_dispatch *dispatch, uint32_t set[4 * NIR_BINDINGS]);

// Runs all workgroups, one after another. False with an error: an unknown instruction, an access
// outside of all buffers, subgroups that wait for ever, too many steps.
bool nir_run(const struct nir_program *program, struct nir_dispatch *dispatch,
             struct lit_error *error);
