// SPDX-License-Identifier: Apache-2.0
// Which words of an instruction are ids, by the grammar table of spirv-headers.
#include "base/spirv.h"

#include <string.h>

struct walk {
    const struct spirv_instruction *of;
    uint8_t *kinds;
    uint32_t at, literal;
    bool good;
};

static void take(struct walk *w, enum spirv_kind kind, uint32_t count)
{
    w->good = w->good && count <= w->of->size - w->at;
    for (uint32_t i = 0; i < count && w->good; i++)
        w->kinds[w->at++] = kind;
}

// Up to the word that contains the terminator.
static void take_string(struct walk *w)
{
    const uint32_t from = w->at;
    bool ended = false;
    while (!ended && w->at < w->of->size) {
        ended = memchr(&w->of->words[w->at], '\0', sizeof *w->of->words);
        w->kinds[w->at++] = SPIRV_WORD;
    }
    w->good = w->good && ended && w->at > from;
}

static void take_access(struct walk *w)
{
    const uint32_t mask = w->at < w->of->size ? w->of->words[w->at] : 0;
    take(w, SPIRV_WORD, 1 + !!(mask & SpvMemoryAccessAlignedMask));
    take(w, SPIRV_ID,
         !!(mask & SpvMemoryAccessMakePointerAvailableMask) +
             !!(mask & SpvMemoryAccessMakePointerVisibleMask));
}

static void take_operands(struct walk *w, const char *letters);

// For OpSpecConstantOp: the opcode's operands after type and result.
static void take_operation(struct walk *w)
{
    const char *letters = w->at < w->of->size ? spirv_operands(w->of->words[w->at]) : NULL;
    take(w, SPIRV_WORD, 1);
    w->good = w->good && letters && strncmp(letters, "tr", 2) == 0;
    if (w->good)
        take_operands(w, letters + 2);
}

static void take_operand(struct walk *w, char letter)
{
    const uint32_t left = w->of->size - w->at;
    const bool ids = w->of->opcode == SpvOpExecutionModeId || w->of->opcode == SpvOpDecorateId;
    switch (letter) {
    case 't':
    case 'r':
        take(w, letter == 't' ? SPIRV_TYPE : SPIRV_RESULT, 1);
        break;
    case 'i':
        take(w, SPIRV_ID, 1);
        break;
    case 'z':
        take_string(w);
        break;
    case 'c':
        take(w, SPIRV_WORD, left);
        break;
    case 'o':
        take_operation(w);
        break;
    case 'p':
        take(w, SPIRV_WORD, w->literal);
        take(w, SPIRV_ID, 1);
        break;
    case 'q':
        take(w, SPIRV_ID, 1);
        take(w, SPIRV_WORD, 1);
        break;
    case 'w':
        take(w, SPIRV_ID, 2);
        break;
    case 'm':
        take_access(w);
        break;
    case 'x':
    case 'E':
        take(w, SPIRV_WORD, 1);
        take(w, letter == 'x' || ids ? SPIRV_ID : SPIRV_WORD, w->of->size - w->at);
        break;
    default: // a word, or an enumerant without parameters
        take(w, SPIRV_WORD, 1);
    }
}

static void take_operands(struct walk *w, const char *letters)
{
    for (; *letters && w->good; letters++) {
        const char letter = *letters, quantifier = letters[1];
        const bool some = quantifier == '?' || quantifier == '*';
        letters += some;
        if (!some || w->at < w->of->size)
            take_operand(w, letter);
        while (quantifier == '*' && w->good && w->at < w->of->size)
            take_operand(w, letter);
    }
}

bool spirv_kinds(const struct spirv_instruction *instruction, uint32_t literal, uint8_t *kinds)
{
    const char *letters = spirv_operands(instruction->opcode);
    struct walk w = {instruction, kinds, 1, literal, letters && instruction->size > 0};
    if (!w.good)
        return false;
    kinds[0] = SPIRV_WORD;
    take_operands(&w, letters);
    return w.good && w.at == instruction->size;
}
