// SPDX-License-Identifier: Apache-2.0
// Finds the loops with the hazardous shape.
#include "lint/exits.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// A candidate exit: a branch to blocks that never return to the loop.
struct leaving {
    struct exits_graph *graph;
    const struct exits_loop *loop;
    bool *blocks; // in the graph: between the branch and the end of the loop
};

// --- The loop

// Whether the loop is tested at the top and constants alone determine its trip count, of at least
// two.
static bool is_counted(const struct exits_graph *g, const struct exits_loop *loop)
{
    size_t at = loop->header;
    for (size_t i = 0; i < g->count && g->blocks[at].count == 1; i++)
        at = g->blocks[at].next[0];
    return exits_condition(g, at) && exits_leads_to(g, at, loop->merge) &&
           !(g->traits[exits_condition(g, at)] & (EXITS_DIFFERS | EXITS_GIVEN)) &&
           !exits_is_once(g, loop, at);
}

// Whether iterations do more than count, so that they are not optimised away.
static bool is_working(const struct exits_graph *g, const struct exits_loop *loop)
{
    const struct red_module *m = g->module;
    for (size_t b = 0; b < g->count; b++)
        for (size_t i = g->blocks[b].begin; loop->again[b] && i < g->blocks[b].behind; i++) {
            const struct red_line *line = &m->lines[i];
            const uint32_t opcode = red_op(line);
            if (opcode == SpvOpStore
                    ? !exits_is_private(m, line->words[1]) || g->traits[line->words[2]]
                    : exits_is_atomic(opcode) || opcode == SpvOpImageWrite ||
                          (opcode == SpvOpPhi && b == loop->header && g->traits[red_result(line)]))
                return true;
        }
    return false;
}

static bool is_silent(const struct exits_graph *g, const struct exits_loop *loop)
{
    for (size_t b = 0; b < g->count; b++)
        for (size_t i = g->blocks[b].begin; loop->inside[b] && i < g->blocks[b].behind; i++) {
            const uint32_t opcode = red_op(&g->module->lines[i]);
            if (exits_is_group(opcode) || opcode == SpvOpControlBarrier ||
                opcode == SpvOpMemoryBarrier)
                return false;
        }
    return true;
}

// --- The sides of a selection

// Whether the same was loaded before the loop, so that no load is left.
static bool is_loaded_before(const struct leaving *l, uint32_t pointer)
{
    const struct exits_block *header = &l->graph->blocks[l->loop->header];
    l->graph->work += header->begin - header->function;
    for (size_t i = header->function; i < header->begin; i++) {
        const struct red_line *load = &l->graph->module->lines[i];
        if (red_op(load) == SpvOpLoad && load->words[3] == pointer)
            return true;
    }
    return false;
}

static bool is_in_buffer(const struct red_module *m, uint32_t pointer)
{
    const SpvStorageClass storage = exits_storage(m, pointer);
    return storage == SpvStorageClassStorageBuffer || storage == SpvStorageClassUniform ||
           storage == SpvStorageClassPhysicalStorageBuffer;
}

// Whether an instruction of the exit assigns to a variable, or gives a merge point a value of its
// own.
static bool is_changing(const struct leaving *l, const struct red_line *line)
{
    const struct exits_graph *g = l->graph;
    if (red_op(line) == SpvOpStore)
        return exits_is_private(g->module, line->words[1]) &&
               l->blocks[g->of[line - g->module->lines]];
    for (uint32_t w = 3; red_op(line) == SpvOpPhi && w + 1 < line->size; w += 2) {
        const struct red_line *from = red_made(g->module, line->words[w + 1]);
        const size_t block = from ? g->of[from - g->module->lines] : EXITS_NONE;
        if (block != EXITS_NONE && l->blocks[block] &&
            (line->words[w] != line->words[3] || line->words[w] != line->words[line->size - 2]))
            return true;
    }
    return false;
}

static bool has_change(const struct leaving *l)
{
    const struct exits_graph *g = l->graph;
    for (size_t b = 0; b < g->count; b++)
        for (size_t i = g->blocks[b].begin;
             (l->blocks[b] || b == l->loop->merge) && i < g->blocks[b].behind; i++)
            if (is_changing(l, &g->module->lines[i]))
                return true;
    return false;
}

// Whether an instruction forces a compiler to keep a branch.
static bool is_work(const struct leaving *l, const struct red_line *line)
{
    const struct red_module *m = l->graph->module;
    const uint32_t opcode = red_op(line);
    if (opcode == SpvOpLoad)
        return is_in_buffer(m, line->words[3]) && !is_loaded_before(l, line->words[3]);
    if (opcode == SpvOpStore)
        return is_in_buffer(m, line->words[1]) && has_change(l);
    if (opcode >= SpvOpUDiv && opcode <= SpvOpFMod) {
        const struct red_line *divisor = red_made(m, line->words[4]);
        return divisor && red_op(divisor) >= SpvOpFunction;
    }
    return exits_is_atomic(opcode) ||
           (opcode >= SpvOpImageSampleImplicitLod && opcode <= SpvOpImageRead);
}

// The work on a selection's sides, which are these blocks; RED_NONE: none. Several loads from
// shared memory count as work unless each depends on the one before.
static size_t find_work(const struct leaving *l, const bool *sides)
{
    struct exits_graph *g = l->graph;
    const struct red_module *m = g->module;
    OWNED(lit_free) bool *loaded = lit_alloc(m->bound, sizeof *loaded);
    unsigned loads = 0;
    for (size_t b = 0; b < g->count; b++)
        for (size_t i = g->blocks[b].begin; sides[b] && i < g->blocks[b].behind; i++) {
            const struct red_line *line = &m->lines[i];
            const bool load = red_op(line) == SpvOpLoad &&
                              exits_storage(m, line->words[3]) == SpvStorageClassWorkgroup;
            bool *chain = &loaded[red_result(line)];
            for (uint32_t w = 1; red_result(line) && w < line->size; w++)
                *chain |= line->kinds[w] == SPIRV_ID && loaded[line->words[w]];
            loads += load && !*chain;
            *chain |= load;
            if (g->work++, loads > 1 || is_work(l, line))
                return i;
        }
    return RED_NONE;
}

// --- The selection

static bool is_divergent(const struct exits_graph *g, size_t block)
{
    return g->traits[exits_condition(g, block)] & EXITS_DIFFERS &&
           g->blocks[block].merge != EXITS_NONE;
}

// Marks the blocks on the paths from a branch to where they meet or the loop ends. False if there
// is a loop.
static bool find_sides(const struct leaving *l, size_t block, bool *sides)
{
    struct exits_graph *g = l->graph;
    bool loop = false;
    for (size_t i = 0; i < g->blocks[block].count; i++)
        exits_reach(g, g->blocks[block].next[i], g->blocks[block].merge, l->loop->merge, sides);
    for (size_t i = 0; i < g->count; i++)
        loop |= sides[i] && g->blocks[i].loop;
    return !loop;
}

// Whether one of these blocks leads to the end of the loop.
static bool leave(const struct leaving *l, const bool *blocks)
{
    bool leaves = false;
    for (size_t i = 0; i < l->graph->count; i++)
        leaves |= blocks[i] && exits_leads_to(l->graph, i, l->loop->merge);
    return leaves;
}

// Whether one side of a selection leaves the loop by itself.
static bool leaves_itself(const struct leaving *l, size_t block, const bool *sides)
{
    return exits_leads_to(l->graph, block, l->loop->merge) || leave(l, sides);
}

// Whether invocations diverge again on a side, and some leave by themselves each time.
static bool parts_twice(const struct leaving *l, size_t block, const bool *sides)
{
    struct exits_graph *g = l->graph;
    OWNED(lit_free) bool *inner = lit_alloc(g->count, sizeof *inner);
    for (size_t i = 0; i < g->count && leaves_itself(l, block, sides); i++) {
        if (!sides[i] || !is_divergent(g, i))
            continue;
        memset(inner, 0, g->count);
        find_sides(l, i, inner);
        if (leaves_itself(l, i, inner))
            return true;
    }
    return false;
}

// Whether a block and its successors only leave the loop, or set flags before they do.
static bool only_leaves(const struct leaving *l, size_t block)
{
    const struct exits_graph *g = l->graph;
    for (size_t steps = 0; block != l->loop->merge; block = g->blocks[block].next[0], steps++) {
        for (size_t i = g->blocks[block].begin; i < g->blocks[block].behind; i++) {
            const struct red_line *line = &g->module->lines[i];
            const uint32_t opcode = red_op(line);
            if (opcode == SpvOpUnreachable)
                return true;
            if (opcode != SpvOpLabel && opcode != SpvOpPhi && opcode != SpvOpLine &&
                opcode != SpvOpNoLine && opcode != SpvOpBranch &&
                (opcode != SpvOpStore || !exits_is_private(g->module, line->words[1])))
                return false;
        }
        if (g->blocks[block].count != 1 || steps == g->count)
            return false;
    }
    return true;
}

// The selection of an exit that fits the shape best.
static bool find_selection(const struct leaving *l, struct exits_finding *found)
{
    struct exits_graph *g = l->graph;
    OWNED(lit_free) bool *sides = lit_alloc(g->count, sizeof *sides);
    bool any = false;
    if (!leave(l, l->blocks))
        return false;
    for (size_t i = 0; i < g->count && !(any && !found->lacks) && !exits_is_over(g); i++) {
        if (!l->blocks[i] || !is_divergent(g, i))
            continue;
        memset(sides, 0, g->count);
        if (!find_sides(l, i, sides))
            continue;
        const unsigned lacks = only_leaves(l, g->blocks[i].merge) ? 0 : EXITS_LAST;
        const size_t work = find_work(l, sides);
        if ((work == RED_NONE && !parts_twice(l, i, sides)) || (any && lacks))
            continue;
        found->selection = g->blocks[i].behind - 1;
        found->work = work;
        found->lacks = lacks;
        any = true;
    }
    return any;
}

// --- Putting it together

// Whether a branch on the same condition, before the loop, has decided that of a block.
static bool is_decided(struct exits_graph *g, const struct exits_loop *loop, size_t block)
{
    OWNED(lit_free) bool *found = lit_alloc(g->count, sizeof *found);
    size_t entry = 0;
    while (g->blocks[entry].function != g->blocks[block].function)
        entry++;
    for (size_t b = entry; b < g->count; b++) {
        unsigned ways = 0;
        if (b == block || g->blocks[b].count != 2 ||
            exits_condition(g, b) != exits_condition(g, block))
            continue;
        memset(found, 0, g->count);
        exits_reach(g, entry, b, EXITS_NONE, found);
        if (found[loop->header])
            continue;
        for (size_t k = 0; k < 2; k++) {
            memset(found, 0, g->count);
            exits_reach(g, g->blocks[b].next[k], b, EXITS_NONE, found);
            ways += found[loop->header];
        }
        if (ways == 1)
            return true;
    }
    return false;
}

// The next group operation after a loop.
static size_t find_operation(struct exits_graph *g, const struct exits_loop *loop)
{
    OWNED(lit_free) bool *found = lit_alloc(g->count, sizeof *found);
    exits_reach(g, loop->merge, EXITS_NONE, EXITS_NONE, found);
    for (size_t k = 0; k < g->count; k++) {
        const size_t b = (loop->merge + k) % g->count;
        for (size_t i = g->blocks[b].begin; found[b] && i < g->blocks[b].behind; i++)
            if (g->work++, exits_is_group(red_op(&g->module->lines[i])))
                return i;
    }
    return RED_NONE;
}

static void look_at_loop(struct exits_graph *g, const struct exits_loop *loop, struct exits *exits)
{
    OWNED(lit_free) bool *blocks = lit_alloc(g->count, sizeof *blocks);
    const size_t operation = find_operation(g, loop), at = g->blocks[loop->header].loop;
    const unsigned unrolls = SpvLoopControlUnrollMask | SpvLoopControlDontUnrollMask;
    const unsigned lacks = (is_counted(g, loop) ? 0 : EXITS_COUNTED) |
                           (is_working(g, loop) ? 0 : EXITS_WORKING) |
                           (is_silent(g, loop) ? 0 : EXITS_SILENT) |
                           (g->module->lines[at].words[3] & unrolls ? EXITS_FREE : 0);
    for (size_t i = 0; i < g->count && operation != RED_NONE && !exits_is_over(g); i++) {
        const unsigned traits = loop->again[i] ? g->traits[exits_condition(g, i)] : 0;
        if (traits == EXITS_GIVEN && is_decided(g, loop, i))
            continue;
        for (size_t k = 0; k < g->blocks[i].count && traits == EXITS_GIVEN; k++) {
            const size_t first = g->blocks[i].next[k];
            const struct leaving l = {g, loop, blocks};
            struct exits_finding found = {
                g->blocks[i].function, at, g->blocks[i].behind - 1, 0, 0, operation, 0};
            memset(blocks, 0, g->count);
            if (!loop->again[first])
                exits_reach(g, first, loop->merge, EXITS_NONE, blocks);
            if (!find_selection(&l, &found))
                continue;
            found.lacks |= lacks;
            LIT_ADD(exits->findings, exits->count) = found;
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
