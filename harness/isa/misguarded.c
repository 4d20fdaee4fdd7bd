// SPDX-License-Identifier: Apache-2.0
#include "isa/divergent.h"

#define PREDICATES 7 // UP0 to UP6

// Facts that hold before an instruction on every path to it.
struct state {
    bool reached;
    uint64_t masks; // UR0 to UR62 that hold the active mask
    // For each UPn: the comparison of masks that wrote it, if Pn was not written since; FLOW_NONE:
    // none, or not the same on all paths.
    size_t comparison[PREDICATES];
};

static void step(struct state *state, const struct sass_insn *insn, size_t index)
{
    const bool compares = sass_begins(insn, "UISETP.") && (insn->reads.ur & state->masks);
    const bool sure = sass_is_always(insn);
    for (unsigned n = 0; n < PREDICATES; n++)
        if ((insn->writes.up | insn->writes.p) >> n & 1)
            state->comparison[n] = compares && sure && insn->writes.up >> n & 1 ? index : FLOW_NONE;
    state->masks &= ~insn->writes.ur;
    if (sass_begins(insn, "VOTEU.ALL") && sure && !insn->reads.p && !insn->reads.up)
        state->masks |= insn->writes.ur;
}

// Merges in another path to `to`; true if that weakened its facts.
static bool meet(struct state *to, const struct state *from)
{
    const struct state before = *to;
    if (!to->reached) {
        *to = *from;
        return true;
    }
    to->masks &= from->masks;
    bool less = to->masks != before.masks;
    for (unsigned n = 0; n < PREDICATES; n++)
        if (to->comparison[n] != FLOW_NONE && to->comparison[n] != from->comparison[n]) {
            to->comparison[n] = FLOW_NONE;
            less = true;
        }
    return less;
}

static bool is_of_warp(const struct sass_insn *insn)
{
    return sass_is_cross_lane(insn->op) || insn->op == SASS_R2UR || insn->op == SASS_RED ||
           insn->op == SASS_ATOM || insn->op == SASS_ATOMG || insn->op == SASS_ATOMS;
}

// The facts at the end of a node; with `found`, adds its findings, one per instruction.
static struct state walk(struct findings *findings, const struct flow_node *node,
                         struct state state, bool *found)
{
    for (size_t i = node->first; i < node->end; i++) {
        const struct sass_insn *insn = &findings->code->insns[i];
        const unsigned guard = insn->guard;
        if (found && is_of_warp(insn) && !insn->guard_uniform && guard < PREDICATES && !found[i] &&
            state.comparison[guard] != FLOW_NONE) {
            found[i] = true;
            findings_add_alone(findings, LINT_MISGUARDED, i, state.comparison[guard]);
        }
        step(&state, insn, i);
    }
    return state;
}

void misguarded_find(struct findings *findings)
{
    const struct flow *flow = findings->flow;
    OWNED(lit_free)
    struct state *states = lit_alloc(flow->count, sizeof *states); // at the start of each node
    OWNED(lit_free) bool *found = lit_alloc(findings->code->count, sizeof *found);
    OWNED(flow_queue_close) struct flow_queue queue = flow_queue_make(flow);
    states[0] = (struct state){.reached = true};
    for (unsigned n = 0; n < PREDICATES; n++)
        states[0].comparison[n] = FLOW_NONE;
    flow_push(&queue, 0);
    for (size_t node; flow_pop(&queue, &node);) {
        const struct state end = walk(findings, &flow->nodes[node], states[node], NULL);
        FLOW_EACH_NEXT (next, &flow->nodes[node])
            if (meet(&states[next], &end))
                flow_push(&queue, next);
    }
    for (size_t node = 0; node < flow->count; node++)
        walk(findings, &flow->nodes[node], states[node], found);
}
