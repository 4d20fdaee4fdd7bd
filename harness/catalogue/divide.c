// SPDX-License-Identifier: Apache-2.0
// What in a module depends on its workgroups being of one dispatch.
#include "catalogue/divide.h"

#include "base/spirv.h"

#define NONE UINT32_MAX

// The value of a constant of 32 bits that is declared within the first `count` words; NONE if `id`
// is none.
static uint32_t constant(const uint32_t *words, size_t count, uint32_t id)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, words, count)
        if (each.opcode == SpvOpConstant && each.size == 4 && each.words[2] == id)
            return each.words[3];
    return NONE;
}

static bool is_atomic(uint32_t opcode)
{
    return (opcode >= SpvOpAtomicLoad && opcode <= SpvOpAtomicXor) ||
           opcode == SpvOpAtomicFlagTestAndSet || opcode == SpvOpAtomicFlagClear;
}

// Whether an instruction makes others seen, or this one by others, beyond the workgroup.
static bool reaches_out(const uint32_t *words, const struct spirv_instruction *each)
{
    // Where the scope is: behind the pointer, which follows type and result where there are any.
    const bool no_result = each->opcode == SpvOpAtomicStore || each->opcode == SpvOpAtomicFlagClear;
    if (is_atomic(each->opcode)) {
        const uint32_t id = spirv_operand(each, no_result ? 2 : 4, 0);
        const uint32_t scope = constant(words, each->at, id);
        return scope < SpvScopeWorkgroup || scope > SpvScopeInvocation;
    }
    if (each->opcode == SpvOpLoad)
        return spirv_operand(each, 4, 0) & SpvMemoryAccessVolatileMask;
    if (each->opcode == SpvOpStore)
        return spirv_operand(each, 3, 0) & SpvMemoryAccessVolatileMask;
    const uint32_t decoration = each->opcode == SpvOpDecorate         ? spirv_operand(each, 2, NONE)
                                : each->opcode == SpvOpMemberDecorate ? spirv_operand(each, 3, NONE)
                                                                      : NONE;
    return decoration == SpvDecorationVolatile || decoration == SpvDecorationCoherent;
}

bool cat_module_divisible(const uint32_t *words, size_t count)
{
    struct spirv_instruction each;
    bool loops = false, reaches = false;
    if (!spirv_is_module(words, count))
        return false;
    SPIRV_EACH (each, words, count) {
        if (each.opcode == SpvOpDecorate && each.size == 4 &&
            each.words[2] == SpvDecorationBuiltIn && each.words[3] == SpvBuiltInNumWorkgroups)
            return false;
        loops |= each.opcode == SpvOpLoopMerge;
        reaches = reaches || reaches_out(words, &each);
    }
    return spirv_is_end(&each, count) && (!loops || !reaches);
}
