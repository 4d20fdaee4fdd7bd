// SPDX-License-Identifier: Apache-2.0
// Workgroups in a worker's slots.
#pragma once

#include "schedule/worker.h"

// Creates at most `slots` slots for the worker's program, fewer if it has very many registers.
// `past` is shared by the workgroups' memory and stays the caller's; NULL under models without weak
// memory. False: out of memory. Call launch_finish in any case.
bool launch_prepare(struct worker *worker, uint32_t slots, struct past *past);
void launch_finish(struct worker *worker);

// Starts workgroup `number` of the dispatch in a slot whose workgroup has ended. `seed` determines
// all random choices in it, and is the same for all workgroups of a dispatch. False: out of memory.
bool launch_workgroup(struct worker *worker, const struct dispatch *dispatch,
                      struct workgroup *slot, uint64_t number, uint64_t seed);
