// SPDX-License-Identifier: Apache-2.0
// The setting fault=KIND:PROGRAM:INDEX: in a program, the instruction of a kind with this index
// loses its effect.
#pragma once

#include "decode.h"
#include "device/wave.h"

struct fault_program {
    uint32_t name;               // a hash of its words
    unsigned count[RDNA_FAULTS]; // its instructions of each kind
    uint64_t at;                 // the address of the faulty one; UINT64_MAX: none
};

// Reads a program from its first word on.
void fault_find(struct rdna_device *device, uint64_t code, struct fault_program *program);

// As rdna_step, of the faulty instruction: a wait, a barrier and an invalidation do nothing, a load
// or store has no cache bits, exec stays. Notes in the device whether that may matter; of a cache
// it does if a load then reads something else than with these bits, or after that invalidation.
enum rdna_event fault_step(struct rdna_device *device, struct wave *wave,
                           const struct rdna_insn *insn, const struct rdna_memory_ops *memory);
