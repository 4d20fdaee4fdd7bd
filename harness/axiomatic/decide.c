// SPDX-License-Identifier: Apache-2.0
// Unfolds the paths through the threads, and enumerates candidate executions. Choices of atomic
// operations determine synchronization and hence location order, which is computed once for all
// choices of the other reads.
#include "axiomatic/decide.h"

#define VALUES_MAX       64        // per location
#define TRACES_MAX       (1 << 12) // per thread
#define FORKS_MAX        (1 << 16) // per thread, counting forks that never end
#define COMBINATIONS_MAX 1000000   // combinations of the threads' traces

// --- The paths through one thread: a read's value stays open until an instruction needs it; then
// the trace forks for each value that its location may have.

// A register's content: `value`, or the value read by step `from`.
struct held {
    int64_t value;
    int from; // -1: none
};

struct trace {
    unsigned count;
    struct axi_event steps[AXI_EVENTS];
    struct held registers[AXI_REGISTERS];
};

struct traces {
    struct trace *items;
    size_t count;
};

struct values {
    int64_t items[VALUES_MAX];
    size_t count;
    bool full; // some values did not fit
};

struct unfolding {
    const struct axi_program *program;
    const struct axi_thread *thread;
    const struct values *values; // per location
    unsigned rounds, forks;
    struct traces *out;
    bool *cut;
    struct lit_error *error;
};

struct place {
    size_t at;
    uint8_t jumps[AXI_INSTRUCTIONS];
    struct trace trace;
};

static bool go_on(struct unfolding *u, struct place *p);

static bool add_value(struct values *values, int64_t value)
{
    for (size_t i = 0; i < values->count; i++)
        if (values->items[i] == value)
            return false;
    if (values->count == VALUES_MAX)
        return values->full = true;
    values->items[values->count++] = value;
    return true;
}

static bool is_too_large(const struct unfolding *u)
{
    return lit_fail(u->error, LIT_EXIT_UNDECIDED,
                    "too large: P%u has more than %d ways through its loops and branches",
                    u->thread->number, TRACES_MAX);
}

// Continues with each value that a step may read.
static bool fork_on(struct unfolding *u, const struct place *p, int step)
{
    const struct axi_instruction *of = p->trace.steps[step].of;
    const struct values *values = &u->values[u->program->references[of->reference].location];
    for (size_t i = 0; i < values->count; i++) {
        struct place next = *p;
        next.trace.steps[step].fixed = true;
        next.trace.steps[step].read = values->items[i];
        for (int r = 0; r < AXI_REGISTERS; r++)
            if (next.trace.registers[r].from == step)
                next.trace.registers[r] = (struct held){values->items[i], -1};
        if (++u->forks > FORKS_MAX)
            return is_too_large(u);
        if (!go_on(u, &next))
            return false;
    }
    return true;
}

// Whether an operand's value is known; if not, *step is the read that supplies it.
static bool know(const struct place *p, const struct axi_operand *operand, int64_t *value,
                 int *step)
{
    const struct held *held = &p->trace.registers[operand->number];
    *value = operand->is_register ? held->value : operand->value;
    *step = operand->is_register ? held->from : -1;
    return *step < 0;
}

static void hold(struct place *p, uint8_t target, struct held held)
{
    if (target < AXI_REGISTERS)
        p->trace.registers[target] = held;
}

static bool add_step(struct unfolding *u, struct place *p, const struct axi_instruction *of,
                     int64_t written)
{
    struct trace *trace = &p->trace;
    if (trace->count == AXI_EVENTS)
        return lit_fail(u->error, LIT_EXIT_UNDECIDED,
                        "too large: P%u executes more than %d operations", u->thread->number,
                        AXI_EVENTS);
    struct axi_event *step = &trace->steps[trace->count++];
    *step = (struct axi_event){.of = of,
                               .thread = (uint8_t)(u->thread - u->program->threads),
                               .location = u->program->references[of->reference].location,
                               .fixed = of->wants,
                               .read = of->wanted,
                               .written = written};
    for (unsigned i = 0; i + 1 < trace->count; i++)
        step->round += axi_is_same_barrier(of, trace->steps[i].of);
    if (axi_reads(of))
        hold(p, of->target,
             of->wants ? (struct held){of->wanted, -1} : (struct held){0, (int)trace->count - 1});
    return true;
}

// Executes an RMW whose operation needs the value read.
static bool modify(struct unfolding *u, struct place *p, int64_t operand)
{
    const struct axi_instruction *of = &u->thread->instructions[p->at++];
    const struct values *values = &u->values[u->program->references[of->reference].location];
    for (size_t i = 0; i < values->count; i++) {
        struct place next = *p;
        int64_t result = 0;
        if (!axi_compute(of->operator, values->items[i], operand, &result))
            continue; // ends the thread, as undefined behaviour in Vulkan
        if (!add_step(u, &next, of, result))
            return false;
        next.trace.steps[next.trace.count - 1].fixed = true;
        next.trace.steps[next.trace.count - 1].read = values->items[i];
        hold(&next, of->target, (struct held){values->items[i], -1});
        if (++u->forks > FORKS_MAX)
            return is_too_large(u);
        if (!go_on(u, &next))
            return false;
    }
    return true;
}

enum next { NEXT_INSTRUCTION, NEXT_NONE, NEXT_FAILED };

static enum next jump(struct unfolding *u, struct place *p, int64_t a, int64_t b)
{
    const struct axi_instruction *of = &u->thread->instructions[p->at];
    if (!axi_compare(of->operator, a, b)) {
        p->at++;
        return NEXT_INSTRUCTION;
    }
    // Further failed iterations of a wait-only loop add nothing: an execution remains valid without
    // all but one of them.
    if (of->to <= p->at && ++p->jumps[p->at] > (of->spins ? 1 : u->rounds)) {
        *u->cut |= !of->spins;
        return NEXT_NONE;
    }
    p->at = of->to;
    return NEXT_INSTRUCTION;
}

static enum next execute(struct unfolding *u, struct place *p, int64_t a, int64_t b)
{
    const struct axi_instruction *of = &u->thread->instructions[p->at];
    int64_t result = 0;
    if (of->kind == AXI_JUMP)
        return jump(u, p, a, b);
    if (of->kind == AXI_RMW && of->operator!= AXI_REPLACE)
        return modify(u, p, a) ? NEXT_NONE : NEXT_FAILED;
    if (of->kind == AXI_COMPUTE) {
        if (!axi_compute(of->operator, a, b, &result))
            return NEXT_NONE;
        hold(p, of->target, (struct held){result, -1});
    } else if (!add_step(u, p, of, a)) {
        return NEXT_FAILED;
    }
    p->at++;
    return NEXT_INSTRUCTION;
}

static bool go_on(struct unfolding *u, struct place *p)
{
    while (p->at < u->thread->count) {
        const struct axi_instruction *of = &u->thread->instructions[p->at];
        int64_t a = 0, b = 0;
        int step = -1;
        if (!know(p, &of->a, &a, &step) || !know(p, &of->b, &b, &step))
            return fork_on(u, p, step);
        const enum next next = execute(u, p, a, b);
        if (next != NEXT_INSTRUCTION)
            return next == NEXT_NONE;
    }
    if (u->out->count == TRACES_MAX)
        return is_too_large(u);
    LIT_ADD(u->out->items, u->out->count) = p->trace;
    return true;
}

static void add_constants(const struct axi_program *program, struct values *values)
{
    for (size_t l = 0; l < program->reference_count; l++) {
        add_value(&values[program->references[l].location],
                  program->initial[program->references[l].location]);
        // The model permits reading a condition's constants out of thin air.
        for (size_t i = 0; i < program->node_count; i++)
            for (int side = 0; side < 2; side++)
                if (program->nodes[i].kind == AXI_COMPARE && program->nodes[i].is_constant[side])
                    add_value(&values[program->references[l].location],
                              program->nodes[i].constant[side]);
    }
}

// Adds values that the traces write and that were unknown; *writes: the number of writes in an
// execution.
static bool add_written(const struct axi_program *program, const struct traces *traces,
                        struct values *values, unsigned *writes)
{
    bool grown = false;
    *writes = 0;
    for (size_t t = 0; t < program->thread_count; t++) {
        unsigned most = 0;
        for (size_t i = 0; i < traces[t].count; i++) {
            const struct trace *trace = &traces[t].items[i];
            unsigned of = 0;
            for (unsigned s = 0; s < trace->count; s++) {
                const struct axi_instruction *in = trace->steps[s].of;
                if (!axi_writes(in))
                    continue;
                of++;
                grown |= add_value(&values[program->references[in->reference].location],
                                   trace->steps[s].written);
            }
            most = of > most ? of : most;
        }
        *writes += most;
    }
    return grown;
}

static void traces_clear(struct traces traces[AXI_THREADS])
{
    for (int t = 0; t < AXI_THREADS; t++) {
        free(traces[t].items);
        traces[t] = (struct traces){0};
    }
}

// Unfolds all threads; only reads with a dependent are fixed. *cut: a loop could have exceeded
// `rounds` backward jumps and was cut off. False with an error if the traces are too many or too
// long. Clear them in any case.
static bool unfold(const struct axi_program *program, unsigned rounds,
                   struct traces traces[AXI_THREADS], bool *cut, struct lit_error *error)
{
    OWNED(lit_free) struct values *values = lit_alloc(AXI_REFERENCES, sizeof *values);
    unsigned writes = 0;
    add_constants(program, values);
    // Each step propagates values through one more write: no more steps are needed than there are
    // writes.
    for (unsigned step = 0;; step++) {
        for (size_t l = 0; l < program->reference_count; l++)
            if (values[l].full)
                return lit_fail(error, LIT_EXIT_UNDECIDED,
                                "too large: %s may have more than %d values",
                                program->references[l].name, VALUES_MAX);
        *cut = false;
        traces_clear(traces);
        for (size_t t = 0; t < program->thread_count; t++) {
            struct unfolding u = {.program = program,
                                  .thread = &program->threads[t],
                                  .values = values,
                                  .rounds = rounds,
                                  .out = &traces[t],
                                  .cut = cut,
                                  .error = error};
            struct place start = {0};
            for (int r = 0; r < AXI_REGISTERS; r++)
                start.trace.registers[r] = (struct held){u.thread->initial[r], -1};
            if (!go_on(&u, &start))
                return false;
        }
        if (!add_written(program, traces, values, &writes) || step > writes)
            return true;
    }
}

// --- Candidate executions

struct search {
    const struct axi_program *program;
    const struct axi_options *options;
    struct axi_verdict *verdict;
    struct lit_error *error;
    struct traces traces[AXI_THREADS];
    const struct trace *chosen[AXI_THREADS];
    unsigned first[AXI_THREADS]; // each thread's first event
    bool prune, counts;          // counts: count choices instead of making them
    double size;
    bool is_racy; // under the current choices of atomic operations
    unsigned race[2];
    axi_set sources[AXI_EVENTS]; // writes that a read may take its value from
    bool initial[AXI_EVENTS];    // whether it may also be the initial value
    struct axi_relation related; // atomic writes in the same scoped modification order
    struct axi_execution x;
};

// Collects the events of the chosen traces. False if there are too many.
static bool gather(struct search *s)
{
    struct axi_execution *x = &s->x;
    x->count = 0;
    for (size_t t = 0; t < s->program->thread_count; t++) {
        const struct trace *trace = s->chosen[t];
        s->first[t] = x->count;
        if (x->count + trace->count > AXI_EVENTS)
            return false;
        memcpy(&x->events[x->count], trace->steps, trace->count * sizeof *trace->steps);
        x->count += trace->count;
    }
    return true;
}

// The writes that neither follow the read in its thread by the same reference, nor are hidden there
// by a later write.
static axi_set not_hidden(const struct axi_execution *x, unsigned read, axi_set writes,
                          bool *initial)
{
    const axi_set own = x->same_reference.row[read] & x->same_location.row[read] & x->writes;
    const axi_set earlier = own & axi_before(&x->program_order, read);
    writes &= ~(own & x->program_order.row[read]);
    AXI_EACH (w, earlier)
        if (x->program_order.row[w] & earlier)
            writes &= ~AXI_BIT(w);
    *initial &= !earlier;
    return writes;
}

static void find_sources(struct search *s)
{
    const struct axi_execution *x = &s->x;
    AXI_EACH (read, x->reads) {
        const struct axi_event *event = &x->events[read];
        axi_set writes = x->same_location.row[read] & x->writes & ~AXI_BIT(read);
        s->initial[read] = !event->fixed || event->read == s->program->initial[event->location];
        AXI_EACH (w, x->same_location.row[read] & x->writes)
            if (event->fixed && x->events[w].written != event->read)
                writes &= ~AXI_BIT(w);
        s->sources[read] = s->prune ? not_hidden(x, read, writes, &s->initial[read]) : writes;
    }
}

static void find_related(struct search *s)
{
    const axi_set writes = s->x.atomics & s->x.writes;
    axi_empty(&s->related, s->x.count);
    AXI_EACH (a, writes) {
        const axi_set members = (s->x.mutually_ordered.row[a] & writes) | AXI_BIT(a);
        AXI_EACH (b, members)
            s->related.row[b] |= members;
    }
}

// The number of candidates of the chosen traces, counting only choices of `reads`.
static double count_candidates(const struct search *s, axi_set reads)
{
    double size = 1;
    AXI_EACH (read, reads)
        size *= __builtin_popcountll(s->sources[read]) + s->initial[read];
    AXI_EACH (w, s->x.atomics & s->x.writes) {
        const axi_set earlier = s->related.row[w] & (AXI_BIT(w) - 1);
        size *= __builtin_popcountll(earlier) + 1;
    }
    return size;
}

static bool prepare(struct search *s)
{
    if (!gather(s))
        return false;
    axi_prepare(&s->x);
    find_sources(s);
    find_related(s);
    return axi_barriers_meet(&s->x);
}

static int compare_values(const int64_t *a, const int64_t *b, size_t count)
{
    size_t i = 0;
    while (i < count && a[i] == b[i])
        i++;
    return i == count ? 0 : a[i] < b[i] ? -1 : 1;
}

// The state with these values, found or inserted in sorted order; NULL if there are too many
// states.
static struct axi_state *state_of(struct axi_verdict *verdict, const int64_t *values, size_t count)
{
    size_t low = 0, high = verdict->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = compare_values(values, verdict->states[middle].values, count);
        if (order == 0)
            return &verdict->states[middle];
        *(order < 0 ? &high : &low) = order < 0 ? middle : middle + 1;
    }
    if (verdict->count == AXI_STATES) {
        verdict->more = true;
        return NULL;
    }
    struct axi_state added = {.values = lit_alloc(count + 1, sizeof *values)};
    memcpy(added.values, values, count * sizeof *values);
    LIT_ADD(verdict->states, verdict->count) = added;
    memmove(&verdict->states[low + 1], &verdict->states[low],
            (verdict->count - 1 - low) * sizeof added);
    verdict->states[low] = added;
    return &verdict->states[low];
}

// The size of `release sequence` as a relation from each atomic release.
static int64_t count_sequences(const struct axi_execution *x)
{
    int64_t size = 0;
    AXI_EACH (w, x->atomics & x->writes & x->releases)
        size += 1 + __builtin_popcountll(x->sequence[w]);
    return size;
}

static void judge_checks(struct search *s, bool consistent, const int64_t *values)
{
    for (size_t i = 0; i < s->program->check_count; i++) {
        const struct axi_check *check = &s->program->checks[i];
        bool is = check->without_chains == s->options->without_chains &&
                  (consistent || check->any_candidate);
        is &= check->race == 0 || s->is_racy == (check->race > 0);
        is &= !check->sizes_sequence ||
              axi_compare(check->operator, count_sequences(&s->x), check->size);
        is = is && axi_satisfies(s->program, check->condition, values) ==
                       (check->quantifier != AXI_FORALL);
        s->verdict->found[i] |= is;
    }
}

static void record(struct search *s, const struct axi_relation *causality, bool consistent,
                   const int64_t *values)
{
    struct axi_verdict *verdict = s->verdict;
    uint8_t cycle[AXI_EVENTS];
    if (!axi_satisfies(s->program, s->program->filter, values))
        return;
    verdict->candidates++;
    verdict->consistent += consistent;
    judge_checks(s, consistent, values);
    struct axi_state *state = state_of(verdict, values, s->program->observed_count);
    if (consistent) {
        if (state) {
            axi_figure_free(state->figure);
            *state = (struct axi_state){.values = state->values, .allowed = true};
        }
        if (s->is_racy && !verdict->races) {
            struct text out = {0};
            axi_write_event(&s->x, s->race[0], &out);
            text_puts(&out, " and ");
            axi_write_event(&s->x, s->race[1], &out);
            verdict->race = out.data;
            verdict->races = true;
        }
        return;
    }
    if (!state || state->allowed || (state->figure && state->figure->cycle_length == 2))
        return;
    const unsigned length = axi_cycle(causality, cycle);
    if (!state->figure || length < state->figure->cycle_length) {
        axi_figure_free(state->figure);
        state->figure = axi_figure_make(&s->x, cycle, length);
    }
}

// A location's last write is one that no other write follows; if several qualify, any may be last.
static void choose_finals(struct search *s, const struct axi_relation *causality, bool consistent,
                          size_t observed, int64_t *values)
{
    const struct axi_execution *x = &s->x;
    while (observed < s->program->observed_count && s->program->observed[observed].thread >= 0)
        observed++;
    if (observed == s->program->observed_count) {
        record(s, causality, consistent, values);
        return;
    }
    const unsigned location = s->program->observed[observed].number;
    bool written = false;
    AXI_EACH (w, x->writes) {
        if (x->events[w].location != location)
            continue;
        written = true;
        if ((x->location_ordered.row[w] | x->modification_order.row[w]) & x->writes)
            continue;
        values[observed] = x->events[w].written;
        choose_finals(s, causality, consistent, observed + 1, values);
    }
    if (!written) {
        values[observed] = s->program->initial[location];
        choose_finals(s, causality, consistent, observed + 1, values);
    }
}

static void judge(struct search *s)
{
    const struct axi_execution *x = &s->x;
    struct axi_relation causality;
    int64_t values[AXI_OBSERVED] = {0};
    axi_causality(x, x->reads, &causality);
    const bool consistent = axi_is_acyclic(&causality);
    if (s->prune && !consistent)
        return;
    for (size_t i = 0; i < s->program->observed_count; i++) {
        const struct axi_observed *observed = &s->program->observed[i];
        if (observed->thread < 0)
            continue;
        const struct held *held = &s->chosen[observed->thread]->registers[observed->number];
        values[i] = held->value;
        if (held->from >= 0) {
            const unsigned read = s->first[observed->thread] + (unsigned)held->from;
            values[i] = x->from[read] == AXI_INITIAL ? s->program->initial[x->events[read].location]
                                                     : x->events[x->from[read]].written;
        }
    }
    choose_finals(s, &causality, consistent, 0, values);
}

// Each returns false to end the search, but only while counting.
static bool choose_reads(struct search *s, axi_set left, bool atomics);

// Drops the sources of a read that form a cycle by themselves.
static void narrow(struct search *s, const struct axi_relation *reach, unsigned read, axi_set *left,
                   bool *initial)
{
    const struct axi_execution *x = &s->x;
    const axi_set before = axi_before(reach, read) | AXI_BIT(read);
    AXI_EACH (w, s->sources[read]) {
        const axi_set later = axi_from_reads(x, read, w);
        bool cycle = reach->row[read] >> w & 1 || (later & (before | AXI_BIT(w)));
        AXI_EACH (l, later)
            cycle |= reach->row[l] >> w & 1;
        *left &= cycle ? ~AXI_BIT(w) : ~(axi_set)0;
    }
    *initial &= !(axi_from_reads(x, read, AXI_INITIAL) & before);
}

static bool choose_others(struct search *s)
{
    struct axi_execution *x = &s->x;
    const axi_set others = x->reads & ~x->atomics;
    axi_set sources[AXI_EVENTS];
    bool initial[AXI_EVENTS];
    axi_relate(x);
    s->is_racy = axi_race(x, &s->race[0], &s->race[1]);
    if (!s->prune)
        return choose_reads(s, others, false);
    struct axi_relation reach;
    axi_causality(x, x->reads & x->atomics, &reach);
    if (!axi_is_acyclic(&reach))
        return true;
    axi_close(&reach);
    memcpy(sources, s->sources, sizeof sources);
    memcpy(initial, s->initial, sizeof initial);
    double size = 1;
    AXI_EACH (read, others) {
        narrow(s, &reach, read, &s->sources[read], &s->initial[read]);
        size *= __builtin_popcountll(s->sources[read]) + s->initial[read];
    }
    s->size += s->counts ? size : 0;
    const bool good = s->counts || choose_reads(s, others, false);
    memcpy(s->sources, sources, sizeof sources);
    memcpy(s->initial, initial, sizeof initial);
    return good && s->size <= (double)s->options->most;
}

// Appends one of the remaining atomic writes to the order. Neighbours that share no scoped
// modification order stay in numerical order, since theirs makes no difference.
static bool choose_orders(struct search *s, axi_set left, unsigned place, unsigned previous)
{
    struct axi_execution *x = &s->x;
    if (!left)
        return choose_others(s);
    const unsigned location = x->events[axi_next(left, 0)].location;
    AXI_EACH (w, left) {
        const axi_set own = left & x->same_reference.row[w] & axi_before(&x->program_order, w);
        if (x->events[w].location != location || (s->prune && own))
            continue;
        if (previous < AXI_EVENTS && x->events[previous].location == location && w < previous &&
            !axi_has(&s->related, previous, w))
            continue;
        x->place[w] = (uint8_t)place;
        if (!choose_orders(s, left & ~AXI_BIT(w), place + 1, w))
            return false;
    }
    return true;
}

static bool choose_reads(struct search *s, axi_set left, bool atomics)
{
    struct axi_execution *x = &s->x;
    if (!left && atomics)
        return choose_orders(s, x->atomics & x->writes, 0, AXI_EVENTS);
    if (!left) {
        judge(s);
        return true;
    }
    const unsigned read = axi_next(left, 0);
    left &= ~AXI_BIT(read);
    AXI_EACH (w, s->sources[read]) {
        x->from[read] = (uint8_t)w;
        if (!choose_reads(s, left, atomics))
            return false;
    }
    x->from[read] = AXI_INITIAL;
    return !s->initial[read] || choose_reads(s, left, atomics);
}

// Advances to the next combination of the threads' traces: false after the last.
static bool next_traces(struct search *s, size_t *at)
{
    for (size_t t = 0; t < s->program->thread_count; t++) {
        if (++at[t] < s->traces[t].count)
            return true;
        at[t] = 0;
    }
    return false;
}

enum task { ADD_ALL, ADD_ATOMICS, CHOOSE };

// Visits every combination: adds up sizes, or chooses in each. False if the size exceeds its limit.
static bool for_all(struct search *s, enum task task)
{
    size_t at[AXI_THREADS] = {0};
    do {
        for (size_t t = 0; t < s->program->thread_count; t++)
            s->chosen[t] = &s->traces[t].items[at[t]];
        if (!prepare(s))
            continue;
        if (task == CHOOSE) {
            if (!choose_reads(s, s->x.reads & s->x.atomics, true))
                return false;
            continue;
        }
        s->size += count_candidates(s, task == ADD_ALL ? s->x.reads : s->x.reads & s->x.atomics);
    } while (next_traces(s, at));
    return true;
}

static bool fits(const struct search *s, double size, const char *what)
{
    return size <= (double)s->options->most ||
           lit_fail(s->error, LIT_EXIT_UNDECIDED, "too large: %.3g %s, more than %" PRIu64, size,
                    what, s->options->most);
}

// With many candidates, enumerates only those that can be consistent: each choice of atomic
// operations, and for each the choices that it leaves to the other reads.
static bool count_pruned(struct search *s)
{
    s->prune = s->counts = true;
    s->size = 0;
    for_all(s, ADD_ATOMICS);
    if (!fits(s, s->size, "choices of atomic operations"))
        return false;
    s->size = 0;
    for_all(s, CHOOSE);
    s->counts = false;
    return fits(s, s->size, "candidate executions at least");
}

static bool decide(struct search *s)
{
    double combinations = 1;
    bool needs_all = false;
    for (size_t t = 0; t < s->program->thread_count; t++)
        combinations *= (double)s->traces[t].count;
    if (combinations == 0)
        return true;
    if (combinations > COMBINATIONS_MAX)
        return lit_fail(s->error, LIT_EXIT_UNDECIDED,
                        "too large: %.3g ways through the threads, more than %d", combinations,
                        COMBINATIONS_MAX);
    for_all(s, ADD_ALL);
    for (size_t i = 0; i < s->program->check_count; i++)
        needs_all |= s->program->checks[i].any_candidate;
    s->verdict->forbids = s->size <= (double)s->options->listed || needs_all;
    const bool small =
        s->verdict->forbids ? fits(s, s->size, "candidate executions") : count_pruned(s);
    s->size = 0;
    return small && for_all(s, CHOOSE);
}

bool axi_decide(const struct axi_program *program, const struct axi_options *options,
                struct axi_verdict *verdict, struct lit_error *error)
{
    OWNED(lit_free) struct search *s = lit_alloc(1, sizeof *s);
    *s =
        (struct search){.program = program, .options = options, .verdict = verdict, .error = error};
    s->x.program = program;
    s->x.chains = !options->without_chains;
    *verdict = (struct axi_verdict){0};
    const bool good =
        unfold(program, options->rounds, s->traces, &verdict->cut, error) && decide(s);
    traces_clear(s->traces);
    return good;
}

void axi_verdict_clear(struct axi_verdict *verdict)
{
    for (size_t i = 0; i < verdict->count; i++) {
        free(verdict->states[i].values);
        axi_figure_free(verdict->states[i].figure);
    }
    free(verdict->states);
    free(verdict->race);
    *verdict = (struct axi_verdict){0};
}

bool axi_holds(const struct axi_program *program, const struct axi_verdict *verdict, size_t check)
{
    return verdict->found[check] == (program->checks[check].quantifier == AXI_EXISTS);
}
