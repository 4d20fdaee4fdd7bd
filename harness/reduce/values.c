// SPDX-License-Identifier: Apache-2.0
// Removes an instruction: uses of its result get another value.
#include "reduce/pass.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// The replacement for an instruction's result.
enum instead { FIRST, LAST, BEFORE, ZERO, ONE, VALUE, NOTHING };

static bool is_part_of_flow(uint32_t opcode)
{
    switch ((SpvOp)opcode) {
    case SpvOpLabel:
    case SpvOpVariable:
    case SpvOpFunctionParameter:
    case SpvOpSelectionMerge:
    case SpvOpLoopMerge:
    case SpvOpLine:
    case SpvOpNoLine:
        return true;
    default:
        return red_is_end(opcode);
    }
}

// The first operand, or the last other one, of the result's type. 0: none.
static uint32_t operand_of(const struct red_module *m, const struct red_line *line,
                           enum instead instead)
{
    const uint32_t type = red_word(line, SPIRV_TYPE), result = red_result(line);
    uint32_t first = 0, last = 0;
    for (uint32_t w = 1; w < line->size; w++) {
        const uint32_t id = line->words[w];
        if (line->kinds[w] != SPIRV_ID || id == result || m->type[id] != type)
            continue;
        if (!first)
            first = id;
        else if (id != first)
            last = id;
    }
    return instead == FIRST ? first : last;
}

// The nearest preceding result in its function that has the same type. 0: none.
static uint32_t result_before(const struct red_module *m, const struct red_line *line)
{
    const uint32_t type = red_word(line, SPIRV_TYPE);
    while (line-- > m->lines && red_op(line) != SpvOpFunction)
        if (red_word(line, SPIRV_TYPE) == type)
            return red_result(line);
    return 0;
}

// Whether an instruction can be removed this way.
static bool is_place(const struct red_base *base, const struct red_line *line, enum instead instead)
{
    const struct red_module *m = &base->module;
    const uint32_t type = red_word(line, SPIRV_TYPE), id = red_result(line);
    const struct red_line *made = red_made(m, type);
    if (is_part_of_flow(red_op(line)))
        return false;
    if (instead == NOTHING)
        return !id || (made && red_op(made) == SpvOpTypeVoid);
    if (!id || !made || red_op(made) == SpvOpTypeVoid)
        return false;
    switch (instead) {
    case FIRST:
    case LAST:
        return operand_of(m, line, instead);
    case BEFORE:
        return result_before(m, line);
    case VALUE:
        return red_is_word(m, type) && id < base->values.bound && base->values.state[id] == 1;
    case ONE:
        return red_is_word(m, type);
    default:
        return red_op(made) != SpvOpTypePointer;
    }
}

static uint32_t one_of(struct red_module *m, uint32_t type)
{
    const float one = 1;
    uint32_t bits = 1;
    if (red_op(red_made(m, type)) == SpvOpTypeFloat)
        memcpy(&bits, &one, sizeof bits);
    return red_constant(m, type, bits);
}

// The replacement of a result, created in the draft.
static uint32_t replacement(const struct red_base *base, struct red_draft *draft,
                            const struct red_line *line, enum instead instead)
{
    const uint32_t type = red_word(line, SPIRV_TYPE), id = red_result(line);
    switch (instead) {
    case FIRST:
    case LAST:
        return operand_of(&base->module, line, instead);
    case BEFORE:
        return result_before(&base->module, line);
    case VALUE:
        return red_constant(draft->module, type, base->values.value[id]);
    case ONE:
        return one_of(draft->module, type);
    default:
        return red_null(draft->module, type);
    }
}

static size_t each(const struct red_base *base, const bool *chosen, struct red_draft *draft,
                   bool *good, enum instead instead)
{
    const struct red_module *m = &base->module;
    OWNED(lit_free) uint32_t *with = NULL;
    // There may be as many new constants as lines.
    const size_t room = m->bound + m->count + 1;
    size_t places = 0;
    bool inside = false;
    if (draft)
        with = lit_alloc(room, sizeof *with);
    for (size_t i = 0; i < m->count; i++) {
        const struct red_line *line = &m->lines[i];
        if (red_op(line) == SpvOpFunction || red_op(line) == SpvOpFunctionEnd) {
            inside = red_op(line) == SpvOpFunction;
            continue;
        }
        if (!inside || !is_place(base, line, instead) || !(places++, draft) || !chosen[places - 1])
            continue;
        const uint32_t id = red_result(line);
        // New lines precede all functions: the draft's are shifted by their number.
        if (id && instead != NOTHING) {
            with[id] = replacement(base, draft, line, instead);
            *good = *good && with[id];
        }
        draft->module->lines[i + (draft->module->count - m->count)].gone = true;
    }
    if (draft && *good)
        *good = red_replace(draft->module, with);
    return places;
}

#define PASS(name, instead)                                                                        \
    size_t name(const struct red_base *base, const bool *chosen, struct red_draft *draft,          \
                bool *good)                                                                        \
    {                                                                                              \
        return each(base, chosen, draft, good, instead);                                           \
    }
PASS(red_first, FIRST)
PASS(red_last, LAST)
PASS(red_before, BEFORE)
PASS(red_zero, ZERO)
PASS(red_one, ONE)
PASS(red_value, VALUE)
PASS(red_no_store, NOTHING)
