// SPDX-License-Identifier: Apache-2.0
// Walks the instructions of a SPIR-V module, never outside of its words. Names and numbers are
// those of spirv-headers.
#pragma once

#include <spirv/unified1/spirv.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPIRV_BOUND = 3, SPIRV_HEADER = 5 }; // in the header: index of the id bound; size

struct spirv_instruction {
    const uint32_t *words; // the first has opcode and size
    uint32_t opcode, size; // size: all words; 0 at the end
    size_t at;             // its offset in the module
};

static inline bool spirv_is_module(const uint32_t *words, size_t count)
{
    return count >= SPIRV_HEADER && words[0] == SpvMagicNumber;
}

// The instruction at `at`; size 0 at the end, or if one does not fit.
static inline struct spirv_instruction spirv_at(const uint32_t *words, size_t count, size_t at)
{
    if (at >= count || !(words[at] >> SpvWordCountShift) ||
        words[at] >> SpvWordCountShift > count - at)
        return (struct spirv_instruction){.at = at};
    return (struct spirv_instruction){words + at, words[at] & SpvOpCodeMask,
                                      words[at] >> SpvWordCountShift, at};
}

// Whether a walk ended at the module's end: all its words were instructions.
static inline bool spirv_is_end(const struct spirv_instruction *instruction, size_t count)
{
    return instruction->size == 0 && instruction->at >= count;
}

// Iterates over the instructions in a module's first `count` words.
#define SPIRV_EACH(instruction, words, count)                                                      \
    for (instruction = spirv_at(words, count, SPIRV_HEADER); (instruction).size;                   \
         instruction = spirv_at(words, count, (instruction).at + (instruction).size))

// Operand number `index`, from 1; `otherwise` if there are not so many.
static inline uint32_t spirv_operand(const struct spirv_instruction *instruction, uint32_t index,
                                     uint32_t otherwise)
{
    return index < instruction->size ? instruction->words[index] : otherwise;
}

// The kind of an instruction's word.
enum spirv_kind { SPIRV_WORD, SPIRV_TYPE, SPIRV_RESULT, SPIRV_ID }; // SPIRV_TYPE: of the result

// Determines the kind of each word; kinds[size]. `literal`: words per literal of OpSwitch. False if
// the instruction is unknown, or its operands are wrong.
bool spirv_kinds(const struct spirv_instruction *instruction, uint32_t literal, uint8_t *kinds);

// An opcode's operands, one letter each (tools/spirv-operands); NULL if unknown.
const char *spirv_operands(uint32_t opcode);
// The number that assembly means by a word: an opcode, with or without Op, or an enumerant. False
// if there is none.
bool spirv_word(const char *name, size_t length, uint32_t *value);
// The specification's name of a capability; NULL if unknown.
const char *spirv_capability_name(uint32_t number);
