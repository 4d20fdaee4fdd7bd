// SPDX-License-Identifier: Apache-2.0
// Chooses the part of a trace to show.

#include "explain/trace.h"

#include "base/text.h"

#include <stdlib.h>

static void add_row(struct exp_window *window, uint32_t invocation, bool involved)
{
    size_t at = 0;
    while (at < window->row_count && window->rows[at].invocation < invocation)
        at++;
    if (at < window->row_count && window->rows[at].invocation == invocation) {
        window->rows[at].involved |= involved;
        return;
    }
    if (window->row_count == EXP_ROWS)
        return;
    for (size_t i = window->row_count++; i > at; i--)
        window->rows[i] = window->rows[i - 1];
    window->rows[at] = (struct exp_row){invocation, involved};
}

static void add_row_of(struct exp_window *window, const struct exp_trace *trace, size_t step)
{
    if (step != EXP_NO_STEP)
        add_row(window, trace->steps[step].invocation, true);
}

static uint32_t first_of_subgroup(const struct exp_trace *trace, uint32_t invocation)
{
    return invocation - exp_lane(trace, invocation);
}

static bool has_ended(const struct exp_trace *trace, uint32_t invocation)
{
    const uint32_t count = exp_step_count(trace, invocation);
    if (count == 0)
        return true;
    const struct exp_step *last = &trace->steps[exp_step_at(trace, invocation, count - 1)];
    const enum exp_code_kind kind = trace->codes[last->code].kind;
    return kind == EXP_RETURN || kind == EXP_END;
}

static void choose_rows(const struct exp_trace *trace, const struct exp_fault *b,
                        struct exp_window *window)
{
    const struct exp_step *step = &trace->steps[b->step];
    const uint32_t lane = exp_lane(trace, step->invocation);
    const uint32_t first = first_of_subgroup(trace, step->invocation);
    add_row(window, step->invocation, true);
    if (b->cause == EXP_CAUSE_CROSS_LANE)
        add_row(window, b->source, true);
    add_row_of(window, trace, b->stored);
    add_row_of(window, trace, b->expected_store);
    for (uint32_t i = 0; b->cause == EXP_CAUSE_TANGLE && i < trace->subgroup; i++)
        if (exp_lanes_has(&step->tangle, i) != exp_lanes_has(&b->want_tangle, i))
            add_row(window, first + i, true);
    if (b->cause == EXP_CAUSE_STUCK)
        for (uint32_t i = 0; i < trace->invocations; i++)
            if (!has_ended(trace, i))
                add_row(window, i, true);
    // Neighbours: lanes to the left and right, nearest first.
    for (uint32_t distance = 1; distance < trace->subgroup; distance++) {
        if (lane >= distance)
            add_row(window, step->invocation - distance, false);
        if (lane + distance < trace->subgroup)
            add_row(window, step->invocation + distance, false);
    }
}

static void add_step(struct exp_window *window, size_t step, size_t row)
{
    size_t at = window->step_count;
    while (at > 0 && window->steps[at - 1].step > step)
        at--;
    if (at > 0 && window->steps[at - 1].step == step)
        return;
    // Few steps are shown, so reallocate for each.
    window->steps = lit_realloc(window->steps, window->step_count + 1, sizeof *window->steps);
    for (size_t i = window->step_count++; i > at; i--)
        window->steps[i] = window->steps[i - 1];
    window->steps[at] = (struct exp_shown){step, row};
}

// Whether a step communicates with others, or makes the value passed on.
static bool announces(const struct exp_trace *trace, const struct exp_fault *b, size_t index)
{
    const struct exp_step *step = &trace->steps[index];
    if (b->made != EXP_NO_STEP && step->code == trace->steps[b->made].code)
        return true;
    switch (trace->codes[step->code].kind) {
    case EXP_TANGLED:
    case EXP_CROSS_LANE:
    case EXP_BARRIER:
    case EXP_FENCE:
    case EXP_IF:
    case EXP_SWITCH:
    case EXP_END:
    case EXP_UNREACHABLE:
        return true;
    default:
        return step->has_address;
    }
}

static void add_special(const struct exp_trace *trace, struct exp_window *window, size_t step)
{
    for (size_t row = 0; step != EXP_NO_STEP && row < window->row_count; row++)
        if (trace->steps[step].invocation == window->rows[row].invocation)
            add_step(window, step, row);
}

static void add_last_steps(const struct exp_trace *trace, const struct exp_fault *b,
                           struct exp_window *window, size_t row)
{
    const uint32_t invocation = window->rows[row].invocation;
    unsigned shown = 0;
    for (uint32_t n = exp_step_count(trace, invocation); n-- > 0 && shown <= EXP_BEFORE;) {
        const size_t step = exp_step_at(trace, invocation, n);
        const bool last = b->cause == EXP_CAUSE_STUCK && n + 1 == exp_step_count(trace, invocation);
        // Steps executed together are adjacent in the trace.
        if ((trace->steps[step].time <= trace->steps[b->step].time ||
             b->cause == EXP_CAUSE_STUCK) &&
            (last || announces(trace, b, step))) {
            add_step(window, step, row);
            shown++;
        }
    }
}

// For a lane whose store a load should have seen, adds its last stores before the load to all
// places that the loading lane's shown steps read, such as the flag that announced the value.
static void add_stores(const struct exp_trace *trace, const struct exp_fault *b,
                       struct exp_window *window, size_t row)
{
    const uint32_t reader = trace->steps[b->step].invocation;
    const uint32_t writer = window->rows[row].invocation;
    const size_t before = window->step_count;
    OWNED(lit_free) size_t *stores = lit_alloc(before + 1, sizeof *stores);
    for (size_t i = 0; i < before; i++) {
        const struct exp_step *load = &trace->steps[window->steps[i].step];
        stores[i] = EXP_NO_STEP;
        if (load->invocation != reader || !load->has_address)
            continue;
        for (uint32_t n = 0; n < exp_step_count(trace, writer); n++) {
            const size_t index = exp_step_at(trace, writer, n);
            const struct exp_step *step = &trace->steps[index];
            if (index < window->steps[i].step && exp_is_store(trace, step) &&
                exp_place(trace, step) == exp_place(trace, load))
                stores[i] = index;
        }
    }
    for (size_t i = 0; i < before; i++)
        if (stores[i] != EXP_NO_STEP)
            add_step(window, stores[i], row);
}

// Adds steps that neighbours executed together with involved lanes.
static void add_company(const struct exp_trace *trace, struct exp_window *window, size_t row)
{
    const size_t before = window->step_count;
    OWNED(lit_free) size_t *chosen = lit_alloc(before + 1, sizeof *chosen);
    for (size_t i = 0; i < before; i++)
        chosen[i] = window->steps[i].step;
    for (size_t i = 0; i < before; i++) {
        const uint64_t time = trace->steps[chosen[i]].time;
        size_t at = chosen[i];
        while (at > 0 && trace->steps[at - 1].time == time)
            at--;
        for (; at < trace->step_count && trace->steps[at].time == time; at++)
            if (trace->steps[at].invocation == window->rows[row].invocation)
                add_step(window, at, row);
    }
}

void exp_window_make(const struct exp_trace *trace, const struct exp_fault *fault,
                     struct exp_window *window)
{
    *window = (struct exp_window){0};
    if (fault->step == EXP_NO_STEP)
        return;
    choose_rows(trace, fault, window);
    const bool load = fault->cause == EXP_CAUSE_LOAD;
    const uint32_t who = trace->steps[fault->step].invocation;
    for (size_t row = 0; row < window->row_count; row++)
        if (window->rows[row].involved && (!load || window->rows[row].invocation == who))
            add_last_steps(trace, fault, window, row);
    for (size_t row = 0; load && row < window->row_count; row++)
        if (window->rows[row].involved && window->rows[row].invocation != who)
            add_stores(trace, fault, window, row);
    const size_t named[] = {fault->step, fault->made, fault->due, fault->stored,
                            fault->expected_store};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        add_special(trace, window, named[i]);
    for (size_t row = 0; row < window->row_count; row++)
        if (!window->rows[row].involved)
            add_company(trace, window, row);
}

void exp_window_clear(struct exp_window *window)
{
    free(window->steps);
    *window = (struct exp_window){0};
}
