// SPDX-License-Identifier: Apache-2.0
// Reads modules: names of ids.

#include "modules.h"

// The header's inline function needs an external definition: here, under another name.
#define SPV_ENABLE_UTILITY_CODE
#define SpvHasResultAndType ids_result_and_type
#include "base/spirv.h"
extern inline void ids_result_and_type(SpvOp opcode, bool *has_result, bool *has_type);

#include <stdlib.h>
#include <string.h>

#define BOUND_MAX 65536 // limit for tests

// An instruction's result id, or 0.
static uint32_t result_of(const struct spirv_instruction *instruction)
{
    bool has_result = false, has_type = false;
    ids_result_and_type((SpvOp)instruction->opcode, &has_result, &has_type);
    const uint32_t at = has_type ? 2 : 1;
    return has_result && at < instruction->size ? instruction->words[at] : 0;
}

// The next word of assembly, skipping comments; length 0 at the end.
static const char *next_word(const char *at, size_t *length)
{
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (*at != ';')
            break;
        at += strcspn(at, "\n");
    }
    *length = strcspn(at, " \t\r\n;");
    if (*at == '"') {
        *length = 1;
        while (at[*length] && at[*length] != '"')
            *length += at[*length] == '\\' && at[*length + 1] ? 2 : 1;
        *length += at[*length] == '"';
    }
    return at;
}

// Names before "=" in order: the results.
struct results {
    const char *at;
};

static bool next_result(struct results *results, const char **name, size_t *length)
{
    size_t size;
    const char *before = NULL;
    size_t before_length = 0;
    for (;;) {
        const char *word = next_word(results->at, &size);
        results->at = word + size;
        if (size == 0)
            return false;
        if (size == 1 && *word == '=' && before && *before == '%') {
            *name = before + 1;
            *length = before_length - 1;
            return true;
        }
        before = word;
        before_length = size;
    }
}

void ids_list(const char *assembly, const uint32_t *words, size_t count, struct text *names)
{
    struct results results = {assembly};
    const char *name = NULL;
    size_t length = 0;
    bool fits = count > SPIRV_HEADER && words[SPIRV_BOUND] > 0 && words[SPIRV_BOUND] < BOUND_MAX;
    const uint32_t bound = fits ? words[SPIRV_BOUND] : 1;
    struct {
        const char *name;
        size_t length;
    } *by_id = lit_alloc(bound, sizeof *by_id);
    struct spirv_instruction instruction;
    SPIRV_EACH (instruction, words, count) {
        const uint32_t id = result_of(&instruction);
        if (id == 0)
            continue;
        fits = fits && id < bound && next_result(&results, &name, &length);
        if (!fits)
            break;
        by_id[id].name = name;
        by_id[id].length = length;
    }
    fits = fits && !next_result(&results, &name, &length);
    for (uint32_t id = 1; fits && id < bound; id++) {
        text_append(names, by_id[id].name ? by_id[id].name : "", by_id[id].length);
        text_puts(names, "\n");
    }
    free(by_id);
}

// The name in an OpName, if a list can hold it.
static const char *named_by(const struct spirv_instruction *instruction, size_t *length)
{
    const char *name = (const char *)(instruction->words + 2);
    *length = strnlen(name, (instruction->size - 2) * sizeof *instruction->words);
    return memchr(name, '\n', *length) ? NULL : name;
}

static bool is_for_debuggers(uint32_t opcode)
{
    return opcode == SpvOpSource || opcode == SpvOpSourceContinued ||
           opcode == SpvOpSourceExtension || opcode == SpvOpString || opcode == SpvOpName ||
           opcode == SpvOpMemberName || opcode == SpvOpLine || opcode == SpvOpNoLine ||
           opcode == SpvOpModuleProcessed;
}

void ids_take(uint32_t *words, size_t *count, struct text *names)
{
    if (*count <= SPIRV_HEADER || words[SPIRV_BOUND] == 0 || words[SPIRV_BOUND] >= BOUND_MAX)
        return;
    const uint32_t bound = words[SPIRV_BOUND];
    char **by_id = lit_alloc(bound, sizeof *by_id);
    size_t kept = SPIRV_HEADER;
    struct spirv_instruction instruction;
    SPIRV_EACH (instruction, words, *count) {
        size_t length;
        const char *name;
        if (instruction.opcode == SpvOpName && instruction.size > 2 &&
            instruction.words[1] < bound && !by_id[instruction.words[1]] &&
            (name = named_by(&instruction, &length)))
            by_id[instruction.words[1]] = strndup(name, length);
        if (is_for_debuggers(instruction.opcode))
            continue;
        memmove(words + kept, instruction.words, instruction.size * sizeof *words);
        kept += instruction.size;
    }
    *count = kept;
    for (uint32_t id = 1; id < bound; id++) {
        text_printf(names, "%s\n", by_id[id] ? by_id[id] : "");
        free(by_id[id]);
    }
    free(by_id);
}
