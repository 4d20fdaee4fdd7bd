// SPDX-License-Identifier: Apache-2.0
// What traced dispatches did wrong: barriers that not all reach, data races by the Vulkan memory
// model, accesses out of bounds, and reads of what nobody wrote. Pure.
#pragma once

#include "catalogue/package.h"
#include "explain/trace.h"

#define EXP_MOST_RACED (UINT32_C(1) << 16) // invocations of a dispatch that is looked at

enum exp_misuse {
    EXP_RACE,          // two accesses, not ordered, not both atomic, at least one of them a store
    EXP_UNINITIALISED, // a load of what was never stored. Of a Function or Private variable a
                       // part that was stored is enough: copies of composites take all of them
    EXP_OUTSIDE,       // an access behind its buffer's end, behind Workgroup memory or an array, or
                       // where there is no buffer
    EXP_MISSED,        // a control barrier of the workgroup; a part of it did not execute the
                       // same dynamic instance
    EXP_ENDLESS,       // a workgroup that comes to no end, where none of it waits at a barrier
};

// Instead of an instruction.
#define EXP_ANOTHER (UINT32_MAX - 1) // another dynamic instance of the barrier
#define EXP_NO_CODE UINT32_MAX       // none was executed

// A pair of instructions (EXP_RACE), or one, that did so, and the first time.
struct exp_finding {
    enum exp_misuse what;
    uint32_t code, other; // instructions: the later one, and for EXP_RACE the earlier one
    size_t dispatch;      // which: 0 the first
    uint32_t part;        // its pipeline, as cat_step has it
    size_t step, before;  // their steps there
    size_t barrier;       // EXP_RACE: a step of a subgroup's barrier between them, in the tangle of
                          // which only one of them was; or EXP_NO_STEP
    bool is_private;      // EXP_RACE: one of them is, so that nothing can order them
    uint64_t times;
    // EXP_MISSED: how many of the step's workgroup reached it; and of each invocation of that the
    // instruction that it was at, owned.
    // EXP_ENDLESS: the same. Where the dispatch was cut and the others do the same again and again,
    // `within` is how many instructions each of these executed at least; else 0.
    uint32_t reached, *at, within;
};

// What of a buffer's bytes is there before the dispatch.
struct exp_bytes {
    uint64_t size;             // bytes
    const bool *uninitialised; // for each word of it; NULL: all of it is there
};

// A dispatch that is looked at.
struct exp_dispatch {
    const struct exp_trace *trace;
    const struct exp_bytes *buffers; // an item for each of the trace's
    const bool *unused; // of each instruction: what it reads does not matter; NULL: all of it does
    size_t dispatch;    // which, and its pipeline: as in findings
    uint32_t part;
};

struct exp_findings {
    struct exp_finding *items; // in the order of their steps
    size_t count;
    bool starved; // workgroups that had not begun are all that those of a cut dispatch can wait for
};

// Adds what is found to `findings`. Accesses are ordered as by axi_decide, in the execution that
// was traced: by program order, and by atomics, fences and control barriers that synchronize; but
// availability and visibility operations are taken for done.
// False with an error if the dispatch is too large.
bool exp_find_misuse(const struct exp_dispatch *of, struct exp_findings *findings,
                     struct lit_error *error);
// Whether an instruction is a control barrier for which a whole workgroup comes together.
bool exp_is_workgroups(const struct exp_code *code);
// Adds what of a dispatch that was cut can never end: where each invocation that has not ended
// waits for others, or repeats what it did with the same values, and nobody is left who could
// change that.
void exp_find_endless(const struct exp_dispatch *of, struct exp_findings *findings);
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
// Whether each step loads parts of a variable in registers, and its invocation has stored to none
// of them; NULL if all variables have initialisers. free() it.
bool *exp_find_unstored(const struct exp_trace *trace);
// The variable in registers that a step accesses, if it is one that has no initialiser; else "".
const char *exp_variable(const struct exp_trace *trace, const struct exp_step *step);
void exp_findings_clear(struct exp_findings *findings);
