// SPDX-License-Identifier: Apache-2.0
// Executes the machine code that RADV's compiler ACO made of NIR, on the host, and finds the first
// value of the NIR that it does not compute.
#pragma once

#include "base/text.h"
#include "nir/nir.h"

struct aco_program;

// `text`: ACO's text, which `nir` was made with; `listing`: the machine code with its words;
// `vgprs`: the statistic of that name. False with an error if the listing is of no known GPU. `nir`
// and `text` must outlive the program.
bool aco_program_make(const struct nir_program *nir, const char *text, const char *listing,
                      unsigned vgprs, struct aco_program **program, struct lit_error *error);
void aco_program_free(struct aco_program **program); // NULL is fine

// Runs all workgroups, one after another, with the data of a dispatch of the NIR. `late`: memory is
// as late and as stale as the manuals allow (docs/rdna.md). The dispatch's steps are those of a
// workgroup. False with an error: what is not emulated, an access outside of all buffers, too many
// steps.
bool aco_run(const struct aco_program *program, const struct nir_dispatch *dispatch, bool late,
             struct lit_error *error);

// Where the code of one subgroup parts from the NIR.
struct aco_parting {
    const char *value;  // the line of the NIR, up to its end; NULL: all values were found
    bool stored;        // of the data of a store
    uint32_t lane, got; // the lane that differs, its word in the register that is nearest
    uint32_t want;      // by the NIR
    uint32_t agree, of; // lanes; 0 agree: no register is near
    size_t
        place; // the instruction that wrote it; else what it is computed from was there behind it
    uint32_t number;   // the register: 256 and more are vector registers
    uint32_t offset;   // of its SPIR-V instruction, in bytes; UINT32_MAX: not known
    size_t looked_for; // values until then
};

// Runs both for one subgroup with the data of the dispatch, whose buffers `refill` sets before each
// run. False with an error as nir_run and aco_run; the machine code may end early.
bool aco_first(const struct aco_program *program, struct nir_dispatch *dispatch, bool late,
               void (*refill)(void *user), void *user, struct aco_parting *parting,
               struct lit_error *error);

// Appends a sentence without a full stop.
void aco_parting_print(const struct aco_program *program, const struct aco_parting *parting,
                       struct text *text);
// Appends the instructions around its place, one a line behind four spaces, that one marked with *;
// nothing if all values were found.
void aco_parting_list(const struct aco_program *program, const struct aco_parting *parting,
                      struct text *text);
