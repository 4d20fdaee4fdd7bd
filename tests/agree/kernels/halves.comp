#version 450
// SPDX-License-Identifier: Apache-2.0
// Floats of 16 bits, in registers and in a buffer, on values that need no rounding.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
#define WORDS 13
#include "common.glsl"
layout(set = 0, binding = 2, std430) buffer State { f16vec2 pairs[1024]; };

void put(float16_t value) { put(float(value)); }

void main()
{
    const int i = int(word(0) & 63u) - 32, j = int(word(1) & 63u) - 31;
    const float16_t x = float16_t(i), y = float16_t(j) * float16_t(0.5);
    put(x + y), put(x - y), put(x * y), put(abs(x)), put(min(x, y)), put(max(x, y));
    put(x < y), put(x == y), put(int(floor(y))), put(int(trunc(y))), put(int(x));
    put(dot(f16vec2(x, y), f16vec2(2, 4))), put(fract(y) + float16_t(1));
    pairs[place()] = f16vec2(x + float16_t(0.25), y);
}
