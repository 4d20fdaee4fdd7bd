#version 450
// SPDX-License-Identifier: Apache-2.0
// Atomics of 64 bits, as in atomics.comp.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 64) in;
#define WORDS 1
#include "common.glsl"
layout(set = 0, binding = 2, std430) buffer State
{
    uint64_t sum, least, most, both, any_of, odd, tickets, squares;
    int64_t lowest, highest;
};

void main()
{
    const uint64_t a = packUint2x32(uvec2(word(0), word(1)));
    atomicAdd(sum, a), atomicMax(most, a), atomicMin(least, a), atomicOr(any_of, 1UL << (a & 63UL));
    atomicXor(odd, a), atomicAnd(both, ~a), atomicMin(lowest, int64_t(a));
    atomicMax(highest, int64_t(a));
    const uint64_t ticket = atomicAdd(tickets, 1UL << 33);
    atomicAdd(squares, ticket >> 31);
    put(uint(a));
}
