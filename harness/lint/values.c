// SPDX-License-Identifier: Apache-2.0
// Dependences of values, and trip counts of loops.
#include "lint/exits.h"

#include "base/text.h"

#define MOST_DEPTH 24 // nesting of a value's operands

// Classes of opcodes: no group operation, a result per invocation, a uniform result, or a result
// that is uniform only for reductions.
enum group { NO_GROUP, APART, COMMON, AS_REDUCED };

static enum group group_of(uint32_t opcode)
{
    switch ((SpvOp)opcode) {
    case SpvOpGroupNonUniformAll:
    case SpvOpGroupNonUniformAny:
    case SpvOpGroupNonUniformAllEqual:
    case SpvOpGroupNonUniformBroadcast:
    case SpvOpGroupNonUniformBroadcastFirst:
    case SpvOpGroupNonUniformBallot:
    case SpvOpSubgroupBallotKHR:
    case SpvOpSubgroupFirstInvocationKHR:
    case SpvOpSubgroupAllKHR:
    case SpvOpSubgroupAnyKHR:
    case SpvOpSubgroupAllEqualKHR:
    case SpvOpSubgroupReadInvocationKHR:
    case SpvOpGroupAll:
    case SpvOpGroupAny:
    case SpvOpGroupBroadcast:
        return COMMON;
    case SpvOpGroupNonUniformRotateKHR:
    case SpvOpGroupNonUniformPartitionNV:
    case SpvOpGroupNonUniformQuadAllKHR:
    case SpvOpGroupNonUniformQuadAnyKHR:
    case SpvOpCooperativeMatrixLoadNV:
    case SpvOpCooperativeMatrixStoreNV:
    case SpvOpCooperativeMatrixMulAddNV:
    case SpvOpCooperativeMatrixLoadKHR:
    case SpvOpCooperativeMatrixStoreKHR:
    case SpvOpCooperativeMatrixMulAddKHR:
        return APART;
    default:
        if ((opcode >= SpvOpGroupNonUniformBallotBitCount &&
             opcode <= SpvOpGroupNonUniformLogicalXor) ||
            (opcode >= SpvOpGroupIAdd && opcode <= SpvOpGroupSMax))
            return AS_REDUCED;
        return opcode >= SpvOpGroupNonUniformElect && opcode <= SpvOpGroupNonUniformQuadSwap
                   ? APART
                   : NO_GROUP;
    }
}

bool exits_is_group(uint32_t opcode)
{
    return group_of(opcode) != NO_GROUP;
}

bool exits_is_atomic(uint32_t opcode)
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

SpvStorageClass exits_storage(const struct red_module *m, uint32_t pointer)
{
    const struct red_line *type = pointer < m->bound ? red_made(m, m->type[pointer]) : NULL;
    return type && red_op(type) == SpvOpTypePointer ? (SpvStorageClass)type->words[2]
                                                    : SpvStorageClassMax;
}

bool exits_is_private(const struct red_module *m, uint32_t pointer)
{
    const SpvStorageClass storage = exits_storage(m, pointer);
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

// Whether a group operation's result is uniform whatever its operands.
static bool is_common(const struct red_line *line)
{
    const enum group group = group_of(red_op(line));
    return group == COMMON ||
           (group == AS_REDUCED && line->size > 4 && line->words[4] == SpvGroupOperationReduce);
}

struct spread {
    struct exits_graph *graph;
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
static unsigned traits_of(const struct exits_graph *g, const struct red_line *line)
{
    const uint32_t opcode = red_op(line);
    unsigned traits = 0;
    for (uint32_t w = 1; w < line->size; w++)
        if (line->kinds[w] == SPIRV_ID)
            traits |= g->traits[line->words[w]] & (EXITS_DIFFERS | EXITS_GIVEN);
    if (exits_is_group(opcode))
        return is_common(line) ? EXITS_GIVEN : EXITS_GIVEN | EXITS_DIFFERS;
    const bool reads = is_reading(g->module, line);
    if ((exits_is_atomic(opcode) && !reads) || opcode == SpvOpReadClockKHR ||
        opcode == SpvOpFunctionCall || opcode == SpvOpFunctionParameter)
        return EXITS_GIVEN | EXITS_DIFFERS;
    if (reads || opcode == SpvOpImageRead || opcode == SpvOpImageFetch ||
        (opcode == SpvOpLoad && !exits_is_private(g->module, line->words[3]) &&
         exits_storage(g->module, line->words[3]) != SpvStorageClassInput))
        traits |= EXITS_GIVEN;
    return traits;
}

static void follow(struct spread *s, size_t at)
{
    const struct exits_graph *g = s->graph;
    const struct red_module *m = g->module;
    const struct red_line *line = &m->lines[at];
    const uint32_t opcode = red_op(line), result = red_result(line);
    const unsigned traits = traits_of(g, line);
    if (opcode == SpvOpStore || opcode == SpvOpCopyMemory) {
        if (exits_is_private(m, line->words[1]))
            mark(s, variable_of(m, line->words[1]), traits);
    } else if (opcode == SpvOpVariable) {
        if (line->words[3] == SpvStorageClassInput && !(g->traits[result] & EXITS_COMMON))
            mark(s, result, EXITS_DIFFERS);
    } else if (result && opcode != SpvOpLabel) {
        mark(s, result, traits | (opcode == SpvOpPhi ? s->apart[g->of[at]] : 0));
        for (uint32_t w = 4; opcode == SpvOpFunctionCall && w < line->size; w++)
            mark(s, variable_of(m, line->words[w]), traits);
    }
}

// Values that merge after a selection or loop also depend on the path taken.
static void part(struct spread *s)
{
    struct exits_graph *g = s->graph;
    for (size_t i = 0; i < g->count; i++)
        if (g->blocks[i].header != EXITS_NONE)
            s->apart[i] |= g->traits[exits_condition(g, g->blocks[i].header)];
    for (size_t l = 0; l < g->loop_count; l++) {
        const struct exits_loop *loop = &g->loops[l];
        g->work += g->count;
        for (size_t i = 0; i < g->count; i++) {
            bool leaves = loop->inside[i] && !loop->again[i];
            for (size_t k = 0; loop->inside[i] && k < g->blocks[i].count; k++)
                leaves |= !loop->again[g->blocks[i].next[k]];
            if (leaves)
                s->apart[loop->merge] |= g->traits[exits_condition(g, i)];
        }
    }
}

// Decorations precede variables.
static void decorate(struct exits_graph *g, const struct red_line *line)
{
    if (red_op(line) != SpvOpDecorate || line->words[2] != SpvDecorationBuiltIn || line->size < 4)
        return;
    switch ((SpvBuiltIn)line->words[3]) {
    case SpvBuiltInNumWorkgroups:
    case SpvBuiltInWorkgroupId:
    case SpvBuiltInDeviceIndex:
        g->traits[line->words[1]] = EXITS_COMMON | EXITS_GIVEN;
        break;
    case SpvBuiltInWorkgroupSize:
    case SpvBuiltInSubgroupSize:
    case SpvBuiltInNumSubgroups:
    case SpvBuiltInSubgroupId:
        g->traits[line->words[1]] = EXITS_COMMON;
        break;
    default:
        break;
    }
}

void exits_compare(struct exits_graph *g)
{
    const struct red_module *m = g->module;
    OWNED(lit_free) uint8_t *apart = lit_alloc(g->count + 1, 1);
    struct spread s = {g, apart, true};
    g->traits = lit_alloc(m->bound, 1);
    for (size_t i = 0; i < m->count; i++)
        decorate(g, &m->lines[i]);
    while (s.more && !exits_is_over(g)) {
        s.more = false;
        for (size_t i = 0; i < m->count; i++)
            if (g->of[i] != EXITS_NONE || red_op(&m->lines[i]) == SpvOpVariable ||
                red_op(&m->lines[i]) == SpvOpFunctionParameter)
                follow(&s, i);
        part(&s);
        g->work += m->count;
    }
}

// --- Trip counts

// The value of a 32-bit id in iteration 0 or 1. False if unknown.
static bool value_in(const struct exits_graph *g, const struct exits_loop *loop, uint32_t id,
                     unsigned round, unsigned depth, uint32_t *value)
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
            const size_t block = from ? g->of[from - g->module->lines] : EXITS_NONE;
            if (block != EXITS_NONE && loop->inside[block] == (round == 1))
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

bool exits_is_once(const struct exits_graph *g, const struct exits_loop *loop, size_t block)
{
    const bool leaves = g->blocks[block].next[0] == loop->merge; // if the condition is true
    uint32_t value = 0;
    for (unsigned round = 0; round < 2; round++)
        if (value_in(g, loop, exits_condition(g, block), round, MOST_DEPTH, &value) &&
            (value != 0) == leaves)
            return true;
    return false;
}
