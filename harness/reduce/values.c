// SPDX-License-Identifier: Apache-2.0
// Removes an instruction: uses of its result get another value.
#include "reduce/pass.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

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
static uint32_t operand_of(const struct red_module *m, const struct red_line *line, int instead)
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
    return instead == RED_FIRST ? first : last;
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
static bool is_place(const struct red_base *base, const struct red_line *line, int instead)
{
    const struct red_module *m = &base->module;
    const uint32_t type = red_word(line, SPIRV_TYPE), id = red_result(line);
    const struct red_line *made = red_made(m, type);
    if (is_part_of_flow(red_op(line)))
        return false;
    if (instead == RED_NOTHING)
        return !id || (made && red_op(made) == SpvOpTypeVoid);
    if (!id || !made || red_op(made) == SpvOpTypeVoid)
        return false;
    switch (instead) {
    case RED_FIRST:
    case RED_LAST:
        return operand_of(m, line, instead);
    case RED_BEFORE:
        return result_before(m, line);
    case RED_VALUE:
        return red_is_word(m, type) && id < base->values.bound && base->values.state[id] == 1;
    case RED_ONE:
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
                            const struct red_line *line, int instead)
{
    const uint32_t type = red_word(line, SPIRV_TYPE), id = red_result(line);
    switch (instead) {
    case RED_FIRST:
    case RED_LAST:
        return operand_of(&base->module, line, instead);
    case RED_BEFORE:
        return result_before(&base->module, line);
    case RED_VALUE:
        return red_constant(draft->module, type, base->values.value[id]);
    case RED_ONE:
        return one_of(draft->module, type);
    default:
        return red_null(draft->module, type);
    }
}

// Removes an instruction, whose result becomes what `how` says.
void red_instead(struct red_run *run, size_t at)
{
    const struct red_line *line = &run->m->lines[at];
    const uint32_t id = red_result(line), opcode = red_op(line);
    if (!run->inside || opcode == SpvOpFunction || !is_place(run->base, line, run->how) ||
        !red_is_chosen(run))
        return;
    if (id && run->how != RED_NOTHING) {
        run->with[id] = replacement(run->base, run->draft, line, run->how);
        run->good = run->good && run->with[id];
    }
    // New lines precede all functions: the draft's are shifted by their number.
    struct red_module *draft = run->draft->module;
    draft->lines[at + (draft->count - run->m->count)].gone = true;
}
