// SPDX-License-Identifier: Apache-2.0
// Draws programs; docs/fuzzing.md gives the probabilities.
#include "generate/program.h"

#include "base/random.h"
#include "model/facts.h"

#include <assert.h>
#include <stdio.h>

#define USUAL_NUMBERS 8
#define USUAL_TRUTHS  4

struct drawing {
    struct gen_program *program;
    const struct gen_limits *limits;
    struct lit_random random;
    uint32_t left;                // steps left to draw
    struct gen_act last, counted; // the last operation; the last that counts
    struct gen_product product;   // the first one
};

// The position of a list of steps.
struct place {
    uint32_t depth, loops;
    bool breaks, continues, returns, in_switch;
};

static uint8_t draw_list(struct drawing *d, struct place at);
static uint8_t draw_end(struct drawing *d, const struct place *at);

static uint32_t below(struct drawing *d, uint32_t bound)
{
    return (uint32_t)random_below(&d->random, bound);
}

// Adds a step; returns 0 if there is no room, and then gen_check fails and the program is redrawn.
static uint8_t add(struct drawing *d, struct gen_step step)
{
    if (d->program->count == GEN_STEPS)
        return 0;
    d->left -= d->left > 0;
    d->program->steps[++d->program->count] = step;
    return d->program->count;
}

// Draws a look; in programs with data an operation, filled in later.
static uint8_t draw_look(struct drawing *d)
{
    if (d->limits->numbers)
        return add(d, (struct gen_step){.kind = MASKS_ACT});
    return add(d, (struct gen_step){.kind = below(d, 6) ? MASKS_LOOK : MASKS_ELECT});
}

// Any subset of the enclosing loops.
static uint8_t draw_loops(struct drawing *d, const struct place *at)
{
    return (uint8_t)below(d, 1u << at->loops);
}

static struct gen_condition draw_condition(struct drawing *d, const struct place *at)
{
    const bool elects = d->limits->rule == MASKS_MAXIMAL && !at->in_switch;
    if (d->limits->focus == GEN_SUBGROUPS && below(d, 3) == 0)
        return (struct gen_condition){GEN_SUBGROUP_BIT, (uint8_t)below(d, 3), draw_loops(d, at)};
    if (d->limits->focus >= GEN_NABLA)
        switch (below(d, at->loops ? 9 : 6)) {
        case 0: // the last lane
            return (struct gen_condition){GEN_LANE_IS, (uint8_t)(d->limits->subgroup - 1), 0};
        case 1:
            return (struct gen_condition){GEN_LANE_FROM, (uint8_t)(1u << below(d, 6)),
                                          draw_loops(d, at)};
        case 2:
            return (struct gen_condition){GEN_SUBGROUP_BIT, 0, draw_loops(d, at)};
        case 6:
            return (struct gen_condition){GEN_LANE_STEP, 1, (uint8_t)(1u << below(d, at->loops))};
        }
    if (d->limits->numbers)
        switch (below(d, 6)) {
        case 0: // the same for the whole workgroup
            return (struct gen_condition){GEN_GROUP_BIT, (uint8_t)below(d, 32), draw_loops(d, at)};
        case 1:
        case 2:
            return (struct gen_condition){GEN_TRUTH, (uint8_t)below(d, d->limits->truths), 0};
        }
    switch (below(d, 12)) {
    case 0:
    case 1:
        return (struct gen_condition){GEN_LANE_BIT, (uint8_t)below(d, 3), draw_loops(d, at)};
    case 2:
        return (struct gen_condition){GEN_LANE_IS, (uint8_t)below(d, 4), draw_loops(d, at)};
    case 3:
        if (elects)
            return (struct gen_condition){.value = GEN_ELECT};
        break;
    case 4:
        if (at->loops) {
            const uint8_t loop = (uint8_t)(1u << below(d, at->loops));
            return (struct gen_condition){below(d, 2) ? GEN_PAST : GEN_BELOW,
                                          (uint8_t)(1 + below(d, GEN_TURNS - 1)), loop};
        }
        break;
    case 5:
        if (below(d, 3) == 0)
            return (struct gen_condition){.value = GEN_TRUE};
        break;
    }
    return (struct gen_condition){GEN_BIT, (uint8_t)below(d, 32), draw_loops(d, at)};
}

// `if i>=N { look break }`, which ends a loop without a condition.
static uint8_t draw_bound(struct drawing *d, const struct place *at)
{
    const uint8_t loop = (uint8_t)(1u << (at->loops - 1));
    const uint8_t look = below(d, 2) ? draw_look(d) : 0;
    const bool returns = at->returns && below(d, 4) == 0;
    const uint8_t leave = add(d, (struct gen_step){.kind = returns ? MASKS_RETURN : MASKS_BREAK});
    return add(d, (struct gen_step){
                      .kind = MASKS_IF,
                      .when = {GEN_PAST, (uint8_t)(1 + below(d, GEN_TURNS - 1)), loop},
                      .body = gen_join(d->program, look, leave),
                  });
}

static uint8_t draw_loop(struct drawing *d, struct place at)
{
    struct gen_step step = {.kind = below(d, 3) ? MASKS_WHILE : MASKS_DO};
    const bool forever = step.kind == MASKS_WHILE && below(d, 2);
    const uint8_t loop = (uint8_t)(1u << at.loops);
    if (!forever && d->limits->numbers && below(d, 2))
        step.when = below(d, 2)
                        ? (struct gen_condition){GEN_NUMBER_TRIPS,
                                                 (uint8_t)below(d, d->limits->numbers), loop}
                        : (struct gen_condition){GEN_BELOW, (uint8_t)(1 + below(d, 3)), loop};
    else if (!forever)
        step.when = below(d, 3)
                        ? (struct gen_condition){GEN_TRIPS, (uint8_t)below(d, 31), loop}
                        : (struct gen_condition){GEN_BELOW, (uint8_t)(1 + below(d, 3)), loop};
    const uint8_t number = add(d, step);
    at.depth++;
    at.loops++;
    struct place next = at;
    at.breaks = at.continues = true;
    next.breaks = next.continues = next.returns = false;
    // The bound comes first, so that no `continue` skips it.
    const uint8_t bound = forever ? draw_bound(d, &at) : 0;
    const uint8_t body = draw_list(d, at);
    const uint8_t other = below(d, 3) == 0 ? draw_list(d, next) : 0;
    d->program->steps[number].body = gen_join(d->program, bound, body);
    d->program->steps[number].other = other;
    return number;
}

// Leaves the loop, in or behind so many selections inside one another.
static uint8_t draw_leave(struct drawing *d, const struct place *at, uint32_t levels)
{
    const uint8_t look = below(d, 2) ? draw_look(d) : 0;
    const uint8_t leave = add(d, (struct gen_step){.kind = MASKS_BREAK});
    const uint8_t end = gen_join(d->program, look, leave);
    if (!levels)
        return end;
    const uint8_t body = below(d, 3) ? draw_leave(d, at, levels - 1) : draw_look(d);
    return add(d, (struct gen_step){
                      .kind = MASKS_IF, .when = draw_condition(d, at), .body = body, .next = end});
}

// A loop that the workgroup, or each subgroup, leaves as a whole by a condition that is the same in
// all iterations; in the block that leaves it lanes diverge. An operation follows.
static uint8_t draw_left_loop(struct drawing *d, struct place at)
{
    const bool forever = below(d, 2), by_subgroup = below(d, 4) == 0 || !d->limits->numbers;
    struct gen_step step = {.kind = forever || below(d, 3) ? MASKS_WHILE : MASKS_DO};
    if (!forever)
        step.when = (struct gen_condition){GEN_BELOW, (uint8_t)(2 + below(d, 2)),
                                           (uint8_t)(1u << at.loops)};
    const uint8_t number = add(d, step), behind = draw_look(d);
    d->program->steps[behind].value = d->limits->numbers > 0; // an operation of the subgroup
    at.depth++;
    at.loops++;
    at.breaks = at.continues = true;
    const uint8_t first = below(d, 2) ? draw_look(d) : 0;
    const uint8_t leave =
        add(d, (struct gen_step){.kind = MASKS_IF,
                                 .when = {by_subgroup ? GEN_SUBGROUP_BIT : GEN_GROUP_BIT,
                                          (uint8_t)below(d, by_subgroup ? 3 : 32), 0}});
    const uint8_t body = draw_leave(d, &at, 1 + below(d, 2));
    const uint8_t bound = forever ? draw_bound(d, &at) : 0;
    const uint8_t rest = below(d, 2) ? draw_list(d, at) : draw_look(d);
    struct gen_step *steps = d->program->steps;
    steps[number].body = gen_join(d->program, first, leave);
    steps[number].next = behind;
    steps[leave].body = body;
    steps[leave].next = gen_join(d->program, bound, rest);
    return number;
}

static uint8_t draw_switch(struct drawing *d, struct place at)
{
    struct gen_step step = {.kind = MASKS_SWITCH};
    step.when = below(d, 4)
                    ? (struct gen_condition){GEN_FIELD, (uint8_t)below(d, 31), draw_loops(d, &at)}
                    : (struct gen_condition){GEN_LANE_FIELD, 0, draw_loops(d, &at)};
    if (d->limits->numbers && below(d, 2))
        step.when = (struct gen_condition){GEN_NUMBER_FIELD, (uint8_t)below(d, d->limits->numbers),
                                           draw_loops(d, &at)};
    const uint8_t number = add(d, step);
    const uint32_t count = 2 + below(d, 3);
    uint8_t *link = &d->program->steps[number].body;
    at.depth++;
    at.breaks = at.in_switch = true;
    for (uint32_t i = 0; i < count; i++) {
        const bool last = i + 1 == count, is_default = last && below(d, 2);
        const uint8_t one = add(d, (struct gen_step){
                                       .kind = MASKS_CASE,
                                       .value = is_default ? 0 : (uint8_t)i,
                                       .is_default = is_default,
                                       .falls = !last && below(d, 3) == 0,
                                   });
        *link = one;
        link = &d->program->steps[one].next;
        const uint8_t body = draw_list(d, at);
        d->program->steps[one].body = body;
    }
    return number;
}

static uint8_t draw_if(struct drawing *d, struct place at)
{
    const uint8_t number =
        add(d, (struct gen_step){.kind = MASKS_IF, .when = draw_condition(d, &at)});
    at.depth++;
    const uint8_t body = draw_list(d, at);
    const uint8_t other = below(d, 5) < 2 ? draw_list(d, at) : 0;
    d->program->steps[number].body = body;
    d->program->steps[number].other = other;
    return number;
}

static uint8_t draw_call(struct drawing *d, struct place at)
{
    const uint8_t number = add(d, (struct gen_step){.kind = MASKS_CALL});
    at.depth++;
    at.breaks = at.continues = false;
    at.returns = true;
    const uint8_t body = draw_list(d, at);
    d->program->steps[number].body = body;
    return number;
}

// `if ... { look break }`: looks around before leaving a loop, which is where compilers move code.
static uint8_t draw_exit(struct drawing *d, struct place at)
{
    const uint8_t number =
        add(d, (struct gen_step){.kind = MASKS_IF, .when = draw_condition(d, &at)});
    const uint8_t look = draw_look(d);
    const bool returns = at.returns && below(d, 3) == 0;
    const uint8_t leave = add(d, (struct gen_step){.kind = returns ? MASKS_RETURN : MASKS_BREAK});
    d->program->steps[number].body = look;
    d->program->steps[look].next = leave;
    return number;
}

// A loop with a switch on an element of an array, whose index its cases move.
static uint8_t draw_walk(struct drawing *d, struct place at)
{
    static const uint8_t arrays[] = {GEN_VECTORS, GEN_STRUCTS, GEN_ROWS, GEN_STRIDED};
    const uint8_t index = (uint8_t)below(d, d->limits->numbers);
    const uint8_t found = (uint8_t)below(d, d->limits->numbers);
    const uint8_t number = add(d, (struct gen_step){.kind = MASKS_WHILE,
                                                    .when = {GEN_BELOW, (uint8_t)(2 + below(d, 3)),
                                                             (uint8_t)(1u << at.loops)}});
    const uint8_t get = add(d, (struct gen_step){.kind = MASKS_ACT,
                                                 .act = {.op = GEN_OP_GET,
                                                         .type = arrays[below(d, sizeof arrays)],
                                                         .to = found,
                                                         .from = {index},
                                                         .n = (uint8_t)below(d, 4)}});
    const uint8_t chosen =
        add(d, (struct gen_step){.kind = MASKS_SWITCH, .when = {GEN_NUMBER_FIELD, found, 0}});
    const uint32_t cases = 2 + below(d, 2);
    uint8_t all = 0;
    at.depth += 3;
    at.loops++;
    at.breaks = at.continues = at.in_switch = true;
    for (uint32_t k = 0; k <= cases; k++) {
        const uint8_t one = add(d, (struct gen_step){.kind = MASKS_CASE,
                                                     .value = (uint8_t)(k < cases ? k : 0),
                                                     .is_default = k == cases});
        const uint8_t moved =
            add(d, (struct gen_step){.kind = MASKS_ACT,
                                     .act = {.op = GEN_OP_NUMBER,
                                             .to = index,
                                             .adds = below(d, 4) != 0,
                                             .n = (uint8_t)(1 + below(d, GEN_ELEMENTS - 1))}});
        const uint8_t end = draw_end(d, &at);
        d->program->steps[one].body = gen_join(d->program, moved, end);
        all = gen_join(d->program, all, one);
    }
    const uint8_t behind = draw_look(d);
    struct gen_step *steps = d->program->steps;
    steps[chosen].body = all;
    steps[chosen].next = behind;
    steps[get].next = chosen;
    steps[number].body = get;
    return number;
}

static uint8_t draw_step(struct drawing *d, struct place at)
{
    if (at.continues && at.breaks && d->left >= 3 && below(d, 4) == 0)
        return draw_exit(d, at);
    if (d->limits->focus == GEN_EXITS && d->left >= 6 && at.loops < MASKS_DEPTH &&
        at.depth < d->limits->depth && below(d, 2))
        return draw_left_loop(d, at);
    if (d->limits->focus == GEN_ARRAYS && d->left >= 12 && at.loops < MASKS_DEPTH &&
        at.depth < d->limits->depth && below(d, 4) == 0)
        return draw_walk(d, at);
    const uint32_t kind = d->left < 4 || at.depth >= d->limits->depth ? 0 : below(d, 12);
    if (kind >= 9)
        return at.loops < MASKS_DEPTH ? draw_loop(d, at) : draw_if(d, at);
    if (kind == 8)
        return draw_switch(d, at);
    if (kind == 7)
        return draw_call(d, at);
    return kind >= 3 ? draw_if(d, at) : draw_look(d);
}

// Ends a list: inside a construct it leaves it one time in three, if it can; otherwise it looks.
static uint8_t draw_end(struct drawing *d, const struct place *at)
{
    enum masks_kind ways[3];
    uint32_t count = 0;
    if (at->breaks)
        ways[count++] = MASKS_BREAK;
    if (at->continues)
        ways[count++] = MASKS_CONTINUE;
    if (at->returns)
        ways[count++] = MASKS_RETURN;
    if (!count || !at->depth || below(d, 3))
        return draw_look(d);
    return add(d, (struct gen_step){.kind = (uint8_t)ways[below(d, count)]});
}

static uint8_t draw_list(struct drawing *d, struct place at)
{
    uint8_t first = 0;
    uint8_t *link = &first;
    for (uint32_t count = 1 + below(d, 3); count > 0 && (d->left > 0 || at.depth == 0); count--) {
        const uint8_t step = draw_step(d, at);
        if (!step)
            return first;
        *link = step;
        while (*link)
            link = &d->program->steps[*link].next;
    }
    *link = draw_end(d, &at);
    return first;
}

static bool draw_model(struct drawing *d)
{
    const enum gen_focus focus = d->limits->focus;
    const bool has = d->limits->features >> CAT_FEATURE_MEMORY_MODEL & 1;
    return d->limits->numbers && (focus == GEN_VULKAN || focus == GEN_MATRICES ||
                                  (focus != GEN_PLAIN && has && below(d, 2)));
}

// A link to a step, or to the end of a list, and its place.
struct spot {
    uint8_t *link;
    struct place at;
};

static uint32_t find_spots(struct gen_program *program, uint8_t *link, struct place at,
                           struct spot *spots, uint32_t count)
{
    for (;; link = &program->steps[*link].next) {
        struct gen_step *step = &program->steps[*link];
        struct place inside = at;
        spots[count++] = (struct spot){link, at};
        if (!*link || (step->kind >= MASKS_BREAK && step->kind <= MASKS_RETURN))
            return count;
        inside.depth++;
        inside.breaks |= step->kind == MASKS_SWITCH;
        inside.in_switch |= step->kind == MASKS_SWITCH;
        if (step->kind == MASKS_CALL)
            inside = (struct place){.depth = inside.depth, .loops = at.loops, .returns = true};
        if (gen_is_loop(step)) {
            inside.loops++;
            inside.breaks = inside.continues = false;
            if (step->other)
                count = find_spots(program, &step->other, inside, spots, count);
            inside.breaks = inside.continues = true;
        } else if (step->other) {
            count = find_spots(program, &step->other, inside, spots, count);
        }
        if (step->kind >= MASKS_IF && step->kind <= MASKS_CALL)
            count = find_spots(program, &step->body, inside, spots, count);
    }
}

// A construct that holds the rest of the list.
static uint8_t draw_around(struct drawing *d, const struct place *at, uint8_t rest)
{
    struct gen_step step = {.kind = MASKS_IF, .when = draw_condition(d, at), .body = rest};
    if (below(d, 3) == 0)
        step = (struct gen_step){.kind = MASKS_CALL, .body = rest};
    return add(d, step);
}

// One change: a step comes, goes, or is another, or a construct comes around others.
static void draw_change(struct drawing *d)
{
    struct gen_program *program = d->program;
    struct spot spots[3 * GEN_STEPS + 1];
    const uint32_t count = find_spots(program, &program->first, (struct place){0}, spots, 0);
    const struct spot spot = spots[below(d, count)];
    struct gen_step *step = &program->steps[*spot.link];
    const uint8_t rest = *spot.link, next = step->next;
    uint8_t one;
    if (step->kind == MASKS_CASE)
        return;
    switch (rest ? below(d, 8) : 0) {
    case 0:
    case 1:
    case 2:
        d->left = 1 + below(d, 6);
        one = draw_step(d, spot.at);
        *spot.link = gen_join(program, one, rest);
        break;
    case 3:
        *spot.link = next;
        break;
    case 4:
        one = draw_around(d, &spot.at, rest);
        if (one) {
            *spot.link = one;
            step->next = 0;
            program->steps[one].next = next;
        }
        break;
    default:
        if (step->kind == MASKS_ACT)
            step->act.op = GEN_OP_NONE;
        else if (step->kind == MASKS_IF)
            step->when = draw_condition(d, &spot.at);
        else if (gen_is_loop(step) && step->when.value == GEN_BELOW)
            step->when.at = (uint8_t)(1 + below(d, spot.at.loops ? 6 : 16));
    }
}

// One combining operator in place of all, as the kernel may have it for several.
static void draw_operator(struct drawing *d)
{
    static const uint8_t alone[] = {GEN_OP_ADD, GEN_OP_MUL, GEN_OP_AND, GEN_OP_OR, GEN_OP_XOR};
    static const uint8_t with[] = {GEN_WITH_ADD, GEN_WITH_MUL, GEN_WITH_AND, GEN_WITH_OR,
                                   GEN_WITH_XOR};
    const uint32_t which = below(d, sizeof with);
    for (uint32_t i = 1; i <= d->program->count; i++) {
        struct gen_act *act = &d->program->steps[i].act;
        if (act->op == GEN_OP_ADD)
            act->op = alone[which];
        else if (act->op >= GEN_OP_REDUCE && act->op <= GEN_OP_LATE)
            act->with = with[which];
    }
}

static uint8_t draw_kernel(struct drawing *d)
{
    const bool vulkan = d->program->vulkan;
    uint32_t count = 0;
    while (gen_kernel_take(d->limits, count, d->program))
        count++;
    gen_kernel_take(d->limits, below(d, count), d->program);
    if (below(d, 4) == 0)
        draw_operator(d);
    for (uint32_t changes = below(d, 16) ? 1 + below(d, 4) : 0; changes > 0; changes--)
        draw_change(d);
    d->program->vulkan = vulkan;
    return d->program->first;
}

// --- Operations

// Draws one of the products that the device lists. One of a program fits into shared memory with
// others of the same numbers. False if there is none in such subgroups. Takes one random number in
// any case, so that without the device's list the rest of a program stays the same.
static bool draw_product(struct drawing *d, struct gen_act *act)
{
    static const char usual[] = "f16.f16.f32.16x16x16 f16.f16.f16.16x8x16 f16.f16.f32.8x8x8 "
                                "u8.u8.u32.16x16x32 s8.s8.s32.8x8x16 s8.u8.s32.16x8x32 "
                                "u8.s8.s32.8x16x16 f32.f32.f32.16x16x16";
    const char *products = d->limits->products;
    struct gen_product listed[256];
    uint32_t count = 0;
    for (const char *at = products && *products ? products : usual;
         count < sizeof listed / sizeof *listed && gen_product_take(&at, &act->product);) {
        const struct gen_product *p = &act->product, *first = &d->product;
        listed[count] = *p;
        count += !(gen_act_features(act) & ~d->limits->features) &&
                 gen_act_least(act) <= d->limits->subgroup &&
                 (!first->k ||
                  (p->left == first->left && p->right == first->right && p->sum == first->sum));
    }
    const uint32_t which = below(d, 1u << 16);
    if (count)
        act->product = listed[which % count];
    return count > 0;
}

// Draws an operator and a type that the operation has and the device supports. False if several
// tries find none.
static bool draw_kind(struct drawing *d, struct gen_act *act)
{
    const struct gen_form *form = &gen_forms[act->op];
    if (act->op == GEN_OP_PRODUCT)
        return draw_product(d, act);
    for (uint32_t tries = 0; tries < 32; tries++) {
        act->with = form->combines ? (uint8_t)below(d, GEN_WITHS) : 0;
        act->type = (uint8_t)(d->limits->focus == GEN_ADDRESSES && act->op >= GEN_OP_GET
                                  ? GEN_ADDRESS + below(d, GEN_TYPES - GEN_ADDRESS)
                              : act->op >= GEN_OP_GET
                                  ? GEN_VECTORS + below(d, GEN_ADDRESS - GEN_VECTORS)
                                  : below(d, act->op >= GEN_OP_VECTOR ? GEN_F64 : GEN_VECTORS));
        // Half of the others use the type that all devices support.
        if (act->op < GEN_OP_VECTOR && form->types & 1u << GEN_U32 && below(d, 2))
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
    if (act->op >= GEN_OP_GET && act->op != GEN_OP_PEER && below(d, 2))
        act->n %= 4; // a register names the element
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
    static const uint8_t pointed[] = {GEN_OP_GET, GEN_OP_GET, GEN_OP_PUT, GEN_OP_COPY,
                                      GEN_OP_FETCH};
    for (;;) {
        struct gen_act act = {0};
        const bool computes = d->limits->focus == GEN_ARITHMETIC;
        const enum gen_focus focus = d->limits->focus;
        const bool stores = focus == GEN_ARRAYS, points = focus == GEN_ADDRESSES;
        const bool multiplies = focus == GEN_MATRICES && allows == GEN_FULL;
        const uint32_t kind = together && allows >= GEN_DEFINITE ? 8 : below(d, 12);
        if (stores && kind < 5)
            act.op = (uint8_t)(GEN_OP_VECTOR + below(d, GEN_OP_PEER + 1 - GEN_OP_VECTOR));
        else if (multiplies && kind < 5)
            act.op = GEN_OP_PRODUCT;
        else if (points && kind < 5)
            act.op = pointed[below(d, sizeof pointed)];
        else if (kind < (computes || stores || points ? 6 : 3))
            act.op = (uint8_t)(GEN_OP_ADD +
                               below(d, (computes ? GEN_OP_REDUCE : GEN_OP_ONES) - GEN_OP_ADD));
        else if (kind < 9)
            act.op = (uint8_t)(GEN_OP_REDUCE + below(d, GEN_OP_LOAD - GEN_OP_REDUCE));
        else
            act.op =
                (uint8_t)(GEN_OP_LOAD +
                          below(d, (d->limits->focus >= GEN_NABLA ? GEN_OP_VECTOR : GEN_OP_GATHER) -
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

// Draws the operations that are GEN_OP_NONE, or that their places, the device or the subgroup size
// do not permit.
static void draw_acts(struct drawing *d)
{
    struct gen_program *program = d->program;
    const struct gen_limits *limits = d->limits;
    struct gen_places places;
    d->last = d->counted = (struct gen_act){0};
    d->product = (struct gen_product){0};
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
            *act = draw_act(d, places.allows[i], places.loops[i], together);
        d->last = *act;
        if (act->op == GEN_OP_PRODUCT && !d->product.k)
            d->product = act->product;
    }
}

// --- Programs

void gen_draw(struct gen_program *program, const struct gen_limits *limits, uint64_t seed,
              uint64_t index)
{
    // In the order in which they came, so that a seed's programs stay the same.
    static const uint8_t ages[GEN_FOCUSES] = {0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7};
    struct drawing d = {.program = program, .limits = limits};
    d.random.state = random_derive(seed, gen_rule_name(limits->rule)) ^ index;
    d.random.state = random_next(&d.random);
    // Different programs for the other family, and for each focus.
    d.random.state += limits->numbers + 4096u * ages[limits->focus];
    assert(limits->steps <= GEN_STEPS / 2 && limits->depth <= GEN_NESTING / 2);
    do {
        *program = (struct gen_program){.numbers = (uint8_t)limits->numbers,
                                        .truths = (uint8_t)limits->truths,
                                        .vulkan = draw_model(&d)};
        // Small programs are faster, large ones more exotic.
        d.left = 4 + below(&d, limits->steps > 4 ? limits->steps - 3 : 1);
        const uint8_t first = limits->focus >= GEN_NABLA
                                  ? draw_kernel(&d)
                                  : draw_list(&d, (struct place){.returns = !limits->numbers});
        program->first = first;
        gen_tidy(program);
        if (limits->numbers)
            draw_acts(&d);
    } while (!gen_check(program, limits->rule, NULL));
}

// Arms

const char *const gen_focus_names[GEN_FOCUSES] = {
    "plain",     "exits",    "subgroups", "vulkan", "arithmetic", "arrays",
    "addresses", "matrices", "nabla",     "vello",  "llama",      "prefix-sums"};

void gen_press(struct gen_limits *limits, uint32_t pressure)
{
    limits->pressure = pressure;
    limits->numbers = USUAL_NUMBERS + (pressure + 3) / 4 * 4;
    limits->truths = USUAL_TRUTHS + pressure / 5;
}

size_t gen_arms(uint64_t features, struct gen_limits arms[GEN_ARMS])
{
    static const uint32_t pressures[] = {0, 20, 50, 90};
    const uint64_t needed[][2] = {{MASKS_MAXIMAL, CAT_FEATURE_MAXIMAL},
                                  {MASKS_SUBGROUP_UNIFORM, CAT_FEATURE_SUBGROUP_UNIFORM},
                                  {MASKS_DEFAULT, CAT_FEATURE_BASIC}};
    size_t count = 0;
    for (uint32_t focus = 0; focus < GEN_FOCUSES; focus++)
        for (size_t i = 0; i < (focus < GEN_NABLA ? sizeof pressures / sizeof *pressures : 1); i++)
            for (size_t k = 0; k < sizeof needed / sizeof *needed; k++) {
                struct gen_limits *arm = &arms[count];
                *arm = (struct gen_limits){.rule = (enum masks_rule)needed[k][0],
                                           .focus = (enum gen_focus)focus,
                                           .features = features};
                gen_press(arm, pressures[i]);
                count +=
                    (k + 1 == sizeof needed / sizeof *needed || features >> needed[k][1] & 1) &&
                    (focus != GEN_VULKAN || features >> CAT_FEATURE_MEMORY_MODEL & 1) &&
                    (focus != GEN_MATRICES || features >> CAT_FEATURE_MATRIX_PRODUCTS & 1) &&
                    (focus != GEN_ADDRESSES || features >> CAT_FEATURE_ADDRESSES & 1 ||
                     features >> CAT_FEATURE_DESCRIPTORS & 1);
            }
    return count;
}

void gen_arm_name(const struct gen_limits *limits, char name[48])
{
    const int length = snprintf(name, 48, "%s", gen_rule_name(limits->rule));
    char pressure[16] = "";
    if (limits->pressure)
        snprintf(pressure, sizeof pressure, "-p%u", limits->pressure);
    snprintf(name + length, 48 - (size_t)length, "%s%s%s", pressure, limits->focus ? "-" : "",
             limits->focus ? gen_focus_names[limits->focus] : "");
}
