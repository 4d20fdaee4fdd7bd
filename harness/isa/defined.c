// SPDX-License-Identifier: Apache-2.0
// Registers that are read but never set, or set but never read. Compilers leave few, so each may be
// the trace of a wrong operand or guard.
#include "isa/divergent.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

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
        findings_add_alone(run->findings, run->code, kind, insn, other);
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
    struct flow_queue queue;
    flow_queue_open(&queue, run->flow);
    for (size_t node = run->flow->count; node-- > 0;)
        flow_push(&queue, node);
    for (size_t node; flow_pop(&queue, &node);) {
        const struct sass_registers set = step_sets(run, node, false);
        for (int way = 0; way < FLOW_WAYS; way++) {
            const size_t next = run->flow->nodes[node].next[way];
            if (next != FLOW_NONE && registers_add(&run->sets[next], &set))
                flow_push(&queue, next);
        }
    }
    flow_queue_close(&queue);
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
        for (unsigned r = 0; r < 255; r++)
            if (insn->writes.r[r / 64] >> (r % 64) & 1) {
                overwritten = overwritten && again[r] == guard;
                some = true;
                again[r] = (uint8_t)(guard && !sass_is_always(insn) ? guard : 0);
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

static void find_unused(struct defined_run *run)
{
    const size_t count = run->flow->count;
    memset(run->sets, 0, count * sizeof *run->sets);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t node = count; node-- > 0;) {
            struct sass_registers live = {0};
            for (int way = 0; way < FLOW_WAYS; way++)
                if (run->flow->nodes[node].next[way] != FLOW_NONE)
                    registers_add(&live, &run->sets[run->flow->nodes[node].next[way]]);
            live = step_live(run, node, live, false);
            changed |= registers_add(&run->sets[node], &live);
        }
    }
    for (size_t node = 0; node < count; node++) {
        struct sass_registers live = {0};
        for (int way = 0; way < FLOW_WAYS; way++)
            if (run->flow->nodes[node].next[way] != FLOW_NONE)
                registers_add(&live, &run->sets[run->flow->nodes[node].next[way]]);
        step_live(run, node, live, true);
    }
}

void defined_find(const struct sass_code *code, const struct flow *flow, struct findings *findings)
{
    struct defined_run run = {.code = code, .flow = flow, .findings = findings};
    if (!code->operands)
        return;
    run.sets = lit_alloc(flow->count, sizeof *run.sets);
    run.found = lit_alloc(code->count, sizeof *run.found);
    find_unset(&run);
    find_unused(&run);
    free(run.sets);
    free(run.found);
}
