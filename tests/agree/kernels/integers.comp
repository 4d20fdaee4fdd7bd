#version 450
// SPDX-License-Identifier: Apache-2.0
// Arithmetic of 32 bits. Divisors are not 0, and no operand of a signed modulo is negative: Vulkan
// leaves those open.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
#define WORDS 24
#include "common.glsl"

void main()
{
    const uint a = word(0), b = word(1), c = word(2);
    const int s = int(a), t = int(b);
    put(a + b), put(a - b), put(a * b), put(-s), put(~a);
    put(a / (b | 1u)), put(a % (b | 1u));
    put(s / int((b & 0x7fffu) | 1u)), put((s & 0x7fffffff) / -int((b & 0x7fffu) | 1u));
    put((s & 0x7fffffff) % int((b & 0x7fffffffu) | 1u));
    put(a << (b & 31u)), put(a >> (b & 31u)), put(s >> (b & 31u));
    put(min(a, b)), put(max(a, b)), put(min(s, t)), put(max(s, t)), put(abs(s)), put(sign(s));
    put(clamp(a, min(b, c), max(b, c))), put(clamp(s, min(t, 7), max(t, 7)));
    put((a < b ? 1u : 0u) | (s < t ? 2u : 0u) | (a == b ? 4u : 0u) | (s >= t ? 8u : 0u));
    const ivec3 u = ivec3(s, t, int(c)) * ivec3(3, -5, 7) - ivec3(t);
    put((u.x ^ u.y) & u.z | u.x);
    put(dot(vec2(mix(uvec2(1), uvec2(2), greaterThan(uvec2(a, b), uvec2(b, c)))), vec2(1, 4)));
}
