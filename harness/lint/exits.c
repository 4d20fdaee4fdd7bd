// SPDX-License-Identifier: Apache-2.0
// Which loops have the shape.
#include "lint/exits.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// An exit that is looked at: the branch of `block` leads to `first`, behind which no round comes.
struct leaving {
    struct exits_graph *graph;
    const struct exits_loop *loop;
    size_t block, first;
    bool *blocks; // of the graph: those between the branch and the end of the loop
    // Whether the loop's end is reached from them, and whether a function that is called ends
    // there.
    bool ends, returns;
};

// --- The exit

static bool leads_to(const struct exits_block *from, size_t block)
{
    for (size_t i = 0; i < from->count; i++)
        if (from->next[i] == block)
            return true;
    return false;
}

// Whether no round can end that has not come to the branch.
static bool is_in_every_round(const struct leaving *l)
{
    struct exits_graph *g = l->graph;
    OWNED(lit_free) bool *found = lit_alloc(g->count, sizeof *found);
    exits_reach(g, l->loop->header, l->loop->merge, l->block, found);
    for (size_t i = 0; i < g->count; i++)
        if (found[i] && leads_to(&g->blocks[i], l->loop->header))
            return false;
    return true;
}

// Whether constants say of each other exit in which round the loop is left, or there is none.
static bool is_counted_by_constants(const struct leaving *l)
{
    struct exits_graph *g = l->graph;
    for (size_t i = 0; i < g->count; i++) {
        const uint32_t condition = l->loop->again[i] ? exits_condition(g, i) : 0;
        bool leaves = false;
        for (size_t k = 0; condition && k < g->blocks[i].count; k++)
            leaves |= !l->loop->again[g->blocks[i].next[k]];
        if (i != l->block && leaves && exits_change(g, l->loop, condition) == EXITS_CHANGES)
            return false;
    }
    return true;
}

// Whether the rounds do nothing that is to be done again, so that no loop is left of them.
static bool is_empty(const struct leaving *l)
{
    struct exits_graph *g = l->graph;
    const struct red_module *m = g->module;
    for (size_t b = 0; b < g->count; b++)
        for (size_t i = g->blocks[b].begin + 1; l->loop->again[b] && i < g->blocks[b].behind; i++) {
            const struct red_line *line = &m->lines[i];
            const uint32_t opcode = red_op(line), result = red_result(line);
            const SpvStorageClass storage =
                opcode == SpvOpStore ? exits_storage(m, line->words[1]) : SpvStorageClassMax;
            if (result ? exits_change(g, l->loop, result) == EXITS_CHANGES
                       : exits_is_atomic(opcode) || exits_is_group(opcode) ||
                             opcode == SpvOpControlBarrier || opcode == SpvOpImageWrite ||
                             (opcode == SpvOpStore && storage != SpvStorageClassFunction))
                return false;
        }
    return true;
}

// --- The selection in the block that leaves

static bool is_same_pointer(const struct red_module *m, uint32_t a, uint32_t b)
{
    const struct red_line *one = red_made(m, a), *other = red_made(m, b);
    bool same = one && other && one->size == other->size && red_op(one) == red_op(other) &&
                red_op(one) == SpvOpAccessChain;
    for (uint32_t w = 3; same && w < one->size; w++)
        same = one->words[w] == other->words[w];
    return same || a == b;
}

// Whether the same was loaded before the loop in any case, so that nothing is left to load.
static bool is_loaded_before(const struct leaving *l, uint32_t pointer)
{
    struct exits_graph *g = l->graph;
    const struct exits_block *header = &g->blocks[l->loop->header];
    size_t entry = header->function;
    while (g->of[entry] == EXITS_NONE)
        entry++;
    for (size_t i = entry; i < header->begin; i++) {
        const struct red_line *load = &g->module->lines[i];
        if (g->work++,
            red_op(load) != SpvOpLoad || !is_same_pointer(g->module, load->words[3], pointer))
            continue;
        OWNED(lit_free) bool *found = lit_alloc(g->count, sizeof *found);
        exits_reach(g, g->of[entry], g->of[i], EXITS_NONE, found);
        if (!found[l->loop->header])
            return true;
    }
    return false;
}

// Whether a compiler cannot do without a branch for the sake of an instruction.
static bool is_work(const struct leaving *l, const struct red_line *line)
{
    const struct exits_graph *g = l->graph;
    const uint32_t opcode = red_op(line);
    switch ((SpvOp)opcode) {
    case SpvOpLoad:
        return exits_is_buffer(g, line->words[3]) && !is_loaded_before(l, line->words[3]);
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpSRem:
    case SpvOpSMod:
    case SpvOpFDiv:
    case SpvOpFRem:
    case SpvOpFMod: {
        const struct red_line *divisor = red_made(g->module, line->words[4]);
        return divisor && red_op(divisor) >= SpvOpFunction;
    }
    case SpvOpFunctionCall:
    case SpvOpLoopMerge:
    case SpvOpControlBarrier:
        return true;
    default:
        return exits_is_atomic(opcode) || exits_is_group(opcode) ||
               (opcode >= SpvOpImageSampleImplicitLod && opcode <= SpvOpImageRead);
    }
}

// The blocks on the ways that part at one, up to where they meet again or the loop ends.
static void find_sides(const struct leaving *l, size_t block, bool *found)
{
    struct exits_graph *g = l->graph;
    for (size_t i = 0; i < g->blocks[block].count; i++)
        exits_reach(g, g->blocks[block].next[i], g->blocks[block].merge, l->loop->merge, found);
}

// The work on a side of a selection; RED_NONE: none.
static size_t find_work(const struct leaving *l, size_t selection)
{
    struct exits_graph *g = l->graph;
    OWNED(lit_free) bool *found = lit_alloc(g->count, sizeof *found);
    find_sides(l, selection, found);
    for (size_t b = 0; b < g->count; b++)
        for (size_t i = g->blocks[b].begin; found[b] && i < g->blocks[b].behind; i++)
            if (g->work++, is_work(l, &g->module->lines[i]))
                return i;
    return RED_NONE;
}

static bool is_divergent(const struct exits_graph *g, size_t block)
{
    return g->blocks[block].count > 1 && g->differs[exits_condition(g, block)];
}

// Whether a side of a selection leaves the loop by itself; *sides: its blocks.
static bool leaves_itself(const struct leaving *l, size_t selection, bool *sides)
{
    struct exits_graph *g = l->graph;
    bool leaves = leads_to(&g->blocks[selection], l->loop->merge);
    find_sides(l, selection, sides);
    for (size_t i = 0; i < g->count; i++)
        leaves |= sides[i] && leads_to(&g->blocks[i], l->loop->merge);
    return leaves;
}

// Whether invocations part twice, and each time some of them leave the loop by themselves.
static bool has_two_exits(const struct leaving *l, size_t selection)
{
    struct exits_graph *g = l->graph;
    OWNED(lit_free) bool *sides = lit_alloc(g->count, sizeof *sides);
    if (!leaves_itself(l, selection, sides))
        return false;
    if (is_divergent(g, l->block))
        return true;
    for (size_t i = 0; i < g->count; i++) {
        if (!l->blocks[i] || i == selection || !is_divergent(g, i))
            continue;
        memset(sides, 0, g->count);
        if (leaves_itself(l, i, sides) && sides[selection])
            return true;
    }
    return false;
}

// --- Behind the loop

struct search {
    struct exits_graph *graph;
    bool *seen; // of each line
    size_t *lines, count;
};

static void look_at(struct search *s, size_t line)
{
    if (s->seen[line])
        return;
    s->seen[line] = true;
    LIT_ADD(s->lines, s->count) = line;
}

// Who called a function goes on behind the call.
static void look_behind_calls(struct search *s, size_t function)
{
    const struct red_module *m = s->graph->module;
    s->graph->work += m->count;
    for (size_t i = 0; i + 1 < m->count; i++)
        if (red_op(&m->lines[i]) == SpvOpFunctionCall &&
            m->lines[i].words[3] == m->lines[function].words[2] &&
            s->graph->of[i + 1] != EXITS_NONE)
            look_at(s, i + 1);
}

// From a line to the end of its block; then to the blocks behind, or to a function's callers.
static size_t look_from(struct search *s, size_t at)
{
    struct exits_graph *g = s->graph;
    const struct red_module *m = g->module;
    const struct exits_block *block = &g->blocks[g->of[at]];
    for (; at < block->behind; at++) {
        const uint32_t opcode = red_op(&m->lines[at]);
        g->work++;
        if (exits_is_group(opcode))
            return at;
        const struct red_line *callee =
            opcode == SpvOpFunctionCall ? red_made(m, m->lines[at].words[3]) : NULL;
        size_t entry = callee ? (size_t)(callee - m->lines) : m->count;
        while (entry < m->count && g->of[entry] == EXITS_NONE &&
               red_op(&m->lines[entry]) != SpvOpFunctionEnd)
            entry++;
        if (entry < m->count && g->of[entry] != EXITS_NONE)
            look_at(s, entry);
    }
    for (size_t i = 0; i < block->count; i++)
        look_at(s, g->blocks[block->next[i]].begin);
    const uint32_t end = red_op(&m->lines[block->behind - 1]);
    if (end == SpvOpReturn || end == SpvOpReturnValue)
        look_behind_calls(s, block->function);
    return RED_NONE;
}

// The next operation of the group behind an exit. `stop`: loops end the search.
static size_t find_operation(const struct leaving *l, bool stop)
{
    struct exits_graph *g = l->graph;
    struct search s = {.graph = g, .seen = lit_alloc(g->module->count, sizeof *s.seen)};
    size_t found = RED_NONE;
    if (l->ends)
        look_at(&s, g->blocks[l->loop->merge].begin);
    if (l->returns)
        look_behind_calls(&s, g->blocks[l->block].function);
    for (size_t i = 0; i < s.count && found == RED_NONE && !exits_is_over(g); i++)
        if (!stop || !g->blocks[g->of[s.lines[i]]].loop)
            found = look_from(&s, s.lines[i]);
    free(s.lines);
    free(s.seen);
    return found;
}

// --- All of it

// Of an exit the selection that lacks least.
static bool find_selection(const struct leaving *l, struct exits_finding *found)
{
    struct exits_graph *g = l->graph;
    const size_t near = find_operation(l, true), far = find_operation(l, false);
    bool any = false;
    if (far == RED_NONE)
        return false;
    for (size_t i = 0; i < g->count && !(any && !found->lacks); i++) {
        if (!l->blocks[i] || !is_divergent(g, i) || exits_is_over(g))
            continue;
        const size_t work = find_work(l, i);
        const bool two = has_two_exits(l, i), lost = two || near != RED_NONE;
        const struct exits_finding each = {
            .selection = g->blocks[i].behind - 1,
            .work = two ? RED_NONE : work,
            .operation = near != RED_NONE ? near : far,
            .lacks = lost ? 0 : EXITS_RESTORED,
        };
        if ((!two && work == RED_NONE) || (any && each.lacks >= found->lacks))
            continue;
        *found = each;
        any = true;
    }
    return any;
}

static void look_at_exit(struct leaving *l, struct exits *exits)
{
    struct exits_graph *g = l->graph;
    const struct exits_block *block = &g->blocks[l->block];
    struct exits_finding found;
    exits_reach(g, l->first, l->loop->merge, EXITS_NONE, l->blocks);
    for (size_t i = 0; i < g->count; i++) {
        const uint32_t end = red_op(&g->module->lines[g->blocks[i].behind - 1]);
        l->ends |= l->blocks[i] && leads_to(&g->blocks[i], l->loop->merge);
        l->returns |= l->blocks[i] && (end == SpvOpReturn || end == SpvOpReturnValue);
    }
    if (!find_selection(l, &found))
        return;
    found.function = block->function;
    found.loop = l->loop->at;
    found.exit = block->behind - 1;
    found.lacks |= is_in_every_round(l) ? 0 : EXITS_LATER;
    found.lacks |= is_counted_by_constants(l) ? 0 : EXITS_COUNTED;
    found.lacks |= is_empty(l) ? EXITS_EMPTY : 0;
    LIT_ADD(exits->findings, exits->count) = found;
}

static void look_at_loop(struct exits_graph *g, const struct exits_loop *loop, struct exits *exits)
{
    for (size_t i = 0; i < g->count && !exits_is_over(g); i++) {
        const uint32_t condition = loop->again[i] ? exits_condition(g, i) : 0;
        for (size_t k = 0; condition && k < g->blocks[i].count; k++) {
            const size_t first = g->blocks[i].next[k];
            if (first == loop->merge || loop->again[first] ||
                exits_change(g, loop, condition) != EXITS_SAME)
                continue;
            OWNED(lit_free) bool *blocks = lit_alloc(g->count, sizeof *blocks);
            struct leaving l = {g, loop, i, first, blocks, false, false};
            look_at_exit(&l, exits);
        }
    }
}

bool exits_find(const struct red_module *m, struct exits *exits, struct lit_error *error)
{
    struct exits_graph g;
    *exits = (struct exits){0};
    exits_graph_make(m, &g);
    exits_compare(&g);
    for (size_t i = 0; i < g.loop_count; i++)
        look_at_loop(&g, &g.loops[i], exits);
    exits->loops = g.loop_count;
    const bool good = !exits_is_over(&g);
    exits_graph_clear(&g);
    return good || lit_fail(error, LIT_EXIT_UNDECIDED, "its control flow is too large");
}

void exits_clear(struct exits *exits)
{
    free(exits->findings);
    *exits = (struct exits){0};
}
