// SPDX-License-Identifier: Apache-2.0
// The file named by the setting counts=FILE: one line for each vkCmdDispatch, in order.
//
//   dispatch N program KEY model NAME subgroup W groups X Y Z local X Y Z shared BYTES
//       instructions I invocation-instructions J sectors S atomic-loads A end RESULT
//
// N counts from 0 since the device was created. KEY is a hash of the pipeline's input in
// hexadecimal: module, entry point, specialization and subgroup size; a saved pipeline cache has
// the same numbers. An instruction that lanes of a subgroup execute together counts once in I, and
// once per lane in J. Its sectors are the aligned 32-byte blocks that its lanes' loads, stores and
// atomics access in buffers; Workgroup memory, push constants, registers and cooperative matrices
// do not count. A is how many of the I are OpAtomicLoad. RESULT is as in a trace
// (schedule/trace.h).
#pragma once

#include "schedule/machine.h"

#include <stdio.h>

struct counts {
    uint64_t instructions, invocations, sectors, atomic_loads;
};

// Counts the instruction just executed by `exec`.
void counts_step(struct counts *counts, const struct exec *exec);
void counts_add(struct counts *sum, const struct counts *part);
void counts_write(FILE *file, const struct counts *counts, uint64_t number, enum model model,
                  const struct dispatch *dispatch, enum dispatch_end end);
