// SPDX-License-Identifier: Apache-2.0
// Registers that are overwritten while others need them, read but never set, or set but never read.
// Compilers leave few, so each may be the trace of a wrong operand or guard.
#include "isa/divergent.h"

struct defined_run {
    const struct sass_code *code;
    const struct flow *flow;
    struct sass_registers *sets; // per node: set at its start on some path; later live at its end
    bool *found;                 // per instruction
    struct findings *findings;
};

static void report(struct defined_run *run, enum lint_kind kind, size_t insn, size_t other)
{
    if (!run->found[insn])
        findings_add_alone(run->findings, kind, insn, other);
    run->found[insn] = true;
}

// --- Read but never set

static struct sass_registers step_sets(struct defined_run *run, size_t node, bool reports)
{
    const struct flow_node *at = &run->flow->nodes[node];
    struct sass_registers set = run->sets[node];
    for (size_t i = at->first; i < at->end; i++) {
        const struct sass_insn *insn = &run->code->insns[i];
        struct sass_registers unset = insn->reads;
        registers_remove(&unset, &set);
        unset.b = 0;
        const bool ignores = sass_begins(insn, "LOP3") || sass_begins(insn, "PRMT");
        if (reports && !ignores && !sass_is_never(insn) && !registers_empty(&unset))
            report(run, LINT_UNSET, i, i);
        registers_add(&set, &insn->writes);
    }
    return set;
}

static void find_unset(struct defined_run *run)
{
    OWNED(flow_queue_close) struct flow_queue queue = flow_queue_make(run->flow);
    for (size_t node = run->flow->count; node-- > 0;)
        flow_push(&queue, node);
    for (size_t node; flow_pop(&queue, &node);) {
        const struct sass_registers set = step_sets(run, node, false);
        FLOW_EACH_NEXT (next, &run->flow->nodes[node])
            if (registers_add(&run->sets[next], &set))
                flow_push(&queue, next);
    }
    for (size_t node = 0; node < run->flow->count; node++)
        step_sets(run, node, true);
}

// --- Set but never read

// What an instruction's guard says, as a number; 0: it has none, or a uniform one.
static unsigned guard_number(const struct sass_insn *insn)
{
    return insn->guard < 7 && !insn->guard_uniform ? 2u * insn->guard + insn->guard_negated + 1 : 0;
}

// Whether something else than its result may be what an instruction is for.
static bool has_effect(const struct sass_insn *insn)
{
    // The compiler leaves some of these behind.
    const bool left = sass_begins(insn, "P2R") || sass_begins(insn, "PLOP3") ||
                      sass_begins(insn, "LOP3") || sass_begins(insn, "R2P");
    return left || (insn->flags & SASS_UNKNOWN) || registers_empty(&insn->writes) ||
           insn->writes.b ||
           (insn->op != SASS_OTHER && insn->op != SASS_VOTE && insn->op != SASS_VOTEU &&
            insn->op != SASS_S2R && insn->op != SASS_LDG && insn->op != SASS_LDS &&
            insn->op != SASS_LDC);
}

// Backwards through a node; `live` is what is read behind it. Returns what is read from its start.
static struct sass_registers step_live(struct defined_run *run, size_t node,
                                       struct sass_registers live, bool reports)
{
    const struct flow_node *at = &run->flow->nodes[node];
    uint8_t again[255] = {0}; // registers that lanes with this guard set again, without a read
    for (size_t i = at->end; i-- > at->first;) {
        const struct sass_insn *insn = &run->code->insns[i];
        const unsigned guard = guard_number(insn);
        bool dead = !registers_meet(&insn->writes, &live), some = false;
        bool overwritten = guard && !insn->writes.p && !insn->writes.up && !insn->writes.ur;
        SASS_EACH_REGISTER (r, &insn->writes)
            if (r < sizeof again) {
                overwritten = overwritten && again[r] == guard;
                some = true;
                again[r] = (uint8_t)guard;
            }
        for (unsigned r = 0; r < 255; r++)
            if (insn->reads.r[r / 64] >> (r % 64) & 1 ||
                (again[r] && insn->writes.p >> (again[r] - 1) / 2 & 1))
                again[r] = 0;
        if (reports && !sass_is_never(insn) && !has_effect(insn) && (dead || (overwritten && some)))
            report(run, LINT_UNUSED, i, i);
        if (sass_is_always(insn))
            registers_remove(&live, &insn->writes);
        registers_add(&live, &insn->reads);
    }
    return live;
}

// What is read from the start of a node.
static struct sass_registers live_at(struct defined_run *run, size_t node, bool reports)
{
    struct sass_registers live = {0};
    FLOW_EACH_NEXT (next, &run->flow->nodes[node])
        registers_add(&live, &run->sets[next]);
    return step_live(run, node, live, reports);
}

static void find_unused(struct defined_run *run)
{
    memset(run->sets, 0, run->flow->count * sizeof *run->sets);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t node = run->flow->count; node-- > 0;) {
            const struct sass_registers live = live_at(run, node, false);
            changed |= registers_add(&run->sets[node], &live);
        }
    }
    for (size_t node = 0; node < run->flow->count; node++)
        live_at(run, node, true);
}

void defined_find(struct findings *findings)
{
    const struct flow *flow = findings->flow;
    OWNED(lit_free) struct sass_registers *sets = lit_alloc(flow->count, sizeof *sets);
    OWNED(lit_free) bool *found = lit_alloc(findings->code->count, sizeof *found);
    struct defined_run run = {findings->code, flow, sets, found, findings};
    if (!findings->code->operands)
        return;
    find_unset(&run);
    find_unused(&run);
}

// --- Uniform registers, which exist once for a warp. Lanes that diverged may overwrite one that
// the others still need: the compiler avoids that only where it knows that the lanes diverge.

static bool is_apart(const struct divergent_state *state)
{
    return state->place == DIVERGENT_NONE && state->rounds == 0;
}

static const struct flow_node *node_of(const struct divergent *lanes, uint32_t state)
{
    return &lanes->flow->nodes[lanes->states[state].node];
}

static struct sass_registers uniform_of(const struct sass_registers *all)
{
    return (struct sass_registers){.ur = all->ur, .up = all->up};
}

// Removes what the lane has written since the branch.
static void drop_own(const struct divergent *lanes, uint32_t state, struct sass_registers *set)
{
    while ((state = lanes->states[state].parent) != DIVERGENT_NONE) {
        const struct flow_node *node = node_of(lanes, state);
        for (size_t i = node->first; i < node->end; i++)
            registers_remove(set, &lanes->code->insns[i].writes);
    }
}

// The first instruction by which lanes of a side write one of the registers before they reconverge.
static bool find_write(const struct divergent *lanes, unsigned side,
                       const struct sass_registers *registers, struct divergent_hit *hit)
{
    for (uint32_t i = 0; i < lanes->count; i++) {
        if (lanes->states[i].side != side || !is_apart(&lanes->states[i]))
            continue;
        const struct flow_node *node = node_of(lanes, i);
        for (size_t k = node->first; k < node->end; k++)
            if (registers_meet(&lanes->code->insns[k].writes, registers)) {
                *hit = (struct divergent_hit){k, i};
                return true;
            }
    }
    return false;
}

// Whether the write gives the register the value that it had at the branch, as far as the text
// before the branch tells: the same constant.
static bool repeats(const struct divergent *lanes, size_t branch, size_t write)
{
    const struct sass_insn *insns = lanes->code->insns;
    if (!registers_empty(&insns[write].reads))
        return false;
    for (size_t i = branch; i-- > 0;)
        if (registers_meet(&insns[i].writes, &insns[write].writes))
            return strcmp(insns[i].text, insns[write].text) == 0;
    return false;
}

// True if an instruction in the node needs one of the registers `written` by the other side.
static bool find_in(const struct divergent *lanes, size_t branch, uint32_t state,
                    struct sass_registers written, struct findings *findings)
{
    const struct flow_node *node = node_of(lanes, state);
    for (size_t i = node->first; i < node->end; i++) {
        const struct sass_insn *insn = &lanes->code->insns[i];
        struct sass_registers needed = uniform_of(&insn->reads), other = needed;
        struct divergent_hit write;
        registers_remove(&other, &written);
        registers_remove(&needed, &other);
        if (!registers_empty(&needed))
            drop_own(lanes, state, &needed);
        if (!registers_empty(&needed) &&
            find_write(lanes, !lanes->states[state].side, &needed, &write) &&
            !repeats(lanes, branch, write.insn)) {
            findings_add(findings, lanes, LINT_OVERWRITTEN, branch,
                         &(struct divergent_hit){i, state}, &write);
            return true;
        }
        registers_remove(&written, &insn->writes);
    }
    return false;
}

void overwritten_find(const struct divergent *lanes, size_t branch, struct findings *findings)
{
    struct sass_registers written[2] = {0}; // by the lanes of each side
    bool found = !lanes->code->operands;
    for (uint32_t i = 0; i < lanes->count; i++) {
        const struct flow_node *node = node_of(lanes, i);
        findings->work += node->end - node->first;
        for (size_t k = node->first; is_apart(&lanes->states[i]) && k < node->end; k++) {
            const struct sass_registers uniform = uniform_of(&lanes->code->insns[k].writes);
            registers_add(&written[lanes->states[i].side], &uniform);
        }
    }
    for (uint32_t i = 0; i < lanes->count && !found; i++)
        if (is_apart(&lanes->states[i]))
            found = find_in(lanes, branch, i, written[!lanes->states[i].side], findings);
}
