// SPDX-License-Identifier: Apache-2.0
// A kernel before and after a pass.
#include "reduce/pass.h"

void red_values_clear(struct red_values *values)
{
    free(values->state);
    free(values->value);
    *values = (struct red_values){0};
}

void red_base_clear(struct red_base *base)
{
    cat_package_clear(&base->package);
    red_module_clear(&base->module);
    red_values_clear(&base->values);
}

static void copy_words(uint32_t **to, const uint32_t *from, size_t count)
{
    *to = lit_alloc(count + 1, sizeof **to);
    if (count)
        memcpy(*to, from, count * sizeof **to);
}

void red_package_copy(const struct cat_package *from, struct cat_package *to)
{
    *to = *from;
    to->name = to->origin = to->page = to->check = (struct text){0};
    to->unsound = false;
    text_append(&to->name, from->name.data, from->name.length);
    text_append(&to->origin, from->origin.data, from->origin.length);
    copy_words(&to->words, from->words, from->word_count);
    to->specs = lit_alloc(from->spec_count + 1, sizeof *to->specs);
    for (size_t i = 0; i < from->spec_count; i++)
        to->specs[i] = from->specs[i];
    for (size_t i = 0; i < CAT_REGIONS; i++)
        copy_words(&to->region[i], from->region[i], from->region_words[i]);
    to->expected = lit_alloc(to->expected_words + 1, sizeof *to->expected);
    to->interface.parts = NULL;
    to->interface.part_count = 0;
    if (from->interface.counts)
        copy_words(&to->interface.counts, from->interface.counts, from->interface.count_words);
}

size_t red_undefined(const struct red_module *m)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct red_line *line = &m->lines[i];
        const uint32_t before = i > 0 ? red_op(line - 1) : (uint32_t)SpvOpNop;
        count += red_op(line) == SpvOpUndef;
        // Nothing guarantees that lanes reconverge after such a branch.
        count += red_op(line) == SpvOpBranchConditional && line->words[2] == line->words[3] &&
                 before != SpvOpSelectionMerge && before != SpvOpLoopMerge;
    }
    return count;
}

static bool is_zero(const struct red_module *m, uint32_t id)
{
    const struct red_line *line = red_made(m, id);
    return line && (red_op(line) == SpvOpConstantNull ||
                    (red_op(line) == SpvOpConstant && line->size == 4 && !line->words[3]));
}

// Whether an integer is divided by a constant 0.
static bool divides_by_zero(const struct red_module *m)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct red_line *line = &m->lines[i];
        if (line->size == 5 && is_zero(m, line->words[4]) &&
            RED_IS_ONE(red_op(line), SpvOpUDiv, SpvOpSDiv, SpvOpUMod, SpvOpSRem, SpvOpSMod))
            return true;
    }
    return false;
}

// Removes values of specialization constants that the module no longer has.
static void settle_specs(struct cat_package *p, const struct red_module *m)
{
    size_t kept = 0;
    for (size_t s = 0; s < p->spec_count; s++) {
        bool known = false;
        for (size_t i = 0; i < m->count; i++)
            known |= red_op(&m->lines[i]) == SpvOpDecorate && m->lines[i].size == 4 &&
                     m->lines[i].words[2] == SpvDecorationSpecId &&
                     m->lines[i].words[3] == p->specs[s].id;
        if (known)
            p->specs[kept++] = p->specs[s];
    }
    p->spec_count = kept;
}

// Keeps the buffers that the module declares. False if one is missing or too short, or none is
// compared.
static bool settle_buffers(struct cat_package *p, const struct cat_inspected *found)
{
    struct cat_interface *interface = &p->interface;
    size_t kept = 0, compared = 0, missing = found->buffer_count;
    bool has[CAT_MOST_BINDINGS] = {false};
    for (size_t i = 0; i < interface->binding_count; i++)
        for (size_t b = 0; b < found->buffer_count; b++) {
            const struct cat_buffer *buffer = &found->buffers[b];
            const struct cat_binding binding = interface->bindings[i];
            if (buffer->set != binding.set || buffer->binding != binding.binding ||
                (buffer->element != binding.element && !(buffer->open && binding.element)))
                continue;
            if (binding.words < (buffer->bytes + buffer->each + 3) / 4)
                return false;
            compared += binding.region == CAT_OUTPUT;
            missing -= !has[b];
            has[b] = true;
            interface->bindings[kept++] = binding;
        }
    interface->binding_count = kept;
    return !missing && compared > 0;
}

bool red_settle(struct cat_package *p, const struct red_module *m, size_t undefined)
{
    struct cat_inspected found;
    if (red_undefined(m) > undefined || divides_by_zero(m))
        return false;
    settle_specs(p, m);
    if (!cat_inspect(p->words, p->word_count, p->interface.entry, p->specs, p->spec_count, &found,
                     NULL) ||
        !settle_buffers(p, &found) || found.push_size > p->interface.push_size)
        return false;
    p->interface.push_size = found.push_size;
    p->interface.width = found.local[0];
    p->workgroup = found.local[0] * found.local[1] * found.local[2];
    return p->workgroup > 0;
}

static unsigned bits_of(uint64_t number)
{
    unsigned bits = 0;
    for (; number; number >>= 1)
        bits++;
    return bits;
}

uint64_t red_weight(const struct red_base *base)
{
    const struct cat_package *p = &base->package;
    const struct red_module *m = &base->module;
    const size_t body = red_module_body(m);
    uint64_t numbers = bits_of(p->workgroup) + bits_of(p->groups), data = 0;
    numbers += bits_of(p->interface.rows) + bits_of(p->interface.layers);
    for (size_t i = 0; i < 3 * p->interface.step_count; i++)
        numbers += 1 + bits_of(p->interface.steps[i / 3].groups[i % 3]);
    for (size_t i = 0; i < m->count; i++) {
        const uint32_t opcode = red_op(&m->lines[i]);
        if ((opcode == SpvOpConstant || opcode == SpvOpSpecConstant) && m->lines[i].size > 3)
            numbers += bits_of(m->lines[i].words[3]) + (opcode == SpvOpSpecConstant);
        numbers += opcode == SpvOpSpecConstantComposite || opcode == SpvOpSpecConstantTrue ||
                   opcode == SpvOpSpecConstantFalse;
    }
    for (size_t i = 0; i < p->interface.binding_count; i++) {
        const struct cat_binding *binding = &p->interface.bindings[i];
        numbers += 8 + bits_of(binding->words);
        for (uint32_t part = 0; part < RED_PARTS; part++)
            data += red_has_data(p, binding, part);
    }
    return ((uint64_t)body << 44) + ((uint64_t)(m->count - body) << 28) + (numbers << 12) + data;
}
