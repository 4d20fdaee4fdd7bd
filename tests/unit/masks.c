// SPDX-License-Identifier: Apache-2.0
// The mask simulator against a second definition of the rules, on random shapes.
// unit/masks_tables.c has elections and votes.
//
// The second definition never has a set of lanes: it runs each lane alone and keeps what the lane
// did as a list of events. Two lanes look around together under maximal reconvergence if they do so
// at the same place in the same iterations. Under the weaker rules they must be together if what
// they did until then is the same, when the inside of every construct is struck out that the whole
// group entered after the same events and left by its merge block.
#include "generate/masks.h"

#include "base/random.h"
#include "base/text.h"

#include "unit.h"

// One lane, alone.

enum event_kind { ENTER, LEAVE, CHOICE, LOOK };

struct event {
    enum event_kind kind;
    const struct masks_step *step;
    uint32_t value; // CHOICE: what was chosen; LOOK: the slot; ENTER: index of its LEAVE, 0 if none
    uint64_t context; // LOOK: the iterations of the loops around
    uint64_t arm;     // LOOK: the selectors of the switches around
    char *key;        // LOOK: what the lane did until then
};

struct trace {
    struct event *events;
    size_t count, capacity;
    struct masks_lane lane;
    uint32_t depth;
    uint64_t arm;
    uint32_t *numbers; // NUMBER: of [slot], the last iteration and 1; 0 if there was none
};

enum exit { FELL, BROKE, CONTINUED, RETURNED, LEFT };

static size_t log_event(struct trace *trace, struct event event)
{
    if (trace->count == trace->capacity) {
        trace->capacity = trace->capacity * 2 + 64;
        trace->events = lit_realloc(trace->events, trace->capacity, sizeof(event));
    }
    trace->events[trace->count] = event;
    return trace->count++;
}

static uint32_t decide(struct trace *trace, const struct masks_step *step)
{
    const uint32_t choice = step->choose(&trace->lane);
    log_event(trace, (struct event){.kind = CHOICE, .step = step, .value = choice});
    return choice;
}

static enum exit alone(struct trace *trace, const struct masks_step *steps);

static enum exit alone_loop(struct trace *trace, const struct masks_step *step)
{
    uint32_t *iteration = &trace->lane.iteration[trace->depth++];
    enum exit exit = FELL;
    for (*iteration = 0;; (*iteration)++) {
        if (step->kind == MASKS_WHILE && !decide(trace, step))
            break;
        exit = alone(trace, step->body);
        if (exit == BROKE || exit == LEFT || exit == RETURNED)
            break;
        alone(trace, step->other);
        if (step->kind == MASKS_DO && !decide(trace, step))
            break;
    }
    *iteration = 0;
    trace->depth--;
    return exit == RETURNED ? RETURNED : FELL;
}

static enum exit alone_switch(struct trace *trace, const struct masks_step *step)
{
    const uint64_t arm = trace->arm;
    const uint32_t selector = decide(trace, step);
    enum exit exit = FELL;
    trace->arm = arm * 16 + selector + 1;
    const struct masks_step *one = step->body;
    while (one->kind == MASKS_CASE && !one->is_default && one->value != selector)
        one++;
    for (bool falls = one->kind == MASKS_CASE; falls; one++) {
        exit = alone(trace, one->body);
        falls = exit == FELL && one->falls;
    }
    trace->arm = arm;
    return exit == BROKE ? FELL : exit;
}

static enum exit alone(struct trace *trace, const struct masks_step *steps)
{
    for (const struct masks_step *step = steps; step && step->kind != MASKS_END; step++) {
        enum exit exit = FELL;
        size_t entered = 0;
        const bool construct = step->kind == MASKS_IF || step->kind == MASKS_WHILE ||
                               step->kind == MASKS_DO || step->kind == MASKS_SWITCH;
        if (construct)
            entered = log_event(trace, (struct event){.kind = ENTER, .step = step});
        switch (step->kind) {
        case MASKS_IF:
            exit = alone(trace, decide(trace, step) ? step->body : step->other);
            break;
        case MASKS_WHILE:
        case MASKS_DO:
            exit = alone_loop(trace, step);
            break;
        case MASKS_SWITCH:
            exit = alone_switch(trace, step);
            break;
        case MASKS_CALL:
            alone(trace, step->body);
            break;
        case MASKS_LOOK: {
            const uint32_t *i = trace->lane.iteration;
            const uint32_t place = i[0] * step->by[0] + i[1] * step->by[1];
            log_event(trace, (struct event){.kind = LOOK,
                                            .step = step,
                                            .value = step->slot +
                                                     (step->wrap ? place % step->wrap : place),
                                            .context = (uint64_t)i[0] << 32 | i[1],
                                            .arm = trace->arm});
            break;
        }
        case MASKS_NUMBER:
            trace->numbers[step->slot] =
                trace->depth ? trace->lane.iteration[trace->depth - 1] + 1 : 1;
            break;
        case MASKS_BREAK:
            return BROKE;
        case MASKS_BREAK_LOOP:
            return LEFT;
        case MASKS_CONTINUE:
            return CONTINUED;
        case MASKS_RETURN:
            return RETURNED;
        default:
            fail_msg("a step out of place");
        }
        if (exit != FELL)
            return exit;
        if (construct) {
            const size_t left = log_event(trace, (struct event){.kind = LEAVE, .step = step});
            trace->events[entered].value = (uint32_t)left;
        }
    }
    return FELL;
}

// Keys of a group.

static bool same_event(const struct event *a, const struct event *b)
{
    return a->kind == b->kind && a->step == b->step && (a->kind != CHOICE || a->value == b->value);
}

static void append_event(struct text *key, const struct event *event)
{
    text_printf(key, "%d:%p:%u ", (int)event->kind, (const void *)event->step,
                event->kind == CHOICE ? event->value : 0);
}

// Gives each look between at[lane] and end[lane] its key. All lanes of the group did `past` before.
static void make_keys(struct trace *lanes, size_t count, const char *past, size_t *at,
                      const size_t *end)
{
    OWNED(text_free) struct text common = {0};
    text_puts(&common, past);
    for (;;) { // as long as all do the same
        bool same = true;
        for (size_t l = 0; l < count && same; l++)
            same = at[l] < end[l] && same_event(&lanes[l].events[at[l]], &lanes[0].events[at[0]]);
        if (!same)
            break;
        bool all_leave = lanes[0].events[at[0]].kind == ENTER;
        for (size_t l = 0; l < count && all_leave; l++)
            all_leave = lanes[l].events[at[l]].value != 0;
        append_event(&common, &lanes[0].events[at[0]]);
        if (all_leave) { // inside they may go apart; at the merge block they are together
            OWNED(lit_free) size_t *inside = lit_alloc(count, sizeof(size_t));
            OWNED(lit_free) size_t *leave = lit_alloc(count, sizeof(size_t));
            for (size_t l = 0; l < count; l++) {
                leave[l] = lanes[l].events[at[l]].value;
                inside[l] = at[l] + 1;
            }
            make_keys(lanes, count, common.data, inside, leave);
            memcpy(at, leave, count * sizeof(size_t));
            continue; // with LEAVE, the same for all
        }
        for (size_t l = 0; l < count; l++) {
            struct event *event = &lanes[l].events[at[l]++];
            if (event->kind == LOOK)
                event->key = lit_strdup(common.data);
        }
    }
    for (size_t l = 0; l < count; l++) { // from here on each for itself
        OWNED(text_free) struct text own = {0};
        text_puts(&own, common.data ? common.data : "");
        for (; at[l] < end[l]; at[l]++) {
            append_event(&own, &lanes[l].events[at[l]]);
            if (lanes[l].events[at[l]].kind == LOOK)
                lanes[l].events[at[l]].key = lit_strdup(own.data);
        }
    }
}

static void keys_of_groups(struct trace *lanes, size_t count, size_t group)
{
    for (size_t start = 0; start < count; start += group) {
        OWNED(lit_free) size_t *at = lit_alloc(group, sizeof(size_t));
        OWNED(lit_free) size_t *end = lit_alloc(group, sizeof(size_t));
        for (size_t l = 0; l < group; l++)
            end[l] = lanes[start + l].count;
        make_keys(&lanes[start], group, "", at, end);
    }
}

static void add(uint32_t mask[4], uint32_t lane)
{
    mask[lane / 32] |= 1u << lane % 32;
}

// Adds to a cell what the looks of one other lane of the subgroup say of it.
static void compare_looks(struct masks_cell *cell, const struct event *mine,
                          const struct trace *other, uint32_t index)
{
    for (size_t e = 0; e < other->count; e++) {
        const struct event *theirs = &other->events[e];
        if (theirs->kind != LOOK || theirs->step != mine->step)
            continue;
        add(cell->upper, index);
        if (theirs->context == mine->context) {
            add(cell->want, index);
            if (theirs->arm == mine->arm)
                add(cell->alternative, index);
        }
        if (!strcmp(theirs->key, mine->key))
            add(cell->lower, index);
    }
}

// By how many ways through switches, at most 3, lanes of a subgroup came to where this look is.
static uint32_t count_arms(const struct event *mine, const struct trace *lanes, uint32_t subgroup)
{
    uint64_t arms[3];
    uint32_t count = 0;
    for (uint32_t l = 0; l < subgroup; l++) {
        for (size_t e = 0; e < lanes[l].count && count < 3; e++) {
            const struct event *theirs = &lanes[l].events[e];
            bool known = theirs->kind != LOOK || theirs->step != mine->step ||
                         theirs->context != mine->context;
            for (uint32_t i = 0; i < count && !known; i++)
                known = arms[i] == theirs->arm;
            if (!known)
                arms[count++] = theirs->arm;
        }
    }
    return count;
}

// The second definition of masks_simulate, for shapes without elections.
static void simulate_slowly(const struct masks_shape *shape, enum masks_rule rule, uint32_t count,
                            uint32_t subgroup, const uint32_t *words, struct masks_cell *cells)
{
    OWNED(lit_free) struct trace *lanes = lit_alloc(count, sizeof(*lanes));
    memset(cells, 0, sizeof(*cells) * count * shape->slots);
    for (uint32_t l = 0; l < count; l++) {
        lanes[l].lane =
            (struct masks_lane){.lane = l % subgroup, .subgroup = subgroup, .word = words[l]};
        lanes[l].numbers = lit_alloc(shape->slots, sizeof(uint32_t));
        alone(&lanes[l], shape->steps);
    }

    // The rule for subgroups holds beside the one for the workgroup, and implies it.
    keys_of_groups(lanes, count, rule == MASKS_SUBGROUP_UNIFORM ? subgroup : count);

    for (uint32_t l = 0; l < count; l++) {
        for (size_t e = 0; e < lanes[l].count; e++) {
            const struct event *mine = &lanes[l].events[e];
            if (mine->kind != LOOK)
                continue;
            struct masks_cell *cell = &cells[l * shape->slots + mine->value];
            *cell = (struct masks_cell){.executed = true};
            for (uint32_t i = 0; i < subgroup; i++)
                compare_looks(cell, mine, &lanes[l - l % subgroup + i], i);
            if (rule != MASKS_MAXIMAL)
                continue;
            const bool several = count_arms(mine, &lanes[l - l % subgroup], subgroup) > 2;
            memcpy(cell->lower, cell->alternative, sizeof(cell->lower));
            memcpy(cell->upper, cell->want, sizeof(cell->upper));
            if (!several) {
                memset(cell->lower, 0xff, sizeof(cell->lower));
                memset(cell->upper, 0, sizeof(cell->upper));
            }
        }
    }
    for (uint32_t l = 0; l < count; l++) {
        for (uint32_t slot = 0; slot < shape->slots; slot++) {
            const uint32_t number = lanes[l].numbers[slot];
            if (number)
                cells[l * shape->slots + slot] = (struct masks_cell){
                    true, {number - 1}, {number - 1}, {~0u, ~0u, ~0u, ~0u}, {0}};
        }
        free(lanes[l].numbers);
        for (size_t e = 0; e < lanes[l].count; e++)
            if (lanes[l].events[e].kind == LOOK)
                free(lanes[l].events[e].key);
        free(lanes[l].events);
    }
}

// Random shapes. Bits 0 to 15 of a word differ between lanes, 16 to 23 are the subgroup's, 24 to 31
// the workgroup's, so that all kinds of uniform control flow occur.

static uint32_t bit(const struct masks_lane *lane, uint32_t shift)
{
    const uint32_t turn = lane->iteration[0] * 3 + lane->iteration[1] * 5;
    return lane->word >> (shift + turn % 8) & 1;
}

static uint32_t lane_bit(const struct masks_lane *lane)
{
    return bit(lane, 0);
}

static uint32_t other_lane_bit(const struct masks_lane *lane)
{
    return bit(lane, 8);
}

static uint32_t subgroup_bit(const struct masks_lane *lane)
{
    return bit(lane, 16);
}

static uint32_t workgroup_bit(const struct masks_lane *lane)
{
    return bit(lane, 24);
}

static uint32_t selects(const struct masks_lane *lane)
{
    return lane->word >> 4 & 3;
}

static uint32_t selects_otherwise(const struct masks_lane *lane)
{
    return lane->word >> 9 & 3;
}

static uint32_t outer_trips(const struct masks_lane *lane)
{
    return lane->iteration[0] < (lane->word & 3);
}

static uint32_t inner_trips(const struct masks_lane *lane)
{
    return lane->iteration[1] < (lane->word >> (2 + lane->iteration[0]) & 3);
}

static uint32_t alike_outer_trips(const struct masks_lane *lane)
{
    return lane->iteration[0] < (lane->word >> 18 & 3);
}

static uint32_t alike_inner_trips(const struct masks_lane *lane)
{
    return lane->iteration[1] < (lane->word >> 20 & 3);
}

static uint32_t outer_again(const struct masks_lane *lane)
{
    return lane->iteration[0] + 1 < (lane->word & 3);
}

static uint32_t inner_again(const struct masks_lane *lane)
{
    return lane->iteration[1] + 1 < (lane->word >> 3 & 3);
}

struct maker {
    struct lit_random random;
    struct masks_step *made[256]; // lists, to be freed
    size_t lists;
    uint32_t slots;
    uint32_t loops, size; // loops around; steps so far
    bool in_switch, in_function;
};

static struct masks_step *make_list(struct maker *maker, unsigned depth);

static struct masks_step make_condition(struct maker *maker, unsigned depth)
{
    static masks_choice *const bits[] = {lane_bit, other_lane_bit, subgroup_bit, workgroup_bit};
    return (struct masks_step){
        .kind = MASKS_IF,
        .choose = bits[random_below(&maker->random, 4)],
        .body = make_list(maker, depth + 1),
        .other = random_below(&maker->random, 2) ? make_list(maker, depth + 1) : NULL};
}

static struct masks_step make_loop(struct maker *maker, unsigned depth)
{
    static masks_choice *const before[2][2] = {{outer_trips, alike_outer_trips},
                                               {inner_trips, alike_inner_trips}};
    static masks_choice *const after[2] = {outer_again, inner_again};
    const bool in_switch = maker->in_switch;
    struct masks_step step = {.kind = random_below(&maker->random, 3) ? MASKS_WHILE : MASKS_DO};
    const uint64_t which = random_below(&maker->random, 2);
    step.choose = step.kind == MASKS_DO ? after[maker->loops] : before[maker->loops][which];
    maker->loops++;
    maker->in_switch = false;
    step.body = make_list(maker, depth + 1);
    maker->in_switch = in_switch;
    maker->loops--;
    return step;
}

static struct masks_step make_switch(struct maker *maker, unsigned depth)
{
    const bool in_switch = maker->in_switch;
    struct masks_step *cases = lit_alloc(4, sizeof(*cases));
    maker->made[maker->lists++] = cases;
    maker->in_switch = true;
    const uint64_t count = 1 + random_below(&maker->random, 3);
    for (uint32_t i = 0; i < count; i++)
        cases[i] = (struct masks_step){.kind = MASKS_CASE,
                                       .value = i,
                                       .body = make_list(maker, depth + 1),
                                       .falls = random_below(&maker->random, 2) != 0,
                                       .is_default = i == 2 && random_below(&maker->random, 2)};
    cases[count - 1].falls = false;
    maker->in_switch = in_switch;
    return (struct masks_step){
        .kind = MASKS_SWITCH, .choose = depth % 2 ? selects : selects_otherwise, .body = cases};
}

static struct masks_step make_step(struct maker *maker, unsigned depth, bool last)
{
    const uint64_t kind = random_below(&maker->random, 10);
    if (depth < 4 && maker->size++ < 24) {
        if (kind < 3)
            return make_condition(maker, depth);
        if (kind < 5 && maker->loops < MASKS_DEPTH)
            return make_loop(maker, depth);
        if (kind == 5)
            return make_switch(maker, depth);
        if (kind == 6 && !maker->loops && !maker->in_switch && !maker->in_function) {
            maker->in_function = true;
            struct masks_step call = {.kind = MASKS_CALL, .body = make_list(maker, depth + 1)};
            maker->in_function = false;
            return call;
        }
    }
    if (last && depth && kind == 7 && maker->loops && random_below(&maker->random, 2))
        return (struct masks_step){.kind = MASKS_BREAK_LOOP};
    if (last && depth && kind == 7 && (maker->loops || maker->in_switch))
        return (struct masks_step){.kind = MASKS_BREAK};
    if (last && depth && kind == 8 && maker->loops)
        return (struct masks_step){.kind = MASKS_CONTINUE};
    if (last && depth && kind == 9)
        return (struct masks_step){.kind = MASKS_RETURN};
    maker->slots += 16;
    if (kind == 0)
        return (struct masks_step){
            .kind = MASKS_NUMBER, .name = "number", .slot = maker->slots - 16, .count = 1};
    return (struct masks_step){.kind = MASKS_LOOK,
                               .name = "here",
                               .slot = maker->slots - 16,
                               .by = {4, 1},
                               .count = 16,
                               .wrap = kind == 1 ? 3 : 0};
}

static struct masks_step *make_list(struct maker *maker, unsigned depth)
{
    const uint64_t count = 1 + random_below(&maker->random, 3);
    struct masks_step *list = lit_alloc(count + 1, sizeof(*list));
    maker->made[maker->lists++] = list;
    for (uint64_t i = 0; i < count; i++)
        list[i] = make_step(maker, depth, i + 1 == count);
    return list; // the last is MASKS_END, which is 0
}

static void assert_same_cells(const struct masks_cell *got, const struct masks_cell *want,
                              uint32_t lanes, uint32_t slots, const char *what, unsigned seed)
{
    for (uint32_t i = 0; i < lanes * slots; i++) {
        if (memcmp(&got[i], &want[i], sizeof(*got)))
            fail_msg("%s, shape %u, lane %u, slot %u: executed %d %d want %08x %08x alternative "
                     "%08x %08x lower %08x %08x upper %08x %08x",
                     what, seed, i / slots, i % slots, got[i].executed, want[i].executed,
                     got[i].want[0], want[i].want[0], got[i].alternative[0], want[i].alternative[0],
                     got[i].lower[0], want[i].lower[0], got[i].upper[0], want[i].upper[0]);
    }
}

static void try_random_shape(unsigned seed, uint32_t lanes, uint32_t subgroup)
{
    static const char *const rules[] = {"default", "subgroup-uniform", "maximal"};
    struct maker maker = {.random = {seed}};
    struct masks_shape shape = {.steps = make_list(&maker, 0)};
    shape.slots = maker.slots ? maker.slots : 1;

    uint32_t words[MASKS_LANES];
    const uint32_t shared = (uint32_t)random_next(&maker.random) & 0xff000000u;
    uint32_t own = 0;
    for (uint32_t l = 0; l < lanes; l++) {
        if (l % subgroup == 0)
            own = (uint32_t)random_next(&maker.random) & 0xff0000u;
        // Few different words, so that several lanes go the same way.
        words[l] = shared | own | ((uint32_t)random_below(&maker.random, 4) * 0x5bd1u & 0xffffu);
    }

    OWNED(lit_free) struct masks_cell *got = lit_alloc((size_t)lanes * shape.slots, sizeof(*got));
    OWNED(lit_free) struct masks_cell *want = lit_alloc((size_t)lanes * shape.slots, sizeof(*want));
    for (enum masks_rule rule = MASKS_DEFAULT; rule <= MASKS_MAXIMAL; rule++) {
        masks_simulate(&shape, rule, lanes, subgroup, words, got);
        simulate_slowly(&shape, rule, lanes, subgroup, words, want);
        assert_same_cells(got, want, lanes, shape.slots, rules[rule], seed);
    }
    for (size_t i = 0; i < maker.lists; i++)
        free(maker.made[i]);
}

TEST(random_shapes)
{
    for (unsigned seed = 0; seed < 400; seed++)
        try_random_shape(seed, 16, seed % 3 ? 4 : 8);
    for (unsigned seed = 400; seed < 440; seed++)
        try_random_shape(seed, 64, seed % 2 ? 32 : 64);
    for (unsigned seed = 440; seed < 446; seed++)
        try_random_shape(seed, 256, 128);
}
