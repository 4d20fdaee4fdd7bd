// SPDX-License-Identifier: Apache-2.0
// Uniform registers exist once for a warp. Lanes that diverged may overwrite one that the others
// still need: the compiler avoids that only where it knows that the lanes diverge.
#include "isa/divergent.h"

#include <string.h>

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
