#version 450
// SPDX-License-Identifier: Apache-2.0
// Floats of 32 bits where one result is right: sums, differences and products are rounded
// correctly, fma only where its product is exact, the rest on exact values.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
#define WORDS 31
#include "common.glsl"

void main()
{
    precise const float x = tame(word(0)), y = tame(word(1));
    precise const float sum = x + y, difference = x - y, product = x * y;
    put(sum), put(difference), put(product), put(-x), put(abs(x)), put(sign(x));
    put(min(x, y)), put(max(x, y)), put(clamp(x, -0.5, 0.5)), put(step(x, y));
    put(x < y), put(x == y), put(x >= y), put(isnan(x)), put(isinf(x));

    const int i = int(word(2)) >> 10, j = int(word(3)) >> 22;
    const float whole = float(i), eighths = float(i) * 0.125;
    put(whole), put(float(word(2) >> 8)), put(int(eighths)), put(uint(abs(eighths)));
    put(int(floor(eighths))), put(int(ceil(eighths))), put(int(trunc(eighths)));
    put(int(roundEven(float(j) * 0.5))), put(fract(eighths) + 1.0);
    precise const float fused = fma(float(j), 3.0, eighths), apart = float(j) * x + y;
    put(fused), put(apart), put(mod(float(i & 1023), 8.0)), put(mix(float(j), 5.0, 0.5));
    put(ldexp(float(j) + 0.5, 5));
    put(dot(vec3(i >> 12, j, 3), vec3(j, 2, -1))), put(sqrt(float(j * j)));
}
