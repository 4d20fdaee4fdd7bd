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
static void lessen_all(struct red_run *run, uint32_t *const *numbers, const uint32_t *from,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (from[i] > 1) {
            if (red_is_chosen(run))
                lessen(numbers[i], 1);
            if (red_is_chosen(run))
                lessen(numbers[i], from[i] / 2);
        }
}

void red_groups(struct red_run *run)
{
    const struct cat_package *p = &run->base->package;
    const struct cat_interface *interface = &p->interface;
    uint32_t *numbers[3 + 3 * CAT_MOST_STEPS] = {0}, from[3 + 3 * CAT_MOST_STEPS];
    size_t count = 0;
    from[count++] = p->groups;
    from[count++] = interface->rows;
    from[count++] = interface->layers;
    for (size_t i = 0; i < 3 * interface->step_count; i++)
        from[count++] = interface->steps[i / 3].groups[i % 3];
    if (run->draft) {
        struct cat_package *to = run->draft->package;
        numbers[0] = &to->groups;
        numbers[1] = &to->interface.rows;
        numbers[2] = &to->interface.layers;
        for (size_t i = 3; i < count; i++)
            numbers[i] = &to->interface.steps[i / 3 - 1].groups[i % 3];
    }
    lessen_all(run, numbers, from, count);
}

void red_steps(struct red_run *run)
{
    const struct cat_interface *from = &run->base->package.interface;
    size_t kept = 0;
    for (size_t i = 0; i < from->step_count; i++)
        if (!red_is_chosen(run) && run->draft)
            run->draft->package->interface.steps[kept++] = from->steps[i];
    if (run->draft)
        run->draft->package->interface.step_count = kept;
}

void red_lanes(struct red_run *run, size_t at)
{
    const struct red_line *line = &run->m->lines[at];
    if (run->places || red_op(line) != SpvOpExecutionMode || line->size != 6 ||
        line->words[2] != SpvExecutionModeLocalSize)
        return;
    uint32_t *to = run->draft ? run->draft->module->lines[at].words + 3 : NULL;
    uint32_t *const numbers[] = {to, to ? to + 1 : NULL, to ? to + 2 : NULL};
    lessen_all(run, numbers, line->words + 3, 3);
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
void red_specs(struct red_run *run)
{
    const struct red_module *m = run->m;
    size_t places = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct red_line *line = &m->lines[i];
        const uint32_t opcode = red_op(line);
        if (opcode == SpvOpSpecConstantTrue || opcode == SpvOpSpecConstantFalse ||
            opcode == SpvOpSpecConstantComposite ||
            (opcode == SpvOpSpecConstant && line->size == 4)) {
            places = 1;
            if (run->draft)
                freeze(run->base, i, run->draft);
        } else if (run->draft && opcode == SpvOpDecorate && line->size == 4 &&
                   line->words[2] == SpvDecorationSpecId) {
            const struct red_line *made = red_made(m, line->words[1]);
            run->draft->module->lines[i].gone = made && made->size <= 4;
        }
    }
    run->places = places;
}

// Replaces numbers by 0, 1, or half.
void red_constants(struct red_run *run, size_t at)
{
    const struct red_line *line = &run->m->lines[at];
    const struct red_line *type = red_made(run->m, red_word(line, SPIRV_TYPE));
    if (red_op(line) != SpvOpConstant || line->size != 4 || !type || red_op(type) != SpvOpTypeInt ||
        !line->words[3])
        return;
    const uint32_t values[] = {0, 1, line->words[3] / 2};
    for (size_t v = 0; v < 1 + 2u * (line->words[3] > 1); v++)
        if (red_is_chosen(run))
            lessen(&run->draft->module->lines[at].words[3], values[v]);
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
void red_unused(struct red_run *run, size_t at)
{
    const struct red_module *m = run->m;
    const struct red_line *line = &m->lines[at];
    const uint32_t id = red_result(line);
    const bool function = red_op(line) == SpvOpFunction;
    if (!id || m->uses[id] || !(function ? !is_entry(m, id) : red_is_pure(line)) ||
        !red_is_chosen(run))
        return;
    for (; at < m->count; at++) {
        run->draft->module->lines[at].gone = true;
        if (!function || red_op(&m->lines[at]) == SpvOpFunctionEnd)
            break;
    }
}

// Merges equal constants.
void red_equal(struct red_run *run, size_t at)
{
    const struct red_line *line = &run->m->lines[at], *other = run->m->lines;
    if (red_op(line) != SpvOpConstant && red_op(line) != SpvOpConstantComposite &&
        red_op(line) != SpvOpConstantNull)
        return;
    while (other < line &&
           (other->size != line->size || other->words[0] != line->words[0] ||
            other->words[1] != line->words[1] ||
            memcmp(other->words + 3, line->words + 3, (line->size - 3) * sizeof *line->words) != 0))
        other++;
    if (other == line || !red_is_chosen(run))
        return;
    run->with[line->words[2]] = other->words[2];
    run->draft->module->lines[at].gone = true;
}

static bool is_debug(uint32_t opcode)
{
    return opcode == SpvOpLine || opcode == SpvOpNoLine || opcode == SpvOpSource ||
           opcode == SpvOpSourceContinued || opcode == SpvOpSourceExtension ||
           opcode == SpvOpModuleProcessed;
}

static bool is_preamble(uint32_t opcode)
{
    return opcode == SpvOpCapability || opcode == SpvOpExtension || opcode == SpvOpDecorate ||
           opcode == SpvOpMemberDecorate || opcode == SpvOpExecutionMode;
}

void red_drop(struct red_run *run, size_t at)
{
    const uint32_t opcode = red_op(&run->m->lines[at]);
    if ((run->how == RED_DEBUG ? is_debug : is_preamble)(opcode) && red_is_chosen(run))
        run->draft->module->lines[at].gone = true;
}

// --- Buffers

void red_buffers(struct red_run *run)
{
    const struct cat_interface *from = &run->base->package.interface;
    for (size_t i = 0; i < from->binding_count; i++) {
        const struct cat_binding *binding = &from->bindings[i];
        const struct cat_tolerance *may = &binding->may;
        // The rules of allowed differences refer to elements by number.
        if (binding->words <= 1 || may->to || may->order || !red_is_chosen(run))
            continue;
        struct cat_package *p = run->draft->package;
        const uint64_t half = binding->words / 2;
        p->interface.bindings[i].words = half;
        for (uint64_t w = binding->first + half; w < binding->first + binding->words; w++)
            p->region[binding->region][w] = CAT_POISON;
    }
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

void red_data(struct red_run *run)
{
    const struct cat_interface *from = &run->base->package.interface;
    for (size_t i = 0; i < from->binding_count * RED_PARTS; i++) {
        const struct cat_binding *binding = &from->bindings[i / RED_PARTS];
        const uint32_t part = i % RED_PARTS;
        if (!red_has_data(&run->base->package, binding, part) || !red_is_chosen(run))
            continue;
        uint32_t *words = run->draft->package->region[binding->region] + binding->first;
        for (uint64_t w = part_of(binding, part); w < part_of(binding, part + 1); w++)
            words[w] = words[w] == CAT_POISON ? CAT_POISON : 0;
    }
}
