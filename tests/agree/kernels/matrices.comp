#version 450
// SPDX-License-Identifier: Apache-2.0
// Vectors and matrices of small whole numbers, on which every order of adding is exact.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
#define WORDS 38
#include "common.glsl"

vec4 small(uint bits)
{
    return vec4((ivec4(bits) >> ivec4(0, 8, 16, 24) & 31) - 16);
}

void put(vec4 v) { put(floatBitsToUint(v + 0.0)); }
void put(vec3 v) { put(vec4(v, 1)); }

void main()
{
    const mat4 m = mat4(small(word(0)), small(word(1)), small(word(2)), small(word(3)));
    const vec4 v = small(word(4)) + 0.5;
    put(m * v), put(v * m), put((m * transpose(m))[word(5) & 3u]);
    mat3 n = mat3(m);
    n[word(6) & 1u][2] = 9;
    n[1].zx = n[2].xy;
    put(n * v.wyx), put(determinant(n) + 0.5), put(cross(v.xyz, n[0]));
    const mat2x3 a = mat2x3(m[0].xyz, m[1].xyz);
    const mat3x2 b = transpose(a);
    const mat2 c = b * a;
    put(vec4(c[0], c[1])), put(outerProduct(v.xyz, v.yz)[1]);
    put((matrixCompMult(m, m) - 2.0 * m)[1].wzyx);
    bvec4 less = lessThan(m[0], m[1]);
    put(any(less) ? 1u : 0u), put(all(less)), put(dot(mix(m[2], m[3], less), vec4(1, 2, 4, 8)) + 0.5);
    less.x = !less.x;
    put(uint(less.x) + 2u * uint(less.z) + (m[0] == m[1] ? 8u : 0u) + (m[2] != m[3] ? 16u : 0u));
    put(v[word(7) & 3u]);
}
