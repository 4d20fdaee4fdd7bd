// SPDX-License-Identifier: Apache-2.0
// Modules as lines.
#include "reduce/pass.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

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

bool red_is_annotation(uint32_t opcode)
{
    switch ((SpvOp)opcode) {
    case SpvOpName:
    case SpvOpMemberName:
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
    case SpvOpDecorateId:
    case SpvOpDecorateString:
    case SpvOpMemberDecorateString:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
    case SpvOpEntryPoint:
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return true;
    default:
        return false;
    }
}

bool red_is_end(uint32_t opcode)
{
    switch ((SpvOp)opcode) {
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpUnreachable:
    case SpvOpKill:
    case SpvOpTerminateInvocation:
        return true;
    default:
        return false;
    }
}

bool red_is_pure(const struct red_line *line)
{
    const uint32_t opcode = red_op(line);
    if (!red_result(line) || (opcode >= SpvOpAtomicLoad && opcode <= SpvOpAtomicXor))
        return false;
    switch ((SpvOp)opcode) {
    case SpvOpLabel:
    case SpvOpFunction:
    case SpvOpFunctionParameter:
    case SpvOpFunctionCall:
    case SpvOpExtInst: // some store through a pointer
    case SpvOpAtomicFAddEXT:
    case SpvOpAtomicFMinEXT:
    case SpvOpAtomicFMaxEXT:
        return false;
    default:
        return true;
    }
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
    for (uint32_t i = 1; i < line->size && !red_is_annotation(red_op(line)); i++)
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

void red_insert(struct red_module *m, size_t at, const uint32_t *words, uint32_t size)
{
    (void)LIT_ADD(m->lines, m->count);
    memmove(m->lines + at + 1, m->lines + at, (m->count - 1 - at) * sizeof *m->lines);
    m->lines[at] = (struct red_line){0};
    red_put(m, at, words, size);
}

void red_cut(struct red_line *line, uint32_t word)
{
    const uint32_t left = --line->size - word;
    memmove(line->words + word, line->words + word + 1, left * sizeof *line->words);
    memmove(line->kinds + word, line->kinds + word + 1, left);
    line->words[0] = line->size << SpvWordCountShift | red_op(line);
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
    red_insert(m, at, words, size);
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
    switch (line ? (SpvOp)red_op(line) : SpvOpNop) {
    case SpvOpTypeBool:
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
    case SpvOpTypeArray:
    case SpvOpTypeStruct:
        break;
    default:
        return 0;
    }
    return red_is_word(m, type) ? red_constant(m, type, 0)
                                : declare(m, (uint32_t[]){SpvOpConstantNull, type, 0}, 3);
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
        for (uint32_t w = 1; w < line->size && !red_is_annotation(red_op(line)); w++)
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
        red_insert(m, at, name->words, name->size);
        red_module_index(m);
    }
}

size_t red_module_body(const struct red_module *m)
{
    size_t body = 0;
    bool inside = false;
    for (size_t i = 0; i < m->count; i++) {
        const uint32_t opcode = m->lines[i].gone ? (uint32_t)SpvOpNop : red_op(&m->lines[i]);
        inside = opcode == SpvOpFunction || (inside && opcode != SpvOpFunctionEnd);
        body += inside && opcode != SpvOpFunction && opcode != SpvOpFunctionParameter &&
                opcode != SpvOpLabel && opcode != SpvOpLine && opcode != SpvOpNoLine &&
                opcode != SpvOpNop;
    }
    return body;
}
