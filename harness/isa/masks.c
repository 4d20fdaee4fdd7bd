// SPDX-License-Identifier: Apache-2.0
// Masks of lanes and convergence barriers that cannot be right.
#include "isa/divergent.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define PREDICATES 7
#define MASKS      (256 + 64) // R0 to R255, UR0 to UR63
#define KNOWN      8          // truth values remembered of a path
#define UNKNOWN    0

// "The predicate that instruction N defines has value V": 2 * N + V + 1.
typedef uint32_t fact;

// What holds before an instruction on every path to it.
struct state {
    bool reached;
    fact masks[MASKS];          // the mask has only lanes in which that holds
    size_t defined[PREDICATES]; // the instruction that defines Pn; FLOW_NONE: none
    fact known[KNOWN];          // holds in the lanes that are here
};

static fact fact_of(const struct state *state, unsigned predicate, bool value)
{
    if (predicate >= PREDICATES || state->defined[predicate] == FLOW_NONE)
        return UNKNOWN;
    return (fact)(2 * state->defined[predicate] + value + 1);
}

static bool contradicts(const struct state *state, fact of)
{
    bool found = false;
    for (size_t i = 0; i < KNOWN && of; i++)
        found |= state->known[i] && state->known[i] == ((of - 1) ^ 1) + 1;
    return found;
}

static void know(struct state *state, fact what)
{
    for (size_t i = 0; i < KNOWN && what; i++)
        if (state->known[i] == UNKNOWN || state->known[i] == what) {
            state->known[i] = what;
            return;
        }
}

static fact without(fact what, size_t insn)
{
    return what && (what - 1) / 2 == insn ? UNKNOWN : what;
}

// A fact about what an instruction reads, one that contradicts `here` if there is one; UNKNOWN if
// it has none.
static fact fact_read(const struct state *state, const struct sass_insn *insn,
                      const struct state *here)
{
    fact found = UNKNOWN;
    for (unsigned i = 0; i < MASKS; i++) {
        const bool reads =
            i < 256 ? insn->reads.r[i / 64] >> (i % 64) & 1 : insn->reads.ur >> (i - 256) & 1;
        if (reads && state->masks[i] && (!found || contradicts(here, state->masks[i])))
            found = state->masks[i];
    }
    return found;
}

// Whether its result has only bits that each of its operands has: AND, or a copy.
static bool narrows(const struct sass_insn *insn)
{
    static const char *const copies[] = {"MOV ", "UMOV ", "IMAD.MOV.U32 ", "IMAD.U32 ", "R2UR "};
    if (sass_begins(insn, "LOP3.LUT ") || sass_begins(insn, "ULOP3.LUT "))
        return strstr(insn->text, ", 0xc0, ") || strstr(insn->text, ", 0x80, ");
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        if (sass_begins(insn, copies[i]))
            return true;
    return false;
}

// The lanes that "VOTE.ANY R2, PT, !P1" counts.
static fact fact_voted(const struct state *state, const struct sass_insn *insn)
{
    const char *last = strrchr(insn->text, ' ');
    const bool negated = last && last[1] == '!';
    if (!last || last[1 + negated] != 'P' || last[2 + negated] < '0' || last[2 + negated] > '6')
        return UNKNOWN;
    return fact_of(state, (unsigned)(last[2 + negated] - '0'), !negated);
}

static void step(struct state *state, const struct sass_insn *insn, size_t index)
{
    fact result = UNKNOWN;
    if (sass_begins(insn, "VOTE.ANY ") || sass_begins(insn, "VOTEU.ANY "))
        result = fact_voted(state, insn);
    else if (narrows(insn))
        result = fact_read(state, insn, state);
    for (unsigned i = 0; i < MASKS; i++) {
        const bool writes =
            i < 256 ? insn->writes.r[i / 64] >> (i % 64) & 1 : insn->writes.ur >> (i - 256) & 1;
        if (writes)
            state->masks[i] = sass_is_always(insn) || state->masks[i] == result ? result : UNKNOWN;
        if (insn->writes.p)
            state->masks[i] = without(state->masks[i], index);
    }
    for (unsigned i = 0; i < KNOWN && insn->writes.p; i++)
        state->known[i] = without(state->known[i], index);
    for (unsigned i = 0; i < PREDICATES; i++)
        if (insn->writes.p >> i & 1)
            state->defined[i] = index;
}

// Merges in another path to what is at the start of a node; true if that weakened the facts.
// `merged`: stands for a definition of predicates that were defined differently.
static bool meet(struct state *to, const struct state *from, size_t merged)
{
    bool less = false;
    if (!to->reached) {
        *to = *from;
        return true;
    }
    for (unsigned i = 0; i < MASKS; i++)
        if (to->masks[i] && to->masks[i] != from->masks[i]) {
            to->masks[i] = UNKNOWN;
            less = true;
        }
    for (unsigned i = 0; i < PREDICATES; i++)
        if (to->defined[i] != merged && to->defined[i] != from->defined[i]) {
            to->defined[i] = merged;
            less = true;
        }
    for (unsigned i = 0; i < KNOWN; i++) {
        bool both = to->known[i] == UNKNOWN;
        for (unsigned k = 0; k < KNOWN; k++)
            both |= to->known[i] == from->known[k];
        less |= !both;
        to->known[i] = both ? to->known[i] : UNKNOWN;
    }
    return less;
}

static bool is_access(enum sass_op op)
{
    return op == SASS_LDG || op == SASS_STG || op == SASS_ATOMG;
}

// A bounds check that failed, as the lanes that are here know: "ISETP.LE.U32.AND P0, PT,
// R1, c[0x0][0x38], !P1"; FLOW_NONE.
static size_t failed_check(const struct sass_code *code, const struct state *here)
{
    for (size_t i = 0; i < KNOWN; i++) {
        const size_t insn = (here->known[i] - 1) / 2;
        if (here->known[i] && (here->known[i] - 1) % 2 == 0 && insn < code->count &&
            sass_begins(&code->insns[insn], "ISETP.LE.U32.AND ") &&
            strstr(code->insns[insn].text, ", c[0x0]["))
            return insn;
    }
    return FLOW_NONE;
}

static bool takes_mask(const struct sass_insn *insn)
{
    return insn->op == SASS_WARPSYNC || (insn->flags & (SASS_CONVERGED | SASS_DIVERGED));
}

// Lanes that stay in a loop vote for their mask: one of those that leave is wrong there.
static void check_round(const struct sass_code *code, const struct state *state, size_t branch,
                        struct findings *findings)
{
    const struct sass_insn *insn = &code->insns[branch];
    const fact stay = fact_of(state, insn->guard, !insn->guard_negated);
    for (size_t i = 0; i < MASKS && stay && !insn->guard_uniform; i++)
        if (state->masks[i] == ((stay - 1) ^ 1) + 1) {
            findings_add_alone(findings, code, LINT_MASK, branch, (stay - 1) / 2);
            return;
        }
}

// The facts at the end of a node; with `findings`, adds its wrong masks.
static struct state walk(const struct sass_code *code, const struct flow_node *node,
                         struct state state, struct findings *findings)
{
    for (size_t i = node->first; i < node->end; i++) {
        const struct sass_insn *insn = &code->insns[i];
        struct state here = state;
        if (findings && !insn->guard_uniform)
            know(&here, fact_of(&state, insn->guard, !insn->guard_negated));
        const size_t check =
            findings && is_access(insn->op) ? failed_check(code, &here) : FLOW_NONE;
        if (check != FLOW_NONE)
            findings_add_alone(findings, code, LINT_OUTSIDE, i, check);
        // An inversion makes such a mask right, "@!P1 LOP3.LUT R2, RZ, R2, RZ, 0x33, !PT", and a
        // right one wrong.
        const bool inverts = insn->guard < PREDICATES && strstr(insn->text, ", 0x33, ");
        const fact mask = findings ? fact_read(&state, insn, &here) : UNKNOWN;
        const fact own = inverts ? fact_of(&state, insn->guard, !insn->guard_negated) : UNKNOWN;
        if (inverts ? mask && mask == own : contradicts(&here, mask))
            findings_add_alone(findings, code, LINT_MASK, i,
                               (mask - 1) / 2 < code->count ? (mask - 1) / 2 : i);
        if (findings && insn->op == SASS_BRA && insn->target <= insn->address)
            check_round(code, &state, i, findings);
        step(&state, insn, i);
    }
    return state;
}

static void find_wrong(const struct sass_code *code, const struct flow *flow,
                       struct findings *findings)
{
    OWNED(lit_free) struct state *states = lit_alloc(flow->count, sizeof *states);
    struct flow_queue queue;
    states[0].reached = true;
    for (unsigned i = 0; i < PREDICATES; i++)
        states[0].defined[i] = FLOW_NONE;
    flow_queue_open(&queue, flow);
    flow_push(&queue, 0);
    for (size_t node; flow_pop(&queue, &node);) {
        const struct flow_node *at = &flow->nodes[node];
        const struct sass_insn *last = flow_last(code, at);
        const struct state end = walk(code, at, states[node], NULL);
        for (int way = 0; way < FLOW_WAYS; way++) {
            struct state out = end;
            if (at->next[way] == FLOW_NONE)
                continue;
            if ((flow_is_branch(last->op) || flow_is_end(last->op)) && !last->guard_uniform &&
                !(last->flags & (SASS_CONVERGED | SASS_DIVERGED)) &&
                !(last->reads.p & ~(1u << last->guard)))
                know(&out, fact_of(&out, last->guard, (way == FLOW_TAKEN) != last->guard_negated));
            if (meet(&states[at->next[way]], &out, code->count + at->next[way]))
                flow_push(&queue, at->next[way]);
        }
    }
    for (size_t node = 0; node < flow->count; node++)
        walk(code, &flow->nodes[node], states[node], findings);
    flow_queue_close(&queue);
}

// --- A mask that is not used if all lanes are active, although lanes have different ones

// The register that a WARPSYNC in a node waits for, and has not been written there; -1.
static int waits_for(const struct sass_code *code, const struct flow_node *node, size_t *wait)
{
    struct sass_registers written = {0};
    for (size_t i = node->first; i < node->end; i++) {
        const struct sass_insn *insn = &code->insns[i];
        for (int r = 0; insn->op == SASS_WARPSYNC && r < 255; r++)
            if (insn->reads.r[r / 64] >> (r % 64) & 1) {
                *wait = i;
                return written.r[r / 64] >> (r % 64) & 1 ? -1 : r;
            }
        registers_add(&written, &insn->writes);
    }
    return -1;
}

// The comparison of the active mask with that of all lanes by which a node's end branches;
// FLOW_NONE.
static size_t asks_for_all(const struct sass_code *code, const struct flow_node *node)
{
    const struct sass_insn *last = flow_last(code, node);
    struct sass_registers active = {0};
    size_t found = FLOW_NONE;
    for (size_t i = node->first; i < node->end; i++) {
        const struct sass_insn *insn = &code->insns[i];
        const bool compares =
            strstr(insn->text, ", -0x1, PT") && registers_meet(&insn->reads, &active);
        if (insn->writes.p >> last->guard & 1)
            found = compares && !last->guard_uniform ? i : FLOW_NONE;
        registers_remove(&active, &insn->writes);
        if ((sass_begins(insn, "VOTE.ALL ") || sass_begins(insn, "VOTEU.ALL ")) && !insn->reads.p &&
            !insn->reads.up)
            registers_add(&active, &insn->writes);
    }
    return last->op == SASS_BRA && last->guard < PREDICATES ? found : FLOW_NONE;
}

static void find_merged(const struct sass_code *code, const struct flow *flow,
                        const struct uniform_state *states, struct findings *findings)
{
    for (size_t node = 0; node < flow->count; node++) {
        const struct flow_node *at = &flow->nodes[node];
        const size_t asks = asks_for_all(code, at);
        for (int way = 0; asks != FLOW_NONE && way < FLOW_WAYS; way++) {
            size_t wait;
            const size_t next = at->next[way];
            const int reg = next == FLOW_NONE ? -1 : waits_for(code, &flow->nodes[next], &wait);
            if (reg >= 0 && states[next].varying.r[reg / 64] >> (reg % 64) & 1)
                findings_add_alone(findings, code, LINT_MERGED, asks, wait);
        }
    }
}

// --- A subroutine that waits for lanes of several calls, which then return to different places

// Whether the same code also calls the node's subroutine from elsewhere.
static bool is_called_twice(const struct flow *flow, size_t node)
{
    const struct flow_context *own = &flow->contexts[flow->nodes[node].context];
    bool found = false;
    for (size_t i = 0; i < flow->count && own->depth && !found; i++) {
        const struct flow_context *other = &flow->contexts[flow->nodes[i].context];
        found = flow->nodes[i].first == flow->nodes[node].first && other->depth &&
                other->call != own->call && other->parent == own->parent;
    }
    return found;
}

// Whether lanes leave the node together, or as the compiler knows not together.
static bool is_asked(const struct sass_code *code, const struct flow_node *node)
{
    return takes_mask(flow_last(code, node));
}

// The first cross-lane read that lanes reach behind a subroutine's wait without another WARPSYNC or
// convergence query; FLOW_NONE.
static size_t read_behind(const struct sass_code *code, const struct flow *flow, size_t wait)
{
    struct flow_queue queue;
    size_t found = FLOW_NONE;
    OWNED(lit_free) bool *seen = lit_alloc(flow->count, sizeof *seen);
    flow_queue_open(&queue, flow);
    flow_push(&queue, wait);
    for (size_t node; found == FLOW_NONE && flow_pop(&queue, &node);) {
        const struct flow_node *at = &flow->nodes[node];
        const bool outside = at->context != flow->nodes[wait].context;
        for (size_t i = at->first; outside && i < at->end && found == FLOW_NONE; i++)
            if (sass_is_cross_lane(code->insns[i].op) && !flow_is_query(code, flow, node, i))
                found = i;
        for (int way = 0; way < FLOW_WAYS; way++)
            if ((node == wait || !is_asked(code, at)) && at->next[way] != FLOW_NONE &&
                !seen[at->next[way]]) {
                seen[at->next[way]] = true;
                flow_push(&queue, at->next[way]);
            }
    }
    flow_queue_close(&queue);
    return found;
}

static void find_shared(const struct sass_code *code, const struct flow *flow,
                        struct findings *findings)
{
    for (size_t node = 0; node < flow->count; node++) {
        const struct flow_node *at = &flow->nodes[node];
        const struct sass_insn *last = flow_last(code, at);
        if (last->op != SASS_WARPSYNC || divergent_names_all(last) || !is_called_twice(flow, node))
            continue;
        const size_t read = read_behind(code, flow, node);
        if (read != FLOW_NONE)
            findings_add_alone(findings, code, LINT_SHARED, read, at->end - 1);
    }
}

// --- Convergence barriers: a BSSY names the address behind its BSYNC

static void find_unmatched(const struct sass_code *code, struct findings *findings)
{
    OWNED(lit_free) bool *ends = lit_alloc(code->count, sizeof *ends);
    for (size_t i = 0; i < code->count; i++) {
        const struct sass_insn *insn = &code->insns[i];
        if (insn->op != SASS_BSSY || insn->target == SASS_NOWHERE || insn->target < SASS_BYTES)
            continue;
        const size_t end = sass_at(code, insn->target - SASS_BYTES);
        if (code->insns[end].op != SASS_BSYNC || code->insns[end].barrier != insn->barrier)
            findings_add_alone(findings, code, LINT_UNMATCHED, i, end);
        else
            ends[end] = true;
    }
    for (size_t i = 0; i < code->count; i++)
        if (code->insns[i].op == SASS_BSYNC && !ends[i])
            findings_add_alone(findings, code, LINT_UNMATCHED, i, i);
}

void masks_find(const struct sass_code *code, const struct flow *flow,
                const struct uniform_state *states, struct findings *findings)
{
    find_wrong(code, flow, findings);
    find_merged(code, flow, states, findings);
    find_shared(code, flow, findings);
    find_unmatched(code, findings);
}
