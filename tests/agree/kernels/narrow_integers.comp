#version 450
// SPDX-License-Identifier: Apache-2.0
// Arithmetic of 8 and 16 bits, in registers and in a buffer.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
#define WORDS 24
#include "common.glsl"
layout(set = 0, binding = 2, std430) buffer State
{
    uint8_t bytes[1024];
    int16_t shorts[1024];
};

void main()
{
    const uint8_t a = uint8_t(word(0)), b = uint8_t(word(1));
    const int8_t s = int8_t(word(0)), t = int8_t(word(1));
    put(uint(uint8_t(a + b))), put(uint(uint8_t(a * b))), put(uint(uint8_t(a / (b | uint8_t(1)))));
    put(uint(a % (b | uint8_t(1)))), put(int(int8_t(s - t)));
    put(int(int8_t(s >> (b & uint8_t(7)))));
    put(uint(uint8_t(a << (b & uint8_t(7))))), put(int(max(s, t))), put(uint(min(a, b)));
    put(int(int8_t(~s))), put(s < t), put(a < b);

    const uint16_t c = uint16_t(word(2)), d = uint16_t(word(3));
    const int16_t u = int16_t(word(2)), v = int16_t(word(3));
    put(uint(uint16_t(c + d))), put(uint(uint16_t(c * d))), put(uint(c / (d | uint16_t(1))));
    put(int(int16_t(u - v))), put(int(int16_t(u >> (d & uint16_t(15))))), put(int(abs(u)));
    put(uint(uint16_t(c << (d & uint16_t(15))))), put(int(min(u, v))), put(u < v);
    put(int(int16_t(s)) + int(uint16_t(a))), put(uint(uint8_t(c))), put(int(int16_t(float(s) * 2.0)));

    bytes[place()] = uint8_t(a ^ b);
    shorts[place()] = int16_t(u ^ int16_t(s));
}
