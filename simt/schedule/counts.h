// SPDX-License-Identifier: Apache-2.0
// The file that the setting counts=FILE names: a line for each vkCmdDispatch, in order.
//
//   dispatch N program KEY model NAME subgroup W groups X Y Z local X Y Z shared BYTES
//       instructions I invocation-instructions J sectors S atomic-loads A end RESULT
//
// N counts from 0 since the device was created. KEY is what the pipeline was compiled from as one
// number, in hexadecimal: module, entry point, specialization and subgroup size; a saved pipeline
// cache has the same numbers. An instruction that lanes of a subgroup execute together counts once
// in I, and once for each of the lanes in J. It touches as many sectors as there are aligned blocks
// of 32 bytes in buffers that loads, stores and atomics of its lanes access: neither those of
// Workgroup memory, push constants or registers nor those of cooperative matrices. A is how many of
// the I are OpAtomicLoad. RESULT is that of a trace (schedule/trace.h).
#pragma once

#include "schedule/machine.h"

#include <stdio.h>

struct counts {
    uint64_t instructions, invocations, sectors, atomic_loads;
};

// The instruction that was executed: what `exec` has of it.
void counts_step(struct counts *counts, const struct exec *exec);
void counts_add(struct counts *sum, const struct counts *part);
void counts_write(FILE *file, const struct counts *counts, uint64_t number, enum model model,
                  const struct dispatch *dispatch, enum dispatch_end end);
