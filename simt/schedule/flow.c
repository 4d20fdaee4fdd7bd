// SPDX-License-Identifier: Apache-2.0
// Finds merge blocks, fall-through between cases and loop exits in the graph of blocks.
#include "schedule/flow.h"

#include "program/execution.h"
#include "program/instructions.h"

#include <stdlib.h>

// Limit on a search, above anything a compiler produces, so that malformed modules cost little.
#define SEARCH_MAX 65536

struct search {
    const struct program *program;
    uint32_t *stamp; // [block]: last search that visited it
    uint32_t *stack; // [block]
    uint32_t number;
};

static bool is_visible(const struct insn *insn)
{
    if (insn->kind != INSN_PLAIN)
        return insn->kind <= INSN_FENCE;
    return insn->run == memory_load || insn->run == memory_store ||
           (insn->opcode >= SpvOpAtomicLoad && insn->opcode <= SpvOpAtomicXor) ||
           insn->opcode == SpvOpAtomicFAddEXT || insn->opcode == SpvOpReadClockKHR;
}

bool flow_is_quad(const struct insn *insn)
{
    return insn->opcode == SpvOpGroupNonUniformQuadBroadcast ||
           insn->opcode == SpvOpGroupNonUniformQuadSwap ||
           insn->opcode == SpvOpGroupNonUniformQuadAllKHR ||
           insn->opcode == SpvOpGroupNonUniformQuadAnyKHR;
}

// A block's outgoing edges; returns whether a switch ends it.
static bool edges_of(const struct program *program, uint32_t block, const struct edge **edges,
                     uint32_t *count)
{
    const struct insn *last = &program->insns[program->blocks[block].first];
    while (!insn_ends_block(last))
        last++;
    const bool branches = last->kind <= INSN_SWITCH;
    *edges = program->edges + (branches ? last->extra : 0);
    *count = branches ? last->extra_count : 0;
    return last->kind == INSN_SWITCH;
}

static bool is_case(const struct edge *edges, uint32_t count, uint32_t block)
{
    for (uint32_t i = 0; i < count; i++) {
        if (edges[i].block == block)
            return true;
    }
    return false;
}

// The case that `from` falls into: the first other case of the switch reached by its blocks.
static uint32_t find_fall(struct search *search, uint32_t header, uint32_t from)
{
    const struct edge *cases, *edges;
    uint32_t case_count, count, depth = 0, steps = 0;
    edges_of(search->program, header, &cases, &case_count);
    search->number++;
    search->stack[depth++] = from;
    search->stamp[from] = search->number;
    while (depth > 0 && steps++ < SEARCH_MAX) {
        edges_of(search->program, search->stack[--depth], &edges, &count);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t to = edges[i].block;
            if (to == header || to == search->program->blocks[header].merge ||
                search->stamp[to] == search->number)
                continue;
            if (is_case(cases, case_count, to))
                return to;
            search->stamp[to] = search->number;
            search->stack[depth++] = to;
        }
    }
    return UINT32_MAX;
}

static void find_falls(struct search *search, struct flow *flow)
{
    const struct program *program = search->program;
    for (uint32_t b = 0; b < program->block_count; b++) {
        const struct edge *edges;
        uint32_t count;
        if (program->blocks[b].merge_kind != MERGE_SELECTION ||
            !edges_of(program, b, &edges, &count))
            continue;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t to = edges[i].block;
            if (to != program->blocks[b].merge)
                flow->falls[to] = find_fall(search, b, to);
        }
    }
}

// Inverse edges: block b's predecessors are list[first[b] .. first[b + 1] - 1].
struct predecessors {
    uint32_t *first, *list;
};

static bool find_predecessors(struct predecessors *p, const struct program *program)
{
    const struct edge *edges;
    uint32_t count;
    p->first = calloc((size_t)program->block_count + 2, sizeof(*p->first));
    p->list = calloc((size_t)program->edge_count + 1, sizeof(*p->list));
    if (!p->first || !p->list)
        return false;
    for (uint32_t b = 0; b < program->block_count; b++) {
        edges_of(program, b, &edges, &count);
        for (uint32_t i = 0; i < count; i++)
            p->first[edges[i].block + 2]++;
    }
    for (uint32_t b = 2; b < program->block_count + 2; b++)
        p->first[b] += p->first[b - 1];
    for (uint32_t b = 0; b < program->block_count; b++) {
        edges_of(program, b, &edges, &count);
        for (uint32_t i = 0; i < count; i++)
            p->list[p->first[edges[i].block + 1]++] = b;
    }
    return true;
}

// Stamps a loop's continue construct, from its target to the back edge, and returns its number of
// blocks, which are on the stack.
static uint32_t find_continue(struct search *search, uint32_t header)
{
    const struct block *loop = &search->program->blocks[header];
    uint32_t count = 0;
    if (loop->next != header) {
        search->stamp[loop->next] = search->number;
        search->stack[count++] = loop->next;
    }
    for (uint32_t at = 0; at < count && at < SEARCH_MAX; at++) {
        const struct edge *edges;
        uint32_t edge_count;
        edges_of(search->program, search->stack[at], &edges, &edge_count);
        for (uint32_t i = 0; i < edge_count; i++) {
            const uint32_t to = edges[i].block;
            if (to == loop->merge || search->stamp[to] == search->number)
                continue;
            search->stamp[to] = search->number;
            search->stack[count++] = to;
        }
    }
    return count;
}

// A loop consists of its continue construct and the blocks that can reach it without passing the
// header. Edges from these that neither stay inside nor go to the merge block leave the loop.
static void find_leaves(struct search *search, struct flow *flow, const struct predecessors *p,
                        uint32_t header)
{
    uint32_t steps = 0;
    search->number++;
    search->stamp[header] = search->number;
    uint32_t depth = find_continue(search, header);
    while (depth > 0 && steps++ < SEARCH_MAX) {
        const uint32_t block = search->stack[--depth];
        for (uint32_t i = p->first[block]; i < p->first[block + 1]; i++) {
            const uint32_t from = p->list[i];
            if (search->stamp[from] != search->number) {
                search->stamp[from] = search->number;
                search->stack[depth++] = from;
            }
        }
    }
    for (uint32_t b = 0; b < search->program->block_count; b++) {
        const struct edge *edges;
        uint32_t count;
        if (search->stamp[b] != search->number)
            continue;
        edges_of(search->program, b, &edges, &count);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t to = edges[i].block;
            if (search->stamp[to] != search->number && !flow->special[to])
                flow->leaves[to] = true;
        }
    }
}

static void find_special(struct flow *flow, const struct program *program)
{
    for (uint32_t b = 0; b < program->block_count; b++) {
        const struct block *block = &program->blocks[b];
        const struct edge *edges;
        uint32_t count;
        flow->falls[b] = UINT32_MAX;
        uint32_t pc = block->first;
        do {
            flow->block_of[pc] = b;
            flow->visible[pc] = is_visible(&program->insns[pc]);
            flow->quads |= flow_is_quad(&program->insns[pc]);
        } while (!insn_ends_block(&program->insns[pc++]));
        if (block->merge_kind == MERGE_NONE)
            continue;
        flow->special[block->merge] = true;
        if (block->merge_kind == MERGE_LOOP)
            flow->special[block->next] = true;
        const bool is_switch = edges_of(program, b, &edges, &count);
        for (uint32_t i = 0; is_switch && i < count; i++)
            flow->special[edges[i].block] = true;
    }
}

bool flow_find(struct flow *flow, const struct program *program)
{
    struct predecessors p = {0};
    struct search search = {.program = program};
    const size_t blocks = (size_t)program->block_count + 1;
    *flow = (struct flow){.block_of = calloc((size_t)program->insn_count + 1, sizeof(uint32_t)),
                          .visible = calloc((size_t)program->insn_count + 1, 1),
                          .special = calloc(blocks, sizeof(*flow->special)),
                          .falls = calloc(blocks, sizeof(*flow->falls)),
                          .leaves = calloc(blocks, sizeof(*flow->leaves))};
    search.stamp = calloc(blocks, sizeof(*search.stamp));
    search.stack = calloc(blocks, sizeof(*search.stack));
    const bool found = flow->block_of && flow->visible && flow->special && flow->falls &&
                       flow->leaves && search.stamp && search.stack &&
                       find_predecessors(&p, program);
    if (found) {
        find_special(flow, program);
        find_falls(&search, flow);
        for (uint32_t b = 0; b < program->block_count; b++) {
            if (program->blocks[b].merge_kind == MERGE_LOOP)
                find_leaves(&search, flow, &p, b);
        }
    }
    free(p.first);
    free(p.list);
    free(search.stamp);
    free(search.stack);
    return found;
}

void flow_free(struct flow *flow)
{
    free(flow->block_of);
    free(flow->visible);
    free(flow->special);
    free(flow->falls);
    free(flow->leaves);
    *flow = (struct flow){0};
}
