// SPDX-License-Identifier: Apache-2.0
// What traced dispatches did wrong with memory: data races by the Vulkan memory model, and reads
// of what nobody wrote. Pure.
#pragma once

#include "catalogue/package.h"
#include "explain/trace.h"

#define EXP_MOST_RACED (UINT32_C(1) << 16) // invocations of a dispatch that is looked at

enum exp_misuse {
    EXP_RACE,          // two accesses, not ordered, not both atomic, at least one of them a store
    EXP_UNINITIALISED, // a load of what was never stored. Of a Function or Private variable a
                       // part that was stored is enough: copies of composites take all of them
    EXP_OUTSIDE,       // an access behind its buffer's end, behind Workgroup memory or an array
};

// A pair of instructions (EXP_RACE), or one, that did so, and the first time.
struct exp_finding {
    enum exp_misuse what;
    uint32_t code, other; // instructions: the later one, and for EXP_RACE the earlier one
    size_t dispatch;      // which: 0 the first
    uint32_t part;        // its pipeline, as cat_step has it
    size_t step, before;  // their steps there
    uint64_t times;
};

// What of a buffer's bytes is there before the dispatch.
struct exp_bytes {
    uint64_t size;             // bytes
    const bool *uninitialised; // for each word of it; NULL: all of it is there
};

struct exp_findings {
    struct exp_finding *items; // in the order of their steps
    size_t count;
};

// Looks for them. `buffers` has an item for each of the trace's. Accesses are ordered by program
// order, by control barriers, and by atomics and fences with release and acquire semantics of the
// location's storage class and a scope that both are in; availability and visibility operations are
// taken for done.
// False with an error if the dispatch is too large.
bool exp_find_misuse(const struct exp_trace *trace, const struct exp_bytes *buffers,
                     struct exp_findings *findings, struct lit_error *error);
// The same of all dispatches of a kernel from outside, one behind the other, by what it has in its
// buffers before; `traces` has one for each of exp_dispatches. Of two dispatches of one pipeline
// the same is found once.
bool exp_check(const struct exp_trace *traces, const struct cat_package *package,
               struct exp_findings *findings, struct lit_error *error);
// How many dispatches a run has.
static inline size_t exp_dispatches(const struct cat_package *package)
{
    return 1 + package->interface.step_count;
}
// The variable in registers that a step accesses, if it is one that has no initialiser; else "".
const char *exp_variable(const struct exp_trace *trace, const struct exp_step *step);
void exp_findings_clear(struct exp_findings *findings);
