#version 450
// SPDX-License-Identifier: Apache-2.0
// Shared memory with barriers: a sum, a scan, a sort, a transposition.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 16, local_size_y = 4) in;
#define WORDS 5
#include "common.glsl"

shared uint values[64];
shared struct { uint least; uvec2 corner; } result;
shared uint tile[16][5];

uint sum(uint mine)
{
    const uint me = gl_LocalInvocationIndex;
    values[me] = mine;
    barrier();
    for (uint half_size = 32; half_size > 0u; half_size /= 2u) {
        if (me < half_size)
            values[me] += values[me + half_size];
        barrier();
    }
    const uint total = values[0];
    barrier();
    return total;
}

uint scan(uint mine)
{
    const uint me = gl_LocalInvocationIndex;
    values[me] = mine;
    for (uint distance = 1; distance < 64u; distance *= 2u) {
        barrier();
        const uint other = me >= distance ? values[me - distance] : 0u;
        barrier();
        values[me] += other;
    }
    barrier();
    const uint prefix = values[me];
    barrier();
    return prefix;
}

uint sorted(uint mine)
{
    const uint me = gl_LocalInvocationIndex;
    values[me] = mine;
    for (uint size = 2; size <= 64u; size *= 2u)
        for (uint stride = size / 2u; stride > 0u; stride /= 2u) {
            barrier();
            const uint other = me ^ stride, a = values[me], b = values[other];
            barrier();
            if (other > me && (a > b) == ((me & size) == 0u))
                values[me] = b, values[other] = a;
        }
    barrier();
    const uint value = values[me];
    barrier();
    return value;
}

void main()
{
    const uvec2 at = gl_LocalInvocationID.xy;
    put(sum(word(0))), put(scan(word(1)));
    const uint mine = sorted(word(2));
    put(mine);
    tile[at.x][at.y] = mine;
    if (gl_LocalInvocationIndex == 0u)
        result.least = mine, result.corner = at + 7u;
    barrier();
    const uint other = at.x * 4u + at.y;
    put(tile[other % 16u][other / 16u]), put(result.least + result.corner.y);
}
