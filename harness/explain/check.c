// SPDX-License-Identifier: Apache-2.0
// Finds what a kernel from outside does wrong in any of its dispatches.
#include "explain/race.h"

#include "base/spirv.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

struct checking {
    const struct cat_package *package;
    bool *nothing[CAT_REGIONS]; // per word: never given or stored
};

// For each word of a trace's buffer, whether it is uninitialised, and the number of words; NULL:
// the package has no such buffer.
static bool *nothing_of(const struct checking *c, const struct exp_buffer *of, uint32_t part,
                        uint64_t *words)
{
    const struct cat_interface *first = &c->package->interface,
                               *interface = part ? &first->parts[part - 1].interface : first;
    for (size_t b = 0; b < interface->binding_count; b++) {
        const struct cat_binding *each = &interface->bindings[b];
        *words = each->words;
        if (each->set == of->set && each->binding == of->binding &&
            of->element == cat_index(each->element))
            return c->nothing[each->region] + each->first;
    }
    return NULL;
}

// Marks what a dispatch stored as initialised for later ones.
static void note_what_is_there(struct checking *c, const struct exp_trace *t, uint32_t part)
{
    for (size_t n = 0; n < t->step_count; n++) {
        const struct exp_step *at = &t->steps[n];
        const struct exp_code *code = &t->codes[at->code];
        uint64_t offset, words = 0;
        if (!at->has_address || !code->bytes || !exp_stores(code))
            continue;
        const struct exp_buffer *buffer = exp_buffer_at(t, at->address, &offset);
        bool *nothing = buffer ? nothing_of(c, buffer, part, &words) : NULL;
        for (uint64_t w = offset / 4; nothing && w <= (offset + code->bytes - 1) / 4 && w < words;
             w++)
            nothing[w] = false;
    }
}

// --- Unused reads

// The words of a pipeline's module.
static const uint32_t *module_of(const struct checking *c, uint32_t part, size_t *count)
{
    const struct cat_part *own = part ? &c->package->interface.parts[part - 1] : NULL;
    const bool has_own = own && own->word_count;
    *count = has_own ? own->word_count : c->package->word_count;
    return has_own ? own->words : c->package->words;
}

// Marks the ids that are read. Names, decorations and stores to an id do not count, nor does the
// value of a store to a register variable that is not among `read` (may be NULL).
static void note_reads(const uint32_t *words, size_t count, const bool *read, bool *now)
{
    const uint32_t bound = words[SPIRV_BOUND];
    OWNED(lit_free) uint8_t *kinds = lit_alloc(UINT16_MAX, 1);
    OWNED(lit_free) bool *variables = lit_alloc((size_t)bound + 1, sizeof *variables);
    struct spirv_instruction each;
    SPIRV_EACH (each, words, count) {
        const bool known = spirv_kinds(&each, 1, kinds);
        const uint32_t first = spirv_operand(&each, 1, 0), class = spirv_operand(&each, 3, 0);
        if (each.opcode == SpvOpName || each.opcode == SpvOpDecorate ||
            each.opcode == SpvOpEntryPoint)
            continue;
        if (each.opcode == SpvOpVariable && spirv_operand(&each, 2, 0) < bound)
            variables[each.words[2]] =
                class == SpvStorageClassFunction || class == SpvStorageClassPrivate;
        if (each.opcode == SpvOpStore && first < bound && variables[first] && read && !read[first])
            continue;
        for (uint32_t i = each.opcode == SpvOpStore ? 2 : 1; i < each.size; i++)
            if (each.words[i] < bound && (!known || kinds[i] == SPIRV_ID))
                now[each.words[i]] = true;
    }
}

// For each instruction, whether it reads memory and its result is unused.
static bool *find_unused(const struct checking *c, const struct exp_trace *t, uint32_t part)
{
    size_t count;
    const uint32_t *words = module_of(c, part, &count);
    const uint32_t bound = words[SPIRV_BOUND];
    OWNED(lit_free) bool *first = lit_alloc((size_t)bound + 1, sizeof *first);
    OWNED(lit_free) bool *read = lit_alloc((size_t)bound + 1, sizeof *read);
    bool *unused = lit_alloc(t->code_count + 1, sizeof *unused);
    note_reads(words, count, NULL, first);
    note_reads(words, count, first, read);
    for (size_t i = 0; i < t->code_count; i++) {
        const struct spirv_instruction of = spirv_at(words, count, t->codes[i].word);
        const uint32_t result = spirv_operand(&of, 2, 0);
        unused[i] = (of.opcode == SpvOpLoad || of.opcode == SpvOpAtomicLoad ||
                     of.opcode == SpvOpAtomicExchange) &&
                    result < bound && !read[result];
    }
    return unused;
}

static bool check_dispatch(struct checking *c, const struct exp_trace *t, size_t dispatch,
                           struct exp_findings *findings, struct lit_error *error)
{
    const uint32_t part = dispatch ? c->package->interface.steps[dispatch - 1].part : 0;
    OWNED(lit_free) struct exp_bytes *buffers = lit_alloc(t->buffer_count + 1, sizeof *buffers);
    OWNED(lit_free) bool *unused = find_unused(c, t, part);
    const struct exp_dispatch of = {t, buffers, unused, dispatch, part};
    for (size_t i = 0; i < t->buffer_count; i++) {
        uint64_t words;
        buffers[i].uninitialised = nothing_of(c, &t->buffers[i], part, &words);
        buffers[i].size = buffers[i].uninitialised ? words * 4 : t->buffers[i].size;
    }
    const bool good = exp_find_misuse(&of, findings, error);
    if (good)
        exp_find_endless(&of, findings);
    if (good)
        note_what_is_there(c, t, part);
    return good;
}

bool exp_check(const struct exp_trace *traces, const struct cat_package *package,
               struct exp_findings *findings, struct lit_error *error)
{
    struct checking c = {.package = package};
    bool good = true;
    *findings = (struct exp_findings){0};
    for (int region = 0; region < CAT_REGIONS; region++) {
        c.nothing[region] = lit_alloc(package->region_words[region] + 1, sizeof(bool));
        for (uint64_t word = 0; word < package->region_words[region]; word++)
            c.nothing[region][word] = package->region[region][word] == CAT_POISON;
    }
    for (size_t i = 0; i < exp_dispatches(package) && good; i++)
        good = check_dispatch(&c, &traces[i], i, findings, error);
    for (int region = 0; region < CAT_REGIONS; region++)
        free(c.nothing[region]);
    return good;
}

void exp_findings_clear(struct exp_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        free(findings->items[i].at);
    free(findings->items);
    *findings = (struct exp_findings){0};
}
