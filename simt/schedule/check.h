// SPDX-License-Identifier: Apache-2.0
// The setting check=...: looks for errors of shaders while dispatches execute, and reports each
// pair of instructions once, with the shader, the lines and the first invocations.
//
// A data race is two accesses of one dispatch to the same bytes, by different invocations, not both
// atomic, one of them a store, with nothing between them that may order them: a control barrier of
// the workgroup or subgroup with semantics for that memory, or a release and an acquire, by atomics
// or fences, for which those of any invocation of the two workgroups count. So what is reported is
// a race in the executed order, but some races are not seen. Accesses of cooperative matrices, and
// of different dispatches, are not compared.
#pragma once

#include "schedule/machine.h"

struct check; // of one machine, whose only thread calls these
struct workgroup;

// `checks`: enum checks of settings.h. NULL: out of memory.
struct check *check_create(uint32_t checks, machine_report *report, void *user);
// Reports a summary. A check that is never freed writes it to stderr when the process ends.
void check_free(struct check *check);
// False: out of memory.
bool check_dispatch(struct check *check, const struct dispatch *dispatch);
// After an instruction of a workgroup at a time that increases within the dispatch. The exec has
// its addresses (`trace`).
void check_step(struct check *check, const struct exec *exec, uint64_t time, uint64_t workgroup);
// Before invocations leave the barriers of their workgroup at which they wait.
void check_barrier(struct check *check, const struct workgroup *workgroup);
// After the end of a workgroup.
void check_end(struct check *check, uint64_t workgroup);
// Takes over the report of a fault; false if it is none that is looked for.
bool check_fault(struct check *check, const struct exec_fault *fault);
