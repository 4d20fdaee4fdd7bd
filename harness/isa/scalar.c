// SPDX-License-Identifier: Apache-2.0
// R2UR takes one lane's value for all lanes that execute it together. A compiler that lets lanes
// through one by one, as in the iterations of a loop, may use it for each of them; it is wrong
// where they have met.
#include "isa/origin.h"

#include "base/spirv.h"

#define SEVERAL FLOW_NONE       // any lanes may be here
#define ONES    (FLOW_NONE - 1) // lanes that came one by one, each let through by a branch of its own

// What holds at a place on every path to it.
struct state {
    bool reached;
    size_t since;   // the branch, times two, plus its way, that let one lane through; or the above
    uint8_t one[2]; // predicates that are false, true in one lane at most
};

// Takes it that what differs between lanes equals something in one lane at most: the compiler may
// know that where it uses R2UR.
static void step(struct state *state, const struct sass_insn *insn,
                 const struct sass_registers *varying)
{
    const bool equal = sass_begins(insn, "ISETP.EQ");
    const char *last = insn->text ? strrchr(insn->text, ',') : NULL;
    for (int i = 0; i < 2; i++)
        state->one[i] &= (uint8_t)~insn->writes.p;
    if (last && (equal || (sass_begins(insn, "ISETP.NE") && strcmp(last, ", PT") == 0)) &&
        strstr(insn->text, ".AND ") && insn->guard == SASS_ALWAYS &&
        registers_meet(&insn->reads, varying))
        state->one[equal] |= insn->writes.p;
}

static struct state leave(const struct sass_code *code, const struct flow_node *node, int way,
                          const struct state *end)
{
    struct state state = *end;
    unsigned predicate;
    if (state.since >= ONES && node->next[FLOW_FALL] != node->next[FLOW_TAKEN] &&
        uniform_decides(code, node, &predicate) &&
        state.one[(way == FLOW_TAKEN) != flow_last(code, node)->guard_negated] >> predicate & 1)
        state.since = 2 * (node->end - 1) + (size_t)way;
    return state;
}

// Merges in another path to `to`; true if that weakened what holds.
static bool meet(struct state *to, const struct state *from)
{
    const struct state before = *to;
    if (!to->reached) {
        *to = *from;
        return true;
    }
    if (to->since != from->since)
        to->since = to->since == SEVERAL || from->since == SEVERAL ? SEVERAL : ONES;
    for (int i = 0; i < 2; i++)
        to->one[i] &= from->one[i];
    return to->since != before.since || to->one[0] != before.one[0] || to->one[1] != before.one[1];
}

// Which of the two the module itself may ask for.
enum { VALUES = 1, VOTES = 2 };
static unsigned asked_by(const uint32_t *words, size_t count)
{
    struct spirv_instruction each;
    unsigned asked = 0;
    SPIRV_EACH (each, words, count)
        switch (each.opcode) {
        case SpvOpGroupNonUniformBroadcastFirst:
            asked |= VALUES;
            break;
        case SpvOpGroupNonUniformAll:
        case SpvOpGroupNonUniformAny:
        case SpvOpGroupNonUniformAllEqual:
        case SpvOpGroupNonUniformLogicalAnd:
        case SpvOpGroupNonUniformLogicalOr:
        case SpvOpGroupNonUniformLogicalXor:
        case SpvOpGroupNonUniformQuadAllKHR:
        case SpvOpGroupNonUniformQuadAnyKHR:
        case SpvOpSubgroupAllKHR:
        case SpvOpSubgroupAnyKHR:
        case SpvOpSubgroupAllEqualKHR:
            asked |= VOTES;
            break;
        default:
            break;
        }
    return asked;
}

struct sass_registers scalar_taken(const struct sass_insn *insn)
{
    struct sass_registers of = {0};
    if (insn->op == SASS_R2UR)
        memcpy(of.r, insn->reads.r, sizeof of.r);
    else if (insn->op == SASS_VOTEU && insn->writes.up)
        of.p = insn->reads.p & (uint8_t) ~(insn->guard_uniform ? 0 : 1u << insn->guard);
    return of;
}

static bool is_wrong(const struct state *state, const struct sass_insn *insn,
                     const struct sass_registers *varying, unsigned asked)
{
    const struct sass_registers taken = scalar_taken(insn);
    return state->since == ONES && registers_meet(&taken, varying) &&
           !(asked & (taken.p ? VOTES : VALUES));
}

// What holds at the end of a node; with `found`, adds its findings, one per instruction.
static struct state walk(struct findings *findings, size_t node, struct state state, unsigned asked,
                         bool *found)
{
    struct uniform_state values = findings->states[node];
    for (size_t i = findings->flow->nodes[node].first; i < findings->flow->nodes[node].end; i++) {
        const struct sass_insn *insn = &findings->code->insns[i];
        if (found && !found[i] && is_wrong(&state, insn, &values.varying, asked)) {
            found[i] = true;
            findings_add_alone(findings, LINT_SCALAR, i, i);
        }
        step(&state, insn, &values.varying);
        uniform_step(findings->code, findings->options.rows, insn, &values);
    }
    return state;
}

void scalar_find(struct findings *findings)
{
    const struct flow *flow = findings->flow;
    const unsigned asked = asked_by(findings->options.words, findings->options.word_count);
    if (!findings->code->operands)
        return;
    OWNED(lit_free)
    struct state *states = lit_alloc(flow->count, sizeof *states); // at the start of each node
    OWNED(lit_free) bool *found = lit_alloc(findings->code->count, sizeof *found);
    OWNED(flow_queue_close) struct flow_queue queue = flow_queue_make(flow);
    states[0] = (struct state){.reached = true, .since = SEVERAL};
    flow_push(&queue, 0);
    for (size_t node; flow_pop(&queue, &node);) {
        const struct flow_node *at = &flow->nodes[node];
        const struct state end = walk(findings, node, states[node], asked, NULL);
        for (int way = 0; way < FLOW_WAYS; way++) {
            const struct state next = leave(findings->code, at, way, &end);
            if (at->next[way] != FLOW_NONE && meet(&states[at->next[way]], &next))
                flow_push(&queue, at->next[way]);
        }
    }
    for (size_t node = 0; node < flow->count; node++)
        walk(findings, node, states[node], asked, found);
}
