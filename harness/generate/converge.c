// SPDX-License-Identifier: Apache-2.0
// Determines where a rule prescribes exactly which invocations execute a step together; everything
// else counts as open. docs/fuzzing.md explains it.
#include "generate/program.h"

// How part of a workgroup may leave a list of steps.
enum { BREAKS = 1, CONTINUES = 2, RETURNS = 4 };

// The invocations here: `full`, the whole workgroup or none; `definite`, exactly those that the
// rule prescribes.
struct flow {
    bool full, definite;
    uint8_t around; // innermost enclosing construct
};

struct analysis {
    const struct gen_program *program;
    bool maximal;
    struct gen_places *places;
};

static unsigned walk(const struct analysis *a, uint32_t first, struct flow *flow, uint32_t loops);

// Whether all invocations of a workgroup in the same iterations get the same answer.
static bool is_uniform(const struct gen_condition *when)
{
    return when->value == GEN_TRUE || when->value == GEN_BELOW || when->value == GEN_PAST ||
           when->value == GEN_NONE || when->value == GEN_GROUP_BIT;
}

// After the merge block. Without maximal reconvergence, only a workgroup that entered together and
// left completely through that block is known to be together.
static void merge(const struct analysis *a, struct flow *flow, struct flow before, unsigned escapes)
{
    flow->full = before.full && !escapes;
    flow->definite = a->maximal ? before.definite : flow->full;
}

static unsigned walk_if(const struct analysis *a, const struct gen_step *step, struct flow *flow,
                        uint32_t loops)
{
    const struct flow before = *flow;
    const struct flow inside = {before.full && is_uniform(&step->when), before.definite, MASKS_IF};
    struct flow yes = inside, no = inside;
    const unsigned escapes = walk(a, step->body, &yes, loops) | walk(a, step->other, &no, loops);
    merge(a, flow, before, escapes);
    return escapes;
}

// Non-uniformity in one iteration carries over to the next.
static unsigned walk_loop(const struct analysis *a, const struct gen_step *step, struct flow *flow,
                          uint32_t loops)
{
    const struct flow before = *flow;
    bool full = before.full && is_uniform(&step->when);
    for (;;) {
        struct flow inside = {full, a->maximal ? before.definite : full, MASKS_WHILE};
        unsigned escapes = walk(a, step->body, &inside, loops + 1);
        inside.full = inside.full && !escapes;
        inside.definite = a->maximal ? before.definite : inside.full;
        escapes |= walk(a, step->other, &inside, loops + 1);
        if (!full || (!escapes && inside.full)) {
            escapes &= RETURNS;
            merge(a, flow, before, escapes);
            return escapes;
        }
        full = false;
    }
}

// Lanes that reach a case by different selectors may or may not be together until after the switch.
static unsigned walk_switch(const struct analysis *a, const struct gen_step *step,
                            struct flow *flow, uint32_t loops)
{
    const struct flow before = *flow;
    unsigned escapes = 0;
    bool fallen = false;
    for (uint32_t i = step->body; i; i = a->program->steps[i].next) {
        const struct gen_step *one = &a->program->steps[i];
        struct flow inside = {false, before.definite && !fallen && !one->is_default, MASKS_SWITCH};
        escapes |= walk(a, one->body, &inside, loops);
        fallen = one->falls;
    }
    escapes &= ~(unsigned)BREAKS;
    merge(a, flow, before, escapes);
    return escapes;
}

// Only maximal reconvergence reunites lanes that return from a call on different paths.
static void walk_call(const struct analysis *a, const struct gen_step *step, struct flow *flow,
                      uint32_t loops)
{
    const struct flow before = *flow;
    struct flow inside = before;
    inside.around = MASKS_CALL;
    const unsigned escapes = walk(a, step->body, &inside, loops);
    if (a->maximal)
        return;
    flow->full = inside.full && !escapes;
    flow->definite = inside.definite && !escapes;
}

// Walks the flow to the end of a list. Returns the ways in which it leaves the list and enclosing
// constructs.
static unsigned walk(const struct analysis *a, uint32_t first, struct flow *flow, uint32_t loops)
{
    unsigned escapes = 0;
    for (uint32_t i = first; i; i = a->program->steps[i].next) {
        const struct gen_step *step = &a->program->steps[i];
        a->places->loops[i] = (uint8_t)loops;
        a->places->around[i] = flow->around;
        a->places->allows[i] = flow->full ? GEN_FULL : flow->definite ? GEN_DEFINITE : GEN_ALONE;
        switch (step->kind) {
        case MASKS_IF:
            escapes |= walk_if(a, step, flow, loops);
            break;
        case MASKS_WHILE:
        case MASKS_DO:
            escapes |= walk_loop(a, step, flow, loops);
            break;
        case MASKS_SWITCH:
            escapes |= walk_switch(a, step, flow, loops);
            break;
        case MASKS_CALL:
            walk_call(a, step, flow, loops);
            break;
        case MASKS_ACT: // the operation is followed by a selection
            flow->definite =
                flow->definite && (a->maximal || flow->full || step->act.op != GEN_OP_LATE);
            break;
        case MASKS_BREAK:
            return escapes | (flow->full ? 0 : BREAKS);
        case MASKS_CONTINUE:
            return escapes | (flow->full ? 0 : CONTINUES);
        case MASKS_RETURN:
            return escapes | (flow->full ? 0 : RETURNS);
        default:
            break;
        }
    }
    return escapes;
}

void gen_converge(const struct gen_program *program, enum masks_rule rule,
                  struct gen_places *places)
{
    const struct analysis a = {program, rule == MASKS_MAXIMAL, places};
    struct flow flow = {true, true, MASKS_END};
    walk(&a, program->first, &flow, 0);
}
