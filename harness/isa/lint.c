// SPDX-License-Identifier: Apache-2.0
#include "isa/lint.h"

#include "isa/origin.h"

#define WORK       20000000 // limit on states and instructions stepped
#define CANDIDATES 64       // limit on reads per side considered for LINT_TWICE

struct run {
    const struct sass_code *code;
    struct lint *lint;
    bool rows;
    struct flow flow;
    struct sass_registers *met, *written;
    struct uniform_state *states;
    struct divergent entry, lanes;
    bool *followed; // per node: divergence at its end has been followed
    struct findings findings;
    struct flow_queue queue;
    size_t *reached; // nodes, without duplicates
    bool *is_reached;
};

// Results of following lanes from one branch.

static int by_read(const void *a, const void *b)
{
    const struct divergent_hit *left = a, *right = b;
    if (left->insn != right->insn)
        return left->insn < right->insn ? -1 : 1;
    return (left->state > right->state) - (left->state < right->state);
}

static bool converged(const struct divergent_state *a, const struct divergent_state *b)
{
    return a->place == b->place && a->place != DIVERGENT_NONE;
}

static const struct divergent_state *state_of(const struct run *run,
                                              const struct divergent_hit *hit)
{
    return &run->lanes.states[hit->state];
}

// The first pair of hits of one read that come from different sides and meet divergent in a node.
// `same_round`: both have returned to the branch equally often.
static bool find_pair(struct run *run, const struct divergent_hit *hits, size_t count,
                      bool same_round, const struct divergent_hit *pair[2])
{
    run->lanes.work += count;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            run->lanes.work++;
            const struct divergent_state *a = state_of(run, &hits[j]), *b = state_of(run, &hits[i]);
            if (a->node != b->node || a->side == b->side || converged(a, b) ||
                (a->rounds == b->rounds) != same_round)
                continue;
            pair[a->side] = &hits[j];
            pair[b->side] = &hits[i];
            return true;
        }
    return false;
}

// What followed lanes can still reach from a node.
struct ahead {
    bool branch; // the branch where they diverged: they are still in its loop
    bool meets;  // a place other than WARPSYNC.ALL where both sides reconverge
};

// Marks a node as reached.
static size_t reach_also(struct run *run, size_t count, size_t node)
{
    if (run->is_reached[node])
        return count;
    run->is_reached[node] = true;
    run->reached[count] = node;
    return count + 1;
}

// Collects the nodes that followed lanes reach from the first `count` ones, which it includes,
// without duplicates. Does not go past a node for which `leaves` is true.
static size_t reach(struct run *run, size_t count,
                    bool (*leaves)(const struct run *run, size_t node, void *user), void *user)
{
    for (size_t i = 0; i < count; i++) {
        const struct flow_node *at = &run->flow.nodes[run->reached[i]];
        if (leaves(run, run->reached[i], user))
            continue;
        FLOW_EACH_NEXT (next, at)
            if (run->lanes.nodes[next].newest != DIVERGENT_NONE)
                count = reach_also(run, count, next);
    }
    for (size_t i = 0; i < count; i++)
        run->is_reached[run->reached[i]] = false;
    run->lanes.work += 8 * count;
    return count;
}

static bool note_ahead(const struct run *run, size_t node, void *user)
{
    struct ahead *ahead = user;
    const struct sass_insn *last = flow_last(run->code, &run->flow.nodes[node]);
    ahead->branch |= node == run->lanes.branch;
    ahead->meets |= run->lanes.nodes[node].meets == 3 && !divergent_names_all(last);
    return false;
}

static struct ahead look_ahead(struct run *run, size_t node)
{
    struct ahead ahead = {0};
    reach(run, reach_also(run, 0, node), note_ahead, &ahead);
    return ahead;
}

// The first hit in a node that only lanes of one side reach.
static const struct divergent_hit *find_alone(const struct run *run,
                                              const struct divergent_hit *hits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool other = false;
        for (size_t j = 0; j < count && !other; j++)
            other = state_of(run, &hits[j])->node == state_of(run, &hits[i])->node &&
                    state_of(run, &hits[j])->side != state_of(run, &hits[i])->side;
        if (!other)
            return &hits[i];
    }
    return NULL;
}

// Lanes from both sides meet in a read, but only in different iterations.
static void report_rounds(struct run *run, size_t branch, const struct divergent_hit *pair[2])
{
    const struct ahead ahead = look_ahead(run, state_of(run, pair[0])->node);
    if ((ahead.branch || ahead.meets) && !sass_is_cross_lane(run->code->insns[pair[0]->insn].op))
        return;
    if (ahead.branch) // lanes of the same iteration do not meet there
        findings_add(&run->findings, &run->lanes, LINT_INSIDE, branch, pair[0], NULL);
    else
        findings_add(&run->findings, &run->lanes, ahead.meets ? LINT_LEAVING : LINT_RISK, branch,
                     pair[0], pair[1]);
}

// Whether the lanes that reach an R2UR may hold different values: it takes one of them.
static bool takes_one(const struct run *run, const struct divergent_hit *hit)
{
    const size_t node = state_of(run, hit)->node;
    struct uniform_state state = run->states[node];
    for (size_t i = run->flow.nodes[node].first; i < hit->insn; i++)
        uniform_step(run->code, run->rows, &run->code->insns[i], &state);
    return registers_meet(&run->code->insns[hit->insn].reads, &state.varying);
}

static void report_hits(struct run *run, size_t branch, enum lint_kind one_sided)
{
    struct divergent *lanes = &run->lanes;
    for (size_t i = 0, end; i < lanes->hit_count; i = end) {
        const struct divergent_hit *hits = &lanes->hits[i], *pair[2];
        for (end = i; end < lanes->hit_count && lanes->hits[end].insn == hits->insn;)
            end++;
        const struct divergent_hit *alone = NULL;
        const bool sided = one_sided == LINT_INSIDE;
        const enum sass_op op = run->code->insns[hits->insn].op;
        if (op == SASS_R2UR && !takes_one(run, hits))
            continue;
        if (sided && find_pair(run, hits, end - i, true, pair))
            findings_add(&run->findings, &run->lanes, LINT_RISK, branch, pair[0], pair[1]);
        else if (sided && find_pair(run, hits, end - i, false, pair))
            report_rounds(run, branch, pair);
        else if (sass_is_cross_lane(op) && (alone = find_alone(run, hits, end - i)))
            findings_add(&run->findings, &run->lanes, one_sided, branch, alone, NULL);
    }
}

// The same read in two places.

static uint8_t sides_at(const struct divergent *lanes, size_t node)
{
    uint8_t sides = 0;
    for (uint32_t i = lanes->nodes[node].newest; i != DIVERGENT_NONE; i = lanes->states[i].older)
        sides |= (uint8_t)(1u << lanes->states[i].side);
    return sides;
}

struct certainty {
    unsigned side;
    size_t node;
    bool escapes;
};

static bool note_escape(const struct run *run, size_t node, void *user)
{
    struct certainty *c = user;
    if (node != c->node)
        c->escapes |= run->lanes.nodes[node].ends || sides_at(&run->lanes, node) != 1u << c->side;
    return node == c->node || c->escapes;
}

// Whether every lane of a side must execute something in `node` before it leaves the code of that
// side.
static bool is_certain(struct run *run, unsigned side, size_t node)
{
    const struct divergent *lanes = &run->lanes;
    struct certainty certainty = {side, node, false};
    size_t count = 0;
    for (size_t i = 0; i < lanes->count && lanes->states[i].parent == DIVERGENT_NONE; i++)
        if (lanes->states[i].side == side)
            count = reach_also(run, count, lanes->states[i].node);
    reach(run, count, note_escape, &certainty);
    return !certainty.escapes;
}

// The reads that lanes of one side alone are certain to reach, by distance.
static size_t find_certain(struct run *run, unsigned side, struct divergent_hit *certain)
{
    const struct divergent *lanes = &run->lanes;
    size_t count = 0;
    for (size_t i = 0; i < lanes->hit_count && count < CANDIDATES; i++) {
        const struct divergent_hit *hit = &lanes->hits[i];
        const struct divergent_state *state = &lanes->states[hit->state];
        if (state->side != side || state->place != DIVERGENT_NONE ||
            !sass_is_cross_lane(run->code->insns[hit->insn].op) ||
            sides_at(lanes, state->node) != 1u << side ||
            flow_is_query(run->code, &run->flow, state->node, hit->insn))
            continue;
        bool seen = false;
        for (size_t j = 0; j < count; j++)
            seen |=
                certain[j].insn == hit->insn && lanes->states[certain[j].state].node == state->node;
        if (!seen && is_certain(run, side, state->node))
            certain[count++] = *hit;
    }
    return count;
}

static int by_distance(const void *a, const void *b)
{
    const struct divergent_hit *left = a, *right = b;
    if (left->state != right->state)
        return left->state < right->state ? -1 : 1;
    return (left->insn > right->insn) - (left->insn < right->insn);
}

static bool same_sort(const struct run *run, size_t a, size_t b)
{
    size_t lengths[2];
    const char *left = sass_mnemonic(&run->code->insns[a], &lengths[0]);
    const char *right = sass_mnemonic(&run->code->insns[b], &lengths[1]);
    return lengths[0] == lengths[1] && memcmp(left, right, lengths[0]) == 0;
}

static void report_twice(struct run *run, size_t branch)
{
    struct divergent_hit certain[2][CANDIDATES];
    size_t counts[2];
    for (unsigned side = 0; side < 2; side++)
        counts[side] = find_certain(run, side, certain[side]);
    if (!counts[0] || !counts[1])
        return;
    for (unsigned side = 0; side < 2; side++)
        qsort(certain[side], counts[side], sizeof(certain[side][0]), by_distance);
    bool taken[CANDIDATES] = {false};
    for (size_t i = 0; i < counts[0]; i++)
        for (size_t j = 0; j < counts[1]; j++) {
            if (taken[j] || !same_sort(run, certain[0][i].insn, certain[1][j].insn))
                continue;
            findings_add(&run->findings, &run->lanes, LINT_TWICE, branch, &certain[0][i],
                         &certain[1][j]);
            taken[j] = true;
            break;
        }
}

// Registers that lanes wrote while divergent may differ after they reconverge.
static void spread_written(struct run *run)
{
    const struct divergent *lanes = &run->lanes;
    const struct flow *flow = &run->flow;
    for (size_t i = 0; i < lanes->touched_count; i++)
        run->written[lanes->touched[i]] = (struct sass_registers){0};
    for (size_t i = 0; i < lanes->count && lanes->states[i].parent == DIVERGENT_NONE; i++)
        uniform_sided(run->code, &flow->nodes[lanes->branch], &run->written[lanes->states[i].node]);
    for (size_t i = 0; i < lanes->touched_count; i++)
        flow_push(&run->queue, lanes->touched[i]);
    for (size_t node; flow_pop(&run->queue, &node);) {
        const struct flow_node *at = &flow->nodes[node];
        struct sass_registers out = run->written[node];
        for (size_t i = at->first; i < at->end; i++)
            registers_add(&out, &run->code->insns[i].writes);
        run->lanes.work += at->end - at->first;
        out.ur = 0; // shared by all lanes
        out.up = 0;
        if (lanes->nodes[node].meets == 3)
            registers_add(&run->met[node], &out);
        FLOW_EACH_NEXT (next, at)
            if (lanes->nodes[next].newest != DIVERGENT_NONE &&
                registers_add(&run->written[next], &out))
                flow_push(&run->queue, next);
    }
}

// --- Putting it together

static bool too_much(struct lit_error *error)
{
    return lit_fail(error, LIT_EXIT_USAGE,
                    "cannot be analysed: lanes can diverge in too many ways to follow them all");
}

// Follows lanes that diverge at the end of a node, for each set of barriers that they can be in.
static bool follow_from(struct run *run, size_t node)
{
    const struct sass_insn *last = flow_last(run->code, &run->flow.nodes[node]);
    const bool exits = flow_is_end(last->op);
    struct divergent_state starts[64];
    size_t count = 0;
    for (uint32_t i = run->entry.nodes[node].newest; i != DIVERGENT_NONE;
         i = run->entry.states[i].older) {
        const struct divergent_state state = divergent_before_last(&run->entry, i);
        bool known = false;
        for (size_t j = 0; j < count && !known; j++)
            known = starts[j].open == state.open &&
                    memcmp(starts[j].saved, state.saved, sizeof(state.saved)) == 0;
        if (!known && count == 64)
            return false;
        if (!known)
            starts[count++] = state;
    }
    for (size_t i = 0; i < count; i++) {
        run->lanes.limit = WORK;
        const bool good = exits ? divergent_survive(&run->lanes, node, &starts[i])
                                : divergent_follow(&run->lanes, node, &starts[i]);
        if (!good)
            return false;
        if (run->lanes.hit_count)
            qsort(run->lanes.hits, run->lanes.hit_count, sizeof(*run->lanes.hits), by_read);
        report_hits(run, run->flow.nodes[node].end - 1, exits ? LINT_EXITED : LINT_INSIDE);
        if (exits)
            continue;
        report_twice(run, run->flow.nodes[node].end - 1);
        overwritten_find(&run->lanes, run->flow.nodes[node].end - 1, &run->findings);
        spread_written(run);
    }
    return run->lanes.work + run->findings.work <= WORK;
}

// Whether the lanes that execute a guarded WARPSYNC wait for just each other, which are together:
// "VOTE.ANY R0, PT, P3; @P3 WARPSYNC R0".
static bool waits_for_own(const struct run *run, const struct flow_node *node)
{
    const struct sass_insn *last = flow_last(run->code, node);
    const char *guard = last->text + 1; // behind '@'
    const size_t length = strcspn(guard, " ");
    for (size_t i = node->end - 1; last->guard != SASS_ALWAYS && i-- > node->first;) {
        const struct sass_insn *insn = &run->code->insns[i];
        const char *voted = strrchr(insn->text, ' ');
        if (registers_meet(&insn->writes, &last->reads))
            return sass_begins(insn, "VOTE.ANY ") && voted && strlen(voted + 1) == length &&
                   memcmp(voted + 1, guard, length) == 0;
    }
    return false;
}

// Whether lanes may differ before the last instruction of a node, and so diverge.
static bool diverges_at_end(const struct run *run, size_t node)
{
    struct uniform_state state = run->states[node];
    const struct flow_node *at = &run->flow.nodes[node];
    const struct sass_insn *last = flow_last(run->code, at);
    const bool ends = flow_is_end(last->op);
    const bool stays =
        last->op == SASS_BSYNC || (last->op == SASS_WARPSYNC && !waits_for_own(run, at));
    const bool two = at->next[FLOW_FALL] != FLOW_NONE && at->next[FLOW_TAKEN] != FLOW_NONE &&
                     at->next[FLOW_FALL] != at->next[FLOW_TAKEN];
    if ((!ends && !stays && !two) || (last->flags & (SASS_CONVERGED | SASS_DIVERGED)))
        return false;
    for (size_t i = at->first; i + 1 < at->end; i++)
        uniform_step(run->code, run->rows, &run->code->insns[i], &state);
    return uniform_diverges(run->code, last, &state);
}

// Lanes that meet after different paths may differ in more registers and so diverge at more
// branches: repeats until no branch is new.
static bool follow_new(struct run *run)
{
    for (bool found = true; found;) {
        found = false;
        uniform_find(run->code, &run->flow, run->rows, run->met, run->states);
        for (size_t node = 0; node < run->flow.count; node++) {
            if (run->followed[node] || !diverges_at_end(run, node))
                continue;
            run->followed[node] = found = true;
            if (!follow_from(run, node))
                return false;
        }
    }
    return true;
}

// Reconverged lanes may also not share barriers that each entered alone: repeats everything until
// stable.
static bool follow_all(struct run *run)
{
    for (size_t before = SIZE_MAX;;) {
        uint64_t shared = 0;
        if (!divergent_enter(&run->entry, run->met))
            return false;
        for (size_t i = 0; i < run->entry.count; i++)
            shared += 1 + run->entry.states[i].open;
        if (shared == before)
            return true;
        before = shared;
        findings_restart(&run->findings);
        memset(run->followed, 0, run->flow.count * sizeof(*run->followed));
        if (!follow_new(run))
            return false;
    }
}

static void count_and_guard(struct run *run)
{
    OWNED(lit_free) bool *seen = lit_alloc(run->code->count, sizeof(*seen));
    for (size_t i = 0; i < run->flow.count; i++) {
        const struct flow_node *node = &run->flow.nodes[i];
        struct uniform_state state = run->states[i];
        for (size_t j = node->first; j < node->end; j++) {
            const struct sass_insn *insn = &run->code->insns[j];
            const bool reads = sass_is_cross_lane(insn->op);
            if (reads && uniform_diverges(run->code, insn, &state))
                findings_add_alone(&run->findings, LINT_GUARDED, j, j);
            uniform_step(run->code, run->rows, insn, &state);
            run->lint->reads += reads && !seen[j];
            seen[j] = true;
        }
    }
}

static int by_kind(const void *a, const void *b)
{
    const struct lint_finding *left = a, *right = b;
    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    if (left->read != right->read)
        return left->read < right->read ? -1 : 1;
    return (left->branch > right->branch) - (left->branch < right->branch);
}

bool lint_run(const struct sass_code *code, const struct lint_options *options, struct lint *lint,
              struct lit_error *error)
{
    *lint = (struct lint){.operands = code->operands};
    struct run run = {
        .code = code,
        .lint = lint,
        .rows = options->rows,
        .findings = {.lint = lint, .code = code, .flow = &run.flow, .options = *options}};
    bool good = flow_make(code, &run.flow, error);
    if (good) {
        const size_t count = run.flow.count;
        run.met = lit_alloc(count, sizeof(*run.met));
        run.findings.states = run.states = lit_alloc(count, sizeof(*run.states));
        run.written = lit_alloc(count, sizeof(*run.written));
        run.followed = lit_alloc(count, sizeof(*run.followed));
        run.reached = lit_alloc(count, sizeof(*run.reached));
        run.is_reached = lit_alloc(count, sizeof(*run.is_reached));
        run.queue = flow_queue_make(&run.flow);
        good = divergent_open(&run.entry, code, &run.flow, WORK);
        good = divergent_open(&run.lanes, code, &run.flow, WORK) && good;
        good = (good && follow_all(&run)) || too_much(error);
        if (good) {
            count_and_guard(&run);
            misguarded_find(&run.findings);
            masks_find(&run.findings);
            defined_find(&run.findings);
            if (options->words) {
                origin_find(&run.findings);
                scalar_find(&run.findings);
                votes_find(&run.findings);
                tables_find(&run.findings);
                moved_find(&run.findings);
            }
        }
        divergent_close(&run.entry);
        divergent_close(&run.lanes);
    }
    flow_clear(&run.flow);
    findings_clear(&run.findings);
    free(run.met);
    free(run.states);
    free(run.written);
    free(run.followed);
    free(run.reached);
    free(run.is_reached);
    flow_queue_close(&run.queue);
    for (size_t i = 0; i < lint->count; i++)
        if (lint->findings[i].kind == LINT_RISK && (lint->findings[i].waits || !code->operands))
            lint->findings[i].kind = LINT_UNCLEAR;
    if (good && options->words)
        sources_find(&run.findings);
    if (lint->count)
        qsort(lint->findings, lint->count, sizeof(*lint->findings), by_kind);
    return good;
}

// --- Messages

#define SHOWN 8 // addresses of a path; longer ones are abbreviated in the middle

// What a finding says behind its instruction: %b the branch's address, or %B with the number of
// other such branches; %o the other read's address; %i the branch's instruction; %r the register in
// question, %d where it was set last, %n its number; %f a bit, %m the one that is meant.
static const struct {
    const char *name, *says;
} kinds[LINT_KINDS] = {
    [LINT_MISGUARDED] = {"misguarded",
                         " is guarded by %r%d, but the lane masks at %b were compared "
                         "into UP%n"},
    [LINT_MASK] = {"wrong mask", " takes a mask of lanes that did not come here: those with the "
                                 "other value of the predicate set at %b"},
    [LINT_MERGED] = {"merged", " asks whether all lanes are here, but these have different masks, "
                               "which only the WARPSYNC at %b regards"},
    [LINT_SHARED] = {"shared wait", " is reached by lanes that waited at %b, in a subroutine, but "
                                    "had called it from several places and returned to these"},
    [LINT_UNMATCHED] = {"unmatched", " has no BSSY of its barrier"},
    [LINT_OUTSIDE] = {"outside", " accesses memory where the bounds check at %b failed"},
    [LINT_UNSET] = {"unset", " reads a register that no instruction sets before"},
    [LINT_UNUSED] = {"unused", " sets a register that no instruction reads"},
    [LINT_OVERWRITTEN] = {"overwritten", " reads %r%d, a uniform register that lanes on the other "
                                         "side of the branch at %b overwrite at %o without "
                                         "reconvergence: "},
    [LINT_SCALAR] = {"wrong scalar", " takes one lane's value of %r%d, for lanes that came one by "
                                     "one and may differ in it"},
    [LINT_BIT] = {"wrong bit", " reads a predicate that the R2P at %b set to bit %f of a word; the "
                               "module tests bit %m, which has the same number in its byte"},
    [LINT_TABLE] = {"wrong table", " combines truth values as the module combines the negations of "
                                   "two of them"},
    [LINT_MOVED] = {"moved", " is executed before the %i, which may access the same address"},
    [LINT_RISK] = {"at risk", " can be reached from both sides of the branch at %B without "
                              "reconvergence: "},
    [LINT_UNCLEAR] = {"unclear", " can be reached from both sides of the branch at %B without "
                                 "reconvergence that is sure: "},
    [LINT_LEAVING] = {"leaving", " is reached by lanes that leave a loop at %B in different "
                                 "iterations, before they reconverge: "},
    [LINT_TWICE] = {"twice", " and at %o: each side of the branch at %b executes one of its own: "},
    [LINT_INSIDE] = {"inside", " is reached by one side of the branch at %B: "},
    [LINT_GUARDED] = {"guarded", " is executed by those lanes alone for which its guard holds"},
    [LINT_EXITED] = {"exited", " is reached when other lanes may have ended at %B: "},
    [LINT_QUERY] = {"query",
                    " only asks whether lanes that diverged at %B are converged, and makes "
                    "them wait if not: "},
};

// The same, where the instructions decide.
static const char *words_of(const struct sass_code *code, const struct lint_finding *finding)
{
    const enum sass_op op = code->insns[finding->read].op;
    const enum sass_op before = code->insns[finding->branch].op;
    const bool same = finding->read == finding->branch;
    switch (finding->kind) {
    case LINT_MASK:
        if (op == SASS_VOTE || op == SASS_VOTEU)
            return " counts the lanes by the predicate set at %b, those where it has the other "
                   "value than in the module's votes";
        if (op == SASS_WARPSYNC || op == SASS_BRA)
            return " is executed by other lanes than its mask has: those by the predicate set at "
                   "%b";
        break;
    case LINT_OUTSIDE:
        if (same)
            return " is a bounds check on which no access depends";
        if (op == SASS_OTHER)
            return " gives 0 for a word that is not loaded, but not just where the bounds check at "
                   "%b failed";
        break;
    case LINT_UNMATCHED:
        if (op == SASS_BSSY)
            return " has no BSYNC of its barrier before its target";
        break;
    case LINT_MOVED:
        if (before == SASS_BAR || before == SASS_MEMBAR)
            return " is executed before the %i";
        break;
    case LINT_TWICE:
        if (finding->read == finding->other)
            return " is executed by each side of the branch at %b in a call of its own: ";
        break;
    default:
        break;
    }
    return kinds[finding->kind].says;
}

const char *lint_kind_name(enum lint_kind kind)
{
    return kinds[kind].name;
}

bool lint_is_risk(enum lint_kind kind)
{
    return kind <= LINT_MOVED;
}

bool lint_is_cause(enum lint_kind kind)
{
    return kind <= LINT_UNUSED;
}

static void word_insn(const struct sass_code *code, size_t insn, struct text *text)
{
    size_t length;
    const char *mnemonic = sass_mnemonic(&code->insns[insn], &length);
    if (length)
        text_append(text, mnemonic, length);
    else
        text_puts(text, sass_op_name(code->insns[insn].op));
    text_printf(text, " at 0x%x", code->insns[insn].address);
}

static void word_way(const struct lint_way *way, struct text *text)
{
    for (size_t i = 0; i < way->count; i++) {
        if (way->count > SHOWN && i == SHOWN / 2) {
            text_printf(text, " -> (%zu more)", way->count - SHOWN + way->skipped);
            i = way->count - SHOWN / 2;
        }
        text_printf(text, "%s0x%x", i ? " -> " : "", way->addresses[i]);
    }
}

// The instruction of the module, behind `before`.
static void word_source(const struct lint_source *source, const char *before, struct text *text)
{
    const char *name = source->opcode ? source_name(source->opcode) : NULL;
    if (!name)
        return;
    text_printf(text, "%s%s", before, name);
    if (source->id)
        text_printf(text, " %%%" PRIu32, source->id);
    if (source->others)
        text_printf(text, source->others > 1 ? " or one of %zu others" : " or another",
                    source->others);
}

// The register that is wrong.
static struct sass_registers register_of(const struct sass_code *code,
                                         const struct lint_finding *finding)
{
    const struct sass_insn *insn = &code->insns[finding->read];
    struct sass_registers kept = insn->reads, other = kept;
    if (finding->kind == LINT_MISGUARDED)
        return (struct sass_registers){.p = (uint8_t)(1u << insn->guard)};
    if (finding->kind == LINT_SCALAR)
        return scalar_taken(insn);
    registers_remove(&other, &code->insns[finding->other].writes);
    registers_remove(&kept, &other);
    return kept;
}

static void word_register(const struct sass_registers *set, bool named, struct text *text)
{
    const unsigned predicates = set->up ? set->up : set->p;
    const char *kind = set->ur ? "UR" : set->up ? "UP" : set->p ? "P" : "R";
    const unsigned number = set->ur      ? (unsigned)__builtin_ctzll(set->ur)
                            : predicates ? (unsigned)__builtin_ctz(predicates)
                                         : registers_next(set, 0);
    text_printf(text, "%s%u", named ? kind : "", number);
}

// Where one of the registers was set last, in the order of the text.
static void word_set(const struct sass_code *code, size_t before,
                     const struct sass_registers *registers, struct text *text)
{
    while (before > 0 && !registers_meet(&code->insns[before - 1].writes, registers))
        before--;
    if (before > 0)
        text_printf(text, ", set at 0x%x", code->insns[before - 1].address);
}

static void word_kind(const struct sass_code *code, const struct lint_finding *finding,
                      struct text *text)
{
    const struct sass_registers registers = register_of(code, finding);
    const size_t behind = finding->kind == LINT_OVERWRITTEN ? finding->branch : finding->read;
    for (const char *at = words_of(code, finding); *at; at++) {
        const size_t length = strcspn(at, "%");
        text_append(text, at, length);
        at += length;
        if (!*at)
            break;
        switch (*++at) {
        case 'i':
            word_insn(code, finding->branch, text);
            break;
        case 'r':
        case 'n':
            word_register(&registers, *at == 'r', text);
            break;
        case 'd':
            word_set(code, behind, &registers, text);
            break;
        case 'f':
        case 'm':
            text_printf(text, "%u", *at == 'f' ? finding->bit : finding->meant);
            break;
        default:
            text_printf(text, "0x%x",
                        code->insns[*at == 'o' ? finding->other : finding->branch].address);
            if (*at == 'B' && finding->more)
                text_printf(text, " (and of %zu other branch%s)", finding->more,
                            finding->more == 1 ? "" : "es");
        }
    }
    if (finding->kind == LINT_MOVED)
        word_source(&finding->sources[1], "; in the module it is behind ", text);
}

void lint_word(const struct sass_code *code, const struct lint *lint,
               const struct lint_finding *finding, struct text *text)
{
    text_printf(text, "%s: ", kinds[finding->kind].name);
    word_insn(code, finding->read, text);
    word_kind(code, finding, text);
    if (finding->ways[0].count > 1)
        word_way(&finding->ways[0], text);
    if (finding->ways[1].count) {
        text_puts(text, " and ");
        word_way(&finding->ways[1], text);
    }
    if (finding->waits)
        text_puts(text, finding->ways[1].count ? "; a WARPSYNC for a mask is on one of them"
                                               : "; a WARPSYNC for a mask precedes it");
    if (!lint->operands && finding->ways[0].count > 1)
        text_puts(text, "; register values are not known, so the branch may be uniform");
    word_source(&finding->sources[0], "; of the module's ", text);
}

static size_t like_length(const char *line)
{
    const char *behind = strstr(line, ": ");
    return behind ? (size_t)(behind - line) + 2 + strcspn(behind + 2, ". ") : strlen(line);
}

bool lint_is_like(const char *a, const char *b)
{
    const size_t length = like_length(a);
    return length == like_length(b) && memcmp(a, b, length) == 0;
}
