// SPDX-License-Identifier: Apache-2.0
//
// loop-exit.vote as a programmer writes it.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
#include "../common/interface.glsl"

const uint result_count = 2;
#include "../common/loop-exit.glsl"

void main() RECONVERGES
{
    LOOP_EXIT

#if defined(OP_BALLOT)
    uint answer = subgroupBallot((v & 2u) != 0u).x;
#elif defined(OP_BIT_COUNT)
    uint answer = subgroupBallotBitCount(subgroupBallot((v & 2u) != 0u));
#elif defined(OP_ANY)
    uint answer = uint(subgroupAny((v & 6u) == 6u));
#elif defined(OP_ALL)
    uint answer = uint(subgroupAll((v & 6u) != 0u));
#elif defined(OP_ALL_EQUAL)
    uint answer = uint(subgroupAllEqual(v & 2u));
#else
    uint answer = uint(subgroupElect());
#endif
    STORE(0u, answer);
    STORE(1u, v);
}
