// SPDX-License-Identifier: Apache-2.0
// The simulator of structured control flow. It walks a shape with the set of lanes that execute
// each step under maximal reconvergence, and also tracks which lanes took the same path.
#include "generate/masks.h"

#include "base/random.h"
#include "base/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SET_WORDS = MASKS_LANES / 64, ELECTED = 255, NOT_ELECTED = 240 };

struct set {
    uint64_t bits[SET_WORDS];
};

// The groups in the uniform control flow rule: all lanes of a subgroup, or of a workgroup.
enum scope { SUBGROUP, WORKGROUP, SCOPES };

struct walk {
    const struct masks_shape *shape;
    enum masks_rule rule;
    uint32_t lanes, subgroup;
    const uint32_t *words;
    struct masks_cell *cells;
    uint32_t depth; // number of enclosing loops
    uint32_t iteration[MASKS_DEPTH];
    // Identifies the path that a lane took since its group was last together. Lanes that were
    // together and have the same number still are.
    uint64_t way[SCOPES][MASKS_LANES];
    // Lanes of one tangle with different numbers reached a case of a switch by different selectors.
    uint64_t apart[MASKS_LANES];
    struct set *ever; // by a place's first slot: the lanes that executed it in any iteration
};

// Destinations of lanes that leave a list of steps before its end.
struct exits {
    struct set *broke, *continued, *returned;
    struct set *left; // leaving the loop, even from a switch inside it
};

static bool set_has(const struct set *set, uint32_t lane)
{
    return set->bits[lane / 64] >> lane % 64 & 1;
}

static void set_add(struct set *set, uint32_t lane)
{
    set->bits[lane / 64] |= UINT64_C(1) << lane % 64;
}

// The set's first lane at or after `lane`; MASKS_LANES if there is none.
static uint32_t set_next(const struct set *set, uint32_t lane)
{
    uint64_t above = UINT64_MAX << lane % 64;
    for (uint32_t i = lane / 64; i < SET_WORDS; i++, above = UINT64_MAX) {
        if (set->bits[i] & above)
            return i * 64 + (uint32_t)__builtin_ctzll(set->bits[i] & above);
    }
    return MASKS_LANES;
}

// Iterates over a set's lanes in ascending order.
#define each_lane(lane, set)                                                                       \
    for (uint32_t lane = set_next(set, 0); lane < MASKS_LANES; lane = set_next(set, lane + 1))

// The lanes of the subgroup that starts at `start`, as a mask.
static void set_mask(const struct set *set, uint32_t start, uint32_t subgroup, uint32_t mask[4])
{
    memset(mask, 0, 4 * sizeof(*mask));
    for (uint32_t i = 0; i < subgroup; i += 32) {
        const uint32_t lane = start + i, count = subgroup - i < 32 ? subgroup - i : 32;
        const uint64_t bits = set->bits[lane / 64] >> lane % 64;
        mask[i / 32] = (uint32_t)(bits & ((UINT64_C(1) << count) - 1));
    }
}

static struct set set_union(struct set a, struct set b)
{
    for (uint32_t i = 0; i < SET_WORDS; i++)
        a.bits[i] |= b.bits[i];
    return a;
}

static struct set set_without(struct set a, struct set b)
{
    for (uint32_t i = 0; i < SET_WORDS; i++)
        a.bits[i] &= ~b.bits[i];
    return a;
}

static bool set_empty(const struct set *set)
{
    return set_next(set, 0) == MASKS_LANES;
}

// Paths matter only to what is stored.
static bool tracks(const struct walk *walk)
{
    return walk->shape->slots > 0;
}

static uint64_t mix(uint64_t way, uint64_t turn)
{
    return random_next(&(struct lit_random){way ^ turn});
}

static uint32_t group_size(const struct walk *walk, enum scope scope)
{
    return scope == SUBGROUP ? walk->subgroup : walk->lanes;
}

// The lanes in uniform control flow: their whole group is here and took the same path.
static struct set uniform(const struct walk *walk, enum scope scope, const struct set *here)
{
    struct set all = {0};
    const uint32_t size = group_size(walk, scope);
    for (uint32_t start = 0; start < walk->lanes; start += size) {
        bool together = true;
        for (uint32_t lane = start; lane < start + size && together; lane++)
            together = set_has(here, lane) && walk->way[scope][lane] == walk->way[scope][start];
        for (uint32_t lane = start; lane < start + size && together; lane++)
            set_add(&all, lane);
    }
    return all;
}

// A selection or loop being executed, with the groups that entered it in uniform control flow.
struct construct {
    struct set uniform[SCOPES];
};

static struct construct enter(const struct walk *walk, const struct set *here)
{
    struct construct construct = {0};
    for (enum scope scope = 0; scope < SCOPES && tracks(walk); scope++)
        construct.uniform[scope] = uniform(walk, scope, here);
    return construct;
}

// At the merge block, a group that entered in uniform control flow and left completely through the
// merge block is in uniform control flow again. All others keep their paths.
static void merge(struct walk *walk, const struct construct *construct, const struct set *here)
{
    for (enum scope scope = 0; scope < SCOPES && tracks(walk); scope++) {
        const uint32_t size = group_size(walk, scope);
        for (uint32_t start = 0; start < walk->lanes; start += size) {
            bool all = set_has(&construct->uniform[scope], start);
            for (uint32_t lane = start; lane < start + size && all; lane++)
                all = set_has(here, lane);
            const uint64_t way = walk->way[scope][start];
            for (uint32_t lane = start; lane < start + size && all; lane++)
                walk->way[scope][lane] = way;
        }
    }
}

static void mask_add(uint32_t mask[4], uint32_t lane)
{
    mask[lane / 32] |= 1u << lane % 32;
}

static uint32_t mask_first(const uint32_t mask[4])
{
    uint32_t lane = 0;
    while (!(mask[lane / 32] >> lane % 32 & 1))
        lane++;
    return lane;
}

// Evaluates the choice of each lane in `here`, and adds it to the lane's path.
static void choose(struct walk *walk, const struct masks_step *step, const struct set *here,
                   uint32_t *choice)
{
    uint32_t first = 0, start = MASKS_LANES, tangle[4] = {0};
    each_lane (lane, here) {
        if (lane - lane % walk->subgroup != start) {
            first = lane;
            start = lane - lane % walk->subgroup;
            set_mask(here, start, walk->subgroup, tangle);
        }
        struct masks_lane view = {
            .lane = lane % walk->subgroup,
            .subgroup = walk->subgroup,
            .word = walk->words[lane],
            .first = first % walk->subgroup,
            .first_word = walk->words[first],
            .words = &walk->words[start],
            .argument = step->argument,
            .group_word = walk->words[0],
            .ordinal = start / walk->subgroup,
        };
        if (walk->shape->numbers) {
            view.numbers = &walk->shape->numbers[lane * walk->shape->number_count];
            view.truths = walk->shape->truths[lane];
        }
        memcpy(view.tangle, tangle, sizeof(tangle));
        memcpy(view.iteration, walk->iteration, sizeof(view.iteration));
        choice[lane] = step->choose(&view);
        for (enum scope scope = 0; scope < SCOPES && tracks(walk); scope++)
            walk->way[scope][lane] = mix(walk->way[scope][lane], choice[lane]);
    }
}

static struct set chosen(const struct set *here, const uint32_t *choice)
{
    struct set set = {0};
    each_lane (lane, here) {
        if (choice[lane])
            set_add(&set, lane);
    }
    return set;
}

// The number of classes, at most 3, of the subgroup's lanes that must stay together.
static uint32_t count_classes(const struct walk *walk, const struct set *here, uint32_t start)
{
    uint64_t seen[3];
    uint32_t count = 0;
    for (uint32_t lane = start; lane < start + walk->subgroup && count < 3; lane++) {
        bool known = !set_has(here, lane);
        for (uint32_t i = 0; i < count && !known; i++)
            known = seen[i] == walk->apart[lane];
        if (!known)
            seen[count++] = walk->apart[lane];
    }
    return count;
}

// The slot that a place uses in this iteration.
static uint32_t slot_of(const struct walk *walk, const struct masks_step *step)
{
    uint32_t place = 0;
    for (uint32_t d = 0; d < MASKS_DEPTH; d++)
        place += walk->iteration[d] * step->by[d];
    const uint32_t slot = step->slot + (step->wrap ? place % step->wrap : place);
    assert(slot < step->slot + step->count && slot < walk->shape->slots);
    return slot;
}

// Whether the two lanes are indistinguishable by path and selector.
static bool alike(const struct walk *walk, uint32_t a, uint32_t b)
{
    return a / walk->subgroup == b / walk->subgroup && walk->apart[a] == walk->apart[b] &&
           walk->way[WORKGROUP][a] == walk->way[WORKGROUP][b] &&
           walk->way[SUBGROUP][a] == walk->way[SUBGROUP][b];
}

// The mask that a lane sees under maximal reconvergence, and its lower bound.
static struct masks_cell seen_by(const struct walk *walk, const struct set *here, uint32_t lane)
{
    struct masks_cell cell = {.executed = true};
    const uint32_t start = lane - lane % walk->subgroup;
    set_mask(here, start, walk->subgroup, cell.want);
    for (uint32_t i = 0; i < walk->subgroup; i++) {
        const uint32_t other = start + i;
        if (!set_has(here, other))
            continue;
        if (walk->apart[other] == walk->apart[lane])
            mask_add(cell.alternative, i);
        const bool together = walk->way[WORKGROUP][other] == walk->way[WORKGROUP][lane] ||
                              (walk->rule != MASKS_DEFAULT &&
                               walk->way[SUBGROUP][other] == walk->way[SUBGROUP][lane]);
        if (together)
            mask_add(cell.lower, i);
    }
    if (walk->rule == MASKS_MAXIMAL) {
        const bool several = count_classes(walk, here, start) > 2;
        for (uint32_t i = 0; i < 4; i++) {
            cell.lower[i] = several ? cell.alternative[i] : UINT32_MAX;
            cell.upper[i] = several ? cell.want[i] : 0;
        }
    }
    return cell;
}

static void look(struct walk *walk, const struct masks_step *step, const struct set *here)
{
    const uint32_t slot = slot_of(walk, step), slots = walk->shape->slots;
    uint32_t before = MASKS_LANES; // the previous lane
    each_lane (lane, here) {
        struct masks_cell *cell = &walk->cells[lane * slots + slot];
        if (before != MASKS_LANES && alike(walk, before, lane))
            *cell = walk->cells[before * slots + slot];
        else
            *cell = seen_by(walk, here, lane);
        before = lane;
    }
    walk->ever[step->slot] = set_union(walk->ever[step->slot], *here);
}

// A lane's own iteration is never left open by a rule.
static void number(struct walk *walk, const struct masks_step *step, const struct set *here)
{
    const uint32_t iteration = walk->depth ? walk->iteration[walk->depth - 1] : 0;
    each_lane (lane, here)
        walk->cells[lane * walk->shape->slots + step->slot] =
            (struct masks_cell){.executed = true, .want = {iteration}, .alternative = {iteration}};
}

static struct set run(struct walk *walk, const struct masks_step *steps, struct set here,
                      const struct exits *exits);

static struct set run_if(struct walk *walk, const struct masks_step *step, struct set here,
                         const struct exits *exits)
{
    uint32_t choice[MASKS_LANES];
    const struct construct construct = enter(walk, &here);
    choose(walk, step, &here, choice);
    const struct set yes = chosen(&here, choice), no = set_without(here, yes);
    const struct set out =
        set_union(run(walk, step->body, yes, exits), run(walk, step->other, no, exits));
    merge(walk, &construct, &out);
    return out;
}

// Executes iterations in sequence: invocations that entered the loop together and remain in it are
// together at each continue target, so iteration n is the same for all.
static struct set run_loop(struct walk *walk, const struct masks_step *step, struct set here,
                           const struct exits *outer)
{
    uint32_t choice[MASKS_LANES];
    const struct construct construct = enter(walk, &here);
    struct set broke = {0};
    assert(walk->depth < MASKS_DEPTH);
    uint32_t *iteration = &walk->iteration[walk->depth++];

    for (*iteration = 0; !set_empty(&here); (*iteration)++) {
        assert(*iteration < 2 * MASKS_LANES);
        if (step->kind == MASKS_WHILE && step->choose) {
            choose(walk, step, &here, choice);
            const struct set on = chosen(&here, choice);
            broke = set_union(broke, set_without(here, on));
            here = on;
        }
        struct set continued = {0};
        const struct exits exits = {&broke, &continued, outer->returned, &broke};
        here = set_union(run(walk, step->body, here, &exits), continued);
        here = run(walk, step->other, here, &(struct exits){.returned = outer->returned});
        if (step->kind == MASKS_DO) {
            choose(walk, step, &here, choice);
            const struct set on = chosen(&here, choice);
            broke = set_union(broke, set_without(here, on));
            here = on;
        }
    }

    *iteration = 0;
    walk->depth--;
    merge(walk, &construct, &broke);
    return broke;
}

// Lanes with the same selector stay together. Lanes with different selectors that reach the same
// case, directly or by falling through, may form one tangle or several: `apart` distinguishes them.
static struct set run_switch(struct walk *walk, const struct masks_step *step, struct set here,
                             const struct exits *exits)
{
    uint32_t choice[MASKS_LANES] = {0};
    uint64_t outer[MASKS_LANES];
    const struct construct construct = enter(walk, &here);
    memcpy(outer, walk->apart, sizeof(outer));
    choose(walk, step, &here, choice);

    struct set left = here, falling = {0}, out = {0};
    for (const struct masks_step *one = step->body; one->kind == MASKS_CASE; one++) {
        struct set taken = falling, others = {0};
        each_lane (lane, &left) {
            const bool mine = one->is_default || choice[lane] == one->value;
            walk->apart[lane] = mix(outer[lane], choice[lane]);
            set_add(mine ? &taken : &others, lane);
        }
        left = others;
        // A break inside a switch leaves the switch.
        const struct exits inner = {&out, exits->continued, exits->returned, exits->left};
        const struct set ended = run(walk, one->body, taken, &inner);
        falling = one->falls ? ended : (struct set){0};
        if (!one->falls)
            out = set_union(out, ended);
    }
    out = set_union(out, set_union(left, falling)); // without a default: to the merge block
    memcpy(walk->apart, outer, sizeof(outer));
    merge(walk, &construct, &out);
    return out;
}

// Under maximal reconvergence, the invocations of a call are together again after it. The other
// rules do not reunite lanes that returned on different paths.
static struct set run_call(struct walk *walk, const struct masks_step *step, struct set here)
{
    struct set returned = {0};
    const struct exits exits = {.returned = &returned};
    const struct set ended = run(walk, step->body, here, &exits);
    return set_union(ended, returned);
}

// Walks `here` through a list of steps; returns the lanes that reach its end.
static struct set run(struct walk *walk, const struct masks_step *steps, struct set here,
                      const struct exits *exits)
{
    for (const struct masks_step *step = steps; step && step->kind != MASKS_END; step++) {
        if (set_empty(&here))
            break;
        struct set *exit = NULL;
        switch (step->kind) {
        case MASKS_IF:
            here = run_if(walk, step, here, exits);
            break;
        case MASKS_WHILE:
        case MASKS_DO:
            here = run_loop(walk, step, here, exits);
            break;
        case MASKS_SWITCH:
            here = run_switch(walk, step, here, exits);
            break;
        case MASKS_CALL:
            here = run_call(walk, step, here);
            break;
        case MASKS_LOOK:
        case MASKS_ELECT:
            look(walk, step, &here);
            break;
        case MASKS_NUMBER:
            number(walk, step, &here);
            break;
        case MASKS_ACT:
            if (walk->shape->act)
                walk->shape->act(step, here.bits, walk->iteration, walk->shape->user);
            break;
        case MASKS_BREAK_LOOP:
            exit = exits->left;
            break;
        case MASKS_BREAK:
            exit = exits->broke;
            break;
        case MASKS_CONTINUE:
            exit = exits->continued;
            break;
        case MASKS_RETURN:
            exit = exits->returned;
            break;
        case MASKS_CASE:
        case MASKS_END:
            assert(!"a step out of place");
        }
        if (exit) {
            *exit = set_union(*exit, here);
            return (struct set){0};
        }
    }
    return here;
}

static bool stores(const struct masks_step *step)
{
    return step->kind == MASKS_LOOK || step->kind == MASKS_ELECT || step->kind == MASKS_NUMBER;
}

static const struct masks_step *find_place(const struct masks_step *steps, uint32_t slot)
{
    for (const struct masks_step *step = steps; step && step->kind != MASKS_END; step++) {
        if (stores(step)) {
            if (slot >= step->slot && slot < step->slot + step->count)
                return step;
            continue;
        }
        const struct masks_step *found = find_place(step->body, slot);
        if (!found)
            found = find_place(step->other, slot);
        if (found)
            return found;
    }
    return NULL;
}

// The result of OpGroupNonUniformElect, from the masks that the lane may see: 255 for the lowest
// lane of the tangle, 240 for others. If the rule permits two tangles, joined or not, either's
// result is allowed; if it bounds the tangle, the lane is certainly elected if no lower lane may be
// in it, and certainly not if a lower lane must be.
static void elect(enum masks_rule rule, uint32_t own, struct masks_cell *cell)
{
    const bool by_want = mask_first(cell->want) == own;
    bool other = mask_first(cell->alternative) == own;
    if (rule != MASKS_MAXIMAL) {
        const bool may = mask_first(cell->lower) == own, must = mask_first(cell->upper) == own;
        other = may && !must ? !by_want : by_want;
    }
    *cell = (struct masks_cell){.executed = true,
                                .want = {by_want ? ELECTED : NOT_ELECTED},
                                .alternative = {other ? ELECTED : NOT_ELECTED}};
    memset(cell->lower, 0xff, sizeof(cell->lower));
}

// Fills in the upper bounds, which are known only at the end, and the elections.
static void finish(const struct walk *walk)
{
    for (uint32_t slot = 0; slot < walk->shape->slots; slot++) {
        const struct masks_step *place = find_place(walk->shape->steps, slot);
        if (!place) // nothing stores to this slot
            continue;
        for (uint32_t lane = 0; lane < walk->lanes; lane++) {
            struct masks_cell *cell = &walk->cells[lane * walk->shape->slots + slot];
            const uint32_t own = lane % walk->subgroup, start = lane - own;
            if (!cell->executed)
                continue;
            if (place->kind == MASKS_NUMBER) {
                memset(cell->lower, 0xff, sizeof(cell->lower));
                continue;
            }
            if (walk->rule != MASKS_MAXIMAL)
                set_mask(&walk->ever[place->slot], start, walk->subgroup, cell->upper);
            if (place->kind == MASKS_ELECT)
                elect(walk->rule, own, cell);
        }
    }
}

void masks_simulate(const struct masks_shape *shape, enum masks_rule rule, uint32_t lanes,
                    uint32_t subgroup, const uint32_t *words, struct masks_cell *cells)
{
    assert(lanes <= MASKS_LANES && subgroup <= 128 && lanes % subgroup == 0);
    OWNED(lit_free) struct walk *walk = lit_alloc(1, sizeof(*walk));
    *walk = (struct walk){
        .shape = shape,
        .rule = rule,
        .lanes = lanes,
        .subgroup = subgroup,
        .words = words,
        .cells = cells,
        .ever = lit_alloc(shape->slots, sizeof(struct set)),
    };
    memset(cells, 0, sizeof(*cells) * lanes * shape->slots);

    struct set all = {0}, returned = {0};
    for (uint32_t lane = 0; lane < lanes; lane++)
        set_add(&all, lane);
    run(walk, shape->steps, all, &(struct exits){.returned = &returned});
    finish(walk);

    free(walk->ever);
}

void masks_describe(const struct masks_shape *shape, uint32_t slot, char *text, size_t size)
{
    const struct masks_step *place = find_place(shape->steps, slot);
    if (!place) {
        snprintf(text, size, "slot %u", slot);
        return;
    }
    uint32_t rest = slot - place->slot, length = 0;
    text[0] = '\0';
    length = (uint32_t)snprintf(text, size, "%s", place->name);
    for (uint32_t d = 0; d < MASKS_DEPTH; d++) {
        if (!place->by[d])
            continue;
        const uint32_t iteration = rest / place->by[d];
        rest -= iteration * place->by[d];
        if (length < size)
            length += (uint32_t)snprintf(text + length, size - length, "%s %u",
                                         d ? ", inner iteration" : ", iteration", iteration);
    }
    if (place->wrap && length < size)
        snprintf(text + length, size - length, " modulo %u", place->wrap);
}
