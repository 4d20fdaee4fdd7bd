// SPDX-License-Identifier: Apache-2.0
// Follows divergent lanes.
#include "isa/divergent.h"

#define EVERYONE      16 // closer number of WARPSYNC for all lanes
#define MATTERS       17 // bit in `ahead`: a cross-lane read, or a place to wait
#define KEPT_DISTINCT 24 // with more states in a node, predicates are no longer distinguished
#define NOT_SAVED     255
#define BARRIERS      17

enum { ENTER, FOLLOW, SURVIVE };

static uint32_t ahead_at_start(const struct sass_code *code, const struct flow_node *node,
                               uint32_t ahead)
{
    for (size_t i = node->end; i-- > node->first;) {
        const struct sass_insn *insn = &code->insns[i];
        const uint32_t bit = insn->barrier >= 0 && insn->barrier < 16 ? 1u << insn->barrier : 0;
        if (insn->op == SASS_BSYNC)
            ahead |= bit;
        else if (insn->op == SASS_BSSY && sass_is_always(insn))
            ahead &= ~bit;
        else if (insn->op == SASS_BMOV)
            ahead |= 0xffff; // a saved barrier may be restored
        if (insn->op == SASS_WARPSYNC || sass_is_cross_lane(insn->op))
            ahead |= 1u << MATTERS;
        if (insn->op == SASS_WARPSYNC && divergent_names_all(insn))
            ahead |= 1u << EVERYONE;
    }
    return ahead;
}

// A lane that can reach no further BSYNC of a barrier has left it, with or without BREAK.
static bool look_ahead(struct divergent *lanes)
{
    const struct flow *flow = lanes->flow;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = flow->count; i-- > 0;) {
            uint32_t ahead = 0;
            FLOW_EACH_NEXT (next, &flow->nodes[i])
                ahead |= lanes->nodes[next].ahead;
            ahead = ahead_at_start(lanes->code, &flow->nodes[i], ahead);
            changed |= ahead != lanes->nodes[i].ahead;
            lanes->nodes[i].ahead = ahead;
            lanes->work += flow->nodes[i].end - flow->nodes[i].first;
        }
        if (lanes->work > lanes->limit)
            return false;
    }
    return true;
}

bool divergent_open(struct divergent *lanes, const struct sass_code *code, const struct flow *flow,
                    uint64_t limit)
{
    *lanes = (struct divergent){.code = code, .flow = flow, .limit = limit};
    lanes->nodes = lit_alloc(flow->count, sizeof(*lanes->nodes));
    lanes->touched = lit_alloc(flow->count, sizeof(*lanes->touched));
    for (size_t i = 0; i < flow->count; i++)
        lanes->nodes[i].newest = DIVERGENT_NONE;
    return look_ahead(lanes);
}

void divergent_close(struct divergent *lanes)
{
    free(lanes->states);
    free(lanes->nodes);
    free(lanes->touched);
    free(lanes->hits);
    *lanes = (struct divergent){0};
}

static void forget(struct divergent *lanes)
{
    for (size_t i = 0; i < lanes->touched_count; i++) {
        struct divergent_node *node = &lanes->nodes[lanes->touched[i]];
        *node = (struct divergent_node){.newest = DIVERGENT_NONE, .ahead = node->ahead};
    }
    lanes->touched_count = lanes->count = lanes->hit_count = 0;
    for (int i = 0; i < BARRIERS; i++)
        lanes->closers[i] = SASS_NOWHERE;
}

static bool same(const struct divergent_state *a, const struct divergent_state *b)
{
    return a->place == b->place && a->asked == b->asked && a->rounds == b->rounds &&
           a->met == b->met && a->open == b->open && a->side == b->side && a->known == b->known &&
           a->values == b->values && memcmp(a->saved, b->saved, sizeof(a->saved)) == 0;
}

static void leave_barrier(struct divergent *lanes, struct divergent_state *state, unsigned barrier)
{
    if (state->open >> barrier & 1 && lanes->mode == FOLLOW)
        lanes->broken |= 1u << barrier;
    state->open &= (uint16_t) ~(1u << barrier);
}

// Adds a state at the start of a node unless it is known.
static void arrive(struct divergent *lanes, size_t node, struct divergent_state state)
{
    const uint32_t ahead = lanes->nodes[node].ahead, gone = state.open & ~ahead;
    for (unsigned i = 0; gone && ahead >> MATTERS && i < 16; i++)
        if (gone >> i & 1)
            leave_barrier(lanes, &state, i);
    if (lanes->mode == FOLLOW && ahead >> MATTERS && !(ahead >> EVERYONE & 1))
        lanes->broken |= 1u << EVERYONE;
    if (lanes->nodes[node].amount >= KEPT_DISTINCT)
        state.known = state.values = 0;
    for (uint32_t i = lanes->nodes[node].newest; i != DIVERGENT_NONE; i = lanes->states[i].older) {
        lanes->work++;
        if (same(&lanes->states[i], &state))
            return;
    }
    lanes->states = lit_grow(lanes->states, lanes->count, sizeof(*lanes->states));
    if (lanes->nodes[node].newest == DIVERGENT_NONE)
        lanes->touched[lanes->touched_count++] = node;
    state.node = (uint32_t)node;
    state.depth = state.parent == DIVERGENT_NONE ? 1 : lanes->states[state.parent].depth + 1;
    state.older = lanes->nodes[node].newest;
    lanes->nodes[node].newest = (uint32_t)lanes->count;
    lanes->nodes[node].amount++;
    lanes->states[lanes->count++] = state;
}

// Restricts a state to lanes whose guard holds (or not); false if it contradicts a known predicate.
static bool learn(const struct divergent *lanes, const struct sass_insn *insn, bool holds,
                  struct divergent_state *state)
{
    if (insn->guard == SASS_ALWAYS)
        return holds != insn->guard_negated;
    if (insn->guard_uniform || !lanes->code->operands)
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

// BMOV to or from a register. If operands are unknown, a moved barrier counts as left.
static void move_barrier(struct divergent *lanes, struct divergent_state *state,
                         const struct sass_insn *insn)
{
    const unsigned reads = insn->reads.b, writes = insn->writes.b;
    if (!lanes->code->operands || (!reads && !writes)) {
        for (unsigned i = 0; i < 16; i++)
            leave_barrier(lanes, state, i);
        return;
    }
    if (!reads) {
        const unsigned barrier = (unsigned)__builtin_ctz(writes);
        const unsigned from = registers_next(&insn->reads, 0);
        bool held = false;
        for (int i = 0; i < DIVERGENT_SAVED; i++)
            held |= from != NOT_SAVED && state->saved[i] == from;
        if (held)
            state->open |= (uint16_t)(1u << barrier);
        else
            leave_barrier(lanes, state, barrier);
        if (!held && lanes->mode == FOLLOW && (lanes->first >> barrier & 1))
            lanes->broken |= 1u << barrier;
        return;
    }
    const unsigned barrier = (unsigned)__builtin_ctz(reads);
    const unsigned to = registers_next(&insn->writes, 0);
    const bool open = state->open >> barrier & 1;
    for (int i = 0; i < DIVERGENT_SAVED && open && to < NOT_SAVED; i++)
        if (state->saved[i] == NOT_SAVED) {
            state->saved[i] = (uint8_t)to;
            break;
        }
    if (insn->text && strstr(insn->text, ".CLEAR"))
        state->open &= (uint16_t) ~(1u << barrier);
}

static void forget_written(struct divergent_state *state, const struct sass_insn *insn)
{
    if (insn->flags & SASS_UNKNOWN) {
        state->known = state->values = 0;
        memset(state->saved, NOT_SAVED, sizeof(state->saved));
        return;
    }
    state->known &= (uint8_t)~insn->writes.p;
    state->values &= state->known;
    for (int i = 0; i < DIVERGENT_SAVED; i++) {
        const uint8_t reg = state->saved[i];
        if (reg != NOT_SAVED && insn->writes.r[reg / 64] >> (reg % 64) & 1)
            state->saved[i] = NOT_SAVED;
    }
}

// Applies an instruction to a lane's state. BSYNC and WARPSYNC end nodes and are handled elsewhere.
static void execute(struct divergent *lanes, struct divergent_state *state,
                    const struct sass_insn *insn)
{
    forget_written(state, insn);
    const bool named = insn->barrier >= 0 && insn->barrier < 16;
    if (insn->op == SASS_BSSY && named) {
        leave_barrier(lanes, state, (unsigned)insn->barrier);
        if (lanes->mode == ENTER)
            state->open |= (uint16_t)(1u << insn->barrier);
    } else if (insn->op == SASS_BREAK && named) {
        leave_barrier(lanes, state, (unsigned)insn->barrier);
    } else if (insn->op == SASS_BMOV) {
        move_barrier(lanes, state, insn);
    }
}

struct divergent_state divergent_before_last(const struct divergent *lanes, size_t state)
{
    struct divergent quiet = *lanes; // throwaway copy: barriers left here have already been counted
    struct divergent_state at = lanes->states[state];
    const struct flow_node *node = &lanes->flow->nodes[at.node];
    for (size_t i = node->first; i + 1 < node->end; i++)
        if (!sass_is_never(&lanes->code->insns[i]))
            execute(&quiet, &at, &lanes->code->insns[i]);
    return at;
}

// A lane waits at the end of `node` for barrier `barrier` or EVERYONE, and continues at `place`.
// True if its path ends here because all divergent lanes have reconverged.
static bool wait_for(struct divergent *lanes, size_t node, struct divergent_state *state,
                     unsigned barrier, uint32_t place)
{
    const bool concerned = barrier == EVERYONE || (state->open >> barrier & 1);
    if (barrier != EVERYONE)
        state->open &= (uint16_t) ~(1u << barrier);
    if (lanes->mode != FOLLOW || !concerned)
        return false;
    if (!(lanes->broken >> barrier & 1)) {
        if (lanes->closers[barrier] == SASS_NOWHERE)
            lanes->closers[barrier] = place;
        if (lanes->closers[barrier] == place) {
            lanes->nodes[node].meets = 3;
            lanes->nodes[node].ends = true;
            return true;
        }
        lanes->broken |= 1u << barrier; // they wait in several places: none surely reconverges them
    }
    lanes->nodes[node].meets |= (uint8_t)(1u << state->side);
    state->asked = DIVERGENT_NONE;
    // A lane that waits for everyone may continue because others wait for everyone elsewhere.
    if (barrier != EVERYONE)
        state->place = place;
    return false;
}

// A lane that a BRA.CONV sends to a WARPSYNC waits for lanes that the same BRA.CONV may find
// converged: all lanes of a mask go one of these ways.
static void wait_by_mask(struct divergent *lanes, size_t node, struct divergent_state *state,
                         uint32_t place)
{
    if (lanes->mode != FOLLOW)
        return;
    lanes->nodes[node].meets |= (uint8_t)(1u << state->side);
    state->place = state->asked != DIVERGENT_NONE ? state->asked : place;
    state->asked = DIVERGENT_NONE;
}

bool divergent_names_all(const struct sass_insn *insn)
{
    const char *text = insn->text ? insn->text : "";
    if (insn->op == SASS_WARPSYNC)
        return strstr(text, "WARPSYNC.ALL") || strstr(text, "0xffffffff");
    return strstr(text, "~URZ") != NULL;
}

static void go(struct divergent *lanes, const struct flow_node *node, int way,
               const struct divergent_state *state)
{
    if (node->next[way] != FLOW_NONE)
        arrive(lanes, node->next[way], *state);
}

// BRA.CONV is taken, and BRA.DIV is not, if the named lanes are converged.
static void leave_query(struct divergent *lanes, size_t index, const struct sass_insn *last,
                        const struct divergent_state *state)
{
    const struct flow_node *node = &lanes->flow->nodes[index];
    const int converged = last->flags & SASS_CONVERGED ? FLOW_TAKEN : FLOW_FALL;
    for (int way = 0; way < FLOW_WAYS; way++) {
        struct divergent_state out = *state;
        if (node->next[way] == FLOW_NONE || (way == FLOW_TAKEN && !learn(lanes, last, true, &out)))
            continue;
        // With a guard, the fall-through may also mean that it did not execute.
        const bool sure = way == FLOW_TAKEN || !flow_is_conditional(last);
        if (way == converged && sure) {
            if (divergent_names_all(last) && lanes->mode == FOLLOW) {
                lanes->nodes[index].meets = 3;
                lanes->nodes[index].ends = true;
                continue;
            }
            out.asked = DIVERGENT_NONE;
            wait_by_mask(lanes, index, &out, last->address);
        } else {
            out.asked = last->address;
        }
        go(lanes, node, way, &out);
    }
}

static void leave_waiting(struct divergent *lanes, size_t index, const struct sass_insn *last,
                          const struct divergent_state *state)
{
    const struct flow_node *node = &lanes->flow->nodes[index];
    struct divergent_state out = *state;
    if (flow_is_conditional(last) && learn(lanes, last, false, &out))
        go(lanes, node, FLOW_FALL, &out);
    out = *state;
    if (!learn(lanes, last, true, &out)) {
        if (!flow_is_conditional(last)) // never executed
            go(lanes, node, FLOW_FALL, state);
        return;
    }
    for (int way = 0; way < FLOW_WAYS; way++) {
        if (node->next[way] == FLOW_NONE)
            continue;
        struct divergent_state waited = out;
        bool ended = false;
        if (last->op == SASS_WARPSYNC && !divergent_names_all(last))
            wait_by_mask(lanes, index, &waited, last->address);
        else if (last->op == SASS_WARPSYNC)
            ended = wait_for(lanes, index, &waited, EVERYONE, last->address);
        else if (last->barrier >= 0 && last->barrier < 16)
            ended = wait_for(lanes, index, &waited, (unsigned)last->barrier, last->address);
        if (!ended)
            go(lanes, node, way, &waited);
    }
}

// Follows the edges from the end of a node: `state` is before its last instruction.
static void leave(struct divergent *lanes, size_t index, const struct sass_insn *last,
                  const struct divergent_state *state)
{
    const struct flow_node *node = &lanes->flow->nodes[index];
    if (flow_is_branch(last->op) && (last->flags & (SASS_CONVERGED | SASS_DIVERGED))) {
        leave_query(lanes, index, last, state);
        return;
    }
    if (last->op == SASS_BSYNC || last->op == SASS_WARPSYNC) {
        leave_waiting(lanes, index, last, state);
        return;
    }
    if (node->next[FLOW_FALL] == FLOW_NONE && node->next[FLOW_TAKEN] == FLOW_NONE)
        lanes->nodes[index].ends = true;
    struct divergent_state out = *state;
    const bool ends = flow_is_end(last->op), goes = flow_is_branch(last->op) || ends;
    const bool splits = last->op == SASS_BSSY || last->op == SASS_BREAK || last->op == SASS_BMOV;
    if (!goes && (!splits || last->guard == SASS_ALWAYS)) {
        if (!sass_is_never(last))
            execute(lanes, &out, last);
        go(lanes, node, FLOW_FALL, &out);
        return;
    }
    // The guard does not determine the direction if the branch also depends on another predicate.
    const bool plain = last->guard != SASS_ALWAYS && !(last->reads.p & ~(1u << last->guard));
    if ((goes && !plain) || learn(lanes, last, false, &out))
        go(lanes, node, FLOW_FALL, &out);
    out = *state;
    if (!learn(lanes, last, true, &out))
        return;
    if (!goes)
        execute(lanes, &out, last);
    go(lanes, node, goes ? FLOW_TAKEN : FLOW_FALL, &out);
    // Lanes that wait for an ending lane continue without it, along paths already known.
    if (ends && lanes->mode == FOLLOW && state->met)
        lanes->broken |= state->open | 1u << EVERYONE;
}

static void hit(struct divergent *lanes, size_t insn, uint32_t state)
{
    LIT_ADD(lanes->hits, lanes->hit_count) = (struct divergent_hit){.insn = insn, .state = state};
}

// Meeting lanes share only what they did not change while divergent.
static void share(struct divergent_state *state, const struct sass_registers *met)
{
    state->open &= (uint16_t)~met->b;
    for (int i = 0; i < DIVERGENT_SAVED; i++) {
        const uint8_t reg = state->saved[i];
        if (reg != NOT_SAVED && met->r[reg / 64] >> (reg % 64) & 1)
            state->saved[i] = NOT_SAVED;
    }
}

static void walk(struct divergent *lanes, uint32_t index)
{
    struct divergent_state state = lanes->states[index];
    const size_t at = state.node;
    const struct flow_node *node = &lanes->flow->nodes[at];
    for (size_t i = node->first; i < node->end; i++) {
        const struct sass_insn *insn = &lanes->code->insns[i];
        struct divergent_state copy = state;
        if (lanes->mode != ENTER &&
            (sass_is_cross_lane(insn->op) || insn->op == SASS_BAR || insn->op == SASS_R2UR) &&
            learn(lanes, insn, true, &copy)) {
            hit(lanes, i, index);
            state.met = true;
        }
        if (i + 1 < node->end && !sass_is_never(insn))
            execute(lanes, &state, insn);
    }
    lanes->work += node->end - node->first;
    state.parent = index;
    if (lanes->mode == ENTER)
        share(&state, &lanes->met[at]);
    if (lanes->mode == FOLLOW && at == lanes->branch && state.rounds < 2)
        state.rounds++;
    leave(lanes, at, flow_last(lanes->code, node), &state);
}

static bool walk_all(struct divergent *lanes)
{
    for (size_t i = 0; i < lanes->count; i++) {
        if (lanes->work > lanes->limit || lanes->count >= DIVERGENT_NONE)
            return false;
        walk(lanes, (uint32_t)i);
    }
    return true;
}

static struct divergent_state fresh(void)
{
    struct divergent_state state = {
        .parent = DIVERGENT_NONE, .place = DIVERGENT_NONE, .asked = DIVERGENT_NONE};
    memset(state.saved, NOT_SAVED, sizeof(state.saved));
    return state;
}

bool divergent_enter(struct divergent *lanes, const struct sass_registers *met)
{
    lanes->mode = ENTER;
    lanes->met = met;
    lanes->broken = 0;
    forget(lanes);
    arrive(lanes, 0, fresh());
    return walk_all(lanes);
}

// Starts one lane on each side, at the node that it branches to.
static void diverge(struct divergent *lanes, size_t node, const struct divergent_state *from,
                    int first_side)
{
    const struct flow_node *at = &lanes->flow->nodes[node];
    const struct sass_insn *last = flow_last(lanes->code, at);
    const bool plain = !flow_is_branch(last->op) || !(last->reads.p & ~(1u << last->guard));
    for (int side = first_side; side >= 0; side--) {
        struct divergent_state state = *from;
        state.parent = state.place = state.asked = DIVERGENT_NONE;
        state.rounds = 0;
        state.met = false;
        state.known = state.values = 0;
        state.side = (uint8_t)side;
        if (side == DIVERGENT_TAKEN || plain)
            learn(lanes, last, side == DIVERGENT_TAKEN, &state);
        const bool stays = last->op == SASS_BSYNC || last->op == SASS_WARPSYNC;
        go(lanes, at, stays ? FLOW_FALL : side, &state);
    }
}

bool divergent_follow(struct divergent *lanes, size_t node, const struct divergent_state *from)
{
    lanes->mode = FOLLOW;
    lanes->branch = node;
    lanes->first = from->open;
    lanes->broken = 0;
    for (;;) {
        const uint32_t broken = lanes->broken;
        forget(lanes);
        diverge(lanes, node, from, DIVERGENT_TAKEN);
        if (!walk_all(lanes))
            return false;
        if (lanes->broken == broken)
            return true;
    }
}

bool divergent_survive(struct divergent *lanes, size_t node, const struct divergent_state *from)
{
    lanes->mode = SURVIVE;
    lanes->broken = 0;
    forget(lanes);
    diverge(lanes, node, from, DIVERGENT_FALL);
    return walk_all(lanes);
}
