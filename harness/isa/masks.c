// SPDX-License-Identifier: Apache-2.0
// Masks of lanes and convergence barriers that cannot be right.
#include "isa/divergent.h"

#define PREDICATES 7
#define MASKS      SASS_REGISTERS
#define KNOWN      16 // truth values remembered of a path
#define UNKNOWN    0
#define NEARBY     12 // instructions

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

static fact opposite(fact of)
{
    return ((of - 1) ^ 1) + 1;
}

static bool has_fact(const struct state *state, fact what)
{
    bool found = false;
    for (size_t i = 0; i < KNOWN; i++)
        found |= state->known[i] == what;
    return found;
}

static bool contradicts(const struct state *state, fact of)
{
    return of && has_fact(state, opposite(of));
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
    SASS_EACH_REGISTER (i, &insn->reads)
        if (state->masks[i] && (!found || contradicts(here, state->masks[i])))
            found = state->masks[i];
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
    SASS_EACH_REGISTER (i, &insn->writes)
        state->masks[i] = sass_is_always(insn) || state->masks[i] == result ? result : UNKNOWN;
    for (unsigned i = 0; i < MASKS && insn->writes.p; i++)
        state->masks[i] = without(state->masks[i], index);
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
    for (unsigned i = 0; i < KNOWN; i++)
        if (to->known[i] != UNKNOWN && !has_fact(from, to->known[i])) {
            to->known[i] = UNKNOWN;
            less = true;
        }
    return less;
}

static bool is_access(enum sass_op op)
{
    return op == SASS_LDG || op == SASS_STG || op == SASS_ATOMG;
}

// A bounds check: "ISETP.LE.U32.AND P0, PT, R1, c[0x0][0x38], !P1".
static bool is_check(const struct sass_code *code, size_t insn)
{
    return insn < code->count && sass_begins(&code->insns[insn], "ISETP.LE.U32.AND ") &&
           strstr(code->insns[insn].text, ", c[0x0][");
}

// Perhaps one of a size in a register: "ISETP.LE.U32.AND P1, PT, R0, R9, !P1".
static bool is_like_check(const struct sass_code *code, size_t insn)
{
    return insn < code->count && sass_begins(&code->insns[insn], "ISETP.LE.U32.AND ") &&
           strstr(code->insns[insn].text, ", !P");
}

// One that the lanes that are here know: failed, or with `good` passed; FLOW_NONE.
static size_t known_check(const struct sass_code *code, const fact known[KNOWN], bool good,
                          bool (*is)(const struct sass_code *code, size_t insn))
{
    for (size_t i = 0; i < KNOWN; i++)
        if (known[i] && (known[i] - 1) % 2 == good && is(code, (known[i] - 1) / 2))
            return (known[i] - 1) / 2;
    return FLOW_NONE;
}

// What is wrong, while the facts are walked again.
struct wrong {
    struct findings *findings;
    bool *used;           // per instruction: an access depends on this check, or it is not known
    fact (*known)[KNOWN]; // per load: what the lanes know that execute it
};

// Notes the checks that an instruction depends on.
static void use_checks(const struct sass_code *code, const struct state *here,
                       const struct sass_insn *insn, bool *used)
{
    const bool guards = insn->guard < PREDICATES && !insn->guard_uniform;
    const bool more = here->known[KNOWN - 1] != UNKNOWN; // there may be
    if (guards && (is_access(insn->op) || more) && here->defined[insn->guard] < code->count)
        used[here->defined[insn->guard]] = true;
    for (size_t i = 0; i < KNOWN && (is_access(insn->op) || insn->op == SASS_RED); i++)
        if (here->known[i] && (here->known[i] - 1) / 2 < code->count)
            used[(here->known[i] - 1) / 2] = true;
    for (unsigned i = 0; i < PREDICATES; i++)
        if (insn->reads.p >> i & 1 && !(guards && insn->guard == i) &&
            here->defined[i] < code->count)
            used[here->defined[i]] = true;
}

static bool takes_mask(const struct sass_insn *insn)
{
    return insn->op == SASS_WARPSYNC || (insn->flags & (SASS_CONVERGED | SASS_DIVERGED));
}

// The operands of a comparison behind its predicates, without ".reuse".
static void put_compared(const struct sass_insn *insn, char operands[SASS_TEXT_MAX])
{
    const char *at = strchr(insn->text, ',');
    at = at ? strchr(at + 1, ',') : NULL;
    while (at && *at)
        if (strncmp(at, ".reuse", 6) == 0)
            at += 6;
        else
            *operands++ = *at++;
    *operands = '\0';
}

// Whether "@!P0 BRA P2" stays where P1 holds: P1 is the comparison of P2, and !P0 besides.
static bool stays_by_both(const struct sass_code *code, const struct state *state,
                          const struct sass_insn *branch, fact voted)
{
    char left[SASS_TEXT_MAX], right[SASS_TEXT_MAX], wanted[SASS_TEXT_MAX + 8];
    const char *second = strstr(branch->text, "BRA P");
    const unsigned also = second ? (unsigned)(second[5] - '0') : PREDICATES;
    const size_t one = (voted - 1) / 2;
    const size_t other = also < PREDICATES ? state->defined[also] : FLOW_NONE;
    if (!voted || (voted - 1) % 2 != 1 || one >= code->count || other >= code->count)
        return false;
    put_compared(&code->insns[one], left);
    put_compared(&code->insns[other], right);
    const size_t length = strlen(right);
    if (length < 4 || strcmp(right + length - 4, ", PT") != 0)
        return false;
    snprintf(wanted, sizeof wanted, "%.*s, %sP%u", (int)length - 4, right,
             branch->guard_negated ? "!" : "", branch->guard);
    return strcmp(left, wanted) == 0;
}

// The vote of a loop's round for those who stay: it narrows a mask, "LOP3.LUT R3, R8, R3, RZ, 0xc0,
// !PT". UNKNOWN: there is none, or its predicate has changed since.
static fact narrowed(const struct sass_code *code, const struct flow_node *node,
                     const struct state *state)
{
    fact found = UNKNOWN;
    for (size_t i = node->first; i < node->end; i++) {
        const struct sass_insn *vote = &code->insns[i];
        for (size_t k = i + 1; sass_begins(vote, "VOTE.ANY ") && k < node->end; k++) {
            const struct sass_insn *and = &code->insns[k];
            if (sass_begins(and, "LOP3.LUT ") && strstr(and->text, ", RZ, 0xc0, ") &&
                sass_is_always(and) && registers_meet(&and->reads, &vote->writes) &&
                registers_meet(&and->reads, &and->writes)) {
                const fact voted = fact_voted(state, vote);
                found = voted && (voted - 1) / 2 < i ? voted : UNKNOWN;
            }
            if (registers_meet(&and->writes, &vote->writes))
                break;
        }
    }
    return found;
}

// Lanes that stay in a loop vote for their mask: one of others is wrong there, of those that leave,
// or of another predicate than they stay by.
static void check_round(struct findings *findings, const struct flow_node *node,
                        const struct state *state)
{
    const struct sass_code *code = findings->code;
    const size_t branch = node->end - 1;
    const struct sass_insn *insn = &code->insns[branch];
    const fact stay = fact_of(state, insn->guard, !insn->guard_negated);
    const fact voted = narrowed(code, node, state);
    const bool two = (insn->reads.p & ~(1u << insn->guard)) != 0;
    fact wrong =
        voted && (two ? !stays_by_both(code, state, insn, voted) : voted != stay) ? voted : UNKNOWN;
    for (size_t i = 0; i < MASKS && !two; i++)
        if (state->masks[i] == opposite(stay))
            wrong = state->masks[i];
    if (stay && wrong && !insn->guard_uniform && (wrong - 1) / 2 < code->count)
        findings_add_alone(findings, LINT_MASK, branch, (wrong - 1) / 2);
}

// Whether a WARPSYNC takes the mask that a vote gave.
static bool takes_vote(const struct sass_code *code, size_t wait)
{
    const struct sass_insn *insn = &code->insns[wait];
    size_t i = wait;
    while (i > 0 && !registers_meet(&code->insns[i - 1].writes, &insn->reads))
        i--;
    return insn->op == SASS_WARPSYNC && i > 0 && sass_begins(&code->insns[i - 1], "VOTE.ANY ");
}

static void check(struct wrong *wrong, const struct flow_node *node, size_t index,
                  const struct state *state)
{
    const struct sass_code *code = wrong->findings->code;
    const struct sass_insn *insn = &code->insns[index];
    struct state here = *state;
    if (!insn->guard_uniform)
        know(&here, fact_of(state, insn->guard, !insn->guard_negated));
    const size_t failed =
        is_access(insn->op) ? known_check(code, here.known, false, is_check) : FLOW_NONE;
    if (failed != FLOW_NONE)
        findings_add_alone(wrong->findings, LINT_OUTSIDE, index, failed);
    use_checks(code, &here, insn, wrong->used);
    memcpy(wrong->known[index], here.known, sizeof here.known);
    // An inversion makes such a mask right, "@!P1 LOP3.LUT R2, RZ, R2, RZ, 0x33, !PT", and a right
    // one wrong.
    const bool inverts = insn->guard < PREDICATES && strstr(insn->text, ", 0x33, ");
    const fact mask = fact_read(state, insn, &here);
    const fact own = inverts ? fact_of(state, insn->guard, !insn->guard_negated) : UNKNOWN;
    // Lanes for which the predicate did not hold may come to a wait as well.
    const bool all =
        mask && (mask - 1) / 2 < code->count && !has_fact(&here, mask) && takes_vote(code, index);
    if (inverts ? mask && mask == own : contradicts(&here, mask) || all)
        findings_add_alone(wrong->findings, LINT_MASK, index,
                           (mask - 1) / 2 < code->count ? (mask - 1) / 2 : index);
    if (insn->op == SASS_BRA && insn->target <= insn->address)
        check_round(wrong->findings, node, state);
}

// The facts at the end of a node; adds what is wrong, if not NULL.
static struct state walk(const struct sass_code *code, const struct flow_node *node,
                         struct state state, struct wrong *wrong)
{
    for (size_t i = node->first; i < node->end; i++) {
        if (wrong)
            check(wrong, node, i, &state);
        step(&state, &code->insns[i], i);
    }
    return state;
}

// A load that its bounds check guards has 0 in its register where the check failed: "@!P0
// IMAD.MOV.U32 R1, RZ, RZ, RZ", just before it.
static void check_zeros(const struct wrong *wrong)
{
    const struct sass_code *code = wrong->findings->code;
    for (size_t i = 0; i < code->count; i++) {
        const struct sass_insn *insn = &code->insns[i];
        const bool zero = sass_begins(insn, "IMAD.MOV.U32 ") || sass_begins(insn, "MOV ");
        const size_t length = strlen(insn->text);
        if (!zero || insn->guard >= PREDICATES || length < 4 ||
            strcmp(insn->text + length - 4, ", RZ") != 0)
            continue;
        for (size_t k = i + 1; k < code->count && k < i + NEARBY; k++) {
            const struct sass_insn *load = &code->insns[k];
            const bool writes = registers_meet(&load->writes, &insn->writes);
            const size_t passed = known_check(code, wrong->known[k], true, is_like_check);
            if (writes && load->op == SASS_LDG && passed != FLOW_NONE &&
                known_check(code, wrong->known[i], false, is_like_check) != passed)
                findings_add_alone(wrong->findings, LINT_OUTSIDE, i, passed);
            if (writes || registers_meet(&load->reads, &insn->writes))
                break;
        }
    }
}

static void find_wrong(struct findings *findings)
{
    const struct sass_code *code = findings->code;
    const struct flow *flow = findings->flow;
    OWNED(lit_free) struct state *states = lit_alloc(flow->count, sizeof *states);
    OWNED(flow_queue_close) struct flow_queue queue = flow_queue_make(flow);
    states[0].reached = true;
    for (unsigned i = 0; i < PREDICATES; i++)
        states[0].defined[i] = FLOW_NONE;
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
    OWNED(lit_free) bool *used = lit_alloc(code->count, sizeof *used);
    OWNED(lit_free) fact(*known)[KNOWN] = lit_alloc(code->count, sizeof *known);
    struct wrong wrong = {findings, used, known};
    for (size_t node = 0; node < flow->count; node++) {
        const struct state end = walk(code, &flow->nodes[node], states[node], &wrong);
        for (unsigned i = 0; i < PREDICATES * FLOW_WAYS; i++) {
            const size_t next = flow->nodes[node].next[i % FLOW_WAYS];
            const size_t defined = end.defined[i / FLOW_WAYS];
            if (next != FLOW_NONE && defined < code->count &&
                states[next].defined[i / FLOW_WAYS] != defined)
                wrong.used[defined] = true; // merged with others
        }
    }
    for (size_t node = 0; node < flow->count; node++)
        for (size_t i = flow->nodes[node].first; i < flow->nodes[node].end; i++)
            if (is_check(code, i) && !wrong.used[i])
                findings_add_alone(findings, LINT_OUTSIDE, i, i);
    check_zeros(&wrong);
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

static bool sets(const struct sass_code *code, const struct flow_node *node, int reg)
{
    bool found = false;
    for (size_t i = node->first; i < node->end; i++)
        found |= code->insns[i].writes.r[reg / 64] >> (reg % 64) & 1;
    return found;
}

// Whether lanes of different ways meet behind the last instruction that set the register, and then
// come to the node: each may have computed another mask.
static bool is_met_with(const struct sass_code *code, const struct flow *flow, int reg, size_t to)
{
    OWNED(flow_queue_close) struct flow_queue queue = flow_queue_make(flow);
    OWNED(lit_free) bool *seen = lit_alloc(flow->count, sizeof *seen);
    for (size_t node = 0; node < flow->count; node++)
        if (flow_last(code, &flow->nodes[node])->op == SASS_BSYNC)
            flow_push(&queue, node);
    for (size_t node; !seen[to] && flow_pop(&queue, &node);) {
        const struct flow_node *at = &flow->nodes[node];
        const bool meets = flow_last(code, at)->op == SASS_BSYNC;
        FLOW_EACH_NEXT (next, at)
            if (!seen[next] && (meets || !sets(code, at, reg))) {
                seen[next] = true;
                flow_push(&queue, next);
            }
    }
    return seen[to] && !sets(code, &flow->nodes[to], reg);
}

static void find_merged(struct findings *findings)
{
    const struct sass_code *code = findings->code;
    const struct flow *flow = findings->flow;
    for (size_t node = 0; node < flow->count; node++) {
        const struct flow_node *at = &flow->nodes[node];
        const size_t asks = asks_for_all(code, at);
        for (int way = 0; asks != FLOW_NONE && way < FLOW_WAYS; way++) {
            size_t wait;
            const size_t next = at->next[way];
            const int reg = next == FLOW_NONE ? -1 : waits_for(code, &flow->nodes[next], &wait);
            if (reg >= 0 && findings->states[next].varying.r[reg / 64] >> (reg % 64) & 1 &&
                is_met_with(code, flow, reg, node))
                findings_add_alone(findings, LINT_MERGED, asks, wait);
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

// The first cross-lane read that lanes reach behind a subroutine's wait without another WARPSYNC or
// convergence query; FLOW_NONE.
static size_t read_behind(const struct sass_code *code, const struct flow *flow, size_t wait)
{
    OWNED(flow_queue_close) struct flow_queue queue = flow_queue_make(flow);
    size_t found = FLOW_NONE;
    OWNED(lit_free) bool *seen = lit_alloc(flow->count, sizeof *seen);
    flow_push(&queue, wait);
    for (size_t node; found == FLOW_NONE && flow_pop(&queue, &node);) {
        const struct flow_node *at = &flow->nodes[node];
        const bool outside = at->context != flow->nodes[wait].context;
        for (size_t i = at->first; outside && i < at->end && found == FLOW_NONE; i++)
            if (sass_is_cross_lane(code->insns[i].op) && !flow_is_query(code, flow, node, i))
                found = i;
        FLOW_EACH_NEXT (next, at) // lanes leave the node together, or as the compiler knows not
            if ((node == wait || !takes_mask(flow_last(code, at))) && !seen[next]) {
                seen[next] = true;
                flow_push(&queue, next);
            }
    }
    return found;
}

static void find_shared(struct findings *findings)
{
    const struct sass_code *code = findings->code;
    const struct flow *flow = findings->flow;
    for (size_t node = 0; node < flow->count; node++) {
        const struct flow_node *at = &flow->nodes[node];
        const struct sass_insn *last = flow_last(code, at);
        if (last->op != SASS_WARPSYNC || divergent_names_all(last) || !is_called_twice(flow, node))
            continue;
        const size_t read = read_behind(code, flow, node);
        if (read != FLOW_NONE)
            findings_add_alone(findings, LINT_SHARED, read, at->end - 1);
    }
}

// --- Convergence barriers: a BSSY names the address behind its BSYNC

static void find_unmatched(struct findings *findings)
{
    const struct sass_code *code = findings->code;
    OWNED(lit_free) bool *ends = lit_alloc(code->count, sizeof *ends);
    for (size_t i = 0; i < code->count; i++) {
        const struct sass_insn *insn = &code->insns[i];
        if (insn->op != SASS_BSSY || insn->target == SASS_NOWHERE || insn->target < SASS_BYTES)
            continue;
        const size_t end = sass_at(code, insn->target - SASS_BYTES);
        if (code->insns[end].op != SASS_BSYNC || code->insns[end].barrier != insn->barrier)
            findings_add_alone(findings, LINT_UNMATCHED, i, end);
        else
            ends[end] = true;
    }
    for (size_t i = 0; i < code->count; i++)
        if (code->insns[i].op == SASS_BSYNC && !ends[i])
            findings_add_alone(findings, LINT_UNMATCHED, i, i);
}

void masks_find(struct findings *findings)
{
    find_wrong(findings);
    find_merged(findings);
    find_shared(findings);
    find_unmatched(findings);
}
