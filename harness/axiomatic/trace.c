// SPDX-License-Identifier: Apache-2.0
// Unfolds threads. A read's value stays open until an instruction needs it; then the trace forks
// for each value that its location may have.
#include "axiomatic/trace.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define VALUES_MAX 64        // per location
#define TRACES_MAX (1 << 12) // per thread
#define FORKS_MAX  (1 << 16) // per thread, counting forks that never end

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
    struct axi_traces *out;
    bool *cut;
    struct lit_error *error;
};

struct place {
    size_t at;
    uint8_t jumps[AXI_INSTRUCTIONS];
    struct axi_trace trace;
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

static bool keep(struct unfolding *u, const struct axi_trace *trace)
{
    if (u->out->count == TRACES_MAX)
        return is_too_large(u);
    LIT_ADD(u->out->items, u->out->count) = *trace;
    return true;
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
                next.trace.registers[r] = (struct axi_held){values->items[i], -1};
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
    const struct axi_held *held = &p->trace.registers[operand->number];
    *value = operand->is_register ? held->value : operand->value;
    *step = operand->is_register ? held->from : -1;
    return *step < 0;
}

static void hold(struct place *p, uint8_t target, struct axi_held held)
{
    if (target < AXI_REGISTERS)
        p->trace.registers[target] = held;
}

static bool add_step(struct unfolding *u, struct place *p, const struct axi_instruction *of,
                     int64_t written)
{
    struct axi_trace *trace = &p->trace;
    if (trace->count == AXI_EVENTS)
        return lit_fail(u->error, LIT_EXIT_UNDECIDED,
                        "too large: P%u executes more than %d operations", u->thread->number,
                        AXI_EVENTS);
    struct axi_step *step = &trace->steps[trace->count++];
    *step = (struct axi_step){.of = of, .fixed = of->wants, .read = of->wanted, .written = written};
    for (unsigned i = 0; i + 1 < trace->count; i++)
        step->round +=
            of->kind == AXI_CONTROL_BARRIER && trace->steps[i].of->kind == AXI_CONTROL_BARRIER &&
            trace->steps[i].of->barrier == of->barrier && trace->steps[i].of->scope == of->scope;
    if (axi_reads(of))
        hold(p, of->target,
             of->wants ? (struct axi_held){of->wanted, -1}
                       : (struct axi_held){0, (int)trace->count - 1});
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
        hold(&next, of->target, (struct axi_held){values->items[i], -1});
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
        hold(p, of->target, (struct axi_held){result, -1});
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
    return keep(u, &p->trace);
}

static bool unfold_thread(struct unfolding *u)
{
    struct place start = {0};
    for (int r = 0; r < AXI_REGISTERS; r++)
        start.trace.registers[r] = (struct axi_held){u->thread->initial[r], -1};
    return go_on(u, &start);
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
static bool add_written(const struct axi_program *program, const struct axi_traces *traces,
                        struct values *values, unsigned *writes)
{
    bool grown = false;
    *writes = 0;
    for (size_t t = 0; t < program->thread_count; t++) {
        unsigned most = 0;
        for (size_t i = 0; i < traces[t].count; i++) {
            const struct axi_trace *trace = &traces[t].items[i];
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

bool axi_unfold(const struct axi_program *program, unsigned rounds,
                struct axi_traces traces[AXI_THREADS], bool *cut, struct lit_error *error)
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
        axi_traces_clear(traces);
        for (size_t t = 0; t < program->thread_count; t++) {
            struct unfolding u = {.program = program,
                                  .thread = &program->threads[t],
                                  .values = values,
                                  .rounds = rounds,
                                  .out = &traces[t],
                                  .cut = cut,
                                  .error = error};
            if (!unfold_thread(&u))
                return false;
        }
        if (!add_written(program, traces, values, &writes) || step > writes)
            return true;
    }
}

void axi_traces_clear(struct axi_traces traces[AXI_THREADS])
{
    for (int t = 0; t < AXI_THREADS; t++) {
        free(traces[t].items);
        traces[t] = (struct axi_traces){0};
    }
}
