// SPDX-License-Identifier: Apache-2.0
// Shrinks programs one change at a time.
#include "generate/program.h"

#include <string.h>

enum change {
    REMOVE,
    CUT,
    UNWRAP,
    UNWRAP_STRIPPED,
    UNWRAP_OTHER,
    UNWRAP_BOTH, // one list after the other, or all cases
    DROP_OTHER,
    DROP_BODY,
    NO_FALL,
    LOOK_ONLY, // an election becomes a look
    COUNT_I,   // a loop without a condition counts its iterations
    COUNT_J,
    WHEN_TRUE,
    WHEN_LANE,
    WHEN_BIT,
    FEWER_LOOPS,
    LESS,
    AT_ONE,
    AT_ZERO,
    ACT_ALONE,  // a sum instead of an operation between lanes
    ACT_SIMPLE, // the operation's simplest form: add, u32
    ACT_ASSIGNS,
    ACT_FIRST, // the first registers, operand by operand
    ACT_SECOND,
    ACT_THIRD,
    ACT_TO,
    ACT_LESS,
    ACT_NONE,
    ACT_PLAINEST, // product
    ACT_PLAINER,
    FEWER_NUMBERS,
    FEWER_TRUTHS,
    USUAL_MODEL,
    CHANGES
};

// An operation's weight, less than that of a step.
static uint32_t weight_of(const struct gen_act *act)
{
    return 1024u * (gen_forms[act->op].needs != GEN_ALONE || act->op >= GEN_OP_LOAD) +
           256u * (act->with != 0) + 256u * (act->type != GEN_U32 && act->type != GEN_SHARED) +
           512u * act->adds + 512u * act->turns + act->op + act->from[0] + act->from[1] +
           act->from[2] + act->to + act->n +
           (act->op == GEN_OP_PRODUCT ? gen_product_weight(&act->product) : 0);
}

uint32_t gen_weight(const struct gen_program *program)
{
    uint32_t weight = 16u * (program->numbers + program->truths + program->vulkan);
    for (uint32_t i = 1; i <= program->count; i++) {
        const struct gen_condition *when = &program->steps[i].when;
        weight += 4096 + (program->steps[i].falls ? 1024 : 0) +
                  gen_conditions[when->value].weight * 256u +
                  ((when->loops & 1u) + (when->loops >> 1)) * 128u + when->at;
        weight += program->steps[i].kind == MASKS_ELECT ? 512 : 0;
        weight += program->steps[i].kind == MASKS_ACT ? weight_of(&program->steps[i].act) : 0;
    }
    return weight;
}

// The link to a step.
static uint8_t *link_to(struct gen_program *program, uint32_t number)
{
    if (program->first == number)
        return &program->first;
    for (uint32_t i = 1; i <= program->count; i++) {
        struct gen_step *step = &program->steps[i];
        if (step->next == number)
            return &step->next;
        if (step->body == number)
            return &step->body;
        if (step->other == number)
            return &step->other;
    }
    return NULL;
}

// Replaces a step by a list.
static bool splice(struct gen_program *program, uint32_t number, uint8_t list)
{
    uint8_t *link = link_to(program, number);
    const uint8_t next = program->steps[number].next;
    if (!link || !list)
        return false;
    *link = gen_join(program, list, next);
    return true;
}

// Removes the exits of one construct from a list.
static void strip(struct gen_program *program, uint8_t *link, bool breaks, bool continues)
{
    while (*link) {
        struct gen_step *step = &program->steps[*link];
        if ((step->kind == MASKS_BREAK && breaks) || (step->kind == MASKS_CONTINUE && continues)) {
            *link = step->next;
            continue;
        }
        if (!gen_is_loop(step) && step->kind != MASKS_CALL) {
            const bool inside = breaks && step->kind != MASKS_SWITCH;
            strip(program, &step->body, inside, continues);
            strip(program, &step->other, inside, continues);
        }
        link = &step->next;
    }
}

// The number of loops around a step below `first`; UINT32_MAX if it is not there.
static uint32_t loops_around(const struct gen_program *program, uint32_t first, uint32_t number)
{
    for (uint32_t i = first; i; i = program->steps[i].next) {
        const struct gen_step *step = &program->steps[i];
        if (i == number)
            return 0;
        uint32_t loops = loops_around(program, step->body, number);
        if (loops == UINT32_MAX)
            loops = loops_around(program, step->other, number);
        if (loops != UINT32_MAX)
            return loops + gen_is_loop(step);
    }
    return UINT32_MAX;
}

// After removing a loop: drops uses of its counter, and an inner loop becomes the outer one.
static void forget_loop(struct gen_program *program, uint32_t first, bool outer)
{
    for (uint32_t i = first; i; i = program->steps[i].next) {
        struct gen_step *step = &program->steps[i];
        const uint8_t loops = step->when.loops;
        step->when.loops = outer ? loops >> 1 : loops & 1;
        if (gen_conditions[step->when.value].counts && !step->when.loops)
            step->when = (struct gen_condition){.value = GEN_TRUE};
        if (step->when.value == GEN_LANE_STEP && !step->when.loops)
            step->when.value = GEN_LANE_FROM;
        step->act.turns = outer ? step->act.turns >> 1 : step->act.turns & 1;
        forget_loop(program, step->body, outer);
        forget_loop(program, step->other, outer);
    }
}

// The contents of a switch's first case, or of all cases.
static uint8_t cases_of(struct gen_program *program, uint32_t number, bool all)
{
    uint8_t list = 0;
    for (uint32_t i = program->steps[number].body; i; i = program->steps[i].next) {
        strip(program, &program->steps[i].body, true, false);
        list = gen_join(program, list, program->steps[i].body);
        if (!all)
            break;
    }
    return list;
}

static bool unwrap(struct gen_program *program, uint32_t number, enum change change)
{
    struct gen_step *step = &program->steps[number];
    if (step->kind == MASKS_CASE)
        return false;
    if (step->kind == MASKS_SWITCH)
        return (change == UNWRAP || change == UNWRAP_BOTH) &&
               splice(program, number, cases_of(program, number, change == UNWRAP_BOTH));
    if (gen_is_loop(step)) {
        const bool outer = loops_around(program, program->first, number) == 0;
        forget_loop(program, step->body, outer);
        forget_loop(program, step->other, outer);
    }
    switch (change) {
    case UNWRAP_STRIPPED:
        strip(program, &step->body, true, true);
        return splice(program, number, step->body);
    case UNWRAP_OTHER:
        return splice(program, number, step->other);
    case UNWRAP_BOTH:
        return splice(program, number, gen_join(program, step->body, step->other));
    default:
        return splice(program, number, step->body);
    }
}

// Whether any register from this one on is used.
static bool uses(const struct gen_program *program, uint32_t from, bool truths)
{
    for (uint32_t i = 1; i <= program->count; i++) {
        const struct gen_step *step = &program->steps[i];
        const uint8_t value = step->when.value;
        const bool asks =
            truths ? value == GEN_TRUTH : value == GEN_NUMBER_TRIPS || value == GEN_NUMBER_FIELD;
        if (asks && step->when.at >= from)
            return true;
        if (step->kind != MASKS_ACT)
            continue;
        if (gen_forms[step->act.op].gives != '-' && gen_act_gives_truth(&step->act) == truths &&
            step->act.to >= from)
            return true;
        for (uint32_t k = 0; k < gen_act_operands(&step->act); k++)
            if (gen_act_takes_truth(&step->act, k) == truths && step->act.from[k] >= from)
                return true;
    }
    return false;
}

static bool apply_to_act(struct gen_program *program, struct gen_step *step, enum change change)
{
    struct gen_act *act = &step->act;
    if (change == FEWER_NUMBERS) {
        if (program->numbers <= 4 || uses(program, program->numbers - 4u, false))
            return false;
        program->numbers -= 4;
        return true;
    }
    if (change == FEWER_TRUTHS) {
        if (program->truths <= 1 || uses(program, program->truths - 1u, true))
            return false;
        program->truths--;
        return true;
    }
    if (change == USUAL_MODEL) {
        program->vulkan = false;
        return true;
    }
    if (step->kind != MASKS_ACT)
        return false;
    switch (change) {
    case ACT_ALONE:
        if (gen_forms[act->op].gives == '-')
            return false;
        *act = (struct gen_act){.op = gen_act_gives_truth(act) ? GEN_OP_BIT : GEN_OP_LANE,
                                .to = act->to,
                                .adds = act->adds};
        break;
    case ACT_SIMPLE:
        if (act->op >= GEN_OP_TYPED && act->op < GEN_OP_REDUCE)
            return apply_to_act(program, step, ACT_ALONE);
        act->with = gen_act_may((enum gen_op)act->op, GEN_WITH_ADD, (enum gen_type)act->type)
                        ? GEN_WITH_ADD
                        : act->with;
        if (act->type != GEN_BOOL && act->type != GEN_SHARED && act->type != GEN_BUFFER)
            act->type = GEN_U32;
        act->turns = 0;
        break;
    case ACT_ASSIGNS:
        act->adds = false;
        break;
    case ACT_FIRST:
    case ACT_SECOND:
    case ACT_THIRD:
        act->from[change - ACT_FIRST] = 0;
        break;
    case ACT_TO:
        act->to = 0;
        break;
    case ACT_LESS:
        act->n /= 2;
        break;
    default:
        act->n = act->op == GEN_OP_CLUSTER;
    }
    return true;
}

// Replaces a product by the plainest listed one, or by the next plainer one. False if none is.
static bool make_plainer(struct gen_act *act, const char *listed, bool plainest)
{
    const uint32_t own = gen_product_weight(&act->product), none = plainest ? own : 0;
    uint32_t best = none;
    struct gen_product each;
    while (listed && act->op == GEN_OP_PRODUCT && gen_product_take(&listed, &each)) {
        const uint32_t weight = gen_product_weight(&each);
        if (plainest ? weight < best : weight < own && weight > best) {
            best = weight;
            act->product = each;
        }
    }
    return best != none;
}

// Applies a change, possibly without effect. False if it is not applicable.
static bool apply(struct gen_program *program, uint32_t number, enum change change)
{
    struct gen_step *step = &program->steps[number];
    struct gen_condition *when = &step->when;
    const bool counts = gen_conditions[when->value].counts && when->value != GEN_PAST;
    const bool is_if = step->kind == MASKS_IF;
    if (change >= ACT_ALONE)
        return apply_to_act(program, step, change);
    switch (change) {
    case REMOVE:
        *link_to(program, number) = step->next;
        break;
    case CUT:
        step->next = 0;
        break;
    case UNWRAP:
    case UNWRAP_STRIPPED:
    case UNWRAP_OTHER:
    case UNWRAP_BOTH:
        return unwrap(program, number, change);
    case DROP_OTHER:
        step->other = 0;
        break;
    case DROP_BODY:
        step->body = step->kind == MASKS_SWITCH ? step->body : 0;
        break;
    case NO_FALL:
        step->falls = false;
        break;
    case LOOK_ONLY:
        step->kind = step->kind == MASKS_ELECT ? MASKS_LOOK : step->kind;
        break;
    case COUNT_I:
    case COUNT_J:
        if (step->kind == MASKS_WHILE && when->value == GEN_NONE)
            *when = (struct gen_condition){GEN_BELOW, GEN_TURNS - 1, change == COUNT_I ? 1 : 2};
        break;
    case WHEN_TRUE:
    case WHEN_BIT:
        if (is_if)
            *when = (struct gen_condition){.value = change == WHEN_TRUE ? GEN_TRUE : GEN_BIT};
        break;
    case WHEN_LANE:
        if (is_if || step->kind == MASKS_SWITCH)
            *when = (struct gen_condition){.value = is_if ? GEN_LANE_BIT : GEN_LANE_FIELD};
        break;
    case FEWER_LOOPS:
        if (!counts && when->value != GEN_PAST)
            when->loops = when->loops == 3 ? 1 : 0;
        if (when->value == GEN_LANE_STEP)
            when->value = GEN_LANE_FROM;
        break;
    case LESS:
        if (when->value == GEN_TRIPS || when->value == GEN_NUMBER_TRIPS)
            *when = (struct gen_condition){GEN_BELOW, GEN_TURNS - 1, when->loops};
        else
            when->at -= when->at > 0;
        break;
    case AT_ONE:
        if (counts)
            *when = (struct gen_condition){GEN_BELOW, 1, when->loops};
        break;
    default:
        when->at = 0;
    }
    return true;
}

// --- All steps of a kind at once

// Constructs in order of removal; operations follow, last one first, then types. Kinds that more
// programs contain come later, because they are needed more often.
static const enum masks_kind kinds[] = {MASKS_ELECT,  MASKS_RETURN, MASKS_CALL,
                                        MASKS_SWITCH, MASKS_DO,     MASKS_CONTINUE,
                                        MASKS_BREAK,  MASKS_WHILE,  MASKS_IF};
enum { CONSTRUCTS = sizeof kinds / sizeof *kinds, TYPES = CONSTRUCTS + GEN_OPS - 1, KINDS };

// Whether an operation is more than lane-local arithmetic.
static bool is_heavy(const struct gen_act *act)
{
    return act->op >= GEN_OP_ROUNDS;
}

static bool is_of(const struct gen_step *step, int kind)
{
    if (kind < CONSTRUCTS)
        return step->kind == kinds[kind];
    if (step->kind != MASKS_ACT || !is_heavy(&step->act))
        return false;
    return kind == TYPES ? step->act.type != GEN_U32 && step->act.type < GEN_BOOL
                         : step->act.op == GEN_OPS - 1 - (kind - CONSTRUCTS);
}

static bool do_without(struct gen_program *program, uint32_t number, int kind)
{
    switch (program->steps[number].kind) {
    case MASKS_ACT:
        return apply(program, number, kind == TYPES ? ACT_SIMPLE : ACT_ALONE);
    case MASKS_ELECT:
        return apply(program, number, LOOK_ONLY);
    case MASKS_WHILE:
    case MASKS_DO:
        return apply(program, number, UNWRAP_STRIPPED);
    case MASKS_IF:
    case MASKS_SWITCH:
        return apply(program, number, UNWRAP_BOTH);
    case MASKS_CALL:
        return apply(program, number, UNWRAP);
    default:
        return false;
    }
}

// False if the program has none of the kind. `whole`: also removes the contents of constructs.
static bool leave_out(struct gen_program *program, int kind, bool whole)
{
    bool any = false;
    for (uint32_t number = 1; number <= program->count;) {
        struct gen_program without = *program;
        if (!is_of(&program->steps[number], kind)) {
            number++;
            continue;
        }
        if (whole || !do_without(&without, number, kind)) {
            without = *program;
            apply(&without, number, REMOVE);
        }
        gen_tidy(&without);
        *program = without;
        any = true;
    }
    return any;
}

unsigned gen_strip(struct gen_program *program, enum masks_rule rule, gen_fails *fails, void *user)
{
    unsigned tries = program->vulkan;
    gen_tidy(program);
    if (program->vulkan) {
        struct gen_program usual = *program;
        usual.vulkan = false;
        const enum gen_answer answer = fails(&usual, user);
        if (answer == GEN_STOP)
            return tries;
        program->vulkan = answer != GEN_FAILS;
    }
    for (int kind = 0; kind < KINDS; kind++)
        for (int whole = 0; whole < (kind < CONSTRUCTS ? 2 : 1); whole++) {
            struct gen_program candidate = *program;
            if (!leave_out(&candidate, kind, whole) || !gen_check(&candidate, rule, NULL))
                continue;
            const enum gen_answer answer = fails(&candidate, user);
            tries++;
            if (answer == GEN_STOP)
                return tries;
            if (answer == GEN_FAILS)
                *program = candidate;
        }
    return tries;
}

void gen_kinds(const struct gen_program *program, struct text *text)
{
    bool seen[KINDS][GEN_TYPES] = {0};
    for (int kind = KINDS - 1; kind-- > 0;)
        for (uint32_t i = 1; i <= program->count; i++) {
            const struct gen_step *step = &program->steps[i];
            const bool acts = step->kind == MASKS_ACT;
            OWNED(text_free) struct text word = {0};
            if (!is_of(step, kind) || seen[kind][acts ? step->act.type : 0])
                continue;
            seen[kind][acts ? step->act.type : 0] = true;
            gen_write_step(step, &word);
            text_puts(text, text->length ? " " : "");
            if (acts && gen_type_names[step->act.type][0])
                text_printf(text, "%s.%s", gen_forms[step->act.op].name,
                            gen_type_names[step->act.type]);
            else if (acts)
                text_puts(text, gen_forms[step->act.op].name);
            else
                text_append(text, word.data, strcspn(word.data, " "));
        }
    if (program->vulkan)
        text_printf(text, "%svulkan", text->length ? " " : "");
}

// What every step of the search lowers: the distance from a kernel, or the weight.
static uint32_t measure(const struct gen_program *program, const struct gen_limits *kernel)
{
    return kernel ? gen_kernel_distance(program, kernel, NULL) : gen_weight(program);
}

static unsigned search(struct gen_program *program, const struct gen_limits *limits,
                       const struct gen_limits *kernel, gen_fails *fails, void *user)
{
    unsigned tries = 0;
    gen_tidy(program);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t number = 1; number <= program->count; number++)
            for (int change = 0; change < CHANGES && number <= program->count; change++) {
                struct gen_program candidate = *program;
                const bool plain = change == ACT_PLAINEST || change == ACT_PLAINER;
                if (plain ? !make_plainer(&candidate.steps[number].act, limits->products,
                                          change == ACT_PLAINEST)
                          : !apply(&candidate, number, (enum change)change))
                    continue;
                gen_tidy(&candidate);
                if (measure(&candidate, kernel) >= measure(program, kernel) ||
                    !gen_check(&candidate, limits->rule, NULL))
                    continue;
                const enum gen_answer answer = fails(&candidate, user);
                tries++;
                if (answer == GEN_STOP)
                    return tries;
                if (answer == GEN_FAILS) {
                    *program = candidate;
                    changed = true;
                    change = -1; // this number now denotes another step
                }
            }
    }
    return tries;
}

unsigned gen_shrink(struct gen_program *program, const struct gen_limits *limits, gen_fails *fails,
                    void *user)
{
    return search(program, limits, NULL, fails, user);
}

unsigned gen_near(struct gen_program *program, const struct gen_limits *kernel, gen_fails *fails,
                  void *user)
{
    struct gen_program candidate;
    gen_kernel_distance(program, kernel, &candidate);
    candidate.vulkan = program->vulkan;
    if (fails(&candidate, user) != GEN_FAILS)
        return 1 + search(program, kernel, kernel, fails, user);
    *program = candidate;
    return 1;
}
