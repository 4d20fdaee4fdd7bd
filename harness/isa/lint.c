// SPDX-License-Identifier: Apache-2.0
#include "isa/lint.h"

#include "isa/apart.h"
#include "isa/asking.h"
#include "isa/findings.h"
#include "isa/insn.h"
#include "isa/misguarded.h"
#include "isa/uniform.h"

#include <stdlib.h>
#include <string.h>

#define WORK       20000000 // states and instructions stepped; more is refused
#define CANDIDATES 64       // exchanges of a side that are looked at for one in two places

struct run {
    const struct sass_code *code;
    struct lint *lint;
    bool rows;
    struct flow flow;
    struct sass_registers *met, *written;
    struct uniform_state *states;
    struct apart entry, apart;
    bool *followed; // of each node: the lanes that part at its end have been followed
    struct findings findings;
    size_t *queue;
    bool *queued;
};

// Of the lanes that were followed from one branch.

static int by_exchange(const void *a, const void *b)
{
    const struct apart_hit *left = a, *right = b;
    if (left->insn != right->insn)
        return left->insn < right->insn ? -1 : 1;
    return (left->state > right->state) - (left->state < right->state);
}

static bool together(const struct apart_state *a, const struct apart_state *b)
{
    return a->place == b->place && a->place != APART_NONE;
}

static const struct apart_state *state_of(const struct run *run, const struct apart_hit *hit)
{
    return &run->apart.states[hit->state];
}

// Of the hits of one exchange: the first pair, from different sides, that meets apart in a node.
// `same_round`: both have come to the branch again equally often.
static bool find_pair(struct run *run, const struct apart_hit *hits, size_t count, bool same_round,
                      const struct apart_hit *pair[2])
{
    run->apart.work += count;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            run->apart.work++;
            const struct apart_state *a = state_of(run, &hits[j]), *b = state_of(run, &hits[i]);
            if (a->node != b->node || a->side == b->side || together(a, b) ||
                (a->rounds == b->rounds) != same_round)
                continue;
            pair[a->side] = &hits[j];
            pair[b->side] = &hits[i];
            return true;
        }
    return false;
}

// What lanes that were followed can still come to from a node.
struct ahead {
    bool branch; // the branch where they parted: they have not left its loop
    bool meets; // a place that brings both sides together for its sake, which WARPSYNC.ALL does not
};

static struct ahead look_ahead(struct run *run, size_t node)
{
    const struct apart *apart = &run->apart;
    size_t count = 0;
    struct ahead ahead = {0};
    run->queue[count++] = node;
    run->queued[node] = true;
    for (size_t i = 0; i < count; i++) {
        const size_t at = run->queue[i];
        const struct sass_insn *last = flow_last(run->code, &run->flow.nodes[at]);
        ahead.branch |= at == apart->branch;
        ahead.meets |= apart->meets[at] == 3 && !apart_names_all(last);
        for (int way = 0; way < FLOW_WAYS; way++) {
            const size_t next = run->flow.nodes[at].next[way];
            if (next == FLOW_NONE || apart->newest[next] == APART_NONE || run->queued[next])
                continue;
            run->queue[count++] = next;
            run->queued[next] = true;
        }
    }
    for (size_t i = 0; i < count; i++)
        run->queued[run->queue[i]] = false;
    run->apart.work += 8 * count;
    return ahead;
}

// The first hit in a node that lanes of one side only reach.
static const struct apart_hit *find_alone(const struct run *run, const struct apart_hit *hits,
                                          size_t count)
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

// Lanes from both sides meet in an exchange, in different iterations only.
static void report_rounds(struct run *run, size_t branch, const struct apart_hit *pair[2])
{
    const struct ahead ahead = look_ahead(run, state_of(run, pair[0])->node);
    if (ahead.branch) // those of one iteration do not meet others there
        findings_add(&run->findings, &run->apart, LINT_INSIDE, branch, pair[0], NULL);
    else
        findings_add(&run->findings, &run->apart, ahead.meets ? LINT_LEAVING : LINT_RISK, branch,
                     pair[0], pair[1]);
}

static void report_hits(struct run *run, size_t branch, enum lint_kind one_sided)
{
    struct apart *apart = &run->apart;
    for (size_t i = 0, end; i < apart->hit_count; i = end) {
        const struct apart_hit *hits = &apart->hits[i], *pair[2];
        for (end = i; end < apart->hit_count && apart->hits[end].insn == hits->insn;)
            end++;
        const struct apart_hit *alone = NULL;
        const bool sided = one_sided == LINT_INSIDE;
        if (sided && find_pair(run, hits, end - i, true, pair))
            findings_add(&run->findings, &run->apart, LINT_RISK, branch, pair[0], pair[1]);
        else if (sided && find_pair(run, hits, end - i, false, pair))
            report_rounds(run, branch, pair);
        else if ((alone = find_alone(run, hits, end - i)))
            findings_add(&run->findings, &run->apart, one_sided, branch, alone, NULL);
    }
}

// One exchange in two places.

static uint8_t sides_at(const struct apart *apart, size_t node)
{
    uint8_t sides = 0;
    for (uint32_t i = apart->newest[node]; i != APART_NONE; i = apart->states[i].older)
        sides |= (uint8_t)(1u << apart->states[i].side);
    return sides;
}

// True if no lane of a side can leave the code of that side alone without executing something in
// `node`.
static bool is_certain(struct run *run, unsigned side, size_t node)
{
    const struct apart *apart = &run->apart;
    size_t count = 0, taken = 0;
    bool escapes = false;
    for (size_t i = 0; i < apart->count && apart->states[i].parent == APART_NONE; i++)
        if (apart->states[i].side == side && !run->queued[apart->states[i].node]) {
            run->queue[count++] = apart->states[i].node;
            run->queued[apart->states[i].node] = true;
        }
    for (; taken < count; taken++) {
        const size_t at = run->queue[taken];
        if (at == node)
            continue;
        escapes |= apart->ends[at] || sides_at(apart, at) != 1u << side;
        for (int way = 0; way < FLOW_WAYS && !escapes; way++) {
            const size_t next = run->flow.nodes[at].next[way];
            if (next == FLOW_NONE || apart->newest[next] == APART_NONE || run->queued[next])
                continue;
            run->queue[count++] = next;
            run->queued[next] = true;
        }
    }
    for (size_t i = 0; i < count; i++)
        run->queued[run->queue[i]] = false;
    run->apart.work += 8 * count;
    return !escapes;
}

// The exchanges that lanes of one side alone meet for sure, in the order of their distance.
static size_t find_certain(struct run *run, unsigned side, struct apart_hit *certain)
{
    const struct apart *apart = &run->apart;
    size_t count = 0;
    for (size_t i = 0; i < apart->hit_count && count < CANDIDATES; i++) {
        const struct apart_hit *hit = &apart->hits[i];
        const struct apart_state *state = &apart->states[hit->state];
        if (state->side != side || state->place != APART_NONE ||
            sides_at(apart, state->node) != 1u << side ||
            asking_only(run->code, &run->flow, state->node, hit->insn))
            continue;
        bool seen = false;
        for (size_t j = 0; j < count; j++)
            seen |=
                certain[j].insn == hit->insn && apart->states[certain[j].state].node == state->node;
        if (!seen && is_certain(run, side, state->node))
            certain[count++] = *hit;
    }
    return count;
}

static int by_distance(const void *a, const void *b)
{
    const struct apart_hit *left = a, *right = b;
    if (left->state != right->state)
        return left->state < right->state ? -1 : 1;
    return (left->insn > right->insn) - (left->insn < right->insn);
}

static bool same_sort(const struct run *run, size_t a, size_t b)
{
    size_t lengths[2];
    const char *left = insn_mnemonic(&run->code->insns[a], &lengths[0]);
    const char *right = insn_mnemonic(&run->code->insns[b], &lengths[1]);
    return lengths[0] == lengths[1] && memcmp(left, right, lengths[0]) == 0;
}

static void report_twice(struct run *run, size_t branch)
{
    struct apart_hit certain[2][CANDIDATES];
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
            findings_add(&run->findings, &run->apart, LINT_TWICE, branch, &certain[0][i],
                         &certain[1][j]);
            taken[j] = true;
            break;
        }
}

// What lanes wrote while they were apart may differ between them when they are together again.
static void spread_written(struct run *run)
{
    const struct apart *apart = &run->apart;
    const struct flow *flow = &run->flow;
    for (size_t i = 0; i < apart->touched_count; i++)
        run->written[apart->touched[i]] = (struct sass_registers){0};
    for (size_t i = 0; i < apart->count && apart->states[i].parent == APART_NONE; i++)
        uniform_sided(run->code, &flow->nodes[apart->branch], &run->written[apart->states[i].node]);
    size_t count = 0;
    for (size_t i = apart->touched_count; i-- > 0; count++) {
        run->queue[count] = apart->touched[i];
        run->queued[apart->touched[i]] = true;
    }
    while (count) {
        const size_t node = run->queue[--count];
        run->queued[node] = false;
        struct sass_registers out = run->written[node];
        for (size_t i = flow->nodes[node].first; i < flow->nodes[node].end; i++)
            registers_add(&out, &run->code->insns[i].writes);
        run->apart.work += flow->nodes[node].end - flow->nodes[node].first;
        out.ur = 0; // one for all lanes
        out.up = 0;
        if (apart->meets[node] == 3)
            registers_add(&run->met[node], &out);
        for (int way = 0; way < FLOW_WAYS; way++) {
            const size_t next = flow->nodes[node].next[way];
            if (next == FLOW_NONE || apart->newest[next] == APART_NONE ||
                !registers_add(&run->written[next], &out) || run->queued[next])
                continue;
            run->queue[count++] = next;
            run->queued[next] = true;
        }
    }
}

// The whole.

static bool too_much(struct lit_error *error)
{
    return lit_fail(error, LIT_EXIT_USAGE,
                    "cannot be analysed: lanes can part in too many ways to follow them all");
}

// Where lanes can part at the end of a node, once for each set of barriers that they can be in.
static bool follow_from(struct run *run, size_t node)
{
    const struct sass_insn *last = flow_last(run->code, &run->flow.nodes[node]);
    const bool exits = last->op == SASS_EXIT || last->op == SASS_KILL;
    struct apart_state starts[64];
    size_t count = 0;
    for (uint32_t i = run->entry.newest[node]; i != APART_NONE; i = run->entry.states[i].older) {
        const struct apart_state state = apart_before_last(&run->entry, i);
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
        run->apart.limit = WORK;
        const bool good = exits ? apart_survive(&run->apart, node, &starts[i])
                                : apart_follow(&run->apart, node, &starts[i]);
        if (!good)
            return false;
        if (run->apart.hit_count)
            qsort(run->apart.hits, run->apart.hit_count, sizeof(*run->apart.hits), by_exchange);
        report_hits(run, run->flow.nodes[node].end - 1, exits ? LINT_EXITED : LINT_INSIDE);
        if (exits)
            continue;
        report_twice(run, run->flow.nodes[node].end - 1);
        spread_written(run);
    }
    return run->apart.work + run->findings.work <= WORK;
}

// What may differ at the end of a node, before its last instruction.
static bool parts_at_end(const struct run *run, size_t node)
{
    struct uniform_walk walk;
    const struct flow_node *at = &run->flow.nodes[node];
    const struct sass_insn *last = flow_last(run->code, at);
    const bool ends = last->op == SASS_EXIT || last->op == SASS_KILL;
    const bool stays = last->op == SASS_BSYNC || last->op == SASS_WARPSYNC;
    const bool two = at->next[FLOW_FALL] != FLOW_NONE && at->next[FLOW_TAKEN] != FLOW_NONE &&
                     at->next[FLOW_FALL] != at->next[FLOW_TAKEN];
    if ((!ends && !stays && !two) || (last->flags & (SASS_CONVERGED | SASS_DIVERGED)))
        return false;
    uniform_begin(&walk, &run->states[node]);
    for (size_t i = at->first; i + 1 < at->end; i++)
        uniform_step(run->code, run->rows, &run->code->insns[i], &walk);
    return uniform_parts(run->code, last, &walk.at);
}

// Lanes that meet by different ways may differ in more, and so part at more branches, until no
// branch is new.
static bool follow_new(struct run *run)
{
    for (bool found = true; found;) {
        found = false;
        uniform_find(run->code, &run->flow, run->rows, run->met, run->states);
        for (size_t node = 0; node < run->flow.count; node++) {
            if (run->followed[node] || !parts_at_end(run, node))
                continue;
            run->followed[node] = found = true;
            if (!follow_from(run, node))
                return false;
        }
    }
    return true;
}

// And they may not share barriers that each of them entered alone: then all begins again.
static bool follow_all(struct run *run)
{
    for (size_t before = SIZE_MAX;;) {
        uint64_t shared = 0;
        if (!apart_enter(&run->entry, run->met))
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
    struct lint *lint = run->lint;
    bool *seen = lit_alloc(run->code->count, sizeof(*seen));
    bool *parting = lit_alloc(run->code->count, sizeof(*parting));
    bool *two_ways = lit_alloc(run->code->count, sizeof(*two_ways));
    for (size_t i = 0; i < run->flow.count; i++) {
        const struct flow_node *node = &run->flow.nodes[i];
        struct uniform_walk walk;
        uniform_begin(&walk, &run->states[i]);
        for (size_t j = node->first; j < node->end; j++) {
            const struct sass_insn *insn = &run->code->insns[j];
            if (sass_is_exchange(insn->op) && uniform_parts(run->code, insn, &walk.at))
                findings_add_alone(&run->findings, run->code, LINT_GUARDED, j, j);
            uniform_step(run->code, run->rows, insn, &walk);
            if (!seen[j]) {
                lint->exchanges += sass_is_exchange(insn->op);
                lint->unknown += (insn->flags & SASS_UNKNOWN) != 0;
            }
            seen[j] = true;
        }
        const size_t last = node->end - 1;
        parting[last] |= run->followed[i];
        two_ways[last] |= node->next[FLOW_FALL] != FLOW_NONE && node->next[FLOW_TAKEN] != FLOW_NONE;
    }
    for (size_t i = 0; i < run->code->count; i++) {
        lint->branches += two_ways[i];
        lint->parting += two_ways[i] && parting[i];
    }
    free(seen);
    free(parting);
    free(two_ways);
}

static void add_misguarded(size_t insn, size_t comparison, void *user)
{
    struct run *run = user;
    findings_add_alone(&run->findings, run->code, LINT_MISGUARDED, insn, comparison);
}

static int by_kind(const void *a, const void *b)
{
    const struct lint_finding *left = a, *right = b;
    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    if (left->exchange != right->exchange)
        return left->exchange < right->exchange ? -1 : 1;
    return (left->branch > right->branch) - (left->branch < right->branch);
}

bool lint_run(const struct sass_code *code, const struct lint_options *options, struct lint *lint,
              struct lit_error *error)
{
    *lint = (struct lint){.operands = code->operands};
    struct run run = {
        .code = code, .lint = lint, .rows = options->rows, .findings = {.lint = lint}};
    bool good = flow_make(code, &run.flow, error);
    if (good) {
        const size_t count = run.flow.count;
        run.met = lit_alloc(count, sizeof(*run.met));
        run.states = lit_alloc(count, sizeof(*run.states));
        run.written = lit_alloc(count, sizeof(*run.written));
        run.followed = lit_alloc(count, sizeof(*run.followed));
        run.queue = lit_alloc(count, sizeof(*run.queue));
        run.queued = lit_alloc(count, sizeof(*run.queued));
        good = apart_open(&run.entry, code, &run.flow, WORK);
        good = apart_open(&run.apart, code, &run.flow, WORK) && good;
        good = (good && follow_all(&run)) || too_much(error);
        if (good) {
            count_and_guard(&run);
            misguarded_find(code, &run.flow, add_misguarded, &run);
        }
        apart_close(&run.entry);
        apart_close(&run.apart);
    }
    flow_clear(&run.flow);
    findings_clear(&run.findings);
    free(run.met);
    free(run.states);
    free(run.written);
    free(run.followed);
    free(run.queue);
    free(run.queued);
    if (lint->count)
        qsort(lint->findings, lint->count, sizeof(*lint->findings), by_kind);
    return good;
}
