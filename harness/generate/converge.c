// SPDX-License-Identifier: Apache-2.0
// Determines where a rule prescribes exactly which invocations execute a step together; everything
// else counts as open. docs/fuzzing.md explains it.
#include "generate/program.h"

// How part of a workgroup may leave a list of steps, and shifted by OF_SUBGROUP part of a subgroup.
enum { BREAKS = 1, CONTINUES = 2, RETURNS = 4, ALL = 7, OF_SUBGROUP = 3 };
#define BOTH(ways) ((unsigned)(ways) | (unsigned)(ways) << OF_SUBGROUP)

// The invocations here: `full`, the whole workgroup or none; `whole`, of each subgroup all or none;
// `definite`, exactly those that the rule prescribes.
struct flow {
    bool full, whole, definite;
    uint8_t around; // innermost enclosing construct
};

struct analysis {
    const struct gen_program *program;
    enum masks_rule rule;
    struct gen_places *places;
};

static unsigned walk(const struct analysis *a, uint32_t first, struct flow *flow, uint32_t loops);

// Whether all invocations of a workgroup in the same iterations get the same answer.
static bool is_uniform(const struct gen_condition *when)
{
    return when->value == GEN_TRUE || when->value == GEN_BELOW || when->value == GEN_PAST ||
           when->value == GEN_NONE || when->value == GEN_GROUP_BIT;
}

// Whether all invocations of a subgroup do.
static bool is_uniform_in_subgroup(const struct gen_condition *when)
{
    return is_uniform(when) || when->value == GEN_SUBGROUP_BIT;
}

// What is left of `flow` where so much of it has escaped. Without maximal reconvergence only a
// workgroup, or by its rule a subgroup, that is here as a whole is known to be together.
static struct flow without(const struct analysis *a, struct flow flow, unsigned escapes)
{
    flow.full = flow.full && !(escapes & ALL);
    flow.whole = flow.whole && !(escapes >> OF_SUBGROUP);
    if (a->rule != MASKS_MAXIMAL)
        flow.definite = a->rule == MASKS_DEFAULT ? flow.full : flow.whole;
    return flow;
}

// The ways of leaving a list when these invocations leave it this way.
static unsigned leave(const struct flow *flow, unsigned way)
{
    return (flow->full ? 0 : way) | (flow->whole ? 0 : way << OF_SUBGROUP);
}

static unsigned walk_if(const struct analysis *a, const struct gen_step *step, struct flow *flow,
                        uint32_t loops)
{
    const struct flow before = *flow;
    const struct flow inside = {before.full && is_uniform(&step->when),
                                before.whole && is_uniform_in_subgroup(&step->when),
                                before.definite, MASKS_IF};
    struct flow yes = inside, no = inside;
    const unsigned escapes = walk(a, step->body, &yes, loops) | walk(a, step->other, &no, loops);
    *flow = without(a, before, escapes);
    return escapes;
}

// Non-uniformity in one iteration carries over to the next.
static unsigned walk_loop(const struct analysis *a, const struct gen_step *step, struct flow *flow,
                          uint32_t loops)
{
    const struct flow before = *flow;
    struct flow here = {before.full && is_uniform(&step->when),
                        before.whole && is_uniform_in_subgroup(&step->when), before.definite,
                        MASKS_WHILE};
    for (;;) {
        struct flow inside = here = without(a, here, 0);
        unsigned escapes = walk(a, step->body, &inside, loops + 1);
        inside.definite = before.definite;
        inside = without(a, inside, escapes);
        escapes |= walk(a, step->other, &inside, loops + 1);
        inside = without(a, inside, escapes);
        if (here.full <= inside.full && here.whole <= inside.whole) {
            escapes &= BOTH(RETURNS);
            *flow = without(a, before, escapes);
            return escapes;
        }
        here.full = here.full && inside.full;
        here.whole = here.whole && inside.whole;
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
        struct flow inside = {false, false, before.definite && !fallen && !one->is_default,
                              MASKS_SWITCH};
        escapes |= walk(a, one->body, &inside, loops);
        fallen = one->falls;
    }
    escapes &= ~BOTH(BREAKS);
    *flow = without(a, before, escapes);
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
    if (a->rule == MASKS_MAXIMAL)
        return;
    const unsigned apart = a->rule == MASKS_DEFAULT ? escapes & ALL : escapes >> OF_SUBGROUP;
    const struct flow left = without(a, inside, escapes);
    *flow = (struct flow){left.full, left.whole, inside.definite && !apart, before.around};
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
            if (step->act.op == GEN_OP_LATE)
                *flow = without(a, *flow, 0);
            break;
        case MASKS_BREAK:
            return escapes | leave(flow, BREAKS);
        case MASKS_CONTINUE:
            return escapes | leave(flow, CONTINUES);
        case MASKS_RETURN:
            return escapes | leave(flow, RETURNS);
        default:
            break;
        }
    }
    return escapes;
}

void gen_converge(const struct gen_program *program, enum masks_rule rule,
                  struct gen_places *places)
{
    const struct analysis a = {program, rule, places};
    struct flow flow = {true, true, true, MASKS_END};
    walk(&a, program->first, &flow, 0);
}
