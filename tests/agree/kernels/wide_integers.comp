#version 450
// SPDX-License-Identifier: Apache-2.0
// Arithmetic of 64 bits, and conversions to and from it.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
#define WORDS 41
#include "common.glsl"

void put(uint64_t value) { put(unpackUint2x32(value)); }
void put(int64_t value) { put(uint64_t(value)); }

void main()
{
    const uint64_t a = packUint2x32(uvec2(word(0), word(1)));
    const uint64_t b = packUint2x32(uvec2(word(2), word(3)));
    const int64_t s = int64_t(a), t = int64_t(b);
    const int64_t small = int64_t(word(4) & 0xffffu) + 1L;
    put(a + b), put(a - b), put(a * b), put(-s), put(a / (b | 1UL)), put(a % (b | 1UL));
    put(s / small), put(abs(s >> 1) / -small), put((s & 0x7fffffffffffffffL) % small);
    put(a << (b & 63UL)), put(a >> (b & 63UL)), put(s >> (b & 63UL));
    put(min(a, b)), put(max(s, t)), put(a & b | ~a ^ b);
    put(uint64_t(int64_t(int(word(0))))), put(int64_t(float(word(0) & 0xffffffu) * 1048576.0));
    put((a < b ? 1u : 0u) | (s < t ? 2u : 0u)), put(uint(a)), put(int(s)), put(sign(s));
    // Converting to float rounds: 24 bits do not.
    put(float(a & 0xffffffUL)), put(float(s >> 40));
}
