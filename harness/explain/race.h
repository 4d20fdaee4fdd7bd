// SPDX-License-Identifier: Apache-2.0
// Errors in traced dispatches: barriers that some invocations miss, data races by the Vulkan memory
// model, out-of-bounds accesses and uninitialised reads. Pure.
#pragma once

#include "catalogue/package.h"
#include "explain/trace.h"

#define EXP_MOST_RACED (UINT32_C(1) << 16) // limit on a dispatch's invocations

enum exp_misuse {
    EXP_RACE,          // two unordered accesses, not both atomic, at least one a store
    EXP_UNINITIALISED, // a load of memory never stored; any stored part of a variable suffices
    EXP_OUTSIDE,       // an access past a buffer, array or Workgroup memory, or to no buffer
    EXP_MISSED,        // a workgroup's control barrier that some did not reach in this instance
    EXP_ENDLESS,       // a workgroup that never ends, with none of it waiting at a barrier
};

// In place of an instruction.
#define EXP_ANOTHER (UINT32_MAX - 1) // another dynamic instance of the barrier
#define EXP_NO_CODE UINT32_MAX       // none executed

// An error, and the first time it happened: one instruction, or for EXP_RACE two.
struct exp_finding {
    enum exp_misuse what;
    uint32_t code, other; // later instruction; EXP_RACE: the earlier one
    size_t dispatch;      // index, 0 for the first
    uint32_t part;        // its pipeline, as in cat_step
    size_t step, before;  // the steps of `code` and `other`
    size_t barrier;       // EXP_RACE: a subgroup barrier between them, of only one; or EXP_NO_STEP
    bool is_private;      // EXP_RACE: an access is private, so nothing can order them
    uint64_t times;
    // EXP_MISSED: how many of the step's workgroup reached the barrier, and the position of each
    // invocation (owned).
    //
    // EXP_ENDLESS: the same. If the dispatch was cut and the others repeat themselves, `within` is
    // the least number of instructions that each of these executed; else 0.
    uint32_t reached, *at, within;
};

// Initialisation of a buffer before the dispatch.
struct exp_bytes {
    uint64_t size;             // bytes
    const bool *uninitialised; // per word; NULL: all initialised
};

// A dispatch to check.
struct exp_dispatch {
    const struct exp_trace *trace;
    const struct exp_bytes *buffers; // one for each of the trace's buffers
    const bool *unused;              // per instruction: its result is unused; NULL: none is
    size_t dispatch;                 // index and pipeline, as in findings
    uint32_t part;
};

struct exp_findings {
    struct exp_finding *items; // in step order
    size_t count;
    bool starved; // workgroups that had not started are all that a cut dispatch can be waiting for
};

// Adds findings to `findings`. Accesses are ordered as in axi_decide for the traced execution: by
// program order, and by atomics, fences and control barriers that synchronize. Availability and
// visibility operations are assumed to be present.
//
// False with an error if the dispatch is too large.
bool exp_find_misuse(const struct exp_dispatch *of, struct exp_findings *findings,
                     struct lit_error *error);
// Whether an instruction is a control barrier for a whole workgroup.
bool exp_is_workgroups(const struct exp_code *code);
// Adds what can never end in a cut dispatch: every invocation that has not ended waits for others
// or repeats itself with the same values, and none is left that could change that.
void exp_find_endless(const struct exp_dispatch *of, struct exp_findings *findings);
// Checks all dispatches of a kernel from outside in order, starting with the initial contents of
// its buffers; `traces` has one for each of exp_dispatches. An error in two dispatches of one
// pipeline is reported once.
bool exp_check(const struct exp_trace *traces, const struct cat_package *package,
               struct exp_findings *findings, struct lit_error *error);
// The number of dispatches in a run.
static inline size_t exp_dispatches(const struct cat_package *package)
{
    return 1 + package->interface.step_count;
}
// Per step: whether it loads part of a register variable before its invocation has stored to that
// part; NULL if all variables have initialisers. free() it.
bool *exp_find_unstored(const struct exp_trace *trace);
// The uninitialised register variable that a step accesses, or "".
const char *exp_variable(const struct exp_trace *trace, const struct exp_step *step);
void exp_findings_clear(struct exp_findings *findings);
