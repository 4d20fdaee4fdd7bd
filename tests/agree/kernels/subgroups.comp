#version 450
// SPDX-License-Identifier: Apache-2.0
// Group operations on whole subgroups and in branches. The results depend on the subgroup size:
// both drivers have the same.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 64) in;
#define WORDS 40
#include "common.glsl"

void main()
{
    const uint a = word(0), b = word(1), size = gl_SubgroupSize, lane = gl_SubgroupInvocationID;
    put(size), put(gl_NumSubgroups), put(gl_SubgroupID), put(lane), put(subgroupElect());
    put(subgroupAdd(a)), put(subgroupMul(a | 1u)), put(subgroupMin(a)), put(subgroupMax(int(a)));
    put(subgroupAnd(a | 255u)), put(subgroupOr(a & 65535u)), put(subgroupXor(a));
    put(subgroupInclusiveAdd(a)), put(subgroupExclusiveAdd(a)), put(subgroupInclusiveMax(a));
    put(subgroupExclusiveXor(a)), put(subgroupInclusiveMul(b | 1u));
    put(subgroupAdd(float(a & 255u))), put(subgroupMax(float(a >> 8)));
    put(subgroupBallot((a & 1u) != 0u).x), put(subgroupAny((a & 7u) == 0u));
    put(subgroupAll((a & 7u) != 1u)), put(subgroupAllEqual(a & 0u)), put(subgroupAllEqual(a));
    put(subgroupBroadcast(a, 2)), put(subgroupBroadcastFirst(a));
    put(subgroupShuffle(a, b & (size - 1u))), put(subgroupShuffleXor(a, 1u));
    put(subgroupShuffleUp(a, min(1u, lane))), put(subgroupShuffleDown(a, lane + 1u < size ? 1u : 0u));
    put(subgroupQuadBroadcast(a, 3u)), put(subgroupQuadSwapHorizontal(a));
    put(subgroupQuadSwapVertical(a)), put(subgroupQuadSwapDiagonal(a));
    const uvec4 votes = subgroupBallot((b & 1u) != 0u);
    put(subgroupBallotBitCount(votes)), put(subgroupBallotExclusiveBitCount(votes));
    put(subgroupInverseBallot(votes)), put(subgroupBallotFindLSB(votes | gl_SubgroupEqMask));
    // Who comes here is up to the data.
    if ((a & 3u) != 0u)
        put(subgroupAdd(b) + subgroupBallot(true).x);
    else
        put(subgroupMax(b) ^ subgroupExclusiveAdd(1u) ^ uint(subgroupElect()));
    uint rounds = 0;
    for (uint rest = b & 7u; rest > 0u; rest--)
        rounds = rounds * 3u + subgroupBallot((rest & 1u) != 0u).x;
    put(rounds);
}
