// SPDX-License-Identifier: Apache-2.0
// Cut dispatches that would never have ended. The trace has the value of each executed instruction.
// An invocation that repeated the same instructions with the same values several times continues so
// while memory stays unchanged, and memory does if that holds for all invocations.
#include "explain/race.h"

#include "base/text.h"

#include <string.h>

#define REPEATS 4 // repetitions that prove an endless loop

static const struct exp_step *from_end(const struct exp_trace *t, uint32_t invocation, uint32_t n)
{
    return &t->steps[exp_step_at(t, invocation, exp_step_count(t, invocation) - 1 - n)];
}

static bool are_alike(const struct exp_step *a, const struct exp_step *b)
{
    return a->code == b->code && a->value == b->value && a->address == b->address &&
           a->source == b->source;
}

// The number of steps that an invocation repeats at its end; 0: none.
static uint32_t period_of(const struct exp_trace *t, uint32_t invocation)
{
    const uint32_t most = exp_step_count(t, invocation) / REPEATS;
    for (uint32_t period = 1; period <= most; period++) {
        uint32_t alike = 0;
        while (alike < period * (REPEATS - 1) &&
               are_alike(from_end(t, invocation, alike), from_end(t, invocation, alike + period)))
            alike++;
        if (alike == period * (REPEATS - 1))
            return period;
    }
    return 0;
}

// The workgroup barrier where an invocation waits or arrives next without a branch; otherwise its
// position.
static uint32_t next_barrier(const struct exp_trace *t, uint32_t code)
{
    uint32_t at = code;
    while (at < t->code_count && (t->codes[at].kind == EXP_PLAIN || t->codes[at].kind == EXP_FENCE))
        at++;
    return at < t->code_count && exp_is_workgroups(&t->codes[at]) ? at : code;
}

// An invocation that does not end by itself.
struct stuck {
    uint32_t code;  // current instruction
    uint32_t steps; // number of repeated steps executed; 0 if it does not repeat
    bool is_shared; // it reads only Workgroup memory
};

// False if it may still make progress.
static bool look_at(const struct exp_trace *t, uint32_t invocation, struct stuck *stuck)
{
    const struct exp_left *left = &t->left[invocation];
    const uint32_t period = left->state == EXP_RUNS ? period_of(t, invocation) : 0;
    *stuck = (struct stuck){.code = left->code, .is_shared = true};
    if (left->state == EXP_WAITS)
        stuck->code = next_barrier(t, left->code);
    for (uint32_t n = period; n-- > 0;) {
        const struct exp_step *step = from_end(t, invocation, n);
        const enum exp_access access = t->codes[step->code].access;
        if (access < EXP_LOAD || access > EXP_ATOMIC_STORE)
            continue;
        stuck->code = step->code;
        stuck->is_shared &= step->address >> EXP_REGION_SHIFT == EXP_SHARED_REGION;
    }
    stuck->steps = period ? exp_step_count(t, invocation) : 0;
    return left->state != EXP_RUNS || period;
}

static bool add(const struct exp_dispatch *of, struct exp_findings *findings,
                const struct exp_finding *finding)
{
    for (size_t i = 0; i < findings->count; i++) {
        struct exp_finding *known = &findings->items[i];
        if (known->what == finding->what && known->code == finding->code &&
            known->part == of->part && known->within) {
            known->times++;
            return false;
        }
    }
    LIT_ADD(findings->items, findings->count) = *finding;
    return true;
}

// Finds the invocations of a workgroup that can never end. `all` has each one's position.
static void find(const struct exp_dispatch *of, uint32_t group, const struct stuck *all,
                 uint32_t local, struct exp_findings *findings)
{
    const struct exp_trace *t = of->trace;
    const uint32_t first = group * t->subgroups * t->subgroup;
    struct exp_finding finding = {.what = EXP_ENDLESS,
                                  .dispatch = of->dispatch,
                                  .part = of->part,
                                  .barrier = EXP_NO_STEP,
                                  .times = 1};
    for (uint32_t i = 0; i < local; i++) {
        const uint32_t steps = all[i].steps;
        const bool is_barrier =
            t->left[first + i].state && exp_is_workgroups(&t->codes[all[i].code]);
        if (steps && (!finding.within || steps < finding.within))
            finding.within = steps;
        if (steps && finding.what == EXP_ENDLESS)
            finding.code = all[i].code;
        if (steps)
            finding.step = exp_step_at(t, first + i, steps - 1);
        if (is_barrier && finding.what == EXP_ENDLESS) {
            finding.what = EXP_MISSED;
            finding.code = all[i].code;
        }
    }
    finding.other = finding.code;
    if (!finding.within || !add(of, findings, &finding))
        return;
    uint32_t *at = lit_alloc(local, sizeof *at);
    for (uint32_t i = 0; i < local; i++) {
        const uint32_t count = exp_step_count(t, first + i);
        at[i] = t->left[first + i].state ? all[i].code
                : count                  ? from_end(t, first + i, 0)->code
                                         : EXP_NO_CODE;
    }
    findings->items[findings->count - 1].at = at;
}

void exp_find_endless(const struct exp_dispatch *of, struct exp_findings *findings)
{
    const struct exp_trace *t = of->trace;
    const uint32_t local = t->local[0] * t->local[1] * t->local[2],
                   width = t->subgroups * t->subgroup, groups = t->invocations / width;
    OWNED(lit_free) struct stuck *all = lit_alloc((size_t)groups * local, sizeof *all);
    OWNED(lit_free) bool *may_end = lit_alloc(groups, sizeof *may_end);
    OWNED(lit_free) bool *is_shared = lit_alloc(groups, sizeof *is_shared);
    bool any_may_end = false;
    if (!t->left)
        return;
    for (uint32_t group = 0; group < groups; group++) {
        is_shared[group] = true;
        for (uint32_t i = 0; i < local; i++) {
            struct stuck *each = &all[(size_t)group * local + i];
            may_end[group] |= !look_at(t, group * width + i, each);
            is_shared[group] &= each->is_shared;
        }
        any_may_end |= may_end[group];
    }
    findings->starved = !any_may_end && groups < t->dispatched;
    any_may_end |= findings->starved;
    for (uint32_t group = 0; group < groups; group++)
        if (!may_end[group] && (is_shared[group] || !any_may_end))
            find(of, group, &all[(size_t)group * local], local, findings);
}
