#version 450
// SPDX-License-Identifier: Apache-2.0
// The same words through structs of every layout, with row-major matrices and nested arrays.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in;
#define WORDS 36
#include "common.glsl"

struct Inner { uint head; uvec3 body; uint tail[3]; };
struct Outer { uvec2 pair; Inner inner[2]; uint last; };
struct Grid { mat2x3 small; mat3x4 large; float last; };

layout(set = 0, binding = 0, std430) readonly buffer A { Outer in_430[]; };
layout(set = 0, binding = 0, scalar) readonly buffer B { Outer in_scalar[]; };
layout(set = 0, binding = 0, std430) readonly buffer C { layout(row_major) Grid grids_430[]; };
layout(set = 0, binding = 0, scalar) readonly buffer F { Grid grids_scalar[]; };
layout(set = 0, binding = 3, std140) uniform D { Outer in_140[8]; };
layout(set = 0, binding = 3, std140) uniform E { layout(row_major) Grid grids_140[8]; };
layout(set = 0, binding = 2, scalar) buffer State { Outer copies[]; };

void put(Outer o, uint k)
{
    put(o.pair), put(o.inner[k].head), put(o.inner[1 - k].body[k]), put(o.inner[k].tail[k + 1]);
    put(o.last);
}

// As bits: what the input holds may be a NaN.
void put(Grid g, uint k)
{
    put(g.small[k].z), put(g.large[2 - k].w), put(g.large[k][k + 1]), put(g.last);
}

void main()
{
    const uint at = place(), k = word(0) & 1u;
    put(in_430[at & 63u], k), put(in_scalar[at & 63u], k), put(in_140[at & 7u], k);
    put(grids_430[at & 63u], k), put(grids_140[at & 7u], k);
    put(grids_scalar[at & 63u], k);
    Outer mine = in_430[at & 63u];
    mine.inner[k].body.yz = uvec2(at, 7);
    mine.inner[1 - k] = in_140[k].inner[k];
    const uint sum = mine.inner[0].tail[2] + mine.inner[1].tail[0];
    put(sum), put(uint(in_scalar[at & 63u] == in_430[at & 63u])), put(uint(mine == mine));
    put(uint(grids_430.length())), put(uint(words_in.length())), put(uint(mine.inner.length()));
    copies[at] = mine;
    copies[at].inner[k].tail[k] = at;
}
