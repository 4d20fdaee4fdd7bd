// SPDX-License-Identifier: Apache-2.0
// Modules as lines.
#include "reduce/pass.h"

#define MOST_IDS (UINT32_C(1) << 20)

static bool make_line(struct red_line *line, const uint32_t *words, uint32_t size, uint32_t literal)
{
    const struct spirv_instruction each = {words, words[0] & SpvOpCodeMask, size, 0};
    line->words = lit_alloc(size, sizeof *words);
    line->kinds = lit_alloc(size, 1);
    line->size = size;
    memcpy(line->words, words, size * sizeof *words);
    return spirv_kinds(&each, literal, line->kinds);
}

static void clear_line(struct red_line *line)
{
    free(line->words);
    free(line->kinds);
    *line = (struct red_line){.gone = true};
}

static void clear_index(struct red_module *m)
{
    free(m->made);
    free(m->type);
    free(m->uses);
}

void red_module_clear(struct red_module *m)
{
    for (size_t i = 0; i < m->count; i++)
        clear_line(&m->lines[i]);
    free(m->lines);
    clear_index(m);
    free(m->used);
    *m = (struct red_module){0};
}

uint32_t red_word(const struct red_line *line, enum spirv_kind kind)
{
    for (uint32_t i = 1; i < line->size && i < 3; i++)
        if (line->kinds[i] == kind)
            return line->words[i];
    return 0;
}

const struct red_line *red_made(const struct red_module *m, uint32_t id)
{
    return id < m->bound && m->made[id] != RED_NONE ? &m->lines[m->made[id]] : NULL;
}

bool red_is_one(uint32_t opcode, const uint16_t *opcodes)
{
    while (*opcodes && *opcodes != opcode)
        opcodes++;
    return *opcodes;
}

// Whether an instruction is a name, decoration or the like.
static bool is_annotation(uint32_t opcode)
{
    return RED_IS_ONE(opcode, SpvOpName, SpvOpMemberName, SpvOpDecorate, SpvOpMemberDecorate,
                      SpvOpDecorateId, SpvOpDecorateString, SpvOpMemberDecorateString,
                      SpvOpGroupDecorate, SpvOpGroupMemberDecorate, SpvOpEntryPoint,
                      SpvOpExecutionMode, SpvOpExecutionModeId);
}

bool red_is_end(uint32_t opcode)
{
    return RED_IS_ONE(opcode, SpvOpBranch, SpvOpBranchConditional, SpvOpSwitch, SpvOpReturn,
                      SpvOpReturnValue, SpvOpUnreachable, SpvOpKill, SpvOpTerminateInvocation);
}

bool red_is_pure(const struct red_line *line)
{
    const uint32_t opcode = red_op(line);
    // Some extended instructions store through a pointer.
    return red_result(line) && !(opcode >= SpvOpAtomicLoad && opcode <= SpvOpAtomicXor) &&
           !RED_IS_ONE(opcode, SpvOpLabel, SpvOpFunction, SpvOpFunctionParameter, SpvOpFunctionCall,
                       SpvOpExtInst, SpvOpAtomicFAddEXT, SpvOpAtomicFMinEXT, SpvOpAtomicFMaxEXT);
}

// Words per literal of an OpSwitch.
static uint32_t literal_of(const struct red_module *m, const uint32_t *words, uint32_t size)
{
    const uint32_t selector = size > 1 ? words[1] : 0;
    const struct red_line *type = NULL;
    if ((words[0] & SpvOpCodeMask) == SpvOpSwitch && selector < m->bound && m->type)
        type = red_made(m, m->type[selector]);
    return type && red_op(type) == SpvOpTypeInt && type->words[2] > 32 ? 2 : 1;
}

static void note(struct red_module *m, const struct red_line *line, size_t at)
{
    const uint32_t result = red_result(line), type = red_word(line, SPIRV_TYPE);
    if (result && result < m->bound) {
        m->made[result] = at;
        m->type[result] = type;
    }
    for (uint32_t i = 1; i < line->size && !is_annotation(red_op(line)); i++)
        if (line->kinds[i] != SPIRV_WORD && line->kinds[i] != SPIRV_RESULT)
            m->uses[line->words[i]]++;
}

void red_module_index(struct red_module *m)
{
    uint32_t *type = lit_alloc(m->bound, sizeof *type);
    // Types of removed ids are still looked up.
    for (uint32_t id = 0; m->type && id < m->bound; id++)
        type[id] = m->type[id];
    clear_index(m);
    m->type = type;
    m->made = lit_alloc(m->bound, sizeof *m->made);
    m->uses = lit_alloc(m->bound, sizeof *m->uses);
    for (uint32_t id = 0; id < m->bound; id++)
        m->made[id] = RED_NONE;
    for (size_t i = 0; i < m->count; i++)
        if (!m->lines[i].gone)
            note(m, &m->lines[i], i);
}

static bool is_sound(const struct red_module *m, const struct red_line *line)
{
    const uint32_t result = red_result(line);
    for (uint32_t i = 1; i < line->size; i++)
        if (line->kinds[i] != SPIRV_WORD && (!line->words[i] || line->words[i] >= m->bound))
            return false;
    return !result || m->made[result] == RED_NONE;
}

bool red_module_read(struct red_module *m, const uint32_t *words, size_t count)
{
    struct spirv_instruction each = {0};
    *m = (struct red_module){0};
    if (!spirv_is_module(words, count) || words[SPIRV_BOUND] > MOST_IDS || !words[SPIRV_BOUND])
        return false;
    memcpy(m->header, words, sizeof m->header);
    m->bound = words[SPIRV_BOUND];
    red_module_index(m);
    SPIRV_EACH (each, words, count) {
        struct red_line line = {0};
        const bool good =
            make_line(&line, each.words, each.size, literal_of(m, each.words, each.size)) &&
            is_sound(m, &line);
        LIT_ADD(m->lines, m->count) = line;
        if (!good)
            return false;
        note(m, &line, m->count - 1);
    }
    m->used = lit_alloc(m->bound, sizeof *m->used);
    memcpy(m->used, m->uses, m->bound * sizeof *m->used);
    return spirv_is_end(&each, count);
}

uint32_t *red_module_write(const struct red_module *m, size_t *count)
{
    size_t size = SPIRV_HEADER, at = SPIRV_HEADER;
    for (size_t i = 0; i < m->count; i++)
        size += m->lines[i].gone ? 0 : m->lines[i].size;
    uint32_t *words = lit_alloc(size, sizeof *words);
    memcpy(words, m->header, sizeof m->header);
    words[SPIRV_BOUND] = m->bound;
    for (size_t i = 0; i < m->count; i++) {
        const struct red_line *line = &m->lines[i];
        if (line->gone)
            continue;
        memcpy(words + at, line->words, line->size * sizeof *words);
        at += line->size;
    }
    *count = size;
    return words;
}

// --- Changes

void red_put(struct red_module *m, size_t at, const uint32_t *words, uint32_t size)
{
    struct red_line line = {0};
    make_line(&line, words, size, literal_of(m, words, size));
    clear_line(&m->lines[at]);
    m->lines[at] = line;
}

// Inserts an instruction before another.
static void insert(struct red_module *m, size_t at, const uint32_t *words, uint32_t size)
{
    (void)LIT_ADD(m->lines, m->count);
    memmove(m->lines + at + 1, m->lines + at, (m->count - 1 - at) * sizeof *m->lines);
    m->lines[at] = (struct red_line){0};
    red_put(m, at, words, size);
}

static uint32_t new_id(struct red_module *m)
{
    const uint32_t id = m->bound++;
    m->made = lit_realloc(m->made, m->bound, sizeof *m->made);
    m->type = lit_realloc(m->type, m->bound, sizeof *m->type);
    m->uses = lit_realloc(m->uses, m->bound, sizeof *m->uses);
    m->used = lit_realloc(m->used, m->bound, sizeof *m->used);
    m->type[id] = m->uses[id] = m->used[id] = 0;
    m->made[id] = RED_NONE;
    return id;
}

// The constant with these words, in which the id is left open; created if missing.
static uint32_t declare(struct red_module *m, uint32_t *words, uint32_t size)
{
    size_t at = 0;
    words[0] = size << SpvWordCountShift | words[0];
    for (; at < m->count && (m->lines[at].gone || red_op(&m->lines[at]) != SpvOpFunction); at++) {
        const struct red_line *line = &m->lines[at];
        if (!line->gone && line->size == size && line->words[0] == words[0] &&
            line->words[1] == words[1] && (size < 4 || line->words[3] == words[3]))
            return line->words[2];
    }
    words[2] = new_id(m);
    insert(m, at, words, size);
    red_module_index(m);
    return words[2];
}

bool red_is_word(const struct red_module *m, uint32_t type)
{
    const struct red_line *line = red_made(m, type);
    return line && (red_op(line) == SpvOpTypeBool ||
                    ((red_op(line) == SpvOpTypeInt || red_op(line) == SpvOpTypeFloat) &&
                     line->words[2] == 32));
}

uint32_t red_null(struct red_module *m, uint32_t type)
{
    const struct red_line *line = red_made(m, type);
    if (red_is_word(m, type))
        return red_constant(m, type, 0);
    return line && RED_IS_ONE(red_op(line), SpvOpTypeInt, SpvOpTypeFloat, SpvOpTypeVector,
                              SpvOpTypeMatrix, SpvOpTypeArray, SpvOpTypeStruct)
               ? declare(m, (uint32_t[]){SpvOpConstantNull, type, 0}, 3)
               : 0;
}

uint32_t red_constant(struct red_module *m, uint32_t type, uint32_t value)
{
    const struct red_line *line = red_made(m, type);
    if (!red_is_word(m, type))
        return 0;
    if (red_op(line) == SpvOpTypeBool)
        return declare(m, (uint32_t[]){value ? SpvOpConstantTrue : SpvOpConstantFalse, type, 0}, 3);
    return declare(m, (uint32_t[]){SpvOpConstant, type, 0, value}, 4);
}

bool red_replace(struct red_module *m, uint32_t *with)
{
    for (uint32_t id = 1; id < m->bound; id++) {
        uint32_t left = m->bound;
        while (with[id] && with[with[id]] && left--)
            with[id] = with[with[id]];
        if (with[id] == id || (with[id] && with[with[id]]))
            return false;
    }
    for (size_t i = 0; i < m->count; i++) {
        struct red_line *line = &m->lines[i];
        for (uint32_t w = 1; w < line->size && !is_annotation(red_op(line)); w++)
            if (line->kinds[w] == SPIRV_ID && with[line->words[w]])
                line->words[w] = with[line->words[w]];
    }
    return true;
}

void red_name(struct red_module *m, const struct red_module *named)
{
    OWNED(lit_free) bool *has = lit_alloc(m->bound + 1, sizeof *has);
    size_t at = 0;
    // Names must precede the first decoration.
    while (at < m->count &&
           (red_op(&m->lines[at]) < SpvOpTypeVoid || red_op(&m->lines[at]) == SpvOpExecutionModeId))
        at++;
    for (size_t i = 0; i < m->count; i++)
        if (red_op(&m->lines[i]) == SpvOpName)
            has[m->lines[i].words[1]] = true;
    for (size_t i = 0; i < named->count; i++) {
        const struct red_line *name = &named->lines[i];
        const uint32_t id = red_op(name) == SpvOpName ? name->words[1] : 0;
        const struct red_line *was = red_made(named, id), *is = red_made(m, id);
        if (!id || !was || !is || has[id] || red_op(was) != red_op(is))
            continue;
        insert(m, at, name->words, name->size);
        red_module_index(m);
    }
}

size_t red_module_body(const struct red_module *m)
{
    size_t body = 0;
    bool inside = false;
    for (size_t i = 0; i < m->count; i++) {
        const uint32_t opcode = red_at(m, i);
        inside = opcode == SpvOpFunction || (inside && opcode != SpvOpFunctionEnd);
        body += inside &&
                !RED_IS_ONE(opcode, SpvOpFunction, SpvOpFunctionParameter, SpvOpLabel, SpvOpLine,
                            SpvOpNoLine) &&
                opcode != SpvOpNop;
    }
    return body;
}

// --- Repair: blocks

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
        const uint32_t opcode = red_at(m, i);
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
        const uint32_t opcode = red_at(m, i);
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
        const uint32_t opcode = red_at(m, i);
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
        const uint32_t left = --line->size - w;
        memmove(line->words + w, line->words + w + 1, left * sizeof *line->words);
        memmove(line->kinds + w, line->kinds + w + 1, left);
        line->words[0] = line->size << SpvWordCountShift | red_op(line);
    }
}

// Replaces missing values by 0.
static bool mend_uses(struct red_module *m)
{
    const uint32_t bound = m->bound;
    OWNED(lit_free) bool *missing = lit_alloc(bound, sizeof *missing);
    bool any = false;
    for (size_t i = 0; i < m->count; i++) {
        struct red_line *line = &m->lines[i];
        if (line->gone)
            continue;
        if (is_annotation(red_op(line))) {
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
    OWNED(lit_free) uint32_t *with = lit_alloc(m->bound, sizeof *with);
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
        if (m->lines[i].gone)
            clear_line(&m->lines[i]);
        else
            m->lines[kept++] = m->lines[i];
    m->count = kept;
    red_module_index(m);
    return true;
}
