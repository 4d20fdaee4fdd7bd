// SPDX-License-Identifier: Apache-2.0
//
// loop-exit.work as a programmer writes it.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "../common/interface.glsl"

const uint result_count = 2;

#if defined(LANES_OTHERS)
#define TAKES_PART lane != 0u
#elif defined(LANES_FIRST)
#define TAKES_PART lane == 0u
#elif defined(LANES_HALF)
#define TAKES_PART lane < gl_SubgroupSize / 2u
#elif defined(LANES_ODD)
#define TAKES_PART (lane & 1u) != 0u
#elif defined(LANES_LAST)
#define TAKES_PART lane == gl_SubgroupSize - 1u
#elif defined(LANES_LOCAL)
#define TAKES_PART gl_SubgroupID * gl_SubgroupSize + lane != 0u
#elif defined(LANES_DATA)
#define TAKES_PART (v & 2u) != 0u
#else
#define TAKES_PART gl_SubgroupID == 0u
#endif

#if defined(WORK_LOAD)
#define WORK v = source.data[place ^ 1u];
#elif defined(WORK_TWO_LOADS)
#define WORK v = source.data[place ^ 1u] + source.data[far];
#elif defined(WORK_CHAIN)
#define WORK v = source.data[place - lane + (source.data[place ^ 1u] / 2u) % gl_SubgroupSize];
#elif defined(WORK_ATOMIC)
#define WORK v += lane + atomicAdd(state.data[place + 1u], 1u);
#elif defined(WORK_DIVIDE)
#define WORK v = source.data[place ^ 1u] / (lane + 1u);
#elif defined(WORK_ARITHMETIC)
#define WORK v = v * v + lane;
#elif defined(WORK_SHARED)
shared uint words[workgroup_width];
#define WORK                                                                                       \
    v += lane;                                                                                     \
    words[gl_SubgroupID * gl_SubgroupSize + lane] = v;
#elif defined(WORK_STORE)
#define WORK                                                                                       \
    v += lane;                                                                                     \
    state.data[place + 1u] = v;
#else
uint of_word(uint at)
{
    return source.data[at] * 5u + 1u;
}
#define WORK v = of_word(place ^ 1u);
#endif
#include "../common/loop-exit.glsl"

void main() RECONVERGES
{
    LOOP_EXIT

    STORE(0u, subgroupAdd(v));
    STORE(1u, v);
}
