// SPDX-License-Identifier: Apache-2.0
#include "isa/apart.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define ALWAYS     7  // PT
#define EVERYONE   16 // the closer that is WARPSYNC for all lanes
#define MATTERS    17 // of what is ahead: an exchange, or a place to wait
#define KEPT_APART 24 // states of a node beyond which predicates are not told apart
#define NOT_SAVED  255
#define BARRIERS   17

enum { ENTER, FOLLOW, SURVIVE };

static uint32_t ahead_at_start(const struct sass_code *code, const struct flow_node *node,
                               uint32_t ahead)
{
    for (size_t i = node->end; i-- > node->first;) {
        const struct sass_insn *insn = &code->insns[i];
        const uint32_t bit = insn->barrier >= 0 && insn->barrier < 16 ? 1u << insn->barrier : 0;
        if (insn->op == SASS_BSYNC)
            ahead |= bit;
        else if (insn->op == SASS_BSSY && insn->guard == ALWAYS && !insn->guard_negated)
            ahead &= ~bit;
        else if (insn->op == SASS_BMOV)
            ahead |= 0xffff; // a barrier that is kept may come back
        if (insn->op == SASS_WARPSYNC || sass_is_exchange(insn->op))
            ahead |= 1u << MATTERS;
        if (insn->op == SASS_WARPSYNC && apart_names_all(insn))
            ahead |= 1u << EVERYONE;
    }
    return ahead;
}

// A lane that will come to no BSYNC of a barrier any more has left it, with or without BREAK.
static bool look_ahead(struct apart *apart)
{
    const struct flow *flow = apart->flow;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = flow->count; i-- > 0;) {
            uint32_t ahead = 0;
            for (int way = 0; way < FLOW_WAYS; way++)
                if (flow->nodes[i].next[way] != FLOW_NONE)
                    ahead |= apart->ahead[flow->nodes[i].next[way]];
            ahead = ahead_at_start(apart->code, &flow->nodes[i], ahead);
            changed |= ahead != apart->ahead[i];
            apart->ahead[i] = ahead;
            apart->work += flow->nodes[i].end - flow->nodes[i].first;
        }
        if (apart->work > apart->limit)
            return false;
    }
    return true;
}

bool apart_open(struct apart *apart, const struct sass_code *code, const struct flow *flow,
                uint64_t limit)
{
    *apart = (struct apart){.code = code, .flow = flow, .limit = limit};
    apart->newest = lit_alloc(flow->count, sizeof(*apart->newest));
    apart->amounts = lit_alloc(flow->count, sizeof(*apart->amounts));
    apart->meets = lit_alloc(flow->count, sizeof(*apart->meets));
    apart->ends = lit_alloc(flow->count, sizeof(*apart->ends));
    apart->touched = lit_alloc(flow->count, sizeof(*apart->touched));
    apart->ahead = lit_alloc(flow->count, sizeof(*apart->ahead));
    for (size_t i = 0; i < flow->count; i++)
        apart->newest[i] = APART_NONE;
    return look_ahead(apart);
}

void apart_close(struct apart *apart)
{
    free(apart->states);
    free(apart->newest);
    free(apart->amounts);
    free(apart->meets);
    free(apart->ends);
    free(apart->touched);
    free(apart->ahead);
    free(apart->hits);
    *apart = (struct apart){0};
}

static void forget(struct apart *apart)
{
    for (size_t i = 0; i < apart->touched_count; i++) {
        const size_t node = apart->touched[i];
        apart->newest[node] = APART_NONE;
        apart->amounts[node] = 0;
        apart->meets[node] = 0;
        apart->ends[node] = false;
    }
    apart->touched_count = apart->count = apart->hit_count = 0;
    for (int i = 0; i < BARRIERS; i++)
        apart->closers[i] = SASS_NOWHERE;
}

static bool same(const struct apart_state *a, const struct apart_state *b)
{
    return a->place == b->place && a->asked == b->asked && a->rounds == b->rounds &&
           a->met == b->met && a->open == b->open && a->side == b->side && a->known == b->known &&
           a->values == b->values && memcmp(a->saved, b->saved, sizeof(a->saved)) == 0;
}

static void leave_barrier(struct apart *apart, struct apart_state *state, unsigned barrier)
{
    if (state->open >> barrier & 1 && apart->mode == FOLLOW)
        apart->broken |= 1u << barrier;
    state->open &= (uint16_t) ~(1u << barrier);
}

// A state at the start of a node, if it is new.
static void arrive(struct apart *apart, size_t node, struct apart_state state)
{
    const uint32_t ahead = apart->ahead[node], gone = state.open & ~ahead;
    for (unsigned i = 0; gone && ahead >> MATTERS && i < 16; i++)
        if (gone >> i & 1)
            leave_barrier(apart, &state, i);
    if (apart->mode == FOLLOW && ahead >> MATTERS && !(ahead >> EVERYONE & 1))
        apart->broken |= 1u << EVERYONE;
    if (apart->amounts[node] >= KEPT_APART)
        state.known = state.values = 0;
    for (uint32_t i = apart->newest[node]; i != APART_NONE; i = apart->states[i].older) {
        apart->work++;
        if (same(&apart->states[i], &state))
            return;
    }
    if (apart->count == apart->capacity) {
        apart->capacity = apart->capacity * 2 + 64;
        apart->states = lit_realloc(apart->states, apart->capacity, sizeof(*apart->states));
    }
    if (apart->newest[node] == APART_NONE)
        apart->touched[apart->touched_count++] = node;
    state.node = (uint32_t)node;
    state.depth = state.parent == APART_NONE ? 1 : apart->states[state.parent].depth + 1;
    state.older = apart->newest[node];
    apart->newest[node] = (uint32_t)apart->count;
    apart->amounts[node]++;
    apart->states[apart->count++] = state;
}

// A lane for which the guard holds, or does not; false if the lane is known to be the other sort.
static bool learn(const struct apart *apart, const struct sass_insn *insn, bool holds,
                  struct apart_state *state)
{
    if (insn->guard == ALWAYS)
        return holds != insn->guard_negated;
    if (insn->guard_uniform || !apart->code->operands)
        return true;
    const uint8_t bit = (uint8_t)(1u << insn->guard);
    const bool value = holds != insn->guard_negated;
    if (state->known & bit)
        return !(state->values & bit) != value;
    state->known |= bit;
    if (value)
        state->values |= bit;
    return true;
}

static int first_of(const uint64_t *bits, int words)
{
    for (int i = 0; i < words; i++)
        if (bits[i])
            return i * 64 + __builtin_ctzll(bits[i]);
    return -1;
}

// BMOV: to a register, or back. Without operands a barrier that is moved is as good as left.
static void move_barrier(struct apart *apart, struct apart_state *state,
                         const struct sass_insn *insn)
{
    const uint64_t reads = insn->reads.b, writes = insn->writes.b;
    if (!apart->code->operands || (!reads && !writes)) {
        for (unsigned i = 0; i < 16; i++)
            leave_barrier(apart, state, i);
        return;
    }
    if (!reads) {
        const unsigned barrier = (unsigned)first_of(&writes, 1);
        const int from = first_of(insn->reads.r, 4);
        bool held = false;
        for (int i = 0; i < APART_SAVED; i++)
            held |= from >= 0 && from != NOT_SAVED && state->saved[i] == from;
        if (held)
            state->open |= (uint16_t)(1u << barrier);
        else
            leave_barrier(apart, state, barrier);
        if (!held && apart->mode == FOLLOW && (apart->first >> barrier & 1))
            apart->broken |= 1u << barrier;
        return;
    }
    const unsigned barrier = (unsigned)first_of(&reads, 1);
    const int to = first_of(insn->writes.r, 4);
    const bool open = state->open >> barrier & 1;
    for (int i = 0; i < APART_SAVED && open && to >= 0; i++)
        if (state->saved[i] == NOT_SAVED) {
            state->saved[i] = (uint8_t)to;
            break;
        }
    if (insn->text && strstr(insn->text, ".CLEAR"))
        state->open &= (uint16_t) ~(1u << barrier);
}

static void forget_written(struct apart_state *state, const struct sass_insn *insn)
{
    if (insn->flags & SASS_UNKNOWN) {
        state->known = state->values = 0;
        memset(state->saved, NOT_SAVED, sizeof(state->saved));
        return;
    }
    state->known &= (uint8_t)~insn->writes.p;
    state->values &= state->known;
    for (int i = 0; i < APART_SAVED; i++) {
        const uint8_t reg = state->saved[i];
        if (reg != NOT_SAVED && insn->writes.r[reg / 64] >> (reg % 64) & 1)
            state->saved[i] = NOT_SAVED;
    }
}

// What a lane that executes it has behind it. BSYNC and WARPSYNC are not here: they end nodes.
static void execute(struct apart *apart, struct apart_state *state, const struct sass_insn *insn)
{
    forget_written(state, insn);
    const bool named = insn->barrier >= 0 && insn->barrier < 16;
    if (insn->op == SASS_BSSY && named) {
        leave_barrier(apart, state, (unsigned)insn->barrier);
        if (apart->mode == ENTER)
            state->open |= (uint16_t)(1u << insn->barrier);
    } else if (insn->op == SASS_BREAK && named) {
        leave_barrier(apart, state, (unsigned)insn->barrier);
    } else if (insn->op == SASS_BMOV) {
        move_barrier(apart, state, insn);
    }
}

struct apart_state apart_before_last(const struct apart *apart, size_t state)
{
    struct apart quiet = *apart; // what is left here has been counted already
    struct apart_state at = apart->states[state];
    const struct flow_node *node = &apart->flow->nodes[at.node];
    for (size_t i = node->first; i + 1 < node->end; i++)
        if (!flow_is_never(&apart->code->insns[i]))
            execute(&quiet, &at, &apart->code->insns[i]);
    return at;
}

// A lane waits for others at the end of `node`, of barrier `barrier` or EVERYONE, and goes on at
// `place`. True if its way ends here: all that parted are together.
static bool wait_for(struct apart *apart, size_t node, struct apart_state *state, unsigned barrier,
                     uint32_t place)
{
    const bool concerned = barrier == EVERYONE || (state->open >> barrier & 1);
    if (barrier != EVERYONE)
        state->open &= (uint16_t) ~(1u << barrier);
    if (apart->mode != FOLLOW || !concerned)
        return false;
    if (!(apart->broken >> barrier & 1)) {
        if (apart->closers[barrier] == SASS_NOWHERE)
            apart->closers[barrier] = place;
        if (apart->closers[barrier] == place) {
            apart->meets[node] = 3;
            apart->ends[node] = true;
            return true;
        }
        apart->broken |= 1u << barrier; // they wait in several places: together in none for sure
    }
    apart->meets[node] |= (uint8_t)(1u << state->side);
    state->asked = APART_NONE;
    // Whoever waits for all may go on because others wait for all elsewhere.
    if (barrier != EVERYONE)
        state->place = place;
    return false;
}

// Whoever is sent to a WARPSYNC by a BRA.CONV waits for those that the same BRA.CONV may find
// together at once: lanes of one mask all go one of these ways.
static void wait_by_mask(struct apart *apart, size_t node, struct apart_state *state,
                         uint32_t place)
{
    if (apart->mode != FOLLOW)
        return;
    apart->meets[node] |= (uint8_t)(1u << state->side);
    state->place = state->asked != APART_NONE ? state->asked : place;
    state->asked = APART_NONE;
}

bool apart_names_all(const struct sass_insn *insn)
{
    const char *text = insn->text ? insn->text : "";
    if (insn->op == SASS_WARPSYNC)
        return strstr(text, "WARPSYNC.ALL") || strstr(text, "0xffffffff");
    return strstr(text, "~URZ") != NULL;
}

static void go(struct apart *apart, const struct flow_node *node, int way,
               const struct apart_state *state)
{
    if (node->next[way] != FLOW_NONE)
        arrive(apart, node->next[way], *state);
}

// BRA.CONV is taken, and BRA.DIV is not, where the lanes that it names are together.
static void leave_asking(struct apart *apart, size_t index, const struct sass_insn *last,
                         const struct apart_state *state)
{
    const struct flow_node *node = &apart->flow->nodes[index];
    const int together = last->flags & SASS_CONVERGED ? FLOW_TAKEN : FLOW_FALL;
    for (int way = 0; way < FLOW_WAYS; way++) {
        struct apart_state out = *state;
        if (node->next[way] == FLOW_NONE || (way == FLOW_TAKEN && !learn(apart, last, true, &out)))
            continue;
        // With a guard it falls through where it was not asked, too.
        const bool sure = way == FLOW_TAKEN || !flow_is_conditional(last);
        if (way == together && sure) {
            if (apart_names_all(last) && apart->mode == FOLLOW) {
                apart->meets[index] = 3;
                apart->ends[index] = true;
                continue;
            }
            out.asked = APART_NONE;
            wait_by_mask(apart, index, &out, last->address);
        } else {
            out.asked = last->address;
        }
        go(apart, node, way, &out);
    }
}

static void leave_waiting(struct apart *apart, size_t index, const struct sass_insn *last,
                          const struct apart_state *state)
{
    const struct flow_node *node = &apart->flow->nodes[index];
    struct apart_state out = *state;
    if (flow_is_conditional(last) && learn(apart, last, false, &out))
        go(apart, node, FLOW_FALL, &out);
    out = *state;
    if (!learn(apart, last, true, &out)) {
        if (!flow_is_conditional(last)) // never executed
            go(apart, node, FLOW_FALL, state);
        return;
    }
    for (int way = 0; way < FLOW_WAYS; way++) {
        if (node->next[way] == FLOW_NONE)
            continue;
        struct apart_state waited = out;
        bool ended = false;
        if (last->op == SASS_WARPSYNC && !apart_names_all(last))
            wait_by_mask(apart, index, &waited, last->address);
        else if (last->op == SASS_WARPSYNC)
            ended = wait_for(apart, index, &waited, EVERYONE, last->address);
        else if (last->barrier >= 0 && last->barrier < 16)
            ended = wait_for(apart, index, &waited, (unsigned)last->barrier, last->address);
        if (!ended)
            go(apart, node, way, &waited);
    }
}

static bool is_branch(enum sass_op op)
{
    return op == SASS_BRA || op == SASS_JMP || op == SASS_CALL || op == SASS_RET;
}

// From the end of a node to what follows: `state` is before its last instruction.
static void leave(struct apart *apart, size_t index, const struct sass_insn *last,
                  const struct apart_state *state)
{
    const struct flow_node *node = &apart->flow->nodes[index];
    if (is_branch(last->op) && (last->flags & (SASS_CONVERGED | SASS_DIVERGED))) {
        leave_asking(apart, index, last, state);
        return;
    }
    if (last->op == SASS_BSYNC || last->op == SASS_WARPSYNC) {
        leave_waiting(apart, index, last, state);
        return;
    }
    if (node->next[FLOW_FALL] == FLOW_NONE && node->next[FLOW_TAKEN] == FLOW_NONE)
        apart->ends[index] = true;
    struct apart_state out = *state;
    const bool ends = last->op == SASS_EXIT || last->op == SASS_KILL;
    if (is_branch(last->op) || ends) {
        // A guard that holds does not tell where it goes if it chooses by another predicate.
        const bool plain = last->guard != ALWAYS && !(last->reads.p & ~(1u << last->guard));
        if (!plain || learn(apart, last, false, &out))
            go(apart, node, FLOW_FALL, &out);
        out = *state;
        if (!learn(apart, last, true, &out))
            return;
        go(apart, node, FLOW_TAKEN, &out);
        // Whoever waits for a lane that ends goes on without it, to where it has been already.
        if (ends && apart->mode == FOLLOW && state->met)
            apart->broken |= state->open | 1u << EVERYONE;
        return;
    }
    if (last->guard == ALWAYS) {
        if (!last->guard_negated)
            execute(apart, &out, last);
        go(apart, node, FLOW_FALL, &out);
        return;
    }
    const bool splits = last->op == SASS_BSSY || last->op == SASS_BREAK || last->op == SASS_BMOV;
    if (!splits) {
        execute(apart, &out, last);
        go(apart, node, FLOW_FALL, &out);
        return;
    }
    if (learn(apart, last, false, &out))
        go(apart, node, FLOW_FALL, &out);
    out = *state;
    if (learn(apart, last, true, &out)) {
        execute(apart, &out, last);
        go(apart, node, FLOW_FALL, &out);
    }
}

static void hit(struct apart *apart, size_t insn, uint32_t state)
{
    if (apart->hit_count == apart->hit_capacity) {
        apart->hit_capacity = apart->hit_capacity * 2 + 16;
        apart->hits = lit_realloc(apart->hits, apart->hit_capacity, sizeof(*apart->hits));
    }
    apart->hits[apart->hit_count++] = (struct apart_hit){.insn = insn, .state = state};
}

// Lanes that meet have in common only what they did not do while they were apart.
static void share(struct apart_state *state, const struct sass_registers *met)
{
    state->open &= (uint16_t)~met->b;
    for (int i = 0; i < APART_SAVED; i++) {
        const uint8_t reg = state->saved[i];
        if (reg != NOT_SAVED && met->r[reg / 64] >> (reg % 64) & 1)
            state->saved[i] = NOT_SAVED;
    }
}

static void walk(struct apart *apart, uint32_t index)
{
    struct apart_state state = apart->states[index];
    const size_t at = state.node;
    const struct flow_node *node = &apart->flow->nodes[at];
    for (size_t i = node->first; i < node->end; i++) {
        const struct sass_insn *insn = &apart->code->insns[i];
        struct apart_state copy = state;
        if (apart->mode != ENTER && sass_is_exchange(insn->op) && learn(apart, insn, true, &copy)) {
            hit(apart, i, index);
            state.met = true;
        }
        if (i + 1 < node->end && !flow_is_never(insn))
            execute(apart, &state, insn);
    }
    apart->work += node->end - node->first;
    state.parent = index;
    if (apart->mode == ENTER)
        share(&state, &apart->met[at]);
    if (apart->mode == FOLLOW && at == apart->branch && state.rounds < 2)
        state.rounds++;
    leave(apart, at, flow_last(apart->code, node), &state);
}

static bool walk_all(struct apart *apart)
{
    for (size_t i = 0; i < apart->count; i++) {
        if (apart->work > apart->limit || apart->count >= APART_NONE)
            return false;
        walk(apart, (uint32_t)i);
    }
    return true;
}

static struct apart_state fresh(void)
{
    struct apart_state state = {.parent = APART_NONE, .place = APART_NONE, .asked = APART_NONE};
    memset(state.saved, NOT_SAVED, sizeof(state.saved));
    return state;
}

bool apart_enter(struct apart *apart, const struct sass_registers *met)
{
    apart->mode = ENTER;
    apart->met = met;
    apart->broken = 0;
    forget(apart);
    arrive(apart, 0, fresh());
    return walk_all(apart);
}

// A lane of each side, at the start of the node that it goes to.
static void part(struct apart *apart, size_t node, const struct apart_state *from, int first_side)
{
    const struct flow_node *at = &apart->flow->nodes[node];
    const struct sass_insn *last = flow_last(apart->code, at);
    const bool plain = !is_branch(last->op) || !(last->reads.p & ~(1u << last->guard));
    for (int side = first_side; side >= 0; side--) {
        struct apart_state state = *from;
        state.parent = state.place = state.asked = APART_NONE;
        state.rounds = 0;
        state.met = false;
        state.known = state.values = 0;
        state.side = (uint8_t)side;
        if (side == APART_TAKEN || plain)
            learn(apart, last, side == APART_TAKEN, &state);
        const bool stays = last->op == SASS_BSYNC || last->op == SASS_WARPSYNC;
        go(apart, at, stays ? FLOW_FALL : side, &state);
    }
}

bool apart_follow(struct apart *apart, size_t node, const struct apart_state *from)
{
    apart->mode = FOLLOW;
    apart->branch = node;
    apart->first = from->open;
    apart->broken = 0;
    for (;;) {
        const uint32_t broken = apart->broken;
        forget(apart);
        part(apart, node, from, APART_TAKEN);
        if (!walk_all(apart))
            return false;
        if (apart->broken == broken)
            return true;
    }
}

bool apart_survive(struct apart *apart, size_t node, const struct apart_state *from)
{
    apart->mode = SURVIVE;
    apart->broken = 0;
    forget(apart);
    part(apart, node, from, APART_FALL);
    return walk_all(apart);
}
