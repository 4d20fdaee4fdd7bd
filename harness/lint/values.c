// SPDX-License-Identifier: Apache-2.0
// What may differ between the invocations of a subgroup, and what changes in a loop.
#include "lint/exits.h"

#include "base/text.h"

#include <string.h>

#define MOST_DEPTH 24 // of a value's operands

bool exits_is_group(uint32_t opcode)
{
    switch ((SpvOp)opcode) {
    case SpvOpSubgroupBallotKHR:
    case SpvOpSubgroupFirstInvocationKHR:
    case SpvOpSubgroupAllKHR:
    case SpvOpSubgroupAnyKHR:
    case SpvOpSubgroupAllEqualKHR:
    case SpvOpSubgroupReadInvocationKHR:
    case SpvOpGroupNonUniformRotateKHR:
    case SpvOpGroupNonUniformPartitionNV:
    case SpvOpCooperativeMatrixLoadNV:
    case SpvOpCooperativeMatrixStoreNV:
    case SpvOpCooperativeMatrixMulAddNV:
        return true;
    default:
        return (opcode >= SpvOpGroupNonUniformElect && opcode <= SpvOpGroupNonUniformQuadSwap) ||
               (opcode >= SpvOpGroupAll && opcode <= SpvOpGroupSMax) ||
               opcode == SpvOpGroupNonUniformQuadAllKHR ||
               opcode == SpvOpGroupNonUniformQuadAnyKHR ||
               opcode == SpvOpCooperativeMatrixLoadKHR ||
               opcode == SpvOpCooperativeMatrixStoreKHR ||
               opcode == SpvOpCooperativeMatrixMulAddKHR;
    }
}

bool exits_is_atomic(uint32_t opcode)
{
    return (opcode >= SpvOpAtomicLoad && opcode <= SpvOpAtomicXor) ||
           opcode == SpvOpAtomicFAddEXT || opcode == SpvOpAtomicFMinEXT ||
           opcode == SpvOpAtomicFMaxEXT;
}

// --- Pointers

// The variable that a pointer points into; 0: not known.
static uint32_t variable_of(const struct red_module *m, uint32_t pointer)
{
    const struct red_line *line = red_made(m, pointer);
    for (unsigned depth = 0; line && depth < MOST_DEPTH; depth++) {
        switch ((SpvOp)red_op(line)) {
        case SpvOpVariable:
        case SpvOpFunctionParameter:
            return line->words[2];
        case SpvOpAccessChain:
        case SpvOpInBoundsAccessChain:
        case SpvOpPtrAccessChain:
        case SpvOpCopyObject:
        case SpvOpImageTexelPointer:
            line = red_made(m, line->words[3]);
            break;
        default:
            return 0;
        }
    }
    return 0;
}

SpvStorageClass exits_storage(const struct red_module *m, uint32_t pointer)
{
    const struct red_line *type = pointer < m->bound ? red_made(m, m->type[pointer]) : NULL;
    return type && red_op(type) == SpvOpTypePointer ? (SpvStorageClass)type->words[2]
                                                    : SpvStorageClassMax;
}

// The structure that a buffer's variable has, through pointers and arrays; 0: none.
static uint32_t structure_of(const struct red_module *m, uint32_t variable)
{
    const struct red_line *type = variable < m->bound ? red_made(m, m->type[variable]) : NULL;
    for (unsigned depth = 0; type && depth < MOST_DEPTH; depth++)
        switch ((SpvOp)red_op(type)) {
        case SpvOpTypeStruct:
            return type->words[1];
        case SpvOpTypePointer:
            type = type->size > 3 ? red_made(m, type->words[3]) : NULL;
            break;
        case SpvOpTypeArray:
        case SpvOpTypeRuntimeArray:
            type = red_made(m, type->words[2]);
            break;
        default:
            return 0;
        }
    return 0;
}

// What decorations say of a variable and its structure.
static unsigned marks(const struct exits_graph *g, uint32_t pointer)
{
    const uint32_t variable = variable_of(g->module, pointer);
    return g->marks[variable] | g->marks[structure_of(g->module, variable)];
}

bool exits_is_buffer(const struct exits_graph *g, uint32_t pointer)
{
    const SpvStorageClass storage = exits_storage(g->module, pointer);
    return storage == SpvStorageClassStorageBuffer ||
           storage == SpvStorageClassPhysicalStorageBuffer ||
           (storage == SpvStorageClassUniform && marks(g, pointer) & EXITS_BLOCK);
}

// --- What differs

static bool operand_differs(const struct red_line *line, const bool *differs)
{
    for (uint32_t w = 1; w < line->size; w++)
        if (line->kinds[w] == SPIRV_ID && differs[line->words[w]])
            return true;
    return false;
}

static bool group_differs(const struct red_line *line, const bool *differs)
{
    const uint32_t opcode = red_op(line);
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
        return false;
    case SpvOpGroupNonUniformBallotFindLSB:
    case SpvOpGroupNonUniformBallotFindMSB:
        return operand_differs(line, differs);
    default:
        if (opcode >= SpvOpGroupAll && opcode <= SpvOpGroupBroadcast)
            return false;
        return !(
            ((opcode >= SpvOpGroupNonUniformIAdd && opcode <= SpvOpGroupNonUniformLogicalXor) ||
             (opcode >= SpvOpGroupIAdd && opcode <= SpvOpGroupSMax) ||
             opcode == SpvOpGroupNonUniformBallotBitCount) &&
            line->size > 4 && line->words[4] == SpvGroupOperationReduce);
    }
}

struct difference {
    struct exits_graph *graph;
    bool *apart; // of each block: invocations may come to it by several ways
    bool more;
};

static void mark(struct difference *d, uint32_t id)
{
    if (id && id < d->graph->module->bound && !d->graph->differs[id])
        d->graph->differs[id] = d->more = true;
}

// What a store leaves in a variable. Invocations that read one place of a buffer read one value.
static void store(struct difference *d, uint32_t pointer, uint32_t value)
{
    const uint32_t variable = variable_of(d->graph->module, pointer);
    const SpvStorageClass storage = exits_storage(d->graph->module, variable);
    if ((d->graph->differs[pointer] || d->graph->differs[value]) &&
        (storage == SpvStorageClassFunction || storage == SpvStorageClassPrivate))
        mark(d, variable);
}

static void call(struct difference *d, const struct red_line *line)
{
    const struct red_module *m = d->graph->module;
    const struct red_line *callee = red_made(m, line->words[3]);
    size_t at = callee ? (size_t)(callee - m->lines) + 1 : m->count;
    for (uint32_t w = 4; w < line->size && at < m->count; w++, at++) {
        if (red_op(&m->lines[at]) != SpvOpFunctionParameter)
            return;
        const uint32_t parameter = red_result(&m->lines[at]);
        if (d->graph->differs[line->words[w]])
            mark(d, parameter);
        if (d->graph->differs[parameter])
            store(d, line->words[w], parameter);
    }
}

static void follow(struct difference *d, size_t at)
{
    const struct exits_graph *g = d->graph;
    const struct red_module *m = g->module;
    const struct red_line *line = &m->lines[at];
    const uint32_t opcode = red_op(line), result = red_result(line);
    const size_t block = g->of[at];
    switch ((SpvOp)opcode) {
    case SpvOpStore:
    case SpvOpCopyMemory:
        store(d, line->words[1], line->words[2]);
        return;
    case SpvOpReturnValue:
        if (g->differs[line->words[1]])
            mark(d, m->lines[g->blocks[block].function].words[2]);
        return;
    case SpvOpFunctionCall:
        call(d, line);
        break;
    case SpvOpFunction:
    case SpvOpFunctionParameter:
        return;
    case SpvOpVariable:
        if (line->words[3] == SpvStorageClassInput && !(g->marks[result] & EXITS_COMMON))
            mark(d, result);
        return;
    case SpvOpPhi:
        if (d->apart[block])
            mark(d, result);
        break;
    case SpvOpReadClockKHR:
        mark(d, result);
        break;
    default:
        break;
    }
    if (exits_is_group(opcode) ? group_differs(line, g->differs)
                               : exits_is_atomic(opcode) || operand_differs(line, g->differs))
        mark(d, result);
}

// Values that come together behind a selection or a loop depend on the way, too.
static void part(struct difference *d)
{
    struct exits_graph *g = d->graph;
    for (size_t i = 0; i < g->count; i++) {
        const size_t header = g->blocks[i].header;
        const uint32_t condition = header == EXITS_NONE ? 0 : exits_condition(g, header);
        d->apart[i] |= g->differs[condition];
    }
    for (size_t l = 0; l < g->loop_count; l++) {
        const struct exits_loop *loop = &g->loops[l];
        g->work += g->count;
        for (size_t i = 0; i < g->count; i++) {
            const uint32_t condition = loop->inside[i] ? exits_condition(g, i) : 0;
            bool leaves = !loop->again[i];
            for (size_t k = 0; g->differs[condition] && k < g->blocks[i].count; k++)
                leaves |= !loop->again[g->blocks[i].next[k]];
            d->apart[loop->merge] |= leaves && g->differs[condition];
        }
    }
}

void exits_compare(struct exits_graph *g)
{
    const struct red_module *m = g->module;
    OWNED(lit_free) bool *apart = lit_alloc(g->count + 1, sizeof *apart);
    struct difference d = {g, apart, true};
    g->differs = lit_alloc(m->bound, sizeof *g->differs);
    while (d.more && !exits_is_over(g)) {
        d.more = false;
        for (size_t i = 0; i < m->count; i++)
            if (g->of[i] != EXITS_NONE || red_op(&m->lines[i]) == SpvOpVariable)
                follow(&d, i);
        part(&d);
        g->work += m->count;
    }
}

// --- What changes in a loop

// Whether the loop may write to what a pointer leads to.
static bool is_written(struct exits_graph *g, const struct exits_loop *loop, uint32_t pointer)
{
    const struct red_module *m = g->module;
    const uint32_t variable = variable_of(m, pointer);
    const SpvStorageClass storage = exits_storage(m, pointer);
    const bool local = storage == SpvStorageClassFunction || storage == SpvStorageClassPrivate;
    for (size_t b = 0; b < g->count; b++) {
        if (!loop->inside[b])
            continue;
        g->work += g->blocks[b].behind - g->blocks[b].begin;
        for (size_t i = g->blocks[b].begin; i < g->blocks[b].behind; i++) {
            const struct red_line *line = &m->lines[i];
            const uint32_t opcode = red_op(line);
            const bool stores = opcode == SpvOpStore || opcode == SpvOpCopyMemory;
            const uint32_t to = stores ? variable_of(m, line->words[1]) : 0;
            if (opcode == SpvOpFunctionCall ||
                (stores && exits_storage(m, line->words[1]) == storage &&
                 (!to || !variable || to == variable)) ||
                (!local && (opcode == SpvOpControlBarrier || opcode == SpvOpMemoryBarrier ||
                            exits_is_atomic(opcode))))
                return true;
        }
    }
    return false;
}

static bool load_changes(struct exits_graph *g, const struct exits_loop *loop, uint32_t pointer)
{
    const SpvStorageClass storage = exits_storage(g->module, pointer);
    if (storage == SpvStorageClassInput || storage == SpvStorageClassPushConstant ||
        storage == SpvStorageClassUniformConstant ||
        (storage == SpvStorageClassUniform && !exits_is_buffer(g, pointer)))
        return false;
    return !(marks(g, pointer) & EXITS_READ_ONLY) &&
           (marks(g, pointer) & EXITS_SHARED || is_written(g, loop, pointer));
}

static bool is_constant(const struct red_module *m, uint32_t id)
{
    const struct red_line *line = red_made(m, id);
    return line && red_op(line) < SpvOpFunction;
}

// Whether a value of a loop's header begins with a constant, and is changed by constants.
static bool counts(const struct exits_graph *g, const struct exits_loop *loop,
                   const struct red_line *phi)
{
    const struct red_module *m = g->module;
    for (uint32_t w = 3; w + 1 < phi->size; w += 2) {
        const struct red_line *line = red_made(m, phi->words[w]);
        const size_t block = line ? g->of[line - m->lines] : EXITS_NONE;
        if (is_constant(m, phi->words[w]))
            continue;
        if (block == EXITS_NONE || !loop->inside[block] || !red_is_pure(line))
            return false;
        for (uint32_t k = 1; k < line->size; k++)
            if (line->kinds[k] == SPIRV_ID && line->words[k] != phi->words[2] &&
                !is_constant(m, line->words[k]))
                return false;
    }
    return true;
}

static enum exits_change change_of(struct exits_graph *g, const struct exits_loop *loop,
                                   uint32_t id, unsigned depth);

static enum exits_change change_of_operands(struct exits_graph *g, const struct exits_loop *loop,
                                            const struct red_line *line, unsigned depth)
{
    enum exits_change most = EXITS_SAME;
    bool known = true; // all that does not change is constant
    for (uint32_t w = 1; w < line->size && most != EXITS_CHANGES; w++) {
        if (line->kinds[w] != SPIRV_ID)
            continue;
        const enum exits_change each = change_of(g, loop, line->words[w], depth);
        known &= each != EXITS_SAME || is_constant(g->module, line->words[w]);
        most = each > most ? each : most;
    }
    return most == EXITS_COUNTS && !known ? EXITS_CHANGES : most;
}

static enum exits_change change_of_line(struct exits_graph *g, const struct exits_loop *loop,
                                        const struct red_line *line, size_t block, unsigned depth)
{
    const uint32_t opcode = red_op(line);
    const size_t header = g->blocks[block].header;
    if (depth == 0 || !red_is_pure(line) || exits_is_group(opcode) || opcode == SpvOpImageRead ||
        (opcode == SpvOpLoad && load_changes(g, loop, line->words[3])))
        return EXITS_CHANGES;
    if (opcode == SpvOpPhi && block == loop->header)
        return counts(g, loop, line) ? EXITS_COUNTS : EXITS_CHANGES;
    if (opcode == SpvOpPhi &&
        (header == EXITS_NONE ||
         change_of(g, loop, exits_condition(g, header), depth - 1) != EXITS_SAME))
        return EXITS_CHANGES;
    const enum exits_change change = change_of_operands(g, loop, line, depth - 1);
    return opcode == SpvOpLoad && change == EXITS_COUNTS ? EXITS_CHANGES : change;
}

static enum exits_change change_of(struct exits_graph *g, const struct exits_loop *loop,
                                   uint32_t id, unsigned depth)
{
    const struct red_line *line = red_made(g->module, id);
    const size_t block = line ? g->of[line - g->module->lines] : EXITS_NONE;
    if (block == EXITS_NONE || !loop->inside[block] || red_op(line) == SpvOpLabel)
        return EXITS_SAME;
    if (!g->changes[id])
        g->changes[id] = 1 + (uint8_t)change_of_line(g, loop, line, block, depth);
    return (enum exits_change)(g->changes[id] - 1);
}

enum exits_change exits_change(struct exits_graph *g, const struct exits_loop *loop, uint32_t id)
{
    if (g->changing != loop)
        memset(g->changes, 0, g->module->bound);
    g->work += g->changing == loop ? 1 : g->module->bound / 16;
    g->changing = loop;
    return change_of(g, loop, id, MOST_DEPTH);
}
