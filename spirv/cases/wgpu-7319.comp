// SPDX-License-Identifier: Apache-2.0
//
// cases.wgpu-7319 as a programmer writes it: the GLSL variant of wgpu-7319.spvasm.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../common/interface.glsl"

const uint result_count = 2;
#include "../common/place.glsl"

const uint largest = 0xffffffffu;
#ifdef COUNTER_UP
const uvec2 counter_start = uvec2(0u), counter_end = uvec2(largest);
#else
const uvec2 counter_start = uvec2(largest), counter_end = uvec2(0u);
#endif

void main() RECONVERGES
{
    uint made = own_word();
    uint limit = parameters.elements + (made & 7u);
    uint iteration = 0u;
    uvec2 counter = counter_start;
    while (true) {
        // The guard: the loop ends if the counter has run out; else it counts.
#if defined(COUNTER_UP)
        if (counter == counter_end)
            break;
        counter += uvec2(1u, counter.x == largest ? 1u : 0u);
#elif defined(COUNTER_DOWN)
        if (counter == counter_end)
            break;
        counter -= uvec2(1u, counter.x == 0u ? 1u : 0u);
#endif

        // The loop's own condition and work.
        if (iteration >= limit)
            break;
        made = made * 1664525u + 1013904223u;
        iteration++;
    }
    store_result(0u, iteration);
    store_result(1u, made);
}
