// SPDX-License-Identifier: Apache-2.0
// Repairs a module after a change.
#include "reduce/pass.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// --- Blocks

// Whether a word of an instruction is a block's label.
static bool is_label(const struct red_module *m, const struct red_line *line, uint32_t word)
{
    const struct red_line *made =
        line->kinds[word] == SPIRV_ID ? red_made(m, line->words[word]) : NULL;
    return made && red_op(made) == SpvOpLabel;
}

// Adds to `queue` the successors, merge block and continue target of a reached block.
static void reach_from(const struct red_module *m, size_t at, bool *reached, size_t *queue,
                       size_t *queued)
{
    bool ended = false;
    for (size_t i = at + 1; i < m->count && !ended; i++) {
        const struct red_line *line = &m->lines[i];
        const uint32_t opcode = line->gone ? (uint32_t)SpvOpNop : red_op(line);
        ended = red_is_end(opcode) || opcode == SpvOpLabel || opcode == SpvOpFunctionEnd;
        const bool leads = opcode == SpvOpSelectionMerge || opcode == SpvOpLoopMerge ||
                           (ended && opcode != SpvOpLabel);
        for (uint32_t w = 1; leads && w < line->size; w++)
            if (is_label(m, line, w) && !reached[m->made[line->words[w]]]) {
                reached[m->made[line->words[w]]] = true;
                queue[(*queued)++] = m->made[line->words[w]];
            }
    }
}

// Drops unreachable blocks.
static void drop_unreached(struct red_module *m)
{
    OWNED(lit_free) bool *reached = lit_alloc(m->count + 1, sizeof *reached);
    OWNED(lit_free) size_t *queue = lit_alloc(m->count + 1, sizeof *queue);
    size_t queued = 0;
    bool first = false;
    for (size_t i = 0; i < m->count; i++) {
        const uint32_t opcode = m->lines[i].gone ? (uint32_t)SpvOpNop : red_op(&m->lines[i]);
        if (opcode == SpvOpLabel && first) {
            reached[i] = true;
            queue[queued++] = i;
        }
        first = opcode == SpvOpFunction || (first && opcode != SpvOpLabel);
    }
    for (size_t i = 0; i < queued; i++)
        reach_from(m, queue[i], reached, queue, &queued);
    bool inside = false;
    for (size_t i = 0; i < m->count; i++) {
        const uint32_t opcode = m->lines[i].gone ? (uint32_t)SpvOpNop : red_op(&m->lines[i]);
        inside = opcode == SpvOpLabel ? !reached[i] : inside && opcode != SpvOpFunctionEnd;
        m->lines[i].gone |= inside;
    }
}

// --- Phis

// The predecessors of a label, without duplicates.
static size_t predecessors(const struct red_module *m, uint32_t label, uint32_t *blocks)
{
    size_t count = 0;
    uint32_t block = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct red_line *line = &m->lines[i];
        if (line->gone)
            continue;
        if (red_op(line) == SpvOpLabel)
            block = line->words[1];
        bool leads = false;
        for (uint32_t w = 1; red_is_end(red_op(line)) && w < line->size; w++)
            leads |= line->kinds[w] == SPIRV_ID && line->words[w] == label;
        if (leads)
            blocks[count++] = block;
    }
    return count;
}

// Gives a phi one value for each predecessor: the old one, else 0.
static bool mend_phi(struct red_module *m, size_t at, const uint32_t *blocks, size_t count)
{
    const struct red_line *old = &m->lines[at];
    const uint32_t size = (uint32_t)(3 + 2 * count);
    bool same = size == old->size;
    OWNED(lit_free) uint32_t *words = lit_alloc(size, sizeof *words);
    memcpy(words, old->words, 3 * sizeof *words);
    words[0] = size << SpvWordCountShift | SpvOpPhi;
    for (size_t i = 0; i < count; i++) {
        uint32_t value = 0;
        for (uint32_t w = 3; w + 1 < old->size; w += 2)
            value = old->words[w + 1] == blocks[i] ? old->words[w] : value;
        same = same && value;
        words[3 + 2 * i] = value;
        words[4 + 2 * i] = blocks[i];
    }
    if (same)
        return true;
    // Creating a constant for a missing value may renumber lines.
    const uint32_t id = old->words[2];
    uint32_t null = 0;
    for (size_t i = 0; i < count; i++)
        if (!words[3 + 2 * i]) {
            null = null ? null : red_null(m, words[1]);
            words[3 + 2 * i] = null;
            if (!null)
                return false;
        }
    red_put(m, null ? m->made[id] : at, words, size);
    return true;
}

static bool mend_phis(struct red_module *m)
{
    OWNED(lit_free) uint32_t *blocks = lit_alloc(m->count + 1, sizeof *blocks);
    uint32_t label = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct red_line *line = &m->lines[i];
        if (line->gone)
            continue;
        if (red_op(line) == SpvOpLabel)
            label = line->words[1];
        if (red_op(line) != SpvOpPhi)
            continue;
        const uint32_t id = line->words[2];
        red_module_index(m);
        if (!mend_phi(m, i, blocks, predecessors(m, label, blocks)))
            return false;
        i = m->made[id];
    }
    return true;
}

// --- Missing ids

// Drops annotations of removed ids, and removed variables from entry points.
static void mend_annotation(struct red_module *m, struct red_line *line)
{
    const bool lists = red_op(line) == SpvOpEntryPoint;
    for (uint32_t w = line->size; w-- > 1;) {
        if (line->kinds[w] != SPIRV_ID || m->made[line->words[w]] != RED_NONE)
            continue;
        if (!lists) {
            line->gone = true;
            return;
        }
        red_cut(line, w);
    }
}

// Replaces missing values by 0.
static bool mend_uses(struct red_module *m)
{
    OWNED(lit_free) uint32_t *with = NULL;
    const uint32_t bound = m->bound;
    OWNED(lit_free) bool *missing = lit_alloc(bound, sizeof *missing);
    bool any = false;
    for (size_t i = 0; i < m->count; i++) {
        struct red_line *line = &m->lines[i];
        if (line->gone)
            continue;
        if (red_is_annotation(red_op(line))) {
            mend_annotation(m, line);
            continue;
        }
        for (uint32_t w = 1; w < line->size; w++)
            if (line->kinds[w] != SPIRV_WORD && line->kinds[w] != SPIRV_RESULT &&
                m->made[line->words[w]] == RED_NONE)
                missing[line->words[w]] = any = true;
    }
    if (!any)
        return true;
    for (uint32_t id = 0; id < bound; id++)
        if (missing[id] && (!m->type[id] || !red_null(m, m->type[id])))
            return false;
    with = lit_alloc(m->bound, sizeof *with);
    for (uint32_t id = 0; id < bound; id++)
        with[id] = missing[id] ? red_null(m, m->type[id]) : 0;
    return red_replace(m, with);
}

// Drops what was used and no longer is, transitively.
static void drop_unused(struct red_module *m)
{
    for (bool any = true; any;) {
        any = false;
        red_module_index(m);
        for (size_t i = m->count; i-- > 0;) {
            struct red_line *line = &m->lines[i];
            const uint32_t id = line->gone ? 0 : red_result(line);
            if (!id || m->uses[id] || !m->used[id] || !red_is_pure(line))
                continue;
            line->gone = any = true;
            for (uint32_t w = 1; w < line->size; w++)
                if (line->kinds[w] == SPIRV_ID || line->kinds[w] == SPIRV_TYPE)
                    m->uses[line->words[w]]--;
        }
    }
}

bool red_module_tidy(struct red_module *m)
{
    size_t kept = 0;
    red_module_index(m);
    drop_unreached(m);
    red_module_index(m);
    if (!mend_phis(m))
        return false;
    red_module_index(m);
    if (!mend_uses(m))
        return false;
    drop_unused(m);
    red_module_index(m);
    // Annotations of the ids dropped last.
    if (!mend_uses(m))
        return false;
    for (size_t i = 0; i < m->count; i++)
        if (m->lines[i].gone) {
            free(m->lines[i].words);
            free(m->lines[i].kinds);
        } else {
            m->lines[kept++] = m->lines[i];
        }
    m->count = kept;
    red_module_index(m);
    return true;
}
