// SPDX-License-Identifier: Apache-2.0
//
// loop-exit.nested as a programmer writes it.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#include "../common/interface.glsl"

const uint result_count = 2;
#include "../common/loop-exit.glsl"

#ifdef WORK_LOAD
#define OTHERS v = source.data[place ^ 1u];
#define SECOND
#else
#ifdef EXITS_THREE
#define OTHERS v = v * 3u + 1u;
#else
#define OTHERS v = v * 3u;
#endif
#define SECOND v = lane;
#endif

void main() RECONVERGES
{
    uint lane = gl_SubgroupInvocationID, place = PLACE, v = source.data[place];
    for (uint i = 0u; i < 8u; i++) {
        if (source.data[0] != 0u) {
#if defined(EXITS_ONE)
            if (lane != 0u) {
                OTHERS
            }
            break;
#elif defined(EXITS_TWO)
            if (lane != 0u) {
                OTHERS
                break;
            }
            break;
#elif defined(EXITS_THREE)
            if (lane != 0u) {
                if (lane != 1u) {
                    OTHERS
                    break;
                }
                SECOND
                break;
            }
            break;
#elif defined(EXITS_CHAIN)
            if (lane != 0u) {
                if (lane != 1u) {
                    OTHERS
                } else {
                    SECOND
                }
            }
            break;
#else
            switch (lane) {
            case 0u:
                break;
            case 1u:
                break;
            default:
                OTHERS
            }
            break;
#endif
        }
        v += source.data[i];
    }

#if defined(OP_ADD)
    uint received = subgroupAdd(v);
#elif defined(OP_SHUFFLE)
    uint received = subgroupShuffle(v, 0u);
#else
    uint received = v;
    for (uint distance = 1u; distance < gl_SubgroupSize; distance *= 2u) {
#if defined(SYNC_SUBGROUP_MEMORY)
        subgroupMemoryBarrierShared();
#elif defined(SYNC_SUBGROUP)
        subgroupBarrier();
#endif
        uint from_the_left = subgroupShuffleUp(received, distance);
        if (lane >= distance)
            received += from_the_left;
    }
#endif
    STORE(0u, received);
    STORE(1u, v);
}
