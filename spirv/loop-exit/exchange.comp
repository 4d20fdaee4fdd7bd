// SPDX-License-Identifier: Apache-2.0
//
// loop-exit.exchange as a programmer writes it.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_quad : require
#if defined(OP_OLD_FIRST) || defined(OP_OLD_READ)
#extension GL_ARB_shader_ballot : require
#endif
#include "../common/interface.glsl"

const uint result_count = 2;
#include "../common/loop-exit.glsl"

void main() RECONVERGES
{
    LOOP_EXIT

#if defined(OP_SHUFFLE)
    uint received = subgroupShuffle(v, 0u);
#elif defined(OP_XOR)
    uint received = subgroupShuffleXor(v, 1u);
#elif defined(OP_UP)
    uint from_the_left = subgroupShuffleUp(v, 1u);
    uint received = lane != 0u ? from_the_left : 0u;
#elif defined(OP_DOWN)
    uint from_the_right = subgroupShuffleDown(v, 1u);
    uint received = lane + 1u < gl_SubgroupSize ? from_the_right : 0u;
#elif defined(OP_BROADCAST)
    uint received = subgroupBroadcast(v, 1u);
#elif defined(OP_FIRST)
    uint received = subgroupBroadcastFirst(v);
#elif defined(OP_OLD_FIRST)
    uint received = readFirstInvocationARB(v);
#elif defined(OP_OLD_READ)
    uint received = readInvocationARB(v, 1u);
#elif defined(OP_QUAD_BROADCAST)
    uint received = subgroupQuadBroadcast(v, 0u);
#elif defined(OP_QUAD_HORIZONTAL)
    uint received = subgroupQuadSwapHorizontal(v);
#elif defined(OP_QUAD_VERTICAL)
    uint received = subgroupQuadSwapVertical(v);
#else
    uint received = subgroupQuadSwapDiagonal(v);
#endif
    STORE(0u, received);
    STORE(1u, v);
}
