// SPDX-License-Identifier: Apache-2.0
//
// loop-exit.loop as a programmer writes it.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_vote : require
#include "../common/interface.glsl"

const uint result_count = 2;
#include "../common/loop-exit.glsl"

layout(constant_id = 1) const uint rounds = 8;

#if defined(EXIT_WORD)
#define LEAVES (source.data[0] != 0u)
#elif defined(EXIT_EACH)
#define LEAVES (source.data[i] != 0u)
#elif defined(EXIT_WORKGROUP)
#define LEAVES (source.data[gl_WorkGroupID.x] != 0u)
#elif defined(EXIT_SUBGROUP)
#define LEAVES (source.data[gl_SubgroupID] != 0u)
#elif defined(EXIT_LATER)
#define LEAVES (i >= 3u && source.data[0] != 0u)
#elif defined(EXIT_LANE)
#define LEAVES (source.data[place] != 0u)
#else
#define LEAVES subgroupAny(source.data[place] != 0u)
#endif

#define BODY                                                                                       \
    if (LEAVES) {                                                                                  \
        TAKE_PART                                                                                  \
        break;                                                                                     \
    }                                                                                              \
    v += source.data[i];

void main() RECONVERGES
{
    uint lane = gl_SubgroupInvocationID, place = PLACE, far = place ^ 2u, v = source.data[place];
#if defined(LOOP_FOR)
    for (uint i = 0u; i < rounds; i++) {
        BODY
    }
#elif defined(LOOP_WHILE)
    uint i = 0u;
    while (i < rounds) {
        BODY
        i++;
    }
#elif defined(LOOP_DO)
    uint i = 0u;
    do {
        BODY
        i++;
    } while (i < rounds);
#elif defined(LOOP_FOREVER)
    for (uint i = 0u;; i++) {
        BODY
        if (i + 1u >= rounds)
            break;
    }
#elif defined(LOOP_UNBOUNDED)
    for (uint i = 0u; i < source.data[3]; i++) {
        BODY
    }
#elif defined(LOOP_NESTED)
    for (uint k = 0u; k < rounds; k++) {
        for (uint i = 0u; i < 3u; i++) {
            BODY
        }
        if (source.data[0] != 0u)
            break;
    }
#elif defined(LOOP_OUTER)
    for (uint k = 0u; k < rounds; k++) {
        bool ends = false;
        for (uint i = 0u; i < 3u; i++) {
            if (LEAVES) {
                TAKE_PART
                ends = true;
                break;
            }
            v += source.data[i];
        }
        if (ends)
            break;
    }
#else
    for (uint i = 0u; i < rounds; i++) {
        bool ends = false;
        switch (source.data[0]) {
        case 0u:
            v += source.data[i];
            break;
        default:
            TAKE_PART
            ends = true;
        }
        if (ends)
            break;
    }
#endif
    STORE(0u, subgroupAdd(v));
    STORE(1u, v);
}
