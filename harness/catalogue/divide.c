// SPDX-License-Identifier: Apache-2.0
// What in a module depends on its workgroups being of one dispatch.
#include "catalogue/divide.h"

enum {
    SPIRV_MAGIC = 0x07230203,
    OP_CONSTANT = 43,
    OP_LOAD = 61,
    OP_STORE = 62,
    OP_DECORATE = 71,
    OP_MEMBER_DECORATE = 72,
    OP_ATOMIC_LOAD = 227,
    OP_ATOMIC_STORE = 228,
    OP_ATOMIC_XOR = 242,
    OP_ATOMIC_FLAG_TEST_AND_SET = 318,
    OP_ATOMIC_FLAG_CLEAR = 319,
    OP_LOOP_MERGE = 246,
    DECORATION_BUILT_IN = 11,
    DECORATION_VOLATILE = 21,
    DECORATION_COHERENT = 23,
    BUILT_IN_NUM_WORKGROUPS = 24,
    SCOPE_WORKGROUP = 2,
    SCOPE_INVOCATION = 4,
    ACCESS_VOLATILE = 1,
};

// The value of a constant of 32 bits that is declared within the first `count` words; UINT32_MAX if
// `id` is none.
static uint32_t constant(const uint32_t *words, size_t count, uint32_t id)
{
    for (size_t at = 5; at < count; at += words[at] >> 16)
        if ((words[at] & 0xffff) == OP_CONSTANT && words[at] >> 16 == 4 && words[at + 2] == id)
            return words[at + 3];
    return UINT32_MAX;
}

static bool is_atomic(uint32_t opcode)
{
    return (opcode >= OP_ATOMIC_LOAD && opcode <= OP_ATOMIC_XOR) ||
           opcode == OP_ATOMIC_FLAG_TEST_AND_SET || opcode == OP_ATOMIC_FLAG_CLEAR;
}

// Whether an instruction makes others seen, or this one by others, beyond the workgroup.
static bool reaches_out(const uint32_t *words, size_t at)
{
    const uint32_t length = words[at] >> 16, opcode = words[at] & 0xffff;
    // Where the operand is: behind the pointer, which follows type and result where there are any.
    const uint32_t place = opcode == OP_ATOMIC_STORE || opcode == OP_ATOMIC_FLAG_CLEAR ? 2 : 4;
    if (is_atomic(opcode)) {
        const uint32_t scope = length > place ? constant(words, at, words[at + place]) : UINT32_MAX;
        return scope < SCOPE_WORKGROUP || scope > SCOPE_INVOCATION;
    }
    if (opcode == OP_LOAD)
        return length > 4 && words[at + 4] & ACCESS_VOLATILE;
    if (opcode == OP_STORE)
        return length > 3 && words[at + 3] & ACCESS_VOLATILE;
    const uint32_t decoration = opcode == OP_DECORATE && length > 2          ? words[at + 2]
                                : opcode == OP_MEMBER_DECORATE && length > 3 ? words[at + 3]
                                                                             : UINT32_MAX;
    return decoration == DECORATION_VOLATILE || decoration == DECORATION_COHERENT;
}

bool cat_module_divisible(const uint32_t *words, size_t count)
{
    bool loops = false, reaches = false;
    if (count < 5 || words[0] != SPIRV_MAGIC)
        return false;
    for (size_t at = 5; at < count; at += words[at] >> 16) {
        const uint32_t length = words[at] >> 16, opcode = words[at] & 0xffff;
        if (!length || length > count - at)
            return false;
        if (opcode == OP_DECORATE && length == 4 && words[at + 2] == DECORATION_BUILT_IN &&
            words[at + 3] == BUILT_IN_NUM_WORKGROUPS)
            return false;
        loops |= opcode == OP_LOOP_MERGE;
        reaches = reaches || reaches_out(words, at);
    }
    return !loops || !reaches;
}
