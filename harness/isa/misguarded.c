// SPDX-License-Identifier: Apache-2.0
#include "isa/flow.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define PREDICATES 7 // UP0 to UP6

// What is known before an instruction, on every way to it.
struct state {
    bool reached;
    uint64_t masks; // UR0 to UR62 that hold the mask of the lanes that are here
    // Of each UPn: the comparison of masks that wrote it, since when Pn was not written; FLOW_NONE:
    // none, or not the same on all ways.
    size_t comparison[PREDICATES];
};

static bool has_mnemonic(const struct sass_insn *insn, const char *start)
{
    size_t length;
    const char *mnemonic = sass_mnemonic(insn, &length);
    return length >= strlen(start) && strncmp(mnemonic, start, strlen(start)) == 0;
}

static void step(struct state *state, const struct sass_insn *insn, size_t index)
{
    const bool compares = has_mnemonic(insn, "UISETP.") && (insn->reads.ur & state->masks);
    const bool sure = sass_is_always(insn);
    for (unsigned n = 0; n < PREDICATES; n++)
        if ((insn->writes.up | insn->writes.p) >> n & 1)
            state->comparison[n] = compares && sure && insn->writes.up >> n & 1 ? index : FLOW_NONE;
    state->masks &= ~insn->writes.ur;
    if (has_mnemonic(insn, "VOTEU.ALL") && sure && !insn->reads.p && !insn->reads.up)
        state->masks |= insn->writes.ur;
}

// Adds a way by which `to` is reached; true if less is known of it now.
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

static void look_through(const struct sass_code *code, const struct flow_node *node,
                         struct state state, bool *found, misguarded_take *take, void *user)
{
    for (size_t i = node->first; i < node->end; i++) {
        const struct sass_insn *insn = &code->insns[i];
        const unsigned guard = insn->guard;
        if (is_of_warp(insn) && !insn->guard_uniform && guard < PREDICATES && !found[i] &&
            state.comparison[guard] != FLOW_NONE) {
            found[i] = true;
            take(i, state.comparison[guard], user);
        }
        step(&state, insn, i);
    }
}

struct search {
    const struct sass_code *code;
    const struct flow *flow;
    struct state *states; // at the start of each node
};

static bool step_node(size_t node, int way, size_t next, void *user)
{
    const struct search *search = user;
    const struct flow_node *at = &search->flow->nodes[node];
    struct state end = search->states[node];
    (void)way;
    for (size_t i = at->first; i < at->end; i++)
        step(&end, &search->code->insns[i], i);
    return meet(&search->states[next], &end);
}

void misguarded_find(const struct sass_code *code, const struct flow *flow, misguarded_take *take,
                     void *user)
{
    struct search search = {code, flow, lit_alloc(flow->count, sizeof *search.states)};
    bool *found = lit_alloc(code->count, sizeof *found);
    search.states[0] = (struct state){.reached = true};
    for (unsigned n = 0; n < PREDICATES; n++)
        search.states[0].comparison[n] = FLOW_NONE;
    flow_solve(flow, 0, step_node, &search);
    for (size_t node = 0; node < flow->count; node++)
        look_through(code, &flow->nodes[node], search.states[node], found, take, user);
    free(search.states);
    free(found);
}
