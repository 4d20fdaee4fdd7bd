// SPDX-License-Identifier: Apache-2.0
// The blocks of a module, and the blocks of each loop.
#include "lint/exits.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WORK UINT64_C(400000000) // steps: a second or two

bool exits_is_over(const struct exits_graph *g)
{
    return g->work > MOST_WORK;
}

static size_t block_of(const struct exits_graph *g, uint32_t label)
{
    const struct red_line *line = red_made(g->module, label);
    return line && red_op(line) == SpvOpLabel ? g->of[line - g->module->lines] : EXITS_NONE;
}

uint32_t exits_condition(const struct exits_graph *g, size_t block)
{
    const struct red_line *end = &g->module->lines[g->blocks[block].behind - 1];
    const uint32_t opcode = red_op(end);
    return opcode == SpvOpBranchConditional || opcode == SpvOpSwitch ? end->words[1] : 0;
}

static void connect(struct exits_graph *g, size_t at)
{
    struct exits_block *block = &g->blocks[at];
    for (size_t i = block->begin + 1; i < block->behind; i++) {
        const struct red_line *line = &g->module->lines[i];
        const bool loop = red_op(line) == SpvOpLoopMerge;
        if (loop || red_op(line) == SpvOpSelectionMerge) {
            block->merge = block_of(g, line->words[1]);
            block->loop = loop ? i : 0;
            if (!loop && block->merge != EXITS_NONE)
                g->blocks[block->merge].header = at;
        }
        for (uint32_t w = 1; w < line->size && red_is_end(red_op(line)); w++) {
            const size_t next =
                line->kinds[w] == SPIRV_ID ? block_of(g, line->words[w]) : EXITS_NONE;
            if (next != EXITS_NONE && g->blocks[next].function == block->function)
                LIT_ADD(block->next, block->count) = next;
        }
    }
}

bool exits_leads_to(const struct exits_graph *g, size_t from, size_t block)
{
    for (size_t i = 0; i < g->blocks[from].count; i++)
        if (g->blocks[from].next[i] == block)
            return true;
    return false;
}

void exits_reach(struct exits_graph *g, size_t from, size_t without, size_t other, bool *found)
{
    OWNED(lit_free) size_t *stack = lit_alloc(g->count + 1, sizeof *stack);
    size_t depth = 0;
    g->work += g->count;
    if (from == without || from == other || found[from])
        return;
    found[from] = true;
    stack[depth++] = from;
    while (depth) {
        const struct exits_block *block = &g->blocks[stack[--depth]];
        g->work += block->count;
        for (size_t i = 0; i < block->count; i++) {
            const size_t next = block->next[i];
            if (next == without || next == other || found[next])
                continue;
            found[next] = true;
            stack[depth++] = next;
        }
    }
}

static void clear_loop(struct exits_loop *loop)
{
    free(loop->inside);
    free(loop->again);
}

static void add_loop(struct exits_graph *g, size_t header)
{
    struct exits_loop loop = {header, g->blocks[header].merge, lit_alloc(g->count, 1),
                              lit_alloc(g->count, 1)};
    bool more = true;
    exits_reach(g, header, loop.merge, EXITS_NONE, loop.inside);
    while (more && !exits_is_over(g)) {
        more = false;
        for (size_t i = g->count; i-- > 0;)
            for (size_t k = 0; loop.inside[i] && !loop.again[i] && k < g->blocks[i].count; k++)
                if (g->blocks[i].next[k] == header || loop.again[g->blocks[i].next[k]])
                    loop.again[i] = more = true;
        g->work += g->count;
    }
    if (loop.again[header])
        LIT_ADD(g->loops, g->loop_count) = loop;
    else
        clear_loop(&loop);
}

void exits_graph_make(const struct red_module *m, struct exits_graph *g)
{
    size_t function = RED_NONE;
    bool inside = false;
    *g = (struct exits_graph){.module = m, .of = lit_alloc(m->count + 1, sizeof *g->of)};
    for (size_t i = 0; i < m->count; i++) {
        const uint32_t opcode = red_op(&m->lines[i]);
        if (opcode == SpvOpFunction)
            function = i;
        if (opcode == SpvOpFunction || opcode == SpvOpFunctionEnd)
            inside = false;
        if (opcode == SpvOpLabel && function != RED_NONE) {
            LIT_ADD(g->blocks, g->count) = (struct exits_block){
                .begin = i, .function = function, .merge = EXITS_NONE, .header = EXITS_NONE};
            inside = true;
        }
        g->of[i] = inside ? g->count - 1 : EXITS_NONE;
        if (inside)
            g->blocks[g->count - 1].behind = i + 1;
    }
    for (size_t i = 0; i < g->count; i++)
        connect(g, i);
    for (size_t i = 0; i < g->count && !exits_is_over(g); i++)
        if (g->blocks[i].loop && g->blocks[i].merge != EXITS_NONE)
            add_loop(g, i);
}

void exits_graph_clear(struct exits_graph *g)
{
    for (size_t i = 0; i < g->count; i++)
        free(g->blocks[i].next);
    for (size_t i = 0; i < g->loop_count; i++)
        clear_loop(&g->loops[i]);
    free(g->blocks);
    free(g->loops);
    free(g->of);
    free(g->traits);
    *g = (struct exits_graph){0};
}
