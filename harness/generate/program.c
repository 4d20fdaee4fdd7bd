// SPDX-License-Identifier: Apache-2.0
// Semantics of generated programs: conditions, validity, and translation for the simulator.
#include "generate/program.h"

#include "base/random.h"
#include "model/facts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const rules[] = {
    [MASKS_DEFAULT] = "default",
    [MASKS_SUBGROUP_UNIFORM] = "subgroup-uniform",
    [MASKS_MAXIMAL] = "maximal",
};

const char *gen_rule_name(enum masks_rule rule)
{
    return rules[rule];
}

bool gen_rule_find(const char *name, enum masks_rule *rule)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strcmp(rules[i], name)) {
            *rule = (enum masks_rule)i;
            return true;
        }
    return false;
}

// Conditions

uint32_t gen_registers_records(const struct gen_program *program)
{
    return program->numbers ? program->numbers / 4u + 1 : 0;
}

const char *gen_family_of(uint32_t numbers)
{
    return numbers ? "groups" : "reconvergence";
}

const char *gen_family(const struct gen_program *program)
{
    return gen_family_of(program->numbers);
}

uint32_t gen_value_of(const struct gen_condition *when, const struct masks_lane *lane)
{
    uint32_t turns = 0;
    for (uint32_t d = 0; d < MASKS_DEPTH; d++)
        if (when->loops >> d & 1)
            turns += lane->iteration[d];
    switch ((enum gen_value)when->value) {
    case GEN_TRUE:
        return 1;
    case GEN_BIT:
        return lane->word >> ((when->at + turns) & 31) & 1;
    case GEN_LANE_BIT:
        return (lane->lane + turns) >> when->at & 1;
    case GEN_LANE_IS:
        return lane->lane == when->at + turns;
    case GEN_ELECT:
        return lane->lane == lane->first;
    case GEN_TRIPS:
        return turns < (lane->word >> when->at & 3);
    case GEN_BELOW:
        return turns < when->at;
    case GEN_PAST:
        return turns >= when->at;
    case GEN_FIELD:
        return lane->word >> ((when->at + turns) & 31) & 3;
    case GEN_LANE_FIELD:
        return (lane->lane + turns) & 3;
    case GEN_GROUP_BIT:
        return lane->group_word >> ((when->at + turns) & 31) & 1;
    case GEN_TRUTH:
        return lane->truths >> when->at & 1;
    case GEN_NUMBER_TRIPS:
        return turns < (lane->numbers[when->at] & 3);
    case GEN_NUMBER_FIELD:
        return (lane->numbers[when->at] + turns) & 3;
    case GEN_SUBGROUP_BIT:
        return (lane->ordinal + turns) >> when->at & 1;
    case GEN_LANE_FROM:
        return lane->lane >= when->at + turns;
    case GEN_LANE_STEP:
        return lane->lane >= (uint32_t)when->at << turns;
    case GEN_NONE:
    case GEN_VALUES:
        break;
    }
    assert(!"a condition without a value");
    return 0;
}

static uint32_t pack(const struct gen_condition *when)
{
    return when->value | (uint32_t)when->at << 8 | (uint32_t)when->loops << 16;
}

static uint32_t choose(const struct masks_lane *lane)
{
    const uint32_t packed = lane->argument;
    return gen_value_of(
        &(struct gen_condition){(uint8_t)packed, (uint8_t)(packed >> 8), (uint8_t)(packed >> 16)},
        lane);
}

// Checking

struct around {
    const struct gen_program *program;
    enum masks_rule rule;
    uint8_t seen[GEN_STEPS + 1]; // each step may occur once
    uint32_t slots;
    struct lit_error *error;
};

// The position of a list of steps.
struct place {
    uint32_t nesting, loops;
    bool breaks, continues, returns;
    bool in_switch; // two tangles may be one here, so the election is open
};

static bool wrong(const struct around *a, uint32_t step, const char *what)
{
    return lit_fail(a->error, LIT_EXIT_USAGE, "step %u of the program: %s", step, what);
}

// Whether the condition's register exists in the program.
static bool is_there(const struct gen_condition *when, const struct gen_program *program)
{
    const bool bounds = when->value == GEN_BELOW || when->value == GEN_PAST;
    if (when->value == GEN_TRUTH)
        return when->at < program->truths;
    if (when->value == GEN_NUMBER_TRIPS || when->value == GEN_NUMBER_FIELD)
        return when->at < program->numbers;
    return when->value < GEN_VALUES &&
           when->at <=
               (bounds && program->numbers ? GEN_LONG - 1 : gen_conditions[when->value].most) &&
           (when->value < GEN_GROUP_BIT || program->numbers);
}

static const char *fault_of(const struct gen_condition *when, const struct place *at,
                            const struct around *a)
{
    if (!is_there(when, a->program))
        return "there is no such condition";
    if (when->loops >> at->loops)
        return "it asks for the iteration of a loop that is not around";
    const struct gen_condition_form *form = &gen_conditions[when->value];
    if ((form->counts || form->shifts) && when->loops != 1 && when->loops != 2)
        return "it counts the iterations of one loop";
    if (!form->counts && !form->shifts && !form->adds && when->loops)
        return "its condition has no iteration";
    if (when->value == GEN_ELECT && (a->rule != MASKS_MAXIMAL || at->in_switch))
        return "who is elected here is not prescribed";
    return NULL;
}

static bool check_list(struct around *a, uint32_t first, struct place at);

// Whether these steps contain a `continue` of the enclosing loop.
static bool goes_on(const struct around *a, uint32_t first, uint32_t nesting)
{
    for (uint32_t i = first; i; i = a->program->steps[i].next) {
        const struct gen_step *step = &a->program->steps[i];
        if (step->kind == MASKS_CONTINUE || nesting > GEN_NESTING)
            return true;
        const bool looks_inside =
            step->kind == MASKS_IF || step->kind == MASKS_SWITCH || step->kind == MASKS_CASE;
        if (looks_inside &&
            (goes_on(a, step->body, nesting + 1) || goes_on(a, step->other, nesting + 1)))
            return true;
    }
    return false;
}

// A loop without a condition must contain a direct step `if i>=N { looks break }` that no
// `continue` skips.
static bool ends(const struct around *a, uint32_t body, uint32_t loop)
{
    for (uint32_t i = body; i; i = a->program->steps[i].next) {
        const struct gen_step *step = &a->program->steps[i];
        if (step->kind == MASKS_IF && step->when.value == GEN_PAST &&
            step->when.loops == 1u << loop) {
            uint32_t last = step->body;
            while (last && (a->program->steps[last].kind == MASKS_LOOK ||
                            a->program->steps[last].kind == MASKS_ACT ||
                            a->program->steps[last].kind == MASKS_ELECT))
                last = a->program->steps[last].next;
            const uint32_t kind = last ? a->program->steps[last].kind : (uint32_t)MASKS_END;
            if (kind == MASKS_BREAK || kind == MASKS_RETURN)
                return true;
        }
        const bool nested = step->kind == MASKS_IF || step->kind == MASKS_SWITCH;
        if (step->kind == MASKS_CONTINUE ||
            (nested && (goes_on(a, step->body, 0) || goes_on(a, step->other, 0))))
            return false;
    }
    return false;
}

static bool check_loop(struct around *a, uint32_t number, struct place at)
{
    const struct gen_step *step = &a->program->steps[number];
    const uint32_t loop = at.loops;
    if (loop >= MASKS_DEPTH)
        return wrong(a, number, "too many loops around it");
    at.loops++;
    const char *fault = fault_of(&step->when, &at, a);
    if (fault)
        return wrong(a, number, fault);
    if (step->kind == MASKS_DO || step->when.value != GEN_NONE) {
        if ((step->when.value != GEN_TRIPS && step->when.value != GEN_BELOW &&
             step->when.value != GEN_NUMBER_TRIPS) ||
            step->when.loops != 1u << loop)
            return wrong(a, number, "this loop need not end");
    } else if (!ends(a, step->body, loop)) {
        return wrong(a, number, "this loop need not end");
    }
    struct place next = at;
    at.breaks = at.continues = true;
    next.breaks = next.continues = next.returns = false;
    return check_list(a, step->body, at) && check_list(a, step->other, next);
}

static bool check_switch(struct around *a, uint32_t number, struct place at)
{
    const struct gen_step *step = &a->program->steps[number];
    uint32_t values = 0;
    const char *fault = fault_of(&step->when, &at, a);
    if (fault)
        return wrong(a, number, fault);
    if (!gen_conditions[step->when.value].selects)
        return wrong(a, number, "invalid selector");
    if (!step->body || step->other)
        return wrong(a, number, "a switch has cases and nothing else");
    at.breaks = at.in_switch = true;
    for (uint32_t i = step->body; i; i = a->program->steps[i].next) {
        const struct gen_step *one = &a->program->steps[i];
        if (one->kind != MASKS_CASE || a->seen[i]++)
            return wrong(a, i, "a switch has cases and nothing else");
        if (one->is_default ? one->next : one->value >= GEN_CASES || values >> one->value & 1)
            return wrong(a, i, "this case is there already, or stands behind the default");
        if (one->falls && !one->next)
            return wrong(a, i, "the last case has nothing to fall into");
        values |= one->is_default ? 0 : 1u << one->value;
        if (one->other || !check_list(a, one->body, at))
            return one->other ? wrong(a, i, "a case has one list of steps") : false;
    }
    return true;
}

static bool check_act(const struct around *a, uint32_t number, struct place at)
{
    const char *fault = gen_act_fault(&a->program->steps[number].act, a->program->numbers,
                                      a->program->truths, at.loops);
    if (!fault && a->program->steps[number].act.op == GEN_OP_PRODUCT && !a->program->vulkan)
        fault = "it needs the memory model Vulkan";
    return !fault || wrong(a, number, fault);
}

// Checks a program with sound links.
static bool check_places(const struct around *a)
{
    struct gen_places places = {0};
    gen_converge(a->program, a->rule, &places);
    for (uint32_t i = 1; i <= a->program->count; i++)
        if (a->seen[i] && a->program->steps[i].kind == MASKS_ACT &&
            gen_forms[a->program->steps[i].act.op].needs > places.allows[i])
            return wrong(a, i, "who executes it together is not prescribed");
    return true;
}

static bool check_step(struct around *a, uint32_t number, struct place at)
{
    const struct gen_step *step = &a->program->steps[number];
    const char *fault = NULL;
    const bool simple = step->kind == MASKS_BREAK || step->kind == MASKS_CONTINUE ||
                        step->kind == MASKS_RETURN || step->kind == MASKS_LOOK ||
                        step->kind == MASKS_ELECT || step->kind == MASKS_ACT;
    if (++at.nesting > GEN_NESTING)
        return wrong(a, number, "it lies too deep");
    if (simple && (step->body || step->other))
        return wrong(a, number, "it has nothing inside");
    switch (step->kind) {
    case MASKS_IF:
        fault = fault_of(&step->when, &at, a);
        if (!fault && (gen_conditions[step->when.value].selects || step->when.value == GEN_NONE))
            fault = "invalid condition";
        if (fault)
            return wrong(a, number, fault);
        return check_list(a, step->body, at) && check_list(a, step->other, at);
    case MASKS_WHILE:
    case MASKS_DO:
        return check_loop(a, number, at);
    case MASKS_SWITCH:
        return check_switch(a, number, at);
    case MASKS_CALL:
        at.breaks = at.continues = false;
        at.returns = true;
        return !step->other ? check_list(a, step->body, at)
                            : wrong(a, number, "a call has one list of steps");
    case MASKS_BREAK:
        return at.breaks || wrong(a, number, "there is nothing to break out of");
    case MASKS_CONTINUE:
        return at.continues || wrong(a, number, "there is no loop to continue");
    case MASKS_RETURN:
        return at.returns || wrong(a, number, "a continue construct cannot return");
    case MASKS_ACT:
        return check_act(a, number, at);
    case MASKS_LOOK:
    case MASKS_ELECT:
        if (a->program->numbers)
            return wrong(a, number, "a program with registers stores them alone");
        for (uint32_t i = 0, slots = 1; i <= at.loops; i++, slots *= GEN_TURNS)
            a->slots += i == at.loops ? slots : 0;
        return a->slots <= GEN_SLOTS || wrong(a, number, "too many records");
    default:
        return wrong(a, number, "invalid step");
    }
}

static bool check_list(struct around *a, uint32_t first, struct place at)
{
    for (uint32_t i = first; i; i = a->program->steps[i].next) {
        if (i > a->program->count || a->seen[i]++)
            return wrong(a, i, "it has no place of its own");
        if (!check_step(a, i, at))
            return false;
    }
    return true;
}

bool gen_check(const struct gen_program *program, enum masks_rule rule, struct lit_error *error)
{
    struct around a = {.program = program, .rule = rule, .error = error};
    if (program->count > GEN_STEPS)
        return wrong(&a, program->count, "too many steps");
    for (uint32_t i = 1; i <= program->count; i++) {
        const struct gen_step *step = &program->steps[i];
        if (step->body > program->count || step->other > program->count ||
            step->next > program->count)
            return wrong(&a, i, "it leads nowhere");
    }
    if (program->numbers > GEN_NUMBERS || program->numbers % 4 || program->truths > GEN_TRUTHS ||
        !program->numbers != !program->truths)
        return lit_fail(error, LIT_EXIT_USAGE, "the program: it cannot have so many registers");
    // A lane that returns would not store its registers.
    if (!check_list(&a, program->first, (struct place){.returns = !program->numbers}) ||
        !check_places(&a))
        return false;
    return program->numbers || a.slots > 0 ||
           lit_fail(error, LIT_EXIT_USAGE, "the program never looks around");
}

uint32_t gen_least(const struct gen_program *program)
{
    uint32_t least = 1;
    for (uint32_t i = 1; i <= program->count; i++) {
        const uint32_t needed = gen_act_least(&program->steps[i].act);
        if (program->steps[i].kind == MASKS_ACT && needed > least)
            least = needed;
    }
    return least;
}

uint64_t gen_features(const struct gen_program *program)
{
    uint64_t features = program->vulkan ? UINT64_C(1) << CAT_FEATURE_MEMORY_MODEL : 0;
    for (uint32_t i = 1; i <= program->count; i++)
        if (program->steps[i].kind == MASKS_ACT)
            features |= gen_act_features(&program->steps[i].act);
    return features;
}

static bool multiplies(const struct gen_act *act, enum gen_type type)
{
    return act->op == GEN_OP_PRODUCT && (gen_components[act->product.left].type == type ||
                                         gen_components[act->product.sum].type == type);
}

bool gen_uses(const struct gen_program *program, enum gen_type type)
{
    for (uint32_t i = 1; i <= program->count; i++)
        if (program->steps[i].kind == MASKS_ACT &&
            (program->steps[i].act.type == type || multiplies(&program->steps[i].act, type) ||
             (gen_arrays[program->steps[i].act.type].count &&
              gen_arrays[program->steps[i].act.type].of == type)))
            return true;
    return false;
}

bool gen_has_blocks(const struct gen_program *program)
{
    return gen_uses(program, GEN_STRIDED) || gen_uses(program, GEN_BUFFER16) ||
           gen_uses(program, GEN_BUFFER8) || gen_has_addresses(program);
}

bool gen_has_addresses(const struct gen_program *program)
{
    return gen_uses(program, GEN_ADDRESS) || gen_uses(program, GEN_INDIRECT);
}

static bool has_operation(const struct gen_program *program, enum gen_op first, enum gen_op last)
{
    for (uint32_t i = 1; i <= program->count; i++)
        if (program->steps[i].kind == MASKS_ACT && program->steps[i].act.op >= first &&
            program->steps[i].act.op <= last)
            return true;
    return false;
}

bool gen_multiplies(const struct gen_program *program)
{
    return has_operation(program, GEN_OP_PRODUCT, GEN_OP_PRODUCT);
}

bool gen_extends(const struct gen_program *program)
{
    return has_operation(program, GEN_OP_VECTOR, GEN_OP_SATURATE);
}

// A reserved word, then a pair for each invocation, and counters for each workgroup.
uint64_t gen_state_words(const struct gen_program *program, uint64_t workgroups, uint32_t workgroup)
{
    return gen_has_blocks(program) ? (GEN_STATE_START + workgroups * GEN_STATE_EACH) / 4
                                   : 2 + workgroups * (2 * workgroup + GEN_COUNTERS);
}

bool gen_asks(const struct gen_program *program, enum gen_value value)
{
    for (uint32_t i = 1; i <= program->count; i++)
        if (program->steps[i].when.value == value)
            return true;
    return false;
}

// Text order

static uint8_t copy_list(const struct gen_program *from, uint32_t first, struct gen_program *to)
{
    uint8_t head = 0, last = 0;
    for (uint32_t i = first; i; i = from->steps[i].next) {
        const uint8_t number = ++to->count;
        to->steps[number] = from->steps[i];
        to->steps[number].next = 0;
        if (last)
            to->steps[last].next = number;
        else
            head = number;
        last = number;
        const uint8_t body = copy_list(from, from->steps[i].body, to);
        to->steps[number].body = body;
        const uint8_t other = copy_list(from, from->steps[i].other, to);
        to->steps[number].other = other;
    }
    return head;
}

uint8_t gen_join(struct gen_program *program, uint8_t first, uint8_t second)
{
    uint8_t *link = &first;
    while (*link)
        link = &program->steps[*link].next;
    *link = second;
    return first;
}

void gen_tidy(struct gen_program *program)
{
    const struct gen_program from = *program;
    *program =
        (struct gen_program){.numbers = from.numbers, .truths = from.truths, .vulkan = from.vulkan};
    program->first = copy_list(&from, from.first, program);
}

// Translation for the simulator

struct lowering {
    const struct gen_program *program;
    struct gen_shape *shape;
    uint32_t used, places;
};

static const struct masks_step *lower_list(struct lowering *l, uint32_t first, uint32_t loops);

static void lower_place(struct lowering *l, const struct gen_step *step, struct masks_step *out,
                        uint32_t loops)
{
    out->name = l->shape->names[l->places++];
    if (l->program->dialect) {
        const struct gen_place *place = &l->program->dialect->places[step->value];
        memcpy(l->shape->names[l->places - 1], place->name, sizeof place->name);
        memcpy(out->by, place->by, sizeof out->by);
        out->slot = place->slot;
        out->count = place->count;
        out->wrap = place->wrap;
        return;
    }
    snprintf(l->shape->names[l->places - 1], sizeof l->shape->names[0], "look %u", l->places);
    out->slot = l->shape->masks.slots;
    out->count = 1;
    for (uint32_t d = loops; d > 0; d--) {
        out->by[d - 1] = out->count;
        out->count *= GEN_TURNS;
    }
    l->shape->masks.slots += out->count;
}

static void lower_step(struct lowering *l, const struct gen_step *step, struct masks_step *out,
                       uint32_t loops)
{
    *out = (struct masks_step){
        .kind = (enum masks_kind)step->kind,
        .choose = step->when.value == GEN_NONE ? NULL : choose,
        .argument = pack(&step->when),
        .value = step->value,
        .is_default = step->is_default,
        .falls = step->falls,
    };
    if (step->when.value == GEN_OWN)
        out->choose = l->program->dialect->choices[step->when.at];
    if (step->kind == MASKS_LOOK || step->kind == MASKS_ELECT || step->kind == MASKS_NUMBER)
        lower_place(l, step, out, loops);
    if (step->kind == MASKS_ACT)
        out->argument = (uint32_t)(step - l->program->steps);
    if (step->body)
        out->body = lower_list(l, step->body, loops + gen_is_loop(step));
    if (step->other)
        out->other = lower_list(l, step->other, loops + gen_is_loop(step));
}

static const struct masks_step *lower_list(struct lowering *l, uint32_t first, uint32_t loops)
{
    struct masks_step *list = &l->shape->steps[l->used];
    uint32_t count = 0;
    for (uint32_t i = first; i; i = l->program->steps[i].next)
        count++;
    l->used += count + 1; // and the end mark, which is zero
    assert(l->used <= sizeof l->shape->steps / sizeof *l->shape->steps);
    for (uint32_t i = first, n = 0; i; i = l->program->steps[i].next, n++) {
        lower_step(l, &l->program->steps[i], &list[n], loops);
        l->shape->of[i] = &list[n];
    }
    return list;
}

struct gen_shape *gen_shape_make(const struct gen_program *program)
{
    struct gen_shape *shape = lit_alloc(1, sizeof *shape);
    struct lowering l = {.program = program, .shape = shape};
    shape->masks.steps = lower_list(&l, program->first, 0);
    return shape;
}

// Input words

uint32_t gen_word(uint64_t seed, uint64_t instance, uint32_t lane, uint32_t subgroup)
{
    struct lit_random random = {seed + instance * UINT64_C(0x9E3779B97F4A7C15)};
    const uint32_t common = (uint32_t)random_next(&random), second = (uint32_t)random_next(&random);
    const uint32_t odd = (uint32_t)random_below(&random, subgroup);
    struct lit_random own = {random_next(&random) + lane};
    const uint32_t drawn = (uint32_t)random_next(&own);
    switch (instance % 8) {
    case 0:
        return lane % 2 ? common : second;
    case 1:
        return common;
    case 2:
        return lane == odd ? second : common;
    case 3:
        return lane < subgroup / 2 ? common : second;
    case 4:
        return common ^ 1u << drawn % 32;
    default:
        return drawn;
    }
}
