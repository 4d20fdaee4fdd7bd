// SPDX-License-Identifier: Apache-2.0
// Draws operations of programs with data; docs/fuzzing.md gives the probabilities.
#include "generate/program.h"

struct drawing {
    const struct gen_limits *limits;
    struct lit_random *random;
    struct gen_act last, counted; // the last operation; the last that counts
};

static uint32_t below(struct drawing *d, uint32_t bound)
{
    return (uint32_t)random_below(d->random, bound);
}

// Draws an operator and a type that the operation has and the device supports. False if several
// tries find none.
static bool draw_kind(struct drawing *d, struct gen_act *act)
{
    const struct gen_form *form = &gen_forms[act->op];
    for (uint32_t tries = 0; tries < 32; tries++) {
        act->with = form->combines ? (uint8_t)below(d, GEN_WITHS) : 0;
        act->type = (uint8_t)below(d, GEN_TYPES);
        // Half of them use the type that all devices support.
        if (form->types & 1u << GEN_U32 && below(d, 2))
            act->type = GEN_U32;
        if (gen_act_features(act) & ~d->limits->features)
            continue;
        // Float sums have no specified precision: replaces the type by words after drawing, so that
        // a seed's other programs stay the same.
        if (form->combines && act->with == GEN_WITH_ADD && form->types >> act->type & 1 &&
            act->type >= GEN_F32 && act->type <= GEN_F64)
            act->type = GEN_U32;
        if (gen_act_may((enum gen_op)act->op, (enum gen_with)act->with, (enum gen_type)act->type))
            return true;
    }
    return false;
}

static void draw_operands(struct drawing *d, struct gen_act *act, uint32_t loops)
{
    const struct gen_limits *limits = d->limits;
    const struct gen_form *form = &gen_forms[act->op];
    for (uint32_t i = 0; i < 3; i++)
        act->from[i] = 0;
    for (uint32_t i = 0; i < gen_act_operands(act); i++)
        act->from[i] =
            (uint8_t)below(d, gen_act_takes_truth(act, i) ? limits->truths : limits->numbers);
    act->n = form->most ? (uint8_t)below(d, form->most + 1u) : 0;
    // Prefer lanes that exist.
    if (act->op >= GEN_OP_BROADCAST && act->op <= GEN_OP_ROTATE && act->n >= limits->subgroup &&
        below(d, 4))
        act->n %= limits->subgroup;
    if (act->op == GEN_OP_SHUFFLE)
        act->n = 0;
    act->turns = 0;
    if (d->limits->focus >= GEN_NABLA && loops && gen_act_turns((enum gen_op)act->op) &&
        below(d, 2)) {
        act->turns = (uint8_t)(1 + below(d, loops));
        act->n = 1;
    }
    if (act->op == GEN_OP_TURN)
        act->n = (uint8_t)below(d, loops);
    if (act->op == GEN_OP_CLUSTER)
        for (act->n = 1; act->n < limits->subgroup && act->n < form->most && below(d, 3);)
            act->n *= 2;
    const bool gives = form->gives != '-';
    act->to = 0;
    if (gives)
        act->to = (uint8_t)below(d, gen_act_gives_truth(act) ? limits->truths : limits->numbers);
    // Adding keeps the old value alive.
    act->adds = gives && below(d, 3) != 0;
}

// Remembers what was counted, and mostly queries the same counter later.
static void draw_counter(struct drawing *d, struct gen_act *act)
{
    if (act->op != GEN_OP_ATOMIC && act->op != GEN_OP_TOTAL)
        return;
    if (d->counted.op && below(d, 4)) {
        act->with = d->counted.with;
        act->type = d->counted.type;
    }
    d->counted = *act;
}

// Draws an operation permitted by the place, inside so many loops; `together`: one of the subgroup
// if the place permits any.
static struct gen_act draw_act(struct drawing *d, uint32_t allows, uint32_t loops, bool together)
{
    for (;;) {
        struct gen_act act = {0};
        const bool computes = d->limits->focus == GEN_ARITHMETIC;
        const uint32_t kind = together && allows >= GEN_DEFINITE ? 8 : below(d, 12);
        if (kind < (computes ? 6 : 3))
            act.op = (uint8_t)(GEN_OP_ADD +
                               below(d, (computes ? GEN_OP_REDUCE : GEN_OP_ONES) - GEN_OP_ADD));
        else if (kind < 9)
            act.op = (uint8_t)(GEN_OP_REDUCE + below(d, GEN_OP_LOAD - GEN_OP_REDUCE));
        else
            act.op = (uint8_t)(GEN_OP_LOAD +
                               below(d, (d->limits->focus >= GEN_NABLA ? GEN_OPS : GEN_OP_GATHER) -
                                            GEN_OP_LOAD));
        // Compilers merge equal operations on both sides of a branch.
        const bool again = !together && d->last.op && below(d, 4) == 0;
        if (again)
            act = d->last;
        if (gen_forms[act.op].needs > allows || (act.op == GEN_OP_TURN && !loops) ||
            (!again && !draw_kind(d, &act)))
            continue;
        draw_counter(d, &act);
        draw_operands(d, &act, loops);
        if (gen_act_least(&act) <= d->limits->subgroup)
            return act;
    }
}

void gen_draw_acts(struct gen_program *program, const struct gen_limits *limits,
                   struct lit_random *random)
{
    struct drawing d = {.limits = limits, .random = random};
    struct gen_places places;
    gen_converge(program, limits->rule, &places);
    for (uint32_t i = 1; i <= program->count; i++) {
        struct gen_act *act = &program->steps[i].act;
        if (program->steps[i].kind != MASKS_ACT)
            continue;
        const bool together = program->steps[i].value;
        program->steps[i].value = 0;
        if (gen_act_fault(act, limits->numbers, limits->truths, places.loops[i]) ||
            gen_forms[act->op].needs > places.allows[i] ||
            gen_act_features(act) & ~limits->features || gen_act_least(act) > limits->subgroup)
            *act = draw_act(&d, places.allows[i], places.loops[i], together);
        d.last = *act;
    }
}
