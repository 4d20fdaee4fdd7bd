// SPDX-License-Identifier: Apache-2.0
// Draws programs; docs/fuzzing.md gives the probabilities.
#include "generate/program.h"

#include "base/random.h"

#include <assert.h>

struct drawing {
    struct gen_program *program;
    const struct gen_limits *limits;
    struct lit_random random;
    uint32_t left; // steps left to draw
};

// The position of a list of steps.
struct place {
    uint32_t depth, loops;
    bool breaks, continues, returns, in_switch;
};

static uint8_t draw_list(struct drawing *d, struct place at);

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
    if (look)
        d->program->steps[look].next = leave;
    return add(d, (struct gen_step){
                      .kind = MASKS_IF,
                      .when = {GEN_PAST, (uint8_t)(1 + below(d, GEN_TURNS - 1)), loop},
                      .body = look ? look : leave,
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
    if (bound)
        d->program->steps[bound].next = body;
    d->program->steps[number].body = bound ? bound : body;
    d->program->steps[number].other = other;
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

static uint8_t draw_step(struct drawing *d, struct place at)
{
    if (at.continues && at.breaks && d->left >= 3 && below(d, 4) == 0)
        return draw_exit(d, at);
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
        link = &d->program->steps[step].next;
    }
    *link = draw_end(d, &at);
    return first;
}

void gen_draw(struct gen_program *program, const struct gen_limits *limits, uint64_t seed,
              uint64_t index)
{
    struct drawing d = {.program = program, .limits = limits};
    d.random.state = random_derive(seed, gen_rule_name(limits->rule)) ^ index;
    d.random.state = random_next(&d.random);
    d.random.state += limits->numbers; // different programs for the other family
    assert(limits->steps <= GEN_STEPS / 2 && limits->depth <= GEN_NESTING / 2);
    do {
        *program = (struct gen_program){.numbers = (uint8_t)limits->numbers,
                                        .truths = (uint8_t)limits->truths};
        // Small programs are faster, large ones more exotic.
        d.left = 4 + below(&d, limits->steps > 4 ? limits->steps - 3 : 1);
        const uint8_t first = draw_list(&d, (struct place){.returns = !limits->numbers});
        program->first = first;
        gen_tidy(program);
        if (limits->numbers)
            gen_draw_acts(program, limits, &d.random);
    } while (!gen_check(program, limits->rule, NULL));
}
