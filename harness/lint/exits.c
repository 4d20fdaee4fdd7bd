// SPDX-License-Identifier: Apache-2.0
// Finds the loops with the hazardous shape: the blocks of a module and of each loop, what values
// depend on, and the parts of the shape.
#include "lint/exits.h"

#define MOST_WORK  UINT64_C(400000000) // steps: a second or two
#define MOST_DEPTH 24                  // nesting of a value's operands

struct block {
    size_t begin, behind; // lines: its label; one past its last
    size_t function;      // line
    size_t merge;         // block: merge block of its construct; RED_NONE
    size_t header;        // block: header of the selection that it merges; RED_NONE
    size_t loop;          // line of its OpLoopMerge; 0
    size_t *next;         // blocks
    size_t count;
};

// A loop that can have a second iteration.
struct loop {
    size_t header, merge; // blocks
    bool *inside, *again; // per block: in the loop; another iteration can follow
};

// What an id depends on.
enum trait {
    DIFFERS = 1, // on values that may differ within a subgroup
    GIVEN = 2,   // on values loaded or given at run time
    UNIFORM = 4, // a built-in variable that is uniform within a subgroup
};

struct graph {
    const struct red_module *module;
    struct block *blocks;
    struct loop *loops;
    size_t count, loop_count;
    size_t *of;      // each line's block; RED_NONE outside of functions
    uint8_t *traits; // per id: bits of enum trait
    uint64_t work;   // steps so far
};

// --- Blocks

static bool is_over(const struct graph *g)
{
    return g->work > MOST_WORK;
}

static size_t block_of(const struct graph *g, uint32_t label)
{
    const struct red_line *line = red_made(g->module, label);
    return line && red_op(line) == SpvOpLabel ? g->of[line - g->module->lines] : RED_NONE;
}

// The id of the condition of a block's branch or switch; 0: none.
static uint32_t condition_of(const struct graph *g, size_t block)
{
    const struct red_line *end = &g->module->lines[g->blocks[block].behind - 1];
    const uint32_t opcode = red_op(end);
    return opcode == SpvOpBranchConditional || opcode == SpvOpSwitch ? end->words[1] : 0;
}

static void connect(struct graph *g, size_t at)
{
    struct block *block = &g->blocks[at];
    for (size_t i = block->begin + 1; i < block->behind; i++) {
        const struct red_line *line = &g->module->lines[i];
        const bool loop = red_op(line) == SpvOpLoopMerge;
        if (loop || red_op(line) == SpvOpSelectionMerge) {
            block->merge = block_of(g, line->words[1]);
            block->loop = loop ? i : 0;
            if (!loop && block->merge != RED_NONE)
                g->blocks[block->merge].header = at;
        }
        for (uint32_t w = 1; w < line->size && red_is_end(red_op(line)); w++) {
            const size_t next = line->kinds[w] == SPIRV_ID ? block_of(g, line->words[w]) : RED_NONE;
            if (next != RED_NONE && g->blocks[next].function == block->function)
                LIT_ADD(block->next, block->count) = next;
        }
    }
}

static bool leads_to(const struct graph *g, size_t from, size_t block)
{
    for (size_t i = 0; i < g->blocks[from].count; i++)
        if (g->blocks[from].next[i] == block)
            return true;
    return false;
}

// Marks the blocks reachable from `from`, inclusive, without passing the other two.
static void reach(struct graph *g, size_t from, size_t without, size_t other, bool *found)
{
    OWNED(lit_free) size_t *stack = lit_alloc(g->count + 1, sizeof *stack);
    size_t depth = 0;
    g->work += g->count;
    if (from == without || from == other || found[from])
        return;
    found[from] = true;
    stack[depth++] = from;
    while (depth) {
        const struct block *block = &g->blocks[stack[--depth]];
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

static void clear_loop(struct loop *loop)
{
    free(loop->inside);
    free(loop->again);
}

static void add_loop(struct graph *g, size_t header)
{
    struct loop loop = {header, g->blocks[header].merge, lit_alloc(g->count, 1),
                        lit_alloc(g->count, 1)};
    bool more = true;
    reach(g, header, loop.merge, RED_NONE, loop.inside);
    while (more && !is_over(g)) {
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

static void make_graph(const struct red_module *m, struct graph *g)
{
    size_t function = RED_NONE;
    bool inside = false;
    *g = (struct graph){.module = m, .of = lit_alloc(m->count + 1, sizeof *g->of)};
    for (size_t i = 0; i < m->count; i++) {
        const uint32_t opcode = red_op(&m->lines[i]);
        if (opcode == SpvOpFunction)
            function = i;
        if (opcode == SpvOpFunction || opcode == SpvOpFunctionEnd)
            inside = false;
        if (opcode == SpvOpLabel && function != RED_NONE) {
            LIT_ADD(g->blocks, g->count) = (struct block){
                .begin = i, .function = function, .merge = RED_NONE, .header = RED_NONE};
            inside = true;
        }
        g->of[i] = inside ? g->count - 1 : RED_NONE;
        if (inside)
            g->blocks[g->count - 1].behind = i + 1;
    }
    for (size_t i = 0; i < g->count; i++)
        connect(g, i);
    for (size_t i = 0; i < g->count && !is_over(g); i++)
        if (g->blocks[i].loop && g->blocks[i].merge != RED_NONE)
            add_loop(g, i);
}

static void clear_graph(struct graph *g)
{
    for (size_t i = 0; i < g->count; i++)
        free(g->blocks[i].next);
    for (size_t i = 0; i < g->loop_count; i++)
        clear_loop(&g->loops[i]);
    free(g->blocks);
    free(g->loops);
    free(g->of);
    free(g->traits);
    *g = (struct graph){0};
}

// --- Opcodes

// Classes of opcodes: no group operation, a result per invocation, a uniform result, or a result
// that is uniform only for reductions.
enum group { NO_GROUP, APART, COMMON, AS_REDUCED };

static enum group group_of(uint32_t opcode)
{
    // The first range that has it decides.
    static const struct {
        SpvOp first, last;
        enum group group;
    } groups[] = {
        {SpvOpGroupNonUniformAll, SpvOpGroupNonUniformBallot, COMMON},
        {SpvOpGroupNonUniformBallotBitCount, SpvOpGroupNonUniformLogicalXor, AS_REDUCED},
        {SpvOpGroupNonUniformElect, SpvOpGroupNonUniformQuadSwap, APART},
        {SpvOpGroupNonUniformRotateKHR, SpvOpGroupNonUniformRotateKHR, APART},
        {SpvOpGroupNonUniformPartitionNV, SpvOpGroupNonUniformPartitionNV, APART},
        {SpvOpGroupNonUniformQuadAllKHR, SpvOpGroupNonUniformQuadAnyKHR, APART},
        {SpvOpSubgroupBallotKHR, SpvOpSubgroupFirstInvocationKHR, COMMON},
        {SpvOpSubgroupAllKHR, SpvOpSubgroupReadInvocationKHR, COMMON},
        {SpvOpGroupAll, SpvOpGroupBroadcast, COMMON},
        {SpvOpGroupIAdd, SpvOpGroupSMax, AS_REDUCED},
        {SpvOpCooperativeMatrixLoadNV, SpvOpCooperativeMatrixMulAddNV, APART},
        {SpvOpCooperativeMatrixLoadKHR, SpvOpCooperativeMatrixMulAddKHR, APART},
    };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (opcode >= groups[i].first && opcode <= groups[i].last)
            return groups[i].group;
    return NO_GROUP;
}

// Whether it is an operation of a subgroup or workgroup, not a barrier.
static bool is_group(uint32_t opcode)
{
    return group_of(opcode) != NO_GROUP;
}

// On memory.
static bool is_atomic(uint32_t opcode)
{
    return (opcode >= SpvOpAtomicLoad && opcode <= SpvOpAtomicXor) ||
           opcode == SpvOpAtomicFAddEXT || opcode == SpvOpAtomicFMinEXT ||
           opcode == SpvOpAtomicFMaxEXT;
}

// Whether an atomic only reads: a load, or an operation with 0 that does not change the word.
static bool is_reading(const struct red_module *m, const struct red_line *line)
{
    const uint32_t opcode = red_op(line);
    const bool keeps = opcode == SpvOpAtomicIAdd || opcode == SpvOpAtomicISub ||
                       opcode == SpvOpAtomicUMax || opcode == SpvOpAtomicOr ||
                       opcode == SpvOpAtomicXor;
    const struct red_line *value = keeps ? red_made(m, line->words[6]) : NULL;
    return opcode == SpvOpAtomicLoad || (value && red_op(value) == SpvOpConstant &&
                                         !value->words[3] && !value->words[value->size - 1]);
}

// --- Pointers

// SpvStorageClassMax: none.
static SpvStorageClass storage_of(const struct red_module *m, uint32_t pointer)
{
    const struct red_line *type = pointer < m->bound ? red_made(m, m->type[pointer]) : NULL;
    return type && red_op(type) == SpvOpTypePointer ? (SpvStorageClass)type->words[2]
                                                    : SpvStorageClassMax;
}

static bool is_private(const struct red_module *m, uint32_t pointer)
{
    const SpvStorageClass storage = storage_of(m, pointer);
    return storage == SpvStorageClassFunction || storage == SpvStorageClassPrivate;
}

// The variable that a pointer points into; 0: unknown.
static uint32_t variable_of(const struct red_module *m, uint32_t pointer)
{
    const struct red_line *line = red_made(m, pointer);
    for (unsigned depth = 0; line && depth < MOST_DEPTH; depth++) {
        const uint32_t opcode = red_op(line);
        if (opcode == SpvOpVariable)
            return line->words[2];
        if (opcode != SpvOpAccessChain && opcode != SpvOpInBoundsAccessChain &&
            opcode != SpvOpCopyObject)
            return 0;
        line = red_made(m, line->words[3]);
    }
    return 0;
}

// --- Dependences of values

struct spread {
    struct graph *graph;
    uint8_t *apart; // per block: what reaching it depends on
    bool more;
};

static void mark(struct spread *s, uint32_t id, unsigned traits)
{
    uint8_t *of = &s->graph->traits[id];
    s->more |= id && (traits & ~(unsigned)*of);
    *of |= id ? (uint8_t)traits : 0;
}

// Traits from the operands and from the instruction itself.
static unsigned traits_of(const struct graph *g, const struct red_line *line)
{
    const uint32_t opcode = red_op(line);
    unsigned traits = 0;
    for (uint32_t w = 1; w < line->size; w++)
        if (line->kinds[w] == SPIRV_ID)
            traits |= g->traits[line->words[w]] & (DIFFERS | GIVEN);
    if (is_group(opcode)) {
        const bool reduces = line->size > 4 && line->words[4] == SpvGroupOperationReduce;
        const enum group group = group_of(opcode);
        return group == COMMON || (group == AS_REDUCED && reduces) ? GIVEN : GIVEN | DIFFERS;
    }
    const bool reads = is_reading(g->module, line);
    if ((is_atomic(opcode) && !reads) || opcode == SpvOpReadClockKHR ||
        opcode == SpvOpFunctionCall || opcode == SpvOpFunctionParameter)
        return GIVEN | DIFFERS;
    if (reads || opcode == SpvOpImageRead || opcode == SpvOpImageFetch ||
        (opcode == SpvOpLoad && !is_private(g->module, line->words[3]) &&
         storage_of(g->module, line->words[3]) != SpvStorageClassInput))
        traits |= GIVEN;
    return traits;
}

static void follow(struct spread *s, size_t at)
{
    const struct graph *g = s->graph;
    const struct red_module *m = g->module;
    const struct red_line *line = &m->lines[at];
    const uint32_t opcode = red_op(line), result = red_result(line);
    const unsigned traits = traits_of(g, line);
    if (opcode == SpvOpStore || opcode == SpvOpCopyMemory) {
        if (is_private(m, line->words[1]))
            mark(s, variable_of(m, line->words[1]), traits);
    } else if (opcode == SpvOpVariable) {
        if (line->words[3] == SpvStorageClassInput && !(g->traits[result] & UNIFORM))
            mark(s, result, DIFFERS);
    } else if (result && opcode != SpvOpLabel) {
        mark(s, result, traits | (opcode == SpvOpPhi ? s->apart[g->of[at]] : 0));
        for (uint32_t w = 4; opcode == SpvOpFunctionCall && w < line->size; w++)
            mark(s, variable_of(m, line->words[w]), traits);
    }
}

// Values that merge after a selection or loop also depend on the path taken.
static void part(struct spread *s)
{
    struct graph *g = s->graph;
    for (size_t i = 0; i < g->count; i++)
        if (g->blocks[i].header != RED_NONE)
            s->apart[i] |= g->traits[condition_of(g, g->blocks[i].header)];
    for (size_t l = 0; l < g->loop_count; l++) {
        const struct loop *loop = &g->loops[l];
        g->work += g->count;
        for (size_t i = 0; i < g->count; i++) {
            bool leaves = loop->inside[i] && !loop->again[i];
            for (size_t k = 0; loop->inside[i] && k < g->blocks[i].count; k++)
                leaves |= !loop->again[g->blocks[i].next[k]];
            if (leaves)
                s->apart[loop->merge] |= g->traits[condition_of(g, i)];
        }
    }
}

// Decorations precede variables.
static void decorate(struct graph *g, const struct red_line *line)
{
    if (red_op(line) != SpvOpDecorate || line->words[2] != SpvDecorationBuiltIn || line->size < 4)
        return;
    switch ((SpvBuiltIn)line->words[3]) {
    case SpvBuiltInNumWorkgroups:
    case SpvBuiltInWorkgroupId:
    case SpvBuiltInDeviceIndex:
        g->traits[line->words[1]] = UNIFORM | GIVEN;
        break;
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInSubgroupSize:
    case SpvBuiltInNumSubgroups:
    case SpvBuiltInSubgroupId:
        g->traits[line->words[1]] = UNIFORM;
        break;
    default:
        break;
    }
}

// Fills the traits.
static void compare(struct graph *g)
{
    const struct red_module *m = g->module;
    OWNED(lit_free) uint8_t *apart = lit_alloc(g->count + 1, 1);
    struct spread s = {g, apart, true};
    g->traits = lit_alloc(m->bound, 1);
    for (size_t i = 0; i < m->count; i++)
        decorate(g, &m->lines[i]);
    while (s.more && !is_over(g)) {
        s.more = false;
        for (size_t i = 0; i < m->count; i++)
            if (g->of[i] != RED_NONE || red_op(&m->lines[i]) == SpvOpVariable ||
                red_op(&m->lines[i]) == SpvOpFunctionParameter)
                follow(&s, i);
        part(&s);
        g->work += m->count;
    }
}

// --- Trip counts

// The value of a 32-bit id in iteration 0 or 1. False if unknown.
static bool value_in(const struct graph *g, const struct loop *loop, uint32_t id, unsigned round,
                     unsigned depth, uint32_t *value)
{
    const struct red_line *line = red_made(g->module, id);
    uint32_t a = 0, b = 0;
    if (!line || depth == 0)
        return false;
    const uint32_t opcode = red_op(line);
    if (opcode == SpvOpConstant && line->size == 4)
        return *value = line->words[3], true;
    if (opcode == SpvOpPhi && g->of[line - g->module->lines] == loop->header) {
        for (uint32_t w = 3; w + 1 < line->size; w += 2) {
            const struct red_line *from = red_made(g->module, line->words[w + 1]);
            const size_t block = from ? g->of[from - g->module->lines] : RED_NONE;
            if (block != RED_NONE && loop->inside[block] == (round == 1))
                return value_in(g, loop, line->words[w], 0, depth - 1, value);
        }
        return false;
    }
    if (line->size != 5 || !value_in(g, loop, line->words[3], round, depth - 1, &a) ||
        !value_in(g, loop, line->words[4], round, depth - 1, &b))
        return false;
    switch ((SpvOp)opcode) {
    case SpvOpIAdd:
        return *value = a + b, true;
    case SpvOpISub:
        return *value = a - b, true;
    case SpvOpIMul:
        return *value = a * b, true;
    case SpvOpULessThan:
        return *value = a < b, true;
    case SpvOpULessThanEqual:
        return *value = a <= b, true;
    case SpvOpUGreaterThan:
        return *value = a > b, true;
    case SpvOpUGreaterThanEqual:
        return *value = a >= b, true;
    case SpvOpSLessThan:
        return *value = (int32_t)a < (int32_t)b, true;
    case SpvOpSGreaterThan:
        return *value = (int32_t)a > (int32_t)b, true;
    case SpvOpINotEqual:
        return *value = a != b, true;
    default:
        return false;
    }
}

// Whether a loop whose counter is compared with a constant has at most one iteration.
static bool is_once(const struct graph *g, const struct loop *loop, size_t block)
{
    const bool leaves = g->blocks[block].next[0] == loop->merge; // if the condition is true
    uint32_t value = 0;
    for (unsigned round = 0; round < 2; round++)
        if (value_in(g, loop, condition_of(g, block), round, MOST_DEPTH, &value) &&
            (value != 0) == leaves)
            return true;
    return false;
}

// A candidate exit: a branch to blocks that never return to the loop.
struct leaving {
    struct graph *graph;
    const struct loop *loop;
    bool *blocks; // in the graph: between the branch and the end of the loop
};

// --- The loop

// Whether the loop is tested at the top and constants alone determine its trip count, of at least
// two.
static bool is_counted(const struct graph *g, const struct loop *loop)
{
    size_t at = loop->header;
    for (size_t i = 0; i < g->count && g->blocks[at].count == 1; i++)
        at = g->blocks[at].next[0];
    return condition_of(g, at) && leads_to(g, at, loop->merge) &&
           !(g->traits[condition_of(g, at)] & (DIFFERS | GIVEN)) && !is_once(g, loop, at);
}

// Whether iterations do more than count, so that they are not optimised away.
static bool is_working(const struct graph *g, const struct loop *loop)
{
    const struct red_module *m = g->module;
    for (size_t b = 0; b < g->count; b++)
        for (size_t i = g->blocks[b].begin; loop->again[b] && i < g->blocks[b].behind; i++) {
            const struct red_line *line = &m->lines[i];
            const uint32_t opcode = red_op(line);
            if (opcode == SpvOpStore
                    ? !is_private(m, line->words[1]) || g->traits[line->words[2]]
                    : is_atomic(opcode) || opcode == SpvOpImageWrite ||
                          (opcode == SpvOpPhi && b == loop->header && g->traits[red_result(line)]))
                return true;
        }
    return false;
}

static bool is_silent(const struct graph *g, const struct loop *loop)
{
    for (size_t b = 0; b < g->count; b++)
        for (size_t i = g->blocks[b].begin; loop->inside[b] && i < g->blocks[b].behind; i++) {
            const uint32_t opcode = red_op(&g->module->lines[i]);
            if (is_group(opcode) || opcode == SpvOpControlBarrier || opcode == SpvOpMemoryBarrier)
                return false;
        }
    return true;
}

// --- The sides of a selection

// Whether the same was loaded before the loop, so that no load is left.
static bool is_loaded_before(const struct leaving *l, uint32_t pointer)
{
    const struct block *header = &l->graph->blocks[l->loop->header];
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
    const SpvStorageClass storage = storage_of(m, pointer);
    return storage == SpvStorageClassStorageBuffer || storage == SpvStorageClassUniform ||
           storage == SpvStorageClassPhysicalStorageBuffer;
}

// Whether an instruction of the exit assigns to a variable, or gives a merge point a value of its
// own.
static bool is_changing(const struct leaving *l, const struct red_line *line)
{
    const struct graph *g = l->graph;
    if (red_op(line) == SpvOpStore)
        return is_private(g->module, line->words[1]) && l->blocks[g->of[line - g->module->lines]];
    for (uint32_t w = 3; red_op(line) == SpvOpPhi && w + 1 < line->size; w += 2) {
        const struct red_line *from = red_made(g->module, line->words[w + 1]);
        const size_t block = from ? g->of[from - g->module->lines] : RED_NONE;
        if (block != RED_NONE && l->blocks[block] &&
            (line->words[w] != line->words[3] || line->words[w] != line->words[line->size - 2]))
            return true;
    }
    return false;
}

static bool has_change(const struct leaving *l)
{
    const struct graph *g = l->graph;
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
    return is_atomic(opcode) || (opcode >= SpvOpImageSampleImplicitLod && opcode <= SpvOpImageRead);
}

// The work on a selection's sides, which are these blocks; RED_NONE: none. Several loads from
// shared memory count as work unless each depends on the one before.
static size_t find_work(const struct leaving *l, const bool *sides)
{
    struct graph *g = l->graph;
    const struct red_module *m = g->module;
    OWNED(lit_free) bool *loaded = lit_alloc(m->bound, sizeof *loaded);
    unsigned loads = 0;
    for (size_t b = 0; b < g->count; b++)
        for (size_t i = g->blocks[b].begin; sides[b] && i < g->blocks[b].behind; i++) {
            const struct red_line *line = &m->lines[i];
            const bool load = red_op(line) == SpvOpLoad &&
                              storage_of(m, line->words[3]) == SpvStorageClassWorkgroup;
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

static bool is_divergent(const struct graph *g, size_t block)
{
    return g->traits[condition_of(g, block)] & DIFFERS && g->blocks[block].merge != RED_NONE;
}

// Marks the blocks on the paths from a branch to where they meet or the loop ends. False if there
// is a loop.
static bool find_sides(const struct leaving *l, size_t block, bool *sides)
{
    struct graph *g = l->graph;
    bool loop = false;
    for (size_t i = 0; i < g->blocks[block].count; i++)
        reach(g, g->blocks[block].next[i], g->blocks[block].merge, l->loop->merge, sides);
    for (size_t i = 0; i < g->count; i++)
        loop |= sides[i] && g->blocks[i].loop;
    return !loop;
}

// Whether one of these blocks leads to the end of the loop.
static bool leave(const struct leaving *l, const bool *blocks)
{
    bool leaves = false;
    for (size_t i = 0; i < l->graph->count; i++)
        leaves |= blocks[i] && leads_to(l->graph, i, l->loop->merge);
    return leaves;
}

// Whether one side of a selection leaves the loop by itself.
static bool leaves_itself(const struct leaving *l, size_t block, const bool *sides)
{
    return leads_to(l->graph, block, l->loop->merge) || leave(l, sides);
}

// Whether invocations diverge again on a side, and some leave by themselves each time.
static bool parts_twice(const struct leaving *l, size_t block, const bool *sides)
{
    struct graph *g = l->graph;
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
    const struct graph *g = l->graph;
    for (size_t steps = 0; block != l->loop->merge; block = g->blocks[block].next[0], steps++) {
        for (size_t i = g->blocks[block].begin; i < g->blocks[block].behind; i++) {
            const struct red_line *line = &g->module->lines[i];
            const uint32_t opcode = red_op(line);
            if (opcode == SpvOpUnreachable)
                return true;
            if (opcode != SpvOpLabel && opcode != SpvOpPhi && opcode != SpvOpLine &&
                opcode != SpvOpNoLine && opcode != SpvOpBranch &&
                (opcode != SpvOpStore || !is_private(g->module, line->words[1])))
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
    struct graph *g = l->graph;
    OWNED(lit_free) bool *sides = lit_alloc(g->count, sizeof *sides);
    bool any = false;
    if (!leave(l, l->blocks))
        return false;
    for (size_t i = 0; i < g->count && !(any && !found->lacks) && !is_over(g); i++) {
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
static bool is_decided(struct graph *g, const struct loop *loop, size_t block)
{
    OWNED(lit_free) bool *found = lit_alloc(g->count, sizeof *found);
    size_t entry = 0;
    while (g->blocks[entry].function != g->blocks[block].function)
        entry++;
    for (size_t b = entry; b < g->count; b++) {
        unsigned ways = 0;
        if (b == block || g->blocks[b].count != 2 || condition_of(g, b) != condition_of(g, block))
            continue;
        memset(found, 0, g->count);
        reach(g, entry, b, RED_NONE, found);
        if (found[loop->header])
            continue;
        for (size_t k = 0; k < 2; k++) {
            memset(found, 0, g->count);
            reach(g, g->blocks[b].next[k], b, RED_NONE, found);
            ways += found[loop->header];
        }
        if (ways == 1)
            return true;
    }
    return false;
}

// The next group operation after a loop.
static size_t find_operation(struct graph *g, const struct loop *loop)
{
    OWNED(lit_free) bool *found = lit_alloc(g->count, sizeof *found);
    reach(g, loop->merge, RED_NONE, RED_NONE, found);
    for (size_t k = 0; k < g->count; k++) {
        const size_t b = (loop->merge + k) % g->count;
        for (size_t i = g->blocks[b].begin; found[b] && i < g->blocks[b].behind; i++)
            if (g->work++, is_group(red_op(&g->module->lines[i])))
                return i;
    }
    return RED_NONE;
}

static void look_at_loop(struct graph *g, const struct loop *loop, struct exits *exits)
{
    OWNED(lit_free) bool *blocks = lit_alloc(g->count, sizeof *blocks);
    const size_t operation = find_operation(g, loop), at = g->blocks[loop->header].loop;
    const unsigned unrolls = SpvLoopControlUnrollMask | SpvLoopControlDontUnrollMask;
    const unsigned lacks = (is_counted(g, loop) ? 0 : EXITS_COUNTED) |
                           (is_working(g, loop) ? 0 : EXITS_WORKING) |
                           (is_silent(g, loop) ? 0 : EXITS_SILENT) |
                           (g->module->lines[at].words[3] & unrolls ? EXITS_FREE : 0);
    for (size_t i = 0; i < g->count && operation != RED_NONE && !is_over(g); i++) {
        const unsigned traits = loop->again[i] ? g->traits[condition_of(g, i)] : 0;
        if (traits == GIVEN && is_decided(g, loop, i))
            continue;
        for (size_t k = 0; k < g->blocks[i].count && traits == GIVEN; k++) {
            const size_t first = g->blocks[i].next[k];
            const struct leaving l = {g, loop, blocks};
            struct exits_finding found = {
                g->blocks[i].function, at, g->blocks[i].behind - 1, 0, 0, operation, 0};
            memset(blocks, 0, g->count);
            if (!loop->again[first])
                reach(g, first, loop->merge, RED_NONE, blocks);
            if (!find_selection(&l, &found))
                continue;
            found.lacks |= lacks;
            LIT_ADD(exits->findings, exits->count) = found;
        }
    }
}

bool exits_find(const struct red_module *m, struct exits *exits, struct lit_error *error)
{
    struct graph g;
    *exits = (struct exits){0};
    make_graph(m, &g);
    compare(&g);
    for (size_t i = 0; i < g.loop_count; i++)
        look_at_loop(&g, &g.loops[i], exits);
    exits->loops = g.loop_count;
    const bool good = !is_over(&g);
    clear_graph(&g);
    return good || lit_fail(error, LIT_EXIT_UNDECIDED, "its control flow is too large");
}

void exits_clear(struct exits *exits)
{
    free(exits->findings);
    *exits = (struct exits){0};
}
