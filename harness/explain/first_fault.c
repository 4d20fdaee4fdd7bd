// SPDX-License-Identifier: Apache-2.0
// Compares a failing dispatch with two correct ones, and chooses the part of it to show.
#include "base/text.h"
#include "explain/trace.h"

// "%x = OpLoad %uint %p" and "OpStore %p %x": the operation starts at the first word with Op.
static const char *operation(const struct exp_code *code)
{
    const char *equals = strstr(code->text, "= ");
    return equals ? equals + 2 : code->text + strspn(code->text, " ");
}

// Whether the opcode begins with `name` ("OpAtomic").
static bool code_is(const struct exp_code *code, const char *name)
{
    return strncmp(operation(code), name, strlen(name)) == 0;
}

void exp_code_word(const struct exp_code *code, unsigned nth, char *word, size_t size)
{
    const char *at = operation(code);
    for (; nth > 0; nth--) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    snprintf(word, size, "%.*s", (int)strcspn(at, " "), at);
}

struct finding {
    const struct exp_trace *failing, *reference, *second;
    struct exp_fault *fault;
};

static bool same_step(const struct exp_step *a, const struct exp_step *b)
{
    return a->code == b->code && a->has_value == b->has_value && a->value == b->value &&
           a->source == b->source;
}

static enum exp_cause cause_of(const struct exp_trace *trace, const struct exp_step *step,
                               const struct exp_step *right)
{
    const struct exp_code *code = &trace->codes[step->code];
    switch (code->kind) {
    case EXP_CROSS_LANE:
        return right->source == EXP_NO_LANE ? EXP_CAUSE_NONE : EXP_CAUSE_CROSS_LANE;
    case EXP_TANGLED:
        return EXP_CAUSE_TANGLE;
    case EXP_IF:
    case EXP_SWITCH:
        return EXP_CAUSE_BRANCH;
    default:
        break;
    }
    if (!step->has_address)
        return EXP_CAUSE_RESULT;
    return exp_is_store(trace, step) ? EXP_CAUSE_STORE : EXP_CAUSE_LOAD;
}

// Finds the first deviation of an invocation from what is prescribed. Values computed from an open
// value are also open, and the references differ there as well.
static void compare_invocation(struct finding *f, uint32_t invocation, bool results)
{
    const struct exp_trace *a = f->failing, *b = f->reference, *c = f->second;
    const uint32_t count = exp_step_count(a, invocation);
    for (uint32_t n = 0; n < count; n++) {
        if (n >= exp_step_count(b, invocation) || n >= exp_step_count(c, invocation))
            return;
        const size_t index = exp_step_at(a, invocation, n);
        const struct exp_step *step = &a->steps[index];
        const struct exp_step *right = &b->steps[exp_step_at(b, invocation, n)];
        const struct exp_step *other = &c->steps[exp_step_at(c, invocation, n)];
        if (right->code != other->code || step->code != right->code)
            return;
        if (!same_step(right, other) || (step->value == right->value || !step->has_value))
            continue;
        if (code_is(&a->codes[step->code], "OpAtomic"))
            return; // the order of arrival is not guaranteed
        const enum exp_cause cause = cause_of(a, step, right);
        if (cause == EXP_CAUSE_NONE || (cause == EXP_CAUSE_RESULT) != results)
            continue;
        struct exp_fault *found = f->fault;
        if (found->cause == EXP_CAUSE_NONE || step->time < a->steps[found->step].time)
            *found = (struct exp_fault){.cause = cause,
                                        .step = index,
                                        .has_got = true,
                                        .got = step->value,
                                        .want = right->value,
                                        .want_tangle = right->tangle};
        return;
    }
}

static void compare(struct finding *f, bool results)
{
    for (uint32_t i = 0; i < f->failing->invocations; i++)
        compare_invocation(f, i, results);
}

// Memory

bool exp_is_store(const struct exp_trace *trace, const struct exp_step *step)
{
    const struct exp_code *code = &trace->codes[step->code];
    return step->has_address && (code_is(code, "OpStore") || code_is(code, "OpAtomicStore"));
}

static bool is_store(const struct exp_trace *trace, const struct exp_step *step)
{
    return step->has_value && exp_is_store(trace, step);
}

// Atomics, copies and stores whose stored value is not in the trace.
static bool writes_unseen(const struct exp_trace *trace, const struct exp_step *step)
{
    const struct exp_code *code = &trace->codes[step->code];
    return step->has_address && !is_store(trace, step) &&
           ((code_is(code, "OpAtomic") && !code_is(code, "OpAtomicLoad")) ||
            code_is(code, "OpStore") || code_is(code, "OpCopyMemory"));
}

// The last store before `step` to its address, if it shows its value.
static size_t last_store(const struct exp_trace *trace, size_t step)
{
    for (size_t i = step; i-- > 0;) {
        const struct exp_step *at = &trace->steps[i];
        if (!at->has_address || exp_place(trace, at) != exp_place(trace, &trace->steps[step]))
            continue;
        if (writes_unseen(trace, at))
            return EXP_NO_STEP;
        if (is_store(trace, at))
            return i;
    }
    return EXP_NO_STEP;
}

// The store of `value` to that address nearest to the step, before or after.
static size_t store_of(const struct exp_trace *trace, size_t step, uint64_t value)
{
    size_t before = EXP_NO_STEP;
    for (size_t i = 0; i < trace->step_count; i++) {
        const struct exp_step *at = &trace->steps[i];
        if (!is_store(trace, at) || at->value != value ||
            exp_place(trace, at) != exp_place(trace, &trace->steps[step]))
            continue;
        if (i > step && before == EXP_NO_STEP)
            return i;
        if (i < step)
            before = i;
    }
    return before;
}

static bool read_again(const struct exp_trace *trace, size_t step)
{
    const struct exp_step *at = &trace->steps[step];
    for (uint32_t n = exp_step_count(trace, at->invocation); n-- > 0;) {
        const uint32_t later = exp_step_at(trace, at->invocation, n);
        if (later <= step)
            return false;
        if (trace->steps[later].has_address && trace->steps[later].address == at->address &&
            !is_store(trace, &trace->steps[later]))
            return true;
    }
    return false;
}

// The newest store to each place: an open-addressed hash table, its capacity a power of two.
struct newest {
    struct entry {
        uint64_t place;
        size_t store; // index + 1; 0: free
        bool unseen;  // a later write is not in the trace
    } * entries;
    size_t room;
};

static struct entry *newest_at(const struct newest *newest, uint64_t place)
{
    size_t i = (size_t)((place * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (newest->room - 1);
    while (newest->entries[i].store && newest->entries[i].place != place)
        i = (i + 1) & (newest->room - 1);
    return &newest->entries[i];
}

static bool is_stale(const struct exp_trace *trace, size_t index, struct newest *newest)
{
    const struct exp_step *step = &trace->steps[index];
    const struct exp_code *code = &trace->codes[step->code];
    struct entry *entry = newest_at(newest, exp_place(trace, step));
    if (is_store(trace, step) || writes_unseen(trace, step)) {
        *entry = (struct entry){exp_place(trace, step), index + 1, !is_store(trace, step)};
        return false;
    }
    return entry->store && !entry->unseen && step->has_value &&
           (code_is(code, "OpLoad") || code_is(code, "OpAtomicLoad")) &&
           trace->steps[entry->store - 1].value != step->value && !read_again(trace, index);
}

// Finds a load that missed the newest store and was not repeated, as it would be when polling a
// flag.
static void find_stale(struct finding *f)
{
    const struct exp_trace *t = f->failing;
    struct newest newest = {.room = 64};
    size_t accesses = 0;
    for (size_t i = 0; i < t->step_count; i++)
        accesses += t->steps[i].has_address;
    while (newest.room < 2 * accesses)
        newest.room *= 2;
    newest.entries = lit_alloc(newest.room, sizeof *newest.entries);
    for (size_t i = 0; i < t->step_count; i++) {
        if (!t->steps[i].has_address || !is_stale(t, i, &newest))
            continue;
        const size_t store = newest_at(&newest, exp_place(t, &t->steps[i]))->store - 1;
        *f->fault = (struct exp_fault){.cause = EXP_CAUSE_LOAD,
                                       .step = i,
                                       .has_got = true,
                                       .got = t->steps[i].value,
                                       .want = t->steps[store].value};
        break;
    }
    free(newest.entries);
}

static bool has_atomics(const struct exp_trace *trace)
{
    for (size_t i = 0; i < trace->code_count; i++)
        if (code_is(&trace->codes[i], "OpAtomic"))
            return true;
    return false;
}

// Details

// The instruction that defines the id `name`, or code_count.
static uint32_t maker_of(const struct exp_trace *trace, const char *name)
{
    const size_t length = strlen(name);
    for (uint32_t i = 0; i < trace->code_count && length > 0; i++)
        if (strncmp(trace->codes[i].text, name, length) == 0 &&
            strncmp(trace->codes[i].text + length, " = ", 3) == 0)
            return i;
    return (uint32_t)trace->code_count;
}

// An invocation's nth execution (from 1) of an instruction.
static size_t execution(const struct exp_trace *trace, uint32_t invocation, uint32_t code,
                        uint32_t nth)
{
    for (uint32_t n = 0; n < exp_step_count(trace, invocation); n++) {
        const uint32_t step = exp_step_at(trace, invocation, n);
        if (trace->steps[step].code == code && --nth == 0)
            return step;
    }
    return EXP_NO_STEP;
}

// OpGroupNonUniformShuffle TYPE SCOPE VALUE ...
#define WORD_OF_VALUE 3

static void explain_cross_lane(const struct finding *f)
{
    const struct exp_trace *t = f->failing;
    struct exp_fault *b = f->fault;
    const struct exp_step *step = &t->steps[b->step];
    const uint32_t group = exp_group(t, step->invocation);
    const uint8_t lane = step->source;
    exp_code_word(&t->codes[step->code], WORD_OF_VALUE, b->name, sizeof b->name);
    b->source = lane == EXP_NO_LANE
                    ? step->invocation
                    : exp_invocation(t, group, exp_subgroup(t, step->invocation), lane);
    const uint32_t maker = maker_of(t, b->name);
    if (maker == t->code_count) {
        // Without a defining instruction (a phi), a lane that has not reached the read lacks the
        // value.
        const uint32_t passed = exp_executions(t, b->source, step->code, b->step);
        b->reader_iteration = b->iteration;
        b->source_iteration = passed >= b->iteration ? passed + 1 : 0;
        return;
    }
    b->reader_iteration = exp_executions(t, step->invocation, maker, b->step);
    b->source_iteration = exp_executions(t, b->source, maker, b->step);
    if (b->source_iteration)
        b->made = execution(t, b->source, maker, b->source_iteration);
    if (b->reader_iteration)
        b->due = execution(t, b->source, maker, b->reader_iteration);
}

static void explain_step(const struct finding *f)
{
    const struct exp_trace *t = f->failing;
    struct exp_fault *b = f->fault;
    const struct exp_step *step = &t->steps[b->step];
    b->iteration = exp_executions(t, step->invocation, step->code, b->step) + 1;
    b->iterations = b->iteration;
    if (f->reference && step->invocation < f->reference->invocations)
        b->iterations = exp_executions(f->reference, step->invocation, step->code, SIZE_MAX);
    if (b->iterations < b->iteration)
        b->iterations = b->iteration;
    if (b->cause == EXP_CAUSE_CROSS_LANE)
        explain_cross_lane(f);
    if (b->cause == EXP_CAUSE_LOAD) {
        b->stored = last_store(t, b->step);
        b->expected_store = store_of(t, b->step, b->want);
    }
}

static bool same_dispatch(const struct exp_trace *a, const struct exp_trace *b)
{
    return a->subgroup == b->subgroup && a->subgroups == b->subgroups &&
           a->invocations == b->invocations && a->code_count == b->code_count;
}

void exp_fault_find(const struct exp_trace *failing, const struct exp_trace *reference,
                    const struct exp_trace *second, struct exp_fault *fault)
{
    struct finding f = {failing, reference, second, fault};
    *fault = (struct exp_fault){.step = EXP_NO_STEP};
    if (!reference || !second || !same_dispatch(failing, reference) ||
        !same_dispatch(failing, second))
        f.reference = f.second = NULL;
    // If invocations share work through atomics, a different order is no fault, but a stale value
    // is.
    if (has_atomics(failing))
        find_stale(&f);
    if (fault->cause == EXP_CAUSE_NONE && f.reference)
        compare(&f, false);
    if (fault->cause == EXP_CAUSE_NONE)
        find_stale(&f);
    if (fault->cause == EXP_CAUSE_NONE && f.reference)
        compare(&f, true);
    fault->made = fault->due = fault->stored = fault->expected_store = EXP_NO_STEP;
    if (fault->cause != EXP_CAUSE_NONE) {
        explain_step(&f);
    } else if (strcmp(failing->end, "done") != 0) {
        fault->cause = EXP_CAUSE_STUCK;
        fault->step = failing->step_count ? failing->step_count - 1 : EXP_NO_STEP;
    }
}

// --- The part to show

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
