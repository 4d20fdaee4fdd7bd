// SPDX-License-Identifier: Apache-2.0
// Reduces everything outside of functions: dispatch, constants, buffers and declarations.
#include "reduce/pass.h"

#include "base/text.h"

#include <string.h>

// --- The dispatch

static void lessen(uint32_t *number, uint32_t to)
{
    *number = *number < to ? *number : to;
}

// Two places for each number above 1: replace it by 1, or by half.
static size_t lessen_all(uint32_t *const *numbers, const uint32_t *from, size_t count,
                         const bool *chosen)
{
    size_t places = 0;
    for (size_t i = 0; i < count; i++) {
        if (from[i] <= 1)
            continue;
        if (chosen && chosen[places])
            lessen(numbers[i], 1);
        if (chosen && chosen[places + 1])
            lessen(numbers[i], from[i] / 2);
        places += 2;
    }
    return places;
}

size_t red_groups(const struct red_base *base, const bool *chosen, struct red_draft *draft,
                  bool *good)
{
    const struct cat_package *p = &base->package;
    const struct cat_interface *interface = &p->interface;
    uint32_t *numbers[3 + 3 * CAT_MOST_STEPS] = {0}, from[3 + 3 * CAT_MOST_STEPS];
    size_t count = 0;
    (void)good;
    from[count++] = p->groups;
    from[count++] = interface->rows;
    from[count++] = interface->layers;
    for (size_t i = 0; i < 3 * interface->step_count; i++)
        from[count++] = interface->steps[i / 3].groups[i % 3];
    if (draft) {
        numbers[0] = &draft->package->groups;
        numbers[1] = &draft->package->interface.rows;
        numbers[2] = &draft->package->interface.layers;
        for (size_t i = 3; i < count; i++)
            numbers[i] = &draft->package->interface.steps[i / 3 - 1].groups[i % 3];
    }
    return lessen_all(numbers, from, count, draft ? chosen : NULL);
}

size_t red_steps(const struct red_base *base, const bool *chosen, struct red_draft *draft,
                 bool *good)
{
    const struct cat_interface *from = &base->package.interface;
    (void)good;
    if (draft) {
        struct cat_interface *to = &draft->package->interface;
        to->step_count = 0;
        for (size_t i = 0; i < from->step_count; i++)
            if (!chosen[i])
                to->steps[to->step_count++] = from->steps[i];
    }
    return from->step_count;
}

size_t red_lanes(const struct red_base *base, const bool *chosen, struct red_draft *draft,
                 bool *good)
{
    const struct red_module *m = &base->module;
    (void)good;
    for (size_t i = 0; i < m->count; i++) {
        const struct red_line *line = &m->lines[i];
        if (red_op(line) != SpvOpExecutionMode || line->size != 6 ||
            line->words[2] != SpvExecutionModeLocalSize)
            continue;
        uint32_t *to = draft ? draft->module->lines[i].words + 3 : NULL;
        uint32_t *const numbers[] = {to, to ? to + 1 : NULL, to ? to + 2 : NULL};
        return lessen_all(numbers, line->words + 3, 3, draft ? chosen : NULL);
    }
    return 0;
}

// --- Constants

// The SpecId of a specialization constant; false if it has none.
static bool spec_id(const struct red_module *m, uint32_t constant, uint32_t *number)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct red_line *line = &m->lines[i];
        if (red_op(line) == SpvOpDecorate && line->size == 4 && line->words[1] == constant &&
            line->words[2] == SpvDecorationSpecId) {
            *number = line->words[3];
            return true;
        }
    }
    return false;
}

static void freeze(const struct red_base *base, size_t at, struct red_draft *draft)
{
    struct red_line *line = &draft->module->lines[at];
    const uint32_t opcode = red_op(line);
    uint32_t number,
        value = opcode == SpvOpSpecConstant ? line->words[3] : opcode == SpvOpSpecConstantTrue;
    if (spec_id(&base->module, red_result(line), &number))
        for (size_t i = 0; i < base->package.spec_count; i++)
            if (base->package.specs[i].id == number)
                value = base->package.specs[i].value;
    if (opcode == SpvOpSpecConstant)
        red_put(draft->module, at,
                (uint32_t[]){4u << SpvWordCountShift | SpvOpConstant, line->words[1],
                             line->words[2], value},
                4);
    else
        line->words[0] = line->size << SpvWordCountShift |
                         (opcode == SpvOpSpecConstantComposite ? SpvOpConstantComposite
                          : value                              ? SpvOpConstantTrue
                                                               : SpvOpConstantFalse);
}

// Turns specialization constants into constants, all at once.
size_t red_specs(const struct red_base *base, const bool *chosen, struct red_draft *draft,
                 bool *good)
{
    const struct red_module *m = &base->module;
    size_t places = 0;
    (void)chosen;
    (void)good;
    for (size_t i = 0; i < m->count; i++) {
        const struct red_line *line = &m->lines[i];
        const uint32_t opcode = red_op(line);
        if (opcode == SpvOpSpecConstantTrue || opcode == SpvOpSpecConstantFalse ||
            opcode == SpvOpSpecConstantComposite ||
            (opcode == SpvOpSpecConstant && line->size == 4)) {
            places = 1;
            if (draft)
                freeze(base, i, draft);
        } else if (draft && red_op(line) == SpvOpDecorate && line->size == 4 &&
                   line->words[2] == SpvDecorationSpecId) {
            const struct red_line *made = red_made(m, line->words[1]);
            draft->module->lines[i].gone = made && made->size <= 4;
        }
    }
    return places;
}

// Replaces numbers by 0, 1, or half.
size_t red_constants(const struct red_base *base, const bool *chosen, struct red_draft *draft,
                     bool *good)
{
    const struct red_module *m = &base->module;
    size_t places = 0;
    (void)good;
    for (size_t i = 0; i < m->count; i++) {
        const struct red_line *line = &m->lines[i];
        const struct red_line *type = red_made(m, red_word(line, SPIRV_TYPE));
        if (red_op(line) != SpvOpConstant || line->size != 4 || !type ||
            red_op(type) != SpvOpTypeInt || !line->words[3])
            continue;
        const uint32_t values[] = {0, 1, line->words[3] / 2};
        for (size_t v = 0; v < 1 + 2u * (line->words[3] > 1); v++)
            if ((places++, draft) && chosen[places - 1])
                lessen(&draft->module->lines[i].words[3], values[v]);
    }
    return places;
}

// --- Declarations

static bool is_entry(const struct red_module *m, uint32_t function)
{
    for (size_t i = 0; i < m->count; i++)
        if (red_op(&m->lines[i]) == SpvOpEntryPoint && m->lines[i].words[2] == function)
            return true;
    return false;
}

// Removes what is unused: functions, types, constants, variables, results.
size_t red_unused(const struct red_base *base, const bool *chosen, struct red_draft *draft,
                  bool *good)
{
    const struct red_module *m = &base->module;
    size_t places = 0;
    (void)good;
    for (size_t i = 0; i < m->count; i++) {
        const struct red_line *line = &m->lines[i];
        const uint32_t id = red_result(line), opcode = red_op(line);
        const bool function = opcode == SpvOpFunction;
        if (!id || m->uses[id] || !(function ? !is_entry(m, id) : red_is_pure(line)) ||
            !(places++, draft) || !chosen[places - 1])
            continue;
        for (size_t at = i; at < m->count; at++) {
            draft->module->lines[at].gone = true;
            if (!function || red_op(&m->lines[at]) == SpvOpFunctionEnd)
                break;
        }
    }
    return places;
}

// Merges equal constants.
size_t red_equal(const struct red_base *base, const bool *chosen, struct red_draft *draft,
                 bool *good)
{
    const struct red_module *m = &base->module;
    OWNED(lit_free) uint32_t *with = draft ? lit_alloc(m->bound, sizeof *with) : NULL;
    size_t places = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct red_line *line = &m->lines[i], *other = m->lines;
        if (red_op(line) != SpvOpConstant && red_op(line) != SpvOpConstantComposite &&
            red_op(line) != SpvOpConstantNull)
            continue;
        while (other < line && (other->size != line->size || other->words[0] != line->words[0] ||
                                other->words[1] != line->words[1] ||
                                memcmp(other->words + 3, line->words + 3,
                                       (line->size - 3) * sizeof *line->words) != 0))
            other++;
        if (other == line || !(places++, draft) || !chosen[places - 1])
            continue;
        with[line->words[2]] = other->words[2];
        draft->module->lines[i].gone = true;
    }
    if (draft)
        *good = *good && red_replace(draft->module, with);
    return places;
}

static size_t drop(const struct red_base *base, const bool *chosen, struct red_draft *draft,
                   bool (*is_place)(uint32_t opcode))
{
    size_t places = 0;
    for (size_t i = 0; i < base->module.count; i++)
        if (is_place(red_op(&base->module.lines[i])) && (places++, draft) && chosen[places - 1])
            draft->module->lines[i].gone = true;
    return places;
}

static bool is_debug(uint32_t opcode)
{
    return opcode == SpvOpLine || opcode == SpvOpNoLine || opcode == SpvOpSource ||
           opcode == SpvOpSourceContinued || opcode == SpvOpSourceExtension ||
           opcode == SpvOpModuleProcessed;
}

size_t red_debug(const struct red_base *base, const bool *chosen, struct red_draft *draft,
                 bool *good)
{
    (void)good;
    return drop(base, chosen, draft, is_debug);
}

static bool is_preamble(uint32_t opcode)
{
    return opcode == SpvOpCapability || opcode == SpvOpExtension || opcode == SpvOpDecorate ||
           opcode == SpvOpMemberDecorate || opcode == SpvOpExecutionMode;
}

size_t red_preamble(const struct red_base *base, const bool *chosen, struct red_draft *draft,
                    bool *good)
{
    (void)good;
    return drop(base, chosen, draft, is_preamble);
}

// --- Buffers

size_t red_buffers(const struct red_base *base, const bool *chosen, struct red_draft *draft,
                   bool *good)
{
    const struct cat_interface *from = &base->package.interface;
    size_t places = 0;
    (void)good;
    for (size_t i = 0; i < from->binding_count; i++) {
        const struct cat_binding *binding = &from->bindings[i];
        const struct cat_tolerance *may = &binding->may;
        // The rules of allowed differences refer to elements by number.
        if (binding->words <= 1 || may->to || may->order || !(places++, draft) ||
            !chosen[places - 1])
            continue;
        struct cat_package *p = draft->package;
        const uint64_t half = binding->words / 2;
        p->interface.bindings[i].words = half;
        for (uint64_t w = binding->first + half; w < binding->first + binding->words; w++)
            p->region[binding->region][w] = CAT_POISON;
    }
    return places;
}

// Start of a part; for RED_PARTS the end of the buffer.
static uint64_t part_of(const struct cat_binding *binding, uint32_t part)
{
    return binding->words * part / RED_PARTS;
}

bool red_has_data(const struct cat_package *p, const struct cat_binding *binding, uint32_t part)
{
    const uint32_t *words = p->region[binding->region] + binding->first;
    for (uint64_t w = part_of(binding, part); w < part_of(binding, part + 1); w++)
        if (words[w] && words[w] != CAT_POISON)
            return true;
    return false;
}

size_t red_data(const struct red_base *base, const bool *chosen, struct red_draft *draft,
                bool *good)
{
    const struct cat_interface *from = &base->package.interface;
    size_t places = 0;
    (void)good;
    for (size_t i = 0; i < from->binding_count * RED_PARTS; i++) {
        const struct cat_binding *binding = &from->bindings[i / RED_PARTS];
        const uint32_t part = i % RED_PARTS;
        if (!red_has_data(&base->package, binding, part) || !(places++, draft) ||
            !chosen[places - 1])
            continue;
        uint32_t *words = draft->package->region[binding->region] + binding->first;
        for (uint64_t w = part_of(binding, part); w < part_of(binding, part + 1); w++)
            words[w] = words[w] == CAT_POISON ? CAT_POISON : 0;
    }
    return places;
}
