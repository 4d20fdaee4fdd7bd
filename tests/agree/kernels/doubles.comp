#version 450
// SPDX-License-Identifier: Apache-2.0
// Floats of 64 bits, as in floats.comp.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
#define WORDS 30
#include "common.glsl"

void put(double value) { put(unpackDouble2x32(value)); }

double tame(uvec2 bits)
{
    return packDouble2x32(uvec2(bits.x, (bits.y & 0xbfffffffu) | 0x20000000u));
}

void main()
{
    precise const double x = tame(uvec2(word(0), word(1))), y = tame(uvec2(word(2), word(3)));
    precise const double sum = x + y, difference = x - y, product = x * y;
    put(sum), put(difference), put(product), put(-x), put(abs(x)), put(min(x, y)), put(max(x, y));
    put((x < y ? 1u : 0u) | (x == y ? 2u : 0u) | (x > y ? 4u : 0u));
    const int i = int(word(4));
    const double quarters = double(i) * 0.25LF;
    put(quarters), put(double(word(5))), put(int(quarters)), put(int(floor(quarters)));
    put(int(ceil(quarters))), put(int(trunc(quarters))), put(double(tame(word(6))));
    put(float(double(int(word(4)) >> 8) * 0.5LF)), put(fract(quarters) + 1.0LF);
    put(dot(dvec2(i, 3), dvec2(5, -7)));
}
