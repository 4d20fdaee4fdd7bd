// SPDX-License-Identifier: Apache-2.0
// Where changes can be made.
#include "relate/relate.h"

#include "base/text.h"

#include <stdlib.h>

const char *const rel_names[REL_CHANGES] = {"split", "branch", "tail",     "loop",
                                            "dead",  "swap",   "identity", "select",
                                            "sink",  "hoist",  "outline",  "variable"};

const char *const rel_texts[REL_CHANGES] = {
    "a block is two",
    "an instruction stands in a branch that is always taken",
    "the rest of a block stands in a branch that is always taken",
    "an instruction stands in a loop that runs once",
    "before a store there is another, in a branch that is never taken",
    "operands whose order does not matter change places",
    "an operand is x ^ y ^ y instead of x",
    "an operand is chosen by a condition that is always true",
    "arithmetic stands where it is first used",
    "arithmetic of a later block stands in the function's first block",
    "an instruction is a call of a function",
    "a result goes through a variable",
};

bool rel_can_be_null(const struct red_module *m, uint32_t type)
{
    const struct red_line *line = red_made(m, type);
    switch (line ? (SpvOp)red_op(line) : SpvOpNop) {
    case SpvOpTypeBool:
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        return true;
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
    case SpvOpTypeArray:
        return rel_can_be_null(m, line->words[2]);
    case SpvOpTypeStruct:
        for (uint32_t i = 2; i < line->size; i++)
            if (!rel_can_be_null(m, line->words[i]))
                return false;
        return true;
    default:
        return false;
    }
}

// Of one lane, without effect, and defined whatever its operands are.
static bool is_arithmetic(uint32_t opcode)
{
    switch ((SpvOp)opcode) {
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpSNegate:
    case SpvOpNot:
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
    case SpvOpBitCount:
    case SpvOpBitReverse:
    case SpvOpLogicalAnd:
    case SpvOpLogicalOr:
    case SpvOpLogicalNot:
    case SpvOpLogicalEqual:
    case SpvOpLogicalNotEqual:
    case SpvOpIEqual:
    case SpvOpINotEqual:
    case SpvOpULessThan:
    case SpvOpULessThanEqual:
    case SpvOpUGreaterThan:
    case SpvOpUGreaterThanEqual:
    case SpvOpSLessThan:
    case SpvOpSLessThanEqual:
    case SpvOpSGreaterThan:
    case SpvOpSGreaterThanEqual:
    case SpvOpSelect:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeExtract:
    case SpvOpVectorShuffle:
    case SpvOpUConvert:
    case SpvOpSConvert:
        return true;
    default:
        return false;
    }
}

static bool is_group(uint32_t opcode)
{
    return opcode >= SpvOpGroupNonUniformElect && opcode <= SpvOpGroupNonUniformQuadSwap;
}

uint32_t rel_swapped(uint32_t opcode)
{
    switch ((SpvOp)opcode) {
    case SpvOpIAdd:
    case SpvOpIMul:
    case SpvOpFAdd:
    case SpvOpFMul:
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
    case SpvOpLogicalAnd:
    case SpvOpLogicalOr:
    case SpvOpLogicalEqual:
    case SpvOpLogicalNotEqual:
    case SpvOpIEqual:
    case SpvOpINotEqual:
        return opcode;
    case SpvOpULessThan:
        return SpvOpUGreaterThan;
    case SpvOpUGreaterThan:
        return SpvOpULessThan;
    case SpvOpULessThanEqual:
        return SpvOpUGreaterThanEqual;
    case SpvOpUGreaterThanEqual:
        return SpvOpULessThanEqual;
    case SpvOpSLessThan:
        return SpvOpSGreaterThan;
    case SpvOpSGreaterThan:
        return SpvOpSLessThan;
    case SpvOpSLessThanEqual:
        return SpvOpSGreaterThanEqual;
    case SpvOpSGreaterThanEqual:
        return SpvOpSLessThanEqual;
    default:
        return 0;
    }
}

static bool is_integer(const struct red_module *m, uint32_t type)
{
    const struct red_line *line = red_made(m, type);
    return line && red_op(line) == SpvOpTypeInt && line->words[2] == 32;
}

static bool is_constant(const struct red_module *m, uint32_t id)
{
    const struct red_line *line = red_made(m, id);
    return line && red_op(line) >= SpvOpConstantTrue && red_op(line) <= SpvOpSpecConstantOp;
}

uint32_t rel_operand(const struct rel_study *study, const struct red_line *line)
{
    const struct red_module *m = study->module;
    for (uint32_t w = 1; w < line->size; w++) {
        const uint32_t id = line->words[w];
        if (line->kinds[w] == SPIRV_ID && !study->decorated[id] && !is_constant(m, id) &&
            red_made(m, id) && red_op(red_made(m, id)) != SpvOpFunction &&
            is_integer(m, m->type[id]))
            return w;
    }
    return 0;
}

// --- What is known of each line

static bool is_body(uint32_t opcode)
{
    switch ((SpvOp)opcode) {
    case SpvOpNop:
    case SpvOpLabel:
    case SpvOpPhi:
    case SpvOpVariable:
    case SpvOpUndef:
    case SpvOpFunction:
    case SpvOpFunctionParameter:
    case SpvOpFunctionEnd:
    case SpvOpSelectionMerge:
    case SpvOpLoopMerge:
    case SpvOpLine:
    case SpvOpNoLine:
        return false;
    default:
        return !red_is_end(opcode);
    }
}

static void note_uses(struct rel_study *s, size_t at)
{
    const struct red_line *line = &s->module->lines[at];
    if (red_op(line) == SpvOpDecorate || red_op(line) == SpvOpDecorateId)
        s->decorated[line->words[1]] = true;
    if (red_is_annotation(red_op(line)))
        return;
    for (uint32_t w = 1; w < line->size; w++)
        if (line->kinds[w] == SPIRV_ID) {
            const uint32_t id = line->words[w];
            s->first_use[id] = at < s->first_use[id] ? at : s->first_use[id];
            s->last_use[id] = at;
        }
}

// The lines of a block, from behind its label to what ends it. *first: an integer that all lines
// behind it know.
static void note_block(struct rel_study *s, size_t label, bool is_first, uint32_t *first)
{
    const struct red_module *m = s->module;
    size_t end = label + 1;
    uint32_t last = 0;
    while (end < m->count && !red_is_end(red_op(&m->lines[end])))
        end++;
    const bool merges = end < m->count && (red_op(&m->lines[end - 1]) == SpvOpSelectionMerge ||
                                           red_op(&m->lines[end - 1]) == SpvOpLoopMerge);
    // What begins a loop is left alone: its label is where the loop goes back to.
    const bool header = merges && red_op(&m->lines[end - 1]) == SpvOpLoopMerge;
    for (size_t i = label + 1; i < end && end < m->count; i++) {
        const struct red_line *line = &m->lines[i];
        const uint32_t id = red_result(line);
        s->lines[i] = (struct rel_line){.body = !header && is_body(red_op(line)),
                                        .first = is_first,
                                        .end = end - merges,
                                        .x = *first,
                                        .y = last ? last : *first};
        if (id)
            s->block[id] = label;
        // What nobody uses is known in its own block at most, once that is two.
        if (!id || s->first_use[id] == RED_NONE || !is_integer(m, red_word(line, SPIRV_TYPE)) ||
            red_op(line) == SpvOpUndef)
            continue;
        last = id;
        if (is_first && !*first)
            *first = id;
    }
}

void rel_study_make(struct rel_study *s, const struct red_module *m)
{
    bool is_first = false;
    uint32_t first = 0;
    *s = (struct rel_study){.module = m,
                            .lines = lit_alloc(m->count + 1, sizeof *s->lines),
                            .first_use = lit_alloc(m->bound, sizeof *s->first_use),
                            .last_use = lit_alloc(m->bound, sizeof *s->last_use),
                            .decorated = lit_alloc(m->bound, 1),
                            .block = lit_alloc(m->bound, sizeof *s->block)};
    for (uint32_t id = 0; id < m->bound; id++)
        s->first_use[id] = RED_NONE;
    for (size_t i = 0; i < m->count; i++)
        note_uses(s, i);
    for (size_t i = 0; i < m->count; i++) {
        if (red_op(&m->lines[i]) == SpvOpFunction) {
            is_first = true;
            first = 0;
        }
        if (red_op(&m->lines[i]) == SpvOpFunctionParameter) {
            s->block[red_result(&m->lines[i])] = i;
            if (is_integer(m, red_word(&m->lines[i], SPIRV_TYPE)))
                first = red_result(&m->lines[i]);
        }
        if (red_op(&m->lines[i]) != SpvOpLabel)
            continue;
        note_block(s, i, is_first, &first);
        is_first = false;
    }
}

void rel_study_clear(struct rel_study *s)
{
    free(s->lines);
    free(s->first_use);
    free(s->last_use);
    free(s->decorated);
    free(s->block);
    *s = (struct rel_study){0};
}

// --- Places

// Whether lines may stand in a branch: what they make for others can be 0 on the other way.
static bool can_branch(const struct rel_study *s, size_t from, size_t to)
{
    const struct red_module *m = s->module;
    for (size_t i = from; i < to; i++) {
        const struct red_line *line = &m->lines[i];
        const uint32_t id = red_result(line), type = red_word(line, SPIRV_TYPE);
        if (!s->lines[i].body || (id && s->decorated[id]))
            return false;
        if (id && s->first_use[id] <= s->last_use[id] &&
            (s->first_use[id] < from || s->last_use[id] >= to) && !rel_can_be_null(m, type))
            return false;
    }
    return true;
}

// An instruction of another block all of whose operands the first block makes, or nobody.
static bool can_hoist(const struct rel_study *s, size_t at)
{
    const struct red_module *m = s->module;
    const struct red_line *line = &m->lines[at];
    bool any = false;
    if (s->lines[at].first || !is_arithmetic(red_op(line)))
        return false;
    for (uint32_t w = 1; w < line->size; w++) {
        const uint32_t id = line->words[w];
        if (line->kinds[w] != SPIRV_ID || !s->block[id])
            continue;
        const size_t made = m->made[id];
        if (made == RED_NONE || !s->lines[made].first)
            return false;
        any = true;
    }
    return any;
}

static bool can_outline(const struct rel_study *s, const struct red_line *line)
{
    const struct red_module *m = s->module;
    if (!(is_arithmetic(red_op(line)) || is_group(red_op(line))) ||
        !rel_can_be_null(m, red_word(line, SPIRV_TYPE)))
        return false;
    for (uint32_t w = 1; w < line->size; w++)
        if (line->kinds[w] == SPIRV_ID && !is_constant(m, line->words[w]) &&
            (s->decorated[line->words[w]] || !rel_can_be_null(m, m->type[line->words[w]])))
            return false;
    return true;
}

static bool is_plain(const struct red_module *m, uint32_t type)
{
    const struct red_line *line = red_made(m, type);
    return line && (red_is_word(m, type) ||
                    (red_op(line) == SpvOpTypeVector && red_is_word(m, line->words[2])));
}

bool rel_is_place(const struct rel_study *s, enum rel_change change, size_t at)
{
    const struct red_module *m = s->module;
    const struct red_line *line = &m->lines[at];
    const struct rel_line *here = &s->lines[at];
    const uint32_t id = red_result(line), type = red_word(line, SPIRV_TYPE);
    if (!here->body || (id && s->decorated[id]))
        return false;
    switch (change) {
    case REL_SPLIT:
        return true;
    case REL_BRANCH:
        return here->x && can_branch(s, at, at + 1);
    case REL_TAIL:
        return here->x && at + 1 < here->end && can_branch(s, at, here->end);
    case REL_LOOP:
        return here->x;
    case REL_DEAD:
        return here->x && red_op(line) == SpvOpStore && rel_can_be_null(m, m->type[line->words[2]]);
    case REL_SWAP:
        return line->size == 5 && line->words[3] != line->words[4] && rel_swapped(red_op(line));
    case REL_IDENTITY:
    case REL_SELECT:
        return here->x && rel_operand(s, line);
    case REL_SINK:
        return is_arithmetic(red_op(line)) && s->first_use[id] > at + 1 && at + 1 < here->end;
    case REL_HOIST:
        return can_hoist(s, at);
    case REL_OUTLINE:
        return can_outline(s, line);
    case REL_VARIABLE:
        return id && is_plain(m, type) && s->last_use[id] >= at;
    default:
        return false;
    }
}

size_t rel_places(const struct red_module *m, enum rel_change change)
{
    struct rel_study study;
    size_t places = 0;
    rel_study_make(&study, m);
    for (size_t i = 0; i < m->count; i++)
        places += rel_is_place(&study, change, i);
    rel_study_clear(&study);
    return places;
}
